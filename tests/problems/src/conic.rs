//! Convex programs with known answers: random, degenerate, infeasible, unbounded and badly scaled ones, with and without
//! second-order cones, and the programs of contact steps.

use super::{INF, Numbers};
use nalgebra::{DMatrix, DVector};
use vinci_core::CsrBuf;
use vinci_core::problem::{ConicBuf, Part, RowTag};

/// A convex program and what is known of it.
pub struct ConicCase {
    pub name: String,
    pub problem: ConicBuf,
    pub truth: Truth,
}

/// What is known.
#[derive(Debug, Clone, PartialEq)]
pub enum Truth {
    /// The smallest objective, and the one x that has it where it is known and alone.
    Solved { objective: Option<f64>, x: Option<Vec<f64>> },
    /// No x is lawful.
    Infeasible,
    /// The objective falls for ever.
    Unbounded,
}

/// A program from dense matrices; cones as (first row, rows).
pub fn conic(
    p: &DMatrix<f64>,
    c: &[f64],
    g: &DMatrix<f64>,
    constant: &[f64],
    bounds: (Vec<f64>, Vec<f64>),
    cones: &[(u32, u32)],
) -> ConicBuf {
    let mut rows = CsrBuf::from_dense(g);
    if g.nrows() == 0 {
        rows.clear(c.len());
    }
    let (p, c) = (CsrBuf::from_dense(p), c.to_vec());
    let mut problem = ConicBuf::from_parts(p, c, rows, constant.to_vec(), bounds);
    problem.cones = cones.iter().flat_map(|&(first, dim)| [first, dim]).collect();
    problem
}

/// A symmetric positive semidefinite matrix of rank `rank`.
fn semidefinite(numbers: &mut Numbers, n: usize, rank: usize) -> DMatrix<f64> {
    let root = DMatrix::from_fn(n, rank, |_, _| numbers.between(-1.0, 1.0));
    let p = &root * root.transpose();
    0.5 * (&p + p.transpose())
}

/// What `planted` builds from.
struct Plan {
    n: usize,
    rank: usize,
    rows: usize,
    cones: usize,
    /// Rows that hold with equality although nothing presses, and repeated rows.
    degenerate: bool,
}

/// A program whose solution (x, y) is chosen first: c = Gᵀ y − P x, bounds and cones around s.
fn planted(numbers: &mut Numbers, plan: &Plan) -> (ConicBuf, Vec<f64>) {
    let (n, m) = (plan.n, plan.rows + 3 * plan.cones);
    let p = semidefinite(numbers, n, plan.rank);
    let mut g = DMatrix::from_fn(m, n, |_, _| numbers.between(-1.0, 1.0));
    if plan.degenerate {
        (1..plan.rows).step_by(3).for_each(|i| {
            let above = g.row(i - 1).into_owned();
            g.set_row(i, &above);
        });
    }
    let x = DVector::from_fn(n, |_, _| numbers.between(-2.0, 2.0));
    let (mut y, mut constant) = (DVector::zeros(m), vec![0.0; m]);
    let (mut lower, mut upper) = (vec![-INF; m], vec![INF; m]);
    let gx = &g * &x;
    for i in 0..plan.rows {
        constant[i] = numbers.between(-1.0, 1.0);
        let (s, weak) = (gx[i] + constant[i], plan.degenerate && numbers.unit() < 0.5);
        let force = if weak { 0.0 } else { numbers.between(0.1, 2.0) };
        match numbers.below(5) {
            0 => (lower[i], y[i]) = (s, force),
            1 => (upper[i], y[i]) = (s, -force),
            2 => (lower[i], upper[i], y[i]) = (s, s, numbers.between(-1.0, 1.0)),
            3 => (lower[i], upper[i]) = (s - numbers.between(0.1, 2.0), s + numbers.between(0.1, 2.0)),
            _ => lower[i] = s - numbers.between(0.1, 2.0),
        }
    }
    // A repeated row gets the same bounds as its original, or the two would contradict each other.
    if plan.degenerate {
        for i in (1..plan.rows).step_by(3) {
            let shift = constant[i] - constant[i - 1];
            (lower[i], upper[i]) = (lower[i - 1] + shift, upper[i - 1] + shift);
            y[i] = 0.0;
        }
    }
    let cones: Vec<(u32, u32)> = (0..plan.cones).map(|k| ((plan.rows + 3 * k) as u32, 3)).collect();
    for &(first, _) in &cones {
        let (s, force) = cone_pair(numbers, plan.degenerate);
        for k in 0..3 {
            let i = first as usize + k;
            constant[i] = s[k] - gx[i];
            y[i] = force[k];
        }
    }
    let c = g.transpose() * &y - &p * &x;
    let problem = conic(&p, c.as_slice(), &g, &constant, (lower, upper), &cones);
    (problem, x.as_slice().to_vec())
}

