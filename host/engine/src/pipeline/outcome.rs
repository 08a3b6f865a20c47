//! An accepted step, as observers see it.

use vinci_core::contact::{ContactKey, Contacts};
use vinci_core::model::RowOwner;
use vinci_core::referee::{Failed, Limits, Mode, Report};
use vinci_core::stage::Supports;

use super::work::StepWork;

/// An impact: velocities changed at one instant, before or between steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Impact {
    /// When, s.
    pub t: f64,
    /// Where, nq.
    pub q: Vec<f64>,
    /// Velocities after it, nv.
    pub v: Vec<f64>,
    /// Work of the impulses of contacts and joints, Σ p · (ν⁻ + ν⁺)/2, J: kinetic energy after the impact less that before it, as far as
    /// it is not the drives' doing.
    pub energy_change: f64,
    /// True if the law of impact made energy, beyond rounding.
    pub grew: bool,
    /// Contacts that were pressed.
    pub contacts: Vec<ContactKey>,
    /// The referee's findings.
    pub report: Report,
    /// Relative natural-map residual of its solution, recomputed.
    pub residual: f64,
    /// Slack of the solution, see [`Accepted::slack`].
    pub slack: f64,
}

/// Kind of a contact event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactEventKind {
    /// An open contact has closed; the step ends there.
    Contact,
    /// A contact had too many impacts in a grid step; its restitution is 0 until it opens.
    Zeno,
}

impl ContactEventKind {
    /// Name as `events.csv` writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Contact => "contact",
            Self::Zeno => "zeno",
        }
    }
}

/// Something that happened at an instant, other than an impact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactEvent {
    /// When, s.
    pub t: f64,
    /// Its kind.
    pub kind: ContactEventKind,
    /// The contact.
    pub contact: ContactKey,
}

/// An accepted step, borrowed from the simulation until the next one.
#[derive(Debug, Clone, Copy)]
pub struct Accepted<'a> {
    /// Time at its end, s.
    pub t: f64,
    /// Step taken, s.
    pub h: f64,
    /// Positions at its end, nq.
    pub q: &'a [f64],
    /// Velocities at its end, nv.
    pub v: &'a [f64],
    /// Contacts, as detected at its start (or at the last redetection).
    pub contacts: Contacts<'a>,
    /// Contact impulses over the step, (1 + n_t) per contact, N s.
    pub impulse: &'a [f64],
    /// Drive impulses on prescribed dofs, nv, N s.
    pub effort: &'a [f64],
    /// Efforts of controllers over the step as they acted, nv, N and N m, or empty without controllers.
    pub controlled: &'a [f64],
    /// Commanded velocities of driven dofs, nv (0 elsewhere).
    pub command: &'a [f64],
    /// Support points at its start.
    pub supports: Supports<'a>,
    /// Impulses of the support points over the step (x, y), N s.
    pub support_impulse: &'a [f64],
    /// Owners of all other rows.
    pub row_owners: &'a [RowOwner],
    /// Derivatives of the step where the stepper gives them ([`vinci_core::stage::Update::gradient`]), or empty.
    pub gradient: &'a [f64],
    /// Impacts at its start, in their order.
    pub impacts: &'a [Impact],
    /// Contacts that closed at its end, and contacts that were calmed at its start, in time.
    pub events: &'a [ContactEvent],
    /// Mode of every contact.
    pub mode: &'a [Mode],
    /// Slip speed of every contact, m/s.
    pub slip: &'a [f64],
    /// The referee's findings.
    pub report: Report,
    /// Work over the step, J; that of its impacts is theirs.
    pub work: StepWork,
    /// Relative natural-map residual of the accepted solution, recomputed by the host.
    pub residual: f64,
    /// Largest residual that is allowed in one row: tolerance times |q|∞, in the row's unit.
    pub slack: f64,
}

impl Accepted<'_> {
    /// Everything that the step and its impacts do not fulfil, what is farthest beyond its limit first. Where nothing is returned the referee
    /// accepts the step.
    pub fn failures(&self, limits: &Limits) -> Vec<Failed> {
        let impacts = self.impacts.iter().flat_map(|impact| limits.failures(&impact.report, true));
        let mut all: Vec<Failed> = impacts.chain(limits.failures(&self.report, false)).collect();
        all.sort_by(|a, b| (b.value / b.limit).total_cmp(&(a.value / a.limit)));
        all
    }
}
