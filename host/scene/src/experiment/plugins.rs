//! Plugins that an experiment names, with their options.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A process of its own for a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Isolation {
    /// With the usual limits.
    Word(IsolationWord),
    /// With limits of its own.
    Limits(IsolationLimits),
}

/// Word for a process of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IsolationWord {
    /// A process of its own.
    Process,
}

/// Limits of a plugin in a process of its own.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IsolationLimits {
    /// Longest time of a call, s; default 60.
    #[schemars(range(min = 0.001, max = 1_000_000_000))]
    pub deadline: Option<f64>,
    /// Memory that it may have, MB (2^20 bytes); default 4096.
    #[schemars(range(min = 16, max = 1_000_000_000))]
    pub memory: Option<u64>,
}

impl Isolation {
    /// Longest time of a call, s, and memory, MB, where they are given.
    pub fn limits(self) -> IsolationLimits {
        match self {
            Self::Word(IsolationWord::Process) => IsolationLimits::default(),
            Self::Limits(limits) => limits,
        }
    }
}

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
    /// Process of its own for the plugin, with or without other limits; default: plugins that did not come with the program have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "isolation_schema")]
    pub isolation: Option<Isolation>,
    /// Most iterations of a solve, of every kind that the solver counts; what is not solved by then goes to the next of the chain. Default: the solver's own limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "budget_schema")]
    pub budget: Option<u64>,
}

impl Plugin {
    /// A plugin without options.
    pub fn named(plugin: &str) -> Self {
        Self { plugin: plugin.to_owned(), options: Map::new(), isolation: None, budget: None }
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
    /// Process of its own for the plugin, with or without other limits; default: plugins that did not come with the program have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "isolation_schema")]
    pub isolation: Option<Isolation>,
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
    /// Process of its own for the plugin, with or without other limits; default: plugins that did not come with the program have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "isolation_schema")]
    pub isolation: Option<Isolation>,
    /// Most iterations of a solve, of every kind that the solver counts; what is not solved by then goes to the next of the chain. Default: the solver's own limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "budget_schema")]
    pub budget: Option<u64>,
    /// Solvers tried in this order when the first fails; default none.
    #[serde(default)]
    #[schemars(schema_with = "fallback_schema")]
    pub fallback: Vec<Plugin>,
    /// True: the solver and its fallbacks get every problem at once, each in a process of its own, and the first answer that the audit accepts
    /// is taken. `race.csv` records the winners, and a rerun follows it. Default false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub race: bool,
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
        Self {
            plugin: plugin.to_owned(),
            options,
            isolation: None,
            budget: None,
            fallback,
            race: false,
            directions,
            islands: false,
            sleeping: None,
        }
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

/// The word or the limits, without a null.
pub(super) fn isolation_schema(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<Isolation>()
}

/// A number of iterations, without a null.
pub(super) fn budget_schema(_: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({ "type": "integer", "minimum": 1, "maximum": 10_000_000 })
}

pub(super) fn fallback_schema(generator: &mut SchemaGenerator) -> Schema {
    let item = plugin_or_name::<Plugin>(generator);
    schemars::json_schema!({ "type": "array", "items": item })
}

/// The value of an option as JSON text, for messages and hashes.
pub fn options_text(options: &Map<String, Value>) -> String {
    json!(options).to_string()
}
