//! Taking snapshots of a simulation, and coming back to them.

use vinci_core::StageError;
use vinci_core::lists::copy;

use super::passing::Passing;
use super::simulation::Simulation;
use super::state::Snapshot;

/// States that plugins take over from another simulation; nothing for one that begins anew.
#[derive(Debug, Clone, Default)]
pub struct Carried {
    /// States of the detector, the stepper and each solver of the chain.
    pub plugins: Vec<Option<Vec<u8>>>,
    /// States of the controllers that are plugins.
    pub stages: Vec<Option<Vec<u8>>>,
}

impl Simulation {
    /// All that is needed to come back to this very state.
    pub fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot::default();
        self.snapshot_into(&mut snapshot);
        snapshot
    }

    /// Takes a snapshot into memory that is there.
    pub fn snapshot_into(&self, to: &mut Snapshot) {
        to.state.assign(&self.state);
        copy(&mut to.controllers, self.controllers.state());
        self.controllers.save_stages(&mut to.stages);
        to.referee.clone_from(&self.judge.referee.memory);
        to.plugins.resize_with(2 + self.solvers.len(), Vec::new);
        to.plugins.iter_mut().for_each(Vec::clear);
        self.detector.save_state(&mut to.plugins[0]);
        self.stepper.save_state(&mut to.plugins[1]);
        self.solvers.save_states(&mut to.plugins[2..]);
    }

    /// Back to a saved state, plugins included.
    ///
    /// # Errors
    /// A plugin that refuses its state.
    pub fn restore(&mut self, from: &Snapshot) -> Result<(), StageError> {
        self.detector.load_state(&from.plugins[0])?;
        self.stepper.load_state(&from.plugins[1])?;
        self.solvers.load_states(&from.plugins[2..])?;
        self.controllers.load_stages(&from.stages)?;
        self.state.assign(&from.state);
        self.controllers.set_state(&from.controllers);
        self.controllers.lead(&mut self.drives);
        self.judge.referee.memory.clone_from(&from.referee);
        Ok(())
    }

    /// Takes over where another simulation of the same layout stands. A plugin whose state is not carried over begins anew; a controller
    /// is then asked at once.
    ///
    /// # Errors
    /// A plugin that refuses its state.
    pub fn adopt(&mut self, from: &Snapshot, carried: Carried) -> Result<(), StageError> {
        let (fresh, mut controllers) = (self.snapshot(), from.controllers.clone());
        self.controllers.asked_anew(&mut controllers, |k| carried.stages.get(k).is_none_or(Option::is_none));
        let over = |own: Vec<Vec<u8>>, carried: Vec<Option<Vec<u8>>>| {
            let carried = carried.into_iter().chain(std::iter::repeat(None));
            own.into_iter().zip(carried).map(|(own, carried)| carried.unwrap_or(own)).collect()
        };
        let (plugins, stages) = (over(fresh.plugins, carried.plugins), over(fresh.stages, carried.stages));
        self.restore(&Snapshot { plugins, stages, controllers, ..from.clone() })?;
        // Shapes and materials may be others: what was seen before says nothing of them.
        self.judge.referee.memory.forget_places();
        self.state.passing = Passing::default();
        Ok(())
    }
}
