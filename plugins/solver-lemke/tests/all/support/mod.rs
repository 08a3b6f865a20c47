//! Small problems for the tests: planar contact steps, random matrices, an enumerating oracle.
#![allow(dead_code)]

use vinci_sdk::core::CsrBuf;
use vinci_sdk::core::problem::{Mlcp, MlcpBuf};
use vinci_sdk::prelude::*;
use vinci_solver_lemke::{Config, Lemke};

pub(crate) const INF: f64 = f64::INFINITY;
pub(crate) const FREE: (f64, f64) = (-INF, INF);

/// What a solve returned, owned.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: Status,
    pub(crate) z: Vec<f64>,
    pub(crate) certificate: Vec<f64>,
    pub(crate) iterations: u32,
    pub(crate) note: String,
    /// Natural residual, computed here.
    pub(crate) natural: f64,
}

pub(crate) fn solve_with(solver: &mut Lemke, p: &Mlcp<'_>) -> Answer {
    let s = solver.solve(&Problem::Mlcp(*p)).expect("the problem is well-formed");
    Answer {
        status: s.status,
        z: s.z.to_vec(),
        certificate: s.certificate.to_vec(),
        iterations: s.iterations,
        note: s.note.to_owned(),
        natural: p.residual(s.z).natural,
    }
}

pub(crate) fn lemke(config: Config) -> Lemke {
    Lemke::new(config).expect("the options are valid")
}

/// Solves on the dense tableau and on sparse bases; both must reach the same status.
pub(crate) fn solve_both(p: &Mlcp<'_>) -> [Answer; 2] {
    let dense = solve_with(&mut lemke(Config::default()), p);
    let sparse = solve_with(&mut lemke(Config { dense_limit: 0, ..Config::default() }), p);
    assert_eq!(dense.status, sparse.status, "dense: {} sparse: {}", dense.note, sparse.note);
    [dense, sparse]
}

pub(crate) fn mlcp(rows: &[&[f64]], q: &[f64], bounds: &[(f64, f64)]) -> MlcpBuf {
    let n = q.len();
    let triplets: Vec<_> =
        (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| (i, j, rows[i][j])).collect();
    let kept: Vec<_> = triplets.into_iter().filter(|t| t.2 != 0.0).collect();
    let (lower, upper) = bounds.iter().copied().unzip();
    MlcpBuf::from_parts(CsrBuf::from_triplets(n, n, &kept), q.to_vec(), lower, upper, 1e-10)
}

pub(crate) fn lcp(rows: &[&[f64]], q: &[f64]) -> MlcpBuf {
    mlcp(rows, q, &vec![(0.0, INF); q.len()])
}

/// A planar contact: columns of the unit normal and of the unit tangent, friction coefficient, rate g_n = ψ/h.
pub(crate) struct Contact {
    pub(crate) normal: Vec<f64>,
    pub(crate) tangent: Vec<f64>,
    pub(crate) mu: f64,
    pub(crate) rate: f64,
}

/// Stewart–Trinkle's MLCP of bodies with diagonal inertia: unknowns v, then p_n, p_f+, p_f−, σ per contact.
/// `b` = M v + h f.
pub(crate) fn contact_step(mass: &[f64], b: &[f64], contacts: &[Contact]) -> MlcpBuf {
    let nv = mass.len();
    let mut t = Vec::new();
    let mut q: Vec<f64> = b.iter().map(|b| -b).collect();
    let mut bounds = vec![FREE; nv];
    (0..nv).for_each(|i| t.push((i, i, mass[i])));
    for (k, c) in contacts.iter().enumerate() {
        let n = nv + 4 * k;
        let (plus, minus, slip) = (n + 1, n + 2, n + 3);
        for i in 0..nv {
            for (row, value) in [(n, c.normal[i]), (plus, c.tangent[i]), (minus, -c.tangent[i])] {
                if value != 0.0 {
                    t.push((i, row, -value));
                    t.push((row, i, value));
                }
            }
        }
        t.extend([
            (plus, slip, 1.0),
            (minus, slip, 1.0),
            (slip, n, c.mu),
            (slip, plus, -1.0),
            (slip, minus, -1.0),
        ]);
        q.extend([c.rate, 0.0, 0.0, 0.0]);
        bounds.extend([(0.0, INF); 4]);
    }
    let n = q.len();
    let (lower, upper) = bounds.into_iter().unzip();
    MlcpBuf::from_parts(CsrBuf::from_triplets(n, n, &t), q, lower, upper, 1e-10)
}

