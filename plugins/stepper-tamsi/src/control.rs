//! Convergence control: halves steps that do not converge, and doubles them again.

use vinci_sdk::prelude::{Deserialize, Serialize, StageError};
use vinci_sdk::state;

/// The step that is tried, and for how long it has been.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(crate = "vinci_sdk::serde")]
pub(crate) struct Control {
    /// Longest step, s; ∞: as long as the host asks.
    longest: f64,
    /// Step of the host that was halved first, s.
    whole: f64,
    /// Steps made since the last change.
    made: u32,
}

impl Default for Control {
    fn default() -> Self {
        Self { longest: f64::INFINITY, whole: 0.0, made: 0 }
    }
}

/// First bytes of a saved state.
const MARK: u32 = 0x314d_4154;
const WHO: &str = "vinci.stepper.tamsi";

impl Control {
    /// The step to take of the h that is asked for. A rest that is rounding is not left.
    pub(crate) fn step(&self, h: f64) -> f64 {
        if self.longest < h * (1.0 - 1e-9) { self.longest } else { h }
    }

    /// A step of h did not converge: the next one to try, s, or none below whole/2^max.
    pub(crate) fn failed(&mut self, h: f64, max_halvings: u32) -> Option<f64> {
        if self.longest == f64::INFINITY {
            self.whole = h;
        }
        let half = 0.5 * h;
        let least = self.whole * 0.5_f64.powi(max_halvings as i32);
        (half >= least * (1.0 - 1e-9)).then(|| {
            (self.longest, self.made) = (half, 0);
            half
        })
    }

    /// A step was made.
    pub(crate) fn succeeded(&mut self, grow_after: u32) {
        if self.longest == f64::INFINITY {
            return;
        }
        self.made += 1;
        if self.made >= grow_after {
            (self.longest, self.made) = (2.0 * self.longest, 0);
            if self.longest >= self.whole {
                *self = Self::default();
            }
        }
    }

    pub(crate) fn save(&self, bytes: &mut Vec<u8>) {
        state::save(MARK, self, bytes);
    }

    /// Reads what [`Control::save`] wrote, if these bytes are that.
    pub(crate) fn load(bytes: &[u8]) -> Result<Self, StageError> {
        let control: Self = state::load(MARK, WHO, bytes)?;
        let sound = control.longest > 0.0 && control.whole >= 0.0;
        if sound { Ok(control) } else { Err(state::foreign(WHO, bytes)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_halved_so_often_and_doubled_back_to_the_whole() {
        let mut control = Control::default();
        assert_eq!(control.step(0.1), 0.1);
        assert_eq!(control.failed(0.1, 2), Some(0.05));
        assert_eq!(control.failed(0.05, 2), Some(0.025));
        assert_eq!(control.failed(0.025, 2), None);
        assert_eq!(control.step(0.1), 0.025);
        assert_eq!(control.step(0.01), 0.01);
        let steps: Vec<f64> = (0..4)
            .map(|_| {
                control.succeeded(2);
                control.step(0.1)
            })
            .collect();
        assert_eq!(steps, [0.025, 0.05, 0.05, 0.1]);
        assert_eq!(control, Control::default());
    }

    #[test]
    fn state_comes_back_and_other_bytes_do_not() {
        let (mut control, mut bytes) = (Control::default(), Vec::new());
        control.failed(0.1, 5);
        control.succeeded(7);
        control.save(&mut bytes);
        assert_eq!(Control::load(&bytes).unwrap(), control);
        assert!(Control::load(&bytes[1..]).is_err() && Control::load(&[0; 20]).is_err());
        let mut wrong = Vec::new();
        state::save(MARK, &Control { longest: -1.0, ..control }, &mut wrong);
        assert!(Control::load(&wrong).is_err());
    }
}
