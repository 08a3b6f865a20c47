//! Formulas and conditions over the state of a simulation: `cup.y < -0.1 and abs(cup.angle) < 1`.
//!
//! Variables are the labels of columns of `trajectory.csv` ([`vinci_engine::labels`]): `BODY.x`, `BODY.omega`, `TREE.JOINT.q`; beside them `t` and `pi`.

use vinci_core::model::System;

use crate::diagnostics::{Code, Diagnostic, TextSpan};
use vinci_engine::expression::{Expression, ExpressionError, is_true};
use vinci_engine::labels;

/// Names of all coordinates q, then of all velocities v, in the order of the state.
pub fn names(system: &System) -> Vec<String> {
    let blocks: Vec<_> = (0..system.n_blocks()).map(|b| labels::block(system, b)).collect();
    let side = |k: usize| blocks.iter().flat_map(move |b| b[k].iter().map(ToString::to_string));
    side(0).chain(side(1)).collect()
}

/// A formula or condition over (t, q, v).
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    expression: Expression,
}

impl Formula {
    /// Compiles `text` for states whose numbers have these [`names`].
    ///
    /// # Errors
    /// What cannot be read, with its place in the text.
    pub fn parse(text: &str, names: &[String]) -> Result<Self, ExpressionError> {
        Ok(Self { expression: Expression::value(text, &borrowed(names))? })
    }

    /// Reads a condition.
    ///
    /// # Errors
    /// What cannot be read, with its place in the text.
    pub fn condition(text: &str, names: &[String]) -> Result<Self, ExpressionError> {
        Ok(Self { expression: Expression::condition(text, &borrowed(names))? })
    }

    /// The value at time t, s, and a state (q, v): 1 and 0 for conditions that hold and do not. `scratch` is memory.
    pub fn at(&self, t: f64, q: &[f64], v: &[f64], scratch: &mut Vec<f64>) -> f64 {
        scratch.clear();
        scratch.extend_from_slice(q);
        scratch.extend_from_slice(v);
        self.expression.at(t, scratch)
    }

    /// Returns true if the condition holds: the value is neither 0 nor undefined.
    pub fn holds(&self, t: f64, q: &[f64], v: &[f64], scratch: &mut Vec<f64>) -> bool {
        is_true(self.at(t, q, v, scratch))
    }
}

fn borrowed(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

/// The finding for a formula that stands as a string at `whole`.
pub fn finding(error: ExpressionError, text: &str, whole: TextSpan) -> Diagnostic {
    // Inside the quotes; with escapes in the string the letters do not line up, and all of it is marked.
    let unescaped = whole.end - whole.start == text.len() + 2;
    let place = if unescaped { whole.part(1 + error.start, 1 + error.end) } else { whole };
    Diagnostic::error(Code::BadExpression, error.message).at(place).help(error.help)
}
