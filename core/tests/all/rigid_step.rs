//! One step by hand: the balance A v⁺ = b + W p of every motion model, the pyramid's rows, the way back, and the judge.

use nalgebra::DMatrix;
use vinci_core::contact::{ContactKey, Contacts};
use vinci_core::model::{DofRole, MotionModel, PairValues, Space};
use vinci_core::momentum::Momentum;
use vinci_core::problem::{Mlcp, Problem, Solution};
use vinci_core::referee::{Began, Criterion, Mode, Referee, Report};
use vinci_core::rigid::{FrictionLaw, RigidStep};
use vinci_core::stage::{BlockKind, Rows, StepView, Supports, Update, Verdict};
use vinci_core::{Csr, CsrBuf};

const H: f64 = 0.1;

/// A planar point mass of 2 kg on a floor, μ = 1/2, g = 10 (J = 1): normal (0, 1), tangent (−1, 0), lever (0, −0.5).
struct Point {
    v: [f64; 3],
    role: [u8; 3],
    motion: [u8; 1],
    command: [f64; 3],
    impedance: [f64; 3],
    drag: [f64; 9],
    stiffness: CsrBuf,
    viscosity: CsrBuf,
    jacobian: CsrBuf,
    none: CsrBuf,
}

impl Point {
    fn new(v: [f64; 3]) -> Self {
        let sparse = |rows: usize, entries: &[f64]| {
            let mut m = CsrBuf::default();
            m.clear(3);
            for i in 0..rows {
                (0..3).for_each(|j| m.push(j, entries[3 * i + j]));
                m.end_row();
            }
            m
        };
        Self {
            v,
            role: [0; 3],
            motion: [0],
            command: [0.0; 3],
            impedance: [0.0; 3],
            drag: [4.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 3.0],
            stiffness: sparse(0, &[]),
            viscosity: sparse(0, &[]),
            // Normal (0, 1): torque r × n = 0; tangent (−1, 0): r × t = 0·0 − (−0.5)(−1) = −0.5.
            jacobian: sparse(2, &[0.0, 1.0, 0.0, -1.0, 0.0, -0.5]),
            none: sparse(0, &[]),
        }
    }

    fn view(&self) -> StepView<'_> {
        const KEY: [ContactKey; 1] = [ContactKey { shape_a: 0, shape_b: 1, feature_a: 0, feature_b: 0 }];
        StepView {
            step: 0,
            pass: 0,
            attempt: 0,
            t: 0.0,
            h: H,
            space: Space::Planar,
            tolerance: 1e-12,
            q: &[0.0, 0.5, 0.0],
            v: &self.v,
            block_start: &[0, 3],
            q_start: &[0, 3],
            block_kind: const { &[BlockKind::Planar as u8] },
            quaternion: &[],
            motion: &self.motion,
            mass: &[2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0],
            drag: &self.drag,
            force: &[0.0, -20.0, 0.0],
            bias: &[0.0, 0.0, 0.7],
            stiffness: self.stiffness.view(),
            viscosity: self.viscosity.view(),
            role: &self.role,
            command: &self.command,
            impedance: &self.impedance,
            contacts: Contacts {
                n_t: 1,
                key: &KEY,
                body_a: &[0],
                body_b: &[1],
                gap: &[0.0],
                normal: &[0.0, 1.0, 0.0],
                tangent: &[-1.0, 0.0, 0.0],
                point_a: &[0.0; 3],
                point_b: &[0.0; 3],
                jacobian: self.jacobian.view(),
                pair: PairValues {
                    friction: &[0.5],
                    restitution: &[0.0],
                    stiffness: &[f64::INFINITY],
                    damping: &[0.0],
                    ..PairValues::default()
                },
                last_impulse: &[3.0, -1.0],
                age: &[4],
                group: &[],
                cell: &[],
            },
            rows: Rows { jacobian: self.none.view(), ..Rows::default() },
            supports: Default::default(),
            force_rate: &[],
            drive_speed: &[],
            rows_middle: Default::default(),
            rows_end: Default::default(),
        }
    }
}

fn dense(m: Csr<'_>) -> DMatrix<f64> {
    m.to_dense()
}

