//! Plugins in processes of their own: whatever they do costs one error that names them, and a stage there gives the bits that it gives here.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::Value;
use vinci_abi::Role;
use vinci_conformance::fixture::build_member;
use vinci_core::CsrBuf;
use vinci_core::model::SystemView;
use vinci_core::problem::{MlcpBuf, Problem};
use vinci_core::stage::Solver;
use vinci_engine::registry::{Isolation, IsolationLimits, Registry};
use vinci_tests::house;
use vinci_tests::program::{output_text, processes};

fn bad_library() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        house::build();
        build_member("vinci-bad-plugins").unwrap()
    })
}

/// The sliding block, shortly, with more arguments.
fn block(out: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(house::program());
    command.arg("run").arg(house::root().join("host/scenes/sliding-block.json"));
    command.arg("--out").arg(out).args(["--duration", "0.05"]).args(more);
    command
}

/// The bad library in a role, apart, as `--set` takes it.
fn bad(role: &str, options: &str, isolation: &str) -> String {
    let library = bad_library().to_str().unwrap();
    let plugin = format!(r#""plugin": {library:?}, "options": {options}, "isolation": {isolation}"#);
    match role {
        "controller" => format!(r#"controllers=[{{{plugin}, "efforts": ["block.x"]}}]"#),
        _ => format!("{role}={{{plugin}}}"),
    }
}

/// A call that takes so long hangs; how long others take decides nothing.
const HANGS: Duration = Duration::from_secs(120);

const SHORT: &str = r#"{"deadline": 1, "memory": 128}"#;

/// Runs with the bad library in `role`, apart, doing `deed` at `at`. Returns the exit code and what was said.
fn misbehave(out: &Path, role: &str, at: &str, deed: &str) -> (Option<i32>, String) {
    let set = bad(role, &format!(r#"{{"at": "{at}", "do": "{deed}"}}"#), SHORT);
    let child = block(out, &["--set", &set]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let id = child.id();
    let output = child.wait_with_output().unwrap();
    assert_eq!(workers_of(id), [0; 0], "{role} {at} {deed}: no process is left");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Workers that a process started.
fn workers_of(host: u32) -> Vec<u32> {
    let wanted = format!("plugin\0worker\0{host}\0");
    processes(|line| line.ends_with(&wanted))
}

fn summary(out: &Path) -> Option<Value> {
    let text = std::fs::read_to_string(out.join("summary.json")).ok()?;
    Some(serde_json::from_str(&text).unwrap())
}

/// Role, call, deed, and part of the message.
const HOSTILE: [(&str, &str, &str, &str); 59] = [
    ("detector", "create", "crash", "create ended its process: signal 11"),
    ("detector", "detect", "crash", "detect ended its process: signal 11"),
    ("detector", "detect", "abort", "detect ended its process: signal 6"),
    ("detector", "detect", "stall", "detect had not come back after 1 s"),
    ("detector", "detect", "overflow", "detect ended its process: signal"),
    ("detector", "detect", "exit-now", "detect ended its process with exit code 0"),
    ("detector", "detect", "hog", "out of memory (it may have 128 MB)"),
    ("detector", "detect", "fork", "detect forked the process"),
    ("detector", "detect", "nan", "gap[0] is NaN"),
    ("detector", "detect", "stranger", "a contact between shapes 0 and 4711"),
    ("detector", "detect", "scribble-shared", ""),
    ("stepper", "create", "exit-now", "create ended its process with exit code 0"),
    ("stepper", "formulate", "crash", "formulate ended its process: signal 11"),
    ("stepper", "formulate", "spin", "formulate had not come back after 1 s"),
    ("stepper", "formulate", "exit", "formulate ended its process with exit code 5"),
    ("stepper", "formulate", "hog", "out of memory (it may have 128 MB)"),
    ("stepper", "formulate", "short", "upper bounds"),
    ("stepper", "formulate", "nan", "q[0] is NaN"),
    ("stepper", "update", "crash", "update ended its process: signal 11"),
    ("stepper", "update", "abort", "update ended its process: signal 6"),
    ("stepper", "update", "overflow", "update ended its process: signal"),
    ("stepper", "update", "terminate", "update ended its process: signal 15"),
    ("stepper", "update", "panic", "asked to panic at Update"),
    ("stepper", "update", "scribble-shared", ""),
    ("solver", "create", "stall", "create had not come back after 1 s"),
    ("solver", "create", "kill", "create ended its process: signal 9"),
    ("solver", "solve", "crash", "solve ended its process: signal 11"),
    ("solver", "solve", "abort", "solve ended its process: signal 6"),
    ("solver", "solve", "spin", "solve had not come back after 1 s"),
    ("solver", "solve", "deaf", "solve had not come back after 1 s"),
    ("solver", "solve", "overflow", "solve ended its process: signal"),
    ("solver", "solve", "hog", "out of memory (it may have 128 MB)"),
    ("solver", "solve", "hog-sealed", "solve ran out of memory (it may have 128 MB)"),
    ("solver", "solve", "hog-stack", "solve ran out of memory (it may have 128 MB)"),
    ("detector", "create", "hog-sealed", "create ran out of memory (it may have 128 MB)"),
    ("solver", "solve", "exit", "solve ended its process with exit code 5"),
    ("solver", "solve", "exit-now", "solve ended its process with exit code 0"),
    ("solver", "solve", "exit-thread", "solve ended its process with exit code 5"),
    ("solver", "solve", "kill", "solve ended its process: signal 9"),
    ("solver", "solve", "illegal", "solve ended its process: signal 4"),
    ("solver", "solve", "fork", "solve forked the process"),
    ("solver", "solve", "flush", "changed the floating-point environment"),
    ("solver", "solve", "huge", "values of z where"),
    ("solver", "solve", "nowhere", "solve ended its process: signal 11"),
    ("solver", "solve", "nan", "z[0] is NaN"),
    ("solver", "solve", "bomb", "panicked at "),
    ("solver", "solve", "scribble-shared", ""),
    ("solver", "solve", "stop", "solve had not come back after 1 s"),
    ("stepper", "formulate", "stop", "formulate had not come back after 1 s"),
    ("controller", "control", "stop", "control had not come back after 1 s"),
    ("controller", "drop", "panic", "asked to panic at Drop"),
    ("controller", "drop", "crash", "destroy ended its process: signal 11"),
    ("controller", "drop", "exit-now", "destroy ended its process with exit code 0"),
    ("controller", "control", "crash", "control ended its process: signal 11"),
    ("controller", "control", "overflow", "control ended its process: signal"),
    ("controller", "control", "exit-now", "control ended its process with exit code 0"),
    ("controller", "control", "spin", "control had not come back after 1 s"),
    ("controller", "control", "hog", "out of memory (it may have 128 MB)"),
    ("controller", "control", "stranger", "2 efforts where 1 are expected"),
];

/// The host survives all of it, names the plugin, ends with the code of a plugin's fault, and claims no result.
#[test]
fn hostile_plugins_cost_one_error_that_names_them() {
    let dir = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for (k, (role, at, deed, expected)) in HOSTILE.into_iter().enumerate() {
        let out = dir.path().join(k.to_string());
        let (code, message) = misbehave(&out, role, at, deed);
        // What it writes into the shared memory may come after an answer, which is then judged as others are.
        if deed == "scribble-shared" {
            wrong.extend(
                (![1, 5, 6].map(Some).contains(&code))
                    .then(|| format!("{role} {at} {deed}: {code:?}: {message}")),
            );
            continue;
        }
        let named = message.contains(&format!("test.{role}.bad"));
        let status = summary(&out).map(|summary| summary["status"].clone());
        let honest = status.is_none_or(|status| status == "failed");
        if !(code == Some(5) && named && message.contains(expected) && honest) {
            wrong.push(format!("{role} {at} {deed}: {code:?}: {message}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What would spoil a process that it shares, a plugin may do to its own: the run is what it is without.
#[test]
fn what_stays_within_the_process_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let expected = misbehave(&out, "solver", "solve", "log");
    assert_eq!(expected.0, Some(6), "z = 1 is no solution: {}", expected.1);
    for deed in ["close", "chdir", "redirect", "scribble", "chatter", "threads"] {
        // Into the same directory, which messages name.
        std::fs::remove_dir_all(&out).unwrap();
        assert_eq!(misbehave(&out, "solver", "solve", deed), expected, "{deed}");
    }
}

/// Other processes, files, the network, its own death: the system says no, which the plugin reports.
#[test]
fn a_worker_gets_no_farther_than_its_own_process() {
    let dir = tempfile::tempdir().unwrap();
    for deed in [
        "kill-parent",
        "connect",
        "execute",
        "read",
        "write",
        "outlive",
        "starve",
        "hog-shared",
        "hog-file",
        "schedule",
        "clock",
        "permit",
        "unlimit",
        "delegate",
    ] {
        let (code, message) = misbehave(&dir.path().join(deed), "solver", "create", deed);
        assert!(message.contains("kept from it: "), "{deed}: {code:?}: {message}");
        assert_eq!(code, Some(3), "{deed}: {message}");
    }
}

/// A solver that was never silent for long had no deadline.
#[test]
fn calling_back_for_ever_is_no_way_past_the_deadline() {
    let dir = tempfile::tempdir().unwrap();
    let set = bad("solver", r#"{"at": "solve", "do": "storm"}"#, SHORT);
    let mut command = Command::new(house::program());
    command.arg("run").arg(house::root().join("host/scenes/tamsi-box.json")).args(["--duration", "0.01"]);
    command.arg("--out").arg(dir.path().join("out")).args(["--set", &set, "--allow-plugin"]);
    let begun = Instant::now();
    let output = command.arg(bad_library()).output().unwrap();
    let message = output_text(&output);
    assert_eq!(output.status.code(), Some(5), "{message}");
    assert!(message.contains("test.solver.bad: solve had not come back after 1 s"), "{message}");
    assert!(begun.elapsed() < HANGS, "{message}");
}

#[test]
fn what_a_plugin_prints_moves_no_cursor() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let (code, message) = misbehave(&out, "solver", "solve", "escape");
    assert!(code == Some(5) && message.contains("]0;owned"), "{code:?}: {message}");
    let report = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(![message, report].iter().any(|text| text.contains(['\u{1b}', '\u{7}'])));
}

/// What is logged fills no disk: a thousand lines are repeated, and one that says so.
#[test]
fn a_plugin_that_logs_for_ever_is_cut_short() {
    let dir = tempfile::tempdir().unwrap();
    let (code, message) = misbehave(&dir.path().join("out"), "solver", "solve", "spam");
    let repeated = message.lines().filter(|line| line.contains(" of many")).count();
    assert_eq!((code, repeated), (Some(3), 1000));
    assert!(message.contains("says no more: a plugin has logged 1000 lines"), "{message}");
}

/// Reasons of plugins stand within a line of the program, and cannot pass for others.
#[test]
fn a_reason_of_several_lines_is_one() {
    let dir = tempfile::tempdir().unwrap();
    let (code, message) = misbehave(&dir.path().join("out"), "solver", "solve", "forge");
    assert_eq!(code, Some(3), "{message}");
    assert!(message.contains("refuses: gone; error[run]: step 9: forged; \u{fffd}[2J"), "{message}");
    assert_eq!(message.lines().filter(|line| line.starts_with("error")).count(), 1, "{message}");
}

/// A fault in the middle of a run leaves what one in this process leaves.
#[test]
fn a_fault_on_the_way_leaves_the_state_before_it() {
    let dir = tempfile::tempdir().unwrap();
    let options = r#"{"at": "control", "do": "crash", "after": 3}"#;
    let out = dir.path().join("out");
    let output = block(&out, &["--set", &bad("controller", options, r#""process""#)]).output().unwrap();
    assert_eq!(output.status.code(), Some(5), "{}", output_text(&output));
    let summary = summary(&out).unwrap();
    assert_eq!((&summary["status"], &summary["failure"]["kind"]), (&"failed".into(), &"plugin".into()));
    assert!(summary["steps"].as_u64().unwrap() > 0, "{summary}");
    let state = out.join("states/end.json");
    let tame = bad("controller", "{}", r#""process""#);
    let more = ["--from", state.to_str().unwrap(), "--set", &tame];
    let on = block(&dir.path().join("on"), &more).output().unwrap();
    assert_eq!(on.status.code(), Some(0), "{}", output_text(&on));
}

/// Where the library came from decides: one that is not the program's gets a process without being asked for.
#[test]
fn plugins_of_others_have_processes_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    // Named after its id, so that the search meets it before the one beside the program.
    let library = dir.path().join("libbad_stranger.so");
    std::fs::copy(bad_library(), &library).unwrap();
    let set = r#"solver={"plugin": "test.solver.bad", "options": {"at": "solve", "do": "exit-now"}}"#;
    let folder = dir.path().to_str().unwrap();
    let run = |out: &str, more: &[&str]| -> Output {
        let flags = [&["--plugin-dir", folder, "--set", set], more].concat();
        block(&dir.path().join(out), &flags).output().unwrap()
    };
    let apart = run("apart", &[]);
    assert_eq!(apart.status.code(), Some(5), "{}", output_text(&apart));
    assert!(output_text(&apart).contains("test.solver.bad: solve ended its process with exit code 0"));
    // Who wants it in this process says so, and gets what the manual says.
    let here = run("here", &["--isolate=none"]);
    assert_eq!(here.status.code(), Some(0), "{}", output_text(&here));
    assert!(!dir.path().join("here/summary.json").exists());
}

#[test]
fn limits_that_cannot_be_are_the_users_mistake() {
    let dir = tempfile::tempdir().unwrap();
    for (isolation, said) in [
        (r#"{"deadline": 0}"#, "solver.isolation.deadline"),
        (r#"{"memory": -1}"#, "solver.isolation.memory"),
        (r#"{"dead_line": 1}"#, "did you mean `deadline`?"),
        (r#""proces""#, "process"),
    ] {
        let set = format!(r#"solver={{"plugin": "lemke", "isolation": {isolation}}}"#);
        let output = block(&dir.path().join("out"), &["--set", &set]).output().unwrap();
        let message = output_text(&output);
        assert!(output.status.code() == Some(3) && message.contains(said), "{isolation}: {message}");
    }
}

/// Problems with and without call-backs, all roles, plane and space.
#[test]
fn a_run_apart_has_the_bits_of_a_run_here() {
    let dir = tempfile::tempdir().unwrap();
    for (experiment, duration) in [
        ("sliding-block", "0.2"),
        ("bouncing-ball-backup", "0.5"),
        ("block-stack-10", "0.05"),
        ("guarded-push", "0.1"),
        ("tamsi-box", "0.05"),
        ("compliant-bounce", "0.1"),
        ("newton-cradle-3", "0.2"),
        ("slide-to-roll-3d", "0.1"),
        ("jammed-fingers", "0.05"),
    ] {
        let hashes = ["none", "all"].map(|which| {
            let out = dir.path().join(format!("{experiment}-{which}"));
            let mut command = Command::new(house::program());
            command.arg("run").arg(house::root().join(format!("host/scenes/{experiment}.json")));
            command.arg("--out").arg(&out).args(["--duration", duration, &format!("--isolate={which}")]);
            let output = command.output().unwrap();
            let summary = summary(&out).unwrap_or_else(|| panic!("{experiment}: {}", output_text(&output)));
            (output.status.code(), summary["state_hash"].clone(), summary["trajectory_hash"].clone())
        });
        assert_eq!(hashes[0], hashes[1], "{experiment}");
        assert!(hashes[0].1.is_string() && hashes[0].2.is_string(), "{experiment}");
    }
}

/// Starts a run whose solver stalls, with a stepper of the same owner; returns it and its workers.
fn stalled(out: &Path) -> (Child, Vec<u32>) {
    let sets = [
        bad("stepper", "{}", r#""process""#),
        bad("solver", r#"{"at": "solve", "do": "stall"}"#, r#""process""#),
    ];
    let mut command = block(out, &["--set", &sets[0], "--set", &sets[1]]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    // Libraries are looked at by workers of their own first; the run has written its first file when those are gone.
    while !out.join("experiment.json").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the run begins");
        std::thread::sleep(Duration::from_millis(20));
    }
    let workers = workers_of(child.id());
    (child, workers)
}

/// Stepper and solver of one owner share a worker, and a host that is killed leaves none.
#[test]
fn workers_are_shared_by_owner_and_die_with_their_host() {
    let dir = tempfile::tempdir().unwrap();
    let (mut child, workers) = stalled(&dir.path().join("out"));
    assert_eq!(workers.len(), 1, "{workers:?}");
    let host = child.id();
    child.kill().unwrap();
    child.wait().unwrap();
    let begun = Instant::now();
    while !workers_of(host).is_empty() {
        assert!(begun.elapsed() < HANGS, "the worker ends with its host");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A registry whose plugins all have processes, with limits.
fn apart(deadline: Duration) -> Registry {
    let limits = IsolationLimits { deadline, memory: 512 << 20 };
    let registry = Registry::new(&[house::build().to_path_buf()]).beside(house::program());
    registry.isolating(Isolation::All).isolated(limits).unwrap()
}

/// The solution of z = 1 by a solver at a path, and how long the call took.
fn solved(registry: &Registry, library: &Path, options: &str) -> (Result<f64, String>, Duration) {
    let m = CsrBuf::from_triplets(1, 1, &[(0, 0, 1.0)]);
    let problem = MlcpBuf::from_parts(m, vec![-1.0], vec![0.0], vec![f64::INFINITY], 1e-10);
    let registry = registry.clone().allowing(&[library.to_owned()]);
    let plugin =
        registry.find(library.to_str().unwrap(), Role::Solver, Path::new("")).map_err(|e| e.to_string());
    let plugin = match plugin {
        Ok(plugin) => plugin,
        Err(refusal) => return (Err(refusal), Duration::ZERO),
    };
    assert!(plugin.is_elsewhere());
    let mut solver = plugin.create_solver(options, &SystemView::NOTHING).unwrap();
    let begun = Instant::now();
    let answer = solver.solve(&Problem::Mlcp(problem.view())).map(|s| s.z[0]).map_err(|e| e.to_string());
    (answer, begun.elapsed())
}

/// Whatever a call does, it comes back; without its deadline none of the first four would.
#[test]
fn no_call_outlasts_its_deadline() {
    let deadline = Duration::from_millis(500);
    let registry = apart(deadline);
    let (answer, _) = solved(&registry, bad_library(), "{}");
    assert_eq!(answer, Ok(1.0));
    for deed in
        ["stall", "spin", "deaf", "hog", "crash", "exit-now", "overflow", "scribble-shared", "chatter"]
    {
        let options = format!(r#"{{"at": "solve", "do": "{deed}"}}"#);
        let (answer, took) = solved(&registry, bad_library(), &options);
        assert!(took < HANGS, "{deed}: {took:?}");
        let harmless = ["chatter", "scribble-shared"].contains(&deed);
        assert!(harmless || answer.is_err(), "{deed}: {answer:?}");
    }
}

/// A plugin in C has no guard of ours on its side; a process of its own needs none.
#[test]
fn plugins_in_c_are_survived_too() {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    if Command::new(&compiler).arg("--version").output().is_err() {
        return;
    }
    let registry = apart(Duration::from_millis(500));
    for (misdeed, expected) in [
        ("HARMLESS", ""),
        ("SEGFAULT", "hostile.solver.c: solve ended its process: signal 11"),
        ("ABORTS", "hostile.solver.c: solve ended its process: signal 6"),
        ("EXITS", "hostile.solver.c: solve ended its process with exit code 5"),
        ("LOOPS", "hostile.solver.c: solve had not come back after 0.5 s"),
        ("NAN_OUT", "z[0] is NaN"),
        ("HUGE_OUT", "cannot be an array"),
        ("WRONG_LENGTH", "2 values of z where 1 are expected"),
        ("ROUNDING", "changed the floating-point environment"),
        ("CRASHES_AT_LOAD", "load ended its process: signal 11"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let library = dir.path().join("hostile.so");
        let (source, headers) = ("sdk/conformance/tests/hostile.c", "-Isdk/c");
        let mut command = Command::new(&compiler);
        command.current_dir(house::root()).args(["-shared", "-fPIC", headers, source]);
        let made = command.arg(format!("-D{misdeed}")).args(["-lm", "-o"]).arg(&library).status().unwrap();
        assert!(made.success(), "{misdeed}");
        let (answer, _) = solved(&registry, &library, "");
        match answer {
            Ok(z) => assert_eq!((z, expected), (1.0, ""), "{misdeed}"),
            Err(message) => {
                assert!(!expected.is_empty() && message.contains(expected), "{misdeed}: {message}")
            }
        }
    }
}
