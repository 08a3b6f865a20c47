//! The visco-elastic law of the layers over one step: δ⁺ = S λ⁺ + r, S = (K + C/h)⁻¹, r = S (C/h) δ.

use nalgebra::Vector3;
use vinci_sdk::core::contact::{along_surface, sink};
use vinci_sdk::core::lists::at;
use vinci_sdk::core::rigid::Compliance;
use vinci_sdk::prelude::*;

use crate::config::{Config, Form};
use crate::matrix;
use crate::nodes::Nodes;
use crate::state::{Deformation, State};

/// Layers of a step, rows (normal, tangents) by node, stride = 1 + n_t.
#[derive(Debug, Default)]
pub(crate) struct Layers {
    /// Marks of nodes whose pair has a finite stiffness.
    pub(crate) soft: Vec<bool>,
    /// δ at the start, in the basis of the node's contact, m.
    pub(crate) delta: Vec<f64>,
    /// r, what is left of it at the end where no force acts, m.
    pub(crate) rest: Vec<f64>,
    /// K of every node alone, N/m, and C/K, s.
    pub(crate) stiffness: Vec<f64>,
    /// How many nodes share the stiffness of their patch.
    pub(crate) sharers: Vec<u32>,
    pub(crate) tau: Vec<f64>,
    /// S/h², m/s per N s.
    pub(crate) compliance: CsrBuf,
    /// r_n/h; (r_t − δ_t)/h, m/s.
    pub(crate) shift: Vec<f64>,
    /// K + C/h, N/m (full form only).
    pub(crate) operator: CsrBuf,
    /// S (C/h) of the matrices given as options, for patches that are out of sight.
    pub(crate) decay: Vec<f64>,
    s: Vec<f64>,
    a: Vec<f64>,
    offset: Vec<usize>,
    block: Vec<f64>,
    scratch: [Vec<f64>; 2],
}

impl Layers {
    /// Reads the deformations and makes S, r, and what the rows feel of them.
    pub(crate) fn build(
        &mut self,
        step: &StepView<'_>,
        nodes: &Nodes,
        state: &State,
        config: &Config,
    ) -> Result<(), StageError> {
        self.recall(step, nodes, state)?;
        self.share(step, nodes, state);
        self.s.clear();
        self.a.clear();
        self.offset.clear();
        if let (Some(k), h) = (&config.k, step.h) {
            self.given(k, config.c.as_ref(), h)?;
        }
        for patch in 0..nodes.n_patches() {
            self.offset.push(self.s.len());
            let members = nodes.of_patch(patch);
            if !self.soft[members[0] as usize] {
                continue;
            }
            match config.k {
                Some(_) => self.given_patch(step, members, config)?,
                None => self.patch(step, members, config)?,
            }
        }
        self.rows(step, nodes, config);
        Ok(())
    }

