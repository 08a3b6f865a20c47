//! The state that laws see, and the error where one gives no number.

use super::error::ControlError;
use vinci_core::model::System;

/// When laws are asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct When {
    /// Start of the step, s.
    pub t: f64,
    /// Time of the references of implicit gains, s: the end of the step; for steppers of second order its start.
    pub reference: f64,
}

/// The state at the start of a step.
#[derive(Clone, Copy)]
pub(super) struct Sight<'a> {
    pub(super) system: &'a System,
    pub(super) when: When,
    pub(super) q: &'a [f64],
    pub(super) v: &'a [f64],
}

/// A number that is none, and the velocity it was meant for, if for one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fault {
    pub(super) dof: Option<usize>,
    pub(super) value: f64,
}

impl Fault {
    /// The error of a controller, with the name of the joint.
    pub(super) fn of(self, controller: &str, t: f64, dofs: &[u32], names: &[String]) -> ControlError {
        let joint = self.dof.and_then(|dof| names.get(dofs.binary_search(&(dof as u32)).ok()?));
        let of = joint.map_or_else(|| "its force".to_owned(), |name| format!("joint `{name}`"));
        ControlError::NotFinite { controller: controller.to_owned(), of, value: self.value, t }
    }
}
