//! The command line.

mod bundles;
mod common;
mod comparisons;
mod fit;
mod outside;
mod plugin;
mod problems;
mod scenes;
mod sweep;
mod view;

pub use bundles::{BundleArgs, RerunArgs};
use common::kept_problems;
pub(crate) use common::libraries_in;
pub use common::{ChangeArgs, LockArgs, SearchArgs};
pub use comparisons::{CompareArgs, DiffArgs};
pub use fit::{FitArgs, SearchBy, SensitivityArgs};
pub use outside::{AdviseArgs, ExportArgs, Format, JudgeArgs};
pub use plugin::{Language, PluginAction, PluginArgs, PluginRole};
pub use problems::{BenchArgs, BenchWhat, SolveArgs, StepsArgs};
pub use scenes::{CheckArgs, ExplainArgs, ImportArgs, InitArgs, Kind, SchemaArgs, SchemaName};
pub use sweep::{PartArgs, PlanArgs, ProcessArgs, RunShardArgs, ShowArgs, SweepAction, SweepArgs};
pub use view::ViewArgs;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;
use std::time::Duration;

/// Exit codes, after all commands.
const EXIT_CODES: &str = "\
Exit codes: 0 ok, 1 result not accepted, 2 usage, 3 experiment or scene invalid, 4 plugin refused,
5 plugin fault while running, 6 solver failure, 7 input or output, 8 stopped with a valid checkpoint,
9 rows of crashed runs in a sweep, 10 stopped without a checkpoint.";

/// Compare contact time-steppers, solvers and collision detectors, loaded at run time, on identical scenes.
#[derive(Debug, Parser)]
#[command(name = "vinci", version, about, after_help = EXIT_CODES, propagate_version = true)]
pub struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
pub struct Global {
    /// How errors and warnings are printed: for people, or one JSON object per line.
    #[arg(long, global = true, value_enum, default_value = "text", value_name = "FORMAT")]
    pub error_format: ErrorFormat,
    /// When to use colour.
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN")]
    pub color: Color,
    /// Say more (-v: info, -vv: debug, -vvv: trace).
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Say nothing but errors and what the command is asked for, as the table of `compare`.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Look for plugins in this directory first (may be repeated; here, or behind the command).
    #[arg(long, id = "first_plugin_dir", value_name = "DIR")]
    pub plugin_dir: Vec<PathBuf>,
    /// Let an experiment load this library by its path (may be repeated; here, or behind the command).
    #[arg(long, id = "first_allow_plugin", value_name = "PATH")]
    pub allow_plugin: Vec<PathBuf>,
}

/// How errors and warnings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ErrorFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Returns true if output to a stream is coloured; `is_terminal`: the stream is a terminal.
    pub fn on(self, is_terminal: bool) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => is_terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
        }
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run an experiment and write a directory of results.
    Run(RunArgs),
    /// Write a small scene and experiment to begin with, which run at once.
    Init(InitArgs),
    /// Check experiments and scenes without running them.
    Check(CheckArgs),
    /// Say what an experiment would do: plugins, problem class, bridges, options.
    Explain(ExplainArgs),
    /// Print the JSON Schemas of the formats.
    Schema(SchemaArgs),
    /// Make a scene from a robot model (URDF, MJCF or SDF), and say what was read and what was not.
    Import(ImportArgs),
    /// Give a scene to another simulator, and say what could not be said in its format.
    Export(ExportArgs),
    /// List, describe and test plugins.
    Plugin(PluginArgs),
    /// Solve one problem from a file.
    Solve(SolveArgs),
    /// Compare solvers on a collection of problems.
    Bench(BenchArgs),
    /// Run an experiment with several plugins or steps and compare the results.
    Compare(CompareArgs),
    /// Say where two runs of one scene part, and which of their differences is the cause.
    Diff(DiffArgs),
    /// Say which models suit a scene, what they cost here, and what they get wrong.
    Advise(AdviseArgs),
    /// Run the referee over a motion that was recorded elsewhere, of another simulator for one.
    Judge(JudgeArgs),
    /// Write results as one file that others can repeat.
    Bundle(BundleArgs),
    /// Make the runs of a bundle again and hold them against the old ones.
    Rerun(RerunArgs),
    /// Write runs as one page that draws them in a browser, offline.
    View(ViewArgs),
    /// Differentiate numbers of a run by parameters of its experiment.
    Sensitivity(SensitivityArgs),
    /// Find the parameters with which a run comes nearest to a recorded trajectory.
    Fit(FitArgs),
    /// Run an experiment with many values: grids, random draws, ladders of models.
    Sweep(Box<SweepArgs>),
    /// Print what a shell needs to complete command lines.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Write the pages of the manual, one for each command.
    Man {
        /// Write them here.
        #[arg(short, long, value_name = "DIR")]
        out: PathBuf,
    },
}

