//! Planar edges of more nodes than contacts, and layers with matrices of their own: forces recomputed from the motion.
//!
//! Node j lies at w_j of the way from contact a to contact b of an edge. Its gap and its motion are linear between theirs, its
//! deformation δ is remembered. With S = (K + C/h)⁻¹ and r = S (C/h) δ the layers' δ⁺ = S λ + r, and λ is the one solution of
//!
//! ```text
//!   0 ≤ λ_n ⟂ δ_n⁺ + ψ + h ν_n ≥ 0,      λ_t against the slip δ_t⁺ − δ_t + h ν_t, |λ_t| ≤ μ λ_n
//! ```
//!
//! by projected Gauss–Seidel. What the stepper tells of the contacts is to be h Σ (1 − w_j) λ_j and h Σ w_j λ_j. The layers of an edge
//! take work, Σ λ·(δ⁺ − δ) since it was seen, beside ½ δᵀ K δ of what they begin with; it is never negative.

use nalgebra::{DMatrix, DVector};

use super::contacts::{beside, nan_max};
use super::coupled::patches;
use super::declaration::{LayerCoupling, LayerMatrices};
use super::findings::{Criterion, Findings};
use super::layer::add;
use super::layer_change::Node;
use super::layers::given;
use crate::contact::{ContactKey, Contacts};
use crate::lists::at;
use crate::stage::StepView;

/// Sweeps of Gauss–Seidel at most, and the part of the largest force that is no change any more.
const SWEEPS: usize = 2000;
const SETTLED: f64 = 1e-14;
/// Deformation below which a node out of sight is forgotten, m.
const FORGOTTEN: f64 = 1e-15;

/// Declared law of the layers of edges.
#[derive(Debug, Clone, Copy)]
pub(super) struct EdgeLaw<'a> {
    pub(super) coupling: LayerCoupling,
    pub(super) ratio: f64,
    pub(super) nodes: u32,
    pub(super) matrices: Option<&'a LayerMatrices>,
}

/// Memory of one node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct EdgeNode {
    key: ContactKey,
    number: u32,
    /// δ_n, δ_t, m.
    delta: [f64; 2],
    pressed: bool,
    /// c/k of the pair, s.
    tau: f64,
    /// Of the first node: work that the layers of the edge took so far, J, and the sum of its terms' sizes.
    work: [f64; 2],
}

/// Numbers per node in a file.
pub(super) const NUMBERS: usize = 11;

impl EdgeNode {
    /// The node as numbers.
    pub(super) fn numbers(&self) -> [f64; NUMBERS] {
        let [a, b, c, d] = self.key.numbers();
        let pressed = f64::from(u8::from(self.pressed));
        let [work, terms] = self.work;
        [a, b, c, d, self.number.into(), self.delta[0], self.delta[1], pressed, self.tau, work, terms]
    }

    /// The reverse.
    pub(super) fn of_numbers(n: &[f64]) -> Option<Self> {
        let n: &[f64; NUMBERS] = n.try_into().ok()?;
        let key = ContactKey::of_numbers([n[0], n[1], n[2], n[3]]);
        let (number, pressed) = (n[4] as u32, n[7] != 0.0);
        Some(Self { key, number, delta: [n[5], n[6]], pressed, tau: n[8], work: [n[9], n[10]] })
    }

    fn pair(&self) -> (u32, u32) {
        (self.key.shape_a, self.key.shape_b)
    }
}

/// Nodes after the step under judgement.
#[derive(Debug, Clone, Default)]
pub(super) struct Edges {
    after: Vec<EdgeNode>,
}

/// An edge: λ and what it follows from, (normal, tangent) of node 1, node 2, …
struct Edge {
    s: DMatrix<f64>,
    rest: DVector<f64>,
    delta: DVector<f64>,
    /// −(ψ + h ν_n) and h ν_t.
    motion: DVector<f64>,
    mu: f64,
    force: DVector<f64>,
    /// Work that its layers took before the step, J, and the sum of its terms' sizes.
    work: [f64; 2],
}

