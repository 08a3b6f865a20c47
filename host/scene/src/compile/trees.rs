//! Trees of core: links become bodies (owners of shapes), joints a [`Tree`].

use super::super::trees::{Layout, LinkPlace, default_start, effective};
use super::super::types::{self, Body, Coordinates, Dofs, Inertia, Link, Orientation, TreeJointKind};
use super::core_shapes;
use super::kinds::core_motion;
use super::placement::{orientation, scaled};
use nalgebra::{Isometry3, Matrix3, Vector3};
use vinci_core::model::{self as core, DofRole, MassProperties, Space, TreePart};
use vinci_core::state::quaternion_of;
use vinci_core::tree::{Joint, JointKind, Limits, Link as CoreLink, Tree, TreeError, TreeState};

/// Parts that a tree adds to a system; `bodies` are those of its links.
pub(super) struct CompiledTree {
    pub(super) part: TreePart,
    pub(super) bodies: Vec<core::Body>,
    pub(super) shapes: Vec<core::Shape>,
    /// Poses and velocities of the bodies at the start.
    pub(super) poses: Vec<Vec<f64>>,
    pub(super) velocities: Vec<Vec<f64>>,
    /// Bodies that do not touch.
    pub(super) ignored: Vec<(u32, u32)>,
}

impl CompiledTree {
    /// Adds the tree behind what is there.
    pub(super) fn add_to(self, parts: &mut core::Parts) {
        parts.bodies.extend(self.bodies);
        parts.shapes.extend(self.shapes);
        parts.initial_pose.extend(self.poses);
        parts.initial_velocity.extend(self.velocities);
        parts.ignored_pairs.extend(self.ignored);
        parts.trees.push(self.part);
    }
}

/// Names of the bodies of a tree's links and where, in the link frames, their origins lie.
pub(super) fn link_origins(tree: &types::Tree) -> Vec<(String, Vector3<f64>)> {
    let places = Layout::of(tree).map(|layout| layout.places).unwrap_or_default();
    let links = places.iter().map(|p| &tree.links[p.link]);
    links.map(|link| (body_name(tree, link), Vector3::from(link.com))).collect()
}

/// (tree, dof of the tree) of a joint `TREE.JOINT`: its first degree of freedom.
pub(super) fn dof(scene: &types::Scene, name: &str) -> Option<(u32, u32)> {
    let (tree_name, joint) = name.split_once('.')?;
    let index = scene.trees.iter().position(|t| t.name == tree_name)?;
    let tree = &scene.trees[index];
    let layout = Layout::of(tree).ok()?;
    let at = layout.places.iter().position(|p| layout.joint_name(tree, *p) == joint)?;
    let before: usize = layout.places[..at].iter().map(|p| layout.kind(tree, *p).core().nv()).sum();
    Some((index as u32, before as u32))
}

fn body_name(tree: &types::Tree, link: &Link) -> String {
    format!("{}/{}", tree.name, link.name)
}

/// A tree of a checked scene; its first link becomes the body `first`.
pub(super) fn compile_tree(
    tree: &types::Tree,
    first: u32,
    material_of: &dyn Fn(Option<&str>) -> u32,
) -> Result<CompiledTree, String> {
    let layout = Layout::of(tree)
        .map_err(|faults| faults.into_iter().map(|f| f.message).collect::<Vec<_>>().join("; "))?;
    let core_tree = core_tree(tree, &layout).map_err(|e| e.to_string())?;
    let links = layout.places.iter().map(|p| &tree.links[p.link]);
    let mut shapes = Vec::new();
    for (i, link) in links.clone().enumerate() {
        shapes.extend(link_shapes(tree, link, first + i as u32, material_of));
    }
    let bodies = links.map(|link| core_body(tree, link)).collect();
    let (q, v) = start(tree, &layout);
    let (poses, velocities) = placed(&core_tree, &q, &v);
    let nv = core_tree.nv();
    let part = TreePart {
        bodies: (0..layout.places.len()).map(|i| first + i as u32).collect(),
        q,
        v,
        role: vec![DofRole::Free; nv],
        impedance: vec![0.0; nv],
        drag: vec![0.0; nv],
        motion: tree.motion.map(core_motion),
        gravity: tree.gravity.unwrap_or(true),
        tree: core_tree,
    };
    let ignored = ignored_pairs(tree, &layout).map(|(a, b)| (first + a as u32, first + b as u32)).collect();
    Ok(CompiledTree { part, bodies, shapes, poses, velocities, ignored })
}

