//! Meshes of a model, each read once.

use super::mesh_mass::MeshMass;
use crate::import::meshes::Surface;
use crate::import::tag::Tag;
use std::rc::Rc;

/// A `<mesh>` of the assets; read when a geom needs it.
#[derive(Debug, Clone)]
pub(super) struct MeshAsset {
    pub(super) tag: Rc<Tag>,
    pub(super) state: State,
}

#[derive(Debug, Clone)]
pub(super) enum State {
    Unread,
    Broken,
    Read(Rc<ReadMesh>),
}

/// A mesh as its geoms use it, in the frame of the geom.
#[derive(Debug)]
pub(super) struct ReadMesh {
    pub(super) surface: Surface,
    pub(super) mass: MeshMass,
}
