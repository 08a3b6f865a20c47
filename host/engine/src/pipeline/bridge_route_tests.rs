//! Problems over bridges with solvers that are honest, lie, or refuse.

use vinci_core::bridge::Refusal;
use vinci_core::problem::{
    ConeBlock, ConeBuf, Conic, ConicBuf, MlcpBuf, NO_GROUP, Part, ProblemClass, QpccBuf, RowTag,
    project_second_order,
};
use vinci_core::{Csr, CsrBuf};

use super::super::route::SECOND_ORDER_CONES;
use super::super::{Denied, NamedSolver, SolverRoute, solver_route};
use super::*;

const INF: f64 = f64::INFINITY;

/// Answers of a double.
#[derive(Clone, Default)]
struct Said {
    status: Status,
    z: Vec<f64>,
    dual: Vec<f64>,
    certificate: Vec<f64>,
    bound: f64,
}

/// A solver that answers what a function says.
struct Double<F> {
    answer: F,
    said: Said,
}

impl<F: FnMut(&Problem<'_>) -> Result<Said, StageError>> Solver for Double<F> {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        self.said = (self.answer)(problem)?;
        let s = &self.said;
        Ok(Solution {
            status: s.status,
            z: &s.z,
            dual: &s.dual,
            certificate: &s.certificate,
            bound: s.bound,
            iterations: 1,
            ..Solution::default()
        })
    }
}

fn double<F: FnMut(&Problem<'_>) -> Result<Said, StageError>>(answer: F) -> Double<F> {
    Double { answer, said: Said::default() }
}

