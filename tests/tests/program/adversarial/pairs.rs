//! Programs with pairs and without, and the least objective of all their modes ([`super::optimum`]).
//!
//! Rows that multiply a hair by 1e8, rows that are all but parallel, ties, boxes of 1e9 that nobody comes near, units far apart. What is
//! called solved has the least objective, and no bound is above it.

use num_traits::ToPrimitive;
use vinci_core::CsrBuf;
use vinci_core::problem::{ConicBuf, NO_GROUP, Problem, QpccBuf, Status};
use vinci_engine::pipeline::{Answer, Bridges};
use vinci_test_problems::{INF, Numbers};

use super::super::classes::{Entry, entries};
use super::optimum::Exact;

/// A program under construction: dense rows with bounds.
struct Draft {
    p: Vec<Vec<f64>>,
    c: Vec<f64>,
    rows: Vec<(Vec<f64>, f64, [f64; 2])>,
    pairs: Vec<[usize; 2]>,
}

impl Draft {
    fn new(c: Vec<f64>) -> Self {
        let n = c.len();
        Self { p: vec![vec![0.0; n]; n], c, rows: Vec::new(), pairs: Vec::new() }
    }

    fn curve(&mut self, diagonal: f64) {
        (0..self.c.len()).for_each(|i| self.p[i][i] += diagonal);
    }

    fn row(&mut self, entries: &[(usize, f64)], g: f64, bounds: [f64; 2]) -> usize {
        let mut row = vec![0.0; self.c.len()];
        entries.iter().for_each(|&(j, v)| row[j] += v);
        self.rows.push((row, g, bounds));
        self.rows.len() - 1
    }

    fn pair(&mut self, first: &[(usize, f64)], g: f64, second: &[(usize, f64)], h: f64) {
        let pair = [self.row(first, g, [0.0, INF]), self.row(second, h, [0.0, INF])];
        self.pairs.push(pair);
    }

    /// x_{i+1} = r x_i, so often, from x_0 on.
    fn chain(&mut self, r: f64, length: usize) {
        for i in 0..length {
            self.row(&[(i, -r), (i + 1, 1.0)], 0.0, [0.0; 2]);
        }
    }

    /// The program in units of powers of two: x = D x̂, rows times E, the objective times f.
    fn build(&self, d: &[f64], e: &[f64], f: f64) -> QpccBuf {
        let (n, m) = (self.c.len(), self.rows.len());
        let all = |rows: usize| (0..rows).flat_map(move |i| (0..n).map(move |j| (i, j)));
        let p: Vec<_> = all(n).map(|(i, j)| (i, j, f * d[i] * self.p[i][j] * d[j])).collect();
        let g: Vec<_> = all(m).map(|(i, j)| (i, j, e[i] * self.rows[i].0[j] * d[j])).collect();
        let full =
            |list: Vec<(usize, usize, f64)>| list.into_iter().filter(|t| t.2 != 0.0).collect::<Vec<_>>();
        let side = |k: usize| (0..m).map(|i| e[i] * self.rows[i].2[k]).collect::<Vec<_>>();
        let c = self.c.iter().zip(d).map(|(c, d)| f * c * d).collect();
        let offset = (0..m).map(|i| e[i] * self.rows[i].1).collect();
        let (p, g) = (CsrBuf::from_triplets(n, n, &full(p)), CsrBuf::from_triplets(m, n, &full(g)));
        let mut qp = ConicBuf::from_parts(p, c, g, offset, (side(0), side(1)));
        qp.tolerance = super::TOLERANCE;
        let mut problem = QpccBuf { qp, ..QpccBuf::default() };
        self.pairs.iter().for_each(|p| problem.push_pair(p[0], p[1], NO_GROUP));
        problem
    }

    fn plain(&self) -> QpccBuf {
        self.build(&vec![1.0; self.c.len()], &vec![1.0; self.rows.len()], 1.0)
    }
}

