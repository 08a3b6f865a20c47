//! The judge of every step. It recomputes, from v⁺, q⁺ and the impulses alone, what a step claims, with core's own masses,
//! forces and contact Jacobians; it asks neither the solver nor the stepper how well they did.
//!
//! - [`Declaration`]: the law a stepper is held to;
//! - `scale`: what numbers are compared with, row by row;
//! - `contacts`, `layers`, `rows`: the equations of a step; `consistency`: masses, models, positions; `places`: detections;
//! - `work`: energy that contacts and joints give.
//!
//! Findings have no unit: each is divided by the sizes of its own terms, so that no maximum is over mixed units.

mod consistency;
mod contacts;
mod declaration;
mod findings;
mod layers;
mod places;
mod rows;
mod scale;
mod work;

pub use consistency::Began;
pub use declaration::{ContactLaw, Coupling, Declaration};
pub use findings::{Check, Criterion, Findings, Place, Worst};
pub use places::Sizes;
pub use work::Account;

use crate::contact::Contacts;
use crate::error::StageError;
use crate::model::{DofRole, MotionModel, System};
use crate::momentum::{Impulses, Momentum};
use crate::stage::{StepView, Update};
use contacts::{Rules, Seen};
use layers::{Layer, Layers};
use scale::{Peak, Scales};
use work::Work;

/// Contact mode seen in an accepted step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// No normal impulse.
    Open,
    /// Pressed and not slipping.
    Stick,
    /// Pressed and slipping.
    Slip,
}

impl Mode {
    /// Name as `contacts.csv` writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Stick => "stick",
            Self::Slip => "slip",
        }
    }
}

/// What the referee found in one step: numbers in physical units, and findings that decide.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Report {
    /// max (−ψ)₊ at the start of the step, m, of OR groups that of the most open alternative; `at` is a contact.
    pub penetration: Worst,
    /// max |min(ρ, p_n/m_c)|, m/s, with ρ what the declared law wants to be 0 where p_n > 0 and m_c the contact's effective
    /// mass, and approach where none may be: how far each contact is from "either separating or pressed". `at` is a contact.
    pub complementarity: Worst,
    /// max (|p_t| − μ p_n)₊, N s; `at` is a contact, or n + k for support point k of a step with n contacts (here and
    /// below).
    pub cone: Worst,
    /// max |A v⁺ − b − W p| over unknown velocities, N s or N m s; `at` is a velocity.
    pub momentum: Worst,
    /// The same, divided by the size of its own row: 1e-16 is perfect, 1 is nonsense.
    pub momentum_relative: Worst,
    /// max over pressed contacts of μ p_n |ν_t| + p_t·ν_t, J: 0 for exact maximum dissipation, positive by the polygon's
    /// bias or for friction in a wrong direction; `at` is a contact.
    pub dissipation_deficit: Worst,
    /// max (p_t·ν_t)₊, J: friction that drives instead of braking. Must be 0 up to rounding; `at` is a contact.
    pub friction_power: Worst,
    /// Largest angle between friction and the direction opposite to the slip, rad, where contacts clearly slip.
    pub friction_angle: Worst,
    /// Largest 1 − |p_t|/(μ p_n) there: friction that is too weak.
    pub friction_weakness: Worst,
    /// Findings without units, criterion by criterion.
    pub findings: Findings,
    /// Work of the step, J: of contacts with friction, of all other rows, of drives that prescribe velocities.
    pub work: StepWork,
}

/// Work over one step, J: impulses times the mean of the rates before and after, which is the change of kinetic energy
/// that they make.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepWork {
    /// Of contacts and support points.
    pub contacts: f64,
    /// Of joints, limits, couplers and dry friction.
    pub rows: f64,
    /// v̄ · r: what the residual of the balance amounts to.
    pub residual: f64,
}

/// What lasts beyond a step. Belongs to the state of a simulation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Memory {
    accounts: Vec<Account>,
    layers: Vec<Layer>,
    seen: places::Seen,
    peaks: Vec<Peak>,
}

