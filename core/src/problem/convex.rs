//! Convexity of a quadratic objective: its matrix is symmetric and positive semidefinite, or it is not.
//!
//! The unknowns fall into blocks that entries of P tie together. Each is ordered by the reverse of Cuthill & McKee (1969),
//! which keeps bands narrow, and P + δ D is factorised there by Cholesky's method, D = diag(P): it comes to its end with
//! positive pivots if and only if P + δ D is positive definite, up to rounding, whatever the rank of P.

use super::Conic;
use crate::sparse::Csr;

/// Difference allowed between p_ij and p_ji, relative to the larger of both and √(p_ii p_jj).
const SYMMETRY: f64 = 1e-12;
/// δ: by how much a curvature may be negative, relative to the diagonal.
const CURVATURE: f64 = 1e-10;
/// Rows without a larger entry are zero, relative to the largest entry of the block.
const ROUNDING: f64 = 1e-15;

impl Conic<'_> {
    /// Checks that P is symmetric (up to 1e-12) and positive semidefinite (no curvature dᵀP d below −1e-10 dᵀ diag(P) d, but for
    /// rounding); the message names the entry, or the unknown with a direction of negative curvature. A program that has
    /// passed is convex up to that curvature: where its residual vanishes stands a minimum, or a saddle that falls off no faster. Lengths and indices must be in order
    /// ([`Conic::check`]).
    ///
    /// Costs Σ n b² over the blocks of P, with b the width of the band: to be asked where a program enters, not in every step.
    pub fn check_convex(&self) -> Result<(), String> {
        let p = self.p;
        let n = p.n_rows();
        let diagonal: Vec<f64> = (0..n).map(|i| p.entry(i, i)).collect();
        check_symmetry(p, &diagonal)?;
        let mut place = vec![usize::MAX; n];
        let mut block = Vec::new();
        for first in 0..n {
            if place[first] == usize::MAX {
                collect_block(p, first, &mut place, &mut block);
                check_block(p, &diagonal, &block, &place)?;
            }
        }
        Ok(())
    }
}

/// p_ij = p_ji for all entries; both triangles are stored, and columns may come in any order.
fn check_symmetry(p: Csr<'_>, diagonal: &[f64]) -> Result<(), String> {
    let n = p.n_rows();
    // Row i of P against column i, by a pass over rows with the transposed entries gathered.
    let mut columns: Vec<Vec<(usize, f64)>> = vec![Vec::new(); n];
    (0..n).for_each(|i| p.entries(i).for_each(|(j, v)| columns[j].push((i, v))));
    let (mut row, mut column) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        p.entries(i).for_each(|(j, v)| row[j] += v);
        columns[i].iter().for_each(|&(j, v)| column[j] += v);
        for j in p.entries(i).map(|e| e.0).chain(columns[i].iter().map(|e| e.0)) {
            let (a, b) = (row[j], column[j]);
            let size = a.abs().max(b.abs()).max((diagonal[i] * diagonal[j]).abs().sqrt());
            if !((a - b).abs() <= SYMMETRY * size) {
                return Err(format!("P is not symmetric: entry ({i}, {j}) is {a}, entry ({j}, {i}) is {b}"));
            }
        }
        p.entries(i).for_each(|(j, _)| row[j] = 0.0);
        columns[i].iter().for_each(|&(j, _)| column[j] = 0.0);
    }
    Ok(())
}

/// Marks of unknowns that a first and a second search has met.
const MET: usize = usize::MAX - 1;
const MET_AGAIN: usize = usize::MAX - 2;

/// The unknowns tied to `first`, in reverse Cuthill-McKee order, and their places in it.
fn collect_block(p: Csr<'_>, first: usize, place: &mut [usize], block: &mut Vec<usize>) {
    // From one end of the block: the last one met from anywhere is far out.
    search(p, first, MET, place, block);
    let end = block.last().copied().unwrap_or(first);
    search(p, end, MET_AGAIN, place, block);
    block.reverse();
    block.iter().enumerate().for_each(|(at, &i)| place[i] = at);
}

/// Breadth first, neighbours with few entries first.
fn search(p: Csr<'_>, start: usize, mark: usize, place: &mut [usize], block: &mut Vec<usize>) {
    block.clear();
    block.push(start);
    place[start] = mark;
    let mut at = 0;
    while at < block.len() {
        let begin = block.len();
        for (j, v) in p.entries(block[at]) {
            if v != 0.0 && place[j] != mark {
                place[j] = mark;
                block.push(j);
            }
        }
        block[begin..].sort_by_key(|&j| (p.row(j).0.len(), j));
        at += 1;
    }
}

