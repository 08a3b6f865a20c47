//! Checking proofs about convex programs: that there is no solution, or no lowest value, and trees of such proofs for
//! problems with complementarity pairs.

use super::{Conic, FarkasCheck, Qpcc};

const NO_PROOF: FarkasCheck = FarkasCheck { value: f64::INFINITY, violation: f64::INFINITY };

/// Checks y against the rows of a [`Conic`] problem. With Gᵀ y = 0, y_i ≥ 0 where there is no upper bound, y_i ≤ 0 where
/// there is no lower one, y_k ∈ SOC, every lawful s has yᵀ g = yᵀ s ≥ Σ (y_i > 0 ? y_i l_i : y_i u_i): a smaller yᵀ g is a
/// proof that there is none.
///
/// [`FarkasCheck::value`] is yᵀ g minus that sum, over scale · |y|₁; its `violation` is the worst sign and the worst entry
/// of Gᵀ y relative to its largest term.
pub fn check_conic_infeasible(p: &Conic<'_>, y: &[f64]) -> FarkasCheck {
    check_with(p, y, &[])
}

/// As [`check_conic_infeasible`] for the problem in which the rows `zero` (ascending) are equations s_i = 0.
fn check_with(p: &Conic<'_>, y: &[f64], zero: &[usize]) -> FarkasCheck {
    let y_max = y.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if y.len() != p.m() || y_max == 0.0 || y.iter().any(|y| !y.is_finite()) {
        return NO_PROOF;
    }
    let (mut value, mut violation) = (0.0, 0.0_f64);
    let mut free = vec![false; p.m()];
    for cone in p.cones() {
        let rest = y[cone.start + 1..cone.end].iter().map(|y| y * y).sum::<f64>().sqrt();
        violation = violation.max((rest - y[cone.start]) / y_max);
        free[cone].fill(true);
    }
    zero.iter().for_each(|&i| free[i] = true);
    for (i, &y) in y.iter().enumerate() {
        value += y * p.g[i];
        if free[i] || y == 0.0 {
            continue;
        }
        let bound = if y > 0.0 { p.lower[i] } else { p.upper[i] };
        if bound.is_finite() { value -= y * bound } else { violation = violation.max(y.abs() / y_max) }
    }
    let (mut gty, mut size) = (vec![0.0; p.n()], vec![0.0_f64; p.n()]);
    for (i, &y) in y.iter().enumerate().filter(|(_, y)| **y != 0.0) {
        for (j, g) in p.rows.entries(i) {
            gty[j] += g * y;
            size[j] = size[j].max((g * y).abs());
        }
    }
    let balance = gty.iter().zip(&size).filter(|(_, s)| **s > 0.0).map(|(g, s)| g.abs() / s);
    let y_sum: f64 = y.iter().map(|y| y.abs()).sum();
    FarkasCheck { value: value / (p.scale() * y_sum), violation: balance.fold(violation, f64::max) }
}

