//! A v⁺ = b + W p, dense: what a lie needs to stay in balance.

use nalgebra::{DMatrix, DVector};
use vinci_sdk::core::momentum::{Momentum, NOT_FREE};
use vinci_sdk::prelude::*;

use crate::claim::Claim;

/// The balance of one step.
#[derive(Debug, Clone)]
pub struct Balance {
    /// A⁻¹ over the free velocities, zero elsewhere, nv × nv.
    pub inverse: DMatrix<f64>,
    b: DVector<f64>,
    prescribed: DVector<f64>,
}

impl Balance {
    /// Of an assembled balance; A must be regular on the free velocities.
    pub fn new(m: &Momentum) -> Result<Self, StageError> {
        let mut a = m.a.view().to_dense();
        let n = a.nrows();
        let prescribed = DVector::from_column_slice(&m.prescribed);
        let b = DVector::from_column_slice(&m.b) - &a * &prescribed;
        let held: Vec<usize> = (0..n).filter(|&i| m.index[i] == NOT_FREE).collect();
        for &i in &held {
            a.row_mut(i).fill(0.0);
            a.column_mut(i).fill(0.0);
            a[(i, i)] = 1.0;
        }
        let mut inverse = a.try_inverse().ok_or_else(|| StageError::unsupported("a mass that is none"))?;
        for &i in &held {
            inverse[(i, i)] = 0.0;
        }
        Ok(Self { inverse, b, prescribed })
    }

    /// v⁺ from the impulses of a claim.
    pub fn velocities(&self, step: &StepView<'_>, claim: &Claim) -> Vec<f64> {
        let mut force = self.b.clone();
        let terms = [
            (step.contacts.jacobian, &claim.impulse),
            (step.row_wrenches(), &claim.row_impulse),
            (step.supports.jacobian, &claim.support_impulse),
        ];
        for (jacobian, impulse) in terms {
            for (row, &p) in impulse.iter().enumerate().filter(|(_, p)| **p != 0.0) {
                jacobian.add_row_scaled(row, p, force.as_mut_slice());
            }
        }
        (&self.inverse * force + &self.prescribed).as_slice().to_vec()
    }

    /// The same as if no force acted: b is what the velocities bring.
    pub fn without_forces(&mut self, step: &StepView<'_>) {
        self.add(step.force, -step.h);
    }

    /// The same with these forces for this long, s.
    pub fn add(&mut self, force: &[f64], time: f64) {
        self.b.iter_mut().zip(force).for_each(|(b, f)| *b += time * f);
    }

    /// J A⁻¹ Jᵀ of a row of a Jacobian, 1/kg.
    pub fn mobility(&self, jacobian: &Csr<'_>, row: usize) -> f64 {
        let pairs = || jacobian.entries(row);
        pairs().flat_map(|(i, x)| pairs().map(move |(j, y)| x * y * self.inverse[(i, j)])).sum()
    }

    /// Solves the normal rows of contacts and all other rows for their impulses, with friction as the claim has it: Gauss and
    /// Seidel until nothing changes. `rates`: constants of the normal rows.
    pub fn settle(
        &self,
        step: &StepView<'_>,
        rates: &[f64],
        claim: &mut Claim,
        friction: &dyn Fn(&mut Claim, usize),
    ) {
        for _ in 0..2000 {
            let mut change = 0.0_f64;
            for i in 0..step.contacts.len() {
                let row = step.contacts.row(i);
                let (p, g) = (claim.impulse[row], self.mobility(&step.contacts.jacobian, row));
                if g > 0.0 && rates[i].is_finite() {
                    claim.v = self.velocities(step, claim);
                    let nu = step.contacts.jacobian.row_dot(row, &claim.v) + rates[i];
                    claim.impulse[row] = (p - nu / g).max(0.0);
                    change = change.max((claim.impulse[row] - p).abs() * g);
                }
                friction(claim, i);
            }
            for k in 0..claim.row_impulse.len() {
                change = change.max(self.settle_row(step, claim, k));
            }
            if change == 0.0 {
                break;
            }
        }
        claim.v = self.velocities(step, claim);
    }

    fn settle_row(&self, step: &StepView<'_>, claim: &mut Claim, k: usize) -> f64 {
        let (rows, g) = (&step.rows, self.mobility(&step.row_rates(), k));
        if g == 0.0 {
            return 0.0;
        }
        claim.v = self.velocities(step, claim);
        let (p, nu) = (claim.row_impulse[k], step.row_rates().row_dot(k, &claim.v) + rows.rate[k]);
        claim.row_impulse[k] = (p - nu / g).clamp(rows.lower[k], rows.upper[k]);
        (claim.row_impulse[k] - p).abs() * g
    }
}
