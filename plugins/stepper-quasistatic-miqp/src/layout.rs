//! Layout of the unknowns of a step, and the numbers that scale them.

use vinci_sdk::core::sparse::CsrBuf;
use vinci_sdk::prelude::*;

use crate::parts::{Parts, stiffness};

const NONE: u32 = u32::MAX;

/// Velocities: unknowns in columns, or known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Velocities {
    column: Vec<u32>,
    /// v where it is no unknown, nv.
    pub(crate) known: Vec<f64>,
    /// The unknown velocities, in the order of their columns.
    pub(crate) unknown: Vec<u32>,
}

impl Velocities {
    /// Makes the velocities for which `is_unknown` holds unknowns; the others are `known`.
    pub(crate) fn choose(&mut self, known: &[f64], is_unknown: impl Fn(usize) -> bool) {
        self.known.clear();
        self.known.extend_from_slice(known);
        self.column.clear();
        self.unknown.clear();
        for dof in 0..known.len() {
            let unknown = is_unknown(dof);
            self.column.push(if unknown { self.unknown.len() as u32 } else { NONE });
            if unknown {
                self.unknown.push(dof as u32);
            }
        }
    }

    /// Number of unknown velocities.
    pub(crate) fn len(&self) -> usize {
        self.unknown.len()
    }

    /// Column of a velocity, if it is unknown.
    pub(crate) fn column(&self, dof: usize) -> Option<usize> {
        (self.column[dof] != NONE).then_some(self.column[dof] as usize)
    }

    /// Pushes Σ a v into the open row of `rows`; the known part of it is returned.
    pub(crate) fn push(&self, entries: impl Iterator<Item = (usize, f64)>, rows: &mut CsrBuf) -> f64 {
        let mut known = 0.0;
        for (dof, a) in entries.filter(|e| e.1 != 0.0) {
            match self.column(dof) {
                Some(column) => rows.push(column, a),
                None => known += a * self.known[dof],
            }
        }
        known
    }

    /// All velocities, with the unknown ones from x.
    pub(crate) fn expand(&self, x: &[f64], v: &mut Vec<f64>) {
        v.clone_from(&self.known);
        for (&dof, &value) in self.unknown.iter().zip(x) {
            v[dof as usize] = value;
        }
    }
}

/// x = [v, p_b, and per contact p_n, p_f (n_d), σ]; contacts without friction have p_n alone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Layout {
    pub(crate) n_v: usize,
    pub(crate) n_rows: usize,
    /// First unknown of every contact, and where the next one would stand.
    start: Vec<u32>,
}

impl Layout {
    pub(crate) fn set(&mut self, n_v: usize, n_rows: usize, step: &StepView<'_>, n_d: usize) {
        (self.n_v, self.n_rows) = (n_v, n_rows);
        self.start.clear();
        let mut at = (n_v + n_rows) as u32;
        self.start.push(at);
        for &mu in step.contacts.pair.friction {
            at += if mu > 0.0 { n_d as u32 + 2 } else { 1 };
            self.start.push(at);
        }
    }

    /// Number of unknowns.
    pub(crate) fn n(&self) -> usize {
        self.start.last().map_or(self.n_v + self.n_rows, |&n| n as usize)
    }

    /// p_n of contact i.
    pub(crate) fn normal(&self, i: usize) -> usize {
        self.start[i] as usize
    }

    /// Columns of p_f of contact i; none without friction.
    pub(crate) fn friction(&self, i: usize) -> std::ops::Range<usize> {
        let (first, end) = (self.start[i] as usize + 1, self.start[i + 1] as usize);
        first..end.saturating_sub(1).max(first)
    }

    /// σ of contact i, if it has friction.
    pub(crate) fn slip(&self, i: usize) -> Option<usize> {
        let friction = self.friction(i);
        (!friction.is_empty()).then_some(friction.end)
    }
}

/// Typical sizes. Impulses are unknowns in a unit that makes loads as large as speeds, p = unit p̂: answers must not depend
/// on how large all forces are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scales {
    /// m/s.
    pub(crate) speed: f64,
    /// N s per m/s, a power of two, so that nothing is rounded on the way.
    pub(crate) unit: f64,
}

impl Default for Scales {
    fn default() -> Self {
        Self { speed: 1.0, unit: 1.0 }
    }
}

/// Loads below this part of the squeeze that commands ask for are rounding or do not matter.
const SMALL_LOAD: f64 = 1e-6;

impl Scales {
    /// Speed: the commands; where there are none that positions can tell from rest, last speeds or the speed whose squeeze
    /// carries the loads. Unit: loads over speed; where there are none, h² K.
    pub(crate) fn of(parts: &Parts<'_>) -> Self {
        let (step, momentum) = (parts.step, parts.momentum);
        let max = |list: &mut dyn Iterator<Item = f64>| list.fold(0.0_f64, |m, x| m.max(x.abs()));
        let loads = max(&mut momentum.free.iter().map(|&dof| momentum.b[dof as usize]));
        let k = max(&mut (0..step.contacts.len()).map(|i| stiffness(parts, i)));
        let squeeze = step.h * step.h * if k > 0.0 { k } else { parts.config.stiffness };
        // Rounding of positions, over h, as the tolerated part.
        let least = max(&mut step.q.iter().copied()) * f64::EPSILON / (step.h * step.tolerance);
        let at_rest = || {
            let carrying = if squeeze > 0.0 { loads / squeeze } else { 0.0 };
            [max(&mut step.v.iter().copied()).max(carrying), 1.0].into_iter().find(|x| *x > least)
        };
        let commands = max(&mut step.command.iter().copied());
        let speed = if commands > least { commands } else { at_rest().unwrap_or(1.0) };
        let loaded = loads > SMALL_LOAD * squeeze * speed;
        let unit = if loaded { loads / speed } else { squeeze };
        Self { speed, unit: power_of_two(unit) }
    }

    /// Factor that makes a row whose constant is `rate` no larger than others: complementarity does not mind positive
    /// factors, and a contact far away must not coarsen the tolerance of those at work.
    pub(crate) fn row_factor(&self, rate: f64) -> f64 {
        let size = rate.abs();
        if size > self.speed { self.speed / size } else { 1.0 }
    }
}

/// The power of two nearest to x > 0 in ratio, 1 where x is 0.
fn power_of_two(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return 1.0;
    }
    let exponent = f64::from_bits((x * std::f64::consts::SQRT_2).to_bits() & (0x7ff << 52));
    exponent.clamp(2.0_f64.powi(-500), 2.0_f64.powi(500))
}

/// Unit directions d_k against (t1, t2): t, −t in the plane, else n_d of them, +t1, …, +t2, …; −d_k with every d_k.
pub(crate) fn directions(space: Space, n_d: usize) -> Vec<[f64; 2]> {
    if space == Space::Planar {
        return vec![[1.0, 0.0], [-1.0, 0.0]];
    }
    let clean = |x: f64| if x.abs() < 1e-15 { 0.0 } else { x };
    let angle = |k: usize| 2.0 * std::f64::consts::PI * k as f64 / n_d as f64;
    let half: Vec<_> = (0..n_d / 2).map(|k| [clean(angle(k).cos()), clean(angle(k).sin())]).collect();
    half.iter().copied().chain(half.iter().map(|d| [0.0 - d[0], 0.0 - d[1]])).collect()
}
