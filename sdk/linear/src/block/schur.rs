//! Contacts alone: the first rows eliminated group by group, and what is left factorised with pivots anywhere.
//!
//! ```text
//! S = K_CC − Σ_g K_Cg K_gg⁻¹ K_gC,   S x_C = b_C − Σ_g K_Cg K_gg⁻¹ b_g,   x_g = K_gg⁻¹ (b_g − K_gC x_C)
//! ```
//!
//! S is as dense as contacts share bodies, and much smaller than K. Groups of first rows must not touch each other (springs that the
//! step has in its masses do that).

use super::groups::Groups;
use crate::{DenseLu, SparseLu};

/// One group of first rows.
#[derive(Debug, Default)]
struct Group {
    rows: Vec<u32>,
    lu: DenseLu,
    /// Late columns of its rows, as numbers in S, and K_gg⁻¹ K_gC by columns.
    column: Vec<u32>,
    response: Vec<f64>,
}

/// S with its factors, of one pattern of K. Keeps its memory.
#[derive(Debug, Default)]
pub(super) struct Schur {
    groups: Vec<Group>,
    count: usize,
    /// Group and place of a first row; number in S of a late one.
    group: Vec<u32>,
    place: Vec<u32>,
    late: Vec<u32>,
    row_start: Vec<u32>,
    column: Vec<u32>,
    value: Vec<f64>,
    /// Where the columns of a row stand in `value`.
    at: Vec<u32>,
    lu: SparseLu,
    analysed: Option<(Vec<u32>, Vec<u32>)>,
    right: Vec<f64>,
    work: Vec<f64>,
}

/// Marks a late row, and a column that a row has not.
const NONE: u32 = u32::MAX;

/// K by rows: starts, columns, values.
type Rows<'a> = (&'a [u32], &'a [u32], &'a [f64]);

impl Schur {
    /// Eliminates and factorises; false where groups touch each other, or have no inverse, or S has none.
    pub(super) fn factor(&mut self, k: Rows<'_>, groups: &Groups) -> bool {
        self.number(groups);
        if !self.eliminate_groups(k) {
            return false;
        }
        self.find_pattern(k);
        self.fill(k);
        let known = self.analysed.as_ref().is_some_and(|(r, c)| *r == self.row_start && *c == self.column);
        if !known {
            let pattern = (self.row_start.clone(), self.column.clone());
            self.analysed = self.lu.analyse(&pattern.0, &pattern.1).then_some(pattern);
        }
        self.analysed.is_some() && self.lu.factor(&self.value)
    }

    fn number(&mut self, groups: &Groups) {
        let n = groups.of.len();
        self.group.clear();
        self.place.clear();
        self.late.clear();
        let mut number = vec![NONE; groups.late.len()];
        self.count = 0;
        for (block, _) in groups.late.iter().enumerate().filter(|(_, late)| !**late) {
            number[block] = self.count as u32;
            self.count += 1;
        }
        self.groups.resize_with(self.groups.len().max(self.count), Group::default);
        self.groups.iter_mut().for_each(|g| g.rows.clear());
        for i in 0..n as u32 {
            let group = number[groups.of[i as usize] as usize];
            let list = if group == NONE { &mut self.late } else { &mut self.groups[group as usize].rows };
            self.group.push(group);
            self.place.push(list.len() as u32);
            list.push(i);
        }
    }

