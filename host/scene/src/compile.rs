//! From a checked scene to the system of core and its drives.

mod controllers;
mod governed;
mod joint_drives;
mod kinds;
mod placement;
mod shapes;
mod signals;
mod supports;
mod trees;

pub use controllers::compile_controllers;
pub use governed::{Governed, compile_governed};
pub(crate) use kinds::core_space;
pub(crate) use placement::{body_pose, scaled};
pub(crate) use shapes::{core_shapes, doubled_area, properties};
pub(crate) use signals::{signal, state_names};
pub(crate) use supports::core_supports;
pub(crate) use trees::{core_tree, frame, inertia_matrix, link_body};

use super::node::Node;
use super::path::{Path, at};
use super::types::{self, AngularVelocity, Body, Dof, Inertia, Material, Scene};
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::types::SpaceName;
use kinds::core_motion;
use nalgebra::{Matrix3, Vector3};
use std::collections::BTreeMap;
use vinci_core::model::{
    self as core, Anchor, Combination, DofRole, MassProperties, MaterialTable, Parts, Space, System,
};
use vinci_engine::drives::{DofDrive, DriveKind, Drives};

/// Friction coefficient of materials that give none.
pub const DEFAULT_FRICTION: f64 = core::Pair::ABSENT.friction;
/// The material that exists always.
pub const DEFAULT_MATERIAL: &str = "default";

/// The system a checked scene describes, and its drives; `node` is the scene with places, for messages.
///
/// # Errors
/// What only the whole system can tell; a scene that passed its checks has no other faults.
pub fn compile(scene: &Scene, node: &Node) -> Result<(System, Drives), Diagnostics> {
    let names = Names::of(scene);
    let space = core_space(scene.space);
    let mut parts = Parts {
        space,
        gravity: gravity(scene),
        bodies: Vec::new(),
        shapes: Vec::new(),
        materials: materials(scene, &names),
        springs: springs(scene, &names),
        torsion_springs: torsion_springs(scene, &names),
        joints: joints(scene, &names),
        supports: Vec::new(),
        ignored_pairs: scene.ignore_contacts.iter().map(|[a, b]| (names.body(a), names.body(b))).collect(),
        initial_pose: Vec::new(),
        initial_velocity: Vec::new(),
        trees: Vec::new(),
        couplers: couplers(scene),
    };
    let mut drives = Drives::default();
    for (i, body) in scene.bodies.iter().enumerate() {
        let first = parts.shapes.len();
        parts.shapes.extend(core_shapes(body, i as u32, space, &|name| names.material(name)));
        let mass = mass_properties(body, &parts.shapes[first..], space);
        let supports = core_supports(scene, body, i as u32, mass.mass);
        parts.supports.extend(supports.map_err(|e| not_compiled(e.to_string(), node, i))?);
        parts.bodies.push(core_body(body, mass, space));
        parts.initial_pose.push(body_pose(body, space));
        parts.initial_velocity.push(velocity(body, space));
        drives.list.extend(body_drives(body, i as u32, scene.space).map_err(|m| not_compiled(m, node, i))?);
    }
    for (i, tree) in scene.trees.iter().enumerate() {
        let first = parts.bodies.len() as u32;
        let material_of = |name: Option<&str>| names.material(name);
        let compiled =
            trees::compile_tree(tree, first, &material_of).map_err(|m| tree_not_compiled(m, node, i))?;
        compiled.add_to(&mut parts);
        let part = &mut parts.trees[i];
        let driven = joint_drives::drive(tree, i as u32, part).map_err(|m| tree_not_compiled(m, node, i))?;
        drives.joints.extend(driven);
    }
    let system = System::new(parts).map_err(|error| not_compiled(error.to_string(), node, usize::MAX))?;
    Ok((system, drives))
}

fn not_compiled(message: String, node: &Node, body: usize) -> Diagnostics {
    let path = if body == usize::MAX { Path::root() } else { at!["bodies", body] };
    Diagnostic::error(Code::Unphysical, message).at(node.place_of(&path).part(0, 1)).into()
}

fn tree_not_compiled(message: String, node: &Node, tree: usize) -> Diagnostics {
    Diagnostic::error(Code::Unphysical, message).at(node.place_of(&at!["trees", tree]).part(0, 1)).into()
}

/// Indices by name. Names that are not there (which the checks refuse) get 0.
struct Names<'a> {
    bodies: BTreeMap<String, u32>,
    /// Where the origins of the bodies lie in the frames that scenes speak of: links have them at their centre of mass.
    origins: Vec<Vector3<f64>>,
    materials: Vec<&'a str>,
}