#[test]
fn every_motion_model_has_its_a_and_b() {
    let point = Point::new([1.0, 0.5, 3.0]);
    let m = DMatrix::from_diagonal(&nalgebra::DVector::from_vec(vec![2.0, 2.0, 1.0]));
    let d = DMatrix::from_diagonal(&nalgebra::DVector::from_vec(vec![4.0, 4.0, 3.0]));
    let cases = [
        // M v + h (f + c), only here velocity products count.
        (MotionModel::Dynamic, m.clone(), [2.0, 1.0 - 2.0, 3.0 + 0.07]),
        (MotionModel::FirstOrder, d * H, [0.0, -2.0, 0.0]),
        (MotionModel::QuasiStatic, m.clone() * 0.0, [0.0, -2.0, 0.0]),
        (MotionModel::QuasiDynamic, m, [0.0, -2.0, 0.0]),
    ];
    for (model, a, b) in cases {
        let mut momentum = Momentum::default();
        momentum.assemble(&point.view(), model).unwrap();
        assert!((dense(momentum.a.view()) - &a).amax() < 1e-15, "{model:?}: {}", dense(momentum.a.view()));
        assert!(momentum.b.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-15), "{model:?}: {:?}", momentum.b);
        // A block's own model wins over the default.
        let own = Point { motion: [model as u8], ..Point::new([1.0, 0.5, 3.0]) };
        momentum.assemble(&own.view(), MotionModel::QuasiStatic).unwrap();
        assert!((dense(momentum.a.view()) - a).amax() < 1e-15);
        assert_eq!(momentum.motion, [model as u8]);
    }
}

#[test]
fn springs_dampers_and_impedances_are_implicit() {
    let mut point = Point::new([1.0, 0.5, 3.0]);
    point.stiffness = CsrBuf::from_triplets(3, 3, &[(0, 0, 50.0), (0, 2, 5.0), (2, 0, 5.0), (2, 2, 8.0)]);
    point.viscosity = CsrBuf::from_triplets(3, 3, &[(0, 0, 7.0), (1, 1, 9.0)]);
    point.role = [0, 0, DofRole::Impedance as u8];
    (point.impedance, point.command) = ([0.0, 0.0, 30.0], [0.0, 0.0, 0.4]);
    let mut momentum = Momentum::default();
    momentum.assemble(&point.view(), MotionModel::Dynamic).unwrap();
    // A = M + h C + h² (K + k), b = M v + h (f + c) + h C v + h k (commanded place − q).
    let expected = DMatrix::from_row_slice(
        3,
        3,
        &[2.0 + 0.7 + 0.5, 0.0, 0.05, 0.0, 2.9, 0.0, 0.05, 0.0, 1.0 + 0.08 + 0.3],
    );
    assert!((dense(momentum.a.view()) - expected).amax() < 1e-15, "{}", dense(momentum.a.view()));
    let b = [2.0 + 0.7, 1.0 - 2.0 + 0.45, 3.0 + 0.07 + H * 30.0 * H * 0.4];
    assert!(momentum.b.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-14), "{:?} {b:?}", momentum.b);
}

#[test]
fn a_first_order_dof_without_drag_is_refused_by_name_unless_it_is_prescribed() {
    let mut point = Point::new([0.0; 3]);
    point.drag[4] = 0.0;
    let error = Momentum::default().assemble(&point.view(), MotionModel::FirstOrder).unwrap_err();
    assert!(error.message.contains("no drag along its degree of freedom 1"), "{error}");
    point.role[1] = DofRole::Prescribed as u8;
    Momentum::default().assemble(&point.view(), MotionModel::FirstOrder).unwrap();
    point.motion = [9];
    let error = Momentum::default().assemble(&point.view(), MotionModel::FirstOrder).unwrap_err();
    assert!(error.message.contains("motion model 9"), "{error}");
}

fn mlcp<'a>(problem: &'a Problem<'a>) -> &'a Mlcp<'a> {
    let Problem::Mlcp(mlcp) = problem else { panic!("no mixed LCP") };
    mlcp
}

