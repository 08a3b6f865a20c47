//! Derivatives of measures by many parameters, from the end of a run to its start: λ_k = A_kᵀ λ_{k+1} + s_k and g = Σ B_kᵀ λ_{k+1} + X_0ᵀ λ_0,
//! s_k the derivative of the measure by what it sees of grid time k. A and B of all steps are kept where memory allows; else the run is made
//! again from checkpoints, segment by segment, the last one first.

use std::ops::ControlFlow;

use nalgebra::DVector;

use vinci_core::problem::Ties;
use vinci_core::state::rates;
use vinci_engine::pipeline::{NoDerivative, Simulation, Snapshot};
use vinci_run::{Observer, Prepared, run_loop};
use vinci_scene::diagnostics::Diagnostics;

use crate::columns::{names, place_of};
use crate::data::Data;
use crate::linear_step::LinearStep;
use crate::linearizer::Linearizer;
use crate::measure::Measure;
use crate::probes::Probes;
use crate::refused::Refused;
use crate::run_record::{Recorder, RunRecord};
use crate::tangents::{begin, came_to_its_end};
use crate::trials::Trials;

/// A run with derivatives of its measures.
pub(crate) struct Adjoint {
    pub(crate) record: RunRecord,
    /// By parameter, then by measure.
    pub(crate) by: Vec<Vec<f64>>,
    /// End of the first step in which two modes held at once, s.
    pub(crate) tied: Option<f64>,
    /// By parameter: true if a step reads it, or the start.
    pub(crate) reads: Vec<bool>,
}

/// Makes the run of `values` and differentiates its measures backwards.
pub(crate) fn adjoint(
    trials: &Trials<'_>,
    values: &[f64],
    (measures, data): (&[Measure], Option<&Data>),
    (probes, ties): (&mut Probes, Ties),
    fits: &dyn Fn(&RunRecord) -> Result<(), Diagnostics>,
) -> Result<Adjoint, Refused> {
    let mut run = begin(trials, values, probes, ties)?;
    let linearizer = Linearizer::new(probes, ties, (trials, values));
    let (recorder, mut linearizer, checkpoints) = forward(&mut run, linearizer, trials.memory())?;
    let record = recorder.finish(None);
    trials.count_run();
    fits(&record).map_err(Refused::Experiment)?;
    let mut pass = BackwardPass::new(&run.simulation, &record, (measures, data), values.len());
    for (k, checkpoint) in checkpoints.iter().enumerate().rev() {
        // The steps of the last segment are still there.
        if k + 1 < checkpoints.len() {
            linearizer.repeat(&mut run, checkpoint, &checkpoints[k + 1])?;
        }
        linearizer.steps.iter().rev().for_each(|step| pass.over(step));
        if checkpoints.len() > 1 {
            linearizer.drop_steps();
        }
    }
    pass.at_row(0);
    let Linearizer { probes, steps, tied, .. } = linearizer;
    probes.known = steps;
    let by = pass.gradients(&probes.at_start);
    let starts = probes.at_start.iter().map(|column| column.iter().any(|x| *x != 0.0));
    let reads = pass.reads.iter().zip(starts).map(|(step, start)| *step || start).collect();
    Ok(Adjoint { record, by, tied, reads })
}

/// Makes the run: its record, the linearised steps of its last segment, and the checkpoints at which its segments begin. `memory`: bytes for
/// the steps of a segment.
fn forward<'p>(
    run: &mut Prepared,
    linearizer: Linearizer<'p>,
    memory: usize,
) -> Result<(Recorder, Linearizer<'p>, Vec<Checkpoint>), Refused> {
    let recorder = Recorder::new(run);
    let mut pass =
        ForwardPass { recorder, linearizer, checkpoints: Vec::new(), memory, rows: 1, refused: None };
    pass.add_checkpoint(&run.simulation);
    let duration = run.loaded.experiment.time.duration;
    let failure = run_loop(run, duration, &mut pass);
    came_to_its_end(pass.refused, failure)?;
    // A segment that ends with the run has no successor.
    let mut checkpoints = pass.checkpoints;
    if checkpoints.len() > 1
        && checkpoints.last().is_some_and(|last| last.snapshot.state.t >= run.simulation.time())
    {
        checkpoints.pop();
    }
    Ok((pass.recorder, pass.linearizer, checkpoints))
}

impl Linearizer<'_> {
    /// Makes the steps from a checkpoint to the next once more.
    fn repeat(&mut self, run: &mut Prepared, from: &Checkpoint, to: &Checkpoint) -> Result<(), Refused> {
        let failed = |error: &dyn std::fmt::Display| Refused::NoDerivative(error.to_string());
        run.simulation.restore(&from.snapshot).map_err(|e| failed(&e.message))?;
        let duration = run.loaded.experiment.time.duration;
        let mut row = from.row;
        while run.simulation.time() < to.snapshot.state.t {
            let Some(end) = run.simulation.next_end(duration) else { break };
            run.simulation.advance_to(end).map_err(|failure| failed(&failure))?;
            let on_grid = run.simulation.time() == end;
            row += usize::from(on_grid);
            self.take(&run.simulation, on_grid.then_some(row))?;
        }
        Ok(())
    }
}

