//! Settings of a simulation: what a run fixes besides the scene and the plugins.

use super::step_control::StepControl;
use vinci_abi::Manifest;
use vinci_core::contact::FirstTangent;
use vinci_core::model::Gyroscopic;

/// Settings of a run besides the scene and the plugins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Step size, s.
    pub step: f64,
    /// Relative natural-map residual a solution must have to be accepted.
    pub tolerance: f64,
    /// Finding of the referee on a solution or on rows above which a step is solved again with a smaller tolerance; ∞: never.
    pub refine_above: f64,
    /// Treatment of gyroscopic torques.
    pub gyroscopic: Gyroscopic,
    /// Active distance beyond the predicted motion, m.
    pub margin: f64,
    /// Where friction bases of new spatial contacts begin.
    pub first_tangent: FirstTangent,
    /// True if the stepper is of second order and wants rates of forces.
    pub second_order: bool,
    /// True if the stepper wants velocities of driven dofs as they are at both ends of a step, not their mean.
    pub drive_speeds: bool,
    /// True if the stepper may let driven dofs deviate from their commands.
    pub deviates: bool,
    /// True if driven dofs deviate only where something can hold them. False where somebody else's motion is judged, whose
    /// deviations are counted.
    pub held: bool,
    /// True if the stepper is shown solutions that were not accepted.
    pub sees_failures: bool,
    /// True if the stepper's saved state ends with the numbers that change smoothly, for derivatives along a run.
    pub state_numbers: bool,
    /// True if the stepper is shown all alternatives of OR groups; false: the most open one only. The latter too where times of
    /// contact are located: they are times of single gaps.
    pub or_groups: bool,
    /// How the time from one grid time to the next is divided.
    pub control: StepControl,
}

/// Default of the residual above which a step is not accepted.
pub const DEFAULT_TOLERANCE: f64 = 1e-8;

impl Settings {
    /// Steps of a size (s) with a first-order stepper that asks for nothing else.
    pub fn plain(step: f64) -> Self {
        Self {
            step,
            tolerance: DEFAULT_TOLERANCE,
            refine_above: f64::INFINITY,
            gyroscopic: Gyroscopic::Implicit,
            margin: 0.0,
            first_tangent: FirstTangent::Slip,
            second_order: false,
            drive_speeds: false,
            deviates: false,
            held: true,
            sees_failures: false,
            state_numbers: false,
            or_groups: false,
            control: StepControl::plain(step),
        }
    }

    /// Steps of a size (s) and what the manifest of a stepper asks for; everything else by default.
    pub fn of(step: f64, stepper: &Manifest) -> Self {
        let order = if stepper.has_capability("order-2") { 2 } else { 1 };
        Self {
            second_order: order == 2,
            drive_speeds: stepper.has_capability("drive-speeds"),
            deviates: stepper.has_capability("deviates"),
            sees_failures: stepper.has_capability("sees-failures"),
            state_numbers: stepper.has_capability("state-numbers"),
            or_groups: stepper.has_capability("or-groups"),
            control: StepControl { order, ..StepControl::plain(step) },
            ..Self::plain(step)
        }
    }
}
