//! Arguments of the commands that look beyond the program: `judge`, `export`, `advise`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ChangeArgs, LockArgs, SearchArgs};

/// Arguments of `judge`.
#[derive(Debug, Clone, Args)]
pub struct JudgeArgs {
    /// The scene, or an experiment of it: its step, its detector and its limits count then.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The motion: CSV or Parquet with the columns of trajectory.csv.
    #[arg(value_name = "TRAJECTORY")]
    pub trajectory: PathBuf,
    /// Its contact forces: CSV or Parquet with columns of contacts.csv; without them the best within the friction cones count.
    #[arg(long, value_name = "FILE")]
    pub contacts: Option<PathBuf>,
    /// Hold the motion to the law that the experiment's stepper declares; default the strictest law.
    #[arg(long)]
    pub declared: bool,
    /// Find the least and the greatest contact forces that the same motion allows, at so many times of it (default 10).
    #[arg(long, value_name = "TIMES", num_args = 0..=1, require_equals = true, default_missing_value = "10",
          value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub indeterminacy: Option<u64>,
    /// Write a directory like that of a run here, for `view` and `compare`.
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Changes to the experiment.
    #[command(flatten)]
    pub changes: ChangeArgs,
    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
    /// Where plugins are.
    #[command(flatten)]
    pub search: SearchArgs,
    /// The lock that plugins must obey, if one is asked for.
    #[command(flatten)]
    pub lock: LockArgs,
    /// Write into a directory that holds other things too (an earlier run's files are replaced in any case).
    #[arg(short, long)]
    pub force: bool,
}

/// Arguments of `export`.
#[derive(Debug, Clone, Args)]
pub struct ExportArgs {
    /// The scene, or an experiment of it, whose step the model gets; for glb the directory of a run.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The format.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: Format,
    /// Write the file here; without it MJCF and SDF are only reported on, and glb goes to motion.glb in the run's directory.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Step of the MJCF model, s; default that of the experiment, or 0.002.
    #[arg(long, value_name = "H")]
    pub step: Option<f64>,
    /// Replace a file that is there.
    #[arg(short, long)]
    pub force: bool,
}

/// Formats of other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// MJCF, of MuJoCo.
    Mjcf,
    /// SDF, of Gazebo and Drake.
    Sdf,
    /// Binary glTF with the recorded motion, for Blender and other viewers.
    Glb,
    /// Of a run, a log that Foxglove opens; in builds with the feature `mcap`.
    #[cfg_attr(not(feature = "mcap"), value(hide = true))]
    Mcap,
    /// Not built in: the recording of Rerun.
    #[value(hide = true)]
    Rrd,
}

/// Arguments of `advise`.
#[derive(Debug, Clone, Args)]
pub struct AdviseArgs {
    /// The scene, or an experiment of it.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Make so many steps of every model that can run, for two seconds at most, and say what they cost here. A step is not cut short:
    /// a search by cases may take minutes. Default none.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub steps: u64,
    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
    /// Where plugins are.
    #[command(flatten)]
    pub search: SearchArgs,
}
