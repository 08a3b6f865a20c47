//! Installing, versions side by side, and who hides whom.

use serde_json::{Value, json};
use vinci_tests::house;

use super::{ends_with, experiment, file_name, lemke_as, library, vinci};

#[test]
fn installed_plugins_are_found_by_id_and_version_and_hide_what_comes_later() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let (old, new) = (lemke_as(home, "old", "0.2.1"), lemke_as(home, "new", "0.3.0"));
    let run = |line: &[&str], code| ends_with(&vinci(home, line), code);
    for one in [&old, &new] {
        let text = run(&["plugin", "install", one.to_str().unwrap()], 0);
        assert!(text.starts_with("installed vinci.solver.lemke 0."), "{text}");
    }
    assert!(run(&["plugin", "install", old.to_str().unwrap()], 0).starts_with("was installed "));
    // The copies stand for themselves.
    std::fs::remove_file(&old).unwrap();
    std::fs::remove_file(&new).unwrap();
    let version = |name: &str| run(&["plugin", "info", name], 0).lines().next().unwrap().to_owned();
    for (name, expected) in [
        ("lemke", "0.3.0"),
        ("lemke@^0.2", "0.2.1"),
        ("vinci.solver.lemke@=0.2.1", "0.2.1"),
        ("lemke@^0.1", "0.1.0"),
        ("lemke@>=0.2", "0.3.0"),
    ] {
        assert_eq!(version(name), format!("vinci.solver.lemke {expected} (solver)"), "{name}");
    }
    let text = run(&["plugin", "info", "lemke@^7"], 4);
    let expected = "no solver that was found meets `lemke@^7`; found: vinci.solver.lemke 0.1.0, vinci.solver.lemke 0.2.1, vinci.solver.lemke 0.3.0";
    assert!(text.contains(expected), "{text}");
    assert!(run(&["plugin", "info", "lemke@new"], 4).contains("`lemke@new` asks for no version"));
    let listed = run(&["plugin", "list"], 0);
    let lines: Vec<&str> = listed.lines().filter(|l| l.contains(" vinci.solver.lemke ")).collect();
    assert_eq!(lines.len(), 3, "{listed}");
    assert!(lines[0].contains("0.3.0") && !lines[0].contains("hidden by"), "{listed}");
    for (line, version) in [(lines[1], "0.2.1"), (lines[2], "0.1.0")] {
        let asks = format!("vinci.solver.lemke@={version} asks for this one)");
        assert!(line.contains("(hidden by ") && line.ends_with(&asks), "{line}");
    }
    let file = experiment(home, |e| e["solver"] = json!("lemke@^0.2"));
    run(&["run", &file, "--out", "out"], 0);
    let summary: Value =
        serde_json::from_slice(&std::fs::read(home.join("out/summary.json")).unwrap()).unwrap();
    assert_eq!(summary["solver"]["version"], "0.2.1");
    let text = run(&["plugin", "remove", "lemke"], 4);
    assert!(text.contains("`lemke` fits several plugins: vinci.solver.lemke@=0.3.0, vinci.solver.lemke@=0.2.1; write one of them"), "{text}");
    run(&["plugin", "remove", "lemke@=0.3.0"], 0);
    run(&["plugin", "remove", "lemke"], 0);
    assert_eq!(version("lemke"), "vinci.solver.lemke 0.1.0 (solver)");
    assert!(run(&["plugin", "remove", "lemke"], 4).contains("`lemke` is not installed; installed: none"));
}

/// A stranger's plugin under an id of ours: whoever names that id gets another plugin than before, and is told so. Nothing reaches the hidden
/// one where its version is the same, so that no such way is named.
#[test]
fn who_takes_the_id_of_a_plugin_of_the_program_is_told_of() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let options = json!({ "type": "object", "additionalProperties": false, "properties": {} });
    let manifest = json!({ "id": "vinci.solver.lemke", "role": "solver", "version": env!("CARGO_PKG_VERSION"), "classes": ["Mlcp"],
        "title": "\u{1b}[2Jours\nsolver     vinci.solver.pgs", "deterministic": true, "options": options });
    let description = json!({ "format": "vinci/program@1", "command": ["python3", "mine.py"], "files": ["mine.py"], "manifests": [manifest] });
    std::fs::write(home.join("mine.vinci.json"), description.to_string()).unwrap();
    std::fs::write(home.join("mine.py"), "").unwrap();
    let text = ends_with(&vinci(home, &["plugin", "install", "mine.vinci.json"]), 0);
    assert!(text.contains("`vinci.solver.lemke` came with the program, and from now on means "), "{text}");
    assert!(text.contains("`vinci plugin remove vinci.solver.lemke` undoes that"), "{text}");
    let listed = ends_with(&vinci(home, &["plugin", "list"]), 0);
    let lines: Vec<&str> = listed.lines().filter(|l| l.contains(" vinci.solver.lemke ")).collect();
    assert!(lines[0].contains(" \u{fffd}[2Jours; solver     vinci.solver.pgs  ["), "{listed}");
    assert!(
        lines[1].contains("(hidden by ")
            && lines[1].ends_with("mine.vinci.json, which has the same version)"),
        "{listed}"
    );
    assert_eq!(lines.len(), 2, "{listed}");
}

