//! Trees as blocks of a system: what contacts, springs, joints, limits and couplers see of links is the derivative of
//! where links are, and what a system computes of a tree is what the tree says.

use nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector3};
use vinci_core::contact::{ContactBuf, ContactKey, ContactMemory, RawContacts};
use vinci_core::model::{
    Anchor, Applied, Body, Coupler, DofRole, Dynamics, Foresight, Frames, Gyroscopic, JointRows,
    MassProperties, Material, MaterialTable, Method, Pair, Parts, PointJoint, RowOwner, RowStep, Shape,
    ShapeKind, Space, Spring, System, TreePart,
};
use vinci_core::state::integrate;
use vinci_core::tree::{Joint, JointKind, Limits, Link, Tree, TreeState};

const H: f64 = 1e-3;

/// A base that slides, a ball joint, two hinges on it side by side: links 0 … 3.
fn tree() -> Tree {
    let link = |name: &str, m: f64| Link {
        name: name.into(),
        mass: m,
        com: Vector3::new(0.1, -0.05, 0.2),
        inertia: Matrix3::from_diagonal(&Vector3::new(0.02, 0.03, 0.04)),
    };
    let frame = |x: f64, y: f64, z: f64| {
        let turned = UnitQuaternion::from_scaled_axis(Vector3::new(0.3 * z, 0.2, -0.1));
        Isometry3::from_parts(Translation3::new(x, y, z), turned)
    };
    let joint = |name: &str, kind, parent, frame| Joint { frame, ..Joint::new(name, kind, parent) };
    let hinge = |name: &str, frame| Joint {
        axis: Vector3::y(),
        limits: Some(Limits { lower: -0.5, upper: 0.75 }),
        damping: 0.4,
        friction: 2.0,
        rotor_inertia: 0.01,
        gear_ratio: 3.0,
        ..joint(name, JointKind::Revolute, Some(1), frame)
    };
    let joints = vec![
        joint("slide", JointKind::Prismatic, None, frame(0.0, 0.1, 0.2)),
        joint("ball", JointKind::Ball, Some(0), frame(0.2, 0.0, 0.3)),
        hinge("left", frame(0.3, 0.2, 0.1)),
        hinge("right", frame(0.3, -0.2, 0.1)),
    ];
    Tree::new("arm", vec![link("a", 1.0), link("b", 0.8), link("c", 0.5), link("d", 0.6)], joints).unwrap()
}

fn body(name: &str, is_static: bool, dofs: usize) -> Body {
    Body {
        name: name.into(),
        mass: MassProperties::spatial(0.7, Vector3::new(0.01, 0.02, 0.025)),
        is_static,
        role: vec![DofRole::Free; dofs],
        impedance: vec![0.0; dofs],
        motion: None,
        drag: vec![0.0; dofs],
        damping: vec![0.0; dofs],
        gravity: true,
    }
}

/// The tree's links are bodies 0 … 3; 4 is a free body, 5 the ground.
fn system() -> System {
    let tree = tree();
    let (nq, nv) = (tree.nq(), tree.nv());
    let mut bodies: Vec<Body> =
        tree.links().iter().map(|l| body(&format!("arm/{}", l.name), false, 0)).collect();
    bodies.extend([body("free", false, 6), body("ground", true, 6)]);
    let ball = |body| Shape {
        kind: ShapeKind::Ball,
        body,
        material: 0,
        pose: vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        params: vec![0.1],
        indices: vec![],
    };
    let values = Pair { friction: 0.5, stiffness: 1e3, dissipation: 1.5, ..Pair::NEUTRAL };
    let material = Material { name: "m".into(), values };
    let at = |body, x: f64| Anchor::Body(body, Vector3::new(x, 0.1, -0.2));
    let mut q = tree.neutral_q();
    q[0] = 0.1;
    let part = TreePart {
        tree,
        bodies: vec![0, 1, 2, 3],
        q,
        v: vec![0.0; nv],
        role: vec![DofRole::Free; nv],
        impedance: vec![0.0; nv],
        drag: vec![0.5; nv],
        motion: None,
        gravity: true,
    };
    assert_eq!((nq, nv), (7, 6));
    System::new(Parts {
        space: Space::Spatial,
        gravity: Vector3::new(0.0, 0.0, -9.81),
        bodies,
        shapes: (0..6).map(ball).collect(),
        materials: MaterialTable { materials: vec![material], ..MaterialTable::default() },
        springs: vec![Spring {
            name: "s".into(),
            a: at(2, 0.3),
            b: at(3, -0.1),
            stiffness: 40.0,
            damping: 0.0,
            rest_length: 0.05,
        }],
        torsion_springs: vec![],
        joints: vec![PointJoint {
            name: "loop".into(),
            a: at(2, 0.1),
            b: at(3, 0.2),
            stabilization: 0.25,
            along: [true, false, true],
        }],
        supports: vec![],
        trees: vec![part],
        couplers: vec![Coupler {
            name: "c".into(),
            joints: [(0, 4), (0, 5)],
            ratio: -2.0,
            offset: 0.3,
            stabilization: 0.5,
        }],
        ignored_pairs: vec![],
        initial_pose: vec![vec![0.5, 0.2, 1.0, 1.0, 0.0, 0.0, 0.0]; 6],
        initial_velocity: vec![vec![0.0; 6]; 6],
    })
    .unwrap()
}

