//! The solver that `auto` asks first: by the form and the size of a problem alone, so that the same problem goes the same way.
//!
//! The table names ids of plugins. Its order and its sizes come from measurements: see the page
//! `theory/solvers.md` of the book. No choice changes the model: approximate bridges are left out.

use crate::pipeline::ProblemForm;

/// The name that asks for the choice.
pub const AUTO: &str = "auto";

/// A solver of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranked {
    /// Its id.
    pub id: &'static str,
    /// The sizes of problems that it is for.
    pub sizes: Sizes,
}

/// Sizes of problems, in unknowns, that a solver is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Most up to which it is asked before the ones behind it; beyond, after them.
    pub first: usize,
    /// Most up to which it is asked at all where another solver is there: its work grows too fast to end beyond.
    pub any: usize,
}

const fn ranked(id: &'static str, first: usize, any: usize) -> Ranked {
    Ranked { id, sizes: Sizes { first, any } }
}

/// No limit.
const ANY: usize = usize::MAX;
/// Behind the others at any size.
const LAST: usize = 0;

const MLCP: [Ranked; 3] = [
    ranked("vinci.solver.lemke", ANY, ANY),
    ranked("vinci.solver.newton", ANY, ANY),
    ranked("vinci.solver.pgs", ANY, ANY),
];
/// Beyond 700 unknowns the first comes second; the last, behind a bridge, is last at any size.
const CONE: [Ranked; 3] = [
    ranked("vinci.solver.nsgs", 700, ANY),
    ranked("vinci.solver.accelerated-gs", ANY, ANY),
    ranked("vinci.solver.clarabel", LAST, ANY),
];
/// The first has n² work in each of its pivots, whose number grows faster than n.
const LINEAR: [Ranked; 2] =
    [ranked("vinci.solver.active-set", 110, 900), ranked("vinci.solver.clarabel", ANY, ANY)];
const CONIC: [Ranked; 1] = [ranked("vinci.solver.clarabel", ANY, ANY)];
const QPCC: [Ranked; 1] = [ranked("vinci.solver.branch-and-bound", ANY, ANY)];
const ROOT: [Ranked; 1] = [ranked("vinci.solver.newton-tals", ANY, ANY)];

/// The solver that decides by cases what the others leave open; up to 24 unknowns that ends.
const BY_CASES: [Ranked; 1] = [ranked("vinci.solver.branch-and-bound", ANY, 24)];

/// Solvers that come behind those of [`ranking`] where a problem of a file is to be solved. A run does without: its stepper would have to
/// keep to what a bridge leads to them.
pub fn behind(form: ProblemForm) -> &'static [Ranked] {
    if form == ProblemForm::Mlcp { &BY_CASES } else { &[] }
}

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

/// Places among solvers of these sizes in the order in which a problem of `n` unknowns is given to them. One that it is too large for
/// has no place, unless it is too large for all.
pub fn places(sizes: &[Sizes], n: usize) -> impl Iterator<Item = usize> + Clone {
    let nobody = sizes.iter().all(|s| n > s.any);
    let rank = move |s: &Sizes| match n {
        _ if n <= s.first.min(s.any) => 0,
        _ if nobody || n <= s.any => 1,
        _ => 2,
    };
    (0..2).flat_map(move |r| (0..sizes.len()).filter(move |&k| rank(&sizes[k]) == r))
}

/// Sizes that the solvers of a chain are for: those of the table that has all of them; no limits where none has.
pub fn sizes_of(chain: &[&str]) -> Vec<Sizes> {
    let find = |table: &[Ranked], id: &str| table.iter().find(|r| r.id == id).map(|r| r.sizes);
    let all = |table: &[Ranked]| chain.iter().map(|id| find(table, id)).collect::<Option<Vec<_>>>();
    let found = [&MLCP[..], &CONE, &LINEAR, &CONIC, &QPCC, &ROOT].into_iter().find_map(all);
    found.unwrap_or_else(|| vec![Sizes { first: ANY, any: ANY }; chain.len()])
}

/// "vinci.solver.active-set up to 110 unknowns (none beyond 900 unknowns), then vinci.solver.clarabel" of a chain.
pub fn chain_sentence(chain: &[&str]) -> String {
    let one = |(id, Sizes { first, any }): (&&str, Sizes)| {
        let first =
            if matches!(first, ANY | LAST) { String::new() } else { format!(" up to {first} unknowns") };
        let any = if any == ANY { String::new() } else { format!(" (none beyond {any} unknowns)") };
        format!("{id}{first}{any}")
    };
    chain.iter().zip(sizes_of(chain)).map(one).collect::<Vec<_>>().join(", then ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(form: ProblemForm, n: usize) -> Vec<&'static str> {
        let (table, sizes): (_, Vec<Sizes>) =
            (ranking(form), ranking(form).iter().map(|r| r.sizes).collect());
        places(&sizes, n).map(|k| &table[k].id["vinci.solver.".len()..]).collect()
    }

    #[test]
    fn sizes_decide_who_is_first() {
        assert_eq!(order(ProblemForm::Linear, 110), ["active-set", "clarabel"]);
        assert_eq!(order(ProblemForm::Linear, 111), ["clarabel", "active-set"]);
        assert_eq!(order(ProblemForm::Cone, 700), ["nsgs", "accelerated-gs", "clarabel"]);
        assert_eq!(order(ProblemForm::Cone, 701), ["accelerated-gs", "nsgs", "clarabel"]);
        let chain: Vec<&str> = ranking(ProblemForm::Linear).iter().map(|r| r.id).collect();
        let sentence = "vinci.solver.active-set up to 110 unknowns (none beyond 900 unknowns), then vinci.solver.clarabel";
        assert_eq!(chain_sentence(&chain), sentence);
    }

    /// The dense solver was asked where another one had failed on 3000 unknowns, and did not come back.
    #[test]
    fn a_solver_whose_work_does_not_end_is_no_fallback() {
        assert_eq!(order(ProblemForm::Linear, 900), ["clarabel", "active-set"]);
        assert_eq!(order(ProblemForm::Linear, 901), ["clarabel"]);
        let alone = sizes_of(&["vinci.solver.active-set"]);
        assert_eq!(places(&alone, 901).collect::<Vec<_>>(), [0], "nobody else is there");
    }
}
