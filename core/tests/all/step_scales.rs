//! Typical sizes of the rows and unknowns of a step, and what is called rounding in a normal row's constant.

use vinci_core::CsrBuf;
use vinci_core::contact::{ContactKey, Contacts};
use vinci_core::model::{MotionModel, PairValues, Space};
use vinci_core::problem::{Mlcp, Part, Problem};
use vinci_core::rigid::{FrictionLaw, RigidStep};
use vinci_core::stage::{BlockKind, Rows, StepView, Supports};

/// A planar body of 2 kg and 4 kg m² with one contact: normal (0, 1) at a lever of 0.5 m, tangent (−1, 0).
struct Step {
    h: f64,
    v: [f64; 3],
    role: [u8; 3],
    command: [f64; 3],
    motion: [u8; 1],
    point_a: [f64; 3],
    point_b: [f64; 3],
    row_rate: Vec<f64>,
    bound: Vec<f64>,
    jacobian: CsrBuf,
    rows: CsrBuf,
    supports: CsrBuf,
    stiffness: CsrBuf,
}

fn sparse(rows: &[[f64; 3]]) -> CsrBuf {
    let mut m = CsrBuf::default();
    m.clear(3);
    for row in rows {
        row.iter().enumerate().for_each(|(j, v)| m.push(j, *v));
        m.end_row();
    }
    m
}

impl Step {
    fn new() -> Self {
        Self {
            h: 0.1,
            v: [1.0, 0.0, 0.0],
            role: [0; 3],
            command: [0.0; 3],
            motion: [0],
            point_a: [0.0; 3],
            point_b: [0.0; 3],
            row_rate: vec![],
            bound: vec![],
            jacobian: sparse(&[[0.0, 1.0, 0.5], [-1.0, 0.0, 0.0]]),
            rows: sparse(&[]),
            supports: sparse(&[]),
            stiffness: sparse(&[]),
        }
    }

    /// The same body whose three velocities are data.
    fn prescribed(command: [f64; 3]) -> Self {
        Self { role: [1; 3], command, ..Self::new() }
    }

    fn view(&self) -> StepView<'_> {
        const KEY: [ContactKey; 1] = [ContactKey { shape_a: 0, shape_b: 1, feature_a: 0, feature_b: 0 }];
        StepView {
            step: 0,
            pass: 0,
            attempt: 0,
            t: 0.0,
            h: self.h,
            space: Space::Planar,
            tolerance: 1e-12,
            q: &[0.0, 0.5, 0.0],
            v: &self.v,
            block_start: &[0, 3],
            q_start: &[0, 3],
            block_kind: const { &[BlockKind::Planar as u8] },
            quaternion: &[],
            motion: &self.motion,
            mass: &[2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 4.0],
            drag: &[0.0; 9],
            force: &[0.0, -20.0, 0.0],
            bias: &[0.0; 3],
            stiffness: self.stiffness.view(),
            viscosity: self.stiffness.view(),
            role: &self.role,
            command: &self.command,
            impedance: &[0.0; 3],
            contacts: Contacts {
                n_t: 1,
                key: &KEY,
                body_a: &[0],
                body_b: &[1],
                gap: &[0.0],
                normal: &[0.0, 1.0, 0.0],
                tangent: &[-1.0, 0.0, 0.0],
                point_a: &self.point_a,
                point_b: &self.point_b,
                jacobian: self.jacobian.view(),
                pair: PairValues {
                    friction: &[0.5],
                    restitution: &[0.0],
                    stiffness: &[f64::INFINITY],
                    damping: &[0.0],
                    ..PairValues::default()
                },
                last_impulse: &[0.0; 2],
                age: &[0],
                group: &[],
                cell: &[],
            },
            rows: Rows {
                jacobian: self.rows.view(),
                rate: &self.row_rate,
                lower: &[f64::NEG_INFINITY; 4][..self.row_rate.len()],
                upper: &[f64::INFINITY; 4][..self.row_rate.len()],
            },
            supports: Supports {
                body: &[1; 4][..self.bound.len()],
                point: &[0.0; 8][..2 * self.bound.len()],
                jacobian: self.supports.view(),
                load: &self.bound,
                bound: &self.bound,
                last_impulse: &[0.0; 8][..2 * self.bound.len()],
            },
            force_rate: &[],
            drive_speed: &[],
            rows_middle: Default::default(),
            rows_end: Default::default(),
        }
    }

    /// Gives the problem of the step with the normal constant g_n to `look`.
    fn look<T>(&self, rate: f64, look: impl FnOnce(&Mlcp<'_>) -> T) -> T {
        let mut rigid = RigidStep::new(MotionModel::Dynamic, FrictionLaw::Pyramid(4), Space::Planar);
        let view = self.view();
        let Problem::Mlcp(p) = rigid.formulate(&view, |_, _| rate).unwrap() else { panic!("no mixed LCP") };
        look(&p)
    }

    /// The constant of the normal row.
    fn constant(&self, rate: f64) -> f64 {
        self.look(rate, |p| p.q[row(p, Part::Normal)])
    }

    /// Typical sizes of z and w of the first row of a part.
    fn scales(&self, rate: f64, part: Part) -> (f64, f64) {
        self.look(rate, |p| (p.z_scale[row(p, part)], p.w_scale[row(p, part)]))
    }
}

