//! Loads of support points, from the equilibrium of a part out of the plane it lies on (Berard et al. 2007, II-B).
//!
//! A part of mass m lies on a plane with gravity g_p across it, and perhaps an extra force F_z presses it at x_F. With
//! the centre of mass at the origin of the body frame its points s_k carry
//!
//! ```text
//!   Σ N_k = W = m g_p + F_z,     Σ N_k s_k = W x,     W x = F_z x_F,     N_k ≥ 0
//! ```
//!
//! On three points this is W times the barycentric weights of the load point x. On more it leaves a choice, and the
//! loads of least Σ N_k² are taken: N_k = max(0, a + b·s_k), the pressure of an elastic bed under a rigid plate. Where
//! some a + b·s_k are negative the points that lift are found by an active-set method, which is exact.
//!
//! Loads are constant in the body frame: heights of contact forces and accelerations do not shift them.

use nalgebra::{Matrix2, SymmetricEigen, Vector2};
use thiserror::Error;

/// Rounding of coordinates and loads, relative to the size of the support and to W.
const ROUNDING: f64 = 1e-12;

/// Reason why a part cannot stand on its points.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum LoadError {
    /// Fewer than three points.
    #[error("a part stands on at least three points, found {found}")]
    TooFew {
        /// Number of points.
        found: usize,
    },
    /// All points on one line, or in one place.
    #[error("the support points lie on one line, so the part cannot stand on them")]
    Collinear,
    /// W = m g_p + F_z ≤ 0.
    #[error("nothing presses the part on its plane: m g + F = {weight} N")]
    NotPressed {
        /// W, N.
        weight: f64,
    },
    /// The load point lies outside the polygon of the points.
    #[error(
        "the load at ({}, {}) m lies {by:.3e} m outside the support polygon, beyond the edge from point {} to point {}: \
         the part tips over it",
        at[0], at[1], edge[0], edge[1]
    )]
    Tips {
        /// Load point x, body frame, m.
        at: [f64; 2],
        /// The points (from 0, counter-clockwise) whose edge it lies beyond the farthest.
        edge: [usize; 2],
        /// By how much, m.
        by: f64,
    },
    /// The active set did not settle: points closer together than rounding.
    #[error("no loads were found for these support points: some lie too close together")]
    NotSettled,
}

/// W, N, and the load point x, m (body frame, centre of mass at the origin), of a part of mass `mass` under gravity
/// `gravity` across the plane and an extra force (F_z, x_F), positive towards the plane.
pub fn load_point(mass: f64, gravity: f64, extra: Option<(f64, Vector2<f64>)>) -> (f64, Vector2<f64>) {
    let (force, at) = extra.unwrap_or((0.0, Vector2::zeros()));
    let weight = mass * gravity + force;
    (weight, if force == 0.0 { Vector2::zeros() } else { at * (force / weight) })
}

/// Loads N_k, N, of `points` (body frame, m) under the load `weight` at the point `at`: see the head of the module.
///
/// Errors: [`LoadError`].
pub fn support_loads(points: &[Vector2<f64>], weight: f64, at: Vector2<f64>) -> Result<Vec<f64>, LoadError> {
    if points.len() < 3 {
        return Err(LoadError::TooFew { found: points.len() });
    }
    if !(weight > 0.0) {
        return Err(LoadError::NotPressed { weight });
    }
    // In units of the support's size, about its middle: nothing below depends on where and how large it is.
    let middle = points.iter().sum::<Vector2<f64>>() / points.len() as f64;
    let size = points.iter().map(|s| (s - middle).norm()).fold(0.0, f64::max);
    if !(size > 0.0) {
        return Err(LoadError::Collinear);
    }
    let s: Vec<Vector2<f64>> = points.iter().map(|p| (p - middle) / size).collect();
    let x = (at - middle) / size;
    if spread(&s).eigenvalues.min() <= ROUNDING {
        return Err(LoadError::Collinear);
    }
    let hull = hull(&s);
    inside(&s, &hull, x).map_err(|(edge, by)| LoadError::Tips { at: at.into(), edge, by: by * size })?;
    let plane = Plane::least(&s, &vec![true; s.len()], x);
    let shares: Vec<f64> = s.iter().map(|s| plane.at(s)).collect();
    let shares = if shares.iter().all(|n| *n >= -ROUNDING) { shares } else { lifted(&s, &hull, x)? };
    Ok(shares.iter().map(|n| weight * n.max(0.0)).collect())
}

