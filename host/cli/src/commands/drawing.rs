//! `vinci view --png` and `--gif`: pictures of a run without a browser.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::files::{io_error, put_file};
use super::printing::tell;
use crate::cli::{Global, ViewArgs};
use vinci_draw::{Look, Motion, moving, still};
use vinci_run::exit;
use vinci_run::view::{RunFiles, State};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// Most pictures of a GIF.
const MOST: f64 = 2000.0;

/// Draws what is asked for; nothing where a page is.
pub(super) fn run(global: &Global, args: &ViewArgs) -> Result<u8, Diagnostics> {
    let [directory] = args.runs.as_slice() else {
        return Err(usage(
            "pictures show one run",
            "name one directory, or leave out --png and --gif for a page",
        ));
    };
    if args.png.is_some() && args.png == args.gif {
        return Err(usage("--png and --gif name one file", "name two"));
    }
    let motion = Motion::of(RunFiles::open(directory)?)?;
    let mut written = Vec::new();
    let look = Look { size: args.size, from: args.from.map(f64::to_radians), forces: !args.no_forces };
    if let Some(file) = &args.png {
        let state = motion.at(args.at.unwrap_or(motion.span()[1]))?;
        let bytes = still(&motion, state, &look).and_then(|picture| picture.png());
        put_file(file, &bytes.map_err(|e| failed(file, e))?, [])?;
        written.push((file, 1));
    }
    if let Some(file) = &args.gif {
        let (states, shown) = sampled(&motion, args)?;
        let mut bytes = Vec::new();
        moving(&motion, &states, &look, shown, &mut bytes).map_err(|e| io_error("cannot draw", file, &e))?;
        put_file(file, &bytes, [])?;
        written.push((file, states.len()));
    }
    told(global, &written)?;
    Ok(exit::OK)
}

/// The states of the pictures of a GIF, and how long each is shown, s.
fn sampled<'m>(motion: &'m Motion, args: &ViewArgs) -> Result<(Vec<&'m State>, f64), Diagnostics> {
    // A GIF counts in hundredths of a second, and viewers slow down what is shorter than two of them.
    if !(args.fps > 0.0 && args.fps <= 50.0 && args.speed > 0.0 && args.speed.is_finite()) {
        return Err(usage(
            "`--fps` goes up to 50 and `--speed` is above 0",
            "for example --fps 25 --speed 0.5",
        ));
    }
    let shown = (100.0 / args.fps).round() / 100.0;
    let ([first, last], step) = (motion.span(), shown * args.speed);
    let count = ((last - first) / step).ceil() + 1.0;
    if count > MOST {
        let message = format!("this GIF would have {count} pictures, and {MOST} are the most");
        return Err(usage(&message, "raise --speed or lower --fps"));
    }
    let times = (0..count as usize).map(|k| (first + step * k as f64).min(last));
    Ok((times.map(|t| motion.at(t)).collect::<Result<_, _>>()?, shown))
}

fn failed(file: &Path, why: String) -> Diagnostics {
    io_error("cannot draw", file, &std::io::Error::other(why))
}

fn usage(message: &str, help: &str) -> Diagnostics {
    Diagnostic::error(Code::Usage, message).help(help).into()
}

/// Says which files were written, with their numbers of pictures.
fn told(global: &Global, written: &[(&PathBuf, usize)]) -> Result<(), Diagnostics> {
    let line = |(file, pictures): &(&PathBuf, usize)| {
        let end = if *pictures == 1 { "" } else { "s" };
        format!("{}: written ({pictures} picture{end})\n", file.display())
    };
    let one = |(file, pictures): &(&PathBuf, usize)| json!({ "file": file.to_string_lossy(), "pictures": pictures });
    let value = || json!({ "files": written.iter().map(one).collect::<Vec<_>>() });
    tell(global, ("view", exit::OK), || written.iter().map(line).collect(), value)
}
