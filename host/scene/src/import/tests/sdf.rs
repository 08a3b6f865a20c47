//! SDF models against what Drake's parser makes of them: `tests/data/sdf/drake.json`, written by `tests/peers/sdf_record.py`.

use super::recorded::{check_state, numbers, same};
use super::*;
use crate::types::TreeJointKind;
use nalgebra::{UnitQuaternion, Vector3};
use serde_json::Value as Json;

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/sdf")
}

fn recorded() -> Json {
    let text = std::fs::read_to_string(data().join("drake.json")).unwrap();
    serde_json::from_str::<Json>(&text).unwrap()["models"].clone()
}

/// A scene with a model of the data as the tree `m`.
fn loaded(model: &str) -> (Scene, System) {
    let directory = tempfile::tempdir().unwrap();
    let scene = directory.path().join("scene.json");
    let tree = format!(r#"{{ "name": "m", "model": {:?} }}"#, data().join(format!("{model}.sdf")));
    std::fs::write(&scene, scene_text(&tree, "")).unwrap();
    system(&scene)
}

/// A model read from a text, with these files beside it.
fn read(model: &str, files: &[(&str, &str)]) -> Model {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files.iter().chain([&("m.sdf", model)]) {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let mut diagnostics = Diagnostics::new();
    let path = directory.path().join("m.sdf");
    read_model(&path, None, &ModelOptions::default(), &mut diagnostics)
        .unwrap_or_else(|| panic!("{diagnostics}"))
}

#[test]
fn masses_frames_and_forces_are_those_of_drake() {
    let told = recorded();
    let files = std::fs::read_dir(data()).unwrap().map(|e| e.unwrap().path());
    let models = files.filter(|path| path.extension().is_some_and(|e| e == "sdf")).count();
    assert_eq!(told.as_object().unwrap().len(), models);
    assert!(models >= 8);
    for (name, told) in told.as_object().unwrap() {
        let (_, system) = loaded(name);
        same(system.gravity.as_slice(), &numbers(&told["gravity"]), &format!("{name}: gravity"));
        let links = system.trees[0].tree.links();
        for (body, mass) in told["masses"].as_object().unwrap() {
            let link = links.iter().find(|l| l.name == *body).unwrap();
            same(&[link.mass], &numbers(mass), &format!("{name}: mass of {body}"));
            let theirs = numbers(&told["inertias"][body]);
            same(link.inertia.as_slice(), &theirs, &format!("{name}: inertia of {body}"));
        }
        let states = told["states"].as_array().unwrap();
        assert!(states.len() >= 4);
        states.iter().for_each(|state| check_state(&system, state, name));
    }
}

#[test]
fn limits_and_damping_are_those_of_drake() {
    let mut met = 0;
    for (name, told) in recorded().as_object().unwrap() {
        let (_, system) = loaded(name);
        for (joint, ends) in told["limits"].as_object().unwrap() {
            let ours = system.trees[0].tree.joints().iter().find(|j| j.name == *joint).unwrap();
            let finite = |x: f64| Some(x).filter(|x| x.is_finite());
            let own = ours.limits.map(|l| [finite(l.lower), finite(l.upper)]).unwrap_or_default();
            // Drake keeps limits of 10¹⁶, which are none.
            let theirs = [0, 1].map(|i| ends[i].as_f64().filter(|x| x.abs() < 1e16));
            assert_eq!(own, theirs, "{name}: {joint}");
            assert_eq!(Some(ours.damping), told["resistance"][joint].as_f64(), "{name}: {joint}");
            met += 1;
        }
    }
    assert!(met >= 10);
}

#[test]
fn imported_scenes_are_the_models_to_the_bit() {
    let directory = tempfile::tempdir().unwrap();
    for name in recorded().as_object().unwrap().keys() {
        let file = data().join(format!("{name}.sdf"));
        let model = read_model(&file, None, &ModelOptions::default(), &mut Diagnostics::new()).unwrap();
        let out = directory.path().join("imported.json");
        std::fs::write(&out, laid_out(&model.scene("m", false)).unwrap()).unwrap();
        let ((_, direct), (_, written)) = (loaded(name), system(&out));
        assert_same(&direct, &written);
        assert_eq!(direct.gravity, written.gravity);
        assert_eq!(direct.materials, written.materials);
    }
}

#[test]
fn followers_are_couplers() {
    let (scene, _) = loaded("followers");
    let told: Vec<(&[String; 2], f64, f64)> =
        scene.couplers.iter().map(|c| (&c.joints, c.ratio, c.offset)).collect();
    let joints = |a: &str| [format!("m.{a}"), "m.lead".to_owned()];
    assert_eq!(told, [(&joints("half"), 0.5, 0.1 - 0.5 * 0.4), (&joints("back"), -0.2, 0.05)]);
}

#[test]
fn a_screw_is_a_hinge_and_a_slide_that_go_together() {
    let (scene, _) = loaded("joints");
    let [coupler] = &scene.couplers[..] else { panic!("{:?}", scene.couplers) };
    assert_eq!(coupler.joints, ["m.thread_along", "m.thread"]);
    assert!((coupler.ratio - 0.3 / std::f64::consts::TAU).abs() < 1e-15);
    let old = "<sdf version=\"1.6\"><model name=\"m\"><link name=\"a\"/><link name=\"b\"/>\
        <joint name=\"j\" type=\"screw\"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis><thread_pitch>-20</thread_pitch></joint></model></sdf>";
    assert_eq!(read(old, &[]).mimics[0].ratio, 0.05);
}

#[test]
fn springs_limits_and_rotors_stand_in_the_scene() {
    let (scene, _) = loaded("joints");
    let joint = |name: &str| scene.trees[0].joints.iter().find(|j| j.name == name).unwrap();
    let shoulder = joint("shoulder");
    assert_eq!(
        (shoulder.damping, shoulder.friction, shoulder.rotor_inertia),
        (0.3, 0.1, 0.0002 * 50.0 * 50.0)
    );
    let limits = shoulder.limits.unwrap();
    assert_eq!((limits.lower, limits.upper, limits.velocity), (Some(-1.5), Some(2.0), Some(4.0)));
    let rail = joint("rail").limits.unwrap();
    assert_eq!((rail.lower, rail.upper, rail.effort), (Some(-0.2), None, None));
    assert_eq!(joint("socket").kind, TreeJointKind::Ball);
    let crate::types::Controller::Pd { name, kp, .. } = &scene.controllers[0] else { panic!() };
    assert_eq!((name.as_deref(), kp.of("shoulder")), (Some("m_springs"), Some(5.0)));
}

/// Which bodies of `shapes.sdf` touch: filters of Drake, bits, words of links and models.
#[test]
fn what_touches_is_what_the_model_says() {
    let (_, system) = loaded("shapes");
    let body = |name: &str| system.bodies.iter().position(|b| b.name == name).unwrap() as u32;
    let touch = |a: &str, b: &str| {
        let (a, b) = (body(a), body(b));
        !system.ignored_pairs.chunks_exact(2).any(|p| (p[0], p[1]) == (a.min(b), a.max(b)))
    };
    let (ground, solids) = ("m_ground__g", "m/solids__a");
    let (one, more, two, three) = ("m/pair__one", "m/pair__one_2", "m/pair__two", "m/pair__three");
    // Another model.
    assert!(touch(ground, solids) && touch(solids, one) && touch(solids, three) && touch(ground, two));
    // Bits 2 and 1 have none in common.
    assert!(!touch(one, two) && !touch(more, two));
    // A word of one link is enough, but Drake's groups hold these apart, and a joint the others.
    assert!(!touch(one, three) && !touch(more, three) && !touch(two, three));
}

#[test]
fn shapes_and_their_friction_are_read() {
    let (_, system) = loaded("shapes");
    let kinds = |name: &str| {
        let body = system.bodies.iter().position(|b| b.name == name).unwrap() as u32;
        let shapes = system.shapes.iter().filter(move |s| s.body == body);
        let own = |s: &vinci_core::model::Shape| {
            system.materials.pair((s.material, body), (s.material, body)).friction
        };
        shapes.map(|s| (format!("{:?}", s.kind), own(s))).collect::<Vec<_>>()
    };
    let named = |all: &[(&str, f64)]| all.iter().map(|(k, f)| ((*k).to_owned(), *f)).collect::<Vec<_>>();
    assert_eq!(kinds("m_ground__g"), named(&[("HalfSpace", 0.8), ("HalfSpace", 1.0)]));
    let solids = [
        ("Box", 0.5),
        ("Ball", 0.5),
        ("Cylinder", 0.6),
        ("Capsule", 1.0),
        ("Superellipsoid", 1.0),
        ("ConvexHull", 1.0),
    ];
    for ((kind, friction), (told, mu)) in kinds("m/solids__a").iter().zip(solids) {
        assert_eq!(kind, told);
        assert!((friction - mu).abs() < 1e-15, "{kind}: {friction}");
    }
    // The wall looks to −y.
    let wall = &system.shapes[1].pose;
    let turn = UnitQuaternion::new_normalize(nalgebra::Quaternion::new(wall[3], wall[4], wall[5], wall[6]));
    assert!((turn * Vector3::z() + Vector3::y()).norm() < 1e-15);
}

#[test]
fn includes_are_found_beside_the_file_and_in_directories_of_models() {
    let ball = std::fs::read_to_string(data().join("parts/ball.sdf")).unwrap();
    let wheel = |file: &str| std::fs::read_to_string(data().join("wheel").join(file)).unwrap();
    let (config, sdf) = (wheel("model.config"), wheel("wheel.sdf"));
    let files = [
        ("sub/ball.sdf", ball.as_str()),
        ("wheel/model.config", &config),
        ("wheel/wheel.sdf", &sdf),
        ("plain/model.sdf", &ball),
    ];
    for uri in [
        "sub/ball.sdf",
        "file://sub/ball.sdf",
        "model://sub/ball.sdf",
        "model://wheel",
        "model://plain",
        "plain",
    ] {
        let world = format!(
            "<sdf version=\"1.7\"><world name=\"w\"><include><uri>{uri}</uri></include></world></sdf>"
        );
        let model = read(&world, &files);
        let name = if uri.contains("wheel") { "wheel__disc" } else { "ball__body" };
        let links = model.links.elements();
        assert!(links.iter().any(|l| l.get("name").unwrap().as_str() == Some(name)), "{uri}");
        assert_eq!(model.extras.gravity.as_ref().unwrap().0, [0.0, 0.0, -9.8]);
    }
}

#[test]
fn what_stands_is_a_body_of_the_scene() {
    let (_, system) = loaded("world");
    for (name, mass) in [("m_table__top", 0.0), ("m_table__leg", 0.0)] {
        let body = system.bodies.iter().find(|b| b.name == name).unwrap();
        assert!(body.is_static && body.mass.mass == mass);
    }
    let static_model = "<sdf version=\"1.7\"><model name=\"m\"><static>true</static><link name=\"a\"/><link name=\"b\"/>\
        <joint name=\"j\" type=\"revolute\"><parent>a</parent><child>b</child><axis/></joint></model></sdf>";
    let model = read(static_model, &[]);
    assert!(model.links.elements().is_empty());
    assert_eq!(model.report.dropped[0].what, "joint (of a static model)");
}
