//! Whose numbers the differences of two states are: bodies and joints by name, each in its own unit.

use vinci_core::model::{Frames, System};
use vinci_core::state::displacement;
use vinci_engine::labels;

use crate::motion::Motion;

/// Where a run stands at a border.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stand {
    motion: Motion,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl Stand {
    pub(super) fn of(system: &System, (t, q, v): (f64, &[f64], &[f64])) -> Self {
        let motion = Motion::of(system, (t, q, v), &mut Frames::default());
        Self { motion, q: q.to_vec(), v: v.to_vec() }
    }

    /// Returns true if these are its positions and velocities, to the bit.
    pub(super) fn is_at(&self, q: &[f64], v: &[f64]) -> bool {
        (self.q.as_slice(), self.v.as_slice()) == (q, v)
    }
}

/// Names of what moves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Owners {
    /// Bodies and links.
    pub bodies: Vec<String>,
    /// Coordinates of joints (`TREE.JOINT.q`) with the unit of their displacement.
    pub joints: Vec<(String, &'static str)>,
    /// Their velocities.
    dofs: Vec<usize>,
}

/// Differences of two states: of every body |Δx| m, angle rad, |Δv| m/s, |Δω| rad/s; of every coordinate of a joint its difference and
/// that of its velocity.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Differences {
    /// Differences by body.
    pub bodies: Vec<[f64; 4]>,
    /// Differences by joint.
    pub joints: Vec<[f64; 2]>,
}

impl Owners {
    pub(super) fn of(system: &System) -> Self {
        let still = Stand::of(system, (0.0, &system.initial_q(), &system.initial_velocity));
        let name = |(body, _): (u32, [f64; 4])| system.bodies[body as usize].name.clone();
        let bodies = still.motion.apart(&still.motion).map(name).collect();
        let of_tree = |dof: &usize| system.tree_of(system.block_of_dof(*dof)).is_some();
        let dofs: Vec<usize> = (0..system.nv()).filter(of_tree).collect();
        let joint = |dof: &usize| {
            let label = labels::displacement(system, *dof).map(|label| label.to_string());
            (label.unwrap_or_default(), labels::unit(system, *dof).unwrap_or_default())
        };
        Self { bodies, joints: dofs.iter().map(joint).collect(), dofs }
    }

    /// From one state to another of the same system.
    pub(super) fn between(&self, system: &System, a: &Stand, b: &Stand) -> Differences {
        let bodies = a.motion.apart(&b.motion).map(|(_, apart)| apart).collect();
        let dq: Vec<f64> = b.q.iter().zip(&a.q).map(|(b, a)| b - a).collect();
        let middle: Vec<f64> = b.q.iter().zip(&a.q).map(|(b, a)| 0.5 * (a + b)).collect();
        let mut moved = vec![0.0; a.v.len()];
        displacement(&system.layout(), &middle, &dq, &mut moved);
        let joint = |dof: &usize| [moved[*dof].abs(), (b.v[*dof] - a.v[*dof]).abs()];
        Differences { bodies, joints: self.dofs.iter().map(joint).collect() }
    }
}

impl Differences {
    /// The largest of a kind among all bodies: 0 position, 1 rotation, 2 velocity, 3 spin; NaN without bodies.
    pub fn largest(&self, kind: usize) -> f64 {
        self.bodies.iter().map(|apart| apart[kind]).reduce(larger).unwrap_or(f64::NAN)
    }
}

/// The larger one; what is no number stays.
fn larger(most: f64, x: f64) -> f64 {
    if most.is_nan() || x <= most { most } else { x }
}