/// z = (v_x, v_y, ω, p_n, p_f1, p_f2, σ).
#[test]
fn the_pyramid_writes_the_rows_it_documents() {
    let point = Point::new([1.0, 0.0, 0.0]);
    let mut rigid = RigidStep::new(MotionModel::Dynamic, FrictionLaw::Pyramid(8), Space::Planar);
    let problem = rigid.formulate(&point.view(), |_, _| 0.25).unwrap();
    let p = mlcp(&problem);
    #[rustfmt::skip]
    let expected = DMatrix::from_row_slice(7, 7, &[
        2.0, 0.0, 0.0,  0.0,  1.0, -1.0, 0.0,
        0.0, 2.0, 0.0, -1.0,  0.0,  0.0, 0.0,
        0.0, 0.0, 1.0,  0.0,  0.5, -0.5, 0.0,
        0.0, 1.0, 0.0,  0.0,  0.0,  0.0, 0.0,
       -1.0, 0.0,-0.5,  0.0,  0.0,  0.0, 1.0,
        1.0, 0.0, 0.5,  0.0,  0.0,  0.0, 1.0,
        0.0, 0.0, 0.0,  0.5, -1.0, -1.0, 0.0,
    ]);
    assert_eq!(p.m.to_dense(), expected);
    assert_eq!(
        p.q,
        [-2.0, 2.0, -0.07 + 0.0, 0.25, 0.0, 0.0, 0.0].map(|x: f64| if x == -0.07 { -(H * 0.7) } else { x })
    );
    // Warm start: last impulse (3, −1) is 1 along −t; the slip of (1, 0, 0) along t = (−1, 0) is −1, so σ = 1.
    assert_eq!(p.guess, [1.0, 0.0, 0.0, 3.0, 0.0, 1.0, 1.0]);
    p.check().unwrap();
}

#[test]
fn a_contact_left_out_has_no_rows_and_no_impulse() {
    let point = Point::new([1.0, 0.0, 0.0]);
    let mut rigid = RigidStep::new(MotionModel::Dynamic, FrictionLaw::Pyramid(8), Space::Planar);
    let problem = rigid.formulate(&point.view(), |_, _| f64::INFINITY).unwrap();
    assert_eq!(mlcp(&problem).n(), 3);
    let update =
        rigid.update(&point.view(), &Solution { z: &[1.0, -1.0, 0.07], ..Solution::default() }).unwrap();
    assert_eq!(update.impulse, [0.0, 0.0]);
    assert_eq!(update.normal_rate, [f64::INFINITY]);
    let report = judged_by(&mut Referee::default(), &point.view(), &update).unwrap();
    // That the stepper left it out is no evidence: v⁺ goes through it with 1 m/s.
    assert_eq!(report.complementarity.value, 1.0);
    assert!(report.findings.of(Criterion::Approach).value > 0.1);
}

#[test]
fn prescribed_velocities_are_data_and_cost_an_effort() {
    // v_x and ω prescribed. What is left is v_y; friction from the floor must be held by the drive.
    let mut point = Point::new([1.0, 0.0, 0.0]);
    point.role = [1, 0, 1];
    point.command = [0.8, 0.0, 0.1];
    let mut rigid = RigidStep::new(MotionModel::Dynamic, FrictionLaw::Pyramid(8), Space::Planar);
    let problem = rigid.formulate(&point.view(), |_, _| 0.0).unwrap();
    let p = mlcp(&problem);
    assert_eq!(p.n(), 5);
    // Slip along t is −0.8 − 0.05: right sides of the two friction rows.
    assert!((p.q[2] + 0.85).abs() < 1e-15 && (p.q[3] - 0.85).abs() < 1e-15, "{:?}", p.q);
    // v_y = 0, p_n = 2, full friction along +t (1 N s), σ = 0.85.
    let z = [0.0, 2.0, 1.0, 0.0, 0.85];
    assert!(p.residual(&z).natural < 1e-15);
    let update = rigid.update(&point.view(), &Solution { z: &z, ..Solution::default() }).unwrap();
    assert_eq!(update.v, [0.8, 0.0, 0.1]);
    // τ_x = 2·0.8 − 2·1 + 1 (friction pushes along −x), τ_ω = 0.1 − 0.07 + 0.5.
    assert!((update.effort[0] - 0.6).abs() < 1e-15 && update.effort[1] == 0.0, "{:?}", update.effort);
    assert!((update.effort[2] - 0.53).abs() < 1e-15, "{:?}", update.effort);
}

