//! `vinci rerun`: every run of a bundle is made again and held against the old one.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use vinci_abi::Role;

use super::files::io_error;
use super::printing::{report, tell};
use super::rerun_tables::{Tables, changed, listed, tables_within};
use super::run::listening;
use super::search::{child_flags, quiet_registry};
use crate::cli::{Global, RerunArgs};
use vinci_run::results::summary_of;
use vinci_run::signals::Stop;
use vinci_run::{RACES, START, bundle, exit};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::files::open_regular;

/// Files that tell of times of the processor, which no run repeats.
const TIMED: [&str; 2] = ["summary.json", "report.html"];

/// How often a process is looked at.
const PAUSE: Duration = Duration::from_millis(10);

/// A run that was made again.
struct Again {
    name: String,
    /// Sentences about what is not as it was; empty where all is.
    differences: Vec<String>,
    /// Plugins of another build, in sentences.
    plugins: Vec<String>,
    files: usize,
    /// True for a motion of another simulator that was judged: no run makes it again, and its files alone are looked at.
    is_recorded: bool,
}

pub(crate) fn run(global: &Global, args: &RerunArgs) -> Result<u8, Diagnostics> {
    let stop = listening()?;
    let place = tempfile::tempdir().map_err(|e| io_error("cannot make", Path::new("a directory"), &e))?;
    let old = opened(&args.bundle, place.path())?;
    let (runs, tables) = (runs_within(&old)?, tables_within(&old)?);
    if runs.is_empty() {
        let message = format!("there is no run that ended in {}", args.bundle.display());
        return Err(Diagnostic::error(Code::Io, message).into());
    }
    let new = args.out.clone().unwrap_or_else(|| place.path().join("again"));
    if new.exists() && std::fs::read_dir(&new).map_or(true, |mut list| list.next().is_some()) {
        let message = format!("{} is there already, and holds something", new.display());
        return Err(Diagnostic::error(Code::Io, message)
            .help("name a directory that is empty or not there")
            .into());
    }
    let flags = child_flags(&quiet_registry(global, &args.search));
    let all: Option<Vec<Again>> = runs
        .iter()
        .map(|run| again(&flags, &old, &new, run, &stop).transpose())
        .collect::<Option<Result<_, _>>>()
        .transpose()?;
    let Some(all) = all else {
        let found = Diagnostic::error(Code::Stopped, "stopped from outside before all runs were made again");
        report(global, &found.help("run it again").into());
        return Ok(exit::STOPPED_ANEW);
    };
    told(global, &all, &tables)
}

/// Prints what came of it; the exit code.
fn told(global: &Global, all: &[Again], tables: &[Tables]) -> Result<u8, Diagnostics> {
    // Where nothing was made again nothing is known to be the same.
    let same = all.iter().any(|run| !run.is_recorded)
        && all.iter().all(|run| run.differences.is_empty())
        && tables.iter().all(|tables| tables.differences.is_empty());
    let code = if same { exit::OK } else { exit::NOT_ACCEPTED };
    let text = || all.iter().map(Again::text).chain(tables.iter().map(Tables::text)).collect();
    let value = || {
        json!({ "same": same, "runs": all.iter().map(Again::to_json).collect::<Vec<_>>(),
            "tables": tables.iter().map(Tables::to_json).collect::<Vec<_>>() })
    };
    tell(global, ("rerun", code), text, value)?;
    Ok(code)
}

/// The directory itself, or that of an unpacked bundle.
fn opened(bundle: &Path, place: &Path) -> Result<PathBuf, Diagnostics> {
    if bundle.is_dir() {
        return Ok(bundle.to_owned());
    }
    // A pipe that nobody writes to would hold us for ever.
    let (file, _) = open_regular(bundle, u64::MAX).map_err(|e| io_error("cannot read", bundle, &e.into()))?;
    let old = place.join("bundle");
    // An archive without files makes no directory.
    std::fs::create_dir(&old).map_err(|e| io_error("cannot make", &old, &e))?;
    bundle::unpack(file, &old).map_err(|e| {
        let message = format!("cannot unpack {}: {e}", bundle.display());
        Diagnostic::error(Code::Io, message).help("a bundle is what `vinci bundle` writes")
    })?;
    Ok(old)
}

