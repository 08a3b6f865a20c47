//! Exact friction cones from the scene to the summary: routes, bridges, refusals, problem files.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use vinci_core::problem::ProblemClass;
use vinci_tests::experiment::{set, shipped};
use vinci_tests::house;
use vinci_tests::program::{output_text, vinci};
use vinci_tests::run::{prepared, run};

fn scene(name: &str) -> PathBuf {
    house::root().join("host/scenes").join(format!("{name}.json"))
}

fn puck(options: Value, solver: Value) -> Value {
    set(&set(&shipped("puck-pyramid"), "/stepper/options", options), "/solver", solver)
}

/// §16 case 11: |v0|/(μ g) along a straight line; the discrete stop is the step after it.
#[test]
fn a_puck_slides_straight_and_stops_in_time_under_the_cone() {
    let end = run(&puck(json!({}), json!({ "plugin": "vinci.solver.nsgs" })));
    let (x, vx) = (end.at_q("puck"), end.at_v("puck"));
    let moving: Vec<_> = end.moments.iter().filter(|m| m.v[vx].hypot(m.v[vx + 1]) > 1e-9).collect();
    for m in &moving {
        assert!((m.v[vx + 1].atan2(m.v[vx]) - 0.5).abs() < 1e-9, "t = {}: {:?}", m.t, &m.v[vx..vx + 2]);
    }
    // The stop lies between the last moving moment and the next one.
    let stop = 1.0 / (0.3 * 9.81);
    let last = moving.last().unwrap().t;
    assert!(last <= stop && stop <= last + 1.001e-3, "{last} {stop}");
    let (first, at) = (end.first(), end.end());
    let path = (at.q[x] - first.q[x], at.q[x + 1] - first.q[x + 1]);
    assert!((path.1.atan2(path.0) - 0.5).abs() < 1e-9);
}

/// With n_d = 64 the pyramid behind the bridge is off by at most 1 − cos(π/64) = 0.12 %, with 4 by 29 %.
#[test]
fn the_bridge_keeps_its_bound() {
    let stop = |directions: u32| {
        let solver = json!({ "plugin": "vinci.solver.lemke", "directions": directions });
        let end = run(&puck(json!({ "friction": "cone" }), solver));
        let vx = end.at_v("puck");
        end.moments.iter().rfind(|m| m.v[vx].hypot(m.v[vx + 1]) > 1e-9).unwrap().t
    };
    let exact = 1.0 / (0.3 * 9.81);
    let fine = stop(64);
    assert!((fine / exact - 1.0).abs() < 1.0 - (std::f64::consts::PI / 64.0).cos() + 3e-3, "{fine}");
    // Worst of 4 directions: (v_x + v_y)/(μ g).
    let coarse = stop(4);
    assert!((coarse / exact - (0.5_f64.cos() + 0.5_f64.sin())).abs() < 5e-3, "{coarse}");
}

#[test]
fn a_stepper_chooses_what_every_solver_takes() {
    let class = |solver: Value| {
        let mut prepared = prepared(&puck(json!({}), solver));
        prepared.simulation.rehearse().unwrap()
    };
    assert_eq!(class(json!({ "plugin": "vinci.solver.nsgs" })), ProblemClass::Cone);
    assert_eq!(class(json!({ "plugin": "vinci.solver.lemke" })), ProblemClass::Mlcp);
    // No class is taken by both, but cones reach the second over the bridge.
    let both = json!({ "plugin": "vinci.solver.nsgs", "fallback": [{ "plugin": "vinci.solver.lemke" }] });
    assert_eq!(class(both), ProblemClass::Cone);
}

