//! Comparison files: named models, a matrix with exclusions, combinations that cannot run, several processes.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use vinci_conformance::fixture::{build_member, build_stranger};
use vinci_tests::house;
use vinci_tests::program::output_text;

/// A comparison file in a directory of its own.
pub(crate) struct ComparisonFolder(tempfile::TempDir);

impl ComparisonFolder {
    pub(crate) fn new(comparison: &Value) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        std::fs::write(place.path("c.json"), comparison.to_string()).unwrap();
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn compare(&self, out: &str, more: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(house::program());
        command.arg("compare").arg(self.path("c.json")).arg("--out").arg(self.path(out)).args(more);
        let output = command.output().unwrap();
        (output.status.code(), output_text(&output))
    }

    fn compared(&self, out: &str) -> Value {
        json_of(&self.path(out).join("compare.json"))
    }
}

fn json_of(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn scene(name: &str) -> String {
    house::root().join("host/scenes").join(name).display().to_string()
}

/// Three models of a sliding block, one of which has no solver; TAMSI brings its solver and a stiffness.
fn models() -> Value {
    json!({ "format": "vinci/comparison@1", "experiment": scene("sliding-block.json"), "set": { "time.duration": 0.1 },
        "models": [
            { "name": "ST", "stepper": "stewart-trinkle" },
            { "name": "TAMSI", "stepper": { "plugin": "tamsi", "options": { "stiction_velocity": 0.001 } }, "solver": "newton-tals",
              "set": { "scene.materials.default.stiffness": 1e6 } },
            { "name": "bare", "stepper": "tamsi" } ],
        "matrix": [{ "vary": "step", "values": [0.01, 0.005] }],
        "exclude": [{ "model": "TAMSI", "step": [0.005] }] })
}

fn varied(compared: &Value, key: &str) -> Vec<String> {
    let of = |run: &Value| {
        format!("{} {}", run["varied"]["model"].as_str().unwrap(), run["varied"]["step"].as_str().unwrap())
    };
    compared[key].as_array().unwrap().iter().map(of).collect()
}

#[test]
fn models_run_as_the_file_says_and_impossible_pairs_are_listed_with_the_reason() {
    let place = ComparisonFolder::new(&models());
    let (code, told) = place.compare("out", &[]);
    assert_eq!(code, Some(0), "{told}");
    let compared = place.compared("out");
    assert_eq!(varied(&compared, "runs"), ["ST 0.01", "ST 0.005", "TAMSI 0.01"]);
    assert_eq!(varied(&compared, "not_run"), ["bare 0.01", "bare 0.005"]);
    let reason = "vinci.stepper.tamsi emits problems of class Root, but vinci.solver.lemke takes `Mlcp`; there is no bridge between them";
    assert!(told.contains(&format!("not run\n  bare, 0.01: {reason}\n  bare, 0.005: {reason}\n")), "{told}");
    assert_eq!(compared["not_run"][0]["codes"], json!(["contradiction"]));
    assert!(told.starts_with("model             step              status       steps   µs/step"), "{told}");
    // What a model brings is in its run alone.
    let experiment = |run: &str| json_of(&place.path("out").join(run).join("experiment.json"));
    let (soft, rigid) = (experiment("TAMSI+0.01"), experiment("ST+0.005"));
    assert_eq!(soft["stepper"]["options"]["stiction_velocity"], 0.001);
    assert_eq!(
        (&soft["solver"]["plugin"], &soft["scene"]["materials"]["default"]["stiffness"]),
        (&json!("newton-tals"), &json!(1e6))
    );
    assert_eq!(
        (&rigid["time"], &rigid["scene"]["materials"]["default"]["stiffness"]),
        (&json!({"step": 0.005, "duration": 0.1}), &Value::Null)
    );
    assert!(!place.path("out/bare+0.01").exists());
    assert_eq!(place.compare("strict", &["--strict"]).0, Some(3));
}

#[test]
fn runs_in_processes_of_their_own_come_to_the_same_states() {
    let place = ComparisonFolder::new(&models());
    assert_eq!(place.compare("one", &[]).0, Some(0));
    let (code, told) = place.compare("two", &["--jobs", "2"]);
    assert_eq!(code, Some(0), "{told}");
    let hashes = |out: &str| -> Vec<Value> {
        place.compared(out)["runs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|run| run["summary"]["trajectory_hash"].clone())
            .collect()
    };
    assert_eq!(hashes("one"), hashes("two"));
    let again =
        Command::new(house::program()).args(["compare", "--resume"]).arg(place.path("two")).output().unwrap();
    assert!(output_text(&again).contains("has ended (exit code 0)"), "{}", output_text(&again));
}

/// Runs take turns on one processor: what one of them does to the process is put back before the next goes on, and is no fault of the others.
#[test]
fn a_run_that_changes_the_process_is_at_fault_alone_and_turns_change_no_bit() {
    house::build();
    let bad = build_member("vinci-bad-plugins").unwrap();
    let solver = json!({ "plugin": bad.display().to_string(), "options": { "at": "solve", "do": "chdir" } });
    // Some 50 ms each, so that the turn passes many times.
    let place = ComparisonFolder::new(
        &json!({ "format": "vinci/comparison@1", "experiment": scene("sliding-block.json"),
        "set": { "time.duration": 2.0, "time.step": 0.001 },
        "models": [{ "name": "first" }, { "name": "bad", "solver": solver }, { "name": "AP", "stepper": "anitescu-potra" }] }),
    );
    let compare = |out: &str, more: &[&str]| {
        let mut command = Command::new(house::program());
        command.current_dir(place.path("")).args(["compare", "c.json", "--out", out]).args(more);
        let output = command.output().unwrap();
        (output.status.code(), output_text(&output))
    };
    let (code, told) = compare("turns", &[]);
    assert_eq!(code, Some(5), "{told}");
    let rows = place.compared("turns");
    let of = |k: usize, key: &str| rows["runs"][k]["summary"][key].clone();
    assert_eq!(
        [0, 1, 2].map(|k| of(k, "status")),
        [json!("completed"), json!("failed"), json!("completed")],
        "{told}"
    );
    let blamed = rows["runs"][1]["summary"]["failure"].to_string();
    assert!(blamed.contains("the working directory (it was put back)"), "{blamed}");
    // Alone, in processes of their own, they come to the same bytes.
    assert_eq!(compare("apart", &["--jobs", "1"]).0, Some(5));
    for file in ["first/trajectory.csv", "first/contacts.csv", "AP/trajectory.csv", "bad/trajectory.csv"] {
        let [turns, apart] = ["turns", "apart"].map(|out| std::fs::read(place.path(out).join(file)).unwrap());
        assert!(turns == apart, "{file}");
    }
}

#[test]
fn a_model_that_takes_its_process_along_is_a_failed_row() {
    house::build();
    let bad = build_member("vinci-bad-plugins").unwrap();
    let solver = json!({ "plugin": bad.display().to_string(), "options": { "at": "solve", "do": "abort" } });
    let mut comparison = models();
    comparison["models"][1] = json!({ "name": "TAMSI", "solver": solver });
    let place = ComparisonFolder::new(&comparison);
    let (code, told) = place.compare("out", &["--jobs", "2"]);
    assert_eq!(code, Some(5), "{told}");
    assert!(told.contains("TAMSI, 0.01: its process ended without a result: signal: 6"), "{told}");
    assert_eq!(place.compared("out")["runs"][2]["summary"]["status"], "failed");
    assert_eq!(place.compared("out")["runs"][1]["summary"]["status"], "completed");
}

/// The processes heard of folders behind the command alone, and of no library: each refused what the comparison had taken.
#[test]
#[ignore = "long"]
fn runs_in_processes_of_their_own_may_load_what_the_comparison_may() {
    house::build();
    // A plugin that is nowhere among the program's own.
    let library = build_stranger(&house::root().join("sdk/examples/minimal-solver/Cargo.toml")).unwrap();
    let (place, folder) = (ComparisonFolder::new(&models()), library.parent().unwrap().to_str().unwrap());
    let compare = |before: &[&str], solver: &str, out: &str| {
        let mut command = Command::new(house::program());
        command.args(before).args(["compare", &scene("sliding-block.json"), "--duration", "0.05"]);
        command
            .args(["--jobs", "2", "--vary", &format!("solver=lemke,{solver}"), "--out"])
            .arg(place.path(out));
        let output = command.output().unwrap();
        assert!(
            !output_text(&output).contains("its process ended without a result"),
            "{}",
            output_text(&output)
        );
        place.compared(out)["runs"][1]["summary"]["solver"]["id"].clone()
    };
    assert_eq!(compare(&[], library.to_str().unwrap(), "by-path"), "example.solver.minimal");
    assert_eq!(compare(&["--plugin-dir", folder], "minimal", "by-folder"), "example.solver.minimal");
}

#[test]
fn where_nothing_can_run_the_comparison_is_refused() {
    let mut comparison = models();
    comparison["models"] = json!([{ "name": "bare", "stepper": "tamsi" }]);
    comparison["exclude"] = json!([]);
    let (code, told) = ComparisonFolder::new(&comparison).compare("out", &[]);
    assert_eq!(code, Some(3), "{told}");
    assert!(
        told.contains("error[contradiction]: vinci.stepper.tamsi emits problems of class Root"),
        "{told}"
    );
}

#[test]
fn what_is_wrong_in_a_file_is_told_at_its_place() {
    let told = |change: &dyn Fn(&mut Value)| {
        let mut comparison = models();
        change(&mut comparison);
        let (code, told) = ComparisonFolder::new(&comparison).compare("out", &[]);
        assert_eq!(code, Some(3), "{told}");
        told
    };
    type Case<'a> = (&'a dyn Fn(&mut Value), &'a str);
    let cases: [Case<'_>; 7] = [
        (&|c| c["exclude"][0]["modle"] = json!("ST"), "error[unknown-name]: there is no axis `modle`"),
        (
            &|c| c["exclude"][0]["model"] = json!("TAMS"),
            "error[unknown-name]: there is no value of `model` `TAMS`",
        ),
        (
            &|c| c["models"][1]["name"] = json!("ST"),
            "error[duplicate-name]: there are two entries for the model `ST`",
        ),
        (
            &|c| c["matrix"][0]["values"] = json!([0.01, 0.01]),
            "error[duplicate-name]: `0.01` stands twice among the values of `step`",
        ),
        (&|c| c["models"][0]["sett"] = json!({}), "error[unknown-key]: unknown key `sett` in `models[0]`"),
        (&|c| c["models"][0]["set"] = json!({ "scene..x": 1 }), "error[bad-set]: `scene..x` is not a path"),
        (&|c| c["models"][0]["step"] = json!(-1), "error[out-of-range]"),
    ];
    for (change, message) in cases {
        let told = told(change);
        assert!(told.contains(message), "{message}\n{told}");
    }
}

#[test]
fn flags_and_files_do_not_mix_and_something_must_be_varied() {
    let place = ComparisonFolder::new(&models());
    let (code, told) = place.compare("out", &["--vary", "step=0.01"]);
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("error[usage]: a comparison file says what is varied"), "{told}");
    let output =
        Command::new(house::program()).args(["compare", &scene("sliding-block.json")]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output_text(&output).contains("error[usage]: nothing is varied"), "{}", output_text(&output));
    // Changes are made in every run.
    assert_eq!(place.compare("out", &["--duration", "0.05"]).0, Some(0));
    assert_eq!(place.compared("out")["runs"][0]["summary"]["time_end"], 0.05);
}

/// A block that slides to its stop is of first order under a stepper of first order, and exact under one of second.
#[test]
fn errors_to_a_closed_form_and_orders_are_those_of_the_methods() {
    let mut comparison = models();
    comparison["models"] = json!([{ "name": "ST", "stepper": "stewart-trinkle" }, { "name": "trapezoidal", "stepper": "trapezoidal" }]);
    comparison["matrix"] = json!([{ "vary": "step", "values": [0.01, 0.005, 0.0025] }]);
    comparison["exclude"] = json!([]);
    let g = 9.81;
    let formula = json!({ "block.x": format!("2*t - 0.25*{g}*t^2"), "block.vx": format!("2 - 0.5*{g}*t") });
    comparison["reference"] = json!({ "formula": formula });
    let place = ComparisonFolder::new(&comparison);
    let (code, told) = place.compare("out", &[]);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("error to the closed form: most over time\n"), "{told}");
    let measures = &place.compared("out")["measures"]["runs"];
    let max = |run: usize, kind: &str| measures[run]["errors"][kind]["max"].as_f64();
    for (run, h) in [0.01, 0.005, 0.0025].into_iter().enumerate() {
        // x of the scheme is x(t) − μ g h t/2 at t = 0.1 s.
        let expected = 0.25 * g * h * 0.1;
        assert!((max(run, "position").unwrap() - expected).abs() < 1e-12, "{told}");
        assert!(max(3 + run, "position").unwrap() < 1e-14, "{told}");
        assert!(max(run, "velocity").unwrap() < 1e-13, "{told}");
        assert_eq!(max(run, "rotation"), None);
    }
    assert!((measures[0]["order"].as_f64().unwrap() - 1.0).abs() < 1e-9, "{told}");
    assert_eq!(measures[3]["order"], Value::Null, "rounding has no order");
    let text = |name: &str| std::fs::read_to_string(place.path("out").join(name)).unwrap();
    assert!(
        text("comparison.csv").starts_with("model,step,status,steps,total_s,"),
        "{}",
        text("comparison.csv")
    );
    assert_eq!(text("comparison.csv").lines().count(), 7);
    assert!(text("comparison.tex").contains("ST & 0.01 & 10 & "), "{}", text("comparison.tex"));
    let page = text("comparison.html");
    for figure in ["comparison-errors.svg", "comparison-work.svg", "comparison-modes.svg"] {
        assert!(text(figure).contains("<svg") && page.contains(figure), "{figure}");
    }
    // The runs themselves, each under its own name.
    assert!(page.contains("<iframe src=\"comparison-view.html\""), "{page}");
    let view = text("comparison-view.html");
    assert!(view.contains("\"name\":\"ST, 0.01\"") && view.contains("vinci/view@1"));
    // A colour for the model and dashes for the step, as in the figures.
    let (_, header) = view.split_once("id=\"vinci-header\">").unwrap();
    let header: Value = serde_json::from_str(header.split_once("</script>").unwrap().0).unwrap();
    let looks = header["runs"].as_array().unwrap().iter().map(|run| [&run["colour"], &run["dash"]]);
    let looks = looks.map(|look| look.map(|place| place.as_u64().unwrap())).collect::<Vec<_>>();
    assert_eq!(looks, [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]);
    let modes = text("comparison-modes.svg");
    assert!(modes.contains("fill=\"#e07a00\"") && modes.contains(">slip<"), "{modes}");
    // The files are the comparison's own: it may be made anew there.
    assert_eq!(place.compare("out", &["--reference", "model=ST,step=0.0025"]).0, Some(0));
    let again = place.compared("out");
    assert_eq!(again["measures"]["reference"], "model=ST,step=0.0025");
    assert_eq!(again["measures"]["runs"][2]["errors"]["position"]["max"], 0.0);
    assert_eq!(again["measures"]["runs"][2]["modes"], json!({ "differing": 0.0, "first": null }));
    let (code, told) = place.compare("out", &["--reference", "step=0.0025"]);
    assert_eq!(code, Some(3), "{told}");
    assert!(told.contains("error[unknown-name]: the reference names 2 runs, not one"), "{told}");
}

