//! Sweeps through the program: the same bytes however they are run, whatever dies on the way.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use vinci_conformance::fixture::build_member;
use vinci_run::lock::{LOCK, Lock};
use vinci_sweep::{Ask, WorkerPool, drive, load_sweep};
use vinci_tests::house;

fn scene(name: &str) -> String {
    house::root().join("host/scenes").join(name).display().to_string()
}

/// 4 cases of a sliding block, 6 samples, two rungs: 28 to 48 runs of 10 to 50 steps.
fn sliding(prune: &str) -> String {
    format!(
        r#"{{ "format": "vinci/sweep@1", "experiment": {:?}, "seed": 7, "prune": {prune:?},
  "cases": {{ "grid": {{ "v0": {{ "from": 1, "to": 2, "count": 2 }}, "which": {{ "values": ["lemke", "newton"] }} }} }},
  "samples": {{ "random": {{ "count": 6, "mu": {{ "uniform": [0.1, 0.6] }} }} }},
  "set": {{ "scene.bodies.block.velocity[0]": "v0", "scene.materials.default.friction": "mu", "solver.plugin": "which",
           "time.duration": 0.1 }},
  "ladder": [ {{ "name": "coarse" }}, {{ "name": "fine", "set": {{ "time.step": "0.002" }} }} ],
  "outcome": {{ "success": "block.vx < 0.75*v0", "measure": {{ "x": "block.x" }} }} }}"#,
        scene("sliding-block.json")
    )
}

struct SweepFolder {
    dir: tempfile::TempDir,
}

