//! Helpers of solver plugins' tests: problem collections, small contact problems, an enumeration oracle,
//! deterministic numbers.
#![allow(missing_docs, clippy::unwrap_used)] // helpers of tests are tests

pub mod conic;
pub mod coulomb;
pub mod heap;
pub mod instances;
pub mod pile;
pub mod qpcc;
pub mod trials;

use std::path::PathBuf;

use nalgebra::{DMatrix, DVector};
use vinci_core::CsrBuf;
use vinci_core::problem::{Mlcp, MlcpBuf, Part, RowTag};

pub const INF: f64 = f64::INFINITY;

/// One problem of a collection.
pub struct Case {
    pub name: String,
    pub verdict: String,
    pub problem: MlcpBuf,
}

fn floats(v: &serde_json::Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Where the problem collections lie.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../data/problems")
}

/// A collection file as JSON. Panics where it is not there: a test without its problems has shown nothing.
pub fn json(file: &str) -> serde_json::Value {
    let path = folder().join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("the collection {} cannot be read: {error}", path.display()));
    serde_json::from_str(&text).unwrap()
}

/// Problems of a collection file with the given tolerance. Panics where it is not there.
pub fn collection(file: &str, tolerance: f64) -> Vec<Case> {
    let list = json(file);
    let case = |c: &serde_json::Value| {
        let n = c["n"].as_u64().unwrap() as usize;
        let nf = c["nf"].as_u64().unwrap() as usize;
        let (i, j, v) = (floats(&c["M"]["i"]), floats(&c["M"]["j"]), floats(&c["M"]["v"]));
        let triplets: Vec<_> =
            i.iter().zip(&j).zip(&v).map(|((i, j), v)| (*i as usize, *j as usize, *v)).collect();
        let lower = (0..n).map(|k| if k < nf { -INF } else { 0.0 }).collect();
        let m = CsrBuf::from_triplets(n, n, &triplets);
        Case {
            name: c["name"].as_str().unwrap().into(),
            verdict: c["verdict"].as_str().unwrap().into(),
            problem: MlcpBuf::from_parts(m, floats(&c["q"]), lower, vec![INF; n], tolerance),
        }
    };
    list.as_array().unwrap().iter().map(case).collect()
}

/// A standard LCP from rows.
pub fn lcp(rows: &[&[f64]], q: &[f64]) -> MlcpBuf {
    let n = q.len();
    boxed(rows, q, &vec![0.0; n], &vec![INF; n])
}

/// An Mlcp from rows and bounds.
pub fn boxed(rows: &[&[f64]], q: &[f64], lower: &[f64], upper: &[f64]) -> MlcpBuf {
    let n = q.len();
    let dense = DMatrix::from_fn(n, n, |i, j| rows[i][j]);
    MlcpBuf::from_parts(CsrBuf::from_dense(&dense), q.to_vec(), lower.to_vec(), upper.to_vec(), 1e-10)
}

/// Deterministic numbers (an xorshift generator).
pub struct Numbers(pub u64);

impl Numbers {
    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [a, b).
    pub fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.unit()
    }

    /// A whole number below n.
    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }
}

/// One contact: normal column, friction columns (all directions), gap rate g_n, μ.
pub struct Contact {
    pub normal: Vec<(usize, f64)>,
    pub friction: Vec<Vec<(usize, f64)>>,
    pub g: f64,
    pub mu: f64,
}

impl Contact {
    /// A planar contact of directions (t, −t).
    pub fn planar(normal: &[(usize, f64)], tangent: &[(usize, f64)], g: f64, mu: f64) -> Self {
        let opposite = tangent.iter().map(|&(i, x)| (i, -x)).collect();
        Self { normal: normal.to_vec(), friction: vec![tangent.to_vec(), opposite], g, mu }
    }
}

