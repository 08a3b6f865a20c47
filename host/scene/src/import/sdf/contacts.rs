//! Which links touch each other, and with which friction.

use super::reader::{Context, Reader};
use crate::import::robot::{Part, Robot, WORLD, touches};
use crate::import::tag::Tag;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of links that groups hold apart.
const MOST_PAIRS: usize = 4_000_000;

/// Words of a link on contacts with others of its model.
struct Company {
    /// The model below the world.
    top: usize,
    self_collide: bool,
}

impl Reader<'_> {
    /// Pairs that do not touch, and materials.
    pub(super) fn contacts(&mut self, parts: &[Part]) {
        let body_of: BTreeMap<usize, usize> =
            self.link_of.iter().enumerate().filter_map(|(body, link)| Some(((*link)?, body))).collect();
        let sorted = |[a, b]: [usize; 2]| [a.min(b), a.max(b)];
        let apart: BTreeSet<[usize; 2]> = self
            .apart
            .iter()
            .filter_map(|[a, b]| Some(sorted([*body_of.get(a)?, *body_of.get(b)?])))
            .collect();
        let company: Vec<Option<Company>> = self
            .link_of
            .iter()
            .map(|link| {
                let link = &self.links[(*link)?];
                Some(Company { top: link.top, self_collide: link.self_collide })
            })
            .collect();
        self.robot.filter(parts, |robot, a, b| {
            meet(robot, [a, b], &company) && !apart.contains(&sorted([a.body, b.body]))
        });
        for (name, (touch, place)) in self.robot.touches_of(parts) {
            self.robot.extras.materials.push((name, touch.friction, place));
        }
        let materials = &self.robot.extras.materials;
        if let (true, Some((.., place))) = (materials.len() > 1, materials.first()) {
            let text = "surfaces have different friction: of two that touch the scene's `combination` makes one, \
                        for the format does not say how";
            self.robot.report.note(text.into(), place.clone());
        }
    }

    /// Groups of links that do not touch other groups, as Drake writes them.
    pub(super) fn read_apart(&mut self, tag: &Tag, context: &Context) {
        let groups: Vec<_> = tag.named("drake:collision_filter_group").cloned().collect();
        let mut members: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for group in &groups {
            let Some(name) = self.named_as(group, "name").cloned() else { continue };
            let of = format!("group `{}`", name.text);
            let links: Vec<usize> = group
                .named("drake:member")
                .filter_map(|member| self.link_called(&member.content, context, &of))
                .collect();
            members.entry(name.text).or_default().extend(links);
        }
        for group in &groups {
            let own = group.text("name").and_then(|name| members.get(name));
            for ignored in group.named("drake:ignored_collision_filter_group") {
                let Some(others) = members.get(&ignored.content.text) else {
                    let message = format!("there is no group `{}` in its model", ignored.content.text);
                    let known = members.keys().map(String::as_str);
                    self.robot.no_such_name(&ignored.content.place, message, &ignored.content.text, known);
                    continue;
                };
                self.hold_apart(own.map_or(&[], Vec::as_slice), others, ignored);
            }
        }
    }

    fn hold_apart(&mut self, group: &[usize], others: &[usize], ignored: &Tag) {
        if self.apart.len().saturating_add(group.len().saturating_mul(others.len())) > MOST_PAIRS {
            let message = format!("groups hold more than {MOST_PAIRS} pairs of links apart");
            let help = "make the groups smaller";
            self.robot.error(crate::diagnostics::Code::OutOfRange, &ignored.place, message, help);
            return;
        }
        self.apart.extend(group.iter().flat_map(|a| others.iter().map(move |b| [*a, *b])));
    }
}

/// Returns true if two parts touch: not what a joint joins, and links of one model only where one of them says so.
fn meet(robot: &Robot<'_>, [a, b]: [&Part; 2], company: &[Option<Company>]) -> bool {
    let joined = |low: usize, high: usize| low != WORLD && high != WORLD && robot.bodies[low].parent == high;
    let apart = match (&company[a.body], &company[b.body]) {
        (Some(x), Some(y)) => x.top == y.top && !x.self_collide && !y.self_collide,
        _ => false,
    };
    let related = joined(a.body, b.body) || joined(b.body, a.body);
    touches(a.kind, b.kind) && !apart && !related
}