/// The start of a segment of the run, and the number of its row.
struct Checkpoint {
    snapshot: Snapshot,
    row: usize,
}

/// Observer of the run from its start to its end. Where the steps kept fill the memory a checkpoint is added, and they are dropped.
struct ForwardPass<'p> {
    recorder: Recorder,
    linearizer: Linearizer<'p>,
    checkpoints: Vec<Checkpoint>,
    /// Bytes for the steps of a segment.
    memory: usize,
    rows: usize,
    refused: Option<NoDerivative>,
}

impl ForwardPass<'_> {
    fn add_checkpoint(&mut self, simulation: &Simulation) {
        self.checkpoints.push(Checkpoint { snapshot: simulation.snapshot(), row: self.rows - 1 });
    }
}

impl Observer for ForwardPass<'_> {
    fn interval(
        &mut self,
        simulation: &mut Simulation,
        before: u64,
        row: Option<u64>,
    ) -> std::io::Result<ControlFlow<()>> {
        if self.linearizer.is_full(self.memory) {
            self.linearizer.drop_steps();
        }
        self.rows += usize::from(row.is_some());
        if let Err(why) = self.linearizer.take(simulation, row.map(|_| self.rows - 1)) {
            self.refused = Some(why);
            return Ok(ControlFlow::Break(()));
        }
        if self.linearizer.is_full(self.memory) {
            self.add_checkpoint(simulation);
        }
        self.recorder.interval(simulation, before, row)
    }
}

/// λ and g, from the end of the run to the step that is reached.
struct BackwardPass {
    /// By measure: ∂measure/∂(q, v, m) at the place reached.
    lambda: Vec<DVector<f64>>,
    /// By measure: derivatives by parameters so far.
    g: Vec<DVector<f64>>,
    /// By measure, then by row: s_k where it is not 0.
    seeds: Vec<Vec<Option<DVector<f64>>>>,
    /// By parameter: true if a step so far reads it.
    reads: Vec<bool>,
}

impl BackwardPass {
    fn new(
        simulation: &Simulation,
        record: &RunRecord,
        (measures, data): (&[Measure], Option<&Data>),
        p: usize,
    ) -> Self {
        let n = simulation.v().len();
        let seeds = measures.iter().map(|measure| seeds(simulation, record, measure, data)).collect();
        let zeros = |n: usize| vec![DVector::zeros(n); measures.len()];
        Self { lambda: zeros(2 * n), g: zeros(p), seeds, reads: vec![false; p] }
    }

    /// By parameter, then by measure: g + X_0ᵀ λ_0.
    fn gradients(&self, x: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let of = |(k, x): (usize, &Vec<f64>)| {
            let dot = |lambda: &DVector<f64>| x.iter().zip(lambda).map(|(x, l)| x * l).sum::<f64>();
            self.lambda.iter().zip(&self.g).map(|(lambda, g)| g[k] + dot(lambda)).collect()
        };
        x.iter().enumerate().map(of).collect()
    }

    fn at_row(&mut self, row: usize) {
        for (lambda, seeds) in self.lambda.iter_mut().zip(&self.seeds) {
            let Some(seed) = seeds.get(row).and_then(Option::as_ref) else { continue };
            let mut places = lambda.rows_mut(0, seed.len());
            places += seed;
        }
    }

    fn over(&mut self, step: &LinearStep) {
        // No measure sees what the last step hands on.
        self.lambda.iter_mut().for_each(|lambda| lambda.resize_vertically_mut(step.a.nrows(), 0.0));
        step.row.into_iter().for_each(|row| self.at_row(row));
        step.b.iter().for_each(|(k, _)| self.reads[*k] = true);
        for (lambda, g) in self.lambda.iter_mut().zip(&mut self.g) {
            step.b.iter().for_each(|(k, column)| g[*k] += column.dot(lambda));
            *lambda = step.a.tr_mul(lambda);
        }
    }
}

/// s_k of all rows: weights of columns, brought to displacements and velocities.
fn seeds(
    simulation: &Simulation,
    record: &RunRecord,
    measure: &Measure,
    data: Option<&Data>,
) -> Vec<Option<DVector<f64>>> {
    let (names, n, layout) = (names(simulation), simulation.v().len(), simulation.system.layout());
    let mut seeds = vec![None; record.table.times.len()];
    for ((row, column), weight) in measure.weights(record, data) {
        let Some(at) = names.iter().position(|name| *name == column) else { continue };
        let seed = seeds[row].get_or_insert_with(|| DVector::zeros(2 * n));
        match place_of(simulation, at) {
            Err(dof) => seed[n + dof] += weight,
            Ok(coordinate) => {
                let q = record.positions(simulation, row, &names);
                let (mut direction, mut rate) = (vec![0.0; n], vec![0.0; q.len()]);
                for dof in 0..n {
                    direction[dof] = 1.0;
                    rates(&layout, &q, &direction, &mut rate);
                    direction[dof] = 0.0;
                    seed[dof] += weight * rate[coordinate];
                }
            }
        }
    }
    seeds
}
