//! `vinci plugin lock` and `--locked`.

use serde_json::{Value, json};

use super::{ends_with, experiment, lemke_as, vinci};

#[test]
fn a_locked_run_takes_the_very_plugins_that_were_locked() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let plugins = home.join("plugins");
    let one = lemke_as(&plugins, "lemke_mine", "0.2.1");
    let file = experiment(home, |e| {
        e["solver"] = json!({ "plugin": "lemke@^0.2", "fallback": ["pgs"] });
        e["events"] = json!([{ "at": 0.01, "swap": { "solver": "newton" } }]);
    });
    let run =
        |line: &[&str], code| ends_with(&vinci(home, &[&["--plugin-dir", "plugins"], line].concat()), code);
    let text = run(&["check", &file, "--locked"], 4);
    assert!(text.contains("vinci.lock cannot be read") && text.contains("`vinci plugin lock "), "{text}");
    run(&["plugin", "lock", &file], 0);
    let lock: Value = serde_json::from_slice(&std::fs::read(home.join("vinci.lock")).unwrap()).unwrap();
    let ids: Vec<&str> =
        lock["plugins"].as_array().unwrap().iter().map(|e| e["id"].as_str().unwrap()).collect();
    // Fallbacks and what events bring are locked too.
    for id in ["vinci.solver.lemke", "vinci.solver.pgs", "vinci.solver.newton"] {
        assert!(ids.contains(&id), "{ids:?}");
    }
    assert_eq!(ids.len(), 5, "{ids:?}");
    for line in [vec!["check", &file], vec!["explain", &file], vec!["run", &file, "--out", "out"]] {
        run(&[&line[..], &["--locked"]].concat(), 0);
    }
    // Another build of it: the run goes on without the lock, and not with it.
    std::fs::copy(lemke_as(home, "other", "0.2.2"), &one).unwrap();
    run(&["check", &file], 0);
    let compare = ["compare", &file, "--vary", "time.step=0.01", "--out", "all", "--locked"];
    for line in [&["check", &file, "--locked"][..], &["run", &file, "--out", "two", "--locked"], &compare] {
        let text = run(line, 4);
        assert!(
            text.contains("liblemke_mine.so (SHA-256 ") && text.contains("is not the file that "),
            "{text}"
        );
    }
    // What was never locked.
    let text = run(&["check", &file, "--solver", "nsgs", "--locked"], 4);
    assert!(text.contains("the solver `nsgs` is not in ") && text.contains("vinci.lock"), "{text}");
    std::fs::write(home.join("vinci.lock"), "{}").unwrap();
    assert!(run(&["check", &file, "--locked"], 4).contains("is no lock of plugins"));
}

/// The solver that is found for an experiment without one is locked too, and found under the lock.
#[test]
fn an_experiment_without_a_solver_is_locked_with_the_one_it_gets() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let file = experiment(home, |e| drop(e.as_object_mut().unwrap().remove("solver")));
    ends_with(&vinci(home, &["plugin", "lock", &file]), 0);
    ends_with(&vinci(home, &["run", &file, "--out", "out", "--locked"]), 0);
    let sweep = home.join("s.sweep.json").display().to_string();
    std::fs::write(
        &sweep,
        r#"{ "format": "vinci/sweep@1", "experiment": "e.json", "cases": { "grid": { "s": { "values": ["lemke", "pgs"] } } },
            "set": { "solver.plugin": "s" } }"#,
    )
    .unwrap();
    ends_with(&vinci(home, &["plugin", "lock", &file, &sweep]), 0);
    let text = ends_with(&vinci(home, &["sweep", &sweep, "--out", "rows", "--locked"]), 0);
    assert!(text.contains("2 runs in") && !text.contains("warning"), "{text}");
}

/// The lock holds what a library links in places of its own: its bytes may stay while those change.
#[cfg(target_os = "linux")]
#[test]
fn what_a_library_links_beyond_the_system_is_part_of_it() {
    use vinci_engine::registry::linked_files;
    let dir = tempfile::tempdir().unwrap();
    let compile = |name: &str, body: &str, more: &[&str]| {
        let (text, library) =
            (dir.path().join(format!("{name}.rs")), dir.path().join(format!("lib{name}.so")));
        std::fs::write(&text, body).unwrap();
        let mut rustc = std::process::Command::new("rustc");
        rustc.args(["--edition=2024", "--crate-type=cdylib", "-o"]).arg(&library).arg(&text).args(more);
        assert!(rustc.status().unwrap().success());
        library
    };
    let inner = |n: &str| include_str!("inner.rs.txt").replace("@N@", n);
    let first = compile("inner", &inner("1"), &["-Clink-arg=-Wl,-soname,libinner.so"]);
    let place = dir.path().display();
    let outer = include_str!("outer.rs.txt");
    let links =
        [format!("-Clink-arg=-Wl,-rpath,{place}"), format!("-Lnative={place}"), "-ldylib=inner".into()];
    let library = compile("outer", outer, &links.each_ref().map(String::as_str));
    let before = linked_files(&library).unwrap();
    assert_eq!(before.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["libinner.so"]);
    assert_eq!(before[0].sha256, vinci_abi::load::digest_of(&first).unwrap());
    compile("inner", &inner("2"), &["-Clink-arg=-Wl,-soname,libinner.so"]);
    assert_ne!(linked_files(&library).unwrap(), before);
    // The system's own are left out.
    assert!(linked_files(&first).unwrap().is_empty());
}
