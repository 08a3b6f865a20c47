//! Measures of a comparison beside its errors, as they are asked for.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::types::Restart;

/// All models make one step from each of the states of a leading run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SameState {
    /// Values of the leading run; default: the run that is the reference, else the first.
    pub lead: Option<BTreeMap<String, String>>,
    /// States are taken at every so many steps; default: as few as leave at most 10 000 states.
    pub every: Option<u64>,
}

/// Errors over windows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Localised {
    /// Length of a window, s.
    pub window: f64,
    /// Side that begins anew.
    pub restart: Restart,
}

/// When contact forces are looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Looks {
    /// A number of times, evenly spaced over the run.
    Count(u64),
    /// At the ends of the steps that contain these times, s.
    At(Vec<f64>),
}

/// Most times at which forces are looked at.
pub const MOST_LOOKS: u64 = 1000;

impl Looks {
    /// The times in a run of `duration`, s: k/n of it for k from 1 to n.
    pub fn times(&self, duration: f64) -> Vec<f64> {
        match self {
            Self::Count(n) => (1..=*n).map(|k| duration * k as f64 / *n as f64).collect(),
            Self::At(times) => times.clone(),
        }
    }

    /// Times that a run of `duration`, s, does not come to.
    pub fn beyond(&self, duration: f64) -> Vec<f64> {
        self.times(duration).into_iter().filter(|t| *t > duration * (1.0 + ROUNDING)).collect()
    }
}

/// Part of a time within which two are one.
const ROUNDING: f64 = 1e-9;

/// Measures that are asked for beside errors.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Protocols {
    /// One step from the same states.
    pub same_state: Option<SameState>,
    /// Errors over windows.
    pub localised: Option<Localised>,
    /// Least and greatest forces.
    pub indeterminacy: Option<Looks>,
}

impl Protocols {
    /// Returns true if nothing is asked for.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Measures of the command line, and where it says nothing those of the file.
    pub fn over(self, file: &Self) -> Self {
        Self {
            same_state: self.same_state.or_else(|| file.same_state.clone()),
            localised: self.localised.or(file.localised),
            indeterminacy: self.indeterminacy.or_else(|| file.indeterminacy.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_even_parts_of_the_run() {
        assert_eq!(Looks::Count(4).times(2.0), [0.5, 1.0, 1.5, 2.0]);
        assert_eq!(Looks::At(vec![0.3]).times(2.0), [0.3]);
        assert!(Looks::Count(3).beyond(0.7).is_empty());
        assert_eq!(Looks::At(vec![0.3, 2.0, 9.0]).beyond(2.0), [9.0]);
    }
}
