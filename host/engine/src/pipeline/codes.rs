//! Codes: what a system fixes per velocity and per block.

use vinci_core::model::{DofRole, System};

/// Codes that a system fixes per velocity and per block, as steppers read them.
pub(super) struct Codes {
    /// Role of every velocity.
    pub(super) role: Vec<u8>,
    /// Motion model of every block.
    pub(super) motion: Vec<u8>,
    /// Stiffness of impedance dofs.
    pub(super) impedance: Vec<f64>,
}

impl Codes {
    pub(super) fn of(system: &System) -> Self {
        Self { role: system.roles(), motion: system.motions(), impedance: system.impedances() }
    }

    /// Returns true if a velocity is prescribed.
    pub(super) fn is_prescribed(&self, dof: usize) -> bool {
        DofRole::from_code(self.role[dof]) == DofRole::Prescribed
    }
}