/// Checks a direction d along which a [`Conic`] problem falls for ever: P d = 0, cᵀ d < 0, and G d in the recession cone of
/// the rows (≥ 0 where there is a lower bound, ≤ 0 where there is an upper one, in the cone for cones).
///
/// [`FarkasCheck::value`] is cᵀ d over |c|∞ |d|₁, `violation` the worst of the others relative to its largest term.
pub fn check_conic_unbounded(p: &Conic<'_>, d: &[f64]) -> FarkasCheck {
    if d.len() != p.n() || d.iter().any(|d| !d.is_finite()) || d.iter().all(|d| *d == 0.0) {
        return NO_PROOF;
    }
    let relative = |entries: &mut dyn Iterator<Item = (usize, f64)>| {
        let (sum, size) =
            entries.map(|(j, a)| a * d[j]).fold((0.0, 0.0_f64), |(s, m), t| (s + t, m.max(t.abs())));
        (sum, if size > 0.0 { sum / size } else { 0.0 })
    };
    let mut violation = 0.0_f64;
    for i in 0..p.n() {
        violation = violation.max(relative(&mut p.p.entries(i)).1.abs());
    }
    for i in 0..p.m() {
        let (_, r) = relative(&mut p.rows.entries(i));
        let down = if p.lower[i].is_finite() { -r } else { 0.0 };
        let up = if p.upper[i].is_finite() { r } else { 0.0 };
        violation = violation.max(down).max(up);
    }
    for cone in p.cones() {
        let s: Vec<f64> = cone.map(|i| p.rows.row_dot(i, d)).collect();
        let rest = s[1..].iter().map(|s| s * s).sum::<f64>().sqrt();
        let size = rest.max(s[0].abs());
        violation = violation.max(if size > 0.0 { (rest - s[0]) / size } else { 0.0 });
    }
    let c_max = p.c.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
    let d_sum: f64 = d.iter().map(|d| d.abs()).sum();
    let fall: f64 = p.c.iter().zip(d).map(|(c, d)| c * d).sum();
    FarkasCheck { value: if c_max > 0.0 { fall / (c_max * d_sum) } else { 0.0 }, violation }
}

/// Most pairs a leaf of a tree proof may fix.
const DEEPEST: usize = 120;

/// Whether a list of leaves proves that a [`Qpcc`] has no lawful point. A leaf is [k, (pair, side) × k, y (m)]: with the
/// given sides (1: s_i = 0, 2: s_j = 0) as equations and all other pairs as mere inequalities, y is a proof that the rows
/// have no solution. The leaves exclude one another and together are all modes: 2^−k adds up to one.
pub fn proves_no_mode(p: &Qpcc<'_>, leaves: &[f64]) -> bool {
    let Some(leaves) = read_leaves(p, leaves) else { return false };
    let total: u128 =
        leaves.iter().map(|(fixed, _)| 1_u128 << (DEEPEST - fixed.len())).fold(0, u128::saturating_add);
    let exclude = |a: &[(usize, u8)], b: &[(usize, u8)]| {
        a.iter().any(|(pair, side)| b.iter().any(|(other, turned)| pair == other && side != turned))
    };
    let apart = (0..leaves.len()).all(|i| leaves[..i].iter().all(|(fixed, _)| exclude(fixed, &leaves[i].0)));
    total == 1 << DEEPEST && apart && leaves.iter().all(|(fixed, y)| leaf_proves(p, fixed, y))
}

type Leaf<'a> = (Vec<(usize, u8)>, &'a [f64]);

fn read_leaves<'a>(p: &Qpcc<'_>, mut rest: &'a [f64]) -> Option<Vec<Leaf<'a>>> {
    let mut leaves = Vec::new();
    while let Some((&count, tail)) = rest.split_first() {
        let k = count as usize;
        if k > DEEPEST || k as f64 != count || tail.len() < 2 * k + p.qp.m() {
            return None;
        }
        let (fixed, tail) = tail.split_at(2 * k);
        let (y, tail) = tail.split_at(p.qp.m());
        let fixed: Vec<(usize, u8)> = fixed.chunks_exact(2).map(|f| (f[0] as usize, f[1] as u8)).collect();
        let twice = (0..k).any(|i| fixed[..i].iter().any(|f| f.0 == fixed[i].0));
        if twice || fixed.iter().any(|f| f.0 >= p.n_pairs() || !(1..=2).contains(&f.1)) {
            return None;
        }
        leaves.push((fixed, y));
        rest = tail;
    }
    Some(leaves)
}

fn leaf_proves(p: &Qpcc<'_>, fixed: &[(usize, u8)], y: &[f64]) -> bool {
    let zero: Vec<usize> =
        fixed.iter().map(|&(k, side)| if side == 1 { p.pair(k).0 } else { p.pair(k).1 }).collect();
    check_with(&p.qp, y, &zero).proves()
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
}