/// Cholesky's method on P + δ D over a block, by rows from their first entry on. Rows that are rounding as a whole count as
/// zero.
fn check_block(p: Csr<'_>, diagonal: &[f64], block: &[usize], place: &[usize]) -> Result<(), String> {
    let size = |i: usize| p.entries(i).fold(0.0_f64, |m, e| m.max(e.1.abs()));
    let none = ROUNDING * block.iter().fold(0.0_f64, |m, &i| m.max(size(i)));
    let kept: Vec<bool> = block.iter().map(|&i| size(i) > none).collect();
    // Rows of L, each from the place of its first entry on.
    let (mut start, mut first, mut factor) = (Vec::new(), Vec::new(), Vec::<f64>::new());
    for (at, &i) in block.iter().enumerate() {
        let entries =
            || p.entries(i).filter(|e| e.1 != 0.0 && place[e.0] <= at && kept[place[e.0]] && kept[at]);
        let begin = entries().map(|e| place[e.0]).fold(at, usize::min);
        start.push(factor.len());
        first.push(begin);
        factor.resize(factor.len() + at - begin + 1, 0.0);
        let (done, row) = factor.split_at_mut(start[at]);
        entries().for_each(|(j, v)| row[place[j] - begin] += v);
        row[at - begin] = if kept[at] { row[at - begin] + CURVATURE * diagonal[i].max(0.0) } else { 1.0 };
        for k in begin..at {
            let other = &done[start[k]..start[k] + k - first[k] + 1];
            let from = begin.max(first[k]);
            let known = row[from - begin..k - begin].iter().zip(&other[from - first[k]..]);
            let sum: f64 = known.map(|(x, y)| x * y).sum();
            row[k - begin] = (row[k - begin] - sum) / other[k - first[k]];
        }
        let pivot = row[at - begin] - row[..at - begin].iter().map(|x| x * x).sum::<f64>();
        if !(pivot > 0.0) {
            return Err(format!(
                "P is not positive semidefinite: it has a direction of negative curvature with unknown {i}"
            ));
        }
        row[at - begin] = pivot.sqrt();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::problem::ConicBuf;
    use crate::sparse::CsrBuf;

    fn with(p: CsrBuf) -> ConicBuf {
        let n = p.view().n_rows();
        ConicBuf::from_parts(p, vec![0.0; n], CsrBuf::from_triplets(0, n, &[]), vec![], (vec![], vec![]))
    }

    fn dense(n: usize, entries: &[f64]) -> Result<(), String> {
        with(CsrBuf::from_dense(&nalgebra::DMatrix::from_row_slice(n, n, entries))).view().check_convex()
    }

    #[test]
    fn curvature_is_what_it_is() {
        assert_eq!(dense(2, &[2.0, 1.0, 1.0, 2.0]), Ok(()));
        assert_eq!(dense(2, &[1.0, 1.0, 1.0, 1.0]), Ok(()), "singular");
        assert_eq!(dense(2, &[1e-12, 0.0, 0.0, 1e12]), Ok(()));
        assert_eq!(dense(2, &[0.0; 4]), Ok(()));
        assert_eq!(dense(1, &[1e-300]), Ok(()));
        for bad in
            [[1.0, 2.0, 2.0, 1.0], [0.0, 1.0, 1.0, 0.0], [0.0, 1e-3, 1e-3, 1.0], [1.0, 0.0, 0.0, -1e-3]]
        {
            assert!(dense(2, &bad).unwrap_err().contains("negative curvature"), "{bad:?}");
        }
        assert!(dense(1, &[-1e-300]).is_err());
    }

    #[test]
    fn both_triangles_must_agree() {
        let message = dense(2, &[1.0, 0.5, 0.25, 1.0]).unwrap_err();
        assert_eq!(message, "P is not symmetric: entry (0, 1) is 0.5, entry (1, 0) is 0.25");
        assert!(dense(2, &[1.0, 0.5, 0.0, 1.0]).is_err(), "one triangle only");
        assert!(dense(2, &[1.0, 0.0, 0.5, 1.0]).is_err());
        assert_eq!(dense(2, &[1.0, 0.5, 0.5 + 1e-14, 1.0]), Ok(()), "rounding");
        assert!(dense(2, &[1.0, 0.5, 0.5 + 1e-10, 1.0]).is_err());
    }

    /// AᵀA of every rank passes, and no longer once a curvature of −1e-6 along a direction of the null space is added.
    #[test]
    fn random_matrices_of_any_rank() {
        let mut state = 5_u64;
        let mut draw = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / (1_u64 << 31) as f64 - 0.5
        };
        for n in 2..12 {
            for rank in 1..n {
                let a = nalgebra::DMatrix::from_fn(rank, n, |_, _| draw());
                let units = nalgebra::DVector::from_fn(n, |_, _| 10.0_f64.powf(6.0 * draw()));
                let d = units.map(|u| 1.0 / u).component_mul(&null_direction(&a));
                let unit = |m: &nalgebra::DMatrix<f64>| {
                    nalgebra::DMatrix::from_fn(n, n, |i, j| units[i] * m[(i, j)] * units[j])
                };
                let product = a.transpose() * &a;
                let p = unit(&product);
                assert_eq!(dense(n, p.as_slice()), Ok(()), "{n} unknowns, rank {rank}");
                let z = units.component_mul(&d);
                let p = unit(&(&product - 1e-6 * &z * z.transpose()));
                assert!(dense(n, p.as_slice()).is_err(), "{n} unknowns, rank {rank}");
            }
        }
    }

    /// A unit vector that A takes to zero.
    fn null_direction(a: &nalgebra::DMatrix<f64>) -> nalgebra::DVector<f64> {
        let eigen = (a.transpose() * a).symmetric_eigen();
        let least = (0..a.ncols()).min_by(|&i, &j| eigen.eigenvalues[i].total_cmp(&eigen.eigenvalues[j]));
        eigen.eigenvectors.column(least.unwrap()).into_owned()
    }

    /// A chain of springs in shuffled order, long enough that a dense factorisation would be noticed.
    #[test]
    fn a_long_band_in_any_order() {
        let n = 20_000;
        let of = |k: usize| (k * 7919) % n;
        let mut entries = Vec::new();
        for k in 0..n - 1 {
            let (i, j) = (of(k), of(k + 1));
            entries.extend([(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)]);
        }
        let problem = with(CsrBuf::from_triplets(n, n, &entries));
        assert_eq!(problem.view().check_convex(), Ok(()), "free to move: singular");
        entries.push((of(n / 2), of(n / 2), -0.01));
        assert!(with(CsrBuf::from_triplets(n, n, &entries)).view().check_convex().is_err());
    }
}
