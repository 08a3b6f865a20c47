//! Shapes as the narrow phase sees them.

use crate::superquadric::{Curved, superellipse, superellipsoid};
use vinci_detect::Vec3;

/// A face (edge) of a polytope: n·x = offset, n a unit vector.
#[derive(Debug, Clone)]
pub(crate) struct Face {
    pub(crate) normal: Vec3,
    pub(crate) offset: f64,
}

/// A convex set given by its support points.
#[derive(Debug, Clone)]
pub(crate) enum Core {
    /// Disc, ball.
    Point,
    /// Capsules: half the axis.
    Stick(Vec3),
    /// Half axes and s.
    Superellipse(Vec3, f64),
    /// Half axes and [p1, p2].
    Superellipsoid(Vec3, [f64; 2]),
    /// Corners, the faces as far as they are known, and of boxes half the sides.
    Polytope(Vec<Vec3>, Vec<Face>, Option<Vec3>),
}

/// A convex core, thickened by a radius.
#[derive(Debug, Clone)]
pub(crate) struct Convex {
    pub(crate) core: Core,
    /// m.
    pub(crate) radius: f64,
    /// The whole is some convex set thickened by this: at least the radius, at most the smallest radius of curvature, m.
    pub(crate) roundness: f64,
    /// Largest distance of a point from the origin, m.
    pub(crate) reach: f64,
    /// Where a deep overlap may be shortest: local unit directions.
    pub(crate) ways_out: Vec<Vec3>,
}

/// A shape.
#[derive(Debug, Clone)]
pub(crate) enum Solid {
    /// Outward normal, local.
    HalfSpace(Vec3),
    /// Everything else.
    Convex(Convex),
}

impl Core {
    /// The support point in a local direction, with second derivatives.
    pub(crate) fn support(&self, n: &Vec3) -> Curved {
        match self {
            Self::Superellipse(half, s) => superellipse(half, *s, n),
            Self::Superellipsoid(half, p) => superellipsoid(half, *p, n),
            _ => Curved { point: self.corner(n), factors: [0.0; 2], vectors: [Vec3::zeros(); 2] },
        }
    }

    fn corner(&self, n: &Vec3) -> Vec3 {
        match self {
            Self::Stick(half) => *half * if half.dot(n) >= 0.0 { 1.0 } else { -1.0 },
            Self::Polytope(corners, ..) => {
                let mut best = (f64::NEG_INFINITY, Vec3::zeros());
                for x in corners {
                    let height = n.dot(x);
                    if height > best.0 {
                        best = (height, *x);
                    }
                }
                best.1
            }
            _ => Vec3::zeros(),
        }
    }

    /// Faces of a polytope.
    pub(crate) fn faces(&self) -> &[Face] {
        if let Self::Polytope(_, faces, _) = self { faces } else { &[] }
    }

    /// Polygon, box or hull.
    pub(crate) fn is_polytope(&self) -> bool {
        matches!(self, Self::Polytope(..))
    }
}

impl Convex {
    /// Completes a core by what follows from it.
    pub(crate) fn new(core: Core, radius: f64) -> Self {
        let reach = radius
            + match &core {
                Core::Point => 0.0,
                Core::Stick(half) => half.norm(),
                Core::Superellipse(half, s) => farthest(half, &[*s]),
                Core::Superellipsoid(half, p) => farthest(half, p),
                Core::Polytope(corners, ..) => corners.iter().map(Vec3::norm).fold(0.0, f64::max),
            };
        let (ways_out, roundness) = (ways_out(&core), radius + smallest_radius(&core));
        Self { core, radius, roundness, reach, ways_out }
    }
}

/// With all exponents ≤ 2 the farthest point is the end of the longest axis; else the corner of the box bounds it.
fn farthest(half: &Vec3, exponents: &[f64]) -> f64 {
    if exponents.iter().all(|p| *p <= 2.0) { half.amax() } else { half.norm() }
}

