//! Contacts of a model: which geoms touch each other, and with which friction.

use super::reader::Reader;
use crate::diagnostics::Code;
use crate::import::names::fit;
use crate::import::robot::Part;
use crate::import::robot::{Robot, Touch, WORLD, touches};
use crate::import::tag::Tag;
use std::collections::BTreeSet;
use std::rc::Rc;

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
                    self.robot.paired.insert(name.to_owned());
                }
            }
        }
    }

    /// Pairs that do not touch, and the friction of those that do.
    pub(super) fn contacts(&mut self, root: &Tag, parts: &[Part]) {
        let (excluded, pairs) = (self.excluded(root), self.pairs(root, parts));
        let touching = pairs.iter().map(|p| sorted(p.geoms.clone())).collect();
        let filters_parents = self.settings.filters_parents;
        self.robot.filter(parts, |robot, a, b| meet(robot, [a, b], &excluded, &touching, filters_parents));
        self.materials(parts);
        for pair in &pairs {
            self.pair_friction(pair, parts);
        }
        let turning = self.robot.bodies.iter().flat_map(|b| &b.geoms).find(|g| g.touch.condim > 3);
        if let Some(geom) = turning {
            let place = geom.place.clone();
            let why = "friction against turning and rolling is left out: contacts have that of sliding";
            self.robot.report.drop("geom@condim 4 and 6".into(), place, why);
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
        let found = self.robot.body_index.get(&fitted).copied();
        if found.is_none() {
            let message = format!("{of} names the body `{}`, which the model does not have", name.text);
            let known = std::mem::take(&mut self.robot.body_index);
            self.robot.no_such_name(&name.place, message, &fitted, known.keys().map(String::as_str));
            self.robot.body_index = known;
        }
        found
    }

    fn pairs(&mut self, root: &Tag, parts: &[Part]) -> Vec<Pair> {
        let there: BTreeSet<String> = parts.iter().filter_map(|p| p.paired.clone()).collect();
        let known: BTreeSet<String> =
            self.robot.bodies.iter().flat_map(|b| &b.geoms).filter_map(|g| g.name.clone()).collect();
        let mut pairs = Vec::new();
        for tag in root.named("contact").flat_map(|c| c.named("pair")) {
            let tag = self.defaults.complete(tag, super::defaults::MAIN, self.robot.found);
            let ends = ["geom1", "geom2"].map(|key| self.required(&tag, key, "a pair").cloned());
            let [Some(a), Some(b)] = ends else { continue };
            if let Some(lost) = [&a, &b].into_iter().find(|end| !known.contains(&end.text)) {
                let message = format!("a pair names the geom `{}`, which the model does not have", lost.text);
                self.robot.no_such_name(&lost.place, message, &lost.text, known.iter().map(String::as_str));
            } else if there.contains(&a.text) && there.contains(&b.text) {
                pairs.push(Pair { geoms: [a.text, b.text], tag });
            } else {
                self.robot.report.drop(
                    "contact/pair".into(),
                    tag.place.clone(),
                    "one of its geoms has no shape here",
                );
            }
        }
        pairs
    }

    /// Materials of all shapes, and the friction of their pairs.
    fn materials(&mut self, parts: &[Part]) {
        let all = self.robot.touches_of(parts);
        for (i, (a, (touch_a, place))) in all.iter().enumerate() {
            self.robot.extras.materials.push((a.clone(), touch_a.friction, place.clone()));
            for (b, (touch_b, _)) in all.iter().take(i + 1) {
                let friction = combined(touch_a, touch_b);
                self.robot.extras.material_pairs.push(([b.clone(), a.clone()], friction, place.clone()));
            }
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
        let names = [self.robot.part_name(a), self.robot.part_name(b)];
        self.robot.extras.body_pairs.push((names, friction, pair.tag.place.clone()));
    }
}

/// Returns true if MuJoCo looks for contacts between two parts.
fn meet(
    robot: &Robot<'_>,
    [a, b]: [&Part; 2],
    excluded: &BTreeSet<[usize; 2]>,
    pairs: &BTreeSet<[String; 2]>,
    filters_parents: bool,
) -> bool {
    if let (Some(x), Some(y)) = (&a.paired, &b.paired)
        && pairs.contains(&sorted([x.clone(), y.clone()]))
    {
        return true;
    }
    let weld = |body: usize| robot.bodies[body].weld;
    let above = |body: usize| weld(robot.bodies[body].parent);
    let (wa, wb) = (weld(a.body), weld(b.body));
    let related = wa != WORLD && wb != WORLD && (above(wa) == wb || above(wb) == wa);
    let out = excluded.contains(&[a.body.min(b.body), a.body.max(b.body)]);
    wa != wb && touches(a.kind, b.kind) && !out && !(related && filters_parents)
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
