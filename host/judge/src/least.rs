//! Least residual of a sum of forces, each within its cone:
//!
//! ```text
//! min  ‖w − G y‖ + cᵀ y     subject to   y in a product of cones
//! ```
//!
//! The norm itself, not its square: where some forces explain w, the least is 0 and small costs c do not change that (they only say
//! which of the forces that explain it are taken). An interior-point method solves it; what it finds is a witness that the referee
//! looks at, so a search that goes wrong never speaks for anybody.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SecondOrderConeT, SupportedConeT,
};

/// Where some neighbouring unknowns may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Block {
    /// One, anywhere.
    Free,
    /// One, from … to; either may be infinite.
    Range(f64, f64),
    /// A number of unknowns, normal first: |tangents| ≤ μ normal. One alone is ≥ 0.
    Cone(usize, f64),
    /// A number of unknowns, normal first, in the cone of μ; tangents along a unit vector are at least a part of μ normal.
    Wedge(usize, f64, [f64; 2], f64),
    /// A number of unknowns, as a vector no longer than a radius; along a unit vector at least a part of it, where one is named.
    Ball(usize, f64, Option<([f64; 2], f64)>),
}

impl Block {
    /// Number of unknowns.
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Free | Self::Range(..) => 1,
            Self::Cone(n, _) | Self::Wedge(n, ..) | Self::Ball(n, ..) => n,
        }
    }
}

/// A program; its unknowns block by block.
#[derive(Debug, Clone, Default)]
pub(crate) struct Least {
    /// w.
    pub(crate) wanted: Vec<f64>,
    /// Columns of G: (row, value).
    pub(crate) column: Vec<Vec<(usize, f64)>>,
    /// c, against columns of length 1.
    pub(crate) cost: Vec<f64>,
    pub(crate) block: Vec<Block>,
}

/// Tolerance of the interior-point method: it is asked for what double precision leaves.
const TOLERANCE: f64 = 1e-12;
/// Part of w that may be left for its unknowns to be polished: more is no rounding.
const NEARLY: f64 = 1e-6;

impl Least {
    /// The unknowns at the least; zeros where nothing is wanted or nothing was found.
    pub(crate) fn solve(&self) -> Vec<f64> {
        let n = self.column.len();
        let scale = self.scales();
        let size = self.size(&scale);
        if n == 0 || !(size > 0.0) || !size.is_finite() {
            return vec![0.0; n];
        }
        // Unknowns t, then y: w and y are divided by the size of w, columns by their length.
        let mut rows = Rows::default();
        self.add_norm(&mut rows, &scale, size);
        let mut first = 0;
        for block in &self.block {
            add_block(&mut rows, *block, first, &scale, size);
            first += block.len();
        }
        let q: Vec<f64> = std::iter::once(1.0).chain(self.cost.iter().copied()).collect();
        let a = CscMatrix::new_from_triplets(rows.b.len(), n + 1, rows.i, rows.j, rows.value);
        let p = CscMatrix::<f64>::zeros((n + 1, n + 1));
        let Ok(mut solver) = DefaultSolver::new(&p, &q, &a, &rows.b, &rows.cone, settings(TOLERANCE)) else {
            return vec![0.0; n];
        };
        solver.solve();
        let x = &solver.solution.x;
        match x.iter().all(|x| x.is_finite()) {
            true => {
                let mut y: Vec<f64> = (0..n).map(|k| size * scale[k] * x[k + 1]).collect();
                self.polish(&mut y);
                y
            }
            false => vec![0.0; n],
        }
    }

    /// ‖w‖; where nothing is wanted, that of the forces that must be there.
    fn size(&self, scale: &[f64]) -> f64 {
        let wanted = self.wanted.iter().map(|w| w * w).sum::<f64>().sqrt();
        let (mut first, mut least) = (0, 0.0_f64);
        for block in &self.block {
            if let Block::Ball(_, radius, Some(_)) = block {
                least = least.max(radius / scale[first]);
            }
            first += block.len();
        }
        if wanted > 0.0 { wanted } else { least }
    }

