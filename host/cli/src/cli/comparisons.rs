//! Arguments of `vinci compare` and `vinci diff`.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{ChangeArgs, LockArgs, SearchArgs};

/// Arguments of `compare`.
#[derive(Debug, Clone, Args)]
pub struct CompareArgs {
    /// The experiment, or a comparison file with models and what is varied.
    #[arg(value_name = "EXPERIMENT", required_unless_present = "resume")]
    pub experiment: Option<PathBuf>,
    /// Values to vary: stepper=a,b or solver=…, step=…, or any path=… (may be repeated; all combinations are run).
    #[arg(long, value_name = "WHAT=A,B")]
    pub vary: Vec<String>,
    /// Write the results here; default results/NAME-compare.
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Go on with the comparison in this directory that was stopped or killed, to the same bits.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["experiment", "vary", "out", "ChangeArgs", "strict", "force", "locked", "reference", "report", "same_state", "localised", "indeterminacy"])]
    pub resume: Option<PathBuf>,
    /// Write a checkpoint this often (10s, 5min), so that a comparison that is killed can go on.
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub checkpoint_every: Option<Duration>,
    /// Measure errors against `finest`, the run with WHAT=VALUE,…, or a CSV file with columns of trajectory.csv; writes the files of
    /// --report too.
    #[arg(long, value_name = "REFERENCE")]
    pub reference: Option<String>,
    /// Write comparison.csv, comparison.tex, comparison.html and figures beside the table.
    #[arg(long)]
    pub report: bool,
    /// Let all models make one step from each of the states of one run (WHAT=VALUE,…; default the reference, else the first), and tell how
    /// far their velocities are apart; writes the files of --report too.
    #[arg(long, value_name = "LEAD", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub same_state: Option<String>,
    /// Measure errors over windows of so many seconds, each begun at a state of the reference, which is a run; writes the files of
    /// --report too.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub localised: Option<f64>,
    /// Find the least and the greatest contact forces that the same motion allows, at so many times of every run (default 10); writes
    /// the files of --report too.
    #[arg(long, value_name = "TIMES", num_args = 0..=1, require_equals = true, default_missing_value = "10",
          value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub indeterminacy: Option<u64>,
    /// Run so many at once, each in a process of its own: one that dies is a failed row. Their times disturb each other; default: in this
    /// process, in turns of some milliseconds, so that times can be compared.
    #[arg(short, long, value_name = "K")]
    pub jobs: Option<NonZero<usize>>,
    /// Make this run of the comparison alone (what the child processes do).
    #[arg(long, hide = true, value_name = "K", requires = "resume", conflicts_with = "jobs")]
    pub only: Option<usize>,
    /// Changes to every run.
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
    /// Write into a directory that holds other things too (an earlier run's files are replaced in any case).
    #[arg(short, long)]
    pub force: bool,
}

/// Arguments of `diff`.
#[derive(Debug, Clone, Args)]
pub struct DiffArgs {
    /// An experiment, or the directory of a run. Changes (--set, --step, …) are made to files alone: a recorded run stays as it was.
    #[arg(value_name = "A")]
    pub a: PathBuf,
    /// Another one of the same scene; its values may be others.
    #[arg(value_name = "B")]
    pub b: PathBuf,
    /// The gap at which two runs are not the same any more, as a part of the thinnest moving body's width, and in rad.
    #[arg(long, value_name = "GAP", default_value_t = vinci_compare::diff::TOLERANCE)]
    pub tolerance: f64,
    /// Changes to those of both that are files.
    #[command(flatten)]
    pub changes: ChangeArgs,
    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
    /// Where plugins are.
    #[command(flatten)]
    pub search: SearchArgs,
}