/// s and y of a cone with SOC ∋ s ⟂ y ∈ SOC: open, pressed at the tip, or sliding along the boundary.
fn cone_pair(numbers: &mut Numbers, degenerate: bool) -> ([f64; 3], [f64; 3]) {
    let angle = numbers.between(0.0, std::f64::consts::TAU);
    let (size, force) = (numbers.between(0.1, 2.0), numbers.between(0.1, 2.0));
    let edge = |size: f64, sign: f64| [size, sign * size * angle.cos(), sign * size * angle.sin()];
    let inner = |size: f64| [size, 0.5 * size * angle.cos(), 0.5 * size * angle.sin()];
    match (numbers.below(3), degenerate) {
        (0, false) => (inner(size), [0.0; 3]),
        (1, false) => ([0.0; 3], inner(force)),
        (2, _) => (edge(size, 1.0), edge(force, -1.0)),
        (0, true) => (edge(size, 1.0), [0.0; 3]),
        _ => ([0.0; 3], edge(force, 1.0)),
    }
}

fn solved(name: String, problem: ConicBuf, x: Vec<f64>, alone: bool) -> ConicCase {
    let objective = Some(problem.view().objective(&x));
    ConicCase { name, problem, truth: Truth::Solved { objective, x: alone.then_some(x) } }
}

/// Strictly convex programs.
pub fn random(seed: u64, cones: bool) -> Vec<ConicCase> {
    let mut numbers = Numbers(seed);
    let case = |k: usize| {
        let n = 1 + numbers.below(12);
        let plan = Plan {
            n,
            rank: n + 2,
            rows: numbers.below(2 * n + 1),
            cones: if cones { 1 + numbers.below(4) } else { 0 },
            degenerate: false,
        };
        let (problem, x) = planted(&mut numbers, &plan);
        solved(format!("random {k}: {n} unknowns"), problem, x, true)
    };
    (0..20).map(case).collect()
}

/// Singular P, repeated rows, rows that hold without force.
pub fn degenerate(seed: u64, cones: bool) -> Vec<ConicCase> {
    let mut numbers = Numbers(seed);
    let case = |k: usize| {
        let n = 2 + numbers.below(10);
        let plan = Plan {
            n,
            rank: if k.is_multiple_of(2) { n + 2 } else { n / 2 },
            rows: n + numbers.below(2 * n),
            cones: if cones { 1 + numbers.below(3) } else { 0 },
            degenerate: true,
        };
        let (problem, x) = planted(&mut numbers, &plan);
        solved(format!("degenerate {k}: {n} unknowns"), problem, x, plan.rank > n)
    };
    (0..20).map(case).collect()
}

/// The random programs in units apart by up to 1e6 (unknowns) and 1e4 (rows; one unit for a cone).
pub fn badly_scaled(seed: u64, cones: bool) -> Vec<ConicCase> {
    let mut numbers = Numbers(seed);
    let rescale = |case: ConicCase| {
        let Truth::Solved { objective, x: Some(x) } = case.truth else { return None };
        let problem = case.problem;
        let d: Vec<f64> = x.iter().map(|_| 10_f64.powf(numbers.between(-3.0, 3.0))).collect();
        let mut e: Vec<f64> = problem.g.iter().map(|_| 10_f64.powf(numbers.between(-2.0, 2.0))).collect();
        for cone in problem.view().cones() {
            let unit = e[cone.start];
            e[cone].fill(unit);
        }
        let (n, m) = (d.len(), e.len());
        let p = problem.p.view().to_dense();
        let p = DMatrix::from_fn(n, n, |i, j| d[i] * p[(i, j)] * d[j]);
        let g = problem.rows.view().to_dense();
        let g = DMatrix::from_fn(m, n, |i, j| e[i] * g[(i, j)] * d[j]);
        let times = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).collect::<Vec<_>>();
        let bounds = (times(&problem.lower, &e), times(&problem.upper, &e));
        let cones: Vec<_> = problem.cones.chunks_exact(2).map(|k| (k[0], k[1])).collect();
        let scaled = conic(&p, &times(&problem.c, &d), &g, &times(&problem.g, &e), bounds, &cones);
        let x = x.iter().zip(&d).map(|(x, d)| x / d).collect();
        Some(ConicCase {
            name: format!("badly scaled {}", case.name),
            problem: scaled,
            truth: Truth::Solved { objective, x: Some(x) },
        })
    };
    random(seed ^ 0x5eed, cones).into_iter().filter_map(rescale).collect()
}

