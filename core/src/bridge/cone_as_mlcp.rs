//! Polygons in the place of circles: a [`Cone`] problem as an [`Mlcp`], and the way back.
//!
//! Every block's tangential impulse is written as p_t = D p_f, p_f ≥ 0, with unit directions d_k as the columns of D: the
//! two signs of one tangent, or n_d directions d_k = (cos 2πk/n_d, sin 2πk/n_d) of two. The block's law becomes
//!
//! 0 ≤ p_n ⟂ w_n ≥ 0,  0 ≤ p_f ⟂ Dᵀ w_t + E σ ≥ 0,  0 ≤ σ ⟂ μ p_n − Eᵀ p_f ≥ 0
//!
//! (a disc has its radius in the place of μ p_n). In the matrix: columns of tangents are multiplied by D, their rows by Dᵀ.
//!
//! Kind: exact on blocks of one tangent, approximate on those of two. The polygon lies inside the circle, so friction is
//! up to 1 − cos(π/n_d) too weak, and its direction off the slip by up to π/n_d; how far that moves the motion is the
//! problem's matter (rotations of 2.5D parts suffer most). A proof that the polygon's problem has no solution says
//! nothing of the circle's, which allows more.

use crate::error::StageError;
use crate::problem::{Cone, ConeBlock, Mlcp, MlcpBuf, Part, RowTag};
use crate::rigid::directions::Directions;
use crate::sparse::CsrBuf;

/// Stands for rows that are tangents of a block.
const TANGENT: u32 = u32::MAX;

/// The polygonal problem of a Cone problem, with its memory. [`ConeAsMlcp::write`] first; everything else speaks of that
/// problem.
///
/// Unknowns: those of all rows but tangents, in their order; then p_f of every block, in their order; then σ of every
/// block.
#[derive(Debug, Clone)]
pub struct ConeAsMlcp {
    polygon: Directions,
    line: Directions,
    problem: MlcpBuf,
    /// Row of the polygonal problem of every row, [`TANGENT`] for tangents.
    kept: Vec<u32>,
    /// Block and axis of every tangent.
    axis: Vec<(u32, u8)>,
    /// Blocks, with the first p_f and the σ of each.
    places: Vec<FrictionRows>,
    n_kept: usize,
    mark: Vec<u32>,
    w: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
struct FrictionRows {
    block: ConeBlock,
    first: usize,
    sigma: usize,
}

const INF: f64 = f64::INFINITY;

impl Default for ConeAsMlcp {
    fn default() -> Self {
        Self::with(Self::DEFAULT_DIRECTIONS)
    }
}

impl ConeAsMlcp {
    /// Directions unless something else is asked for: friction up to 1.9 % too weak.
    pub const DEFAULT_DIRECTIONS: usize = 16;

    /// A bridge with n_d directions for blocks of two tangents.
    ///
    /// Errors: n_d odd or below 4; the set must hold −d with every d.
    pub fn new(n_d: usize) -> Result<Self, StageError> {
        if n_d < 4 || !n_d.is_multiple_of(2) {
            return Err(StageError::bad_option(format!(
                "a friction polygon has an even number of directions, at least 4, found {n_d}"
            )));
        }
        Ok(Self::with(n_d))
    }

    fn with(n_d: usize) -> Self {
        Self {
            polygon: Directions::polygon(n_d),
            line: Directions::line(),
            problem: MlcpBuf::default(),
            kept: Vec::new(),
            axis: Vec::new(),
            places: Vec::new(),
            n_kept: 0,
            mark: Vec::new(),
            w: Vec::new(),
        }
    }

    /// Number of directions n_d.
    pub fn directions(&self) -> usize {
        self.polygon.len()
    }

    /// 1 − cos(π/n_d): the part of friction that the polygon may fall short by.
    pub fn bound(&self) -> f64 {
        1.0 - (std::f64::consts::PI / self.polygon.len() as f64).cos()
    }

    fn of(&self, block: &ConeBlock) -> &Directions {
        if block.dim == 2 { &self.polygon } else { &self.line }
    }

