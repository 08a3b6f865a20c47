//! Impacts without duration: laws of Newton and Poisson, all closed contacts at once or one after another.
//!
//! Positions and time stand still, forces have no impulse, dry friction of joints neither: M (v⁺ − v⁻) = W p over the closed
//! contacts, the joints, and the limits that are reached.
//!
//! Newton: one problem, 0 ≤ p_n ⟂ ν⁺ + e min(ν⁻, 0) ≥ 0 (contacts that approach slower than the threshold take e = 0).
//!
//! Poisson: compression M (v^c − v⁻) = W p^c with 0 ≤ p_n^c ⟂ ν^c ≥ 0, then decompression
//! M (v⁺ − v^c) = W_n (e p_n^c + p_n^x) + W_t p_t with 0 ≤ p_n^x ⟂ ν⁺ ≥ 0 and |p_t| ≤ μ (e p_n^c + p_n^x). With the whole
//! p_n = e p_n^c + p_n^x as unknown this is the problem of compression again, whose normal impulses have the lower bound
//! e p_n^c in place of 0: where ν⁺ > 0 they are just that.
//!
//! Sequential: only the contact that approaches fastest takes part (the first among equals); the host then asks again.

use super::RigidStep;
use super::law::FrictionLaw;
use crate::error::StageError;
use crate::model::{DofRole, MotionModel, Space};
use crate::problem::{Problem, Solution};
use crate::stage::{Rows, StepView, Update, Verdict};

/// Law of impact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImpactLaw {
    /// ν⁺ ≥ −e ν⁻.
    #[default]
    Newton,
    /// Decompression returns e times the impulse of compression.
    Poisson,
}

/// Which contacts an impact is between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImpactPolicy {
    /// All closed contacts at once.
    #[default]
    Simultaneous,
    /// One after another, the fastest approach first; after `passes` impacts in one instant the rest at once.
    Sequential {
        /// Impacts at most.
        passes: u32,
    },
}

/// When there is an impact, and of what kind.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ImpactRule {
    /// The law.
    pub law: ImpactLaw,
    /// The policy.
    pub policy: ImpactPolicy,
    /// Gap up to which a contact is closed, m.
    pub contact_tolerance: f64,
    /// Approach speed below which there is no restitution, m/s.
    pub threshold: f64,
    /// Approach speed, m/s, from which contacts without restitution have impacts too; none: the step stops them.
    pub plastic: Option<f64>,
    /// True if a bounce must last the step: 2 e |ν⁻| ≥ h a_n, with a_n the acceleration that forces give the gap. For
    /// steppers that cannot leave and return within a step.
    pub lasting: bool,
    /// Motion model of blocks that name none: bodies without momentum have no impacts among themselves.
    pub motion: MotionModel,
}

impl ImpactRule {
    /// e of contact i with ν⁻ and pull h a_n, 0 where it approaches too slowly to bounce.
    fn restitution(&self, step: &StepView<'_>, i: usize, nu: f64, pull: f64) -> f64 {
        let e = step.contacts.pair.restitution[i];
        let lasts = !self.lasting || -2.0 * e * nu >= pull;
        if nu < -self.threshold && lasts { e } else { 0.0 }
    }
}

/// Part of the largest speed below which an approach is what the solver left of an impact.
const RESIDUE: f64 = 1e-7;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Phase {
    #[default]
    Idle,
    /// The only problem of Newton's law.
    Restitution,
    Compression,
    Decompression,
}

/// Finds impacts at the start of a step and carries them out. Keeps nothing between steps but memory.
#[derive(Debug, Clone, Default)]
pub struct Impacts {
    rule: ImpactRule,
    friction: FrictionLaw,
    rigid: RigidStep,
    phase: Phase,
    /// (step, attempt, pass) of the problem that was formulated last.
    place: (u64, u32, u32),
    motion: Vec<u8>,
    /// Velocities before, driven dofs as they are driven.
    before: Vec<f64>,
    /// ν⁻ of every contact.
    nu: Vec<f64>,
    /// h a_n of every contact, ≥ 0, where the rule asks for it.
    pull: Vec<f64>,
    diagonal: Vec<f64>,
    /// The only contact, where they come one after another.
    only: Option<usize>,
    v_compressed: Vec<f64>,
    floor: Vec<f64>,
    impulse: Vec<f64>,
    row_impulse: Vec<f64>,
    /// Zeros: joints take back no distance in an impact.
    row_rate: Vec<f64>,
    /// Lower and upper bounds of the other rows' impulses: 0 where they have no part in an impact.
    row_bounds: [Vec<f64>; 2],
}

impl Impacts {
    /// An impact step with a rule and a law of friction. Poisson's law with e > 0 needs [`FrictionLaw::Pyramid`]: cones know no lower
    /// bounds.
    pub fn new(rule: ImpactRule, friction: FrictionLaw, space: Space) -> Self {
        Self {
            rule,
            friction,
            rigid: RigidStep::new(MotionModel::Dynamic, friction, space),
            ..Self::default()
        }
    }

