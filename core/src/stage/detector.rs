//! Detecting: poses in, potential contacts out.

use super::refuse_foreign_state;
use crate::contact::RawContacts;
use crate::error::StageError;

/// Question of the host to a detector.
#[derive(Debug, Clone, Copy)]
pub struct DetectQuery<'a> {
    /// Simulation time, s.
    pub t: f64,
    /// Poses of all bodies, static ones too: planar (x, y, θ), spatial (p, quaternion wxyz); 3 or 7 per body.
    pub pose: &'a [f64],
    /// Active distance per body, m: report every feature pair of two bodies with gap ≤ margin_a + margin_b.
    pub margin: &'a [f64],
}

/// Finds potential contacts.
pub trait Detector {
    /// All feature pairs within the active distance, penetrating ones included, in any order.
    fn detect<'s>(&'s mut self, query: &DetectQuery<'_>) -> Result<RawContacts<'s>, StageError>;

    /// Appends whatever must survive a checkpoint or rollback (warm starts that change results).
    fn save_state(&self, _bytes: &mut Vec<u8>) {}

    /// Restores what [`Detector::save_state`] wrote.
    fn load_state(&mut self, bytes: &[u8]) -> Result<(), StageError> {
        refuse_foreign_state(bytes)
    }
}
