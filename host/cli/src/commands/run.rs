//! `vinci run`.

use std::path::{Path, PathBuf};
use vinci_core::clock::seconds;

use serde_json::json;

use super::claim::Claim;
use super::compare_above::refuse_row;
use super::files::{io_error, nothing_named, run_error, stem};
use super::inputs;
use super::printing::{report, tell};
use super::progress::Progress;
use super::results_directory::keep_inputs;
use super::search::{obeying, registry};
use super::verify::{self, Verify, has_polygons};
use crate::cli::{ChangeArgs, Global, RunArgs};
use vinci_engine::registry::Registry;
use vinci_run::results::{check_files, summary_of};
use vinci_run::signals::Stop;
use vinci_run::summary::{PluginUsed, Summary};
use vinci_run::{
    Checkpoint, Guidance, Prepared, RunEnd, Surroundings, execute_guided, exit, recorded_races,
    remove_checkpoint, shortfall, take_up,
};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::{Override, Path as ValuePath, load_experiment, load_running};

pub(crate) fn run(global: &Global, args: &RunArgs) -> Result<u8, Diagnostics> {
    let registry = registry(global, &args.search).allowing(&args.changes.libraries()).remembering();
    let before = Surroundings::now();
    // From here on: a run that is asked to stop while it begins stops at its first grid time, with everything in order.
    let stop = listening()?;
    if let Some(directory) = &args.resume {
        return go_on(global, args, directory, &registry, (before, stop));
    }
    let Some(experiment) = &args.experiment else { return Err(nothing_named("vinci run EXPERIMENT")) };
    let registry = obeying(&registry, args.lock, experiment)?;
    let directory = args.out.clone().unwrap_or_else(|| PathBuf::from("results").join(stem(experiment)));
    let load = if args.from.is_some() { load_running } else { load_experiment };
    let mut changes = args.changes.overrides()?;
    if let Some(problems) = &args.record_problems {
        changes.push(Override::flag(
            "--record-problems",
            ValuePath::root().join("record").join("problems"),
            problems,
        )?);
    }
    changes.extend(threads(args)?);
    let loaded = load(experiment, &changes)?;
    keep_inputs(&directory, &inputs::of(&loaded, args.from.as_deref()))?;
    if !args.force {
        refuse_row(&directory)?;
    }
    // Claims the directory before any plugin is loaded: from now on no other run writes there, and an earlier run's success cannot be mistaken for this one's.
    let mut claim = Claim::of_run(&directory, args.force)?;
    let mut prepared = vinci_run::ready(loaded, &registry, args.strict, args.from.as_deref())?;
    follow_races(args, &mut prepared)?;
    unchanged(&before)?;
    report(global, &prepared.warnings);
    claim.take()?;
    let verify = args.verify.then(|| Verify {
        experiment,
        changes: &args.changes,
        registry: &registry,
        stop: stop.clone(),
        step: prepared.simulation.settings.step,
        order: if prepared.simulation.settings.second_order { 2 } else { 1 },
        polygons: has_polygons(&prepared),
    });
    made(global, prepared, &directory, guidance(args, (before, stop), None), verify.as_ref())
}

/// Goes on with a run that was stopped or killed.
fn go_on(
    global: &Global,
    args: &RunArgs,
    directory: &Path,
    registry: &Registry,
    (before, stop): (Surroundings, Stop),
) -> Result<u8, Diagnostics> {
    if !directory.is_dir() {
        let message = format!("there is no directory {}", directory.display());
        return Err(Diagnostic::error(Code::Io, message).into());
    }
    let _claim = Claim::to_go_on(directory)?;
    if let Some(summary) = summary_of(directory)? {
        check_files(directory, &summary)?;
        let code = code_of(directory, &summary)?;
        let text = || format!("the run in {} has ended (exit code {code})\n", directory.display());
        tell(global, ("run", code), text, || json!({ "directory": directory.to_string_lossy() }))?;
        return Ok(code);
    }
    let (mut prepared, checkpoint) = take_up(directory, registry, &threads(args)?)?;
    follow_races(args, &mut prepared)?;
    unchanged(&before)?;
    made(global, prepared, directory, guidance(args, (before, stop), Some(checkpoint)), None)
}

/// The record that `--follow-races` names, for the solvers.
fn follow_races(args: &RunArgs, prepared: &mut Prepared) -> Result<(), Diagnostics> {
    let Some(directory) = &args.follow_races else { return Ok(()) };
    if !prepared.simulation.solvers.races() && prepared.loaded.experiment.events.is_empty() {
        let message = "there is nothing to follow: the solvers of this experiment do not race";
        return Err(Diagnostic::error(Code::Contradiction, message)
            .help("leave --follow-races out, or set `solver.race` to true")
            .into());
    }
    prepared.simulation.solvers.race_log.follow(recorded_races(directory)?);
    Ok(())
}

