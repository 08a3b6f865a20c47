//! The rows of a step's problem. See the module's head for the equations.

use super::directions::Directions;
use super::law::{Compliance, FrictionLaw, INF};
use super::layout::Layout;
use super::quasi_static::QuasiStatic;
use crate::momentum::{Momentum, NOT_FREE};
use crate::problem::{ConeBlock, ConeBuf, MlcpBuf, NO_NORMAL, Part, RowTag};
use crate::sparse::CsrBuf;
use crate::stage::StepView;

/// Builds the problem. Keeps its memory between steps.
#[derive(Debug, Clone, Default)]
pub(super) struct Assembly {
    pub(super) law: FrictionLaw,
    /// Directions of friction of contacts and of support points.
    pub(super) contact_directions: Directions,
    pub(super) support_directions: Directions,
    /// Contacts that take part.
    pub(super) active: Vec<u32>,
    pub(super) layout: Layout,
    pub(super) problem: ConeBuf,
    transposed: CsrBuf,
    rows_transposed: CsrBuf,
    supports_transposed: CsrBuf,
    slot: Vec<u32>,
    count: Vec<u32>,
}

/// Sizes below this are none, m/s or N s: their products with masses would lose digits, and be 0 in the end.
const NOTHING: f64 = 1e-100;

/// Typical sizes that scale rows and unknowns.
#[derive(Clone, Copy)]
struct Scales {
    speed: f64,
    impulse: f64,
}

/// Data that the rows are made from.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub(super) step: &'a StepView<'a>,
    pub(super) momentum: &'a Momentum,
    /// g_n per contact, ∞ for contacts that do not take part.
    pub(super) normal_rate: &'a [f64],
    pub(super) compliance: Option<Compliance<'a>>,
    /// Lower bounds of normal impulses per contact; empty: 0.
    pub(super) floor: &'a [f64],
    /// Directions of quasi-static bodies that are held at rest because nothing determines them.
    pub(super) held: &'a QuasiStatic,
}

impl Assembly {
    /// Directions are fixed once: n_t tangents at contacts, two at support points.
    pub(super) fn new(law: FrictionLaw, n_t: usize) -> Self {
        let (contact_directions, support_directions) = match law {
            FrictionLaw::Cone => (Directions::axes(n_t), Directions::axes(2)),
            FrictionLaw::Pyramid(n_d) if n_t == 1 => (Directions::line(), Directions::polygon(n_d)),
            FrictionLaw::Pyramid(n_d) => (Directions::polygon(n_d), Directions::polygon(n_d)),
        };
        Self { law, contact_directions, support_directions, ..Self::default() }
    }

    /// Assembles the problem of a step.
    pub(super) fn formulate(&mut self, parts: &Parts<'_>) {
        let step = parts.step;
        self.active.clear();
        self.active.extend((0..step.contacts.len() as u32).filter(|&i| parts.normal_rate[i as usize] < INF));
        self.layout = Layout {
            n_free: parts.momentum.free.len(),
            n_rows: step.rows.rate.len(),
            n_active: self.active.len(),
            per_contact: self.contact_directions.len(),
            n_supports: step.supports.len(),
            per_support: self.support_directions.len(),
            n_bound: usize::from(self.law != FrictionLaw::Cone),
        };
        self.problem.clear(self.layout.n(), step.tolerance);
        self.prepare(parts);
        let scales = self.scales(parts);
        self.velocity_rows(parts, scales);
        self.other_rows(parts, scales);
        self.normal_rows(parts, scales);
        self.friction_rows(parts, scales);
        self.slip_rows(parts, scales);
        self.support_rows(parts, scales);
        self.blocks(step);
        self.guess(parts);
    }

    fn rows(&mut self) -> &mut MlcpBuf {
        &mut self.problem.rows
    }

