//! Localised errors: what a model adds to the error within a window, without what it had gathered before.
//!
//! The flow Φ_w takes a state over a window of w. Of a model at x^m and a reference at x_r^m, at times m w:
//!
//! | restart | error at the end of a window |
//! |---|---|
//! | models | Φ_w of the model from x_r^(m−1), against x_r^m |
//! | reference | x^m, against Φ_w of the reference from x^(m−1) (Castro and others 2020, section IV) |

use serde_json::{Value, json};
use vinci_core::clock::seconds;

use vinci_run::Prepared;
use vinci_run::plot::Scale;
use vinci_run::table::{csv_line, number};
use vinci_scene::diagnostics::Diagnostics;

use super::checks::steps_in;
use super::distribution::Distribution;
use super::follower::Field;
use super::lead::Windows;
use super::same_state::short;
use super::trace::{Trace, Traces, WindowEnd, trace};
use crate::Combination;
use crate::measures::{Curve, KINDS, Reference, drawn};
use crate::protocols::Localised;
use crate::section::Section;
use crate::types::Restart;

/// Names of the files.
pub const LOCALISED_FILES: [&str; 2] = ["comparison-localised.csv", "comparison-localised.svg"];

/// Errors that are not above this are rounding, and not drawn.
const ROUNDING: f64 = 1e-15;

/// Errors of models over windows.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalisedError {
    /// Window, and the side that begins anew.
    pub asked: Localised,
    /// The models, in the order of the runs; the values that name the reference stand with them.
    pub models: Vec<Measured>,
    /// Values of models that were not measured, and why.
    pub not: Vec<(Vec<String>, String)>,
}

/// A model with the errors at the ends of its windows.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Values of the model.
    pub values: Vec<String>,
    /// Values of its reference.
    pub reference: Vec<String>,
    /// Ends of windows, s, and the errors there: position m, rotation rad, velocity m/s, spin rad/s, joint m or rad.
    pub series: Vec<(f64, [f64; 5])>,
    /// Ends of windows through which one of both did not come, and why.
    pub failed: Vec<(f64, String)>,
    /// Reason why the run that goes on as it is ended before its time.
    pub cut: Option<String>,
}

/// Errors of `runs` over windows.
///
/// # Errors
/// As of [`Localised::check`]; a leading run that cannot begin; a request to stop.
pub fn localised(
    field: &Field<'_>,
    asked: &Localised,
    (runs, reference): (&[Combination], Option<&Reference>),
) -> Result<LocalisedError, Diagnostics> {
    let references = Localised::references(&field.asked.axes, runs, reference)?;
    let mut out = LocalisedError { asked: *asked, models: Vec::new(), not: Vec::new() };
    for (leader, followers) in groups(asked.restart, &references) {
        let models = followers.iter().map(|k| runs[*k].clone()).collect::<Vec<_>>();
        let (fit, unfit): (Vec<_>, Vec<_>) =
            models.into_iter().partition(|model| divides(field, model, asked.window));
        let why = "its step does not divide the window";
        out.not.extend(unfit.into_iter().map(|model| (model.values, why.to_owned())));
        let windows = |leader: &Prepared| {
            let n = steps_in(asked.window, leader.simulation.settings.step).unwrap_or(1);
            Windows { period: n, length: n }
        };
        if runs[leader].motion.is_some() || !divides(field, &runs[leader], asked.window) {
            let why = if runs[leader].motion.is_some() {
                "a recorded motion does not go on from another state"
            } else {
                why
            };
            out.not.push((runs[leader].values.clone(), why.to_owned()));
            continue;
        }
        let traces = trace(field, (&runs[leader], &windows), &fit, &|_| Ok(Vec::new()))?;
        out.take(traces);
    }
    let place = |values: &Vec<String>| runs.iter().position(|run| run.values == *values);
    out.models.sort_by_key(|model| place(&model.values));
    out.not.sort_by_key(|(values, _)| place(values));
    out.not.dedup();
    Ok(out)
}

