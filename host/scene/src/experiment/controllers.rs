//! Controllers that an experiment adds to its scene: plugins that are asked at grid times.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::plugins::Isolation;
use crate::types::Drive;

/// A plugin that is asked at grid times for forces on degrees of freedom and for values of drives; its answer holds until it is asked
/// again.
///
/// Degrees of freedom are named as their coordinates are: `cart.x`, `cart.angle`, in space `ball.rx` for the rotation about x, of joints
/// `arm.elbow.q`. The name of a body, a tree or a joint alone (`cart`, `arm`, `arm.elbow`) means all that it has and that fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Controller")]
pub struct PluginController {
    /// Name for messages; default its place in the list.
    #[schemars(length(min = 1))]
    pub name: Option<String>,
    /// Id (`vinci.controller.guarded-pid`), its unambiguous last part (`guarded-pid`), or the path of a library.
    #[schemars(length(min = 1))]
    pub plugin: String,
    /// Options of the plugin; `vinci plugin info ID` lists them.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// Process of its own for the plugin, with or without other limits; default: plugins that did not come with the program have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::plugins::isolation_schema")]
    pub isolation: Option<Isolation>,
    /// It is asked at every n-th grid time, from t = 0 on; default 1.
    #[serde(default = "every_one")]
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub every: u64,
    /// Degrees of freedom that it puts forces on: those that nothing prescribes. Default none.
    #[serde(default)]
    pub efforts: Vec<String>,
    /// Degrees of freedom whose drives it leads: it gives the place, velocity or force in the place of the drive's own value.
    /// Default none.
    #[serde(default)]
    pub set_points: Vec<String>,
    /// Signals that it is to follow, by degree of freedom: a coordinate over time, m or rad; an expression may use t. Default nothing.
    #[serde(default)]
    pub reference: BTreeMap<String, Drive>,
}

impl PluginController {
    /// How messages call the controller at place `i`.
    pub fn called(&self, i: usize) -> String {
        self.name.clone().unwrap_or_else(|| format!("controllers[{i}]"))
    }
}

fn every_one() -> u64 {
    1
}
