//! A checked sweep: values and changes of every run.

use vinci_engine::expression::Expression;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, TextSpan};
use vinci_scene::{Documents, Loaded, Node, Override, Path, Value};

use super::level::{DrawOf, Grid, Scalar};
use super::row::RunId;
use super::shape::{Column, Shape};
use super::types::{PathPlan, Sweep};

/// A value that is put at a path of the experiment.
#[derive(Debug, Clone)]
pub(super) enum Put {
    /// A value as it stands.
    Literal(Node),
    /// The text of a parameter, by its number.
    Text(usize, TextSpan),
    /// A formula of the numbers of a rung.
    Formula(Expression, TextSpan),
}

/// A change of the experiment.
#[derive(Debug, Clone)]
pub(super) struct Setting {
    pub(super) path: Path,
    pub(super) path_place: TextSpan,
    pub(super) put: Put,
}

/// Formulas of the outcome, with the place of each.
#[derive(Debug, Clone, Default)]
pub(super) struct OutcomeFormulas {
    pub(super) success: Option<(String, TextSpan)>,
    pub(super) until: Option<(String, TextSpan)>,
    pub(super) fail: Option<(String, TextSpan)>,
    /// Name, formula, place.
    pub(super) measures: Vec<(String, String, TextSpan)>,
}

/// A rung with everything compiled. Its numbers are the parameters it has, then the derived values, under `names`.
#[derive(Debug, Clone)]
pub(super) struct Model {
    pub(super) name: String,
    pub(super) simulates: bool,
    pub(super) samples: Grid,
    pub(super) names: Vec<String>,
    /// Which of the names are texts.
    pub(super) texts: Vec<bool>,
    pub(super) derived: Vec<Expression>,
    pub(super) require: Vec<(Expression, String)>,
    pub(super) path: Option<(PathPlan, TextSpan)>,
    pub(super) goal: TextSpan,
    pub(super) settings: Vec<Setting>,
    /// Plugins of its first run, in words; known once that was tried.
    pub(super) plugins: Vec<String>,
}

/// A sweep that can be run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The sweep as it was written.
    pub sweep: Sweep,
    /// Which runs there are.
    pub shape: Shape,
    pub(super) documents: Documents,
    /// Changes of the command line; they come first.
    pub(super) overrides: Vec<Override>,
    pub(super) cases: Grid,
    pub(super) models: Vec<Model>,
    pub(super) asked: OutcomeFormulas,
}

/// The numbers of a run, with those that are texts beside them.
#[derive(Debug, Clone)]
pub struct Values {
    /// Parameters that the rung has, with their names.
    pub parameters: Vec<(String, Scalar)>,
    /// Under the names of the rung: parameters (NaN for texts), then derived values.
    pub numbers: Vec<f64>,
}

impl Plan {
    /// The values of a run.
    pub fn values(&self, id: RunId) -> Values {
        let model = &self.models[id.rung as usize];
        let seed = self.sweep.seed;
        let common = self.sweep.samples.common.unwrap_or(true);
        let cases = self.cases.values(id.case, self.cases.count, DrawOf { seed, level: 0, case: None });
        let of = DrawOf { seed, level: 1, case: (!common).then_some(id.case) };
        let samples = model.samples.values(id.sample, model.samples.count, of);
        let scalars: Vec<Scalar> = cases.into_iter().chain(samples).collect();
        let mut numbers: Vec<f64> = scalars.iter().map(Scalar::number).collect();
        for formula in &model.derived {
            numbers.push(formula.at(0.0, &numbers));
        }
        let names = model.names.iter().take(scalars.len()).cloned();
        Values { parameters: names.zip(scalars).collect(), numbers }
    }

    /// The parameters as rows write them: all columns of the sweep, empty where the rung lacks one.
    pub fn written(&self, values: &Values) -> Vec<String> {
        let of = |column: &Column| {
            let found = values.parameters.iter().find(|(name, _)| *name == column.name);
            found.map_or_else(String::new, |(_, scalar)| scalar.written())
        };
        self.shape.parameters.iter().map(of).collect()
    }

    /// The experiment of a run.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn experiment(&self, id: RunId) -> Result<Loaded, Diagnostics> {
        self.documents.with(&self.changes(id, &self.values(id))?)
    }

    /// The changes that make the experiment of a run.
    ///
    /// # Errors
    /// A formula without a finite value.
    pub fn changes(&self, id: RunId, values: &Values) -> Result<Vec<Override>, Diagnostics> {
        let mut changes = self.overrides.clone();
        for setting in &self.models[id.rung as usize].settings {
            let node = match &setting.put {
                Put::Literal(node) => node.clone(),
                Put::Text(k, place) => {
                    Node::new(Value::String(values.parameters[*k].1.written()), place.clone())
                }
                Put::Formula(formula, place) => number(formula.at(0.0, &values.numbers), place)
                    .ok_or_else(|| undefined(setting, formula.at(0.0, &values.numbers), place))?,
            };
            changes.push(Override::written(setting.path.clone(), setting.path_place.clone(), node));
        }
        Ok(changes)
    }
}

/// A number as JSON would write it: whole ones without a point, so that they may stand where whole numbers must.
fn number(x: f64, place: &TextSpan) -> Option<Node> {
    let whole = x.fract() == 0.0 && x.abs() < 2.0_f64.powi(53) && !(x == 0.0 && x.is_sign_negative());
    let number = if whole { Some((x as i64).into()) } else { serde_json::Number::from_f64(x) };
    Some(Node::new(Value::Number(number?), place.clone()))
}

fn undefined(setting: &Setting, x: f64, place: &TextSpan) -> Diagnostics {
    let message = format!("the formula for `{}` gives {x}", setting.path);
    Diagnostic::error(Code::NonFinite, message).at(place.clone()).into()
}
