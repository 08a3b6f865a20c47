//! Results as text and as JSON, and their warnings.

use serde_json::{Value, json};
use vinci_core::clock::seconds;

use crate::confidence::Confidence;
use crate::differences::{Derivative, Kink};
use crate::direction::DirectionCheck;
use crate::fit::Fit;
use crate::landings::Landing;
use crate::sensitivity::Sensitivity;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics, list};

/// Part by which the residual of another search may be larger where its end is as good.
const AS_GOOD: f64 = 0.01;

/// Correlation of neighbouring residuals above which they are no noise.
const NO_NOISE: f64 = 0.5;

fn finite(x: f64) -> Value {
    if x.is_finite() { json!(x) } else { Value::Null }
}

impl Sensitivity {
    /// Text for people: a block per measure.
    pub fn text(&self) -> String {
        let width = self.parameters.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let mut out = String::new();
        for ((measure, value), row) in self.measures.iter().zip(&self.derivatives) {
            out.push_str(&format!("{measure} = {value:.9}\n"));
            let head = ("d/d", "value", "±", "from below", "from above", "by");
            out.push_str(&format!(
                "  {:width$} {:>16} {:>9} {:>16} {:>16}  {}\n",
                head.0, head.1, head.2, head.3, head.4, head.5
            ));
            for ((name, _), d) in self.parameters.iter().zip(row) {
                out.push_str(&format!("  {name:width$} {}\n", line(d)));
            }
        }
        if let Some(why) = &self.why_differences {
            out.push_str(&format!("by differences of whole runs: {why}\n"));
        }
        out.push_str(&format!("{}\n", counted(self.runs)));
        out
    }

    /// JSON for programs.
    pub fn to_json(&self) -> Value {
        let derivative = |((name, value), d): (&(String, f64), &Derivative)| {
            json!({ "by": name, "at": value, "value": finite(d.value), "error": finite(d.error), "below": d.sides[0],
                "above": d.sides[1], "step": d.step, "kink": d.kink.map(|kink| json!({ "parts": kink.parts })),
                "wide": d.wide.map(|[step, value]| json!({ "step": step, "value": value })),
                "method": if d.implicit { "active set" } else { "differences" } })
        };
        let of = |((name, value), row): (&(String, f64), &Vec<Derivative>)| {
            json!({ "of": name, "value": finite(*value),
                "derivatives": self.parameters.iter().zip(row).map(derivative).collect::<Vec<_>>() })
        };
        let measures = self.measures.iter().zip(&self.derivatives).map(of).collect::<Vec<_>>();
        json!({ "measures": measures, "along": self.along.iter().map(beside).collect::<Vec<_>>(),
            "why_differences": self.why_differences, "refusal": self.refusal, "runs": self.runs, "held": self.held,
            "landing": self.landing.as_ref().map(|l| json!({ "t": l.t, "what": l.what })) })
    }

    /// Warnings of a run that the referee does not accept, and of kinks and staircases, with both values.
    pub fn warnings(&self) -> Diagnostics {
        let mut diagnostics = Diagnostics::new();
        diagnostics.extend(self.refusal.as_ref().map(|why| {
            let help = "`vinci run` says more; these are derivatives of numbers that are not to be trusted";
            Diagnostic::warning(Code::Run, format!("the referee does not accept the run: {why}")).help(help)
        }));
        diagnostics.extend(self.landing.as_ref().map(landed));
        diagnostics.extend(self.held.as_deref().map(held));
        for ((measure, _), row) in self.measures.iter().zip(&self.derivatives) {
            for (parameter, d) in self.parameters.iter().zip(row) {
                diagnostics.extend(d.kink.map(|kink| kinked(measure, parameter, d, kink)));
                diagnostics.extend(d.wide.map(|wide| stepped(measure, parameter, d, wide)));
            }
        }
        let along = self.measures.iter().zip(&self.along);
        diagnostics.extend(along.filter_map(|((measure, _), along)| beside_gradient(measure, along)));
        diagnostics
    }
}

