//! Derivatives of the step: the conditions of its program, differentiated.
//!
//! Along a change of the data, with J (the rows) held fast,
//!
//! ```text
//!   A dv − Gᵀ dy               = db − A_fp dv_p
//!   B (G dv + dg + shift) + C dy = 0
//! ```
//!
//! where (B, C) say how each row reacts: (1, 0) where it presses or is an equation, (0, 1) where it is open, (I − D, D) with
//! the derivative D of the projection on the cone at s − y, and (W, I) with the curvature W of the barrier. Gaps change by
//! dφ = J_n dq, impedances by db = −h k dq, springs by db = −h K dq, joints by J dq/h (full stabilisation). The repaired law
//! has its shift μ |J_t v| moving with v; the lagged one does not.

use nalgebra::{DMatrix, DVector};
use vinci_sdk::core::momentum::NOT_FREE;
use vinci_sdk::prelude::*;

use crate::AnitescuQp;
use crate::barrier::Barrier;
use crate::config::Repair;
use crate::formulate::gap_constant;
use crate::rows::Form;

/// Multipliers and rates below this part of the largest count as zero.
const ZERO: f64 = 1e-9;

/// The linear system of the conditions.
struct System {
    /// [A, −Gᵀ; B (G + shift), C].
    matrix: DMatrix<f64>,
    /// B.
    reaction: DMatrix<f64>,
    kinks: Vec<usize>,
}

impl AnitescuQp {
    /// Fills [`crate::answer::Gradient`] for the step that was just recovered.
    pub(crate) fn differentiate(&mut self, step: &StepView<'_>) {
        let system = self.system(step);
        let columns = self.data_changes(step);
        let n = self.program.conic.c.len();
        let mut right = DMatrix::zeros(system.matrix.nrows(), columns.ncols());
        right.rows_mut(0, n).copy_from(&columns.rows(0, n));
        let dg = columns.rows(n, columns.nrows() - n);
        right.rows_mut(n, dg.nrows()).copy_from(&(-&system.reaction * dg));
        let solved = solve(&system.matrix, &right);
        self.write(step, &solved);
        self.gradient.remark.clear();
        if !system.kinks.is_empty() {
            self.gradient.remark =
                format!("derivatives are one-sided: contacts {:?} neither press nor open", system.kinks);
        }
    }

    /// (db − A_fp dv_p; dg) for the 2 nv directions: commands, then coordinates.
    fn data_changes(&self, step: &StepView<'_>) -> DMatrix<f64> {
        let (momentum, program) = (&self.balance.momentum, &self.program);
        let (n, m, nv, h) = (program.conic.c.len(), program.conic.g.len(), step.nv(), step.h);
        let mut out = DMatrix::zeros(n + m, 2 * nv);
        let a = momentum.a.view();
        for dof in 0..nv {
            match DofRole::from_code(step.role[dof]) {
                DofRole::Free => {}
                DofRole::Impedance => {
                    let k = h * step.impedance[dof];
                    out[(momentum.index[dof] as usize, dof)] += k;
                    out[(momentum.index[dof] as usize, nv + dof)] -= k;
                }
                DofRole::Prescribed => {
                    for (column, dv) in [(dof, 1.0 / h), (nv + dof, -1.0 / h)] {
                        for &free in &momentum.free {
                            let entry = a.entries(free as usize).find(|e| e.0 == dof).map_or(0.0, |e| e.1);
                            out[(momentum.index[free as usize] as usize, column)] -= entry * dv;
                        }
                        for i in 0..m {
                            let entry =
                                program.full.view().entries(i).find(|e| e.0 == dof).map_or(0.0, |e| e.1);
                            out[(n + i, column)] += entry * dv;
                        }
                    }
                }
            }
        }
        self.add_springs(step, &mut out);
        self.add_gaps(step, n, &mut out);
        out
    }

    fn add_springs(&self, step: &StepView<'_>, out: &mut DMatrix<f64>) {
        if step.stiffness.n_rows() == 0 {
            return;
        }
        for &free in &self.balance.momentum.free {
            let i = self.balance.momentum.index[free as usize] as usize;
            for (j, k) in step.stiffness.entries(free as usize) {
                out[(i, step.nv() + j)] -= step.h * k;
            }
        }
    }

