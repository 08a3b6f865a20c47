//! Layers whose nodes give way under the forces on others: one law for all nodes of a patch.
//!
//! With e = δ⁺ + τ δ̇ (C = τ K) the law λ = K δ⁺ + C δ̇ reads F λ = e, F = K⁻¹:
//!
//! ```text
//!   F_ij = (δ_ij + c exp(−r_ij/L))/√(k_i k_j) + sink(r_ij)        sink: 1/(π E* r), of nodes of the scene's patches alone
//! ```
//!
//! along normals, and divided by the ratio along the tangents. What presses touches, so e_n is known there, and Σ_j F_ij p_j/h is to be
//! it. What does not press must not overlap: there e_n of touching surfaces is at most that. Along the surface the law holds at every
//! node. A node of the scene's patches has its own k; those of other pairs have one part α of the pair's in common, between 1/N and 1,
//! which is taken from the forces themselves.

use nalgebra::Vector3;

use super::contacts::{beside, nan_max};
use super::declaration::LayerCoupling;
use super::findings::{Criterion, Findings};
use super::layer_change::Node;
use super::layers::Layers;
use crate::contact::{Contacts, along_surface, sink};
use crate::lists::at;
use crate::stage::StepView;

/// Demand of the law on a node.
#[derive(Debug, Clone, Copy, Default)]
struct Given {
    /// F λ along the normal and the surface, m, with the pair's stiffness.
    normal: f64,
    tangent: Vector3<f64>,
    /// F_ii, m/N.
    own: f64,
}

impl Layers {
    /// Judges the nodes of every patch that `judge` has noted, but for those that `is_other` takes out, and corrects what is remembered of
    /// those that do not press.
    pub(super) fn judge_coupled(
        &mut self,
        (law, ratio): (LayerCoupling, f64),
        step: &StepView<'_>,
        is_other: impl Fn(&[Node]) -> bool,
        found: &mut Findings,
    ) {
        let nodes = std::mem::take(&mut self.nodes);
        for patch in patches(&step.contacts, &nodes).iter().filter(|patch| !is_other(patch)) {
            let given: Vec<Given> =
                patch.iter().map(|node| flexible(law, ratio, step, node, patch)).collect();
            let part = part(patch, &given);
            for (node, given) in patch.iter().zip(&given) {
                let (n, t) = (given.normal / part, given.tangent / part);
                let normal = if node.pressed { (n - node.e_n).abs() } else { (node.e_n - n).max(0.0) };
                let off = nan_max(normal, (t - node.e_t).norm()) - node.noise;
                let stiff = step.h * part / given.own;
                let size =
                    if node.pressed { node.e_n.abs() } else { 0.0 } + n.abs() + t.norm() + node.e_t.norm();
                found.take(
                    Criterion::ForceLaw,
                    beside(stiff * nan_max(off, 0.0), stiff * size, node.weight),
                    node.at,
                );
                if !node.pressed {
                    // δ⁺ = (h F λ + τ δ)/(h + τ).
                    let rests = (step.h * n + node.tau * node.was) / (step.h + node.tau);
                    self.after[node.layer].normal = rests.max(node.open);
                }
            }
        }
        self.nodes = nodes;
    }
}

/// Nodes by pair of shapes and normal.
pub(super) fn patches(contacts: &Contacts<'_>, nodes: &[Node]) -> Vec<Vec<Node>> {
    let shapes = |node: &Node| (contacts.key[node.at].shape_a, contacts.key[node.at].shape_b);
    let mut out: Vec<Vec<Node>> = Vec::new();
    let mut first = 0;
    for node in nodes {
        if out.get(first).is_none_or(|patch| shapes(&patch[0]) != shapes(node)) {
            first = out.len();
        }
        let same = |patch: &Vec<Node>| contacts.same_normal(patch[0].at, node.at);
        match out[first..].iter_mut().find(|patch| same(patch)) {
            Some(patch) => patch.push(*node),
            None => out.push(vec![*node]),
        }
    }
    out
}

/// F_ij, m/N.
fn flexibility(law: LayerCoupling, contacts: &Contacts<'_>, i: usize, j: usize) -> f64 {
    let k = |i: usize| contacts.pair.stiffness[i];
    let r = along_surface(&at(contacts.point_b, i), &at(contacts.point_b, j), &at(contacts.normal, i));
    let mut influence = if i == j { 1.0 } else { 0.0 };
    if law.strength > 0.0 {
        influence += law.strength * (-r / law.length).exp();
    }
    let below = law.half_space.is_finite() && contacts.cell(i) > 0.0 && contacts.cell(j) > 0.0;
    influence / (k(i) * k(j)).sqrt() + if below { sink(law.half_space, r, contacts.cell(i)) } else { 0.0 }
}

/// Σ_j F_ij λ_j.
fn flexible(law: LayerCoupling, ratio: f64, step: &StepView<'_>, node: &Node, patch: &[Node]) -> Given {
    let mut given = Given { own: flexibility(law, &step.contacts, node.at, node.at), ..Given::default() };
    for other in patch.iter().filter(|other| other.p_n != 0.0 || other.p_t != Vector3::zeros()) {
        let f = flexibility(law, &step.contacts, node.at, other.at) / step.h;
        given.normal += f * other.p_n;
        given.tangent += f / ratio * other.p_t;
    }
    given
}

/// α: the part of the pair's stiffness that every node of the patch has, by least squares over what presses.
fn part(patch: &[Node], given: &[Given]) -> f64 {
    let least = patch.iter().map(|node| node.share).fold(1.0, f64::min);
    let (mut product, mut square) = (0.0, 0.0);
    for (node, given) in patch.iter().zip(given).filter(|(node, _)| node.pressed) {
        product += given.normal * node.e_n + given.tangent.dot(&node.e_t);
        square += node.e_n.powi(2) + node.e_t.norm_squared();
    }
    if square > 0.0 { (product / square).clamp(least, 1.0) } else { 1.0 }
}
