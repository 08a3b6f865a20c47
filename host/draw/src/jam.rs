//! Certificates in space: squeezing forces as a loop through the bodies that they press together, free directions as arrows. They look
//! as in the page of `vinci view`, and stand before everything else.

use nalgebra::{UnitQuaternion, Vector3};
use vinci_core::model::Frames;
use vinci_run::certificate::{Certificate, FreeDirection};
use vinci_run::pictures::{FREE, JAM};

use crate::camera::Camera;
use crate::canvas::Canvas;
use crate::mesh::Mesh;
use crate::motion::{Motion, Pose, rgb};
use crate::solids;
use crate::surface::{BEFORE, along, fill};

/// Radius of a line, length of the largest force and of a free velocity, and radius of a free turn, as parts of the scene's size.
const THIN: f64 = 0.006;
const LONG: [f64; 3] = [0.22, 0.4, 0.28];
/// Angle of the arc that stands for a turn, rad, and the lines that it is made of.
const TURN: f64 = 4.5;
const LINES: u32 = 24;
/// Length of a dash and of the gap behind it, by the radius of a line.
const DASH: f64 = 7.0;
/// Dashes at most.
const DASHES: f64 = 200.0;

/// Draws the certificate of a motion; `frames`: where the bodies are.
pub(crate) fn draw(
    motion: &Motion,
    certificate: &Certificate,
    frames: &Frames,
    camera: &Camera,
    canvas: &mut Canvas,
) {
    let mut pen = Pen { camera, canvas, extent: motion.extent_seen(), colour: rgb(JAM) };
    let centre = |body: u32| frames.centre(body);
    let forces = certificate.forces.iter().map(|f| (f, Vector3::from(f.force)));
    let most = forces.clone().map(|(_, force)| force.norm()).fold(0.0, f64::max);
    for (squeeze, force) in forces.filter(|_| most > 0.0) {
        let (at, part) = (Vector3::from(squeeze.point), force / most);
        let width = 0.6 + 1.2 * part.norm();
        for body in squeeze.bodies.into_iter().filter(|body| motion.is_moving(*body)) {
            pen.line(centre(body), at, width);
        }
        // The force on the second body leaves the point into it, its reaction into the first.
        pen.arrow(at, LONG[0] * part, width);
        pen.arrow(at, -LONG[0] * part, width);
    }
    // What holds bodies closes the loop.
    certificate.held.windows(2).for_each(|two| pen.dashes(centre(two[0]), centre(two[1]), 0.6));
    pen.colour = rgb(FREE);
    certificate.motions.iter().for_each(|free| pen.free(centre(free.body), free));
}

/// A pen for lines and arrows; widths by that of a line, lengths of arrows by the scene's size.
struct Pen<'a> {
    camera: &'a Camera,
    canvas: &'a mut Canvas,
    extent: f64,
    colour: [f64; 3],
}

impl Pen<'_> {
    fn put(&mut self, mesh: &Mesh, position: Vector3<f64>, rotation: UnitQuaternion<f64>) {
        let colour = self.colour;
        fill(self.canvas, self.camera, (mesh, &Pose { position, rotation }), BEFORE, |_| colour);
    }

    fn line(&mut self, from: Vector3<f64>, to: Vector3<f64>, width: f64) {
        let way = to - from;
        self.put(
            &solids::cylinder(0.5 * way.norm(), THIN * width * self.extent),
            0.5 * (from + to),
            along(&way),
        );
    }

    fn arrow(&mut self, from: Vector3<f64>, way: Vector3<f64>, width: f64) {
        let mesh = solids::arrow(way.norm() * self.extent, THIN * width * self.extent);
        self.put(&mesh, from, along(&way));
    }

    fn dashes(&mut self, from: Vector3<f64>, to: Vector3<f64>, width: f64) {
        let way = to - from;
        // An odd number of pieces: the first and the last are lines.
        let pieces = 2.0 * (way.norm() / (2.0 * DASH * THIN * self.extent)).clamp(1.0, DASHES).floor() + 1.0;
        for k in (0..pieces as u32).step_by(2).map(f64::from) {
            self.line(from + way * (k / pieces), from + way * ((k + 1.0) / pieces), width);
        }
    }

    /// A velocity as an arrow, a turn as an arc about its axis with one.
    fn free(&mut self, at: Vector3<f64>, motion: &FreeDirection) {
        let direction = |v: [f64; 3]| Vector3::from(v).try_normalize(0.0);
        if let Some(way) = direction(motion.linear) {
            self.arrow(at, LONG[1] * way, 1.3);
        }
        let Some(axis) = direction(motion.angular) else { return };
        let turn = along(&axis);
        let on = |k: u32| {
            let (sin, cos) = (TURN * f64::from(k) / f64::from(LINES)).sin_cos();
            at + LONG[2] * self.extent * (turn * Vector3::new(cos, sin, 0.0))
        };
        let points: Vec<_> = (0..=LINES).map(on).collect();
        points.windows(2).for_each(|two| self.line(two[0], two[1], 1.0));
        let last = points[points.len() - 1];
        let ahead = axis.cross(&(last - at)).normalize();
        self.arrow(last, 0.12 * ahead, 1.0);
    }
}
