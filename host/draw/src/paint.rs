//! A state of a spatial scene on a canvas: shapes, then contact points and forces before them.

use nalgebra::{UnitQuaternion, Vector3};
use vinci_core::model::{Anchor, Frames, Shape, ShapeKind};
use vinci_run::certificate::Certificate;
use vinci_run::view::{State, rods};

use crate::camera::Camera;
use crate::canvas::Canvas;
use crate::jam;
use crate::mesh::Mesh;
use crate::motion::{Motion, Pose};
use crate::solids;
use crate::surface::{BEFORE, along, fill};

/// Every other square of a floor is darker by this factor.
const CHEQUER: f64 = 0.93;
/// Length of the largest force, and radii of arrows and contact points, as parts of the scene's size.
const FORCE: [f64; 3] = [0.5, 0.008, 0.012];
/// Half the width of half-spaces, and the radius of rods, as parts of the scene's size.
const WIDE: f64 = 1.5;
const ROD: f64 = 0.012;
/// Colour of rods.
const BARE: [f64; 3] = [0.45, 0.48, 0.52];
/// Forces below this part of the largest are not drawn.
const SMALLEST: f64 = 1e-3;
/// Colours of contacts by mode: open, stick, slip.
const MODES: [[f64; 3]; 3] = [[0.45, 0.45, 0.45], [0.05, 0.45, 0.15], [0.80, 0.05, 0.05]];

/// A shape that is drawn.
struct Part {
    body: u32,
    pose: Pose,
    mesh: Mesh,
    colour: [f64; 3],
    is_wall: bool,
}

/// The shapes of a motion as triangles, ready to be drawn at any state.
pub(crate) struct Painter<'m> {
    motion: &'m Motion,
    parts: Vec<Part>,
    rods: Vec<[Anchor; 2]>,
    extent: f64,
    /// The force that is drawn longest, N; 0 where none is drawn.
    largest: f64,
    certificate: Option<&'m Certificate>,
}

impl<'m> Painter<'m> {
    /// `largest`: the force that is drawn longest, N; 0 where none is drawn. `certificate`: drawn in the state that it stands in.
    pub(crate) fn new(motion: &'m Motion, largest: f64, certificate: Option<&'m Certificate>) -> Self {
        let extent = motion.extent();
        let part = |shape: &Shape| Part {
            body: shape.body,
            pose: motion.pose_of(shape),
            mesh: Mesh::of_shape(shape, WIDE * extent),
            colour: motion.colour(shape.body),
            is_wall: shape.kind == ShapeKind::HalfSpace,
        };
        let parts = motion.system.shapes.iter().map(part).collect();
        Self { motion, parts, rods: rods(&motion.system), extent, largest, certificate }
    }

    /// Draws a state.
    pub(crate) fn draw(&self, state: &State, camera: &Camera, canvas: &mut Canvas) {
        let mut frames = Frames::default();
        self.motion.system.place(&state.q, &mut frames);
        for part in &self.parts {
            let place = Pose::of(frames.pose(part.body)).then(&part.pose);
            // Walls that the eye looks at from within what is solid would hide everything.
            if part.is_wall && (place.rotation * Vector3::z()).dot(&(camera.eye() - place.position)) <= 0.0 {
                continue;
            }
            let shade = |triangle: usize| if part.is_wall { chequer(triangle) } else { 1.0 };
            fill(canvas, camera, (&part.mesh, &place), 1.0, |t| part.colour.map(|c| c * shade(t)));
        }
        for ends in &self.rods {
            let [a, b] = ends.each_ref().map(|end| match end {
                Anchor::World(p) => *p,
                Anchor::Body(body, point) => frames.point(*body, point),
            });
            self.rod(a, b, camera, canvas);
        }
        if self.largest > 0.0 {
            self.forces(state, camera, canvas);
        }
        if let Some(certificate) = self.certificate.filter(|c| c.time == state.t) {
            jam::draw(self.motion, certificate, &frames, camera, canvas);
        }
    }

    fn rod(&self, a: Vector3<f64>, b: Vector3<f64>, camera: &Camera, canvas: &mut Canvas) {
        let mesh = solids::cylinder(0.5 * (b - a).norm(), ROD * self.extent);
        let place = Pose { position: 0.5 * (a + b), rotation: along(&(b - a)) };
        fill(canvas, camera, (&mesh, &place), 1.0, |_| BARE);
    }

    /// A small ball at every point of contact and an arrow along its force on the freer body.
    fn forces(&self, state: &State, camera: &Camera, canvas: &mut Canvas) {
        let [longest, thin, thick] = FORCE.map(|part| part * self.motion.extent_seen());
        let point = solids::ball(thick);
        for row in self.motion.contacts(state) {
            let (at, force) = (Vector3::from(row.point), self.motion.force(row));
            let colour = MODES[usize::from(row.mode).min(MODES.len() - 1)];
            let mut place = Pose { position: at, rotation: UnitQuaternion::identity() };
            fill(canvas, camera, (&point, &place), BEFORE, |_| colour);
            let part = force.norm() / self.largest;
            if part > SMALLEST {
                place.rotation = along(&force);
                fill(canvas, camera, (&solids::arrow(longest * part, thin), &place), BEFORE, |_| colour);
            }
        }
    }
}

/// Squares of a floor are two triangles each, row by row.
fn chequer(triangle: usize) -> f64 {
    let (square, squares) = (triangle / 2, solids::SQUARES as usize);
    if (square / squares + square % squares).is_multiple_of(2) { 1.0 } else { CHEQUER }
}