impl Memory {
    /// Work accounts of the blocks.
    pub fn accounts(&self) -> &[Account] {
        &self.accounts
    }

    /// Forgets where contacts were seen: after a change of scene no motion explains where they are now.
    pub fn forget_places(&mut self) {
        self.seen = places::Seen::default();
    }

    /// Where contacts were seen, as numbers for a file.
    pub fn places(&self) -> Vec<f64> {
        self.seen.numbers()
    }

    /// The same with the contacts of [`Memory::places`]; without any where the numbers are none of these.
    #[must_use]
    pub fn with_places(self, numbers: &[f64]) -> Self {
        Self { seen: places::Seen::of_numbers(numbers).unwrap_or_default(), ..self }
    }

    /// Everything but where contacts were seen, as numbers for a file: accounts and peaks with their counts, then layers.
    pub fn numbers(&self) -> Vec<f64> {
        let mut out = vec![self.accounts.len() as f64];
        out.extend(self.accounts.iter().flat_map(|a| [a.contacts, a.joints, a.flow, a.lift]));
        out.push(self.peaks.len() as f64);
        out.extend(self.peaks.iter().flat_map(|p| [p.cause, p.acting, p.speed].concat()));
        out.extend(self.layers.iter().flat_map(Layer::numbers));
        out
    }

    /// The reverse of [`Memory::numbers`]; nothing where the numbers are none of these.
    pub fn of_numbers(numbers: &[f64]) -> Option<Self> {
        let (count, rest) = numbers.split_first()?;
        let (accounts, rest) = rest.split_at_checked(4 * *count as usize)?;
        let (count, rest) = rest.split_first()?;
        let (peaks, rest) = rest.split_at_checked(6 * *count as usize)?;
        let peak = |p: &[f64]| Peak { cause: [p[0], p[1]], acting: [p[2], p[3]], speed: [p[4], p[5]] };
        let account = |a: &[f64]| Account { contacts: a[0], joints: a[1], flow: a[2], lift: a[3] };
        Some(Self {
            accounts: accounts.chunks_exact(4).map(account).collect(),
            peaks: peaks.chunks_exact(6).map(peak).collect(),
            layers: rest.chunks(layers::NUMBERS).map(Layer::of_numbers).collect::<Option<_>>()?,
            seen: places::Seen::default(),
        })
    }
}

/// Recomputes what steps claim. Keeps its memory between steps.
#[derive(Debug, Clone, Default)]
pub struct Referee {
    /// What the stepper is held to.
    pub declared: Declaration,
    /// Sizes of the bodies.
    pub sizes: Sizes,
    /// What lasts.
    pub memory: Memory,
    momentum: Momentum,
    residual: Vec<f64>,
    diagonal: Vec<f64>,
    scales: Scales,
    layers: Layers,
    work: Work,
    impacts: Vec<Account>,
    mode: Vec<Mode>,
    slip: Vec<f64>,
    impact_motion: Vec<u8>,
    scaled_mass: Vec<f64>,
    scratch: [Vec<f64>; 2],
    h: f64,
}

impl Referee {
    /// Of a system, for a stepper with these declarations.
    pub fn new(system: &System, declared: Declaration) -> Self {
        Self { declared, sizes: Sizes::of(system), ..Self::default() }
    }

    /// Begins an attempt at a step: impacts judged from here on belong to it.
    pub fn begin(&mut self) {
        self.impacts.clear();
    }

