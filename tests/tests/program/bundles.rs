//! `vinci bundle` and `vinci rerun`: results are handed on and repeated; what is not as it was is told.

use std::process::{Command, Stdio};

use serde_json::{Value, json};
use vinci_conformance::fixture::build_stranger;
use vinci_run::lock::Lock;
use vinci_tests::experiment::{set, shipped};
use vinci_tests::house;
use vinci_tests::program::{TestDirectory, output_text, vinci};

use super::interruptions::program::{send, until};

/// A run of an experiment, and its exit code.
fn run(directory: &TestDirectory, experiment: &Value) -> Option<i32> {
    std::fs::write(directory.path("e.json"), experiment.to_string()).unwrap();
    vinci(&["run", &directory.text("e.json"), "--out", &directory.text("run"), "--quiet"]).status.code()
}

fn rerun(directory: &TestDirectory, bundle: &str) -> (Option<i32>, Value) {
    let output = vinci(&["rerun", &directory.text(bundle), "--error-format", "json"]);
    let told = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| Value::String(output_text(&output)));
    (output.status.code(), told)
}

#[test]
fn a_bundle_is_repeated_to_the_byte_elsewhere() {
    let place = TestDirectory::new();
    assert_eq!(run(&place, &shipped("sliding-block")), Some(0));
    let output = vinci(&["bundle", &place.text("run")]);
    assert!(output.status.success(), "{}", output_text(&output));
    // Nothing is left of the first run but the bundle.
    std::fs::remove_dir_all(place.path("run")).unwrap();
    std::fs::remove_file(place.path("e.json")).unwrap();
    let (code, told) = rerun(&place, "run.zip");
    assert_eq!((code, &told["same"]), (Some(0), &json!(true)), "{told:#}");
    assert!(told["runs"][0]["files"].as_u64().unwrap() >= 3, "{told:#}");
    let again = vinci(&["bundle", &place.text("run.zip")]);
    assert_eq!(again.status.code(), Some(7), "{}", output_text(&again));
}

/// A flag cut the run short: pictures of later times were a warning then, and an error in the experiment that the run wrote.
#[test]
fn a_run_that_a_flag_cuts_short_is_repeated_and_goes_on() {
    let place = TestDirectory::new();
    std::fs::write(place.path("e.json"), shipped("needle-peg").to_string()).unwrap();
    let run = ["run", &place.text("e.json"), "--duration", "0.2", "--out", &place.text("run")];
    let output = vinci(&run);
    assert!(
        output.status.success() && output_text(&output).contains("behind the end"),
        "{}",
        output_text(&output)
    );
    let (code, told) = rerun(&place, "run");
    assert_eq!((code, &told["same"]), (Some(0), &json!(true)), "{told:#}");
    let own = vinci(&["check", &place.text("run/experiment.json")]);
    assert!(own.status.success(), "{}", output_text(&own));
}

/// A failed run is a result too: it fails again in the same way.
#[test]
fn a_run_that_is_not_accepted_is_repeated_as_such() {
    let place = TestDirectory::new();
    let coarse = set(&shipped("bouncing-ball"), "/stepper/plugin", "anitescu-potra");
    assert_eq!(run(&place, &set(&coarse, "/time/step", 0.1)), Some(1));
    let (code, told) = rerun(&place, "run");
    assert_eq!((code, &told["same"]), (Some(0), &json!(true)), "{told:#}");
}

#[test]
fn a_run_from_a_saved_state_begins_there_again() {
    let place = TestDirectory::new();
    let half = set(&shipped("sliding-block"), "/time/duration", 0.2);
    assert_eq!(run(&place, &half), Some(0));
    std::fs::rename(place.path("run"), place.path("half")).unwrap();
    let state = place.text("half/states/end.json");
    std::fs::write(place.path("e.json"), shipped("sliding-block").to_string()).unwrap();
    let more = ["--from", &state, "--out", &place.text("run"), "--quiet"];
    let output = vinci(&[&["run", &place.text("e.json")][..], &more].concat());
    assert!(output.status.success(), "{}", output_text(&output));
    std::fs::remove_dir_all(place.path("half")).unwrap();
    let (code, told) = rerun(&place, "run");
    assert_eq!((code, &told["same"]), (Some(0), &json!(true)), "{told:#}");
}

