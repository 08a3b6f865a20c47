//! Plugins in Python: from nothing to installed, locked and run by id, as their README says; and what a script can do wrong.
//!
//! They need a `python3` with NumPy: the one that `VINCI_PYTHON` names, that of `cargo xtask setup`, or the first on PATH.

use super::*;

/// An interpreter that has NumPy.
#[allow(clippy::print_stdout)] // whoever leaves a test out says so
fn python() -> Option<PathBuf> {
    let own = house::build().parent().unwrap().join("python/bin/python3");
    let named = std::env::var_os("VINCI_PYTHON").map(PathBuf::from);
    let asked = |program: &Path| {
        let script = "import numpy, sys; print(sys.executable)";
        // Plugins get no variables of the environment.
        let numpy = Command::new(program).env_remove("PYTHONPATH").args(["-c", script]).output().ok()?;
        let place = PathBuf::from(String::from_utf8(numpy.stdout).ok()?.trim());
        (numpy.status.success() && place.is_absolute()).then_some(place)
    };
    let found = named.into_iter().chain([own, "python3".into()]).find_map(|program| asked(&program));
    if found.is_none() {
        println!("left out: no python3 has NumPy; `cargo xtask setup` installs it");
    }
    found
}

/// The program with an interpreter.
fn with(python: &Path, home: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(house::program());
    command
        .env("XDG_DATA_HOME", home.join("data"))
        .env("VINCI_PYTHON", python)
        .env_remove("VINCI_PLUGIN_PATH");
    command.current_dir(home).args(arguments).output().unwrap()
}

/// Makes a plugin of a role; the path of its description.
fn begun(python: &Path, home: &Path, role: &str) -> String {
    let name = format!("my-{role}");
    let new = ["plugin", "new", role, &name, "--owner", "me", "--lang", "python"];
    ends_with(&with(python, home, &new), 0);
    home.join(&name).join(format!("{name}.vinci.json")).display().to_string()
}

#[test]
#[ignore = "long"]
fn a_plugin_in_python_of_every_role_is_begun_checked_installed_locked_and_run() {
    let Some(python) = python() else { return };
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let run = |line: &[&str], code| ends_with(&with(&python, home, line), code);
    for role in ["detector", "stepper", "solver", "controller"] {
        let plugin = begun(&python, home, role);
        let text = run(&["plugin", "check", &plugin], 0);
        assert!(text.contains(" 0 failed, ") && text.contains("holds up to level 7"), "{text}");
        let text = run(&["plugin", "install", &plugin], 0);
        assert!(text.starts_with(&format!("installed me.{role}.my-{role} 0.1.0 in ")), "{text}");
        assert!(run(&["plugin", "install", &plugin], 0).starts_with("was installed "));
        // The copies stand for themselves.
        std::fs::remove_dir_all(home.join(format!("my-{role}"))).unwrap();
        let info = run(&["plugin", "info", &format!("my-{role}")], 0);
        assert!(info.starts_with(&format!("me.{role}.my-{role} 0.1.0 ({role})")), "{info}");
    }
    // The name of a module that the SDK imports: its own file hid it.
    run(&["plugin", "new", "solver", "json", "--owner", "me", "--lang", "python"], 0);
    assert!(run(&["plugin", "check", "json/json.vinci.json"], 0).contains(" 0 failed, "));
    let listed = run(&["plugin", "list"], 0);
    assert_eq!(listed.lines().filter(|line| line.contains(" me.")).count(), 4, "{listed}");
    runs_and_locks(home, &run);
}

/// Solver and controller by their ids, under a lock, and after somebody has changed the script.
fn runs_and_locks(home: &Path, run: &dyn Fn(&[&str], i32) -> String) {
    let file = experiment(home, |e| {
        e["solver"] = json!("my-solver");
        e["controllers"] =
            json!([{ "plugin": "my-controller", "options": { "kd": 1 }, "efforts": ["block.x"] }]);
    });
    let text = run(&["run", &file, "--out", "out"], 0);
    assert!(
        text.contains("me.solver.my-solver 0.1.0") && text.contains("me.controller.my-controller"),
        "{text}"
    );
    run(&["plugin", "lock", &file], 0);
    let state = |out: &str| {
        run(&["run", &file, "--out", out, "--locked"], 0);
        let text = std::fs::read(home.join(out).join("summary.json")).unwrap();
        serde_json::from_slice::<Value>(&text).unwrap()["state_hash"].clone()
    };
    assert_eq!(state("once"), state("again"));
    // Another script under the same name is refused before it runs, under the lock and by the note of what was installed.
    let script = home.join("data/vinci/plugins/me.solver.my-solver@0.1.0/plugin.py");
    let text = std::fs::read_to_string(&script).unwrap();
    std::fs::write(&script, format!("{text}\nopen('sprung', 'w')\n")).unwrap();
    for flags in [&["--locked"][..], &[]] {
        let text = run(&[&["run", &file, "--out", "two"], flags].concat(), 4);
        assert!(text.contains("is not the file that "), "{text}");
    }
}

