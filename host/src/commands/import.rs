//! `vinci import`: a scene from a robot model.

use super::{put_file, report, tell};
use crate::cli::{Global, ImportArgs};
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::exit;
use crate::import::{ModelOptions, read_model};
use crate::scene::{Node, Value, check_scene};
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;

pub(crate) fn run(global: &Global, args: &ImportArgs) -> Result<u8, Diagnostics> {
    let options = ModelOptions { packages: packages(&args.package)?, skip_meshes: args.skip_meshes };
    let mut found = Diagnostics::new();
    let Some(model) = read_model(&args.file, None, &options, &mut found) else { return Err(found) };
    let name = args.name.clone().unwrap_or_else(|| model.name.clone());
    let scene = model.scene(&name, args.floating);
    // What `check` would say of the scene, with the lines of the model.
    if check_scene(&scene, &mut found).is_none() {
        return Err(found);
    }
    report(global, &found);
    let said = model.report.render();
    let lines = || said.lines().collect::<Vec<_>>();
    let value = || json!({ "command": "import", "file": args.file, "lines": lines(), "out": args.out });
    tell(global, || said.clone(), value)?;
    let Some(out) = &args.out else { return Ok(exit::OK) };
    if out.exists() && !args.force {
        let message = format!("{} is there already", out.display());
        return Err(Diagnostic::error(Code::Io, message).help("choose another --out, or add --force").into());
    }
    let text = written(&scene)?;
    put_file(out, text.as_bytes())?;
    let value = || json!({ "command": "import", "file": args.file, "written": out });
    tell(global, || format!("{}: written\n", out.display()), value)?;
    Ok(exit::OK)
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

/// JSON with a line for every link, joint and coupler.
fn written(scene: &Node) -> Result<String, Diagnostics> {
    let mut out = String::new();
    lines(scene, 0, &mut out).map_err(|e| {
        Diagnostics::from(Diagnostic::error(Code::Io, format!("cannot write the scene: {e}")))
    })?;
    out.push('\n');
    Ok(out)
}

/// Objects down to trees are laid out over lines, as are lists of objects; the rest stands on one line.
fn lines(node: &Node, depth: usize, out: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let indent = "  ".repeat(depth + 1);
    match &node.value {
        Value::Object(entries) if depth == 0 || depth == 2 => {
            for (i, entry) in entries.iter().enumerate() {
                let before = if i == 0 { "{" } else { "," };
                write!(out, "{before}\n{indent}{}: ", serde_json::to_string(&entry.key)?)?;
                lines(&entry.node, depth + 1, out)?;
            }
            write!(out, "\n{}}}", "  ".repeat(depth))?;
        }
        Value::Array(list) if list.iter().any(|n| !n.entries().is_empty()) => {
            for (i, element) in list.iter().enumerate() {
                let before = if i == 0 { "[" } else { "," };
                write!(out, "{before}\n{indent}")?;
                lines(element, depth + 1, out)?;
            }
            write!(out, "\n{}]", "  ".repeat(depth))?;
        }
        _ => out.push_str(&serde_json::to_string(node)?),
    }
    Ok(())
}
