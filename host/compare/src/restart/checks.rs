//! Checks of what is asked of models that begin at states of another run.

use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

use crate::measures::Reference;
use crate::protocols::{Localised, SameState};
use crate::{Combination, ComparisonRuns};

/// Most windows of a run.
pub(super) const MOST_WINDOWS: u64 = 10_000;

/// Part of a step within which a time is on the grid.
const ON_GRID: f64 = 1e-6;

/// Steps of `step` in `time`, s; nothing where they do not come out even.
pub(super) fn steps_in(time: f64, step: f64) -> Option<u64> {
    let n = (time / step).round();
    (n >= 1.0 && (time - n * step).abs() <= ON_GRID * step && n < 1e15).then_some(n as u64)
}

impl SameState {
    /// The leading run among `runs`, as a number.
    ///
    /// # Errors
    /// Values that no run, or more than one, has; a leading run that is a recorded motion.
    pub(super) fn leader(
        &self,
        axes: &[String],
        runs: &[Combination],
        reference: Option<&Reference>,
    ) -> Result<usize, Diagnostics> {
        let values: Vec<Vec<String>> = runs.iter().map(|run| run.values.clone()).collect();
        let leader = match (&self.lead, reference) {
            (Some(named), _) => Reference::Run(named.clone()).run_for(axes, &values, 0)?,
            (None, Some(Reference::Run(_))) => reference.map_or(Ok(None), |r| r.run_for(axes, &values, 0))?,
            (None, _) => runs.iter().position(|run| run.motion.is_none()),
        };
        match leader.filter(|k| runs.get(*k).is_some_and(|run| run.motion.is_none())) {
            Some(leader) => Ok(leader),
            None => Err(no_states("a recorded motion")),
        }
    }

    /// Looks whether the comparison can be asked this.
    ///
    /// # Errors
    /// As of [`SameState::leader`]; an `every` of 0.
    pub fn check(&self, asked: &ComparisonRuns, reference: Option<&Reference>) -> Result<(), Diagnostics> {
        if self.every == Some(0) {
            let message = "same state: a state at every 0th step is none";
            return Err(Diagnostic::error(Code::OutOfRange, message).help("`every` is 1 or more").into());
        }
        self.leader(&asked.axes, &asked.combinations, reference).map(drop)
    }
}

/// Finding on a reference that no run can begin from.
fn no_states(what: &str) -> Diagnostics {
    let message = format!("{what} has no states to begin from");
    let help = "let the reference be a run: --reference WHAT=VALUE,… or finest; in a comparison file `run` or `finest`";
    Diagnostic::error(Code::Contradiction, message).help(help).into()
}

impl Localised {
    /// The reference of every run, as a number among `runs`.
    ///
    /// # Errors
    /// No reference, or one that is no run of Vinci's; values that no run, or more than one, has.
    pub(super) fn references(
        axes: &[String],
        runs: &[Combination],
        reference: Option<&Reference>,
    ) -> Result<Vec<usize>, Diagnostics> {
        let reference = match reference {
            Some(reference @ (Reference::Run(_) | Reference::Finest)) => reference,
            Some(other) => return Err(no_states(&other.name())),
            None => return Err(no_states("a comparison without a reference")),
        };
        let values: Vec<Vec<String>> = runs.iter().map(|run| run.values.clone()).collect();
        let of = |k: usize| match reference.run_for(axes, &values, k)? {
            Some(found) if runs[found].motion.is_none() => Ok(found),
            // Of a motion that was recorded there is no finer one.
            Some(_) if runs[k].motion.is_some() && *reference == Reference::Finest => Ok(k),
            Some(_) => Err(no_states("a recorded motion")),
            None => {
                let message = "localised errors against the finest step need runs that differ in their step";
                let help = "vary `step`, or name a run: --reference WHAT=VALUE,…";
                Err(Diagnostic::error(Code::Contradiction, message).help(help).into())
            }
        };
        (0..runs.len()).map(of).collect()
    }

    /// Looks whether the comparison can be asked this.
    ///
    /// # Errors
    /// A window that is no time, is longer than the run of the reference, does not consist of its steps, or is one of too many; as of
    /// [`Localised::references`].
    pub fn check(&self, asked: &ComparisonRuns, reference: Option<&Reference>) -> Result<(), Diagnostics> {
        let wrong = |message: String, help: String| {
            Diagnostics::from(Diagnostic::error(Code::OutOfRange, message).help(help))
        };
        let w = self.window;
        if !(w > 0.0 && w.is_finite()) {
            let help = "give a time in s above 0, for example --localised 0.025".to_owned();
            return Err(wrong(format!("a window of {w} s is none"), help));
        }
        let mut leads = Self::references(&asked.axes, &asked.combinations, reference)?;
        leads.sort_unstable();
        leads.dedup();
        // What cannot be loaded at all is told where it is to run.
        let times = leads.iter().filter_map(|k| asked.load(&asked.combinations[*k]).ok());
        for (step, duration) in
            times.map(|loaded| (loaded.experiment.time.step, loaded.experiment.time.duration))
        {
            if w > duration * (1.0 + 1e-9) {
                let message =
                    format!("a window of {w} s is longer than the run of the reference, {duration} s");
                return Err(wrong(message, "choose a shorter window, or a longer duration".to_owned()));
            }
            let Some(n) = steps_in(w, step) else {
                let near = (w / step).round().max(1.0) * step;
                let message =
                    format!("a window of {w} s does not consist of steps of the reference, {step} s");
                return Err(wrong(message, format!("choose a multiple of all steps, {near} s for example")));
            };
            if duration / w > MOST_WINDOWS as f64 {
                let message = format!("windows of {w} s are more than {MOST_WINDOWS} over {duration} s");
                let longer = (duration / MOST_WINDOWS as f64 / step).ceil().max(n as f64) * step;
                return Err(wrong(message, format!("choose a longer one, {longer} s or more")));
            }
        }
        Ok(())
    }
}
