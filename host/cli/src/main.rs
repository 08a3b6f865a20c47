//! The program.

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::filter::LevelFilter;
use vinci::cli::Cli;
use vinci_abi::ExitWatch;
use vinci_run::signals::Stop;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(asked) => return ExitCode::from(vinci::commands::answer(&asked)),
    };
    let level = match (cli.global.quiet, cli.global.verbose) {
        (true, _) => LevelFilter::ERROR,
        (false, 0) => LevelFilter::WARN,
        (false, 1) => LevelFilter::INFO,
        (false, 2) => LevelFilter::DEBUG,
        (false, _) => LevelFilter::TRACE,
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_ansi(cli.global.color.on(std::io::stderr().is_terminal()))
        .without_time()
        .init();
    // Where that fails, the system ends the process as it would without it.
    drop(Stop::not_at_size_limits());
    // Nothing but this function ends the process, whatever threads plugins have.
    let watch = ExitWatch::begin();
    let code = vinci::commands::dispatch(&cli);
    drop(watch);
    ExitCode::from(code)
}
