//! Numbers at the end of a stage's saved state, for derivatives along a run: the part of the state that changes smoothly with the motion.
//!
//! A stepper with the capability `state-numbers` saves its own bytes, then n entries, then n as four bytes. An entry is a label (eight
//! bytes) and a number (a double, of m, m/s, s, rad or without unit), both little-endian. The label says of which part of which contact it
//! is, so that two states are held against each other where one has kept a contact that the other has dropped; no two are the same. The stepper
//! takes back a state in which the numbers are others. Steps depend on what the own bytes hold in jumps only (which contacts
//! are kept, how many they are), or as on a guess.

/// Bytes of an entry, and of the number of entries.
const ENTRY: usize = 16;
const COUNT: usize = 4;

/// Appends labelled numbers to a state.
pub fn append_numbers(entries: impl Iterator<Item = (u64, f64)>, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    for (label, number) in entries {
        bytes.extend(label.to_le_bytes());
        bytes.extend(number.to_le_bytes());
    }
    let count = (bytes.len() - start) / ENTRY;
    bytes.extend((count as u32).to_le_bytes());
}

/// Splits a state into the stage's own bytes and the labelled numbers behind them; none where the count says more than there is. No bytes are
/// a state without numbers.
pub fn split_numbers(bytes: &[u8]) -> Option<(&[u8], impl ExactSizeIterator<Item = (u64, f64)>)> {
    let (front, count) = match bytes.split_last_chunk::<COUNT>() {
        Some((front, count)) => (front, u32::from_le_bytes(*count) as usize),
        None if bytes.is_empty() => (bytes, 0),
        None => return None,
    };
    let own = front.len().checked_sub(count.checked_mul(ENTRY)?)?;
    let (own, entries) = front.split_at(own);
    let (entries, _) = entries.as_chunks::<ENTRY>();
    Some((own, entries.iter().map(entry)))
}

fn entry(bytes: &[u8; ENTRY]) -> (u64, f64) {
    let (mut label, mut number) = ([0; 8], [0; 8]);
    label.copy_from_slice(&bytes[..8]);
    number.copy_from_slice(&bytes[8..]);
    (u64::from_le_bytes(label), f64::from_le_bytes(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_counts_that_lie_are_refused() {
        let mut bytes = b"own".to_vec();
        let entries = [(7, 1.5), (1 << 60, -0.0), (3, f64::INFINITY)];
        append_numbers(entries.into_iter(), &mut bytes);
        let (own, found) = split_numbers(&bytes).unwrap();
        assert_eq!(own, b"own");
        let bits = |(label, x): (u64, f64)| (label, x.to_bits());
        assert_eq!(found.map(bits).collect::<Vec<_>>(), entries.map(bits));
        let (own, none) = split_numbers(&[]).unwrap();
        assert_eq!((own.len(), none.len()), (0, 0));
        for liar in [&[0; 3][..], &[1, 0, 0, 0], &[0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0], &[255; 4], &[255; 20]] {
            assert!(split_numbers(liar).is_none(), "{liar:?}");
        }
    }
}
