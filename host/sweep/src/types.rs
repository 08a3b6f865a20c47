//! The sweep format, version 1: which experiment, what is varied, what counts as success.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use vinci_scene::experiment::{SWEEP_FORMAT, is_picture};

/// The published schema.
pub fn sweep_schema() -> Value {
    let mut schema = vinci_scene::schema::generate::<Sweep>();
    schema["$id"] = "sweep.schema.json".into();
    schema["title"] = "Vinci sweep, version 1".into();
    vinci_scene::schema::allow_schema_key(&mut schema);
    schema
}

/// An experiment that is run many times with other values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Format and version of the file.
    #[schemars(extend("const" = SWEEP_FORMAT))]
    pub format: String,
    /// Name of the sweep; default: the name of the file.
    pub name: Option<String>,
    /// Description for readers.
    pub description: Option<String>,
    /// The experiment: a path relative to this file, or the experiment itself, whose paths are relative to this file too.
    #[schemars(with = "Reference")]
    pub experiment: Value,
    /// Seed of all draws; default 0.
    #[serde(default)]
    pub seed: u64,
    /// Designs: what is to be chosen. Default: one.
    #[serde(default)]
    pub cases: Level,
    /// Uncertainties: what every case is tried with. Default: one.
    #[serde(default)]
    pub samples: Level,
    /// Named values from formulas of parameters and of names before them.
    #[serde(default)]
    pub derive: BTreeMap<String, String>,
    /// Values of the experiment, `scene.…` of its scene: paths as of `--set`, each with a formula, a name of a text parameter, a
    /// text in single quotes, or any other JSON value as it is.
    #[serde(default)]
    pub set: BTreeMap<String, Value>,
    /// Models from the cheapest to the dearest; default: one, called `run`.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub ladder: Vec<Rung>,
    /// Outcome that is computed from every run.
    #[serde(default)]
    pub outcome: Outcome,
    /// Runs that are left out; default `never`.
    #[serde(default)]
    pub prune: Prune,
    /// Pictures drawn of the finished rows.
    #[serde(default)]
    pub pictures: Vec<Picture>,
}

/// Parameters that are varied together: the full product of a grid, for every point of it `count` random draws.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// Axes; the last one varies fastest.
    #[serde(default)]
    pub grid: BTreeMap<String, Axis>,
    /// Random parameters.
    pub random: Option<Random>,
    /// (samples) True if every case sees the same draws; default true.
    pub common: Option<bool>,
}

/// An axis of a grid: `from`, `to` and `count`, or `values`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// First value.
    pub from: Option<f64>,
    /// Last value.
    pub to: Option<f64>,
    /// How many, evenly spaced.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub count: Option<u32>,
    /// The values one by one: numbers, or texts.
    #[schemars(with = "Option<Vec<Scalar>>")]
    pub values: Option<Vec<Value>>,
}

/// Random parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Random {
    /// How many draws.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub count: Option<u64>,
    /// Distributions by name.
    #[serde(flatten)]
    pub parameters: BTreeMap<String, Distribution>,
}

/// A distribution: exactly one of `uniform`, `log-uniform`, `normal` (with `within`), `integers`, `choice`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Distribution {
    /// (a, b]: evenly.
    pub uniform: Option<[f64; 2]>,
    /// (a, b], a > 0: evenly in the logarithm.
    pub log_uniform: Option<[f64; 2]>,
    /// [mean, standard deviation].
    pub normal: Option<[f64; 2]>,
    /// (normal) [a, b]: what lies outside is drawn anew.
    pub within: Option<[f64; 2]>,
    /// [a, b]: whole numbers from a to b, both included.
    pub integers: Option<[i64; 2]>,
    /// One of these numbers, or texts.
    #[schemars(with = "Option<Vec<Scalar>>")]
    pub choice: Option<Vec<Value>>,
}

/// A file, or what would be in it (of the schema only).
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)] // never made: it only describes the format in the schema
enum Reference {
    File(String),
    Inline(BTreeMap<String, Value>),
}

/// A number or a text (of the schema only).
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)] // never made: it only describes the format in the schema
enum Scalar {
    Number(f64),
    Text(String),
}

/// A model of the ladder: a simulation, unless it has `require` or `path`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rung {
    /// Its name.
    pub name: String,
    /// Conditions on parameters that must hold.
    #[serde(default)]
    pub require: Vec<String>,
    /// A motion without forces that must exist.
    pub path: Option<PathPlan>,
    /// Values laid over the experiment on this rung, as the `set` of the sweep.
    #[serde(default)]
    pub set: BTreeMap<String, Value>,
    /// More uncertain parameters, or another number of samples.
    pub samples: Option<RungSamples>,
    /// True if it is simulated; default: where there is neither `require` nor `path`.
    pub simulate: Option<bool>,
}