    fn prepare(&mut self, parts: &Parts<'_>) {
        let step = parts.step;
        self.transposed.transpose_of(&step.contacts.jacobian, &mut self.count);
        self.rows_transposed.transpose_of(&step.row_wrenches(), &mut self.count);
        self.supports_transposed.transpose_of(&step.supports.jacobian, &mut self.count);
        self.slot.clear();
        self.slot.resize(step.contacts.len(), u32::MAX);
        for (slot, &contact) in self.active.iter().enumerate() {
            self.slot[contact as usize] = slot as u32;
        }
    }

    /// Largest lower bound of a normal impulse, N s, and the largest rate that one makes, m/s: a decompression begins at rest.
    fn floors(&self, parts: &Parts<'_>) -> (f64, f64) {
        let (mut impulse, mut speed) = (0.0_f64, 0.0_f64);
        for &i in &self.active {
            let floor = parts.floor.get(i as usize).copied().unwrap_or(0.0);
            let entries = || parts.step.contacts.jacobian.entries(parts.step.contacts.row(i as usize));
            let mass = if floor > 0.0 { parts.momentum.effective_mass(entries()) } else { 0.0 };
            impulse = impulse.max(floor);
            speed = speed.max(if mass > 0.0 { floor / mass } else { 0.0 });
        }
        (impulse, speed)
    }

    fn scales(&self, parts: &Parts<'_>) -> Scales {
        let (step, momentum) = (parts.step, parts.momentum);
        let max = |m: f64, x: f64| m.max(x.abs());
        let loads = step.supports.bound.iter().map(|b| step.h * b);
        let own = momentum.free.iter().map(|&i| momentum.b[i as usize]);
        let (floor, bounce) = self.floors(parts);
        let impulse = own.chain(loads).fold(floor, max);
        let free_speed = |&i: &u32| {
            let a = momentum.diagonal[i as usize];
            if a > 0.0 { momentum.b[i as usize] / a } else { 0.0 }
        };
        let rates = self.active.iter().map(|&i| parts.normal_rate[i as usize]);
        let commands = step.command.iter().copied();
        let speed = momentum.free.iter().map(free_speed).chain(rates).chain(commands).fold(bounce, max);
        let or_one = |x: f64| if x > NOTHING { x } else { 1.0 };
        Scales { speed: or_one(speed), impulse: or_one(impulse) }
    }

    /// A_ff v_f − W p − (b_f − A_fp v_p) = 0.
    fn velocity_rows(&mut self, parts: &Parts<'_>, scales: Scales) {
        let momentum = parts.momentum;
        let a = momentum.a.view();
        for &dof in &momentum.free {
            let dof = dof as usize;
            let mut q = -momentum.b[dof];
            for (j, value) in a.entries(dof) {
                match momentum.index[j] {
                    NOT_FREE => q += value * momentum.prescribed[j],
                    free => self.rows().m.push(free as usize, value),
                }
            }
            for (j, value) in parts.held.entries(dof) {
                let weight = value * scales.impulse / scales.speed;
                self.rows().m.accumulate(momentum.index[j] as usize, weight);
            }
            self.push_wrenches(parts.step, dof);
            let tag = RowTag { subject: dof as u32, part: Part::Velocity };
            let w_scale = if momentum.diagonal[dof] > 0.0 {
                momentum.diagonal[dof] * scales.speed
            } else {
                scales.impulse
            };
            self.rows().end_row(q, (-INF, INF), tag, (scales.speed, w_scale));
        }
    }

