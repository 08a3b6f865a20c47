//! Certificates of a run that a step without solution ended: forces that squeeze, and motions that nothing holds.

/// Why a step has no solution, in places of the scene; it stands in the last state.
#[derive(Debug, Clone, PartialEq)]
pub struct Certificate {
    /// Time of that state, s.
    pub time: f64,
    /// Reason in words.
    pub text: String,
    /// Bodies that drives or the ground hold, which the forces press against.
    pub held: Vec<u32>,
    /// Forces in balance.
    pub forces: Vec<SqueezingForce>,
    /// Motions that nothing holds.
    pub motions: Vec<FreeDirection>,
}

/// A force of a certificate.
#[derive(Debug, Clone, PartialEq)]
pub struct SqueezingForce {
    /// Bodies of the contact.
    pub bodies: [u32; 2],
    /// Point, m.
    pub point: [f64; 3],
    /// Force on the second body, of which the largest is 1.
    pub force: [f64; 3],
}

/// A motion of a certificate, up to a factor.
#[derive(Debug, Clone, PartialEq)]
pub struct FreeDirection {
    /// Its body.
    pub body: u32,
    /// Velocity of the centre of mass.
    pub linear: [f64; 3],
    /// Angular velocity.
    pub angular: [f64; 3],
}