    /// Judges an accepted update. `began` says where the step began.
    ///
    /// Errors: lengths that do not fit the step, or a motion model the balance has no meaning for.
    pub fn judge(
        &mut self,
        step: &StepView<'_>,
        update: &Update<'_>,
        began: &Began<'_>,
    ) -> Result<Report, StageError> {
        check_lengths(step, update)?;
        let mut scaled_mass = std::mem::take(&mut self.scaled_mass);
        let mass = scaled(step, update.mass_scale, &mut scaled_mass);
        let view = StepView { motion: update.motion, h: update.h_used, mass, ..*step };
        let assembled = self.momentum.assemble(&view, MotionModel::Dynamic);
        let mut report = Report::default();
        if assembled.is_ok() {
            let found = &mut report.findings;
            consistency::judge_models(&self.declared, step, update, found);
            consistency::judge_slip_rates(&self.declared, step, update, found);
            self.measure(&view, update);
            let (scales, scratch) = (&self.scales, &mut self.scratch);
            consistency::judge_positions(&self.declared, began, scales, &view, update, scratch, found);
            consistency::judge_evaluation(began, scales, &view, update, found);
            self.judge_momentum(&view, update, &mut report);
            self.judge_contacts(&view, update, &mut report);
            rows::judge_rows(&self.declared, &self.scales, &view, update, true, &mut report.findings);
            self.judge_supports(&view, update, &mut report);
            self.judge_work(&view, update, &mut report);
        }
        self.h = update.h_used;
        self.scaled_mass = scaled_mass;
        assembled.map(|()| report)
    }

    /// Judges an impact: M v⁺ = M v + W p without forces, separation, cone, rows, restitution. Where an approach is returned
    /// contacts press and separate; approach after the impact, ν⁺ < 0, must not be at closed contacts.
    ///
    /// Errors: as [`Referee::judge`].
    pub fn judge_impact(&mut self, step: &StepView<'_>, update: &Update<'_>) -> Result<Report, StageError> {
        check_lengths(step, update)?;
        self.impact_motion.clear();
        self.impact_motion.resize(step.n_blocks(), MotionModel::Dynamic as u8);
        let motion = std::mem::take(&mut self.impact_motion);
        let view = StepView { motion: &motion, h: 0.0, ..*step };
        let assembled = self.momentum.assemble(&view, MotionModel::Dynamic);
        let mut report = Report::default();
        if assembled.is_ok() {
            self.measure(&view, update);
            self.judge_momentum(&view, update, &mut report);
            self.judge_closed(&view, update, &mut report);
            rows::judge_rows(&self.declared, &self.scales, &view, update, false, &mut report.findings);
            // Loads have no impulse within no time, and so has their friction.
            rows::judge_supports(&self.declared, &self.scales, &view, update, |_| 0.0, &mut report.findings);
            self.judge_bounces(&view, update, &mut report.findings);
        }
        self.impact_motion = motion;
        assembled.map(|()| report)
    }

    /// Judges a detection at the end of the last accepted step, or at the start of the next one: overlap, and gaps that the
    /// motion between does not explain.
    pub fn judge_detection(&self, contacts: &Contacts<'_>, poses: &[f64], report: &mut Report) {
        for i in 0..contacts.len() {
            report.penetration.take(-contacts.open_gap(i), i);
        }
        let found = &mut report.findings;
        places::judge(&self.declared, &self.sizes, contacts, poses, &self.memory.seen, found);
    }

    /// The step that was judged last is accepted. `contacts` and `poses`: at its start.
    pub fn commit(&mut self, contacts: &Contacts<'_>, poses: &[f64]) {
        self.work.commit(&mut self.memory.accounts);
        self.layers.commit(self.h, &mut self.memory.layers);
        self.memory.seen.take(contacts, poses);
        let peaks = &mut self.memory.peaks;
        peaks.resize(self.scales.peak.len(), Peak::default());
        peaks.iter_mut().zip(&self.scales.peak).for_each(|(to, from)| to.take(from));
    }

    /// Mode of every contact of the last judged step.
    pub fn modes(&self) -> &[Mode] {
        &self.mode
    }

    /// Slip speed |ν_t| (of the surfaces, where layers deform) of every contact of the last judged step, m/s.
    pub fn slip(&self) -> &[f64] {
        &self.slip
    }

    /// Scales and effective masses of the step.
    fn measure(&mut self, step: &StepView<'_>, update: &Update<'_>) {
        let past = (self.memory.peaks.as_slice(), self.sizes.length.as_slice());
        self.scales.fill(step, update, &self.momentum, past);
        let a = self.momentum.a.view();
        self.diagonal.clear();
        self.diagonal.extend((0..step.nv()).map(|i| a.entries(i).find(|e| e.0 == i).map_or(0.0, |e| e.1)));
    }

