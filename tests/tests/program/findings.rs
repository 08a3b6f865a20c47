//! Findings before a run: what is approximate, what says nothing, where a refusal points, joints that are open.

use std::path::PathBuf;

use serde_json::{Value, json};
use vinci_tests::experiment::{experiment, ground, planar, set, shipped, timed};
use vinci_tests::program::vinci;
use vinci_tests::{house, run::run};

fn scene(name: &str) -> PathBuf {
    house::root().join("host/scenes").join(format!("{name}.json"))
}

/// A command on an experiment: exit code, and all that it said.
fn said(command: &str, e: &Value, more: &[&str]) -> (Option<i32>, String) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("e.json");
    std::fs::write(&path, serde_json::to_string_pretty(e).unwrap()).unwrap();
    let output = vinci(&[&[command, path.to_str().unwrap()], more].concat());
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (output.status.code(), text)
}

#[test]
fn a_steppers_own_polygon_is_called_an_approximation() {
    // 1 − cos(π/8) = 7.612 %, 1 − cos(π/4) = 29.289 %; 8 is the default.
    let given = shipped("spin-tripod-pyramid");
    let mut default = given.clone();
    default["stepper"]["options"] = json!({"friction": "pyramid"});
    let four = set(&given, "/stepper/options/friction_directions", 4);
    for (e, words) in [
        (&given, "8 directions, up to 7.612 %"),
        (&default, "8 directions, up to 7.612 %"),
        (&four, "4 directions, up to 29.289 %"),
        (&shipped("puck-pyramid"), "4 directions, up to 29.289 %"),
    ] {
        let (code, text) = said("explain", e, &[]);
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains(words) && !text.contains("nothing is lost"), "{words}\n{text}");
    }
    for name in ["sliding-block", "spin-tripod"] {
        let text = said("explain", &shipped(name), &[]).1;
        assert!(text.contains("exact, nothing is lost") && !text.contains("polygon"), "{name}: {text}");
    }
}

#[test]
fn programs_have_cones_where_every_solver_takes_them() {
    let pile = |solver: Value| set(&shipped("box-block-pile-socp"), "/solver", solver);
    let polygons = "polygons of 8 directions, up to 7.612 %";
    let chain = json!({"plugin": "clarabel", "fallback": [{"plugin": "active-set"}]});
    for (solver, cones) in
        [(json!({"plugin": "clarabel"}), true), (json!({"plugin": "active-set"}), false), (chain, false)]
    {
        let e = pile(solver);
        let (code, text) = said("explain", &e, &[]);
        assert_eq!(code, Some(0), "{text}");
        assert_eq!(text.contains(polygons), !cones, "{text}");
        let asked = said("explain", &set(&e, "/stepper/options", json!({"friction": "cone"})), &[]).1;
        assert!(!asked.contains(polygons), "{asked}");
        let asked = said("explain", &set(&e, "/stepper/options", json!({"friction": "pyramid"})), &[]).1;
        assert!(asked.contains(polygons), "{asked}");
    }
}

#[test]
fn cones_that_every_solver_takes_are_written() {
    let pile =
        timed(&set(&shipped("box-block-pile-socp"), "/solver", json!({"plugin": "clarabel"})), 0.01, 0.1);
    let friction = |words: &str| {
        run(&set(&pile, "/stepper/options", json!({"friction": words, "motion": "quasi-dynamic"})))
            .end()
            .q
            .clone()
    };
    let auto = run(&pile).end().q.clone();
    assert_eq!(auto, friction("cone"));
    assert_ne!(auto, friction("pyramid"));
}

#[test]
fn polygons_under_parts_on_their_plane_are_warned_of() {
    let (code, text) = said("check", &shipped("spin-tripod-pyramid"), &[]);
    assert!(code == Some(0) && text.contains("ok (1 warning)"), "{text}");
    assert!(text.contains("polygons of 8 directions, up to 7.6 % too weak"), "{text}");
    assert!(text.contains("choose solver nsgs") && text.contains("\"pyramid\""), "{text}");
    // A film without friction has no circles, a planar contact no polygon, a cone neither.
    for name in ["film-puck", "sliding-block", "spin-tripod"] {
        let text = said("check", &shipped(name), &[]).1;
        assert!(!text.contains("polygon"), "{name}: {text}");
    }
    let text = said("check", &shipped("puck-pyramid"), &[]).1;
    assert!(
        text.contains("polygons of 4 directions, up to 29.3 % too weak and 45.0° off the slip"),
        "{text}"
    );
}

