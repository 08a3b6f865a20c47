//! The mixed LCP with deformations kept as unknowns (dVC's form), made from the rigid step's problem.

use vinci_sdk::prelude::*;

use crate::layers::Layers;

/// Rows and unknowns of the rigid step, then δ⁺ of every node that is not rigid (normal, tangents).
#[derive(Debug, Default)]
pub(crate) struct Full {
    problem: MlcpBuf,
    /// Unknowns of the rigid step.
    pub(crate) n_rigid: usize,
    /// Rows of (normal, tangents) that have a deformation, in the order of its unknowns.
    pub(crate) rows: Vec<u32>,
    /// Where the deformation of a row stands among them.
    slot: Vec<u32>,
    /// Row of p_n and of the first p_f of every node that may touch, in the rigid problem.
    first: Vec<[u32; 2]>,
    /// Typical size of normal impulses, N s; 1 without one.
    impulse: f64,
}

const NONE: u32 = u32::MAX;

impl Full {
    /// The problem, from that of the rigid step without compliance. `directions`: of friction, in (t1, t2).
    ///
    /// ```text
    ///   ρ_n = W_nᵀ v⁺ + g_n + δ_n⁺/h,   ρ_f = W_fᵀ v⁺ + E σ + g_f + Tᵀ (δ_t⁺ − δ_t)/h
    ///   0   = h (K + C/h) (δ⁺ − r) − (p_n; T p_f)
    /// ```
    pub(crate) fn build(
        &mut self,
        rigid: &Mlcp<'_>,
        layers: &Layers,
        step: &StepView<'_>,
        directions: impl Iterator<Item = (f64, f64)> + Clone,
    ) -> Mlcp<'_> {
        self.number(rigid, layers, step);
        self.problem.clear(self.n_rigid + self.rows.len(), rigid.tolerance);
        let mut direction = directions.clone();
        let mut subject = NONE;
        for i in 0..self.n_rigid {
            for (j, value) in rigid.m.entries(i) {
                self.problem.m.push(j, value);
            }
            let tag = rigid.tag[i];
            if tag.part == Part::Friction && tag.subject != subject {
                (subject, direction) = (tag.subject, directions.clone());
            }
            let along = if tag.part == Part::Friction { direction.next() } else { None };
            let shift = self.deform(layers, step, tag, along.unwrap_or_default());
            let bounds = (rigid.lower[i], rigid.upper[i]);
            self.problem.end_row(rigid.q[i] + shift, bounds, tag, (rigid.z_scale[i], rigid.w_scale[i]));
        }
        for at in 0..self.rows.len() {
            self.law(rigid, layers, step, at, directions.clone());
        }
        self.problem.guess.extend_from_slice(rigid.guess);
        self.problem.guess.extend(self.rows.iter().map(|&row| layers.delta[row as usize]));
        self.problem.view()
    }

    fn number(&mut self, rigid: &Mlcp<'_>, layers: &Layers, step: &StepView<'_>) {
        let stride = step.contacts.stride();
        self.n_rigid = rigid.n();
        self.rows.clear();
        self.slot.clear();
        for row in 0..layers.delta.len() {
            let soft = layers.soft[row / stride];
            self.slot.push(if soft { self.rows.len() as u32 } else { NONE });
            if soft {
                self.rows.push(row as u32);
            }
        }
        self.first.clear();
        self.first.resize(layers.soft.len(), [NONE; 2]);
        let is_normal = |i: &usize| rigid.tag[*i].part == Part::Normal;
        self.impulse = (0..rigid.n()).find(is_normal).map_or(1.0, |i| rigid.z_scale[i]);
        for (i, tag) in rigid.tag.iter().enumerate() {
            let which = match tag.part {
                Part::Normal => 0,
                Part::Friction => 1,
                _ => continue,
            };
            let first = &mut self.first[tag.subject as usize][which];
            *first = (*first).min(i as u32);
        }
    }

    /// The deformation's columns in a row of the rigid step; what δ adds to its constant is returned.
    fn deform(&mut self, layers: &Layers, step: &StepView<'_>, tag: RowTag, along: (f64, f64)) -> f64 {
        if !matches!(tag.part, Part::Normal | Part::Friction) || !layers.soft[tag.subject as usize] {
            return 0.0;
        }
        let row = step.contacts.row(tag.subject as usize);
        let (slot, h) = (self.n_rigid + self.slot[row] as usize, step.h);
        if tag.part == Part::Normal {
            self.problem.m.push(slot, 1.0 / h);
            return 0.0;
        }
        let mut shift = 0.0;
        for (k, d) in [along.0, along.1].into_iter().take(step.contacts.n_t).enumerate() {
            if d != 0.0 {
                self.problem.m.push(slot + 1 + k, d / h);
                shift -= d * layers.delta[row + 1 + k] / h;
            }
        }
        shift
    }

    /// The row of deformation number `at`, N s.
    fn law(
        &mut self,
        rigid: &Mlcp<'_>,
        layers: &Layers,
        step: &StepView<'_>,
        at: usize,
        directions: impl Iterator<Item = (f64, f64)>,
    ) {
        let (row, h, stride) = (self.rows[at] as usize, step.h, step.contacts.stride());
        let normal = self.first[row / stride][0];
        // Nodes that are far from touching have no force in this step.
        if normal != NONE {
            self.press(row, stride, directions);
        }
        let (mut q, mut diagonal) = (0.0, 1.0);
        for (j, a) in layers.operator.view().entries(row) {
            self.problem.m.push(self.n_rigid + self.slot[j] as usize, h * a);
            q -= h * a * layers.rest[j];
            if j == row {
                diagonal = h * a;
            }
        }
        let size = if normal == NONE { self.impulse } else { rigid.z_scale[normal as usize] };
        let tag = RowTag { subject: (row / stride) as u32, part: Part::Deformation };
        self.problem.end_row(q, (f64::NEG_INFINITY, f64::INFINITY), tag, (size / diagonal, size));
    }

    /// −(p_n; T p_f) in the row of a deformation.
    fn press(&mut self, row: usize, stride: usize, directions: impl Iterator<Item = (f64, f64)>) {
        let [normal, friction] = self.first[row / stride];
        if row.is_multiple_of(stride) {
            self.problem.m.push(normal as usize, -1.0);
            return;
        }
        for (d, along) in directions.enumerate() {
            let t = if row % stride == 1 { along.0 } else { along.1 };
            if t != 0.0 {
                self.problem.m.push(friction as usize + d, -t);
            }
        }
    }

    /// The problem made last.
    pub(crate) fn view(&self) -> Mlcp<'_> {
        self.problem.view()
    }
}
