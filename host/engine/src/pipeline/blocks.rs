//! Systems for tests: blocks in the plane.

use nalgebra::Vector3;
use vinci_core::model::{Body, MassProperties, Parts, Space, System};

/// Blocks of 1 kg, .2 m × .1 m, above each other on a fixed ground at y = 0, all with one velocity. Their shapes are for no detector.
pub(super) fn blocks(n: usize, velocity: [f64; 3]) -> System {
    let block = |i: usize| Body::free(format!("box{i}"), MassProperties::planar(1.0, 0.05 / 12.0), 3);
    System::new(Parts {
        bodies: std::iter::once(Body::fixed("ground", 3)).chain((0..n).map(block)).collect(),
        initial_pose: (0..=n).map(|i| vec![0.0, (0.1 * i as f64 - 0.05).max(0.0), 0.0]).collect(),
        initial_velocity: (0..=n).map(|i| if i == 0 { vec![0.0; 3] } else { velocity.to_vec() }).collect(),
        ..Parts::empty(Space::Planar, Vector3::new(0.0, -9.81, 0.0))
    })
    .unwrap()
}
