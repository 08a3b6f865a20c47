//! Advice: which models suit a scene, what they cost here, and what they get wrong.
//!
//! Every stepper that is found is tried with every solver that is found, as `check` tries a run. What a model gets wrong follows from the
//! words that its stepper declares, and from what `check` warns of; no list of names stands behind it.

mod choice;
mod told;
mod wrong;

pub use choice::{Choice, first_choice, own_model};
pub use told::text;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use vinci_abi::{Manifest, Role};
use vinci_core::model::{Body, MotionModel};
use vinci_core::problem::ProblemClass;
use vinci_core::referee::ContactLaw;
use vinci_engine::pipeline::Route;
use vinci_engine::registry::{Registry, classes};
use vinci_run::{Prepared, ready};
use vinci_scene::diagnostics::{Code, Diagnostics, Severity};
use vinci_scene::{Loaded, Override};

use crate::NotRun;
use wrong::{Uses, wrong};

/// A model makes no more steps after this time.
const LONGEST: Duration = Duration::from_secs(2);

/// A model that can run the scene.
#[derive(Debug, Clone, PartialEq)]
pub struct Suited {
    /// Id of the solver.
    pub solver: String,
    /// Class of its problems.
    pub class: &'static str,
    /// Parameters of the scene that it takes in another sense, or not at all.
    pub departs: Vec<String>,
    /// Measurements, where steps were made.
    pub cost: Option<Cost>,
}

/// Cost of some steps on this machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// Steps that were made.
    pub steps: u64,
    /// Seconds of the clock per step.
    pub per_step: f64,
    /// Iterations of the solver per step.
    pub iterations: f64,
    /// Reason why there are no more, if a step failed.
    pub failure: Option<String>,
}

/// Advice about a stepper.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Advice {
    /// Its id.
    pub stepper: String,
    /// Departures that its law declares.
    pub wrong: Vec<String>,
    /// True for a law with layers, which is for contacts that give way.
    pub is_compliant: bool,
    /// Models that can run the scene: those that take everything from it first.
    pub models: Vec<Suited>,
    /// Reason why no model of it can run.
    pub refused: Option<String>,
    /// Plugins that broke the contract when they were tried, in sentences: they say nothing about the scene.
    pub faults: Vec<String>,
}

/// Tries all models on an experiment; `load` reads it with changes. Every one that can run makes so many steps; 0: none is made.
///
/// # Errors
/// What is wrong with the experiment whatever the model.
pub fn advise(
    load: impl Fn(&[Override]) -> Result<Loaded, Diagnostics>,
    registry: &Registry,
    steps: u64,
) -> Result<Vec<Advice>, Diagnostics> {
    let (steppers, solvers) = (registry.manifests(Role::Stepper), registry.manifests(Role::Solver));
    let mut all = Vec::new();
    for stepper in &steppers {
        let id = stepper.id.clone();
        let mut advice = Advice { stepper: id, ..Advice::default() };
        // A solver that does not take the problems at all says nothing about the scene.
        for solver in solvers.iter().filter(|solver| reaches(stepper, solver)) {
            try_model(&load, registry, (&mut advice, &solver.id), steps)?;
        }
        advice.conclude();
        let order = |m: &Suited| (is_of_tests(&m.solver), m.departs.len(), m.departs.clone());
        advice.models.sort_by_cached_key(order);
        all.push(advice);
    }
    let fewest = |advice: &Advice| advice.models.first().map_or(usize::MAX, |model| model.departs.len());
    all.sort_by_key(|advice| (is_of_tests(&advice.stepper), fewest(advice)));
    Ok(all)
}

/// Returns true for plugins that are there to test a host: nobody wants them.
fn is_of_tests(id: &str) -> bool {
    id.starts_with("test.")
}

/// Returns true if problems of the stepper reach the solver, as they are or over a bridge.
fn reaches(stepper: &Manifest, solver: &Manifest) -> bool {
    let emitted = ProblemClass::ALL.into_iter().filter(|class| stepper.has_class(*class));
    emitted.into_iter().any(|class| Route::exists(class, classes(solver)))
}

