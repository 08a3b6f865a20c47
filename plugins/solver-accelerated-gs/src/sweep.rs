//! The iterate x = (p, v̂), and one sweep of block Gauss-Seidel over it.

use crate::inertia::Inertia;
use crate::local::UNKNOWN;
use crate::sites::Sites;

/// The iterate and the one before; v̂ is kept affine in p, so both are extrapolated together.
#[derive(Debug, Default)]
pub(crate) struct Iterate {
    /// Impulses of every site, lanes as in `local`.
    pub(crate) p: Vec<[f64; 3]>,
    /// v̂ = v̂₀ + Σ Ŵ p.
    pub(crate) v: Vec<f64>,
    /// x before the extrapolation.
    p_last: Vec<[f64; 3]>,
    v_last: Vec<f64>,
    /// λ of every site that slips.
    lambda: Vec<f64>,
}

/// Outcome of a sweep.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Swept {
    /// (y − x⁺)·(x⁺ − x), every site weighted by 1/m: positive where the momentum points uphill.
    pub(crate) uphill: f64,
    /// Largest change of an impulse.
    pub(crate) change: f64,
}

impl Iterate {
    /// p = 0 and v̂ = v̂₀.
    pub(crate) fn start(&mut self, sites: usize, free: &[f64]) {
        self.p.clear();
        self.p.resize(sites, [0.0; 3]);
        self.lambda.clear();
        self.lambda.resize(sites, UNKNOWN);
        self.v.clear();
        self.v.extend_from_slice(free);
        self.forget();
    }

    /// v̂ anew from p: sweeps and extrapolations leave rounding in it.
    pub(crate) fn refresh(&mut self, sites: &Sites, free: &[f64]) {
        self.v.copy_from_slice(free);
        for (site, p) in sites.list.iter().zip(&self.p).filter(|(_, p)| **p != [0.0; 3]) {
            sites.push_velocity(site, p, &mut self.v);
        }
    }

    /// x_prev = x.
    pub(crate) fn forget(&mut self) {
        self.p_last.clone_from(&self.p);
        self.v_last.clone_from(&self.v);
    }

    /// y = x + β (x − x_prev), and x_prev = x.
    pub(crate) fn extrapolate(&mut self, beta: f64) {
        if beta == 0.0 {
            self.forget();
            return;
        }
        for (p, last) in self.p.iter_mut().flatten().zip(self.p_last.iter_mut().flatten()) {
            (*p, *last) = (*p + beta * (*p - *last), *p);
        }
        for (v, last) in self.v.iter_mut().zip(&mut self.v_last) {
            (*v, *last) = (*v + beta * (*v - *last), *v);
        }
    }

    /// x⁺ from y: every site in turn is solved, the others held, and its impulse is felt at once.
    pub(crate) fn sweep(&mut self, sites: &Sites) -> Swept {
        let mut out = Swept::default();
        for (i, site) in sites.list.iter().enumerate() {
            let (last, u, local) = (self.p[i], sites.rate(site, &self.v, &self.p), &site.local);
            let own = local.own(&last);
            let q = [u[0] - own[0], u[1] - own[1], u[2] - own[2]];
            let p = local.solve(site.law, q, last, &mut self.lambda[i]);
            let dp: [f64; 3] = std::array::from_fn(|a| p[a] - last[a]);
            let square = dp[0] * dp[0] + dp[1] * dp[1] + dp[2] * dp[2];
            if square > 0.0 {
                sites.push_velocity(site, &dp, &mut self.v);
                let x = &self.p_last[i];
                let uphill: f64 = (0..3).map(|a| -dp[a] * (p[a] - x[a])).sum();
                out.uphill += uphill / local.mass;
                out.change = out.change.max(square);
                self.p[i] = p;
            }
        }
        out.change = out.change.sqrt();
        out
    }

    /// Unknowns of the problem: v = L⁻ᵀ v̂ and the impulses of the sites.
    pub(crate) fn write(&self, sites: &Sites, inertia: &Inertia, scratch: &mut Vec<f64>, z: &mut [f64]) {
        scratch.clear();
        scratch.extend_from_slice(&self.v);
        inertia.unweigh(scratch);
        for (&row, &v) in inertia.row.iter().zip(scratch.iter()) {
            z[row as usize] = v;
        }
        for (site, p) in sites.list.iter().zip(&self.p) {
            for (&row, &p) in site.rows.iter().zip(p) {
                if let Some(z) = z.get_mut(row as usize) {
                    *z = p;
                }
            }
        }
    }
}
