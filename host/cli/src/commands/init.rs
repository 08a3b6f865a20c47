//! `vinci init`: a small scene and experiment to begin with.

use serde_json::json;

use super::files::{io_error, put_file};
use super::printing::{names, tell};
use crate::cli::{Global, InitArgs, Kind};
use vinci_run::exit;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// Files of a kind, the experiment last.
fn files(kind: Kind) -> &'static [(&'static str, &'static str)] {
    match kind {
        Kind::Planar => &[
            ("planar.scene.json", include_str!("../../templates/planar.scene.json")),
            ("planar.json", include_str!("../../templates/planar.json")),
        ],
        Kind::Spatial => &[
            ("spatial.scene.json", include_str!("../../templates/spatial.scene.json")),
            ("spatial.json", include_str!("../../templates/spatial.json")),
        ],
        Kind::Robot => &[
            ("robot.urdf", include_str!("../../templates/robot.urdf")),
            ("robot.scene.json", include_str!("../../templates/robot.scene.json")),
            ("robot.json", include_str!("../../templates/robot.json")),
        ],
    }
}

pub(crate) fn run(global: &Global, args: &InitArgs) -> Result<u8, Diagnostics> {
    let files = files(args.kind);
    let place = |name: &str| args.out.join(name);
    if let Some((name, _)) = files.iter().find(|(name, _)| !args.force && place(name).exists()) {
        let message = format!("{} is there already", place(name).display());
        let help = "choose another --out, or add --force to replace it";
        return Err(Diagnostic::error(Code::Io, message).help(help).into());
    }
    std::fs::create_dir_all(&args.out).map_err(|e| io_error("cannot write to", &args.out, &e))?;
    files.iter().try_for_each(|(name, text)| put_file(&place(name), text.as_bytes(), []))?;
    let paths: Vec<_> = files.iter().map(|(name, _)| place(name)).collect();
    let text = || {
        let written: String = paths.iter().map(|path| format!("{}: written\n", path.display())).collect();
        let last = paths.last().map_or_else(String::new, |path| path.display().to_string());
        format!("{written}run it: vinci run {last}\n")
    };
    tell(global, ("init", exit::OK), text, || json!({ "files": names(&paths) }))?;
    Ok(exit::OK)
}
