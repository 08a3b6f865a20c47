//! What the stepper remembers of every contact from step to step: its hypothetical penetration and its modes.

use vinci_sdk::prelude::*;

/// Of all contacts of a step, sorted by identity.
#[derive(Debug, Clone, Default, PartialEq)]
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
const MAGIC: u32 = 0x5049_514d;

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

    fn save(&self, bytes: &mut Vec<u8>) {
        bytes.extend((self.key.len() as u64).to_le_bytes());
        for k in &self.key {
            [k.shape_a, k.shape_b, k.feature_a, k.feature_b]
                .iter()
                .for_each(|id| bytes.extend(id.to_le_bytes()));
        }
        self.hypothetical.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
        self.modes.iter().for_each(|m| bytes.extend(m.to_le_bytes()));
    }

    fn load(rest: &mut &[u8], stride: usize) -> Option<Self> {
        let n = usize::try_from(u64::from_le_bytes(take(rest)?)).ok()?;
        if n > rest.len() {
            return None;
        }
        let mut loaded = Self::default();
        for _ in 0..n {
            let mut id = || take(rest).map(u32::from_le_bytes);
            let (shape_a, shape_b, feature_a, feature_b) = (id()?, id()?, id()?, id()?);
            loaded.key.push(ContactKey { shape_a, shape_b, feature_a, feature_b });
        }
        for _ in 0..n {
            loaded.hypothetical.push(f64::from_le_bytes(take(rest)?));
        }
        for _ in 0..n * stride {
            loaded.modes.push(u32::from_le_bytes(take(rest)?));
        }
        let sound = loaded.key.windows(2).all(|k| k[0] < k[1])
            && loaded.hypothetical.iter().all(|x| x.is_finite())
            && loaded.modes.iter().all(|m| *m <= 2);
        sound.then_some(loaded)
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

    /// Appends everything, little-endian.
    pub(crate) fn save(&self, bytes: &mut Vec<u8>) {
        bytes.extend(MAGIC.to_le_bytes());
        bytes.extend(u32::from(self.next_of.is_some()).to_le_bytes());
        let (number, t) = self.next_of.unwrap_or_default();
        bytes.extend(number.to_le_bytes());
        bytes.extend(t.to_le_bytes());
        self.now.save(bytes);
        match self.next_of {
            Some(_) => self.next.save(bytes),
            None => Contacts::default().save(bytes),
        }
    }

    /// Reads what [`Memory::save`] wrote with the same number of modes per contact; nothing is an empty memory.
    pub(crate) fn load(bytes: &[u8], stride: usize) -> Result<Self, StageError> {
        if bytes.is_empty() {
            return Ok(Self::default());
        }
        Self::read(bytes, stride).ok_or_else(|| {
            StageError::new(ErrorKind::BadState, "these bytes are no state of the quasi-static MIQP stepper")
        })
    }

    fn read(mut rest: &[u8], stride: usize) -> Option<Self> {
        let rest = &mut rest;
        let (magic, pending) = (u32::from_le_bytes(take(rest)?), u32::from_le_bytes(take(rest)?));
        let (number, t) = (u64::from_le_bytes(take(rest)?), f64::from_le_bytes(take(rest)?));
        let (now, next) = (Contacts::load(rest, stride)?, Contacts::load(rest, stride)?);
        let next_of = (pending == 1).then_some((number, t));
        (magic == MAGIC && pending <= 1 && rest.is_empty()).then_some(Self { now, next, next_of })
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = rest.split_first_chunk()?;
    *rest = tail;
    Some(*head)
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
