//! Findings for bad input, compared with the golden files beside this one.
//!
//! A case is `### title`, then files (`>>> name` and their text), then a command (`$ scene s.json`, `$ check f.json`,
//! `$ sweep f.json` or `$ run e.json --set … `), then the expected findings. With `VINCI_BLESS=1` in the environment the expected findings are
//! rewritten; read the difference before you keep it.

use super::*;
use crate::cli::{Cli, Command};
use clap::Parser;
use vinci_scene::{Checked, check_file, load_scene};

struct Case<'a> {
    title: &'a str,
    files: Vec<(&'a str, String)>,
    command: &'a str,
    expected: String,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    text.split("### ").skip(1).map(case).collect()
}

fn case(block: &str) -> Case<'_> {
    let (title, rest) = block.split_once('\n').unwrap();
    let mut case = Case { title, files: vec![], command: "", expected: String::new() };
    for line in rest.lines() {
        if let Some(name) = line.strip_prefix(">>> ") {
            case.files.push((name, String::new()));
        } else if let Some(command) = line.strip_prefix("$ ") {
            case.command = command;
        } else if case.command.is_empty() {
            let text = &mut case.files.last_mut().unwrap().1;
            *text += &(if text.is_empty() { line.to_owned() } else { format!("\n{line}") });
        } else if !line.is_empty() {
            case.expected += &format!("{line}\n");
        }
    }
    case
}

fn findings(case: &Case<'_>) -> String {
    let files = Files::new(case.files.iter().map(|(name, text)| (*name, text.as_str())));
    let words: Vec<&str> = case.command.split(' ').collect();
    let path = files.path(words[1]);
    let result = match words[0] {
        "scene" => load_scene(&path).map(|s| s.warnings),
        "check" => check_file(&path).map(|checked| match checked {
            Checked::Scene(scene) => scene.warnings,
            Checked::Experiment(experiment) => experiment.warnings,
        }),
        // Faults that are found before any plugin is asked.
        "sweep" => {
            let nothing = vinci_engine::registry::Registry::default();
            vinci_sweep::load_sweep(&path, vinci_sweep::Ask::default(), &nothing)
                .map(|(_, warnings)| warnings)
        }
        _ => {
            let line = ["vinci", "run", path.to_str().unwrap()].into_iter().chain(words[2..].iter().copied());
            let Command::Run(run) = Cli::try_parse_from(line).unwrap().command else { panic!("not run") };
            run.changes.overrides().and_then(|o| load_experiment(&path, &o)).map(|e| e.warnings)
        }
    };
    let (code, diagnostics) = match result {
        Ok(warnings) => (0, warnings),
        Err(diagnostics) => (diagnostics.exit_code(), diagnostics),
    };
    format!("{}exit code {code}\n", files.lines(&diagnostics))
}

fn compare(name: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/tests").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    let mut written = text.split("### ").next().unwrap().to_owned();
    let mut wrong = Vec::new();
    for case in cases(&text) {
        let actual = findings(&case);
        if actual != case.expected {
            wrong.push(format!("{}\nexpected:\n{}found:\n{actual}", case.title, case.expected));
        }
        written += &format!("### {}\n", case.title);
        case.files.iter().for_each(|(name, text)| written += &format!(">>> {name}\n{text}\n"));
        written += &format!("$ {}\n{actual}\n", case.command);
    }
    if std::env::var_os("VINCI_BLESS").is_some() {
        std::fs::write(&path, written).unwrap();
    } else {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn wrong_json() {
    compare("json.golden");
}

#[test]
fn wrong_keys_and_types_of_scenes() {
    compare("scenes.golden");
}

#[test]
fn wrong_physics() {
    compare("physics.golden");
}

#[test]
fn wrong_experiments() {
    compare("experiments.golden");
}

#[test]
fn wrong_trees() {
    compare("trees.golden");
}

#[test]
fn wrong_models() {
    compare("models.golden");
}

#[test]
fn wrong_sweeps() {
    compare("sweeps.golden");
}
