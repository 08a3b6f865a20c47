//! Sweeps that are handed over: plans, shards, sealed parts, merge. The same bytes as on one machine, and clear words where it cannot be.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use vinci_tests::house;

/// 4 cases of a sliding block, 6 samples, two rungs.
fn sliding(prune: &str, duration: f64) -> String {
    let scene = house::root().join("host/scenes/sliding-block.json").display().to_string();
    format!(
        r#"{{ "format": "vinci/sweep@1", "experiment": {scene:?}, "seed": 7, "prune": {prune:?},
  "cases": {{ "grid": {{ "v0": {{ "from": 1, "to": 2, "count": 2 }}, "which": {{ "values": ["lemke", "newton"] }} }} }},
  "samples": {{ "random": {{ "count": 6, "mu": {{ "uniform": [0.1, 0.6] }} }} }},
  "set": {{ "scene.bodies.block.velocity[0]": "v0", "scene.materials.default.friction": "mu", "solver.plugin": "which",
           "time.duration": {duration} }},
  "ladder": [ {{ "name": "coarse" }}, {{ "name": "fine", "set": {{ "time.step": "0.002" }} }} ],
  "outcome": {{ "success": "block.vx < 0.75*v0", "measure": {{ "x": "block.x" }} }},
  "pictures": [ {{ "file": "x.svg", "histogram": {{ "of": "x" }} }},
               {{ "file": "map.svg", "map": {{ "x": "v0", "y": "mu", "value": "success" }} }} ] }}"#
    )
}

struct PlannedFolder {
    dir: tempfile::TempDir,
}

impl PlannedFolder {
    /// With a sweep and, in `one`, its rows on one machine, and its plan.
    fn new(sweep: &str) -> Self {
        Self::within(tempfile::tempdir().unwrap(), sweep)
    }

    /// The same in a directory that is there.
    fn within(dir: tempfile::TempDir, sweep: &str) -> Self {
        let place = Self { dir };
        std::fs::write(place.path("s.sweep.json"), sweep).unwrap();
        place.done(&["sweep", "@s.sweep.json", "--out", "@one", "--jobs", "2"]);
        place.done(&["sweep", "plan", "@s.sweep.json", "--out", "@p.json"]);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A command; words with `@` are paths here.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(house::program());
        for word in words {
            match word.strip_prefix('@') {
                Some(name) => command.arg(self.path(name)),
                None => command.arg(word),
            };
        }
        command
    }