#[test]
fn friction_directions_are_balanced_to_the_bit_and_evenly_spread() {
    // Where the point moves with (0, 1, 0), commanded, the constants of the friction rows are cos(2πk/n_d); with (0, 0, 1) they are
    // sin(2πk/n_d).
    let point = Point::new([0.0; 3]);
    let mut jacobian = CsrBuf::default();
    jacobian.clear(3);
    for row in 0..3 {
        (0..3).for_each(|j| jacobian.push(j, f64::from(u8::from(j == row))));
        jacobian.end_row();
    }
    for n_d in [4, 6, 8, 10, 64] {
        let constants = |command: [f64; 3]| {
            let planar = point.view();
            let contacts =
                Contacts { n_t: 2, jacobian: jacobian.view(), last_impulse: &[0.0; 3], ..planar.contacts };
            let role = [DofRole::Prescribed as u8; 3];
            let view = StepView { space: Space::Spatial, contacts, role: &role, command: &command, ..planar };
            let mut rigid = RigidStep::new(MotionModel::Dynamic, FrictionLaw::Pyramid(n_d), Space::Spatial);
            let problem = rigid.formulate(&view, |_, _| 0.0).unwrap();
            let p = mlcp(&problem);
            assert_eq!(p.n(), 1 + n_d + 1);
            p.q[1..1 + n_d].to_vec()
        };
        let (cos, sin) = (constants([0.0, 1.0, 0.0]), constants([0.0, 0.0, 1.0]));
        for k in 0..n_d {
            let angle = 2.0 * std::f64::consts::PI * k as f64 / n_d as f64;
            assert!((cos[k] - angle.cos()).abs() < 1e-15 && (sin[k] - angle.sin()).abs() < 1e-15);
            let opposite = (k + n_d / 2) % n_d;
            assert_eq!((cos[k], sin[k]), (-cos[opposite], -sin[opposite]));
        }
    }
}

/// The solution of the worked instance with v = (1, 0) and ω held: v⁺ = (0.5, 0), p_n = 2, p_t = 1 along t = (−1, 0).
fn accepted<'a>(v: &'a [f64; 3], impulse: &'a [f64; 2]) -> Update<'a> {
    Update {
        verdict: Verdict::Accept,
        h_used: H,
        v,
        impulse,
        normal_rate: &[0.0],
        motion: &[1],
        effort: &[0.0; 3],
        ..Update::default()
    }
}

/// What the referee says of a step that began where its view stands, its detection included.
fn judged_by(
    referee: &mut Referee,
    view: &StepView<'_>,
    update: &Update<'_>,
) -> Result<Report, vinci_core::StageError> {
    referee.sizes.length.resize(view.n_blocks(), 1.0);
    let mut report = referee.judge(view, update, &Began { q: view.q, evaluated: None, moving: None })?;
    referee.judge_detection(&view.contacts, (&[0.0; 6], &[0.0; 2]), &mut report);
    Ok(report)
}

fn held() -> Point {
    Point { role: [0, 0, 1], ..Point::new([1.0, 0.0, 0.0]) }
}

#[test]
fn the_referee_accepts_the_worked_instance_and_names_its_mode() {
    let (point, mut referee) = (held(), Referee::default());
    let report = judged_by(&mut referee, &point.view(), &accepted(&[0.5, 0.0, 0.0], &[2.0, 1.0])).unwrap();
    assert!(
        report.momentum.value < 1e-15 && report.complementarity.value < 1e-15 && report.cone.value < 1e-15
    );
    assert_eq!(report.friction_power.value, 0.0);
    assert!(report.dissipation_deficit.value < 1e-15);
    assert_eq!(referee.modes(), [Mode::Slip]);
    assert!((referee.slip()[0] - 0.5).abs() < 1e-15);
}

