//! Reasons why a cell is not right, in a few words: a reader tells the known limit of a model from a fault of a solver.

use serde_json::Value;

/// Letters of a reason at most.
const MOST: usize = 180;

/// Failure of a run, by what its summary says of it.
pub(super) fn of_failure(failure: &Value) -> String {
    let text = |key: &str| failure[key].as_str().unwrap_or_default();
    let message = text("message");
    let words = match (text("kind"), text("outcome")) {
        // The host has checked the proof, else the outcome would be another one.
        ("solver", "Infeasible") => "no solution exists (proved)".to_owned(),
        ("solver", "Unbounded") => "nothing holds a body (proved)".to_owned(),
        ("solver", outcome) => format!("its solver ends with {outcome}"),
        ("refused", _) => {
            let why = message.split_once(" refuses: ").map_or(message, |(_, why)| why);
            format!("refused: {}", first_clause(why))
        }
        ("stepper", _) => first_clause(message).to_owned(),
        (kind, _) => format!("{kind}: {}", first_clause(message)),
    };
    cell(&words)
}

/// Refusal of the referee.
pub(super) fn of_refusal(refusal: &Value) -> String {
    let criterion = refusal["criterion"].as_str().unwrap_or("unknown");
    let place = if refusal["impact"] == true { " in an impact" } else { "" };
    cell(&format!("criterion `{criterion}` of the referee{place}"))
}

/// Parameters that a model that is off takes from the scene in another sense, or not at all.
pub(super) fn of_departures(departs: &[String]) -> String {
    if departs.is_empty() {
        return "takes all of the scene: its law gives another motion".to_owned();
    }
    let short = |what: &String| {
        // The name of the stepper stands in the row already.
        let words = what.strip_prefix("vinci.stepper.").and_then(|rest| rest.split_once(' '));
        first_clause(words.map_or(what.as_str(), |(_, rest)| rest)).to_owned()
    };
    let mut all: Vec<String> = departs.iter().map(short).collect();
    all.dedup();
    cell(&all.join("; "))
}

/// Reason of a combination that could not be run.
pub(super) fn of_not_run(reason: &str) -> String {
    cell(reason)
}

/// The beginning of a sentence, up to what explains it.
fn first_clause(text: &str) -> &str {
    let ends = [": ", "; ", " (", ". "].iter().filter_map(|mark| text.find(mark));
    ends.min().map_or(text, |end| &text[..end])
}

/// Text for a cell of the table: one line, without commas, not too long.
fn cell(text: &str) -> String {
    let line =
        text.replace([',', '\n', '\r', '|', '"'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn proofs_limits_and_refusals_are_told_apart() {
        let solver =
            |outcome: &str| of_failure(&json!({ "kind": "solver", "outcome": outcome, "message": "step 1" }));
        assert_eq!(solver("Infeasible"), "no solution exists (proved)");
        assert_eq!(solver("MaxIterations"), "its solver ends with MaxIterations");
        let refused = json!({ "kind": "refused",
            "message": "step 2: vinci.stepper.x refuses: body `mug`, is loaded where nothing holds it: there is no equilibrium" });
        assert_eq!(of_failure(&refused), "refused: body `mug` is loaded where nothing holds it");
        assert_eq!(of_refusal(&json!({ "criterion": "gap-jump" })), "criterion `gap-jump` of the referee");
        let long = of_not_run(&"x ".repeat(200));
        assert_eq!(long.chars().count(), MOST + 1);
    }

    #[test]
    fn a_model_that_is_off_says_what_it_ignores() {
        let departs = [
            "vinci.stepper.a ignores `restitution` (0.8 between `a` and `b`)".to_owned(),
            "vinci.stepper.a reads `friction` in another sense: relaxed, it hovers".to_owned(),
        ];
        assert_eq!(of_departures(&departs), "ignores `restitution`; reads `friction` in another sense");
        assert!(of_departures(&[]).starts_with("takes all of the scene"));
    }
}
