//! Proofs from the interior point's rays: what it gives is right to its tolerance; here it becomes right to rounding.
//!
//! Infeasibility: y in the dual recession cone with Gᵀy = 0. Unboundedness: d with P d = 0 and G d in the recession cone.
//! Small entries are rounding and go. What is left of the equations Σ_j a_ij v_j = 0 is removed by the smallest relative
//! changes, v_j (1 + Δ_j) with T Δ = −T 1, T = a_ij v_j over the row's largest term: signs survive.

use super::{Balanced, rays};
use crate::SparseLu;
use vinci_core::problem::{Conic, FarkasCheck, check_conic_infeasible, check_conic_unbounded};
use vinci_core::{Csr, CsrBuf};

/// Entries below this part of the largest are taken for zero, each in its balanced unit.
const NEGLIGIBLE: f64 = 1e-7;
/// Rows below this part of their largest term are taken for zero.
const ACTIVE: f64 = 1e-6;
/// Keeps dependent equations from making the system singular.
const DELTA: f64 = 1e-12;
/// Rounds of removal.
const ROUNDS: usize = 3;

/// Statement that a vector proves.
#[derive(Debug, Clone, PartialEq)]
pub enum Proof {
    /// y (m): no x is lawful.
    Infeasible(Vec<f64>),
    /// The objective falls for ever from a point.
    Unbounded {
        /// d (n).
        direction: Vec<f64>,
        /// x (n), lawful.
        point: Vec<f64>,
    },
}

/// Solves a program: x, or nothing where it does not succeed.
pub type Minimum<'f, E> = dyn FnMut(&Conic<'_>) -> Result<Option<Vec<f64>>, E> + 'f;

/// Makes proofs, with its memory.
#[derive(Debug, Default)]
pub struct Certificate {
    equations: CsrBuf,
    transposed: CsrBuf,
    count: Vec<u32>,
    system: CsrBuf,
    lu: SparseLu,
    change: Vec<f64>,
    /// Reach of the best vector that proves nothing.
    reach: Option<f64>,
}

/// Seeks a point of `p` by [`rays::nearest`], which `solve` solves; nothing where it finds none.
pub fn seek_point<E>(
    p: &Conic<'_>,
    balanced: &Balanced,
    solve: &mut Minimum<'_, E>,
) -> Result<Option<Vec<f64>>, E> {
    let nearest = rays::nearest(p, balanced.units().0);
    Ok(solve(&nearest.view())?.filter(|x| p.is_point(x)))
}

fn drop_small(v: &mut [f64], unit: &[f64]) {
    let largest = v.iter().zip(unit).fold(0.0_f64, |m, (x, unit)| m.max(x.abs() / unit));
    let small = v.iter_mut().zip(unit).filter(|(x, unit)| x.abs() <= NEGLIGIBLE * largest * *unit);
    small.for_each(|(x, _)| *x = 0.0);
}

impl Certificate {
    /// Forgets the vectors that were looked at for another problem.
    pub fn begin(&mut self) {
        self.reach = None;
    }

    /// Where nothing is proved: "no solution with unknowns below 1e9" of the best vector since [`Certificate::begin`], if that says
    /// something ([`vinci_core::problem::FarkasCheck::reach`]).
    pub fn remark(&self) -> Option<String> {
        let told =
            |reach| format!("no solution with unknowns below {reach:.1e}, but no proof that there is none");
        self.reach.map(told)
    }

    fn proves(&mut self, check: FarkasCheck) -> bool {
        self.reach = check.told_reach().into_iter().chain(self.reach).reduce(f64::max);
        check.proves()
    }

    /// Turns y into a proof that `p` has no solution; whether it is one. `unit` are the balanced units of its entries.
    pub fn infeasible(&mut self, p: &Conic<'_>, unit: &[f64], y: &mut [f64]) -> bool {
        drop_small(y, unit);
        for (i, y) in y.iter_mut().enumerate() {
            let in_cone = p.cones().any(|cone| cone.contains(&i));
            let wrong = (*y > 0.0 && p.lower[i].is_infinite()) || (*y < 0.0 && p.upper[i].is_infinite());
            if wrong && !in_cone {
                *y = 0.0;
            }
        }
        for _ in 0..ROUNDS {
            if self.proves(check_conic_infeasible(p, y)) {
                return true;
            }
            self.transposed.transpose_of(&p.rows, &mut self.count);
            self.equations.clear(y.len());
            for j in 0..p.n() {
                push_terms(&mut self.equations, self.transposed.view(), j, y);
            }
            self.remove(y);
        }
        self.proves(check_conic_infeasible(p, y))
    }

    /// Turns d into a direction along which `p` falls for ever; whether it is one. `unit` are the balanced units of its entries.
    pub fn unbounded(&mut self, p: &Conic<'_>, unit: &[f64], d: &mut [f64]) -> bool {
        drop_small(d, unit);
        for _ in 0..ROUNDS {
            if self.proves(check_conic_unbounded(p, d)) {
                return true;
            }
            self.equations.clear(d.len());
            for i in 0..p.n() {
                push_terms(&mut self.equations, p.p, i, d);
            }
            for i in 0..p.m() {
                let bounded = p.lower[i].is_finite() || p.upper[i].is_finite();
                let size = p.rows.entries(i).fold(0.0_f64, |m, (j, a)| m.max((a * d[j]).abs()));
                if bounded && p.rows.row_dot(i, d).abs() <= ACTIVE * size {
                    push_terms(&mut self.equations, p.rows, i, d);
                }
            }
            self.remove(d);
        }
        self.proves(check_conic_unbounded(p, d))
    }