impl SweepFolder {
    fn new(sweep: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("s.sweep.json"), sweep).unwrap();
        Self { dir }
    }

    /// With a copy of the sliding block's experiment, whose path `sweep` is told, and of its scene (s.scene.json).
    fn copied(sweep: impl Fn(&str) -> String) -> Self {
        let read = |name: &str| std::fs::read_to_string(scene(name)).unwrap();
        let place = Self::new(&sweep("e.json"));
        let experiment = read("sliding-block.json").replace("sliding-block.scene.json", "s.scene.json");
        std::fs::write(place.path("e.json"), experiment).unwrap();
        std::fs::write(place.path("s.scene.json"), read("sliding-block.scene.json")).unwrap();
        place
    }

    fn edit(&self, name: &str, from: &str, to: &str) {
        let text = std::fs::read_to_string(self.path(name)).unwrap();
        assert!(text.contains(from));
        std::fs::write(self.path(name), text.replace(from, to)).unwrap();
    }

    /// Names and last row of the trajectory of `vinci run` on the experiment that `show` writes for a row.
    fn last_of_run(&self, row: &BTreeMap<String, String>) -> (Vec<String>, Vec<String>) {
        let (experiment, results) = (self.path("shown.json"), self.path("shown"));
        let mut show = Command::new(house::program());
        show.args(["sweep", "show"]).arg(self.path("s.sweep.json"));
        show.args(["--case", &row["case"], "--sample", &row["sample"], "--rung", &row["rung"], "--out"]);
        assert!(show.arg(&experiment).status().unwrap().success());
        let mut run = Command::new(house::program());
        let output = run.arg("run").arg(&experiment).arg("--out").arg(&results).output().unwrap();
        assert!(output.status.success(), "{}", told(&output));
        let text = std::fs::read_to_string(results.join("trajectory.csv")).unwrap();
        let words = |line: Option<&str>| line.unwrap().split(',').map(str::to_owned).collect();
        (words(text.lines().next()), words(text.lines().last()))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn command(&self, out: &str, more: &[&str]) -> Command {
        let mut command = Command::new(house::program());
        command.arg("sweep").arg(self.path("s.sweep.json")).arg("--out").arg(self.path(out)).args(more);
        command
    }

    fn run(&self, out: &str, more: &[&str]) -> Output {
        self.command(out, more).output().unwrap()
    }

    #[track_caller]
    fn done(&self, out: &str, more: &[&str]) {
        let output = self.run(out, more);
        assert!(output.status.success(), "{}", told(&output));
    }

    /// Complete, with rows of runs that took their process along.
    #[track_caller]
    fn crashed(&self, out: &str, more: &[&str]) {
        let output = self.run(out, more);
        assert_eq!(output.status.code(), Some(9), "{}", told(&output));
    }

    /// Rows by (case, sample, rung).
    fn rows(&self, out: &str) -> Vec<BTreeMap<String, String>> {
        let text = std::fs::read_to_string(self.path(out).join("rows.csv")).unwrap();
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().unwrap().split(',').collect();
        lines
            .map(|l| names.iter().map(ToString::to_string).zip(l.split(',').map(str::to_owned)).collect())
            .collect()
    }

    fn merge(&self, parts: &[PathBuf], out: &str) -> Output {
        let mut command = Command::new(house::program());
        command.args(["sweep", "merge"]).args(parts).arg("--out").arg(self.path(out)).output().unwrap()
    }

    /// The sweep in n parts, in directories PREFIX1, PREFIX2, ….
    #[track_caller]
    fn parts(&self, prefix: &str, n: usize, more: &[&str]) -> Vec<PathBuf> {
        (1..=n)
            .map(|i| {
                let (name, shard) = (format!("{prefix}{i}"), format!("{i}/{n}"));
                self.done(&name, &[&["--shard", shard.as_str()][..], more].concat());
                self.path(&name)
            })
            .collect()
    }

    #[track_caller]
    fn same_files(&self, a: &str, b: &str) {
        for name in ["rows.csv", "rows.parquet"] {
            let read = |out: &str| std::fs::read(self.path(out).join(name)).unwrap();
            assert!(read(a) == read(b), "{name} of {a} and {b}");
        }
    }
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn rows_are_the_same_bytes_for_any_number_of_jobs_and_shards() {
    for prune in ["case", "sample", "never"] {
        let place = SweepFolder::new(&sliding(prune));
        place.done("one", &["--jobs", "1"]);
        place.done("two", &["--jobs", "2"]);
        place.same_files("one", "two");
        let parts = place.parts("part", 7, &["--jobs", "1"]);
        let output = place.merge(&parts, "merged");
        assert!(output.status.success(), "{}", told(&output));
        place.same_files("one", "merged");
        let output = place.merge(&parts[1..], "less");
        assert!(told(&output).contains("part 1 of 7 is missing"), "{}", told(&output));
        let output = place.merge(&[&parts[..], &parts[..1]].concat(), "twice");
        assert!(told(&output).contains("is also in"), "{}", told(&output));
    }
}

/// The shipped sweep on a 3 x 3 corner of its grid with the first 4 of its 100 draws, pictures included.
#[test]
fn grasps_are_the_same_bytes_for_any_number_of_jobs_and_shards() {
    let text = std::fs::read_to_string(scene("gear-grasp-medium.sweep.json")).unwrap();
    let mut corner = text.replace("gear-grasp.json", &scene("gear-grasp.json"));
    for (whole, part) in [
        (r#""from": -0.01, "to": 0.01, "count": 21"#, r#""from": -0.01, "to": -0.008, "count": 3"#),
        (r#""count": 100"#, r#""count": 4"#),
        (r#""file": "gear-grasp-medium.svg""#, r#""file": "map.png""#),
    ] {
        assert!(corner.contains(whole), "{whole}");
        corner = corner.replace(whole, part);
    }
    let place = SweepFolder::new(&corner);
    place.done("one", &["--jobs", "1"]);
    assert_eq!(place.rows("one").len(), 36);
    place.done("two", &["--jobs", "2"]);
    place.same_files("one", "two");
    let parts = place.parts("part", 7, &["--jobs", "2"]);
    assert!(place.merge(&parts, "merged").status.success());
    place.same_files("one", "merged");
    let picture = |out: &str| std::fs::read(place.path(out).join("map.png")).unwrap();
    assert!(picture("one").starts_with(b"\x89PNG"));
    assert!(picture("one") == picture("two") && picture("one") == picture("merged"));
}

/// The shipped sweep where the part stands as the plan was made for. Who does not come home jams aslant in the slot: no velocity
/// follows the needle.
#[test]
#[ignore = "long"]
fn a_part_comes_home_or_jams_where_supports_and_friction_are_not_known() {
    let text = std::fs::read_to_string(scene("needle-peg.sweep.json")).unwrap();
    let place =
        SweepFolder::new(&text.replace("\"needle-peg.json\"", &format!("{:?}", scene("needle-peg.json"))));
    place.done("middle", &["--cases", "40..41"]);
    let (home, jammed): (Vec<_>, Vec<_>) =
        place.rows("middle").into_iter().partition(|row| row["success"] == "true");
    assert_eq!((home.len(), jammed.len()), (18, 7));
    let number = |row: &BTreeMap<String, String>, column: &str| row[column].parse::<f64>().unwrap();
    for row in &home {
        assert!(number(row, "t_end") < 33.0 && number(row, "peg_y") > 1.4975e-3, "{row:?}");
    }
    for row in &jammed {
        assert_eq!((&row["status"][..], &row["error"][..]), ("failed", "solver"));
        assert!(number(row, "peg_angle") > 0.04 && number(row, "peg_y") > 1.478e-3, "{row:?}");
    }
}

#[test]
fn one_rung_in_parts_is_merged_to_that_rung_alone() {
    let place = SweepFolder::new(&sliding("never"));
    place.done("whole", &["--only", "fine"]);
    let parts = place.parts("part", 3, &["--only", "fine"]);
    assert!(place.merge(&parts, "merged").status.success());
    place.same_files("whole", "merged");
    place.done("other", &["--only", "coarse", "--shard", "3/3"]);
    let output = place.merge(&[&parts[..2], &[place.path("other")][..]].concat(), "mixed");
    assert_eq!(output.status.code(), Some(7));
    assert!(told(&output).contains("belongs to another sweep than"), "{}", told(&output));
    // What was merged stays until it is to go.
    place.done("coarse", &["--only", "coarse"]);
    let again = |more: &[&str]| {
        let mut command = Command::new(house::program());
        command.args(["sweep", "merge"]).arg(place.path("coarse")).arg("--out").arg(place.path("merged"));
        command.args(more).output().unwrap()
    };
    assert!(told(&again(&[])).contains("--force to begin anew"));
    place.same_files("whole", "merged");
    assert!(again(&["--force"]).status.success());
    place.same_files("coarse", "merged");
}

/// The continuous block loses μ g t: after 0.1 s it is slower than 3/4 of v0 where μ > v0/4/(g t), 0.255 for 1 m/s; the scheme is exact in
/// v while it slides.
#[test]
fn successes_are_those_of_the_closed_form_and_pruning_leaves_out_what_cannot_count() {
    let place = SweepFolder::new(&sliding("never"));
    place.done("all", &["--jobs", "2"]);
    let number = |row: &BTreeMap<String, String>, key: &str| row[key].parse::<f64>().unwrap();
    let rows = place.rows("all");
    assert_eq!(rows.len(), 4 * 6 * 2);
    for row in &rows {
        let (v0, mu) = (number(row, "v0"), number(row, "mu"));
        assert_eq!(row["success"] == "true", v0 - mu * 9.81 * 0.1 < 0.75 * v0, "{row:?}");
        assert_eq!(number(row, "steps"), if row["rung"] == "fine" { 50.0 } else { 10.0 });
    }
    let place = SweepFolder::new(&sliding("case"));
    place.done("pruned", &[]);
    let good = |case: &str, rung: &str| {
        let of = rows.iter().filter(|r| r["case"] == case && r["rung"] == rung);
        of.take_while(|r| r["success"] == "true").count()
    };
    let pruned = place.rows("pruned");
    for case in ["0", "1", "2", "3"] {
        let count = |rung: &str| pruned.iter().filter(|r| r["case"] == case && r["rung"] == rung).count();
        let coarse = good(case, "coarse");
        assert_eq!(count("coarse"), (coarse + 1).min(6));
        assert_eq!(count("fine"), if coarse == 6 { (good(case, "fine") + 1).min(6) } else { 0 });
    }
}

/// Numbers that choose when a sweep is killed; any will do.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// Lines of a sweep's journal; none where there is no journal yet.
#[cfg(unix)]
fn journal_lines(place: &SweepFolder, out: &str) -> usize {
    let journal = std::fs::read(place.path(out).join("journal.jsonl")).unwrap_or_default();
    journal.iter().filter(|byte| **byte == b'\n').count()
}

/// Starts the sweep, kills it with its children once the journal has `more` lines more than now; false: it ended before that.
#[cfg(unix)]
fn killed_after(place: &SweepFolder, out: &str, more: usize) -> bool {
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    let wanted = journal_lines(place, out) + more;
    let mut command = place.command(out, &["--jobs", "2"]);
    let mut child = command.process_group(0).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while journal_lines(place, out) < wanted {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    // The whole group: parent and children.
    let group = format!("-{}", child.id());
    assert!(Command::new("kill").args(["-KILL", "--", &group]).status().unwrap().success());
    let status = child.wait().unwrap();
    assert!(status.success() || status.signal().is_some(), "{status}");
    !status.success()
}

/// Children of a process, whichever of its threads made them.
#[cfg(target_os = "linux")]
fn children(process: u32) -> Vec<String> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let told = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    told.flat_map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// A child that was killed by the system, for want of memory or by a person, cost the row of its run.
#[cfg(target_os = "linux")]
#[test]
fn a_child_that_is_killed_from_outside_costs_no_row() {
    let place = SweepFolder::new(&sliding("sample").replace("\"count\": 6", "\"count\": 40"));
    place.done("whole", &["--jobs", "1"]);
    let quiet = Stdio::null;
    let mut sweep = place.command("out", &["--jobs", "1"]).stdout(quiet()).stderr(quiet()).spawn().unwrap();
    let mut kills = 0;
    let status = loop {
        // Every kill at another run: one whose child is killed twice is given up.
        let lines = journal_lines(&place, "out");
        while journal_lines(&place, "out") < lines + 2 && sweep.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        if let Some(status) = sweep.try_wait().unwrap() {
            break status;
        }
        for child in children(sweep.id()) {
            kills += u32::from(Command::new("kill").args(["-KILL", &child]).status().unwrap().success());
        }
    };
    assert!(status.success() && kills > 2, "{status} after {kills} kills");
    place.same_files("out", "whole");
}

#[cfg(unix)]
#[test]
fn killed_fifty_times_and_resumed_a_sweep_has_the_rows_of_one_that_was_not() {
    let place = SweepFolder::new(&sliding("sample").replace("\"count\": 6", "\"count\": 40"));
    place.done("whole", &["--jobs", "2"]);
    let (mut kills, mut round, mut state) = (0, 0, 1_u64);
    while kills < 50 {
        let out = format!("killed{round}");
        // Every kill meets the sweep at work: after one to five rows more.
        while kills < 50 && killed_after(&place, &out, 1 + next(&mut state) as usize % 5) {
            kills += 1;
        }
        place.done(&out, &["--jobs", "2"]);
        place.same_files("whole", &out);
        round += 1;
    }
}

#[test]
fn a_run_that_kills_its_process_is_a_row_and_the_others_go_on() {
    house::build();
    let bad = build_member("vinci-bad-plugins").unwrap();
    for (deed, code) in [("abort", "crash"), ("exit", "crash"), ("crash", "crash"), ("stall", "timeout")] {
        let solver = |deed: &str| {
            format!(
                r#"{{ "plugin": {:?}, "options": {{ "at": "solve", "do": {deed:?} }} }}"#,
                bad.display().to_string()
            )
        };
        let sweep = format!(
            r#"{{ "format": "vinci/sweep@1", "experiment": {:?}, "cases": {{ "grid": {{ "x": {{ "from": 0, "to": 2, "count": 3 }} }} }},
  "set": {{ "time.duration": 0.05 }},
  "ladder": [ {{ "name": "good" }}, {{ "name": "bad", "set": {{ "solver": {} }} }}, {{ "name": "good-again" }} ] }}"#,
            scene("sliding-block.json"),
            solver(deed)
        );
        let place = SweepFolder::new(&sweep);
        place.crashed("out", &["--jobs", "2", "--timeout-per-run", "5"]);
        let rows = place.rows("out");
        assert_eq!(rows.len(), 9, "{deed}");
        for row in &rows {
            let expected = if row["rung"] == "bad" { ("crashed", code) } else { ("ok", "") };
            assert_eq!((row["status"].as_str(), row["error"].as_str()), expected, "{deed}: {row:?}");
        }
    }
}

/// The time of a run began with the run: a child that hung while it loaded held the sweep for ever.
#[test]
fn a_child_that_never_gets_ready_costs_its_rows() {
    let place = SweepFolder::new(&sliding("never"));
    let ask = Ask { cases: Some([0, 1]), only: Some("coarse".into()), ..Ask::default() };
    let (plan, _) = load_sweep(&place.path("s.sweep.json"), ask, &house::registry()).unwrap();
    let moment = Duration::from_millis(50);
    let pool = WorkerPool {
        program: "sleep".into(),
        arguments: vec!["600".into()],
        jobs: 2,
        timeout: Some(moment),
        loading: moment,
        loud: false,
    };
    let report = drive(&plan, &place.path("out"), false, &pool, |_, _| ()).unwrap();
    assert_eq!((report.made, report.wrong), (6, [0, 0, 6]));
    for row in place.rows("out") {
        assert_eq!((row["status"].as_str(), row["error"].as_str()), ("crashed", "timeout"), "{row:?}");
        assert!(row["message"].contains("was not ready for it after 0.05 s"), "{row:?}");
    }
}

/// A child is started anew after every crash, and the second one finds another scene.
#[test]
fn a_scene_that_changes_while_a_sweep_runs_is_noticed() {
    house::build();
    let bad = build_member("vinci-bad-plugins").unwrap();
    let place = SweepFolder::copied(|experiment| {
        format!(
            r#"{{ "format": "vinci/sweep@1", "experiment": {experiment:?}, "samples": {{ "grid": {{ "x": {{ "from": 0, "to": 1, "count": 60 }} }} }},
  "set": {{ "solver": {{ "plugin": {:?}, "options": {{ "at": "solve", "do": "exit" }} }} }} }}"#,
            bad.display().to_string()
        )
    });
    let child = place.command("out", &["--jobs", "1"]).stderr(Stdio::piped()).spawn().unwrap();
    let journal = place.path("out").join("journal.jsonl");
    while !std::fs::metadata(&journal).is_ok_and(|m| m.len() > 0) {
        std::thread::sleep(Duration::from_millis(5));
    }
    place.edit("s.scene.json", "\"mass\": 1.0", "\"mass\": 1.5");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(7), "{}", told(&output));
    assert!(told(&output).contains("was changed while it ran"), "{}", told(&output));
    place.edit("s.scene.json", "\"mass\": 1.5", "\"mass\": 1.0");
    place.crashed("out", &["--jobs", "2"]);
    assert_eq!(place.rows("out").len(), 60);
}

