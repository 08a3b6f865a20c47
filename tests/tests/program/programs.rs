//! Plugins that are programs: one written from the page of the protocol alone, and descriptions that are none.

mod at_fault;
mod hostile;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use serde_json::{Value, json};
use vinci_abi::Role;
use vinci_core::CsrBuf;
use vinci_core::model::SystemView;
use vinci_core::problem::{Cone, Conic, MlcpBuf, Problem, Qpcc, Status};
use vinci_core::stage::Solver;
use vinci_engine::registry::{IsolationLimits, Registry};
use vinci_tests::house;
use vinci_tests::program::output_text;

/// The description of the worker of these tests with a deed, in a folder.
fn described(folder: &Path, deed: &str, call: &str) -> PathBuf {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_worker"), folder.join("worker")).unwrap();
    let manifest = |role: &str, more: Value| {
        let mut all = json!({ "id": format!("test.{role}.spoken"), "role": role, "version": "0.1.0", "deterministic": true,
            "options": { "type": "object", "additionalProperties": false } });
        more.as_object().unwrap().iter().for_each(|(key, value)| all[key] = value.clone());
        all
    };
    let description = json!({ "format": "vinci/program@1", "command": ["./worker", deed, call], "files": ["worker"],
        "manifests": [manifest("solver", json!({ "classes": ["Mlcp"] })), manifest("controller", json!({ "capabilities": ["efforts"] })),
            manifest("stepper", json!({ "classes": ["Mlcp"], "capabilities": ["dynamic"] })), manifest("detector", json!({ "shapes": ["polygon", "half-plane"] }))] });
    let place = folder.join("spoken.vinci.json");
    std::fs::write(&place, description.to_string()).unwrap();
    place
}

/// Deadline of programs that come back, s: machines may be busy.
const AMPLE: u32 = 60;

/// Runs the sliding block with this plugin in a role.
fn block(home: &Path, role: &str, plugin: &Path, deadline: u32) -> Output {
    let plugin = json!({ "plugin": plugin, "isolation": { "deadline": deadline, "memory": 128 } });
    let set = match role {
        "controller" => {
            let mut all = plugin;
            all["efforts"] = json!(["block.x"]);
            format!("controllers=[{all}]")
        }
        _ => format!("{role}={plugin}"),
    };
    let mut command = Command::new(house::program());
    command.arg("run").arg(house::root().join("host/scenes/sliding-block.json"));
    command.arg("--out").arg(home.join("out")).args(["--duration", "0.05", "--set", &set]);
    // Where the host puts the files of programs.
    let temporary = home.join("temporary");
    std::fs::create_dir_all(&temporary).unwrap();
    command.env("TMPDIR", temporary).output().unwrap()
}

fn registry(deadline: Duration) -> Registry {
    let limits = IsolationLimits { deadline, memory: 512 << 20 };
    Registry::new(&[]).beside(house::program()).isolated(limits).unwrap()
}

