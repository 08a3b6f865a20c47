//! Checking proofs about convex programs: that there is no solution, or no lowest value, and trees of such proofs for
//! problems with complementarity pairs.

use super::certificate::checked;
use super::ray::{Conditions, ExactSum, Sense, Vector, depth};
use super::{Conic, FarkasCheck, Qpcc};

/// Checks y against the rows of a [`Conic`] problem. With Gᵀ y = 0, y_i ≥ 0 where there is no upper bound, y_i ≤ 0 where
/// there is no lower one, y_k ∈ SOC, every lawful s has yᵀ g = yᵀ s ≥ Σ (y_i > 0 ? y_i l_i : y_i u_i): a smaller yᵀ g is a
/// proof that there is none.
///
/// [`FarkasCheck::value`] is yᵀ g minus that sum, over its terms; its `violation` is the worst entry
/// of Gᵀ y, or distance from a cone, relative to its terms; its `reach` speaks of |x|. A vector that is right to a solver's accuracy is refined first.
pub fn check_conic_infeasible(p: &Conic<'_>, y: &[f64]) -> FarkasCheck {
    check_with(p, y, &[])
}

/// [`check_conic_infeasible`] for the problem in which the rows `zero` (ascending) are equations s_i = 0.
fn check_with(p: &Conic<'_>, y: &[f64], zero: &[usize]) -> FarkasCheck {
    if y.len() != p.m() || y.iter().any(|y| !y.is_finite()) || y.iter().all(|y| *y == 0.0) {
        return FarkasCheck::NOTHING;
    }
    let sense = senses_of_rows(p, zero);
    let balance = balance(p);
    let lawful: Vec<f64> = y.iter().zip(&sense).map(|(y, (sense, _))| y - sense.wrong(*y)).collect();
    checked(&lawful, &balance, |y| measure_infeasible(p, &balance, &sense, y))
}

/// Gᵀ y = 0, and y in the cones.
fn balance(p: &Conic<'_>) -> Conditions {
    let mut balance = Conditions { sense: vec![Sense::Zero; p.n()], ..Conditions::default() };
    balance.k.transpose_of(&p.rows, &mut Vec::new());
    balance.cone_rows.clear(p.m());
    for cone in p.cones() {
        for i in cone {
            balance.cone_rows.push(i, 1.0);
            balance.cone_rows.end_row();
        }
        balance.cone_ends.push(balance.cone_rows.view().n_rows());
    }
    balance
}

/// Sense of y per row, and whether the row's bounds count: any y, and none, in a cone and where a case makes the row 0.
fn senses_of_rows(p: &Conic<'_>, zero: &[usize]) -> Vec<(Sense, bool)> {
    let of = |i: usize| (Sense::recession(p.lower[i], p.upper[i]).dual(), true);
    let mut sense: Vec<_> = (0..p.m()).map(of).collect();
    p.cones().for_each(|cone| sense[cone].fill((Sense::Free, false)));
    zero.iter().for_each(|&i| sense[i] = (Sense::Free, false));
    sense
}

fn measure_infeasible(
    p: &Conic<'_>,
    balance: &Conditions,
    sense: &[(Sense, bool)],
    y: &Vector,
) -> FarkasCheck {
    let (mut sum, mut value) = (ExactSum::default(), vec![0.0; p.m()]);
    for (i, &y) in y.entries.iter().enumerate() {
        sum.add_twice(p.g[i], y);
        let bound = if y.0 > 0.0 { p.lower[i] } else { p.upper[i] };
        value[i] = p.g[i];
        if bound.is_finite() && sense[i].1 {
            sum.add_twice(-bound, y);
            value[i] -= bound;
        }
    }
    let mut left = balance.left(y, &value);
    for cone in p.cones() {
        // There yᵀ s ≥ −(|y_r| − y_0) s_0.
        let part: Vec<_> = y.entries[cone.clone()].iter().map(|y| (*y, y.0.abs())).collect();
        let outside = -depth(&part).0;
        if outside > 0.0 {
            sum.add(outside, p.g[cone.start].abs());
            left.sum += outside * p.rows.entries(cone.start).map(|(_, g)| g.abs()).sum::<f64>();
        }
    }
    FarkasCheck::of(&sum, left)
}

