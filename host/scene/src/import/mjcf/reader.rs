//! An MJCF file being read: its settings, defaults and meshes beside the robot that it becomes.

use super::defaults::Defaults;
use super::mesh_state::MeshAsset;
use super::settings::Settings;
use crate::diagnostics::{Code, Diagnostics, TextSpan};
use crate::import::model::ModelOptions;
use crate::import::robot::Robot;
use crate::import::tag::Tag;
use nalgebra::{Isometry3, Vector3};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

/// A point with axes on a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site {
    pub(super) body: usize,
    pub(super) pose: Isometry3<f64>,
}

/// An MJCF file being read.
pub(super) struct Reader<'a> {
    pub(super) robot: Robot<'a>,
    pub(super) settings: Settings,
    pub(super) defaults: Defaults,
    pub(super) meshes: BTreeMap<String, MeshAsset>,
    /// Corners of the hulls of meshes; `None` where there is none, which was said.
    pub(super) hulls: BTreeMap<String, Option<Rc<Vec<Vector3<f64>>>>>,
    pub(super) sites: BTreeMap<String, Site>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(path: &'a Path, options: &'a ModelOptions, found: &'a mut Diagnostics) -> Self {
        Self {
            robot: Robot::new(path, options, found),
            settings: Settings::default(),
            defaults: Defaults::default(),
            meshes: BTreeMap::new(),
            hulls: BTreeMap::new(),
            sites: BTreeMap::new(),
        }
    }

    pub(super) fn error(&mut self, code: Code, place: &TextSpan, message: String, help: &str) {
        self.robot.error(code, place, message, help);
    }

    /// Counts a part; false when there are too many, which is said once.
    pub(super) fn count_part(&mut self, place: &TextSpan) -> bool {
        self.robot.count_part(place, "is a <replicate> meant so?")
    }

    /// The name of an element as scenes take it, with what replicates add to it.
    pub(super) fn named(&mut self, what: &str, tag: &Tag, suffix: &str) -> Option<String> {
        let given = tag.text("name")?;
        Some(self.robot.named(what, &format!("{given}{suffix}"), &tag.place_of("name")))
    }
}
