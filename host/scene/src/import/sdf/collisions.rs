//! Collisions of links: solids with their friction and what they touch.

use super::reader::{Context, Reader};
use crate::diagnostics::Code;
use crate::import::robot::{Geom, Mass, Touch};
use crate::import::tag::Tag;
use nalgebra::Isometry3;

/// Bits of a collision that gives none: it touches all others.
const ALL_BITS: u32 = 0xFFFF;
/// Friction of a collision that gives none: that of the format.
const FRICTION: f64 = 1.0;

impl Reader<'_> {
    /// Adds the collisions of a link, which is the last one.
    pub(super) fn collisions(&mut self, link: &Tag, of: &str, context: &Context) {
        let mut names = std::collections::BTreeSet::new();
        for tag in link.named("collision") {
            if !self.count_part(&tag.place) {
                return;
            }
            let Some(name) = self.named_as(tag, "name").cloned() else { continue };
            if !names.insert(name.text.clone()) {
                let message = format!("a second collision of {of} is named `{}`", name.text);
                self.robot.error(Code::DuplicateName, &name.place, message, "every name is given once");
            }
            let of = format!("collision `{}` of {of}", name.text);
            self.collision(tag, &of, context);
        }
    }

    fn collision(&mut self, tag: &Tag, of: &str, context: &Context) {
        let (pose, relative_to) = self.pose(tag, of, context.minor);
        let touch = self.touch(tag, of);
        let Some(geometry) = self.required(tag, "geometry", of).cloned() else { return };
        let Some((solid, own)) = self.solid(&geometry, of, context) else { return };
        let geom = Geom {
            name: None,
            place: tag.place.clone(),
            solid: Some(solid),
            pose: pose * own,
            touch,
            mass: Mass::default(),
        };
        let link = self.links.len() - 1;
        if let Some(name) = relative_to {
            let scope = context.scope;
            let number = self.links[link].body.geoms.len();
            self.elsewhere.push(super::reader::Elsewhere { scope, name, link, number });
        }
        self.links[link].body.geoms.push(geom);
    }

    fn touch(&mut self, tag: &Tag, of: &str) -> Touch {
        let surface = self.single(tag, "surface", of).cloned();
        let bits = surface.as_ref().map_or(ALL_BITS, |surface| self.bits(surface, of));
        let drake = self.drake_friction(tag, of);
        let friction = drake.or_else(|| self.friction(surface.as_ref()?, of)).unwrap_or(FRICTION);
        Touch { contype: bits, conaffinity: bits, condim: 3, friction, priority: 0 }
    }

    fn bits(&mut self, surface: &Tag, of: &str) -> u32 {
        let Some(contact) = self.single(surface, "contact", of).cloned() else { return ALL_BITS };
        let Some(mask) = self.single(&contact, "collide_bitmask", of).cloned() else { return ALL_BITS };
        let text = mask.content.text.as_str();
        let read = match text.strip_prefix("0x") {
            Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
            None => text.parse(),
        };
        read.unwrap_or_else(|_| {
            let message = format!("{of} has the collide_bitmask \"{text}\"");
            self.robot.error(Code::WrongType, &mask.content.place, message, "it is a whole number from 0");
            ALL_BITS
        })
    }

    /// mu of ODE's part of a surface: that of the first direction, which is that of all here.
    fn friction(&mut self, surface: &Tag, of: &str) -> Option<f64> {
        let friction = self.single(surface, "friction", of).cloned()?;
        if let Some(torsional) = friction.child("torsional") {
            let why = "contacts have friction of sliding alone";
            self.robot.report.drop("friction/torsional".into(), torsional.place.clone(), why);
        }
        let ode = self.single(&friction, "ode", of).cloned()?;
        ode.child("mu").or(ode.child("mu2"))?;
        let mu = if ode.child("mu").is_some() { self.not_negative(&ode, "mu", of) } else { FRICTION };
        if let Some(second) = ode.child("mu2").cloned()
            && self.not_negative(&ode, "mu2", of) != mu
        {
            let why = "friction is the same in all directions: that of `mu`";
            self.robot.report.drop("ode/mu2 (other than mu)".into(), second.place.clone(), why);
        }
        Some(mu)
    }

    /// Friction as Drake writes it: of the static and the dynamic one the dynamic, as for Drake's own discrete contacts.
    fn drake_friction(&mut self, tag: &Tag, of: &str) -> Option<f64> {
        let properties = self.single(tag, "drake:proximity_properties", of).cloned()?;
        let value = |reader: &mut Self, key: &str| {
            properties.child(key).is_some().then(|| reader.not_negative(&properties, key, of))
        };
        let (fixed, sliding) = (value(self, "drake:mu_static"), value(self, "drake:mu_dynamic"));
        if let (Some(fixed), Some(sliding)) = (fixed, sliding)
            && fixed != sliding
        {
            let why = "contacts have one coefficient, at rest too: that of `drake:mu_dynamic`";
            let place = properties.place.clone();
            self.robot.report.drop("drake:mu_static (other than drake:mu_dynamic)".into(), place, why);
        }
        sliding.or(fixed)
    }

    /// Moves the collisions that are placed in other frames into those of their links.
    pub(super) fn place_elsewhere(&mut self) {
        for place in std::mem::take(&mut self.elsewhere) {
            let Some(frame) = self.frames.find(place.scope, place.name.text.trim()) else {
                let message = format!(
                    "a collision names the frame `{}`, which its model does not have",
                    place.name.text
                );
                let known = self.frames.known(place.scope);
                self.robot.no_such_name(&place.name.place, message, &place.name.text, known);
                continue;
            };
            let between: Isometry3<f64> =
                self.frames.pose(self.links[place.link].frame).inverse() * self.frames.pose(frame);
            let geom = &mut self.links[place.link].body.geoms[place.number];
            geom.pose = between * geom.pose;
        }
    }
}
