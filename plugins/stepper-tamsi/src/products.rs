//! Products with the Jacobian of an element: J x, Jᵀ p, Jᵀ C J. Its columns come in runs that follow each other, so that loops are dense.

use crate::elements::{Element, Elements};
use crate::entry_layout::EntryLayout;

/// Columns that are multiplied at a time.
const WIDTH: usize = 8;

impl Elements {
    /// Columns of an element, and the row of its local rate a.
    #[inline]
    fn row(&self, e: &Element, a: usize) -> (&[u32], &[f64]) {
        let at = e.value + (a - e.first) * e.n_columns;
        (self.columns(e), &self.value[at..at + e.n_columns])
    }

    /// The N rows of an element, and its runs of columns as (place among its columns, unknowns).
    #[inline]
    fn rows<const N: usize>(
        &self,
        e: &Element,
    ) -> ([&[f64]; N], impl Iterator<Item = (usize, std::ops::Range<usize>)>) {
        let rows = std::array::from_fn(|a| &self.value[e.value + a * e.n_columns..][..e.n_columns]);
        let runs = self.run[e.run..e.run + e.n_runs].iter();
        (rows, runs.map(|&[k, first, n]| (k as usize, first as usize..(first + n) as usize)))
    }

    /// Local change J x of the rates, without constants.
    #[inline]
    pub(crate) fn change(&self, e: &Element, x: &[f64]) -> [f64; 3] {
        match e.last - e.first {
            3 => self.change_of::<3>(e, x),
            2 => self.change_of::<2>(e, x),
            _ => self.change_of::<1>(e, x),
        }
    }

    /// Local change of the first N rates that the element has.
    #[inline]
    pub(crate) fn change_of<const N: usize>(&self, e: &Element, x: &[f64]) -> [f64; 3] {
        let (rows, runs) = self.rows::<N>(e);
        let mut sum = [0.0; N];
        for (k, run) in runs {
            let x = &x[run];
            let rows = rows.map(|row| &row[k..k + x.len()]);
            for (j, x) in x.iter().enumerate() {
                (0..N).for_each(|a| sum[a] += rows[a][j] * x);
            }
        }
        let mut out = [0.0; 3];
        out[e.first..e.first + N].copy_from_slice(&sum);
        out
    }

    /// r −= Jᵀ p.
    #[inline]
    pub(crate) fn subtract(&self, e: &Element, p: [f64; 3], r: &mut [f64]) {
        match e.last - e.first {
            _ if p == [0.0; 3] => {}
            3 => self.subtract_of::<3>(e, p, r),
            2 => self.subtract_of::<2>(e, p, r),
            _ => self.subtract_of::<1>(e, p, r),
        }
    }

    #[inline]
    fn subtract_of<const N: usize>(&self, e: &Element, p: [f64; 3], r: &mut [f64]) {
        let (rows, runs) = self.rows::<N>(e);
        let p: [f64; N] = std::array::from_fn(|a| p[e.first + a]);
        for (k, run) in runs {
            let r = &mut r[run];
            let rows = rows.map(|row| &row[k..k + r.len()]);
            for (j, r) in r.iter_mut().enumerate() {
                (0..N).for_each(|a| *r -= rows[a][j] * p[a]);
            }
        }
    }

    /// J_r += Jᵀ C J, into the entries of a matrix.
    pub(crate) fn add(&self, e: &Element, c: &[[f64; 3]; 3], layout: &impl EntryLayout, out: &mut [f64]) {
        match e.last - e.first {
            // Out of reach: no force, and none to come.
            _ if *c == [[0.0; 3]; 3] => {}
            3 => self.add_of::<3>(e, c, layout, out),
            2 => self.add_of::<2>(e, c, layout, out),
            _ => self.add_of::<1>(e, c, layout, out),
        }
    }

    /// C J first, up to `WIDTH` columns at a time, then Jᵀ (C J): N k² products for k columns, not N² k².
    fn add_of<const N: usize>(
        &self,
        e: &Element,
        c: &[[f64; 3]; 3],
        layout: &impl EntryLayout,
        out: &mut [f64],
    ) {
        for (k, run) in self.rows::<N>(e).1 {
            let mut start = run.start;
            while start < run.end {
                let (at, width) = (k + start - run.start, WIDTH.min(run.end.min(layout.end(start)) - start));
                // The velocities of a body, of a joint: their loops are unrolled.
                match width {
                    6 => self.add_columns::<N, 6>(e, c, (at, start, 6), layout, out),
                    3 => self.add_columns::<N, 3>(e, c, (at, start, 3), layout, out),
                    1 => self.add_columns::<N, 1>(e, c, (at, start, 1), layout, out),
                    _ => self.add_columns::<N, WIDTH>(e, c, (at, start, width), layout, out),
                }
                start += width;
            }
        }
    }

    /// Jᵀ C J of `width` columns, at most W, from place `at` and column `start` on.
    #[inline]
    fn add_columns<const N: usize, const W: usize>(
        &self,
        e: &Element,
        c: &[[f64; 3]; 3],
        (at, start, width): (usize, usize, usize),
        layout: &impl EntryLayout,
        out: &mut [f64],
    ) {
        let (rows, _) = self.rows::<N>(e);
        let mut cj = [[0.0; W]; N];
        for (a, cj) in cj.iter_mut().enumerate() {
            for (b, row) in rows.iter().enumerate() {
                let c = c[e.first + a][e.first + b];
                cj.iter_mut().zip(&row[at..at + width]).for_each(|(sum, y)| *sum += c * y);
            }
        }
        for (i, &row) in self.columns(e).iter().enumerate() {
            let left = rows.map(|row| row[i]);
            let row = &mut out[layout.at(row as usize, start)..][..width];
            for (j, sum) in row.iter_mut().enumerate() {
                *sum += (0..N).map(|a| left[a] * cj[a][j]).sum::<f64>();
            }
        }
    }

    /// Effective mass of a local rate, (J A_d⁻¹ Jᵀ)⁻¹ with the diagonal A_d, kg.
    pub(crate) fn mass(&self, e: &Element, a: usize, diagonal: &[f64]) -> f64 {
        let (columns, values) = self.row(e, a);
        let inverse: f64 = columns.iter().zip(values).map(|(c, w)| w * w / diagonal[*c as usize]).sum();
        if inverse > 0.0 { 1.0 / inverse } else { f64::INFINITY }
    }
}
