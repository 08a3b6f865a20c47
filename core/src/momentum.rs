//! The one momentum balance of all rigid steppers: A v⁺ = b + W p.
//!
//! Motion models differ only in (A, b), block by block (f are the explicit forces, c the velocity-product ones):
//!
//! | model | A | b |
//! |---|---|---|
//! | dynamic | M | M v + h (f + c) |
//! | first-order | h D | h f |
//! | quasi-static | 0 | h f |
//! | quasi-dynamic | M | h f |
//! | trapezoidal | M | M v + h (f + c) + (h²/2) ∂f/∂t |
//!
//! Implicit springs and dampers with −∂f/∂q N = K and −∂f/∂v = C add A += h C + h² K, b += h C v (backward Euler); under
//! the trapezoidal model A += (h/2) C + (h²/4) K, b += (h/2) C v − (h²/4) K v. An impedance dof of stiffness k adds h² k
//! to A and h k (commanded place − q) to b. Prescribed dofs have no balance: their velocity is data, and what the
//! balance would need to hold is the drive effort.
//!
//! With h = 0 and every block dynamic this is the balance of an impact: M v⁺ = M v + W p.

use crate::error::{ErrorKind, StageError};
use crate::model::{DofRole, MotionModel};
use crate::sparse::{Csr, CsrBuf};
use crate::stage::StepView;

/// Marks a velocity that is not an unknown.
pub const NOT_FREE: u32 = u32::MAX;

/// All impulses of a step, borrowed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Impulses<'a> {
    /// Contacts: (normal, tangents) each, (1 + n_t) n, N s.
    pub contact: &'a [f64],
    /// Other rows, N s.
    pub row: &'a [f64],
    /// Support points: (x, y) each, N s.
    pub support: &'a [f64],
}

/// (A, b) over all nv velocities and which of them are unknowns. Keeps its memory between steps.
#[derive(Debug, Clone, Default)]
pub struct Momentum {
    /// A, nv × nv, by rows.
    pub a: CsrBuf,
    /// b, nv, N s.
    pub b: Vec<f64>,
    /// Diagonal of A, nv.
    pub diagonal: Vec<f64>,
    /// Velocities that are unknowns, in order.
    pub free: Vec<u32>,
    /// Position of every velocity among the unknowns, or [`NOT_FREE`].
    pub index: Vec<u32>,
    /// Velocities as far as they are data: [`StepView::prescribed_speed`] of prescribed dofs, 0 elsewhere.
    pub prescribed: Vec<f64>,
    /// Motion model of every block, as used.
    pub motion: Vec<u8>,
}

impl Momentum {
    /// Assembles A and b; blocks without a model of their own use `default`.
    ///
    /// Errors: a first-order block with a free dof that has no drag (its velocity would be undefined).
    pub fn assemble(&mut self, step: &StepView<'_>, default: MotionModel) -> Result<(), StageError> {
        self.clear(step);
        for (i, &role) in step.role.iter().enumerate() {
            let is_free = DofRole::from_code(role) != DofRole::Prescribed;
            self.index.push(if is_free { self.free.len() as u32 } else { NOT_FREE });
            self.prescribed.push(if is_free { 0.0 } else { step.prescribed_speed(i) });
            if is_free {
                self.free.push(i as u32);
            }
        }
        let mut at = 0;
        for block in 0..step.n_blocks() {
            let model = self.model_of(step, block, default)?;
            at = self.add_block(step, block, model, at)?;
        }
        let a = self.a.view();
        let of_row = |i: usize| a.entries(i).find(|e| e.0 == i).map_or(0.0, |e| e.1);
        self.diagonal.extend((0..step.nv()).map(of_row));
        Ok(())
    }

    fn clear(&mut self, step: &StepView<'_>) {
        self.a.clear(step.nv());
        self.b.clear();
        self.diagonal.clear();
        self.free.clear();
        self.index.clear();
        self.prescribed.clear();
        self.motion.clear();
    }

    fn model_of(
        &mut self,
        step: &StepView<'_>,
        block: usize,
        default: MotionModel,
    ) -> Result<MotionModel, StageError> {
        let code = step.motion[block];
        let model = if code == 0 { Some(default) } else { MotionModel::from_code(code) };
        let model = model.ok_or_else(|| {
            StageError::unsupported(format!("block {block} asks for motion model {code}, which is not known"))
        })?;
        self.motion.push(model as u8);
        Ok(model)
    }

    /// Adds the rows of one block; `at` is where its matrices start, the return value where the next one's do.
    fn add_block(
        &mut self,
        step: &StepView<'_>,
        block: usize,
        model: MotionModel,
        at: usize,
    ) -> Result<usize, StageError> {
        let (start, end) = (step.block_start[block] as usize, step.block_start[block + 1] as usize);
        let (n, h) = (end - start, step.h);
        for i in 0..n {
            let dof = start + i;
            let row = at + i * n..at + (i + 1) * n;
            let mut b = h * step.force[dof];
            match model {
                MotionModel::Dynamic | MotionModel::QuasiDynamic | MotionModel::Trapezoidal => {
                    self.push_row(start, &step.mass[row.clone()], 1.0);
                    if model != MotionModel::QuasiDynamic {
                        let momentum: f64 =
                            step.mass[row].iter().zip(&step.v[start..end]).map(|(m, v)| m * v).sum();
                        b += momentum + h * step.bias[dof];
                    }
                    if model == MotionModel::Trapezoidal && !step.force_rate.is_empty() {
                        b += 0.5 * h * h * step.force_rate[dof];
                    }
                }
                MotionModel::FirstOrder => {
                    self.check_drag(step, dof, block, step.drag[at + i * n + i])?;
                    self.push_row(start, &step.drag[row], h);
                }
                MotionModel::QuasiStatic => {}
            }
            let theta = if model == MotionModel::Trapezoidal { 0.5 } else { 1.0 };
            self.add_implicit(step, dof, theta, &mut b);
            self.a.end_row();
            self.b.push(b);
        }
        Ok(at + n * n)
    }