#[test]
fn directions_without_a_bridge_are_refused() {
    let (code, text) = said("check", &shipped("sliding-block"), &["--set", "solver.directions=8"]);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("`solver.directions` says nothing where the solvers take"), "{text}");
    let bridged = set(&shipped("spin-tripod"), "/solver", json!({"plugin": "lemke", "directions": 8}));
    let bridged = set(&bridged, "/stepper/options", json!({"friction": "cone"}));
    assert_eq!(said("check", &bridged, &[]).0, Some(0));
}

#[test]
fn a_refusal_points_at_the_option_it_speaks_of() {
    // The schema cannot say that directions come in pairs; the plugin does when it is created.
    let block = shipped("sliding-block");
    let options = json!({"friction": "pyramid", "friction_directions": 7});
    let (code, text) = said("check", &set(&block, "/stepper/options", options), &[]);
    assert_eq!(code, Some(3), "{text}");
    let shown = |what: &str| text.lines().find(|l| l.contains(what)).expect("the line is shown");
    let (line, caret) = (shown("\"friction_directions\": 7"), shown("^"));
    assert_eq!(caret.find('^'), line.find('7'), "{text}");
    assert!(text.contains("`vinci plugin info vinci.stepper.stewart-trinkle` lists the options"), "{text}");
    let text = said("check", &block, &["--set", "stepper.options.friction_directions=7"]).1;
    assert!(text.contains("| --set stepper.options.friction_directions=7"), "{text}");
}

fn linked(key: &str, mut link: Value, other: &str) -> Value {
    let mut scene = planar(
        0.0,
        0.0,
        json!([
            {"name": "wall", "static": true, "shapes": [{"type": "disc", "radius": 0.1}], "position": [5, 5]},
            {"name": "disc", "mass": 1, "shapes": [{"type": "disc", "radius": 0.1}]},
        ]),
    );
    link["bodies"] = json!([null, other]);
    scene[key] = json!([link]);
    experiment(scene, 0.01, 0.01)
}

#[test]
fn an_open_joint_is_a_warning_with_its_distance() {
    let joint = |x: f64| linked("joints", json!({"name": "hinge", "anchors": [[x, 0], [0, 0]]}), "disc");
    let (code, text) = said("check", &joint(0.2), &[]);
    assert!(code == Some(0), "{text}");
    assert!(text.contains("warning[open-joint]: joint `hinge` is open by 2.000e-1 m at the start"), "{text}");
    assert!(text.contains("-->"), "{text}");
    assert!(said("check", &joint(1.1e-6), &[]).1.contains("open by 1.100e-6 m"));
    assert!(!said("check", &joint(0.9e-6), &[]).1.contains("open by"));
}

#[test]
fn a_coupler_that_does_not_hold_at_the_start_is_a_warning_with_its_error() {
    let mut pick = shipped("iiwa-pick");
    let held = said("check", &pick, &[]);
    assert!(held.0 == Some(0) && !held.1.contains("is off by"), "{}", held.1);
    pick["scene"]["couplers"][0]["offset"] = json!(0.1);
    let (code, text) = said("check", &pick, &[]);
    assert!(code == Some(0), "{text}");
    assert!(
        text.contains("warning[open-joint]: coupler `opposed` is off by -1.000e-1 m at the start"),
        "{text}"
    );
    assert!(text.contains("-->"), "{text}");
}

/// A ball of 1 kg and 5e5 N/m between the two in steps of 1 ms: h ω = 0.707, and 1.5 to the power −π/(2 · 0.6155) is 0.355. What is
/// seen is 0.357.
#[test]
fn a_bounce_that_the_steps_of_a_compliant_stepper_damp_is_a_warning() {
    let bounce = |h: f64, dissipation: f64| {
        let mut scene = planar(
            0.0,
            0.0,
            json!([ground("planar"), {"name": "ball", "mass": 1,
            "shapes": [{"type": "disc", "radius": 0.1}], "position": [0, 0.1003], "velocity": [0, -1]}]),
        );
        scene["gravity"] = json!([0, 0]);
        scene["materials"]["default"] = json!({"friction": 0, "stiffness": 1e6, "dissipation": dissipation});
        let mut e = experiment(scene, h, 20e-3);
        e["stepper"] = json!({"plugin": "tamsi"});
        e["solver"] = json!({"plugin": "newton-tals"});
        e
    };
    let text = said("check", &bounce(1e-3, 0.0), &[]).1;
    assert!(
        text.contains("in steps of 0.001 s a bounce of `ground` and `ball` keeps about 0.36 of its speed"),
        "{text}"
    );
    let left = run(&bounce(1e-3, 0.0)).end().v[1];
    assert!((left - 0.357).abs() < 1e-3, "{left}");
    for honest in [bounce(1e-5, 0.0), bounce(1e-3, 1.0)] {
        let text = said("check", &honest, &[]).1;
        assert!(!text.contains("of its speed"), "{text}");
    }
}

