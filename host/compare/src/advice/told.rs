//! Advice for people.

use super::{Advice, Choice, Cost, is_of_tests};

/// The recommendation, then all steppers with their models.
pub fn text(all: &[Advice], first: Option<&Choice>) -> String {
    let mut out = match first {
        Some(Choice { stepper, solver, is_own: true }) => {
            format!("first choice: {stepper} with {solver}, as the experiment has it\n")
        }
        Some(Choice { stepper, solver, .. }) => format!("first choice: {stepper} with {solver}\n"),
        None => "first choice: none; no model takes everything from the scene\n".to_owned(),
    };
    let (others, steppers): (Vec<&Advice>, Vec<&Advice>) =
        all.iter().partition(|advice| is_of_tests(&advice.stepper));
    out.extend(steppers.iter().map(|advice| advice.text()));
    if !others.is_empty() {
        out.push_str("others, which test hosts\n");
        out.extend(others.iter().map(|advice| advice.text()));
    }
    out
}

impl Advice {
    /// A stepper and its models. Every departure is told once: with a number where not all models have it.
    fn text(&self) -> String {
        let mut out = format!("{}\n", self.stepper);
        let mut line = |head: &str, text: &str| {
            out.push_str(format!("  {head:<11} {text}").trim_end());
            out.push('\n');
        };
        self.faults.iter().for_each(|fault| line("at fault", fault));
        if let Some(why) = &self.refused {
            line("cannot run", why);
        }
        self.wrong.iter().for_each(|what| line("gets wrong", what));
        let (of_all, of_some) = self.departures();
        of_all.iter().for_each(|what| line("departs", what));
        (1..).zip(&of_some).for_each(|(n, what)| line(&format!("departs [{n}]"), what));
        for model in &self.models {
            let numbers = (1..).zip(&of_some).filter(|(_, what)| model.departs.contains(what));
            let numbers: String = numbers.map(|(n, _)| format!(" [{n}]")).collect();
            let cost = model.cost.as_ref().map_or_else(String::new, Cost::text);
            let head = if model.departs.is_empty() { "suits".to_owned() } else { format!("runs{numbers}") };
            line(&head, &format!("{:<32} {:<6}{cost}", model.solver, model.class));
        }
        out
    }

    /// Departures of all models, and those of some alone, each once.
    fn departures(&self) -> (Vec<&String>, Vec<&String>) {
        let mut known: Vec<&String> = Vec::new();
        for what in self.models.iter().flat_map(|model| &model.departs) {
            if !known.contains(&what) {
                known.push(what);
            }
        }
        known.into_iter().partition(|what| self.models.iter().all(|model| model.departs.contains(what)))
    }
}

impl Cost {
    fn text(&self) -> String {
        let Self { steps, per_step, iterations, failure } = self;
        let numbers =
            format!(" {:>9.1} µs a step, {iterations:.1} iterations ({steps} steps)", 1e6 * per_step);
        match failure {
            None => numbers,
            Some(why) => format!("{numbers}; then {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Suited;
    use super::*;

    /// A departure stood up to three times below its stepper.
    #[test]
    fn a_departure_is_told_once_below_its_stepper() {
        let model = |solver: &str, departs: &[&str]| Suited {
            solver: solver.to_owned(),
            class: "Cone",
            departs: departs.iter().map(|what| (*what).to_owned()).collect(),
            cost: None,
        };
        let models = vec![
            model("s", &["motion"]),
            model("t", &["motion", "polygon"]),
            model("u", &["damping", "motion", "polygon"]),
        ];
        let stepper = "st".to_owned();
        let advice = Advice { stepper, models, ..Advice::default() };
        let expected = "st\n  departs     motion\n  departs [1] polygon\n  departs [2] damping\n  runs        s                                Cone\n  \
                        runs [1]    t                                Cone\n  runs [1] [2] u                                Cone\n";
        assert_eq!(advice.text(), expected);
    }
}