/// What a sweep did before it was killed stays that of the files it had then.
#[test]
fn a_scene_that_changed_between_a_kill_and_going_on_is_refused() {
    let place =
        SweepFolder::copied(|experiment| sliding("never").replace(&scene("sliding-block.json"), experiment));
    let mut child = place.command("out", &[]).spawn().unwrap();
    let journal = place.path("out").join("journal.jsonl");
    while !std::fs::metadata(&journal).is_ok_and(|m| m.len() > 0) {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    place.edit("s.scene.json", "\"mass\": 1.0", "\"mass\": 1.5");
    let output = place.run("out", &[]);
    assert_eq!(output.status.code(), Some(7));
    let text = told(&output);
    assert!(text.contains("rows of another plan") && text.contains("--force"), "{text}");
    place.edit("s.scene.json", "\"mass\": 1.5", "\"mass\": 1.0");
    place.done("out", &[]);
    place.done("whole", &[]);
    place.same_files("out", "whole");
}

#[test]
fn two_sweeps_do_not_write_into_one_directory() {
    let place = SweepFolder::new(&sliding("never"));
    place.done("out", &["--cases", "0..1"]);
    let lock = Lock::take(&place.path("out")).unwrap();
    let output = place.run("out", &["--cases", "0..1"]);
    assert_eq!(output.status.code(), Some(7));
    assert!(told(&output).contains("another run or sweep is writing there"), "{}", told(&output));
    drop(lock);
    place.done("out", &["--cases", "0..1"]);
    let output = place.run("s.sweep.json/out", &[]);
    assert_eq!(output.status.code(), Some(7));
    assert!(told(&output).contains("cannot write to"), "{}", told(&output));
}

/// The block stands after v0/(μ g): an event ends the run there, and success is judged there.
#[test]
fn events_happen_in_sweeps_as_in_runs() {
    let sweep = format!(
        r#"{{ "format": "vinci/sweep@1", "experiment": {{ "format": "vinci/experiment@1", "extends": {:?}, "events": [
    {{ "at": 0.1, "set": {{ "scene.materials.default.friction": 0.8 }} }},
    {{ "at": 0.15, "swap": {{ "solver": "newton" }} }},
    {{ "when": "block.vx < 0.5", "stop": "slow" }} ] }},
  "cases": {{ "grid": {{ "v0": {{ "values": [1, 1.5, 9] }} }} }}, "set": {{ "scene.bodies.block.velocity[0]": "v0" }},
  "outcome": {{ "success": "t < 0.999", "measure": {{ "x": "block.x", "v": "block.vx" }} }} }}"#,
        scene("sliding-block.json")
    );
    let place = SweepFolder::new(&sweep);
    place.done("out", &["--jobs", "2"]);
    let rows = place.rows("out");
    let success: Vec<&str> = rows.iter().map(|r| r["success"].as_str()).collect();
    assert_eq!(success, ["true", "true", "false"]);
    for row in &rows {
        let (names, last) = place.last_of_run(row);
        let at = |name: &str| last[names.iter().position(|n| n == name).unwrap()].clone();
        assert_eq!(
            (at("time"), at("block.x"), at("block.vx")),
            (row["t_end"].clone(), row["x"].clone(), row["v"].clone())
        );
    }
    // 0.1 s with 0.5, the rest with 0.8: 1 m/s is below 1/2 at once after that, 1.5 m/s 0.065 s later.
    let ends: Vec<f64> = rows.iter().map(|r| r["t_end"].parse().unwrap()).collect();
    for (end, v0) in ends.iter().zip([1.0, 1.5]) {
        let after = 0.1 + (v0 - 0.5 * 9.81 * 0.1 - 0.5_f64).max(0.0) / (0.8 * 9.81);
        assert!(*end >= after - 1e-9 && *end <= after + 0.0101, "{end} {after}");
    }
}

