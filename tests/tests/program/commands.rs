//! The program as a user meets it: commands, files, exit codes, messages.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};
use vinci_tests::house;
use vinci_tests::program::vinci;

fn scene(name: &str) -> PathBuf {
    house::root().join("host/scenes").join(format!("{name}.json"))
}

fn run(experiment: &Path, out: &Path, more: &[&str]) -> Output {
    let (experiment, out) = (experiment.to_str().unwrap(), out.to_str().unwrap());
    vinci(&[&["run", experiment, "--out", out], more].concat())
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn summary(out: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(out.join("summary.json")).unwrap()).unwrap()
}

fn last_state(out: &Path) -> Vec<f64> {
    let text = std::fs::read_to_string(out.join("trajectory.csv")).unwrap();
    text.lines().last().unwrap().split(',').map(|x| x.parse().unwrap()).collect()
}

const STEPPERS: [&str; 2] = ["stewart-trinkle", "anitescu-potra"];
const SOLVERS: [&str; 3] = ["lemke", "pgs", "newton"];

/// §16 case 1: N = ⌊v0/(μ g h)⌋ = 40, d = h (N v0 − μ g h N (N + 1)/2) = 0.39779 m.
#[test]
fn the_sliding_block_stops_at_the_discrete_distance_under_every_pair() {
    let dir = tempfile::tempdir().unwrap();
    let (mu, g, h, v0) = (0.5, 9.81, 0.01, 2.0_f64);
    let n = (v0 / (mu * g * h)).floor();
    let distance = h * (n * v0 - mu * g * h * n * (n + 1.0) / 2.0);
    for stepper in STEPPERS {
        for solver in SOLVERS {
            let out = dir.path().join(format!("{stepper}-{solver}"));
            let output = run(&scene("sliding-block"), &out, &["--stepper", stepper, "--solver", solver]);
            assert_eq!(code(&output), 0, "{stepper} {solver}: {}", errors(&output));
            let x = last_state(&out)[1];
            assert!((x - distance).abs() < 1e-9, "{stepper} {solver}: {x} instead of {distance}");
        }
    }
}

/// For solvers that never factorise the whole of a problem.
const PILES: [&str; 2] = ["sphere-pile-200.json", "sphere-pile-1000.json"];

/// Patches are made for layers: to rigid models they are dozens of rows of which three would do (the gallery tells which pairs end).
const PATCHES: [&str; 3] = ["ball-spin-patch.json", "hertz-ball.json", "micro-slip-square.json"];

/// Structures that rest on many contacts: large, or with a chain of masses that sweeps cannot pass on.
const STRUCTURES: [&str; 8] = [
    "arch-27.json",
    "arch-27-slip.json",
    "arms-50.json",
    "card-house.json",
    "card-house-slip.json",
    "chain-1e6.json",
    "disc-pile-1000.json",
    "wall-500.json",
];

/// Names of the experiments that ship, without scenes and sweeps.
fn shipped() -> Vec<String> {
    let names =
        std::fs::read_dir(house::root().join("host/scenes")).unwrap().flatten().map(|e| e.file_name());
    let mut names: Vec<String> = names.map(|n| n.to_string_lossy().into_owned()).collect();
    names.retain(|n| n.ends_with(".json") && !n.ends_with(".scene.json") && !n.ends_with(".sweep.json"));
    names.sort();
    names
}

/// Three of them were refused by their own plugins: the parts of runs that tests made ended before.
#[test]
#[ignore = "long"]
fn every_experiment_that_ships_is_accepted_to_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let (mut names, mut refined) = (shipped(), 0);
    assert!(names.len() > 60, "{names:?}");
    for name in names.drain(..) {
        let out = dir.path().join(&name);
        let output = run(&scene(name.trim_end_matches(".json")), &out, &[]);
        let expected = if name == "jammed-fingers.json" { 6 } else { 0 };
        assert_eq!(code(&output), expected, "{name}: {}", errors(&output));
        refined += summary(&out)["stepping"]["refined"].as_u64().unwrap();
    }
    // Of two of them, and of a pile that is made with a tolerance of 1e-6.
    assert!(refined > 0, "steps that are solved again");
}

