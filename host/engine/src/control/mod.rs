//! Controllers: laws that put forces on joints of trees.
//!
//! A law reads the state at the start of a step and holds for the step (zero-order hold). Gains that are wanted implicit
//! act at its end instead: with f = K (q_ref(t + h) − q) + C (v_ref(t + h) − v) and the diagonals K and C beside it
//! ([`Applied`]), the steppers' backward Euler solves
//!
//! M (v⁺ − v) = h (f − C (v⁺ − v) − h K v⁺ + …) = h (K (q_ref(t + h) − q⁺) + C (v_ref(t + h) − v⁺) + …), q⁺ = q + h v⁺,
//!
//! so that any gains are stable as long as no limit of the effort is met. A stepper of second order takes the mean of both ends: there the reference is that of t, and
//! its change over the step a rate of force.
//!
//! Laws come from three sources: those built in here, a function of the embedding program ([`Called`]), and stages ([`Sampled`]): plugins, or
//! what an embedding program brings. All are one list and act in one place, [`Controllers::act`]. The first two are asked at the start of
//! every step that is tried; a stage is asked once at every n-th grid time, and its answer holds.
//!
//! What laws remember (integrals, measured forces, efforts that hold) is one list of numbers, part of a simulation's snapshot. It changes only
//! when a step is taken, or a stage is asked.

mod called;
mod compensation;
mod error;
mod grip;
mod inverse_dynamics;
mod joint;
mod path;
mod pd;
mod reach;
mod sampled;
mod sight;
mod stages;

#[cfg(test)]
mod tests;

pub use called::{Called, Efforts};
pub use compensation::Compensation;
pub use error::{AskError, ControlError, PathError};
pub use grip::{Grip, Loop};
pub use inverse_dynamics::InverseDynamics;
pub use joint::Controlled;
pub use path::{PoseKey, joint_path};
pub use pd::Pd;
pub use reach::{Pose, Reach};
pub use sampled::Sampled;
pub use sight::When;
use sight::{Fault, Sight};

use joint::{Implicit, Out};
use sampled::References;
use vinci_core::contact::Contacts;
use vinci_core::model::{Applied, Frames, System};

use crate::drives::Signal;
use crate::labels;

/// A law.
#[derive(Debug, Clone)]
pub enum Law {
    /// Every joint by itself.
    Pd(Pd),
    /// Accelerations as wanted.
    InverseDynamics(InverseDynamics),
    /// Weight carried.
    Compensation(Compensation),
    /// One force on several joints, in a loop around contact forces.
    Grip(Grip),
    /// A function from outside the engine.
    Called(Called),
    /// A stage, asked at grid times.
    Sampled(Sampled),
}

/// A law with a name.
#[derive(Debug, Clone)]
pub struct Controller {
    /// Name for messages.
    pub name: String,
    /// Its control law.
    pub law: Law,
}

/// All controllers of a scene, what they remember and what they do in the present step. Keeps its memory.
#[derive(Debug, Clone, Default)]
pub struct Controllers {
    list: Vec<Controller>,
    /// Memories of the laws, one after another.
    state: Vec<f64>,
    /// Velocities that a law acts on, ascending, and the joints they belong to.
    dofs: Vec<u32>,
    names: Vec<String>,
    held: Vec<f64>,
    implicit: Vec<Implicit>,
    force: Vec<f64>,
    stiffness: Vec<f64>,
    viscosity: Vec<f64>,
    references: References,
    /// True while laws that are asked at grid times do nothing, to see what there is without them.
    resting: bool,
}

