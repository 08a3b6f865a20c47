//! `vinci compare`: one scene, all combinations of what is varied, one table.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::claim::Claim;
use super::compare_axes::{Axis, axes, changed, combinations, folder};
use super::compare_physics;
use super::compare_plan::{COMPARE_FORMAT, COMPARED, PLAN, Plan};
use super::compare_row::Row;
use super::compare_table::{compared, table};
use super::files::{io_error, nothing_named, stem};
use super::inputs;
use super::printing::{report, say, tell, tell_asked};
use super::results_directory::keep_inputs;
use super::run::{ended, listening, ready, unchanged, whole, words};
use super::search::{obeying, registry};
use crate::cli::{CompareArgs, ErrorFormat, Global, libraries_in};
use vinci_engine::registry::Registry;
use vinci_run::atomic_write::write_json;
use vinci_run::signals::Stop;
use vinci_run::{CHECKPOINT, Checkpoint, Guidance, Prepared, Surroundings, execute_guided, exit, take_up};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::read_format;

/// A comparison on its way.
struct Comparison<'a> {
    global: &'a Global,
    registry: Registry,
    plan: Plan,
    axes: Vec<Axis>,
    out: PathBuf,
    checkpoint_every: Option<std::time::Duration>,
    stop: Stop,
}

pub(crate) fn run(global: &Global, args: &CompareArgs) -> Result<u8, Diagnostics> {
    let stop = listening()?;
    if let Some(directory) = &args.resume
        && let Some(code) = complete(directory)?
    {
        let text = || format!("the comparison in {} has ended (exit code {code})\n", directory.display());
        tell(global, ("compare", code), text, || json!({ "directory": directory.to_string_lossy() }))?;
        return Ok(code);
    }
    let varied = args.vary.iter().filter_map(|vary| Some(vary.split_once('=')?.1)).flat_map(|v| v.split(','));
    let named: Vec<PathBuf> = varied.flat_map(libraries_in).chain(args.changes.libraries()).collect();
    let registry = registry(global, &args.search).allowing(&named).remembering();
    let plan = match (&args.resume, &args.experiment) {
        (Some(directory), _) => Plan::read(directory)?,
        (None, Some(experiment)) => Plan::new(experiment, args)?,
        (None, None) => return Err(nothing_named("vinci compare EXPERIMENT --vary WHAT=A,B")),
    };
    let registry = obeying(&registry, args.lock, &plan.experiment)?;
    let axes = axes(&plan.vary)?;
    let name = || PathBuf::from("results").join(format!("{}-compare", stem(&plan.experiment)));
    let out = args.resume.clone().or_else(|| args.out.clone()).unwrap_or_else(name);
    let checkpoint_every = args.checkpoint_every;
    let mut comparison = Comparison { global, registry, plan, axes, out, checkpoint_every, stop };
    let before = Surroundings::now();
    let mut whole = match args.resume {
        Some(_) => Claim::of(&comparison.out, COMPARED)?,
        None => Claim::of_comparison(&comparison.out, COMPARED, comparison.plan.force)?,
    };
    let directories = comparison.directories()?;
    let claim = |directory: &PathBuf| match args.resume {
        Some(_) => Claim::to_go_on(directory),
        None => Claim::of_run(directory, comparison.plan.force),
    };
    let mut claims = directories.iter().map(claim).collect::<Result<Vec<_>, _>>()?;
    if args.resume.is_none() {
        comparison.look(&before)?;
        claims.iter_mut().try_for_each(Claim::take)?;
        comparison.plan.write(&comparison.out)?;
    }
    whole.keep();
    claims.iter_mut().for_each(Claim::keep);
    comparison.finish()
}

/// The exit code of the comparison in a directory, if nothing of it is missing; the files of its runs are what they wrote.
fn complete(directory: &Path) -> Result<Option<u8>, Diagnostics> {
    let path = directory.join(COMPARED);
    if directory.join(PLAN).exists() || !path.exists() {
        return Ok(None);
    }
    let compared = read_format(&path, COMPARE_FORMAT)?.to_json();
    for run in compared["runs"].as_array().into_iter().flatten() {
        // Its folder: the whole comparison may have been moved.
        let folder = run["directory"].as_str().and_then(|place| Path::new(place).file_name());
        folder.map_or(Ok(()), |folder| whole(&directory.join(folder), &run["summary"]))?;
    }
    let code = |run: &Value| run["summary"]["exit_code"].as_u64().and_then(|code| u8::try_from(code).ok());
    let codes: Option<Vec<u8>> = compared["runs"].as_array().and_then(|runs| runs.iter().map(code).collect());
    let unread = || io_error("cannot read", &path, &std::io::Error::other("its runs have no exit codes"));
    Ok(Some(codes.and_then(|codes| codes.into_iter().max()).ok_or_else(unread)?))
}

