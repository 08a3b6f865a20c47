//! Problem (23) of the paper in velocities: its lengths are divided by h, so that Δq = h v and Γ = h σ.

use vinci_sdk::core::problem::NO_GROUP;
use vinci_sdk::core::sparse::CsrBuf;
use vinci_sdk::prelude::*;

use crate::config::Squeeze;
use crate::layout::{Layout, Scales, Velocities};
use crate::parts::{Parts, stiffness};

pub(crate) const INF: f64 = f64::INFINITY;

/// The step's problem. Keeps its memory between steps.
#[derive(Debug, Clone, Default)]
pub(crate) struct Program {
    pub(crate) problem: QpccBuf,
    /// All rows and their velocities, kept while the last objective has a problem of its own.
    pub(crate) whole: QpccBuf,
    pub(crate) whole_velocities: Velocities,
    pub(crate) velocities: Velocities,
    pub(crate) layout: Layout,
    pub(crate) scales: Scales,
    /// [J_b; per contact J_n, J_f, an empty row for σ]: what impulses act through and what their rates are, by unknown.
    pub(crate) wrenches: CsrBuf,
    pub(crate) transposed: CsrBuf,
    count: Vec<u32>,
}

impl Program {
    /// (23): minimise ½ |v_a − v̄_a|² subject to the balance of what is not driven, the complementarity of contacts and
    /// the squeeze bound.
    pub(crate) fn follow_commands(&mut self, parts: &Parts<'_>) -> Result<(), StageError> {
        self.open(parts);
        self.objective(parts, |dof, weight| (weight, -weight * parts.step.command[dof]), |_| 0.0);
        self.balance(parts);
        self.other_rows(parts)?;
        for i in 0..parts.step.contacts.len() {
            self.contact(parts, i);
        }
        (0..parts.step.contacts.len()).for_each(|i| self.squeeze_bound(parts, i));
        self.bounds(parts);
        self.guess(parts);
        Ok(())
    }

    fn open(&mut self, parts: &Parts<'_>) {
        let (step, contacts) = (parts.step, &parts.step.contacts);
        self.scales = Scales::of(parts);
        self.layout.set(self.velocities.len(), step.rows.rate.len(), step, parts.directions.len());
        self.problem.clear(self.layout.n(), step.tolerance);
        self.wrenches.clear(step.nv());
        let rows = step.row_wrenches();
        for i in 0..rows.n_rows() {
            rows.entries(i).for_each(|(dof, w)| self.wrenches.push(dof, w));
            self.wrenches.end_row();
        }
        for i in 0..contacts.len() {
            let row = contacts.row(i);
            contacts.jacobian.entries(row).for_each(|(dof, w)| self.wrenches.push(dof, w));
            self.wrenches.end_row();
            if self.layout.slip(i).is_none() {
                continue;
            }
            for d in parts.directions {
                // Both tangents store the same columns.
                for (at, (dof, w)) in contacts.jacobian.entries(row + 1).enumerate() {
                    let second = if contacts.n_t == 2 { contacts.jacobian.row(row + 2).1[at] } else { 0.0 };
                    self.wrenches.push(dof, d[0] * w + d[1] * second);
                }
                self.wrenches.end_row();
            }
            self.wrenches.end_row();
        }
        self.transposed.transpose_of(&self.wrenches.view(), &mut self.count);
    }

    /// Diagonal P and c: of every actuated velocity from `actuated(dof, weight)`, of every impulse from `impulse(column)`.
    pub(crate) fn objective(
        &mut self,
        parts: &Parts<'_>,
        actuated: impl Fn(usize, f64) -> (f64, f64),
        impulse: impl Fn(usize) -> f64,
    ) {
        let (n, step) = (self.layout.n(), parts.step);
        let qp = &mut self.problem.qp;
        qp.p.clear(n);
        qp.c.clear();
        qp.x_tag.clear();
        qp.x_scale.clear();
        let mut push = |column: usize, p: f64, c: f64, (subject, part): (usize, Part), scale: f64| {
            if p != 0.0 {
                qp.p.push(column, p);
            }
            qp.end_unknown(c, RowTag { subject: subject as u32, part }, scale);
        };
        for (column, &dof) in self.velocities.unknown.iter().enumerate() {
            let dof = dof as usize;
            let (p, c) = if is_actuated(step, dof) { actuated(dof, weight(parts, dof)) } else { (0.0, 0.0) };
            push(column, p, c, (dof, Part::Velocity), self.scales.speed);
        }
        for i in 0..self.layout.n_rows {
            let column = self.layout.n_v + i;
            push(column, impulse(column), 0.0, (i, Part::Bilateral), self.scales.speed);
        }
        for i in 0..step.contacts.len() {
            let normal = self.layout.normal(i);
            push(normal, impulse(normal), 0.0, (i, Part::Normal), self.scales.speed);
            for column in self.layout.friction(i) {
                push(column, impulse(column), 0.0, (i, Part::Friction), self.scales.speed);
            }
            if let Some(column) = self.layout.slip(i) {
                push(column, 0.0, 0.0, (i, Part::Slip), self.scales.speed);
            }
        }
    }

