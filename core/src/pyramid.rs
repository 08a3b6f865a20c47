//! The mixed LCP of a step with pyramid friction, shared by all steppers that differ only in their normal row.
//!
//! Unknowns, in this order: v_f (free velocities), p_b (other rows), p_n, p_f (n_d per contact, adjacent), σ. Rows:
//!
//! ```text
//!   0   =  A_ff v_f − W_b p_b − W_n p_n − W_f p_f − (b_f − A_fp v_p)
//!   l_b ≤ p_b ≤ u_b ⟂ W_bᵀ v⁺ + g_b
//!   0   ≤ p_n ⟂ ρ_n = W_nᵀ v⁺ + g_n ≥ 0
//!   0   ≤ p_f ⟂ ρ_f = W_fᵀ v⁺ + E σ + g_f ≥ 0
//!   0   ≤ σ   ⟂ s   = U p_n − Eᵀ p_f ≥ 0
//! ```
//!
//! This is eq. (11) of the dVC paper (Berard et al. 2007) with the sign of the first row turned, so that the matrix is
//! copositive after elimination; with A = h D and b = h f = 0 it is eq. (3.1) of Gavrea divided by h. The stepper
//! chooses g_n (and which contacts take part); g_f = ∂ψ_f/∂t. Prescribed velocities move to the right sides.

use crate::error::StageError;
use crate::model::{MotionModel, Space};
use crate::momentum::{Momentum, NOT_FREE};
use crate::problem::{Mlcp, MlcpBuf, Part, Problem, RowTag, Solution};
use crate::sparse::CsrBuf;
use crate::stage::{StepView, Update, Verdict};

const INF: f64 = f64::INFINITY;

/// Builds the mixed LCP and reads its solution. Keeps its memory between steps.
#[derive(Debug, Clone, Default)]
pub struct Pyramid {
    /// cos and sin of every friction direction against (t1, t2); planar: (1, 0), (−1, 0).
    direction: Vec<(f64, f64)>,
    /// Contacts that take part.
    active: Vec<u32>,
    mlcp: MlcpBuf,
    n_free: usize,
    n_rows: usize,
    transposed: CsrBuf,
    rows_transposed: CsrBuf,
    slot: Vec<u32>,
    diagonal: Vec<f64>,
    count: Vec<u32>,
    v: Vec<f64>,
    impulse: Vec<f64>,
    row_impulse: Vec<f64>,
    effort: Vec<f64>,
}

/// Typical sizes that scale rows and unknowns.
#[derive(Clone, Copy)]
struct Scales {
    speed: f64,
    impulse: f64,
}

impl Pyramid {
    /// Friction directions d_k = cos(2πk/n_d) t1 + sin(2πk/n_d) t2, k = 0 … n_d − 1; n_d even, so that −d_k is in the
    /// set. Planar contacts always use (t, −t).
    pub fn with_directions(n_d: usize, planar: bool) -> Self {
        let direction = if planar {
            vec![(1.0, 0.0), (-1.0, 0.0)]
        } else {
            // The second half is the exact negative of the first, whatever the rounding of sin and cos.
            let angle = |k: usize| 2.0 * std::f64::consts::PI * k as f64 / n_d as f64;
            let half: Vec<_> = (0..n_d / 2).map(|k| (angle(k).cos(), angle(k).sin())).collect();
            half.iter().copied().chain(half.iter().map(|&(c, s)| (-c, -s))).collect()
        };
        Self { direction, ..Self::default() }
    }

    /// Number of friction directions n_d.
    pub fn n_d(&self) -> usize {
        self.direction.len()
    }