    /// Removes the residual that an interior-point method leaves in the equations, a millionth or less, by changes of the unknowns in proportion to their
    /// sizes: conjugate gradients on G S² Gᵀ λ = w − G y, y ← y + S² Gᵀ λ, S the size of each block.
    pub(crate) fn polish(&self, y: &mut [f64]) {
        let share = self.shares(y);
        let mut residual = self.wanted.clone();
        self.subtract(y, &mut residual);
        let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>();
        let (wanted, left) = (norm(&self.wanted), norm(&residual));
        if left > NEARLY * NEARLY * wanted {
            return;
        }
        let (before, mut way) = (y.to_vec(), residual.clone());
        let (mut square, enough) = (left, f64::EPSILON * f64::EPSILON * wanted);
        for _ in 0..residual.len() {
            let moved: Vec<f64> = self.column.iter().zip(&share).map(|(c, s)| s * s * dot(c, &way)).collect();
            let mut applied = vec![0.0; way.len()];
            self.subtract(&moved, &mut applied);
            let curvature: f64 = -way.iter().zip(&applied).map(|(a, b)| a * b).sum::<f64>();
            if !(curvature > 0.0) || square <= enough {
                break;
            }
            let step = square / curvature;
            y.iter_mut().zip(&moved).for_each(|(y, m)| *y += step * m);
            residual.iter_mut().zip(&applied).for_each(|(r, a)| *r += step * a);
            let next = norm(&residual);
            way.iter_mut().zip(&residual).for_each(|(w, r)| *w = r + next / square * *w);
            square = next;
        }
        let mut now = self.wanted.clone();
        self.subtract(y, &mut now);
        // Where rounding went the other way nothing is taken.
        if !(norm(&now) < left) {
            y.copy_from_slice(&before);
        }
    }

    /// Size of the block of every unknown.
    fn shares(&self, y: &[f64]) -> Vec<f64> {
        let mut out = Vec::with_capacity(y.len());
        for block in &self.block {
            let own = &y[out.len()..out.len() + block.len()];
            let largest = own.iter().fold(0.0_f64, |m, y| m.max(y.abs()));
            out.extend(std::iter::repeat_n(largest, block.len()));
        }
        out
    }

    /// r − G y.
    fn subtract(&self, y: &[f64], r: &mut [f64]) {
        for (column, y) in self.column.iter().zip(y) {
            column.iter().for_each(|(i, x)| r[*i] -= x * y);
        }
    }

    /// Scales that make columns as long as 1: the unknowns of a block have one scale, so that cones stay what they are.
    fn scales(&self) -> Vec<f64> {
        let length = |k: usize| self.column[k].iter().map(|(_, x)| x * x).sum::<f64>().sqrt();
        let (mut out, mut first) = (Vec::with_capacity(self.column.len()), 0);
        for block in &self.block {
            let longest = (first..first + block.len()).map(length).fold(0.0, f64::max);
            let scale = if longest > 0.0 { 1.0 / longest } else { 1.0 };
            out.extend(std::iter::repeat_n(scale, block.len()));
            first += block.len();
        }
        out
    }

    /// ‖w − G y‖ ≤ t.
    fn add_norm(&self, rows: &mut Rows, scale: &[f64], size: f64) {
        rows.push(0, -1.0);
        rows.end(0.0);
        let first = rows.b.len();
        for (k, column) in self.column.iter().enumerate() {
            for (i, x) in column {
                rows.i.push(first + i);
                rows.j.push(k + 1);
                rows.value.push(x * scale[k]);
            }
        }
        self.wanted.iter().for_each(|w| rows.end(w / size));
        rows.cone.push(SecondOrderConeT(1 + self.wanted.len()));
    }
}

fn dot(column: &[(usize, f64)], v: &[f64]) -> f64 {
    column.iter().map(|(i, x)| x * v[*i]).sum()
}

/// Rows of A x + s = b with s in cones.
#[derive(Default)]
struct Rows {
    i: Vec<usize>,
    j: Vec<usize>,
    value: Vec<f64>,
    b: Vec<f64>,
    cone: Vec<SupportedConeT<f64>>,
}

impl Rows {
    /// An entry of the next row.
    fn push(&mut self, j: usize, value: f64) {
        self.i.push(self.b.len());
        self.j.push(j);
        self.value.push(value);
    }

    fn end(&mut self, b: f64) {
        self.b.push(b);
    }
}

