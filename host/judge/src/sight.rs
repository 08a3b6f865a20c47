//! A look at a step: how fast things are, what presses and what slips by the law.

use vinci_core::model::DofRole;
use vinci_core::momentum::Momentum;
use vinci_core::referee::{ContactLaw, Declaration};
use vinci_core::stage::StepView;

/// Parts of a rate's scale: a contact that opens faster than the first does not press, a slip below the second is none. The scales of
/// the referee know the impulses, these do not: what it does not accept under the first is tried under the others.
pub(crate) const SIGHTS: [[f64; 2]; 4] = [[1e-5, 3e-8], [1e-5, 3e-8], [1e-3, 3e-8], [1e-3, 1e-5]];
/// Part of a block's fastest velocity that counts as rest of its others.
const RESTS: f64 = 1e-4;
/// Part of the fastest velocity of all that does.
const STILL: f64 = 1e-7;
/// Part of what given impulses would move that does.
const EXPLAINED: f64 = 1e-3;

/// Question of a search: the step, its end, and whether it takes time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) step: &'a StepView<'a>,
    /// v⁺.
    pub(crate) v: &'a [f64],
    pub(crate) declared: &'a Declaration,
    /// An impact: h = 0, no forces.
    pub(crate) impact: bool,
}

/// Speeds that rates are compared with. Keeps its memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sight {
    /// V, nv.
    speed: Vec<f64>,
    /// Fastest velocity of every block so far.
    peak: Vec<f64>,
    /// Limits from which a contact counts as open and as stuck.
    limits: [f64; 2],
}

/// How a contact stands to the law.
pub(crate) struct Seen {
    /// Slack that must be 0 where it presses, against the scale of its rate.
    pub(crate) beyond: f64,
    /// Unit vector against its slip, where there is one.
    pub(crate) against: Option<[f64; 2]>,
    /// The slip, m/s.
    pub(crate) slip: [f64; 2],
    /// True if it presses by the law.
    pub(crate) presses: bool,
}

impl Sight {
    /// Measures the speed that each velocity is compared with; `known`: impulses of contacts that were given.
    pub(crate) fn measure(&mut self, m: &Momentum, step: &StepView<'_>, v: &[f64], known: &[f64]) {
        self.speed = (0..step.nv())
            .map(|i| {
                let is_free = DofRole::from_code(step.role[i]) != DofRole::Prescribed;
                let forced = step.h * (step.force[i] + step.bias[i]).abs();
                let alone = if is_free && m.diagonal[i] > 0.0 { forced / m.diagonal[i] } else { 0.0 };
                v[i].abs().max(step.v[i].abs()).max(alone)
            })
            .collect();
        for (row, p) in known.iter().enumerate().filter(|(_, p)| **p != 0.0) {
            for (j, x) in step.contacts.jacobian.entries(row).filter(|(j, _)| m.diagonal[*j] > 0.0) {
                self.speed[j] = self.speed[j].max(EXPLAINED * (x * p).abs() / m.diagonal[j]);
            }
        }
        // What rests along one direction has the rounding of the others, and of what it did before.
        self.peak.resize(step.n_blocks(), 0.0);
        for b in 0..step.n_blocks() {
            let own = step.block_start[b] as usize..step.block_start[b + 1] as usize;
            self.peak[b] = self.speed[own].iter().fold(self.peak[b], |m, v| m.max(*v));
        }
        let fastest = self.peak.iter().fold(0.0_f64, |m, v| m.max(*v));
        for b in 0..step.n_blocks() {
            let own = step.block_start[b] as usize..step.block_start[b + 1] as usize;
            let least = (RESTS * self.peak[b]).max(STILL * fastest);
            self.speed[own].iter_mut().for_each(|v| *v = v.max(least));
        }
    }

    /// Looks with the limits of this number of [`SIGHTS`].
    pub(crate) fn with(&mut self, sight: usize) {
        self.limits = SIGHTS[sight];
    }

