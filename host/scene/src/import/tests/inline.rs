//! A robot of cylinder, box and ball whose frames are worked out by hand.

use super::*;
use nalgebra::Vector3;
use std::f64::consts::FRAC_1_SQRT_2;
use vinci_core::model::{Anchor, ShapeKind};

const ROBOT: &str = r#"<robot name="small" xmlns:drake="http://drake.mit.edu">
  <link name="root"/>
  <link name="arm">
    <inertial><origin xyz="0.1 0 0" rpy="0 0 1.5707963267948966"/><mass value="2"/>
      <inertia ixx="1" iyy="2" izz="2.5" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><sphere radius="1"/></geometry></visual>
    <collision><origin xyz="0.2 0 0" rpy="0 1.5707963267948966 0"/><geometry><cylinder radius="0.05" length="0.4"/></geometry></collision>
  </link>
  <link name="slide">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0.1" ixz="0.2" iyz="0.3"/></inertial>
    <collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision>
  </link>
  <link name="tip"><collision><geometry><sphere radius="0.02"/></geometry></collision></link>
  <link name="finger">
    <inertial><mass value="0.5"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><capsule radius="0.01" length="0.03"/></geometry></collision>
  </link>
  <joint name="turn" type="revolute"><parent link="root"/><child link="arm"/><origin xyz="0 0 0.5" rpy="0 0 1.5707963267948966"/>
    <axis xyz="0 0 2"/><limit lower="-1" upper="inf" velocity="4" effort="5"/><dynamics damping="0.1" friction="0.2"/></joint>
  <joint name="push" type="prismatic"><parent link="arm"/><child link="slide"/><origin xyz="0.3 0 0"/><limit lower="0" upper="1"/></joint>
  <joint name="glue" type="fixed"><parent link="slide"/><child link="tip"/><origin xyz="0 0 0.1"/></joint>
  <joint name="curl" type="continuous"><parent link="tip"/><child link="finger"/><mimic joint="push" multiplier="-2" offset="0.5"/></joint>
  <transmission name="t"><joint name="turn"/><actuator name="m"><drake:rotor_inertia value="0.001"/><drake:gear_ratio value="50"/></actuator></transmission>
</robot>"#;

fn robot(tree: &str, more: &str) -> (tempfile::TempDir, System) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("r.urdf"), ROBOT).unwrap();
    let scene = directory.path().join("s.json");
    let tree = format!(r#"{{ "name": "robot", "model": "r.urdf"{tree} }}"#);
    std::fs::write(&scene, scene_text(&tree, more)).unwrap();
    let system = system(&scene).1;
    (directory, system)
}

fn body(system: &System, name: &str) -> usize {
    system.bodies.iter().position(|b| b.name == name).unwrap()
}

fn assert_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{found:?} {expected:?}");
}

