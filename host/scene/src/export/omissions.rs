//! Parts of a scene that a format does not say.

use super::Subject;

/// Sentences on what is not said, each once.
#[derive(Debug, Clone, Default)]
pub(super) struct Omissions {
    pub(super) list: Vec<String>,
}

impl Omissions {
    pub(super) fn add(&mut self, what: String) {
        if !self.list.contains(&what) {
            self.list.push(what);
        }
    }

    /// Lists the parts of the scene that no format of a model says.
    pub(super) fn rest(&mut self, subject: &Subject<'_>) {
        let Subject { system, drives, controllers, .. } = subject;
        let driven = drives.list.len() + drives.joints.len();
        if driven > 0 {
            self.add(format!("{driven} drives: what they command is a function of time"));
        }
        if *controllers > 0 {
            self.add(format!("{controllers} controllers"));
        }
        if !system.torsion_springs.is_empty() {
            self.add(format!("{} torsion springs", system.torsion_springs.len()));
        }
        if !system.supports.is_empty() {
            self.add(format!("{} support points with their friction", system.supports.len()));
        }
        let named = system.bodies.iter().filter(|body| body.motion.is_some()).count()
            + system.trees.iter().filter(|tree| tree.motion.is_some()).count();
        if named > 0 {
            self.add(format!("motion models of {named} bodies: all are dynamic"));
        }
    }
}
