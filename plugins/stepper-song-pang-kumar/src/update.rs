//! The way back: v⁺ and impulses, the deformations at the end of the step, and both contact by contact.

use nalgebra::Vector3;
use vinci_sdk::prelude::*;

use crate::SongPangKumar;
use crate::answer::HostContacts;
use crate::config::{Config, Form};
use crate::full::Full;
use crate::layers::Layers;
use crate::nodes::Nodes;
use crate::state::{Deformation, State};

impl SongPangKumar {
    /// v⁺, impulses and deformations from z; q⁺ = q ⊕ h N v⁺ is the host's.
    pub(crate) fn advance(
        &mut self,
        step: &StepView<'_>,
        solution: &Solution<'_>,
    ) -> Result<Update<'_>, StageError> {
        let expected = self.check(step, solution)?;
        if self.retry > 0.0 {
            let reason = "the compliant contacts ask for a shorter step";
            return Ok(Update { verdict: Verdict::Retry, h_next: self.retry, reason, ..Update::default() });
        }
        let view = StepView { h: self.h, contacts: self.nodes.contacts(&step.contacts), ..*step };
        let n_rigid = if self.config.form == Form::Full { self.full.n_rigid } else { expected };
        let rigid = Solution { z: &solution.z[..n_rigid], ..*solution };
        let update = self.rigid.update(&view, &rigid)?;
        if update.verdict != Verdict::Accept {
            return Ok(update);
        }
        self.host_contacts.nodes(
            &view,
            &self.layers,
            &update,
            &self.config,
            &self.full,
            &solution.z[n_rigid..],
        );
        remember(&mut self.state, &self.host_contacts.end, &view, &self.nodes, &self.layers, update.impulse);
        relax_unseen(&mut self.state, &view, &self.config, &self.layers);
        self.state.end(step, self.config.relaxed);
        let host_contacts = &mut self.host_contacts;
        if !self.nodes.refined {
            let (normal_rate, slip_rate) = (&host_contacts.normal_rate, &host_contacts.slip_rate);
            return Ok(Update { normal_rate, slip_rate, ..update });
        }
        host_contacts.contacts(step, &view, &self.nodes, &update);
        Ok(Update {
            impulse: &host_contacts.contact_impulse,
            normal_rate: &host_contacts.contact_normal_rate,
            slip_rate: &host_contacts.contact_slip_rate,
            ..update
        })
    }
}

impl SongPangKumar {
    /// Number of unknowns. Errors: a solution or a step of another length than was formulated.
    fn check(&self, step: &StepView<'_>, solution: &Solution<'_>) -> Result<usize, StageError> {
        let expected = match self.config.form {
            Form::Reduced => self.rigid.problem().len(),
            Form::Full => self.full.view().n(),
        };
        if solution.z.len() == expected && self.nodes.n_contacts == step.contacts.len() {
            return Ok(expected);
        }
        let found = solution.z.len();
        Err(StageError::bad_input(format!(
            "the solution has {found} numbers for the {expected} unknowns of the step that was formulated"
        )))
    }
}

impl HostContacts {
    /// δ⁺, c and slip rates of the nodes. c is what the problem had: of a compliant node ψ/h + δ_n⁺/h.
    fn nodes(
        &mut self,
        view: &StepView<'_>,
        layers: &Layers,
        update: &Update<'_>,
        config: &Config,
        full: &Full,
        unknowns: &[f64],
    ) {
        let (h, stride) = (view.h, view.contacts.stride());
        self.end.clear();
        for row in 0..layers.delta.len() {
            // δ⁺ = S p/h + r.
            let soft = layers.soft[row / stride];
            let pressed = if soft { layers.compliance.view().row_dot(row, update.impulse) } else { 0.0 };
            self.end.push(h * pressed + layers.rest[row]);
        }
        if config.form == Form::Full {
            for (&row, &delta) in full.rows.iter().zip(unknowns) {
                self.end[row as usize] = delta;
            }
        }
        self.rates(h, stride, layers, update.normal_rate);
    }

    /// c and slip rates from δ⁺.
    fn rates(&mut self, h: f64, stride: usize, layers: &Layers, open: &[f64]) {
        self.normal_rate.clear();
        self.slip_rate.clear();
        for i in 0..layers.soft.len() {
            let row = stride * i;
            self.normal_rate.push(if layers.soft[i] { open[i] + self.end[row] / h } else { open[i] });
            for k in row + 1..row + stride {
                self.slip_rate.push(if layers.soft[i] { (self.end[k] - layers.delta[k]) / h } else { 0.0 });
            }
        }
    }

