//! Places and velocities of bodies at one time, and the differences of two such states.

use nalgebra::{Quaternion, Vector3};

use vinci_core::model::{Frames, MotionSource, Space, System};

/// All moving bodies at one time, links of trees among them.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// s.
    pub t: f64,
    bodies: Vec<Moving>,
}

/// A body at one time: its pose, and the velocity of its centre of mass and its angular velocity, world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Moving {
    body: u32,
    place: Vector3<f64>,
    turn: Turn,
    velocity: Vector3<f64>,
    spin: Vector3<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Turn {
    /// rad.
    Angle(f64),
    Quaternion(Quaternion<f64>),
}

/// The smallest angle between two orientations in space, rad: 2 atan2(|Im ā b|, |Re ā b|).
pub(crate) fn turn_between(a: &Quaternion<f64>, b: &Quaternion<f64>) -> f64 {
    let d = a.conjugate() * b;
    2.0 * d.imag().norm().atan2(d.w.abs())
}

impl Turn {
    /// The angle from one to the other, rad: in the plane with its turns, in space the smallest.
    fn to(&self, other: &Self) -> f64 {
        match (self, other) {
            (Self::Angle(a), Self::Angle(b)) => (b - a).abs(),
            (Self::Quaternion(a), Self::Quaternion(b)) => turn_between(a, b),
            _ => f64::NAN,
        }
    }
}

/// The largest of a kind of difference among all bodies, and whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Largest {
    /// Size.
    pub value: f64,
    /// The body.
    pub body: u32,
}

impl Largest {
    fn take(&mut self, value: f64, body: u32) {
        // Nothing is larger than what is no number.
        if !(value <= self.value) && !self.value.is_nan() {
            *self = Self { value, body };
        }
    }
}

/// How far two states of the same bodies are apart: of every kind the largest among the bodies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Gap {
    /// max |Δx| of centres of mass, m.
    pub position: Largest,
    /// max of the angle between two orientations, rad.
    pub rotation: Largest,
    /// max |Δv| of centres of mass, m/s.
    pub velocity: Largest,
    /// max |Δω|, rad/s.
    pub spin: Largest,
}

impl Motion {
    /// Motion at positions q and velocities v; `frames` is memory.
    pub fn of(system: &System, (t, q, v): (f64, &[f64], &[f64]), frames: &mut Frames) -> Self {
        system.place(q, frames);
        system.set_velocity(v, frames);
        let moves = |body: &u32| !matches!(system.motion_source(*body), MotionSource::Fixed);
        let moving = |body: u32| {
            let (velocity, spin) = system.body_velocity(body, v, frames);
            let pose = frames.pose(body);
            let turn = match system.space {
                Space::Planar => Turn::Angle(pose[2]),
                Space::Spatial => Turn::Quaternion(Quaternion::new(pose[3], pose[4], pose[5], pose[6])),
            };
            Moving { body, place: frames.centre(body), turn, velocity, spin }
        };
        Self { t, bodies: (0..system.bodies.len() as u32).filter(moves).map(moving).collect() }
    }

    /// How far another state of the same bodies is from this one, body by body: |Δx| in m, the angle between orientations in rad, |Δv|
    /// in m/s, |Δω| in rad/s.
    pub fn apart<'m>(&'m self, other: &'m Self) -> impl Iterator<Item = (u32, [f64; 4])> + 'm {
        self.bodies.iter().zip(&other.bodies).map(|(a, b)| {
            let (place, velocity, spin) = (b.place - a.place, b.velocity - a.velocity, b.spin - a.spin);
            (a.body, [place.norm(), a.turn.to(&b.turn), velocity.norm(), spin.norm()])
        })
    }

    /// How far another state of the same bodies is from this one.
    pub fn gap(&self, other: &Self) -> Gap {
        let mut gap = Gap::default();
        for (body, [place, turn, velocity, spin]) in self.apart(other) {
            gap.position.take(place, body);
            gap.rotation.take(turn, body);
            gap.velocity.take(velocity, body);
            gap.spin.take(spin, body);
        }
        gap
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(place: [f64; 3], turn: Turn) -> Motion {
        let body =
            Moving { body: 3, place: place.into(), turn, velocity: Vector3::x(), spin: Vector3::zeros() };
        Motion { t: 0.0, bodies: vec![body] }
    }

    #[test]
    fn distances_and_angles_are_those_of_geometry() {
        let turned = |angle: f64| {
            let (sin, cos) = (0.5 * angle).sin_cos();
            Turn::Quaternion(Quaternion::new(cos, sin, 0.0, 0.0))
        };
        let gap = state([0.0; 3], turned(0.3)).gap(&state([3.0, 0.0, 4.0], turned(-0.2)));
        assert_eq!((gap.position.value, gap.position.body), (5.0, 3));
        assert!((gap.rotation.value - 0.5).abs() < 1e-15, "{gap:?}");
        // q and −q are one orientation; tiny angles are not lost to rounding.
        let Turn::Quaternion(q) = turned(1e-9) else { panic!() };
        let tiny = state([0.0; 3], turned(0.0)).gap(&state([0.0; 3], Turn::Quaternion(-q)));
        assert!((tiny.rotation.value - 1e-9).abs() < 1e-18, "{tiny:?}");
        // In the plane a whole turn is a difference.
        let planar = state([0.0; 3], Turn::Angle(0.1)).gap(&state([0.0; 3], Turn::Angle(0.1 - 7.0)));
        assert!((planar.rotation.value - 7.0).abs() < 1e-14);
    }

    #[test]
    fn what_is_no_number_is_the_largest() {
        let mut largest = Largest::default();
        for value in [1.0, f64::NAN, 3.0] {
            largest.take(value, 0);
        }
        assert!(largest.value.is_nan());
    }
}
