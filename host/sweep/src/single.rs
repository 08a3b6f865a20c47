//! One run: from its number to its row. Nothing is written.

use std::io;
use std::ops::ControlFlow;

use vinci_engine::expression::is_true;
use vinci_engine::pipeline::{Simulation, StepFailure};
use vinci_engine::registry::Registry;
use vinci_run::acceptance::limits_of;
use vinci_run::summary::RefereeTotals;
use vinci_run::{Observer, Prepared, prepare, refuse_declared, run_loop, settle, unstartable};
use vinci_scene::diagnostics::{Diagnostics, Severity};

use super::level::written;
use super::outcome::Outcomes;
use super::path::{Ground, Task};
use super::plan::{Plan, Values};
use super::row::{Row, RunId, Status};

/// Runs one run. `ground` is memory from run to run, which changes times and no row.
pub fn single(plan: &Plan, id: RunId, registry: &Registry, ground: &mut Ground) -> Row {
    let values = plan.values(id);
    let model = &plan.models[id.rung as usize];
    let row = |status| Row::without_end(id, plan.written(&values), plan.shape.measures.len(), status);
    if let Some((_, text)) = model.require.iter().find(|(c, _)| !is_true(c.at(0.0, &values.numbers))) {
        return row(Status::Ok).because("", format!("not {text}"));
    }
    if !model.simulates && model.path.is_none() {
        return Row { success: true, ..row(Status::Ok) };
    }
    let invalid = |diagnostics: &Diagnostics| {
        let (code, message) = first(diagnostics);
        row(Status::Invalid).because(code, message)
    };
    let (mut prepared, outcomes) = match ready(plan, id, &values, registry) {
        Ok(ready) => ready,
        Err(diagnostics) => return invalid(&diagnostics),
    };
    if let Some((path, place)) = &model.path {
        let task = Task { path, place, model, numbers: &values.numbers };
        // The detector is the run's own, and what it remembers of the search is no part of the run.
        let before = prepared.simulation.snapshot();
        let reached = task.reached(&mut prepared, ground);
        if let Err(error) = prepared.simulation.restore(&before) {
            return row(Status::Failed).because("plugin", error.message);
        }
        match reached {
            Err(diagnostics) => return invalid(&diagnostics),
            Ok(Some(reason)) => return row(Status::Ok).because("", reason),
            Ok(None) if !model.simulates => return Row { success: true, ..row(Status::Ok) },
            Ok(None) => {}
        }
    }
    simulate(plan, prepared, outcomes, &values, row(Status::Ok))
}

/// Kind and words of the first error.
fn first(diagnostics: &Diagnostics) -> (&'static str, String) {
    let error = diagnostics.iter().find(|d| d.severity == Severity::Error);
    error.map_or(("", String::new()), |d| (d.code.name(), d.message.clone()))
}

/// Everything `vinci run` does before its first step.
pub(super) fn ready(
    plan: &Plan,
    id: RunId,
    values: &Values,
    registry: &Registry,
) -> Result<(Prepared, Outcomes), Diagnostics> {
    let loaded = plan.documents.with(&plan.changes(id, values)?)?;
    let mut prepared = prepare(loaded, registry)?;
    let model = &plan.models[id.rung as usize];
    let outcomes = Outcomes::of(&plan.asked, &prepared.simulation.system, model)?;
    refuse_declared(&mut prepared)?;
    let class = prepared.simulation.rehearse().map_err(|failure| unstartable(&prepared, &failure))?;
    settle(&mut prepared, registry, class)?;
    Ok((prepared, outcomes))
}

/// Looks at every grid time for the end.
struct Watching<'a> {
    outcomes: &'a mut Outcomes,
    numbers: &'a [f64],
    referee: RefereeTotals,
    stopped: bool,
    failed: bool,
}

impl Observer for Watching<'_> {
    fn interval(
        &mut self,
        simulation: &mut Simulation,
        before: u64,
        row: Option<u64>,
    ) -> io::Result<ControlFlow<()>> {
        for k in 0..simulation.n_last() {
            self.referee.add(before + 1 + k as u64, &simulation.of_last(k), &simulation.system);
        }
        if row.is_some() {
            self.failed = self.outcomes.fails(simulation, self.numbers);
            self.stopped = self.failed
                || self.outcomes.ends(simulation, self.numbers)
                || self.referee.refusal().is_some();
        }
        Ok(if self.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}

fn simulate(plan: &Plan, mut prepared: Prepared, mut outcomes: Outcomes, values: &Values, row: Row) -> Row {
    let duration = prepared.loaded.experiment.time.duration;
    let limits = limits_of(&prepared.loaded.experiment.referee);
    let referee = RefereeTotals::new(prepared.simulation.declared(), limits);
    let mut watching = Watching {
        outcomes: &mut outcomes,
        numbers: &values.numbers,
        referee,
        stopped: false,
        failed: false,
    };
    // Nothing is written here, so nothing of input and output can fail.
    let failure = run_loop(&mut prepared, duration, &mut watching).ok().flatten().map(|(failure, _)| failure);
    let simulation = &mut prepared.simulation;
    let (refusal, failed) = (watching.referee.refusal().cloned(), watching.failed);
    let row = Row { steps: simulation.step_count(), t_end: written(simulation.time()), ..row };
    let row = Row { measures: outcomes.measures(simulation, &values.numbers), ..row };
    debug_assert_eq!(row.measures.len(), plan.shape.measures.len());
    match (failure, refusal) {
        (Some(failure), _) => {
            Row { status: Status::Failed, ..row }.because(kind(&failure), failure.to_string())
        }
        (None, Some(refusal)) => {
            Row { status: Status::Failed, ..row }.because("not-accepted", refusal.to_string())
        }
        (None, None) => {
            let success = !failed && outcomes.succeeds(simulation, &values.numbers);
            Row { success, ..row }
        }
    }
}

/// Kind of a failure, as rows write it.
fn kind(failure: &StepFailure) -> &'static str {
    match failure {
        StepFailure::Unsolved { .. } => "solver",
        StepFailure::GaveUp(_)
        | StepFailure::TooManyRounds(_)
        | StepFailure::TooManyEvaluations(_)
        | StepFailure::TooManySubsteps(_)
        | StepFailure::TooManyShortSteps(_) => "stepper",
        StepFailure::Stage { .. } | StepFailure::Contacts(_) => "plugin",
        StepFailure::NotFinite { .. } | StepFailure::TooLarge { .. } => "state",
        StepFailure::Drive(_) => "drive",
        StepFailure::Control(_) => "controller",
        StepFailure::Event(_) => "event",
    }
}
