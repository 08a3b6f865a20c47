//! What the numbers of a step are compared with: every row with the sizes of its own terms, in its own unit.
//!
//! For a velocity row i of A v⁺ = b + W p
//!
//! ```text
//!   cause_i    = |b_i| + Σ_j |A_ij v⁺_j|                   what acts on the row beside impulses of contacts and joints
//!   pressure_i = Σ_contacts max_k |W_ki| max_k |p_k| + …   impulses, those of one contact in common: noise of its friction is noise
//!   change_i   = |b_i − (A v)_i| + Σ_j |A_ij (v⁺ − v)_j| + 1e-2 cause_i, at most cause_i
//!   beside_i   = 1e-3 max change of the rows of the same body, moments over its size
//!   size_i     = change_i + beside_i + 1e-3 pressure'_i + 1e-10 pressure_i + 1e-9 peak      (rows without inertia: cause_i + pressure_i)
//! ```
//!
//! where pressure' is pressure as far as it is explained, at most 1000 times the largest cause of all rows (moments over the size
//! of their body): two huge impulses that cancel are no excuse for a residual. `peak` is the largest cause that a row of that block
//! ever had, moments over its size: what has come to rest has the rounding of what moved.
//!
//! For a rate ν = J v the scale is Σ_j |J_j| V_j with V_j the largest of |v_j|, |v⁺_j|, the speed |b_j|/A_jj that the row
//! would have without impulses (g h for a body at rest) and 1e-6 of the largest speed that the block ever had; plus
//! 1e-3 pressure'_j/A_jj, which is what impulses that balance each other leave.

use crate::momentum::{Momentum, NOT_FREE};
use crate::sparse::Csr;
use crate::stage::{BlockKind, StepView, Update};

/// Part of explained impulses that the solver's accuracy may leave.
const EXPLAINED: f64 = 1e-3;
/// Part of the momentum that a body merely carries on with: within a small step it is far larger than what forces add.
const CARRIED: f64 = 1e-2;
/// Part of what changes the momentum of the same body along another direction: a row in which nothing happens has the noise of
/// those beside it.
const BESIDE: f64 = 1e-3;
/// Largest ratio of impulses to causes that counts as explained.
const EXPLAINS: f64 = 1e3;
/// Part of impulses that rounding may leave.
const ROUNDING: f64 = 1e-10;
/// Part of the largest cause of the past that counts as rounding.
const PAST: f64 = 1e-9;

/// Part of the largest speed of the past that counts as rest.
const RESTING: f64 = 1e-6;

/// The largest numbers of a block so far, for lengths and for angles.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Peak {
    /// Of what acts on a row beside impulses, N s and N m s.
    pub(super) cause: [f64; 2],
    /// Of what acts on a row with impulses, N s and N m s.
    pub(super) acting: [f64; 2],
    /// Of speeds, m/s and rad/s.
    pub(super) speed: [f64; 2],
}

impl Peak {
    /// Largest cause, that of angles over the size of the body, N s.
    fn cause_as(&self, [one, arm]: [f64; 2]) -> f64 {
        (self.cause[0] / one).max(self.cause[1] / arm)
    }

    /// The larger of both, number by number.
    pub(super) fn take(&mut self, other: &Self) {
        for k in 0..2 {
            self.cause[k] = self.cause[k].max(other.cause[k]);
            self.acting[k] = self.acting[k].max(other.acting[k]);
            self.speed[k] = self.speed[k].max(other.speed[k]);
        }
    }
}

/// Scales of one step. Keeps its memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Scales {
    /// Velocities at the start, prescribed dofs as commanded, nv.
    pub(super) before: Vec<f64>,
    /// V, nv.
    pub(super) speed: Vec<f64>,
    /// Divisor of residuals, nv.
    pub(super) size: Vec<f64>,
    /// Largest cause + pressure of the rows of a block and kind: what an impulse is small or large against, nv; ∞ for
    /// prescribed dofs.
    pub(super) whole: Vec<f64>,
    /// Largest causes and speeds per block of this step.
    pub(super) peak: Vec<Peak>,
    acting: Vec<[f64; 2]>,
    cause: Vec<f64>,
    /// What changes the momentum, and a part of what it is: against which residuals stand.
    change: Vec<f64>,
    /// Largest change of a block's rows, moments over its size.
    moved: Vec<f64>,
    pressure: Vec<f64>,
    kind: Vec<u8>,
    block: Vec<u32>,
}

/// What turns the numbers of a block into those of lengths: 1 for lengths, its size for angles.
fn lever(length: &[f64], block: usize) -> [f64; 2] {
    [1.0, length.get(block).copied().unwrap_or(1.0)]
}

