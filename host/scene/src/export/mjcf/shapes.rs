//! Shapes as geoms. Planar ones are solids about z = 0 whose cut there is the shape.

use nalgebra::{Rotation2, Vector2, Vector3};
use vinci_core::model::{Shape, ShapeKind};

use super::super::poses::{Place, flat, spatial};
use super::super::xml::numbers;
use super::Writing;

/// Half thickness of planar shapes, m.
const THICK: f64 = 0.05;
/// Corners that stand for a curve.
const CORNERS: usize = 64;
/// Two sides of a polygon are at right angles up to this.
const SQUARE: f64 = 1e-9;

/// A shape as MuJoCo has it: type, sizes, and a pose in the frame of the shape.
struct Geom {
    kind: &'static str,
    size: Vec<f64>,
    /// Centre and angle of a planar rectangle in the frame of the shape.
    shift: ([f64; 2], f64),
    /// Corners of a mesh.
    mesh: Vec<f64>,
}

impl Geom {
    fn of(kind: &'static str, size: Vec<f64>) -> Self {
        Self { kind, size, shift: ([0.0; 2], 0.0), mesh: Vec::new() }
    }

    fn mesh(mesh: Vec<f64>) -> Self {
        Self { mesh, ..Self::of("mesh", Vec::new()) }
    }
}

impl Writing<'_> {
    /// Meshes, before the bodies that use them.
    pub(super) fn assets(&mut self) {
        let shapes = &self.subject.system.shapes;
        let meshes: Vec<(usize, Vec<f64>)> = shapes
            .iter()
            .enumerate()
            .filter_map(|(k, s)| Some((k, geom(s)?.mesh)).filter(|m| !m.1.is_empty()))
            .collect();
        if meshes.is_empty() {
            return;
        }
        self.xml.open("asset", &[]);
        for (k, vertices) in meshes {
            // Poses are those of the corners: MuJoCo moves a mesh to its own centre and the geom back.
            self.xml.leaf("mesh", &[("name", format!("shape{k}")), ("vertex", numbers(&vertices))]);
        }
        self.xml.close();
    }

    /// The geoms of a body whose centre of mass stands at `com` in the frame that is written.
    pub(super) fn shapes_of(&mut self, body: u32, com: Vector3<f64>) {
        for k in 0..self.subject.system.shapes.len() {
            let shape = self.subject.system.shapes[k].clone();
            if shape.body == body {
                self.geom(k, &shape, com);
            }
        }
    }

    fn geom(&mut self, k: usize, shape: &Shape, com: Vector3<f64>) {
        let owner = self.subject.system.bodies[shape.body as usize].name.clone();
        let Some(geom) = geom(shape) else {
            return self.unsaid(format!("a {:?} of `{owner}` is left out", shape.kind));
        };
        if let Some(how) = approximate(shape) {
            self.unsaid(format!("a {:?} of `{owner}` is {how}", shape.kind));
        }
        let (mut position, turn) = placed(shape, &geom);
        (0..3).for_each(|i| position[i] += com[i]);
        let name = format!(
            "{owner}#{}",
            self.subject.system.shapes[..k].iter().filter(|s| s.body == shape.body).count()
        );
        let mut attributes = vec![
            ("name", name.clone()),
            ("type", geom.kind.to_owned()),
            ("pos", numbers(&position)),
            ("quat", numbers(&turn)),
        ];
        match geom.kind {
            "mesh" => attributes.push(("mesh", format!("shape{k}"))),
            _ => attributes.push(("size", numbers(&geom.size))),
        }
        attributes.extend(self.friction_of_geom());
        self.xml.leaf("geom", &attributes);
        self.geoms[k].push(name);
    }
}

/// Pose of a geom in the frame of the body.
fn placed(shape: &Shape, geom: &Geom) -> Place {
    match shape.kind {
        // Its plane is x z, its normal y; a plane of MuJoCo has the normal z: a quarter turn about x, backwards.
        ShapeKind::HalfPlane => {
            let (position, [w, _, _, z]) = flat(&shape.pose);
            let half = std::f64::consts::FRAC_1_SQRT_2;
            (position, [w * half, -w * half, -z * half, z * half])
        }
        _ if shape.pose.len() == 3 => {
            let ([x, y], angle) = geom.shift;
            let at = Rotation2::new(shape.pose[2]) * Vector2::new(x, y);
            flat(&[shape.pose[0] + at.x, shape.pose[1] + at.y, shape.pose[2] + angle])
        }
        _ => spatial(&shape.pose),
    }
}