/// A state away from everything special: the free body first, then the tree.
fn state(system: &System) -> (Vec<f64>, Vec<f64>) {
    let wobble = |k: usize| ((1 + k) as f64 * 0.7).sin();
    let v: Vec<f64> = (0..system.nv()).map(|k| 0.8 * wobble(k)).collect();
    let mut q = vec![0.0; system.nq()];
    integrate(&system.layout(), &system.initial_q(), &v, 0.4, &mut q);
    (q, (0..system.nv()).map(|k| wobble(k + 3)).collect())
}

/// d/dt of `f` along q ⊕ t v at t = 0, by central differences.
fn rate<const N: usize>(system: &System, q: &[f64], v: &[f64], f: impl Fn(&Frames) -> [f64; N]) -> [f64; N] {
    let tau = 1e-6;
    let [ahead, behind] = [tau, -tau].map(|t| {
        let mut there = vec![0.0; q.len()];
        integrate(&system.layout(), q, v, t, &mut there);
        f(&system.placed(&there))
    });
    std::array::from_fn(|i| (ahead[i] - behind[i]) / (2.0 * tau))
}

#[test]
fn links_follow_the_free_bodies_in_q_and_v() {
    let system = system();
    assert_eq!((system.n_blocks(), system.nv(), system.nq()), (2, 12, 14));
    assert_eq!(system.layout().quaternion, &[8, 7], "the ball's, after the slide's one coordinate");
    assert_eq!((system.block_name(0), system.block_name(1)), ("free", "arm"));
    assert!(system.body_of(1).is_none() && system.first_velocity(2).is_none());
    assert_eq!(system.block_of(2), Some(1));
}

/// Contacts between two links of one tree share columns; the rows give the rates of relative positions.
#[test]
fn contact_rows_are_rates_of_points_of_links() {
    let system = system();
    let (q, v) = state(&system);
    let frames = system.placed(&q);
    for (a, b) in [(2_u32, 3_u32), (1, 2), (3, 5), (4, 2), (5, 4)] {
        let local = [Vector3::new(0.1, 0.02, 0.0), Vector3::new(-0.03, 0.1, 0.05)];
        let points = [frames.point(a, &local[0]), frames.point(b, &local[1])];
        let normal = Vector3::new(0.6, 0.0, 0.8);
        let key = [ContactKey { shape_a: a, shape_b: b, feature_a: 0, feature_b: 0 }];
        let raw = RawContacts {
            key: &key,
            gap: &[-0.01],
            normal: normal.as_slice(),
            point_a: points[0].as_slice(),
            point_b: points[1].as_slice(),
            group: &[],
        };
        let mut buf = ContactBuf::default();
        buf.fill(&system, &frames, &v, &raw, &ContactMemory::default()).unwrap();
        let contacts = buf.view();
        assert_eq!(contacts.pair.dissipation, &[1.5]);
        let moved = rate(&system, &q, &v, |f| {
            let d = f.point(b, &local[1]) - f.point(a, &local[0]);
            [d.x, d.y, d.z]
        });
        let directions = [normal, vector(&contacts.tangent[..3]), vector(&contacts.tangent[3..6])];
        for (row, d) in directions.iter().enumerate() {
            let found = contacts.jacobian.row_dot(row, &v);
            assert!((found - d.dot(&Vector3::from(moved))).abs() < 1e-8, "{a} {b} row {row}: {found}");
            let mut columns: Vec<usize> = contacts.jacobian.entries(row).map(|e| e.0).collect();
            columns.sort_unstable();
            assert!(columns.windows(2).all(|w| w[0] < w[1]), "a column twice: {columns:?}");
        }
    }
}

fn vector(x: &[f64]) -> Vector3<f64> {
    Vector3::new(x[0], x[1], x[2])
}

