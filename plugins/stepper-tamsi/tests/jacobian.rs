//! The root problem of a step with everything in it, by hand: derivatives by differences, rows, misuse.
#![allow(clippy::unwrap_used)]

use vinci_sdk::core::stage::Supports;
use vinci_sdk::prelude::*;
use vinci_stepper_tamsi::Tamsi;

const N: usize = 6;

/// Numbers in (−1, 1) without a pattern.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn dense(&mut self, rows: usize) -> CsrBuf {
        let mut m = CsrBuf::default();
        m.clear(N);
        for _ in 0..rows {
            (0..N).for_each(|j| m.push(j, self.next()));
            m.end_row();
        }
        m
    }
}

/// A tree of six velocities (the last one prescribed) with three contacts in space, a support point, and three rows: a joint, a
/// limit, dry friction.
struct World {
    mass: Vec<f64>,
    contacts: CsrBuf,
    supports: CsrBuf,
    rows: CsrBuf,
    v: Vec<f64>,
    stiffness: Vec<f64>,
    dissipation: Vec<f64>,
}

impl World {
    fn new() -> Self {
        let mut numbers = Numbers(7);
        let mut mass: Vec<f64> = (0..N * N).map(|_| 0.1 * numbers.next()).collect();
        for i in 0..N {
            for j in 0..i {
                mass[i * N + j] = mass[j * N + i];
            }
            mass[i * N + i] = 1.0 + 0.2 * i as f64;
        }
        Self {
            mass,
            contacts: numbers.dense(9),
            supports: numbers.dense(2),
            rows: numbers.dense(3),
            v: (0..N).map(|_| 1e-3 * numbers.next()).collect(),
            stiffness: vec![1e4, 2e4, 5e3],
            dissipation: vec![10.0, 0.0, 3.0],
        }
    }

    fn with_view<R>(&self, body: impl FnOnce(&StepView<'_>) -> R) -> R {
        let zeros = [0.0; N * N];
        let key = |k| ContactKey { shape_a: 0, shape_b: 1, feature_a: k, feature_b: 0 };
        let infinite = f64::INFINITY;
        body(&StepView {
            step: 0,
            pass: 0,
            attempt: 0,
            t: 0.0,
            h: 1e-3,
            space: Space::Spatial,
            tolerance: 1e-8,
            q: &zeros[..N],
            v: &self.v,
            block_start: &[0, 6],
            q_start: &[0, 6],
            block_kind: &[BlockKind::Tree as u8],
            quaternion: &[],
            motion: &[MotionModel::Dynamic as u8],
            mass: &self.mass,
            drag: &zeros,
            force: &[1.0, -2.0, 0.5, -9.0, 3.0, 0.0],
            bias: &zeros[..N],
            stiffness: Csr::default(),
            viscosity: Csr::default(),
            role: &[0, 0, 0, 0, 0, DofRole::Prescribed as u8],
            command: &[0.0, 0.0, 0.0, 0.0, 0.0, 2e-3],
            impedance: &zeros[..N],
            contacts: Contacts {
                n_t: 2,
                key: &[key(0), key(1), key(2)],
                body_a: &[0, 0, 0],
                body_b: &[1, 1, 1],
                gap: &[-1e-3, -2e-4, 1e-7],
                normal: &zeros[..9],
                tangent: &zeros[..18],
                point_a: &zeros[..9],
                point_b: &zeros[..9],
                jacobian: self.contacts.view(),
                pair: PairValues {
                    friction: &[0.5, 1.2, 0.8],
                    stiffness: &self.stiffness,
                    dissipation: &self.dissipation,
                    ..PairValues::<()>::default().map(|()| &zeros[..3])
                },
                last_impulse: &zeros[..9],
                age: &[0, 0, 0],
                group: &[],
                cell: &[],
            },
            rows: Rows {
                jacobian: self.rows.view(),
                rate: &[1e-4, -2e-4, 0.0],
                lower: &[-infinite, 0.0, -4e-4],
                upper: &[infinite, infinite, 4e-4],
            },
            rows_middle: Csr::default(),
            rows_end: Csr::default(),
            supports: Supports {
                body: &[1],
                point: &[0.0, 0.0],
                jacobian: self.supports.view(),
                load: &[2.0],
                bound: &[0.7],
                last_impulse: &[0.0, 0.0],
            },
            force_rate: &[],
            drive_speed: &[],
        })
    }
}

fn tamsi(options: &str) -> Result<Tamsi, StageError> {
    let system = SystemView {
        space: Space::Spatial,
        body_names: &["ground", "arm"],
        is_static: &[1, 0],
        shapes: &[],
        ignored_pairs: &[],
        nv: 6,
        nq: 6,
        ..SystemView::NOTHING
    };
    Tamsi::create(options, &system)
}

fn call(p: &Root<'_>, what: u32, input: &[f64], gives: usize) -> Vec<f64> {
    let mut output = vec![f64::NAN; gives];
    p.oracle.call(what, input, &mut output).unwrap();
    output
}

/// A root by the plain method: the problem's Jacobian, the problem's limit.
fn root(p: &Root<'_>) -> Vec<f64> {
    let (n, mut x) = (p.start.len(), p.start.to_vec());
    for _ in 0..100 {
        let mut a = call(p, Root::JACOBIAN, &x, n * n);
        let mut b: Vec<f64> = call(p, Root::RESIDUAL, &x, n).iter().map(|r| -r).collect();
        eliminate(&mut a, &mut b);
        let alpha = call(p, Root::LIMIT, &[x.clone(), b.clone()].concat(), 1)[0];
        assert!(alpha > 0.0 && alpha <= 1.0, "{alpha}");
        x.iter_mut().zip(&b).for_each(|(x, d)| *x += alpha * d);
        if p.residual(&x) < 1e-12 {
            return x;
        }
    }
    panic!("no root: {:e}", p.residual(&x));
}

/// b ← A⁻¹ b by Gauss with pivots.
fn eliminate(a: &mut [f64], b: &mut [f64]) {
    let n = b.len();
    for k in 0..n {
        let p = (k..n).max_by(|i, j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs())).unwrap();
        (0..n).for_each(|j| a.swap(k * n + j, p * n + j));
        b.swap(k, p);
        for i in (0..n).filter(|i| *i != k) {
            let f = a[i * n + k] / a[k * n + k];
            (k..n).for_each(|j| a[i * n + j] -= f * a[k * n + j]);
            b[i] -= f * b[k];
        }
    }
    (0..n).for_each(|k| b[k] /= a[k * n + k]);
}

