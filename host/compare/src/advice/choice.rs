//! The model that is recommended first.

use serde_json::{Value, json};
use vinci_core::problem::ProblemClass;
use vinci_engine::pipeline::ProblemForm;
use vinci_engine::ranking::ranking;
use vinci_engine::registry::Registry;
use vinci_run::ready;
use vinci_scene::Loaded;
use vinci_scene::diagnostics::Diagnostics;

use super::{Advice, Suited, is_of_tests};

/// A recommendation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Id of the stepper.
    pub stepper: String,
    /// Id of the solver.
    pub solver: String,
    /// True for the model that the experiment names itself.
    pub is_own: bool,
}

/// Ids of the stepper and the solver of an experiment as it is; none where it does not run.
pub fn own_model(loaded: Result<Loaded, Diagnostics>, registry: &Registry) -> Option<[String; 2]> {
    let prepared = ready(loaded.ok()?, registry, false, None).ok()?;
    let solver = prepared.solvers.first()?.manifest.id.clone();
    Some([prepared.stepper.manifest.id.clone(), solver])
}

/// The experiment's own model if it takes everything from the scene; else the first that does, of those whose law gets least wrong. Laws
/// with layers come after the others: where nothing is soft they have nothing to say.
pub fn first_choice(all: &[Advice], own: Option<[String; 2]>) -> Option<Choice> {
    let choice = |advice: &Advice, model: &Suited, is_own| Choice {
        stepper: advice.stepper.clone(),
        solver: model.solver.clone(),
        is_own,
    };
    let named = own.and_then(|[stepper, solver]| {
        let advice = all.iter().find(|advice| advice.stepper == stepper)?;
        let model = advice.models.iter().find(|m| suits(m) && m.solver == solver)?;
        Some(choice(advice, model, true))
    });
    let wanted = |m: &&Suited| suits(m) && !is_of_tests(&m.solver);
    let first = || {
        let steppers = all.iter().filter(|advice| !is_of_tests(&advice.stepper));
        let suiting = steppers.filter(|advice| advice.models.iter().any(|m| wanted(&m)));
        let advice = suiting.min_by_key(|advice| (advice.wrong.len(), advice.is_compliant))?;
        let model = advice.models.iter().filter(wanted).min_by_key(|m| rank(m))?;
        Some(choice(advice, model, false))
    };
    named.or_else(first)
}

/// Returns true if the model takes everything from the scene, and failed in no step that was tried.
fn suits(model: &Suited) -> bool {
    model.departs.is_empty() && model.cost.as_ref().is_none_or(|cost| cost.failure.is_none())
}

/// Place of the solver in the order of `auto` for problems of this class; those that it does not name come last.
fn rank(model: &Suited) -> usize {
    let class = ProblemClass::ALL.into_iter().find(|class| class.name() == model.class);
    let forms = class.map_or(&[][..], ProblemForm::of_class);
    let places = forms.iter().filter_map(|form| ranking(*form).iter().position(|r| r.id == model.solver));
    places.min().unwrap_or(usize::MAX)
}

impl Choice {
    /// JSON for programs.
    pub fn to_json(&self) -> Value {
        json!({ "stepper": self.stepper, "solver": self.solver, "own": self.is_own })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advice(stepper: &str, wrong: usize, models: &[(&str, &[&str])]) -> Advice {
        let model = |(solver, departs): &(&str, &[&str])| Suited {
            solver: (*solver).to_owned(),
            class: "Cone",
            departs: departs.iter().map(|what| (*what).to_owned()).collect(),
            cost: None,
        };
        Advice {
            stepper: stepper.to_owned(),
            wrong: vec!["something".to_owned(); wrong],
            models: models.iter().map(model).collect(),
            ..Advice::default()
        }
    }

    fn chosen(all: &[Advice], own: Option<[&str; 2]>) -> Option<(String, String, bool)> {
        first_choice(all, own.map(|ids| ids.map(str::to_owned))).map(|c| (c.stepper, c.solver, c.is_own))
    }

    /// A plugin that is there to test hosts was told first.
    #[test]
    fn no_plugin_of_tests_is_recommended() {
        let all = [
            advice("test.stepper.liar", 0, &[("test.solver.liar", &[]), ("vinci.solver.nsgs", &[])]),
            advice("a", 1, &[("vinci.solver.nsgs", &[])]),
            advice(
                "b",
                0,
                &[("test.solver.liar", &[]), ("vinci.solver.clarabel", &[]), ("vinci.solver.nsgs", &[])],
            ),
        ];
        let expected =
            |stepper: &str, is_own| Some((stepper.to_owned(), "vinci.solver.nsgs".to_owned(), is_own));
        assert_eq!(chosen(&all, None), expected("b", false));
        assert_eq!(chosen(&all, Some(["a", "vinci.solver.nsgs"])), expected("a", true));
    }

    #[test]
    fn what_departs_is_not_the_first_choice() {
        let all = [advice("a", 0, &[("s", &["friction"])]), advice("b", 2, &[("s", &[])])];
        assert_eq!(chosen(&all, Some(["a", "s"])), Some(("b".to_owned(), "s".to_owned(), false)));
        assert_eq!(chosen(&all[..1], Some(["a", "s"])), None);
    }

    /// A stepper for soft contacts was the first choice of rigid scenes, by its place in the alphabet.
    #[test]
    fn a_law_for_soft_contacts_is_the_last_of_equals() {
        let soft = Advice { is_compliant: true, ..advice("a", 0, &[("s", &[])]) };
        let first = |other: Advice| chosen(&[soft.clone(), other], None).map(|c| c.0);
        assert_eq!(first(advice("b", 0, &[("s", &[])])), Some("b".to_owned()));
        assert_eq!(first(advice("b", 1, &[("s", &[])])), Some("a".to_owned()));
    }
}