    /// Writes the polygonal problem, guess included, and returns it. Allocates nothing once warm.
    pub fn write(&mut self, p: &Cone<'_>) -> Mlcp<'_> {
        self.number(p);
        let n = self.places.last().map_or(self.n_kept, |last| last.sigma + 1);
        self.problem.clear(n, p.rows.tolerance);
        self.mark.clear();
        self.mark.resize(n, u32::MAX);
        for i in 0..p.n() {
            if self.kept[i] != TANGENT {
                self.push_row(p, i, 1.0);
                self.end_kept_row(p, i);
            }
        }
        for k in 0..self.places.len() {
            self.friction_rows(p, self.places[k]);
        }
        for k in 0..self.places.len() {
            self.bound_row(p, self.places[k]);
        }
        self.guess(p);
        self.view()
    }

    /// The problem written last.
    pub fn view(&self) -> Mlcp<'_> {
        self.problem.view()
    }

    fn number(&mut self, p: &Cone<'_>) {
        self.kept.clear();
        self.kept.resize(p.n(), 0);
        self.axis.clear();
        self.axis.resize(p.n(), (0, 0));
        for (k, b) in p.blocks.iter().enumerate() {
            for a in 0..b.dim {
                self.kept[(b.tangent + a) as usize] = TANGENT;
                self.axis[(b.tangent + a) as usize] = (k as u32, a as u8);
            }
        }
        self.n_kept = 0;
        for place in self.kept.iter_mut().filter(|place| **place != TANGENT) {
            *place = self.n_kept as u32;
            self.n_kept += 1;
        }
        self.places.clear();
        let mut first = self.n_kept;
        for block in p.blocks.iter() {
            self.places.push(FrictionRows { block, first, sigma: 0 });
            first += self.of(&block).len();
        }
        for (k, place) in self.places.iter_mut().enumerate() {
            place.sigma = first + k;
        }
    }

    /// Adds `scale` times row i of M, in terms of the polygonal unknowns, to the row under construction.
    fn push_row(&mut self, p: &Cone<'_>, i: usize, scale: f64) {
        for (j, v) in p.rows.m.entries(i) {
            if self.kept[j] != TANGENT {
                add(&mut self.problem.m, &mut self.mark, self.kept[j] as usize, scale * v);
                continue;
            }
            let (block, axis) = self.axis[j];
            let place = self.places[block as usize];
            let directions = if place.block.dim == 2 { &self.polygon } else { &self.line };
            for (d, (c, s)) in directions.iter().enumerate() {
                let along = if axis == 0 { c } else { s };
                if along != 0.0 {
                    add(&mut self.problem.m, &mut self.mark, place.first + d, scale * along * v);
                }
            }
        }
    }

    /// Closes a row that is kept: with its own bounds, normals with 0 … ∞.
    fn end_kept_row(&mut self, p: &Cone<'_>, i: usize) {
        let rows = &p.rows;
        let scales = (rows.z_scale[i], rows.w_scale[i]);
        self.problem.end_row(rows.q[i], (rows.lower[i], rows.upper[i]), rows.tag[i], scales);
    }

    /// Dᵀ w_t + E σ.
    fn friction_rows(&mut self, p: &Cone<'_>, place: FrictionRows) {
        let (b, rows) = (place.block, &p.rows);
        if !b.is_disc() {
            self.problem.lower[self.kept[b.normal as usize] as usize] = 0.0;
        }
        let t = b.tangent as usize;
        for d in 0..self.of(&b).len() {
            let (c, s) = self.of(&b).get(d);
            let mut q = 0.0;
            for (a, along) in [c, s].into_iter().take(b.dim as usize).enumerate() {
                if along != 0.0 {
                    self.push_row(p, t + a, along);
                    q += along * rows.q[t + a];
                }
            }
            self.problem.m.push(place.sigma, 1.0);
            self.problem.end_row(q, (0.0, INF), rows.tag[t], (rows.z_scale[t], rows.w_scale[t]));
        }
    }

    /// μ p_n − Eᵀ p_f, or radius − Eᵀ p_f.
    fn bound_row(&mut self, p: &Cone<'_>, place: FrictionRows) {
        let (b, t) = (place.block, place.block.tangent as usize);
        if !b.is_disc() && b.size != 0.0 {
            self.problem.m.push(self.kept[b.normal as usize] as usize, b.size);
        }
        for d in 0..self.of(&b).len() {
            self.problem.m.push(place.first + d, -1.0);
        }
        let RowTag { subject, part } = p.rows.tag[t];
        let part = match part {
            Part::Friction => Part::Slip,
            Part::Support => Part::SupportSlip,
            other => other,
        };
        let q = if b.is_disc() { b.size } else { 0.0 };
        let scales = (p.rows.w_scale[t], p.rows.z_scale[t]);
        self.problem.end_row(q, (0.0, INF), RowTag { subject, part }, scales);
    }

