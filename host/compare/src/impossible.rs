//! Combinations that cannot run: a stepper that refuses the scene, a solver that its problems do not reach.

use serde::{Deserialize, Serialize};

use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, Severity};

/// Reason why a combination is not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotRun {
    /// Reason, in sentences.
    pub reason: String,
    /// Names of the findings' kinds.
    pub codes: Vec<String>,
}

/// Kinds of findings that are of a combination, not of the comparison: what does not fit together, options that a plugin does not have,
/// a start from which a model cannot go.
const OF_COMBINATIONS: [Code; 4] = [Code::Contradiction, Code::BadOption, Code::Overlap, Code::OpenJoint];

impl NotRun {
    /// Reason in the findings about a combination; nothing where the comparison itself is wrong: a file that cannot be read, a
    /// plugin that is not there or broke the contract, a value out of its range.
    pub fn of(diagnostics: &Diagnostics) -> Option<Self> {
        let errors: Vec<&Diagnostic> = diagnostics.iter().filter(|f| f.severity == Severity::Error).collect();
        let of_combination = |f: &&Diagnostic| OF_COMBINATIONS.contains(&f.code);
        (!errors.is_empty() && errors.iter().all(of_combination)).then(|| Self {
            reason: errors.iter().map(|f| f.message.as_str()).collect::<Vec<_>>().join("; "),
            codes: errors.iter().map(|f| f.code.name().to_owned()).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_the_comparison_is_no_impossible_combination() {
        let found = |codes: &[Code]| {
            let mut all = Diagnostics::new();
            all.push(Diagnostic::warning(Code::Physics, "ignores"));
            codes.iter().for_each(|code| all.push(Diagnostic::error(*code, code.name())));
            NotRun::of(&all).map(|not| not.reason)
        };
        assert_eq!(found(&[Code::Contradiction, Code::Overlap]), Some("contradiction; overlap".into()));
        assert_eq!(found(&[Code::Contradiction, Code::UnknownKey]), None);
        assert_eq!(found(&[Code::Plugin]), None);
        assert_eq!(found(&[]), None);
    }
}