/// Exponents below 1 make shapes that are not convex.
#[test]
fn an_exponent_below_1_makes_a_row_that_says_so() {
    let sweep = format!(
        r#"{{ "format": "vinci/sweep@1", "experiment": {:?}, "cases": {{ "grid": {{ "s": {{ "values": [2, 0.5, 1] }} }} }},
  "set": {{ "detector": "implicit", "time.duration": 0.02,
    "scene.bodies.block.shapes": [ {{ "type": "superellipse", "radii": [0.1, 0.05], "exponent": 2 }} ],
    "scene.bodies.block.shapes[0].exponent": "s" }} }}"#,
        scene("sliding-block.json")
    );
    let place = SweepFolder::new(&sweep);
    place.done("out", &[]);
    let rows = place.rows("out");
    let status: Vec<&str> = rows.iter().map(|r| r["status"].as_str()).collect();
    assert_eq!(status, ["ok", "invalid", "ok"], "{rows:?}");
    assert!(rows[1]["message"].contains("exponent"), "{:?}", rows[1]);
}

#[test]
fn explain_says_what_a_sweep_varies_and_how_many_runs_that_makes() {
    let place = SweepFolder::new(&sliding("never"));
    let output =
        Command::new(house::program()).arg("explain").arg(place.path("s.sweep.json")).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    for part in [
        "s: 4 cases, 48 runs",
        "v0: 1.0, 2.0",
        "which: lemke, newton",
        "mu: uniform from 0.1 to 0.6",
        "solver.plugin = which",
        "fine: simulated, 6 samples",
        "set time.step = 0.002",
        "solver vinci.solver.lemke",
        "x = block.x",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// Two fingers meet in a block 0.2 s after they start, whatever it weighs: a step fails, and that is a row.
#[test]
fn failed_and_invalid_runs_are_rows() {
    let sweep = format!(
        r#"{{ "format": "vinci/sweep@1", "experiment": {:?}, "cases": {{ "grid": {{ "end": {{ "values": [0.1, 0.5] }}, "m": {{ "values": [1, -1] }} }} }},
  "set": {{ "time.duration": "end", "scene.bodies.block.mass": "m" }}, "outcome": {{ "measure": {{ "x": "left.x" }} }} }}"#,
        scene("jammed-fingers.json")
    );
    let place = SweepFolder::new(&sweep);
    place.done("out", &[]);
    let rows = place.rows("out");
    let status: Vec<&str> = rows.iter().map(|r| r["status"].as_str()).collect();
    assert_eq!(status, ["ok", "invalid", "failed", "invalid"]);
    assert_eq!((rows[2]["error"].as_str(), rows[2]["success"].as_str()), ("solver", "false"));
    let t: f64 = rows[2]["t_end"].parse().unwrap();
    assert!((t - 0.2).abs() < 0.011, "{t}");
    assert_eq!(rows[1]["error"], "out-of-range");
}

