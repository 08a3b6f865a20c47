//! Plugins from elsewhere: which libraries may be loaded, where they are installed, versions side by side, locks.

mod closed;
mod controllers;
mod installing;
mod kept;
mod locking;
mod python;
mod script;
mod suite;
mod trust;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use vinci_tests::house;
use vinci_tests::program::output_text;

/// The program with places of its own for what is installed: nothing of the machine's takes part.
fn vinci(home: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(house::program());
    command.env("XDG_DATA_HOME", home.join("data")).env_remove("VINCI_PLUGIN_PATH").current_dir(home);
    command.args(arguments).output().unwrap()
}

#[track_caller]
fn ends_with(output: &Output, code: i32) -> String {
    let text = output_text(output);
    assert_eq!(output.status.code(), Some(code), "{text}");
    text
}

/// A library in C, built as the book says. `strict`: warnings are errors, and nothing but the standard is known.
fn built_in_c(source: &Path, place: &Path, strict: bool) {
    let mut cc = Command::new("cc");
    cc.args(if strict { &["-std=c11", "-Wall", "-Wextra", "-Werror"][..] } else { &["-std=gnu11"] });
    cc.args(["-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-ffp-contract=off", "-I"]);
    cc.arg(house::root().join("sdk/c")).arg(source).arg("-o").arg(place).arg("-lm");
    let built = cc.output().unwrap();
    assert!(built.status.success(), "{}", output_text(&built));
}

fn file_name(plugin: &str) -> String {
    format!("{}{plugin}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX)
}

fn library(plugin: &str) -> PathBuf {
    house::build().join(file_name(plugin))
}

/// An experiment that ships, with other plugins; written beside its scene.
fn experiment(directory: &Path, change: impl FnOnce(&mut Value)) -> String {
    let mut value = vinci_tests::experiment::shipped("sliding-block");
    value["time"]["duration"] = json!(0.02);
    change(&mut value);
    let place = directory.join("e.json");
    std::fs::write(&place, value.to_string()).unwrap();
    place.display().to_string()
}

/// The solver lemke under another version: the same number of digits in the place of its own.
fn lemke_as(directory: &Path, file: &str, version: &str) -> PathBuf {
    let mut bytes = std::fs::read(library("vinci_solver_lemke")).unwrap();
    let own = env!("CARGO_PKG_VERSION").as_bytes();
    assert_eq!(own.len(), version.len());
    for at in 0..bytes.len() - own.len() {
        if bytes[at..].starts_with(own) {
            bytes[at..at + own.len()].copy_from_slice(version.as_bytes());
        }
    }
    std::fs::create_dir_all(directory).unwrap();
    let place = directory.join(file_name(file));
    std::fs::write(&place, bytes).unwrap();
    place
}
