//! Results as one file that others can repeat: a zip archive of a directory, and back.
//!
//! The same directory makes the same bytes: files in the order of their names, all with one date.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{self, Read, Seek, Write};
use std::path::{Component, Path, PathBuf};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Most files of a bundle, and most bytes of all of them together.
const MOST_FILES: usize = 100_000;
const MOST_BYTES: u64 = 16 << 30;

/// Files of a directory and the ones below it by their relative names, in their order. Hidden files, links, and files of a run that has
/// not ended are left out.
///
/// # Errors
/// Directories that cannot be read.
pub fn files(directory: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let (mut found, mut waiting) = (BTreeSet::new(), vec![PathBuf::new()]);
    while let Some(below) = waiting.pop() {
        for entry in std::fs::read_dir(directory.join(&below))? {
            let (entry, kind) = entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?)))?;
            let name = entry.to_string_lossy();
            if name.starts_with('.') || name.ends_with(".part") {
                continue;
            }
            match kind {
                kind if kind.is_dir() => waiting.push(below.join(&entry)),
                kind if kind.is_file() => {
                    found.insert(below.join(&entry));
                }
                _ => {}
            }
        }
    }
    Ok(found)
}

/// Writes the files of a directory as a bundle; how many there are.
///
/// # Errors
/// Files that cannot be read, and output.
pub fn pack(directory: &Path, out: impl Write + Seek) -> io::Result<usize> {
    let files = files(directory)?;
    let sizes = files.iter().map(|file| Ok(std::fs::metadata(directory.join(file))?.len()));
    let bytes: u64 = sizes.sum::<io::Result<u64>>()?;
    if files.len() > MOST_FILES || bytes >= MOST_BYTES {
        let what = format!(
            "{} files and {bytes} bytes are more than a bundle holds ({MOST_FILES}, {MOST_BYTES})",
            files.len()
        );
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    let failure = RefCell::new(None);
    let mut archive = ZipWriter::new(Deaf { out, place: [0; 2], failure: &failure });
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(zip::DateTime::default())
        .large_file(true)
        .unix_permissions(0o644);
    for file in &files {
        archive.start_file_from_path(file, options).map_err(io::Error::other)?;
        io::copy(&mut std::fs::File::open(directory.join(file))?, &mut archive)?;
        if failure.borrow().is_some() {
            break;
        }
    }
    archive.finish().map_err(io::Error::other)?;
    failure.into_inner().map_or(Ok(files.len()), Err)
}

/// Output that keeps its first failure for the end, and from there on takes everything as if it were written. (An archive that meets a failure
/// tries once more when it is dropped, and prints that on the error stream, where programs expect findings.)
struct Deaf<'f, W> {
    out: W,
    /// Where the next byte goes, and how many there are.
    place: [u64; 2],
    failure: &'f RefCell<Option<io::Error>>,
}

impl<W> Deaf<'_, W> {
    /// Does something with the output while it has not failed.
    fn act<T>(&mut self, act: impl FnOnce(&mut W) -> io::Result<T>) {
        let mut failure = self.failure.borrow_mut();
        if failure.is_none() {
            *failure = act(&mut self.out).err();
        }
    }
}

impl<W: Write> Write for Deaf<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.act(|out| out.write_all(bytes));
        let [at, end] = &mut self.place;
        *at += bytes.len() as u64;
        *end = (*end).max(*at);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.act(Write::flush);
        Ok(())
    }
}

impl<W: Seek> Seek for Deaf<'_, W> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        self.act(|out| out.seek(to));
        let [at, end] = &mut self.place;
        let by = |from: u64, by: i64| from.checked_add_signed(by).ok_or(io::ErrorKind::InvalidInput);
        *at = match to {
            io::SeekFrom::Start(place) => place,
            io::SeekFrom::End(back) => by(*end, back)?,
            io::SeekFrom::Current(on) => by(*at, on)?,
        };
        Ok(*at)
    }
}

