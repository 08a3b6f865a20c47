//! Random trees against formulations that share nothing with the recursions: sums over links of Jᵀ I J with Jacobians that
//! `differences.rs` checks, rates of the links' momenta along motions, dense Cholesky.

use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

use super::random::Random;
use super::{close, largest};
use crate::tree::{Articulated, Factor, JointKind, Tree, TreeState};

pub(super) const G: Vector3<f64> = Vector3::new(0.3, -1.2, -9.81);

/// A tree somewhere.
pub(super) struct Case {
    pub(super) tree: Tree,
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    pub(super) vdot: Vec<f64>,
    pub(super) state: TreeState,
}

impl Case {
    pub(super) fn new(random: &mut Random, kinds: &[JointKind]) -> Self {
        let tree = random.tree(12, kinds);
        let q = random.q(&tree);
        let (v, vdot) = (random.numbers(tree.nv(), 1.0), random.numbers(tree.nv(), 1.0));
        let mut state = TreeState::default();
        state.update(&tree, &q);
        Self { tree, q, v, vdot, state }
    }

    pub(super) fn mass(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.tree.nv() * self.tree.nv()];
        self.state.mass(&self.tree, &mut out);
        out
    }

    pub(super) fn bias(&mut self) -> Vec<f64> {
        let mut out = vec![0.0; self.tree.nv()];
        self.state.bias(&self.tree, &self.v, &mut out);
        out
    }

    fn inverse(&mut self, g: &Vector3<f64>) -> Vec<f64> {
        let mut out = vec![0.0; self.tree.nv()];
        self.state.inverse_dynamics(&self.tree, &self.v, &self.vdot, g, &mut out);
        out
    }

    /// The tree a time dt later: q ⊕ dt v.
    pub(super) fn beside(&self, v: &[f64], dt: f64) -> TreeState {
        let mut q = vec![0.0; self.tree.nq()];
        self.tree.integrate(&self.q, v, dt, &mut q);
        let mut state = TreeState::default();
        state.update(&self.tree, &q);
        state
    }

    fn rotor(&self, dof: usize) -> f64 {
        self.tree.joints()[self.tree.joint_of_v(dof)].reflected_inertia()
    }
}

fn world_inertia(tree: &Tree, state: &TreeState, link: usize) -> Matrix3<f64> {
    let r = state.rotation(link).to_rotation_matrix();
    r.matrix() * tree.links()[link].inertia * r.matrix().transpose()
}

/// Momentum and angular momentum about its own centre of a link, from its columns.
fn link_momentum(tree: &Tree, state: &TreeState, link: usize, v: &[f64]) -> (Vector3<f64>, Vector3<f64>) {
    let (mut u, mut w) = (Vector3::zeros(), Vector3::zeros());
    for (dof, column) in state.point_columns(tree, link, &state.centre(tree, link)) {
        u += column.linear * v[dof];
        w += column.angular * v[dof];
    }
    (u * tree.links()[link].mass, world_inertia(tree, state, link) * w)
}

/// M, RNEA, factorisation, articulated bodies, gravity, momenta and energies of one tree.
fn agrees(case: &mut Case, factor: &mut Factor) {
    let nv = case.tree.nv();
    if nv == 0 {
        return;
    }
    let mass = case.mass();
    let m = DMatrix::from_row_slice(nv, nv, &mass);
    let size = largest(&mass).max(1.0);
    mass_is_the_sum_over_links(case, &m, 1e-13 * size);
    rnea_is_mass_bias_and_gravity(case, &m, 1e-12 * size);
    rates_of_momenta_are_forces(case, 1e-6 * size);
    factor_agrees_with_cholesky(case, &m, factor);
    articulated_bodies_agree_with_cholesky(case, &m);
    sums_over_links(case, &m, 1e-12 * size);
    velocities_are_sums_of_columns(case, 1e-12 * size);
}