/// A feasible program and one wall more, which a positive combination of the others excludes.
pub fn infeasible(seed: u64, cones: bool) -> Vec<ConicCase> {
    let mut numbers = Numbers(seed);
    let case = |k: usize| {
        let n = 2 + numbers.below(6);
        let m = 1 + numbers.below(n);
        let mut g = DMatrix::from_fn(m + 1, n, |_, _| numbers.between(-1.0, 1.0));
        let weight: Vec<f64> = (0..m).map(|_| numbers.between(0.2, 2.0)).collect();
        (0..m).for_each(|i| {
            let less = g.row(m) * f64::from(u8::from(i > 0)) - weight[i] * g.row(i);
            g.set_row(m, &less);
        });
        let (mut lower, mut upper) = (vec![0.0; m + 1], vec![INF; m + 1]);
        lower[m] = numbers.between(0.1, 1.0);
        let mut constant = vec![0.0; m + 1];
        let mut all = Vec::new();
        if cones {
            // Half a cone that any x can enter: it takes no part in the contradiction.
            g = g.insert_rows(m + 1, 3, 0.0);
            (0..3).for_each(|r| g[(m + 1 + r, 0)] = [0.0, 1.0, 0.5][r]);
            constant.extend([1.0, 0.0, 0.0]);
            lower.extend([-INF; 3]);
            upper.extend([INF; 3]);
            all.push((m as u32 + 1, 3));
        }
        let (p, c) = (semidefinite(&mut numbers, n, n), vec![0.3; n]);
        let problem = conic(&p, &c, &g, &constant, (lower, upper), &all);
        ConicCase { name: format!("infeasible {k}: {n} unknowns"), problem, truth: Truth::Infeasible }
    };
    let mut cases: Vec<ConicCase> = (0..10).map(case).collect();
    if cones {
        cases.push(excluded_by_a_cone());
    }
    cases
}

/// |x| ≤ 1 as a cone, and x ≥ 2.
fn excluded_by_a_cone() -> ConicCase {
    let g = DMatrix::from_row_slice(3, 1, &[0.0, 1.0, 1.0]);
    let bounds = (vec![-INF, -INF, 2.0], vec![INF; 3]);
    let p = DMatrix::from_element(1, 1, 1.0);
    let problem = conic(&p, &[0.0], &g, &[1.0, 0.0, 0.0], bounds, &[(0, 2)]);
    ConicCase { name: "a wall outside a cone".into(), problem, truth: Truth::Infeasible }
}

/// P is blind for a direction d that no row stops and along which c falls.
pub fn unbounded(seed: u64, cones: bool) -> Vec<ConicCase> {
    let mut numbers = Numbers(seed);
    let case = |k: usize| {
        let n = 2 + numbers.below(6);
        // Eighths: all products below are exact, so P d = 0 holds to the last bit and the truth is no matter of rounding.
        let mut eighths = || (8.0 * numbers.between(-1.0, 1.0)).round() / 8.0;
        let mut d = DVector::from_fn(n, |_, _| eighths());
        if d.norm() == 0.0 {
            d[0] = 1.0;
        }
        let blind = DMatrix::identity(n, n) * d.dot(&d) - &d * d.transpose();
        let root = DMatrix::from_fn(n, n, |_, _| eighths()) * &blind;
        let p = root.transpose() * &root;
        let m = n + if cones { 3 } else { 0 };
        let mut g = DMatrix::from_fn(m, n, |_, _| eighths()) * &blind;
        // Along d the first rows rise, the others do not see it; a cone widens.
        (0..n).step_by(2).for_each(|i| {
            let risen = g.row(i) + numbers.between(0.1, 1.0) * d.transpose();
            g.set_row(i, &risen);
        });
        if cones {
            let risen = g.row(n) + d.transpose();
            g.set_row(n, &risen);
        }
        let c: Vec<f64> = (-&d + &blind * DVector::from_element(n, 0.2)).as_slice().to_vec();
        let lower = (0..m).map(|i| if i < n { -1.0 } else { -INF }).collect();
        let all: &[(u32, u32)] = if cones { &[(n as u32, 3)] } else { &[] };
        let mut constant = vec![0.0; m];
        if cones {
            constant[n] = 1.0;
        }
        let problem = conic(&p, &c, &g, &constant, (lower, vec![INF; m]), all);
        ConicCase { name: format!("unbounded {k}: {n} unknowns"), problem, truth: Truth::Unbounded }
    };
    (0..10).map(case).collect()
}