impl Controllers {
    /// Controllers at t = 0.
    pub fn new(list: Vec<Controller>, system: &System) -> Self {
        let nv = if list.is_empty() { 0 } else { system.nv() };
        let remembered: usize = list.iter().map(|c| c.law.remembers()).sum();
        let mut dofs: Vec<u32> = list.iter().flat_map(|c| c.law.dofs()).map(|dof| dof as u32).collect();
        dofs.sort_unstable();
        dofs.dedup();
        let zeros = || vec![0.0; nv];
        let (held, force, stiffness, viscosity) = (zeros(), zeros(), zeros(), zeros());
        let owner = |dof: &u32| labels::velocity(system, *dof as usize).map(|label| label.owner);
        let names = dofs.iter().map(|dof| owner(dof).unwrap_or_default()).collect();
        Self {
            list,
            state: vec![0.0; remembered],
            dofs,
            names,
            held,
            implicit: vec![],
            force,
            stiffness,
            viscosity,
            references: References::default(),
            resting: false,
        }
    }

    /// These laws and more behind them, which begin at t = 0.
    #[must_use]
    pub fn and(&self, more: impl IntoIterator<Item = Controller>, system: &System) -> Self {
        let mut all = Self::new(self.list.iter().cloned().chain(more).collect(), system);
        all.state[..self.state.len()].copy_from_slice(&self.state);
        all
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Velocities that a law acts on, ascending.
    pub fn dofs(&self) -> &[u32] {
        &self.dofs
    }

    /// State of the control laws.
    pub fn state(&self) -> &[f64] {
        &self.state
    }

    /// Back to what they remembered then.
    pub fn set_state(&mut self, state: &[f64]) {
        self.state.clear();
        self.state.extend_from_slice(state);
    }

    /// Asks all laws at (q, v); `frames` stand at q. What they do is [`Controllers::applied`].
    ///
    /// # Errors
    /// A formula that gives no number.
    pub fn act(
        &mut self,
        system: &System,
        frames: &mut Frames,
        when: When,
        q: &[f64],
        v: &[f64],
    ) -> Result<(), ControlError> {
        self.held.fill(0.0);
        self.implicit.clear();
        let sight = Sight { system, when, q, v };
        let mut at = 0;
        let mut out = Out { held: &mut self.held, implicit: &mut self.implicit };
        for (i, controller) in self.list.iter_mut().enumerate() {
            let state = &self.state[at..at + controller.law.remembers()];
            at += state.len();
            let Controller { name, law } = controller;
            match law {
                Law::Called(called) => {
                    called.act(name, &sight, &mut out)?;
                    continue;
                }
                Law::Sampled(_) if self.resting => continue,
                _ => {}
            }
            let made = law.act(i, &sight, frames, state, &mut out);
            made.map_err(|fault| fault.of(name, when.t, &self.dofs, &self.names))?;
        }
        self.look_again(when.reference, q, v)
    }

    /// Evaluates the laws at another place of the same step: efforts stay as they were; implicit gains see (q, v) and the references of time t.
    ///
    /// # Errors
    /// A formula that gives no number.
    pub fn look_again(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<(), ControlError> {
        self.force.clone_from(&self.held);
        self.stiffness.fill(0.0);
        self.viscosity.fill(0.0);
        for i in 0..self.implicit.len() {
            let Implicit { joint, k, c, .. } = self.implicit[i];
            self.force[joint.dof] += self.of_implicit(i, t, q, v)?;
            self.stiffness[joint.dof] += k;
            self.viscosity[joint.dof] += c;
        }
        Ok(())
    }

    /// Adds to `force` what laws would do at time t with (q, v) as they are: of steppers of second order.
    ///
    /// # Errors
    /// A formula that gives no number.
    pub fn add_later(&self, t: f64, q: &[f64], v: &[f64], force: &mut [f64]) -> Result<(), ControlError> {
        force.iter_mut().zip(&self.held).for_each(|(sum, held)| *sum += held);
        for (i, implicit) in self.implicit.iter().enumerate() {
            force[implicit.joint.dof] += self.of_implicit(i, t, q, v)?;
        }
        Ok(())
    }

    /// k (q_ref − q) + c (v_ref − v).
    fn of_implicit(&self, i: usize, t: f64, q: &[f64], v: &[f64]) -> Result<f64, ControlError> {
        let Implicit { of: (law, joint), joint: at, k, c } = self.implicit[i];
        let Controller { name, law } = &self.list[law];
        let [place, rate, _] = law.reference(joint).map_or([0.0; 3], |signal| signal.jet(t));
        let rate = if law.follows() { rate } else { 0.0 };
        let force = k * (place - q[at.q]) + c * (rate - v[at.dof]);
        if force.is_finite() {
            return Ok(force);
        }
        Err(Fault { dof: Some(at.dof), value: force }.of(name, t, &self.dofs, &self.names))
    }

    /// Forces of the laws in the step, and the diagonals of implicit gains.
    pub fn applied(&self) -> Applied<'_> {
        Applied { force: &self.force, stiffness: &self.stiffness, viscosity: &self.viscosity }
    }

    /// Adds what implicit gains made of the step of h from v to v⁺, −θ C (v⁺ − v) − θ h K (θ v⁺ + (1 − θ) v), to `force`: with
    /// θ = 1 for backward Euler and ½ for the trapezoidal rule the mean over the step.
    pub fn add_implicit(&self, theta: f64, h: f64, v: &[f64], v_next: &[f64], force: &mut [f64]) {
        for Implicit { joint, k, c, .. } in &self.implicit {
            let (now, next) = (v[joint.dof], v_next[joint.dof]);
            force[joint.dof] -= theta * (c * (next - now) + h * k * (theta * next + (1.0 - theta) * now));
        }
    }

    /// The contacts of a step that is taken, impulses over h, end at t: laws remember what they measure.
    ///
    /// # Errors
    /// A formula that gives no number.
    pub fn measure(
        &mut self,
        contacts: &Contacts<'_>,
        impulse: &[f64],
        h: f64,
        t: f64,
    ) -> Result<(), ControlError> {
        let mut at = 0;
        for Controller { name, law } in &self.list {
            let n = law.remembers();
            if let Law::Grip(grip) = law {
                let state = &mut self.state[at..at + n];
                let made = grip.measure(contacts, impulse, h, t, state);
                made.map_err(|fault| fault.of(name, t, &self.dofs, &self.names))?;
            }
            at += n;
        }
        Ok(())
    }
}

impl Law {
    fn dofs(&self) -> Vec<usize> {
        let of = |joints: &[Controlled]| joints.iter().map(|j| j.dof).collect();
        match self {
            Self::Pd(law) => of(&law.joints),
            Self::InverseDynamics(law) => of(&law.joints),
            Self::Compensation(law) => law.dofs.iter().map(|(dof, _)| *dof).collect(),
            Self::Grip(law) => law.joints.iter().map(|(joint, _)| joint.dof).collect(),
            Self::Called(law) => law.dofs.clone(),
            Self::Sampled(law) => law.efforts.iter().map(|dof| *dof as usize).collect(),
        }
    }

    fn remembers(&self) -> usize {
        match self {
            Self::Grip(law) => law.remembers(),
            Self::Sampled(law) => law.remembers(),
            _ => 0,
        }
    }

    fn reference(&self, joint: usize) -> Option<&Signal> {
        match self {
            Self::Pd(law) => law.target.get(joint),
            Self::InverseDynamics(law) => law.target.get(joint),
            _ => None,
        }
    }

    fn follows(&self) -> bool {
        !matches!(self, Self::Pd(Pd { follows: false, .. }))
    }

    fn act(
        &mut self,
        index: usize,
        sight: &Sight<'_>,
        frames: &mut Frames,
        state: &[f64],
        out: &mut Out<'_>,
    ) -> Result<(), Fault> {
        match self {
            Self::Pd(law) => law.act(index, sight, frames, out),
            Self::InverseDynamics(law) => law.act(index, sight, frames, out),
            Self::Compensation(law) => {
                law.act(sight, frames, out);
                Ok(())
            }
            Self::Grip(law) => law.act(sight.when.t, state, out),
            Self::Sampled(law) => {
                law.act(state, out);
                Ok(())
            }
            // Asked where its name is known.
            Self::Called(_) => Ok(()),
        }
    }
}