/// A stack of `boxes` unit boxes (half width 0.5, half height 0.5, mass 1) at rest on the ground under gravity: two
/// contacts per interface, hyperstatic by one force per interface.
pub(crate) fn stack(boxes: usize, mu: f64, h: f64) -> MlcpBuf {
    let nv = 3 * boxes;
    let mass: Vec<f64> = (0..nv).map(|i| if i % 3 == 2 { 1.0 / 6.0 } else { 1.0 }).collect();
    let b: Vec<f64> = (0..nv).map(|i| if i % 3 == 1 { -9.81 * h } else { 0.0 }).collect();
    let mut contacts = Vec::new();
    for k in 0..boxes {
        for x in [-0.5, 0.5] {
            let (mut normal, mut tangent) = (vec![0.0; nv], vec![0.0; nv]);
            normal[3 * k + 1] = 1.0;
            normal[3 * k + 2] = x;
            tangent[3 * k] = 1.0;
            tangent[3 * k + 2] = 0.5;
            if k > 0 {
                normal[3 * k - 2] = -1.0;
                normal[3 * k - 1] = -x;
                tangent[3 * k - 3] = -1.0;
                tangent[3 * k - 1] = 0.5;
            }
            contacts.push(Contact { normal, tangent, mu, rate: 0.0 });
        }
    }
    contact_step(&mass, &b, &contacts)
}

/// Deterministic numbers in [−1, 1).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// All solutions of an LCP that lie on a regular complementary basis, by trying every one of them.
pub(crate) fn enumerate(rows: &[Vec<f64>], q: &[f64]) -> Vec<Vec<f64>> {
    let n = q.len();
    let mut found = Vec::new();
    for mask in 0..1u32 << n {
        let active: Vec<usize> = (0..n).filter(|i| mask >> i & 1 == 1).collect();
        let Some(x) = gauss(&active, rows, q) else { continue };
        let mut z = vec![0.0; n];
        active.iter().zip(&x).for_each(|(&i, &x)| z[i] = x);
        let w = |i: usize| q[i] + (0..n).map(|j| rows[i][j] * z[j]).sum::<f64>();
        if z.iter().all(|&z| z >= -1e-12) && (0..n).all(|i| w(i) >= -1e-10) {
            found.push(z);
        }
    }
    found
}

/// Solves M_αα x = −q_α; nothing if singular.
fn gauss(active: &[usize], rows: &[Vec<f64>], q: &[f64]) -> Option<Vec<f64>> {
    let k = active.len();
    let mut a: Vec<Vec<f64>> = active
        .iter()
        .map(|&i| active.iter().map(|&j| rows[i][j]).chain(std::iter::once(-q[i])).collect())
        .collect();
    for c in 0..k {
        let p = (c..k).max_by(|&x, &y| a[x][c].abs().total_cmp(&a[y][c].abs()))?;
        if a[p][c].abs() < 1e-9 {
            return None;
        }
        a.swap(c, p);
        let pivot = a[c].clone();
        for (r, row) in a.iter_mut().enumerate() {
            if r != c {
                let f = row[c] / pivot[c];
                row.iter_mut().zip(&pivot).for_each(|(v, p)| *v -= f * p);
            }
        }
    }
    Some((0..k).map(|r| a[r][k] / a[r][r]).collect())
}
