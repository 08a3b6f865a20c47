//! Rates of rows with their scales: what contacts, joints and other rows read of the velocities of a step.

use super::scale::Scales;
use crate::contact::Contacts;
use crate::sparse::Csr;
use crate::stage::{StepView, Update};

/// What a row reads of a velocity, side by side.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Lane {
    /// v⁺ and v.
    pub(super) moved: [f64; 2],
    /// V, and D, m/s or rad/s; 0 without inertia. In pairs: what is done to both is done at once.
    pub(super) size: [f64; 2],
    /// 1/A_jj of unknowns with inertia, else 0.
    pub(super) mobility: f64,
    /// 1/(cause + pressure) of unknowns without inertia, 0 where nothing acts.
    pub(super) share: f64,
}

/// One row J of contacts or other rows: ν⁺ = J v⁺, ν⁻ = J v, its scale, and what an impulse along it is
/// multiplied with to be compared, 1/(N s).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rate {
    pub(super) after: f64,
    pub(super) before: f64,
    pub(super) scale: f64,
    pub(super) weight: f64,
}

impl Rate {
    /// Work of an impulse p along it, J: p times the mean of the rates before and after, the change of kinetic energy.
    pub(super) fn work(&self, p: f64) -> f64 {
        0.5 * p * (self.before + self.after)
    }

    /// Sum of the sizes of the terms of twice that work, J.
    pub(super) fn flow(&self, p: f64) -> f64 {
        p.abs() * (self.before.abs() + self.after.abs())
    }
}

/// Sums over the entries of a row, from which its rate is made.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    moved: [f64; 2],
    size: [f64; 2],
    mobility: f64,
    share: f64,
}

impl Row {
    /// Adds x times a lane.
    #[inline]
    fn add(&mut self, x: f64, lane: &Lane) {
        let far = x.abs();
        for k in 0..2 {
            self.moved[k] += x * lane.moved[k];
            self.size[k] += far * lane.size[k];
        }
        self.mobility += x * x * lane.mobility;
    }

    /// The rate with its weight, and Σ J_j²/A_jj, 1/kg. A row on which nothing acts has no impulse either.
    #[inline]
    fn weighed(self) -> (Rate, f64) {
        let Self { moved: [after, before], size: [scale, change], mobility, share } = self;
        let weight = if change > 0.0 { mobility / change } else { share };
        (Rate { after, before, scale, weight }, mobility)
    }
}

impl Scales {
    /// A row of a Jacobian.
    #[inline]
    pub(super) fn rate(&self, jacobian: &Csr<'_>, row: usize) -> Rate {
        self.rates(jacobian.row(row).0, [jacobian.row(row).1])[0].0
    }

    /// The rows of contact i, and Σ J_j²/A_jj of each, 1/kg: the inverse of [`Momentum::effective_mass`].
    #[inline]
    pub(super) fn contact(&self, contacts: &Contacts<'_>, i: usize) -> [(Rate, f64); 3] {
        let row = contacts.row(i);
        if contacts.n_t == 2 {
            let (columns, rows) = contacts.jacobian.rows::<3>(row);
            return self.rates(columns, rows);
        }
        let (columns, rows) = contacts.jacobian.rows::<2>(row);
        let [normal, tangent] = self.rates(columns, rows);
        [normal, tangent, Default::default()]
    }

    /// Rows with the same columns, side by side.
    #[inline]
    fn rates<const K: usize>(&self, columns: &[u32], rows: [&[f64]; K]) -> [(Rate, f64); K] {
        let mut out = [Row::default(); K];
        let rows = rows.map(|row| &row[..columns.len()]);
        for (at, &j) in columns.iter().enumerate() {
            let lane = &self.lanes[j as usize];
            for (row, out) in rows.iter().zip(&mut out) {
                out.add(row[at], lane);
            }
            if self.massless {
                for (row, out) in rows.iter().zip(&mut out) {
                    out.share = out.share.max(row[at].abs() * lane.share);
                }
            }
        }
        out.map(Row::weighed)
    }

    /// All other rows that have an impulse: their number, impulse and rate.
    pub(super) fn pressed_rows<'a>(
        &'a self,
        step: &'a StepView<'a>,
        update: &'a Update<'a>,
    ) -> impl Iterator<Item = (usize, f64, Rate)> + 'a {
        let wrenches = step.row_wrenches();
        let pressed = update.row_impulse.iter().enumerate().filter(|(_, p)| **p != 0.0);
        pressed.map(move |(k, &p)| (k, p, self.rate(&wrenches, k)))
    }
}
