//! A run that can start: the plugins, the simulation, and everything that is to be done with it.

use crate::physics::Physics;
use crate::pictures::Pictures;
use crate::route::EmittedClasses;
use crate::scheduled_events::ScheduledEvents;
use crate::used::Used;
use vinci_abi::load::LoadedPlugin;
use vinci_engine::pipeline::Simulation;
use vinci_engine::ranking::chain_sentence;
use vinci_scene::Loaded;
use vinci_scene::diagnostics::Diagnostics;

/// A run that can start.
pub struct Prepared {
    /// The experiment.
    pub loaded: Loaded,
    /// The detector.
    pub detector: Used,
    /// Detectors for pairs of shapes that the ones before do not know.
    pub others: Vec<Used>,
    /// The stepper.
    pub stepper: Used,
    /// The solver and its fallbacks.
    pub solvers: Vec<Used>,
    /// Controllers of the experiment.
    pub controllers: Vec<Used>,
    /// How problems travel.
    pub route: EmittedClasses,
    /// The simulation at t = 0.
    pub simulation: Simulation,
    /// The pictures it is asked for.
    pub pictures: Pictures,
    /// Findings that do not stop the run.
    pub warnings: Diagnostics,
    /// How the stepper reads the physics of the scene.
    pub physics: Physics,
    /// Events that change it while it runs.
    pub scheduled: ScheduledEvents,
}

impl Prepared {
    /// The libraries of its plugins.
    pub(crate) fn plugins(&self) -> Vec<LoadedPlugin> {
        let Self { detector, others, stepper, solvers, controllers, .. } = self;
        let all = [detector, stepper].into_iter().chain(others).chain(solvers).chain(controllers);
        all.map(|used| used.plugin.clone()).collect()
    }

    /// Which solvers the host chose and up to which size, where the experiment left that to it with `auto`.
    pub fn chosen(&self) -> Option<String> {
        let chain: Vec<&str> = self.solvers.iter().map(|s| s.manifest.id.as_str()).collect();
        self.loaded.chosen_for.is_some().then(|| chain_sentence(&chain))
    }
}
