//! The natural map of every contact in its own unit: a second test, beside core's residual, for the end of a solve.
//!
//! Core divides the natural map of every row by the one |q|∞ of the problem, whatever their units. Here every contact is asked
//! with its own effective mass m and in impulses: |p − P_K(p − m (u + μ |u_t| e_n))|₂ over the largest impulse of all
//! contacts. Rows outside the blocks may have other units; √m takes them out: |x − Π(x − m w)|/√m over the largest |p|/√m.

use crate::local::Law;
use crate::sites::Sites;

/// Impulses count up to this multiple of what stops the free motion: an iterate that diverges must not hide behind itself.
const LARGEST: f64 = 100.0;

/// Sizes that residuals are relative to; nothing acts below the largest impulse that a free motion asks of one site.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reference {
    /// max m (−u_n)₊ at p = 0 over contacts, N s, and over all sites divided by √m, √J.
    impulse: f64,
    energy: f64,
}

impl Reference {
    /// From the velocities of free motion, v̂ at p = 0.
    pub(crate) fn new(sites: &Sites, v: &[f64], zero: &[[f64; 3]]) -> Self {
        let mut out = Self::default();
        for site in &sites.list {
            let (u, m) = (sites.rate(site, v, zero), site.local.mass);
            let wanted = match site.law {
                Law::Coulomb(_) => (-u[0]).max(0.0),
                Law::Disc(radius) => (radius / m).min(u[1].hypot(u[2])),
                Law::Bounds(lower, upper) => (m * u[0]).clamp(-upper.max(0.0), -lower.min(0.0)).abs() / m,
                Law::Joint => norm(&u),
            };
            out.take(site.law, m * wanted, m);
        }
        out
    }

    fn take(&mut self, law: Law, p: f64, m: f64) {
        if matches!(law, Law::Coulomb(_) | Law::Disc(_)) {
            self.impulse = self.impulse.max(p);
        }
        self.energy = self.energy.max(p / m.sqrt());
    }

    /// The natural map of all sites at (p, v̂), relative.
    pub(crate) fn residual(&self, sites: &Sites, v: &[f64], p: &[[f64; 3]]) -> f64 {
        let (mut present, mut contact, mut other) = (Self::default(), 0.0_f64, 0.0_f64);
        for (site, p_i) in sites.list.iter().zip(p) {
            let (u, m) = (sites.rate(site, v, p), site.local.mass);
            let point = site.local.natural_point(site.law, &u, p_i);
            let off = norm(&std::array::from_fn(|a| p_i[a] - point[a]));
            present.take(site.law, norm(p_i), m);
            match site.law {
                Law::Coulomb(_) | Law::Disc(_) => contact = worse(contact, off),
                Law::Bounds(..) | Law::Joint => other = worse(other, off / m.sqrt()),
            }
        }
        let size = |fixed: f64, present: f64| {
            let size = if fixed > 0.0 { present.clamp(fixed, LARGEST * fixed) } else { present };
            if size > 0.0 { size } else { 1.0 }
        };
        worse(contact / size(self.impulse, present.impulse), other / size(self.energy, present.energy))
    }

    /// Largest change of an impulse, relative, that a point within `tolerance` may still show: a hint when to look.
    pub(crate) fn small(&self, tolerance: f64) -> f64 {
        tolerance * if self.impulse > 0.0 { self.impulse } else { 1.0 }
    }
}

#[inline]
fn norm(x: &[f64; 3]) -> f64 {
    (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]).sqrt()
}

/// The larger one; infinite where one is not a number.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::INFINITY } else { a.max(b) }
}