impl Rung {
    /// Returns true if it is simulated.
    pub fn simulates(&self) -> bool {
        self.simulate.unwrap_or(self.require.is_empty() && self.path.is_none())
    }
}

/// More uncertain parameters of a rung.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RungSamples {
    /// Their distributions; `count`: samples on this rung, default those of the sweep.
    pub random: Random,
}

/// A way of a planar body among everything that does not move, from where it starts to where `goal` holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PathPlan {
    /// The body.
    pub body: String,
    /// Condition on `BODY.x`, `BODY.y`, `BODY.angle` and parameters.
    pub goal: String,
    /// Where it may go.
    pub region: Region,
    /// Cells along x, y and the angle.
    pub cells: [u32; 3],
    /// How often a cell that is neither certainly free nor certainly blocked may be halved along all three; default 0.
    #[serde(default)]
    #[schemars(range(max = 8))]
    pub halvings: u32,
}

/// A box of places.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// m.
    pub x: [f64; 2],
    /// m.
    pub y: [f64; 2],
    /// rad; where it is a whole turn or more, the two ends are neighbours.
    pub angle: [f64; 2],
}

/// Outcome that is computed from every run. Formulas are of the state, as in `trajectory.csv` (`BODY.x`, `BODY.omega`), of t, and of parameters.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// Condition at the end; default: that the end was reached.
    pub success: Option<String>,
    /// Values at the end.
    #[serde(default)]
    pub measure: BTreeMap<String, String>,
    /// The run ends at the first grid time where this holds.
    pub until: Option<String>,
    /// The run ends without success at the first grid time where this holds.
    pub fail: Option<String>,
}

/// Runs that are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Prune {
    /// Nothing: every sample of every case is run on every rung.
    #[default]
    Never,
    /// A sample climbs to the next rung when it succeeded on the one before.
    Sample,
    /// A case ends at its first sample without success; only cases all of whose samples succeed climb.
    Case,
}

/// Returns true if a picture can be written under this name into a directory, and nowhere else.
pub(crate) fn is_file_of_picture(file: &str) -> bool {
    is_picture(file) && !file.contains(['/', '\\', ':'])
}

/// A picture: `map` or `histogram`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Picture {
    /// File in the directory of results, `….svg` or `….png`.
    pub file: String,
    /// A map over two parameters of the cases.
    pub map: Option<Map>,
    /// A histogram.
    pub histogram: Option<Histogram>,
}

impl Picture {
    /// Returns true if it can be drawn into a directory: a file of it alone, and as many bins as the schema allows.
    pub(crate) fn is_sound(&self) -> bool {
        let bins = self.histogram.as_ref().and_then(|histogram| histogram.bins);
        is_file_of_picture(&self.file) && bins.is_none_or(|n| (1..=1000).contains(&n))
    }

    /// The rung it names.
    pub fn rung(&self) -> Option<&str> {
        let map = self.map.as_ref().and_then(|m| m.rung.as_deref());
        map.or_else(|| self.histogram.as_ref()?.rung.as_deref())
    }
}

/// A map over two parameters of the cases.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Map {
    /// Parameter to the right.
    pub x: String,
    /// Parameter upwards.
    pub y: String,
    /// `success` (its rate), or a measure (its mean).
    pub value: String,
    /// Rung; default the last.
    pub rung: Option<String>,
    /// Title.
    pub title: Option<String>,
    /// Text along the axis across, with the unit; default the name of the parameter.
    pub x_label: Option<String>,
    /// Text along the axis up; default the name of the parameter.
    pub y_label: Option<String>,
    /// Text along the scale of colours; default the value's name.
    pub value_label: Option<String>,
}

/// A histogram of a measure or parameter over all rows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Histogram {
    /// Measure or parameter.
    pub of: String,
    /// Bins; default 30.
    #[schemars(range(min = 1, max = 1000))]
    pub bins: Option<u32>,
    /// Rung; default the last.
    pub rung: Option<String>,
    /// Title.
    pub title: Option<String>,
    /// Text along the axis across, with the unit; default the name of what is counted.
    pub x_label: Option<String>,
    /// Text along the axis up; default `runs`.
    pub y_label: Option<String>,
}
