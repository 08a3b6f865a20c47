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
mod import;
mod init;
mod plugin;
mod run;
mod schema;
mod solve;
mod sweep;
mod view;

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::cli::{Cli, Command, ErrorFormat, Global};
use vinci_run::CHECKPOINT;
use vinci_run::lock::LOCK;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::experiment::SWEEP_FORMAT;
use vinci_scene::{Node, read_document};

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
///
/// # Errors
/// Of output: what is asked for and cannot be printed is not done.
pub(crate) fn say(text: &str) -> Result<(), Diagnostics> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            let message = format!("cannot write to the standard output: {e}");
            Err(Diagnostic::error(Code::Io, message).into())
        }
        _ => Ok(()),
    }
}

/// Prints what a command did: for people, or as one JSON object on a line. Nothing with `--quiet`.
pub(crate) fn tell(
    global: &Global,
    text: impl FnOnce() -> String,
    value: impl FnOnce() -> serde_json::Value,
) -> Result<(), Diagnostics> {
    match global.error_format {
        _ if global.quiet => Ok(()),
        ErrorFormat::Text => say(&text()),
        ErrorFormat::Json => say(&format!("{}\n", value())),
    }
}

/// A command line without what it is about.
pub(crate) fn nothing_named(example: &str) -> Diagnostics {
    Diagnostic::error(Code::Usage, "no experiment is named").help(format!("write {example}")).into()
}

/// Writes a file that was asked for.
pub(crate) fn put_file(path: &Path, bytes: &[u8]) -> Result<(), Diagnostics> {
    std::fs::write(path, bytes).map_err(|e| io_error("cannot write", path, &e))
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

/// Files that a run, or `view` of it, writes; a directory that holds only these may be written again.
const RUN_FILES: [&str; 15] = [
    "experiment.json",
    "summary.json",
    CHECKPOINT,
    "trajectory.csv",
    "links.csv",
    "contacts.csv",
    "events.csv",
    "gradients.csv",
    "drives.csv",
    "controllers.csv",
    "supports.csv",
    "report.html",
    "view.html",
    "repro",
    "states",
];

/// Ends of names of files that are being written, or stand aside.
const UNFINISHED: [&str; 2] = [".part", claim::ASIDE];

/// What stands in a directory: files of a run, and others. Nothing where there is no directory.
fn contents(dir: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>), Diagnostics> {
    let entries = match std::fs::read_dir(dir) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Default::default()),
        entries => entries.and_then(Iterator::collect::<Result<Vec<_>, _>>),
    };
    let entries = entries.map_err(|e| io_error("cannot write to", dir, &e))?;
    let pictures = pictures_of(dir);
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = UNFINISHED.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
        RUN_FILES.contains(&name) || pictures.iter().any(|f| name == f)
    };
    Ok(entries.into_iter().map(|e| e.path()).filter(|p| !p.ends_with(LOCK)).partition(is_ours))
}

/// A file in a directory that is no run's.
pub(crate) fn foreign_file(dir: &Path) -> Result<Option<PathBuf>, Diagnostics> {
    Ok(contents(dir)?.1.into_iter().next())
}

/// Makes sure that results can go to `dir`: it is new, empty, or holds an earlier run, whose files are removed.
/// With `force` other things may be there too; they stay.
pub(crate) fn clear_directory(dir: &Path, force: bool) -> Result<(), Diagnostics> {
    let (ours, foreign) = contents(dir)?;
    if let (Some(path), false) = (foreign.first(), force) {
        return Err(claim::in_use(dir, path));
    }
    for path in &ours {
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
        let sources =
            [include_str!("../../../run/src/record.rs"), include_str!("../../../run/src/writing.rs")];
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
