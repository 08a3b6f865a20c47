//! `vinci view --png`, `--gif` and `--mp4`: pictures of a run without a browser.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::files::{io_error, is_free, put_file};
use super::film::film;
use super::printing::tell;
use crate::cli::{Global, ViewArgs};
use vinci_draw::{Look, Motion, drawn, moving, still};
use vinci_run::exit;
use vinci_run::view::{RunFiles, State};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// Most pictures of a GIF.
const MOST: f64 = 2000.0;
/// Most pictures of a film.
const MOST_OF_FILM: f64 = 100_000.0;

/// Draws what is asked for; nothing where a page is.
pub(super) fn run(global: &Global, args: &ViewArgs) -> Result<u8, Diagnostics> {
    let [directory] = args.runs.as_slice() else {
        return Err(usage(
            "pictures show one run",
            "name one directory, or leave out --png, --gif and --mp4 for a page",
        ));
    };
    let mut files: Vec<&PathBuf> = [&args.png, &args.gif, &args.mp4].into_iter().flatten().collect();
    files.sort();
    if files.windows(2).any(|two| two[0] == two[1]) {
        return Err(usage("two of --png, --gif and --mp4 name one file", "name several"));
    }
    named_as_written(args)?;
    let motion = opened(directory, args)?;
    let mut written = Vec::new();
    let look = Look { size: args.size, from: args.from.map(f64::to_radians), forces: !args.no_forces };
    if let Some(file) = &args.png {
        let state = motion.at(args.at.unwrap_or(motion.span()[1]))?;
        let bytes = still(&motion, state, &look).and_then(|picture| picture.png());
        put_file(file, &bytes.map_err(|e| failed(file, e))?, [])?;
        written.push((file, 1));
    }
    if let Some(file) = &args.gif {
        checked(args)?;
        // A GIF counts in hundredths of a second.
        let shown = (100.0 / args.fps).round() / 100.0;
        let states = sampled(&motion, shown * args.speed, ("GIF", MOST))?;
        let mut bytes = Vec::new();
        moving(&motion, &states, &look, shown, &mut bytes).map_err(|e| io_error("cannot draw", file, &e))?;
        put_file(file, &bytes, [])?;
        written.push((file, states.len()));
    }
    if let Some(file) = &args.mp4 {
        checked(args)?;
        let states = sampled(&motion, args.speed / args.fps, ("film", MOST_OF_FILM))?;
        written.push((file, film(drawn(&motion, &states, &look), args.fps, file)?));
    }
    told(global, &written)?;
    Ok(exit::OK)
}

/// The motion in a directory, with what pictures of it show.
fn opened(directory: &Path, args: &ViewArgs) -> Result<Motion, Diagnostics> {
    let mut motion = Motion::of(RunFiles::open(directory)?)?;
    if !args.show.is_empty() {
        // A still picture shows where they are then, a moving one their way.
        let is_moving = args.gif.is_some() || args.mp4.is_some();
        let [first, last] = motion.span();
        let at = motion.at(args.at.unwrap_or(last))?.t;
        motion.look_at(&args.show, if is_moving { [first, last] } else { [at; 2] })?;
    }
    Ok(motion)
}

/// Refuses a file whose name says that something else is in it, and one that is there already. A name without ending says nothing.
fn named_as_written(args: &ViewArgs) -> Result<(), Diagnostics> {
    for (flag, file) in [("png", &args.png), ("gif", &args.gif), ("mp4", &args.mp4)] {
        if let Some(file) = file {
            is_free((file, &format!("--{flag}")), args.force)?;
        }
        let ending = file.as_ref().and_then(|file| file.extension());
        if let Some(other) = ending.filter(|ending| !ending.eq_ignore_ascii_case(flag)) {
            let other = other.to_string_lossy();
            let message =
                format!("`--{flag}` writes {}, and the name ends in `.{other}`", flag.to_uppercase());
            return Err(usage(
                &message,
                &format!("let the name end in `.{flag}`; other formats are not written"),
            ));
        }
    }
    Ok(())
}

/// The states of moving pictures that are `step` apart, s.
fn sampled<'m>(
    motion: &'m Motion,
    step: f64,
    (what, most): (&str, f64),
) -> Result<Vec<&'m State>, Diagnostics> {
    let [first, last] = motion.span();
    let count = ((last - first) / step).ceil() + 1.0;
    if count > most {
        let message = format!("this {what} would have {count} pictures, and {most} are the most");
        return Err(usage(&message, "raise --speed or lower --fps"));
    }
    let times = (0..count as usize).map(|k| (first + step * k as f64).min(last));
    times.map(|t| motion.at(t)).collect()
}

/// Refuses rates that nothing shows: viewers slow down a GIF whose pictures are shown for less than two hundredths of a second.
fn checked(args: &ViewArgs) -> Result<(), Diagnostics> {
    let most = if args.gif.is_some() { 50.0 } else { 240.0 };
    if args.fps > 0.0 && args.fps <= most && args.speed > 0.0 && args.speed.is_finite() {
        return Ok(());
    }
    let message = format!("`--fps` goes up to {most} and `--speed` is above 0");
    Err(usage(&message, "for example --fps 25 --speed 0.5"))
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
