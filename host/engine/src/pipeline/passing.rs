//! Passing through: whether an accepted step carried a body across another.
//!
//! The geometry is core's ([`Shapes::pass`]), which follows the motion with distances of its own: no detector is asked, so
//! none can hide a passage, and no detector's state is touched.

use nalgebra::Vector3;
use vinci_core::contact::Contacts;
use vinci_core::geometry::{Pass, Shapes};
use vinci_core::model::{Frames, MotionSource, System};

/// A body carried across another within a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassedThrough {
    /// Body of the shape with the lower index.
    pub body_a: u32,
    /// The other body.
    pub body_b: u32,
    /// Time from the start of the step at which they met, s.
    pub after: f64,
    /// The passage as core found it: shapes, times as shares of the step, depth, thickness.
    pub pass: Pass,
}

impl PassedThrough {
    /// Depth as a share of the thickness of the thinner body; ∞ for bodies without any.
    pub fn share(&self) -> f64 {
        let crossing = &self.pass.crossing;
        if crossing.thickness > 0.0 { crossing.depth / crossing.thickness } else { f64::INFINITY }
    }
}

/// Remembers where a step began, and judges it where it ends. Keeps its memory.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Passing {
    from: Vec<f64>,
    margin: Vec<f64>,
    /// Shapes of the contacts at the start and their gaps, m.
    near: Vec<(u32, u32, f64)>,
}

impl Passing {
    /// Takes down the start of a step: poses, contacts and active distances there.
    pub fn begin(&mut self, frames: &Frames, contacts: &Contacts<'_>, margin: &[f64]) {
        self.from.clear();
        self.from.extend_from_slice(frames.poses());
        self.margin.clear();
        self.margin.extend_from_slice(margin);
        self.near.clear();
        let pairs = contacts.key.iter().zip(contacts.gap);
        self.near.extend(pairs.map(|(key, gap)| (key.shape_a, key.shape_b, *gap)));
    }

    /// The step from there to where `frames` stand now, of size h, which ended with the velocities v: frames and velocities
    /// are those of the end. What went deepest, if anything was carried across anything.
    pub fn end(
        &self,
        shapes: &Shapes,
        system: &System,
        frames: &Frames,
        v: &[f64],
        h: f64,
    ) -> Option<PassedThrough> {
        let to = frames.poses();
        let spin = |body: u32| -> Vector3<f64> { system.body_velocity(body, v, frames).1 * h };
        let is_of_it = self.from.len() == to.len() && self.margin.len() == system.bodies.len();
        if !is_of_it || !shapes.may_cross(&self.from, to, spin) {
            return None;
        }
        let is_link = |body: u32| matches!(system.motion_source(body), MotionSource::Link { .. });
        let pass = shapes.pass(&self.from, to, (spin, is_link), self.near.iter().copied(), &self.margin)?;
        let body = |shape: u32| shapes.solid(shape).map_or(u32::MAX, |s| s.body);
        let (body_a, body_b) = (body(pass.shape_a), body(pass.shape_b));
        Some(PassedThrough { body_a, body_b, after: pass.crossing.entry * h, pass })
    }
}