impl<'a> Names<'a> {
    fn of(scene: &'a Scene) -> Self {
        let own = scene.materials.keys().map(String::as_str).filter(|n| *n != DEFAULT_MATERIAL);
        let links: Vec<(String, Vector3<f64>)> = scene.trees.iter().flat_map(trees::link_origins).collect();
        let (links, centres): (Vec<String>, Vec<Vector3<f64>>) = links.into_iter().unzip();
        let mut origins = vec![Vector3::zeros(); scene.bodies.len()];
        origins.extend(centres);
        let bodies = scene.bodies.iter().map(|b| b.name.clone()).chain(links);
        Self {
            bodies: bodies.zip(0..).collect(),
            origins,
            materials: std::iter::once(DEFAULT_MATERIAL).chain(own).collect(),
        }
    }

    fn body(&self, name: &str) -> u32 {
        self.bodies.get(name).copied().unwrap_or(0)
    }

    fn material(&self, name: Option<&str>) -> u32 {
        self.materials.iter().position(|n| Some(*n) == name).unwrap_or(0) as u32
    }
}

/// A planar or spatial vector with the missing component zero.
fn vector(numbers: &[f64]) -> Vector3<f64> {
    Vector3::from_fn(|i, _| numbers.get(i).copied().unwrap_or(0.0))
}

fn gravity(scene: &Scene) -> Vector3<f64> {
    match (&scene.gravity, scene.space) {
        (Some(g), _) => vector(g),
        (None, SpaceName::Planar) => Vector3::new(0.0, -9.81, 0.0),
        (None, SpaceName::Spatial) => Vector3::new(0.0, 0.0, -9.81),
    }
}

fn materials(scene: &Scene, names: &Names<'_>) -> MaterialTable {
    let mut table = MaterialTable {
        materials: names
            .materials
            .iter()
            .map(|name| core_material(name, scene.materials.get(*name)))
            .collect(),
        ..MaterialTable::default()
    };
    let rules = table.rules.zip(scene.combination.rules());
    table.rules = rules.map(|(usual, given)| given.map_or(usual, core_rule));
    table.patches.extend(scene.patches.iter().map(|patch| {
        let [a, b] = [0, 1].map(|side: usize| names.body(&patch.bodies[side]));
        let types::Patch { cell, stiffness, damping, .. } = *patch;
        core::PatchLaw { bodies: (a.min(b), a.max(b)), cell, stiffness, damping }
    }));
    for pair in &scene.pairs {
        let values = pair.values();
        let sorted = |a: u32, b: u32| (a.min(b), a.max(b));
        if let Some([a, b]) = &pair.materials {
            table.material_pairs.push((sorted(names.material(Some(a)), names.material(Some(b))), values));
        }
        if let Some([a, b]) = &pair.bodies {
            table.body_pairs.push((sorted(names.body(a), names.body(b)), values));
        }
    }
    table
}

fn core_material(name: &str, given: Option<&Material>) -> core::Material {
    let values = given.map_or(core::Pair::ABSENT, |material| {
        material.values().zip(core::Pair::ABSENT).map(|(given, absent)| given.unwrap_or(absent))
    });
    core::Material { name: name.to_owned(), values }
}

fn core_rule(rule: types::Rule) -> Combination {
    match rule {
        types::Rule::Product => Combination::Product,
        types::Rule::Max => Combination::Max,
        types::Rule::Min => Combination::Min,
        types::Rule::Mean => Combination::Mean,
        types::Rule::GeometricMean => Combination::GeometricMean,
        types::Rule::Series => Combination::Series,
    }
}

/// One end of a spring or joint.
fn anchor(names: &Names<'_>, body: Option<&str>, point: &[f64]) -> Anchor {
    match body {
        Some(body) => {
            let index = names.body(body);
            let origin = names.origins.get(index as usize).copied().unwrap_or_default();
            Anchor::Body(index, vector(point) - origin)
        }
        None => Anchor::World(vector(point)),
    }
}

fn named(name: Option<&String>, list: &str, i: usize) -> String {
    name.cloned().unwrap_or_else(|| format!("{list}[{i}]"))
}

fn springs(scene: &Scene, names: &Names<'_>) -> Vec<core::Spring> {
    let compile = |(i, spring): (usize, &types::Spring)| {
        let end = |side: usize| anchor(names, spring.bodies[side].as_deref(), &spring.anchors[side]);
        core::Spring {
            name: named(spring.name.as_ref(), "springs", i),
            a: end(0),
            b: end(1),
            stiffness: spring.stiffness,
            damping: spring.damping,
            rest_length: spring.rest_length,
        }
    };
    scene.springs.iter().enumerate().map(compile).collect()
}

fn torsion_springs(scene: &Scene, names: &Names<'_>) -> Vec<core::TorsionSpring> {
    let compile = |(i, spring): (usize, &types::TorsionSpring)| {
        let body = |side: usize| spring.bodies[side].as_deref().map(|name| names.body(name));
        core::TorsionSpring {
            name: named(spring.name.as_ref(), "torsion_springs", i),
            a: body(0),
            b: body(1),
            stiffness: spring.stiffness,
            damping: spring.damping,
            rest_angle: spring.rest_angle,
        }
    };
    scene.torsion_springs.iter().enumerate().map(compile).collect()
}

