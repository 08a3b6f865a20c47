//! The answer to the host: impulses and rates of its contacts, from those of the nodes.

/// Arrays for the host's contacts where nodes are others. Keeps its memory between steps.
#[derive(Debug, Default)]
pub(crate) struct HostContacts {
    /// δ⁺ of the nodes, m.
    pub(crate) end: Vec<f64>,
    /// c of the nodes, m/s.
    pub(crate) normal_rate: Vec<f64>,
    /// (δ_t⁺ − δ_t)/h of the nodes, m/s.
    pub(crate) slip_rate: Vec<f64>,
    /// Impulses and the same rates, contact by contact.
    pub(crate) contact_impulse: Vec<f64>,
    pub(crate) contact_normal_rate: Vec<f64>,
    pub(crate) contact_slip_rate: Vec<f64>,
}