    /// Compliance on the contacts' rows, or nothing where every pair is rigid.
    pub(crate) fn compliance(&self) -> Option<Compliance<'_>> {
        let any = self.soft.iter().any(|s| *s);
        any.then(|| Compliance { matrix: self.compliance.view(), shift: &self.shift })
    }

    /// δ of every node. One that carried no impulse begins no farther apart than its surfaces touch, δ_n ≥ −ψ.
    fn recall(&mut self, step: &StepView<'_>, nodes: &Nodes, state: &State) -> Result<(), StageError> {
        let contacts = &step.contacts;
        for list in [&mut self.delta, &mut self.rest, &mut self.tau] {
            list.clear();
        }
        self.soft.clear();
        for (i, node) in nodes.list.iter().enumerate() {
            let (k, c) = (contacts.pair.stiffness[i], contacts.pair.damping[i]);
            check_pair(contacts, i)?;
            self.soft.push(k.is_finite());
            self.tau.push(if k.is_finite() { c / k } else { 0.0 });
            let kept = state.get(node.key, node.number).filter(|_| k.is_finite());
            let normal = at(contacts.normal, i);
            let tangent = kept.map_or(Vector3::zeros(), |d| d.tangent_at(&normal));
            let begins = if k.is_finite() { (-contacts.gap[i]).max(0.0) } else { 0.0 };
            let carried = |d: &Deformation| if d.impulse[0] > 0.0 { f64::NEG_INFINITY } else { begins };
            self.delta.push(kept.map_or(begins, |d| d.normal_part.max(carried(d))));
            for t in 0..contacts.n_t {
                self.delta.push(tangent.dot(&at(contacts.tangent, i * contacts.n_t + t)));
            }
        }
        self.rest.resize(self.delta.len(), 0.0);
        Ok(())
    }

    /// k_i of every node: its share k/N among the N nodes that its patch has now, or has had if those were more. Less stiffness at the same δ
    /// takes energy out; more would make some, so N never falls while the patch lasts.
    fn share(&mut self, step: &StepView<'_>, nodes: &Nodes, state: &State) {
        let contacts = &step.contacts;
        self.stiffness.clear();
        self.stiffness.extend_from_slice(contacts.pair.stiffness);
        self.sharers.clear();
        self.sharers.resize(nodes.list.len(), 1);
        for patch in 0..nodes.n_patches() {
            let members = nodes.of_patch(patch);
            let first = members[0] as usize;
            // A node of the scene's patches has the stiffness of its own area, whoever is beside it.
            if contacts.cell(first) > 0.0 {
                continue;
            }
            let normal = at(contacts.normal, first);
            let before = state.of_pair(contacts.key[first]).iter().filter(|d| {
                members.iter().any(|&i| contacts.key[i as usize] == d.key) || d.same_side(&normal)
            });
            let sharers = before.fold(members.len() as u32, |most, d| most.max(d.sharers));
            let share = contacts.pair.stiffness[first] / f64::from(sharers);
            for i in members.iter().map(|&i| i as usize) {
                (self.stiffness[i], self.sharers[i]) = (share, sharers);
            }
        }
    }

    /// S and r of a patch with the stiffness of its pair: C = τ K, so S = F h/(h + τ) with F = K⁻¹, and r = τ/(h + τ) δ.
    fn patch(&mut self, step: &StepView<'_>, members: &[u32], config: &Config) -> Result<(), StageError> {
        let (h, stride) = (step.h, step.contacts.stride());
        self.flexibility(step, members, config);
        let tau = self.tau[members[0] as usize];
        self.s.extend(self.block.iter().map(|f| f * (h / (h + tau))));
        for &i in members {
            for k in stride * i as usize..stride * (i as usize + 1) {
                self.rest[k] = tau / (h + tau) * self.delta[k];
            }
        }
        if config.form == Form::Full {
            let [column, out] = &mut self.scratch;
            let size = stride * members.len();
            matrix::invert(&mut self.block, size, column, out).map_err(|defect| singular(&defect))?;
            self.a.extend(self.block.iter().map(|k| k * ((h + tau) / h)));
        }
        Ok(())
    }

    /// F_ij = (δ_ij + c exp(−|x_i − x_j|/L))/√(k_i k_j) of a patch, and of nodes what the half-spaces below give way, in `block`.
    fn flexibility(&mut self, step: &StepView<'_>, members: &[u32], config: &Config) {
        let stride = step.contacts.stride();
        let size = stride * members.len();
        self.block.clear();
        self.block.resize(size * size, 0.0);
        for (row, &i) in members.iter().enumerate() {
            for (column, &j) in members.iter().enumerate() {
                let (i, j) = (i as usize, j as usize);
                let mut influence = if i == j { 1.0 } else { 0.0 };
                if config.coupling > 0.0 {
                    influence += config.coupling * (-distance(step, i, j) / config.coupling_length).exp();
                }
                let f = influence / (self.stiffness[i] * self.stiffness[j]).sqrt()
                    + config.half_space.map_or(0.0, |modulus| half_space(step, modulus, i, j));
                self.block[stride * row * size + stride * column] = f;
                for (a, b) in (1..stride).flat_map(|a| (1..stride).map(move |b| (a, b))) {
                    let angle = tangents(step, i, j, a - 1, b - 1);
                    self.block[(stride * row + a) * size + stride * column + b] =
                        f / config.tangential_ratio * angle;
                }
            }
        }
    }

    /// Layer matrices of K and C given as options: K + C/h in `block`, and S (C/h).
    fn given(&mut self, k: &[Vec<f64>], c: Option<&Vec<Vec<f64>>>, h: f64) -> Result<(), StageError> {
        let n = k.len();
        let damping = |i: usize, j: usize| c.map_or(0.0, |c| c[i][j] / h);
        let entries = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        self.block.clear();
        self.block.extend(entries.clone().map(|(i, j)| k[i][j] + damping(i, j)));
        let [column, out] = &mut self.scratch;
        matrix::invert(&mut self.block, n, column, out).map_err(|defect| singular(&defect))?;
        self.decay.clear();
        for (i, j) in entries {
            let entry = (0..n).map(|l| self.block[n * i + l] * damping(l, j)).sum();
            self.decay.push(entry);
        }
        Ok(())
    }

    /// S, K + C/h and r of a patch with the matrices given as options.
    fn given_patch(
        &mut self,
        step: &StepView<'_>,
        members: &[u32],
        config: &Config,
    ) -> Result<(), StageError> {
        let Some(k) = &config.k else { return Ok(()) };
        check_size(step, members, config.nodes)?;
        self.s.extend_from_slice(&self.block);
        if config.form == Form::Full {
            let damping = |i: usize, j: usize| config.c.as_ref().map_or(0.0, |c| c[i][j] / step.h);
            let n = k.len();
            self.a.extend((0..n * n).map(|e| k[e / n][e % n] + damping(e / n, e % n)));
        }
        let [delta, rest] = &mut self.scratch;
        delta.clear();
        delta.extend(
            members.iter().flat_map(|&i| [2 * i as usize, 2 * i as usize + 1]).map(|k| self.delta[k]),
        );
        matrix::multiply(&self.decay, delta, rest);
        for (place, &i) in members.iter().enumerate() {
            let largest = k[2 * place][2 * place].max(k[2 * place + 1][2 * place + 1]);
            self.stiffness[i as usize] = largest;
            self.rest[2 * i as usize..][..2].copy_from_slice(&rest[2 * place..][..2]);
        }
        Ok(())
    }

    /// Compliance, shift and (full form) operator over all rows.
    fn rows(&mut self, step: &StepView<'_>, nodes: &Nodes, config: &Config) {
        let (h, stride) = (step.h, step.contacts.stride());
        let n = stride * nodes.list.len();
        self.compliance.clear(n);
        self.operator.clear(n);
        self.shift.clear();
        for (i, node) in nodes.list.iter().enumerate() {
            let members = nodes.of_patch(node.patch as usize);
            let size = stride * members.len();
            for k in 0..stride {
                let row = stride * i + k;
                let was = if k == 0 { 0.0 } else { self.delta[row] };
                self.shift.push(if self.soft[i] { (self.rest[row] - was) / h } else { 0.0 });
                if self.soft[i] {
                    let at = self.offset[node.patch as usize] + (stride * node.place as usize + k) * size;
                    matrix::push_row(
                        &mut self.compliance,
                        &self.s[at..at + size],
                        members,
                        stride,
                        1.0 / (h * h),
                    );
                    if config.form == Form::Full {
                        matrix::push_row(&mut self.operator, &self.a[at..at + size], members, stride, 1.0);
                    }
                }
                self.compliance.end_row();
                self.operator.end_row();
            }
        }
    }
}