#[test]
#[ignore = "long"]
fn every_pair_runs_on_every_scene_that_ships_and_the_summary_names_what_ran() {
    let dir = tempfile::tempdir().unwrap();
    let mut names = shipped();
    let large = [&PILES[..], &PATCHES, &STRUCTURES].concat();
    names.retain(|n| !large.contains(&n.as_str()));
    assert!(names.len() >= 15, "{names:?}");
    for name in names.iter().map(|n| n.trim_end_matches(".json")) {
        for stepper in STEPPERS {
            for solver in SOLVERS {
                let out = dir.path().join(format!("{name}-{stepper}-{solver}"));
                // A tenth of the time of the longer ones is enough to see that the pair works; contacts come early.
                let steps = if name == "sphere-pile-50" { "0.06" } else { "0.1" };
                let duration = if name == "jammed-fingers" { "0.5" } else { steps };
                let output = run(
                    &scene(name),
                    &out,
                    &["--stepper", stepper, "--solver", solver, "--duration", duration],
                );
                let s = summary(&out);
                if name == "jammed-fingers" {
                    assert_eq!(code(&output), 6, "{name} {stepper} {solver}: {}", errors(&output));
                    continue;
                }
                // Projected Gauss-Seidel stagnates at 7e-6 on the pile and says so.
                if (name, stepper, solver) == ("box-block-pile-socp", "stewart-trinkle", "pgs") {
                    assert_eq!(code(&output), 6, "{name} {stepper} {solver}: {}", errors(&output));
                    assert_eq!(s["failure"]["outcome"], "MaxIterations");
                    continue;
                }
                assert_eq!(code(&output), 0, "{name} {stepper} {solver}: {}", errors(&output));
                assert_eq!(s["status"], "completed");
                assert_eq!(s["stepper"]["id"], format!("vinci.stepper.{stepper}"));
                assert_eq!(s["solver"]["id"], format!("vinci.solver.{solver}"));
                assert_eq!(s["solver"]["digest"].as_str().unwrap().len(), 64);
                assert_eq!(s["referee"]["accepted"], true);
            }
        }
    }
}

#[test]
fn a_run_writes_the_files_and_columns_that_scripts_rely_on() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    assert_eq!(code(&run(&scene("sliding-block"), &out, &[])), 0);
    let trajectory = std::fs::read_to_string(out.join("trajectory.csv")).unwrap();
    let mut lines = trajectory.lines();
    assert_eq!(lines.next().unwrap(), "time,block.x,block.y,block.angle,block.vx,block.vy,block.omega");
    assert_eq!(lines.next().unwrap(), "0.0,0.0,0.05,0.0,2.0,0.0,0.0");
    assert_eq!(lines.count(), 100);
    let contacts = std::fs::read_to_string(out.join("contacts.csv")).unwrap();
    // The columns of the first version stay where they are, others stand behind them.
    let header =
        "time,body_a,body_b,gap,normal_impulse,friction_impulse_1,friction_impulse_2,slip_speed,mode";
    assert_eq!(contacts.lines().next().unwrap(), format!("{header},x,y,nx,ny,fx,fy,friction"));
    assert!(contacts.lines().nth(1).unwrap().starts_with("0.01,ground,block,0.0,"));
    let s = summary(&out);
    for key in [
        "status",
        "steps",
        "time_end",
        "bridges",
        "timing",
        "solver_stats",
        "referee",
        "energy",
        "state_hash",
    ] {
        assert!(!s[key].is_null(), "{key} is missing");
    }
    for key in ["detect", "kinematics", "formulate", "solve", "update", "referee", "record", "total"] {
        assert!(s["timing"][key].as_f64().unwrap() >= 0.0);
    }
    for key in ["iterations_total", "iterations_max", "failures", "fallbacks"] {
        assert!(s["solver_stats"][key].is_u64());
    }
    let maxima = [
        "max_penetration",
        "max_complementarity",
        "max_cone_violation",
        "max_momentum_residual",
        "max_dissipation_deficit",
    ];
    for key in maxima {
        assert!(s["referee"][key].as_f64().unwrap() < 1e-9, "{key}");
    }
    assert!(s["referee"]["worst"]["contact"].as_str().unwrap().contains("block"));
    let resolved = std::fs::read_to_string(out.join("experiment.json")).unwrap();
    // What was resolved runs again, without the scene file, to the same bits.
    let again = dir.path().join("again");
    std::fs::write(dir.path().join("resolved.json"), resolved).unwrap();
    assert_eq!(code(&run(&dir.path().join("resolved.json"), &again, &[])), 0);
    assert_eq!(summary(&again)["state_hash"], s["state_hash"]);
    assert!(std::fs::read_to_string(out.join("report.html")).unwrap().contains("<svg"));
}

