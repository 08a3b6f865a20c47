//! Facts about a stepper that no parameter of the scene stands for: its options, and when impacts come.

use serde_json::{Map, Value};
use vinci_core::referee::ContactLaw;
use vinci_engine::declared::{declared, text_of};
use vinci_scene::experiment::{ContactEventLocation, Time};

use super::facts::Fact;
use crate::used::Used;

/// Facts by which runs of other steppers, or of the same one under other options, may differ.
pub fn of_stepper(stepper: &Used, time: &Time) -> Vec<Fact> {
    let fact = |what: &'static str, how: String| Fact { what: what.into(), how, departs: false };
    let options = fact("stepper's options", own_options(stepper));
    let impacts = impacts(stepper, time).map(|how| fact("impacts", how.to_owned()));
    [Some(options), impacts].into_iter().flatten().collect()
}

/// Options that are not the default, with their values: "forces end, law linear".
fn own_options(stepper: &Used) -> String {
    let given: Map<String, Value> = serde_json::from_str(&stepper.options).unwrap_or_default();
    let default = |key: &str| stepper.manifest.options.get("properties")?.get(key)?.get("default");
    let is_own =
        |(key, value): &(&String, &Value)| default(key).is_none_or(|default| !is_same(default, value));
    let told = |(key, value): (&String, &Value)| format!("{key} {}", text_of(value));
    let own: Vec<String> = given.iter().filter(is_own).map(told).collect();
    if own.is_empty() { "default".to_owned() } else { own.join(", ") }
}

/// 1 and 1.0 are one number.
fn is_same(a: &Value, b: &Value) -> bool {
    a == b || a.as_f64().zip(b.as_f64()).is_some_and(|(a, b)| a == b)
}

/// When a contact that closes within a step stops its bodies, by the law to which the referee holds the stepper; nothing where contacts
/// are located in time.
fn impacts(stepper: &Used, time: &Time) -> Option<&'static str> {
    if time.events != ContactEventLocation::None {
        return None;
    }
    Some(match declared(&stepper.manifest, &stepper.options).law {
        ContactLaw::Velocity { .. } => {
            "after the gap has closed: up to a step late, with an overlap up to the approach of a step"
        }
        ContactLaw::Position | ContactLaw::Convex { .. } => {
            "by the linear gap at the step's end; with restitution up to a step early"
        }
        ContactLaw::Regularized { .. } => "while bodies overlap",
        ContactLaw::Layers { .. } => {
            "soft: while layers overlap; rigid: by the linear gap at the step's end; with restitution up to a step early"
        }
    })
}
