//! Steps that models made of the states of a leading run.

use vinci_run::acceptance::Refusal;
use vinci_run::{Prepared, SavedState};
use vinci_scene::Override;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

use super::follower::{Field, Follower, Leg};
use super::lead::{Company, Cut, Windows, lead};
use super::owners::{Differences, Owners, Stand};
use crate::Combination;
use crate::first_error::first_error;

/// A model at the end of a window.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowEnd {
    /// Time at the end of the window, s.
    pub t: f64,
    /// How far it is from the leading run there.
    pub apart: Differences,
    /// Largest relative natural-map residual of its steps; none where nothing was solved.
    pub residual: Option<f64>,
    /// Seconds of the clock, referee and recorder aside.
    pub seconds: f64,
    /// Iterations of the solvers.
    pub iterations: u64,
    /// Steps.
    pub steps: u64,
    /// True if the referee does not accept one of the steps.
    pub refused: bool,
}

/// A model over all windows.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// Its values of the axes.
    pub values: Vec<String>,
    /// The leading run's.
    pub lead: Vec<String>,
    /// Windows that it came through.
    pub seen: Vec<WindowEnd>,
    /// Ends of the windows in which it failed, s, and why.
    pub failed: Vec<(f64, String)>,
    /// The first step that the referee does not accept.
    pub refusal: Option<Refusal>,
    /// True if its stepper remembers things that states of others do not have.
    pub remembers: bool,
}

impl Trace {
    /// Number of windows with a step that the referee does not accept.
    pub fn refused(&self) -> usize {
        self.seen.iter().filter(|seen| seen.refused).count()
    }
}

/// Models on the states of one leading run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Traces {
    /// Names of what moves.
    pub owners: Owners,
    /// Windows.
    pub windows: usize,
    /// The models.
    pub models: Vec<Trace>,
    /// Values of models that were not put onto the states, and why.
    pub not: Vec<(Vec<String>, String)>,
    /// Reason why the leading run ended before its time.
    pub cut: Option<String>,
}

/// The models that follow.
struct Followers<'a> {
    owners: Owners,
    all: Vec<(Follower<'a>, Trace)>,
    /// How they went in the window that is open.
    legs: Vec<Result<Leg, String>>,
    windows: usize,
}

impl Company for Followers<'_> {
    fn begin(&mut self, state: (&SavedState, &Stand), end: f64) {
        self.legs = self.all.iter_mut().map(|(follower, _)| follower.go(state, end)).collect();
    }

    fn end(&mut self, leader: &Prepared, stand: &Stand) {
        self.windows += 1;
        let (system, t) = (&leader.simulation.system, leader.simulation.time());
        for ((_, trace), leg) in self.all.iter_mut().zip(self.legs.drain(..)) {
            match leg {
                Err(why) => trace.failed.push((t, why)),
                Ok(Leg { end, residual, seconds, iterations, steps, refused }) => {
                    let apart = self.owners.between(system, stand, &end);
                    trace.seen.push(WindowEnd { t, apart, residual, seconds, iterations, steps, refused });
                }
            }
        }
    }
}

/// Puts models onto the states of a leading run, window by window. `more`: values that a model has in the place of its own.
///
/// # Errors
/// A leading run that cannot begin; a request to stop.
pub(super) fn trace(
    field: &Field<'_>,
    (leader, windows): (&Combination, &dyn Fn(&Prepared) -> Windows),
    models: &[Combination],
    more: &dyn Fn(&Prepared) -> Result<Vec<Override>, Diagnostics>,
) -> Result<Traces, Diagnostics> {
    let mut prepared = field.ready(leader, &[])?;
    let mut out = Traces { owners: Owners::of(&prepared.simulation.system), ..Traces::default() };
    let state = SavedState::of(&prepared);
    let mut followers =
        Followers { owners: out.owners.clone(), all: Vec::new(), legs: Vec::new(), windows: 0 };
    for run in models {
        match follower(field, run, (&state, more(&prepared)?)) {
            Ok(follower) => {
                let (values, lead) = (run.values.clone(), leader.values.clone());
                let remembers = follower.own_memory() > 0;
                let (seen, failed) = (Vec::new(), Vec::new());
                followers
                    .all
                    .push((follower, Trace { values, lead, seen, failed, refusal: None, remembers }));
            }
            Err(why) => out.not.push((run.values.clone(), why)),
        }
    }
    let windows = windows(&prepared);
    match lead(&mut prepared, windows, (field.stop, &mut followers)) {
        None => {}
        Some(Cut::Failed(why)) => out.cut = Some(why),
        Some(Cut::Stopped) => {
            let message = "the comparison was stopped from outside while models went on from common states";
            return Err(Diagnostic::error(Code::Stopped, message).help("compare again").into());
        }
    }
    out.windows = followers.windows;
    let told = |(follower, trace): (Follower<'_>, Trace)| Trace { refusal: follower.refusal, ..trace };
    out.models = followers.all.into_iter().map(told).collect();
    Ok(out)
}

/// A model that takes the states of the leading run, or why it is none.
fn follower<'a>(
    field: &'a Field<'a>,
    run: &Combination,
    (state, more): (&SavedState, Vec<Override>),
) -> Result<Follower<'a>, String> {
    if run.motion.is_some() {
        return Err("a recorded motion does not go on from another state".to_owned());
    }
    let mut follower = Follower::new(field, run, more).map_err(|found| first_error(&found))?;
    follower.try_on(state)?;
    Ok(follower)
}
