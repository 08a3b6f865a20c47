//! Geoms by what they touch: those of a body that touch different things become links of their own.

use super::parts::{Geom, WORLD, touches};
use super::state::Robot;
use crate::diagnostics::Code;
use crate::import::names::fit;
use std::collections::{BTreeMap, BTreeSet};

/// Kinds of geoms by `contype` and `conaffinity`.
const MOST_KINDS: usize = 256;
/// Bodies with shapes: pairs that must not touch are listed one by one.
const MOST_PARTS: usize = 2000;
/// `contype` and `conaffinity` of a geom that gives none: it touches others as bodies of the scene do.
const USUAL: (u32, u32) = (1, 1);

/// Geoms of a body that touch the same things.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) body: usize,
    /// Name of the link, or of the body that stands.
    pub(crate) name: String,
    /// True if it is the body's own link, and not one fixed to it.
    pub(crate) is_own: bool,
    /// Indices of geoms of the body.
    pub(crate) geoms: Vec<usize>,
    /// `contype` and `conaffinity` of one of them, which stand for all.
    pub(crate) kind: (u32, u32),
    /// The geom, where a pair names it.
    pub(crate) paired: Option<String>,
}

/// With what a kind of geoms touches, in the order of the kinds.
type Signature = Vec<bool>;

fn kind(geom: &Geom) -> (u32, u32) {
    (geom.touch.contype, geom.touch.conaffinity)
}

impl Robot<'_> {
    /// The parts of all bodies.
    pub(crate) fn parts(&mut self) -> Vec<Part> {
        let solid = self.bodies.iter().flat_map(|b| &b.geoms).filter(|g| g.solid.is_some());
        let kinds: BTreeSet<(u32, u32)> = solid.map(kind).chain([USUAL]).collect();
        if kinds.len() > MOST_KINDS {
            let message = format!("geoms have more than {MOST_KINDS} kinds of contype and conaffinity");
            let place = self.bodies[WORLD].place.clone();
            self.error(Code::OutOfRange, &place, message, "give the same bits to geoms that touch the same");
            return vec![];
        }
        let signatures: BTreeMap<(u32, u32), Signature> =
            kinds.iter().map(|a| (*a, kinds.iter().map(|b| touches(*a, *b)).collect())).collect();
        let mut parts = Vec::new();
        for i in 0..self.bodies.len() {
            self.parts_of(i, &signatures, &mut parts);
        }
        if parts.len() > MOST_PARTS {
            let message = format!("this model has more than {MOST_PARTS} bodies with shapes");
            let place = self.bodies[WORLD].place.clone();
            self.error(
                Code::OutOfRange,
                &place,
                message,
                "every pair of bodies that must not touch is listed: use a smaller model",
            );
            parts.clear();
        }
        parts
    }

    fn parts_of(&mut self, body: usize, signatures: &BTreeMap<(u32, u32), Signature>, parts: &mut Vec<Part>) {
        let mut found: Vec<(Option<String>, &Signature, Part)> = Vec::new();
        for g in 0..self.bodies[body].geoms.len() {
            let geom = &self.bodies[body].geoms[g];
            if geom.solid.is_none() {
                continue;
            }
            let paired = geom.name.clone().filter(|name| self.paired.contains(name));
            let signature = &signatures[&kind(geom)];
            if !self.has_contacts || (paired.is_none() && signature.iter().all(|t| !t)) {
                let (place, why) = (geom.place.clone(), "its mass is taken, its shape is not");
                self.report.drop("geom (that touches nothing)".into(), place, why);
                continue;
            }
            match found.iter_mut().find(|(p, s, _)| *p == paired && *s == signature) {
                Some((.., part)) => part.geoms.push(g),
                None => {
                    let (is_own, kind) = (found.is_empty(), kind(geom));
                    let part = Part {
                        body,
                        name: String::new(),
                        is_own,
                        geoms: vec![g],
                        kind,
                        paired: paired.clone(),
                    };
                    found.push((paired, signature, part));
                }
            }
        }
        for (.., part) in found {
            let name = self.name_of(&part);
            parts.push(Part { name, ..part });
        }
    }

    /// The name of a body, or of a part of it, after the geom that it begins with.
    fn name_of(&mut self, part: &Part) -> String {
        let body = &self.bodies[part.body];
        if part.is_own {
            return body.name.clone();
        }
        let geom = body.geoms[part.geoms[0]].name.as_deref().map(fit);
        let wish = format!("{}_{}", body.name, geom.as_deref().unwrap_or("2"));
        self.free_name("body", &wish)
    }
}
