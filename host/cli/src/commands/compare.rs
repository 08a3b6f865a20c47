//! `vinci compare`: one scene, all combinations of what is varied, one table.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::claim::Claim;
use super::compare_apart::Apart;
use super::compare_made::Making;
use super::compare_outside;
use super::compare_physics::differences;
use super::compare_plan::{COMPARE_FORMAT, COMPARED, PLAN, Plan};
use super::compare_protocols::{self, Measuring};
use super::compare_ready::{self, Ready, each_ready};
use super::compare_row::Row;
use super::compare_table::{LeftOut, compared, failed_listing, left_out_block, left_out_listing, table};
use super::compare_view;
use super::files::{io_error, nothing_named, stem};
use super::inputs;
use super::printing::{report, tell, tell_asked};
use super::results_directory::keep_inputs;
use super::run::{listening, unchanged};
use super::search::{obeying, registry};
use crate::cli::{CompareArgs, Global, libraries_in};
use vinci_compare::measures::{self, Done, measure, write};
use vinci_compare::{Combination, ComparisonRuns, physics};
use vinci_engine::registry::Registry;
use vinci_run::atomic_write::write_json;
use vinci_run::results::check_files;
use vinci_run::sealed::FileSum;
use vinci_run::signals::Stop;
use vinci_run::{Surroundings, exit};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::read_format;

/// A comparison on its way.
struct Comparison<'a> {
    global: &'a Global,
    registry: Registry,
    plan: Plan,
    asked: ComparisonRuns,
    out: PathBuf,
    checkpoint_every: Option<std::time::Duration>,
    stop: Stop,
}

pub(crate) fn run(global: &Global, args: &CompareArgs) -> Result<u8, Diagnostics> {
    let stop = listening()?;
    if let Some(directory) = args.resume.as_ref().filter(|_| args.only.is_none())
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
    let asked = plan.asked()?;
    // What names no reference is said before anything runs.
    let reference = plan.reference(&asked)?;
    compare_ready::check(&asked, &plan.protocols(&asked), reference.as_ref())?;
    let name = || PathBuf::from("results").join(format!("{}-compare", stem(&plan.experiment)));
    let out = args.resume.clone().or_else(|| args.out.clone()).unwrap_or_else(name);
    let checkpoint_every = args.checkpoint_every;
    let mut comparison = Comparison { global, registry, plan, asked, out, checkpoint_every, stop };
    if let Some(k) = args.only {
        let run = comparison.asked.combinations.get(k);
        let run = run.ok_or_else(|| Diagnostic::error(Code::Usage, "there is no such run"))?;
        return comparison.making().only((k, run, comparison.directory(run)));
    }
    let before = Surroundings::now();
    let mut whole = match args.resume {
        Some(_) => Claim::of(&comparison.out, COMPARED)?,
        None => Claim::of_comparison(&comparison.out, COMPARED, comparison.plan.force)?,
    };
    if args.resume.is_none() {
        // Whoever else writes to one of them, or has files there, is told of before anything runs.
        comparison.each(|directory, force| Claim::of_run(directory, force).map(drop))?;
        comparison.look(&before)?;
        comparison.each(|directory, force| Claim::of_run(directory, force)?.take())?;
        comparison.plan.write(&comparison.out)?;
    }
    whole.keep();
    comparison.each(|directory, _| {
        Claim::to_go_on(directory)?.keep();
        Ok(())
    })?;
    let apart = args
        .jobs
        .map(|jobs| Apart::new(args, &comparison.registry, &comparison.out, jobs.get()))
        .transpose()?;
    comparison.finish(apart.as_ref())
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
        folder.map_or(Ok(()), |folder| check_files(&directory.join(folder), &run["summary"]))?;
    }
    let code = |run: &Value| run["summary"]["exit_code"].as_u64().and_then(|code| u8::try_from(code).ok());
    let codes: Option<Vec<u8>> = compared["runs"].as_array().and_then(|runs| runs.iter().map(code).collect());
    let unread = || io_error("cannot read", &path, &std::io::Error::other("its runs have no exit codes"));
    Ok(Some(codes.and_then(|codes| codes.into_iter().max()).ok_or_else(unread)?))
}

