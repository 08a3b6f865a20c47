//! Parts of a model that a scene cannot say: found by comparing the document with what is read.

use super::reader::Reader;
use crate::import::dropped::{reads, why};
use crate::import::tag::Tag;

/// Sections and elements that are read: which attributes and children of them are. `class` and `name` are read everywhere.
const READ: &[(&str, &str, &str)] = &[
    ("mujoco", "model", "compiler option default asset worldbody contact equality actuator keyframe"),
    ("compiler", COMPILER, ""),
    ("option", "gravity timestep", "flag"),
    ("flag", "gravity contact filterparent", ""),
    ("default", "", "default joint geom site mesh pair equality general motor position velocity"),
    ("asset", "", "mesh"),
    ("mesh", "file vertex face refpos refquat scale inertia", ""),
    ("worldbody", "", BODY),
    ("body", "pos quat axisangle xyaxes zaxis euler childclass mocap", BODY),
    ("frame", "pos quat axisangle xyaxes zaxis euler childclass", BODY),
    ("replicate", "count offset euler sep childclass", BODY),
    ("inertial", "pos quat axisangle xyaxes zaxis euler mass diaginertia fullinertia", ""),
    ("joint", JOINT, ""),
    ("freejoint", "align", ""),
    ("geom", GEOM, ""),
    ("site", "pos quat axisangle xyaxes zaxis euler fromto", ""),
    ("contact", "", "pair exclude"),
    ("pair", "geom1 geom2 condim friction", ""),
    ("exclude", "body1 body2", ""),
    ("equality", "active", "joint connect weld"),
    ("connect", "body1 body2 anchor site1 site2 active", ""),
    ("weld", "body1 body2 anchor relpose site1 site2 active", ""),
    ("actuator", "", "general motor position velocity"),
    (
        "general",
        "joint jointinparent gear ctrlrange ctrllimited forcerange forcelimited gaintype gainprm biastype biasprm dyntype dynprm armature damping",
        "",
    ),
    (
        "motor",
        "joint tendon site body cranksite slidersite refsite cranklength jointinparent gear ctrlrange ctrllimited forcerange forcelimited armature damping",
        "",
    ),
    (
        "position",
        "joint jointinparent gear ctrlrange ctrllimited forcerange forcelimited kp kv dampratio timeconst inheritrange armature damping",
        "",
    ),
    (
        "velocity",
        "joint jointinparent gear ctrlrange ctrllimited forcerange forcelimited kv armature damping",
        "",
    ),
    ("keyframe", "", "key"),
    ("key", "qpos qvel ctrl", ""),
];

const COMPILER: &str = "angle eulerseq autolimits inertiafromgeom inertiagrouprange balanceinertia boundmass boundinertia settotalmass meshdir assetdir strippath fitaabb alignfree coordinate";
const BODY: &str = "body frame replicate inertial joint freejoint geom site";
const JOINT: &str = "type pos axis range limited ref springref stiffness damping frictionloss armature actuatorfrcrange actuatorfrclimited align joint1 joint2 polycoef active";
const GEOM: &str = "type size pos quat axisangle xyaxes zaxis euler fromto mass density shellinertia contype conaffinity condim friction priority mesh fitscale group";

/// Consequence of leaving something out, by the element's name or ELEMENT@ATTRIBUTE; the first that fits holds.
const WHY: &[(&str, &str)] = &[
    ("visual statistic texture material skin light camera hfield@file", LOOKS),
    (
        "site@size site@type @rgba @material @castshadow @smoothnormal @texcoord @normal @texturedir @discardvisual",
        LOOKS,
    ),
    ("@solref @solimp @solreflimit @solimplimit @solreffriction @solimpfriction @solmix", SOFT),
    ("@margin @gap", "approximated: contacts and limits begin where things touch"),
    ("size", "memory of another simulator"),
    (
        "adhesion muscle cylinder damper intvelocity dcmotor pid orientation",
        "defaults of actuators that are not read",
    ),
    ("sensor", "results hold what sensors would measure; controllers read joints"),
    ("tendon", "defaults of tendons, which are not read"),
    ("deformable skin", "bodies are rigid"),
    ("custom", "numbers for other programs"),
    ("extension plugin", "plugins of another simulator"),
    ("hfield", "no such shape: its geoms touch nothing"),
    ("mesh@maxhullvert", "hulls have all their corners"),
    (
        "compiler@texturedir compiler@usethread compiler@saveinertial compiler@savecompiled compiler@savecanonical",
        LOOKS,
    ),
    ("compiler@fusestatic", "bodies without joints stay links of their own: the physics is the same"),
    ("lengthrange", "muscles are not read"),
    (
        "option@wind option@density option@viscosity",
        "forces of a fluid, which Vinci does not have: bodies move as in a vacuum",
    ),
    ("option flag", OPTION),
    ("body@gravcomp joint@actuatorgravcomp", "weight is not compensated: use a controller"),
    ("joint@springdamper", "springs of a time constant are not read: write `stiffness` and `damping`"),
    ("@springyield", "springs do not yield"),
    ("@fluidshape @fluidcoef", "there is no fluid"),
    ("geom@adhesion geom@surfacevel pair@adhesion", "contacts have friction alone"),
    ("geom@hfield", "no such shape: it touches nothing"),
    ("@group", LOOKS),
    ("@user", "numbers for other programs"),
    ("@sleep @simple @fuse", OPTION),
    ("key@time key@act key@mpos key@mquat key@plastic", "a start has coordinates, velocities and controls"),
    ("weld@torquescale", SOFT),
    (
        "general@actlimited general@actrange general@actdim general@actearly",
        "actuators follow their controls at once",
    ),
    ("@delay @nsample @interp", "actuators follow their controls at once"),
    (
        "@lengthrange @cranklength @cranksite @slidersite @refsite @tendon @site @body",
        "actuators drive joints",
    ),
];

const LOOKS: &str = "looks, or how a model is shown";
const SOFT: &str = "approximated: contacts, limits and loops are those of the stepper, and rigid unless `materials` say otherwise";
const OPTION: &str = "another simulator's method: the experiment names stepper and solver";
impl Reader<'_> {
    /// Lists everything under `tag` that is not read.
    pub(super) fn list_dropped(&mut self, tag: &Tag) {
        let Some((_, attributes, children)) = READ.iter().find(|(name, ..)| *name == tag.name) else {
            return;
        };
        for attribute in &tag.attributes {
            let key = attribute.key.as_str();
            if !reads(attributes, key) && !matches!(key, "name" | "class") {
                let what = format!("{}@{key}", tag.name);
                self.robot.report.drop(what, attribute.place.clone(), why(WHY, &tag.name, Some(key)));
            }
        }
        for child in &tag.children {
            // What makes bodies was refused; actuators, equalities and tendons are listed one by one.
            let told = matches!(child.name.as_str(), "composite" | "flexcomp" | "attach")
                || matches!(tag.name.as_str(), "actuator" | "equality")
                || (tag.name == "mujoco" && child.name == "tendon");
            if reads(children, &child.name) {
                self.list_dropped(child);
            } else if !told {
                let what = format!("{}/{}", tag.name, child.name);
                self.robot.report.drop(what, child.place.clone(), why(WHY, &child.name, None));
            }
        }
    }
}
