//! The Song-Pang-Kumar time-stepper: rigid cores with thin visco-elastic layers at their contacts.
//!
//! Every contact is a node (or an edge of several) with a local deformation δ and the law λ = K δ + C δ̇; what must not
//! overlap are the *deformed* surfaces, and friction acts on the slip of those surfaces. Eliminating δ⁺ leaves the problem
//! of Stewart and Trinkle with a compliance S/h² on the rows of contacts: forces are unique, jammed bodies have them too,
//! restitution and micro-slip are outcomes.
//!
//! - the options are in [`config`];
//! - `nodes` groups contacts into patches, `layers` has K, C, S and the deformations, `state` keeps them;
//! - `step_size` shortens steps before a contact begins and while it lasts;
//! - the rows are in [`formulate`] (`full`: with δ⁺ as unknowns), the way back in [`update`].
//!
//! Paper: P. Song, J.-S. Pang and V. Kumar, Int. J. Numer. Meth. Engng 60 (2004) 2231, as used by S. Berard et al., ICRA
//! 2007 (dVC), section IV-A. The equations here are derived in README.md.

mod answer;
pub mod config;
pub mod formulate;
mod full;
mod layers;
mod matrix;
mod nodes;
mod seams;
mod state;
mod step_size;
pub mod update;

use config::Config;
use vinci_sdk::core::rigid::RigidStep;
use vinci_sdk::prelude::*;

/// The stepper. Between steps it keeps the deformations of the nodes.
#[derive(Debug)]
pub struct SongPangKumar {
    config: Config,
    rigid: RigidStep,
    state: state::State,
    nodes: nodes::Nodes,
    layers: layers::Layers,
    step_size: step_size::StepSize,
    full: full::Full,
    host_contacts: answer::HostContacts,
    /// Step of the problem formulated last, s.
    h: f64,
    /// Shorter step the host is asked to try, s, or 0.
    retry: f64,
}

impl Stepper for SongPangKumar {
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

    fn save_state(&self, bytes: &mut Vec<u8>) {
        self.state.save(bytes);
    }

    fn load_state(&mut self, bytes: &[u8]) -> Result<(), StageError> {
        self.state = state::State::load(bytes)?;
        Ok(())
    }
}

impl StepperPlugin for SongPangKumar {
    fn manifest() -> Manifest {
        Manifest::new("vinci.stepper.song-pang-kumar", Role::Stepper, env!("CARGO_PKG_VERSION"))
            .title("Song-Pang-Kumar: visco-elastic layers at contacts, Coulomb friction")
            .citation("P. Song, J.-S. Pang, V. Kumar, Int. J. Numer. Meth. Engng 60 (2004) 2231-2261")
            .classes(&[ProblemClass::Mlcp, ProblemClass::Cone])
            .capabilities(&[
                "dynamic",
                "first-order",
                "quasi-static",
                "quasi-dynamic",
                "supports",
                "compliant",
                "state-numbers",
            ])
            .declares(&[
                "law=layers",
                "own-slip-rate",
                "tangential-ratio=@tangential_ratio",
                "nodes=@nodes",
                "layer-coupling=@coupling",
                "coupling-length=@coupling_length|0.01",
                "half-space=@half_space",
                "layer-matrix=@K",
                "layer-damping=@C",
                "motion=@motion",
                "polygon=@friction_directions",
            ])
            .reads(&["friction", "stiffness", "damping", "joint-friction", "joint-limits"])
            .ignores(&["restitution", "dissipation"])
            .options::<Config>()
    }

    fn create(options: &str, system: &SystemView<'_>) -> Result<Self, StageError> {
        let config = Config::parse(options)?;
        config.check_space(system.space)?;
        let rigid = RigidStep::new(config.motion.into(), config.law(system), system.space)
            .undetermined(config.undetermined.into(), system);
        Ok(Self {
            config,
            rigid,
            state: state::State::default(),
            nodes: nodes::Nodes::default(),
            layers: layers::Layers::default(),
            step_size: step_size::StepSize::default(),
            full: full::Full::default(),
            host_contacts: answer::HostContacts::default(),
            h: 0.0,
            retry: 0.0,
        })
    }
}

vinci_sdk::export_plugin!(stepper = SongPangKumar);
