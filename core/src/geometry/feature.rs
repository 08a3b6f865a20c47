//! Which normals a shape has at a place: what a contact's normal is held against.

use nalgebra::Vector3;

use super::core::Core;
use super::facet::{Facet, nearest_on};
use super::solid::Placed;
use crate::model::ShapeKind;

/// A place counts as on a feature when it is within this part of the size.
const ON: f64 = 1e-6;

/// Share of the width along n below which a point is one of the lowest: the normal is turned round. Tilted pairs of edges of
/// thin plates come down to a tenth.
const LOWEST: f64 = 0.03;

/// Axes of a box.
const AXES: [usize; 3] = [0, 1, 2];

/// How far a direction n is from being a normal of a shape at a point x; 0: it is one. All three are sines or shares of the
/// size, ∞ where there is no such feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fit {
    /// Normal cone at x: 0 where no point of the shape (near x, where it has notches) lies higher along n than x.
    pub(super) cone: f64,
    /// Distance |n − m| to the normal m of a face whose plane goes through x, be x on the face itself or beyond its end.
    pub(super) face: f64,
    /// |n·e| for a straight edge (or generator) e through x, in space.
    pub(super) edge: f64,
    /// True if x is not among the lowest points along n: an edge has no sign of its own.
    pub(super) is_upper: bool,
    /// True if a face is not enough: on round shapes the place follows from the normal.
    pub(super) is_round: bool,
}

impl Placed<'_> {
    /// How the direction n (unit, world, outwards) fits the point x (world).
    pub(super) fn fit(&self, x: &Vector3<f64>, n: &Vector3<f64>) -> Fit {
        let (x, n) = (self.frame.point_back(x), self.frame.dir_back(n));
        let (core, radius, size) = (&self.solid.core, self.solid.radius, self.solid.size());
        if radius > 0.0 {
            // The radius stands on the core along the normal, wherever on the core.
            let off = core_offset(core, &(x - n * radius)) / radius;
            return Fit { cone: off, face: f64::INFINITY, edge: off, is_upper: true, is_round: true };
        }
        let excess = || (n.dot(&(core.support(&n) - x)) / size).max(0.0);
        let (face, edge) = (f64::INFINITY, f64::INFINITY);
        let mut fit = Fit { cone: 0.0, face, edge, is_upper: true, is_round: false };
        match core {
            Core::Half(up) => (fit.cone, fit.face) = ((n - up).norm(), (n - up).norm()),
            Core::Super { .. } => (fit.cone, fit.is_round) = (excess(), true),
            Core::Surface(_) => fit.cone = self.local_excess(&x, &n),
            _ => fit.cone = excess(),
        }
        fit
    }

    /// Adds to a fit what faces and edges say.
    pub(super) fn look_closer(&self, x: &Vector3<f64>, n: &Vector3<f64>, fit: &mut Fit) {
        let (x, n) = (self.frame.point_back(x), self.frame.dir_back(n));
        let (core, size) = (&self.solid.core, self.solid.size());
        self.faces(&mut |m, offset| {
            if (m.dot(&x) - offset).abs() <= ON * size {
                fit.face = fit.face.min((n - m).norm());
            }
        });
        if fit.is_round {
            return;
        }
        fit.edge = self.edge(&x, &n);
        let (low, high) = (n.dot(&core.support(&-n)), n.dot(&core.support(&n)));
        fit.is_upper = n.dot(&x) >= low + LOWEST * (high - low);
    }

    /// Calls `found` with the outward normals (world) of flat faces, unless there are more than `most` facets.
    pub(super) fn for_normals(&self, most: usize, found: &mut dyn FnMut(&Vector3<f64>)) {
        let many = match &self.solid.core {
            Core::Hull(b) | Core::Surface(b) => b.facets.len() > most,
            _ => false,
        };
        if !many {
            self.faces(&mut |n, _| found(&self.frame.dir(n)));
        }
    }

    /// Calls `found` with the outward normals (own axes) of flat faces and the offsets n·x of their planes, m.
    fn faces(&self, found: &mut dyn FnMut(&Vector3<f64>, f64)) {
        match &self.solid.core {
            Core::Box(half) => AXES.iter().for_each(|&k| {
                found(&Vector3::ith(k, 1.0), half[k]);
                found(&Vector3::ith(k, -1.0), half[k]);
            }),
            Core::Cylinder { half, .. } => {
                found(&Vector3::z(), *half);
                found(&-Vector3::z(), *half);
            }
            Core::Cone { half, .. } => found(&-Vector3::z(), *half),
            // A stick of the plane has two sides.
            Core::Stick([p, q]) if self.solid.kind != ShapeKind::Capsule => {
                let d = (q - p).normalize();
                let n = Vector3::new(d.y, -d.x, 0.0);
                found(&n, n.dot(p) + self.solid.radius);
                found(&-n, self.solid.radius - n.dot(p));
            }
            Core::Hull(b) | Core::Surface(b) => b.normals().for_each(|(n, offset)| found(n, offset)),
            Core::Half(_) | Core::Point | Core::Stick(_) | Core::Super { .. } => {}
        }
    }

    /// |n·e| of the straight line on the surface at x that is most square to n; ∞ where there is none.
    fn edge(&self, x: &Vector3<f64>, n: &Vector3<f64>) -> f64 {
        let near = ON * self.solid.size();
        match &self.solid.core {
            Core::Box(half) => {
                let at = |k: usize| (x[k].abs() - half[k]).abs() <= near;
                let along = |k: usize| at((k + 1) % 3) && at((k + 2) % 3);
                AXES.into_iter().filter(|k| along(*k)).map(|k| n[k].abs()).fold(f64::INFINITY, f64::min)
            }
            Core::Cylinder { half, .. } => {
                if (x.z.abs() - half).abs() <= near {
                    0.0
                } else {
                    n.z.abs()
                }
            }
            Core::Cone { half, .. } => {
                let generator = Vector3::new(x.x, x.y, x.z - half);
                // In the plane of the base there is a line square to any direction; at the apex as well.
                if (x.z + half).abs() <= near || generator.norm() <= near {
                    return 0.0;
                }
                n.dot(&generator.normalize()).abs()
            }
            Core::Hull(b) | Core::Surface(b) => {
                let mut least = f64::INFINITY;
                b.around(x, near, |facet| least = least.min(edge_of(facet, x, n, near)));
                least
            }
            Core::Half(_) | Core::Point | Core::Stick(_) | Core::Super { .. } => f64::INFINITY,
        }
    }

    /// Excess along n, as of a convex shape, for the facets at x alone; ∞ where there are none.
    fn local_excess(&self, x: &Vector3<f64>, n: &Vector3<f64>) -> f64 {
        let Core::Surface(b) = &self.solid.core else { return f64::INFINITY };
        let size = self.solid.size();
        let mut most = None;
        b.around(x, ON * size, |facet| {
            let high = facet.corners().iter().map(|c| n.dot(&(c - x)) / size).fold(0.0, f64::max);
            // A thin sheet may be seen from behind.
            most = Some(high.max(most.unwrap_or(0.0)));
        });
        most.unwrap_or(f64::INFINITY)
    }

    /// Height of x over the plane of the face that looks along n best, m, where one does within 1e-6; else ∞.
    pub(super) fn height_over_face(&self, x: &Vector3<f64>, n: &Vector3<f64>) -> f64 {
        let (x, n) = (self.frame.point_back(x), self.frame.dir_back(n));
        let mut least = f64::INFINITY;
        self.faces(&mut |m, offset| {
            if (n - m).norm() <= ON {
                least = least.min((m.dot(&x) - offset).abs());
            }
        });
        least
    }
}

