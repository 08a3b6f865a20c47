//! Volume, centre and moments of meshes, as MuJoCo takes them.

use crate::import::meshes::Surface;
use nalgebra::{Matrix3, Vector3};

/// Part of a mesh that has mass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fill {
    /// Pyramids between the middle of the surface and its triangles, each counted as positive.
    Legacy,
    /// The solid that the surface encloses.
    Exact,
    /// The convex hull.
    Convex,
    /// The surface.
    Shell,
}

/// Measure and moments of a mesh at density 1, in the frame of its geom.
#[derive(Debug, Clone)]
pub(super) struct MeshMass {
    /// Volume, m³; of shells the area, m².
    pub(super) measure: f64,
    pub(super) com: Vector3<f64>,
    /// About the centre of mass.
    pub(super) moments: Matrix3<f64>,
}

/// Areas, volumes and lengths below this are none.
const NONE: f64 = 1e-15;

impl MeshMass {
    /// `None` where the mesh encloses nothing.
    pub(super) fn of(surface: &Surface, fill: Fill) -> Option<Self> {
        let triangles: Vec<[Vector3<f64>; 3]> =
            surface.triangles.iter().map(|t| t.map(|i| surface.points[i as usize])).collect();
        let middle = centroid(&triangles)?;
        let (mut measure, mut com) = (0.0, Vector3::zeros());
        for corners in &triangles {
            let (part, centre) = match fill {
                Fill::Shell => (area(corners), centre(corners)),
                _ => (volume(corners, &middle, fill), centre(corners) * 0.75 + middle * 0.25),
            };
            measure += part;
            com += centre * part;
        }
        if measure < NONE {
            return None;
        }
        com /= measure;
        let (measure, moments) = moments(&triangles, &com, fill);
        (measure >= NONE).then_some(Self { measure, com, moments })
    }
}

fn centre([a, b, c]: &[Vector3<f64>; 3]) -> Vector3<f64> {
    (a + b + c) / 3.0
}

fn doubled_area([a, b, c]: &[Vector3<f64>; 3]) -> Vector3<f64> {
    (b - a).cross(&(c - a))
}

fn area(corners: &[Vector3<f64>; 3]) -> f64 {
    let doubled = doubled_area(corners).norm();
    if doubled < NONE { 0.0 } else { 0.5 * doubled }
}

/// Middle of the surface, each triangle weighed by its area.
fn centroid(triangles: &[[Vector3<f64>; 3]]) -> Option<Vector3<f64>> {
    let total: f64 = triangles.iter().map(area).sum();
    let sum: Vector3<f64> = triangles.iter().map(|t| centre(t) * area(t)).sum();
    (total >= NONE).then(|| sum / total)
}

/// Volume of the pyramid from a point to a triangle.
fn volume(corners: &[Vector3<f64>; 3], top: &Vector3<f64>, fill: Fill) -> f64 {
    let doubled = doubled_area(corners);
    if doubled.norm() < NONE {
        return 0.0;
    }
    let volume = (centre(corners) - top).dot(&doubled) / 6.0;
    if fill == Fill::Legacy { volume.abs() } else { volume }
}

/// Measure, and the moments of pyramids (or triangles) about the centre of mass.
fn moments(triangles: &[[Vector3<f64>; 3]], com: &Vector3<f64>, fill: Fill) -> (f64, Matrix3<f64>) {
    let (mut measure, mut products) = (0.0, Matrix3::<f64>::zeros());
    let share = if fill == Fill::Shell { 12.0 } else { 20.0 };
    for corners in triangles {
        let corners = corners.map(|p| p - com);
        let part = match fill {
            Fill::Shell => area(&corners),
            _ => volume(&corners, &Vector3::zeros(), fill),
        };
        measure += part;
        // Σ pᵢ pᵢᵀ + (Σ pᵢ)(Σ pᵢ)ᵀ: the integral of x xᵀ over a pyramid, times 20 over its volume.
        let sum: Vector3<f64> = corners.iter().sum();
        let squares: Matrix3<f64> = corners.iter().map(|p| p * p.transpose()).sum();
        products += (squares + sum * sum.transpose()) * (part / share);
    }
    (measure, Matrix3::identity() * products.trace() - products)
}
