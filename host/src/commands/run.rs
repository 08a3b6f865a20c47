//! `vinci run`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};

use super::{clear_directory, io_error, report, say, stem};
use crate::cli::{ChangeArgs, Global, RunArgs};
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::exit;
use crate::pipeline::StepFailure;
use crate::registry::Registry;
use crate::run::{
    Prepared, RunEnd, execute, open_joints, overlaps, prepare, refuse_declared, resume, settle,
};
use crate::scene::{load_experiment, load_running};

pub(crate) fn run(global: &Global, args: &RunArgs) -> Result<u8, Diagnostics> {
    let registry = Registry::new(&args.search.plugin_dir).remembering();
    let from = args.from.as_deref();
    let prepared = ready_from(&args.experiment, &args.changes, &registry, args.strict, from)?;
    report(global, &prepared.warnings);
    let directory = args.out.clone().unwrap_or_else(|| PathBuf::from("results").join(stem(&args.experiment)));
    clear_directory(&directory, args.force)?;
    let bar = progress_bar(global, prepared.loaded.experiment.time.duration);
    let end = execute(prepared, &directory, |t| bar.set_position((t * 1e6) as u64))
        .map_err(|e| io_error("cannot write to", &directory, &e))?;
    bar.finish_and_clear();
    if !global.quiet {
        say(&words(&end));
    }
    if let Some(finding) = failure(&end) {
        report(global, &finding.into());
    }
    Ok(end.code)
}

/// Loads, prepares and looks at the start: everything that can be refused is refused here, before anything is written.
pub(crate) fn ready(
    experiment: &Path,
    changes: &ChangeArgs,
    registry: &Registry,
    strict: bool,
) -> Result<Prepared, Diagnostics> {
    ready_from(experiment, changes, registry, strict, None)
}

/// The same, begun at a saved state.
fn ready_from(
    experiment: &Path,
    changes: &ChangeArgs,
    registry: &Registry,
    strict: bool,
    from: Option<&Path>,
) -> Result<Prepared, Diagnostics> {
    let load = if from.is_some() { load_running } else { load_experiment };
    let mut prepared = prepare(load(experiment, &changes.overrides()?)?, registry)?;
    if let Some(state) = from {
        resume(&mut prepared, state)?;
    }
    let begin = prepared.simulation.snapshot();
    look_at_start(&mut prepared, registry)?;
    if from.is_some() {
        // A look has no part in what follows: the state is the saved one, plugins' own included.
        let refused = |error: vinci_core::StageError| Diagnostic::error(Code::PluginFault, error.message);
        prepared.simulation.restore(&begin).map_err(refused)?;
    }
    if strict && !prepared.warnings.is_empty() {
        return Err(prepared.warnings.strict());
    }
    Ok(prepared)
}

/// Overlaps, open joints, and whether the first problem reaches a solver.
fn look_at_start(prepared: &mut Prepared, registry: &Registry) -> Result<(), Diagnostics> {
    refuse_declared(prepared)?;
    let start = overlaps(&prepared.loaded, &mut prepared.simulation)
        .and_then(|found| Ok((found, prepared.simulation.rehearse()?)));
    match start {
        Ok((found, class)) => {
            prepared.warnings.append(found);
            prepared.warnings.append(open_joints(&prepared.loaded, &prepared.simulation));
            settle(prepared, registry, class)
        }
        Err(failure) => {
            let code =
                if crate::run::is_plugin_fault(&failure) { Code::PluginFault } else { Code::Contradiction };
            let who = match &failure {
                StepFailure::Stage { stage: "detector", .. } => prepared.detector.manifest.id.as_str(),
                _ => prepared.stepper.manifest.id.as_str(),
            };
            let message = format!("the first step cannot be made ({who}): {failure}");
            Err(Diagnostic::error(code, message).into())
        }
    }
}