    /// −W_b, −W_n, −W_f, −W_s of one velocity row.
    fn push_wrenches(&mut self, step: &StepView<'_>, dof: usize) {
        let layout = self.layout;
        if layout.n_rows > 0 {
            for (row, value) in self.rows_transposed.view().entries(dof) {
                self.problem.rows.m.push(layout.n_free + row, -value);
            }
        }
        if layout.n_active > 0 {
            let stride = step.contacts.stride();
            let (columns, values) = self.transposed.view().row(dof);
            // All rows of a contact have the same pattern, so its entries of this velocity stand together.
            for (column, value) in columns.chunks_exact(stride).zip(values.chunks_exact(stride)) {
                let slot = self.slot[column[0] as usize / stride] as usize;
                if slot == u32::MAX as usize {
                    continue;
                }
                let t2 = if stride == 3 { value[2] } else { 0.0 };
                self.problem.rows.m.push(layout.normal_at(slot), -value[0]);
                for (d, (c, s)) in self.contact_directions.iter().enumerate() {
                    self.problem.rows.m.push(layout.friction_at(slot) + d, -(c * value[1] + s * t2));
                }
            }
        }
        if layout.n_supports > 0 {
            let (columns, values) = self.supports_transposed.view().row(dof);
            for (column, value) in columns.chunks_exact(2).zip(values.chunks_exact(2)) {
                for (d, (c, s)) in self.support_directions.iter().enumerate() {
                    let at = layout.support_at(column[0] as usize / 2) + d;
                    self.problem.rows.m.push(at, -(c * value[0] + s * value[1]));
                }
            }
        }
    }

    /// Pushes the entries of a velocity functional; what prescribed velocities make of it is returned with its size.
    fn push_rate(&mut self, momentum: &Momentum, entries: impl Iterator<Item = (usize, f64)>) -> (f64, f64) {
        let (mut known, mut size) = (0.0, 0.0);
        for (j, value) in entries {
            match momentum.index[j] {
                NOT_FREE => {
                    let term = value * momentum.prescribed[j];
                    known += term;
                    size += term.abs();
                }
                free => self.problem.rows.m.push(free as usize, value),
            }
        }
        (known, size)
    }

    fn other_rows(&mut self, parts: &Parts<'_>, scales: Scales) {
        let (rows, rates) = (parts.step.rows, parts.step.row_rates());
        for row in 0..self.layout.n_rows {
            let known = self.push_rate(parts.momentum, rates.entries(row)).0;
            let bounds = (rows.lower[row], rows.upper[row]);
            let part = if bounds == (-INF, INF) { Part::Bilateral } else { Part::Limit };
            let mass = parts.momentum.effective_mass(rates.entries(row));
            let z_scale = if mass > 0.0 { mass * scales.speed } else { scales.impulse };
            let tag = RowTag { subject: row as u32, part };
            self.rows().end_row(rows.rate[row] + known, bounds, tag, (z_scale, scales.speed));
        }
    }

    /// ρ_n = W_nᵀ v⁺ + g_n (+ compliance).
    fn normal_rows(&mut self, parts: &Parts<'_>, scales: Scales) {
        let step = parts.step;
        for slot in 0..self.layout.n_active {
            let contact = self.active[slot] as usize;
            let row = step.contacts.row(contact);
            let rate = parts.normal_rate[contact];
            let (known, size) = self.push_rate(parts.momentum, step.contacts.jacobian.entries(row));
            let mut q = rate + known;
            if q.abs() <= rounding(step, contact, rate.abs() + size) {
                q = 0.0;
            }
            q += self.push_compliance(parts, row, 1.0);
            let z_scale = self.impulse_scale(parts, contact, scales);
            let tag = RowTag { subject: contact as u32, part: Part::Normal };
            let floor = parts.floor.get(contact).copied().unwrap_or(0.0);
            let bounds = if self.law == FrictionLaw::Cone { (-INF, INF) } else { (floor, INF) };
            self.rows().end_row(q, bounds, tag, (z_scale, scales.speed));
        }
    }

    fn impulse_scale(&self, parts: &Parts<'_>, contact: usize, scales: Scales) -> f64 {
        let row = parts.step.contacts.row(contact);
        let mass = parts.momentum.effective_mass(parts.step.contacts.jacobian.entries(row));
        if mass > 0.0 { mass * scales.speed } else { scales.impulse }
    }