fn row(p: &Mlcp<'_>, part: Part) -> usize {
    p.tag.iter().position(|t| t.part == part).unwrap()
}

/// 1/(1/2 kg + (0.5 m)²/4 kg m²).
const MASS: f64 = 1.0 / (0.5 + 0.0625);

/// Typical speed 1 m/s (v = b/A; y: h g = 1), typical impulse 2 N s; rows of velocities are momenta, those of contacts
/// speeds with impulses of effective mass × speed.
#[test]
fn rows_of_a_body_with_mass_have_its_sizes() {
    let step = Step::new();
    assert_eq!(step.scales(0.0, Part::Velocity), (1.0, 2.0));
    let near = |(a, b): (f64, f64), (c, d): (f64, f64)| {
        assert!((a - c).abs() < 1e-15 && (b - d).abs() < 1e-15, "({a}, {b}) is not ({c}, {d})");
    };
    near(step.scales(0.0, Part::Normal), (MASS, 1.0));
    near(step.scales(0.0, Part::Friction), (MASS, 1.0));
    near(step.scales(0.0, Part::Slip), (1.0, MASS));
    // A rate of 3 m/s is the largest speed then.
    near(step.scales(-3.0, Part::Normal), (3.0 * MASS, 3.0));
    near(step.scales(-3.0, Part::Velocity), (3.0, 6.0));
    // So is a commanded velocity.
    let driven = Step { role: [1, 0, 0], command: [-5.0, 0.0, 0.0], ..Step::new() };
    near(driven.scales(0.0, Part::Normal), (5.0 * MASS, 5.0));
}

/// What implicit friction leaves of a spin falls below the smallest normal number, and a mass below one made its size 0.
#[test]
fn speeds_that_are_next_to_nothing_are_no_sizes() {
    let slow = Step { v: [1e-300, 0.0, 0.0], role: [0, 1, 0], ..Step::new() };
    assert_eq!(slow.scales(0.0, Part::Velocity), (1.0, 2.0));
    let slow = Step { v: [1e-90, 0.0, 0.0], role: [0, 1, 0], ..Step::new() };
    assert_eq!(slow.scales(0.0, Part::Velocity), (1e-90, 2e-90));
}

/// Rows beside the contacts: effective mass 2 kg along x, or none where the row sees prescribed velocities alone.
#[test]
fn rows_beside_the_contacts_have_their_own_mass() {
    let row = Step { rows: sparse(&[[1.0, 0.0, 0.0]]), row_rate: vec![0.0], ..Step::new() };
    assert_eq!(row.scales(0.0, Part::Bilateral), (2.0, 1.0));
    let held = Step { role: [1, 0, 0], command: [3.0, 0.0, 0.0], ..row };
    assert_eq!(held.scales(0.0, Part::Bilateral), (2.0, 3.0), "the typical impulse, m g h = 2 N s");
}

/// Nothing gives way: no effective mass, so that the typical impulse takes its place, which is 1 N s where there is none.
#[test]
fn contacts_without_mass_have_the_typical_impulse() {
    let held = Step::prescribed([0.0, -4.0, 0.0]);
    assert_eq!(held.scales(0.0, Part::Normal), (1.0, 4.0));
    assert_eq!(held.scales(0.0, Part::Slip), (4.0, 1.0));
    // Quasi-static bodies have no mass either, but the impulse of their weight.
    let slow = Step { motion: [MotionModel::QuasiStatic as u8], ..Step::new() };
    let slow = Step { supports: sparse(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), bound: vec![3.0], ..slow };
    assert_eq!(slow.scales(0.25, Part::Velocity), (0.25, 2.0));
    assert_eq!(slow.scales(0.25, Part::Normal), (2.0, 0.25));
}

/// A decompression begins where compression ended, at rest: its sizes are those of the impulses that it has to return.
#[test]
fn floors_of_impulses_are_sizes_too() {
    let step = Step { h: 0.0, v: [1e-17, 0.0, 0.0], ..Step::new() };
    let view = step.view();
    let mut rigid = RigidStep::new(MotionModel::Dynamic, FrictionLaw::Pyramid(4), Space::Planar);
    let Problem::Mlcp(p) = rigid.formulate_above(&view, &[3.0], |_, _| 0.0).unwrap() else {
        panic!("no mixed LCP")
    };
    let normal = row(&p, Part::Normal);
    assert_eq!(p.lower[normal], 3.0);
    assert!((p.z_scale[normal] - 3.0).abs() < 1e-15, "{}", p.z_scale[normal]);
    assert!((p.w_scale[normal] - 3.0 / MASS).abs() < 1e-15, "{}", p.w_scale[normal]);
}