fn add_block(rows: &mut Rows, block: Block, first: usize, scale: &[f64], size: f64) {
    let unknown = |k: usize| 1 + first + k;
    match block {
        Block::Free => {}
        Block::Range(low, high) => {
            let of = |bound: f64| bound / (size * scale[first]);
            for (sign, bound) in [(-1.0, -of(low)), (1.0, of(high))] {
                if bound.is_finite() {
                    rows.push(unknown(0), sign);
                    rows.end(bound);
                    rows.cone.push(NonnegativeConeT(1));
                }
            }
        }
        Block::Cone(1, _) => {
            rows.push(unknown(0), -1.0);
            rows.end(0.0);
            rows.cone.push(NonnegativeConeT(1));
        }
        Block::Cone(n, mu) => {
            rows.push(unknown(0), -mu);
            rows.end(0.0);
            for k in 1..n {
                rows.push(unknown(k), -1.0);
                rows.end(0.0);
            }
            rows.cone.push(SecondOrderConeT(n));
        }
        Block::Wedge(n, mu, along, part) => {
            rows.push(unknown(0), part * mu);
            (1..n).for_each(|k| rows.push(unknown(k), -along[k - 1]));
            rows.end(0.0);
            rows.cone.push(NonnegativeConeT(1));
            add_block(rows, Block::Cone(n, mu), first, scale, size);
        }
        Block::Ball(n, radius, floor) => {
            if let Some((along, part)) = floor {
                (0..n).for_each(|k| rows.push(unknown(k), -along[k]));
                rows.end(-part * radius / (size * scale[first]));
                rows.cone.push(NonnegativeConeT(1));
            }
            rows.end(radius / (size * scale[first]));
            for k in 0..n {
                rows.push(unknown(k), -1.0);
                rows.end(0.0);
            }
            rows.cone.push(SecondOrderConeT(n + 1));
        }
    }
}

/// Settings of the interior-point method: one thread, and this tolerance.
pub(crate) fn settings(tolerance: f64) -> DefaultSettings<f64> {
    DefaultSettings {
        verbose: false,
        max_threads: 1,
        direct_solve_method: "qdldl".into(),
        tol_gap_abs: tolerance,
        tol_gap_rel: tolerance,
        tol_feas: tolerance,
        ..DefaultSettings::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least(wanted: &[f64], columns: &[&[f64]], block: &[Block]) -> Vec<f64> {
        let sparse = |column: &&[f64]| column.iter().copied().enumerate().collect();
        let column: Vec<Vec<_>> = columns.iter().map(sparse).collect();
        let cost = vec![0.0; column.len()];
        Least { wanted: wanted.to_vec(), column, cost, block: block.to_vec() }.solve()
    }

    /// (x, y) = (1, 2) lies in the cone of μ = 0.6 about y, and outside of that of 0.4: the nearest point of the cone is
    /// n = (2 + 0.4)/(1 + 0.16).
    #[test]
    fn the_nearest_force_in_a_cone_is_found() {
        let columns: [&[f64]; 2] = [&[0.0, 1.0], &[1.0, 0.0]];
        let inside = least(&[1.0, 2.0], &columns, &[Block::Cone(2, 0.6)]);
        assert!((inside[0] - 2.0).abs() < 1e-9 && (inside[1] - 1.0).abs() < 1e-9, "{inside:?}");
        let outside = least(&[1.0, 2.0], &columns, &[Block::Cone(2, 0.4)]);
        let n = 2.4 / 1.16;
        assert!((outside[0] - n).abs() < 1e-6 && (outside[1] - 0.4 * n).abs() < 1e-6, "{outside:?}");
        assert!(least(&[0.0, -3.0], &columns, &[Block::Cone(2, 0.6)]).iter().all(|y| y.abs() < 1e-6));
    }

    #[test]
    fn ranges_and_balls_bind() {
        let both: [&[f64]; 2] = [&[2.0, 0.0], &[0.0, 0.5]];
        let y = least(&[6.0, -4.0], &both, &[Block::Range(f64::NEG_INFINITY, 1.0), Block::Free]);
        assert!((y[0] - 1.0).abs() < 1e-9 && (y[1] + 8.0).abs() < 1e-8, "{y:?}");
        let unit: [&[f64]; 2] = [&[1.0, 0.0], &[0.0, 1.0]];
        let y = least(&[3.0, 4.0], &unit, &[Block::Ball(2, 1.0, None)]);
        assert!((y[0] - 0.6).abs() < 1e-6 && (y[1] - 0.8).abs() < 1e-6, "{y:?}");
    }

    /// Two walls may press each other as hard as they like; the cost keeps them from it.
    #[test]
    fn forces_that_are_not_unique_stay_small() {
        let columns: [&[f64]; 2] = [&[1.0], &[-1.0]];
        let mut program = Least {
            wanted: vec![1.0],
            column: columns.iter().map(|c| c.iter().copied().enumerate().collect()).collect(),
            cost: vec![1e-6; 2],
            block: vec![Block::Cone(1, 0.0); 2],
        };
        let y = program.solve();
        assert!((y[0] - 1.0).abs() < 1e-5 && y[1].abs() < 1e-5, "{y:?}");
        program.wanted = vec![0.0];
        assert_eq!(program.solve(), [0.0, 0.0]);
    }
}
