//! The judge of every step. It recomputes, from the raw contacts and the system, in physical units, what a step claims;
//! it asks neither the solver nor the stepper how well they did.

use crate::error::StageError;
use crate::model::{DofRole, MotionModel};
use crate::momentum::{Impulses, Momentum};
use crate::stage::{StepView, Update};

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

/// A measured maximum and the contact (index within the step) or velocity where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Worst {
    /// The value; 0 where there is nothing to measure.
    pub value: f64,
    /// Where.
    pub at: usize,
}

impl Worst {
    fn take(&mut self, value: f64, at: usize) {
        // NaN must win: a number that is no number is the worst there is.
        if value > self.value || (value.is_nan() && !self.value.is_nan()) {
            *self = Self { value, at };
        }
    }
}

/// What the referee found in one step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Report {
    /// max (−ψ)₊ at the start of the step, m, of OR groups that of the most open alternative; `at` is a contact.
    pub penetration: Worst,
    /// max |min(ρ_n, p_n/m_c)|, m/s, with ρ_n = Wnᵀ v⁺ + c the normal rate of the stepper's law and m_c the contact's
    /// effective mass: how far each contact is from "either separating or pressed". At alternatives of an OR group also how
    /// far one that presses stays behind the most open one at the end of the step (ψ/h + ν_n): a force of a feature that is no
    /// longer there. `at` is a contact.
    pub complementarity: Worst,
    /// max (|p_t| − μ p_n)₊, N s; `at` is a contact, or n + k for support point k of a step with n contacts (here and
    /// below).
    pub cone: Worst,
    /// max |A v⁺ − b − W p| over unknown velocities, N s or N m s; `at` is a velocity.
    pub momentum: Worst,
    /// The same, divided by the largest term of its own row (at least 1e-9 of the largest of all rows and steps so far): 1e-16
    /// is perfect, 1 is nonsense.
    pub momentum_relative: Worst,
    /// max over pressed contacts of μ p_n |ν_t| + p_t·ν_t, J: 0 for exact maximum dissipation, positive by the polygon's
    /// bias or for friction in a wrong direction; `at` is a contact.
    pub dissipation_deficit: Worst,
    /// max (p_t·ν_t)₊, J: friction that drives instead of braking. Must be 0 up to rounding; `at` is a contact.
    pub friction_power: Worst,
}

/// Recomputes residuals. Keeps its memory between steps.
#[derive(Debug, Clone, Default)]
pub struct Referee {
    momentum: Momentum,
    residual: Vec<f64>,
    size: Vec<f64>,
    diagonal: Vec<f64>,
    mode: Vec<Mode>,
    slip: Vec<f64>,
    impact_motion: Vec<u8>,
    scaled_mass: Vec<f64>,
    /// Largest term of the balances seen so far, N s.
    largest: f64,
}

/// A contact is called pressed above this part of the largest impulse of the step.
const PRESSED: f64 = 1e-10;

/// A pressed contact is called slipping above this part of the largest speed of the step (or this speed, m/s).
const SLIPPING: f64 = 1e-9;

impl Referee {
    /// Judges an accepted update. Motion models are the ones the stepper says it used.
    ///
    /// Errors: lengths that do not fit the step, or a motion model the balance has no meaning for.
    pub fn judge(&mut self, step: &StepView<'_>, update: &Update<'_>) -> Result<Report, StageError> {
        check_lengths(step, update)?;
        let mut scaled_mass = std::mem::take(&mut self.scaled_mass);
        let mass = scaled(step, update.mass_scale, &mut scaled_mass);
        let view = StepView { motion: update.motion, h: update.h_used, mass, ..*step };
        let assembled = self.momentum.assemble(&view, MotionModel::Dynamic);
        let mut report = Report::default();
        if assembled.is_ok() {
            self.judge_momentum(&view, update, &mut report);
            self.judge_contacts(&view, update, &mut report);
            self.judge_supports(&view, update, &mut report);
        }
        self.scaled_mass = scaled_mass;
        assembled.map(|()| report)
    }

