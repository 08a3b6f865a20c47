//! The law of contacts: how friction is bounded, and what gives way.

use crate::sparse::Csr;

/// No bound.
pub(super) const INF: f64 = f64::INFINITY;

/// How friction is bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrictionLaw {
    /// By a polygon with n_d directions (even, at least 4) inside the circle. Planar contacts always have two, which is
    /// exact; the support points of 2.5D parts have n_d.
    Pyramid(usize),
    /// By the circle itself.
    Cone,
}

impl Default for FrictionLaw {
    fn default() -> Self {
        Self::Pyramid(8)
    }
}

/// A linear relation between contact impulses and a rate that the contacts' rows feel beside J v⁺:
/// ρ = J v⁺ + g + matrix · p + shift, over all contact rows (normal, tangents) of the step.
#[derive(Debug, Clone, Copy)]
pub struct Compliance<'a> {
    /// (1 + n_t) n × (1 + n_t) n, m/s per N s; symmetric positive semidefinite where it is to be solvable.
    pub matrix: Csr<'a>,
    /// (1 + n_t) n, m/s.
    pub shift: &'a [f64],
}
