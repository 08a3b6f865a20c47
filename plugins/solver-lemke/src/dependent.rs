//! Free rows that depend on each other and contradict each other: yᵀM = 0 on free rows with qᵀy ≠ 0.
//!
//! With quasi-static bodies (A = 0) this is a load on a direction in which nothing can push: the commonest way to have no
//! equilibrium. Elimination with full pivoting on the free rows alone finds it exactly; no path needs to be followed.

use vinci_sdk::core::problem::Mlcp;

/// Most free rows that are eliminated densely.
const MOST_ROWS: usize = 400;
/// Pivots below this part of the largest entry count as zero.
const PIVOT: f64 = 1e-11;

/// A combination y of free rows with yᵀM = 0 and qᵀy < 0, a candidate for a proof, if there is one.
pub(crate) fn contradiction(p: &Mlcp<'_>, y: &mut Vec<f64>) -> bool {
    let free: Vec<usize> = (0..p.n()).filter(|&i| p.is_free(i)).collect();
    if free.is_empty() || free.len() > MOST_ROWS {
        return false;
    }
    // [M_F | 1]: what is done to the rows is done to the identity, whose rows then are the combinations.
    let (k, n) = (free.len(), p.n());
    let stride = n + k;
    let mut a = vec![0.0; k * stride];
    for (r, &i) in free.iter().enumerate() {
        p.m.entries(i).for_each(|(j, value)| a[r * stride + j] += value);
        a[r * stride + n + r] = 1.0;
    }
    let rank = eliminate(&mut a, k, n, stride);
    let load = |r: &usize| free.iter().enumerate().map(|(s, &i)| a[r * stride + n + s] * p.q[i]).sum::<f64>();
    let strongest = (rank..k).reduce(|r, s| if load(&s).abs() > load(&r).abs() { s } else { r });
    let Some(r) = strongest.filter(|r| load(r) != 0.0) else { return false };
    let sign = -load(&r).signum();
    y.clear();
    y.resize(n, 0.0);
    free.iter().enumerate().for_each(|(s, &i)| y[i] = sign * a[r * stride + n + s]);
    crate::dense::clean(y);
    true
}

/// Row echelon form of the first n columns by row operations; the rank.
fn eliminate(a: &mut [f64], k: usize, n: usize, stride: usize) -> usize {
    let size = |a: &[f64], r: usize, j: usize| a[r * stride + j].abs();
    let largest =
        (0..k).flat_map(|r| (0..n).map(move |j| (r, j))).fold(0.0_f64, |m, (r, j)| m.max(size(a, r, j)));
    for rank in 0..k.min(n) {
        let rest = (rank..k).flat_map(|r| (0..n).map(move |j| (r, j)));
        let best = rest.fold((rank, 0), |b, c| if size(a, c.0, c.1) > size(a, b.0, b.1) { c } else { b });
        if size(a, best.0, best.1) <= PIVOT * largest {
            return rank;
        }
        (0..stride).for_each(|j| a.swap(rank * stride + j, best.0 * stride + j));
        for r in rank + 1..k {
            let factor = a[r * stride + best.1] / a[rank * stride + best.1];
            if factor != 0.0 {
                (0..stride).for_each(|j| a[r * stride + j] -= factor * a[rank * stride + j]);
                a[r * stride + best.1] = 0.0;
            }
        }
    }
    k.min(n)
}
