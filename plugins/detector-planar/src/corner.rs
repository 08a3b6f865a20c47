//! Alternatives at convex corners.
//!
//! Two convex cores are apart iff one of their edges parts them: max_g s_g ≥ 0 over the edges g of both,
//! s_g = min_w n_g·(w − x_g) over the vertices w of the other. An edge that can part them at the end of the step (s_g ≥ −reach) is an *axis*; its rows
//! are the vertices that are or may become lowest before it in the step (*support*: another vertex open there says nothing).
//! Edges of both that lie flat on each other are one axis, its rows the contacts between their ends. With more than one axis the
//! nearest features give way to ∨_g ∧_w row(w, g), written as groups: one for every choice of a row from each axis. A row of
//! several groups has several names: the edge counts up by the number of edges. Axes that would make too many groups are left
//! out, the least open first: that leaves a wall in mid-air, never a way in.
//!
//! Notches and joined polygons are not convex, so nearest features stay AND'ed. There each vertex that may pass the end of its
//! edge gets the axes behind that end; two corners in each other's wedge get the axes of their own four edges.

use crate::boundary::{Cover, Sort, Turn};
use crate::convex::Limits;
use crate::hit::{Hit, Hits, Side, edge_id, vertex_id};
use crate::store::Core;
use vinci_detect::DetectedContacts;

/// Groups that a pair, or a contact at a polygon with notches, gets at most, unless its first axis has more rows.
const MOST_GROUPS: usize = 8;

/// Sine of an angle between edges that comes from rounding.
const ROUNDING: f64 = 1e-9;

/// In place of the group of a nearest feature that has given way to groups.
const REPLACED: u32 = u32::MAX;

/// Axes of a group at most.
const MOST_AXES: usize = 12;

/// Where edges that count as flat on each other slide past their ends, they may come this deep, by size of the smaller shape
/// (nearest features as well).
const FLAT: f64 = 1e-3;

/// Sine of the angle within which edges of both cores lie flat on each other: what a step may turn them, unless motion over
/// `reach` along it would cost more depth than [`FLAT`].
pub(crate) fn flat(turn: f64, size: f64, reach: f64) -> f64 {
    turn.min(FLAT * size / reach)
}

/// Vertex `w` of the core on `side` before edge `e` of the other, signed distance `gap`, m.
#[derive(Debug, Clone, Copy)]
struct Row {
    side: Side,
    w: usize,
    e: usize,
    gap: f64,
}

/// Edge `e` of one core before the core on `side`, whose lowest vertex `w` is at s, m.
#[derive(Debug, Clone, Copy)]
struct Axis {
    side: Side,
    e: usize,
    w: usize,
    s: f64,
}

/// Axes of the pair at hand and their rows.
#[derive(Debug, Default)]
pub(crate) struct Axes {
    found: Vec<Axis>,
    rows: Vec<Row>,
    /// Ends in `rows`, one per axis.
    ends: Vec<usize>,
}

/// The cores of a pair.
#[derive(Clone, Copy)]
struct Pair<'a> {
    a: &'a Core<'a>,
    b: &'a Core<'a>,
    limits: &'a Limits,
}

impl<'a> Pair<'a> {
    /// The core on `side` and the other.
    fn from(&self, side: Side) -> (&'a Core<'a>, &'a Core<'a>) {
        if side == Side::A { (self.a, self.b) } else { (self.b, self.a) }
    }

    fn row(&self, side: Side, w: usize, e: usize) -> Row {
        let (p, q) = self.from(side);
        Row { side, w, e, gap: q.height(e, p.x[w]) }
    }

    /// The edge as an axis, if it can part the cores at the end of the step.
    fn axis(&self, side: Side, e: usize) -> Option<Axis> {
        let (p, q) = self.from(side);
        let lower = |l: Axis, w: usize| {
            let s = q.height(e, p.x[w]);
            if s < l.s { Axis { w, s, ..l } } else { l }
        };
        let axis = (0..p.x.len()).fold(Axis { side, e, w: 0, s: f64::INFINITY }, lower);
        (q.cover[e] == Cover::Free && axis.s >= -self.limits.reach).then_some(axis)
    }

