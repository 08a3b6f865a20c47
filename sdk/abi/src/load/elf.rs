//! A look at the file before the loader of the system sees it: a truncated library raises SIGBUS inside `dlopen`, and
//! whether a library is a plugin at all can be read from its symbol table without running a line of it.

use object::LittleEndian;
use object::elf::{self, FileHeader64, Machine, ProgramHeader64};
use object::read::elf::{Dyn, FileHeader, ProgramHeader, SectionHeader, SectionTable, Sym};

/// Reason why a file is not a library this process can load.
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

/// Machine of this process.
const MACHINE: Machine = if cfg!(target_arch = "x86_64") {
    elf::EM_X86_64
} else if cfg!(target_arch = "aarch64") {
    elf::EM_AARCH64
} else {
    elf::EM_NONE
};

type Header = FileHeader64<LittleEndian>;
const LE: LittleEndian = LittleEndian;

/// A 64-bit little-endian shared object whose tables lie within the file.
pub(super) struct Elf<'a> {
    bytes: &'a [u8],
    segments: &'a [ProgramHeader64<LittleEndian>],
    sections: SectionTable<'a, Header>,
}

impl<'a> Elf<'a> {
    /// Checks magic, class, machine, type, and that everything the headers promise is in the file.
    pub(super) fn check(bytes: &'a [u8]) -> Result<Self, ElfFlaw> {
        if !bytes.starts_with(&elf::ELFMAG) {
            return Err(ElfFlaw::NotElf(looks_like(bytes)));
        }
        let Ok((header, _)) = object::pod::from_bytes::<Header>(bytes) else {
            return Err(ElfFlaw::Truncated(bytes.len() as u64, size_of::<Header>() as u64));
        };
        let machine = header.e_machine(LE);
        if !header.is_supported() || !header.is_little_endian() || machine != MACHINE {
            let bits = if header.is_class_64() { 64 } else { 32 };
            return Err(ElfFlaw::Machine(format!("{bits}-bit machine {}", machine.0)));
        }
        if header.e_type(LE) != elf::ET_DYN {
            return Err(ElfFlaw::NotShared);
        }
        Self::read(header, bytes)
    }

    /// The tables, and whether all that they speak of is in the file.
    fn read(header: &'a Header, bytes: &'a [u8]) -> Result<Self, ElfFlaw> {
        let table = |start: u64, size: u16, count: u16| (start, u64::from(size) * u64::from(count));
        within(bytes, table(header.e_phoff(LE), header.e_phentsize(LE), header.e_phnum(LE)))?;
        within(bytes, table(header.e_shoff(LE), header.e_shentsize(LE), header.e_shnum(LE)))?;
        let damaged = |_| ElfFlaw::NotElf("a damaged library");
        let segments = header.program_headers(LE, bytes).map_err(damaged)?;
        segments.iter().try_for_each(|segment| within(bytes, segment.file_range(LE)))?;
        let headers = header.section_headers(LE, bytes).map_err(damaged)?;
        headers
            .iter()
            .filter_map(|section| section.file_range(LE))
            .try_for_each(|range| within(bytes, range))?;
        let sections = header.sections(LE, bytes).map_err(damaged)?;
        Ok(Self { bytes, segments, sections })
    }

    /// Returns true if the file lists its symbols (a library without section headers works, but cannot be looked into).
    pub(super) fn lists_symbols(&self) -> bool {
        self.sections.iter().any(|section| section.sh_type(LE) == elf::SHT_DYNSYM)
    }

    /// Address and size of an exported symbol.
    pub(super) fn symbol(&self, name: &str) -> Option<(u64, u64)> {
        let symbols = self.sections.symbols(LE, self.bytes, elf::SHT_DYNSYM).ok()?;
        let is_it = |symbol: &&elf::Sym64<LittleEndian>| {
            !symbol.is_undefined(LE) && symbols.symbol_name(LE, symbol) == Ok(name.as_bytes())
        };
        symbols.iter().find(is_it).map(|symbol| (symbol.st_value(LE), symbol.st_size(LE)))
    }

    /// Names of the libraries that the loader must find, in their order.
    pub(super) fn needed(&self) -> Vec<String> {
        self.texts(&[elf::DT_NEEDED])
    }

    /// Where the file wants them to be looked for, separated by colons.
    pub(super) fn search_path(&self) -> Vec<String> {
        self.texts(&[elf::DT_RUNPATH, elf::DT_RPATH])
    }

    /// Texts of the dynamic section under some tags. A damaged section has none: the loader of the system will say so.
    fn texts(&self, tags: &[elf::DynamicTag]) -> Vec<String> {
        let Ok(Some((entries, link))) = self.sections.dynamic(LE, self.bytes) else { return Vec::new() };
        let Ok(strings) = self.sections.strings(LE, self.bytes, link) else { return Vec::new() };
        let wanted = entries.iter().filter(|entry| tags.contains(&entry.tag(LE)));
        let texts = wanted.filter_map(|entry| entry.string(LE, strings).ok());
        texts.map(|text| String::from_utf8_lossy(text).into_owned()).collect()
    }

    /// The four bytes at an address, as they stand in the file.
    pub(super) fn u32_at(&self, address: u64) -> Option<u32> {
        let loaded = self.segments.iter().filter(|segment| segment.p_type(LE) == elf::PT_LOAD);
        let mut bytes = loaded.filter_map(|segment| segment.data_range(LE, self.bytes, address, 4).ok()?);
        Some(u32::from_le_bytes(bytes.next()?.try_into().ok()?))
    }
}

/// Checks that a range (offset, size) ends within the file.
fn within(bytes: &[u8], (start, size): (u64, u64)) -> Result<(), ElfFlaw> {
    let (end, len) = (start.saturating_add(size), bytes.len() as u64);
    if end <= len { Ok(()) } else { Err(ElfFlaw::Truncated(len, end)) }
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
        for at in 0..size_of::<Header>() {
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

    /// A program of Rust asks for the library of C, and for nothing in a place of its own.
    #[test]
    fn what_a_file_links_is_read_from_it() {
        let image = own_image();
        let elf = Elf::check(&image).ok().unwrap();
        assert!(elf.needed().iter().any(|name| name.starts_with("libc.so")), "{:?}", elf.needed());
        assert!(elf.search_path().is_empty(), "{:?}", elf.search_path());
    }

    #[test]
    fn other_machines_and_executables_are_refused() {
        let mut image = own_image();
        image[18] = 243;
        assert_eq!(Elf::check(&image).err(), Some(ElfFlaw::Machine("64-bit machine 243".into())));
        image[18..20].copy_from_slice(&MACHINE.0.to_le_bytes());
        image[16] = 2;
        assert_eq!(Elf::check(&image).err(), Some(ElfFlaw::NotShared));
    }
}
