//! MJCF models against what MuJoCo's own compiler makes of them: `tests/data/mjcf/mujoco.json`, written by
//! `tests/peers/mjcf_record.py`.

use super::recorded::{check_state, in_order, numbers, same};
use super::*;
use crate::types::{Controller, Drive, Gain};
use nalgebra::DMatrix;
use serde_json::Value as Json;
use std::collections::BTreeSet;

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/mjcf")
}

fn recorded() -> Json {
    let text = std::fs::read_to_string(data().join("mujoco.json")).unwrap();
    serde_json::from_str::<Json>(&text).unwrap()["models"].clone()
}

/// A scene with a model of the data as the tree `m`.
fn loaded(model: &str, more: &str) -> (Scene, System) {
    let directory = tempfile::tempdir().unwrap();
    let scene = directory.path().join("scene.json");
    let tree = format!(r#"{{ "name": "m", "model": {:?} {more} }}"#, data().join(format!("{model}.xml")));
    std::fs::write(&scene, scene_text(&tree, "")).unwrap();
    system(&scene)
}

#[test]
fn masses_frames_and_forces_are_those_of_mujoco() {
    for (name, told) in recorded().as_object().unwrap() {
        let (_, system) = loaded(name, "");
        let part = &system.trees[0];
        let joints = part.tree.joints().iter().filter(|j| j.kind.nv() > 0);
        let theirs = told["joints"].as_array().unwrap();
        assert!(joints.map(|j| j.name.as_str()).eq(theirs.iter().map(|j| j[0].as_str().unwrap())), "{name}");
        for (body, mass) in told["masses"].as_object().unwrap() {
            let link = part.tree.links().iter().find(|l| l.name == *body).unwrap();
            same(&[link.mass], &numbers(mass), &format!("{name}: mass of {body}"));
        }
        same(&part.q, &in_order(part, &told["start"]), &format!("{name}: start"));
        let states = told["states"].as_array().unwrap();
        assert!(states.len() >= 4);
        states.iter().for_each(|state| check_state(&system, state, name));
    }
}

/// Forces of controllers, drives and damping on the joints, by their laws.
fn applied(scene: &Scene, system: &System, state: &Json) -> Vec<f64> {
    let part = &system.trees[0];
    let (tree, q, v) = (&part.tree, in_order(part, &state["q"]), in_order(part, &state["v"]));
    let mut force: Vec<f64> =
        (0..tree.nv()).map(|dof| -tree.joints()[tree.joint_of_v(dof)].damping * v[dof]).collect();
    let joint = |name: &str| tree.joints().iter().position(|j| j.name == name).unwrap();
    for (name, drive) in &scene.trees[0].drives {
        let crate::types::Dof::Force(Drive::Constant(f)) = drive else { panic!("{name}: {drive:?}") };
        force[tree.v_range(joint(name)).start] += f;
    }
    for controller in &scene.controllers {
        let Controller::Pd { kp, kd, targets, effort_limit, .. } = controller else {
            panic!("{controller:?}")
        };
        for (name, target) in targets {
            let (i, of) = (joint(name), |gain: &Gain| gain.of(name).unwrap());
            let (place, rate) = match target {
                Drive::Constant(place) => (*place, 0.0),
                Drive::Expression { expression } => {
                    (0.0, expression.strip_suffix(" * t").unwrap().parse().unwrap())
                }
                other => panic!("{other:?}"),
            };
            let (q, dof) = (q[tree.q_range(i).start], tree.v_range(i).start);
            let effort = of(kp) * (place - q) + of(kd) * (rate - v[dof]);
            let limit = effort_limit
                .as_ref()
                .and_then(|l| l.of(name))
                .or_else(|| scene.trees[0].joints.iter().find(|j| j.name == *name)?.limits?.effort);
            force[dof] += limit.map_or(effort, |limit| effort.clamp(-limit, limit));
        }
    }
    force
}

#[test]
fn servos_springs_and_keyframes_are_those_of_mujoco() {
    let told = &recorded()["servos"];
    let (scene, system) = loaded("servos", "");
    for state in told["states"].as_array().unwrap() {
        same(&applied(&scene, &system, state), &numbers(&state["applied"]), "applied");
    }
    let home = &told["keyframes"]["home"];
    let (scene, system) = loaded("servos", r#", "keyframe": "home""#);
    let part = &system.trees[0];
    same(&part.q, &in_order(part, &home["q"]), "q of the keyframe");
    same(&part.v, &in_order(part, &home["v"]), "v of the keyframe");
    same(&applied(&scene, &system, home), &numbers(&home["applied"]), "applied at the keyframe");
}

#[test]
fn couplers_and_loops_hold_what_equalities_hold() {
    let told = &recorded()["servos"];
    let (scene, _) = loaded("servos", "");
    let [coupler] = &scene.couplers[..] else { panic!("{:?}", scene.couplers) };
    assert_eq!(coupler.joints, ["m.b", "m.c"]);
    // b − 0.3 = 0.1 + 0.5 c.
    assert!((coupler.ratio, coupler.offset - 0.4) == (0.5, 0.0) || (coupler.offset - 0.4).abs() < 1e-15);
    let [sites, anchor] = &scene.joints[..] else { panic!("{:?}", scene.joints) };
    assert_eq!(sites.bodies, [Some("m/e".to_owned()), Some("m/f".to_owned())]);
    assert_eq!(sites.anchors, [vec![0.0, 0.0, 0.3], vec![0.0, 0.0, -0.2]]);
    assert_eq!(anchor.bodies, [Some("m/held".to_owned()), None]);
    let theirs = numbers(&told["anchors"]);
    same(&anchor.anchors.concat(), &theirs, "anchors");
}

/// Where the geoms of `contacts.xml` are in the scene.
const GEOMS: [(&str, &str); 11] = [
    ("standing", "m_world"),
    ("base", "m_base"),
    ("a1", "m/a"),
    ("a2", "m/a_a2"),
    ("visual", "m/a_visual"),
    ("b", "m/b"),
    ("c", "m/c"),
    ("d", "m/d"),
    ("e", "m/e"),
    ("f", "m/f"),
    ("g", "m/g"),
];

#[test]
fn geoms_touch_those_that_they_touch_in_mujoco_and_as_hard() {
    let told = &recorded()["contacts"]["contacts"];
    let (_, system) = loaded("contacts", "");
    let body = |name: &str| system.bodies.iter().position(|b| b.name == name).unwrap() as u32;
    let material = |body: u32| system.shapes.iter().find(|s| s.body == body).unwrap().material;
    let stands = |body: u32| system.bodies[body as usize].is_static;
    let mut met = 0;
    for (i, (x, a)) in GEOMS.iter().enumerate() {
        for (y, b) in &GEOMS[..i] {
            let (mut pair, ends) = ([*x, *y], [body(a), body(b)]);
            pair.sort_unstable();
            let theirs = told.get(pair.join("+")).map(|f| f.as_f64().unwrap());
            let key = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            let ignored = system.ignored_pairs.chunks_exact(2).any(|p| (p[0], p[1]) == key)
                || (stands(ends[0]) && stands(ends[1]));
            assert_eq!(theirs.is_none(), ignored, "{pair:?}");
            if let Some(friction) = theirs {
                let ours = system.materials.pair((material(ends[0]), ends[0]), (material(ends[1]), ends[1]));
                // MuJoCo keeps friction above 1e-5.
                assert!(
                    (ours.friction - friction).abs() < 1e-15,
                    "{pair:?}: {} and {friction}",
                    ours.friction
                );
                met += 1;
            }
        }
    }
    assert_eq!(met, told.as_object().unwrap().len());
    assert_eq!(system.shapes.len(), GEOMS.len());
}

#[test]
fn imported_scenes_are_the_models_to_the_bit() {
    let directory = tempfile::tempdir().unwrap();
    for name in recorded().as_object().unwrap().keys() {
        let file = data().join(format!("{name}.xml"));
        let model = read_model(&file, None, &ModelOptions::default(), &mut Diagnostics::new()).unwrap();
        let out = directory.path().join("imported.json");
        std::fs::write(&out, laid_out(&model.scene("m", false)).unwrap()).unwrap();
        let ((_, direct), (_, written)) = (loaded(name, ""), system(&out));
        assert_same(&direct, &written);
        assert_eq!(direct.gravity, written.gravity);
        assert_eq!(direct.materials, written.materials);
    }
}

/// What stands moves with the tree.
#[test]
fn a_base_moves_all_of_a_model() {
    let (_, there) = loaded("contacts", "");
    let (_, moved) = loaded("contacts", r#", "base": { "position": [1, 2, 3] }"#);
    let names: BTreeSet<&str> = there.bodies.iter().map(|b| b.name.as_str()).collect();
    assert!(names.contains("m_base"));
    for (a, b) in there.initial_pose.chunks(7).zip(moved.initial_pose.chunks(7)) {
        let offset: Vec<f64> = a.iter().zip(b).take(3).map(|(a, b)| b - a).collect();
        same(&offset, &[1.0, 2.0, 3.0], "offset");
    }
    let masses = |s: &System| DMatrix::from_iterator(1, s.bodies.len(), s.bodies.iter().map(|b| b.mass.mass));
    assert_eq!(masses(&there), masses(&moved));
}
