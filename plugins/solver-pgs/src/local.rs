//! One block exactly: 0 ≤ x ⟂ D x + b ≥ 0 of a few rows.
//!
//! A solution is a mode: which unknowns are basic (their row is an equation), the others are zero. The mode of the last
//! visit is tried first, one small linear system; if its signs are wrong, Lemke's method with the lexicographic rule
//! finds another. For a contact the modes are separation, sticking and sliding along a direction or between two.

/// Working memory of the local solver.
#[derive(Debug, Default)]
pub(crate) struct Local {
    /// Tableau [B⁻¹ | B⁻¹ N … | B⁻¹ q], one row per basic variable.
    tableau: Vec<f64>,
    basis: Vec<usize>,
    system: Vec<f64>,
    index: Vec<usize>,
    trial: Vec<f64>,
}

/// Entries below this share of the largest do not serve as pivots.
const PIVOT: f64 = 1e-11;

impl Local {
    /// Solves; `mode` holds the last mode (bit i: x_i basic) and receives the new one. False when no solution was found;
    /// x is then unchanged.
    pub(crate) fn solve(&mut self, d: &[f64], b: &[f64], mode: &mut u64, x: &mut [f64]) -> bool {
        self.try_mode(d, b, *mode, x) || self.lemke(d, b, mode, x)
    }

    /// x of a mode, if its signs are right.
    fn try_mode(&mut self, d: &[f64], b: &[f64], mode: u64, x: &mut [f64]) -> bool {
        let k = b.len();
        self.index.clear();
        self.index.extend((0..k).filter(|i| mode >> i & 1 == 1));
        let m = self.index.len();
        self.system.clear();
        for &i in &self.index {
            self.system.extend(self.index.iter().map(|&j| d[i * k + j]));
            self.system.push(-b[i]);
        }
        if !eliminate(&mut self.system, m) {
            return false;
        }
        self.trial.clear();
        self.trial.resize(k, 0.0);
        for (r, &i) in self.index.iter().enumerate() {
            self.trial[i] = self.system[r * (m + 1) + m];
        }
        let largest = self.trial.iter().fold(0.0_f64, |s, v| s.max(v.abs()));
        if !(self.trial.iter().all(|&v| v >= -1e-13 * largest)) {
            return false;
        }
        for i in (0..k).filter(|i| mode >> i & 1 == 0) {
            let (mut w, mut size) = (b[i], b[i].abs());
            for (dij, xj) in d[i * k..(i + 1) * k].iter().zip(&self.trial) {
                w += dij * xj;
                size = size.max((dij * xj).abs());
            }
            if !(w >= -1e-13 * size) {
                return false;
            }
        }
        for (x, v) in x.iter_mut().zip(&self.trial) {
            *x = v.max(0.0);
        }
        true
    }

    /// Lemke's method: w − D x − e x₀ = b with columns x (0..k), w (k..2k), x₀ (2k) and the right side (2k + 1).
    fn lemke(&mut self, d: &[f64], b: &[f64], mode: &mut u64, x: &mut [f64]) -> bool {
        let k = b.len();
        if b.iter().all(|&v| v >= 0.0) {
            x.fill(0.0);
            *mode = 0;
            return true;
        }
        self.start_tableau(d, b);
        let artificial = 2 * k;
        let row = (0..k).reduce(|r, i| if self.less_start(i, r) { i } else { r }).unwrap_or(0);
        let mut leaving = self.pivot(row, artificial);
        for _ in 0..50 * k {
            let entering = if leaving < k { leaving + k } else { leaving - k };
            let Some(row) = self.ratio_test(entering) else { return false };
            leaving = self.pivot(row, entering);
            if leaving == artificial {
                self.read(k, mode, x);
                return true;
            }
        }
        false
    }

    fn start_tableau(&mut self, d: &[f64], b: &[f64]) {
        let k = b.len();
        let width = 2 * k + 2;
        // Rows are divided by their size so that one covering vector of ones suits all units.
        self.tableau.clear();
        self.tableau.resize(k * width, 0.0);
        self.basis.clear();
        for i in 0..k {
            let size = d[i * k..(i + 1) * k].iter().fold(0.0_f64, |s, v| s.max(v.abs()));
            let size = if size > 0.0 { size } else { 1.0 };
            let row = &mut self.tableau[i * width..(i + 1) * width];
            for j in 0..k {
                row[j] = -d[i * k + j] / size;
            }
            row[k + i] = 1.0;
            row[2 * k] = -1.0;
            row[2 * k + 1] = b[i] / size;
            self.basis.push(k + i);
        }
    }

    /// Order of rows for the first pivot: smallest right side, ties by the larger index.
    fn less_start(&self, i: usize, r: usize) -> bool {
        let width = 2 * self.basis.len() + 2;
        self.tableau[i * width + width - 1] <= self.tableau[r * width + width - 1]
    }

