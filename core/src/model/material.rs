//! Materials: properties per body's shape, combined per pair by an explicit rule or given for the pair.

use super::{Combination, Pair, PairOverride, PairValues};

/// Properties of one material.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Unique name.
    pub name: String,
    /// Contact parameters of the material.
    pub values: Pair,
}

impl Material {
    /// A rigid material without restitution.
    pub fn rigid(name: impl Into<String>, friction: f64) -> Self {
        Self { name: name.into(), values: Pair { friction, ..Pair::NEUTRAL } }
    }
}

/// Two bodies that meet in patches: nodes on a grid over the place where their surfaces are near one another, each with its part
/// of the area. The layer between them has a stiffness and a damping per area.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PatchLaw {
    /// The two bodies (a ≤ b).
    pub bodies: (u32, u32),
    /// Side of the cells of the grid, m.
    pub cell: f64,
    /// Stiffness per area, N/m³.
    pub stiffness: f64,
    /// Damping per area, N s/m³.
    pub damping: f64,
}

/// All materials, the combination rules, and the explicit pairs. Body pairs beat material pairs beat the rules.
#[derive(Debug, Clone, PartialEq)]
pub struct MaterialTable {
    /// Materials; shapes refer to them by index.
    pub materials: Vec<Material>,
    /// Rules for what no pair gives.
    pub rules: PairValues<Combination>,
    /// Explicit values for pairs of materials (a ≤ b).
    pub material_pairs: Vec<((u32, u32), PairOverride)>,
    /// Explicit values for pairs of bodies (a ≤ b).
    pub body_pairs: Vec<((u32, u32), PairOverride)>,
    /// Pairs of bodies that meet in patches.
    pub patches: Vec<PatchLaw>,
}

impl Default for MaterialTable {
    fn default() -> Self {
        Self {
            materials: Vec::new(),
            rules: PairValues::RULES,
            material_pairs: Vec::new(),
            body_pairs: Vec::new(),
            patches: Vec::new(),
        }
    }
}

impl MaterialTable {
    /// Properties of the contact between material `ma` on body `ba` and `mb` on `bb`. Symmetric in the sides.
    pub fn pair(&self, (ma, ba): (u32, u32), (mb, bb): (u32, u32)) -> Pair {
        let (a, b) = (&self.materials[ma as usize], &self.materials[mb as usize]);
        let values = a.values.zip(b.values);
        let mut pair = self.rules.zip(values).map(|(rule, (a, b))| rule.apply(a, b));
        let key = |x: u32, y: u32| (x.min(y), x.max(y));
        for (table, key) in [(&self.material_pairs, key(ma, mb)), (&self.body_pairs, key(ba, bb))] {
            for (_, values) in table.iter().filter(|(k, _)| *k == key) {
                pair = pair.zip(*values).map(|(rule, given): (f64, Option<f64>)| given.unwrap_or(rule));
            }
        }
        pair
    }

    /// The law of the patches of two bodies, in any order, if they have patches.
    pub fn patch(&self, a: u32, b: u32) -> Option<&PatchLaw> {
        self.patches.iter().find(|law| law.bodies == (a.min(b), a.max(b)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn material(name: &str, friction: f64, stiffness: f64) -> Material {
        Material {
            name: name.into(),
            values: Pair { friction, restitution: 0.1, stiffness, ..Pair::NEUTRAL },
        }
    }

    #[test]
    fn body_pairs_beat_material_pairs_beat_rules() {
        let mut table = MaterialTable {
            materials: vec![material("steel", 0.2, f64::INFINITY), material("rubber", 0.8, 1e4)],
            ..Default::default()
        };
        assert_eq!(table.pair((0, 5), (1, 6)).friction, (0.2_f64 * 0.8).sqrt());
        assert_eq!(table.pair((0, 5), (1, 6)).stiffness, 1e4);
        table.material_pairs.push(((0, 1), PairOverride { friction: Some(0.7), ..Default::default() }));
        assert_eq!(table.pair((1, 6), (0, 5)).friction, 0.7);
        table.body_pairs.push(((5, 6), PairOverride { friction: Some(0.9), ..Default::default() }));
        assert_eq!(table.pair((1, 6), (0, 5)).friction, 0.9);
        assert_eq!(table.pair((1, 7), (0, 5)).friction, 0.7);
        assert_eq!(table.pair((1, 6), (0, 5)).restitution, 0.1);
    }

    #[test]
    fn every_rule_is_symmetric_and_named() {
        for rule in Combination::ALL {
            assert_eq!(Combination::from_name(rule.name()), Some(rule));
            assert_eq!(rule.apply(0.3, 0.6), rule.apply(0.6, 0.3));
        }
        assert_eq!(Combination::Series.apply(2.0, 2.0), 1.0);
        assert_eq!(Combination::GeometricMean.apply(0.3, 0.3), 0.3);
    }
}