#[test]
fn the_experiment_that_is_shown_gives_the_row() {
    let place = SweepFolder::new(&sliding("never"));
    place.done("out", &[]);
    for row in place.rows("out").iter().step_by(11) {
        let (names, last) = place.last_of_run(row);
        let value = |name: &str| last[names.iter().position(|n| n == name).unwrap()].clone();
        assert_eq!((value("time"), value("block.x")), (row["t_end"].clone(), row["x"].clone()));
    }
}

#[test]
fn another_plan_in_a_directory_is_refused_and_force_begins_anew() {
    let place = SweepFolder::new(&sliding("never"));
    place.done("out", &["--cases", "0..1"]);
    let output = place.run("out", &["--cases", "0..1", "--set", "time.step=0.005"]);
    assert_eq!(output.status.code(), Some(7));
    assert!(told(&output).contains("rows of another plan"), "{}", told(&output));
    place.done("out", &["--cases", "0..1", "--set", "time.step=0.005", "--force"]);
    place.done("only", &["--only", "fine"]);
    assert!(place.rows("only").iter().all(|r| r["rung"] == "fine"));
    assert_eq!(place.rows("only").len(), 24);
}

/// What only the experiment, the scene and the plugins can tell.
#[test]
fn bad_sweeps_are_refused_at_their_place_before_anything_is_written() {
    let with = |more: &str| {
        format!(
            "{{ \"format\": \"vinci/sweep@1\", \"experiment\": {:?},\n  {more} }}",
            scene("sliding-block.json")
        )
    };
    let cases = [
        (r#""set": { "scene.bodies.block.mas": "1" }"#, "s.sweep.json:2:12", "did you mean `mass`?"),
        (r#""set": { "scene.bodies.blok.mass": "1" }"#, "s.sweep.json:2:12", "did you mean `block`?"),
        (r#""set": { "time.stepp": "1" }"#, "s.sweep.json:2:12", "did you mean `step`?"),
        (r#""set": { "solver.plugin": "lemk" }"#, "s.sweep.json:2:29", "did you mean `vinci.solver.lemke`?"),
        (
            r#""ladder": [ { "name": "way", "path": { "body": "blck", "goal": "block.x > 1", "region": { "x": [0, 1], "y": [0, 1], "angle": [0, 1] }, "cells": [2, 2, 2] } } ]"#,
            "s.sweep.json:2:",
            "did you mean `block`?",
        ),
        (
            r#""cases": { "grid": { "v": { "values": [1] } } }, "set": { "scene.bodies.block.velocity[0]": "v+t" }"#,
            "s.sweep.json:2:",
            "values before a run",
        ),
        (
            r#""cases": { "random": { "count": 2, "v": { "integers": [0, 9223372036854775807] } } }, "derive": { "w": "v" }"#,
            "s.sweep.json:2:",
            "integers up to 2^53",
        ),
        (r#""outcome": { "success": "block.x" }"#, "s.sweep.json:2:28", "compare it"),
        (r#""outcome": { "success": "blok.x > 0" }"#, "s.sweep.json:2:28", "did you mean `block.x`?"),
        (r#""outcome": { "measure": { "x": "block.z" } }"#, "s.sweep.json:2:35", "block.z"),
    ];
    for (more, at, advice) in cases {
        let place = SweepFolder::new(&with(more));
        let output = place.run("out", &[]);
        let text = told(&output);
        assert!([Some(3), Some(4)].contains(&output.status.code()), "{text}");
        assert!(text.contains(at) && text.contains(advice), "{more}: {text}");
        assert!(!place.path("out").exists());
        let check =
            Command::new(house::program()).arg("check").arg(place.path("s.sweep.json")).output().unwrap();
        assert_eq!(check.status.code(), output.status.code());
    }
}

/// For each of these gaps in a wall, and from two places, true if a disc of radius 0.1 has a way through, in these cells.
fn through_gaps(gaps: &[f64], cells: &str) -> Vec<bool> {
    let dir = tempfile::tempdir().unwrap();
    let body = |name: &str, x: &str| {
        format!(
            r#"{{ "name": "{name}", "static": true, "shapes": [{{ "type": "box", "size": [1, 0.1] }}], "position": [{x}, 0] }}"#
        )
    };
    let scene = format!(
        r#"{{ "format": "vinci/scene@1", "space": "planar", "bodies": [ {}, {},
  {{ "name": "disc", "mass": 1, "shapes": [{{ "type": "disc", "radius": 0.1 }}], "position": [0.2, 0.5] }} ] }}"#,
        body("left", "-0.6"),
        body("right", "0.6")
    );
    std::fs::write(dir.path().join("s.scene.json"), scene).unwrap();
    let experiment = std::fs::read_to_string(house::root().join("host/scenes/sliding-block.json")).unwrap();
    let experiment = experiment.replace("sliding-block.scene.json", "s.scene.json");
    std::fs::write(dir.path().join("e.json"), experiment).unwrap();
    let place = SweepFolder::new(&format!(
        r#"{{ "format": "vinci/sweep@1", "experiment": {:?}, "cases": {{ "grid": {{ "gap": {{ "values": {gaps:?} }} }} }},
  "samples": {{ "grid": {{ "x": {{ "values": [-0.2, 0.2] }} }} }},
  "set": {{ "scene.bodies.left.position[0]": "-0.5 - gap/2", "scene.bodies.right.position[0]": "0.5 + gap/2", "scene.bodies.disc.position[0]": "x" }},
  "ladder": [ {{ "name": "way", "path": {{ "body": "disc", "goal": "disc.y < -0.3",
     "region": {{ "x": [-0.5, 0.5], "y": [-0.5, 0.6], "angle": [-3.15, 3.15] }}, {cells} }} }} ] }}"#,
        dir.path().join("e.json").display().to_string()
    ));
    place.done("out", &["--jobs", "2"]);
    // What earlier runs of a process divided changes no row: neither their order nor their company does.
    place.done("one", &["--jobs", "1"]);
    place.same_files("out", "one");
    let parts = place.parts("part", 5, &["--jobs", "1"]);
    assert!(place.merge(&parts, "merged").status.success());
    place.same_files("out", "merged");
    place.rows("out").iter().map(|r| r["success"] == "true").collect()
}

/// There is a way exactly where the gap lets the disc through, up to the size of the cells.
#[test]
fn a_geometric_way_is_there_where_the_gap_is_wide_enough() {
    // The disc may be 0.014 + 0.005 m deep at the middle of a cell: 0.14 is too narrow, 0.21 wide enough.
    let found = through_gaps(&[0.1, 0.14, 0.21, 0.3], r#""cells": [50, 55, 63]"#);
    assert_eq!(found, [false, false, false, false, true, true, true, true]);
}

/// Cells halved where it matters find what a grid as fine as their last level finds; halved further, they tell gaps a tenth too narrow.
#[test]
fn halved_cells_find_the_ways_of_a_grid_as_fine() {
    let gaps = [0.1, 0.13, 0.15, 0.17, 0.19, 0.21];
    let fine = through_gaps(&gaps, r#""cells": [40, 44, 36]"#);
    assert_eq!(through_gaps(&gaps, r#""cells": [10, 11, 9], "halvings": 2"#), fine);
    assert!(fine.contains(&false) && fine.contains(&true));
    // ½ √2 · 6.25 mm + ½ · 0.1 m · 0.044 = 6.6 mm: a gap of 0.18 leaves 10 mm of depth at least.
    let found = through_gaps(&[0.18, 0.201], r#""cells": [10, 11, 9], "halvings": 4"#);
    assert_eq!(found, [false, false, true, true]);
}

#[test]
fn status_reads_the_files_alone() {
    let place = SweepFolder::new(&sliding("never"));
    place.done("out", &[]);
    let status = |directory: &Path| {
        let output =
            Command::new(house::program()).args(["sweep", "status"]).arg(directory).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    std::fs::remove_file(place.path("s.sweep.json")).unwrap();
    let text = status(&place.path("out"));
    assert!(text.contains("complete") && text.contains("24 of 24 done, 48 runs"), "{text}");
    let journal = place.path("out").join("journal.jsonl");
    let whole = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, &whole[..whole.len() - 5]).unwrap();
    assert!(status(&place.path("out")).contains("23 of 24 done, 47 runs"));
}

/// Who kills a sweep does not leave its workers behind, however long their runs are.
#[cfg(target_os = "linux")]
#[test]
fn workers_end_with_the_sweep_that_made_them() {
    let place =
        SweepFolder::new(&sliding("never").replace(r#""time.duration": 0.1"#, r#""time.duration": "1e6""#));
    let mut command = Command::new(house::program());
    command.arg("sweep").arg(place.path("s.sweep.json")).arg("--out").arg(place.path("out"));
    let mut sweep =
        command.args(["--jobs", "2"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let tasks = format!("/proc/{}/task", sweep.id());
    let children = || {
        let of = |task: std::io::Result<std::fs::DirEntry>| {
            std::fs::read_to_string(task.unwrap().path().join("children")).unwrap_or_default()
        };
        let all: Vec<String> = std::fs::read_dir(&tasks).unwrap().map(of).collect();
        all.join(" ").split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    // State, and ticks of the processor: those of a worker that has its plan grow with its run.
    let stat = |pid: &String| {
        let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let words: Vec<&str> = line.rsplit(") ").next()?.split(' ').collect();
        Some((words[0].to_owned(), words[11].parse::<u64>().ok()?))
    };
    let workers = loop {
        assert!(sweep.try_wait().unwrap().is_none(), "the sweep ended before its workers worked");
        let workers = children();
        if workers.len() == 2 && workers.iter().all(|w| stat(w).is_some_and(|(_, ticks)| ticks > 100)) {
            break workers;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    sweep.kill().unwrap();
    sweep.wait().unwrap();
    while workers.iter().any(|w| stat(w).is_some_and(|(state, _)| state != "Z")) {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Two sweeps into one directory: the second may not touch what the first writes, whatever it was told to do with it.
#[test]
fn force_takes_nothing_from_a_sweep_that_is_running() {
    let place = SweepFolder::new(&sliding("never"));
    let out = place.path("out");
    std::fs::create_dir_all(&out).unwrap();
    place.done("out", &[]);
    let before = std::fs::read(out.join("rows.csv")).unwrap();
    // The lock of a sweep that is writing.
    let lock = Lock::take(&out).unwrap();
    let output = place.run("out", &["--force"]);
    assert_eq!(output.status.code(), Some(7));
    assert!(told(&output).contains("another run or sweep is writing there"), "{}", told(&output));
    assert_eq!(std::fs::read(out.join("rows.csv")).unwrap(), before);
    drop(lock);
    place.done("out", &["--force"]);
    assert_eq!(std::fs::read(out.join("rows.csv")).unwrap(), before);
}

/// A directory with a run's results is no place for a sweep, and a command line that makes no sense is one of usage.
#[test]
fn results_of_runs_are_not_written_over_and_usage_is_usage() {
    let place = SweepFolder::new(&sliding("never"));
    let out = place.path("run");
    let run = Command::new(house::program())
        .args(["run", &scene("sliding-block.json"), "--out"])
        .arg(&out)
        .output()
        .unwrap();
    assert!(run.status.success());
    let summary = std::fs::read(out.join("summary.json")).unwrap();
    let output = place.run("run", &[]);
    assert_eq!(output.status.code(), Some(7));
    assert!(told(&output).contains("something else than a sweep"), "{}", told(&output));
    assert_eq!(std::fs::read(out.join("summary.json")).unwrap(), summary);
    assert!(!out.join(LOCK).exists());
    // Nor with --force: both would write `summary.json`. The same the other way round.
    assert_eq!(place.run("run", &["--force"]).status.code(), Some(7));
    assert_eq!(std::fs::read(out.join("summary.json")).unwrap(), summary);
    place.done("swept", &["--cases", "0..1"]);
    let swept = place.path("swept");
    let sealed = std::fs::read(swept.join("summary.json")).unwrap();
    for force in [&[][..], &["--force"]] {
        let mut run = Command::new(house::program());
        run.args(["run", &scene("sliding-block.json"), "--out"]).arg(&swept).args(force);
        let output = run.output().unwrap();
        assert_eq!(output.status.code(), Some(7), "{}", told(&output));
        assert!(told(&output).contains("it holds a sweep"), "{}", told(&output));
        assert_eq!(std::fs::read(swept.join("summary.json")).unwrap(), sealed);
    }
    assert_eq!(place.run("out", &["--shard", "0/3"]).status.code(), Some(2));
    assert_eq!(Command::new(house::program()).arg("sweep").output().unwrap().status.code(), Some(2));
}

/// A parameter that no formula names varies nothing; what is used anywhere, alone or within a formula, is not told.
#[test]
fn parameters_that_nothing_depends_on_are_told() {
    let sweep = |set: &str| {
        format!(
            r#"{{ "format": "vinci/sweep@1", "experiment": {:?}, "cases": {{ "grid": {{ "v0": {{ "values": [1, 2] }}, "mu": {{ "values": [0.2] }} }} }},
  "set": {{ "scene.bodies.block.velocity[0]": "{set}", "scene.materials.default.friction": "mu", "time.duration": 0.1 }} }}"#,
            scene("sliding-block.json")
        )
    };
    for (set, warns) in [("2*v0 - 1", false), ("v0", false), ("1 + mu", true)] {
        let place = SweepFolder::new(&sweep(set));
        let check =
            Command::new(house::program()).arg("check").arg(place.path("s.sweep.json")).output().unwrap();
        let said = told(&check);
        assert!(check.status.success(), "{said}");
        assert_eq!(said.contains("nothing depends on the parameter `v0`"), warns, "{set}: {said}");
        assert!(!said.contains("`mu`"), "{said}");
    }
}