    /// Assembles the problem. `normal_rate` is g_n per contact of the step, ∞ for contacts that do not take part.
    pub fn formulate(&mut self, step: &StepView<'_>, momentum: &Momentum, normal_rate: &[f64]) -> Mlcp<'_> {
        self.active.clear();
        self.active.extend((0..step.contacts.len() as u32).filter(|&i| normal_rate[i as usize] < INF));
        (self.n_free, self.n_rows) = (momentum.free.len(), step.rows.rate.len());
        let n = self.n_free + self.n_rows + self.active.len() * (2 + self.n_d());
        self.mlcp.clear(n, step.tolerance);
        self.prepare(step, momentum);
        let scales = self.scales(step, momentum, normal_rate);
        self.velocity_rows(step, momentum, scales);
        self.other_rows(step, momentum, scales);
        self.normal_rows(step, momentum, normal_rate, scales);
        self.friction_rows(step, momentum, scales);
        self.slip_rows(step, scales);
        self.guess(step, momentum);
        self.mlcp.view()
    }

    fn prepare(&mut self, step: &StepView<'_>, momentum: &Momentum) {
        self.transposed.transpose_of(&step.contacts.jacobian, &mut self.count);
        self.rows_transposed.transpose_of(&step.rows.jacobian, &mut self.count);
        self.slot.clear();
        self.slot.resize(step.contacts.len(), u32::MAX);
        for (slot, &contact) in self.active.iter().enumerate() {
            self.slot[contact as usize] = slot as u32;
        }
        self.diagonal.clear();
        let a = momentum.a.view();
        self.diagonal.extend((0..step.nv()).map(|i| a.entries(i).find(|e| e.0 == i).map_or(0.0, |e| e.1)));
    }

    /// Column of p_n of the active contact `slot`.
    fn normal_at(&self, slot: usize) -> usize {
        self.n_free + self.n_rows + slot
    }

    /// Column of the first p_f of the active contact `slot`.
    fn friction_at(&self, slot: usize) -> usize {
        self.n_free + self.n_rows + self.active.len() + slot * self.n_d()
    }

    /// Column of σ of the active contact `slot`.
    fn slip_at(&self, slot: usize) -> usize {
        self.n_free + self.n_rows + self.active.len() * (1 + self.n_d()) + slot
    }

    fn scales(&self, step: &StepView<'_>, momentum: &Momentum, normal_rate: &[f64]) -> Scales {
        let max = |m: f64, x: f64| m.max(x.abs());
        let impulse = momentum.free.iter().map(|&i| momentum.b[i as usize]).fold(0.0, max);
        let free_speed = |&i: &u32| {
            let a = self.diagonal[i as usize];
            if a > 0.0 { momentum.b[i as usize] / a } else { 0.0 }
        };
        let rates = self.active.iter().map(|&i| normal_rate[i as usize]);
        let speed = momentum
            .free
            .iter()
            .map(free_speed)
            .chain(rates)
            .chain(step.command.iter().copied())
            .fold(0.0, max);
        let or_one = |x: f64| if x > 0.0 { x } else { 1.0 };
        Scales { speed: or_one(speed), impulse: or_one(impulse) }
    }

    fn velocity_rows(&mut self, step: &StepView<'_>, momentum: &Momentum, scales: Scales) {
        let a = momentum.a.view();
        for &dof in &momentum.free {
            let dof = dof as usize;
            let mut q = -momentum.b[dof];
            for (j, value) in a.entries(dof) {
                match momentum.index[j] {
                    NOT_FREE => q += value * momentum.prescribed[j],
                    free => self.mlcp.m.push(free as usize, value),
                }
            }
            self.push_wrenches(step, dof);
            let tag = RowTag { subject: dof as u32, part: Part::Velocity };
            let w_scale =
                if self.diagonal[dof] > 0.0 { self.diagonal[dof] * scales.speed } else { scales.impulse };
            self.mlcp.end_row(q, (-INF, INF), tag, (scales.speed, w_scale));
        }
    }

    /// −W_b, −W_n, −W_f of one velocity row.
    fn push_wrenches(&mut self, step: &StepView<'_>, dof: usize) {
        if self.n_rows > 0 {
            for (row, value) in self.rows_transposed.view().entries(dof) {
                self.mlcp.m.push(self.n_free + row, -value);
            }
        }
        if step.contacts.is_empty() {
            return;
        }
        let stride = step.contacts.stride();
        let (columns, values) = self.transposed.view().row(dof);
        let mut k = 0;
        while k < columns.len() {
            // All rows of a contact have the same pattern, so its entries of this velocity stand together.
            let contact = columns[k] as usize / stride;
            let slot = self.slot[contact];
            if slot != u32::MAX {
                let slot = slot as usize;
                let (n, t1) = (values[k], values[k + 1]);
                let t2 = if stride == 3 { values[k + 2] } else { 0.0 };
                self.mlcp.m.push(self.n_free + self.n_rows + slot, -n);
                let first = self.n_free + self.n_rows + self.active.len() + slot * self.direction.len();
                for (d, &(c, s)) in self.direction.iter().enumerate() {
                    self.mlcp.m.push(first + d, -(c * t1 + s * t2));
                }
            }
            k += stride;
        }
    }

    fn other_rows(&mut self, step: &StepView<'_>, momentum: &Momentum, scales: Scales) {
        for row in 0..self.n_rows {
            let mut q = step.rows.rate[row];
            for (j, value) in step.rows.jacobian.entries(row) {
                match momentum.index[j] {
                    NOT_FREE => q += value * momentum.prescribed[j],
                    free => self.mlcp.m.push(free as usize, value),
                }
            }
            let bounds = (step.rows.lower[row], step.rows.upper[row]);
            let part = if bounds == (-INF, INF) { Part::Bilateral } else { Part::Limit };
            let mass = momentum.effective_mass(step.rows.jacobian.entries(row), &self.diagonal);
            let z_scale = if mass > 0.0 { mass * scales.speed } else { scales.impulse };
            self.mlcp.end_row(q, bounds, RowTag { subject: row as u32, part }, (z_scale, scales.speed));
        }
    }

    fn normal_rows(&mut self, step: &StepView<'_>, momentum: &Momentum, normal_rate: &[f64], scales: Scales) {
        for slot in 0..self.active.len() {
            let contact = self.active[slot] as usize;
            let mut q = normal_rate[contact];
            let mut terms = q.abs();
            for (j, value) in step.contacts.jacobian.entries(step.contacts.row(contact)) {
                match momentum.index[j] {
                    NOT_FREE => {
                        q += value * momentum.prescribed[j];
                        terms += (value * momentum.prescribed[j]).abs();
                    }
                    free => self.mlcp.m.push(free as usize, value),
                }
            }
            if q.abs() <= rounding(step, contact, terms) {
                q = 0.0;
            }
            let z_scale = self.impulse_scale(step, momentum, contact, scales);
            let tag = RowTag { subject: contact as u32, part: Part::Normal };
            self.mlcp.end_row(q, (0.0, INF), tag, (z_scale, scales.speed));
        }
    }

    fn impulse_scale(&self, step: &StepView<'_>, momentum: &Momentum, contact: usize, scales: Scales) -> f64 {
        let row = step.contacts.row(contact);
        let mass = momentum.effective_mass(step.contacts.jacobian.entries(row), &self.diagonal);
        if mass > 0.0 { mass * scales.speed } else { scales.impulse }
    }

    fn friction_rows(&mut self, step: &StepView<'_>, momentum: &Momentum, scales: Scales) {
        let contacts = &step.contacts;
        let planar = contacts.n_t == 1;
        for slot in 0..self.active.len() {
            let contact = self.active[slot] as usize;
            let row = contacts.row(contact);
            let z_scale = self.impulse_scale(step, momentum, contact, scales);
            let sigma = self.slip_at(slot);
            let (columns, t1) = contacts.jacobian.row(row + 1);
            let t2 = if planar { t1 } else { contacts.jacobian.row(row + 2).1 };
            for d in 0..self.n_d() {
                let (c, s) = self.direction[d];
                let rate2 = if planar { 0.0 } else { contacts.rate[row + 2] };
                let mut q = c * contacts.rate[row + 1] + s * rate2;
                for (k, &j) in columns.iter().enumerate() {
                    let value = if planar { c * t1[k] } else { c * t1[k] + s * t2[k] };
                    match momentum.index[j as usize] {
                        NOT_FREE => q += value * momentum.prescribed[j as usize],
                        free => self.mlcp.m.push(free as usize, value),
                    }
                }
                self.mlcp.m.push(sigma, 1.0);
                let tag = RowTag { subject: contact as u32, part: Part::Friction };
                self.mlcp.end_row(q, (0.0, INF), tag, (z_scale, scales.speed));
            }
        }
    }

    fn slip_rows(&mut self, step: &StepView<'_>, scales: Scales) {
        for slot in 0..self.active.len() {
            let contact = self.active[slot] as usize;
            let mu = step.contacts.friction[contact];
            if mu != 0.0 {
                self.mlcp.m.push(self.normal_at(slot), mu);
            }
            for d in 0..self.n_d() {
                self.mlcp.m.push(self.friction_at(slot) + d, -1.0);
            }
            let w_scale = self.mlcp.z_scale[self.normal_at(slot)];
            let tag = RowTag { subject: contact as u32, part: Part::Slip };
            self.mlcp.end_row(0.0, (0.0, INF), tag, (scales.speed, w_scale));
        }
    }

    /// Last step's velocities and impulses (matched by identity), split on the directions; σ from the present slip.
    fn guess(&mut self, step: &StepView<'_>, momentum: &Momentum) {
        let contacts = &step.contacts;
        let mut guess = std::mem::take(&mut self.mlcp.guess);
        guess.resize(self.mlcp.q.len(), 0.0);
        for (k, &dof) in momentum.free.iter().enumerate() {
            guess[k] = step.v[dof as usize];
        }
        for slot in 0..self.active.len() {
            let row = contacts.row(self.active[slot] as usize);
            let last = &contacts.last_impulse[row..row + contacts.stride()];
            guess[self.normal_at(slot)] = last[0];
            let p = (last[1], if contacts.n_t == 2 { last[2] } else { 0.0 });
            self.split(p, &mut guess[self.friction_at(slot)..][..self.direction.len()]);
            let slip = |k: usize| contacts.jacobian.row_dot(row + k, step.v) + contacts.rate[row + k];
            let nu = (slip(1), if contacts.n_t == 2 { slip(2) } else { 0.0 });
            guess[self.slip_at(slot)] =
                self.direction.iter().map(|&(c, s)| -(c * nu.0 + s * nu.1)).fold(0.0, f64::max);
        }
        self.mlcp.guess = guess;
    }

    /// p = Σ x_k d_k with x ≥ 0 on the two directions next to p (one in the plane).
    fn split(&self, p: (f64, f64), x: &mut [f64]) {
        x.fill(0.0);
        let n = self.direction.len();
        if n == 2 {
            x[usize::from(p.0 < 0.0)] = p.0.abs();
            return;
        }
        for k in 0..n {
            let ((c0, s0), (c1, s1)) = (self.direction[k], self.direction[(k + 1) % n]);
            let det = c0 * s1 - s0 * c1;
            let (x0, x1) = ((p.0 * s1 - p.1 * c1) / det, (c0 * p.1 - s0 * p.0) / det);
            if x0 >= 0.0 && x1 >= 0.0 {
                (x[k], x[(k + 1) % n]) = (x0, x1);
                return;
            }
        }
    }

    /// Reads a solution z: full velocities, contact impulses in (n, t1, t2), other impulses, drive efforts.
    pub fn recover(&mut self, step: &StepView<'_>, momentum: &Momentum, z: &[f64]) -> Recovered<'_> {
        let stride = step.contacts.stride();
        momentum.expand(&z[..self.n_free], &mut self.v);
        self.row_impulse.clear();
        self.row_impulse.extend_from_slice(&z[self.n_free..self.n_free + self.n_rows]);
        self.impulse.clear();
        self.impulse.resize(step.contacts.len() * stride, 0.0);
        for slot in 0..self.active.len() {
            let at = self.active[slot] as usize * stride;
            self.impulse[at] = z[self.normal_at(slot)];
            let p_f = &z[self.friction_at(slot)..][..self.direction.len()];
            for (&(c, s), &p) in self.direction.iter().zip(p_f) {
                self.impulse[at + 1] += c * p;
                if stride == 3 {
                    self.impulse[at + 2] += s * p;
                }
            }
        }
        momentum.residual(step, &self.v, &self.impulse, &self.row_impulse, &mut self.effort);
        for &dof in &momentum.free {
            self.effort[dof as usize] = 0.0;
        }
        Recovered { v: &self.v, impulse: &self.impulse, row_impulse: &self.row_impulse, effort: &self.effort }
    }
}

/// Rounding of a normal row's constant: of its own terms, and of the gap ψ/h, which is a difference of coordinates.
///
/// Motion that just closes a gap cancels down to this. What is left has no meaning, and where nothing else gives way
/// (two prescribed bodies at a third) its sign would decide whether the step has a solution at all.
fn rounding(step: &StepView<'_>, contact: usize, terms: f64) -> f64 {
    let points =
        |list: &[f64]| list[3 * contact..3 * contact + 3].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let reach = points(step.contacts.point_a).max(points(step.contacts.point_b));
    4.0 * f64::EPSILON * (terms + reach / step.h)
}

/// A solution in the terms of the step; see [`Pyramid::recover`].
#[derive(Debug, Clone, Copy)]
pub struct Recovered<'a> {
    /// v⁺, nv.
    pub v: &'a [f64],
    /// Contact impulses, (1 + n_t) per contact, zero where the contact took no part.
    pub impulse: &'a [f64],
    /// Impulses of the other rows.
    pub row_impulse: &'a [f64],
    /// Drive impulses on prescribed dofs, nv.
    pub effort: &'a [f64],
}

/// What all rigid steppers with pyramid friction share: balance, problem, way back. A stepper adds its normal row.
#[derive(Debug, Clone, Default)]
pub struct RigidStep {
    motion: MotionModel,
    momentum: Momentum,
    pyramid: Pyramid,
    normal_rate: Vec<f64>,
}

impl RigidStep {
    /// With the default motion model and n_d friction directions (planar systems always use two).
    pub fn new(motion: MotionModel, n_d: usize, space: Space) -> Self {
        let pyramid = Pyramid::with_directions(n_d, space == Space::Planar);
        Self { motion, pyramid, ..Self::default() }
    }

