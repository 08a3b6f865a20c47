//! Checks of a polygon: simple, counter-clockwise, no edge without length.

use crate::boundary::Turn;
use crate::vec2::V2;

/// A polygon that passed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Polygon {
    /// Vertices, counter-clockwise, m.
    pub(crate) x: Vec<V2>,
    /// Outward unit normals of the edges (vertex j to j + 1).
    pub(crate) n: Vec<V2>,
    /// Turn at every vertex.
    pub(crate) turn: Vec<Turn>,
}

/// Two edges in line within this angle, rad, count as one straight side.
const STRAIGHT: f64 = 1e-9;

/// Vertices x0, y0, x1, y1, … as a polygon, or what is wrong with them and what to do.
pub(crate) fn check(params: &[f64], merge: f64) -> Result<Polygon, String> {
    if !params.len().is_multiple_of(2) || params.len() < 6 {
        return Err(format!("it has {} coordinates; give x and y of at least 3 corners", params.len()));
    }
    let x: Vec<V2> = params.chunks_exact(2).map(|c| V2::new(c[0], c[1])).collect();
    let size = x.iter().map(|v| (*v - x[0]).norm()).fold(0.0, f64::max);
    let k = x.len();
    let mut n = Vec::with_capacity(k);
    for i in 0..k {
        let d = x[(i + 1) % k] - x[i];
        // Shorter edges would vanish within the tolerance that decides where an edge ends.
        if d.norm() <= 4.0 * merge * size {
            return Err(format!("corners {i} and {} coincide; remove one of them", (i + 1) % k));
        }
        n.push(d.right() * (1.0 / d.norm()));
    }
    if let Some((i, j)) = crossing(&x) {
        return Err(format!(
            "the edges after corners {i} and {j} meet; give a simple polygon, or several polygons on the same body"
        ));
    }
    let area = 0.5 * (1..k - 1).map(|i| (x[i] - x[0]).cross(x[i + 1] - x[0])).sum::<f64>();
    if area < 0.0 {
        return Err("its corners run clockwise; list them in the opposite order".into());
    }
    if area <= merge * size * size {
        return Err("it has no area; use a segment, or move a corner".into());
    }
    let turn = (0..k).map(|i| turn(n[(i + k - 1) % k], n[i])).collect();
    Ok(Polygon { x, n, turn })
}

fn turn(last: V2, next: V2) -> Turn {
    let bend = last.cross(next);
    if bend.abs() <= STRAIGHT {
        Turn::Flat
    } else if bend > 0.0 {
        Turn::Convex
    } else {
        Turn::Reflex
    }
}

/// First pair of edges (i, j) that share a point they should not.
fn crossing(x: &[V2]) -> Option<(usize, usize)> {
    let k = x.len();
    let end = |i: usize| x[(i + 1) % k];
    for i in 0..k {
        for j in i + 1..k {
            let meets = if j == i + 1 {
                folds_back(x[i], x[j], end(j))
            } else if (j + 1) % k == i {
                folds_back(x[j], x[i], end(i))
            } else {
                meet(x[i], end(i), x[j], end(j))
            };
            if meets {
                return Some((i, j));
            }
        }
    }
    None
}

/// Returns true if the edges p–q and q–r lie on each other.
fn folds_back(p: V2, q: V2, r: V2) -> bool {
    let (u, v) = (p - q, r - q);
    u.cross(v).abs() <= STRAIGHT * u.norm() * v.norm() && u.dot(v) > 0.0
}

/// Returns true if two closed segments share a point.
fn meet(p: V2, q: V2, r: V2, s: V2) -> bool {
    let side = |a: V2, b: V2, c: V2| (b - a).cross(c - a);
    let (d1, d2) = (side(r, s, p), side(r, s, q));
    let (d3, d4) = (side(p, q, r), side(p, q, s));
    let proper = d1 * d2 < 0.0 && d3 * d4 < 0.0;
    let on = |a: V2, b: V2, c: V2, d: f64| d == 0.0 && (c - a).dot(c - b) <= 0.0;
    proper || on(r, s, p, d1) || on(r, s, q, d2) || on(p, q, r, d3) || on(p, q, s, d4)
}
