//! Dofs without inertia: found where eigenvalues find them, in time that long chains have.

use nalgebra::{DMatrix, Vector3};

use super::properties::Case;
use super::random::Random;
use super::{joint, link};
use crate::tree::link::Lump;
use crate::tree::{Articulated, JointKind, Tree, TreeState};

/// Least eigenvalue of D^-½ M D^-½, D what the diagonal of M is made of.
fn least(tree: &Tree, state: &TreeState) -> f64 {
    let nv = tree.nv();
    let mut mass = vec![0.0; nv * nv];
    state.mass(tree, &mut mass);
    let rotor = |dof: usize| tree.bodies[tree.dofs[dof].body].rotor;
    let scale: Vec<f64> = (0..nv).map(|dof| state.scale_of_dof(tree, dof) + rotor(dof)).collect();
    if scale.contains(&0.0) {
        return 0.0;
    }
    let scaled = DMatrix::from_fn(nv, nv, |i, j| mass[i * nv + j] / (scale[i] * scale[j]).sqrt());
    scaled.symmetric_eigenvalues().min()
}

#[test]
fn dofs_without_inertia_are_those_that_eigenvalues_find() {
    let mut random = Random(23);
    let mut refused = 0;
    for _ in 0..2000 {
        let mut case = Case::new(&mut random, &JointKind::ALL);
        for body in &mut case.tree.bodies {
            if random.uniform(0.0, 1.0) < 0.3 {
                (body.lump, body.rotor) = (Lump::EMPTY, 0.0);
            }
        }
        case.state.update(&case.tree, &case.q);
        if case.tree.nv() == 0 {
            continue;
        }
        let (least, found) = (least(&case.tree, &case.state), case.state.check_inertia(&case.tree));
        // Nothing is near the border: what is singular is so up to rounding.
        assert!(!(1e-14..1e-12).contains(&least), "{least}");
        assert_eq!(found.is_ok(), least > 1e-13, "{least}");
        refused += usize::from(found.is_err());
    }
    assert!((500..1500).contains(&refused), "{refused}");
}

/// Its mass matrix would have 80 GB, and its factors would take days: `check` of 1000 links took the cube of their number.
#[test]
fn a_chain_of_a_hundred_thousand_links_is_checked() {
    let n = 100_000;
    let links = (0..n)
        .map(|i| link(&format!("l{i}"), 0.1, Vector3::new(0.05, 0.0, 0.0), [1e-5, 1e-4, 1e-4]))
        .collect();
    let hinge = |i: usize| joint(&format!("j{i}"), JointKind::Revolute, i.checked_sub(1), [0.1, 0.0, 0.0]);
    let tree = Tree::new("chain", links, (0..n).map(hinge).collect()).unwrap();
    assert_eq!(tree.paths.len(), n, "one path for all");
    assert_eq!(tree.dof_path(n - 1), (0..n).collect::<Vec<_>>());
    // The same of accelerations: what moves the last link alone is next to nothing for the first.
    let mut state = TreeState::default();
    state.update(&tree, &vec![0.0; n]);
    let mut x = vec![0.0; n];
    x[n - 1] = 1e-3;
    assert!(state.accelerations(&tree, &vec![0.0; n], &mut Articulated::default(), &mut x));
    assert!(x[n - 1] > 1.0 && x[0].abs() < 1e-9 * x[n - 1], "{} {}", x[0], x[n - 1]);
}

#[test]
fn branches_have_paths_of_their_own() {
    let links = (0..4).map(|i| link(&format!("l{i}"), 0.1, Vector3::x(), [0.1; 3])).collect();
    let hinge = |(i, parent)| joint(&format!("j{i}"), JointKind::Revolute, parent, [0.1, 0.0, 0.0]);
    let joints = [None, Some(0), Some(0), Some(1)].into_iter().enumerate().map(hinge).collect();
    let tree = Tree::new("fork", links, joints).unwrap();
    let paths: Vec<&[usize]> = (0..4).map(|i| tree.dof_path(i)).collect();
    assert_eq!(paths, [&[0][..], &[0, 1], &[0, 2], &[0, 1, 3]]);
}