    /// dφ = J_n dq in every row of a contact that holds its gap, dΦ = J dq in joints.
    fn add_gaps(&self, step: &StepView<'_>, n: usize, out: &mut DMatrix<f64>) {
        let (nv, rows_per_contact) = (step.nv(), self.program.directions.iter().count());
        for (i, place) in self.program.places.iter().enumerate() {
            let (_, by_gap) = gap_constant(&self.config, step, i);
            let rows = if place.form == Form::Rays { rows_per_contact } else { 1 };
            for row in place.row..place.row + rows {
                for (j, value) in step.contacts.jacobian.entries(step.contacts.row(i)) {
                    out[(n + row, nv + j)] += by_gap * value;
                }
            }
        }
        for i in 0..step.rows.rate.len() {
            for (j, value) in step.rows.jacobian.entries(i) {
                out[(n + self.program.first_other + i, nv + j)] += value / step.h;
            }
        }
    }

    fn system(&self, step: &StepView<'_>) -> System {
        let p = self.program.conic.view();
        let (n, m) = (p.n(), p.m());
        let x: Vec<f64> = self.balance.momentum.free.iter().map(|&dof| self.out.v()[dof as usize]).collect();
        let s: Vec<f64> = (0..m).map(|i| p.s(i, &x)).collect();
        let mut out = System {
            matrix: DMatrix::zeros(n + m, n + m),
            reaction: DMatrix::zeros(m, m),
            kinks: Vec::new(),
        };
        let mut relaxed = DMatrix::identity(m, m);
        match &self.smooth {
            Some(smooth) => {
                let barrier = Barrier { p, terms: smooth.terms(), kappa: smooth.kappa() };
                barrier.curvature(&s, |i, j, w| out.reaction[(i, j)] += w);
                smooth.terms().equations.iter().for_each(|&i| hold(&mut out.reaction, &mut relaxed, i));
            }
            None => self.react(&s, &mut out, &mut relaxed),
        }
        let rows = p.rows.to_dense();
        out.matrix.view_mut((0, 0), (n, n)).copy_from(&p.p.to_dense());
        out.matrix.view_mut((0, n), (n, m)).copy_from(&(-rows.transpose()));
        let shifted =
            if self.config.repair == Repair::Iterated { &rows + self.shift_slopes(step) } else { rows };
        out.matrix.view_mut((n, 0), (m, n)).copy_from(&(&out.reaction * shifted));
        out.matrix.view_mut((n, n), (m, m)).copy_from(&relaxed);
        out
    }

    /// (B, C) of the exact program.
    fn react(&self, s: &[f64], out: &mut System, relaxed: &mut DMatrix<f64>) {
        let (p, y) = (self.program.conic.view(), self.out.y());
        let largest = |list: &[f64]| list.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
        // Where everything sticks all s are rounding: the step's speeds are their measure then.
        let (y_max, s_max) = (largest(y), largest(s).max(largest(p.s_scale)));
        let subject = |row: usize| p.s_tag[row].subject as usize;
        let mut in_cone = vec![false; p.m()];
        for cone in p.cones() {
            in_cone[cone.clone()].fill(true);
            let d = projection(&s[cone.clone()], &y[cone.clone()], y_max / s_max);
            let kink = cone.clone().all(|i| s[i].abs() <= ZERO * s_max && y[i].abs() <= ZERO * y_max);
            if kink {
                out.kinks.push(subject(cone.start));
            }
            for (a, i) in cone.clone().enumerate() {
                for (b, j) in cone.clone().enumerate() {
                    let own = if i == j { 1.0 } else { 0.0 };
                    out.reaction[(i, j)] = own - d[(a, b)];
                    // D acts on s − y/scale: dy in units of s.
                    relaxed[(i, j)] = d[(a, b)] * s_max / y_max;
                }
            }
        }
        for i in (0..p.m()).filter(|&i| !in_cone[i]) {
            let bound = if p.lower[i].is_finite() { p.lower[i] } else { p.upper[i] };
            let (pressed, closed) = (y[i].abs() > ZERO * y_max, (s[i] - bound).abs() <= ZERO * s_max);
            if pressed || p.lower[i] == p.upper[i] {
                hold(&mut out.reaction, relaxed, i);
            } else if closed && !out.kinks.contains(&subject(i)) && self.is_kink(subject(i), i) {
                out.kinks.push(subject(i));
            }
        }
    }

