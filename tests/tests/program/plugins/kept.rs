//! Plugins that were built once, for contract 2.0, and never again: a host that does not load them has broken the contract.

use serde_json::json;
use vinci_tests::house;

use super::{ends_with, vinci};

/// Role, and its example in C.
const KEPT: [(&str, &str); 4] =
    [("solver", "pgs"), ("detector", "discs"), ("stepper", "frictionless"), ("controller", "pid")];

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn libraries_of_contract_2_0_are_loaded_and_keep_what_they_promised() {
    let dir = tempfile::tempdir().unwrap();
    for (role, name) in KEPT {
        let library = house::root().join(format!("tests/data/plugins/lib{name}-2.0.so"));
        let library = library.to_str().unwrap();
        let text = ends_with(&vinci(dir.path(), &["plugin", "check", library, "--level", "5"]), 0);
        assert!(text.contains(&format!("{role}/manifest")) && text.contains("holds up to level 5"), "{text}");
        let text = ends_with(&vinci(dir.path(), &["plugin", "install", library]), 0);
        assert!(text.starts_with(&format!("installed example.{role}.")), "{text}");
    }
}

/// A ball falls onto the ground, found, stepped and solved by three of them.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn libraries_of_contract_2_0_make_a_run_together() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| house::root().join(format!("tests/data/plugins/lib{name}-2.0.so"));
    let scene = json!({ "format": "vinci/scene@1", "space": "planar", "gravity": [0, -9.81],
        "materials": { "default": { "friction": 0, "restitution": 0 } },
        "bodies": [
            { "name": "ground", "static": true, "shapes": [{ "type": "half-plane" }] },
            { "name": "ball", "mass": 1, "shapes": [{ "type": "disc", "radius": 0.1 }], "position": [0, 0.2] }] });
    let experiment = json!({ "format": "vinci/experiment@1", "scene": scene, "time": { "step": 0.01, "duration": 0.3 },
        "detector": path("discs"), "stepper": path("frictionless"), "solver": path("pgs") });
    std::fs::write(dir.path().join("e.json"), experiment.to_string()).unwrap();
    let allowed: Vec<String> = ["discs", "frictionless", "pgs"].map(|n| path(n).display().to_string()).into();
    let mut line = vec!["run", "e.json", "--out", "out"];
    allowed.iter().for_each(|library| line.extend(["--allow-plugin", library]));
    let text = ends_with(&vinci(dir.path(), &line), 0);
    let trajectory = std::fs::read_to_string(dir.path().join("out/trajectory.csv")).unwrap();
    let height: f64 = trajectory.lines().last().unwrap().split(',').nth(2).unwrap().parse().unwrap();
    assert!((height - 0.1).abs() < 1e-8, "{height}: {text}");
}
