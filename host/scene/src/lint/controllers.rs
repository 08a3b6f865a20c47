//! Controllers: trees, joints and links that are there, joints free to be driven, gains, keyframes.

use std::collections::BTreeMap;

use super::super::path::{Path, at};
use super::super::trees::Layout;
use super::super::types::{
    Cartesian, Controller, Dof, Drive, Feedback, Gain, JointKeyframe, Scene, Tree, TreeJointKind,
};
use super::Lint;
use crate::diagnostics::{Code, did_you_mean, list};

/// A controller while it is looked at.
struct Subject<'a> {
    name: String,
    tree: &'a Tree,
    layout: Layout,
    path: Path,
}

/// A rule for the numbers of joints.
struct Rule {
    /// One for every joint.
    complete: bool,
    fits: fn(f64) -> bool,
    words: &'static str,
}

const GAINS: Rule = Rule { complete: true, fits: |x| x >= 0.0, words: "must not be negative" };
const LIMITS: Rule = Rule { complete: false, fits: |x| x > 0.0, words: "must be positive" };

impl Lint<'_> {
    pub(super) fn controllers(&mut self, scene: &Scene) {
        // Trees that could not be read are findings already.
        if scene.trees.is_empty() && self.written(&at!["trees"]) {
            return;
        }
        for (i, controller) in scene.controllers.iter().enumerate() {
            let (path, name) = (at!["controllers", i], controller.called(i));
            let Some(tree) = scene.trees.iter().find(|t| t.name == controller.tree()) else {
                self.no_such_tree(scene, controller.tree(), &path.join("tree"));
                continue;
            };
            let Ok(layout) = Layout::of(tree) else { continue };
            self.controller(scene, controller, &Subject { name, tree, layout, path });
        }
    }

    fn no_such_tree(&mut self, scene: &Scene, name: &str, path: &Path) {
        let known = || scene.trees.iter().map(|t| t.name.as_str());
        let meant = did_you_mean(name, known()).map_or_else(String::new, |m| m + " ");
        let help = match scene.trees.as_slice() {
            [] => "the scene has no trees: controllers drive joints of trees".to_owned(),
            _ => format!("{meant}trees of this scene: {}", list(known())),
        };
        self.error(path, Code::UnknownName, format!("there is no tree `{name}`"), help);
    }

    fn controller(&mut self, scene: &Scene, controller: &Controller, of: &Subject<'_>) {
        match controller {
            Controller::Pd { kp, kd, targets, keyframes, effort_limit, .. } => {
                let joints = self.goals(of, targets, keyframes, None);
                self.gains(of, &joints, kp, kd, effort_limit.as_ref());
            }
            Controller::InverseDynamics { kp, kd, targets, keyframes, cartesian, effort_limit, .. } => {
                let joints = self.goals(of, targets, keyframes, cartesian.as_ref());
                self.gains(of, &joints, kp, kd, effort_limit.as_ref());
            }
            Controller::GravityCompensation { joints, .. } => {
                for (i, name) in joints.iter().flatten().enumerate() {
                    self.may_control(of, name, false, &of.path.join("joints").join(i));
                }
            }
            Controller::GripForce { joints, force, feedback, limits, .. } => {
                let factors = joints.factors();
                if factors.is_empty() {
                    let message = format!("controller `{}` names no joint", of.name);
                    self.error(
                        &of.path.join("joints"),
                        Code::MissingKey,
                        message,
                        "name the joints it drives",
                    );
                }
                for (name, _) in factors {
                    self.may_control(of, name, true, &of.path.join("joints"));
                }
                self.drive(force, &[], &of.path.join("force"));
                self.force_limits(of, limits.as_ref());
                feedback.iter().for_each(|around| self.measured(scene, of, around));
            }
        }
    }

    fn force_limits(&mut self, of: &Subject<'_>, limits: Option<&[f64; 2]>) {
        if let Some([least, most]) = limits.filter(|[least, most]| least > most) {
            let message =
                format!("the limits of controller `{}` are crossed: {least} is above {most}", of.name);
            self.error(&of.path.join("limits"), Code::Contradiction, message, "exchange them");
        }
    }

    /// Returns true if a joint is there and a controller may put a force on it.
    fn may_control(&mut self, of: &Subject<'_>, name: &str, single: bool, path: &Path) -> bool {
        let Some(kind) = of.layout.kind_of(of.tree, name) else {
            self.no_such_joint(of.tree, &of.layout, name, path);
            return false;
        };
        let joint = format!("{}.{name}", of.tree.name);
        if kind == TreeJointKind::Fixed || (single && kind.core().nv() != 1) {
            let message =
                format!("joint `{joint}` is {}, and controller `{}` drives it", kind.name(), of.name);
            let help = "controllers drive revolute, continuous and prismatic joints";
            self.error(path, Code::Contradiction, message, help);
            return false;
        }
        let how = match of.tree.drives.get(name) {
            Some(Dof::Locked) => "locked",
            Some(Dof::Position(_)) => "prescribed by its drive `position`",
            Some(Dof::Velocity(_)) => "prescribed by its drive `velocity`",
            _ => return true,
        };
        let message = format!("joint `{joint}` is {how}, and controller `{}` drives it too", of.name);
        let help = "a prescribed joint feels no force: take it out of `drives`, or out of the controller";
        self.error(path, Code::Contradiction, message, help);
        false
    }

    /// Checks the goal, which is said in one of three ways, and returns the joints that it names.
    fn goals(
        &mut self,
        of: &Subject<'_>,
        targets: &BTreeMap<String, Drive>,
        keyframes: &[JointKeyframe],
        cartesian: Option<&Cartesian>,
    ) -> Vec<String> {
        let given = [!targets.is_empty(), !keyframes.is_empty(), cartesian.is_some()];
        if given.iter().filter(|g| **g).count() != 1 {
            let message = format!("controller `{}` needs one goal", of.name);
            let help = "give `targets` (by joint), or `keyframes`, or for inverse dynamics `cartesian`, and only one";
            self.error(&of.path, Code::MissingKey, message, help);
        }
        for (name, drive) in targets {
            let path = of.path.join("targets").join(name.as_str());
            if self.may_control(of, name, true, &path) {
                self.drive(drive, &[], &path);
            }
        }
        self.joint_keyframes(of, keyframes);
        cartesian.iter().for_each(|cartesian_path| self.cartesian(of, cartesian_path));
        let of_keyframes = keyframes.first().into_iter().flat_map(|k| k.q.keys());
        targets.keys().chain(of_keyframes).cloned().collect()
    }

    fn joint_keyframes(&mut self, of: &Subject<'_>, keyframes: &[JointKeyframe]) {
        let path = of.path.join("keyframes");
        let Some(first) = keyframes.first() else { return };
        for name in first.q.keys() {
            self.may_control(of, name, true, &path.join(0).join("q").join(name.as_str()));
        }
        for (i, keyframe) in keyframes.iter().enumerate().skip(1) {
            if !keyframe.q.keys().eq(first.q.keys()) {
                let message =
                    format!("keyframe {i} of controller `{}` names other joints than keyframe 0", of.name);
                let help = format!("give all of {}", list(first.q.keys().map(String::as_str)));
                self.error(&path.join(i).join("q"), Code::BadKeyframes, message, help);
            }
        }
        let times: Vec<f64> = keyframes.iter().map(|k| k.t).collect();
        self.ascending(&times, &path);
    }

    fn ascending(&mut self, times: &[f64], path: &Path) {
        let Some(i) = times.windows(2).position(|w| w[1] <= w[0]) else { return };
        let message = format!("keyframe times must increase, but {} follows {}", times[i + 1], times[i]);
        self.error(
            &path.join(i + 1).join("t"),
            Code::BadKeyframes,
            message,
            "put the keyframes in order of time",
        );
    }

    fn cartesian(&mut self, of: &Subject<'_>, cartesian_path: &Cartesian) {
        let path = of.path.join("cartesian");
        let known = || of.tree.links.iter().map(|l| l.name.as_str());
        if known().all(|name| name != cartesian_path.link) {
            let meant = did_you_mean(&cartesian_path.link, known()).map_or_else(String::new, |m| m + " ");
            let message = format!("tree `{}` has no link `{}`", of.tree.name, cartesian_path.link);
            self.error(
                &path.join("link"),
                Code::UnknownName,
                message,
                format!("{meant}its links: {}", list(known())),
            );
        }
        let path = path.join("keyframes");
        let turning = cartesian_path.keyframes.iter().filter(|k| k.orientation.is_some()).count();
        if turning != 0 && turning != cartesian_path.keyframes.len() {
            let message =
                format!("{turning} of {} keyframes have an orientation", cartesian_path.keyframes.len());
            self.error(&path, Code::BadKeyframes, message, "give it in all of them, or in none");
        }
        for (i, keyframe) in cartesian_path.keyframes.iter().enumerate() {
            if let Some(turned) = &keyframe.orientation {
                self.orientation(turned, &path.join(i).join("orientation"));
            }
        }
        let times: Vec<f64> = cartesian_path.keyframes.iter().map(|k| k.t).collect();
        self.ascending(&times, &path);
    }

    /// Gains of the joints that are named: all there, none negative; limits positive.
    fn gains(&mut self, of: &Subject<'_>, joints: &[String], kp: &Gain, kd: &Gain, limit: Option<&Gain>) {
        for (key, gain) in [("kp", kp), ("kd", kd)] {
            self.numbers(of, joints, key, gain, &GAINS);
        }
        if let Some(limit) = limit {
            self.numbers(of, joints, "effort_limit", limit, &LIMITS);
        }
    }

    fn numbers(&mut self, of: &Subject<'_>, joints: &[String], key: &str, gain: &Gain, rule: &Rule) {
        let path = of.path.join(key);
        let entries: Vec<(Path, f64)> = match gain {
            Gain::All(value) => vec![(path.clone(), *value)],
            Gain::Each(map) => map.iter().map(|(name, x)| (path.join(name.as_str()), *x)).collect(),
        };
        for (path, value) in entries.into_iter().filter(|(_, value)| !(rule.fits)(*value)) {
            let message = format!("`{key}` of controller `{}` {}, found {value}", of.name, rule.words);
            self.error(&path, Code::OutOfRange, message, "");
        }
        let Gain::Each(map) = gain else { return };
        for name in map.keys().filter(|name| of.layout.kind_of(of.tree, name).is_none()) {
            self.no_such_joint(of.tree, &of.layout, name, &path.join(name.as_str()));
        }
        for name in joints.iter().filter(|name| rule.complete && !map.contains_key(*name)) {
            let message = format!("`{key}` of controller `{}` has no number for joint `{name}`", of.name);
            self.error(&path, Code::MissingKey, message, "give one per joint, or one number for all");
        }
    }

    /// The bodies and links between which a force is measured.
    fn measured(&mut self, scene: &Scene, of: &Subject<'_>, around: &Feedback) {
        let links = scene.trees.iter().flat_map(|t| t.links.iter().map(|l| format!("{}/{}", t.name, l.name)));
        let known: Vec<String> = scene.bodies.iter().map(|b| b.name.clone()).chain(links).collect();
        for (i, pair) in around.between.iter().enumerate() {
            let path = of.path.join("feedback").join("between").join(i);
            for (side, name) in pair.iter().enumerate().filter(|(_, name)| !known.contains(name)) {
                let all = || known.iter().map(String::as_str);
                let meant = did_you_mean(name, all()).map_or_else(String::new, |m| m + " ");
                let help = format!("{meant}bodies of this scene: {}", list(all()));
                self.error(&path.join(side), Code::UnknownName, format!("there is no body `{name}`"), help);
            }
            if pair[0] == pair[1] {
                let message = format!("body `{}` is paired with itself", pair[0]);
                self.error(&path, Code::Contradiction, message, "name two bodies");
            }
        }
    }
}