fn always(said: Said) -> impl Solver {
    double(move |_: &Problem<'_>| Ok(said.clone()))
}

fn solve(problem: &Problem<'_>, takes: u32, mut solver: impl Solver) -> (Answer, String) {
    let (mut bridges, mut answer) = (Bridges::default(), Answer::default());
    let route = bridges.solve(problem, takes, &mut solver, &mut answer).unwrap().names();
    (answer, route)
}

fn mlcp(n: usize, m: &[(usize, usize, f64)], q: &[f64], free: usize) -> MlcpBuf {
    let lower = (0..n).map(|i| if i < free { -INF } else { 0.0 }).collect();
    MlcpBuf::from_parts(CsrBuf::from_triplets(n, n, m), q.to_vec(), lower, vec![INF; n], 1e-9)
}

/// min ½ x² subject to x ≥ 2.
fn spring() -> ConicBuf {
    let one = CsrBuf::from_triplets(1, 1, &[(0, 0, 1.0)]);
    ConicBuf::from_parts(one.clone(), vec![0.0], one, vec![0.0], (vec![2.0], vec![INF]))
}

/// A mass between two plates that close: no solution.
fn jam() -> MlcpBuf {
    let m = [(0, 0, 2.0), (0, 1, -1.0), (0, 2, 1.0), (1, 0, 1.0), (2, 0, -1.0)];
    mlcp(3, &m, &[-0.3, -1.0, -1.0], 1)
}

fn converged(z: &[f64], dual: &[f64], bound: f64) -> Said {
    Said { status: Status::Converged, z: z.to_vec(), dual: dual.to_vec(), bound, ..Said::default() }
}

#[test]
fn answers_come_back_over_two_bridges() {
    let problem = spring();
    let conic = Problem::Conic(problem.view());
    let takes = ProblemClass::Qpcc.bit();
    let honest = always(converged(&[2.0, 2.0], &[0.0; 3], 0.0));
    let (answer, names) = solve(&conic, takes, honest);
    assert_eq!(names, "Conic as Mlcp, Mlcp as Qpcc");
    assert_eq!((answer.status, answer.z, answer.dual), (Status::Converged, vec![2.0], vec![2.0]));
    assert!(answer.residual == 0.0 && answer.bound.is_nan() && answer.iterations == 1);
    // What is off behind the bridges is off in front of them.
    let (answer, _) = solve(&conic, takes, always(converged(&[2.0, 1.9], &[0.0; 3], 0.0)));
    assert_eq!((answer.status, answer.claimed), (Status::NumericalFailure, Status::Converged));
    assert!(answer.residual > 1e-2);
}

#[test]
fn proofs_come_back() {
    let problem = jam();
    let infeasible = |certificate: &[f64], z: usize| {
        always(Said {
            status: Status::Infeasible,
            z: vec![0.0; z],
            certificate: certificate.to_vec(),
            ..Said::default()
        })
    };
    let mlcp = Problem::Mlcp(problem.view());
    let (answer, _) = solve(&mlcp, ProblemClass::Conic.bit(), infeasible(&[1.0, 1.0], 1));
    assert!(answer.proved && answer.status == Status::Infeasible);
    assert_eq!(answer.certificate, [0.0, 1.0, 1.0]);
    let leaf = [0.0, 0.0, 0.0, 1.0, 0.0, 1.0];
    let (answer, _) = solve(&mlcp, ProblemClass::Qpcc.bit(), infeasible(&leaf, 3));
    assert!(answer.proved && !answer.by_cases);
    assert_eq!(answer.certificate, [0.0, 1.0, 1.0]);
    // Two leaves: a proof, but one by cases.
    let row = [0.0, 0.0, 1.0, 0.0, 1.0];
    let cases = [&[1.0, 0.0, 1.0][..], &row, &[1.0, 0.0, 2.0], &row].concat();
    let (answer, _) = solve(&mlcp, ProblemClass::Qpcc.bit(), infeasible(&cases, 3));
    assert!(answer.proved && answer.by_cases && answer.certificate.is_empty());
    // Half of the cases prove nothing.
    let (answer, _) = solve(&mlcp, ProblemClass::Qpcc.bit(), infeasible(&cases[..8], 3));
    assert_eq!((answer.proved, answer.status), (false, Status::NumericalFailure));
    assert_eq!(answer.claimed, Status::Infeasible);
}

#[test]
fn the_conditions_of_a_program_say_that_it_falls() {
    // min x over x ≤ 1: the conditions have no solution, by v = −1.
    let one = CsrBuf::from_triplets(1, 1, &[(0, 0, 1.0)]);
    let none = CsrBuf::from_triplets(1, 1, &[]);
    let problem = ConicBuf::from_parts(none, vec![1.0], one, vec![0.0], (vec![-INF], vec![1.0]));
    let said =
        Said { status: Status::Infeasible, z: vec![0.0; 2], certificate: vec![-1.0, 0.0], ..Said::default() };
    let (answer, _) = solve(&Problem::Conic(problem.view()), ProblemClass::Mlcp.bit(), always(said));
    assert!(answer.proved);
    assert_eq!((answer.status, answer.claimed), (Status::Unbounded, Status::Unbounded));
    assert_eq!(answer.certificate, [-1.0]);
}

/// A direction that falls for ever is no word on whether there is a point: min −x_0 over x_1 ≥ 1 and x_1 ≤ `most`.
#[test]
fn a_fall_needs_a_point_to_start_from() {
    for (most, point, believed) in [(0.0, 0.5, false), (2.0, 1.5, true), (2.0, 3.0, false)] {
        let rows = CsrBuf::from_triplets(2, 2, &[(0, 1, 1.0), (1, 1, 1.0)]);
        let none = CsrBuf::from_triplets(2, 2, &[]);
        let bounds = (vec![1.0, -INF], vec![INF, most]);
        let problem = ConicBuf::from_parts(none, vec![-1.0, 0.0], rows, vec![0.0; 2], bounds);
        let said = Said {
            status: Status::Unbounded,
            z: vec![0.0, point],
            certificate: vec![1.0, 0.0],
            ..Said::default()
        };
        let (answer, _) = solve(&Problem::Conic(problem.view()), ProblemClass::Conic.bit(), always(said));
        let denied = if believed { None } else { Some(Denied::NoPoint) };
        assert_eq!((answer.status == Status::Unbounded, answer.denied), (believed, denied), "{most} {point}");
    }
}

/// min ½ (x_0 − 2)² + ½ (x_1 − 1)² with 0 ≤ x_0 ⟂ x_1 ≥ 0: best (2, 0) of value −2, the other mode (0, 1) of −½.
fn corner() -> QpccBuf {
    let eye = CsrBuf::from_triplets(2, 2, &[(0, 0, 1.0), (1, 1, 1.0)]);
    let bounds = (vec![0.0; 2], vec![INF; 2]);
    let mut out = QpccBuf {
        qp: ConicBuf::from_parts(eye.clone(), vec![-2.0, -1.0], eye, vec![0.0; 2], bounds),
        ..QpccBuf::default()
    };
    out.push_pair(0, 1, NO_GROUP);
    out
}

#[test]
fn liars_are_caught_on_programs() {
    let problem = corner();
    let qpcc = Problem::Qpcc(problem.view());
    let status = |said: Said| {
        let (answer, _) = solve(&qpcc, ProblemClass::Qpcc.bit(), always(said));
        (answer.claimed, answer.status)
    };
    let (yes, no) = (Status::Converged, Status::NumericalFailure);
    assert_eq!(status(converged(&[2.0, 0.0], &[0.0, -1.0], -2.0)), (yes, yes));
    assert_eq!(status(converged(&[2.0, 0.0], &[0.0, -1.0], -2.1)), (yes, no), "a bound that proves nothing");
    assert_eq!(status(converged(&[2.0, 0.0], &[0.0, -1.0], f64::NAN)), (yes, no), "no bound");
    assert_eq!(status(converged(&[0.0, 1.0], &[-2.0, 0.0], -2.0)), (yes, no), "the other mode");
    assert_eq!(status(converged(&[2.0, 0.0], &[0.0, 1.0], -2.0)), (yes, no), "a false dual");
    assert_eq!(status(converged(&[2.0, 1.0], &[0.0, 0.0], -2.5)), (yes, no), "both sides of the pair");
    let claims = |status: Status, certificate: &[f64]| Said {
        status,
        z: vec![0.0; 2],
        certificate: certificate.to_vec(),
        ..Said::default()
    };
    assert_eq!(status(claims(Status::Infeasible, &[0.0, 1.0, 1.0])), (Status::Infeasible, no));
    assert_eq!(status(claims(Status::Unbounded, &[1.0, 0.0])), (Status::Unbounded, no));
    let problem = spring();
    let conic = Problem::Conic(problem.view());
    let status = |said: Said| {
        let (answer, _) = solve(&conic, ProblemClass::Conic.bit(), always(said));
        (answer.claimed, answer.status)
    };
    assert_eq!(status(converged(&[2.0], &[2.0], f64::NAN)), (yes, yes));
    assert_eq!(status(converged(&[2.0], &[-2.0], f64::NAN)), (yes, no), "a false dual");
    assert_eq!(status(converged(&[3.0], &[3.0], f64::NAN)), (yes, no), "feasible, not optimal");
    let claims = |status: Status| Said { status, z: vec![0.0], certificate: vec![1.0], ..Said::default() };
    assert_eq!(status(claims(Status::Infeasible)), (Status::Infeasible, no));
    assert_eq!(status(claims(Status::Unbounded)), (Status::Unbounded, no));
}

/// A point mass on the floor, sliding: v (3), p_n, p_t (2); μ = ½.
fn sliding() -> ConeBuf {
    let mut m = vec![(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0)];
    for (row, column) in [(3, 2), (4, 0), (5, 1)] {
        m.extend([(row, column, 1.0), (column, row, -1.0)]);
    }
    let mut out = ConeBuf { rows: mlcp(6, &m, &[-1.2, -1.6, 1.0, 0.0, 0.0, 0.0], 6), ..ConeBuf::default() };
    out.rows.tolerance = 1e-8;
    out.push_block(ConeBlock { normal: 3, tangent: 4, dim: 2, size: 0.5 });
    out
}

/// Projected gradient on the dual of a program with P = 1: slow, simple, certain.
fn gradient(p: &Conic<'_>) -> Said {
    let transposed = |m: &Csr<'_>, y: &[f64]| {
        let mut out = vec![0.0; p.n()];
        (0..p.m()).for_each(|i| m.add_row_scaled(i, y[i], &mut out));
        out
    };
    let (mut x, mut y) = (vec![0.0; p.n()], vec![0.0; p.m()]);
    for _ in 0..20000 {
        x = transposed(&p.rows, &y).iter().zip(p.c).map(|(g, c)| g - c).collect();
        if p.residual(&x, &y).natural < 0.1 * p.tolerance {
            break;
        }
        for cone in p.cones() {
            let moved: Vec<f64> = cone.clone().map(|i| y[i] - 0.5 * p.s(i, &x)).collect();
            let length = moved[1..].iter().map(|v| v * v).sum::<f64>().sqrt();
            let (head, shrink) = project_second_order(moved[0], length);
            y[cone.start] = head;
            (1..moved.len()).for_each(|k| y[cone.start + k] = shrink * moved[k]);
        }
    }
    converged(&x, &y, f64::NAN)
}

