//! Plugins that were built once, for contract 2.0, and never again: a host that does not load them has broken the contract.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use vinci_tests::house;

use super::{ends_with, vinci};

/// Role, and its example in C.
const KEPT: [(&str, &str); 4] =
    [("solver", "pgs"), ("detector", "discs"), ("stepper", "frictionless"), ("controller", "pid")];

/// The library in which the four examples in Rust are.
const IN_RUST: &str = "minimal";

fn library(name: &str) -> PathBuf {
    house::root().join(format!("tests/data/plugins/lib{name}-2.0.so"))
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn libraries_of_contract_2_0_are_loaded_and_keep_what_they_promised() {
    let dir = tempfile::tempdir().unwrap();
    for name in KEPT.map(|(_, name)| name).into_iter().chain([IN_RUST]) {
        let path = library(name);
        let path = path.to_str().unwrap();
        let text = ends_with(&vinci(dir.path(), &["plugin", "check", path, "--level", "5"]), 0);
        assert!(text.contains("/manifest") && text.contains("holds up to level 5"), "{text}");
        let text = ends_with(&vinci(dir.path(), &["plugin", "install", path]), 0);
        assert!(text.starts_with("installed example."), "{text}");
    }
    let list = ends_with(&vinci(dir.path(), &["plugin", "list"]), 0);
    for (role, name) in KEPT.into_iter().chain(KEPT.map(|(role, _)| (role, IN_RUST))) {
        assert!(list.contains(&format!("example.{role}.{name}")), "{list}");
    }
}

/// A ball falls onto the ground: found, stepped and solved by examples in C, and found and stepped by those in Rust (whose solver takes no rows
/// without a diagonal).
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn libraries_of_contract_2_0_make_a_run_together() {
    let dir = tempfile::tempdir().unwrap();
    for by in [["discs", "frictionless", "pgs"], [IN_RUST, IN_RUST, "pgs"]] {
        let height = height_of_a_fallen_ball(dir.path(), by);
        assert!((height - 0.1).abs() < 1e-8, "{by:?}: {height}");
    }
}

fn height_of_a_fallen_ball(folder: &Path, by: [&str; 3]) -> f64 {
    let path = |name: &str| library(name).display().to_string();
    let scene = json!({ "format": "vinci/scene@1", "space": "planar", "gravity": [0, -9.81],
        "materials": { "default": { "friction": 0, "restitution": 0 } },
        "bodies": [
            { "name": "ground", "static": true, "shapes": [{ "type": "half-plane" }] },
            { "name": "ball", "mass": 1, "shapes": [{ "type": "disc", "radius": 0.1 }], "position": [0, 0.2] }] });
    let plugins: [Value; 3] = by.map(|name| path(name).into());
    let experiment = json!({ "format": "vinci/experiment@1", "scene": scene, "time": { "step": 0.01, "duration": 0.3 },
        "detector": plugins[0], "stepper": plugins[1], "solver": plugins[2] });
    fs::write(folder.join("e.json"), experiment.to_string()).unwrap();
    let allowed = by.map(path);
    let mut line = vec!["run", "e.json", "--out", "out"];
    allowed.iter().for_each(|library| line.extend(["--allow-plugin", library]));
    ends_with(&vinci(folder, &line), 0);
    let trajectory = fs::read_to_string(folder.join("out/trajectory.csv")).unwrap();
    trajectory.lines().last().unwrap().split(',').nth(2).unwrap().parse().unwrap()
}

/// A host of a later contract 2 loads them too, whatever numbers crates have: the contract is built with its number raised.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
#[ignore = "long"]
fn a_host_of_contract_2_1_loads_libraries_of_2_0_and_one_of_3_0_does_not() {
    let built = tempfile::tempdir().unwrap();
    let raised = |version: &str| {
        let dir = tempfile::tempdir().unwrap();
        a_loader_of_contract(version, dir.path());
        let names = KEPT.map(|(_, name)| name).into_iter().chain([IN_RUST]);
        names.map(|name| loads((dir.path(), built.path()), &library(name))).collect::<Vec<_>>()
    };
    let later = raised("2.1.0");
    assert!(later.iter().all(|told| told.starts_with("loaded")), "{later:?}");
    let other = raised("3.0.0");
    let refused = "was made for contract 2.0, this host speaks 3.0";
    assert!(other.iter().all(|told| told.contains(refused)), "{other:?}");
}

/// A program that loads a library.
const LOADER: [(&str, &str); 2] = [
    (
        "loader/Cargo.toml",
        "[package]\nname = \"loader\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
        [dependencies]\nvinci-abi = { workspace = true, features = [\"load\"] }\n",
    ),
    (
        "loader/src/main.rs",
        "fn main() {\n    match vinci_abi::load::load(std::env::args().nth(1).unwrap().as_ref()) {\n\
        Ok(_) => println!(\"loaded\"),\nErr(e) => println!(\"{e}\"),\n    }\n}\n",
    ),
];

/// Writes [`LOADER`] and, from the sources of the one here, a contract of another version.
fn a_loader_of_contract(version: &str, folder: &Path) {
    fs::create_dir_all(folder.join("sdk")).unwrap();
    fs::create_dir_all(folder.join("loader/src")).unwrap();
    for part in ["core", "sdk/abi", "Cargo.lock"] {
        let (from, to) = (house::root().join(part), folder.join(part));
        assert!(Command::new("cp").arg("-r").args([from, to]).status().unwrap().success(), "{part}");
    }
    LOADER.iter().for_each(|(name, text)| fs::write(folder.join(name), text).unwrap());
    let house = fs::read_to_string(house::root().join("Cargo.toml")).unwrap();
    let shared = &house[house.find("[workspace.package]").unwrap()..];
    let members = "[workspace]\nresolver = \"3\"\nmembers = [\"core\", \"sdk/abi\", \"loader\"]\n\n";
    fs::write(folder.join("Cargo.toml"), members.to_owned() + shared).unwrap();
    let (contract, _) = version.rsplit_once('.').unwrap();
    let (major, minor) = contract.split_once('.').unwrap();
    let own = |version: &str| format!("version = \"{version}\"");
    let needed = |version: &str| format!("path = \"sdk/abi\", version = \"{version}\"");
    change(&folder.join("Cargo.toml"), &needed("2.0.0"), &needed(version));
    change(&folder.join("sdk/abi/Cargo.toml"), &own("2.0.0"), &own(version));
    let codes = folder.join("sdk/abi/src/codes.rs");
    change(&codes, "= 2 << 16;", &format!("= {major} << 16 | {minor};"));
    change(&codes, "= \"2.0\";", &format!("= \"{contract}\";"));
}

/// Puts a text into the place of another, which stands once in a file.
fn change(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert_eq!(text.matches(from).count(), 1, "{}: {from}", file.display());
    fs::write(file, text.replace(from, to)).unwrap();
}

/// What the loader of a folder, built in another, says of a library.
fn loads((folder, built): (&Path, &Path), library: &Path) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
    let mut run = Command::new(cargo);
    run.args(["run", "--quiet", "--"]).arg(library).current_dir(folder).env("CARGO_TARGET_DIR", built);
    // Lints of the workspace, where they are asked for, are those of the workspace.
    run.env_remove("RUSTC_WORKSPACE_WRAPPER");
    let output = run.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