/// §16b b) as a scene: typed outcome, certificate, exit code 6, the problem kept, nothing lost of the run before.
#[test]
fn jammed_fingers_are_infeasible_and_say_who_squeezes() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("jam");
    let output = run(&scene("jammed-fingers"), &out, &[]);
    assert_eq!(code(&output), 6, "{}", errors(&output));
    let s = summary(&out);
    assert_eq!((&s["status"], &s["failure"]["outcome"]), (&json!("failed"), &json!("Infeasible")));
    let squeezed = s["failure"]["squeezed"].as_array().unwrap();
    let names: Vec<_> = squeezed.iter().map(|x| x.as_str().unwrap().split(" (").next().unwrap()).collect();
    assert!(names.contains(&"block / left") && names.contains(&"block / right"), "{names:?}");
    // The fingers touch at t = 0.2 s, the end of step 20; step 21 cannot be made.
    assert_eq!(s["steps"], 20);
    let trajectory = std::fs::read_to_string(out.join("trajectory.csv")).unwrap();
    assert_eq!(trajectory.lines().count(), 22);
    let problem = out.join(s["failure"]["problem"].as_str().unwrap());
    for solver in ["lemke", "newton"] {
        let alone = vinci(&["solve", problem.to_str().unwrap(), "--solver", solver]);
        assert_eq!(code(&alone), 6);
        assert!(String::from_utf8_lossy(&alone.stdout).contains("Infeasible"), "{solver}");
    }
    assert!(errors(&output).contains("nothing can move where these contacts squeeze: block / left"));
}

#[test]
fn two_processes_agree_to_the_bit() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    for out in [&a, &b] {
        assert_eq!(code(&run(&scene("block-stack-10"), out, &["--solver", "newton"])), 0);
    }
    assert_eq!(summary(&a)["state_hash"], summary(&b)["state_hash"]);
    assert_eq!(summary(&a)["trajectory_hash"], summary(&b)["trajectory_hash"]);
    for file in ["trajectory.csv", "contacts.csv", "experiment.json"] {
        assert_eq!(std::fs::read(a.join(file)).unwrap(), std::fs::read(b.join(file)).unwrap(), "{file}");
    }
}

/// Every bad input: its message, exit code 3, and nothing written.
#[test]
fn bad_input_is_refused_at_its_place_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let good: Value =
        serde_json::from_str(&std::fs::read_to_string(scene("sliding-block")).unwrap()).unwrap();
    let physics: Value = serde_json::from_str(
        &std::fs::read_to_string(house::root().join("host/scenes/sliding-block.scene.json")).unwrap(),
    )
    .unwrap();
    let with = |change: &dyn Fn(&mut Value)| {
        let mut e = good.clone();
        e["scene"] = physics.clone();
        change(&mut e);
        serde_json::to_string_pretty(&e).unwrap()
    };
    let cases: Vec<(&str, String, &str)> = vec![
        ("empty", String::new(), "the file is empty"),
        ("not-json", "{ \"format\": ".into(), "not JSON"),
        ("unknown-key", with(&|e| e["scene"]["bodies"][1]["frictoin"] = json!(1)), "unknown key `frictoin`"),
        ("wrong-type", with(&|e| e["time"]["step"] = json!("fast")), "`time.step` must be a number"),
        (
            "duplicate",
            with(&|e| e["scene"]["bodies"][1]["name"] = json!("ground")),
            "a second body is named `ground`",
        ),
        (
            "zero-mass",
            with(&|e| e["scene"]["bodies"][1]["mass"] = json!(0)),
            "must be greater than 0, found 0",
        ),
        (
            "negative-mass",
            with(&|e| e["scene"]["bodies"][1]["mass"] = json!(-2)),
            "must be greater than 0, found -2",
        ),
        ("h", with(&|e| e["time"]["step"] = json!(-0.1)), "must be greater than 0, found -0.1"),
        ("absent-body", with(&|e| e["scene"]["ignore_contacts"] = json!([["block", "wal"]])), "`wal`"),
        ("missing-scene", with(&|e| e["scene"] = json!("nowhere.scene.json")), "no such file"),
        (
            "infinite",
            with(&|e| e["scene"]["bodies"][1]["mass"] = json!(1)).replace("\"mass\": 1", "\"mass\": 1e999"),
            "1e999",
        ),
    ];
    for (name, text, expected) in cases {
        let file = dir.path().join(format!("{name}.json"));
        std::fs::write(&file, text).unwrap();
        let out = dir.path().join(format!("{name}-out"));
        let output = run(&file, &out, &[]);
        let message = errors(&output);
        assert_eq!(code(&output), 3, "{name}: {message}");
        assert!(message.contains(expected), "{name}: {message}");
        assert!(message.contains(&format!("{name}.json:")), "{name} has no place: {message}");
        assert!(!out.exists(), "{name} left an output directory");
    }
    let missing = run(&dir.path().join("absent.json"), &dir.path().join("absent-out"), &[]);
    assert_eq!(code(&missing), 3);
    assert!(errors(&missing).contains("no such file"), "{}", errors(&missing));
}