#[test]
fn coulombs_law_is_met_by_programs() {
    let problem = sliding();
    let mut solves = 0;
    let honest = double(|p: &Problem<'_>| {
        solves += 1;
        let Problem::Conic(p) = p else { panic!("another class") };
        Ok(gradient(p))
    });
    let takes = ProblemClass::Conic.bit() | SECOND_ORDER_CONES;
    let (answer, names) = solve(&Problem::Cone(problem.view()), takes, honest);
    assert_eq!((names.as_str(), answer.status), ("Cone as Conic", Status::Converged));
    assert!(answer.residual <= 1e-8 && problem.view().residual(&answer.z).natural == answer.residual);
    for (found, exact) in answer.z.iter().zip([0.9, 1.2, 0.0, 1.0, -0.3, -0.4]) {
        assert!((found - exact).abs() < 1e-7, "{:?}", answer.z);
    }
    assert!(answer.solves == solves && (2..6).contains(&solves), "{solves}");
    // A liar's first program is the last.
    let (answer, _) =
        solve(&Problem::Cone(problem.view()), takes, always(converged(&[0.0; 3], &[0.0; 3], 0.0)));
    assert_eq!((answer.claimed, answer.status), (Status::Converged, Status::NumericalFailure));
}

/// v, p_n, σ with μ = ½ in the row of σ alone.
fn friction() -> MlcpBuf {
    let mut out = mlcp(3, &[(0, 0, 1.0), (0, 1, -1.0), (1, 0, 1.0), (2, 1, 0.5)], &[1.0, 0.0, 0.0], 1);
    out.tag[2] = RowTag { subject: 4, part: Part::Slip };
    out
}

