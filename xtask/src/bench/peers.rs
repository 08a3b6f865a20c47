//! Other engines, in an environment of Python below `target/peers`.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::case::Case;
use crate::python::{PIP, interpreter, make};
use crate::shell::{answers, json, program, root, run, target};

/// Their measurements: rows of `tests/peers/warm.py` and of `tests/peers/run.py`.
pub(super) struct Found {
    pub(super) warm: Vec<Value>,
    pub(super) tamsi: Vec<Value>,
}

/// Installs them where they are missing.
pub(super) fn install() -> Result<(), String> {
    if is_there() {
        return Ok(());
    }
    make(&place())?;
    let mut pip = Command::new(interpreter(&place()));
    run(pip.args(PIP).arg("-r").arg(root().join("tests/peers/requirements.txt")))
}

/// Measures the scenes that are shared, and those of the paper on TAMSI; nothing where the engines are not installed, which is told.
pub(super) fn measure(cases: &[&Case]) -> Result<Option<Found>, String> {
    if !is_there() {
        eprintln!("other engines are left out: `cargo xtask bench --peers` installs them");
        return Ok(None);
    }
    let mut command = python("warm.py");
    command.arg("--vinci").arg(program("release")).args(cases.iter().map(|case| &case.experiment));
    let done = command.stderr(Stdio::inherit()).output().map_err(|e| format!("warm.py: {e}"))?;
    let text = String::from_utf8_lossy(&done.stdout);
    let warm =
        text.lines().map(|line| serde_json::from_str(line).map_err(|e| format!("warm.py: {e}: {line}")));
    Ok(Some(Found { warm: warm.collect::<Result<_, _>>()?, tamsi: tamsi()? }))
}

/// All engines in turn on the three scenes, Vinci among them.
fn tamsi() -> Result<Vec<Value>, String> {
    let out = target().join("bench/peers");
    let mut command = python("run.py");
    command.arg("--out").arg(&out).arg("--vinci").arg(program("release"));
    run(command.arg("--experiments").arg(root().join("host/scenes")).stdout(Stdio::null()))?;
    let mut found: Value = json(&out.join("peers.json"))?;
    match found["rows"].take() {
        Value::Array(rows) => Ok(rows),
        other => Err(format!("peers.json: rows are {other}")),
    }
}

impl Found {
    /// Both tables, for a file.
    pub(super) fn as_json(&self) -> Value {
        json!({ "warm": self.warm, "tamsi": self.tamsi })
    }
}

fn is_there() -> bool {
    answers(&[&interpreter(&place()).to_string_lossy(), "-c", "import mujoco, rapier3d, pydrake"])
}

fn place() -> PathBuf {
    target().join("peers")
}

fn python(script: &str) -> Command {
    let mut command = Command::new(interpreter(&place()));
    command.current_dir(root()).env("PYTHONDONTWRITEBYTECODE", "1");
    command.arg(root().join("tests/peers").join(script));
    command
}
