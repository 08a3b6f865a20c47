//! Which shapes may be close: a tree of boxes for bounded shapes, or a list of their pairs where they are few; a plane test for half-spaces.

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

/// From so many bounded shapes on they are kept in a tree.
const MANY: usize = 32;

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
    /// Pairs of places in `bounded` whose bodies may collide, where there are few; none: there is a tree.
    few: Option<Vec<[u32; 2]>>,
    /// Pairs of shapes i < j, sorted.
    pub(crate) pairs: Vec<[u32; 2]>,
}

impl Broad {
    /// The broad phase of shapes and their bodies.
    pub(crate) fn new<'a>(shapes: impl Iterator<Item = (&'a Solid, u32)>, filter: &Filter) -> Self {
        let (mut broad, mut bodies) = (Self::default(), Vec::new());
        for (i, (solid, body)) in shapes.enumerate() {
            if matches!(solid, Solid::HalfSpace) {
                broad.half_spaces.push(i as u32);
            } else {
                broad.bounded.push(i as u32);
                bodies.push(body);
            }
        }
        let n = bodies.len() as u32;
        let may_collide = |&[p, q]: &[u32; 2]| filter.may_collide(bodies[p as usize], bodies[q as usize]);
        let all = (0..n).flat_map(|p| (p + 1..n).map(move |q| [p, q]));
        broad.few = (bodies.len() < MANY).then(|| all.filter(may_collide).collect());
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
        self.pair_boxes(&item, filter);
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

    /// The pairs of bounded shapes.
    fn pair_boxes<'a>(&mut self, item: &impl Fn(u32) -> Item<'a>, filter: &Filter) {
        let Self { tree, bounded, boxes, slack, few, pairs, .. } = self;
        let meet = |p: u32, q: u32| boxes[p as usize].meets(&boxes[q as usize]);
        let mut push = |p: u32, q: u32| {
            let (i, j) = (bounded[p as usize], bounded[q as usize]);
            pairs.push([i.min(j), i.max(j)]);
        };
        if let Some(few) = few {
            few.iter().filter(|[p, q]| meet(*p, *q)).for_each(|&[p, q]| push(p, q));
            return;
        }
        let body = |p: u32| item(bounded[p as usize]).body;
        tree.update(boxes, slack);
        tree.pairs(|p, q| {
            if meet(p, q) && filter.may_collide(body(p), body(q)) {
                push(p, q);
            }
        });
    }
}

/// Height of the lowest corner of a box over the plane of a half-space.
fn lowest(b: &Aabb, plane: &Frame) -> f64 {
    let up = plane.rot.column(2);
    let corner = |i: usize| if up[i] >= 0.0 { b.min[i] } else { b.max[i] };
    (0..3).map(|i| up[i] * (corner(i) - plane.pos[i])).sum()
}
