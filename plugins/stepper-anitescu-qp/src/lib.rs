//! Anitescu's convex time-stepper, as Pang and Tedrake use it for manipulation: every step is a convex program
//!
//! min ½ vᵀA v − bᵀv subject to φ_i/h + (J_n,i + μ_i J_d,ij) v ≥ 0,
//!
//! whose multipliers are the impulses along the extreme rays of the friction cones.
//!
//! - [`config`]: the options;
//! - `balance`: (A, b), robots without mass, scaled masses;
//! - `rows`: the program;
//! - `equilibrium`: whether it has a lowest value; `choice`: whether it has one answer;
//! - [`formulate`] and [`update`]: there and back;
//! - `repair`: De Saxcé's fixed point, which makes Coulomb's law of it;
//! - `barrier`, `phase_one`, `smooth`: a log barrier in the place of the rows;
//! - `gradient`: derivatives of the step.
//!
//! README.md has the formulas, the guarantees and the limits.

mod answer;
mod balance;
mod barrier;
mod choice;
pub mod config;
mod equilibrium;
pub mod formulate;
mod gradient;
mod phase_one;
mod repair;
mod rows;
mod smooth;
pub mod update;

use answer::Gradient;
use balance::Balance;
use config::Config;
use repair::Repair;
use rows::{Directions, Program};
use smooth::Smooth;
use vinci_sdk::core::rigid::Freedom;
use vinci_sdk::prelude::*;

/// The stepper. Nothing lasts from step to step but memory.
#[derive(Debug)]
pub struct AnitescuQp {
    config: Config,
    balance: Balance,
    freedom: Freedom,
    program: Program,
    repair: Repair,
    smooth: Option<Smooth>,
    gradient: Gradient,
    /// Constant of every contact's normal row without shift, m/s.
    constant: Vec<f64>,
    shifted: Vec<f64>,
    out: answer::Out,
}

impl Stepper for AnitescuQp {
    fn formulate<'s>(&'s mut self, step: &StepView<'_>) -> Result<Problem<'s>, StageError> {
        self.assemble(step)
    }

    fn update<'s>(
        &'s mut self,
        step: &StepView<'_>,
        solution: &Solution<'_>,
    ) -> Result<Update<'s>, StageError> {
        self.advance(step, solution)
    }
}

impl StepperPlugin for AnitescuQp {
    fn manifest() -> Manifest {
        Manifest::new("vinci.stepper.anitescu-qp", Role::Stepper, env!("CARGO_PKG_VERSION"))
            .title("Anitescu's convex programs: quasi-static, quasi-dynamic and dynamic")
            .citation("M. Anitescu, Math. Programming 105 (2006) 113-143")
            .citation("T. Pang, R. Tedrake, A convex quasistatic time-stepping scheme, ICRA 2021")
            .citation("T. Pang, H. J. T. Suh, L. Yang, R. Tedrake, IEEE Trans. Robotics 39 (2023) 4691-4711")
            .classes(&[ProblemClass::Conic, ProblemClass::Root])
            .capabilities(&["dynamic", "quasi-static", "quasi-dynamic", "derivatives"])
            .declares(&["law=convex", "repair=@repair", "motion=@motion", "scaled-mass", "polygon=@friction_directions", "barrier=@smoothing.kappa"])
            .reads(&["friction", "joint-limits"])
            .ignores(&["restitution", "stiffness", "damping", "dissipation"])
            .reinterprets(&[
                "friction where smoothing: softened by the log barrier {smoothing}, contacts push at a distance",
                "friction where repair=none: relaxed, a contact that slides at v_t hovers at h μ |v_t|; where a slide begins it is thrown up at μ |v_t| whatever the step",
                "friction where repair=lagged: repaired with the slip of the step before",
            ])
            .refuses(&["joint-friction"])
            .options::<Config>()
    }

    fn create(options: &str, system: &SystemView<'_>) -> Result<Self, StageError> {
        let config = Config::parse(options)?;
        let program = Program {
            directions: Directions::new(system.space, config.friction_directions),
            cones: config.cones(system),
            ..Program::default()
        };
        Ok(Self {
            freedom: Freedom::new(config.undetermined.into(), system),
            smooth: config.smooth_weight().map(Smooth::new),
            program,
            config,
            balance: Balance::default(),
            repair: Repair::default(),
            gradient: Gradient::default(),
            constant: Vec::new(),
            shifted: Vec::new(),
            out: answer::Out::default(),
        })
    }
}

vinci_sdk::export_plugin!(stepper = AnitescuQp);
