//! Boundaries made of facets: straight edges in the plane, triangles in space.

use nalgebra::Vector3;

use super::facet::Facet;
use super::tree::{Tree, squared_distance_to_box};

/// Facets with a tree over them.
#[derive(Debug, Clone)]
pub(super) struct Boundary {
    pub(super) facets: Vec<Facet>,
    /// Corners without repetition, for support functions.
    points: Vec<Vector3<f64>>,
    pub(super) tree: Tree,
}

impl Boundary {
    fn new(mut facets: Vec<Facet>, points: Vec<Vector3<f64>>) -> Self {
        let tree = Tree::new(&mut facets);
        Self { facets, points, tree }
    }

    /// Boundary with corners in counter-clockwise order.
    pub(super) fn of_loop(points: &[Vector3<f64>]) -> Self {
        let n = points.len();
        let facets = (0..n).map(|i| Facet::edge(points[i], points[(i + 1) % n])).collect();
        Self::new(facets, points.to_vec())
    }

    /// Boundary of triangles, counter-clockwise seen from outside; points that no triangle has are left out.
    pub(super) fn of_triangles(points: &[Vector3<f64>], triangles: &[[u32; 3]]) -> Self {
        let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let facets = triangles.iter().map(|t| Facet::triangle(t.map(|v| points[v as usize]))).collect();
        Self::new(facets, used.iter().map(|v| points[*v as usize]).collect())
    }

    pub(super) fn is_planar(&self) -> bool {
        self.facets.iter().all(|f| f.n == 2)
    }

    pub(super) fn corners(&self) -> impl Iterator<Item = Vector3<f64>> + Clone + '_ {
        self.points.iter().copied()
    }

    /// Outward normals and n·x of the facets that have an area.
    pub(super) fn normals(&self) -> impl Iterator<Item = (&Vector3<f64>, f64)> {
        let flat = |f: &&Facet| f.normal != Vector3::zeros();
        self.facets.iter().filter(flat).map(|f| (&f.normal, f.normal.dot(&f.corner[0])))
    }

    /// Outward normals and n·x of those facets, by value.
    pub(super) fn planes(&self) -> impl Iterator<Item = (Vector3<f64>, f64)> + '_ {
        self.normals().map(|(n, offset)| (*n, offset))
    }

    /// A corner farthest along d.
    #[inline]
    pub(super) fn farthest(&self, d: &Vector3<f64>) -> Vector3<f64> {
        let mut best = (f64::NEG_INFINITY, Vector3::zeros());
        for x in &self.points {
            let along = d.dot(x);
            if along > best.0 {
                best = (along, *x);
            }
        }
        best.1
    }

    /// Middle of the box of the corners, and the distance of the farthest one from it.
    pub(super) fn ball(&self) -> (Vector3<f64>, f64) {
        let first = self.points[0];
        let (low, high) = self.points.iter().fold((first, first), |(l, h), x| (l.inf(x), h.sup(x)));
        let middle = (low + high) * 0.5;
        let far = self.points.iter().map(|x| (x - middle).norm()).fold(0.0, f64::max);
        (middle, far)
    }

    /// The two largest heights of a point over the planes of the facets, m: of a convex solid the first is at most the
    /// distance, and inside minus the depth.
    pub(super) fn highest(&self, x: &Vector3<f64>) -> [f64; 2] {
        let [mut first, mut second] = [f64::NEG_INFINITY; 2];
        for facet in self.facets.iter().filter(|f| f.normal != Vector3::zeros()) {
            let height = facet.height(x);
            if height > first {
                (first, second) = (height, first);
            } else if height > second {
                second = height;
            }
        }
        [first, second]
    }

    /// The nearest facet's index and its nearest point.
    pub(super) fn nearest(&self, x: &Vector3<f64>) -> (usize, Vector3<f64>) {
        let (mut best, mut limit) = ((f64::INFINITY, 0, self.facets[0].corner[0]), f64::INFINITY);
        let near = |low: &Vector3<f64>, high: &Vector3<f64>, least: &f64| {
            squared_distance_to_box(x, low, high) < *least
        };
        self.tree.visit(near, &mut limit, |i, least| {
            let foot = self.facets[i].nearest(x);
            let far = (x - foot).norm_squared();
            if far < best.0 {
                (best, *least) = ((far, i, foot), far);
            }
        });
        (best.1, best.2)
    }

    /// Calls `found` with every facet that comes within `slack` of x, m.
    pub(super) fn around(&self, x: &Vector3<f64>, slack: f64, mut found: impl FnMut(&Facet)) {
        let mut reach = slack * slack;
        let near = |low: &Vector3<f64>, high: &Vector3<f64>, reach: &f64| {
            squared_distance_to_box(x, low, high) <= *reach
        };
        self.tree.visit(near, &mut reach, |i, reach| {
            if (x - self.facets[i].nearest(x)).norm_squared() <= *reach {
                found(&self.facets[i]);
            }
        });
    }
}
