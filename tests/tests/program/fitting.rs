//! `vinci sensitivity` and `vinci fit` as commands: what they print and write, and how they end.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use vinci_tests::close;
use vinci_tests::house;

fn vinci(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(house::program()).current_dir(house::root()).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

const PART: &str = "host/scenes/dropped-part.json";
const DATA: &str = "host/scenes/dropped-part.csv";
const FRICTION: &str = "scene.materials.default.friction=[0.05, 0.5]";
const RESTITUTION: &str = "scene.materials.default.restitution=[0.2, 0.9]";

#[test]
fn a_fit_finds_the_values_of_the_page_and_writes_an_experiment() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("fitted.json");
    let out = out.to_str().unwrap();
    let (code, text, told) = vinci(&[
        "fit",
        PART,
        "--data",
        DATA,
        "--free",
        FRICTION,
        "--free",
        RESTITUTION,
        "--out",
        out,
        "--json",
    ]);
    assert_eq!(code, Some(0), "{text}{told}");
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&found["command"], &found["exit_code"]), (&json!("fit"), &json!(0)));
    for (parameter, planted) in found["parameters"].as_array().unwrap().iter().zip([0.25, 0.6]) {
        let [value, half] = ["value", "half_width"].map(|key| parameter[key].as_f64().unwrap());
        assert!((value - planted).abs() <= half && half < 0.02, "{parameter}");
    }
    let written: Value = serde_json::from_slice(&std::fs::read(out).unwrap()).unwrap();
    assert_eq!(written["scene"]["materials"]["default"]["friction"], found["parameters"][0]["value"]);
    assert_eq!(vinci(&["check", out]).0, Some(0));
    // Two fits are the same to the bit.
    let again = vinci(&[
        "fit",
        PART,
        "--data",
        DATA,
        "--free",
        FRICTION,
        "--free",
        RESTITUTION,
        "--out",
        out,
        "--json",
    ]);
    assert_eq!(again.1, text);
}

#[test]
fn derivatives_are_printed_for_people_and_for_programs() {
    let block = "host/scenes/sliding-block.json";
    let by = "scene.materials.default.friction,scene.bodies.block.velocity.0";
    let (code, text, _) = vinci(&["sensitivity", block, "--of", "block.x", "--by", by]);
    assert_eq!(code, Some(0));
    assert!(text.contains("active set") && text.contains("block.x = 0.39779"), "{text}");
    // A backward pass said "0 runs"; both readings of ties are runs, and so are two along a direction.
    let (_, text, _) = vinci(&["sensitivity", block, "--of", "block.x", "--by", by, "--reverse"]);
    assert!(text.ends_with("active set\n4 runs\n"), "{text}");
    let (_, text, _) = vinci(&["sensitivity", block, "--of", "block.x", "--by", by, "--json"]);
    let found: Value = serde_json::from_str(&text).unwrap();
    let derivative = &found["measures"][0]["derivatives"][0];
    close("by μ", derivative["value"].as_f64().unwrap(), -0.80442, 1e-6);
    assert_eq!((&derivative["method"], &derivative["kink"]), (&json!("active set"), &Value::Null));
}

fn write(directory: &Path, name: &str, text: &str) -> String {
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn bad_input_ends_with_the_codes_of_the_book_and_advice() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| write(directory.path(), name, text);
    let fit = |data: &str, free: &str| vinci(&["fit", PART, "--data", data, "--free", free]);
    let good = file("good.csv", "time,part.x\n0,0\n0.1,0.6\n");
    let cases = [
        (fit("nothing.csv", FRICTION), 3, "there is no file nothing.csv"),
        (fit(&file("empty.csv", ""), FRICTION), 7, "it has no column `time`"),
        (fit(&file("rows.csv", "time,part.x\n"), FRICTION), 3, "holds no measurement"),
        (fit(&file("nan.csv", "time,part.x\n0,NaN\n"), FRICTION), 3, "`part.x` is NaN in row 1"),
        (fit(&file("words.csv", "time,part.x\n0,much\n"), FRICTION), 7, "no number"),
        (fit(&file("other.csv", "time,cup.x\n0,0\n"), FRICTION), 3, "has no column `cup.x`"),
        (fit(&file("late.csv", "time,part.x\n0,0\n9,1\n"), FRICTION), 3, "the run 0 … 0.8 s"),
        (fit(&good, "scene.materials.default.friction=[0.5, 0.1]"), 3, "reversed"),
        (fit(&good, "scene.materials.default.friction"), 3, "no bounds"),
        (fit(&good, "scene.materials.default.name=[0, 1]"), 3, "error["),
        (fit(&good, "scene.materials.default.rolling=[0, 1]"), 3, "error["),
        (vinci(&["fit", PART, "--data", &good, "--free", FRICTION, "--difference", "0"]), 2, "--difference"),
        (vinci(&["fit", PART, "--data", &good]), 2, "--free"),
        (
            vinci(&[
                "sensitivity",
                PART,
                "--of",
                "part.x",
                "--by",
                "scene.materials.default.friction",
                "--exact",
            ]),
            3,
            "no-derivative",
        ),
        (
            vinci(&["sensitivity", PART, "--of", "part.q", "--by", "scene.materials.default.friction"]),
            3,
            "`part.q`",
        ),
        (
            vinci(&["sensitivity", PART, "--of", "part.x@x", "--by", "scene.materials.default.friction"]),
            2,
            "is no time",
        ),
        (
            vinci(&["sensitivity", PART, "--of", "part.x", "--by", "scene.bodies.ground.mass"]),
            3,
            "has no value",
        ),
    ];
    for ((code, text, told), expected, words) in cases {
        assert_eq!(code, Some(expected), "{words}: {text}{told}");
        assert!(told.contains(words), "{words}: {told}");
    }
}