#[test]
fn an_unknown_plugin_is_code_4_with_what_is_known() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let output = run(&scene("sliding-block"), &out, &["--solver", "lemkee"]);
    assert_eq!(code(&output), 4);
    let message = errors(&output);
    assert!(
        message.contains("there is no solver `lemkee`") && message.contains("`vinci.solver.lemke`"),
        "{message}"
    );
    assert!(!out.exists());
    for (path, expected) in [
        ("./nowhere.so", "there is no plugin at"),
        (scene("sliding-block").to_str().unwrap(), "not a shared library"),
    ] {
        let output = run(&scene("sliding-block"), &out, &["--solver", path]);
        assert_eq!(code(&output), 4);
        assert!(errors(&output).contains(expected), "{}", errors(&output));
        assert!(!out.exists());
    }
}

#[test]
fn overlap_at_the_start_is_a_warning_with_pair_and_depth_and_an_error_when_strict() {
    let dir = tempfile::tempdir().unwrap();
    // An overlap as deep as that, and the energy that expels it, are on purpose here.
    let lower = [
        "--set",
        "scene.bodies.block.position=[0,0.04]",
        "--duration",
        "0.02",
        "--set",
        "referee={\"penetration\": false, \"work\": false}",
    ];
    let output = run(&scene("sliding-block"), &dir.path().join("a"), &lower);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    assert!(
        errors(&output).contains("bodies `ground` and `block` overlap by 1.000e-2 m at the start"),
        "{}",
        errors(&output)
    );
    let strict = run(&scene("sliding-block"), &dir.path().join("b"), &[&lower[..], &["--strict"]].concat());
    assert_eq!(code(&strict), 3);
    assert!(!dir.path().join("b").exists());
}

/// A settled pile overlaps a little in hundreds of places: 2407 warnings were printed, one a pair.
#[test]
fn of_many_overlaps_the_deepest_are_named_and_the_others_counted() {
    let said = errors(&vinci(&["check", scene("sphere-pile-200").to_str().unwrap()]));
    assert_eq!(said.matches("overlap by").count(), 8, "{said}");
    assert_eq!(said.matches("more pairs of bodies overlap at the start, by ").count(), 1, "{said}");
}

#[test]
fn errors_for_programs_are_one_json_object_per_line() {
    let output =
        vinci(&["check", scene("sliding-block").to_str().unwrap(), "--step", "0", "--error-format=json"]);
    assert_eq!(code(&output), 3);
    let line: Value = serde_json::from_str(errors(&output).lines().next().unwrap()).unwrap();
    assert_eq!((&line["severity"], &line["code"]), (&json!("error"), &json!("out-of-range")));
}

/// Also where the command line itself cannot be read; what asks for nothing of the kind is told as people read it.
#[test]
fn wrong_usage_is_json_where_json_is_asked_for() {
    for (arguments, wrong) in [
        (&["run", "--nonsense", "--error-format", "json"][..], "--nonsense"),
        (&["--error-format=json", "view"], "not provided"),
    ] {
        let output = vinci(arguments);
        assert_eq!(code(&output), 2, "{}", errors(&output));
        let told: Value = serde_json::from_str(&errors(&output)).unwrap();
        assert_eq!((&told["severity"], &told["code"]), (&json!("error"), &json!("usage")));
        assert!(told["message"].as_str().unwrap().contains(wrong), "{told}");
        assert!(told["help"].as_str().unwrap().contains("Usage: vinci"), "{told}");
    }
    let output = vinci(&["run", "--nonsense", "--", "--error-format=json"]);
    assert_eq!(code(&output), 2);
    assert!(errors(&output).starts_with("error: "), "{}", errors(&output));
}