/// Links and joints as core has them, in the order of the layout.
///
/// # Errors
/// What core refuses.
pub(crate) fn core_tree(tree: &types::Tree, layout: &Layout) -> Result<Tree, TreeError> {
    let links = layout.places.iter().map(|p| core_link(&tree.links[p.link])).collect();
    let joints = layout.places.iter().map(|p| core_joint(tree, layout, *p)).collect();
    Tree::new(tree.name.clone(), links, joints)
}

fn core_link(link: &Link) -> CoreLink {
    CoreLink {
        name: link.name.clone(),
        mass: link.mass,
        com: Vector3::from(link.com),
        inertia: inertia_matrix(link).unwrap_or_else(Matrix3::zeros),
    }
}

/// The inertia of a link as it was given.
pub(crate) fn inertia_matrix(link: &Link) -> Option<Matrix3<f64>> {
    match link.inertia.as_ref()? {
        Inertia::Moment(_) => None,
        Inertia::Principal(moments) => Some(Matrix3::from_diagonal(&Vector3::from(*moments))),
        Inertia::Matrix(rows) => Some(Matrix3::from_fn(|i, j| rows[i][j])),
    }
}

fn core_joint(tree: &types::Tree, layout: &Layout, place: LinkPlace) -> Joint {
    let kind = layout.kind(tree, place).core();
    let mut joint = Joint::new(layout.joint_name(tree, place), kind, place.parent);
    let Some(given) = place.joint.map(|j| effective(tree, &tree.joints[j])) else {
        if kind == JointKind::Fixed {
            joint.frame = base_frame(tree);
        }
        return joint;
    };
    let own = frame(given.position, given.orientation.as_ref());
    joint.frame = if place.parent.is_none() { base_frame(tree) * own } else { own };
    joint.axis = given.axis.map_or_else(Vector3::z, |axis| Vector3::from(scaled(axis)).normalize());
    joint.limits = given.limits.filter(|l| l.lower.is_some() || l.upper.is_some()).map(|l| Limits {
        lower: l.lower.unwrap_or(f64::NEG_INFINITY),
        upper: l.upper.unwrap_or(f64::INFINITY),
    });
    (joint.damping, joint.friction) = (given.damping, given.friction);
    (joint.rotor_inertia, joint.gear_ratio) = (given.rotor_inertia, given.gear_ratio);
    joint
}

/// The frame of a position and an orientation; what is absent is that of the world.
pub(crate) fn frame(position: Option<[f64; 3]>, turned: Option<&Orientation>) -> Isometry3<f64> {
    let at = Vector3::from(position.unwrap_or_default());
    Isometry3::from_parts(at.into(), turned.map_or_else(Default::default, orientation))
}

fn base_frame(tree: &types::Tree) -> Isometry3<f64> {
    let base = tree.base.clone().unwrap_or_default();
    frame(base.position, base.orientation.as_ref())
}

/// A link as a body of the scene format: its shapes stand in the link frame.
pub(crate) fn link_body(tree: &types::Tree, link: &Link) -> Body {
    let material = tree.materials.get(&link.name).or(link.material.as_ref()).or(tree.material.as_ref());
    Body {
        name: body_name(tree, link),
        is_static: false,
        mass: Some(link.mass),
        density: None,
        inertia: Some(link.inertia.clone().unwrap_or(Inertia::Principal([0.0; 3]))),
        material: material.cloned(),
        shapes: link.shapes.clone(),
        position: None,
        angle: None,
        orientation: None,
        velocity: None,
        angular_velocity: None,
        dofs: Dofs::default(),
        drag: None,
        damping: None,
        motion: tree.motion,
        gravity: tree.gravity,
        supports: None,
    }
}

/// The shapes of a link; bodies have their origin at the centre of mass.
fn link_shapes(
    tree: &types::Tree,
    link: &Link,
    body: u32,
    material_of: &dyn Fn(Option<&str>) -> u32,
) -> Vec<core::Shape> {
    let mut shapes = core_shapes(&link_body(tree, link), body, Space::Spatial, material_of);
    for shape in &mut shapes {
        shape.pose.iter_mut().zip(link.com).for_each(|(x, c)| *x -= c);
    }
    shapes
}