/// Parts of a scene that faults of a law hang on, as this stepper moves its bodies.
fn uses(prepared: &Prepared) -> Uses {
    let fact = |what: &str| prepared.physics.facts.iter().any(|fact| fact.what == what);
    let simulation = &prepared.simulation;
    let model = |body: &Body| body.motion.unwrap_or(simulation.declared().motion);
    let quasi_dynamic = simulation.system.bodies.iter().any(|body| model(body) == MotionModel::QuasiDynamic);
    Uses { restitution: fact("restitution"), stiffness: fact("stiffness"), quasi_dynamic }
}

fn try_model(
    load: &impl Fn(&[Override]) -> Result<Loaded, Diagnostics>,
    registry: &Registry,
    (advice, solver): (&mut Advice, &str),
    steps: u64,
) -> Result<(), Diagnostics> {
    let changes = [
        Override::set(&format!("stepper.plugin={}", advice.stepper))?,
        Override::set(&format!("solver={solver}"))?,
        // Those that the experiment names behind its own solver may not take the problems at all.
        Override::set("solver.fallback=[]")?,
        Override::set("solver.race=false")?,
    ];
    match load(&changes).and_then(|loaded| ready(loaded, registry, false, None)) {
        Ok(prepared) => {
            let h = prepared.loaded.experiment.time.step;
            let declared = prepared.simulation.declared();
            advice.is_compliant = matches!(declared.law, ContactLaw::Layers { .. });
            advice.wrong = wrong(declared, h, uses(&prepared));
            advice.models.push(suited(prepared, solver, steps));
        }
        Err(found) => match faults(&found) {
            Some(faults) => advice.faults.extend(faults),
            None => {
                let why = NotRun::of(&found).ok_or(found)?;
                advice.refused.get_or_insert(why.reason);
            }
        },
    }
    Ok(())
}

/// Faults of plugins, where the errors are nothing else: whoever asks for advice has not chosen them.
fn faults(found: &Diagnostics) -> Option<Vec<String>> {
    let errors: Vec<_> = found.iter().filter(|f| f.severity == Severity::Error).collect();
    let all = !errors.is_empty() && errors.iter().all(|error| error.code == Code::PluginFault);
    all.then(|| errors.into_iter().map(|error| error.message.clone()).collect())
}

fn suited(mut prepared: Prepared, solver: &str, steps: u64) -> Suited {
    let physics = prepared.warnings.iter().filter(|w| w.code == Code::Physics);
    // The solver stands beside it.
    let own = format!(" for {solver}");
    let departs = physics.map(|w| w.message.strip_suffix(&own).unwrap_or(&w.message).to_owned()).collect();
    let class = prepared.route.emitted.first().map_or("", |class| class.name());
    let cost = (steps > 0).then(|| measured(&mut prepared, steps));
    Suited { solver: solver.to_owned(), class, departs, cost }
}

fn measured(prepared: &mut Prepared, steps: u64) -> Cost {
    let duration = prepared.loaded.experiment.time.duration;
    let simulation = &mut prepared.simulation;
    let (begun, mut made, mut failure) = (Instant::now(), 0, None);
    while made < steps
        && begun.elapsed() < LONGEST
        && let Some(end) = simulation.next_end(duration)
    {
        if let Err(e) = simulation.advance_to(end) {
            failure = Some(e.to_string());
            break;
        }
        made += 1;
    }
    let count = made.max(1) as f64;
    Cost {
        steps: made,
        per_step: begun.elapsed().as_secs_f64() / count,
        iterations: simulation.solvers.stats.iterations_total as f64 / count,
        failure,
    }
}

impl Advice {
    /// A reason stands where no model can run the scene, and only there.
    fn conclude(&mut self) {
        self.refused = match (self.models.is_empty(), self.refused.take()) {
            (false, _) => None,
            (true, None) if !self.faults.is_empty() => {
                Some("the plugins that take its problems are at fault".to_owned())
            }
            (true, None) => Some("no solver that was found takes its problems".to_owned()),
            (true, reason) => reason,
        };
    }

    /// JSON for programs.
    pub fn to_json(&self) -> Value {
        let model = |m: &Suited| {
            let cost = m.cost.as_ref().map(|c| {
                json!({ "steps": c.steps, "seconds_per_step": c.per_step, "iterations_per_step": c.iterations, "failure": c.failure })
            });
            json!({ "solver": m.solver, "class": m.class, "departs": m.departs, "cost": cost })
        };
        let models: Vec<Value> = self.models.iter().map(model).collect();
        json!({ "stepper": self.stepper, "wrong": self.wrong, "models": models, "refused": self.refused, "faults": self.faults })
    }
}
