//! The program and the plugins, built once per test program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use vinci_conformance::fixture::whole_workspace;
use vinci_engine::registry::Registry;

/// Directory of the program and of all plugin libraries, built by cargo in the profile of the running test.
///
/// `cargo test` alone makes no shared libraries; so whoever needs them asks here. Nothing happens where all is up to date.
pub fn build() -> &'static Path {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(|| {
        let directory = profile_directory();
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into()));
        cargo.current_dir(root()).arg("build").args(whole_workspace()).args(["--quiet", "--target-dir"]);
        cargo.arg(directory.parent().expect("a profile's directory lies in the target directory"));
        match directory.file_name().and_then(|n| n.to_str()) {
            Some("debug") | None => {}
            Some("release") => drop(cargo.arg("--release")),
            Some(profile) => drop(cargo.args(["--profile", profile])),
        }
        let status = cargo.status().expect("cargo runs");
        assert!(status.success(), "the house does not build: {status}");
        directory
    })
}

/// Plugins as the host finds them, in the directory of [`build`].
pub fn registry() -> Registry {
    Registry::new(&[build().to_path_buf()])
}

/// The program `vinci`.
pub fn program() -> PathBuf {
    build().join(format!("vinci{}", std::env::consts::EXE_SUFFIX))
}

/// Root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in the workspace").to_path_buf()
}

/// target/PROFILE of the running program, which lies in its deps/.
fn profile_directory() -> PathBuf {
    let program = std::env::current_exe().expect("a program has a path");
    let up = program.ancestors().nth(2).expect("cargo puts tests into PROFILE/deps");
    up.to_path_buf()
}