/// Whole runs along a direction, for programs.
fn beside(along: &DirectionCheck) -> Value {
    match along {
        DirectionCheck::Same => json!("same"),
        DirectionCheck::Other { gradient, step, runs } => {
            json!({ "gradient": gradient, "step": step, "runs": runs })
        }
        DirectionCheck::Nothing => Value::Null,
    }
}

/// Warning of a gradient that whole runs do not bear out, or that none were made for.
fn beside_gradient(measure: &str, along: &DirectionCheck) -> Option<Diagnostic> {
    let (message, help) = match along {
        DirectionCheck::Same => return None,
        DirectionCheck::Other { gradient, step, runs } => (
            format!(
                "`{measure}` along one direction of all parameters: its derivative is {gradient:.6e} step by step, and {runs:.6e} by whole runs {step:.0e} of it apart to both sides"
            ),
            "a kink, a landing or a stop lies there, or the measure bends. Leave out --reverse: forwards, whole runs tell by which parameter, and both sides",
        ),
        DirectionCheck::Nothing => (
            format!(
                "`{measure}`: no whole run beside this one comes to its end, so none bears out its gradient"
            ),
            "look at the values of the parameters beside those of the experiment: some may not be allowed there",
        ),
    };
    Some(Diagnostic::warning(Code::Kink, message).help(help))
}

fn counted(runs: u64) -> String {
    format!("{runs} run{}", if runs == 1 { "" } else { "s" })
}

/// A derivative as a table has it: value, error, both sides, method.
fn line(d: &Derivative) -> String {
    let side = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.9e}"));
    let (below, above) = (side(d.sides[0]), side(d.sides[1]));
    let (value, error) = (format!("{:.9e}", d.value), format!("{:.1e}", d.error));
    let method = if d.implicit { "active set".to_owned() } else { format!("differences of {:.1e}", d.step) };
    format!("{value:>16} {error:>9} {below:>16} {above:>16}  {method}")
}

fn kinked(measure: &str, (name, at): &(String, f64), d: &Derivative, kink: Kink) -> Diagnostic {
    let side = |x: Option<f64>| x.map_or("unknown".to_owned(), |x| format!("{x:.6e}"));
    let parts = kink
        .parts
        .map(|t| format!("; contacts on both sides part at t = {} s", seconds(t)))
        .unwrap_or_default();
    let [below, above] = d.sides.map(side);
    let message = format!(
        "`{measure}` has a kink at `{name}` = {at}: its derivative is {below} from below and {above} from above{parts}"
    );
    let help = "neither is the derivative; a search by derivatives may go wrong here";
    Diagnostic::warning(Code::Kink, message).help(help)
}

fn landed(Landing { t, what }: &Landing) -> Diagnostic {
    let message = format!(
        "{what} within the step that ends at t = {} s, and the step puts this at its end: what follows is a staircase in all that moves that time, and derivatives are those of a tread",
        seconds(*t)
    );
    let help = "trust derivatives of what does not move it. Else locate contacts (`time.events`) under `trapezoidal`, which hits them within the step (a stepper of first order does not, located or not), give the contact a stiffness under `tamsi`, or difference runs by hand over many steps";
    Diagnostic::warning(Code::Kink, message).help(help)
}

fn held(parameter: &str) -> Diagnostic {
    let message = format!(
        "bodies rest on contacts that the stepper takes as closed up to a gap, and `{parameter}` may lift them: --reverse has derivatives of contacts that stay closed"
    );
    let help = "leave out --reverse: forwards, whole runs on both sides tell a kink";
    Diagnostic::warning(Code::Kink, message).help(help)
}

