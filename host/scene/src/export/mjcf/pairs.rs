//! Contacts: which geoms collide, and with which friction.

use std::collections::BTreeSet;

use vinci_core::model::{Pair, Shape};

use super::super::xml::numbers;
use super::Writing;

/// Pairs of geoms that are written one by one, at most.
const MOST: usize = 20_000;

impl Writing<'_> {
    /// Pairs of shapes that may collide, with what the pair has.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize, Pair)> + '_ {
        let system = self.subject.system;
        let ignored: BTreeSet<(u32, u32)> =
            system.ignored_pairs.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        let may = move |a: &Shape, b: &Shape| {
            let (low, high) = (a.body.min(b.body), a.body.max(b.body));
            let fixed = |body: u32| system.bodies[body as usize].is_static;
            low != high && !(fixed(low) && fixed(high)) && !ignored.contains(&(low, high))
        };
        let side = |shape: &Shape| (shape.material, shape.body);
        system.shapes.iter().enumerate().flat_map(move |(i, a)| {
            let may = may.clone();
            let others = system.shapes.iter().enumerate().skip(i + 1);
            let met = others.filter(move |(_, b)| may(a, b));
            met.map(move |(j, b)| (i, j, system.materials.pair(side(a), side(b))))
        })
    }

    /// The friction of all pairs, where it is one.
    fn common_friction(&self) -> Option<f64> {
        let mut all = self.pairs().map(|(_, _, pair)| pair.friction);
        let first = all.next()?;
        all.all(|friction| friction == first).then_some(first)
    }

    /// Attributes of every geom: the common friction, or no contacts but those of pairs.
    pub(super) fn friction_of_geom(&self) -> Vec<(&'static str, String)> {
        let sliding = ("condim", "3".to_owned());
        match self.common_friction() {
            Some(friction) => vec![sliding, ("friction", numbers(&[friction, 0.0, 0.0]))],
            None => vec![sliding, ("contype", "0".into()), ("conaffinity", "0".into())],
        }
    }

    /// Pairs of geoms that collide, or pairs of bodies that do not.
    pub(super) fn contacts(&mut self) {
        let pairs: Vec<(usize, usize, Pair)> = self.pairs().collect();
        for (value, what) in [
            (pairs.iter().any(|p| p.2.restitution != 0.0), "restitution"),
            (pairs.iter().any(|p| p.2.stiffness.is_finite()), "stiffness and dissipation of contacts"),
        ] {
            if value {
                self.unsaid(format!("{what}: contacts are soft in MuJoCo's own way"));
            }
        }
        let names = |body: u32| self.subject.system.bodies[body as usize].name.clone();
        self.xml.open("contact", &[]);
        if self.common_friction().is_some() || pairs.is_empty() {
            for pair in self.subject.system.ignored_pairs.chunks_exact(2) {
                self.xml.leaf("exclude", &[("body1", names(pair[0])), ("body2", names(pair[1]))]);
            }
        } else {
            self.write_pairs(&pairs);
        }
        self.xml.close();
    }

    fn write_pairs(&mut self, pairs: &[(usize, usize, Pair)]) {
        if pairs.len() > MOST {
            let rest = pairs.len() - MOST;
            self.unsaid(format!("{rest} pairs of geoms beyond the first {MOST}, which do not collide"));
        }
        for (i, j, pair) in pairs.iter().take(MOST) {
            let friction = numbers(&[pair.friction, pair.friction, 0.0, 0.0, 0.0]);
            for a in self.geoms[*i].clone() {
                for b in self.geoms[*j].clone() {
                    let attributes = [
                        ("geom1", a.clone()),
                        ("geom2", b),
                        ("condim", "3".to_owned()),
                        ("friction", friction.clone()),
                    ];
                    self.xml.leaf("pair", &attributes);
                }
            }
        }
    }
}
