//! Command lines, and the folders in which they run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Cargo, in the root of the workspace.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Variable with the program that compiles in the place of the compiler. What builds other code than this tree as it is goes without it.
pub(crate) const COMPILER: &str = "RUSTC_WORKSPACE_WRAPPER";
const CLIPPY: &str = "clippy-driver";

/// Clippy compiles in the place of the compiler: what is built for the tests is linted on the way, and no dependency is read
/// twice. `cargo clippy` sets the same two variables, but only checks. Examples and benches are built, and so linted, by the long lane.
pub(crate) fn linted(command: &mut Command) -> &mut Command {
    command.env(COMPILER, CLIPPY).env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__")
}

/// Returns true if this program runs in the environment of [`linted`].
pub(crate) fn is_linting() -> bool {
    std::env::var_os(COMPILER).is_some_and(|compiler| compiler == CLIPPY)
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

/// Runs a command to its end, or ends it after so many seconds: true if it succeeded, nothing if it was ended.
pub(crate) fn ended_within(command: &mut Command, seconds: u64) -> Result<Option<bool>, String> {
    let mut child =
        command.spawn().map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))?;
    wait(&mut child, Duration::from_secs(seconds)).map_err(|e| e.to_string())
}

/// Waits for a child, or ends it: true if it succeeded, nothing if it was ended.
pub(crate) fn wait(child: &mut Child, longest: Duration) -> std::io::Result<Option<bool>> {
    wait_with(child, longest, |_| ())
}

/// Waits for a child as [`wait`] does, and looks at it every 20 ms while it is there.
pub(crate) fn wait_with(
    child: &mut Child,
    longest: Duration,
    mut look: impl FnMut(&Child),
) -> std::io::Result<Option<bool>> {
    let start = Instant::now();
    loop {
        look(child);
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.success()));
        }
        if start.elapsed() > longest {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Builds the program and its plugins. In the long lane these are the ones that its tests have built: a plain build has other
/// features and would compile everything a second time.
pub(crate) fn build() -> Result<(), String> {
    let of_tests: &[&str] = if is_linting() { &["--workspace", "--lib", "--bins", "--tests"] } else { &[] };
    run(cargo().args(["build", "--quiet"]).args(of_tests))
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").components().collect::<PathBuf>()
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The program `vinci` of a profile (`debug`, `release`).
pub(crate) fn program(profile: &str) -> PathBuf {
    target().join(profile).join(format!("vinci{}", std::env::consts::EXE_SUFFIX))
}

/// The file name of the library of a plugin of `plugins/`.
pub(crate) fn library(plugin: &str) -> String {
    use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
    format!("{DLL_PREFIX}vinci_{}{DLL_SUFFIX}", plugin.replace('-', "_"))
}

/// Names of all folders in `plugins/`: those of plugins.
pub(crate) fn plugins() -> Result<BTreeSet<String>, String> {
    let folder = root().join("plugins");
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(entries
        .flatten()
        .filter(|e| e.path().is_dir())
        .filter_map(|e| e.file_name().into_string().ok())
        .collect())
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
