//! Solids of geoms: as shapes of a scene, and the volumes and moments that masses follow from.

use crate::Node;
use crate::diagnostics::TextSpan;
use crate::import::build;
use nalgebra::{Isometry3, Matrix3, Vector3};
use std::f64::consts::PI;
use std::rc::Rc;

/// A solid about its own origin; sizes are radii and halves of lengths, m.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Solid {
    Plane,
    Sphere(f64),
    Capsule {
        radius: f64,
        half: f64,
    },
    Cylinder {
        radius: f64,
        half: f64,
    },
    /// Its apex at +z.
    Cone {
        radius: f64,
        half: f64,
    },
    Ellipsoid([f64; 3]),
    Box([f64; 3]),
    /// Corners of a convex hull.
    Hull(Rc<Vec<Vector3<f64>>>),
}

/// Solid that a geom fills.
pub(crate) struct Filled {
    pub(crate) solid: Option<Solid>,
    pub(crate) pose: Isometry3<f64>,
    /// Volume, m³ (of shells the area, m²), centre and moments of it per unit of density, in the geom's axes; `None`: those
    /// of the solid.
    pub(crate) body: Option<(f64, Vector3<f64>, Matrix3<f64>)>,
}

/// A solid of checked sizes.
pub(crate) fn solid_of(kind: &str, [a, b, c]: [f64; 3]) -> Solid {
    match kind {
        "sphere" => Solid::Sphere(a),
        "capsule" => Solid::Capsule { radius: a, half: b },
        "cylinder" => Solid::Cylinder { radius: a, half: b },
        "ellipsoid" => Solid::Ellipsoid([a, b, c]),
        _ => Solid::Box([a, b, c]),
    }
}

impl Solid {
    /// Name of the shape in a scene.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Plane => "half-space",
            Self::Sphere(_) => "ball",
            Self::Capsule { .. } => "capsule",
            Self::Cylinder { .. } => "cylinder",
            Self::Cone { .. } => "cone",
            Self::Ellipsoid(_) => "ellipsoid",
            Self::Box(_) => "box",
            Self::Hull(_) => "convex-hull",
        }
    }

    /// The keys of the shape in a scene.
    pub(crate) fn entries(&self, place: &TextSpan) -> Vec<(&'static str, Node)> {
        let number = |x: f64| build::number(x, place);
        match self {
            Self::Plane => vec![],
            Self::Sphere(radius) => vec![("radius", number(*radius))],
            Self::Capsule { radius, half } => {
                vec![("length", number(2.0 * half)), ("radius", number(*radius))]
            }
            Self::Cylinder { radius, half } | Self::Cone { radius, half } => {
                vec![("height", number(2.0 * half)), ("radius", number(*radius))]
            }
            Self::Ellipsoid(radii) => vec![("radii", build::numbers(radii, place))],
            Self::Box(half) => vec![("size", build::numbers(&half.map(|x| 2.0 * x), place))],
            Self::Hull(points) => {
                let points = points.iter().map(|p| build::numbers(&[p.x, p.y, p.z], place)).collect();
                vec![("points", build::array(points, place))]
            }
        }
    }

    /// Volume, m³, of planes, cones and hulls 0 (no format asks for those of cones, and meshes have theirs from their surface); with `shell` the area of the
    /// surface, m², of ellipsoids by Thomsen's approximation.
    pub(crate) fn volume(&self, shell: bool) -> f64 {
        match (self, shell) {
            (Self::Sphere(r), false) => 4.0 * PI * r.powi(3) / 3.0,
            (Self::Sphere(r), true) => 4.0 * PI * r * r,
            (Self::Capsule { radius: r, half }, false) => PI * (r * r * 2.0 * half + 4.0 * r.powi(3) / 3.0),
            (Self::Capsule { radius: r, half }, true) => 4.0 * PI * r * r + 4.0 * PI * r * half,
            (Self::Cylinder { radius: r, half }, false) => PI * r * r * 2.0 * half,
            (Self::Cylinder { radius: r, half }, true) => 2.0 * PI * r * r + 4.0 * PI * r * half,
            (Self::Ellipsoid([a, b, c]), false) => 4.0 * PI * a * b * c / 3.0,
            (Self::Ellipsoid([a, b, c]), true) => {
                let p = 1.6075;
                let sum = (a * b).powf(p) + (b * c).powf(p) + (c * a).powf(p);
                4.0 * PI * (sum / 3.0).powf(1.0 / p)
            }
            (Self::Box([a, b, c]), false) => 8.0 * a * b * c,
            (Self::Box([a, b, c]), true) => 8.0 * (a * b + b * c + c * a),
            (Self::Plane | Self::Cone { .. } | Self::Hull(_), _) => 0.0,
        }
    }

    /// Principal moments of a mass that fills the solid, or with `shell` covers its surface evenly, kg m².
    pub(crate) fn moments(&self, mass: f64, shell: bool) -> [f64; 3] {
        match self {
            Self::Sphere(r) => [if shell { 2.0 / 3.0 } else { 0.4 } * mass * r * r; 3],
            Self::Capsule { radius, half } => capsule(mass, *radius, *half, shell),
            Self::Cylinder { radius, half } => cylinder(mass, *radius, *half, shell),
            Self::Ellipsoid(radii) if shell => ellipsoid_shell(mass, *radii),
            Self::Ellipsoid(radii) => of_squares(mass / 5.0, *radii),
            Self::Box(half) if shell => box_shell(mass, *half),
            Self::Box(half) => of_squares(mass / 3.0, *half),
            Self::Plane | Self::Cone { .. } | Self::Hull(_) => [0.0; 3],
        }
    }
}

