//! Physics that comes with an exchanged plugin: another solver may be one that takes polygons in the place of friction circles.

use serde_json::{Value, json};

use super::factors::{Factor, Kind};
use super::parting::Pair;
use vinci_run::Prepared;
use vinci_scene::diagnostics::Diagnostics;

/// Something that a run takes otherwise once the named things are exchanged in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Along {
    /// Subject: `friction directions`, `bridges`.
    pub what: String,
    /// How A takes it, and how A takes it with the values of B.
    pub how: [String; 2],
}

impl Along {
    pub(super) fn to_json(&self) -> Value {
        json!({ "what": self.what, "values": self.how })
    }
}

/// Finds what comes with the named things, where a plugin is among them.
pub(super) fn along(pair: &Pair<'_>, named: &[&Factor]) -> Result<Vec<Along>, Diagnostics> {
    if !named.iter().any(|factor| matches!(factor.kind, Kind::Stepper | Kind::Solver)) {
        return Ok(Vec::new());
    }
    let paths: Vec<Vec<String>> = named.iter().flat_map(|factor| factor.paths.iter().cloned()).collect();
    let [a, b] = pair.sides;
    // A that does not run with them alone was told of already.
    let Ok(mixed) = a.with(&paths, b).ready(pair.registry) else { return Ok(Vec::new()) };
    Ok(differing(&ways(&a.ready(pair.registry)?), &ways(&mixed)))
}

/// Subjects that are not taken alike, in the order of the first list.
fn differing(a: &[[String; 2]], b: &[[String; 2]]) -> Vec<Along> {
    let of = |list: &[[String; 2]], what: &str| {
        let texts: Vec<&str> =
            list.iter().filter(|[known, _]| known == what).map(|[_, how]| how.as_str()).collect();
        if texts.is_empty() { "not used".to_owned() } else { texts.join("; ") }
    };
    let mut found: Vec<Along> = Vec::new();
    for [what, _] in a.iter().chain(b) {
        let how = [of(a, what), of(b, what)];
        if how[0] != how[1] && !found.iter().any(|known| known.what == *what) {
            found.push(Along { what: what.clone(), how });
        }
    }
    found
}

/// Everything that a run takes from its scene, with the bridges between its stepper and its solvers.
fn ways(run: &Prepared) -> Vec<[String; 2]> {
    let facts = run.physics.facts.iter().map(|fact| [fact.what.to_string(), fact.how.clone()]);
    let emitted = run.route.emitted.iter().map(|class| class.bit()).sum();
    let bridges = run.simulation.solvers.bridge_sentences(emitted);
    let bridges = if bridges.is_empty() { "none".to_owned() } else { bridges.join("; ") };
    facts.chain([["bridges".to_owned(), bridges]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_of_one_side_only_is_told_too() {
        let list = |all: &[[&str; 2]]| -> Vec<[String; 2]> {
            all.iter().map(|one| one.map(str::to_owned)).collect()
        };
        let found = differing(
            &list(&[["friction", "read"], ["friction directions", "8"]]),
            &list(&[["friction", "read"], ["stiffness", "ignored"]]),
        );
        let told: Vec<_> =
            found.iter().map(|one| (one.what.as_str(), one.how.each_ref().map(String::as_str))).collect();
        assert_eq!(
            told,
            [("friction directions", ["8", "not used"]), ("stiffness", ["not used", "ignored"])]
        );
    }
}
