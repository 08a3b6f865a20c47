//! Saved states: everything that a simulation's future depends on, as JSON with exact numbers.
//!
//! Plugins' states are kept as the bytes they are (hexadecimal), under the id, options and library they belong to; a run that
//! goes on with another plugin lets that one begin anew.

mod file;

use std::path::{Path, PathBuf};

use vinci_core::clock::seconds;
use vinci_core::model::System;
use vinci_core::referee::Memory;

use super::scheduled_events::{self, difference, layout};
use crate::atomic_write::write_json;
use crate::prepared::Prepared;
use crate::sealed::Ledger;
use crate::used::Used;
use file::OfPlugin;
pub(super) use file::StateFile;
use vinci_engine::pipeline::{Carried, Passing, Simulation, Snapshot, State};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::{Path as NodePath, grid_number, read_format};

/// Directory of states among the results.
const STATES: &str = "states";
/// The state a run ends in.
pub(super) const END: &str = "states/end.json";

/// State that a run began in, where it went on from a saved one.
pub const START: &str = "states/start.json";

/// `format` of saved states.
pub const STATE_FORMAT: &str = "vinci/state@1";

/// The states that a run is asked to write on its way.
pub(super) struct States {
    directory: PathBuf,
    /// Number of the grid time and the time as it was asked for, ascending.
    due: Vec<(u64, f64)>,
}

impl States {
    /// States at `times`, s, that are not before the simulation's.
    pub(super) fn new(directory: &Path, times: &[f64], simulation: &Simulation) -> Self {
        let number = |t: &f64| (grid_number(*t, simulation.settings.step), *t);
        let mut due: Vec<_> = times.iter().map(number).collect();
        due.retain(|(k, _)| *k >= simulation.grid_count());
        due.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        Self { directory: directory.to_owned(), due }
    }

    /// Writes what is due where the simulation stands.
    pub(super) fn at_grid(&mut self, prepared: &Prepared, files: &mut Ledger) -> std::io::Result<()> {
        let now = prepared.simulation.grid_count();
        let n = self.due.iter().take_while(|(k, _)| *k <= now).count();
        for (_, t) in self.due.drain(..n) {
            let name = format!("{STATES}/{t}.json");
            write(prepared, &self.directory.join(STATES), &format!("{t}.json"))?;
            files.add(&self.directory, &name)?;
        }
        Ok(())
    }
}

/// Writes the state a run begins in among its results, where that is not the start of its experiment.
pub(super) fn write_start(prepared: &Prepared, results: &Path, files: &mut Ledger) -> std::io::Result<()> {
    if prepared.simulation.grid_count() == 0 {
        return Ok(());
    }
    write(prepared, &results.join(STATES), "start.json")?;
    files.add(results, START)
}

/// Writes the state a run ends in among its results.
pub(super) fn write_end(prepared: &Prepared, results: &Path, files: &mut Ledger) -> std::io::Result<()> {
    write(prepared, &results.join(STATES), "end.json")?;
    files.add(results, END)
}

/// Writes the state a run stands in.
fn write(prepared: &Prepared, directory: &Path, name: &str) -> std::io::Result<()> {
    std::fs::create_dir_all(directory)?;
    // Whole or not at all: an older state at this place stays until the new one is there.
    write_json(directory, name, &state_of(prepared))
}

/// The state a run stands in.
pub(super) fn state_of(prepared: &Prepared) -> StateFile {
    let simulation = &prepared.simulation;
    let snapshot = simulation.snapshot();
    let fired = prepared.scheduled.fired().iter().map(|f| f.event);
    StateFile {
        format: STATE_FORMAT.into(),
        time: snapshot.state.t,
        grid_step: simulation.settings.step,
        layout: layout(simulation),
        shapes: shapes(&simulation.system),
        events: prepared.loaded.experiment.events.clone(),
        happened: prepared.scheduled.replayed().iter().copied().chain(fired).collect(),
        plugins: used(prepared)
            .zip(&snapshot.plugins)
            .enumerate()
            .map(|(place, (used, bytes))| OfPlugin::new(used, further(prepared, place), bytes))
            .collect(),
        controllers: controlling(prepared, &snapshot),
        simulation: (&snapshot).into(),
    }
}

/// Puts the run that a state is of where it stood: the same experiment, with the very plugins. `passing` and `seen`: where its last
/// step began, and what the referee saw there.
///
/// # Errors
/// A sentence that says in what the state and the run differ.
pub(super) fn put_back(
    prepared: &mut Prepared,
    file: &StateFile,
    (passing, seen): (&Passing, &[f64]),
) -> Result<(), String> {
    scheduled_events::replay(prepared, &file.happened).map_err(|found| found.to_string())?;
    let all = |states: Vec<Option<Vec<u8>>>| states.into_iter().collect::<Option<Vec<_>>>();
    let (plugins, stages) = states_of_plugins(file, prepared)
        .and_then(|carried| Some((all(carried.plugins)?, all(carried.stages)?)))
        .ok_or("the plugins are not those that wrote it")?;
    if difference(&file.layout, &layout(&prepared.simulation)).is_some() {
        return Err("it is of another scene".to_owned());
    }
    let saved = file.snapshot(file.simulation.grid);
    if let Some(why) = misfit(prepared, file, &saved) {
        return Err(format!("its state is damaged: {why}"));
    }
    let referee = saved.referee.clone().with_places(seen);
    let state = State { passing: passing.clone(), ..saved.state };
    let snapshot = Snapshot { state, referee, plugins, stages, ..saved };
    prepared.simulation.restore(&snapshot).map_err(|error| error.message)
}

