//! A path in an experiment is no permission: the library is not loaded, whoever asks.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use vinci_conformance::fixture::compile_library;

use super::{ends_with, experiment, library, vinci};

/// A directory with a library that leaves a file when it is loaded, and what experiments call it.
struct Trap {
    home: tempfile::TempDir,
    name: &'static str,
}

/// A worker process may write no file, and no trap would be seen in it: libraries are loaded where the program runs.
const OPEN: &str = "--isolate=none";

impl Trap {
    fn set() -> Self {
        let home = tempfile::tempdir().unwrap();
        let (evil, work) = (home.path().join("evil"), home.path().join("work"));
        std::fs::create_dir(&evil).unwrap();
        std::fs::create_dir(&work).unwrap();
        let sprung = home.path().join("sprung").display().to_string();
        let source = include_str!("trap.rs.txt").replace("@PLACE@", &sprung);
        compile_library(&evil, "evil", &source).unwrap();
        Self { home, name: "../evil/evil.so" }
    }

    fn work(&self) -> PathBuf {
        self.home.path().join("work")
    }

    fn was_sprung(&self) -> bool {
        self.home.path().join("sprung").exists()
    }

    #[track_caller]
    fn refuses(&self, line: &[&str]) {
        let text = ends_with(&vinci(self.home.path(), &[line, &[OPEN]].concat()), 4);
        assert!(!self.was_sprung(), "{line:?} loads it");
        let advice = text.matches("an experiment alone does not load one: `--allow-plugin ").count();
        assert!(advice > 0, "{line:?}: {text}");
    }
}

fn controller(name: &str) -> Value {
    json!({ "plugin": name, "efforts": ["block.x"] })
}

/// Where an experiment can name a library.
fn places(name: &str) -> Vec<(&'static str, Value)> {
    let fallback = json!({ "plugin": "lemke", "fallback": [name] });
    let swap = |what: Value| json!([{ "at": 0.01, "swap": what }]);
    vec![
        ("/solver", json!({ "plugin": name })),
        ("/stepper", json!({ "plugin": name })),
        ("/detector", json!({ "plugin": name })),
        ("/solver", json!(name)),
        ("/solver", fallback.clone()),
        ("/detector", json!({ "plugin": "planar", "others": [{ "plugin": name }] })),
        ("/events", swap(json!({ "solver": name }))),
        ("/events", swap(json!({ "solver": fallback }))),
        ("/events", swap(json!({ "stepper": { "plugin": name } }))),
        ("/events", json!([{ "at": 0.01, "set": { "solver.plugin": name } }])),
        ("/controllers", json!([controller(name)])),
        ("/controllers", json!([controller("guarded-pid"), controller(name)])),
    ]
}