impl Placed<'_> {
    /// Returns true if x lies on the line of an edge with normal n of a polygon, at most `reach` beyond an end in a notch: what comes
    /// through the other side of the notch meets that line, be the solid thick there or thin.
    pub(super) fn is_beyond_notch(&self, x: &Vector3<f64>, n: &Vector3<f64>, reach: f64) -> bool {
        let Core::Surface(b) = &self.solid.core else { return false };
        let (x, n) = (self.frame.point_back(x), self.frame.dir_back(n));
        let (near, flat) = (ON * self.solid.size(), |f: &&Facet| f.n == 2 && (n - f.normal).norm() <= ON);
        b.facets.iter().filter(flat).any(|f| {
            let end = f.nearest(&x);
            // A neighbour that rises from there on the outer side makes a notch.
            let rises = |g: &Facet| {
                let other = if g.corner[0] == end { g.corner[1] } else { g.corner[0] };
                (g.corner[0] == end || g.corner[1] == end) && f.height(&other) > near
            };
            f.height(&x).abs() <= near && (x - end).norm() <= reach + near && b.facets.iter().any(rises)
        })
    }
}

fn edge_of(facet: &Facet, x: &Vector3<f64>, n: &Vector3<f64>, near: f64) -> f64 {
    let on = |[p, q]: &[Vector3<f64>; 2]| {
        let d = q - p;
        d.cross(&(x - p)).norm() <= near * d.norm()
    };
    let square = |[p, q]: [Vector3<f64>; 2]| n.dot(&(q - p)).abs() / (q - p).norm();
    // In the plane edges are faces.
    facet.edges().filter(|_| facet.n == 3).filter(on).map(square).fold(f64::INFINITY, f64::min)
}

/// Distance of x from a core without inside, m.
fn core_offset(core: &Core, x: &Vector3<f64>) -> f64 {
    match core {
        Core::Stick([p, q]) => (x - nearest_on(p, q, x)).norm(),
        _ => x.norm(),
    }
}
