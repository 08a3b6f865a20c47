//! The free rows, eliminated: v = −A⁻¹ (q_F + M_FC z_C), component by component, and the response of v to every z_C.
//!
//! The free-free block A is block diagonal by bodies (or groups of jointed bodies): the connected components of its
//! sparsity, each factorised densely. A component without inverse (a quasi-static body, a redundant joint) is shifted
//! by ε I and its q by −ε times a centre; moving the centre to v again and again is the proximal point method, whose
//! fixed points solve the unshifted rows.

use vinci_sdk::core::problem::Mlcp;
use vinci_sdk::core::sets::DisjointSets;

use vinci_linear::DenseLu;

/// Shift ε of a singular component relative to its rows' scales.
const SHIFT: f64 = 1e-3;
/// A pivot below this share of the largest entry counts as zero.
const SINGULAR: f64 = 1e-13;

/// One connected component of the free rows.
#[derive(Debug, Default)]
struct Component {
    rows: Vec<usize>,
    lu: DenseLu,
    shifted: bool,
}

/// Factorised free block and responses; memory is kept between problems.
#[derive(Debug, Default)]
pub(crate) struct Free {
    components: Vec<Component>,
    n_components: usize,
    /// Component of every row, [`NONE`] for bounded rows, and its place therein.
    component: Vec<usize>,
    place: Vec<usize>,
    sets: DisjointSets,
    /// Columns of M_FC: entries (free row, value) of bounded column j at `column_start[j]..column_start[j + 1]`.
    column_start: Vec<usize>,
    column_row: Vec<usize>,
    column_value: Vec<f64>,
    /// Responses ∂v/∂z_j in the same layout.
    response_start: Vec<usize>,
    response_row: Vec<usize>,
    response_value: Vec<f64>,
    /// ε of every row (0 where its component is regular).
    shift: Vec<f64>,
    /// Centre of the proximal method.
    pub(crate) centre: Vec<f64>,
    work: Vec<f64>,
}

const NONE: usize = usize::MAX;

impl Free {
    /// Factorises the free block of `p`; false when even the shifted block is singular.
    pub(crate) fn factor(&mut self, p: &Mlcp<'_>) -> bool {
        self.find_components(p);
        self.gather_columns(p);
        self.shift.clear();
        self.shift.resize(p.n(), 0.0);
        self.centre.clear();
        self.centre.resize(p.n(), 0.0);
        for c in 0..self.n_components {
            if !self.factor_component(p, c, false) && !self.factor_component(p, c, true) {
                return false;
            }
        }
        self.find_responses();
        true
    }

    /// Returns true if any component had to be shifted.
    pub(crate) fn is_shifted(&self) -> bool {
        self.components[..self.n_components].iter().any(|c| c.shifted)
    }

    fn find_components(&mut self, p: &Mlcp<'_>) {
        let n = p.n();
        self.sets.reset_where(n, |i| p.is_free(i));
        for i in (0..n).filter(|&i| p.is_free(i)) {
            for (j, _) in p.m.entries(i) {
                if self.sets.has(j) {
                    self.sets.unite(i, j);
                }
            }
        }
        self.component.clear();
        self.component.resize(n, NONE);
        self.place.clear();
        self.place.resize(n, 0);
        self.n_components = 0;
        for i in (0..n).filter(|&i| p.is_free(i)) {
            let root = self.sets.root(i);
            if root == i {
                self.component[i] = self.n_components;
                self.n_components += 1;
                if self.components.len() < self.n_components {
                    self.components.push(Component::default());
                }
                self.components[self.n_components - 1].rows.clear();
            }
            let c = self.component[root];
            self.component[i] = c;
            self.place[i] = self.components[c].rows.len();
            self.components[c].rows.push(i);
        }
    }

