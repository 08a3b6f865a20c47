//! The program of the step: Anitescu's rows per contact, joints as equations, limits as inequalities.

use vinci_sdk::core::momentum::{Momentum, NOT_FREE};
use vinci_sdk::core::rigid::Freedom;
use vinci_sdk::prelude::*;

/// Directions of friction, as (t1, t2) components: (t, −t) in the plane, a balanced polygon in space.
#[derive(Debug, Clone, Default)]
pub(crate) struct Directions(Vec<(f64, f64)>);

impl Directions {
    pub(crate) fn new(space: Space, n_d: usize) -> Self {
        let half: Vec<(f64, f64)> = match space {
            Space::Planar => vec![(1.0, 0.0)],
            Space::Spatial => (0..n_d / 2)
                .map(|k| (2.0 * std::f64::consts::PI * k as f64 / n_d as f64).sin_cos())
                .map(|(sin, cos)| (cos, sin))
                .collect(),
        };
        // The second half is the exact negative of the first.
        Self(half.iter().copied().chain(half.iter().map(|&(c, s)| (-c, -s))).collect())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.0.iter().copied()
    }

    /// max over directions of −d·ν: |ν| as the polygon sees it.
    fn extent(&self, nu: (f64, f64)) -> f64 {
        self.iter().map(|(c, s)| -(c * nu.0 + s * nu.1)).fold(0.0, f64::max)
    }

    /// β ≥ 0 with Σ β = p_n and Σ β d = p_t/μ, as far as the polygon reaches: the two directions next to p_t, and what is
    /// left of p_n on one of them and its opposite.
    fn split(&self, p_n: f64, p_t: (f64, f64), mu: f64, beta: &mut Vec<f64>) {
        let (n, at) = (self.0.len(), beta.len());
        beta.resize(at + n, 0.0);
        let target = (p_t.0 / mu, p_t.1 / mu);
        let mut best = 0;
        if n == 2 {
            beta[at + usize::from(target.0 < 0.0)] = target.0.abs();
        } else {
            for k in 0..n {
                let ((c0, s0), (c1, s1)) = (self.0[k], self.0[(k + 1) % n]);
                let det = c0 * s1 - s0 * c1;
                let (x, y) = ((target.0 * s1 - target.1 * c1) / det, (c0 * target.1 - s0 * target.0) / det);
                if x >= 0.0 && y >= 0.0 {
                    (beta[at + k], beta[at + (k + 1) % n], best) = (x, y, k);
                    break;
                }
            }
        }
        let left = (p_n - beta[at..].iter().sum::<f64>()).max(0.0);
        beta[at + best] += 0.5 * left;
        beta[at + (best + n / 2) % n] += 0.5 * left;
    }
}

/// How a contact stands in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// One row: μ = 0.
    Single,
    /// A row per direction.
    Rays,
    /// A second-order cone.
    Cone,
}

/// A contact's rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContactRows {
    pub(crate) form: Form,
    /// First row.
    pub(crate) row: usize,
}

/// The program min ½ vᵀA v − bᵀv over the rows, with what is needed to read its answer. Keeps its memory between steps.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) conic: ConicBuf,
    /// The rows over all velocities, prescribed ones included.
    pub(crate) full: CsrBuf,
    pub(crate) places: Vec<ContactRows>,
    /// First row of joints and limits; they are the last.
    pub(crate) first_other: usize,
    pub(crate) directions: Directions,
    pub(crate) cones: bool,
}

/// Data that the rows are made from.
pub(crate) struct Parts<'a> {
    pub(crate) step: &'a StepView<'a>,
    pub(crate) momentum: &'a Momentum,
    pub(crate) freedom: &'a Freedom,
    /// Constant of every contact's normal row: linearised gap at the end of the step over h, shift included.
    pub(crate) constant: &'a [f64],
}

impl Program {
    /// Writes the program anew.
    ///
    /// Errors: a row whose impulse has two finite bounds.
    pub(crate) fn write(&mut self, parts: &Parts<'_>) -> Result<(), StageError> {
        let Parts { step, momentum, .. } = parts;
        self.conic.clear(momentum.free.len(), step.tolerance);
        self.full.clear(step.nv());
        self.places.clear();
        let speed = typical_speed(parts);
        self.write_objective(parts, speed);
        for i in 0..step.contacts.len() {
            self.write_contact(parts, i, speed);
        }
        self.first_other = self.conic.g.len();
        for i in 0..step.rows.rate.len() {
            self.write_other(parts, i, speed)?;
        }
        self.write_guess(step, momentum);
        Ok(())
    }