/// Problems with known solutions through the worker: a bound that holds, one that does not, and an upper one.
#[test]
fn a_solver_written_from_the_page_solves() {
    let dir = tempfile::tempdir().unwrap();
    let plugin = registry(Duration::from_secs(20)).named(&described(dir.path(), "", "")).unwrap();
    let mut solver = plugin.create_solver("", &SystemView::NOTHING).unwrap();
    let m = CsrBuf::from_triplets(3, 3, &[(0, 0, 2.0), (1, 1, 4.0), (1, 0, 1.0), (2, 2, 1.0)]);
    let bounds = (vec![0.0; 3], vec![f64::INFINITY, f64::INFINITY, 0.5]);
    let problem = MlcpBuf::from_parts(m, vec![-2.0, 3.0, -1.0], bounds.0, bounds.1, 1e-10);
    for _ in 0..3 {
        let solution = solver.solve(&Problem::Mlcp(problem.view())).unwrap();
        assert_eq!((solution.status, solution.z), (Status::Converged, &[1.0, 0.0, 0.5][..]));
        assert_eq!(solution.iterations, 200);
    }
    let refused = plugin.create_solver(r#"{"sweeps": 3}"#, &SystemView::NOTHING).err().unwrap();
    assert_eq!(refused.message, "options: unknown field `sweeps`, there are no options");
}

/// A program took its leave with the plugin, while instances of it were still to be asked: the next call found no process.
#[test]
fn an_instance_outlives_the_plugin_that_made_it() {
    let dir = tempfile::tempdir().unwrap();
    let plugin = registry(Duration::from_secs(20)).named(&described(dir.path(), "", "")).unwrap();
    let mut solver = plugin.create_solver("", &SystemView::NOTHING).unwrap();
    drop(plugin);
    let m = CsrBuf::from_triplets(1, 1, &[(0, 0, 2.0)]);
    let problem = MlcpBuf::from_parts(m, vec![-2.0], vec![0.0], vec![f64::INFINITY], 1e-10);
    let solution = solver.solve(&Problem::Mlcp(problem.view())).unwrap();
    assert_eq!((solution.status, solution.z), (Status::Converged, &[1.0][..]));
}

/// Commands for problems of files keep no plugin beside its solver: every program had ended before its first problem.
#[test]
fn a_solver_that_is_a_program_solves_files_and_stands_in_the_table() {
    let dir = tempfile::tempdir().unwrap();
    let (place, file) = (described(&dir.path().join("plugin"), "", ""), dir.path().join("p.json"));
    let m = json!({ "i": [0, 1, 1], "j": [0, 0, 1], "v": [2.0, 1.0, 4.0] });
    let lcp =
        |name: &str| json!({ "name": name, "n": 2, "nf": 0, "M": m, "q": [-2.0, 3.0], "verdict": "solved" });
    std::fs::write(&file, json!([lcp("one"), lcp("two")]).to_string()).unwrap();
    for (command, expected) in [(&["solve"][..], "two: Converged"), (&["bench", "solvers"], " 2 ")] {
        let mut vinci = Command::new(house::program());
        let output = vinci.args(command).arg(&file).arg("--solver").arg(&place).output().unwrap();
        let text = output_text(&output);
        assert_eq!(output.status.code(), Some(0), "{text}");
        assert!(text.contains(expected) && output.stderr.is_empty(), "{text}");
    }
}

/// A controller written from the page slows the block down as its law says.
#[test]
fn a_controller_written_from_the_page_governs() {
    let dir = tempfile::tempdir().unwrap();
    let output = block(dir.path(), "controller", &described(dir.path(), "", ""), AMPLE);
    assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
    let table = std::fs::read_to_string(dir.path().join("out/controllers.csv")).unwrap();
    let efforts: Vec<f64> =
        table.lines().skip(1).map(|l| l.split(',').nth(1).unwrap().parse().unwrap()).collect();
    assert!(efforts.len() > 3 && efforts.iter().all(|effort| *effort < 0.0), "{table}");
    let summary: Value =
        serde_json::from_slice(&std::fs::read(dir.path().join("out/summary.json")).unwrap()).unwrap();
    assert_eq!(summary["controllers"][0]["id"], "test.controller.spoken");
    assert_eq!(summary["status"], "completed");
}

/// A path to a description in an experiment is no permission, as a path to a library is none.
#[test]
fn a_program_that_an_experiment_names_by_path_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    described(&dir.path().join("evil"), "", "");
    let work = dir.path().join("work");
    std::fs::create_dir(&work).unwrap();
    let mut experiment = vinci_tests::experiment::shipped("sliding-block");
    experiment["solver"] = json!("../evil/spoken.vinci.json");
    std::fs::write(work.join("e.json"), experiment.to_string()).unwrap();
    for command in ["check", "explain", "run"] {
        let output =
            Command::new(house::program()).current_dir(&work).args([command, "e.json"]).output().unwrap();
        let message = output_text(&output);
        assert_eq!(output.status.code(), Some(4), "{message}");
        assert!(message.contains("an experiment alone does not load one: `--allow-plugin "), "{message}");
    }
}

