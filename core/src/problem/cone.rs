//! Complementarity problem with exact (second-order) friction cones, sparse.

use super::cone_map;
use super::mlcp::natural_map;
use super::{Mlcp, MlcpBuf, Status};

/// Stands for the normal row of a block that has none.
pub const NO_NORMAL: u32 = u32::MAX;

/// One friction law: which rows it binds together and how strong friction may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConeBlock {
    /// Row of the normal impulse, or [`NO_NORMAL`] for a disc.
    pub normal: u32,
    /// First row of the tangential impulse; the second, if there is one, follows it.
    pub tangent: u32,
    /// Tangential rows, 1 or 2.
    pub dim: u32,
    /// Coulomb: μ. Disc: the radius, N s.
    pub size: f64,
}

impl ConeBlock {
    /// Returns true if the bound is a fixed radius (support points) rather than μ times a normal impulse.
    #[inline]
    pub fn is_disc(&self) -> bool {
        self.normal == NO_NORMAL
    }

    /// The tangential part of a vector over all rows; the second number is 0 where there is only one.
    #[inline]
    pub fn tangential(&self, x: &[f64]) -> (f64, f64) {
        let at = self.tangent as usize;
        (x[at], if self.dim == 2 { x[at + 1] } else { 0.0 })
    }

    /// Its rows.
    pub fn rows(&self) -> impl Iterator<Item = usize> + use<> {
        let tangents = self.tangent as usize..(self.tangent + self.dim) as usize;
        (!self.is_disc()).then_some(self.normal as usize).into_iter().chain(tangents)
    }

    /// |p − P_K(p − u − μ |u_t| e_n)|, or |p − P_disc(p − u)|, from (p_i, u_i) of its rows.
    pub(super) fn map(&self, of: impl Fn(usize) -> (f64, f64)) -> f64 {
        let at = self.tangent as usize;
        let (first, second) = (of(at), if self.dim == 2 { of(at + 1) } else { (0.0, 0.0) });
        let (p_t, u_t) = ((first.0, second.0), (first.1, second.1));
        if self.is_disc() {
            return cone_map::of_disc(p_t, u_t, self.size);
        }
        let (p_n, u_n) = of(self.normal as usize);
        cone_map::of_cone((p_n, p_t), (u_n + self.size * u_t.0.hypot(u_t.1), u_t), self.size)
    }
}

/// The blocks of a problem, as arrays.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConeBlocks<'a> {
    /// (normal, tangent, dim) of every block, 3 n.
    pub index: &'a [u32],
    /// μ or radius of every block, n.
    pub size: &'a [f64],
}

impl<'a> ConeBlocks<'a> {
    /// Number of blocks.
    #[inline]
    pub fn len(&self) -> usize {
        self.size.len()
    }

    /// Returns true if there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.size.is_empty()
    }

    /// Block i.
    #[inline]
    pub fn get(&self, i: usize) -> ConeBlock {
        let (index, size) = (&self.index[3 * i..3 * i + 3], self.size[i]);
        ConeBlock { normal: index[0], tangent: index[1], dim: index[2], size }
    }

    /// All blocks in order.
    pub fn iter(&self) -> impl Iterator<Item = ConeBlock> + 'a {
        let blocks = *self;
        (0..self.len()).map(move |i| blocks.get(i))
    }
}

/// Find z and w = M z + q such that every row outside the blocks obeys its bounds as in [`Mlcp`], and every block obeys
/// Coulomb's law with z = (p_n, p_t), w = (u_n, u_t):
///
/// 0 ≤ p_n ⟂ u_n ≥ 0, |p_t| ≤ μ p_n, and where u_t ≠ 0: p_t = −μ p_n u_t/|u_t|;
///
/// a disc has no normal row and its radius in the place of μ p_n. In one line (De Saxcé): K ∋ p ⟂ u + μ |u_t| e_n ∈ K*,
/// K = {|p_t| ≤ μ p_n}.
///
/// In `rows` the rows of blocks stand with bounds (−∞, ∞), which say nothing: their law is their block's. A problem
/// without blocks is an [`Mlcp`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Cone<'a> {
    /// M, q, bounds of the rows outside the blocks, provenance, scales, guess, tolerance.
    pub rows: Mlcp<'a>,
    /// The friction laws; no row belongs to two of them.
    pub blocks: ConeBlocks<'a>,
}

