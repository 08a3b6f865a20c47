//! Block Gauss-Seidel on the problem without its free rows: x of the bounded rows and blocks, w = S x + r.
//!
//! Free rows outside blocks are eliminated by core's bridge ([`MlcpAsLcp`]), to which every kept row is shown as a row
//! with the bound 0, so that it shifts nothing; the true bounds and cones are this module's.

use vinci_sdk::core::CsrBuf;
use vinci_sdk::core::bridge::MlcpAsLcp;
use vinci_sdk::core::problem::{Mlcp, project_cone, project_disc};

use crate::local::{Block, W3};
use crate::scaled::{Law, Scaled};

/// A unit in the numbering of the reduced problem.
#[derive(Debug, Clone, Copy)]
struct Site {
    law: Law,
    /// Reduced rows; a disc has its tangents in the places 1 and 2.
    rows: [usize; 3],
    /// Places in use: first … last.
    first: usize,
    last: usize,
    /// Diagonal block of S.
    w: W3,
    bounds: (f64, f64),
}

/// The reduced problem and the sweeps on it.
#[derive(Debug, Default)]
pub(crate) struct Sweeps {
    bridge: MlcpAsLcp,
    shifted: CsrBuf,
    q: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    s: CsrBuf,
    r: Vec<f64>,
    reduced: Vec<u32>,
    sites: Vec<Site>,
    pub(crate) x: Vec<f64>,
}

impl Sweeps {
    /// Eliminates the free rows (with the proximal term of `p`); false where their block cannot be inverted.
    pub(crate) fn reduce(&mut self, p: &Scaled) -> bool {
        let n = p.n();
        self.shift(p);
        self.lower.clear();
        self.upper.clear();
        for i in 0..n {
            let free = !p.in_block[i] && p.lower[i] == f64::NEG_INFINITY && p.upper[i] == f64::INFINITY;
            self.lower.push(if free { f64::NEG_INFINITY } else { 0.0 });
            self.upper.push(f64::INFINITY);
        }
        let m = if p.epsilon > 0.0 { self.shifted.view() } else { p.m() };
        let rows = Mlcp { m, q: &self.q, lower: &self.lower, upper: &self.upper, ..Mlcp::default() };
        if self.bridge.reduce(&rows).is_err() {
            return false;
        }
        self.bridge.write_sparse(&rows, &mut self.s);
        self.r.clear();
        self.r.extend_from_slice(self.bridge.q());
        self.number(n);
        self.place(p);
        true
    }

    /// M + ε I and q − ε c.
    fn shift(&mut self, p: &Scaled) {
        self.q.clear();
        self.q.extend(p.q.iter().zip(&p.centre).map(|(q, c)| q - p.epsilon * c));
        if p.epsilon > 0.0 {
            self.shifted.clear(p.n());
            for i in 0..p.n() {
                p.m().entries(i).for_each(|(j, v)| self.shifted.push(j, v));
                self.shifted.accumulate(i, p.epsilon);
                self.shifted.end_row();
            }
        }
    }

    fn number(&mut self, n: usize) {
        self.reduced.clear();
        self.reduced.resize(n, u32::MAX);
        for r in 0..self.bridge.n() {
            self.reduced[self.bridge.full_row(r)] = r as u32;
        }
    }

    fn place(&mut self, p: &Scaled) {
        self.sites.clear();
        for unit in p.units.iter().filter(|u| u.law != Law::Free) {
            let first = usize::from(matches!(unit.law, Law::Disc(_)));
            let mut rows = [0; 3];
            for (k, i) in unit.rows().enumerate() {
                rows[first + k] = self.reduced[i] as usize;
            }
            let i = unit.rows[0] as usize;
            let last = first + unit.k;
            let mut site =
                Site { law: unit.law, rows, first, last, w: W3::default(), bounds: (p.lower[i], p.upper[i]) };
            for a in first..last {
                for (j, v) in self.s.view().entries(rows[a]) {
                    if let Some(b) = (first..last).find(|&b| rows[b] == j) {
                        site.w[a][b] += v;
                    }
                }
            }
            self.sites.push(site);
        }
    }

