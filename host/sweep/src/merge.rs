//! Merging of directories of results and of parts, and how far they are.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::journal::{JOURNAL, Line, Sorted, line_of, scan};
use super::part::Part;
use super::row::Status;
use super::seal::{prepare_directory, read_shape, write_rows, write_summary};
use super::shape::Shape;
use vinci_run::atomic_write::write_atomic;

fn no_sweep(directory: &Path) -> io::Error {
    io::Error::other(format!("{} holds no sweep", directory.display()))
}

fn told(path: &Path, what: impl std::fmt::Display) -> io::Error {
    io::Error::other(format!("{}: {what}", path.display()))
}

/// Puts shards together in `out`, whose files are those of the sweep run as a whole. `anew`: in the place of another sweep that may be there.
///
/// # Errors
/// Of input and output; shards of different plans, shards that are missing, there twice or not done, runs missing or there twice.
pub fn merge(directories: &[PathBuf], out: &Path, anew: bool) -> io::Result<Shape> {
    let mut whole: Option<(Shape, u64)> = None;
    let (mut lines, mut seen) = (Sorted::default(), BTreeMap::new());
    for directory in directories {
        let shape = read_shape(directory).map_err(|e| told(directory, e))?;
        let shape = shape.ok_or_else(|| no_sweep(directory))?;
        let [i, n] = shape.shard;
        let own = Sorted::of(directory)?;
        own.complete(&shape).map_err(|what| told(directory, format!("{what}; run it again to go on")))?;
        lines.append(own);
        let alone = Shape { shard: [1, 1], ..shape };
        let first = || directories[0].display();
        match &whole {
            Some((sweep, _)) if *sweep != alone => {
                return Err(told(directory, format!("it belongs to another sweep than {}", first())));
            }
            Some((_, parts)) if *parts != n => {
                return Err(told(directory, format!("it is one of {n} parts, {} one of {parts}", first())));
            }
            _ => {}
        }
        if let Some(earlier) = seen.insert(i, directory) {
            return Err(told(directory, format!("part {i} of {n} is also in {}", earlier.display())));
        }
        if seen.len() == directories.len()
            && let Some(missing) = (1..=n).find(|i| !seen.contains_key(i))
        {
            return Err(io::Error::other(format!("part {missing} of {n} is missing")));
        }
        whole = Some((alone, n));
    }
    let (shape, _) = whole.ok_or_else(|| io::Error::other("there is nothing to merge"))?;
    let _lock = prepare_directory(out, &shape, anew)?;
    write_all(out, &shape, lines.lines())?;
    Ok(shape)
}

/// Writes the journal of all rows and what is made of it; the summary comes behind the journal, too.
fn write_all(out: &Path, shape: &Shape, lines: impl Iterator<Item = io::Result<Line>>) -> io::Result<()> {
    let tally = write_atomic(out, JOURNAL, |journal| {
        let kept = lines.map(|line| {
            let line = line?;
            journal.write_all(&line_of(&line)?)?;
            Ok(line)
        });
        write_rows(out, shape, kept)
    })?;
    write_summary(out, &tally)
}

/// Puts the sealed parts of a plan together in `out`. `parts`: their files, or directories that hold them. `anew`: in the place of another
/// sweep that may be there.
///
/// # Errors
/// Of input and output; parts that are damaged, of another plan, missing or there twice; rows that are not those of the plan.
pub fn merge_parts(plan: &Shape, parts: &[PathBuf], out: &Path, anew: bool) -> io::Result<u64> {
    let files = sealed(plan, parts)?;
    let _lock = prepare_directory(out, plan, anew)?;
    let lines = files.iter().flat_map(|file| {
        let (lines, failed) = match Part::open(file) {
            Ok(part) => (Some(part.lines(plan)), None),
            Err(error) => (None, Some(Err(error))),
        };
        let all = failed.into_iter().chain(lines.into_iter().flatten());
        all.map(|line| line.map_err(|e| told(file, e)))
    });
    write_all(out, plan, lines)?;
    Ok(files.len() as u64)
}

/// The files of all parts, in the order of their rows.
fn sealed(plan: &Shape, parts: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut seen: BTreeMap<u64, PathBuf> = BTreeMap::new();
    let mut of: Option<(u64, PathBuf)> = None;
    for file in files(parts)? {
        let part = Part::open(&file).map_err(|e| told(&file, e))?;
        let [i, n] = part.seal.shard;
        if part.seal.plan != plan.hash {
            return Err(told(&file, "it is a part of another plan"));
        }
        match &of {
            Some((parts, first)) if *parts != n => {
                let other = first.display();
                return Err(told(&file, format!("it is one of {n} parts, {other} one of {parts}")));
            }
            _ => of = Some((n, file.clone())),
        }
        if let Some(earlier) = seen.insert(i, file.clone()) {
            return Err(told(&file, format!("part {i} of {n} is also in {}", earlier.display())));
        }
    }
    let (n, _) = of.ok_or_else(|| io::Error::other("there are no sealed parts"))?;
    let more = n - seen.len() as u64;
    match (1..=n).find(|i| !seen.contains_key(i)) {
        None => Ok(seen.into_values().collect()),
        Some(first) => {
            let more = if more > 1 { format!(", and {} more", more - 1) } else { String::new() };
            let advice = format!("`vinci sweep run PLAN --shard {first}/{n}` makes it");
            Err(io::Error::other(format!("part {first} of {n} is missing{more}: {advice}")))
        }
    }
}

