//! Joints of bodies.

use super::bodies::Scope;
use super::reader::Reader;
use crate::diagnostics::Code;
use crate::import::robot::normal;
use crate::import::robot::{Joint, JointKind, WORLD};
use crate::import::tag::Tag;
use nalgebra::Vector3;
use std::rc::Rc;

/// Joints of a body: more than six degrees of freedom would be held by nothing.
const MOST_OF_A_BODY: usize = 6;

impl Reader<'_> {
    /// A `<joint>` or `<freejoint>`.
    pub(super) fn joint(&mut self, tag: &Rc<Tag>, scope: &Scope) {
        let body = self.robot.bodies[scope.body].name.clone();
        if scope.body == WORLD {
            let message = "the world has a joint".to_owned();
            self.error(Code::Contradiction, &tag.place, message, "joints stand in bodies");
            return;
        }
        let name = self.named("joint", tag, &scope.suffix).unwrap_or_default();
        let of =
            if name.is_empty() { format!("a joint of body `{body}`") } else { format!("joint `{name}`") };
        let free = tag.name == "freejoint";
        let tag =
            if free { tag.clone() } else { self.defaults.complete(tag, &scope.class, self.robot.found) };
        let kind = if free { JointKind::Free } else { self.kind(&tag, &of) };
        let Some(mut joint) = self.read_joint(&tag, kind, scope, &of) else { return };
        joint.name = name;
        if kind == JointKind::Free {
            self.check_free(&tag, scope, &of);
        }
        let joints = &mut self.robot.bodies[scope.body].joints;
        joints.push(joint);
        let alone = joints.iter().any(|j| j.kind == JointKind::Free) && joints.len() > 1;
        if alone || joints.len() > MOST_OF_A_BODY {
            let message = format!("body `{body}` has joints of more than six degrees of freedom");
            self.error(Code::Contradiction, &tag.place, message, "a free joint stands alone");
        }
    }

    fn check_free(&mut self, tag: &Tag, scope: &Scope, of: &str) {
        if self.robot.bodies[scope.body].parent != WORLD {
            let message = format!("{of} is free, and its body has a parent");
            self.error(
                Code::Contradiction,
                &tag.place,
                message,
                "a free joint stands in a body of the world",
            );
        }
        let align = self.word(tag, "align", of, &["auto", "true", "false"]);
        if align == "true" || (align == "auto" && self.settings.align_free) {
            let text = format!(
                "{of} is not aligned with the axes of inertia: its coordinates are those of the frame"
            );
            self.robot.report.note(text, tag.place.clone());
        }
    }

    fn kind(&mut self, tag: &Tag, of: &str) -> JointKind {
        match self.word(tag, "type", of, &["hinge", "slide", "ball", "free"]) {
            "slide" => JointKind::Slide,
            "ball" => JointKind::Ball,
            "free" => JointKind::Free,
            _ => JointKind::Hinge,
        }
    }

    fn read_joint(&mut self, tag: &Tag, kind: JointKind, scope: &Scope, of: &str) -> Option<Joint> {
        let at = self.vector(tag, "pos", of).unwrap_or_else(Vector3::zeros);
        let (at, axis) = match kind {
            JointKind::Free => (Vector3::zeros(), Vector3::z()),
            _ => (scope.frame.transform_point(&at.into()).coords, self.axis(tag, of)?),
        };
        let turns = kind == JointKind::Hinge;
        let angle = |reader: &Self, x: f64| if turns { reader.settings.angle(x) } else { x };
        let single = matches!(kind, JointKind::Hinge | JointKind::Slide);
        let mut value = |key: &str| if single { self.number(tag, key, of).unwrap_or(0.0) } else { 0.0 };
        let (reference, spring_reference) = (value("ref"), value("springref"));
        Some(Joint {
            name: String::new(),
            place: tag.place.clone(),
            kind,
            at,
            axis: scope.frame.rotation * axis,
            reference: angle(self, reference),
            limits: self.range(tag, kind, of),
            damping: self.first_of_series(tag, "damping", of),
            friction: self.not_negative(tag, "frictionloss", of),
            armature: self.not_negative(tag, "armature", of),
            stiffness: self.first_of_series(tag, "stiffness", of),
            spring_reference: angle(self, spring_reference),
            effort: self.effort(tag, kind, of),
            velocity: None,
        })
    }

    fn axis(&mut self, tag: &Tag, of: &str) -> Option<Vector3<f64>> {
        let axis = self.vector(tag, "axis", of).unwrap_or_else(Vector3::z);
        let direction = normal(axis);
        if direction.is_none() {
            let message = format!("the axis of {of} has length zero");
            self.error(
                Code::Unphysical,
                &tag.place_of("axis"),
                message,
                "give a direction, for example 0 0 1",
            );
        }
        direction
    }

    /// Limits of a hinge or slide, rad or m.
    fn range(&mut self, tag: &Tag, kind: JointKind, of: &str) -> Option<[f64; 2]> {
        let range = self.array::<2>(tag, "range", of).unwrap_or_default();
        let single = matches!(kind, JointKind::Hinge | JointKind::Slide);
        if kind == JointKind::Free || !self.is_limited(tag, "limited", &range, of) {
            return None;
        }
        if !single {
            let why = "the angle of ball joints is not limited";
            self.robot.report.drop("joint@range (of a ball joint)".into(), tag.place_of("range"), why);
            return None;
        }
        if range[0] >= range[1] {
            let message = format!("the range of {of} is empty: {} … {}", range[0], range[1]);
            self.error(
                Code::Contradiction,
                &tag.place_of("range"),
                message,
                "the first number is the smaller one",
            );
            return None;
        }
        Some(if kind == JointKind::Hinge { range.map(|x| self.settings.angle(x)) } else { range })
    }

    /// The linear part of a force; what else is written of the series is told.
    fn first_of_series(&mut self, tag: &Tag, key: &str, of: &str) -> f64 {
        let Some(series) = self.numbers(tag, key, of, (1, 3)) else { return 0.0 };
        if series[1..].iter().any(|x| *x != 0.0) {
            let why = "forces are linear: only the first number is taken";
            self.robot.report.drop(format!("joint@{key} (second and third number)"), tag.place_of(key), why);
        }
        if series[0] < 0.0 {
            let message = format!("{of} has the {key} {}", series[0]);
            self.error(Code::OutOfRange, &tag.place_of(key), message, "it is at least 0");
            return 0.0;
        }
        series[0]
    }

    fn effort(&mut self, tag: &Tag, kind: JointKind, of: &str) -> Option<f64> {
        let range = self.array::<2>(tag, "actuatorfrcrange", of)?;
        let single = matches!(kind, JointKind::Hinge | JointKind::Slide);
        if !single || !self.is_limited(tag, "actuatorfrclimited", &range, of) {
            return None;
        }
        if range[0] != -range[1] {
            let text = format!(
                "{of}: the effort is limited by {} on both sides",
                range[0].abs().max(range[1].abs())
            );
            self.robot.report.note(text, tag.place_of("actuatorfrcrange"));
        }
        Some(range[0].abs().max(range[1].abs())).filter(|x| *x > 0.0)
    }
}