    /// Judges an impact: M v⁺ = M v + W p without forces, separation, cone. Whether every contact is either separating or
    /// pressed is not asked, because restitution makes it both; approach after the impact, ν⁺ < 0, takes that place.
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
        self.judge_momentum(&view, update, &mut report);
        self.judge_contacts(&view, update, &mut report);
        // Slip may turn round within an impact: power at its end says nothing, the energy change (the host's) does.
        (report.friction_power, report.dissipation_deficit) = (Worst::default(), Worst::default());
        report.complementarity = Worst::default();
        for i in 0..step.contacts.len() {
            let row = step.contacts.row(i);
            if update.normal_rate[i] < f64::INFINITY {
                let nu = step.contacts.jacobian.row_dot(row, update.v) + step.contacts.rate[row];
                report.complementarity.take(-nu, i);
            }
        }
        self.impact_motion = motion;
        assembled.map(|()| report)
    }

    /// Mode of every contact of the last judged step.
    pub fn modes(&self) -> &[Mode] {
        &self.mode
    }

    /// Slip speed |ν_t| (of the surfaces, where layers deform) of every contact of the last judged step, m/s.
    pub fn slip(&self) -> &[f64] {
        &self.slip
    }

    fn judge_momentum(&mut self, step: &StepView<'_>, update: &Update<'_>, report: &mut Report) {
        let m = &self.momentum;
        let impulses =
            Impulses { contact: update.impulse, row: update.row_impulse, support: update.support_impulse };
        m.residual(step, update.v, &impulses, &mut self.residual);
        self.size.clear();
        self.diagonal.clear();
        let a = m.a.view();
        for i in 0..step.nv() {
            self.diagonal.push(a.entries(i).find(|e| e.0 == i).map_or(0.0, |e| e.1));
            let largest = a.entries(i).map(|(j, x)| (x * update.v[j]).abs()).fold(m.b[i].abs(), f64::max);
            self.size.push(largest);
        }
        let terms = [
            (step.contacts.jacobian, update.impulse),
            (step.row_wrenches(), update.row_impulse),
            (step.supports.jacobian, update.support_impulse),
        ];
        for (jacobian, impulse) in terms {
            for (row, p) in impulse.iter().enumerate() {
                for (j, w) in jacobian.entries(row) {
                    self.size[j] = self.size[j].max((w * p).abs());
                }
            }
        }
        // A row in which nothing happens has only rounding of the others' size in it, and a step in which nothing happens any
        // more that of the steps before.
        self.largest = self.size.iter().fold(self.largest, |m, s| m.max(*s));
        let floor = 1e-9 * self.largest.max(f64::MIN_POSITIVE);
        for &dof in &m.free {
            let dof = dof as usize;
            let r = self.residual[dof].abs();
            report.momentum.take(r, dof);
            report.momentum_relative.take(r / self.size[dof].max(floor), dof);
        }
    }

    fn judge_contacts(&mut self, step: &StepView<'_>, update: &Update<'_>, report: &mut Report) {
        let contacts = &step.contacts;
        let stride = contacts.stride();
        let p_max = update.impulse.iter().fold(0.0_f64, |m, p| m.max(p.abs()));
        let v_max = update.v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        self.mode.clear();
        self.slip.clear();
        for i in 0..contacts.len() {
            let row = contacts.row(i);
            let layer = |k: usize| update.slip_rate.get(i * contacts.n_t + k - 1).copied().unwrap_or(0.0);
            let rate =
                |k: usize| contacts.jacobian.row_dot(row + k, update.v) + contacts.rate[row + k] + layer(k);
            let p = &update.impulse[row..row + stride];
            let (p_t, nu_t) = if stride == 3 {
                ((p[1] * p[1] + p[2] * p[2]).sqrt(), rate(1).hypot(rate(2)))
            } else {
                (p[1].abs(), rate(1).abs())
            };
            let power: f64 = (1..stride).map(|k| p[k] * rate(k)).sum();
            let mu = contacts.friction[i];
            report.penetration.take(-contacts.open_gap(i), i);
            report.complementarity.take(self.complementarity(step, update, i), i);
            if p[0] > 0.0 {
                report.complementarity.take(self.outside(step, update, i), i);
            }
            report.cone.take(p_t - mu * p[0], i);
            report.friction_power.take(power, i);
            if p[0] > 0.0 {
                report.dissipation_deficit.take(mu * p[0] * nu_t + power, i);
            }
            let pressed = p[0] > PRESSED * p_max;
            let slipping = nu_t > SLIPPING * v_max.max(1.0);
            self.slip.push(nu_t);
            self.mode.push(match (pressed, slipping) {
                (false, _) => Mode::Open,
                (true, false) => Mode::Stick,
                (true, true) => Mode::Slip,
            });
        }
    }

    /// Cone, power and dissipation of support points, in the same maxima as those of contacts.
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
        }
    }

    fn complementarity(&self, step: &StepView<'_>, update: &Update<'_>, i: usize) -> f64 {
        let row = step.contacts.row(i);
        let (c, p) = (update.normal_rate[i], update.impulse[row]);
        let mass = self.momentum.effective_mass(step.contacts.jacobian.entries(row), &self.diagonal);
        // Where nothing gives way (quasi-static bodies) impulses are compared with the step's momentum as it stands.
        let p_speed = if mass > 0.0 { p / mass } else { p };
        if c == f64::INFINITY {
            return p_speed.abs();
        }
        let rho = step.contacts.jacobian.row_dot(row, update.v) + c;
        rho.min(p_speed).abs()
    }

    /// min(p_n/m_c, how much more open another alternative of the contact's group is at the end of the step), m/s.
    fn outside(&self, step: &StepView<'_>, update: &Update<'_>, i: usize) -> f64 {
        let contacts = &step.contacts;
        if contacts.group.get(i).is_none_or(|group| *group == 0) || step.h <= 0.0 {
            return 0.0;
        }
        let speed = |k: usize| {
            let row = contacts.row(k);
            contacts.gap[k] / step.h + contacts.jacobian.row_dot(row, update.v) + contacts.rate[row]
        };
        let most = contacts.alternatives(i).map(speed).fold(f64::NEG_INFINITY, f64::max);
        let row = contacts.row(i);
        let mass = self.momentum.effective_mass(contacts.jacobian.entries(row), &self.diagonal);
        let p = update.impulse[row];
        (most - speed(i)).min(if mass > 0.0 { p / mass } else { p })
    }

    /// Drive impulses of prescribed velocities of the last judged step, recomputed: A v⁺ − b − W p there, 0 elsewhere.
    pub fn effort<'a>(&'a self, step: &'a StepView<'_>) -> impl Iterator<Item = (usize, f64)> + 'a {
        let prescribed = |i: &usize| DofRole::from_code(step.role[*i]) == DofRole::Prescribed;
        (0..step.nv()).filter(prescribed).map(|i| (i, self.residual[i]))
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
