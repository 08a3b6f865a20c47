//! Pyramids in the place of second-order cones: a [`Conic`] problem without cones.
//!
//! A cone s_0 ≥ |s_1| of two rows is exactly the two rows s_0 ± s_1 ≥ 0. One of three rows, s_0 ≥ |(s_1, s_2)|, becomes n_d
//! rows s_0 + d_k·(s_1, s_2) ≥ 0 with the unit directions d_k = (cos 2πk/n_d, sin 2πk/n_d); their duals β give back
//! y = Σ β_k (1, d_k).
//!
//! Kind: exact for cones of two rows, approximate for those of three. The pyramid lies outside the cone of s:
//! |(s_1, s_2)| may be up to 1/cos(π/n_d) times s_0; and inside the cone of y: |(y_1, y_2)| falls short of y_0 by up to
//! 1 − cos(π/n_d), as a friction polygon does. The program of the pyramids is a relaxation: its value is a lower bound, and
//! a proof that it has no feasible point is, mapped back, one for the cones. That it falls without end says nothing.

use super::Refusal;
use crate::error::StageError;
use crate::problem::{Conic, ConicBuf};
use crate::rigid::directions::Directions;

const INF: f64 = f64::INFINITY;

/// The pyramids of a problem, with their memory. [`ConicAsLinear::write`] first; everything else speaks of that problem.
#[derive(Debug, Clone)]
pub struct ConicAsLinear {
    polygon: Directions,
    line: Directions,
    problem: ConicBuf,
    /// Pieces that stand for the rows and cones of the problem, in order.
    pieces: Vec<Piece>,
    m: usize,
}

/// A row or a cone, with its place on both sides.
#[derive(Debug, Clone, Copy)]
struct Piece {
    from: usize,
    /// 1 for a row, else the rows of the cone.
    dim: usize,
    to: usize,
}

impl Default for ConicAsLinear {
    fn default() -> Self {
        Self::with(Self::DEFAULT_DIRECTIONS)
    }
}

impl ConicAsLinear {
    /// Directions unless something else is asked for: 1.9 %.
    pub const DEFAULT_DIRECTIONS: usize = 16;

    /// A bridge with n_d directions for cones of three rows.
    ///
    /// Errors: n_d odd or below 4.
    pub fn new(n_d: usize) -> Result<Self, StageError> {
        if n_d < 4 || !n_d.is_multiple_of(2) {
            return Err(StageError::bad_option(format!(
                "a pyramid has an even number of sides, at least 4, found {n_d}"
            )));
        }
        Ok(Self::with(n_d))
    }

    fn with(n_d: usize) -> Self {
        Self {
            polygon: Directions::polygon(n_d),
            line: Directions::line(),
            problem: ConicBuf::default(),
            pieces: Vec::new(),
            m: 0,
        }
    }

    /// Number of directions n_d.
    pub fn directions(&self) -> usize {
        self.polygon.len()
    }

    /// 1 − cos(π/n_d): the part by which |(y_1, y_2)| may fall short of y_0.
    pub fn bound(&self) -> f64 {
        1.0 - (std::f64::consts::PI / self.polygon.len() as f64).cos()
    }

    fn of(&self, dim: usize) -> &Directions {
        if dim == 3 { &self.polygon } else { &self.line }
    }

    /// Writes the problem of pyramids, guesses included. Allocates nothing once warm.
    ///
    /// Errors: a cone of more than three rows.
    pub fn write(&mut self, p: &Conic<'_>) -> Result<(), Refusal> {
        if let Some((cone, rows)) = p.cones().enumerate().find(|(_, c)| c.len() > 3) {
            return Err(Refusal::LargeCone { cone, dim: rows.len() });
        }
        self.number(p);
        self.problem.clear(p.n(), p.tolerance);
        for j in 0..p.n() {
            p.p.entries(j).for_each(|(k, v)| self.problem.p.push(k, v));
            self.problem.end_unknown(p.c[j], p.x_tag[j], p.x_scale[j]);
        }
        for at in 0..self.pieces.len() {
            let piece = self.pieces[at];
            if piece.dim == 1 {
                let i = piece.from;
                p.rows.entries(i).for_each(|(j, v)| self.problem.rows.push(j, v));
                self.problem.end_row(p.g[i], (p.lower[i], p.upper[i]), p.s_tag[i], p.s_scale[i]);
            } else {
                self.sides(p, piece);
            }
        }
        self.guess(p);
        self.problem.tolerance = p.tolerance * p.scale() / self.problem.view().scale();
        Ok(())
    }

