//! Least squares in the unit box: every parameter is a + (b − a) u, u in [0, 1].

use std::cell::{Cell, RefCell};

use basin::{
    BoundedLevenbergMarquardt, BoxBounds, ConstraintDescription, ConstraintSet, ConstraintSolveError,
    Constraints, CostFunction, Executor, Jacobian, NelderMead, PointState, Residual, SimplexProgress,
};
use nalgebra::{DMatrix, DVector};
use vinci_compare::measures::Table;
use vinci_core::problem::Ties;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

use crate::data::Data;
use crate::options::{FitOptions, Search};
use crate::probes::Probes;
use crate::refused::Refused;
use crate::residual::{Scales, residuals, residuals_along};
use crate::run_record::RunRecord;
use crate::tangents::tangents;
use crate::trials::Trials;

/// Residual of every number where a run is refused or fails: far above those of any run, so that a search turns back.
const FAILED: f64 = 1e6;

/// Edge of the first simplex of a search without derivatives, in the unit box.
const EDGE: f64 = 0.1;

/// A fit as a problem of least squares.
pub(crate) struct Problem<'a> {
    pub(crate) trials: &'a Trials<'a>,
    pub(crate) data: &'a Data,
    pub(crate) scales: Scales,
    asked: FitOptions,
    /// Runs that were refused or failed.
    pub(crate) failed: Cell<u64>,
    /// Reason why runs were differenced where derivatives step by step were asked for.
    pub(crate) why_differences: RefCell<Option<String>>,
    bounds: Vec<[f64; 2]>,
    lower: DVector<f64>,
    upper: DVector<f64>,
}

impl<'a> Problem<'a> {
    pub(crate) fn new(
        trials: &'a Trials<'a>,
        data: &'a Data,
        bounds: Vec<[f64; 2]>,
        scales: Scales,
        asked: FitOptions,
    ) -> Self {
        let n = bounds.len();
        let (lower, upper) = (DVector::zeros(n), DVector::from_element(n, 1.0));
        Self {
            trials,
            data,
            scales,
            asked,
            failed: Cell::new(0),
            why_differences: RefCell::default(),
            bounds,
            lower,
            upper,
        }
    }

    /// Values of the parameters at a place of the box.
    pub(crate) fn values(&self, u: &DVector<f64>) -> Vec<f64> {
        self.bounds.iter().zip(u.iter()).map(|([a, b], u)| (a + (b - a) * u).clamp(*a, *b)).collect()
    }

    /// The place of values, within the box.
    pub(crate) fn place(&self, values: &[f64]) -> DVector<f64> {
        let of = |(x, [a, b]): (&f64, &[f64; 2])| ((x - a) / (b - a)).clamp(0.0, 1.0);
        DVector::from_iterator(values.len(), values.iter().zip(&self.bounds).map(of))
    }

    /// The run there; none where it is refused for its values or fails.
    pub(crate) fn record(&self, u: &DVector<f64>) -> Result<Option<RunRecord>, Diagnostics> {
        let record = match self.trials.run(&self.values(u)) {
            Ok(record) => Some(record).filter(|record| record.failure.is_none()),
            Err(found) if found.exit_code() == 3 => None,
            Err(found) => return Err(found),
        };
        self.failed.set(self.failed.get() + u64::from(record.is_none()));
        Ok(record)
    }

    /// ½ Σ r².
    pub(crate) fn half_square(&self, u: &DVector<f64>) -> Result<f64, Diagnostics> {
        Ok(0.5 * self.residual(u)?.norm_squared())
    }
}

impl Residual for &Problem<'_> {
    type Param = DVector<f64>;
    type Output = DVector<f64>;
    type Error = Diagnostics;

    fn residual(&self, u: &DVector<f64>) -> Result<DVector<f64>, Diagnostics> {
        let n = self.data.table.times.len() * self.data.table.columns.len();
        Ok(match self.record(u)? {
            Some(record) => DVector::from_vec(residuals(&record, self.data, &self.scales)),
            None => DVector::from_element(n, FAILED),
        })
    }
}

impl Jacobian for &Problem<'_> {
    type Jacobian = DMatrix<f64>;

    fn jacobian(&self, u: &DVector<f64>) -> Result<DMatrix<f64>, Diagnostics> {
        let exact = (self.asked.search == Search::ActiveSet).then(|| self.step_by_step(u)).transpose()?;
        exact.flatten().map_or_else(|| self.by_differences(u), Ok)
    }
}

