//! Undetermined velocities of quasi-static bodies, before and after a solve.

use super::choice;
use super::determined::{Determined, ZERO};
use super::direction_text::{block_of, direction, first_of};
use super::solved::{Solved, Zero, bound, polygons, zero};
use crate::error::StageError;
use crate::model::{MotionModel, SystemView};
use crate::momentum::{Momentum, NOT_FREE};
use crate::sparse::CsrBuf;
use crate::stage::StepView;
use nalgebra::DMatrix;

/// Loads along an undetermined direction below this part of all loads count as balanced.
const BALANCED: f64 = 1e-9;

/// Policy for undetermined velocities of quasi-static bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Undetermined {
    /// It is refused, with the body and the direction.
    #[default]
    Refuse,
    /// Directions that no contact, support or spring sees stay at rest (exactly: the least motion along them). Where
    /// contacts leave a choice because they are not pressed, or slip inside a sector of their polygon, the solver's
    /// answer is taken.
    Accept,
}

/// The check of a step. Keeps its memory between steps.
#[derive(Debug, Clone, Default)]
pub(super) struct QuasiStatic {
    pub(super) policy: Undetermined,
    /// Name of the body of every block; empty: numbers are used.
    names: Vec<String>,
    structure: Determined,
    /// Directions held at rest, each as long as `structure.dofs`.
    n_held: usize,
    /// Numbers of those that a velocity is in, velocity by velocity: `held_of[held_start[i]..held_start[i + 1]]`.
    held_start: Vec<usize>,
    held_of: Vec<u32>,
    after: Determined,
    /// Rows of which only one sign is lawful, over `after.dofs`.
    one_sided: CsrBuf,
    message: String,
}

impl QuasiStatic {
    /// Sets the policy for undetermined directions, and the names that messages use.
    pub(super) fn set(&mut self, policy: Undetermined, system: &SystemView<'_>) {
        self.policy = policy;
        let moving = system.body_names.iter().zip(system.is_static).filter(|(_, still)| **still == 0);
        self.names = moving.map(|(name, _)| (*name).to_owned()).collect();
    }

    /// The message with the name of the body in the place of "moving body k", where names are known.
    pub(super) fn named(&self, mut error: StageError) -> StageError {
        let rest = error.message.strip_prefix("moving body ").and_then(|r| r.split_once(' '));
        if let Some((block, rest)) = rest
            && let Some(name) = block.parse::<usize>().ok().and_then(|k| self.names.get(k))
        {
            error.message = format!("body `{name}` {rest}");
        }
        error
    }

    /// Checks that something that can carry an impulse (or A itself) sees every direction of the quasi-static velocities.
    ///
    /// Contacts with a `normal_rate` of ∞ are left out. Errors: a loaded direction that nothing holds (no equilibrium);
    /// one without load, where that is refused.
    pub(super) fn check(
        &mut self,
        step: &StepView<'_>,
        momentum: &Momentum,
        normal_rate: &[f64],
    ) -> Result<(), StageError> {
        self.structure.open(step.nv(), quasi_static_dofs(step, momentum));
        self.n_held = 0;
        if self.structure.dofs.is_empty() {
            return Ok(());
        }
        self.push_structure(step, momentum, normal_rate);
        let n = self.structure.null_space();
        for k in 0..n {
            let (load, size) = self.structure.load_along(k, &momentum.b);
            if load.abs() > BALANCED * size {
                let body = self.describe(step, &self.structure, k);
                return Err(StageError::bad_model(format!(
                    "{body} is quasi-static and loaded where nothing it touches can hold it: there is no equilibrium \
                     along {}. Support it there, or choose another motion model",
                    direction(step, &self.structure, k)
                )));
            }
        }
        if n > 0 && self.policy == Undetermined::Refuse {
            return Err(StageError::bad_model(format!(
                "{} is quasi-static and nothing it touches determines its velocity along {}. Lock it there, give it \
                 supports or damping, choose another motion model, or `undetermined`: `accept`, which leaves it at rest",
                self.describe(step, &self.structure, 0),
                direction(step, &self.structure, 0)
            )));
        }
        self.hold(n);
        Ok(())
    }

    /// Holds the n directions of the null space at rest.
    fn hold(&mut self, n: usize) {
        let Self { structure, n_held, held_start, held_of, .. } = self;
        let n_dofs = structure.dofs.len();
        *n_held = n;
        held_of.clear();
        held_start.clear();
        held_start.push(0);
        for at in 0..n_dofs {
            let is_in = |k: &u32| structure.null[*k as usize * n_dofs + at] != 0.0;
            held_of.extend((0..n as u32).filter(is_in));
            held_start.push(held_of.len());
        }
    }

