//! The first-order MLCP (3.1) of Gavrea ("Rigid body time-stepping schemes in a quasi-static setting") and eq. (11)-(12) of
//! Berard et al. 2007 (dVC), written down from the papers and compared entry by entry with what the Stewart-Trinkle plugin
//! emits: same rows, same columns, same numbers, up to the scaling by h and the sign that are stated here.

use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use serde_json::json;
use vinci_abi::Role;
use vinci_abi::load::LoadedPlugin;
use vinci_core::contact::{ContactKey, Contacts};
use vinci_core::model::{DofRole, PairValues, Space, SystemView};
use vinci_core::problem::{Mlcp, Part, Problem, Status};
use vinci_core::stage::{BlockKind, Rows, Solver, StepView, Stepper};
use vinci_core::{Csr, CsrBuf};
use vinci_tests::experiment::{shipped, timed, with};
use vinci_tests::run::run;
use vinci_tests::{close, house};

/// A peg of 0.1 × 0.2 m leaning in a hole: its right lower corner at the right wall, its left side at the edge of the left
/// wall, one more potential contact at a distance.
struct PegInHole {
    gap: [f64; 3],
    mu: [f64; 3],
    /// ∂ψ/∂t of normal and tangent, by contact, m/s: the walls may move (the controls u). Each is a driven velocity of its own.
    rate: [[f64; 2]; 3],
    damping: Matrix3<f64>,
    force: Vector3<f64>,
}

impl PegInHole {
    fn new() -> Self {
        Self {
            gap: [0.0, 1e-5, 4e-4],
            mu: [0.2, 0.35, 0.2],
            rate: [[-0.02, 0.01], [0.0, 0.0], [0.003, -0.05]],
            damping: Matrix3::new(10.0, 1.0, 0.2, 1.0, 12.0, -0.1, 0.2, -0.1, 0.3),
            force: Vector3::zeros(),
        }
    }

    /// Unit normals from wall to peg.
    fn normals(&self) -> [Vector3<f64>; 3] {
        [Vector3::new(-1.0, 0.0, 0.0), Vector3::new(0.8, 0.6, 0.0), Vector3::new(1.0, 0.0, 0.0)]
    }

    /// Levers from the peg's centre to the contacts.
    fn levers(&self) -> [Vector3<f64>; 3] {
        [
            Vector3::new(0.0497, -0.1002, 0.0),
            Vector3::new(-0.0501, -0.02, 0.0),
            Vector3::new(-0.05, 0.03, 0.0),
        ]
    }

    /// Column of a unit force d at lever r: (d_x, d_y, r_x d_y − r_y d_x).
    fn wrench(d: &Vector3<f64>, r: &Vector3<f64>) -> Vector3<f64> {
        Vector3::new(d.x, d.y, r.x * d.y - r.y * d.x)
    }

    fn tangent(n: &Vector3<f64>) -> Vector3<f64> {
        Vector3::new(-n.y, n.x, 0.0)
    }

    /// W_n, 3 × 3.
    fn w_n(&self) -> DMatrix<f64> {
        let (n, r) = (self.normals(), self.levers());
        DMatrix::from_fn(3, 3, |i, k| Self::wrench(&n[k], &r[k])[i])
    }

    /// W_f = [W_t1 −W_t1 W_t2 −W_t2 …], 3 × 6.
    fn w_f(&self) -> DMatrix<f64> {
        let (n, r) = (self.normals(), self.levers());
        DMatrix::from_fn(3, 6, |i, c| {
            let sign = if c % 2 == 0 { 1.0 } else { -1.0 };
            sign * Self::wrench(&Self::tangent(&n[c / 2]), &r[c / 2])[i]
        })
    }

    /// E_f, 6 × 3, and U_f, 3 × 3.
    fn e_f(&self) -> DMatrix<f64> {
        DMatrix::from_fn(6, 3, |i, k| f64::from(u8::from(i / 2 == k)))
    }

    fn u_f(&self) -> DMatrix<f64> {
        DMatrix::from_diagonal(&DVector::from_row_slice(&self.mu))
    }

