//! Which shapes may be close: a tree of boxes for bounded shapes, a plane test for half-spaces.

use crate::convert::Tree;
use crate::math::Aabb;
use crate::solid::Solid;
use vinci_detect::{Filter, Frame};

/// A shape as the broad phase needs it.
pub(crate) struct Item<'a> {
    pub(crate) solid: &'a Solid,
    pub(crate) frame: &'a Frame,
    pub(crate) body: u32,
    pub(crate) margin: f64,
}

/// The broad phase. Its tree remembers earlier queries, but only to be fast: every pair it names is tested again on the
/// boxes of this query, so that the answer depends on the poses alone.
#[derive(Default)]
pub(crate) struct Broad {
    tree: Tree,
    /// Shapes in the tree, their boxes grown by the margin, and how much fatter the tree may keep them.
    bounded: Vec<u32>,
    boxes: Vec<Aabb>,
    slack: Vec<f64>,
    half_spaces: Vec<u32>,
    /// Pairs of shapes i < j, sorted.
    pub(crate) pairs: Vec<[u32; 2]>,
}

impl Broad {
    pub(crate) fn new<'a>(solids: impl Iterator<Item = &'a Solid>) -> Self {
        let mut broad = Self::default();
        for (i, solid) in solids.enumerate() {
            let group =
                if matches!(solid, Solid::HalfSpace) { &mut broad.half_spaces } else { &mut broad.bounded };
            group.push(i as u32);
        }
        broad
    }

    /// Finds the pairs of shapes whose boxes, grown by their margins, meet.
    pub(crate) fn update<'a>(&mut self, item: impl Fn(u32) -> Item<'a>, filter: &Filter) {
        self.pairs.clear();
        self.boxes.clear();
        self.slack.clear();
        for &i in &self.bounded {
            let item = item(i);
            if let Some(b) = item.solid.aabb(item.frame) {
                self.boxes.push(b.grown(item.margin));
                self.slack.push(0.05 * item.solid.size());
            }
        }
        self.tree.update(&self.boxes, &self.slack);
        let (bounded, boxes, pairs) = (&self.bounded, &self.boxes, &mut self.pairs);
        self.tree.pairs(|p, q| {
            let (i, j) = (bounded[p as usize], bounded[q as usize]);
            if boxes[p as usize].meets(&boxes[q as usize]) && filter.may_collide(item(i).body, item(j).body) {
                pairs.push([i.min(j), i.max(j)]);
            }
        });
        for &h in &self.half_spaces {
            let plane = item(h);
            for (&i, b) in self.bounded.iter().zip(&self.boxes) {
                if filter.may_collide(plane.body, item(i).body) && lowest(b, plane.frame) <= plane.margin {
                    self.pairs.push([h.min(i), h.max(i)]);
                }
            }
        }
        self.pairs.sort_unstable();
        self.pairs.dedup();
    }
}

/// Height of the lowest corner of a box over the plane of a half-space.
fn lowest(b: &Aabb, plane: &Frame) -> f64 {
    let up = plane.rot.column(2);
    let corner = |i: usize| if up[i] >= 0.0 { b.min[i] } else { b.max[i] };
    (0..3).map(|i| up[i] * (corner(i) - plane.pos[i])).sum()
}