/// Leading runs with those that follow them.
fn groups(restart: Restart, references: &[usize]) -> Vec<(usize, Vec<usize>)> {
    let mut out: Vec<(usize, Vec<usize>)> = Vec::new();
    for (k, reference) in references.iter().enumerate() {
        if restart == Restart::Reference {
            out.push((k, vec![*reference]));
            continue;
        }
        match out.iter_mut().find(|(leader, _)| leader == reference) {
            Some((_, followers)) => followers.push(k),
            None => out.push((*reference, vec![k])),
        }
    }
    out
}

/// Returns true if the window consists of steps of a model; what cannot be loaded is told where it is put onto a state.
fn divides(field: &Field<'_>, model: &Combination, window: f64) -> bool {
    let loaded = field.asked.load(model).ok();
    loaded.is_none_or(|loaded| steps_in(window, loaded.experiment.time.step).is_some())
}

fn errors(seen: &WindowEnd) -> [f64; 5] {
    let joint = seen.apart.joints.iter().map(|apart| apart[0]).reduce(f64::max).unwrap_or(f64::NAN);
    let of = |kind: usize| seen.apart.largest(kind);
    [of(0), of(1), of(2), of(3), joint]
}

impl LocalisedError {
    fn take(&mut self, traces: Traces) {
        let Traces { models, not, cut, .. } = traces;
        self.not.extend(not);
        for trace in models {
            let series = trace.seen.iter().map(|seen| (seen.t, errors(seen))).collect();
            let Trace { values, lead, failed, .. } = trace;
            // The model is the one that is not the reference.
            let (values, reference) = match self.asked.restart {
                Restart::Models => (values, lead),
                Restart::Reference => (lead, values),
            };
            self.models.push(Measured { values, reference, series, failed, cut: cut.clone() });
        }
    }

    /// The comparison as a section, for tables, pages and programs.
    ///
    /// # Errors
    /// What the library for plots says.
    pub fn section(&self, axes: &[String]) -> Result<Section, String> {
        let who = match self.asked.restart {
            Restart::Models => "Every model begins each window at the state of its reference",
            Restart::Reference => "The reference begins each window at the state of the model",
        };
        let note = format!("{who}; the error is that at the end of the window of {} s.", self.asked.window);
        let kinds = KINDS
            .iter()
            .flat_map(|(name, unit)| [format!("{name} median, {unit}"), format!("{name} most, {unit}")]);
        let row = |m: &Measured| {
            let kinds = (0..KINDS.len()).flat_map(|kind| m.parts(kind).map(|x| short(Some(x))));
            let more = [m.series.len().to_string(), m.failed.len().to_string()];
            m.values.iter().cloned().chain(kinds).chain(more).collect()
        };
        Ok(Section {
            key: "localised",
            title: "Localised error".to_owned(),
            notes: vec![note],
            head: axes.iter().cloned().chain(kinds).chain(["windows", "failed"].map(str::to_owned)).collect(),
            rows: self.models.iter().map(row).collect(),
            text: self.text(),
            json: self.to_json(),
            csv: (LOCALISED_FILES[0], self.csv(axes)),
            figures: vec![(LOCALISED_FILES[1], self.figure()?)],
        })
    }

    fn text(&self) -> String {
        let who = match self.asked.restart {
            Restart::Models => "models begin at states of the reference",
            Restart::Reference => "the reference begins at states of the model",
        };
        let mut out = format!(
            "localised error: windows of {} s, {who} (median, most)\n{:<30} {:>19} {:>19} {:>19} {:>19} {:>8} {:>7}\n",
            self.asked.window,
            "",
            "position m",
            "rotation rad",
            "velocity m/s",
            "spin rad/s",
            "windows",
            "failed"
        );
        for m in &self.models {
            let parts = |kind: usize| m.parts(kind).map(|x| format!("{:>9}", short(Some(x)))).join(" ");
            let kinds = (0..4).map(parts).collect::<Vec<_>>().join(" ");
            let name = m.values.join(", ");
            out.push_str(&format!("{name:<30} {kinds} {:>8} {:>7}\n", m.series.len(), m.failed.len()));
            if let Some((t, why)) = m.failed.first() {
                out.push_str(&format!(
                    "  {name}: failed first in the window to t = {} s: {why}\n",
                    seconds(*t)
                ));
            }
            if let Some(why) = &m.cut {
                out.push_str(&format!("  {name}: the leading run failed: {why}\n"));
            }
        }
        for (values, why) in &self.not {
            out.push_str(&format!("  {}: not measured: {why}\n", values.join(", ")));
        }
        out
    }

