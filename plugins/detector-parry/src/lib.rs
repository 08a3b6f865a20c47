//! Spatial collision detection on parry3d in double precision.

mod ball;
mod ball_mesh;
mod broad;
mod build;
mod config;
mod convert;
mod detect;
mod gjk;
mod halfspace;
mod manifold;
mod math;
mod mesh;
mod mesh_pair;
mod narrow;
mod patch;
mod polytope;
mod separation;
mod solid;

pub use config::Config;

use vinci_core::contact::RawContacts;
use vinci_core::error::StageError;
use vinci_core::model::SystemView;
use vinci_core::stage::{DetectQuery, Detector};

/// The detector.
pub struct Parry {
    engine: detect::Engine,
}

impl Parry {
    /// Checks the options and all shapes of the system.
    pub fn new(config: &Config, system: &SystemView<'_>) -> Result<Self, StageError> {
        detect::Engine::new(config, system).map(|engine| Self { engine })
    }
}

impl Detector for Parry {
    fn detect<'s>(&'s mut self, query: &DetectQuery<'_>) -> Result<RawContacts<'s>, StageError> {
        self.engine.detect(query)
    }
}