/// Directories of runs, relative to a directory; it itself is the empty path. None where no run among them has ended.
pub(super) fn runs_within(directory: &Path) -> Result<Vec<PathBuf>, Diagnostics> {
    let files = bundle::files(directory).map_err(|e| io_error("cannot read", directory, &e))?;
    let experiments = files.iter().filter(|file| file.ends_with("experiment.json"));
    let runs: Vec<PathBuf> = experiments.filter_map(|file| Some(file.parent()?.to_owned())).collect();
    let ended = |run: &PathBuf| files.contains(&run.join("summary.json"));
    Ok(if runs.iter().any(ended) { runs } else { Vec::new() })
}

/// A run of the old directory made again in the new one (`flags` say where its plugins are); nothing where it was stopped from outside.
fn again(
    flags: &[OsString],
    old: &Path,
    new: &Path,
    run: &Path,
    stop: &Stop,
) -> Result<Option<Again>, Diagnostics> {
    let (old, new) = (old.join(run), new.join(run));
    let name = if run == Path::new("") { "run".to_owned() } else { run.display().to_string() };
    let failed = |why: String| Again {
        name: name.clone(),
        differences: vec![why],
        plugins: Vec::new(),
        files: 0,
        is_recorded: false,
    };
    if !old.join("summary.json").is_file() {
        return Ok(Some(failed("it has no summary: it did not end".to_owned())));
    }
    let before = summary(&old)?;
    let damage = damaged(&old, &before)?;
    if before["judged"].is_object() {
        let files = sums(&before).len();
        return Ok(Some(Again { name, differences: damage, plugins: Vec::new(), files, is_recorded: true }));
    }
    let child = child(flags, &before, &old, &new).map_err(|e| io_error("cannot run", &old, &e))?;
    let ended = ended(child, stop).map_err(|e| io_error("cannot run", &old, &e))?;
    let Some((code, told)) = ended else { return Ok(None) };
    if !new.join("summary.json").is_file() {
        let message = format!("it ended without a result: {}", told.trim());
        // A full disk says nothing of the run.
        return match code == Some(exit::IO.into()) {
            true => {
                Err(Diagnostic::error(Code::Io, format!("{name} cannot be made again: {message}")).into())
            }
            false => Ok(Some(failed(message))),
        };
    }
    let mut again = compared(name, &before, &summary(&new)?);
    again.differences.splice(0..0, damage);
    Ok(Some(again))
}

/// The process that makes a run again.
fn child(flags: &[OsString], before: &Value, old: &Path, new: &Path) -> std::io::Result<Child> {
    let mut arguments: Vec<OsString> = vec!["run".into(), old.join("experiment.json").into()];
    arguments.extend(["--out".into(), new.to_owned().into(), "--quiet".into()]);
    if before["files"][START].is_object() {
        arguments.extend(["--from".into(), old.join(START).into()]);
    }
    if before["files"][RACES].is_object() {
        arguments.extend(["--follow-races".into(), old.to_owned().into()]);
    }
    arguments.extend(flags.iter().cloned());
    let mut command = Command::new(std::env::current_exe()?);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()
}

/// The exit code of a process and what it said on its error stream; nothing where it is ended because somebody asks to stop.
fn ended(mut child: Child, stop: &Stop) -> std::io::Result<Option<(Option<i32>, String)>> {
    let errors = child.stderr.take();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        errors.map(|mut errors| errors.read_to_end(&mut text));
        text
    });
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if stop.is_asked() {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(PAUSE);
    };
    let text = reader.join().unwrap_or_default();
    let told = (status.code(), String::from_utf8_lossy(&text).into_owned());
    Ok(Some(told).filter(|_| !stop.is_asked()))
}

/// Files of a run that are not what its summary says of them, in sentences: changed, missing, or of nobody.
pub(super) fn damaged(directory: &Path, summary: &Value) -> Result<Vec<String>, Diagnostics> {
    let listed = sums(summary);
    if listed.is_empty() {
        return Ok(vec!["its summary lists no files".to_owned()]);
    }
    let mut told = changed(directory, &listed, "the summary");
    let files = bundle::files(directory).map_err(|e| io_error("cannot read", directory, &e))?;
    let tables = files.iter().filter(|file| file.extension().is_some_and(|e| e == "csv" || e == "parquet"));
    let own = tables.filter(|file| file.components().count() == 1);
    let extra = own.filter(|file| file.to_str().is_none_or(|name| !listed.contains_key(name)));
    told.extend(extra.map(|file| format!("{} is a table of which the summary says nothing", file.display())));
    Ok(told)
}

