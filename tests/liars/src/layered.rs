//! Layers that are honest but for one parameter of their contacts.

use vinci_sdk::core::rigid::gap_rate;
use vinci_sdk::prelude::*;
use vinci_stepper_song_pang_kumar::SongPangKumar;

use crate::config::{Config, Lie};

/// A stepper that sees contacts with another friction or stiffness.
#[derive(Debug)]
pub struct Layered {
    inner: SongPangKumar,
    friction: Vec<f64>,
    stiffness: Vec<f64>,
}

impl Layered {
    /// One, where the lie is about layers.
    pub(crate) fn new(config: &Config, system: &SystemView<'_>) -> Result<Option<Self>, StageError> {
        if !matches!(config.lie, Lie::LayersFriction | Lie::LayersStiffness | Lie::LayersOneWay) {
            return Ok(None);
        }
        let options = config.layers.as_ref().map(ToString::to_string).unwrap_or_default();
        let inner = <SongPangKumar as StepperPlugin>::create(&options, system)?;
        Ok(Some(Self { inner, friction: Vec::new(), stiffness: Vec::new() }))
    }

    fn falsify(&mut self, config: &Config, step: &StepView<'_>) {
        let times = |list: &[f64], of: Lie| {
            let factor = if config.lie == of && config.lies_at(step.step) { config.size } else { 1.0 };
            list.iter().map(|x| factor * x).collect()
        };
        self.friction = times(step.contacts.pair.friction, Lie::LayersFriction);
        self.stiffness = times(step.contacts.pair.stiffness, Lie::LayersStiffness);
        if config.lie == Lie::LayersOneWay {
            let opens = |i: &usize| gap_rate(step, *i) > 0.0;
            (0..step.contacts.len()).filter(opens).for_each(|i| self.stiffness[i] *= config.size);
        }
    }

    /// The problem of the falsified step.
    pub(crate) fn formulate(
        &mut self,
        config: &Config,
        step: &StepView<'_>,
    ) -> Result<Problem<'_>, StageError> {
        self.falsify(config, step);
        let Self { inner, friction, stiffness } = self;
        inner.formulate(&seen(step, friction, stiffness))
    }

    /// The answer to it.
    pub(crate) fn update(
        &mut self,
        step: &StepView<'_>,
        solution: &Solution<'_>,
    ) -> Result<Update<'_>, StageError> {
        let Self { inner, friction, stiffness } = self;
        inner.update(&seen(step, friction, stiffness), solution)
    }
}

fn seen<'a>(step: &StepView<'a>, friction: &'a [f64], stiffness: &'a [f64]) -> StepView<'a> {
    let mut view = *step;
    (view.contacts.pair.friction, view.contacts.pair.stiffness) = (friction, stiffness);
    view
}
