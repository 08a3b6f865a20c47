//! A pile of spheres (or discs) in a box, stepped by Stewart and Trinkle's scheme: problems as a simulation makes them.

use super::{Contact, Numbers, contact_problem};
use vinci_core::problem::MlcpBuf;

const G: f64 = 9.81;

/// Spheres of one radius in an open box of square section; with `planar`, discs between two walls (y is unused).
pub struct Pile {
    pub planar: bool,
    pub position: Vec<[f64; 3]>,
    pub velocity: Vec<[f64; 3]>,
    pub spin: Vec<[f64; 3]>,
    pub radius: Vec<f64>,
    pub half_width: f64,
    pub mu: f64,
    pub h: f64,
    /// Last step's impulses (n, d_1 … ) by contact key, sorted by key.
    last: Vec<((usize, usize), Vec<f64>)>,
    keys: Vec<(usize, usize)>,
}

/// Key of a wall as second body.
const WALL: usize = 1_000_000;

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn scaled(a: [f64; 3], s: f64) -> [f64; 3] {
    a.map(|x| x * s)
}

impl Pile {
    /// `n` spheres dropped in layers with a little disorder.
    pub fn dropped(n: usize, planar: bool, per_side: usize, mu: f64, h: f64) -> Self {
        let mut numbers = Numbers(42);
        let r = 0.05;
        let half_width = 1.15 * r * per_side as f64;
        let mut position = Vec::new();
        let per_layer = if planar { per_side } else { per_side * per_side };
        for i in 0..n {
            let (layer, k) = (i / per_layer, i % per_layer);
            let mut place =
                |k: usize| 2.3 * r * (k as f64 + 0.5) - half_width + numbers.between(-0.1, 0.1) * r;
            let (x, y) = (place(k % per_side), place(k / per_side));
            position.push([x, if planar { 0.0 } else { y }, r * (1.05 + 2.1 * layer as f64)]);
        }
        let radius = (0..n).map(|_| r * numbers.between(0.9, 1.0)).collect();
        let zero = vec![[0.0; 3]; n];
        Self {
            planar,
            position,
            velocity: zero.clone(),
            spin: zero,
            radius,
            half_width,
            mu,
            h,
            last: Vec::new(),
            keys: Vec::new(),
        }
    }

    fn dofs(&self) -> usize {
        if self.planar { 3 } else { 6 }
    }

    /// Column of a unit force along d at lever r on body i.
    fn column(&self, i: usize, d: [f64; 3], r: [f64; 3], sign: f64) -> Vec<(usize, f64)> {
        let (d, t) = (scaled(d, sign), scaled(cross(r, d), sign));
        let at = self.dofs() * i;
        let all = if self.planar { vec![d[0], d[2], t[1]] } else { vec![d[0], d[1], d[2], t[0], t[1], t[2]] };
        all.into_iter().enumerate().filter(|e| e.1 != 0.0).map(|(k, v)| (at + k, v)).collect()
    }

    fn contact(&self, a: usize, b: Option<usize>, n: [f64; 3], gap: f64) -> Contact {
        // n points from b (or the wall) to a.
        let seed = if n[2].abs() < 0.9 { [0.0, 0.0, 1.0] } else { [1.0, 0.0, 0.0] };
        let t1 = cross(n, cross(seed, n));
        let t1 = scaled(t1, 1.0 / dot(t1, t1).sqrt());
        let t2 = cross(n, t1);
        let directions = if self.planar {
            vec![t1, scaled(t1, -1.0)]
        } else {
            vec![t1, t2, scaled(t1, -1.0), scaled(t2, -1.0)]
        };
        let full = |d: [f64; 3]| {
            let mut c = self.column(a, d, scaled(n, -self.radius[a]), 1.0);
            if let Some(b) = b {
                c.extend(self.column(b, d, scaled(n, self.radius[b]), -1.0));
            }
            c
        };
        // A penetration is pushed out at most at 0.2 m/s.
        let g = if gap >= 0.0 { gap / self.h } else { (0.2 * gap / self.h).max(-0.2) };
        Contact { normal: full(n), friction: directions.into_iter().map(full).collect(), g, mu: self.mu }
    }