fn check_pair(contacts: &Contacts<'_>, i: usize) -> Result<(), StageError> {
    let (k, c) = (contacts.pair.stiffness[i], contacts.pair.damping[i]);
    if !(k > 0.0) {
        return Err(StageError::bad_input(format!(
            "the stiffness of contact {i} must be above 0, found {k} N/m"
        )));
    }
    if !(c >= 0.0 && c.is_finite()) {
        return Err(StageError::bad_input(format!(
            "the damping of contact {i} must be finite and at least 0, found {c} N s/m"
        )));
    }
    if c > 0.0 && k == f64::INFINITY {
        let ContactKey { shape_a, shape_b, .. } = contacts.key[i];
        return Err(StageError::bad_model(format!(
            "shapes {shape_a} and {shape_b} have damping ({c} N s/m) without stiffness: a rigid layer cannot be damped; \
             give a stiffness"
        )));
    }
    Ok(())
}

fn check_size(step: &StepView<'_>, members: &[u32], nodes: usize) -> Result<(), StageError> {
    if members.len() == nodes {
        return Ok(());
    }
    let key = step.contacts.key[members[0] as usize];
    Err(StageError::unsupported(format!(
        "shapes {} and {} touch in a patch of {} node(s), but K and C are for {nodes}: they need an edge that lies on \
         another, with both ends reported (raise the detector's margin), or `nodes` 1",
        key.shape_a,
        key.shape_b,
        members.len(),
    )))
}

fn singular(defect: &matrix::Defect) -> StageError {
    StageError::bad_model(format!(
        "the stiffness of a patch {defect}: nodes coincide or lie too close for the coupling"
    ))
}

/// Boussinesq's sink of a half-space of contact modulus E* at node i under 1 N on node j, m/N; 0 for contacts that are no nodes.
fn half_space(step: &StepView<'_>, modulus: f64, i: usize, j: usize) -> f64 {
    let (a, b) = (step.contacts.cell(i), step.contacts.cell(j));
    if a > 0.0 && b > 0.0 { sink(modulus, distance(step, i, j), a) } else { 0.0 }
}

/// |x_i − x_j| along their surface, m.
fn distance(step: &StepView<'_>, i: usize, j: usize) -> f64 {
    let x = |i: usize| at(step.contacts.point_b, i);
    along_surface(&x(i), &x(j), &at(step.contacts.normal, i))
}

/// t_a of node i times t_b of node j: nodes of a patch share their normal, not their tangents.
fn tangents(step: &StepView<'_>, i: usize, j: usize, a: usize, b: usize) -> f64 {
    if i == j {
        return if a == b { 1.0 } else { 0.0 };
    }
    let t = |i: usize, a: usize| at(step.contacts.tangent, i * step.contacts.n_t + a);
    t(i, a).dot(&t(j, b))
}
