//! Shapes as the narrow phase sees them.

use crate::feature;
use crate::math::Aabb;
use crate::mesh::Mesh;
use crate::polytope::Polytope;
use vinci_detect::{Frame, Vec3};

/// A convex set given by its support function.
#[derive(Debug, Clone)]
pub(crate) enum Core {
    /// Box, hull, triangle, segment.
    Polytope(Polytope),
    /// Axis z.
    Cylinder { half: f64, radius: f64 },
    /// Apex at +z.
    Cone { half: f64, radius: f64 },
}

impl Core {
    /// A point farthest along `d` and its feature number.
    pub(crate) fn support(&self, d: &Vec3) -> (Vec3, u32) {
        match *self {
            Self::Polytope(ref p) => {
                let i = p.support(d);
                (p.vertices[i], i as u32)
            }
            Self::Cylinder { half, radius } => {
                let top = d.z >= 0.0;
                (rim(d, radius, if top { half } else { -half }), feature::ROUND | u32::from(!top))
            }
            Self::Cone { half, radius } => {
                let base = rim(d, radius, -half);
                if d.z * half >= d.dot(&base) {
                    (Vec3::new(0.0, 0.0, half), 0)
                } else {
                    (base, feature::ROUND | 1)
                }
            }
        }
    }

    /// Half the diagonal of the local box, m.
    pub(crate) fn size(&self) -> f64 {
        match *self {
            Self::Polytope(ref p) => Aabb::around(p.vertices.iter().copied()).half_diagonal(),
            Self::Cylinder { half, radius } | Self::Cone { half, radius } => half.hypot(radius),
        }
    }

    /// A point well inside.
    pub(crate) fn centre(&self) -> Vec3 {
        match *self {
            Self::Polytope(ref p) => p.vertices.iter().sum::<Vec3>() / p.vertices.len() as f64,
            Self::Cylinder { .. } => Vec3::zeros(),
            Self::Cone { half, .. } => Vec3::new(0.0, 0.0, -0.5 * half),
        }
    }
}

/// Rim point of the circle of `radius` at height `z` farthest along `d`; the centre when `d` is along the axis.
fn rim(d: &Vec3, radius: f64, z: f64) -> Vec3 {
    let rho = d.x.hypot(d.y);
    if rho > 1e-12 * d.z.abs() {
        Vec3::new(d.x / rho * radius, d.y / rho * radius, z)
    } else {
        Vec3::new(0.0, 0.0, z)
    }
}

/// A convex core, thickened by a radius (capsules), 0 otherwise.
#[derive(Debug, Clone)]
pub(crate) struct Convex {
    pub(crate) core: Core,
    pub(crate) radius: f64,
    /// Size of the whole, m: the scale of its tolerances.
    pub(crate) size: f64,
}

impl Convex {
    pub(crate) fn new(core: Core, radius: f64) -> Self {
        let size = core.size() + radius;
        Self { core, radius, size }
    }
}

/// A shape.
pub(crate) enum Solid {
    /// z ≤ 0 is solid.
    HalfSpace,
    /// Radius.
    Ball(f64),
    /// Everything convex else.
    Convex(Convex),
    /// Triangle mesh.
    Mesh(Box<Mesh>),
}

impl Solid {
    /// Tight box around the shape placed in `frame`; `None` for half-spaces.
    pub(crate) fn aabb(&self, frame: &Frame) -> Option<Aabb> {
        match self {
            Self::HalfSpace => None,
            Self::Ball(r) => Some(Aabb { min: frame.pos, max: frame.pos }.grown(*r)),
            Self::Convex(c) => Some(core_aabb(&c.core, frame).grown(c.radius)),
            Self::Mesh(m) => Some(Aabb::around(m.bounds.iter().map(|v| frame.point(v)))),
        }
    }

    /// Length that scales tolerances, m.
    pub(crate) fn size(&self) -> f64 {
        match self {
            Self::HalfSpace => f64::INFINITY,
            Self::Ball(r) => *r,
            Self::Convex(c) => c.size,
            Self::Mesh(m) => m.size,
        }
    }
}

/// Tight box around a core placed in `frame`.
pub(crate) fn core_aabb(core: &Core, frame: &Frame) -> Aabb {
    if let Core::Polytope(p) = core {
        return Aabb::around(p.vertices.iter().map(|v| frame.point(v)));
    }
    let (mut min, mut max) = (Vec3::zeros(), Vec3::zeros());
    for i in 0..3 {
        let axis = frame.rot.row(i).transpose();
        max[i] = axis.dot(&core.support(&axis).0);
        min[i] = axis.dot(&core.support(&-axis).0);
    }
    Aabb { min: min + frame.pos, max: max + frame.pos }
}
