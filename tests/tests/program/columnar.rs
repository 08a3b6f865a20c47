//! Runs that write Parquet: the numbers of those that write CSV, also where they were killed, and whatever reads them.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use vinci_run::table_file::{TableFile, WORDS};
use vinci_tests::house;
use vinci_tests::program::vinci;

const TABLES: [&str; 4] = ["trajectory", "links", "contacts", "steps"];

#[track_caller]
fn ends_with(output: &Output, code: i32) {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
}

fn scene(name: &str) -> String {
    house::root().join("host/scenes").join(name).display().to_string()
}

/// Runs the mug for a short while.
fn run(format: &str, out: &Path) {
    let set = format!("record.format={format}");
    let out = out.to_str().unwrap();
    let mug = scene("tamsi-gripper-mug.json");
    ends_with(&vinci(&["run", &mug, "--duration", "0.3", "--set", &set, "--out", out]), 0);
}

fn summary(out: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(out.join("summary.json")).unwrap()).unwrap()
}

/// Names, numbers as bits, words.
fn content(path: &Path) -> (Vec<String>, Vec<Vec<u64>>, Vec<Vec<String>>) {
    let table = TableFile::read(path, &WORDS).unwrap();
    let bits = |column: &Vec<f64>| column.iter().map(|x| x.to_bits()).collect();
    (table.names, table.numbers.iter().map(bits).collect(), table.words)
}

fn assert_same_tables(csv: &Path, parquet: &Path) {
    for table in TABLES {
        let (text, columns) = (csv.join(format!("{table}.csv")), parquet.join(format!("{table}.parquet")));
        assert_eq!(content(&text), content(&columns), "{table}");
    }
    assert_eq!(summary(csv)["trajectory_hash"], summary(parquet)["trajectory_hash"]);
}

#[test]
fn both_forms_hold_the_same_bits_and_are_read_by_all_that_reads_runs() {
    let dir = tempfile::tempdir().unwrap();
    let (csv, parquet) = (dir.path().join("csv"), dir.path().join("parquet"));
    run("csv", &csv);
    run("parquet", &parquet);
    assert_same_tables(&csv, &parquet);
    let [a, b] = [&csv, &parquet].map(|path| path.to_str().unwrap().to_owned());
    let said = vinci(&["diff", &a, &b]);
    ends_with(&said, 0);
    assert!(String::from_utf8_lossy(&said.stdout).contains("the same"), "{said:?}");
    let page = |run: &str| {
        let page = dir.path().join(format!("{}.html", run.len()));
        ends_with(&vinci(&["view", run, "--force", "--out", page.to_str().unwrap()]), 0);
        std::fs::read_to_string(page).unwrap().len()
    };
    // They differ by the names of the directories alone.
    assert!(page(&a) > 10_000 && page(&a).abs_diff(page(&b)) < 100);
    let contacts = parquet.join("contacts.parquet");
    let motion = parquet.join("trajectory.parquet");
    let (mug, motion) = (scene("tamsi-gripper-mug.json"), motion.to_str().unwrap().to_owned());
    let judged = vinci(&["judge", &mug, &motion, "--contacts", contacts.to_str().unwrap()]);
    assert!([Some(0), Some(1)].contains(&judged.status.code()), "{judged:?}");
}

/// A run that is killed goes on from its checkpoint to the same numbers, in other groups of rows.
#[test]
fn a_run_that_was_killed_goes_on_in_parquet() {
    let dir = tempfile::tempdir().unwrap();
    let (csv, parts) = (dir.path().join("csv"), dir.path().join("parts"));
    run("csv", &csv);
    let parts_text = parts.to_str().unwrap();
    let mut command = Command::new(house::program());
    command.args(["run", &scene("tamsi-gripper-mug.json"), "--duration", "0.3", "--out", parts_text]);
    command.args(["--set", "record.format=parquet", "--checkpoint-every", "1ms"]);
    let mut child = command.spawn().unwrap();
    while !parts.join("checkpoint.cbor").exists() && child.try_wait().unwrap().is_none() {}
    child.kill().unwrap();
    child.wait().unwrap();
    if !parts.join("summary.json").exists() {
        assert!(parts.join("trajectory.parquet.part").exists());
        ends_with(&vinci(&["run", "--resume", parts_text]), 0);
    }
    assert_same_tables(&csv, &parts);
}

#[test]
fn a_comparison_of_runs_in_parquet_has_its_measures() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let block = scene("sliding-block.json");
    let out_text = out.to_str().unwrap();
    let flags = ["--vary", "step=0.01,0.005", "--reference", "finest", "--set", "record.format=parquet"];
    let said = vinci(&[&["compare", &block, "--out", out_text][..], &flags].concat());
    ends_with(&said, 0);
    let table = std::fs::read_to_string(out.join("comparison.csv")).unwrap();
    assert!(table.lines().count() >= 3, "{table}");
    let found =
        |end: &str| walk(&out).iter().filter(|name| name.ends_with(&format!("trajectory.{end}"))).count();
    assert_eq!((found("csv"), found("parquet")), (0, 2));
}

fn walk(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap().map(Result::unwrap);
    let names = |entry: std::fs::DirEntry| match entry.file_type().unwrap().is_dir() {
        true => walk(&entry.path()),
        false => vec![entry.file_name().into_string().unwrap()],
    };
    entries.flat_map(names).collect()
}

#[test]
fn an_unknown_form_is_told() {
    let said = vinci(&["check", &scene("sliding-block.json"), "--set", "record.format=arrow"]);
    ends_with(&said, 3);
    let text = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(
        text.contains("`record.format` has the unknown value \"arrow\"") && text.contains("`csv`, `parquet`"),
        "{text}"
    );
}
