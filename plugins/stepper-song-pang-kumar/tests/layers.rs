//! Steps by hand on one disc over the ground: relaxation of layers, steps made again, cone against pyramid.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use nalgebra::{DMatrix, DVector};
use vinci_sdk::core::problem::Cone;
use vinci_sdk::prelude::*;
use vinci_stepper_song_pang_kumar::SongPangKumar;

const H: f64 = 0.01;
const K: f64 = 1e4;
/// C/K = 5 ms.
const C: f64 = 50.0;

/// A disc of 1 kg and 0.1 m: normal (0, 1), tangent (−1, 0), I = ½ m r².
struct Disc {
    v: [f64; 3],
    gap: [f64; 1],
    stiffness: [f64; 1],
    damping: [f64; 1],
    jacobian: CsrBuf,
    none: CsrBuf,
    step: u64,
    seen: bool,
}

impl Disc {
    fn new(gap: f64, v: [f64; 3]) -> Self {
        let entries = [(0, 0, 0.0), (0, 1, 1.0), (0, 2, 0.0), (1, 0, -1.0), (1, 1, 0.0), (1, 2, -0.1)];
        Self {
            v,
            gap: [gap],
            stiffness: [K],
            damping: [C],
            jacobian: CsrBuf::from_triplets(2, 3, &entries),
            none: CsrBuf::from_triplets(0, 3, &[]),
            step: 0,
            seen: true,
        }
    }

    fn view(&self) -> StepView<'_> {
        const KEY: [ContactKey; 1] = [ContactKey { shape_a: 0, shape_b: 1, feature_a: 0, feature_b: 0 }];
        let contacts = Contacts {
            n_t: 1,
            key: &KEY,
            body_a: &[0],
            body_b: &[1],
            gap: &self.gap,
            normal: &[0.0, 1.0, 0.0],
            tangent: &[-1.0, 0.0, 0.0],
            point_a: &[0.0; 3],
            point_b: &[0.0; 3],
            jacobian: self.jacobian.view(),
            pair: PairValues {
                friction: &[0.5],
                restitution: &[0.0],
                stiffness: &self.stiffness,
                damping: &self.damping,
                ..PairValues::default()
            },
            last_impulse: &[0.0, 0.0],
            age: &[0],
            group: &[],
            cell: &[],
        };
        let empty = Contacts { n_t: 1, jacobian: self.none.view(), ..Contacts::default() };
        StepView {
            step: self.step,
            pass: 0,
            attempt: 0,
            t: self.step as f64 * H,
            h: H,
            space: Space::Planar,
            tolerance: 1e-12,
            q: &[0.0, 0.1, 0.0],
            v: &self.v,
            block_start: &[0, 3],
            q_start: &[0, 3],
            block_kind: const { &[BlockKind::Planar as u8] },
            quaternion: &[],
            motion: &[0],
            mass: &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.005],
            drag: &[0.0; 9],
            force: &[0.0; 3],
            bias: &[0.0; 3],
            stiffness: self.none.view(),
            viscosity: self.none.view(),
            role: &[0; 3],
            command: &[0.0; 3],
            impedance: &[0.0; 3],
            contacts: if self.seen { contacts } else { empty },
            rows: Rows { jacobian: self.none.view(), ..Rows::default() },
            supports: Default::default(),
            force_rate: &[],
            drive_speed: &[],
            rows_middle: Default::default(),
            rows_end: Default::default(),
        }
    }

    /// One step in which nothing presses: v⁺ = v. The deformation at its end, from c = ψ/h + δ_n⁺/h.
    fn fly(&mut self, stepper: &mut SongPangKumar) -> f64 {
        let view = self.view();
        let n = stepper.formulate(&view).unwrap().len();
        let mut z = vec![0.0; n];
        z[..3].copy_from_slice(&self.v);
        let solution = Solution { status: Status::Converged, z: &z, ..Solution::default() };
        let update = stepper.update(&view, &solution).unwrap();
        let delta = update.normal_rate.first().map_or(0.0, |c| H * c - self.gap[0]);
        self.step += 1;
        delta
    }
}

fn stepper(options: &str) -> SongPangKumar {
    SongPangKumar::create(options, &system()).unwrap()
}

fn system() -> SystemView<'static> {
    SystemView {
        space: Space::Planar,
        body_names: &["ground", "disc"],
        is_static: &[1, 0],
        shapes: &[],
        ignored_pairs: &[],
        nv: 3,
        nq: 3,
        ..SystemView::NOTHING
    }
}

