//! A sample of a run at a grid time: the places of its bodies, and the contacts that press.

use std::collections::BTreeMap;

use vinci_core::model::{Frames, System};
use vinci_core::referee::Mode;
use vinci_engine::pipeline::{Accepted, Simulation};

use crate::motion::Motion;

/// A run at a grid time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sample {
    pub(super) motion: Motion,
    /// Pairs of bodies whose contacts pressed over the last step, with the sum of their normal impulses over that step as a force, N,
    /// and whether one of them slips.
    pub(super) pressed: BTreeMap<(u32, u32), Pressed>,
}

/// State of the contacts of two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pressed {
    /// N.
    pub(super) force: f64,
    pub(super) mode: Mode,
}

impl Sample {
    /// At the start, where no step was made.
    pub(super) fn first(simulation: &Simulation) -> Self {
        let mut frames = Frames::default();
        let state = (simulation.time(), simulation.q(), simulation.v());
        Self { motion: Motion::of(&simulation.system, state, &mut frames), pressed: BTreeMap::new() }
    }

    /// After an accepted step.
    pub(super) fn of(system: &System, accepted: &Accepted<'_>, frames: &mut Frames) -> Self {
        let motion = Motion::of(system, (accepted.t, accepted.q, accepted.v), frames);
        let (contacts, mut pressed) = (&accepted.contacts, BTreeMap::new());
        for i in 0..contacts.len() {
            let (mode, force) = (accepted.mode[i], accepted.impulse[contacts.row(i)] / accepted.h);
            if mode == Mode::Open {
                continue;
            }
            let key = (contacts.body_a[i], contacts.body_b[i]);
            let pair = pressed.entry(key).or_insert(Pressed { force: 0.0, mode });
            pair.force += force;
            if mode == Mode::Slip {
                pair.mode = mode;
            }
        }
        Self { motion, pressed }
    }
}
