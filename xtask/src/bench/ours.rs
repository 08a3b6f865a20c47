//! Vinci's steps: `vinci bench steps`, one experiment in a process of its own.

use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::case::Case;
use crate::shell::{json, program, root, target, wait_with};

/// Most that an experiment may take, s.
const LONGEST: u64 = 300;

/// The steps of one experiment: what `vinci bench steps --json` says of it, with `memory_kb`, the most memory that the process had; or
/// `failure`.
pub(super) fn measure(case: &Case) -> Result<Value, String> {
    eprintln!("{}", case.name);
    let said = target().join("bench").join(format!("{}.steps.json", case.name));
    let wrong = |e: std::io::Error| format!("{}: {e}", said.display());
    let out = File::create(&said).map_err(wrong)?;
    let mut command = Command::new(program("release"));
    command.current_dir(root()).args(["bench", "steps", "--json"]).arg(&case.experiment);
    let mut child = command.stdout(out).stderr(Stdio::null()).spawn().map_err(wrong)?;
    let mut most = None;
    let ended = wait_with(&mut child, Duration::from_secs(LONGEST), |child| most = memory(child).max(most));
    if ended.map_err(wrong)?.is_none() {
        return Ok(json!({ "experiment": case.name, "failure": format!("no end in {LONGEST} s") }));
    }
    let mut found: Value = json(&said)?;
    let mut one = found["experiments"][0].take();
    one["memory_kb"] = json!(most);
    Ok(one)
}

/// The most memory that a process had so far, kB, where the system says it.
fn memory(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
