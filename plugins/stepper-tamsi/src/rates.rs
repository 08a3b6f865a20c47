//! Rates and laws of all elements where they were asked for last. A solver asks for r, for its Jacobian, for the limit and the size of an
//! update at the same velocities: J v is formed once for all of them.

use vinci_sdk::core::lists::{copy, same_bits};

use crate::elements::{Elements, Local};

/// Rates and laws at velocities v, and the changes by an update Δv from there. Keeps its memory.
#[derive(Debug, Default)]
pub(crate) struct Rates {
    v: Vec<f64>,
    dv: Vec<f64>,
    /// ν = J v and constants, by element, m/s.
    pub(crate) nu: Vec<[f64; 3]>,
    /// Impulses and stiffness there.
    pub(crate) local: Vec<Local>,
    /// J Δv, by element, m/s.
    pub(crate) change: Vec<[f64; 3]>,
}

impl Rates {
    /// Forgets everything: the elements are others.
    pub(crate) fn forget(&mut self) {
        self.v.clear();
        self.dv.clear();
    }

    /// Rates and laws at v.
    pub(crate) fn at(&mut self, elements: &Elements, v: &[f64]) -> &mut Self {
        if self.v.is_empty() || !same_bits(&self.v, v) {
            copy(&mut self.v, v);
            self.nu.clear();
            self.nu.extend(elements.list.iter().map(|e| elements.at(e, v)));
            self.local.clear();
            self.local.extend(elements.list.iter().zip(&self.nu).map(|(e, nu)| elements.local(e, *nu)));
        }
        self
    }

    /// Changes of the rates by Δv.
    pub(crate) fn change(&mut self, elements: &Elements, dv: &[f64]) -> &mut Self {
        if self.dv.is_empty() || !same_bits(&self.dv, dv) {
            copy(&mut self.dv, dv);
            self.change.clear();
            self.change.extend(elements.list.iter().map(|e| elements.change(e, dv)));
        }
        self
    }
}
