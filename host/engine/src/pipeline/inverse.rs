//! Solving the equations of an active set, dependent ones included.

use nalgebra::{ColPivQR, DMatrix, DVector, Dyn, LU};

/// Part of the largest pivot below which equations are taken as dependent: a support with more points than it needs.
const DEPENDENT: f64 = 1e-9;

/// Part of a direction that nothing determines, in balanced units, below which an unknown has no part in it.
const NO_PART: f64 = 1e-7;

/// A matrix to solve with, its rows and then its columns divided by their largest entries.
#[derive(Debug)]
pub(super) struct Inverse {
    rows: DVector<f64>,
    columns: DVector<f64>,
    factors: Factors,
}

#[derive(Debug)]
enum Factors {
    Regular(LU<f64, Dyn, Dyn>),
    /// With so many independent rows: unknowns that others stand for stay as they are. Velocities are those of all answers
    /// unless [`Inverse::leaves_open`].
    Dependent(Box<ColPivQR<f64, Dyn, Dyn>>, usize),
}

impl Inverse {
    pub(super) fn of(mut matrix: DMatrix<f64>) -> Self {
        let largest = |list: &[f64]| 1.0 / list.iter().fold(f64::MIN_POSITIVE, |m, x: &f64| m.max(x.abs()));
        let n = matrix.nrows();
        let rows = DVector::from_iterator(n, (0..n).map(|i| largest(matrix.row(i).transpose().as_slice())));
        (0..n).for_each(|i| matrix.row_mut(i).scale_mut(rows[i]));
        let columns = DVector::from_iterator(n, (0..n).map(|k| largest(matrix.column(k).as_slice())));
        (0..n).for_each(|k| matrix.column_mut(k).scale_mut(columns[k]));
        Self { rows, columns, factors: Factors::of(matrix) }
    }

    pub(super) fn solve(&self, r: &DVector<f64>) -> Option<DVector<f64>> {
        let scaled = r.component_mul(&self.rows);
        let found = match &self.factors {
            Factors::Regular(lu) => lu.solve(&scaled),
            Factors::Dependent(qr, rank) => basic(qr, *rank, scaled),
        };
        found.map(|x| x.component_mul(&self.columns))
    }

    /// Returns true if the equations leave one of these unknowns open: a box that slides and turns on four contacts may press with any of
    /// them a little more, and its friction is another one then.
    pub(super) fn leaves_open(&self, is_asked: impl Fn(usize) -> bool) -> bool {
        let Factors::Dependent(qr, rank) = &self.factors else { return false };
        let (r, n) = (qr.r(), self.columns.len());
        (*rank..n).any(|k| {
            let mut x = DVector::zeros(n);
            let right = -r.view((0, k), (*rank, 1)).into_owned();
            let Some(top) = r.view((0, 0), (*rank, *rank)).solve_upper_triangular(&right) else {
                return true;
            };
            x.rows_mut(0, *rank).copy_from(&top);
            x[k] = 1.0;
            qr.p().inv_permute_rows(&mut x);
            let limit = NO_PART * x.amax();
            x.iter().enumerate().any(|(i, x)| x.abs() > limit && is_asked(i))
        })
    }
}

impl Factors {
    fn of(matrix: DMatrix<f64>) -> Self {
        if matrix.is_empty() {
            return Self::Dependent(Box::new(matrix.col_piv_qr()), 0);
        }
        let lu = matrix.clone().lu();
        let pivots = lu.u().diagonal();
        let (least, most) =
            pivots.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), x| (a.min(x.abs()), b.max(x.abs())));
        if least > DEPENDENT * most {
            return Self::Regular(lu);
        }
        let qr = matrix.col_piv_qr();
        let diagonal = qr.r().diagonal();
        let rank = diagonal.iter().filter(|x| x.abs() > DEPENDENT * diagonal.amax()).count();
        Self::Dependent(Box::new(qr), rank)
    }
}

/// The answer with 0 where a column depends on those before it.
fn basic(qr: &ColPivQR<f64, Dyn, Dyn>, rank: usize, mut r: DVector<f64>) -> Option<DVector<f64>> {
    if rank == 0 {
        return Some(r * 0.0);
    }
    qr.q_tr_mul(&mut r);
    let top = qr.r().view((0, 0), (rank, rank)).solve_upper_triangular(&r.rows(0, rank))?;
    let mut x = DVector::zeros(r.len());
    x.rows_mut(0, rank).copy_from(&top);
    qr.p().inv_permute_rows(&mut x);
    Some(x)
}
