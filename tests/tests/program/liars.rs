//! Liars: steppers, solvers and detectors that claim what is not so. Each is caught, by the right check, and named.
//!
//! Every lie is a line of `liars/cases.json`: the scene (of `liars/scenes.json`), who lies and how (the options say it in words:
//! `vinci plugin info` on the library of `tests/liars`), and what must be found: check, criterion, and a word of the place.
//! Without `expect` the run is honest and must be accepted, or ends with the exit code that stands there; `open` says of a lie that is
//! accepted all the same why it is.
//!
//! | who | about |
//! |---|---|
//! | steppers | contacts ignored, hovering, pressing too much or too little, pulling, bouncing; friction that is missing, weak, strong, turned, driving, or judged by a slip of their own; masses; motion models; positions; half steps; places, times and velocities that forces were taken at; joints, limits, dry friction, support points; impulses of another contact; impacts that create energy, act at a distance, bounce too much or too little, drive, push support points or joints; momentum, next to heavy bodies, behind huge impulses, at tiny steps; spin; declared laws that are abused |
//! | detectors | normals, gaps, points, missing, blinking and invented contacts |
//! | solvers | scaled answers, zeros, wrong light rows, false proofs |

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value, json};
use vinci_tests::house;

fn library() -> PathBuf {
    let name = format!("{}vinci_liars{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    house::build().join(name)
}

/// Units in which the numbers of a scene are meant: how many of them are a metre and a kilogram.
fn units(case: &Value) -> (f64, f64) {
    match case["units"].as_str() {
        Some("mm-g") => (1e3, 1e3),
        Some("km-t") => (1e-3, 1e-3),
        None => (1.0, 1.0),
        Some(other) => panic!("no units: {other}"),
    }
}

/// The same scene in other units: lengths and masses; times stay.
fn in_units(value: &Value, key: &str, (length, mass): (f64, f64)) -> Value {
    let of = |v: &Value, key: &str| in_units(v, key, (length, mass));
    match value {
        Value::Object(map) => map.iter().map(|(k, v)| (k.clone(), of(v, k))).collect::<Map<_, _>>().into(),
        Value::Array(list) => list.iter().map(|v| of(v, key)).collect(),
        Value::Number(number) => match key {
            "position" | "velocity" | "radius" | "size" | "gravity" => {
                json!(length * number.as_f64().unwrap())
            }
            "mass" => json!(mass * number.as_f64().unwrap()),
            _ => value.clone(),
        },
        other => other.clone(),
    }
}

/// A plugin by its name, or options of the liar or of the plugin that stands with them.
fn plugin(given: &Value, default: &str) -> Value {
    match given {
        Value::Object(map) => {
            let named = map.get("plugin").filter(|name| *name != "liar");
            json!({ "plugin": named.cloned().unwrap_or_else(|| json!(library())), "options": map.get("options") })
        }
        Value::String(name) => json!({ "plugin": name }),
        _ => json!({ "plugin": default }),
    }
}

fn experiment(case: &Value, scenes: &Value) -> Value {
    let mut scene = scenes[case["scene"].as_str().unwrap()].clone();
    let spatial = scene["space"] == "spatial";
    if scene.get("gravity").is_none() {
        scene["gravity"] = if spatial { json!([0, 0, -9.81]) } else { json!([0, -9.81]) };
    }
    let mut detector = plugin(&case["detector"], if spatial { "parry" } else { "planar" });
    if let Some(margin) = case["margin"].as_f64() {
        detector["margin"] = json!(margin * units(case).0);
    }
    let mut time = json!({ "step": case["step"], "duration": case["duration"] });
    for (key, value) in case["time"].as_object().into_iter().flatten() {
        time[key] = value.clone();
    }
    json!({
        "format": "vinci/experiment@1",
        "scene": in_units(&scene, "", units(case)),
        "time": time,
        "detector": detector,
        "stepper": plugin(&case["stepper"], ""),
        "solver": plugin(&case["solver"], if spatial { "newton" } else { "lemke" }),
    })
}

/// Runs a case; what is wrong with the outcome, if anything.
fn outcome(case: &Value, scenes: &Value, directory: &Path) -> Result<(), String> {
    let name = case["name"].as_str().unwrap();
    let (file, out) = (directory.join(format!("{name}.json")), directory.join(name));
    std::fs::write(&file, experiment(case, scenes).to_string()).unwrap();
    let run = Command::new(house::program()).arg("run").arg(&file).arg("--out").arg(&out).output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    let text = std::fs::read_to_string(out.join("summary.json")).unwrap_or_else(|_| "null".into());
    let summary: Value = serde_json::from_str(&text).unwrap();
    let found = &summary["referee"]["refusal"];
    let expect = &case["expect"];
    let code = case["exit"].as_i64().unwrap_or(if expect.is_null() { 0 } else { 1 });
    let same = |k: usize, key: &str| expect[k] == found[key];
    let as_expected = match expect {
        Value::Null => found.is_null(),
        _ => same(0, "check") && same(1, "criterion"),
    };
    // One sentence that names the place.
    let place = case["place"].as_str().unwrap();
    let named = expect.is_null()
        || said.lines().any(|l| l.contains("the referee does not accept") && l.contains(place));
    if as_expected && named && run.status.code() == Some(code as i32) {
        return Ok(());
    }
    Err(format!(
        "{name}: exit code {:?}, found {found}, expected {expect} at `{place}`\n{said}",
        run.status.code()
    ))
}

fn cases() -> (Vec<Value>, Value) {
    let cases = serde_json::from_str(include_str!("liars/cases.json")).unwrap();
    let scenes = serde_json::from_str(include_str!("liars/scenes.json")).unwrap();
    (cases, scenes)
}

/// Runs all cases of a kind and tells of every one that is wrong.
fn judge(kind: impl Fn(&Value) -> bool) {
    let (cases, scenes) = cases();
    let directory = tempfile::tempdir().unwrap();
    let chosen: Vec<_> = cases.iter().filter(|case| kind(case)).collect();
    assert!(chosen.len() > 5, "the cases are there");
    let wrong: Vec<_> =
        chosen.iter().filter_map(|case| outcome(case, &scenes, directory.path()).err()).collect();
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), chosen.len(), wrong.join("\n"));
}

fn lies(case: &Value, role: &str) -> bool {
    case[role]["options"].get("lie").is_some()
}

#[test]
fn honest_answers_are_accepted() {
    judge(|case| case["name"].as_str().unwrap().starts_with("honest"));
}

#[test]
fn steppers_that_lie_are_caught_and_named() {
    let honest = |case: &Value| case["name"].as_str().unwrap().starts_with("honest");
    judge(|case| !honest(case) && !lies(case, "solver") && !lies(case, "detector"));
}

#[test]
fn detectors_that_lie_are_caught_and_named() {
    judge(|case| lies(case, "detector"));
}

#[test]
fn solvers_that_lie_are_caught() {
    judge(|case| lies(case, "solver"));
}
