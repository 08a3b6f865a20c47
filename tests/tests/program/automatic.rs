//! `auto`: solvers by class and size, named wherever somebody may ask, and never another model.

use std::path::Path;

use serde_json::{Value, json};
use vinci_tests::house;
use vinci_tests::program::{output_text, vinci};

fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

const CHAIN: &str = "vinci.solver.lemke, then vinci.solver.newton, then vinci.solver.pgs";

#[test]
fn a_run_names_the_choice_and_its_record_leaves_it_open() {
    let dir = tempfile::tempdir().unwrap();
    let scene = house::root().join("host/scenes/sliding-block.json");
    let (first, again) = (dir.path().join("first"), dir.path().join("again"));
    let (file, out) = (scene.to_str().unwrap(), first.to_str().unwrap());
    let explained = output_text(&vinci(&["explain", file, "--solver", "auto"]));
    assert!(explained.contains(&format!("chosen by auto: {CHAIN}")), "{explained}");
    let told = vinci(&["run", file, "--solver", "auto", "--duration", "0.1", "--out", out]);
    assert!(told.status.success(), "{}", output_text(&told));
    assert!(output_text(&told).contains(&format!("chosen by auto: {CHAIN}")), "{}", output_text(&told));
    let summary = read(&first.join("summary.json"));
    assert_eq!(summary["solver_chosen"], CHAIN);
    assert_eq!(summary["fallbacks"].as_array().unwrap().len(), 2);
    let recorded = first.join("experiment.json");
    assert_eq!(read(&recorded)["solver"]["plugin"], "auto");
    let repeated = vinci(&["run", recorded.to_str().unwrap(), "--out", again.to_str().unwrap()]);
    assert!(repeated.status.success(), "{}", output_text(&repeated));
    assert_eq!(read(&again.join("summary.json"))["state_hash"], summary["state_hash"]);
    let named = vinci(&["run", file, "--duration", "0.1", "--out", again.to_str().unwrap()]);
    assert!(named.status.success(), "{}", output_text(&named));
    assert_eq!(read(&again.join("summary.json"))["state_hash"], summary["state_hash"], "lemke is the first");
    assert!(read(&again.join("summary.json"))["solver_chosen"].is_null());
}

/// Cones of a settled pile of 200 balls have 2670 unknowns: the solver for piles is the first, and nobody else is asked.
#[test]
fn large_piles_of_cones_go_to_the_solver_for_piles() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (house::root().join("host/scenes/sphere-pile-200.json"), dir.path().join("out"));
    let arguments = ["run", file.to_str().unwrap(), "--solver", "auto", "--set", "solver.fallback=[]"];
    let more = ["--duration", "0.004", "--out", out.to_str().unwrap()];
    let told = vinci(&[&arguments[..], &more].concat());
    assert!(told.status.success(), "{}", output_text(&told));
    let chain =
        "vinci.solver.nsgs up to 700 unknowns, then vinci.solver.accelerated-gs, then vinci.solver.clarabel";
    assert!(output_text(&told).contains(&format!("chosen by auto: {chain}")), "{}", output_text(&told));
    let stats = &read(&out.join("summary.json"))["solver_stats"];
    assert_eq!((&stats["fallbacks"], &stats["failures"]), (&json!(0), &json!(0)), "{stats}");
}

#[test]
fn problems_of_files_go_to_the_solver_of_their_class() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("p.json");
    let w = json!({ "i": [0, 1, 2], "j": [0, 1, 2], "v": [0.5, 0.5, 0.5] });
    let m = json!({ "i": [0, 1], "j": [0, 1], "v": [2.0, 1.0] });
    let slip = json!({ "name": "slip", "dim": 3, "n": 3, "W": w, "q": [-1.0, 0.6, 0.8], "mu": [0.5] });
    let lcp = json!({ "name": "lcp", "n": 2, "nf": 1, "M": m, "q": [-1.0, -1.0] });
    for (problem, id) in [(slip, "vinci.solver.nsgs"), (lcp, "vinci.solver.lemke")] {
        std::fs::write(&path, json!([problem]).to_string()).unwrap();
        let file = path.to_str().unwrap();
        let told = vinci(&["solve", file, "--solver", "auto"]);
        assert!(told.status.success(), "{}", output_text(&told));
        assert!(output_text(&told).contains(&format!("chosen by auto: {id}")), "{}", output_text(&told));
        let bench = vinci(&["bench", "solvers", file, "--solver", "auto", "--json"]);
        let table: Value = serde_json::from_slice(&bench.stdout).unwrap();
        assert_eq!(table["solvers"][0]["results"][0]["solver"], id);
        let refused = vinci(&["solve", file, "--solver", "auto", "--option", "tolerance=1e-6"]);
        assert!(output_text(&refused).contains("`auto` takes no options"), "{}", output_text(&refused));
    }
}

