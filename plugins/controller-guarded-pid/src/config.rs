//! Options of the controller.

use vinci_sdk::schemars::JsonSchema;
use vinci_sdk::serde::Deserialize;

/// Options; every field has a default, unknown fields are refused.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars", extend("examples" = [{"kp": 100, "kd": 20, "ki": 5, "effort_limit": 150}]))]
pub struct Config {
    /// Stiffness, N/m or N m/rad. Default 0.
    #[schemars(range(min = 0))]
    pub kp: f64,
    /// Damping, N s/m or N m s/rad. Default 0.
    #[schemars(range(min = 0))]
    pub kd: f64,
    /// Gain of the integral of the error, N/(m s) or N m/(rad s). Default 0.
    #[schemars(range(min = 0))]
    pub ki: f64,
    /// Largest effort, N or N m; the integral brings it there, not beyond. Default none.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub effort_limit: Option<f64>,
    /// Normal contact force between the bodies of `between` above which all efforts are 0 from then on, N. Default none.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stop_force: Option<f64>,
    /// The two bodies or links (`TREE/LINK`) between which the force is measured; it comes with `stop_force`.
    pub between: Option<[String; 2]>,
}

impl Config {
    /// Checks that every option has a value the law can take; the message names the first that has not.
    pub(crate) fn check(&self) -> Result<(), String> {
        for (name, gain) in [("kp", self.kp), ("kd", self.kd), ("ki", self.ki)] {
            if !(gain >= 0.0 && gain.is_finite()) {
                return Err(format!("{name} is {gain}; a gain is a number that is not negative"));
            }
        }
        for (name, bound) in [("effort_limit", self.effort_limit), ("stop_force", self.stop_force)] {
            if let Some(bound) = bound.filter(|b| !(*b > 0.0 && b.is_finite())) {
                return Err(format!("{name} is {bound}; it must be positive"));
            }
        }
        match (&self.stop_force, &self.between) {
            (Some(_), None) => Err("stop_force needs between: name the two bodies that touch".into()),
            (None, Some(_)) => Err("between needs stop_force: the force above which efforts end".into()),
            _ => Ok(()),
        }
    }
}
