//! Controllers and driven joints of scenes: what is refused, in which words.

use super::super::*;
use super::Files;
use serde_json::{Value, json};

fn scene(drives: Value, controller: Value) -> Value {
    json!({
        "format": "vinci/scene@1", "space": "spatial", "bodies": [],
        "trees": [{
            "name": "arm",
            "links": [{"name": "l1", "mass": 1, "inertia": [1, 1, 1]}, {"name": "l2", "mass": 1, "inertia": [1, 1, 1]},
                {"name": "l3", "mass": 1, "inertia": [1, 1, 1]}],
            "joints": [{"name": "j1", "kind": "revolute", "child": "l1"},
                {"name": "j2", "kind": "revolute", "parent": "l1", "child": "l2", "position": [1, 0, 0]},
                {"name": "b", "kind": "ball", "parent": "l2", "child": "l3", "position": [0.5, 0, 0]}],
            "drives": drives
        }],
        "controllers": [controller]
    })
}

/// The first line of what is said of a scene.
fn said(drives: Value, controller: Value) -> String {
    let files = Files::new([("s.json", scene(drives, controller).to_string().as_str())]);
    match load_scene(&files.path("s.json")) {
        Err(diagnostics) => {
            let first = diagnostics.iter().next().unwrap();
            format!("{} [{}] {}", first.message, first.code.name(), first.help.as_deref().unwrap_or_default())
        }
        Ok(loaded) => {
            let (system, _) = compile(&loaded.scene, &loaded.node).unwrap();
            match compile_controllers(&loaded.scene, &loaded.node, &system) {
                Ok(_) => String::new(),
                Err(diagnostics) => diagnostics.iter().next().unwrap().message.clone(),
            }
        }
    }
}

fn pd(more: Value) -> Value {
    let mut law =
        json!({"type": "pd", "name": "c", "tree": "arm", "kp": 10, "kd": 1, "targets": {"j1": 0.5}});
    for (key, value) in more.as_object().unwrap() {
        law[key] = value.clone();
    }
    law
}

#[test]
fn sound_controllers_are_taken() {
    for law in [
        pd(json!({})),
        pd(json!({"kp": {"j1": 3}, "effort_limit": {"j1": 2}, "gravity_compensation": true})),
        pd(
            json!({"targets": {}, "keyframes": [{"t": 0, "q": {"j1": 0, "j2": 1}}, {"t": 1, "q": {"j1": 1, "j2": 0}}]}),
        ),
        json!({"type": "inverse-dynamics", "tree": "arm", "kp": 10, "kd": 1, "cartesian":
            {"link": "l3", "keyframes": [{"t": 0, "position": [1, 0.5, 0]}, {"t": 1, "position": [1.2, 0.3, 0]}]}}),
        json!({"type": "gravity-compensation", "tree": "arm", "joints": ["j1", "b"], "bias": true}),
        json!({"type": "grip-force", "tree": "arm", "joints": ["j1", "j2"], "force": {"expression": "t"}, "limits": [0, 5],
            "feedback": {"between": [["arm/l1", "arm/l3"]], "kp": 0.1, "ki": 1}}),
    ] {
        assert_eq!(said(json!({"j2": "free"}), law.clone()), "", "{law}");
    }
    assert_eq!(said(json!({"j2": {"position": {"expression": "t"}}, "b": "locked"}), pd(json!({}))), "");
}

