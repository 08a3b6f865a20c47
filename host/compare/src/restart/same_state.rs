//! Same state: all models make one step from each of the states of a leading run.

use serde_json::{Value, json};
use vinci_core::clock::seconds;

use vinci_run::Prepared;
use vinci_run::table::{csv_line, number};
use vinci_scene::Override;
use vinci_scene::diagnostics::Diagnostics;

use super::checks::MOST_WINDOWS;
use super::distribution::Distribution;
use super::follower::Field;
use super::lead::Windows;
use super::owners::Owners;
use super::trace::{Trace, Traces, WindowEnd, trace};
use crate::Combination;
use crate::axes::is_of_time_grid;
use crate::measures::Reference;
use crate::protocols::SameState;
use crate::section::Section;

/// Names of the files.
pub const SAME_STATE_FILES: [&str; 1] = ["comparison-same-state.csv"];

/// Beginning of the reason for which a run is not looked at twice.
const AS_OTHERS: &str = "it makes the steps of ";

/// Steps that models made from the same states.
#[derive(Debug, Clone, PartialEq)]
pub struct SameStates {
    /// Step that all of them made, s.
    pub step: f64,
    /// States were taken at every so many steps.
    pub every: u64,
    /// The leading run.
    pub lead: Vec<String>,
    /// The models.
    pub traces: Traces,
}

/// Lets all of `runs` make one step from the states of one of them, with its step, duration and detector.
///
/// # Errors
/// As of [`SameState::check`]; a leading run that cannot begin; a request to stop.
pub fn same_state(
    field: &Field<'_>,
    asked: &SameState,
    (runs, reference): (&[Combination], Option<&Reference>),
) -> Result<SameStates, Diagnostics> {
    let leader = &runs[asked.leader(&field.asked.axes, runs, reference)?];
    let time = field.asked.load(leader)?.experiment.time;
    let steps = (time.duration / time.step).ceil() as u64;
    let every = asked.every.unwrap_or_else(|| steps.div_ceil(MOST_WINDOWS).max(1));
    let windows = |_: &Prepared| Windows { period: every, length: 1 };
    let (models, same) = once(&field.asked.axes, runs, leader);
    let mut traces = trace(field, (leader, &windows), &models, &as_leader)?;
    traces.not.extend(same);
    Ok(SameStates { step: time.step, every, lead: leader.values.clone(), traces })
}

/// Models with the steps that they make here, those of the leading run, and runs that make others elsewhere, with what they are here.
fn once(
    axes: &[String],
    runs: &[Combination],
    leader: &Combination,
) -> (Vec<Combination>, Vec<(Vec<String>, String)>) {
    let here = |run: &Combination| -> Vec<String> {
        let pairs = axes.iter().zip(run.values.iter().zip(&leader.values));
        let value = |(axis, (own, led)): (&String, (&String, &String))| {
            if is_of_time_grid(axis) { led.clone() } else { own.clone() }
        };
        pairs.map(value).collect()
    };
    let (mut models, mut same): (Vec<Combination>, Vec<_>) = (Vec::new(), Vec::new());
    for run in runs {
        let model = Combination { values: here(run), ..run.clone() };
        if run.values != model.values {
            same.push((run.values.clone(), format!("{AS_OTHERS}{}", model.label())));
        }
        if !models.iter().any(|known| known.values == model.values) {
            models.push(model);
        }
    }
    (models, same)
}

/// Parts that all models take from the leading run: step, duration, and the detector with its options, so that contacts are detected alike.
fn as_leader(leader: &Prepared) -> Result<Vec<Override>, Diagnostics> {
    let resolved = leader.loaded.standalone().to_json();
    let of = |path: &str, value: &Value| Override::set(&format!("{path}={value}"));
    Ok(vec![
        of("time.step", &resolved["time"]["step"])?,
        of("time.duration", &resolved["time"]["duration"])?,
        of("detector", &resolved["detector"])?,
    ])
}

/// Numbers of a step that have distributions: name, unit, the number where there is one.
type Kind = (&'static str, &'static str, fn(&WindowEnd) -> Option<f64>);

const KINDS: [Kind; 5] = [
    ("velocity", "m/s", |seen| Some(seen.apart.largest(2))),
    ("spin", "rad/s", |seen| Some(seen.apart.largest(3))),
    ("residual", "1", |seen| seen.residual),
    ("time", "s", |seen| Some(seen.seconds)),
    ("iterations", "1", |seen| Some(seen.iterations as f64)),
];

