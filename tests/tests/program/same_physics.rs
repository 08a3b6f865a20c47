//! One physics for every stepper, or a warning: what is ignored, read in another sense or refused is told before the
//! run; manifests say of every parameter what the code does with it; solvers of cones are the default in space.

use std::path::Path;

use serde_json::{Value, json};
use vinci_abi::parameters::PARAMETERS;
use vinci_abi::{Reading, Role};
use vinci_run::physics::option_in_force;
use vinci_tests::experiment::{experiment, ground, planar, set, shipped, spatial, timed, with};
use vinci_tests::house;
use vinci_tests::program::{output_text, vinci};
use vinci_tests::run::run;

/// A command on an experiment in a directory: exit code, and all that it said.
fn said_in(directory: &Path, command: &str, e: &Value, more: &[&str]) -> (Option<i32>, String) {
    let path = directory.join("e.json");
    std::fs::write(&path, serde_json::to_string_pretty(e).unwrap()).unwrap();
    let output = vinci(&[&[command, path.to_str().unwrap()], more].concat());
    (output.status.code(), output_text(&output))
}

fn said(command: &str, e: &Value, more: &[&str]) -> (Option<i32>, String) {
    said_in(tempfile::tempdir().unwrap().path(), command, e, more)
}

/// What `run` leaves in its directory.
fn ran(e: &Value, more: &[&str]) -> (String, Value, Value) {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let (code, text) =
        said_in(directory.path(), "run", e, &[&["--out", out.to_str().unwrap()], more].concat());
    assert_eq!(code, Some(0), "{text}");
    let read = |file: &str| serde_json::from_str(&std::fs::read_to_string(out.join(file)).unwrap()).unwrap();
    (text, read("summary.json"), read("experiment.json"))
}

fn without_solver(e: &Value) -> Value {
    let mut e = e.clone();
    e.as_object_mut().unwrap().remove("solver");
    e
}

/// A ball above the ground of a spatial scene.
fn dropped(mu: f64, e: f64) -> Value {
    let ball = json!({"name": "ball", "mass": 1, "shapes": [{"type": "ball", "radius": 0.1}], "position": [0, 0, 0.6]});
    experiment(spatial(mu, e, json!([ground("spatial"), ball])), 0.01, 0.05)
}

const IGNORED: &str = "vinci.stepper.anitescu-qp ignores `restitution` (0.8 between `ground` and `ball`)";

#[test]
fn what_is_ignored_is_told_with_its_value_and_two_bodies_by_every_command() {
    let e = with(&shipped("bouncing-ball"), "anitescu-qp", "active-set");
    let (code, checked) = said("check", &e, &[]);
    assert_eq!(code, Some(0), "{checked}");
    assert!(checked.contains(&format!("warning[physics]: {IGNORED}")), "{checked}");
    let place = checked.lines().any(|line| line.contains("\"restitution\": 0.8"));
    assert!(place, "it points at the value: {checked}");
    let explained = said("explain", &e, &[]).1;
    assert!(explained.contains("restitution: ignored (0.8 between `ground` and `ball`)"), "{explained}");
    assert!(explained.contains(&format!("warning    {IGNORED}")), "{explained}");
    let (told, summary, _) = ran(&e, &["--duration", "0.02"]);
    assert!(told.contains(&format!("warning[physics]: {IGNORED}")), "{told}");
    assert_eq!(summary["warnings"], json!([IGNORED]));
    assert_eq!(said("check", &e, &["--strict"]).0, Some(3));
}

