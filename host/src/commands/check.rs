//! `vinci check`: everything `run` would refuse, without running.

use super::{report, run::ready, say};
use crate::cli::{ChangeArgs, CheckArgs, Global};
use crate::diagnostics::Diagnostics;
use crate::exit;
use crate::registry::Registry;
use crate::scene::{Checked, check_file};

pub(crate) fn run(global: &Global, args: &CheckArgs) -> Result<u8, Diagnostics> {
    let registry = Registry::new(&args.search.plugin_dir);
    let mut worst = exit::OK;
    for file in &args.files {
        // With changes the file is an experiment, and may be wrong only until they are made.
        let changed = args.changes != ChangeArgs::default();
        let outcome = match if changed { None } else { Some(check_file(file)) } {
            Some(Ok(Checked::Scene(scene))) => finish(scene.warnings, args.strict),
            // With the flags, the plugins, and a look at the start.
            None | Some(Ok(Checked::Experiment(_))) => {
                experiment(file, &args.changes, &registry, args.strict)
            }
            Some(Err(found)) => Err(found),
        };
        match outcome {
            Ok(warnings) => {
                report(global, &warnings);
                if !global.quiet {
                    let count =
                        if warnings.is_empty() { String::new() } else { format!(" ({})", warnings.count()) };
                    say(&format!("{}: ok{count}\n", file.display()));
                }
            }
            Err(found) => {
                report(global, &found);
                worst = worst.max(found.exit_code());
            }
        }
    }
    Ok(worst)
}

fn experiment(
    file: &std::path::Path,
    changes: &ChangeArgs,
    registry: &Registry,
    strict: bool,
) -> Result<Diagnostics, Diagnostics> {
    Ok(ready(file, changes, registry, strict)?.warnings)
}

fn finish(warnings: Diagnostics, strict: bool) -> Result<Diagnostics, Diagnostics> {
    if strict && !warnings.is_empty() { Err(warnings.strict()) } else { Ok(warnings) }
}
