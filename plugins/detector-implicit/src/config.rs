//! Options.

use vinci_sdk::prelude::*;

/// Treatment of pairs of two polygons, or of two boxes or hulls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub enum PolytopePairs {
    /// A scene in which such a pair could meet is refused: one contact per pair does not carry a face on a face.
    #[default]
    Refuse,
    /// They are never reported here: for bodies with both kinds of shapes, where another detector named before this one takes
    /// those pairs.
    Leave,
}

/// Options of `vinci.detector.implicit`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub struct Config {
    /// Pairs of two polygons, or of two boxes or convex hulls: `refuse` (default) or `leave` to another detector.
    pub polytope_pairs: PolytopePairs,
}
