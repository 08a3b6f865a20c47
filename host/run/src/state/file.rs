//! The form of a saved state in its file.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use vinci_core::contact::{ContactKey, ContactMemory, Remembered};
use vinci_core::referee::Memory;

use crate::sealed::hex;
use crate::used::Used;
use vinci_engine::pipeline::{Passing, Snapshot, State, StepSize, ZenoGuard};
use vinci_scene::experiment::ScheduledEvent;

/// A saved state.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StateFile {
    pub(super) format: String,
    /// s.
    pub(super) time: f64,
    /// `time.step` of the run, s.
    pub(super) grid_step: f64,
    /// Parts of q and v, in words.
    pub(super) layout: Vec<String>,
    /// Hash of all shapes.
    pub(super) shapes: String,
    /// Events of the run, and the numbers of those that happened, in their order.
    pub(super) events: Vec<ScheduledEvent>,
    pub(super) happened: Vec<usize>,
    /// Detector, stepper, solver and its fallbacks.
    pub(super) plugins: Vec<OfPlugin>,
    /// Controllers of the experiment, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) controllers: Vec<OfPlugin>,
    pub(super) simulation: OfSimulation,
}

/// The state of a plugin.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfPlugin {
    pub(super) id: String,
    /// JSON.
    pub(super) options: String,
    /// Hash of the library.
    pub(super) digest: String,
    /// Further detectors, whose states are in the same bytes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) others: Vec<OfPlugin>,
    /// Its bytes, hexadecimal.
    pub(super) state: String,
}

impl OfPlugin {
    /// The state of a plugin, and of those whose states are in the same bytes.
    pub(super) fn new(used: &Used, others: &[Used], state: &[u8]) -> Self {
        let others = others.iter().map(|other| Self::new(other, &[], &[])).collect();
        Self {
            id: used.manifest.id.clone(),
            options: used.options.clone(),
            digest: used.plugin.digest().to_string(),
            others,
            state: hex(state),
        }
    }

    /// Returns true if it is this very library's.
    pub(super) fn is_build(&self, used: &Used) -> bool {
        self.id == used.manifest.id && self.digest == used.plugin.digest()
    }

    /// Returns true if it is the same plugin's with the same options, but of another library.
    pub(super) fn is_of_other_build(&self, used: &Used) -> bool {
        (&self.id, &self.options) == (&used.manifest.id, &used.options) && self.digest != used.plugin.digest()
    }

    /// Returns true if it is these plugins', with the same options.
    pub(super) fn is(&self, used: &Used, others: &[Used]) -> bool {
        (&self.id, &self.options) == (&used.manifest.id, &used.options)
            && self.digest == used.plugin.digest()
            && self.others.len() == others.len()
            && self.others.iter().zip(others).all(|(kept, other)| kept.is(other, &[]))
    }
}

/// The host's part of a state.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfSimulation {
    step: u64,
    pub(super) grid: u64,
    h_last: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    contacts: Vec<OfContact>,
    support_impulse: Vec<f64>,
    impacts: Vec<(Key, u32)>,
    calmed: Vec<(Key, bool)>,
    control: (f64, u32),
    controllers: Vec<f64>,
    /// Memory of the referee, as numbers; empty without one.
    #[serde(default)]
    pub(super) referee: Vec<f64>,
}

/// Shapes and features of both sides.
type Key = [u32; 4];

/// Memory of one contact.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfContact {
    key: Key,
    impulse: [f64; 3],
    normal: [f64; 3],
    tangent: [f64; 3],
    age: u32,
}

fn written(key: &ContactKey) -> Key {
    [key.shape_a, key.shape_b, key.feature_a, key.feature_b]
}

fn read(key: &Key) -> ContactKey {
    let [shape_a, shape_b, feature_a, feature_b] = *key;
    ContactKey { shape_a, shape_b, feature_a, feature_b }
}

impl From<&Snapshot> for OfSimulation {
    fn from(snapshot: &Snapshot) -> Self {
        let s = &snapshot.state;
        let contact = |c: &Remembered| OfContact {
            key: written(&c.key),
            impulse: c.impulse,
            normal: c.normal.into(),
            tangent: c.tangent.into(),
            age: c.age,
        };
        let (impacts, calmed) = s.guard.parts();
        Self {
            step: s.step,
            grid: s.grid,
            h_last: s.h_last,
            q: s.q.clone(),
            v: s.v.clone(),
            contacts: s.memory.entries().iter().map(contact).collect(),
            support_impulse: s.support_impulse.clone(),
            impacts: impacts.iter().map(|(key, n)| (written(key), *n)).collect(),
            calmed: calmed.iter().map(|(key, landed)| (written(key), *landed)).collect(),
            control: (s.step_size.h, s.step_size.since_probe),
            controllers: snapshot.controllers.clone(),
            referee: snapshot.referee.numbers(),
        }
    }
}

/// Without time and plugins.
impl From<&OfSimulation> for Snapshot {
    fn from(s: &OfSimulation) -> Self {
        let contact = |c: &OfContact| Remembered {
            key: read(&c.key),
            impulse: c.impulse,
            normal: Vector3::from(c.normal),
            tangent: Vector3::from(c.tangent),
            age: c.age,
        };
        let impacts = s.impacts.iter().map(|(key, n)| (read(key), *n)).collect();
        let calmed = s.calmed.iter().map(|(key, landed)| (read(key), *landed)).collect();
        let state = State {
            step: s.step,
            grid: s.grid,
            t: 0.0,
            h_last: s.h_last,
            q: s.q.clone(),
            v: s.v.clone(),
            memory: ContactMemory::from_entries(s.contacts.iter().map(contact).collect()),
            support_impulse: s.support_impulse.clone(),
            guard: ZenoGuard::of_parts((impacts, calmed)),
            step_size: StepSize { h: s.control.0, since_probe: s.control.1 },
            passing: Passing::default(),
        };
        let referee = Memory::of_numbers(&s.referee).unwrap_or_default();
        let (plugins, stages) = (Vec::new(), Vec::new());
        Self { state, controllers: s.controllers.clone(), referee, plugins, stages }
    }
}

/// Bytes of hexadecimal digits; nothing where the text is something else.
pub(super) fn bytes(hex: &str) -> Option<Vec<u8>> {
    let pair = |two: &[u8]| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok();
    if !hex.len().is_multiple_of(2) {
        return None;
    }
    hex.as_bytes().chunks(2).map(pair).collect()
}
