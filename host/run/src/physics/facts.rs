//! Facts that a run takes from its scene, and sentences about them.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One thing that a run takes from its scene, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// Subject: `restitution`, `motion`, `friction directions`.
    pub what: Cow<'static, str>,
    /// How it is taken, with its values where it departs: `ignored (0.8 between `ball` and `floor`)`.
    pub how: String,
    /// True if this is something else than what the scene says.
    pub departs: bool,
}

/// How a run reads the physics of its scene.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Physics {
    /// Everything that the scene uses, in a fixed order.
    pub facts: Vec<Fact>,
    /// The departures as sentences.
    pub told: Vec<String>,
}

impl Physics {
    /// Takes in a departure that is told in this sentence.
    pub(super) fn add(&mut self, fact: Fact, told: Option<&str>) {
        self.facts.push(fact);
        self.told.extend(told.map(str::to_owned));
    }
}
