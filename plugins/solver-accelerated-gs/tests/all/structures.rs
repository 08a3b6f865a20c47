//! Bodies of any inertia, trees, joints: the same problem with velocities kept and with velocities eliminated by the test.

use vinci_sdk::core::CsrBuf;
use vinci_sdk::core::problem::{ConeBlock, ConeBuf, MlcpBuf, Problem, Status, project_cone};
use vinci_sdk::core::stage::Solver;
use vinci_solver_accelerated_gs::AcceleratedGs;
use vinci_test_problems::INF;

/// A small generator: the tests need different numbers, not good ones.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    }
}

/// Dense numbers of a problem: A (block diagonal), b, rows W and their constants, how many of them are joint rows, μ.
struct Dense {
    a: Vec<Vec<f64>>,
    b: Vec<f64>,
    w: Vec<Vec<f64>>,
    g: Vec<f64>,
    joints: usize,
    dim: usize,
    mu: f64,
}

/// Blocks of A of these sizes; contacts of 1 + `dim` rows between neighbours, `joints` rows on the first block.
fn random(seed: u64, sizes: &[usize], contacts: usize, dim: usize, joints: usize) -> Dense {
    let mut dice = Dice(seed);
    let nv: usize = sizes.iter().sum();
    let mut a = vec![vec![0.0; nv]; nv];
    let mut first = 0;
    for &n in sizes {
        let x: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| dice.roll()).collect()).collect();
        for i in 0..n {
            for j in 0..n {
                let own = if i == j { 1.0 } else { 0.0 };
                a[first + i][first + j] = own + 0.5 * (0..n).map(|k| x[i][k] * x[j][k]).sum::<f64>();
            }
        }
        first += n;
    }
    let start = |block: usize| sizes[..block].iter().sum::<usize>();
    let mut w = Vec::new();
    for _ in 0..joints {
        w.push((0..nv).map(|i| if i < sizes[0] { dice.roll() } else { 0.0 }).collect());
    }
    for c in 0..contacts {
        let (p, q) = (c % sizes.len(), (c + 1) % sizes.len());
        for _ in 0..=dim {
            let mut row = vec![0.0; nv];
            for (block, touched) in [(p, true), (q, c % 3 != 0)] {
                let range = start(block)..start(block) + if touched { sizes[block] } else { 0 };
                range.for_each(|i| row[i] = dice.roll());
            }
            w.push(row);
        }
    }
    let b = (0..nv).map(|_| dice.roll()).collect();
    let g = w.iter().map(|_| 0.1 * dice.roll()).collect();
    Dense { a, b, w, g, joints, dim, mu: 0.3 }
}

impl Dense {
    fn contacts(&self) -> usize {
        (self.w.len() - self.joints) / (1 + self.dim)
    }

    fn finish(&self, m: CsrBuf, q: Vec<f64>, first: usize) -> ConeBuf {
        let n = q.len();
        let rows = MlcpBuf::from_parts(m, q, vec![-INF; n], vec![INF; n], 1e-9);
        let mut out = ConeBuf { rows, ..ConeBuf::default() };
        for c in 0..self.contacts() {
            let normal = (first + self.joints + c * (1 + self.dim)) as u32;
            out.push_block(ConeBlock { normal, tangent: normal + 1, dim: self.dim as u32, size: self.mu });
        }
        out
    }

    /// A v − W p − b = 0, u = Wᵀ v + g.
    fn mixed(&self) -> ConeBuf {
        let (nv, n) = (self.b.len(), self.b.len() + self.w.len());
        let mut t = Vec::new();
        for i in 0..nv {
            (0..nv).filter(|&j| self.a[i][j] != 0.0).for_each(|j| t.push((i, j, self.a[i][j])));
        }
        for (k, row) in self.w.iter().enumerate() {
            for i in (0..nv).filter(|&i| row[i] != 0.0) {
                t.extend([(i, nv + k, -row[i]), (nv + k, i, row[i])]);
            }
        }
        let q = self.b.iter().map(|b| -b).chain(self.g.iter().copied()).collect();
        self.finish(CsrBuf::from_triplets(n, n, &t), q, nv)
    }

    /// u = W A⁻¹ Wᵀ p + W A⁻¹ b + g, by Gauss and Jordan.
    fn reduced(&self) -> (Vec<Vec<f64>>, Vec<f64>) {
        let nv = self.b.len();
        let columns: Vec<Vec<f64>> = self.w.iter().chain([&self.b]).map(|c| solve(&self.a, c)).collect();
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(a, b)| a * b).sum::<f64>();
        assert_eq!(columns[0].len(), nv);
        let d = self.w.iter().map(|r| columns[..self.w.len()].iter().map(|c| dot(r, c)).collect());
        let q = self.w.iter().zip(&self.g).map(|(r, g)| dot(r, &columns[self.w.len()]) + g);
        (d.collect(), q.collect())
    }
}

