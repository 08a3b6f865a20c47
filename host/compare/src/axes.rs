//! Which runs a comparison consists of: all combinations of what is varied, without those that are left out.

use std::path::PathBuf;

use vinci_scene::{Override, Path};

/// One of the things varied.
#[derive(Debug, Clone)]
pub struct Axis {
    /// Quantity: `model`, `stepper`, `step`, a path.
    pub name: String,
    /// Its values.
    pub choices: Vec<Choice>,
}

/// A value of an axis.
#[derive(Debug, Clone)]
pub struct Choice {
    /// Name of the value in tables.
    pub text: String,
    /// The change.
    pub overrides: Vec<Override>,
    /// A motion that was recorded elsewhere, in the place of a run.
    pub motion: Option<Outsider>,
}

/// Files of a motion that was recorded elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outsider {
    /// The motion.
    pub trajectory: PathBuf,
    /// Its contact forces.
    pub contacts: Option<PathBuf>,
}

/// A run of a comparison.
#[derive(Debug, Clone)]
pub struct Combination {
    /// The values of all axes, in their order.
    pub values: Vec<String>,
    /// Changes of the experiment, in this order.
    pub overrides: Vec<Override>,
    /// The motion that is judged in the place of a run, if the model is one that was recorded elsewhere.
    pub motion: Option<Outsider>,
}

/// Values that do not meet: texts by the place of their axis.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Exclusion(pub(crate) Vec<(usize, Vec<String>)>);

impl Exclusion {
    fn holds(&self, values: &[String]) -> bool {
        self.0.iter().all(|(axis, texts)| values.get(*axis).is_some_and(|value| texts.contains(value)))
    }
}

impl Combination {
    /// Name of the directory of the run.
    pub fn folder(&self) -> String {
        self.values.join("+").replace('/', "_")
    }

    /// Name of the run in sentences.
    pub fn label(&self) -> String {
        self.values.join(", ")
    }
}

/// Returns true if an axis of this name stands for a value of the time grid, in s.
pub fn is_of_time_grid(name: &str) -> bool {
    matches!(name, "step" | "duration")
}

/// Where a value of an axis of this name goes: names of the time grid's values to those, other names are paths.
pub(crate) fn path_of(name: &str) -> Option<Path> {
    if is_of_time_grid(name) { Some(Path::root().join("time").join(name)) } else { Path::parse(name) }
}

/// Combinations of a comparison at most, before any is left out; a sweep takes more.
pub(crate) const MOST: usize = 10_000;

/// The number of all combinations, where they are not more than [`MOST`].
pub(crate) fn count(axes: &[Axis]) -> Option<usize> {
    let all = axes.iter().try_fold(1_usize, |all, axis| all.checked_mul(axis.choices.len()));
    all.filter(|all| *all <= MOST)
}

/// All combinations, the last axis fastest; `base` is changed in every run, before the values of the axes.
pub(crate) fn combinations(base: &[Override], axes: &[Axis], exclusions: &[Exclusion]) -> Vec<Combination> {
    let first = Combination { values: Vec::new(), overrides: base.to_vec(), motion: None };
    let all = axes.iter().fold(vec![first], |sofar, axis| {
        let with = |head: &Combination| axis.choices.iter().map(|c| head.with(c)).collect::<Vec<_>>();
        sofar.iter().flat_map(with).collect()
    });
    all.into_iter().filter(|c| !exclusions.iter().any(|e| e.holds(&c.values))).collect()
}

impl Combination {
    fn with(&self, choice: &Choice) -> Self {
        let mut longer = self.clone();
        longer.values.push(choice.text.clone());
        longer.overrides.extend(choice.overrides.iter().cloned());
        longer.motion = longer.motion.or_else(|| choice.motion.clone());
        longer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(name: &str, texts: &[&str]) -> Axis {
        let choice = |text: &&str| Choice { text: (*text).to_owned(), overrides: Vec::new(), motion: None };
        Axis { name: name.to_owned(), choices: texts.iter().map(choice).collect() }
    }

    #[test]
    fn all_combinations_but_those_left_out_come_in_the_order_of_their_axes() {
        let axes = [axis("model", &["a", "b"]), axis("solver", &["x", "y", "z"])];
        let labels = |exclusions: &[Exclusion]| -> Vec<String> {
            combinations(&[], &axes, exclusions).iter().map(Combination::folder).collect()
        };
        assert_eq!(labels(&[]), ["a+x", "a+y", "a+z", "b+x", "b+y", "b+z"]);
        let both = Exclusion(vec![(0, vec!["a".into()]), (1, vec!["x".into(), "z".into()])]);
        assert_eq!(labels(std::slice::from_ref(&both)), ["a+y", "b+x", "b+y", "b+z"]);
        let whole = Exclusion(vec![(0, vec!["b".into()])]);
        assert_eq!(labels(&[both, whole]), ["a+y"]);
    }
}
