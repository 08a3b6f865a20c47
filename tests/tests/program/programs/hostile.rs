//! Programs that do wrong: each costs one error that names it, and nothing stays behind.

use std::process::Stdio;
use std::time::Instant;

use vinci_tests::program::comes;

use super::*;

/// Role, call, deed, and part of the message.
const HOSTILE: [(&str, &str, &str, &str); 34] = [
    ("solver", "hello", "exit", "create ended its process with exit code 0"),
    ("solver", "hello", "silent", "create had not come back after 3 s"),
    ("solver", "hello", "protocol", "create speaks protocol 7, and this host 1"),
    ("solver", "hello", "print", "what is printed must not go to standard output"),
    ("solver", "create", "abort", "create ended its process: signal 6"),
    ("solver", "create", "spin", "create had not come back after 3 s"),
    ("solver", "solve", "exit", "solve ended its process with exit code 0"),
    ("solver", "solve", "abort", "solve ended its process: signal 6"),
    ("solver", "solve", "spin", "solve had not come back after 3 s"),
    ("solver", "solve", "silent", "solve had not come back after 3 s"),
    ("solver", "solve", "hog", "out of memory (it may have 128 MB)"),
    ("solver", "solve", "print", "solve broke the worker protocol: a message with a head of "),
    (
        "solver",
        "solve",
        "huge-head",
        "solve broke the worker protocol: a message with a head of 18446744073709551615 bytes",
    ),
    (
        "solver",
        "solve",
        "huge-body",
        "solve broke the worker protocol: a message with a head of 2 bytes and a body of 1099511627776",
    ),
    ("solver", "solve", "half", "solve had not come back after 3 s"),
    ("solver", "solve", "no-json", "a head that is no JSON object"),
    ("solver", "solve", "other-number", "answer 4711 where "),
    ("solver", "solve", "flood", "solve broke the worker protocol: a message with a head of "),
    ("solver", "solve", "long", "4711 values of z where "),
    ("solver", "solve", "nan", ""),
    ("solver", "solve", "type", "`z` is of type u32, not f64"),
    (
        "solver",
        "solve",
        "lying-shape",
        "the array `z` of shape [1152921504606846976, 1152921504606846976] where ",
    ),
    ("solver", "solve", "beyond", "the array `z` of shape [100000] where "),
    ("solver", "solve", "countless", "the number `iterations`: 18446744073709551615 is too large"),
    ("solver", "solve", "behind", "bytes behind its arrays"),
    ("solver", "solve", "twice", "the array \"z\" stands twice"),
    ("solver", "solve", "no-text", "text that is no UTF-8"),
    ("solver", "solve", "status", "`status` is \"Splendid\", which is no status"),
    ("solver", "solve", "error", "is no error with kind and message"),
    ("solver", "solve", "exception", "solve raised nothing in particular"),
    ("stepper", "formulate", "exit", "formulate ended its process with exit code 0"),
    ("detector", "detect", "spin", "detect had not come back after 3 s"),
    ("controller", "control", "abort", "control ended its process: signal 6"),
    ("controller", "destroy", "exit", "destroy ended its process with exit code 0"),
];

/// Programs below a folder that run.
fn running(folder: &Path) -> Vec<PathBuf> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let programs = all.filter_map(|entry| std::fs::read_link(entry.path().join("exe")).ok());
    programs.filter(|program| program.starts_with(folder)).collect()
}

/// Programs that run from a folder below `temporary`, and what is left in it.
fn left_behind(temporary: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(temporary).unwrap().flatten().map(|entry| entry.path());
    running(temporary).into_iter().chain(files).collect()
}

/// A host that is killed leaves no program, and one that ends by itself not even its folder.
#[test]
fn a_program_dies_with_its_host() {
    let dir = tempfile::tempdir().unwrap();
    let (temporary, plugin) = (dir.path().join("temporary"), described(dir.path(), "silent", "solve"));
    std::fs::create_dir(&temporary).unwrap();
    let mut command = Command::new(house::program());
    command.arg("run").arg(house::root().join("host/scenes/sliding-block.json")).arg("--solver").arg(plugin);
    command.arg("--out").arg(dir.path().join("out")).env("TMPDIR", &temporary);
    let mut host = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert!(comes(|| !running(&temporary).is_empty()), "the program begins");
    host.kill().unwrap();
    host.wait().unwrap();
    assert!(comes(|| running(&temporary).is_empty()), "the program ends with its host");
}

