//! Joints: kinds, ends, axes.

use super::frames::{FrameId, WORLD_FRAME};
use super::models::Open;
use super::reader::{Axis, Context, Follower, Joint, Kind, Reader};
use super::values::NAMED_FRAMES;
use crate::diagnostics::Code;
use crate::import::robot::normal;
use crate::import::tag::Tag;
use nalgebra::Vector3;
use std::f64::consts::TAU;

/// Limits this far away are none.
const UNLIMITED: f64 = 1e16;
/// First version whose axes are written in the frame of the joint.
const JOINT_AXES: u32 = 5;
/// Types of joints that a scene has no counterpart of.
const KINDS: [&str; 9] =
    ["revolute", "continuous", "prismatic", "fixed", "ball", "universal", "revolute2", "screw", "gearbox"];

impl Reader<'_> {
    /// The frame of a joint, seen from its child unless it says otherwise, and its name as scenes take it.
    pub(super) fn joint_frame(
        &mut self,
        tag: &Tag,
        context: &Context,
        open: &mut Vec<Open>,
    ) -> Option<(FrameId, String)> {
        let name = self.named_as(tag, "name")?.clone();
        let called = self.robot.named("joint", &format!("{}{}", context.prefix, name.text), &name.place);
        let of = format!("joint `{called}`");
        let child = self.text(tag, "child", &of)?.clone();
        let (pose, relative_to) = self.pose(tag, &of, context.minor);
        let frame = self.frames.add(&name.text, pose);
        if !self.frames.name_joint(context.scope, &name.text, frame) {
            // Said already: two joints of one model have one name.
            return None;
        }
        let relative_to = relative_to.or_else(|| Some(child.clone()));
        open.push(Open { frame, place: tag.place.clone(), relative_to, attached_to: Some(child) });
        Some((frame, called))
    }

    /// A joint whose frame is known.
    pub(super) fn joint(&mut self, tag: &Tag, (frame, name): (FrameId, String), context: &Context) {
        let of = format!("joint `{name}`");
        let Some(written) = self.named_as(tag, "type").cloned() else { return };
        let Some(word) = self.robot.word(&written, (&of, "type"), &KINDS) else { return };
        let Some(parent) = self.parent(tag, context, &of) else { return };
        let Some(child) = tag.child("child").and_then(|c| self.frames.find(context.scope, &c.content.text))
        else {
            // Said when its frame was looked up.
            return;
        };
        if child == WORLD_FRAME {
            let message = format!("{of} has the world as its child");
            self.robot.error(Code::Contradiction, &tag.place, message, "the world may be the parent");
            return;
        }
        let Some(kind) = self.kind(tag, word, &of) else { return };
        let axes = self.axes(tag, kind, word, (frame, context), &of);
        let lead = if kind == Kind::Screw { self.lead(tag, &of) } else { 0.0 };
        let armature = self.armature(tag, &of);
        let place = tag.place.clone();
        self.followers_of(tag, &name, context, &of);
        self.joints.push(Joint { name, place, kind, parent, child, frame, axes, armature, lead });
    }

    /// `None` when it is unknown, `Some(None)` when it is the world.
    fn parent(&mut self, tag: &Tag, context: &Context, of: &str) -> Option<Option<FrameId>> {
        let parent = self.text(tag, "parent", of)?.clone();
        if parent.text == "world" {
            return Some(None);
        }
        self.frame_called(&parent, context, of).map(Some)
    }

    fn kind(&mut self, tag: &Tag, word: &str, of: &str) -> Option<Kind> {
        Some(match word {
            "fixed" => Kind::Fixed,
            "prismatic" => Kind::Slide,
            "ball" => Kind::Ball,
            "universal" | "revolute2" => Kind::TwoHinges,
            "screw" => Kind::Screw,
            "gearbox" => {
                let message =
                    format!("{of} is a gearbox, which holds the angles of two other joints together");
                let help = "leave it out, and write a coupler of the two joints in the scene (`couplers`)";
                self.robot.error(Code::UnknownValue, &tag.place_of("type"), message, help);
                return None;
            }
            _ => Kind::Hinge,
        })
    }

    fn axes(
        &mut self,
        tag: &Tag,
        kind: Kind,
        word: &str,
        (frame, context): (FrameId, &Context),
        of: &str,
    ) -> Vec<Axis> {
        let names: &[&str] = match kind {
            Kind::Fixed | Kind::Ball => &[],
            Kind::TwoHinges => &["axis", "axis2"],
            Kind::Hinge | Kind::Slide | Kind::Screw => &["axis"],
        };
        for unused in ["axis", "axis2"].into_iter().filter(|name| !names.contains(name)) {
            if let Some(axis) = tag.child(unused) {
                let why = "joints of this type have no such axis";
                self.robot.report.drop(
                    format!("joint/{unused} (of a {word} joint)"),
                    axis.place.clone(),
                    why,
                );
            }
        }
        let mut axes = Vec::new();
        for name in names {
            let Some(axis) = self.required(tag, name, of).cloned() else { continue };
            axes.extend(self.axis(&axis, (word, frame, context), of));
        }
        axes
    }

    fn axis(
        &mut self,
        tag: &Tag,
        (word, joint, context): (&str, FrameId, &Context),
        of: &str,
    ) -> Option<Axis> {
        let xyz = self.direction(tag, of)?;
        let frame = self.axis_frame(tag, joint, context, of)?;
        let limits = self.limits(tag, word, of);
        let limit = self.single(tag, "limit", of).cloned();
        let mut bound = |key: &str| limit.as_ref().and_then(|limit| self.bound(limit, key, of));
        let (effort, velocity) = (bound("effort"), bound("velocity"));
        let dynamics = self.single(tag, "dynamics", of).cloned();
        let mut value = |key: &str| dynamics.as_ref().map_or(0.0, |d| self.not_negative(d, key, of));
        let (damping, friction, stiffness) = (value("damping"), value("friction"), value("spring_stiffness"));
        let spring_reference = dynamics.as_ref().and_then(|d| self.number(d, "spring_reference", of));
        let (place, spring_reference) = (tag.place.clone(), spring_reference.unwrap_or(0.0));
        let springs = (stiffness, spring_reference);
        Some(Axis { place, xyz, frame, limits, effort, velocity, damping, friction, springs })
    }

    fn direction(&mut self, tag: &Tag, of: &str) -> Option<Vector3<f64>> {
        let given = self.vector(tag, "xyz", of).unwrap_or_else(Vector3::z);
        let direction = normal(given);
        if direction.is_none() {
            let place = tag.child("xyz").map_or(&tag.place, |x| &x.content.place).clone();
            let message = format!("the axis of {of} has length zero");
            self.robot.error(Code::Unphysical, &place, message, "give a direction, for example 0 0 1");
        }
        direction
    }

    /// The frame that an axis is written in.
    fn axis_frame(&mut self, tag: &Tag, joint: FrameId, context: &Context, of: &str) -> Option<FrameId> {
        let model = self.frames.of_model(context.scope);
        if context.minor < JOINT_AXES {
            return Some(model);
        }
        if context.minor < NAMED_FRAMES {
            let by_model = self.flag(tag, "use_parent_model_frame", of, false);
            return Some(if by_model { model } else { joint });
        }
        let named = tag.child("xyz").and_then(|xyz| xyz.attribute("expressed_in"));
        match named.filter(|name| !name.text.trim().is_empty()).cloned() {
            Some(name) => self.frame_called(&name, context, of),
            None => Some(joint),
        }
    }

    /// The lower and the upper limit, unless there is neither.
    fn limits(&mut self, axis: &Tag, word: &str, of: &str) -> Option<[f64; 2]> {
        let limit = self.single(axis, "limit", of).cloned()?;
        if word == "continuous" {
            return None;
        }
        let lower = self.end(&limit, "lower", of).unwrap_or(f64::NEG_INFINITY);
        let upper = self.end(&limit, "upper", of).unwrap_or(f64::INFINITY);
        if lower > upper {
            let message = format!("the limits of {of} leave no room: {lower} … {upper}");
            let help = "the lower one is the smaller one";
            self.robot.error(Code::Contradiction, &limit.place, message, help);
            return None;
        }
        (lower.is_finite() || upper.is_finite()).then_some([lower, upper])
    }

    /// A limit, unless it is so far away or written so that it is none.
    fn end(&mut self, limit: &Tag, key: &str, of: &str) -> Option<f64> {
        let word = limit.child(key)?.content.text.to_ascii_lowercase();
        if matches!(word.trim_start_matches(['+', '-']), "inf" | "infinity") {
            return None;
        }
        self.number(limit, key, of).filter(|x| x.abs() < UNLIMITED)
    }

    /// The largest effort or speed; negative ones are none.
    fn bound(&mut self, limit: &Tag, key: &str, of: &str) -> Option<f64> {
        self.end(limit, key, of).filter(|x| *x >= 0.0)
    }

    /// Way per angle, m/rad: `screw_thread_pitch` is m per turn, `thread_pitch` rad per m of a thread that is left-handed.
    fn lead(&mut self, tag: &Tag, of: &str) -> f64 {
        if let Some(pitch) = self.number(tag, "screw_thread_pitch", of) {
            return pitch / TAU;
        }
        let pitch = self.number(tag, "thread_pitch", of).unwrap_or(1.0);
        if pitch == 0.0 {
            let message = format!("{of} has the thread_pitch 0");
            let help = "it is the angle per metre; `screw_thread_pitch` is metres per turn";
            self.robot.error(Code::OutOfRange, &tag.place, message, help);
            return 0.0;
        }
        -1.0 / pitch
    }

    /// Inertia of a rotor behind its gear, as Drake writes it: I r².
    fn armature(&mut self, tag: &Tag, of: &str) -> f64 {
        let inertia = self.not_negative(tag, "drake:rotor_inertia", of);
        let gear = self.number(tag, "drake:gear_ratio", of).unwrap_or(1.0);
        inertia * gear * gear
    }

    /// Joints that a joint follows: q = multiplier (q₀ − reference) + offset.
    fn followers_of(&mut self, tag: &Tag, name: &str, context: &Context, of: &str) {
        let axes = ["axis", "axis2"].into_iter().filter_map(|axis| tag.child(axis)).cloned();
        let mimics: Vec<_> = axes.filter_map(|axis| axis.child("mimic").cloned()).collect();
        for mimic in mimics {
            let Some(other) = self.named_as(&mimic, "joint").cloned() else { continue };
            let ratio = self.number(&mimic, "multiplier", of).unwrap_or(1.0);
            let reference = self.number(&mimic, "reference", of).unwrap_or(0.0);
            let offset = self.number(&mimic, "offset", of).unwrap_or(0.0) - ratio * reference;
            let (scope, joint) = (context.scope, name.to_owned());
            self.followers.push(Follower { scope, joint, other, ratio, offset });
        }
        if let Some(mimic) = tag.child("drake:mimic").cloned()
            && let Some(other) = self.named_as(&mimic, "joint").cloned()
        {
            let mut value = |key: &str, default: f64| {
                let attribute = mimic.attribute(key).cloned();
                let what = format!("{of}: `{key}`");
                attribute.and_then(|a| self.robot.numbers(&a, &what, (1, 1))).map_or(default, |v| v[0])
            };
            let (ratio, offset) = (value("multiplier", 1.0), value("offset", 0.0));
            let (scope, joint) = (context.scope, name.to_owned());
            self.followers.push(Follower { scope, joint, other, ratio, offset });
        }
    }
}