    /// Adds `scale` times row `row` of the compliance in terms of p_n and p_f; its share of the constant is returned.
    fn push_compliance(&mut self, parts: &Parts<'_>, row: usize, scale: f64) -> f64 {
        let Some(compliance) = parts.compliance else { return 0.0 };
        let stride = parts.step.contacts.stride();
        for (column, value) in compliance.matrix.entries(row) {
            let (slot, k) = (self.slot[column / stride], column % stride);
            if slot == u32::MAX {
                continue;
            }
            if k == 0 {
                self.problem.rows.m.accumulate(self.layout.normal_at(slot as usize), scale * value);
                continue;
            }
            for (d, (c, s)) in self.contact_directions.iter().enumerate() {
                let along = if k == 1 { c } else { s };
                if along != 0.0 {
                    let at = self.layout.friction_at(slot as usize) + d;
                    self.problem.rows.m.accumulate(at, scale * along * value);
                }
            }
        }
        scale * compliance.shift[row]
    }

    /// ρ_f = W_fᵀ v⁺ + g_f (+ E σ on pyramids) (+ compliance).
    fn friction_rows(&mut self, parts: &Parts<'_>, scales: Scales) {
        let contacts = &parts.step.contacts;
        let planar = contacts.n_t == 1;
        for slot in 0..self.layout.n_active {
            let contact = self.active[slot] as usize;
            let row = contacts.row(contact);
            let z_scale = self.impulse_scale(parts, contact, scales);
            let (columns, t1) = contacts.jacobian.row(row + 1);
            let t2 = if planar { t1 } else { contacts.jacobian.row(row + 2).1 };
            for d in 0..self.contact_directions.len() {
                let (c, s) = self.contact_directions.get(d);
                let along = |k: usize| if planar { c * t1[k] } else { c * t1[k] + s * t2[k] };
                let entries = columns.iter().enumerate().map(|(k, &j)| (j as usize, along(k)));
                let mut q = self.push_rate(parts.momentum, entries).0;
                q += self.push_compliance(parts, row + 1, c);
                if !planar {
                    q += self.push_compliance(parts, row + 2, s);
                }
                let tag = RowTag { subject: contact as u32, part: Part::Friction };
                self.end_friction_row(q, tag, self.layout.slip_at(slot), (z_scale, scales.speed));
            }
        }
    }

    /// Pyramid rows are nonnegative and feel σ; cone rows are ruled by their block.
    fn end_friction_row(&mut self, q: f64, tag: RowTag, sigma: usize, scales: (f64, f64)) {
        let bounds = match self.law {
            FrictionLaw::Cone => (-INF, INF),
            FrictionLaw::Pyramid(_) => {
                self.rows().m.push(sigma, 1.0);
                (0.0, INF)
            }
        };
        self.rows().end_row(q, bounds, tag, scales);
    }

    /// s = U p_n − Eᵀ p_f ≥ 0.
    fn slip_rows(&mut self, parts: &Parts<'_>, scales: Scales) {
        if self.law == FrictionLaw::Cone {
            return;
        }
        for slot in 0..self.layout.n_active {
            let contact = self.active[slot] as usize;
            let mu = parts.step.contacts.pair.friction[contact];
            let (normal, first) = (self.layout.normal_at(slot), self.layout.friction_at(slot));
            if mu != 0.0 {
                self.rows().m.push(normal, mu);
            }
            for d in 0..self.contact_directions.len() {
                self.rows().m.push(first + d, -1.0);
            }
            let w_scale = self.rows().z_scale[normal];
            let tag = RowTag { subject: contact as u32, part: Part::Slip };
            self.rows().end_row(0.0, (0.0, INF), tag, (scales.speed, w_scale));
        }
    }

    /// ρ_s = W_sᵀ v⁺ (+ E σ_s) of support points, then 0 ≤ σ_s ⟂ h μ_k N_k − Eᵀ p_s ≥ 0 on pyramids.
    fn support_rows(&mut self, parts: &Parts<'_>, scales: Scales) {
        let supports = &parts.step.supports;
        let size = |k: usize| {
            let bound = parts.step.h * supports.bound[k];
            if bound > 0.0 { bound } else { scales.impulse }
        };
        for k in 0..supports.len() {
            let (columns, [x, y]) = supports.jacobian.rows(2 * k);
            for d in 0..self.support_directions.len() {
                let (c, s) = self.support_directions.get(d);
                let entries = columns.iter().enumerate().map(|(i, &j)| (j as usize, c * x[i] + s * y[i]));
                let q = self.push_rate(parts.momentum, entries).0;
                let tag = RowTag { subject: k as u32, part: Part::Support };
                self.end_friction_row(q, tag, self.layout.support_slip_at(k), (size(k), scales.speed));
            }
        }
        if self.law == FrictionLaw::Cone {
            return;
        }
        for k in 0..supports.len() {
            for d in 0..self.support_directions.len() {
                let at = self.layout.support_at(k) + d;
                self.rows().m.push(at, -1.0);
            }
            let tag = RowTag { subject: k as u32, part: Part::SupportSlip };
            let q = parts.step.h * supports.bound[k];
            self.rows().end_row(q, (0.0, INF), tag, (scales.speed, size(k)));
        }
    }