/// Σ (s − s̄)(s − s̄)ᵀ.
fn spread(s: &[Vector2<f64>]) -> SymmetricEigen<f64, nalgebra::Const<2>> {
    let mean = s.iter().sum::<Vector2<f64>>() / s.len() as f64;
    s.iter().map(|s| (s - mean) * (s - mean).transpose()).sum::<Matrix2<f64>>().symmetric_eigen()
}

/// The affine pressure a + b·s.
struct Plane {
    a: f64,
    b: Vector2<f64>,
}

impl Plane {
    fn at(&self, s: &Vector2<f64>) -> f64 {
        self.a + self.b.dot(s)
    }

    /// Loads of the N of least norm on the points in `on` with Σ N = 1, Σ N s = x; b along their line where they have only one.
    fn least(s: &[Vector2<f64>], on: &[bool], x: Vector2<f64>) -> Self {
        let chosen: Vec<Vector2<f64>> = s.iter().zip(on).filter(|(_, on)| **on).map(|(s, _)| *s).collect();
        let mean = chosen.iter().sum::<Vector2<f64>>() / chosen.len() as f64;
        let eigen = spread(&chosen);
        let mut b = Vector2::zeros();
        for (value, axis) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
            if *value > ROUNDING {
                b += axis * (axis.dot(&(x - mean)) / value);
            }
        }
        Self { a: 1.0 / chosen.len() as f64 - b.dot(&mean), b }
    }
}

/// Corners of the convex hull, counter-clockwise (Andrew's monotone chain).
fn hull(s: &[Vector2<f64>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..s.len()).collect();
    order.sort_by(|&i, &j| s[i].x.total_cmp(&s[j].x).then(s[i].y.total_cmp(&s[j].y)));
    let half = |order: &mut dyn Iterator<Item = usize>| {
        let mut chain: Vec<usize> = Vec::new();
        for i in order {
            while let [.., a, b] = chain[..]
                && (s[b] - s[a]).perp(&(s[i] - s[b])) <= 0.0
            {
                chain.pop();
            }
            chain.push(i);
        }
        chain.pop();
        chain
    };
    let mut corners = half(&mut order.iter().copied());
    corners.extend(half(&mut order.iter().rev().copied()));
    corners
}

/// Checks that x lies in the hull; the error is the edge it lies beyond the farthest, and by how much.
fn inside(s: &[Vector2<f64>], hull: &[usize], x: Vector2<f64>) -> Result<(), ([usize; 2], f64)> {
    let edges = (0..hull.len()).map(|k| [hull[k], hull[(k + 1) % hull.len()]]);
    let beyond = |[a, b]: [usize; 2]| (x - s[a]).perp(&(s[b] - s[a])) / (s[b] - s[a]).norm();
    let worst =
        edges.map(|e| (e, beyond(e))).fold(([0, 0], f64::NEG_INFINITY), |w, e| if e.1 > w.1 { e } else { w });
    if worst.1 <= ROUNDING { Ok(()) } else { Err(worst) }
}

/// A share for every point that carries x, on three corners of the hull only.
fn on_a_triangle(s: &[Vector2<f64>], hull: &[usize], x: Vector2<f64>) -> Vec<f64> {
    let weights = |k: usize| {
        let corner = [hull[0], hull[k], hull[k + 1]];
        let area = (s[corner[1]] - s[corner[0]]).perp(&(s[corner[2]] - s[corner[0]]));
        let part = |i: usize| {
            let (b, c) = (s[corner[(i + 1) % 3]], s[corner[(i + 2) % 3]]);
            (b - x).perp(&(c - x)) / area
        };
        (corner, [part(0), part(1), part(2)])
    };
    let least = |w: &[f64; 3]| w.iter().copied().fold(f64::INFINITY, f64::min);
    let candidates = (1..hull.len() - 1).map(weights);
    let best = candidates.reduce(|best, next| if least(&next.1) > least(&best.1) { next } else { best });
    let mut shares = vec![0.0; s.len()];
    for (corner, weight) in best.into_iter().flat_map(|(corner, weights)| corner.into_iter().zip(weights)) {
        shares[corner] = weight.max(0.0);
    }
    shares
}

