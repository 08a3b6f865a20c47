//! Boxes full of balls: deep beds between walls, which a large momentum does not settle.

use vinci_sdk::core::CsrBuf;
use vinci_sdk::core::problem::{ConeBlock, ConeBuf, MlcpBuf, Problem, Status};
use vinci_sdk::core::stage::Solver;
use vinci_solver_accelerated_gs::{AcceleratedGs, Config};
use vinci_test_problems::INF;

/// Radius of a ball, m, its mass, kg, and moment of inertia, kg m²; g h, m/s.
const R: f64 = 0.05;
const MASS: f64 = 0.5;
const INERTIA: f64 = 0.4 * MASS * R * R;
const LOAD: f64 = 9.81 * 0.002;
/// Balls touch where their centres are this far apart, up to rounding.
const TOUCH: f64 = 2.0 * R + 1e-9;

type V3 = [f64; 3];

/// Layers of n × n and (n − 1) × (n − 1) balls in turn, each ball in the hollow of four below.
fn centres(n: usize, layers: usize) -> Vec<V3> {
    let layer = |k: usize| {
        let side = n - k % 2;
        let at = move |i: usize| R * (2.0 * i as f64 - (side - 1) as f64);
        (0..side * side).map(move |m| [at(m / side), at(m % side), R + R * 2.0_f64.sqrt() * k as f64])
    };
    (0..layers).flat_map(layer).collect()
}

/// (ball that is pushed along the normal, the other one or a wall, the normal).
fn contacts(balls: &[V3], half: f64) -> Vec<(usize, Option<usize>, V3)> {
    let mut out = Vec::new();
    for (i, a) in balls.iter().enumerate() {
        let mut wall = |distance: f64, n: V3| {
            if distance < R + 1e-9 {
                out.push((i, None, n));
            }
        };
        wall(a[2], [0.0, 0.0, 1.0]);
        for (k, way) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)] {
            let mut n = [0.0; 3];
            n[k] = way;
            wall(half + way * a[k], n);
        }
        for (j, b) in balls.iter().enumerate().skip(i + 1) {
            let d: V3 = std::array::from_fn(|k| b[k] - a[k]);
            let length = d.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length < TOUCH {
                out.push((j, Some(i), d.map(|x| x / length)));
            }
        }
    }
    out
}

fn cross(a: &V3, b: &V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The problem of the first step: m v − W p + m g h e_z = 0, u = Wᵀ v, velocities (v, ω) of every ball.
fn bed(n: usize, layers: usize, mu: f64) -> ConeBuf {
    let balls = centres(n, layers);
    let found = contacts(&balls, n as f64 * R);
    let (nv, rows) = (6 * balls.len(), 6 * balls.len() + 3 * found.len());
    let mut t: Vec<(usize, usize, f64)> =
        (0..nv).map(|i| (i, i, if i % 6 < 3 { MASS } else { INERTIA })).collect();
    let mut q = vec![0.0; rows];
    (0..balls.len()).for_each(|i| q[6 * i + 2] = MASS * LOAD);
    for (c, (ball, other, n)) in found.iter().enumerate() {
        let aside = if n[2].abs() < 0.9 { [0.0, 0.0, 1.0] } else { [1.0, 0.0, 0.0] };
        let t1 = cross(n, &aside);
        let t1 = t1.map(|x| x / t1.iter().map(|x| x * x).sum::<f64>().sqrt());
        for (a, axis) in [*n, t1, cross(n, &t1)].iter().enumerate() {
            let row = nv + 3 * c + a;
            // The contact lies at −R n from the ball, and at +R n from the other one.
            let mut put = |ball: usize, sign: f64, arm: f64| {
                let turn = cross(&n.map(|x| arm * x), axis);
                for k in 0..3 {
                    let (i, j) = (6 * ball + k, 6 * ball + 3 + k);
                    t.extend([(row, i, sign * axis[k]), (i, row, -sign * axis[k])]);
                    t.extend([(row, j, sign * turn[k]), (j, row, -sign * turn[k])]);
                }
            };
            put(*ball, 1.0, -R);
            other.iter().for_each(|&other| put(other, -1.0, R));
        }
    }
    let m = CsrBuf::from_triplets(rows, rows, &t);
    let rows = MlcpBuf::from_parts(m, q, vec![-INF; rows], vec![INF; rows], 1e-8);
    let mut out = ConeBuf { rows, ..ConeBuf::default() };
    for c in 0..found.len() {
        let normal = (nv + 3 * c) as u32;
        out.push_block(ConeBlock { normal, tangent: normal + 1, dim: 2, size: mu });
    }
    out
}

/// With its largest momentum alone the sequence needs 1655 sweeps for ten layers, and for sixteen it found nothing in 8000.
#[test]
fn a_deep_bed_between_walls_has_its_turns_of_small_momentum() {
    let problem = bed(10, 10, 0.5);
    let mut solver = AcceleratedGs::new(Config::default()).unwrap();
    let s = solver.solve(&Problem::Cone(problem.view())).unwrap();
    assert_eq!(s.status, Status::Converged, "{:e} after {} {}", s.residual, s.iterations, s.note);
    assert!(s.iterations < 500, "{} sweeps", s.iterations);
    assert!(problem.view().residual(s.z).natural <= 1e-8);
    let fastest = s.z[..6 * 905].iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    assert!(fastest < 1e-6 * LOAD / R, "the bed rests, but something moves with {fastest}");
}