fn distribution(trace: &Trace, of: fn(&WindowEnd) -> Option<f64>) -> Option<Distribution> {
    Distribution::of(trace.seen.iter().filter_map(of))
}

impl SameStates {
    /// The comparison as a section, for tables, pages and programs.
    pub fn section(&self, axes: &[String]) -> Section {
        let notes = [
            Some(format!(
                "Every model makes one step of {} s from each of {} states of {}, with its detector. Differences are those of velocities \
                 to the step that it makes itself: of all bodies and links the largest.",
                self.step,
                self.traces.windows,
                self.lead.join(", ")
            )),
            self.traces.cut.as_ref().map(|why| format!("The leading run failed: {why}.")),
        ];
        Section {
            key: "same_state",
            title: "One step from the same state".to_owned(),
            notes: notes.into_iter().flatten().collect(),
            head: self.head(axes),
            rows: self.traces.models.iter().map(row).collect(),
            text: self.text(),
            json: self.to_json(),
            csv: (SAME_STATE_FILES[0], self.csv(axes)),
            figures: Vec::new(),
        }
    }

    fn head(&self, axes: &[String]) -> Vec<String> {
        let kinds = KINDS.iter().flat_map(|(name, unit, _)| {
            ["median", "p90", "most"].map(|part| format!("{name} {part}, {unit}"))
        });
        let more = ["failed", "not accepted"].map(str::to_owned);
        axes.iter().cloned().chain(kinds).chain(more).collect()
    }

    fn text(&self) -> String {
        let mut out = format!(
            "same state: one step of {} s from each of {} states of {} (median, p90, most)\n{:<30} {:>29} {:>29} {:>8} {:>9} {:>7} {:>7} {:>8}\n",
            self.step,
            self.traces.windows,
            self.lead.join(", "),
            "",
            "velocity m/s",
            "spin rad/s",
            "residual",
            "µs/step",
            "iter",
            "failed",
            "refused"
        );
        self.traces.models.iter().for_each(|trace| out.push_str(&line(trace)));
        for (values, why) in self.traces.not.iter().filter(|(_, why)| !why.starts_with(AS_OTHERS)) {
            out.push_str(&format!("  {}: not put onto the states: {why}\n", values.join(", ")));
        }
        if let Some(why) = &self.traces.cut {
            out.push_str(&format!("  the leading run failed: {why}\n"));
        }
        out
    }

    fn to_json(&self) -> Value {
        let traces = &self.traces;
        let not = |(values, why): &(Vec<String>, String)| json!({ "values": values, "reason": why });
        json!({
            "lead": self.lead, "step": self.step, "every": self.every, "states": traces.windows, "cut": traces.cut,
            "runs": traces.models.iter().map(|trace| of_trace(trace, &traces.owners)).collect::<Vec<_>>(),
            "not": traces.not.iter().map(not).collect::<Vec<_>>(),
        })
    }

    fn csv(&self, axes: &[String]) -> String {
        let owners = &self.traces.owners;
        let bodies = owners
            .bodies
            .iter()
            .flat_map(|name| [format!("{name}.velocity_m_per_s"), format!("{name}.spin_rad_per_s")]);
        let joints = owners.joints.iter().map(|(name, unit)| format!("{name}.velocity_{unit}_per_s"));
        let own = ["time", "residual", "seconds", "iterations", "steps", "refused"].map(str::to_owned);
        let head: Vec<String> = axes.iter().cloned().chain(own).chain(bodies).chain(joints).collect();
        let mut out = csv_line(&head);
        for trace in &self.traces.models {
            for seen in &trace.seen {
                let [iterations, steps] = [seen.iterations, seen.steps].map(|count| Some(count as f64));
                let own = [Some(seen.t), seen.residual, Some(seen.seconds), iterations, steps];
                let bodies = seen.apart.bodies.iter().flat_map(|apart| [apart[2], apart[3]]);
                let joints = seen.apart.joints.iter().map(|apart| apart[1]);
                let more = [f64::from(u8::from(seen.refused))].into_iter().chain(bodies).chain(joints);
                let cells = own.into_iter().chain(more.map(Some)).map(number);
                out.push_str(&csv_line(&trace.values.iter().cloned().chain(cells).collect::<Vec<_>>()));
            }
        }
        out
    }
}

/// A row of the page's table.
fn row(trace: &Trace) -> Vec<String> {
    let kinds = KINDS.iter().flat_map(|(_, _, of)| match distribution(trace, *of) {
        Some(d) => d.parts().map(|x| short(Some(x))),
        None => [(); 3].map(|()| short(None)),
    });
    let more = [trace.failed.len().to_string(), trace.refused().to_string()];
    trace.values.iter().cloned().chain(kinds).chain(more).collect()
}