/// Checks a direction d along which a [`Conic`] problem falls for ever: P d = 0, cᵀ d < 0, and G d in the recession cone of
/// the rows (≥ 0 where there is a lower bound, ≤ 0 where there is an upper one, in the cone for cones).
///
/// [`FarkasCheck::value`] is cᵀ d over its terms, `violation` the worst of the others relative to their terms; its `reach`
/// speaks of |x| and the multipliers of a minimum. A direction that is right to a solver's accuracy is refined first.
pub fn check_conic_unbounded(p: &Conic<'_>, d: &[f64]) -> FarkasCheck {
    if d.len() != p.n() || d.iter().any(|d| !d.is_finite()) || d.iter().all(|d| *d == 0.0) {
        return FarkasCheck::NOTHING;
    }
    let conditions = recession(p);
    checked(d, &conditions, |d| {
        let mut sum = ExactSum::default();
        p.c.iter().zip(&d.entries).for_each(|(c, d)| sum.add_twice(*c, *d));
        FarkasCheck::of(&sum, conditions.left(d, p.c))
    })
}

/// Senses that P d and G d must have, and the cones of G d.
fn recession(p: &Conic<'_>) -> Conditions {
    let mut conditions = Conditions::default();
    let Conditions { k, sense, cone_rows, cone_ends } = &mut conditions;
    k.clear(p.n());
    cone_rows.clear(p.n());
    for i in 0..p.n() {
        p.p.entries(i).for_each(|(j, a)| k.push(j, a));
        k.end_row();
        sense.push(Sense::Zero);
    }
    for i in 0..p.m() {
        p.rows.entries(i).for_each(|(j, a)| k.push(j, a));
        k.end_row();
        sense.push(Sense::recession(p.lower[i], p.upper[i]));
    }
    for cone in p.cones() {
        for i in cone {
            p.rows.entries(i).for_each(|(j, a)| cone_rows.push(j, a));
            cone_rows.end_row();
        }
        cone_ends.push(cone_rows.view().n_rows());
    }
    conditions
}

/// Most pairs a leaf of a tree proof may fix.
const DEEPEST: usize = 120;

/// Looks at leaves after which the search for a mode without a leaf is given up (as not covered); trees take leaves × depth.
const MOST_LOOKS: usize = 50_000_000;

/// Returns true if a list of leaves proves that a [`Qpcc`] has no lawful point: see [`reach_of_cases`].
pub fn proves_no_mode(p: &Qpcc<'_>, leaves: &[f64]) -> bool {
    reach_of_cases(p, leaves).is_some()
}

/// How far a list of leaves proves that a [`Qpcc`] has no lawful point: ∞ where it does so exactly, else the least
/// [`FarkasCheck::rounding_reach`] of its leaves; None where it proves nothing. A leaf is [k, (pair, side) × k, y (m)]: with the
/// given sides (1: s_i = 0, 2: s_j = 0) as equations and all other pairs as mere inequalities, y is a proof that the rows
/// have no solution. Together the leaves cover all modes. Leaves of a tree with the pairs in the order of their path take
/// leaves × depth looks; any other order or cover is followed as long as that is not many times as many.
pub fn reach_of_cases(p: &Qpcc<'_>, leaves: &[f64]) -> Option<f64> {
    let leaves = read_leaves(p, leaves)?;
    let all: Vec<usize> = (0..leaves.len()).collect();
    let mut cover = Cover { leaves: &leaves, decided: vec![0; p.n_pairs()], looks: MOST_LOOKS };
    if !cover.is_full(&all, 0, true) {
        return None;
    }
    leaves.iter().try_fold(f64::INFINITY, |least, (fixed, y)| {
        let check = leaf_check(p, fixed, y);
        let reach = check.rounding_reach().unwrap_or(f64::INFINITY);
        check.proves().then_some(reach.min(least))
    })
}

/// Looks for a mode that no leaf covers.
struct Cover<'a> {
    leaves: &'a [Leaf<'a>],
    /// Side per pair on the way down, 0 for open ones.
    decided: Vec<u8>,
    looks: usize,
}

