//! `vinci judge`: the referee over a motion that was recorded elsewhere.

use std::path::{Path, PathBuf};
use vinci_core::clock::seconds;

use serde_json::{Value, json};

use super::claim::Claim;
use super::compare_above::refuse_row;
use super::inputs;
use super::printing::{report, tell_asked};
use super::progress::Progress;
use super::results_directory::keep_inputs;
use super::run::{pressed_apart, unchanged};
use super::search::{obeying, registry};
use crate::cli::{Global, JudgeArgs};
use vinci_judge::{Case, Files, Verdict, read};
use vinci_run::acceptance::Refusal;
use vinci_run::{Law, Surroundings};
use vinci_scene::diagnostics::Diagnostics;

/// Ways above this are told, m.
const TOLD: f64 = 1e-6;

pub(crate) fn run(global: &Global, args: &JudgeArgs) -> Result<u8, Diagnostics> {
    let registry = registry(global, &args.search).allowing(&args.changes.libraries()).remembering();
    let registry = obeying(&registry, args.lock, &args.file)?;
    let before = Surroundings::now();
    let files = Files { trajectory: args.trajectory.clone(), contacts: args.contacts.clone() };
    let law = if args.declared { Law::Declared } else { Law::Strict };
    let case = read(&args.file, &args.changes.overrides()?, files, (&registry, law))?;
    let case = case.looking_at(args.indeterminacy.unwrap_or(0));
    unchanged(&before)?;
    report(global, &case.warnings);
    let progress = Progress::of_time(global, "", case.ends());
    let verdict = match &args.out {
        None => case.judge(None, |t| progress.at(t))?,
        Some(directory) => written(case, args, directory, &progress)?,
    };
    progress.end();
    unchanged(&before)?;
    let value = || {
        let directory = args.out.as_ref().map(|out| out.to_string_lossy());
        json!({ "directory": directory, "summary": verdict.summary })
    };
    tell_asked(
        global,
        ("judge", verdict.code),
        args.json,
        || summary_text(&verdict, args.out.as_deref()),
        value,
    )?;
    Ok(verdict.code)
}

/// Judges into a directory, which is claimed as that of a run is.
fn written(
    case: Case,
    args: &JudgeArgs,
    directory: &Path,
    progress: &Progress,
) -> Result<Verdict, Diagnostics> {
    let mut kept: Vec<(PathBuf, &str)> = inputs::of(case.loaded(), None);
    kept.push((args.trajectory.clone(), "the motion that is to be judged"));
    kept.extend(args.contacts.clone().map(|path| (path, "the forces that are to be judged")));
    keep_inputs(directory, &kept)?;
    if !args.force {
        refuse_row(directory)?;
    }
    let mut claim = Claim::of_run(directory, args.force)?;
    claim.take()?;
    case.judge(Some(directory), |t| progress.at(t))
}

/// The text that people read after a judgement.
fn summary_text(verdict: &Verdict, directory: Option<&Path>) -> String {
    let s = &verdict.summary;
    let number = |pointer: &str| s.pointer(pointer).and_then(Value::as_f64).unwrap_or(f64::NAN);
    let refusal = serde_json::from_value::<Refusal>(s["referee"]["refusal"].clone()).ok();
    let mut out = match (&refusal, s["failure"]["message"].as_str()) {
        (None, None) => "accepted".to_owned(),
        (Some(refusal), _) => format!("not accepted: {refusal}"),
        (None, Some(message)) => format!("not accepted: {message}"),
    };
    let count = |key: &str| s["judged"][key].as_u64().unwrap_or(0);
    out.push_str(&format!(
        "\n  steps     {} to t = {} s: {} lawful, {} with friction that is short or beside its slip, {} that press where nothing may, \
         {} that no force in the cones explains\n",
        count_of(s, "/steps"),
        seconds(number("/time_end")),
        count("lawful"),
        count("short_friction"),
        count("unlawful_normal"),
        count("unexplained"),
    ));
    out.push_str(&format!(
        "  referee   momentum {:.1e} N s, complementarity {:.1e} m/s, penetration {:.1e} m, cone {:.1e} N s\n",
        number("/referee/max_momentum_residual"),
        number("/referee/max_complementarity"),
        number("/referee/max_penetration"),
        number("/referee/max_cone_violation")
    ));
    out.push_str(&format!(
        "  friction  points up to {:.1}° off the slip, up to {:.1} % weak\n",
        number("/referee/max_friction_angle"),
        100.0 * number("/referee/max_friction_weakness")
    ));
    let apart = pressed_apart(number("/referee/max_linearized_gap"), number("/referee/max_linearized_part"));
    out.extend(apart.map(|line| line + "\n"));
    for (key, name, unit) in
        [("missing_force", "missing", "N"), ("creep", "creep", "m/s"), ("crept", "crept", "m")]
    {
        out.push_str(&most(&s["judged"][key], name, unit));
    }
    out.push_str(&format!("  forces    {}\n", s["judged"]["forces"].as_str().unwrap_or_default()));
    let moved = number("/judged/moved");
    if moved > TOLD {
        out.push_str(&format!(
            "            up to {moved:.1e} m from the contacts at which they are judged\n"
        ));
    }
    out.push_str(&ranges(&s["judged"]["indeterminacy"]));
    for what in s["referee"]["not_judged"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        out.push_str(&format!("  unjudged  {what}\n"));
    }
    directory.into_iter().for_each(|place| out.push_str(&format!("  results   {}\n", place.display())));
    out
}

/// How far the motion fixes its forces, where that was looked at.
fn ranges(found: &Value) -> String {
    if found.is_null() {
        return String::new();
    }
    let count = |key: &str| found[key].as_u64().unwrap_or(0);
    let mut out = format!(
        "  ranges    of {} contacts at {} times the motion fixes {} normal forces, nothing bounds {}",
        count("contacts"),
        count("looks"),
        count("unique"),
        count("unbounded")
    );
    let (widest, number) = (&found["widest"]["normal"], |of: &Value| of.as_f64().unwrap_or(f64::NAN));
    if count("unique") + count("unbounded") < count("contacts") {
        let bodies: Vec<&str> =
            found["widest"]["bodies"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        out.push_str(&format!(
            "; widest from {:.4} to {:.4} N at t = {} s, {}",
            number(&widest["least"]),
            number(&widest["greatest"]),
            seconds(number(&found["widest"]["time"])),
            bodies.join(" / ")
        ));
    }
    out.push('\n');
    if let Some(why) = found["left_out_because"].as_str() {
        out.push_str(&format!("            {why}\n"));
    }
    out
}

fn count_of(s: &Value, pointer: &str) -> u64 {
    s.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}

/// A largest number, when and where; nothing where it is 0.
fn most(value: &Value, name: &str, unit: &str) -> String {
    let number = |key: &str| value[key].as_f64().unwrap_or(f64::NAN);
    if number("value") == 0.0 {
        return String::new();
    }
    let place = value["place"].as_str().unwrap_or_default();
    format!("  {name:<9} {:.2e} {unit} at t = {} s, {place}\n", number("value"), seconds(number("time")))
}
