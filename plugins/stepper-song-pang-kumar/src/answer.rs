//! What is told of the host's contacts.

/// What is told of the host's contacts where nodes are others. Keeps its memory between steps.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// δ⁺ of the nodes, m.
    pub(crate) end: Vec<f64>,
    /// c of the nodes, m/s.
    pub(crate) normal_rate: Vec<f64>,
    /// (δ_t⁺ − δ_t)/h of the nodes, m/s.
    pub(crate) slip_rate: Vec<f64>,
    /// The same and the impulses, contact by contact.
    pub(crate) contact_impulse: Vec<f64>,
    pub(crate) contact_normal_rate: Vec<f64>,
    pub(crate) contact_slip_rate: Vec<f64>,
}
