//! `vinci advise`: which models suit a scene.

use serde_json::{Value, json};

use super::printing::tell_asked;
use super::run::unchanged;
use super::search::registry;
use crate::cli::{AdviseArgs, Global};
use vinci_compare::advice::{Advice, Choice, advise, first_choice, own_model, text};
use vinci_run::{Surroundings, exit};
use vinci_scene::diagnostics::Diagnostics;
use vinci_scene::experiment::EXPERIMENT_FORMAT;
use vinci_scene::types::{SCENE_FORMAT, SpaceName};
use vinci_scene::{Documents, load_scene};

pub(crate) fn run(global: &Global, args: &AdviseArgs) -> Result<u8, Diagnostics> {
    let registry = registry(global, &args.search).remembering();
    let before = Surroundings::now();
    let documents = documents(args)?;
    let all = advise(|changes| documents.with(changes), &registry, args.steps)?;
    // A scene alone names no model.
    let own = (!is_scene(args)).then(|| own_model(documents.with(&[]), &registry)).flatten();
    let first = first_choice(&all, own);
    unchanged(&before)?;
    let value = || {
        let models: Vec<Value> = all.iter().map(Advice::to_json).collect();
        let first = first.as_ref().map(Choice::to_json);
        json!({ "file": args.file.to_string_lossy(), "first_choice": first, "models": models })
    };
    tell_asked(global, ("advise", exit::OK), args.json, || text(&all, first.as_ref()), value)?;
    Ok(exit::OK)
}

fn is_scene(args: &AdviseArgs) -> bool {
    vinci_scene::files::format_of(&args.file).as_deref() == Some(SCENE_FORMAT)
}

/// The experiment, or one of a scene: 10 ms, 1 s, the detector of its space.
fn documents(args: &AdviseArgs) -> Result<Documents, Diagnostics> {
    if !is_scene(args) {
        return Documents::read(&args.file);
    }
    let detector = match load_scene(&args.file)?.scene.space {
        SpaceName::Planar => "vinci.detector.planar",
        SpaceName::Spatial => "vinci.detector.parry",
    };
    let scene = std::path::absolute(&args.file).unwrap_or_else(|_| args.file.clone());
    let text = json!({
        "format": EXPERIMENT_FORMAT, "scene": scene.to_string_lossy(), "time": { "step": 0.01, "duration": 1 },
        "detector": { "plugin": detector }, "stepper": { "plugin": "vinci.stepper.stewart-trinkle" }
    });
    Documents::of_text(&text.to_string(), &args.file)
}
