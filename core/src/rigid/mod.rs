//! The problem of a step with Coulomb friction, shared by all steppers that differ only in their normal row.
//!
//! With pyramids it is a mixed LCP. Unknowns, in this order: v_f (free velocities), p_b (other rows), p_n, p_f (n_d per
//! contact, adjacent), σ, and in 2.5D p_s, σ_s of the support points. Rows:
//!
//! ```text
//!   0   =  A_ff v_f − W_b p_b − W_n p_n − W_f p_f − W_s p_s − (b_f − A_fp v_p)
//!   l_b ≤ p_b ≤ u_b ⟂ W_bᵀ v⁺ + g_b
//!   0   ≤ p_n ⟂ ρ_n = W_nᵀ v⁺ + g_n ≥ 0
//!   0   ≤ p_f ⟂ ρ_f = W_fᵀ v⁺ + E σ + g_f ≥ 0
//!   0   ≤ σ   ⟂ s   = U p_n − Eᵀ p_f ≥ 0
//!   0   ≤ p_s ⟂ ρ_s = W_sᵀ v⁺ + E σ_s ≥ 0
//!   0   ≤ σ_s ⟂ s_s = h μ_k N_k − Eᵀ p_s ≥ 0
//! ```
//!
//! This is eq. (11) and (13) of the dVC paper (Berard et al. 2007) with the sign of the first row turned, so that the
//! matrix is copositive after elimination; with A = h D and b = h f = 0 it is eq. (3.1) of Gavrea divided by h. The
//! stepper chooses g_n (and which contacts take part); g_f = ∂ψ_f/∂t. Prescribed velocities move to the right sides.
//!
//! With cones it is a [`Cone`] problem: p_f and p_s are the two tangential impulses, and a block per contact (disc per
//! support point) takes the place of the last rows. A [`Compliance`] adds S/h² to the rows of contacts (SPK).
//!
//! Quasi-static blocks make A singular. Nothing is regularised in silence: what determines their velocity is checked
//! before and after every solve, and what is undetermined is named ([`Undetermined`]).

mod alternatives;
mod assembly;
mod choice;
mod correction;
mod determined;
mod direction_text;
pub(crate) mod directions;
mod elimination;
mod far;
mod impact;
mod law;
mod layout;
mod quasi_static;
mod relaxation;
mod solved;

pub use correction::Correction;
pub use impact::{ImpactLaw, ImpactPolicy, ImpactRule, Impacts};
pub(crate) use impact::{gap_pull, has_momentum, mass_diagonal};
pub use law::{Compliance, FrictionLaw};
pub use quasi_static::Undetermined;

use crate::error::StageError;
use crate::model::{MotionModel, Space, SystemView};
use crate::momentum::{Impulses, Momentum};
use crate::problem::{Cone, Mlcp, Problem, Solution};
use crate::stage::{StepView, Update, Verdict};
use alternatives::Alternatives;
use assembly::{Assembly, Parts};
use quasi_static::QuasiStatic;

/// Undetermined velocities of quasi-static bodies, for steppers that write their own problem: the check that [`RigidStep`]
/// looks at before every solve.
#[derive(Debug, Clone, Default)]
pub struct Freedom(QuasiStatic);

impl Freedom {
    /// A step with the rule for undetermined velocities, and the names that messages use.
    pub fn new(policy: Undetermined, system: &SystemView<'_>) -> Self {
        let mut inner = QuasiStatic::default();
        inner.set(policy, system);
        Self(inner)
    }

    /// Checks that A or anything that can carry an impulse sees every direction of the quasi-static velocities; contacts with
    /// `normal_rate` ∞ are left out.
    ///
    /// Errors: a loaded direction that nothing sees (no equilibrium); one without load, where that is refused.
    pub fn check(
        &mut self,
        step: &StepView<'_>,
        momentum: &Momentum,
        normal_rate: &[f64],
    ) -> Result<(), StageError> {
        self.0.check(step, momentum, normal_rate)
    }

