//! Scales: the sizes that the numbers of a step are compared with, of every row those of its own terms, in its own unit.
//!
//! For a velocity row i of A v⁺ = b + W p
//!
//! ```text
//!   cause_i    = |b_i| + Σ_j |A_ij v⁺_j|                   what acts on the row beside impulses of contacts and joints
//!   pressure_i = Σ_contacts max_k |W_ki| max_k |p_k| + …   impulses, those of one contact in common: noise of its friction is noise
//!                                                          (without friction that of its normal alone, where there is inertia)
//!   change_i   = |b_i − (A v)_i| + Σ_j |A_ij (v⁺ − v)_j| + 1e-9 cause_i, at most cause_i, + h₀ |f_i + c_i| + implicit forces
//!   beside_i   = 1e-3 max change of the rows of the same free body, moments over its size
//!   size_i     = change_i + beside_i + 1e-3 pressure'_i + 1e-10 pressure_i + rounding_i
//!                (rows without inertia: also pressure_i, at most 10 times the largest change; all of it where nothing else acts)
//! ```
//!
//! where pressure' is pressure as far as it is explained: at most 1000 times the largest change of the rows that contacts and joints
//! tie together, or of 1e-6 of their largest cause ever (moments over the size of their body), or of 1e-6 A_ii times the
//! largest speed of all. For rounding at most 1e6 times that counts. So two huge impulses that cancel are no excuse for a
//! residual, whatever falls elsewhere. h₀ is the nominal step: what substeps leave is added up and stands against a whole one.
//! rounding is the larger of 1e-10 G' and 1e-16 G, with G the largest cause that any row ever had and G' that of the body's own rows (of a tree those that inertia couples to row i), or the
//! largest change (without its 1e-9 of the cause) that rows tied to this one ever had: how fast a neighbour flies along is no excuse. Where nothing acts there is the rounding of what acts elsewhere. Where a residual is suspect, the changes in G' are taken over all that
//! listed contacts join, whether they carry an impulse or not: solvers have their rows in one system. A mass that has a factor has its rounding with it. Where contacts are compliant by the stepper's law,
//! 1e-10 of the largest normal impulse that the block ever had is added: its size is that of the overlap, and judged. The momentum that a body carries on with is no excuse
//! beyond its rounding: at small steps it is far more than what forces add; where no force acts (f_i + c_i = 0, and no contact presses
//! or rubs along i) it counts with 1e-4.
//!
//! For a rate ν = J v the scale is Σ_j |J_j| V_j. V_j is the largest of |v_j|, |v⁺_j|, |b_j|/A_jj, h₀ |f_j|/A_jj, 1e-4 of the
//! largest speed that the block (of a tree: the coupled rows, |A_ij v_j|/A_ii) ever had, and 1e-7 of the largest of all. |b_j|/A_jj is the speed that the row would have without
//! impulses (g h for a body at rest). 1e-3 pressure'_j/A_jj is added, which is what impulses that balance each other leave.
//!
//! An impulse p along J is large or small against m Σ_j |J_j| D_j, with 1/m = Σ_j J_j²/A_jj and
//! D_j = (change_j + pressure'_j + the larger of 1e-9 G' and 1e-16 G)/A_jj: what else changes that rate, through the mass that it feels.
//! Where nothing gives way it stands against 1e-8 G: of such impulses solvers know nothing but that they are none.

use super::blocks::{Blocks, lever};
use super::carried::{Carried, RowPeak};
use super::lane::Lane;
use super::peak::Peak;
use super::ties::Ties;
use crate::momentum::{Momentum, NOT_FREE};
use crate::sparse::Csr;
use crate::stage::{StepView, Update};