    /// Row of the lexicographically smallest ratio [right side, B⁻¹] / column; x₀ leaves whenever it may.
    fn ratio_test(&self, column: usize) -> Option<usize> {
        let k = self.basis.len();
        let width = 2 * k + 2;
        let at = |i: usize, j: usize| self.tableau[i * width + j];
        let largest = (0..k).fold(0.0_f64, |s, i| s.max(at(i, column).abs()));
        let mut best: Option<usize> = None;
        for i in (0..k).filter(|&i| at(i, column) > PIVOT * largest) {
            let Some(r) = best else {
                best = Some(i);
                continue;
            };
            let (pi, pr) = (at(i, column), at(r, column));
            let order = std::iter::once(width - 1)
                .chain(k..2 * k)
                .map(|j| (at(i, j) / pi, at(r, j) / pr))
                .find(|(a, b)| (a - b).abs() > 1e-14 * (a.abs() + b.abs()));
            if order.is_some_and(|(a, b)| a < b) {
                best = Some(i);
            }
        }
        let smallest = best.map(|r| at(r, width - 1) / at(r, column))?;
        let artificial = (0..k).find(|&i| self.basis[i] == 2 * k && at(i, column) > PIVOT * largest);
        artificial.filter(|&i| at(i, width - 1) / at(i, column) <= smallest + 1e-15).or(best)
    }

    /// Brings `entering` into row `row`; returns the variable that left.
    fn pivot(&mut self, row: usize, entering: usize) -> usize {
        let k = self.basis.len();
        let width = 2 * k + 2;
        let scale = 1.0 / self.tableau[row * width + entering];
        self.tableau[row * width..(row + 1) * width].iter_mut().for_each(|v| *v *= scale);
        for i in (0..k).filter(|&i| i != row) {
            let factor = self.tableau[i * width + entering];
            if factor != 0.0 {
                for j in 0..width {
                    self.tableau[i * width + j] -= factor * self.tableau[row * width + j];
                }
            }
        }
        std::mem::replace(&mut self.basis[row], entering)
    }

    fn read(&self, k: usize, mode: &mut u64, x: &mut [f64]) {
        let width = 2 * k + 2;
        x.fill(0.0);
        *mode = 0;
        for (i, &variable) in self.basis.iter().enumerate() {
            if variable < k {
                x[variable] = self.tableau[i * width + width - 1].max(0.0);
                *mode |= 1 << variable;
            }
        }
    }
}

/// Gauss-Jordan with row exchange on an m × (m + 1) system; false when singular.
fn eliminate(a: &mut [f64], m: usize) -> bool {
    let width = m + 1;
    for c in 0..m {
        let p = (c..m).fold(c, |r, i| if a[i * width + c].abs() > a[r * width + c].abs() { i } else { r });
        if !(a[p * width + c].abs() > 1e-13) {
            return false;
        }
        if p != c {
            (0..width).for_each(|j| a.swap(p * width + j, c * width + j));
        }
        let scale = 1.0 / a[c * width + c];
        (c..width).for_each(|j| a[c * width + j] *= scale);
        for i in (0..m).filter(|&i| i != c) {
            let factor = a[i * width + c];
            if factor != 0.0 {
                (c..width).for_each(|j| a[i * width + j] -= factor * a[c * width + j]);
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn residual(d: &[f64], b: &[f64], x: &[f64]) -> f64 {
        let k = b.len();
        (0..k).fold(0.0_f64, |m, i| {
            let w: f64 = b[i] + (0..k).map(|j| d[i * k + j] * x[j]).sum::<f64>();
            m.max(w.min(x[i]).abs())
        })
    }

    /// Point mass m on the floor, μ = 0.5, rows (n, +, −, σ).
    fn contact(v: f64, fall: f64) -> ([f64; 16], [f64; 4]) {
        let i = 0.5;
        let d = [i, 0.0, 0.0, 0.0, 0.0, i, -i, 1.0, 0.0, -i, i, 1.0, 0.5, -1.0, -1.0, 0.0];
        (d, [fall, v, -v, 0.0])
    }

    #[test]
    fn all_modes_of_a_planar_contact() {
        let mut local = Local::default();
        let mut mode = 0;
        for (v, fall) in
            [(1.0, -1.0), (-1.0, -1.0), (0.3, -1.0), (-0.3, -1.0), (0.0, -1.0), (1.0, 2.0), (0.0, 0.0)]
        {
            let (d, b) = contact(v, fall);
            let mut x = [0.0; 4];
            assert!(local.solve(&d, &b, &mut mode, &mut x), "v {v} fall {fall}");
            assert!(residual(&d, &b, &x) < 1e-14, "v {v} fall {fall}: {x:?}");
        }
    }

    #[test]
    fn a_squeeze_has_no_local_solution() {
        let mut x = [0.0; 2];
        assert!(!Local::default().solve(&[1.0, -1.0, -1.0, 1.0], &[-1.0, -1.0], &mut 0, &mut x));
    }
}
