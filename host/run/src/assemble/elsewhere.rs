//! Solvers as they are made here and on other threads: from the same options, for the same system.

use std::sync::Arc;

use vinci_core::StageError;
use vinci_core::model::{System, SystemView};

use crate::used::Used;
use vinci_engine::pipeline::{Bridges, MakeRoute, NamedSolver, SolverRoute};
use vinci_engine::ranking::largest;
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
    let sizes = if chosen { chain.iter().map(|s| largest(&s.id)).collect() } else { Vec::new() };
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
        Arc::new(move || {
            let views = SystemViews::new(&self.system).accepting(self.accepted).prescribing(&self.driven);
            let chain =
                self.solvers.iter().map(|used| made(used, &views.view())).collect::<Result<_, _>>()?;
            let none = || StageError::unsupported("the experiment names no solver");
            Ok(route_of(chain, self.chosen).ok_or_else(none)?.bridged_by(self.bridges.clone()))
        })
    }
}