    /// Impulses by the lever rule, so that force and moment stay what they are; c and the slip so that complementarity and
    /// the power of friction are the sums over the nodes.
    fn contacts(&mut self, step: &StepView<'_>, view: &StepView<'_>, nodes: &Nodes, update: &Update<'_>) {
        let n = step.contacts.len();
        resize(&mut self.contact_impulse, 2 * n);
        resize(&mut self.contact_normal_rate, n);
        resize(&mut self.contact_slip_rate, n);
        for (i, node) in nodes.list.iter().enumerate() {
            let p = &update.impulse[2 * i..2 * i + 2];
            let nu = |k: usize| view.contacts.jacobian.row_dot(2 * i + k, update.v);
            let rho = nu(0) + self.normal_rate[i];
            let slip = nu(1) + self.slip_rate[i];
            for (end, share) in node.ends.iter().zip([1.0 - node.weight, node.weight]) {
                let end = *end as usize;
                self.contact_impulse[2 * end] += share * p[0];
                self.contact_impulse[2 * end + 1] += share * p[1];
                self.contact_normal_rate[end] += share * (p[0] * rho).abs();
                self.contact_slip_rate[end] += share * p[1] * slip;
                // A node at an end is that contact.
                if share == 1.0 && node.ends[0] == node.ends[1] {
                    self.contact_normal_rate[end] = self.normal_rate[i];
                    self.contact_slip_rate[end] = self.slip_rate[i];
                    break;
                }
            }
        }
        for (i, node) in nodes.list.iter().enumerate().filter(|(_, node)| node.ends[0] != node.ends[1]) {
            if node.weight == 0.0 || node.weight == 1.0 {
                self.sum(step, node.ends[node.weight as usize] as usize, i, update);
            }
        }
    }

    /// From Σ |p_n ρ_n| and Σ p_t·s over a contact's nodes to the ρ_n and s that give the same with the contact's impulses.
    fn sum(&mut self, step: &StepView<'_>, contact: usize, end_node: usize, update: &Update<'_>) {
        let nu = |k: usize| step.contacts.jacobian.row_dot(2 * contact + k, update.v);
        let (p_n, p_t) = (self.contact_impulse[2 * contact], self.contact_impulse[2 * contact + 1]);
        let (rho, power) = (self.contact_normal_rate[contact], self.contact_slip_rate[contact]);
        self.contact_normal_rate[contact] =
            if p_n > 0.0 { rho / p_n - nu(0) } else { self.normal_rate[end_node] };
        // Rounding may leave p_n a little below zero.
        let felt = p_t.abs() > 1e-12 * step.contacts.pair.friction[contact] * p_n.max(0.0);
        // Where nothing acts the end moves as its own node does.
        self.contact_slip_rate[contact] = if felt { power / p_t - nu(1) } else { self.slip_rate[end_node] };
    }
}

fn resize(list: &mut Vec<f64>, n: usize) {
    list.clear();
    list.resize(n, 0.0);
}

/// δ⁺ of the nodes of this step.
fn remember(
    state: &mut State,
    end: &[f64],
    view: &StepView<'_>,
    nodes: &Nodes,
    layers: &Layers,
    impulse: &[f64],
) {
    let (contacts, stride) = (&view.contacts, view.contacts.stride());
    state.next.clear();
    for (i, node) in nodes.list.iter().enumerate().filter(|(i, _)| layers.soft[*i]) {
        let vector = |list: &[f64], i: usize| Vector3::from_column_slice(&list[3 * i..3 * i + 3]);
        let rows = stride * i..stride * (i + 1);
        let mut p = [0.0; 3];
        p[..stride].copy_from_slice(&impulse[rows.clone()]);
        let along = |t: usize| vector(contacts.tangent, i * contacts.n_t + t) * end[rows.start + 1 + t];
        state.next.push(Deformation {
            key: node.key,
            number: node.number,
            normal_part: end[rows.start],
            tangent_part: (0..contacts.n_t).map(along).sum(),
            normal: vector(contacts.normal, i),
            impulse: p,
            sharers: layers.sharers[i],
            tau: layers.tau[i],
        });
    }
}

/// K δ + C δ̇ = 0 for nodes whose contacts are not reported any more. Where an edge has become a contact, or the other way
/// round, the nodes of before are what those of now stand for and not another layer beside them: they are forgotten.
fn relax_unseen(state: &mut State, view: &StepView<'_>, config: &Config, layers: &Layers) {
    let seen = state.next.len();
    let State { now, next, .. } = state;
    let mut start = 0;
    while start < now.len() {
        let key = now[start].key;
        let group = &now[start..start + now[start..].iter().take_while(|d| d.key == key).count()];
        start += group.len();
        let was = group[0];
        if next[..seen]
            .iter()
            .any(|d| d.key == key || (d.number == 0) != (was.number == 0) && d.continues(&was))
        {
            continue;
        }
        for (place, d) in group.iter().enumerate() {
            let left = d.tau / (view.h + d.tau);
            let mut d = Deformation { impulse: [0.0; 3], ..*d };
            if config.k.is_some() && layers.decay.len() == 4 * group.len() * group.len() {
                relax_given(&mut d, place, group, &layers.decay);
            } else {
                d.normal_part *= left;
                d.tangent_part *= left;
            }
            next.push(d);
        }
    }
}

/// Relaxation with C and K given as options (planar): δ⁺ = S (C/h) δ over the whole patch.
fn relax_given(d: &mut Deformation, place: usize, group: &[Deformation], decay: &[f64]) {
    let n = 2 * group.len();
    let t = Vector3::new(-d.normal.y, d.normal.x, 0.0);
    let old = |j: usize| {
        let of = &group[j / 2];
        if j.is_multiple_of(2) { of.normal_part } else { of.tangent_part.dot(&t) }
    };
    let row = |i: usize| (0..n).map(|j| decay[n * i + j] * old(j)).sum::<f64>();
    d.normal_part = row(2 * place);
    d.tangent_part = t * row(2 * place + 1);
}
