//! Memory of every contact from step to step: its hypothetical penetration and its modes.

use vinci_sdk::prelude::*;
use vinci_sdk::state;

/// Memory of the contacts of a step, sorted by identity.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(crate = "vinci_sdk::serde")]
pub(crate) struct Contacts {
    pub(crate) key: Vec<ContactKey>,
    /// φ̄ at the end of the step, m: the gap that strictly followed commands would have left.
    pub(crate) hypothetical: Vec<f64>,
    /// Modes of the contact's pairs, `stride` each: normal, friction directions, slip; 0 where it has no such pair.
    pub(crate) modes: Vec<u32>,
}

/// The contacts of the last step, and those of a step that the host has not yet built upon.
///
/// A step that was accepted may still be made again (wider search for contacts), so its end becomes the past only when
/// a step of another number or time is formulated.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Memory {
    pub(crate) now: Contacts,
    pub(crate) next: Contacts,
    pub(crate) next_of: Option<(u64, f64)>,
}

/// First bytes of a saved state.
const MARK: u32 = 0x5149_514d;
const WHO: &str = "vinci.stepper.quasistatic-miqp";

impl Contacts {
    pub(crate) fn clear(&mut self) {
        self.key.clear();
        self.hypothetical.clear();
        self.modes.clear();
    }

    /// Place of a contact.
    pub(crate) fn find(&self, key: &ContactKey) -> Option<usize> {
        self.key.binary_search(key).ok()
    }

    /// Returns true if a state may hold this, with `stride` modes per contact.
    fn is_sound(&self, stride: usize) -> bool {
        let n = self.key.len();
        self.key.is_sorted_by(|a, b| a < b)
            && (self.hypothetical.len(), self.modes.len()) == (n, n * stride)
            && self.hypothetical.iter().all(|x| x.is_finite())
            && self.modes.iter().all(|m| *m <= 2)
    }
}

impl Memory {
    /// Takes the end of the last step over, unless this is the same step once more.
    pub(crate) fn begin(&mut self, step: &StepView<'_>) {
        if let Some((number, t)) = self.next_of
            && (number, t.to_bits()) != (step.step, step.t.to_bits())
        {
            std::mem::swap(&mut self.now, &mut self.next);
            self.next_of = None;
        }
    }

    pub(crate) fn save(&self, bytes: &mut Vec<u8>) {
        let nothing = Contacts::default();
        let next = if self.next_of.is_some() { &self.next } else { &nothing };
        state::save(MARK, &(&self.now, next, self.next_of), bytes);
    }

    /// Reads what [`Memory::save`] wrote with the same number of modes per contact; nothing is an empty memory.
    pub(crate) fn load(bytes: &[u8], stride: usize) -> Result<Self, StageError> {
        let (now, next, next_of): (Contacts, Contacts, _) = state::load(MARK, WHO, bytes)?;
        let sound = now.is_sound(stride) && next.is_sound(stride);
        if sound { Ok(Self { now, next, next_of }) } else { Err(state::foreign(WHO, bytes)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_saved_comes_back_and_nothing_else_does() {
        let key = |shape_b| ContactKey { shape_b, ..ContactKey::default() };
        let now =
            Contacts { key: vec![key(1), key(4)], hypothetical: vec![-1e-3, 0.5], modes: vec![1, 2, 0, 2] };
        let next = Contacts { key: vec![key(1)], hypothetical: vec![-2e-3], modes: vec![1, 1] };
        let memory = Memory { now, next, next_of: Some((7, 0.07)) };
        let mut bytes = Vec::new();
        memory.save(&mut bytes);
        assert_eq!(Memory::load(&bytes, 2).unwrap(), memory);
        assert_eq!(Memory::load(&[], 2).unwrap(), Memory::default());
        for cut in 1..bytes.len() {
            assert_eq!(Memory::load(&bytes[..cut], 2).unwrap_err().kind, ErrorKind::BadState, "{cut}");
        }
        assert!(Memory::load(&bytes, 3).is_err(), "another number of directions");
        bytes[0] ^= 1;
        assert!(Memory::load(&bytes, 2).is_err());
    }
}