fn stepped(measure: &str, (name, at): &(String, f64), d: &Derivative, [step, wide]: [f64; 2]) -> Diagnostic {
    let message = format!(
        "`{measure}` at `{name}` = {at}: its derivative is {:.6e} {}, and {wide:.6e} by differences of {step:.1e}",
        d.value,
        if d.implicit { "step by step".to_owned() } else { format!("by differences of {:.1e}", d.step) }
    );
    let help = "where impacts or stops fall on grid times a run is a staircase in what moves them: locate events (`time.events`, under `trapezoidal`), or take the larger difference. Else the measure bends within that difference, and the smaller one is right";
    Diagnostic::warning(Code::Kink, message).help(help)
}

fn departed(name: &str, part: f64) -> Diagnostic {
    let message = format!(
        "within three half-widths of `{name}` the sum of squares changes by {part:.2} times what its interval stands on: the interval does not hold"
    );
    let help = "runs with impacts on grid times are staircases, with many least sums: locate them (`time.events`), try --by simplex or more --starts and --searches";
    Diagnostic::warning(Code::NotIdentified, message).help(help)
}

impl Fit {
    /// Text for people: a table.
    pub fn text(&self) -> String {
        let width = self.parameters.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(9);
        let mut out = format!("{:width$} {:>14} {:>12}  within\n", "parameter", "value", "± 99 %");
        for (k, (name, [a, b])) in self.parameters.iter().enumerate() {
            let known = &self.confidence.known[k];
            let half = if known.identified {
                format!("{:.3e}", known.half_width)
            } else {
                "not identified".to_owned()
            };
            let bound = if self.at_bound[k] { ", at its bound" } else { "" };
            out.push_str(&format!("{name:width$} {:>14.8} {half:>12}  [{a}, {b}]{bound}\n", self.values[k]));
        }
        for (column, rms) in &self.residual {
            out.push_str(&format!("residual of {column}: {rms:.3e} (root mean square)\n"));
        }
        out.push_str(&format!(
            "{} numbers, condition {:.1e}, {}\n",
            self.numbers,
            self.confidence.condition,
            counted(self.runs[0])
        ));
        out
    }

    /// JSON for programs.
    pub fn to_json(&self) -> Value {
        let Confidence { known, condition, worst, worst_half_width, correlation } = &self.confidence;
        let parameter = |(k, (name, bounds)): (usize, &(String, [f64; 2]))| {
            json!({ "path": name, "value": self.values[k], "half_width": finite(known[k].half_width), "identified": known[k].identified,
                "bounds": bounds, "at_bound": self.at_bound[k], "departure": self.departures[k].map(finite) })
        };
        let parameters: Vec<Value> = self.parameters.iter().enumerate().map(parameter).collect();
        let ends: Vec<Value> =
            self.ends.iter().map(|(values, rms)| json!({ "values": values, "rms": finite(*rms) })).collect();
        json!({ "parameters": parameters, "condition": finite(*condition), "numbers": self.numbers, "residual": self.residual,
            "worst_direction": { "parts": worst, "half_width": finite(*worst_half_width) }, "correlation": correlation,
            "ends": ends, "why_differences": self.why_differences, "runs": self.runs[0], "failed": self.runs[1] })
    }

