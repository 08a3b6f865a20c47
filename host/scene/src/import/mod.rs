//! Robot models of other formats, as trees of a scene.
//!
//! [`read_model`] makes links, joints and couplers from a file; every value remembers the line of the file it came from, so
//! that all later checks of the scene speak of that line. [`expand_models`] does so for the trees of a scene that name a
//! `model`. What was read, and what was left out and why, is in the [`Report`].
//!
//! The readers are ours because the crates for these formats know no places and pass over what they do not know: see "Own diagnostics
//! and an own reader of robot models" in `docs/src/decisions.md`. `urdf-rs` judges the reader of URDF in the tests, MuJoCo's own
//! compiler that of MJCF, Drake's parser that of SDF.

mod build;
mod document;
mod dropped;
mod expand;
mod extras;
mod files;
mod meshes;
mod mjcf;
mod model;
mod names;
mod packages;
mod report;
mod robot;
mod sdf;

mod tag;
mod text;
mod urdf;
mod xml;

#[cfg(test)]
mod tests;

pub(crate) use expand::expand_models;
pub use extras::{BodyName, Extras, Loop, LoopEnd, Servo, Servos, Standing};
pub use model::{Mimic, Model, ModelOptions};
pub(crate) use names::fit;
pub use report::{Dropped, MeshRead, Report};
pub use text::laid_out;

use crate::diagnostics::{Code, Diagnostic, Diagnostics, TextSpan};
use std::path::Path;

/// Reads a model; `named_at` is where it was named (nowhere: the command line). `None` if an error was diagnostics.
pub fn read_model(
    path: &Path,
    named_at: Option<&TextSpan>,
    options: &ModelOptions,
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    if path.extension().is_some_and(|e| e == "xacro") {
        let message = format!("`{}` is a xacro file", path.display());
        let help = "expand it first: `xacro robot.urdf.xacro > robot.urdf`";
        let place = named_at.cloned();
        diagnostics.push(Diagnostic::error(Code::WrongFormat, message).at(place).help(help));
        return None;
    }
    let source = match files::read_text(path) {
        Ok(source) => source,
        Err(diagnostic) => {
            let place = diagnostic.place.clone().or_else(|| named_at.cloned());
            diagnostics.push(diagnostic.at(place));
            return None;
        }
    };
    let before = diagnostics.errors();
    let root = root_of(source.text());
    let is_mjcf = matches!(root, Some("mujoco" | "mujocoinclude"));
    if let Some(keyframe) = options.keyframe.as_ref().filter(|_| !is_mjcf) {
        let message = format!("`{}` is no MJCF model and has no keyframe `{keyframe}`", path.display());
        diagnostics
            .push(Diagnostic::error(Code::Contradiction, message).at(named_at.cloned()).help("leave it out"));
        return None;
    }
    let model = match root {
        _ if is_mjcf => mjcf::read(path, &source, options, diagnostics),
        Some("sdf") => sdf::read(path, &source, options, diagnostics),
        _ => urdf::read(path, &source, options, diagnostics),
    };
    model.filter(|_| diagnostics.errors() == before)
}

/// Name of the first element of a text, if it looks like XML.
fn root_of(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = &rest[rest.find('<')? + 1..];
        let skipped = [("!--", "-->"), ("?", "?>"), ("!", ">")];
        match skipped.iter().find(|(begin, _)| rest.starts_with(begin)) {
            Some((_, end)) => rest = &rest[rest.find(end)? + end.len()..],
            None => break,
        }
    }
    let end = rest.find(|c: char| c.is_whitespace() || c == '>' || c == '/').unwrap_or(rest.len());
    Some(&rest[..end])
}
