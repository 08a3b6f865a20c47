//! The experiment format, version 1: which scene, how long, and which plugins.

mod controllers;
mod pictures;
mod plugins;
mod scheduled_events;

pub use controllers::PluginController;
pub use pictures::{Frames, Labelled, Line, Picture, Plot, is_picture};
pub use scheduled_events::{ScheduledEvent, Swap};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use vinci_core::referee::Check;

use plugins::plugin_or_name;
pub use plugins::{Detector, Isolation, IsolationLimits, IsolationWord, Plugin, Solver, options_text};

/// `format` of experiments.
pub const EXPERIMENT_FORMAT: &str = "vinci/experiment@1";
/// `format` of sweeps: a file that asks to be run as an experiment is told apart by it.
pub const SWEEP_FORMAT: &str = "vinci/sweep@1";

/// A scene, a time grid, and the plugins that simulate it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Format and version of the file.
    #[schemars(extend("const" = EXPERIMENT_FORMAT))]
    pub format: String,
    /// Another experiment, relative to this file, whose values hold where this one gives none.
    pub extends: Option<String>,
    /// Name of the experiment; default: the name of the file.
    pub name: Option<String>,
    /// Description for readers.
    pub description: Option<String>,
    /// The scene: a path relative to this file, or the scene itself.
    #[schemars(schema_with = "scene_schema")]
    pub scene: Value,
    /// Time grid.
    pub time: Time,
    /// Plugin that finds contacts.
    #[schemars(schema_with = "plugin_or_name::<Detector>")]
    pub detector: Detector,
    /// Plugin that formulates each step.
    #[schemars(schema_with = "plugin_or_name::<Plugin>")]
    pub stepper: Plugin,
    /// Plugin that solves each step's problem; default: one that takes what the stepper emits, of cones where friction is a
    /// circle (`vinci explain` says which).
    #[schemars(schema_with = "plugin_or_name::<Solver>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solver: Option<Solver>,
    /// Plugins that control, beside the laws of the scene; default none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub controllers: Vec<PluginController>,
    /// Relative natural-map residual above which the referee does not accept a step; default 1e-8.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tolerance: Option<f64>,
    /// Limits of the referee; default those of the reference.
    #[serde(default)]
    pub referee: RefereeLimits,
    /// Where the friction directions of a new spatial contact begin: along its slip, or along a world axis; default slip.
    #[serde(default)]
    pub friction_basis: FrictionBasis,
    /// Outputs of the run.
    #[serde(default)]
    pub record: Record,
    /// Scheduled events; `at` times in ascending order. Default none.
    #[serde(default)]
    pub events: Vec<ScheduledEvent>,
    /// Seed of everything random; default 0.
    pub seed: Option<u64>,
    /// Threads that solve islands (`solver.islands`), 1 to 256; results have the same bits for any number. Default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 256))]
    pub threads: Option<u32>,
}

/// Limits of the referee's checks, as parts of the sizes that belong to them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RefereeLimits {
    /// Momentum, contacts, friction: residuals of the step's equations, every row against its own terms; default 1e-5.
    pub solution: Option<Limit>,
    /// Joints, limits, couplers, loops, dry friction; default 1e-5.
    pub rows: Option<Limit>,
    /// Positions, masses, motion models and contacts against what velocities, scene and shapes make them; default 1e-6.
    pub consistency: Option<Limit>,
    /// Overlap as a part of the thinner shape's thickness; default 0.1.
    pub penetration: Option<Limit>,
    /// Depth of bodies that get across others within a step, as a part of the thinner body's thickness; default 0.1.
    pub passing_through: Option<Limit>,
    /// Energy created by contacts, impacts and joints, as a part of what flowed through a body; default 0.01.
    pub work: Option<Limit>,
}

impl RefereeLimits {
    /// Limit that the experiment gives for a check.
    pub fn of(&self, check: Check) -> Option<Limit> {
        match check {
            Check::Solution => self.solution,
            Check::Rows => self.rows,
            Check::Consistency => self.consistency,
            Check::Penetration => self.penetration,
            Check::PassingThrough => self.passing_through,
            Check::Work => self.work,
        }
    }
}

