//! The comparison format, version 1: one experiment, the models that run it, and what is measured between them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// `format` of comparisons.
pub const COMPARISON_FORMAT: &str = "vinci/comparison@1";

/// The published schema.
pub fn comparison_schema() -> Value {
    let mut schema = vinci_scene::schema::generate::<Comparison>();
    schema["$id"] = "comparison.schema.json".into();
    schema["title"] = "Vinci comparison, version 1".into();
    vinci_scene::schema::allow_schema_key(&mut schema);
    schema
}

/// An experiment that is run by several models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// Format and version of the file.
    #[schemars(extend("const" = COMPARISON_FORMAT))]
    pub format: String,
    /// Description for readers.
    pub description: Option<String>,
    /// The experiment: a path relative to this file, or the experiment itself, whose paths are relative to this file too.
    #[schemars(with = "Reference")]
    pub experiment: Value,
    /// Values of the experiment for every run, `scene.…` of its scene: paths as of `--set`.
    #[serde(default)]
    pub set: BTreeMap<String, Value>,
    /// Models by name, in the order of the tables; default: the experiment as it is.
    #[serde(default)]
    pub models: Vec<Model>,
    /// Values that are varied for every model; all combinations are run.
    #[serde(default)]
    pub matrix: Vec<Varied>,
    /// Combinations that are left out: every one in which all these values meet. Keys are `model` and what the matrix varies; each
    /// with a value, or several of them in an array.
    #[serde(default)]
    pub exclude: Vec<BTreeMap<String, Value>>,
    /// Reference for errors, as `{ "finest": true }`; default none.
    pub reference: Option<ReferenceAsked>,
    /// All models make one step from each of the states of one run: `{}` for the run that is the reference, else the first; default: they do not.
    pub same_state: Option<SameStateAsked>,
    /// Errors to the reference over windows, without what was gathered before; default: none.
    pub localised: Option<LocalisedAsked>,
    /// How far contact forces are fixed by the motion: `{}` looks at ten times; default: not looked at.
    pub indeterminacy: Option<IndeterminacyAsked>,
}

/// One step from the same states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SameStateAsked {
    /// The run whose states are taken: keys are `model` and what the matrix varies. Default: the run that is the reference, else the first.
    pub lead: Option<BTreeMap<String, Value>>,
    /// States are taken at every so many steps; default 1, more where the run has more than 10 000 steps.
    #[schemars(extend("minimum" = 1))]
    pub every: Option<u64>,
}

/// Errors over windows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LocalisedAsked {
    /// Length of a window, s: a multiple of the steps of models and reference.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub window: f64,
    /// Side that begins each window anew: `models` at the state of the reference (default), or the `reference` at that of the model.
    #[serde(default)]
    pub restart: Restart,
}

/// Side that begins at states of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Restart {
    /// Every model begins each window at the state of the reference.
    #[default]
    Models,
    /// The reference begins each window at the state of the model, whose run goes on as it is.
    Reference,
}

/// Least and greatest contact forces that the same motion allows. At most one of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IndeterminacyAsked {
    /// At so many times, evenly over the run; default 10.
    #[schemars(extend("minimum" = 1, "maximum" = 1000))]
    pub times: Option<u64>,
    /// At the ends of the steps that contain these times, s.
    #[schemars(length(min = 1, max = 1000))]
    pub at: Option<Vec<f64>>,
}

/// Reference for errors: exactly one of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReferenceAsked {
    /// true: of the runs that differ in their step alone the one with the smallest.
    pub finest: Option<bool>,
    /// The run with these values: keys are `model` and what the matrix varies.
    pub run: Option<BTreeMap<String, Value>>,
    /// Closed forms of t, s, by columns of `trajectory.csv`: `{"block.x": "2*t - 2.4525*t^2"}`.
    pub formula: Option<BTreeMap<String, String>>,
    /// A CSV file with the columns of `trajectory.csv`, relative to this file.
    pub file: Option<String>,
}

/// A model: the plugins, the step and the values that belong together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Its name.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Detector, as in an experiment: an id, its last part, or `{"plugin": …, "options": …}`; default that of the experiment.
    #[schemars(with = "Option<PluginGiven>")]
    pub detector: Option<Value>,
    /// Stepper.
    #[schemars(with = "Option<PluginGiven>")]
    pub stepper: Option<Value>,
    /// Solver.
    #[schemars(with = "Option<PluginGiven>")]
    pub solver: Option<Value>,
    /// A motion that was recorded elsewhere, relative to this file: CSV or Parquet with the columns of `trajectory.csv`. It is judged
    /// in the place of a run.
    pub trajectory: Option<String>,
    /// Contact forces of that motion, with columns of `contacts.csv`; without them the best within the friction cones count.
    pub contacts: Option<String>,
    /// Step, s.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub step: Option<f64>,
    /// Values that this model needs, as a stiffness where it has no rigid contact.
    #[serde(default)]
    pub set: BTreeMap<String, Value>,
}

/// Something that is varied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Varied {
    /// Quantity: `detector`, `stepper`, `solver`, `step`, `duration`, or a path as of `--set`.
    #[schemars(length(min = 1))]
    pub vary: String,
    /// Its values.
    #[schemars(length(min = 1))]
    pub values: Vec<Value>,
}

/// A file, or what would be in it (of the schema only).
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)]
enum Reference {
    File(String),
    Inline(BTreeMap<String, Value>),
}

/// A name, or a plugin with options (of the schema only).
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)]
enum PluginGiven {
    Name(String),
    Whole(BTreeMap<String, Value>),
}
