//! Arguments of the commands that look at scenes, experiments and schemas without running them.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ChangeArgs, LockArgs, SearchArgs};

/// Arguments of `init`.
#[derive(Debug, Clone, Args)]
pub struct InitArgs {
    /// Kind of scene.
    #[arg(value_enum, default_value = "planar", value_name = "KIND")]
    pub kind: Kind,
    /// Write the files here.
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    pub out: PathBuf,
    /// Replace files that are there.
    #[arg(short, long)]
    pub force: bool,
}

/// Kinds of scenes to begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Bodies in a plane.
    Planar,
    /// Bodies in space.
    Spatial,
    /// An arm in space, from a robot model, that follows keyframes.
    Robot,
}

/// Arguments of `check`.
#[derive(Debug, Clone, Args)]
pub struct CheckArgs {
    /// Experiments and scenes.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Changes to each experiment.
    #[command(flatten)]
    pub changes: ChangeArgs,
    /// Where plugins are.
    #[command(flatten)]
    pub search: SearchArgs,
    /// The lock that plugins must obey, if one is asked for.
    #[command(flatten)]
    pub lock: LockArgs,
    /// Treat warnings as errors.
    #[arg(long)]
    pub strict: bool,
}

/// Arguments of `explain`.
#[derive(Debug, Clone, Args)]
pub struct ExplainArgs {
    /// The experiment, or a sweep.
    #[arg(value_name = "EXPERIMENT")]
    pub experiment: PathBuf,
    /// Changes to the experiment.
    #[command(flatten)]
    pub changes: ChangeArgs,
    /// Where plugins are.
    #[command(flatten)]
    pub search: SearchArgs,
    /// The lock that plugins must obey, if one is asked for.
    #[command(flatten)]
    pub lock: LockArgs,
}

/// Arguments of `schema`.
#[derive(Debug, Clone, Args)]
pub struct SchemaArgs {
    /// Which schema; default all.
    #[arg(value_enum)]
    pub which: Option<SchemaName>,
    /// Describe the options of all plugins that are found.
    #[arg(long)]
    pub with_plugins: bool,
    /// Write NAME.schema.json files here instead of printing.
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Where plugins are.
    #[command(flatten)]
    pub search: SearchArgs,
}

/// Arguments of `import`.
#[derive(Debug, Clone, Args)]
pub struct ImportArgs {
    /// The model.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Write the scene here; without it only the report is printed.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Name of the tree; default that of the robot.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Directory of a package that the model names in package://NAME/… (may be repeated).
    #[arg(long, value_name = "NAME=DIR")]
    pub package: Vec<String>,
    /// Leave out collision meshes that are missing or cannot be read.
    #[arg(long)]
    pub skip_meshes: bool,
    /// Keyframe of an MJCF model at which it starts, by its name, or by its number where it has none.
    #[arg(long, value_name = "NAME")]
    pub keyframe: Option<String>,
    /// Let the root move freely instead of fixing it to the world.
    #[arg(long)]
    pub floating: bool,
    /// Replace a file that is there.
    #[arg(short, long)]
    pub force: bool,
}

/// The published schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaName {
    /// Scenes.
    Scene,
    /// Experiments.
    Experiment,
    /// Sweeps.
    Sweep,
    /// Comparisons.
    Comparison,
}
