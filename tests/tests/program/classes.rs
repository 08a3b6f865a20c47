//! Every class of problems × every solver that takes it, directly or over bridges, on one shared set: what is called solved
//! has a recomputed residual below 1e-8 in the problem itself, solvers agree on velocities and objectives, proofs hold, and
//! nobody claims what is not so.
//!
//! A new family is one function in [`cases`]; a new solver takes part as soon as it is built.

use std::collections::BTreeMap;

use vinci_abi::Role;
use vinci_core::CsrBuf;
use vinci_core::model::SystemView;
use vinci_core::problem::{ConeBlock, ConeBuf, ConicBuf, MlcpBuf, NO_GROUP, Part, QpccBuf, RowTag, Status};
use vinci_core::stage::Solver;
use vinci_engine::pipeline::{Answer, Bridges, Exactness, NoAnswer, Stored};
use vinci_engine::registry::classes;
use vinci_test_problems::{self as shared, INF, Numbers, box_on_floor, lcp, stack};
use vinci_tests::house;

const TOLERANCE: f64 = 1e-8;

/// What is known of a problem.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Truth {
    /// It has a solution; whether its velocities are unique.
    Solved {
        unique: bool,
    },
    Infeasible,
    Unbounded,
}

struct Case {
    name: String,
    problem: Stored,
    truth: Truth,
}

fn case(name: impl Into<String>, problem: Stored, truth: Truth) -> Case {
    Case { name: name.into(), problem, truth }
}

const UNIQUE: Truth = Truth::Solved { unique: true };

/// The shared set.
fn cases() -> Vec<Case> {
    [frictional, frictionless, jams, cones, programs, falling, pairs, shared_programs, shared_pairs]
        .into_iter()
        .flat_map(|family| family())
        .collect()
}

fn frictional() -> Vec<Case> {
    let sliding = box_on_floor([1.0, 0.0, 0.0], 2.0, (0.5, 0.25), 0.3, 0.01, 9.81);
    let sticking = box_on_floor([0.01, 0.0, 0.0], 2.0, (0.5, 0.25), 0.3, 0.01, 9.81);
    let mut out = vec![
        case("box that slides", Stored::Mlcp(sliding), UNIQUE),
        case("box that sticks", Stored::Mlcp(sticking), UNIQUE),
    ];
    for (ratio, push) in [(1.0, 0.0), (0.1, 0.02), (10.0, 0.02)] {
        let problem = stack(3, ratio, 0.5, push);
        out.push(case(format!("stack of 3, masses × {ratio}, push {push}"), Stored::Mlcp(problem), UNIQUE));
    }
    out
}

fn frictionless() -> Vec<Case> {
    // Rows that are optimality conditions: v, then impulses of redundant contacts (n and 2 n are one and the same).
    let mut numbers = Numbers(7);
    let mut out = Vec::new();
    for k in 0..4 {
        let (nv, nc) = (4, 6);
        let n = nv + nc;
        let mut t: Vec<(usize, usize, f64)> =
            (0..nv).map(|i| (i, i, 10f64.powf(numbers.between(-1.0, 1.0)))).collect();
        for c in 0..nc {
            for i in 0..nv {
                let g = if c == nc - 1 { 0.0 } else { numbers.between(-1.0, 1.0) };
                t.extend([(nv + c, i, g), (i, nv + c, -g)]);
            }
        }
        let q: Vec<f64> = (0..n).map(|i| if i < nv { numbers.between(-1.0, 1.0) } else { 0.1 }).collect();
        let lower: Vec<f64> = (0..n).map(|i| if i < nv { -INF } else { 0.0 }).collect();
        let mut problem =
            MlcpBuf::from_parts(CsrBuf::from_triplets(n, n, &t), q, lower, vec![INF; n], TOLERANCE);
        (0..nv).for_each(|i| problem.tag[i] = RowTag { subject: i as u32, part: Part::Velocity });
        out.push(case(format!("frictionless {k}"), Stored::Mlcp(problem), UNIQUE));
    }
    let symmetric = lcp(&[&[2.0, 1.0, 0.0], &[1.0, 2.0, 1.0], &[0.0, 1.0, 2.0]], &[-4.0, 1.0, -3.0]);
    out.push(case("symmetric", Stored::Mlcp(symmetric), UNIQUE));
    out
}