    /// Rows of the vertices that may become the lowest before the axis in a turn by an angle with this sine.
    fn support(self, axis: Axis, turn: f64) -> impl Iterator<Item = Row> + 'a {
        let p = self.from(axis.side).0;
        let rows = (0..p.x.len()).map(move |w| self.row(axis.side, w, axis.e));
        rows.filter(move |row| p.turn[row.w] == Turn::Convex && self.falls(axis, row, turn))
    }

    fn falls(&self, axis: Axis, row: &Row, turn: f64) -> bool {
        let x = self.from(axis.side).0.x;
        row.gap - axis.s <= turn * (x[row.w] - x[axis.w]).norm() + self.limits.tolerance
    }

    /// How far the vertex lies beyond the ends of the edge, negative between them, m.
    fn beyond(&self, row: &Row) -> f64 {
        let (p, q) = self.from(row.side);
        let t = q.along(row.e, p.x[row.w]);
        (-t).max(t - q.len[row.e])
    }

    fn are_flat(&self, x: Axis, y: Axis) -> bool {
        let normal = |axis: Axis| self.from(axis.side).1.n[axis.e];
        let (n, m) = (normal(x), normal(y));
        let flat = self.limits.flat.max(ROUNDING);
        x.side != y.side && n.dot(m) < 0.0 && n.cross(m).abs() <= flat
    }
}

impl Axes {
    fn clear(&mut self) {
        self.found.clear();
        self.rows.clear();
        self.ends.clear();
    }

    /// Rows of all that was found, the most open first.
    fn gather(&mut self, pair: Pair<'_>) {
        let name = |axis: &Axis| (axis.side == Side::A, axis.e);
        self.found.sort_unstable_by(|x, y| y.s.total_cmp(&x.s).then(name(x).cmp(&name(y))));
        while !self.found.is_empty() {
            let start = self.rows.len();
            let seed = self.found.remove(0);
            match self.found.iter().position(|other| pair.are_flat(seed, *other)) {
                Some(at) => {
                    let other = self.found.remove(at);
                    self.flat(pair, [seed, other]);
                }
                None => self.rows.extend(pair.support(seed, pair.limits.turn)),
            }
            self.end_axis(start);
        }
    }

    /// Rows of two edges flat on each other: their vertices between the ends, or, where there are none, the one that is nearest
    /// to being so; and what a larger turn would bring down before the first edge.
    fn flat(&mut self, pair: Pair<'_>, axes: [Axis; 2]) {
        let Limits { turn, flat, tolerance, .. } = *pair.limits;
        let rows = || axes.into_iter().flat_map(|axis| pair.support(axis, flat));
        let start = self.rows.len();
        self.rows.extend(rows().filter(|row| pair.beyond(row) <= tolerance));
        if self.rows.len() == start {
            self.rows.extend(rows().min_by(|x, y| pair.beyond(x).total_cmp(&pair.beyond(y))));
        }
        let first = axes[0];
        self.rows.extend(pair.support(first, turn).filter(|row| !pair.falls(first, row, flat)));
    }

    /// Keeps the rows from `start` on as those of one axis, if there are not too many of them.
    fn end_axis(&mut self, start: usize) {
        let own = self.rows.len() - start;
        let fits = self.ends.is_empty() || self.groups() * own <= MOST_GROUPS.max(self.groups());
        if own == 0 || !fits || self.ends.len() == MOST_AXES {
            self.rows.truncate(start);
        } else {
            self.ends.push(self.rows.len());
        }
    }

    /// Rows of axis i.
    fn of(&self, i: usize) -> &[Row] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.rows[start..self.ends[i]]
    }

    /// Number of choices of a row from each axis.
    fn groups(&self) -> usize {
        (0..self.ends.len()).map(|i| self.of(i).len()).product()
    }

    /// A group for every choice.
    fn report(&self, pair: Pair<'_>, report: &mut DetectedContacts, hits: &mut Hits) {
        for mut choice in 0..self.groups() {
            let group = report.new_group();
            for i in 0..self.ends.len() {
                let own = self.of(i);
                add(pair, own[choice % own.len()], group, hits);
                choice /= own.len();
            }
        }
    }
}

/// Takes down a row, under its next name if it has one already.
fn add(pair: Pair<'_>, row: Row, group: u32, hits: &mut Hits) {
    let (p, q) = pair.from(row.side);
    let mut name = row.e;
    let used = |h: &&Hit| h.group != REPLACED;
    while is_there(row.side, row.w, name, hits.0.iter().filter(used)) {
        name += q.edges();
    }
    hits.vertex_edge(row.side, row.w, p.x[row.w], name, q.n[row.e], row.gap);
    if let Some(last) = hits.0.last_mut() {
        last.group = group;
    }
}

