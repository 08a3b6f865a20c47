//! Pendulums and free bodies against their equations.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use super::{close, joint, link};
use crate::model::{Applied, Body, Dynamics, Gyroscopic, MassProperties, Method, Parts, Space, System};
use crate::stage::BlockKind;
use crate::state::{Layout, integrate};
use crate::tree::{Factor, Joint, JointKind, Limits, Tree, TreeState, plane_axes};

/// Two links of lengths l1, l2 in the plane z = 0, angles from x, the second relative to the first (Featherstone,
/// Murray–Li–Sastry ex. 4.1): M, c and g in closed form.
#[test]
fn double_pendulum() {
    let (m1, m2, l1, r1, r2, j1, j2) = (1.3, 0.7, 0.5, 0.2, 0.31, 0.02, 0.013);
    let links = vec![
        link("upper", m1, Vector3::new(r1, 0.0, 0.0), [0.015, 0.015, j1]),
        link("lower", m2, Vector3::new(r2, 0.0, 0.0), [0.01, 0.01, j2]),
    ];
    let joints = vec![
        joint("shoulder", JointKind::Revolute, None, [3.0, -2.0, 1.0]),
        joint("elbow", JointKind::Revolute, Some(0), [l1, 0.0, 0.0]),
    ];
    let tree = Tree::new("pendulum", links, joints).unwrap();
    let (q, v, g): ([f64; 2], [f64; 2], f64) = ([0.4, -1.1], [1.7, -0.6], 9.81);
    let mut state = TreeState::default();
    state.update(&tree, &q);
    let (alpha, beta) = (j1 + j2 + m1 * r1 * r1 + m2 * (l1 * l1 + r2 * r2), m2 * l1 * r2);
    let delta = j2 + m2 * r2 * r2;
    let (s2, c2) = q[1].sin_cos();
    let expected = [alpha + 2.0 * beta * c2, delta + beta * c2, delta + beta * c2, delta];
    let mut mass = [0.0; 4];
    state.mass(&tree, &mut mass);
    close("M", &mass, &expected, 1e-14);
    let mut bias = [0.0; 2];
    state.bias(&tree, &v, &mut bias);
    let h = beta * s2;
    close("bias", &bias, &[h * (2.0 * v[0] * v[1] + v[1] * v[1]), -h * v[0] * v[0]], 1e-14);
    let mut gravity = [0.0; 2];
    state.gravity(&tree, &Vector3::new(0.0, -g, 0.0), &mut gravity);
    let lower = -m2 * g * r2 * (q[0] + q[1]).cos();
    close("gravity", &gravity, &[-(m1 * r1 + m2 * l1) * g * q[0].cos() + lower, lower], 1e-14);
}

/// A rod on a hinge: (J + m r² + rotor gear²) q̈ = −m g r sin q.
#[test]
fn pendulum_with_a_geared_rotor() {
    let rod = link("rod", 2.0, Vector3::new(0.0, 0.0, -0.4), [0.05, 0.05, 0.001]);
    let hinge = Joint {
        axis: Vector3::y(),
        rotor_inertia: 1e-4,
        gear_ratio: -30.0,
        limits: Some(Limits { lower: -1.0, upper: 1.0 }),
        ..joint("hinge", JointKind::Revolute, None, [1.0, 2.0, 3.0])
    };
    let tree = Tree::new("pendulum", vec![rod], vec![hinge]).unwrap();
    let mut state = TreeState::default();
    let (mut mass, mut bias, mut gravity) = ([0.0], [0.0], [0.5]);
    state.update(&tree, &[0.6]);
    state.mass(&tree, &mut mass);
    state.bias(&tree, &[3.0], &mut bias);
    state.gravity(&tree, &Vector3::new(0.0, 0.0, -9.81), &mut gravity);
    close("M", &mass, &[0.05 + 2.0 * 0.16 + 0.09], 1e-15);
    close("bias", &bias, &[0.0], 1e-14);
    close("added gravity", &gravity, &[0.5 - 2.0 * 9.81 * 0.4 * 0.6_f64.sin()], 1e-14);
    let energy = state.potential_energy(&tree, &Vector3::new(0.0, 0.0, -9.81));
    close("V", &[energy], &[2.0 * 9.81 * (3.0 - 0.4 * 0.6_f64.cos())], 1e-13);
}