/// x_{i+1} = r x_i from x_0 on, 0 ≤ x_0 ⟂ x_last ≥ 0: what x_0 may miss 0 by, the last costs r^k times.
fn chains() -> Vec<(String, QpccBuf)> {
    let mut all = Vec::new();
    for (r, length) in [(10.0, 1), (10.0, 2), (10.0, 4), (100.0, 2), (100.0, 3), (100.0, 4), (1000.0, 3)] {
        for (gain, curvature) in [(1.0, 0.0), (1.0, 1.0), (3.0, 1e-3)] {
            let n = length + 2;
            let mut c = vec![0.0; n];
            (c[length], c[length + 1]) = (-gain, -0.5);
            let mut draft = Draft::new(c);
            draft.curve(curvature);
            draft.chain(r, length);
            draft.row(&[(length, 1.0)], 0.0, [-1.0, 1.0]);
            draft.row(&[(n - 1, 1.0)], 0.0, [-1.0, 2.0]);
            draft.pair(&[(0, 1.0)], 0.0, &[(n - 1, 1.0)], 0.0);
            all.push((format!("chain {r}^{length}, gain {gain}, curvature {curvature}"), draft.plain()));
        }
    }
    all
}

/// x_{i+1} = r x_i and x_last ≥ 0.01 leave x_0 ≥ 0.01/r^k, so that of 0 ≤ x_0 ⟂ y ≥ 0 y vanishes, which costs 1: what x_0 may miss 0 by is worth
/// all of that, or nothing. With y ≥ 1 no mode has a point. An idle row makes the typical size of rows larger.
fn steps() -> Vec<(String, QpccBuf)> {
    let mut all = Vec::new();
    for (r, length) in [(10.0, 3), (100.0, 2), (100.0, 3), (1000.0, 3), (1e5, 1), (1e5, 2)] {
        for (least, idle) in [(-1.0, false), (-1.0, true), (1.0, true)] {
            let n = length + 2;
            let mut c = vec![0.0; n];
            c[n - 1] = -1.0;
            let mut draft = Draft::new(c);
            draft.chain(r, length);
            draft.row(&[(length, 1.0)], 0.0, [0.01, 2.0]);
            draft.row(&[(n - 1, 1.0)], 0.0, [least, 2.0]);
            if idle {
                draft.row(&[(0, 1.0), (n - 1, 1.0)], 0.0, [-3.0, 2.5]);
            }
            draft.pair(&[(0, 1.0)], 0.0, &[(n - 1, 1.0)], 0.0);
            all.push((format!("step {r}^{length}, at least {least}, idle {idle}"), draft.plain()));
        }
    }
    all
}

/// Rows of pairs that differ by a tilt.
fn tilted(numbers: &mut Numbers) -> Vec<(String, QpccBuf)> {
    let mut all = Vec::new();
    for tilt in (2..=30).step_by(4).map(|e| 2_f64.powi(-e)) {
        for k in 0..4 {
            let mut draft = Draft::new((0..2).map(|_| whole(numbers, 3)).collect());
            draft.curve([0.0, 1.0][k % 2]);
            let g = whole(numbers, 1);
            draft.pair(&[(0, 1.0), (1, 1.0)], 0.0, &[(0, 1.0), (1, 1.0 + tilt)], g * tilt);
            (0..2).for_each(|j| {
                draft.row(&[(j, 1.0)], 0.0, [-2.0, 4.0]);
            });
            if k > 1 {
                draft.pair(&[(0, 1.0)], 0.0, &[(1, -1.0)], 1.0);
            }
            all.push((format!("tilt {tilt:.0e}, {k}"), draft.plain()));
        }
    }
    all
}

fn whole(numbers: &mut Numbers, largest: usize) -> f64 {
    numbers.below(2 * largest + 1) as f64 - largest as f64
}

/// Small integers, with boxes; `far` is a box that nobody comes near, units are powers of two up to 2^±span.
fn integers(numbers: &mut Numbers, count: usize, span: usize, far: f64) -> Vec<(String, QpccBuf)> {
    let one = |k: usize| {
        let (n, pairs) = (2 + k % 2, 1 + k / 2 % 2);
        let mut draft = Draft::new((0..n).map(|_| whole(numbers, 3)).collect());
        if !k.is_multiple_of(3) {
            let b: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| whole(numbers, 2)).collect()).collect();
            for i in 0..n {
                (0..n).for_each(|j| draft.p[i][j] = b.iter().map(|row| row[i] * row[j]).sum());
            }
        }
        for _ in 0..pairs {
            let mut side = || (0..n).map(|j| (j, whole(numbers, 2))).collect::<Vec<_>>();
            let (first, second) = (side(), side());
            draft.pair(&first, whole(numbers, 2), &second, whole(numbers, 2));
        }
        (0..n).for_each(|j| {
            draft.row(&[(j, 1.0)], 0.0, [-3.0, 3.0]);
        });
        if far > 0.0 {
            draft.row(&[(0, 1.0), (1, 1.0)], 0.0, [-far, INF]);
        }
        let mut unit = || 2_f64.powi(numbers.below(2 * span + 1) as i32 - span as i32);
        let (d, e): (Vec<f64>, Vec<f64>) =
            ((0..n).map(|_| unit()).collect(), draft.rows.iter().map(|_| unit()).collect());
        (format!("integers {k}, units 2^±{span}, box {far:e}"), draft.build(&d, &e, unit()))
    };
    (0..count).map(one).collect()
}

