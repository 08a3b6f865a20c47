//! Mass properties of bodies and of uniform shapes.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use super::{Shape, ShapeKind, superquadric};
use crate::state::quaternion_of;

/// Mass and inertia about the centre of mass, body frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// Mass, kg.
    pub mass: f64,
    /// Spatial: inertia tensor, kg m². Planar: the moment about the out-of-plane axis stands at (2, 2).
    pub inertia: Matrix3<f64>,
}

impl MassProperties {
    /// Planar body: mass m and moment of inertia J about the centre of mass.
    pub fn planar(mass: f64, moment: f64) -> Self {
        Self { mass, inertia: Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, moment)) }
    }

    /// Spatial body with principal moments along the body axes.
    pub fn spatial(mass: f64, principal: Vector3<f64>) -> Self {
        Self { mass, inertia: Matrix3::from_diagonal(&principal) }
    }

    /// Planar moment of inertia, kg m².
    #[inline]
    pub fn moment(&self) -> f64 {
        self.inertia[(2, 2)]
    }
}

/// A uniform lump of unit density: measure (m² or m³), first moment divided by it, second moment about the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lump {
    /// Area (planar) or volume (spatial).
    pub measure: f64,
    /// Centroid in the body frame, m.
    pub centroid: Vector3<f64>,
    /// Inertia tensor about the body's origin at unit density; planar: only (2, 2).
    pub inertia: Matrix3<f64>,
}

impl Lump {
    const EMPTY: Self = Self {
        measure: 0.0,
        centroid: Vector3::new(0.0, 0.0, 0.0),
        inertia: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    fn add(self, other: Self) -> Self {
        let measure = self.measure + other.measure;
        if measure == 0.0 {
            return self;
        }
        let centroid = (self.centroid * self.measure + other.centroid * other.measure) / measure;
        Self { measure, centroid, inertia: self.inertia + other.inertia }
    }
}

/// Area, centroid and second moment of the planar shapes of one body at unit density (overlaps count twice).
///
/// Segments and half-planes have no area and add nothing.
pub fn planar_properties<'a>(shapes: impl IntoIterator<Item = &'a Shape>) -> Lump {
    shapes.into_iter().map(planar_lump).fold(Lump::EMPTY, Lump::add)
}

fn planar_lump(shape: &Shape) -> Lump {
    let p = &shape.params;
    // (area, local centroid, moment about the local centroid)
    let (area, local, moment) = match shape.kind {
        ShapeKind::Disc => disc(p[0]),
        ShapeKind::PlanarCapsule => planar_capsule(p[0], p[1]),
        ShapeKind::Polygon => polygon(p),
        ShapeKind::Superellipse => {
            let (area, [xx, yy]) = superquadric::superellipse(p[0], p[1], p[2]);
            (area, [0.0, 0.0], xx + yy)
        }
        _ => (0.0, [0.0, 0.0], 0.0),
    };
    let (sin, cos) = shape.pose[2].sin_cos();
    let centroid = Vector3::new(
        shape.pose[0] + cos * local[0] - sin * local[1],
        shape.pose[1] + sin * local[0] + cos * local[1],
        0.0,
    );
    let mut inertia = Matrix3::zeros();
    inertia[(2, 2)] = moment + area * centroid.norm_squared();
    Lump { measure: area, centroid, inertia }
}

fn disc(r: f64) -> (f64, [f64; 2], f64) {
    let area = std::f64::consts::PI * r * r;
    (area, [0.0, 0.0], 0.5 * area * r * r)
}

/// Rectangle 2a × 2r with two half discs: each half disc's centroid lies 4r/(3π) beyond the end of the axis.
fn planar_capsule(a: f64, r: f64) -> (f64, [f64; 2], f64) {
    let rectangle = 4.0 * a * r;
    let discs = std::f64::consts::PI * r * r;
    let offset = 4.0 * r / (3.0 * std::f64::consts::PI);
    let own = 0.5 * discs * r * r - discs * offset * offset;
    let moved = discs * (a + offset) * (a + offset);
    (rectangle + discs, [0.0, 0.0], rectangle * (4.0 * a * a + 4.0 * r * r) / 12.0 + own + moved)
}