/// Residuals of a candidate z.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ConeResidual {
    /// The verdict: max over rows of |z − Π(z − w)| outside the blocks and of |p − P_K(p − u − μ|u_t| e_n)|₂ over blocks,
    /// divided by [`Cone::scale`]. Blocks without a normal row: |p − P_disc(p − u)|₂.
    pub natural: f64,
    /// First row of the row or block where the maximum stands.
    pub worst_row: usize,
}

impl Cone<'_> {
    /// Number of unknowns.
    #[inline]
    pub fn n(&self) -> usize {
        self.rows.n()
    }

    /// Scale of residuals: |q|∞ or the largest radius of a disc, whichever is larger. (On polygons that radius
    /// stands in q; without it a part at rest, q = 0 up to rounding, would be judged by its rounding.)
    pub fn scale(&self) -> f64 {
        let discs = self.blocks.iter().filter(ConeBlock::is_disc);
        let largest =
            discs.fold(self.rows.q.iter().fold(0.0_f64, |m, x| m.max(x.abs())), |m, b| m.max(b.size));
        if largest > 0.0 { largest } else { 1.0 }
    }

    /// Marks the rows that belong to blocks; `in_block` gets one entry per row.
    pub fn mark_block_rows(&self, in_block: &mut Vec<bool>) {
        in_block.clear();
        in_block.resize(self.n(), false);
        for b in self.blocks.iter() {
            b.rows().for_each(|i| in_block[i] = true);
        }
    }

    /// Residuals of z. NaN anywhere gives an infinite residual, never a small one.
    pub fn residual(&self, z: &[f64]) -> ConeResidual {
        let mut in_block = Vec::new();
        self.mark_block_rows(&mut in_block);
        self.residual_marked(z, &in_block)
    }

    /// [`Cone::residual`] with the marks of [`Cone::mark_block_rows`] at hand, for solvers that ask often.
    pub fn residual_marked(&self, z: &[f64], in_block: &[bool]) -> ConeResidual {
        let mut out = ConeResidual::default();
        if z.len() != self.n() || in_block.len() != self.n() || z.iter().any(|x| !x.is_finite()) {
            return ConeResidual { natural: f64::INFINITY, worst_row: 0 };
        }
        let mut take = |value: f64, row: usize| {
            if value > out.natural || value.is_nan() {
                out = ConeResidual {
                    natural: if value.is_nan() { f64::INFINITY } else { value },
                    worst_row: row,
                };
            }
        };
        let p = &self.rows;
        for i in (0..self.n()).filter(|&i| !in_block[i]) {
            let w = p.m.row_dot(i, z) + p.q[i];
            take(natural_map(z[i], w, p.lower[i], p.upper[i]).abs(), i);
        }
        for b in self.blocks.iter() {
            take(self.block_residual(&b, z), b.tangent as usize);
        }
        out.natural /= self.scale();
        out
    }

    fn block_residual(&self, b: &ConeBlock, z: &[f64]) -> f64 {
        b.map(|i| (z[i], self.rows.m.row_dot(i, z) + self.rows.q[i]))
    }

    /// Checks that all lengths agree and every number is usable; the message names the first contradiction.
    pub fn check(&self) -> Result<(), String> {
        self.rows.check()?;
        self.check_blocks()
    }

    /// Checks that the blocks fit rows that are in order; see [`Cone::check`].
    pub fn check_blocks(&self) -> Result<(), String> {
        if self.blocks.index.len() != 3 * self.blocks.len() {
            return Err(format!(
                "{} block indices for {} blocks",
                self.blocks.index.len(),
                self.blocks.len()
            ));
        }
        let n = self.n();
        let mut used = vec![false; n];
        for (k, b) in self.blocks.iter().enumerate() {
            if b.dim != 1 && b.dim != 2 {
                return Err(format!("block {k} has {} tangents", b.dim));
            }
            if !(b.size >= 0.0 && b.size.is_finite()) {
                return Err(format!("the size of block {k} is {}", b.size));
            }
            let normal = (!b.is_disc()).then_some(b.normal);
            for row in normal.into_iter().chain((0..b.dim).map(|d| b.tangent.saturating_add(d))) {
                let row = row as usize;
                if row >= n {
                    return Err(format!("block {k} names row {row} of {n}"));
                }
                if std::mem::replace(&mut used[row], true) {
                    return Err(format!("row {row} belongs to two places of the blocks"));
                }
            }
        }
        Ok(())
    }

    /// Status that deserves to be believed for `z`: what the solver claims, unless the residual denies it.
    pub fn audited_status(&self, claimed: Status, z: &[f64]) -> (Status, ConeResidual) {
        let residual = self.residual(z);
        if claimed == Status::Converged && residual.natural > self.rows.tolerance {
            return (Status::NumericalFailure, residual);
        }
        (claimed, residual)
    }
}