#[test]
fn results_that_were_changed_are_told() {
    let place = TestDirectory::new();
    assert_eq!(run(&place, &shipped("sliding-block")), Some(0));
    // Another experiment than the one that ran.
    let path = place.path("run/experiment.json");
    let written = std::fs::read_to_string(&path).unwrap();
    let experiment: Value = serde_json::from_str(&written).unwrap();
    let slower = set(&experiment, "/scene/bodies/1/velocity", json!([1.5, 0]));
    std::fs::write(&path, slower.to_string()).unwrap();
    let (code, told) = rerun(&place, "run");
    assert_eq!((code, &told["same"]), (Some(1), &json!(false)));
    let differences = told["runs"][0]["differences"].to_string();
    assert!(differences.contains("its last state was") && differences.contains("trajectory.csv"), "{told:#}");
    // A table that was changed, while the summary is as it was: the old files are read too.
    std::fs::write(&path, &written).unwrap();
    let table = place.path("run/trajectory.csv");
    let rows = std::fs::read_to_string(&table).unwrap();
    std::fs::write(&table, rows.replacen("0.01,", "0.02,", 1)).unwrap();
    let (code, told) = rerun(&place, "run");
    assert_eq!(code, Some(1), "{told:#}");
    assert!(told.to_string().contains("trajectory.csv is not what the summary says of it"), "{told:#}");
    std::fs::write(&table, rows).unwrap();
    assert_eq!(rerun(&place, "run").0, Some(0));
    // A summary that claims another state, and another build of a plugin.
    let path = place.path("run/summary.json");
    let summary: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let lie = set(&set(&summary, "/state_hash", "00"), "/stepper/digest", "11");
    std::fs::write(&path, lie.to_string()).unwrap();
    let (code, told) = rerun(&place, "run");
    assert_eq!(code, Some(1));
    assert!(told["runs"][0]["plugins"][0].as_str().unwrap().contains("of another build"), "{told:#}");
    let (code, told) = {
        std::fs::write(&path, set(&summary, "/files", json!({})).to_string()).unwrap();
        rerun(&place, "run")
    };
    assert!(code == Some(1) && told.to_string().contains("lists no files"), "{told:#}");
    // What is kept goes to a directory of its own.
    let kept = vinci(&["rerun", &place.text("run"), "--out", &place.text("run")]);
    assert!(
        kept.status.code() == Some(7) && output_text(&kept).contains("holds something"),
        "{}",
        output_text(&kept)
    );
    // One that cannot run at all.
    std::fs::write(place.path("run/experiment.json"), "{}").unwrap();
    let (code, told) = rerun(&place, "run");
    assert!(code == Some(1) && told.to_string().contains("without a result"), "{told:#}");
}

/// It was packed without a word, and nobody could repeat it.
#[test]
fn a_run_of_a_newer_format_is_not_packed() {
    let place = TestDirectory::new();
    assert_eq!(run(&place, &shipped("sliding-block")), Some(0));
    let summary = place.path("run/summary.json");
    let text = std::fs::read_to_string(&summary).unwrap().replace("vinci/summary@1", "vinci/summary@9");
    std::fs::write(&summary, text).unwrap();
    let output = vinci(&["bundle", &place.text("run")]);
    let told = "its format is \"vinci/summary@9\", this program reads \"vinci/summary@1\"";
    assert!(
        output.status.code() != Some(0) && output_text(&output).contains(told),
        "{}",
        output_text(&output)
    );
    assert!(!place.path("run.zip").exists());
}

/// "`vinci rerun` repeats it" was said of tables that had been cut, or were gone.
#[test]
fn results_that_are_not_as_they_were_written_are_not_packed() {
    let place = TestDirectory::new();
    assert_eq!(run(&place, &shipped("sliding-block")), Some(0));
    let table = place.path("run/trajectory.csv");
    let rows = std::fs::read(&table).unwrap();
    let refused = |words: &str| {
        let output = vinci(&["bundle", &place.text("run")]);
        let told = output_text(&output);
        assert!(output.status.code() == Some(7) && told.contains(words), "{words}: {told}");
        assert!(!place.path("run.zip").exists());
    };
    std::fs::write(&table, &rows[..rows.len() / 2]).unwrap();
    refused("trajectory.csv is not what the summary says of it");
    std::fs::remove_file(&table).unwrap();
    refused("trajectory.csv cannot be read");
    std::fs::write(&table, &rows).unwrap();
    assert!(vinci(&["bundle", &place.text("run")]).status.success());
}

#[test]
fn all_runs_of_a_comparison_are_repeated() {
    let place = TestDirectory::new();
    std::fs::write(place.path("e.json"), shipped("sliding-block").to_string()).unwrap();
    let out = place.text("all");
    let output = vinci(&[
        "compare",
        &place.text("e.json"),
        "--vary",
        "stepper=stewart-trinkle,anitescu-potra",
        "--out",
        &out,
    ]);
    assert!(output.status.success(), "{}", output_text(&output));
    let bundle = place.text("b.zip");
    let inside = vinci(&["bundle", &out, "--out", &place.text("all/b.zip")]);
    assert!(
        inside.status.code() == Some(7) && output_text(&inside).contains("lies within"),
        "{}",
        output_text(&inside)
    );
    let output = vinci(&["bundle", &out, "--out", &bundle]);
    assert!(output.status.success(), "{}", output_text(&output));
    let (code, told) = rerun(&place, "b.zip");
    assert_eq!((code, told["runs"].as_array().map(Vec::len)), (Some(0), Some(2)), "{told:#}");
    // A run that did not end is not passed over.
    std::fs::remove_file(place.path("all/anitescu-potra/summary.json")).unwrap();
    let (code, told) = rerun(&place, "all");
    assert!(code == Some(1) && told.to_string().contains("it did not end"), "{told:#}");
}

