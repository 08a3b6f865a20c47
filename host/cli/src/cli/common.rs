//! Arguments that several commands have: where plugins are, and changes to an experiment.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use vinci_engine::registry::{Isolation, is_path};
use vinci_scene::diagnostics::Diagnostics;
use vinci_scene::{Override, Path};

/// Where plugins are looked for, and which may be loaded.
#[derive(Debug, Clone, Default, Args)]
pub struct SearchArgs {
    /// Look for plugins in this directory first (may be repeated).
    #[arg(long, value_name = "DIR", global = true)]
    pub plugin_dir: Vec<PathBuf>,
    /// Let an experiment load this library by its path (may be repeated).
    #[arg(long, value_name = "PATH", global = true)]
    pub allow_plugin: Vec<PathBuf>,
    /// Plugins that get a process of their own: `others` than those that came with the program (the default), `all` (what the flag alone
    /// means), or `none` but those for which the experiment asks.
    #[arg(long, value_enum, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "all", global = true)]
    pub isolate: Option<Isolate>,
}

/// Plugins that get a process of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Isolate {
    /// All.
    All,
    /// Those that did not come with the program.
    Others,
    /// None but those for which the experiment asks.
    None,
}

impl From<Isolate> for Isolation {
    fn from(which: Isolate) -> Self {
        match which {
            Isolate::All => Self::All,
            Isolate::Others => Self::Others,
            Isolate::None => Self::None,
        }
    }
}

/// The lock that plugins must obey, if one is asked for.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct LockArgs {
    /// Load the very plugins that vinci.lock beside the experiment holds, and no others.
    #[arg(long)]
    pub locked: bool,
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

/// Paths of libraries in a value as it is typed: a text, or JSON that holds some.
pub(crate) fn libraries_in(value: &str) -> Vec<PathBuf> {
    fn collect(value: &serde_json::Value, found: &mut Vec<PathBuf>) {
        match value {
            serde_json::Value::String(text) if is_path(text) => found.push(text.into()),
            serde_json::Value::Array(list) => list.iter().for_each(|one| collect(one, found)),
            serde_json::Value::Object(map) => map.values().for_each(|one| collect(one, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    let text = || serde_json::Value::String(value.to_owned());
    collect(&serde_json::from_str(value).unwrap_or_else(|_| text()), &mut found);
    found
}

impl ChangeArgs {
    /// Libraries that are named by path on the command line itself: whoever types them means them.
    pub(crate) fn libraries(&self) -> Vec<PathBuf> {
        let sets = self.set.iter().filter_map(|set| Some(set.split_once('=')?.1));
        let flags = [&self.detector, &self.stepper, &self.solver].into_iter().flatten().map(String::as_str);
        sets.chain(flags).flat_map(libraries_in).collect()
    }

    /// The changes in the order in which they apply.
    ///
    /// # Errors
    /// Every `--set` that cannot be read.
    pub fn overrides(&self) -> Result<Vec<Override>, Diagnostics> {
        let mut diagnostics = Diagnostics::new();
        let mut overrides = Vec::new();
        let mut add = |result: Result<Override, Diagnostics>| match result {
            Ok(one) => overrides.push(one),
            Err(errors) => diagnostics.append(errors),
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
        diagnostics.accept(|_| overrides)
    }
}

/// Problems that a run keeps, as JSON for `record.problems`.
///
/// # Errors
/// Another word; the message lists those that can be written.
pub(crate) fn kept_problems(text: &str) -> Result<String, String> {
    let (word, value) = text.split_once(':').unwrap_or((text, ""));
    let wrong = || "write always, failed, slow:TIME (slow:10ms) or residual:R (residual:1e-6)".to_owned();
    match (word, value) {
        ("always" | "failed", "") => Ok(format!("\"{word}\"")),
        ("slow", time) => {
            let time = humantime::parse_duration(time).map_err(|_| wrong())?;
            Ok(format!("{{\"slower_than\": {}}}", time.as_secs_f64()))
        }
        ("residual", value) => {
            let residual: f64 = value.parse().map_err(|_| wrong())?;
            let is_one = residual.is_finite() && residual >= 0.0;
            if is_one { Ok(format!("{{\"residual_above\": {residual:e}}}")) } else { Err(wrong()) }
        }
        _ => Err(wrong()),
    }
}
