//! Arguments of `sensitivity` and `fit`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ChangeArgs, LockArgs, SearchArgs};

/// Arguments of `sensitivity`.
#[derive(Debug, Clone, Args)]
pub struct SensitivityArgs {
    /// The experiment.
    #[arg(value_name = "EXPERIMENT")]
    pub experiment: PathBuf,
    /// Numbers of the run: a column of trajectory.csv at the end (block.x) or at a time (block.x@0.5), rms or rms(COLUMN) of the
    /// residuals against the data (may be repeated).
    #[arg(long, value_name = "MEASURE", value_delimiter = ',', required = true)]
    pub of: Vec<String>,
    /// Parameters: paths as of --set, separated by commas.
    #[arg(long, value_name = "PATHS", value_delimiter = ',', required = true)]
    pub by: Vec<String>,
    /// Differentiate step by step at the active set, or not at all.
    #[arg(long, conflicts_with = "differences")]
    pub exact: bool,
    /// Differentiate step by step from the end of the run to its start: for many parameters.
    #[arg(long, conflicts_with = "differences")]
    pub reverse: bool,
    /// Differentiate by differences of whole runs, with both one-sided values.
    #[arg(long)]
    pub differences: bool,
    /// Recorded trajectory for rms: a CSV file with a column `time` and columns of trajectory.csv.
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// Changes to the experiment.
    #[command(flatten)]
    pub changes: ChangeArgs,
    /// Print JSON instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Where plugins are.
    #[command(flatten)]
    pub search: SearchArgs,
    /// The lock that plugins must obey, if one is asked for.
    #[command(flatten)]
    pub lock: LockArgs,
}

/// Guides of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SearchBy {
    /// Differences of whole runs.
    Differences,
    /// Steps at their active set.
    ActiveSet,
    /// Values alone.
    Simplex,
}

/// Arguments of `fit`.
#[derive(Debug, Clone, Args)]
pub struct FitArgs {
    /// The experiment.
    #[arg(value_name = "EXPERIMENT")]
    pub experiment: PathBuf,
    /// Recorded trajectory: a CSV file with a column `time` and columns of trajectory.csv, at any times of the run.
    #[arg(long, value_name = "FILE")]
    pub data: PathBuf,
    /// A parameter and its bounds: scene.materials.default.friction=[0.1, 1] (may be repeated).
    #[arg(long, value_name = "PATH=[A, B]", required = true)]
    pub free: Vec<String>,
    /// Columns of the data that count, separated by commas; default all.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// Draws within the bounds that are tried as starts, beside the experiment's own values and the middle of the bounds.
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub starts: u32,
    /// Seed of these draws.
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// Starts, the best of all, from which a search goes on.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub searches: u32,
    /// Guide of the search: derivatives by differences of whole runs; derivatives step by step at the active set (differences where
    /// there are none); or values alone, by a simplex, for runs that jump where a parameter changes.
    #[arg(long, value_enum, default_value = "differences", value_name = "GUIDE")]
    pub by: SearchBy,
    /// Difference for derivatives, as a part of the width of the bounds.
    #[arg(long, value_name = "PART", default_value_t = 1e-3)]
    pub difference: f64,
    /// Write the experiment with the fitted values here.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Changes to the experiment.
    #[command(flatten)]
    pub changes: ChangeArgs,
    /// Print JSON instead of a table.
    #[arg(long)]
    pub json: bool,
    /// Where plugins are.
    #[command(flatten)]
    pub search: SearchArgs,
    /// The lock that plugins must obey, if one is asked for.
    #[command(flatten)]
    pub lock: LockArgs,
}
