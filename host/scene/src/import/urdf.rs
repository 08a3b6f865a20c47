//! URDF: robot, links, joints, transmissions, and Drake's rotors and ball joints.
//!
//! What a link or joint says is read strictly: every number must be one. Structure (roots, circles, parents) and physics
//! (inertias, axes, limits) are checked by the checks of scenes, which see the lines of the model.

mod dropped;
mod joints;
mod links;
mod transmissions;
mod values;

use super::build;
use super::report::Report;
use super::xml::{Element, parse};
use super::{Mimic, Model, ModelOptions};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Place, Source};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use transmissions::Rotor;

/// Reads a URDF file; `None` when it is none. Errors are in `found`.
pub(super) fn read(
    path: &Path,
    source: &Arc<Source>,
    options: &ModelOptions,
    found: &mut Diagnostics,
) -> Option<Model> {
    let document = parse(source, found)?;
    let robot = Element::new(document.root_element(), source);
    if robot.name() != "robot" {
        found.push(other_format(&robot));
        return None;
    }
    if let Some(place) = values::xacro(&robot) {
        let help = "expand it first: `xacro robot.urdf.xacro > robot.urdf`";
        let message = "this file holds xacro macros, which are not expanded";
        found.push(Diagnostic::error(Code::WrongFormat, message).at(place).help(help));
        return None;
    }
    let report = Report { model: path.display().to_string(), ..Report::default() };
    let reader = Reader {
        path,
        options,
        found,
        report,
        names: BTreeMap::new(),
        mimics: Vec::new(),
        stuck: Vec::new(),
    };
    Some(reader.robot(&robot))
}

/// Files that are robots of another kind.
fn other_format(root: &Element<'_>) -> Diagnostic {
    let (what, help) = match root.name() {
        "mujoco" => (
            "an MJCF model",
            "MJCF is not read: convert it to URDF, or write the tree in the scene (links, joints)",
        ),
        "sdf" => (
            "an SDF model",
            "SDF is not read: convert it to URDF, or write the tree in the scene (links, joints)",
        ),
        _ => ("no URDF", "a URDF file has one <robot>"),
    };
    let message = format!("this file is {what}: its root is <{}>", root.name());
    Diagnostic::error(Code::WrongFormat, message).at(root.place()).help(help)
}

/// A URDF file being read.
struct Reader<'a> {
    path: &'a Path,
    options: &'a ModelOptions,
    found: &'a mut Diagnostics,
    report: Report,
    /// Names as scenes take them, and what they were.
    names: BTreeMap<String, String>,
    mimics: Vec<Mimic>,
    /// Joints whose drive cannot overcome their friction.
    stuck: Vec<(String, Place)>,
}

impl Reader<'_> {
    fn error(&mut self, code: Code, place: &Place, message: String, help: &str) {
        self.found.push(Diagnostic::error(code, message).at(place.clone()).help(help));
    }

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

    /// The name of a link or joint as scenes take it; two names that become one are an error.
    fn name(&mut self, what: &str, element: &Element<'_>) -> Option<String> {
        let Some(given) = element.attribute("name") else {
            let message = format!("a {what} has no name");
            self.error(Code::MissingKey, &element.place(), message, "write name=\"…\"");
            return None;
        };
        let name = self.fitting(what, given.text, &given.place);
        Some(name)
    }

    fn fitting(&mut self, what: &str, given: &str, place: &Place) -> String {
        let name = fit(given);
        let key = format!("{what} {name}");
        match self.names.get(&key) {
            Some(other) if other != given => {
                let message = format!("the {what}s `{other}` and `{given}` would both be called `{name}`");
                let help = "names have letters, digits, `_` and `-`, others become `_`: rename one of them";
                self.error(Code::DuplicateName, place, message, help);
            }
            Some(_) => {}
            None => {
                if name != given {
                    self.report.note(format!("{what} `{given}` is called `{name}`"), place.clone());
                }
                self.names.insert(key, given.to_owned());
            }
        }
        name
    }
}

/// A name with the characters that scenes take.
pub(super) fn fit(name: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = name.chars().map(keep).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') { name } else { format!("_{name}") }
}
