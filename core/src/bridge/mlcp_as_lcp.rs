//! Exact reduction of an [`Mlcp`] to a standard LCP (0 ≤ x ⟂ M x + q ≥ 0), and the way back.
//!
//! Free rows F, bounded rows C. Eliminating z_F = −M_FF⁻¹ (M_FC z_C + q_F) leaves w_C = S z_C + r with
//!
//! S = M_CC − M_CF M_FF⁻¹ M_FC,  r = q_C − M_CF M_FF⁻¹ q_F
//!
//! (in contact terms S is the Delassus matrix Wᵀ A⁻¹ W with the friction bound's rows). A bound is moved to zero by
//! z = l + x where there is a lower one, z = u − x, w = −w′ where there is only an upper one. Two finite bounds take one
//! row more: w = w′ − x₂ with 0 ≤ x₂ ⟂ (u − l) − x ≥ 0, x₂ being the force of the upper bound.

use super::free_blocks::{FreeBlocks, SingularFreeBlock};
use crate::problem::Mlcp;
use crate::sparse::CsrBuf;

/// Row number that stands for "has no second row".
const NO_TWIN: u32 = u32::MAX;

/// The reduction, with its memory. [`MlcpAsLcp::reduce`] first; everything else speaks of that problem.
///
/// The LCP has one row per bounded row, in their order, then one row per row with two finite bounds.
#[derive(Debug, Clone, Default)]
pub struct MlcpAsLcp {
    /// LCP row of every bounded full row.
    lcp_index: Vec<u32>,
    /// Full row of every LCP row; a box's second row names the same full row again.
    full_index: Vec<u32>,
    /// LCP row of the upper bound of every row with two finite bounds, [`NO_TWIN`] for the others.
    twin: Vec<u32>,
    /// Number of bounded rows.
    m: usize,
    /// The bound a where x = 0.
    offset: Vec<f64>,
    /// s: z = a + s x and w′ = s w.
    sign: Vec<f64>,
    q_shifted: Vec<f64>,
    q: Vec<f64>,
    free: FreeBlocks,
    mark: Vec<u32>,
    row: Vec<f64>,
}

impl MlcpAsLcp {
    /// Classifies the rows, factors the free block and forms the LCP's right side. Allocates nothing once warm.
    pub fn reduce(&mut self, p: &Mlcp<'_>) -> Result<(), SingularFreeBlock> {
        self.classify(p);
        self.shift_q(p);
        self.free.factor(p, &self.q_shifted, &self.lcp_index)?;
        self.q.clear();
        for r in 0..self.m {
            let i = self.full_index[r] as usize;
            let eliminated: f64 =
                p.m.entries(i)
                    .filter(|&(j, _)| self.free.is_free(j))
                    .map(|(j, v)| v * self.free.row(j).2)
                    .sum();
            self.q.push(self.sign[r] * (self.q_shifted[i] - eliminated));
        }
        for r in self.m..self.full_index.len() {
            let i = self.full_index[r] as usize;
            self.q.push(p.upper[i] - p.lower[i]);
        }
        Ok(())
    }

    fn classify(&mut self, p: &Mlcp<'_>) {
        self.lcp_index.clear();
        self.full_index.clear();
        self.offset.clear();
        self.sign.clear();
        for i in 0..p.n() {
            self.lcp_index.push(self.full_index.len() as u32);
            if p.is_free(i) {
                continue;
            }
            let has_lower = p.lower[i].is_finite();
            self.full_index.push(i as u32);
            self.offset.push(if has_lower { p.lower[i] } else { p.upper[i] });
            self.sign.push(if has_lower { 1.0 } else { -1.0 });
        }
        self.m = self.full_index.len();
        self.twin.clear();
        for r in 0..self.m {
            let i = self.full_index[r] as usize;
            let boxed = p.lower[i].is_finite() && p.upper[i].is_finite();
            self.twin.push(if boxed { self.full_index.len() as u32 } else { NO_TWIN });
            if boxed {
                self.full_index.push(i as u32);
            }
        }
    }

