//! Models on the states of another run: one step from the same state, errors over windows; forces that the same motion allows. Each
//! against a closed form, and what cannot be asked.

use std::process::Command;

use serde_json::{Value, json};
use vinci_tests::experiment::{experiment, ground, planar, shipped, spatial, timed};
use vinci_tests::house;
use vinci_tests::program::output_text;

use crate::comparing::ComparisonFolder;

const G: f64 = 9.81;

impl ComparisonFolder {
    /// The measures, with what was told.
    #[track_caller]
    fn measures(&self, more: &[&str]) -> (Value, String) {
        let (code, told) = self.compare("out", more);
        assert_eq!(code, Some(0), "{told}");
        let text = std::fs::read_to_string(self.path("out/compare.json")).unwrap();
        (serde_json::from_str::<Value>(&text).unwrap()["measures"].take(), told)
    }

    /// What is told of something that is refused before anything runs.
    #[track_caller]
    fn refused(&self, more: &[&str]) -> String {
        let (code, told) = self.compare("out", more);
        assert_eq!(code, Some(3), "{told}");
        assert!(!self.path("out").exists(), "{told}");
        told
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path("out").join(name)).unwrap()
    }
}

/// A block that slides at 2 m/s under μ = 0.5, by several models.
fn sliding(models: Value, more: Value) -> ComparisonFolder {
    let mut comparison = json!({ "format": "vinci/comparison@1", "experiment": shipped("sliding-block"),
        "set": { "time.duration": 0.1 }, "models": models });
    for (key, value) in more.as_object().unwrap() {
        comparison[key] = value.clone();
    }
    ComparisonFolder::new(&comparison)
}

fn model(name: &str, stepper: &str) -> Value {
    json!({ "name": name, "stepper": stepper })
}

#[track_caller]
fn near(found: &Value, expected: f64, within: f64) {
    let x = found.as_f64().unwrap_or(f64::NAN);
    assert!((x - expected).abs() <= within, "{found}, not {expected}");
}

