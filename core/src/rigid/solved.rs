//! A solved problem of a step, as far as the check of what it determines looks at it.

use super::determined::ZERO;
use super::layout::Layout;
use crate::problem::Cone;

/// A solved problem.
#[derive(Clone, Copy)]
pub(super) struct Solved<'a> {
    pub(super) problem: &'a Cone<'a>,
    pub(super) layout: &'a Layout,
    pub(super) z: &'a [f64],
}

/// Bounds below which numbers of one step count as zero.
#[derive(Clone, Copy)]
pub(super) struct Zero {
    pub(super) speed: f64,
    pub(super) impulse: f64,
}

/// One polygon of friction: its first row, how many, and its row σ.
pub(super) struct Polygon {
    pub(super) first: usize,
    pub(super) len: usize,
    pub(super) slip: usize,
}

pub(super) fn polygons(layout: &Layout) -> impl Iterator<Item = Polygon> + '_ {
    let (contacts, supports) = (layout.n_active * layout.n_bound, layout.n_supports * layout.n_bound);
    let contact =
        |k| Polygon { first: layout.friction_at(k), len: layout.per_contact, slip: layout.slip_at(k) };
    let support =
        |k| Polygon { first: layout.support_at(k), len: layout.per_support, slip: layout.support_slip_at(k) };
    (0..contacts).map(contact).chain((0..supports).map(support))
}

/// μ p_n or h μ_k N_k of the polygon whose row σ is `slip`: that row s = bound − Σ p_f without the p_f.
pub(super) fn bound(solved: &Solved<'_>, slip: usize) -> f64 {
    let p = &solved.problem.rows;
    p.q[slip]
        + p.m
            .entries(slip)
            .filter(|(_, value)| *value > 0.0)
            .map(|(j, value)| value * solved.z[j])
            .sum::<f64>()
}

/// Bounds of zero, from the largest speed, the largest impulse, and what the solver may leave.
pub(super) fn zero(solved: &Solved<'_>) -> Zero {
    let (p, layout) = (&solved.problem.rows, solved.layout);
    let slack = 2.0 * p.tolerance * solved.problem.scale();
    let mut largest = Zero { speed: 0.0, impulse: 0.0 };
    let is_slip = |i: usize| {
        let contact = layout.slip_at(0)..layout.slip_at(layout.n_active * layout.n_bound);
        let support = layout.support_slip_at(0)..layout.support_slip_at(layout.n_supports * layout.n_bound);
        contact.contains(&i) || support.contains(&i)
    };
    for i in 0..p.n() {
        let (z, w) = (solved.z[i].abs(), (p.m.row_dot(i, solved.z) + p.q[i]).abs());
        let (speed, impulse) = if i < layout.n_free || is_slip(i) { (z, w) } else { (w, z) };
        largest = Zero { speed: largest.speed.max(speed), impulse: largest.impulse.max(impulse) };
    }
    Zero { speed: ZERO * largest.speed + slack, impulse: ZERO * largest.impulse + slack }
}
