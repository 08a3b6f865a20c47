//! Springs and joints: something at one of their ends must move.

use super::super::path::{Path, at};
use super::super::types::Scene;
use super::Lint;
use crate::diagnostics::Code;
use std::collections::BTreeSet;

impl Lint<'_> {
    /// Springs and joints between static bodies and the world only.
    pub(super) fn links(&mut self, scene: &Scene) {
        let fixed = scene.bodies.iter().filter(|b| b.is_static);
        let fixed: BTreeSet<&str> = fixed.map(|b| b.name.as_str()).collect();
        // A body that is not there is another finding.
        let rests = |name: &Option<String>| name.as_deref().is_none_or(|name| fixed.contains(name));
        let mut check = |ends: &[Option<String>; 2], path: Path, what: &str| {
            // The world with itself, a body with itself: a finding of names.
            if ends[0] != ends[1] && ends.iter().all(rests) {
                let message = format!("the {what} joins nothing that moves");
                self.error(
                    &path,
                    Code::Contradiction,
                    message,
                    "name a body that is not static, or leave it out",
                );
            }
        };
        for (i, spring) in scene.springs.iter().enumerate() {
            check(&spring.bodies, at!["springs", i, "bodies"], "spring");
        }
        for (i, spring) in scene.torsion_springs.iter().enumerate() {
            check(&spring.bodies, at!["torsion_springs", i, "bodies"], "torsion spring");
        }
        for (i, joint) in scene.joints.iter().enumerate() {
            check(&joint.bodies, at!["joints", i, "bodies"], "joint");
        }
    }
}