#[test]
fn what_is_neutral_or_read_is_not_told() {
    // No restitution there; friction is the relaxed model's own.
    let e = with(&shipped("sliding-block"), "anitescu-qp", "active-set");
    let text = said("check", &e, &[]).1;
    assert!(!text.contains("restitution") && !text.contains("stiffness"), "{text}");
    let hovers = "vinci.stepper.anitescu-qp reads `friction` in another sense: relaxed, a contact that slides at v_t hovers at \
                  h μ |v_t|; where a slide begins it is thrown up at μ |v_t| whatever the step (0.5 between `ground` and `block`)";
    assert!(text.contains(hovers), "{text}");
    let repaired = said("check", &set(&e, "/stepper/options/repair", "iterated"), &[]).1;
    assert!(repaired.ends_with("e.json: ok\n"), "{repaired}");
    for name in ["bouncing-ball", "sliding-block", "woodpecker", "compliant-bounce"] {
        let text = said("check", &shipped(name), &[]).1;
        assert!(!text.contains("warning[physics]") && text.contains("e.json: ok"), "{name}: {text}");
    }
    // Damping says nothing of a rigid pair.
    let mut rigid = shipped("sliding-block");
    rigid["scene"]["materials"]["default"]["damping"] = 5.into();
    assert!(said("check", &rigid, &[]).1.ends_with("e.json: ok\n"));
}

#[test]
fn compliance_that_rigid_steppers_ignore_is_told() {
    let mut e = shipped("sliding-block");
    let soft = json!({"stiffness": 1e5, "damping": 20, "dissipation": 3});
    for (key, value) in soft.as_object().unwrap() {
        e["scene"]["materials"]["default"][key] = value.clone();
    }
    let text = said("check", &e, &[]).1;
    for (parameter, value) in [("stiffness", "50000 N/m"), ("damping", "10 N s/m"), ("dissipation", "3 s/m")]
    {
        let line = format!(
            "vinci.stepper.stewart-trinkle ignores `{parameter}` ({value} between `ground` and `block`)"
        );
        assert!(text.contains(&line), "{line}\n{text}");
    }
}

/// Matrices of a patch of two nodes are for edges: what has one may meet, what is round is refused before the run, by `check` too.
#[test]
fn matrices_of_two_nodes_are_for_edges() {
    let matrix = json!([[1e4, 0, 0, 0], [0, 8e3, 0, 0], [0, 0, 1e4, 0], [0, 0, 0, 8e3]]);
    let with_matrix = |name: &str| {
        let mut e = shipped(name);
        e["stepper"]["options"]["nodes"] = 2.into();
        e["stepper"]["options"]["K"] = matrix.clone();
        e
    };
    let (code, edge) = said("check", &with_matrix("micro-slip-patch"), &[]);
    assert_eq!(code, Some(0), "{edge}");
    assert_eq!(ran(&with_matrix("micro-slip-patch"), &["--duration", "0.6"]).1["status"], "completed");
    let (code, round) = said("check", &with_matrix("compliant-bounce"), &[]);
    assert_eq!(code, Some(3), "{round}");
    let why = "the run would end where `ground` and `ball` meet: vinci.stepper.song-pang-kumar refuses: shapes 0 and 1 touch in a patch of 1 node(s)";
    assert!(round.contains(why) && round.contains("\"plugin\""), "{round}");
}

/// A layer per area is told as that of a cell, at the place of the patch; it makes the pair compliant to steppers that need that.
#[test]
fn layers_of_patches_are_told_and_count_as_stiffness() {
    let mut e = dropped(0.3, 0.0);
    e["scene"]["patches"] =
        json!([{ "bodies": ["ball", "ground"], "cell": 0.01, "stiffness": 2e9, "damping": 1e5 }]);
    let text = said("check", &e, &[]).1;
    for (parameter, value) in [("stiffness", "200000 N/m"), ("damping", "10 N s/m")] {
        let line = format!(
            "vinci.stepper.stewart-trinkle ignores `{parameter}` ({value} a cell of the patch between `ground` and `ball`)"
        );
        assert!(text.contains(&line), "{line}\n{text}");
    }
    assert!(text.lines().any(|line| line.contains("\"damping\": 100000")), "it points at the patch: {text}");
    let tamsi = said("check", &with(&e, "tamsi", "newton-tals"), &[]).1;
    assert!(!tamsi.contains("rigid to each other"), "{tamsi}");
}

#[test]
fn regularised_friction_is_told_with_the_speed_in_force() {
    let words = |v: &str| {
        format!(
            "vinci.stepper.tamsi reads `friction` in another sense: regularised, in full above {v} m/s only: what sticks creeps"
        )
    };
    let e = shipped("tamsi-box");
    let text = said("check", &e, &[]).1;
    assert!(text.contains(&words("0.0001")), "{text}");
    let text = said("check", &set(&e, "/stepper/options/stiction_velocity", 0.002), &[]).1;
    assert!(text.contains(&words("0.002")), "{text}");
}

