//! Correction of overlaps: how contacts that overlap are moved apart.

use crate::stage::StepView;

/// Part, speed and dead band of the correction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Correction {
    /// β, part of an overlap expelled per step, 0 … 1.
    pub part: f64,
    /// v_corr, largest speed at which an overlap is expelled, m/s.
    pub speed: f64,
    /// ε, overlap that is left as it is, m: what rounding and the linearised gaps of earlier steps leave. A jammed body has
    /// no motion that would expel it.
    pub tolerance: f64,
}

impl Correction {
    /// ε unless said otherwise, m.
    pub const TOLERANCE: f64 = 1e-7;

    /// Replacement of ψ/h in the normal row of a contact of gap ψ < 0, m/s, ≤ 0: max(β min(ψ + ε, 0)/h, −v_corr).
    pub fn rate(&self, psi: f64, h: f64) -> f64 {
        (self.part * (psi + self.tolerance).min(0.0) / h).max(-self.speed)
    }

    /// Advice after a step that no solver solved: the overlaps that it had to expel, as text; `None` without overlaps.
    pub fn advice(&self, step: &StepView<'_>) -> Option<String> {
        let contacts = &step.contacts;
        let overlap = (0..contacts.len()).map(|i| -contacts.open_gap(i)).fold(0.0, f64::max);
        let expels = self.part > 0.0 && self.speed > 0.0 && overlap > self.tolerance;
        expels.then(|| {
            format!(
                "bodies overlap by up to {overlap:.1e} m, and the step is to expel that, which has no solution where jammed \
                 bodies cannot move apart (`penetration_correction`, now {}, leaves overlaps as they are at 0; \
                 `penetration_tolerance`, now {:e} m, those up to that depth)",
                self.part, self.tolerance
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_beyond_the_tolerance_leave_in_part_and_not_too_fast() {
        let c = Correction { part: 0.2, speed: 0.5, tolerance: 1e-7 };
        assert_eq!(c.rate(-5e-9, 0.005), 0.0);
        assert_eq!(c.rate(-1e-7, 0.005), 0.0);
        assert!((c.rate(-1e-3 - 1e-7, 0.01) + 0.02).abs() < 1e-15);
        assert_eq!(c.rate(-1.0, 0.01), -0.5);
        assert_eq!(Correction { tolerance: 0.0, ..c }.rate(-1e-3, 0.01), -0.02);
    }
}
