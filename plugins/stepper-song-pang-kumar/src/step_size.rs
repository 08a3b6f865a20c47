//! Step sizes that the compliant contacts allow (Esposito, Kumar, Pappas: the step as input, the gap as output).

use vinci_sdk::core::rigid::gap_rate;
use vinci_sdk::prelude::*;

use crate::config::Config;
use crate::layers::Layers;

/// Chooses steps. Keeps its memory between them.
#[derive(Debug, Default)]
pub(crate) struct StepSize {
    /// Marks of bodies that have a closed contact.
    touched: Vec<bool>,
    /// 1/M_ii of every velocity, 0 where it is prescribed.
    mobility: Vec<f64>,
    /// Σ k Wᵀ M⁻¹ W of every block, 1/s².
    omega2: Vec<f64>,
}

impl StepSize {
    /// h, or less: see README.md. `step` has the nodes as contacts.
    pub(crate) fn choose(&mut self, step: &StepView<'_>, config: &Config, layers: &Layers) -> f64 {
        let dynamic = |code: &u8| *code == MotionModel::Dynamic as u8 || (*code == 0 && is_dynamic(config));
        if (config.kappa.is_none() && config.eta.is_none()) || !step.motion.iter().all(dynamic) {
            return step.h;
        }
        self.look(step);
        let mut h = step.h;
        if let Some(kappa) = config.kappa {
            for i in (0..step.contacts.len()).filter(|&i| layers.soft[i] && !self.spreads(step, i)) {
                let t = self.approach(step, kappa, i);
                if t >= config.min_step {
                    h = h.min(t);
                }
            }
        }
        if let Some(eta) = config.eta {
            let limit = (eta / self.fastest(step, config, layers)).max(config.min_step);
            // Equal parts of the step, so that no sliver is left over.
            let parts = (step.h / limit - 1e-9).ceil();
            if parts > 1.0 {
                h = h.min(step.h / parts);
            }
        }
        h
    }

    fn look(&mut self, step: &StepView<'_>) {
        let contacts = &step.contacts;
        let bodies = contacts.body_a.iter().chain(contacts.body_b).max().map_or(0, |b| *b as usize + 1);
        self.touched.clear();
        self.touched.resize(bodies, false);
        for i in (0..contacts.len()).filter(|&i| contacts.gap[i] <= 0.0) {
            self.touched[contacts.body_a[i] as usize] = true;
            self.touched[contacts.body_b[i] as usize] = true;
        }
        self.mobility.clear();
        let mut at = 0;
        for block in 0..step.n_blocks() {
            let (start, end) = (step.block_start[block] as usize, step.block_start[block + 1] as usize);
            let n = end - start;
            for i in 0..n {
                let free = DofRole::from_code(step.role[start + i]) != DofRole::Prescribed;
                self.mobility.push(if free { 1.0 / step.mass[at + i * n + i] } else { 0.0 });
            }
            at += n * n;
        }
    }

    /// Returns true if the contact is a node of the scene's patches whose bodies touch something: its patch may be spreading, and a
    /// step that ends with every node that comes in would be none.
    fn spreads(&self, step: &StepView<'_>, i: usize) -> bool {
        let bodies = [step.contacts.body_a[i], step.contacts.body_b[i]];
        step.contacts.cell(i) > 0.0 && bodies.iter().any(|&body| self.touched[body as usize])
    }

    /// Time in which the part κ of the gap closes: the root of κ ψ + ν t + a t² = 0, which is the gap after a step t of
    /// v⁺ = v + t M⁻¹ f, q⁺ = q + t v⁺. Infinite where it does not approach or is closed. Forces between bodies that touch
    /// something are not known before the step: there a = 0.
    fn approach(&self, step: &StepView<'_>, kappa: f64, i: usize) -> f64 {
        let contacts = &step.contacts;
        let psi = kappa * contacts.gap[i];
        if psi <= 0.0 {
            return f64::INFINITY;
        }
        let row = contacts.row(i);
        let command = |j: usize| if self.mobility[j] == 0.0 { step.command[j] - step.v[j] } else { 0.0 };
        let driven: f64 = contacts.jacobian.entries(row).map(|(j, w)| w * command(j)).sum();
        let nu = gap_rate(step, i) + driven;
        let flies = ![contacts.body_a[i], contacts.body_b[i]].iter().any(|&b| self.touched[b as usize]);
        let force = |j: usize| self.mobility[j] * (step.force[j] + step.bias[j]);
        let a: f64 =
            if flies { contacts.jacobian.entries(row).map(|(j, w)| w * force(j)).sum() } else { 0.0 };
        let root = nu * nu - 4.0 * a * psi;
        let below = root.sqrt() - nu;
        if root >= 0.0 && below > 0.0 { 2.0 * psi / below } else { f64::INFINITY }
    }

    /// Bound of the fastest oscillation of the blocks that touch something, rad/s; 0 where none does.
    ///
    /// λ_max(M⁻¹ Σ k w wᵀ) ≤ max over blocks of Σ s k w_bᵀ M_b⁻¹ w_b, s = 2 where both sides of a contact move, else 1;
    /// M_b by its diagonal.
    fn fastest(&mut self, step: &StepView<'_>, config: &Config, layers: &Layers) -> f64 {
        self.omega2.clear();
        self.omega2.resize(step.n_blocks(), 0.0);
        let contacts = &step.contacts;
        for i in (0..contacts.len()).filter(|&i| layers.soft[i] && contacts.gap[i] <= 0.0) {
            for k in 0..contacts.stride() {
                if k > 0 && contacts.pair.friction[i] == 0.0 {
                    break;
                }
                let ratio = if k == 0 || config.k.is_some() { 1.0 } else { config.tangential_ratio };
                let stiffness = ratio * layers.stiffness[i];
                let row = contacts.row(i) + k;
                let free = contacts.jacobian.entries(row).filter(|e| self.mobility[e.0] > 0.0);
                let mut blocks = free.map(|e| step.block_of(e.0));
                let first = blocks.next();
                let both = if blocks.any(|b| Some(b) != first) { 2.0 } else { 1.0 };
                for (j, w) in contacts.jacobian.entries(row) {
                    self.omega2[step.block_of(j)] += both * stiffness * w * w * self.mobility[j];
                }
            }
        }
        self.omega2.iter().fold(0.0_f64, |m, x| m.max(*x)).sqrt()
    }
}

fn is_dynamic(config: &Config) -> bool {
    MotionModel::from(config.motion) == MotionModel::Dynamic
}
