//! Arguments of `vinci sweep` and what belongs to it.

use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{ChangeArgs, LockArgs, SearchArgs};

/// Rungs and cases of a sweep.
#[derive(Debug, Clone, Args)]
pub struct PartArgs {
    /// Take this rung of the ladder alone.
    #[arg(long, value_name = "RUNG")]
    pub only: Option<String>,
    /// Take these cases, from 0, the last not included.
    #[arg(long, value_name = "FROM..TO")]
    pub cases: Option<String>,
}

/// Processes that make the runs of a sweep.
#[derive(Debug, Clone, Copy, Args)]
pub struct ProcessArgs {
    /// Run so many at once, each in a process of its own; default the number of cores.
    #[arg(short, long, value_name = "K")]
    pub jobs: Option<NonZero<usize>>,
    /// End runs that take longer, s; rows then depend on the machine.
    #[arg(long, value_name = "S")]
    pub timeout_per_run: Option<f64>,
    /// Answer runs on standard input (what the child processes do).
    #[arg(long, hide = true)]
    pub worker: bool,
}

/// Arguments of `sweep`.
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct SweepArgs {
    /// The subcommand; without one the sweep is run.
    #[command(subcommand)]
    pub action: Option<SweepAction>,
    /// The sweep.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Write the rows here; default results/NAME-sweep. What is there already is not run again.
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Processes of the runs.
    #[command(flatten)]
    pub processes: ProcessArgs,
    /// Run the i-th of n parts, i from 1.
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Part of the sweep.
    #[command(flatten)]
    pub part: PartArgs,
    /// Changes to the experiment.
    #[command(flatten)]
    pub changes: ChangeArgs,
    /// Where plugins are.
    #[command(flatten)]
    pub search: SearchArgs,
    /// The lock that plugins must obey, if one is asked for.
    #[command(flatten)]
    pub lock: LockArgs,
    /// Begin anew where a sweep is already.
    #[arg(short, long)]
    pub force: bool,
}

/// Subcommands of `vinci sweep`.
#[derive(Debug, Clone, Subcommand)]
pub enum SweepAction {
    /// Write the plan of a sweep: one file, whose shards other engines run.
    Plan(Box<PlanArgs>),
    /// Run a shard of a plan and seal its rows as one Parquet file, part-i-of-n.parquet.
    Run(Box<RunShardArgs>),
    /// Put the parts of a sweep together.
    Merge {
        /// Directories of all parts; or a plan, then its sealed parts or directories that hold them.
        #[arg(value_name = "PLAN|DIR", required = true)]
        parts: Vec<PathBuf>,
        /// Write the rows here.
        #[arg(short, long, value_name = "DIR")]
        out: PathBuf,
        /// In the place of another sweep that is there.
        #[arg(short, long)]
        force: bool,
    },
    /// Say how far a sweep is, from its files alone.
    Status {
        /// Its directory; or a plan, then the directory of its parts.
        #[arg(value_name = "PLAN|DIR", required = true, num_args = 1..=2)]
        paths: Vec<PathBuf>,
    },
    /// Write the experiment of one run, for `vinci run`.
    Show(Box<ShowArgs>),
}

/// Arguments of `sweep plan`.
#[derive(Debug, Clone, Args)]
pub struct PlanArgs {
    /// The sweep.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Write the plan here; experiment and scene are in it, plugins by their digests.
    #[arg(short, long, value_name = "PLAN")]
    pub out: PathBuf,
    /// Part of the sweep.
    #[command(flatten)]
    pub part: PartArgs,
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

/// Arguments of `sweep run`.
#[derive(Debug, Clone, Args)]
pub struct RunShardArgs {
    /// The plan.
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,
    /// Run the i-th of n shards, i from 1; default 1/1.
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Write the part into this directory, which all shards may share. What is there already is not run again.
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// Processes of the runs.
    #[command(flatten)]
    pub processes: ProcessArgs,
    /// Where plugins are.
    #[command(flatten)]
    pub search: SearchArgs,
    /// Begin the shard anew where rows of it are already.
    #[arg(short, long)]
    pub force: bool,
}

/// Arguments of `sweep show`.
#[derive(Debug, Clone, Args)]
pub struct ShowArgs {
    /// The sweep.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Case, from 0.
    #[arg(long, value_name = "C")]
    pub case: u64,
    /// Sample, from 0.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub sample: u64,
    /// Rung; default the last.
    #[arg(long, value_name = "RUNG")]
    pub rung: Option<String>,
    /// Write the experiment here instead of printing it.
    #[arg(short, long, value_name = "EXPERIMENT")]
    pub out: Option<PathBuf>,
    /// Changes to the experiment.
    #[command(flatten)]
    pub changes: ChangeArgs,
    /// Where plugins are.
    #[command(flatten)]
    pub search: SearchArgs,
}
