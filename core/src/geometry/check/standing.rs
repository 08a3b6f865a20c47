//! Poses of the shapes that belong to contacts.

use crate::geometry::{Placed, Shapes};

/// The shapes of the last contact: contacts come sorted by their shapes, the same two many times.
#[derive(Default)]
pub(super) struct Standing<'a>([Option<(u32, Placed<'a>)>; 2]);

impl<'a> Standing<'a> {
    /// A shape and where it stands; `side`: 0 for shape a of a contact, 1 for b. `pose`: of all bodies.
    pub(super) fn place(
        &mut self,
        shapes: &'a Shapes,
        pose: &[f64],
        (shape, side): (u32, usize),
    ) -> Option<Placed<'a>> {
        let found = self.0.iter().flatten().find(|known| known.0 == shape).map(|known| known.1);
        let new = || {
            let solid = shapes.solid(shape)?;
            Some(solid.place(&shapes.frame(pose, solid.body)))
        };
        let placed = found.or_else(new)?;
        self.0[side] = Some((shape, placed));
        Some(placed)
    }
}