/// The change that `--threads` makes.
fn threads(args: &RunArgs) -> Result<Vec<Override>, Diagnostics> {
    let flag = |n: u32| Override::flag("--threads", ValuePath::root().join("threads"), &n.to_string());
    args.threads.map(flag).into_iter().collect()
}

fn unreadable(directory: &Path, error: &std::io::Error) -> Diagnostics {
    io_error("cannot read", &directory.join("summary.json"), error)
}

/// The exit code of the run in a directory, if it has ended.
pub(crate) fn ended(directory: &Path) -> Result<Option<u8>, Diagnostics> {
    summary_of(directory)?.map(|summary| code_of(directory, &summary)).transpose()
}

/// The exit code in the summary of a run that has ended; then it needs no checkpoint.
fn code_of(directory: &Path, summary: &serde_json::Value) -> Result<u8, Diagnostics> {
    let code = summary["exit_code"].as_u64().and_then(|code| u8::try_from(code).ok());
    let code =
        code.ok_or_else(|| unreadable(directory, &std::io::Error::other("it is not the summary of a run")))?;
    // One that was killed between the summary and this left it behind.
    remove_checkpoint(directory).map_err(|e| unreadable(directory, &e))?;
    Ok(code)
}

fn guidance(args: &RunArgs, (before, stop): (Surroundings, Stop), from: Option<Checkpoint>) -> Guidance {
    Guidance { stop, checkpoint_every: args.checkpoint_every, from, surroundings: Some(before), turn: None }
}

/// Hears the signals that ask a run to stop.
pub(crate) fn listening() -> Result<Stop, Diagnostics> {
    let deaf = |e: std::io::Error| Diagnostic::error(Code::Io, format!("cannot listen to signals: {e}"));
    Ok(Stop::on_signals().map_err(deaf)?)
}

/// A plugin that changes what the process has once, while it is loaded or made, is at fault.
pub(crate) fn unchanged(before: &Surroundings) -> Result<(), Diagnostics> {
    before.restore().map_or(Ok(()), |damage| Err(Diagnostic::error(Code::PluginFault, damage).into()))
}

/// Runs, and once more where it is to be verified; tells how it ended.
fn made(
    global: &Global,
    prepared: Prepared,
    directory: &Path,
    guidance: Guidance,
    verify: Option<&Verify<'_>>,
) -> Result<u8, Diagnostics> {
    let progress = Progress::of_time(global, "", prepared.loaded.experiment.time.duration);
    let end = execute_guided(prepared, directory, guidance, |t| progress.at(t))
        .map_err(|e| run_error(directory, &e))?;
    drop(progress);
    let ended = [exit::OK, exit::NOT_ACCEPTED].contains(&end.code);
    let bars = verify.filter(|_| ended).map_or(Ok(Vec::new()), |verify| verify.bars(&end))?;
    let cut = ended && verify.is_some_and(|verify| verify.stop.is_asked());
    let code = if cut { exit::STOPPED_ANEW } else { end.code };
    let value = || {
        let mut value = json!({ "directory": directory.to_string_lossy(), "summary": end.summary });
        if !bars.is_empty() {
            value["verify"] = verify::as_json(&bars);
        }
        value
    };
    tell(global, ("run", code), || summary_text(&end) + &verify::text(&bars), value)?;
    if let Some(finding) = shortfall(&end) {
        report(global, &finding.into());
    }
    if verify.is_some() && !ended {
        let message = "the run did not come to its end: nothing was verified";
        report(global, &Diagnostic::warning(Code::Run, message).into());
    }
    if cut {
        let message = "the run is complete, but what verifies it was stopped from outside";
        report(global, &Diagnostic::error(Code::Stopped, message).help("run it again").into());
    }
    Ok(code)
}

/// Loads, prepares and looks at the start: everything that can be refused is refused here, before anything is written.
pub(crate) fn ready(
    experiment: &Path,
    changes: &ChangeArgs,
    registry: &Registry,
    strict: bool,
) -> Result<Prepared, Diagnostics> {
    vinci_run::ready(load_experiment(experiment, &changes.overrides()?)?, registry, strict, None)
}

/// The text that people read after a run.
pub(crate) fn summary_text(end: &RunEnd) -> String {
    let s = &end.summary;
    let ends = format!("  state     {}\n  results   {}\n", s.state_hash, end.directory.display());
    [plugin_lines(s), referee_lines(s), step_lines(s), list_lines(s), solver_lines(s), ends].concat()
}

