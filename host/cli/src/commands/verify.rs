//! `vinci run --verify`: the run once more with half the step, and with cones in the place of polygons; what differs are error bars.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::claim::Claim;
use super::files::run_error;
use crate::cli::ChangeArgs;
use vinci_compare::measures::{Errors, KINDS, Table};
use vinci_engine::registry::Registry;
use vinci_run::signals::Stop;
use vinci_run::{Guidance, Prepared, RunEnd, execute_guided, exit, polygon, ready};
use vinci_scene::diagnostics::Diagnostics;
use vinci_scene::{Override, load_experiment};

/// Returns true if friction circles are polygons in a run that is prepared.
pub(super) fn has_polygons(prepared: &Prepared) -> bool {
    let own = prepared.route.emitted.iter().any(|class| polygon(prepared, *class).is_some());
    own || prepared.warnings.iter().any(|warning| warning.message.contains("bounded by polygons"))
}

/// The run that is made again, and with what.
pub(super) struct Verify<'a> {
    pub(super) experiment: &'a Path,
    pub(super) changes: &'a ChangeArgs,
    pub(super) registry: &'a Registry,
    pub(super) stop: Stop,
    /// Step of the run, s.
    pub(super) step: f64,
    /// Order of its stepper.
    pub(super) order: i32,
    /// True if its friction circles are polygons.
    pub(super) polygons: bool,
}

/// A run that was made again.
pub(super) struct Bar {
    name: &'static str,
    directory: PathBuf,
    /// Largest differences by kind, or why there are none.
    found: Result<[f64; 5], String>,
    /// Factor from a difference to the error.
    factor: f64,
}

impl Verify<'_> {
    /// Makes the others, each in a directory beside that of the run.
    ///
    /// # Errors
    /// Of input and output; a directory that is in use.
    pub(super) fn bars(&self, end: &RunEnd) -> Result<Vec<Bar>, Diagnostics> {
        let half = [Override::set(&format!("time.step={:?}", 0.5 * self.step))?];
        // |x_h − x| of a method of order p is |x_h − x_{h/2}| 2^p/(2^p − 1).
        let power = f64::from(2_i32.pow(self.order.unsigned_abs()));
        let mut bars = vec![self.bar(end, ("half-step", power / (power - 1.0)), &half)?];
        if self.polygons {
            let auto = [Override::set("solver=auto")?];
            bars.push(self.bar(end, ("cones", 1.0), &auto)?);
        }
        Ok(bars)
    }

    fn bar(
        &self,
        end: &RunEnd,
        (name, factor): (&'static str, f64),
        more: &[Override],
    ) -> Result<Bar, Diagnostics> {
        let mut beside = end.directory.clone().into_os_string();
        beside.push(".verify");
        let directory = PathBuf::from(beside).join(name);
        let mut overrides = self.changes.overrides()?;
        overrides.extend_from_slice(more);
        let prepared = match load_experiment(self.experiment, &overrides)
            .and_then(|loaded| ready(loaded, self.registry, false, None))
        {
            Ok(prepared) if name == "cones" && has_polygons(&prepared) => {
                let why = "no solver that was found takes its friction as cones".to_owned();
                return Ok(Bar { name, directory, found: Err(why), factor });
            }
            Ok(prepared) => prepared,
            Err(found) => {
                let why = found.iter().map(|f| f.message.as_str()).collect::<Vec<_>>().join("; ");
                return Ok(Bar { name, directory, found: Err(why), factor });
            }
        };
        let mut claim = Claim::of_run(&directory, false)?;
        claim.take()?;
        let guidance = Guidance { stop: self.stop.clone(), ..Guidance::default() };
        let other =
            execute_guided(prepared, &directory, guidance, |_| {}).map_err(|e| run_error(&directory, &e))?;
        let found = if [exit::OK, exit::NOT_ACCEPTED].contains(&other.code) {
            Ok(differences(&end.directory, &directory)?)
        } else {
            Err(other.summary.failure.map_or_else(|| "it was stopped".to_owned(), |f| f.message))
        };
        Ok(Bar { name, directory, found, factor })
    }
}

/// Largest differences of two runs over the times that both recorded.
fn differences(a: &Path, b: &Path) -> Result<[f64; 5], Diagnostics> {
    let errors = Errors::of(&Table::of_run(a)?, &Table::of_run(b)?);
    Ok(std::array::from_fn(|kind| errors.most(kind)))
}

/// For people.
pub(super) fn text(bars: &[Bar]) -> String {
    let mut out = String::new();
    for bar in bars {
        out.push_str(&match &bar.found {
            Err(why) => format!("  verify    {}: {why}\n", bar.name),
            Ok(most) => {
                let known = KINDS.iter().zip(most).filter(|(_, x)| x.is_finite());
                let one = |((kind, unit), x): (&(&str, &str), &f64)| {
                    format!("{kind} ±{:.1e} {unit}", bar.factor * x)
                };
                let list: Vec<String> = known.map(one).collect();
                format!("  verify    {}: {} ({})\n", bar.name, list.join(", "), bar.directory.display())
            }
        });
    }
    out
}

/// For programs.
pub(super) fn as_json(bars: &[Bar]) -> Value {
    let bar = |bar: &Bar| {
        let numbers = |most: &[f64; 5]| {
            let finite = |x: f64| if x.is_finite() { json!(bar.factor * x) } else { Value::Null };
            KINDS.iter().zip(most).map(|((kind, _), x)| ((*kind).to_owned(), finite(*x))).collect::<Value>()
        };
        let most = bar.found.as_ref().ok().map(numbers);
        json!({ "name": bar.name, "directory": bar.directory.to_string_lossy(), "bars": most, "factor": bar.factor,
            "failure": bar.found.as_ref().err() })
    };
    bars.iter().map(bar).collect()
}