#[test]
fn what_every_way_refuses_is_named() {
    let problem = friction();
    let mlcp = Problem::Mlcp(problem.view());
    let mut bridges = Bridges::default();
    let mut never = double(|_: &Problem<'_>| panic!("never asked"));
    let why =
        bridges.solve(&mlcp, ProblemClass::Conic.bit(), &mut never, &mut Answer::default()).unwrap_err();
    let tag = RowTag { subject: 4, part: Part::Slip };
    let refusal = Refusal::NoMirror { row: 2, tag, column: 1, value: 0.5, mirror: 0.0 };
    assert_eq!(why, NoAnswer::NoRoute(format!("Mlcp as Conic refuses it: {refusal}")));
    let why = bridges.solve(&mlcp, ProblemClass::Root.bit(), &mut never, &mut Answer::default()).unwrap_err();
    assert_eq!(why, NoAnswer::NoRoute("no bridge leads from Mlcp to what it takes (Root)".into()));
    assert_eq!(
        bridges.refusal(&mlcp, ProblemClass::Conic.bit()),
        Some(format!("Mlcp as Conic refuses it: {refusal}"))
    );
    assert_eq!(bridges.refusal(&mlcp, ProblemClass::Qpcc.bit()), None);
    // Where one way refuses, the next is tried.
    let solution = always(converged(&[0.0, 1.0, 0.0], &[0.0; 5], 0.0));
    let (answer, names) = solve(&mlcp, ProblemClass::Conic.bit() | ProblemClass::Qpcc.bit(), solution);
    assert_eq!((names.as_str(), answer.status), ("Mlcp as Qpcc", Status::Converged));
}

fn named(id: &str, takes: u32, solver: impl Solver + 'static) -> NamedSolver {
    NamedSolver { id: id.into(), takes, solver: Box::new(solver) }
}

fn refusing(kind: ErrorKind) -> impl Solver {
    double(move |_: &Problem<'_>| Err(StageError::new(kind, "not this one")))
}

#[test]
fn refusals_and_nonsense_are_left_to_the_next_solver() {
    let problem = spring();
    let conic = Problem::Conic(problem.view());
    let takes = ProblemClass::Conic.bit();
    let good = || always(converged(&[2.0], &[2.0], f64::NAN));
    for kind in [ErrorKind::Unsupported, ErrorKind::Fault, ErrorKind::NonFinite] {
        let mut chain = SolverRoute::new(named("a", takes, refusing(kind)), vec![named("b", takes, good())]);
        assert!(matches!(chain.solve(&conic), Ok(solver_route::Solve::Solved { .. })));
        assert_eq!((chain.stats.failures, chain.stats.fallbacks), (1, 1));
        assert_eq!(chain.solution().dual, [2.0]);
        // Alone, it is what ends the run.
        let mut alone = SolverRoute::new(named("a", takes, refusing(kind)), vec![]);
        assert_eq!(alone.solve(&conic).err().map(|e| e.kind), Some(kind));
    }
    let mut panicked =
        SolverRoute::new(named("a", takes, refusing(ErrorKind::Panicked)), vec![named("b", takes, good())]);
    assert_eq!(panicked.solve(&conic).err().map(|e| e.kind), Some(ErrorKind::Panicked));
    // One that cannot be reached, one that lies: both are told.
    let liar = always(converged(&[3.0], &[3.0], f64::NAN));
    let first = named("a", ProblemClass::Cone.bit(), good());
    let mut both = SolverRoute::new(first, vec![named("b", takes, liar)]);
    let Ok(solver_route::Solve::Unsolved(failed, None)) = both.solve(&conic) else { panic!("solved") };
    let said: Vec<String> = failed.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "a did not try: a cannot be given the step's problem: no bridge leads from Conic to what it takes (Cone)",
            "b ended with NumericalFailure (it claimed Converged, which the host's check denies: the residual, recomputed, is above the tolerance), residual 5.0e-1 after 1 \
             iterations"
        ]
    );
}

#[test]
fn ways_that_were_gone_are_told() {
    let problem = spring();
    let takes = ProblemClass::Qpcc.bit();
    let honest = always(converged(&[2.0, 2.0], &[0.0; 3], 0.0));
    let mut chain = SolverRoute::new(named("a", takes, honest), vec![]);
    assert!(chain.bridged_routes().is_empty());
    for _ in 0..2 {
        assert!(matches!(
            chain.solve(&Problem::Conic(problem.view())),
            Ok(solver_route::Solve::Solved { .. })
        ));
    }
    let sentence = "a: Conic as Mlcp, exact: its optimality conditions; then Mlcp as Qpcc, exact: every row with bounds as \
                    complementarity pairs, decided by cases";
    assert_eq!(chain.bridged_routes(), [sentence]);
}
