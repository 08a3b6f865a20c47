//! A law that whoever embeds the engine brings along.

use std::cell::RefCell;
use std::rc::Rc;

use super::error::ControlError;
use super::joint::Out;
use super::sight::Sight;
use crate::labels;

/// Forces as a function of the state. It is asked once for every step that is tried, steps that are taken back included, so it may
/// depend on its arguments alone.
pub trait Efforts: std::fmt::Debug {
    /// Forces and torques along the velocities that the law acts on, added to nothing: `out` has one number for each of them, 0 before.
    /// `t`: start of the step, s; `q`, `v`: the state there, nq and nv.
    ///
    /// # Errors
    /// Why there are none.
    fn efforts(&mut self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), String>;
}

/// Forces from a function, held for the step.
#[derive(Debug, Clone)]
pub struct Called {
    /// The function.
    pub efforts: Rc<RefCell<dyn Efforts>>,
    /// Velocities it acts on, ascending.
    pub dofs: Vec<usize>,
    /// Scratch, as long as `dofs`.
    pub scratch: Vec<f64>,
}

impl Called {
    pub(super) fn act(
        &mut self,
        name: &str,
        sight: &Sight<'_>,
        out: &mut Out<'_>,
    ) -> Result<(), ControlError> {
        self.scratch.clear();
        self.scratch.resize(self.dofs.len(), 0.0);
        let asked = self.efforts.borrow_mut().efforts(sight.when.t, sight.q, sight.v, &mut self.scratch);
        let refused = |why| ControlError::Refused { controller: name.to_owned(), why, t: sight.when.t };
        asked.map_err(refused)?;
        let (dofs, efforts) = (self.dofs.iter(), self.scratch.iter());
        match dofs.clone().zip(efforts.clone()).find(|(_, effort)| !effort.is_finite()) {
            Some((dof, value)) => Err(ControlError::NotFinite {
                controller: name.to_owned(),
                of: labels::effort(sight.system, *dof).map_or_else(String::new, |l| format!("`{l}`")),
                value: *value,
                t: sight.when.t,
            }),
            None => {
                dofs.zip(efforts).for_each(|(dof, effort)| out.held[*dof] += effort);
                Ok(())
            }
        }
    }
}
