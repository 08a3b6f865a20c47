//! Rates of rows with their scales: what contacts, joints and other rows read of the velocities of a step.

use super::lane::{Rate, Row};
use super::scale::Scales;
use crate::contact::Contacts;
use crate::sparse::Csr;
use crate::stage::{StepView, Update};

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
    fn rates<const K: usize>(&self, columns: &[u32], mut rows: [&[f64]; K]) -> [(Rate, f64); K] {
        let mut out = [Row::default(); K];
        let mut rates = [Default::default(); K];
        for k in 0..K {
            rows[k] = &rows[k][..columns.len()];
        }
        for (at, &j) in columns.iter().enumerate() {
            let lane = &self.lanes[j as usize];
            for k in 0..K {
                out[k].add(rows[k][at], lane);
            }
        }
        if self.massless {
            for (at, &j) in columns.iter().enumerate() {
                for k in 0..K {
                    out[k].take_share(rows[k][at], &self.lanes[j as usize]);
                }
            }
        }
        for k in 0..K {
            rates[k] = out[k].weighed(self.unfelt);
        }
        rates
    }

    /// Returns true if anything gives way to an impulse along a row, or feels it.
    pub(super) fn feels(&self, rate: &Rate) -> bool {
        rate.weight.to_bits() != self.unfelt.to_bits()
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
