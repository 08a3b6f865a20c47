//! Laws that are stages: when they are asked, what they remember, and the drives they lead.

use vinci_core::StageError;
use vinci_core::model::System;
use vinci_core::stage::ControlView;

use super::error::AskError;
use super::{Controller, Controllers, Law, Sampled};
use crate::drives::Drives;

impl Controllers {
    /// Number of laws that are stages.
    pub fn n_stages(&self) -> usize {
        self.stages().count()
    }

    /// Returns true if a stage is to be asked at grid time number `grid`.
    pub fn is_due(&self, grid: u64) -> bool {
        self.stages().any(|(_, law, state)| law.is_due(grid, state))
    }

    /// Lets stages do nothing, or what they answered last.
    pub(crate) fn rest(&mut self, resting: bool) {
        self.resting = resting;
    }

    /// Asks the stages that are due where `place` stands, in their order; what they answer holds until they are asked again.
    ///
    /// # Errors
    /// A reference that is no number; a stage that refuses, or breaks its contract. What was remembered has then changed in part.
    pub(crate) fn ask(&mut self, system: &System, place: &ControlView<'_>) -> Result<(), AskError> {
        let mut at = 0;
        for Controller { name, law } in &self.list {
            let n = law.remembers();
            if let Law::Sampled(law) = law {
                let state = &mut self.state[at..at + n];
                if law.is_due(place.grid, state) {
                    law.ask(name, (system, place), &mut self.references, state)?;
                }
            }
            at += n;
        }
        Ok(())
    }

    /// Gives the drives that stages lead their values.
    pub(crate) fn lead(&self, drives: &mut Drives) {
        self.stages().for_each(|(_, law, state)| law.lead(state, drives));
    }

    /// Appends the bytes of every stage, in their order.
    pub(crate) fn save_stages(&self, to: &mut Vec<Vec<u8>>) {
        to.resize_with(self.n_stages(), Vec::new);
        for ((_, law, _), bytes) in self.stages().zip(to) {
            bytes.clear();
            law.stage.borrow().save_state(bytes);
        }
    }

    /// Hands every stage its bytes back.
    ///
    /// # Errors
    /// A stage that refuses them.
    pub(crate) fn load_stages(&self, from: &[Vec<u8>]) -> Result<(), StageError> {
        self.stages().zip(from).try_for_each(|((_, law, _), bytes)| law.stage.borrow_mut().load_state(bytes))
    }

    /// Numbers of laws as if the stages for which `anew` holds had never been asked: they are, at the next grid time.
    pub fn asked_anew(&self, numbers: &mut [f64], anew: impl Fn(usize) -> bool) {
        let (mut at, mut k) = (0, 0);
        for Controller { law, .. } in &self.list {
            let n = law.remembers();
            if matches!(law, Law::Sampled(_)) {
                if anew(k) && at + n <= numbers.len() {
                    numbers[at..at + n].fill(0.0);
                }
                k += 1;
            }
            at += n;
        }
    }

    /// Every stage with its name and its numbers.
    fn stages(&self) -> impl Iterator<Item = (&str, &Sampled, &[f64])> {
        let mut at = 0;
        self.list.iter().filter_map(move |Controller { name, law }| {
            let n = law.remembers();
            at += n;
            match law {
                Law::Sampled(law) => Some((name.as_str(), law, &self.state[at - n..at])),
                _ => None,
            }
        })
    }
}