/// A file of a newer program was taken for an experiment, and a switch was refused without a word of what to write.
#[test]
fn a_newer_file_and_a_switch_are_told_in_words_that_help() {
    let told = |changes: Value| {
        let mut file = json!({ "format": "vinci/comparison@1", "experiment": scene("sliding-block.json"),
            "matrix": [{ "vary": "step", "values": [0.01, 0.005] }] });
        changes.as_object().unwrap().iter().for_each(|(key, value)| file[key] = value.clone());
        let (code, text) = ComparisonFolder::new(&file).compare("out", &[]);
        assert_eq!(code, Some(3), "{text}");
        text
    };
    let newer = told(json!({ "format": "vinci/comparison@2" }));
    let words = "error[wrong-format]: `format` must be \"vinci/comparison@1\", found the string \"vinci/comparison@2\"";
    assert!(
        newer.contains(words) && newer.contains("= help: this program reads version 1 of the formats"),
        "{newer}"
    );
    let switch = told(json!({ "same_state": true }));
    assert!(switch.contains("error[wrong-type]: `same_state` must be an object, found true"), "{switch}");
    assert!(switch.contains("`{}` for the run that is the reference, else the first"), "{switch}");
    let finest = told(json!({ "reference": "finest" }));
    assert!(
        finest.contains("= help: Reference for errors, as `{ \"finest\": true }`; default none"),
        "{finest}"
    );
}

