//! The commands of the program, one file each. A command returns its exit code; what goes wrong before there is
//! anything to report on comes back as diagnostics.

mod advise;
mod bench;
mod bench_profile;
mod bench_steps;
mod bundle;
mod check;
mod claim;
mod compare;
mod compare_above;
mod compare_apart;
mod compare_axes;
mod compare_flags;
mod compare_forces;
mod compare_made;
mod compare_outside;
mod compare_physics;
mod compare_plan;
mod compare_protocols;
mod compare_ready;
mod compare_row;
mod compare_table;
mod compare_turns;
mod compare_view;
mod diff;
mod drawing;
mod explain;
mod export;
mod files;
mod film;
mod fit;
mod help_files;
mod import;
mod init;
mod inputs;
mod judge;
mod plugin;
mod plugin_badge;
mod plugin_check;
mod plugin_lock;
mod plugin_new;
mod plugin_store;
mod printing;
mod progress;
mod refused;
mod rerun;
mod rerun_tables;
mod results_directory;
mod run;
mod run_files;
mod schema;
mod search;
mod sensitivity;
mod solve;
mod solver_faults;
mod solver_pool;
mod sweep;
mod sweep_line;
mod sweep_plan;
mod timed;
mod verify;
mod view;
mod view_live;
mod view_page;

use std::io::Write;

use crate::cli::{Cli, Command};
use printing::report;
use vinci_run::{Surroundings, exit};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// Prints help or the version, or what is wrong with a command line, and returns the exit code.
pub fn answer(asked: &clap::Error) -> u8 {
    let code = if asked.use_stderr() { exit::USAGE } else { exit::OK };
    let json = wants_json(std::env::args_os());
    if asked.use_stderr() && json {
        let _ = std::io::stderr().write_all(wrong_usage(asked).render_json().as_bytes());
        return code;
    }
    match printing::printed(asked.print().and_then(|()| std::io::stdout().flush())) {
        Ok(()) => code,
        Err(diagnostics) => {
            // Nobody is left to be told when the error stream is gone.
            let text = if json { diagnostics.render_json() } else { diagnostics.render_text(false) };
            let _ = std::io::stderr().write_all(text.as_bytes());
            diagnostics.exit_code()
        }
    }
}

/// Returns true if a command line that cannot be read asks for JSON.
fn wants_json(arguments: impl Iterator<Item = std::ffi::OsString>) -> bool {
    let arguments: Vec<_> = arguments.take_while(|a| a != "--").collect();
    let apart = arguments.windows(2).any(|pair| pair[0] == "--error-format" && pair[1] == "json");
    apart || arguments.iter().any(|a| a == "--error-format=json")
}

/// The fault of a command line: the first paragraph is the message, the rest is help.
fn wrong_usage(asked: &clap::Error) -> Diagnostics {
    let text = asked.to_string();
    let text = text.trim().trim_start_matches("error: ");
    let (message, help) = text.split_once("\n\n").unwrap_or((text, ""));
    let found = Diagnostic::error(Code::Usage, message.trim());
    if help.trim().is_empty() { found.into() } else { found.help(help.trim()).into() }
}

/// Runs a command line and returns the exit code.
pub fn dispatch(cli: &Cli) -> u8 {
    let global = &cli.global;
    let before = Surroundings::now();
    let result = match &cli.command {
        Command::Run(args) => run::run(global, args),
        Command::Init(args) => init::run(global, args),
        Command::Check(args) => check::run(global, args),
        Command::Explain(args) => explain::run(global, args),
        Command::Schema(args) => schema::run(global, args),
        Command::Import(args) => import::run(global, args),
        Command::Export(args) => export::run(global, args),
        Command::Plugin(args) => plugin::run(global, args),
        Command::Solve(args) => solve::run(global, args),
        Command::Bench(args) => bench::run(global, args),
        Command::Compare(args) => compare::run(global, args),
        Command::Diff(args) => diff::run(global, args),
        Command::Advise(args) => advise::run(global, args),
        Command::Bundle(args) => bundle::run(global, args),
        Command::Rerun(args) => rerun::run(global, args),
        Command::Judge(args) => judge::run(global, args),
        Command::View(args) => view::run(global, args),
        Command::Sensitivity(args) => sensitivity::run(global, args),
        Command::Fit(args) => fit::run(global, args),
        Command::Sweep(args) => sweep::run(global, args),
        Command::Completions { shell } => help_files::completions(*shell),
        Command::Man { out } => help_files::manual(global, out),
    };
    // The last plugin is gone. Commands that run look earlier, too, before they say that all is well.
    let (result, damage) = match (result, run::unchanged(&before)) {
        (Ok(_), Err(damage)) => (Err(damage), Ok(())),
        other => other,
    };
    if let Err(damage) = damage {
        report(global, &damage);
    }
    match result {
        Ok(code) => code,
        Err(diagnostics) => {
            report(global, &diagnostics);
            diagnostics.exit_code()
        }
    }
}