impl Cover<'_> {
    /// Returns true if every mode with the decided sides is covered by one of `group`, the leaves that agree with them. `in_order`: the
    /// decided pairs are the first `depth` of every leaf.
    fn is_full(&mut self, group: &[usize], depth: usize, in_order: bool) -> bool {
        let cost = if in_order { group.len() } else { group.iter().map(|&l| 1 + self.fixed(l).len()).sum() };
        if group.is_empty() || cost > self.looks || depth > 4 * DEEPEST {
            return false;
        }
        self.looks -= cost;
        let done = |l: &usize| match in_order {
            true => self.fixed(*l).len() == depth,
            false => self.fixed(*l).iter().all(|f| self.decided[f.0] != 0),
        };
        if group.iter().any(done) {
            return true;
        }
        let next = self.fixed(group[0]).get(depth).map_or(0, |f| f.0);
        if in_order && group.iter().all(|&l| self.fixed(l)[depth].0 == next) {
            return [1, 2].into_iter().all(|side| {
                let part: Vec<usize> =
                    group.iter().copied().filter(|&l| self.fixed(l)[depth].1 == side).collect();
                self.descend(next, side, &part, depth, true)
            });
        }
        let pair = self.most_fixed(group);
        [1, 2].into_iter().all(|side| {
            let agrees = |l: &usize| self.fixed(*l).iter().all(|f| f.0 != pair || f.1 == side);
            let part: Vec<usize> = group.iter().copied().filter(agrees).collect();
            self.descend(pair, side, &part, depth, false)
        })
    }

    fn descend(&mut self, pair: usize, side: u8, group: &[usize], depth: usize, in_order: bool) -> bool {
        self.decided[pair] = side;
        let full = self.is_full(group, depth + 1, in_order);
        self.decided[pair] = 0;
        full
    }

    fn fixed(&self, leaf: usize) -> &[(usize, u8)] {
        &self.leaves[leaf].0
    }

    /// The open pair that most leaves of a group fix: one that all fix, if there is any.
    fn most_fixed(&self, group: &[usize]) -> usize {
        let mut pairs: Vec<usize> = group
            .iter()
            .flat_map(|&l| self.fixed(l))
            .map(|f| f.0)
            .filter(|&k| self.decided[k] == 0)
            .collect();
        pairs.sort_unstable();
        let most = pairs.chunk_by(|a, b| a == b).max_by_key(|same| same.len());
        most.map_or(0, |same| same[0])
    }
}

type Leaf<'a> = (Vec<(usize, u8)>, &'a [f64]);

fn read_leaves<'a>(p: &Qpcc<'_>, mut rest: &'a [f64]) -> Option<Vec<Leaf<'a>>> {
    let mut leaves = Vec::new();
    let mut last = vec![usize::MAX; p.n_pairs()];
    while let Some((&count, tail)) = rest.split_first() {
        let k = count as usize;
        if k > DEEPEST || k as f64 != count || tail.len() < 2 * k + p.qp.m() {
            return None;
        }
        let (fixed, tail) = tail.split_at(2 * k);
        let (y, tail) = tail.split_at(p.qp.m());
        let fixed: Vec<(usize, u8)> = fixed.chunks_exact(2).map(|f| (f[0] as usize, f[1] as u8)).collect();
        for &(pair, side) in &fixed {
            // Each pair once in a leaf.
            let before = std::mem::replace(last.get_mut(pair)?, leaves.len());
            if before == leaves.len() || !(1..=2).contains(&side) {
                return None;
            }
        }
        leaves.push((fixed, y));
        rest = tail;
    }
    Some(leaves)
}

