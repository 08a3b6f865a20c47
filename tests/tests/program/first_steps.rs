//! First steps of a new user.

use std::path::Path;

use serde_json::{Value, json};
use vinci_tests::experiment::{ground, planar, shipped, spatial};
use vinci_tests::program::{output_text, vinci};

fn write(directory: &Path, name: &str, value: &Value) -> String {
    let path = directory.join(name);
    std::fs::write(&path, serde_json::to_string_pretty(value).unwrap()).unwrap();
    path.display().to_string()
}

fn experiment(scene: Value) -> Value {
    vinci_tests::experiment::experiment(scene, 0.01, 0.05)
}

#[test]
fn what_init_writes_runs_at_once_and_is_checked_without_a_word() {
    for kind in ["planar", "spatial", "robot"] {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().to_str().unwrap();
        let output = vinci(&["init", kind, "--out", place]);
        assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
        let file = dir.path().join(format!("{kind}.json")).display().to_string();
        assert!(
            output_text(&output).contains(&format!("run it: vinci run {file}")),
            "{}",
            output_text(&output)
        );
        let output = vinci(&["check", "--strict", &file]);
        assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
        let out = dir.path().join("out");
        let output = vinci(&["run", "--strict", &file, "--out", out.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
        let trajectory = std::fs::read_to_string(out.join("trajectory.csv")).unwrap();
        let contacts = std::fs::read_to_string(out.join("contacts.csv")).unwrap();
        // Long after everything has come to rest a robot's arm still creeps, by ever less.
        let output = vinci(&["run", "--strict", &file, "--duration", "5", "--out", &format!("{place}/long")]);
        assert_eq!(output.status.code(), Some(0), "{kind}: {}", output_text(&output));
        // Something moves and something touches.
        assert!(trajectory.lines().count() > 100 && contacts.contains(",slip"), "{kind}");
        let again = vinci(&["init", kind, "--out", place]);
        assert_eq!(again.status.code(), Some(7), "{}", output_text(&again));
        assert_eq!(vinci(&["init", kind, "--out", place, "--force"]).status.code(), Some(0));
    }
}

#[test]
fn editors_may_name_the_schema_of_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let mut scene = planar(0.5, 0.0, json!([ground("planar")]));
    scene["$schema"] = json!("../schema/scene.schema.json");
    scene["bodies"].as_array_mut().unwrap().push(json!({
        "name": "disc", "mass": 1, "shapes": [{ "type": "disc", "radius": 0.1 }], "position": [0, 1] }));
    let scene_file = write(dir.path(), "s.scene.json", &scene);
    let mut inside = experiment(scene.clone());
    inside["$schema"] = json!("../schema/experiment.schema.json");
    let mut named = inside.clone();
    named["scene"] = json!("s.scene.json");
    let mut base = named.clone();
    base["extends"] = json!("named.json");
    let files = [
        scene_file,
        write(dir.path(), "inside.json", &inside),
        write(dir.path(), "named.json", &named),
        write(dir.path(), "base.json", &base),
        write(
            dir.path(),
            "s.sweep.json",
            &json!({
            "$schema": "x", "format": "vinci/sweep@1", "experiment": "named.json",
            "cases": { "grid": { "h": { "values": [0.01] } } }, "set": { "time.step": "h" } }),
        ),
    ];
    for file in &files {
        let output = vinci(&["check", file]);
        assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
    }
    let out = dir.path().join("out");
    assert_eq!(vinci(&["run", &files[2], "--out", out.to_str().unwrap()]).status.code(), Some(0));
    let resolved = std::fs::read_to_string(out.join("experiment.json")).unwrap();
    assert!(!resolved.contains("$schema"), "what was resolved lies elsewhere");
    let wrong = write(dir.path(), "wrong.json", &json!({ "$schema": 7, "format": "vinci/experiment@1" }));
    assert!(output_text(&vinci(&["check", &wrong])).contains("unknown key `$schema`"));
}

#[test]
fn shapes_are_found_under_the_names_that_other_programs_give_them() {
    let dir = tempfile::tempdir().unwrap();
    let with = |shape: &str, space: &str| {
        let body = json!({ "name": "b", "mass": 1, "shapes": [{ "type": shape, "radius": 1 }] });
        let bodies = json!([ground(space), body]);
        let scene = if space == "planar" { planar(0.5, 0.0, bodies) } else { spatial(0.5, 0.0, bodies) };
        output_text(&vinci(&["check", &write(dir.path(), "e.json", &experiment(scene))]))
    };
    for (shape, space, here) in [
        ("plane", "spatial", "half-space"),
        ("plane", "planar", "half-plane"),
        ("sphere", "spatial", "ball"),
        ("circle", "planar", "disc"),
        ("cuboid", "spatial", "box"),
        ("ball", "planar", "disc"),
        ("half-plane", "spatial", "half-space"),
    ] {
        let text = with(shape, space);
        assert!(text.contains(&format!("here it is called `{here}`")), "{shape}, {space}: {text}");
    }
    assert!(!with("torus", "spatial").contains("here it is called"));
}

#[test]
fn a_value_that_is_set_twice_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let file = write(dir.path(), "e.json", &shipped("sliding-block"));
    let check = |more: &[&str]| output_text(&vinci(&[&["check", &file], more].concat()));
    let text = check(&["--set", "time.step=0.1", "--set", "time.step=0.02"]);
    assert!(text.contains("`time.step` is set twice: `--set time.step=0.02` counts"), "{text}");
    let text = check(&["--set", "time.step=0.02", "--step", "0.05"]);
    assert!(text.contains("`time.step` is set twice: `--step 0.05` counts"), "{text}");
    let text = check(&["--set", "solver=lemke", "--solver", "newton"]);
    assert!(text.contains("`solver` is set twice: `--solver newton` counts"), "{text}");
    let text = check(&["--set", "time.step=0.1", "--set", r#"time={"step":0.02,"duration":1}"#]);
    assert!(
        text.contains(r#"`time.step` is set twice: `--set time={"step":0.02,"duration":1}` counts"#),
        "{text}"
    );
    let text = check(&["--set", r#"time={"step":0.1,"duration":1}"#, "--set", "time.step=0.02"]);
    assert!(text.contains("`time.step` is set twice: `--set time.step=0.02` counts"), "{text}");
    // One value in two spellings: the element by its name, and by its number.
    let text = check(&["--set", "scene.bodies.block.mass=2", "--set", "scene.bodies[1].mass=3"]);
    assert!(
        text.contains("`scene.bodies.block.mass` is set twice: `--set scene.bodies[1].mass=3` counts"),
        "{text}"
    );
    for other in [
        ["scene.bodies.block.mass=2", "scene.bodies[1].position=[0, 0.05]"],
        ["time.step=0.02", "time.duration=1"],
        ["solver=newton", "solver.options.max_iterations=50"],
    ] {
        let text = check(&["--set", other[0], "--set", other[1]]);
        assert!(!text.contains("set twice"), "{text}");
    }
}

#[test]
fn each_v_says_more() {
    let dir = tempfile::tempdir().unwrap();
    let file = write(dir.path(), "e.json", &shipped("sliding-block"));
    let lines = |flag: &[&str]| {
        let out = dir.path().join("out").display().to_string();
        let arguments = [&["run", &file, "--duration", "0.1", "--out", &out], flag].concat();
        let output = vinci(&arguments);
        assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
        String::from_utf8(output.stderr).unwrap()
    };
    let [none, v, vv, vvv] = [&[][..], &["-v"], &["-vv"], &["-vvv"]].map(lines);
    let count = |text: &str| text.lines().count();
    assert!(
        count(&none) < count(&v) && count(&v) < count(&vv) && count(&vv) < count(&vvv),
        "{v}\n{vv}\n{vvv}"
    );
    assert!(v.contains("uses vinci.solver.lemke") && vv.contains("wrote trajectory.csv"), "{vv}");
    assert_eq!(vvv.matches("accepted").count(), 10, "{vvv}");
}

/// Thirty steps of this scene went to another solver, and `-v` said nothing.
#[test]
fn a_step_that_a_fallback_solves_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let file = write(dir.path(), "e.json", &shipped("needle-peg"));
    let out = dir.path().join("out").display().to_string();
    let output = vinci(&["run", &file, "--out", &out, "-v"]);
    assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
    let told = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> =
        told.lines().filter(|line| line.contains("a fallback: vinci.solver.lemke solved it")).collect();
    let summary: serde_json::Value =
        serde_json::from_slice(&std::fs::read(dir.path().join("out/summary.json")).unwrap()).unwrap();
    assert_eq!(summary["solver_stats"]["fallbacks"], lines.len(), "{told}");
    for part in ["vinci.solver.nsgs ended with", "residual", "step=", "t="] {
        assert!(lines[0].contains(part), "{part}: {}", lines[0]);
    }
}
