//! Questions that are asked of a run: formulas over its state and its parameters.

use vinci_core::model::System;

use vinci_engine::expression::{Expression, is_true};
use vinci_engine::pipeline::Simulation;
use vinci_scene::diagnostics::{Diagnostics, TextSpan};
use vinci_scene::formula::names;

use super::compile::{Read, formula_of};
use super::level::written;
use super::plan::{Model, OutcomeFormulas};

/// The compiled formulas of one run.
pub(super) struct Outcomes {
    success: Option<Expression>,
    until: Option<Expression>,
    fail: Option<Expression>,
    measures: Vec<Expression>,
    scratch: Vec<f64>,
}

impl Outcomes {
    /// For the states of `system`, then the numbers of a rung.
    pub(super) fn of(asked: &OutcomeFormulas, system: &System, model: &Model) -> Result<Self, Diagnostics> {
        let mut known = names(system);
        known.extend(model.names.iter().cloned());
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let mut diagnostics = Diagnostics::new();
        let mut compiled = |read: Read, text: &str, place: &TextSpan| {
            formula_of(read, text, &known, &model.texts, place).map_err(|wrong| diagnostics.push(wrong)).ok()
        };
        let mut one = |given: &Option<(String, TextSpan)>| {
            given.as_ref().and_then(|(t, p)| compiled(Expression::condition, t, p))
        };
        let (success, until, fail) = (one(&asked.success), one(&asked.until), one(&asked.fail));
        let measures =
            asked.measures.iter().filter_map(|(_, t, p)| compiled(Expression::value, t, p)).collect();
        diagnostics.accept(|_| Self { success, until, fail, measures, scratch: Vec::new() })
    }

    fn at(scratch: &mut Vec<f64>, formula: &Expression, simulation: &Simulation, numbers: &[f64]) -> f64 {
        scratch.clear();
        for part in [simulation.q(), simulation.v(), numbers] {
            scratch.extend_from_slice(part);
        }
        formula.at(simulation.time(), scratch)
    }

    /// Returns true if the run is over.
    pub(super) fn ends(&mut self, simulation: &Simulation, numbers: &[f64]) -> bool {
        self.until.as_ref().is_some_and(|f| is_true(Self::at(&mut self.scratch, f, simulation, numbers)))
    }

    /// Returns true if the run is over without success.
    pub(super) fn fails(&mut self, simulation: &Simulation, numbers: &[f64]) -> bool {
        self.fail.as_ref().is_some_and(|f| is_true(Self::at(&mut self.scratch, f, simulation, numbers)))
    }

    /// Returns true if the end is a success.
    pub(super) fn succeeds(&mut self, simulation: &Simulation, numbers: &[f64]) -> bool {
        self.success.as_ref().is_none_or(|f| is_true(Self::at(&mut self.scratch, f, simulation, numbers)))
    }

    /// The measures, as rows write them.
    pub(super) fn measures(&mut self, simulation: &Simulation, numbers: &[f64]) -> Vec<String> {
        let (scratch, measures) = (&mut self.scratch, &self.measures);
        measures.iter().map(|f| written(Self::at(scratch, f, simulation, numbers))).collect()
    }
}
