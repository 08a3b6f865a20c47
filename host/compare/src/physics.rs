//! Differences in what the runs of a comparison take from their scene: the block "not the same physics".

use serde_json::{Value, json};

use crate::section::Listing;
use vinci_run::physics::{Fact, Physics};

/// One thing that is not the same in all runs, or not what the scene says in any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Subject.
    what: String,
    /// How it is taken, and by which runs, in the order of the runs.
    ways: Vec<(String, Vec<String>)>,
    /// True if these are all runs that there are.
    are_all: bool,
}

/// Parameters that a run takes from its scene, with the bridges over which its problems went to solvers.
pub fn with_bridges(physics: &Physics, bridges: &[String]) -> Physics {
    let how = if bridges.is_empty() { "none".to_owned() } else { bridges.join("; ") };
    let mut physics = physics.clone();
    physics.facts.push(Fact { what: "bridges".into(), how, departs: false });
    physics
}

/// Distances from a command that are no more than this are rounding, m or rad.
const ROUNDING: f64 = 1e-9;

/// Parameters that a run takes from its scene, with the commands of its drives: `missed` is its largest distance from one, m or rad; none
/// under a stepper that may not miss any.
pub fn with_commands(physics: &Physics, missed: Option<f64>) -> Physics {
    let (how, departs) = match missed {
        None => ("must be obeyed".to_owned(), false),
        Some(most) if most <= ROUNDING => ("may be missed, and were not".to_owned(), false),
        Some(most) => (format!("may be missed, and were by up to {most:.1e} m or rad"), true),
    };
    let mut physics = physics.clone();
    physics.facts.push(Fact { what: "commands".into(), how, departs });
    physics
}

/// A run in the block: its model, its own label, what it takes.
#[derive(Debug, Clone)]
pub struct Taken {
    /// Values of the run without those of the time grid.
    pub model: String,
    /// All values of the run.
    pub run: String,
    /// Parameters that it takes.
    pub physics: Physics,
}

/// Runs with their labels: one for each model whose runs take everything alike, whatever their steps; otherwise one for each run.
pub fn by_model(runs: &[Taken]) -> Vec<(String, Physics)> {
    let mut known: Vec<(String, Physics)> = Vec::new();
    for taken in runs {
        let of_model = || runs.iter().filter(|other| other.model == taken.model);
        let are_alike = of_model().all(|other| other.physics.facts == taken.physics.facts);
        let is_model = are_alike && !taken.model.is_empty();
        let label = if is_model { &taken.model } else { &taken.run };
        if !known.iter().any(|(one, _)| one == label) {
            known.push((label.clone(), taken.physics.clone()));
        }
    }
    known
}

/// Differences between the runs with these labels, or from the scene. `are_all`: beside them there are no others.
pub fn differences(runs: &[(String, Physics)], are_all: bool) -> Vec<Difference> {
    let mut whats: Vec<&str> = Vec::new();
    for fact in runs.iter().flat_map(|(_, physics)| &physics.facts) {
        if !whats.contains(&&*fact.what) {
            whats.push(&fact.what);
        }
    }
    whats.into_iter().filter_map(|what| difference(what, runs, are_all)).collect()
}

fn difference(what: &str, runs: &[(String, Physics)], are_all: bool) -> Option<Difference> {
    let (mut ways, mut departs): (Vec<(String, Vec<String>)>, bool) = (Vec::new(), false);
    for (label, physics) in runs {
        let facts: Vec<&Fact> = physics.facts.iter().filter(|f| f.what == what).collect();
        departs |= facts.iter().any(|f| f.departs);
        let how = facts.iter().map(|f| f.how.as_str()).collect::<Vec<_>>().join("; ");
        match ways.iter_mut().find(|(known, _)| *known == how) {
            Some((_, labels)) => labels.push(label.clone()),
            None => ways.push((how, vec![label.clone()])),
        }
    }
    (departs || ways.len() > 1).then(|| Difference { what: what.to_owned(), ways, are_all })
}

/// Text for people; empty where nothing differs.
pub fn block(differences: &[Difference]) -> String {
    if differences.is_empty() {
        return String::new();
    }
    let line = |[what, who, how]: [String; 3]| format!("  {what:<20} {who}: {how}\n");
    let lines = differences.iter().flat_map(Difference::rows).map(line);
    std::iter::once("not the same physics\n".to_owned()).chain(lines).collect()
}

/// Rows for the page of a comparison; nothing where nothing differs.
pub fn listing(differences: &[Difference]) -> Option<Listing> {
    let rows: Vec<Vec<String>> = differences.iter().flat_map(Difference::rows).map(Vec::from).collect();
    let head = vec!["of the scene", "runs", "how they take it"];
    (!rows.is_empty()).then_some(Listing { title: "Not the same physics", head, rows })
}

