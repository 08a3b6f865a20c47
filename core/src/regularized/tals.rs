//! The transition-aware line search: how much of a Newton update Δv a contact's slip v can take.
//!
//! Beyond v_s friction hardly changes with the slip, within it steeply: a Newton step from sliding to sliding back misses
//! the disc |v| < v_s and cycles. The search stops updates that would cross it inside it, and turns of more than θ_max.

use super::FrictionCurve;

/// Where an update that crosses the disc |v| < v_s is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Entry {
    /// At the point of the line closest to rest, v_new·Δv = 0; within ε v_s of rest, v_s/2 before it.
    #[default]
    Closest,
    /// Where the line enters the disc of radius [`Tals::rim`]; at the closest point, where it does not come so near.
    Exact,
}

/// The search, for one contact at a time; the update of all is the smallest answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tals {
    /// v_s, m/s.
    pub stiction_velocity: f64,
    /// ε, as a fraction of v_s: what counts as rest.
    pub tolerance: f64,
    /// cos θ_max, in [0, 1): θ_max is the largest turn of a sliding contact. π/3 in the paper.
    pub cos_max: f64,
    /// Treatment of updates that cross the stiction region.
    pub entry: Entry,
    /// Radius of the disc that [`Entry::Exact`] enters, as a fraction of v_s below 1: [`Tals::rim_of`] of the curve.
    pub rim: f64,
}

impl Tals {
    /// Where an update may enter the disc: where friction is about as steep as it will be. The linear curve is that up to the
    /// rim, 1 − ε (on the circle itself rounding would leave it outside). The quadratic one has the slope 2 (1 − s) and at
    /// 1 − ε next to none: the Newton step from there throws the slip out on the other side, and from there it comes back to
    /// the rim, for ever. At ½ the slope is half that of rest, and the next step from there at most 1.75 v_s long.
    pub fn rim_of(curve: FrictionCurve, tolerance: f64) -> f64 {
        match curve {
            FrictionCurve::Linear => 1.0 - tolerance,
            FrictionCurve::Quadratic => 0.5,
        }
    }

    /// α ∈ (0, 1] for a slip v and its update Δv in the tangent plane, m/s. In the plane (one tangent) the second
    /// components are 0, and a crossing is a change of sign.
    ///
    /// NaN in, NaN out: no step.
    pub fn limit(&self, v: [f64; 2], dv: [f64; 2]) -> f64 {
        let (v_s, step) = (self.stiction_velocity, norm(dv));
        if step < self.tolerance * v_s {
            return 1.0;
        }
        let x = norm(v) / v_s;
        let x1 = norm([v[0] + dv[0], v[1] + dv[1]]) / v_s;
        if !(x.is_finite() && x1.is_finite()) {
            return f64::NAN;
        }
        if x < self.tolerance && x1 > 1.0 {
            // From rest: not out of the disc before its slope has been seen away from rest.
            return 0.5 * v_s / step;
        }
        if x > 1.0 && x1 < self.tolerance {
            return 1.0 - 0.5 * v_s / step;
        }
        if x < 1.0 || x1 < 1.0 {
            return 1.0;
        }
        self.crossing(v, dv, step).unwrap_or_else(|| self.turn(v, dv))
    }

    /// α of an update that passes through the disc from outside to outside.
    fn crossing(&self, v: [f64; 2], dv: [f64; 2], step: f64) -> Option<f64> {
        let (v_s, along) = (self.stiction_velocity, dot(v, dv) / step);
        let closest = -along / step;
        if !(along < 0.0 && closest < 1.0) {
            return None;
        }
        // The distance of the line from rest, without the cancellation of |v + α Δv|.
        let distance = (v[0] * dv[1] - v[1] * dv[0]).abs() / step;
        let radius = self.rim * v_s;
        match self.entry {
            _ if distance >= v_s => None,
            Entry::Exact if distance < radius => {
                // |v|² + 2 α v·Δv + α² |Δv|² = radius², the smaller root.
                let (square, half_chord) = (dot(v, v), (radius * radius - distance * distance).sqrt());
                Some((square - radius * radius) / (step * (half_chord - along)))
            }
            Entry::Closest if distance < self.tolerance * v_s => Some(closest - 0.5 * v_s / step),
            _ => Some(closest),
        }
    }

