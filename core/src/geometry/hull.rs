//! Convex hull of points in space.

use std::collections::BTreeSet;

use nalgebra::Vector3;

/// Pairs of a point and a triangle that are looked at: some seconds.
const MOST_WORK: usize = 4_000_000_000;

/// Reason why points have no hull.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoHull {
    /// They lie in one plane, to 1e-9 of their extent.
    Flat,
    /// Too many points, too many of them corners: the hull would take minutes.
    TooLarge,
}

/// Triangles (outward, counter-clockwise) of the convex hull of `points`.
///
/// Incremental: points outside the hull so far replace the triangles they see by a fan over the horizon. O(n f).
///
/// # Errors
/// Points in one plane, or too many of them.
pub fn convex_hull(points: &[Vector3<f64>]) -> Result<Vec<[u32; 3]>, NoHull> {
    let extent = points.iter().map(|p| (p - points[0]).norm()).fold(0.0, f64::max);
    let tolerance = 1e-9 * extent;
    let start = first_tetrahedron(points, tolerance).ok_or(NoHull::Flat)?;
    let mut hull = Hull { points, tolerance: 1e-3 * tolerance, faces: Vec::new(), work: 0 };
    let [a, b, c, d] = start;
    for face in [[a, b, c], [a, d, b], [b, d, c], [c, d, a]] {
        hull.add(face);
    }
    for p in 0..points.len() as u32 {
        if !start.contains(&p) {
            hull.insert(p)?;
        }
    }
    Ok(hull.faces.into_iter().map(|f| f.corners).collect())
}

struct Face {
    corners: [u32; 3],
    normal: Vector3<f64>,
    offset: f64,
}

struct Hull<'a> {
    points: &'a [Vector3<f64>],
    tolerance: f64,
    faces: Vec<Face>,
    work: usize,
}

impl Hull<'_> {
    fn add(&mut self, corners: [u32; 3]) {
        let [a, b, c] = corners.map(|i| self.points[i as usize]);
        let normal = (b - a).cross(&(c - a));
        let length = normal.norm();
        // A sliver sees nothing and closes the surface all the same.
        let normal = if length > 0.0 { normal / length } else { normal };
        self.faces.push(Face { corners, normal, offset: normal.dot(&a) });
    }

    fn insert(&mut self, p: u32) -> Result<(), NoHull> {
        let (at, tolerance) = (self.points[p as usize], self.tolerance);
        let sees = |f: &Face| f.normal.dot(&at) - f.offset > tolerance;
        self.work += self.faces.len();
        if self.work > MOST_WORK {
            return Err(NoHull::TooLarge);
        }
        if !self.faces.iter().any(sees) {
            return Ok(());
        }
        let (seen, kept): (Vec<Face>, Vec<Face>) =
            std::mem::take(&mut self.faces).into_iter().partition(sees);
        self.faces = kept;
        let edges: Vec<(u32, u32)> = seen.iter().flat_map(|f| edges_of(f.corners)).collect();
        let all: BTreeSet<(u32, u32)> = edges.iter().copied().collect();
        // The horizon: edges of seen triangles whose other side is not seen.
        for &(a, b) in edges.iter().filter(|(a, b)| !all.contains(&(*b, *a))) {
            self.add([a, b, p]);
        }
        Ok(())
    }
}

fn edges_of([a, b, c]: [u32; 3]) -> [(u32, u32); 3] {
    [(a, b), (b, c), (c, a)]
}

/// Four points that span space, with the fourth below the first three.
fn first_tetrahedron(points: &[Vector3<f64>], tolerance: f64) -> Option<[u32; 4]> {
    let farthest = |distance: &dyn Fn(&Vector3<f64>) -> f64| {
        let (i, d) = points
            .iter()
            .map(distance)
            .enumerate()
            .fold((0, 0.0), |best, (i, d)| if d > best.1 { (i, d) } else { best });
        (d > tolerance).then_some(i)
    };
    let a = 0;
    let b = farthest(&|p| (p - points[a]).norm())?;
    let along = (points[b] - points[a]).normalize();
    let c = farthest(&|p| along.cross(&(p - points[a])).norm())?;
    let normal = along.cross(&(points[c] - points[a])).normalize();
    let d = farthest(&|p| normal.dot(&(p - points[a])).abs())?;
    let below = normal.dot(&(points[d] - points[a])) < 0.0;
    let (b, c) = if below { (b, c) } else { (c, b) };
    Some([a, b, c, d].map(|i| i as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns true if every edge is there in both directions.
    fn is_closed(triangles: &[[u32; 3]]) -> bool {
        let edges: Vec<(u32, u32)> = triangles.iter().flat_map(|t| edges_of(*t)).collect();
        edges.iter().all(|(a, b)| edges.iter().filter(|e| **e == (*b, *a)).count() == 1)
    }

    fn volume(points: &[Vector3<f64>], triangles: &[[u32; 3]]) -> f64 {
        let corner = |i: u32| points[i as usize];
        triangles.iter().map(|t| corner(t[0]).dot(&corner(t[1]).cross(&corner(t[2]))) / 6.0).sum()
    }

    fn cube(side: f64) -> Vec<Vector3<f64>> {
        let at = |bit: usize| if bit == 1 { side } else { 0.0 };
        (0..8).map(|i| Vector3::new(at(i & 1), at((i >> 1) & 1), at((i >> 2) & 1))).collect()
    }

    #[test]
    fn a_cube_with_points_inside_and_on_its_faces_is_closed_and_has_its_volume() {
        let mut points = cube(2.0);
        points.extend([
            Vector3::new(1.0, 1.0, 1.0),
            Vector3::new(1.0, 1.0, 2.0),
            Vector3::new(2.0, 0.5, 0.5),
        ]);
        for shift in 0..points.len() {
            points.rotate_left(1);
            let hull = convex_hull(&points).unwrap();
            assert!((volume(&points, &hull) - 8.0).abs() < 1e-12, "order {shift}");
            assert!(is_closed(&hull));
        }
    }

    #[test]
    fn points_on_a_sphere_are_all_corners() {
        let points: Vec<Vector3<f64>> = (0..200)
            .map(|i| {
                let (z, angle) = (1.0 - (2.0 * f64::from(i) + 1.0) / 200.0, 2.399_963 * f64::from(i));
                let r = (1.0 - z * z).sqrt();
                Vector3::new(r * angle.cos(), r * angle.sin(), z)
            })
            .collect();
        let hull = convex_hull(&points).unwrap();
        // Euler: a triangulated sphere with n corners has 2n - 4 triangles.
        assert_eq!(hull.len(), 2 * 200 - 4);
        assert!(is_closed(&hull));
        assert!((volume(&points, &hull) / (4.0 / 3.0 * std::f64::consts::PI) - 1.0).abs() < 0.04);
    }

    #[test]
    fn flat_points_have_no_hull() {
        let flat: Vec<Vector3<f64>> =
            cube(1.0).into_iter().map(|p| Vector3::new(p.x, p.y, 0.3 * p.x)).collect();
        assert_eq!(convex_hull(&flat), Err(NoHull::Flat));
        assert_eq!(convex_hull(&[Vector3::zeros(); 5]), Err(NoHull::Flat));
    }
}