fn jams() -> Vec<Case> {
    let t = [(0, 0, 2.0), (0, 1, -1.0), (0, 2, 1.0), (1, 0, 1.0), (2, 0, -1.0)];
    let matrix = CsrBuf::from_triplets(3, 3, &t);
    let mlcp =
        MlcpBuf::from_parts(matrix, vec![-0.3, -1.0, -1.0], vec![-INF, 0.0, 0.0], vec![INF; 3], TOLERANCE);
    let one = CsrBuf::from_triplets(1, 1, &[(0, 0, 1.0)]);
    let walls = CsrBuf::from_triplets(2, 1, &[(0, 0, 1.0), (1, 0, -1.0)]);
    let conic = ConicBuf::from_parts(one, vec![0.5], walls, vec![0.0; 2], (vec![2.0, -1.0], vec![INF; 2]));
    vec![
        case("plates that close", Stored::Mlcp(mlcp), Truth::Infeasible),
        case("opposite walls", Stored::Conic(conic), Truth::Infeasible),
    ]
}

/// Point masses on floors, tied in a row by dashpots.
fn cones() -> Vec<Case> {
    let chain = |masses: usize, speed: f64| {
        let (nv, n) = (3 * masses, 6 * masses);
        let mut t = Vec::new();
        let mut q = vec![0.0; n];
        let mut out = ConeBuf::default();
        for k in 0..masses {
            for a in 0..3 {
                let tie = if k + 1 < masses && a < 2 { 0.2 } else { 0.0 };
                let before = if k > 0 && a < 2 { 0.2 } else { 0.0 };
                t.push((3 * k + a, 3 * k + a, 1.0 + tie + before));
                if tie > 0.0 {
                    t.extend([(3 * k + a, 3 * k + 3 + a, -tie), (3 * k + 3 + a, 3 * k + a, -tie)]);
                }
            }
            let at = nv + 3 * k;
            for (row, v) in [(at, 3 * k + 2), (at + 1, 3 * k), (at + 2, 3 * k + 1)] {
                t.extend([(row, v, 1.0), (v, row, -1.0)]);
            }
            (q[3 * k], q[3 * k + 1], q[3 * k + 2]) = (-speed * (1.0 + k as f64), 0.4 * speed, 1.0);
        }
        let matrix = CsrBuf::from_triplets(n, n, &t);
        out.rows = MlcpBuf::from_parts(matrix, q, vec![-INF; n], vec![INF; n], TOLERANCE);
        (0..nv).for_each(|i| out.rows.tag[i] = RowTag { subject: i as u32, part: Part::Velocity });
        for k in 0..masses {
            let at = (nv + 3 * k) as u32;
            out.push_block(ConeBlock { normal: at, tangent: at + 1, dim: 2, size: 0.3 + 0.1 * k as f64 });
        }
        Stored::Cone(out)
    };
    vec![
        case("mass that slides", chain(1, 2.0), UNIQUE),
        case("mass that sticks", chain(1, 0.1), UNIQUE),
        case("three masses", chain(3, 0.5), UNIQUE),
    ]
}

fn programs() -> Vec<Case> {
    let mut numbers = Numbers(23);
    let mut out = Vec::new();
    for (k, scale) in [1.0, 1.0, 1e3, 1e-3].into_iter().enumerate() {
        for with_cone in [false, true] {
            let problem = program(&mut numbers, scale, with_cone);
            let words = if with_cone { "with a cone" } else { "of rows" };
            out.push(case(format!("program {k} {words}, × {scale}"), Stored::Conic(problem), UNIQUE));
        }
    }
    out
}