/// From one state the convex program throws a slide up: |Δv| = μ v/√(1 + μ²), v the slip that Stewart-Trinkle leaves.
#[test]
fn from_the_same_state_models_differ_by_their_laws_alone() {
    let models = json!([
        model("ST", "stewart-trinkle"),
        model("AP", "anitescu-potra"),
        { "name": "QP", "stepper": "anitescu-qp", "solver": "active-set" }
    ]);
    let place =
        sliding(models, json!({ "same_state": {}, "matrix": [{ "vary": "step", "values": [0.01, 0.005] }] }));
    let (measures, told) = place.measures(&[]);
    let same = &measures["same_state"];
    assert_eq!((&same["lead"], &same["states"]), (&json!(["ST", "0.01"]), &json!(10)), "{told}");
    let runs = same["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 3, "runs that differ in their step alone make the same steps here");
    for exact in &runs[..2] {
        assert_eq!(exact["velocity"], json!({ "median": 0.0, "p90": 0.0, "most": 0.0, "unit": "m/s" }));
    }
    // Slips after steps 1 … 10; of ten numbers the fifth and the ninth.
    let apart = |step: f64| 0.5 * (2.0 - 0.5 * G * 0.01 * step) / 1.25_f64.sqrt();
    near(&runs[2]["velocity"]["most"], apart(1.0), 1e-9);
    near(&runs[2]["velocity"]["p90"], apart(2.0), 1e-9);
    near(&runs[2]["velocity"]["median"], apart(6.0), 1e-9);
    assert_eq!(runs[2]["owners"][0]["name"], "block");
    for run in runs {
        assert_eq!((&run["steps"], &run["failures"], &run["refused"]), (&json!(10), &json!(0), &json!(0)));
        assert!(
            run["time"]["median"].as_f64().unwrap() > 0.0 && run["residual"]["most"].as_f64().unwrap() < 1e-9
        );
    }
    assert!(told.contains("same state: one step of 0.01 s from each of 10 states of ST, 0.01"), "{told}");
    let table = place.text("comparison-same-state.csv");
    assert!(
        table.starts_with("model,step,time,residual,seconds,iterations,steps,refused,block.velocity_m_per_s"),
        "{table}"
    );
    assert_eq!(table.lines().count(), 1 + 3 * 10);
    assert!(place.text("comparison.html").contains("One step from the same state"));
}

/// Within a window of w a first-order scheme errs by μ g h w/2, wherever the window lies and whoever begins anew.
#[test]
fn errors_over_windows_are_those_of_the_scheme_and_do_not_gather() {
    let models = json!([model("ST", "stewart-trinkle"), model("T", "trapezoidal")]);
    let matrix = json!([{ "vary": "step", "values": [0.01, 0.005] }]);
    for restart in ["models", "reference"] {
        let asked = json!({ "matrix": matrix, "reference": { "run": { "model": "T", "step": 0.005 } },
            "localised": { "window": 0.02, "restart": restart } });
        let place = sliding(models.clone(), asked);
        let (measures, told) = place.measures(&[]);
        let localised = &measures["localised"];
        assert_eq!(localised["restart"], restart);
        let run = |k: usize| &localised["runs"][k];
        for (k, h) in [(0, 0.01), (1, 0.005)] {
            assert_eq!(run(k)["series"].as_array().unwrap().len(), 5, "{told}");
            assert_eq!((&run(k)["values"][0], &run(k)["reference"]), (&json!("ST"), &json!(["T", "0.005"])));
            near(&run(k)["errors"]["position"]["median"], 0.25 * G * h * 0.02, 1e-12);
            near(&run(k)["errors"]["position"]["most"], 0.25 * G * h * 0.02, 1e-12);
            near(&run(k)["errors"]["velocity"]["most"], 0.0, 1e-12);
            // Gathered over the run it is five times as much.
            near(&measures["runs"][k]["errors"]["position"]["max"], 0.25 * G * h * 0.1, 1e-12);
        }
        near(&run(3)["errors"]["position"]["most"], 0.0, 0.0);
        assert_eq!(run(0)["errors"]["joint"], Value::Null);
        assert_eq!(place.text("comparison-localised.csv").lines().count(), 1 + 4 * 5);
        assert!(place.text("comparison-localised.svg").contains("<svg"));
        let pdf = std::fs::read(place.path("out/comparison-localised.pdf")).unwrap();
        assert!(pdf.starts_with(b"%PDF-1.7"));
    }
}

#[test]
fn what_cannot_be_asked_is_told_before_anything_runs() {
    let models =
        || json!([model("ST", "stewart-trinkle"), { "name": "T", "stepper": "trapezoidal", "step": 0.005 }]);
    let with = |more: Value| sliding(models(), more);
    let formula = json!({ "formula": { "block.x": "t" } });
    let run = json!({ "run": { "model": "T" } });
    let window = |w: f64| json!({ "reference": run, "localised": { "window": w } });
    let cases = [
        (
            with(json!({ "localised": { "window": 0.02 } })),
            "a comparison without a reference has no states to begin from",
        ),
        (
            with(json!({ "localised": { "window": 0.02 }, "reference": formula })),
            "the closed form has no states to begin from",
        ),
        (with(window(0.2)), "a window of 0.2 s is longer than the run of the reference, 0.1 s"),
        (with(window(0.012)), "a window of 0.012 s does not consist of steps of the reference, 0.005 s"),
        (with(window(-1.0)), "error[out-of-range]"),
        (
            with(json!({ "localised": { "window": 0.02 }, "reference": { "finest": true } })),
            "need runs that differ in their step",
        ),
        (
            with(json!({ "same_state": { "lead": { "model": "nobody" } } })),
            "the reference names 0 runs, not one",
        ),
        (
            with(json!({ "same_state": { "lead": { "modell": "ST" } } })),
            "names `modell`, which is not varied",
        ),
        (with(json!({ "same_state": { "every": 0 } })), "error[out-of-range]"),
        (with(json!({ "indeterminacy": { "times": 5, "at": [0.1] } })), "`times` or `at`, not both"),
        (with(json!({ "indeterminacy": { "at": [-0.1] } })), "forces are looked at after 0 s"),
        (with(json!({ "indeterminacy": { "times": 5000 } })), "error[out-of-range]"),
    ];
    for (place, message) in cases {
        let told = place.refused(&[]);
        assert!(told.contains(message), "{message}\n{told}");
    }
    // It was left out, and nobody said so.
    let (code, told) = with(json!({ "indeterminacy": { "at": [0.1, 90.0] } })).compare("late", &[]);
    assert!(code == Some(0) && told.contains("looks at t = 90 s, and a run ends at"), "{told}");
    for (flag, message) in [
        ("NaN", "a window of NaN s is none"),
        ("inf", "a window of inf s is none"),
        ("0", "a window of 0 s is none"),
    ] {
        let told = with(json!({ "reference": run })).refused(&["--localised", flag]);
        assert!(told.contains(message) && told.contains("give a time in s above 0"), "{told}");
    }
    let (code, told) = with(json!({})).compare("out", &["--same-state=ST"]);
    assert!(code == Some(2) && told.contains("`--same-state=ST` names no run"), "{told}");
}

/// Models of other coordinates, of steps that do not fit, and motions of others are listed with the reason; the rest is measured.
/// A comparison that was stopped measures the same when it goes on.
#[cfg(unix)]
#[test]
fn a_comparison_that_goes_on_measures_the_same() {
    use crate::interruptions::program::{send, until, vinci};
    let asked = json!({ "same_state": {}, "localised": { "window": 0.02 }, "reference": { "run": { "model": "ST" } },
        "set": { "time.duration": 0.5, "time.step": 0.0005 } });
    let models =
        || json!([model("ST", "stewart-trinkle"), model("AP", "anitescu-potra"), model("QP", "anitescu-qp")]);
    let (whole, cut) = (sliding(models(), asked.clone()), sliding(models(), asked));
    let out = cut.path("out").display().to_string();
    let mut child = vinci(&["compare", cut.path("c.json").to_str().unwrap(), "--out", &out]).spawn().unwrap();
    until("the first run begins", || {
        cut.path("out/ST/trajectory.csv.part").exists() || cut.path("out/ST/trajectory.csv").exists()
    });
    send(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(8), "it was stopped on the way");
    whole.measures(&[]);
    let gone_on = vinci(&["compare", "--resume", &out]).output().unwrap();
    assert_eq!(gone_on.status.code(), Some(0), "{}", output_text(&gone_on));
    for name in ["comparison-localised.csv", "comparison-localised.svg", "comparison-modes.svg"] {
        assert_eq!(whole.text(name), cut.text(name), "{name}");
    }
    // Seconds are the clock's: the fourth column behind the model, time and residual.
    let timeless = |text: String| -> Vec<String> {
        let cells = |line: &str| {
            line.split(',').enumerate().filter(|(k, _)| *k != 3).map(|(_, cell)| cell.to_owned()).collect()
        };
        text.lines()
            .map(|line| {
                let all: Vec<String> = cells(line);
                all.join(",")
            })
            .collect()
    };
    let name = "comparison-same-state.csv";
    assert_eq!(timeless(whole.text(name)), timeless(cut.text(name)));
}

#[test]
fn models_that_take_no_states_are_listed_and_the_others_measured() {
    let two = json!([{ "type": "box", "size": [0.2, 0.1] }, { "type": "box", "size": [0.1, 0.1] }]);
    let models = json!([
        model("ST", "stewart-trinkle"),
        { "name": "other", "stepper": "stewart-trinkle", "set": { "scene.bodies.block.shapes": two } },
        { "name": "third", "stepper": "stewart-trinkle", "step": 0.0125 }
    ]);
    let asked = json!({ "reference": { "run": { "model": "ST" } }, "same_state": {}, "localised": { "window": 0.02 } });
    let (measures, told) = sliding(models, asked).measures(&[]);
    let not = |key: &str| -> Vec<(String, String)> {
        let list = measures[key]["not"].as_array().unwrap().iter();
        list.map(|one| {
            (one["values"][0].as_str().unwrap().to_owned(), one["reason"].as_str().unwrap().to_owned())
        })
        .collect()
    };
    let (same, localised) = (not("same_state"), not("localised"));
    assert_eq!(same.len(), 1, "{told}");
    assert!(same[0].0 == "other" && same[0].1.contains("the state is of another scene"), "{same:?}");
    assert_eq!(localised.len(), 2, "{told}");
    assert_eq!(localised[1], ("third".to_owned(), "its step does not divide the window".to_owned()));
    assert_eq!(measures["same_state"]["runs"].as_array().unwrap().len(), 2);
    assert_eq!(measures["localised"]["runs"].as_array().unwrap().len(), 1);
}

/// A stepper that takes forces and contacts elsewhere does not begin where it was put: the referee says so at every step.
#[test]
fn a_model_that_does_not_begin_at_the_state_is_found_out() {
    let library = house::build().join(format!(
        "{}vinci_liars{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ));
    let scene = planar(
        0.3,
        0.0,
        json!([ground("planar"),
        { "name": "disc", "mass": 1, "shapes": [{ "type": "disc", "radius": 0.1 }], "position": [0, 0.1], "dofs": { "angle": "locked" } }]),
    );
    let lie = json!({ "plugin": library, "options": { "lie": "evaluate-far", "size": 10, "index": 1 } });
    let comparison = json!({ "format": "vinci/comparison@1", "experiment": experiment(scene, 0.01, 0.1),
        "models": [model("ST", "stewart-trinkle"), { "name": "liar", "stepper": lie }], "same_state": {} });
    let place = ComparisonFolder::new(&comparison);
    let (_, told) = place.compare("out", &[]);
    let text = std::fs::read_to_string(place.path("out/compare.json")).unwrap_or_else(|_| panic!("{told}"));
    let compared: Value = serde_json::from_str(&text).unwrap();
    let runs = &compared["measures"]["same_state"]["runs"];
    assert_eq!((&runs[0]["refused"], &runs[1]["refused"]), (&json!(0), &json!(10)), "{told}");
    assert_eq!(runs[1]["refusal"]["criterion"], "evaluated", "{told}");
    assert!(told.contains("liar: the referee does not accept it"), "{told}");
}

/// Ranges of a run at its end: of every contact the found, the least and the greatest normal force.
fn ranges(experiment: Value) -> (Vec<[f64; 3]>, Value) {
    let comparison = json!({ "format": "vinci/comparison@1", "experiment": experiment,
        "models": [model("ST", "stewart-trinkle")], "indeterminacy": { "times": 1 } });
    let (mut measures, _) = ComparisonFolder::new(&comparison).measures(&[]);
    let run = measures["indeterminacy"]["runs"][0].take();
    let number = |x: &Value| x.as_f64().unwrap_or(f64::INFINITY);
    let one = |contact: &Value| {
        let normal = &contact["normal"];
        [number(&normal["found"]), number(&normal["least"]), number(&normal["greatest"])]
    };
    (run["forces"].as_array().unwrap().iter().map(one).collect(), run)
}

/// In the plane two supports share the weight in one way; friction between them may squeeze, and does not show in the normals.
#[test]
fn normal_forces_of_a_block_in_the_plane_are_unique() {
    let block = json!({ "name": "block", "mass": 2, "shapes": [{ "type": "box", "size": [0.4, 0.2] }], "position": [0, 0.1] });
    let (all, run) = ranges(experiment(planar(0.5, 0.0, json!([ground("planar"), block])), 0.01, 0.05));
    assert_eq!(all.len(), 2, "{run:#}");
    for [found, least, greatest] in all {
        assert!((found - G).abs() < 1e-9 && least == found && greatest == found, "{run:#}");
    }
    assert_eq!(run["unique"], 2);
    // At rest the two may press against each other along the ground by μ n.
    let tangent = &run["forces"][0]["tangent"];
    near(&tangent["least"], -0.5 * G, 1e-6);
    near(&tangent["greatest"], 0.5 * G, 1e-6);
}

/// A table of half lengths a, b and half height c under gravity (gx, 0, −gz): pairs of legs carry n± = m (gz ± gx c/a)/4 each in the
/// mean, and one direction (1, −1, 1, −1) is free: the legs below the pull have n₊ ± n₋, the others 0 … 2 n₋.
#[test]
fn a_table_with_four_legs_has_one_free_direction() {
    let (m, a, c, gx, gz) = (3.0, 0.4, 0.2, 1.5, 9.0);
    let table = json!({ "name": "table", "mass": m, "shapes": [{ "type": "box", "size": [2.0 * a, 0.6, 2.0 * c] }], "position": [0, 0, c] });
    let mut scene = spatial(0.8, 0.0, json!([ground("spatial"), table]));
    scene["gravity"] = json!([gx, 0.0, -gz]);
    let (all, run) = ranges(timed(&experiment(scene, 0.01, 0.05), 0.01, 0.05));
    assert_eq!(all.len(), 4, "{run:#}");
    let (more, less) = (m * (gz + gx * c / a) / 4.0, m * (gz - gx * c / a) / 4.0);
    let forces = run["forces"].as_array().unwrap();
    for ([found, least, greatest], contact) in all.iter().zip(forces) {
        let is_below = contact["point"][0].as_f64().unwrap() > 0.0;
        let expected = if is_below { [more - less, more + less] } else { [0.0, 2.0 * less] };
        for (k, end) in [least, greatest].into_iter().enumerate() {
            assert!((end - expected[k]).abs() < 1e-5, "{expected:?} {run:#}");
        }
        assert!(least <= found && found <= greatest);
    }
    let widest = &run["widest"]["normal"];
    near(&json!(widest["greatest"].as_f64().unwrap() - widest["least"].as_f64().unwrap()), 2.0 * less, 1e-5);
}

/// The same by `vinci judge` over the recorded motion.
#[test]
fn the_judge_tells_ranges_of_recorded_motions() {
    let block = json!({ "name": "block", "mass": 2, "shapes": [{ "type": "box", "size": [0.4, 0.2] }], "position": [0, 0.1] });
    let place =
        ComparisonFolder::new(&experiment(planar(0.5, 0.0, json!([ground("planar"), block])), 0.01, 0.1));
    let vinci = |words: &[&str]| {
        let output = Command::new(house::program()).args(words).current_dir(place.path("")).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
        output
    };
    vinci(&["run", "c.json", "--out", "run"]);
    let output = vinci(&["judge", "c.json", "run/trajectory.csv", "--indeterminacy=4", "--json", "--quiet"]);
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = &told["summary"]["judged"]["indeterminacy"];
    assert_eq!(
        (&found["looks"], &found["contacts"], &found["unique"]),
        (&json!(4), &json!(8), &json!(8)),
        "{found:#}"
    );
    let text = output_text(&vinci(&["judge", "c.json", "run/trajectory.csv", "--indeterminacy=4"]));
    assert!(
        text.contains("of 8 contacts at 4 times the motion fixes 8 normal forces, nothing bounds 0"),
        "{text}"
    );
}