#[test]
fn the_referee_finds_each_lie_where_it_is() {
    let (point, mut referee) = (held(), Referee::default());
    // Momentum that nobody gave.
    let report = judged_by(&mut referee, &point.view(), &accepted(&[0.6, 0.0, 0.0], &[2.0, 1.0])).unwrap();
    assert!((report.momentum.value - 0.2).abs() < 1e-15 && report.momentum.at == 0, "{report:?}");
    assert!(report.momentum_relative.value > 0.09);
    // Friction beyond the cone, and in the direction of the slip.
    let report = judged_by(&mut referee, &point.view(), &accepted(&[0.25, 0.0, 0.0], &[2.0, 1.5])).unwrap();
    assert!((report.cone.value - 0.5).abs() < 1e-15, "{report:?}");
    let report = judged_by(&mut referee, &point.view(), &accepted(&[1.5, 0.0, 0.0], &[2.0, -1.0])).unwrap();
    assert!((report.friction_power.value - 1.5).abs() < 1e-15, "{report:?}");
    assert!((report.dissipation_deficit.value - 3.0).abs() < 1e-15, "{report:?}");
    // Falling through: ρ_n = −1 m/s without impulse; pulling: p_n < 0.
    let report = judged_by(&mut referee, &point.view(), &accepted(&[1.0, -1.0, 0.0], &[0.0, 0.0])).unwrap();
    assert!((report.complementarity.value - 1.0).abs() < 1e-15, "{report:?}");
    assert_eq!(referee.modes(), [Mode::Open]);
    let report = judged_by(&mut referee, &point.view(), &accepted(&[1.0, -2.0, 0.0], &[-2.0, 0.0])).unwrap();
    assert!(report.complementarity.value >= 1.0, "{report:?}");
    // Separating and pressed at once: the smaller of 0.3 m/s and p_n/m.
    let report = judged_by(&mut referee, &point.view(), &accepted(&[1.0, 0.3, 0.0], &[2.6, 0.0])).unwrap();
    assert!((report.complementarity.value - 0.3).abs() < 1e-15, "{report:?}");
    // No number is the worst of all.
    let report =
        judged_by(&mut referee, &point.view(), &accepted(&[f64::NAN, 0.0, 0.0], &[2.0, 1.0])).unwrap();
    assert!(report.momentum.value.is_nan(), "{report:?}");
}

#[test]
fn the_referee_refuses_answers_of_the_wrong_length() {
    let (point, mut referee) = (held(), Referee::default());
    let (v, p) = ([0.5, 0.0, 0.0], [2.0, 1.0]);
    let good = accepted(&v, &p);
    for (bad, what) in [
        (Update { v: &v[..2], ..good }, "2 velocities"),
        (Update { impulse: &p[..1], ..good }, "1 contact impulses"),
        (Update { normal_rate: &[], ..good }, "0 normal rates"),
        (Update { motion: &[1, 1], ..good }, "2 motion models"),
        (Update { row_impulse: &[0.0], ..good }, "1 other impulses"),
    ] {
        let error = judged_by(&mut referee, &point.view(), &bad).unwrap_err();
        assert!(error.message.contains(what), "{error}");
    }
}

/// With other masses than the body's the same velocities need other impulses.
#[test]
fn the_referee_judges_momentum_by_the_masses_that_were_used() {
    let (point, mut referee) = (held(), Referee::default());
    let update = accepted(&[0.5, 0.0, 0.0], &[2.0, 1.0]);
    let mut off = |factor: &[f64]| {
        judged_by(&mut referee, &point.view(), &Update { mass_scale: factor, ..update })
            .map(|r| r.momentum.value)
    };
    let own = off(&[]).unwrap();
    assert_eq!(off(&[1.0]).unwrap(), own);
    assert!(off(&[0.5]).unwrap() > own + 0.1);
    let message = off(&[1.0, 1.0]).unwrap_err().message;
    assert_eq!(message, "the stepper returned 2 factors of masses where the step has 1");
}