    fn push_row(&mut self, start: usize, row: &[f64], scale: f64) {
        for (j, &m) in row.iter().enumerate() {
            if m != 0.0 {
                self.a.push(start + j, scale * m);
            }
        }
    }

    fn check_drag(&self, step: &StepView<'_>, dof: usize, block: usize, drag: f64) -> Result<(), StageError> {
        if drag > 0.0 || DofRole::from_code(step.role[dof]) == DofRole::Prescribed {
            return Ok(());
        }
        let local = dof - step.block_start[block] as usize;
        Err(StageError::new(
            ErrorKind::BadModel,
            format!(
                "moving body {block} has no drag along its degree of freedom {local}, so the first-order model cannot tell \
                 its velocity: give the body a positive `drag`, lock the degree of freedom, or choose another motion model"
            ),
        ))
    }

    /// Springs and dampers at (1 − θ) start + θ end: A += θ h C + θ² h² K, b += θ h C v − θ (1 − θ) h² K v.
    fn add_implicit(&mut self, step: &StepView<'_>, dof: usize, theta: f64, b: &mut f64) {
        let h = step.h;
        if step.stiffness.n_rows() > 0 {
            for (j, k) in step.stiffness.entries(dof) {
                self.a.accumulate(j, theta * theta * h * h * k);
                *b -= theta * (1.0 - theta) * h * h * k * step.v[j];
            }
        }
        if step.viscosity.n_rows() > 0 {
            for (j, c) in step.viscosity.entries(dof) {
                self.a.accumulate(j, theta * h * c);
                *b += theta * h * c * step.v[j];
            }
        }
        if DofRole::from_code(step.role[dof]) == DofRole::Impedance {
            let k = step.impedance[dof];
            self.a.accumulate(dof, h * h * k);
            *b += h * k * (h * step.command[dof]);
        }
    }

    /// Full velocities from the unknown ones: prescribed dofs move as commanded.
    pub fn expand(&self, free: &[f64], v: &mut Vec<f64>) {
        v.clear();
        v.extend_from_slice(&self.prescribed);
        for (&dof, &value) in self.free.iter().zip(free) {
            v[dof as usize] = value;
        }
    }

    /// r = A v⁺ − b − W p over all velocities, nv, N s. Zero on free dofs at a solution; on prescribed dofs it is the
    /// impulse the drive must add: τ_p h = A_pf v_f + A_pp v_p − b_p − W_p p.
    pub fn residual(&self, step: &StepView<'_>, v: &[f64], p: &Impulses<'_>, r: &mut Vec<f64>) {
        r.clear();
        let a = self.a.view();
        r.extend((0..self.b.len()).map(|i| a.row_dot(i, v) - self.b[i]));
        match step.contacts.n_t {
            2 => take_contacts::<3>(&step.contacts.jacobian, p.contact, r),
            _ => take_contacts::<2>(&step.contacts.jacobian, p.contact, r),
        }
        for (jacobian, impulse) in [(step.row_wrenches(), p.row), (step.supports.jacobian, p.support)] {
            for (row, &p) in impulse.iter().enumerate().filter(|(_, p)| **p != 0.0) {
                jacobian.add_row_scaled(row, -p, r);
            }
        }
    }

    /// Effective mass seen by a row J, an estimate for scaling: 1/Σ J_i²/A_ii over free dofs with A_ii > 0, or 0 where
    /// nothing gives way.
    pub fn effective_mass(&self, entries: impl Iterator<Item = (usize, f64)>) -> f64 {
        let mobility: f64 = entries
            .filter(|&(i, _)| self.index[i] != NOT_FREE && self.diagonal[i] > 0.0)
            .map(|(i, j)| j * j / self.diagonal[i])
            .sum();
        if mobility > 0.0 { 1.0 / mobility } else { 0.0 }
    }
}

/// r −= W p of contacts with K rows each, which have the same columns.
fn take_contacts<const K: usize>(jacobian: &Csr<'_>, p: &[f64], r: &mut [f64]) {
    for (i, p) in p.as_chunks::<K>().0.iter().enumerate() {
        if p.iter().any(|p| *p != 0.0) {
            let (columns, mut rows) = jacobian.rows::<K>(K * i);
            for k in 0..K {
                rows[k] = &rows[k][..columns.len()];
            }
            for (at, &j) in columns.iter().enumerate() {
                let mut sum = rows[0][at] * p[0];
                for k in 1..K {
                    sum += rows[k][at] * p[k];
                }
                r[j as usize] -= sum;
            }
        }
    }
}
