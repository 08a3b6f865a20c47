//! Solvers that race: who wins depends on time, and a run that follows the winners has the same bits.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::Value;
use vinci_conformance::fixture::build_member;
use vinci_tests::house;
use vinci_tests::program::{TestDirectory, output_text, vinci};

/// A run that takes so long waits for one that hangs.
const HANGS: Duration = Duration::from_secs(120);

/// The library whose solver does what it is asked to.
fn bad_library() -> &'static str {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    let path = PATH.get_or_init(|| {
        house::build();
        build_member("vinci-bad-plugins").unwrap()
    });
    path.to_str().unwrap()
}

/// An entrant that does a deed whenever it is asked to solve.
fn entrant(deed: &str) -> String {
    let library = bad_library();
    format!(
        r#"{{"plugin": {library:?}, "options": {{"at": "solve", "do": "{deed}"}}, "isolation": {{"deadline": 5}}}}"#
    )
}

/// A solver that races against others, as `--set` takes it.
fn race(first: &str, others: &[&str]) -> String {
    let library = bad_library();
    match first {
        "dawdle" => format!(
            r#"solver={{"plugin": {library:?}, "options": {{"at": "solve", "do": "dawdle"}}, "fallback": [{}], "race": true}}"#,
            others.join(",")
        ),
        _ => format!(r#"solver={{"plugin": "{first}", "fallback": [{}], "race": true}}"#, others.join(",")),
    }
}

/// The sliding block with a solver.
fn block(out: &str, solver: &str, more: &[&str]) -> Command {
    let mut command = Command::new(house::program());
    command.arg("run").arg(house::root().join("host/scenes/sliding-block.json"));
    command.args(["--out", out, "--allow-plugin", bad_library(), "--set", solver]).args(more);
    command
}

/// Runs it to its end.
fn done(mut command: Command) -> Output {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
    output
}

fn summary(run: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(run.join("summary.json")).unwrap()).unwrap()
}

fn hashes(run: &Path) -> [Value; 3] {
    let summary = summary(run);
    [&summary["state_hash"], &summary["trajectory_hash"], &summary["solver_stats"]].map(Clone::clone)
}

