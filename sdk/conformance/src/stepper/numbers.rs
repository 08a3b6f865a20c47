//! Numbers that the saved state of a stepper ends with, for derivatives along a run.

use vinci_core::stage::{Stepper, append_numbers, split_numbers};

use super::discs::stepper;
use crate::subject::{Stop, Subject, ensure};

/// Numbers behind a saved state: no two have the same label, and others are taken back in their place. How many there are.
pub(super) fn numbers(subject: &Subject, state: &[u8]) -> Result<usize, Stop> {
    let split = |bytes: &[u8]| {
        split_numbers(bytes).map(|(own, entries)| (own.to_vec(), entries.collect::<Vec<(u64, f64)>>()))
    };
    let Some((own, mut entries)) = split(state) else {
        return Err(Stop::Failed("the state does not end with its numbers and how many they are".into()));
    };
    let mut labels: Vec<u64> = entries.iter().map(|(label, _)| *label).collect();
    labels.sort_unstable();
    ensure!(labels.windows(2).all(|pair| pair[0] != pair[1]), "two numbers of the state have the same label");
    entries.iter_mut().for_each(|(_, x)| *x += 1e-6 * x.abs().max(1e-3));
    let (mut moved, mut back) = (own, Vec::new());
    append_numbers(entries.iter().copied(), &mut moved);
    let mut stepper = stepper(subject, 2)?;
    stepper.load_state(&moved)?;
    stepper.try_save_state(&mut back)?;
    let found = split(&back).map(|(_, entries)| entries);
    ensure!(found.as_ref() == Some(&entries), "a state with other numbers does not come back with them");
    Ok(entries.len())
}
