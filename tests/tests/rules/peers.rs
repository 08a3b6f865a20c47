//! The descriptions that other engines are given (`data/scenes`) have the numbers of Vinci's own scenes of the same name.

use std::path::Path;

use serde_json::Value;
use vinci_tests::house::root;

fn json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap()
}

/// The description, Vinci's scene, and Vinci's step, s.
fn both(name: &str) -> (Value, Value, f64) {
    let scenes = root().join("host/scenes");
    let experiment = json(&scenes.join(format!("{name}.json")));
    let scene = json(&scenes.join(experiment["scene"].as_str().unwrap()));
    let step = experiment["time"]["step"].as_f64().unwrap();
    (json(&root().join(format!("tests/data/scenes/{name}.json"))), scene, step)
}

fn number(v: &Value) -> f64 {
    v.as_f64().unwrap_or_else(|| panic!("{v} is no number"))
}

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().unwrap_or_else(|| panic!("{v} is no list")).iter().map(number).collect()
}

#[track_caller]
fn same(theirs: f64, ours: f64) {
    assert!((theirs - ours).abs() <= 1e-12 * theirs.abs().max(1e-3), "{theirs} is not {ours}");
}

#[track_caller]
fn all_same(theirs: &[f64], ours: &[f64]) {
    assert_eq!(theirs.len(), ours.len());
    theirs.iter().zip(ours).for_each(|(a, b)| same(*a, *b));
}

fn named<'a>(list: &'a Value, name: &str) -> &'a Value {
    let found = list.as_array().unwrap().iter().find(|e| e["name"] == name);
    found.unwrap_or_else(|| panic!("nothing is called {name}"))
}

#[test]
fn the_box_is_the_same_everywhere() {
    let (peer, scene, step) = both("tamsi-box");
    let (body, pair) = (named(&scene["bodies"], "box"), &scene["pairs"][0]);
    same(number(&peer["h_paper"]), step);
    all_same(&numbers(&peer["gravity"]), &numbers(&scene["gravity"]));
    same(number(&peer["body"]["mass"]), number(&body["mass"]));
    same(number(&peer["body"]["geometry"]["radius"]), number(&body["shapes"][0]["radius"]));
    same(number(&peer["contact"]["stiffness"]), number(&pair["stiffness"]));
    same(number(&peer["contact"]["hunt_crossley_dissipation"]), number(&pair["dissipation"]));
    same(number(&peer["contact"]["mu"]), number(&scene["materials"]["default"]["friction"]));
    assert_eq!(body["dofs"]["x"]["force"]["expression"], "4*cos(2*pi*t)");
    assert_eq!(
        (&peer["actuation"]["amplitude"], &peer["actuation"]["frequency_hz"]),
        (&4.0.into(), &1.0.into())
    );
    // It stands where its spring carries it.
    let (m, g, k) = (number(&body["mass"]), 9.8, number(&pair["stiffness"]));
    assert!((number(&body["position"][2]) - (0.05 - m * g / k)).abs() < 1e-9);
}