fn mass_is_the_sum_over_links(case: &Case, m: &DMatrix<f64>, tolerance: f64) {
    let Case { tree, state, .. } = case;
    let mut sum = DMatrix::zeros(tree.nv(), tree.nv());
    for (i, link) in tree.links().iter().enumerate() {
        let inertia = world_inertia(tree, state, i);
        let columns = || state.point_columns(tree, i, &state.centre(tree, i));
        for (j, a) in columns() {
            for (k, b) in columns() {
                sum[(j, k)] += link.mass * a.linear.dot(&b.linear) + a.angular.dot(&(inertia * b.angular));
            }
        }
    }
    (0..tree.nv()).for_each(|k| sum[(k, k)] += case.rotor(k));
    close("M", m.as_slice(), sum.as_slice(), tolerance);
}

fn rnea_is_mass_bias_and_gravity(case: &mut Case, m: &DMatrix<f64>, tolerance: f64) {
    let (rnea, bias) = (case.inverse(&G), case.bias());
    let mut expected = m * DVector::from_column_slice(&case.vdot) - DVector::from_column_slice(&bias);
    let mut gravity = vec![0.0; case.tree.nv()];
    case.state.gravity(&case.tree, &G, &mut gravity);
    expected -= DVector::from_vec(gravity);
    close("RNEA", &rnea, expected.as_slice(), tolerance);
}

/// τ = Σ Jᵀ d/dt (m v_c, J ω) by central differences along q(t), v(t), for all kinds of joints.
fn rates_of_momenta_are_forces(case: &mut Case, tolerance: f64) {
    const H: f64 = 1e-5;
    let tau = case.inverse(&Vector3::zeros());
    let at = |dt: f64| {
        let v: Vec<f64> = case.v.iter().zip(&case.vdot).map(|(v, a)| v + dt * a).collect();
        (case.beside(&case.v, dt), v)
    };
    let (before, after) = (at(-H), at(H));
    let mut expected: Vec<f64> = (0..tau.len()).map(|k| case.rotor(k) * case.vdot[k]).collect();
    for link in 0..case.tree.links().len() {
        let [(p0, l0), (p1, l1)] = [&before, &after].map(|(s, v)| link_momentum(&case.tree, s, link, v));
        let (force, torque) = ((p1 - p0) / (2.0 * H), (l1 - l0) / (2.0 * H));
        let centre = case.state.centre(&case.tree, link);
        for (dof, column) in case.state.point_columns(&case.tree, link, &centre) {
            expected[dof] += column.linear.dot(&force) + column.angular.dot(&torque);
        }
    }
    close("rates of momenta", &tau, &expected, tolerance);
}

/// (M + diag(e))⁻¹ τ without M.
fn articulated_bodies_agree_with_cholesky(case: &Case, m: &DMatrix<f64>) {
    let extra: Vec<f64> =
        (0..case.tree.nv()).map(|k| if k % 3 == 0 { 0.0 } else { 0.1 * k as f64 }).collect();
    let mut x = case.v.clone();
    assert!(case.state.accelerations(&case.tree, &extra, &mut Articulated::default(), &mut x));
    let sum = m + DMatrix::from_diagonal(&DVector::from_vec(extra));
    let expected = sum.clone().cholesky().unwrap().solve(&DVector::from_column_slice(&case.v));
    let eigenvalues = sum.symmetric_eigenvalues();
    let condition = eigenvalues.max() / eigenvalues.min();
    let off = (DVector::from_vec(x) - &expected).amax();
    assert!(off <= 1e-12 * condition * expected.amax().max(1e-300), "{off:e}, condition {condition:e}");
}

