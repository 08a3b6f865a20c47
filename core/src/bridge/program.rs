//! The convex program whose optimality conditions a complementarity problem is, with friction cones frozen at a slip.
//!
//! With the sides of [`Saddle`] (x: unknowns, p: multipliers) the rows read w_x = P x − Gᵀ p + q_x and
//! w_p = G x + C p + q_p. They are the conditions of
//!
//! ```text
//!   min ½ xᵀP x + ½ eᵀC e + q_xᵀ x + (b − a)ᵀ d + rᵀ t
//!   s = G x + C e + q_p + d        0 ≤ s where a ≤ p, s ≤ 0 where p ≤ b only, s = 0 where p is free;
//!   l ≤ x ≤ u, d ≥ 0               d only where p has two bounds
//!   (s_n + μ σ, μ s_t) ∈ SOC       blocks, with the shift μ σ as data (De Saxcé: σ = |u_t|)
//!   (t, s_t) ∈ SOC                 discs of radius r
//! ```
//!
//! Their dual y is p − a (or p − b); for blocks (p_n, p_t/μ), for discs (r, p_t). The unknowns e are a copy of p, so that
//! compliance needs no inverse: only C e = C p matters. Where there is no C there is no e.
//!
//! Measured matrices are symmetric up to their accuracy. Where that is allowed (`slack`), P and C are the symmetric parts, and
//! N z, N = M minus what stands in the program, is data like the shift: [`Program::freeze`].

use super::Refusal;
use super::saddle::Saddle;
use crate::problem::{Cone, ConeBlock, Conic, ConicBuf, Mlcp};
use crate::sparse::CsrBuf;

const INF: f64 = f64::INFINITY;
const NONE: u32 = u32::MAX;

/// The program with the way back, and its memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Program {
    saddle: Saddle,
    conic: ConicBuf,
    in_block: Vec<bool>,
    /// Unknown that stands for row i: x, or the copy e of a compliant multiplier.
    unknown: Vec<u32>,
    /// Row of the program whose dual is p_i − a_i; for tangents y_i with p_i = factor y_i.
    row: Vec<u32>,
    /// Slack d of multipliers with two bounds.
    slack: Vec<u32>,
    /// a: the bound p is counted from.
    offset: Vec<f64>,
    factor: Vec<f64>,
    /// Epigraph unknown t of every block that is a disc.
    epigraph: Vec<u32>,
    /// First row of every block's cone, and its g without the shift.
    cone: Vec<(u32, f64)>,
    w: Vec<f64>,
    /// M with zeros where only the mirror image has an entry.
    padded: CsrBuf,
    /// N, and costs and constants without N z; nothing where M is symmetric.
    rest: CsrBuf,
    plain: (Vec<f64>, Vec<f64>),
}

impl Program {
    /// Writes the program of a problem with shifts σ per block (nothing for discs) and N `z`, entries that differ from their
    /// mirror images by up to `slack` taken as symmetric. Allocates nothing once warm.
    ///
    /// Errors: the rows are no optimality conditions.
    pub(super) fn write(
        &mut self,
        p: &Cone<'_>,
        slack: f64,
        (slip, z): (&[f64], &[f64]),
    ) -> Result<(), Refusal> {
        if slack == 0.0 {
            return self.write_padded(p, slack, (slip, z));
        }
        let mut padded = std::mem::take(&mut self.padded);
        self.saddle.pad(&p.rows.m, &mut padded);
        let p = Cone { rows: Mlcp { m: padded.view(), ..p.rows }, ..*p };
        let written = self.write_padded(&p, slack, (slip, z));
        self.padded = padded;
        written
    }

    fn write_padded(&mut self, p: &Cone<'_>, slack: f64, (slip, z): (&[f64], &[f64])) -> Result<(), Refusal> {
        p.mark_block_rows(&mut self.in_block);
        self.saddle.find(&p.rows, &self.in_block, slack)?;
        let n = self.number(p);
        self.conic.clear(n, p.rows.tolerance);
        self.write_unknowns(p, n);
        self.write_rows(p);
        self.write_bounds(p);
        self.write_cones(p);
        if self.saddle.is_rough() {
            self.saddle.rest(&p.rows, &mut self.rest);
            self.plain.0.clone_from(&self.conic.c);
            self.plain.1.clone_from(&self.conic.g);
        }
        self.freeze(p, slip);
        if self.saddle.is_rough() {
            let mut frozen = slip.to_vec();
            self.rest(z, &mut frozen);
            self.freeze(p, &frozen);
        }
        self.guess(p);
        Ok(())
    }

