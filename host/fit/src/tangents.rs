//! Derivatives of a whole run by its parameters, step by step: X_{k+1} = A_k X_k + B_k with A = ∂x⁺/∂x and B = ∂x⁺/∂θ of every step at
//! its active set (`host/engine/src/pipeline/tangent.rs`), X_0 that of the initial state. x = (q, v, m), m the numbers that steps hand on
//! beside positions and velocities (`host/engine/src/pipeline/handed_on.rs`).

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use vinci_compare::measures::Table;
use vinci_core::clock::seconds;
use vinci_core::problem::Ties;
use vinci_core::state::rates;
use vinci_engine::pipeline::{Along, NoDerivative, Simulation, StepFailure};
use vinci_run::{Observer, Prepared, run_loop};

use crate::columns::{names, numbers};
use crate::probes::Probes;
use crate::refused::Refused;
use crate::run_record::{Recorder, RunRecord};
use crate::trials::Trials;

/// A run with the derivatives of all its numbers.
pub(crate) struct Tangents {
    pub(crate) record: RunRecord,
    /// By parameter: derivatives of all columns at all grid times.
    pub(crate) by: Vec<Table>,
    /// End of the first step in which two modes held at once, s.
    pub(crate) tied: Option<f64>,
}

/// Makes the run of `values` and differentiates it; ties are read as `ties` says.
pub(crate) fn tangents(
    trials: &Trials<'_>,
    values: &[f64],
    probes: &mut Probes,
    ties: Ties,
) -> Result<Tangents, Refused> {
    let mut run = begin(trials, values, probes, ties)?;
    let x = probes.at_start.clone();
    let (recorder, rows) = (Recorder::new(&run), vec![Vec::new(); x.len()]);
    let mut chain = Chain { recorder, rows, probes, trials, values, x, ties, tied: None, refused: None };
    chain.row(&run.simulation);
    let duration = run.loaded.experiment.time.duration;
    let failure = run_loop(&mut run, duration, &mut chain);
    came_to_its_end(chain.refused, failure)?;
    let record = chain.recorder.finish(None);
    trials.count_run();
    let (times, names) = (record.table.times.clone(), names(&run.simulation));
    let by = chain.rows.into_iter().map(|rows| table(&times, &names, rows)).collect();
    Ok(Tangents { record, by, tied: chain.tied })
}

/// A run of which the probes are that keeps tapes of its steps.
pub(crate) fn begin(
    trials: &Trials<'_>,
    values: &[f64],
    probes: &mut Probes,
    ties: Ties,
) -> Result<Prepared, Refused> {
    let mut run = trials.ready(values).map_err(Refused::Experiment)?;
    run.simulation.tape_steps(ties, probes.carries_bases);
    probes.begin();
    Ok(run)
}

/// Errors: a run in which a step has no derivative, or that fails, or whose record fails.
pub(crate) fn came_to_its_end(
    refused: Option<NoDerivative>,
    ended: std::io::Result<Option<(StepFailure, f64)>>,
) -> Result<(), Refused> {
    match (refused, ended) {
        (Some(why), _) => Err(why.into()),
        (None, Ok(None)) => Ok(()),
        (None, Ok(Some((failure, t)))) => {
            Err(Refused::NoDerivative(format!("the run fails at t = {} s: {failure}", seconds(t))))
        }
        (None, Err(error)) => Err(Refused::NoDerivative(error.to_string())),
    }
}

fn table(times: &[f64], names: &[String], rows: Vec<Vec<f64>>) -> Table {
    let column = |k: usize| rows.iter().map(|row| row[k]).collect::<Vec<f64>>();
    let columns: BTreeMap<_, _> =
        names.iter().enumerate().map(|(k, name)| (name.clone(), column(k))).collect();
    Table { times: times.to_vec(), columns }
}

struct Chain<'p> {
    recorder: Recorder,
    rows: Vec<Vec<Vec<f64>>>,
    probes: &'p mut Probes,
    trials: &'p Trials<'p>,
    values: &'p [f64],
    /// By parameter: ∂(q, v, m)/∂θ.
    x: Vec<Vec<f64>>,
    ties: Ties,
    tied: Option<f64>,
    refused: Option<NoDerivative>,
}

impl Chain<'_> {
    fn row(&mut self, simulation: &Simulation) {
        let (q, n, layout) = (simulation.q(), simulation.v().len(), simulation.system.layout());
        for (rows, x) in self.rows.iter_mut().zip(&self.x) {
            let mut dq = vec![0.0; q.len()];
            rates(&layout, q, &x[..n], &mut dq);
            rows.push(numbers(simulation, &dq, &x[n..2 * n]));
        }
    }

    fn step(&mut self, simulation: &Simulation) -> Result<(), NoDerivative> {
        let tape = simulation.chainable_tape()?;
        if tape.ties() > 0 {
            self.tied.get_or_insert(simulation.time());
        }
        let mut own = vec![None; self.x.len()];
        for column in self.probes.columns(tape, (self.trials, self.values))? {
            self.tied = self.tied.or(column.corner.is_some().then(|| simulation.time()));
            let bound = column.corner.filter(|_| self.ties == Ties::Bounds);
            own[column.parameter] = Some(bound.unwrap_or(column.mean));
        }
        for (x, own) in self.x.iter_mut().zip(own) {
            let Along { mean, upper } = self.probes.here.along(tape, x)?;
            if upper.is_some() {
                self.tied.get_or_insert(simulation.time());
            }
            // The other reading: what differs there is a kink.
            let carried = upper.filter(|_| self.ties == Ties::Bounds).unwrap_or(mean);
            let own = own.unwrap_or_else(|| vec![0.0; carried.len()]);
            if carried.len() != own.len() {
                return Err(NoDerivative::Parted);
            }
            *x = carried.iter().zip(&own).map(|(a, b)| a + b).collect();
        }
        Ok(())
    }
}

impl Observer for Chain<'_> {
    fn interval(
        &mut self,
        simulation: &mut Simulation,
        before: u64,
        row: Option<u64>,
    ) -> std::io::Result<ControlFlow<()>> {
        if let Err(why) = self.step(simulation) {
            self.refused = Some(why);
            return Ok(ControlFlow::Break(()));
        }
        if row.is_some() {
            self.row(simulation);
        }
        self.recorder.interval(simulation, before, row)
    }
}
