//! Contacts of one pair of cores: collected, freed of duplicates, sorted, taken to the surfaces.

use crate::vec2::V2;

/// Number of a vertex as a feature.
#[inline]
pub(crate) fn vertex_id(i: usize) -> u32 {
    2 * i as u32
}

/// Number of an edge as a feature.
#[inline]
pub(crate) fn edge_id(j: usize) -> u32 {
    2 * j as u32 + 1
}

/// A contact of two cores A and B.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    pub(crate) feature_a: u32,
    pub(crate) feature_b: u32,
    /// Signed distance of the cores' features along `normal`, m.
    pub(crate) gap: f64,
    /// Unit, from A to B.
    pub(crate) normal: V2,
    pub(crate) a: V2,
    pub(crate) b: V2,
    /// OR group, 0: none.
    pub(crate) group: u32,
}

impl Hit {
    /// Returns true if its points and normal are these: places within the tolerance, normals within a hundredth of a radian.
    pub(crate) fn is_at(&self, a: V2, b: V2, normal: V2, tolerance: f64) -> bool {
        const SAME_NORMAL: f64 = 1.0 - 0.5e-4;
        let reach = 4.0 * tolerance * tolerance;
        (self.a - a).norm2() <= reach
            && (self.b - b).norm2() <= reach
            && self.normal.dot(normal) >= SAME_NORMAL
    }
}

/// Which of the two cores of a pair holds the vertex of a vertex-edge contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    A,
    B,
}

/// Contacts of the pair at hand.
#[derive(Debug, Default)]
pub(crate) struct Hits(pub(crate) Vec<Hit>);

impl Hits {
    /// Vertex `v` at `p` of the core on `side`, `gap` before edge `e` (outward normal `n`) of the other.
    #[inline]
    pub(crate) fn vertex_edge(&mut self, side: Side, v: usize, p: V2, e: usize, n: V2, gap: f64) {
        let foot = p - n * gap;
        let (v, e) = (vertex_id(v), edge_id(e));
        self.0.push(match side {
            Side::A => Hit { feature_a: v, feature_b: e, gap, normal: -n, a: p, b: foot, group: 0 },
            Side::B => Hit { feature_a: e, feature_b: v, gap, normal: n, a: foot, b: p, group: 0 },
        });
    }

    /// Vertex `i` at `a` of A and vertex `j` at `b` of B; `up` serves where they coincide.
    #[inline]
    pub(crate) fn vertex_vertex(&mut self, i: usize, a: V2, j: usize, b: V2) {
        let d = b - a;
        let gap = d.norm();
        // 1/gap of a subnormal gap would overflow.
        let normal = if gap > f64::MIN_POSITIVE { V2::new(d.x / gap, d.y / gap) } else { V2::UP };
        self.0.push(Hit { feature_a: vertex_id(i), feature_b: vertex_id(j), gap, normal, a, b, group: 0 });
    }

    /// Sorts by features and merges contacts at the same place with the same normal: the first one stays.
    pub(crate) fn settle(&mut self, tolerance: f64) {
        let hits = &mut self.0;
        if hits.len() < 2 {
            return;
        }
        hits.sort_unstable_by_key(|h| (h.feature_a, h.feature_b));
        let mut kept = 1;
        for i in 1..hits.len() {
            let h = hits[i];
            let twice = |k: &Hit| (k.feature_a, k.feature_b) == (h.feature_a, h.feature_b);
            if !hits[..kept].iter().any(|k| twice(k) || h.is_at(k.a, k.b, k.normal, tolerance)) {
                hits[kept] = h;
                kept += 1;
            }
        }
        hits.truncate(kept);
    }

    /// From the cores to the surfaces at these radii.
    pub(crate) fn grow(&mut self, radius_a: f64, radius_b: f64) {
        for h in &mut self.0 {
            h.gap -= radius_a + radius_b;
            h.a = h.a + h.normal * radius_a;
            h.b = h.b - h.normal * radius_b;
        }
    }
}
