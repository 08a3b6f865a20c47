//! The cause of a parting, found by substitution: both runs go on from the last state that they have in common, with one thing exchanged, and what
//! closes the gap between them is the cause.

use vinci_run::SavedState;
use vinci_scene::diagnostics::Diagnostics;

use super::along::Along;
use super::factors::Factor;
use super::parting::{Pair, Parting};
use super::side::Side;
use super::watched_run::{WatchedRun, watch_run};
use crate::first_error::first_error;

/// Part of the gap that may be left where it counts as closed.
pub const CLOSED: f64 = 0.1;

/// A thing that was exchanged.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// The exchanged thing.
    pub factor: Factor,
    /// Part of the gap that is left: between A with B's value and B, and between B with A's value and A. Or why there is no such run.
    pub left: [Result<f64, String>; 2],
}

impl Exchange {
    /// The larger of what is left both ways; of one way where the other has no run.
    pub fn remaining(&self) -> f64 {
        let known = self.left.iter().filter_map(|left| left.as_ref().ok());
        known.copied().reduce(f64::max).unwrap_or(f64::INFINITY)
    }

    /// Returns true if it alone closes the gap.
    pub fn closes(&self) -> bool {
        self.remaining() <= CLOSED
    }
}

/// Findings about a parting.
#[derive(Debug, Clone, PartialEq)]
pub struct Cause {
    /// Everything in which the experiments differ, with what is left of the gap when that is exchanged.
    pub exchanges: Vec<Exchange>,
    /// The things that close the gap, as numbers among the exchanges: one if one is enough, else as few as were found.
    pub named: Vec<usize>,
    /// Physics that A takes otherwise once these are exchanged in it, where a plugin is among them.
    pub along: Vec<Along>,
    /// Part of the gap that is left when these are exchanged in A.
    pub left: f64,
    /// Where both went on, and up to where they were watched, s.
    pub window: [f64; 2],
}

/// Runs that go on from one state.
struct Trials<'p, 'a> {
    pair: &'p Pair<'a>,
    /// The last common state; none: all begin at their own start.
    from: Option<SavedState>,
    /// Where the window ends, s.
    end: f64,
}

/// Reason why they part.
pub(super) fn cause(pair: &Pair<'_>, parting: &Parting, factors: Vec<Factor>) -> Result<Cause, Diagnostics> {
    let from = parting.number.checked_sub(1).filter(|n| *n > 0);
    let state = from.map(|n| state_after(pair, n)).transpose()?;
    let start = pair.clock.time(from.unwrap_or(0));
    let mut trials = Trials { pair, from: state, end: pair.clock.time(parting.number.max(1)) };
    let whole = trials.widen(parting.number.max(1))?;
    let exchanges: Vec<Exchange> =
        factors.into_iter().map(|factor| trials.exchange(factor, &whole)).collect();
    let best =
        (0..exchanges.len()).min_by(|a, b| exchanges[*a].remaining().total_cmp(&exchanges[*b].remaining()));
    let (named, left) = match best.filter(|k| exchanges[*k].closes()) {
        Some(k) => (vec![k], exchanges[k].left[0].clone().unwrap_or_else(|_| exchanges[k].remaining())),
        None => trials.fewest(&exchanges, &whole),
    };
    Ok(Cause { exchanges, named, along: Vec::new(), left, window: [start, trials.end] })
}

/// A after so many common intervals.
fn state_after(pair: &Pair<'_>, n: usize) -> Result<SavedState, Diagnostics> {
    let mut prepared = pair.sides[0].ready(pair.registry)?;
    let every = pair.clock.every(pair.sides[0].step());
    // It stops there, before the events of that time.
    watch_run(&mut prepared, (pair.clock.time(n), every), |k, _| k + 1 == n);
    Ok(SavedState::of(&prepared))
}

/// Both runs from the common state, and the gap between them.
struct Whole {
    runs: [WatchedRun; 2],
    gap: f64,
}

impl Trials<'_, '_> {
    /// Both runs over a window in which they come apart: it is made longer until they do, or the runs end.
    fn widen(&mut self, number: usize) -> Result<Whole, Diagnostics> {
        let (mut length, count) = (1, self.pair.clock.count);
        loop {
            let last = (number + length - 1).min(count.max(number));
            self.end = self.pair.clock.time(last);
            let runs = [self.run(self.pair.sides[0])?, self.run(self.pair.sides[1])?];
            let gap = self.distance(&runs[0], &runs[1]);
            if gap > self.pair.tolerance || last >= count {
                return Ok(Whole { runs, gap });
            }
            length *= 2;
        }
    }

    /// An experiment over the window.
    fn run(&self, side: &Side) -> Result<WatchedRun, Diagnostics> {
        let mut prepared = side.ready(self.pair.registry)?;
        if let Some(state) = &self.from {
            state.resume(&mut prepared)?;
        }
        let every = self.pair.clock.every(side.step());
        Ok(watch_run(&mut prepared, (self.end, every), |_, _| false))
    }

    /// The largest gap at the common times of the window; ∞ where one ends and the other does not.
    fn distance(&self, a: &WatchedRun, b: &WatchedRun) -> f64 {
        if a.failure.is_some() != b.failure.is_some() || a.samples.len() != b.samples.len() {
            return f64::INFINITY;
        }
        let size = |(a, b): (&super::sample::Sample, &super::sample::Sample)| {
            self.pair.scale.size(&a.motion.gap(&b.motion))
        };
        a.samples.iter().zip(&b.samples).map(size).fold(0.0, f64::max)
    }

    /// Part of the whole gap that is left between side k with these values of the other side, and that other side.
    fn left(&self, k: usize, paths: &[Vec<String>], whole: &Whole) -> Result<f64, String> {
        let sides = self.pair.sides;
        let mixed = sides[k].with(paths, sides[1 - k]);
        let run = self.run(&mixed).map_err(|diagnostics| first_error(&diagnostics))?;
        let left = self.distance(&run, &whole.runs[1 - k]);
        Ok(match (left, whole.gap) {
            (left, gap) if gap.is_infinite() => {
                if left.is_infinite() {
                    1.0
                } else {
                    0.0
                }
            }
            (left, gap) if gap > 0.0 => left / gap,
            (left, _) => left,
        })
    }

    fn exchange(&self, factor: Factor, whole: &Whole) -> Exchange {
        let left = [0, 1].map(|k| self.left(k, &factor.paths, whole));
        Exchange { factor, left }
    }

    /// A smallest set of factors that close the gap together: from all of them one after the other is left out, those first that do least alone.
    fn fewest(&self, exchanges: &[Exchange], whole: &Whole) -> (Vec<usize>, f64) {
        let left_with = |kept: &[usize]| {
            let paths: Vec<Vec<String>> =
                kept.iter().flat_map(|k| exchanges[*k].factor.paths.iter().cloned()).collect();
            self.left(0, &paths, whole).unwrap_or(f64::INFINITY)
        };
        let mut kept: Vec<usize> = (0..exchanges.len()).collect();
        let mut order = kept.clone();
        order.sort_by(|a, b| exchanges[*b].remaining().total_cmp(&exchanges[*a].remaining()));
        let mut left = left_with(&kept);
        for k in order {
            let without: Vec<usize> = kept.iter().copied().filter(|other| *other != k).collect();
            let now = left_with(&without);
            if now <= CLOSED && !without.is_empty() {
                (kept, left) = (without, now);
            }
        }
        (kept, left)
    }
}