#[test]
fn a_velocity_at_the_start_that_the_motion_forgets_is_told() {
    let e = set(&shipped("sliding-block"), "/stepper/options", json!({"motion": "quasi-dynamic"}));
    let text = said("check", &e, &[]).1;
    assert!(text.contains("`block.vx` is 2 at the start, and quasi-dynamic motion ignores it"), "{text}");
    assert!(!said("check", &shipped("sliding-block"), &[]).1.contains("at the start"));
    let spins = set(&e, "/scene/bodies/1/angular_velocity", 1.0);
    let text = said("check", &spins, &[]).1;
    assert!(text.contains("quasi-dynamic motion ignores it, and one more velocity"), "{text}");
}

#[test]
fn a_swap_by_an_event_is_told_before_the_run_and_in_its_summary() {
    let mut e = timed(&shipped("bouncing-ball"), 0.01, 0.05);
    let swap = json!({"stepper": "anitescu-qp", "solver": "active-set"});
    e["events"] = json!([{"at": 0.02, "swap": swap}]);
    let (told, summary, _) = ran(&e, &[]);
    assert!(told.contains(&format!("event 1 (at 0.02 s): {IGNORED}")), "{told}");
    assert_eq!(summary["warnings"], json!([format!("event 1 at t = 0.02 s: {IGNORED}")]));
}

// ---- Polygons ----

#[test]
fn polygons_in_space_are_told_and_cones_are_not() {
    let polygons = "friction at contacts is bounded by polygons of 8 directions, up to 7.6 % too weak and 22.5° off the slip";
    let e = dropped(0.4, 0.0);
    let (told, summary, _) = ran(&e, &[]);
    assert!(told.contains(&format!("warning[physics]: {polygons}")), "{told}");
    assert_eq!(summary["warnings"], json!([polygons]));
    let cones = with(&e, "stewart-trinkle", "nsgs");
    assert!(said("check", &cones, &[]).1.ends_with("e.json: ok\n"));
    assert!(said("check", &dropped(0.0, 0.0), &[]).1.ends_with("e.json: ok\n"), "no friction, no circle");
    let bridged = set(&e, "/stepper/options/friction", "cone");
    let text = said("check", &bridged, &[]).1;
    let sixteen = "friction at contacts is bounded by polygons of 16 directions, up to 1.9 % too weak and 11.2° off the slip for \
                   vinci.solver.lemke";
    assert!(text.contains(sixteen), "{text}");
    let cases = with(&shipped("grasp-cylinder-3d"), "quasistatic-miqp", "branch-and-bound");
    let text = said("check", &cases, &[]).1;
    assert!(text.contains("bounded by polygons of 4 directions, up to 29.3 % too weak"), "{text}");
}

// ---- What a run would refuse ----

#[test]
fn rigid_pairs_that_may_meet_are_refused_by_check_where_a_stiffness_is_needed() {
    let line = |id: &str| {
        format!(
            "`ground` and `ball` may meet and are rigid to each other; vinci.stepper.{id} needs a stiffness: it ends the run when \
             they meet"
        )
    };
    for id in ["tamsi", "implicit-euler"] {
        let e = with(&shipped("bouncing-ball"), id, "newton-tals");
        for command in ["check", "run"] {
            let (code, text) = said(command, &e, &[]);
            assert_eq!(code, Some(3), "{command}: {text}");
            assert!(text.contains(&line(id)), "{command}: {text}");
        }
        let soft = set(&e, "/scene/materials/default/stiffness", 1e5);
        assert_eq!(said("check", &soft, &[]).0, Some(0));
        let apart = set(&e, "/scene/ignore_contacts", json!([["ground", "ball"]]));
        assert_eq!(said("check", &apart, &[]).0, Some(0), "they never meet");
    }
}