#[test]
fn rows_of_loops_couplers_limits_and_friction() {
    let system = system();
    let (mut q, v) = state(&system);
    // The left hinge is 0.1 beyond its upper limit, the right one 0.001 above its lower one.
    (q[12], q[13]) = (0.85, -0.499);
    let (frames, mut rows) = (system.placed(&q), JointRows::default());
    rows.fill(&system, &frames, &RowStep { q: &q, speed: &v, h: H, grid: 2.0 * H, returns: true });
    let owners = [
        RowOwner::Joint(0),
        RowOwner::Joint(0),
        RowOwner::Coupler(0),
        RowOwner::Friction(0, 4),
        RowOwner::Upper(0, 4),
        RowOwner::Friction(0, 5),
        RowOwner::Lower(0, 5),
    ];
    assert_eq!(rows.owners(), &owners);
    let view = rows.view();
    let point = |f: &Frames, body, x| f.point(body, &Vector3::new(x, 0.1, -0.2));
    let phi = |f: &Frames| {
        let d = point(f, 3, 0.2) - point(f, 2, 0.1);
        [d.x, d.z]
    };
    let (here, moving) = (phi(&frames), rate(&system, &q, &v, phi));
    for k in 0..2 {
        assert!((view.jacobian.row_dot(k, &v) - moving[k]).abs() < 1e-8);
        assert!((view.rate[k] - 0.25 / (2.0 * H) * here[k]).abs() < 1e-12);
    }
    assert!((view.jacobian.row_dot(2, &v) - (v[10] + 2.0 * v[11])).abs() < 1e-15);
    assert!((view.rate[2] - 0.5 / (2.0 * H) * (0.85 + 2.0 * -0.499 - 0.3)).abs() < 1e-12);
    // Friction of 2 N m over H; it opposes: p = lower where the rate is positive.
    assert_eq!((view.lower[3], view.upper[3], view.rate[3]), (-2.0 * H, 2.0 * H, 0.0));
    assert_eq!((view.lower[4], view.upper[4]), (0.0, f64::INFINITY));
    assert_eq!(view.jacobian.row_dot(4, &v), -v[10]);
    assert!(
        (view.rate[4] - 0.2 * (0.75 - 0.85) / (2.0 * H)).abs() < 1e-12,
        "beyond: a part of the way per step"
    );
    assert_eq!(view.jacobian.row_dot(6, &v), v[11]);
    assert!((view.rate[6] - 0.001 / H).abs() < 1e-9, "in sight: the whole way within the step");
    let (lower, upper) = (&view.lower[..3], &view.upper[..3]);
    assert!(lower.iter().all(|l| *l == f64::NEG_INFINITY) && upper.iter().all(|u| *u == f64::INFINITY));
    // In the middle of its range a limit is no row.
    (q[12], q[13]) = (0.1, 0.1);
    rows.fill(&system, &system.placed(&q), &RowStep { q: &q, speed: &v, h: H, grid: H, returns: true });
    assert!(!rows.owners().iter().any(|o| matches!(o, RowOwner::Lower(..) | RowOwner::Upper(..))));
}

#[test]
fn a_system_computes_what_its_tree_says() {
    let system = system();
    let (q, v) = state(&system);
    let (mut frames, mut out) = (system.placed(&q), Dynamics::default());
    let method = Method { gyroscopic: Gyroscopic::Explicit, h: H, second_order: false };
    let (applied, stiffness) = (vec![0.25; 12], vec![7.0; 12]);
    let drives = Applied { force: &applied, stiffness: &stiffness, viscosity: &[] };
    system.evaluate(&q, &v, &mut frames, &drives, method, &mut out);
    let (tree, mut alone) = (tree(), TreeState::default());
    let (mut mass, mut bias, mut force) = (vec![0.0; 36], vec![0.0; 6], vec![0.25; 6]);
    alone.update(&tree, &q[7..]);
    alone.mass(&tree, &mut mass);
    alone.bias(&tree, &v[6..], &mut bias);
    alone.gravity(&tree, &system.gravity, &mut force);
    assert_eq!((&out.mass[36..], &out.bias[6..]), (&mass[..], &bias[..]));
    // The rest of the force is the spring's and the dampers': virtual work says what.
    (4..6).for_each(|k| force[k] -= 0.4 * v[6 + k]);
    let energy = |f: &Frames| [system.springs[0].energy(&(f.point(3, &at(-0.1)) - f.point(2, &at(0.3))))];
    for k in 0..6 {
        let mut unit = vec![0.0; 12];
        unit[6 + k] = 1.0;
        let spring = -rate(&system, &q, &unit, energy)[0];
        assert!((out.force[6 + k] - force[k] - spring).abs() < 1e-7, "{k}");
    }
    for dof in 6..12 {
        let own = out.stiffness.view().entries(dof).find(|e| e.0 == dof).unwrap().1;
        assert!(own >= 7.0, "the drives' stiffness is taken implicitly: {own}");
    }
    let damped = out.viscosity.view().entries(10).find(|e| e.0 == 10).unwrap().1;
    assert!((damped - 0.4).abs() < 1e-15);
    assert!((0..6).all(|i| out.drag[36 + 7 * i] == 0.5));
}