    /// α of an update that turns by at most θ_max: the smallest positive root of a α² + b α + c = 0, in units of |v|.
    fn turn(&self, v: [f64; 2], dv: [f64; 2]) -> f64 {
        let v1 = [v[0] + dv[0], v[1] + dv[1]];
        if dot(v, v1) > self.cos_max * norm(v) * norm(v1) {
            return 1.0;
        }
        let (square, cos2) = (dot(v, v), self.cos_max * self.cos_max);
        let along = dot(v, dv) / square;
        let a = cos2 * dot(dv, dv) / square - along * along;
        let (half_b, c) = (along * (cos2 - 1.0), cos2 - 1.0);
        let root = (half_b * half_b - a * c).max(0.0).sqrt();
        let q = -(half_b + root.copysign(half_b));
        // A root beyond 1 is rounding: the turn at 1 is too large.
        let positive = |x: f64| if x > 0.0 { x.min(1.0) } else { 1.0 };
        positive(q / a).min(positive(c / q))
    }
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn norm(a: [f64; 2]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const V_S: f64 = 1e-4;

    fn tals(entry: Entry) -> Tals {
        let rim = Tals::rim_of(FrictionCurve::Linear, 1e-2);
        Tals {
            stiction_velocity: V_S,
            tolerance: 1e-2,
            cos_max: (std::f64::consts::PI / 3.0).cos(),
            entry,
            rim,
        }
    }

    fn after(v: [f64; 2], dv: [f64; 2], alpha: f64) -> [f64; 2] {
        [v[0] + alpha * dv[0], v[1] + alpha * dv[1]]
    }

    #[test]
    fn a_turn_is_cut_to_sixty_degrees() {
        let alpha = tals(Entry::Closest).limit([1.0, 0.0], [-1.2, 3.0]);
        assert!((alpha - 0.341058).abs() < 5e-7, "{alpha}");
        let v = after([1.0, 0.0], [-1.2, 3.0], alpha);
        assert!((v[0] - 0.590730).abs() < 5e-7 && (v[1] - 1.023175).abs() < 5e-7, "{v:?}");
        assert!((v[1].atan2(v[0]) - std::f64::consts::PI / 3.0).abs() < 1e-12);
    }

    #[test]
    fn a_crossing_stops_at_the_closest_point_or_at_the_rim() {
        let (v, dv) = ([3e-4, 0.0], [-8e-4, 0.5e-4]);
        let alpha = tals(Entry::Closest).limit(v, dv);
        assert!((alpha - 0.373541).abs() < 5e-7, "{alpha}");
        assert!(dot(after(v, dv, alpha), dv).abs() < 1e-20);
        let entered = after(v, dv, tals(Entry::Exact).limit(v, dv));
        assert!((norm(entered) - 0.99 * V_S).abs() < 1e-16, "{entered:?}");
        assert!(entered[0] > 0.0);
    }

    #[test]
    fn small_updates_and_those_that_end_in_stiction_are_not_cut() {
        let t = tals(Entry::Closest);
        assert_eq!(t.limit([5.0 * V_S, 0.0], [0.9e-2 * V_S, 0.0]), 1.0);
        assert_eq!(t.limit([5.0 * V_S, 0.0], [-4.5 * V_S, 0.0]), 1.0);
        assert_eq!(t.limit([0.5 * V_S, 0.0], [-4.5 * V_S, 0.0]), 1.0);
    }

    #[test]
    fn rest_is_neither_left_nor_reached_at_once() {
        let t = tals(Entry::Closest);
        let left = after([0.0; 2], [0.3, 0.4], t.limit([0.0; 2], [0.3, 0.4]));
        assert!((norm(left) - 0.5 * V_S).abs() < 1e-18);
        let (v, dv) = ([3.0 * V_S, 0.0], [-3.0 * V_S, 0.0]);
        assert!((after(v, dv, t.limit(v, dv))[0] - 0.5 * V_S).abs() < 1e-18);
    }

    #[test]
    fn along_a_line_a_change_of_sign_is_a_crossing() {
        for entry in [Entry::Closest, Entry::Exact] {
            for (v, dv) in [(0.02, -0.05), (-7.0 * V_S, 9.0 * V_S)] {
                let end = after([v, 0.0], [dv, 0.0], tals(entry).limit([v, 0.0], [dv, 0.0]))[0];
                let expected = if entry == Entry::Closest { 0.5 } else { 0.99 };
                assert!((end.abs() - expected * V_S).abs() < 1e-16 && end * v > 0.0, "{entry:?} {end}");
            }
        }
    }

    #[test]
    fn no_number_is_no_step() {
        assert!(tals(Entry::Closest).limit([1.0, 0.0], [f64::NAN, 0.0]).is_nan());
        assert!(tals(Entry::Closest).limit([f64::INFINITY, 0.0], [1.0, 0.0]).is_nan());
    }

    proptest! {
        /// Whatever is asked, what is answered is a step, and it neither passes through stiction nor turns too far.
        #[test]
        fn what_is_allowed_neither_misses_stiction_nor_turns_too_far(
            speed in -6.0..6.0f64, angle in -3.2..3.2f64, change in -6.0..6.0f64, way in -3.2..3.2f64, exact in any::<bool>(),
        ) {
            let polar = |e: f64, a: f64| [V_S * 10f64.powf(e) * a.cos(), V_S * 10f64.powf(e) * a.sin()];
            let (v, dv) = (polar(speed, angle), polar(change, way));
            let t = tals(if exact { Entry::Exact } else { Entry::Closest });
            let alpha = t.limit(v, dv);
            prop_assert!(alpha > 0.0 && alpha <= 1.0, "{alpha}");
            let end = after(v, dv, alpha);
            let rounding = 1e-12 * (norm(v) + norm(dv));
            if norm(v) > V_S && norm(end) > V_S + rounding && norm(dv) > t.tolerance * V_S {
                let cos = dot(v, end) / (norm(v) * norm(end));
                prop_assert!(cos > t.cos_max - 1e-9 * (1.0 + norm(dv) / norm(end)), "turned by {}", cos.acos());
                let nearest = (-dot(v, dv) / dot(dv, dv)).clamp(0.0, alpha);
                prop_assert!(norm(after(v, dv, nearest)) > V_S * (1.0 - 1e-9) - rounding, "passed through");
            }
        }
    }
}
