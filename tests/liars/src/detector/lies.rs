//! Lies of the lying detector, and the contacts of two shapes that they make.

use nalgebra::{UnitQuaternion, Vector3};
use vinci_sdk::prelude::*;
use vinci_sdk::schemars::JsonSchema;
use vinci_sdk::serde::Deserialize;

/// What the detector lies about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub(super) enum Lie {
    /// Nothing.
    #[default]
    None,
    /// Normals are turned by `size` degrees; gaps and points stay.
    TiltedNormal,
    /// Normals and points on B are turned so that the gap fits.
    TiltedFrame,
    /// Gaps are `size` m more than the points say.
    ShiftedGap,
    /// Gaps are `size` m more, and the points on B with them.
    ShiftedSurface,
    /// Gaps have the other sign.
    FlippedGap,
    /// Points are `size` m aside of where they should be; gap and normal stay.
    PointsAside,
    /// Gaps are what they were at first.
    FrozenGap,
    /// Contacts are not reported.
    Missing,
    /// Contacts that are closer than `size` m are not reported.
    MissingWhenNear,
    /// The first corner of a shape is not reported below a gap of `size` m.
    MissingCorner,
    /// Contacts are reported one time of four.
    Blinking,
    /// There is a contact where nothing is.
    Invented,
    /// Of corners only the one with the largest gap is reported.
    TopOnly,
    /// Normals are turned by `size` degrees, points stay, and gaps are what both say.
    TrueTilt,
    /// The same, with every contact in an OR group of its own.
    GroupedTilt,
    /// The same, with all contacts in one OR group.
    JointTilt,
    /// Every contact is reported twice.
    Twice,
    /// Every contact is reported again `size` m beside itself.
    TwiceAside,
    /// Contacts of pairs that do not collide are reported.
    Excluded,
    /// Of the contacts of two shapes only the one with the least gap is reported.
    Nearest,
    /// Contacts of two shapes that are closer than `size` m are one, in their middle.
    Middle,
    /// Of the contacts of two shapes the one with the least gap is not reported.
    WithoutNearest,
    /// Normals point the other way, and points change places.
    SwappedSides,
    /// Gaps are `size` times what they are, and the points on B with them.
    ScaledSurface,
    /// Contacts are those of the call before.
    Late,
    /// Contacts have other identities in every `size`-th call, at least in every one.
    Renamed,
}

/// Options.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub(super) struct Config {
    /// What is lied about.
    pub(super) lie: Lie,
    /// How much.
    pub(super) size: f64,
    /// First detection time that is lied about, s.
    pub(super) from: f64,
    /// The detection time from which on there are no lies, s.
    pub(super) until: f64,
    /// Shapes are parry's.
    pub(super) parry: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { lie: Lie::None, size: 0.1, from: 0.0, until: f64::INFINITY, parry: false }
    }
}

/// One contact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) key: ContactKey,
    pub(super) gap: f64,
    pub(super) normal: Vector3<f64>,
    pub(super) a: Vector3<f64>,
    pub(super) b: Vector3<f64>,
    pub(super) group: u32,
}

impl Found {
    /// Turns the normal; the gap is that of the points along it.
    pub(super) fn tilt(&mut self, turn: &UnitQuaternion<f64>) {
        self.normal = turn * self.normal;
        self.gap = self.normal.dot(&(self.b - self.a));
    }
}

/// Falsifies the contacts of two shapes, which come by their gaps. `calls`: how often the detector was asked.
pub(super) fn rearrange(config: &Config, calls: u64, all: &mut Vec<Found>) {
    match config.lie {
        Lie::TopOnly => {
            all.drain(..all.len().saturating_sub(1));
        }
        Lie::WithoutNearest => {
            all.drain(..all.len().min(1));
        }
        Lie::Nearest => all.truncate(1),
        Lie::Middle => {
            let near = all.iter().filter(|f| f.gap < config.size).count();
            if near > 1 {
                let rest = all.split_off(near);
                let mean =
                    |of: fn(&Found) -> Vector3<f64>| all.iter().map(of).sum::<Vector3<f64>>() / near as f64;
                let mut one = Found { a: mean(|f| f.a), b: mean(|f| f.b), ..all[0] };
                one.gap = one.normal.dot(&(one.b - one.a));
                *all = [one].into_iter().chain(rest).collect();
            }
        }
        Lie::Twice => {
            let again = |f: &Found| Found { key: ContactKey { feature_a: 1, ..f.key }, ..*f };
            all.extend(all.clone().iter().map(again));
        }
        Lie::TwiceAside => {
            let again = |f: &Found| {
                let side = config.size * Vector3::new(-f.normal.y, f.normal.x, 0.0);
                Found { key: ContactKey { feature_a: 1, ..f.key }, a: f.a + side, b: f.b + side, ..*f }
            };
            all.extend(all.clone().iter().map(again));
        }
        Lie::Renamed => {
            let name = calls / (config.size as u64).max(1);
            all.iter_mut().for_each(|f| f.key.feature_a = name as u32);
        }
        _ => {}
    }
}
