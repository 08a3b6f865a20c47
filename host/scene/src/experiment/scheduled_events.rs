//! Scheduled events, as experiments write them.

use super::plugins::{Detector, Plugin, Solver, plugin_or_name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// Scheduled event, which happens once while an experiment runs: at a time, or at the first grid time at which a condition holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduledEvent {
    /// Time, s: it happens at the first grid time that is not before, ahead of the step that begins there.
    #[schemars(range(min = 0))]
    pub at: Option<f64>,
    /// Condition over the state, looked at at every grid time: `cup.y < 0.1 and t > 1`. Names are those of the columns of
    /// `trajectory.csv`.
    #[schemars(length(min = 1))]
    pub when: Option<String>,
    /// New values by path, as of `--set`: `"scene.materials.rubber.friction": 0.9`.
    #[serde(default)]
    pub set: Map<String, Json>,
    /// New plugins, each in the place of the whole old value.
    pub swap: Option<Swap>,
    /// Ends the run, for this reason.
    #[schemars(length(min = 1))]
    pub stop: Option<String>,
}

/// Plugins that take over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Swap {
    /// The new detector.
    #[schemars(schema_with = "plugin_or_name::<Detector>")]
    #[serde(default)]
    pub detector: Json,
    /// The new stepper.
    #[schemars(schema_with = "plugin_or_name::<Plugin>")]
    #[serde(default)]
    pub stepper: Json,
    /// The new solver, with its fallbacks.
    #[schemars(schema_with = "plugin_or_name::<Solver>")]
    #[serde(default)]
    pub solver: Json,
}
