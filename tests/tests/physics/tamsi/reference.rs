//! The regularised equation of the box, m v̇ = 4 cos ωt − m g clamp(v/v_s, −1, 1), solved in closed form from event to
//! event. The box never moves along z, so that N = m g is exact.
//!
//! Sliding: m v = m v_0 + (4/ω)(sin ωt − sin ωt_0) ∓ m g (t − t_0). In stiction, with λ = g/v_s: v = C e^{−λ(t − t_0)} + a cos ωt +
//! b sin ωt, a = (4/m) λ/(λ² + ω²), b = (4/m) ω/(λ² + ω²). Where one ends is found by bisection to the last bit, after a scan in
//! steps below the shortest stay (v passes v_s at least 1e-5 s before it turns).

use super::box_step::{GRAVITY, MASS, V_S};

const OMEGA: f64 = 2.0 * std::f64::consts::PI;
/// Step of the scan for the end of a piece, s.
const SCAN: f64 = 5e-6;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Mode {
    Stick,
    /// With the sign of v.
    Slide(f64),
}

/// A piece of the motion from t_0 on.
#[derive(Debug, Clone, Copy)]
struct Piece {
    mode: Mode,
    t: f64,
    v: f64,
}

impl Piece {
    fn at(&self, t: f64) -> f64 {
        let amplitude = 4.0 / MASS;
        match self.mode {
            Mode::Slide(sign) => {
                let pushed = amplitude / OMEGA * ((OMEGA * t).sin() - (OMEGA * self.t).sin());
                self.v + pushed - sign * GRAVITY * (t - self.t)
            }
            Mode::Stick => {
                let rate = GRAVITY / V_S;
                let scale = amplitude / (rate * rate + OMEGA * OMEGA);
                let steady = |t: f64| scale * (rate * (OMEGA * t).cos() + OMEGA * (OMEGA * t).sin());
                (self.v - steady(self.t)) * (-rate * (t - self.t)).exp() + steady(t)
            }
        }
    }

    /// Returns true if the piece holds at t.
    fn holds(&self, t: f64) -> bool {
        match self.mode {
            Mode::Stick => self.at(t).abs() <= V_S,
            Mode::Slide(sign) => sign * self.at(t) >= V_S,
        }
    }

    /// The piece after this one.
    fn next(&self, duration: f64) -> Option<Self> {
        let mut inside = self.t;
        // At its own start a piece stands on its edge.
        let mut k = 1.0;
        while self.holds(self.t + k * SCAN) {
            inside = self.t + k * SCAN;
            k += 1.0;
            if inside > duration {
                return None;
            }
        }
        let mut outside = self.t + k * SCAN;
        loop {
            let middle = 0.5 * (inside + outside);
            if middle <= inside || middle >= outside {
                break;
            }
            *(if self.holds(middle) { &mut inside } else { &mut outside }) = middle;
        }
        let sign = self.at(outside).signum();
        let mode = if self.mode == Mode::Stick { Mode::Slide(sign) } else { Mode::Stick };
        Some(Self { mode, t: outside, v: sign * V_S })
    }
}

/// The motion from rest at t = 0.
pub(crate) struct Reference(Vec<Piece>);

impl Reference {
    /// Up to `duration`, s.
    pub(crate) fn new(duration: f64) -> Self {
        let mut pieces = vec![Piece { mode: Mode::Stick, t: 0.0, v: 0.0 }];
        while let Some(next) = pieces[pieces.len() - 1].next(duration) {
            pieces.push(next);
        }
        Self(pieces)
    }

    /// v(t), m/s.
    pub(crate) fn at(&self, t: f64) -> f64 {
        let i = self.0.partition_point(|piece| piece.t <= t).max(1) - 1;
        self.0[i].at(t)
    }

    /// Times of transition: (t, whether into stiction).
    pub(crate) fn transitions(&self) -> impl Iterator<Item = (f64, bool)> + '_ {
        self.0.iter().skip(1).map(|piece| (piece.t, piece.mode == Mode::Stick))
    }
}
