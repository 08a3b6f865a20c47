//! Options of the solver.

use vinci_sdk::schemars::JsonSchema;
use vinci_sdk::serde::Deserialize;

/// Options; every field has a default, unknown fields are refused.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub struct Config {
    /// Wanted relative residual of the answer, > 0; the problem's own if absent.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub tolerance: Option<f64>,
    /// Largest allowed objective − bound, ≥ 0. If neither gap is given, half of what the tolerance allows: tolerance times the
    /// size of the objective, max(|objective|, Σ |c_i x_i|, ½ Σ |x_i (P x)_i|) at the answer, or a typical one
    /// where x vanishes. A gap that only such a typical size excuses is searched again, within a few nodes.
    #[schemars(range(min = 0.0, max = 1e12))]
    pub absolute_gap: Option<f64>,
    /// Largest allowed (objective − bound) / |objective|, ≥ 0. The larger of both gaps counts.
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1))]
    pub relative_gap: Option<f64>,
    /// Most nodes. Default 50000.
    #[schemars(range(min = 1, max = 10_000_000), extend("x-vinci-budget" = true))]
    pub max_nodes: u32,
    /// Seconds after which the best point met is returned, with the bound proved by then; no limit if absent. An answer that a
    /// time limit cut short may differ from run to run.
    #[schemars(range(min = 0.0, max = 1e7))]
    pub time_limit: Option<f64>,
    /// Start from the problem's guess of the modes where it has one. Default true.
    pub warm_start: bool,
    /// Shorten every no-good to one that no decision can be left out of. Default true.
    pub shorten: bool,
    /// Look one decision ahead before branching. Default true.
    pub probe: bool,
    /// Leave out modes whose points all lie in another mode as well. Default true.
    pub dominance: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tolerance: None,
            absolute_gap: None,
            relative_gap: None,
            max_nodes: 50_000,
            time_limit: None,
            warm_start: true,
            shorten: true,
            probe: true,
            dominance: true,
        }
    }
}

impl Config {
    /// Checks that every option has a value the method can take; the message names the first that has not.
    pub(crate) fn check(&self) -> Result<(), String> {
        if let Some(tolerance) = self.tolerance.filter(|&t| !(t > 0.0 && t.is_finite())) {
            return Err(format!("tolerance is {tolerance}; it must be positive"));
        }
        for (name, value) in [
            ("absolute_gap", self.absolute_gap),
            ("relative_gap", self.relative_gap),
            ("time_limit", self.time_limit),
        ] {
            if let Some(value) = value.filter(|&v| !(v >= 0.0 && v.is_finite())) {
                return Err(format!("{name} is {value}; it must not be negative"));
            }
        }
        if self.relative_gap.is_some_and(|g| g >= 1.0) {
            return Err("relative_gap must be below 1".into());
        }
        if self.max_nodes == 0 {
            return Err("max_nodes must be at least 1".into());
        }
        Ok(())
    }
}
