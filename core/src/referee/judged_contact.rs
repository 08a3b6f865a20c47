//! One contact of a step with its rates, impulses and scales.

use super::lane::Rate;
use super::mode::Mode;
use super::scale::Scales;
use crate::stage::{StepView, Update};

/// Part of the momentum along a contact that a solver's arithmetic leaves in its impulses: pivots of small problems have left 1.5e-13.
const ROUNDED: f64 = 1e-12;
/// Slips below this part of the row's scale say little about the direction of friction.
pub(super) const SLOW: f64 = 1e-2;
/// Largest ratio of what friction can stop within a step to the scale of a slip that counts.
const STOPS: f64 = 1e3;
/// A contact is called pressed above this weight.
const PRESSED: f64 = 1e-5;
/// A pressed contact is called slipping above this part of its row's scale (or of 1 m/s, if that is less).
const SLIPPING: f64 = 1e-9;

/// One contact of a step, as the judge sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct JudgedContact {
    /// Normal and tangent rates.
    pub(super) rate: [Rate; 3],
    /// Impulse (n, t1, t2), N s.
    pub(super) p: [f64; 3],
    /// Slip that friction is judged by (layers' own slip included), m/s, and its length.
    pub(super) slip: [f64; 2],
    pub(super) speed: f64,
    /// |p_t|, N s.
    pub(super) p_t: f64,
    /// Power p_t · slip, J.
    pub(super) power: f64,
    /// Largest weight of the contact's rows, 1/(N s).
    pub(super) weight: f64,
    /// Scale of the slip, m/s.
    pub(super) scale_t: f64,
    /// Effective masses of the normal and the first tangent, kg; 0 where nothing gives way.
    pub(super) masses: [f64; 2],
    /// True if anything gives way to an impulse of the contact, or feels it.
    pub(super) felt: bool,
    /// 1/m, the mean of the rows' mobilities, 1/kg.
    mobility: f64,
}

impl JudgedContact {
    pub(super) fn of(scales: &Scales, step: &StepView<'_>, update: &Update<'_>, i: usize) -> Self {
        let contacts = &step.contacts;
        let (row, stride) = (contacts.row(i), contacts.stride());
        let rows = scales.contact(contacts, i);
        let mass = |mobility: f64| if mobility > 0.0 { 1.0 / mobility } else { 0.0 };
        let (rate, masses) = ([rows[0].0, rows[1].0, rows[2].0], [mass(rows[0].1), mass(rows[1].1)]);
        let mobility = rows[0].1 + rows[1].1 + rows[2].1;
        let mut p = [0.0; 3];
        let mut slip = [0.0; 2];
        for k in 0..stride {
            p[k] = update.impulse[row + k];
            if k > 0 {
                let own = update.slip_rate.get(i * contacts.n_t + k - 1).copied();
                slip[k - 1] = own.map_or(rate[k].after, |own| rate[k].after + own);
            }
        }
        Self {
            p_t: if stride == 3 { norm(p[1], p[2]) } else { p[1].abs() },
            speed: if stride == 3 { norm(slip[0], slip[1]) } else { slip[0].abs() },
            power: p[1] * slip[0] + p[2] * slip[1],
            weight: rate[..stride].iter().fold(0.0, |most: f64, rate| most.max(rate.weight)),
            // Friction that holds a resting body has the noise of its load.
            scale_t: rate[0].scale.max(rate[1].scale).max(rate[2].scale),
            felt: rate[..stride].iter().any(|rate| scales.feels(rate)),
            rate,
            p,
            slip,
            masses,
            mobility: mobility / stride as f64,
        }
    }

    /// These rates as a law of compliance ε reads them: ν + (ε/m) p.
    pub(super) fn relaxed(mut self, compliance: f64) -> Self {
        let give = compliance * self.mobility;
        if give > 0.0 {
            (0..3).for_each(|k| self.rate[k].after += give * self.p[k]);
            (0..2).for_each(|k| self.slip[k] += give * self.p[k + 1]);
            self.speed = norm(self.slip[0], self.slip[1]);
            self.power = self.p[1] * self.slip[0] + self.p[2] * self.slip[1];
        }
        self
    }

    /// A slip is small or large against what friction can stop within the step: μ p_n/m_t, as far as the row's scale explains it.
    /// What is light in a strong grip must not slip by as much as its grip could stop.
    pub(super) fn may_stop(&mut self, mu: f64) {
        if self.masses[1] > 0.0 {
            self.scale_t = stopped(self.scale_t, mu * self.p[0].max(0.0) / self.masses[1]);
        }
    }

    /// Rates carry the rounding of places over the step.
    pub(super) fn round(&mut self, speed: f64) {
        self.rate.iter_mut().for_each(|rate| rate.scale += speed);
        self.scale_t = self.scale_t.max(speed);
    }

    /// 1e-12 m V: the rounding of an impulse, N s. A body that flies by has the noise of its momentum in contacts that carry nothing.
    pub(super) fn rounding(&self) -> f64 {
        ROUNDED * self.masses[0].max(self.masses[1]) * self.scale_t
    }

    /// Friction across the slip as a part of its bound, for slips that are clear of their noise.
    pub(super) fn aside(&self, bound: f64) -> f64 {
        let across = (self.p[1] * self.slip[1] - self.p[2] * self.slip[0]).abs();
        across / (bound * (self.speed + SLOW * self.scale_t))
    }

    pub(super) fn is_pressed(&self) -> bool {
        self.p[0] * self.rate[0].weight > PRESSED
    }

    /// The mode, where friction holds up to a slip of `creep`, m/s: 0 but under regularised laws.
    pub(super) fn mode(&self, creep: f64) -> Mode {
        match (self.is_pressed(), self.speed > creep.max(SLIPPING * self.scale_t.min(1.0))) {
            (false, _) => Mode::Open,
            (true, false) => Mode::Stick,
            (true, true) => Mode::Slip,
        }
    }
}

/// Scale of a slip of this scale that friction changes by as much as `stops`, m/s.
pub(super) fn stopped(scale: f64, stops: f64) -> f64 {
    scale.max(stops.min(STOPS * scale))
}

/// √(a² + b²); `hypot` is exact where squares underflow, and slow.
pub(super) fn norm(a: f64, b: f64) -> f64 {
    let square = a * a + b * b;
    if square > 1e-280 && square < f64::INFINITY { square.sqrt() } else { a.hypot(b) }
}
