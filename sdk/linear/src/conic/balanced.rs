//! The problem in balanced units, by powers of two, so that scaling itself rounds nothing.
//!
//! x = β D x̂, s = β E⁻¹ ŝ, y = β E ŷ/κ turn min ½ xᵀP x + cᵀx, s = G x + g into the same form with
//!
//! P̂ = κ D P D, ĉ = κ D c/β, Ĝ = E G D, ĝ = E g/β, and bounds E l/β, E u/β.
//!
//! D and E (one number per cone, so that cones stay cones) balance rows and columns of [P Gᵀ; G 0] (Ruiz 2001); κ and β
//! bring ĉ and the right sides to order one. All of it depends on this problem alone, never on earlier ones.

use vinci_core::CsrBuf;
use vinci_core::lists::largest;
use vinci_core::problem::Conic;

/// Passes over the matrix; more change nothing that powers of two can show.
const PASSES: usize = 8;
/// Largest change of the ratio between P̂ and Ĝ that κ may make where there is a P.
const KAPPA_SPAN: f64 = 1e4;

/// The balanced problem, with its memory.
#[derive(Debug, Default)]
pub struct Balanced {
    /// P̂, pattern of P.
    pub p: CsrBuf,
    /// ĉ.
    pub c: Vec<f64>,
    /// Ĝ, pattern of G.
    pub g: CsrBuf,
    /// ĝ.
    pub offset: Vec<f64>,
    /// Bounds of ŝ.
    pub lower: Vec<f64>,
    /// Bounds of ŝ.
    pub upper: Vec<f64>,
    /// D.
    d: Vec<f64>,
    /// E.
    e: Vec<f64>,
    kappa: f64,
    beta: f64,
    row_max: Vec<f64>,
    column_max: Vec<f64>,
}

/// The power of two nearest to x > 0 (in its exponent); 1 for 0 and what is not finite.
fn power_of_two(x: f64) -> f64 {
    if x > 0.0 && x.is_finite() { x.log2().round().clamp(-400.0, 400.0).exp2() } else { 1.0 }
}

impl Balanced {
    /// Balances `p`.
    pub fn build(&mut self, p: &Conic<'_>) {
        self.d.clear();
        self.d.resize(p.n(), 1.0);
        self.e.clear();
        self.e.resize(p.m(), 1.0);
        for _ in 0..PASSES {
            self.balance(p);
        }
        self.choose_units(p);
        self.write(p);
    }

    /// One pass of Ruiz's balancing.
    fn balance(&mut self, p: &Conic<'_>) {
        self.column_max.clear();
        self.column_max.resize(p.n(), 0.0);
        self.row_max.clear();
        self.row_max.resize(p.m(), 0.0);
        for i in 0..p.n() {
            for (j, v) in p.p.entries(i) {
                let size = (self.d[i] * v * self.d[j]).abs();
                self.column_max[j] = self.column_max[j].max(size);
            }
        }
        for i in 0..p.m() {
            for (j, v) in p.rows.entries(i) {
                let size = (self.e[i] * v * self.d[j]).abs();
                self.column_max[j] = self.column_max[j].max(size);
                self.row_max[i] = self.row_max[i].max(size);
            }
        }
        for (first, dim) in cones(p) {
            let largest = largest(&self.row_max[first..first + dim]);
            self.row_max[first..first + dim].fill(largest);
        }
        for (d, size) in self.d.iter_mut().zip(&self.column_max) {
            *d /= power_of_two(size.sqrt());
        }
        for (e, size) in self.e.iter_mut().zip(&self.row_max) {
            *e /= power_of_two(size.sqrt());
        }
    }

    /// κ and β. Where there is a P, β follows the right sides down to c/[`KAPPA_SPAN`] only: below it they are rounding beside
    /// P x = −c (gaps of 1e-16 m in a contact at rest), and units of their size would leave ĉ without measure.
    fn choose_units(&mut self, p: &Conic<'_>) {
        let c = p.c.iter().zip(&self.d).fold(0.0_f64, |m, (c, d)| m.max((c * d).abs()));
        let sides = [p.g, p.lower, p.upper];
        let b = sides.iter().flat_map(|side| side.iter().zip(&self.e)).map(|(b, e)| (b * e).abs());
        let b = b.filter(|b| b.is_finite()).fold(0.0_f64, f64::max);
        let free = largest(p.p.value) == 0.0;
        let span = if free { f64::INFINITY } else { KAPPA_SPAN };
        (self.kappa, self.beta) = (1.0, power_of_two(b.max(if b > 0.0 { c / span } else { c })));
        if b > 0.0 && c > 0.0 {
            self.kappa = power_of_two((self.beta / c).clamp(1.0 / span, span));
        }
    }

