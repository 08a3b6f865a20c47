//! The contract under Miri, which sees undefined behaviour that no run shows: references that outlive what they point to,
//! memory read as a type that it is not.

use crate::shell::{COMPILER, answers, root, run, target};
use std::process::Command;

/// Tests of the contract that cross it within one program: Miri loads no library and starts no process.
const TESTS: [&str; 3] = ["--lib", "--test=round_trip", "--test=outlive"];

/// Runs the contract's tests under Miri.
pub(crate) fn check() -> Result<(), String> {
    if !answers(&["rustup", "run", "nightly", "cargo", "miri", "--version"]) {
        return Err("Miri is not installed (cargo xtask setup --all)".into());
    }
    let mut command = Command::new("rustup");
    command.current_dir(root()).args(["run", "nightly", "cargo", "miri", "test", "-p", "vinci-abi"]);
    // Times and temporary files of the machine. What a panic carries is leaked on purpose: to drop it may panic again.
    command.env("MIRIFLAGS", "-Zmiri-disable-isolation -Zmiri-ignore-leaks");
    // Miri is a compiler of its own.
    command.env("CARGO_TARGET_DIR", target().join("miri")).env_remove(COMPILER);
    run(command.args(TESTS))
}

/// Runs them where Miri is installed and has made its own standard library; nothing elsewhere.
pub(crate) fn in_lane() -> Result<(), String> {
    if answers(&["rustup", "run", "nightly", "cargo", "miri", "setup"]) { check() } else { Ok(()) }
}
