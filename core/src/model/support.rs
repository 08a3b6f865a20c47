//! Support points of 2.5D parts: where a part that lies on the plane of the scene touches it.

use nalgebra::{Matrix3, Vector3};

use super::forces::BESIDE;
use super::parts::SupportPoint;
use super::point::PointJacobian;
use super::{Frames, System};
use crate::sparse::CsrBuf;
use crate::stage::Supports;

/// The support points at one configuration. Keeps its memory between steps.
#[derive(Debug, Clone, Default)]
pub struct SupportBuf {
    body: Vec<u32>,
    point: Vec<f64>,
    jacobian: CsrBuf,
    load: Vec<f64>,
    bound: Vec<f64>,
    velocity: PointJacobian,
    /// Impulses of the last accepted step, 2 per point, N s.
    pub last_impulse: Vec<f64>,
}

impl SupportBuf {
    /// Fills all but the impulses, which start at zero.
    pub fn fill(&mut self, system: &System, frames: &Frames) {
        self.body.clear();
        self.point.clear();
        self.load.clear();
        self.bound.clear();
        self.jacobian.clear(system.nv());
        for support in &system.supports {
            let world = system.support_jacobian(support, frames, &mut self.velocity);
            self.body.push(support.body);
            self.point.extend([world.x, world.y]);
            self.load.push(support.load);
            self.bound.push(support.friction * support.load);
            for k in 0..2 {
                self.velocity.entries(k).for_each(|(column, value)| self.jacobian.push(column, value));
                self.jacobian.end_row();
            }
        }
        self.last_impulse.resize(2 * system.supports.len(), 0.0);
    }

    /// The support points as steppers see them.
    pub fn view(&self) -> Supports<'_> {
        Supports {
            body: &self.body,
            point: &self.point,
            jacobian: self.jacobian.view(),
            load: &self.load,
            bound: &self.bound,
            last_impulse: &self.last_impulse,
        }
    }
}

impl System {
    /// World position of a support point and the Jacobian of its velocity.
    fn support_jacobian(
        &self,
        support: &SupportPoint,
        frames: &Frames,
        out: &mut PointJacobian,
    ) -> Vector3<f64> {
        let world = frames.point(support.body, &support.point);
        out.clear();
        out.add_body(self, support.body, &world, 1.0, frames);
        world
    }

    /// Adds how the generalized forces of films change along the motion at fixed v, from frames τ and 2 τ before and behind.
    pub(super) fn add_film_rates(
        &self,
        beside: &[Frames],
        v: &[f64],
        tau: f64,
        rate: &mut [f64],
        jacobian: &mut PointJacobian,
    ) {
        for support in self.supports.iter().filter(|s| s.viscosity > 0.0) {
            for (frames, [_, weight]) in beside.iter().zip(BESIDE) {
                self.support_jacobian(support, frames, jacobian);
                let force = jacobian.velocity(v) * (-support.viscosity * weight / (12.0 * tau));
                jacobian.add_force(&force, rate);
            }
        }
    }

    /// Adds the films under all support points: force −c ν and its viscosity matrix.
    pub(super) fn add_films(
        &self,
        v: &[f64],
        frames: &Frames,
        force: &mut [f64],
        viscous: &mut Vec<(u32, u32, f64)>,
        jacobian: &mut PointJacobian,
    ) {
        for support in self.supports.iter().filter(|s| s.viscosity > 0.0) {
            self.support_jacobian(support, frames, jacobian);
            let nu = jacobian.velocity(v);
            jacobian.add_force(&(-support.viscosity * nu), force);
            jacobian.add_matrix(&(Matrix3::identity() * support.viscosity), viscous);
        }
    }
}