/// Nearest point of the disc |x| ≤ radius.
#[inline]
pub fn project_disc(x: (f64, f64), radius: f64) -> (f64, f64) {
    let length = x.0.hypot(x.1);
    if length <= radius { x } else { (x.0 / length * radius, x.1 / length * radius) }
}

/// Nearest point (n, t) of the cone |t| ≤ μ n.
#[inline]
pub fn project_cone(n: f64, t: (f64, f64), mu: f64) -> (f64, (f64, f64)) {
    let length = t.0.hypot(t.1);
    // Without friction the cone is a half line: n < 0 is outside although 0 ≤ −0.
    if n >= 0.0 && length <= mu * n {
        return (n, t);
    }
    if mu * length <= -n {
        return (0.0, (0.0, 0.0));
    }
    let normal = (n + mu * length) / (1.0 + mu * mu);
    (normal, (mu * normal * t.0 / length, mu * normal * t.1 / length))
}

/// A [`Cone`] that owns its arrays and keeps their memory between steps.
#[derive(Debug, Clone, Default)]
pub struct ConeBuf {
    /// Rows.
    pub rows: MlcpBuf,
    /// (normal, tangent, dim) of every block.
    pub index: Vec<u32>,
    /// μ or radius of every block.
    pub size: Vec<f64>,
}

impl ConeBuf {
    /// Empties everything for a problem of `n` unknowns; memory is kept.
    pub fn clear(&mut self, n: usize, tolerance: f64) {
        self.rows.clear(n, tolerance);
        self.index.clear();
        self.size.clear();
    }

    /// Adds a block.
    pub fn push_block(&mut self, block: ConeBlock) {
        self.index.extend([block.normal, block.tangent, block.dim]);
        self.size.push(block.size);
    }