impl Problem<'_> {
    /// Derivatives at the active set of every step; none where there are none.
    fn step_by_step(&self, u: &DVector<f64>) -> Result<Option<DMatrix<f64>>, Diagnostics> {
        let values = self.values(u);
        let found = Probes::new(self.trials, &values)
            .and_then(|mut probes| tangents(self.trials, &values, &mut probes, Ties::Equations));
        let found = match found {
            Ok(found) => found,
            Err(Refused::NoDerivative(why)) => {
                self.why_differences.borrow_mut().get_or_insert(why);
                return Ok(None);
            }
            Err(Refused::Experiment(found)) => return Err(found),
        };
        let column = |(by, [a, b]): (&Table, &[f64; 2])| {
            let list = residuals_along((&found.record, by), self.data, &self.scales);
            DVector::from_vec(list) * (b - a)
        };
        let columns: Vec<_> = found.by.iter().zip(&self.bounds).map(column).collect();
        Ok(Some(DMatrix::from_columns(&columns)))
    }

    /// Central differences, one-sided at a bound and beside runs that fail.
    fn by_differences(&self, u: &DVector<f64>) -> Result<DMatrix<f64>, Diagnostics> {
        let mut columns = Vec::new();
        for k in 0..u.len() {
            let at = |to: f64| -> Result<(f64, Option<DVector<f64>>), Diagnostics> {
                let mut moved = u.clone();
                moved[k] = to.clamp(0.0, 1.0);
                let record = self.record(&moved)?;
                let r = record.map(|record| DVector::from_vec(residuals(&record, self.data, &self.scales)));
                Ok((moved[k], r))
            };
            let sides = [at(u[k] - self.asked.step)?, at(u[k] + self.asked.step)?];
            columns.push(match sides {
                [(a, Some(left)), (b, Some(right))] => (right - left) / (b - a),
                [(a, Some(one)), _] | [_, (a, Some(one))] if a != u[k] => {
                    (one - self.residual(u)?) / (a - u[k])
                }
                _ => self.residual(u)? * 0.0,
            });
        }
        Ok(DMatrix::from_columns(&columns))
    }
}

impl CostFunction for &Problem<'_> {
    type Param = DVector<f64>;
    type Output = f64;
    type Error = Diagnostics;

    fn cost(&self, u: &DVector<f64>) -> Result<f64, Diagnostics> {
        self.half_square(u)
    }
}

impl Constraints for &Problem<'_> {
    type Set = ConstraintSet<BoxBounds<DVector<f64>>>;

    fn constraints(&self) -> <Self::Set as ConstraintDescription>::Borrowed<'_> {
        ConstraintSet::new().with_bounds(BoxBounds::new(Some(&self.lower), Some(&self.upper)))
    }
}

/// Levenberg and Marquardt's method within the box, from `u`; where it ends and ½ Σ r² there.
pub(crate) fn by_derivatives(
    problem: &Problem<'_>,
    u: DVector<f64>,
    most: u64,
) -> Result<(DVector<f64>, f64), Diagnostics> {
    let method = BoundedLevenbergMarquardt::<DVector<f64>, DMatrix<f64>>::new()
        .with_relative_cost_change_tolerance(1e-9)
        .with_relative_step_tolerance(1e-7);
    let end = Executor::new(problem, method, PointState::new(u)).max_iter(most).run().map_err(refused)?;
    Ok((end.param().clone(), end.cost()))
}

/// Nelder and Mead's simplex within the box, from `u`: nothing is differentiated.
pub(crate) fn by_simplex(
    problem: &Problem<'_>,
    u: DVector<f64>,
    most: u64,
) -> Result<(DVector<f64>, f64), Diagnostics> {
    let corner = |k: usize| {
        let mut corner = u.clone();
        corner[k] += if u[k] + EDGE > 1.0 { -EDGE } else { EDGE };
        corner
    };
    let vertices = std::iter::once(u.clone()).chain((0..u.len()).map(corner)).collect();
    let method = NelderMead::new().projected().with_absolute_simplex_size_tolerance(1e-6);
    let end = Executor::new(problem, method, SimplexProgress::from_simplex(vertices))
        .max_iter(most)
        .run()
        .map_err(refused)?;
    Ok((end.param().clone(), end.cost()))
}

/// The reason that ended a search: the fault of a run, or a problem that the method refuses.
fn refused(error: ConstraintSolveError<Diagnostics>) -> Diagnostics {
    match error {
        ConstraintSolveError::Evaluation(found) => found,
        other => {
            let message = format!("the search refuses the problem: {other}");
            Diagnostic::error(Code::Contradiction, message).into()
        }
    }
}