/// A table of dashes, or of zeros where every run was its own reference.
#[test]
fn where_no_step_is_the_finest_the_reason_stands_in_the_place_of_errors() {
    let models = json!([{ "name": "a", "stepper": "stewart-trinkle", "step": 0.01 }, { "name": "b", "stepper": "anitescu-potra", "step": 0.005 }]);
    let place = ComparisonFolder::new(
        &json!({ "format": "vinci/comparison@1", "experiment": scene("sliding-block.json"),
        "models": models, "set": { "time.duration": 0.1 }, "reference": { "finest": true } }),
    );
    let (code, text) = place.compare("out", &[]);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("error to the finest step: none; no two runs differ in their step alone\n"),
        "{text}"
    );
    let page = std::fs::read_to_string(place.path("out/comparison.html")).unwrap();
    assert!(page.contains("<p>No errors: no two runs differ in their step alone.</p>"), "{page}");
}

/// A comparison with a report, and after it one without: the tables and figures of the first stood beside the results of the second.
#[test]
fn files_of_an_earlier_comparison_leave() {
    let place = tempfile::tempdir().unwrap();
    let scene = house::root().join("host/scenes/sliding-block.json");
    let compare = |more: &[&str]| {
        let mut command = Command::new(house::program());
        command.arg("compare").arg(&scene).arg("--out").arg(place.path().join("out"));
        let output = command.args(["--duration", "0.1"]).args(more).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
    };
    let page = place.path().join("out").join("comparison.html");
    compare(&["--vary", "step=0.01,0.005", "--reference", "finest", "--report"]);
    assert!(page.exists());
    compare(&["--vary", "stepper=stewart-trinkle,anitescu-potra"]);
    assert!(!page.exists() && !page.with_file_name("comparison.csv").exists());
}