#[test]
fn bodies_stand_at_their_centres_of_mass() {
    let (_, system) = robot(r#", "start": { "push": 0.25 }"#, "");
    // The arm is turned by 90° about z: its x axis is the world's y.
    let s = FRAC_1_SQRT_2;
    for (name, pose) in [
        ("robot/root", [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
        ("robot/arm", [0.0, 0.1, 0.5, s, 0.0, 0.0, s]),
        ("robot/slide", [0.0, 0.55, 0.5, s, 0.0, 0.0, s]),
        ("robot/tip", [0.0, 0.55, 0.6, s, 0.0, 0.0, s]),
    ] {
        let i = body(&system, name);
        assert_near(&system.initial_pose[7 * i..7 * i + 7], &pose);
    }
}

#[test]
fn shapes_stand_in_frames_at_the_centre_of_mass() {
    let (_, system) = robot("", "");
    let s = FRAC_1_SQRT_2;
    let shape = |name: &str| system.shapes.iter().find(|x| x.body as usize == body(&system, name)).unwrap();
    let cylinder = shape("robot/arm");
    assert_eq!((cylinder.kind, cylinder.params.as_slice()), (ShapeKind::Cylinder, [0.2, 0.05].as_slice()));
    assert_near(&cylinder.pose, &[0.1, 0.0, 0.0, s, 0.0, s, 0.0]);
    let cuboid = shape("robot/slide");
    assert_eq!((cuboid.kind, cuboid.params.as_slice()), (ShapeKind::Box, [0.05, 0.1, 0.15].as_slice()));
    assert_eq!(
        (shape("robot/tip").kind, shape("robot/tip").params.as_slice()),
        (ShapeKind::Ball, [0.02].as_slice())
    );
    let capsule = shape("robot/finger");
    assert_eq!((capsule.kind, capsule.params.as_slice()), (ShapeKind::Capsule, [0.015, 0.01].as_slice()));
}

#[test]
fn joints_have_the_values_of_the_model() {
    let (_, system) = robot("", "");
    let tree = &system.trees[0].tree;
    let joint = |name: &str| tree.joints().iter().find(|j| j.name == name).unwrap();
    let turn = joint("turn");
    assert_eq!((turn.axis, turn.damping, turn.friction), (Vector3::z(), 0.1, 0.2));
    assert_eq!((turn.rotor_inertia, turn.gear_ratio), (0.001, 50.0));
    let limits = turn.limits.unwrap();
    assert_eq!((limits.lower, limits.upper), (-1.0, f64::INFINITY));
    // URDF's axis is x unless it says otherwise.
    assert_eq!((joint("push").axis, joint("curl").axis), (Vector3::x(), Vector3::x()));
    assert!(joint("curl").limits.is_none());
    assert_eq!(tree.nv(), 3);
    // The frame of the inertia is turned by 90° about z: the moments about x and y change places.
    let arm = tree.links().iter().find(|l| l.name == "arm").unwrap();
    assert_near(arm.inertia.as_slice(), &[2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.5]);
    let slide = tree.links().iter().find(|l| l.name == "slide").unwrap();
    assert_eq!(slide.inertia.as_slice(), [1.0, 0.1, 0.2, 0.1, 1.0, 0.3, 0.2, 0.3, 1.0]);
}

#[test]
fn a_mimicking_joint_is_a_coupler() {
    let (_, system) = robot("", "");
    let coupler = &system.couplers[0];
    assert_eq!((coupler.joints, coupler.ratio, coupler.offset), ([(0, 2), (0, 1)], -2.0, 0.5));
    assert_eq!((coupler.name.as_str(), coupler.stabilization), ("robot_curl_push", 0.2));
}

#[test]
fn the_base_moves_the_whole_robot_and_may_float() {
    let base = r#", "base": { "position": [1, 2, 3], "orientation": { "rpy": [0, 0, 1.5707963267948966] } }"#;
    let (_, fixed) = robot(base, "");
    let (_, floating) =
        robot(&format!(r#"{base}, "floating": true, "velocity": {{ "base": [1, 0, 0, 0, 0, 2] }}"#), "");
    let i = body(&fixed, "robot/arm");
    // Turned by 180° in all.
    assert_near(&fixed.initial_pose[7 * i..7 * i + 7], &[0.9, 2.0, 3.5, 0.0, 0.0, 0.0, 1.0]);
    assert_near(&fixed.initial_pose, &floating.initial_pose);
    assert_eq!(floating.trees[0].tree.nv(), 9);
    assert_eq!(floating.trees[0].v, [1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0]);
}

#[test]
fn links_of_a_tree_do_not_touch_unless_asked_to() {
    let pairs = |system: &System| {
        let name = |b: u32| system.bodies[b as usize].name.trim_start_matches("robot/").to_owned();
        let mut pairs: Vec<String> =
            system.ignored_pairs.chunks(2).map(|p| format!("{} {}", name(p[0]), name(p[1]))).collect();
        pairs.sort();
        pairs
    };
    let (_, none) = robot("", "");
    assert_eq!(
        pairs(&none),
        ["arm finger", "arm slide", "arm tip", "slide finger", "slide tip", "tip finger"]
    );
    let (_, some) = robot(r#", "self_collision": true"#, "");
    // Slide and tip are one body; joints join the arm to it, and the finger.
    assert_eq!(pairs(&some), ["arm slide", "arm tip", "slide finger", "slide tip", "tip finger"]);
}

#[test]
fn anchors_on_links_are_points_of_the_link_frame() {
    let joint = r#", "joints": [{ "bodies": ["robot/arm", null], "anchors": [[0.3, 0, 0], [0, 0.3, 0.5]], "along": ["z", "x"] }]"#;
    let (_, system) = robot("", joint);
    let arm = body(&system, "robot/arm") as u32;
    let Anchor::Body(index, point) = system.joints[0].a else { panic!("no body") };
    assert_eq!(index, arm);
    assert_near(point.as_slice(), &[0.2, 0.0, 0.0]);
    assert_eq!(system.joints[0].along, [true, false, true]);
}

#[test]
fn joint_values_replace_those_of_the_model_one_by_one() {
    let values = r#", "joint_values": { "*": { "friction": 0, "damping": 1 }, "turn": { "damping": 3 } }"#;
    let (_, system) = robot(values, "");
    let joints = system.trees[0].tree.joints();
    let of = |name: &str| {
        let joint = joints.iter().find(|j| j.name == name).unwrap();
        (joint.damping, joint.friction, joint.rotor_inertia)
    };
    assert_eq!((of("turn"), of("push"), of("glue")), ((3.0, 0.0, 0.001), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)));
}

#[test]
fn the_imported_scene_is_the_model() {
    let (directory, direct) = robot("", "");
    let scene = imported(&directory.path().join("r.urdf"), directory.path(), false);
    assert_same(&system(&scene).1, &direct);
    // It is a scene of its own, valid to the schema.
    let value: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(scene).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&crate::schema::scene_schema()).unwrap();
    assert!(validator.is_valid(&value), "{:?}", validator.validate(&value).err().map(|e| e.to_string()));
}

#[test]
fn the_report_says_what_was_left_out() {
    let (directory, _) = robot("", "");
    let mut diagnostics = Diagnostics::new();
    let file = directory.path().join("r.urdf");
    let model = read_model(&file, None, &ModelOptions::default(), &mut diagnostics).unwrap();
    let report = model.report;
    assert_eq!((report.links, report.dofs, report.mass), ((5, 2), 3, 3.5));
    let dropped: Vec<(&str, usize, usize)> =
        report.dropped.iter().map(|d| (d.what.as_str(), d.count, d.first.line())).collect();
    assert_eq!(dropped, [("link/visual", 1, 6)]);
}