fn saved(stepper: &SongPangKumar) -> Vec<u8> {
    let mut bytes = Vec::new();
    stepper.save_state(&mut bytes);
    bytes
}

/// K δ + C δ̇ = 0 by backward differences: δ⁺ = τ/(h + τ) δ, τ = C/K, seen by a contact or not.
#[test]
fn layers_relax_after_separation() {
    let (mut disc, mut stepper) =
        (Disc::new(-1e-3, [0.0, 10.0, 0.0]), stepper("{\"friction\": \"pyramid\"}"));
    let left = 0.005 / (H + 0.005);
    assert!((disc.fly(&mut stepper) - left * 1e-3).abs() < 1e-18);
    disc.seen = false;
    disc.fly(&mut stepper);
    disc.seen = true;
    disc.gap = [0.02];
    assert!((disc.fly(&mut stepper) - left.powi(3) * 1e-3).abs() < 1e-17);
    // Forgotten below 1e-12 m.
    let bytes = saved(&stepper).len();
    for _ in 0..30 {
        disc.fly(&mut stepper);
    }
    assert!(saved(&stepper).len() < bytes);
}

#[test]
fn without_damping_layers_relax_at_once() {
    let (mut disc, mut stepper) =
        (Disc::new(-1e-3, [0.0, 10.0, 0.0]), stepper("{\"friction\": \"pyramid\"}"));
    disc.damping = [0.0];
    assert_eq!(disc.fly(&mut stepper), 0.0);
}

/// With K and C given as options the same law holds for the matrices: C = K/200 relaxes like the pair above.
#[test]
fn given_matrices_relax_as_pairs_do() {
    let options = r#"{"friction": "pyramid", "K": [[1e4, 2e3], [2e3, 8e3]], "C": [[50, 10], [10, 40]]}"#;
    let (mut disc, mut stepper) = (Disc::new(-1e-3, [0.0, 10.0, 0.0]), stepper(options));
    let left = 0.005 / (H + 0.005);
    assert!((disc.fly(&mut stepper) - left * 1e-3).abs() < 1e-16);
    disc.seen = false;
    disc.fly(&mut stepper);
    (disc.seen, disc.gap) = (true, [0.02]);
    assert!((disc.fly(&mut stepper) - left.powi(3) * 1e-3).abs() < 1e-16);
}

/// The host may make an accepted step again; only a step of another number or time goes on from its end.
#[test]
fn a_step_made_again_starts_where_it_started() {
    let (mut disc, mut stepper) =
        (Disc::new(-1e-3, [0.0, 10.0, 0.0]), stepper("{\"friction\": \"pyramid\"}"));
    let first = disc.fly(&mut stepper);
    disc.step = 0;
    assert_eq!(disc.fly(&mut stepper).to_bits(), first.to_bits());
    disc.gap = [0.02];
    assert!(disc.fly(&mut stepper) < 0.5 * first);
}

#[test]
fn states_go_through_bytes() {
    let (mut disc, mut a) = (Disc::new(-1e-3, [0.0, 10.0, 0.0]), stepper("{\"friction\": \"pyramid\"}"));
    disc.fly(&mut a);
    let bytes = saved(&a);
    let mut b = stepper("{\"friction\": \"pyramid\"}");
    b.load_state(&bytes).unwrap();
    assert_eq!(saved(&b), bytes);
    let step = disc.step;
    let first = disc.fly(&mut a);
    disc.step = step;
    assert_eq!(disc.fly(&mut b).to_bits(), first.to_bits());
    for bad in [&bytes[..bytes.len() - 1], &[1, 2, 3], &[0; 40]] {
        let error = b.load_state(bad).unwrap_err();
        assert_eq!(error.kind, ErrorKind::BadState);
        assert!(
            error.message.ends_with("bytes that are no state of vinci.stepper.song-pang-kumar"),
            "{error}"
        );
    }
}

