//! Contacts: from v⁺, impulses and the contact's own data alone.
//!
//! With ν = W v⁺, s the scale of the row and w the weight of an impulse (see [`super::scale`]):
//!
//! | | number without unit | of |
//! |---|---|---|
//! | approach | −(max(ψ, 0)/h + ν_n)/s | contacts that must not approach; the most open alternative of an OR group |
//! | distance | min(ρ/s, w p_n) | pressed contacts; ρ is what the law wants to be 0 |
//! | pull | −w p_n | |
//! | cone | w (\|p_t\| − μ p_n) | |
//! | friction | 1 + p_t·ν_t/(μ p_n \|ν_t\|) less the polygon's bias, for slips well above .01 s | pressed contacts |
//! | force law | w \|p − p(law)\| | laws that give the impulse |

use super::declaration::{ContactLaw, Coupling, Declaration, aslant, shortfall};
use super::findings::{Criterion, Findings};
use super::judged_contact::{JudgedContact, SLOW};
use super::lane::Rate;
use super::report::Report;
use crate::contact::Contacts;
use crate::regularized::HuntCrossley;
use crate::stage::StepView;

/// Weight of friction across the slip, which is of first order in its angle, against friction that is short, which is of second:
/// the angle may be 1e-4 where power may be short by 1e-5.
pub(super) const ASIDE: f64 = 1e-1;
/// Angles are told of slips above this part of the row's scale.
const TELLING: f64 = 1e-3;
/// Part of the force of a layer that rounding may leave where it carries nothing.
const ROUNDED: f64 = 1e-10;

/// Inputs of a law's rules beside the contact.
pub(super) struct Rules<'a> {
    pub(super) law: ContactLaw,
    pub(super) theta: f64,
    /// n_d of a polygon in the place of the friction circle.
    pub(super) directions: Option<u32>,
    pub(super) resting: f64,
    pub(super) barrier: Option<f64>,
    /// True if bounces are part of the stepper's law; else contacts are judged as if e were 0.
    pub(super) bounces: bool,
    /// True if contacts were taken where the step ends: their gaps are those there.
    pub(super) at_end: bool,
    pub(super) step: &'a StepView<'a>,
}

/// Signorini's conditions of a rigid contact, evaluated, m/s.
pub(super) struct Signs {
    /// How fast it closes beyond what it may.
    approach: f64,
    /// Slack of the normal row: 0 where the contact presses.
    rho: f64,
}

impl<'a> Rules<'a> {
    /// Laws of a declaration, for the contacts of a step.
    pub(super) fn of(declared: &Declaration, step: &'a StepView<'a>, at_end: bool) -> Self {
        Self {
            law: declared.law,
            theta: declared.theta,
            // In the plane two directions are all there are.
            directions: declared.directions.filter(|_| step.contacts.n_t == 2),
            resting: declared.resting_gap,
            barrier: declared.barrier,
            bounces: declared.restitution.is_some(),
            at_end,
            step,
        }
    }

    /// ψ of contact k at the start of the step; of a contact that was taken at its end less what its motion changed.
    pub(super) fn psi(&self, k: usize, n: &Rate) -> f64 {
        let there = self.step.contacts.gap[k];
        if self.at_end { there - self.step.h * self.mean(n) } else { there }
    }

    /// The gap of contact k where the step ends, by its linearisation, m.
    pub(super) fn linear_gap(&self, k: usize, n: &Rate) -> f64 {
        self.psi(k, n) + self.step.h * self.mean(n)
    }

    /// The rate that positions move with.
    fn mean(&self, n: &Rate) -> f64 {
        self.theta * n.after + (1.0 - self.theta) * n.before
    }

    /// Signs of contact i. `most_open` is how fast the most open alternative of its group opens (−∞: it is alone); an
    /// alternative that presses must be that one.
    pub(super) fn signs(&self, i: usize, contact: &JudgedContact, most_open: f64) -> Signs {
        if matches!(self.law, ContactLaw::Regularized { .. }) {
            // The law gives the impulse: nothing is asked of signs.
            return Signs { approach: 0.0, rho: 0.0 };
        }
        let own = self.opening(i, &contact.rate[0], self.shift(i, &contact.rate[0], most_open));
        let approach = -own.max(most_open) - self.lag(i, contact);
        let rho = self.rho(i, contact).max(most_open - own);
        Signs { approach: if self.must_not_approach(i) { approach } else { 0.0 }, rho }
    }

    /// All of one contact.
    pub(super) fn judge(&self, i: usize, contact: &JudgedContact, signs: &Signs, report: &mut Report) {
        let contacts = &self.step.contacts;
        let found = &mut report.findings;
        let mu = contacts.pair.friction[i];
        if let Some((angle, weakness)) = angle_and_weakness(contact, mu) {
            report.friction_angle.take(angle, i);
            report.friction_weakness.take(weakness, i);
        }
        match self.law {
            ContactLaw::Regularized { .. } => {
                let expected = self.regularized(contacts, i, contact);
                let off = (0..3).fold(0.0_f64, |m, k| nan_max(m, (contact.p[k] - expected[k]).abs()));
                let size = expected.iter().fold(0.0_f64, |m, p| m.max(p.abs()));
                found.take(Criterion::ForceLaw, beside(off, size, contact.weight), i);
            }
            ContactLaw::Layers { nodes, .. } if contacts.pair.stiffness[i].is_finite() => {
                found.take(Criterion::Pull, self.pull(i, contact), i);
                self.friction(i, contact, mu, found, nodes == 1);
            }
            _ => {
                signorini(i, contact, signs, found);
                self.friction(i, contact, mu, found, true);
            }
        }
    }

