//! Running experiments in process: everything recorded, every step judged.

use serde_json::Value;
use vinci_core::referee::{Mode, Report};
use vinci_engine::pipeline::{ContactEvent, Impact, Simulation, StepFailure};
use vinci_run::{Prepared, prepare};
use vinci_scene::load_experiment;

use crate::house;

/// A contact in an accepted step.
#[derive(Debug, Clone, PartialEq)]
pub struct Touch {
    /// Body on side A.
    pub a: String,
    /// Body on side B.
    pub b: String,
    /// Gap ψ at the start of the step, m.
    pub gap: f64,
    /// Unit normal from A to B, world.
    pub normal: [f64; 3],
    /// Point on A, m.
    pub point_a: [f64; 3],
    /// Point on B, m.
    pub point_b: [f64; 3],
    /// Normal impulse, N s.
    pub p_n: f64,
    /// Impulse on B, normal and friction, world, N s.
    pub impulse: [f64; 3],
    /// Slip speed, m/s.
    pub slip: f64,
    /// Mode.
    pub mode: Mode,
}

/// An accepted step, or the start (without contacts, efforts and report).
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// Time at its end, s.
    pub t: f64,
    /// Step taken, s; 0 at the start.
    pub h: f64,
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Contacts.
    pub touches: Vec<Touch>,
    /// Drive impulses on prescribed dofs, N s.
    pub effort: Vec<f64>,
    /// Impacts at its start.
    pub impacts: Vec<Impact>,
    /// Other events.
    pub events: Vec<ContactEvent>,
    /// The referee's findings.
    pub report: Report,
    /// Kinetic and potential energy, J.
    pub energy: f64,
}

/// A run with all its states: `moments[0]` is the start.
pub struct Run {
    /// The simulation, where it ended.
    pub simulation: Simulation,
    /// All states.
    pub moments: Vec<Moment>,
    /// What stopped it.
    pub failure: Option<StepFailure>,
}

/// A prepared run. Panics with the findings where the experiment is refused.
#[track_caller]
pub fn prepared(experiment: &Value) -> Prepared {
    let directory = tempfile::tempdir().expect("there is room for a file");
    let path = directory.path().join("experiment.json");
    std::fs::write(&path, experiment.to_string()).expect("there is room for a file");
    let loaded = load_experiment(&path, &[]).unwrap_or_else(|found| panic!("{found}"));
    prepare(loaded, &house::registry()).unwrap_or_else(|found| panic!("{found}"))
}

/// A simulation at t = 0, to be stepped by hand.
#[track_caller]
pub fn simulation(experiment: &Value) -> Simulation {
    prepared(experiment).simulation
}

/// Runs to the end. Panics where a step fails, or where the referee finds a step that no solver should have called solved.
#[track_caller]
pub fn run(experiment: &Value) -> Run {
    let run = try_run(experiment);
    if let Some(failure) = &run.failure {
        let end = run.moments.len();
        match failure {
            StepFailure::Unsolved { attempts, .. } => {
                let attempts: Vec<_> = attempts.iter().map(|a| a.to_string()).collect();
                panic!("step {end} was not solved: {}", attempts.join("; "));
            }
            other => panic!("step {end}: {other}"),
        }
    }
    run
}

/// Runs to the end or to the first step that fails.
#[track_caller]
pub fn try_run(experiment: &Value) -> Run {
    let prepared = prepared(experiment);
    let time = &prepared.loaded.experiment.time;
    let steps = (time.duration / time.step).round() as usize;
    let mut run =
        Run { moments: vec![start(&prepared.simulation)], simulation: prepared.simulation, failure: None };
    run.go_on(steps);
    run
}

fn start(simulation: &Simulation) -> Moment {
    Moment {
        t: simulation.time(),
        h: 0.0,
        q: simulation.q().to_vec(),
        v: simulation.v().to_vec(),
        touches: Vec::new(),
        effort: Vec::new(),
        impacts: Vec::new(),
        events: Vec::new(),
        report: Report::default(),
        energy: simulation.energy(),
    }
}

impl Run {
    /// From a simulation made by [`simulation`], as far as it came.
    pub fn of(simulation: Simulation) -> Self {
        Self { moments: vec![start(&simulation)], simulation, failure: None }
    }

