//! `vinci diff`: where two runs of one scene part, and why.

use std::path::Path;

use serde_json::json;

use super::printing::tell_asked;
use super::run::unchanged;
use super::search::registry;
use crate::cli::{DiffArgs, Global};
use vinci_compare::diff::{Side, diff};
use vinci_run::results::{refusal_of, summary_of};
use vinci_run::{Surroundings, exit};
use vinci_scene::Override;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

pub(crate) fn run(global: &Global, args: &DiffArgs) -> Result<u8, Diagnostics> {
    if !(args.tolerance > 0.0 && args.tolerance.is_finite()) {
        let message = format!("`--tolerance {}` is no gap", args.tolerance);
        return Err(Diagnostic::error(Code::Usage, message).help("give a number above 0").into());
    }
    let registry = registry(global, &args.search).allowing(&args.changes.libraries()).remembering();
    let before = Surroundings::now();
    let sides = opened(args)?;
    let found = diff(&sides[0].side, &sides[1].side, &registry, args.tolerance)?;
    unchanged(&before)?;
    let code = if found.parting.is_some() { exit::NOT_ACCEPTED } else { exit::OK };
    let heads = || ["A", "B"].into_iter().zip(&sides).map(Named::head).collect::<String>();
    let text = || heads() + &found.text();
    let value = || {
        let mut value = found.to_json();
        value["experiments"] = json!(sides.each_ref().map(|named| named.side.path.to_string_lossy()));
        value["refused"] = json!(sides.each_ref().map(|named| &named.refusal));
        value
    };
    tell_asked(global, ("diff", code), args.json, text, value)?;
    Ok(code)
}

/// A side as it was named.
struct Named {
    side: Side,
    /// The referee's first refusal, where it is a run that was recorded and is not accepted.
    refusal: Option<String>,
    /// True of a recorded run where changes are asked for: it stays as it was.
    is_kept: bool,
}

/// Both sides, files with the changes that are asked for.
fn opened(args: &DiffArgs) -> Result<[Named; 2], Diagnostics> {
    let changes = args.changes.overrides()?;
    if !changes.is_empty() && args.a.is_dir() && args.b.is_dir() {
        let message =
            "changes are for files, and both are directories of runs, which stay as they were recorded";
        let help = "name the experiment that is to be changed (RUN/experiment.json)";
        return Err(Diagnostic::error(Code::Usage, message).help(help).into());
    }
    Ok([Named::open(&args.a, &changes)?, Named::open(&args.b, &changes)?])
}

impl Named {
    fn open(path: &Path, changes: &[Override]) -> Result<Self, Diagnostics> {
        if !path.is_dir() {
            return Ok(Self { side: Side::open(path, changes)?, refusal: None, is_kept: false });
        }
        let side = Side::open(path, &[])?;
        let refusal = summary_of(path)?.and_then(|summary| refusal_of(&summary));
        Ok(Self { side, refusal, is_kept: !changes.is_empty() })
    }

    /// Its lines above the findings.
    fn head((name, named): (&str, &Self)) -> String {
        let mut out = format!("{name:<10} {}\n", named.side.path.display());
        if named.is_kept {
            out += &format!("{:<10} as it was recorded, without the changes\n", "");
        }
        if let Some(why) = &named.refusal {
            out += &format!("{:<10} the referee does not accept this run: {why}\n", "");
        }
        out
    }
}
