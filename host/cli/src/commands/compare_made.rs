//! Runs of a comparison that are made: in this process, several in turns, or in processes of their own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use super::claim::Claim;
use super::compare_apart::{self, Apart};
use super::compare_outside;
use super::compare_plan::Plan;
use super::compare_turns::{Bar, abreast, in_turns};
use super::files::{io_error, run_error};
use super::printing::say;
use super::progress::Progress;
use super::run::{ended, summary_text, unchanged};
use crate::cli::{ErrorFormat, Global};
use vinci_compare::{Combination, ComparisonRuns};
use vinci_engine::registry::Registry;
use vinci_run::signals::Stop;
use vinci_run::{
    CHECKPOINT, Checkpoint, Guidance, Prepared, Surroundings, Turn, execute_guided, exit, ready, take_up,
};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// A run of a comparison: its number, its values, its directory.
pub(super) type Made<'a> = (usize, &'a Combination, PathBuf);

/// All that runs are made of.
pub(super) struct Making<'a> {
    pub(super) global: &'a Global,
    pub(super) registry: &'a Registry,
    pub(super) plan: &'a Plan,
    pub(super) asked: &'a ComparisonRuns,
    pub(super) out: &'a Path,
    pub(super) checkpoint_every: Option<Duration>,
    pub(super) stop: &'a Stop,
}

impl Making<'_> {
    /// One run alone, in a process that another comparison made for it; its exit code.
    pub(super) fn only(&self, (k, run, directory): Made<'_>) -> Result<u8, Diagnostics> {
        compare_apart::stop_with_input(self.stop);
        let _claim = Claim::to_go_on(&directory)?;
        let bar = Bar::new(self.global, &format!("{} ", run.label()), 1);
        self.made((k, run), &directory, None, (&bar, 0))
    }

    /// Makes what is missing; how processes ended that left no result.
    pub(super) fn all(
        &self,
        runs: &[Made<'_>],
        apart: Option<&Apart>,
    ) -> Result<BTreeMap<usize, String>, Diagnostics> {
        let mut missing = Vec::new();
        for (n, (_, _, directory)) in runs.iter().enumerate() {
            if ended(directory)?.is_none() {
                missing.push(n);
            }
        }
        match apart {
            Some(apart) => self.made_apart(apart, runs, &missing),
            None => self.made_in_turns(runs, &missing).map(|()| BTreeMap::new()),
        }
    }

    /// Makes what is missing in this process, several runs in turns.
    fn made_in_turns(&self, runs: &[Made<'_>], missing: &[usize]) -> Result<(), Diagnostics> {
        for group in missing.chunks(abreast()) {
            let bar = Bar::new(self.global, &self.name(runs, group), group.len());
            let work = |place: usize, turn: Turn| {
                let (k, run, directory) = &runs[group[place]];
                let label = run.label();
                let _span = (group.len() > 1).then(|| tracing::error_span!("run", of = label).entered());
                let _claim = Claim::to_go_on(directory)?;
                self.made((*k, run), directory, Some(turn), (&bar, place))
            };
            let ends = in_turns(group.len(), work).map_err(|e| io_error("cannot make", self.out, &e))?;
            drop(bar);
            let codes = ends.into_iter().collect::<Result<Vec<_>, _>>()?;
            if let Some(first) = codes.into_iter().position(is_stopped) {
                return Err(self.stopped(group[first]));
            }
        }
        Ok(())
    }

    /// Makes what is missing in processes of their own; how those ended that left no result.
    fn made_apart(
        &self,
        apart: &Apart,
        runs: &[Made<'_>],
        missing: &[usize],
    ) -> Result<BTreeMap<usize, String>, Diagnostics> {
        let numbers: Vec<usize> = missing.iter().map(|n| runs[*n].0).collect();
        let progress = Mutex::new(Progress::of_units(self.global));
        let told = |done: usize| {
            if let Ok(progress) = progress.lock() {
                progress.units(done as u64, missing.len() as u64);
            }
        };
        let ends =
            apart.make(&numbers, self.stop, &told).map_err(|e| io_error("cannot make", self.out, &e))?;
        drop(progress);
        if self.stop.is_asked() {
            return Err(self.stopped(missing.first().copied().unwrap_or(0)));
        }
        let mut died = BTreeMap::new();
        for (k, _, directory) in runs {
            if let Some(how) = ends.get(k)
                && ended(directory)?.is_none()
            {
                died.insert(*k, how.clone());
            }
        }
        Ok(died)
    }

    /// Findings where the comparison was stopped in its run `n`, from 0.
    fn stopped(&self, n: usize) -> Diagnostics {
        let message = format!("the comparison was stopped from outside in its run {}", n + 1);
        let help = format!("`vinci compare --resume {}` goes on to the same results", self.out.display());
        Diagnostic::error(Code::Stopped, message).help(help).into()
    }

    fn ready(&self, run: &Combination) -> Result<Prepared, Diagnostics> {
        ready(self.asked.load(run)?, self.registry, self.plan.strict, None)
    }

    /// Runs in front of their bar: which one of how many, or how many.
    fn name(&self, runs: &[Made<'_>], group: &[usize]) -> String {
        match group {
            [n] => format!("{}/{} {} ", runs[*n].0 + 1, self.asked.combinations.len(), runs[*n].1.label()),
            _ => format!("{} runs ", group.len()),
        }
    }

    /// Makes one run, from its checkpoint if it has one; its exit code.
    fn made(
        &self,
        (k, run): (usize, &Combination),
        directory: &Path,
        turn: Option<Turn>,
        (bar, place): (&Bar, usize),
    ) -> Result<u8, Diagnostics> {
        let before = Surroundings::now();
        if let Some(motion) = &run.motion {
            let case = compare_outside::case(self.asked, run, motion, self.registry)?;
            self.plan.check_case(k, &case)?;
            bar.begin(case.ends());
            return Ok(case.judge(Some(directory), |t| bar.at(place, t))?.code);
        }
        let (prepared, from): (Prepared, Option<Checkpoint>) = if directory.join(CHECKPOINT).exists() {
            let (prepared, checkpoint) = take_up(directory, self.registry, &[])?;
            (prepared, Some(checkpoint))
        } else {
            let prepared = self.ready(run)?;
            self.plan.check(k, &prepared)?;
            (prepared, None)
        };
        unchanged(&before)?;
        let stop = self.stop.clone();
        let (checkpoint_every, surroundings) = (self.checkpoint_every, Some(before));
        let guidance = Guidance { stop, checkpoint_every, from, surroundings, turn };
        bar.begin(prepared.loaded.experiment.time.duration);
        let end = execute_guided(prepared, directory, guidance, |t| bar.at(place, t))
            .map_err(|e| run_error(directory, &e))?;
        if self.global.verbose > 0 && self.global.error_format == ErrorFormat::Text {
            say(&summary_text(&end))?;
        }
        Ok(end.code)
    }
}

/// Returns true if a run was stopped. One without a checkpoint is begun anew when the comparison goes on: what came of it has the same bytes.
fn is_stopped(code: u8) -> bool {
    [exit::STOPPED, exit::STOPPED_ANEW].contains(&code)
}