    /// The matrix of (3.1) with its damping E, or of (11) with −M in its place and the sign of the rest of the row turned.
    fn matrix(&self, block: &Matrix3<f64>, sign: f64) -> DMatrix<f64> {
        let mut m = DMatrix::zeros(15, 15);
        m.view_mut((0, 0), (3, 3)).copy_from(block);
        m.view_mut((0, 3), (3, 3)).copy_from(&(self.w_n() * sign));
        m.view_mut((0, 6), (3, 6)).copy_from(&(self.w_f() * sign));
        m.view_mut((3, 0), (3, 3)).copy_from(&self.w_n().transpose());
        m.view_mut((6, 0), (6, 3)).copy_from(&self.w_f().transpose());
        m.view_mut((6, 12), (6, 3)).copy_from(&self.e_f());
        m.view_mut((12, 3), (3, 3)).copy_from(&self.u_f());
        m.view_mut((12, 6), (3, 6)).copy_from(&(-self.e_f().transpose()));
        m
    }

    /// Right side of (3.1): (0; Ψ_n + h ∂Ψ_n/∂t; h ∂Ψ_f/∂t; 0).
    fn right_side(&self, h: f64) -> DVector<f64> {
        let mut q = DVector::zeros(15);
        for k in 0..3 {
            q[3 + k] = self.gap[k] + h * self.rate[k][0];
            q[6 + 2 * k] = h * self.rate[k][1];
            q[7 + 2 * k] = -h * self.rate[k][1];
        }
        q
    }

    /// Gives the step to `body` as the host would, and takes what it makes of it.
    fn step<T>(&self, h: f64, v: [f64; 3], body: impl FnOnce(&StepView<'_>) -> T) -> T {
        let (n, r) = (self.normals(), self.levers());
        let centre = Vector3::new(0.0, 0.1, 0.0);
        let flat = |list: [Vector3<f64>; 3]| list.iter().flat_map(|x| [x.x, x.y, x.z]).collect::<Vec<f64>>();
        let point_b = [0, 1, 2].map(|k| centre + r[k]);
        let point_a = [0, 1, 2].map(|k| point_b[k] - n[k] * self.gap[k]);
        // All rows of a contact have the same columns, zeros included, as the host writes them.
        let (mut jacobian, mut none) = (CsrBuf::default(), CsrBuf::default());
        jacobian.clear(9);
        none.clear(9);
        for i in 0..6 {
            let d = if i % 2 == 0 { n[i / 2] } else { Self::tangent(&n[i / 2]) };
            Self::wrench(&d, &r[i / 2]).iter().enumerate().for_each(|(j, w)| jacobian.push(j, *w));
            for k in [i - i % 2, i - i % 2 + 1] {
                jacobian.push(3 + k, f64::from(u8::from(k == i)));
            }
            jacobian.end_row();
        }
        let key = [0, 1, 2].map(|k| ContactKey { shape_a: k / 2, shape_b: 2, feature_a: k, feature_b: 0 });
        let (normal, tangent) = (flat(n), flat(n.map(|n| Self::tangent(&n))));
        let (point_a, point_b) = (flat(point_a), flat(point_b));
        let contacts = Contacts {
            n_t: 1,
            key: &key,
            body_a: &[0, 0, 1],
            body_b: &[2, 2, 2],
            gap: &self.gap,
            normal: &normal,
            tangent: &tangent,
            point_a: &point_a,
            point_b: &point_b,
            jacobian: jacobian.view(),
            pair: PairValues {
                friction: &self.mu,
                restitution: &[0.0; 3],
                stiffness: &[f64::INFINITY; 3],
                damping: &[0.0; 3],
                ..PairValues::<()>::default().map(|()| &[0.0; 3][..])
            },
            last_impulse: &[0.0; 6],
            age: &[0; 3],
            group: &[],
            cell: &[],
        };
        // Symmetric, so columns are rows. Walls have neither mass nor drag of their own: they are driven.
        let mut damping: Vec<f64> = self.damping.iter().copied().collect();
        damping.resize(27, 0.0);
        let mut mass = vec![0.1, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.0004];
        mass.resize(27, 0.0);
        let mut force = self.force.as_slice().to_vec();
        force.resize(9, 0.0);
        let command: Vec<f64> = [0.0; 3].into_iter().chain(self.rate.concat()).collect();
        let v: Vec<f64> = v.into_iter().chain(self.rate.concat()).collect();
        let role: Vec<u8> =
            (0..9).map(|i| if i < 3 { DofRole::Free } else { DofRole::Prescribed } as u8).collect();
        body(&StepView {
            step: 0,
            pass: 0,
            attempt: 0,
            t: 0.0,
            h,
            space: Space::Planar,
            tolerance: 1e-10,
            q: &[0.0, 0.1, 0.003, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            v: &v,
            block_start: &[0, 3, 6, 9],
            q_start: &[0, 3, 6, 9],
            block_kind: &[BlockKind::Planar as u8; 3],
            quaternion: &[],
            motion: &[0; 3],
            mass: &mass,
            drag: &damping,
            force: &force,
            bias: &[0.0; 9],
            stiffness: Csr::default(),
            viscosity: Csr::default(),
            role: &role,
            command: &command,
            impedance: &[0.0; 9],
            contacts,
            rows: Rows { jacobian: none.view(), ..Rows::default() },
            supports: Default::default(),
            force_rate: &[],
            drive_speed: &[],
            rows_middle: Default::default(),
            rows_end: Default::default(),
        })
    }
}

fn plugin(name: &str, role: Role) -> LoadedPlugin {
    house::registry().find(name, role, &house::root()).unwrap_or_else(|e| panic!("{e}"))
}

const SYSTEM: SystemView<'static> = SystemView {
    space: Space::Planar,
    body_names: &["left-wall", "right-wall", "peg"],
    is_static: &[0; 3],
    shapes: &[],
    ignored_pairs: &[],
    nv: 9,
    nq: 9,
    ..SystemView::NOTHING
};

fn stewart_trinkle(options: &str) -> impl Stepper {
    plugin("stewart-trinkle", Role::Stepper).create_stepper(options, &SYSTEM).expect("the options are known")
}

fn mlcp<'a>(problem: &'a Problem<'a>) -> &'a Mlcp<'a> {
    let Problem::Mlcp(mlcp) = problem else { panic!("no mixed LCP") };
    mlcp
}

