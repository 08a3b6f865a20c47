//! Plugins that an experiment names, with their options.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A plugin with its options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plugin {
    /// Id (`vinci.solver.lemke`), its unambiguous last part (`lemke`), or the path of a library.
    #[schemars(length(min = 1))]
    pub plugin: String,
    /// Options of the plugin; `vinci plugin info ID` lists them.
    #[serde(default)]
    pub options: Map<String, Value>,
}

impl Plugin {
    /// A plugin without options.
    pub fn named(plugin: &str) -> Self {
        Self { plugin: plugin.to_owned(), options: Map::new() }
    }
}

/// The detector.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Detector {
    /// Id (`vinci.detector.planar`), its unambiguous last part (`planar`), or the path of a library.
    #[schemars(length(min = 1))]
    pub plugin: String,
    /// Options of the plugin; `vinci plugin info ID` lists them.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// Detectors for pairs of shapes whose kinds those before do not both know; default none.
    #[serde(default)]
    #[schemars(schema_with = "fallback_schema")]
    pub others: Vec<Plugin>,
    /// Distance, m, within which contacts are active beyond what the motion of one step needs; default 0.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub margin: f64,
}

/// The solver and those that take over when it fails.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Solver {
    /// Id (`vinci.solver.lemke`), its unambiguous last part (`lemke`), the path of a library, or `auto`: by class and size.
    #[schemars(length(min = 1))]
    pub plugin: String,
    /// Options of the plugin; `vinci plugin info ID` lists them.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// Solvers tried in this order when the first fails; default none.
    #[serde(default)]
    #[schemars(schema_with = "fallback_schema")]
    pub fallback: Vec<Plugin>,
    /// Directions of the polygon in the place of a friction circle, for solvers that take no circles: even, 4 to 1024;
    /// default 16.
    #[serde(default = "default_directions")]
    #[schemars(range(min = 4, max = 1024), extend("multipleOf" = 2))]
    pub directions: usize,
    /// True: bodies that no contact and no joint connects are solved apart from each other, each island with its own tolerance, guess and
    /// way through the fallbacks (classes `Mlcp` and `Cone`). Default false.
    #[serde(default)]
    pub islands: bool,
    /// Part of the tolerance, at most 1: an island that the velocities and impulses of the step before solve so exactly keeps them, and is
    /// not solved; problems are divided as with `islands`. Default: every island is solved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
    pub sleeping: Option<f64>,
}

impl Solver {
    /// A solver without options and fallbacks.
    pub fn named(plugin: &str) -> Self {
        let directions = default_directions();
        let (options, fallback) = (Map::new(), Vec::new());
        Self { plugin: plugin.to_owned(), options, fallback, directions, islands: false, sleeping: None }
    }
}

pub(super) fn default_directions() -> usize {
    vinci_core::bridge::ConeAsMlcp::DEFAULT_DIRECTIONS
}

/// A plugin's object, or its name alone.
pub(super) fn plugin_or_name<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let object = generator.subschema_for::<T>();
    schemars::json_schema!({ "oneOf": [ { "type": "string", "minLength": 1 }, object ] })
}

pub(super) fn fallback_schema(generator: &mut SchemaGenerator) -> Schema {
    let item = plugin_or_name::<Plugin>(generator);
    schemars::json_schema!({ "type": "array", "items": item })
}

/// The value of an option as JSON text, for messages and hashes.
pub fn options_text(options: &Map<String, Value>) -> String {
    json!(options).to_string()
}
