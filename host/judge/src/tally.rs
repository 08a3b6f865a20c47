//! Numbers of a judged motion beside the referee's: how its steps are explained, and how contacts creep.

use std::collections::BTreeMap;

use serde::Serialize;
use vinci_core::model::System;
use vinci_core::referee::{Criterion, Limits, Mode};
use vinci_engine::pipeline::Accepted;

/// Part of its bound that friction is short of where a contact creeps: it slips, and friction could hold it.
const SHORT: f64 = 1e-3;

/// A largest number, when and where.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Most {
    /// The number.
    pub value: f64,
    /// Time at the end of the step, s.
    pub time: f64,
    /// Bodies, or a velocity.
    pub place: String,
}

/// Counts and maxima over a motion.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Tally {
    /// Steps that forces explain which fulfil every law of contact.
    pub lawful: u64,
    /// Steps that forces within the cones explain, of which friction is short or beside its slip.
    pub short_friction: u64,
    /// Steps that forces explain, some of which press where the law wants none.
    pub unlawful_normal: u64,
    /// Steps that no force within the cones explains.
    pub unexplained: u64,
    /// Least force that is missing for the change of a velocity, N or N m.
    pub missing_force: Most,
    /// Fastest slip of a contact whose friction could hold it, m/s.
    pub creep: Most,
    /// Longest way that a pair of bodies crept in all, m.
    pub crept: Most,
    /// Longest way from where a force is said to act to the contact at which it is judged, m.
    pub moved: f64,
    #[serde(skip)]
    ways: BTreeMap<(u32, u32), f64>,
}

impl Tally {
    /// Takes an accepted step in.
    pub(crate) fn add(&mut self, accepted: &Accepted<'_>, limits: &Limits, system: &System) {
        self.count(accepted, limits);
        let missing = accepted.report.momentum;
        let force = missing.value / accepted.h;
        if force > self.missing_force.value || force.is_nan() {
            let place = vinci_engine::labels::velocity(system, missing.at).map(|label| label.to_string());
            self.missing_force = Most { value: force, time: accepted.t, place: place.unwrap_or_default() };
        }
        self.add_creep(accepted, system);
    }

    fn count(&mut self, accepted: &Accepted<'_>, limits: &Limits) {
        let fails = |criterion: Criterion| {
            let value = accepted.report.findings.of(criterion).value;
            limits.of_criterion(criterion).is_some_and(|limit| !(value <= limit))
        };
        let normal =
            [Criterion::Distance, Criterion::Approach, Criterion::Pull, Criterion::Bounce, Criterion::Dead];
        let counter = if fails(Criterion::Momentum) {
            &mut self.unexplained
        } else if normal.into_iter().any(fails) {
            &mut self.unlawful_normal
        } else if fails(Criterion::Friction) || fails(Criterion::Cone) {
            &mut self.short_friction
        } else {
            &mut self.lawful
        };
        *counter += 1;
    }

    fn add_creep(&mut self, accepted: &Accepted<'_>, system: &System) {
        let contacts = &accepted.contacts;
        let name = |body: u32| system.bodies[body as usize].name.as_str();
        let mut fastest: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        for i in (0..contacts.len()).filter(|i| accepted.mode[*i] != Mode::Open) {
            let p = &accepted.impulse[contacts.row(i)..][..contacts.stride()];
            let p_t = p[1..].iter().map(|p| p * p).sum::<f64>().sqrt();
            let bound = contacts.pair.friction[i] * p[0];
            if bound > 0.0 && p_t <= (1.0 - SHORT) * bound {
                let most = fastest.entry((contacts.body_a[i], contacts.body_b[i])).or_default();
                *most = most.max(accepted.slip[i]);
            }
        }
        for (pair, speed) in fastest {
            let place = || format!("{} / {}", name(pair.0), name(pair.1));
            if speed > self.creep.value {
                self.creep = Most { value: speed, time: accepted.t, place: place() };
            }
            let way = self.ways.entry(pair).or_default();
            *way += speed * accepted.h;
            if *way > self.crept.value {
                self.crept = Most { value: *way, time: accepted.t, place: place() };
            }
        }
    }
}