/// States of the controllers.
fn controlling(prepared: &Prepared, snapshot: &Snapshot) -> Vec<OfPlugin> {
    let stages = prepared.controllers.iter().zip(&snapshot.stages);
    stages.map(|(used, bytes)| OfPlugin::new(used, &[], bytes)).collect()
}

/// Detector, stepper, solvers: in the order of a snapshot.
fn used(prepared: &Prepared) -> impl Iterator<Item = &Used> {
    [&prepared.detector, &prepared.stepper].into_iter().chain(&prepared.solvers)
}

/// Plugins that share a state with the one at `place` of a snapshot: the other detectors.
fn further(prepared: &Prepared, place: usize) -> &[Used] {
    if place == 0 { &prepared.others } else { &[] }
}

/// Hash of the shapes, on which detectors' states depend.
fn shapes(system: &System) -> String {
    crate::record::text_hash(&format!("{:?}", system.shapes))
}

/// Puts a prepared run where a saved state stands. Events of earlier times have fired, and are replayed;
/// where the state is from a run with the same events, those with conditions too that fired there.
///
/// # Errors
/// A state of another layout, of a time that is no grid time here or not before the end, or that a plugin refuses.
pub fn resume(prepared: &mut Prepared, path: &Path) -> Result<(), Diagnostics> {
    let node = read_format(path, STATE_FORMAT)?;
    let bad = |message: String, key: &str, help: &str| -> Diagnostics {
        let place = node.place_of(&NodePath::root().join(key));
        Diagnostic::error(Code::Contradiction, message).at(place.part(0, 1)).help(help).into()
    };
    let file: StateFile = serde_json::from_value(node.to_json())
        .map_err(|error| Diagnostic::error(Code::WrongType, error.to_string()).at(node.place.part(0, 1)))?;
    go_on_from(prepared, &file, &bad)?;
    let rebuilt = of_other_builds(&file, prepared).map(|id| {
        let message = format!("{id} is another build than the one whose state was saved, and begins anew");
        let place = node.place_of(&NodePath::root().join("plugins")).part(0, 1);
        Diagnostic::warning(Code::Contradiction, message)
            .at(place)
            .help("for the same bits run with the same library")
    });
    let rebuilt: Vec<Diagnostic> = rebuilt.collect();
    prepared.warnings.extend(rebuilt);
    Ok(())
}

/// Where a run stands, in memory.
#[derive(Debug)]
pub struct SavedState(StateFile);

impl SavedState {
    /// Where a run stands now.
    pub fn of(prepared: &Prepared) -> Self {
        Self(state_of(prepared))
    }

    /// Puts another prepared run there, as [`resume`] does.
    ///
    /// # Errors
    /// As of [`resume`].
    pub fn resume(&self, prepared: &mut Prepared) -> Result<(), Diagnostics> {
        let bad = |message: String, _: &str, help: &str| -> Diagnostics {
            Diagnostic::error(Code::Contradiction, message).help(help).into()
        };
        go_on_from(prepared, &self.0, &bad)
    }
}

/// Says what is wrong with a state: a message, the key that it is about, a next step.
type Refusal<'a> = &'a dyn Fn(String, &str, &str) -> Diagnostics;

fn go_on_from(prepared: &mut Prepared, file: &StateFile, bad: Refusal<'_>) -> Result<(), Diagnostics> {
    let grid = grid_of(file, prepared).map_err(|(message, help)| bad(message, "time", help))?;
    let past = if file.events == prepared.loaded.experiment.events {
        file.happened.clone()
    } else {
        scheduled_events::before(&prepared.scheduled, grid)
    };
    scheduled_events::replay(prepared, &past)?;
    if let Some((there, here)) = difference(&file.layout, &layout(&prepared.simulation)) {
        let message = format!("the state is of another scene: it has {there}, this one has {here}");
        return Err(bad(message, "layout", "a state fits scenes of the same bodies, trees and controllers"));
    }
    let mut snapshot = file.snapshot(grid);
    if let Some(why) = misfit(prepared, file, &snapshot) {
        return Err(bad(
            format!("the state is damaged: {why}"),
            "simulation",
            "write the state again; it was changed by hand, or is of another version",
        ));
    }
    let carried = states_of_plugins(file, prepared).ok_or_else(|| {
        bad("a plugin's state is not hexadecimal".into(), "plugins", "write the state again")
    })?;
    if grid != file.simulation.grid {
        // Grid times have other numbers here.
        prepared.simulation.controllers.asked_anew(&mut snapshot.controllers, |_| true);
    }
    prepared.simulation.adopt(&snapshot, carried).map_err(|error| {
        let message = format!("a plugin refuses its saved state: {}", error.message);
        bad(message, "plugins", "write the state again with this version of the plugin")
    })
}