/// Files as they are named, and those of directories with the name of a part, in the order of their names.
fn files(parts: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for part in parts {
        if !part.is_dir() {
            files.push(part.clone());
            continue;
        }
        let mut own = Vec::new();
        for entry in std::fs::read_dir(part).map_err(|e| told(part, e))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with("part-") && name.ends_with(".parquet") {
                own.push(path);
            }
        }
        own.sort();
        files.extend(own);
    }
    Ok(files)
}

/// How far a directory is, in words.
///
/// # Errors
/// Of input and output; a directory without a plan.
pub fn status(directory: &Path) -> io::Result<String> {
    let shape = read_shape(directory)?.ok_or_else(|| no_sweep(directory))?;
    let mut units: BTreeMap<u64, Vec<(u32, u64, bool)>> = BTreeMap::new();
    let mut counts = vec![[0_u64; 6]; shape.rungs.len()];
    let mut runs = 0_u64;
    scan(directory, |Line { row, .. }, _| {
        let key = (row.id.rung, row.id.sample, row.success);
        units.entry(shape.unit_of(row.id).unwrap_or(u64::MAX)).or_default().push(key);
        runs += 1;
        let ended = [Status::Ok, Status::Failed, Status::Invalid, Status::Crashed];
        let ended = ended.map(|status| u64::from(row.status == status));
        if let Some(of) = counts.get_mut(row.id.rung as usize) {
            let [ok, failed, invalid, crashed] = ended;
            let more = [1, u64::from(row.success), ok, failed, invalid, crashed];
            of.iter_mut().zip(more).for_each(|(n, more)| *n += more);
        }
        Ok(())
    })?;
    let mut done = 0_u64;
    for (unit, rows) in &mut units {
        rows.sort_unstable();
        let successes: Vec<bool> = rows.iter().map(|(.., success)| *success).collect();
        done += u64::from(shape.next(*unit, &successes).is_none());
    }
    let own = shape.own_units_count();
    let sealed = directory.join("summary.json").exists();
    let state = if sealed { "complete" } else { "not complete; run it again to go on" };
    let [i, n] = shape.shard;
    let part = if n > 1 { format!(", part {i} of {n}") } else { String::new() };
    let mut text = format!("{}{part}: {state}\n  units     {done} of {own} done, {runs} runs\n", shape.name);
    for (rung, [runs, good, ok, failed, invalid, crashed]) in shape.rungs.iter().zip(counts) {
        text.push_str(&format!(
            "  {:<9} {runs} runs, {good} successes; {ok} ok, {failed} failed, {invalid} invalid, {crashed} crashed\n",
            rung.name
        ));
    }
    Ok(text)
}

/// Parts that are missing and told by their numbers at most: how many a cut has is what a file says.
const MOST_LISTED: usize = 100;

/// How far the parts of a plan are that lie in a directory, in words.
///
/// # Errors
/// Of input and output; a part that is damaged.
pub fn status_of_parts(plan: &Shape, directory: &Path) -> io::Result<String> {
    // Parts of more than one cut may lie there: by n of [i, n], which i there are, and their rows.
    let mut cuts: BTreeMap<u64, (BTreeSet<u64>, u64)> = BTreeMap::new();
    for file in files(&[directory.to_owned()])? {
        let part = Part::open(&file).map_err(|e| told(&file, e))?;
        let [i, n] = part.seal.shard;
        if part.seal.plan == plan.hash {
            let (sealed, runs) = cuts.entry(n).or_default();
            *runs = runs.saturating_add(if sealed.insert(i) { part.seal.rows } else { 0 });
        }
    }
    let is_whole = cuts.iter().any(|(n, (sealed, _))| sealed.len() as u64 == *n);
    let mut text = format!("{}: {}\n", plan.name, if is_whole { "complete" } else { "not complete" });
    if cuts.is_empty() {
        text.push_str("  parts     none is sealed\n");
    }
    for (n, (sealed, runs)) in &cuts {
        text.push_str(&format!("  parts     {} of {n} sealed, {runs} runs\n", sealed.len()));
        let missing = (1..=*n).filter(|i| !sealed.contains(i)).map(|i| i.to_string());
        let listed: Vec<String> = missing.take(MOST_LISTED).collect();
        if !listed.is_empty() {
            let more = n - (sealed.len() + listed.len()) as u64;
            let more = if more > 0 { format!(", and {more} more") } else { String::new() };
            text.push_str(&format!("  missing   {}{more}\n", listed.join(", ")));
        }
    }
    Ok(text)
}
