//! Files of strangers beside scenes and models: directories of sweeps, plans, long chains of files. Every number and name in them is
//! looked at before it is used.

use std::path::Path;

use serde_json::{Value, json};
use vinci_run::sealed::FileSum;
use vinci_tests::house;
use vinci_tests::program::{TestDirectory, output_text, vinci};

fn scene(name: &str) -> String {
    house::root().join("host/scenes").join(name).display().to_string()
}

/// A sweep of two cases and two samples with a picture, in `out`.
fn with_sweep() -> TestDirectory {
    let place = TestDirectory::new();
    place.write("s.json", &sweep(json!({ "v": { "values": [1, 2] } })));
    let output = vinci(&["sweep", &place.text("s.json"), "--out", &place.text("out"), "--jobs", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
    place
}

fn plan(directory: &TestDirectory) -> Value {
    serde_json::from_slice(&std::fs::read(directory.path("out/plan.json")).unwrap()).unwrap()
}

/// Exit codes of `sweep status` and `sweep merge` on what is in `out`, and what they say.
fn status_and_merge(directory: &TestDirectory) -> [(Option<i32>, String); 2] {
    let (out, merged) = (directory.text("out"), directory.text("merged"));
    [&["sweep", "status", &out][..], &["sweep", "merge", &out, "--out", &merged]].map(|words| {
        let output = vinci(words);
        (output.status.code(), output_text(&output))
    })
}

fn sweep(grid: Value) -> Value {
    json!({
        "format": "vinci/sweep@1", "experiment": scene("sliding-block.json"), "cases": { "grid": grid },
        "samples": { "random": { "count": 2, "m": { "uniform": [1, 2] } } },
        "set": { "scene.bodies.block.velocity[0]": "v", "scene.bodies.block.mass": "m", "time.duration": "0.02" },
        "outcome": { "measure": { "x": "block.x" } },
        "pictures": [{ "file": "x.svg", "histogram": { "of": "x" } }]
    })
}

/// Numbers of `plan.json` were multiplied, divided by and subtracted from as they stood there: the program panicked.
#[test]
fn numbers_of_a_plan_that_no_sweep_has_are_refused() {
    let place = with_sweep();
    let whole = plan(&place);
    let most = json!(u64::MAX);
    for (at, value) in [
        ("/shard", json!([0, 0])),
        ("/shard", json!([1, 0])),
        ("/shard/0", json!(0)),
        ("/shard", json!([3, 2])),
        ("/cases/0", most.clone()),
        ("/cases/1", most.clone()),
        ("/cases/1", json!(1_u64 << 63)),
        ("/rungs/0/samples", most.clone()),
        ("/rungs/0/samples", json!(0)),
        ("/rungs", json!([])),
        ("/pictures/0/histogram/bins", json!(0)),
        ("/pictures/0/histogram/bins", json!(u32::MAX)),
    ] {
        let mut plan = whole.clone();
        *plan.pointer_mut(at).unwrap_or_else(|| panic!("{at}")) = value.clone();
        place.write("out/plan.json", &plan);
        for (code, said) in status_and_merge(&place) {
            assert_eq!(code, Some(7), "{at} = {value}: {said}");
            assert!(said.contains("plan.json: "), "{at} = {value}: {said}");
        }
    }
    // A part of very many that are not there: they are told, and not listed one by one.
    let mut plan = whole.clone();
    plan["shard"] = json!([1, u64::MAX]);
    place.write("out/plan.json", &plan);
    for (_, said) in status_and_merge(&place) {
        assert!(!said.contains("panicked"), "{said}");
    }
    place.write("out/plan.json", &whole);
    assert_eq!(status_and_merge(&place).map(|(code, _)| code), [Some(0), Some(0)]);
}

/// The name of a picture in `plan.json` led anywhere: `merge` wrote there, and `--force` removed what was there.
#[test]
fn pictures_of_a_plan_lead_nowhere_else() {
    let place = with_sweep();
    let whole = plan(&place);
    let elsewhere = place.text("absolute.svg");
    for file in ["../evil.svg", elsewhere.as_str(), "plan.json", "a/../../evil.svg", "..", ".svg"] {
        let mut plan = whole.clone();
        plan["pictures"][0]["file"] = json!(file);
        place.write("out/plan.json", &plan);
        for (code, said) in status_and_merge(&place) {
            assert_eq!(code, Some(7), "{file}: {said}");
            assert!(said.contains("is no picture"), "{file}: {said}");
        }
        let left = ["evil.svg", "absolute.svg", "merged"].map(|name| place.path(name).exists());
        assert_eq!(left, [false; 3], "{file}");
    }
    std::fs::write(place.path("precious.svg"), "mine").unwrap();
    let mut plan = whole;
    plan["pictures"][0]["file"] = json!("../precious.svg");
    place.write("out/plan.json", &plan);
    let again =
        vinci(&["sweep", &place.text("s.json"), "--out", &place.text("out"), "--force", "--jobs", "1"]);
    assert_eq!(again.status.code(), Some(0), "{}", output_text(&again));
    assert_eq!(std::fs::read_to_string(place.path("precious.svg")).unwrap(), "mine");
}

/// A row of the journal with another number and the sum that belongs to it.
fn forged(journal: &Path, key: &str, value: u64) -> String {
    let text = std::fs::read_to_string(journal).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let mut row: Value = serde_json::from_str(first).unwrap();
    row.as_object_mut().unwrap().remove("sha256");
    row[key] = json!(value);
    let row = row.to_string();
    let row = &row[..row.len() - 1];
    let sum = FileSum::of_bytes(row.as_bytes()).sha256;
    format!("{row},\"sha256\":\"{sum}\"}}\n{rest}")
}

/// The number of a case or sample in a row overflowed the number of its unit.
#[test]
fn rows_of_no_run_are_told() {
    let place = with_sweep();
    let journal = place.path("out/journal.jsonl");
    let whole = std::fs::read_to_string(&journal).unwrap();
    for (key, value) in [("case", u64::MAX), ("case", 1 << 63), ("sample", u64::MAX), ("sample", 7)] {
        std::fs::write(&journal, forged(&journal, key, value)).unwrap();
        let [status, merge] = status_and_merge(&place);
        assert_eq!(status.0, Some(0), "{key} = {value}: {}", status.1);
        assert_eq!(merge.0, Some(7), "{key} = {value}: {}", merge.1);
        let told = ["does not belong to this sweep", "is missing; run it again to go on"];
        assert!(told.iter().any(|words| merge.1.contains(words)), "{key} = {value}: {}", merge.1);
        std::fs::write(&journal, &whole).unwrap();
    }
    assert_eq!(status_and_merge(&place).map(|(code, _)| code), [Some(0), Some(0)]);
}

/// The summary, which says that a sweep has ended, was there before the rows that `merge` puts together.
#[test]
fn a_merge_whose_rows_cannot_be_written_has_not_ended() {
    let place = with_sweep();
    // Nothing is renamed over a directory that holds something.
    std::fs::create_dir_all(place.path("merged/journal.jsonl/taken")).unwrap();
    let [_, (code, said)] = status_and_merge(&place);
    assert_eq!(code, Some(7), "{said}");
    let left = ["summary.json", "journal.jsonl.part"].map(|name| place.path("merged").join(name).exists());
    assert_eq!(left, [false; 2], "{said}");
}

/// Four axes of a million values each: their number overflowed.
#[test]
fn grids_and_cells_that_cannot_be_counted_or_laid_out_are_refused() {
    let place = TestDirectory::new();
    let check = |value: &Value| {
        place.write("s.json", value);
        let output = vinci(&["check", &place.text("s.json")]);
        assert_eq!(output.status.code(), Some(3), "{}", output_text(&output));
        output_text(&output)
    };
    let axis = json!({ "from": 0, "to": 1, "count": 1_000_000 });
    let axes =
        |n: usize| ["v", "a", "b", "c", "d", "e"][..n].iter().map(|name| ((*name).to_owned(), axis.clone()));
    for n in [4, 6] {
        let text = check(&sweep(axes(n).collect()));
        assert!(text.contains("`cases` has more points than can be counted"), "{text}");
    }
    let text = check(&sweep(axes(3).collect()));
    assert!(text.contains("more than 20000000") || text.contains("than can be counted"), "{text}");
    let path = |cells: [u32; 3]| {
        let region = json!({ "x": [0, 1], "y": [0, 1], "angle": [0, 1] });
        json!({ "format": "vinci/sweep@1", "experiment": scene("sliding-block.json"),
            "ladder": [{ "name": "p", "path": { "body": "block", "goal": "block.x > 1", "region": region, "cells": cells } }] })
    };
    for cells in [[1000, 1000, 1000], [u32::MAX; 3], [0, 1, 1]] {
        let text = check(&path(cells));
        assert!(text.contains("the region has no cells, or too many"), "{text}");
    }
}

/// Each file was read within the one before, until the stack was full.
#[test]
fn a_long_chain_of_experiments_is_refused() {
    let place = TestDirectory::new();
    for k in 0..300 {
        let next = format!("e{}.json", k + 1);
        place.write(&format!("e{k}.json"), &json!({ "format": "vinci/experiment@1", "extends": next }));
    }
    let last = json!({ "format": "vinci/experiment@1", "extends": scene("sliding-block.json") });
    place.write("e300.json", &last);
    let check = |name: &str| vinci(&["check", &place.text(name)]);
    let output = check("e0.json");
    assert_eq!(output.status.code(), Some(3), "{}", output_text(&output));
    assert!(
        output_text(&output).contains("more than 100 experiments extend each other"),
        "{}",
        output_text(&output)
    );
    assert_eq!(check("e250.json").status.code(), Some(0), "{}", output_text(&check("e250.json")));
}