/// Descriptions that are none, with the exact reason.
#[test]
fn descriptions_that_contradict_themselves_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let place = described(dir.path(), "", "");
    let whole: Value = serde_json::from_slice(&std::fs::read(&place).unwrap()).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", dir.path().join("link")).unwrap();
    let refusals = [
        ("/format", json!("vinci/program@2"), "its format is `vinci/program@2`, not `vinci/program@1`"),
        ("/command", json!([]), "`command` is empty"),
        (
            "/command",
            json!(["/bin/sh"]),
            "the command `/bin/sh` is a path; write a name that PATH finds, or `./FILE` for one of its files",
        ),
        ("/command", json!(["./other"]), "the command `./other` is none of its files"),
        ("/files", json!(["worker", "../secret"]), "`../secret` names no file below its folder"),
        ("/files", json!(["worker", "/etc/passwd"]), "`/etc/passwd` names no file below its folder"),
        ("/files", json!(["worker", "link"]), "its file link is a link, or lies behind one"),
        ("/files", json!(["worker", "missing"]), "its file missing cannot be read: "),
        ("/files", json!(["worker", "worker"]), "it names the file worker twice"),
        (
            "/manifests/0/classes",
            json!(["Root"]),
            "test.solver.spoken names the class `Root`; the worker protocol carries Mlcp, Cone, Conic, Qpcc",
        ),
        ("/manifests/1/role", json!("solver"), "it names two solvers"),
        ("/manifests/0/clases", json!([]), "has the unknown key `clases`; did you mean `classes`?"),
    ];
    for (pointer, value, expected) in refusals {
        std::fs::write(&place, vinci_tests::experiment::set(&whole, pointer, value).to_string()).unwrap();
        let checked = Command::new(house::program()).args(["plugin", "check"]).arg(&place).output().unwrap();
        let message = output_text(&checked);
        assert_eq!(checked.status.code(), Some(4), "{pointer}: {message}");
        assert!(message.contains(expected), "{pointer}: {message}");
    }
}

/// Every array that crosses stands on the page of the protocol.
#[test]
fn the_page_names_every_array() {
    let dir = tempfile::tempdir().unwrap();
    for (role, call) in [
        ("solver", "create"),
        ("solver", "solve"),
        ("stepper", "formulate"),
        ("controller", "control"),
        ("detector", "detect"),
    ] {
        let home = dir.path().join(format!("{role}-{call}"));
        let message = output_text(&block(&home, role, &described(&home, "page", call), AMPLE));
        assert!(message.contains("the page names all of them: "), "{role} {call}: {message}");
    }
    let plugin = registry(Duration::from_secs(20)).named(&described(dir.path(), "page", "solve")).unwrap();
    let mut solver = plugin.create_solver("", &SystemView::NOTHING).unwrap();
    for problem in
        [Problem::Cone(Cone::default()), Problem::Conic(Conic::default()), Problem::Qpcc(Qpcc::default())]
    {
        let message = solver.solve(&problem).unwrap_err().message;
        assert!(message.contains("the page names all of them: "), "{:?}: {message}", problem.class());
    }
}

/// A registry without a program for workers cannot start one, and says so.
#[test]
fn without_a_program_to_start_them_programs_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let place = described(dir.path(), "", "");
    let refused = Registry::new(&[]).allowing(std::slice::from_ref(&place)).find(
        place.to_str().unwrap(),
        Role::Solver,
        Path::new(""),
    );
    let message = refused.err().unwrap().to_string();
    assert!(message.contains("a plugin cannot have a process of its own here"), "{message}");
}
