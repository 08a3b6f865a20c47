use super::*;
use crate::problem::{ConeBlock, ConeBuf, ConicBuf, MlcpBuf};
use crate::sparse::CsrBuf;

const INF: f64 = f64::INFINITY;

/// A mass on the floor, u = r/m + q: one block, and a free row that it is coupled with.
fn block(q: [f64; 3], mu: f64, a: f64) -> ConeBuf {
    let m = DMatrix::from_row_slice(3, 3, &[2.0, a, 0.0, a, 1.5, 0.1, 0.0, 0.1, 1.0]);
    let rows = MlcpBuf::from_parts(CsrBuf::from_dense(&m), q.to_vec(), vec![-INF; 3], vec![INF; 3], 1e-10);
    let mut out = ConeBuf { rows, ..ConeBuf::default() };
    out.push_block(ConeBlock { normal: 0, tangent: 1, dim: 2, size: mu });
    out
}

/// ∂F/∂z by central differences.
fn by_differences(set: &ActiveSet, problem: &Problem<'_>, z: &[f64]) -> DMatrix<f64> {
    let (n, h) = (z.len(), 1e-6);
    let at = |k: usize, by: f64| {
        let mut moved = z.to_vec();
        moved[k] += by;
        let mut out = Vec::new();
        set.equations(problem, &moved, &mut out).unwrap();
        out
    };
    DMatrix::from_fn(n, n, |i, k| (at(k, h)[i] - at(k, -h)[i]) / (2.0 * h))
}

#[track_caller]
fn assert_is_derivative(set: &ActiveSet, problem: &Problem<'_>, z: &[f64]) {
    let exact = set.matrix(problem, z).unwrap();
    let error = (&exact - by_differences(set, problem, z)).amax();
    assert!(error < 1e-8 * (1.0 + exact.amax()), "{error}\n{exact}");
}

/// z that solves the equations of a mode, from a guess, by Newton's method.
fn solved(set: &ActiveSet, problem: &Problem<'_>, mut z: Vec<f64>) -> Vec<f64> {
    for _ in 0..20 {
        let mut f = Vec::new();
        set.equations(problem, &z, &mut f).unwrap();
        let d = set.matrix(problem, &z).unwrap().lu().solve(&nalgebra::DVector::from_vec(f)).unwrap();
        z.iter_mut().zip(d.iter()).for_each(|(z, d)| *z -= d);
    }
    z
}

#[test]
fn a_sliding_block_is_seen_as_one_and_its_matrix_is_the_derivative() {
    let p = block([-1.0, 0.6, 0.8], 0.5, 0.2);
    let problem = Problem::Cone(p.view());
    let z = solved(
        &ActiveSet { rows: vec![Row::Block; 3], blocks: vec![Mode::Slip], ..ActiveSet::default() },
        &problem,
        vec![0.5, -0.1, -0.2],
    );
    assert!(p.view().residual(&z).natural < 1e-12, "{z:?}");
    let set = ActiveSet::of(&problem, &z, Ties::Equations).unwrap();
    assert_eq!((set.blocks[0], set.ties()), (Mode::Slip, 0));
    assert_is_derivative(&set, &problem, &z);
}

#[test]
fn open_and_sticking_blocks_are_seen_and_ties_counted() {
    let of = |q: [f64; 3], z: &[f64]| {
        let p = block(q, 0.5, 0.0);
        let set = ActiveSet::of(&Problem::Cone(p.view()), z, Ties::Bounds).unwrap();
        (set.blocks[0], set.ties())
    };
    assert_eq!(of([1.0, 0.6, 0.8], &[0.0; 3]), (Mode::Open, 0));
    assert_eq!(of([-2.0, 0.15, 0.01], &[1.0, -0.1, 0.0]), (Mode::Stick, 0));
    // Touches without pressing; sticks at the edge of its cone.
    assert_eq!(of([0.0, 0.6, 0.8], &[0.0; 3]), (Mode::Open, 1));
    assert_eq!(of([-2.0, 0.75, 0.05], &[1.0, -0.5, 0.0]), (Mode::Edge, 1));
}

/// A block that sticks or creeps where something else spins fast: typical sizes are those of the wheel. It was taken for frictionless, and a
/// creep of 1e-4 for none.
#[test]
fn a_wheel_that_spins_elsewhere_changes_no_contact() {
    let of = |q: [f64; 3], z: &[f64]| {
        let mut p = block(q, 0.5, 0.0);
        p.rows.z_scale = vec![500.0; 3];
        p.rows.w_scale = vec![500.0; 3];
        let set = ActiveSet::of(&Problem::Cone(p.view()), z, Ties::Equations).unwrap();
        (set.blocks[0], set.ties())
    };
    // p_n = 1e-3: μ p_n = 5e-4, |p_t| = 1e-4.
    assert_eq!(of([-2e-3, 1.5e-4, 1e-5], &[1e-3, -1e-4, 0.0]), (Mode::Stick, 0));
    // u_t = 1e-4 with friction at its bound.
    assert_eq!(of([-2e-3, 7.5e-4 + 1e-4, 5e-5], &[1e-3, -5e-4, 0.0]), (Mode::Slip, 0));
    // Presses as little as solvers leave: noise is no direction of friction.
    assert_eq!(of([-2.0, 1e-17, 0.0], &[1.0, 0.0, 0.0]).0, Mode::Stick);
}