    /// Returns true if an impact comes before the step: a closed contact with e > 0 approaches faster than the threshold, any
    /// closed contact faster than [`ImpactRule::plastic`], or an impact has come as far as its decompression. [`Impacts::formulate`] then has its problem.
    pub fn due(&mut self, step: &StepView<'_>) -> bool {
        let (number, attempt, pass) = self.place;
        let goes_on = (step.step, step.attempt, step.pass) == (number, attempt, pass + 1);
        if self.phase == Phase::Compression && goes_on && self.floor.len() == step.contacts.len() {
            self.phase = Phase::Decompression;
            return true;
        }
        self.phase = Phase::Idle;
        if self.rule.plastic.is_none() && step.contacts.pair.restitution.iter().all(|e| *e == 0.0) {
            return false;
        }
        self.approach(step);
        if !(0..self.nu.len()).any(|i| self.hits(step, i)) {
            return false;
        }
        self.only = match self.rule.policy {
            ImpactPolicy::Sequential { passes } if step.pass < passes => self.fastest(step),
            _ => None,
        };
        self.phase = match self.rule.law {
            ImpactLaw::Newton => Phase::Restitution,
            ImpactLaw::Poisson => Phase::Compression,
        };
        true
    }

    /// ν⁻ of all contacts.
    fn approach(&mut self, step: &StepView<'_>) {
        self.before.clear();
        let driven = |i: usize| DofRole::from_code(step.role[i]) == DofRole::Prescribed;
        // The blow is at this moment: the mean of the step to come is another speed.
        let now = StepView { h: 0.0, ..*step };
        let before = |i: usize| if driven(i) { now.prescribed_speed(i) } else { step.v[i] };
        self.before.extend((0..step.nv()).map(before));
        self.nu.clear();
        for i in 0..step.contacts.len() {
            let row = step.contacts.row(i);
            self.nu.push(step.contacts.jacobian.row_dot(row, &self.before));
        }
        self.pull.clear();
        self.pull.resize(step.contacts.len(), 0.0);
        if self.rule.lasting {
            mass_diagonal(step, &mut self.diagonal);
            for (i, pull) in self.pull.iter_mut().enumerate() {
                *pull = gap_pull(step, i, &self.before, &self.diagonal);
            }
        }
    }

    fn closed(&self, step: &StepView<'_>, i: usize) -> bool {
        step.contacts.gap[i] <= self.rule.contact_tolerance
    }

    /// Returns true if contact i calls for an impact.
    fn hits(&self, step: &StepView<'_>, i: usize) -> bool {
        let bounces =
            step.contacts.pair.restitution[i] > 0.0 && self.approaches(step, i, self.rule.threshold);
        bounces || self.rule.plastic.is_some_and(|speed| self.approaches(step, i, speed))
    }

    /// Returns true if contact i is closed, approaches faster than a speed, and has momentum behind it.
    fn approaches(&self, step: &StepView<'_>, i: usize, speed: f64) -> bool {
        let fastest = self.before.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        self.closed(step, i)
            && self.nu[i] < -speed.max(RESIDUE * fastest)
            && has_momentum(step, i, self.rule.motion)
    }

    fn fastest(&self, step: &StepView<'_>) -> Option<usize> {
        (0..self.nu.len())
            .filter(|&i| self.hits(step, i))
            .reduce(|best, i| if self.nu[i] < self.nu[best] { i } else { best })
    }

    /// Returns true if compression will certainly have to give something back: every closed contact that approaches bounces.
    fn will_bounce(&self, step: &StepView<'_>) -> bool {
        let hit = |i: &usize| {
            self.closed(step, *i) && self.nu[*i] < -self.rule.threshold && self.only.is_none_or(|k| k == *i)
        };
        let bounces = |i: usize| self.rule.restitution(step, i, self.nu[i], self.pull[i]) > 0.0;
        let mut hits = (0..self.nu.len()).filter(hit).peekable();
        hits.peek().is_some() && hits.all(bounces)
    }

