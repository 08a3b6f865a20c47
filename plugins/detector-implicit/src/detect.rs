//! One query: place, pair, find the common normals, report.

use crate::broad::{Broad, Item};
use crate::build::Built;
use crate::halfspace::heights;
use crate::memory::Memory;
use crate::pair::Pair;
use crate::separation::{Separation, growth, separation};
use crate::solid::{Convex, Solid};
use vinci_detect::{DetectedContacts, Filter, Placement};
use vinci_sdk::prelude::*;

/// Requirements on poses and margins, for messages.
const DEMAND: &str = "all must be finite, a quaternion non-zero and the margin not negative";

/// The detector's memory: buffers, and the normals of last time.
pub(crate) struct Engine {
    space: Space,
    shapes: Vec<Built>,
    filter: Filter,
    broad: Broad,
    placement: Placement,
    pub(crate) memory: Memory,
    report: DetectedContacts,
}

impl Engine {
    pub(crate) fn new(system: &SystemView<'_>, shapes: Vec<Built>) -> Self {
        Self {
            space: system.space,
            filter: Filter::new(system),
            broad: Broad::new(shapes.iter().map(|s| (s.body, &s.solid))),
            placement: Placement::new(system, shapes.iter().map(|s| (s.body, s.local))),
            memory: Memory::default(),
            report: DetectedContacts::default(),
            shapes,
        }
    }

    /// Number of shapes.
    pub(crate) fn len(&self) -> u32 {
        self.shapes.len() as u32
    }

    /// σ* of two shapes where the last query put them.
    pub(crate) fn growth(&self, i: usize, j: usize) -> Option<f64> {
        let (Solid::Convex(a), Solid::Convex(b)) = (&self.shapes.get(i)?.solid, &self.shapes.get(j)?.solid)
        else {
            return None;
        };
        let [at_a, at_b] = [i, j].map(|k| self.placement.frame(k as u32));
        let pair = Pair::new((a, at_a), (b, at_b), self.space == Space::Planar);
        growth(&pair).map(|s| pair.growth(&s))
    }

    /// All contacts with gap ≤ margin_a + margin_b, sorted by key.
    pub(crate) fn detect(&mut self, query: &DetectQuery<'_>) -> Result<RawContacts<'_>, StageError> {
        self.placement.place(query, DEMAND)?;
        let (shapes, placement) = (&self.shapes, &self.placement);
        let item = |i: u32| {
            let shape = &shapes[i as usize];
            let margin = query.margin[shape.body as usize];
            Item { solid: &shape.solid, frame: placement.frame(i), body: shape.body, margin }
        };
        self.broad.update(item, &self.filter);
        self.report.clear();
        self.memory.begin();
        let planar = self.space == Space::Planar;
        for &ids in &self.broad.pairs {
            let from = self.report.len();
            let (a, b) = (item(ids[0]), item(ids[1]));
            collide(ids, [a, b], planar, &mut self.memory, &mut self.report);
            if !self.report.is_finite(from) {
                return Err(placement.lost([a.body, b.body], query.t));
            }
        }
        self.memory.turn();
        Ok(self.report.view())
    }
}

/// Appends the contacts of two shapes.
fn collide(
    ids: [u32; 2],
    [a, b]: [Item<'_>; 2],
    planar: bool,
    memory: &mut Memory,
    report: &mut DetectedContacts,
) {
    match (a.solid, b.solid) {
        (Solid::HalfSpace(_), Solid::Convex(c)) => over(ids, a, b, c, false, report),
        (Solid::Convex(c), Solid::HalfSpace(_)) => over(ids, b, a, c, true, report),
        (Solid::Convex(c), Solid::Convex(d)) if !(c.core.is_polytope() && d.core.is_polytope()) => {
            let pair = Pair::new((c, a.frame), (d, b.frame), planar);
            match separation(&pair, memory.get(ids), a.margin + b.margin) {
                Separation::Apart(n) => memory.put(ids, n),
                Separation::Contact(s) => {
                    memory.put(ids, s.n);
                    let points = [s.n, s.x1 + a.frame.pos, s.x2 + b.frame.pos];
                    report.push(ids, [0, 0], pair.gap(&s), points, 0);
                }
            }
        }
        // Two half-spaces are both static; pairs of polytopes are left to others (`build` refuses them otherwise).
        (_, _) => {}
    }
}

/// Contacts of a half-space and a convex shape, `turned` where the shape is on side A.
fn over(
    ids: [u32; 2],
    plane: Item<'_>,
    item: Item<'_>,
    shape: &Convex,
    turned: bool,
    report: &mut DetectedContacts,
) {
    let Solid::HalfSpace(normal) = plane.solid else { return };
    let (up, origin) = (plane.frame.rot * normal, plane.frame.pos);
    heights(shape, item.frame, &origin, &up, plane.margin + item.margin, |h| {
        let foot = h.point - up * h.height;
        if turned {
            report.push(ids, [h.feature, 0], h.height, [-up, h.point, foot], 0);
        } else {
            report.push(ids, [0, h.feature], h.height, [up, foot, h.point], 0);
        }
    });
}
