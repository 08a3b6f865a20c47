//! The largest numbers of blocks over a run.

/// The largest numbers of a block so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Peak {
    /// Largest term of a row beside impulses (momentum, forces × h; moments over the body's size), N s.
    pub(super) cause: f64,
    /// Largest change of a row's momentum with the forces on it (moments over the body's size), N s: no frame enlarges it.
    pub(super) acted: f64,
    /// Largest speeds, of lengths and of angles, m/s and rad/s.
    pub(super) speed: [f64; 2],
    /// Largest normal impulse whose size a declared law of compliance gives, N s.
    pub(super) pressed: f64,
}

impl Peak {
    /// How many numbers one has.
    pub(super) const NUMBERS: usize = 5;

    /// For a file.
    pub(super) fn numbers(&self) -> [f64; Self::NUMBERS] {
        [self.cause, self.acted, self.speed[0], self.speed[1], self.pressed]
    }

    /// The reverse of [`Peak::numbers`].
    pub(super) fn of_numbers(numbers: &[f64]) -> Option<Self> {
        let [cause, acted, lengths, angles, pressed] = *numbers else { return None };
        Some(Self { cause, acted, speed: [lengths, angles], pressed })
    }

    /// The larger of both, number by number.
    pub(super) fn take(&mut self, other: &Self) {
        self.cause = self.cause.max(other.cause);
        self.acted = self.acted.max(other.acted);
        for k in 0..2 {
            self.speed[k] = self.speed[k].max(other.speed[k]);
        }
        self.pressed = self.pressed.max(other.pressed);
    }
}
