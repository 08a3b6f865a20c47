//! Scenes as systems of core.

use super::schemas::{RICH_PLANAR, RICH_SPATIAL};
use super::*;
use nalgebra::Vector3;
use vinci_core::model::{Anchor, Combination, DofRole, MotionModel, ShapeKind, System};
use vinci_engine::drives::{DriveKind, Drives};

fn compiled(text: &str) -> (System, Drives) {
    let files = Files::new([("s.json", text)]);
    let loaded = load_scene(&files.path("s.json"))
        .unwrap_or_else(|diagnostics| panic!("{}", files.lines(&diagnostics)));
    compile(&loaded.scene, &loaded.node).unwrap_or_else(|diagnostics| panic!("{diagnostics}"))
}

fn near(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    assert!(a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-12), "{a:?} is not {b:?}");
}

#[test]
fn planar_bodies_are_what_was_written() {
    let (system, _) = compiled(RICH_PLANAR);
    assert_eq!(system.gravity, Vector3::new(0.0, -1.0, 0.0));
    assert_eq!((system.nv(), system.bodies.len()), (9, 4));
    let a = &system.bodies[1];
    assert_eq!((a.mass.mass, a.mass.moment()), (2.0, 0.5));
    assert_eq!((a.motion, a.gravity), (Some(MotionModel::FirstOrder), false));
    assert_eq!(
        (a.drag.as_slice(), a.damping.as_slice()),
        ([1.0, 2.0, 3.0].as_slice(), [4.0, 5.0, 6.0].as_slice())
    );
    near(&system.initial_q()[..3], &[1.0, 2.0, 0.25]);
    near(&system.initial_velocity[..3], &[3.0, 4.0, 5.0]);
    // The square of side 2 and density 3: m = 12, J = m (4 + 4)/12.
    let b = &system.bodies[2];
    near(&[b.mass.mass, b.mass.moment()], &[12.0, 8.0]);
    assert_eq!(b.role, [DofRole::Prescribed, DofRole::Free, DofRole::Impedance]);
    assert_eq!(b.impedance, [0.0, 0.0, 7.0]);
    let c = &system.bodies[3];
    near(&[c.mass.moment()], &[5.0 / 12.0]);
    assert_eq!(c.role, [DofRole::Prescribed, DofRole::Free, DofRole::Free]);
    assert_eq!(system.ignored_pairs, [1, 2]);
}

#[test]
fn planar_shapes_stand_where_they_were_put() {
    let (system, _) = compiled(RICH_PLANAR);
    let kinds: Vec<ShapeKind> = system.shapes.iter().map(|s| s.kind).collect();
    use ShapeKind::{Disc, HalfPlane, PlanarCapsule, Polygon, Segment};
    assert_eq!(kinds, [HalfPlane, Segment, Disc, PlanarCapsule, Polygon, Polygon]);
    near(&system.shapes[0].pose, &[0.0, -0.5, 0.0]);
    assert_eq!(system.shapes[0].pose[2].to_bits(), 0.0_f64.to_bits());
    near(&system.shapes[2].pose, &[0.5, 0.0, 1.0]);
    // The part at (1, 0) of a compound that is turned by 90° and stands at (0, 1).
    near(&system.shapes[3].pose, &[0.0, 2.0, std::f64::consts::FRAC_PI_2]);
    near(&system.shapes[3].params, &[1.0, 0.25]);
    // The clockwise square was turned round.
    let p = &system.shapes[4].params;
    let doubled: f64 = (0..4)
        .map(|i| (i, (i + 1) % 4))
        .map(|(i, j)| p[2 * i] * p[2 * j + 1] - p[2 * j] * p[2 * i + 1])
        .sum();
    assert_eq!(doubled, 8.0);
    let bodies: Vec<u32> = system.shapes.iter().map(|s| s.body).collect();
    assert_eq!(bodies, [0, 0, 1, 1, 2, 3]);
}

#[test]
fn materials_pairs_and_springs_are_what_was_written() {
    let (system, _) = compiled(RICH_PLANAR);
    let t = &system.materials;
    assert_eq!(t.materials.iter().map(|m| m.name.as_str()).collect::<Vec<_>>(), ["default", "rubber"]);
    assert_eq!((t.materials[0].values.friction, t.materials[0].values.stiffness), (0.25, f64::INFINITY));
    assert_eq!((t.materials[1].values.friction, t.materials[1].values.damping), (0.9, 10.0));
    assert_eq!(
        (t.rules.friction, t.rules.restitution, t.rules.damping),
        (Combination::Min, Combination::Mean, Combination::Max)
    );
    // rubber (disc of a) on default (b): the pair of materials gives μ, the pair of bodies e and K.
    let pair = t.pair((1, 1), (0, 2));
    assert_eq!((pair.friction, pair.restitution, pair.stiffness, pair.damping), (0.7, 1.0, 5.0, 0.0));
    let materials: Vec<u32> = system.shapes.iter().map(|s| s.material).collect();
    assert_eq!(materials, [1, 1, 1, 0, 0, 0]);
    let s = &system.springs[0];
    assert_eq!(s.a, Anchor::Body(1, Vector3::zeros()));
    assert_eq!(s.b, Anchor::World(Vector3::new(1.0, 1.0, 0.0)));
    assert_eq!((s.stiffness, s.damping, s.rest_length), (10.0, 1.0, 0.5));
}

