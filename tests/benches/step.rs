//! Cost of a step, by stage, and of a call across the contract. Sizes stand in the names: nv velocities, nc contacts.
//!
//! `cargo bench -p vinci-tests` builds the house in release and measures it; nothing here is ever a timed test.

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use vinci_abi::Role;
use vinci_core::CsrBuf;
use vinci_core::problem::{MlcpBuf, Problem};
use vinci_core::stage::{Detector, Solver};
use vinci_engine::pipeline::{Simulation, Snapshot, Timing};
use vinci_engine::system_views::SystemViews;
use vinci_tests::experiment::{AP, ST, shipped, with};
use vinci_tests::house;
use vinci_tests::run::simulation;

/// Scene and the number of steps after which it is measured: contacts have formed, nothing is new.
const SCENES: [(&str, usize); 3] = [("sliding-block", 5), ("block-stack-10", 10), ("sphere-pile-50", 300)];

const MODELS: [(&str, &str); 4] = [(ST, "lemke"), (AP, "lemke"), (ST, "pgs"), (ST, "newton")];

/// Scenes with a stepper of their own: one spatial contact, a root problem of two unknowns.
const OTHERS: [(&str, usize, &str, &str); 1] = [("tamsi-box", 5, "tamsi", "newton-tals")];

/// Stages that plugins do; what is left of a step is the host's own.
const OF_PLUGINS: [&str; 3] = ["detect", "formulate", "solve"];

/// Makes one step from the snapshot and says what it took, by the names of [`Timing::NAMES`], and in all.
fn one_step(simulation: &mut Simulation, from: &Snapshot) -> ([f64; 7], f64) {
    simulation.restore(from).expect("its own snapshot");
    let before = *simulation.timing.seconds();
    let (start, h) = (std::time::Instant::now(), simulation.settings.step);
    simulation.advance(h).expect("the step was made before");
    let total = start.elapsed().as_secs_f64();
    let after = *simulation.timing.seconds();
    (std::array::from_fn(|k| after[k] - before[k]), total)
}

/// A quantity of the step, seconds.
type Part = Box<dyn Fn(&[f64; 7], f64) -> f64>;

fn parts() -> Vec<(&'static str, Part)> {
    let index = |name: &str| Timing::NAMES.iter().position(|n| *n == name).expect("a stage of the host");
    let mut parts: Vec<(&'static str, Part)> = vec![("step", Box::new(|_, total| total))];
    for name in Timing::NAMES.into_iter().filter(|n| *n != "record") {
        let k = index(name);
        parts.push((name, Box::new(move |stages, _| stages[k])));
    }
    let plugins = OF_PLUGINS.map(index);
    parts.push((
        "host",
        Box::new(move |stages, total| total - plugins.iter().map(|&k| stages[k]).sum::<f64>()),
    ));
    parts
}

fn steps(criterion: &mut Criterion) {
    let rigid = SCENES.into_iter().flat_map(|(scene, warm)| MODELS.map(|(s, by)| (scene, warm, s, by)));
    for (scene, warm, stepper, solver) in rigid.chain(OTHERS) {
        let mut simulation = simulation(&with(&shipped(scene), stepper, solver));
        let h = simulation.settings.step;
        if let Some(failure) = (0..warm).find_map(|_| simulation.advance(h).err()) {
            eprintln!("{scene}, {stepper} + {solver}: left out, {failure}");
            continue;
        }
        let from = simulation.snapshot();
        let nv = simulation.system.nv();
        let nc = simulation.last().contacts.len();
        let mut group = criterion.benchmark_group(format!("{scene}, nv {nv}, nc {nc}/{stepper} + {solver}"));
        group
            .sample_size(10)
            .warm_up_time(Duration::from_millis(200))
            .measurement_time(Duration::from_millis(800));
        for (name, part) in parts() {
            group.bench_function(name, |bencher| {
                bencher.iter_custom(|n| {
                    let seconds: f64 = (0..n)
                        .map(|_| {
                            let (stages, total) = one_step(&mut simulation, &from);
                            part(&stages, total)
                        })
                        .sum();
                    Duration::from_secs_f64(seconds.max(1e-12))
                });
            });
        }
        group.finish();
    }
}

/// Calls with next to nothing behind them, on plugins as the host holds them.
fn crossing(criterion: &mut Criterion) {
    let simulation = simulation(&shipped("sliding-block"));
    let views = SystemViews::new(&simulation.system);
    let find = |name: &str, role: Role| {
        house::registry().find(name, role, &house::root()).unwrap_or_else(|e| panic!("{e}"))
    };
    let mut group = criterion.benchmark_group("crossing the contract");
    group.sample_size(20).measurement_time(Duration::from_secs(1));

    let detector =
        find("planar", Role::Detector).create_detector("{}", &views.view()).expect("default options");
    let mut bytes = Vec::new();
    group.bench_function("save_state of nothing", |bencher| {
        bencher.iter(|| {
            bytes.clear();
            detector.save_state(&mut bytes);
        });
    });

    // One unknown without bounds: 2 z − 1 = 0.
    let mut m = CsrBuf::default();
    m.clear(1);
    m.push(0, 2.0);
    m.end_row();
    let free = (f64::NEG_INFINITY, f64::INFINITY);
    let problem = MlcpBuf::from_parts(m, vec![-1.0], vec![free.0], vec![free.1], 1e-10);
    for name in ["lemke", "pgs", "newton"] {
        let mut solver =
            find(name, Role::Solver).create_solver("{}", &views.view()).expect("default options");
        group.bench_function(format!("solve of one equation, {name}"), |bencher| {
            bencher.iter(|| solver.solve(&Problem::Mlcp(problem.view())).map(|s| s.z.first().copied()));
        });
    }
    group.finish();
}

criterion_group!(benches, crossing, steps);
criterion_main!(benches);