    /// How contact i stands to the law.
    pub(crate) fn look(&self, ask: &Question<'_>, i: usize) -> Seen {
        let contacts = &ask.step.contacts;
        let row = contacts.row(i);
        let rate = |k: usize, v: &[f64]| contacts.jacobian.row_dot(row + k, v);
        let scale = |k: usize| -> f64 {
            contacts.jacobian.entries(row + k).map(|(j, x)| (x * self.speed[j]).abs()).sum()
        };
        let least = f64::MIN_POSITIVE;
        let (after, before) = (rate(0, ask.v), rate(0, ask.step.v));
        let slip: [f64; 2] = std::array::from_fn(|k| if k < contacts.n_t { rate(k + 1, ask.v) } else { 0.0 });
        let speed = slip[0].hypot(slip[1]);
        let sides = (0..contacts.stride()).map(scale).fold(least, f64::max);
        let rho = if ask.impact {
            rho_of_impact(ask, i, after, before)
        } else {
            rho(ask, i, (after, before, speed))
        };
        let beyond = rho / scale(0).max(least);
        Seen {
            beyond,
            presses: beyond <= self.limits[0],
            against: (speed > self.limits[1] * sides).then(|| slip.map(|x| -x / speed)),
            slip,
        }
    }

    /// Rate of row k after the step: 0 where it acts as it likes; and whether it counts as moving.
    pub(crate) fn row_rate(&self, ask: &Question<'_>, view: &StepView<'_>, k: usize) -> (f64, bool) {
        let rates = view.row_rates();
        let known = if ask.impact { 0.0 } else { ask.step.rows.rate[k] };
        let nu = rates.row_dot(k, ask.v) + known;
        let scale: f64 = rates.entries(k).map(|(j, x)| (x * self.speed[j]).abs()).sum::<f64>() + known.abs();
        (nu, nu.abs() > self.limits[0] * scale)
    }

    /// Slip of support point k after the step, m/s, and the unit vector against it, where there is one.
    pub(crate) fn support_slip(&self, ask: &Question<'_>, k: usize) -> ([f64; 2], Option<[f64; 2]>) {
        let supports = &ask.step.supports;
        let nu = [0, 1].map(|d| supports.jacobian.row_dot(2 * k + d, ask.v));
        let scale = |d: usize| -> f64 {
            supports.jacobian.entries(2 * k + d).map(|(j, x)| (x * self.speed[j]).abs()).sum()
        };
        let (speed, scale) = (nu[0].hypot(nu[1]), scale(0).max(scale(1)));
        (nu, (speed > self.limits[1] * scale).then(|| nu.map(|x| -x / speed)))
    }
}

/// Slack that the law of a step wants to be 0 where a contact presses, m/s: as [`vinci_core::referee`] reads it.
fn rho(ask: &Question<'_>, i: usize, (after, before, slip): (f64, f64, f64)) -> f64 {
    let (contacts, h) = (&ask.step.contacts, ask.step.h);
    let gap = contacts.gap[i];
    let resting = if gap <= ask.declared.resting_gap { gap.max(0.0) } else { 0.0 };
    match ask.declared.law {
        ContactLaw::Velocity { tolerance } if gap > tolerance => f64::INFINITY,
        ContactLaw::Velocity { .. } => after + gap.min(0.0) / h,
        ContactLaw::Convex { .. } => gap / h + after - contacts.pair.friction[i] * slip,
        _ => {
            let (gap, e) = (gap - resting, contacts.pair.restitution[i]);
            let closes = gap + h * before <= 0.0 && before < 0.0;
            let rho = gap / h + after;
            if closes && e > 0.0 { rho.min(after + e * before) } else { rho }
        }
    }
}

/// Slack of the law of an impact: closed contacts that do not leave faster than their restitution lets them.
fn rho_of_impact(ask: &Question<'_>, i: usize, after: f64, before: f64) -> f64 {
    let contacts = &ask.step.contacts;
    if ask.declared.is_open(ask.step, i) {
        return f64::INFINITY;
    }
    after - contacts.pair.restitution[i] * (-before).max(0.0)
}
