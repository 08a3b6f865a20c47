//! A detector's answer held against the shapes.
//!
//! What a detector may do, and what is held against it:
//!
//! - Normals are unit vectors, gap = n·(p_b − p_a), and bodies may collide: looked at for every contact of every call.
//! - Points lie on the surfaces of their shapes. On a shape with a radius a point may be any point of the core moved along the
//!   normal by the radius (the far end of a capsule over a plane). Beyond the end of a face its plane goes on: within 1 % of the
//!   size (what detectors merge), in OR groups (alternatives at corners, lines of edges too), within the solid at a notch or a
//!   seam, and in penetration of what has notches or seams. There the height over that plane counts.
//! - Normals fit: n is in the normal cones of both shapes at the points, or the normal of a face of one of them there, or
//!   square to straight edges of both (within 0.02, where detectors count edges as parallel).
//! - Pairs of shapes that may collide and are in each other by more than rounding are reported, however small their margins are.
//! - Pairs of shapes that may collide and are closer than the sum of their margins are reported, with a gap that is not above the
//!   distance; where a shape has notches or siblings, by at most 5 % of the size. Of two convex shapes apart, and of a convex
//!   one over a half-space, the least gap is the distance. A pair with OR groups counts by the most open row of each; polygons
//!   with siblings on their body count as one with them, since these act as their union. Of two convex shapes that overlap the
//!   least gap is at least as deep as the way that takes them apart, where both have corners.
//! - Contacts of an OR group are of one pair of shapes (polygons with siblings on their body: of one pair of bodies), and each has a
//!   normal of its own: what is closed along one direction is no way out of what is closed along the same.
//! - Contacts of a face with straight edges that lies on a half-plane or half-space span half of its width at least.
//!
//! Everything is looked at at step 0. Then every step looks at the points and normals of all contacts that touch or overlap and of one other.
//! One of every four steps looks at a few pairs of bodies and at the shapes of one contact. Their turn follows from the step's
//! number alone: no state, so a rollback changes nothing. Which of the four it is cannot be counted (the step's number is scrambled), but a detector that knows
//! this code can compute it. Pairs that are left out altogether are looked for at every step ([`Watch`]).

mod alternatives;
mod contact;
mod overlap;
mod pairs;
mod patch;
mod report;
mod said;
mod standing;
mod watch;

pub use report::{Amount, DetectorReport, PairFault};
pub use watch::Watch;

use said::Said;
use standing::Standing;

use super::{Shapes, Solid};
use crate::contact::RawContacts;
use crate::model::{ShapeKind, System};
use crate::stage::DetectQuery;

/// Steps from one look at pairs to the next.
const TURN: u64 = 4;

/// Pairs of bodies looked at in one step; of these one pair of shapes at most is measured.
const WINDOW: u64 = 16;

/// In place of a round: all pairs of shapes of two bodies.
const ALL: u64 = u64::MAX;

/// Holds the answers of a detector against the shapes of a system.
#[derive(Debug, Clone)]
pub struct DetectorCheck {
    shapes: Shapes,
    /// Marks of shapes of which siblings on the same body may hide parts.
    joined: Vec<bool>,
    /// Pairs of shapes a < b that no detector looks at, sorted.
    exempt: Vec<[u32; 2]>,
}

impl DetectorCheck {
    /// A check for the shapes of a system.
    pub fn new(system: &System) -> Self {
        Self::of_shapes(Shapes::new(system))
    }

    /// A check for shapes that are ready.
    pub fn of_shapes(shapes: Shapes) -> Self {
        Self { joined: joined(&shapes), shapes, exempt: Vec::new() }
    }

    /// A check that asks for no contact of these pairs of shapes (a < b): no detector looks at them.
    pub fn exempt(mut self, pairs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        self.exempt.extend(pairs.into_iter().map(|(a, b)| [a.min(b), a.max(b)]));
        self.exempt.sort_unstable();
        self
    }

    /// The shapes made ready.
    pub fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    /// Judges what a detector answered to a query in this step: everything at step 0, then a share, see the module's words.
    ///
    /// `raw` is one that `ContactBuf::fill` has accepted: lengths, indices and finite numbers. One that is not is not judged.
    pub fn judge(&self, query: &DetectQuery<'_>, raw: &RawContacts<'_>, step: u64) -> DetectorReport {
        if step == 0 {
            return self.judge_all(query, raw);
        }
        let mut report = DetectorReport::default();
        if !self.fits(query, raw) {
            return report;
        }
        self.judge_numbers(raw, &mut report);
        self.judge_groups(raw, &mut report);
        let raw = &Said::plain(raw);
        let turn = step / TURN;
        let is_turn = (step + scrambled(turn) % TURN).is_multiple_of(TURN);
        if is_turn {
            self.judge_window(query, raw, turn, &mut report);
            if !raw.is_empty() {
                self.judge_claim(query, raw, (turn % raw.len() as u64) as usize, &mut report);
            }
        }
        if !raw.is_empty() {
            self.judge_touching(query, raw, (step % raw.len() as u64) as usize, &mut report);
        }
        report
    }

    /// Judges all contacts and all pairs.
    pub fn judge_all(&self, query: &DetectQuery<'_>, raw: &RawContacts<'_>) -> DetectorReport {
        let mut report = DetectorReport::default();
        if !self.fits(query, raw) {
            return report;
        }
        self.judge_numbers(raw, &mut report);
        self.judge_groups(raw, &mut report);
        let raw = &Said::sorted(raw, |s, t| self.bodies(s, t));
        let mut standing = Standing::default();
        for i in 0..raw.len() {
            self.judge_places(query, raw, (i, self.scale(raw, i), &mut standing), &mut report);
            self.judge_claim(query, raw, i, &mut report);
        }
        self.judge_near(query, raw, &mut report);
        report
    }

    /// Returns true if lengths and indices are those of the system.
    fn fits(&self, query: &DetectQuery<'_>, raw: &RawContacts<'_>) -> bool {
        let (n, bodies, shapes) = (raw.len(), self.shapes.n_bodies(), self.shapes.len() as u32);
        raw.gap.len() == n
            && [raw.normal, raw.point_a, raw.point_b].iter().all(|list| list.len() == 3 * n)
            && (raw.group.is_empty() || raw.group.len() == n)
            && raw.key.iter().all(|k| k.shape_a < shapes && k.shape_b < shapes)
            && query.margin.len() == bodies
            && query.pose.len() == self.shapes.space.nq() * bodies
    }
}

/// A number without order in its successors (the finaliser of splitmix64, Steele, Lea, Flood 2014).
fn scrambled(n: u64) -> u64 {
    let mixed = |n: u64, shift: u32, by: u64| (n ^ (n >> shift)).wrapping_mul(by);
    let n = n.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let n = mixed(mixed(n, 30, 0xbf58_476d_1ce4_e5b9), 27, 0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

/// Which shapes are polygons with other polygons on their body: the planar detector takes these as their union.
fn joined(shapes: &Shapes) -> Vec<bool> {
    let body =
        |s: &Option<Solid>| s.as_ref().filter(|s| s.kind == ShapeKind::Polygon).map(|s| s.body as usize);
    let bodies: Vec<Option<usize>> = shapes.solids.iter().map(body).collect();
    let mut polygons = vec![0_u32; bodies.iter().flatten().max().map_or(0, |last| last + 1)];
    bodies.iter().flatten().for_each(|&body| polygons[body] += 1);
    bodies.iter().map(|body| body.is_some_and(|body| polygons[body] > 1)).collect()
}
