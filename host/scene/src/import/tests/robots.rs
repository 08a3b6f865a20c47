//! Robots as their makers publish them: counts made by another program, values as another reader (urdf-rs) has them.

use super::*;
use nalgebra::{Matrix3, Rotation3, Vector3};
use urdf_rs::JointType;

/// File, links, joints, degrees of freedom, mass (kg), <collision> elements: counted with another XML library.
const ROBOTS: [(&str, usize, usize, usize, f64, usize); 15] = [
    ("allegro_hand_description/urdf/allegro_hand_description_left.urdf", 22, 21, 16, 0.9549, 21),
    ("allegro_hand_description/urdf/allegro_hand_description_right.urdf", 22, 21, 16, 0.9549, 21),
    ("franka_description/urdf/hand.urdf", 3, 2, 2, 0.93, 8),
    ("franka_description/urdf/panda_arm.urdf", 9, 8, 7, 17.99, 58),
    ("franka_description/urdf/panda_arm_hand.urdf", 12, 11, 9, 18.92, 66),
    ("franka_description/urdf/panda_arm_hand_link5split.urdf", 13, 12, 9, 18.92, 66),
    ("franka_description/urdf/panda_arm_link5split.urdf", 10, 9, 7, 17.99, 58),
    ("franka_description/urdf/panda_hand.urdf", 4, 3, 2, 0.93, 16),
    ("iiwa_description/urdf/iiwa14_no_collision.urdf", 11, 10, 7, 30.61, 0),
    ("iiwa_description/urdf/iiwa14_polytope_collision.urdf", 11, 10, 7, 30.61, 1),
    ("iiwa_description/urdf/iiwa14_primitive_collision.urdf", 11, 10, 7, 30.61, 8),
    ("iiwa_description/urdf/iiwa14_spheres_collision.urdf", 11, 10, 7, 30.61, 13),
    ("iiwa_description/urdf/iiwa14_spheres_dense_collision.urdf", 11, 10, 7, 30.61, 46),
    ("iiwa_description/urdf/iiwa14_spheres_dense_elbow_collision.urdf", 11, 10, 7, 30.61, 22),
    ("iiwa_description/urdf/planar_iiwa14_spheres_dense_elbow_collision.urdf", 10, 9, 3, 30.61, 22),
];

/// Two collision meshes of this robot are not published with it.
const WITHOUT_MESHES: &str = "iiwa14_primitive_collision.urdf";
const MISSING: usize = 2;

/// The directory with the robots.
fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/models")
}

fn skips_meshes(file: &str) -> bool {
    file.ends_with(WITHOUT_MESHES)
}

