//! The solver that `auto` asks first: by the form and the size of a problem alone, so that the same problem goes the same way.
//!
//! The table names ids of plugins. Its order comes from measurements, and its two sizes lie between two of them: see the page
//! `theory/solvers.md` of the book. No choice changes the model: approximate bridges are left out.

use crate::pipeline::ProblemForm;

/// The name that asks for the choice.
pub const AUTO: &str = "auto";

/// A solver of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranked {
    /// Its id.
    pub id: &'static str,
    /// Most unknowns up to which it is asked before the ones behind it; beyond, after them.
    pub largest: usize,
}

const fn ranked(id: &'static str, largest: usize) -> Ranked {
    Ranked { id, largest }
}

/// No limit.
const ANY: usize = usize::MAX;

const MLCP: [Ranked; 3] =
    [ranked("vinci.solver.lemke", ANY), ranked("vinci.solver.newton", ANY), ranked("vinci.solver.pgs", ANY)];
/// Beyond 700 unknowns the first comes last.
const CONE: [Ranked; 3] = [
    ranked("vinci.solver.nsgs", 700),
    ranked("vinci.solver.accelerated-gs", ANY),
    ranked("vinci.solver.clarabel", ANY),
];
const LINEAR: [Ranked; 2] = [ranked("vinci.solver.active-set", 110), ranked("vinci.solver.clarabel", ANY)];
const CONIC: [Ranked; 1] = [ranked("vinci.solver.clarabel", ANY)];
const QPCC: [Ranked; 1] = [ranked("vinci.solver.branch-and-bound", ANY)];
const ROOT: [Ranked; 1] = [ranked("vinci.solver.newton-tals", ANY)];

/// The solvers of a form of problems, best first up to their sizes.
pub fn ranking(form: ProblemForm) -> &'static [Ranked] {
    match form {
        ProblemForm::Mlcp => &MLCP,
        ProblemForm::Cone => &CONE,
        ProblemForm::Linear => &LINEAR,
        ProblemForm::Conic => &CONIC,
        ProblemForm::Qpcc => &QPCC,
        ProblemForm::Root => &ROOT,
    }
}

/// The solvers of a form in the order in which a problem of `n` unknowns is given to them.
pub fn order(form: ProblemForm, n: usize) -> impl Iterator<Item = Ranked> {
    let part = move |fits: bool| ranking(form).iter().copied().filter(move |r| (n <= r.largest) == fits);
    part(true).chain(part(false))
}

/// Most unknowns up to which the solver of an id is asked before the ones behind it; no limit for those that the table has not.
pub fn largest(id: &str) -> usize {
    let all = [&MLCP[..], &CONE, &LINEAR, &CONIC, &QPCC, &ROOT];
    all.into_iter().flatten().find(|r| r.id == id).map_or(ANY, |r| r.largest)
}

/// "vinci.solver.active-set up to 60 unknowns, then vinci.solver.clarabel" of a chain.
pub fn chain_sentence<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let one = |id: &str| match largest(id) {
        ANY => id.to_owned(),
        n => format!("{id} up to {n} unknowns"),
    };
    ids.map(one).collect::<Vec<_>>().join(", then ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_decide_who_is_first_and_nobody_is_left_out() {
        let ids = |n| order(ProblemForm::Linear, n).map(|r| r.id).collect::<Vec<_>>();
        assert_eq!(ids(110), ["vinci.solver.active-set", "vinci.solver.clarabel"]);
        assert_eq!(ids(111), ["vinci.solver.clarabel", "vinci.solver.active-set"]);
        let cones = |n| order(ProblemForm::Cone, n).map(|r| r.id["vinci.solver.".len()..].to_owned());
        assert_eq!(cones(700).collect::<Vec<_>>(), ["nsgs", "accelerated-gs", "clarabel"]);
        assert_eq!(cones(701).collect::<Vec<_>>(), ["accelerated-gs", "clarabel", "nsgs"]);
        assert_eq!(
            chain_sentence(ranking(ProblemForm::Linear).iter().map(|r| r.id)),
            "vinci.solver.active-set up to 110 unknowns, then vinci.solver.clarabel"
        );
    }
}