    fn judge_momentum(&mut self, step: &StepView<'_>, update: &Update<'_>, report: &mut Report) {
        let m = &self.momentum;
        let impulses =
            Impulses { contact: update.impulse, row: update.row_impulse, support: update.support_impulse };
        m.residual(step, update.v, &impulses, &mut self.residual);
        for &dof in &m.free {
            let dof = dof as usize;
            let r = self.residual[dof].abs();
            let relative = if r == 0.0 { 0.0 } else { r / self.scales.size[dof].max(f64::MIN_POSITIVE) };
            report.momentum.take(r, dof);
            report.momentum_relative.take(relative, dof);
            report.findings.take(Criterion::Momentum, relative, dof);
            report.work.residual += 0.5 * (self.scales.before[dof] + update.v[dof]) * self.residual[dof];
        }
    }

    fn judge_contacts(&mut self, step: &StepView<'_>, update: &Update<'_>, report: &mut Report) {
        let contacts = &step.contacts;
        let Self { declared, scales, layers, work, .. } = self;
        let (law, theta) = (declared.law, declared.theta);
        // In the plane two directions are all there are.
        let bias = if contacts.n_t == 2 { declared.bias() } else { 0.0 };
        let rules = Rules { law, theta, bias, barrier: declared.barrier, step };
        let rounding = |i: usize| self.sizes.rounding(contacts, i) / step.h;
        layers.begin();
        work.begin(scales, step, &self.sizes.length, self.memory.accounts.is_empty());
        self.mode.clear();
        self.slip.clear();
        for i in 0..contacts.len() {
            let mut seen = Seen::of(scales, step, update, i);
            let row = contacts.row(i);
            let mobility =
                |k: usize| self.momentum.effective_mass(contacts.jacobian.entries(row + k), &self.diagonal);
            let masses = [mobility(0), mobility(1)];
            seen.may_stop(contacts.friction[i], masses[1]);
            seen.round(rounding(i));
            let most_open = match contacts.group.get(i) {
                None | Some(0) => f64::NEG_INFINITY,
                Some(_) => most_open(&rules, scales, step, update, i),
            };
            rules.judge(i, &seen, most_open, report);
            if declared.barrier.is_some() {
                report.findings.take(Criterion::Tolerance, self.sizes.reached(contacts, i, &seen), i);
            }
            let soft = contacts.stiffness[i].is_finite();
            match law {
                ContactLaw::Regularized { .. } => {}
                ContactLaw::Layers { ratio, local } if soft => {
                    layers.judge((ratio, local), step, i, &seen, &self.memory.layers, &mut report.findings);
                }
                _ => work.add_contact(law, scales, step, i, &seen),
            }
            tell(&rules, step, i, &seen, (most_open, masses[0]), report);
            self.slip.push(seen.speed);
            self.mode.push(seen.mode());
        }
    }

    /// Support points: numbers in the same maxima as those of contacts, and findings.
    fn judge_supports(&self, step: &StepView<'_>, update: &Update<'_>, report: &mut Report) {
        let supports = &step.supports;
        for k in 0..supports.len() {
            let nu = [0, 1].map(|d| supports.jacobian.row_dot(2 * k + d, update.v));
            let p = &update.support_impulse[2 * k..2 * k + 2];
            let (radius, power) = (step.h * supports.bound[k], p[0] * nu[0] + p[1] * nu[1]);
            let at = step.contacts.len() + k;
            report.cone.take(p[0].hypot(p[1]) - radius, at);
            report.friction_power.take(power, at);
            report.dissipation_deficit.take(radius * nu[0].hypot(nu[1]) + power, at);
            report.work.contacts += power;
        }
        let masses =
            |k: usize| self.momentum.effective_mass(supports.jacobian.entries(2 * k), &self.diagonal);
        rows::judge_supports(&self.declared, &self.scales, step, update, masses, &mut report.findings);
    }