    #[track_caller]
    fn done(&self, words: &[&str]) -> String {
        let output = self.command(words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", told(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Refused with this code and these words.
    #[track_caller]
    fn refused(&self, words: &[&str], code: i32, said: &str) {
        let output = self.command(words).output().unwrap();
        let text = told(&output).replace(&format!("{}/", self.dir.path().display()), "");
        assert!(output.status.code() == Some(code) && text.contains(said), "{words:?}: {text}");
    }

    fn shard(&self, i: u64, n: u64, out: &str) {
        self.done(&["sweep", "run", "@p.json", "--shard", &format!("{i}/{n}"), "--out", &format!("@{out}")]);
    }

    #[track_caller]
    fn same_files(&self, a: &str, b: &str) {
        self.same(a, b, &["x.svg", "map.svg"]);
        self.same_rows(a, b);
    }

    #[track_caller]
    fn same_rows(&self, a: &str, b: &str) {
        self.same(a, b, &["rows.csv", "rows.parquet", "plan.json"]);
    }

    #[track_caller]
    fn same(&self, a: &str, b: &str, names: &[&str]) {
        for name in names {
            let read = |out: &str| std::fs::read(self.path(out).join(name)).unwrap();
            assert!(read(a) == read(b), "{name} of {a} and {b}");
        }
    }

    fn edit(&self, name: &str, from: &str, to: &str) {
        let text = std::fs::read_to_string(self.path(name)).unwrap();
        assert!(text.contains(from), "{text}");
        std::fs::write(self.path(name), text.replacen(from, to, 1)).unwrap();
    }
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
#[ignore = "long"]
fn shards_of_a_plan_are_the_bytes_of_one_machine_for_any_number_of_them() {
    for prune in ["case", "sample", "never"] {
        let place = PlannedFolder::new(&sliding(prune, 0.1));
        for n in [1, 3, 7] {
            let (parts, merged) = (format!("parts{n}"), format!("merged{n}"));
            (1..=n).rev().for_each(|i| place.shard(i, n, &parts));
            let expected: Vec<String> = (1..=n).map(|i| format!("part-{i}-of-{n}.parquet")).collect();
            assert_eq!(names(&place.path(&parts)), expected);
            place.done(&["sweep", "merge", "@p.json", &format!("@{parts}"), "--out", &format!("@{merged}")]);
            place.same_files("one", &merged);
        }
        // What was merged is a sweep like any other: all of it is there.
        let again = place.done(&["sweep", "@s.sweep.json", "--out", "@merged3"]);
        assert!(again.contains(": 0 runs in"), "{again}");
        let status = place.done(&["sweep", "status", "@p.json", "@parts3"]);
        assert!(status.contains("complete\n  parts     3 of 3 sealed"), "{status}");
    }
}

#[test]
fn a_plan_needs_no_other_file_and_holds_changes_and_cuts() {
    let place = PlannedFolder::new(&sliding("never", 0.1));
    let scenes = house::root().join("host/scenes");
    for name in ["sliding-block.json", "sliding-block.scene.json"] {
        std::fs::copy(scenes.join(name), place.path(name)).unwrap();
    }
    let whole = scenes.join("sliding-block.json").display().to_string();
    place.edit("s.sweep.json", &format!("{whole:?}"), "\"sliding-block.json\"");
    let cut = ["--only", "fine", "--cases", "1..3", "--set", "scene.bodies.block.mass=2"];
    place.done(&[&["sweep", "@s.sweep.json", "--out", "@cut"], &cut[..]].concat());
    place.done(&[&["sweep", "plan", "@s.sweep.json", "--out", "@p.json"], &cut[..]].concat());
    for name in ["sliding-block.json", "sliding-block.scene.json", "s.sweep.json"] {
        std::fs::remove_file(place.path(name)).unwrap();
    }
    (1..=2).for_each(|i| place.shard(i, 2, "parts"));
    place.done(&["sweep", "merge", "@p.json", "@parts", "--out", "@merged"]);
    place.same_files("cut", "merged");
}

#[test]
fn parts_that_are_damaged_of_another_plan_missing_or_doubled_are_refused() {
    let place = PlannedFolder::new(&sliding("never", 0.1));
    (1..=3).for_each(|i| place.shard(i, 3, "parts"));
    place.shard(1, 2, "halves");
    fn merge<'a>(parts: &[&'a str]) -> Vec<&'a str> {
        [&["sweep", "merge", "@p.json"], parts, &["--out", "@out"]].concat()
    }
    let refused = |parts: &[&str], said: &str| {
        place.refused(&merge(parts), 7, said);
        assert!(!place.path("out/rows.parquet").exists());
    };
    let [one, two, three] = [1, 2, 3].map(|i| format!("@parts/part-{i}-of-3.parquet"));
    refused(&[&one, &three], "part 2 of 3 is missing: `vinci sweep run PLAN --shard 2/3` makes it");
    refused(&[&one], "part 2 of 3 is missing, and 1 more");
    refused(&["@parts", &two], "part 2 of 3 is also in parts/part-2-of-3.parquet");
    refused(&["@parts", "@halves"], "it is one of 2 parts, parts/part-3-of-3.parquet one of 3");
    refused(&["@empty"], "No such file or directory");
    std::fs::create_dir(place.path("none")).unwrap();
    refused(&["@none"], "there are no sealed parts");
    let part = place.path("parts/part-2-of-3.parquet");
    let whole = std::fs::read(&part).unwrap();
    std::fs::write(&part, &whole[..whole.len() - 100]).unwrap();
    refused(&["@parts"], "parts/part-2-of-3.parquet: it ");
    let mut changed = whole.clone();
    changed[300] ^= 4;
    std::fs::write(&part, &changed).unwrap();
    refused(&["@parts"], "parts/part-2-of-3.parquet: it does not hold what its run wrote");
    // The shard itself is not run over what is damaged, unless that is said.
    let run = ["sweep", "run", "@p.json", "--shard", "2/3", "--out", "@parts"];
    place.refused(&run, 7, "it does not hold what its run wrote; --force begins anew");
    place.done(&[&run[..], &["--force"]].concat());
    place.done(&merge(&["@parts"]));
    place.same_files("one", "out");
    place.done(&["sweep", "plan", "@s.sweep.json", "--out", "@p.json", "--step", "0.005"]);
    place.refused(&merge(&["@parts"]), 7, "parts/part-1-of-3.parquet: it is a part of another plan");
    place.refused(&run, 7, "it is a part of another plan; --force begins anew");
}

