//! A complete controller: proportional, integral and derivative action towards references, degree of freedom by degree of freedom.
//!
//! τ = k_p e + k_i ∫ e dt + k_d ė, asked at grid times and held between them. The integral is its memory.

use vinci_sdk::prelude::*;
use vinci_sdk::state;

/// Options, as they stand in an experiment under "options".
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars", extend("examples" = [{"kp": 100, "kd": 20, "ki": 5}]))]
struct Config {
    /// Stiffness, N/m or N m/rad.
    kp: f64,
    /// Damping, N s/m or N m s/rad.
    kd: f64,
    /// Gain of the integral, N/(m s) or N m/(rad s).
    ki: f64,
}

/// The controller keeps its arrays between calls: what it returns is borrowed from here.
struct Pid {
    config: Config,
    /// Where the coordinate and the velocity of every effort stand in q and v.
    places: Vec<(usize, usize)>,
    integral: Vec<f64>,
    effort: Vec<f64>,
}

impl Controller for Pid {
    fn control<'s>(&'s mut self, view: &ControlView<'_>) -> Result<Commands<'s>, StageError> {
        self.effort.clear();
        for (i, &(q, v)) in self.places.iter().enumerate() {
            // Without a reference there is no error, only damping.
            let [place, rate, _] = view.reference(i).unwrap_or([view.q[q], 0.0, 0.0]);
            let (error, error_rate) = (place - view.q[q], rate - view.v[v]);
            self.effort.push(self.config.kp * error + self.config.kd * error_rate + self.integral[i]);
            // What is pushed now acts until the next call; the integral of this period acts from then on.
            self.integral[i] += self.config.ki * view.period * error;
        }
        Ok(Commands { effort: &self.effort, set_point: &[] })
    }

    fn save_state(&self, bytes: &mut Vec<u8>) {
        state::save(1, &self.integral, bytes);
    }

    fn load_state(&mut self, bytes: &[u8]) -> Result<(), StageError> {
        let integral: Vec<f64> = state::load(1, "example.controller.minimal", bytes)?;
        if !bytes.is_empty() && integral.len() != self.places.len() {
            return Err(state::foreign("example.controller.minimal", bytes));
        }
        self.integral = integral;
        self.integral.resize(self.places.len(), 0.0);
        Ok(())
    }
}

impl ControllerPlugin for Pid {
    fn manifest() -> Manifest {
        Manifest::new("example.controller.minimal", Role::Controller, env!("CARGO_PKG_VERSION"))
            .title("PID towards references, joint by joint")
            .licence("MIT OR Apache-2.0")
            .capabilities(&["efforts"])
            .options::<Config>()
    }

    fn create(options: &str, system: &SystemView<'_>) -> Result<Self, StageError> {
        let config: Config = parse_options(options)?;
        if let Some(gain) = [config.kp, config.kd, config.ki].iter().find(|gain| gain.is_nan() || **gain < 0.0) {
            return Err(StageError::bad_option(format!("a gain of {gain}; none may be negative")));
        }
        let coordinate = |&dof: &u32| match system.dof_coordinate[dof as usize] {
            NO_COORDINATE => Err(StageError::unsupported(format!(
                "`{}` has no coordinate: rotations in space are not led",
                system.dof_names[dof as usize]
            ))),
            coordinate => Ok((coordinate as usize, dof as usize)),
        };
        let places: Vec<_> = system.efforts.iter().map(coordinate).collect::<Result<_, _>>()?;
        Ok(Self { config, integral: vec![0.0; places.len()], effort: Vec::new(), places })
    }
}

vinci_sdk::export_plugin!(controller = Pid);