/// A rod standing on a sphere's equation: the spherical pendulum in quasi-coordinates ω (world axes), J ω̇ = −ω × J ω + r × m g.
#[test]
fn ball_joint() {
    let (m, com, principal) = (1.5, Vector3::new(0.1, -0.2, 0.3), [0.02, 0.03, 0.04]);
    let tree = Tree::new(
        "spherical",
        vec![link("rod", m, com, principal)],
        vec![joint("ball", JointKind::Ball, None, [5.0, 6.0, 7.0])],
    )
    .unwrap();
    let turned = UnitQuaternion::from_scaled_axis(Vector3::new(0.4, -1.0, 0.7));
    let (w, v, g) = (turned.quaternion(), Vector3::new(1.0, -2.0, 0.5), Vector3::new(0.0, 0.0, -9.81));
    let mut state = TreeState::default();
    // Twice as long: quaternions are normalised where they are read.
    state.update(&tree, &[2.0 * w.w, 2.0 * w.i, 2.0 * w.j, 2.0 * w.k]);
    let r = turned * com;
    let own = turned.to_rotation_matrix() * Matrix3::from_diagonal(&Vector3::from(principal));
    let own = own * turned.inverse().to_rotation_matrix();
    let inertia = own + (Matrix3::identity() * r.norm_squared() - r * r.transpose()) * m;
    let (mut mass, mut bias, mut gravity) = ([0.0; 9], [0.0; 3], [0.0; 3]);
    state.mass(&tree, &mut mass);
    state.bias(&tree, v.as_slice(), &mut bias);
    state.gravity(&tree, &g, &mut gravity);
    close("M", &mass, inertia.as_slice(), 1e-15);
    close("bias", &bias, (-v.cross(&(inertia * v))).as_slice(), 1e-14);
    close("gravity", &gravity, (r.cross(&g) * m).as_slice(), 1e-14);
}

fn free_system(mass: f64, principal: Vector3<f64>) -> System {
    let body = Body {
        name: "body".into(),
        mass: MassProperties::spatial(mass, principal),
        is_static: false,
        role: vec![Default::default(); 6],
        impedance: vec![0.0; 6],
        motion: None,
        drag: vec![0.0; 6],
        damping: vec![0.0; 6],
        gravity: true,
    };
    System::new(Parts {
        bodies: vec![body],
        initial_pose: vec![vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]],
        initial_velocity: vec![vec![0.0; 6]],
        ..Parts::empty(Space::Spatial, Vector3::new(0.5, 0.0, -9.81))
    })
    .unwrap()
}

/// A tree of one free joint is a spatial body of [`System`]: same masses, forces, gyroscopic torque and motion.
#[test]
fn a_free_joint_is_a_spatial_body() {
    let (m, principal) = (1.7, Vector3::new(0.02, 0.03, 0.04));
    let system = free_system(m, principal);
    let tree = Tree::new(
        "free",
        vec![link("body", m, Vector3::zeros(), principal.into())],
        vec![joint("free", JointKind::Free, None, [0.0; 3])],
    )
    .unwrap();
    let w = UnitQuaternion::from_scaled_axis(Vector3::new(0.4, -1.0, 0.7)).into_inner();
    let (q, v) = ([1.0, 2.0, -3.0, w.w, w.i, w.j, w.k], [0.3, -0.2, 0.9, 1.0, -2.0, 0.5]);
    let mut expected = Dynamics::default();
    let method = Method { gyroscopic: Gyroscopic::Explicit, h: 0.01, second_order: false };
    let applied = Applied { force: &[0.0; 6], ..Applied::default() };
    system.evaluate(&q, &v, &mut system.placed(&q), &applied, method, &mut expected);
    let mut state = TreeState::default();
    let (mut mass, mut bias, mut gravity) = ([0.0; 36], [0.0; 6], [0.0; 6]);
    state.update(&tree, &q);
    state.mass(&tree, &mut mass);
    state.bias(&tree, &v, &mut bias);
    state.gravity(&tree, &system.gravity, &mut gravity);
    close("M", &mass, &expected.mass, 1e-15);
    close("bias", &bias, &expected.bias, 1e-15);
    close("gravity", &gravity, &expected.force, 1e-14);
}