/// A support point's impulse is h μ N; its load counts for the typical impulse of the step.
#[test]
fn support_points_have_the_size_of_their_discs() {
    let xy = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let one = Step { supports: sparse(&xy), bound: vec![50.0], ..Step::new() };
    assert_eq!(one.scales(0.0, Part::Support), (5.0, 1.0));
    assert_eq!(one.scales(0.0, Part::SupportSlip), (1.0, 5.0));
    // A point without load has no size of its own: the largest impulse, which here is another point's.
    let pair = [xy[0], xy[1], xy[0], xy[1]];
    let two = Step { supports: sparse(&pair), bound: vec![0.0, 50.0], ..Step::new() };
    assert_eq!(two.scales(0.0, Part::Support), (5.0, 1.0));
    // Each has the size of its own disc, not of the largest.
    let unequal = Step { supports: sparse(&pair), bound: vec![15.0, 50.0], ..Step::new() };
    assert_eq!(unequal.scales(0.0, Part::Support), (1.5, 1.0));
    assert_eq!(unequal.scales(0.0, Part::SupportSlip), (1.0, 1.5));
    let unloaded = Step { supports: sparse(&xy), bound: vec![0.0], ..Step::new() };
    assert_eq!(unloaded.scales(0.0, Part::Support), (2.0, 1.0));
    // Its disc stays what it is.
    unloaded.look(0.0, |p| assert_eq!(p.q[row(p, Part::SupportSlip)], 0.0));
    one.look(0.0, |p| assert_eq!(p.q[row(p, Part::SupportSlip)], 5.0));
}

/// The constant cancels to `left` m/s between a gap rate and a prescribed approach of 3 m/s.
fn left(step: &Step, left: f64) -> f64 {
    step.constant(3.0 + left)
}

/// A gap that commanded motion just closes leaves no constant: 4 ε of the terms, 2 · 3 m/s.
#[test]
fn what_two_rates_leave_of_each_other_is_rounding() {
    let step = Step::prescribed([0.0, -3.0, 0.0]);
    let epsilon = 4.0 * f64::EPSILON * 6.0;
    for sign in [1.0, -1.0] {
        assert_eq!(left(&step, sign * 0.5 * epsilon), 0.0);
        let kept = left(&step, sign * 3.0 * epsilon);
        assert!((kept - sign * 3.0 * epsilon).abs() < 0.5 * epsilon, "{kept:e}");
    }
    // The terms are those of the row: a large velocity that the normal does not see is none.
    let sideways = Step::prescribed([1e6, -3.0, 0.0]);
    assert!(left(&sideways, 3.0 * epsilon) != 0.0);
    // Terms that cancel each other within the row count with their sizes: 2e6 · 0.5 against −1e6.
    let turning = Step::prescribed([0.0, -1e6 - 3.0, 2e6]);
    assert_eq!(left(&turning, 1e-10), 0.0);
    assert!(left(&turning, 1e-8) != 0.0);
}

/// A gap is a difference of coordinates: points 200 m from the origin leave 4 ε · 200/h m/s.
#[test]
fn gaps_far_from_the_origin_have_the_rounding_of_their_coordinates() {
    let epsilon = 4.0 * f64::EPSILON * 200.0 / 0.1;
    for k in 0..3 {
        let mut far = [0.0; 3];
        far[k] = if k == 1 { -200.0 } else { 200.0 };
        for step in [
            Step { point_a: far, ..Step::prescribed([0.0, -3.0, 0.0]) },
            Step { point_b: far, ..Step::prescribed([0.0, -3.0, 0.0]) },
        ] {
            assert_eq!(left(&step, -0.9 * epsilon), 0.0);
            assert!(left(&step, -1.5 * epsilon) != 0.0);
            // A step ten times as short has gaps ten times as coarse in its rates; an impact has none.
            assert_eq!(left(&Step { h: 0.01, ..step }, -9.0 * epsilon), 0.0);
        }
        let impact = Step { h: 0.0, point_a: far, ..Step::prescribed([0.0, -3.0, 0.0]) };
        assert!(left(&impact, -0.9 * epsilon) != 0.0);
    }
}

/// A real gap, or a real approach, is never rounded away, however small the step.
#[test]
fn motion_that_is_there_stays() {
    let free = Step::new();
    assert_eq!(free.constant(1e-6), 1e-6);
    assert_eq!(free.constant(-1e-12), -1e-12);
}
