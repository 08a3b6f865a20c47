//! The commands of the program, one file each. A command returns its exit code; what goes wrong before there is
//! anything to report on comes back as diagnostics.

mod bench;
mod bench_steps;
mod check;
mod compare;
mod compare_physics;
mod explain;
mod import;
mod plugin;
mod run;
mod schema;
mod solve;
mod sweep;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::cli::{Cli, Command, ErrorFormat, Global};
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::scene::{Node, read_document};
use crate::sweep::types::SWEEP_FORMAT;

/// Runs a command line and returns the exit code.
pub fn dispatch(cli: &Cli) -> u8 {
    let global = &cli.global;
    let result = match &cli.command {
        Command::Run(args) => run::run(global, args),
        Command::Check(args) => check::run(global, args),
        Command::Explain(args) => explain::run(args),
        Command::Schema(args) => schema::run(args),
        Command::Import(args) => import::run(global, args),
        Command::Plugin(args) => plugin::run(args),
        Command::Solve(args) => solve::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Compare(args) => compare::run(global, args),
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

/// Prints findings to the error stream, as the user wants them.
pub(crate) fn report(global: &Global, found: &Diagnostics) {
    let shown = if global.quiet { found.errors_only() } else { found.clone() };
    let text = match global.error_format {
        ErrorFormat::Json => shown.render_json(),
        ErrorFormat::Text => shown.render_text(global.color.on(std::io::stderr().is_terminal())),
    };
    // Nobody is left to be told when the error stream is gone.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Prints to the standard output; a closed pipe is no error of ours.
pub(crate) fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// A file that could not be read or written.
pub(crate) fn io_error(what: &str, path: &Path, error: &std::io::Error) -> Diagnostics {
    Diagnostic::error(Code::Io, format!("{what} {}: {error}", path.display())).into()
}

/// The name results are kept under: that of the file without its endings.
pub(crate) fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_string()
}

/// Whether a file says that it is a sweep. What cannot be read is none, and is reported as what it should be.
pub(crate) fn is_sweep(file: &Path) -> bool {
    let node = read_document(file, None, &mut Diagnostics::new());
    node.is_some_and(|n| n.get("format").and_then(Node::as_str) == Some(SWEEP_FORMAT))
}

/// Files a run writes; a directory that holds only these may be written again.
const RUN_FILES: [&str; 13] = [
    "experiment.json",
    "summary.json",
    "summary.json.part",
    "trajectory.csv",
    "contacts.csv",
    "events.csv",
    "gradients.csv",
    "drives.csv",
    "controllers.csv",
    "supports.csv",
    "report.html",
    "repro",
    "states",
];

/// Makes sure that results can go to `dir`: it is new, empty, or holds an earlier run, whose files are removed.
/// With `force` other things may be there too; they stay.
pub(crate) fn clear_directory(dir: &Path, force: bool) -> Result<(), Diagnostics> {
    let entries = match std::fs::read_dir(dir) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(io_error("cannot write to", dir, &e)),
        Ok(entries) => entries.flatten().map(|e| e.path()).collect::<Vec<PathBuf>>(),
    };
    let pictures = pictures_of(dir);
    let is_ours = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default();
        RUN_FILES.iter().any(|f| name == *f) || pictures.iter().any(|f| name == f.as_str())
    };
    let foreign = entries.iter().find(|path| !is_ours(path));
    if let (Some(path), false) = (foreign, force) {
        let message = format!("{} is in use: it holds {}", dir.display(), path.display());
        let help = "choose another --out, or add --force to write beside what is there";
        return Err(Diagnostic::error(Code::Io, message).help(help).into());
    }
    for path in entries.iter().filter(is_ours) {
        let removed = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
        removed.map_err(|e| io_error("cannot remove", path, &e))?;
    }
    Ok(())
}

/// Files of the pictures that the run in a directory drew, if there was one.
fn pictures_of(dir: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(dir.join("experiment.json")).unwrap_or_default();
    let run: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let pictures = run["record"]["pictures"].as_array();
    pictures.into_iter().flatten().filter_map(|p| p["file"].as_str()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_of_an_earlier_run_are_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        write("y.png", "");
        assert!(clear_directory(dir.path(), false).is_err());
        write("experiment.json", r#"{ "record": { "pictures": [ { "file": "y.png" } ] } }"#);
        clear_directory(dir.path(), false).unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_directory_of_an_earlier_run_is_used_again_and_one_with_other_things_is_not() {
        let dir = tempfile::tempdir().unwrap();
        for file in RUN_FILES {
            std::fs::write(dir.path().join(file), "").unwrap();
        }
        clear_directory(dir.path(), false).unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        std::fs::write(dir.path().join("gradients.csv"), "").unwrap();
        std::fs::write(dir.path().join("notes.txt"), "").unwrap();
        assert!(clear_directory(dir.path(), false).is_err());
        clear_directory(dir.path(), true).unwrap();
        assert!(dir.path().join("notes.txt").exists() && !dir.path().join("gradients.csv").exists());
    }

    /// Every file that the recorder or the end of a run makes is known here.
    #[test]
    fn every_file_that_a_run_writes_is_in_the_list() {
        let sources = [include_str!("../record.rs"), include_str!("../run/execute.rs")];
        let mut seen = 0;
        for source in sources {
            for name in
                source.split('"').filter(|s| [".csv", ".json", ".html"].iter().any(|e| s.ends_with(e)))
            {
                if !name.contains([' ', '/', '\n']) {
                    assert!(RUN_FILES.contains(&name), "{name}");
                    seen += 1;
                }
            }
        }
        assert!(seen >= 8, "{seen}");
    }
}