    fn write(&mut self, p: &Conic<'_>) {
        let (kappa, beta) = (self.kappa, self.beta);
        self.p.clear(p.n());
        for i in 0..p.n() {
            for (j, v) in p.p.entries(i) {
                self.p.push(j, kappa * self.d[i] * v * self.d[j]);
            }
            self.p.end_row();
        }
        self.g.clear(p.n());
        for i in 0..p.m() {
            for (j, v) in p.rows.entries(i) {
                self.g.push(j, self.e[i] * v * self.d[j]);
            }
            self.g.end_row();
        }
        self.c.clear();
        self.c.extend(p.c.iter().zip(&self.d).map(|(c, d)| kappa * d * c / beta));
        let sides = [(&mut self.offset, p.g), (&mut self.lower, p.lower), (&mut self.upper, p.upper)];
        for (to, from) in sides {
            to.clear();
            to.extend(from.iter().zip(&self.e).map(|(b, e)| b * e / beta));
        }
    }

    /// D and E: with β left out, the balanced units of unknowns and of the rows' forces.
    pub fn units(&self) -> (&[f64], &[f64]) {
        (&self.d, &self.e)
    }

    /// The balanced problem; provenance, cones and tolerance are those of `p`, which it was built from.
    pub fn view<'a>(&'a self, p: &Conic<'a>) -> Conic<'a> {
        Conic {
            p: self.p.view(),
            c: &self.c,
            rows: self.g.view(),
            g: &self.offset,
            lower: &self.lower,
            upper: &self.upper,
            guess: &[],
            dual_guess: &[],
            ..*p
        }
    }

    /// ŝ_i over s_i of row i.
    pub fn row_unit(&self, i: usize) -> f64 {
        self.e[i] / self.beta
    }

    /// An objective of the problem as given from one of the balanced problem: β²/κ times it.
    pub fn objective(&self, value: f64) -> f64 {
        self.beta * self.beta / self.kappa * value
    }

    /// x and y of the problem as given from x̂ and ŷ.
    pub fn expand(&self, x_hat: &[f64], y_hat: &[f64], x: &mut Vec<f64>, y: &mut Vec<f64>) {
        x.clear();
        x.extend(x_hat.iter().zip(&self.d).map(|(x, d)| self.beta * d * x));
        y.clear();
        y.extend(y_hat.iter().zip(&self.e).map(|(y, e)| self.beta * e * y / self.kappa));
    }
}

/// The cones as (first row, rows).
pub(crate) fn cones<'a>(p: &Conic<'a>) -> impl Iterator<Item = (usize, usize)> + 'a {
    p.cones().map(|cone| (cone.start, cone.len()))
}

#[cfg(test)]
mod tests {
    use super::Balanced;
    use vinci_core::CsrBuf;
    use vinci_core::problem::ConicBuf;

    /// min ½ x² − c x over x + g ≥ 0 with a gap g of rounding: β followed g, and ĉ was 1e12.
    #[test]
    fn right_sides_of_rounding_set_no_unit() {
        let one = || CsrBuf::from_triplets(1, 1, &[(0, 0, 1.0)]);
        for g in [0.0, 1e-300, 5e-16, 1e-9, 1.0, 1e9] {
            let bounds = (vec![0.0], vec![f64::INFINITY]);
            let problem = ConicBuf::from_parts(one(), vec![-0.1], one(), vec![-g], bounds);
            let mut balanced = Balanced::default();
            balanced.build(&problem.view());
            let (c, offset) = (balanced.c[0].abs(), balanced.offset[0].abs());
            assert!(c <= 2.0, "g {g:e}: ĉ is {c:e}");
            assert!(offset <= 2.0, "g {g:e}: ĝ is {offset:e}");
        }
    }
}