/// The kinematic map is that of spatial bodies, to the bit.
#[test]
fn a_free_joint_moves_as_a_spatial_body() {
    let solid = link("body", 1.0, Vector3::zeros(), [0.1; 3]);
    let tree = Tree::new("free", vec![solid], vec![joint("free", JointKind::Free, None, [0.0; 3])]).unwrap();
    let (q, v) = ([1.0, 2.0, -3.0, 0.5, -0.5, 0.1, 0.7], [0.3, -0.2, 0.9, 1.0, -2.0, 0.5]);
    let layout = Layout {
        block_start: &[0, 6],
        q_start: &[0, 7],
        block_kind: &[BlockKind::Spatial as u8],
        quaternion: &[],
    };
    let (mut there, mut here) = ([0.0; 7], [0.0; 7]);
    integrate(&layout, &q, &v, 0.37, &mut there);
    tree.integrate(&q, &v, 0.37, &mut here);
    assert_eq!(there, here);
    tree.integrate(&q, &[0.0; 6], 0.37, &mut here);
    assert_eq!(q, here);
}

/// A hammer thrown: bias of a free joint whose centre of mass is not the origin, by hand. With M v̇ = c and r the arm of
/// the mass, m (p̈ + ω̇ × r + ω × (ω × r)) = 0 and J ω̇ + ω × J ω = 0.
#[test]
fn a_free_body_held_beside_its_centre() {
    let (m, principal, r) = (2.0, Vector3::new(0.02, 0.03, 0.04), Vector3::new(0.5, -0.1, 0.2));
    let tree = Tree::new(
        "hammer",
        vec![link("hammer", m, r, principal.into())],
        vec![joint("free", JointKind::Free, None, [0.0; 3])],
    )
    .unwrap();
    let omega = Vector3::new(3.0, -4.0, 2.0);
    let mut state = TreeState::default();
    let (mut mass, mut vdot, mut factor) = ([0.0; 36], [0.0; 6], Factor::default());
    state.update(&tree, &tree.neutral_q());
    state.mass(&tree, &mut mass);
    state.bias(&tree, &[1.0, 2.0, 3.0, omega.x, omega.y, omega.z], &mut vdot);
    assert!(factor.factor(&tree, &mass));
    factor.solve(&tree, &mut vdot);
    let torque = -omega.cross(&principal.component_mul(&omega));
    let alpha = torque.component_div(&principal);
    let linear = -alpha.cross(&r) - omega.cross(&omega.cross(&r));
    close("p̈", &vdot[..3], linear.as_slice(), 1e-12);
    close("ω̇", &vdot[3..], alpha.as_slice(), 1e-12);
}

#[test]
fn axes_of_planes() {
    let (x, y) = plane_axes(&Vector3::z());
    assert_eq!((x, y), (Vector3::x(), Vector3::y()));
    for n in
        [Vector3::x(), Vector3::y(), -Vector3::z(), Vector3::new(0.6, 0.0, -0.8), Vector3::new(0.0, 0.6, 0.8)]
    {
        let (x, y) = plane_axes(&n);
        let frame = Matrix3::from_columns(&[x, y, n]);
        assert!((frame.transpose() * frame - Matrix3::identity()).amax() < 1e-15);
        assert!((frame.determinant() - 1.0).abs() < 1e-15);
    }
}

#[test]
fn kinds_have_names_and_sizes() {
    let expected = [
        ("fixed", 0, 0),
        ("revolute", 1, 1),
        ("prismatic", 1, 1),
        ("planar", 3, 3),
        ("ball", 4, 3),
        ("free", 7, 6),
        ("cylindrical", 2, 2),
    ];
    for (kind, (name, nq, nv)) in JointKind::ALL.into_iter().zip(expected) {
        assert_eq!((kind.name(), kind.nq(), kind.nv()), (name, nq, nv));
        assert_eq!(JointKind::from_name(name), Some(kind));
    }
    assert_eq!(JointKind::from_name("continuous"), None);
}

