//! Snapshots: states that pictures are drawn of.

use serde::{Deserialize, Serialize};

/// A state with the forces of the step that ends there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrameState {
    /// Time, s.
    pub t: f64,
    /// Generalised coordinates.
    pub q: Vec<f64>,
    /// Mean friction force of the step at every support point, on its body, N; empty at the start.
    pub friction: Vec<[f64; 2]>,
    /// Contacts that press: point, force on the freer body of the two (as of [`crate::freer`]), N.
    pub contacts: Vec<([f64; 2], [f64; 2])>,
}