/// Writes the files of a bundle into a directory that is empty or not there; how many there are.
///
/// # Errors
/// What is no bundle; names that lead out of the directory, files in the place of others, too many of them or too large ones; output.
pub fn unpack(bundle: impl Read + Seek, directory: &Path) -> io::Result<usize> {
    let bad = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
    let mut archive = ZipArchive::new(bundle).map_err(|e| bad(e.to_string()))?;
    if archive.len() > MOST_FILES {
        return Err(bad(format!("it has {} files, and {MOST_FILES} are the most", archive.len())));
    }
    let mut left = MOST_BYTES;
    for k in 0..archive.len() {
        let file = archive.by_index(k).map_err(|e| bad(e.to_string()))?;
        let name = std::str::from_utf8(file.name_raw()).ok().map(PathBuf::from);
        let name = name.filter(|name| file.is_file() && is_within(name));
        let name = name.ok_or_else(|| {
            let shown = String::from_utf8_lossy(file.name_raw()).into_owned();
            bad(format!("`{shown}` is no file within it"))
        })?;
        let place = directory.join(&name);
        place.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        let mut out = std::fs::OpenOptions::new().write(true).create_new(true).open(&place)?;
        // Sizes that an archive tells need not be true: bytes are counted as they come.
        left -= io::copy(&mut file.take(left), &mut out).map_err(|e| bad(e.to_string()))?;
        if left == 0 {
            return Err(bad(format!("its files have more than {MOST_BYTES} bytes")));
        }
    }
    Ok(archive.len())
}

/// Returns true if every part of a name is one of a file or directory: none leads upwards, or to the root.
fn is_within(name: &Path) -> bool {
    let mut parts = name.components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn packed(files: &[(&str, &str)]) -> Vec<u8> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in files {
            archive.start_file(*name, SimpleFileOptions::default()).unwrap();
            archive.write_all(text.as_bytes()).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    #[test]
    fn what_was_packed_comes_back_and_has_the_same_bytes_twice() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (name, text) in [("b.csv", "1,2"), ("a/c.json", "{}"), (".hidden", "x"), ("a/d.csv.part", "y")] {
            let place = from.path().join(name);
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            std::fs::write(place, text).unwrap();
        }
        let bundle = || {
            let mut bytes = Cursor::new(Vec::new());
            assert_eq!(pack(from.path(), &mut bytes).unwrap(), 2);
            bytes.into_inner()
        };
        assert_eq!(bundle(), bundle());
        assert_eq!(unpack(Cursor::new(bundle()), to.path()).unwrap(), 2);
        let names: Vec<_> = files(to.path()).unwrap().into_iter().collect();
        assert_eq!(names, [PathBuf::from("a/c.json"), PathBuf::from("b.csv")]);
        assert_eq!(std::fs::read_to_string(to.path().join("b.csv")).unwrap(), "1,2");
    }

    /// Output with room for so many bytes.
    struct Small(Cursor<Vec<u8>>, u64);

    impl Write for Small {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            match self.0.position() + bytes.len() as u64 <= self.1 {
                true => self.0.write(bytes),
                false => Err(io::ErrorKind::StorageFull.into()),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Small {
        fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }

    /// Wherever the disk is full, that is the error, and nothing else.
    #[test]
    fn a_full_disk_is_told_as_what_it_is() {
        let from = tempfile::tempdir().unwrap();
        for (name, text) in [("a.csv", "1,2\n3,4\n"), ("b/c.json", "{}")] {
            let place = from.path().join(name);
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            std::fs::write(place, text).unwrap();
        }
        let mut whole = Cursor::new(Vec::new());
        pack(from.path(), &mut whole).unwrap();
        let size = whole.into_inner().len() as u64;
        for room in 0..size {
            let error = pack(from.path(), Small(Cursor::new(Vec::new()), room)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull, "room for {room} of {size} bytes: {error}");
        }
        assert_eq!(pack(from.path(), Small(Cursor::new(Vec::new()), size)).unwrap(), 2);
    }

    #[test]
    fn bundles_that_lead_out_of_their_directory_or_are_none_are_refused() {
        for name in ["../evil.json", "/etc/evil.json", "a/../../evil.json", "a/"] {
            let to = tempfile::tempdir().unwrap();
            let inside = to.path().join("in");
            let error = unpack(Cursor::new(packed(&[(name, "x")])), &inside).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{name}: {error}");
            assert!(!to.path().join("evil.json").exists());
        }
        let to = tempfile::tempdir().unwrap();
        let error = unpack(Cursor::new(b"no archive".to_vec()), to.path()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        // Of two files of one name there is one.
        let mut twice = packed(&[("a.json", "1"), ("b.json", "2")]);
        while let Some(at) = twice.windows(6).position(|six| six == b"b.json") {
            twice[at] = b'a';
        }
        assert_eq!(unpack(Cursor::new(twice), to.path()).unwrap(), 1);
    }
}
