//! A run as it was recorded in memory: coordinates over time, and what contacts did.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;
use vinci_core::clock::seconds;

use vinci_compare::measures::Table;
use vinci_core::model::PairValues;
use vinci_core::referee::Mode;
use vinci_engine::pipeline::{Accepted, Simulation};
use vinci_run::acceptance::limits_of;
use vinci_run::physics::is_ignored;
use vinci_run::summary::RefereeTotals;
use vinci_run::{Observer, Prepared, run_loop};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, did_you_mean, list};

use crate::columns::{names, numbers, place_of};
use crate::landings::{Landing, Landings};

/// A run over its time.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// Columns of `trajectory.csv` at all grid times.
    pub table: Table,
    /// Modes of contacts in every accepted step: its end, s, and a mark of which of them pressed, stuck and slipped.
    pub(crate) modes: Vec<(f64, u64)>,
    /// A mark of the parameters of contacts that steps have read: friction, restitution, stiffness, …, but not what the stepper ignores.
    pub(crate) read: u64,
    /// Its first landing within a step.
    pub(crate) landing: Option<Landing>,
    /// True if contacts rested that their stepper takes as closed up to a gap.
    pub(crate) holds: bool,
    /// Reason why it ended before its time.
    pub(crate) failure: Option<String>,
    /// Reason why the referee does not accept it.
    pub(crate) refusal: Option<String>,
}

impl RunRecord {
    /// Runs an experiment to its end, or to where it fails.
    pub(crate) fn of(mut prepared: Prepared) -> Self {
        let duration = prepared.loaded.experiment.time.duration;
        let mut recorder = Recorder::new(&prepared);
        let failure = match run_loop(&mut prepared, duration, &mut recorder) {
            Ok(failure) => failure.map(|(failure, t)| format!("{failure} at t = {} s", seconds(t))),
            Err(error) => Some(error.to_string()),
        };
        recorder.finish(failure)
    }

    /// The row before a time, s, and the fraction of the interval to the next row that has passed there.
    pub(crate) fn between(&self, t: f64) -> (usize, f64) {
        let times = &self.table.times;
        let k = times.partition_point(|s| *s < t).clamp(1, times.len().max(2) - 1);
        match (times.get(k - 1), times.get(k)) {
            (Some(a), Some(b)) => (k - 1, ((t - a) / (b - a)).clamp(0.0, 1.0)),
            _ => (0, 0.0),
        }
    }

    /// The number of a column at a time, s: between two grid times on the line through both. A step has constant velocities, so that is
    /// where a body is under a stepper of first order. At a grid time the number is that of the row, to the bit.
    pub(crate) fn at(&self, column: &[f64], t: f64) -> f64 {
        let (k, part) = self.between(t);
        match (column.get(k), column.get(k + 1)) {
            (Some(a), _) if part == 0.0 => *a,
            (_, Some(b)) if part == 1.0 => *b,
            (Some(a), Some(b)) => a + part * (b - a),
            _ => f64::NAN,
        }
    }

    /// Positions of a row, as many as the system has.
    pub(crate) fn positions(&self, simulation: &Simulation, row: usize, names: &[String]) -> Vec<f64> {
        let mut q = vec![0.0; simulation.q().len()];
        for (column, name) in names.iter().enumerate() {
            if let Ok(coordinate) = place_of(simulation, column) {
                q[coordinate] = self.table.columns.get(name).map_or(f64::NAN, |numbers| numbers[row]);
            }
        }
        q
    }

    /// The first time at which contacts do something else than in another run, s.
    pub(crate) fn parts_from(&self, other: &Self) -> Option<f64> {
        let differs = self.modes.iter().zip(&other.modes).find(|(a, b)| a.1 != b.1);
        let longer = || self.modes.get(other.modes.len()).or_else(|| other.modes.get(self.modes.len()));
        differs.map(|(a, _)| a.0).or_else(|| longer().map(|step| step.0))
    }
}

/// Records a run in memory.
pub(crate) struct Recorder {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
    times: Vec<f64>,
    modes: Vec<(f64, u64)>,
    read: DefaultHasher,
    /// Parameters of contacts that the stepper does not ignore, in the order of their table.
    is_read: Vec<bool>,
    landings: Landings,
    referee: RefereeTotals,
}

impl Recorder {
    pub(crate) fn new(prepared: &Prepared) -> Self {
        let simulation = &prepared.simulation;
        let is_read = PairValues::NAMES.list().map(|name| !is_ignored(&prepared.stepper, name)).to_vec();
        let names = names(simulation);
        let columns = vec![Vec::new(); names.len()];
        // The hasher's keys are fixed: marks are the same in every process.
        let mut new = Self {
            names,
            columns,
            times: Vec::new(),
            modes: Vec::new(),
            read: DefaultHasher::new(),
            is_read,
            landings: Landings::new(simulation),
            referee: RefereeTotals::new(
                simulation.declared(),
                limits_of(&prepared.loaded.experiment.referee),
            ),
        };
        new.row(simulation);
        new
    }

    pub(crate) fn finish(self, failure: Option<String>) -> RunRecord {
        let Self { names, columns, times, modes, read, landings, referee, .. } = self;
        let columns: BTreeMap<_, _> = names.into_iter().zip(columns).collect();
        let refusal = referee.refusal().map(ToString::to_string);
        RunRecord {
            table: Table { times, columns },
            modes,
            read: read.finish(),
            landing: landings.first,
            holds: landings.holds,
            failure,
            refusal,
        }
    }

    fn row(&mut self, simulation: &Simulation) {
        let numbers = numbers(simulation, simulation.q(), simulation.v());
        self.columns.iter_mut().zip(numbers).for_each(|(column, x)| column.push(x));
        self.times.push(simulation.time());
    }

    fn contacts(&mut self, accepted: &Accepted<'_>) {
        let mut mark = DefaultHasher::new();
        for i in (0..accepted.contacts.len()).filter(|i| accepted.mode[*i] != Mode::Open) {
            (accepted.contacts.key[i], accepted.mode[i]).hash(&mut mark);
        }
        accepted.impacts.iter().for_each(|impact| impact.contacts.hash(&mut mark));
        self.modes.push((accepted.t, mark.finish()));
        let columns = accepted.contacts.pair.list().into_iter().zip(&self.is_read);
        for (column, _) in columns.filter(|(_, is_read)| **is_read) {
            column.iter().for_each(|x| x.to_bits().hash(&mut self.read));
        }
    }
}

impl Observer for Recorder {
    fn interval(
        &mut self,
        simulation: &mut Simulation,
        before: u64,
        row: Option<u64>,
    ) -> std::io::Result<ControlFlow<()>> {
        for k in 0..simulation.n_last() {
            let accepted = simulation.of_last(k);
            self.contacts(&accepted);
            self.landings.add(simulation, &accepted);
            self.referee.add(before + 1 + k as u64, &accepted, &simulation.system);
        }
        if row.is_some() {
            self.row(simulation);
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Refuses a column that a run does not have.
pub(crate) fn known_column(
    record: &RunRecord,
    column: &str,
    (asked, more): (&str, &str),
) -> Result<(), Diagnostics> {
    if record.table.columns.contains_key(column) {
        return Ok(());
    }
    let names = || record.table.columns.keys().map(String::as_str);
    let meant = did_you_mean(column, names()).map_or_else(String::new, |meant| meant + " ");
    let message = format!("`{asked}`: the run has no column `{column}`");
    let help = format!("{meant}its columns are those of trajectory.csv: {}{more}", list(names()));
    Err(Diagnostic::error(Code::UnknownName, message).help(help).into())
}
