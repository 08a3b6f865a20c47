//! Pendulums and free bodies against their equations.

use nalgebra::{Isometry3, Matrix3, Vector3};

use crate::tree::{Factor, Joint, JointKind, Link, Tree, TreeState};

fn link(name: &str, mass: f64, com: Vector3<f64>, principal: [f64; 3]) -> Link {
    Link { name: name.into(), mass, com, inertia: Matrix3::from_diagonal(&Vector3::from(principal)) }
}

fn hinge(name: &str, parent: Option<usize>, at: Vector3<f64>) -> Joint {
    let frame = Isometry3::translation(at.x, at.y, at.z);
    Joint { frame, ..Joint::new(name, JointKind::Revolute, parent) }
}

/// Two links of lengths l1, l2 in the plane z = 0, angles from x, the second relative to the first (Featherstone,
/// Murray–Li–Sastry ex. 4.1): M, c and g in closed form.
#[test]
fn double_pendulum() {
    let (m1, m2, l1, r1, r2, j1, j2) = (1.3, 0.7, 0.5, 0.2, 0.31, 0.02, 0.013);
    let links = vec![
        link("upper", m1, Vector3::new(r1, 0.0, 0.0), [0.015, 0.015, j1]),
        link("lower", m2, Vector3::new(r2, 0.0, 0.0), [0.01, 0.01, j2]),
    ];
    let joints = vec![
        hinge("shoulder", None, Vector3::new(3.0, -2.0, 1.0)),
        hinge("elbow", Some(0), Vector3::new(l1, 0.0, 0.0)),
    ];
    let tree = Tree::new("pendulum", links, joints).unwrap();
    let (q, v, g): ([f64; 2], [f64; 2], f64) = ([0.4, -1.1], [1.7, -0.6], 9.81);
    let mut state = TreeState::default();
    state.update(&tree, &q);
    let (alpha, beta) = (j1 + j2 + m1 * r1 * r1 + m2 * (l1 * l1 + r2 * r2), m2 * l1 * r2);
    let delta = j2 + m2 * r2 * r2;
    let (s2, c2) = q[1].sin_cos();
    let expected = [alpha + 2.0 * beta * c2, delta + beta * c2, delta + beta * c2, delta];
    let mut mass = [0.0; 4];
    state.mass(&tree, &mut mass);
    close(&mass, &expected, 1e-14);
    let mut bias = [0.0; 2];
    state.bias(&tree, &v, &mut bias);
    let h = beta * s2;
    close(&bias, &[h * (2.0 * v[0] * v[1] + v[1] * v[1]), -h * v[0] * v[0]], 1e-14);
    let mut gravity = [0.0; 2];
    state.gravity(&tree, &Vector3::new(0.0, -g, 0.0), &mut gravity);
    let lower = -m2 * g * r2 * (q[0] + q[1]).cos();
    close(&gravity, &[-(m1 * r1 + m2 * l1) * g * q[0].cos() + lower, lower], 1e-14);
    let mut factor = Factor::default();
    assert!(factor.factor(&tree, &mass));
    let mut x = [expected[0] * 0.3 - expected[1] * 2.0, expected[2] * 0.3 - expected[3] * 2.0];
    factor.solve(&tree, &mut x);
    close(&x, &[0.3, -2.0], 1e-13);
}

fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance, "{i}: {found:?} {expected:?}");
    }
}
