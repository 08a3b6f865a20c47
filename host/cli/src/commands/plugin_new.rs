//! `vinci plugin new`: a package that builds and passes `plugin check` as it is.

use std::path::{Path, PathBuf};

use serde_json::json;
use vinci_engine::registry::may_be_installed;
use vinci_run::exit;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

use super::files::{io_error, put_file};
use super::printing::{names, tell};
use crate::cli::{Global, Language, PluginRole};

/// What a command line asks for.
pub(super) struct Asked<'a> {
    pub(super) role: PluginRole,
    pub(super) name: &'a str,
    pub(super) lang: Language,
    pub(super) owner: &'a str,
    pub(super) sdk: Option<&'a Path>,
    pub(super) out: &'a Path,
}

/// A file of a new package: its name, and its text with places for names in it.
type Template = (&'static str, &'static str);

pub(super) fn begin(global: &Global, asked: &Asked<'_>) -> Result<u8, Diagnostics> {
    refuse_names(asked)?;
    let templates = templates(asked)?;
    let sdk = sdk(asked.sdk)?;
    let folder = asked.out.join(asked.name);
    if folder.exists() {
        let message = format!("{} is there already", folder.display());
        return Err(Diagnostic::error(Code::Io, message).help("choose another name or --out").into());
    }
    let mut written = Vec::new();
    for (name, text) in templates {
        let place = folder.join(name);
        let directory = place.parent().unwrap_or(&folder);
        std::fs::create_dir_all(directory).map_err(|e| io_error("cannot make", directory, &e))?;
        put_file(&place, filled(text, asked, &sdk).as_bytes(), [])?;
        written.push(place);
    }
    let text = || {
        let files: String = written.iter().map(|place| format!("{}: written\n", place.display())).collect();
        format!("{files}what to do next: {}\n", folder.join("README.md").display())
    };
    let value =
        || json!({ "directory": folder.to_string_lossy(), "id": id(asked), "files": names(&written) });
    tell(global, ("plugin new", exit::OK), text, value)?;
    Ok(exit::OK)
}

fn refuse_names(asked: &Asked<'_>) -> Result<(), Diagnostics> {
    let is_word = |word: &str| {
        may_be_installed(word) && !word.contains('.') && word.starts_with(|c: char| c.is_ascii_lowercase())
    };
    let Some(wrong) = [asked.name, asked.owner].into_iter().find(|word| !is_word(word)) else {
        return Ok(());
    };
    let message = format!("`{wrong}` is no name of a plugin");
    let help = "a letter, then small letters, digits and hyphens: my-solver";
    Err(Diagnostic::error(Code::Usage, message).help(help).into())
}

fn templates(asked: &Asked<'_>) -> Result<Vec<Template>, Diagnostics> {
    match asked.lang {
        Language::Rust => Ok(vec![
            ("Cargo.toml", include_str!("../../templates/plugin/rust/Cargo.toml.txt")),
            (".gitignore", include_str!("../../templates/plugin/rust/gitignore.txt")),
            ("README.md", include_str!("../../templates/plugin/rust/README.md.txt")),
            ("src/lib.rs", example(asked.role)),
        ]),
        Language::C | Language::Cpp => {
            let message = "there is no template for this language yet; there is one for: rust";
            Err(Diagnostic::error(Code::Usage, message).into())
        }
    }
}

/// The complete plugins of the SDK, which its tests build and check.
fn example(role: PluginRole) -> &'static str {
    match role {
        PluginRole::Detector => include_str!("../../../../sdk/examples/minimal-detector/src/lib.rs"),
        PluginRole::Stepper => include_str!("../../../../sdk/examples/minimal-stepper/src/lib.rs"),
        PluginRole::Solver => include_str!("../../../../sdk/examples/minimal-solver/src/lib.rs"),
    }
}

fn role(asked: &Asked<'_>) -> &'static str {
    match asked.role {
        PluginRole::Detector => "detector",
        PluginRole::Stepper => "stepper",
        PluginRole::Solver => "solver",
    }
}

fn id(asked: &Asked<'_>) -> String {
    format!("{}.{}.{}", asked.owner, role(asked), asked.name)
}

fn filled(text: &str, asked: &Asked<'_>, sdk: &Path) -> String {
    let library = format!(
        "{}{}{}",
        std::env::consts::DLL_PREFIX,
        asked.name.replace('-', "_"),
        std::env::consts::DLL_SUFFIX
    );
    text.replace(&format!("example.{}.minimal", role(asked)), &id(asked))
        .replace("@ID@", &id(asked))
        .replace("@NAME@", asked.name)
        .replace("@ROLE@", role(asked))
        .replace("@LIBRARY@", &library)
        .replace("@SDK@", &json!(sdk.to_string_lossy()).to_string())
}

/// Where the SDK lies: where it was said, or above the program or in its `share/vinci`.
fn sdk(named: Option<&Path>) -> Result<PathBuf, Diagnostics> {
    let program = std::env::current_exe().and_then(|exe| exe.canonicalize()).unwrap_or_default();
    let above = program.ancestors().flat_map(|up| [up.join("sdk"), up.join("share/vinci/sdk")]);
    let found = match named {
        Some(named) => Some(named.to_owned()).filter(|directory| is_sdk(directory)),
        None => above.into_iter().find(|directory| is_sdk(directory)),
    };
    let Some(found) = found else {
        let message = match named {
            Some(named) => {
                format!("{} is not the SDK: its Cargo.toml is not that of vinci-sdk", named.display())
            }
            None => "no SDK lies by the program".into(),
        };
        let help = "--sdk DIR names it: the folder `sdk` of the sources of Vinci";
        return Err(Diagnostic::error(Code::Usage, message).help(help).into());
    };
    std::path::absolute(&found).map_err(|e| io_error("cannot find", &found, &e))
}

fn is_sdk(directory: &Path) -> bool {
    std::fs::read_to_string(directory.join("Cargo.toml"))
        .is_ok_and(|text| text.contains("name = \"vinci-sdk\""))
}