/// Places of the winners, row by row.
fn winners(run: &Path) -> Vec<usize> {
    let text = std::fs::read_to_string(run.join("race.csv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("step,entrant,solver"));
    lines.map(|line| line.split(',').nth(1).unwrap().parse().unwrap()).collect()
}

/// Two that are slow at random, with answers of other bits, and the winners that are followed.
#[test]
fn a_run_that_follows_a_race_has_its_bits() {
    let dir = TestDirectory::new();
    let solver = race("dawdle", &[&entrant("stray")]);
    done(block(&dir.text("race"), &solver, &["--duration", "1"]));
    let won = winners(&dir.path("race"));
    assert!(won.len() >= 30 && won.iter().all(|k| (1..=2).contains(k)), "{won:?}");
    assert!(won.iter().any(|k| *k != won[0]), "nobody else ever won: {won:?}");
    let summary = summary(&dir.path("race"));
    assert!(summary["files"]["race.csv"]["sha256"].is_string());
    for again in ["again", "once-more"] {
        done(block(&dir.text(again), &solver, &["--duration", "1", "--follow-races", &dir.text("race")]));
        assert_eq!(hashes(&dir.path(again)), hashes(&dir.path("race")));
        assert_eq!(winners(&dir.path(again)), won);
    }
    // `rerun` follows by itself, and compares every table.
    let rerun = vinci(&["rerun", &dir.text("race"), "--allow-plugin", bad_library()]);
    assert_eq!(rerun.status.code(), Some(0), "{}", output_text(&rerun));
}

/// One that hangs, one that ends its process, one that claims nonsense: none of them wins, and none is left.
#[test]
fn who_hangs_crashes_or_lies_loses() {
    let dir = TestDirectory::new();
    let [hangs, dies, lies] = ["spin", "exit-now", "lie"].map(entrant);
    let solver = race("newton", &[&hangs, &dies, &lies]);
    let begun = Instant::now();
    let output = done(block(&dir.text("race"), &solver, &["--duration", "0.1"]));
    assert!(begun.elapsed() < HANGS, "hangs are waited for: {}", output_text(&output));
    assert!(winners(&dir.path("race")).iter().all(|k| *k == 1));
    let alone = ["--duration", "0.1", "--solver", "newton"];
    let plain = Command::new(house::program())
        .arg("run")
        .arg(house::root().join("host/scenes/sliding-block.json"))
        .args(["--out", &dir.text("alone")])
        .args(alone)
        .output()
        .unwrap();
    assert_eq!(plain.status.code(), Some(0), "{}", output_text(&plain));
    assert_eq!(hashes(&dir.path("race")), hashes(&dir.path("alone")));
}

/// All of them fail: the run fails as under a chain, and tells of each.
#[test]
fn a_race_that_nobody_wins_fails_as_a_chain_does() {
    let dir = TestDirectory::new();
    let [lies, nan] = ["lie", "nan"].map(entrant);
    let chain = |race: &str| {
        format!(
            r#"solver={{"plugin": {:?}, "options": {{"at": "solve", "do": "refuse"}}, "fallback": [{lies}, {nan}]{race}}}"#,
            bad_library()
        )
    };
    let failure = |name: &str, solver: &str| {
        let output = block(&dir.text(name), solver, &["--duration", "0.1"]).output().unwrap();
        let summary = summary(&dir.path(name));
        (output.status.code(), summary["failure"]["attempts"].clone(), summary["failure"]["message"].clone())
    };
    let raced = failure("race", &chain(r#", "race": true"#));
    assert_eq!(raced, failure("chain", &chain("")));
    assert!(raced.0 != Some(0), "{raced:?}");
}

/// Every change of a record is told, whether its sum tells of it or what it says.
#[test]
fn a_record_that_was_changed_or_cut_is_refused() {
    let dir = TestDirectory::new();
    let solver = race("newton", &[r#""lemke""#]);
    done(block(&dir.text("race"), &solver, &["--duration", "0.1"]));
    let record = dir.path("race/race.csv");
    let text = std::fs::read_to_string(&record).unwrap();
    let follow = |out: &str, duration: &str| {
        let more = ["--duration", duration, "--follow-races", &dir.text("race")];
        let output = block(&dir.text(out), &solver, &more).output().unwrap();
        (output.status.code(), output_text(&output))
    };
    let cut = text.lines().take(4).map(|line| format!("{line}\n")).collect::<String>();
    let other = text.replacen(",vinci.solver.", ",vinci.solver.x", 1);
    for (k, changed) in [cut, other, String::new()].into_iter().enumerate() {
        std::fs::write(&record, changed).unwrap();
        let (code, said) = follow(&format!("changed-{k}"), "0.1");
        assert!(code == Some(7) && said.contains("race.csv is not what the run wrote"), "{code:?}: {said}");
    }
    std::fs::remove_file(&record).unwrap();
    assert!(follow("none", "0.1").1.contains("race.csv"));
    std::fs::write(&record, &text).unwrap();
    // The record of a shorter run.
    let (code, said) = follow("longer", "0.2");
    assert!(code != Some(0) && said.contains("it ends after"), "{code:?}: {said}");
    // A liar: the sum is right, and the winner is not among those who race here.
    let with_sum = |rows: &str| {
        std::fs::write(&record, rows).unwrap();
        let path = dir.path("race/summary.json");
        let mut summary: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        use sha2::Digest;
        let sum: String = sha2::Sha256::digest(rows).iter().map(|byte| format!("{byte:02x}")).collect();
        summary["files"]["race.csv"]["sha256"] = sum.into();
        std::fs::write(path, summary.to_string()).unwrap();
    };
    let row = text.lines().nth(1).unwrap();
    for (wrong, said) in [
        ("1,7,vinci.solver.newton", "entrant 7, who won in step 1, is not vinci.solver.newton here"),
        ("1,0,", "nobody won in step 1, and here somebody does"),
        ("9,1,vinci.solver.newton", "its problem 1 is of step 9, and here of step 1"),
        ("1;1;newton", "row 1 of race.csv, `1;1;newton`, is that of no race"),
    ] {
        with_sum(&text.replacen(row, wrong, 1));
        let (code, message) = follow("liar", "0.1");
        assert!(code != Some(0) && message.contains(said), "{wrong}: {code:?}: {message}");
        let _ = std::fs::remove_dir_all(dir.path("liar"));
    }
}

/// Whatever the winners were, a run that was killed goes on, and the record of all of it leads to its bits.
#[test]
fn a_race_that_was_killed_goes_on_and_can_be_followed() {
    let dir = TestDirectory::new();
    let solver = race("dawdle", &[r#""newton""#]);
    // Nobody knows how fast this machine is now: a run that came to its end is begun again, for longer.
    let duration = ["1", "4", "16", "64"].into_iter().find(|duration| killed(&dir, &solver, duration));
    let duration = duration.expect("none of them was killed in time");
    let on = vinci(&["run", "--resume", &dir.text("race"), "--allow-plugin", bad_library()]);
    assert_eq!(on.status.code(), Some(0), "{}", output_text(&on));
    done(block(&dir.text("again"), &solver, &["--duration", duration, "--follow-races", &dir.text("race")]));
    assert_eq!(hashes(&dir.path("again")), hashes(&dir.path("race")));
    assert_eq!(winners(&dir.path("again")), winners(&dir.path("race")));
}

/// Begins a race of this duration and kills it a while after its first checkpoint; false where it had come to its end.
fn killed(dir: &TestDirectory, solver: &str, duration: &str) -> bool {
    let _ = std::fs::remove_dir_all(dir.path("race"));
    let more = ["--duration", duration, "--checkpoint-every", "20ms"];
    let mut child =
        block(&dir.text("race"), solver, &more).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while !dir.path("race/checkpoint.cbor").exists() {
        assert!(begun.elapsed() < Duration::from_secs(120), "there is a checkpoint");
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(150));
    child.kill().unwrap();
    child.wait().unwrap();
    !dir.path("race/summary.json").exists()
}

#[test]
fn races_that_cannot_be_are_refused() {
    let dir = TestDirectory::new();
    for (solver, said) in [
        (r#"{"plugin": "newton", "race": true}"#, "one solver alone cannot race"),
        (r#"{"plugin": "auto", "race": true}"#, "`auto` chooses solvers by size"),
        (
            r#"{"plugin": "newton", "fallback": ["lemke"], "race": true, "islands": true}"#,
            "solvers race for whole problems",
        ),
    ] {
        let output = block(&dir.text("out"), &format!("solver={solver}"), &[]).output().unwrap();
        let message = output_text(&output);
        assert!(output.status.code() == Some(3) && message.contains(said), "{solver}: {message}");
    }
    let plain = block(&dir.text("out"), r#"solver="newton""#, &["--follow-races", &dir.text("out")]);
    let output = { plain }.output().unwrap();
    assert!(output_text(&output).contains("there is nothing to follow"), "{}", output_text(&output));
}
