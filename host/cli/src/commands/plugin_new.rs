//! `vinci plugin new`: a package that builds and passes `plugin check` as it is.

use std::path::{Path, PathBuf};

use serde_json::json;
use vinci_engine::registry::may_be_installed;
use vinci_run::exit;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

use super::files::{io_error, put_file};
use super::printing::{names, tell};
use crate::cli::{Global, Language, PluginRole};

/// The request of a command line.
pub(super) struct NewPlugin<'a> {
    pub(super) role: PluginRole,
    pub(super) name: &'a str,
    pub(super) lang: Language,
    pub(super) owner: &'a str,
    pub(super) sdk: Option<&'a Path>,
    pub(super) out: &'a Path,
}

/// A file of a new package: its name, and its text with places for names in it.
type Template = (&'static str, &'static str);

pub(super) fn begin(global: &Global, asked: &NewPlugin<'_>) -> Result<u8, Diagnostics> {
    refuse_names(asked)?;
    let sdk = sdk(asked)?;
    let folder = asked.out.join(asked.name);
    if folder.exists() {
        let message = format!("{} is there already", folder.display());
        return Err(Diagnostic::error(Code::Io, message).help("choose another name or --out").into());
    }
    // Half a package would be in the way of the next try.
    let written = write(asked, &folder, &sdk).inspect_err(|_| drop(std::fs::remove_dir_all(&folder)))?;
    let text = || {
        let files: String = written.iter().map(|place| format!("{}: written\n", place.display())).collect();
        format!("{files}what to do next: {}\n", folder.join("README.md").display())
    };
    let value =
        || json!({ "directory": folder.to_string_lossy(), "id": id(asked), "files": names(&written) });
    tell(global, ("plugin new", exit::OK), text, value)?;
    Ok(exit::OK)
}

/// Writes the files of the package into its folder; returns their paths.
fn write(asked: &NewPlugin<'_>, folder: &Path, sdk: &Path) -> Result<Vec<PathBuf>, Diagnostics> {
    let mut written = Vec::new();
    for (name, text) in templates(asked) {
        let place = folder.join(name.replace("@NAME@", asked.name));
        let directory = place.parent().unwrap_or(folder);
        std::fs::create_dir_all(directory).map_err(|e| io_error("cannot make", directory, &e))?;
        put_file(&place, filled(text, asked, sdk).as_bytes(), [])?;
        written.push(place);
    }
    Ok(written)
}

fn refuse_names(asked: &NewPlugin<'_>) -> Result<(), Diagnostics> {
    let is_word = |word: &str| {
        may_be_installed(word) && !word.contains('.') && word.starts_with(|c: char| c.is_ascii_lowercase())
    };
    let Some(wrong) = [asked.name, asked.owner].into_iter().find(|word| !is_word(word)) else {
        return refuse_taken(asked);
    };
    let message = format!("`{wrong}` is no name of a plugin");
    let help = "a letter, then small letters, digits and hyphens: my-solver";
    Err(Diagnostic::error(Code::Usage, message).help(help).into())
}

/// Packages of one name cannot depend on one another.
fn refuse_taken(asked: &NewPlugin<'_>) -> Result<(), Diagnostics> {
    let taken = ["vinci-sdk", "vinci-abi", "vinci-core"];
    if asked.lang != Language::Rust || !taken.contains(&asked.name) {
        return Ok(());
    }
    let message = format!("`{}` is the name of a package that every plugin in Rust is built on", asked.name);
    Err(Diagnostic::error(Code::Usage, message).help("choose another name").into())
}

fn templates(asked: &NewPlugin<'_>) -> Vec<Template> {
    let (_, source) = example(asked);
    match asked.lang {
        Language::Rust => vec![
            ("Cargo.toml", include_str!("../../templates/plugin/rust/Cargo.toml.txt")),
            (".gitignore", include_str!("../../templates/plugin/rust/gitignore.txt")),
            ("README.md", include_str!("../../templates/plugin/rust/README.md.txt")),
            ("src/lib.rs", source),
        ],
        Language::C | Language::Cpp => vec![
            ("Makefile", include_str!("../../templates/plugin/c/Makefile.txt")),
            (".gitignore", include_str!("../../templates/plugin/c/gitignore.txt")),
            ("README.md", include_str!("../../templates/plugin/c/README.md.txt")),
            (source_name(asked.lang), source),
        ],
        Language::Python => program(asked.role, source),
    }
}

/// The files of a program in Python.
fn program(role: PluginRole, source: &'static str) -> Vec<Template> {
    macro_rules! package {
        ($file:literal) => {
            include_str!(concat!("../../../python/python/vinci/", $file))
        };
    }
    vec![
        ("@NAME@.vinci.json", description(role)),
        ("README.md", include_str!("../../templates/plugin/python/README.md.txt")),
        (source_name(Language::Python), source),
        ("vinci_plugin/__init__.py", include_str!("../../../../sdk/python/vinci_plugin/__init__.py")),
        // One class serves here and in the package: so do its problems and what is looked at in its answers.
        ("vinci_plugin/_answers.py", package!("_answers.py")),
        ("vinci_plugin/problem.py", package!("problem.py")),
    ]
}

