//! A state of a spatial scene on a canvas: shapes, then contact points and forces before them.

use nalgebra::{UnitQuaternion, Vector3};
use vinci_core::model::{Frames, ShapeKind};
use vinci_run::view::State;

use crate::camera::Camera;
use crate::canvas::Canvas;
use crate::mesh::Mesh;
use crate::motion::{Motion, Pose};
use crate::solids;

/// Light that falls on every side, that of the lamp, and more of it for sides that look upwards.
const LIGHT: [f64; 3] = [0.50, 0.42, 0.08];
/// Every other square of a floor is darker by this factor.
const CHEQUER: f64 = 0.93;
/// Length of the largest force, and radii of arrows and contact points, as parts of the scene's size.
const FORCE: [f64; 3] = [0.5, 0.008, 0.012];
/// Forces below this part of the largest are not drawn.
const SMALLEST: f64 = 1e-3;
/// What stands before everything: inverse distances are larger by this factor.
const BEFORE: f64 = 1e3;
/// Colours of contacts by mode: open, stick, slip.
const MODES: [[f64; 3]; 3] = [[0.45, 0.45, 0.45], [0.05, 0.45, 0.15], [0.80, 0.05, 0.05]];

/// A shape that is drawn.
struct Part {
    body: u32,
    pose: Pose,
    mesh: Mesh,
    colour: [f64; 3],
    is_floor: bool,
}

/// The shapes of a motion as triangles, ready to be drawn at any state.
pub(crate) struct Painter<'m> {
    motion: &'m Motion,
    parts: Vec<Part>,
    extent: f64,
    largest: f64,
    has_forces: bool,
}

impl<'m> Painter<'m> {
    /// `has_forces`: contacts are drawn too.
    pub(crate) fn new(motion: &'m Motion, has_forces: bool) -> Self {
        let extent = motion.extent();
        let part = |shape: &vinci_core::model::Shape| Part {
            body: shape.body,
            pose: Pose::of(&shape.pose),
            mesh: Mesh::of_shape(shape, 1.5 * extent),
            colour: motion.colour(shape.body),
            is_floor: shape.kind == ShapeKind::HalfSpace,
        };
        let parts = motion.system.shapes.iter().map(part).collect();
        Self { motion, parts, extent, largest: motion.largest_force(), has_forces }
    }

    /// Draws a state.
    pub(crate) fn draw(&self, state: &State, camera: &Camera, canvas: &mut Canvas) {
        let mut frames = Frames::default();
        self.motion.system.place(&state.q, &mut frames);
        for part in &self.parts {
            let body = Pose::of(frames.pose(part.body));
            let place = Pose {
                position: body.apply(&part.pose.position),
                rotation: body.rotation * part.pose.rotation,
            };
            let shade = |triangle: usize| if part.is_floor { chequer(triangle) } else { 1.0 };
            fill(canvas, camera, (&part.mesh, &place), 1.0, |t| part.colour.map(|c| c * shade(t)));
        }
        if self.has_forces && self.largest > 0.0 {
            self.forces(state, camera, canvas);
        }
    }

    /// A small ball at every point of contact and an arrow along its force on the second body.
    fn forces(&self, state: &State, camera: &Camera, canvas: &mut Canvas) {
        let [longest, thin, thick] = FORCE.map(|part| part * self.extent);
        let point = solids::ball(thick);
        for row in self.motion.contacts(state) {
            let (at, force) = (Vector3::from(row.point), Vector3::from(row.force));
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

/// The turn that brings z to a direction.
fn along(direction: &Vector3<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::rotation_between(&Vector3::z(), direction)
        .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI))
}

/// Squares of a floor are two triangles each, row by row.
fn chequer(triangle: usize) -> f64 {
    let (square, squares) = (triangle / 2, solids::SQUARES as usize);
    if (square / squares + square % squares).is_multiple_of(2) { 1.0 } else { CHEQUER }
}

/// Draws a mesh at a place; inverse distances times `before`; a triangle's colour by its number.
fn fill(
    canvas: &mut Canvas,
    camera: &Camera,
    (mesh, place): (&Mesh, &Pose),
    before: f64,
    colour: impl Fn(usize) -> [f64; 3],
) {
    let light = camera.light();
    let seen: Vec<_> = mesh.positions.iter().map(|p| camera.project(&place.apply(p))).collect();
    let lit: Vec<f64> = mesh
        .normals
        .iter()
        .map(|n| {
            let n = place.rotation * n;
            LIGHT[0] + LIGHT[1] * n.dot(&light).max(0.0) + LIGHT[2] * n.z
        })
        .collect();
    for (k, triangle) in mesh.triangles.iter().enumerate() {
        let own = colour(k);
        let [a, b, c] = triangle.map(|v| v as usize);
        // A triangle that reaches behind the eye is not drawn: the camera stands outside of everything it shows.
        let (Some(p), Some(q), Some(r)) = (seen[a], seen[b], seen[c]) else { continue };
        let corner =
            |[x, y, near]: [f64; 3], v: usize| ([x, y, near * before], own.map(|c| (c * lit[v]).min(1.0)));
        canvas.triangle(&[corner(p, a), corner(q, b), corner(r, c)]);
    }
}
