//! `vinci diff`: where two runs of one scene part, and why.

use serde_json::json;

use super::printing::tell_asked;
use super::run::unchanged;
use super::search::registry;
use crate::cli::{DiffArgs, Global};
use vinci_compare::diff::{Side, diff};
use vinci_run::{Surroundings, exit};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

pub(crate) fn run(global: &Global, args: &DiffArgs) -> Result<u8, Diagnostics> {
    if !(args.tolerance > 0.0 && args.tolerance.is_finite()) {
        let message = format!("`--tolerance {}` is no gap", args.tolerance);
        return Err(Diagnostic::error(Code::Usage, message).help("give a number above 0").into());
    }
    let registry = registry(global, &args.search).allowing(&args.changes.libraries()).remembering();
    let before = Surroundings::now();
    let changes = args.changes.overrides()?;
    let sides = [Side::open(&args.a, &changes)?, Side::open(&args.b, &changes)?];
    let found = diff(&sides[0], &sides[1], &registry, args.tolerance)?;
    unchanged(&before)?;
    let code = if found.parting.is_some() { exit::NOT_ACCEPTED } else { exit::OK };
    let heads = || {
        let line = |(name, side): (&str, &Side)| format!("{name:<10} {}\n", side.path.display());
        ["A", "B"].into_iter().zip(&sides).map(line).collect::<String>()
    };
    let text = || heads() + &found.text();
    let value = || {
        let mut value = found.to_json();
        value["experiments"] = json!(sides.each_ref().map(|side| side.path.to_string_lossy()));
        value
    };
    tell_asked(global, ("diff", code), args.json, text, value)?;
    Ok(code)
}
