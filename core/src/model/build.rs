//! Building a system: every body and every tree gets its place, and what only the whole can check is checked.

use super::inertia::check_inertia;
use super::{Anchor, ModelError, MotionSource, Parts, Space, System};
use crate::state::BlockKind;

impl System {
    /// Builds the system and checks what only the whole can check (references, masses, lengths).
    pub fn new(parts: Parts) -> Result<Self, ModelError> {
        let (nq, nv) = (parts.space.nq() as u32, parts.space.nv() as u32);
        check_references(&parts)?;
        let n = parts.bodies.len();
        let mut system = Self {
            space: parts.space,
            gravity: parts.gravity,
            ignored_pairs: parts.ignored_pairs.iter().flat_map(|&(a, b)| [a.min(b), a.max(b)]).collect(),
            initial_pose: parts.initial_pose.concat(),
            initial_velocity: Vec::new(),
            motion_sources: vec![MotionSource::Fixed; n],
            body_of_block: Vec::new(),
            block_start: vec![0],
            q_start: vec![0],
            block_kind: Vec::new(),
            quaternion: Vec::new(),
            reach: vec![0.0; n],
            body_inertia: parts.bodies.iter().map(|b| b.mass.inertia).collect(),
            bodies: parts.bodies,
            shapes: parts.shapes,
            materials: parts.materials,
            springs: parts.springs,
            torsion_springs: parts.torsion_springs,
            joints: parts.joints,
            supports: parts.supports,
            trees: parts.trees,
            couplers: parts.couplers,
        };
        let mut is_link = vec![false; n];
        system.trees.iter().flat_map(|t| &t.bodies).for_each(|&b| is_link[b as usize] = true);
        for i in (0..n).filter(|i| !is_link[*i]) {
            system.add_block(i, &parts.initial_velocity[i], nq, nv)?;
        }
        (0..system.trees.len()).try_for_each(|k| system.add_tree(k))?;
        system.place_links();
        for shape in &system.shapes {
            let reach = &mut system.reach[shape.body as usize];
            *reach = reach.max(shape.reach());
        }
        Ok(system)
    }

    fn add_block(&mut self, i: usize, velocity: &[f64], nq: u32, nv: u32) -> Result<(), ModelError> {
        let body = &self.bodies[i];
        if body.is_static {
            return Ok(());
        }
        let moment = body.mass.moment();
        let bad = |reason: String| Err(ModelError::BadBody { body: body.name.clone(), reason });
        if !(body.mass.mass > 0.0 && body.mass.mass.is_finite()) {
            return bad(format!("mass must be positive and finite, found {}", body.mass.mass));
        }
        if self.space == Space::Planar && !(moment > 0.0 && moment.is_finite()) {
            return bad(format!("moment of inertia must be positive and finite, found {moment}"));
        }
        if self.space == Space::Spatial
            && let Err(reason) = check_inertia(&body.mass.inertia)
        {
            return bad(reason);
        }
        self.motion_sources[i] = MotionSource::Block(self.body_of_block.len() as u32);
        self.body_of_block.push(i as u32);
        self.block_start.push(self.block_start[self.block_start.len() - 1] + nv);
        self.q_start.push(self.q_start[self.q_start.len() - 1] + nq);
        let kind = if self.space == Space::Planar { BlockKind::Planar } else { BlockKind::Spatial };
        self.block_kind.push(kind as u8);
        self.initial_velocity.extend_from_slice(velocity);
        Ok(())
    }

    fn add_tree(&mut self, k: usize) -> Result<(), ModelError> {
        let part = &self.trees[k];
        let (nq, nv) = (part.tree.nq(), part.tree.nv());
        let bad = |reason: String| Err(ModelError::BadBody { body: part.tree.name().to_owned(), reason });
        if self.space == Space::Planar {
            return bad("trees live in spatial systems only".into());
        }
        let lengths = [
            (part.bodies.len(), part.tree.links().len()),
            (part.q.len(), nq),
            (part.v.len(), nv),
            (part.role.len(), nv),
            (part.impedance.len(), nv),
            (part.drag.len(), nv),
        ];
        if lengths.iter().any(|(found, expected)| found != expected) {
            return bad(format!("lists of {lengths:?} entries, found and expected, do not fit"));
        }
        for (link, &body) in part.bodies.iter().enumerate() {
            let place = match self.motion_sources.get_mut(body as usize) {
                Some(place) => place,
                None => return bad(format!("link {link} refers to body {body}, which is not there")),
            };
            *place = MotionSource::Link { tree: k as u32, link: link as u32 };
        }
        let (q0, v0) = (self.q_start[self.q_start.len() - 1], self.block_start[self.block_start.len() - 1]);
        self.quaternion.extend(part.tree.quaternions().flat_map(|(i, j)| [q0 + i as u32, v0 + j as u32]));
        self.block_start.push(v0 + nv as u32);
        self.q_start.push(q0 + nq as u32);
        self.block_kind.push(BlockKind::Tree as u8);
        self.initial_velocity.extend_from_slice(&part.v);
        Ok(())
    }

    /// Links at the trees' initial coordinates.
    fn place_links(&mut self) {
        if !self.trees.is_empty() {
            self.initial_pose = self.placed(&self.initial_q()).poses().to_vec();
        }
    }
}

/// Checks that every reference to a body is to one that is there.
fn check_references(parts: &Parts) -> Result<(), ModelError> {
    let n = parts.bodies.len();
    for (i, shape) in parts.shapes.iter().enumerate() {
        check_body(format!("shape {i}"), shape.body, n)?;
    }
    for spring in &parts.springs {
        for anchor in [&spring.a, &spring.b] {
            if let Anchor::Body(body, _) = anchor {
                check_body(format!("spring `{}`", spring.name), *body, n)?;
            }
        }
    }
    for joint in &parts.joints {
        for anchor in [&joint.a, &joint.b] {
            if let Anchor::Body(body, _) = anchor {
                check_body(format!("joint `{}`", joint.name), *body, n)?;
            }
        }
    }
    for torsion in &parts.torsion_springs {
        for body in [torsion.a, torsion.b].into_iter().flatten() {
            check_body(format!("torsion spring `{}`", torsion.name), body, n)?;
        }
    }
    for (i, support) in parts.supports.iter().enumerate() {
        check_body(format!("support point {i}"), support.body, n)?;
    }
    Ok(())
}

fn check_body(what: String, index: u32, bodies: usize) -> Result<(), ModelError> {
    if (index as usize) < bodies { Ok(()) } else { Err(ModelError::NoSuchBody { what, index, bodies }) }
}
