//! Poses as other formats write them: position and quaternion, w first.

use nalgebra::Isometry3;
use vinci_core::model::{Space, System};

/// Position, m, and quaternion.
pub(super) type Place = ([f64; 3], [f64; 4]);

/// Position and quaternion of a body at the start, of a planar one in space.
pub(super) fn at_start(system: &System, body: u32) -> Place {
    let nq = system.space.nq();
    let pose = &system.initial_pose[nq * body as usize..nq * (body as usize + 1)];
    if system.space == Space::Planar { flat(pose) } else { spatial(pose) }
}

/// A planar pose in space.
pub(super) fn flat(pose: &[f64]) -> Place {
    let (sine, cosine) = (0.5 * pose[2]).sin_cos();
    ([pose[0], pose[1], 0.0], [cosine, 0.0, 0.0, sine])
}

/// A spatial pose, part by part.
pub(super) fn spatial(pose: &[f64]) -> Place {
    (std::array::from_fn(|k| pose[k]), std::array::from_fn(|k| pose[3 + k]))
}

/// A pose, part by part.
pub(super) fn parts(place: &Isometry3<f64>) -> Place {
    let (t, q) = (place.translation.vector, place.rotation);
    ([t.x, t.y, t.z], [q.w, q.i, q.j, q.k])
}
