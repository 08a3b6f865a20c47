//! The Newton matrix J = D_z + D_w M, D block diagonal by units: dense below a size, bodies before contacts above.

use crate::map::Jet;
use crate::scaled::{Law, Scaled};
use vinci_linear::{BlockLu, DenseLu, Order, Refine, Structure, norm, refine};
use vinci_sdk::core::problem::{Cone, Part};

/// Factorisation of J, with iterative refinement.
#[derive(Debug, Default)]
pub(crate) struct Linear {
    dense: DenseLu,
    sparse: BlockLu,
    /// Velocities, and the unit of every row.
    velocity: Vec<bool>,
    unit: Vec<u32>,
    use_dense: bool,
    /// Pattern of J by rows: the union of M's rows of a unit, and the unit's own columns.
    row_start: Vec<u32>,
    column: Vec<u32>,
    value: Vec<f64>,
    first: Vec<u32>,
    length: Vec<u32>,
    mark: Vec<u32>,
    residual: Vec<f64>,
    /// Factorisations since [`Self::start`].
    pub(crate) factorizations: u32,
}

const NONE: u32 = u32::MAX;

impl Linear {
    /// Prepares for a problem, of which `p` is the balanced form.
    pub(crate) fn start(&mut self, problem: &Cone<'_>, p: &Scaled, dense_limit: usize) {
        self.factorizations = 0;
        self.use_dense = p.n() <= dense_limit;
        self.make_pattern(p);
        self.sparse.begin();
        self.find_structure(problem, p);
        self.value.clear();
        self.value.resize(self.column.len(), 0.0);
    }

    /// Free rows with a mass are velocities.
    fn find_structure(&mut self, problem: &Cone<'_>, p: &Scaled) {
        self.velocity.clear();
        self.velocity.resize(p.n(), false);
        self.unit.clear();
        self.unit.resize(p.n(), 0);
        for (u, unit) in p.units.iter().enumerate() {
            for i in unit.rows() {
                self.unit[i] = u as u32;
                let massive = p.m().entries(i).any(|(j, v)| j == i && v != 0.0);
                let joint = problem.rows.tag[i].part == Part::Bilateral;
                self.velocity[i] = unit.law == Law::Free && massive && !joint;
            }
        }
    }

    /// Columns of every unit once (rows of a unit share them), then row starts in the order of rows.
    fn make_pattern(&mut self, p: &Scaled) {
        let n = p.n();
        let m = p.m();
        self.first.clear();
        self.first.resize(n, 0);
        self.length.clear();
        self.length.resize(n, 0);
        self.mark.clear();
        self.mark.resize(n, NONE);
        let mut count = 0;
        for (u, unit) in p.units.iter().enumerate() {
            let before = count;
            let own = unit.rows();
            for j in unit.rows().flat_map(|i| m.entries(i).map(|e| e.0)).chain(own) {
                if self.mark[j] != u as u32 {
                    self.mark[j] = u as u32;
                    count += 1;
                }
            }
            unit.rows().for_each(|i| self.length[i] = count - before);
        }
        self.row_start.clear();
        self.row_start.push(0);
        for i in 0..n {
            self.first[i] = self.row_start[i];
            self.row_start.push(self.row_start[i] + self.length[i]);
        }
        self.column.clear();
        self.column.resize(self.row_start[n] as usize, 0);
        self.mark.fill(NONE);
        for (u, unit) in p.units.iter().enumerate() {
            let (mut k, own) = (0, unit.rows());
            for j in unit.rows().flat_map(|i| m.entries(i).map(|e| e.0)).chain(own) {
                if self.mark[j] != u as u32 {
                    self.mark[j] = u as u32;
                    unit.rows().for_each(|i| self.column[(self.first[i] + k) as usize] = j as u32);
                    k += 1;
                }
            }
        }
    }

    /// Forms and factorises J for M + `shift` I; false when it is singular to working precision.
    pub(crate) fn factor(&mut self, p: &Scaled, jets: &[Jet], shift: f64) -> bool {
        self.factorizations += 1;
        self.fill(p, jets, shift);
        if self.use_dense {
            self.dense.reset(p.n());
            for i in 0..p.n() {
                let row = self.dense.row_mut(i);
                for k in self.row_start[i] as usize..self.row_start[i + 1] as usize {
                    row[self.column[k] as usize] += self.value[k];
                }
            }
            return self.dense.factor();
        }
        let structure = Structure { first: &self.velocity, group: &self.unit };
        self.sparse.factor((&self.row_start, &self.column, &self.value), structure, Order::FirstRowsFirst)
    }

    fn fill(&mut self, p: &Scaled, jets: &[Jet], shift: f64) {
        self.value.fill(0.0);
        let m = p.m();
        for (unit, jet) in p.units.iter().zip(jets) {
            let range = |i: usize| self.row_start[i] as usize..self.row_start[i + 1] as usize;
            let columns = &self.column[range(unit.rows[0] as usize)];
            for (k, &j) in columns.iter().enumerate() {
                self.mark[j as usize] = k as u32;
            }
            for (a, i) in unit.rows().enumerate() {
                let row = &mut self.value[self.row_start[i] as usize..self.row_start[i + 1] as usize];
                for (b, l) in unit.rows().enumerate() {
                    let (dz, dw) = (jet.dz[a][b], jet.dw[a][b]);
                    row[self.mark[l] as usize] += dz + dw * (p.epsilon + shift);
                    if dw != 0.0 {
                        m.entries(l).for_each(|(j, v)| row[self.mark[j] as usize] += dw * v);
                    }
                }
            }
        }
    }

    fn apply_inverse(&mut self, x: &mut [f64]) {
        if self.use_dense { self.dense.solve(x) } else { self.sparse.solve(x) }
    }

    /// Solves (J without the shift) d = r by at most `rounds` refinements; the relative residual reached is returned.
    pub(crate) fn solve(
        &mut self,
        p: &Scaled,
        jets: &[Jet],
        shift: f64,
        r: &[f64],
        d: &mut [f64],
        rounds: u32,
    ) -> f64 {
        let size = norm(r);
        d.copy_from_slice(r);
        if size == 0.0 {
            return 0.0;
        }
        self.apply_inverse(d);
        let mut residual = std::mem::take(&mut self.residual);
        let mut unshifted = Unshifted { linear: self, p, jets, shift, r };
        let relative = refine(&mut unshifted, size, d, &mut residual, rounds);
        self.residual = residual;
        relative
    }
}

/// J without the shift, with the factors of the shifted one.
struct Unshifted<'a> {
    linear: &'a mut Linear,
    p: &'a Scaled,
    jets: &'a [Jet],
    shift: f64,
    r: &'a [f64],
}

impl Refine for Unshifted<'_> {
    fn apply_inverse(&mut self, x: &mut [f64]) {
        self.linear.apply_inverse(x);
    }

    fn defect(&self, d: &[f64], out: &mut [f64]) -> f64 {
        let Linear { row_start, column, value, .. } = &*self.linear;
        for i in 0..d.len() {
            let range = row_start[i] as usize..row_start[i + 1] as usize;
            let dot: f64 =
                column[range.clone()].iter().zip(&value[range]).map(|(&j, v)| v * d[j as usize]).sum();
            out[i] = self.r[i] - dot;
        }
        for (unit, jet) in self.p.units.iter().zip(self.jets) {
            for (a, i) in unit.rows().enumerate() {
                out[i] += unit.rows().enumerate().map(|(b, l)| self.shift * jet.dw[a][b] * d[l]).sum::<f64>();
            }
        }
        norm(out)
    }
}