/// Planar, ball and hinge in a row, a hinge beside: where coordinates stand, and who is on the way to whom.
#[test]
fn layout_of_coordinates() {
    let solid = |name| link(name, 1.0, Vector3::new(0.1, 0.0, 0.0), [0.1, 0.1, 0.1]);
    let links = ["base", "torso", "plate", "arm", "wheel"].map(solid).to_vec();
    let joints = vec![
        joint("base", JointKind::Planar, None, [0.0; 3]),
        joint("torso", JointKind::Ball, Some(0), [0.0; 3]),
        joint("plate", JointKind::Fixed, Some(1), [0.0; 3]),
        joint("arm", JointKind::Revolute, Some(2), [0.3, 0.0, 0.0]),
        joint("wheel", JointKind::Revolute, Some(0), [0.0, 0.2, 0.0]),
    ];
    let tree = Tree::new("robot", links, joints).unwrap();
    assert_eq!((tree.name(), tree.nq(), tree.nv()), ("robot", 9, 8));
    assert_eq!(
        (tree.q_range(1), tree.v_range(1), tree.q_range(4), tree.v_range(3)),
        (3..7, 3..6, 8..9, 6..7)
    );
    assert_eq!(tree.v_range(2), 6..6);
    assert_eq!([0, 3, 6, 7].map(|dof| tree.joint_of_v(dof)), [0, 1, 3, 4]);
    assert_eq!(tree.quaternions().collect::<Vec<_>>(), [(3, 3)]);
    assert_eq!(tree.neutral_q(), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(tree.dof_path(2), [0, 1, 2, 3, 4, 5]);
    assert_eq!(tree.dof_path(4), [0, 1, 2, 7]);
    let parents: Vec<Option<usize>> = (0..8).map(|dof| tree.dof_parent(dof)).collect();
    assert_eq!(parents, [None, Some(0), Some(1), Some(2), Some(3), Some(4), Some(5), Some(2)]);
}

#[test]
fn a_matrix_that_is_not_positive_definite_is_refused() {
    let solid = |name| link(name, 1.0, Vector3::new(0.1, 0.0, 0.0), [0.1, 0.1, 0.1]);
    let joints = vec![
        joint("a", JointKind::Revolute, None, [0.0; 3]),
        joint("b", JointKind::Revolute, Some(0), [0.3, 0.0, 0.0]),
    ];
    let tree = Tree::new("two", vec![solid("a"), solid("b")], joints).unwrap();
    let mut factor = Factor::default();
    assert!(factor.factor(&tree, &[2.0, 1.0, 1.0, 1.0]));
    for mass in [
        [1.0, 1.0, 1.0, 1.0],
        [2.0, 1.0, 1.0, -1.0],
        [f64::NAN, 0.0, 0.0, 1.0],
        [1.0, 0.0, 0.0, f64::INFINITY],
    ] {
        assert!(!factor.factor(&tree, &mass), "{mass:?}");
    }
}

/// Two hinges side by side: what stands between branches in the matrix is not looked at.
#[test]
fn factorisation_stays_on_the_branches() {
    let solid = |name| link(name, 1.0, Vector3::new(0.1, 0.0, 0.0), [0.1, 0.1, 0.1]);
    let joints = vec![
        joint("trunk", JointKind::Revolute, None, [0.0; 3]),
        joint("left", JointKind::Revolute, Some(0), [0.3, 0.0, 0.0]),
        joint("right", JointKind::Revolute, Some(0), [0.0, 0.3, 0.0]),
    ];
    let tree = Tree::new("fork", vec![solid("a"), solid("b"), solid("c")], joints).unwrap();
    let mut factor = Factor::default();
    assert!(factor.factor(&tree, &[4.0, 1.0, 1.0, 1.0, 1.0, f64::NAN, 1.0, f64::NAN, 2.0]));
    // M (1, 2, 3) with zeros between left and right.
    let mut x = [9.0, 3.0, 7.0];
    factor.solve(&tree, &mut x);
    close("x", &x, &[1.0, 2.0, 3.0], 1e-15);
}
