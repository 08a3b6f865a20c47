//! Looking for plugins where something is wrong: the cause is told, and one damaged library does not end the search.

use std::process::{Command, Stdio};

use serde_json::Value;
use vinci_tests::house;
use vinci_tests::program::output_text;

fn vinci(arguments: &[&str]) -> Command {
    let mut command = Command::new(house::program());
    command.args(arguments);
    command
}

fn experiment() -> String {
    house::root().join("host/scenes/sliding-block.json").display().to_string()
}

/// The file that is named after the plugin cannot be used: that is why there is none.
#[test]
fn a_refused_library_of_the_right_name_is_the_cause() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("libmine_fast.so"), "no library").unwrap();
    let arguments =
        ["run", &experiment(), "--solver", "mine.solver.fast", "--plugin-dir", dir.path().to_str().unwrap()];
    let output = vinci(&arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{}", output_text(&output));
    let text = output_text(&output);
    assert!(
        text.contains("the solver `mine.solver.fast` was not found, and this could not be looked at"),
        "{text}"
    );
    assert!(text.contains("libmine_fast.so is a text file"), "{text}");
}

/// Runs went on with plugins from elsewhere, and nobody was told.
#[test]
fn a_place_for_plugins_that_is_none_is_told() {
    let run = |name: &str| {
        let mut command = vinci(&["check", &experiment(), "--plugin-dir", name]);
        command.env("VINCI_PLUGIN_PATH", "/not/there").output().unwrap()
    };
    let nowhere = run("nowhere");
    assert_eq!(nowhere.status.code(), Some(0), "{}", output_text(&nowhere));
    let here = std::env::current_dir().unwrap();
    for (by, place) in [("--plugin-dir", here.join("nowhere")), ("VINCI_PLUGIN_PATH", "/not/there".into())] {
        let words = format!("warning[plugin]: {by} names {}, which is not a directory", place.display());
        assert!(output_text(&nowhere).contains(&words), "{}", output_text(&nowhere));
    }
    let somewhere = run(house::build().to_str().unwrap());
    assert!(!output_text(&somewhere).contains("--plugin-dir"), "{}", output_text(&somewhere));
}

/// A plugin that computes is not interrupted, but ended.
#[test]
fn a_solution_that_takes_too_long_ends_with_the_program() {
    let tower = house::root().join("tests/data/problems/siconos/coulomb-kaplas-tower.json");
    let solve = |limit: &str| {
        vinci(&["solve", tower.to_str().unwrap(), "--solver", "lemke", "--time-limit", limit])
            .output()
            .unwrap()
    };
    let ended = solve("50ms");
    assert_eq!(ended.status.code(), Some(6), "{}", output_text(&ended));
    assert!(
        output_text(&ended).contains("error[run]: lemke was not done after 50ms"),
        "{}",
        output_text(&ended)
    );
    let refused = solve("soon");
    assert_eq!(refused.status.code(), Some(2), "{}", output_text(&refused));
}

/// However few descriptors there are, a run succeeds or says that there are too few.
#[cfg(target_os = "linux")]
#[test]
fn too_few_descriptors_are_told_as_that() {
    let dir = tempfile::tempdir().unwrap();
    let (mut told, mut made) = (0, 0);
    for limit in 4..24 {
        let out = dir.path().join(limit.to_string());
        let line = format!("ulimit -n {limit}; exec \"$0\" run \"$1\" --duration 0.05 --out \"$2\"");
        let mut command = Command::new("sh");
        command.arg("-c").arg(line).arg(house::program()).arg(experiment()).arg(&out);
        let output = command.output().unwrap();
        let text = output_text(&output);
        match output.status.code() {
            Some(0) => made += 1,
            Some(127) => {}
            code => {
                assert!(matches!(code, Some(3 | 4 | 7)), "{limit}: {code:?} {text}");
                assert!(
                    text.contains("Too many open files") && !text.contains("known: none"),
                    "{limit}: {text}"
                );
                // The cause, not advice for others.
                assert!(!text.contains("check the permissions"), "{limit}: {text}");
                assert!(!text.contains("dlopen"), "{limit}: {text}");
                told += 1;
            }
        }
    }
    assert!(told > 3 && made > 0, "{told} {made}");
}

