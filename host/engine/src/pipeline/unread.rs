//! Data that a step reads of an experiment beside another: parameters of which a step reads nothing cost it nothing.

use vinci_core::model::System;
use vinci_core::state::integrate;

use super::simulation::Simulation;
use super::tape::Tape;
use crate::drives::StepEnd;

/// Data in which an experiment differs from another of the same settings and plugins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Apart {
    /// Drives alone: a step reads their forces and velocities at its start and its end, and what they command over it.
    Drives,
    /// Materials and pairs alone: a step reads those of its contacts.
    Materials,
    /// More than that: every step may read it.
    More,
}

impl Simulation {
    /// Data in which this one differs from another of the same settings and plugins.
    pub fn apart_from(&self, other: &Self) -> Apart {
        let starts_alike = self.q() == other.q() && self.v() == other.v();
        let is_led = !(self.controllers.is_empty() && other.controllers.is_empty());
        if is_led || !starts_alike {
            return Apart::More;
        }
        if self.system == other.system && self.drives != other.drives {
            return Apart::Drives;
        }
        let patches =
            !(self.system.materials.patches.is_empty() && other.system.materials.patches.is_empty());
        let mut alike = self.system.clone();
        alike.materials = other.system.materials.clone();
        match alike == other.system && self.drives == other.drives && !patches {
            true => Apart::Materials,
            false => Apart::More,
        }
    }

    /// Returns true if the step on the tape reads nothing here that it does not read in `other`, from which this one is apart as
    /// `apart` says.
    pub fn reads_alike(&self, other: &Self, apart: Apart, tape: &Tape) -> bool {
        match apart {
            Apart::Drives => {
                self.driven_beside(tape).is_some_and(|own| Some(own) == other.driven_beside(tape))
            }
            Apart::Materials => pairs_alike(&self.system, &other.system, tape),
            Apart::More => false,
        }
    }

    /// All that a step on the tape reads of drives; none where they fail.
    fn driven_beside(&self, tape: &Tape) -> Option<Vec<f64>> {
        let (system, start, h) = (&self.system, &tape.start, tape.h);
        let n = start.v.len();
        let mut read = vec![0.0; 5 * n];
        let mut parts = read.chunks_mut(n.max(1));
        let mut next = || parts.next();
        self.drives.commands(system, start.t, h, &start.q, next()?).ok()?;
        if self.settings.drive_speeds {
            self.drives.speeds(system, StepEnd::start(start.t, h), next()?).ok()?;
            self.drives.speeds(system, StepEnd::end(start.t, h), next()?).ok()?;
        }
        let mut q = start.q.clone();
        self.drives.add_forces(system, start.t, &q, &start.v, next()?).ok()?;
        integrate(&system.layout(), &start.q, &start.v, h, &mut q);
        self.drives.add_forces(system, start.t + h, &q, &start.v, next()?).ok()?;
        Some(read)
    }
}

/// Returns true if all contacts of the step have the same pairs in both systems.
fn pairs_alike(a: &System, b: &System, tape: &Tape) -> bool {
    let pair = |system: &System, shapes: [u32; 2]| {
        let [a, b] = shapes.map(|shape| &system.shapes[shape as usize]);
        system.materials.pair((a.material, a.body), (b.material, b.body))
    };
    let keys = tape.contacts().key;
    keys.iter().map(|key| [key.shape_a, key.shape_b]).all(|shapes| pair(a, shapes) == pair(b, shapes))
}