    /// The step's problem, with `normal_rate(i)` the whole constant g_n of contact i, ∞ to leave it out.
    pub fn formulate(
        &mut self,
        step: &StepView<'_>,
        mut normal_rate: impl FnMut(&Momentum, usize) -> f64,
    ) -> Result<Problem<'_>, StageError> {
        self.momentum.assemble(step, self.motion)?;
        self.normal_rate.clear();
        for i in 0..step.contacts.len() {
            let rate = normal_rate(&self.momentum, i);
            self.normal_rate.push(rate);
        }
        Ok(Problem::Mlcp(self.pyramid.formulate(step, &self.momentum, &self.normal_rate)))
    }

    /// Accepts the solution: v⁺, impulses, efforts; the host moves q to q ⊕ h N v⁺.
    ///
    /// Errors: a solution of another length than the problem of the last [`RigidStep::formulate`].
    pub fn update(&mut self, step: &StepView<'_>, solution: &Solution<'_>) -> Result<Update<'_>, StageError> {
        let unknowns = self.pyramid.mlcp.q.len();
        if solution.z.len() != unknowns || self.normal_rate.len() != step.contacts.len() {
            let found = solution.z.len();
            return Err(StageError::bad_input(format!(
                "the solution has {found} numbers for the {unknowns} unknowns of the step that was formulated"
            )));
        }
        let recovered = self.pyramid.recover(step, &self.momentum, solution.z);
        Ok(Update {
            verdict: Verdict::Accept,
            h_used: step.h,
            v: recovered.v,
            impulse: recovered.impulse,
            row_impulse: recovered.row_impulse,
            effort: recovered.effort,
            normal_rate: &self.normal_rate,
            motion: &self.momentum.motion,
            ..Update::default()
        })
    }
}

/// Rate ν_n⁻ = Wnᵀ v + ∂ψ/∂t of the gap of contact i at the start of the step, m/s.
pub fn gap_rate(step: &StepView<'_>, i: usize) -> f64 {
    let row = step.contacts.row(i);
    step.contacts.jacobian.row_dot(row, step.v) + step.contacts.rate[row]
}
