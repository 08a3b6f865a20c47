//! Plugins that are programs: a description names the command, its files and the manifests. Nothing runs while it is read.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::bytes::{hex, read_up_to};
use super::error::LoadError;
use super::file::read_regular;
use super::library::check_ids;
use crate::codes::CONTRACT;
use crate::manifest::{Manifest, Role};
use crate::spelling::nearest;

/// End of the names of descriptions.
pub const DESCRIPTION_SUFFIX: &str = ".vinci.json";

/// Format of descriptions.
pub const DESCRIPTION_FORMAT: &str = "vinci/program@1";

/// Most bytes of a description, of one of its files, and most files.
const LARGEST: (u64, u64, usize) = (4 << 20, 64 << 20, 256);

/// Classes of problems that the worker protocol carries.
const CARRIED: [&str; 4] = ["Mlcp", "Cone", "Conic", "Qpcc"];

/// A file of a program, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramFile {
    /// Path relative to the folder of the description.
    pub name: PathBuf,
    /// Content.
    pub bytes: Vec<u8>,
    /// True if its owner may execute it.
    pub executable: bool,
}

/// A plugin that is a program, as its description and the files beside it say.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// Command and arguments; a command that begins with `./` is one of the files, any other is looked for on PATH.
    pub command: Vec<String>,
    /// One manifest per role.
    pub manifests: Vec<Manifest>,
    /// The description, then its files in their order.
    pub files: Vec<ProgramFile>,
    /// SHA-256 (hex) of the lines `SHA-256 of a file, two spaces, its name` of all files, as `sha256sum` prints them.
    pub digest: String,
}

/// Returns true if a file is the description of a program, by its name.
pub fn is_program(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(DESCRIPTION_SUFFIX))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    format: String,
    command: Vec<String>,
    files: Vec<PathBuf>,
    manifests: Vec<Map<String, Value>>,
}

/// Reads the description at `path` and the files that it names.
///
/// # Errors
/// What cannot be read, a description that contradicts itself, a file that lies elsewhere or is a link.
pub fn read_program(path: &Path) -> Result<Program, LoadError> {
    let bad = |reason: String| LoadError::BadDescription { path: path.to_owned(), reason };
    let bytes = read_up_to(path, LARGEST.0)?;
    let said: Description = serde_json::from_slice(&bytes).map_err(|e| bad(e.to_string()))?;
    if said.format != DESCRIPTION_FORMAT {
        return Err(bad(format!("its format is `{}`, not `{DESCRIPTION_FORMAT}`", said.format)));
    }
    check_command(&said).map_err(bad)?;
    let manifests = said.manifests.into_iter().map(|map| manifest(map, &said.command));
    let manifests: Vec<Manifest> = manifests.collect::<Result<_, _>>().map_err(bad)?;
    check_manifests(&manifests).map_err(bad)?;
    check_ids(path, &manifests)?;
    let name = PathBuf::from(path.file_name().unwrap_or_default());
    let mut files = vec![ProgramFile { name, bytes, executable: false }];
    let folder = path.parent().unwrap_or(Path::new(""));
    for name in said.files {
        files.push(file(folder, name).map_err(bad)?);
    }
    let digest = digest(&files);
    Ok(Program { command: said.command, manifests, files, digest })
}

fn check_command(said: &Description) -> Result<(), String> {
    let Some(command) = said.command.first().filter(|command| !command.is_empty()) else {
        return Err("`command` is empty; [\"python3\", \"NAME.py\"] starts a program in Python".into());
    };
    let own = command.strip_prefix("./");
    if own.is_none() && command.contains('/') {
        return Err(format!(
            "the command `{command}` is a path; write a name that PATH finds, or `./FILE` for one of its files"
        ));
    }
    if own.is_some_and(|own| !said.files.iter().any(|file| file == Path::new(own))) {
        return Err(format!("the command `{command}` is none of its files"));
    }
    if said.files.len() > LARGEST.2 {
        return Err(format!("it names {} files, more than {}", said.files.len(), LARGEST.2));
    }
    let mut seen = BTreeSet::new();
    match said.files.iter().find(|file| !seen.insert(*file)) {
        Some(twice) => Err(format!("it names the file {} twice", twice.display())),
        None => Ok(()),
    }
}

/// A manifest with the facts that the author of a program need not write.
fn manifest(mut map: Map<String, Value>, command: &[String]) -> Result<Manifest, String> {
    let role = map.get("role").cloned().unwrap_or_default();
    map.insert("contract".into(), CONTRACT.into());
    map.insert("rustc".into(), format!("no compiler (`{}` runs it)", command.join(" ")).into());
    map.insert("panic".into(), "none".into());
    let known = serde_json::to_value(Manifest::new("", Role::Solver, "")).map_err(|e| e.to_string())?;
    let known: Vec<&str> = known.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
    if let Some(key) = map.keys().find(|key| !known.contains(&key.as_str())) {
        let near = nearest(key, known.iter().copied())
            .map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        return Err(format!("the manifest of the {role} has the unknown key `{key}`{near}"));
    }
    serde_json::from_value(Value::Object(map)).map_err(|e| format!("the manifest of the {role}: {e}"))
}

fn check_manifests(manifests: &[Manifest]) -> Result<(), String> {
    for (k, manifest) in manifests.iter().enumerate() {
        let (role, id) = (manifest.role, &manifest.id);
        if manifests[..k].iter().any(|other| other.role == role) {
            return Err(format!("it names two {}s", role.name()));
        }
        if let Some(class) = manifest.classes.iter().find(|class| !CARRIED.contains(&class.as_str())) {
            let carried = CARRIED.join(", ");
            return Err(format!("{id} names the class `{class}`; the worker protocol carries {carried}"));
        }
    }
    Ok(())
}

/// A file within the folder; no link on the way, which could lead to what is not the plugin's.
fn file(folder: &Path, name: PathBuf) -> Result<ProgramFile, String> {
    let shown = name.display().to_string();
    let inside = name.components().all(|part| matches!(part, Component::Normal(_)));
    if !inside || name.as_os_str().is_empty() || name.to_str().is_none() {
        return Err(format!("`{shown}` names no file below its folder; write NAME or FOLDER/NAME"));
    }
    let mut place = folder.to_owned();
    for part in name.components() {
        place.push(part);
        let found =
            std::fs::symlink_metadata(&place).map_err(|e| format!("its file {shown} cannot be read: {e}"))?;
        if found.is_symlink() {
            return Err(format!("its file {shown} is a link, or lies behind one; put the file itself there"));
        }
    }
    let bytes = read_regular(&place, LARGEST.1).map_err(|e| format!("its file {shown} {e}"))?;
    Ok(ProgramFile { executable: is_executable(&place), name, bytes })
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o100 != 0)
}

#[cfg(not(unix))]
fn is_executable(_: &Path) -> bool {
    false
}

fn digest(files: &[ProgramFile]) -> String {
    let mut lines = String::new();
    for file in files {
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "{}  {}", hex(&Sha256::digest(&file.bytes)), file.name.display());
    }
    hex(&Sha256::digest(lines.as_bytes()))
}