/// A vector that holds up to rounding only: the word is "failure", with the size below which there is no solution, and the number of
/// claims stands apart from that of proofs.
#[test]
fn claims_without_a_proof_are_counted_apart() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("p.json");
    let walls = |name: &str, hair: f64, verdict: &str| {
        let v = json!([1.0 + hair, -1.0, -1.0, 1.0 + hair]);
        let m = json!({ "i": [0, 0, 1, 1], "j": [0, 1, 0, 1], "v": v });
        json!({ "name": name, "n": 2, "nf": 0, "M": m, "q": [-1.0, -1.0], "verdict": verdict })
    };
    let all = json!([
        walls("jam", 0.0, "infeasible"),
        walls("far", 1e-12, "solved"),
        walls("near", 1e-10, "solved")
    ]);
    std::fs::write(&path, all.to_string()).unwrap();
    let output = vinci(&["bench", "solvers", path.to_str().unwrap(), "--solver", "lemke,newton,pgs,auto"]);
    let text = output_text(&output);
    assert!(output.status.success(), "{text}");
    let head: Vec<&str> = text.lines().next().unwrap().split_whitespace().collect();
    let column = |name: &str| head.iter().position(|h| *h == name).unwrap();
    for row in text.lines().skip(1).take(4) {
        let values: Vec<&str> = row.split_whitespace().collect();
        let [infeasible, claimed, proved, wrong] =
            ["infeasible", "claimed", "proved", "false"].map(|name| values[column(name)]);
        assert_eq!((infeasible, claimed, proved, wrong), ("1/1", "1", "1", "0"), "{text}");
    }
}

/// A file with a problem that `lemke`, `newton` and `pgs` do not decide, in `n` unknowns: five of them have no solution, the others are 1.
fn undecided(folder: &Path, n: usize) -> String {
    let hard = [-4, 4, -1, 3, 3, 4, -1, 1, -1, -1, 3, 0, -4, 2, 4, -3, -2, 0, -3, 1, 4, 2, 4, -1, 0];
    let entries = hard.iter().enumerate().map(|(at, &v)| (at / 5, at % 5, v));
    let all: Vec<_> = entries.chain((5..n).map(|i| (i, i, 1))).collect();
    let q: Vec<_> = (0..n).map(|i| if i < 5 && i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let (rows, columns): (Vec<_>, Vec<_>) = all.iter().map(|&(i, j, _)| (i, j)).unzip();
    let values: Vec<_> = all.iter().map(|&(.., v)| f64::from(v)).collect();
    let m = json!({ "i": rows, "j": columns, "v": values });
    let path = folder.join(format!("{n}.json"));
    std::fs::write(&path, json!([{ "name": "undecided", "n": n, "nf": 0, "M": m, "q": q }]).to_string())
        .unwrap();
    path.display().to_string()
}

/// The last solver's answer was told, although another one had come nearer.
#[test]
fn where_all_solvers_fail_the_least_residual_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (undecided(dir.path(), 26), dir.path().join("out.json"));
    let told = |solver: &str| {
        let output = vinci(&["solve", &file, "--solver", solver, "-o", out.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(6), "{solver}: {}", output_text(&output));
        let answer = read(&out);
        (answer["residual"].as_f64().unwrap(), answer["solver"].clone())
    };
    let alone = ["lemke", "newton", "pgs"].map(|solver| told(solver).0);
    let (residual, solver) = told("auto");
    assert_eq!(residual, alone.into_iter().fold(f64::INFINITY, f64::min), "{alone:?}");
    assert_eq!(solver, "vinci.solver.newton");
}

/// `auto` ended with the limit of `pgs` where cases prove in a fifth of a millisecond that there is no solution.
#[test]
fn small_problems_that_are_left_open_are_decided_by_cases() {
    let dir = tempfile::tempdir().unwrap();
    let file = undecided(dir.path(), 5);
    let solved = output_text(&vinci(&["solve", &file, "--solver", "auto"]));
    assert!(solved.contains("Infeasible (proved by cases)"), "{solved}");
    let table = output_text(&vinci(&["bench", "solvers", &file, "--solver", "auto"]));
    assert!(table.contains("auto: answered by vinci.solver.branch-and-bound (1)"), "{table}");
}
