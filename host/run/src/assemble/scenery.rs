//! A scene that is stepped by something that is no plugin: its system, what drives it, and who finds its contacts.

use vinci_abi::{Manifest, Role};
use vinci_core::model::System;
use vinci_core::referee::Declaration;
use vinci_core::stage::Detector;

use super::maker::Maker;
use super::{find, judged, role_at, settings};
use crate::used::Used;
use vinci_engine::control::Controllers;
use vinci_engine::drives::Drives;
use vinci_engine::pipeline::Settings;
use vinci_engine::registry::Registry;
use vinci_engine::system_views::SystemViews;
use vinci_scene::diagnostics::Diagnostics;
use vinci_scene::{Loaded, Path, compile, compile_controllers, compile_governed};

/// Law that steps are held to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Law {
    /// The strictest: rigid contact on the level of positions, exact friction, dynamic motion.
    Strict,
    /// The law that the experiment's stepper declares.
    Declared,
}

/// An experiment without stepper and solver.
pub struct Scenery {
    /// The experiment.
    pub loaded: Loaded,
    /// The system.
    pub system: System,
    /// Its drives.
    pub drives: Drives,
    /// Its controllers, those of the experiment too.
    pub controllers: Controllers,
    /// Controllers of the experiment, which are plugins.
    pub controlling: Vec<Used>,
    /// The detector.
    pub detector: Used,
    /// Detectors for pairs of shapes that it does not know.
    pub others: Vec<Used>,
    /// All of them as one.
    pub stage: Box<dyn Detector>,
    /// Settings of the experiment.
    pub settings: Settings,
    /// Law that steps are held to.
    pub declared: Declaration,
    /// Findings that stop nothing.
    pub warnings: Diagnostics,
}

/// Finds the detectors of an experiment, compiles its scene and creates what finds its contacts. Of the stepper only the manifest is
/// read, and only for its law.
///
/// # Errors
/// Everything found wrong, at its place.
pub fn scenery(mut loaded: Loaded, registry: &Registry, law: Law) -> Result<Scenery, Diagnostics> {
    let mut found = loaded.warnings.clone();
    let (Some(mut detectors), Some(stepper)) = (
        of_role(&mut loaded, registry, Role::Detector, &mut found),
        stepper(&mut loaded, registry, law, &mut found),
    ) else {
        return Err(found);
    };
    let compiled = compile(&loaded.scene, &loaded.scene_node).map_err(|errors| found.append(errors)).ok();
    let Some((system, drives)) = compiled else { return Err(found) };
    let controllers = compile_controllers(&loaded.scene, &loaded.scene_node, &system);
    let controllers = controllers.map_err(|errors| found.append(errors)).ok();
    let controlling = of_role(&mut loaded, registry, Role::Controller, &mut found);
    let governed = compile_governed(&loaded, &system, &drives).map_err(|errors| found.append(errors)).ok();
    let views = SystemViews::new(&system).driven_by(&drives);
    let maker = Maker { loaded: &loaded, registry };
    let shares = maker.check_shapes(&detectors, &system, &views.view(), &mut found);
    if found.has_errors() {
        return Err(found);
    }
    let stage = maker.create_detector((&detectors, shares), &views.view(), &mut found);
    let (Some(controlling), Some(governed)) = (controlling, governed) else { return Err(found) };
    let laws = maker.controllers((&controlling, governed), &system, &views.view(), &mut found);
    let (Some(controllers), Some(laws), Some(stage)) = (controllers, laws, stage) else { return Err(found) };
    drop(views);
    let controllers = controllers.and(laws, &system);
    let declared = stepper.as_ref().map(|s| judged::declaration(s, &mut found)).unwrap_or_default();
    let none = || Manifest::new("", Role::Stepper, "");
    let settings = settings(&loaded.experiment, &stepper.map_or_else(none, |s| s.manifest));
    let (detector, others) = (detectors.remove(0), detectors);
    found.accept(|warnings| Scenery {
        loaded,
        system,
        drives,
        controllers,
        controlling,
        detector,
        others,
        stage,
        settings,
        declared,
        warnings,
    })
}

/// All plugins of a role that the experiment names.
fn of_role(
    loaded: &mut Loaded,
    registry: &Registry,
    role: Role,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Used>> {
    let paths: Vec<Path> =
        loaded.plugin_paths().into_iter().filter(|path| role_at(path) == Some(role)).collect();
    let all: Vec<_> = paths.into_iter().map(|path| find(loaded, registry, role, path, diagnostics)).collect();
    all.into_iter().collect()
}

/// The stepper where its law is asked for; nothing where it is not.
fn stepper(
    loaded: &mut Loaded,
    registry: &Registry,
    law: Law,
    diagnostics: &mut Diagnostics,
) -> Option<Option<Used>> {
    match law {
        Law::Strict => Some(None),
        Law::Declared => {
            find(loaded, registry, Role::Stepper, Path::root().join("stepper"), diagnostics).map(Some)
        }
    }
}