    /// Pull of a layer: where nothing acts it is small beside rounding of what the layer would give if pressed by its gap.
    fn pull(&self, i: usize, contact: &JudgedContact) -> f64 {
        let (contacts, pull, weight) = (&self.step.contacts, -contact.p[0], contact.rate[0].weight);
        let pressed = contacts.pair.stiffness[i] * contacts.gap[i].abs() * self.step.h;
        if pull > 0.0 { beside(pull, ROUNDED * pressed, weight) } else { pull * weight }
    }

    /// How fast the gap that is left would open if it were used up over the step: ψ/h + ν, on the level of velocities ν
    /// alone where that is larger.
    /// `shift`: the gap that counts as closed, m.
    pub(super) fn opening(&self, i: usize, n: &Rate, shift: f64) -> f64 {
        let gap = (self.psi(i, n) - shift) / self.step.h;
        let mean = self.mean(n);
        match self.law {
            ContactLaw::Velocity { .. } => n.after.max(gap + mean),
            _ => gap + mean,
        }
    }

    /// μ (|ν_t⁻| − |ν_t⁺|) where the law takes the relaxation back by the slip of the step before, else 0, m/s. A polygon of N directions
    /// relaxes by as little as cos(π/N) of the slip.
    fn lag(&self, i: usize, contact: &JudgedContact) -> f64 {
        if !matches!(self.law, ContactLaw::Convex { lagged: true }) {
            return 0.0;
        }
        let [_, s, t] = &contact.rate;
        let least = self.directions.map_or(1.0, |n| (std::f64::consts::PI / f64::from(n)).cos());
        let slower = s.before.hypot(t.before) - least * s.after.hypot(t.after);
        (self.step.contacts.pair.friction[i] * slower).max(0.0)
    }

    /// The part of a gap that counts as closed: a penetration, and a gap that rests.
    pub(super) fn closed(&self, gap: f64) -> f64 {
        if gap <= self.resting { gap } else { gap.min(0.0) }
    }

    /// The part of the gap of contact i that counts as closed; among alternatives that of the most open one.
    fn shift(&self, i: usize, n: &Rate, most_open: f64) -> f64 {
        let alone = most_open == f64::NEG_INFINITY;
        self.closed(if alone { self.psi(i, n) } else { self.step.contacts.open_gap(i) })
    }

    /// ψ, 0 within the gap that counts as closed.
    fn gap(&self, i: usize, n: &Rate) -> f64 {
        self.psi(i, n) - self.closed(self.step.contacts.open_gap(i)).max(0.0)
    }

    /// e of contact i as the law knows it: 0 where the stepper ignores restitution.
    pub(super) fn restitution(&self, i: usize) -> f64 {
        if self.bounces { self.step.contacts.pair.restitution[i] } else { 0.0 }
    }

    fn must_not_approach(&self, i: usize) -> bool {
        match self.law {
            ContactLaw::Velocity { tolerance } => self.step.contacts.gap[i] <= tolerance,
            _ => true,
        }
    }

    /// Slack that the law wants to be 0 where p_n > 0, m/s; at most 0 where the contact is left as it may be.
    fn rho(&self, i: usize, contact: &JudgedContact) -> f64 {
        let (contacts, h) = (&self.step.contacts, self.step.h);
        let n = &contact.rate[0];
        let psi = self.gap(i, n);
        match self.law {
            ContactLaw::Velocity { tolerance } if psi > tolerance => f64::INFINITY,
            ContactLaw::Velocity { .. } => n.after + psi.min(0.0) / h,
            ContactLaw::Convex { .. } => {
                let slip = (contact.rate[1].after).hypot(contact.rate[2].after);
                let barrier = self.barrier.map_or(0.0, |kappa| BARRIERS / (kappa * contact.p[0]));
                psi / h + n.after - contacts.pair.friction[i] * slip - barrier
            }
            _ => {
                let closes = psi + h * n.before <= 0.0 && n.before < 0.0;
                let (e, rho) = (self.restitution(i), psi / h + n.after);
                let bounced = n.after + e * n.before;
                if closes && e > 0.0 { rho.min(bounced) } else { rho }
            }
        }
    }

