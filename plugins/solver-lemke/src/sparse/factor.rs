//! A basis of [M, −I, d], factored: sparse LU of its kernel plus product-form updates.
//!
//! The system is M z − w + d z₀ + q = 0. Basic slacks are unit columns, so only the kernel, the rows whose slack is
//! nonbasic and the columns of basic z (and z₀), needs factors:
//!
//! K x_K = b_K,   w_i = M_iK x_K − b_i on the other rows.
//!
//! After a pivot in slot r with column a = B⁻¹ a_e the inverse gains one elementary factor (product form of the inverse,
//! Dantzig & Orchard-Hays 1954); they are dropped at the next factorisation.

use super::lu::Lu;
use super::matrix::Columns;

const NONE: u32 = u32::MAX;

/// Factors of the basis. A slot is a place of the basis; solutions are by slot.
#[derive(Debug, Clone, Default)]
pub(crate) struct Factor {
    n: usize,
    /// Variable in every slot: z_j is j, w_i is n + i, z₀ is 2n. The kernel's columns keep the slots of its rows.
    pub(crate) slot_var: Vec<u32>,
    /// Variable of every slot when the kernel was factored.
    base_var: Vec<u32>,
    /// Rows of the kernel; its k-th column is the basic z or z₀ of slot `kernel[k]`.
    kernel: Vec<u32>,
    kernel_of: Vec<u32>,
    lu: Lu,
    eta_start: Vec<u32>,
    eta_slot: Vec<u32>,
    eta_pivot: Vec<f64>,
    eta_index: Vec<u32>,
    eta_value: Vec<f64>,
    b: Vec<f64>,
    x: Vec<f64>,
    /// Covering vector d.
    pub(crate) cover: Vec<f64>,
    /// Factorisations since the start.
    pub(crate) count: u32,
}

impl Factor {
    /// Factors the basis given by its set of variables (`basic[v]`, v < 2n + 1); exactly n of them must be basic.
    /// False if singular: [`Factor::lost`] then says what to exchange.
    pub(crate) fn factor(&mut self, m: &Columns, basic: &[bool]) -> bool {
        let n = m.n;
        self.n = n;
        self.count += 1;
        self.clear_updates();
        self.kernel.clear();
        self.kernel_of.clear();
        self.kernel_of.resize(n, NONE);
        self.slot_var.clear();
        for i in 0..n {
            if basic[n + i] {
                self.slot_var.push((n + i) as u32);
            } else {
                self.kernel_of[i] = self.kernel.len() as u32;
                self.kernel.push(i as u32);
                self.slot_var.push(NONE);
            }
        }
        let mut columns = (0..n).chain(std::iter::once(2 * n)).filter(|&v| basic[v]);
        for &slot in &self.kernel {
            self.slot_var[slot as usize] = columns.next().map_or(NONE, |v| v as u32);
        }
        debug_assert!(columns.next().is_none() && !self.slot_var.contains(&NONE), "a basis has n variables");
        self.base_var.clone_from(&self.slot_var);
        self.fill_kernel(m);
        self.lu.factor()
    }

    fn clear_updates(&mut self) {
        self.eta_start.clear();
        self.eta_start.push(0);
        self.eta_slot.clear();
        self.eta_pivot.clear();
        self.eta_index.clear();
        self.eta_value.clear();
    }

    fn fill_kernel(&mut self, m: &Columns) {
        self.lu.begin(self.kernel.len());
        for (k, &slot) in self.kernel.iter().enumerate() {
            let var = self.slot_var[slot as usize] as usize;
            if var == 2 * self.n {
                for (r, &i) in self.kernel.iter().enumerate() {
                    self.lu.push(r, k, self.cover[i as usize]);
                }
            } else {
                for (i, v) in m.column(var) {
                    if self.kernel_of[i] != NONE {
                        self.lu.push(self.kernel_of[i] as usize, k, v);
                    }
                }
            }
        }
    }

    /// After a singular factorisation: (rows without a pivot, variables without a pivot).
    pub(crate) fn lost(&self) -> (impl Iterator<Item = usize> + '_, impl Iterator<Item = usize> + '_) {
        let rows = self.lu.lost_rows.iter().map(|&k| self.kernel[k as usize] as usize);
        let vars =
            self.lu.lost_cols.iter().map(|&k| self.slot_var[self.kernel[k as usize] as usize] as usize);
        (rows, vars)
    }

    /// out ← B⁻¹ b, b by rows, out by slots.
    pub(crate) fn solve(&mut self, m: &Columns, b: &[f64], out: &mut [f64]) {
        self.b.clear();
        self.b.extend(self.kernel.iter().map(|&i| b[i as usize]));
        self.x.resize(self.kernel.len(), 0.0);
        self.lu.solve(&mut self.b, &mut self.x);
        for (o, &v) in out.iter_mut().zip(b) {
            *o = -v;
        }
        for (k, &slot) in self.kernel.iter().enumerate() {
            let x = self.x[k];
            if x == 0.0 {
                continue;
            }
            let var = self.base_var[slot as usize] as usize;
            if var == 2 * self.n {
                out.iter_mut().zip(&self.cover).for_each(|(o, d)| *o += d * x);
            } else {
                m.column(var).for_each(|(i, v)| out[i] += v * x);
            }
        }
        for (k, &slot) in self.kernel.iter().enumerate() {
            out[slot as usize] = self.x[k];
        }
        self.apply_updates(out);
    }

    fn apply_updates(&self, out: &mut [f64]) {
        for (u, &r) in self.eta_slot.iter().enumerate() {
            let r = r as usize;
            if out[r] == 0.0 {
                continue;
            }
            let t = out[r] / self.eta_pivot[u];
            out[r] = t;
            let range = self.eta_start[u] as usize..self.eta_start[u + 1] as usize;
            for (&i, &v) in self.eta_index[range.clone()].iter().zip(&self.eta_value[range]) {
                out[i as usize] -= v * t;
            }
        }
    }

    /// Puts `var` with column a = B⁻¹ a_var into slot r.
    pub(crate) fn replace(&mut self, r: usize, var: usize, a: &[f64]) {
        self.slot_var[r] = var as u32;
        self.eta_slot.push(r as u32);
        self.eta_pivot.push(a[r]);
        for (i, &v) in a.iter().enumerate() {
            if v != 0.0 && i != r {
                self.eta_index.push(i as u32);
                self.eta_value.push(v);
            }
        }
        self.eta_start.push(self.eta_index.len() as u32);
    }

    /// Updates since the last factorisation.
    pub(crate) fn updates(&self) -> usize {
        self.eta_slot.len()
    }

    /// Returns true if the updates have become dearer than a new factorisation.
    pub(crate) fn is_heavy(&self) -> bool {
        self.eta_value.len() > 8 * (self.lu.nnz() + self.n)
    }
}
