//! The woodpecker toy against the same toy in its three minimal coordinates, integrated by Moreau's midpoint scheme.
//!
//! Coordinates (y, φ_M, φ_S): height of the sleeve, angles of sleeve and bird; the hinge is in the coordinates, so nothing of
//! the host's joints, detector, steppers or solvers takes part.

use vinci_tests::experiment::{AP, ST, set, shipped, timed, with};
use vinci_tests::run::run;

const M_SLEEVE: f64 = 3e-4;
const M_BIRD: f64 = 4.5e-3;
const J_SLEEVE: f64 = 5e-9;
const J_BIRD: f64 = 7e-7;
// Pole radius, inner radius and half height of the sleeve, hinge from the axis, centre of the bird from the hinge, height of
// the beak, beak from the centre of the bird, radius of the discs that touch; m.
const R0: f64 = 2.5e-3;
const RM: f64 = 3.1e-3;
const HM: f64 = 5.8e-3;
const LM: f64 = 1e-2;
const LG: f64 = 1.5e-2;
const HS: f64 = 2e-2;
const LS: f64 = 2.01e-2;
const RHO: f64 = 1e-4;
const C: f64 = 5.6e-3;
const G: f64 = 9.81;
const MU: f64 = 0.3;
/// Restitution of beak, lower and upper edge of the sleeve.
const E: [f64; 3] = [0.5, 0.0, 0.0];

type V3 = nalgebra::Vector3<f64>;
type M3 = nalgebra::Matrix3<f64>;

/// Mass matrix, forces, gaps, normal and tangential directions at (q, u).
struct At {
    mass: M3,
    force: V3,
    gap: [f64; 3],
    w_n: [V3; 3],
    w_t: [V3; 3],
}

/// The toy as it is.
fn full(q: &V3, u: &V3) -> At {
    let ((sa, ca), (sb, cb)) = (q[1].sin_cos(), q[2].sin_cos());
    let (m, couple) = (M_BIRD, M_BIRD * LM * LG);
    let (cos, sin) = ((q[1] - q[2]).cos(), (q[1] - q[2]).sin());
    let mass = M3::new(
        M_SLEEVE + m,
        m * LM * ca,
        m * LG * cb,
        m * LM * ca,
        J_SLEEVE + m * LM * LM,
        couple * cos,
        m * LG * cb,
        couple * cos,
        J_BIRD + m * LG * LG,
    );
    let (wa2, wb2) = (u[1] * u[1], u[2] * u[2]);
    let force = V3::new(
        -(M_SLEEVE + m) * G + m * LM * sa * wa2 + m * LG * sb * wb2,
        -C * (q[1] - q[2]) - m * G * LM * ca - couple * sin * wb2,
        -C * (q[2] - q[1]) - m * G * LG * cb + couple * sin * wa2,
    );
    let beak = ((RHO - LS) * cb - HS * sb, (RHO - LS) * sb + HS * cb);
    let x = LM * ca + LG * cb + beak.0;
    let edge = |side: f64| ((RM + RHO) * ca - side * HM * sa, (RM + RHO) * sa + side * HM * ca);
    let (low, up) = (edge(-1.0), edge(1.0));
    At {
        mass,
        force,
        gap: [x, low.0, up.0].map(|x| x - RHO - R0),
        w_n: [V3::new(0.0, -LM * sa, -LG * sb - beak.1), V3::new(0.0, -low.1, 0.0), V3::new(0.0, -up.1, 0.0)],
        w_t: [
            V3::new(1.0, LM * ca, LG * cb + beak.0 - RHO),
            V3::new(1.0, low.0 - RHO, 0.0),
            V3::new(1.0, up.0 - RHO, 0.0),
        ],
    }
}

/// The toy of the literature: linear in its angles.
fn linearised(q: &V3, _: &V3) -> At {
    let at = full(&V3::zeros(), &V3::zeros());
    let m = M_BIRD;
    let force =
        V3::new(-(M_SLEEVE + m) * G, -C * (q[1] - q[2]) - m * G * LM, -C * (q[2] - q[1]) - m * G * LG);
    let gap = [LM + LG - LS - R0 - HS * q[2], RM - R0 + HM * q[1], RM - R0 - HM * q[1]];
    At { force, gap, ..at }
}

