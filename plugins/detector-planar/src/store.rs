//! All shapes in pooled arrays, in the body frame (fixed) and in the world frame (per call).
//!
//! Every bounded shape is a core grown by a radius: a disc is a point, a capsule a stick, a polygon itself (radius 0), a
//! segment a stick of radius 0. A stick is treated as a polygon with two corners and two edges, one for each side.

use crate::boundary::{Cover, Sort, Turn};
use crate::draft::Draft;
use crate::vec2::{Motion, V2};

/// A shape, its place in the pools.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) sort: Sort,
    pub(crate) body: u32,
    /// Radius around the core, m.
    pub(crate) radius: f64,
    /// Largest extent of the shape, m: scale of its tolerance (∞ for half-planes).
    pub(crate) size: f64,
    /// First vertex (and edge) in the pools.
    pub(crate) start: usize,
    /// Vertices.
    pub(crate) count: usize,
    /// True if siblings on the same body cover part of it.
    pub(crate) joined: bool,
}

impl Record {
    fn range(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.count
    }
}

/// Axis-parallel box, m.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Bounds {
    pub(crate) low: V2,
    pub(crate) high: V2,
}

impl Bounds {
    fn around(points: &[V2], grow: f64) -> Self {
        let (mut low, mut high) = (points[0], points[0]);
        for p in &points[1..] {
            low = V2::new(low.x.min(p.x), low.y.min(p.y));
            high = V2::new(high.x.max(p.x), high.y.max(p.y));
        }
        let r = V2::new(grow, grow);
        Self { low: low - r, high: high + r }
    }
}

/// One core in the world frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Core<'a> {
    /// Vertices, counter-clockwise.
    pub(crate) x: &'a [V2],
    /// Outward unit normal of edge j (from vertex j to vertex j + 1); meaningless for a point.
    pub(crate) n: &'a [V2],
    /// Length of edge j, m.
    pub(crate) len: &'a [f64],
    /// How the boundary turns at vertex j.
    pub(crate) turn: &'a [Turn],
    /// Cover of edge j by siblings.
    pub(crate) cover: &'a [Cover],
    /// Sort of the shape.
    pub(crate) sort: Sort,
}

impl Core<'_> {
    /// Number of edges.
    #[inline]
    pub(crate) fn edges(&self) -> usize {
        if self.sort == Sort::Point { 0 } else { self.x.len() }
    }

    /// Index of the edge that ends in vertex `i`, and of the vertex before `i`.
    #[inline]
    pub(crate) fn before(&self, i: usize) -> usize {
        if i == 0 { self.x.len() - 1 } else { i - 1 }
    }

    /// Index of the vertex after `i`.
    #[inline]
    pub(crate) fn after(&self, i: usize) -> usize {
        if i + 1 == self.x.len() { 0 } else { i + 1 }
    }

    /// Signed distance of `p` from the line of edge `e`, positive outside, m.
    #[inline]
    pub(crate) fn height(&self, e: usize, p: V2) -> f64 {
        self.n[e].dot(p - self.x[e])
    }

    /// Coordinate of `p` along edge `e`, 0 at its first vertex, m.
    #[inline]
    pub(crate) fn along(&self, e: usize, p: V2) -> f64 {
        self.n[e].left().dot(p - self.x[e])
    }

    /// Returns true if vertex `i` could become the foremost one of this core towards an edge with outward normal `n`, when turned
    /// by an angle whose sine is `slack`: its two edges recede from that edge, and the vertex does not turn its back.
    #[inline]
    pub(crate) fn faces(&self, i: usize, n: V2, slack: f64) -> bool {
        if self.sort == Sort::Point {
            return true;
        }
        let (next, last) = (self.n[i], self.n[self.before(i)]);
        next.cross(n) >= -slack && last.cross(n) <= slack && (next + last).dot(n) <= 0.0
    }

    /// Returns true if `p` lies in the wedge of vertex `i`: beyond the ends of both its edges.
    #[inline]
    pub(crate) fn beyond(&self, i: usize, p: V2) -> bool {
        let d = p - self.x[i];
        self.sort == Sort::Point
            || (self.n[i].left().dot(d) <= 0.0 && self.n[self.before(i)].left().dot(d) >= 0.0)
    }
}

/// All shapes.
#[derive(Debug, Default)]
pub(crate) struct Store {
    pub(crate) records: Vec<Record>,
    pub(crate) bounds: Vec<Bounds>,
    local_x: Vec<V2>,
    local_n: Vec<V2>,
    len: Vec<f64>,
    turn: Vec<Turn>,
    cover: Vec<Cover>,
    x: Vec<V2>,
    n: Vec<V2>,
    /// Pose of every body at the last update; NaN at first, so that nothing equals it.
    pose: Vec<[f64; 3]>,
    /// First record of every body; records are in the order of the scene, hence this index of lists.
    of_body: Vec<Vec<u32>>,
}

impl Store {
    pub(crate) fn new(n_bodies: usize) -> Self {
        Self { pose: vec![[f64::NAN; 3]; n_bodies], of_body: vec![Vec::new(); n_bodies], ..Self::default() }
    }

    /// Adds a shape.
    pub(crate) fn push(&mut self, d: &Draft) {
        let size = if d.sort == Sort::Plane { f64::INFINITY } else { d.size() };
        // What is joined to siblings behaves like a polygon with notches: only part of its boundary is there.
        let joined = d.is_joined();
        let sort = if joined { Sort::Concave } else { d.sort };
        let (start, count) = (self.x.len(), d.x.len());
        self.of_body[d.body as usize].push(self.records.len() as u32);
        self.records.push(Record { sort, body: d.body, radius: d.radius, size, start, count, joined });
        self.bounds.push(Bounds::default());
        self.local_x.extend_from_slice(&d.x);
        self.local_n.extend_from_slice(&d.n);
        self.len.extend((0..count).map(|j| d.edge(j)).map(|(p, q)| (q - p).norm()));
        self.turn.extend_from_slice(&d.turn);
        self.cover.extend_from_slice(&d.cover);
        self.x.extend_from_slice(&d.x);
        self.n.extend_from_slice(&d.n);
    }

    /// Core of a shape in the world frame.
    #[inline]
    pub(crate) fn core(&self, shape: usize) -> Core<'_> {
        let r = &self.records[shape];
        let range = r.range();
        Core {
            x: &self.x[range.clone()],
            n: &self.n[range.clone()],
            len: &self.len[range.clone()],
            turn: &self.turn[range.clone()],
            cover: &self.cover[range],
            sort: r.sort,
        }
    }

    /// Moves to the poses (x, y, θ) of all bodies; bodies that have not moved cost nothing.
    pub(crate) fn update(&mut self, pose: &[f64]) {
        for (body, (new, old)) in pose.chunks_exact(3).zip(&mut self.pose).enumerate() {
            if new == old {
                continue;
            }
            old.copy_from_slice(new);
            let motion = Motion::new(new);
            for &shape in &self.of_body[body] {
                let r = &self.records[shape as usize];
                for i in r.range() {
                    self.x[i] = motion.apply(self.local_x[i]);
                    self.n[i] = motion.turn(self.local_n[i]);
                }
                self.bounds[shape as usize] = Bounds::around(&self.x[r.range()], r.radius);
            }
        }
    }
}