    /// P = A_ff (with what holds undetermined directions at rest), c = −(b_f − A_fp v_p).
    fn write_objective(&mut self, parts: &Parts<'_>, speed: f64) {
        let Parts { momentum, freedom, .. } = parts;
        let a = momentum.a.view();
        for &dof in &momentum.free {
            let dof = dof as usize;
            let mut c = -momentum.b[dof];
            for (j, value) in a.entries(dof) {
                match momentum.index[j] {
                    NOT_FREE => c += value * momentum.prescribed[j],
                    at => self.conic.p.accumulate(at as usize, value),
                }
            }
            for (j, value) in freedom.entries(dof) {
                if momentum.index[j] != NOT_FREE {
                    self.conic.p.accumulate(momentum.index[j] as usize, value);
                }
            }
            self.conic.end_unknown(c, RowTag { subject: dof as u32, part: Part::Velocity }, speed);
        }
    }

    /// φ/h + (J_n + μ J_d) v ≥ 0 per direction d, or (φ/h + J_n v, μ J_t v) ∈ SOC.
    fn write_contact(&mut self, parts: &Parts<'_>, i: usize, speed: f64) {
        let (mu, c) = (parts.step.contacts.pair.friction[i], parts.constant[i]);
        let form = match mu {
            0.0 => Form::Single,
            _ if self.cones => Form::Cone,
            _ => Form::Rays,
        };
        self.places.push(ContactRows { form, row: self.conic.g.len() });
        let above = (0.0, f64::INFINITY);
        let free = (f64::NEG_INFINITY, f64::INFINITY);
        match form {
            Form::Single => self.push_contact_row(parts, i, (1.0, 0.0, 0.0), c, above, speed),
            Form::Rays => {
                for k in 0..self.directions.0.len() {
                    let (cos, sin) = self.directions.0[k];
                    self.push_contact_row(parts, i, (1.0, mu * cos, mu * sin), c, above, speed);
                }
            }
            Form::Cone => {
                self.push_contact_row(parts, i, (1.0, 0.0, 0.0), c, free, speed);
                self.push_contact_row(parts, i, (0.0, mu, 0.0), 0.0, free, speed);
                if parts.step.contacts.n_t == 2 {
                    self.push_contact_row(parts, i, (0.0, 0.0, mu), 0.0, free, speed);
                }
                self.conic.close_cone(parts.step.contacts.stride());
            }
        }
    }

    /// weight · (J_n, J_t1, J_t2) v + weight · (0, rates) + c; the normal rate is in c.
    fn push_contact_row(
        &mut self,
        parts: &Parts<'_>,
        i: usize,
        (w_n, w_1, w_2): (f64, f64, f64),
        c: f64,
        bounds: (f64, f64),
        speed: f64,
    ) {
        let contacts = &parts.step.contacts;
        let row = contacts.row(i);
        let (columns, normal) = contacts.jacobian.row(row);
        let first = contacts.jacobian.row(row + 1).1;
        let second = if contacts.n_t == 2 { contacts.jacobian.row(row + 2).1 } else { &[] };
        for (k, &column) in columns.iter().enumerate() {
            let value = w_n * normal[k] + w_1 * first[k] + w_2 * second.get(k).copied().unwrap_or(0.0);
            if value != 0.0 {
                self.full.push(column as usize, value);
            }
        }
        self.end_row(parts.momentum, c, bounds, RowTag { subject: i as u32, part: Part::Ray }, speed);
    }

    /// Joints are equations, limits one-sided.
    fn write_other(&mut self, parts: &Parts<'_>, i: usize, speed: f64) -> Result<(), StageError> {
        let rows = &parts.step.rows;
        let (bounds, part) = match (rows.lower[i], rows.upper[i]) {
            (f64::NEG_INFINITY, f64::INFINITY) => ((0.0, 0.0), Part::Bilateral),
            (0.0, f64::INFINITY) => ((0.0, f64::INFINITY), Part::Limit),
            (f64::NEG_INFINITY, 0.0) => ((f64::NEG_INFINITY, 0.0), Part::Limit),
            (l, u) => {
                return Err(StageError::unsupported(format!(
                    "row {i} bounds its impulse to [{l}, {u}] N s; this stepper takes joints and one-sided limits"
                )));
            }
        };
        rows.jacobian.entries(i).for_each(|(column, value)| self.full.push(column, value));
        self.end_row(parts.momentum, rows.rate[i], bounds, RowTag { subject: i as u32, part }, speed);
        Ok(())
    }

