//! Parts of a model that a scene cannot say: found by comparing the document with what is read.

use super::super::xml::Element;
use super::reader::Reader;

/// Elements that are read: attributes and children that are.
const READ: &[(&str, &[&str], &[&str])] = &[
    ("robot", &["name", "version"], &["link", "joint", "drake:joint", "transmission"]),
    ("link", &["name"], &["inertial", "collision"]),
    ("inertial", &[], &["origin", "mass", "inertia"]),
    ("mass", &["value"], &[]),
    ("inertia", &["ixx", "iyy", "izz", "ixy", "ixz", "iyz"], &[]),
    ("collision", &["name"], &["origin", "geometry"]),
    ("geometry", &[], &["box", "sphere", "cylinder", "capsule", "drake:capsule", "mesh"]),
    ("box", &["size"], &[]),
    ("sphere", &["radius"], &[]),
    ("cylinder", &["radius", "length"], &[]),
    ("capsule", &["radius", "length"], &[]),
    ("drake:capsule", &["radius", "length"], &[]),
    ("mesh", &["filename", "scale"], &["drake:declare_convex"]),
    ("drake:declare_convex", &[], &[]),
    ("origin", &["xyz", "rpy"], &[]),
    ("joint", &["name", "type"], JOINT),
    ("drake:joint", &["name", "type"], JOINT),
    ("parent", &["link"], &[]),
    ("child", &["link"], &[]),
    ("axis", &["xyz"], &[]),
    ("limit", &["lower", "upper", "velocity", "effort"], &[]),
    ("dynamics", &["damping", "friction"], &[]),
    ("mimic", &["joint", "multiplier", "offset"], &[]),
    ("transmission", &["name", "type"], &["joint", "actuator"]),
    ("actuator", &["name"], &["drake:rotor_inertia", "drake:gear_ratio"]),
    ("drake:rotor_inertia", &["value"], &[]),
    ("drake:gear_ratio", &["value"], &[]),
];

const JOINT: &[&str] = &["origin", "parent", "child", "axis", "limit", "dynamics", "mimic"];

/// Consequence of leaving something out.
const WHY: &[(&str, &str)] = &[
    ("link/visual", "looks; shapes are taken from <collision>"),
    ("robot/material", "colours"),
    ("robot/gazebo", "another simulator's"),
    ("link/self_collision_checking", "another simulator's; see `self_collision`"),
    (
        "robot/drake:collision_filter_group",
        "links of a tree do not touch; see `self_collision`, `ignore_contacts`",
    ),
    ("collision/drake:proximity_properties", "contact values are those of `materials`"),
    ("link/contact", "contact values are those of `materials`"),
    ("link/contact_coefficients", "contact values are those of `materials`"),
    ("collision/contact_coefficients", "contact values are those of `materials`"),
    ("robot/frame", "a frame without link: add a link with a fixed joint where it is needed"),
    ("joint/safety_controller", "controllers stand in the scene"),
    ("joint/calibration", "for real robots"),
    ("joint/drake:joint_limits", "accelerations are not limited"),
    ("transmission/type", "for real robots"),
    ("actuator/mechanicalReduction", "only a rotor's gear ratio (drake:gear_ratio) has an effect"),
    ("transmission/mechanicalReduction", "only a rotor's gear ratio (drake:gear_ratio) has an effect"),
];

/// Reason for elements that the tables above do not name.
const UNKNOWN: &str = "not known here";

impl Reader<'_> {
    /// Lists everything under `element` that is not read.
    pub(super) fn list_dropped(&mut self, element: &Element<'_>) {
        let name = element.name();
        // The joint of a transmission says only which one it drives.
        let Some((_, attributes, children)) = READ.iter().find(|(n, ..)| *n == name) else { return };
        for (key, place) in element.attributes().filter(|(key, _)| !attributes.contains(key)) {
            self.report.drop(format!("{name}@{key}"), place, UNKNOWN);
        }
        for child in element.children() {
            let what = format!("{name}/{}", child.name());
            if what == "transmission/joint" {
                self.list_children(&child, &what);
            } else if children.contains(&child.name()) {
                self.list_dropped(&child);
            } else {
                self.report.drop(what.clone(), child.place(), why(&what));
            }
        }
    }

    fn list_children(&mut self, element: &Element<'_>, name: &str) {
        for child in element.children() {
            let what = format!("{name}/{}", child.name());
            self.report.drop(what.clone(), child.place(), why(&what));
        }
    }
}

fn why(what: &str) -> &'static str {
    match what.rsplit('/').next() {
        Some("hardwareInterface" | "robotNamespace" | "motorTorqueConstant") => "for real robots",
        _ => WHY.iter().find(|(w, _)| *w == what).map_or(UNKNOWN, |(_, why)| *why),
    }
}
