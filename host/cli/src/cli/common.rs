//! Arguments that several commands have: where plugins are, and changes to an experiment.

use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};

use vinci_scene::diagnostics::Diagnostics;
use vinci_scene::{Override, Path};

/// Where plugins are looked for.
#[derive(Debug, Clone, Default, Args)]
pub struct SearchArgs {
    /// Look for plugins in this directory first (may be repeated).
    #[arg(long, value_name = "DIR", global = true)]
    pub plugin_dir: Vec<PathBuf>,
}

/// Changes to an experiment; flags of their own win over `--set`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
pub struct ChangeArgs {
    /// Change a value: time.step=0.001, solver.options.max_iterations=50, scene.bodies.box.mass=2 (may be repeated).
    #[arg(long, value_name = "PATH=VALUE", allow_hyphen_values = true)]
    pub set: Vec<String>,
    /// Use this detector: an id, its last part, or the path of a library.
    #[arg(long, value_name = "ID")]
    pub detector: Option<String>,
    /// Use this stepper.
    #[arg(long, value_name = "ID")]
    pub stepper: Option<String>,
    /// Use this solver.
    #[arg(long, value_name = "ID")]
    pub solver: Option<String>,
    /// Use this step, s.
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    pub step: Option<String>,
    /// Simulate this long, s.
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub duration: Option<String>,
}

impl ChangeArgs {
    /// The changes in the order in which they apply.
    ///
    /// # Errors
    /// Every `--set` that cannot be read.
    pub fn overrides(&self) -> Result<Vec<Override>, Diagnostics> {
        let mut found = Diagnostics::new();
        let mut overrides = Vec::new();
        let mut add = |result: Result<Override, Diagnostics>| match result {
            Ok(one) => overrides.push(one),
            Err(errors) => found.append(errors),
        };
        self.set.iter().for_each(|argument| add(Override::set(argument)));
        let plugins = [("detector", &self.detector), ("stepper", &self.stepper), ("solver", &self.solver)];
        for (role, id) in plugins.into_iter().filter_map(|(role, id)| Some((role, id.as_ref()?))) {
            let path = Path::root().join(role).join("plugin");
            add(Ok(Override::word(&format!("--{role}"), path, id)));
        }
        for (key, value) in [("step", &self.step), ("duration", &self.duration)] {
            if let Some(value) = value {
                add(Override::flag(&format!("--{key}"), Path::root().join("time").join(key), value));
            }
        }
        found.accept(|_| overrides)
    }
}