/// The tables that a paper prints could be changed in a bundle, and it was called the same.
#[test]
fn tables_of_a_comparison_that_were_changed_are_told() {
    let place = TestDirectory::new();
    std::fs::write(place.path("e.json"), shipped("sliding-block").to_string()).unwrap();
    let vary = [
        "compare",
        &place.text("e.json"),
        "--vary",
        "step=0.01,0.005",
        "--report",
        "--out",
        &place.text("all"),
    ];
    let output = vinci(&vary);
    assert!(output.status.success(), "{}", output_text(&output));
    assert!(vinci(&["bundle", &place.text("all")]).status.success());
    let (code, told) = rerun(&place, "all.zip");
    assert_eq!(
        (code, &told["same"], &told["tables"][0]["differences"]),
        (Some(0), &json!(true), &json!([])),
        "{told:#}"
    );
    assert!(told["tables"][0]["files"].as_u64().unwrap() >= 8, "{told:#}");
    let changed = |file: &str, change: &dyn Fn(String) -> String| {
        let path = place.path("all").join(file);
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        std::fs::write(&path, change(before.clone())).unwrap();
        let (code, told) = rerun(&place, "all");
        let _ = if before.is_empty() { std::fs::remove_file(&path) } else { std::fs::write(&path, &before) };
        assert_eq!((code, &told["same"]), (Some(1), &json!(false)), "{told:#}");
        told["tables"][0]["differences"].to_string()
    };
    let other = changed("comparison.tex", &|text| text.replacen("100", "101", 1));
    assert!(other.contains("comparison.tex is not what compare.json says of it"), "{other}");
    let foreign = changed("comparison-forces.csv", &|_| "time\n".to_owned());
    assert!(foreign.contains("compare.json says nothing of comparison-forces.csv"), "{foreign}");
    let claimed = changed("compare.json", &|text| {
        let mut compared: Value = serde_json::from_str(&text).unwrap();
        compared["runs"][0]["summary"]["referee"]["max_residual"] = json!(0.0);
        compared.to_string()
    });
    assert!(claimed.contains("says something else of 0.01 than its summary"), "{claimed}");
    assert_eq!(rerun(&place, "all").0, Some(0));
}

/// A comparison with a motion of another simulator was never the same.
#[test]
fn a_recorded_motion_in_a_comparison_is_held_against_its_sums() {
    let place = TestDirectory::new();
    assert_eq!(run(&place, &shipped("sliding-block")), Some(0));
    let models = json!([{ "name": "ours", "solver": "newton" }, { "name": "theirs", "trajectory": "run/trajectory.csv" }]);
    let asked = json!({ "format": "vinci/comparison@1", "experiment": "e.json", "models": models });
    std::fs::write(place.path("c.json"), asked.to_string()).unwrap();
    let output = vinci(&["compare", &place.text("c.json"), "--out", &place.text("all")]);
    assert!(output.status.success(), "{}", output_text(&output));
    let (code, told) = rerun(&place, "all");
    assert_eq!((code, &told["same"]), (Some(0), &json!(true)), "{told:#}");
    let made = told["runs"].as_array().unwrap().iter().map(|run| &run["made_again"]).collect::<Vec<_>>();
    assert_eq!(made, [&json!(true), &json!(false)], "{told:#}");
    let table = place.path("all/theirs/trajectory.csv");
    let rows = std::fs::read_to_string(&table).unwrap();
    std::fs::write(&table, rows.replacen("0.01,", "0.02,", 1)).unwrap();
    let (code, told) = rerun(&place, "all");
    assert!(code == Some(1) && told.to_string().contains("trajectory.csv is not what"), "{told:#}");
}