fn solve(a: &[Vec<f64>], b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let mut m: Vec<Vec<f64>> = (0..n).map(|i| a[i].iter().copied().chain([b[i]]).collect()).collect();
    for k in 0..n {
        for i in (0..n).filter(|&i| i != k) {
            let f = m[i][k] / m[k][k];
            for j in k..=n {
                m[i][j] -= f * m[k][j];
            }
        }
    }
    (0..n).map(|i| m[i][n] / m[i][i]).collect()
}

fn solved(problem: &ConeBuf) -> Vec<f64> {
    let mut solver = AcceleratedGs::default();
    let s = solver.solve(&Problem::Cone(problem.view())).unwrap();
    assert_eq!(s.status, Status::Converged, "{:e} after {} {}", s.residual, s.iterations, s.note);
    s.z.to_vec()
}

/// max |p − P_K(p − m (u + μ |u_t| e_n))| over max |p|, u from the matrix W A⁻¹ Wᵀ that the solver never forms.
fn natural_map(dense: &Dense, d: &[Vec<f64>], q: &[f64], p: &[f64]) -> f64 {
    let u: Vec<f64> =
        d.iter().zip(q).map(|(r, q)| r.iter().zip(p).map(|(a, b)| a * b).sum::<f64>() + q).collect();
    let largest = p.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut worst = (0..dense.joints).fold(0.0_f64, |m, i| m.max((u[i] / d[i][i]).abs()));
    for c in 0..dense.contacts() {
        let at = dense.joints + c * (1 + dense.dim);
        let trace: f64 = (at..=at + dense.dim).map(|i| d[i][i]).sum();
        let m = (1 + dense.dim) as f64 / trace;
        let t = |x: &[f64]| (x[at + 1], if dense.dim == 2 { x[at + 2] } else { 0.0 });
        let ((p1, p2), (u1, u2)) = (t(p), t(&u));
        let n = p[at] - m * (u[at] + dense.mu * u1.hypot(u2));
        let (n, (x, y)) = project_cone(n, (p1 - m * u1, p2 - m * u2), dense.mu);
        worst = worst.max((p[at] - n).hypot((p1 - x).hypot(p2 - y)));
    }
    if largest > 0.0 { worst / largest } else { worst }
}

#[test]
fn bodies_trees_and_joints_of_any_inertia() {
    let shapes: [&[usize]; 4] = [&[6, 6, 6, 6], &[9, 6, 1, 6], &[3, 3, 3, 3, 3], &[14]];
    for (k, sizes) in shapes.iter().enumerate() {
        for dim in [1, 2] {
            for joints in [0, 2] {
                let dense = random(7 + k as u64, sizes, 2 + k, dim, joints);
                let nv = dense.b.len();
                let z = solved(&dense.mixed());
                let (d, q) = dense.reduced();
                let off = natural_map(&dense, &d, &q, &z[nv..]);
                assert!(off < 2e-9, "{sizes:?} {dim} {joints}: {off:e}");
                // v is that of the impulses.
                let b: Vec<f64> = (0..nv)
                    .map(|i| dense.b[i] + dense.w.iter().zip(&z[nv..]).map(|(r, p)| r[i] * p).sum::<f64>())
                    .collect();
                for (v, exact) in z.iter().zip(solve(&dense.a, &b)) {
                    assert!((v - exact).abs() < 1e-12, "{v} {exact}");
                }
            }
        }
    }
}

#[test]
fn velocities_kept_or_eliminated_make_no_difference() {
    for dim in [1, 2] {
        let dense = random(3, &[6, 6, 6], 4, dim, 0);
        let (nv, (d, q)) = (dense.b.len(), dense.reduced());
        let n = q.len();
        let t: Vec<_> = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).collect();
        let t: Vec<_> = t.into_iter().map(|(i, j)| (i, j, d[i][j])).collect();
        let reduced = dense.finish(CsrBuf::from_triplets(n, n, &t), q, 0);
        let (kept, eliminated) = (solved(&dense.mixed()), solved(&reduced));
        for (a, b) in kept[nv..].iter().zip(&eliminated) {
            assert!((a - b).abs() < 1e-7, "{a} {b}");
        }
    }
}
