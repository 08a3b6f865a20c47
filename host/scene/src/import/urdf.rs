//! URDF: robot, links, joints, transmissions, and Drake's rotors and ball joints.
//!
//! What a link or joint says is read strictly: every number must be one. Structure (roots, circles, parents) and physics
//! (inertias, axes, limits) are checked by the checks of scenes, which see the lines of the model.
//!
//! Ours because the usual readers know no places, and one takes "1 x 2 3" for a vector: see `docs/src/decisions.md`.

mod dropped;
mod joints;
mod links;
mod reader;
mod transmissions;
mod values;

use super::build;
use super::model::{Model, ModelOptions};
use super::names::fit;
use super::report::Report;
use super::xml::{Element, parse};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Source};
use reader::Reader;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use transmissions::Rotor;

/// Reads a URDF file; `None` when it is none. Errors are in `diagnostics`.
pub(super) fn read(
    path: &Path,
    source: &Arc<Source>,
    options: &ModelOptions,
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    let document = parse(source, diagnostics)?;
    let robot = Element::new(document.root_element(), source);
    if robot.name() != "robot" {
        diagnostics.push(other_format(&robot));
        return None;
    }
    if let Some(place) = values::xacro(&robot) {
        let help = "expand it first: `xacro robot.urdf.xacro > robot.urdf`";
        let message = "this file holds xacro macros, which are not expanded";
        diagnostics.push(Diagnostic::error(Code::WrongFormat, message).at(place).help(help));
        return None;
    }
    let report = Report { model: path.display().to_string(), ..Report::default() };
    let reader = Reader {
        path,
        options,
        diagnostics,
        report,
        names: BTreeMap::new(),
        mimics: Vec::new(),
        stuck: Vec::new(),
    };
    Some(reader.robot(&robot))
}

/// Files that are no robots.
fn other_format(root: &Element<'_>) -> Diagnostic {
    let message = format!("this file is neither URDF nor MJCF nor SDF: its root is <{}>", root.name());
    let help = "a URDF file has one <robot>, an MJCF file one <mujoco>, an SDF file one <sdf>";
    Diagnostic::error(Code::WrongFormat, message).at(root.place()).help(help)
}

impl Reader<'_> {
    fn robot(mut self, robot: &Element<'_>) -> Model {
        let place = robot.place();
        let called = robot.attribute("name").map_or("robot", |a| a.text);
        self.report.robot = called.to_owned();
        let rotors = self.rotors(robot);
        let links = robot.named("link").filter_map(|e| self.link(&e)).collect();
        let is_joint = |e: &Element<'_>| matches!(e.name(), "joint" | "drake:joint");
        let joints: Vec<_> =
            robot.children().filter(is_joint).filter_map(|e| self.joint(&e, &rotors)).collect();
        self.rotors_without_joint(robot, &rotors);
        self.note_stuck();
        self.list_dropped(robot);
        Model {
            name: fit(called),
            links: build::array(links, &place),
            joints: build::array(joints, &place),
            mimics: self.mimics,
            extras: super::extras::Extras::default(),
            report: self.report,
        }
    }

    /// A rotor of a joint that is not there.
    fn rotors_without_joint(&mut self, robot: &Element<'_>, rotors: &BTreeMap<String, Rotor>) {
        let joints: BTreeSet<&str> = robot
            .children()
            .filter(|e| matches!(e.name(), "joint" | "drake:joint"))
            .filter_map(|e| Some(e.attribute("name")?.text))
            .collect();
        for (joint, rotor) in rotors.iter().filter(|(joint, _)| !joints.contains(joint.as_str())) {
            let message = format!("a transmission drives the joint `{joint}`, which the robot does not have");
            self.error(Code::UnknownName, &rotor.place, message, "correct the name");
        }
    }
}
