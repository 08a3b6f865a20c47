//! Bad plugins, seen through the program: exit code 4 when refused, 5 when at fault while running, one clear sentence,
//! and a summary only where a run ended. (Every sentence word by word: `sdk/conformance/tests/bad_plugins.rs`.)

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;
use vinci_conformance::fixture::{build_member, build_stranger, compile_library};
use vinci_tests::house;
use vinci_tests::program::output_text;

fn bad_library() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        // Two cargos at once would only wait for each other.
        house::build();
        build_member("vinci-bad-plugins").unwrap()
    })
}

/// Runs the sliding block into `out` with more arguments.
fn run(out: &Path, more: &[&str]) -> Output {
    let experiment = house::root().join("host/scenes/sliding-block.json");
    let mut command = Command::new(house::program());
    command.arg("run").arg(experiment).arg("--out").arg(out).args(["--duration", "0.05"]).args(more);
    command.output().unwrap()
}

/// Exit code and what was said.
fn outcome(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Runs with the bad library in `role`, doing `deed` at `at`.
fn misbehave(out: &Path, role: &str, at: &str, deed: &str) -> (Option<i32>, String) {
    let library = bad_library().to_str().unwrap();
    let plugin = format!(r#""plugin": {library:?}, "options": {{"at": "{at}", "do": "{deed}"}}"#);
    let set = match role {
        "controller" => format!(r#"controllers=[{{{plugin}, "efforts": ["block.x"]}}]"#),
        _ => format!("{role}={{{plugin}}}"),
    };
    outcome(&run(out, &["--set", &set]))
}

#[test]
fn refused_plugins_are_code_4_and_leave_no_directory() {
    let dir = tempfile::tempdir().unwrap();
    let whole = std::fs::read(bad_library()).unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let version = "#[unsafe(no_mangle)] pub static vinci_contract_version: u32 = 9 << 16;";
    let silent = "#[unsafe(no_mangle)] pub static vinci_contract_version: u32 = 2 << 16;";
    let compile = |name: &str, source: &str| compile_library(dir.path(), name, source).unwrap();
    let cases = [
        (dir.path().join("missing.so"), "there is no plugin at"),
        (dir.path().to_owned(), "is not a file"),
        (write("text.so", b"solve()\n"), "is a text file, not a shared library"),
        (write("cut.so", &whole[..whole.len() / 2]), "is cut off"),
        (compile("foreign", "pub fn nothing() {}"), "is a shared library but not a Vinci plugin"),
        (compile("newer", version), "was made for contract 9.0, this host speaks 2.0"),
        (compile("silent", silent), "it does not export vinci_manifest"),
    ];
    let out = dir.path().join("out");
    for (path, expected) in cases {
        let (code, message) =
            outcome(&run(&out, &["--solver", &format!("{}/", path.display()).replace(".so/", ".so")]));
        assert_eq!(code, Some(4), "{}: {message}", path.display());
        assert!(message.contains(expected), "{message}");
        assert!(!out.exists(), "{}", path.display());
    }
}

#[test]
fn options_a_plugin_refuses_are_the_users_mistake_and_come_with_advice() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let plugin =
        format!(r#"solver={{"plugin": {:?}, "options": {{"att": 1}}}}"#, bad_library().to_str().unwrap());
    let (code, message) = outcome(&run(&out, &["--set", &plugin]));
    assert_eq!(code, Some(3), "{message}");
    assert!(message.contains("`att`") && message.contains("did you mean `at`?"), "{message}");
    assert!(!out.exists());
}

#[test]
fn faults_while_running_are_code_5_and_name_plugin_call_and_cause() {
    let dir = tempfile::tempdir().unwrap();
    let cases = [
        ("solver", "create", "panic", "asked to panic at Create"),
        ("solver", "solve", "panic", "asked to panic at Solve"),
        ("solver", "solve", "bomb", "panicked at "),
        ("solver", "solve", "nan", "z[0] is NaN"),
        ("solver", "solve", "short", "values of z where"),
        ("solver", "solve", "flush", "changed the floating-point environment"),
        ("solver", "solve", "flush-and-refuse", "changed the floating-point environment"),
        ("solver", "solve", "fork", "solve forked the process"),
        ("detector", "create", "fork", "create forked the process"),
        ("stepper", "update", "fork", "update forked the process"),
        ("stepper", "formulate", "panic", "asked to panic at Formulate"),
        ("stepper", "formulate", "nan", "q[0] is NaN"),
        ("stepper", "update", "short", "velocities where"),
        ("detector", "detect", "panic", "asked to panic at Detect"),
        ("detector", "detect", "nan", "gap[0] is NaN"),
        ("detector", "detect", "short", "1 normal coordinates where 3 are expected"),
        ("controller", "create", "panic", "asked to panic at Create"),
        ("controller", "control", "panic", "asked to panic at Control"),
        ("controller", "control", "bomb", "panicked at "),
        ("controller", "control", "nan", "effort[0] is NaN"),
        ("controller", "control", "short", "0 efforts where 1 are expected"),
        ("controller", "control", "stranger", "2 efforts where 1 are expected"),
        ("controller", "control", "flush", "changed the floating-point environment"),
        ("controller", "control", "fork", "control forked the process"),
    ];
    for (k, (role, at, deed, expected)) in cases.into_iter().enumerate() {
        let out = dir.path().join(k.to_string());
        let (code, message) = misbehave(&out, role, at, deed);
        assert_eq!(code, Some(5), "{role} {at} {deed}: {message}");
        assert!(message.contains(&format!("test.{role}.bad")) && message.contains(expected), "{message}");
        let summary = std::fs::read_to_string(out.join("summary.json")).ok();
        let status = summary.map(|text| serde_json::from_str::<Value>(&text).unwrap()["status"].clone());
        assert!(status.is_none_or(|s| s == "failed"), "{role} {at} {deed}");
    }
}

/// What a controller refuses, and what it is asked to govern and is not there, is told before anything is written.
#[test]
fn controllers_that_cannot_be_are_the_users_mistake() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let (code, message) = misbehave(&out, "controller", "control", "refuse");
    assert_eq!(code, Some(3), "{message}");
    assert!(
        message
            .contains("the first step cannot be made (test.controller.bad): controller `controllers[0]`: "),
        "{message}"
    );
    let pid = r#""plugin": "guarded-pid""#;
    for (set, said) in [
        (format!(r#"{{{pid}, "efforts": ["blok.x"]}}"#), "there is no degree of freedom `blok.x`"),
        (format!(r#"{{{pid}, "efforts": ["blok.x"]}}"#), "did you mean `block.x`?"),
        (format!(r#"{{{pid}, "efforts": ["block", "block.x"]}}"#), "names `block.x` twice"),
        (format!(r#"{{{pid}, "efforts": ["ground"]}}"#), "there is no degree of freedom `ground`"),
        (format!(r#"{{{pid}, "set_points": ["block.x"]}}"#), "no drive acts on `block.x`"),
        (format!("{{{pid}}}"), "controller `controllers[0]` governs nothing"),
        (
            format!(r#"{{{pid}, "efforts": ["block.x"], "every": 0}}"#),
            "`controllers[0].every` must be at least 1",
        ),
        (
            format!(r#"{{{pid}, "efforts": ["block.x"], "reference": {{"block.y": 1}}}}"#),
            "`block.y` is 0 of the degrees of freedom",
        ),
        (
            format!(
                r#"{{{pid}, "efforts": ["block.x"], "reference": {{"block.x": {{"expression": "q"}}}}}}"#
            ),
            "`q`",
        ),
        (
            format!(r#"{{{pid}, "efforts": ["block.x"], "options": {{"stop_force": 1}}}}"#),
            "stop_force needs between",
        ),
        (
            format!(
                r#"{{{pid}, "efforts": ["block.x"], "options": {{"stop_force": 1, "between": ["block", "x"]}}}}"#
            ),
            "between names `x`, and the scene has no such body",
        ),
        (r#"{"plugin": "lemke", "efforts": ["block.x"]}"#.to_owned(), "lemke"),
    ] {
        let (code, message) = outcome(&run(&out, &["--set", &format!("controllers=[{set}]")]));
        let expected = if set.contains("lemke") { 4 } else { 3 };
        assert_eq!(code, Some(expected), "{set}: {message}");
        assert!(message.contains(said) && !out.exists(), "{set}: {message}");
    }
}

/// The deed is done after the last step: the result stands, and the host says what happened.
#[test]
fn a_panic_in_drop_spoils_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (code, message) = misbehave(&dir.path().join("out"), "detector", "drop", "panic");
    // The detector reports nothing at all, which the referee does not accept; the panic itself spoils nothing.
    assert_eq!(code, Some(1), "{message}");
    assert!(message.contains("was not reported by the detector"), "{message}");
    assert!(message.contains("test.detector.bad") && message.contains("asked to panic at Drop"), "{message}");
}

/// A false success is the audit's to find.
#[test]
fn a_lying_solver_is_not_believed() {
    let dir = tempfile::tempdir().unwrap();
    let (code, message) = misbehave(&dir.path().join("out"), "solver", "solve", "lie");
    assert_eq!(code, Some(6), "{message}");
}

/// A plugin that ends the process takes the host with it, but not unnamed, not with its own status, and without a summary.
#[test]
fn a_plugin_that_exits_is_named_and_leaves_no_summary() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let (code, message) = misbehave(&out, "solver", "solve", "exit");
    assert_eq!(code, Some(5), "{message}");
    assert!(message.contains("plugin test.solver.bad ended the process in solve"), "{message}");
    assert!(!out.join("summary.json").exists());
    // Nothing can be said after an abort; the missing summary tells.
    let (code, _) = misbehave(&dir.path().join("aborted"), "solver", "solve", "abort");
    assert_eq!(code, None);
    assert!(!dir.path().join("aborted/summary.json").exists());
}

/// A thread of a plugin is in no call, so that only the list of plugins can be told.
#[test]
fn a_thread_of_a_plugin_that_exits_is_no_success() {
    let dir = tempfile::tempdir().unwrap();
    for at in ["create", "solve", "drop"] {
        let out = dir.path().join(at);
        let (code, message) = misbehave(&out, "solver", at, "exit-thread");
        assert_eq!(code, Some(5), "{at}: {message}");
        assert!(message.contains("a thread of a plugin ended the process (in use: "), "{message}");
        assert!(message.contains("test.solver.bad"), "{message}");
        assert!(!out.join("summary.json").exists());
    }
}

/// Nothing is heard of `_exit`: code 0, as the README says, but no summary.
#[test]
fn a_plugin_that_exits_at_once_leaves_no_summary() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    assert_eq!(misbehave(&out, "solver", "solve", "exit-now").0, Some(0));
    assert!(!out.join("summary.json").exists());
}

/// What the process has once: it is put back, and the run is no success.
#[test]
fn plugins_that_change_the_directory_or_the_output_are_at_fault() {
    let dir = tempfile::tempdir().unwrap();
    let cases = [
        ("chdir", "the working directory (it was put back)"),
        ("redirect", "standard output (it was put back)"),
    ];
    for (deed, expected) in cases {
        for at in ["create", "solve", "drop"] {
            let out = dir.path().join(format!("{deed}-{at}"));
            let (code, message) = misbehave(&out, "solver", at, deed);
            assert_eq!(code, Some(5), "{deed} {at}: {message}");
            assert!(message.contains(expected), "{deed} {at}: {message}");
            // The instance is dropped when the results are there.
            let summary = std::fs::read_to_string(out.join("summary.json")).ok();
            let status = summary.map(|text| serde_json::from_str::<Value>(&text).unwrap()["status"].clone());
            assert!(at == "drop" || status.is_none_or(|s| s == "failed"), "{deed} {at}");
        }
    }
    // A relative directory of results stays where it was.
    let plugin = format!(
        r#"solver={{"plugin": {:?}, "options": {{"at": "solve", "do": "chdir"}}}}"#,
        bad_library().to_str().unwrap()
    );
    let experiment = house::root().join("host/scenes/sliding-block.json");
    let mut command = Command::new(house::program());
    command.current_dir(dir.path()).arg("run").arg(experiment).args(["--out", "here", "--set", &plugin]);
    assert_eq!(command.output().unwrap().status.code(), Some(5));
    assert!(dir.path().join("here/summary.json").exists());
}

/// Every command looks, not only those that run; a sweep after every run, so that the next one starts where it should.
#[test]
fn every_command_looks_at_what_plugins_change() {
    let dir = tempfile::tempdir().unwrap();
    let bad = |role: &str, at: &str, deed: &str| {
        let path = bad_library().to_str().unwrap();
        format!(r#"{role}={{"plugin": {path:?}, "options": {{"at": "{at}", "do": "{deed}"}}}}"#)
    };
    let experiment = house::root().join("host/scenes/sliding-block.json");
    for command in ["check", "explain"] {
        let output =
            vinci(&[command, experiment.to_str().unwrap(), "--set", &bad("solver", "create", "chdir")]);
        let (code, message) = outcome(&{ output }.output().unwrap());
        assert_eq!(code, Some(5), "{command}: {message}");
        assert!(message.contains("the working directory (it was put back)"), "{command}: {message}");
    }
    let file = dir.path().join("s.sweep.json");
    let sweep = serde_json::json!({ "format": "vinci/sweep@1", "experiment": experiment,
        "cases": { "grid": { "mu": { "values": [0.2, 0.3] } } },
        "set": { "scene.materials.default.friction": "mu" }, "outcome": { "success": "t > 0" } });
    std::fs::write(&file, sweep.to_string()).unwrap();
    for deed in ["chdir", "redirect"] {
        let out = dir.path().join(deed);
        let set = bad("solver", "solve", deed);
        let output = vinci(&["sweep", file.to_str().unwrap(), "--out", out.to_str().unwrap(), "--set", &set]);
        let (code, message) = outcome(&{ output }.output().unwrap());
        assert_eq!(code, Some(0), "{deed}: {message}");
        let rows = std::fs::read_to_string(out.join("rows.csv")).unwrap();
        assert_eq!(rows.matches("(it was put back)").count(), 2, "{deed}: {rows}");
        assert_eq!(rows.matches("failed").count(), 2, "{deed}: {rows}");
    }
}

/// Bytes of somebody else in the tables are no results.
#[test]
fn a_plugin_that_writes_into_the_results_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let (code, message) = misbehave(&out, "solver", "solve", "scribble");
    assert_eq!(code, Some(7), "{message}");
    assert!(message.contains("does not hold what was written to it"), "{message}");
    assert!(!out.join("summary.json").exists());
}

/// Who refuses is named, and where the experiment names it: the detector's fault was the stepper's, one of several detectors' the
/// first one's.
#[test]
fn the_plugin_that_refuses_is_the_one_that_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let (code, message) = misbehave(&dir.path().join("strange"), "detector", "detect", "stranger");
    assert_eq!(code, Some(5), "{message}");
    assert!(message.contains("the first step cannot be made (test.detector.bad)"), "{message}");
    assert!(message.contains("| --set detector="), "it has a place: {message}");
    let (code, message) = misbehave(&dir.path().join("refuse"), "stepper", "formulate", "refuse");
    assert_eq!(code, Some(3), "{message}");
    assert!(message.contains("the first step cannot be made (test.stepper.bad)"), "{message}");
    let others = format!(
        r#"detector={{"plugin": "planar", "others": [{{"plugin": {:?}, "options": {{"at": "detect", "do": "refuse"}}}}]}}"#,
        bad_library().to_str().unwrap()
    );
    let (code, message) = outcome(&run(&dir.path().join("others"), &["--set", &others]));
    assert_eq!(code, Some(3), "{message}");
    assert!(message.contains("the first step cannot be made (test.detector.bad)"), "{message}");
}

/// In a sweep as in a run: who, and where the experiment names it.
#[test]
fn a_sweep_whose_first_step_cannot_be_made_says_where() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("s.sweep.json");
    let experiment = house::root().join("host/scenes/sliding-block.json");
    let sweep = serde_json::json!({ "format": "vinci/sweep@1", "experiment": experiment,
        "cases": { "grid": { "mu": { "values": [0.2, 0.3] } } },
        "set": { "scene.materials.default.friction": "mu" }, "outcome": { "success": "t > 0" } });
    std::fs::write(&file, sweep.to_string()).unwrap();
    let plugin = format!(
        r#"stepper={{"plugin": {:?}, "options": {{"at": "formulate", "do": "refuse"}}}}"#,
        bad_library().to_str().unwrap()
    );
    let mut command = Command::new(house::program());
    let (code, message) =
        outcome(&command.arg("check").arg(&file).args(["--set", &plugin]).output().unwrap());
    assert_eq!(code, Some(3), "{message}");
    assert!(message.contains("the first step cannot be made (test.stepper.bad)"), "{message}");
    assert!(message.contains("| --set stepper="), "it has a place: {message}");
    assert_eq!(message.matches("cannot be made").count(), 1, "once for all cases: {message}");
}

/// What the loader of the system says is said.
#[cfg(target_os = "linux")]
#[test]
fn a_library_that_lacks_a_function_is_refused_by_its_name() {
    let dir = tempfile::tempdir().unwrap();
    let source = "unsafe extern \"C\" { fn nobody_has_this() -> u32; }
        #[unsafe(no_mangle)] pub static vinci_contract_version: u32 = 2 << 16;
        #[unsafe(no_mangle)] pub extern \"C\" fn asks() -> u32 { unsafe { nobody_has_this() } }";
    let library = compile_library(dir.path(), "incomplete", source).unwrap();
    let (code, message) = outcome(&run(&dir.path().join("out"), &["--solver", library.to_str().unwrap()]));
    assert_eq!(code, Some(4), "{message}");
    assert!(message.contains("undefined symbol: nobody_has_this"), "{message}");
}

/// `vinci plugin check` puts every test in a process of its own: exits, crashes and lies become results.
#[test]
#[ignore = "long"]
fn plugin_check_survives_everything() {
    let check = |path: &Path| {
        let mut command = Command::new(house::program());
        outcome_of_check(command.args(["plugin", "check"]).arg(path))
    };
    let example = house::root().join("sdk/examples/minimal-solver/Cargo.toml");
    let (code, text) = check(&build_stranger(&example).unwrap());
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = check(bad_library());
    assert_ne!(code, Some(0), "{text}");
    assert!(text.contains("claims to have converged"), "{text}");
}

fn outcome_of_check(command: &mut Command) -> (Option<i32>, String) {
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// A library that has the contract's version, and ends whoever loads it.
fn deadly(directory: &Path, name: &str) {
    let source = r#"
        #[unsafe(no_mangle)] pub static vinci_contract_version: u32 = 2 << 16;
        #[used] #[unsafe(link_section = ".init_array")] static AT_LOAD: extern "C" fn() = at_load;
        extern "C" fn at_load() { std::process::abort() }
    "#;
    compile_library(directory, name, source).unwrap();
}

/// A library that writes into the answer of the process that looks at it, so that it cannot be read. Once the program took that for a
/// machine on which no process can be had, and loaded the library itself, with all its rights.
#[test]
fn a_library_that_garbles_what_is_said_of_it_is_not_loaded_by_the_program() {
    let dir = tempfile::tempdir().unwrap();
    let escaped = dir.path().join("escaped");
    let source = format!(
        r#"
        #[unsafe(no_mangle)] pub static vinci_contract_version: u32 = 2 << 16;
        #[used] #[unsafe(link_section = ".init_array")] static AT_LOAD: extern "C" fn() = at_load;
        extern "C" fn at_load() {{
            println!("\n\u{{1e}}no answer");
            let _ = std::fs::write({escaped:?}, "with the rights of the program");
        }}
    "#
    );
    let folder = dir.path().join("libraries");
    std::fs::create_dir(&folder).unwrap();
    let library = compile_library(&folder, "vinci_garbler", &source).unwrap();
    let (folder, library) = (folder.to_str().unwrap(), library.to_str().unwrap());
    let (home, experiment) = (dir.path().join("home"), house::root().join("host/scenes/sliding-block.json"));
    let run = ["run", experiment.to_str().unwrap(), "--plugin-dir", folder, "--solver", "nobody"];
    for line in [
        &["plugin", "list", "--plugin-dir", folder][..],
        &["plugin", "install", library],
        &["plugin", "note", library],
        &["plugin", "info", "nobody", "--plugin-dir", folder],
        &run,
    ] {
        let output = vinci(line).env("XDG_DATA_HOME", &home).current_dir(dir.path()).output().unwrap();
        let text = output_text(&output);
        let told = text.contains("wrote over the answer of the process that loaded it");
        assert!(told || !["list", "install", "note"].contains(&line[1]), "{line:?}: {text}");
        assert!(!escaped.exists(), "{line:?}: {text}");
    }
    assert!(!home.join("vinci/plugins").exists());
}

#[test]
fn a_damaged_library_does_not_end_the_list() {
    let dir = tempfile::tempdir().unwrap();
    deadly(dir.path(), "vinci_damaged");
    std::fs::write(dir.path().join("libzzz.so"), "no library").unwrap();
    let directory = dir.path().to_str().unwrap();
    let output = vinci(&["plugin", "list", "--plugin-dir", directory]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
    let text = output_text(&output);
    assert!(text.contains("vinci.solver.lemke") && text.contains("vinci.detector.planar"), "{text}");
    assert!(text.contains("vinci_damaged") && text.contains("ended the process that loaded it"), "{text}");
    assert!(text.contains("libzzz.so is a text file"), "{text}");
    // Nor a schema of all plugins, nor a search for one whose file has another name.
    let schema =
        vinci(&["schema", "experiment", "--with-plugins", "--plugin-dir", directory]).output().unwrap();
    assert_eq!(schema.status.code(), Some(0), "{}", output_text(&schema));
    let unknown = vinci(&["plugin", "info", "lemkee", "--plugin-dir", directory]).output().unwrap();
    assert_eq!(unknown.status.code(), Some(4), "{}", output_text(&unknown));
    assert!(output_text(&unknown).contains("vinci.solver.lemke"), "{}", output_text(&unknown));
}

fn vinci(arguments: &[&str]) -> Command {
    let mut command = Command::new(house::program());
    command.args(arguments);
    command
}
