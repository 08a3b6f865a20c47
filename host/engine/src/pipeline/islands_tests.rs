//! Islands are found, solved one by one, and put together as the whole.

use nalgebra::DVector;
use vinci_core::StageError;
use vinci_core::problem::{MlcpBuf, Part, ProblemClass, RowTag, Solution, Status};
use vinci_core::sparse::CsrBuf;
use vinci_core::stage::Solver;

use super::super::solver_route::{NamedSolver, Solve, SolverRoute};
use super::*;

const INF: f64 = f64::INFINITY;

/// Bodies 0 and 2 rest on the floor (rows 0, 2 and normals 3, 4), body 1 flies, body 5 pushes body 0; weights are
/// `size`, 1, 1, `size`.
fn heap(size: f64) -> MlcpBuf {
    let triplets = [
        (0, 0, 2.0),
        (0, 3, -1.0),
        (0, 6, 1.0),
        (1, 1, 1.0),
        (2, 2, 4.0),
        (2, 4, -1.0),
        (3, 0, 1.0),
        (4, 2, 1.0),
        (5, 5, 1.0),
        (5, 6, -1.0),
        (6, 0, -1.0),
        (6, 5, 1.0),
    ];
    let q = vec![size, 1.0, 1.0, 0.0, 0.0, size, 0.0];
    let low = [true, true, true, false, false, true, false].map(|free| if free { -INF } else { 0.0 });
    let m = CsrBuf::from_triplets(7, 7, &triplets);
    let mut out = MlcpBuf::from_parts(m, q, low.to_vec(), vec![INF; 7], 1e-9);
    out.guess = (0..7).map(f64::from).collect();
    out.tag[4] = RowTag { part: Part::Normal, subject: 9 };
    out
}

fn part(islands: &Islands, whole: &Problem<'_>, k: usize) -> IslandProblem {
    let mut part = IslandProblem::default();
    islands.write(whole, k, &mut part);
    part
}

#[test]
fn contacts_connect_and_what_flies_is_one_island() {
    let (problem, mut islands) = (heap(1.0), Islands::default());
    let whole = Problem::Mlcp(problem.view());
    assert_eq!(islands.find(&whole), 3);
    assert_eq!([islands.rows(0), islands.rows(1), islands.rows(2)], [&[0, 3, 5, 6][..], &[1], &[2, 4]]);
    let part = part(&islands, &whole, 2);
    let Problem::Mlcp(last) = part.view() else { panic!() };
    assert_eq!(last.m.to_dense().as_slice(), [4.0, 1.0, -1.0, 0.0]);
    assert_eq!((last.q, last.guess, last.tag[1].subject), (&[1.0, 0.0][..], &[2.0, 4.0][..], 9));
    assert_eq!(last.check(), Ok(()));
}

#[test]
fn a_light_island_has_its_own_tolerance_down_to_a_part_of_the_whole() {
    let mut islands = Islands::default();
    for (size, tolerance) in [(1.0, 1e-9), (1e3, 1e-9), (1e6, 1e-6)] {
        let problem = heap(size);
        let whole = Problem::Mlcp(problem.view());
        islands.find(&whole);
        let own = part(&islands, &whole, 2).view().tolerance();
        assert!((own - tolerance).abs() < 1e-12 * own.max(1.0), "{size}: {own}");
    }
}

#[test]
fn blocks_of_cones_go_with_their_rows() {
    let n = 8;
    let triplets: Vec<_> = (0..n).map(|i| (i, i, 1.0)).collect();
    let m = CsrBuf::from_triplets(n, n, &triplets);
    let rows = MlcpBuf::from_parts(m, vec![-1.0; n], vec![-INF; n], vec![INF; n], 1e-9);
    let mut cone = ConeBuf { rows, ..ConeBuf::default() };
    cone.push_block(ConeBlock { normal: 1, tangent: 5, dim: 2, size: 0.5 });
    cone.push_block(ConeBlock { normal: NO_NORMAL, tangent: 3, dim: 1, size: 2.0 });
    let (mut islands, whole) = (Islands::default(), cone.view());
    // Rows 1, 5 and 6 by the first block; what stands alone is one island.
    assert_eq!(islands.find(&Problem::Cone(whole)), 2);
    assert_eq!([islands.rows(0), islands.rows(1)], [&[0, 2, 3, 4, 7][..], &[1, 5, 6]]);
    let second = part(&islands, &Problem::Cone(whole), 1);
    let Problem::Cone(part) = second.view() else { panic!() };
    assert_eq!((part.blocks.index, part.blocks.size, part.check()), (&[0, 1, 2][..], &[0.5][..], Ok(())));
    let first = super::tests::part(&islands, &Problem::Cone(whole), 0);
    let Problem::Cone(part) = first.view() else { panic!() };
    assert_eq!(
        (part.blocks.index, part.blocks.size, part.check()),
        (&[NO_NORMAL, 2, 1][..], &[2.0][..], Ok(()))
    );
}

/// Solves problems in which everything presses: M z + q = 0. Gives up on more than `most` unknowns.
struct Pressing {
    most: usize,
    z: Vec<f64>,
}

impl Solver for Pressing {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        let Problem::Mlcp(p) = problem else { return Err(StageError::unsupported("not of this class")) };
        let right = DVector::from_iterator(p.n(), p.q.iter().map(|q| -q));
        self.z = p.m.to_dense().lu().solve(&right).unwrap().as_slice().to_vec();
        let status = if p.n() > self.most { Status::MaxIterations } else { Status::Converged };
        Ok(Solution { status, z: &self.z, iterations: 1, ..Solution::default() })
    }
}

fn route(most: usize) -> SolverRoute {
    let solver = Box::new(Pressing { most, z: Vec::new() });
    SolverRoute::new(NamedSolver { id: "s".into(), takes: ProblemClass::Mlcp.bit(), solver }, Vec::new())
}

#[test]
fn the_islands_make_the_whole() {
    let problem = heap(3.0);
    let solved = |mut route: SolverRoute| {
        let Ok(Solve::Solved { residual, slack }) = route.solve(&Problem::Mlcp(problem.view())) else {
            panic!("not solved")
        };
        (route.solution().z.to_vec(), residual, slack, route.stats.iterations_total)
    };
    let (whole, _, slack, once) = solved(route(7));
    let (parts, residual, same, thrice) = solved(route(7).by_islands(true));
    whole.iter().zip(&parts).for_each(|(a, b)| assert!((a - b).abs() < 1e-14, "{whole:?} {parts:?}"));
    assert_eq!((slack, once, thrice), (same, 1, 3));
    let exact = problem.view().residual(&parts).natural;
    assert!((residual - exact).abs() < 1e-15, "{residual} {exact}");
    // Islands of at most four unknowns are solved by those who cannot solve seven.
    let (parts, ..) = solved(route(4).by_islands(true));
    assert!(problem.view().residual(&parts).natural < 1e-12);
    let mut small = route(2).by_islands(true);
    assert!(matches!(small.solve(&Problem::Mlcp(problem.view())), Ok(Solve::Unsolved(..))));
}
