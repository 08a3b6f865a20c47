//! Contacts: which geoms collide, and with which friction.

use vinci_core::model::Pair;

use super::super::contacts::pairs;
use super::super::xml::numbers;
use super::Writing;

/// Pairs of geoms that are written one by one, at most.
const MOST: usize = 20_000;

impl Writing<'_> {
    /// Attributes of every geom: the common friction, or no contacts but those of pairs.
    pub(super) fn friction_of_geom(&self) -> Vec<(&'static str, String)> {
        let sliding = ("condim", "3".to_owned());
        match self.friction {
            Some(friction) => vec![sliding, ("friction", numbers(&[friction, 0.0, 0.0]))],
            None => vec![sliding, ("contype", "0".into()), ("conaffinity", "0".into())],
        }
    }

    /// Pairs of geoms that collide, or pairs of bodies that do not.
    pub(super) fn contacts(&mut self) {
        let pairs: Vec<(usize, usize, Pair)> = pairs(self.subject.system).collect();
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
        if self.friction.is_some() || pairs.is_empty() {
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
