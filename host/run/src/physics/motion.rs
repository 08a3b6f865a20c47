//! The motion model in force: of every body by itself, or the stepper's default.

use vinci_abi::parameters::RESTITUTION;
use vinci_abi::{Manifest, Reading};
use vinci_core::model::{DofRole, MotionModel, System};

use super::facts::{Fact, Physics};
use super::meetings::Meeting;
use super::options::option_in_force;
use crate::used::Used;
use vinci_engine::declared::declared;
use vinci_engine::labels;
use vinci_scene::Loaded;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// The motion models that a stepper's manifest names among its capabilities, in its order.
pub fn known_motions(manifest: &Manifest) -> impl Iterator<Item = MotionModel> + '_ {
    manifest.capabilities.iter().filter_map(|word| MotionModel::from_name(word))
}

/// The motion model of bodies that name none: the one that the manifest declares, to which the referee holds it, or else the
/// first that it names.
pub fn default_motion(stepper: &Used) -> Option<MotionModel> {
    default_motion_of(&stepper.manifest, &stepper.options)
}

/// Default motion model under these options (JSON).
pub fn default_motion_of(manifest: &Manifest, options: &str) -> Option<MotionModel> {
    let declares = manifest.declares.iter().any(|word| word.split('=').next() == Some("motion"));
    match declared(manifest, options).motion {
        _ if !declares => known_motions(manifest).next(),
        // Second order is a treatment of dynamic bodies.
        MotionModel::Trapezoidal => Some(MotionModel::Dynamic),
        model => Some(model),
    }
}

/// The motion models in force, each with the bodies and trees that have it; the stepper's default first. Blocks whose
/// every velocity is prescribed have none.
pub fn models_in_force(stepper: &Used, system: &System) -> Vec<(String, Vec<String>)> {
    let default = default_motion(stepper);
    let mut list: Vec<(String, Vec<String>)> = Vec::new();
    let (starts, roles) = (system.layout().block_start, system.roles());
    let prescribed = |block: usize| {
        let dofs = starts[block] as usize..starts[block + 1] as usize;
        roles[dofs].iter().all(|&role| DofRole::from_code(role) == DofRole::Prescribed)
    };
    for (block, code) in system.motions().into_iter().enumerate() {
        if prescribed(block) {
            continue;
        }
        let model = MotionModel::from_code(code).or(default);
        let name = model.map_or("what the stepper does", MotionModel::name).to_owned();
        let owner = system.block_name(block).to_owned();
        match list.iter_mut().find(|(known, _)| *known == name) {
            Some((_, owners)) => owners.push(owner),
            None => list.push((name, vec![owner])),
        }
    }
    let first = default.map(MotionModel::name);
    list.sort_by_key(|(name, _)| Some(name.as_str()) != first);
    list
}

/// "dynamic", or "dynamic; quasi-static: `pusher`".
fn sentence(models: &[(String, Vec<String>)]) -> String {
    let owners = |list: &[String]| list.iter().map(|o| format!("`{o}`")).collect::<Vec<_>>().join(", ");
    let words = models.iter().enumerate().map(|(k, (name, list))| match k {
        0 => name.clone(),
        _ => format!("{name}: {}", owners(list)),
    });
    words.collect::<Vec<_>>().join("; ")
}

/// The motion models as a fact; bodies that ask for one that the manifest does not name, and velocities at the start that
/// their models forget, drag that they do not read, and bounces that they do not keep, as warnings.
pub(super) fn tell(
    loaded: &Loaded,
    stepper: &Used,
    (system, met): (&System, &[Meeting]),
    physics: &mut Physics,
    diagnostics: &mut Diagnostics,
) {
    let models = models_in_force(stepper, system);
    if !models.is_empty() {
        let how = sentence(&models);
        physics.add(Fact { what: "motion".into(), how, departs: false }, None);
    }
    let place = loaded.place(&stepper.path.join("plugin"));
    let told = [
        undeclared(stepper),
        unknown(stepper, system),
        forgotten(stepper, system),
        unread_drag(stepper, system),
        lost_bounce(stepper, system, met),
    ];
    for message in told.into_iter().flatten() {
        let help = "`vinci explain` says which motion model is in force";
        physics.told.push(message.clone());
        diagnostics.push(Diagnostic::warning(Code::Physics, message).help(help).at(place.clone()));
    }
}

