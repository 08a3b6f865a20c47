//! Closed forms and independent formulations.

mod closed_forms;
mod differences;
mod far;
mod inertia;
mod properties;
mod random;
mod refusals;

use nalgebra::{Isometry3, Matrix3, Vector3};

use super::{Joint, JointKind, Link};

fn link(name: &str, mass: f64, com: Vector3<f64>, principal: [f64; 3]) -> Link {
    Link { name: name.into(), mass, com, inertia: Matrix3::from_diagonal(&Vector3::from(principal)) }
}

fn joint(name: &str, kind: JointKind, parent: Option<usize>, at: [f64; 3]) -> Joint {
    Joint { frame: Isometry3::translation(at[0], at[1], at[2]), ..Joint::new(name, kind, parent) }
}

/// Entries agree to `tolerance`.
fn close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance, "{what} {i}: {a} for {b}, tolerance {tolerance:e}");
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, x| x.abs().max(m))
}
