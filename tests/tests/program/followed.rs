//! `vinci diff` on directories of runs, and on runs that end early.

use std::process::{Command, Output};

use serde_json::{Value, json};
use vinci_tests::experiment::{experiment, ground, planar, shipped, timed};
use vinci_tests::house;

/// A block that slides.
fn sliding() -> Value {
    let block = json!({"name": "block", "mass": 1, "shapes": [{"type": "box", "size": [0.2, 0.1]}], "position": [0, 0.05],
        "velocity": [2, 0]});
    experiment(planar(0.5, 0.0, json!([ground("planar"), block])), 0.01, 0.2)
}

fn vinci(line: &[String]) -> Output {
    Command::new(house::program()).args(line).output().unwrap()
}

fn words(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// It said "the same" of a run whose table had lost its second half, and of one whose summary nobody can read.
#[test]
fn directories_that_do_not_hold_what_their_run_wrote_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let text = |name: &str| dir.path().join(name).display().to_string();
    std::fs::write(dir.path().join("e.json"), sliding().to_string()).unwrap();
    let line = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    for name in ["a", "b"] {
        assert!(vinci(&line(&["run", "--quiet", "--out", &text(name), &text("e.json")])).status.success());
    }
    let diff = || vinci(&line(&["diff", &text("a"), &text("b")]));
    assert_eq!(diff().status.code(), Some(0), "{}", words(&diff()));
    let spoilt = |file: &str, change: &dyn Fn(&str) -> String, said: &str| {
        let path = dir.path().join("b").join(file);
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, change(&whole)).unwrap();
        let output = diff();
        std::fs::write(&path, &whole).unwrap();
        assert_eq!(output.status.code(), Some(7), "{file}: {}", words(&output));
        assert!(words(&output).contains(said), "{file}: {}", words(&output));
    };
    // One that is gone is no better.
    for file in ["trajectory.csv", "contacts.csv"] {
        let (path, aside) = (dir.path().join("b").join(file), dir.path().join("aside"));
        std::fs::rename(&path, &aside).unwrap();
        let output = diff();
        std::fs::rename(&aside, &path).unwrap();
        assert_eq!(output.status.code(), Some(7), "{file}: {}", words(&output));
        assert!(words(&output).contains(&format!("{file} is missing")), "{file}: {}", words(&output));
    }
    let half = |whole: &str| whole[..whole.len() / 2].to_owned();
    spoilt("trajectory.csv", &half, "trajectory.csv does not hold what the run wrote to it");
    spoilt("contacts.csv", &half, "contacts.csv does not hold what the run wrote to it");
    spoilt("experiment.json", &|whole| whole.replacen("0.5", "0.4", 1), "experiment.json does not hold");
    spoilt("summary.json", &half, "it is no summary");
    let newer = |whole: &str| whole.replacen("vinci/summary@1", "vinci/summary@2", 1);
    spoilt(
        "summary.json",
        &newer,
        "its format is \"vinci/summary@2\", this program reads \"vinci/summary@1\"",
    );
}

/// Flags changed a recorded run too, without a word; and nobody heard that the referee had refused it.
#[test]
fn a_recorded_run_stays_as_it_was_and_its_refusal_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let text = |name: &str| dir.path().join(name).display().to_string();
    std::fs::write(dir.path().join("e.json"), sliding().to_string()).unwrap();
    let line = |words: &[&str]| vinci(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
    assert!(line(&["run", "--quiet", "--out", &text("run"), &text("e.json")]).status.success());
    let change = ["--set", "scene.materials.default.friction=0.3"];
    let output = line(&[&["diff", &text("run"), &text("e.json")][..], &change].concat());
    let said = words(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("as it was recorded, without the changes") && said.contains("0.5 in A, 0.3 in B"),
        "{said}"
    );
    let both = line(&[&["diff", &text("run"), &text("run")][..], &change].concat());
    assert!(
        both.status.code() == Some(2) && words(&both).contains("changes are for files"),
        "{}",
        words(&both)
    );
    let path = dir.path().join("run/summary.json");
    let mut summary: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    summary["referee"]["accepted"] = json!(false);
    std::fs::write(&path, summary.to_string()).unwrap();
    let told = words(&line(&["diff", &text("run"), &text("e.json")]));
    assert!(told.contains("the referee does not accept this run"), "{told}");
}

/// Both jam in step 21: nothing was said of it, and the two were "the same".
#[test]
fn runs_that_both_end_early_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let jammed = timed(&shipped("jammed-fingers"), 0.01, 0.5);
    let write = |name: &str, e: &Value| {
        let path = dir.path().join(name);
        std::fs::write(&path, e.to_string()).unwrap();
        path.display().to_string()
    };
    let (a, mut other) = (write("a.json", &jammed), jammed.clone());
    other["scene"]["materials"]["spare"] = json!({ "friction": 0.3 });
    let b = write("b.json", &other);
    let output = vinci(&["diff".to_owned(), a.clone(), b.clone()]);
    let said = words(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let ends: Vec<&str> = said.lines().filter(|line| line.starts_with("ends ")).collect();
    assert!(
        ends.len() == 2 && ends.iter().all(|line| line.contains("no solver solved the step at t = 0.2 s")),
        "{said}"
    );
    let output = vinci(&["diff".to_owned(), a, b, "--json".to_owned()]);
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["ended"].as_array().map(Vec::len), Some(2), "{value}");
}

/// Both were made again from the start of their experiment: "the same", whatever stood in the directory.
#[test]
fn directories_that_their_experiment_does_not_make_again_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let text = |name: &str| dir.path().join(name).display().to_string();
    std::fs::write(dir.path().join("e.json"), timed(&sliding(), 0.01, 0.2).to_string()).unwrap();
    std::fs::write(dir.path().join("longer.json"), timed(&sliding(), 0.01, 0.3).to_string()).unwrap();
    let line = |words: &str| words.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let all = |words: &str, names: &[&str]| [line(words), names.iter().map(|n| text(n)).collect()].concat();
    assert!(vinci(&all("run --quiet --out", &["run", "e.json"])).status.success());
    assert!(
        vinci(
            &all("run --quiet --from", &["run/states/end.json", "longer.json"])
                .into_iter()
                .chain(["--out".to_owned(), text("rest")])
                .collect::<Vec<_>>()
        )
        .status
        .success()
    );
    assert!(vinci(&all("judge --out", &["judged", "e.json", "run/trajectory.csv"])).status.success());
    for (directory, words) in [
        ("rest", "holds a run that went on from a saved state"),
        ("judged", "holds a motion that was judged"),
    ] {
        let output = vinci(&all("diff", &["run", directory]));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(3) && said.contains(words), "{said}");
    }
    let again = vinci(&all("rerun", &["judged"]));
    let said = String::from_utf8_lossy(&again.stdout);
    assert!(again.status.code() == Some(1) && said.contains("no run makes it again"), "{said}");
}
