//! One query: place, pair, find the common normals, report.

use crate::broad::{Broad, Filter, Item};
use crate::build::Built;
use crate::frame::Frame;
use crate::halfspace::heights;
use crate::memory::Memory;
use crate::pair::Pair;
use crate::separation::{Separation, growth, separation};
use crate::solid::{Convex, Solid};
use vinci_sdk::prelude::*;

/// The detector's memory: buffers, and the normals of last time.
pub(crate) struct Engine {
    space: Space,
    shapes: Vec<Built>,
    names: Vec<String>,
    filter: Filter,
    broad: Broad,
    bodies: Vec<Frame>,
    frames: Vec<Frame>,
    pub(crate) memory: Memory,
    report: Report,
}

/// The contacts in the form the host reads.
#[derive(Default)]
struct Report {
    key: Vec<ContactKey>,
    gap: Vec<f64>,
    normal: Vec<f64>,
    point_a: Vec<f64>,
    point_b: Vec<f64>,
}

impl Report {
    fn clear(&mut self) {
        self.key.clear();
        let lists = [&mut self.gap, &mut self.normal, &mut self.point_a, &mut self.point_b];
        lists.into_iter().for_each(Vec::clear);
    }

    fn push(&mut self, key: ContactKey, gap: f64, [normal, a, b]: [[f64; 3]; 3]) {
        self.key.push(key);
        self.gap.push(gap);
        self.normal.extend_from_slice(&normal);
        self.point_a.extend_from_slice(&a);
        self.point_b.extend_from_slice(&b);
    }

    fn is_finite(&self, from: usize) -> bool {
        let lists = [&self.normal, &self.point_a, &self.point_b];
        self.gap[from..].iter().chain(lists.into_iter().flat_map(|l| &l[3 * from..])).all(|x| x.is_finite())
    }

    fn view(&self) -> RawContacts<'_> {
        RawContacts {
            key: &self.key,
            gap: &self.gap,
            normal: &self.normal,
            point_a: &self.point_a,
            point_b: &self.point_b,
            group: &[],
        }
    }
}

