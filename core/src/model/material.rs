//! Materials: properties per body's shape, combined per pair by an explicit rule or given for the pair.

/// Properties of one material.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Unique name.
    pub name: String,
    /// Friction coefficient μ ≥ 0.
    pub friction: f64,
    /// Restitution coefficient e, 0 … 1.
    pub restitution: f64,
    /// Contact stiffness K, N/m; ∞ means rigid.
    pub stiffness: f64,
    /// Contact damping C, N s/m.
    pub damping: f64,
    /// Dissipation d of the Hunt–Crossley law, s/m.
    pub dissipation: f64,
}

impl Material {
    /// A rigid material without restitution.
    pub fn rigid(name: impl Into<String>, friction: f64) -> Self {
        Self {
            name: name.into(),
            friction,
            restitution: 0.0,
            stiffness: f64::INFINITY,
            damping: 0.0,
            dissipation: 0.0,
        }
    }
}

/// Properties of a pair, as contacts carry them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Pair {
    /// μ.
    pub friction: f64,
    /// e.
    pub restitution: f64,
    /// K, N/m.
    pub stiffness: f64,
    /// C, N s/m.
    pub damping: f64,
    /// d, s/m.
    pub dissipation: f64,
}

/// How two values a, b of the bodies become the value of the pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Combination {
    /// a b
    Product,
    /// max(a, b)
    Max,
    /// min(a, b)
    Min,
    /// (a + b)/2
    Mean,
    /// √(a b)
    GeometricMean,
    /// a b/(a + b), springs one after the other; ∞ leaves the other value.
    Series,
}

impl Combination {
    /// All rules.
    pub const ALL: [Self; 6] =
        [Self::Product, Self::Max, Self::Min, Self::Mean, Self::GeometricMean, Self::Series];

    /// Name as scenes write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Product => "product",
            Self::Max => "max",
            Self::Min => "min",
            Self::Mean => "mean",
            Self::GeometricMean => "geometric-mean",
            Self::Series => "series",
        }
    }

    /// The rule of a name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.name() == name)
    }

    /// The value of the pair. Equal values give that value under every rule but product and series.
    pub fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Product => a * b,
            Self::Max => a.max(b),
            Self::Min => a.min(b),
            Self::Mean => 0.5 * (a + b),
            // √(a a) need not be a in floating point, and users expect 0.5 with 0.5 to be 0.5.
            Self::GeometricMean if a == b => a,
            Self::GeometricMean => (a * b).sqrt(),
            Self::Series if a.is_infinite() => b,
            Self::Series if b.is_infinite() => a,
            Self::Series if a + b == 0.0 => 0.0,
            Self::Series => a * b / (a + b),
        }
    }
}

/// Values given for one pair; `None` leaves the combination rule in force.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PairOverride {
    /// μ.
    pub friction: Option<f64>,
    /// e.
    pub restitution: Option<f64>,
    /// K.
    pub stiffness: Option<f64>,
    /// C.
    pub damping: Option<f64>,
    /// d.
    pub dissipation: Option<f64>,
}

impl PairOverride {
    fn apply(&self, pair: &mut Pair) {
        pair.friction = self.friction.unwrap_or(pair.friction);
        pair.restitution = self.restitution.unwrap_or(pair.restitution);
        pair.stiffness = self.stiffness.unwrap_or(pair.stiffness);
        pair.damping = self.damping.unwrap_or(pair.damping);
        pair.dissipation = self.dissipation.unwrap_or(pair.dissipation);
    }
}

/// All materials, the combination rules, and the explicit pairs. Body pairs beat material pairs beat the rules.
#[derive(Debug, Clone, PartialEq)]
pub struct MaterialTable {
    /// Materials; shapes refer to them by index.
    pub materials: Vec<Material>,
    /// Rule for μ (default geometric mean).
    pub friction: Combination,
    /// Rule for e (default max).
    pub restitution: Combination,
    /// Rule for K (default series).
    pub stiffness: Combination,
    /// Rule for C (default series).
    pub damping: Combination,
    /// Rule for d (default mean: exact for two springs in series of equal stiffness).
    pub dissipation: Combination,
    /// Explicit values for pairs of materials (a ≤ b).
    pub material_pairs: Vec<((u32, u32), PairOverride)>,
    /// Explicit values for pairs of bodies (a ≤ b).
    pub body_pairs: Vec<((u32, u32), PairOverride)>,
}

impl Default for MaterialTable {
    fn default() -> Self {
        Self {
            materials: Vec::new(),
            friction: Combination::GeometricMean,
            restitution: Combination::Max,
            stiffness: Combination::Series,
            damping: Combination::Series,
            dissipation: Combination::Mean,
            material_pairs: Vec::new(),
            body_pairs: Vec::new(),
        }
    }
}

impl MaterialTable {
    /// Whether any pair may have a dissipation d > 0.
    pub fn dissipates(&self) -> bool {
        let pairs = self.material_pairs.iter().chain(&self.body_pairs);
        self.materials.iter().any(|m| m.dissipation > 0.0)
            || pairs.into_iter().any(|(_, values)| values.dissipation.is_some_and(|d| d > 0.0))
    }

    /// Properties of the contact between material `ma` on body `ba` and `mb` on `bb`. Symmetric in the sides.
    pub fn pair(&self, (ma, ba): (u32, u32), (mb, bb): (u32, u32)) -> Pair {
        let (a, b) = (&self.materials[ma as usize], &self.materials[mb as usize]);
        let mut pair = Pair {
            friction: self.friction.apply(a.friction, b.friction),
            restitution: self.restitution.apply(a.restitution, b.restitution),
            stiffness: self.stiffness.apply(a.stiffness, b.stiffness),
            damping: self.damping.apply(a.damping, b.damping),
            dissipation: self.dissipation.apply(a.dissipation, b.dissipation),
        };
        let key = |x: u32, y: u32| (x.min(y), x.max(y));
        for (table, key) in [(&self.material_pairs, key(ma, mb)), (&self.body_pairs, key(ba, bb))] {
            for (_, values) in table.iter().filter(|(k, _)| *k == key) {
                values.apply(&mut pair);
            }
        }
        pair
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn material(name: &str, friction: f64, stiffness: f64) -> Material {
        Material { name: name.into(), friction, restitution: 0.1, stiffness, damping: 0.0, dissipation: 0.0 }
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