    /// Entries Σ_k d_k d_kᵀ of the row of velocity `dof`, over the directions d_k that nothing sees: added to A they hold
    /// those at rest and change nothing else.
    pub fn entries(&self, dof: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.0.entries(dof)
    }

    /// A y ≠ 0 with C y ≥ 0, if there is one; the rows of C (m × k) have length 1 or 0, and k > 0.
    pub fn nonzero(c: &nalgebra::DMatrix<f64>) -> Option<nalgebra::DVector<f64>> {
        choice::direction(c)
    }

    /// Returns true if undetermined velocities are refused.
    pub fn refuses(&self) -> bool {
        self.0.policy == Undetermined::Refuse
    }

    /// A direction d of all velocities in words: the body that moves most, and how it moves.
    pub fn describe(&self, step: &StepView<'_>, d: &[f64]) -> (String, String) {
        let dofs = 0..step.nv() as u32;
        let mut found = determined::Determined::default();
        found.open(step.nv(), dofs);
        found.null.extend_from_slice(d);
        (self.0.describe(step, &found, 0), direction_text::direction(step, &found, 0))
    }

    /// The message with the name of the body in the place of its number, where names are known.
    pub fn named(&self, error: StageError) -> StageError {
        self.0.named(error)
    }
}

/// Assembly that all rigid steppers share: balance, problem, and mapping of the solution back. A stepper adds its normal row.
#[derive(Debug, Clone, Default)]
pub struct RigidStep {
    motion: MotionModel,
    momentum: Momentum,
    assembly: Assembly,
    quasi_static: QuasiStatic,
    alternatives: Alternatives,
    far: far::Far,
    relaxation: relaxation::Relaxation,
    reason: String,
    normal_rate: Vec<f64>,
    v: Vec<f64>,
    impulse: Vec<f64>,
    row_impulse: Vec<f64>,
    support_impulse: Vec<f64>,
    effort: Vec<f64>,
}

impl RigidStep {
    /// A step with the default motion model and a law of friction.
    pub fn new(motion: MotionModel, law: FrictionLaw, space: Space) -> Self {
        Self { motion, assembly: Assembly::new(law, space.n_t()), ..Self::default() }
    }

    /// Sets the policy for undetermined velocities of quasi-static bodies, and the names that messages use.
    pub fn undetermined(mut self, policy: Undetermined, system: &SystemView<'_>) -> Self {
        self.quasi_static.set(policy, system);
        self
    }

    /// The step with a compliance ε ≥ 0 on the rows of every contact, 0 for rigid contact: ρ = J v⁺ + g + (ε/m) p, m the effective mass
    /// of the contact: rows/Σ 1/m_row, 1/m_row = Σ_j J_j²/A_jj.
    pub fn relaxed(mut self, epsilon: f64) -> Self {
        self.relaxation.epsilon = epsilon;
        self
    }

