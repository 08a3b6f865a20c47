//! Random trees against differences along their motions: frames, Lagrange's equations, potential, power and momentum.

use nalgebra::{DMatrix, DVector};

use super::properties::{Case, G};
use super::random::Random;
use super::{close, largest};
use crate::tree::{Factor, JointKind};

/// Columns are what frames do: (x(q ⊕ h e_k) − x(q ⊖ h e_k)) / 2h, and rotations likewise.
#[test]
fn columns_are_the_derivatives_of_frames() {
    const H: f64 = 1e-5;
    let mut random = Random(6);
    for _ in 0..300 {
        let case = Case::new(&mut random, &JointKind::ALL);
        for k in 0..case.tree.nv() {
            let mut unit = vec![0.0; case.tree.nv()];
            unit[k] = 1.0;
            let (before, after) = (case.beside(&unit, -H), case.beside(&unit, H));
            for link in 0..case.tree.links().len() {
                let (a, b) = (before.frame(link), after.frame(link));
                let linear = (b.translation.vector - a.translation.vector) / (2.0 * H);
                let angular = (b.rotation * a.rotation.inverse()).scaled_axis() / (2.0 * H);
                let column = case.state.columns(&case.tree, link).find(|(dof, _)| *dof == k);
                let (u, w) = column.map_or_else(Default::default, |(_, c)| (c.linear, c.angular));
                close("linear", u.as_slice(), linear.as_slice(), 1e-9);
                close("angular", w.as_slice(), angular.as_slice(), 1e-9);
            }
        }
    }
}

/// c = −(Ṁ v − ½ ∂(vᵀ M v)/∂q) where v = q̇, by differences of M alone.
#[test]
fn bias_is_lagranges() {
    const H: f64 = 1e-5;
    let kinds = [JointKind::Fixed, JointKind::Revolute, JointKind::Prismatic, JointKind::Planar];
    let mut random = Random(7);
    for _ in 0..1000 {
        let mut case = Case::new(&mut random, &kinds);
        let (nv, v) = (case.tree.nv(), DVector::from_column_slice(&case.v));
        let rate = |direction: &[f64]| {
            let m = |dt: f64| {
                let mut out = vec![0.0; nv * nv];
                case.beside(direction, dt).mass(&case.tree, &mut out);
                DMatrix::from_row_slice(nv, nv, &out)
            };
            (m(H) - m(-H)) / (2.0 * H)
        };
        let mut expected = -(rate(&case.v) * &v);
        for k in 0..nv {
            let mut unit = vec![0.0; nv];
            unit[k] = 1.0;
            expected[k] += 0.5 * v.dot(&(rate(&unit) * &v));
        }
        let size = largest(&case.mass()).max(1.0);
        close("bias", &case.bias(), expected.as_slice(), 1e-7 * size);
    }
}

/// −∂V/∂q = g: gravity by differences of the potential energy.
#[test]
fn gravity_is_the_slope_of_the_potential() {
    const H: f64 = 1e-5;
    let mut random = Random(8);
    for _ in 0..300 {
        let case = Case::new(&mut random, &JointKind::ALL);
        let mut gravity = vec![0.0; case.tree.nv()];
        case.state.gravity(&case.tree, &G, &mut gravity);
        for k in 0..case.tree.nv() {
            let mut unit = vec![0.0; case.tree.nv()];
            unit[k] = 1.0;
            let v = |dt| case.beside(&unit, dt).potential_energy(&case.tree, &G);
            close("gravity", &gravity[k..=k], &[(v(-H) - v(H)) / (2.0 * H)], 1e-6);
        }
    }
}

/// With M v̇ = f + c: dT/dt = v·f, and where nothing holds a tree, P and L stay.
#[test]
fn power_and_momentum_balance() {
    const H: f64 = 1e-5;
    let (mut random, mut factor) = (Random(9), Factor::default());
    for _ in 0..1000 {
        let mut case = Case::new(&mut random, &JointKind::ALL);
        let floats = case.tree.joints().iter().all(|j| j.parent.is_some() || j.kind == JointKind::Free);
        let inner = case.tree.joints().iter().all(|j| j.reflected_inertia() == 0.0);
        let n = case.tree.nv();
        let force = if floats && inner { vec![0.0; n] } else { random.numbers(n, 1.0) };
        let mut vdot: Vec<f64> = case.bias().iter().zip(&force).map(|(c, f)| c + f).collect();
        assert!(factor.factor(&case.tree, &case.mass()));
        factor.solve(&case.tree, &mut vdot);
        case.vdot = vdot;
        let at = |dt: f64| {
            let v: Vec<f64> = case.v.iter().zip(&case.vdot).map(|(v, a)| v + dt * a).collect();
            (case.beside(&case.v, dt), v)
        };
        let [(s0, v0), (s1, v1)] = [at(-H), at(H)];
        let power = (s1.kinetic_energy(&case.tree, &v1) - s0.kinetic_energy(&case.tree, &v0)) / (2.0 * H);
        let expected = case.v.iter().zip(&force).map(|(v, f)| v * f).sum::<f64>();
        let size = largest(&case.mass()).max(1.0) * (1.0 + largest(&case.vdot)).powi(2);
        close("power", &[power], &[expected], 1e-7 * size);
        if floats && inner {
            let ((p0, l0), (p1, l1)) = (s0.momentum(&case.tree, &v0), s1.momentum(&case.tree, &v1));
            close("dP/dt", ((p1 - p0) / (2.0 * H)).as_slice(), &[0.0; 3], 1e-7 * size);
            close("dL/dt", ((l1 - l0) / (2.0 * H)).as_slice(), &[0.0; 3], 1e-7 * size);
        }
    }
}