/// The summary of a run that has ended.
fn summary(directory: &Path) -> Result<Value, Diagnostics> {
    let none = || Diagnostic::error(Code::Io, format!("{} has no summary", directory.display()));
    Ok(summary_of(directory)?.ok_or_else(none)?)
}

/// Comparison of two summaries: states, ends, files and plugins.
fn compared(name: String, old: &Value, new: &Value) -> Again {
    let mut differences = Vec::new();
    for (key, what) in [
        ("status", "its status"),
        ("steps", "its number of steps"),
        ("state_hash", "its last state"),
        ("trajectory_hash", "its trajectory"),
        ("exit_code", "its exit code"),
        ("time_end", "its end"),
        ("energy", "its energy"),
        ("referee", "what the referee says"),
    ] {
        if old[key] != new[key] {
            differences.push(format!("{what} was {}, is {}", old[key], new[key]));
        }
    }
    for (role, [was, is]) in of_roles(old, new) {
        if was["id"] != is["id"] {
            differences.push(format!("its {role} was {}, is {}", was["id"], is["id"]));
        }
    }
    let plugins = other_builds(old, new);
    let (mut before, after) = (sums(old), sums(new));
    // States name the builds of their plugins; what they hold is in their hash.
    before.retain(|file, _| plugins.is_empty() || !file.starts_with("states/"));
    differences.extend(before.iter().filter_map(|(file, sum)| match after.get(file) {
        Some(other) if other == sum => None,
        Some(_) => Some(format!("{file} has other bytes")),
        None => Some(format!("{file} was not written")),
    }));
    Again { name, differences, files: before.len(), plugins, is_recorded: false }
}

/// Plugins whose library is another one, in sentences.
fn other_builds(old: &Value, new: &Value) -> Vec<String> {
    let told = |(_, [was, is]): (String, [&Value; 2])| {
        let versions = format!("version {}, then {}", text(&was["version"]), text(&is["version"]));
        (was["digest"] != is["digest"])
            .then(|| format!("{} is of another build ({versions})", text(&is["id"])))
    };
    of_roles(old, new).into_iter().filter_map(told).collect()
}

/// The plugins of two summaries, role by role: detector, stepper, solver, every controller.
fn of_roles<'v>(old: &'v Value, new: &'v Value) -> Vec<(String, [&'v Value; 2])> {
    let one = |role: &str| (role.to_owned(), [&old[role], &new[role]]);
    let key = Role::Controller.key();
    let most = [old, new].map(|summary| summary[key].as_array().map_or(0, Vec::len)).into_iter().max();
    let controllers = (0..most.unwrap_or(0)).map(|k| (format!("{key}[{k}]"), [&old[key][k], &new[key][k]]));
    let first = Role::ALL.iter().filter(|role| **role != Role::Controller).map(|role| one(role.name()));
    first.chain(controllers).collect()
}

/// SHA-256 of the files that a run repeats. Problems to solve alone name the file of the experiment, which a bundle has not.
fn sums(summary: &Value) -> BTreeMap<&str, &str> {
    let mut sums = listed(&summary["files"]);
    sums.retain(|name, _| !TIMED.contains(name) && !name.starts_with("repro/"));
    sums
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("?")
}

impl Again {
    fn text(&self) -> String {
        let head = match self.differences.as_slice() {
            [] if self.is_recorded => {
                let files = self.files;
                format!(
                    "{}: a motion that was judged: no run makes it again; {files} files as they were\n",
                    self.name
                )
            }
            [] => format!("{}: the same, {} files to the byte\n", self.name, self.files),
            differences => {
                let lines: String = differences.iter().map(|what| format!("  differs  {what}\n")).collect();
                format!("{}: not the same\n{lines}", self.name)
            }
        };
        head + &self.plugins.iter().map(|what| format!("  plugin   {what}\n")).collect::<String>()
    }

    fn to_json(&self) -> Value {
        json!({ "name": self.name, "differences": self.differences, "plugins": self.plugins, "files": self.files,
            "made_again": !self.is_recorded })
    }
}