    /// Seeks a proof of either kind by the programs of [`super::rays`], which `solve` solves (x, or nothing); `balanced` gives
    /// the units.
    pub fn seek<E>(
        &mut self,
        p: &Conic<'_>,
        balanced: &Balanced,
        solve: &mut Minimum<'_, E>,
    ) -> Result<Option<Proof>, E> {
        let (d, e) = balanced.units();
        let (program, of) = rays::farkas(p, e);
        if program.view().n() > 0
            && let Some(x) = solve(&program.view())?
        {
            let mut y = vec![0.0; p.m()];
            of.iter().zip(&x).for_each(|(&(i, sign), x)| y[i] += sign * x);
            if self.infeasible(p, e, &mut y) {
                return Ok(Some(Proof::Infeasible(y)));
            }
        }
        let Some(mut ray) = solve(&rays::direction(p, d).view())? else { return Ok(None) };
        let point = if self.unbounded(p, d, &mut ray) { seek_point(p, balanced, solve)? } else { None };
        Ok(point.map(|point| Proof::Unbounded { direction: ray, point }))
    }

    /// v_j ← v_j (1 + Δ_j), Δ the smallest that T Δ = −T 1 allows: [I Tᵀ; T −δ I] (Δ, λ) = (0, −T 1).
    fn remove(&mut self, v: &mut [f64]) {
        let t = self.equations.view();
        self.transposed.transpose_of(&t, &mut self.count);
        let (k, rows) = (v.len(), t.n_rows());
        self.system.clear(k + rows);
        for j in 0..k {
            self.system.push(j, 1.0);
            self.transposed.view().entries(j).for_each(|(i, a)| self.system.push(k + i, a));
            self.system.end_row();
        }
        for i in 0..rows {
            t.entries(i).for_each(|(j, a)| self.system.push(j, a));
            self.system.push(k + i, -DELTA);
            self.system.end_row();
        }
        self.change.clear();
        self.change.resize(k, 0.0);
        self.change.extend((0..rows).map(|i| -t.entries(i).map(|(_, a)| a).sum::<f64>()));
        let m = self.system.view();
        if self.lu.analyse(m.row_start, m.column) && self.lu.factor(m.value) {
            self.lu.solve(&mut self.change);
            v.iter_mut().zip(&self.change).for_each(|(v, d)| *v *= 1.0 + d.clamp(-0.5, 0.5));
        }
    }
}

/// The terms a_ij v_j of row i over the largest of them, where there is one.
fn push_terms(to: &mut CsrBuf, a: Csr<'_>, i: usize, v: &[f64]) {
    let size = a.entries(i).fold(0.0_f64, |m, (j, a)| m.max((a * v[j]).abs()));
    if size > 0.0 {
        a.entries(i).filter(|&(j, _)| v[j] != 0.0).for_each(|(j, a)| to.push(j, a * v[j] / size));
        to.end_row();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vinci_core::problem::ConicBuf;

    const INF: f64 = f64::INFINITY;

    fn program(rows: &[(usize, usize, f64)], m: usize, c: &[f64], lower: &[f64]) -> ConicBuf {
        let mut none = CsrBuf::default();
        none.clear(c.len());
        c.iter().for_each(|_| none.end_row());
        let g = CsrBuf::from_triplets(m, c.len(), rows);
        ConicBuf::from_parts(none, c.to_vec(), g, vec![0.0; m], (lower.to_vec(), vec![INF; m]))
    }

    /// x_0 + x_1 ≥ 1, −x_0 ≥ 0, −x_1 ≥ 0: y = (1, 1, 1), found from vectors wrong in the fourth digit.
    #[test]
    fn a_farkas_vector_becomes_exact() {
        let rows = [(0, 0, 1.0), (0, 1, 1.0), (1, 0, -1.0), (2, 1, -1.0)];
        let p = program(&rows, 3, &[0.0; 2], &[1.0, 0.0, 0.0]);
        let mut y = [1.0, 1.0001, 0.9998];
        assert!(!check_conic_infeasible(&p.view(), &y).proves());
        assert!(Certificate::default().infeasible(&p.view(), &[1.0; 3], &mut y));
        let mut wrong = [1.0, 0.0, 1.0];
        assert!(!Certificate::default().infeasible(&p.view(), &[1.0; 3], &mut wrong));
    }

    /// −x_0 + x_1 ≥ 0 while c = (0, −1) pulls: d = (1, 1), from (1, 0.9999999). What rises too little is none.
    #[test]
    fn a_direction_of_a_solvers_accuracy_is_one() {
        let p = program(&[(0, 0, -1.0), (0, 1, 1.0)], 1, &[0.0, -1.0], &[0.0]);
        let mut d = [1.0, 1.0 - 1e-7];
        assert!(Certificate::default().unbounded(&p.view(), &[1.0; 2], &mut d));
        let mut wrong = [1.0, 0.9];
        assert!(!Certificate::default().unbounded(&p.view(), &[1.0; 2], &mut wrong));
    }

    /// A bounded program gives no proof, whatever is asked.
    #[test]
    fn nothing_is_proved_of_a_program_with_a_solution() {
        let p = program(&[(0, 0, 1.0)], 1, &[1.0], &[0.0]);
        let mut balanced = Balanced::default();
        balanced.build(&p.view());
        let mut zero = |q: &Conic<'_>| Ok::<_, ()>(Some(vec![0.5; q.n()]));
        assert_eq!(Certificate::default().seek(&p.view(), &balanced, &mut zero), Ok(None));
    }
}
