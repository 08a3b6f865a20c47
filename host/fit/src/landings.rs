//! Contacts and joint limits that close within a step.
//!
//! A stepper of rigid contacts puts a body onto the ground at the end of the step, whenever it came. What follows is a staircase in all that
//! moves this time: its derivative is that of a tread, and finer steps do not change that. Contacts with a stiffness begin without a jump.

use vinci_core::contact::ContactKey;
use vinci_core::referee::Mode;
use vinci_core::tree::Limits;
use vinci_engine::pipeline::{Accepted, Simulation};

/// Part of the way of a step that a contact has to close, where it does so within the step.
const WITHIN: f64 = 0.01;

/// Part of the largest velocity below which an approach is no landing.
const SLOW: f64 = 1e-3;

/// The first landing of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Landing {
    /// End of the step, s.
    pub t: f64,
    /// What meets.
    pub what: String,
}

/// Looks for landings in the steps of a run.
pub(crate) struct Landings {
    q: Vec<f64>,
    v: Vec<f64>,
    pressed: Vec<ContactKey>,
    pub(crate) first: Option<Landing>,
}

impl Landings {
    /// At the start of a run.
    pub(crate) fn new(simulation: &Simulation) -> Self {
        Self { q: simulation.q().to_vec(), v: simulation.v().to_vec(), pressed: Vec::new(), first: None }
    }

    /// A step was accepted.
    pub(crate) fn add(&mut self, simulation: &Simulation, accepted: &Accepted<'_>) {
        if self.first.is_some() {
            return;
        }
        let what = self.contact(simulation, accepted).or_else(|| self.limit(simulation, accepted));
        self.first = what.map(|what| Landing { t: accepted.t, what });
        self.q.copy_from_slice(accepted.q);
        self.v.copy_from_slice(accepted.v);
        let contacts = &accepted.contacts;
        self.pressed.clear();
        self.pressed
            .extend((0..contacts.len()).filter(|i| is_pressed(accepted, *i)).map(|i| contacts.key[i]));
    }

    /// The bodies of a contact that presses, did not before, and had a part of the step's way to go.
    fn contact(&self, simulation: &Simulation, accepted: &Accepted<'_>) -> Option<String> {
        let (contacts, system) = (&accepted.contacts, &simulation.system);
        let is_soft = simulation.declared().law.is_compliant();
        let fastest = self.v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let lands = |i: &usize| {
            let closing = -contacts.jacobian.row_dot(contacts.row(*i), &self.v);
            let is_rigid = !is_soft || contacts.pair.stiffness[*i].is_infinite();
            is_rigid
                && is_pressed(accepted, *i)
                && !self.pressed.contains(&contacts.key[*i])
                && closing > SLOW * fastest
                && contacts.gap[*i] > WITHIN * closing * accepted.h
        };
        let i = (0..contacts.len()).find(lands)?;
        let name = |body: u32| &system.bodies[body as usize].name;
        Some(format!("`{}` and `{}` meet", name(contacts.body_a[i]), name(contacts.body_b[i])))
    }

    /// The joint whose limit stopped it within the step.
    fn limit(&self, simulation: &Simulation, accepted: &Accepted<'_>) -> Option<String> {
        let system = &simulation.system;
        let h = accepted.h;
        for (k, part) in system.trees.iter().enumerate() {
            for (j, joint) in part.tree.joints().iter().enumerate() {
                let Some(Limits { lower, upper }) = joint.limits else { continue };
                let (q, v) = (system.tree_q(k) + part.tree.q_range(j).start, part.tree.v_range(j).start);
                let v = self.v[system.tree_velocity(k) + v];
                let sides = [
                    (self.q[q] - lower, accepted.q[q] - lower, -v),
                    (upper - self.q[q], upper - accepted.q[q], v),
                ];
                let stops = |(before, after, closing): (f64, f64, f64)| {
                    before > WITHIN * closing * h && before < closing * h && after > -WITHIN * closing * h
                };
                if sides.into_iter().any(stops) {
                    return Some(format!("joint `{}` comes to its limit", joint.name));
                }
            }
        }
        None
    }
}

fn is_pressed(accepted: &Accepted<'_>, i: usize) -> bool {
    accepted.mode[i] != Mode::Open
}