    /// q + M_·C a, the right side when every bounded unknown is counted from its bound.
    fn shift_q(&mut self, p: &Mlcp<'_>) {
        self.q_shifted.clear();
        self.q_shifted.extend_from_slice(p.q);
        if self.offset.iter().all(|&a| a == 0.0) {
            return;
        }
        for i in 0..p.n() {
            let at_bound = |(j, v): (usize, f64)| {
                if p.is_free(j) { 0.0 } else { v * self.offset[self.lcp_index[j] as usize] }
            };
            self.q_shifted[i] += p.m.entries(i).map(at_bound).sum::<f64>();
        }
    }

    /// Size of the LCP.
    pub fn n(&self) -> usize {
        self.full_index.len()
    }

    /// Number of its leading rows that stand for bounded rows; the others are upper bounds of boxes.
    pub fn n_bounded(&self) -> usize {
        self.m
    }

    /// q of the LCP.
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// Full row an LCP row stands for.
    pub fn full_row(&self, r: usize) -> usize {
        self.full_index[r] as usize
    }

    /// Typical sizes (z, w) of an LCP row: those of its full row, exchanged for the upper bound of a box.
    pub fn scales(&self, p: &Mlcp<'_>, r: usize) -> (f64, f64) {
        let i = self.full_index[r] as usize;
        if r < self.m { (p.z_scale[i], p.w_scale[i]) } else { (p.w_scale[i], p.z_scale[i]) }
    }

    /// Writes M of the LCP by rows into `out`, n × n with row length `stride` ≥ n; entries beyond n are left alone.
    pub fn write_dense(&self, p: &Mlcp<'_>, out: &mut [f64], stride: usize) {
        let n = self.n();
        for r in 0..self.m {
            let row = &mut out[r * stride..r * stride + n];
            row.fill(0.0);
            self.add_schur_row(p, r, row);
        }
        for r in self.m..n {
            out[r * stride..r * stride + n].fill(0.0);
            let main = self.lcp_index[self.full_index[r] as usize] as usize;
            out[r * stride + main] = -1.0;
            out[main * stride + r] = 1.0;
        }
    }

    /// row += s_r S_r· s (bounded columns).
    fn add_schur_row(&self, p: &Mlcp<'_>, r: usize, row: &mut [f64]) {
        let s = self.sign[r];
        for (j, v) in p.m.entries(self.full_index[r] as usize) {
            if self.free.is_free(j) {
                let (columns, x, _) = self.free.row(j);
                for (&c, &x) in columns.iter().zip(x) {
                    row[c as usize] -= s * v * self.sign[c as usize] * x;
                }
            } else {
                let c = self.lcp_index[j] as usize;
                row[c] += s * v * self.sign[c];
            }
        }
    }

    /// Writes M of the LCP as sparse rows into `out`; columns of a row are in order of first appearance.
    pub fn write_sparse(&mut self, p: &Mlcp<'_>, out: &mut CsrBuf) {
        let n = self.n();
        out.clear(n);
        self.row.clear();
        self.row.resize(n, 0.0);
        self.mark.clear();
        for r in 0..self.m {
            let mut row = std::mem::take(&mut self.row);
            self.add_schur_row(p, r, &mut row);
            self.row = row;
            self.flush_row(p, r, out);
            if self.twin[r] != NO_TWIN {
                out.push(self.twin[r] as usize, 1.0);
            }
            out.end_row();
        }
        for r in self.m..n {
            out.push(self.lcp_index[self.full_index[r] as usize] as usize, -1.0);
            out.end_row();
        }
    }

    /// Moves the accumulated row r from the dense scratch row to `out` and clears the scratch row.
    fn flush_row(&mut self, p: &Mlcp<'_>, r: usize, out: &mut CsrBuf) {
        for (j, _) in p.m.entries(self.full_index[r] as usize) {
            if self.free.is_free(j) {
                self.mark.extend_from_slice(self.free.row(j).0);
            } else {
                self.mark.push(self.lcp_index[j]);
            }
        }
        for c in self.mark.drain(..) {
            let value = std::mem::take(&mut self.row[c as usize]);
            if value != 0.0 {
                out.push(c as usize, value);
            }
        }
    }

