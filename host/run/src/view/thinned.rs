//! A part of the states of a run, for pages that follow it, and the names of the tables that go by states.

/// Tables of states, of contacts and of support points.
pub(super) const STATES: &str = "trajectory";
pub(super) const CONTACTS: &str = "contacts";
pub(super) const SUPPORTS: &str = "supports";

/// Some of the states of a run.
pub(super) struct Thinned {
    /// Bytes of a table that is read whole.
    pub(super) most: u64,
    /// Their rows, with the header.
    pub(super) states: Vec<u8>,
    /// Their times, s.
    pub(super) times: Vec<f64>,
    /// About how many states there are.
    pub(super) about: f64,
}
