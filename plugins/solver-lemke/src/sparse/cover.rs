//! The covering vector, the perturbation, and the entry of z₀.

use super::path::{Entering, Path, Rules};

impl Path {
    /// Perturbs q, chooses d, and pivots z₀ in at the value where every basic variable is feasible.
    /// In slots the covering vector is c = ±(1 … 2) on one-sided variables, so d = −B c.
    pub(super) fn enter_cover(&mut self, rules: Rules) -> Option<Entering> {
        let n = self.n();
        self.delta.clear();
        self.factor.cover.clear();
        self.factor.cover.resize(n, 0.0);
        self.rhs.clear();
        self.rhs.resize(n, 0.0);
        for slot in 0..n {
            let var = self.factor.slot_var[slot] as usize;
            let (lower, upper) = self.bounds(var);
            let toward = match (lower.is_finite(), upper.is_finite()) {
                (true, false) => 1.0,
                (false, true) => -1.0,
                _ => 0.0,
            };
            let spread = spread(var, rules.variant);
            let c = toward * if rules.variant == 0 { 1.0 } else { 1.0 + 3.0 * spread };
            let shift = toward * rules.perturbation * (1.0 + spread);
            self.delta.push(c);
            self.x[slot] += shift;
            self.add_basis_column(var, -c, -shift);
        }
        self.q.iter_mut().zip(&self.rhs).for_each(|(q, shift)| *q += shift);
        self.enter_at_worst()
    }

    /// cover += c · B_var, rhs += shift · B_var.
    fn add_basis_column(&mut self, var: usize, c: f64, shift: f64) {
        let n = self.n();
        if var >= n {
            self.factor.cover[var - n] -= c;
            self.rhs[var - n] -= shift;
        } else {
            self.m.add_column(var, c, &mut self.factor.cover);
            self.m.add_column(var, shift, &mut self.rhs);
        }
    }

    fn enter_at_worst(&mut self) -> Option<Entering> {
        let n = self.n();
        let (mut z0, mut worst) = (0.0, None);
        for slot in 0..n {
            let c = self.delta[slot];
            let (lower, upper) = self.bounds(self.factor.slot_var[slot] as usize);
            let need = if c > 0.0 {
                (lower - self.x[slot]) / c
            } else if c < 0.0 {
                (upper - self.x[slot]) / c
            } else {
                0.0
            };
            if need > z0 {
                (z0, worst) = (need, Some(slot));
            }
        }
        let r = worst?;
        let leaving = self.factor.slot_var[r] as usize;
        let at_upper = self.delta[r] < 0.0;
        self.x.iter_mut().zip(&self.delta).for_each(|(x, c)| *x += z0 * c);
        self.x[r] = z0;
        // B c = −d: the column of z₀ in the basis is B⁻¹ d = −c.
        self.column.clear();
        self.column.extend(self.delta.iter().map(|c| -c));
        self.factor.replace(r, 2 * n, &self.column);
        self.basic[leaving] = false;
        self.basic[2 * n] = true;
        self.pivots += 1;
        Some(self.complement(leaving, at_upper))
    }
}

/// A fixed number in [0, 1) for every variable and variant: multiples of the golden ratio, so that no two are close.
fn spread(var: usize, variant: u32) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    ((var as f64 + 1.0) * GOLDEN + f64::from(variant) * 0.754_877_666_246_692_7).fract()
}
