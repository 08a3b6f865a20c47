//! Step control: how the time from one grid time to the next is divided, by events and by accuracy.

use serde::{Deserialize, Serialize};

/// Treatment of contacts that close within a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EventLocation {
    /// No location: a step ends at the next grid time.
    #[default]
    None,
    /// Step; where an open contact has penetrated, go back, locate the time of contact and step to it.
    Backup,
    /// Shorten the step to the predicted time of contact beforehand; check afterwards.
    Predict,
}

/// Settings of step control.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepControl {
    /// Location of the times of contact.
    pub events: EventLocation,
    /// |ψ| up to which a contact counts as closed, m.
    pub event_tolerance: f64,
    /// Least size of a step, s.
    pub min_step: f64,
    /// Impacts of one contact within a grid step; the next one has restitution 0 until the contact opens.
    pub max_impacts: u32,
    /// Wanted error of a step, m; none: steps are as long as they can be.
    pub accuracy: Option<f64>,
    /// Order of the stepper, 1 or 2.
    pub order: i32,
}

/// |ψ| up to which a contact counts as closed, m, unless said otherwise.
pub const EVENT_TOLERANCE: f64 = 1e-7;
/// Impacts of one contact within a grid step, unless said otherwise.
pub const MAX_IMPACTS: u32 = 10;
/// Shortest step as a part of the grid step, unless said otherwise.
pub const MIN_STEP: f64 = 1e-6;

impl StepControl {
    /// One step from grid time to grid time (distance `step`).
    pub fn plain(step: f64) -> Self {
        Self {
            events: EventLocation::None,
            event_tolerance: EVENT_TOLERANCE,
            min_step: MIN_STEP * step,
            max_impacts: MAX_IMPACTS,
            accuracy: None,
            order: 1,
        }
    }

    /// Returns true if steps may be tried and taken back.
    pub fn is_plain(&self) -> bool {
        self.events == EventLocation::None && self.accuracy.is_none()
    }

    /// c in ψ(t) ≈ ψ + ν t + c a t² as the scheme moves. A step of first order, q⁺ = q + h v⁺ with v⁺ = v + h a, has
    /// c = 1, two halves of it 3/4; second order has ½.
    pub fn curvature(&self) -> f64 {
        match (self.order, self.accuracy) {
            (1, None) => 1.0,
            (1, Some(_)) => 0.75,
            _ => 0.5,
        }
    }
}

/// Counts of steps that were tried, accepted and taken back.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StepCounts {
    /// Accepted steps (a doubled step counts once).
    pub accepted: u64,
    /// Steps that the accepted ones consist of.
    pub substeps: u64,
    /// Steps that were made at all: those taken back, whole steps beside their halves, and probes included.
    pub made: u64,
    /// Steps that were solved again with a smaller tolerance, because the referee found their solutions too coarse.
    pub refined: u64,
    /// Trial steps that were taken back: for their error, or on the way to an event.
    pub rejected: u64,
    /// Shorter steps that the stepper went on with where one did not come out, whatever became of them.
    pub shortened: u64,
    /// Evaluations of forces and contacts that the stepper asked for away from the start of a step, whatever became of it.
    pub evaluations: u64,
    /// Events located by going back.
    pub located: u64,
    /// Steps shortened by a prediction.
    pub predicted: u64,
    /// Predicted or unpredicted steps that penetrated all the same.
    pub missed: u64,
    /// Steps taken at the least step although the error or a penetration asked for a shorter one.
    pub floored: u64,
    /// Contacts whose restitution was taken away.
    pub zeno: u64,
    /// Orders of convergence seen in probes.
    pub orders: Vec<f64>,
}

impl StepCounts {
    /// Median of the orders seen; none without probes.
    pub fn observed_order(&self) -> Option<f64> {
        let mut orders = self.orders.clone();
        orders.sort_by(f64::total_cmp);
        let (n, half) = (orders.len(), orders.len() / 2);
        match n {
            0 => None,
            _ if n % 2 == 1 => Some(orders[half]),
            _ => Some(0.5 * (orders[half - 1] + orders[half])),
        }
    }
}

/// The step size that the error of the last step suggests.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepSize {
    /// Step size proposed, s; 0: none yet.
    pub h: f64,
    /// Accepted steps since the last probe of the order.
    pub since_probe: u32,
}

impl StepSize {
    /// h · clip(0.9 (tol/err)^(1/(p + 1)), 0.2, 5).
    pub fn rescaled(h: f64, error: f64, tolerance: f64, order: i32) -> f64 {
        let factor = 0.9 * (tolerance / error).powf(1.0 / f64::from(order + 1));
        // No error at all: as far as one may.
        h * if factor.is_nan() { 5.0 } else { factor.clamp(0.2, 5.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_controller_follows_its_formula_within_its_limits() {
        let h = |error: f64, order| StepSize::rescaled(0.1, error, 1e-6, order);
        assert!((h(1e-6, 1) - 0.09).abs() < 1e-15);
        assert!((h(4e-6, 1) - 0.045).abs() < 1e-15);
        assert!((h(8e-6, 2) - 0.045).abs() < 1e-15);
        assert_eq!(h(1.0, 1), 0.1 * 0.2);
        assert_eq!(h(0.0, 1), 0.5);
    }

    #[test]
    fn the_order_is_the_median_of_the_probes() {
        let counts = |orders: &[f64]| StepCounts { orders: orders.to_vec(), ..StepCounts::default() };
        assert_eq!(counts(&[]).observed_order(), None);
        assert_eq!(counts(&[3.0, 1.0, 1.1]).observed_order(), Some(1.1));
        assert_eq!(counts(&[2.0, 1.0]).observed_order(), Some(1.5));
    }
}
