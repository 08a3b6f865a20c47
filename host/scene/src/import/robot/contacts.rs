//! Which parts of a robot touch each other, and their materials.

use super::groups::Part;
use super::parts::{Touch, WORLD};
use super::state::Robot;
use crate::diagnostics::{Code, TextSpan};
use crate::import::extras::BodyName;
use std::collections::BTreeMap;

/// Different materials: the friction of each pair may be told.
const MOST_MATERIALS: usize = 64;

impl Robot<'_> {
    /// Returns true if links of two parts never touch in a scene: one hangs on the other by a single joint.
    fn joined(&self, a: &Part, b: &Part) -> bool {
        let hangs = |low: usize, high: usize| {
            let body = &self.bodies[low];
            low != WORLD && body.joints.len() == 1 && self.bodies[body.parent].weld == high
        };
        let (wa, wb) = (self.bodies[a.body].weld, self.bodies[b.body].weld);
        wa != WORLD && wb != WORLD && (hangs(wa, wb) || hangs(wb, wa))
    }

    /// Names the pairs that do not touch, where `meet` says which do.
    pub(crate) fn filter(&mut self, parts: &[Part], meet: impl Fn(&Self, &Part, &Part) -> bool) {
        let (mut apart, mut meeting) = (Vec::new(), false);
        for (i, a) in parts.iter().enumerate() {
            for b in &parts[..i] {
                let (wa, wb) = (self.bodies[a.body].weld, self.bodies[b.body].weld);
                if wa == wb {
                    continue;
                }
                let both_move = wa != WORLD && wb != WORLD;
                match (meet(self, a, b), both_move && self.joined(a, b)) {
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

    /// The link of a part, or the body that stands for it.
    pub(crate) fn part_name(&self, part: &Part) -> BodyName {
        let name = part.name.clone();
        if self.bodies[part.body].weld == WORLD { BodyName::Fixed(name) } else { BodyName::Link(name) }
    }

    /// Materials of all shapes; empty where they are too many, which is said.
    pub(crate) fn touches_of(&mut self, parts: &[Part]) -> BTreeMap<String, (Touch, TextSpan)> {
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
            let help = "the friction of each pair of them is told";
            self.error(Code::OutOfRange, &place.clone(), message, help);
            all.clear();
        }
        all
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
}