    /// Returns true if a closed row without multiplier is a kink: in space the rays of a pressed contact are more than it needs.
    fn is_kink(&self, contact: usize, row: usize) -> bool {
        let is_contact = row < self.program.first_other;
        !(is_contact && self.program.directions.iter().count() > 2 && self.out.normal_impulse(contact) > 0.0)
    }

    /// ∂(μ |J_t v|)/∂v in every row that holds a shift.
    fn shift_slopes(&self, step: &StepView<'_>) -> DMatrix<f64> {
        let p = self.program.conic.view();
        let mut out = DMatrix::zeros(p.m(), p.n());
        let contacts = &step.contacts;
        for (i, place) in self.program.places.iter().enumerate() {
            let (row, mu) = (contacts.row(i), contacts.pair.friction[i]);
            let rate = |k: usize| contacts.jacobian.row_dot(row + k, self.out.v());
            let nu = (rate(1), if contacts.n_t == 2 { rate(2) } else { 0.0 });
            let Some((c, s)) = self.program.slope_of_slip(nu) else { continue };
            let rows = if place.form == Form::Rays { self.program.directions.iter().count() } else { 1 };
            for k in 0..contacts.n_t {
                let weight = mu * if k == 0 { c } else { s };
                for (j, value) in contacts.jacobian.entries(row + 1 + k) {
                    let at = self.balance.momentum.index[j];
                    if at != NOT_FREE {
                        (place.row..place.row + rows).for_each(|r| out[(r, at as usize)] += weight * value);
                    }
                }
            }
        }
        out
    }

    /// h ∂v⁺/∂u and ∂q⁺/∂q = I + h ∂v⁺/∂q, prescribed rows as told.
    fn write(&mut self, step: &StepView<'_>, solved: &DMatrix<f64>) {
        let (nv, h, momentum) = (step.nv(), step.h, &self.balance.momentum);
        let matrix = &mut self.gradient.matrix;
        matrix.clear();
        for dof in 0..nv {
            for column in 0..2 * nv {
                let own = column == nv + dof;
                matrix.push(match momentum.index[dof] {
                    // q⁺ is the commanded place, wherever the body was.
                    NOT_FREE => f64::from(u8::from(column == dof)),
                    at => f64::from(u8::from(own)) + h * solved[(at as usize, column)],
                });
            }
        }
    }
}

/// Row i is an equation.
fn hold(reaction: &mut DMatrix<f64>, relaxed: &mut DMatrix<f64>, i: usize) {
    reaction[(i, i)] = 1.0;
    relaxed[(i, i)] = 0.0;
}

/// Derivative of the projection on the second-order cone at s − y/scale.
fn projection(s: &[f64], y: &[f64], scale: f64) -> DMatrix<f64> {
    let n = s.len();
    let z = DVector::from_fn(n, |i, _| s[i] - y[i] / scale);
    let rest = z.rows(1, n - 1).norm();
    if rest <= z[0] {
        return DMatrix::identity(n, n);
    }
    if rest <= -z[0] {
        return DMatrix::zeros(n, n);
    }
    let unit = DVector::from_fn(n, |i, _| if i == 0 { 0.0 } else { z[i] / rest });
    let ratio = z[0] / rest;
    DMatrix::from_fn(n, n, |i, j| {
        0.5 * match (i, j) {
            (0, 0) => 1.0,
            (0, k) | (k, 0) => unit[k],
            _ => (if i == j { 1.0 + ratio } else { 0.0 }) - ratio * unit[i] * unit[j],
        }
    })
}

/// The solution, or that of least norm where contacts are more than freedoms.
fn solve(matrix: &DMatrix<f64>, right: &DMatrix<f64>) -> DMatrix<f64> {
    let lu = matrix.clone().full_piv_lu();
    let u = lu.u();
    let pivots = (0..u.nrows()).map(|i| u[(i, i)].abs());
    let (least, most) = pivots.fold((f64::INFINITY, 0.0_f64), |(l, m), x| (l.min(x), m.max(x)));
    if least > 1e-13 * most
        && let Some(solved) = lu.solve(right)
    {
        return solved;
    }
    let cut = 1e-11 * matrix.amax();
    let least_squares = matrix.clone().svd(true, true).solve(right, cut);
    least_squares.unwrap_or_else(|_| DMatrix::zeros(matrix.ncols(), right.ncols()))
}