/// Part of explained impulses that the solver's accuracy may leave.
const EXPLAINED: f64 = 1e-3;
/// Part of the momentum that a body merely carries on with which counts as rounding.
const CARRIED: f64 = 1e-9;
/// Part of a row without forces that counts as nothing: an error of that part a step is no other motion.
const COASTING: f64 = 1e-4;
/// Part of what changes the momentum of the same body along another direction: a row in which nothing happens has the noise of
/// those beside it.
const BESIDE: f64 = 1e-3;
/// Largest ratio of impulses to causes that counts as explained.
const EXPLAINS: f64 = 1e3;
/// Part of the largest cause of what is tied together that stands for a change where everything rests.
const SETTLED: f64 = 1e-6;
/// Ratio of impulses to causes up to which they count whole where there is no inertia.
const GRIPPED: f64 = 10.0;
/// Part of impulses that rounding may leave.
const ROUNDING: f64 = 1e-10;
/// Largest ratio of impulses to causes whose rounding counts: it adds at most 1e-4 of the causes to a divisor.
const ROUNDED: f64 = 1e6;
/// Part of the largest cause of all that counts as rounding, of momentum and of impulses.
const ELSEWHERE: f64 = 1e-16;
/// Part of the largest cause of all that an impulse is nothing beside where nothing feels it: at the limits of the verdicts (1e-5) 1e-13
/// of the cause is left to the rounding of solvers, whose rows for such contacts say nothing of the impulse.
const UNFELT: f64 = 1e-8;
/// Part of the largest cause of a body, or change of what impulses tie to it, that counts as rounding. How fast all of it flies
/// together is in no change: a neighbour's rounding comes in through the impulses that join both.
const CANCELLED: f64 = 1e-10;
/// Part of the same that an impulse is nothing beside.
const NOTHING: f64 = 1e-9;
/// Part of the largest speed of the block's past that counts as rest.
const RESTING: f64 = 1e-4;
/// Part of the largest speed of all that does.
const STILL: f64 = 1e-7;

/// Scales of one step. Keeps its memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Scales {
    /// Velocities at the start, prescribed dofs as commanded, nv.
    pub(super) before: Vec<f64>,
    /// V, nv.
    pub(super) speed: Vec<f64>,
    /// Divisor of residuals, nv.
    pub(super) size: Vec<f64>,
    /// Largest causes and speeds per block of this step.
    pub(super) peak: Vec<Peak>,
    /// Rows of trees, which have no peak of their block in common.
    pub(super) carried: Carried,
    cause: Vec<f64>,
    /// Change of momentum with the forces behind it, and nothing of the momentum itself.
    acting: Vec<f64>,
    /// Change of momentum, and a part of the momentum itself: residuals stand against it.
    change: Vec<f64>,
    /// Largest change of a block's rows, moments over its size.
    moved: Vec<f64>,
    pressure: Vec<f64>,
    pub(super) blocks: Blocks,
    pub(super) lanes: Vec<Lane>,
    /// True if any lane has a share.
    pub(super) massless: bool,
    /// Weight of an impulse that nothing feels, 1/(N s): one between driven bodies, or where nothing acts.
    pub(super) unfelt: f64,
    ties: Ties,
    /// By velocity, what support points may hold, N s or N m s.
    held: Vec<f64>,
}