#[test]
fn pairs_without_meaning_are_refused() {
    let rigid = "shapes 0 and 1 have damping (50 N s/m) without stiffness: a rigid layer cannot be damped; give a stiffness";
    for (k, c, kind, words) in [
        (-1.0, 0.0, ErrorKind::BadInput, "the stiffness of contact 0 must be above 0, found -1 N/m"),
        (
            1e4,
            -2.0,
            ErrorKind::BadInput,
            "the damping of contact 0 must be finite and at least 0, found -2 N s/m",
        ),
        (f64::INFINITY, 50.0, ErrorKind::BadModel, rigid),
    ] {
        let mut disc = Disc::new(0.0, [0.0; 3]);
        (disc.stiffness, disc.damping) = ([k], [c]);
        let error = stepper("{}").formulate(&disc.view()).err().unwrap();
        assert_eq!((error.kind, error.message.as_str()), (kind, words));
    }
    let mut rigid = Disc::new(0.0, [0.0; 3]);
    (rigid.stiffness, rigid.damping) = ([f64::INFINITY], [0.0]);
    assert!(stepper("{}").formulate(&rigid.view()).is_ok());
}

/// Patches are dense: 10⁹ nodes are a slip of the pen, and no memory would do.
#[test]
fn the_number_of_nodes_is_bounded() {
    for (nodes, fine) in [(0_u64, false), (1, true), (256, true), (257, false), (1_000_000_000, false)] {
        let found = SongPangKumar::create(&format!("{{\"nodes\": {nodes}}}"), &system()).err();
        let Some(error) = found else {
            assert!(fine, "{nodes} nodes are taken");
            continue;
        };
        assert!(!fine && error.kind == ErrorKind::BadOption, "{error}");
        assert_eq!(error.message, format!("nodes must be in 1 … 256, found {nodes}"));
    }
}

/// Solves rows of a problem for the unknowns `of`, the tangential impulse bound to the normal one by p_t = `bound` p_n.
fn solve(cone: &Cone<'_>, bound: Option<f64>) -> Vec<f64> {
    let m = cone.rows.m.to_dense();
    let n = if bound.is_some() { 4 } else { 5 };
    let matrix = DMatrix::from_fn(n, n, |i, j| {
        let tied = if j == 3 { bound.map_or(0.0, |b| b * m[(i, 4)]) } else { 0.0 };
        m[(i, j)] + tied
    });
    let right = DVector::from_fn(n, |i, _| -cone.rows.q[i]);
    let mut z: Vec<f64> = matrix.lu().solve(&right).unwrap().iter().copied().collect();
    if let Some(b) = bound {
        z.push(b * z[3]);
    }
    z
}

/// In the plane the pyramid is exact, so both forms have the same solutions: one that slips and one that sticks.
#[test]
fn cone_and_pyramid_agree_in_the_plane() {
    for (v, slips) in [([3.0, -1.0, 0.0], true), ([-3.0, -1.0, 0.0], true), ([0.05, -1.0, 0.0], false)] {
        let disc = Disc::new(0.0, v);
        let (mut cone, mut pyramid) =
            (stepper(r#"{"friction": "cone"}"#), stepper(r#"{"friction": "pyramid"}"#));
        let view = disc.view();
        let Problem::Cone(exact) = cone.formulate(&view).unwrap() else { panic!("cone form") };
        // The tangent is (−1, 0): a disc that moves to the right slips along −t, so friction is along +t.
        let z = solve(&exact, slips.then_some(0.5 * v[0].signum()));
        let residual = exact.residual(&z).natural;
        assert!(residual < 1e-14, "{v:?}: {residual:e} in the cone form");
        let u_t = exact.rows.m.row_dot(4, &z) + exact.rows.q[4];
        assert_eq!(u_t.abs() > 1e-12, slips);
        let Problem::Mlcp(polygon) = pyramid.formulate(&view).unwrap() else { panic!("pyramid form") };
        let p_t = z[4];
        let x = [z[0], z[1], z[2], z[3], p_t.max(0.0), (-p_t).max(0.0), if slips { u_t.abs() } else { 0.0 }];
        let residual = polygon.residual(&x).natural;
        assert!(residual < 1e-14, "{v:?}: {residual:e} in the pyramid form");
        let solution = |z| Solution { status: Status::Converged, z, ..Solution::default() };
        let a = cone.update(&view, &solution(&z)).unwrap();
        let b = pyramid.update(&view, &solution(&x)).unwrap();
        assert_eq!((a.v, a.impulse), (b.v, b.impulse));
        assert!((a.slip_rate[0] - b.slip_rate[0]).abs() < 1e-13 && a.slip_rate[0] != 0.0);
    }
}
