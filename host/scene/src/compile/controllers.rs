//! From the controllers of a checked scene to laws on the velocities of its system.

use std::collections::BTreeMap;

use super::super::node::Node;
use super::super::path::{Path, at};
use super::super::trees::effective;
use super::super::types::{self, Cartesian, Drive, Gain, Interpolation, JointKeyframe, Scene};
use super::kinds::core_interpolation;
use super::placement::orientation;
use super::signals::signal;
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use nalgebra::Vector3;
use vinci_core::model::{DofRole, Keyframes, System};
use vinci_core::tree::JointKind;
use vinci_engine::control::{
    Compensation, Controlled, Controller, Controllers, Grip, InverseDynamics, Law, Loop, PathError, Pd, Pose,
    PoseKey, joint_path,
};
use vinci_engine::drives::Signal;

/// A refusal of a controller, and the key under it that is at fault.
struct Refusal {
    path: Path,
    message: String,
    help: &'static str,
}

impl From<String> for Refusal {
    fn from(message: String) -> Self {
        Self { path: Path::root(), message, help: "" }
    }
}

/// The controllers of a checked scene, on the system that it compiled to; `node` is the scene with places.
///
/// # Errors
/// Ways through space that the joints of a tree do not reach.
pub fn compile_controllers(scene: &Scene, node: &Node, system: &System) -> Result<Controllers, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let mut list = Vec::new();
    for (i, controller) in scene.controllers.iter().enumerate() {
        let Some(tree) = scene.trees.iter().position(|t| t.name == controller.tree()) else { continue };
        let name = controller.called(i);
        match (Maker { scene, system, tree }).law(controller) {
            Ok(law) => list.push(Controller { name, law }),
            Err(Refusal { path, message, help }) => {
                let whole = path.segments().iter().fold(at!["controllers", i], |p, s| p.join(s.clone()));
                let message = format!("controller `{name}`: {message}");
                let place = node.place_of(&whole).part(0, 1);
                diagnostics.push(Diagnostic::error(Code::Unphysical, message).help(help).at(place));
            }
        }
    }
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok(Controllers::new(list, system)) }
}

/// Makes the law of one tree's controller.
struct Maker<'a> {
    scene: &'a Scene,
    system: &'a System,
    tree: usize,
}

/// References by index of the joint.
type Targets = Vec<(usize, Signal)>;