/// ν_t = −0.5 m/s of the bodies along t = (−1, 0); a layer that deforms as fast the other way leaves no slip and no power,
/// one that deforms faster turns the slip round, and friction would drive.
#[test]
fn the_referee_judges_friction_by_the_slip_of_the_surfaces() {
    let (point, mut referee) = (held(), Referee::default());
    let update = accepted(&[0.5, 0.0, 0.0], &[2.0, 1.0]);
    judged_by(&mut referee, &point.view(), &update).unwrap();
    assert_eq!(referee.slip(), [0.5]);
    let report = judged_by(&mut referee, &point.view(), &Update { slip_rate: &[0.5], ..update }).unwrap();
    assert_eq!((referee.slip()[0], referee.modes()[0], report.friction_power.value), (0.0, Mode::Stick, 0.0));
    let report = judged_by(&mut referee, &point.view(), &Update { slip_rate: &[0.75], ..update }).unwrap();
    assert_eq!((referee.slip()[0], report.friction_power.value), (0.25, 0.25));
    let error =
        judged_by(&mut referee, &point.view(), &Update { slip_rate: &[0.0; 3], ..update }).unwrap_err();
    assert_eq!(error.message, "the stepper returned 3 slip rates where the step has 1");
}

/// A support point at the centre, radius h · 2 N = 0.2 N s: friction that drives, that leaves its disc, and that brakes as it
/// should. The contact is open and without impulse; the point is number 1 behind it.
#[test]
fn the_referee_judges_friction_at_support_points() {
    let point = Point::new([0.0; 3]);
    let mut jacobian = CsrBuf::default();
    jacobian.clear(3);
    for k in 0..2 {
        jacobian.push(k, 1.0);
        jacobian.end_row();
    }
    let supports = Supports {
        body: &[1],
        point: &[0.0, 0.5],
        jacobian: jacobian.view(),
        load: &[4.0],
        bound: &[2.0],
        last_impulse: &[0.0; 2],
    };
    let view = StepView { supports, ..point.view() };
    let judged = |v: [f64; 3], p: [f64; 2]| {
        let update = Update { support_impulse: &p, ..accepted(&v, &[0.0, 0.0]) };
        judged_by(&mut Referee::default(), &view, &update).unwrap()
    };
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-15, "{found}, {expected}");
    for (x, y) in [(1.0, 0.0), (0.0, 1.0), (-0.6, 0.8)] {
        let v = [0.3 * x, 0.3 * y, 0.0];
        let brakes = judged(v, [-0.2 * x, -0.2 * y]);
        near(brakes.friction_power.value, 0.0);
        near(brakes.cone.value, 0.0);
        near(brakes.dissipation_deficit.value, 0.0);
        let drives = judged(v, [0.2 * x, 0.2 * y]);
        near(drives.friction_power.value, 0.06);
        near(drives.dissipation_deficit.value, 0.12);
        assert_eq!((drives.friction_power.at, drives.dissipation_deficit.at), (1, 1));
        let beyond = judged(v, [-0.5 * x, -0.5 * y]);
        near(beyond.cone.value, 0.3);
        assert_eq!((beyond.cone.at, beyond.friction_power.value), (1, 0.0));
        let idle = judged(v, [0.0, 0.0]);
        near(idle.dissipation_deficit.value, 0.06);
    }
}

#[test]
fn a_force_on_a_facet_beyond_its_edge_is_flagged_and_a_facet_beside_an_open_one_does_not_penetrate() {
    // Two alternatives of one corner: the floor, entered by 0.02, pressed with 6 N s; a wall, open by 0.3 (3 m/s per step).
    let point = Point::new([0.0; 3]);
    let mut jacobian = CsrBuf::default();
    jacobian.clear(3);
    for row in [[0.0, 1.0, 0.0], [-1.0, 0.0, -0.5], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] {
        (0..3).for_each(|j| jacobian.push(j, row[j]));
        jacobian.end_row();
    }
    let key = [0, 1].map(|feature_b| ContactKey { shape_a: 0, shape_b: 1, feature_a: 0, feature_b });
    let judged = |group: &[u32], impulse: f64| {
        let one = point.view();
        let contacts = Contacts {
            key: &key,
            body_a: &[0; 2],
            body_b: &[1; 2],
            gap: &[-0.02, 0.3],
            normal: &[0.0, 1.0, 0.0, 1.0, 0.0, 0.0],
            tangent: &[-1.0, 0.0, 0.0, 0.0, 1.0, 0.0],
            point_a: &[0.0; 6],
            point_b: &[0.0; 6],
            jacobian: jacobian.view(),
            pair: PairValues {
                friction: &[0.5; 2],
                restitution: &[0.0; 2],
                stiffness: &[f64::INFINITY; 2],
                damping: &[0.0; 2],
                ..PairValues::default()
            },
            last_impulse: &[0.0; 4],
            age: &[0; 2],
            group,
            ..one.contacts
        };
        let view = StepView { contacts, ..one };
        let update = Update {
            v: &[0.0; 3],
            impulse: &[impulse, 0.0, 0.0, 0.0],
            normal_rate: &[0.0, f64::INFINITY],
            motion: &[0],
            h_used: H,
            ..Update::default()
        };
        judged_by(&mut Referee::default(), &view, &update).unwrap()
    };
    // Plain contacts: the impulse acts at a gap that closes with nothing, and the floor is entered.
    let plain = judged(&[], 6.0);
    assert_eq!((plain.complementarity.value, plain.penetration.value), (0.0, 0.02));
    // Alternatives: the wall is more open by (0.3 + 0.02)/h = 3.2 m/s, the impulse is worth 6/2 = 3 m/s.
    let flagged = judged(&[7, 7], 6.0);
    assert!((flagged.complementarity.value - 3.0).abs() < 1e-12, "{}", flagged.complementarity.value);
    assert_eq!(flagged.complementarity.at, 0);
    assert!(flagged.penetration.value <= 0.0, "{}", flagged.penetration.value);
    assert_eq!(judged(&[7, 7], 0.0).complementarity.value, 0.0);
}