/// Most steps that a state may have behind it: numbers up to here are counted on without an end of their type, and are exact as decimals.
const MOST_STEPS: u64 = 1 << 53;

/// Part of a state that no simulation of this layout has, in words.
fn misfit(prepared: &Prepared, file: &StateFile, snapshot: &Snapshot) -> Option<&'static str> {
    let (simulation, state) = (&prepared.simulation, &snapshot.state);
    let (system, h) = (&simulation.system, simulation.settings.step);
    let fits = |list: &[f64], n: usize| list.len() == n && list.iter().all(|x| x.is_finite());
    let lengths = fits(&state.q, system.nq())
        && fits(&state.v, system.nv())
        && fits(&state.support_impulse, 2 * system.supports.len())
        && snapshot.controllers.len() == simulation.controllers.state().len()
        && snapshot.controllers.iter().all(|x| x.is_finite());
    let sizes = [state.h_last, state.step_size.h].iter().all(|h| h.is_finite() && *h >= 0.0);
    let referee = &file.simulation.referee;
    let is_known = referee.is_empty() || Memory::of_numbers(referee).is_some();
    // Its time lies from its grid time on to the next one.
    let past = state.t - state.grid as f64 * h;
    let is_on_grid = (-BESIDE_GRID * h..=(1.0 + BESIDE_GRID) * h).contains(&past);
    [
        (lengths, "it has another number of coordinates, velocities or impulses than its layout"),
        (sizes && state.step <= MOST_STEPS, "no step has the size or the number that it names"),
        (is_on_grid, "its time does not belong to the number of its grid time"),
        (is_known, "the memory of the referee is that of another version"),
    ]
    .into_iter()
    .find_map(|(holds, why)| (!holds).then_some(why))
}

/// Part of a step by which a time may be off its grid time: rounding of long runs, far below any step.
const BESIDE_GRID: f64 = 1e-3;

/// Number of the grid time that the state stands at, in the experiment that goes on.
fn grid_of(file: &StateFile, prepared: &Prepared) -> Result<u64, (String, &'static str)> {
    let (h, t) = (prepared.simulation.settings.step, file.time);
    let duration = prepared.loaded.experiment.time.duration;
    if !(t >= 0.0 && t < duration) {
        let message = format!("the state stands at t = {} s, but the run ends at {duration} s", seconds(t));
        return Err((message, "`time.duration` is the time of the end; make it longer"));
    }
    if h == file.grid_step {
        return Ok(file.simulation.grid);
    }
    let k = grid_number(t, h);
    if (k as f64 * h - t).abs() > 1e-9 * h {
        let t = seconds(t);
        let message = format!("the state stands at t = {t} s, which is not a multiple of the step {h} s");
        return Err((message, "choose a `time.step` that divides the time of the state"));
    }
    Ok(k)
}

/// Plugins of which the state of another build was saved: they look the same, but it is not theirs.
fn of_other_builds<'a>(
    file: &'a StateFile,
    prepared: &'a Prepared,
) -> impl Iterator<Item = String> + use<'a> {
    let rebuilt = |used: &&Used| {
        let any = |is: fn(&OfPlugin, &Used) -> bool| {
            file.plugins.iter().chain(&file.controllers).any(|p| is(p, used))
        };
        any(OfPlugin::is_of_other_build) && !any(OfPlugin::is_build)
    };
    used(prepared).chain(&prepared.controllers).filter(rebuilt).map(|used| used.manifest.id.clone())
}

/// Bytes for every plugin here that the state knows with the same options; none for others. Nothing where they are not bytes.
fn states_of_plugins(file: &StateFile, prepared: &Prepared) -> Option<Carried> {
    let same_shapes = shapes(&prepared.simulation.system) == file.shapes;
    let mut states = Vec::new();
    for (place, used) in used(prepared).enumerate() {
        let roles = if place < 2 { place..place + 1 } else { 2..file.plugins.len() };
        let known =
            file.plugins.get(roles).unwrap_or_default().iter().find(|p| p.is(used, further(prepared, place)));
        states.push(match known.filter(|_| place > 0 || same_shapes) {
            Some(known) => Some(file::bytes(&known.state)?),
            None => None,
        });
    }
    let stages = prepared.controllers.iter().enumerate().map(|(k, used)| {
        let known = file.controllers.get(k).filter(|kept| kept.is(used, &[]));
        known.map(|kept| file::bytes(&kept.state)).map_or(Some(None), |bytes| bytes.map(Some))
    });
    Some(Carried { plugins: states, stages: stages.collect::<Option<_>>()? })
}

impl StateFile {
    fn snapshot(&self, grid: u64) -> Snapshot {
        let saved = Snapshot::from(&self.simulation);
        Snapshot { state: State { grid, t: self.time, ..saved.state }, ..saved }
    }
}