impl Scales {
    /// Reads a step. `peaks` are the largest numbers of the steps before by block, `rows` those by row, `length` the sizes of the blocks,
    /// `nominal` is h₀; `compliant` says that the stepper's law gives impulses from overlaps.
    pub(super) fn fill(
        &mut self,
        step: &StepView<'_>,
        update: &Update<'_>,
        m: &Momentum,
        (peaks, rows, length, nominal): (&[Peak], &[RowPeak], &[f64], f64),
        compliant: bool,
    ) {
        self.blocks.fill(step);
        self.peak.clear();
        self.peak.resize(step.n_blocks(), Peak::default());
        if compliant {
            self.squeezes(step, update);
        }
        self.pressures(step, update, &m.diagonal);
        self.causes(step, update, m, nominal.max(step.h));
        self.carried.fill(step, m, (&self.cause, &self.speed, &self.change), rows);
        self.changes(step, m, length);
        let ever = |b: usize| largest(&self.peak, peaks, b);
        self.ties.fill(step, update, &self.blocks, (&self.moved, ever));
        let (cause, speed) = self.largest_ever(peaks, length);
        self.rest(peaks, length, speed);
        self.unfelt = 1.0 / (UNFELT * cause).max(f64::MIN_POSITIVE);
        self.lanes.clear();
        self.size.clear();
        self.massless = false;
        for i in 0..step.nv() {
            let arm = self.blocks.arm(length, i);
            let block = self.blocks.of(i);
            let [change, most, acted] = self.ties.load(block);
            let near = acted.max(self.carried_by(peaks, length, i));
            // Between bodies that are driven nothing but how fast they went tells what is large.
            let load = (change.max(SETTLED * most) * arm).max(SETTLED * m.diagonal[i] * speed / arm);
            let explained = self.pressure[i].min(EXPLAINS * load);
            let rounding = ROUNDING * self.pressure[i].min(ROUNDED * load);
            let at_least = |part: f64| (part * near).max(ELSEWHERE * cause) * arm;
            let lighter = update.mass_scale.get(block).copied().unwrap_or(1.0);
            let pressed = match (m.diagonal[i] > 0.0, load > 0.0) {
                (true, _) => EXPLAINED * explained + rounding,
                (false, true) => explained.min(GRIPPED * load) + EXPLAINED * explained + rounding,
                (false, false) => self.pressure[i],
            };
            let beside = self.beside(i, arm);
            let squeezed = CANCELLED * self.pressed(peaks, i) * arm;
            self.size.push(self.change[i] + beside + pressed + squeezed + lighter * at_least(CANCELLED));
            let lane = self.lane_of(update, m, i, (explained, at_least(NOTHING)));
            self.lanes.push(lane);
        }
    }

    /// The largest normal impulse of compliant contacts that the block of row i ever had, N s.
    fn pressed(&self, peaks: &[Peak], i: usize) -> f64 {
        let block = self.blocks.of(i);
        self.peak[block].pressed.max(peaks.get(block).map_or(0.0, |peak| peak.pressed))
    }

    /// Largest changes of the rows of blocks, moments over sizes, and the peaks of causes.
    fn changes(&mut self, step: &StepView<'_>, m: &Momentum, length: &[f64]) {
        self.moved.clear();
        self.moved.resize(step.n_blocks(), 0.0);
        for &dof in &m.free {
            let dof = dof as usize;
            let (block, arm) = (self.blocks.of(dof), self.blocks.arm(length, dof));
            // Without inertia support points are what holds a body.
            let held = if m.diagonal[dof] > 0.0 { 0.0 } else { self.held[dof] };
            self.moved[block] = self.moved[block].max(self.change[dof].max(held) / arm);
            let peak = &mut self.peak[block];
            peak.cause = peak.cause.max(self.cause[dof] / arm);
            peak.acted = peak.acted.max(self.acting[dof] / arm);
        }
    }

    /// The size of row i with the rounding of all that listed contacts join to its body: of the largest cause that they ever had, N s.
    /// For rows that are suspect: the first of a step costs a pass over its contacts.
    pub(super) fn size_among_listed(
        &mut self,
        step: &StepView<'_>,
        (peaks, length): (&[Peak], &[f64]),
        i: usize,
    ) -> f64 {
        let (block, ever) = (self.blocks.of(i), |b: usize| largest(&self.peak, peaks, b));
        let acted = self.ties.listed_acted(step, &self.blocks, block, |b| ever(b)[1]);
        let most = acted.max(self.carried_by(peaks, length, i));
        self.size[i] + CANCELLED * most * self.blocks.arm(length, i)
    }

