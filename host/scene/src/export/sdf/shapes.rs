//! Shapes as collisions.

use nalgebra::Isometry3;
use vinci_core::geometry::convex_hull;
use vinci_core::model::{Shape, ShapeKind};

use super::super::poses::{Place, parts, spatial};
use super::super::xml::numbers;
use super::Writing;
use super::links::isometry;
use crate::import::fit;

/// Half thickness of planar shapes, m.
const THICK: f64 = 0.05;

impl Writing<'_> {
    /// Collisions of a body whose frame (at its centre of mass) stands at `frame` in the link that is written.
    pub(super) fn shapes_of(&mut self, body: u32, frame: &Isometry3<f64>) {
        for k in 0..self.subject.system.shapes.len() {
            let shape = self.subject.system.shapes[k].clone();
            if shape.body == body {
                self.collision(k, &shape, frame);
            }
        }
    }

    fn collision(&mut self, k: usize, shape: &Shape, frame: &Isometry3<f64>) {
        let system = self.subject.system;
        let owner = system.bodies[shape.body as usize].name.clone();
        let Some(pose) = placed(shape) else {
            return self.omissions.add(format!("a {:?} of `{owner}` is left out", shape.kind));
        };
        let file = self.file_of(k, shape);
        if file.is_none() && geometry(shape).is_none() {
            return self.omissions.add(format!("a {:?} of `{owner}` is left out", shape.kind));
        }
        self.xml.open("collision", &[("name", format!("shape{k}"))]);
        self.pose(&parts(&(frame * isometry(&pose))), None);
        self.xml.open("geometry", &[]);
        match (file, geometry(shape)) {
            (Some(file), _) => {
                self.xml.open("mesh", &[]);
                self.xml.text("uri", &[], &file);
                self.xml.close();
            }
            (None, Some((kind, sizes))) => {
                self.xml.open(kind, &[]);
                sizes.iter().for_each(|(key, size)| self.xml.text(key, &[], size));
                self.xml.close();
            }
            (None, None) => {}
        }
        self.xml.close();
        self.surface(shape);
        self.xml.close();
    }

    fn surface(&mut self, shape: &Shape) {
        let side = (shape.material, shape.body);
        let own = || self.subject.system.materials.pair(side, side).friction;
        let friction = numbers(&[self.friction.unwrap_or_else(own)]);
        ["surface", "friction", "ode"].into_iter().for_each(|name| self.xml.open(name, &[]));
        ["mu", "mu2"].into_iter().for_each(|name| self.xml.text(name, &[], &friction));
        (0..3).for_each(|_| self.xml.close());
    }

    /// The file of a shape that is a mesh in SDF.
    fn file_of(&mut self, k: usize, shape: &Shape) -> Option<String> {
        let points: Vec<[f64; 3]> = shape.params.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect();
        let faces: Vec<[u32; 3]> = match shape.kind {
            ShapeKind::ConvexHull => {
                let corners: Vec<_> = points.iter().map(|p| (*p).into()).collect();
                convex_hull(&corners).ok()?
            }
            ShapeKind::TriMesh => shape.indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
            _ => return None,
        };
        let mut text = String::from("# corners in m\n");
        points.iter().for_each(|p| text.push_str(&format!("v {}\n", numbers(p))));
        faces.iter().for_each(|[a, b, c]| text.push_str(&format!("f {} {} {}\n", a + 1, b + 1, c + 1)));
        let name = format!("{}_shape{k}.obj", fit(self.subject.name));
        self.files.push((name.clone(), text));
        Some(name)
    }
}

/// Pose of a shape in the frame of its body; planar ones are solids about z = 0.
fn placed(shape: &Shape) -> Option<Place> {
    let planar = shape.pose.len() == 3;
    match shape.kind {
        // Its plane is x z, its normal y: said by the plane itself.
        _ if planar => Some(super::super::poses::flat(&shape.pose)),
        _ => Some(spatial(&shape.pose)),
    }
}

/// Kind and sizes of a shape, if SDF has it.
fn geometry(shape: &Shape) -> Option<(&'static str, Vec<(&'static str, String)>)> {
    let p = &shape.params;
    let number = |x: f64| numbers(&[x]);
    let round = |kind| (kind, vec![("radius", number(p[1])), ("length", number(2.0 * p[0]))]);
    Some(match shape.kind {
        ShapeKind::Disc | ShapeKind::Ball => ("sphere", vec![("radius", number(p[0]))]),
        ShapeKind::Box => {
            let half = if p.len() == 2 { vec![p[0], p[1], THICK] } else { p.clone() };
            let sides: Vec<f64> = half.iter().map(|x| 2.0 * x).collect();
            ("box", vec![("size", numbers(&sides))])
        }
        ShapeKind::Capsule => round("capsule"),
        ShapeKind::Cylinder => round("cylinder"),
        ShapeKind::HalfSpace => ("plane", vec![("normal", "0 0 1".into())]),
        ShapeKind::HalfPlane => ("plane", vec![("normal", "0 1 0".into())]),
        ShapeKind::Superellipsoid if p[3] == 1.0 && p[4] == 1.0 => {
            ("ellipsoid", vec![("radii", numbers(&p[..3]))])
        }
        _ => return None,
    })
}
