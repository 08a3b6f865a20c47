//! Which bodies can ever meet, and with which contact parameters.

use std::collections::{BTreeMap, BTreeSet};

use vinci_core::model::{DofRole, MotionSource, Pair, System};

use vinci_engine::drives::Drives;

/// Two shapes that may meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meeting {
    /// Indices of the shapes, the lower body first.
    pub shapes: [u32; 2],
    /// Their bodies.
    pub bodies: [u32; 2],
    /// Parameters of their contact; in a patch those of a node that has a whole cell.
    pub pair: Pair,
    /// True if the bodies meet in patches.
    pub patch: bool,
}

impl Meeting {
    /// "`ball` and `floor`".
    pub fn between(&self, system: &System) -> String {
        let [a, b] = self.bodies.map(|body| &system.bodies[body as usize].name);
        format!("`{a}` and `{b}`")
    }
}

/// Pairs of bodies that may meet: one for every two materials, and one for every pair of bodies that has values or a patch of its own.
///
/// Two bodies may meet unless the scene ignores their contacts, or neither of them ever moves.
pub fn meetings(system: &System, drives: &Drives) -> Vec<Meeting> {
    let look = MeetingSearch::new(system, drives);
    let mut found = Vec::new();
    let materials: Vec<u32> = look.shapes.keys().copied().collect();
    for (i, a) in materials.iter().enumerate() {
        for b in &materials[i..] {
            found.extend(look.first(*a, *b));
        }
    }
    for bodies in &look.own {
        look.special(*bodies, &mut found);
    }
    found.sort_by_key(|m: &Meeting| (m.bodies, m.shapes));
    found.dedup();
    found
}

struct MeetingSearch<'a> {
    system: &'a System,
    /// Marks of bodies that never move.
    still: Vec<bool>,
    ignored: BTreeSet<(u32, u32)>,
    /// Pairs of bodies with values or a patch of their own.
    own: BTreeSet<(u32, u32)>,
    /// Bodies of every material, with one of their shapes.
    shapes: BTreeMap<u32, BTreeMap<u32, u32>>,
}

impl<'a> MeetingSearch<'a> {
    fn new(system: &'a System, drives: &Drives) -> Self {
        let driven = drives.prescribed(system);
        let mut shapes: BTreeMap<u32, BTreeMap<u32, u32>> = BTreeMap::new();
        for (k, shape) in system.shapes.iter().enumerate() {
            shapes.entry(shape.material).or_default().entry(shape.body).or_insert(k as u32);
        }
        let given = system.materials.body_pairs.iter().map(|(bodies, _)| *bodies);
        Self {
            still: (0..system.bodies.len() as u32).map(|body| is_still(system, &driven, body)).collect(),
            ignored: system.ignored_pairs.chunks_exact(2).map(|p| (p[0], p[1])).collect(),
            own: given.chain(system.materials.patches.iter().map(|law| law.bodies)).collect(),
            shapes,
            system,
        }
    }

    fn may_meet(&self, a: u32, b: u32) -> bool {
        let still = |body: u32| self.still[body as usize];
        a != b && !(still(a) && still(b)) && !self.ignored.contains(&(a.min(b), a.max(b)))
    }

    fn meeting(&self, (body_a, shape_a): (u32, u32), (body_b, shape_b): (u32, u32)) -> Meeting {
        let mut ends = [(body_a, shape_a), (body_b, shape_b)];
        ends.sort_unstable();
        let material = |shape: u32| self.system.shapes[shape as usize].material;
        let side = |(body, shape): (u32, u32)| (material(shape), body);
        let materials = &self.system.materials;
        let law = materials.patch(body_a, body_b);
        let mut pair = materials.pair(side(ends[0]), side(ends[1]));
        if let Some(law) = law {
            let area = law.cell * law.cell;
            (pair.stiffness, pair.damping) = (law.stiffness * area, law.damping * area);
        }
        Meeting { shapes: ends.map(|e| e.1), bodies: ends.map(|e| e.0), pair, patch: law.is_some() }
    }

    /// The first two bodies of two materials that may meet and have no values of their own.
    fn first(&self, a: u32, b: u32) -> Option<Meeting> {
        let common = |x: u32, y: u32| self.may_meet(x, y) && !self.own.contains(&(x.min(y), x.max(y)));
        self.shapes[&a].iter().find_map(|(x, shape_x)| {
            let (y, shape_y) = self.shapes[&b].iter().find(|(y, _)| common(*x, **y))?;
            Some(self.meeting((*x, *shape_x), (*y, *shape_y)))
        })
    }

    /// All materials of two bodies with values of their own.
    fn special(&self, (a, b): (u32, u32), found: &mut Vec<Meeting>) {
        if !self.may_meet(a, b) {
            return;
        }
        let of = |body: u32| self.shapes.values().filter_map(move |list| Some((body, *list.get(&body)?)));
        for x in of(a) {
            found.extend(of(b).map(|y| self.meeting(x, y)));
        }
    }
}

/// Returns true if a body never moves: it is static, or all its velocities are locked.
fn is_still(system: &System, driven: &[u32], body: u32) -> bool {
    let locked = |role: DofRole, velocity: usize| {
        role == DofRole::Prescribed && driven.binary_search(&(velocity as u32)).is_err()
    };
    match system.motion_source(body) {
        MotionSource::Fixed => true,
        MotionSource::Block(block) => {
            let first = system.layout().block_start[block as usize] as usize;
            let roles = &system.bodies[body as usize].role;
            roles.iter().enumerate().all(|(k, role)| locked(*role, first + k))
        }
        MotionSource::Link { tree, link } => {
            let (part, first) = (&system.trees[tree as usize], system.tree_velocity(tree as usize));
            part.tree.dof_path(link as usize).iter().all(|&dof| locked(part.role[dof], first + dof))
        }
    }
}