#[test]
fn a_path_in_an_experiment_is_refused_unloaded_by_every_command() {
    let trap = Trap::set();
    for (pointer, value) in places(trap.name) {
        let file = experiment(&trap.work(), |e| *e = vinci_tests::experiment::set(e, pointer, value.clone()));
        for line in [vec!["check", &file], vec!["explain", &file], vec!["run", &file, "--out", "out"]] {
            trap.refuses(&line);
        }
        trap.refuses(&["compare", &file, "--vary", "time.step=0.01,0.005", "--out", "out"]);
        trap.refuses(&["bench", "steps", &file]);
        trap.refuses(&["plugin", "lock", &file]);
        let sweep = sweep(&trap, r#""x": { "values": [1] }"#, r#""scene.bodies.block.velocity[0]": "x""#);
        trap.refuses(&["sweep", &sweep, "--out", "rows"]);
        assert!(!trap.home.path().join("out").exists() && !trap.home.path().join("rows").exists());
    }
}

/// A sweep of the experiment beside it.
fn sweep(trap: &Trap, grid: &str, set: &str) -> String {
    let place = trap.work().join("s.sweep.json");
    let text = format!(
        r#"{{ "format": "vinci/sweep@1", "experiment": "e.json", "cases": {{ "grid": {{ {grid} }} }}, "set": {{ {set} }} }}"#
    );
    std::fs::write(&place, text).unwrap();
    place.display().to_string()
}

#[test]
fn a_path_in_a_sweep_is_refused_unloaded() {
    let trap = Trap::set();
    let with_fallback = json!({ "plugin": "lemke", "fallback": ["pgs"] });
    experiment(&trap.work(), |e| {
        e["solver"] = with_fallback;
        e["controllers"] = json!([controller("guarded-pid")]);
    });
    let evil = trap.name;
    let literal = format!(r#""solver.plugin": "{evil}""#);
    // The first case is harmless: what comes later is refused before it runs.
    let varied = format!(r#""s": {{ "values": ["lemke", "{evil}"] }}"#);
    let number = r#""x": { "values": [1] }"#;
    for (grid, set) in [
        (number, literal.as_str()),
        (&varied, r#""solver.plugin": "s""#),
        (&varied, r#""solver": "s""#),
        (&varied, r#""solver.fallback[0]": "s""#),
        (number, &literal.replace("solver", "controllers[0]")),
        (&varied.replace("lemke", "guarded-pid"), r#""controllers[0].plugin": "s""#),
    ] {
        let file = sweep(&trap, grid, set);
        for line in [vec!["check", &file], vec!["explain", &file], vec!["sweep", &file, "--out", "rows"]] {
            trap.refuses(&line);
        }
    }
}

/// The trap works, and whoever names the library on the command line means it.
#[test]
fn what_the_command_line_names_is_loaded() {
    for line in [
        "check @ --allow-plugin evil/evil.so",
        "--allow-plugin evil/evil.so check @",
        "check @ --plugin-dir evil",
        "--plugin-dir evil run @ --out out",
        "check @ --solver evil/evil.so",
        "check @ --set solver.plugin=evil/evil.so",
        "check @ --set controllers=[{\"plugin\":\"evil/evil.so\",\"efforts\":[\"block.x\"]}] --solver lemke",
        "plugin info ./evil/evil.so",
        "plugin check evil/evil.so",
        "plugin install evil/evil.so",
    ] {
        let trap = Trap::set();
        let file = experiment(&trap.work(), |e| e["solver"] = json!(trap.name));
        let words: Vec<&str> = line.split(' ').map(|w| if w == "@" { &file } else { w }).collect();
        let text = ends_with(&vinci(trap.home.path(), &[&words[..], &[OPEN]].concat()), 4);
        let told =
            ["does not export vinci_manifest", "is no Vinci plugin"].iter().any(|words| text.contains(words));
        // Whoever installs looks at the library in a child that may write nothing, whatever the flag says.
        let seen = trap.was_sprung() || line.starts_with("plugin install");
        assert!(seen && told, "{line}: {text}");
    }
    let trap = Trap::set();
    let file = experiment(&trap.work(), |e| e["solver"] = json!(trap.name));
    // Another library is allowed, and one of the same name elsewhere.
    std::fs::write(trap.home.path().join("evil.so"), "").unwrap();
    trap.refuses(&["check", &file, "--allow-plugin", "evil.so"]);
}

/// An event that puts another controller in the place of one is tried as all others.
#[test]
fn a_path_in_an_event_on_controllers_is_refused_unloaded() {
    let trap = Trap::set();
    for (path, value) in [
        ("controllers[0].plugin", json!(trap.name)),
        ("controllers[0]", controller(trap.name)),
        ("controllers", json!([controller(trap.name)])),
    ] {
        let file = experiment(&trap.work(), |e| {
            e["controllers"] = json!([controller("guarded-pid")]);
            e["events"] = json!([{ "at": 0.01, "set": { path: value } }]);
        });
        for line in [vec!["check", &file], vec!["explain", &file], vec!["run", &file, "--out", "out"]] {
            trap.refuses(&line);
        }
    }
}

/// A link is what it leads to: one that lies in a folder of plugins and one that leads there.
#[cfg(unix)]
#[test]
fn links_are_followed_before_a_library_is_trusted() {
    let trap = Trap::set();
    let link = |from: &Path, to: &str| std::os::unix::fs::symlink(from, trap.work().join(to)).unwrap();
    link(&library("vinci_solver_lemke"), "good.so");
    link(&trap.home.path().join("evil/evil.so"), "bad.so");
    let file = experiment(&trap.work(), |e| e["solver"] = json!("./good.so"));
    ends_with(&vinci(trap.home.path(), &["check", &file]), 0);
    let file = experiment(&trap.work(), |e| e["solver"] = json!("./bad.so"));
    trap.refuses(&["check", &file]);
}
