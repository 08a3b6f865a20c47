//! A look at the file before the loader of the system sees it: a truncated library raises SIGBUS inside `dlopen`, and
//! whether a library is a plugin at all can be read from its symbol table without running a line of it.

/// Why a file is not a library this process can load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ElfFlaw {
    /// Does not begin like one; holds what it looks like.
    NotElf(&'static str),
    /// For another machine; holds which.
    Machine(String),
    /// An executable or an object file.
    NotShared,
    /// Ends before what its headers promise: bytes found, bytes promised.
    Truncated(u64, u64),
}

/// Machine number of this process.
const MACHINE: u16 = if cfg!(target_arch = "x86_64") {
    62
} else if cfg!(target_arch = "aarch64") {
    183
} else {
    0
};

const HEADER: usize = 64;
const SHARED_OBJECT: u16 = 3;
const LOADED_SEGMENT: u32 = 1;
const NO_BITS: u32 = 8;
const DYNAMIC_SYMBOLS: u32 = 11;

/// A 64-bit little-endian shared object whose tables lie within the file.
pub(super) struct Elf<'a> {
    bytes: &'a [u8],
    program: Table,
    sections: Table,
}

/// A table of headers: offset of the first, size of each, number.
#[derive(Clone, Copy)]
struct Table {
    start: u64,
    size: u64,
    count: u64,
}

impl<'a> Elf<'a> {
    /// Checks magic, class, machine, type, and that everything the headers promise is in the file.
    pub(super) fn check(bytes: &'a [u8]) -> Result<Self, ElfFlaw> {
        if !bytes.starts_with(b"\x7fELF") {
            return Err(ElfFlaw::NotElf(looks_like(bytes)));
        }
        if bytes.len() < HEADER {
            return Err(ElfFlaw::Truncated(bytes.len() as u64, HEADER as u64));
        }
        let elf = Self {
            bytes,
            program: Table { start: word(bytes, 32), size: half(bytes, 54), count: half(bytes, 56) },
            sections: Table { start: word(bytes, 40), size: half(bytes, 58), count: half(bytes, 60) },
        };
        let machine = half(bytes, 18) as u16;
        if bytes[4] != 2 || bytes[5] != 1 || machine != MACHINE {
            let bits = if bytes[4] == 2 { 64 } else { 32 };
            return Err(ElfFlaw::Machine(format!("{bits}-bit machine {machine}")));
        }
        if half(bytes, 16) as u16 != SHARED_OBJECT {
            return Err(ElfFlaw::NotShared);
        }
        elf.check_bounds()?;
        Ok(elf)
    }

    fn check_bounds(&self) -> Result<(), ElfFlaw> {
        self.within(self.program.start, self.program.size.saturating_mul(self.program.count))?;
        self.within(self.sections.start, self.sections.size.saturating_mul(self.sections.count))?;
        for header in self.headers(self.program, 56) {
            self.within(word(header, 8), word(header, 32))?;
        }
        for header in self.headers(self.sections, 64).filter(|h| int(h, 4) != NO_BITS) {
            self.within(word(header, 24), word(header, 32))?;
        }
        Ok(())
    }

    fn within(&self, start: u64, size: u64) -> Result<(), ElfFlaw> {
        let (end, len) = (start.saturating_add(size), self.bytes.len() as u64);
        if end <= len { Ok(()) } else { Err(ElfFlaw::Truncated(len, end)) }
    }

    /// Headers of a table, those too short to be one left out.
    fn headers(&self, table: Table, least: usize) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let bytes = self.bytes;
        (0..table.count).filter_map(move |i| {
            let start = table.start.checked_add(i.checked_mul(table.size)?)?;
            slice(bytes, start, table.size).filter(|header| header.len() >= least)
        })
    }

    /// Whether the file lists its symbols (a library without section headers works, but cannot be looked into).
    pub(super) fn lists_symbols(&self) -> bool {
        self.headers(self.sections, 64).any(|h| int(h, 4) == DYNAMIC_SYMBOLS)
    }

    /// Address of an exported symbol.
    pub(super) fn symbol(&self, name: &str) -> Option<u64> {
        let table = self.headers(self.sections, 64).find(|h| int(h, 4) == DYNAMIC_SYMBOLS)?;
        let strings = self.headers(self.sections, 64).nth(int(table, 40) as usize)?;
        let strings = slice(self.bytes, word(strings, 24), word(strings, 32))?;
        let symbols = slice(self.bytes, word(table, 24), word(table, 32))?;
        let is_it = |symbol: &&[u8]| {
            let defined = half(symbol, 6) != 0;
            let rest = strings.get(int(symbol, 0) as usize..);
            defined && rest.is_some_and(|r| r.starts_with(name.as_bytes()) && r.get(name.len()) == Some(&0))
        };
        symbols.chunks_exact(24).find(is_it).map(|symbol| word(symbol, 8))
    }

    /// The four bytes at an address, as they stand in the file.
    pub(super) fn u32_at(&self, address: u64) -> Option<u32> {
        let offset = self.headers(self.program, 56).find_map(|h| {
            let (kind, offset, start, size) = (int(h, 0), word(h, 8), word(h, 16), word(h, 32));
            let into = address.checked_sub(start).filter(|_| kind == LOADED_SEGMENT)?;
            let inside = into.checked_add(4).is_some_and(|end| end <= size);
            if inside { offset.checked_add(into) } else { None }
        })?;
        slice(self.bytes, offset, 4).map(|b| int(b, 0))
    }
}

