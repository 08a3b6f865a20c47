//! Programs with pairs and the least objective of all their modes, in exact rational arithmetic: every mode, every set of active rows.
//!
//! Rows that multiply a hair by 1e8, rows that are all but parallel, ties, boxes of 1e9 that nobody comes near, units far apart. What is
//! called solved has the least objective, and no bound is above it.

use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use vinci_core::CsrBuf;
use vinci_core::problem::{ConicBuf, NO_GROUP, Qpcc, QpccBuf, Status};
use vinci_engine::pipeline::{Answer, Bridges, Stored};
use vinci_test_problems::{INF, Numbers};

use super::super::classes::entries;
use super::exact::{Q, exact};

/// A program without a fixed row: constraints are rows with a side.
struct Exact {
    p: Vec<Vec<Q>>,
    c: Vec<Q>,
    rows: Vec<Vec<Q>>,
    /// s_i − g_i lies between these.
    bounds: Vec<[Option<Q>; 2]>,
    pairs: Vec<[usize; 2]>,
}

impl Exact {
    fn of(q: &Qpcc<'_>) -> Self {
        let (n, qp) = (q.qp.n(), &q.qp);
        let dense = |entries: &mut dyn Iterator<Item = (usize, f64)>| {
            let mut row = vec![Q::zero(); n];
            entries.for_each(|(j, v)| row[j] += exact(v));
            row
        };
        let bound = |b: f64, g: f64| b.is_finite().then(|| exact(b) - exact(g));
        Self {
            p: (0..n).map(|i| dense(&mut qp.p.entries(i))).collect(),
            c: qp.c.iter().map(|c| exact(*c)).collect(),
            rows: (0..qp.m()).map(|i| dense(&mut qp.rows.entries(i))).collect(),
            bounds: (0..qp.m()).map(|i| [qp.lower[i], qp.upper[i]].map(|b| bound(b, qp.g[i]))).collect(),
            pairs: (0..q.n_pairs()).map(|k| [q.pair(k).0, q.pair(k).1]).collect(),
        }
    }

    /// The least objective; nothing where no mode has a point. Every program here has a lowest value.
    fn optimum(&self) -> Option<Q> {
        let modes = 0..1_usize << self.pairs.len();
        modes.filter_map(|mode| self.optimum_of(mode)).min()
    }

    /// The least objective of one mode. A convex program has an optimum whose rows, those with multipliers and some more that are
    /// active, are independent and leave the objective curved: one of the sets whose conditions have one solution.
    fn optimum_of(&self, mode: usize) -> Option<Q> {
        let zero = self.pairs.iter().enumerate().map(|(k, pair)| pair[mode >> k & 1]);
        let fixed: Vec<usize> = zero.chain((0..self.rows.len()).filter(|&i| self.is_fixed(i))).collect();
        let sides = (0..self.rows.len()).filter(|i| !fixed.contains(i)).flat_map(|i| [(i, 0), (i, 1)]);
        let sides: Vec<(usize, usize)> = sides.filter(|&(i, side)| self.bounds[i][side].is_some()).collect();
        let sets = (0..1_usize << sides.len()).filter(|set| set.count_ones() as usize <= self.c.len());
        sets.filter_map(|set| {
            let chosen = (0..sides.len()).filter(|k| set >> k & 1 == 1).map(|k| sides[k]);
            self.at(&fixed, &chosen.collect::<Vec<_>>())
        })
        .next()
    }

    fn is_fixed(&self, i: usize) -> bool {
        self.bounds[i][0].is_some() && self.bounds[i][0] == self.bounds[i][1]
    }

    /// Objective of the point with these rows active, if it is lawful and the best of its mode. Fixed rows that depend on others leave
    /// their conditions without one solution, so only an independent part of them is taken.
    fn at(&self, fixed: &[usize], active: &[(usize, usize)]) -> Option<Q> {
        let n = self.c.len();
        let mut set: Vec<(usize, Option<usize>)> = Vec::new();
        for &i in fixed {
            set.push((i, None));
            if rank(set.iter().map(|r| self.rows[r.0].clone()).collect()) < set.len() {
                set.pop();
            }
        }
        set.extend(active.iter().map(|&(i, side)| (i, Some(side))));
        let size = n + set.len();
        let mut rows = vec![vec![Q::zero(); size + 1]; size];
        for i in 0..n {
            rows[i][..n].clone_from_slice(&self.p[i]);
            rows[i][size] = self.c[i].clone();
        }
        for (k, &(i, side)) in set.iter().enumerate() {
            for j in 0..n {
                rows[n + k][j] = self.rows[i][j].clone();
                rows[j][n + k] = -self.rows[i][j].clone();
            }
            let bound = self.bounds[i][side.unwrap_or(0)].clone()?;
            rows[n + k][size] = -bound;
        }
        let found = super::exact::meet(rows)?;
        let (x, y) = found.split_at(n);
        let right_sign = |(y, row): (&Q, &(usize, Option<usize>))| match row.1 {
            Some(0) => !y.is_negative(),
            Some(_) => !y.is_positive(),
            None => true,
        };
        (y.iter().zip(&set).all(right_sign) && self.is_lawful(fixed, x)).then(|| self.objective(x))
    }

