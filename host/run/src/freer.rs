//! Forces between two bodies: on which of them pictures and pages draw theirs.

use vinci_core::model::{MotionSource, System};

/// Sign of the force on the second body of a pair where it is drawn: −1, that on the first, where the first body is freer than the second (a
/// body by itself before a link, a link before what is held or never moves). The page of `vinci view` has the same rule.
pub fn sign_of_drawn(system: &System, [a, b]: [u32; 2]) -> f64 {
    let freedom = |body: u32| match system.motion_source(body) {
        MotionSource::Fixed => 0,
        MotionSource::Link { .. } => 1,
        MotionSource::Block(_) if system.bodies[body as usize].is_held() => 0,
        MotionSource::Block(_) => 2,
    };
    if freedom(a) > freedom(b) { -1.0 } else { 1.0 }
}
