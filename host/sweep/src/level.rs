//! Cases and samples: their number, and the value of every parameter for each.

use super::draw::Draw;
use serde_json::Value as Json;

/// A value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

impl Scalar {
    /// The number, NaN for texts.
    pub fn number(&self) -> f64 {
        match self {
            Self::Number(x) => *x,
            Self::Text(_) => f64::NAN,
        }
    }

    /// The value as rows write it: the shortest decimal that reads back to the same bits.
    pub fn written(&self) -> String {
        match self {
            Self::Number(x) => written(*x),
            Self::Text(text) => text.clone(),
        }
    }
}

/// Shortest decimal that reads back to the same bits; −0 is 0, what is not a number is empty.
pub fn written(x: f64) -> String {
    if x.is_nan() { String::new() } else { ryu::Buffer::new().format(x + 0.0).to_owned() }
}

/// A distribution that was checked.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Law {
    /// (a, b].
    Uniform([f64; 2]),
    /// (a, b], evenly in the logarithm.
    LogUniform([f64; 2]),
    /// Mean, deviation, bounds.
    Normal([f64; 2], [f64; 2]),
    /// Both ends included.
    Integers([i64; 2]),
    /// One of these.
    Choice(Vec<Scalar>),
}

/// Draws of a bounded normal number at most; bounds are checked so that this many are never needed.
const ATTEMPTS: u64 = 1_000_000;

impl Law {
    /// The value that belongs to a draw.
    pub(super) fn value(&self, draw: &Draw<'_>) -> Scalar {
        let u = draw.unit(0);
        match self {
            Self::Uniform([a, b]) => Scalar::Number(a + (b - a) * u),
            Self::LogUniform([a, b]) => Scalar::Number((a.ln() + (b / a).ln() * u).exp().clamp(*a, *b)),
            Self::Normal([mean, deviation], [a, b]) => {
                let inside = |x: &f64| a <= x && x <= b;
                let drawn = (0..ATTEMPTS).map(|k| mean + deviation * draw.normal(k)).find(inside);
                Scalar::Number(drawn.unwrap_or_else(|| mean.clamp(*a, *b)))
            }
            Self::Integers([a, b]) => {
                let n = (b - a) as f64 + 1.0;
                Scalar::Number(*a as f64 + (n * u).floor().min(n - 1.0))
            }
            Self::Choice(of) => of[((of.len() as f64 * u) as usize).min(of.len() - 1)].clone(),
        }
    }

    /// Returns true if its values are texts.
    pub(super) fn is_text(&self) -> bool {
        matches!(self, Self::Choice(of) if matches!(of[0], Scalar::Text(_)))
    }
}

/// Cases, or samples: a full grid, and for every point of it the same `count` draws.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Grid {
    /// Axes with their values, the last varies fastest.
    pub axes: Vec<(String, Vec<Scalar>)>,
    /// Random parameters.
    pub random: Vec<(String, Law)>,
    /// Draws for every point of the grid.
    pub count: u64,
}

impl Grid {
    /// Points of the grid without draws; 1 without axes.
    pub(super) fn points(&self) -> u64 {
        self.axes.iter().map(|(_, values)| values.len() as u64).product()
    }

    /// Returns true if its points and draws can be counted.
    pub(super) fn is_countable(&self) -> bool {
        let lengths = self.axes.iter().map(|(_, values)| values.len() as u64);
        lengths.chain([self.count]).try_fold(1_u64, u64::checked_mul).is_some()
    }

    /// Value of axis k at a point of the grid.
    pub(super) fn at(&self, k: usize, point: u64) -> Scalar {
        let (_, values) = &self.axes[k];
        let stride: u64 = self.axes[k + 1..].iter().map(|(_, v)| v.len() as u64).product();
        values[(point / stride % values.len() as u64) as usize].clone()
    }

    /// All values for number `index`, axes before random parameters, with `count` draws for every point.
    pub(super) fn values(&self, index: u64, count: u64, of: DrawOf) -> Vec<Scalar> {
        let (point, index) = (index / count, index % count);
        let axes = (0..self.axes.len()).map(|k| self.at(k, point));
        let DrawOf { seed, level, case } = of;
        let random =
            self.random.iter().map(|(name, law)| law.value(&Draw { seed, level, case, index, name }));
        axes.chain(random).collect()
    }
}

/// Data that the draws of a level have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DrawOf {
    /// Seed of the sweep.
    pub seed: u64,
    /// 0: cases, 1: samples.
    pub level: u64,
    /// Case of samples that are not common.
    pub case: Option<u64>,
}

/// A value that may stand for a number or a text.
pub(super) fn scalar(value: &Json) -> Option<Scalar> {
    value.as_f64().map(Scalar::Number).or_else(|| value.as_str().map(|t| Scalar::Text(t.to_owned())))
}
