//! Shapes of a body as core's plain numbers; compounds are flattened.

use super::super::hull::convex_hull;
use super::super::shapes::{Shape, ShapeKind};
use super::super::types::Body;
use super::placement::{compose, scaled, shape_pose};
use nalgebra::{UnitQuaternion, Vector3};
use vinci_core::model::{
    self as core, Lump, ShapeKind as Kind, Space, planar_properties, spatial_properties,
};

/// The shapes of a body in its frame; `material_of` gives the index of a material's name (`None`: the default one).
pub(crate) fn core_shapes(
    body: &Body,
    index: u32,
    space: Space,
    material_of: &dyn Fn(Option<&str>) -> u32,
) -> Vec<core::Shape> {
    let mut all = Vec::new();
    let origin = match space {
        Space::Planar => vec![0.0; 3],
        Space::Spatial => vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
    };
    let flattener = Flattener { index, space, material_of };
    flattener.add(&body.shapes, &origin, body.material.as_deref(), &mut all);
    all
}

/// Area or volume, centroid and inertia of shapes at unit density.
pub(crate) fn properties(shapes: &[core::Shape], space: Space) -> Lump {
    match space {
        Space::Planar => planar_properties(shapes),
        Space::Spatial => spatial_properties(shapes),
    }
}

struct Flattener<'a> {
    index: u32,
    space: Space,
    material_of: &'a dyn Fn(Option<&str>) -> u32,
}

impl Flattener<'_> {
    fn add(&self, shapes: &[Shape], frame: &[f64], material: Option<&str>, all: &mut Vec<core::Shape>) {
        for shape in shapes {
            let material = shape.placement.material.as_deref().or(material);
            let pose = compose(frame, &shape_pose(&shape.placement, self.space), self.space);
            if let ShapeKind::Compound { shapes } = &shape.kind {
                self.add(shapes, &pose, material, all);
                continue;
            }
            let (kind, params, indices, own) = numbers(&shape.kind, self.space);
            let pose = own.map_or_else(|| pose.clone(), |own| compose(&pose, &own, self.space));
            let material = (self.material_of)(material);
            all.push(core::Shape { kind, body: self.index, material, pose, params, indices });
        }
    }
}

type Numbers = (Kind, Vec<f64>, Vec<u32>, Option<Vec<f64>>);

/// Kind, parameters, indices, and the pose of core's standard placement in that of the format.
fn numbers(kind: &ShapeKind, space: Space) -> Numbers {
    let plain = |kind, params: Vec<f64>| (kind, params, Vec::new(), None);
    match kind {
        ShapeKind::Disc { radius } => plain(Kind::Disc, vec![*radius]),
        ShapeKind::Ball { radius } => plain(Kind::Ball, vec![*radius]),
        ShapeKind::Box { size } if space == Space::Planar => plain(Kind::Polygon, rectangle(size)),
        ShapeKind::Box { size } => plain(Kind::Box, size.iter().map(|s| 0.5 * s).collect()),
        ShapeKind::Capsule { length, radius } => plain(
            if space == Space::Planar { Kind::PlanarCapsule } else { Kind::Capsule },
            vec![0.5 * length, *radius],
        ),
        ShapeKind::Cylinder { height, radius } => plain(Kind::Cylinder, vec![0.5 * height, *radius]),
        ShapeKind::Cone { height, radius } => plain(Kind::Cone, vec![0.5 * height, *radius]),
        ShapeKind::Polygon { vertices } => plain(Kind::Polygon, counter_clockwise(vertices).concat()),
        ShapeKind::Ellipse { radii: [a, b] } => plain(Kind::Superellipse, vec![*a, *b, 2.0]),
        ShapeKind::Superellipse { radii: [a, b], exponent } => {
            plain(Kind::Superellipse, vec![*a, *b, *exponent])
        }
        ShapeKind::Ellipsoid { radii: [a, b, c] } => plain(Kind::Superellipsoid, vec![*a, *b, *c, 1.0, 1.0]),
        ShapeKind::Superellipsoid { radii: [a, b, c], exponents } => {
            // Core keeps the literature's ε = 2/p.
            let [p1, p2] = exponents.pair();
            plain(Kind::Superellipsoid, vec![*a, *b, *c, 2.0 / p1, 2.0 / p2])
        }
        ShapeKind::Segment { from, to } => plain(Kind::Segment, [*from, *to].concat()),
        ShapeKind::HalfPlane { normal, offset } => {
            let pose = half_plane_pose(normal.unwrap_or([0.0, 1.0]), offset.unwrap_or(0.0));
            (Kind::HalfPlane, Vec::new(), Vec::new(), Some(pose))
        }
        ShapeKind::HalfSpace { normal, offset } => {
            let pose = half_space_pose(normal.unwrap_or([0.0, 0.0, 1.0]), offset.unwrap_or(0.0));
            (Kind::HalfSpace, Vec::new(), Vec::new(), Some(pose))
        }
        ShapeKind::ConvexHull { points } => {
            let corners: Vec<Vector3<f64>> = points.iter().map(|p| Vector3::from(*p)).collect();
            // The checks before have refused points without a hull.
            let faces = convex_hull(&corners).unwrap_or_default();
            (Kind::ConvexHull, points.concat(), faces.concat(), None)
        }
        ShapeKind::Mesh { vertices, triangles } => {
            (Kind::TriMesh, vertices.concat(), triangles.concat(), None)
        }
        // Compounds are flattened before they come here.
        ShapeKind::Compound { .. } => plain(Kind::Polygon, Vec::new()),
    }
}

fn rectangle(size: &[f64]) -> Vec<f64> {
    let (a, b) = (0.5 * size[0], 0.5 * size[1]);
    vec![-a, -b, a, -b, a, b, -a, b]
}

/// Twice the signed area: positive when the corners go counter-clockwise.
pub(crate) fn doubled_area(vertices: &[[f64; 2]]) -> f64 {
    let next = vertices.iter().cycle().skip(1);
    vertices.iter().zip(next).map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum()
}

fn counter_clockwise(vertices: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut vertices = vertices.to_vec();
    if doubled_area(&vertices) < 0.0 {
        vertices.reverse();
    }
    vertices
}

/// Core's half-plane has the normal +y through its origin.
fn half_plane_pose(normal: [f64; 2], offset: f64) -> Vec<f64> {
    let [x, y] = scaled(normal);
    let length = x.hypot(y);
    let (x, y) = (x / length, y / length);
    // 0.0 - x and not -x: the usual normal [0, 1] gives the angle 0, not -0.
    vec![offset * x, offset * y, (0.0 - x).atan2(y)]
}

/// Core's half-space has the normal +z through its origin.
fn half_space_pose(normal: [f64; 3], offset: f64) -> Vec<f64> {
    let n = Vector3::from(scaled(normal)).normalize();
    let half_turn = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(0.0, 1.0, 0.0, 0.0));
    let q = UnitQuaternion::rotation_between(&Vector3::z(), &n).unwrap_or(half_turn);
    let p = n * offset;
    vec![p.x, p.y, p.z, q.w, q.i, q.j, q.k]
}
