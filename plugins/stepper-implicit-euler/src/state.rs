//! State that must survive when the host takes steps back: the kept derivative, the step size, the second half of a doubled step.

use vinci_sdk::prelude::*;
use vinci_sdk::state;

use crate::ImplicitEuler;
use crate::control::Control;
use crate::derivative::Derivative;
use crate::progress::Half;

/// First bytes of a saved state.
const MARK: u32 = 0x3245_4956;
const WHO: &str = "vinci.stepper.implicit-euler";

/// All that lasts; as it is read.
type Saved = (Control, Option<Derivative>, Option<Half>);

impl ImplicitEuler {
    pub(crate) fn save(&self, bytes: &mut Vec<u8>) {
        let derivative = Some(&self.newton.derivative).filter(|derivative| derivative.known);
        state::save(MARK, &(&self.control, derivative, &self.pending), bytes);
    }

    pub(crate) fn load(&mut self, bytes: &[u8]) -> Result<(), StageError> {
        let (control, derivative, pending): Saved = state::load(MARK, WHO, bytes)?;
        let half = |half: &Half| half.u.len() == half.v.len();
        if !(derivative.as_ref().is_none_or(Derivative::is_sound) && pending.as_ref().is_none_or(half)) {
            return Err(state::foreign(WHO, bytes));
        }
        self.control = control;
        self.newton.derivative = derivative.unwrap_or_default();
        self.newton.forget_factors();
        self.pending = pending;
        (self.after, self.begun) = (None, false);
        Ok(())
    }
}