    /// The largest cause that the body of row i ever had; of a tree, that of the rows coupled to it, N s.
    fn carried_by(&self, peaks: &[Peak], length: &[f64], i: usize) -> f64 {
        let of_block = || largest(&self.peak, peaks, self.blocks.of(i))[0];
        self.carried.of(i).map_or_else(of_block, |row| row.ever.cause / self.blocks.arm(length, i))
    }

    /// The largest cause and speed that any block ever had, N s and m/s.
    fn largest_ever(&self, peaks: &[Peak], length: &[f64]) -> (f64, f64) {
        let fastest =
            |(block, peak): (usize, &Peak)| peak.speed[0].max(peak.speed[1] * lever(length, block)[1]);
        let all = || self.peak.iter().enumerate().chain(peaks.iter().enumerate());
        let cause = all().map(|(_, peak)| peak.cause).fold(0.0, f64::max);
        (cause, all().map(fastest).fold(0.0, f64::max))
    }

    /// Raises speeds to what counts as rest.
    fn rest(&mut self, peaks: &[Peak], length: &[f64], fastest: f64) {
        for i in 0..self.speed.len() {
            let (block, kind) = (self.blocks.of(i), self.blocks.kind(i));
            let of_block =
                || peaks.get(block).map_or(0.0, |p| p.speed[kind]).max(self.peak[block].speed[kind]);
            let past = self.carried.of(i).map_or_else(of_block, |row| row.ever.speed);
            let floor = (RESTING * past).max(STILL * fastest / self.blocks.arm(length, i));
            self.speed[i] = self.speed[i].max(floor);
        }
    }

    /// Part of what changes the momentum of the body of row i along its other directions, moments over its size; of a tree, that of the
    /// rows coupled to it.
    fn beside(&self, i: usize, arm: f64) -> f64 {
        let of_body = || BESIDE * self.moved[self.blocks.of(i)] * arm;
        self.carried.of(i).map_or_else(of_body, |row| CARRIED * row.change)
    }

    /// Velocity i as rows read it. Impulses that balance each other, like those of a grip, leave their noise in it.
    fn lane_of(
        &mut self,
        update: &Update<'_>,
        m: &Momentum,
        i: usize,
        (explained, nothing): (f64, f64),
    ) -> Lane {
        let (free, a) = (m.index[i] != NOT_FREE, m.diagonal[i]);
        let mut lane =
            Lane { moved: [update.v[i], self.before[i]], size: [self.speed[i], 0.0], ..Lane::default() };
        if free && a > 0.0 {
            self.speed[i] += EXPLAINED * explained / a;
            lane.size = [self.speed[i], (self.change[i] + explained + nothing) / a];
            lane.mobility = 1.0 / a;
        } else if free {
            let acting = self.cause[i] + self.pressure[i] + nothing;
            lane.share = if acting > 0.0 { 1.0 / acting } else { 0.0 };
            self.massless |= acting > 0.0;
        }
        lane
    }

    fn causes(&mut self, step: &StepView<'_>, update: &Update<'_>, m: &Momentum, nominal: f64) {
        for list in [&mut self.before, &mut self.speed, &mut self.cause, &mut self.change, &mut self.acting] {
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
            let forced = nominal * (step.force[i] + step.bias[i]).abs() + implicit(step, update.v, i);
            let alone =
                if free && m.diagonal[i] > 0.0 { m.b[i].abs().max(forced) / m.diagonal[i] } else { 0.0 };
            let (block, kind) = (self.blocks.of(i), self.blocks.kind(i));
            let speed = update.v[i].abs().max(before.abs()).max(alone);
            let peak = &mut self.peak[block].speed[kind];
            *peak = peak.max(speed);
            self.cause.push(cause);
            // Friction is a force too.
            let carried = if forced == 0.0 && self.pressure[i] == 0.0 { COASTING } else { CARRIED } * cause;
            self.change.push((force.abs() + change + carried).min(cause) + forced);
            self.acting.push((force.abs() + change).min(cause) + forced);
            self.before.push(before);
            self.speed.push(speed);
        }
    }

