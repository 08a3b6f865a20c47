//! `vinci export`: a scene or a motion in another program's format.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::json;

#[cfg(feature = "mcap")]
use super::files::put_plain_file;
use super::files::{put_file, stem};
use super::inputs;
use super::printing::{tell, tell_people};
use crate::cli::{ExportArgs, Format, Global};
use vinci_draw::{Motion, glb};
use vinci_run::exit;
use vinci_run::view::RunFiles;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::export::{Exported, Subject, mjcf, sdf};
use vinci_scene::{Checked, check_file, compile};

/// Step of a scene that no experiment names one for, s: that of the format.
const STEP: f64 = 0.002;

/// Coordinates beyond this are no singles, or have no room for the size of a scene.
const FARTHEST: f64 = 1e30;

pub(crate) fn run(global: &Global, args: &ExportArgs) -> Result<u8, Diagnostics> {
    if args.step.is_some_and(|h| !(h > 0.0 && h.is_finite())) {
        return Err(Diagnostic::error(Code::Usage, "`--step` is no time above 0").into());
    }
    match args.to {
        Format::Glb => return motion(global, args),
        Format::Mcap => return log(global, args),
        Format::Rrd => {
            let why = "RRD is not built in: the library that writes it brings 400 packages";
            let help = "`--to mcap` writes a log, of which a script with Rerun's own package makes a recording: it stands in the book, in \
                        how-to/pictures.md";
            return Err(Diagnostic::error(Code::Usage, why).help(help).into());
        }
        Format::Mjcf | Format::Sdf => {}
    }
    let (exported, read) = exported(args)?;
    if let Some(out) = &args.out {
        write_all(out, args, &exported, &read)?;
    }
    let list: String = exported.unsaid.iter().map(|what| format!("  not said  {what}\n")).collect();
    tell_people(global, || list)?;
    let beside = |out: &PathBuf| match exported.files.len() {
        0 => format!("{}: written\n", out.display()),
        count => format!("{}: written, with {count} meshes beside it\n", out.display()),
    };
    let written = || args.out.iter().map(beside).collect();
    let value = || {
        let out = args.out.as_deref().map(Path::to_string_lossy);
        let files: Vec<&str> = exported.files.iter().map(|(name, _)| name.as_str()).collect();
        json!({ "file": args.file.to_string_lossy(), "out": out, "files": files, "unsaid": exported.unsaid })
    };
    tell(global, ("export", exit::OK), written, value)?;
    Ok(exit::OK)
}

/// Writes the model, and the files that it names beside it.
fn write_all(
    out: &Path,
    args: &ExportArgs,
    exported: &Exported,
    read: &BTreeSet<PathBuf>,
) -> Result<(), Diagnostics> {
    let model = (out.to_owned(), &exported.text);
    let beside = exported.files.iter().map(|(name, content)| (out.with_file_name(name), content));
    let all: Vec<_> = std::iter::once(model).chain(beside).collect();
    // Nothing is written where one of them is there already.
    all.iter().try_for_each(|(path, _)| is_free(path, args))?;
    all.iter().try_for_each(|(path, content)| write((path, args), content.as_bytes(), read))
}

/// A scene in the other format, and the files that it was read from.
fn exported(args: &ExportArgs) -> Result<(Exported, BTreeSet<PathBuf>), Diagnostics> {
    let (scene, node, step, mut read) = match check_file(&args.file)? {
        Checked::Scene(loaded) => (loaded.scene, loaded.node, STEP, BTreeSet::new()),
        Checked::Experiment(loaded) => {
            let step = loaded.experiment.time.step;
            (loaded.scene, loaded.scene_node, step, inputs::written([&loaded.experiment_node]))
        }
    };
    read.extend(inputs::written([&node]));
    let (system, drives) = compile(&scene, &node)?;
    let name = scene.name.clone().unwrap_or_else(|| stem(&args.file));
    let step = args.step.unwrap_or(step);
    let controllers = scene.controllers.len();
    let subject = Subject { name: &name, system: &system, drives: &drives, controllers, step };
    Ok((if args.to == Format::Sdf { sdf(subject) } else { mjcf(subject) }, read))
}

/// The motion of a run, where a format can hold it.
fn recorded(args: &ExportArgs) -> Result<Motion, Diagnostics> {
    if args.step.is_some() {
        let error = Diagnostic::error(Code::Usage, "`--step` is for MJCF: a motion has the steps of its run");
        return Err(error.into());
    }
    let motion = Motion::of(RunFiles::open(&args.file)?)?;
    let far = |x: &f64| x.abs() > FARTHEST;
    if motion.states().iter().any(|state| state.q.iter().any(far)) {
        let message = "a position is beyond what the format holds (1e30)";
        return Err(Diagnostic::error(Code::Io, message).into());
    }
    Ok(motion)
}

/// The motion of a run as glTF.
fn motion(global: &Global, args: &ExportArgs) -> Result<u8, Diagnostics> {
    let motion = recorded(args)?;
    let out = args.out.clone().unwrap_or_else(|| args.file.join("motion.glb"));
    let bytes = glb(&motion, &stem(&args.file));
    write((&out, args), &bytes, &BTreeSet::new())?;
    told(global, args, (&out, motion.states().len(), bytes.len() as u64))
}

/// The motion of a run as a log.
#[cfg(feature = "mcap")]
fn log(global: &Global, args: &ExportArgs) -> Result<u8, Diagnostics> {
    let motion = recorded(args)?;
    let out = args.out.clone().unwrap_or_else(|| args.file.join("motion.mcap"));
    is_free(&out, args)?;
    let bytes = put_plain_file(&out, |file| {
        let mut to = std::io::BufWriter::new(file);
        vinci_draw::mcap(&motion, &mut to)?;
        let file = to.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        Ok(file.metadata()?.len())
    })?;
    told(global, args, (&out, motion.states().len(), bytes))
}

/// The motion of a run as a log.
#[cfg(not(feature = "mcap"))]
fn log(_: &Global, _: &ExportArgs) -> Result<u8, Diagnostics> {
    let help = "build it in (`cargo build --release -p vinci --features mcap`); `--to glb` writes the motion for any viewer of glTF";
    Err(Diagnostic::error(Code::Usage, "MCAP is not built in: it is a feature of the build")
        .help(help)
        .into())
}

/// Says what was written.
fn told(
    global: &Global,
    args: &ExportArgs,
    (out, states, bytes): (&Path, usize, u64),
) -> Result<u8, Diagnostics> {
    let told = || format!("{}: written ({states} states, {:.1} MB)\n", out.display(), bytes as f64 / 1e6);
    let value =
        || json!({ "file": args.file.to_string_lossy(), "out": out.to_string_lossy(), "states": states });
    tell(global, ("export", exit::OK), told, value)?;
    Ok(exit::OK)
}

/// Writes the file that is asked for, over none of those that were read.
fn write(
    (out, args): (&Path, &ExportArgs),
    bytes: &[u8],
    read: &BTreeSet<PathBuf>,
) -> Result<(), Diagnostics> {
    is_free(out, args)?;
    put_file(out, bytes, read.iter().map(PathBuf::as_path).chain([args.file.as_path()]))
}

/// Checks that a file may be written.
fn is_free(out: &Path, args: &ExportArgs) -> Result<(), Diagnostics> {
    if out.exists() && !args.force {
        let message = format!("{} is there already", out.display());
        return Err(Diagnostic::error(Code::Io, message).help("choose another --out, or add --force").into());
    }
    Ok(())
}