    /// Closes the row of `full` under construction and writes its free part; prescribed velocities are constants.
    fn end_row(&mut self, momentum: &Momentum, c: f64, bounds: (f64, f64), tag: RowTag, speed: f64) {
        self.full.end_row();
        let mut g = c;
        let full = self.full.view();
        for (j, value) in full.entries(full.n_rows() - 1) {
            match momentum.index[j] {
                NOT_FREE => g += value * momentum.prescribed[j],
                at => self.conic.rows.push(at as usize, value),
            }
        }
        self.conic.end_row(g, bounds, tag, speed);
    }

    /// Last step's velocities, and last step's impulses of the same contacts as multipliers.
    fn write_guess(&mut self, step: &StepView<'_>, momentum: &Momentum) {
        self.conic.guess.extend(momentum.free.iter().map(|&dof| step.v[dof as usize]));
        for (i, place) in self.places.iter().enumerate() {
            let p = &step.contacts.last_impulse[step.contacts.row(i)..][..step.contacts.stride()];
            let (mu, p_t) = (step.contacts.pair.friction[i], (p[1], p.get(2).copied().unwrap_or(0.0)));
            let y = &mut self.conic.dual_guess;
            match place.form {
                Form::Single => y.push(p[0]),
                Form::Rays => self.directions.split(p[0], p_t, mu, y),
                Form::Cone => {
                    y.push(p[0]);
                    y.extend(p[1..].iter().map(|p_t| p_t / mu));
                }
            }
        }
        self.conic.dual_guess.resize(self.conic.g.len(), 0.0);
    }

    /// |ν_t| of contact i at velocities v, as its form sees it, m/s.
    pub(crate) fn slip(&self, step: &StepView<'_>, i: usize, v: &[f64]) -> f64 {
        let (contacts, row) = (&step.contacts, step.contacts.row(i));
        let rate = |k: usize| contacts.jacobian.row_dot(row + k, v);
        let nu = (rate(1), if contacts.n_t == 2 { rate(2) } else { 0.0 });
        match self.cones {
            true => nu.0.hypot(nu.1),
            false => self.directions.extent(nu),
        }
    }

    /// ∂|ν_t|/∂ν_t as the form sees it; none where there is no slip.
    pub(crate) fn slope_of_slip(&self, nu: (f64, f64)) -> Option<(f64, f64)> {
        if self.cones {
            let length = nu.0.hypot(nu.1);
            return (length > 0.0).then(|| (nu.0 / length, nu.1 / length));
        }
        let along = |(c, s): &(f64, f64)| -(c * nu.0 + s * nu.1);
        let steepest = self.directions.iter().reduce(|a, b| if along(&b) > along(&a) { b } else { a })?;
        (along(&steepest) > 0.0).then_some((-steepest.0, -steepest.1))
    }

    /// (p_n, p_t1, p_t2) of contact i from the multipliers: p_n = Σ β, p_t = μ Σ β d; or (y_0, μ y_t).
    pub(crate) fn impulse(&self, i: usize, mu: f64, n_t: usize, y: &[f64]) -> (f64, f64, f64) {
        let ContactRows { form, row } = self.places[i];
        match form {
            Form::Single => (y[row], 0.0, 0.0),
            Form::Rays => self.directions.iter().zip(&y[row..]).fold((0.0, 0.0, 0.0), |p, ((c, s), beta)| {
                (p.0 + beta, p.1 + mu * beta * c, p.2 + mu * beta * s)
            }),
            Form::Cone => (y[row], mu * y[row + 1], if n_t == 2 { mu * y[row + 2] } else { 0.0 }),
        }
    }
}

/// The largest speed in sight: of the start, of what forces give, of prescribed motion.
fn typical_speed(parts: &Parts<'_>) -> f64 {
    let Parts { step, momentum, .. } = parts;
    let given = momentum.free.iter().map(|&dof| {
        let dof = dof as usize;
        let diagonal = momentum.diagonal[dof];
        if diagonal > 0.0 { momentum.b[dof] / diagonal } else { 0.0 }
    });
    let known = step.v.iter().chain(&momentum.prescribed).copied();
    known.chain(given).fold(1e-6, |m, v| m.max(v.abs()))
}