/// One row J of contacts or other rows: ν⁺ = J v⁺, ν⁻ = J v, its scale, and its weight max_j |J_j|/whole_j, 1/(N s).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rate {
    pub(super) after: f64,
    pub(super) before: f64,
    pub(super) scale: f64,
    pub(super) weight: f64,
}

impl Rate {
    /// Work of an impulse p along it, J: p times the mean of the rates before and after, the change of kinetic energy.
    pub(super) fn work(&self, p: f64) -> f64 {
        0.5 * p * (self.before + self.after)
    }

    /// Sum of the sizes of the terms of twice that work, J.
    pub(super) fn flow(&self, p: f64) -> f64 {
        p.abs() * (self.before.abs() + self.after.abs())
    }
}

impl Scales {
    /// Reads a step. `peaks` are the largest causes of the steps before, per block and kind.
    pub(super) fn fill(
        &mut self,
        step: &StepView<'_>,
        update: &Update<'_>,
        m: &Momentum,
        (peaks, length): (&[Peak], &[f64]),
    ) {
        self.index(step);
        self.causes(step, update, m, peaks);
        self.pressures(step, update);
        let largest = self.largest_cause(step, m, length);
        self.sizes(step, m, peaks, length, largest);
        self.acting_of_blocks(peaks, length);
        self.whole.clear();
        self.whole.extend((0..step.nv()).map(|i| match m.index[i] {
            NOT_FREE => f64::INFINITY,
            _ => self.acting[self.block[i] as usize][self.kind[i] as usize],
        }));
    }

    /// Largest cause of all rows, as of lengths; with it the largest changes of blocks and the peaks of causes.
    fn largest_cause(&mut self, step: &StepView<'_>, m: &Momentum, length: &[f64]) -> f64 {
        let mut largest = 0.0_f64;
        self.moved.clear();
        self.moved.resize(step.n_blocks(), 0.0);
        for &dof in &m.free {
            let dof = dof as usize;
            let (kind, block) = (self.kind[dof] as usize, self.block[dof] as usize);
            let arm = lever(length, block)[kind];
            largest = largest.max(self.cause[dof] / arm);
            self.moved[block] = self.moved[block].max(self.change[dof] / arm);
            let peak = &mut self.peak[block];
            peak.cause[kind] = peak.cause[kind].max(self.cause[dof]);
        }
        largest
    }

    /// Divisors of residuals, and what acts on every block, for lengths and for angles.
    fn sizes(&mut self, step: &StepView<'_>, m: &Momentum, peaks: &[Peak], length: &[f64], largest: f64) {
        self.size.clear();
        self.acting.clear();
        self.acting.resize(step.n_blocks(), [0.0; 2]);
        for i in 0..step.nv() {
            let (cause, pressure, kind) = (self.cause[i], self.pressure[i], self.kind[i] as usize);
            let block = self.block[i] as usize;
            let arms = lever(length, block);
            let arm = arms[kind];
            let past =
                peaks.get(block).map_or(0.0, |p| p.cause_as(arms)).max(self.peak[block].cause_as(arms));
            let inert = m.diagonal[i] > 0.0;
            let explained = pressure.min(EXPLAINS * largest * arm);
            let part = if inert { EXPLAINED * explained + ROUNDING * pressure } else { pressure };
            // Impulses that balance each other, like those of a grip, leave their noise in the velocity.
            if inert {
                self.speed[i] += EXPLAINED * explained / m.diagonal[i];
            }
            self.size.push(self.change[i] + BESIDE * self.moved[block] * arm + part + PAST * past * arm);
            let pressing = if inert { explained + ROUNDING * pressure } else { pressure };
            let acting = &mut self.acting[block][kind];
            *acting = acting.max(cause + pressing);
            let peak = &mut self.peak[block].acting[kind];
            *peak = peak.max(cause + pressure);
        }
    }

    /// The larger of lengths and angles counts for both.
    fn acting_of_blocks(&mut self, peaks: &[Peak], length: &[f64]) {
        for (block, acting) in self.acting.iter_mut().enumerate() {
            let [one, arm] = lever(length, block);
            let most = (acting[0] / one).max(acting[1] / arm);
            let peak = &mut self.peak[block].acting;
            peak[0] = (peak[0] / one).max(peak[1] / arm);
            let past = peaks.get(block).map_or(0.0, |p| p.acting[0]).max(peak[0]);
            *acting = [most + PAST * past, (most + PAST * past) * arm];
        }
    }