    /// The problem of the impact that is [`Impacts::due`].
    ///
    /// Errors: Poisson's law with e > 0 under cones.
    pub fn formulate(&mut self, step: &StepView<'_>) -> Result<Problem<'_>, StageError> {
        if self.phase == Phase::Compression && self.friction == FrictionLaw::Cone && self.will_bounce(step) {
            return Err(StageError::unsupported(NEEDS_PYRAMID));
        }
        self.place = (step.step, step.attempt, step.pass);
        self.motion.clear();
        self.motion.resize(step.n_blocks(), MotionModel::Dynamic as u8);
        let (phase, only, nu, pull, rule) = (self.phase, self.only, &self.nu, &self.pull, self.rule);
        let v = if phase == Phase::Decompression { &self.v_compressed } else { step.v };
        self.row_rate.clear();
        self.row_rate.resize(step.rows.rate.len(), 0.0);
        let acts = |k: usize| step.rows.acts_in_impact(k, step.h, rule.contact_tolerance);
        let [lower, upper] = &mut self.row_bounds;
        for (to, from) in [(&mut *lower, step.rows.lower), (&mut *upper, step.rows.upper)] {
            to.clear();
            to.extend(from.iter().enumerate().map(|(k, bound)| if acts(k) { *bound } else { 0.0 }));
        }
        let rows = Rows { rate: &self.row_rate, lower, upper, ..step.rows };
        let view = StepView { h: 0.0, motion: &self.motion, v, rows, ..*step };
        let floor = if phase == Phase::Decompression { self.floor.as_slice() } else { &[] };
        self.rigid.formulate_above(&view, floor, |_, i| {
            if step.contacts.gap[i] > rule.contact_tolerance || only.is_some_and(|k| k != i) {
                return f64::INFINITY;
            }
            let e = if phase == Phase::Restitution { rule.restitution(step, i, nu[i], pull[i]) } else { 0.0 };
            e * nu[i]
        })
    }

    /// Returns true if the problem that was formulated last was an impact's.
    pub fn pending(&self) -> bool {
        self.phase != Phase::Idle
    }

    /// Reads the solution: the impact, or a further round for its decompression.
    pub fn update(&mut self, step: &StepView<'_>, solution: &Solution<'_>) -> Result<Update<'_>, StageError> {
        let decompression = self.phase == Phase::Decompression;
        let v = if decompression { &self.v_compressed } else { step.v };
        let view = StepView { h: 0.0, motion: &self.motion, v, ..*step };
        let update = self.rigid.update(&view, solution)?;
        if self.phase == Phase::Compression {
            keep(&mut self.impulse, update.impulse);
            keep(&mut self.row_impulse, update.row_impulse);
            keep(&mut self.v_compressed, update.v);
            self.floor.clear();
            let p_n = |i: usize| self.impulse[step.contacts.row(i)].max(0.0);
            let e = |i: usize| self.rule.restitution(step, i, self.nu[i], self.pull[i]);
            self.floor.extend((0..step.contacts.len()).map(|i| e(i) * p_n(i)));
            // Nothing to give back: compression is all.
            let again = self.floor.iter().any(|p| *p > 0.0);
            if !again {
                self.phase = Phase::Idle;
            } else if self.friction == FrictionLaw::Cone {
                return Err(StageError::unsupported(NEEDS_PYRAMID));
            }
            let verdict = if again { Verdict::Again } else { Verdict::Impact };
            return Ok(Update { verdict, ..update });
        }
        self.phase = Phase::Idle;
        if !decompression {
            return Ok(Update { verdict: Verdict::Impact, ..update });
        }
        // What both parts of the impact gave.
        let add = |sum: &mut [f64], part: &[f64]| sum.iter_mut().zip(part).for_each(|(s, p)| *s += p);
        add(&mut self.impulse, update.impulse);
        add(&mut self.row_impulse, update.row_impulse);
        Ok(Update {
            verdict: Verdict::Impact,
            impulse: &self.impulse,
            row_impulse: &self.row_impulse,
            ..update
        })
    }
}

/// Returns true if contact i moves a body that keeps its velocity from step to step. Others have none that an impact could return.
/// `default`: motion model of blocks that name none.
pub(crate) fn has_momentum(step: &StepView<'_>, i: usize, default: MotionModel) -> bool {
    let inert = |dof: usize| {
        let model = MotionModel::from_code(step.motion[step.block_of(dof)]).unwrap_or(default);
        model.keeps_velocity() && DofRole::from_code(step.role[dof]) != DofRole::Prescribed
    };
    step.contacts.jacobian.entries(step.contacts.row(i)).any(|(dof, _)| inert(dof))
}

/// h a_n, what forces take from the normal rate of contact i within the step, m/s; 0 where they push it away. `before`: the
/// velocities at the start; `inertia`: the diagonal of M.
pub(crate) fn gap_pull(step: &StepView<'_>, i: usize, before: &[f64], inertia: &[f64]) -> f64 {
    let change = |dof: usize| match DofRole::from_code(step.role[dof]) {
        DofRole::Prescribed => step.prescribed_speed(dof) - before[dof],
        _ => step.h * step.force[dof] / inertia[dof].max(f64::MIN_POSITIVE),
    };
    let entries = step.contacts.jacobian.entries(step.contacts.row(i));
    let change: f64 = entries.map(|(dof, x)| x * change(dof)).sum();
    (-change).max(0.0)
}

/// Diagonal of M over all velocities.
pub(crate) fn mass_diagonal(step: &StepView<'_>, out: &mut Vec<f64>) {
    out.clear();
    let mut at = 0;
    for w in step.block_start.windows(2) {
        let n = (w[1] - w[0]) as usize;
        out.extend((0..n).map(|i| step.mass[at + i * n + i]));
        at += n * n;
    }
}

/// Reason why an impact cannot be made.
const NEEDS_PYRAMID: &str = "Poisson's law of impact bounds impulses from below, which problems of class Cone do not know: \
                             set `impact_law` to newton, or choose a solver that takes Mlcp too";

fn keep(to: &mut Vec<f64>, from: &[f64]) {
    to.clear();
    to.extend_from_slice(from);
}
