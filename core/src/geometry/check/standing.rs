//! Poses of the shapes that belong to contacts.

use crate::geometry::{Placed, Shapes};

/// The shapes of the last contact: contacts come sorted by their shapes, the same two many times.
#[derive(Default)]
pub(super) struct Standing<'a>([Option<(u32, Placed<'a>)>; 2]);

impl<'a> Standing<'a> {
    /// Both shapes of a contact and where they stand. `pose`: of all bodies.
    pub(super) fn place(
        &mut self,
        shapes: &'a Shapes,
        pose: &[f64],
        pair: [u32; 2],
    ) -> Option<[&Placed<'a>; 2]> {
        for (known, shape) in self.0.iter_mut().zip(pair) {
            if known.as_ref().is_none_or(|(last, _)| *last != shape) {
                let solid = shapes.solid(shape)?;
                *known = Some((shape, solid.place(&shapes.frame(pose, solid.body))));
            }
        }
        match &self.0 {
            [Some((_, a)), Some((_, b))] => Some([a, b]),
            _ => None,
        }
    }
}
