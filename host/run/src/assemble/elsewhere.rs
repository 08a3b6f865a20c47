//! Solvers as they are made here and on other threads: from the same options, for the same system.

use std::sync::Arc;

use vinci_core::StageError;
use vinci_core::model::{System, SystemView};

use crate::used::Used;
use vinci_engine::pipeline::{Bridges, MakeRoute, NamedSolver, RaceEntrant, SolverRoute};
use vinci_engine::ranking::sizes_of;
use vinci_engine::registry::classes;
use vinci_engine::system_views::SystemViews;

/// The instance of a solver.
pub(super) fn made(used: &Used, view: &SystemView<'_>) -> Result<NamedSolver, StageError> {
    let solver = used.plugin.create_solver(&used.options, view)?;
    let (id, takes) = (used.manifest.id.clone(), classes(&used.manifest));
    Ok(NamedSolver { id, takes, solver: Box::new(solver) })
}

/// The route to a chain of at least one solver; by size where the host chose them.
pub(super) fn route_of(mut chain: Vec<NamedSolver>, chosen: bool) -> Option<SolverRoute> {
    let ids: Vec<&str> = chain.iter().map(|s| s.id.as_str()).collect();
    let sizes = if chosen { sizes_of(&ids) } else { Vec::new() };
    let first = (!chain.is_empty()).then(|| chain.remove(0))?;
    Some(SolverRoute::new(first, chain).sized(sizes))
}

/// All that solvers are made of, for threads that make their own.
pub(super) struct MadeElsewhere {
    solvers: Vec<Used>,
    system: System,
    accepted: u32,
    driven: Vec<u32>,
    bridges: Bridges,
    chosen: bool,
}

impl MadeElsewhere {
    /// Plugins and options of the host's own solvers, and their bridges.
    pub(super) fn of(
        (solvers, view): (&[Used], &SystemView<'_>),
        system: &System,
        bridges: &Bridges,
        chosen: bool,
    ) -> Self {
        Self {
            solvers: solvers.to_vec(),
            system: system.clone(),
            accepted: view.accepted,
            driven: view.driven.to_vec(),
            bridges: bridges.clone(),
            chosen,
        }
    }

    /// The maker of routes.
    pub(super) fn route(self) -> MakeRoute {
        Arc::new(move || self.made(&self.solvers))
    }

    /// The entrants of a race of all solvers, each in processes of its own.
    ///
    /// # Errors
    /// The first solver that is in this process.
    pub(super) fn entrants(self) -> Result<Vec<Arc<dyn RaceEntrant>>, String> {
        let all = Arc::new(self);
        let entrant = |used: &Used| {
            let plugin = used.plugin.alone().ok_or_else(|| used.manifest.id.clone())?;
            let used = Used { plugin, ..used.clone() };
            Ok(Arc::new(AnEntrant { used, all: all.clone() }) as Arc<dyn RaceEntrant>)
        };
        all.solvers.iter().map(entrant).collect()
    }

    fn made(&self, solvers: &[Used]) -> Result<SolverRoute, StageError> {
        let views = SystemViews::new(&self.system).accepting(self.accepted).prescribing(&self.driven);
        let chain = solvers.iter().map(|used| made(used, &views.view())).collect::<Result<_, _>>()?;
        let none = || StageError::unsupported("the experiment names no solver");
        Ok(route_of(chain, self.chosen).ok_or_else(none)?.bridged_by(self.bridges.clone()))
    }
}

/// A solver of a race.
struct AnEntrant {
    used: Used,
    all: Arc<MadeElsewhere>,
}

impl RaceEntrant for AnEntrant {
    fn make(&self) -> Result<SolverRoute, StageError> {
        self.all.made(std::slice::from_ref(&self.used))
    }

    fn stop(&self) {
        self.used.plugin.stop();
    }

    fn unreported(&self) -> Vec<StageError> {
        self.used.plugin.unreported()
    }
}
