//! Trees far from the world's origin.

use nalgebra::{DMatrix, Isometry3, Vector3};

use super::random::Random;
use super::{close, joint, largest, link};
use crate::tree::{Joint, JointKind, Tree, TreeState};

struct Quantities {
    mass: Vec<f64>,
    bias: Vec<f64>,
    inverse: Vec<f64>,
    energy: f64,
}

fn quantities(tree: &Tree, q: &[f64], v: &[f64], vdot: &[f64]) -> Quantities {
    let nv = tree.nv();
    let (mut mass, mut bias, mut inverse) = (vec![0.0; nv * nv], vec![0.0; nv], vec![0.0; nv]);
    let mut state = TreeState::default();
    state.update(tree, q);
    state.mass(tree, &mut mass);
    state.bias(tree, v, &mut bias);
    state.inverse_dynamics(tree, v, vdot, &Vector3::new(0.0, 0.0, -9.81), &mut inverse);
    Quantities { mass, bias, inverse, energy: state.kinetic_energy(tree, v) }
}

fn moved(tree: &Tree, by: &Vector3<f64>) -> Tree {
    let far = |j: &Joint| match j.parent {
        None => Joint { frame: Isometry3::translation(by.x, by.y, by.z) * j.frame, ..j.clone() },
        Some(_) => j.clone(),
    };
    Tree::new("far", tree.links().to_vec(), tree.joints().iter().map(far).collect()).unwrap()
}

/// Positions at 100 m round to 1.4e-14, so nothing else may be lost: about the world's origin m d² alone would round to
/// 1e-12 per kg at 100 m, to 1e-6 at 100 km, where positions still have 1.5e-11.
#[test]
fn a_base_far_away_changes_nothing() {
    let mut random = Random(11);
    for _ in 0..1000 {
        let near = random.tree(12, &JointKind::ALL);
        let (q, nv) = (random.q(&near), near.nv());
        let (v, vdot) = (random.numbers(nv, 1.0), random.numbers(nv, 1.0));
        let expected = quantities(&near, &q, &v, &vdot);
        for distance in [100.0, 1e5] {
            let tree = moved(&near, &(Vector3::new(0.6, -0.64, 0.48) * distance));
            let found = quantities(&tree, &q, &v, &vdot);
            let size = 1e-14 * distance * largest(&expected.mass).max(1.0);
            close("M", &found.mass, &expected.mass, size);
            close("bias", &found.bias, &expected.bias, 10.0 * size);
            close("RNEA", &found.inverse, &expected.inverse, 10.0 * size);
            close("T", &[found.energy], &[expected.energy], size);
        }
    }
}

/// Rails first: the hinge at their end is the place to stand on, 1 km out.
#[test]
fn a_wrist_at_the_end_of_long_rails() {
    let com = Vector3::new(0.03, 0.0, 0.0);
    let rail = |name| link(name, 1.0, Vector3::zeros(), [1e-3, 1e-3, 1e-3]);
    let links = vec![rail("x"), rail("y"), link("hand", 0.01, com, [1e-6, 1e-6, 1e-6])];
    let slide = |name, parent, axis| Joint { axis, ..joint(name, JointKind::Prismatic, parent, [0.0; 3]) };
    let joints = vec![
        slide("x", None, Vector3::x()),
        slide("y", Some(0), Vector3::y()),
        joint("wrist", JointKind::Revolute, Some(1), [0.0; 3]),
    ];
    let tree = Tree::new("gantry", links, joints).unwrap();
    let found = quantities(&tree, &[1000.0, -700.0, 0.4], &[0.0, 0.0, 2.0], &[0.0; 3]);
    let (s, c) = 0.4_f64.sin_cos();
    let (m, l) = (0.01, 0.01 * 0.03);
    let moment = 1e-6 + l * 0.03;
    let expected =
        DMatrix::from_row_slice(3, 3, &[2.0 + m, 0.0, -l * s, 0.0, 1.0 + m, l * c, -l * s, l * c, moment]);
    close("M", &found.mass, expected.as_slice(), 1e-15);
    close("bias", &found.bias, &[l * c * 4.0, l * s * 4.0, 0.0], 1e-15);
}

/// Two trees on one world, far apart: each has a reference of its own.
#[test]
fn trees_far_apart_are_each_near_themselves() {
    let body = |name| link(name, 2.0, Vector3::new(0.2, 0.0, 0.0), [0.01, 0.02, 0.02]);
    let joints = vec![
        joint("a", JointKind::Revolute, None, [0.0; 3]),
        joint("b", JointKind::Revolute, None, [1e6, -1e6, 0.0]),
    ];
    let tree = Tree::new("two", vec![body("a"), body("b")], joints).unwrap();
    let found = quantities(&tree, &[0.3, 0.3], &[1.0, 1.0], &[1.0, 1.0]);
    close("M", &found.mass, &[0.1, 0.0, 0.0, 0.1], 1e-10);
}