impl Engine {
    pub(crate) fn new(system: &SystemView<'_>, shapes: Vec<Built>) -> Self {
        Self {
            space: system.space,
            names: system.body_names.iter().map(|n| (*n).to_owned()).collect(),
            filter: Filter::new(system),
            broad: Broad::new(shapes.iter().map(|s| (s.body, &s.solid))),
            bodies: vec![Frame::default(); system.n_bodies()],
            frames: vec![Frame::default(); shapes.len()],
            memory: Memory::default(),
            report: Report::default(),
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
        let pair = Pair::new((a, &self.frames[i]), (b, &self.frames[j]), self.space == Space::Planar);
        growth(&pair).map(|s| pair.growth(&s))
    }

    /// All contacts with gap ≤ margin_a + margin_b, sorted by key.
    pub(crate) fn detect(&mut self, query: &DetectQuery<'_>) -> Result<RawContacts<'_>, StageError> {
        self.place(query)?;
        let (shapes, frames) = (&self.shapes, &self.frames);
        let item = |i: u32| {
            let shape = &shapes[i as usize];
            let margin = query.margin[shape.body as usize];
            Item { solid: &shape.solid, frame: &frames[i as usize], body: shape.body, margin }
        };
        self.broad.update(item, &self.filter);
        self.report.clear();
        self.memory.begin();
        let planar = self.space == Space::Planar;
        for &ids in &self.broad.pairs {
            let from = self.report.gap.len();
            let (a, b) = (item(ids[0]), item(ids[1]));
            collide(ids, [a, b], planar, &mut self.memory, &mut self.report);
            if !self.report.is_finite(from) {
                return Err(lost(&self.names, [a.body, b.body], query.t));
            }
        }
        self.memory.turn();
        Ok(self.report.view())
    }

    /// Checks the query and places all shapes in the world.
    fn place(&mut self, query: &DetectQuery<'_>) -> Result<(), StageError> {
        let (n, nq) = (self.bodies.len(), self.space.nq());
        if query.pose.len() != nq * n || query.margin.len() != n {
            let (poses, margins) = (query.pose.len(), query.margin.len());
            return Err(StageError::bad_input(format!(
                "{n} bodies need {} pose coordinates and {n} margins, got {poses} and {margins}",
                nq * n
            )));
        }
        for (i, body) in self.bodies.iter_mut().enumerate() {
            let (pose, margin) = (&query.pose[nq * i..nq * (i + 1)], query.margin[i]);
            let frame = Frame::from_pose(self.space, pose);
            *body = frame.filter(|_| margin.is_finite() && margin >= 0.0).ok_or_else(|| {
                let name = self.names.get(i).map_or("?", String::as_str);
                let message = format!(
                    "body `{name}` has pose {pose:?} and margin {margin} at t = {} s; all must be finite, a quaternion \
                     non-zero and the margin not negative: the step before this one went wrong",
                    query.t
                );
                StageError::new(ErrorKind::NonFinite, message)
            })?;
        }
        for (frame, shape) in self.frames.iter_mut().zip(&self.shapes) {
            *frame = self.bodies[shape.body as usize].then_inner(&shape.local);
        }
        Ok(())
    }
}

/// Appends the contacts of two shapes.
fn collide(ids: [u32; 2], [a, b]: [Item<'_>; 2], planar: bool, memory: &mut Memory, report: &mut Report) {
    match (a.solid, b.solid) {
        (Solid::HalfSpace(_), Solid::Convex(c)) => over(ids, a, b, c, false, report),
        (Solid::Convex(c), Solid::HalfSpace(_)) => over(ids, b, a, c, true, report),
        (Solid::Convex(c), Solid::Convex(d)) if !(c.core.is_polytope() && d.core.is_polytope()) => {
            let pair = Pair::new((c, a.frame), (d, b.frame), planar);
            match separation(&pair, memory.get(ids), a.margin + b.margin) {
                Separation::Apart(n) => memory.put(ids, n),
                Separation::Contact(s) => {
                    memory.put(ids, s.n);
                    let points = [s.n, s.x1 + a.frame.pos, s.x2 + b.frame.pos].map(Into::into);
                    report.push(key(ids, 0, 0), pair.gap(&s), points);
                }
            }
        }
        // Two half-spaces are both static; pairs of polytopes are left to others (`build` refuses them otherwise).
        (_, _) => {}
    }
}

/// Contacts of a half-space and a convex shape, `turned` where the shape is on side A.
fn over(ids: [u32; 2], plane: Item<'_>, item: Item<'_>, shape: &Convex, turned: bool, report: &mut Report) {
    let Solid::HalfSpace(normal) = plane.solid else { return };
    let (up, origin) = (plane.frame.rot * normal, plane.frame.pos);
    heights(shape, item.frame, &origin, &up, plane.margin + item.margin, |h| {
        let foot = h.point - up * h.height;
        if turned {
            report.push(key(ids, h.feature, 0), h.height, [-up, h.point, foot].map(Into::into));
        } else {
            report.push(key(ids, 0, h.feature), h.height, [up, foot, h.point].map(Into::into));
        }
    });
}

fn key([shape_a, shape_b]: [u32; 2], feature_a: u32, feature_b: u32) -> ContactKey {
    ContactKey { shape_a, shape_b, feature_a, feature_b }
}

/// Finite poses whose contact is not: numbers too large for double precision.
fn lost(names: &[String], bodies: [u32; 2], t: f64) -> StageError {
    let [a, b] = bodies.map(|i| names.get(i as usize).map_or("?", String::as_str));
    let message = format!(
        "the contact of bodies `{a}` and `{b}` at t = {t} s is not finite: their poses are beyond double precision; \
         check units and the step before this one"
    );
    StageError::new(ErrorKind::NonFinite, message)
}