    /// Warnings: derivatives that were not there, parameters that the data do not identify, values at bounds, residuals that are no noise.
    pub fn warnings(&self) -> Diagnostics {
        let mut diagnostics = Diagnostics::new();
        let unidentified: Vec<&str> = self.unidentified().collect();
        diagnostics.extend(self.why_differences.as_ref().map(|why| {
            let message = format!("the search went by differences of whole runs: {why}");
            let help =
                "say --by differences, or choose a stepper and a solver that have derivatives step by step";
            Diagnostic::warning(Code::NoDerivative, message).help(help)
        }));
        if self.confidence.correlation > NO_NOISE && !self.far.is_empty() {
            let columns = list(self.far.iter().map(String::as_str));
            let message = format!("no run is near the data: farther from {columns} than their own mean");
            let help =
                "look at units (m, s, rad), at where both motions begin, and at whose columns they are";
            diagnostics.push(Diagnostic::warning(Code::NotIdentified, message).help(help));
        }
        if !unidentified.is_empty() {
            let (message, help) = self.advice(&unidentified);
            diagnostics.push(Diagnostic::warning(Code::NotIdentified, message).help(help));
        }
        for (k, (name, [a, b])) in self.parameters.iter().enumerate().filter(|(k, _)| self.at_bound[*k]) {
            if self.confidence.known[k].identified {
                let message = format!("`{name}` = {} is at a bound of [{a}, {b}]", self.values[k]);
                let help = "a better value may lie outside: widen the bounds";
                diagnostics.push(Diagnostic::warning(Code::OutOfRange, message).help(help));
            }
        }
        diagnostics.extend(self.other_end().map(|values| self.twofold(values)));
        for ((name, _), departure) in self.parameters.iter().zip(&self.departures) {
            diagnostics.extend(departure.map(|part| departed(name, part)));
        }
        if self.confidence.correlation > NO_NOISE {
            let message = format!(
                "residuals of neighbouring times are correlated ({:.2}): they are no noise",
                self.confidence.correlation
            );
            let help =
                "the model cannot follow the data, or the noise is not independent: intervals are too narrow";
            diagnostics.push(Diagnostic::warning(Code::NotIdentified, message).help(help));
        }
        diagnostics
    }

    /// Values at which another search ended as near to the data, apart from the solution by more than its intervals.
    fn other_end(&self) -> Option<&[f64]> {
        let best = self.ends.iter().map(|(_, rms)| *rms).fold(f64::INFINITY, f64::min);
        let is_apart = |values: &[f64]| {
            let known = self.confidence.known.iter().zip(&self.values).zip(values);
            known.into_iter().any(|((known, here), there)| {
                known.identified && (here - there).abs() > 2.0 * known.half_width
            })
        };
        let as_good = self.ends.iter().filter(|(_, rms)| *rms <= (1.0 + AS_GOOD) * best);
        as_good.map(|(values, _)| values.as_slice()).find(|values| is_apart(values))
    }

    fn twofold(&self, values: &[f64]) -> Diagnostic {
        let named =
            self.parameters.iter().zip(values).map(|((name, _), value)| format!("`{name}` = {value:.6}"));
        let message = format!(
            "{} comes as near to the data: they do not tell both apart",
            named.collect::<Vec<_>>().join(", ")
        );
        let help = "intervals hold for the one solution that is told; narrow the bounds to one of them, or measure what differs between both";
        Diagnostic::warning(Code::NotIdentified, message).help(help)
    }

    /// Names of the parameters that the data do not identify.
    fn unidentified(&self) -> impl Iterator<Item = &str> {
        let known = self.parameters.iter().zip(&self.confidence.known);
        known.filter(|(_, known)| !known.identified).map(|((name, _), _)| name.as_str())
    }

    /// A message and a next step for parameters that the data do not identify.
    fn advice(&self, unidentified: &[&str]) -> (String, String) {
        let names = unidentified.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
        let parts = self.confidence.worst.iter().zip(&self.parameters).filter(|(x, _)| x.abs() > 0.05);
        let direction: Vec<String> =
            parts.map(|(x, (name, [a, b]))| format!("{:+.3e} of `{name}`", x * (b - a))).collect();
        match direction.len() {
            0 | 1 => {
                let slips = ": what never slips says nothing of friction beyond that it sticks";
                let slips =
                    if unidentified.iter().any(|name| name.contains("friction")) { slips } else { "" };
                (
                    format!(
                        "the data do not identify {names}: runs with other values within the bounds come as near"
                    ),
                    format!("measure a motion that depends on it{slips}"),
                )
            }
            _ => (
                format!(
                    "the data do not tell {names} apart: {} together change nothing",
                    direction.join(" and ")
                ),
                "fix one of them with --set, or measure a motion in which they act differently".to_owned(),
            ),
        }
    }
}
