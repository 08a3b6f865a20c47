//! Planar collision detection: discs, capsules, polygons, half-planes, segments.
//!
//! - [`config`]: options; `build`, `polygon`, `draft`: checked shapes of a scene, `seams`: several polygons as one body;
//! - `store`: all of them in body and world frame; `near`: what of two boundaries matters, who holds or hides a point;
//! - `broad`: sort and sweep over inflated boxes;
//! - `convex`, `concave`, `plane`: all feature pairs of two shapes within the active distance; `hit`: merging and order;
//! - `corner`: alternatives at convex corners;
//! - `detect`: the call.
//!
//! The README says which pairs are contacts and why.

pub mod config;

mod boundary;
mod broad;
mod build;
mod concave;
mod convex;
mod corner;
mod detect;
mod draft;
mod hit;
mod near;
mod plane;
mod polygon;
mod seams;
mod store;
mod vec2;

pub use config::Config;

use vinci_detect::{DetectedContacts, Filter};
use vinci_sdk::prelude::*;

/// The detector of one planar scene.
#[derive(Debug)]
pub struct PlanarDetector {
    names: Vec<String>,
    merge_tolerance: f64,
    corners: config::PolygonCorners,
    /// Sine and cosine of the rotation a step may bring.
    slack: (f64, f64),
    store: store::Store,
    broad: broad::Broad,
    filter: Filter,
    scratch: convex::Scratch,
    near: near::Near,
    axes: corner::Axes,
    hits: hit::Hits,
    report: DetectedContacts,
}

impl DetectorPlugin for PlanarDetector {
    fn manifest() -> Manifest {
        Manifest::new("vinci.detector.planar", Role::Detector, env!("CARGO_PKG_VERSION"))
            .title("Planar contacts: every vertex-edge and vertex-vertex pair within the active distance")
            .licence("MIT OR Apache-2.0")
            .citation("Berard, Trinkle, Nguyen, Roghani, Fink, Kumar (2007), daVinci Code: A multi-model simulation and analysis tool for multi-body systems, ICRA")
            .shapes(&build::KINDS)
            .spaces(&[Space::Planar])
            .capabilities(&["or-groups"])
            .options::<Config>()
    }

    fn create(options: &str, system: &SystemView<'_>) -> Result<Self, StageError> {
        let config: Config = parse_options(options)?;
        config.check()?;
        let store = build::build(system, config.merge_tolerance)?;
        Ok(Self {
            names: system.body_names.iter().map(|n| (*n).to_owned()).collect(),
            merge_tolerance: config.merge_tolerance,
            corners: config.corners,
            slack: config.angle_tolerance.sin_cos(),
            broad: broad::Broad::new(&store),
            store,
            filter: Filter::new(system),
            scratch: convex::Scratch::default(),
            near: near::Near::default(),
            axes: corner::Axes::default(),
            hits: hit::Hits::default(),
            report: DetectedContacts::default(),
        })
    }
}

vinci_sdk::export_plugin!(detector = PlanarDetector);