/// Axes, and the normals of the diamond with the same half axes: near them lie the flat places of large and of small
/// exponents.
fn ways_out(core: &Core) -> Vec<Vec3> {
    let half = match core {
        Core::Superellipse(half, _) | Core::Superellipsoid(half, _) => half,
        Core::Polytope(_, faces, _) => return between(faces),
        Core::Point | Core::Stick(_) => return Vec::new(),
    };
    const STEPS: [f64; 3] = [-1.0, 0.0, 1.0];
    let planar = matches!(core, Core::Superellipse(..));
    let z_steps: &[f64] = if planar { &[0.0] } else { &STEPS };
    let mut all = Vec::new();
    for z in z_steps {
        for y in STEPS {
            for x in STEPS {
                let n = Vec3::new(x / half.x, y / half.y, if *z == 0.0 { 0.0 } else { z / half.z });
                if n.norm() > 0.0 {
                    all.push(n.normalize());
                }
            }
        }
    }
    all
}

/// Normals of faces, and between every two that are not opposite: over edges.
fn between(faces: &[Face]) -> Vec<Vec3> {
    let mut all: Vec<Vec3> = faces.iter().map(|f| f.normal).collect();
    if faces.len() <= 12 {
        for (i, f) in faces.iter().enumerate() {
            let sums = faces[..i].iter().map(|g| f.normal + g.normal);
            all.extend(sums.filter(|s| s.norm() > 1e-3).map(|s| s.normalize()));
        }
    }
    all
}

/// Nine tenths of the smallest radius of curvature found on a grid of normals; 0 where an exponent below 2 makes points
/// sharp.
fn smallest_radius(core: &Core) -> f64 {
    const STEPS: u32 = 48;
    let quarter = |i: u32| std::f64::consts::FRAC_PI_2 * f64::from(i) / f64::from(STEPS);
    let mut least = f64::INFINITY;
    match core {
        Core::Superellipse(_, s) if *s >= 2.0 => {
            for i in 0..=16 * STEPS {
                let (sin, cos) = (quarter(i) / 16.0).sin_cos();
                least = least.min(radii(core, &Vec3::new(cos, sin, 0.0), true));
            }
        }
        Core::Superellipsoid(half, p) if p.iter().all(|p| *p >= 2.0) => {
            for i in 0..=STEPS {
                for j in 0..=STEPS {
                    let ((su, cu), (sv, cv)) = (quarter(i).sin_cos(), quarter(j).sin_cos());
                    let d = Vec3::new(cu * cv, su * cv, sv);
                    // Thin shapes turn their normals within a small part of all directions: stretched grids look there too.
                    for n in [d, d.component_mul(half), d.component_div(half)] {
                        least = least.min(radii(core, &n.normalize(), false));
                    }
                }
            }
        }
        _ => return 0.0,
    }
    0.9 * least
}

/// Smallest principal radius of curvature at the normal n: eigenvalue of the support function's second derivative across
/// n.
fn radii(core: &Core, n: &Vec3, planar: bool) -> f64 {
    let curved = core.support(n);
    let (t1, t2) = tangents(n);
    let entry = |s: &Vec3, t: &Vec3| -> f64 {
        (0..2).map(|i| curved.factors[i] * curved.vectors[i].dot(s) * curved.vectors[i].dot(t)).sum()
    };
    let (a, b, c) = (entry(&t1, &t1), entry(&t1, &t2), entry(&t2, &t2));
    if planar { a.max(c) } else { 0.5 * (a + c) - (0.25 * (a - c) * (a - c) + b * b).sqrt() }
}

/// Two unit vectors that complete n to a basis; the first lies in the plane where n does.
pub(crate) fn tangents(n: &Vec3) -> (Vec3, Vec3) {
    let flat = n.x.hypot(n.y);
    let t1 =
        if flat > 0.1 { Vec3::new(-n.y / flat, n.x / flat, 0.0) } else { Vec3::y().cross(n).normalize() };
    (t1, n.cross(&t1))
}