    fn to_json(&self) -> Value {
        let finite = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
        let of = |m: &Measured| {
            let kind = |(k, (name, unit)): (usize, &(&str, &str))| {
                let told = Distribution::of(m.numbers(k)).map(|d| d.to_json(unit));
                ((*name).to_owned(), json!(told))
            };
            let errors: serde_json::Map<_, _> = KINDS.iter().enumerate().map(kind).collect();
            let series = m.series.iter().map(|(t, at)| {
                std::iter::once(json!(t)).chain(at.iter().map(|x| finite(*x))).collect::<Vec<_>>()
            });
            json!({ "values": m.values, "reference": m.reference, "errors": errors, "series": series.collect::<Vec<_>>(),
                "failures": m.failed.len(), "first_failure": m.failed.first().map(|(t, why)| json!({ "time": t, "reason": why })), "cut": m.cut })
        };
        let not = |(values, why): &(Vec<String>, String)| json!({ "values": values, "reason": why });
        json!({ "window": self.asked.window, "restart": self.asked.restart, "runs": self.models.iter().map(of).collect::<Vec<_>>(),
            "not": self.not.iter().map(not).collect::<Vec<_>>() })
    }

    fn csv(&self, axes: &[String]) -> String {
        let own = ["time", "position_m", "rotation_rad", "velocity_m_per_s", "spin_rad_per_s", "joint"];
        let mut out = csv_line(&axes.iter().cloned().chain(own.map(str::to_owned)).collect::<Vec<_>>());
        for m in &self.models {
            for (t, at) in &m.series {
                let numbers = std::iter::once(*t).chain(*at).map(|x| number(Some(x)));
                out.push_str(&csv_line(&m.values.iter().cloned().chain(numbers).collect::<Vec<_>>()));
            }
        }
        out
    }

    /// Errors of positions over time, of joints where no body moves.
    fn figure(&self) -> Result<String, String> {
        let above = |x: f64| if x > ROUNDING { x } else { f64::NAN };
        let has_bodies = self.models.iter().any(|m| m.series.iter().any(|(_, at)| !at[0].is_nan()));
        let kind = if has_bodies { 0 } else { 4 };
        let (name, unit) = KINDS[kind];
        // The reference has no line, and its place.
        let curve = |(k, m): (usize, &Measured)| {
            let own = m.series.iter().filter(|_| m.values != m.reference);
            Curve::whole(k, m.values.join(", "), own.map(|(t, at)| (*t, above(at[kind]))).collect())
        };
        let curves: Vec<Curve> = self.models.iter().enumerate().map(curve).collect();
        drawn(
            &format!("Error of {name} over windows of {} s", self.asked.window),
            ["end of the window, s", &format!("error, {unit}")],
            [Scale::Linear, Scale::Decades],
            &curves,
        )
    }
}

impl Measured {
    fn numbers(&self, kind: usize) -> impl Iterator<Item = f64> + '_ {
        // A kind that nothing of the scene has is none.
        let is_there = self.series.iter().any(|(_, at)| !at[kind].is_nan());
        self.series.iter().filter(move |_| is_there).map(move |(_, at)| at[kind])
    }

    /// Median and largest error of a kind; NaN where there is none.
    pub fn parts(&self, kind: usize) -> [f64; 2] {
        Distribution::of(self.numbers(kind)).map_or([f64::NAN; 2], |d| [d.median, d.most])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_follow_their_reference_or_are_followed_by_it() {
        assert_eq!(groups(Restart::Models, &[1, 1, 3, 3]), [(1, vec![0, 1]), (3, vec![2, 3])]);
        assert_eq!(groups(Restart::Reference, &[1, 1]), [(0, vec![1]), (1, vec![1])]);
    }
}
