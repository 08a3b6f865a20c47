//! What is made of directories of results alone: their merging, and how far they are.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::journal::{JOURNAL, Line, line_of, read_journal};
use super::row::Row;
use super::seal::{prepare_directory, read_shape, seal};
use super::shape::Shape;
use vinci_run::atomic_write::write_atomic;

fn no_sweep(directory: &Path) -> io::Error {
    io::Error::other(format!("{} holds no sweep", directory.display()))
}

/// Puts shards together in `out`, whose files are those of the sweep run as a whole. `anew`: in the place of another sweep that may be there.
///
/// # Errors
/// Of input and output; shards of different plans, shards that are missing, there twice or not done, runs missing or there twice.
pub fn merge(directories: &[PathBuf], out: &Path, anew: bool) -> io::Result<Shape> {
    let mut whole: Option<(Shape, u64)> = None;
    let (mut lines, mut seen) = (Vec::new(), BTreeMap::new());
    for directory in directories {
        let told = |what: String| io::Error::other(format!("{}: {what}", directory.display()));
        let shape = read_shape(directory)?.ok_or_else(|| no_sweep(directory))?;
        let [i, n] = shape.shard;
        let own = read_journal(directory)?.0;
        let rows: Vec<Row> = own.iter().map(|line| line.row.clone()).collect();
        shape.complete(&rows).map_err(|what| told(format!("{what}; run it again to go on")))?;
        let alone = Shape { shard: [1, 1], ..shape };
        let first = || directories[0].display();
        match &whole {
            Some((sweep, _)) if *sweep != alone => {
                return Err(told(format!("it belongs to another sweep than {}", first())));
            }
            Some((_, parts)) if *parts != n => {
                return Err(told(format!("it is one of {n} parts, {} one of {parts}", first())));
            }
            _ => {}
        }
        if let Some(earlier) = seen.insert(i, directory) {
            return Err(told(format!("part {i} of {n} is also in {}", earlier.display())));
        }
        if seen.len() == directories.len()
            && let Some(missing) = (1..=n).find(|i| !seen.contains_key(i))
        {
            return Err(io::Error::other(format!("part {missing} of {n} is missing")));
        }
        whole = Some((alone, n));
        lines.extend(own);
    }
    let (shape, _) = whole.ok_or_else(|| io::Error::other("there is nothing to merge"))?;
    lines.sort_by_key(|line: &Line| line.row.id);
    let _lock = prepare_directory(out, &shape, anew)?;
    write_atomic(out, JOURNAL, |file| {
        use io::Write;
        lines.iter().try_for_each(|line| file.write_all(&line_of(line)?))
    })?;
    seal(out, &shape, &lines)?;
    Ok(shape)
}

/// How far a directory is, in words.
///
/// # Errors
/// Of input and output; a directory without a plan.
pub fn status(directory: &Path) -> io::Result<String> {
    let shape = read_shape(directory)?.ok_or_else(|| no_sweep(directory))?;
    let lines = read_journal(directory)?.0;
    let mut units: BTreeMap<u64, Vec<&Row>> = BTreeMap::new();
    for line in &lines {
        units.entry(shape.unit_of(line.row.id).unwrap_or(u64::MAX)).or_default().push(&line.row);
    }
    let mut done = 0;
    for (unit, rows) in &mut units {
        rows.sort_by_key(|row| (row.id.rung, row.id.sample));
        let successes: Vec<bool> = rows.iter().map(|row| row.success).collect();
        done += u64::from(shape.next(*unit, &successes).is_none());
    }
    let own = shape.own_units().count();
    let sealed = directory.join("summary.json").exists();
    let state = if sealed { "complete" } else { "not complete; run it again to go on" };
    let [i, n] = shape.shard;
    let part = if n > 1 { format!(", part {i} of {n}") } else { String::new() };
    let mut text =
        format!("{}{part}: {state}\n  units     {done} of {own} done, {} runs\n", shape.name, lines.len());
    for (k, rung) in shape.rungs.iter().enumerate() {
        let rows = || lines.iter().map(|l| &l.row).filter(|r| r.id.rung as usize == k);
        let of = |name: &str| rows().filter(|r| r.status.name() == name).count();
        text.push_str(&format!(
            "  {:<9} {} runs, {} successes; {} ok, {} failed, {} invalid, {} crashed\n",
            rung.name,
            rows().count(),
            rows().filter(|r| r.success).count(),
            of("ok"),
            of("failed"),
            of("invalid"),
            of("crashed")
        ));
    }
    Ok(text)
}