impl Difference {
    /// Subject (in the first row), runs, and how they take it: a row for each way.
    fn rows(&self) -> Vec<[String; 3]> {
        let row = |(k, (how, labels)): (usize, &(String, Vec<String>))| {
            let what = if k == 0 { self.what.clone() } else { String::new() };
            let is_of_all = self.are_all && self.ways.len() == 1;
            let who = if is_of_all { "all".to_owned() } else { labels.join(" | ") };
            [what, who, if how.is_empty() { "not used".to_owned() } else { how.clone() }]
        };
        self.ways.iter().enumerate().map(row).collect()
    }
}

/// The differences as JSON, for programs.
pub fn as_json(differences: &[Difference]) -> Value {
    let ways = |d: &Difference| -> Vec<Value> {
        d.ways.iter().map(|(how, runs)| json!({ "how": how, "runs": runs })).collect()
    };
    differences.iter().map(|d| json!({ "what": d.what, "ways": ways(d) })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn physics(facts: &[(&'static str, &str, bool)]) -> Physics {
        let fact = |(what, how, departs): &(&'static str, &str, bool)| Fact {
            what: (*what).into(),
            how: (*how).to_owned(),
            departs: *departs,
        };
        Physics { facts: facts.iter().map(fact).collect(), told: Vec::new() }
    }

    #[test]
    fn what_is_the_same_and_as_the_scene_says_is_not_told() {
        let one = physics(&[("friction", "read", false), ("stiffness", "ignored (1 N/m)", true)]);
        let two = physics(&[("friction", "read", false), ("stiffness", "ignored (1 N/m)", true)]);
        let found = differences(&[("a".into(), one.clone()), ("b".into(), two.clone())], true);
        assert_eq!(block(&found), "not the same physics\n  stiffness            all: ignored (1 N/m)\n");
        let row = ["stiffness", "all", "ignored (1 N/m)"].map(str::to_owned).to_vec();
        assert_eq!(listing(&found).map(|listing| listing.rows), Some(vec![row]));
        assert_eq!(listing(&[]), None);
        // Beside motions of other simulators "all" said something of them.
        let own = differences(&[("a".into(), one.clone()), ("b".into(), two.clone())], false);
        assert_eq!(block(&own), "not the same physics\n  stiffness            a | b: ignored (1 N/m)\n");
        let plain = physics(&[("friction", "read", false)]);
        assert_eq!(
            block(&differences(&[("a".into(), plain.clone()), ("b".into(), plain.clone())], true)),
            ""
        );
    }

    #[test]
    fn bridges_are_told_where_they_differ() {
        let plain = physics(&[]);
        let bridged = with_bridges(&plain, &["b: Mlcp as Qpcc (exact)".to_owned()]);
        let direct = with_bridges(&plain, &[]);
        let runs = [("a".to_owned(), direct), ("b".to_owned(), bridged.clone())];
        let block = block(&differences(&runs, true));
        assert_eq!(
            block,
            "not the same physics\n  bridges              a: none\n                       b: b: Mlcp as Qpcc (exact)\n"
        );
        assert!(differences(&[("a".into(), bridged.clone()), ("b".into(), bridged)], true).is_empty());
    }

    #[test]
    fn runs_that_take_a_thing_alike_stand_together() {
        let (dynamic, quasi) =
            (physics(&[("motion", "dynamic", false)]), physics(&[("motion", "quasi-static", false)]));
        let runs = [
            ("st, lemke".to_owned(), dynamic.clone()),
            ("qp, a".to_owned(), quasi),
            ("st, b".to_owned(), dynamic),
        ];
        assert_eq!(
            block(&differences(&runs, true)),
            "not the same physics\n  motion               st, lemke | st, b: dynamic\n                       qp, a: quasi-static\n"
        );
    }

    /// A model that ended beside the commands of its drives stood in the table as the one that came to its end where others rightly failed.
    #[test]
    fn commands_that_were_missed_are_told() {
        let plain = physics(&[]);
        let runs = |missed: f64| {
            [
                ("st".to_owned(), with_commands(&plain, None)),
                ("qp".to_owned(), with_commands(&plain, Some(missed))),
            ]
        };
        assert_eq!(
            block(&differences(&runs(0.03), true)),
            "not the same physics\n  commands             st: must be obeyed\n                       qp: may be missed, and were by up to 3.0e-2 m or rad\n"
        );
        assert!(block(&differences(&runs(1e-17), true)).contains("qp: may be missed, and were not"));
        let alone = [("qp".to_owned(), with_commands(&plain, Some(0.03)))];
        assert!(block(&differences(&alone, true)).contains("all: may be missed"));
    }

    /// Every step of a model was named for itself, in a line of a screen.
    #[test]
    fn steps_of_a_model_stand_as_one_where_they_take_everything_alike() {
        let taken = |model: &str, step: &str, how: &str| Taken {
            model: model.to_owned(),
            run: format!("{model}, {step}"),
            physics: physics(&[("friction", how, false)]),
        };
        let runs = vec![
            taken("a", "1", "cone"),
            taken("a", "2", "cone"),
            taken("b", "1", "cone"),
            taken("b", "2", "none"),
        ];
        let labels: Vec<String> = by_model(&runs).into_iter().map(|(label, _)| label).collect();
        assert_eq!(labels, ["a", "b, 1", "b, 2"]);
    }
}