    /// The problem written last.
    pub fn view(&self) -> Conic<'_> {
        self.problem.view()
    }

    fn number(&mut self, p: &Conic<'_>) {
        self.m = p.m();
        self.pieces.clear();
        let (mut from, mut to) = (0, 0);
        for cone in p.cones() {
            while from < cone.start {
                self.pieces.push(Piece { from, dim: 1, to });
                (from, to) = (from + 1, to + 1);
            }
            self.pieces.push(Piece { from, dim: cone.len(), to });
            (from, to) = (cone.end, to + self.of(cone.len()).len());
        }
        while from < p.m() {
            self.pieces.push(Piece { from, dim: 1, to });
            (from, to) = (from + 1, to + 1);
        }
    }

    /// s_0 + d_k·s for every direction.
    fn sides(&mut self, p: &Conic<'_>, piece: Piece) {
        let first = piece.from;
        for k in 0..self.of(piece.dim).len() {
            let (c, s) = self.of(piece.dim).get(k);
            let mut g = 0.0;
            for (a, along) in [1.0, c, s].into_iter().take(piece.dim).enumerate() {
                if along != 0.0 {
                    g += along * p.g[first + a];
                    p.rows.entries(first + a).for_each(|(j, v)| self.problem.rows.accumulate(j, along * v));
                }
            }
            self.problem.end_row(g, (0.0, INF), p.s_tag[first], p.s_scale[first]);
        }
    }

    fn guess(&mut self, p: &Conic<'_>) {
        self.problem.guess.extend_from_slice(p.guess);
        if !p.dual_guess.is_empty() {
            let mut beta = std::mem::take(&mut self.problem.dual_guess);
            self.restrict(p.dual_guess, &mut beta);
            self.problem.dual_guess = beta;
        }
    }

    /// Duals of the pyramids for y in its cones: (y_1, y_2) on the two directions next to it, what is left of y_0 evenly.
    pub fn restrict(&self, y: &[f64], beta: &mut Vec<f64>) {
        beta.clear();
        beta.resize(self.problem.g.len(), 0.0);
        for piece in &self.pieces {
            if piece.dim == 1 {
                beta[piece.to] = y[piece.from];
                continue;
            }
            let directions = self.of(piece.dim);
            let part = &mut beta[piece.to..][..directions.len()];
            let second = if piece.dim == 3 { y[piece.from + 2] } else { 0.0 };
            directions.split((y[piece.from + 1], second), part);
            let rest = (y[piece.from] - part.iter().sum::<f64>()).max(0.0) / directions.len() as f64;
            part.iter_mut().for_each(|b| *b += rest);
        }
    }

    /// y of the pyramids' duals β: rows as they are, Σ β_k (1, d_k) for cones. Proofs of infeasibility go the same way.
    pub fn expand(&self, beta: &[f64], y: &mut Vec<f64>) {
        y.clear();
        y.resize(self.m, 0.0);
        for piece in &self.pieces {
            if piece.dim == 1 {
                y[piece.from] = beta[piece.to];
                continue;
            }
            let directions = self.of(piece.dim);
            let part = &beta[piece.to..][..directions.len()];
            let rest = directions.join(part);
            y[piece.from] = part.iter().sum();
            y[piece.from + 1] = rest.0;
            if piece.dim == 3 {
                y[piece.from + 2] = rest.1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bridge::ConicAsMlcp;
    use crate::bridge::support::{Numbers, conic, solutions};
    use crate::problem::check_conic_infeasible;

    /// min ½ |x − a|² over x_0 ≥ |(x_1, …)|, beside a row x_0 ≤ 9.
    fn nearest(a: &[f64]) -> ConicBuf {
        let n = a.len();
        let unit = |i: usize| (0..n).map(|j| f64::from(u8::from(i == j))).collect::<Vec<f64>>();
        let eye: Vec<_> = (0..n).map(unit).collect();
        let rows: Vec<_> = std::iter::once(unit(0)).chain(eye.iter().cloned()).collect();
        let mut bounds = vec![(-INF, INF); n + 1];
        bounds[0].1 = 9.0;
        let c: Vec<f64> = a.iter().map(|a| -a).collect();
        let mut problem = conic(&eye, &c, &rows, &vec![0.0; n + 1], &bounds);
        problem.cones = vec![1, n as u32];
        problem
    }

    #[test]
    fn cones_of_two_rows_are_exact() {
        let mut r = Numbers(5);
        for _ in 0..40 {
            let problem = nearest(&[r.of(-2.0, 2.0), r.of(-2.0, 2.0)]);
            let (mut linear, mut mlcp) = (ConicAsLinear::default(), ConicAsMlcp::default());
            linear.write(&problem.view()).unwrap();
            linear.view().check().unwrap();
            mlcp.write(&linear.view()).unwrap();
            let (mut x, mut beta, mut y) = (Vec::new(), Vec::new(), Vec::new());
            let z = solutions(&mlcp.view()).remove(0);
            mlcp.expand(&z, &mut x, &mut beta);
            linear.expand(&beta, &mut y);
            let residual = problem.view().residual(&x, &y);
            assert!(residual.natural < 1e-12, "{residual:?}");
            let mut again = Vec::new();
            linear.restrict(&y, &mut again);
            assert!(beta.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-12), "{beta:?} {again:?}");
        }
    }

    #[test]
    fn pyramids_are_within_their_bounds() {
        let mut r = Numbers(9);
        for _ in 0..40 {
            let a = [r.of(-1.0, 1.0), r.of(-2.0, 2.0), r.of(-2.0, 2.0)];
            let problem = nearest(&a);
            let mut linear = ConicAsLinear::new(4).unwrap();
            linear.write(&problem.view()).unwrap();
            let mut mlcp = ConicAsMlcp::default();
            mlcp.write(&linear.view()).unwrap();
            let (mut x, mut beta, mut y) = (Vec::new(), Vec::new(), Vec::new());
            for z in solutions(&mlcp.view()) {
                mlcp.expand(&z, &mut x, &mut beta);
                linear.expand(&beta, &mut y);
                // s outside its cone by no more than the bound, y inside its own.
                assert!(x[1].hypot(x[2]) <= x[0] / (1.0 - linear.bound()) + 1e-12);
                assert!(y[2].hypot(y[3]) <= y[1] + 1e-12);
                assert!(linear.view().residual(&x, &beta).natural < 1e-12);
                // A relaxation: its value is no larger than that of the nearest point of the cone.
                let (head, shrink) = crate::problem::project_second_order(a[0], a[1].hypot(a[2]));
                let best = [head, shrink * a[1], shrink * a[2]];
                assert!(problem.view().objective(&x) <= problem.view().objective(&best) + 1e-12);
            }
        }
    }

    #[test]
    fn proofs_of_the_relaxation_are_proofs() {
        // (1, x_0, x_1) in the cone and x_0 ≥ 2.
        let rows = [vec![0.0; 2], vec![1.0, 0.0], vec![0.0, 1.0], vec![1.0, 0.0]];
        let bounds = [(-INF, INF), (-INF, INF), (-INF, INF), (2.0, INF)];
        let zero = vec![vec![0.0; 2]; 2];
        let mut problem = conic(&zero, &[0.0; 2], &rows, &[1.0, 0.0, 0.0, 0.0], &bounds);
        problem.cones = vec![0, 3];
        let mut linear = ConicAsLinear::new(8).unwrap();
        linear.write(&problem.view()).unwrap();
        let mut beta = vec![0.0; 9];
        // 1 − x_0 ≥ 0 is direction 4.
        (beta[4], beta[8]) = (1.0, 1.0);
        assert!(check_conic_infeasible(&linear.view(), &beta).proves());
        let mut y = Vec::new();
        linear.expand(&beta, &mut y);
        assert!(check_conic_infeasible(&problem.view(), &y).proves(), "{y:?}");
    }

    #[test]
    fn larger_cones_are_refused() {
        let message = ConicAsLinear::default().write(&nearest(&[0.0; 4]).view()).unwrap_err().to_string();
        assert_eq!(message, "cone 0 has 4 rows; there are pyramids for 2 and 3");
        let message = ConicAsLinear::new(5).unwrap_err().message;
        assert_eq!(message, "a pyramid has an even number of sides, at least 4, found 5");
    }
}