/// A number of a table for people.
pub(super) fn short(x: Option<f64>) -> String {
    match x {
        None => "-".to_owned(),
        Some(0.0) => "0".to_owned(),
        Some(x) if !x.is_finite() => "-".to_owned(),
        Some(x) => format!("{x:.2e}"),
    }
}

/// A line for people, with the reasons below it.
fn line(trace: &Trace) -> String {
    let parts = |kind: usize| match distribution(trace, KINDS[kind].2) {
        Some(d) => d.parts().map(|x| format!("{:>9}", short(Some(x)))).join(" "),
        None => format!("{:>9} {:>9} {:>9}", "-", "-", "-"),
    };
    let of = |kind: usize| distribution(trace, KINDS[kind].2);
    let mut out = format!(
        "{:<30} {} {} {:>8} {:>9} {:>7} {:>7} {:>8}\n",
        trace.values.join(", "),
        parts(0),
        parts(1),
        short(of(2).map(|d| d.most)).replace("e-0", "e-"),
        of(3).map_or_else(|| "-".to_owned(), |d| format!("{:.1}", 1e6 * d.median)),
        of(4).map_or_else(|| "-".to_owned(), |d| format!("{}", d.median)),
        trace.failed.len(),
        trace.refused()
    );
    if let Some((t, why)) = trace.failed.first() {
        out.push_str(&format!(
            "  {}: failed first in the step to t = {} s: {why}\n",
            trace.values.join(", "),
            seconds(*t)
        ));
    }
    if let Some(refusal) = &trace.refusal {
        out.push_str(&format!("  {}: the referee does not accept it: {refusal}\n", trace.values.join(", ")));
    }
    if trace.remembers {
        let what =
            "its stepper has a memory of its own, which begins anew at every state that is not its own";
        out.push_str(&format!("  {}: {what}\n", trace.values.join(", ")));
    }
    out
}

/// A model for programs.
fn of_trace(trace: &Trace, owners: &Owners) -> Value {
    let told = |d: Option<Distribution>, unit: &str| d.map(|d| d.to_json(unit));
    let mut out = json!({
        "values": trace.values, "steps": trace.seen.len(), "failures": trace.failed.len(),
        "first_failure": trace.failed.first().map(|(t, why)| json!({ "time": t, "reason": why })),
        "refused": trace.refused(), "refusal": trace.refusal,
        "remembers": trace.remembers,
    });
    for (name, unit, of) in KINDS {
        out[name] = json!(told(distribution(trace, of), unit));
    }
    let body = |(at, name): (usize, &String)| {
        let of = |kind: usize| Distribution::of(trace.seen.iter().map(|seen| seen.apart.bodies[at][kind]));
        json!({ "name": name, "velocity": told(of(2), "m/s"), "spin": told(of(3), "rad/s") })
    };
    let joint = |(at, (name, unit)): (usize, &(String, &'static str))| {
        let speed = Distribution::of(trace.seen.iter().map(|seen| seen.apart.joints[at][1]));
        json!({ "name": name, "velocity": told(speed, &format!("{unit}/s")) })
    };
    let bodies = owners.bodies.iter().enumerate().map(body);
    out["owners"] = bodies.chain(owners.joints.iter().enumerate().map(joint)).collect();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows had the step 0.01 of the first run of a model, and all steps were those of the leading run, 0.0025.
    #[test]
    fn rows_have_the_step_that_was_made() {
        let run = |values: [&str; 2]| {
            let values = values.map(str::to_owned).to_vec();
            Combination { values, overrides: Vec::new(), motion: None }
        };
        let runs = [["a", "0.01"], ["a", "0.0025"], ["b", "0.01"]].map(run);
        let (models, same) = once(&["model".to_owned(), "step".to_owned()], &runs, &runs[1]);
        let labels: Vec<String> = models.iter().map(Combination::label).collect();
        assert_eq!(labels, ["a, 0.0025", "b, 0.0025"]);
        let told: Vec<_> = same.iter().map(|(values, why)| (values.join(", "), why.as_str())).collect();
        let of = |model: &str| format!("{model}, 0.01");
        let why = ["it makes the steps of a, 0.0025", "it makes the steps of b, 0.0025"];
        assert_eq!(told, [(of("a"), why[0]), (of("b"), why[1])]);
    }
}
