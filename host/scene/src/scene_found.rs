//! A scene as a document has it, checked.

use super::checking::{Schemas, checked_scene};
use super::node::Node;
use super::types::Scene;
use crate::diagnostics::Diagnostics;
use crate::import::expand_models;

/// A scene document with its robots in it, its values, and what was found wrong.
#[derive(Debug, Clone)]
pub(super) struct SceneFound {
    pub(super) node: Node,
    /// None where it cannot be used.
    pub(super) scene: Option<Scene>,
    pub(super) findings: Diagnostics,
}

impl SceneFound {
    pub(super) fn of(mut node: Node, schemas: &Schemas) -> Self {
        let mut findings = Diagnostics::new();
        expand_models(&mut node, &mut findings);
        let scene = checked_scene(&node, schemas, &mut findings);
        Self { node, scene, findings }
    }
}