/// Two rows of a matrix beside a model with this name.
fn called(name: &str) -> Value {
    json!({ "format": "vinci/comparison@1", "experiment": scene("sliding-block.json"), "set": { "time.duration": 0.02 },
        "models": [{ "name": name }, { "name": "other", "step": 0.005 }] })
}

/// A run called `..` wrote beside the comparison, one called `compare.json` lost its table.
#[test]
fn runs_lie_in_the_comparisons_directory_and_take_the_names_of_none_of_its_files() {
    for name in [
        "..",
        ".",
        ".vinci-lock",
        "compare.json",
        "compare.plan.json",
        "comparison.csv",
        "comparison-errors.svg",
    ] {
        let place = ComparisonFolder::new(&called(name));
        std::fs::create_dir_all(place.path("a/b")).unwrap();
        let (code, told) = place.compare("a/b", &["--force"]);
        assert!(
            told.contains(&format!("a run cannot be called `{name}`: its results would not lie")),
            "{told}"
        );
        assert_eq!(code, Some(3));
        assert_eq!(std::fs::read_dir(place.path("a")).unwrap().count(), 1);
    }
    let place = ComparisonFolder::new(&called(&["..", "..", "x"].join("/")));
    assert_eq!(place.compare("a/b", &[]).0, Some(0));
    assert!(place.path("a/b/.._.._x/summary.json").exists());
}

