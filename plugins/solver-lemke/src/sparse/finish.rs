//! From a basis to numbers: the solution of the unperturbed, unscaled problem on that basis.

use super::path::Path;
use vinci_sdk::core::problem::Mlcp;

/// Steps of iterative refinement at most.
const REFINEMENTS: usize = 3;

impl Path {
    /// Writes z in the units of the problem: basic ones from x, the others at their bounds.
    pub(crate) fn write_z(&self, p: &Mlcp<'_>, z: &mut [f64]) {
        let scaling = &self.m.scaling;
        for (j, z) in z.iter_mut().enumerate() {
            let bound = if self.nonbasic_z(j) == self.m.upper[j] { p.upper[j] } else { p.lower[j] };
            *z = if bound.is_finite() { bound } else { 0.0 };
        }
        for (slot, &x) in self.x.iter().enumerate() {
            let var = self.factor.slot_var[slot] as usize;
            if var < self.m.n {
                z[var] = x * scaling.col[var] / scaling.s;
            }
        }
    }

    /// Writes z in scaled units.
    pub(crate) fn scaled_z(&self, z: &mut [f64]) {
        (0..self.m.n).for_each(|j| z[j] = self.nonbasic_z(j));
        for (slot, &x) in self.x.iter().enumerate() {
            let var = self.factor.slot_var[slot] as usize;
            if var < self.m.n {
                z[var] = x;
            }
        }
    }

    /// Iterative refinement of the basic z against the rows whose w is nonbasic, in the problem's own numbers; then every
    /// z is put inside its bounds. The basis must be freshly factored.
    pub(crate) fn refine(&mut self, p: &Mlcp<'_>, z: &mut [f64]) {
        let n = self.m.n;
        let mut last = f64::INFINITY;
        for _ in 0..REFINEMENTS {
            self.rhs.clear();
            let mut worst = 0.0_f64;
            for i in 0..n {
                let w = if self.basic[n + i] { 0.0 } else { p.m.row_dot(i, z) + p.q[i] };
                let scaled = w * self.m.scaling.row[i] * self.m.scaling.s;
                worst = worst.max(scaled.abs());
                self.rhs.push(-scaled);
            }
            if worst == 0.0 || !(worst < 0.5 * last) {
                break;
            }
            last = worst;
            self.column.resize(n, 0.0);
            self.factor.solve(&self.m, &self.rhs, &mut self.column);
            for (slot, &dx) in self.column.iter().enumerate() {
                let var = self.factor.slot_var[slot] as usize;
                if var < n {
                    z[var] += dx * self.m.scaling.col[var] / self.m.scaling.s;
                }
            }
        }
        for j in 0..n {
            z[j] = z[j].max(p.lower[j]).min(p.upper[j]);
        }
    }
}