    /// The step's problem, with `normal_rate(i)` the whole constant g_n of contact i, ∞ to leave it out.
    pub fn formulate(
        &mut self,
        step: &StepView<'_>,
        normal_rate: impl FnMut(&Momentum, usize) -> f64,
    ) -> Result<Problem<'_>, StageError> {
        self.formulate_compliant(step, None, normal_rate)
    }

    /// [`RigidStep::formulate`], with a compliance on the rows of contacts.
    pub fn formulate_compliant(
        &mut self,
        step: &StepView<'_>,
        compliance: Option<Compliance<'_>>,
        normal_rate: impl FnMut(&Momentum, usize) -> f64,
    ) -> Result<Problem<'_>, StageError> {
        self.assemble(step, compliance, &[], normal_rate)
    }

    /// [`RigidStep::formulate`], with lower bounds of the normal impulses, one per contact, N s (pyramids only); an empty list means 0.
    pub fn formulate_above(
        &mut self,
        step: &StepView<'_>,
        floor: &[f64],
        normal_rate: impl FnMut(&Momentum, usize) -> f64,
    ) -> Result<Problem<'_>, StageError> {
        self.assemble(step, None, floor, normal_rate)
    }

    fn assemble(
        &mut self,
        step: &StepView<'_>,
        compliance: Option<Compliance<'_>>,
        floor: &[f64],
        mut normal_rate: impl FnMut(&Momentum, usize) -> f64,
    ) -> Result<Problem<'_>, StageError> {
        self.momentum.assemble(step, self.motion).map_err(|error| self.quasi_static.named(error))?;
        self.normal_rate.clear();
        for i in 0..step.contacts.len() {
            let rate = normal_rate(&self.momentum, i);
            self.normal_rate.push(rate);
        }
        if compliance.is_none() {
            self.far.leave_out(step, &self.momentum, &mut self.normal_rate);
        }
        self.alternatives.choose(step, self.assembly.law, floor, &mut self.normal_rate);
        let floor = if self.alternatives.floor.is_empty() { floor } else { &self.alternatives.floor };
        let normal_rate = &self.normal_rate;
        self.quasi_static.check(step, &self.momentum, normal_rate)?;
        let (momentum, held) = (&self.momentum, &self.quasi_static);
        let compliance = compliance.or_else(|| self.relaxation.build(step, momentum));
        self.assembly.formulate(&Parts { step, momentum, normal_rate, compliance, floor, held });
        Ok(self.problem())
    }

    /// The problem that was formulated last.
    pub fn problem(&self) -> Problem<'_> {
        match self.assembly.law {
            FrictionLaw::Pyramid(_) => Problem::Mlcp(self.mlcp()),
            FrictionLaw::Cone => Problem::Cone(self.cone()),
        }
    }

    fn mlcp(&self) -> Mlcp<'_> {
        self.assembly.problem.rows.view()
    }

    fn cone(&self) -> Cone<'_> {
        self.assembly.problem.view()
    }

    /// Directions d_k of friction against the tangents of a contact, as (t1, t2) components: what stands beside p_f.
    pub fn friction_directions(&self) -> impl Iterator<Item = (f64, f64)> + Clone + '_ {
        self.assembly.contact_directions.iter()
    }

    /// The balance A v⁺ = b + W p of the last formulation.
    pub fn momentum(&self) -> &Momentum {
        &self.momentum
    }

    /// Accepts the solution: v⁺, impulses, efforts; the host moves q to q ⊕ h N v⁺. `step` is the view that was
    /// formulated (with its own h, where the stepper took another).
    ///
    /// Where contacts are alternatives (OR groups) and the solution breaks a group, the answer is Again, with another choice of
    /// them, or Fail where there is none left.
    ///
    /// Errors: a solution of another length than the problem of the last [`RigidStep::formulate`].
    pub fn update(&mut self, step: &StepView<'_>, solution: &Solution<'_>) -> Result<Update<'_>, StageError> {
        let unknowns = self.assembly.layout.n();
        if solution.z.len() != unknowns || self.normal_rate.len() != step.contacts.len() {
            let found = solution.z.len();
            return Err(StageError::bad_input(format!(
                "the solution has {found} numbers for the {unknowns} unknowns of the step that was formulated"
            )));
        }
        self.recover(step, solution.z);
        if !self.far.holds(step, &self.v) {
            return Ok(Update { verdict: Verdict::Again, ..Update::default() });
        }
        if self.alternatives.any() && !self.groups_hold(step) {
            return Ok(self.other_branch(step));
        }
        let problem = self.assembly.problem.view();
        let solved = solved::Solved { problem: &problem, layout: &self.assembly.layout, z: solution.z };
        let undetermined = self.quasi_static.judge(step, &self.momentum, &solved);
        Ok(Update {
            verdict: if undetermined { Verdict::Fail } else { Verdict::Accept },
            reason: if undetermined { self.quasi_static.message() } else { "" },
            h_used: step.h,
            v: &self.v,
            impulse: &self.impulse,
            row_impulse: &self.row_impulse,
            support_impulse: &self.support_impulse,
            effort: &self.effort,
            normal_rate: &self.normal_rate,
            motion: &self.momentum.motion,
            ..Update::default()
        })
    }

    /// Returns true if v⁺ and impulses solve the OR groups, up to what the solver may leave.
    fn groups_hold(&mut self, step: &StepView<'_>) -> bool {
        let (assembly, slack) = (&self.assembly, (10.0 * step.tolerance).max(1e-10));
        let speed = |p: f64, v: &f64| p.max(v.abs());
        let fastest = self.v.iter().chain(step.v).fold(0.0, speed);
        let rows = &assembly.problem.rows;
        let scale = |i: usize| {
            let slot = assembly.active.binary_search(&(i as u32));
            slot.map_or(0.0, |slot| slack * rows.z_scale[assembly.layout.normal_at(slot)])
        };
        let first = rows.w_scale.get(assembly.layout.normal_at(0)).copied().unwrap_or(0.0);
        self.alternatives.holds(step, &self.v, &self.impulse, (slack * fastest.max(first), scale))
    }

    /// After a failed solve (for steppers with the capability `sees-failures`) or a broken group: Again with the next choice
    /// of alternatives, Fail where there is none.
    pub fn other_branch(&mut self, step: &StepView<'_>) -> Update<'_> {
        self.reason.clear();
        let goes_on = self.alternatives.any() && self.alternatives.go_on(step);
        if self.alternatives.any() && !goes_on {
            let tries = self.alternatives.tries();
            self.reason = format!(
                "no choice among the alternatives of its OR groups has a solution ({tries} tried); a smaller step may help"
            );
        }
        let verdict = if goes_on { Verdict::Again } else { Verdict::Fail };
        Update { verdict, reason: &self.reason, ..Update::default() }
    }

    /// After a failed solve: as [`RigidStep::other_branch`], and where that is the end the reason names overlaps that the step
    /// was to expel.
    pub fn unsolved(&mut self, step: &StepView<'_>, correction: &Correction) -> Update<'_> {
        let verdict = self.other_branch(step).verdict;
        if verdict == Verdict::Fail
            && let Some(advice) = correction.advice(step)
        {
            let join = if self.reason.is_empty() { "" } else { "; " };
            self.reason.extend([join, &advice]);
        }
        Update { verdict, reason: &self.reason, ..Update::default() }
    }

    /// Reads z: full velocities, impulses in (n, t1, t2), other impulses, drive efforts.
    fn recover(&mut self, step: &StepView<'_>, z: &[f64]) {
        let (layout, stride) = (self.assembly.layout, step.contacts.stride());
        self.momentum.expand(&z[..layout.n_free], &mut self.v);
        self.row_impulse.clear();
        self.row_impulse.extend_from_slice(&z[layout.n_free..layout.n_free + layout.n_rows]);
        self.impulse.clear();
        self.impulse.resize(step.contacts.len() * stride, 0.0);
        for (slot, &contact) in self.assembly.active.iter().enumerate() {
            let p = &mut self.impulse[contact as usize * stride..][..stride];
            let p_f = &z[layout.friction_at(slot)..][..layout.per_contact];
            let p_t = self.assembly.contact_directions.join(p_f);
            (p[0], p[1]) = (z[layout.normal_at(slot)], p_t.0);
            if stride == 3 {
                p[2] = p_t.1;
            }
        }
        self.support_impulse.clear();
        for k in 0..layout.n_supports {
            let p_s = &z[layout.support_at(k)..][..layout.per_support];
            let (x, y) = self.assembly.support_directions.join(p_s);
            self.support_impulse.extend([x, y]);
        }
        let impulses =
            Impulses { contact: &self.impulse, row: &self.row_impulse, support: &self.support_impulse };
        self.momentum.residual(step, &self.v, &impulses, &mut self.effort);
        for &dof in &self.momentum.free {
            self.effort[dof as usize] = 0.0;
        }
    }
}

/// Rate ν_n⁻ = Wnᵀ v of the gap of contact i at the start of the step, m/s.
pub fn gap_rate(step: &StepView<'_>, i: usize) -> f64 {
    let row = step.contacts.row(i);
    step.contacts.jacobian.row_dot(row, step.v)
}
