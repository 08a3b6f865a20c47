//! The judge of every step. It recomputes, from v⁺, q⁺ and the impulses alone, what a step claims, with core's own masses,
//! forces and contact Jacobians; it asks neither the solver nor the stepper how well they did.
//!
//! - [`Declaration`]: the law a stepper is held to;
//! - `scale`, `carried`: what numbers are compared with, row by row; `lane`, `rates`: what rows read of velocities; `judged_contact`: one contact;
//! - `contacts`, `layers`, `rows`: the equations of a step; `consistency`: masses, models, positions; `places`: detections;
//! - `widths`: how thick bodies are; `impact`: the same within no time; `work`, `account`: energy that contacts and joints give;
//! - `memory`: what lasts from step to step; `report`: what is told.
//!
//! Findings have no unit: each is divided by the sizes of its own terms, so that no maximum is over mixed units.

mod account;
mod blocks;
mod carried;
mod consistency;
mod contacts;
mod coupled;
mod declaration;
mod edges;
mod energy;
mod findings;
mod groups;
mod impact;
mod judged_contact;
mod lane;
mod layer;
mod layer_change;
mod layers;
mod limits;
mod memory;
mod mode;
mod peak;
mod places;
mod rates;
mod report;
mod restitution;
mod rows;
mod scale;
mod ties;
mod widths;
mod work;

pub use account::Account;
pub use consistency::Began;
pub use declaration::{ContactLaw, Coupling, Declaration, LayerCoupling, LayerMatrices, Restitution};
pub use findings::{Check, Criterion, FindingSubject, Findings, Worst};
pub use limits::{Failed, Limits, Spot};
pub use memory::Memory;
pub use mode::Mode;
pub use places::Sizes;
pub use report::{Report, StepWork};

use crate::contact::Contacts;
use crate::error::StageError;
use crate::model::{DofRole, MotionModel, System};
use crate::momentum::{Impulses, Momentum};
use crate::rigid::mass_diagonal;
use crate::stage::{StepView, Update};
use carried::RowPeak;
use contacts::{Rules, Signs};
use edges::{EdgeLaw, Edges};
use judged_contact::JudgedContact;
use layer_change::{Node, Terms};
use layers::Layers;
use memory::Leftover;
use peak::Peak;
use rows::RowLaws;
use scale::Scales;
use work::EnergyAccounts;

/// Relative residual of the momentum from which on a row is suspect: a tenth of the limit of the verdict.
const SUSPECT: f64 = 1e-6;
/// Shortest substep by which rounding of places is divided, as part of the nominal step.
const SHORTEST: f64 = 1e-6;

/// Recomputes what steps claim. Keeps its memory between steps.
#[derive(Debug, Clone, Default)]
pub struct Referee {
    /// Declared law of the stepper.
    pub declared: Declaration,
    /// Sizes of the bodies.
    pub sizes: Sizes,
    /// Nominal step h₀, s: what a shorter substep leaves stands against a whole one.
    pub nominal: f64,
    /// Memory between steps.
    pub memory: Memory,
    momentum: Momentum,
    residual: Vec<f64>,
    effort: Vec<f64>,
    scales: Scales,
    layers: Layers,
    edges: Edges,
    work: EnergyAccounts,
    mode: Vec<Mode>,
    slip: Vec<f64>,
    /// Contacts that approach by their linearisation, and by how much as parts of the scales of their rates.
    approaching: Vec<(usize, f64)>,
    /// By contact, the gap that the linearisation over the step says where it pressed, m; without a pressure [`places::OPEN`].
    linear_gap: Vec<f64>,
    impact_motion: Vec<u8>,
    scaled_mass: Vec<f64>,
    scratch: [Vec<f64>; 3],
    /// Diagonal of M where something may bounce, nv.
    inertia: Vec<f64>,
    /// Residuals of the step under judgement and the substeps before it, nv.
    left: Vec<Leftover>,
    /// Residuals of impacts of the step under judgement and of the substeps before it, nv.
    before: Vec<Leftover>,
    h: f64,
}

