//! Contacts of a model: which geoms touch each other, and with which friction.

use super::groups::Part;
use super::parts::{Touch, WORLD, touches};
use super::reader::Reader;
use super::tag::Tag;
use crate::diagnostics::{Code, TextSpan};
use crate::import::extras::BodyName;
use crate::import::names::fit;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Different materials: the friction of each pair is told.
const MOST_MATERIALS: usize = 64;

/// A `<pair>`.
struct Pair {
    geoms: [String; 2],
    tag: Rc<Tag>,
}

impl Reader<'_> {
    /// Notes the geoms that pairs name, before geoms are read.
    pub(super) fn note_pairs(&mut self, root: &Tag) {
        for tag in root.named("contact").flat_map(|c| c.named("pair")) {
            for key in ["geom1", "geom2"] {
                if let Some(name) = tag.text(key) {
                    self.paired.insert(name.to_owned());
                }
            }
        }
    }

    /// Pairs that do not touch, and the friction of those that do.
    pub(super) fn contacts(&mut self, root: &Tag, parts: &[Part]) {
        let (excluded, pairs) = (self.excluded(root), self.pairs(root, parts));
        let touching = pairs.iter().map(|p| sorted(p.geoms.clone())).collect();
        self.filter(parts, &excluded, &touching);
        self.materials(parts);
        for pair in &pairs {
            self.pair_friction(pair, parts);
        }
        let turning = self.bodies.iter().flat_map(|b| &b.geoms).find(|g| g.touch.condim > 3);
        if let Some(geom) = turning {
            let place = geom.place.clone();
            let why = "friction against turning and rolling is left out: contacts have that of sliding";
            self.report.drop("geom@condim 4 and 6".into(), place, why);
        }
    }

    fn excluded(&mut self, root: &Tag) -> BTreeSet<[usize; 2]> {
        let mut excluded = BTreeSet::new();
        for tag in root.named("contact").flat_map(|c| c.named("exclude")) {
            let ends = ["body1", "body2"].map(|key| self.body_called(tag, key, "an exclude"));
            if let [Some(a), Some(b)] = ends {
                excluded.insert([a.min(b), a.max(b)]);
            }
        }
        excluded
    }

    /// The body that an attribute names.
    pub(super) fn body_called(&mut self, tag: &Tag, key: &str, of: &str) -> Option<usize> {
        let name = self.required(tag, key, of)?.clone();
        let fitted = fit(&name.text);
        let found = self.body_index.get(&fitted).copied();
        if found.is_none() {
            let message = format!("{of} names the body `{}`, which the model does not have", name.text);
            let known = std::mem::take(&mut self.body_index);
            self.no_such_name(&name.place, message, &fitted, known.keys().map(String::as_str));
            self.body_index = known;
        }
        found
    }

    fn pairs(&mut self, root: &Tag, parts: &[Part]) -> Vec<Pair> {
        let there: BTreeSet<String> = parts.iter().filter_map(|p| p.paired.clone()).collect();
        let known: BTreeSet<String> =
            self.bodies.iter().flat_map(|b| &b.geoms).filter_map(|g| g.name.clone()).collect();
        let mut pairs = Vec::new();
        for tag in root.named("contact").flat_map(|c| c.named("pair")) {
            let tag = self.defaults.complete(tag, super::defaults::MAIN, self.found);
            let ends = ["geom1", "geom2"].map(|key| self.required(&tag, key, "a pair").cloned());
            let [Some(a), Some(b)] = ends else { continue };
            if let Some(lost) = [&a, &b].into_iter().find(|end| !known.contains(&end.text)) {
                let message = format!("a pair names the geom `{}`, which the model does not have", lost.text);
                self.no_such_name(&lost.place, message, &lost.text, known.iter().map(String::as_str));
            } else if there.contains(&a.text) && there.contains(&b.text) {
                pairs.push(Pair { geoms: [a.text, b.text], tag });
            } else {
                self.report.drop(
                    "contact/pair".into(),
                    tag.place.clone(),
                    "one of its geoms has no shape here",
                );
            }
        }
        pairs
    }

    /// Returns true if MuJoCo looks for contacts between two parts.
    fn meet(
        &self,
        a: &Part,
        b: &Part,
        excluded: &BTreeSet<[usize; 2]>,
        pairs: &BTreeSet<[String; 2]>,
    ) -> bool {
        if let (Some(x), Some(y)) = (&a.paired, &b.paired)
            && pairs.contains(&sorted([x.clone(), y.clone()]))
        {
            return true;
        }
        let (wa, wb) = (self.bodies[a.body].weld, self.bodies[b.body].weld);
        let above = |weld: usize| self.bodies[self.bodies[weld].parent].weld;
        let related = wa != WORLD && wb != WORLD && (above(wa) == wb || above(wb) == wa);
        let out = excluded.contains(&[a.body.min(b.body), a.body.max(b.body)]);
        wa != wb && touches(a.kind, b.kind) && !out && !(related && self.settings.filters_parents)
    }

    /// Returns true if links of two parts never touch in a scene: one hangs on the other by a single joint.
    fn joined(&self, a: &Part, b: &Part) -> bool {
        let hangs = |low: usize, high: usize| {
            let body = &self.bodies[low];
            low != WORLD && body.joints.len() == 1 && self.bodies[body.parent].weld == high
        };
        let (wa, wb) = (self.bodies[a.body].weld, self.bodies[b.body].weld);
        wa != WORLD && wb != WORLD && (hangs(wa, wb) || hangs(wb, wa))
    }

    fn filter(&mut self, parts: &[Part], excluded: &BTreeSet<[usize; 2]>, pairs: &BTreeSet<[String; 2]>) {
        let (mut apart, mut meeting) = (Vec::new(), false);
        for (i, a) in parts.iter().enumerate() {
            for b in &parts[..i] {
                let (wa, wb) = (self.bodies[a.body].weld, self.bodies[b.body].weld);
                if wa == wb {
                    continue;
                }
                let both_move = wa != WORLD && wb != WORLD;
                let meet = self.meet(a, b, excluded, pairs);
                match (meet, both_move && self.joined(a, b)) {
                    (true, true) => self.held_apart(a, b),
                    (true, false) => meeting |= both_move,
                    (false, true) => {}
                    (false, false) => apart.push((
                        both_move,
                        [self.part_name(b), self.part_name(a)],
                        self.bodies[a.body].place.clone(),
                    )),
                }
            }
        }
        self.extras.self_collision = meeting;
        // Without contacts within the tree nothing need be said about its links.
        let needed = apart.into_iter().filter(|(inside, ..)| meeting || !inside);
        self.extras.ignored.extend(needed.map(|(_, pair, place)| (pair, place)));
    }

    fn held_apart(&mut self, a: &Part, b: &Part) {
        let place = self.bodies[a.body.max(b.body)].place.clone();
        let why = "links that a joint joins do not touch";
        self.report.drop("contact (of a body and its parent)".into(), place, why);
    }

    fn part_name(&self, part: &Part) -> BodyName {
        let name = part.name.clone();
        if self.bodies[part.body].weld == WORLD { BodyName::Fixed(name) } else { BodyName::Link(name) }
    }

    /// Materials of all shapes, and the friction of their pairs.
    fn materials(&mut self, parts: &[Part]) {
        let mut all: BTreeMap<String, (Touch, TextSpan)> = BTreeMap::new();
        for part in parts {
            for g in &part.geoms {
                let geom = &self.bodies[part.body].geoms[*g];
                let name = self.material_name(&geom.touch);
                all.entry(name).or_insert_with(|| (geom.touch, geom.place.clone()));
            }
        }
        if let Some((_, (_, place))) = all.iter().nth(MOST_MATERIALS) {
            let message = format!("this model has more than {MOST_MATERIALS} kinds of friction");
            self.error(
                Code::OutOfRange,
                &place.clone(),
                message,
                "the friction of each pair of them is told",
            );
            return;
        }
        for (i, (a, (touch_a, place))) in all.iter().enumerate() {
            self.extras.materials.push((a.clone(), touch_a.friction, place.clone()));
            for (b, (touch_b, _)) in all.iter().take(i + 1) {
                let friction = combined(touch_a, touch_b);
                self.extras.material_pairs.push(([b.clone(), a.clone()], friction, place.clone()));
            }
        }
    }

    /// A material called by what it says: its friction, whether it is slippery, and which of two wins.
    pub(super) fn material_name(&self, touch: &Touch) -> String {
        let friction = format!("mu_{}", touch.friction).replace('.', "p");
        let slippery = if touch.condim == 1 { "_slippery" } else { "" };
        match touch.priority {
            0 => format!("{friction}{slippery}"),
            priority => format!("{friction}{slippery}_priority_{}", priority.to_string().replace('-', "m")),
        }
    }

    fn pair_friction(&mut self, pair: &Pair, parts: &[Part]) {
        let of = "a pair";
        let part = |name: &String| parts.iter().find(|p| p.paired.as_ref() == Some(name));
        let [Some(a), Some(b)] = [part(&pair.geoms[0]), part(&pair.geoms[1])] else { return };
        // A pair has values of its own, also where it writes none: its geoms have no say.
        let condim = self.integer(&pair.tag, "condim", of, 3);
        let friction = self.numbers(&pair.tag, "friction", of, (1, 5)).map_or(1.0, |f| f[0]);
        let friction = if condim == 1 { 0.0 } else { friction };
        if friction < 0.0 {
            let message = format!("a pair has the friction {friction}");
            self.error(Code::OutOfRange, &pair.tag.place_of("friction"), message, "it is at least 0");
            return;
        }
        let names = [self.part_name(a), self.part_name(b)];
        self.extras.body_pairs.push((names, friction, pair.tag.place.clone()));
    }
}

/// Friction of two geoms: that of the one with the higher priority, else the larger; none where both slip freely.
fn combined(a: &Touch, b: &Touch) -> f64 {
    let (friction, condim) = match a.priority.cmp(&b.priority) {
        std::cmp::Ordering::Greater => (a.friction, a.condim),
        std::cmp::Ordering::Less => (b.friction, b.condim),
        std::cmp::Ordering::Equal => (a.friction.max(b.friction), a.condim.max(b.condim)),
    };
    if condim == 1 { 0.0 } else { friction }
}

fn sorted(mut names: [String; 2]) -> [String; 2] {
    names.sort();
    names
}
