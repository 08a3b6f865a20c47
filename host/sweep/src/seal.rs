//! A directory of results: whose it is, who writes in it, and its sealed files.
//!
//! `plan.json` first, `journal.jsonl` while it runs, then `rows.csv`, `rows.parquet`, pictures, and last `summary.json`: a sweep without it
//! did not end. Every sealed file is written beside its place, brought to the disk and renamed.

use std::io::{self, Write};
use std::path::Path;

use serde_json::json;

use super::journal::Line;
use super::row::{Row, Status};
use super::shape::{PLAN_FORMAT, Shape};
use vinci_scene::files::{LARGEST_DOCUMENT, format_of, read_regular};

use vinci_run::atomic_write::{write_atomic, write_json};
use vinci_run::lock::Lock;

const PLAN: &str = "plan.json";
const SUMMARY: &str = "summary.json";
const SUMMARY_FORMAT: &str = "vinci/sweep-summary@1";

/// The plan of a directory, if it has one.
///
/// # Errors
/// A file that cannot be read, or is none.
pub fn read_shape(directory: &Path) -> io::Result<Option<Shape>> {
    let bytes = match read_regular(&directory.join(PLAN), LARGEST_DOCUMENT).map_err(io::Error::from) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        bytes => bytes?,
    };
    let shape: Shape = serde_json::from_slice(&bytes)?;
    if shape.format == PLAN_FORMAT {
        Ok(Some(shape))
    } else {
        Err(io::Error::other("a plan of another version"))
    }
}

/// A file of a run or of a comparison: their results and a sweep's have names in common.
fn of_another(directory: &Path) -> Option<&'static str> {
    const FILES: [&str; 4] = ["trajectory.csv", "trajectory.csv.part", "compare.json", "compare.plan.json"];
    let summary = directory.join(SUMMARY);
    let is_strange = || {
        summary.exists()
            && !directory.join(PLAN).exists()
            && format_of(&summary).is_none_or(|format| format != SUMMARY_FORMAT)
    };
    let known = FILES.into_iter().find(|name| directory.join(name).exists());
    known.or_else(|| is_strange().then_some(SUMMARY))
}

/// Removes what an earlier sweep left in a directory.
fn clear(directory: &Path) -> io::Result<()> {
    let pictures = read_shape(directory).ok().flatten().map(|s| s.pictures).unwrap_or_default();
    let names = [SUMMARY, "rows.csv", "rows.parquet", super::journal::JOURNAL, PLAN];
    for name in names.into_iter().chain(pictures.iter().map(|p| p.file.as_str())) {
        match std::fs::remove_file(directory.join(name)) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
    }
    Ok(())
}

/// Claims the directory for this plan. `anew`: results of an earlier sweep are removed, but not those of one
/// that is writing.
pub(super) fn prepare_directory(directory: &Path, shape: &Shape, anew: bool) -> io::Result<Lock> {
    if let Some(name) = of_another(directory) {
        let advice =
            format!("it holds the results of something else than a sweep ({name}): choose another --out");
        return Err(io::Error::other(advice));
    }
    let lock = Lock::take(directory)?;
    if anew {
        clear(directory)?;
    }
    match read_shape(directory)? {
        Some(there) if there == *shape => {}
        // Pictures are drawn anew from the rows that are there.
        Some(there) if alike(&there, shape) => write_plan(directory, shape)?,
        Some(_) => {
            let advice = "it holds the rows of another plan (the sweep, its experiment, scene or plugins, or --shard, --cases, --only differ): choose another --out, or --force to begin anew";
            return Err(io::Error::other(advice));
        }
        None => write_plan(directory, shape)?,
    }
    // What was sealed is sealed anew in the end; until then the sweep has not ended.
    match std::fs::remove_file(directory.join(SUMMARY)) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(lock),
    }
}

/// Whether two plans have the same rows.
fn alike(there: &Shape, shape: &Shape) -> bool {
    Shape { pictures: shape.pictures.clone(), ..there.clone() } == *shape
}

fn write_plan(directory: &Path, shape: &Shape) -> io::Result<()> {
    write_json(directory, PLAN, shape)
}

/// Writes the sealed files of all rows.
///
/// # Errors
/// Of input and output; rows that are not exactly those of the plan.
pub fn seal(directory: &Path, shape: &Shape, lines: &[Line]) -> io::Result<()> {
    let mut lines = lines.to_vec();
    lines.sort_by_key(|line| line.row.id);
    let rows: Vec<Row> = lines.iter().map(|line| line.row.clone()).collect();
    shape.complete(&rows).map_err(io::Error::other)?;
    write_atomic(directory, "rows.csv", |out| super::table::csv(shape, &rows, out))?;
    write_atomic(directory, "rows.parquet", |out| {
        super::table::parquet(shape, &rows, out).map_err(io::Error::other)
    })?;
    for picture in &shape.pictures {
        let drawn = vinci_run::plot::contents(&picture.file, super::pictures::svg(picture, shape, &rows))?;
        write_atomic(directory, &picture.file, |out| out.write_all(&drawn))?;
    }
    write_json(directory, SUMMARY, &summary(shape, &lines))
}

/// Counts and times by rung.
fn summary(shape: &Shape, lines: &[Line]) -> serde_json::Value {
    let rungs: Vec<_> = shape
        .rungs
        .iter()
        .enumerate()
        .map(|(k, rung)| {
            let own: Vec<&Line> = lines.iter().filter(|l| l.row.id.rung as usize == k).collect();
            let count = |status| own.iter().filter(|l| l.row.status == status).count();
            let seconds: f64 = own.iter().map(|l| l.seconds).sum();
            let successes = own.iter().filter(|l| l.row.success).count();
            json!({
                "name": rung.name, "runs": own.len(), "successes": successes,
                "ok": count(Status::Ok), "failed": count(Status::Failed), "invalid": count(Status::Invalid), "crashed": count(Status::Crashed),
                "cases": cases(&own), "cases_passed": passed(&own, rung.samples),
                "seconds": seconds, "seconds_per_run": if own.is_empty() { 0.0 } else { seconds / own.len() as f64 },
            })
        })
        .collect();
    json!({ "format": SUMMARY_FORMAT, "name": shape.name, "hash": shape.hash, "runs": lines.len(),
        "units": shape.own_units().count(), "shard": shape.shard, "rungs": rungs, "crashes": crashes(shape, lines) })
}

/// The first processes that died, with their last words.
fn crashes(shape: &Shape, lines: &[Line]) -> Vec<serde_json::Value> {
    let dead = lines.iter().filter(|l| l.row.status == Status::Crashed).take(20);
    dead.map(|l| json!({ "run": shape.told(l.row.id), "message": l.row.message, "said": l.said })).collect()
}

/// Different cases among rows; rows are in order.
fn cases(lines: &[&Line]) -> usize {
    let mut cases: Vec<u64> = lines.iter().map(|l| l.row.id.case).collect();
    cases.dedup();
    cases.len()
}

/// Cases all of whose samples succeeded.
fn passed(lines: &[&Line], samples: u64) -> usize {
    let mut counts = std::collections::BTreeMap::new();
    for line in lines.iter().filter(|l| l.row.success) {
        *counts.entry(line.row.id.case).or_insert(0_u64) += 1;
    }
    counts.values().filter(|n| **n == samples).count()
}