    fn gather_columns(&mut self, p: &Mlcp<'_>) {
        let n = p.n();
        self.column_start.clear();
        self.column_start.resize(n + 1, 0);
        for i in (0..n).filter(|&i| p.is_free(i)) {
            for (j, _) in p.m.entries(i).filter(|&(j, _)| self.component[j] == NONE) {
                self.column_start[j + 1] += 1;
            }
        }
        (0..n).for_each(|j| self.column_start[j + 1] += self.column_start[j]);
        self.column_row.resize(self.column_start[n], 0);
        self.column_value.resize(self.column_start[n], 0.0);
        for i in (0..n).filter(|&i| p.is_free(i)) {
            for (j, v) in p.m.entries(i).filter(|&(j, _)| self.component[j] == NONE) {
                let at = self.column_start[j];
                (self.column_row[at], self.column_value[at]) = (i, v);
                self.column_start[j] += 1;
            }
        }
        self.column_start.copy_within(0..n, 1);
        self.column_start[0] = 0;
    }

    fn factor_component(&mut self, p: &Mlcp<'_>, c: usize, shifted: bool) -> bool {
        let component = &mut self.components[c];
        component.lu.reset(component.rows.len());
        component.shifted = shifted;
        let mut largest = 0.0_f64;
        for (place, &i) in component.rows.iter().enumerate() {
            let row = component.lu.row_mut(place);
            for (j, v) in p.m.entries(i).filter(|&(j, _)| self.component[j] == c) {
                row[self.place[j]] += v;
                largest = largest.max(v.abs());
            }
            if shifted {
                self.shift[i] = SHIFT * skew_sign(p, i) * p.w_scale[i] / p.z_scale[i];
                row[place] += self.shift[i];
            }
        }
        component.lu.factor() && (shifted || component.lu.smallest_pivot() > SINGULAR * largest)
    }

    fn find_responses(&mut self) {
        let n = self.component.len();
        self.response_start.clear();
        self.response_start.push(0);
        self.response_row.clear();
        self.response_value.clear();
        for j in 0..n {
            let (start, end) = (self.column_start[j], self.column_start[j + 1]);
            for k in start..end {
                let c = self.component[self.column_row[k]];
                // A component is done at its first entry in the column.
                if (start..k).all(|e| self.component[self.column_row[e]] != c) {
                    self.respond(c, start..end);
                }
            }
            self.response_start.push(self.response_row.len());
        }
    }

    fn respond(&mut self, c: usize, entries: std::ops::Range<usize>) {
        let component = &self.components[c];
        self.work.clear();
        self.work.resize(component.rows.len(), 0.0);
        for e in entries {
            let i = self.column_row[e];
            if self.component[i] == c {
                self.work[self.place[i]] -= self.column_value[e];
            }
        }
        component.lu.solve(&mut self.work);
        self.response_row.extend_from_slice(&component.rows);
        self.response_value.extend_from_slice(&self.work);
    }

    /// The response ∂v/∂z_j as (free row, value).
    #[inline]
    pub(crate) fn response(&self, j: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.response_start[j]..self.response_start[j + 1];
        self.response_row[range.clone()].iter().copied().zip(self.response_value[range].iter().copied())
    }

    /// v = −(A + ε)⁻¹ (q_F − ε centre + M_FC z_C), written into the free entries of z.
    pub(crate) fn update(&mut self, p: &Mlcp<'_>, z: &mut [f64]) {
        for component in &self.components[..self.n_components] {
            self.work.clear();
            for &i in &component.rows {
                let bounded: f64 =
                    p.m.entries(i).filter(|&(j, _)| self.component[j] == NONE).map(|(j, v)| v * z[j]).sum();
                self.work.push(self.shift[i] * self.centre[i] - p.q[i] - bounded);
            }
            component.lu.solve(&mut self.work);
            for (&i, &v) in component.rows.iter().zip(&self.work) {
                z[i] = v;
            }
        }
    }

    /// Moves the proximal centre to z.
    pub(crate) fn recentre(&mut self, z: &[f64]) {
        self.centre.copy_from_slice(z);
    }
}

/// Sign of ε for free row i: an equation may be written with either sign, and the shift must follow the one in which
/// M_iC = −M_Ciᵀ (the momentum row of a monotone problem).
fn skew_sign(p: &Mlcp<'_>, i: usize) -> f64 {
    let mut product = 0.0;
    for (j, v) in p.m.entries(i).filter(|&(j, _)| !p.is_free(j)) {
        product += v * p.m.entry(j, i);
    }
    if product > 0.0 { -1.0 } else { 1.0 }
}
