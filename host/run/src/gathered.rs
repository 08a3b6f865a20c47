//! Numbers that a run gathers for its summary: the plugins it begins with, and what the loop counts.

use crate::acceptance::limits_of;
use crate::prepared::Prepared;
use crate::report;
use crate::summary::{EnergySummary, ImpactSummary, PluginUsed, RefereeTotals};
use crate::used::Used;
use serde::{Deserialize, Serialize};
use vinci_engine::pipeline::Simulation;

/// Everything the loop gathers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Gathered {
    pub(super) referee: RefereeTotals,
    pub(super) energy: EnergySummary,
    pub(super) impacts: ImpactSummary,
    pub(super) max_deviation: f64,
    pub(super) curve: report::Curve,
}

/// The plugins that a run begins with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Begun {
    pub(super) detector: PluginUsed,
    pub(super) others: Vec<PluginUsed>,
    pub(super) stepper: PluginUsed,
    pub(super) solvers: Vec<PluginUsed>,
    pub(super) controllers: Vec<PluginUsed>,
}

impl Begun {
    pub(super) fn of(prepared: &Prepared) -> Self {
        let (detector, stepper) = (prepared.detector.summary(), prepared.stepper.summary());
        let all = |list: &[Used]| list.iter().map(Used::summary).collect();
        let (others, solvers) = (all(&prepared.others), all(&prepared.solvers));
        Self { detector, others, stepper, solvers, controllers: all(&prepared.controllers) }
    }

    fn all(&self) -> impl Iterator<Item = &PluginUsed> {
        let first = [&self.detector, &self.stepper].into_iter().chain(&self.others);
        first.chain(&self.solvers).chain(&self.controllers)
    }

    /// Returns true if there are as many plugins in every role.
    pub(super) fn has_as_many(&self, other: &Self) -> bool {
        let counts = |begun: &Self| [begun.others.len(), begun.solvers.len(), begun.controllers.len()];
        counts(self) == counts(other)
    }

    /// The first pair of plugins that differ.
    pub(super) fn other<'a>(&'a self, other: &'a Self) -> Option<(&'a PluginUsed, &'a PluginUsed)> {
        self.all().zip(other.all()).find(|(a, b)| a != b)
    }
}

impl Gathered {
    /// Numbers of a run that begins where the simulation stands.
    pub(super) fn of(prepared: &Prepared) -> Self {
        let (simulation, experiment) = (&prepared.simulation, &prepared.loaded.experiment);
        let (initial, h) = (simulation.energy(), simulation.settings.step);
        let mut curve = report::Curve::new((experiment.time.duration / h).ceil() as u64);
        curve.add(simulation.grid_count(), simulation.time(), initial, simulation.q());
        Self {
            referee: RefereeTotals::new(simulation.declared(), limits_of(&experiment.referee)),
            energy: EnergySummary { initial, r#final: initial, max: initial },
            impacts: ImpactSummary::default(),
            max_deviation: 0.0,
            curve,
        }
    }

    /// The state at the end has no step after it whose detection would judge it.
    pub(super) fn judge_end(&mut self, simulation: &mut Simulation) {
        let step = simulation.step_count();
        if step == 0 {
            return;
        }
        match simulation.judge_end() {
            Ok(report) => self.referee.add_end(step, &report, &simulation.last(), &simulation.system),
            Err(failure) => tracing::warn!("contacts at the end could not be judged: {failure}"),
        }
    }
}