#[test]
fn plans_whose_program_plugins_or_text_differ_are_refused() {
    let place = PlannedFolder::new(&sliding("never", 0.1));
    let run = ["sweep", "run", "@p.json", "--out", "@parts"];
    let text = std::fs::read_to_string(place.path("p.json")).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let zeros = "0".repeat(64);
    let change = |from: &str, to: &str, code: i32, said: &str| {
        place.edit("p.json", from, to);
        place.refused(&run, code, said);
        assert!(!place.path("parts").exists());
        std::fs::write(place.path("p.json"), &text).unwrap();
    };
    let program = value["program"]["sha256"].as_str().unwrap();
    change(program, &zeros, 4, "p.json was planned by vinci 0.1.0 (000000000000), and this is vinci 0.1.0 (");
    let plugins = value["plugins"].as_array().unwrap();
    let lemke = plugins.iter().find(|p| p["id"] == "vinci.solver.lemke").unwrap();
    change(lemke["sha256"].as_str().unwrap(), &zeros, 4, "or plan anew with `vinci sweep plan`");
    // A plugin that only some cases ask for.
    let changed = "p.json does not plan what it was written for";
    change("vinci.solver.newton\",", "vinci.solver.other\",", 3, changed);
    change("\"seed\": 7", "\"seed\": 8", 3, changed);
    change("\"runs\": 48", "\"runs\": \"many\"", 3, "p.json is no plan of a sweep: ");
    change("vinci/planned-sweep@1", "vinci/planned-sweep@2", 3, "p.json is no plan of a sweep: its `format`");
    place.refused(&["sweep", "run", "@nothing.json", "--out", "@parts"], 3, "nothing.json");
    place.refused(&["sweep", "run", "@p.json", "--shard", "3/2", "--out", "@parts"], 2, "is not a shard");
    place.refused(&["sweep", "status", "@p.json"], 2, "vinci sweep status PLAN DIR");
}

const ARM: &str = r#"<robot name="arm"><link name="base"/>
<link name="rod"><inertial><mass value="1"/><origin xyz="0 0 0.1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><mesh filename="corner.obj"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="10" velocity="10"/></joint></robot>"#;

const CORNER: &str = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

const SWINGING: &str = r#"{ "format": "vinci/experiment@1", "time": { "step": 0.001, "duration": 0.02 },
  "scene": { "format": "vinci/scene@1", "space": "spatial", "materials": { "default": { "friction": 0.5 } }, "bodies": [],
    "trees": [{ "name": "arm", "model": "arm.urdf", "start": { "j": 0.3 } }] },
  "detector": { "plugin": "vinci.detector.parry" }, "stepper": { "plugin": "vinci.stepper.tamsi" },
  "solver": { "plugin": "vinci.solver.newton-tals" } }"#;

/// A robot's model lies beside the experiment, in another directory than sweep, plan and process.
#[test]
fn a_model_that_a_plan_names_is_found_from_anywhere_and_is_refused_once_it_or_its_mesh_changed() {
    let sweep = r#"{ "format": "vinci/sweep@1", "experiment": "robot/e.json", "cases": { "grid": { "a": { "from": 0.1, "to": 0.5, "count": 4 } } },
  "set": { "scene.trees.arm.start.j": "a" }, "outcome": { "success": "arm.j.q > 0.3", "measure": { "q": "arm.j.q" } } }"#;
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("robot")).unwrap();
    for (name, text) in [("arm.urdf", ARM), ("corner.obj", CORNER), ("e.json", SWINGING)] {
        std::fs::write(dir.path().join("robot").join(name), text).unwrap();
    }
    let place = PlannedFolder::within(dir, sweep);
    (1..=2).for_each(|i| place.shard(i, 2, "parts"));
    place.done(&["sweep", "merge", "@p.json", "@parts", "--out", "@merged"]);
    place.same_rows("one", "merged");
    let run = ["sweep", "run", "@p.json", "--out", "@other"];
    for (name, text, from, to) in [
        ("robot/arm.urdf", ARM, "mass value=\"1\"", "mass value=\"2\""),
        ("robot/corner.obj", CORNER, "v 0 0 0.1", "v 0 0 0.2"),
    ] {
        place.edit(name, from, to);
        place.refused(&run, 3, "p.json does not plan what it was written for");
        std::fs::write(place.path(name), text).unwrap();
    }
    place.done(&run);
}