impl Referee {
    /// A referee of a system, for a stepper with these declarations.
    pub fn new(system: &System, declared: Declaration) -> Self {
        Self { declared, sizes: Sizes::of(system), ..Self::default() }
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
            consistency::judge_evaluation(&self.declared, began, scales, &view, update, found);
            self.judge_momentum(&view, update, &mut report);
            self.weigh(&view);
            self.judge_contacts(&view, update, began.is_elsewhere(), &mut report);
            rows::judge_rows(
                &self.declared,
                &self.scales,
                &view,
                update,
                RowLaws::Step,
                &mut report.findings,
            );
            self.judge_supports(&view, update, &mut report);
            self.judge_work(&view, update, &mut report);
        }
        self.h = update.h_used;
        self.scaled_mass = scaled_mass;
        assembled.map(|()| report)
    }

    /// Another attempt at a step begins: what the impacts of the last one left is forgotten.
    pub fn begin(&mut self) {
        self.before.clone_from(&self.memory.left);
    }

    /// Judges a detection at the end of the last accepted step, or at the start of the next one: overlap, and gaps that the
    /// motion between does not explain. `margin`: active distances of the bodies, m.
    pub fn judge_detection(
        &self,
        contacts: &Contacts<'_>,
        (poses, margin): (&[f64], &[f64]),
        report: &mut Report,
    ) {
        for i in 0..contacts.len() {
            report.penetration.take(-contacts.open_gap(i), i);
        }
        let before = &self.memory.start_contacts;
        places::judge(&self.declared, &self.sizes, contacts, (poses, margin), before, report);
    }

    /// The step that was judged last is accepted. `contacts` and `poses`: at its start.
    pub fn commit(&mut self, contacts: &Contacts<'_>, poses: &[f64]) {
        self.work.commit(&mut self.memory.accounts);
        self.layers.commit(self.h, &mut self.memory.layers);
        self.edges.commit(self.h, self.declared.matrices.as_ref(), contacts, &mut self.memory.edges);
        self.memory.left.clone_from(&self.left);
        self.before.clone_from(&self.left);
        self.memory.start_contacts.take(contacts, (&self.mode, &self.linear_gap), poses);
        let peaks = &mut self.memory.peaks;
        peaks.resize(self.scales.peak.len(), Peak::default());
        peaks.iter_mut().zip(&self.scales.peak).for_each(|(to, from)| to.take(from));
        let rows = &mut self.memory.rows;
        rows.resize(self.scales.carried.now.len(), RowPeak::default());
        rows.iter_mut().zip(&self.scales.carried.now).for_each(|(to, from)| to.take(from));
    }

    /// Mode of every contact of the last judged step.
    pub fn modes(&self) -> &[Mode] {
        &self.mode
    }

    /// Contacts that approach by their linearisation over the last judged step, and the approach as a part of the scale of the rate.
    pub fn approaching(&self) -> &[(usize, f64)] {
        &self.approaching
    }

    /// Slip speed |ν_t| (of the surfaces, where layers deform) of every contact of the last judged step, m/s.
    pub fn slip(&self) -> &[f64] {
        &self.slip
    }

    /// The diagonal of M, where something may bounce.
    fn weigh(&mut self, step: &StepView<'_>) {
        if step.contacts.pair.restitution.iter().any(|e| *e != 0.0) {
            mass_diagonal(step, &mut self.inertia);
        }
    }

    /// Scales and effective masses of the step.
    fn measure(&mut self, step: &StepView<'_>, update: &Update<'_>) {
        let Memory { peaks, rows, .. } = &self.memory;
        let past = (peaks.as_slice(), rows.as_slice(), self.sizes.length.as_slice(), self.nominal);
        self.scales.fill(step, update, &self.momentum, past, self.declared.law.is_compliant());
    }

    /// Impulses of the drives that prescribe velocities, of the last judged step: A v⁺ − b − W p there, 0 elsewhere, nv, N s or
    /// N m s.
    pub fn effort(&self) -> &[f64] {
        &self.effort
    }

    fn judge_momentum(&mut self, step: &StepView<'_>, update: &Update<'_>, report: &mut Report) {
        let m = &self.momentum;
        let impulses =
            Impulses { contact: update.impulse, row: update.row_impulse, support: update.support_impulse };
        m.residual(step, update.v, &impulses, &mut self.residual);
        self.effort.clear();
        let drive =
            |(role, p): (&u8, &f64)| if DofRole::from_code(*role) == DofRole::Prescribed { *p } else { 0.0 };
        self.effort.extend(step.role.iter().zip(&self.residual).map(drive));
        // Substeps stand against a whole step, so what they leave adds up over one.
        let lasting = if self.nominal > step.h { 1.0 - step.h / self.nominal } else { 0.0 };
        self.left.clear();
        self.left.resize(step.nv(), Leftover::default());
        for at in 0..self.momentum.free.len() {
            let dof = self.momentum.free[at] as usize;
            let relative = self.leave(step, dof, lasting);
            let r = self.residual[dof].abs();
            report.momentum.take(r, dof);
            report.momentum_relative.take(relative, dof);
            report.findings.take(Criterion::Momentum, relative, dof);
            report.work.residual += 0.5 * (self.scales.before[dof] + update.v[dof]) * self.residual[dof];
        }
    }

    /// Adds the residual of a velocity to what is `lasting` of those before; both by the sizes that they stand against, the larger one.
    fn leave(&mut self, step: &StepView<'_>, dof: usize, lasting: f64) -> f64 {
        let before = self.before.get(dof).copied().unwrap_or_default();
        let own = Leftover { residual: self.residual[dof], size: self.scales.size[dof] };
        let mut both = [own, own.after(before, lasting)];
        if both.iter().any(|left| left.relative() > SUSPECT) {
            let past = (self.memory.peaks.as_slice(), self.sizes.length.as_slice());
            let own = Leftover { size: self.scales.size_among_listed(step, past, dof), ..own };
            both = [own, own.after(before, lasting)];
        }
        self.left[dof] = both[1];
        let [own, sum] = both.map(|left| left.relative());
        // What is no number is never the smaller one.
        if sum <= own { own } else { sum }
    }

    fn judge_contacts(
        &mut self,
        step: &StepView<'_>,
        update: &Update<'_>,
        at_end: bool,
        report: &mut Report,
    ) {
        let contacts = &step.contacts;
        let rules = Rules::of(&self.declared, step, at_end);
        self.layers.begin();
        self.edges.begin();
        self.work.begin(&self.scales, step, &self.sizes.length, self.memory.accounts.is_empty());
        self.mode.clear();
        self.slip.clear();
        self.approaching.clear();
        self.linear_gap.clear();
        for i in 0..contacts.len() {
            let mut contact = JudgedContact::of(&self.scales, step, update, i);
            contact.may_stop(contacts.pair.friction[i]);
            // A substep of 1e-16 s would excuse any rate.
            contact.round(self.sizes.rounding(contacts, i) / step.h.max(SHORTEST * self.nominal));
            let most_open = match contacts.group.get(i) {
                None | Some(0) => f64::NEG_INFINITY,
                Some(_) => most_open(&rules, &self.scales, step, i),
            };
            let relaxed;
            let read = match self.declared.compliance > 0.0 {
                true => {
                    relaxed = contact.relaxed(self.declared.compliance);
                    &relaxed
                }
                false => &contact,
            };
            let signs = rules.signs(i, read, most_open);
            rules.judge(i, read, &signs, report);
            self.note_linearized(&rules, i, (read, &contact), &signs);
            let owing = (&self.declared, self.inertia.as_slice());
            rules.judge_restitution(owing, &self.scales, i, &contact, &mut report.findings);
            report.take_contact(i, contacts.pair.friction[i], &contact);
            report.complementarity.take(rules.complementarity(i, read, &signs), i);
            self.judge_law(&rules, i, &contact, report);
            self.slip.push(contact.speed);
            self.mode.push(contact.mode(self.declared.law.creep()));
        }
        self.judge_coupled_layers(step, &mut report.findings);
        let Self { layers, work, scales, memory, .. } = self;
        layers.judge_begun(&memory.layers, |i, energy| work.add_created(scales, i, energy));
    }

    /// Notes how contact i closes by its linearisation, and where that puts its gap if it presses.
    fn note_linearized(
        &mut self,
        rules: &Rules<'_>,
        i: usize,
        (read, contact): (&JudgedContact, &JudgedContact),
        signs: &Signs,
    ) {
        // Where the law gives the force nothing is asked of signs.
        let is_soft = self.declared.is_soft(rules.step.contacts.pair.stiffness[i]);
        let approach = if is_soft { 0.0 } else { signs.approach_of(read) };
        if !(approach <= SUSPECT) {
            self.approaching.push((i, approach));
        }
        let is_pressed = contact.is_pressed();
        self.linear_gap.push(if is_pressed { rules.linear_gap(i, &contact.rate[0]) } else { places::OPEN });
    }

    /// Work of layers; layers whose nodes give way under the forces on others, and edges of more nodes than contacts.
    fn judge_coupled_layers(&mut self, step: &StepView<'_>, found: &mut Findings) {
        self.layers.judge_work(found);
        let ContactLaw::Layers { local: false, coupling, ratio, nodes } = self.declared.law else { return };
        let matrices = self.declared.matrices.as_ref();
        let law = EdgeLaw { coupling, ratio, nodes, matrices };
        let is_edge = |patch: &[Node]| law.is_of(&step.contacts, patch);
        self.layers.judge_coupled((coupling, ratio), step, is_edge, found);
        self.edges.judge(law, step, &self.layers.nodes, &self.memory.edges, found);
    }

    /// Judges the laws of a contact that remember something, and the work that they may do.
    fn judge_law(&mut self, rules: &Rules<'_>, i: usize, contact: &JudgedContact, report: &mut Report) {
        let (step, contacts, found) = (rules.step, &rules.step.contacts, &mut report.findings);
        if self.declared.barrier.is_some() {
            found.take(Criterion::Tolerance, self.sizes.reached(contacts, i, contact), i);
        }
        match rules.law {
            ContactLaw::Regularized { friction, .. } => {
                let pressed = contact.is_pressed() && contacts.pair.friction[i] > 0.0;
                let energy =
                    if pressed { 0.5 * contact.masses[1] * friction.stiction_velocity.powi(2) } else { 0.0 };
                self.work.add_creeping(i, energy);
                self.work.add_soft(&self.scales, step, (i, rules.psi(i, &contact.rate[0])), contact);
                self.work.add_flow(&self.scales, i, contact, [0.0; 2]);
            }
            ContactLaw::Layers { ratio, local, nodes, .. } if contacts.pair.stiffness[i].is_finite() => {
                let terms = Terms { ratio, local, nodes, thin: self.sizes.thinner(contacts, i) };
                self.layers.judge(terms, step, i, contact, &self.memory.layers, found);
                self.work.add_flow(&self.scales, i, contact, [0.0; 2]);
            }
            _ => self.work.add_contact(rules, &self.scales, i, contact),
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
        let masses = |k: usize| self.momentum.effective_mass(supports.jacobian.entries(2 * k));
        rows::judge_supports(&self.declared, &self.scales, step, update, masses, &mut report.findings);
    }

    fn judge_work(&mut self, step: &StepView<'_>, update: &Update<'_>, report: &mut Report) {
        report.work.rows += self.work.add_rows(&self.scales, step, update);
        self.work.judge(&self.scales, step, &self.memory.accounts, &mut report.findings);
    }
}

/// How fast the most open alternative of the group of contact i opens, m/s.
fn most_open(rules: &Rules<'_>, scales: &Scales, step: &StepView<'_>, i: usize) -> f64 {
    let contacts = &step.contacts;
    let shift = rules.closed(contacts.open_gap(i));
    let speed = |k: usize| rules.opening(k, &scales.rate(&contacts.jacobian, contacts.row(k)), shift);
    contacts.alternatives(i).map(speed).fold(f64::NEG_INFINITY, f64::max)
}

/// The mass matrices with the factor of every block; as they are where there are no factors.
fn scaled<'a>(step: &StepView<'a>, factor: &[f64], scratch: &'a mut Vec<f64>) -> &'a [f64] {
    if factor.is_empty() {
        return step.mass;
    }
    scratch.clear();
    for (block, factor) in factor.iter().enumerate() {
        let n = (step.block_start[block + 1] - step.block_start[block]) as usize;
        let at = scratch.len();
        scratch.extend(step.mass[at..at + n * n].iter().map(|m| factor * m));
    }
    scratch
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