    /// (23a): W_u p + h τ_u = 0; with implicit springs and impedances A v − W p − b = 0. Divided by the unit of impulse.
    fn balance(&mut self, parts: &Parts<'_>) {
        let Self { problem, velocities, layout, transposed, scales, .. } = self;
        let (momentum, qp) = (parts.momentum, &mut problem.qp);
        for dof in momentum.free.iter().map(|&dof| dof as usize) {
            let a = momentum.a.view().entries(dof).map(|(other, a)| (other, a / scales.unit));
            let known = velocities.push(a, &mut qp.rows);
            for (row, w) in transposed.view().entries(dof).filter(|e| e.1 != 0.0) {
                qp.rows.push(layout.n_v + row, -w);
            }
            let tag = RowTag { subject: dof as u32, part: Part::Velocity };
            qp.end_row(known - momentum.b[dof] / scales.unit, (0.0, 0.0), tag, scales.speed);
        }
    }

    /// Joints as equations of their rates, limits as pairs.
    fn other_rows(&mut self, parts: &Parts<'_>) -> Result<(), StageError> {
        let rows = &parts.step.rows;
        for i in 0..rows.rate.len() {
            let bounds = match (rows.lower[i], rows.upper[i]) {
                (l, u) if l == -INF && u == INF => (0.0, 0.0),
                (l, u) if l == 0.0 && u == INF => (0.0, INF),
                (l, u) => {
                    return Err(StageError::unsupported(format!(
                        "row {i} beside the contacts has an impulse between {l} and {u}; joints and one-sided limits are known"
                    )));
                }
            };
            let part = if bounds.1 == 0.0 { Part::Bilateral } else { Part::Limit };
            let column = self.layout.n_v + i;
            let row = self.rate_row(
                parts.step.row_rates(),
                i,
                rows.rate[i],
                bounds,
                RowTag { subject: i as u32, part },
            );
            if part == Part::Limit {
                let impulse = self.single(column, (0.0, INF), i, self.scales.speed);
                self.problem.push_pair(row, impulse, NO_GROUP);
            }
        }
        Ok(())
    }

    /// Row f (J_i v + rate) with f ≤ 1 such that its constant is no larger than others'; its number.
    fn rate_row(&mut self, j: Csr<'_>, i: usize, rate: f64, bounds: (f64, f64), tag: RowTag) -> usize {
        let f = self.scales.row_factor(rate);
        let qp = &mut self.problem.qp;
        let known = self.velocities.push(j.entries(i).map(|(dof, w)| (dof, f * w)), &mut qp.rows);
        qp.end_row(known + f * rate, bounds, tag, self.scales.speed);
        qp.g.len() - 1
    }

    /// Row of a single unknown, of contact or joint `subject`; its number.
    pub(crate) fn single(&mut self, column: usize, bounds: (f64, f64), subject: usize, scale: f64) -> usize {
        let qp = &mut self.problem.qp;
        // Bounds far away must not coarsen the tolerance of what is at work.
        let finite = |bound: f64| if bound.is_finite() { bound.abs() } else { 0.0 };
        let f = self.scales.row_factor(finite(bounds.0).max(finite(bounds.1)));
        qp.rows.push(column, f);
        let tag = RowTag { subject: subject as u32, part: Part::Bound };
        qp.end_row(0.0, (f * bounds.0, f * bounds.1), tag, scale);
        qp.g.len() - 1
    }

