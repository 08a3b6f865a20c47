//! Friction bases of spatial contacts: right-handed, told apart by sign, and carried from step to step with their impulses.

use nalgebra::{UnitQuaternion, Vector3};
use vinci_core::contact::{
    ContactBuf, ContactKey, ContactMemory, FirstTangent, RawContacts, tangent_basis, transport,
};
use vinci_core::model::{
    Body, DofRole, MassProperties, Material, MaterialTable, Parts, Shape, ShapeKind, Space, System,
};

const KEY: [ContactKey; 1] = [ContactKey { shape_a: 0, shape_b: 1, feature_a: 0, feature_b: 0 }];

/// A static ground (body 0) and a free ball (body 1) at the origin.
fn system() -> System {
    let body = |name: &str, is_static| Body {
        name: name.into(),
        mass: MassProperties::spatial(0.5, Vector3::new(0.01, 0.01, 0.01)),
        is_static,
        role: vec![DofRole::Free; 6],
        impedance: vec![0.0; 6],
        motion: None,
        drag: vec![0.0; 6],
        damping: vec![0.0; 6],
        gravity: true,
    };
    let ball = |body| Shape {
        kind: ShapeKind::Ball,
        body,
        material: 0,
        pose: vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        params: vec![0.1],
        indices: vec![],
    };
    let material = Material::rigid("m", 0.5);
    System::new(Parts {
        bodies: vec![body("ground", true), body("ball", false)],
        shapes: vec![ball(0), ball(1)],
        materials: MaterialTable { materials: vec![material], ..MaterialTable::default() },
        initial_pose: vec![vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]; 2],
        initial_velocity: vec![vec![0.0; 6]; 2],
        ..Parts::empty(Space::Spatial, Vector3::zeros())
    })
    .unwrap()
}

/// The contact of the ball with the ground along `normal`, at velocities `v`, after what `memory` holds.
fn touch(buf: &mut ContactBuf, normal: &Vector3<f64>, v: &[f64], memory: &ContactMemory) {
    let system = system();
    let at = normal * -0.1;
    let raw = RawContacts {
        key: &KEY,
        gap: &[0.0],
        normal: normal.as_slice(),
        point_a: at.as_slice(),
        point_b: at.as_slice(),
        group: &[],
    };
    let frames = system.placed(&system.initial_q());
    buf.fill(&system, &frames, v, &raw, memory).unwrap();
}

fn tangents(buf: &ContactBuf) -> [Vector3<f64>; 2] {
    let t = buf.view().tangent;
    [0, 3].map(|k| Vector3::new(t[k], t[k + 1], t[k + 2]))
}

/// Normals in many directions, each turned a little from the one before.
fn way() -> impl Iterator<Item = Vector3<f64>> {
    (0..40).map(|k| {
        let k = f64::from(k);
        Vector3::new((0.3 * k).sin(), (0.17 * k).cos(), 0.4 + 0.5 * (0.23 * k).sin()).normalize()
    })
}

/// (n, t1, t2) is right-handed: t2 = n × t1, and its row gives the velocity along it, not against it.
#[test]
fn the_second_tangent_completes_a_right_handed_basis() {
    let v = [0.3, -0.2, 0.5, 0.7, -1.1, 0.4];
    let (linear, angular) = (Vector3::new(0.3, -0.2, 0.5), Vector3::new(0.7, -1.1, 0.4));
    for first_tangent in [FirstTangent::Slip, FirstTangent::Axes] {
        let mut buf = ContactBuf::default();
        buf.first_tangent = first_tangent;
        for n in way() {
            touch(&mut buf, &n, &v, &ContactMemory::default());
            let [t1, t2] = tangents(&buf);
            assert!((n.cross(&t1) - t2).norm() < 1e-14, "n × t1 is {:?}, t2 {t2:?}", n.cross(&t1));
            let moved = linear + angular.cross(&(n * -0.1));
            for (row, d) in [n, t1, t2].iter().enumerate() {
                let found = buf.view().jacobian.row_dot(row, &v);
                assert!((found - d.dot(&moved)).abs() < 1e-14, "row {row}: {found}");
            }
        }
    }
}

#[test]
fn the_first_tangent_of_a_new_contact_lies_along_the_slip() {
    let mut buf = ContactBuf::default();
    for n in way() {
        let v = [0.3, -0.2, 0.5, 0.0, 0.0, 0.0];
        touch(&mut buf, &n, &v, &ContactMemory::default());
        let slip = buf.view();
        // All of the slip, forwards, and none of it across.
        let along = Vector3::new(0.3, -0.2, 0.5);
        let speed = (along - n * n.dot(&along)).norm();
        assert!((slip.jacobian.row_dot(1, &v) - speed).abs() < 1e-14);
        assert!(slip.jacobian.row_dot(2, &v).abs() < 1e-14);
    }
}

/// Where the normal turns, both tangents and the impulse along them turn with it by the one smallest rotation.
#[test]
fn bases_and_impulses_turn_with_the_normal() {
    let mut buf = ContactBuf::default();
    let mut memory = ContactMemory::default();
    let mut before: Option<(Vector3<f64>, [Vector3<f64>; 2])> = None;
    for (age, n) in way().enumerate() {
        touch(&mut buf, &n, &[0.2, 0.1, 0.0, 0.0, 0.0, 0.3], &memory);
        let now = tangents(&buf);
        if let Some((old, [t1, t2])) = before {
            let turn = UnitQuaternion::rotation_between(&old, &n).unwrap();
            assert!((turn * t1 - now[0]).norm() < 1e-12, "first tangent at {age}");
            assert!((turn * t2 - now[1]).norm() < 1e-12, "second tangent at {age}");
            let p = buf.view().last_impulse;
            let carried = n * p[0] + now[0] * p[1] + now[1] * p[2];
            let kept = old * 3.0 + t1 * -1.0 + t2 * 0.5;
            assert!((turn * kept - carried).norm() < 1e-12, "impulse at {age}: {carried:?}");
        }
        assert_eq!(buf.view().age, [age as u32]);
        memory.remember(&buf.view(), &[3.0, -1.0, 0.5]);
        before = Some((n, now));
    }
}

/// t' = t − (t·b)/(1 + a·b)(a + b) by another route, for large turns too, and what replaces it where the normal turns round.
#[test]
fn transport_is_the_smallest_rotation_and_has_a_way_out_at_the_opposite() {
    let (a, t) = (Vector3::z(), Vector3::new(0.6, 0.8, 0.0));
    for k in 1..31 {
        let angle = 0.1 * f64::from(k);
        for axis in [Vector3::x(), Vector3::y(), Vector3::new(0.6, -0.8, 0.0)] {
            let turn = UnitQuaternion::new(axis * angle);
            let b = turn * a;
            assert!((transport(&t, &a, &b) - turn * t).norm() < 1e-12, "{angle} about {axis:?}");
        }
    }
    // The rotation by half a turn is not unique: the tangent stays as near to itself as it can.
    assert!((transport(&t, &a, &-a) - t).norm() < 1e-14);
    let almost = Vector3::new(1e-4, 0.0, -1.0).normalize();
    let kept = transport(&t, &a, &almost);
    assert!((kept - tangent_basis(&almost, &t)).norm() < 1e-14 && kept.dot(&t) > 0.99);
}
