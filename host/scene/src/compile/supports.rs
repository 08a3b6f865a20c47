//! Support points with their loads.

use super::super::types::{Body, Scene, Supports};
use nalgebra::{Vector2, Vector3};
use vinci_core::model::{LoadError, SupportPoint, load_point, support_loads};

/// Gravity across the plane of a scene that gives none, m/s².
const DEFAULT_SUPPORT_GRAVITY: f64 = 9.81;

/// Support points of a body of mass `mass`, with their loads.
///
/// Errors: the part cannot stand on them.
pub(crate) fn core_supports(
    scene: &Scene,
    body: &Body,
    index: u32,
    mass: f64,
) -> Result<Vec<SupportPoint>, LoadError> {
    let Some(supports) = &body.supports else { return Ok(Vec::new()) };
    let load = loads(scene, body, supports, mass)?;
    let point = |(k, [x, y]): (usize, &[f64; 2])| SupportPoint {
        body: index,
        point: Vector3::new(*x, *y, 0.0),
        friction: supports.friction.of(k),
        load: load[k],
        viscosity: supports.viscosity,
    };
    Ok(supports.points.iter().enumerate().map(point).collect())
}

fn loads(scene: &Scene, body: &Body, supports: &Supports, mass: f64) -> Result<Vec<f64>, LoadError> {
    let points: Vec<Vector2<f64>> = supports.points.iter().map(|p| Vector2::from(*p)).collect();
    let pulled = body.gravity.unwrap_or(true);
    let gravity = if pulled { scene.support_gravity.unwrap_or(DEFAULT_SUPPORT_GRAVITY) } else { 0.0 };
    let extra = supports.load.as_ref().map(|load| (load.force, Vector2::from(load.at)));
    let (weight, at) = load_point(mass, gravity, extra);
    support_loads(&points, weight, at)
}