/// Over simulated time, on a terminal only.
fn progress_bar(global: &Global, duration: f64) -> ProgressBar {
    if global.quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{wide_bar} {percent}% of the time simulated, {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new((duration * 1e6) as u64).with_style(style)
}

/// What people read after a run.
pub(crate) fn words(end: &RunEnd) -> String {
    let s = &end.summary;
    let per_step = if s.steps > 0 { 1e6 * s.timing["total"] / s.steps as f64 } else { 0.0 };
    let r = &s.referee;
    let short = |p: &crate::summary::PluginUsed| {
        format!("{} {} ({})", p.id, p.version, &p.digest[..p.digest.len().min(12)])
    };
    let others: String = s.other_detectors.iter().map(|p| format!("            {}\n", short(p))).collect();
    let mut text = format!(
        "{} {} steps to t = {} s in {:.3} s ({per_step:.1} µs a step)\n  detector  {}\n{others}  stepper   {}\n  solver    {}\n",
        s.status,
        s.steps,
        s.time_end,
        s.timing["total"],
        short(&s.detector),
        short(&s.stepper),
        short(&s.solver)
    );
    text.push_str(&format!(
        "  referee   residual {:.1e}, momentum {:.1e} N s, complementarity {:.1e} m/s, penetration {:.1e} m, cone {:.1e} N s\n",
        r.max_residual, r.max_momentum_residual, r.max_complementarity, r.max_penetration, r.max_cone_violation
    ));
    if r.max_friction_angle > 1.0 || r.max_friction_weakness > 0.01 {
        let (angle, weak) = (r.max_friction_angle, 100.0 * r.max_friction_weakness);
        text.push_str(&format!(
            "  friction  points up to {angle:.1}° off the slip, up to {weak:.1} % weak\n"
        ));
    }
    if !r.not_judged.is_empty() {
        text.push_str(&format!("  unjudged  {}\n", r.not_judged.join(", ")));
    }
    if s.impacts.count > 0 {
        let i = &s.impacts;
        text.push_str(&format!(
            "  impacts   {}, energy change {:.3e} J in all, {:.1e} J at most\n",
            i.count, i.energy_change, i.largest_energy_change
        ));
    }
    if s.stepping.rejected + s.stepping.shortened > 0 {
        let d = &s.stepping;
        text.push_str(&format!(
            "  stepping  {} accepted, {} taken back, {} shortened by the stepper, {} events located, {} predicted\n",
            d.accepted, d.rejected, d.shortened, d.located, d.predicted
        ));
    }
    for event in &s.events {
        text.push_str(&format!("  event {:<3} t = {} s, {}\n", event.event, event.time, event.what));
    }
    for warning in &s.warnings {
        text.push_str(&format!("  warning   {warning}\n"));
    }
    for bridge in &s.bridges {
        text.push_str(&format!("  bridge    {bridge}\n"));
    }
    if s.solver_stats.failures > 0 {
        let stats = &s.solver_stats;
        text.push_str(&format!(
            "  solves    {} not accepted ({} of {} iterations), {} steps solved by a fallback\n",
            stats.failures, stats.iterations_failed, stats.iterations_total, stats.fallbacks
        ));
    }
    text.push_str(&format!("  state     {}\n  results   {}\n", s.state_hash, end.directory.display()));
    text
}

/// What to do about a check that is not fulfilled.
fn advice(check: &str) -> &'static str {
    match check {
        "solution" | "rows" => {
            "the equations of the step are not solved: try another solver or a smaller `tolerance`; where all solvers agree \
             the stepper is wrong"
        }
        "penetration" => {
            "a smaller `time.step` or `time.events` helps, or a stepper on the level of positions; `referee.penetration` \
             sets the limit"
        }
        "passing_through" => {
            "a smaller `time.step` or `time.events` helps, or a stepper on the level of positions"
        }
        "work" => {
            "bodies that overlap or joints that are open at the start get energy when they are put right: close them, or set \
             `referee.work` where that is meant"
        }
        _ => "a stepper or detector that returns such numbers is wrong: report it to its author",
    }
}

/// The finding that tells why a run did not succeed.
fn failure(end: &RunEnd) -> Option<Diagnostic> {
    if let Some(f) = &end.summary.failure {
        let mut message = format!("{} at t = {} s", f.message, f.time);
        if !f.squeezed.is_empty() {
            message.push_str(&format!(
                "; nothing can move where these contacts squeeze: {}",
                f.squeezed.join(", ")
            ));
        }
        if !f.falling.is_empty() {
            message.push_str(&format!("; nothing holds {}", f.falling.join(", ")));
        }
        if !f.involved.is_empty() {
            message.push_str(&format!("; these rows contradict one another: {}", f.involved.join(", ")));
        }
        let help = match &f.problem {
            Some(file) => {
                let path = end.directory.join(file);
                format!(
                    "the run up to this step is kept; `vinci solve {} --solver ID` tries the problem alone",
                    path.display()
                )
            }
            None => "the run up to this step is kept".to_string(),
        };
        return Some(Diagnostic::error(Code::Run, message).help(help));
    }
    (end.code == exit::NOT_ACCEPTED).then(|| {
        let refusal = end.summary.referee.refusal.as_ref().map(ToString::to_string).unwrap_or_default();
        let message = format!("the referee does not accept the result: {refusal}");
        let check = end.summary.referee.refusal.as_ref().map_or("", |refusal| refusal.check);
        Diagnostic::error(Code::Run, message).help(advice(check))
    })
}