/// Rows and columns are in the papers' order; free above, non-negative below.
fn check_rows(p: &Mlcp<'_>) {
    let parts: Vec<Part> = p.tag.iter().map(|t| t.part).collect();
    let expected = [(Part::Velocity, 3), (Part::Normal, 3), (Part::Friction, 6), (Part::Slip, 3)];
    let expected: Vec<Part> = expected.iter().flat_map(|&(part, n)| vec![part; n]).collect();
    assert_eq!(parts, expected);
    for i in 0..15 {
        assert_eq!(p.lower[i], if i < 3 { f64::NEG_INFINITY } else { 0.0 });
        assert_eq!(p.upper[i], f64::INFINITY);
    }
    let subjects: Vec<u32> = p.tag.iter().map(|t| t.subject).collect();
    assert_eq!(subjects, [0, 1, 2, 0, 1, 2, 0, 0, 1, 1, 2, 2, 0, 1, 2]);
}

#[track_caller]
fn same(what: &str, found: &DMatrix<f64>, expected: &DMatrix<f64>) {
    assert_eq!(found.shape(), expected.shape());
    for i in 0..found.nrows() {
        for j in 0..found.ncols() {
            let (f, e) = (found[(i, j)], expected[(i, j)]);
            assert!(
                (f - e).abs() <= 4.0 * f64::EPSILON * e.abs(),
                "{what}[{i}, {j}] = {f}, the paper has {e}"
            );
        }
    }
}

