//! The outcome of `vinci diff`, for people and for programs.

use std::fmt::Write;
use vinci_core::clock::seconds;

use serde_json::{Value, json};

use super::{Along, Cause, Difference, Exchange, Factor, Parting};

impl Difference {
    /// Text for people.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let Some(parting) = &self.parting else {
            let _ = writeln!(
                out,
                "the same   up to a gap of {:.1e} (of {} m and rad; velocities over {} s)",
                self.largest, self.length, self.interval
            );
            if let Some([a, b]) = &self.ended {
                push(&mut out, "ends", &format!("A: {a}"));
                push(&mut out, "ends", &format!("B: {b}"));
            }
            self.without_effect.iter().for_each(|factor| push(&mut out, "no effect", &factor.sentence()));
            return out;
        };
        parting.tell(&mut out);
        if let Some(cause) = &self.cause {
            cause.tell(&mut out);
        }
        out
    }

    /// JSON for programs.
    pub fn to_json(&self) -> Value {
        json!({
            "parting": self.parting.as_ref().map(Parting::to_json), "cause": self.cause.as_ref().map(Cause::to_json),
            "without_effect": self.without_effect.iter().map(Factor::to_json).collect::<Vec<_>>(),
            "ended": self.ended, "largest": self.largest, "length": self.length, "interval": self.interval,
        })
    }
}

fn push(out: &mut String, head: &str, text: &str) {
    let _ = writeln!(out, "{head:<10} {text}");
}

/// Part of the largest difference from which on another one is told.
const NOTED: f64 = 1e-6;

impl Parting {
    fn tell(&self, out: &mut String) {
        match self.common {
            Some(t) => push(
                out,
                "part",
                &format!("at t = {} s; at {} s they are the same", seconds(self.time), seconds(t)),
            ),
            None => push(out, "part", "at the start"),
        }
        for (k, why) in self.ended.iter().enumerate() {
            if let Some(why) = why {
                push(out, "ends", &format!("{}: {why}", ["A", "B"][k]));
            }
        }
        // What is rounding beside the rest is not told.
        let told = NOTED * self.sizes.iter().copied().fold(0.0, f64::max);
        for ((name, value, unit, body), size) in self.parts().into_iter().zip(self.sizes) {
            if size > told {
                push(out, "", &format!("{name} {value:.2e} {unit}, `{body}`"));
            }
        }
        for c in &self.contacts {
            let [a, b] = &c.bodies;
            let text = format!(
                "`{a}` / `{b}`: {} in A ({:.3} N), {} in B ({:.3} N)",
                c.mode[0], c.force[0], c.mode[1], c.force[1]
            );
            push(out, "contact", &text);
        }
    }
}

impl Factor {
    /// "step `time.step`: 0.01 in A, 0.005 in B".
    pub fn sentence(&self) -> String {
        let texts = self.values.each_ref().map(|value| match value {
            Value::Null => "not given".to_owned(),
            other => other.to_string(),
        });
        let from = where_told(&texts);
        let [a, b] = texts.map(|text| short(&behind(&text, from)));
        format!("{} `{}`: {a} in A, {b} in B", self.kind.name(), self.name)
    }

    fn to_json(&self) -> Value {
        json!({ "kind": self.kind.name(), "name": self.name, "values": self.values })
    }
}

/// Letters that are shown before the first one that is not the same.
const BEFORE: usize = 20;

/// The letter from which on two texts are shown, so that their beginnings are not all that is seen and the same.
fn where_told([a, b]: &[String; 2]) -> usize {
    let same = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    if same + BEFORE < MOST { 0 } else { same - BEFORE }
}

/// The text from a letter on.
fn behind(text: &str, from: usize) -> String {
    let rest = text.chars().skip(from);
    if from == 0 { rest.collect() } else { std::iter::once('…').chain(rest).collect() }
}

/// Letters of a long text that are shown.
const MOST: usize = 60;

/// The beginning of a long text.
fn short(text: &str) -> String {
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        text.chars().take(MOST).collect::<String>() + "…"
    }
}

impl Cause {
    fn tell(&self, out: &mut String) {
        let named = |k: &usize| self.exchanges[*k].factor.sentence();
        match self.named.as_slice() {
            [] => push(out, "cause", "none: the experiments are the same"),
            [one] => push(out, "cause", &named(one)),
            several => {
                push(out, "cause", "these together:");
                several.iter().for_each(|k| push(out, "", &named(k)));
            }
        }
        for one in &self.along {
            let [a, b] = &one.how;
            push(out, "", &format!("with it {}: {a} in A, {b} with B's", one.what));
        }
        let [from, to] = self.window;
        let left = match self.left.is_infinite() {
            true => "one of them ends early".to_owned(),
            false => format!("{} of the gap is left", part(self.left)),
        };
        let text = format!("{left} with that exchanged (t = {} s to {} s)", seconds(from), seconds(to));
        push(out, "", &text);
        push(out, "exchanged", "left in A with B's, in B with A's");
        self.exchanges.iter().for_each(|exchange| push(out, "", &exchange.sentence()));
    }

    fn to_json(&self) -> Value {
        let left = |left: &Result<f64, String>| match left {
            Ok(left) => json!(left),
            Err(why) => json!({ "not_run": why }),
        };
        let exchange = |e: &Exchange| {
            let mut value = e.factor.to_json();
            value["left"] = e.left.iter().map(left).collect();
            value
        };
        json!({ "named": self.named, "left": self.left, "window": self.window,
            "along": self.along.iter().map(Along::to_json).collect::<Vec<_>>(),
            "exchanged": self.exchanges.iter().map(exchange).collect::<Vec<_>>() })
    }
}

impl Exchange {
    fn sentence(&self) -> String {
        let [a, b] = self.left.each_ref().map(|left| match left {
            Ok(left) => part(*left),
            Err(_) => "no run".to_owned(),
        });
        let why = self.left.iter().find_map(|left| left.as_ref().err());
        let why = why.map_or_else(String::new, |why| format!(" ({})", short(why)));
        format!("{a:>8} {b:>8}  {} `{}`{why}", self.factor.kind.name(), self.factor.name)
    }
}

/// A part in per cent; infinite where one of the two ends early.
fn part(left: f64) -> String {
    if left.is_infinite() {
        "one ends".to_owned()
    } else if left < 10.0 {
        format!("{:.1} %", 100.0 * left)
    } else {
        format!("{left:.0} ×")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::Kind;

    /// Two drives of other speeds were told as the same sixty letters.
    #[test]
    fn long_values_are_shown_where_they_differ() {
        let dofs = |speed: f64| json!({ "rx": "locked", "ry": "locked", "rz": "locked", "x": { "velocity": speed }, "y": "locked" });
        let factor = Factor {
            kind: Kind::Scene,
            name: "scene.bodies.pusher.dofs".to_owned(),
            values: [dofs(0.25), dofs(0.21)],
            paths: Vec::new(),
        };
        let text = factor.sentence();
        assert!(text.contains("\"velocity\":0.25") && text.contains("\"velocity\":0.21"), "{text}");
        let brief = Factor { values: [json!(0.01), Value::Null], ..factor };
        assert_eq!(brief.sentence(), "scene value `scene.bodies.pusher.dofs`: 0.01 in A, not given in B");
    }
}