#[test]
fn a_directory_with_other_things_in_it_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("thesis.txt"), "precious").unwrap();
    let output = run(&scene("sliding-block"), dir.path(), &[]);
    assert_eq!(code(&output), 7, "{}", errors(&output));
    assert_eq!(std::fs::read_to_string(dir.path().join("thesis.txt")).unwrap(), "precious");
    // An earlier run is replaced.
    let out = dir.path().join("run");
    for _ in 0..2 {
        assert_eq!(code(&run(&scene("sliding-block"), &out, &["--duration", "0.05"])), 0);
    }
}

#[test]
fn usage_errors_are_code_2() {
    assert_eq!(code(&vinci(&["run"])), 2);
    assert_eq!(code(&vinci(&["fly"])), 2);
    assert_eq!(code(&vinci(&["--help"])), 0);
}

/// A problem whose solver fails is handed to the fallback, and the summary says so.
/// A block on an incline too steep for it: no equilibrium in any mode, and the failure says between whom.
#[test]
fn a_proof_by_cases_names_bodies_and_pairs() {
    let dir = tempfile::tempdir().unwrap();
    let more = ["--stepper", "quasistatic-miqp", "--solver", "branch-and-bound"];
    let output = run(&scene("incline-slip"), dir.path(), &more);
    assert_eq!(code(&output), 6, "{}", errors(&output));
    let failure = &summary(dir.path())["failure"];
    assert_eq!(failure["outcome"], "Infeasible");
    assert_eq!(failure["involved"], json!(["block (velocity)", "incline / block (slip)"]));
    let said = errors(&output);
    assert!(said.contains("these rows contradict one another: block (velocity), incline / block"), "{said}");
}

#[test]
fn a_node_limit_tells_the_gap_where_there_is_a_point() {
    let said = |nodes: u32| {
        let dir = tempfile::tempdir().unwrap();
        let limit = format!("solver.options.max_nodes={nodes}");
        let more = ["--solver", "branch-and-bound", "--set", limit.as_str()];
        let output = run(&scene("gripper-2d-miqp"), dir.path(), &more);
        assert_eq!(code(&output), 6, "{}", errors(&output));
        errors(&output)
    };
    let none = said(1);
    assert!(none.contains("ended with NodeLimit"), "{none}");
    assert!(!none.contains("objective") && !none.contains("gap"), "x = 0 is no point here: {none}");
    let found = said(3);
    let number = |word: &str| -> f64 {
        let rest = found.split(&format!(", {word} ")).nth(1).unwrap();
        rest.split([' ', ',']).next().unwrap().parse().unwrap()
    };
    let (objective, bound, gap) = (number("objective"), number("bound"), number("gap"));
    assert!(objective < 0.0 && (objective - bound - gap).abs() <= 0.05 * gap.abs() + 1e-9, "{found}");
}

#[test]
fn classes_without_a_way_make_one_finding() {
    let path = scene("sliding-block");
    let more = [
        "check",
        path.to_str().unwrap(),
        "--set",
        "stepper.plugin=\"anitescu-qp\"",
        "--set",
        "solver.plugin=\"nsgs\"",
    ];
    let output = vinci(&more);
    let said = errors(&output);
    assert_eq!(said.matches("there is no bridge").count(), 1, "{said}");
    assert!(
        said.contains("emits problems of class Conic or Root, but vinci.solver.nsgs takes `Cone`"),
        "{said}"
    );
}

#[test]
fn a_fallback_takes_over() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let weak = "solver={\"plugin\": \"pgs\", \"options\": {\"max_sweeps\": 1, \"polish\": false}, \"fallback\": [\"lemke\"]}";
    let output = run(&scene("block-stack-10"), &out, &["--set", weak, "--duration", "0.05"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let s = summary(&out);
    assert!(s["solver_stats"]["fallbacks"].as_u64().unwrap() > 0, "{}", s["solver_stats"]);
    assert_eq!(s["fallbacks"][0]["id"], "vinci.solver.lemke");
}

#[test]
fn plugin_info_lists_the_values_of_an_option_and_what_they_mean() {
    let output = vinci(&["plugin", "info", "tamsi"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("      \"two-way\": Normal forces follow the penetration"), "{text}");
}

#[test]
fn explain_says_who_takes_one_alternative_of_a_corner_only() {
    let words = |stepper: &str| {
        let file = scene("ghost-wall");
        let output = vinci(&["explain", file.to_str().unwrap(), "--stepper", stepper]);
        String::from_utf8(output.stdout).unwrap()
    };
    let line = "takes the most open one where contacts are alternatives";
    assert!(words("anitescu-potra").contains(line), "{}", words("anitescu-potra"));
    assert!(!words("stewart-trinkle").contains(line), "{}", words("stewart-trinkle"));
}