#[test]
fn the_first_order_problem_is_gavreas_3_1_term_by_term() {
    // The paper's unknowns are z_G = (h v, h λ_n, h λ_f, h σ), its slacks w_G = (0, ψ⁺, h ψ̇_f⁺, s). Ours are z = (v, p_n, p_f, σ)
    // with p = h λ, and w = (0, ρ_n, ρ_f, s) in m/s. So z_G = T z and w = R w_G with T = diag(h, 1, 1, h), R = diag(1, 1/h, 1/h, 1),
    // and M = R M_G T, q = R q_G.
    let peg = PegInHole::new();
    let mut stepper = stewart_trinkle(r#"{"motion": "first-order"}"#);
    for h in [0.02, 0.125, 1.0] {
        let scale = |v: f64, normal: f64, friction: f64, slip: f64| {
            DMatrix::from_diagonal(&DVector::from_fn(15, |i, _| match i {
                0..3 => v,
                3..6 => normal,
                6..12 => friction,
                _ => slip,
            }))
        };
        let (t, r) = (scale(h, 1.0, 1.0, h), scale(1.0, 1.0 / h, 1.0 / h, 1.0));
        let matrix = &r * peg.matrix(&peg.damping, -1.0) * &t;
        let right_side = &r * peg.right_side(h);
        // A memory of velocity there is not: any v at the start gives the same problem.
        for v in [[0.0; 3], [3.0, -2.0, 1.0]] {
            peg.step(h, v, |step| {
                let problem = stepper.formulate(step).expect("the step is sound");
                let p = mlcp(&problem);
                check_rows(p);
                same("M", &p.m.to_dense(), &matrix);
                for i in 0..15 {
                    close(&format!("q[{i}]"), p.q[i], right_side[i], 1e-16);
                }
            });
        }
    }
}

#[test]
fn the_dynamic_problem_is_eq_11_and_12_of_dvc_with_the_first_row_turned() {
    // (11): rows (−M, W_n, W_f, 0 | M ν + h f), (W_nᵀ, 0, 0, 0 | ψ/h + ∂ψ/∂t), (W_fᵀ, 0, 0, E | ∂ψ_f/∂t), (0, U, −Eᵀ, 0 | 0).
    let (h, v) = (0.01, [0.3, -1.0, 2.0]);
    let mass = Matrix3::from_diagonal(&Vector3::new(0.1, 0.1, 0.0004));
    let mut peg = PegInHole::new();
    peg.force = Vector3::new(0.5, -0.981, 0.02);
    let mut matrix = peg.matrix(&-mass, 1.0);
    matrix.rows_mut(0, 3).neg_mut();
    let first = mass * Vector3::from(v) + peg.force * h;
    let mut stepper = stewart_trinkle(r#"{"motion": "dynamic"}"#);
    peg.step(h, v, |step| {
        let problem = stepper.formulate(step).expect("the step is sound");
        let p = mlcp(&problem);
        check_rows(p);
        same("M", &p.m.to_dense(), &matrix);
        let rest = peg.right_side(h) / h;
        for i in 0..15 {
            let expected = if i < 3 { -first[i] } else { rest[i] };
            close(&format!("q[{i}]"), p.q[i], expected, 1e-16);
        }
    });
}

#[test]
fn a_penetration_is_the_papers_when_its_safe_guard_is_switched_off() {
    // The papers put ψ/h there whatever its sign; the plugin's default takes 0.2 ψ/h and at most 0.5 m/s.
    let mut peg = PegInHole::new();
    peg.gap = [-1e-3, -1e-6, -2e-2];
    let h = 0.01;
    let normal_constants = |options: &str| {
        let mut stepper = stewart_trinkle(options);
        peg.step(h, [0.0; 3], |step| mlcp(&stepper.formulate(step).expect("sound")).q[3..6].to_vec())
    };
    let original = normal_constants(
        r#"{"motion": "first-order", "penetration_correction": 1, "correction_speed": 1e9, "penetration_tolerance": 0}"#,
    );
    let safe = normal_constants(r#"{"motion": "first-order", "penetration_tolerance": 0}"#);
    for k in 0..3 {
        let rate = peg.rate[k][0];
        close("the paper", original[k], peg.gap[k] / h + rate, 1e-15);
        close("the safe row", safe[k], (0.2 * peg.gap[k] / h).max(-0.5) + rate, 1e-15);
    }
}

#[test]
fn the_solution_solves_the_papers_model_and_without_gaps_does_not_know_h() {
    // Ψ = 0 and ∂Ψ/∂t given: (3.1) is homogeneous in h, so v and λ = p/h are the same for every step size.
    let mut peg = PegInHole::new();
    peg.gap = [0.0; 3];
    let mut results: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    for solver in ["lemke", "newton"] {
        let mut solver = plugin(solver, Role::Solver).create_solver("{}", &SYSTEM).expect("default options");
        for h in [0.5, 0.01, 1e-4] {
            let mut stepper = stewart_trinkle(r#"{"motion": "first-order"}"#);
            peg.step(h, [0.0; 3], |step| {
                let problem = stepper.formulate(step).expect("the step is sound");
                let solution = solver.solve(&problem).expect("a solver answers");
                assert_eq!(solution.status, Status::Converged);
                let z = DVector::from_row_slice(solution.z);
                check_model(&peg, &z, h);
                results.push((
                    z.rows(0, 3).iter().copied().collect(),
                    (z.rows(3, 9) / h).iter().copied().collect(),
                ));
            });
        }
    }
    for (v, force) in &results[1..] {
        (0..3).for_each(|i| close("v", v[i], results[0].0[i], 1e-9));
        (0..9).for_each(|i| close("λ", force[i], results[0].1[i], 1e-7));
    }
}

/// (2.2)-(2.6) of the paper at the end of a step.
fn check_model(peg: &PegInHole, z: &DVector<f64>, h: f64) {
    let (v, normal) = (z.rows(0, 3).into_owned(), z.rows(3, 3) / h);
    let tangential = DVector::from_fn(3, |k, _| (z[6 + 2 * k] - z[7 + 2 * k]) / h);
    let w_t = DMatrix::from_fn(3, 3, |i, k| peg.w_f()[(i, 2 * k)]);
    let balance = peg.damping * &v - peg.w_n() * &normal - &w_t * &tangential;
    close("(2.2)", balance.amax(), 0.0, 1e-9);
    for k in 0..3 {
        let psi = peg.gap[k] + h * (peg.w_n().column(k).dot(&v) + peg.rate[k][0]);
        assert!(psi >= -1e-10 && normal[k] >= -1e-10, "(2.3): Ψ = {psi}, λ = {}", normal[k]);
        close("(2.3)", psi * normal[k], 0.0, 1e-10);
        let slip = w_t.column(k).dot(&v) + peg.rate[k][1];
        let (forward, backward) = (slip.max(0.0), (-slip).max(0.0));
        let (low, high) = (peg.mu[k] * normal[k] + tangential[k], peg.mu[k] * normal[k] - tangential[k]);
        assert!(low >= -1e-9 && high >= -1e-9, "the cone: {low} {high}");
        close("(2.5)", forward * low, 0.0, 1e-9);
        close("(2.6)", backward * high, 0.0, 1e-9);
    }
}

#[test]
fn the_shipped_peg_obeys_the_generalized_damper_in_every_step() {
    // E v = W λ + f with E = diag(10, 10, 0.1), f = (0, −0.5, 0.01).
    let mut peg = timed(&shipped("peg-in-hole-first-order"), 0.02, 2.0);
    let body = peg["scene"]["bodies"]
        .as_array_mut()
        .and_then(|b| b.iter_mut().find(|b| b["name"] == "peg"))
        .unwrap();
    body["drag"] = json!([10, 10, 0.1]);
    body["dofs"] = json!({"y": {"force": -0.5}, "angle": {"force": 0.01}});
    for solver in ["lemke", "newton"] {
        let run = run(&with(&peg, "stewart-trinkle", solver));
        let mut touched = 0;
        for (k, pair) in run.moments.windows(2).enumerate() {
            let m = &pair[1];
            let mut sum = [0.0, -0.5, 0.01];
            for t in &m.touches {
                let r = [t.point_b[0] - pair[0].q[0], t.point_b[1] - pair[0].q[1]];
                let (sign, r) = if t.b == "peg" {
                    (1.0, r)
                } else {
                    (-1.0, [t.point_a[0] - pair[0].q[0], t.point_a[1] - pair[0].q[1]])
                };
                let f = [sign * t.impulse[0] / m.h, sign * t.impulse[1] / m.h];
                sum[0] += f[0];
                sum[1] += f[1];
                sum[2] += r[0] * f[1] - r[1] * f[0];
                touched += usize::from(t.p_n > 0.0);
            }
            for (i, drag) in [10.0, 10.0, 0.1].into_iter().enumerate() {
                close(&format!("{solver}, step {k}, dof {i}"), drag * m.v[i], sum[i], 1e-8);
            }
        }
        assert!(touched > 10, "the peg never touches its hole");
    }
}