impl Maker<'_> {
    fn law(&self, controller: &types::Controller) -> Result<Law, Refusal> {
        use types::Controller as C;
        Ok(match controller {
            C::Pd {
                kp,
                kd,
                targets,
                keyframes,
                interpolation,
                implicit,
                follow_rate,
                effort_limit,
                gravity_compensation,
                ..
            } => {
                let goal =
                    self.targets(targets, keyframes, interpolation.unwrap_or(Interpolation::Linear))?;
                let [kp, kd, limit] = self.numbers(&goal, kp, kd, effort_limit.as_ref());
                let (joints, target) = self.split(goal);
                let (tree, implicit, compensates) = (self.tree, *implicit, *gravity_compensation);
                Law::Pd(Pd {
                    tree,
                    joints,
                    target,
                    kp,
                    kd,
                    limit,
                    implicit,
                    follows: *follow_rate,
                    compensates,
                    scratch: Vec::new(),
                })
            }
            C::InverseDynamics {
                kp,
                kd,
                targets,
                keyframes,
                interpolation,
                cartesian,
                implicit,
                effort_limit,
                ..
            } => {
                let goal = match cartesian {
                    Some(cartesian) => self.link_path(cartesian)?,
                    None => {
                        self.targets(targets, keyframes, interpolation.unwrap_or(Interpolation::Spline))?
                    }
                };
                let [kp, kd, limit] = self.numbers(&goal, kp, kd, effort_limit.as_ref());
                let (joints, target) = self.split(goal);
                let (tree, implicit, scratch) = (self.tree, *implicit, Default::default());
                Law::InverseDynamics(InverseDynamics {
                    tree,
                    joints,
                    target,
                    kp,
                    kd,
                    limit,
                    implicit,
                    scratch,
                })
            }
            C::GravityCompensation { joints, bias, .. } => {
                let dofs = self.carrying(joints.as_deref());
                Law::Compensation(Compensation { tree: self.tree, dofs, bias: *bias, scratch: Vec::new() })
            }
            C::GripForce { joints, force, feedback, limits, .. } => {
                let place = |(name, factor): (&str, f64)| Some((self.controlled(self.joint(name)?), factor));
                Law::Grip(Grip {
                    joints: joints.factors().into_iter().filter_map(place).collect(),
                    force: signal(force, &[])?,
                    feedback: feedback.as_ref().map(|around| self.around(around)),
                    limits: limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]),
                })
            }
        })
    }

    fn joint(&self, name: &str) -> Option<usize> {
        self.system.trees[self.tree].tree.joints().iter().position(|j| j.name == name)
    }

    fn controlled(&self, joint: usize) -> Controlled {
        Controlled::new(self.system, self.tree, joint)
    }

    fn split(&self, goal: Targets) -> (Vec<Controlled>, Vec<Signal>) {
        goal.into_iter().map(|(joint, signal)| (self.controlled(joint), signal)).unzip()
    }

    /// References in the order of the joints.
    fn targets(
        &self,
        targets: &BTreeMap<String, Drive>,
        keyframes: &[JointKeyframe],
        interpolation: Interpolation,
    ) -> Result<Targets, Refusal> {
        let mut all = Vec::new();
        for (name, drive) in targets {
            all.extend(self.joint(name).zip(Some(signal(drive, &[])?)));
        }
        for name in keyframes.first().iter().flat_map(|first| first.q.keys()) {
            let points = keyframes.iter().filter_map(|k| Some((k.t, *k.q.get(name)?))).collect();
            let curve = Keyframes::new(points, core_interpolation(interpolation))?;
            all.extend(self.joint(name).zip(Some(Signal::Keyframes(curve))));
        }
        all.sort_by_key(|(joint, _)| *joint);
        Ok(all)
    }

    /// kp, kd and the largest effort of every joint.
    fn numbers(&self, goal: &Targets, kp: &Gain, kd: &Gain, limit: Option<&Gain>) -> [Vec<f64>; 3] {
        let joints = self.system.trees[self.tree].tree.joints();
        let of = |gain: &Gain, joint: usize| gain.of(&joints[joint].name);
        let all = |value: &dyn Fn(usize) -> f64| goal.iter().map(|(joint, _)| value(*joint)).collect();
        let largest = |joint: usize| limit.and_then(|l| of(l, joint)).or_else(|| self.own_limit(joint));
        [
            all(&|joint| of(kp, joint).unwrap_or(0.0)),
            all(&|joint| of(kd, joint).unwrap_or(0.0)),
            all(&|joint| largest(joint).unwrap_or(f64::INFINITY)),
        ]
    }

    /// The effort that a joint's own limits allow.
    fn own_limit(&self, joint: usize) -> Option<f64> {
        let tree = &self.scene.trees[self.tree];
        let name = &self.system.trees[self.tree].tree.joints()[joint].name;
        let given = tree.joints.iter().find(|j| j.name == *name)?;
        effective(tree, given).limits?.effort.filter(|effort| *effort > 0.0)
    }

    /// Velocities of the joints that carry: those named, or all but floating and prescribed ones.
    fn carrying(&self, names: Option<&[String]>) -> Vec<(usize, usize)> {
        let part = &self.system.trees[self.tree];
        let first = self.system.tree_velocity(self.tree);
        let joints = part.tree.joints().iter().enumerate();
        let wanted = joints.filter(|(_, joint)| match names {
            Some(names) => names.contains(&joint.name),
            None => joint.kind != JointKind::Free,
        });
        let dofs = wanted.flat_map(|(i, _)| part.tree.v_range(i));
        dofs.filter(|v| part.role[*v] != DofRole::Prescribed).map(|v| (first + v, v)).collect()
    }

    /// Motion of the joints on the way to a link that takes it along a way.
    fn link_path(&self, cartesian: &Cartesian) -> Result<Targets, Refusal> {
        let part = &self.system.trees[self.tree];
        let Some(link) = part.tree.links().iter().position(|l| l.name == cartesian.link) else {
            return Err(format!("there is no link `{}`", cartesian.link).into());
        };
        let moves = |&joint: &usize| {
            part.tree.joints()[joint].kind.nv() == 1
                && part.role[part.tree.v_range(joint).start] != DofRole::Prescribed
        };
        let path = part.tree.dof_path(link).iter();
        let mut joints: Vec<usize> = path.map(|v| part.tree.joint_of_v(*v)).filter(moves).collect();
        joints.dedup();
        let key = |k: &types::PoseKeyframe| PoseKey {
            t: k.t,
            pose: Pose {
                position: Vector3::from(k.position),
                orientation: k.orientation.as_ref().map(orientation),
            },
        };
        let keys: Vec<PoseKey> = cartesian.keyframes.iter().map(key).collect();
        let point = Vector3::from(cartesian.point.unwrap_or_default());
        let curves = joint_path(&part.tree, link, point, &joints, &keys, &part.q).map_err(unreachable)?;
        Ok(joints.into_iter().zip(curves.into_iter().map(Signal::Keyframes)).collect())
    }

    fn around(&self, around: &types::Feedback) -> Loop {
        let body =
            |name: &String| self.system.bodies.iter().position(|b| b.name == *name).unwrap_or(0) as u32;
        let pair = |[a, b]: &[String; 2]| (body(a).min(body(b)), body(a).max(body(b)));
        Loop { between: around.between.iter().map(pair).collect(), kp: around.kp, ki: around.ki }
    }
}

fn unreachable(error: PathError) -> Refusal {
    let (path, help) = match &error {
        PathError::OutOfReach { keyframe, .. } => (
            at!["cartesian", "keyframes", *keyframe],
            "bring the keyframe nearer, leave orientations out, or widen the limits of the joints",
        ),
        PathError::PathOutOfReach { keyframe, .. } => {
            (at!["cartesian", "keyframes", *keyframe], "lead the path around it with more keyframes")
        }
        PathError::Keyframes(_) => (at!["cartesian", "keyframes"], ""),
    };
    Refusal { path, message: error.to_string(), help }
}