    fn is_lawful(&self, fixed: &[usize], x: &[Q]) -> bool {
        (0..self.rows.len()).all(|i| {
            let s = dot(&self.rows[i], x);
            let [lower, upper] = &self.bounds[i];
            let held = !fixed.contains(&i) || lower.as_ref() == Some(&s);
            held && lower.as_ref().is_none_or(|b| s >= *b) && upper.as_ref().is_none_or(|b| s <= *b)
        })
    }

    fn objective(&self, x: &[Q]) -> Q {
        let curved: Q = self.p.iter().zip(x).map(|(row, x_i)| dot(row, x) * x_i).sum();
        curved / exact(2.0) + dot(&self.c, x)
    }
}

fn dot(a: &[Q], b: &[Q]) -> Q {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Rank of these rows.
fn rank(mut rows: Vec<Vec<Q>>) -> usize {
    let mut rank = 0;
    for c in 0..rows.first().map_or(0, Vec::len) {
        let Some(pivot) = (rank..rows.len()).find(|&r| !rows[r][c].is_zero()) else { continue };
        rows.swap(rank, pivot);
        for r in rank + 1..rows.len() {
            let factor = &rows[r][c] / &rows[rank][c];
            for j in c..rows[r].len() {
                let part: BigRational = &factor * &rows[rank][j];
                rows[r][j] -= part;
            }
        }
        rank += 1;
    }
    rank
}

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
            (0..length).for_each(|i| {
                draft.row(&[(i, -r), (i + 1, 1.0)], 0.0, [0.0; 2]);
            });
            draft.row(&[(length, 1.0)], 0.0, [-1.0, 1.0]);
            draft.row(&[(n - 1, 1.0)], 0.0, [-1.0, 2.0]);
            draft.pair(&[(0, 1.0)], 0.0, &[(n - 1, 1.0)], 0.0);
            all.push((format!("chain {r}^{length}, gain {gain}, curvature {curvature}"), draft.plain()));
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
    all.extend(tilted(&mut numbers));
    for (count, span, far) in
        [(60, 0, 0.0), (20, 0, 1e6), (20, 0, 1e9), (20, 0, 1e12), (24, 10, 0.0), (24, 20, 0.0)]
    {
        all.extend(integers(&mut numbers, count, span, far));
    }
    all
}

#[test]
fn the_least_objective_of_all_modes_is_what_is_told() {
    let mut entries = entries();
    let entry = entries.iter_mut().find(|e| e.id.contains("branch-and-bound")).unwrap();
    let (mut wrong, mut refused, mut asked) = (Vec::new(), Vec::new(), 0);
    for (name, program) in all() {
        let stored = Stored::Qpcc(program);
        let problem = stored.view(super::TOLERANCE);
        let Stored::Qpcc(program) = &stored else { unreachable!() };
        program.view().check().unwrap_or_else(|m| panic!("{name}: {m}"));
        let truth = Exact::of(&program.view()).optimum();
        let (mut bridges, mut answer) = (Bridges::default().faithful(), Answer::default());
        bridges.solve(&problem, entry.takes, entry.solver.as_mut(), &mut answer).unwrap();
        answer.audit_in_units(&problem);
        asked += 1;
        let objective = program.view().qp.objective(&answer.z);
        let size = program.view().objective_size(&answer.z);
        let told = (answer.status, answer.bound);
        match (&truth, answer.status) {
            (Some(_), Status::Infeasible | Status::Unbounded) => {
                wrong.push(format!("{name}: {told:?} {truth:?}"))
            }
            (None, Status::Converged | Status::Unbounded) => {
                wrong.push(format!("{name}: {told:?}, no mode has a point"))
            }
            (None, Status::Infeasible) => {}
            (Some(best), status) => {
                let best = best.to_f64().unwrap();
                let limit = 2.0 * super::TOLERANCE * size;
                if answer.bound > best + limit {
                    wrong.push(format!("{name}: {told:?} above {best}"));
                } else if status != Status::Converged {
                    refused.push(format!("{name}: {told:?}"));
                } else if (objective - best).abs() > limit {
                    wrong.push(format!(
                        "{name}: {objective} told, {best} is the least, {:.1e} of {size:.1e}",
                        (objective - best).abs() / size
                    ));
                }
            }
            (None, _) => refused.push(format!("{name}: {told:?}")),
        }
    }
    println!("{asked} asked, {} wrong, {} refused", wrong.len(), refused.len());
    wrong.iter().chain(&refused).for_each(|w| println!("{w}"));
    assert!(wrong.is_empty(), "{} of {asked} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(refused.is_empty(), "{} of {asked} are refused:\n{}", refused.len(), refused.join("\n"));
}
