//! A compliance that is small beside what the contacts themselves give way: ρ = J v⁺ + g + (ε/m) p on every row of a contact.
//!
//! Rigid contacts that carry a body in more ways than it has motions leave their impulses undetermined; nothing tells an
//! iteration among them when to end. With ε > 0 they are unique under given directions of slip, and iterations contract.
//! The price: a contact that carries p sinks by h (ε/m) p beyond its gap (where its row asks for ψ/h), and one that sticks
//! creeps with (ε/m) |p_t|.

use super::law::Compliance;
use crate::momentum::Momentum;
use crate::sparse::CsrBuf;
use crate::stage::StepView;

/// ε and the matrix made of it. Keeps its memory between steps.
#[derive(Debug, Clone, Default)]
pub(super) struct Relaxation {
    pub(super) epsilon: f64,
    matrix: CsrBuf,
    shift: Vec<f64>,
}

impl Relaxation {
    /// diag(ε/m) over the rows of the step's contacts; none where ε = 0.
    pub(super) fn build(&mut self, step: &StepView<'_>, momentum: &Momentum) -> Option<Compliance<'_>> {
        if self.epsilon == 0.0 {
            return None;
        }
        let (contacts, stride) = (&step.contacts, step.contacts.stride());
        let n = contacts.len() * stride;
        self.matrix.clear(n);
        self.shift.clear();
        self.shift.resize(n, 0.0);
        for i in 0..contacts.len() {
            let mobility = mobility(step, momentum, i);
            for k in 0..stride {
                self.matrix.push(contacts.row(i) + k, self.epsilon * mobility);
                self.matrix.end_row();
            }
        }
        Some(Compliance { matrix: self.matrix.view(), shift: &self.shift })
    }
}

/// 1/m of contact `i`: the mean over its rows of Σ_j J_j²/A_jj; 0 where nothing gives way.
fn mobility(step: &StepView<'_>, momentum: &Momentum, i: usize) -> f64 {
    let (contacts, stride) = (&step.contacts, step.contacts.stride());
    let of = |row: usize| momentum.effective_mass(contacts.jacobian.entries(row));
    let rows = (0..stride).map(|k| of(contacts.row(i) + k));
    rows.map(|m| if m > 0.0 { 1.0 / m } else { 0.0 }).sum::<f64>() / stride as f64
}
