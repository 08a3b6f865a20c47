//! Arguments of `vinci plugin` and what belongs to it.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::SearchArgs;

/// Arguments of `plugin`.
#[derive(Debug, Clone, Args)]
pub struct PluginArgs {
    /// The subcommand.
    #[command(subcommand)]
    pub action: PluginAction,
    /// Where plugins are.
    #[command(flatten)]
    pub search: SearchArgs,
}

/// Subcommands of `vinci plugin`.
#[derive(Debug, Clone, Subcommand)]
pub enum PluginAction {
    /// List the plugins that are found, and why others were refused.
    List,
    /// Describe one plugin: manifest, problem classes, options.
    Info {
        /// Id, its last part, or the path of a library; id@^0.2 for some versions.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Say what libraries are, one line each (what the child processes do).
    #[command(hide = true)]
    Look {
        /// The libraries.
        #[arg(value_name = "LIBRARY")]
        paths: Vec<PathBuf>,
    },
    /// Hold plugins for another process (what the child processes of isolated plugins do).
    #[command(hide = true)]
    Worker {
        /// The process whose plugins they are.
        #[arg(value_name = "PID")]
        host: u32,
    },
    /// Become a program that holds plugins for another process, kept from what it need not reach.
    #[command(hide = true)]
    Start {
        /// The process whose plugins they are.
        #[arg(value_name = "PID")]
        host: u32,
        /// Memory that it may have, bytes.
        #[arg(value_name = "BYTES")]
        memory: u64,
        /// Keep it from nothing.
        #[arg(long)]
        open: bool,
        /// A file or folder that it may read.
        #[arg(long, value_name = "PATH")]
        read: Vec<PathBuf>,
        /// Command and arguments.
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
    /// Begin a plugin of your own: a package that builds and passes `plugin check` as it is.
    New {
        /// Its role.
        #[arg(value_enum)]
        role: PluginRole,
        /// Its name, in small letters, digits and hyphens; also that of its folder.
        name: String,
        /// The language it is written in.
        #[arg(long, value_enum, default_value = "rust")]
        lang: Language,
        /// The first word of its id.
        #[arg(long, default_value = "example")]
        owner: String,
        /// Where the SDK lies; default the one that belongs to the program.
        #[arg(long, value_name = "DIR")]
        sdk: Option<PathBuf>,
        /// Make the folder here.
        #[arg(short, long, value_name = "DIR", default_value = ".")]
        out: PathBuf,
    },
    /// Make plugins known to the program for good: copies of libraries, by id and version.
    Install {
        /// Libraries, or folders that hold some.
        #[arg(value_name = "FILE", required = true)]
        paths: Vec<PathBuf>,
        /// Replace another build of the same version.
        #[arg(short, long)]
        force: bool,
    },
    /// Remove a plugin that was installed.
    Remove {
        /// Id or its last part; id@=1.2.3 where several versions are installed.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Write the plugins of experiments and sweeps into vinci.lock beside them, for --locked.
    Lock {
        /// Experiments and sweeps, all of one folder.
        #[arg(value_name = "EXPERIMENT", required = true)]
        experiments: Vec<PathBuf>,
    },
    /// Write NAME.plugin.json beside libraries, so that lists read it and run nothing.
    Note {
        /// The libraries.
        #[arg(value_name = "LIBRARY", required = true)]
        paths: Vec<PathBuf>,
    },
    /// Run the conformance suite on a library, every test in a process of its own.
    Check {
        /// The library.
        #[arg(value_name = "PATH")]
        path: PathBuf,
        /// Run the tests up to this level: 1 manifest, 2 misuse, 3 options, 4 known answers, 5 degenerate and infeasible,
        /// 6 determinism, 7 threads, 8 sizes, 9 repeated calls.
        #[arg(long, value_name = "N", default_value_t = vinci_conformance::DEFAULT_LEVEL,
              value_parser = clap::value_parser!(u8).range(1..=i64::from(vinci_conformance::HIGHEST)))]
        level: u8,
        /// Seed of the random tests.
        #[arg(long, default_value_t = vinci_conformance::DEFAULT_SEED)]
        seed: u64,
        /// Print JSON instead of a list.
        #[arg(long)]
        json: bool,
        /// Draw the result as a badge for a README, an SVG file.
        #[arg(long, value_name = "FILE")]
        badge: Option<PathBuf>,
        /// Run this test alone, here, and print its answer (what the child processes do).
        #[arg(long, hide = true, value_name = "TEST")]
        one: Option<String>,
    },
}

/// Role of a new plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PluginRole {
    /// Finds contacts.
    Detector,
    /// Formulates and advances.
    Stepper,
    /// Solves problems.
    Solver,
    /// Gives efforts and set-points.
    Controller,
}

/// Language of a new plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// With cargo.
    Rust,
    /// With a C compiler.
    C,
    /// With a C++ compiler.
    Cpp,
    /// As a program, with NumPy.
    Python,
}
