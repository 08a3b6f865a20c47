//! Files that are handed over beside scenes and models: comparisons, recorded motions, plans of sweeps, saved states.

use serde_json::json;
use vinci_tests::house;
use vinci_tests::program::{output_text, vinci};

/// Two models of a shipped experiment, at two steps.
pub(super) fn comparison() -> String {
    let value = json!({
        "format": "vinci/comparison@1", "experiment": "sliding-block.json", "set": { "time.duration": 0.02 },
        "models": [
            { "name": "ST", "stepper": "stewart-trinkle", "solver": "lemke" },
            { "name": "AP", "stepper": { "plugin": "anitescu-potra", "options": { "stabilization": 0.5 } },
              "solver": "newton", "set": { "scene.materials.default.friction": 0.3 } } ],
        "matrix": [{ "vary": "step", "values": [0.01, 0.02] }],
        "exclude": [{ "model": "AP", "step": 0.02 }],
        "reference": { "formula": { "block.x": "2*t - 0.5*0.5*9.81*t^2" } }
    });
    serde_json::to_string_pretty(&value).unwrap()
}

/// The sliding block as somebody else recorded it: x = 2 t − ½ μ g t².
pub(super) fn motion() -> String {
    let row = |k: u32| {
        let t = f64::from(k) * 0.01;
        let (x, v) = (2.0 * t - 0.25 * 9.81 * t * t, 2.0 - 0.5 * 9.81 * t);
        format!("{t},{x},0.05,0,{v},0,0\n")
    };
    let head = "time,block.x,block.y,block.angle,block.vx,block.vy,block.omega\n";
    head.to_owned() + &(0..12).map(row).collect::<String>()
}

/// The sliding block after 0.05 s, as the program saves it.
pub(super) fn state() -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let (out, block) = (dir.path().join("out"), house::root().join("host/scenes/sliding-block.json"));
    let words = ["run", block.to_str().unwrap(), "--step", "0.005", "--duration", "0.05", "--out"];
    let output = vinci(&[&words[..], &[out.to_str().unwrap()]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
    std::fs::read(out.join("states/end.json")).unwrap()
}

/// What a directory of a sweep says of its runs.
pub(super) fn plan() -> String {
    let value = json!({
        "format": "vinci/sweep-plan@1", "name": "s", "hash": "0", "cases": [0, 4],
        "rungs": [{ "name": "a", "samples": 2 }, { "name": "b", "samples": 3 }], "prune": "sample",
        "parameters": [{ "name": "v", "text": false }, { "name": "which", "text": true }], "measures": ["x"],
        "pictures": [
            { "file": "x.svg", "map": null, "histogram": { "of": "x", "bins": 4, "rung": null, "title": null, "x_label": null, "y_label": null } } ],
        "shard": [1, 2]
    });
    serde_json::to_string_pretty(&value).unwrap()
}
