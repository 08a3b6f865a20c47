//! The quasi-static MIQP time-stepper: what is driven follows its commands as closely as contact lets it.
//!
//! Bodies that are not driven are in equilibrium at every instant. Driven degrees of freedom are sources of velocity, but
//! soft ones: their velocities are unknowns, and the squared deviation from the commands is what a step minimises over the
//! complementarity conditions of Coulomb friction. Commands that push bodies into each other no longer make the step
//! infeasible, and how far they would have pushed bounds the normal forces from below.
//!
//! - the options are in [`config`];
//! - the problem (23) is in `formulate`, the objectives that make its answer unique in `lexicographic`;
//! - the way back is in `update`, what is remembered from step to step in `memory`.
//!
//! Paper: T. Pang and R. Tedrake, *A robust time-stepping scheme for quasistatic rigid multibody systems*, IROS 2018. See
//! README.md for the formulas and the departures.

mod answer;
pub mod config;
mod formulate;
mod layout;
mod lexicographic;
mod memory;
mod parts;
mod update;

use config::Config;
use formulate::Program;
use layout::directions;
use lexicographic::{Found, Objective};
use memory::Memory;
use parts::Parts;
use vinci_sdk::core::momentum::Momentum;
use vinci_sdk::core::rigid::{Freedom, Undetermined};
use vinci_sdk::prelude::*;

/// The stepper. Between steps it keeps the hypothetical penetrations and the modes of its contacts.
#[derive(Debug)]
pub struct QuasistaticMiqp {
    config: Config,
    /// Prescribed velocities that may deviate from their command.
    driven: Vec<u32>,
    directions: Vec<[f64; 2]>,
    momentum: Momentum,
    equilibrium: Freedom,
    program: Program,
    memory: Memory,
    found: Found,
    end: answer::End,
    objective: Objective,
    /// The next objective, where the host was asked for another round.
    next: Option<Objective>,
    /// Step, attempt and round that was formulated last.
    place: Option<(u64, u32, u32)>,
}

impl QuasistaticMiqp {
    /// Contacts' modes in the memory: normal, friction directions, slip.
    fn stride(&self) -> usize {
        self.directions.len() + 2
    }

    /// Balance, unknown velocities and the check that everything is held by something.
    fn begin(&mut self, step: &StepView<'_>) -> Result<(), StageError> {
        self.memory.begin(step);
        self.momentum.assemble(step, MotionModel::QuasiStatic).map_err(|e| self.equilibrium.named(e))?;
        self.check_motion(step)?;
        self.equilibrium.check(step, &self.momentum, step.contacts.gap)?;
        let (index, driven) = (&self.momentum.index, &self.driven);
        let unknown = |dof: usize| {
            index[dof] != vinci_sdk::core::momentum::NOT_FREE || driven.binary_search(&(dof as u32)).is_ok()
        };
        self.program.velocities.choose(&self.momentum.prescribed, unknown);
        Ok(())
    }

    /// Bodies with another motion model than this stepper's are refused.
    fn check_motion(&self, step: &StepView<'_>) -> Result<(), StageError> {
        if !step.supports.is_empty() {
            return Err(StageError::unsupported("support points are not known to this stepper"));
        }
        let foreign = |b: &usize| self.momentum.motion[*b] != MotionModel::QuasiStatic as u8;
        match (0..step.n_blocks()).find(foreign) {
            Some(block) => Err(self.equilibrium.named(StageError::bad_model(format!(
                "moving body {block} has a motion model of its own; this stepper knows quasi-static motion only"
            )))),
            None => Ok(()),
        }
    }

    /// The objective of this round: the next one where the host was asked for another round of this very step.
    fn turn(&mut self, step: &StepView<'_>) -> Objective {
        let asked = self.next.take();
        let last = self.place.replace((step.step, step.attempt, step.pass));
        let same = last.is_some_and(|(number, attempt, pass)| {
            (number, attempt, pass + 1) == (step.step, step.attempt, step.pass)
        });
        asked.filter(|_| same).unwrap_or_default()
    }
}

impl Stepper for QuasistaticMiqp {
    fn formulate<'s>(&'s mut self, step: &StepView<'_>) -> Result<Problem<'s>, StageError> {
        self.objective = self.turn(step);
        if self.objective == Objective::Commands {
            self.begin(step)?;
        }
        let (config, momentum, directions, past) =
            (&self.config, &self.momentum, &self.directions[..], &self.memory.now);
        let parts = Parts { step, config, momentum, directions, past };
        match self.objective {
            Objective::Commands => self.program.follow_commands(&parts)?,
            Objective::Forces => self.program.least_forces(&parts, &self.found),
            Objective::Motion => self.program.least_motion(&parts, &self.found),
        }
        Ok(Problem::Qpcc(self.program.problem.view()))
    }

    fn update<'s>(
        &'s mut self,
        step: &StepView<'_>,
        solution: &Solution<'_>,
    ) -> Result<Update<'s>, StageError> {
        self.advance(step, solution)
    }

    fn save_state(&self, bytes: &mut Vec<u8>) {
        self.memory.save(bytes);
    }

    fn load_state(&mut self, bytes: &[u8]) -> Result<(), StageError> {
        self.memory = Memory::load(bytes, self.stride())?;
        (self.next, self.place) = (None, None);
        Ok(())
    }
}

impl StepperPlugin for QuasistaticMiqp {
    fn manifest() -> Manifest {
        Manifest::new("vinci.stepper.quasistatic-miqp", Role::Stepper, env!("CARGO_PKG_VERSION"))
            .title("Quasi-static MIQP: commands as closely as contact allows, forces by squeeze")
            .citation("T. Pang, R. Tedrake, IEEE/RSJ IROS 2018, doi 10.1109/iros.2018.8594378")
            .classes(&[ProblemClass::Qpcc])
            .capabilities(&["quasi-static", "deviates"])
            .declares(&["motion=quasi-static", "polygon=@friction_directions"])
            .reads(&["friction", "joint-limits"])
            .ignores(&["restitution", "stiffness where squeeze=none", "damping", "dissipation"])
            .reinterprets(&[
                "stiffness where squeeze=current: contacts are rigid, their forces at least what the commands squeeze",
                "stiffness where squeeze=delayed: contacts are rigid, their forces at least what the last step's commands \
                 squeezed",
            ])
            .refuses(&["joint-friction"])
            .options::<Config>()
    }

    fn create(options: &str, system: &SystemView<'_>) -> Result<Self, StageError> {
        let config = Config::parse(options)?;
        let equilibrium = Freedom::new(Undetermined::Accept, system);
        Ok(Self {
            directions: directions(system.space, config.friction_directions),
            config,
            driven: system.driven.to_vec(),
            momentum: Momentum::default(),
            equilibrium,
            program: Program::default(),
            memory: Memory::default(),
            found: Found::default(),
            end: answer::End::default(),
            objective: Objective::Commands,
            next: None,
            place: None,
        })
    }
}

vinci_sdk::export_plugin!(stepper = QuasistaticMiqp);