#[test]
fn bodies_that_never_move_do_not_meet_and_pairs_have_values_of_their_own() {
    let mut e = with(&shipped("bouncing-ball"), "tamsi", "newton-tals");
    let post = json!({"name": "post", "mass": 1, "shapes": [{"type": "disc", "radius": 0.1}], "position": [3, 0.5],
        "dofs": {"x": "locked", "y": "locked", "angle": "locked"}});
    e["scene"]["bodies"].as_array_mut().unwrap().push(post);
    e["scene"]["pairs"] = json!([{"bodies": ["ground", "ball"], "stiffness": 1e5}]);
    let (code, text) = said("check", &e, &[]);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("`ball` and `post` may meet and are rigid to each other; vinci"), "{text}");
    e["scene"]["pairs"].as_array_mut().unwrap().push(json!({"bodies": ["post", "ball"], "stiffness": 1e5}));
    assert_eq!(said("check", &e, &[]).0, Some(0), "post and ground both stand still");
}

#[test]
fn what_no_solver_can_be_given_once_two_bodies_meet_is_found_before() {
    // Nothing touches at the start, so the first problem has no friction, and any program would do.
    // Cones would reach it by De Saxcé's programs; polygons of pairs do not.
    let e = with(&dropped(0.5, 0.0), "stewart-trinkle", "active-set");
    assert_eq!(said("check", &e, &[]).0, Some(0));
    let e = set(&e, "/stepper/options/friction", "pyramid");
    let (code, text) = said("check", &e, &[]);
    assert_eq!(code, Some(3), "{text}");
    let line = "the run would end where `ground` and `ball` meet: no solver can be given its problem: Mlcp as Conic refuses it";
    assert!(text.contains(line), "{text}");
    let smooth = set(
        &with(&dropped(0.0, 0.0), "stewart-trinkle", "active-set"),
        "/stepper/options/friction",
        "pyramid",
    );
    assert_eq!(said("check", &smooth, &[]).0, Some(0));
}

#[test]
fn a_law_of_impact_that_the_solver_cannot_have_is_found_before_the_impact() {
    let e = with(&dropped(0.5, 0.3), "trapezoidal", "nsgs");
    let (code, text) = said("check", &e, &[]);
    assert_eq!(code, Some(3), "{text}");
    let line = "the run would end where `ground` and `ball` meet: vinci.stepper.trapezoidal refuses: Poisson's law of impact";
    assert!(text.contains(line), "{text}");
    let newton = set(&e, "/stepper/options/impact_law", "newton");
    assert_eq!(said("check", &newton, &[]).0, Some(0));
    let plastic = with(&dropped(0.5, 0.0), "trapezoidal", "nsgs");
    assert_eq!(said("check", &plastic, &[]).0, Some(0));
}

// ---- Defaults ----

#[test]
fn without_a_solver_one_of_cones_is_taken_in_space_and_an_exact_one_in_the_plane() {
    let (space, plane) = (without_solver(&dropped(0.4, 0.0)), without_solver(&shipped("sliding-block")));
    let soft = |e: &Value| set(e, "/scene/materials/default/stiffness", 1e5);
    let stepper = |e: &Value, id: &str, options: Value| {
        let e = set(e, "/stepper/plugin", id);
        set(&e, "/stepper/options", options)
    };
    let cases = [
        (space.clone(), "nsgs"),
        (plane.clone(), "lemke"),
        (stepper(&space, "stewart-trinkle", json!({"friction": "pyramid"})), "lemke"),
        (stepper(&space, "anitescu-qp", json!({})), "clarabel"),
        (stepper(&plane, "anitescu-qp", json!({})), "active-set"),
        (stepper(&plane, "anitescu-qp", json!({"smoothing": {"kappa": 100}})), "newton-tals"),
        (soft(&stepper(&space, "tamsi", json!({}))), "newton-tals"),
        (without_solver(&shipped("gripper-2d-miqp")), "branch-and-bound"),
        (without_solver(&shipped("spin-tripod")), "nsgs"),
    ];
    for (e, solver) in cases {
        let (code, text) = said("explain", &e, &[]);
        assert_eq!(code, Some(0), "{solver}: {text}");
        assert!(text.contains(&format!("solver     vinci.solver.{solver} ")), "{solver}: {text}");
        assert!(text.contains("the default here: the experiment names no solver"), "{solver}: {text}");
        assert!(!text.contains("polygon") || solver == "lemke", "{solver}: {text}");
    }
}

