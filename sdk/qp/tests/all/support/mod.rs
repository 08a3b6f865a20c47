//! Seeded problems and the judge: everything is recomputed from the problem as it was given.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)] // every test program uses a part of it

use vinci_core::sparse::CsrBuf;
use vinci_qp::{ActiveSet, Settings, Status};

pub const INF: f64 = f64::INFINITY;

/// A 64-bit linear congruential generator with a mixed output.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let x = self.0 ^ (self.0 >> 33);
        x.wrapping_mul(0xff51afd7ed558ccd) >> 11
    }
    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.next() as f64 / (1u64 << 53) as f64
    }
    /// Uniform in [−1, 1).
    pub fn sign(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }
    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }
}

#[derive(Clone, Default)]
pub struct Program {
    pub n: usize,
    pub m: usize,
    pub p: Vec<f64>,
    pub c: Vec<f64>,
    pub g: Vec<f64>,
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
}

pub fn sparse(rows: usize, columns: usize, dense: &[f64]) -> CsrBuf {
    let mut out = CsrBuf::default();
    out.clear(columns);
    for i in 0..rows {
        for j in 0..columns {
            if dense[i * columns + j] != 0.0 {
                out.push(j, dense[i * columns + j]);
            }
        }
        out.end_row();
    }
    out
}

impl Program {
    /// P = A Aᵀ of the given rank; rows with `density`; bounds around a feasible point, some equations, some one-sided.
    pub fn random(random: &mut Random, n: usize, m: usize, rank: usize, density: f64) -> Self {
        let a: Vec<f64> = (0..n * rank).map(|_| random.sign()).collect();
        let mut p = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                p[i * n + j] = (0..rank).map(|k| a[i * rank + k] * a[j * rank + k]).sum();
            }
        }
        let mut g = vec![0.0; m * n];
        for v in &mut g {
            if random.unit() < density {
                *v = random.sign();
            }
        }
        let c = (0..n).map(|_| random.sign()).collect();
        let inside: Vec<f64> = (0..n).map(|_| random.sign()).collect();
        let (mut lower, mut upper) = (vec![-INF; m], vec![INF; m]);
        for i in 0..m {
            let s: f64 = (0..n).map(|j| g[i * n + j] * inside[j]).sum();
            match random.below(6) {
                0 if i < n / 2 => (lower[i], upper[i]) = (s, s),
                1 => upper[i] = s + random.unit(),
                2 => (lower[i], upper[i]) = (s - random.unit(), s + random.unit()),
                3 => lower[i] = s,
                _ => lower[i] = s - random.unit(),
            }
        }
        Self { n, m, p, c, g, lower, upper }
    }

    pub fn solver(&self) -> ActiveSet {
        let mut qp = ActiveSet::new(Settings::default());
        qp.set_up(sparse(self.n, self.n, &self.p).view(), sparse(self.m, self.n, &self.g).view()).unwrap();
        self.load(&mut qp);
        qp
    }

    pub fn load(&self, qp: &mut ActiveSet) {
        qp.set_cost(&self.c).unwrap();
        qp.set_bounds(&self.lower, &self.upper).unwrap();
    }

    fn times_p(&self, x: &[f64]) -> Vec<f64> {
        (0..self.n).map(|i| (0..self.n).map(|j| self.p[i * self.n + j] * x[j]).sum()).collect()
    }

    fn times_g(&self, x: &[f64]) -> Vec<f64> {
        (0..self.m).map(|i| (0..self.n).map(|j| self.g[i * self.n + j] * x[j]).sum()).collect()
    }

    fn times_gt(&self, y: &[f64]) -> Vec<f64> {
        (0..self.n).map(|j| (0..self.m).map(|i| self.g[i * self.n + j] * y[i]).sum()).collect()
    }

    pub fn objective(&self, x: &[f64]) -> f64 {
        let px = self.times_p(x);
        (0..self.n).map(|j| x[j] * (0.5 * px[j] + self.c[j])).sum()
    }

    /// The natural residual over the largest datum.
    pub fn residual(&self, x: &[f64], y: &[f64]) -> f64 {
        let (px, s, gy) = (self.times_p(x), self.times_g(x), self.times_gt(y));
        let mut size = self.c.iter().fold(0.0, |a: f64, v| a.max(v.abs()));
        let mut r: f64 = 0.0;
        for j in 0..self.n {
            r = r.max((px[j] + self.c[j] - gy[j]).abs());
        }
        for i in 0..self.m {
            r = r.max((s[i] - (s[i] - y[i]).clamp(self.lower[i], self.upper[i])).abs());
            for b in [self.lower[i], self.upper[i]] {
                if b.is_finite() {
                    size = size.max(b.abs());
                }
            }
        }
        r / if size > 0.0 { size } else { 1.0 }
    }

    /// Returns true if y proves that there is no feasible x.
    pub fn is_farkas(&self, y: &[f64]) -> bool {
        let size = y.iter().fold(0.0, |a: f64, v| a.max(v.abs()));
        let gain: f64 = (0..self.m)
            .filter(|&i| y[i] != 0.0)
            .map(|i| y[i] * if y[i] > 0.0 { self.lower[i] } else { self.upper[i] })
            .sum();
        self.times_gt(y).iter().all(|v| v.abs() <= 1e-9 * size) && gain > 0.0
    }

    /// Returns true if d proves that the objective falls without end.
    pub fn is_ray(&self, d: &[f64]) -> bool {
        let size = d.iter().fold(0.0, |a: f64, v| a.max(v.abs()));
        let gd = self.times_g(d);
        let open = (0..self.m).all(|i| {
            (gd[i] >= -1e-9 * size || self.lower[i] == -INF) && (gd[i] <= 1e-9 * size || self.upper[i] == INF)
        });
        let slope: f64 = (0..self.n).map(|j| self.c[j] * d[j]).sum();
        self.times_p(d).iter().all(|v| v.abs() <= 1e-9 * size) && open && slope < 0.0
    }

    /// Checks whatever the solver claims.
    #[track_caller]
    pub fn judge(&self, qp: &ActiveSet, status: Status, what: &str) {
        match status {
            Status::Optimal => {
                let r = self.residual(qp.x(), qp.y());
                assert!(r <= 1e-10, "{what}: false optimum, residual {r:e} (own {:e})", qp.residual());
                let f = self.objective(qp.x());
                assert!((f - qp.objective()).abs() <= 1e-9 * f.abs().max(1.0), "{what}");
                assert!((f - qp.bound()).abs() <= 1e-8 * f.abs().max(1.0), "{what}: {f} {}", qp.bound());
            }
            Status::Infeasible => assert!(self.is_farkas(qp.certificate()), "{what}: no Farkas vector"),
            Status::Unbounded => assert!(self.is_ray(qp.certificate()), "{what}: no ray"),
            other => panic!("{what}: {other:?}, residual {:e}, {} pivots", qp.residual(), qp.pivots()),
        }
    }
}