/// What lies in the place is what was installed there: nobody else's bytes run under its name.
#[test]
fn an_installed_library_that_changed_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let one = lemke_as(home, "mine", "0.2.1");
    ends_with(&vinci(home, &["plugin", "install", one.to_str().unwrap()]), 0);
    let place = home.join("data/vinci/plugins/vinci.solver.lemke@0.2.1").join(file_name("mine"));
    std::fs::copy(lemke_as(home, "other", "0.3.0"), &place).unwrap();
    let text = ends_with(&vinci(home, &["plugin", "info", "lemke@^0.3"]), 4);
    assert!(text.contains("is not the file that was installed; `vinci plugin install FILE`"), "{text}");
    let listed = ends_with(&vinci(home, &["plugin", "list"]), 0);
    assert!(listed.contains("is not what was installed there"), "{listed}");
    // One that is there without having been installed is none.
    std::fs::remove_file(place.with_extension("plugin.json")).unwrap();
    ends_with(&vinci(home, &["plugin", "info", "lemke@^0.3"]), 4);
    // Another build of the same version is not put in its place unasked.
    let text = ends_with(&vinci(home, &["plugin", "install", one.to_str().unwrap()]), 4);
    assert!(text.contains("another build of vinci.solver.lemke 0.2.1 is installed"), "{text}");
    ends_with(&vinci(home, &["plugin", "install", one.to_str().unwrap(), "--force"]), 0);
    assert!(ends_with(&vinci(home, &["plugin", "info", "lemke"]), 0).contains("0.2.1"));
}

/// A folder is installed with all its plugins; its other libraries are passed over.
#[test]
fn folders_are_installed_and_notes_are_read_without_running_anything() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let folder = home.join("some");
    std::fs::create_dir(&folder).unwrap();
    for plugin in ["vinci_solver_pgs", "vinci_solver_newton"] {
        std::fs::copy(library(plugin), folder.join(file_name(plugin))).unwrap();
    }
    vinci_conformance::fixture::compile_library(&folder, "foreign", "pub fn nothing() {}").unwrap();
    let text = ends_with(&vinci(home, &["plugin", "install", "some"]), 0);
    assert_eq!(text.lines().filter(|l| l.starts_with("installed vinci.solver.")).count(), 2, "{text}");
    assert!(ends_with(&vinci(home, &["plugin", "install", "data"]), 4).contains("data holds no plugins"));
    let one = folder.join(file_name("vinci_solver_pgs"));
    ends_with(&vinci(home, &["plugin", "note", one.to_str().unwrap()]), 0);
    let note: Value =
        serde_json::from_slice(&std::fs::read(one.with_extension("plugin.json")).unwrap()).unwrap();
    assert_eq!(
        (&note["format"], &note["manifests"][0]["id"]),
        (&json!("vinci/plugin@1"), &json!("vinci.solver.pgs"))
    );
    // The note is believed as long as the library has its digest, and no longer: then the library says what it is.
    let mut renamed = note.clone();
    renamed["manifests"][0]["title"] = json!("As the note has it");
    std::fs::write(one.with_extension("plugin.json"), renamed.to_string()).unwrap();
    let list = || ends_with(&vinci(home, &["plugin", "list", "--plugin-dir", "some"]), 0);
    assert!(list().contains("As the note has it"));
    renamed["sha256"] = json!("0".repeat(64));
    std::fs::write(one.with_extension("plugin.json"), renamed.to_string()).unwrap();
    assert!(!list().contains("As the note has it"));
}

/// The program finds its plugins where it was linked to, and where it was copied with them.
#[cfg(unix)]
#[test]
fn a_program_that_was_linked_or_copied_finds_its_plugins() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let ids = |program: &std::path::Path| {
        let mut command = std::process::Command::new(program);
        command.args(["plugin", "info", "lemke"]).env("XDG_DATA_HOME", home).env_remove("VINCI_PLUGIN_PATH");
        let output = command.current_dir(home).output().unwrap();
        (output.status.code(), super::output_text(&output))
    };
    std::os::unix::fs::symlink(house::program(), home.join("linked")).unwrap();
    assert_eq!(ids(&home.join("linked")).0, Some(0));
    std::fs::create_dir_all(home.join("bin")).unwrap();
    std::fs::copy(house::program(), home.join("bin/vinci")).unwrap();
    assert_eq!(ids(&home.join("bin/vinci")).0, Some(4), "it came without plugins");
    for place in ["bin/plugins", "lib/vinci/plugins"] {
        std::fs::create_dir_all(home.join(place)).unwrap();
        let copy = home.join(place).join(file_name("vinci_solver_lemke"));
        std::fs::copy(library("vinci_solver_lemke"), &copy).unwrap();
        let (code, text) = ids(&home.join("bin/vinci"));
        assert!(code == Some(0) && text.contains(place), "{place}: {text}");
        std::fs::remove_file(copy).unwrap();
    }
    // Never the current directory.
    std::fs::copy(library("vinci_solver_lemke"), home.join(file_name("vinci_solver_lemke"))).unwrap();
    assert_eq!(ids(&home.join("bin/vinci")).0, Some(4));
}

/// The folder that one made was in the way of the others: "Directory not empty".
#[test]
fn many_may_install_one_library_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let one = lemke_as(home, "mine", "0.2.1");
    for flags in [&[][..], &["--force"]] {
        let line = [&["plugin", "install", one.to_str().unwrap()], flags].concat();
        let outputs: Vec<_> = std::thread::scope(|scope| {
            let begun: Vec<_> = (0..12).map(|_| scope.spawn(|| vinci(home, &line))).collect();
            begun.into_iter().map(|one| one.join().unwrap()).collect()
        });
        outputs.iter().for_each(|output| drop(ends_with(output, 0)));
        let text = ends_with(&vinci(home, &["plugin", "info", "lemke@=0.2.1"]), 0);
        assert!(text.starts_with("vinci.solver.lemke 0.2.1 (solver)"), "{text}");
    }
}