fn leaf_check(p: &Qpcc<'_>, fixed: &[(usize, u8)], y: &[f64]) -> FarkasCheck {
    let zero: Vec<usize> =
        fixed.iter().map(|&(k, side)| if side == 1 { p.pair(k).0 } else { p.pair(k).1 }).collect();
    check_with(&p.qp, y, &zero)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{ConicBuf, NO_GROUP, QpccBuf};
    use crate::sparse::CsrBuf;

    fn rows(g: &[&[f64]], constant: &[f64], lower: &[f64], upper: &[f64], c: &[f64]) -> ConicBuf {
        let dense = nalgebra::DMatrix::from_fn(g.len(), c.len(), |i, j| g[i][j]);
        let mut none = CsrBuf::default();
        none.clear(c.len());
        c.iter().for_each(|_| none.end_row());
        let bounds = (lower.to_vec(), upper.to_vec());
        ConicBuf::from_parts(none, c.to_vec(), CsrBuf::from_dense(&dense), constant.to_vec(), bounds)
    }

    const INF: f64 = f64::INFINITY;

    #[test]
    fn opposite_walls_have_no_room_between() {
        // x ≥ 2 and −x ≥ −1.
        let p = rows(&[&[1.0], &[-1.0]], &[0.0; 2], &[2.0, -1.0], &[INF; 2], &[0.0]);
        assert!(check_conic_infeasible(&p.view(), &[1.0, 1.0]).proves());
        assert!(!check_conic_infeasible(&p.view(), &[1.0, 0.5]).proves());
        assert!(!check_conic_infeasible(&p.view(), &[-1.0, -1.0]).proves());
        let open = rows(&[&[1.0], &[-1.0]], &[0.0; 2], &[1.0, -2.0], &[INF; 2], &[0.0]);
        assert!(!check_conic_infeasible(&open.view(), &[1.0, 1.0]).proves());
    }

    #[test]
    fn a_cone_and_a_ceiling_below_it() {
        // (1, x) ∈ SOC and x ≥ 2: y = (y_0, y_1, y_2) with y_1 + y_2 = 0 and y_0 ≥ |y_1|.
        let mut p = rows(&[&[0.0], &[1.0], &[1.0]], &[1.0, 0.0, 0.0], &[-INF, -INF, 2.0], &[INF; 3], &[0.0]);
        p.cones = vec![0, 2];
        assert!(check_conic_infeasible(&p.view(), &[1.0, -1.0, 1.0]).proves());
        assert!(!check_conic_infeasible(&p.view(), &[0.5, -1.0, 1.0]).proves());
    }

    #[test]
    fn a_body_that_nothing_holds_falls() {
        // Gravity along −x, a floor under the other coordinate only.
        let p = rows(&[&[0.0, 1.0]], &[0.0], &[0.0], &[INF], &[1.0, 0.0]);
        assert!(check_conic_unbounded(&p.view(), &[-1.0, 0.0]).proves());
        assert!(!check_conic_unbounded(&p.view(), &[1.0, 0.0]).proves());
        assert!(!check_conic_unbounded(&p.view(), &[-1.0, -1.0]).proves());
        assert!(!check_conic_unbounded(&p.view(), &[0.0, 0.0]).proves());
    }

    /// 0 ≤ x ⟂ x − 1 ≥ 0 … with x ≤ ½: infeasible in both modes, for different reasons.
    #[test]
    fn a_tree_of_proofs_covers_both_modes() {
        let qp =
            rows(&[&[1.0], &[1.0], &[1.0]], &[0.0, -1.0, 0.0], &[0.0, 0.0, -INF], &[INF, INF, 0.5], &[0.0]);
        let mut problem = QpccBuf { qp, ..QpccBuf::default() };
        problem.push_pair(0, 1, NO_GROUP);
        let p = problem.view();
        p.check().unwrap();
        // x = 0: then x − 1 ≥ 0 fails: y = (−1, 1, 0). x = 1: beyond ½: y = (0, 1, −1).
        let first = [1.0, 0.0, 1.0, -1.0, 1.0, 0.0];
        let second = [1.0, 0.0, 2.0, 0.0, 1.0, -1.0];
        assert!(proves_no_mode(&p, &[first, second].concat()));
        // The second needs no case at all.
        assert!(proves_no_mode(&p, &[0.0, 0.0, 1.0, -1.0]));
        assert!(!proves_no_mode(&p, &first), "half of the cases");
        assert!(!proves_no_mode(&p, &[first, first].concat()), "the same half twice");
        assert!(!proves_no_mode(&p, &[]));
        assert!(!proves_no_mode(&p, &[1.0, 0.0, 3.0, 0.0, 1.0, -1.0]), "no such side");
        assert!(!proves_no_mode(&p, &[1.0, 0.0]), "cut short");
        assert!(!proves_no_mode(&p, &[0.0, -1.0, 1.0, 0.0]), "a sign that only the first mode allows");
    }

    /// Pairs of the rows 0 ≤ x ⟂ x ≥ 0 with x = 1 besides: empty in every mode, by the row that is zero or by any other.
    fn hopeless(pairs: usize) -> QpccBuf {
        let g: Vec<&[f64]> = vec![&[1.0]; 2 * pairs + 1];
        let m = g.len();
        let (mut lower, mut upper) = (vec![0.0; m], vec![INF; m]);
        (lower[m - 1], upper[m - 1]) = (1.0, 1.0);
        let mut problem =
            QpccBuf { qp: rows(&g, &vec![0.0; m], &lower, &upper, &[0.0]), ..QpccBuf::default() };
        (0..pairs).for_each(|k| problem.push_pair(2 * k, 2 * k + 1, NO_GROUP));
        problem
    }

    /// The leaf of some sides: the last of its rows is zero, the equation says 1.
    fn leaf(pairs: usize, fixed: &[(usize, u8)]) -> Vec<f64> {
        let mut leaf = vec![fixed.len() as f64];
        fixed.iter().for_each(|&(k, side)| leaf.extend([k as f64, f64::from(side)]));
        let mut y = vec![0.0; 2 * pairs + 1];
        let &(k, side) = fixed.last().unwrap();
        (y[2 * k + usize::from(side) - 1], y[2 * pairs]) = (-1.0, 1.0);
        leaf.extend(y);
        leaf
    }

    #[test]
    fn covers_of_all_kinds_and_with_holes() {
        let problem = hopeless(3);
        let p = problem.view();
        let list = |leaves: &[&[(usize, u8)]]| -> Vec<f64> {
            leaves.iter().flat_map(|fixed| leaf(3, fixed)).collect()
        };
        assert!(proves_no_mode(&p, &list(&[&[(0, 1)], &[(0, 2)]])));
        // A tree whose paths are not in order, and one with leaves that overlap.
        assert!(proves_no_mode(&p, &list(&[&[(0, 1)], &[(1, 1), (0, 2)], &[(0, 2), (1, 2)]])));
        assert!(proves_no_mode(&p, &list(&[&[(0, 1)], &[(1, 2)], &[(1, 1), (0, 2)]])));
        // A partition that is no tree: each pair is free in some leaf.
        let ring: [&[(usize, u8)]; 5] = [
            &[(0, 1), (1, 2)],
            &[(1, 1), (2, 2)],
            &[(2, 1), (0, 2)],
            &[(0, 1), (1, 1), (2, 1)],
            &[(0, 2), (1, 2), (2, 2)],
        ];
        assert!(proves_no_mode(&p, &list(&ring)));
        for hole in 0..5 {
            let rest: Vec<_> = (0..5).filter(|&k| k != hole).map(|k| ring[k]).collect();
            assert!(!proves_no_mode(&p, &list(&rest)), "without leaf {hole}");
        }
        assert!(!proves_no_mode(&p, &list(&[&[(0, 1), (0, 1)], &[(0, 2)]])), "a pair twice");
    }

    /// x_0 ≥ 1, x_0 − x_1 ≥ 0, x_1 − x_0 ≥ 0 with the solution (1, 1). A liar's two last rows, 1e16 each, made the 1 that is left of the
    /// first column look like rounding of its terms.
    #[test]
    fn terms_that_cancel_prove_nothing() {
        let rows = [(0, 0, 1.0), (1, 0, 1.0), (1, 1, -1.0), (2, 0, -1.0), (2, 1, 1.0)];
        let eye = CsrBuf::from_triplets(2, 2, &[(0, 0, 1.0), (1, 1, 1.0)]);
        let bounds = (vec![1.0, 0.0, 0.0], vec![f64::INFINITY; 3]);
        let p =
            ConicBuf::from_parts(eye, vec![0.0; 2], CsrBuf::from_triplets(3, 2, &rows), vec![0.0; 3], bounds);
        for size in [1e3, 1e8, 1e16, 1e200] {
            let check = check_conic_infeasible(&p.view(), &[1.0, size, size]);
            assert!(!check.proves() && check.reach <= 1.0, "{size:e} {check:?}");
            // The rest in a column that no bound touches.
            let check = check_conic_infeasible(&p.view(), &[1.0, size, size * (1.0 + f64::EPSILON)]);
            assert!(!check.proves(), "{size:e} {check:?}");
        }
    }

    /// 2^12 leaves of a full tree, and the same with one leaf missing or its last side turned.
    #[test]
    fn many_leaves() {
        let pairs = 12;
        let problem = hopeless(pairs);
        let fixed = |mode: usize| -> Vec<(usize, u8)> {
            (0..pairs).map(|k| (k, 1 + (mode >> k & 1) as u8)).collect()
        };
        let all: Vec<Vec<f64>> = (0..1 << pairs).map(|mode| leaf(pairs, &fixed(mode))).collect();
        assert!(proves_no_mode(&problem.view(), &all.concat()));
        assert!(!proves_no_mode(&problem.view(), &all[1..].concat()));
        let mut turned = all;
        turned[1000] = turned[1001].clone();
        assert!(!proves_no_mode(&problem.view(), &turned.concat()));
    }
}
