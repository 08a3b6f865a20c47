//! A directory of results: whose it is, who writes in it, and its sealed files.
//!
//! `plan.json` first, `journal.jsonl` while it runs, then `rows.csv`, `rows.parquet`, pictures, and last `summary.json`: a sweep without it
//! did not end. Every sealed file is written beside its place, brought to the disk and renamed.

use std::io::{self, Write};
use std::path::Path;

use super::journal::Line;
use super::order::Order;
use super::pictures::Painter;
use super::shape::{PLAN_FORMAT, Shape};
use super::table::{Csv, GROUP, Parquet};
use super::tally::Tally;
use vinci_scene::files::{LARGEST_DOCUMENT, format_of, read_regular};

use vinci_run::atomic_write::{write_atomic, write_json};
use vinci_run::lock::Lock;

const PLAN: &str = "plan.json";
const SUMMARY: &str = "summary.json";
const ROWS_CSV: &str = "rows.csv";
const ROWS_PARQUET: &str = "rows.parquet";
const SUMMARY_FORMAT: &str = "vinci/sweep-summary@1";

/// The plan of a directory, if it has one.
///
/// # Errors
/// A file that cannot be read, or is none: also one that names files elsewhere, or numbers that no sweep has.
pub fn read_shape(directory: &Path) -> io::Result<Option<Shape>> {
    let bytes = match read_regular(&directory.join(PLAN), LARGEST_DOCUMENT).map_err(io::Error::from) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        bytes => bytes?,
    };
    let shape: Shape = serde_json::from_slice(&bytes)?;
    if shape.format != PLAN_FORMAT {
        return Err(io::Error::other("a plan of another version"));
    }
    shape.check().map_err(|why| io::Error::new(io::ErrorKind::InvalidData, format!("{PLAN}: {why}")))?;
    Ok(Some(shape))
}

/// A file of a run or of a comparison: their results and a sweep's have names in common.
fn of_another(directory: &Path) -> Option<&'static str> {
    const FILES: [&str; 6] = [
        "trajectory.csv",
        "trajectory.csv.part",
        "trajectory.parquet",
        "trajectory.parquet.part",
        "compare.json",
        "compare.plan.json",
    ];
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
pub(super) fn clear(directory: &Path) -> io::Result<()> {
    let pictures = read_shape(directory).ok().flatten().map(|s| s.pictures).unwrap_or_default();
    let names = [SUMMARY, ROWS_CSV, ROWS_PARQUET, super::journal::JOURNAL, PLAN];
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

/// Returns true if two plans have the same rows.
fn alike(there: &Shape, shape: &Shape) -> bool {
    Shape { pictures: shape.pictures.clone(), ..there.clone() } == *shape
}

fn write_plan(directory: &Path, shape: &Shape) -> io::Result<()> {
    write_json(directory, PLAN, shape)
}

/// Writes the sealed files of all rows, which come in their order and are not held.
///
/// # Errors
/// Of input and output; rows that are not exactly those of the plan.
pub(super) fn seal(
    directory: &Path,
    shape: &Shape,
    lines: impl Iterator<Item = io::Result<Line>>,
) -> io::Result<()> {
    write_summary(directory, &write_rows(directory, shape, lines)?)
}

/// Writes the summary, the last file of all.
pub(super) fn write_summary(directory: &Path, tally: &Tally<'_>) -> io::Result<()> {
    write_json(directory, SUMMARY, &tally.summary(SUMMARY_FORMAT))
}

/// Writes the tables and pictures of all rows, and counts what the summary says of them.
///
/// # Errors
/// As of [`seal`].
pub(super) fn write_rows<'s>(
    directory: &Path,
    shape: &'s Shape,
    lines: impl Iterator<Item = io::Result<Line>>,
) -> io::Result<Tally<'s>> {
    let mut tally = Tally::of(shape);
    let mut painters: Vec<Painter<'_>> = shape.pictures.iter().map(|p| Painter::of(p, shape)).collect();
    write_atomic(directory, ROWS_CSV, |csv| {
        write_atomic(directory, ROWS_PARQUET, |parquet| {
            let (mut csv, mut order) = (Csv::begin(shape, csv)?, Order::of(shape));
            let mut parquet = Parquet::begin(shape, parquet, false).map_err(io::Error::other)?;
            let mut flush = |group: &mut Vec<Line>| {
                csv.add(shape, group)?;
                parquet.add(shape, group).map_err(io::Error::other)?;
                group.clear();
                io::Result::Ok(())
            };
            let mut group = Vec::new();
            for line in lines {
                let line = line?;
                order.add(&line.row).map_err(io::Error::other)?;
                tally.add(&line);
                painters.iter_mut().for_each(|painter| painter.add(&line.row));
                group.push(line);
                if group.len() == GROUP {
                    flush(&mut group)?;
                }
            }
            if !group.is_empty() {
                flush(&mut group)?;
            }
            order.finish().map_err(io::Error::other)?;
            parquet.end(None).map_err(io::Error::other)
        })
    })?;
    for (picture, painter) in shape.pictures.iter().zip(painters) {
        let drawn = vinci_run::plot::contents(&picture.file, painter.svg())?;
        write_atomic(directory, &picture.file, |out| out.write_all(&drawn))?;
    }
    Ok(tally)
}