    /// So many grid steps more, unless one fails. A moment per accepted step, wherever the grid steps are divided.
    #[track_caller]
    pub fn go_on(&mut self, steps: usize) {
        let last = self.simulation.grid_count() + steps as u64;
        while self.simulation.grid_count() < last {
            if let Err(failure) = self.simulation.advance_to(self.simulation.next_grid_time()) {
                self.failure = Some(failure);
                return;
            }
            for k in 0..self.simulation.n_last() {
                let moment = record(&self.simulation, k);
                judge(&moment, self.moments.len());
                self.moments.push(moment);
            }
        }
    }

    /// The last state.
    pub fn end(&self) -> &Moment {
        self.moments.last().expect("a run has its start")
    }

    /// The first step, or the start where there is none.
    pub fn first(&self) -> &Moment {
        self.moments.get(1).unwrap_or(&self.moments[0])
    }

    /// Where the coordinates of a body stand in q.
    #[track_caller]
    pub fn at_q(&self, body: &str) -> usize {
        self.simulation.system.layout().q_start[self.block(body)] as usize
    }

    /// Where the velocities of a body stand in v.
    #[track_caller]
    pub fn at_v(&self, body: &str) -> usize {
        self.simulation.system.layout().block_start[self.block(body)] as usize
    }

    #[track_caller]
    fn block(&self, body: &str) -> usize {
        let system = &self.simulation.system;
        (0..system.n_blocks()).find(|&b| system.block_name(b) == body).expect("the body moves")
    }
}

fn record(simulation: &Simulation, k: usize) -> Moment {
    let last = simulation.of_last(k);
    let contacts = &last.contacts;
    let name = |body: u32| simulation.system.bodies[body as usize].name.clone();
    let vector = |list: &[f64], i: usize| [list[3 * i], list[3 * i + 1], list[3 * i + 2]];
    let touches = (0..contacts.len()).map(|i| {
        let p = &last.impulse[contacts.row(i)..][..contacts.stride()];
        let normal = vector(contacts.normal, i);
        let mut impulse = normal.map(|n| n * p[0]);
        for (k, p_t) in p[1..].iter().enumerate() {
            let tangent = vector(contacts.tangent, i * contacts.n_t + k);
            (0..3).for_each(|j| impulse[j] += tangent[j] * p_t);
        }
        Touch {
            a: name(contacts.body_a[i]),
            b: name(contacts.body_b[i]),
            gap: contacts.gap[i],
            normal,
            point_a: vector(contacts.point_a, i),
            point_b: vector(contacts.point_b, i),
            p_n: p[0],
            impulse,
            slip: last.slip[i],
            mode: last.mode[i],
        }
    });
    Moment {
        t: last.t,
        h: last.h,
        q: last.q.to_vec(),
        v: last.v.to_vec(),
        touches: touches.collect(),
        effort: last.effort.to_vec(),
        impacts: last.impacts.to_vec(),
        events: last.events.to_vec(),
        report: last.report,
        energy: simulation.system.energy(last.q, last.v),
    }
}

/// What must hold in every step that was called solved, whatever the scene: the default tolerance of 1e-8 is relative to
/// the problem's right side, and no scene here has speeds above 100 m/s or impulses above 100 N s.
#[track_caller]
fn judge(moment: &Moment, step: usize) {
    for impact in &moment.impacts {
        let r = &impact.report;
        assert!(r.momentum.value <= 1e-7, "step {step}: momentum of an impact off: {:?}", r.momentum);
        assert!(r.cone.value <= 1e-6, "step {step}: friction of an impact beyond the cone: {:?}", r.cone);
        assert!(
            r.complementarity.value <= 1e-6,
            "step {step}: approach after an impact: {:?}",
            r.complementarity
        );
    }
    let r = &moment.report;
    assert!(r.momentum.value <= 1e-7, "step {step}: momentum balance off: {:?}", r.momentum);
    assert!(
        r.momentum_relative.value
            <= vinci_core::referee::Limits::default_of(vinci_core::referee::Check::Solution),
        "step {step}: momentum balance off: {:?}",
        r.momentum_relative
    );
    assert!(
        r.complementarity.value <= 1e-6,
        "step {step}: neither open nor pressed: {:?}",
        r.complementarity
    );
    assert!(r.cone.value <= 1e-6, "step {step}: friction beyond the cone: {:?}", r.cone);
    assert!(r.friction_power.value <= 1e-6, "step {step}: friction drives: {:?}", r.friction_power);
}
