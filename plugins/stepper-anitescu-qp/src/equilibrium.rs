//! A check that quasi-static bodies can be in equilibrium: the program then has a lowest value.
//!
//! Velocities z whose rows of A are empty cost nothing, so the program is bounded only if some multipliers balance their
//! loads: b_z + R_zᵀ β = 0, β ≥ 0 on one-sided rows. The least |b_z + R_zᵀ β| is found by the method of Lawson and
//! Hanson; where it is not 0, the rest d has R_z d ≥ 0 and b_zᵀd = |d|² > 0 by the conditions of that minimum: no row
//! resists d, and the load works along it for ever.

use nalgebra::{DMatrix, DVector};
use vinci_sdk::core::momentum::Momentum;
use vinci_sdk::core::rigid::Freedom;
use vinci_sdk::prelude::*;

use crate::rows::Program;

/// Loads and rates below this part of the largest count as balanced.
const BALANCED: f64 = 1e-9;

/// Directions of the polygon about a cone that stands for it: outside, so that what it cannot hold nothing can.
const OUTER: usize = 16;

/// Refuses steps that have no equilibrium.
///
/// Errors: the body and the direction that nothing resists.
pub(crate) fn check(
    program: &Program,
    step: &StepView<'_>,
    momentum: &Momentum,
    freedom: &Freedom,
) -> Result<(), StageError> {
    let p = program.conic.view();
    let costless: Vec<usize> = (0..p.n()).filter(|&i| p.p.entries(i).all(|(_, a)| a == 0.0)).collect();
    let load = DVector::from_iterator(costless.len(), costless.iter().map(|&i| -p.c[i]));
    let largest = load.amax();
    if costless.is_empty() || largest == 0.0 {
        return Ok(());
    }
    let columns = pushes(&p, &costless);
    let rest = least(&columns, &load);
    if rest.amax() <= BALANCED * largest {
        return Ok(());
    }
    let mut d = vec![0.0; step.nv()];
    costless.iter().zip(&rest).for_each(|(&i, x)| d[momentum.free[i] as usize] = x / rest.amax());
    let (body, direction) = freedom.describe(step, &d);
    Err(StageError::bad_model(format!(
        "{body} is quasi-static and nothing resists it along {direction}: its load has no equilibrium there, and the \
         step's program no lowest value. Support it, or choose motion model `quasi-dynamic`"
    )))
}

/// Pushes of the rows on the costless velocities, a column each.
fn pushes(p: &Conic<'_>, costless: &[usize]) -> DMatrix<f64> {
    let mut place = vec![usize::MAX; p.n()];
    costless.iter().enumerate().for_each(|(k, &i)| place[i] = k);
    let mut columns: Vec<DVector<f64>> = Vec::new();
    let row = |i: usize, scale: f64| {
        let mut column = DVector::zeros(costless.len());
        for (j, value) in p.rows.entries(i).filter(|(j, _)| place[*j] != usize::MAX) {
            column[place[j]] += scale * value;
        }
        column
    };
    let mut in_cone = vec![false; p.m()];
    for cone in p.cones() {
        in_cone[cone.clone()].fill(true);
        let widen = if cone.len() == 3 { 1.0 / (std::f64::consts::PI / OUTER as f64).cos() } else { 1.0 };
        let n = if cone.len() == 3 { OUTER } else { 2 };
        for k in 0..n {
            let (sin, cos) = (2.0 * std::f64::consts::PI * k as f64 / n as f64).sin_cos();
            let second =
                if cone.len() == 3 { row(cone.start + 2, widen * sin) } else { row(cone.start, 0.0) };
            columns.push(row(cone.start, 1.0) + row(cone.start + 1, widen * cos) + second);
        }
    }
    for i in (0..p.m()).filter(|&i| !in_cone[i]) {
        if p.lower[i].is_finite() {
            columns.push(row(i, 1.0));
        }
        if p.upper[i].is_finite() {
            columns.push(row(i, -1.0));
        }
    }
    columns.retain(|c| c.amax() > 0.0);
    if columns.is_empty() { DMatrix::zeros(costless.len(), 0) } else { DMatrix::from_columns(&columns) }
}

/// The rest b + C β of least norm over β ≥ 0 (Lawson and Hanson 1974).
fn least(c: &DMatrix<f64>, b: &DVector<f64>) -> DVector<f64> {
    let (n, m) = c.shape();
    let mut beta = DVector::<f64>::zeros(m);
    let mut passive: Vec<usize> = Vec::new();
    let length: Vec<f64> = c.column_iter().map(|column| column.norm()).collect();
    for _ in 0..10 * (m + n) {
        let rest = b + c * &beta;
        let gradient = c.transpose() * &rest;
        let pulls = |i: &usize| gradient[*i] < -BALANCED * 0.1 * length[*i] * b.norm();
        let falling = (0..m).filter(|i| !passive.contains(i)).filter(pulls);
        let Some(enter) =
            falling.reduce(|i, j| if gradient[j] / length[j] < gradient[i] / length[i] { j } else { i })
        else {
            return rest;
        };
        passive.push(enter);
        settle(c, b, &mut beta, &mut passive);
    }
    b + c * &beta
}

/// Least squares on the passive columns, giving up those that would turn negative.
fn settle(c: &DMatrix<f64>, b: &DVector<f64>, beta: &mut DVector<f64>, passive: &mut Vec<usize>) {
    while !passive.is_empty() {
        let columns = DMatrix::from_fn(c.nrows(), passive.len(), |i, j| c[(i, passive[j])]);
        let Ok(target) = columns.svd(true, true).solve(&(-b), 1e-12) else { return };
        let part = |j: usize| beta[passive[j]] / (beta[passive[j]] - target[j]);
        let falling = (0..passive.len()).filter(|&j| target[j] <= 0.0);
        let blocked = falling.reduce(|i, j| if part(j) < part(i) { j } else { i });
        let t = blocked.map_or(1.0, part);
        for (j, &p) in passive.iter().enumerate() {
            beta[p] += t * (target[j] - beta[p]);
        }
        let Some(j) = blocked else { return };
        beta[passive[j]] = 0.0;
        passive.remove(j);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wedge_holds_what_lies_in_it() {
        // Pushes along (1, 1) and (−1, 1): they hold loads downwards within 45°.
        let c = DMatrix::from_row_slice(2, 2, &[1.0, -1.0, 1.0, 1.0]);
        assert!(least(&c, &DVector::from_vec(vec![0.5, -1.0])).amax() < 1e-12);
        let rest = least(&c, &DVector::from_vec(vec![2.0, -1.0]));
        assert!((rest - DVector::from_vec(vec![0.5, 0.5])).amax() < 1e-12);
        let rest = least(&c, &DVector::from_vec(vec![0.0, 1.0]));
        assert!((rest - DVector::from_vec(vec![0.0, 1.0])).amax() < 1e-12);
    }
}
