//! Proof weights: how much a proof by cases rests on each row.

use vinci_core::problem::Qpcc;

/// For every row of a problem the largest share |y_i| s_i / max_j |y_j| s_j over the leaves of a tree proof, s the typical
/// sizes of the rows: 1 for the row that a leaf rests on most. The tree has been checked before.
pub(super) fn proof_weights(p: &Qpcc<'_>, leaves: &[f64], weight: &mut Vec<f64>) {
    let m = p.qp.m();
    weight.clear();
    weight.resize(m, 0.0);
    let mut rest = leaves;
    while let Some((&count, tail)) = rest.split_first() {
        let at = 2 * count as usize;
        let (Some(y), Some(next)) = (tail.get(at..at + m), tail.get(at + m..)) else { return };
        let part = |(y, scale): (&f64, &f64)| (y * scale).abs();
        let largest = y.iter().zip(p.qp.s_scale).map(part).fold(0.0, f64::max);
        for (sum, of) in weight.iter_mut().zip(y.iter().zip(p.qp.s_scale)) {
            *sum = sum.max(if largest > 0.0 { part(of) / largest } else { 0.0 });
        }
        rest = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vinci_core::CsrBuf;
    use vinci_core::problem::{ConicBuf, NO_GROUP, QpccBuf};

    #[test]
    fn every_leaf_counts_with_its_own_largest_row() {
        let rows = CsrBuf::from_triplets(3, 1, &[(0, 0, 1.0), (1, 0, 1.0), (2, 0, 1.0)]);
        let none = CsrBuf::from_triplets(1, 1, &[]);
        let bounds = (vec![0.0, 0.0, f64::NEG_INFINITY], vec![f64::INFINITY, f64::INFINITY, 0.5]);
        let mut qp = ConicBuf::from_parts(none, vec![0.0], rows, vec![0.0, -1.0, 0.0], bounds);
        qp.s_scale = vec![1.0, 1.0, 0.1];
        let mut problem = QpccBuf { qp, ..QpccBuf::default() };
        problem.push_pair(0, 1, NO_GROUP);
        let mut weight = Vec::new();
        proof_weights(
            &problem.view(),
            &[1.0, 0.0, 1.0, -1.0, 0.5, 0.0, 1.0, 0.0, 2.0, 0.0, 4.0, -4.0],
            &mut weight,
        );
        assert_eq!(weight, [1.0, 1.0, 0.1]);
        // Cut short: what is whole counts.
        proof_weights(&problem.view(), &[0.0, 0.0, 2.0, 0.0, 1.0, 0.0], &mut weight);
        assert_eq!(weight, [0.0, 1.0, 0.0]);
    }
}