/// The host survives all of it, names the plugin, ends with the code of a plugin's fault, and claims no result.
#[test]
fn hostile_programs_cost_one_error_that_names_them() {
    let dir = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for (k, (role, call, deed, expected)) in HOSTILE.into_iter().enumerate() {
        let home = dir.path().join(k.to_string());
        let begun = Instant::now();
        // Those that never come back are waited for shortly.
        let deadline = if ["spin", "silent", "half"].contains(&deed) { 3 } else { AMPLE };
        let output = block(&home, role, &described(&home, deed, call), deadline);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        let named = message.contains(&format!("test.{role}.spoken"));
        let summary = std::fs::read_to_string(home.join("out/summary.json"));
        let honest = summary.map_or(true, |text| text.contains(r#""status": "failed""#));
        let fine = output.status.code() == Some(5) && named && message.contains(expected) && honest;
        let left = left_behind(&home.join("temporary"));
        if !left.is_empty() {
            wrong.push(format!("{role} {call} {deed} leaves {left:?}"));
        }
        if !fine || begun.elapsed() > Duration::from_secs(60) {
            wrong.push(format!("{role} {call} {deed}: {:?}: {message}", output.status.code()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A racer that is late is ended by the host, which is no news: nothing was wrong with it.
#[test]
fn a_late_program_in_a_race_is_not_told_as_killed_by_somebody() {
    let dir = tempfile::tempdir().unwrap();
    let plugin = json!({ "plugin": described(dir.path(), "silent", "solve"), "race": true, "fallback": ["vinci.solver.lemke"] });
    let mut command = Command::new(house::program());
    command.arg("run").arg(house::root().join("host/scenes/sliding-block.json"));
    command.args(["--duration", "0.05", "--set", &format!("solver={plugin}"), "--out"]);
    let output = command.arg(dir.path().join("out")).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{message}");
    assert!(!message.contains("test.solver.spoken"), "{message}");
    let record = std::fs::read_to_string(dir.path().join("out/race.csv")).unwrap();
    assert!(record.lines().skip(1).all(|line| line.ends_with(",2,vinci.solver.lemke")), "{record}");
}

/// Other files, the network, other programs: the system says no, which the plugin reports.
#[test]
fn a_program_gets_no_farther_than_its_own_process() {
    let dir = tempfile::tempdir().unwrap();
    for deed in ["read", "write", "connect", "execute"] {
        let home = dir.path().join(deed);
        let plugin = described(&home, deed, "create");
        let output = block(&home, "solver", &plugin, AMPLE);
        let message = output_text(&output);
        assert!(output.status.code() == Some(3) && message.contains("kept from it: "), "{deed}: {message}");
        // Whoever trusts it may let it.
        let plugin = json!({ "plugin": plugin });
        let mut command = Command::new(house::program());
        command
            .arg("run")
            .arg(house::root().join("host/scenes/sliding-block.json"))
            .arg("--out")
            .arg(home.join("out"));
        command.args(["--isolate=none", "--set", &format!("solver={plugin}")]);
        let message = output_text(&command.output().unwrap());
        assert!(message.contains("nothing kept it from it"), "{deed}: {message}");
    }
}

/// A solver that claims what is not so is not believed.
#[test]
fn a_false_claim_of_a_program_is_seen() {
    let dir = tempfile::tempdir().unwrap();
    let output = block(dir.path(), "solver", &described(dir.path(), "lie", "solve"), AMPLE);
    let message = output_text(&output);
    assert_eq!(output.status.code(), Some(6), "{message}");
    assert!(message.contains("step 1 was not solved: test.solver.spoken "), "{message}");
}