    /// The guess in polygonal unknowns: p_t split on the two directions next to it, σ from the slip there.
    fn guess(&mut self, p: &Cone<'_>) {
        let z = p.rows.guess;
        if z.is_empty() {
            return;
        }
        self.w.clear();
        self.w.extend((0..p.n()).map(|i| p.rows.m.row_dot(i, z) + p.rows.q[i]));
        let mut x = std::mem::take(&mut self.problem.guess);
        self.restrict(z, &self.w, &mut x);
        self.problem.guess = x;
    }

    /// Polygonal unknowns of a Cone's z with its w = M z + q.
    pub fn restrict(&self, z: &[f64], w: &[f64], x: &mut Vec<f64>) {
        x.clear();
        x.resize(self.problem.q.len(), 0.0);
        for (i, &place) in self.kept.iter().enumerate().filter(|(_, place)| **place != TANGENT) {
            x[place as usize] = z[i];
        }
        for place in &self.places {
            let directions = self.of(&place.block);
            directions.split(place.block.tangential(z), &mut x[place.first..][..directions.len()]);
            x[place.sigma] = directions.slip(place.block.tangential(w));
        }
    }

    /// The Cone's z of polygonal unknowns x: kept rows as they are, p_t = D p_f.
    pub fn expand(&self, x: &[f64], z: &mut [f64]) {
        for (i, &place) in self.kept.iter().enumerate().filter(|(_, place)| **place != TANGENT) {
            z[i] = x[place as usize];
        }
        for place in &self.places {
            let directions = self.of(&place.block);
            let p_t = directions.join(&x[place.first..][..directions.len()]);
            let t = place.block.tangent as usize;
            z[t] = p_t.0;
            if place.block.dim == 2 {
                z[t + 1] = p_t.1;
            }
        }
    }
}

/// Adds to the entry of `column` in the row under construction; `mark` holds the last entry of every column.
fn add(m: &mut CsrBuf, mark: &mut [u32], column: usize, value: f64) {
    let at = mark[column];
    if at != u32::MAX && m.add_to_open_row(at as usize, value) {
        return;
    }
    mark[column] = m.nnz() as u32;
    m.push(column, value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{ConeBuf, NO_NORMAL};
    use nalgebra::{DMatrix, DVector};

    /// Rows: a free velocity, a spatial block (1, 2, 3), a planar one (5, 4), a disc (6, 7), a bounded row 8.
    fn mixed() -> ConeBuf {
        let n = 9;
        let dense =
            DMatrix::from_fn(n, n, |i, j| ((3 * i + 7 * j + 1) as f64).sin() + 4.0 * f64::from(i == j));
        let q: Vec<f64> = (0..n).map(|i| (i as f64 + 0.5).cos()).collect();
        let mut lower = vec![-INF; n];
        lower[8] = 0.5;
        let rows = MlcpBuf::from_parts(CsrBuf::from_dense(&dense), q, lower, vec![INF; n], 1e-10);
        let mut out = ConeBuf { rows, ..ConeBuf::default() };
        out.rows.tag[2] = RowTag { subject: 3, part: Part::Friction };
        out.rows.tag[6] = RowTag { subject: 1, part: Part::Support };
        out.push_block(ConeBlock { normal: 1, tangent: 2, dim: 2, size: 0.4 });
        out.push_block(ConeBlock { normal: 5, tangent: 4, dim: 1, size: 0.7 });
        out.push_block(ConeBlock { normal: NO_NORMAL, tangent: 6, dim: 2, size: 0.25 });
        out
    }

    #[test]
    fn rows_say_what_the_formula_says() {
        let problem = mixed();
        let p = problem.view();
        let mut bridge = ConeAsMlcp::new(6).unwrap();
        let x = DVector::from_fn(4 + 6 + 2 + 6 + 3, |i, _| (1.0 + i as f64).sin());
        let mlcp = bridge.write(&p);
        assert_eq!(mlcp.check(), Ok(()));
        assert_eq!(mlcp.n(), x.len());
        let w: Vec<f64> = (0..mlcp.n()).map(|i| mlcp.m.row_dot(i, x.as_slice()) + mlcp.q[i]).collect();
        let mut z = vec![0.0; 9];
        bridge.expand(x.as_slice(), &mut z);
        let full = |i: usize| p.rows.m.row_dot(i, &z) + p.rows.q[i];
        // Kept rows are 0, 1, 5, 8; then 6 + 2 + 6 directions; then three bounds.
        for (row, i) in [(0, 0), (1, 1), (2, 5), (3, 8)] {
            assert!((w[row] - full(i)).abs() < 1e-12 && z[i] == x[row]);
        }
        for k in 0..6 {
            let angle = 2.0 * std::f64::consts::PI * k as f64 / 6.0;
            let along = |t: usize| angle.cos() * full(t) + angle.sin() * full(t + 1);
            assert!((w[4 + k] - along(2) - x[18]).abs() < 1e-12);
            assert!((w[12 + k] - along(6) - x[20]).abs() < 1e-12);
        }
        assert!((w[10] - full(4) - x[19]).abs() < 1e-12 && (w[11] + full(4) - x[19]).abs() < 1e-12);
        let sum = |range: std::ops::Range<usize>| range.map(|i| x[i]).sum::<f64>();
        assert!((w[18] - (0.4 * x[1] - sum(4..10))).abs() < 1e-12);
        assert!((w[19] - (0.7 * x[2] - sum(10..12))).abs() < 1e-12);
        assert!((w[20] - (0.25 - sum(12..18))).abs() < 1e-12);
    }

    #[test]
    fn bounds_and_tags_follow() {
        let problem = mixed();
        let mut bridge = ConeAsMlcp::new(4).unwrap();
        let mlcp = bridge.write(&problem.view());
        assert_eq!(mlcp.lower[..4], [-INF, 0.0, 0.0, 0.5]);
        assert!(mlcp.lower[4..].iter().all(|l| *l == 0.0) && mlcp.upper.iter().all(|u| *u == INF));
        assert_eq!(mlcp.tag[14], RowTag { subject: 3, part: Part::Slip });
        assert_eq!(mlcp.tag[16], RowTag { subject: 1, part: Part::SupportSlip });
    }

    #[test]
    fn a_guess_goes_there_and_back() {
        let mut problem = mixed();
        problem.rows.guess = vec![0.1, 2.0, 0.3, -0.4, -0.5, 1.0, 0.05, 0.06, 0.7];
        let mut bridge = ConeAsMlcp::new(16).unwrap();
        let guess = bridge.write(&problem.view()).guess.to_vec();
        let mut z = vec![0.0; 9];
        bridge.expand(&guess, &mut z);
        for (a, b) in z.iter().zip(&problem.rows.guess) {
            assert!((a - b).abs() < 1e-15, "{z:?}");
        }
        assert!(guess[4..].iter().all(|x| *x >= 0.0));
    }

    #[test]
    fn planar_blocks_are_exact() {
        // Point mass m = 2 sliding at 1 m/s, μ = .5, h = .1, g = 10: p_n = 2, p_t = −1, slip .5.
        let m = CsrBuf::from_dense(&(DMatrix::identity(2, 2) * 0.5));
        let rows = MlcpBuf::from_parts(m, vec![-1.0, 1.0], vec![-INF; 2], vec![INF; 2], 1e-10);
        let mut problem = ConeBuf { rows, ..ConeBuf::default() };
        problem.push_block(ConeBlock { normal: 0, tangent: 1, dim: 1, size: 0.5 });
        let mut bridge = ConeAsMlcp::new(4).unwrap();
        let x = [2.0, 0.0, 1.0, 0.5];
        assert!(bridge.write(&problem.view()).residual(&x).natural < 1e-15);
        let mut z = vec![0.0; 2];
        bridge.expand(&x, &mut z);
        assert_eq!(z, [2.0, -1.0]);
        assert!(problem.view().residual(&z).natural < 1e-15);
    }

    #[test]
    fn the_polygon_falls_short_by_no_more_than_its_bound() {
        // |p_t| of the polygon's vertices is μ p_n, halfway between them cos(π/n_d) of it.
        let bridge = ConeAsMlcp::new(8).unwrap();
        let (a, b) = (bridge.polygon.get(0), bridge.polygon.get(1));
        let half = (0.5 * (a.0 + b.0)).hypot(0.5 * (a.1 + b.1));
        assert!((1.0 - half - bridge.bound()).abs() < 1e-15);
        let message = ConeAsMlcp::new(7).unwrap_err().message;
        assert_eq!(message, "a friction polygon has an even number of directions, at least 4, found 7");
    }
}
