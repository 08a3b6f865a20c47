//! All shapes of a system, made ready, and who may meet whom.

use super::{Frame, Solid};
use crate::model::{Shape, ShapeView, Space, System, SystemView};

/// The shapes of a system, made ready once.
#[derive(Debug, Clone)]
pub struct Shapes {
    pub(super) space: Space,
    pub(super) solids: Vec<Option<Solid>>,
    /// Bodies with shapes.
    pub(super) owners: Vec<Owner>,
    /// Indices of shapes, body by body.
    pub(super) order: Vec<u32>,
    is_static: Vec<bool>,
    /// Pairs of bodies a < b whose contacts are not wanted, sorted.
    ignored: Vec<[u32; 2]>,
    /// Thickness of the thinnest shape, m; sheets count a hundredth of their size.
    pub(super) thinnest: f64,
}

/// A body with shapes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Owner {
    pub(super) body: u32,
    /// Largest distance of its shapes from its origin, m.
    pub(super) reach: f64,
    /// Its shapes are `order[first..end]`.
    pub(super) first: u32,
    pub(super) end: u32,
}

impl Shapes {
    /// Makes the shapes of a system ready.
    pub fn new(system: &System) -> Self {
        let views: Vec<ShapeView<'_>> = system.shapes.iter().map(Shape::view).collect();
        let is_static = system.bodies.iter().map(|b| b.is_static).collect();
        Self::of(system.space, &views, is_static, &system.ignored_pairs)
    }

    /// The shapes of a [`SystemView`], which is what a detector is given.
    pub fn of_view(view: &SystemView<'_>) -> Self {
        let is_static = view.is_static.iter().map(|s| *s != 0).collect();
        Self::of(view.space, view.shapes, is_static, view.ignored_pairs)
    }

    fn of(space: Space, views: &[ShapeView<'_>], is_static: Vec<bool>, ignored: &[u32]) -> Self {
        let solids: Vec<Option<Solid>> = views.iter().map(|s| Solid::new(space, s)).collect();
        let mut order: Vec<u32> = (0..views.len() as u32).collect();
        let body = |i: &u32| views[*i as usize].body;
        order.sort_by_key(body);
        let (mut owners, mut first) = (Vec::new(), 0);
        for own in order.chunk_by(|s, t| body(s) == body(t)) {
            let lever = |i: &u32| solids[*i as usize].as_ref().map_or(0.0, Solid::lever);
            let reach = own.iter().map(lever).fold(0.0, f64::max);
            let end = first + own.len() as u32;
            owners.push(Owner { body: body(&own[0]), reach, first, end });
            first = end;
        }
        let mut ignored: Vec<[u32; 2]> =
            ignored.chunks_exact(2).map(|p| [p[0].min(p[1]), p[0].max(p[1])]).collect();
        ignored.sort_unstable();
        let least = |s: &Solid| s.thickness().max(0.01 * s.size());
        let thinnest = solids.iter().flatten().map(least).fold(f64::INFINITY, f64::min);
        Self { space, solids, owners, order, is_static, ignored, thinnest }
    }

    /// Planar or spatial.
    pub fn space(&self) -> Space {
        self.space
    }

    /// Number of shapes.
    pub fn len(&self) -> usize {
        self.solids.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.solids.is_empty()
    }

    /// A shape by its index; none where its parameters describe no shape, or there is none.
    pub fn solid(&self, shape: u32) -> Option<&Solid> {
        self.solids.get(shape as usize)?.as_ref()
    }

    /// Number of bodies, those without shapes too.
    pub fn n_bodies(&self) -> usize {
        self.is_static.len()
    }

    /// Where a body stands among the poses of all bodies.
    #[inline]
    pub fn frame(&self, poses: &[f64], body: u32) -> Frame {
        Frame::of_pose(self.space, self.pose(poses, body))
    }

    /// Pose of a body among those of all bodies.
    #[inline]
    pub(super) fn pose<'p>(&self, poses: &'p [f64], body: u32) -> &'p [f64] {
        let n = self.space.nq();
        &poses[body as usize * n..][..n]
    }

    /// Returns true if contacts between two bodies are wanted: different, not both static, not ignored.
    pub fn may_collide(&self, a: u32, b: u32) -> bool {
        a != b
            && !(self.is_static[a as usize] && self.is_static[b as usize])
            && self.ignored.binary_search(&[a.min(b), a.max(b)]).is_err()
    }
}
