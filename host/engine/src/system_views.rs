//! The unchanging side of a system as plugins see it when they are created.

use std::collections::BTreeMap;

use vinci_core::model::{NO_COORDINATE, ShapeView, System, SystemView};

use crate::drives::Drives;
use crate::labels;

/// Owns the lists a [`SystemView`] borrows.
pub struct SystemViews<'a> {
    system: &'a System,
    names: Vec<&'a str>,
    is_static: Vec<u8>,
    shapes: Vec<ShapeView<'a>>,
    accepted: u32,
    driven: Vec<u32>,
}

/// Lists that a controller is told of its system beside those of all plugins: names and coordinates of the degrees of freedom, and which it
/// governs.
#[derive(Debug, Clone, Default)]
pub struct GovernedViews {
    names: Vec<String>,
    coordinate: Vec<u32>,
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

    /// These views with the velocities of this list commanded: [`Drives::prescribed`], for who has the list and not the drives.
    pub fn prescribing(self, driven: &[u32]) -> Self {
        Self { driven: driven.to_vec(), ..self }
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
            ..SystemView::NOTHING
        }
    }
}

impl GovernedViews {
    /// Lists for a system.
    pub fn new(system: &System) -> Self {
        let labels = labels::displacements(system);
        let places = coordinates(system);
        let names: Vec<String> = labels.iter().map(ToString::to_string).collect();
        let coordinate =
            names.iter().map(|name| places.get(name).copied().unwrap_or(NO_COORDINATE)).collect();
        Self { names, coordinate }
    }

    /// Names of the degrees of freedom, `BODY.x`, `BODY.rx`, `TREE.JOINT.q`.
    pub fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    /// The view of a controller that puts forces along some velocities and leads the drives of others.
    pub fn view<'v>(
        &'v self,
        of: &SystemView<'v>,
        names: &'v [&'v str],
        [efforts, set_points]: [&'v [u32]; 2],
    ) -> SystemView<'v> {
        SystemView { dof_names: names, dof_coordinate: &self.coordinate, efforts, set_points, ..*of }
    }
}

/// Where in q every coordinate stands, by its name.
fn coordinates(system: &System) -> BTreeMap<String, u32> {
    let names = (0..system.n_blocks()).flat_map(|block| {
        let [places, _] = labels::block(system, block);
        places
    });
    names.zip(0..).map(|(label, k)| (label.to_string(), k)).collect()
}