/// 10¹⁰ combinations took all memory.
#[test]
fn a_matrix_has_an_end() {
    let axis = |of: &str| json!({ "vary": of, "values": (1..=100).collect::<Vec<_>>() });
    let masses = ["duration", "scene.bodies.block.mass", "scene.gravity[0]", "scene.gravity[1]", "step"];
    let matrix: Vec<Value> = masses.iter().map(|of| axis(of)).collect();
    let mut comparison = called("one");
    comparison["matrix"] = json!(matrix);
    let (code, told) = ComparisonFolder::new(&comparison).compare("out", &[]);
    assert!(code == Some(3) && told.contains("a comparison has at most 10000 combinations"), "{told}");
    let bare = json!({ "format": "vinci/comparison@1", "experiment": scene("sliding-block.json") });
    let (code, told) = ComparisonFolder::new(&bare).compare("out", &[]);
    assert!(code == Some(3) && told.contains("nothing is varied"), "{told}");
}

/// 1200 runs needed 1200 open files before the first one.
#[test]
fn many_runs_need_no_more_open_files_than_one() {
    let mut comparison = called("one");
    let masses: Vec<f64> = (1..=60).map(f64::from).collect();
    comparison["matrix"] = json!([{ "vary": "scene.bodies.block.mass", "values": masses }]);
    let place = ComparisonFolder::new(&comparison);
    let mut command = Command::new("sh");
    command.arg("-c").arg("ulimit -n 40; exec \"$@\"").arg("sh").arg(house::program()).arg("compare");
    let output = command.arg(place.path("c.json")).arg("--out").arg(place.path("out")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
    assert_eq!(place.compared("out")["runs"].as_array().unwrap().len(), 120);
}

#[test]
fn references_are_looked_at_before_anything_runs_and_what_they_lack_is_told() {
    let with = |reference: Value| {
        let mut comparison = called("one");
        comparison["reference"] = reference;
        let place = ComparisonFolder::new(&comparison);
        let told = place.compare("out", &[]);
        (place, told)
    };
    let (place, (code, told)) = with(json!({ "file": "nosuch.csv" }));
    assert!(code == Some(3) && told.contains("nosuch.csv to measure errors against"), "{told}");
    let (_, (code, told)) = with(json!({ "formula": { "block.x": "2*" } }));
    assert!(code == Some(3) && told.contains("the closed form of `block.x` cannot be read"), "{told}");
    assert!(!place.path("out").exists());
    let (_, (code, told)) = with(json!({ "formula": { "nope.x": "t", "block.x": "sqrt(t-0.01)" } }));
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("the reference of one: `nope.x` is no column of its trajectory"), "{told}");
    assert!(told.contains("the reference of one: `block.x` is no number at 1 of 3 times"), "{told}");
    // A key that is no key is told before runs that do not differ in their step.
    let mut comparison = called("one");
    comparison["matrix"] = json!([{ "vary": "stp", "values": [0.01, 0.005] }]);
    comparison["reference"] = json!({ "finest": true });
    comparison["localised"] = json!({ "window": 0.02 });
    let (code, told) = ComparisonFolder::new(&comparison).compare("out", &[]);
    assert!(code == Some(3) && told.contains("unknown key `stp`"), "{told}");
    // Of columns that no run has nothing would be measured at all.
    let (place, (code, told)) = with(json!({ "formula": { "blok.x": "t" } }));
    assert!(code == Some(3) && told.contains("a run has none of the columns of the closed form"), "{told}");
    assert!(told.contains("did you mean `block.x`?") && !place.path("out/compare.json").exists(), "{told}");
}

