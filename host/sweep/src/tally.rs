//! Counts of rows for `summary.json`, made as they come in their order.

use serde_json::{Value, json};

use super::journal::Line;
use super::row::Status;
use super::shape::Shape;

/// Processes that died of which the summary tells.
const CRASHES: usize = 20;

/// Counts of all rows.
pub(super) struct Tally<'a> {
    shape: &'a Shape,
    runs: u64,
    rungs: Vec<Counts>,
    crashes: Vec<Value>,
}

/// Counts of a rung.
#[derive(Debug, Clone, Default)]
struct Counts {
    runs: u64,
    successes: u64,
    /// By status: ok, failed, invalid, crashed.
    ended: [u64; 4],
    seconds: f64,
    cases: u64,
    /// Cases all of whose samples succeeded, but for the last.
    passed: u64,
    /// The last case, and how many of its samples succeeded.
    last: Option<(u64, u64)>,
}

const STATUSES: [Status; 4] = [Status::Ok, Status::Failed, Status::Invalid, Status::Crashed];

impl Counts {
    fn add(&mut self, line: &Line, samples: u64) {
        let (row, success) = (&line.row, u64::from(line.row.success));
        self.runs += 1;
        self.successes += success;
        self.seconds += line.seconds;
        STATUSES.iter().zip(&mut self.ended).filter(|(s, _)| **s == row.status).for_each(|(_, n)| *n += 1);
        match &mut self.last {
            Some((case, good)) if *case == row.id.case => *good += success,
            _ => {
                self.passed = self.passed_at_end(samples);
                self.cases += 1;
                self.last = Some((row.id.case, success));
            }
        }
    }

    fn passed_at_end(&self, samples: u64) -> u64 {
        self.passed + u64::from(self.last.is_some_and(|(_, good)| good == samples))
    }
}

impl<'a> Tally<'a> {
    pub(super) fn of(shape: &'a Shape) -> Self {
        Self { shape, runs: 0, rungs: vec![Counts::default(); shape.rungs.len()], crashes: Vec::new() }
    }

    /// Takes the next row in.
    pub(super) fn add(&mut self, line: &Line) {
        self.runs += 1;
        let k = line.row.id.rung as usize;
        if let (Some(counts), Some(rung)) = (self.rungs.get_mut(k), self.shape.rungs.get(k)) {
            counts.add(line, rung.samples);
        }
        if line.row.status == Status::Crashed && self.crashes.len() < CRASHES {
            let run = self.shape.told(line.row.id);
            self.crashes.push(json!({ "run": run, "message": line.row.message, "said": line.said }));
        }
    }

    /// Counts and times by rung, and the first processes that died, with the tails of their error streams.
    pub(super) fn summary(&self, format: &str) -> Value {
        let shape = self.shape;
        let of = |(counts, rung): (&Counts, &super::shape::Step)| {
            let [ok, failed, invalid, crashed] = counts.ended;
            let per_run = if counts.runs == 0 { 0.0 } else { counts.seconds / counts.runs as f64 };
            json!({
                "name": rung.name, "runs": counts.runs, "successes": counts.successes,
                "ok": ok, "failed": failed, "invalid": invalid, "crashed": crashed,
                "cases": counts.cases, "cases_passed": counts.passed_at_end(rung.samples),
                "seconds": counts.seconds, "seconds_per_run": per_run,
            })
        };
        let rungs: Vec<Value> = self.rungs.iter().zip(&shape.rungs).map(of).collect();
        json!({ "format": format, "name": shape.name, "hash": shape.hash, "runs": self.runs,
            "units": shape.own_units_count(), "shard": shape.shard, "rungs": rungs, "crashes": self.crashes })
    }
}