/// Strictly convex in four unknowns; six rows with a lawful point inside, the last three a cone perhaps.
fn program(numbers: &mut Numbers, scale: f64, with_cone: bool) -> ConicBuf {
    let root: Vec<Vec<f64>> = (0..4).map(|_| (0..4).map(|_| numbers.between(-1.0, 1.0)).collect()).collect();
    let mut t = Vec::new();
    for i in 0..4 {
        for j in 0..4 {
            let dot: f64 = root[i].iter().zip(&root[j]).map(|(a, b)| a * b).sum();
            t.push((i, j, scale * (dot + 0.2 * f64::from(u8::from(i == j)))));
        }
    }
    let p = CsrBuf::from_triplets(4, 4, &t);
    let c: Vec<f64> = (0..4).map(|_| scale * numbers.between(-2.0, 2.0)).collect();
    let rows: Vec<(usize, usize, f64)> =
        (0..24).map(|k| (k / 4, k % 4, numbers.between(-1.0, 1.0))).collect();
    let g = vec![0.3, 0.2, 0.1, if with_cone { 1.0 } else { 0.3 }, 0.2, -0.1];
    let mut lower = vec![0.0, -0.5, -INF, 0.0, -1.0, -INF];
    let mut upper = vec![INF, 1.0, 0.4, INF, 1.0, 0.5];
    if with_cone {
        lower[3..].fill(-INF);
        upper[3..].fill(INF);
    }
    let mut out = ConicBuf::from_parts(p, c, CsrBuf::from_triplets(6, 4, &rows), g, (lower, upper));
    if with_cone {
        out.cones = vec![3, 3];
    }
    out.tolerance = TOLERANCE;
    out
}

/// Gravity along −x_0, a floor under the other coordinate only.
fn falling() -> Vec<Case> {
    let p = CsrBuf::from_triplets(2, 2, &[(1, 1, 1.0)]);
    let rows = CsrBuf::from_triplets(1, 2, &[(0, 1, 1.0)]);
    let problem = ConicBuf::from_parts(p, vec![1.0, 0.5], rows, vec![0.0], (vec![0.0], vec![INF]));
    vec![case("body that nothing holds", Stored::Conic(problem), Truth::Unbounded)]
}

/// Nearest points on crossed axes.
fn pairs() -> Vec<Case> {
    let crossed = |n: usize, seed: u64| {
        let mut numbers = Numbers(seed);
        let eye: Vec<_> = (0..2 * n).map(|i| (i, i, 1.0)).collect();
        let eye = CsrBuf::from_triplets(2 * n, 2 * n, &eye);
        let c: Vec<f64> = (0..2 * n).map(|_| -numbers.between(0.1, 2.0)).collect();
        let bounds = (vec![0.0; 2 * n], vec![INF; 2 * n]);
        let qp = ConicBuf::from_parts(eye.clone(), c, eye, vec![0.0; 2 * n], bounds);
        let mut out = QpccBuf { qp, ..QpccBuf::default() };
        (0..n).for_each(|k| out.push_pair(2 * k, 2 * k + 1, NO_GROUP));
        Stored::Qpcc(out)
    };
    vec![case("one pair", crossed(1, 3), UNIQUE), case("six pairs", crossed(6, 5), UNIQUE)]
}

/// Rows of the largest program that meets every solver: sweeps over bridges take minutes on larger ones.
const ROWS: usize = 40;

/// Random, degenerate, badly scaled, infeasible and unbounded programs, with and without cones.
fn shared_programs() -> Vec<Case> {
    let families = [false, true].map(|cones| shared::conic::all(3, cones));
    let known = |c: shared::conic::ConicCase| {
        let truth = match c.truth {
            shared::conic::Truth::Solved { .. } => UNIQUE,
            shared::conic::Truth::Infeasible => Truth::Infeasible,
            shared::conic::Truth::Unbounded => Truth::Unbounded,
        };
        case(format!("shared: {}", c.name), Stored::Conic(c.problem), truth)
    };
    families.into_iter().flatten().filter(|c| c.problem.g.len() <= ROWS).map(known).collect()
}