#[test]
fn a_default_solver_is_recorded_and_gives_way_to_one_that_is_named() {
    let e = without_solver(&dropped(0.4, 0.0));
    let (_, summary, resolved) = ran(&e, &[]);
    assert_eq!(summary["solver"]["id"], "vinci.solver.nsgs");
    assert_eq!(resolved["solver"], json!({"plugin": "vinci.solver.nsgs"}));
    let named = ran(&with(&dropped(0.4, 0.0), "stewart-trinkle", "nsgs"), &[]).1;
    assert_eq!(summary["trajectory_hash"], named["trajectory_hash"]);
    assert_eq!(ran(&e, &["--solver", "lemke"]).1["solver"]["id"], "vinci.solver.lemke");
    // A stepper that takes over gets a solver of its own.
    let mut swapped = without_solver(&timed(&shipped("sliding-block"), 0.01, 0.05));
    swapped["events"] = json!([{"at": 0.02, "swap": {"stepper": {"plugin": "anitescu-qp", "options": {"repair": "iterated"}}}}]);
    let (told, summary, _) = ran(&swapped, &[]);
    assert_eq!(summary["solver"]["id"], "vinci.solver.lemke", "{told}");
    assert_eq!(summary["steps"], 5);
}

#[test]
fn every_option_of_every_plugin_has_a_default_that_is_told() {
    let registry = house::registry();
    let mut options = 0;
    for role in Role::ALL {
        for manifest in registry.manifests(role).iter().filter(|m| m.id.starts_with("vinci.")) {
            let Some(properties) = manifest.options["properties"].as_object() else { continue };
            let info = output_text(&vinci(&["plugin", "info", &manifest.id]));
            for (name, schema) in properties {
                let default = schema.get("default").unwrap_or_else(|| panic!("{}: {name}", manifest.id));
                let words = if default.is_null() { "none".to_owned() } else { default.to_string() };
                let line = format!("  {name} (default {words})\n");
                assert!(info.contains(&line), "{}: {line}\n{info}", manifest.id);
                options += 1;
            }
        }
    }
    assert!(options > 100, "{options}");
}

#[test]
fn the_motion_model_in_force_is_told() {
    for (id, line) in [
        ("anitescu-qp", "dynamic by default; bodies may ask for dynamic, quasi-static, quasi-dynamic"),
        ("quasistatic-miqp", "quasi-static by default; bodies may ask for quasi-static"),
        ("trapezoidal", "dynamic by default; bodies may ask for dynamic"),
        ("tamsi", "dynamic by default; bodies may ask for dynamic, first-order, quasi-dynamic"),
    ] {
        let text = output_text(&vinci(&["plugin", "info", &format!("vinci.stepper.{id}")]));
        assert!(text.contains(&format!("motion        {line}\n")), "{id}: {text}");
    }
    for (name, line) in [
        ("sliding-block", "motion: dynamic\n"),
        ("push-disk-qp", "motion: quasi-dynamic\n"),
        ("gripper-2d-miqp", "motion: quasi-static\n"),
    ] {
        let text = said("explain", &shipped(name), &[]).1;
        assert!(text.contains(line), "{name}: {text}");
    }
    let own = set(&shipped("sliding-block"), "/scene/bodies/1/motion", "quasi-dynamic");
    let text = said("explain", &own, &[]).1;
    assert!(text.contains("motion: quasi-dynamic\n"), "{text}");
    // Values in force, given ones first.
    let text = said("explain", &shipped("puck-pyramid"), &[]).1;
    assert!(text.contains("           given    friction_directions 4\n"), "{text}");
    let mut defaults = text.lines().filter(|l| l.starts_with("           default  "));
    let defaults = defaults.find(|l| l.contains("correction_speed 0.5")).unwrap();
    assert!(defaults.contains("friction \"auto\", motion \"dynamic\""), "{defaults}");
}

