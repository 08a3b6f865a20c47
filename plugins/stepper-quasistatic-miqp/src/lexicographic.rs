//! The second and third objective: of all best motions the one with the least forces, of these the one with the least
//! motion of what is not driven.
//!
//! Problem (23) leaves both open: forces are only bounded below, and what is not driven costs nothing. Every objective is
//! a problem of its own. What is fixed between them is fixed so that the point found stays lawful whatever its rounding:
//! commanded velocities get a band wider than that point is inaccurate, and the last problem has rows that reach to it.

use vinci_sdk::prelude::*;

use crate::config::Squeeze;
use crate::formulate::{INF, Program, hypothetical_rate, is_actuated, normal_rate, weight};
use crate::parts::{Parts, stiffness};

/// Bands are at least this part of the problem's size (rounding of a few terms).
const ROUNDING: f64 = 1e-13;
/// Impulses in their unit, and slip speeds, below this part of the speeds are rounding of others.
const NOISE: f64 = 1e-14;
/// Part of the solver's tolerance that a band has at least.
const BAND: f64 = 1e-2;
/// Part of the solver's tolerance by which fixed rows may move: many of them say the same, up to rounding.
const REACH: f64 = 1e-5;
/// Impulses below this part of the largest count as none when the last objective fixes them.
const NO_IMPULSE: f64 = 1e-10;

/// Objective of a problem; a step has three, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Objective {
    /// ½ |v_a − v̄_a|²: (23).
    #[default]
    Commands,
    /// ½ |p|².
    Forces,
    /// ½ |v_u|².
    Motion,
}

/// Results of the earlier objectives.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    /// x of the last solution of the whole problem.
    pub(crate) x: Vec<f64>,
    /// All velocities of it.
    pub(crate) v: Vec<f64>,
    /// How far x is from lawful, absolute, and at least rounding.
    pub(crate) slack: f64,
}

impl Found {
    /// Takes the solution of a problem that has all unknowns. After the first objective actuated velocities are what that
    /// made them: what they do in their band would add up over the steps.
    pub(crate) fn take(&mut self, step: &StepView<'_>, program: &Program, x: &[f64], objective: Objective) {
        self.x.resize(x.len(), 0.0);
        let unknown = &program.velocities.unknown;
        let fixed = |column: usize| {
            objective != Objective::Commands
                && unknown.get(column).is_some_and(|&dof| is_actuated(step, dof as usize))
        };
        (0..x.len()).filter(|&column| !fixed(column)).for_each(|column| self.x[column] = x[column]);
        let rounding = NOISE * program.scales.speed;
        let impulses = &mut self.x[program.layout.n_v..];
        impulses.iter_mut().filter(|p| p.abs() <= rounding).for_each(|p| *p = 0.0);
        let x = &self.x[..];
        program.velocities.expand(x, &mut self.v);
        let problem = program.problem.view();
        self.slack = problem.infeasibility(x).max(ROUNDING * problem.qp.scale());
    }
}

impl Program {
    /// Min ½ |p|² over (23) with v_a within a band around what was found, and drawn to its middle; impulses count in their
    /// unit, which makes them as large as speeds.
    pub(crate) fn least_forces(&mut self, parts: &Parts<'_>, found: &Found) {
        let at = |dof: usize| found.v[dof];
        self.objective(parts, |dof, weight| (weight, -weight * at(dof)), |_| 1.0);
        let qp = self.problem.qp.view();
        let band = (10.0 * found.slack).max(BAND * qp.tolerance * qp.scale());
        for column in 0..self.velocities.len() {
            let dof = self.velocities.unknown[column] as usize;
            if is_actuated(parts.step, dof) {
                let at = found.x[column];
                self.single(column, (at - band, at + band), dof, self.scales.speed);
            }
        }
        self.start_at(&found.x);
    }

    /// The point and its modes as a guess.
    fn start_at(&mut self, x: &[f64]) {
        self.problem.qp.guess.clear();
        self.problem.qp.guess.extend_from_slice(x);
        let mut modes = std::mem::take(&mut self.problem.modes);
        self.problem.view().modes_of(x, &mut modes);
        self.problem.modes = modes;
    }

