//! Actuators: servos become gains towards a coordinate, motors forces, and the springs of joints gains of their own.

use super::defaults::MAIN;
use super::reader::Reader;
use crate::diagnostics::{Code, TextSpan};
use crate::import::extras::{Servo, Servos};
use crate::import::names::fit;
use crate::import::robot::{JointIndex, JointKind};
use crate::import::tag::Tag;
use std::collections::BTreeMap;

/// Servos of one kind on one joint.
const MOST_OF_A_JOINT: usize = 64;

/// How actuators come to follow their controls.
const DYNAMICS: [&str; 8] =
    ["none", "integrator", "filter", "filterexact", "muscle", "user", "dcmotor", "pid"];

/// force = gain · control + bias − kp · length − kd · rate, all of the actuator.
struct Law {
    gain: f64,
    bias: f64,
    kp: f64,
    kd: f64,
}

impl Reader<'_> {
    /// Reads all actuators; `controls` are the values of a keyframe, by number of the actuator.
    pub(super) fn actuators(&mut self, root: &Tag, controls: &[f64]) {
        let (mut layers, mut motors) = (Layers::default(), Motors::default());
        let all = root.named("actuator").flat_map(|a| a.children.iter());
        for (number, tag) in all.enumerate() {
            let tag = self.defaults.complete(tag, MAIN, self.robot.found);
            let control = controls.get(number).copied().unwrap_or(0.0);
            let Some((joint, law, gear)) = self.actuator(&tag) else { continue };
            let control = self.clamped(&tag, control);
            let limit = self.effort_of(&tag, gear, joint);
            let joint = self.robot.bodies[joint.0].joints[joint.1].name.clone();
            let (goal, place) = (law.gain * control + law.bias, tag.place.clone());
            if law.kp == 0.0 && law.kd == 0.0 {
                motors.add(joint, gear * goal, place);
                continue;
            }
            let rate = law.kp == 0.0;
            let target = goal / (gear * if rate { law.kd } else { law.kp });
            let (kp, kd) = (law.kp * gear * gear, law.kd * gear * gear);
            if !layers.add(rate, Servo { joint, kp, kd, target, limit, place: place.clone() }) {
                let why = "a joint has only so many servos: it moves nothing";
                self.robot.report.drop(format!("actuator (beyond {MOST_OF_A_JOINT} of a joint)"), place, why);
            }
        }
        self.note_motors(&motors);
        self.robot.extras.forces =
            motors.forces.into_iter().map(|(joint, (force, at))| (joint, force, at)).collect();
        self.robot.extras.controllers = layers.done();
    }

    fn note_motors(&mut self, motors: &Motors) {
        if let Some((_, place)) = motors.forces.values().next() {
            let joints = motors.joints.join(", ");
            let text = format!("motors are forces of 0 until the scene gives others in `drives`: {joints}");
            self.robot.report.note(text, place.clone());
        }
    }

    /// The joint of an actuator, its law and its gear; `None` where it is left out, which is said.
    fn actuator(&mut self, tag: &Tag) -> Option<(JointIndex, Law, f64)> {
        let of =
            tag.text("name").map_or_else(|| format!("a {}", tag.name), |n| format!("{} `{n}`", tag.name));
        let Some(key) = ["joint", "jointinparent"].into_iter().find(|key| tag.attribute(key).is_some())
        else {
            let why = "actuators drive joints: those of tendons, sites and bodies are left out";
            self.robot.report.drop(format!("actuator/{} (not of a joint)", tag.name), tag.place.clone(), why);
            return None;
        };
        let joint = self.joint_called(tag, key, &of)?;
        let law = self.law(tag, &of)?;
        let gear = self.numbers(tag, "gear", &of, (1, 6)).map_or(1.0, |g| g[0]);
        let single =
            matches!(self.robot.bodies[joint.0].joints[joint.1].kind, JointKind::Hinge | JointKind::Slide);
        if !single || gear == 0.0 {
            let on = if single { "of gear 0" } else { "of a ball or free joint" };
            let why = "actuators drive hinges and slides: it moves nothing";
            self.robot.report.drop(format!("actuator/{} ({on})", tag.name), tag.place.clone(), why);
            return None;
        }
        let armature = self.not_negative(tag, "armature", &of);
        let damping = self.numbers(tag, "damping", &of, (1, 3)).map_or(0.0, |d| d[0].max(0.0));
        let driven = &mut self.robot.bodies[joint.0].joints[joint.1];
        driven.armature += armature * gear * gear;
        driven.damping += damping * gear * gear;
        Some((joint, law, gear))
    }

    fn law(&mut self, tag: &Tag, of: &str) -> Option<Law> {
        let dynamics = self.word(tag, "dyntype", of, &DYNAMICS);
        let prm = |reader: &mut Self, key: &str| reader.numbers(tag, key, of, (1, 10)).unwrap_or_default();
        let (gains, biases) = (prm(self, "gainprm"), prm(self, "biasprm"));
        let gain = gains.first().copied().unwrap_or(1.0);
        let bias = |i: usize| biases.get(i).copied().unwrap_or(0.0);
        self.told_at_once(tag, dynamics);
        match tag.name.as_str() {
            "motor" => Some(Law { gain: 1.0, bias: 0.0, kp: 0.0, kd: 0.0 }),
            "position" => {
                let kp = self.number(tag, "kp", of).unwrap_or(gain);
                let kd = self.number(tag, "kv", of).unwrap_or(-bias(2)).max(0.0);
                self.servo(tag, Law { gain: kp, bias: 0.0, kp, kd }, of)
            }
            "velocity" => {
                let kd = self.number(tag, "kv", of).unwrap_or(gain);
                self.servo(tag, Law { gain: kd, bias: 0.0, kp: 0.0, kd }, of)
            }
            "general" => self.general(tag, gain, [bias(0), bias(1), bias(2)], dynamics, of),
            other => {
                let why = "no such actuator: it moves nothing";
                self.robot.report.drop(format!("actuator/{other}"), tag.place.clone(), why);
                None
            }
        }
    }

    /// Notes what a model says of the time that an actuator takes.
    fn told_at_once(&mut self, tag: &Tag, dynamics: &str) {
        let filtered = matches!(dynamics, "filter" | "filterexact") && tag.name == "general";
        let servo = tag.name == "position";
        if filtered || (servo && tag.attribute("timeconst").is_some()) {
            let why = "the actuator follows its control at once";
            self.robot.report.drop(format!("{}@dyntype, timeconst", tag.name), tag.place.clone(), why);
        }
        if servo && tag.attribute("dampratio").is_some() {
            let why = "its damping would follow from the inertia at the joint: write `kv`";
            self.robot.report.drop("position@dampratio".into(), tag.place_of("dampratio"), why);
        }
    }

    fn general(&mut self, tag: &Tag, gain: f64, bias: [f64; 3], dynamics: &str, of: &str) -> Option<Law> {
        let gains =
            self.word(tag, "gaintype", of, &["fixed", "affine", "muscle", "user", "dcmotor", "pid", "so3"]);
        let biases = self.word(tag, "biastype", of, &["none", "affine", "muscle", "user", "dcmotor", "so3"]);
        let known = gains == "fixed" && matches!(biases, "none" | "affine");
        if !known || !matches!(dynamics, "none" | "filter" | "filterexact") {
            let why = "only a fixed gain with no or an affine bias is a servo: it moves nothing";
            self.robot.report.drop(
                format!("actuator/general ({gains}, {biases}, {dynamics})"),
                tag.place.clone(),
                why,
            );
            return None;
        }
        let [b, kp, kd] = if biases == "affine" { bias } else { [0.0; 3] };
        self.servo(tag, Law { gain, bias: b, kp: -kp, kd: -kd }, of)
    }

    /// A law that draws back: gains that push away have no servo.
    fn servo(&mut self, tag: &Tag, law: Law, of: &str) -> Option<Law> {
        if law.kp < 0.0 || law.kd < 0.0 {
            let message = format!("{of} has a negative gain");
            self.error(Code::OutOfRange, &tag.place, message, "gains are at least 0");
            return None;
        }
        Some(law)
    }

    fn clamped(&mut self, tag: &Tag, control: f64) -> f64 {
        let range = self.array::<2>(tag, "ctrlrange", "an actuator").unwrap_or_default();
        if range[0] < range[1] && self.is_limited(tag, "ctrllimited", &range, "an actuator") {
            return control.clamp(range[0], range[1]);
        }
        control
    }

    /// Largest effort at the joint of one actuator.
    fn effort_of(&mut self, tag: &Tag, gear: f64, (body, joint): JointIndex) -> Option<f64> {
        let of = "an actuator";
        let range = self.array::<2>(tag, "forcerange", of).unwrap_or_default();
        let limited = self.is_limited(tag, "forcelimited", &range, of);
        if limited && range[0] != -range[1] {
            let text = format!(
                "the force of an actuator is limited by {} on both sides",
                range[0].abs().max(range[1].abs())
            );
            self.robot.report.note(text, tag.place_of("forcerange"));
        }
        let own = limited.then(|| range[0].abs().max(range[1].abs()) * gear.abs()).filter(|x| *x > 0.0);
        let of_joint = self.robot.bodies[body].joints[joint].effort;
        [own, of_joint].into_iter().flatten().reduce(f64::min)
    }

    /// The joint that an attribute names.
    pub(super) fn joint_called(&mut self, tag: &Tag, key: &str, of: &str) -> Option<JointIndex> {
        let name = self.required(tag, key, of)?.clone();
        let fitted = fit(&name.text);
        let found = self.robot.joint_index.get(&fitted).copied();
        if found.is_none() {
            let message = format!("{of} names the joint `{}`, which the model does not have", name.text);
            let known = std::mem::take(&mut self.robot.joint_index);
            self.robot.no_such_name(&name.place, message, &fitted, known.keys().map(String::as_str));
            self.robot.joint_index = known;
        }
        found
    }
}