/// Ten blocks in a stack, solved in Python: the referee accepts every step, and the end is that of a shipped solver.
#[test]
#[ignore = "long"]
fn a_stack_that_python_solves_stands() {
    let Some(python) = python() else { return };
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let plugin = begun(&python, home, "solver");
    let stack = house::root().join("host/scenes/block-stack-10.json").display().to_string();
    let end = |solver: &str, out: &str| -> Vec<f64> {
        ends_with(
            &with(&python, home, &["run", &stack, "--duration", "0.1", "--solver", solver, "--out", out]),
            0,
        );
        let table = std::fs::read_to_string(home.join(out).join("trajectory.csv")).unwrap();
        table.lines().last().unwrap().split(',').map(|x| x.parse().unwrap()).collect()
    };
    let (own, shipped) = (end(&plugin, "python"), end("pgs", "shipped"));
    assert!(own.iter().zip(&shipped).all(|(a, b)| (a - b).abs() < 1e-6), "{own:?} {shipped:?}");
}

/// First line of `solve`, and part of the message; an empty one: the run is what it is without.
const HOSTILE: [(&str, &str); 23] = [
    ("os._exit(0)", "solve ended its process with exit code 0"),
    ("os._exit(5)", "solve ended its process with exit code 5"),
    ("sys.exit()", "solve raised SystemExit"),
    ("os.abort()", "solve ended its process: signal 6"),
    ("os.kill(os.getpid(), 9)", "solve ended its process: signal 9"),
    ("ctypes.string_at(0)", "solve ended its process: signal 11"),
    ("while True: pass", "solve had not come back after 5 s"),
    ("time.sleep(1000)", "solve had not come back after 5 s"),
    ("1 / 0", "solve raised ZeroDivisionError: plugin.py, line "),
    ("raise KeyboardInterrupt", "solve raised KeyboardInterrupt"),
    ("return None", "Pgs.solve gave None: return z, or vinci.Solution(z=...)"),
    ("return np.zeros(problem.n + 1)", "z has shape "),
    ("return np.full(problem.n, np.nan)", "z[0] is nan: every number must be finite"),
    ("return np.zeros(problem.n) + 1j", "real numbers, not complex ones"),
    (
        "return vinci.Solution(np.zeros(problem.n), iterations=-1)",
        "iterations is -1: it must be a count from 0 to 4294967295",
    ),
    (
        "raise type('Mute', (Exception,), {'__str__': lambda self: 1 / 0})()",
        "solve raised Mute: plugin.py, line ",
    ),
    (
        "return vinci.Solution(np.zeros(problem.n), status='Perfect')",
        "gave the status 'Perfect', which is none of",
    ),
    (
        "[os.write(fd, b'all is well, all is well, all is well') for fd in fds()]",
        "solve broke the worker protocol: ",
    ),
    ("[os.close(fd) for fd in fds()]", "solve ended its process with exit code 1; it printed: Traceback"),
    ("np.ones(1 << 32)", "MemoryError: "),
    ("f = lambda: f(); f()", "solve raised RecursionError"),
    ("print('x' * 100000); os.write(1, b'x' * 100000)", ""),
    ("threading.Thread(target=time.sleep, args=(0.01,)).start()", ""),
];

/// Names that the deeds need: `fds` are the descriptors behind the protocol that can be written to.
const HELPERS: &str = "import ctypes, fcntl, os, socket, subprocess, sys, threading, time


def fds():
    return [fd for fd in range(3, 12) if os.path.exists(f'/proc/self/fd/{fd}') and fcntl.fcntl(fd, fcntl.F_GETFL) & 1]


";

/// Something that the system keeps a script from; it says so as an exception.
const REFUSED: [&str; 9] = [
    "os.fork()",
    "subprocess.run(['/bin/true'])",
    "socket.socket()",
    "open('left', 'w')",
    "open('/etc/passwd')",
    "os.kill(os.getppid(), 9)",
    "os.listdir('/')",
    "os.mkdir('/dev/shm/left')",
    "os.unlink(__file__)",
];

#[test]
#[ignore = "long"]
fn hostile_scripts_cost_one_error_that_names_them() {
    let Some(python) = python() else { return };
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let plugin = begun(&python, home, "solver");
    let script = home.join("my-solver/plugin.py");
    let tame = std::fs::read_to_string(&script).unwrap();
    let file = experiment(home, |_| ());
    let set = json!({ "plugin": plugin, "isolation": { "deadline": 5, "memory": 2048 } });
    let run = |deed: &str, out: &str| {
        let head = "    def solve(self, problem):\n";
        let text = tame.replacen(head, &format!("{head}        {deed}\n"), 1);
        std::fs::write(&script, text.replacen("class Pgs", &format!("{HELPERS}class Pgs"), 1)).unwrap();
        let line = ["run", &file, "--set", &format!("solver={set}"), "--out", out, "-q"];
        let output = with(&python, home, &line);
        (output.status.code(), output_text(&output))
    };
    let mut wrong = Vec::new();
    let refused = REFUSED.into_iter().map(|deed| (deed, "solve raised PermissionError"));
    for (k, (deed, expected)) in HOSTILE.into_iter().chain(refused).enumerate() {
        let (code, message) = run(deed, &format!("out-{k}"));
        let fine = match expected {
            "" => code == Some(0),
            _ => code == Some(5) && message.contains("me.solver.my-solver") && message.contains(expected),
        };
        wrong.extend((!fine).then(|| format!("{deed}: {code:?}: {message}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
