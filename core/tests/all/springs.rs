//! Springs: forces are minus the gradient of the energy, matrices are minus the derivatives of the forces.

use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;
use vinci_core::model::{Anchor, Spring};

fn spring(stiffness: f64, damping: f64, rest_length: f64) -> Spring {
    let anchor = Anchor::World(Vector3::zeros());
    Spring { name: "s".into(), a: anchor, b: anchor, stiffness, damping, rest_length }
}

fn vector() -> impl Strategy<Value = Vector3<f64>> {
    [-2.0..2.0_f64, -2.0..2.0_f64, -2.0..2.0_f64].prop_map(Vector3::from)
}

/// Central differences of f by the components of x.
fn derivative(f: impl Fn(&Vector3<f64>) -> Vector3<f64>, x: &Vector3<f64>) -> Matrix3<f64> {
    let d = 1e-6;
    let column = |k: usize| (f(&(x + Vector3::ith(k, d))) - f(&(x - Vector3::ith(k, d)))) / (2.0 * d);
    Matrix3::from_columns(&[column(0), column(1), column(2)])
}

proptest! {
    #[test]
    fn the_force_is_minus_the_gradient_of_the_energy(d in vector(), k in 0.1..100.0_f64, rest in 0.0..1.5_f64) {
        prop_assume!(d.norm() > 0.1);
        let s = spring(k, 0.0, rest);
        let force = s.evaluate(&d, &Vector3::zeros()).force;
        let e = 1e-6;
        let slope = |i: usize| (s.energy(&(d + Vector3::ith(i, e))) - s.energy(&(d - Vector3::ith(i, e)))) / (2.0 * e);
        for i in 0..3 {
            prop_assert!((force[i] + slope(i)).abs() < 1e-6 * k.max(1.0), "{} {}", force[i], slope(i));
        }
    }

    #[test]
    fn matrices_are_derivatives_as_far_as_they_are_stable(d in vector(), rate in vector(), k in 0.1..100.0_f64, c in 0.0..10.0_f64, rest in 0.0..1.5_f64) {
        prop_assume!(d.norm() > 0.1 && (d.norm() - rest).abs() > 1e-3);
        let s = spring(k, c, rest);
        let at = s.evaluate(&d, &rate);
        let viscosity = derivative(|r| -s.evaluate(&d, r).force, &rate);
        prop_assert!((at.viscosity - viscosity).amax() < 1e-6 * c.max(1.0));
        for matrix in [at.stiffness, at.viscosity] {
            prop_assert!((matrix - matrix.transpose()).amax() < 1e-12 * k.max(1.0));
            prop_assert!(matrix.symmetric_eigenvalues().min() > -1e-9 * k.max(1.0));
        }
        // At rest the stiffness is exact for a stretched spring; of a compressed one only the part along it is kept.
        let exact = derivative(|x| -s.evaluate(x, &Vector3::zeros()).force, &d);
        let unit = d.normalize();
        let along = unit * unit.transpose();
        let expected = if d.norm() > rest || rest == 0.0 { exact } else { along * exact * along };
        prop_assert!((at.stiffness - expected).amax() < 1e-5 * k.max(1.0), "{} {}", at.stiffness, expected);
    }
}

#[test]
fn a_spring_without_length_pulls_and_brakes_in_all_directions() {
    let at = spring(10.0, 2.0, 0.0).evaluate(&Vector3::new(0.1, -0.2, 0.3), &Vector3::new(1.0, 0.0, -1.0));
    assert_eq!(at.force, Vector3::new(-1.0 - 2.0, 2.0, -3.0 + 2.0));
    assert_eq!(at.stiffness, Matrix3::identity() * 10.0);
    assert_eq!(at.viscosity, Matrix3::identity() * 2.0);
}

#[test]
fn a_spring_of_length_brakes_along_itself_only() {
    let at = spring(10.0, 2.0, 1.0).evaluate(&Vector3::new(3.0, 0.0, 0.0), &Vector3::new(0.5, 7.0, 0.0));
    assert_eq!(at.force, Vector3::new(-20.0 - 1.0, 0.0, 0.0));
    // Collapsed to a point it has no direction; its force is that of no length, finite.
    let at = spring(10.0, 2.0, 1.0).evaluate(&Vector3::zeros(), &Vector3::zeros());
    assert_eq!(at.force, Vector3::zeros());
}
