//! Rules that make the value of a pair from those of two bodies.

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
