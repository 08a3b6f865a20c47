//! `vinci import`: a scene from a robot model.

use super::files::put_file;
use super::printing::{report, tell, tell_people};
use crate::cli::{Global, ImportArgs};
use serde_json::json;
use std::path::{Path, PathBuf};
use vinci_run::exit;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::import::{ModelOptions, laid_out, read_model};
use vinci_scene::{Node, check_scene};

pub(crate) fn run(global: &Global, args: &ImportArgs) -> Result<u8, Diagnostics> {
    let options = ModelOptions {
        packages: packages(&args.package)?,
        skip_meshes: args.skip_meshes,
        keyframe: args.keyframe.clone(),
    };
    let mut diagnostics = Diagnostics::new();
    let Some(model) = read_model(&args.file, None, &options, &mut diagnostics) else {
        return Err(diagnostics);
    };
    let name = args.name.clone().unwrap_or_else(|| model.name.clone());
    let scene = model.scene(&name, args.floating);
    // What `check` would say of the scene, with the lines of the model.
    if check_scene(&scene, &mut diagnostics).is_none() {
        return Err(diagnostics);
    }
    report(global, &diagnostics);
    let said = model.report.render();
    tell_people(global, || said.clone())?;
    if let Some(out) = &args.out {
        write(out, args, &scene)?;
    }
    let written = || args.out.iter().map(|out| format!("{}: written\n", out.display())).collect();
    let lines = || said.lines().collect::<Vec<_>>();
    let value = || json!({ "file": args.file.to_string_lossy(), "lines": lines(), "out": args.out.as_deref().map(std::path::Path::to_string_lossy) });
    tell(global, ("import", exit::OK), written, value)?;
    Ok(exit::OK)
}

fn write(out: &Path, args: &ImportArgs, scene: &Node) -> Result<(), Diagnostics> {
    if out.exists() && !args.force {
        let message = format!("{} is there already", out.display());
        return Err(Diagnostic::error(Code::Io, message).help("choose another --out, or add --force").into());
    }
    let unwritten = |e| Diagnostic::error(Code::Io, format!("cannot write the scene: {e}"));
    put_file(out, laid_out(scene).map_err(unwritten)?.as_bytes(), [args.file.as_path()])
}

fn packages(given: &[String]) -> Result<Vec<(String, PathBuf)>, Diagnostics> {
    let split = |text: &String| match text.split_once('=') {
        Some((name, directory)) if !name.is_empty() => Ok((name.to_owned(), PathBuf::from(directory))),
        _ => {
            let message = format!("`--package {text}` names no directory");
            let help = "write --package NAME=DIR, DIR being what package://NAME stands for";
            Err(Diagnostics::from(Diagnostic::error(Code::BadSet, message).help(help)))
        }
    };
    given.iter().map(split).collect()
}
