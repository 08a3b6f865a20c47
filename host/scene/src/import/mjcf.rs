//! MJCF, MuJoCo's XML: what its own compiler makes of a model, as a tree and what stands around it.
//!
//! Includes, classes of defaults and the settings of the compiler are resolved; masses that a model does not write follow
//! from its geoms. A body with several joints becomes a chain of links, of which the last has its mass, so that M is the
//! same. What is not read is listed.

mod actuators;
mod bodies;
mod compiler;
mod contacts;
mod defaults;
mod document;
mod dropped;
mod equality;
mod geoms;
mod joints;
mod keyframes;
mod masses;
mod mesh_assets;
mod mesh_mass;
mod mesh_state;
mod reader;
mod settings;
mod tendons;
mod values;

use super::model::{Model, ModelOptions};
use super::tag::Tag;
use crate::diagnostics::{Diagnostics, Source};
use defaults::Defaults;
use reader::Reader;
use std::path::Path;
use std::sync::Arc;

/// Reads an MJCF file; `None` when it is none. Errors are in `found`.
pub(super) fn read(
    path: &Path,
    source: &Arc<Source>,
    options: &ModelOptions,
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    let root = document::read(path, source, options, diagnostics)?;
    let defaults = Defaults::of(&root, diagnostics);
    let mut reader = Reader::new(path, options, diagnostics);
    reader.defaults = defaults;
    Some(reader.model(&root))
}

impl Reader<'_> {
    fn model(mut self, root: &Tag) -> Model {
        let place = root.place.clone();
        let called = root.text("model").unwrap_or("mujoco").to_owned();
        self.settings(root);
        self.mesh_assets(root);
        self.note_pairs(root);
        self.world(root);
        self.masses();
        self.robot.has_contacts = self.settings.has_contacts;
        let parts = self.robot.parts();
        let key = self.keyframe(root);
        let controls = key.as_ref().map_or_else(Vec::new, |key| self.controls(key));
        self.actuators(root, &controls);
        self.robot.springs("joint@stiffness (of a ball or free joint)");
        let chain = self.robot.links(&parts);
        self.contacts(root, &parts);
        self.equalities(root);
        if let Some(key) = key {
            self.start_at(&key);
        }
        self.tendons(root);
        self.list_dropped(root);
        self.robot.extras.gravity = self.settings.gravity.clone();
        self.robot.into_model(&called, chain, &place)
    }
}
