//! Programs with complementarity pairs, and an oracle that tries every mode and every active set.

use super::conic::conic;
use super::{INF, Numbers};
use nalgebra::{DMatrix, DVector};
use vinci_core::problem::{NO_GROUP, Qpcc, QpccBuf};

/// A program with pairs and what is known of it.
pub struct QpccCase {
    pub name: String,
    pub problem: QpccBuf,
    /// The smallest objective; None: no x is lawful.
    pub objective: Option<f64>,
}

/// How the objective looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objective {
    /// Strictly convex.
    Quadratic,
    /// P = 0, the unknowns bounded.
    Linear,
}

/// n unknowns, `pairs` pairs of rows, `rows` rows 0 ≤ s besides; for linear objectives every unknown lies in [−3, 3].
/// A lawful point is planted unless `lawful` is false.
fn program(
    numbers: &mut Numbers,
    (n, pairs, rows): (usize, usize, usize),
    objective: Objective,
    lawful: bool,
) -> QpccBuf {
    let boxed = if objective == Objective::Linear { n } else { 0 };
    let m = 2 * pairs + rows + boxed;
    let mut g = DMatrix::from_fn(m, n, |_, _| numbers.between(-1.0, 1.0));
    let x = DVector::from_fn(n, |_, _| numbers.between(-2.0, 2.0));
    let mut constant: Vec<f64> = (&g * &x).iter().map(|s| -s).collect();
    for k in 0..pairs {
        constant[2 * k + numbers.below(2)] += numbers.between(0.0, 1.0);
    }
    (2 * pairs..2 * pairs + rows).for_each(|i| constant[i] += numbers.between(0.0, 1.0));
    let (mut lower, mut upper) = (vec![0.0; m], vec![INF; m]);
    for k in 0..boxed {
        let i = m - boxed + k;
        g.row_mut(i).fill(0.0);
        g[(i, k)] = 1.0;
        (constant[i], lower[i], upper[i]) = (0.0, -3.0, 3.0);
    }
    if !lawful {
        // Both rows of the first pair stay above a little bit: the pair can have no zero.
        let (a, b) = (g.row(0).into_owned(), g.row(1).into_owned());
        g = g.insert_rows(m, 2, 0.0);
        g.set_row(m, &a);
        g.set_row(m + 1, &b);
        constant.extend([constant[0], constant[1]]);
        lower.extend([0.2; 2]);
        upper.extend([INF; 2]);
    }
    let p = match objective {
        Objective::Linear => DMatrix::zeros(n, n),
        Objective::Quadratic => {
            let root = DMatrix::from_fn(n, n + 2, |_, _| numbers.between(-1.0, 1.0));
            let p = &root * root.transpose();
            0.5 * (&p + p.transpose())
        }
    };
    let c: Vec<f64> = (0..n).map(|_| numbers.between(-2.0, 2.0)).collect();
    let mut problem = QpccBuf { qp: conic(&p, &c, &g, &constant, (lower, upper), &[]), ..QpccBuf::default() };
    (0..pairs).for_each(|k| problem.push_pair(2 * k, 2 * k + 1, NO_GROUP));
    problem
}

/// Small programs with their smallest objective by the oracle; the last ones have no lawful point.
pub fn random(seed: u64, objective: Objective) -> Vec<QpccCase> {
    let mut numbers = Numbers(seed);
    let case = |k: usize| {
        let lawful = k < 10;
        // More unknowns than pairs: the oracle holds at most n rows.
        let pairs = 1 + numbers.below(3);
        let rows = if objective == Objective::Linear { 1 } else { numbers.below(3) };
        let size = (pairs + numbers.below(2), pairs, rows);
        let problem = program(&mut numbers, size, objective, lawful);
        let objective = if lawful { enumerate(&problem.view()) } else { None };
        assert_eq!(objective.is_some(), lawful, "the oracle and the construction disagree");
        QpccCase { name: format!("random {k}: {} unknowns, {} pairs", size.0, size.1), problem, objective }
    };
    (0..13).map(case).collect()
}