#[test]
fn files_that_are_not_there_or_hold_something_else_are_told_as_that() {
    let compare = |file: &str| {
        let output = Command::new(house::program()).args(["compare", file]).output().unwrap();
        (output.status.code(), output_text(&output))
    };
    let (code, told) = compare("nosuch.json");
    assert!(code == Some(3) && told.contains("nosuch.json"), "{told}");
    let (code, told) = compare(&scene("sliding-block.json"));
    assert!(code == Some(2) && told.contains("nothing is varied"), "{told}");
}

/// `check` and `plugin lock` called comparison files experiments of a wrong format.
#[test]
fn check_and_lock_take_comparison_files() {
    let place = ComparisonFolder::new(&models());
    let vinci = |words: &[&str]| {
        let mut command = Command::new(house::program());
        let output = command.args(words).current_dir(place.0.path()).output().unwrap();
        (output.status.code(), output_text(&output))
    };
    let (code, told) = vinci(&["check", "c.json"]);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("c.json: ok") && told.contains("bare, 0.01 cannot run: "), "{told}");
    assert_eq!(vinci(&["check", "c.json", "--strict"]).0, Some(3), "a model that cannot run");
    let (code, told) = vinci(&["plugin", "lock", "c.json"]);
    assert_eq!(code, Some(0), "{told}");
    for id in ["stewart-trinkle", "tamsi", "newton-tals"] {
        assert!(told.contains(id), "{told}");
    }
    let (code, told) = vinci(&["compare", "c.json", "--locked"]);
    assert_eq!(code, Some(0), "{told}");
    let mut wrong = models();
    wrong["reference"] = json!({ "file": "not-there.csv" });
    std::fs::write(place.path("c.json"), wrong.to_string()).unwrap();
    assert_eq!(vinci(&["check", "c.json"]).0, Some(3), "a reference that is not there");
}