/// Arguments of `run`.
#[derive(Debug, Clone, Args)]
pub struct RunArgs {
    /// The experiment.
    #[arg(value_name = "EXPERIMENT", required_unless_present = "resume")]
    pub experiment: Option<PathBuf>,
    /// Write the results here; default results/NAME.
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Go on with the run in this directory that was stopped or killed, to the same bits.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["experiment", "out", "from", "ChangeArgs", "strict", "force", "locked", "record_problems", "verify"])]
    pub resume: Option<PathBuf>,
    /// Write a checkpoint this often (10s, 5min), so that a run that is killed can go on.
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub checkpoint_every: Option<Duration>,
    /// Keep problems of steps in problems.jsonl, for `vinci bench solvers`: always, failed, slow:TIME (slow:10ms) or
    /// residual:R (residual:1e-6); what nobody solved is always kept.
    #[arg(long, value_name = "WHICH", value_parser = kept_problems)]
    pub record_problems: Option<String>,
    /// Go on from this saved state (states/*.json of a run) and its time; plugins may be others than there.
    #[arg(long, value_name = "STATE")]
    pub from: Option<PathBuf>,
    /// Let solvers that race not race: take the winners of the run in this directory, to the same bits.
    #[arg(long, value_name = "DIR")]
    pub follow_races: Option<PathBuf>,
    /// Solve islands on this many threads, 1 to 256: the results have the same bits for any number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub threads: Option<u32>,
    /// Changes to the experiment.
    #[command(flatten)]
    pub changes: ChangeArgs,
    /// Where plugins are.
    #[command(flatten)]
    pub search: SearchArgs,
    /// The lock that plugins must obey, if one is asked for.
    #[command(flatten)]
    pub lock: LockArgs,
    /// Run once more with half the step, and with cones in the place of polygons, beside DIR in DIR.verify: prints error bars.
    #[arg(long, conflicts_with = "from")]
    pub verify: bool,
    /// Treat warnings as errors.
    #[arg(long)]
    pub strict: bool,
    /// Write into a directory that holds other things too (an earlier run's files are replaced in any case).
    #[arg(short, long)]
    pub force: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definitions_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn flags_compose_with_set() {
        let line = "vinci run e.json --set time.step=0.1 --solver pgs --step -1 --error-format=json -v -v";
        let cli = Cli::try_parse_from(line.split(' ')).unwrap();
        let Command::Run(run) = cli.command else { panic!("not run") };
        assert_eq!(run.changes.overrides().unwrap().len(), 3);
        assert_eq!((cli.global.error_format, cli.global.verbose), (ErrorFormat::Json, 2));
    }

    #[test]
    fn lists_are_split_at_commas() {
        let line = "vinci bench solvers c.json --solver lemke,pgs,newton";
        let cli = Cli::try_parse_from(line.split(' ')).unwrap();
        let Command::Bench(BenchArgs { what: BenchWhat::Solvers { solver, .. } }) = cli.command else {
            panic!()
        };
        assert_eq!(solver, ["lemke", "pgs", "newton"]);
    }

    #[test]
    fn bad_sets_are_all_reported() {
        let changes =
            ChangeArgs { set: vec!["a".into(), "b={".into(), "=1".into()], ..ChangeArgs::default() };
        assert_eq!(changes.overrides().unwrap_err().errors(), 3);
    }
}
