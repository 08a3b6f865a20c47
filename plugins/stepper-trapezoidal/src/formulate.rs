//! The problem of a step: the trapezoidal balance with closed contacts on the level of velocities.

use vinci_sdk::prelude::*;

use crate::Trapezoidal;

impl Trapezoidal {
    /// The problem of an impact, where one comes first; then that of the step:
    ///
    /// [M + (h/2) C + (h²/4) K] (v⁺ − v) = h f + (h²/2) (ḟ − K v) + W p with 0 ≤ p_n ⟂ W_nᵀ v⁺ ≥ 0 on closed
    /// contacts that do not just leave.
    ///
    /// Errors: bodies with another motion model than dynamic; impedance dofs.
    pub(crate) fn assemble(&mut self, step: &StepView<'_>) -> Result<Problem<'_>, StageError> {
        check_motion(step, &self.names)?;
        if self.impacts.due(step) {
            return self.impacts.formulate(step);
        }
        let (tolerance, slowest) = (self.config.contact_tolerance, self.config.impact_threshold);
        self.default_motion.resize(step.n_blocks(), 0);
        let step = &StepView { motion: &self.default_motion, ..*step };
        let leaving = &mut self.leaving;
        leaving.begin(step);
        self.rigid.formulate(step, |momentum, i| {
            let closed = step.contacts.gap[i] <= tolerance && !leaving.lets_go(step, momentum, i, slowest);
            if closed { 0.0 } else { f64::INFINITY }
        })
    }
}

/// The order two is that of one differential equation for all: first-order and quasi-static bodies have another.
fn check_motion(step: &StepView<'_>, names: &[String]) -> Result<(), StageError> {
    if let Some(block) = step.motion.iter().position(|&code| code != 0 && code != MotionModel::Dynamic as u8)
    {
        let model = MotionModel::from_code(step.motion[block]).map_or("unknown", MotionModel::name);
        return Err(StageError::new(
            ErrorKind::Unsupported,
            format!(
                "body `{}` asks for the {model} model, and the trapezoidal stepper knows dynamic bodies only: \
                 take it out of the body, or choose stewart-trinkle or anitescu-potra",
                names.get(block).map_or("?", String::as_str)
            ),
        ));
    }
    if let Some(dof) = step.role.iter().position(|&role| role == DofRole::Impedance as u8) {
        let block = step.block_of(dof);
        return Err(StageError::new(
            ErrorKind::Unsupported,
            format!(
                "body `{}` is driven through an impedance, which the trapezoidal stepper does not know: use a spring",
                names.get(block).map_or("?", String::as_str)
            ),
        ));
    }
    Ok(())
}