/// The figure of work and precision was empty where every model has one step: a line of one point is not seen.
#[test]
fn a_model_with_one_step_is_a_dot() {
    let place = ComparisonFolder::new(
        &json!({ "format": "vinci/comparison@1", "experiment": scene("sliding-block.json"), "set": { "time.duration": 0.1 },
        "models": [ { "name": "ST", "stepper": "stewart-trinkle" }, { "name": "QP", "stepper": "anitescu-qp" } ],
        "reference": { "formula": { "block.x": "2*t - 0.5*4.905*t^2" } } }),
    );
    let (code, told) = place.compare("out", &[]);
    assert_eq!(code, Some(0), "{told}");
    let figure = std::fs::read_to_string(place.path("out/comparison-work.svg")).unwrap();
    // One in the axes and one in the legend for each.
    assert_eq!(figure.matches("<circle").count(), 4, "{figure}");
}

/// A ball that has jumped away has no contacts that are recorded: the steps in which another one lies there were not compared.
#[test]
fn a_body_that_has_left_is_in_another_mode_than_one_that_stays() {
    let ball = |restitution: f64| json!({ "name": format!("e = {restitution}"), "set": { "scene.materials.default.restitution": restitution } });
    let place = ComparisonFolder::new(
        &json!({ "format": "vinci/comparison@1", "experiment": scene("bouncing-ball.json"), "set": { "time.duration": 0.6 },
        "models": [ball(0.0), ball(0.8)], "reference": { "run": { "model": "e = 0" } } }),
    );
    let (code, told) = place.compare("out", &[]);
    assert_eq!(code, Some(0), "{told}");
    let modes = place.compared("out")["measures"]["runs"][1]["modes"].clone();
    // Both fall 1 m in 0.4515 s; then one lies there for the rest of 0.6 s.
    let part = modes["differing"].as_f64().unwrap();
    assert!((part - 0.1485 / 0.6).abs() < 0.01, "{modes}");
    assert!((modes["first"].as_f64().unwrap() - 0.4515).abs() < 0.01, "{modes}");
}

/// The table said that it was of coordinates, and velocities were in it.
#[test]
fn the_difference_to_the_first_run_is_that_of_coordinates_and_velocities() {
    let place = ComparisonFolder::new(&models());
    let (_, told) = place.compare("out", &[]);
    assert!(
        told.contains("the largest difference of a coordinate or a velocity at the end to the first run"),
        "{told}"
    );
    let compared = place.compared("out");
    let last = |run: &Value| -> Vec<f64> {
        let table = Path::new(run["directory"].as_str().unwrap()).join("trajectory.csv");
        let text = std::fs::read_to_string(table).unwrap();
        text.lines().last().unwrap().split(',').skip(1).map(|cell| cell.parse().unwrap()).collect()
    };
    let runs = compared["runs"].as_array().unwrap();
    let first = last(&runs[0]);
    for run in runs {
        let most = last(run).iter().zip(&first).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        assert_eq!(run["difference"].as_f64(), Some(most));
    }
    assert!(runs.iter().any(|run| run["difference"].as_f64() > Some(0.0)));
}