/// Moreau's midpoint scheme with projected Gauss-Seidel at the velocities. Mean period and lowest bird angle of the last
/// five cycles.
fn cycle(model: fn(&V3, &V3) -> At, h: f64, duration: f64) -> (f64, f64) {
    let (mut q, mut u) = (V3::new(0.0, -0.1, -0.28), V3::new(-0.34, 0.0, -7.5));
    let mut turns = Vec::new();
    for k in 0..(duration / h) as usize {
        let middle = q + u * (h / 2.0);
        let at = model(&middle, &u);
        let inverse = at.mass.try_inverse().expect("masses are positive");
        let mut v = u + inverse * at.force * h;
        let closed: Vec<usize> = (0..3).filter(|&i| at.gap[i] <= 0.0).collect();
        let (mut p, mut t) = ([0.0_f64; 3], [0.0_f64; 3]);
        for _ in 0..400 {
            let before = (p, t);
            for &i in &closed {
                let (n, f) = (at.w_n[i], at.w_t[i]);
                let s = n.dot(&v) + E[i] * n.dot(&u);
                let next = (p[i] - s / n.dot(&(inverse * n))).max(0.0);
                v += inverse * n * (next - p[i]);
                p[i] = next;
                let next = (t[i] - f.dot(&v) / f.dot(&(inverse * f))).clamp(-MU * p[i], MU * p[i]);
                v += inverse * f * (next - t[i]);
                t[i] = next;
            }
            if (p, t) == before {
                break;
            }
        }
        q = middle + v * (h / 2.0);
        if u[2] < 0.0 && v[2] >= 0.0 && q[2] < -0.1 {
            turns.push((k as f64 * h, q[2]));
        }
        u = v;
    }
    summary(&turns)
}

fn summary(turns: &[(f64, f64)]) -> (f64, f64) {
    let last = &turns[turns.len() - 6..];
    ((last[5].0 - last[0].0) / 5.0, last.iter().map(|t| t.1).fold(0.0, f64::min))
}

#[test]
fn the_oracle_gives_the_cycle_of_the_literature_for_small_angles() {
    // Glocker's linearised toy has a cycle of about 0.145 s.
    let (period, _) = cycle(linearised, 2e-5, 1.4);
    assert!((period - 0.146).abs() < 0.001, "{period}");
}

#[test]
#[ignore = "long"]
fn the_woodpecker_runs_to_its_limit_cycle() {
    let (period, lowest) = cycle(full, 2e-5, 1.2);
    println!("oracle: period {period:.5} s, lowest bird angle {lowest:.4} rad");
    for stepper in [AP, ST] {
        let toy = timed(&with(&shipped("woodpecker"), stepper, "lemke"), 2e-5, 1.2);
        let run = run(&set(&toy, "/record/every", 100));
        let (y, q, v) = (run.at_q("sleeve") + 1, run.at_q("bird") + 2, run.at_v("bird") + 2);
        let turns: Vec<_> = (run.moments.windows(2))
            .filter(|w| w[0].v[v] < 0.0 && w[1].v[v] >= 0.0 && w[1].q[q] < -0.1)
            .map(|w| (w[1].t, w[1].q[q], w[1].q[y]))
            .collect();
        let found = summary(&turns.iter().map(|t| (t.0, t.1)).collect::<Vec<_>>());
        let drop = turns[turns.len() - 2].2 - turns[turns.len() - 1].2;
        println!(
            "{stepper}: period {:.5} s, lowest bird angle {:.4} rad, {drop:.5} m a cycle",
            found.0, found.1
        );
        assert!((found.0 - period).abs() < 0.003 * period, "{stepper}: period {} against {period}", found.0);
        assert!((found.1 - lowest).abs() < 0.003, "{stepper}: lowest angle {} against {lowest}", found.1);
        assert!(drop > 0.0, "{stepper}: the bird climbs by {drop}");
        let drift = run.simulation.system.joint_drift(&run.end().q);
        assert!(drift < 1e-6, "{stepper}: the hinge drifts by {drift}");
    }
}