#[test]
fn bridges_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (scene("puck-pyramid"), dir.path().join("out"));
    let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
    let options = ["--solver", "lemke", "--set", "stepper.options.friction=cone"];
    let sentence = "vinci.solver.lemke: Cone as Mlcp, approximate: 16 directions for every friction circle, friction up to \
                    1.921 % too weak; exact on planar contacts";
    let explained = output_text(&vinci(&[&["explain", file], &options[..]].concat()));
    assert!(explained.contains(sentence), "{explained}");
    let ran = vinci(&[&["run", file, "--out", out], &options[..]].concat());
    assert!(ran.status.success(), "{}", output_text(&ran));
    let text = std::fs::read_to_string(Path::new(out).join("summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(summary["bridges"], json!([sentence]));
    assert!(summary["referee"]["max_residual"].as_f64().unwrap() <= 1e-8);
}

#[test]
fn a_class_that_reaches_no_solver_is_refused_at_its_place() {
    let file = scene("puck-pyramid");
    let arguments =
        ["check", file.to_str().unwrap(), "--solver", "nsgs", "--set", "stepper.options.friction=pyramid"];
    let refused = vinci(&arguments);
    let text = output_text(&refused);
    assert!(!refused.status.success());
    let message = "vinci.stepper.stewart-trinkle emits problems of class Mlcp, but vinci.solver.nsgs takes `Cone`; there is no \
                   bridge between them";
    assert!(text.contains(message), "{text}");
    assert!(
        text.contains("--solver nsgs")
            && text.contains("solvers that would do: ")
            && text.contains("`vinci.solver.lemke`"),
        "{text}"
    );
}

#[test]
fn odd_polygons_are_refused_at_their_place() {
    let file = scene("puck-pyramid");
    let refused = vinci(&["check", file.to_str().unwrap(), "--set", "solver.directions=7"]);
    let text = output_text(&refused);
    assert!(!refused.status.success() && text.contains("--set solver.directions=7"), "{text}");
    assert!(
        text.contains("a friction polygon has an even number of directions, at least 4, found 7"),
        "{text}"
    );
}

/// A jam under cones leaves a problem file of class Cone, which other solvers can be tried on.
#[test]
fn unsolved_cone_problems_are_written_and_read() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (scene("jammed-fingers"), dir.path().join("out"));
    let ran = vinci(&[
        "run",
        file.to_str().unwrap(),
        "--solver",
        "nsgs",
        "--set",
        "solver.fallback=[]",
        "--out",
        out.to_str().unwrap(),
    ]);
    assert_eq!(ran.status.code(), Some(6), "{}", output_text(&ran));
    let repro: Vec<_> = std::fs::read_dir(out.join("repro")).unwrap().map(|e| e.unwrap().path()).collect();
    let problem = repro[0].to_str().unwrap();
    let text: Value = serde_json::from_str(&std::fs::read_to_string(problem).unwrap()).unwrap();
    assert_eq!(text["class"], "Cone");
    assert!(!text["blocks"].as_array().unwrap().is_empty());
    let alone = output_text(&vinci(&["solve", problem, "--solver", "nsgs"]));
    assert!(alone.contains("MaxIterations") && !alone.contains("Converged"), "{alone}");
    // Planar, so the bridge is exact, and Lemke's proof holds for the polygon's problem.
    let bridged = output_text(&vinci(&["solve", problem, "--solver", "lemke"]));
    assert!(bridged.contains("Infeasible") && bridged.contains("Cone as Mlcp"), "{bridged}");
}

#[test]
fn coulomb_collections_are_benched() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("c.json");
    let problem = |name: &str, q: [f64; 3]| {
        let w = json!({ "i": [0, 1, 2], "j": [0, 1, 2], "v": [0.5, 0.5, 0.5] });
        json!({ "name": name, "dim": 3, "n": 3, "W": w, "q": q, "mu": [0.5], "verdict": "solved" })
    };
    let all = json!([problem("stick", [-1.0, 0.2, 0.1]), problem("slip", [-1.0, 0.6, 0.8])]);
    std::fs::write(&path, all.to_string()).unwrap();
    let arguments = ["bench", "solvers", path.to_str().unwrap(), "--solver", "nsgs,lemke", "--json"];
    let output = vinci(&arguments);
    assert!(output.status.success(), "{}", output_text(&output));
    let table: Value = serde_json::from_slice(&output.stdout).unwrap();
    for (solver, bridged) in [(0, false), (1, true)] {
        for row in table["solvers"][solver]["results"].as_array().unwrap() {
            assert_eq!(row["status"], "Converged", "{row}");
            assert_eq!(row["bridge"].is_string(), bridged, "{row}");
        }
    }
}