fn looks_like(bytes: &[u8]) -> &'static str {
    let start = &bytes[..bytes.len().min(512)];
    match start {
        [] => "an empty file",
        _ if start.starts_with(b"!<arch>") => "a static library",
        _ if start.starts_with(b"MZ") => "a Windows library",
        _ if start.starts_with(&[0xcf, 0xfa, 0xed, 0xfe]) => "a macOS library",
        _ if start.iter().all(|b| matches!(b, 9 | 10 | 13 | 32..=126 | 128..)) => "a text file",
        _ => "neither ELF nor text",
    }
}

fn slice(bytes: &[u8], start: u64, len: u64) -> Option<&[u8]> {
    let start = usize::try_from(start).ok()?;
    bytes.get(start..start.checked_add(usize::try_from(len).ok()?)?)
}

/// Little-endian 16 bits at an offset the caller has made sure of.
fn half(bytes: &[u8], at: usize) -> u64 {
    u64::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]))
}

/// Little-endian 32 bits.
fn int(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Little-endian 64 bits.
fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from(int(bytes, at)) | u64::from(int(bytes, at + 4)) << 32
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;

    fn own_image() -> Vec<u8> {
        std::fs::read(std::env::current_exe().unwrap()).unwrap()
    }

    #[test]
    fn other_files_are_told_apart() {
        let flaw = |bytes: &[u8]| Elf::check(bytes).err();
        assert_eq!(flaw(b""), Some(ElfFlaw::NotElf("an empty file")));
        assert_eq!(flaw(b"hello\n"), Some(ElfFlaw::NotElf("a text file")));
        assert_eq!(flaw(b"!<arch>\n..."), Some(ElfFlaw::NotElf("a static library")));
        assert_eq!(flaw(b"\0\0\0"), Some(ElfFlaw::NotElf("neither ELF nor text")));
        assert_eq!(flaw(b"\x7fELF"), Some(ElfFlaw::Truncated(4, 64)));
    }

    #[test]
    fn a_file_cut_anywhere_is_refused() {
        // A position-independent executable has the same headers as a library.
        let image = own_image();
        assert!(Elf::check(&image).is_ok());
        for percent in [1, 5, 25, 50, 75, 90, 99] {
            let cut = image.len() * percent / 100;
            assert!(matches!(Elf::check(&image[..cut]), Err(ElfFlaw::Truncated(..))), "{percent} %");
        }
        assert!(matches!(Elf::check(&image[..image.len() - 1]), Err(ElfFlaw::Truncated(..))));
    }

    #[test]
    fn damaged_headers_never_panic() {
        let image = own_image();
        let mut damaged = image[..4096].to_vec();
        for at in 0..HEADER {
            let kept = damaged[at];
            for value in [0, 1, 0x7f, 0xff] {
                damaged[at] = value;
                if let Ok(elf) = Elf::check(&damaged) {
                    assert!(elf.symbol("vinci_contract_version").is_none());
                }
            }
            damaged[at] = kept;
        }
    }

    #[test]
    fn other_machines_and_executables_are_refused() {
        let mut image = own_image();
        image[18] = 243;
        assert_eq!(Elf::check(&image).err(), Some(ElfFlaw::Machine("64-bit machine 243".into())));
        image[18..20].copy_from_slice(&MACHINE.to_le_bytes());
        image[16] = 2;
        assert_eq!(Elf::check(&image).err(), Some(ElfFlaw::NotShared));
    }
}