#[test]
fn controllers_that_cannot_be_are_refused_in_these_words() {
    let free = || json!({});
    let cases: Vec<(Value, Value, &str)> = vec![
        (
            free(),
            pd(json!({"tree": "amr"})),
            "there is no tree `amr` [unknown-name] did you mean `arm`? trees of this scene: `arm`",
        ),
        (
            free(),
            pd(json!({"targets": {"j": 0}})),
            "tree `arm` has no joint `j` [unknown-name] did you mean `j1`? its joints: `j1`, `j2`, `b`",
        ),
        (
            free(),
            pd(json!({"targets": {"b": 0}})),
            "joint `arm.b` is ball, and controller `c` drives it [contradiction] controllers drive revolute, continuous and prismatic joints",
        ),
        (
            free(),
            pd(json!({"kp": -1})),
            "`kp` of controller `c` must not be negative, found -1 [out-of-range] ",
        ),
        (
            free(),
            pd(json!({"kd": {"j1": -2}})),
            "`kd` of controller `c` must not be negative, found -2 [out-of-range] ",
        ),
        (
            free(),
            pd(json!({"kp": {"j2": 2}})),
            "`kp` of controller `c` has no number for joint `j1` [missing-key] give one per joint, or one number for all",
        ),
        (
            free(),
            pd(json!({"effort_limit": 0})),
            "`effort_limit` of controller `c` must be positive, found 0 [out-of-range] ",
        ),
        (
            free(),
            pd(json!({"targets": {}})),
            "controller `c` needs one goal [missing-key] give `targets` (by joint), or `keyframes`, or for inverse dynamics `cartesian`, and only one",
        ),
        (
            free(),
            pd(json!({"targets": {}, "keyframes": [{"t": 1, "q": {"j1": 0}}, {"t": 1, "q": {"j1": 1}}]})),
            "keyframe times must increase, but 1 follows 1 [bad-keyframes] put the keyframes in order of time",
        ),
        (
            free(),
            pd(
                json!({"targets": {}, "keyframes": [{"t": 0, "q": {"j1": 0, "j2": 0}}, {"t": 1, "q": {"j1": 1}}]}),
            ),
            "keyframe 1 of controller `c` names other joints than keyframe 0 [bad-keyframes] give all of `j1`, `j2`",
        ),
        (
            free(),
            pd(json!({"targets": {"j1": {"expression": "q"}}})),
            "unknown variable `q` [bad-expression] known here: `t`, `pi`",
        ),
        (
            json!({"j1": "locked"}),
            pd(json!({})),
            "joint `arm.j1` is locked, and controller `c` drives it too [contradiction] a prescribed joint feels no force: take it out of `drives`, or out of the controller",
        ),
        (
            json!({"j1": {"position": 0}}),
            pd(json!({})),
            "joint `arm.j1` is prescribed by its drive `position`, and controller `c` drives it too [contradiction] a prescribed joint feels no force: take it out of `drives`, or out of the controller",
        ),
        (
            json!({"j3": "locked"}),
            pd(json!({})),
            "tree `arm` has no joint `j3` [unknown-name] did you mean `j1`? its joints: `j1`, `j2`, `b`",
        ),
        (
            json!({"b": {"position": 0}}),
            pd(json!({})),
            "joint `arm.b` is ball and can be locked, not driven [contradiction] drives move revolute, continuous and prismatic joints: build the joint of those",
        ),
        (
            json!({"j2": {"position": 0.5}}),
            pd(json!({})),
            "the drive of joint `arm.j2` begins at 0.5, but the joint starts at 0 [contradiction] say where it starts: \"start\": { \"j2\": 0.5 }",
        ),
    ];
    for (drives, law, expected) in cases {
        assert_eq!(said(drives, law.clone()), expected, "{law}");
    }
}

#[test]
fn grips_and_ways_that_cannot_be_are_refused_in_these_words() {
    let way = |cartesian: Value| json!({"type": "inverse-dynamics", "name": "c", "tree": "arm", "kp": 1, "kd": 1, "cartesian": cartesian});
    let grip = |more: Value| {
        let mut law = json!({"type": "grip-force", "name": "c", "tree": "arm", "joints": ["j1"], "force": 1});
        more.as_object().unwrap().iter().for_each(|(key, value)| law[key] = value.clone());
        law
    };
    let turned = json!([{"t": 0, "position": [1, 0, 0], "orientation": {"rpy": [0, 0, 0]}}, {"t": 1, "position": [1, 0, 0]}]);
    let cases: Vec<(Value, &str)> = vec![
        (
            way(json!({"link": "l4", "keyframes": [{"t": 0, "position": [1, 0, 0]}]})),
            "tree `arm` has no link `l4` [unknown-name] did you mean `l1`? its links: `l1`, `l2`, `l3`",
        ),
        (
            way(json!({"link": "l3", "keyframes": turned})),
            "1 of 2 keyframes have an orientation [bad-keyframes] give it in all of them, or in none",
        ),
        (
            way(
                json!({"link": "l3", "keyframes": [{"t": 0, "position": [1, 0.5, 0]}, {"t": 1, "position": [2, 0, 0]}]}),
            ),
            "controller `c`: keyframe 1 is out of reach of link `l3`: 5.000e-1 (m and rad) are left",
        ),
        (
            way(json!({"link": "l3", "keyframes": [{"t": 0, "position": [1, 0.5, 0.25]}]})),
            "controller `c`: keyframe 0 is out of reach of link `l3`: 2.500e-1 (m and rad) are left",
        ),
        (
            grip(json!({"limits": [2, 1]})),
            "the limits of controller `c` are crossed: 2 is above 1 [contradiction] exchange them",
        ),
        (
            grip(json!({"joints": []})),
            "controller `c` names no joint [missing-key] name the joints it drives",
        ),
        (
            grip(json!({"joints": ["b"]})),
            "joint `arm.b` is ball, and controller `c` drives it [contradiction] controllers drive revolute, continuous and prismatic joints",
        ),
        (
            grip(json!({"feedback": {"between": [["arm/l1", "arm/l9"]], "kp": 0, "ki": 1}})),
            "there is no body `arm/l9` [unknown-name] did you mean `arm/l1`? bodies of this scene: `arm/l1`, `arm/l2`, `arm/l3`",
        ),
        (
            grip(json!({"feedback": {"between": [["arm/l1", "arm/l2"]], "kp": -1, "ki": 1}})),
            "`controllers[0].feedback.kp` must be at least 0, found -1 [out-of-range] Force per error",
        ),
    ];
    for (law, expected) in cases {
        assert_eq!(said(json!({}), law.clone()), expected, "{law}");
    }
    let mut planar = scene(json!({}), grip(json!({})));
    planar["space"] = "planar".into();
    let files = Files::new([("s.json", planar.to_string().as_str())]);
    let diagnostics = load_scene(&files.path("s.json")).unwrap_err().to_string();
    assert!(diagnostics.contains("unknown key `controllers` in the scene"), "{diagnostics}");
}