/// The un-eliminated mixed LCP of a step: A (diagonal), b, contacts; rows v, p_n, p_f, σ, tagged.
pub fn contact_problem(a: &[f64], b: &[f64], contacts: &[Contact], tolerance: f64) -> MlcpBuf {
    let nv = a.len();
    let nc = contacts.len();
    let nd: usize = contacts.first().map_or(0, |c| c.friction.len());
    let n = nv + nc * (2 + nd);
    let (at_n, at_f, at_s) =
        (|i: usize| nv + i, |i: usize, k: usize| nv + nc + i * nd + k, |i: usize| nv + nc * (1 + nd) + i);
    let mut t: Vec<(usize, usize, f64)> = a.iter().enumerate().map(|(i, &x)| (i, i, x)).collect();
    let mut problem = MlcpBuf { tolerance, ..MlcpBuf::default() };
    let mut tags = Vec::new();
    problem.q = b.iter().map(|x| -x).collect();
    problem.lower = vec![-INF; nv];
    (0..nv).for_each(|i| tags.push((i, Part::Velocity)));
    for (i, c) in contacts.iter().enumerate() {
        c.normal.iter().for_each(|&(j, x)| t.extend([(at_n(i), j, x), (j, at_n(i), -x)]));
        problem.q.push(c.g);
        tags.push((i, Part::Normal));
    }
    for (i, c) in contacts.iter().enumerate() {
        for (k, d) in c.friction.iter().enumerate() {
            d.iter().for_each(|&(j, x)| t.extend([(at_f(i, k), j, x), (j, at_f(i, k), -x)]));
            t.extend([(at_f(i, k), at_s(i), 1.0), (at_s(i), at_f(i, k), -1.0)]);
            problem.q.push(0.0);
            tags.push((i, Part::Friction));
        }
    }
    for (i, c) in contacts.iter().enumerate() {
        t.push((at_s(i), at_n(i), c.mu));
        problem.q.push(0.0);
        tags.push((i, Part::Slip));
    }
    problem.m = CsrBuf::from_triplets(n, n, &t);
    problem.lower.resize(n, 0.0);
    problem.upper = (0..n).map(|_| INF).collect();
    problem.tag = tags.iter().map(|&(s, part)| RowTag { subject: s as u32, part }).collect();
    problem.z_scale = vec![1.0; n];
    problem.w_scale = vec![1.0; n];
    problem
}

/// Planar box of half sizes (a, b) on the floor by its two lower corners: one step of Stewart and Trinkle.
pub fn box_on_floor(v: [f64; 3], mass: f64, half: (f64, f64), mu: f64, h: f64, g: f64) -> MlcpBuf {
    let inertia = mass * (half.0 * half.0 + half.1 * half.1) / 3.0;
    let a = [mass, mass, inertia];
    let b = [mass * v[0], mass * v[1] - mass * g * h, inertia * v[2]];
    let contacts =
        [-half.0, half.0].map(|x| Contact::planar(&[(1, 1.0), (2, x)], &[(0, 1.0), (2, half.1)], 0.0, mu));
    contact_problem(&a, &b, &contacts, 1e-12)
}

/// A stack of planar boxes (half sizes 0.5), `ratio` the mass of each box relative to the one below.
pub fn stack(boxes: usize, ratio: f64, mu: f64, push: f64) -> MlcpBuf {
    let (h, g) = (0.01, 9.81);
    let (mut a, mut b, mut contacts) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..boxes {
        let m = ratio.powi(i as i32);
        a.extend([m, m, m / 6.0]);
        b.extend([if i + 1 == boxes { push * m } else { 0.0 }, -m * g * h, 0.0]);
        for x in [-0.5, 0.5] {
            let (mut normal, mut tangent) =
                (vec![(3 * i + 1, 1.0), (3 * i + 2, x)], vec![(3 * i, 1.0), (3 * i + 2, 0.5)]);
            if i > 0 {
                normal.extend([(3 * i - 2, -1.0), (3 * i - 1, -x)]);
                tangent.extend([(3 * i - 3, -1.0), (3 * i - 1, 0.5)]);
            }
            contacts.push(Contact::planar(&normal, &tangent, 0.0, mu));
        }
    }
    contact_problem(&a, &b, &contacts, 1e-10)
}

/// All solutions of a small Mlcp, found by trying every combination of bounds.
pub fn enumerate(p: &Mlcp<'_>) -> Vec<Vec<f64>> {
    let n = p.n();
    let m = p.m.to_dense();
    let mut found = Vec::new();
    let mut place = vec![0_u8; n]; // 0 lower, 1 between, 2 upper
    loop {
        let usable = (0..n).all(|i| match place[i] {
            0 => p.lower[i].is_finite(),
            2 => p.upper[i].is_finite() && p.upper[i] > p.lower[i],
            _ => true,
        });
        if usable
            && let Some(z) = solve_places(p, &m, &place)
            && p.residual(&z).natural < 1e-9
        {
            found.push(z);
        }
        let Some(i) = (0..n).find(|&i| place[i] < 2) else { return found };
        place[i] += 1;
        place[..i].fill(0);
    }
}

fn solve_places(p: &Mlcp<'_>, m: &DMatrix<f64>, place: &[u8]) -> Option<Vec<f64>> {
    let n = p.n();
    let mut k = DMatrix::<f64>::identity(n, n);
    let mut r = DVector::<f64>::zeros(n);
    for i in 0..n {
        match place[i] {
            0 => r[i] = p.lower[i],
            2 => r[i] = p.upper[i],
            _ => {
                k.set_row(i, &m.row(i));
                r[i] = -p.q[i];
            }
        }
    }
    let z = k.lu().solve(&r)?;
    z.iter().all(|x| x.is_finite()).then(|| z.iter().copied().collect())
}