/// A corner of two edges has three branches: either edge, or both. Where no solver solves any, all are tried, up to a limit that is told.
#[test]
fn the_search_among_alternatives_ends_and_says_after_how_many() {
    let point = Point::new([0.0; 3]);
    let tried = |groups: u32| {
        let n = 2 * groups as usize;
        let mut jacobian = CsrBuf::default();
        jacobian.clear(3);
        for row in
            [[0.0, 1.0, 0.0], [-1.0, 0.0, -0.5], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].repeat(groups as usize)
        {
            (0..3).for_each(|j| jacobian.push(j, row[j]));
            jacobian.end_row();
        }
        let key: Vec<ContactKey> = (0..n as u32)
            .map(|feature_b| ContactKey { shape_a: 0, shape_b: 1, feature_a: 0, feature_b })
            .collect();
        let group: Vec<u32> = (0..groups).flat_map(|g| [g + 1; 2]).collect();
        let zeros = vec![0.0; 3 * n];
        let one = point.view();
        let contacts = Contacts {
            key: &key,
            body_a: &vec![0; n],
            body_b: &vec![1; n],
            gap: &zeros[..n],
            normal: &[0.0, 1.0, 0.0, 1.0, 0.0, 0.0].repeat(groups as usize),
            tangent: &[-1.0, 0.0, 0.0, 0.0, 1.0, 0.0].repeat(groups as usize),
            point_a: &zeros,
            point_b: &zeros,
            jacobian: jacobian.view(),
            pair: PairValues {
                friction: &vec![0.5; n],
                restitution: &zeros[..n],
                stiffness: &vec![f64::INFINITY; n],
                damping: &zeros[..n],
                ..PairValues::default()
            },
            last_impulse: &zeros[..2 * n],
            age: &vec![0; n],
            group: &group,
            ..one.contacts
        };
        let mut rigid = RigidStep::new(MotionModel::Dynamic, FrictionLaw::Pyramid(8), Space::Planar);
        let mut unknowns = Vec::new();
        for pass in 0.. {
            let view = StepView { contacts, pass, ..point.view() };
            unknowns.push(mlcp(&rigid.formulate(&view, |_, _| 0.0).unwrap()).n());
            let update = rigid.other_branch(&view);
            if update.verdict == Verdict::Fail {
                let reason = format!("({} tried)", unknowns.len());
                assert!(update.reason.contains(&reason), "{reason}: {}", update.reason);
                break;
            }
            assert_eq!(update.verdict, Verdict::Again);
        }
        unknowns
    };
    // Four rows to every contact that takes part, beside three velocities.
    assert_eq!(tried(1), [7, 7, 11]);
    assert_eq!(tried(2).len(), 9);
    assert_eq!(tried(2).iter().filter(|n| **n == 19).count(), 1);
    assert_eq!(tried(5).len(), 243);
    assert_eq!(tried(6).len(), 256);
}
