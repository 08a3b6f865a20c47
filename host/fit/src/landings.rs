//! Contacts and joint limits that close within a step.
//!
//! A stepper of rigid contacts puts a body onto the ground at the end of the step, whenever it came. What follows is a staircase in all that
//! moves this time: its derivative is that of a tread, and finer steps do not change that. Where the time is located (`time.events`) a stepper
//! of first order still arrives with a velocity that is constant between grid times. Contacts with a stiffness begin without a jump.
//!
//! A contact that slides under Anitescu's relaxation lifts by up to μ |ν_t| and comes down again: such hops are its law, no landings.

use vinci_core::contact::{ContactKey, Contacts};
use vinci_core::referee::{ContactLaw, Mode};
use vinci_core::tree::Limits;
use vinci_engine::pipeline::{Accepted, Simulation};

/// Part of the way of a step that a contact has to close, or is beyond it, where it closes within the step or the one before.
const WITHIN: f64 = 0.01;

/// Part of the velocities in a contact's row below which an approach is no landing, and of the largest velocity of all bodies, whose rounding it
/// may be.
const SLOW: f64 = 1e-3;
const ROUNDING: f64 = 1e-9;

/// Way of a joint in a step, m or rad, below which it rests.
const NOTHING: f64 = 1e-9;

/// The first landing of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Landing {
    /// End of the step, s.
    pub t: f64,
    /// Bodies that meet, or the joint that comes to its limit, in words.
    pub what: String,
}

/// Looks for landings in the steps of a run.
pub(crate) struct Landings {
    /// True under a stepper of second order, whose located contacts are those of the motion.
    is_second_order: bool,
    is_first_step: bool,
    q: Vec<f64>,
    v: Vec<f64>,
    pressed: Vec<ContactKey>,
    /// Contacts that the relaxation has lifted, and that have not pressed since.
    lifted: Vec<ContactKey>,
    pub(crate) first: Option<Landing>,
    /// True if a contact rested that its stepper takes as closed up to a gap: over the displacements of a difference it does not open.
    pub(crate) holds: bool,
}

impl Landings {
    /// At the start of a run.
    pub(crate) fn new(simulation: &Simulation) -> Self {
        let is_second_order = simulation.settings.second_order;
        let (q, v) = (simulation.q().to_vec(), simulation.v().to_vec());
        let (pressed, lifted, first) = (Vec::new(), Vec::new(), None);
        Self { is_second_order, is_first_step: true, q, v, pressed, lifted, first, holds: false }
    }

    /// A step was accepted.
    pub(crate) fn add(&mut self, simulation: &Simulation, accepted: &Accepted<'_>) {
        if self.first.is_none() {
            let what = self.contact(simulation, accepted).or_else(|| self.limit(simulation, accepted));
            self.first = what.map(|what| Landing { t: accepted.t, what });
        }
        let contacts = &accepted.contacts;
        let pressed = || (0..contacts.len()).filter(|i| is_pressed(accepted, *i)).map(|i| contacts.key[i]);
        let has_tolerance =
            matches!(simulation.declared().law, ContactLaw::Velocity { tolerance } if tolerance > 0.0);
        self.holds |= has_tolerance && pressed().any(|key| self.pressed.contains(&key));
        self.is_first_step = false;
        self.q.copy_from_slice(accepted.q);
        self.v.copy_from_slice(accepted.v);
        self.pressed.clear();
        self.pressed.extend(pressed());
        self.lifted.retain(|key| !self.pressed.contains(key));
        if matches!(simulation.declared().law, ContactLaw::Convex { .. }) {
            let lifts = |i: &usize| is_pressed(accepted, *i) && hops(contacts, *i, &self.v) > 0.0;
            self.lifted.extend((0..contacts.len()).filter(lifts).map(|i| contacts.key[i]));
        }
    }

    /// The bodies of a contact that presses, did not before, and had a part of the step's way to go.
    fn contact(&self, simulation: &Simulation, accepted: &Accepted<'_>) -> Option<String> {
        let (contacts, system) = (&accepted.contacts, &simulation.system);
        let is_soft = simulation.declared().law.is_compliant();
        // What touches when the run begins does so at a time that nothing moves.
        let wants_way = self.is_second_order || self.is_first_step;
        let fastest = self.v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let lands = |i: &usize| {
            let row = contacts.row(*i);
            let closing = -contacts.jacobian.row_dot(row, &self.v);
            let parts = contacts.jacobian.entries(row).map(|(dof, j)| (j * self.v[dof]).abs());
            let least = (SLOW * parts.sum::<f64>()).max(ROUNDING * fastest);
            let is_rigid = !is_soft || contacts.pair.stiffness[*i].is_infinite();
            let hits = is_pressed(accepted, *i)
                || accepted.impacts.iter().any(|impact| impact.contacts.contains(&contacts.key[*i]));
            is_rigid
                && hits
                && !self.pressed.contains(&contacts.key[*i])
                && !(self.lifted.contains(&contacts.key[*i]) && hops(contacts, *i, &self.v) < 0.0)
                && closing > least
                && (!wants_way || contacts.gap[*i].abs() > WITHIN * closing * accepted.h)
        };
        let key = (0..contacts.len()).find(lands).map(|i| contacts.key[i])?;
        let name = |shape: u32| &system.bodies[system.shapes[shape as usize].body as usize].name;
        Some(format!("`{}` and `{}` meet", name(key.shape_a), name(key.shape_b)))
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
                    let way = closing * h;
                    let is_reached = before.abs() > WITHIN * way && before < way;
                    way > NOTHING && is_reached && before - after < (1.0 - WITHIN) * way
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

/// Rate at which a contact opens, m/s, where that is within what the relaxation lets it: no more than μ |ν_t|; else 0.
fn hops(contacts: &Contacts<'_>, i: usize, v: &[f64]) -> f64 {
    let row = contacts.row(i);
    let opens = contacts.jacobian.row_dot(row, v);
    let along = (1..=contacts.n_t).map(|t| contacts.jacobian.row_dot(row + t, v));
    let slip = along.map(|rate| rate * rate).sum::<f64>().sqrt();
    let most = (1.0 + WITHIN) * contacts.pair.friction[i] * slip;
    let is_hop = opens.abs() <= most && contacts.pair.restitution[i] == 0.0;
    if is_hop { opens } else { 0.0 }
}