/// A search by derivatives step by step fell back to differences and did not say so.
#[test]
fn a_search_without_derivatives_step_by_step_is_told() {
    let line =
        ["fit", PART, "--data", DATA, "--free", FRICTION, "--by", "active-set", "--searches", "1", "--json"];
    let (code, text, told) = vinci(&line);
    assert_eq!(code, Some(0), "{text}{told}");
    let why = "where the step size depends on the state, its derivatives are not known";
    let warning = format!(
        "warning[no-derivative]: the search went by differences of whole runs: {why}\n = help: say --by differences, "
    );
    assert!(told.starts_with(&warning), "{told}");
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found["why_differences"], json!(why));
}

/// What the data do not tell ends with 1, and the words say why.
#[test]
fn a_fit_that_tells_nothing_ends_with_one() {
    let directory = tempfile::tempdir().unwrap();
    let rows: String =
        (0..20).map(|k| format!("{},{}\n", 0.01 * f64::from(k), 1e-4 * f64::from(k % 3))).collect();
    let data = write(directory.path(), "rest.csv", &format!("time,block.x\n{rows}"));
    let still = ["--set", "scene.bodies.block.velocity=[0, 0]"];
    let free = "scene.materials.default.friction=[0.3, 0.9]";
    let mut line = vec!["fit", "host/scenes/sliding-block.json", "--data", &data, "--free", free];
    line.extend(still);
    let (code, text, told) = vinci(&line);
    assert_eq!(code, Some(1), "{text}{told}");
    assert!(text.contains("not identified") && told.contains("warning[not-identified]"), "{text}{told}");
}

/// The recorded data in mm, and one row of them: a fit said how friction slips, and ± 1e-4 where it was off by 1.6e-2.
#[test]
fn data_in_other_units_and_a_single_row_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let recorded = std::fs::read_to_string(house::root().join(DATA)).unwrap();
    let row = |line: &str, by: f64| {
        let numbers: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        format!("{},{},{}\n", numbers[0], by * numbers[1], by * numbers[2])
    };
    let rows = |by: f64| recorded.lines().skip(1).map(|line| row(line, by)).collect::<Vec<_>>();
    let head = "time,part.x,part.y\n".to_owned();
    let millimetres = write(directory.path(), "mm.csv", &(head.clone() + &rows(1000.0).concat()));
    let (code, _, told) = vinci(&["fit", PART, "--data", &millimetres, "--free", FRICTION]);
    assert_eq!(code, Some(1), "{told}");
    assert!(
        told.contains("no run is near the data: farther from `part.x`") && told.contains("units"),
        "{told}"
    );
    let single = write(directory.path(), "one.csv", &(head + &rows(1.0)[40]));
    let (code, text, told) = vinci(&["fit", PART, "--data", &single, "--free", FRICTION]);
    assert_eq!(code, Some(1), "{text}{told}");
    assert!(text.contains("not identified"), "{text}");
}

/// A ball that is thrown to the left or to the right moves the same way along x: both values are told.
#[test]
fn a_second_solution_as_near_to_the_data_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let run = directory.path().join("run");
    let run = run.to_str().unwrap();
    let scene = "host/scenes/slide-to-roll-3d.json";
    let line = [
        "run",
        scene,
        "--set",
        "time.duration=0.3",
        "--set",
        "scene.bodies.ball.velocity.1=1.5",
        "--out",
        run,
    ];
    assert_eq!(vinci(&line).0, Some(0));
    let table = std::fs::read_to_string(Path::new(run).join("trajectory.csv")).unwrap();
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let x = names.iter().position(|name| *name == "ball.x").unwrap();
    let row = |line: &str| {
        let numbers: Vec<&str> = line.split(',').collect();
        format!("{},{:.4}\n", numbers[0], numbers[x].parse::<f64>().unwrap())
    };
    let data =
        write(directory.path(), "x.csv", &format!("time,ball.x\n{}", lines.map(row).collect::<String>()));
    let free = "scene.bodies.ball.velocity.1=[-3, 3]";
    let line =
        ["fit", scene, "--set", "time.duration=0.3", "--data", &data, "--free", free, "--searches", "4"];
    let (code, text, told) = vinci(&line);
    assert_eq!(code, Some(0), "{text}{told}");
    assert!(told.contains("comes as near to the data: they do not tell both apart"), "{text}{told}");
}