/// The geom of a shape, if MuJoCo has one.
fn geom(shape: &Shape) -> Option<Geom> {
    let p = &shape.params;
    Some(match shape.kind {
        ShapeKind::Disc | ShapeKind::Ball => Geom::of("sphere", vec![p[0]]),
        ShapeKind::Box => Geom::of("box", p.clone()),
        ShapeKind::Capsule => Geom::of("capsule", vec![p[1], p[0]]),
        ShapeKind::Cylinder => Geom::of("cylinder", vec![p[1], p[0]]),
        ShapeKind::HalfSpace | ShapeKind::HalfPlane => Geom::of("plane", vec![0.0, 0.0, 1.0]),
        ShapeKind::ConvexHull | ShapeKind::TriMesh => Geom::mesh(p.clone()),
        ShapeKind::Cone => Geom::mesh(cone(p[0], p[1])),
        ShapeKind::Superellipsoid if p[3] == 1.0 && p[4] == 1.0 => Geom::of("ellipsoid", p[..3].to_vec()),
        ShapeKind::Superellipse if p[2] == 2.0 => Geom::of("ellipsoid", vec![p[0], p[1], p[0].min(p[1])]),
        ShapeKind::Superellipse => Geom::mesh(prism(&superellipse(p))),
        ShapeKind::Polygon => rectangle(p).unwrap_or_else(|| Geom::mesh(prism(p))),
        ShapeKind::PlanarCapsule => Geom::mesh(prism(&stadium(p[0], p[1]))),
        _ => return None,
    })
}

/// How a geom differs from its shape, if it does.
fn approximate(shape: &Shape) -> Option<&'static str> {
    match shape.kind {
        ShapeKind::TriMesh => Some("taken for its convex hull"),
        ShapeKind::Cone | ShapeKind::PlanarCapsule => Some("a polyhedron of 64 sides"),
        ShapeKind::Superellipse if shape.params[2] != 2.0 => Some("a polygon of 64 corners"),
        ShapeKind::Polygon if !is_convex(&shape.params) => Some("taken for its convex hull"),
        _ => None,
    }
}

fn is_convex(p: &[f64]) -> bool {
    let n = p.len() / 2;
    let at = |k: usize| Vector2::new(p[2 * (k % n)], p[2 * (k % n) + 1]);
    (0..n).all(|k| (at(k + 1) - at(k)).perp(&(at(k + 2) - at(k + 1))) >= 0.0)
}

/// Four corners at right angles as a box.
fn rectangle(p: &[f64]) -> Option<Geom> {
    if p.len() != 8 {
        return None;
    }
    let at = |k: usize| Vector2::new(p[2 * k], p[2 * k + 1]);
    let (side, up) = (at(1) - at(0), at(3) - at(0));
    let (a, b) = (side.norm(), up.norm());
    let square =
        side.dot(&up).abs() <= SQUARE * a * b && (at(2) - at(0) - side - up).norm() <= SQUARE * a.max(b);
    let centre = at(0) + 0.5 * (side + up);
    square.then(|| Geom {
        shift: ([centre.x, centre.y], side.y.atan2(side.x)),
        ..Geom::of("box", vec![0.5 * a, 0.5 * b, THICK])
    })
}

/// Corners in the plane, below and above it.
fn prism(p: &[f64]) -> Vec<f64> {
    let layer = |z: f64| p.chunks_exact(2).flat_map(move |c| [c[0], c[1], z]);
    layer(-THICK).chain(layer(THICK)).collect()
}

fn angles() -> impl Iterator<Item = f64> {
    (0..CORNERS).map(|k| std::f64::consts::TAU * k as f64 / CORNERS as f64)
}

fn superellipse(p: &[f64]) -> Vec<f64> {
    let power = |x: f64| x.signum() * x.abs().powf(2.0 / p[2]);
    angles().flat_map(|a| [p[0] * power(a.cos()), p[1] * power(a.sin())]).collect()
}

fn stadium(half: f64, radius: f64) -> Vec<f64> {
    let end = |a: f64| if a.cos() >= 0.0 { half } else { -half };
    angles().flat_map(|a| [end(a) + radius * a.cos(), radius * a.sin()]).collect()
}

fn cone(half: f64, radius: f64) -> Vec<f64> {
    angles().flat_map(|a| [radius * a.cos(), radius * a.sin(), -half]).chain([0.0, 0.0, half]).collect()
}