/// A limit, or whether there is one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Limit {
    /// The limit.
    Value(#[schemars(range(min = 0))] f64),
    /// false: not judged; true: the default.
    Judged(bool),
}

/// Time grid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Size h of a time step, s.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub step: f64,
    /// Simulated time, s.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub duration: f64,
    /// Treatment of contacts that close within a step; default `none`.
    #[serde(default)]
    pub events: ContactEventLocation,
    /// Gap up to which a contact counts as closed when its time is located, m; default 1e-7. At most the gap up to which
    /// the stepper treats a contact as closed.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub event_tolerance: Option<f64>,
    /// Wanted error of the place of every point per step, m: steps are halved and doubled to keep it. `step` is then the
    /// longest. Default: steps are as long as they can be.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tolerance: Option<f64>,
    /// Shortest step that events and `tolerance` may ask for, s; default a millionth of the step.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub min_step: Option<f64>,
    /// Impacts of one contact within a step of the grid; then it has restitution 0 until it opens. Default 10.
    #[schemars(range(min = 1))]
    pub max_impacts: Option<u32>,
    /// Treatment of the gyroscopic torque of spatial bodies; default implicit.
    #[serde(default)]
    pub gyroscopic: Gyroscopic,
}

/// Treatment of contacts that close within a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Events")]
pub enum ContactEventLocation {
    /// Nothing.
    #[default]
    None,
    /// Where a step penetrates it is taken back, and made again up to the time of contact.
    Backup,
    /// The step is shortened beforehand to the predicted time of contact, and corrected where that was wrong.
    Predict,
}

/// Treatment of the gyroscopic torque ω × I ω.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Gyroscopic {
    /// At the new velocity: stable for fast spin.
    #[default]
    Implicit,
    /// At the old velocity.
    Explicit,
    /// Left out.
    None,
}

/// Where the friction directions of a new spatial contact begin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FrictionBasis {
    /// Along the slip.
    #[default]
    Slip,
    /// Along the world axis farthest from the normal.
    Axes,
}

/// Outputs of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Record {
    /// Write every n-th grid time; default 1. Events are always written.
    #[schemars(range(min = 1))]
    pub every: u64,
    /// True to write `contacts.csv`; default true.
    pub contacts: bool,
    /// True to write all accepted steps, also those between grid times; default false.
    pub substeps: bool,
    /// Times, s, whose states are written to `states/` (the first grid time that is not before each of them), beside the
    /// last one; `vinci run --from` goes on there. Default none.
    pub states: Vec<f64>,
    /// Pictures drawn at the end of the run, beside its results; default none.
    pub pictures: Vec<Picture>,
    /// Problems that are kept in `problems.jsonl`, for `vinci bench solvers`; default none.
    pub problems: Option<KeptProblems>,
    /// Form of the tables; default `csv`.
    pub format: TableFormat,
}

/// Form of the tables of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TableFormat {
    /// Text: for few rows.
    #[default]
    Csv,
    /// Parquet: for many rows. Units and frame stand in the metadata of every file. `events.csv` stays text.
    Parquet,
}

/// Problems of a run that are kept. Those that nobody solved always are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeptProblems {
    /// All.
    Always,
    /// Problems that no solver solved, and no others.
    Failed,
    /// All that took at least so long, s.
    SlowerThan(#[schemars(range(min = 0))] f64),
    /// All whose residual, recomputed, is above this one.
    ResidualAbove(#[schemars(range(min = 0))] f64),
}

impl Default for Record {
    fn default() -> Self {
        Self {
            every: 1,
            contacts: true,
            substeps: false,
            states: Vec::new(),
            pictures: Vec::new(),
            problems: None,
            format: TableFormat::Csv,
        }
    }
}

/// A path, or any object: the scene has a schema of its own.
fn scene_schema(_: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({ "oneOf": [
        { "type": "string", "minLength": 1 },
        { "type": "object", "x-format": super::types::SCENE_FORMAT },
    ] })
}
