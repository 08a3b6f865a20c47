//! Texts of elements as numbers, words and poses, strictly.

use super::reader::Reader;
use crate::diagnostics::Code;
use crate::import::robot::quaternion;
use crate::import::tag::{Attribute, Tag};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use std::rc::Rc;

/// First version whose poses name the frame that they are seen from in `relative_to`.
pub(super) const NAMED_FRAMES: u32 = 7;

impl Reader<'_> {
    /// The only child of a name; a second one is an error.
    pub(super) fn single<'t>(&mut self, tag: &'t Tag, name: &str, of: &str) -> Option<&'t Rc<Tag>> {
        let mut all = tag.children.iter().filter(|c| c.name == name);
        let first = all.next();
        if let Some(second) = all.next() {
            let message = format!("{of} has two <{name}>");
            self.robot.error(Code::Contradiction, &second.place, message, "keep one of them");
        }
        first
    }

    /// A child that must be there.
    pub(super) fn required<'t>(&mut self, tag: &'t Tag, name: &str, of: &str) -> Option<&'t Rc<Tag>> {
        let child = self.single(tag, name, of);
        if child.is_none() {
            self.robot.error(Code::MissingKey, &tag.place, format!("{of} has no <{name}>"), "");
        }
        child
    }

    /// The text of a child that must be there.
    pub(super) fn text<'t>(&mut self, tag: &'t Tag, name: &str, of: &str) -> Option<&'t Attribute> {
        let child = self.required(tag, name, of)?;
        if child.content.text.is_empty() {
            let message = format!("{of}: <{name}> is empty");
            self.robot.error(Code::MissingKey, &child.place, message, "");
            return None;
        }
        Some(&child.content)
    }

    /// An attribute that must be there.
    pub(super) fn named_as<'t>(&mut self, tag: &'t Tag, key: &str) -> Option<&'t Attribute> {
        let attribute = tag.attribute(key).filter(|a| !a.text.trim().is_empty());
        if attribute.is_none() {
            let message = format!("a <{}> has no `{key}`", tag.name);
            let help = format!("write {key}=\"…\"");
            self.robot.error(Code::MissingKey, &tag.place, message, &help);
        }
        attribute
    }

    /// Finite numbers of a child; `None` when it is absent, or was refused.
    pub(super) fn numbers_in(&mut self, tag: &Tag, name: &str, of: &str, count: usize) -> Option<Vec<f64>> {
        let child = self.single(tag, name, of)?;
        self.robot.numbers(&child.content, &format!("{of}: <{name}>"), (count, count))
    }

    pub(super) fn vector(&mut self, tag: &Tag, name: &str, of: &str) -> Option<Vector3<f64>> {
        self.numbers_in(tag, name, of, 3).map(|v| Vector3::new(v[0], v[1], v[2]))
    }

    pub(super) fn number(&mut self, tag: &Tag, name: &str, of: &str) -> Option<f64> {
        self.numbers_in(tag, name, of, 1).map(|v| v[0])
    }

    /// A number that is at least 0; 0 when it is absent.
    pub(super) fn not_negative(&mut self, tag: &Tag, name: &str, of: &str) -> f64 {
        let value = self.number(tag, name, of).unwrap_or(0.0);
        if value >= 0.0 {
            return value;
        }
        let place = tag.child(name).map_or(&tag.place, |c| &c.content.place).clone();
        self.robot.error(
            Code::OutOfRange,
            &place,
            format!("{of} has the {name} {value}"),
            "it is at least 0",
        );
        0.0
    }

    /// A length above 0 that must be there, m.
    pub(super) fn length(&mut self, tag: &Tag, name: &str, of: &str) -> Option<f64> {
        let child = self.required(tag, name, of)?;
        let value = self.number(tag, name, of)?;
        self.positive(value, &child.content, &format!("{of}: <{name}> of <{}>", tag.name))
    }

    pub(super) fn positive(&mut self, value: f64, written: &Attribute, what: &str) -> Option<f64> {
        if value > 0.0 {
            return Some(value);
        }
        let message = format!("{what} must be above 0, found {value}");
        self.robot.error(Code::OutOfRange, &written.place, message, "");
        None
    }

    /// A child that is true or false, as 1 or 0 too.
    pub(super) fn flag(&mut self, tag: &Tag, name: &str, of: &str, default: bool) -> bool {
        match self.single(tag, name, of) {
            Some(child) => self.truth(&child.content, (of, name), default),
            None => default,
        }
    }

    fn truth(&mut self, written: &Attribute, what: (&str, &str), default: bool) -> bool {
        let lower = Attribute { text: written.text.trim().to_ascii_lowercase(), ..written.clone() };
        let word = self.robot.word(&lower, what, &["true", "false", "1", "0"]);
        word.map_or(default, |word| matches!(word, "true" | "1"))
    }

    /// The pose of an element in a file of version 1.`minor`, and the name of the frame that it is seen from where it gives one.
    pub(super) fn pose(&mut self, tag: &Tag, of: &str, minor: u32) -> (Isometry3<f64>, Option<Attribute>) {
        let Some(pose) = self.single(tag, "pose", of) else { return Default::default() };
        let key = if minor < NAMED_FRAMES { "frame" } else { "relative_to" };
        let named = pose.attribute(key).filter(|a| !a.text.trim().is_empty()).cloned();
        (self.isometry(pose, of).unwrap_or_default(), named)
    }

    /// x y z, and angles about fixed axes or a quaternion x y z w.
    fn isometry(&mut self, pose: &Tag, of: &str) -> Option<Isometry3<f64>> {
        let what = format!("{of}: <pose>");
        let format = pose.attribute("rotation_format").cloned();
        let format = match format {
            Some(f) => self.robot.word(&f, (of, "rotation_format"), &["euler_rpy", "quat_xyzw"])?,
            None => "euler_rpy",
        };
        let degrees = pose.attribute("degrees").cloned();
        let degrees = degrees.is_some_and(|d| self.truth(&d, (of, "degrees"), false));
        if pose.content.text.is_empty() {
            return None;
        }
        if format == "quat_xyzw" {
            let p = self.robot.numbers(&pose.content, &what, (7, 7))?;
            let turn = quaternion([p[6], p[3], p[4], p[5]]);
            if turn.is_none() {
                let message = format!("{what} gives no rotation: its quaternion is too small");
                self.robot.error(Code::Unphysical, &pose.content.place, message, "");
            }
            return Some(Isometry3::from_parts(Vector3::new(p[0], p[1], p[2]).into(), turn?));
        }
        let p = self.robot.numbers(&pose.content, &what, (6, 6))?;
        let angle = |x: f64| if degrees { x.to_radians() } else { x };
        let turn = UnitQuaternion::from_euler_angles(angle(p[3]), angle(p[4]), angle(p[5]));
        Some(Isometry3::from_parts(Vector3::new(p[0], p[1], p[2]).into(), turn))
    }
}
