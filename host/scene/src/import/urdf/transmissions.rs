//! Rotors and gears, which Drake writes into transmissions.

use super::super::build;
use super::super::xml::Element;
use super::reader::Reader;
use crate::Node;
use crate::diagnostics::{Code, TextSpan};
use std::collections::BTreeMap;

/// Rotor and gear of a joint.
pub(super) struct Rotor {
    inertia: Option<f64>,
    gear: Option<f64>,
    pub(super) place: TextSpan,
}

impl Rotor {
    /// The keys of a joint.
    pub(super) fn entries(&self) -> Vec<(&'static str, Node)> {
        let keys = [("rotor_inertia", self.inertia), ("gear_ratio", self.gear)];
        keys.into_iter().filter_map(|(key, x)| Some((key, build::number(x?, &self.place)))).collect()
    }
}

impl Reader<'_> {
    /// Rotors by the name of their joint, as it is written.
    pub(super) fn rotors(&mut self, robot: &Element<'_>) -> BTreeMap<String, Rotor> {
        let mut rotors = BTreeMap::new();
        for transmission in robot.named("transmission") {
            for actuator in transmission.named("actuator") {
                self.actuator(&transmission, &actuator, &mut rotors);
            }
        }
        rotors
    }

    fn actuator(
        &mut self,
        transmission: &Element<'_>,
        actuator: &Element<'_>,
        rotors: &mut BTreeMap<String, Rotor>,
    ) {
        let (inertia, gear) = (actuator.child("drake:rotor_inertia"), actuator.child("drake:gear_ratio"));
        let Some(first) = inertia.or(gear) else { return };
        let of = "a transmission";
        let Some(joint) = self.required(transmission, "joint", of) else { return };
        let Some((joint, place)) = self.text(&joint, "name", of) else { return };
        let inertia = inertia.and_then(|e| self.needed(&e, "value", of));
        let gear = gear.and_then(|e| self.needed(&e, "value", of));
        if let Some(value) = inertia.filter(|x| *x < 0.0) {
            let message = format!("the rotor of joint `{joint}` has the inertia {value}");
            self.error(Code::Unphysical, &first.place(), message, "it is at least 0");
            return;
        }
        if rotors.insert(joint.to_owned(), Rotor { inertia, gear, place: first.place() }).is_some() {
            let message = format!("two actuators with rotors drive the joint `{joint}`");
            self.error(Code::Contradiction, &place, message, "keep one of them");
        }
    }
}