#[test]
fn the_jacobian_agrees_with_differences_with_everything_in_it() {
    let world = World::new();
    for coupling in ["two-way", "one-way"] {
        for law in ["linear", "quadratic"] {
            for norm in ["exact", "soft"] {
                let options = format!(r#"{{"coupling": "{coupling}", "law": "{law}", "norm": "{norm}"}}"#);
                let mut stepper = tamsi(&options).unwrap();
                world.with_view(|view| {
                    let Problem::Root(p) = stepper.formulate(view).unwrap() else { panic!("a root problem") };
                    assert_eq!(p.start.len(), 7, "five velocities, a joint, a limit");
                    let mut numbers = Numbers(3);
                    // Sliding, sticking, and with either sign of the limit.
                    for size in [1e-2, 1e-3, 2e-5] {
                        let x: Vec<f64> = (0..7).map(|_| size * numbers.next()).collect();
                        differences(&p, &x, &options);
                    }
                });
            }
        }
    }
}

fn differences(p: &Root<'_>, x: &[f64], what: &str) {
    let n = x.len();
    let jacobian = call(p, Root::JACOBIAN, x, n * n);
    let largest = jacobian.iter().fold(0.0_f64, |m, a| m.max(a.abs()));
    let e = 1e-10;
    for j in 0..n {
        let moved = |d: f64| {
            let mut y = x.to_vec();
            y[j] += d;
            call(p, Root::RESIDUAL, &y, n)
        };
        let (ahead, behind) = (moved(e), moved(-e));
        for i in 0..n {
            let difference = (ahead[i] - behind[i]) / (2.0 * e);
            let error = (jacobian[i * n + j] - difference).abs();
            assert!(
                error < 1e-4 * largest.max(1.0),
                "{what}: ({i}, {j}) {} {difference}",
                jacobian[i * n + j]
            );
        }
    }
}

#[test]
fn at_the_root_rows_hold_and_the_balance_has_all_impulses() {
    let world = World::new();
    for options in ["{}", r#"{"coupling": "one-way"}"#, r#"{"line_circle": "exact", "law": "quadratic"}"#] {
        let mut stepper = tamsi(options).unwrap();
        world.with_view(|view| {
            let z = {
                let Problem::Root(p) = stepper.formulate(view).unwrap() else { panic!("a root problem") };
                root(&p)
            };
            let u = stepper
                .update(view, &Solution { status: Status::Converged, z: &z, ..Solution::default() })
                .unwrap();
            assert_eq!((u.verdict, u.v[5]), (Verdict::Accept, 2e-3));
            let rate = |k: usize| world.rows.view().row_dot(k, u.v) + view.rows.rate[k];
            // Rows give by 1e-9 p/m; the effective masses are of the order of 1 kg.
            let gives = rate(0) / u.row_impulse[0];
            assert!((-1e-8..=-1e-10).contains(&gives), "the joint holds: {}", rate(0));
            let (p, w) = (u.row_impulse[1], rate(1));
            assert!(p >= 0.0 && w >= -1e-8 * p && p * w.max(0.0) < 1e-14, "the limit: {p} {w}");
            // Dry friction: −b u(w/v_s).
            let full = |w: f64| if options.contains("quadratic") { w * (2.0 - w.abs()) } else { w };
            let expected = -4e-4 * full((rate(2) / 1e-4).clamp(-1.0, 1.0));
            assert!((u.row_impulse[2] - expected).abs() < 1e-15, "{} {expected}", u.row_impulse[2]);
            assert!(u.support_impulse[0].hypot(u.support_impulse[1]) <= 0.7e-3 * (1.0 + 1e-12));
            // M (v⁺ − v) − h f − all Jᵀ p, over free velocities.
            let mut r: Vec<f64> = (0..N)
                .map(|i| {
                    let change = |j: usize| world.mass[i * N + j] * (u.v[j] - view.v[j]);
                    (0..N).map(change).sum::<f64>() - view.h * view.force[i]
                })
                .collect();
            let terms = [
                (&world.contacts, u.impulse),
                (&world.supports, u.support_impulse),
                (&world.rows, u.row_impulse),
            ];
            for (jacobian, impulse) in terms {
                impulse.iter().enumerate().for_each(|(k, p)| jacobian.view().add_row_scaled(k, -p, &mut r));
            }
            assert!(r[..5].iter().all(|r| r.abs() < 1e-13), "{r:?}");
            assert!((r[5] - u.effort[5]).abs() < 1e-15 && u.effort[..5] == [0.0; 5]);
        });
    }
}

#[test]
fn a_problem_says_what_it_knows() {
    let mut world = World::new();
    let mut stepper = tamsi(r#"{"coupling": "one-way"}"#).unwrap();
    let traits = |stepper: &mut Tamsi, view: &StepView<'_>| {
        let Problem::Root(p) = stepper.formulate(view).unwrap() else { panic!("a root problem") };
        call(&p, Root::TRAITS, p.start, 2)
    };
    // The joint makes a saddle of it.
    assert_eq!(world.with_view(|view| traits(&mut stepper, view)), [1.0, 0.0]);
    let bare = |view: &StepView<'_>| traits(&mut stepper, &StepView { rows: Rows::default(), ..*view });
    assert_eq!(world.with_view(bare), [1.0, 1.0]);
    world.stiffness[1] = f64::INFINITY;
    let refusal = |world: &World| world.with_view(|view| tamsi("{}").unwrap().formulate(view).err().unwrap());
    assert_eq!(
        refusal(&world).message,
        "the contact between `ground` and `arm` is rigid, and TAMSI has forces from penetration only: give one of their \
         materials, or the pair, a finite `stiffness` (N/m), or choose stewart-trinkle"
    );
    assert_eq!(refusal(&world).kind, ErrorKind::BadModel);
    world.stiffness[1] = 0.0;
    let text = "`stiffness` must be greater than 0 N/m, found 0 for the contact between `ground` and `arm`";
    assert_eq!(refusal(&world).message, text);
    world.stiffness[1] = 1.0;
    world.dissipation[2] = -1.0;
    let text = "`dissipation` must be finite and at least 0 s/m, found -1 for the contact between `ground` and `arm`";
    assert_eq!(refusal(&world).message, text);
}

#[test]
fn bad_options_are_named() {
    for (options, expected) in [
        (
            r#"{"stiction_velocity": 0}"#,
            "stiction_velocity must be a speed in m/s, finite and greater than 0, found 0",
        ),
        (
            r#"{"stiction_tolerance": 0.5}"#,
            "stiction_tolerance must be a part of v_s, finite and greater than 0 and at most 0.25, found 0.5",
        ),
        (
            r#"{"theta_max": 2}"#,
            "theta_max must be an angle in rad, finite and greater than 0 and at most 1.5707963267948966, found 2",
        ),
        (r#"{"max_halvings": 41}"#, "max_halvings must be at most 40, found 41"),
        (r#"{"grow_after": 0}"#, "grow_after must be at least 1, found 0"),
    ] {
        let error = tamsi(options).err().unwrap();
        assert_eq!((error.kind, error.message.as_str()), (ErrorKind::BadOption, expected));
    }
    let error = tamsi(r#"{"law": "cubic"}"#).err().unwrap();
    assert!(
        error.message.contains("unknown variant `cubic`, expected `linear` or `quadratic`"),
        "{}",
        error.message
    );
}

#[test]
fn failures_halve_the_step_until_no_more_and_other_solutions_are_refused() {
    let world = World::new();
    let mut stepper = tamsi(r#"{"max_halvings": 2}"#).unwrap();
    let failed = Solution { status: Status::MaxIterations, ..Solution::default() };
    world.with_view(|view| {
        let of = |h: f64| StepView { h, ..*view };
        for (h, half) in [(1e-3, 5e-4), (5e-4, 2.5e-4)] {
            stepper.formulate(&of(h)).map(|_| ()).unwrap();
            let u = stepper.update(&of(h), &failed).unwrap();
            assert_eq!((u.verdict, u.h_next), (Verdict::Retry, half));
        }
        // Beside rows a short step is asked of the host: bounds of dry friction and rates of limits are those of a step.
        stepper.formulate(&of(1e-3)).map(|_| ()).unwrap();
        let u = stepper.update(&of(1e-3), &failed).unwrap();
        assert_eq!((u.verdict, u.h_next), (Verdict::Retry, 2.5e-4));
        let view = &of(2.5e-4);
        let mut state = Vec::new();
        stepper.save_state(&mut state);
        stepper.formulate(view).map(|_| ()).unwrap();
        assert_eq!(stepper.update(view, &failed).unwrap().verdict, Verdict::Fail);
        stepper.load_state(&state).unwrap();
        assert!(stepper.load_state(&state[1..]).is_err());
        stepper.formulate(view).map(|_| ()).unwrap();
        let short = Solution { status: Status::Converged, z: &[0.0; 3], ..Solution::default() };
        let error = stepper.update(view, &short).err().unwrap();
        assert_eq!(
            error.message,
            "the solution has 3 numbers for the 7 unknowns of the step that was formulated"
        );
    });
}

/// A joint and a limit that ask for different velocities of one dof: the compliance alone would make them solvable.
#[test]
fn rows_that_contradict_each_other_fail() {
    let mut world = World::new();
    let mut jacobian = CsrBuf::default();
    jacobian.clear(N);
    for _ in 0..2 {
        jacobian.push(0, 1.0);
        jacobian.end_row();
    }
    world.rows = jacobian;
    let mut stepper = tamsi("{}").unwrap();
    let infinite = [f64::INFINITY; 2];
    let free = [f64::NEG_INFINITY; 2];
    for (rate, verdict) in [([0.1, 0.1], Verdict::Accept), ([0.1, -0.1], Verdict::Fail)] {
        world.with_view(|view| {
            let rows = Rows { jacobian: world.rows.view(), rate: &rate, lower: &free, upper: &infinite };
            let view = StepView { rows, ..*view };
            let z = {
                let Problem::Root(p) = stepper.formulate(&view).unwrap() else { panic!("a root problem") };
                root(&p)
            };
            let u = stepper
                .update(&view, &Solution { status: Status::Converged, z: &z, ..Solution::default() })
                .unwrap();
            assert_eq!(u.verdict, verdict, "{}", u.reason);
            if verdict == Verdict::Fail {
                assert_eq!(
                    u.reason,
                    "row 0 of the joints and limits contradicts others or a drive: no motion obeys all"
                );
            }
        });
    }
}

/// Rows over these velocities alone.
fn rows_over(numbers: &mut Numbers, columns: &[&[usize]]) -> CsrBuf {
    let mut m = CsrBuf::default();
    m.clear(N);
    for row in columns {
        row.iter().for_each(|&j| m.push(j, numbers.next()));
        m.end_row();
    }
    m
}

/// Three bodies of two velocities (the last one prescribed): contacts of the first two, of the second alone and of the last, a
/// support point of the second, a joint of the first two, a limit of the last, dry friction of the first.
fn three_bodies() -> World {
    let mut numbers = Numbers(11);
    let mut world = World::new();
    world.mass = vec![2.0, 0.3, 0.3, 1.0, 1.0, -0.2, -0.2, 3.0, 1.5, 0.1, 0.1, 1.0];
    let (ab, b, c): (&[usize], &[usize], &[usize]) = (&[0, 1, 2, 3], &[2, 3], &[4, 5]);
    world.contacts = rows_over(&mut numbers, &[ab, ab, ab, b, b, b, c, c, c]);
    world.supports = rows_over(&mut numbers, &[b, b]);
    world.rows = rows_over(&mut numbers, &[ab, c, &[1]]);
    world
}

#[test]
fn the_sparse_jacobian_is_the_dense_one_to_the_bit() {
    let (tree, bodies) = (World::new(), three_bodies());
    let of_bodies = |view: &StepView<'_>, check: &mut dyn FnMut(&StepView<'_>)| {
        check(&StepView {
            block_start: &[0, 2, 4, 6],
            q_start: &[0, 2, 4, 6],
            block_kind: &[BlockKind::Tree as u8; 3],
            motion: &[MotionModel::Dynamic as u8; 3],
            drag: &[0.0; 12],
            ..*view
        });
    };
    for options in ["{}", r#"{"coupling": "one-way"}"#] {
        // One tree stores all of its 7 × 7. Of the bodies the first two, with the joint, are 5 unknowns, the last, with its
        // limit, 2: one velocity is prescribed.
        tree.with_view(|view| assert_eq!(compare_jacobians(options, view), 49));
        bodies.with_view(|view| {
            of_bodies(view, &mut |view| assert_eq!(compare_jacobians(options, view), 5 * 5 + 2 * 2));
            // Without the joint and the contact between them the first two stand alone, too.
            let mut apart = three_bodies();
            apart.contacts =
                rows_over(&mut Numbers(5), &[&[0, 1], &[0, 1], &[0, 1], &[2], &[2], &[2], &[4], &[4], &[4]]);
            apart.rows = rows_over(&mut Numbers(6), &[&[1], &[4], &[1]]);
            let (contacts, rows) = (apart.contacts.view(), apart.rows.view());
            let view = StepView {
                contacts: Contacts { jacobian: contacts, ..view.contacts },
                rows: Rows { jacobian: rows, ..view.rows },
                ..*view
            };
            of_bodies(&view, &mut |view| assert_eq!(compare_jacobians(options, view), 3 * 3 + 2 * 2 + 2 * 2));
        });
    }
}

/// Compares VALUES with JACOBIAN at some places; the number of entries.
fn compare_jacobians(options: &str, view: &StepView<'_>) -> usize {
    let mut stepper = tamsi(options).unwrap();
    let Problem::Root(p) = stepper.formulate(view).unwrap() else { panic!("a root problem") };
    let (n, mut numbers) = (p.start.len(), Numbers(3));
    let entries = call(&p, Root::ENTRIES, p.start, 1)[0] as usize;
    let pattern: Vec<usize> =
        call(&p, Root::PATTERN, p.start, n + 1 + entries).iter().map(|x| *x as usize).collect();
    let (starts, columns) = pattern.split_at(n + 1);
    let row = |i: usize| &columns[starts[i]..starts[i + 1]];
    assert!(
        (0..n).all(|i| row(i).contains(&i) && row(i).iter().all(|&j| row(j).contains(&i))),
        "{columns:?}"
    );
    for size in [1e-2, 1e-3, 2e-5] {
        let x: Vec<f64> = (0..n).map(|_| size * numbers.next()).collect();
        let mut dense = call(&p, Root::JACOBIAN, &x, n * n);
        let values = call(&p, Root::VALUES, &x, entries);
        for i in 0..n {
            for (k, &j) in (starts[i]..starts[i + 1]).zip(row(i)) {
                assert_eq!(values[k].to_bits(), dense[i * n + j].to_bits(), "({i}, {j})");
                dense[i * n + j] = 0.0;
            }
        }
        assert!(dense.iter().all(|x| *x == 0.0), "something stands beside the pattern");
    }
    entries
}