    /// The problem as a borrowed view.
    pub fn view(&self) -> Cone<'_> {
        Cone { rows: self.rows.view(), blocks: ConeBlocks { index: &self.index, size: &self.size } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse::CsrBuf;
    use nalgebra::DMatrix;

    /// A unit mass on the floor, W = 1, u = r + q, one block.
    fn unit(q: [f64; 3], mu: f64) -> ConeBuf {
        let inf = vec![f64::INFINITY; 3];
        let low = vec![f64::NEG_INFINITY; 3];
        let m = CsrBuf::from_dense(&DMatrix::identity(3, 3));
        let mut out =
            ConeBuf { rows: MlcpBuf::from_parts(m, q.to_vec(), low, inf, 1e-10), ..ConeBuf::default() };
        out.push_block(ConeBlock { normal: 0, tangent: 1, dim: 2, size: mu });
        out
    }

    /// Walls that close on a body from both sides, p_n = 1.85e10 on each: "converged, residual 0".
    #[test]
    fn a_jam_under_large_impulses_is_not_solved() {
        for size in [1e-12, 1e-6, 1.0] {
            let entries =
                [(0, 0, size), (0, 2, -size), (2, 0, -size), (2, 2, size), (1, 1, size), (3, 3, size)];
            let m = crate::sparse::CsrBuf::from_triplets(4, 4, &entries);
            let q = vec![-size, 0.0, -size, 0.0];
            let rows = MlcpBuf::from_parts(m, q, vec![f64::NEG_INFINITY; 4], vec![f64::INFINITY; 4], 1e-10);
            let mut problem = ConeBuf { rows, ..ConeBuf::default() };
            for normal in [0, 2] {
                problem.push_block(ConeBlock { normal, tangent: normal + 1, dim: 1, size: 0.5 });
            }
            let jam = problem.view().residual(&[1.85e10, 0.0, 1.85e10, 0.0]);
            assert!(jam.natural > 0.9, "{size} {jam:?}");
        }
    }

    #[test]
    fn stick_slip_and_open_have_no_residual() {
        // Stick: q_t within the cone. Slip: p_n = 1, p_t = −.5 along the slip. Open: q_n > 0.
        assert!(unit([-1.0, 0.3, 0.0], 0.5).view().residual(&[1.0, -0.3, 0.0]).natural < 1e-15);
        assert!(unit([-1.0, 0.6, 0.8], 0.5).view().residual(&[1.0, -0.3, -0.4]).natural < 1e-15);
        assert!(unit([1.0, 0.6, 0.8], 0.5).view().residual(&[0.0; 3]).natural < 1e-15);
    }

    #[test]
    fn friction_along_the_slip_is_seen() {
        assert!(unit([-1.0, 0.6, 0.8], 0.5).view().residual(&[1.0, 0.3, 0.4]).natural > 0.5);
        assert!(unit([-1.0, 0.6, 0.8], 0.5).view().residual(&[1.0, 0.0, 0.0]).natural > 0.1);
    }

    /// An open frictionless contact was called unsolved: 0 ≤ μ n holds at n < 0 for μ = 0.
    #[test]
    fn open_frictionless_contacts_have_no_residual() {
        assert_eq!(unit([0.1, 0.0, 0.0], 0.0).view().residual(&[0.0; 3]).natural, 0.0);
        assert!(unit([-0.1, 0.0, 0.0], 0.0).view().residual(&[0.0; 3]).natural > 0.5);
    }

    #[test]
    fn discs_bound_the_friction_alone() {
        let mut p = unit([0.0, 0.6, 0.8], 0.0);
        (p.index, p.size) = (vec![NO_NORMAL, 1, 2], vec![0.25]);
        assert!(p.view().residual(&[0.0, -0.15, -0.2]).natural < 1e-15);
        assert!(p.view().residual(&[0.0, -0.6, -0.8]).natural > 0.1);
    }

    #[test]
    fn projections_are_nearest_points() {
        assert_eq!(project_cone(2.0, (0.5, 0.0), 0.5), (2.0, (0.5, 0.0)));
        assert_eq!(project_cone(-1.0, (0.1, 0.0), 0.5), (0.0, (0.0, 0.0)));
        assert_eq!(project_cone(-1.0, (0.0, 0.0), 0.0), (0.0, (0.0, 0.0)));
        assert_eq!(project_cone(2.0, (3.0, 0.0), 0.0), (2.0, (0.0, 0.0)));
        let (n, t) = project_cone(0.0, (1.0, 0.0), 1.0);
        assert!((n - 0.5).abs() < 1e-15 && (t.0 - 0.5).abs() < 1e-15);
        assert_eq!(project_disc((3.0, 4.0), 1.0), (0.6, 0.8));
    }

    #[test]
    fn blocks_that_share_rows_are_refused() {
        let mut p = unit([0.0; 3], 0.5);
        assert_eq!(p.view().check(), Ok(()));
        p.push_block(ConeBlock { normal: NO_NORMAL, tangent: 2, dim: 1, size: 1.0 });
        assert!(p.view().check().unwrap_err().contains("two places"));
        p.index[4] = 7;
        assert!(p.view().check().unwrap_err().contains("names row 7 of 3"));
    }
}