    fn pressures(&mut self, step: &StepView<'_>, update: &Update<'_>, inertia: &[f64]) {
        self.pressure.clear();
        self.pressure.resize(step.nv(), 0.0);
        let contacts = &step.contacts;
        for i in 0..contacts.len() {
            let rows = contacts.row(i)..contacts.row(i) + contacts.stride();
            let p = update.impulse[rows.clone()].iter().fold(0.0, |m, p| greater(m, p.abs()));
            if p > 0.0 {
                let rubs = contacts.pair.friction[i] > 0.0;
                match contacts.n_t {
                    2 => self.press(contacts.jacobian.rows::<3>(rows.start), p, (rubs, inertia)),
                    _ => self.press(contacts.jacobian.rows::<2>(rows.start), p, (rubs, inertia)),
                }
            }
        }
        let add = |jacobian: Csr<'_>, impulse: &[f64], list: &mut [f64]| {
            for (row, p) in impulse.iter().enumerate().filter(|(_, p)| **p != 0.0) {
                jacobian.entries(row).for_each(|(j, x)| list[j] += (x * p).abs());
            }
        };
        self.held.clear();
        self.held.resize(step.nv(), 0.0);
        add(step.supports.jacobian, update.support_impulse, &mut self.held);
        add(step.row_wrenches(), update.row_impulse, &mut self.pressure);
        self.pressure.iter_mut().zip(&self.held).for_each(|(all, held)| *all += held);
    }

    /// The largest normal impulses of compliant contacts, by block.
    fn squeezes(&mut self, step: &StepView<'_>, update: &Update<'_>) {
        let contacts = &step.contacts;
        for i in (0..contacts.len()).filter(|&i| contacts.pair.stiffness[i].is_finite()) {
            let p = update.impulse[contacts.row(i)];
            for &block in self.blocks.of_contact(i) {
                let peak = &mut self.peak[block as usize].pressed;
                *peak = greater(*peak, p);
            }
        }
    }

    /// Adds impulses up to p along the rows of a contact: those of one contact in common. Where there is no friction, there is no
    /// noise of it: a frictionless contact explains nothing along its surface that would move an inertia.
    fn press<const K: usize>(
        &mut self,
        (columns, mut rows): (&[u32], [&[f64]; K]),
        p: f64,
        (rubs, inertia): (bool, &[f64]),
    ) {
        for k in 0..K {
            rows[k] = &rows[k][..columns.len()];
        }
        for (at, &j) in columns.iter().enumerate() {
            let (j, mut lever) = (j as usize, rows[0][at].abs());
            if rubs || inertia[j] == 0.0 {
                for row in &rows[1..] {
                    lever = greater(lever, row[at].abs());
                }
            }
            self.pressure[j] += lever * p;
        }
    }
}

/// The largest cause that a block ever had, and the largest change, N s: in this step, or in those before.
fn largest(now: &[Peak], before: &[Peak], b: usize) -> [f64; 2] {
    let mut most = now[b];
    most.take(&before.get(b).copied().unwrap_or_default());
    [most.cause, most.acted]
}

/// The larger of two numbers of which the first is one.
#[inline]
fn greater(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// Sizes of the forces that are part of A: of springs, of dampers, of a drive's stiffness, N s.
fn implicit(step: &StepView<'_>, v: &[f64], i: usize) -> f64 {
    let of = |matrix: &Csr<'_>| match matrix.n_rows() {
        0 => 0.0,
        _ => matrix.entries(i).map(|(j, x)| (x * v[j]).abs()).sum::<f64>(),
    };
    let h = step.h;
    let driven = h * h * step.impedance[i] * (step.command[i].abs() + v[i].abs());
    h * of(&step.viscosity) + h * h * of(&step.stiffness) + driven
}