/// The outcome and the plugins.
fn plugin_lines(s: &Summary) -> String {
    let per_step = if s.steps > 0 { 1e6 * s.timing["total"] / s.steps as f64 } else { 0.0 };
    let short = |p: &PluginUsed| format!("{} {} ({})", p.id, p.version, &p.digest[..p.digest.len().min(12)]);
    let others: String = s.other_detectors.iter().map(|p| format!("            {}\n", short(p))).collect();
    let mut text = format!(
        "{} {} steps to t = {} s in {:.3} s ({per_step:.1} µs a step)\n  detector  {}\n{others}  stepper   {}\n  solver    {}\n",
        s.status,
        s.steps,
        seconds(s.time_end),
        s.timing["total"],
        short(&s.detector),
        short(&s.stepper),
        short(&s.solver)
    );
    s.controllers.iter().for_each(|p| text.push_str(&format!("  control   {}\n", short(p))));
    if let Some(chosen) = &s.solver_chosen {
        text.push_str(&format!("  solver    chosen by auto: {chosen}\n"));
    }
    text
}

/// Part of the thinner body from which on it is told how far apart bodies pressed each other.
const APART: f64 = 0.05;

/// How far apart bodies were that contacts pressed, m and as a part of the thinner one, in words; none where it is not worth telling.
pub(super) fn pressed_apart(gap: f64, part: f64) -> Option<String> {
    (part > APART).then(|| {
        format!(
            "  linear    contacts pressed bodies that were up to {gap:.1e} m apart when the step ended ({:.0} % of the thinner one)",
            100.0 * part
        )
    })
}

/// The worst of what the referee found.
fn referee_lines(s: &Summary) -> String {
    let r = &s.referee;
    let mut text = format!(
        "  referee   residual {:.1e}, momentum {:.1e} N s, complementarity {:.1e} m/s, penetration {:.1e} m, cone {:.1e} N s\n",
        r.max_residual,
        r.max_momentum_residual,
        r.max_complementarity,
        r.max_penetration,
        r.max_cone_violation
    );
    if r.max_friction_angle > 1.0 || r.max_friction_weakness > 0.01 {
        let (angle, weak) = (r.max_friction_angle, 100.0 * r.max_friction_weakness);
        text.push_str(&format!(
            "  friction  points up to {angle:.1}° off the slip, up to {weak:.1} % weak\n"
        ));
    }
    if let Some(line) = pressed_apart(r.max_linearized_gap, r.max_linearized_part) {
        text.push_str(&format!("{line}, because gaps are linear over a step\n"));
    }
    if !r.not_judged.is_empty() {
        text.push_str(&format!("  unjudged  {}\n", r.not_judged.join(", ")));
    }
    text
}

/// Impacts, and how grid steps were divided.
fn step_lines(s: &Summary) -> String {
    let (mut text, i, d) = (String::new(), &s.impacts, &s.stepping);
    if i.count > 0 {
        text.push_str(&format!(
            "  impacts   {}, energy change {:.3e} J in all, {:.1e} J at most\n",
            i.count, i.energy_change, i.largest_energy_change
        ));
    }
    if d.rejected + d.shortened > 0 {
        text.push_str(&format!(
            "  stepping  {} accepted, {} taken back, {} shortened by the stepper, {} events located, {} predicted\n",
            d.accepted, d.rejected, d.shortened, d.located, d.predicted
        ));
    }
    if d.refined > 0 {
        text.push_str(&format!("  refined   {} steps solved again with a smaller tolerance\n", d.refined));
    }
    text
}

/// Events, warnings and bridges, one by one.
fn list_lines(s: &Summary) -> String {
    let events =
        s.events.iter().map(|e| format!("  event {:<3} t = {} s, {}\n", e.event, seconds(e.time), e.what));
    let warnings = s.warnings.iter().map(|warning| format!("  warning   {warning}\n"));
    let bridges = s.bridges.iter().map(|bridge| format!("  bridge    {bridge}\n"));
    events.chain(warnings).chain(bridges).collect()
}

/// Solves that were not accepted.
fn solver_lines(s: &Summary) -> String {
    let stats = &s.solver_stats;
    if stats.failures == 0 {
        return String::new();
    }
    let mut text = format!(
        "  solves    {} not accepted ({} of {} iterations), {} steps solved by a fallback\n",
        stats.failures, stats.iterations_failed, stats.iterations_total, stats.fallbacks
    );
    if stats.infeasible_claimed > 0 {
        text.push_str(&format!(
            "            {} called infeasible, {} of them with a proof that was checked",
            stats.infeasible_claimed, stats.infeasible_proved
        ));
        if stats.infeasible_rounded > 0 {
            text.push_str(&format!(", {} with one that holds to rounding", stats.infeasible_rounded));
        }
        text.push('\n');
    }
    text
}