/// Green's theorem over the edges, about the local origin, then moved to the centroid.
fn polygon(p: &[f64]) -> (f64, [f64; 2], f64) {
    let n = p.len() / 2;
    let (mut area, mut cx, mut cy, mut second) = (0.0, 0.0, 0.0, 0.0);
    for i in 0..n {
        let (x0, y0) = (p[2 * i], p[2 * i + 1]);
        let (x1, y1) = (p[2 * ((i + 1) % n)], p[2 * ((i + 1) % n) + 1]);
        let cross = x0 * y1 - x1 * y0;
        area += 0.5 * cross;
        cx += cross * (x0 + x1) / 6.0;
        cy += cross * (y0 + y1) / 6.0;
        second += cross * (x0 * x0 + x0 * x1 + x1 * x1 + y0 * y0 + y0 * y1 + y1 * y1) / 12.0;
    }
    if area == 0.0 {
        return (0.0, [0.0, 0.0], 0.0);
    }
    let centroid = [cx / area, cy / area];
    (area, centroid, second - area * (centroid[0] * centroid[0] + centroid[1] * centroid[1]))
}

/// Volume, centroid and inertia tensor of the spatial shapes of one body at unit density (overlaps count twice).
///
/// A triangle mesh must be closed; half-spaces add nothing. A convex hull is given by its closed boundary triangles in
/// `indices`; without them it adds nothing.
pub fn spatial_properties<'a>(shapes: impl IntoIterator<Item = &'a Shape>) -> Lump {
    shapes.into_iter().map(spatial_lump).fold(Lump::EMPTY, Lump::add)
}

fn spatial_lump(shape: &Shape) -> Lump {
    let (volume, local, about_centroid) = spatial_local(shape);
    let rotation = quaternion_of(&shape.pose[3..7]).to_rotation_matrix().into_inner();
    let centroid = Vector3::new(shape.pose[0], shape.pose[1], shape.pose[2]) + rotation * local;
    let inertia = rotation * about_centroid * rotation.transpose() + parallel_axis(volume, &centroid);
    Lump { measure: volume, centroid, inertia }
}

/// m (|c|² 1 − c cᵀ).
fn parallel_axis(mass: f64, c: &Vector3<f64>) -> Matrix3<f64> {
    (Matrix3::identity() * c.norm_squared() - c * c.transpose()) * mass
}

fn spatial_local(shape: &Shape) -> (f64, Vector3<f64>, Matrix3<f64>) {
    use std::f64::consts::PI;
    let p = &shape.params;
    let diagonal = |x: f64, y: f64, z: f64| Matrix3::from_diagonal(&Vector3::new(x, y, z));
    match shape.kind {
        ShapeKind::Ball => {
            let v = 4.0 / 3.0 * PI * p[0].powi(3);
            let i = 0.4 * v * p[0] * p[0];
            (v, Vector3::zeros(), diagonal(i, i, i))
        }
        ShapeKind::Box => {
            let v = 8.0 * p[0] * p[1] * p[2];
            let s = |a: f64, b: f64| v * (a * a + b * b) / 3.0;
            (v, Vector3::zeros(), diagonal(s(p[1], p[2]), s(p[0], p[2]), s(p[0], p[1])))
        }
        ShapeKind::Cylinder => {
            let (a, r) = (p[0], p[1]);
            let v = 2.0 * PI * a * r * r;
            let side = v * (0.25 * r * r + a * a / 3.0);
            (v, Vector3::zeros(), diagonal(side, side, 0.5 * v * r * r))
        }
        ShapeKind::Cone => {
            let (a, r) = (p[0], p[1]);
            let v = 2.0 * PI * a * r * r / 3.0;
            // The centroid lies a quarter of the height 2a above the base.
            let side = v * (0.15 * r * r + 0.0375 * 4.0 * a * a);
            (v, Vector3::new(0.0, 0.0, -0.5 * a), diagonal(side, side, 0.3 * v * r * r))
        }
        ShapeKind::Capsule => capsule(p[0], p[1]),
        ShapeKind::Superellipsoid => superquadric::superellipsoid(p),
        ShapeKind::TriMesh | ShapeKind::ConvexHull => mesh(p, &shape.indices),
        _ => (0.0, Vector3::zeros(), Matrix3::zeros()),
    }
}

