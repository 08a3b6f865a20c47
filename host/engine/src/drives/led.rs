//! Drives that are led: a controller gives their values from grid time to grid time, in the place of their own signals.

use vinci_core::model::System;

use super::Drives;
use super::signal::Signal;

/// A drive that a controller leads.
#[derive(Debug, Clone)]
pub struct Led {
    drive: Which,
    /// Its own signal, in force until the controller is asked.
    own: Signal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    /// Index in [`Drives::list`].
    Body(usize),
    /// Index in [`Drives::joints`].
    Joint(usize),
}

impl Drives {
    /// The drive of a velocity, to be led; nothing where no drive acts on it.
    pub fn led(&self, system: &System, dof: u32) -> Option<Led> {
        let of_body = |d: &super::DofDrive| system.first_velocity(d.body).map(|first| first + d.dof);
        let body = self.list.iter().position(|d| of_body(d) == Some(dof as usize));
        if let Some(i) = body {
            return Some(Led { drive: Which::Body(i), own: self.list[i].signal.clone() });
        }
        let i = self.joints.iter().position(|d| d.place(system).1 == dof as usize)?;
        Some(Led { drive: Which::Joint(i), own: self.joints[i].signal.clone() })
    }

    /// Gives a drive a value, or its own signal back.
    pub(crate) fn lead(&mut self, led: &Led, value: Option<f64>) {
        let signal = match led.drive {
            Which::Body(i) => self.list.get_mut(i).map(|drive| &mut drive.signal),
            Which::Joint(i) => self.joints.get_mut(i).map(|drive| &mut drive.signal),
        };
        if let Some(signal) = signal {
            *signal = value.map_or_else(|| led.own.clone(), Signal::Constant);
        }
    }
}