#[test]
fn drives_are_what_was_written() {
    let (system, drives) = compiled(RICH_PLANAR);
    let kinds: Vec<(u32, usize, DriveKind)> = drives.list.iter().map(|d| (d.body, d.dof, d.kind)).collect();
    use DriveKind::{Force, Impedance, Position};
    assert_eq!(kinds, [(2, 0, Position), (2, 1, Force), (2, 2, Impedance), (3, 1, Force)]);
    let mut command = vec![0.0; system.nv()];
    let mut q = system.initial_q();
    drives.commands(&system, 0.5, 0.5, &q, &mut command).unwrap();
    near(&command[3..6], &[(2.0 - 0.5) / 0.5, 0.0, 1.0_f64.sin() / 0.5]);
    q[4] = 2.0;
    let mut force = vec![0.0; system.nv()];
    let mut v = vec![0.0; system.nv()];
    v[4] = 0.5;
    drives.add_forces(&system, 0.0, &q, &v, &mut force).unwrap();
    near(&force, &[0.0, 0.0, 0.0, 0.0, -18.5, 0.0, 0.0, 3.0, 0.0]);
}

#[test]
fn spatial_bodies_are_what_was_written() {
    let (system, drives) = compiled(RICH_SPATIAL);
    assert_eq!(system.gravity, Vector3::new(0.0, 0.0, -9.81));
    assert_eq!((system.nv(), system.nq()), (30, 35));
    near(&system.initial_q()[..7], &[1.0, 2.0, 3.0, 0.0, 1.0, 0.0, 0.0]);
    near(&system.initial_velocity[..6], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    near(&system.initial_q()[10..14], &[0.25_f64.cos(), 0.0, 0.0, 0.25_f64.sin()]);
    assert_eq!(system.bodies[2].mass.inertia[(0, 1)], 0.1);
    // The hull is the cube of side 2: m = 16, J = m (4 + 4)/12.
    let c = system.bodies[3].mass;
    near(
        &[c.mass, c.inertia[(0, 0)], c.inertia[(1, 1)], c.inertia[(0, 1)]],
        &[16.0, 32.0 / 3.0, 32.0 / 3.0, 0.0],
    );
    let hull = system.shapes.iter().find(|s| s.kind == ShapeKind::ConvexHull).unwrap();
    assert_eq!(hull.indices.len(), 12 * 3);
    // The tetrahedron of legs 4: V = 64/6, centroid at the origin.
    near(&[system.bodies[4].mass.mass], &[64.0]);
    let e = system.bodies[5].mass;
    near(e.inertia.diagonal().as_slice(), &[36.0 * 13.0 / 12.0, 36.0 * 10.0 / 12.0, 36.0 * 5.0 / 12.0]);
    assert_eq!(drives.list.len(), 4);
}

#[test]
fn half_spaces_may_face_any_way() {
    for n in [[0.0, 0.0, -2.0], [3.0, 0.0, 0.0], [1.0, -2.0, 2.0], [1e-200, 0.0, 1e-200]] {
        let text = RICH_SPATIAL
            .replace(r#""normal": [0, 0, 2]"#, &format!("\"normal\": [{:e}, {:e}, {:e}]", n[0], n[1], n[2]));
        let (system, _) = compiled(&text);
        let pose = &system.shapes[0].pose;
        let q = vinci_core::state::quaternion_of(&pose[3..7]);
        let expected = Vector3::from(n.map(|x| if x == 1e-200 { 1.0 } else { x })).normalize();
        assert!((q * Vector3::z() - expected).norm() < 1e-12);
        assert!((Vector3::new(pose[0], pose[1], pose[2]) - expected).norm() < 1e-12);
    }
}

#[test]
fn orientations_agree_with_each_other() {
    let turned = |orientation: &str| {
        let text = RICH_SPATIAL.replace(r#"{ "quaternion": [0, 1, 0, 0] }"#, orientation);
        compiled(&text).0.initial_q()[3..7].to_vec()
    };
    let half = std::f64::consts::FRAC_1_SQRT_2;
    near(&turned(r#"{ "rpy": [1.5707963267948966, 0, 0] }"#), &[half, half, 0.0, 0.0]);
    near(&turned(r#"{ "axis": [3, 0, 0], "angle": 1.5707963267948966 }"#), &[half, half, 0.0, 0.0]);
    near(&turned(r#"{ "axis": [3e-200, 0, 0], "angle": 1.5707963267948966 }"#), &[half, half, 0.0, 0.0]);
    near(&turned(r#"{ "quaternion": [1e300, 1e300, 0, 0] }"#), &[half, half, 0.0, 0.0]);
    // Roll first, then yaw about the fixed z: Rz(90°) Rx(90°).
    near(&turned(r#"{ "rpy": [1.5707963267948966, 0, 1.5707963267948966] }"#), &[0.5, 0.5, 0.5, 0.5]);
}