    /// Min ½ |v_u|² with commanded velocities and impulses as found: a convex program in v_u and σ, since impulses decide
    /// every pair. What is pressed keeps its rate, what is not may open; all other rows of (23) stand as they are.
    pub(crate) fn least_motion(&mut self, parts: &Parts<'_>, found: &Found) {
        let step = parts.step;
        std::mem::swap(&mut self.problem, &mut self.whole);
        std::mem::swap(&mut self.velocities, &mut self.whole_velocities);
        self.velocities.choose(&found.v, |dof| DofRole::from_code(step.role[dof]) == DofRole::Free);
        let (n_v, n_c) = (self.velocities.len(), step.contacts.len());
        self.problem.clear(n_v + n_c, step.tolerance);
        self.motion_objective(parts);
        // Of no unknown and without bounds: it tells the size of what counts as zero, also where everything rests.
        self.problem.qp.end_row(self.scales.speed, (-INF, INF), RowTag::default(), self.scales.speed);
        self.balance_motion(parts, found);
        for i in 0..step.rows.rate.len() {
            let (rate, j) = (step.rows.rate[i], step.row_rates());
            let f = self.scales.row_factor(rate);
            let s = f * (j.row_dot(i, &found.v) + rate);
            let held = step.rows.lower[i] != 0.0 || found.x[self.layout.n_v + i] > self.no_impulse(found);
            let row = j.entries(i).map(|(dof, w)| (dof, f * w));
            let known = self.velocities.push(row, &mut self.problem.qp.rows);
            self.fixed_row(known + f * rate, s, held, (i, Part::Bilateral));
        }
        (0..n_c).for_each(|i| self.contact_motion(parts, found, i));
        if let Some(bound) = parts.config.speed_bound {
            (0..n_v).for_each(|column| {
                let dof = self.velocities.unknown[column] as usize;
                let reach = bound.max(found.v[dof].abs());
                self.single(column, (-reach, reach), dof, self.scales.speed);
            });
        }
    }

    /// (23a) with known impulses, where implicit springs make it depend on v_u: A v = b + W p.
    fn balance_motion(&mut self, parts: &Parts<'_>, found: &Found) {
        let (momentum, n_v) = (parts.momentum, self.layout.n_v);
        for dof in momentum.free.iter().map(|&dof| dof as usize) {
            let rows = momentum.a.view();
            let unit = self.scales.unit;
            let a = || rows.entries(dof).filter(|e| e.1 != 0.0).map(|(other, a)| (other, a / unit));
            if !a().any(|(other, _)| self.velocities.column(other).is_some()) {
                continue;
            }
            let forces = self.transposed.view().entries(dof).map(|(row, w)| w * found.x[n_v + row]);
            let rest = momentum.b[dof] / unit + forces.sum::<f64>();
            let s = a().map(|(other, a)| a * found.v[other]).sum::<f64>() - rest;
            let known = self.velocities.push(a(), &mut self.problem.qp.rows);
            // No reach: what is missing here is missing in the next step's loads.
            let tag = RowTag { subject: dof as u32, part: Part::Velocity };
            self.problem.qp.end_row(known - rest, (s.min(0.0), s.max(0.0)), tag, self.scales.speed);
        }
    }

    /// (23f) of contact i with known p_n.
    fn squeeze_motion(&mut self, parts: &Parts<'_>, found: &Found, i: usize) {
        if parts.config.squeeze != Squeeze::Current || stiffness(parts, i) <= 0.0 {
            return;
        }
        let (f, c) = self.squeeze_factors(parts, i);
        let p_n = f * found.x[self.layout.normal(i)];
        let known = self.hypothetical_row(parts, i, c);
        let s = p_n + c * hypothetical_rate(parts.step, i, &found.v);
        self.fixed_row(p_n + known, s, false, (i, Part::Squeeze));
    }