    /// The friction laws of the cone form.
    fn blocks(&mut self, step: &StepView<'_>) {
        if self.law != FrictionLaw::Cone {
            return;
        }
        let layout = self.layout;
        for (slot, &contact) in self.active.iter().enumerate() {
            self.problem.push_block(ConeBlock {
                normal: layout.normal_at(slot) as u32,
                tangent: layout.friction_at(slot) as u32,
                dim: layout.per_contact as u32,
                size: step.contacts.pair.friction[contact as usize],
            });
        }
        for k in 0..layout.n_supports {
            self.problem.push_block(ConeBlock {
                normal: NO_NORMAL,
                tangent: layout.support_at(k) as u32,
                dim: 2,
                size: step.h * step.supports.bound[k],
            });
        }
    }

    /// Last step's velocities and impulses (matched by identity), split on the directions; σ from the present slip.
    fn guess(&mut self, parts: &Parts<'_>) {
        let (step, layout) = (parts.step, self.layout);
        let contacts = &step.contacts;
        let mut guess = std::mem::take(&mut self.problem.rows.guess);
        guess.resize(layout.n(), 0.0);
        for (k, &dof) in parts.momentum.free.iter().enumerate() {
            guess[k] = step.v[dof as usize];
        }
        for slot in 0..layout.n_active {
            let row = contacts.row(self.active[slot] as usize);
            let last = &contacts.last_impulse[row..row + contacts.stride()];
            guess[layout.normal_at(slot)] = last[0];
            let p = (last[1], if contacts.n_t == 2 { last[2] } else { 0.0 });
            self.contact_directions.split(p, &mut guess[layout.friction_at(slot)..][..layout.per_contact]);
            if layout.n_bound == 1 {
                let slip = |k: usize| contacts.jacobian.row_dot(row + k, step.v);
                let nu = (slip(1), if contacts.n_t == 2 { slip(2) } else { 0.0 });
                guess[layout.slip_at(slot)] = self.contact_directions.slip(nu);
            }
        }
        for (k, last) in step.supports.last_impulse.chunks_exact(2).enumerate() {
            let p_s = &mut guess[layout.support_at(k)..][..layout.per_support];
            self.support_directions.split((last[0], last[1]), p_s);
            if layout.n_bound == 1 {
                let slip = |d: usize| step.supports.jacobian.row_dot(2 * k + d, step.v);
                guess[layout.support_slip_at(k)] = self.support_directions.slip((slip(0), slip(1)));
            }
        }
        self.problem.rows.guess = guess;
    }
}

/// Rounding of a normal row's constant: of its own terms, and of the gap ψ/h, which is a difference of coordinates.
///
/// Motion that just closes a gap cancels down to this. What is left has no meaning, and where nothing else gives way
/// (two prescribed bodies at a third) its sign would decide whether the step has a solution at all. In an impact (h = 0)
/// there are no gaps.
fn rounding(step: &StepView<'_>, contact: usize, terms: f64) -> f64 {
    let points =
        |list: &[f64]| list[3 * contact..3 * contact + 3].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let reach = points(step.contacts.point_a).max(points(step.contacts.point_b));
    let gap = if step.h > 0.0 { reach / step.h } else { 0.0 };
    4.0 * f64::EPSILON * (terms + gap)
}