    fn push_structure(&mut self, step: &StepView<'_>, momentum: &Momentum, normal_rate: &[f64]) {
        let rows = &mut self.structure;
        for k in 0..rows.dofs.len() {
            rows.push_row(momentum.a.view().entries(rows.dofs[k] as usize));
        }
        let contacts = &step.contacts;
        for i in (0..contacts.len()).filter(|&i| normal_rate[i] < f64::INFINITY) {
            let seen = if contacts.pair.friction[i] > 0.0 { contacts.stride() } else { 1 };
            (0..seen).for_each(|k| rows.push_row(contacts.jacobian.entries(contacts.row(i) + k)));
        }
        (0..step.rows.rate.len()).for_each(|i| rows.push_row(step.rows.jacobian.entries(i)));
        for k in (0..step.supports.len()).filter(|&k| step.supports.bound[k] > 0.0) {
            (0..2).for_each(|d| rows.push_row(step.supports.jacobian.entries(2 * k + d)));
        }
    }

    /// Entries Σ_k d_k d_kᵀ of the row of velocity `dof` that hold undetermined directions at rest: since nothing sees
    /// d_k, they change nothing but d_kᵀ v = 0.
    pub(super) fn entries(&self, dof: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let dofs = &self.structure.dofs;
        let n = dofs.len();
        let place = if self.n_held > 0 { self.structure.place(dof) } else { None };
        place.into_iter().flat_map(move |at| {
            let held = &self.held_of[self.held_start[at]..self.held_start[at + 1]];
            let value = move |j: usize| {
                let product = |k: &u32| {
                    let d = &self.structure.null[*k as usize * n..];
                    d[at] * d[j]
                };
                held.iter().map(product).sum()
            };
            (0..n)
                .map(move |j| (dofs[j] as usize, value(j)))
                .filter(|(_, value): &(usize, f64)| *value != 0.0)
        })
    }

    /// Returns true if the solution leaves the velocity of a quasi-static body open, where that is refused: with the impulses it
    /// has, other velocities solve the step too. [`QuasiStatic::message`] then says which.
    ///
    /// The other velocities are v + d with E d = 0 for all rows whose impulse lies inside its bounds and B d ≥ 0 for
    /// those where both impulse and rate are zero; slip may grow along its own direction.
    pub(super) fn judge(&mut self, step: &StepView<'_>, momentum: &Momentum, solved: &Solved<'_>) -> bool {
        if self.policy == Undetermined::Accept || self.structure.dofs.is_empty() {
            return false;
        }
        let zero = zero(solved);
        self.open_after(momentum, solved, zero);
        for i in 0..solved.layout.n_free + solved.layout.n_rows + solved.layout.n_active {
            self.push_single(solved, i, zero);
        }
        if solved.problem.blocks.is_empty() {
            self.push_polygons(solved, zero);
        } else {
            self.push_cones(solved, zero);
        }
        if self.after.null_space() == 0 || !self.choose() {
            return false;
        }
        // From places among the unknowns back to velocities.
        for place in &mut self.after.dofs {
            *place = momentum.free.get(*place as usize).copied().unwrap_or(NOT_FREE);
        }
        self.message = format!(
            "{} is quasi-static and its velocity along {} is not determined: what it touches is not pressed there, or slips \
             where the polygon of friction is flat. Other velocities solve the step as well (`undetermined`: `accept` \
             takes the solver's; exact cones leave less open)",
            self.describe(step, &self.after, 0),
            direction(step, &self.after, 0)
        );
        true
    }

    pub(super) fn message(&self) -> &str {
        &self.message
    }

    /// The unknowns in question: velocities of quasi-static blocks, and σ of polygons that can carry friction.
    fn open_after(&mut self, momentum: &Momentum, solved: &Solved<'_>, zero: Zero) {
        let places = |dof: &u32| momentum.index[*dof as usize];
        let slips =
            polygons(solved.layout).filter(|p| bound(solved, p.slip) > zero.impulse).map(|p| p.slip as u32);
        self.after.open(solved.problem.n(), self.structure.dofs.iter().map(places).chain(slips));
        self.one_sided.clear(self.after.dofs.len());
    }

    /// Row i of the problem as E or, with its lawful sign, as B.
    fn push_row(&mut self, solved: &Solved<'_>, i: usize, scale: f64, is_equation: bool) {
        let entries = solved.problem.rows.m.entries(i).map(|(j, value)| (j, scale * value));
        self.push(entries, is_equation);
    }

    fn push(&mut self, entries: impl Iterator<Item = (usize, f64)>, is_equation: bool) {
        if is_equation {
            self.after.push_row(entries);
            return;
        }
        for (j, value) in entries {
            if let Some(local) = self.after.place(j) {
                self.one_sided.push(local, value);
            }
        }
        self.one_sided.end_row();
    }

    /// Velocity rows (A d = 0), other rows and normal rows.
    fn push_single(&mut self, solved: &Solved<'_>, i: usize, zero: Zero) {
        let p = &solved.problem.rows;
        let (z, w) = (solved.z[i], p.m.row_dot(i, solved.z) + p.q[i]);
        if i < solved.layout.n_free {
            if self.after.place(i).is_some() {
                self.push_row(solved, i, 1.0, true);
            }
            return;
        }
        let is_normal = i >= solved.layout.normal_at(0);
        let (lower, upper) = if is_normal { (0.0, f64::INFINITY) } else { (p.lower[i], p.upper[i]) };
        if z - lower > zero.impulse && upper - z > zero.impulse {
            self.push_row(solved, i, 1.0, true);
        } else if w.abs() <= zero.speed {
            self.push_row(solved, i, if z - lower > zero.impulse { -1.0 } else { 1.0 }, false);
        }
    }

