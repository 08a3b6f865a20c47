//! From nothing to a plugin that is installed, locked and run by its id, as somebody does it who has read one page.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use vinci_conformance::fixture::build_stranger;
use vinci_tests::house;

use super::{ends_with, experiment, vinci};

/// Makes a plugin of a role and builds it; its library.
fn begun(home: &Path, role: &str, name: &str) -> std::path::PathBuf {
    let sdk = house::root().join("sdk").display().to_string();
    let text = ends_with(&vinci(home, &["plugin", "new", role, name, "--owner", "me", "--sdk", &sdk]), 0);
    assert!(text.contains("what to do next: "), "{text}");
    build_stranger(&home.join(name).join("Cargo.toml")).unwrap()
}

#[test]
#[ignore = "long"]
fn a_plugin_of_every_role_is_begun_checked_installed_locked_and_run() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    for role in ["detector", "stepper", "solver", "controller"] {
        let name = &*format!("my-{role}");
        let library = begun(home, role, name).display().to_string();
        let text = ends_with(&vinci(home, &["plugin", "check", &library]), 0);
        assert!(text.contains(" 0 failed, ") && text.contains("holds up to level 7"), "{text}");
        let text = ends_with(&vinci(home, &["plugin", "install", &library]), 0);
        assert!(text.starts_with(&format!("installed me.{role}.{name} 0.1.0 in ")), "{text}");
        assert!(
            ends_with(&vinci(home, &["plugin", "info", name]), 0)
                .starts_with(&format!("me.{role}.{name} 0.1.0 "))
        );
    }
    let file = experiment(home, |e| {
        e["solver"] = json!({ "plugin": "my-solver", "fallback": ["lemke"] });
        e["controllers"] =
            json!([{ "plugin": "my-controller", "options": { "kd": 1 }, "efforts": ["block.x"] }]);
    });
    let run = |more: &[&str], code| {
        ends_with(&vinci(home, &[&["run", &file, "--out", "out"], more].concat()), code)
    };
    assert!(run(&[], 0).contains("me.solver.my-solver 0.1.0"));
    ends_with(&vinci(home, &["plugin", "lock", &file]), 0);
    assert!(run(&["--locked"], 0).contains("me.solver.my-solver 0.1.0"));
    // A newer one is installed beside it: the lock still means the old one.
    let manifest = home.join("my-solver/Cargo.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replacen("0.1.0", "0.1.1", 1)).unwrap();
    let newer = build_stranger(&manifest).unwrap().display().to_string();
    ends_with(&vinci(home, &["plugin", "install", &newer]), 0);
    assert!(run(&[], 0).contains("me.solver.my-solver 0.1.1"));
    assert!(run(&["--locked"], 0).contains("me.solver.my-solver 0.1.0"));
    ends_with(&vinci(home, &["plugin", "remove", "my-solver@=0.1.0"]), 0);
    let text = run(&["--locked"], 4);
    assert!(text.contains("vinci.lock holds the solver `my-solver`, which cannot be had"), "{text}");
    assert!(text.contains("is not the file that"), "{text}");
}

/// Makes a plugin of a role in C or C++ and builds it as its README says; its library.
fn made(home: &Path, role: &str, lang: &str) -> std::path::PathBuf {
    let (sdk, name) = (house::root().join("sdk").display().to_string(), format!("{role}-in-{lang}"));
    let new = ["plugin", "new", role, &name, "--owner", "me", "--lang", lang, "--sdk", &sdk];
    ends_with(&vinci(home, &new), 0);
    let folder = home.join(&name);
    let built = Command::new("make").current_dir(&folder).output().unwrap();
    let text = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success() && !text.contains("warning"), "{text}");
    folder.join(format!("lib{}.so", name.replace('-', "_")))
}

#[test]
#[ignore = "long"]
fn plugins_in_c_and_cpp_are_begun_built_checked_installed_and_run() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    for lang in ["c", "cpp"] {
        for role in ["detector", "stepper", "solver", "controller"] {
            if lang == "cpp" && role == "solver" && !Path::new("/usr/include/eigen3").exists() {
                println!("left out: Eigen is missing; `cargo xtask setup` installs libeigen3-dev");
                continue;
            }
            let library = made(home, role, lang).display().to_string();
            let text = ends_with(&vinci(home, &["plugin", "check", &library]), 0);
            assert!(text.contains(" 0 failed, ") && text.contains("holds up to level 7"), "{text}");
            let text = ends_with(&vinci(home, &["plugin", "install", &library]), 0);
            assert!(text.starts_with(&format!("installed me.{role}.{role}-in-{lang} 0.1.0 in ")), "{text}");
        }
    }
    let file = experiment(home, |e| e["solver"] = json!("me.solver.solver-in-c"));
    let text = ends_with(&vinci(home, &["run", &file, "--out", "out"]), 0);
    assert!(text.contains("me.solver.solver-in-c 0.1.0"), "{text}");
}

/// What `new` refuses is told before anything is written.
#[test]
fn names_that_are_none_and_folders_that_are_there_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    for name in ["My", "my_solver", "../x", "a.b", "-x", "1x", ""] {
        let text = ends_with(&vinci(home, &["plugin", "new", "solver", "--", name]), 2);
        assert!(text.contains(&format!("`{name}` is no name of a plugin")), "{text}");
    }
    // Cargo takes no two packages of one name.
    let text = ends_with(&vinci(home, &["plugin", "new", "solver", "vinci-sdk"]), 2);
    assert!(
        text.contains("`vinci-sdk` is the name of a package that every plugin in Rust is built on"),
        "{text}"
    );
    assert_eq!(std::fs::read_dir(home).unwrap().count(), 0);
    let text = ends_with(&vinci(home, &["plugin", "new", "solver", "x", "--sdk", "."]), 2);
    assert!(text.contains(". is not the SDK: its Cargo.toml is not that of vinci-sdk"), "{text}");
    let text = ends_with(&vinci(home, &["plugin", "new", "solver", "x", "--lang", "c", "--sdk", "."]), 2);
    assert!(text.contains(". is not the SDK: it has no c/vinci_plugin.h"), "{text}");
    ends_with(&vinci(home, &["plugin", "new", "solver", "x"]), 0);
    assert!(ends_with(&vinci(home, &["plugin", "new", "solver", "x"]), 7).contains("x is there already"));
}