fn joints(scene: &Scene, names: &Names<'_>) -> Vec<core::PointJoint> {
    let compile = |(i, joint): (usize, &types::Joint)| {
        let end = |side: usize| anchor(names, joint.bodies[side].as_deref(), &joint.anchors[side]);
        core::PointJoint {
            name: named(joint.name.as_ref(), "joints", i),
            a: end(0),
            b: end(1),
            stabilization: joint.stabilization,
            along: along(joint.along.as_deref()),
        }
    };
    scene.joints.iter().enumerate().map(compile).collect()
}

/// World axes of a joint; default all.
fn along(axes: Option<&[types::WorldAxis]>) -> [bool; 3] {
    use types::WorldAxis::{X, Y, Z};
    axes.map_or([true; 3], |axes| [X, Y, Z].map(|axis| axes.contains(&axis)))
}

fn couplers(scene: &Scene) -> Vec<core::Coupler> {
    let compile = |(i, coupler): (usize, &types::Coupler)| core::Coupler {
        name: named(coupler.name.as_ref(), "couplers", i),
        joints: [0, 1].map(|side| trees::dof(scene, &coupler.joints[side]).unwrap_or_default()),
        ratio: coupler.ratio,
        offset: coupler.offset,
        stabilization: coupler.stabilization,
    };
    scene.couplers.iter().enumerate().map(compile).collect()
}

/// Mass and inertia about the origin of the body; what is not given comes from the shapes at uniform density.
pub(crate) fn mass_properties(body: &Body, shapes: &[core::Shape], space: Space) -> MassProperties {
    let lump = properties(shapes, space);
    let mass = body.mass.unwrap_or_else(|| body.density.unwrap_or(0.0) * lump.measure);
    let inertia = match &body.inertia {
        Some(Inertia::Moment(moment)) => Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, *moment)),
        Some(Inertia::Principal(moments)) => Matrix3::from_diagonal(&Vector3::from(*moments)),
        Some(Inertia::Matrix(rows)) => Matrix3::from_fn(|i, j| rows[i][j]),
        None if lump.measure > 0.0 => lump.inertia * (mass / lump.measure),
        None => Matrix3::zeros(),
    };
    MassProperties { mass, inertia }
}

fn core_body(body: &Body, mass: MassProperties, space: Space) -> core::Body {
    let n = space.nv();
    let dofs = body.dofs.in_order(if n == 3 { SpaceName::Planar } else { SpaceName::Spatial });
    let role = |dof: Option<&Dof>| match dof {
        _ if body.is_static => DofRole::Prescribed,
        Some(Dof::Locked | Dof::Position(_) | Dof::Velocity(_)) => DofRole::Prescribed,
        Some(Dof::Impedance(_)) => DofRole::Impedance,
        Some(Dof::Free | Dof::Force(_)) | None => DofRole::Free,
    };
    let stiffness = |dof: Option<&Dof>| match dof {
        Some(Dof::Impedance(impedance)) if !body.is_static => impedance.stiffness,
        _ => 0.0,
    };
    core::Body {
        name: body.name.clone(),
        mass,
        is_static: body.is_static,
        role: dofs.iter().map(|(_, dof)| role(*dof)).collect(),
        impedance: dofs.iter().map(|(_, dof)| stiffness(*dof)).collect(),
        motion: body.motion.map(core_motion),
        drag: body.drag.clone().unwrap_or_else(|| vec![0.0; n]),
        damping: body.damping.clone().unwrap_or_else(|| vec![0.0; n]),
        gravity: body.gravity.unwrap_or(true),
    }
}

fn velocity(body: &Body, space: Space) -> Vec<f64> {
    let mut v = body.velocity.clone().unwrap_or_else(|| vec![0.0; space.dim()]);
    match (&body.angular_velocity, space) {
        (Some(AngularVelocity::Planar(omega)), _) => v.push(*omega),
        (Some(AngularVelocity::Spatial(omega)), _) => v.extend(omega),
        (None, space) => v.resize(space.nv(), 0.0),
    }
    v
}

fn body_drives(body: &Body, index: u32, space: SpaceName) -> Result<Vec<DofDrive>, String> {
    let mut drives = Vec::new();
    if body.is_static {
        return Ok(drives);
    }
    for (dof, (_, value)) in body.dofs.in_order(space).into_iter().enumerate() {
        let (kind, drive, state) = match value {
            Some(Dof::Position(drive)) => (DriveKind::Position, drive, [].as_slice()),
            Some(Dof::Velocity(drive)) => (DriveKind::Velocity, drive, [].as_slice()),
            Some(Dof::Force(drive)) => (DriveKind::Force, drive, state_names(space)),
            Some(Dof::Impedance(impedance)) => (DriveKind::Impedance, &impedance.command, [].as_slice()),
            Some(Dof::Free | Dof::Locked) | None => continue,
        };
        drives.push(DofDrive { body: index, dof, kind, signal: signal(drive, state)? });
    }
    Ok(drives)
}