impl EdgeLaw<'_> {
    /// Returns true if the nodes of a patch are others than its contacts, or have matrices.
    pub(super) fn is_of(&self, contacts: &Contacts<'_>, patch: &[Node]) -> bool {
        let whole = if self.nodes > 1 { 2 } else { 1 };
        contacts.n_t == 1 && patch.len() == whole && (self.nodes > 1 || self.matrices.is_some())
    }

    /// w_j.
    fn weight(&self, j: usize) -> f64 {
        if self.nodes > 1 { j as f64 / f64::from(self.nodes - 1) } else { 0.0 }
    }

    /// S, and r for a δ.
    fn response(
        &self,
        step: &StepView<'_>,
        patch: &[Node],
        delta: &DVector<f64>,
    ) -> Option<(DMatrix<f64>, DVector<f64>)> {
        let h = step.h;
        if let Some(LayerMatrices { k, c }) = self.matrices {
            let s = (k + c / h).cholesky()?.inverse();
            let rest = &s * (c * delta / h);
            return Some((s, rest));
        }
        let (n, tau) = (self.nodes as usize, patch[0].tau);
        let share = step.contacts.pair.stiffness[patch[0].at] / n as f64;
        let length = (at(step.contacts.point_b, patch[0].at)
            - at(step.contacts.point_b, patch[patch.len() - 1].at))
        .norm();
        let s = DMatrix::from_fn(2 * n, 2 * n, |row, column| {
            let (i, j) = (row / 2, column / 2);
            if row % 2 != column % 2 {
                return 0.0;
            }
            let own = if i == j { 1.0 } else { 0.0 };
            let r = length * (self.weight(i) - self.weight(j)).abs();
            let influence = own + self.coupling.strength * (-r / self.coupling.length).exp();
            influence / share / if row % 2 == 1 { self.ratio } else { 1.0 } * h / (h + tau)
        });
        Some((s, delta * (tau / (h + tau))))
    }

    /// K from S.
    fn stiffness(&self, s: &DMatrix<f64>, h: f64, tau: f64) -> Option<DMatrix<f64>> {
        match self.matrices {
            Some(LayerMatrices { k, .. }) => Some(k.clone()),
            None => Some((s * ((h + tau) / h)).cholesky()?.inverse()),
        }
    }
}

impl Edges {
    /// Begins a step.
    pub(super) fn begin(&mut self) {
        self.after.clear();
    }

    /// Judges every edge among the soft contacts of a step. `before`: nodes at its start.
    pub(super) fn judge(
        &mut self,
        law: EdgeLaw<'_>,
        step: &StepView<'_>,
        nodes: &[Node],
        before: &[EdgeNode],
        found: &mut Findings,
    ) {
        for patch in patches(&step.contacts, nodes).iter().filter(|patch| law.is_of(&step.contacts, patch)) {
            let Some(mut edge) = edge(law, step, patch, before) else { continue };
            edge.solve();
            compare(law, step, patch, &edge, found);
            let end = &edge.s * &edge.force + &edge.rest;
            let work = edge.work_after(&end);
            found.take(Criterion::ForceLaw, given(work), patch[0].at);
            let sheared = (0..law.nodes as usize).fold(0.0_f64, |m, j| m.max(end[2 * j + 1].abs()));
            found.take(Criterion::Deformation, sheared / patch[0].thin(), patch[0].at);
            let key = step.contacts.key[patch[0].at];
            self.after.extend((0..law.nodes as usize).map(|j| EdgeNode {
                key,
                number: j as u32,
                delta: [end[2 * j], end[2 * j + 1]],
                pressed: edge.force[2 * j] > 0.0,
                tau: patch[0].tau,
                work: if j == 0 { work } else { [0.0; 2] },
            }));
        }
    }

    /// The step is accepted: nodes out of sight relax, those of a pair that is seen otherwise now are forgotten.
    pub(super) fn commit(
        &self,
        h: f64,
        matrices: Option<&LayerMatrices>,
        contacts: &Contacts<'_>,
        into: &mut Vec<EdgeNode>,
    ) {
        if self.after.is_empty() && into.is_empty() {
            return;
        }
        let seen = |node: &EdgeNode| {
            contacts.key.binary_search_by(|k| (k.shape_a, k.shape_b).cmp(&node.pair())).is_ok()
        };
        into.retain(|node| !seen(node));
        for group in into.chunk_by_mut(|a, b| a.key == b.key) {
            relax(group, h, matrices);
        }
        into.retain(|node| node.delta[0].hypot(node.delta[1]) > FORGOTTEN);
        into.extend_from_slice(&self.after);
        into.sort_by_key(|node| (node.key, node.number));
    }
}

/// δ⁺ = S (C/h) δ of a patch without forces.
fn relax(group: &mut [EdgeNode], h: f64, matrices: Option<&LayerMatrices>) {
    group.iter_mut().for_each(|node| node.pressed = false);
    let given = matrices.filter(|m| m.k.nrows() == 2 * group.len());
    if let Some(LayerMatrices { k, c }) = given
        && let Some(factor) = (k + c / h).cholesky()
    {
        let delta = DVector::from_iterator(k.nrows(), group.iter().flat_map(|node| node.delta));
        let left = factor.solve(&(c * delta / h));
        group.iter_mut().enumerate().for_each(|(j, node)| node.delta = [left[2 * j], left[2 * j + 1]]);
    } else {
        group.iter_mut().for_each(|node| node.delta = node.delta.map(|d| d * node.tau / (h + node.tau)));
    }
}