/// Cylinder 2a long and two half balls, whose centroids lie 3r/8 beyond the ends of the axis.
fn capsule(a: f64, r: f64) -> (f64, Vector3<f64>, Matrix3<f64>) {
    use std::f64::consts::PI;
    let (cylinder, balls) = (2.0 * PI * a * r * r, 4.0 / 3.0 * PI * r * r * r);
    let offset = 0.375 * r;
    let axial = 0.5 * cylinder * r * r + 0.4 * balls * r * r;
    let side = cylinder * (0.25 * r * r + a * a / 3.0)
        + balls * (0.4 * r * r - offset * offset + (a + offset).powi(2));
    (cylinder + balls, Vector3::zeros(), Matrix3::from_diagonal(&Vector3::new(side, side, axial)))
}

/// Sum over the tetrahedra (origin, triangle): exact for a closed surface with outward triangles.
fn mesh(points: &[f64], triangles: &[u32]) -> (f64, Vector3<f64>, Matrix3<f64>) {
    let at = |i: u32| Vector3::from_column_slice(&points[3 * i as usize..3 * i as usize + 3]);
    let (mut volume, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
    for t in triangles.chunks_exact(3) {
        let (a, b, c) = (at(t[0]), at(t[1]), at(t[2]));
        let v = a.dot(&b.cross(&c)) / 6.0;
        let sum = a + b + c;
        volume += v;
        first += sum * (v / 4.0);
        second +=
            (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose()) * (v / 20.0);
    }
    if volume == 0.0 {
        return (0.0, Vector3::zeros(), Matrix3::zeros());
    }
    let centroid = first / volume;
    let about_origin = Matrix3::identity() * second.trace() - second;
    (volume, centroid, about_origin - parallel_axis(volume, &centroid))
}

/// Checks that a tensor can be the inertia of a rigid body: symmetric, positive definite, triangle inequality of the
/// principal moments (to 1e-9 of the largest). The message says which one fails.
pub fn check_inertia(inertia: &Matrix3<f64>) -> Result<(), String> {
    let size = inertia.amax();
    if (inertia - inertia.transpose()).amax() > 1e-9 * size {
        return Err("the inertia tensor is not symmetric".into());
    }
    let mut principal = inertia.symmetric_eigenvalues();
    principal.as_mut_slice().sort_by(f64::total_cmp);
    if principal[0] <= 0.0 || !size.is_finite() {
        return Err(format!("the smallest principal moment is {:.3e}, it must be positive", principal[0]));
    }
    if principal[0] + principal[1] < principal[2] * (1.0 - 1e-9) {
        let (a, b, c) = (principal[0], principal[1], principal[2]);
        return Err(format!(
            "principal moments {a:.4e}, {b:.4e}, {c:.4e}: no body has one larger than the sum of the others"
        ));
    }
    Ok(())
}

/// J_w = R J_b Rᵀ: the inertia tensor in world axes for a body at orientation `q`.
#[inline]
pub fn world_inertia(body: &Matrix3<f64>, q: &UnitQuaternion<f64>) -> Matrix3<f64> {
    let r = q.to_rotation_matrix();
    r.matrix() * body * r.matrix().transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planar(kind: ShapeKind, params: Vec<f64>, pose: [f64; 3]) -> Shape {
        Shape { kind, body: 0, material: 0, pose: pose.to_vec(), params, indices: vec![] }
    }

    #[test]
    fn rectangle_by_green_matches_the_formula_wherever_it_stands() {
        let square = vec![-1.0, -0.5, 1.0, -0.5, 1.0, 0.5, -1.0, 0.5];
        let lump = planar_properties([&planar(ShapeKind::Polygon, square.clone(), [3.0, 4.0, 0.7])]);
        assert!((lump.measure - 2.0).abs() < 1e-14);
        assert!((lump.centroid - Vector3::new(3.0, 4.0, 0.0)).norm() < 1e-14);
        let expected = 2.0 * (4.0 + 1.0) / 12.0 + 2.0 * 25.0;
        assert!((lump.inertia[(2, 2)] - expected).abs() < 1e-12);
    }

    #[test]
    fn a_flat_capsule_is_a_disc() {
        let capsule = planar_properties([&planar(ShapeKind::PlanarCapsule, vec![0.0, 0.3], [0.0; 3])]);
        let disc = planar_properties([&planar(ShapeKind::Disc, vec![0.3], [0.0; 3])]);
        assert!((capsule.inertia[(2, 2)] - disc.inertia[(2, 2)]).abs() < 1e-15);
        assert!((capsule.measure - disc.measure).abs() < 1e-15);
    }

    fn spatial(kind: ShapeKind, params: Vec<f64>, indices: Vec<u32>) -> Shape {
        Shape { kind, body: 0, material: 0, pose: vec![0.5, -1.0, 2.0, 0.5, 0.5, 0.5, 0.5], params, indices }
    }

    #[test]
    fn a_cube_mesh_equals_the_box() {
        let mut points = vec![];
        for i in 0..8 {
            points.extend([i & 1, (i >> 1) & 1, (i >> 2) & 1].map(|b| if b == 1 { 1.0 } else { -1.0 }));
        }
        let faces = [
            [0, 2, 3],
            [0, 3, 1],
            [4, 5, 7],
            [4, 7, 6],
            [0, 1, 5],
            [0, 5, 4],
            [2, 6, 7],
            [2, 7, 3],
            [0, 4, 6],
            [0, 6, 2],
            [1, 3, 7],
            [1, 7, 5],
        ];
        let mesh = spatial_properties([&spatial(ShapeKind::TriMesh, points, faces.concat())]);
        let cube = spatial_properties([&spatial(ShapeKind::Box, vec![1.0, 1.0, 1.0], vec![])]);
        assert!((mesh.measure - cube.measure).abs() < 1e-12);
        assert!((mesh.inertia - cube.inertia).amax() < 1e-12);
        assert!((mesh.centroid - cube.centroid).norm() < 1e-12);
    }

    #[test]
    fn round_bodies_have_their_textbook_inertia() {
        let at_origin = |kind, params: Vec<f64>| {
            let mut s = spatial(kind, params, vec![]);
            s.pose = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
            spatial_properties([&s])
        };
        let ball = at_origin(ShapeKind::Ball, vec![0.5]);
        let capsule = at_origin(ShapeKind::Capsule, vec![0.0, 0.5]);
        assert!((ball.inertia - capsule.inertia).amax() < 1e-14);
        // Cone of height H = 2a, base r about its centroid: 3/80 m (4 r² + H²) and 3/10 m r².
        let cone = at_origin(ShapeKind::Cone, vec![1.0, 0.5]);
        let m = cone.measure;
        let about_centroid = cone.inertia - parallel_axis(m, &cone.centroid);
        assert!((about_centroid[(0, 0)] - 3.0 / 80.0 * m * (4.0 * 0.25 + 4.0)).abs() < 1e-12);
        assert!((about_centroid[(2, 2)] - 0.3 * m * 0.25).abs() < 1e-12);
        assert!((cone.centroid.z + 0.5).abs() < 1e-14);
    }

    #[test]
    fn impossible_inertia_is_refused() {
        assert!(check_inertia(&Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, 2.0))).is_ok());
        assert!(check_inertia(&Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, 2.1))).is_err());
        assert!(check_inertia(&Matrix3::from_diagonal(&Vector3::new(1.0, 0.0, 1.0))).is_err());
    }
}
