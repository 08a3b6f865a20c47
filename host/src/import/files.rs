//! Files of models: reading, and where written paths lead.

use crate::diagnostics::{Code, Diagnostic, Place, Source, did_you_mean};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files larger than this are not read.
const LARGEST: u64 = 256 << 20;

/// The bytes of a file.
pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let name = path.display();
    let meta = std::fs::metadata(path).map_err(|e| unreadable(path, &e))?;
    if meta.is_dir() || meta.len() > LARGEST {
        let what =
            if meta.is_dir() { "is a directory".to_owned() } else { format!("has {} bytes", meta.len()) };
        let message = format!("`{name}` {what}, not a file that can be read here");
        return Err(Diagnostic::error(Code::UnreadableFile, message));
    }
    std::fs::read(path).map_err(|e| unreadable(path, &e))
}

/// The text of a file.
pub(super) fn read_text(path: &Path) -> Result<Arc<Source>, Diagnostic> {
    let name = path.display().to_string();
    match String::from_utf8(read_bytes(path)?) {
        Ok(text) => Ok(Source::new(name, text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let source = Source::new(name, String::from_utf8_lossy(&error.as_bytes()[..at]).into_owned());
            let message = format!("not a text file: byte {at} is not UTF-8");
            let help = "robot models are XML; save it as UTF-8";
            Err(Diagnostic::error(Code::Syntax, message).at(Place::new(&source, at, at)).help(help))
        }
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    let name = path.display();
    if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) {
        let help = "check the permissions of the file and its directories";
        return Diagnostic::error(Code::UnreadableFile, format!("cannot read `{name}`: {error}")).help(help);
    }
    Diagnostic::error(Code::NoSuchFile, format!("no such file: `{name}`")).help(nearest_file(path))
}

/// The nearest file in the directory, or that the directory is not there.
pub(super) fn nearest_file(path: &Path) -> String {
    let directory = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = std::fs::read_dir(directory) else {
        return format!("the directory `{}` does not exist", directory.display());
    };
    let mut names: Vec<String> = entries.flatten().filter_map(|e| e.file_name().into_string().ok()).collect();
    names.sort();
    let wanted = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    did_you_mean(wanted, names.iter().map(String::as_str)).unwrap_or_default()
}

/// A path written at a place, relative to the file of that place (of a flag: to the working directory).
pub(super) fn beside(place: &Place, written: &str) -> PathBuf {
    match Path::new(place.source.name()).parent() {
        Some(directory) if !place.source.is_flag() => directory.join(written),
        _ => PathBuf::from(written),
    }
}
