//! LU of K = diag(a) + diag(b) M.

use std::collections::BTreeMap;

use vinci_core::Csr;
use vinci_core::problem::{Mlcp, Part};

use crate::block::{BlockLu, Order, Structure};

/// State of an unknown under bounds l ≤ z ≤ u ⟂ w. It decides the row of K: an equation d_i = …, or a row of M.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RowState {
    /// z = l.
    #[default]
    AtLower,
    /// w = 0.
    Between,
    /// z = u.
    AtUpper,
}

/// LU of K = diag(a) + diag(b) M for one pattern of M, bodies first ([`BlockLu`]).
#[derive(Debug, Default)]
pub struct ShiftedLu {
    lu: BlockLu,
    first: Vec<bool>,
    group: Vec<u32>,
    /// Pattern of M with its full diagonal, by rows.
    row_start: Vec<u32>,
    column: Vec<u32>,
    /// Entry of M behind each stored entry, or [`NO_ENTRY`] for a diagonal that M does not store.
    source: Vec<u32>,
    value: Vec<f64>,
}

/// Marks a diagonal entry that M does not store.
const NO_ENTRY: u32 = u32::MAX;

impl ShiftedLu {
    /// Takes the pattern of M + I and the structure of a problem. Its velocities are the free rows with a mass; rows of one contact
    /// are those whose tags say so.
    pub fn begin(&mut self, p: &Mlcp<'_>) {
        self.take_pattern(p.m);
        self.lu.begin();
        self.first.clear();
        self.group.clear();
        let mut known = BTreeMap::new();
        for (i, tag) in p.tag.iter().enumerate() {
            let massive = p.m.entries(i).any(|(j, v)| j == i && v != 0.0);
            self.first.push(p.is_free(i) && massive && tag.part != Part::Bilateral);
            let key = family(tag.part).map_or((None, i as u32), |family| (Some(family), tag.subject));
            let next = known.len() as u32;
            self.group.push(*known.entry(key).or_insert(next));
        }
    }

    fn take_pattern(&mut self, m: Csr<'_>) {
        self.row_start.clear();
        self.row_start.push(0);
        self.column.clear();
        self.source.clear();
        for i in 0..m.n_rows() {
            for k in m.row_start[i]..m.row_start[i + 1] {
                self.column.push(m.column[k as usize]);
                self.source.push(k);
            }
            if !m.row(i).0.contains(&(i as u32)) {
                self.column.push(i as u32);
                self.source.push(NO_ENTRY);
            }
            self.row_start.push(self.column.len() as u32);
        }
        self.value.resize(self.column.len(), 0.0);
    }

    /// Factorises K; false when it is singular. `order`: [`Order::Any`] where a is positive on every row with bounds.
    pub fn factor(&mut self, m: Csr<'_>, a: &[f64], b: &[f64], order: Order) -> bool {
        for i in 0..m.n_rows() {
            for k in self.row_start[i] as usize..self.row_start[i + 1] as usize {
                let entry = if self.source[k] == NO_ENTRY { 0.0 } else { m.value[self.source[k] as usize] };
                let shift = if self.column[k] as usize == i { a[i] } else { 0.0 };
                self.value[k] = b[i] * entry + shift;
            }
        }
        let structure = Structure { first: &self.first, group: &self.group };
        self.lu.factor((&self.row_start, &self.column, &self.value), structure, order)
    }

    /// x ← K⁻¹ x after a successful [`Self::factor`]; no numbers where K turns out singular.
    pub fn solve(&mut self, x: &mut [f64]) {
        self.lu.solve(x);
    }
}

/// Rows that belong together where they have the same subject.
fn family(part: Part) -> Option<u32> {
    match part {
        Part::Normal | Part::Friction | Part::Slip => Some(0),
        Part::Support | Part::SupportSlip => Some(1),
        Part::Bilateral => Some(2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vinci_core::CsrBuf;
    use vinci_core::problem::MlcpBuf;

    #[test]
    fn the_shifted_matrix_is_solved_where_m_stores_no_diagonal() {
        // M = [0 2; 3 0] without stored diagonal, K = diag(1, 4) + diag(2, 0.5) M = [1 4; 1.5 4].
        let m = CsrBuf::from_triplets(2, 2, &[(0, 1, 2.0), (1, 0, 3.0)]);
        let mut lu = ShiftedLu::default();
        let p = MlcpBuf::from_parts(m.clone(), vec![0.0; 2], vec![0.0; 2], vec![1.0; 2], 1e-9);
        lu.begin(&p.view());
        assert!(lu.factor(m.view(), &[1.0, 4.0], &[2.0, 0.5], Order::FirstRowsFirst));
        let mut x = [1.0 * 5.0 + 4.0 * 7.0, 1.5 * 5.0 + 4.0 * 7.0];
        lu.solve(&mut x);
        assert!((x[0] - 5.0).abs() < 1e-13 && (x[1] - 7.0).abs() < 1e-13, "{x:?}");
    }
}