    pub(super) fn view(&self) -> Conic<'_> {
        self.conic.view()
    }

    fn is_compliant(&mut self, p: &Cone<'_>, i: usize) -> bool {
        let mut any = false;
        self.saddle.entries(&p.rows, i, true, |_, v| any |= v != 0.0);
        any
    }

    /// Numbers unknowns (x, then e, d, t) and finds offsets; returns their number.
    fn number(&mut self, p: &Cone<'_>) -> usize {
        let (n, rows) = (p.n(), &p.rows);
        for list in [&mut self.unknown, &mut self.row, &mut self.slack] {
            list.clear();
            list.resize(n, NONE);
        }
        self.offset.clear();
        self.offset.resize(n, 0.0);
        self.factor.clear();
        self.factor.resize(n, 1.0);
        let mut count = 0;
        let mut next = || {
            count += 1;
            count - 1
        };
        (0..n).filter(|&i| self.saddle.is_primal(i)).for_each(|i| self.unknown[i] = next());
        for i in 0..n {
            if !self.saddle.is_primal(i) && self.is_compliant(p, i) {
                self.unknown[i] = next();
            }
        }
        for i in (0..n).filter(|&i| !self.saddle.is_primal(i) && !self.in_block[i]) {
            let (l, u) = (rows.lower[i], rows.upper[i]);
            self.offset[i] = if l.is_finite() {
                l
            } else if u.is_finite() {
                u
            } else {
                0.0
            };
            if l.is_finite() && u.is_finite() {
                self.slack[i] = next();
            }
        }
        self.epigraph.clear();
        for b in p.blocks.iter() {
            self.epigraph.push(if b.is_disc() { next() } else { NONE });
            let factor = if b.is_disc() { 1.0 } else { b.size };
            (0..b.dim).for_each(|k| self.factor[(b.tangent + k) as usize] = factor);
        }
        count as usize
    }

    /// P, C and the costs.
    fn write_unknowns(&mut self, p: &Cone<'_>, n: usize) {
        let rows = &p.rows;
        for i in 0..p.n() {
            if !self.saddle.is_primal(i) {
                continue;
            }
            let (conic, unknown) = (&mut self.conic, &self.unknown);
            self.saddle.entries(rows, i, true, |j, v| conic.p.push(unknown[j] as usize, v));
            let mut c = rows.q[i];
            self.saddle.entries(rows, i, false, |j, v| c += v * self.offset[j]);
            self.conic.end_unknown(c, rows.tag[i], rows.z_scale[i]);
        }
        for i in 0..p.n() {
            if self.saddle.is_primal(i) || self.unknown[i] == NONE {
                continue;
            }
            let (conic, unknown) = (&mut self.conic, &self.unknown);
            self.saddle.entries(rows, i, true, |j, v| {
                if v != 0.0 {
                    conic.p.push(unknown[j] as usize, v);
                }
            });
            self.conic.end_unknown(0.0, rows.tag[i], rows.z_scale[i]);
        }
        for i in (0..p.n()).filter(|&i| self.slack[i] != NONE) {
            self.conic.end_unknown(rows.upper[i] - rows.lower[i], rows.tag[i], rows.w_scale[i]);
        }
        for b in p.blocks.iter().filter(ConeBlock::is_disc) {
            let t = b.tangent as usize;
            self.conic.end_unknown(b.size, rows.tag[t], rows.w_scale[t]);
        }
        debug_assert_eq!(self.conic.c.len(), n);
    }

    /// Puts `scale` (G x + C e) of row i into the row under construction; returns the constant q_p + C a.
    fn push_row(&mut self, p: &Cone<'_>, i: usize, scale: f64) -> f64 {
        let (conic, unknown, offset) = (&mut self.conic, &self.unknown, &self.offset);
        let mut constant = p.rows.q[i];
        self.saddle.entries(&p.rows, i, false, |j, v| conic.rows.push(unknown[j] as usize, scale * v));
        self.saddle.entries(&p.rows, i, true, |j, v| {
            if v != 0.0 {
                conic.rows.push(unknown[j] as usize, scale * v);
                constant += v * offset[j];
            }
        });
        scale * constant
    }

    /// Rows of multipliers outside the blocks.
    fn write_rows(&mut self, p: &Cone<'_>) {
        let rows = &p.rows;
        for i in 0..p.n() {
            if self.saddle.is_primal(i) || self.in_block[i] {
                continue;
            }
            let g = self.push_row(p, i, 1.0);
            if self.slack[i] != NONE {
                self.conic.rows.push(self.slack[i] as usize, 1.0);
            }
            let lower = if rows.lower[i].is_finite() || rows.is_free(i) { 0.0 } else { -INF };
            let upper = if rows.lower[i].is_finite() { INF } else { 0.0 };
            self.row[i] = self.conic.g.len() as u32;
            self.conic.end_row(g, (lower, upper), rows.tag[i], rows.w_scale[i]);
        }
    }

    /// Bounds of x, and d ≥ 0.
    fn write_bounds(&mut self, p: &Cone<'_>) {
        let rows = &p.rows;
        for i in (0..p.n()).filter(|&i| self.saddle.is_primal(i) && !rows.is_free(i)) {
            self.conic.rows.push(self.unknown[i] as usize, 1.0);
            self.row[i] = self.conic.g.len() as u32;
            self.conic.end_row(0.0, (rows.lower[i], rows.upper[i]), rows.tag[i], rows.z_scale[i]);
        }
        for i in (0..p.n()).filter(|&i| self.slack[i] != NONE) {
            self.conic.rows.push(self.slack[i] as usize, 1.0);
            self.conic.end_row(0.0, (0.0, INF), rows.tag[i], rows.w_scale[i]);
        }
    }

    fn write_cones(&mut self, p: &Cone<'_>) {
        let rows = &p.rows;
        self.cone.clear();
        for (k, b) in p.blocks.iter().enumerate() {
            let first = self.conic.g.len() as u32;
            let (head, g) = if b.is_disc() {
                self.conic.rows.push(self.epigraph[k] as usize, 1.0);
                (b.tangent as usize, 0.0)
            } else {
                self.row[b.normal as usize] = first;
                (b.normal as usize, self.push_row(p, b.normal as usize, 1.0))
            };
            self.cone.push((first, g));
            self.conic.end_row(g, (-INF, INF), rows.tag[head], rows.w_scale[head]);
            for t in (b.tangent..b.tangent + b.dim).map(|t| t as usize) {
                let g = self.push_row(p, t, self.factor[t]);
                self.row[t] = self.conic.g.len() as u32;
                self.conic.end_row(g, (-INF, INF), rows.tag[t], rows.w_scale[t]);
            }
            self.conic.close_cone(1 + b.dim as usize);
        }
    }

    /// Appends N z, one number per row, where M is not symmetric.
    pub(super) fn rest(&self, z: &[f64], out: &mut Vec<f64>) {
        if self.saddle.is_rough() {
            out.extend((0..z.len()).map(|i| self.rest.view().row_dot(i, z)));
        }
    }

    /// Sets the shifts μ σ and N z, `frozen` having σ per block and then what [`Program::rest`] gives, and what the tolerance then
    /// is: half of what the problem asks, in its own size.
    pub(super) fn freeze(&mut self, p: &Cone<'_>, frozen: &[f64]) {
        let (slip, rest) = frozen.split_at(p.blocks.len());
        self.freeze_rest(rest);
        for ((b, &(first, g)), sigma) in p.blocks.iter().zip(&self.cone).zip(slip) {
            let more = if rest.is_empty() || b.is_disc() { 0.0 } else { rest[b.normal as usize] };
            let shift = if b.is_disc() { 0.0 } else { b.size * sigma };
            self.conic.g[first as usize] = g + more + shift;
        }
        self.conic.tolerance = 0.5 * p.rows.tolerance * p.scale() / self.conic.view().scale();
    }

    /// Adds N z to costs of unknowns and constants of multipliers.
    fn freeze_rest(&mut self, rest: &[f64]) {
        let (c, g) = &self.plain;
        for (i, more) in rest.iter().enumerate() {
            if self.saddle.is_primal(i) {
                let unknown = self.unknown[i] as usize;
                self.conic.c[unknown] = c[unknown] + more;
            } else {
                let at = self.row[i] as usize;
                self.conic.g[at] = g[at] + self.factor[i] * more;
            }
        }
    }

    /// z as (x, y), with w = M z + q for what is a slack.
    fn guess(&mut self, p: &Cone<'_>) {
        let z = p.rows.guess;
        if z.is_empty() {
            return;
        }
        self.w.clear();
        self.w.extend((0..p.n()).map(|i| p.rows.m.row_dot(i, z) + p.rows.q[i]));
        let (n, m) = (self.conic.c.len(), self.conic.g.len());
        self.conic.guess.resize(n, 0.0);
        self.conic.dual_guess.resize(m, 0.0);
        let mut slack_row = m
            - self.conic.cones.chunks_exact(2).map(|c| c[1] as usize).sum::<usize>()
            - self.slack.iter().filter(|s| **s != NONE).count();
        for i in 0..p.n() {
            let value = z[i] - self.offset[i];
            if self.unknown[i] != NONE {
                self.conic.guess[self.unknown[i] as usize] = value;
            }
            if self.row[i] != NONE {
                let bound = self.saddle.is_primal(i);
                let y = if bound { self.w[i] } else { value };
                let factor = self.factor[i];
                self.conic.dual_guess[self.row[i] as usize] = if factor == 0.0 { 0.0 } else { y / factor };
            }
            if self.slack[i] != NONE {
                self.conic.guess[self.slack[i] as usize] = (-self.w[i]).max(0.0);
                self.conic.dual_guess[slack_row] = p.rows.upper[i] - p.rows.lower[i] - value;
                slack_row += 1;
            }
        }
        for (k, b) in p.blocks.iter().enumerate().filter(|(_, b)| b.is_disc()) {
            let (a, b_t) = b.tangential(&self.w);
            self.conic.guess[self.epigraph[k] as usize] = a.hypot(b_t);
            self.conic.dual_guess[self.cone[k].0 as usize] = b.size;
        }
    }

    /// (x, y) of another guess than the last solution: the solution itself, for the next program of the same shape.
    pub(super) fn keep_as_guess(&mut self, x: &[f64], y: &[f64]) {
        self.conic.guess.clear();
        self.conic.guess.extend_from_slice(x);
        self.conic.dual_guess.clear();
        self.conic.dual_guess.extend_from_slice(y);
    }

    /// z of a solution (x, y): x where unknowns are, a + y where multipliers are.
    pub(super) fn expand(&self, x: &[f64], y: &[f64], z: &mut [f64]) {
        for i in 0..self.row.len() {
            z[i] = if self.saddle.is_primal(i) {
                x[self.unknown[i] as usize]
            } else {
                self.offset[i] + self.factor[i] * y[self.row[i] as usize]
            };
        }
    }

    /// A proof y that the rows have no solution as a proof about the problem: y on multipliers, 0 on unknowns.
    pub(super) fn expand_infeasible(&self, y: &[f64], out: &mut Vec<f64>) {
        let value = |i: usize| if self.saddle.is_primal(i) { 0.0 } else { y[self.row[i] as usize] };
        out.clear();
        out.extend((0..self.row.len()).map(value));
    }

    /// A direction d of unbounded descent as a proof about the problem: d on unknowns, 0 on multipliers.
    pub(super) fn expand_unbounded(&self, d: &[f64], out: &mut Vec<f64>) {
        let value = |i: usize| if self.saddle.is_primal(i) { d[self.unknown[i] as usize] } else { 0.0 };
        out.clear();
        out.extend((0..self.row.len()).map(value));
    }
}