    /// Full z of an LCP solution x: z_C = a + s x, z_F from the eliminated rows.
    pub fn expand(&self, x: &[f64], z: &mut [f64]) {
        for r in 0..self.m {
            z[self.full_index[r] as usize] = self.offset[r] + self.sign[r] * x[r];
        }
        for &i in self.free.members() {
            let (columns, values, y) = self.free.row(i as usize);
            let x_part: f64 =
                columns.iter().zip(values).map(|(&c, &v)| v * self.sign[c as usize] * x[c as usize]).sum();
            z[i as usize] = -y - x_part;
        }
    }

    /// Full-space y of an LCP's Farkas vector: y_C = s y, y_F = −M_FF⁻ᵀ M_CFᵀ y_C, so that (Mᵀy)_F = 0;
    /// rows with two bounds get 0, as the proof demands. See [`crate::problem::check_farkas`].
    pub fn expand_certificate(&mut self, p: &Mlcp<'_>, y_lcp: &[f64], y: &mut [f64]) {
        self.expand_rows(p, y, |r, is_boxed| if is_boxed { 0.0 } else { y_lcp[r] });
    }

    /// Maps back a proof about one case of the LCP ([`crate::problem::check_farkas_case`]): rows with two bounds keep theirs.
    pub fn expand_case(&mut self, p: &Mlcp<'_>, y_lcp: &[f64], y: &mut [f64]) {
        self.expand_rows(p, y, |r, _| y_lcp[r]);
    }

    /// Full-space y of what `of` says of LCP row r, told whether its full row has two bounds.
    fn expand_rows(&mut self, p: &Mlcp<'_>, y: &mut [f64], of: impl Fn(usize, bool) -> f64) {
        y.fill(0.0);
        for r in 0..self.m {
            let i = self.full_index[r] as usize;
            let value = self.sign[r] * of(r, self.twin[r] != NO_TWIN);
            y[i] += value;
            for (j, v) in p.m.entries(i) {
                if self.free.is_free(j) {
                    y[j] -= v * value;
                }
            }
        }
        self.free.solve_transposed(y);
    }

