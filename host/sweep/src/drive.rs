//! The parent: hands out units of work, keeps the journal, seals the results.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};

use super::journal::{Journal, Line, read_journal};
use super::plan::Plan;
use super::pool::{Slot, WorkerPool};
use super::row::Status;
use super::seal::{prepare_directory, seal};

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
    mut progress: impl FnMut(u64, u64),
) -> io::Result<Report> {
    let lock = prepare_directory(directory, &plan.shape, anew)?;
    let (lines, whole) = read_journal(directory)?;
    let mut report = Report { resumed: lines.len() as u64, ..Report::default() };
    lines.iter().for_each(|line| report.count(line.row.status));
    let all = plan.shape.own_units().count() as u64;
    let units = missing(plan, &lines)?;
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
    seal(directory, &plan.shape, &read_journal(directory)?.0)?;
    drop(lock);
    Ok(report)
}

/// Units of this shard that have not ended.
fn missing(plan: &Plan, lines: &[Line]) -> io::Result<Units> {
    let mut runs: BTreeMap<u64, Vec<&Line>> = BTreeMap::new();
    for line in lines {
        let own = |id| line.row.parameters == plan.written(&plan.values(id));
        let unit = plan.shape.unit_of_row(&line.row).filter(|_| own(line.row.id));
        let unit = unit.ok_or_else(|| io::Error::other("a row of another sweep"))?;
        runs.entry(unit).or_default().push(line);
    }
    let successes = |unit: u64| {
        let mut rows = runs.get(&unit).cloned().unwrap_or_default();
        rows.sort_by_key(|l| (l.row.id.rung, l.row.id.sample));
        rows.iter().map(|l| l.row.success).collect::<Vec<bool>>()
    };
    let units = plan.shape.own_units().map(|unit| (unit, successes(unit)));
    Ok(units.filter(|(unit, done)| plan.shape.next(*unit, done).is_some()).collect())
}

/// `keep` gets every row, and whether its unit has ended with it, in the order in which they come.
fn run_all(
    plan: &Plan,
    pool: &WorkerPool,
    units: Units,
    mut keep: impl FnMut(Line, bool) -> io::Result<()>,
) -> io::Result<()> {
    let (sender, rows) = channel();
    let (queue, over) = (Mutex::new(units.into_iter()), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..pool.jobs {
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