fn factor_agrees_with_cholesky(case: &Case, m: &DMatrix<f64>, factor: &mut Factor) {
    assert!(factor.factor(&case.tree, &case.mass()));
    let mut x = case.v.clone();
    factor.solve(&case.tree, &mut x);
    let cholesky = m.clone().cholesky().unwrap();
    let expected = cholesky.solve(&DVector::from_column_slice(&case.v));
    // Both carry the condition of M: compare what they leave.
    let left = |x: &DVector<f64>| (m * x - DVector::from_column_slice(&case.v)).amax();
    let x = DVector::from_vec(x);
    let scale = m.amax() * x.amax().max(expected.amax()).max(1.0);
    assert!(
        left(&x) <= 1e-13 * scale,
        "left {:e}, Cholesky {:e}, scale {scale:e}",
        left(&x),
        left(&expected)
    );
    let condition = m.symmetric_eigenvalues();
    let condition = condition.max() / condition.min();
    assert!((&x - &expected).amax() <= 1e-13 * condition * expected.amax().max(1e-300));
}

/// Energies and momentum.
fn sums_over_links(case: &Case, m: &DMatrix<f64>, tolerance: f64) {
    let Case { tree, v, state, .. } = case;
    let column = DVector::from_column_slice(v);
    let energy = 0.5 * column.dot(&(m * &column));
    close("T", &[state.kinetic_energy(tree, v)], &[energy], tolerance);
    let (mut linear, mut angular, mut weight) = (Vector3::zeros(), Vector3::zeros(), 0.0);
    for i in 0..tree.links().len() {
        let (p, l) = link_momentum(tree, state, i, v);
        linear += p;
        angular += l + state.centre(tree, i).cross(&p);
        if !tree.dof_path(i).is_empty() {
            weight -= tree.links()[i].mass * G.dot(&state.centre(tree, i));
        }
    }
    let (p, l) = state.momentum(tree, v);
    close("P", p.as_slice(), linear.as_slice(), tolerance);
    close("L", l.as_slice(), angular.as_slice(), 10.0 * tolerance);
    close("V", &[state.potential_energy(tree, &G)], &[weight], 10.0 * tolerance);
}

fn velocities_are_sums_of_columns(case: &mut Case, tolerance: f64) {
    let Case { tree, v, state, .. } = case;
    state.set_velocity(tree, v);
    for i in 0..tree.links().len() {
        let point = state.centre(tree, i) + Vector3::new(0.1, -0.2, 0.3);
        let (mut u, mut w) = (Vector3::zeros(), Vector3::zeros());
        for (dof, c) in state.point_columns(tree, i, &point) {
            u += c.linear * v[dof];
            w += c.angular * v[dof];
        }
        let found = state.link_velocity(i, &point);
        close("velocity", found.0.as_slice(), u.as_slice(), tolerance);
        close("angular velocity", found.1.as_slice(), w.as_slice(), tolerance);
    }
}

/// What is only allocated once stays where it is.
#[test]
fn warm_states_keep_their_memory() {
    let (mut random, mut factor) = (Random(10), Factor::default());
    let mut case = Case::new(&mut random, &[JointKind::Revolute, JointKind::Fixed, JointKind::Free]);
    let mut places = vec![];
    for _ in 0..3 {
        case.q = random.q(&case.tree);
        case.state.update(&case.tree, &case.q);
        case.state.set_velocity(&case.tree, &case.v);
        case.inverse(&G);
        assert!(factor.factor(&case.tree, &case.mass()));
        let (s, l) = (&case.state, factor.l.as_ptr());
        let rest = (s.columns.as_ptr(), s.references.as_ptr(), s.motions.as_ptr(), s.wrenches.as_ptr());
        let first = (s.frames.as_ptr(), s.poses.as_ptr(), s.composites.as_ptr(), s.link_motions.as_ptr());
        places.push((first, rest, l, factor.inverse.as_ptr()));
    }
    assert_eq!(places[0], places[1]);
    assert_eq!(places[1], places[2]);
}

#[test]
fn ten_thousand_random_trees() {
    let (mut random, mut factor) = (Random(5), Factor::default());
    let mut dofs = 0;
    for _ in 0..10_000 {
        let mut case = Case::new(&mut random, &JointKind::ALL);
        agrees(&mut case, &mut factor);
        dofs += case.tree.nv();
    }
    assert!(dofs > 100_000, "{dofs}");
}
