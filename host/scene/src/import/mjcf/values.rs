//! Attributes as numbers and words, strictly.

use super::reader::Reader;
use crate::diagnostics::Code;
use crate::import::robot::{normal, quaternion, turned_z};
use crate::import::tag::{Attribute, Tag};
use nalgebra::{Isometry3, Matrix3, Quaternion, Rotation3, UnitQuaternion, Vector3};

impl Reader<'_> {
    /// From `least` to `most` finite numbers; `None` when the attribute is absent, or was refused.
    pub(super) fn numbers(
        &mut self,
        tag: &Tag,
        key: &str,
        of: &str,
        range: (usize, usize),
    ) -> Option<Vec<f64>> {
        let written = tag.attribute(key)?;
        self.robot.numbers(written, &format!("{of}: `{key}`"), range)
    }

    /// N finite numbers.
    pub(super) fn array<const N: usize>(&mut self, tag: &Tag, key: &str, of: &str) -> Option<[f64; N]> {
        let all = self.numbers(tag, key, of, (N, N))?;
        all.try_into().ok()
    }

    pub(super) fn vector(&mut self, tag: &Tag, key: &str, of: &str) -> Option<Vector3<f64>> {
        self.array::<3>(tag, key, of).map(Vector3::from)
    }

    pub(super) fn number(&mut self, tag: &Tag, key: &str, of: &str) -> Option<f64> {
        self.array::<1>(tag, key, of).map(|[x]| x)
    }

    /// A number that is at least 0; 0 when it is absent.
    pub(super) fn not_negative(&mut self, tag: &Tag, key: &str, of: &str) -> f64 {
        let value = self.number(tag, key, of).unwrap_or(0.0);
        if value < 0.0 {
            let message = format!("{of} has the {key} {value}");
            self.error(Code::OutOfRange, &tag.place_of(key), message, "it is at least 0");
            return 0.0;
        }
        value
    }

    /// A whole number.
    pub(super) fn integer(&mut self, tag: &Tag, key: &str, of: &str, default: i64) -> i64 {
        let Some(value) = self.number(tag, key, of) else { return default };
        if value.fract() == 0.0 && value.abs() < 1e9 {
            return value as i64;
        }
        self.error(Code::WrongType, &tag.place_of(key), format!("{of}: `{key}` is no whole number"), "");
        default
    }

    /// One of several words; the first when the attribute is absent, or was refused.
    pub(super) fn word<'w>(&mut self, tag: &Tag, key: &str, of: &str, words: &[&'w str]) -> &'w str {
        let default = words.first().copied().unwrap_or_default();
        let Some(written) = tag.attribute(key) else { return default };
        self.robot.word(written, (of, key), words).unwrap_or(default)
    }

    pub(super) fn flag(&mut self, tag: &Tag, key: &str, of: &str, default: bool) -> bool {
        let words = if default { ["true", "false"] } else { ["false", "true"] };
        self.word(tag, key, of, &words) == "true"
    }

    /// An attribute that must be there.
    pub(super) fn required<'t>(&mut self, tag: &'t Tag, key: &str, of: &str) -> Option<&'t Attribute> {
        let attribute = tag.attribute(key);
        if attribute.is_none() {
            let message = format!("{of}: <{}> has no `{key}`", tag.name);
            self.error(Code::MissingKey, &tag.place, message, "");
        }
        attribute
    }

    /// Returns true if a range of `range` holds: as `limited` says, or with automatic limits where it is written.
    pub(super) fn is_limited(&mut self, tag: &Tag, limited: &str, range: &[f64; 2], of: &str) -> bool {
        match self.word(tag, limited, of, &["auto", "true", "false"]) {
            "true" => true,
            "false" => false,
            _ if *range == [0.0; 2] => false,
            _ if self.settings.autolimits => range[0] < range[1],
            _ => {
                let message = format!("{of} has a range but not `{limited}`, and `autolimits` is false");
                let help = "write whether the range is a limit";
                self.error(Code::Contradiction, &tag.place, message, help);
                false
            }
        }
    }

    /// The pose of an element: its `pos`, and its orientation in one of five ways.
    pub(super) fn pose(&mut self, tag: &Tag, of: &str) -> Isometry3<f64> {
        let at = self.vector(tag, "pos", of).unwrap_or_default();
        Isometry3::from_parts(at.into(), self.rotation(tag, of).unwrap_or_default())
    }

    /// The orientation of an element, if it has one.
    pub(super) fn rotation(&mut self, tag: &Tag, of: &str) -> Option<UnitQuaternion<f64>> {
        let keys = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];
        let mut given = keys.into_iter().filter(|key| tag.attribute(key).is_some());
        let key = given.next()?;
        if let Some(second) = given.next() {
            let message = format!("{of} has two orientations: `{key}` and `{second}`");
            self.error(Code::Contradiction, &tag.place_of(second), message, "keep one of them");
            return None;
        }
        let rotation = match key {
            "quat" => self.array::<4>(tag, key, of).map(quaternion),
            "axisangle" => self.array::<4>(tag, key, of).map(|x| self.about_axis(x)),
            "xyaxes" => self.array::<6>(tag, key, of).map(two_axes),
            "zaxis" => self.vector(tag, key, of).map(|z| normal(z).map(turned_z)),
            _ => self.array::<3>(tag, key, of).map(|angles| Some(self.settings.euler(angles))),
        }?;
        if rotation.is_none() {
            let message = format!("{of}: `{key}` gives no direction: it is too small");
            self.error(Code::Unphysical, &tag.place_of(key), message, "");
        }
        rotation
    }

    fn about_axis(&self, [x, y, z, angle]: [f64; 4]) -> Option<UnitQuaternion<f64>> {
        let (sin, cos) = (0.5 * self.settings.angle(angle)).sin_cos();
        let axis = normal(Vector3::new(x, y, z))?;
        Some(UnitQuaternion::new_normalize(Quaternion::from_parts(cos, axis * sin)))
    }
}

fn two_axes([a, b, c, d, e, f]: [f64; 6]) -> Option<UnitQuaternion<f64>> {
    let x = normal(Vector3::new(a, b, c))?;
    let y = Vector3::new(d, e, f);
    let y = normal(y - x * x.dot(&y))?;
    let r = Matrix3::from_columns(&[x, y, x.cross(&y)]);
    Some(UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(r)))
}