    /// x of the whole problem after the last objective, from its solution z: impulses are those found before.
    pub(crate) fn moved(&self, found: &Found, z: &[f64], x: &mut Vec<f64>) {
        x.clone_from(&found.x);
        for (&dof, &value) in self.velocities.unknown.iter().zip(z) {
            if let Some(column) = self.whole_velocities.column(dof as usize) {
                x[column] = value;
            }
        }
        for (i, &sigma) in z[self.velocities.len()..].iter().enumerate() {
            if let Some(column) = self.layout.slip(i) {
                x[column] = sigma;
            }
        }
    }

    /// Returns true if x obeys all rows of (23) to the solver's tolerance.
    pub(crate) fn obeys(&self, x: &[f64]) -> bool {
        let whole = self.whole.view();
        whole.infeasibility(x) <= whole.qp.tolerance * whole.qp.scale()
    }

    fn motion_objective(&mut self, parts: &Parts<'_>) {
        let qp = &mut self.problem.qp;
        for (column, &dof) in self.velocities.unknown.iter().enumerate() {
            qp.p.push(column, weight(parts, dof as usize));
            qp.end_unknown(0.0, RowTag { subject: dof, part: Part::Velocity }, self.scales.speed);
        }
        for i in 0..parts.step.contacts.len() as u32 {
            qp.end_unknown(0.0, RowTag { subject: i, part: Part::Slip }, self.scales.speed);
        }
    }

    /// Impulses up to this are none, in their unit.
    fn no_impulse(&self, found: &Found) -> f64 {
        (NO_IMPULSE * self.scales.speed).max(2.0 * found.slack)
    }

    /// Rows of contact i where its impulses are known: φ⁺/h, ρ and σ are zero or at least zero.
    fn contact_motion(&mut self, parts: &Parts<'_>, found: &Found, i: usize) {
        let (step, none) = (parts.step, self.no_impulse(found));
        let contacts = &step.contacts;
        let (row, rate) = (contacts.row(i), normal_rate(step, i));
        let f = self.scales.row_factor(rate);
        let entries = contacts.jacobian.entries(row);
        let known = self.velocities.push(entries.map(|(dof, w)| (dof, f * w)), &mut self.problem.qp.rows);
        let s = f * (contacts.jacobian.row_dot(row, &found.v) + rate);
        let p_n = found.x[self.layout.normal(i)];
        self.fixed_row(known + f * rate, s, p_n > none, (i, Part::Normal));
        self.squeeze_motion(parts, found, i);
        let Some(slip) = self.layout.slip(i) else { return };
        let sigma = self.velocities.len() + i;
        let mut rest = contacts.pair.friction[i] * p_n;
        let wrenches = std::mem::take(&mut self.wrenches);
        for column in self.layout.friction(i) {
            let w = wrenches.view();
            let generator = column - self.layout.n_v;
            self.problem.qp.rows.push(sigma, 1.0);
            let known = self.velocities.push(w.entries(generator), &mut self.problem.qp.rows);
            let s = w.row_dot(generator, &found.v) + found.x[slip];
            self.fixed_row(known, s, found.x[column] > none, (i, Part::Friction));
            rest -= found.x[column];
        }
        self.wrenches = wrenches;
        self.problem.qp.rows.push(sigma, 1.0);
        self.fixed_row(0.0, found.x[slip], rest > none, (i, Part::Slip));
        if let Some(bound) = parts.config.slip_bound {
            self.single(sigma, (-INF, bound.max(found.x[slip])), i, self.scales.speed);
        }
    }

    /// Closes a row that is s at the point found: it stays there, or is at least zero as far as the point itself is.
    fn fixed_row(&mut self, constant: f64, s: f64, held: bool, (subject, part): (usize, Part)) {
        let reach = REACH * self.problem.qp.tolerance * self.scales.speed;
        let bounds = if held { (s - reach, s + reach) } else { (s.min(0.0) - reach, INF) };
        let tag = RowTag { subject: subject as u32, part };
        self.problem.qp.end_row(constant, bounds, tag, self.scales.speed);
    }
}