/// Programs with pairs whose best value an enumeration knows.
fn shared_pairs() -> Vec<Case> {
    let objectives = [shared::qpcc::Objective::Quadratic, shared::qpcc::Objective::Linear];
    let known = |c: shared::qpcc::QpccCase| {
        let truth = if c.objective.is_some() { UNIQUE } else { Truth::Infeasible };
        case(format!("shared: {}", c.name), Stored::Qpcc(c.problem), truth)
    };
    let all = objectives.into_iter().flat_map(|o| shared::qpcc::all(3, o));
    all.filter(|c| c.problem.qp.g.len() <= ROWS).map(known).collect()
}

/// A solver as the host finds it.
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) takes: u32,
    pub(super) solver: Box<dyn Solver>,
}

pub(super) fn entries() -> Vec<Entry> {
    let nothing = SystemView::NOTHING;
    let mut out = Vec::new();
    for found in house::registry().scan() {
        let Ok(plugin) = found.plugin else { continue };
        let Some(manifest) = plugin.manifest(Role::Solver) else { continue };
        if manifest.id.starts_with("vinci.") {
            // Hundreds of pairs behind two bridges are not what cases are for: it may give up.
            let options =
                if manifest.id.ends_with("branch-and-bound") { r#"{"max_nodes": 200}"# } else { "{}" };
            let solver = plugin.create_solver(options, &nothing).unwrap();
            let (id, takes) = (manifest.id.clone(), classes(manifest));
            out.push(Entry { id, takes, solver: Box::new(solver) });
        }
    }
    out.sort_by(|a, b| a.id.cmp(&b.id));
    out
}

/// What one solver made of one problem.
#[derive(Debug, PartialEq)]
enum Outcome {
    /// No way leads there, or every way refuses the instance.
    NoRoute,
    Solved {
        residual: f64,
        exact: bool,
        values: Vec<f64>,
    },
    Proved(Status),
    Unsolved(Status),
    /// The host denies what it claims.
    Denied(Status),
}

/// What solvers must agree on: velocities where rows are tagged so, the objective of programs.
fn values(problem: &Stored, z: &[f64]) -> Vec<f64> {
    match problem.program() {
        Some(qp) => vec![qp.view().objective(z)],
        None => {
            let tags = problem.unknown_tags().iter().zip(z);
            tags.filter(|(t, _)| t.part == Part::Velocity).map(|(_, z)| *z).collect()
        }
    }
}

fn go(case: &Case, entry: &mut Entry) -> Outcome {
    let (mut bridges, mut answer) = (Bridges::default(), Answer::default());
    let problem = case.problem.view(TOLERANCE);
    let exact = match bridges.solve(&problem, entry.takes, entry.solver.as_mut(), &mut answer) {
        Err(NoAnswer::NoRoute(_)) => return Outcome::NoRoute,
        Err(NoAnswer::Stage(error)) => panic!("{} on {}: {error}", entry.id, case.name),
        Ok(route) => route.exactness() != Exactness::Approximate,
    };
    match answer.status {
        Status::Converged => {
            let values = values(&case.problem, &answer.z);
            Outcome::Solved { residual: answer.residual, exact, values }
        }
        status if answer.proved => Outcome::Proved(status),
        _ if answer.claimed == Status::Converged => Outcome::Denied(answer.claimed),
        status => Outcome::Unsolved(status),
    }
}

#[test]
#[ignore = "long"]
fn every_class_meets_every_solver() {
    let mut entries = entries();
    assert!(entries.len() >= 4, "the stock solvers are built");
    let mut solved_by: BTreeMap<String, usize> = BTreeMap::new();
    for case in cases() {
        case.problem.check().unwrap_or_else(|m| panic!("{}: {m}", case.name));
        let outcomes: Vec<(String, Outcome)> =
            entries.iter_mut().map(|e| (e.id.clone(), go(&case, e))).collect();
        let mut reference: Option<&Vec<f64>> = None;
        let (mut best, mut relaxed) = (0, Vec::new());
        for (id, outcome) in &outcomes {
            println!("{:<40} {id:<24} {outcome:?}", case.name);
            match (outcome, case.truth) {
                (Outcome::NoRoute, _) => continue,
                (Outcome::Solved { residual, exact, values }, Truth::Solved { unique }) => {
                    assert!(*residual <= TOLERANCE, "{id} on {}: {residual:e}", case.name);
                    if !exact {
                        relaxed.push((id, values));
                        continue;
                    }
                    *solved_by.entry(id.clone()).or_default() += 1;
                    best += 1;
                    let reference = *reference.get_or_insert(values);
                    let size = reference.iter().fold(1e-3_f64, |m, v| m.max(v.abs()));
                    let apart = reference.iter().zip(values).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
                    assert!(!unique || apart <= 1e-6 * size, "{id} on {}: {apart:e} apart", case.name);
                }
                (Outcome::Proved(Status::Infeasible), Truth::Infeasible)
                | (Outcome::Proved(Status::Unbounded), Truth::Unbounded) => best += 1,
                // Not found is not wrong; claimed and denied is.
                (Outcome::Unsolved(_), _) => {}
                (wrong, truth) => panic!("{id} on {}: {wrong:?} where it is {truth:?}", case.name),
            }
        }
        // Pyramids relax a program: its value is a lower bound.
        if let (Some(reference), Some(_)) = (reference, case.problem.program()) {
            for (id, values) in &relaxed {
                assert!(values[0] <= reference[0] + 1e-7 * reference[0].abs(), "{id} on {}", case.name);
            }
        }
        let reached = outcomes.iter().filter(|(_, o)| !matches!(o, Outcome::NoRoute)).count();
        if reached == 0 {
            println!("{}: no solver that is built takes {}", case.name, case.problem.class().name());
        }
        assert!(reached == relaxed.len() || best > 0, "nobody decides {}: {outcomes:?}", case.name);
    }
    println!("{solved_by:?}");
    assert!(solved_by.values().sum::<usize>() >= 30, "{solved_by:?}");
}

/// The collections of quasi-static steps: their own answers are lawful points of the programs read from them, at the proven
/// optimum.
#[test]
fn collections_of_steps_are_what_they_say() {
    for name in ["miqp-cylinder36", "miqp-box72"] {
        let path = shared::folder().join(format!("{name}.json"));
        let file = shared::json(&format!("{name}.json"));
        let list = vinci_run::problem_file::read(&path, TOLERANCE).unwrap();
        assert_eq!(list.len(), 20);
        for (named, step) in list.iter().zip(file["steps"].as_array().unwrap()) {
            let Stored::Qpcc(p) = &named.problem else { panic!("another class") };
            let (p, h) = (p.view(), step["h"].as_f64().unwrap());
            let x: Vec<f64> = step["x"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
            let x: Vec<f64> =
                p.qp.x_tag
                    .iter()
                    .zip(x)
                    .map(|(t, x)| if matches!(t.part, Part::Velocity | Part::Slip) { x / h } else { x })
                    .collect();
            assert_eq!(p.n_pairs(), if name.ends_with("72") { 72 } else { 36 });
            let infeasibility = p.infeasibility(&x);
            assert!(infeasibility < 1e-10, "{}: {infeasibility:e}", named.name);
            let (found, proven) = (p.qp.objective(&x), named.optimum.unwrap());
            assert!(
                p.is_proved(&x, proven) && (found - proven).abs() < 1e-9,
                "{}: {found} {proven}",
                named.name
            );
        }
    }
}