fn is_there<'h>(side: Side, v: usize, e: usize, mut hits: impl Iterator<Item = &'h Hit>) -> bool {
    let (v, e) = (vertex_id(v), edge_id(e));
    let (a, b) = if side == Side::A { (v, e) } else { (e, v) };
    hits.any(|h| (h.feature_a, h.feature_b) == (a, b))
}

/// Makes groups of the hits of a pair, with numbers that `report` gives.
pub(crate) fn alternatives(
    a: &Core<'_>,
    b: &Core<'_>,
    limits: &Limits,
    axes: &mut Axes,
    report: &mut DetectedContacts,
    hits: &mut Hits,
) {
    let pair = Pair { a, b, limits };
    match (a.sort, b.sort) {
        (Sort::Convex, Sort::Convex | Sort::Stick) | (Sort::Stick, Sort::Convex) => {
            convex(pair, axes, report, hits);
        }
        _ => notched(pair, axes, report, hits),
    }
    hits.0.sort_unstable_by_key(|h| (h.feature_a, h.feature_b));
}

/// All axes in place of the nearest features, if there are several.
fn convex(pair: Pair<'_>, axes: &mut Axes, report: &mut DetectedContacts, hits: &mut Hits) {
    if hits.0.is_empty() {
        return;
    }
    axes.clear();
    for side in [Side::B, Side::A] {
        axes.found.extend((0..pair.from(side).1.edges()).filter_map(|e| pair.axis(side, e)));
    }
    axes.gather(pair);
    if axes.ends.len() > 1 {
        hits.0.clear();
        axes.report(pair, report, hits);
    }
}

/// Alternatives to one nearest feature after another.
fn notched(pair: Pair<'_>, axes: &mut Axes, report: &mut DetectedContacts, hits: &mut Hits) {
    let nearest = hits.0.len();
    for at in 0..nearest {
        let (h, own) = (hits.0[at], &hits.0[..nearest]);
        let (i, j) = (h.feature_a as usize / 2, h.feature_b as usize / 2);
        axes.clear();
        match (h.feature_a % 2, h.feature_b % 2) {
            (0, 1) => edge_ends(pair, pair.row(Side::A, i, j), axes, own),
            (1, 0) => edge_ends(pair, pair.row(Side::B, j, i), axes, own),
            _ => two_corners(pair, i, j, axes, own),
        }
        if axes.ends.len() > 1 {
            hits.0[at].group = REPLACED;
            axes.report(pair, report, hits);
        }
    }
    hits.0.retain(|h| h.group != REPLACED);
}

fn is_polygon(c: &Core<'_>) -> bool {
    matches!(c.sort, Sort::Convex | Sort::Concave)
}

/// A vertex before an edge, near enough to its ends to pass them: the edges behind those as alternatives.
fn edge_ends(pair: Pair<'_>, row: Row, axes: &mut Axes, hits: &[Hit]) {
    let (p, q) = pair.from(row.side);
    if !is_polygon(q) {
        return;
    }
    axes.rows.push(row);
    axes.end_axis(0);
    let t = q.along(row.e, p.x[row.w]);
    for (corner, next, left) in
        [(row.e, q.before(row.e), t), (q.after(row.e), q.after(row.e), q.len[row.e] - t)]
    {
        let passes = left <= pair.limits.reach && q.turn[corner] == Turn::Convex;
        if passes && !is_there(row.side, row.w, next, hits.iter()) {
            axes.found.extend(pair.axis(row.side, next));
        }
    }
    axes.gather(pair);
}

/// Two corners in each other's wedge: the axes among their edges, unless one of them has such a row already.
fn two_corners(pair: Pair<'_>, i: usize, j: usize, axes: &mut Axes, hits: &[Hit]) {
    if !is_polygon(pair.a) || !is_polygon(pair.b) {
        return;
    }
    for (side, v, corner) in [(Side::A, i, j), (Side::B, j, i)] {
        let q = pair.from(side).1;
        for e in [q.before(corner), corner] {
            if is_there(side, v, e, hits.iter()) {
                axes.clear();
                return;
            }
            axes.found.extend(pair.axis(side, e));
        }
    }
    axes.gather(pair);
}
