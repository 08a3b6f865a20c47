//! Parts that a step is formulated from.

use crate::config::Config;
use crate::memory::Contacts as Past;
use vinci_sdk::core::momentum::Momentum;
use vinci_sdk::prelude::*;

/// Data that a step is formulated from.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'a> {
    pub(crate) step: &'a StepView<'a>,
    pub(crate) config: &'a Config,
    pub(crate) momentum: &'a Momentum,
    /// Friction directions d_k against (t1, t2).
    pub(crate) directions: &'a [[f64; 2]],
    /// The contacts of the last step.
    pub(crate) past: &'a Past,
}

/// K of a contact: of its materials where they give one, else that of the options, N/m.
pub(crate) fn stiffness(parts: &Parts<'_>, i: usize) -> f64 {
    let k = parts.step.contacts.pair.stiffness[i];
    if k.is_finite() { k } else { parts.config.stiffness }
}
