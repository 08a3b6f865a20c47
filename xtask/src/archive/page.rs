//! The page of the book that says how solvers did on the archive.

use serde_json::Value;

use super::recorded::{Archive, EVERY, LIMIT, LONGEST, STEPS, UNKNOWNS};
use crate::shell::{put, root};

/// Answers of all solvers on the problems of one class.
pub(super) struct Solved {
    pub(super) class: String,
    /// File of the performance profile, beside the other figures of the book.
    pub(super) picture: String,
    /// The object that `vinci bench solvers --json` prints.
    pub(super) said: Value,
}

/// Writes it.
pub(super) fn write(archive: &Archive, solved: &[Solved]) -> Result<(), String> {
    let count: usize = archive.problems.values().map(Vec::len).sum();
    let mut text = format!(
        "<!-- Written by cargo xtask archive. -->\n\n# Solvers on the problems of the shipped scenes\n\n\
         {count} problems: of every [experiment that ships](scenes-that-ship.md) under its own model and under five steppers, {STEPS} steps each, one \
         problem of every {EVERY}. {} of these runs have problems; {} have none, because the stepper refuses the scene, nothing touches, the run took \
         more than {LONGEST} s, or problems have callbacks (TAMSI and implicit Euler). {} problems with more than {UNKNOWNS} unknowns are left out. \
         Every solver is given every problem that its class takes or a bridge leads to, and has {LIMIT} s for it: what takes longer counts as not \
         solved. The host judges each answer; where a bridge is approximate (polygons in the place of friction cones, for solvers that take no cones) it \
         judges the problem behind the bridge. Times are of one machine; compare them with one another, not with yours.\n\n\
         The profiles (Dolan and Moré 2002) show the part of the problems that a solver solves within a multiple of the least time that any of them needs.\n",
        archive.runs[0], archive.runs[1], archive.large
    );
    for one in solved {
        text += &section(one, &archive.sizes(&one.class));
    }
    put(&root().join("docs/src/reference/solvers-measured.md"), &text)
}

fn section(solved: &Solved, sizes: &[u64]) -> String {
    let Solved { class, picture, said } = solved;
    let mut text =
        format!("\n## {class}\n\n![Performance profile of class {class}](../figures/{picture})\n\n");
    let at = |part: f64| sizes.get((part * sizes.len() as f64) as usize).copied().unwrap_or(0);
    text += &format!(
        "Half of these {} problems have up to {} unknowns, nine tenths up to {}, the largest {}.\n\n",
        sizes.len(),
        at(0.5),
        at(0.9),
        sizes.last().copied().unwrap_or(0)
    );
    text += "| solver | given | to 1e-6 | to 1e-8 | out of time | no solution, proved | false claims | median ms | 90 % within, ms |\n";
    text += "|---|---|---|---|---|---|---|---|---|\n";
    for solver in said["solvers"].as_array().into_iter().flatten() {
        let name = solver["solver"].as_str().unwrap_or_default();
        let rows: Vec<_> = solver["results"].as_array().into_iter().flatten().collect();
        let given: Vec<_> = rows.iter().filter(|row| row["refused"].is_null()).collect();
        if given.is_empty() {
            text += &format!("| `{name}` | 0 of {} | | | | | | | |\n", rows.len());
            continue;
        }
        let count = |of: &dyn Fn(&Value) -> bool| given.iter().filter(|row| of(row)).count();
        let below = |most: f64| {
            count(&|row| row["status"] == "Converged" && row["residual"].as_f64().is_some_and(|r| r <= most))
        };
        let proved = count(&|row| row["proven"] == true);
        let wrong = count(&|row| row["false_success"] == true);
        let late = count(&|row| row["in_time"] == false);
        let (median, most) = times(&given);
        text += &format!(
            "| `{name}` | {} of {} | {} | {} | {late} | {proved} | {wrong} | {median:.3} | {most:.1} |\n",
            given.len(),
            rows.len(),
            below(1e-6),
            below(1e-8)
        );
    }
    text + &bridges(said)
}

/// Solvers that were given another class of problem, with the first route that says so.
fn bridges(said: &Value) -> String {
    let line = |solver: &Value| {
        let rows = solver["results"].as_array()?;
        let route = rows.iter().find_map(|row| row["bridge"].as_str())?;
        Some(format!("- `{}` was given them as {route}\n", solver["solver"].as_str()?))
    };
    let lines: String = said["solvers"].as_array().into_iter().flatten().filter_map(line).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

/// Median of the times, and what nine tenths of them stay within, ms.
fn times(given: &[&&Value]) -> (f64, f64) {
    let mut ms: Vec<f64> = given.iter().filter_map(|row| row["seconds"].as_f64()).map(|s| 1e3 * s).collect();
    ms.sort_by(f64::total_cmp);
    let at = |part: f64| ms.get((part * ms.len() as f64) as usize).copied().unwrap_or(0.0);
    (at(0.5), at(0.9))
}
