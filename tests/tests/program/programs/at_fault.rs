//! One plugin at fault among several: the others are told all the same.

use super::*;

fn vinci(arguments: &[&str]) -> Output {
    Command::new(house::program()).args(arguments).output().unwrap()
}

/// A solver that ended its process at every problem ended the comparison too, and nothing was told of the others.
#[test]
fn a_solver_that_dies_leaves_the_others_their_rows() {
    let dir = tempfile::tempdir().unwrap();
    let scene = house::root().join("host/scenes/sliding-block.json").display().to_string();
    let out = dir.path().join("out").display().to_string();
    let run = ["run", &scene, "--duration", "0.05", "--record-problems", "always", "--out", &out];
    assert_eq!(vinci(&run).status.code(), Some(0));
    let dead = described(dir.path(), "exit", "solve").display().to_string();
    let solvers = format!("{dead},vinci.solver.lemke");
    for more in [&["--json"][..], &["--json", "--time-limit", "5s"]] {
        let output = vinci(&[&["bench", "solvers", &out, "--solver", &solvers][..], more].concat());
        assert_eq!(output.status.code(), Some(5), "{}", output_text(&output));
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = |k: usize| told["solvers"][k]["results"].as_array().unwrap().clone();
        assert_eq!((rows(0).len(), rows(1).len()), (5, 5), "{told:#}");
        let fault = |row: &Value| row["fault"].as_str().map(str::to_owned);
        let named = |row: &Value| {
            fault(row).is_some_and(|why| why.contains("test.solver.spoken: solve ended its process"))
        };
        assert!(rows(0).iter().all(named), "{told:#}");
        assert!(rows(1).iter().all(|row| fault(row).is_none() && row["status"] == "Converged"), "{told:#}");
    }
    let text = output_text(&vinci(&["bench", "solvers", &out, "--solver", &solvers]));
    assert!(text.contains("met a fault of the solver") && text.contains("\nvinci.solver.lemke"), "{text}");
}

/// Whoever asks for advice has not chosen the plugins: one that was installed and cannot start ended it for every scene.
#[test]
fn advice_tells_of_a_plugin_at_fault_and_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    described(dir.path(), "exit", "create");
    let (scene, place) =
        (house::root().join("host/scenes/sliding-block.json"), dir.path().display().to_string());
    let output = vinci(&["advise", scene.to_str().unwrap(), "--plugin-dir", &place, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let of = |id: &str| {
        let models = told["models"].as_array().unwrap();
        models.iter().find(|m| m["stepper"] == id).unwrap_or_else(|| panic!("{id}: {told:#}")).clone()
    };
    let strict = of("vinci.stepper.stewart-trinkle");
    assert!(
        strict["faults"].to_string().contains("test.solver.spoken: create ended its process"),
        "{strict:#}"
    );
    assert!(strict["models"].to_string().contains("vinci.solver.lemke"), "{strict:#}");
    let own = of("test.stepper.spoken");
    assert_eq!(own["refused"], "the plugins that take its problems are at fault", "{own:#}");
}

/// Ids stand in tables and messages. One with a line break was taken where a plugin was named by its path.
#[test]
fn an_id_that_is_none_is_refused_everywhere() {
    let dir = tempfile::tempdir().unwrap();
    let place = described(dir.path(), "", "");
    let whole: Value = serde_json::from_slice(&std::fs::read(&place).unwrap()).unwrap();
    let scene = house::root().join("host/scenes/sliding-block.json").display().to_string();
    let (out, path) = (dir.path().join("out").display().to_string(), place.display().to_string());
    for id in [
        "a.solver.b\n1,2,vinci.solver.lemke",
        "a.solver.\u{1b}[31mb",
        "../b",
        "A.b",
        "a..b",
        &"a".repeat(129),
    ] {
        let mut changed = whole.clone();
        changed["manifests"][0]["id"] = json!(id);
        std::fs::write(&place, changed.to_string()).unwrap();
        let run = ["run", &scene, "--solver", &path, "--out", &out];
        for arguments in
            [&["plugin", "info", &path][..], &["plugin", "install", &path], &["plugin", "check", &path], &run]
        {
            let output = vinci(arguments);
            let message = output_text(&output);
            assert!(
                output.status.code() == Some(4) && message.contains("is no id: words of small letters"),
                "{message}"
            );
            assert!(!message.contains('\u{1b}') && !message.contains("\n1,2"), "{message}");
        }
    }
}

/// What `plugin install` refuses for its version passed the first level of the suite.
#[test]
fn a_version_that_is_none_fails_the_suite() {
    let dir = tempfile::tempdir().unwrap();
    let place = described(dir.path(), "", "");
    let text = std::fs::read_to_string(&place).unwrap();
    for version in ["0.1.0-../../x", "1.2", "latest"] {
        std::fs::write(&place, text.replace("\"0.1.0\"", &format!("{version:?}"))).unwrap();
        let output = vinci(&["plugin", "check", "--level", "1", place.to_str().unwrap()]);
        let message = output_text(&output);
        assert!(
            output.status.code() == Some(1) && message.contains("is not of the form 1.2.3: "),
            "{message}"
        );
    }
}
