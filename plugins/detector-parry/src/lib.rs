//! Spatial collision detection: ball, box, capsule, cylinder, cone, convex hull, triangle mesh and half-space, on
//! parry3d in double precision.
//!
//! One query goes through `detect`: place the shapes (`build` checked and made them), find pairs (`broad`), then per pair
//! the narrow phase (`narrow`), which knows four ways:
//!
//! - a half-space against anything, exactly (`halfspace`),
//! - a ball against anything by closed-form distances (`ball`, `ball_mesh`),
//! - two convex cores: the normal and gap (`separation` on `gjk`), the faces that look at each other (`patch`), and the
//!   contact of every pair of their features (`manifold`), at convex edges with alternatives (`corner`),
//! - a mesh against a convex shape or a mesh, triangle by triangle (`mesh`, `mesh_pair`).
//!
//! parry is named in `convert` alone: BVH, convex hull, EPA. README.md has the formulas, options, guarantees and what was
//! measured.

mod axes;
mod ball;
mod ball_mesh;
mod beside;
mod broad;
mod build;
mod config;
mod convert;
mod corner;
mod detect;
mod feature;
mod gjk;
mod halfspace;
mod manifold;
mod math;
mod mesh;
mod mesh_pair;
mod narrow;
mod patch;
mod polytope;
mod rim;
mod separation;
mod side;
mod solid;

pub use config::{Config, ConvexCorners};

use vinci_sdk::prelude::*;

/// The detector. It keeps no state between queries that could change an answer.
pub struct Parry {
    engine: detect::Engine,
}

impl Parry {
    /// Checks the options and all shapes of the system.
    ///
    /// # Errors
    /// Options out of range, a planar system, a shape that is degenerate or of a kind this detector does not take; the
    /// message names shape and body and says what to do.
    pub fn new(config: &Config, system: &SystemView<'_>) -> Result<Self, StageError> {
        detect::Engine::new(config, system).map(|engine| Self { engine })
    }
}

impl Detector for Parry {
    fn detect<'s>(&'s mut self, query: &DetectQuery<'_>) -> Result<RawContacts<'s>, StageError> {
        self.engine.detect(query)
    }
}

impl DetectorPlugin for Parry {
    fn manifest() -> Manifest {
        Manifest::new("vinci.detector.parry", Role::Detector, env!("CARGO_PKG_VERSION"))
            .title("Spatial contacts between convex shapes, meshes and half-spaces, on parry3d in double precision")
            .licence("MIT OR Apache-2.0")
            .citation("Gilbert, Johnson & Keerthi 1988, IEEE Journal of Robotics and Automation 4:193")
            .citation("van den Bergen 2003, Collision Detection in Interactive 3D Environments")
            .citation("dimforge, parry3d-f64 0.31 (Apache-2.0)")
            .shapes(&build::KINDS)
            .spaces(&[Space::Spatial])
            .capabilities(&["or-groups"])
            .options::<Config>()
    }

    fn create(options: &str, system: &SystemView<'_>) -> Result<Self, StageError> {
        Self::new(&parse_options(options)?, system)
    }
}

vinci_sdk::export_plugin!(detector = Parry);