/// The program of one contact step: bodies of the given numbers of freedoms, contacts between neighbours or with the
/// ground, μ = 0.5, separations from 0 to 0.1 m/s, random approach. Cone: ((J_n v + g)/μ, J_t v) ∈ SOC; pyramid:
/// J_n v ± μ J_t v + g ≥ 0, four rows a contact. Masses lie between 1 and `mass_ratio`.
pub fn contact_step(freedoms: &[usize], contacts: usize, cone: bool, mass_ratio: f64, seed: u64) -> ConicBuf {
    let mut numbers = Numbers(seed);
    let n: usize = freedoms.iter().sum();
    let mut out = ConicBuf::default();
    out.clear(n, 1e-8);
    let mut body = 0;
    let mut mass = vec![0.0; freedoms.len()];
    for (b, &k) in freedoms.iter().enumerate() {
        mass[b] = mass_ratio.powf(numbers.unit());
        for i in 0..k {
            // Rotations in units of the radius of gyration.
            let m = mass[b] * if i < 3 { 1.0 } else { numbers.between(0.5, 1.5) };
            let fall = if i == 2.min(k - 1) { 0.0981 } else { 0.0 };
            out.p.push(body + i, m);
            let tag = RowTag { subject: (body + i) as u32, part: Part::Velocity };
            out.end_unknown(-m * (numbers.between(-0.5, 0.5) - fall), tag, 1.0);
        }
        body += k;
    }
    for contact in 0..contacts {
        add_contact(&mut out, &mut numbers, freedoms, contact, cone);
    }
    out
}

/// Body `contact` modulo their number against the ground (every third time) or the next one.
fn add_contact(out: &mut ConicBuf, numbers: &mut Numbers, freedoms: &[usize], contact: usize, cone: bool) {
    let mu = 0.5;
    let a = contact % freedoms.len();
    let lone = freedoms.len() == 1 || contact.is_multiple_of(3);
    let b = (a + 1 + contact / freedoms.len() % 3) % freedoms.len();
    let start = |b: usize| freedoms[..b].iter().sum::<usize>();
    let mut row = || -> Vec<(usize, f64)> {
        let mut entries = Vec::new();
        let mut of = |body: usize, sign: f64| {
            (0..freedoms[body])
                .for_each(|i| entries.push((start(body) + i, sign * numbers.between(-1.0, 1.0))));
        };
        of(a, 1.0);
        if !lone && b != a {
            of(b, -1.0);
        }
        let size = entries.iter().map(|e| e.1 * e.1).sum::<f64>().sqrt();
        entries.iter().map(|e| (e.0, e.1 / size)).collect()
    };
    let (normal, t1, t2) = (row(), row(), row());
    let gap = if contact.is_multiple_of(2) { 0.0 } else { numbers.between(0.0, 0.1) };
    let tag = RowTag { subject: contact as u32, part: Part::Normal };
    if cone {
        for (direction, scale, g) in [(&normal, 1.0 / mu, gap / mu), (&t1, 1.0, 0.0), (&t2, 1.0, 0.0)] {
            direction.iter().for_each(|&(j, v)| out.rows.push(j, scale * v));
            out.end_row(g, (-INF, INF), tag, 1.0);
        }
        out.close_cone(3);
        return;
    }
    for (direction, sign) in [(&t1, mu), (&t2, mu), (&t1, -mu), (&t2, -mu)] {
        normal.iter().zip(direction).for_each(|(n, t)| out.rows.push(n.0, n.1 + sign * t.1));
        out.end_row(gap, (0.0, INF), tag, 1.0);
    }
}

/// The sizes measured for comparison: (name, freedoms of the bodies, contacts).
pub fn contact_sizes() -> Vec<(&'static str, Vec<usize>, usize)> {
    vec![
        ("ball push, 5 x 12", vec![3, 2], 3),
        ("grasp, 14 x 24", vec![6, 8], 6),
        ("grasp, 14 x 48", vec![6, 8], 12),
        ("pile, 192 x 400", vec![6; 32], 100),
    ]
}

/// The whole shared set without the large pile: every family, with or without cones.
pub fn all(seed: u64, cones: bool) -> Vec<ConicCase> {
    let families = [random, degenerate, badly_scaled, infeasible, unbounded];
    let mut cases: Vec<ConicCase> = families.iter().flat_map(|family| family(seed, cones)).collect();
    for (name, freedoms, contacts) in contact_sizes().into_iter().take(3) {
        for ratio in [1.0, 1e4] {
            let problem = contact_step(&freedoms, contacts, cones, ratio, seed);
            let truth = Truth::Solved { objective: None, x: None };
            cases.push(ConicCase { name: format!("{name}, masses to {ratio}"), problem, truth });
        }
    }
    cases
}
