//! The parting of two runs: the first common time at which they are not the same any more.

use serde_json::{Value, json};

use vinci_core::model::System;
use vinci_core::referee::Mode;
use vinci_engine::registry::Registry;
use vinci_run::Prepared;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

use super::sample::{Pressed, Sample};
use super::scale::{Clock, Scale};
use super::side::Side;
use super::watched_run::watch_run;
use crate::motion::{Gap, Largest};

/// Where two runs part.
#[derive(Debug, Clone, PartialEq)]
pub struct Parting {
    /// The last common time at which they are the same, s; none where they begin otherwise.
    pub common: Option<f64>,
    /// The first at which they are not, s.
    pub time: f64,
    /// How far they are apart there.
    pub gap: Gap,
    /// The gap without units: of position, rotation, velocity, spin. The largest is above the tolerance.
    pub sizes: [f64; 4],
    /// Names of the bodies that the gap names: of position, rotation, velocity, spin.
    pub bodies: [String; 4],
    /// Contacts that are not the same at that time.
    pub contacts: Vec<ContactChange>,
    /// Reason why one of them ended there, or both in other ways.
    pub ended: [Option<String>; 2],
    /// Number of the time, in common intervals.
    pub(super) number: usize,
}

/// Outcome of following two runs.
pub(super) enum Followed {
    Parted(Box<Parting>),
    /// They stay together.
    Together {
        /// The largest gap, without unit.
        largest: f64,
        /// Reasons why both ended early, if they did.
        ended: Option<[String; 2]>,
    },
}

/// Contacts of two bodies that do not do the same in both runs.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactChange {
    /// Their names.
    pub bodies: [String; 2],
    /// `open`, `stick` or `slip` in both runs.
    pub mode: [&'static str; 2],
    /// Sum of normal forces in both, N.
    pub force: [f64; 2],
}

/// Two runs that are followed until they part.
pub(super) struct Pair<'a> {
    pub(super) sides: [&'a Side; 2],
    pub(super) registry: &'a Registry,
    pub(super) clock: Clock,
    pub(super) scale: Scale,
    /// The size of a gap at which they are not the same any more.
    pub(super) tolerance: f64,
}

/// Intervals that are looked at first; then four times as many.
const FIRST_LOOK: usize = 64;

