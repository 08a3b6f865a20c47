//! Building plugins for tests: `cargo test` alone makes no shared libraries, so whoever needs one asks for it here.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Builds a package's shared library with cargo and says where it is. `arguments` choose the package
/// (`["-p", "vinci-solver-lemke"]`, `["--manifest-path", "…"]`); cargo does nothing when it is up to date.
pub fn build_plugin(arguments: &[&str]) -> Result<PathBuf, String> {
    let mut all = build(&[&["--lib"], arguments].concat())?;
    // The last shared library named is that of the package itself; those before belong to its dependencies.
    all.pop().map(|(_, path)| path).ok_or_else(|| "the package makes no shared library".into())
}

/// Arguments of `cargo build` for all libraries and programs of the workspace. In a run of all its tests, which says so by the
/// variable `VINCI_ALL_TESTS`, with the features that the tests ask for: those are built already.
pub fn whole_workspace() -> Vec<&'static str> {
    let tests = std::env::var_os("VINCI_ALL_TESTS").filter(|v| !v.is_empty()).map(|_| "--tests");
    ["--workspace", "--lib", "--bins"].into_iter().chain(tests).collect()
}

/// Builds the workspace: names of its shared libraries as packages have them (`vinci-solver-lemke`), and where they are.
pub fn build_members() -> Result<Vec<(String, PathBuf)>, String> {
    build(&whole_workspace())
}

/// The shared library of a package of the workspace.
pub fn build_member(package: &str) -> Result<PathBuf, String> {
    let found = build_members()?.into_iter().find(|(name, _)| name == package);
    found.map(|(_, path)| path).ok_or_else(|| format!("{package} makes no shared library"))
}

/// Shared libraries that cargo builds, or has built, in its order.
fn build(arguments: &[&str]) -> Result<Vec<(String, PathBuf)>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--message-format=json-render-diagnostics"]).args(arguments);
    let output =
        command.stderr(Stdio::inherit()).output().map_err(|e| format!("cargo cannot be run: {e}"))?;
    if !output.status.success() {
        return Err(format!("cargo build {} failed", arguments.join(" ")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().filter_map(library).collect())
}

/// Builds a package outside this workspace, as a stranger would; all of them share one place for what they have in
/// common, below the workspace's own `target`.
pub fn build_stranger(manifest: &Path) -> Result<PathBuf, String> {
    let executable = std::env::current_exe().map_err(|e| e.to_string())?;
    let own =
        executable.ancestors().find(|p| p.ends_with("deps")).and_then(Path::parent).and_then(Path::parent);
    let target = own.map_or_else(std::env::temp_dir, Path::to_owned).join("strangers");
    let (Some(manifest), Some(target)) = (manifest.to_str(), target.to_str()) else {
        return Err("paths must be UTF-8".into());
    };
    build_plugin(&["--manifest-path", manifest, "--target-dir", target])
}

/// Name and place of the shared library that a message of cargo tells of.
fn library(message: &str) -> Option<(String, PathBuf)> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    let name = message["target"]["name"].as_str()?.replace('_', "-");
    let is_library = message["target"]["crate_types"].as_array()?.iter().any(|kind| kind == "cdylib");
    let files = message["filenames"].as_array().filter(|_| is_library)?;
    let mut paths = files.iter().filter_map(|f| f.as_str()).map(PathBuf::from);
    let path = paths.find(|path| path.extension().is_some_and(|e| *e == *std::env::consts::DLL_EXTENSION))?;
    Some((name, path))
}

/// Builds a library from one source text without dependencies, with the compiler alone.
pub fn compile_library(directory: &Path, name: &str, source: &str) -> Result<PathBuf, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let (text, library) =
        (directory.join(name).with_extension("rs"), directory.join(name).with_extension("so"));
    std::fs::write(&text, source).map_err(|e| e.to_string())?;
    let mut command = Command::new(rustc);
    command.args(["--edition=2024", "--crate-type=cdylib", "-o"]).arg(&library).arg(&text);
    let status = command.status().map_err(|e| format!("rustc cannot be run: {e}"))?;
    if status.success() { Ok(library) } else { Err(format!("rustc failed on {}", text.display())) }
}
