//! Names of coordinates and velocities, as columns and messages have them: `BODY.vx`, `TREE.JOINT.q`.

use vinci_core::model::{MotionSource, Space, System};
use vinci_core::tree::JointKind;

const PLANAR: [&[&str]; 2] = [&["x", "y", "angle"], &["vx", "vy", "omega"]];
const SPATIAL: [&[&str]; 2] =
    [&["x", "y", "z", "qw", "qx", "qy", "qz"], &["vx", "vy", "vz", "wx", "wy", "wz"]];
const SINGLE: [&[&str]; 2] = [&["q"], &["v"]];
const CYLINDRICAL: [&[&str]; 2] = [&["z", "angle"], &["vz", "omega"]];
const BALL: [&[&str]; 2] = [&["qw", "qx", "qy", "qz"], &["wx", "wy", "wz"]];
/// Displacements of a body's velocities; rotations are rotation vectors.
const MOVED: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// Owner of a number, and which of the owner's numbers it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Body, or TREE.JOINT.
    pub owner: String,
    /// Name of the number.
    pub name: &'static str,
}

impl std::fmt::Display for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.owner, self.name)
    }
}

/// Labels of all positions of a block, then of all its velocities.
pub fn block(system: &System, block: usize) -> [Vec<Label>; 2] {
    let label = |owner: &str, names: &[&'static str]| {
        names.iter().map(|name| Label { owner: owner.to_owned(), name }).collect::<Vec<_>>()
    };
    match system.tree_of(block) {
        None => {
            let names = if system.space == Space::Planar { PLANAR } else { SPATIAL };
            names.map(|names| label(system.block_name(block), names))
        }
        Some(part) => [0, 1].map(|side| {
            let joints = part.tree.joints().iter();
            let name = |joint: &str| format!("{}.{joint}", part.tree.name());
            joints.flat_map(|j| label(&name(&j.name), joint_names(j.kind)[side])).collect()
        }),
    }
}

/// Units of all positions of a block, then of all its velocities, as [`block`] labels them; `1` for quaternions.
pub fn units(system: &System, block: usize) -> [Vec<&'static str>; 2] {
    let labels = self::block(system, block);
    let joint = |label: &Label| {
        let part = system.tree_of(block)?;
        let name = label.owner.strip_prefix(part.tree.name())?.strip_prefix('.')?;
        part.tree.joints().iter().find(|joint| joint.name == name)
    };
    let unit = |label: &Label| {
        let slides = joint(label).is_some_and(|joint| joint.kind == JointKind::Prismatic);
        match (label.name, slides) {
            ("q", true) => "m",
            ("q", false) => "rad",
            ("v", true) => "m/s",
            ("v", false) => "rad/s",
            (name, _) => unit_of_name(name),
        }
    };
    labels.map(|side| side.iter().map(unit).collect())
}

/// Unit of a number of a pose or of the velocity of a body.
pub fn unit_of_name(name: &str) -> &'static str {
    match name {
        "x" | "y" | "z" => "m",
        "angle" => "rad",
        "vx" | "vy" | "vz" => "m/s",
        "omega" | "wx" | "wy" | "wz" => "rad/s",
        _ => "1",
    }
}

/// Names of the numbers of a pose.
pub fn pose(space: Space) -> &'static [&'static str] {
    if space == Space::Planar { PLANAR[0] } else { SPATIAL[0] }
}

fn joint_names(kind: JointKind) -> [&'static [&'static str]; 2] {
    match kind {
        JointKind::Fixed => [&[], &[]],
        JointKind::Revolute | JointKind::Prismatic => SINGLE,
        JointKind::Cylindrical => CYLINDRICAL,
        JointKind::Planar => PLANAR,
        JointKind::Ball => BALL,
        JointKind::Free => SPATIAL,
    }
}

/// Label of a velocity; `None` where there is no such velocity.
pub fn velocity(system: &System, dof: usize) -> Option<Label> {
    if dof >= system.nv() {
        return None;
    }
    let at = system.block_of_dof(dof);
    let [_, mut velocities] = block(system, at);
    let k = dof - system.layout().block_start[at] as usize;
    (k < velocities.len()).then(|| velocities.swap_remove(k))
}

/// Unit of the displacement along a velocity, `m` or `rad`; `None` where there is no such velocity.
pub fn unit(system: &System, dof: usize) -> Option<&'static str> {
    let label = velocity(system, dof)?;
    let at = system.block_of_dof(dof);
    let single = |kind: JointKind| if kind == JointKind::Prismatic { "m" } else { "rad" };
    match (label.name, system.tree_of(at)) {
        ("v", Some(part)) => {
            let name = label.owner.strip_prefix(part.tree.name())?.strip_prefix('.')?;
            part.tree.joints().iter().find(|joint| joint.name == name).map(|joint| single(joint.kind))
        }
        (name, _) => Some(if name.starts_with('v') { "m" } else { "rad" }),
    }
}

/// Label of the displacement along a velocity: `BODY.rx` for a rotation, `TREE.JOINT.q`.
pub fn displacement(system: &System, dof: usize) -> Option<Label> {
    displaced(velocity(system, dof)?)
}

/// Labels of the displacements along all velocities, nv.
pub fn displacements(system: &System) -> Vec<Label> {
    let blocks = (0..system.n_blocks()).flat_map(|b| {
        let [_, velocities] = block(system, b);
        velocities
    });
    blocks.filter_map(displaced).collect()
}

/// Label of the displacement along the velocity of a label.
fn displaced(label: Label) -> Option<Label> {
    let name = match label.name {
        "v" => "q",
        "omega" => "angle",
        name => {
            let place = SPATIAL[1].iter().position(|n| *n == name)?;
            MOVED[place]
        }
    };
    Some(Label { name, ..label })
}

/// Label of the force or torque along a velocity: `BODY.fx`, `BODY.torque`, `TREE.JOINT.effort`.
pub fn effort(system: &System, dof: usize) -> Option<Label> {
    let label = velocity(system, dof)?;
    let name = match label.name {
        "v" => "effort",
        "omega" => "torque",
        name => {
            let place = SPATIAL[1].iter().position(|n| *n == name)?;
            ["fx", "fy", "fz", "tx", "ty", "tz"][place]
        }
    };
    Some(Label { name, ..label })
}

/// Name of a block and of the motion of one of its velocities, for messages: (body or tree, `vx` or `JOINT.v`).
pub fn of_block(system: &System, dof: usize) -> Option<(String, String)> {
    let label = velocity(system, dof)?;
    let owner = system.block_name(system.block_of_dof(dof));
    match label.owner.strip_prefix(owner).and_then(|rest| rest.strip_prefix('.')) {
        Some(joint) => Some((owner.to_owned(), format!("{joint}.{}", label.name))),
        None => Some((owner.to_owned(), label.name.to_owned())),
    }
}

/// Bodies whose place is drawn and told: those that move by themselves, then the last link of every tree.
pub fn places(system: &System) -> Vec<u32> {
    let own = (0..system.bodies.len() as u32)
        .filter(|b| matches!(system.motion_source(*b), MotionSource::Block(_)));
    own.chain(system.trees.iter().filter_map(|t| t.bodies.last().copied())).collect()
}
