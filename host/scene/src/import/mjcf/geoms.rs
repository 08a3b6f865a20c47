//! Geoms: solids with their mass.

use super::bodies::Scope;
use super::reader::Reader;
use super::settings::FromGeoms;
use crate::diagnostics::Code;
use crate::import::robot::{Filled, Solid, solid_of};
use crate::import::robot::{Geom, HEAVIEST, Mass, Touch, WORLD, turned};
use crate::import::robot::{normal, turned_z};
use crate::import::tag::Tag;
use nalgebra::{Isometry3, Matrix3, Vector3};
use std::rc::Rc;

/// Density of geoms that give none, kg/m³.
const WATER: f64 = 1000.0;
/// Sizes of geoms, m: their fifth powers are finite.
const LARGEST: f64 = 1e12;
const TYPES: [&str; 9] =
    ["sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "plane", "hfield", "sdf"];

impl Reader<'_> {
    pub(super) fn geom(&mut self, tag: &Rc<Tag>, scope: &Scope) {
        let name = self.named("geom", tag, &scope.suffix).and_then(|_| tag.text("name"));
        let name = name.map(|name| format!("{name}{}", scope.suffix));
        let body = &self.robot.bodies[scope.body].name;
        let of = name.as_ref().map_or_else(|| format!("a geom of body `{body}`"), |n| format!("geom `{n}`"));
        let tag = self.defaults.complete(tag, &scope.class, self.robot.found);
        let before = self.robot.found.errors();
        let touch = self.touch(&tag, &of);
        let has_mass = self.has_mass(&tag, scope.body, &of);
        let touches = touch.contype != 0
            || touch.conaffinity != 0
            || self.robot.paired.contains(name.as_deref().unwrap_or(""));
        let Some(mut filled) = self.filled(&tag, &of, has_mass, touches) else { return };
        let mass = if has_mass { self.mass_of(&tag, &filled, &of) } else { Mass::default() };
        if self.robot.found.errors() > before {
            return;
        }
        filled.pose = scope.frame * filled.pose;
        let mass = placed(&mass, &filled.pose);
        let geom =
            Geom { name, place: tag.place.clone(), solid: filled.solid, pose: filled.pose, touch, mass };
        self.robot.bodies[scope.body].geoms.push(geom);
    }

    /// Returns true if the mass of a body may come from this geom.
    fn has_mass(&mut self, tag: &Tag, body: usize, of: &str) -> bool {
        let group = self.integer(tag, "group", of, 0);
        let [first, last] = self.settings.inertia_groups;
        // An <inertial> may follow its geoms: what they weigh is forgotten then.
        body != WORLD && self.settings.from_geoms != FromGeoms::Never && (first..=last).contains(&group)
    }

    fn touch(&mut self, tag: &Tag, of: &str) -> Touch {
        let condim = self.integer(tag, "condim", of, 3);
        if ![1, 3, 4, 6].contains(&condim) {
            let message = format!("{of} has the condim {condim}");
            self.error(Code::UnknownValue, &tag.place_of("condim"), message, "known are 1, 3, 4 and 6");
        }
        let friction = self.numbers(tag, "friction", of, (1, 3)).unwrap_or_default();
        let friction = friction.first().copied().unwrap_or(1.0);
        if friction < 0.0 {
            let message = format!("{of} has the friction {friction}");
            self.error(Code::OutOfRange, &tag.place_of("friction"), message, "it is at least 0");
        }
        Touch {
            contype: self.bits(tag, "contype", of),
            conaffinity: self.bits(tag, "conaffinity", of),
            condim: condim as u32,
            friction,
            priority: self.integer(tag, "priority", of, 0),
        }
    }

    fn bits(&mut self, tag: &Tag, key: &str, of: &str) -> u32 {
        self.integer(tag, key, of, 1) as i32 as u32
    }

    fn filled(&mut self, tag: &Tag, of: &str, has_mass: bool, touches: bool) -> Option<Filled> {
        let kind = self.word(tag, "type", of, &TYPES);
        if kind == "hfield" || kind == "sdf" {
            let why = "no such shape: the geom touches nothing";
            self.robot.report.drop(format!("geom[{kind}]"), tag.place.clone(), why);
            let pose = self.pose(tag, of);
            return Some(Filled { solid: None, pose, body: None });
        }
        if tag.attribute("mesh").is_some() || kind == "mesh" {
            if !has_mass && !touches {
                let pose = self.pose(tag, of);
                return Some(Filled { solid: None, pose, body: None });
            }
            return self.mesh_geom(tag, kind, touches, of);
        }
        let (pose, length) = match tag.attribute("fromto") {
            Some(_) => self.between(tag, kind, of)?,
            None => (self.pose(tag, of), None),
        };
        let solid = self.solid(tag, kind, length, of)?;
        Some(Filled { solid: Some(solid), pose, body: None })
    }

    /// Pose and half of the length of a geom between two points.
    fn between(&mut self, tag: &Tag, kind: &str, of: &str) -> Option<(Isometry3<f64>, Option<f64>)> {
        if !matches!(kind, "capsule" | "cylinder" | "ellipsoid" | "box") {
            let message = format!("{of} is a {kind} and has `fromto`");
            let help = "capsules, cylinders, ellipsoids and boxes have it";
            self.error(Code::Contradiction, &tag.place_of("fromto"), message, help);
            return None;
        }
        let [a, b, c, d, e, f] = self.array::<6>(tag, "fromto", of)?;
        let (from, to) = (Vector3::new(a, b, c), Vector3::new(d, e, f));
        let Some(axis) = normal(from - to) else {
            let message = format!("{of}: the points of `fromto` are the same");
            self.error(Code::BadShape, &tag.place_of("fromto"), message, "");
            return None;
        };
        let pose = Isometry3::from_parts(((from + to) / 2.0).into(), turned_z(axis));
        Some((pose, Some((from - to).norm() / 2.0)))
    }

    fn solid(&mut self, tag: &Tag, kind: &str, length: Option<f64>, of: &str) -> Option<Solid> {
        if kind == "plane" {
            return Some(Solid::Plane);
        }
        let wanted = match kind {
            "sphere" => 1,
            "capsule" | "cylinder" => 2,
            _ => 3,
        };
        let mut size = [0.0; 3];
        if let Some(given) = self.numbers(tag, "size", of, (1, 3)) {
            size[..given.len()].copy_from_slice(&given);
        }
        match (length, wanted) {
            (Some(half), 2) => size[1] = half,
            (Some(half), _) => size = [size[0], size[0], half],
            (None, _) => {}
        }
        if let Some(bad) = size[..wanted].iter().find(|x| **x <= 0.0 || **x > LARGEST) {
            let message =
                format!("{of}: a {kind} has {wanted} sizes above 0 and at most {LARGEST} m, found {bad}");
            self.error(
                Code::OutOfRange,
                &tag.place_of("size"),
                message,
                "sizes are radii and halves of lengths",
            );
            return None;
        }
        Some(solid_of(kind, size))
    }

    /// Mass in the frame of the geom.
    fn mass_of(&mut self, tag: &Tag, filled: &Filled, of: &str) -> Mass {
        let shell = self.flag(tag, "shellinertia", of, false);
        let own = filled.solid.as_ref().map_or(0.0, |solid| solid.volume(shell));
        let volume = filled.body.as_ref().map_or(own, |(volume, ..)| *volume);
        let (key, mass) = match self.number(tag, "mass", of) {
            Some(mass) => ("mass", if volume > 1e-14 { mass } else { 0.0 }),
            None => ("density", self.number(tag, "density", of).unwrap_or(WATER) * volume),
        };
        if !(0.0..=HEAVIEST).contains(&mass) {
            let message = format!("{of} has {} {key}", if mass < 0.0 { "a negative" } else { "too large a" });
            self.error(Code::Unphysical, &tag.place_of(key), message, "masses are finite and not negative");
            return Mass::default();
        }
        if mass <= 1e-14 {
            return Mass::default();
        }
        match &filled.body {
            Some((volume, com, moments)) => Mass { mass, com: *com, inertia: moments * (mass / volume) },
            None => {
                let moments = filled.solid.as_ref().map_or([0.0; 3], |solid| solid.moments(mass, shell));
                Mass { mass, com: Vector3::zeros(), inertia: Matrix3::from_diagonal(&moments.into()) }
            }
        }
    }
}

/// Mass properties of a frame in the frame around it.
pub(super) fn placed(mass: &Mass, pose: &Isometry3<f64>) -> Mass {
    let r = pose.rotation.to_rotation_matrix();
    Mass {
        mass: mass.mass,
        com: pose.transform_point(&mass.com.into()).coords,
        inertia: turned(&mass.inertia, r.matrix()),
    }
}