#[test]
fn what_is_no_bundle_is_told() {
    let place = TestDirectory::new();
    std::fs::write(place.path("no.zip"), "no archive").unwrap();
    std::fs::create_dir(place.path("empty")).unwrap();
    // An archive of no files: the message named a directory of its own.
    std::fs::write(place.path("none.zip"), [b"PK\x05\x06".as_slice(), &[0; 18]].concat()).unwrap();
    for (arguments, text) in [
        (["rerun", &place.text("no.zip")], "cannot unpack"),
        (["rerun", &place.text("missing.zip")], "cannot read"),
        (["rerun", &place.text("empty")], "there is no run that ended"),
        (
            ["rerun", &place.text("none.zip")],
            &format!("there is no run that ended in {}", place.text("none.zip")),
        ),
        (["rerun", "/dev/zero"], "it is a device, not a file"),
        (["bundle", &place.text("empty")], "there is no run that ended"),
    ] {
        let output = vinci(&arguments);
        assert!(
            output.status.code() == Some(7) && output_text(&output).contains(text),
            "{arguments:?}: {}",
            output_text(&output)
        );
    }
}

/// A directory of plugins that stood before the command was not passed on to the runs.
#[test]
#[ignore = "long"]
fn plugins_of_a_directory_before_the_command_are_found_again() {
    house::build();
    // A plugin that is nowhere among the program's own.
    let library = build_stranger(&house::root().join("sdk/examples/minimal-solver/Cargo.toml")).unwrap();
    let (place, folder) = (TestDirectory::new(), library.parent().unwrap().to_str().unwrap());
    let (scene, out) = (house::root().join("host/scenes/sliding-block.json"), place.text("run"));
    let line = [
        "run",
        scene.to_str().unwrap(),
        "--solver",
        "minimal",
        "--set",
        "solver.fallback=[\"lemke\"]",
        "--out",
        &out,
    ];
    let first = vinci(&[&["--plugin-dir", folder], &line[..]].concat());
    assert!(first.status.success(), "{}", output_text(&first));
    let again = vinci(&["--plugin-dir", folder, "rerun", &out]);
    assert!(again.status.success(), "{}", output_text(&again));
    assert!(!vinci(&["rerun", &out]).status.success(), "the plugin is found without its directory");
}

/// A pipe as a bundle held the program for ever; a bundle took the place of a pipe, a device or a link.
#[cfg(unix)]
#[test]
fn pipes_and_links_are_no_bundles_and_stay() {
    let place = TestDirectory::new();
    assert_eq!(run(&place, &shipped("sliding-block")), Some(0));
    let made = Command::new("mkfifo").arg(place.path("pipe.zip")).status().unwrap();
    assert!(made.success());
    let (code, told) = rerun(&place, "pipe.zip");
    assert!(code == Some(7) && told.to_string().contains("pipe"), "{told}");
    std::fs::write(place.path("precious"), "mine").unwrap();
    std::os::unix::fs::symlink(place.path("precious"), place.path("link.zip")).unwrap();
    let into = |out: &str| {
        let output = vinci(&["bundle", &place.text("run"), "--out", &place.text(out), "--force"]);
        assert_eq!(output.status.code(), Some(7), "{}", output_text(&output));
        output_text(&output)
    };
    for out in ["pipe.zip", "link.zip"] {
        assert!(into(out).contains("is no plain file: it is not replaced"), "{out}");
        assert!(!std::fs::symlink_metadata(place.path(out)).unwrap().is_file(), "{out}");
    }
    assert_eq!(std::fs::read_to_string(place.path("precious")).unwrap(), "mine");
    // Nor is a file of another run.
    std::fs::rename(place.path("run"), place.path("other")).unwrap();
    assert_eq!(run(&place, &shipped("sliding-block")), Some(0));
    assert!(into("other/summary.json").contains("is a file of the run in its directory"));
    assert_eq!(rerun(&place, "other").0, Some(0));
}

/// A signal ended `rerun` alone: the run that it made went on, and its copy of the bundle stayed.
#[cfg(unix)]
#[test]
fn a_rerun_that_is_stopped_leaves_nothing_behind() {
    let place = TestDirectory::new();
    let long = set(&set(&shipped("block-stack-10"), "/time/step", 0.001), "/time/duration", 4.0);
    assert_eq!(run(&place, &long), Some(0));
    assert!(vinci(&["bundle", &place.text("run")]).status.success());
    std::fs::create_dir(place.path("tmp")).unwrap();
    for signal in ["TERM", "INT"] {
        let again = place.path(&format!("again-{signal}"));
        let mut command = Command::new(house::program());
        command.args(["rerun", &place.text("run.zip"), "--out", again.to_str().unwrap()]);
        command.env("TMPDIR", place.path("tmp")).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let begun = again.join("trajectory.csv.part");
        until("the run to begin", || begun.exists());
        send(&child, signal);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(10), "{signal}: {}", output_text(&output));
        assert_eq!(std::fs::read_dir(place.path("tmp")).unwrap().count(), 0, "{signal}");
        // Its run is gone with it: the directory is nobody's.
        drop(Lock::take(&again).unwrap());
        assert!(!again.join("summary.json").exists(), "{signal}");
    }
}
