//! One call: efforts from errors.

use crate::config::Config;
use vinci_sdk::prelude::*;

/// τ_i = k_p e_i + I_i + k_d ė_i for every effort i, within ± the limit.
#[derive(Debug)]
pub(crate) struct Pid {
    config: Config,
    /// Where in q and in v every effort acts.
    places: Vec<(usize, usize)>,
    /// I_i = k_i ∫ e_i dt, N or N m.
    integral: Vec<f64>,
}

impl Pid {
    pub(crate) fn of(config: Config, system: &SystemView<'_>) -> Result<Self, StageError> {
        let mut places = Vec::with_capacity(system.efforts.len());
        for &dof in system.efforts {
            let coordinate = system.dof_coordinate.get(dof as usize).copied().unwrap_or(NO_COORDINATE);
            if coordinate == NO_COORDINATE {
                let name = system.dof_names.get(dof as usize).copied().unwrap_or_default();
                let message =
                    format!("`{name}` has no coordinate to be led by: rotations in space are no numbers");
                return Err(StageError::unsupported(message));
            }
            places.push((coordinate as usize, dof as usize));
        }
        let integral = vec![0.0; places.len()];
        Ok(Self { config, places, integral })
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn integral(&self) -> &[f64] {
        &self.integral
    }

    /// Takes an integral back; false where it is another one's. An empty one is that of a new controller.
    pub(crate) fn remember(&mut self, integral: Vec<f64>) -> bool {
        if integral.is_empty() {
            self.integral.fill(0.0);
            return true;
        }
        let fits = integral.len() == self.integral.len() && integral.iter().all(|x| x.is_finite());
        if fits {
            self.integral = integral;
        }
        fits
    }

    /// Appends the efforts. A degree of freedom without a reference is damped, no more.
    pub(crate) fn act(&mut self, view: &ControlView<'_>, effort: &mut Vec<f64>) {
        let Self { config, places, integral } = self;
        let limit = config.effort_limit.unwrap_or(f64::INFINITY);
        for (i, &(q, v)) in places.iter().enumerate() {
            let (error, rate) = match view.reference(i) {
                Some([place, rate, _]) => (place - view.q[q], rate - view.v[v]),
                None => (0.0, -view.v[v]),
            };
            let rest = config.kp * error + config.kd * rate;
            let all = rest + integral[i];
            effort.push(if all.abs() > limit { limit.copysign(all) } else { all });
            // Conditional integration: at the limit only what leads away from it counts.
            let step = config.ki * view.period * error;
            if all.abs() <= limit || step * all < 0.0 {
                integral[i] += step;
            }
        }
    }
}