    /// LCP guess of a full z: x = s (z − a), and for boxes at their upper bound a positive x₂.
    pub fn restrict(&self, p: &Mlcp<'_>, z: &[f64], x: &mut Vec<f64>) {
        x.clear();
        x.extend((0..self.m).map(|r| self.sign[r] * (z[self.full_index[r] as usize] - self.offset[r])));
        let at_upper =
            |&i: &u32| if z[i as usize] >= p.upper[i as usize] { p.w_scale[i as usize] } else { 0.0 };
        x.extend(self.full_index[self.m..].iter().map(at_upper));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{MlcpBuf, check_farkas};
    use nalgebra::{DMatrix, DVector};

    const INF: f64 = f64::INFINITY;

    fn mlcp(rows: &[&[f64]], q: &[f64], bounds: &[(f64, f64)]) -> MlcpBuf {
        let n = q.len();
        let dense = DMatrix::from_fn(n, n, |i, j| rows[i][j]);
        let (lower, upper) = bounds.iter().copied().unzip();
        MlcpBuf::from_parts(CsrBuf::from_dense(&dense), q.to_vec(), lower, upper, 1e-10)
    }

    /// Free rows 0, 2 (coupled) and 4 (alone); bounded rows 1 (below), 3 (above), 5 (both).
    fn mixed() -> MlcpBuf {
        let rows: [&[f64]; 6] = [
            &[4.0, -1.0, 1.0, 0.5, 0.0, 0.0],
            &[1.0, 0.5, 0.0, 0.0, 2.0, 0.0],
            &[1.0, 0.0, 3.0, -2.0, 0.0, 0.25],
            &[-0.5, 0.0, 2.0, 0.0, 0.0, 1.0],
            &[0.0, -2.0, 0.0, 0.0, 5.0, -1.0],
            &[0.0, 0.0, -0.25, -1.0, 1.0, 0.0],
        ];
        let free = (-INF, INF);
        mlcp(
            &rows,
            &[1.0, -2.0, 0.5, 3.0, -1.0, 0.7],
            &[free, (0.5, INF), free, (-INF, 2.0), free, (-1.0, 1.5)],
        )
    }

    fn dense(bridge: &MlcpAsLcp, p: &Mlcp<'_>) -> DMatrix<f64> {
        let n = bridge.n();
        let mut out = vec![f64::NAN; n * (n + 2)];
        bridge.write_dense(p, &mut out, n + 2);
        DMatrix::from_fn(n, n, |i, j| out[i * (n + 2) + j])
    }

    #[test]
    fn rows_of_the_lcp_are_rows_of_the_problem() {
        let problem = mixed();
        let p = problem.view();
        let mut bridge = MlcpAsLcp::default();
        bridge.reduce(&p).unwrap();
        assert_eq!((bridge.n(), bridge.n_bounded()), (4, 3));
        let m = dense(&bridge, &p);
        for seed in 0..5 {
            let x = DVector::from_fn(4, |i, _| (1.3 * seed as f64 + i as f64).sin().abs());
            let w = &m * &x + DVector::from_column_slice(bridge.q());
            let mut z = vec![0.0; 6];
            bridge.expand(x.as_slice(), &mut z);
            let full = |i: usize| p.m.row_dot(i, &z) + p.q[i];
            for i in [0, 2, 4] {
                assert!(full(i).abs() < 1e-13, "free row {i}: {}", full(i));
            }
            assert!((full(1) - w[0]).abs() < 1e-13 && (z[1] - 0.5 - x[0]).abs() < 1e-15);
            assert!((full(3) + w[1]).abs() < 1e-13 && (2.0 - z[3] - x[1]).abs() < 1e-15);
            assert!((full(5) - (w[2] - x[3])).abs() < 1e-13 && (1.5 - z[5] - w[3]).abs() < 1e-15);
        }
    }

    #[test]
    fn sparse_and_dense_are_the_same_matrix() {
        let problem = mixed();
        let p = problem.view();
        let mut bridge = MlcpAsLcp::default();
        bridge.reduce(&p).unwrap();
        let mut sparse = CsrBuf::default();
        bridge.write_sparse(&p, &mut sparse);
        sparse.view().check().unwrap();
        assert!((sparse.view().to_dense() - dense(&bridge, &p)).abs().max() < 1e-15);
    }

    #[test]
    fn a_guess_goes_there_and_back() {
        let problem = mixed();
        let p = problem.view();
        let mut bridge = MlcpAsLcp::default();
        bridge.reduce(&p).unwrap();
        let (mut z, mut x) = (vec![0.0; 6], Vec::new());
        bridge.expand(&[0.25, 1.5, 2.5, 0.0], &mut z);
        bridge.restrict(&p, &z, &mut x);
        assert_eq!(x, [0.25, 1.5, 2.5, 1.0]);
        assert_eq!(bridge.full_row(3), 5);
    }

    #[test]
    fn an_empty_mass_is_named_not_regularised() {
        let free = (-INF, INF);
        let problem = mlcp(&[&[0.0, -1.0], &[1.0, 0.0]], &[1.0, 0.0], &[free, (0.0, INF)]);
        assert_eq!(MlcpAsLcp::default().reduce(&problem.view()), Err(SingularFreeBlock { row: 0 }));
    }

    #[test]
    fn a_certificate_of_the_lcp_proves_the_whole() {
        // A mass between two plates that close at 1 m/s each: no velocity leaves both. The velocity stays a free row.
        let rows: [&[f64]; 3] = [&[2.0, -1.0, 1.0], &[1.0, 0.0, 0.0], &[-1.0, 0.0, 0.0]];
        let problem = mlcp(&rows, &[-0.3, -1.0, -1.0], &[(-INF, INF), (0.0, INF), (0.0, INF)]);
        let p = problem.view();
        let mut bridge = MlcpAsLcp::default();
        bridge.reduce(&p).unwrap();
        let mut y = vec![0.0; 3];
        bridge.expand_certificate(&p, &[1.0, 1.0], &mut y);
        assert!(check_farkas(&p, &y).proves(), "{y:?}");
        bridge.expand_certificate(&p, &[1.0, 0.0], &mut y);
        assert!(!check_farkas(&p, &y).proves());
    }

    #[test]
    fn memory_is_kept() {
        let problem = mixed();
        let mut bridge = MlcpAsLcp::default();
        bridge.reduce(&problem.view()).unwrap();
        let before = bridge.clone();
        bridge.reduce(&problem.view()).unwrap();
        assert_eq!(bridge.q(), before.q());
        assert_eq!(bridge.full_index, before.full_index);
    }
}