impl Comparison<'_> {
    fn combinations(&self) -> Vec<Vec<String>> {
        combinations(&self.axes)
    }

    fn directory(&self, values: &[String]) -> PathBuf {
        self.out.join(folder(values))
    }

    /// The directories of all runs, no two the same.
    fn directories(&self) -> Result<Vec<PathBuf>, Diagnostics> {
        let mut directories: Vec<PathBuf> = self.combinations().iter().map(|v| self.directory(v)).collect();
        directories.sort();
        if let Some(twice) = directories.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("two runs would go to {}", twice[0].display());
            return Err(Diagnostic::error(Code::Usage, message).help("vary by different values").into());
        }
        Ok(directories)
    }

    fn ready(&self, values: &[String]) -> Result<Prepared, Diagnostics> {
        let changes = changed(&self.plan.changes, &self.axes, values);
        ready(&self.plan.experiment, &changes, &self.registry, self.plan.strict)
    }

    /// All are checked before the first one runs; what they are is kept.
    fn look(&mut self, before: &Surroundings) -> Result<(), Diagnostics> {
        let mut warnings = Diagnostics::new();
        let directories = self.directories()?;
        for values in &self.combinations() {
            let prepared = self.ready(values)?;
            let inputs = inputs::of(&prepared.loaded, None);
            directories.iter().try_for_each(|directory| keep_inputs(directory, &inputs))?;
            let new = prepared.warnings.iter().filter(|w| !warnings.iter().any(|known| known == *w));
            warnings.extend(new.cloned().collect::<Vec<_>>());
            self.plan.add(&prepared)?;
        }
        report(self.global, &warnings);
        unchanged(before)
    }

    /// Runs what is missing; the table once nothing is.
    fn finish(&self) -> Result<u8, Diagnostics> {
        let runs: Vec<_> = self.combinations().into_iter().map(|v| (self.directory(&v), v)).collect();
        // Nothing is run, nor taken up, beside the run of somebody else.
        runs.iter().enumerate().try_for_each(|(k, (place, _))| self.plan.check_directory(k, place))?;
        let mut rows = Vec::new();
        for (k, (directory, values)) in runs.into_iter().enumerate() {
            if ended(&directory)?.is_none() && is_stopped(self.made(k, &values, &directory)?) {
                let message = format!("the comparison was stopped from outside in its run {}", k + 1);
                let help =
                    format!("`vinci compare --resume {}` goes on to the same results", self.out.display());
                return Err(Diagnostic::error(Code::Stopped, message).help(help).into());
            }
            rows.push(Row::read(&self.plan, k, values, directory)?);
        }
        let code = rows.iter().map(Row::code).max().unwrap_or(exit::OK);
        self.tell(&rows, code)?;
        Ok(code)
    }

    /// Writes and prints the comparison of all runs.
    fn tell(&self, rows: &[Row], code: u8) -> Result<(), Diagnostics> {
        let labels = rows.iter().map(|row| row.label.join(", "));
        let differences = compare_physics::differences(&labels.zip(self.plan.physics()).collect::<Vec<_>>());
        let compared = compared(&self.axes, rows, &differences);
        write_json(&self.out, COMPARED, &compared)
            .and_then(|()| std::fs::remove_file(self.out.join(PLAN)))
            .map_err(|e| io_error("cannot write to", &self.out, &e))?;
        let text = || {
            let (table, block) = (table(&self.axes, rows), compare_physics::block(&differences));
            format!("{table}{block}results in {}\n", self.out.display())
        };
        let value = || json!({ "directory": self.out.to_string_lossy(), "physics": compared["physics"], "runs": compared["runs"] });
        tell_asked(self.global, ("compare", code), false, text, value)
    }

    /// Makes one run, from its checkpoint if it has one; its exit code.
    fn made(&self, k: usize, values: &[String], directory: &Path) -> Result<u8, Diagnostics> {
        let before = Surroundings::now();
        let (prepared, from): (Prepared, Option<Checkpoint>) = if directory.join(CHECKPOINT).exists() {
            let (prepared, checkpoint) = take_up(directory, &self.registry)?;
            (prepared, Some(checkpoint))
        } else {
            let prepared = self.ready(values)?;
            self.plan.check(k, &prepared)?;
            (prepared, None)
        };
        unchanged(&before)?;
        let stop = self.stop.clone();
        let guidance =
            Guidance { stop, checkpoint_every: self.checkpoint_every, from, surroundings: Some(before) };
        let end = execute_guided(prepared, directory, guidance, |_| {})
            .map_err(|e| io_error("cannot write to", directory, &e))?;
        if self.global.verbose > 0 && self.global.error_format == ErrorFormat::Text {
            say(&words(&end))?;
        }
        Ok(end.code)
    }
}

/// Whether a run was stopped. One without a checkpoint is begun anew when the comparison goes on: what came of it has the same bytes.
fn is_stopped(code: u8) -> bool {
    [exit::STOPPED, exit::STOPPED_ANEW].contains(&code)
}