    /// 0 ≤ p_f ⟂ Wᵀv + σ ≥ 0 and 0 ≤ σ ⟂ s ≥ 0 of contacts and support points that can carry friction.
    fn push_polygons(&mut self, solved: &Solved<'_>, zero: Zero) {
        let p = &solved.problem.rows;
        let w = |i: usize| p.m.row_dot(i, solved.z) + p.q[i];
        for polygon in polygons(solved.layout) {
            if self.after.place(polygon.slip).is_none() {
                continue;
            }
            for i in polygon.first..polygon.first + polygon.len {
                if solved.z[i] > zero.impulse {
                    self.push_row(solved, i, 1.0, true);
                } else if w(i) <= zero.speed {
                    self.push_row(solved, i, 1.0, false);
                }
            }
            if solved.z[polygon.slip] <= zero.speed {
                self.push([(polygon.slip, 1.0)].into_iter(), w(polygon.slip) > zero.impulse);
            }
        }
    }

    /// Slip of cones keeps its direction; where there is none, friction inside its bound holds, friction at its bound lets
    /// go against itself.
    fn push_cones(&mut self, solved: &Solved<'_>, zero: Zero) {
        let p = &solved.problem.rows;
        for b in solved.problem.blocks.iter() {
            let bound = if b.is_disc() { b.size } else { b.size * solved.z[b.normal as usize] };
            if bound <= zero.impulse {
                continue;
            }
            let (rows, p_t) = ([b.tangent as usize, b.tangent as usize + 1], b.tangential(solved.z));
            let w = |i: usize| p.m.row_dot(i, solved.z) + p.q[i];
            let nu = (w(rows[0]), if b.dim == 2 { w(rows[1]) } else { 0.0 });
            let slips = nu.0.hypot(nu.1) > zero.speed;
            let size = p_t.0.hypot(p_t.1);
            let holds = !slips && bound - size > zero.impulse;
            let (c, s) = if slips { unit(nu) } else { unit((-p_t.0, -p_t.1)) };
            let mut along = |(c, s): (f64, f64), is_equation: bool| {
                let first = p.m.entries(rows[0]).map(move |(j, value)| (j, c * value));
                let second = if b.dim == 2 { rows[1]..rows[1] + 1 } else { 0..0 };
                let second = second.flat_map(|i| p.m.entries(i)).map(move |(j, value)| (j, s * value));
                self.push(first.chain(second), is_equation);
            };
            if b.dim == 2 {
                along((-s, c), true);
            }
            if holds {
                along((c, s), true);
            } else if !slips {
                along((c, s), false);
            }
        }
    }

    /// Returns true if the one-sided rows leave any of the null space; if so, a direction they leave comes first in `after.null`.
    fn choose(&mut self) -> bool {
        let (n, null) = (self.after.dofs.len(), &self.after.null);
        let k = null.len() / n;
        let rows = self.one_sided.view();
        let dot = |i: usize, j: usize| rows.entries(i).map(|(c, value)| value * null[j * n + c]).sum::<f64>();
        let mut lengths: Vec<(usize, f64)> =
            (0..rows.n_rows()).map(|i| (i, (0..k).map(|j| dot(i, j).powi(2)).sum::<f64>().sqrt())).collect();
        lengths.retain(|(_, length)| *length > ZERO);
        if lengths.is_empty() {
            return true;
        }
        let c = DMatrix::from_fn(lengths.len(), k, |i, j| dot(lengths[i].0, j) / lengths[i].1);
        let Some(y) = choice::direction(&c) else { return false };
        let d: Vec<f64> = (0..n).map(|i| (0..k).map(|j| y[j] * null[j * n + i]).sum()).collect();
        let largest = d.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        self.after.null.clear();
        self.after.null.extend(d.iter().map(|x| x / largest));
        true
    }

    pub(super) fn describe(&self, step: &StepView<'_>, found: &Determined, k: usize) -> String {
        let block = block_of(step, first_of(step, found, k).0) as usize;
        match self.names.get(block) {
            Some(name) => format!("body `{name}`"),
            None => format!("moving body {block}"),
        }
    }
}

fn unit((x, y): (f64, f64)) -> (f64, f64) {
    let length = x.hypot(y);
    if length > 0.0 { (x / length, y / length) } else { (1.0, 0.0) }
}

fn quasi_static_dofs<'a>(step: &'a StepView<'_>, momentum: &'a Momentum) -> impl Iterator<Item = u32> + 'a {
    let quasi_static = |b: &usize| momentum.motion[*b] == MotionModel::QuasiStatic as u8;
    let of = |b: usize| step.block_start[b]..step.block_start[b + 1];
    let free = |dof: &u32| momentum.index[*dof as usize] != NOT_FREE;
    (0..step.n_blocks()).filter(quasi_static).flat_map(of).filter(free)
}