/// The problem of an edge: motion between its ends, δ from memory. A node that carried nothing begins no farther apart than it touches.
fn edge(law: EdgeLaw<'_>, step: &StepView<'_>, patch: &[Node], before: &[EdgeNode]) -> Option<Edge> {
    let n = law.nodes as usize;
    let (a, b) = (&patch[0], &patch[patch.len() - 1]);
    let between = |j: usize, x: f64, y: f64| {
        if a.at == b.at { x } else { (1.0 - law.weight(j)) * x + law.weight(j) * y }
    };
    let key = step.contacts.key[a.at];
    let (mut delta, mut motion) = (DVector::zeros(2 * n), DVector::zeros(2 * n));
    let (mut was, mut work) = (DVector::zeros(2 * n), [0.0; 2]);
    for j in 0..n {
        let known = before.binary_search_by_key(&(key, j as u32), |node| (node.key, node.number)).ok();
        let known = known.map(|place| before[place]);
        let closed = (-between(j, step.contacts.gap[a.at], step.contacts.gap[b.at])).max(0.0);
        let [normal, tangent] = known.map_or([0.0; 2], |node| node.delta);
        let kept = known.is_some_and(|node| node.pressed);
        delta[2 * j] = if kept { normal } else { normal.max(closed) };
        delta[2 * j + 1] = tangent;
        (was[2 * j], was[2 * j + 1]) = (normal, tangent);
        known.into_iter().for_each(|node| (0..2).for_each(|k| work[k] += node.work[k]));
        motion[2 * j] = between(j, a.open, b.open);
        motion[2 * j + 1] = between(j, a.moves, b.moves);
    }
    let (s, rest) = law.response(step, patch, &delta)?;
    if was != delta {
        let k = law.stiffness(&s, step.h, a.tau)?;
        add(&mut work, 0.5 * (delta.dot(&(&k * &delta)) - was.dot(&(&k * &was))));
    }
    let mu = step.contacts.pair.friction[a.at];
    Some(Edge { s, rest, delta, motion, mu, force: DVector::zeros(2 * n), work })
}

impl Edge {
    /// The work of its layers after the step, which ends at δ⁺, and the sum of its terms' sizes.
    fn work_after(&self, end: &DVector<f64>) -> [f64; 2] {
        let mut work = self.work;
        for k in 0..end.len() {
            add(&mut work, self.force[k] * (end[k] - self.delta[k]));
        }
        work
    }

    /// λ by projected Gauss–Seidel.
    fn solve(&mut self) {
        let n = self.force.len();
        for _ in 0..SWEEPS {
            let mut change = 0.0_f64;
            for row in 0..n {
                let end = self.s.row(row).dot(&self.force.transpose()) + self.rest[row];
                let own = self.s[(row, row)];
                let next = if row % 2 == 0 {
                    (self.force[row] - (end - self.motion[row]) / own).max(0.0)
                } else {
                    let bound = self.mu * self.force[row - 1];
                    let slip = end - self.delta[row] + self.motion[row];
                    (self.force[row] - slip / own).clamp(-bound, bound)
                };
                change = change.max((next - self.force[row]).abs());
                self.force[row] = next;
            }
            if !(change > SETTLED * self.force.amax()) {
                break;
            }
        }
    }
}

/// Ends of an edge as they are told, beside its nodes' forces.
fn compare(law: EdgeLaw<'_>, step: &StepView<'_>, patch: &[Node], edge: &Edge, found: &mut Findings) {
    for (end, node) in patch.iter().enumerate() {
        let share = |j: usize| match end {
            _ if patch.len() == 1 => 1.0,
            0 => 1.0 - law.weight(j),
            _ => law.weight(j),
        };
        let (mut p, mut size) = ([0.0; 2], 0.0);
        for j in 0..law.nodes as usize {
            let h = step.h * share(j);
            (0..2).for_each(|k| p[k] += h * edge.force[2 * j + k]);
            size += h * (edge.force[2 * j].abs() + edge.force[2 * j + 1].abs());
        }
        let told = [node.p_n, node.p_t.dot(&at(step.contacts.tangent, node.at))];
        let off = nan_max((p[0] - told[0]).abs(), (p[1] - told[1]).abs());
        let noise = step.h * node.noise / edge.s[(0, 0)];
        found.take(Criterion::ForceLaw, beside(nan_max(off - noise, 0.0), size, node.weight), node.at);
    }
}