    /// How far the contact is from "either separating or pressed", m/s. Laws that give the impulse have no such number.
    pub(super) fn complementarity(&self, i: usize, contact: &JudgedContact, signs: &Signs) -> f64 {
        let soft =
            matches!(self.law, ContactLaw::Layers { .. }) && self.step.contacts.pair.stiffness[i].is_finite();
        if soft || matches!(self.law, ContactLaw::Regularized { .. }) {
            return 0.0;
        }
        // Where nothing gives way (quasi-static bodies) impulses are compared with the step's momentum as it stands.
        let press = if contact.masses[0] > 0.0 { contact.p[0] / contact.masses[0] } else { contact.p[0] };
        let distance = if contact.p[0] > 0.0 { signs.rho.min(press) } else { -press };
        signs.approach.max(distance).max(0.0)
    }

    /// Cone, and power against that of the strongest friction there may be; where nodes of a contact stick while others slip
    /// (`whole`: they do not), friction must only not drive.
    pub(super) fn friction(
        &self,
        i: usize,
        contact: &JudgedContact,
        mu: f64,
        found: &mut Findings,
        whole: bool,
    ) {
        let bound = mu * contact.p[0].max(0.0);
        found.take(
            Criterion::Cone,
            over_bound(contact.p_t - contact.rounding(), bound, contact.rate[0].weight),
            i,
        );
        if contact.is_pressed() && bound > 0.0 && contact.speed > 0.0 {
            let weak =
                (bound * contact.speed + contact.power) / (bound * (contact.speed + SLOW * contact.scale_t));
            let short = if whole { shortfall(self.directions, contact.slip) } else { 1.0 };
            found.take(Criterion::Friction, weak - short, i);
            if whole {
                let aside = contact.aside(bound) - aslant(self.directions, contact.slip).sin();
                found.take(Criterion::Friction, ASIDE * aside, i);
            }
        }
    }

    /// (h π, h f_t) as the law gives them at v⁺.
    fn regularized(&self, contacts: &Contacts<'_>, i: usize, contact: &JudgedContact) -> [f64; 3] {
        let ContactLaw::Regularized { friction, coupling } = self.law else { return [0.0; 3] };
        let (h, n) = (self.step.h, &contact.rate[0]);
        let law =
            HuntCrossley { stiffness: contacts.pair.stiffness[i], dissipation: contacts.pair.dissipation[i] };
        let normal = match coupling {
            Coupling::TwoWay => law.within_step(-contacts.gap[i], h, n.after).0,
            Coupling::OneWay => law.at(-contacts.gap[i], n.before).force,
            Coupling::End => law.at(-contacts.gap[i], n.after).force,
        };
        let u = friction.direction([contact.rate[1].after, contact.rate[2].after]);
        let bound = contacts.pair.friction[i] * h * normal;
        [h * normal, -bound * u[0], -bound * u[1]]
    }
}

impl Signs {
    /// Approach of a contact as a part of the scale of its rate.
    pub(super) fn approach_of(&self, contact: &JudgedContact) -> f64 {
        self.approach / contact.rate[0].scale.max(f64::MIN_POSITIVE)
    }
}

/// Normal rates and impulses of a rigid contact.
fn signorini(i: usize, contact: &JudgedContact, signs: &Signs, found: &mut Findings) {
    let n = &contact.rate[0];
    let scale = n.scale.max(f64::MIN_POSITIVE);
    found.take(Criterion::Approach, signs.approach_of(contact), i);
    if contact.p[0] > 0.0 {
        let press = (contact.p[0] * n.weight).min(1.0);
        found.take(Criterion::Distance, (signs.rho / scale).min(press).max(0.0), i);
    }
    found.take(Criterion::Pull, -contact.p[0] * n.weight, i);
}

/// Rows of a contact's barrier, at most, that add up to its normal impulse.
const BARRIERS: f64 = 64.0;

/// Part of all that acts on a body which is noise of a bound: friction is far smaller than the momentum of a fast body
/// within a small step, and twice its bound would be nothing beside that.
const NOISE: f64 = 1e-1;

/// (p − b)/(b + 1e-1/w): an impulse beyond its bound b ≥ 0 against the bound itself, w the weight of its row.
pub(super) fn over_bound(p: f64, bound: f64, weight: f64) -> f64 {
    let size = bound + NOISE / weight.max(f64::MIN_POSITIVE);
    if p == bound { 0.0 } else { (p - bound) / size }
}

/// off/(size + 1/w): a wrong part of an impulse against the impulse itself and what it is small against.
pub(super) fn beside(off: f64, size: f64, weight: f64) -> f64 {
    if off == 0.0 { 0.0 } else { off / (size + 1.0 / weight.max(f64::MIN_POSITIVE)) }
}

/// The larger, NaN above all.
pub(super) fn nan_max(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// Angle between −p_t and the slip, rad, and 1 − |p_t|/(μ p_n), where a contact slips enough to tell.
fn angle_and_weakness(contact: &JudgedContact, mu: f64) -> Option<(f64, f64)> {
    let bound = mu * contact.p[0];
    let tells =
        contact.is_pressed() && bound > 0.0 && contact.speed > TELLING * contact.scale_t && contact.p_t > 0.0;
    tells.then(|| {
        let cosine = (-contact.power / (contact.p_t * contact.speed)).clamp(-1.0, 1.0);
        (cosine.acos(), 1.0 - contact.p_t / bound)
    })
}