/// Forces by joint, and the joints in the order of the motors.
#[derive(Default)]
struct Motors {
    forces: BTreeMap<String, (f64, TextSpan)>,
    joints: Vec<String>,
}

impl Motors {
    fn add(&mut self, joint: String, force: f64, place: TextSpan) {
        self.forces.entry(joint.clone()).or_insert((0.0, place)).0 += force;
        self.joints.push(joint);
    }
}

/// Controllers that each drive a joint once.
#[derive(Default)]
struct Layers {
    list: Vec<Servos>,
    /// How many servos of a kind a joint has.
    count: BTreeMap<(bool, String), usize>,
}

impl Layers {
    /// False when the joint has too many.
    fn add(&mut self, rate: bool, servo: Servo) -> bool {
        let count = self.count.entry((rate, servo.joint.clone())).or_default();
        let layer = *count;
        if layer == MOST_OF_A_JOINT {
            return false;
        }
        *count += 1;
        match self.list.iter_mut().filter(|s| s.rate == rate).nth(layer) {
            Some(layer) => layer.servos.push(servo),
            None => self.list.push(Servos { name: String::new(), rate, servos: vec![servo] }),
        }
        true
    }

    fn done(mut self) -> Vec<Servos> {
        let mut counts = [0, 0];
        for layer in &mut self.list {
            let (count, word) =
                (&mut counts[usize::from(layer.rate)], if layer.rate { "rates" } else { "servos" });
            *count += 1;
            layer.name = if *count == 1 { word.to_owned() } else { format!("{word}_{count}") };
        }
        self.list
    }
}