/// factor (b² + c², a² + c², a² + b²)
fn of_squares(factor: f64, [a, b, c]: [f64; 3]) -> [f64; 3] {
    [factor * (b * b + c * c), factor * (a * a + c * c), factor * (a * a + b * b)]
}

/// A tube or rod and the two halves of a ball at its ends.
fn capsule(mass: f64, r: f64, half: f64, shell: bool) -> [f64; 3] {
    let height = 2.0 * half;
    let (ball, middle) = if shell { (4.0 * r * r, 2.0 * r * height) } else { (4.0 * r / 3.0, height) };
    let ball_mass = mass * ball / (ball + middle);
    let rod_mass = mass - ball_mass;
    if shell {
        let own = 2.0 * ball_mass * r * r / 3.0;
        let (centre, place) = (0.5 * r, half + 0.5 * r);
        let across = rod_mass * (6.0 * r * r + height * height) / 12.0
            + own
            + ball_mass * (place * place - centre * centre);
        return [across, across, rod_mass * r * r + own];
    }
    let own = 0.4 * ball_mass * r * r;
    let across = rod_mass * (3.0 * r * r + height * height) / 12.0
        + own
        + ball_mass * height * (3.0 * r + 2.0 * height) / 8.0;
    [across, across, 0.5 * rod_mass * r * r + own]
}

fn cylinder(mass: f64, r: f64, half: f64, shell: bool) -> [f64; 3] {
    let height = 2.0 * half;
    if !shell {
        let across = mass * (3.0 * r * r + height * height) / 12.0;
        return [across, across, 0.5 * mass * r * r];
    }
    let disc = mass * r / (2.0 * r + 2.0 * height);
    let tube = mass - 2.0 * disc;
    let across = tube * (6.0 * r * r + height * height) / 12.0 + 2.0 * disc * (0.25 * r * r + half * half);
    [across, across, tube * r * r + disc * r * r]
}

/// The difference of two solid ellipsoids, one larger by 10⁻⁶ m, as MuJoCo has it.
fn ellipsoid_shell(mass: f64, radii: [f64; 3]) -> [f64; 3] {
    let larger = radii.map(|r| r + 1e-6);
    let volume = |[a, b, c]: [f64; 3]| 4.0 * PI * a * b * c / 3.0;
    let density = mass / (volume(larger) - volume(radii));
    let solid = |radii: [f64; 3]| of_squares(density * volume(radii) / 5.0, radii);
    let (inner, outer) = (solid(radii), solid(larger));
    [0, 1, 2].map(|i| outer[i] - inner[i])
}

/// Six plates.
fn box_shell(mass: f64, half: [f64; 3]) -> [f64; 3] {
    let length = half.map(|x| 2.0 * x);
    let area = [length[1] * length[2], length[2] * length[0], length[0] * length[1]];
    let total = 2.0 * (area[0] + area[1] + area[2]);
    let mut moments = [0.0; 3];
    for k in 0..3 {
        // The two plates across axis k.
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let plate = 2.0 * mass * area[k] / total;
        let (across_i, across_j) =
            (plate * length[j] * length[j] / 12.0, plate * length[i] * length[i] / 12.0);
        let away = plate * half[k] * half[k];
        moments[i] += across_i + away;
        moments[j] += across_j + away;
        moments[k] += across_i + across_j;
    }
    moments
}