    /// Block and kind of every velocity.
    fn index(&mut self, step: &StepView<'_>) {
        self.peak.clear();
        self.peak.resize(step.n_blocks(), Peak::default());
        if self.kind.len() == step.nv() {
            return;
        }
        self.kind.clear();
        self.block.clear();
        for b in 0..step.n_blocks() {
            let range = step.block_start[b] as usize..step.block_start[b + 1] as usize;
            let first_angle = match step.block_kind[b] {
                k if k == BlockKind::Planar as u8 => 2,
                k if k == BlockKind::Spatial as u8 => 3,
                _ => 0,
            };
            for local in 0..range.len() {
                self.kind.push(u8::from(local >= first_angle));
                self.block.push(b as u32);
            }
        }
    }

    fn causes(&mut self, step: &StepView<'_>, update: &Update<'_>, m: &Momentum, peaks: &[Peak]) {
        for list in [&mut self.before, &mut self.speed, &mut self.cause, &mut self.change] {
            list.clear();
        }
        let a = m.a.view();
        for i in 0..step.nv() {
            let mut cause = m.b[i].abs();
            let (mut force, mut change) = (m.b[i], 0.0);
            for (j, x) in a.entries(i) {
                cause += (x * update.v[j]).abs();
                force -= x * step.v[j];
                change += (x * (update.v[j] - step.v[j])).abs();
            }
            let free = m.index[i] != NOT_FREE;
            let own = free || !step.drive_speed.is_empty();
            let before = if own { step.v[i] } else { update.v[i] };
            let alone = if free && m.diagonal[i] > 0.0 { m.b[i].abs() / m.diagonal[i] } else { 0.0 };
            let (block, kind) = (self.block[i] as usize, self.kind[i] as usize);
            let speed = update.v[i].abs().max(before.abs()).max(alone);
            let peak = &mut self.peak[block].speed[kind];
            *peak = peak.max(speed);
            let past = peaks.get(block).map_or(0.0, |p| p.speed[kind]).max(*peak);
            self.cause.push(cause);
            self.change.push((force.abs() + change + CARRIED * cause).min(cause));
            self.before.push(before);
            self.speed.push(speed.max(RESTING * past));
        }
    }

    fn pressures(&mut self, step: &StepView<'_>, update: &Update<'_>) {
        self.pressure.clear();
        self.pressure.resize(step.nv(), 0.0);
        let contacts = &step.contacts;
        for i in 0..contacts.len() {
            let rows = contacts.row(i)..contacts.row(i) + contacts.stride();
            let p = update.impulse[rows.clone()].iter().fold(0.0_f64, |m, p| m.max(p.abs()));
            if p > 0.0 {
                let (columns, _) = contacts.jacobian.row(rows.start);
                let list = rows.map(|row| contacts.jacobian.row(row).1);
                for (k, &j) in columns.iter().enumerate() {
                    let lever = list.clone().fold(0.0_f64, |m, values| m.max(values[k].abs()));
                    self.pressure[j as usize] += lever * p;
                }
            }
        }
        let others =
            [(step.row_wrenches(), update.row_impulse), (step.supports.jacobian, update.support_impulse)];
        for (jacobian, impulse) in others {
            for (row, p) in impulse.iter().enumerate().filter(|(_, p)| **p != 0.0) {
                jacobian.entries(row).for_each(|(j, x)| self.pressure[j] += (x * p).abs());
            }
        }
    }

    /// A row of a Jacobian.
    #[inline]
    pub(super) fn rate(&self, jacobian: &Csr<'_>, row: usize, v: &[f64]) -> Rate {
        let mut out = Rate::default();
        for (j, x) in jacobian.entries(row) {
            out.after += x * v[j];
            out.before += x * self.before[j];
            out.scale += x.abs() * self.speed[j];
            // A row on which nothing acts has no impulse either.
            out.weight = out.weight.max(if self.whole[j] > 0.0 { x.abs() / self.whole[j] } else { 0.0 });
        }
        out
    }

    /// All other rows that have an impulse: their number, impulse and rate.
    pub(super) fn pressed_rows<'a>(
        &'a self,
        step: &'a StepView<'a>,
        update: &'a Update<'a>,
    ) -> impl Iterator<Item = (usize, f64, Rate)> + 'a {
        let (wrenches, v) = (step.row_wrenches(), update.v);
        let pressed = update.row_impulse.iter().enumerate().filter(|(_, p)| **p != 0.0);
        pressed.map(move |(k, &p)| (k, p, self.rate(&wrenches, k, v)))
    }

    /// Block of a velocity.
    pub(super) fn block_of(&self, dof: usize) -> usize {
        self.block[dof] as usize
    }
}