fn directly(file: &Path, skip: bool, directory: &Path) -> System {
    let scene = directory.join("direct.json");
    let tree = format!(r#"{{ "name": "robot", "model": {:?}, "skip_meshes": {skip} }}"#, file);
    std::fs::write(&scene, scene_text(&tree, "")).unwrap();
    system(&scene).1
}

#[test]
fn robots_have_the_links_joints_masses_and_shapes_that_others_count() {
    let models = models();
    let directory = tempfile::tempdir().unwrap();
    for (file, links, joints, dofs, mass, shapes) in ROBOTS {
        let skip = skips_meshes(file);
        let system = directly(&models.join(file), skip, directory.path());
        let tree = &system.trees[0].tree;
        assert_eq!((tree.links().len(), tree.joints().len(), tree.nv()), (links, joints + 1, dofs), "{file}");
        let sum: f64 = tree.links().iter().map(|l| l.mass).sum();
        assert!((sum - mass).abs() < 1e-12 * mass, "{file}: {sum}");
        let missing = if skip { MISSING } else { 0 };
        assert_eq!(system.shapes.len(), shapes - missing, "{file}");
    }
}

#[test]
fn robots_read_from_the_model_and_from_the_imported_scene_are_the_same() {
    let models = models();
    let directory = tempfile::tempdir().unwrap();
    for (file, ..) in ROBOTS {
        let skip = skips_meshes(file);
        let file = models.join(file);
        let scene = imported(&file, directory.path(), skip);
        assert_same(&system(&scene).1, &directly(&file, skip, directory.path()));
    }
}

#[test]
fn masses_and_joints_of_robots_are_those_that_another_reader_finds() {
    let models = models();
    let directory = tempfile::tempdir().unwrap();
    for (file, ..) in ROBOTS {
        let path = models.join(file);
        let system = directly(&path, skips_meshes(file), directory.path());
        let tree = &system.trees[0].tree;
        let robot = urdf_rs::read_file(&path).unwrap();
        for link in &robot.links {
            same_link(tree.links().iter().find(|l| l.name == link.name).unwrap(), link);
        }
        for joint in &robot.joints {
            let i = tree.joints().iter().position(|j| j.name == joint.name).unwrap();
            assert_eq!(tree.links()[i].name, joint.child.link);
            assert_eq!(
                tree.joints()[i].parent.map(|p| tree.links()[p].name.as_str()),
                Some(joint.parent.link.as_str())
            );
            same_joint(&tree.joints()[i], joint);
        }
    }
}

/// Rz(yaw) Ry(pitch) Rx(roll), multiplied out.
fn rotation([r, p, y]: [f64; 3]) -> Matrix3<f64> {
    let about = |axis, angle| *Rotation3::from_axis_angle(&axis, angle).matrix();
    about(Vector3::z_axis(), y) * about(Vector3::y_axis(), p) * about(Vector3::x_axis(), r)
}

fn same_link(ours: &vinci_core::tree::Link, theirs: &urdf_rs::Link) {
    let (i, origin) = (&theirs.inertial.inertia, &theirs.inertial.origin);
    assert_eq!(ours.mass, theirs.inertial.mass.value, "{}", ours.name);
    assert_eq!(ours.com, Vector3::from(*origin.xyz), "{}", ours.name);
    let tensor = Matrix3::new(i.ixx, i.ixy, i.ixz, i.ixy, i.iyy, i.iyz, i.ixz, i.iyz, i.izz);
    let r = rotation(*origin.rpy);
    let turned = r * tensor * r.transpose();
    assert!((ours.inertia - turned).amax() <= 1e-14 * tensor.amax(), "{}", ours.name);
}

fn same_joint(ours: &vinci_core::tree::Joint, theirs: &urdf_rs::Joint) {
    let name = &ours.name;
    assert_eq!(ours.frame.translation.vector, Vector3::from(*theirs.origin.xyz), "{name}");
    let turned = ours.frame.rotation.to_rotation_matrix();
    assert!((turned.matrix() - rotation(*theirs.origin.rpy)).amax() < 1e-14, "{name}");
    let dynamics = theirs.dynamics.clone().unwrap_or_default();
    let fixed = theirs.joint_type == JointType::Fixed;
    let expected = if fixed { (0.0, 0.0) } else { (dynamics.damping, dynamics.friction) };
    assert_eq!((ours.damping, ours.friction), expected, "{name}");
    if fixed {
        return;
    }
    let axis = Vector3::from(*theirs.axis.xyz).normalize();
    assert!((ours.axis - axis).amax() < 1e-15, "{name}");
    let limits = ours.limits.unwrap();
    assert_eq!((limits.lower, limits.upper), (theirs.limit.lower, theirs.limit.upper), "{name}");
}

#[test]
fn rotors_of_the_iiwa_are_read_from_its_transmissions() {
    let models = models();
    let directory = tempfile::tempdir().unwrap();
    let file = models.join("iiwa_description/urdf/iiwa14_polytope_collision.urdf");
    let system = directly(&file, false, directory.path());
    let rotors: Vec<(f64, f64)> = system.trees[0]
        .tree
        .joints()
        .iter()
        .filter(|j| j.rotor_inertia > 0.0)
        .map(|j| (j.rotor_inertia, j.gear_ratio))
        .collect();
    assert_eq!(rotors.len(), 7);
    assert_eq!(rotors[0], (0.000_132_1, 160.0));
}

#[test]
fn missing_meshes_of_the_iiwa_are_named() {
    let models = models();
    let file = models.join("iiwa_description/urdf").join(WITHOUT_MESHES);
    let mut diagnostics = Diagnostics::new();
    assert!(read_model(&file, None, &ModelOptions::default(), &mut diagnostics).is_none());
    let messages: Vec<&str> = diagnostics.iter().map(|d| d.message.as_str()).collect();
    let mesh = "package://drake_models/iiwa_description/meshes/iiwa14/collision";
    assert_eq!(
        messages,
        [6, 7].map(|i| format!("link `iiwa_link_{i}`: the mesh `{mesh}/link_{i}.obj` cannot be found"))
    );
    assert!(diagnostics.iter().all(|d| d.place.is_some() && d.code == Code::NoSuchFile));
}

/// The box that the Allegro hand's makers give for the link that this mesh shows stands along z.
#[test]
fn gltf_meshes_stand_upright() {
    let models = models();
    let file = models.join("allegro_hand_description/meshes/link_1.0.gltf");
    let model = models.join("allegro_hand_description/meshes/x.urdf");
    let (hull, _) =
        crate::import::meshes::hull(file.to_str().unwrap(), [1.0; 3], &model, &ModelOptions::default())
            .unwrap();
    let range = |i: usize| {
        let values = hull.iter().map(|p| p[i]);
        (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max))
    };
    let near = |(a, b): (f64, f64), (c, d): (f64, f64)| (a - c).abs() < 1e-8 && (b - d).abs() < 1e-8;
    assert!(near(range(0), (-0.0098, 0.0098)), "{:?}", range(0));
    assert!(near(range(1), (-0.01355, 0.01345)), "{:?}", range(1));
    assert!(near(range(2), (-0.0088, 0.0628)), "{:?}", range(2));
}

/// Why models are not read with urdf-rs: words that are no numbers fall out of vectors unseen.
#[test]
fn another_reader_takes_vectors_with_words_in_them() {
    let text = r#"<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="fixed">
        <origin xyz="1 x 2 3"/><parent link="a"/><child link="b"/></joint></robot>"#;
    assert_eq!(*urdf_rs::read_from_string(text).unwrap().joints[0].origin.xyz, [1.0, 2.0, 3.0]);
}