/// A block on the edge of slipping, read as one that slips: pulled a little more it slips, as its equations say. They were those of a slip
/// whose direction was noise.
#[test]
fn a_block_at_the_edge_slips_against_its_friction() {
    let (base, z) = (block([-2.0, 0.75, 0.05], 0.5, 0.2), [1.0, -0.5, 0.0]);
    let base = ConeBuf { rows: MlcpBuf { q: vec![-1.9, 0.55, 0.05], ..base.rows }, ..base };
    let set = ActiveSet::of(&Problem::Cone(base.view()), &z, Ties::Bounds).unwrap();
    assert_eq!(set.blocks[0], Mode::Edge);
    assert_is_derivative(&set, &Problem::Cone(base.view()), &z);
    let error = |by: f64| {
        let pulled = block([-1.9, 0.55 + by, 0.05 + 0.3 * by], 0.5, 0.2);
        let (problem, mut f) = (Problem::Cone(pulled.view()), Vec::new());
        set.equations(&problem, &z, &mut f).unwrap();
        let step = set.matrix(&problem, &z).unwrap().lu().solve(&nalgebra::DVector::from_vec(f)).unwrap();
        let told: Vec<f64> = z.iter().zip(step.iter()).map(|(z, d)| z - d).collect();
        let slip = ActiveSet { blocks: vec![Mode::Slip], ..set.clone() };
        let found = solved(&slip, &problem, told.clone());
        assert!(pulled.view().residual(&found).natural < 1e-9, "{found:?}");
        told.iter().zip(&found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    assert!(
        error(1e-3) < 1e-3 * 1e-2 && error(1e-4) < 1.5e-2 * error(1e-3),
        "{} {}",
        error(1e-3),
        error(1e-4)
    );
}

/// Where a block slips slowly a force turns fast: linear beside the slip, differences have no part of that.
#[test]
fn slow_slips_are_linear_beside_themselves() {
    let p = block([-2.0, 0.75 + 1e-4, 0.05], 0.5, 0.0);
    let problem = Problem::Cone(p.view());
    let slip = ActiveSet { rows: vec![Row::Block; 3], blocks: vec![Mode::Slip], ..ActiveSet::default() };
    let z = solved(&slip, &problem, vec![1.0, -0.5, 0.0]);
    let mut set = ActiveSet::of(&problem, &z, Ties::Equations).unwrap();
    set.linearize_slips(&problem, &z);
    let at = |by: f64| {
        let moved = block([-2.0, 0.75 + 1e-4, 0.05 + by], 0.5, 0.0);
        let mut out = Vec::new();
        set.equations(&Problem::Cone(moved.view()), &z, &mut out).unwrap();
        out
    };
    for (i, x) in at(1e-4).iter().enumerate() {
        let bend = x + at(-1e-4)[i] - 2.0 * at(0.0)[i];
        assert!(bend.abs() < 1e-14, "{i}: {bend:e}");
    }
    // Across the slip friction turns by μ p_n/|u|.
    let [u1, u2] = set.slips[0];
    let (turn, across) = ((at(1e-6)[2] - at(-1e-6)[2]) / 2e-6, u1 * u1 / (u1 * u1 + u2 * u2));
    assert!((turn / (0.5 * z[0] * across / u1.hypot(u2)) - 1.0).abs() < 1e-6, "{turn}");
}

#[test]
fn rows_at_bounds_follow_their_bounds() {
    let m = CsrBuf::from_dense(&DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 2.0]));
    let p = MlcpBuf::from_parts(m, vec![-3.0, 5.0], vec![0.0, 0.25], vec![INF, INF], 1e-10);
    let problem = Problem::Mlcp(p.view());
    let set = ActiveSet::of(&problem, &[1.375, 0.25], Ties::Equations).unwrap();
    assert_eq!((set.rows.as_slice(), set.ties()), (&[Row::Equation, Row::Lower][..], 0));
    // 2 z_1 + l − 3 = 0: dz_1/dl = −1/2.
    let d = set
        .matrix(&problem, &[1.375, 0.25])
        .unwrap()
        .lu()
        .solve(&nalgebra::DVector::from_vec(vec![0.0, 1.0]))
        .unwrap();
    assert_eq!((d[0], d[1]), (-0.5, 1.0));
    let tie = ActiveSet::of(&problem, &[0.0, 0.25], Ties::Equations);
    assert_eq!(tie.unwrap().ties(), 0);
}

#[test]
fn programs_have_their_rows_and_cones() {
    // min ½|x − (1, 2, 0)|² with x_3 ≥ |(x_1, x_2)|, x_1 ≤ .25.
    let rows =
        CsrBuf::from_dense(&DMatrix::from_row_slice(4, 3, &[0., 0., 1., 1., 0., 0., 0., 1., 0., 1., 0., 0.]));
    let p = CsrBuf::from_dense(&DMatrix::identity(3, 3));
    let bounds = (vec![-INF, -INF, -INF, -INF], vec![INF, INF, INF, 0.25]);
    let mut program = ConicBuf::from_parts(p, vec![-1.0, -2.0, 0.0], rows, vec![0.0; 4], bounds);
    program.cones = vec![0, 3];
    let problem = Problem::Conic(program.view());
    let shape = ActiveSet {
        rows: vec![
            Row::Equation,
            Row::Equation,
            Row::Equation,
            Row::Block,
            Row::Block,
            Row::Block,
            Row::Upper,
        ],
        blocks: vec![Mode::Slip],
        ..ActiveSet::default()
    };
    let z = solved(&shape, &problem, vec![0.25, 1.0, 1.03, 1.0, -0.2, -0.9, -0.5]);
    let set = ActiveSet::of(&problem, &z, Ties::Equations).unwrap();
    assert_eq!(set, shape, "{z:?}");
    assert_is_derivative(&set, &problem, &z);
}
