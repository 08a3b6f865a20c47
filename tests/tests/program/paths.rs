//! Names of files that are no text. Programs are told of them in JSON, which is text: the bytes that are none are replaced.

#![cfg(unix)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use vinci_tests::house;

/// A directory whose name is no UTF-8, with an experiment in it.
fn place(dir: &Path) -> PathBuf {
    let place = dir.join(OsStr::from_bytes(b"bad\xffdir"));
    std::fs::create_dir(&place).unwrap();
    let copy = |from: &str, to: &str| std::fs::copy(house::root().join(from), place.join(to)).unwrap();
    copy("host/scenes/sliding-block.json", "e.json");
    copy("host/scenes/sliding-block.scene.json", "sliding-block.scene.json");
    copy("host/cli/templates/robot.urdf", "r.urdf");
    place
}

fn vinci(place: &Path, line: &str) -> Output {
    let mut command = Command::new(house::program());
    // A word that begins with `@` is a name in the place.
    let word = |w: &str| w.strip_prefix('@').map_or(w.into(), |name| place.join(name).into_os_string());
    command.args(line.split_whitespace().map(word)).arg("--error-format=json").output().unwrap()
}

/// Where a name became JSON, the program ended with 101 after its work.
#[test]
fn names_that_are_no_text_end_no_command() {
    let dir = tempfile::tempdir().unwrap();
    let place = place(dir.path());
    for line in [
        "init --out @init",
        "check @e.json",
        "explain @e.json",
        "run @e.json --duration 0.05 --out @run",
        "run --resume @run",
        "view @run",
        "import @r.urdf --out @r.json",
        "schema --out @schemas",
        "bench steps @e.json --repeat 1 --duration 0.02",
        "plugin list --plugin-dir @.",
    ] {
        let output = vinci(&place, line);
        let said = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{line}: {said}{errors}");
        let value: Value = serde_json::from_str(&said).unwrap_or_else(|e| panic!("{line}: {e}: {said}"));
        assert_eq!(value["exit_code"], 0, "{line}: {said}");
    }
}

/// A plan of comparisons is a file of text: it cannot hold the name.
#[test]
fn a_comparison_of_what_has_no_name_in_text_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let output =
        vinci(&place(dir.path()), "compare @e.json --vary solver=lemke --duration 0.05 --out @compare");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(7), "{errors}");
    assert!(errors.contains("its path is not UTF-8"), "{errors}");
}
