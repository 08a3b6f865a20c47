//! SDFormat (SDF), the format of Gazebo that Drake reads too: models and worlds of them, as one tree and what stands around it.
//!
//! Poses are a graph: every frame is given relative to another one by name. Frames are collected first, names are looked up when
//! all of a model are known, and only then links are placed and joined. What is not read is listed.

mod assembly;
mod collisions;
mod contacts;
mod dropped;
mod files;
mod frames;
mod geometry;
mod joints;
mod links;
mod models;
mod reader;
mod values;

use super::model::{Model, ModelOptions};
use super::tag::Tag;
use crate::diagnostics::{Code, Diagnostics, Source, TextSpan};
use reader::{Context, Reader};
use std::path::Path;
use std::sync::Arc;

/// Acceleration of gravity in worlds that give none, m/s²: the default of the format.
const GRAVITY: [f64; 3] = [0.0, 0.0, -9.8];

/// Reads an SDF file; `None` when it is none. Errors are in `found`.
pub(super) fn read(
    path: &Path,
    source: &Arc<Source>,
    options: &ModelOptions,
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    let before = diagnostics.errors();
    let mut reader = Reader::new(path, options, diagnostics);
    let root = reader.root(path, source)?;
    let minor = reader.version(&root)?;
    let holds = |name: &str| root.named(name).cloned().collect::<Vec<_>>();
    let (worlds, models) = (holds("world"), holds("model"));
    let context = Context::of(path, minor);
    match (&worlds[..], &models[..]) {
        ([world], []) => reader.world(world, &context),
        ([], [model]) => reader.model(model, &context, Default::default()),
        _ => {
            let message = format!("this file holds {} worlds and {} models", worlds.len(), models.len());
            let help = "an SDF file that is read has one <world> or one <model>";
            reader.robot.error(Code::Contradiction, &root.place, message, help);
            return None;
        }
    };
    let called = worlds.iter().chain(&models).find_map(|tag| tag.text("name")).unwrap_or("sdf").to_owned();
    (reader.robot.found.errors() == before).then(|| reader.finish(&called, &root.place))
}

impl Reader<'_> {
    /// The whole robot, once all of its frames are known.
    fn finish(mut self, called: &str, place: &TextSpan) -> Model {
        self.assemble(place);
        self.robot.springs("axis/spring_stiffness (of a ball joint)");
        let parts = self.robot.parts();
        let chain = self.robot.links(&parts);
        self.contacts(&parts);
        self.mimics();
        self.robot.into_model(called, chain, place)
    }

    /// A world: models that stand or move in it.
    fn world(&mut self, tag: &Tag, context: &Context) {
        let place = tag.child("gravity").map_or_else(|| tag.place.clone(), |g| g.place.clone());
        let gravity = self.numbers_in(tag, "gravity", "the world", 3);
        let gravity = gravity.map_or(GRAVITY, |g| [g[0], g[1], g[2]]);
        self.robot.extras.gravity = Some((gravity, place));
        self.content(tag, context);
    }
}