/// The description of a program in Python.
fn description(role: PluginRole) -> &'static str {
    match role {
        PluginRole::Solver => include_str!("../../../../sdk/python/examples/pgs.vinci.json"),
        PluginRole::Stepper => include_str!("../../../../sdk/python/examples/frictionless.vinci.json"),
        PluginRole::Controller => include_str!("../../../../sdk/python/examples/pid.vinci.json"),
        PluginRole::Detector => include_str!("../../../../sdk/python/examples/discs.vinci.json"),
    }
}

fn source_name(lang: Language) -> &'static str {
    match lang {
        Language::Rust => "src/lib.rs",
        Language::C => "plugin.c",
        Language::Cpp => "plugin.cpp",
        // A file with the name of the plugin would hide a module of that name.
        Language::Python => "plugin.py",
    }
}

/// The last part of the id and the text of a complete plugin of the SDK, which its tests build and check.
fn example(asked: &NewPlugin<'_>) -> (&'static str, &'static str) {
    use Language::{C, Cpp, Python, Rust};
    use PluginRole::{Controller, Detector, Solver, Stepper};
    macro_rules! sdk {
        ($file:literal) => {
            include_str!(concat!("../../../../sdk/", $file))
        };
    }
    match (asked.lang, asked.role) {
        (Rust, Detector) => ("minimal", sdk!("examples/minimal-detector/src/lib.rs")),
        (Rust, Stepper) => ("minimal", sdk!("examples/minimal-stepper/src/lib.rs")),
        (Rust, Solver) => ("minimal", sdk!("examples/minimal-solver/src/lib.rs")),
        (Rust, Controller) => ("minimal", sdk!("examples/minimal-controller/src/lib.rs")),
        (C, Detector) => ("discs-in-c", sdk!("c/examples/discs.c")),
        (C, Stepper) => ("frictionless-in-c", sdk!("c/examples/frictionless.c")),
        (C, Solver) => ("pgs-in-c", sdk!("c/examples/pgs.c")),
        (C, Controller) => ("pid-in-c", sdk!("c/examples/pid.c")),
        (Cpp, Detector) => ("discs-in-cpp", sdk!("c/examples/discs.cpp")),
        (Cpp, Stepper) => ("frictionless-in-cpp", sdk!("c/examples/frictionless.cpp")),
        (Cpp, Solver) => ("newton-in-cpp", sdk!("c/examples/newton.cpp")),
        (Cpp, Controller) => ("pid-in-cpp", sdk!("c/examples/pid.cpp")),
        (Python, Detector) => ("discs-in-python", sdk!("python/examples/discs.py")),
        (Python, Stepper) => ("frictionless-in-python", sdk!("python/examples/frictionless.py")),
        (Python, Solver) => ("pgs-in-python", sdk!("python/examples/pgs.py")),
        (Python, Controller) => ("pid-in-python", sdk!("python/examples/pid.py")),
    }
}