    /// K_gg⁻¹ K_gC of every group.
    fn eliminate_groups(&mut self, (row_start, column, value): Rows<'_>) -> bool {
        let row = |i: u32| row_start[i as usize] as usize..row_start[i as usize + 1] as usize;
        self.at.clear();
        self.at.resize(self.late.len(), NONE);
        for (g, group) in self.groups[..self.count].iter_mut().enumerate() {
            let n = group.rows.len();
            group.column.clear();
            group.response.clear();
            group.lu.reset(n);
            for (r, &i) in group.rows.iter().enumerate() {
                for k in row(i) {
                    let (j, v) = (column[k] as usize, value[k]);
                    if self.group[j] == g as u32 {
                        group.lu.row_mut(r)[self.place[j] as usize] += v;
                        continue;
                    }
                    if self.group[j] != NONE {
                        return false;
                    }
                    let at = &mut self.at[self.place[j] as usize];
                    if *at == NONE {
                        *at = group.column.len() as u32;
                        group.column.push(self.place[j]);
                        group.response.resize(group.response.len() + n, 0.0);
                    }
                    group.response[*at as usize * n + r] += v;
                }
            }
            group.column.iter().for_each(|&c| self.at[c as usize] = NONE);
            if !group.lu.factor() {
                return false;
            }
            group.response.chunks_exact_mut(n).for_each(|x| group.lu.solve(x));
        }
        true
    }

    /// Columns of every row of S: its own, and those of the groups it touches.
    fn find_pattern(&mut self, (row_start, column, _): Rows<'_>) {
        self.at.fill(NONE);
        self.row_start.clear();
        self.row_start.push(0);
        self.column.clear();
        for (r, &i) in self.late.iter().enumerate() {
            let first = self.column.len();
            let mut add = |c: u32| {
                if std::mem::replace(&mut self.at[c as usize], r as u32) != r as u32 {
                    self.column.push(c);
                }
            };
            for &j in &column[row_start[i as usize] as usize..row_start[i as usize + 1] as usize] {
                match self.group[j as usize] {
                    NONE => add(self.place[j as usize]),
                    g => self.groups[g as usize].column.iter().for_each(|&c| add(c)),
                }
            }
            self.column[first..].sort_unstable();
            self.row_start.push(self.column.len() as u32);
        }
    }

    fn fill(&mut self, (row_start, column, value): Rows<'_>) {
        self.value.clear();
        self.value.resize(self.column.len(), 0.0);
        for (r, &i) in self.late.iter().enumerate() {
            let own = self.row_start[r] as usize..self.row_start[r + 1] as usize;
            own.for_each(|k| self.at[self.column[k] as usize] = k as u32);
            for k in row_start[i as usize] as usize..row_start[i as usize + 1] as usize {
                let (j, v) = (column[k] as usize, value[k]);
                if self.group[j] == NONE {
                    self.value[self.at[self.place[j] as usize] as usize] += v;
                    continue;
                }
                let group = &self.groups[self.group[j] as usize];
                let responses = group.response.chunks_exact(group.rows.len());
                for (&c, x) in group.column.iter().zip(responses) {
                    self.value[self.at[c as usize] as usize] -= v * x[self.place[j] as usize];
                }
            }
        }
    }

    /// x ← K⁻¹ x after a successful [`Self::factor`].
    pub(super) fn solve(&mut self, (row_start, column, value): Rows<'_>, x: &mut [f64]) {
        for group in &self.groups[..self.count] {
            self.work.clear();
            self.work.extend(group.rows.iter().map(|&i| x[i as usize]));
            group.lu.solve(&mut self.work);
            group.rows.iter().zip(&self.work).for_each(|(&i, v)| x[i as usize] = *v);
        }
        self.right.clear();
        for &i in &self.late {
            let row = row_start[i as usize] as usize..row_start[i as usize + 1] as usize;
            let first = row.filter(|&k| self.group[column[k] as usize] != NONE);
            self.right.push(x[i as usize] - first.map(|k| value[k] * x[column[k] as usize]).sum::<f64>());
        }
        self.lu.solve(&mut self.right);
        for group in &self.groups[..self.count] {
            for (&c, response) in group.column.iter().zip(group.response.chunks_exact(group.rows.len())) {
                let known = self.right[c as usize];
                group.rows.iter().zip(response).for_each(|(&i, r)| x[i as usize] -= r * known);
            }
        }
        self.late.iter().zip(&self.right).for_each(|(&i, v)| x[i as usize] = *v);
    }
}