// ---- Manifests against their code ----

/// A planar world in which every contact parameter has an effect under some stepper: a disc that falls aslant.
fn disc(values: &Value) -> Value {
    let disc = json!({"name": "disc", "mass": 1, "shapes": [{"type": "disc", "radius": 0.1}], "position": [0, 0.11],
        "velocity": [1, -1], "angular_velocity": 2});
    let mut scene = planar(0.3, 0.0, json!([ground("planar"), disc]));
    scene["materials"]["default"] = values.clone();
    experiment(scene, 0.002, 0.06)
}

/// A block that a driven finger squeezes against a wall, for quasi-static steppers.
fn squeezed(values: &Value) -> Value {
    let shape = json!([{"type": "box", "size": [0.1, 0.1]}]);
    let wall = json!({"name": "wall", "static": true, "shapes": shape, "position": [0.1, 0.05]});
    let block = json!({"name": "block", "mass": 1, "shapes": shape, "position": [0, 0.06]});
    let push = json!({"velocity": 0.05});
    let finger = json!({"name": "finger", "mass": 1, "shapes": shape, "position": [-0.1, 0.06],
        "dofs": {"x": push, "y": {"velocity": 0.02}, "angle": "locked"}});
    let mut scene = planar(0.3, 0.0, json!([ground("planar"), wall, block, finger]));
    scene["materials"]["default"] = values.clone();
    scene["ignore_contacts"] = json!([["ground", "finger"]]);
    timed(&experiment(scene, 0.01, 0.05), 0.01, 0.05)
}

/// Positions and impulses of all steps, to the bit.
fn trajectory(e: &Value) -> Vec<Vec<u64>> {
    let bits = |m: &vinci_tests::run::Moment| {
        let touches = m.touches.iter().flat_map(|t| t.impulse);
        m.q.iter().copied().chain(touches).map(f64::to_bits).collect()
    };
    run(e).moments.iter().map(bits).collect()
}

/// Of every contact parameter a second value.
fn other(parameter: &str) -> Value {
    match parameter {
        "friction" => 0.1.into(),
        "restitution" => 0.6.into(),
        "stiffness" => 4e4.into(),
        "damping" => 30.into(),
        _ => 8.into(),
    }
}

#[test]
fn manifests_say_of_every_contact_parameter_what_the_code_does_with_it() {
    let base =
        json!({"friction": 0.3, "restitution": 0.2, "stiffness": 2e4, "damping": 10, "dissipation": 1});
    type Make = fn(&Value) -> Value;
    let cases: [(&str, &str, Value, Make); 10] = [
        ("stewart-trinkle", "lemke", json!({}), disc),
        ("anitescu-potra", "lemke", json!({}), disc),
        ("trapezoidal", "lemke", json!({}), disc),
        ("song-pang-kumar", "lemke", json!({}), disc),
        ("anitescu-qp", "active-set", json!({}), disc),
        ("anitescu-qp", "active-set", json!({"repair": "iterated"}), disc),
        ("tamsi", "newton-tals", json!({}), disc),
        ("implicit-euler", "newton-tals", json!({}), disc),
        ("quasistatic-miqp", "branch-and-bound", json!({"squeeze": "current"}), squeezed),
        ("quasistatic-miqp", "branch-and-bound", json!({"squeeze": "none"}), squeezed),
    ];
    for (stepper, solver, options, make) in cases {
        let e =
            |values: &Value| set(&with(&make(values), stepper, solver), "/stepper/options", options.clone());
        let before = trajectory(&e(&base));
        let used = simulation_used(&e(&base));
        for parameter in &PARAMETERS[..5] {
            let changed = trajectory(&e(&set(&base, &format!("/{parameter}"), other(parameter)))) != before;
            let reading = used.manifest.parameters.reading(parameter, |name| option_in_force(&used, name));
            let says = match reading {
                Reading::Read | Reading::Reinterpreted(_) => true,
                Reading::Ignored => false,
                Reading::Refused | Reading::Unsaid => panic!("{stepper} {options}: {parameter}: {reading:?}"),
            };
            assert_eq!(changed, says, "{stepper} {options}: {parameter}: {reading:?}");
        }
    }
}

