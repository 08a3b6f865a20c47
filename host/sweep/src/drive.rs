//! The parent: hands out units of work, keeps the journal, seals the results.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};

use super::journal::{Journal, Line, Sorted, scan};
use super::order::Order;
use super::part::{Part, name_of, write_part};
use super::plan::Plan;
use super::pool::{Slot, WorkerPool};
use super::row::Status;
use super::seal::{clear, prepare_directory, seal};
use super::shape::Shape;

/// How a sweep ended.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Rows that were there already.
    pub resumed: u64,
    /// Rows made now.
    pub made: u64,
    /// Rows, old and new, of runs that failed, could not be made, and took their process along.
    pub wrong: [u64; 3],
}

impl Report {
    fn count(&mut self, status: Status) {
        let of = [Status::Failed, Status::Invalid, Status::Crashed].into_iter().position(|s| s == status);
        of.into_iter().for_each(|k| self.wrong[k] += 1);
    }
}

/// Units with the successes of the runs that are done, in their order.
type Units = Vec<(u64, Vec<bool>)>;

/// Runs what is missing in `directory` and seals it, or all of it `anew`. `progress` hears the units that are done, and how many there are.
///
/// # Errors
/// Of input and output; a directory that belongs to another plan or is in use.
pub fn drive(
    plan: &Plan,
    directory: &Path,
    anew: bool,
    pool: &WorkerPool,
    progress: impl FnMut(u64, u64),
) -> io::Result<Report> {
    let lock = prepare_directory(directory, &plan.shape, anew)?;
    let report = fill(plan, directory, pool, progress)?;
    seal(directory, &plan.shape, Sorted::of(directory)?.lines())?;
    drop(lock);
    Ok(report)
}

/// Runs what is missing of a part of a plan, the shard of `plan`, and seals it as a file in `directory`, whose path it gives. Its journal
/// lies in a directory of its own until then.
///
/// # Errors
/// As of [`drive`]; a part of another plan, or a damaged one, that lies there already.
pub fn drive_part(
    plan: &Plan,
    directory: &Path,
    anew: bool,
    pool: &WorkerPool,
    progress: impl FnMut(u64, u64),
) -> io::Result<(PathBuf, Report)> {
    let name = name_of(plan.shape.shard);
    let (path, work) = (directory.join(&name), directory.join(format!("{name}.work")));
    if !anew && path.exists() && !work.exists() {
        return Ok((path.clone(), sealed_already(&plan.shape, &path)?));
    }
    let lock = prepare_directory(&work, &plan.shape, anew)?;
    // Another process may have sealed it while this one came to the lock, or been killed before it tidied up.
    let report = if !anew && path.exists() {
        sealed_already(&plan.shape, &path)?
    } else {
        let report = fill(plan, &work, pool, progress)?;
        write_part(directory, &plan.shape, Sorted::of(&work)?.lines())?;
        report
    };
    clear(&work)?;
    drop(lock);
    // Something of others in it stays.
    let _ = std::fs::remove_dir(&work);
    Ok((path, report))
}

/// Report on a part that was sealed before.
fn sealed_already(shape: &Shape, path: &Path) -> io::Result<Report> {
    let told = |what: String| io::Error::other(format!("{}: {what}; --force begins anew", path.display()));
    let part = Part::open(path).map_err(|e| told(e.to_string()))?;
    if part.seal.plan != shape.hash {
        return Err(told("it is a part of another plan".into()));
    }
    let (mut report, mut order) = (Report::default(), Order::of(shape));
    for line in part.lines(shape) {
        let row = line.map_err(|e| told(e.to_string()))?.row;
        order.add(&row).map_err(told)?;
        report.resumed += 1;
        report.count(row.status);
    }
    order.finish().map_err(told)?;
    Ok(report)
}

/// Makes the rows that a journal lacks.
fn fill(
    plan: &Plan,
    directory: &Path,
    pool: &WorkerPool,
    mut progress: impl FnMut(u64, u64),
) -> io::Result<Report> {
    let mut report = Report::default();
    let (units, whole) = missing(plan, directory, &mut report)?;
    let all = plan.shape.own_units_count();
    let mut done = all - units.len() as u64;
    progress(done, all);
    let mut journal = Journal::resume(directory, whole)?;
    run_all(plan, pool, units, |line, ended| {
        journal.add(&line)?;
        report.made += 1;
        report.count(line.row.status);
        if ended {
            done += 1;
            progress(done, all);
        }
        Ok(())
    })?;
    journal.sync()?;
    Ok(report)
}

/// Units of this shard that have not ended, and the length of the whole lines of the journal. Its rows are counted.
fn missing(plan: &Plan, directory: &Path, report: &mut Report) -> io::Result<(Units, u64)> {
    let mut runs: BTreeMap<u64, Vec<(u32, u64, bool)>> = BTreeMap::new();
    let whole = scan(directory, |Line { row, .. }, _| {
        let own = |id| row.parameters == plan.written(&plan.values(id));
        let unit = plan.shape.unit_of_row(&row).filter(|_| own(row.id));
        let unit = unit.ok_or_else(|| io::Error::other("a row of another sweep"))?;
        runs.entry(unit).or_default().push((row.id.rung, row.id.sample, row.success));
        report.resumed += 1;
        report.count(row.status);
        Ok(())
    })?;
    let mut successes = |unit: u64| {
        let mut rows = runs.remove(&unit).unwrap_or_default();
        rows.sort_unstable();
        rows.into_iter().map(|(.., success)| success).collect::<Vec<bool>>()
    };
    let units = plan.shape.own_units().map(|unit| (unit, successes(unit)));
    Ok((units.filter(|(unit, done)| plan.shape.next(*unit, done).is_some()).collect(), whole))
}

/// `keep` gets every row, and whether its unit has ended with it, in the order in which they come.
fn run_all(
    plan: &Plan,
    pool: &WorkerPool,
    units: Units,
    mut keep: impl FnMut(Line, bool) -> io::Result<()>,
) -> io::Result<()> {
    let (sender, rows) = channel();
    // More workers than units would wait for nothing.
    let jobs = pool.jobs.min(units.len());
    let (queue, over) = (Mutex::new(units.into_iter()), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let (sender, queue, over) = (sender.clone(), &queue, &over);
            scope.spawn(move || {
                if let Err(error) = work_off(plan, pool, queue, over, &sender) {
                    let _ = sender.send(Err(error));
                }
            });
        }
        drop(sender);
        let kept = rows.iter().try_for_each(|row| row.and_then(|(line, ended)| keep(line, ended)));
        over.store(true, Ordering::Relaxed);
        kept
    })
}

fn work_off(
    plan: &Plan,
    pool: &WorkerPool,
    queue: &Mutex<std::vec::IntoIter<(u64, Vec<bool>)>>,
    over: &AtomicBool,
    sender: &Sender<io::Result<(Line, bool)>>,
) -> io::Result<()> {
    let mut slot = Slot { plan, pool, worker: None };
    while !over.load(Ordering::Relaxed) {
        let next = queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
        let Some((unit, mut successes)) = next else { return Ok(()) };
        while let Some(id) = plan.shape.next(unit, &successes).filter(|_| !over.load(Ordering::Relaxed)) {
            let line = slot.row(id)?;
            successes.push(line.row.success);
            let ended = plan.shape.next(unit, &successes).is_none();
            if sender.send(Ok((line, ended))).is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}