impl<'a> Pair<'a> {
    pub(super) fn new(
        sides: [&'a Side; 2],
        registry: &'a Registry,
        tolerance: f64,
    ) -> Result<Self, Diagnostics> {
        let clock = Clock::new(sides.map(Side::step), sides.map(Side::duration))?;
        let [a, b] = [sides[0].ready(registry)?, sides[1].ready(registry)?];
        same_bodies(&a.simulation.system, &b.simulation.system)?;
        let scale = Scale::new(&a.simulation.system, &clock);
        Ok(Self { sides, registry, clock, scale, tolerance })
    }

    fn ready(&self, k: usize) -> Result<Prepared, Diagnostics> {
        self.sides[k].ready(self.registry)
    }

    fn is_apart(&self, gap: &Gap) -> bool {
        self.scale.size(gap) > self.tolerance
    }

    /// Follows both runs to their end, or until they part.
    pub(super) fn parting(&self) -> Result<Followed, Diagnostics> {
        let [a, b] = [self.ready(0)?, self.ready(1)?];
        let first = [Sample::first(&a.simulation), Sample::first(&b.simulation)];
        if self.is_apart(&first[0].motion.gap(&first[1].motion)) {
            let parting = self.told(&a.simulation.system, 0, [&first[0], &first[1]]);
            return Ok(Followed::Parted(Box::new(parting)));
        }
        let mut horizon = FIRST_LOOK.min(self.clock.count);
        loop {
            let seen = self.look(horizon)?;
            let is_whole = match &seen {
                Followed::Parted(_) => true,
                Followed::Together { ended, .. } => ended.is_some() || horizon == self.clock.count,
            };
            if is_whole {
                return Ok(seen);
            }
            horizon = (4 * horizon).min(self.clock.count);
        }
    }

    /// Follows both runs for so many intervals.
    fn look(&self, horizon: usize) -> Result<Followed, Diagnostics> {
        let (end, every) = (self.clock.time(horizon), [0, 1].map(|k| self.clock.every(self.sides[k].step())));
        let (mut a, mut b) = (self.ready(0)?, self.ready(1)?);
        let second = watch_run(&mut b, (end, every[1]), |_, _| false);
        let mut largest: f64 = 0.0;
        let first = watch_run(&mut a, (end, every[0]), |k, sample| match second.samples.get(k) {
            Some(other) => {
                let size = self.scale.size(&sample.motion.gap(&other.motion));
                largest = largest.max(size);
                size > self.tolerance
            }
            None => true,
        });
        let system = &a.simulation.system;
        let last = first.samples.len().min(second.samples.len());
        let parted = (last > 0
            && self.is_apart(&first.samples[last - 1].motion.gap(&second.samples[last - 1].motion)))
        .then(|| self.told(system, last, [&first.samples[last - 1], &second.samples[last - 1]]));
        // One that ends while the other goes on, and has not parted before.
        let ended = || {
            let end = [&first, &second].map(|run| run.failure.clone());
            let both = end.iter().all(Option::is_some) && first.samples.len() == second.samples.len();
            (end.iter().any(Option::is_some) && !both).then(|| Parting {
                ended: end,
                number: last + 1,
                time: self.clock.time(last + 1),
                common: Some(self.clock.time(last)),
                gap: Gap::default(),
                sizes: [0.0; 4],
                bodies: Default::default(),
                contacts: Vec::new(),
            })
        };
        Ok(match parted.or_else(ended) {
            Some(parting) => Followed::Parted(Box::new(parting)),
            None => Followed::Together { largest, ended: first.failure.zip(second.failure).map(Into::into) },
        })
    }

    fn told(&self, system: &System, number: usize, [a, b]: [&Sample; 2]) -> Parting {
        let gap = a.motion.gap(&b.motion);
        let name = |largest: &Largest| system.bodies[largest.body as usize].name.clone();
        Parting {
            common: number.checked_sub(1).map(|n| self.clock.time(n)),
            time: self.clock.time(number),
            bodies: [&gap.position, &gap.rotation, &gap.velocity, &gap.spin].map(name),
            sizes: self.scale.sizes(&gap),
            gap,
            contacts: changes(system, [a, b]),
            ended: [None, None],
            number,
        }
    }
}

/// Both scenes have the same bodies in the same order.
fn same_bodies(a: &System, b: &System) -> Result<(), Diagnostics> {
    let n = a.bodies.len().max(b.bodies.len());
    let name = |system: &System, k: usize| {
        system.bodies.get(k).map_or("nothing".to_owned(), |body| {
            format!("{} body `{}`", if body.is_static { "static" } else { "moving" }, body.name)
        })
    };
    let other = (0..n).find(|&k| name(a, k) != name(b, k));
    let Some(k) = other.or((a.space != b.space).then_some(0)) else { return Ok(()) };
    let message = match a.space == b.space {
        true => format!("the scenes have other bodies: {} in A is {} in B", name(a, k), name(b, k)),
        false => format!("one scene is {}, the other {}", a.space.name(), b.space.name()),
    };
    let help = "compare runs of one scene; values may be others, bodies may not";
    Err(Diagnostic::error(Code::Contradiction, message).help(help).into())
}

/// Contacts that do not do the same. A force that differs is no change: the same motion may have many.
fn changes(system: &System, [a, b]: [&Sample; 2]) -> Vec<ContactChange> {
    let keys: std::collections::BTreeSet<_> = a.pressed.keys().chain(b.pressed.keys()).collect();
    let change = |key: &(u32, u32)| {
        let pair = [a.pressed.get(key), b.pressed.get(key)];
        let mode = pair.map(|p| p.map_or(Mode::Open, |p: &Pressed| p.mode).name());
        let names = [key.0, key.1].map(|body| system.bodies[body as usize].name.clone());
        let force = pair.map(|p| p.map_or(0.0, |p| p.force));
        (mode[0] != mode[1]).then_some(ContactChange { bodies: names, mode, force })
    };
    keys.into_iter().filter_map(change).collect()
}

impl Parting {
    /// The gap as name, value, unit, body.
    pub fn parts(&self) -> [(&'static str, f64, &'static str, &str); 4] {
        let Gap { position, rotation, velocity, spin } = self.gap;
        [
            ("position", position.value, "m", &self.bodies[0]),
            ("rotation", rotation.value, "rad", &self.bodies[1]),
            ("velocity", velocity.value, "m/s", &self.bodies[2]),
            ("spin", spin.value, "rad/s", &self.bodies[3]),
        ]
    }

    /// JSON for programs.
    pub fn to_json(&self) -> Value {
        let gap: serde_json::Map<String, Value> = self
            .parts()
            .into_iter()
            .map(|(name, value, unit, body)| {
                (name.to_owned(), json!({ "value": value, "unit": unit, "body": body }))
            })
            .collect();
        let contact = |c: &ContactChange| json!({ "bodies": c.bodies, "mode": c.mode, "force": c.force });
        json!({ "together": self.common, "apart": self.time, "gap": gap, "ended": self.ended,
            "contacts": self.contacts.iter().map(contact).collect::<Vec<_>>() })
    }
}