/// Quadratic programs whose unconstrained minimum is lawful, so that no mode can be better: up to 60 pairs.
pub fn tight(seed: u64) -> Vec<QpccCase> {
    let mut numbers = Numbers(seed);
    let case = |pairs: usize| {
        let n = 4 + pairs / 2;
        let mut problem = program(&mut numbers, (n, pairs, 4), Objective::Quadratic, true);
        let dense = problem.qp.p.view().to_dense();
        let g = problem.qp.rows.view().to_dense();
        let x = DVector::from_fn(n, |_, _| numbers.between(-2.0, 2.0));
        problem.qp.c = (-(&dense * &x)).as_slice().to_vec();
        for (i, s) in (&g * &x).iter().enumerate() {
            problem.qp.g[i] = -s;
            let in_pair = i < 2 * pairs;
            let away = !in_pair || (i % 2 == 0) == (numbers.unit() < 0.5);
            if away
                && !(in_pair && i % 2 == 1 && problem.qp.g[i - 1] + g.row(i - 1).dot(&x.transpose()) > 1e-9)
            {
                problem.qp.g[i] += numbers.between(0.0, 1.0);
            }
        }
        let objective = Some(problem.qp.view().objective(x.as_slice()));
        QpccCase { name: format!("tight, {pairs} pairs"), problem, objective }
    };
    [4, 12, 36, 60].into_iter().map(case).collect()
}

/// The random programs with unknowns in units apart by up to 1e4 and rows by up to 1e3.
pub fn badly_scaled(seed: u64, objective: Objective) -> Vec<QpccCase> {
    let mut numbers = Numbers(seed);
    let rescale = |case: QpccCase| {
        let qp = &case.problem.qp;
        let d: Vec<f64> = qp.c.iter().map(|_| 10_f64.powf(numbers.between(-2.0, 2.0))).collect();
        let e: Vec<f64> = qp.g.iter().map(|_| 10_f64.powf(numbers.between(-1.5, 1.5))).collect();
        let (p, g) = (qp.p.view().to_dense(), qp.rows.view().to_dense());
        let p = DMatrix::from_fn(d.len(), d.len(), |i, j| d[i] * p[(i, j)] * d[j]);
        let g = DMatrix::from_fn(e.len(), d.len(), |i, j| e[i] * g[(i, j)] * d[j]);
        let times = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).collect::<Vec<_>>();
        let bounds = (times(&qp.lower, &e), times(&qp.upper, &e));
        let scaled = conic(&p, &times(&qp.c, &d), &g, &times(&qp.g, &e), bounds, &[]);
        let problem = QpccBuf { qp: scaled, ..case.problem };
        QpccCase { name: format!("badly scaled {}", case.name), problem, ..case }
    };
    random(seed ^ 0x5eed, objective).into_iter().map(rescale).collect()
}

