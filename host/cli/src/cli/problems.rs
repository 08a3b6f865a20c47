//! Arguments of `vinci solve` and `vinci bench`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::{ChangeArgs, LockArgs, SearchArgs};

/// A number above 0.
fn positive(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "this is no number".to_owned())?;
    if number > 0.0 && number.is_finite() { Ok(number) } else { Err("this is no number above 0".into()) }
}

/// Arguments of `solve`.
#[derive(Debug, Clone, Args)]
pub struct SolveArgs {
    /// The problem, as written to repro/ by a failed run.
    #[arg(value_name = "PROBLEM")]
    pub problem: PathBuf,
    /// Solver: an id, its last part, the path of a library, or `auto`: the one that its class and size ask for.
    #[arg(long, value_name = "ID")]
    pub solver: String,
    /// Option of the solver (may be repeated).
    #[arg(long, value_name = "KEY=VALUE", allow_hyphen_values = true)]
    pub option: Vec<String>,
    /// Relative residual below which the answer is accepted; that of the file unless it is named, 1e-8 where the file has none.
    #[arg(long, value_name = "TOL", value_parser = positive)]
    pub tolerance: Option<f64>,
    /// End after this time (10s, 5min), solved or not: a solver cannot be interrupted.
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub time_limit: Option<Duration>,
    /// Write the solution here.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Where plugins are.
    #[command(flatten)]
    pub search: SearchArgs,
}

/// Arguments of `bench`.
#[derive(Debug, Clone, Args)]
pub struct BenchArgs {
    /// The subcommand.
    #[command(subcommand)]
    pub what: BenchWhat,
}

/// Subcommands of `vinci bench`.
#[derive(Debug, Clone, Subcommand)]
pub enum BenchWhat {
    /// Solvers on collections of problems: successes by threshold, false successes, times.
    Solvers {
        /// Collections, problems, archives of runs (`problems.jsonl`), or directories of runs that have one.
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
        /// Solvers, separated by commas.
        #[arg(long, value_name = "IDS", value_delimiter = ',', required = true)]
        solver: Vec<String>,
        /// Tolerance that is asked of the solvers.
        #[arg(long, value_name = "TOL", default_value_t = 1e-8, value_parser = positive)]
        tolerance: f64,
        /// Longest time of a solve (10s): what takes longer counts as not solved. Every problem is then solved twice: first in a process that can
        /// be ended, and, where that was in time, once more for the time.
        #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
        time_limit: Option<Duration>,
        /// Print JSON instead of a table.
        #[arg(long)]
        json: bool,
        /// Write the performance profile of the solvers here, as SVG.
        #[arg(long, value_name = "FILE")]
        profile: Option<PathBuf>,
        /// Where plugins are.
        #[command(flatten)]
        search: SearchArgs,
    },
    /// Steps of experiments: time by stage and iterations, as distributions over the steps.
    Steps(StepsArgs),
}

/// Arguments of `bench steps`.
#[derive(Debug, Clone, Args)]
pub struct StepsArgs {
    /// The experiments.
    #[arg(value_name = "EXPERIMENT", required = true)]
    pub experiments: Vec<PathBuf>,
    /// Run each this often; every step counts as it was in the repetition with its median time.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub repeat: u32,
    /// Changes to the experiments.
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