impl Comparison<'_> {
    fn making(&self) -> Making<'_> {
        let Self { global, registry, plan, asked, out, checkpoint_every, stop } = self;
        Making { global, registry, plan, asked, out, checkpoint_every: *checkpoint_every, stop }
    }

    fn directory(&self, run: &Combination) -> PathBuf {
        self.out.join(run.folder())
    }

    /// The directories of all combinations, no two the same.
    fn directories(&self) -> Result<Vec<PathBuf>, Diagnostics> {
        let mut directories: Vec<PathBuf> =
            self.asked.combinations.iter().map(|run| self.directory(run)).collect();
        directories.sort();
        if let Some(twice) = directories.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("two runs would go to {}", twice[0].display());
            return Err(Diagnostic::error(Code::Usage, message).help("vary by different values").into());
        }
        Ok(directories)
    }

    /// Does something to the directory of every combination that is not known to be left out, one after the other: no more files are
    /// open for many runs than for one.
    fn each(&self, todo: impl Fn(&Path, bool) -> Result<(), Diagnostics>) -> Result<(), Diagnostics> {
        self.directories()?;
        let all = self.asked.combinations.iter().enumerate();
        let mut runs = all.filter(|(k, _)| self.plan.not_run(*k).is_none());
        runs.try_for_each(|(_, run)| todo(&self.directory(run), self.plan.force))
    }

    /// All are checked before the first one runs; what they are is kept. Combinations that cannot run are left out, unless none can.
    fn look(&mut self, before: &Surroundings) -> Result<(), Diagnostics> {
        let directories = self.directories()?;
        let (asked, strict, plan) = (&self.asked, self.plan.strict, &mut self.plan);
        let (protocols, reference) = (plan.protocols(asked), plan.reference(asked)?);
        let of = (asked, &protocols, reference.as_ref());
        let warnings = each_ready(of, &self.registry, strict, |run, ready| match ready {
            Ready::Run(prepared) => {
                let inputs = inputs::of(&prepared.loaded, None);
                directories.iter().try_for_each(|directory| keep_inputs(directory, &inputs))?;
                plan.add(run.folder(), &prepared)
            }
            Ready::Motion(case, motion) => {
                let inputs = compare_outside::inputs(&case, motion);
                directories.iter().try_for_each(|directory| keep_inputs(directory, &inputs))?;
                plan.add_case(run.folder(), &case)
            }
            Ready::Not(why) => {
                plan.leave_out(run.folder(), why);
                Ok(())
            }
        })?;
        report(self.global, &warnings);
        unchanged(before)
    }

    /// Runs what is missing; the table once nothing is.
    fn finish(&self, apart: Option<&Apart>) -> Result<u8, Diagnostics> {
        let all = self.asked.combinations.iter().enumerate();
        let runs: Vec<_> = all
            .filter(|(k, _)| self.plan.not_run(*k).is_none())
            .map(|(k, run)| (k, run, self.directory(run)))
            .collect();
        // Nothing is run, nor taken up, beside the run of somebody else.
        runs.iter().try_for_each(|(k, _, place)| self.plan.check_directory(*k, place))?;
        let died = self.making().all(&runs, apart)?;
        let mut rows = Vec::new();
        for (k, run, directory) in runs {
            if let Some(message) = died.get(&k) {
                rows.push(Row::died(run.values.clone(), directory, message));
                continue;
            }
            let kept = self.plan.has_report(&self.asked);
            rows.push(Row::read(&self.plan, k, (run.values.clone(), kept), directory)?);
        }
        let code = rows.iter().map(Row::code).max().unwrap_or(exit::OK);
        self.tell(rows, code)?;
        Ok(code)
    }

    /// Removes the files that an earlier comparison wrote here: they say nothing of these runs.
    fn forget(&self) -> Result<(), Diagnostics> {
        let written =
            measures::FILES.into_iter().map(|name| self.out.join(name)).filter(|path| path.exists());
        let removed =
            written.map(|path| std::fs::remove_file(&path).map_err(|e| io_error("cannot remove", &path, &e)));
        removed.collect()
    }

    /// Writes and prints the comparison of all runs.
    fn tell(&self, mut rows: Vec<Row>, code: u8) -> Result<(), Diagnostics> {
        let mut measured = self.measured(&mut rows)?;
        let (rows, differences) = (rows.as_slice(), differences(&self.asked, &self.plan, &rows));
        let all = self.asked.combinations.iter().enumerate();
        let left_out = all.filter_map(|(k, run)| Some((run.values.as_slice(), self.plan.not_run(k)?)));
        let left_out: Vec<LeftOut<'_>> = left_out.collect();
        let mut compared = compared(&self.asked.axes, rows, &differences, &left_out);
        let judged = compare_outside::judged(&self.asked, rows, &self.registry)?;
        if !judged.is_empty() {
            compared["judged"] = compare_outside::as_json(&judged);
        }
        self.forget()?;
        if let Some(measured) = &mut measured {
            let told = [left_out_listing(&left_out), failed_listing(rows), physics::listing(&differences)];
            measured.listings =
                told.into_iter().chain([compare_outside::listing(&judged)]).flatten().collect();
            self.write(measured, rows)?;
            compared["measures"] = measured.to_json();
            compared["files"] = json!(self.sums()?);
        }
        write_json(&self.out, COMPARED, &compared)
            .and_then(|()| std::fs::remove_file(self.out.join(PLAN)))
            .map_err(|e| io_error("cannot write to", &self.out, &e))?;
        let text = || {
            let (table, block) = (table(&self.asked.axes, rows), physics::block(&differences));
            let errors = measured.as_ref().map_or_else(String::new, measures::Comparison::block);
            let (one_judge, left_out) = (compare_outside::block(&judged), left_out_block(&left_out));
            format!("{table}{errors}{one_judge}{left_out}{block}results in {}\n", self.out.display())
        };
        let value = || {
            json!({ "directory": self.out.to_string_lossy(), "physics": compared["physics"], "runs": compared["runs"],
                "not_run": compared["not_run"], "judged": compared["judged"], "measures": compared["measures"] })
        };
        tell_asked(self.global, ("compare", code), false, text, value)
    }

    /// Writes the files of a comparison that was measured.
    fn write(&self, measured: &mut measures::Comparison, rows: &[Row]) -> Result<(), Diagnostics> {
        measured.has_view = compare_view::write(rows, &self.asked.axes, &self.out)?;
        report(self.global, &measured.warnings);
        write(measured, &self.out).map_err(|e| io_error("cannot write to", &self.out, &e))
    }

    /// Size and SHA-256 of every file that was written beside the table.
    fn sums(&self) -> Result<BTreeMap<&'static str, FileSum>, Diagnostics> {
        let written = measures::FILES.into_iter().filter(|name| self.out.join(name).exists());
        written
            .map(|name| Ok((name, FileSum::of(&self.out.join(name))?)))
            .collect::<std::io::Result<_>>()
            .map_err(|e| io_error("cannot read", &self.out, &e))
    }

    /// Measures between the runs that left results, if they are asked for.
    fn measured(&self, rows: &mut [Row]) -> Result<Option<measures::Comparison>, Diagnostics> {
        if !self.plan.has_report(&self.asked) {
            return Ok(None);
        }
        let reference = self.plan.reference(&self.asked)?;
        let done = rows.iter_mut().filter_map(|row| {
            let (values, summary) = (row.label.clone(), row.summary.clone());
            Some(Done { values, directory: row.directory.clone(), summary, states: row.states.take()? })
        });
        let mut measured = measure(&self.asked.axes, done.collect(), reference.as_ref())?;
        let before = Surroundings::now();
        let (asked, registry) = (&self.asked, &self.registry);
        let of = Measuring {
            global: self.global,
            asked,
            registry,
            reference: reference.as_ref(),
            stop: &self.stop,
        };
        measured.sections = compare_protocols::sections(&of, &self.plan.protocols(asked), rows)?;
        unchanged(&before)?;
        Ok(Some(measured))
    }
}