#[test]
fn drag_that_the_motion_does_not_read_is_a_warning() {
    let crate_with = |motion: &str| {
        let body = json!({"name": "crate", "mass": 1, "shapes": [{"type": "disc", "radius": 0.1}],
            "drag": [3, 3, 1], "motion": motion});
        experiment(planar(0.0, 0.0, json!([body])), 0.01, 0.01)
    };
    let text = said("check", &crate_with("dynamic"), &[]).1;
    assert!(
        text.contains("`crate` has `drag`, which dynamic motion ignores: only first-order motion reads it"),
        "{text}"
    );
    assert!(!said("check", &crate_with("first-order"), &[]).1.contains("has `drag`"));
}

/// A first-order disc had restitution 0.8, "read", and nothing of it was left a step later.
#[test]
fn bounces_that_the_motion_does_not_keep_are_a_warning() {
    let disc = |motion: &str| {
        json!({"name": "disc", "mass": 1, "shapes": [{"type": "disc", "radius": 0.1}], "position": [0, 0.3],
            "drag": [5, 5, 1], "motion": motion})
    };
    let falls = |motion: &str, e: f64| {
        let e = experiment(planar(0.3, e, json!([ground("planar"), disc(motion)])), 0.005, 0.01);
        said("check", &e, &[]).1
    };
    for motion in ["first-order", "quasi-dynamic"] {
        let words = format!(
            "`restitution` is 0.8 between `ground` and `disc`, and {motion} motion keeps no velocity"
        );
        let text = falls(motion, 0.8);
        assert!(text.contains(&words), "{text}");
    }
    for text in [falls("dynamic", 0.8), falls("first-order", 0.0)] {
        assert!(!text.contains("keeps no velocity"), "{text}");
    }
}

/// Two discs that meet at 8 mm/s did not bounce, and nothing was said: the default threshold is 10 mm/s.
#[test]
fn a_threshold_above_all_that_moves_is_a_warning() {
    let meet = |speed: f64, gravity: bool| {
        let disc = |name: &str, x: f64, v: f64| {
            json!({"name": name, "mass": 1, "gravity": gravity, "shapes": [{"type": "disc", "radius": 0.001}],
                "position": [x, 0], "velocity": [v, 0]})
        };
        let scene = planar(0.0, 1.0, json!([disc("a", -0.0021, speed), disc("b", 0.0, 0.0)]));
        said("check", &experiment(scene, 0.001, 0.01), &[]).1
    };
    let words = "less than 0.01 m/s, and at the start nothing here approaches faster than 8.0e-3 m/s";
    let text = meet(0.008, false);
    assert!(text.contains(words), "{text}");
    for text in [meet(0.2, false), meet(0.008, true), said("check", &shipped("newton-cradle-3"), &[]).1] {
        assert!(!text.contains("lets nothing bounce"), "{text}");
    }
}

#[test]
fn a_link_between_things_that_rest_is_refused() {
    let links = [
        ("joints", json!({"anchors": [[0, 0], [0, 0]]}), "joint"),
        ("springs", json!({"anchors": [[0, 0], [0, 0]], "stiffness": 1}), "spring"),
        ("torsion_springs", json!({"stiffness": 1}), "torsion spring"),
    ];
    for (key, link, what) in links {
        let (code, text) = said("check", &linked(key, link.clone(), "wall"), &[]);
        assert_eq!(code, Some(3), "{text}");
        assert!(text.contains(&format!("the {what} joins nothing that moves")), "{text}");
        assert_eq!(said("check", &linked(key, link, "disc"), &[]).0, Some(0), "{key}");
    }
}

#[test]
fn the_cradle_runs_with_nsgs_alone() {
    let out = tempfile::tempdir().unwrap();
    let path = scene("newton-cradle-3");
    let flags = ["--solver", "nsgs", "--out", out.path().to_str().unwrap(), "--force"];
    let output = vinci(&[&["run", path.to_str().unwrap()], &flags[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(out.path().join("summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&summary["solver"]["id"], &summary["solver_stats"]["failures"]),
        (&json!("vinci.solver.nsgs"), &json!(0))
    );
    assert_eq!(summary["impacts"]["count"], 1);
    assert_eq!(summary["referee"]["accepted"], true);
    let energy = &summary["energy"];
    assert!((energy["final"].as_f64().unwrap() - energy["initial"].as_f64().unwrap()).abs() < 1e-7);
}
