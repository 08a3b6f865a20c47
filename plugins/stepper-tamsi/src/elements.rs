//! Elements that exert forces which depend on velocities: contacts, support points, friction rows. Each is a force law over three
//! local rates (normal, two tangents), of which some are missing.

use vinci_sdk::core::momentum::{Momentum, NOT_FREE};
use vinci_sdk::core::regularized::{HuntCrossley, Regularized};
use vinci_sdk::prelude::*;

/// The law of an element.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Law {
    /// A contact with its penetration δ_0 at the start of the step, m, and μ.
    Contact { law: HuntCrossley, penetration: f64, mu: f64 },
    /// A contact with the normal impulse of the start of the step, N s.
    Frozen { impulse: f64, mu: f64 },
    /// Friction with a given bound, N s.
    Bound(f64),
}

/// An element: its law, and where its Jacobian stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Element {
    law: Law,
    /// Local rates it has: 0 is the normal, 1 and 2 are tangents.
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) column: usize,
    pub(crate) n_columns: usize,
    pub(crate) value: usize,
    /// Its runs of columns that follow each other.
    pub(crate) run: usize,
    pub(crate) n_runs: usize,
    /// Constants of the rates: prescribed motion, and the rate of a row, m/s.
    pub(crate) constant: [f64; 3],
}

/// Impulses of an element and −∂p/∂ν.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Local {
    /// (h π, h f_t), N s.
    pub(crate) impulse: [f64; 3],
    /// −∂p_a/∂ν_b, kg.
    pub(crate) stiffness: [[f64; 3]; 3],
    /// Bound μ h π of friction, N s.
    pub(crate) bound: f64,
}

/// All elements of a step. Keeps its memory.
#[derive(Debug)]
pub(crate) struct Elements {
    pub(crate) list: Vec<Element>,
    /// Step, s.
    pub(crate) h: f64,
    friction: Regularized,
    column: Vec<u32>,
    pub(crate) value: Vec<f64>,
    /// (place among an element's columns, first column, number) of columns that follow each other.
    pub(crate) run: Vec<[u32; 3]>,
}

/// Returns true if nothing is prescribed: velocities and unknowns have the same numbers.
fn is_all_free(momentum: &Momentum) -> bool {
    momentum.free.len() == momentum.index.len()
}

impl Element {
    /// Returns true if the element is a contact.
    pub(crate) fn is_contact(&self) -> bool {
        !matches!(self.law, Law::Bound(_))
    }
}

impl Elements {
    pub(crate) fn new(friction: Regularized) -> Self {
        Self { list: Vec::new(), h: 0.0, friction, column: Vec::new(), value: Vec::new(), run: Vec::new() }
    }

    /// Forgets all elements; the step to come takes h, s.
    pub(crate) fn open(&mut self, h: f64) {
        self.h = h;
        self.list.clear();
        self.column.clear();
        self.value.clear();
        self.run.clear();
    }

