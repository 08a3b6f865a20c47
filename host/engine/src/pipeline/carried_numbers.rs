//! Numbers that a step hands to the next beside positions and velocities, for derivatives along a run: those at the end of the stepper's
//! saved state (capability `state-numbers`), and bases of contacts where friction polygons in space stand on them.

use vinci_core::contact::ContactMemory;
use vinci_core::stage::{append_numbers, split_numbers};

/// Part of a carried number by which it is moved, and the least by which it is (m, s): a slip of a node is its displacement over the step,
/// and its friction turns with it.
const PART: f64 = 1e-6;
const LEAST: f64 = 1e-9;

/// Numbers carried into a step.
#[derive(Debug, Default)]
pub(super) struct CarriedNumbers {
    /// The stepper's state before its numbers; all of it where it has none.
    own: Vec<u8>,
    /// How many numbers the stepper has, where its state ends with such.
    of_stepper: Option<usize>,
    /// Labels of its numbers.
    labels: Vec<u64>,
    /// Numbers of the stepper, then bases of contacts.
    pub(super) numbers: Vec<f64>,
}

impl CarriedNumbers {
    /// Takes over a stepper's state, and the bases of contacts that are given.
    pub(super) fn take(&mut self, stepper: &[u8], has_numbers: bool, bases: Option<&ContactMemory>) {
        self.numbers.clear();
        self.labels.clear();
        self.own.clear();
        let split = if has_numbers { split_numbers(stepper) } else { None };
        match split {
            Some((own, entries)) => {
                self.own.extend_from_slice(own);
                self.of_stepper = Some(entries.len());
                for (label, number) in entries {
                    self.labels.push(label);
                    self.numbers.push(number);
                }
            }
            None => {
                self.own.extend_from_slice(stepper);
                self.of_stepper = None;
            }
        }
        self.numbers.extend(bases.into_iter().flat_map(ContactMemory::bases));
    }

    /// Returns true if the numbers, or else nothing, are what has become of `before` in a step.
    pub(super) fn is_all_since(&self, before: &Self) -> bool {
        match (before.of_stepper, self.of_stepper) {
            (Some(_), Some(_)) => true,
            _ => before.own == self.own,
        }
    }

    /// The state of a stepper with other numbers, appended to `bytes`; the bases of contacts behind them.
    pub(super) fn put<'a>(&self, numbers: &'a [f64], bytes: &mut Vec<u8>) -> &'a [f64] {
        bytes.extend_from_slice(&self.own);
        let Some(n) = self.of_stepper else { return numbers };
        append_numbers(self.labels.iter().copied().zip(numbers[..n].iter().copied()), bytes);
        &numbers[n..]
    }

    /// The numbers with the labels of another list, in its order: what that one has dropped is no part of them, and what is dropped here only is
    /// what it is there. None where a label stands twice.
    pub(super) fn aligned_to(&self, other: &Self) -> Option<Vec<f64>> {
        let mut sorted: Vec<(u64, f64)> =
            self.labels.iter().copied().zip(self.numbers.iter().copied()).collect();
        sorted.sort_by_key(|(label, _)| *label);
        if sorted.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return None;
        }
        let of = |(label, number): (&u64, &f64)| {
            sorted.binary_search_by_key(label, |(own, _)| *own).map_or(*number, |k| sorted[k].1)
        };
        let mut out: Vec<f64> = other.labels.iter().zip(&other.numbers).map(of).collect();
        out.extend_from_slice(&self.numbers[self.labels.len()..]);
        (out.len() == other.numbers.len()).then_some(out)
    }

    /// Displacement of a difference along number k.
    pub(super) fn beside(&self, k: usize) -> f64 {
        LEAST.max(PART * self.numbers[k].abs())
    }
}