/// A declared model that is not among those that the manifest names.
fn undeclared(stepper: &Used) -> Option<String> {
    let model = default_motion(stepper)?;
    let manifest = &stepper.manifest;
    let strange = known_motions(manifest).next().is_some() && !known_motions(manifest).any(|k| k == model);
    let (id, model) = (&manifest.id, model.name());
    strange.then(|| format!("the manifest of {id} declares the motion model {model} and does not name it"))
}

/// The first body that asks for a model which the manifest does not name.
fn unknown(stepper: &Used, system: &System) -> Option<String> {
    let asked = |(block, code): (usize, u8)| Some((block, MotionModel::from_code(code)?));
    let mut blocks = system.motions().into_iter().enumerate().filter_map(asked);
    let (block, model) = blocks.find(|(_, model)| !known_motions(&stepper.manifest).any(|k| k == *model))?;
    let (id, owner, model) = (&stepper.manifest.id, system.block_name(block), model.name());
    Some(format!("the manifest of {id} does not name the motion model {model}, which `{owner}` asks for"))
}

/// The first velocity at the start that its model forgets, and how many more there are.
fn forgotten(stepper: &Used, system: &System) -> Option<String> {
    let (default, motions, roles) = (default_motion(stepper), system.motions(), system.roles());
    let v = &system.initial_velocity;
    let mut all = (0..system.nv()).filter(|&dof| {
        let model = MotionModel::from_code(motions[system.block_of_dof(dof)]).or(default);
        model.is_some_and(|model| !model.keeps_velocity())
            && v[dof] != 0.0
            && DofRole::from_code(roles[dof]) == DofRole::Free
    });
    let dof = all.next()?;
    let more = match all.count() {
        0 => String::new(),
        1 => ", and one more velocity".to_owned(),
        n => format!(", and {n} more velocities"),
    };
    let model = MotionModel::from_code(motions[system.block_of_dof(dof)]).or(default)?;
    let label = labels::velocity(system, dof)?;
    Some(format!("`{label}` is {} at the start, and {} motion ignores it{more}", v[dof], model.name()))
}

/// The first pair with restitution of which no side keeps a velocity. Steppers whose bounces are impacts of their own give it none; in those
/// that bounce within a step the next step begins without it.
fn lost_bounce(stepper: &Used, system: &System, met: &[Meeting]) -> Option<String> {
    let parameters = &stepper.manifest.parameters;
    if parameters.reading(RESTITUTION, |name| option_in_force(stepper, name)) != Reading::Read {
        // Told by itself.
        return None;
    }
    let (default, motions, roles) = (default_motion(stepper)?, system.motions(), system.roles());
    let starts = system.layout().block_start;
    let model_of = |body: u32| {
        let block = system.block_of(body)?;
        let own = starts[block] as usize..starts[block + 1] as usize;
        let moves = roles[own].iter().any(|&role| DofRole::from_code(role) != DofRole::Prescribed);
        moves.then(|| MotionModel::from_code(motions[block]).unwrap_or(default))
    };
    let (meeting, model) = met.iter().filter(|m| m.pair.restitution > 0.0).find_map(|meeting| {
        let mut models = meeting.bodies.into_iter().filter_map(model_of).peekable();
        let model = *models.peek()?;
        models.all(|model| !model.keeps_velocity()).then_some((meeting, model))
    })?;
    let (e, between, model) = (meeting.pair.restitution, meeting.between(system), model.name());
    Some(format!(
        "`restitution` is {e} between {between}, and {model} motion keeps no velocity: no bounce outlasts its step"
    ))
}

/// The first body with drag whose model does not read it.
fn unread_drag(stepper: &Used, system: &System) -> Option<String> {
    let (default, motions) = (default_motion(stepper), system.motions());
    let model_of = |block: usize| MotionModel::from_code(motions[block]).or(default);
    let has_drag =
        |block: usize| system.body_of(block).is_some_and(|body| body.drag.iter().any(|d| *d > 0.0));
    let ignores = |block: usize| model_of(block).is_some_and(|model| model != MotionModel::FirstOrder);
    let block = (0..motions.len()).find(|&block| has_drag(block) && ignores(block))?;
    let (body, model) = (system.block_name(block), model_of(block)?.name());
    Some(format!("`{body}` has `drag`, which {model} motion ignores: only first-order motion reads it"))
}