    /// (23b–d) of contact i: 0 ≤ φ⁺/h ⟂ p_n ≥ 0, 0 ≤ ρ = E σ + J_f v ⟂ p_f ≥ 0, 0 ≤ s = U p_n − Eᵀ p_f ⟂ σ ≥ 0.
    fn contact(&mut self, parts: &Parts<'_>, i: usize) {
        let (subject, Scales { speed, .. }) = (i as u32, self.scales);
        let (normal, friction) = (self.layout.normal(i), self.layout.friction(i));
        let tag = RowTag { subject, part: Part::Normal };
        let wrenches = std::mem::take(&mut self.wrenches);
        let w = wrenches.view();
        let gap = self.rate_row(w, normal - self.layout.n_v, normal_rate(parts.step, i), (0.0, INF), tag);
        let p_n = self.single(normal, (0.0, INF), i, speed);
        self.problem.push_pair(gap, p_n, subject);
        for column in friction.clone() {
            self.problem.qp.rows.push(friction.end, 1.0);
            let tag = RowTag { subject, part: Part::Friction };
            let known = self.velocities.push(w.entries(column - self.layout.n_v), &mut self.problem.qp.rows);
            self.problem.qp.end_row(known, (0.0, INF), tag, speed);
            let rho = self.problem.qp.g.len() - 1;
            let p_f = self.single(column, (0.0, INF), i, speed);
            self.problem.push_pair(rho, p_f, subject);
        }
        self.wrenches = wrenches;
        if let Some(slip) = self.layout.slip(i) {
            let qp = &mut self.problem.qp;
            qp.rows.push(normal, parts.step.contacts.pair.friction[i]);
            friction.for_each(|column| qp.rows.push(column, -1.0));
            qp.end_row(0.0, (0.0, INF), RowTag { subject, part: Part::Slip }, speed);
            let s = qp.g.len() - 1;
            let sigma = self.single(slip, (0.0, INF), i, speed);
            self.problem.push_pair(s, sigma, subject);
        }
    }

    /// (22), (23f): p_n ≥ −h K φ̄ of contact i. The current φ̄ = φ + h (J_u v_u + J_a v̄_a) makes it a row; the delayed one
    /// is a number.
    fn squeeze_bound(&mut self, parts: &Parts<'_>, i: usize) {
        let (h, k) = (parts.step.h, stiffness(parts, i));
        let (column, tag) = (self.layout.normal(i), RowTag { subject: i as u32, part: Part::Squeeze });
        match parts.config.squeeze {
            Squeeze::Current if k > 0.0 => {
                let (f, c) = self.squeeze_factors(parts, i);
                self.problem.qp.rows.push(column, f);
                let known = self.hypothetical_row(parts, i, c);
                self.problem.qp.end_row(known, (0.0, INF), tag, self.scales.speed);
            }
            Squeeze::Delayed if k > 0.0 => {
                let place = parts.past.find(&parts.step.contacts.key[i]);
                let least = place.map_or(0.0, |at| -h * k * parts.past.hypothetical[at]) / self.scales.unit;
                if least > 0.0 {
                    let f = self.scales.row_factor(least);
                    self.problem.qp.rows.push(column, f);
                    self.problem.qp.end_row(0.0, (f * least, INF), tag, self.scales.speed);
                }
            }
            Squeeze::Current | Squeeze::Delayed | Squeeze::None => {}
        }
    }

    /// Factors of p_n and of φ̄/h in the squeeze row of contact i.
    pub(crate) fn squeeze_factors(&self, parts: &Parts<'_>, i: usize) -> (f64, f64) {
        let k = parts.step.h * parts.step.h * stiffness(parts, i) / self.scales.unit;
        let f = self.scales.row_factor(normal_rate(parts.step, i)) / f64::max(1.0, k);
        (f, f * k)
    }

    /// Pushes c φ̄/h of contact i into the open row, sources moving as commanded; its known part is returned.
    pub(crate) fn hypothetical_row(&mut self, parts: &Parts<'_>, i: usize, c: f64) -> f64 {
        let (step, mut commanded) = (parts.step, 0.0);
        let row = self.wrenches.view().entries(self.layout.normal(i) - self.layout.n_v);
        let others = row.filter(|&(dof, w)| {
            let source = is_source(step, dof);
            commanded += if source { w * step.command[dof] } else { 0.0 };
            !source
        });
        let known = self.velocities.push(others.map(|(dof, w)| (dof, c * w)), &mut self.problem.qp.rows);
        known + c * (normal_rate(step, i) + commanded)
    }

    /// The bounds that options ask for: |v_u|, σ and p_n ≤ h F, the impulse in its unit.
    fn bounds(&mut self, parts: &Parts<'_>) {
        if let Some(bound) = parts.config.speed_bound {
            for column in 0..self.velocities.len() {
                let dof = self.velocities.unknown[column] as usize;
                if !is_actuated(parts.step, dof) {
                    self.single(column, (-bound, bound), dof, self.scales.speed);
                }
            }
        }
        if let Some(bound) = parts.config.slip_bound {
            for i in 0..parts.step.contacts.len() {
                if let Some(column) = self.layout.slip(i) {
                    self.single(column, (-INF, bound), i, self.scales.speed);
                }
            }
        }
        if let Some(bound) = parts.config.force_bound {
            let most = parts.step.h * bound / self.scales.unit;
            for i in 0..parts.step.contacts.len() {
                self.single(self.layout.normal(i), (-INF, most), i, self.scales.speed);
            }
        }
    }

