//! Placement of the shapes of a query, and the errors for those that it places nowhere.

use crate::frame::Frame;
use vinci_core::error::{ErrorKind, StageError};
use vinci_core::model::{Space, SystemView};
use vinci_core::stage::DetectQuery;

/// The frames of all shapes in the world.
#[derive(Debug, Clone)]
pub struct Placement {
    space: Space,
    names: Vec<String>,
    bodies: Vec<Frame>,
    /// Body of every shape, and the shape's frame there.
    shapes: Vec<(u32, Frame)>,
    /// Frame of every shape in the world.
    frames: Vec<Frame>,
}

impl Placement {
    /// A placement of the shapes of a system: of each the body it belongs to, which must exist, and its frame in that of the body. All
    /// shapes are at the world's origin until [`Placement::place`].
    pub fn new(system: &SystemView<'_>, shapes: impl IntoIterator<Item = (u32, Frame)>) -> Self {
        let shapes: Vec<_> = shapes.into_iter().collect();
        Self {
            space: system.space,
            names: system.body_names.iter().map(|n| (*n).to_owned()).collect(),
            bodies: vec![Frame::default(); system.n_bodies()],
            frames: vec![Frame::default(); shapes.len()],
            shapes,
        }
    }

    /// Checks a query and places all shapes where it says.
    ///
    /// # Errors
    /// `BadInput` where the lengths of poses and margins are not those of the system; `NonFinite` where a pose is none (see
    /// [`Frame::from_pose`]) or a margin is negative or not finite. The message names the body, and `demand` ("all must be
    /// finite, …") is what it says that poses and margins must be.
    ///
    /// # Panics
    /// If a shape was given to a body that does not exist.
    pub fn place(&mut self, query: &DetectQuery<'_>, demand: &str) -> Result<(), StageError> {
        let (n, nq) = (self.bodies.len(), self.space.nq());
        if query.pose.len() != nq * n || query.margin.len() != n {
            let (poses, margins) = (query.pose.len(), query.margin.len());
            return Err(StageError::bad_input(format!(
                "{n} bodies need {} pose coordinates and {n} margins, got {poses} and {margins}",
                nq * n
            )));
        }
        for i in 0..n {
            let (pose, margin) = (&query.pose[nq * i..nq * (i + 1)], query.margin[i]);
            let frame = Frame::from_pose(self.space, pose).filter(|_| margin.is_finite() && margin >= 0.0);
            self.bodies[i] = frame.ok_or_else(|| self.misplaced(i, query, demand))?;
        }
        for (frame, (body, local)) in self.frames.iter_mut().zip(&self.shapes) {
            *frame = self.bodies[*body as usize].then_inner(local);
        }
        Ok(())
    }

    /// Where the last query put a shape: from its own frame to the world.
    ///
    /// # Panics
    /// For a shape that does not exist.
    #[inline]
    pub fn frame(&self, shape: u32) -> &Frame {
        &self.frames[shape as usize]
    }

    /// The error for finite poses whose contact is not finite: numbers too large for double precision. For the two bodies of
    /// the contact, at time `t`, s.
    pub fn lost(&self, bodies: [u32; 2], t: f64) -> StageError {
        let [a, b] = bodies.map(|i| self.name(i as usize));
        let message = format!(
            "the contact of bodies `{a}` and `{b}` at t = {t} s is not finite: their poses are beyond double precision; \
             check units and the step before this one"
        );
        StageError::new(ErrorKind::NonFinite, message)
    }

    fn misplaced(&self, i: usize, query: &DetectQuery<'_>, demand: &str) -> StageError {
        let (name, nq) = (self.name(i), self.space.nq());
        let (pose, margin) = (&query.pose[nq * i..nq * (i + 1)], query.margin[i]);
        let message = format!(
            "body `{name}` has pose {pose:?} and margin {margin} at t = {} s; {demand}: the step before this one went wrong",
            query.t
        );
        StageError::new(ErrorKind::NonFinite, message)
    }

    fn name(&self, body: usize) -> &str {
        self.names.get(body).map_or("?", String::as_str)
    }
}