fn at(x: f64) -> Vector3<f64> {
    Vector3::new(x, 0.1, -0.2)
}

/// Without contacts, d/dt energy = power of what is not conservative; here there is nothing but damping.
#[test]
fn energy_changes_by_the_power_of_forces() {
    let system = system();
    let (q, v) = state(&system);
    let mut out = Dynamics::default();
    let method = Method { gyroscopic: Gyroscopic::Explicit, h: H, second_order: false };
    let zeros = [0.0; 12];
    let drives = Applied { force: &zeros, ..Applied::default() };
    system.evaluate(&q, &v, &mut system.placed(&q), &drives, method, &mut out);
    let mut acceleration = vec![0.0; 12];
    for (start, mass) in [(0, &out.mass[..36]), (6, &out.mass[36..])] {
        let m = nalgebra::DMatrix::from_row_slice(6, 6, mass);
        let f = nalgebra::DVector::from_fn(6, |i, _| out.force[start + i] + out.bias[start + i]);
        let a = m.cholesky().unwrap().solve(&f);
        acceleration[start..start + 6].copy_from_slice(a.as_slice());
    }
    let tau = 1e-6;
    let energy = [tau, -tau].map(|t| {
        // Second order in t: the velocity of the middle takes q along.
        let moved =
            |part: f64| v.iter().zip(&acceleration).map(|(v, a)| v + part * t * a).collect::<Vec<_>>();
        let mut there = vec![0.0; 14];
        integrate(&system.layout(), &q, &moved(0.5), t, &mut there);
        system.energy(&there, &moved(1.0))
    });
    let power = -0.4 * (v[10] * v[10] + v[11] * v[11]);
    assert!(((energy[0] - energy[1]) / (2.0 * tau) - power).abs() < 1e-6 * (1.0 + power.abs()));
}

#[test]
fn foreseen_velocities_take_implicit_gains_into_account() {
    let system = system();
    let (q, v) = state(&system);
    let mut out = Dynamics::default();
    let method = Method { gyroscopic: Gyroscopic::Explicit, h: H, second_order: false };
    let (force, gains) = ([1e6; 12], [1e9; 12]);
    let drives = Applied { force: &force, stiffness: &gains, viscosity: &[] };
    let mut frames = system.placed(&q);
    system.evaluate(&q, &v, &mut frames, &drives, method, &mut out);
    let mut foresight = Foresight::default();
    foresight.look((&system, &frames), &v, (&[0.0; 12], &[0; 12]), &out, H);
    // A spring of 1e9 pulled by 1e6 moves 1e-3 and not h² f/m.
    assert!((6..12).all(|i| (foresight.v[i] - v[i]).abs() < 3.0), "{:?}", foresight.v);
    foresight.look((&system, &frames), &v, (&[-5.0; 12], &[1; 12]), &out, H);
    assert!(foresight.v[6..].iter().all(|v| *v == -5.0));
}

#[test]
fn no_point_of_a_link_moves_farther_than_its_margin() {
    let system = system();
    let (q, v) = state(&system);
    let (mut frames, mut out, mut margin) = (system.placed(&q), Dynamics::default(), Vec::new());
    let method = Method { gyroscopic: Gyroscopic::Explicit, h: H, second_order: false };
    let zeros = [0.0; 12];
    system.evaluate(&q, &v, &mut frames, &Applied { force: &zeros, ..Applied::default() }, method, &mut out);
    let mut foresight = Foresight::default();
    foresight.look((&system, &frames), &v, (&zeros, &[0; 12]), &out, H);
    system.active_margins(&foresight.v, &mut frames, &out, H, 0.0, &mut margin);
    let mut next = vec![0.0; 14];
    integrate(&system.layout(), &q, &foresight.v, H, &mut next);
    let there = system.placed(&next);
    for body in 0..5_u32 {
        let corner = Vector3::new(0.1, 0.0, 0.0);
        let moved = (there.point(body, &corner) - frames.point(body, &corner)).norm();
        assert!(moved <= margin[body as usize] && margin[body as usize] < 10.0 * moved + 0.1, "{body}");
    }
    assert!(!system.widen_margins(&foresight.v, &mut frames, H, &mut margin.clone()));
    assert!(system.widen_margins(&foresight.v, &mut frames, 100.0 * H, &mut margin));
}