fn all() -> Vec<(String, QpccBuf)> {
    let mut numbers = Numbers(181);
    let mut all = chains();
    all.extend(steps());
    all.extend(tilted(&mut numbers));
    for (count, span, far) in
        [(60, 0, 0.0), (20, 0, 1e6), (20, 0, 1e9), (20, 0, 1e12), (24, 10, 0.0), (24, 20, 0.0)]
    {
        all.extend(integers(&mut numbers, count, span, far));
    }
    all
}

/// What is wrong with an answer, whose least objective is `best` (nothing: no mode has a point); else whether it is one.
fn told(program: &QpccBuf, best: Option<f64>, answer: &Answer) -> Result<bool, String> {
    let p = program.view();
    let (objective, limit) =
        (p.qp.objective(&answer.z), 2.0 * super::TOLERANCE * p.objective_size(&answer.z));
    match (best, answer.status) {
        (_, Status::Unbounded) => Err("falls for ever".into()),
        (None, Status::Converged) => Err("solved, and no mode has a point".into()),
        (None, status) => Ok(status == Status::Infeasible),
        (Some(best), Status::Infeasible) => Err(format!("no mode has a point, and one costs {best}")),
        (Some(best), _) if answer.bound > best + limit => {
            Err(format!("the bound {} is above {best}", answer.bound))
        }
        (Some(best), Status::Converged) if (objective - best).abs() > limit => {
            Err(format!("{objective} told as the least, {best} is"))
        }
        (_, status) => Ok(status == Status::Converged),
    }
}

/// What is wrong with what a solver says of programs, and those it refuses.
fn wrong_and_refused(
    programs: &[(String, QpccBuf)],
    entry: &mut Entry,
    class: fn(&QpccBuf) -> Problem<'_>,
) -> (Vec<String>, Vec<String>) {
    let (mut wrong, mut refused) = (Vec::new(), Vec::new());
    for (name, program) in programs {
        program.view().check().unwrap_or_else(|m| panic!("{name}: {m}"));
        let best = Exact::of(&program.view()).optimum().map(|best| best.to_f64().unwrap());
        let (mut bridges, mut answer) = (Bridges::default().faithful(), Answer::default());
        let problem = class(program);
        bridges.solve(&problem, entry.takes, entry.solver.as_mut(), &mut answer).unwrap();
        answer.audit_in_units(&problem);
        match told(program, best, &answer) {
            Ok(true) => {}
            Ok(false) => refused.push(name.clone()),
            Err(why) => wrong.push(format!("{} of {name}: {why}", entry.id)),
        }
    }
    (wrong, refused)
}

#[test]
fn the_least_objective_of_all_modes_is_what_is_told() {
    let (mut entries, programs) = (entries(), all());
    assert!(programs.len() >= 200);
    let entry = entries.iter_mut().find(|e| e.id.contains("branch-and-bound")).unwrap();
    let (wrong, refused) = wrong_and_refused(&programs, entry, |p| Problem::Qpcc(p.view()));
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(refused.is_empty(), "{} are refused:\n{}", refused.len(), refused.join("\n"));
}

#[test]
fn the_least_objective_of_a_program_without_pairs_is_what_is_told() {
    let (mut entries, mut programs) = (entries(), all());
    programs.iter_mut().for_each(|(_, p)| (p.pairs, p.group) = (Vec::new(), Vec::new()));
    for id in ["active-set", "clarabel"] {
        let entry = entries.iter_mut().find(|e| e.id.contains(id)).unwrap();
        let (wrong, refused) = wrong_and_refused(&programs, entry, |p| Problem::Conic(p.qp.view()));
        assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
        assert!(refused.is_empty(), "{id} refuses {}:\n{}", refused.len(), refused.join("\n"));
    }
}