fn role(asked: &NewPlugin<'_>) -> &'static str {
    match asked.role {
        PluginRole::Detector => "detector",
        PluginRole::Stepper => "stepper",
        PluginRole::Solver => "solver",
        PluginRole::Controller => "controller",
    }
}

/// How an experiment and a command line name the plugin, for its README.
fn use_of(asked: &NewPlugin<'_>) -> String {
    let (role, id) = (role(asked), id(asked));
    match asked.role {
        PluginRole::Controller => format!(
            "Once installed, an experiment names it by its id, with what it governs:\n\n```json\n\"controllers\": [{{ \"plugin\": \"{id}\", \
             \"options\": {{ \"kp\": 100, \"kd\": 20 }}, \"efforts\": [\"cart.x\"], \"reference\": {{ \"cart.x\": 1 }} }}]\n```\n\n\
             `\"{id}@^0.1\"` means some versions."
        ),
        _ => format!(
            "Once installed, an experiment names it by its id: `\"{role}\": \"{id}\"`, or `\"{id}@^0.1\"` for some versions; on a command line \
             `--{role} {id}`."
        ),
    }
}

/// The name that the script of an example in Python has there.
fn script(asked: &NewPlugin<'_>) -> String {
    format!("{}.py", example(asked).0.trim_end_matches("-in-python"))
}

fn id(asked: &NewPlugin<'_>) -> String {
    format!("{}.{}.{}", asked.owner, role(asked), asked.name)
}

fn filled(text: &str, asked: &NewPlugin<'_>, sdk: &Path) -> String {
    let library = format!(
        "{}{}{}",
        std::env::consts::DLL_PREFIX,
        asked.name.replace('-', "_"),
        std::env::consts::DLL_SUFFIX
    );
    let words = [
        // The headers do not lie beside the new file.
        ("\"../vinci_helpers.h\"", "\"vinci_helpers.h\"".to_owned()),
        ("@ID@", id(asked)),
        ("@LIBRARY@", library),
        ("@SOURCE@", source_name(asked.lang).to_owned()),
        ("@NAME@", asked.name.to_owned()),
        ("@ROLE@", role(asked).to_owned()),
        ("@SDK@", sdk_text(asked.lang, sdk)),
    ];
    let text = text.replace("@USE@", &use_of(asked));
    let example = format!("example.{}.{}", role(asked), example(asked).0);
    let text = text.replace(&example, &id(asked)).replace(&script(asked), "plugin.py");
    let text = words.iter().fold(text, |text, (word, means)| text.replace(word, means));
    compiler(asked).iter().fold(text, |text, (word, means)| text.replace(word, means))
}

/// A first run that fails is no fault of the folder: the solver that it begins with leaves most problems of friction to others.
fn limits(asked: &NewPlugin<'_>) -> &'static str {
    let is_narrow = asked.role == PluginRole::Solver && matches!(asked.lang, Language::Rust | Language::Cpp);
    if !is_narrow {
        return "";
    }
    " The solver that it begins with ends with\n`NumericalFailure` on most problems with friction: add `--set 'solver.fallback=[\"lemke\"]'` to a first run."
}

/// Names in a Makefile and a README: the compiler, its flags, what else a language needs, and what the plugin cannot do.
fn compiler(asked: &NewPlugin<'_>) -> [(&'static str, &'static str); 7] {
    let eigen = asked.lang == Language::Cpp && asked.role == PluginRole::Solver;
    let is_c = asked.lang == Language::C;
    [
        ("@COMPILER_VARIABLE@", if is_c { "CC" } else { "CXX" }),
        ("@COMPILER@", if is_c { "cc" } else { "c++" }),
        ("@FLAGS_VARIABLE@", if is_c { "CFLAGS" } else { "CXXFLAGS" }),
        ("@STANDARD@", if is_c { "c11" } else { "c++17" }),
        ("@INCLUDE@", if eigen { " -isystem /usr/include/eigen3" } else { "" }),
        ("@NEEDS@", if eigen { " It needs the headers of Eigen (Debian: `libeigen3-dev`)." } else { "" }),
        ("@LIMITS@", limits(asked)),
    ]
}

/// The path as the file that names it reads it: a string of TOML, or a value of make between single quotes of a shell.
fn sdk_text(lang: Language, sdk: &Path) -> String {
    let path = sdk.to_string_lossy();
    match lang {
        Language::Rust => json!(path).to_string(),
        Language::Python => path.into_owned(),
        Language::C | Language::Cpp => path.replace('$', "$$").replace('#', "\\#").replace('\'', "'\\''"),
    }
}

/// Where the SDK lies: where it was said, or above the program or in its `share/vinci`.
fn sdk(asked: &NewPlugin<'_>) -> Result<PathBuf, Diagnostics> {
    if asked.lang == Language::Python {
        return needless_sdk(asked.sdk);
    }
    let (named, is_sdk) = (asked.sdk, |directory: &Path| is_sdk(directory, asked.lang));
    let program = std::env::current_exe().and_then(|exe| exe.canonicalize()).unwrap_or_default();
    let above = program.ancestors().flat_map(|up| [up.join("sdk"), up.join("share/vinci/sdk")]);
    let found = match named {
        Some(named) => Some(named.to_owned()).filter(|directory| is_sdk(directory)),
        None => above.into_iter().find(|directory| is_sdk(directory)),
    };
    let Some(found) = found else {
        let message = match named {
            Some(named) => {
                format!("{} is not the SDK: {}", named.display(), missing(asked.lang))
            }
            None => "no SDK lies by the program".into(),
        };
        let help = "--sdk DIR names it: the folder `sdk` of the sources of Vinci";
        return Err(Diagnostic::error(Code::Usage, message).help(help).into());
    };
    std::path::absolute(&found).map_err(|e| io_error("cannot find", &found, &e))
}

/// No SDK: all that a plugin in Python needs is written beside it.
fn needless_sdk(named: Option<&Path>) -> Result<PathBuf, Diagnostics> {
    if named.is_none() {
        return Ok(PathBuf::new());
    }
    let message = "--sdk means nothing to a plugin in Python";
    Err(Diagnostic::error(Code::Usage, message)
        .help("leave it out: all that it needs is written beside it")
        .into())
}

fn missing(lang: Language) -> &'static str {
    match lang {
        Language::Rust => "its Cargo.toml is not that of vinci-sdk",
        Language::C | Language::Cpp | Language::Python => "it has no c/vinci_plugin.h",
    }
}

fn is_sdk(directory: &Path, lang: Language) -> bool {
    match lang {
        Language::Rust => std::fs::read_to_string(directory.join("Cargo.toml"))
            .is_ok_and(|text| text.contains("name = \"vinci-sdk\"")),
        Language::C | Language::Cpp | Language::Python => directory.join("c/vinci_plugin.h").is_file(),
    }
}
