//! Contacts of implicit convex surfaces: superellipses, superellipsoids and ellipsoids among themselves and against
//! half-spaces, polygons, boxes, hulls, balls and capsules.
//!
//! - [`Config`]: options; `build`, `polytope`, `solid`, `superquadric`: checked shapes by their support functions;
//! - `broad`: sort and sweep over balls; `halfspace`: heights over a plane;
//! - `pair`: two shapes and a direction; `newton`: the common normal where all is smooth; `chart` and `kkt`: in
//!   parameters of the surfaces where it is not; `arc`: a bracketed search that asks for nothing; `tiles`: the shortest of
//!   several ways out; `separation`: which of them;
//! - `memory`: the normals of last time; `detect`: the call.
//!
//! README.md has the formulas, what is guaranteed, and what was measured.

mod arc;
mod broad;
mod build;
mod chart;
mod config;
mod detect;
mod halfspace;
mod kkt;
mod memory;
mod newton;
mod pair;
mod polytope;
mod separation;
mod solid;
mod superquadric;
mod tiles;

pub use config::{Config, PolytopePairs};

use vinci_sdk::prelude::*;

/// The detector of one scene.
pub struct Implicit {
    engine: detect::Engine,
}

impl Implicit {
    /// Checks all shapes of the system.
    ///
    /// # Errors
    /// A shape that is degenerate, not convex or of a kind this detector does not take; two shapes with corners that may
    /// meet (see [`PolytopePairs`]). The message names shape and body and says what to do.
    pub fn new(config: &Config, system: &SystemView<'_>) -> Result<Self, StageError> {
        let shapes = build::shapes(system, config.polytope_pairs)?;
        Ok(Self { engine: detect::Engine::new(system, shapes) })
    }

    /// The growth distance σ* of shapes i and j at the poses of the last query: scaled by σ* about their origins they touch.
    /// `None` for half-spaces, for shapes whose origins coincide, and where the search finds none.
    pub fn growth(&self, i: usize, j: usize) -> Option<f64> {
        self.engine.growth(i, j)
    }
}

impl Detector for Implicit {
    fn detect<'s>(&'s mut self, query: &DetectQuery<'_>) -> Result<RawContacts<'s>, StageError> {
        self.engine.detect(query)
    }

    fn save_state(&self, bytes: &mut Vec<u8>) {
        self.engine.memory.save(bytes);
    }

    fn load_state(&mut self, bytes: &[u8]) -> Result<(), StageError> {
        let shapes = self.engine.len();
        self.engine.memory.load(bytes, shapes)
    }
}

impl DetectorPlugin for Implicit {
    fn manifest() -> Manifest {
        Manifest::new("vinci.detector.implicit", Role::Detector, env!("CARGO_PKG_VERSION"))
            .title("Contacts of superellipses, superellipsoids and ellipsoids, among themselves and with convex solids")
            .licence("MIT OR Apache-2.0")
            .citation("Berard, Trinkle, Nguyen, Roghani, Fink, Kumar (2007), daVinci Code: A multi-model simulation and analysis tool for multi-body systems, ICRA")
            .citation("Chakraborty, Peng, Akella, Mitchell (2006), Proximity queries between convex objects: an interior point approach for implicit surfaces, ICRA")
            .shapes(&build::KINDS)
            .spaces(&[Space::Planar, Space::Spatial])
            .capabilities(&["no-polytope-pairs"])
            .options::<Config>()
    }

    fn create(options: &str, system: &SystemView<'_>) -> Result<Self, StageError> {
        Self::new(&parse_options(options)?, system)
    }
}

vinci_sdk::export_plugin!(detector = Implicit);