/// min Σ N² with Σ N = 1, Σ N s = x, N ≥ 0 by the primal active-set method; ties go to the lowest index (Bland), so
/// that no set comes back.
fn lifted(s: &[Vector2<f64>], hull: &[usize], x: Vector2<f64>) -> Result<Vec<f64>, LoadError> {
    let mut shares = on_a_triangle(s, hull, x);
    let mut on: Vec<bool> = shares.iter().map(|n| *n > 0.0).collect();
    for _ in 0..100 * s.len() {
        let plane = Plane::least(s, &on, x);
        let target = |k: usize| if on[k] { plane.at(&s[k]) } else { 0.0 };
        let reach = |k: usize| shares[k] / (shares[k] - target(k));
        let falling = (0..s.len()).filter(|&k| target(k) < -ROUNDING);
        let blocked = falling.map(|k| (k, reach(k))).reduce(|a, b| if b.1 < a.1 { b } else { a });
        let part = blocked.map_or(1.0, |(_, part)| part);
        let moved: Vec<f64> = (0..s.len()).map(|k| shares[k] + part * (target(k) - shares[k])).collect();
        shares = moved;
        if let Some((k, _)) = blocked {
            (on[k], shares[k]) = (false, 0.0);
            continue;
        }
        // The multiplier of N_k ≥ 0 is −(a + b·s_k): where the bed would push, the point comes down again.
        match (0..s.len()).find(|&k| !on[k] && plane.at(&s[k]) > ROUNDING) {
            Some(k) => on[k] = true,
            None => return Ok(shares),
        }
    }
    Err(LoadError::NotSettled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(x: f64, y: f64) -> Vector2<f64> {
        Vector2::new(x, y)
    }

    /// A deterministic number in −1 … 1.
    fn noise(k: usize) -> f64 {
        (12.9898 * (k as f64 + 1.0)).sin() * 43758.5453 % 1.0
    }

    #[track_caller]
    fn balanced(s: &[Vector2<f64>], n: &[f64], weight: f64, at: Vector2<f64>) {
        let sum: f64 = n.iter().sum();
        let moment: Vector2<f64> = s.iter().zip(n).map(|(s, n)| s * *n).sum();
        assert!((sum - weight).abs() <= 1e-9 * weight, "{sum} of {weight}");
        assert!((moment - at * weight).norm() <= 1e-9 * weight, "{moment} of {}", at * weight);
        assert!(n.iter().all(|n| *n >= 0.0), "{n:?}");
    }

    #[test]
    fn a_tripod_carries_barycentric_weights() {
        let s = [v(0.0, 0.0), v(1.0, 0.0), v(0.0, 1.0)];
        // x = (0.2, 0.3): weights 0.5, 0.2, 0.3.
        let n = support_loads(&s, 10.0, v(0.2, 0.3)).unwrap();
        assert!(n.iter().zip([5.0, 2.0, 3.0]).all(|(n, e)| (n - e).abs() < 1e-12), "{n:?}");
    }

    #[test]
    fn an_extra_force_moves_the_load_point() {
        // m g = 10 N at the origin and 5 N at (0.3, 0): 15 N at (0.1, 0). Upwards: 5 N at (−0.3, 0).
        assert_eq!(load_point(1.0, 10.0, Some((5.0, v(0.3, 0.0)))), (15.0, v(0.3, 0.0) * (5.0 / 15.0)));
        let (weight, at) = load_point(1.0, 10.0, Some((-5.0, v(0.3, 0.0))));
        assert!(weight == 5.0 && (at - v(-0.3, 0.0)).norm() < 1e-15);
    }

    #[test]
    fn four_points_share_an_affine_pressure() {
        let s = [v(1.0, 1.0), v(-1.0, 1.0), v(-1.0, -1.0), v(1.0, -1.0)];
        let n = support_loads(&s, 8.0, v(0.25, 0.1)).unwrap();
        balanced(&s, &n, 8.0, v(0.25, 0.1));
        // Affine on a square: opposite corners add up alike.
        assert!((n[0] + n[2] - n[1] - n[3]).abs() < 1e-12, "{n:?}");
    }

    #[test]
    fn points_lift_where_the_bed_would_pull() {
        // On a line of points along x and one aside, the load near one end: by Karush–Kuhn–Tucker N = max(0, a + b·s).
        let s: Vec<_> = (0..6).map(|k| v(f64::from(k), 0.0)).chain([v(2.0, 1.0)]).collect();
        let at = v(0.4, 0.05);
        let n = support_loads(&s, 1.0, at).unwrap();
        balanced(&s, &n, 1.0, at);
        assert!(n.contains(&0.0), "{n:?}");
        let on: Vec<bool> = n.iter().map(|n| *n > 0.0).collect();
        let plane = Plane::least(&s, &on, at);
        for (s, n) in s.iter().zip(&n) {
            assert!((n - plane.at(s).max(0.0)).abs() < 1e-10, "{n} at {s}");
        }
    }

    #[test]
    fn no_lawful_change_of_the_loads_makes_them_smaller() {
        // Along every N′ − N with N′ ≥ 0 lawful (loads on triangles around the load) the norm does not fall: N·(N′ − N) ≥ 0.
        for seed in 0..200 {
            let count = 4 + seed % 7;
            let s: Vec<_> =
                (0..count).map(|k| v(noise(97 * seed + 2 * k), noise(97 * seed + 2 * k + 1))).collect();
            let corner = (s[0] * 0.9) + (s[1] * 0.07) + (s[2] * 0.03);
            let n = support_loads(&s, 1.0, corner).unwrap();
            balanced(&s, &n, 1.0, corner);
            let norm: f64 = n.iter().map(|n| n * n).sum();
            for (i, j, k) in
                (0..count * count * count).map(|t| (t % count, t / count % count, t / count / count))
            {
                let area = (s[j] - s[i]).perp(&(s[k] - s[i]));
                if i >= j || j >= k || area.abs() < 1e-9 {
                    continue;
                }
                let part = |b: usize, c: usize| (s[b] - corner).perp(&(s[c] - corner)) / area;
                let other = [(i, part(j, k)), (j, part(k, i)), (k, part(i, j))];
                if other.iter().all(|(_, w)| *w >= 0.0) {
                    let product: f64 = other.iter().map(|&(p, w)| n[p] * w).sum();
                    assert!(product >= norm - 1e-9, "seed {seed}: {product} < {norm}");
                }
            }
        }
    }

    #[test]
    fn a_load_on_an_edge_is_carried_by_the_edge() {
        let s = [v(0.0, 0.0), v(1.0, 0.0), v(1.0, 1.0), v(0.0, 1.0), v(0.5, 0.5), v(0.5, 0.2)];
        let n = support_loads(&s, 4.0, v(0.25, 0.0)).unwrap();
        assert!(n.iter().zip([3.0, 1.0, 0.0, 0.0, 0.0, 0.0]).all(|(n, e)| (n - e).abs() < 1e-9), "{n:?}");
    }

    #[test]
    fn what_cannot_stand_is_refused() {
        let tripod = [v(0.0, 0.0), v(1.0, 0.0), v(0.0, 1.0)];
        let at = v(0.2, 0.2);
        let line = [v(0.0, 0.0), v(1.0, 1.0), v(2.0, 2.0), v(5.0, 5.0)];
        assert_eq!(support_loads(&tripod[..2], 1.0, at), Err(LoadError::TooFew { found: 2 }));
        assert_eq!(support_loads(&line, 1.0, v(1.5, 1.5)), Err(LoadError::Collinear));
        assert_eq!(support_loads(&[at; 5], 1.0, at), Err(LoadError::Collinear));
        assert_eq!(support_loads(&tripod, 0.0, at), Err(LoadError::NotPressed { weight: 0.0 }));
        let Err(LoadError::Tips { edge, by, .. }) = support_loads(&tripod, 1.0, v(0.6, 0.8)) else {
            panic!()
        };
        assert_eq!(edge, [1, 2]);
        assert!((by - 0.4 / 2.0_f64.sqrt()).abs() < 1e-12, "{by}");
        let message = support_loads(&tripod, 1.0, v(0.5, -0.25)).unwrap_err().to_string();
        assert_eq!(
            message,
            "the load at (0.5, -0.25) m lies 2.500e-1 m outside the support polygon, beyond the edge from point 0 to point \
             1: the part tips over it"
        );
    }
}
