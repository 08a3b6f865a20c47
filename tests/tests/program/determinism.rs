//! Same files, same bits: twice in one process, in two processes, through a snapshot, and with solvers exchanged on the way.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;
use vinci_abi::Role;
use vinci_engine::pipeline::{NamedSolver, Simulation};
use vinci_engine::registry::classes;
use vinci_engine::system_views::SystemViews;
use vinci_run::execute;
use vinci_tests::experiment::{AP, ST, shipped, timed, with};
use vinci_tests::house;
use vinci_tests::run::{prepared, simulation};

/// Scenes that exercise much: a hyperstatic stack, balls that fall into each other in space.
fn experiments() -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for (scene, h, duration) in
        [("block-stack-10", 0.01, 0.3), ("domino-10-3d", 0.004, 0.2), ("rocking-block", 0.001, 0.3)]
    {
        for (stepper, solver) in [(ST, "lemke"), (AP, "newton"), (ST, "pgs")] {
            let experiment = timed(&with(&shipped(scene), stepper, solver), h, duration);
            all.push((format!("{scene}, {stepper} + {solver}"), experiment));
        }
    }
    all
}

/// What a run leaves: state hash, hash of the trajectory, bytes of both tables.
fn left_in(directory: &Path) -> (Value, Value, Vec<u8>, Vec<u8>) {
    let read = |file: &str| std::fs::read(directory.join(file)).expect("a run writes its files");
    let summary: Value = serde_json::from_slice(&read("summary.json")).expect("the summary is JSON");
    assert_eq!(summary["status"], "completed", "{summary}");
    let hashes = (summary["state_hash"].clone(), summary["trajectory_hash"].clone());
    (hashes.0, hashes.1, read("trajectory.csv"), read("contacts.csv"))
}

fn in_process(experiment: &Value) -> (Value, Value, Vec<u8>, Vec<u8>) {
    let directory = TempDir::new().expect("there is room");
    execute(prepared(experiment), directory.path(), |_| ()).expect("there is room");
    left_in(directory.path())
}

fn in_its_own_process(experiment: &Value) -> (Value, Value, Vec<u8>, Vec<u8>) {
    let directory = TempDir::new().expect("there is room");
    let file = directory.path().join("experiment.json");
    std::fs::write(&file, experiment.to_string()).expect("there is room");
    let out = directory.path().join("out");
    let mut vinci = Command::new(house::program());
    vinci.arg("run").arg(&file).arg("--plugin-dir").arg(house::build()).arg("--quiet").arg("--out").arg(&out);
    let output = vinci.output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    left_in(&out)
}

#[test]
fn a_run_repeats_to_the_bit_in_one_process_and_in_two() {
    for (name, experiment) in experiments() {
        let first = in_process(&experiment);
        assert!(first == in_process(&experiment), "{name}: two runs of one process differ");
        assert!(first == in_its_own_process(&experiment), "{name}: another process gets other bits");
    }
}

/// State and impulses of some steps, as bits.
fn bits(simulation: &mut Simulation, steps: usize) -> Vec<u64> {
    let mut all = Vec::new();
    for _ in 0..steps {
        let h = simulation.settings.step;
        simulation.advance(h).expect("a step of a sound scene");
        let last = simulation.last();
        all.extend(
            last.q
                .iter()
                .chain(last.v)
                .chain(last.impulse)
                .chain([&last.t, &last.residual])
                .map(|x| x.to_bits()),
        );
    }
    all
}

#[test]
fn a_snapshot_goes_on_as_if_nothing_had_happened() {
    for (name, experiment) in experiments() {
        let mut original = simulation(&experiment);
        bits(&mut original, 20);
        let saved = original.snapshot();
        let rest = bits(&mut original, 15);
        // Back in the same simulation, whose plugins have gone on in between.
        original.restore(&saved).expect("its own snapshot");
        assert!(rest == bits(&mut original, 15), "{name}: restoring does not lead back");
        assert_eq!(original.snapshot().state.step, 35);
        // In a fresh one, whose plugins have seen nothing.
        let mut fresh = simulation(&experiment);
        fresh.restore(&saved).expect("the same experiment");
        assert!(rest == bits(&mut fresh, 15), "{name}: a fresh simulation goes on differently");
    }
}

/// A solver by its short name, as the host would create it.
fn solver(name: &str, simulation: &Simulation) -> NamedSolver {
    let plugin = house::registry().find(name, Role::Solver, &house::root()).unwrap_or_else(|e| panic!("{e}"));
    let views = SystemViews::new(&simulation.system);
    let solver = plugin.create_solver("{}", &views.view()).expect("default options");
    let takes = plugin.manifest(Role::Solver).map_or(0, classes);
    NamedSolver { id: name.into(), takes, solver: Box::new(solver) }
}

#[test]
fn solvers_can_be_exchanged_between_steps() {
    for scene in ["block-stack-10", "domino-10-3d"] {
        let experiment = with(&shipped(scene), ST, "lemke");
        let (mut alone, mut mixed) = (simulation(&experiment), simulation(&experiment));
        for names in [["newton", "lemke"], ["pgs", "newton"], ["lemke", "pgs"]] {
            let [first, fallback] = names.map(|name| solver(name, &mixed));
            mixed.solvers.swap(first, vec![fallback]);
            bits(&mut mixed, 8);
            bits(&mut alone, 8);
        }
        assert_eq!(mixed.step_count(), 24);
        // Forces are not unique, motion is, up to the tolerance of the solvers.
        for (a, b) in alone.q().iter().zip(mixed.q()) {
            assert!((a - b).abs() < 1e-6, "{scene}: {a} {b}");
        }
        // And back again: from here on the same solver sees the same state.
        let state = mixed.snapshot();
        alone
            .restore(&vinci_engine::pipeline::Snapshot { plugins: alone.snapshot().plugins, ..state })
            .expect("the same experiment");
        let back = solver("lemke", &mixed);
        mixed.solvers.swap(back, Vec::new());
        assert!(bits(&mut alone, 8) == bits(&mut mixed, 8), "{scene}: a swapped-in solver gives other bits");
    }
}