#[test]
fn the_gripper_is_the_same_everywhere() {
    let (peer, scene, step) = both("tamsi-gripper-mug");
    let (tree, mug) = (&scene["trees"][0], named(&scene["bodies"], "mug"));
    let bodies = &peer["bodies"];
    same(number(&peer["h_paper"]), step);
    for (theirs, ours) in
        [("gripper", "body"), ("right_finger", "right-finger"), ("left_finger", "left-finger")]
    {
        same(number(&bodies[theirs]["mass"]), number(&named(&tree["links"], ours)["mass"]));
    }
    same(number(&bodies["mug"]["mass"]), number(&mug["mass"]));
    all_same(&numbers(&bodies["mug"]["inertia_diag"]), &numbers(&mug["inertia"]));
    let (theirs, ours) = (&bodies["mug"]["geometry"], &mug["shapes"][0]);
    all_same(
        &[number(&theirs["radius"]), number(&theirs["length"])],
        &[number(&ours["radius"]), number(&ours["height"])],
    );
    let (pads, contact) = (&peer["pads"], &peer["contact"]);
    let x = number(&theirs["radius"]) + number(&pads["sphere_radius"]);
    for (side, finger) in [(1.0, "right-finger"), (-1.0, "left-finger")] {
        let balls = named(&tree["links"], finger)["shapes"].as_array().unwrap();
        assert_eq!(balls.len(), 8);
        for (ball, angle) in balls.iter().zip(numbers(&pads["angles_deg"])) {
            let (sin, cos) = angle.to_radians().sin_cos();
            let r = number(&pads["ring_radius"]);
            // The description counts from y, the scene from z: the same eight places.
            let expected = [side * x, r * sin, r * cos];
            let at = numbers(&ball["position"]);
            assert!(at.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{at:?} {expected:?}");
            same(number(&pads["sphere_radius"]), number(&ball["radius"]));
        }
    }
    for pair in scene["pairs"].as_array().unwrap() {
        same(number(&contact["stiffness"]), number(&pair["stiffness"]));
        same(number(&contact["hunt_crossley_dissipation"]), number(&pair["dissipation"]));
    }
    same(number(&contact["mu"]), number(&scene["materials"]["default"]["friction"]));
    same(number(&peer["actuation"]["grip_force_left_finger_x"]), number(&tree["drives"]["grip"]["force"]));
    assert_eq!(tree["drives"]["lift"]["force"]["expression"], "1.088882*0.15*(4*pi)^2*sin(4*pi*t)");
    let lift = &peer["actuation"]["gripper_z"];
    let (amplitude, omega) = (number(&lift["A"]), 2.0 * std::f64::consts::PI / number(&lift["T"]));
    same(-amplitude * omega, number(&tree["velocity"]["lift"]));
    same(-amplitude * omega, number(&mug["velocity"][2]));
}

#[test]
fn the_hand_is_the_same_everywhere() {
    let (peer, scene, step) = both("tamsi-allegro-mug");
    let (tree, mug, pd) = (&scene["trees"][0], named(&scene["bodies"], "mug"), &scene["controllers"][0]);
    same(number(&peer["h_paper"]), step);
    for key in ["rotor_inertia", "gear_ratio"] {
        same(number(&peer["hand"][key]), number(&tree["joint_values"]["*"][key]));
    }
    let unit = &peer["hand"]["pd"];
    let (inertia, omega) = (number(&unit["inertia"]), number(&unit["frequency_rad_s"]));
    same(inertia * omega * omega, number(&pd["kp"]));
    same(2.0 * number(&unit["zeta"]) * omega * inertia, number(&pd["kd"]));
    let (plan, contact, materials) = (&peer["open_loop"], &peer["contact"], &scene["materials"]);
    let starts = numbers(&plan["start"]);
    for (k, joint) in plan["order"].as_array().unwrap().iter().enumerate() {
        let joint = joint.as_str().unwrap();
        same(starts[k], tree["start"][joint].as_f64().unwrap_or(0.0));
        let target = &pd["targets"][joint];
        let grasp = number(&plan["grasp"][k]);
        match target["keyframes"].as_array() {
            Some(frames) => {
                let thumb = plan["thumb_open"].get(k).map_or(0.0, number);
                all_same(
                    &[starts[k], thumb, grasp],
                    &frames.iter().map(|f| number(&f[1])).collect::<Vec<_>>(),
                );
            }
            None => assert!(
                target["expression"]
                    .as_str()
                    .unwrap()
                    .starts_with(&format!("{grasp}*min(max(t - 0.5, 0), 1)"))
            ),
        }
    }
    let surface = |name: &str, key: &str| number(&materials[name][key]);
    same(number(&contact["stiffness_tip"]), surface("tip", "stiffness"));
    same(number(&contact["stiffness_other"]), surface("default", "stiffness"));
    same(number(&contact["mu_tip"]), surface("tip", "friction"));
    same(number(&contact["mu_mug"]), surface("default", "friction"));
    same(number(&contact["hunt_crossley_dissipation"]), surface("tip", "dissipation"));
    the_mug(&peer["mug"], mug);
}

/// The description has a frame of its own, Vinci's the centre of mass.
fn the_mug(theirs: &Value, ours: &Value) {
    same(number(&theirs["mass"]), number(&ours["mass"]));
    all_same(&numbers(&theirs["inertia_diag"]), &numbers(&ours["inertia"]));
    let (com, at) = (numbers(&theirs["com"]), numbers(&theirs["initial_pose"]["position"]));
    // A quarter turn about x: y goes to z, z to −y.
    let expected = [at[0] + com[0], at[1] - com[2], at[2] + com[1]];
    let found = numbers(&ours["position"]);
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{found:?} {expected:?}");
    for (shape, name) in [(0, "cylinder"), (1, "handle_box")] {
        let centre = numbers(&theirs[name]["centre"]);
        let place = numbers(&ours["shapes"][shape]["position"]);
        assert!((0..3).all(|k| (centre[k] - com[k] - place[k]).abs() < 1e-15), "{name}");
    }
    let (wall, cylinder) = (&theirs["cylinder"], &ours["shapes"][0]);
    same(number(&wall["radius"]), number(&cylinder["radius"]));
    same(number(&wall["length"]), number(&cylinder["height"]));
    all_same(&numbers(&theirs["handle_box"]["size"]), &numbers(&ours["shapes"][1]["size"]));
}