/// The body of a link: its tree moves it, so it has no degrees of freedom of its own.
fn core_body(tree: &types::Tree, link: &Link) -> core::Body {
    core::Body {
        name: body_name(tree, link),
        mass: MassProperties {
            mass: link.mass,
            inertia: inertia_matrix(link).unwrap_or_else(Matrix3::zeros),
        },
        is_static: false,
        role: Vec::new(),
        impedance: Vec::new(),
        motion: tree.motion.map(core_motion),
        drag: Vec::new(),
        damping: Vec::new(),
        gravity: tree.gravity.unwrap_or(true),
    }
}

/// Coordinates and velocities at the start.
fn start(tree: &types::Tree, layout: &Layout) -> (Vec<f64>, Vec<f64>) {
    let (mut q, mut v) = (Vec::new(), Vec::new());
    for place in &layout.places {
        let (name, kind) = (layout.joint_name(tree, *place), layout.kind(tree, *place));
        let limits = place.joint.and_then(|j| effective(tree, &tree.joints[j]).limits);
        match (tree.start.get(name), place.joint) {
            (Some(given), Some(_)) => q.extend(given_start(given, kind)),
            (None, None) if kind == TreeJointKind::Free => q.extend(pose_numbers(&base_frame(tree))),
            _ if kind.core().nq() == 1 => q.push(default_start(limits.as_ref())),
            _ => q.extend(neutral(kind.core())),
        }
        match tree.velocity.get(name) {
            Some(given) => v.extend_from_slice(given.numbers()),
            None => v.resize(v.len() + kind.core().nv(), 0.0),
        }
    }
    (q, v)
}

fn given_start(given: &Coordinates, kind: TreeJointKind) -> Vec<f64> {
    let mut q = given.numbers().to_vec();
    if kind.core().has_quaternion() {
        let n = q.len() - 4;
        let turned = quaternion_of(&scaled([q[n], q[n + 1], q[n + 2], q[n + 3]]));
        q[n..].copy_from_slice(&[turned.w, turned.i, turned.j, turned.k]);
    }
    q
}

fn neutral(kind: JointKind) -> Vec<f64> {
    let mut q = vec![0.0; kind.nq()];
    if kind.has_quaternion() {
        q[kind.nq() - 4] = 1.0;
    }
    q
}

/// (p, quaternion wxyz) of a frame.
fn pose_numbers(frame: &Isometry3<f64>) -> Vec<f64> {
    let (p, q) = (frame.translation.vector, frame.rotation);
    vec![p.x, p.y, p.z, q.w, q.i, q.j, q.k]
}

/// Poses and velocities of all bodies (at their centres of mass).
fn placed(tree: &Tree, q: &[f64], v: &[f64]) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let mut state = TreeState::default();
    state.update(tree, q);
    state.set_velocity(tree, v);
    let of_link = |i: usize| {
        let centre = state.centre(tree, i);
        let (linear, angular) = state.link_velocity(i, &centre);
        let pose = pose_numbers(&Isometry3::from_parts(centre.into(), *state.rotation(i)));
        (pose, linear.iter().chain(angular.iter()).copied().collect())
    };
    (0..tree.links().len()).map(of_link).unzip()
}

/// Pairs of links with shapes that do not touch: all, or with `self_collision` those that are fixed together or whose groups
/// a joint joins.
fn ignored_pairs<'a>(tree: &'a types::Tree, layout: &'a Layout) -> impl Iterator<Item = (usize, usize)> + 'a {
    let groups = layout.groups(tree);
    let above: Vec<Option<usize>> =
        layout.places.iter().map(|p| p.parent.and_then(|parent| groups[parent])).collect();
    let has_shapes = |i: usize| !tree.links[layout.places[i].link].shapes.is_empty();
    let joined = move |a: usize, b: usize| {
        let over = |i: usize| groups[i].and_then(|g| above[g]);
        groups[a] == groups[b]
            || (groups[b].is_some() && over(b) == groups[a])
            || (groups[a].is_some() && over(a) == groups[b])
    };
    let n = layout.places.len();
    let pairs = (0..n).flat_map(move |a| (a + 1..n).map(move |b| (a, b)));
    pairs.filter(move |&(a, b)| has_shapes(a) && has_shapes(b) && (!tree.self_collision || joined(a, b)))
}
