//! Command lines, and the folders in which they run.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Cargo, in the root of the workspace.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Runs a command to its end; an error shows it as it was typed.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let words: Vec<_> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|w| w.to_string_lossy())
        .collect();
    let shown = words.join(" ");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{shown} ({status})")),
        Err(error) => Err(format!("{shown}: {error}")),
    }
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").components().collect::<PathBuf>()
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Returns true if a command line runs and succeeds.
pub(crate) fn answers(line: &[&str]) -> bool {
    let mut command = Command::new(line[0]);
    let status =
        command.args(&line[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|s| s.success())
}

/// Reads a JSON file; an error names it.
pub(crate) fn json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, String> {
    let wrong = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let text = std::fs::read_to_string(path).map_err(|e| wrong(&e))?;
    serde_json::from_str(&text).map_err(|e| wrong(&e))
}

/// Creates the folder of a file and writes it.
pub(crate) fn put(path: &Path, text: &str) -> Result<(), String> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, text))
        .map_err(|e| format!("{}: {e}", path.display()))
}
