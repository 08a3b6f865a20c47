//! Modes of a step: within one set of them its equations are the same.

use vinci_core::contact::ContactKey;
use vinci_core::problem::ActiveSet;

use super::tape::Tape;

/// Contacts of a step, and the active rows of its rounds.
#[derive(Debug, Clone, Default)]
pub struct Modes {
    contacts: Vec<ContactKey>,
    rounds: Vec<ActiveSet>,
}

impl Tape {
    /// Modes of the step.
    pub fn modes(&self) -> Modes {
        let rounds = self.rounds.iter().map(|taped| taped.active.clone()).collect();
        Modes { contacts: self.contacts().key.to_vec(), rounds }
    }

    /// Returns true if the step has these modes.
    pub fn is_in(&self, modes: &Modes) -> bool {
        self.contacts().key == modes.contacts
            && self.rounds.iter().map(|taped| &taped.active).eq(&modes.rounds)
    }
}