#[test]
fn a_sweep_that_sets_the_scene_cannot_be_planned() {
    let place = PlannedFolder::new(&sliding("never", 0.1));
    let scene = house::root().join("host/scenes/sliding-block.scene.json");
    let set = format!("\"set\": {{ \"scene\": \"'{}'\", ", scene.display());
    place.edit("s.sweep.json", "\"set\": {", &set);
    let plan = ["sweep", "plan", "@s.sweep.json", "--out", "@other.json"];
    place.refused(&plan, 3, "a sweep that sets which file holds the scene cannot be planned");
    assert!(!place.path("other.json").exists());
}

#[test]
fn the_state_of_parts_counts_every_cut_and_none_of_another_plan() {
    let place = PlannedFolder::new(&sliding("never", 0.1));
    let status = |expected: &str| {
        let said = place.done(&["sweep", "status", "@p.json", "@parts"]);
        assert_eq!(said, format!("s: {expected}\n"));
    };
    std::fs::create_dir(place.path("parts")).unwrap();
    status("not complete\n  parts     none is sealed");
    place.shard(2, 3, "parts");
    place.shard(1, 2, "parts");
    let cuts = "parts     1 of 2 sealed, 24 runs\n  missing   2\n  parts     1 of 3 sealed, 16 runs\n  missing   1, 3";
    status(&format!("not complete\n  {cuts}"));
    place.shard(2, 2, "parts");
    status(
        "complete\n  parts     2 of 2 sealed, 48 runs\n  parts     1 of 3 sealed, 16 runs\n  missing   1, 3",
    );
    place.done(&["sweep", "plan", "@s.sweep.json", "--out", "@p.json", "--step", "0.005"]);
    status("not complete\n  parts     none is sealed");
}

/// A process that was killed between sealing and tidying leaves its journal: the part counts, and the journal goes.
#[test]
fn what_a_shard_left_beside_its_sealed_part_is_removed() {
    let place = PlannedFolder::new(&sliding("never", 0.1));
    place.shard(1, 1, "parts");
    let part = place.path("parts/part-1-of-1.parquet");
    let sealed = std::fs::read(&part).unwrap();
    let work = place.path("parts/part-1-of-1.parquet.work");
    std::fs::create_dir(&work).unwrap();
    std::fs::write(work.join("journal.jsonl"), "{\"torn").unwrap();
    let said = place.done(&["sweep", "run", "@p.json", "--out", "@parts"]);
    assert!(said.contains("48 were there"), "{said}");
    assert_eq!(names(&place.path("parts")), ["part-1-of-1.parquet"]);
    assert!(std::fs::read(&part).unwrap() == sealed);
}

/// A shard that is killed goes on after its last row, and its part is the same.
#[test]
fn a_shard_that_is_killed_goes_on() {
    let place = PlannedFolder::new(&sliding("never", 2.0));
    let journal = place.path("parts/part-1-of-2.parquet.work/journal.jsonl");
    let lines = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    let words = ["sweep", "run", "@p.json", "--shard", "1/2", "--out", "@parts", "--jobs", "1"];
    let mut child = place.command(&words).spawn().unwrap();
    while lines() < 3 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let there = lines();
    assert!((3..24).contains(&there), "{there} rows were there when it was killed");
    assert!(!place.path("parts/part-1-of-2.parquet").exists());
    let said = place.done(&words);
    assert!(said.contains(" were there"), "{said}");
    place.shard(2, 2, "parts");
    assert_eq!(names(&place.path("parts")), ["part-1-of-2.parquet", "part-2-of-2.parquet"]);
    place.done(&["sweep", "merge", "@p.json", "@parts", "--out", "@merged"]);
    place.same_files("one", "merged");
}