/// One step of a gripper, in balanced units: finger displacement a and z, the part's lift y, forces p_n, p_f±, p_g and the
/// slip Γ. The finger ends just at the part's face, so that it may press or not: the part rises with the finger, or rests
/// on the table. Both cost nothing.
pub fn gripper_step() -> QpccCase {
    let (a, z, y, p_n, p_up, p_down, p_g, slip) = (0, 1, 2, 3, 4, 5, 6, 7);
    let (weight, mu) = (1.0, 0.5);
    let mut g = DMatrix::zeros(11, 8);
    let mut set = |i: usize, entries: &[(usize, f64)]| entries.iter().for_each(|&(j, v)| g[(i, j)] = v);
    set(0, &[(p_g, 1.0), (p_up, 1.0), (p_down, -1.0)]); // balance of the part across the table
    set(1, &[(a, -1.0)]); // gap to the finger: 1 − a
    set(2, &[(p_n, 1.0)]);
    set(3, &[(y, 1.0)]); // gap to the table
    set(4, &[(p_g, 1.0)]);
    set(5, &[(slip, 1.0), (y, 1.0), (z, -1.0)]); // Γ + slip of the part past the finger
    set(6, &[(p_up, 1.0)]);
    set(7, &[(slip, 1.0), (y, -1.0), (z, 1.0)]);
    set(8, &[(p_down, 1.0)]);
    set(9, &[(p_n, mu), (p_up, -1.0), (p_down, -1.0)]);
    set(10, &[(slip, 1.0)]);
    let mut constant = vec![0.0; 11];
    (constant[0], constant[1]) = (-weight, 1.0);
    let mut upper = vec![INF; 11];
    upper[0] = 0.0;
    let mut p = DMatrix::zeros(8, 8);
    (p[(a, a)], p[(z, z)]) = (1.0, 1.0);
    let c = [-1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let mut problem =
        QpccBuf { qp: conic(&p, &c, &g, &constant, (vec![0.0; 11], upper), &[]), ..QpccBuf::default() };
    for (k, group) in [(1, 0), (3, 1), (5, 0), (7, 0), (9, 0)] {
        problem.push_pair(k, k + 1, group);
    }
    QpccCase { name: "gripper step".into(), problem, objective: Some(-1.0) }
}

/// The whole shared set of one kind of objective.
pub fn all(seed: u64, objective: Objective) -> Vec<QpccCase> {
    let mut cases = random(seed, objective);
    cases.extend(badly_scaled(seed, objective));
    if objective == Objective::Quadratic {
        cases.extend(tight(seed));
        cases.push(gripper_step());
    }
    cases
}

/// The smallest objective, by trying every mode and every set of rows that hold with equality; None where no x is lawful.
/// For small programs whose optimum is a vertex or strictly convex along its face.
pub fn enumerate(p: &Qpcc<'_>) -> Option<f64> {
    let (m, qp) = (p.qp.m(), &p.qp);
    let (hessian, g) = (qp.p.to_dense(), qp.rows.to_dense());
    let mut best: Option<f64> = None;
    // Per row: 0 inside, 1 at its lower bound, 2 at its upper bound.
    let mut place = vec![0_u8; m];
    loop {
        let held: Vec<usize> = (0..m).filter(|&i| place[i] > 0).collect();
        let usable = held.len() <= qp.n()
            && held
                .iter()
                .all(|&i| if place[i] == 1 { qp.lower[i].is_finite() } else { qp.upper[i].is_finite() })
            && (0..p.n_pairs()).all(|k| place[p.pair(k).0] == 1 || place[p.pair(k).1] == 1);
        if usable
            && let Some(x) =
                hold(
                    qp.c,
                    qp.g,
                    &hessian,
                    &g,
                    &held,
                    |i| {
                        if place[i] == 1 { qp.lower[i] } else { qp.upper[i] }
                    },
                )
            && p.infeasibility(&x) < 1e-9
        {
            let value = qp.objective(&x);
            best = Some(best.map_or(value, |b: f64| b.min(value)));
        }
        let Some(i) = (0..m).find(|&i| place[i] < 2) else { return best };
        place[i] += 1;
        place[..i].fill(0);
    }
}

/// The stationary point on s_i = bound for the held rows.
fn hold(
    c: &[f64],
    constant: &[f64],
    hessian: &DMatrix<f64>,
    g: &DMatrix<f64>,
    held: &[usize],
    bound: impl Fn(usize) -> f64,
) -> Option<Vec<f64>> {
    let (n, k) = (c.len(), held.len());
    let mut system = DMatrix::zeros(n + k, n + k);
    let mut right = DVector::zeros(n + k);
    system.view_mut((0, 0), (n, n)).copy_from(hessian);
    (0..n).for_each(|j| right[j] = -c[j]);
    for (r, &i) in held.iter().enumerate() {
        for j in 0..n {
            system[(n + r, j)] = g[(i, j)];
            system[(j, n + r)] = -g[(i, j)];
        }
        right[n + r] = bound(i) - constant[i];
    }
    let lu = system.full_piv_lu();
    if lu.determinant().abs() < 1e-12 {
        return None;
    }
    let x = lu.solve(&right)?;
    x.iter().all(|x| x.is_finite()).then(|| x.rows(0, n).iter().copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_ends_of_the_gripper_step() {
        let case = gripper_step();
        let p = case.problem.view();
        p.check().unwrap();
        let rising = [1.0, 1.0, 1.0, 2.0, 1.0, 0.0, 0.0, 0.0];
        let resting = [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0];
        for x in [rising, resting] {
            assert_eq!(p.infeasibility(&x), 0.0);
            assert_eq!(p.qp.objective(&x), -1.0);
        }
    }

    #[test]
    fn the_planted_points_of_tight_programs_are_lawful() {
        for case in tight(7) {
            let p = case.problem.view();
            p.check().unwrap();
            let dense = p.qp.p.to_dense();
            let x = dense.lu().solve(&(-DVector::from_column_slice(p.qp.c))).unwrap();
            assert!(
                p.infeasibility(x.as_slice()) < 1e-9,
                "{}: {:e}",
                case.name,
                p.infeasibility(x.as_slice())
            );
        }
    }

    #[test]
    fn random_programs_are_in_order() {
        for objective in [Objective::Linear, Objective::Quadratic] {
            for case in all(11, objective) {
                case.problem.view().check().unwrap();
            }
        }
    }
}