/// The stepper of a prepared experiment.
fn simulation_used(e: &Value) -> vinci_run::Used {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("e.json");
    std::fs::write(&path, e.to_string()).unwrap();
    let loaded = vinci_scene::load_experiment(&path, &[]).unwrap();
    vinci_run::prepare(loaded, &house::registry()).unwrap_or_else(|found| panic!("{found}")).stepper
}

#[test]
fn manifests_of_all_steppers_speak_of_every_parameter() {
    for manifest in house::registry().manifests(Role::Stepper).iter().filter(|m| m.id.starts_with("vinci.")) {
        for parameter in PARAMETERS {
            let none = manifest.parameters.reading(parameter, |name| {
                let default = manifest.options.pointer(&format!("/properties/{name}/default"))?;
                default.as_str().map(str::to_owned)
            });
            assert_ne!(none, Reading::Unsaid, "{}: {parameter}", manifest.id);
        }
    }
}

#[test]
fn joint_friction_and_limits_that_a_stepper_refuses_are_told_before_the_run() {
    let tree = json!([{"name": "arm", "links": [{"name": "rod", "mass": 1, "com": [0, 0, -0.1], "inertia": [0.01, 0.01, 0.001]}],
        "joints": [{"name": "hinge", "kind": "revolute", "child": "rod", "axis": [0, 1, 0], "friction": 0.5,
            "limits": {"lower": -1, "upper": 2}}]}]);
    let mut scene = spatial(0.5, 0.0, json!([ground("spatial")]));
    scene["trees"] = tree;
    for (stepper, solver) in [("anitescu-qp", "active-set"), ("implicit-euler", "newton-tals")] {
        let (code, text) = said("check", &with(&experiment(scene.clone(), 0.01, 0.05), stepper, solver), &[]);
        assert_eq!(code, Some(3), "{text}");
        let line = format!("vinci.stepper.{stepper} refuses `joint-friction` (0.5 N m at `arm.hinge`)");
        assert!(text.contains(&line), "{text}");
    }
    scene["trees"][0]["joints"][0].as_object_mut().unwrap().remove("friction");
    let (code, text) =
        said("check", &with(&experiment(scene, 0.01, 0.05), "implicit-euler", "newton-tals"), &[]);
    assert_eq!(code, Some(0), "{text}");
    let line = "vinci.stepper.implicit-euler ends the run where a joint comes near its limits (-1 to 2 at `arm.hinge`)";
    assert!(text.contains(line), "{text}");
}

// ---- The pushed crate ----

/// A crate that an arm of seven joints pushes over the floor: a point of the hand goes from x = 0.45 to 0.8 m in two
/// seconds, the crate of 0.2 m stands at 0.75 m.
fn crate_pushed(h: f64) -> Value {
    let mut tree = shipped("iiwa-pick")["scene"]["trees"][0].clone();
    let arm = |list: &Value| -> Vec<Value> {
        let is_arm = |v: &&Value| {
            let name = v["name"].as_str().unwrap();
            name.starts_with("link_") || name.starts_with("joint_")
        };
        list.as_array().unwrap().iter().filter(is_arm).cloned().collect()
    };
    let (mut links, joints) = (arm(&tree["links"]), arm(&tree["joints"]));
    let ball =
        |radius: f64, position: [f64; 3]| json!([{"type": "ball", "radius": radius, "position": position}]);
    links[5]["shapes"] = ball(0.0634, [0.0, -0.0162, 0.0075]);
    links[6]["shapes"] = ball(0.0529, [0.0, -0.0013, -0.0016]);
    (tree["name"], tree["links"], tree["joints"]) = ("arm".into(), links.into(), joints.into());
    tree["start"] = json!({"joint_2": 0.9, "joint_4": -1.9, "joint_6": 0.3});
    let keyframes = json!([{"t": 0, "position": [0.45, 0, 0.2]}, {"t": 2, "position": [0.8, 0, 0.2]}]);
    let floor = ground("spatial");
    let crate_ = json!({"name": "crate", "mass": 2, "shapes": [{"type": "box", "size": [0.2, 0.3, 0.3]}],
        "position": [0.75, 0, 0.15]});
    let mut scene = spatial(0.4, 0.0, json!([floor, crate_]));
    scene["materials"]["default"] = json!({"friction": 0.4, "stiffness": 1e5, "dissipation": 10});
    scene["trees"] = json!([tree]);
    scene["controllers"] = json!([{"type": "inverse-dynamics", "tree": "arm", "kp": 100, "kd": 20,
        "cartesian": {"link": "link_7", "point": [0, 0, 0.05], "keyframes": keyframes}}]);
    timed(&experiment(scene, h, 3.0), h, 3.0)
}

