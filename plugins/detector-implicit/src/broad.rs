//! Which shapes may be close: balls around the shapes, sort and sweep along x.
//!
//! The order of the last call is where the insertion sort begins: linear while motion is coherent. It decides how long the
//! sweep takes, not what comes out: pairs are sorted.

use crate::solid::Solid;
use vinci_detect::{Filter, Frame, Vec3};

/// A shape as the broad phase needs it.
#[derive(Clone, Copy)]
pub(crate) struct Item<'a> {
    pub(crate) solid: &'a Solid,
    pub(crate) frame: &'a Frame,
    pub(crate) body: u32,
    pub(crate) margin: f64,
}

/// A ball in the sweep, its radius with the margin.
#[derive(Debug, Clone, Copy)]
struct Entry {
    centre: Vec3,
    radius: f64,
    shape: u32,
    body: u32,
}

/// The sweep and what it keeps from call to call.
#[derive(Debug, Default)]
pub(crate) struct Broad {
    entries: Vec<Entry>,
    planes: Vec<u32>,
    /// Pairs of shapes i < j, sorted.
    pub(crate) pairs: Vec<[u32; 2]>,
}

impl Broad {
    pub(crate) fn new<'a>(solids: impl Iterator<Item = (u32, &'a Solid)>) -> Self {
        let mut broad = Self::default();
        for (i, (body, solid)) in solids.enumerate() {
            let shape = i as u32;
            match solid {
                Solid::HalfSpace(_) => broad.planes.push(shape),
                Solid::Convex(_) => {
                    broad.entries.push(Entry { centre: Vec3::zeros(), radius: 0.0, shape, body });
                }
            }
        }
        broad
    }

    /// Finds the pairs of shapes whose balls, grown by their margins, meet.
    pub(crate) fn update<'a>(&mut self, item: impl Fn(u32) -> Item<'a>, filter: &Filter) {
        self.pairs.clear();
        for e in &mut self.entries {
            let item = item(e.shape);
            if let Solid::Convex(c) = item.solid {
                (e.centre, e.radius) = (item.frame.pos, c.reach + item.margin);
            }
        }
        self.sort();
        self.sweep(filter);
        for &p in &self.planes {
            let plane = item(p);
            let Solid::HalfSpace(normal) = plane.solid else { continue };
            let up = plane.frame.rot * normal;
            for e in &self.entries {
                let height = up.dot(&(e.centre - plane.frame.pos));
                if height <= e.radius + plane.margin && filter.may_collide(plane.body, e.body) {
                    self.pairs.push([p.min(e.shape), p.max(e.shape)]);
                }
            }
        }
        self.pairs.sort_unstable();
    }

    fn sort(&mut self) {
        let low = |e: &Entry| e.centre.x - e.radius;
        for i in 1..self.entries.len() {
            let mut k = i;
            while k > 0 && low(&self.entries[k - 1]) > low(&self.entries[k]) {
                self.entries.swap(k - 1, k);
                k -= 1;
            }
        }
    }

    fn sweep(&mut self, filter: &Filter) {
        for (i, e) in self.entries.iter().enumerate() {
            let end = e.centre.x + e.radius;
            for other in self.entries[i + 1..].iter().take_while(|o| o.centre.x - o.radius <= end) {
                let reach = e.radius + other.radius;
                let near = (e.centre - other.centre).norm_squared() <= reach * reach;
                if near && filter.may_collide(e.body, other.body) {
                    self.pairs.push([e.shape.min(other.shape), e.shape.max(other.shape)]);
                }
            }
        }
    }
}
