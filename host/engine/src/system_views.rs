//! The unchanging side of a system as plugins see it when they are created.

use vinci_core::model::{ShapeView, System, SystemView};

use crate::drives::Drives;

/// Owns the lists a [`SystemView`] borrows.
pub struct SystemViews<'a> {
    system: &'a System,
    names: Vec<&'a str>,
    is_static: Vec<u8>,
    shapes: Vec<ShapeView<'a>>,
    accepted: u32,
    driven: Vec<u32>,
}

impl<'a> SystemViews<'a> {
    /// Lists for a system.
    pub fn new(system: &'a System) -> Self {
        Self {
            system,
            names: system.bodies.iter().map(|b| b.name.as_str()).collect(),
            is_static: system.bodies.iter().map(|b| u8::from(b.is_static)).collect(),
            shapes: system.shapes.iter().map(|s| s.view()).collect(),
            accepted: 0,
            driven: Vec::new(),
        }
    }

    /// These views for a run whose solvers all take the classes of this set (see [`SystemView::accepted`]).
    pub fn accepting(self, accepted: u32) -> Self {
        Self { accepted, ..self }
    }

    /// These views with the velocities that these drives command.
    pub fn driven_by(self, drives: &Drives) -> Self {
        Self { driven: drives.prescribed(self.system), ..self }
    }

    /// The view.
    pub fn view(&self) -> SystemView<'_> {
        SystemView {
            space: self.system.space,
            body_names: &self.names,
            is_static: &self.is_static,
            shapes: &self.shapes,
            ignored_pairs: &self.system.ignored_pairs,
            nv: self.system.nv() as u32,
            nq: self.system.nq() as u32,
            accepted: self.accepted,
            driven: &self.driven,
        }
    }
}
