//! A law that is asked at grid times and holds between them, whoever computes it: a plugin, or what an embedding program brings.

use std::cell::RefCell;
use std::rc::Rc;

use vinci_core::StageError;
use vinci_core::error::ErrorKind;
use vinci_core::model::System;
use vinci_core::stage::{Commands, ControlView, Controller as Stage};

use super::error::{AskError, ControlError};
use super::joint::Out;
use crate::drives::{Drives, Led, Signal};
use crate::labels;

/// Efforts and set-points of a stage, held from one grid time at which it is asked to the next.
///
/// Its numbers among those of all laws: the grid time at which it was asked last, counted from 1 (0: never), then its efforts, then its
/// set-points.
#[derive(Clone)]
pub struct Sampled {
    /// The stage.
    pub stage: Rc<RefCell<dyn Stage>>,
    /// It is asked at every n-th grid time.
    pub every: u64,
    /// Velocities along which its efforts act, m.
    pub efforts: Vec<u32>,
    /// Drives that it leads, with the velocity of each, n.
    pub led: Vec<(u32, Led)>,
    /// Signals that efforts and set-points are to follow, m + n.
    pub references: Vec<Option<Signal>>,
}

impl std::fmt::Debug for Sampled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sampled")
            .field("every", &self.every)
            .field("efforts", &self.efforts)
            .finish_non_exhaustive()
    }
}

/// Scratch of references: their jets, and which there are.
#[derive(Debug, Clone, Default)]
pub(super) struct References {
    jets: Vec<f64>,
    has: Vec<u8>,
}

impl Sampled {
    pub(super) fn remembers(&self) -> usize {
        1 + self.efforts.len() + self.led.len()
    }

    /// Returns true if it is to be asked at grid time number `grid`.
    pub(super) fn is_due(&self, grid: u64, state: &[f64]) -> bool {
        let asked = state[0] as u64;
        asked == 0 || grid / self.every > (asked - 1) / self.every
    }

    pub(super) fn act(&self, state: &[f64], out: &mut Out<'_>) {
        for (dof, effort) in self.efforts.iter().zip(&state[1..]) {
            out.held[*dof as usize] += effort;
        }
    }

    /// Gives the drives that it leads its values, or their own signals where it was never asked.
    pub(super) fn lead(&self, state: &[f64], drives: &mut Drives) {
        let values = &state[1 + self.efforts.len()..];
        for ((_, led), value) in self.led.iter().zip(values) {
            drives.lead(led, (state[0] > 0.0).then_some(*value));
        }
    }

    /// Asks the stage; `place` is the view without what belongs to this law alone.
    pub(super) fn ask(
        &self,
        name: &str,
        (system, place): (&System, &ControlView<'_>),
        references: &mut References,
        state: &mut [f64],
    ) -> Result<(), AskError> {
        self.look_up(name, system, place.t, references)?;
        let view = ControlView {
            period: self.every as f64 * place.h,
            reference: &references.jets,
            has_reference: &references.has,
            ..*place
        };
        let mut stage = self.stage.borrow_mut();
        let commands = stage.control(&view).map_err(|error| told(name, error))?;
        self.check(name, &commands)?;
        let (efforts, set_points) = state[1..].split_at_mut(self.efforts.len());
        efforts.copy_from_slice(commands.effort);
        set_points.copy_from_slice(commands.set_point);
        state[0] = (place.grid + 1) as f64;
        Ok(())
    }

    /// References at time t.
    fn look_up(&self, name: &str, system: &System, t: f64, out: &mut References) -> Result<(), ControlError> {
        out.jets.clear();
        out.has.clear();
        for (k, reference) in self.references.iter().enumerate() {
            let jet = reference.as_ref().map_or([0.0; 3], |signal| signal.jet(t));
            if let Some(value) = jet.into_iter().find(|x| !x.is_finite()) {
                let dof = self.efforts.iter().copied().chain(self.led.iter().map(|(dof, _)| *dof)).nth(k);
                let label = dof.and_then(|dof| labels::displacement(system, dof as usize));
                let of = label.map_or_else(String::new, |label| format!("the reference of `{label}`"));
                return Err(ControlError::NotFinite { controller: name.to_owned(), of, value, t });
            }
            out.jets.extend(jet);
            out.has.push(u8::from(reference.is_some()));
        }
        Ok(())
    }

    /// A stage of the embedding program is held to what the contract asks of a plugin.
    fn check(&self, name: &str, commands: &Commands<'_>) -> Result<(), AskError> {
        let (m, n) = (commands.effort.len(), commands.set_point.len());
        if (m, n) != (self.efforts.len(), self.led.len()) {
            let (efforts, led) = (self.efforts.len(), self.led.len());
            let message =
                format!("it gives {m} efforts and {n} set-points where {efforts} and {led} are expected");
            return Err(told(name, StageError::new(ErrorKind::Fault, message)));
        }
        match commands.effort.iter().chain(commands.set_point).find(|x| !x.is_finite()) {
            Some(value) => Err(told(name, StageError::new(ErrorKind::Fault, format!("it gives {value}")))),
            None => Ok(()),
        }
    }
}

/// The error of a stage with the name under which it controls: one plugin may control several things.
fn told(name: &str, error: StageError) -> AskError {
    AskError::Stage(StageError { message: format!("controller `{name}`: {}", error.message), ..error })
}