    fn judge_work(&mut self, step: &StepView<'_>, update: &Update<'_>, report: &mut Report) {
        let Self { work, scales, .. } = self;
        work.add_rows(scales, step, update);
        let wrenches = step.row_wrenches();
        for (k, &p) in update.row_impulse.iter().enumerate().filter(|(_, p)| **p != 0.0) {
            let rate = scales.rate(&wrenches, k, update.v);
            report.work.rows += 0.5 * p * (rate.before + rate.after);
        }
        work.judge(step, &self.memory.accounts, &mut report.findings);
    }

    /// Contacts of an impact: closed ones only, which must not approach any more nor bounce more than they may.
    fn judge_closed(&mut self, step: &StepView<'_>, update: &Update<'_>, report: &mut Report) {
        let contacts = &step.contacts;
        let tolerance = match self.declared.law {
            ContactLaw::Velocity { tolerance } => tolerance,
            _ => 0.0,
        };
        let (mut made, mut size) = (0.0, 0.0);
        for i in 0..contacts.len() {
            let seen = Seen::of(&self.scales, step, update, i);
            let (n, closed) = (&seen.rate[0], contacts.gap[i] <= tolerance);
            let press = (seen.p[0] * n.weight).min(1.0);
            let found = &mut report.findings;
            // Contacts that do not take part may have an impact of their own, or are stopped by the step.
            if closed && seen.p[0] > 0.0 {
                found.take(Criterion::Approach, -n.after / n.scale.max(f64::MIN_POSITIVE), i);
            } else {
                found.take(Criterion::Distance, press, i);
            }
            found.take(Criterion::Pull, -seen.p[0] * n.weight, i);
            found.take(
                Criterion::Cone,
                (seen.p_t - contacts.friction[i] * seen.p[0].max(0.0)) * seen.weight,
                i,
            );
            report.cone.take(seen.p_t - contacts.friction[i] * seen.p[0], i);
            report.complementarity.take(if closed && seen.p[0] > 0.0 { -n.after } else { 0.0 }, i);
            for (p, rate) in seen.p.iter().zip(&seen.rate) {
                made += 0.5 * p * (rate.before + rate.after);
                size += 0.5 * p.abs() * (rate.before.abs() + rate.after.abs());
            }
        }
        for (k, &p) in update.row_impulse.iter().enumerate().filter(|(_, p)| **p != 0.0) {
            let rate = self.scales.rate(&step.row_wrenches(), k, update.v);
            made += 0.5 * p * (rate.before + rate.after);
            size += 0.5 * p.abs() * (rate.before.abs() + rate.after.abs());
        }
        if size > 0.0 {
            let pressed = (0..contacts.len()).find(|&i| update.impulse[contacts.row(i)] > 0.0);
            report.findings.take(Criterion::ImpactWork, made / size, pressed.unwrap_or(0));
        }
    }

    /// Restitution of an impact as a whole, Σ p_n (ν_n⁺ + e min(ν_n⁻, 0)) ≤ 0 with the largest e: 0 by Newton's law, at most 0
    /// by Poisson's but for what friction couples. And friction that drives: along the slip after and on the way.
    fn judge_bounces(&self, step: &StepView<'_>, update: &Update<'_>, found: &mut Findings) {
        let contacts = &step.contacts;
        let pressed = |i: &usize| update.impulse[contacts.row(*i)] > 0.0;
        let e = (0..contacts.len()).filter(pressed).map(|i| contacts.restitution[i]).fold(0.0, f64::max);
        let (mut beyond, mut size, mut worst) = (0.0, 0.0, findings::Worst::default());
        for i in (0..contacts.len()).filter(pressed) {
            let seen = Seen::of(&self.scales, step, update, i);
            let n = &seen.rate[0];
            let mean: f64 =
                (1..3).map(|k| 0.5 * seen.p[k] * (seen.rate[k].before + seen.rate[k].after)).sum();
            let turned: f64 =
                (1..3).map(|k| (seen.p[k] * (seen.rate[k].after - seen.rate[k].before)).abs()).sum();
            let own = seen.p[0] * (n.after + e * n.before.min(0.0));
            beyond += own - turned;
            size += seen.p[0] * (n.after.abs() + n.before.abs());
            worst.take(own, i);
            let driven = seen.power.min(mean) / (seen.p_t * seen.scale_t).max(f64::MIN_POSITIVE);
            found.take(Criterion::Friction, driven, i);
        }
        if size > 0.0 {
            found.take(Criterion::Bounce, beyond / size, worst.at);
        }
    }