    /// Step length ρ of every unit's natural map (1 / largest diagonal entry of its block of S; 1 for free rows).
    pub(crate) fn steps(&self, p: &Scaled, rho: &mut Vec<f64>) {
        rho.clear();
        let mut sites = self.sites.iter();
        for unit in &p.units {
            let site = if unit.law == Law::Free { None } else { sites.next() };
            let size = site.map_or(1.0, |s| (s.first..s.last).map(|a| s.w[a][a]).fold(0.0, f64::max));
            rho.push(if size > 0.0 { 1.0 / size } else { 1.0 });
        }
    }

    /// x from a full z.
    pub(crate) fn restrict(&mut self, z: &[f64]) {
        self.x.clear();
        self.x.extend((0..self.bridge.n()).map(|r| z[self.bridge.full_row(r)]));
    }

    /// Full z of x.
    pub(crate) fn expand(&self, z: &mut [f64]) {
        self.bridge.expand(&self.x, z);
    }

    /// One sweep, forwards or backwards; the largest change of an unknown is returned.
    pub(crate) fn sweep(&mut self, omega: f64, backwards: bool) -> f64 {
        let mut change = 0.0_f64;
        let count = self.sites.len();
        for k in 0..count {
            let site = self.sites[if backwards { count - 1 - k } else { k }];
            change = change.max(self.visit(&site, omega));
        }
        change
    }

    fn visit(&mut self, site: &Site, omega: f64) -> f64 {
        let s = self.s.view();
        let (mut last, mut q) = ([0.0; 3], [0.0; 3]);
        for a in site.first..site.last {
            last[a] = self.x[site.rows[a]];
        }
        for a in site.first..site.last {
            let own: f64 = (site.first..site.last).map(|b| site.w[a][b] * last[b]).sum();
            q[a] = s.row_dot(site.rows[a], &self.x) + self.r[site.rows[a]] - own;
        }
        let mut p = solve(site, q, last);
        if omega != 1.0 {
            relax(site, omega, &last, &mut p);
        }
        let mut change = 0.0_f64;
        for a in site.first..site.last {
            self.x[site.rows[a]] = p[a];
            change = change.max((p[a] - last[a]).abs());
        }
        change
    }
}

/// The exact solution of one site, the others held.
fn solve(site: &Site, q: [f64; 3], last: [f64; 3]) -> [f64; 3] {
    let dim = site.last - 1;
    match site.law {
        Law::Coulomb(mu) => Block { w: site.w, q, dim }.coulomb(mu, last),
        Law::Disc(radius) => Block { w: site.w, q, dim }.disc(radius, last),
        Law::Free | Law::Bounds => {
            let (w, (lower, upper)) = (site.w[0][0], site.bounds);
            let x = if w > 0.0 {
                (-q[0] / w).clamp(lower, upper)
            } else {
                // Nothing of its own to respond with: towards the bound its w points to, by a unit step.
                (last[0] - q[0]).clamp(lower, upper)
            };
            [x, 0.0, 0.0]
        }
    }
}

/// p ← last + ω (p − last), back into the set where ω > 1 has left it.
fn relax(site: &Site, omega: f64, last: &[f64; 3], p: &mut [f64; 3]) {
    for a in site.first..site.last {
        p[a] = last[a] + omega * (p[a] - last[a]);
    }
    match site.law {
        Law::Coulomb(mu) => {
            let (n, t) = project_cone(p[0], (p[1], p[2]), mu);
            *p = [n, t.0, t.1];
        }
        Law::Disc(radius) => (p[1], p[2]) = project_disc((p[1], p[2]), radius),
        Law::Bounds => p[0] = p[0].clamp(site.bounds.0, site.bounds.1),
        Law::Free => {}
    }
}
