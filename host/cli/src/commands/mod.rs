//! The commands of the program, one file each. A command returns its exit code; what goes wrong before there is
//! anything to report on comes back as diagnostics.

mod bench;
mod bench_steps;
mod check;
mod claim;
mod compare;
mod compare_physics;
mod compare_plan;
mod explain;
mod files;
mod import;
mod init;
mod plugin;
mod printing;
mod results_directory;
mod run;
mod schema;
mod solve;
mod sweep;
mod view;

use crate::cli::{Cli, Command};
use printing::report;

/// Runs a command line and returns the exit code.
pub fn dispatch(cli: &Cli) -> u8 {
    let global = &cli.global;
    let result = match &cli.command {
        Command::Run(args) => run::run(global, args),
        Command::Init(args) => init::run(global, args),
        Command::Check(args) => check::run(global, args),
        Command::Explain(args) => explain::run(global, args),
        Command::Schema(args) => schema::run(args),
        Command::Import(args) => import::run(global, args),
        Command::Plugin(args) => plugin::run(global, args),
        Command::Solve(args) => solve::run(global, args),
        Command::Bench(args) => bench::run(global, args),
        Command::Compare(args) => compare::run(global, args),
        Command::View(args) => view::run(global, args),
        Command::Sweep(args) => sweep::run(global, args),
    };
    match result {
        Ok(code) => code,
        Err(found) => {
            report(global, &found);
            found.exit_code()
        }
    }
}