    /// Drive impulses of prescribed velocities of the last judged step, recomputed: A v⁺ − b − W p there, 0 elsewhere.
    pub fn effort<'a>(&'a self, step: &'a StepView<'_>) -> impl Iterator<Item = (usize, f64)> + 'a {
        let prescribed = |i: &usize| DofRole::from_code(step.role[*i]) == DofRole::Prescribed;
        (0..step.nv()).filter(prescribed).map(|i| (i, self.residual[i]))
    }
}

/// How fast the most open alternative of the group of contact i opens, m/s.
fn most_open(rules: &Rules<'_>, scales: &Scales, step: &StepView<'_>, update: &Update<'_>, i: usize) -> f64 {
    let contacts = &step.contacts;
    let shift = contacts.open_gap(i).min(0.0);
    let speed = |k: usize| {
        let mut rate = scales.rate(&contacts.jacobian, contacts.row(k), update.v);
        rate.after += contacts.rate[contacts.row(k)];
        rate.before += contacts.rate[contacts.row(k)];
        rules.opening(k, &rate, shift)
    };
    contacts.alternatives(i).map(speed).fold(f64::NEG_INFINITY, f64::max)
}

/// Numbers in physical units.
fn tell(
    rules: &Rules<'_>,
    step: &StepView<'_>,
    i: usize,
    seen: &Seen,
    (most_open, mass): (f64, f64),
    report: &mut Report,
) {
    let mu = step.contacts.friction[i];
    report.cone.take(seen.p_t - mu * seen.p[0], i);
    report.friction_power.take(seen.power, i);
    if seen.p[0] > 0.0 {
        report.dissipation_deficit.take(mu * seen.p[0] * seen.speed + seen.power, i);
    }
    report.complementarity.take(rules.complementarity(i, seen, most_open, mass), i);
    for (p, rate) in seen.p.iter().zip(&seen.rate) {
        report.work.contacts += 0.5 * p * (rate.before + rate.after);
    }
}

/// The mass matrices with the factor of every block; as they are where there are no factors.
fn scaled<'a>(step: &StepView<'a>, factor: &[f64], room: &'a mut Vec<f64>) -> &'a [f64] {
    if factor.is_empty() {
        return step.mass;
    }
    room.clear();
    for (block, factor) in factor.iter().enumerate() {
        let n = (step.block_start[block + 1] - step.block_start[block]) as usize;
        let at = room.len();
        room.extend(step.mass[at..at + n * n].iter().map(|m| factor * m));
    }
    room
}

fn check_lengths(step: &StepView<'_>, update: &Update<'_>) -> Result<(), StageError> {
    let slip_rates = if update.slip_rate.is_empty() { 0 } else { step.contacts.len() * step.contacts.n_t };
    let factors = if update.mass_scale.is_empty() { 0 } else { step.n_blocks() };
    let lengths = [
        ("factors of masses", update.mass_scale.len(), factors),
        ("velocities", update.v.len(), step.nv()),
        ("contact impulses", update.impulse.len(), step.contacts.len() * step.contacts.stride()),
        ("other impulses", update.row_impulse.len(), step.rows.rate.len()),
        ("impulses of support points", update.support_impulse.len(), 2 * step.supports.len()),
        ("normal rates", update.normal_rate.len(), step.contacts.len()),
        ("slip rates", update.slip_rate.len(), slip_rates),
        ("motion models", update.motion.len(), step.n_blocks()),
    ];
    match lengths.iter().find(|(_, found, expected)| found != expected) {
        None => Ok(()),
        Some((what, found, expected)) => Err(StageError::bad_input(format!(
            "the stepper returned {found} {what} where the step has {expected}"
        ))),
    }
}