    /// Adds an element with the rows `row …` of `jacobian`, one per local rate from `first` on, which all store the same
    /// columns. Columns become places among the unknowns; prescribed velocities go to the constants.
    pub(crate) fn push(
        &mut self,
        momentum: &Momentum,
        (jacobian, row): (Csr<'_>, usize),
        (first, last): (usize, usize),
        rate: &[f64],
        law: Law,
    ) {
        let (column, value, mut constant) = (self.column.len(), self.value.len(), [0.0; 3]);
        let free = |dof: &u32| Some(momentum.index[*dof as usize]).filter(|&at| at != NOT_FREE);
        match is_all_free(momentum) {
            true => self.column.extend_from_slice(jacobian.row(row).0),
            false => self.column.extend(jacobian.row(row).0.iter().filter_map(free)),
        }
        for (k, local) in (first..last).enumerate() {
            constant[local] =
                rate.get(k).copied().unwrap_or(0.0) + self.push_row(momentum, jacobian.row(row + k));
        }
        let (n_columns, run) = (self.column.len() - column, self.run.len());
        for (k, &at) in self.column[column..].iter().enumerate() {
            match self.run[run..].last_mut() {
                Some([_, first, n]) if *first + *n == at => *n += 1,
                _ => self.run.push([k as u32, at, 1]),
            }
        }
        let n_runs = self.run.len() - run;
        self.list.push(Element { law, first, last, column, n_columns, value, run, n_runs, constant });
    }

    /// Appends the values of a row at unknowns; what prescribed velocities have of it is returned.
    fn push_row(&mut self, momentum: &Momentum, (columns, values): (&[u32], &[f64])) -> f64 {
        if is_all_free(momentum) {
            self.value.extend_from_slice(values);
            return 0.0;
        }
        let mut known = 0.0;
        for (dof, x) in columns.iter().zip(values) {
            match momentum.index[*dof as usize] {
                NOT_FREE => known += x * momentum.prescribed[*dof as usize],
                _ => self.value.push(*x),
            }
        }
        known
    }

    /// Columns of an element.
    pub(crate) fn columns(&self, e: &Element) -> &[u32] {
        &self.column[e.column..e.column + e.n_columns]
    }

    /// Local rates ν at the velocities v (unknowns), m/s.
    #[inline]
    pub(crate) fn at(&self, e: &Element, v: &[f64]) -> [f64; 3] {
        let mut nu = self.change(e, v);
        (0..3).for_each(|a| nu[a] += e.constant[a]);
        nu
    }

    /// Normal impulse h π and its derivative by ν_n, and the bound μ h π of friction with its own.
    #[inline]
    fn normal(&self, e: &Element, nu: [f64; 3]) -> (f64, f64, f64) {
        match e.law {
            Law::Contact { law, penetration, mu } => {
                let (force, slope) = law.within_step(penetration, self.h, nu[0]);
                (self.h * force, self.h * slope, mu)
            }
            Law::Frozen { impulse, mu } => (impulse, 0.0, mu),
            Law::Bound(bound) => (bound, 0.0, 1.0),
        }
    }

    /// Normal impulse h π of a contact at the velocities v (unknowns), N s.
    pub(crate) fn normal_impulse(&self, e: &Element, v: &[f64]) -> f64 {
        let nu = self.change_of::<1>(e, v)[0] + e.constant[0];
        self.normal(e, [nu, 0.0, 0.0]).0
    }

    /// Returns true if friction may act at the rates ν.
    #[inline]
    pub(crate) fn rubs(&self, e: &Element, nu: [f64; 3]) -> bool {
        let (p, _, mu) = self.normal(e, nu);
        mu * p > 0.0
    }

    /// Impulses at the rates ν.
    #[inline]
    pub(crate) fn impulse(&self, e: &Element, nu: [f64; 3]) -> [f64; 3] {
        let (p, _, mu) = self.normal(e, nu);
        if p == 0.0 {
            return [0.0; 3];
        }
        let u = self.friction.slip([nu[1], nu[2]]).direction;
        let normal = if e.is_contact() { p } else { 0.0 };
        [normal, -mu * p * u[0], -mu * p * u[1]]
    }

    /// Impulses and stiffness at the rates ν: −∂p_n/∂ν_n = −h π′, −∂p_t/∂ν_n = μ u h π′, −∂p_t/∂ν_t = μ h π ∂u/∂v.
    #[inline]
    pub(crate) fn local(&self, e: &Element, nu: [f64; 3]) -> Local {
        let (p, slope, mu) = self.normal(e, nu);
        let mut local = Local::default();
        if p == 0.0 && slope == 0.0 {
            return local;
        }
        let slip = self.friction.slip([nu[1], nu[2]]);
        local.bound = mu * p;
        if e.is_contact() {
            local.impulse[0] = p;
            local.stiffness[0][0] = -slope;
        }
        for a in 0..2 {
            local.impulse[1 + a] = -mu * p * slip.direction[a];
            local.stiffness[1 + a][0] = mu * slope * slip.direction[a];
            (0..2).for_each(|b| local.stiffness[1 + a][1 + b] = mu * p * slip.slope[a][b]);
        }
        local
    }
}