    /// The mixed LCP of the coming step, with a guess from the last one if `warm`.
    pub fn problem(&mut self, tolerance: f64, warm: bool) -> MlcpBuf {
        let n = self.position.len();
        let margin = 0.02;
        let mut contacts = Vec::new();
        self.keys.clear();
        for i in 0..n {
            let (p, r) = (self.position[i], self.radius[i]);
            let mut walls = vec![
                ([0.0, 0.0, 1.0], p[2] - r),
                ([1.0, 0.0, 0.0], p[0] + self.half_width - r),
                ([-1.0, 0.0, 0.0], self.half_width - p[0] - r),
            ];
            if !self.planar {
                walls.push(([0.0, 1.0, 0.0], p[1] + self.half_width - r));
                walls.push(([0.0, -1.0, 0.0], self.half_width - p[1] - r));
            }
            for (k, (normal, gap)) in walls.into_iter().enumerate() {
                if gap < margin {
                    contacts.push(self.contact(i, None, normal, gap));
                    self.keys.push((i, WALL + k));
                }
            }
            for j in 0..i {
                let d = [0, 1, 2].map(|k| p[k] - self.position[j][k]);
                let distance = dot(d, d).sqrt();
                let gap = distance - r - self.radius[j];
                if gap < margin {
                    contacts.push(self.contact(i, Some(j), scaled(d, 1.0 / distance), gap));
                    self.keys.push((i, j));
                }
            }
        }
        let (a, b) = self.momentum();
        let mut problem = contact_problem(&a, &b, &contacts, tolerance);
        if warm {
            problem.guess = self.guess(problem.q.len());
        }
        problem
    }

    fn momentum(&self) -> (Vec<f64>, Vec<f64>) {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for i in 0..self.position.len() {
            let r = self.radius[i];
            let m = 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
            let inertia = 0.4 * m * r * r;
            let (v, w) = (self.velocity[i], self.spin[i]);
            let fall = v[2] - G * self.h;
            if self.planar {
                a.extend([m, m, inertia]);
                b.extend([m * v[0], m * fall, inertia * w[1]]);
            } else {
                a.extend([m, m, m, inertia, inertia, inertia]);
                b.extend([m * v[0], m * v[1], m * fall, inertia * w[0], inertia * w[1], inertia * w[2]]);
            }
        }
        (a, b)
    }

    fn guess(&self, n: usize) -> Vec<f64> {
        let mut z = vec![0.0; n];
        for i in 0..self.position.len() {
            let (v, w, at) = (self.velocity[i], self.spin[i], self.dofs() * i);
            let all =
                if self.planar { vec![v[0], v[2], w[1]] } else { vec![v[0], v[1], v[2], w[0], w[1], w[2]] };
            z[at..at + self.dofs()].copy_from_slice(&all);
        }
        let (nv, nc, nd) =
            (self.dofs() * self.position.len(), self.keys.len(), if self.planar { 2 } else { 4 });
        for (c, key) in self.keys.iter().enumerate() {
            if let Ok(k) = self.last.binary_search_by(|e| e.0.cmp(key)) {
                let old = &self.last[k].1;
                z[nv + c] = old[0];
                z[nv + nc + nd * c..nv + nc + nd * (c + 1)].copy_from_slice(&old[1..]);
            }
        }
        z
    }

    /// Takes the solution of the problem formulated last.
    pub fn advance(&mut self, z: &[f64]) {
        let (n, dofs) = (self.position.len(), self.dofs());
        for i in 0..n {
            let v = &z[dofs * i..dofs * (i + 1)];
            if self.planar {
                self.velocity[i] = [v[0], 0.0, v[1]];
                self.spin[i] = [0.0, v[2], 0.0];
            } else {
                self.velocity[i].copy_from_slice(&v[..3]);
                self.spin[i].copy_from_slice(&v[3..]);
            }
            for k in 0..3 {
                self.position[i][k] += self.h * self.velocity[i][k];
            }
        }
        let (nv, nc, nd) = (dofs * n, self.keys.len(), if self.planar { 2 } else { 4 });
        self.last.clear();
        for (c, &key) in self.keys.iter().enumerate() {
            let mut p = vec![z[nv + c]];
            p.extend_from_slice(&z[nv + nc + nd * c..nv + nc + nd * (c + 1)]);
            self.last.push((key, p));
        }
        self.last.sort_by_key(|e| e.0);
    }

    /// Number of contacts of the problem formulated last.
    pub fn contacts(&self) -> usize {
        self.keys.len()
    }
}
