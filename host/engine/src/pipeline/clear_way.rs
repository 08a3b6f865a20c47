//! Approaches that the way of the bodies refutes: a gap that closes by its linearisation over the step, and stays open.
//!
//! A motion of somebody else owes the linearisation nothing. Bodies that go straight and turn evenly are followed with core's own
//! distances, and where two convex shapes never get into each other there was no approach. Links of trees go other ways: nothing is known of them.

use nalgebra::Vector3;
use vinci_core::contact::Contacts;
use vinci_core::geometry::{Motion, Shapes};
use vinci_core::model::{Frames, MotionSource, System};
use vinci_core::referee::Worst;

/// A step of bodies: frames at its start, places at its end, velocities on the way and its size, s.
pub(super) struct Way<'a> {
    pub(super) start: &'a Frames,
    pub(super) end: &'a [f64],
    pub(super) v: &'a [f64],
    pub(super) h: f64,
}

/// The worst of these approaches (contact, finding) of which it is not known that the shapes stay out of each other.
pub(super) fn unrefuted(
    (shapes, system): (&Shapes, &System),
    contacts: &Contacts<'_>,
    approaching: &[(usize, f64)],
    way: &Way<'_>,
) -> Worst {
    let frames = system.placed(way.end);
    let motion = |body: u32| {
        let spin: Vector3<f64> = system.body_velocity(body, way.v, &frames).1 * way.h;
        Motion::new(system.space, way.start.pose(body), frames.pose(body), &spin)
    };
    let is_link = |body: u32| matches!(system.motion_source(body), MotionSource::Link { .. });
    let mut worst = Worst::default();
    for &(i, approach) in approaching {
        let (key, bodies) = (&contacts.key[i], [contacts.body_a[i], contacts.body_b[i]]);
        let [a, b] = bodies.map(motion);
        if bodies.into_iter().any(is_link) || !shapes.stay_out((key.shape_a, &a), (key.shape_b, &b)) {
            worst.take(approach, i);
        }
    }
    worst
}
