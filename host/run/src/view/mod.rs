//! `vinci view`: runs as one page that draws them, offline. `host/run/assets/view/FORMAT.md` is the contract with the scripts of the page.
//!
//! - [`page`]: the page from its parts; `block`: arrays of numbers;
//! - [`RunFiles`]: a directory of results, read back; `tables`, `sparse`: its tables, whole or a part of their rows;
//! - `bodies`, `rods`, `contacts`, `columns`, `certificates`: its parts in the form of the page.

mod block;
mod bodies;
mod certificates;
mod columns;
mod contacts;
mod page;
mod rods;
mod run_files;
mod sparse;
mod tables;
mod thinned;

use serde_json::{Value, json};

pub use block::Block;
pub use page::{escaped, page};
pub use rods::rods;
pub use run_files::{ContactRow, INTERRUPTED, REFUSED, RunFiles, State, SupportRow};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// `format` of the page's header.
pub const VIEW_FORMAT: &str = "vinci/view@1";

/// Bytes of numbers of all runs together that a page has at most, unless [`FEWEST`] frames are more.
const MOST_BYTES: usize = 15_000_000;

/// Frames that are kept of every run, as far as there are so many.
const FEWEST: usize = 100;

/// The header and the block of a page of runs.
///
/// # Errors
/// Tables that are not what the run's scene makes them; runs of scenes with other bodies.
pub fn of_runs(runs: &[RunFiles], title: &str) -> Result<(Value, Block), Diagnostics> {
    let mut block = Block::default();
    let most = MOST_BYTES / runs.len().max(1);
    let others = runs.iter().skip(1).find_map(|run| Some((run, unlike(&runs[0], run)?)));
    if let Some((other, how)) = others {
        let message = format!("{} is of another scene than the first run: {how}", other.directory.display());
        let help = "runs of one scene are drawn together: view them one by one";
        return Err(Diagnostic::error(Code::Usage, message).help(help).into());
    }
    let named = runs.iter().zip(names(runs));
    let made: Vec<Value> =
        named.map(|(run, name)| of_run(run, &name, most, &mut block)).collect::<Result<_, _>>()?;
    let space = runs.first().map_or("planar", RunFiles::space);
    Ok((json!({ "format": VIEW_FORMAT, "title": title, "space": space, "runs": made }), block))
}

/// Names of all runs: those that have one in common are told apart by their directories.
fn names(runs: &[RunFiles]) -> Vec<String> {
    let plain: Vec<String> = runs.iter().map(RunFiles::name).collect();
    let is_shared = |name: &String| plain.iter().filter(|other| *other == name).count() > 1;
    let named = |(run, name): (&RunFiles, &String)| match is_shared(name) {
        true => format!("{name} ({})", run.directory_name()),
        false => name.clone(),
    };
    runs.iter().zip(&plain).map(named).collect()
}

/// How the scene of another run differs from the first one's, if in space or bodies.
fn unlike(first: &RunFiles, other: &RunFiles) -> Option<String> {
    if first.space() != other.space() {
        return Some(format!("it is {}, the first {}", other.space(), first.space()));
    }
    let [here, there] =
        [first, other].map(|run| run.system.bodies.iter().map(|b| b.name.as_str()).collect::<Vec<_>>());
    let missing =
        here.iter().find(|name| !there.contains(name)).map(|name| format!("it has no body `{name}`"));
    let more = there.iter().find(|name| !here.contains(name)).map(|name| format!("it has a body `{name}`"));
    missing.or(more)
}

/// One run. `most`: bytes of its numbers.
fn of_run(run: &RunFiles, name: &str, most: usize, block: &mut Block) -> Result<Value, Diagnostics> {
    let contacts = run.contact_rows()?;
    let states = run.states()?;
    let every = every(run, states.len(), contacts.len(), most);
    let kept = kept(states.len(), every);
    let frames = bodies::frames(run, &states, &kept);
    let times: Vec<f64> = kept.iter().map(|&k| states[k].t).collect();
    let shown = contacts::shown(run, &contacts, &times, &frames.origin, block)?;
    let columns = columns::all(run, &states, &kept, block)?;
    let refused = run.refusal().map(|why| format!("the referee does not accept this run: {why}"));
    let mut notes: Vec<String> = refused.into_iter().collect();
    if every > 1 {
        notes.push(format!("one of every {every} recorded states is here, of {}", states.len()));
    }
    if let Some((some, all)) = run.part_of_states() {
        notes.push(format!(
            "{some} states are here, evenly spaced, of about {all:.0} recorded ones: `vinci view` without --live reads all"
        ));
    }
    Ok(json!({
        "name": name, "status": run.status(), "origin": frames.origin,
        "recorded": states.len(), "every": every,
        "time": block.f64(&times),
        "bodies": frames.bodies, "shapes": bodies::shapes(run, block), "lines": frames.lines,
        "pose": block.f32(&frames.pose),
        "contacts": shown, "supports": columns::supports(run, &times, block)?,
        "columns": columns, "events": run.events()?, "certificates": certificates::of_run(run, &states, &frames.origin)?, "notes": notes,
    }))
}

/// The smallest n of which every n-th state makes no more than `most` bytes.
fn every(run: &RunFiles, states: usize, contacts: usize, most: usize) -> usize {
    let moving = run.system.bodies.iter().filter(|body| !body.is_static).count();
    let a_frame = 8 + 4 * run.system.space.nq() * moving + 12 * run.system.supports.len() + 8;
    let all = states * a_frame + contacts * contacts::BYTES;
    let largest = (states / FEWEST).max(1);
    all.div_ceil(most.max(1)).clamp(1, largest)
}

/// Every n-th state, the last one too.
fn kept(states: usize, every: usize) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..states).step_by(every).collect();
    if let Some(last) = states.checked_sub(1)
        && kept.last() != Some(&last)
    {
        kept.push(last);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_state_are_kept() {
        assert_eq!(kept(10, 4), [0, 4, 8, 9]);
        assert_eq!(kept(9, 4), [0, 4, 8]);
        assert_eq!(kept(1, 7), [0]);
        assert!(kept(0, 3).is_empty());
    }
}