#[test]
fn a_pushed_crate_ends_where_it_is_pushed_whatever_the_step() {
    for h in [0.01, 0.005, 0.002] {
        let run = run(&with(&crate_pushed(h), "anitescu-qp", "clarabel"));
        let crate_ = run.at_q("crate");
        let x = run.end().q[crate_];
        println!("h = {h}: x = {x:.5}, y = {:.5}", run.end().q[crate_ + 1]);
        assert!((x - 0.909).abs() < 2e-3, "h = {h}: {x}");
    }
}

/// A difference that comes from when forces are taken stood there as one of the law of friction.
#[test]
fn a_comparison_says_which_options_differ_and_when_impacts_come() {
    let directory = tempfile::tempdir().unwrap();
    let comparison = json!({ "format": "vinci/comparison@1", "experiment": house::root().join("host/scenes/tamsi-box.json"),
        "set": { "time.duration": 0.02 },
        "models": [
            { "name": "rigid", "stepper": { "plugin": "stewart-trinkle", "options": {} }, "solver": "nsgs" },
            { "name": "end", "stepper": { "plugin": "tamsi", "options": { "forces": "end" } }, "solver": "newton-tals" },
            { "name": "start", "stepper": { "plugin": "tamsi", "options": { "forces": "start" } }, "solver": "newton-tals" },
            { "name": "late", "stepper": { "plugin": "anitescu-potra", "options": {} }, "solver": "nsgs" } ] });
    let file = directory.path().join("c.json");
    std::fs::write(&file, comparison.to_string()).unwrap();
    let output =
        vinci(&["compare", file.to_str().unwrap(), "--out", directory.path().join("out").to_str().unwrap()]);
    let text = output_text(&output);
    let options =
        "  stepper's options    rigid | start | late: default\n                       end: forces end\n";
    let impacts = "  impacts              rigid: by the linear gap at the step's end; with restitution up to a step early\n\
        \x20                      end | start: while bodies overlap\n\
        \x20                      late: after the gap has closed: up to a step late, with an overlap up to the approach of a step\n";
    assert!(text.contains(options) && text.contains(impacts), "{text}");
}

#[test]
fn a_comparison_of_the_pushed_crate_says_what_differs() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let e = timed(&crate_pushed(0.002), 0.002, 0.01);
    let out_text = out.to_str().unwrap().to_owned();
    let chosen = ["--vary", "solver=lemke,nsgs", "--out", &out_text];
    let (code, text) = said_in(directory.path(), "compare", &e, &chosen);
    assert_eq!(code, Some(0), "{text}");
    let block = "not the same physics\n  \
        stiffness            all: ignored (50000 N/m between `ground` and `crate`)\n  \
        dissipation          all: ignored (10 s/m between `ground` and `crate`)\n  \
        friction directions  lemke: polygons of 8 directions, up to 7.6 % too weak and 22.5° off the slip\n                       \
        nsgs: all of the circle\n";
    assert!(text.contains(block), "{text}");
    let json: Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("compare.json")).unwrap()).unwrap();
    assert_eq!(json["physics"][2]["what"], "friction directions");
    assert_eq!(json["physics"][2]["ways"][1], json!({"how": "all of the circle", "runs": ["nsgs"]}));
    // Warnings of every run, not of the first alone.
    assert!(
        text.contains("warning[physics]: friction at contacts is bounded by polygons of 8 directions"),
        "{text}"
    );
}