    /// The last step's velocities, impulses and modes, commands where there are any.
    fn guess(&mut self, parts: &Parts<'_>) {
        if !parts.config.warm_start {
            return;
        }
        let (step, contacts) = (parts.step, &parts.step.contacts);
        let guess = &mut self.problem.qp.guess;
        guess.resize(self.layout.n(), 0.0);
        let v = |dof: usize| if is_actuated(step, dof) { step.command[dof] } else { step.v[dof] };
        self.velocities.unknown.iter().enumerate().for_each(|(column, &dof)| guess[column] = v(dof as usize));
        let n_d = parts.directions.len();
        let share = if n_d == 2 { 1.0 } else { 4.0 / n_d as f64 };
        for i in 0..contacts.len() {
            let p = &contacts.last_impulse[contacts.row(i)..][..contacts.stride()];
            guess[self.layout.normal(i)] = p[0] / self.scales.unit;
            for (column, d) in self.layout.friction(i).zip(parts.directions) {
                guess[column] = share / self.scales.unit
                    * (d[0] * p[1] + d[1] * p.get(2).copied().unwrap_or(0.0)).max(0.0);
            }
        }
        self.guess_modes(parts);
    }

    /// Modes of contacts that were there before; a new contact is open unless its commands close it.
    fn guess_modes(&mut self, parts: &Parts<'_>) {
        let (contacts, stride) = (&parts.step.contacts, parts.directions.len() + 2);
        let modes = &mut self.problem.modes;
        let others = self.problem.group.iter().take_while(|g| **g == NO_GROUP).count();
        modes.resize(others, 0);
        for i in 0..contacts.len() {
            let n = if self.layout.slip(i).is_some() { stride } else { 1 };
            match parts.past.find(&contacts.key[i]) {
                Some(at) => modes.extend_from_slice(&parts.past.modes[at * stride..][..n]),
                None if closes(parts, i) => modes.resize(modes.len() + n, 0),
                None => {
                    let open = (0..n).map(|k| if k + 1 == stride { 1 } else { 2 });
                    modes.extend(open);
                }
            }
        }
    }
}

/// Constant of the normal row, φ/h, m/s.
pub(crate) fn normal_rate(step: &StepView<'_>, i: usize) -> f64 {
    step.contacts.gap[i] / step.h
}

/// Returns true if a velocity is commanded: as a source, or through a stiffness.
pub(crate) fn is_actuated(step: &StepView<'_>, dof: usize) -> bool {
    DofRole::from_code(step.role[dof]) != DofRole::Free
}

/// Returns true if a velocity is a source, whatever force that takes.
pub(crate) fn is_source(step: &StepView<'_>, dof: usize) -> bool {
    DofRole::from_code(step.role[dof]) == DofRole::Prescribed
}

/// Returns true if a velocity is one of turning.
pub(crate) fn is_rotation(step: &StepView<'_>, dof: usize) -> bool {
    let block = step.block_of(dof);
    let local = dof - step.block_start[block] as usize;
    match step.block_kind[block] {
        kind if kind == BlockKind::Planar as u8 => local == 2,
        kind if kind == BlockKind::Spatial as u8 => local >= 3,
        _ => false,
    }
}

/// Weight of a velocity in the objective.
pub(crate) fn weight(parts: &Parts<'_>, dof: usize) -> f64 {
    if is_rotation(parts.step, dof) { parts.config.rotation_weight } else { 1.0 }
}

/// φ̄/h of contact i at velocities v, m/s: sources move as commanded, everything else at v.
pub(crate) fn hypothetical_rate(step: &StepView<'_>, i: usize, v: &[f64]) -> f64 {
    let moving = |dof: usize| if is_source(step, dof) { step.command[dof] } else { v[dof] };
    let row = step.contacts.jacobian.entries(step.contacts.row(i));
    normal_rate(step, i) + row.map(|(dof, w)| w * moving(dof)).sum::<f64>()
}

/// Returns true if the commands and last velocities close contact i within the step.
fn closes(parts: &Parts<'_>, i: usize) -> bool {
    hypothetical_rate(parts.step, i, parts.step.v) <= 0.0
}