/// What cannot be printed is not done; a reader that has seen enough is no failure.
#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_a_failure() {
    for arguments in [
        vec!["schema"],
        vec!["plugin", "list"],
        vec!["check", &experiment()],
        vec!["plugin", "info", "lemke"],
        vec!["--help"],
        vec!["run", "--help"],
        vec!["--version"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = vinci(&arguments).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(7), "{arguments:?}: {}", output_text(&output));
        assert!(
            output_text(&output).contains("cannot write to the standard output"),
            "{}",
            output_text(&output)
        );
    }
    let mut child = vinci(&["schema"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Every command that came to its end tells it in one object on one line, as people are told in sentences.
#[track_caller]
fn told_as_one_object(name: &str, arguments: &[&str]) -> Value {
    let output = vinci(arguments).arg("--error-format=json").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{name}: {}", output_text(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 1, "{name}: {text}");
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}: {text}"));
    assert_eq!((&value["command"], &value["exit_code"]), (&name.into(), &0.into()));
    value
}

#[test]
fn success_is_told_to_programs_as_json() {
    let dir = tempfile::tempdir().unwrap();
    let out = |name: &str| dir.path().join(name).display().to_string();
    let (file, run, compare) = (experiment(), out("run"), out("compare"));
    let short = ["--duration", "0.05", "--out"];
    let value = told_as_one_object("run", &[&["run", &file], &short[..], &[&run]].concat());
    assert_eq!((&value["summary"]["status"], &value["summary"]["steps"]), (&"completed".into(), &5.into()));
    told_as_one_object("run", &["run", "--resume", &run]);
    told_as_one_object("view", &["view", &run]);
    let vary = ["compare", &file, "--vary", "solver=lemke"];
    told_as_one_object("compare", &[&vary, &short[..], &[&compare]].concat());
    told_as_one_object("compare", &["compare", "--resume", &compare]);
    assert_eq!(told_as_one_object("check", &["check", &file, &file])["files"].as_array().unwrap().len(), 2);
    told_as_one_object("explain", &["explain", &file]);
    told_as_one_object("init", &["init", "--out", &out("init")]);
    told_as_one_object("plugin list", &["plugin", "list"]);
    told_as_one_object("plugin info", &["plugin", "info", "lemke"]);
    let prefix = std::env::consts::DLL_PREFIX;
    let library = house::build().join(format!("{prefix}vinci_solver_lemke{}", std::env::consts::DLL_SUFFIX));
    told_as_one_object("plugin check", &["plugin", "check", library.to_str().unwrap()]);
    let robot = house::root().join("host/cli/templates/robot.urdf").display().to_string();
    told_as_one_object("import", &["import", &robot, "--out", &out("scene.json")]);
    told_as_one_object("schema", &["schema", "--out", &out("schemas")]);
}

#[test]
fn sweeps_solutions_and_measurements_are_told_to_programs_as_json() {
    let dir = tempfile::tempdir().unwrap();
    let out = |name: &str| dir.path().join(name).display().to_string();
    let (file, sweep, problem, part) = (experiment(), out("s.sweep.json"), out("p.json"), out("part"));
    let text = format!(
        r#"{{ "format": "vinci/sweep@1", "experiment": {file:?}, "cases": {{ "grid": {{ "v": {{ "values": [1] }} }} }},
            "set": {{ "scene.bodies.block.velocity[0]": "v", "time.duration": 0.02 }} }}"#
    );
    std::fs::write(&sweep, text).unwrap();
    std::fs::write(
        &problem,
        r#"[{ "name": "one", "n": 1, "nf": 0, "M": { "i": [0], "j": [0], "v": [1.0] }, "q": [-1] }]"#,
    )
    .unwrap();
    told_as_one_object("sweep", &["sweep", &sweep, "--out", &part]);
    told_as_one_object("sweep status", &["sweep", "status", &part]);
    told_as_one_object("sweep merge", &["sweep", "merge", &part, "--out", &out("merged")]);
    told_as_one_object("solve", &["solve", &problem, "--solver", "lemke"]);
    told_as_one_object("bench solvers", &["bench", "solvers", &problem, "--solver", "lemke"]);
    let steps = ["bench", "steps", &file, "--repeat", "1", "--duration", "0.02"];
    told_as_one_object("bench steps", &steps);
}

/// A problem that nobody solved ended with a code and no finding.
#[test]
fn what_ends_with_a_code_has_a_finding() {
    let dir = tempfile::tempdir().unwrap();
    let problem = dir.path().join("p.json").display().to_string();
    // z ≥ 0, −1 ≥ 0: no solution.
    std::fs::write(
        &problem,
        r#"[{ "name": "none", "n": 1, "nf": 0, "M": { "i": [], "j": [], "v": [] }, "q": [-1] }]"#,
    )
    .unwrap();
    for (format, words) in [("text", "error[run]: none was not solved"), ("json", "\"code\":\"run\"")] {
        let more = ["solve", &problem, "--solver", "lemke", "--error-format", format];
        let output = vinci(&more).output().unwrap();
        assert_eq!(output.status.code(), Some(6), "{}", output_text(&output));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(words), "{errors}");
    }
}
