//! Finding, checking and creating everything a run needs, all but its events.

mod checks;
mod controllers;
mod default_solver;
mod detectors;
mod elsewhere;
mod judged;
mod maker;
mod race;
mod scenery;

pub(super) use default_solver::assemble_named;
pub use scenery::{Law, Scenery, scenery};

use std::time::Duration;

use vinci_abi::load::LoadedPlugin;
use vinci_abi::{Manifest, Role, capabilities_of};
use vinci_core::StageError;
use vinci_core::contact::FirstTangent;
use vinci_core::model::{Gyroscopic, SystemView};
use vinci_core::referee::Check;
use vinci_core::stage::Detector;

use super::composite::Shares;
use super::{physics, route};
use crate::acceptance;
use crate::pictures::Pictures;
use crate::prepared::Prepared;
use crate::scheduled_events::ScheduledEvents;
use crate::used::Used;
use elsewhere::{MadeElsewhere, made, route_of};
use maker::Maker;
use vinci_engine::pipeline::{Bridges, EventLocation, Settings, Simulation, SolverRoute, StepControl};
use vinci_engine::registry::{FindError, IsolationLimits, Registry};
use vinci_engine::system_views::SystemViews;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::experiment::{self, Experiment};
use vinci_scene::{Loaded, Path, Segment, base_of, compile, compile_controllers, compile_governed};

/// Finds the plugins of an experiment that names its solver, compiles the scene, and creates all instances. Events are not looked at.
fn assemble(mut loaded: Loaded, registry: &Registry) -> Result<Prepared, Diagnostics> {
    let mut diagnostics = loaded.warnings.clone();
    let plugins = find_all(&mut loaded, registry, &mut diagnostics);
    let compiled =
        compile(&loaded.scene, &loaded.scene_node).map_err(|errors| diagnostics.append(errors)).ok();
    let (Some(plugins), Some((system, drives))) = (plugins, compiled) else { return Err(diagnostics) };
    let controllers = compile_controllers(&loaded.scene, &loaded.scene_node, &system);
    let controllers = controllers.map_err(|errors| diagnostics.append(errors)).ok();
    let governed =
        compile_governed(&loaded, &system, &drives).map_err(|errors| diagnostics.append(errors)).ok();
    let pictures = Pictures::new(&loaded, &system).map_err(|errors| diagnostics.append(errors)).ok();
    let Plugins { detectors, stepper, solvers, controllers: controlling } = plugins;
    let maker = Maker { loaded: &loaded, registry };
    let route = route::find(&loaded, registry, &stepper, &solvers).map_err(|e| diagnostics.append(e)).ok();
    let bridges = maker.bridges(&mut diagnostics);
    let views = SystemViews::new(&system).accepting(route::accepted(&stepper, &solvers)).driven_by(&drives);
    let shares = maker.check_shapes(&detectors, &system, &views.view(), &mut diagnostics);
    maker.check_event_tolerance(&stepper, &mut diagnostics);
    maker.check_supports(&stepper, &system, &mut diagnostics);
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    let physics = physics::of_scene(&loaded, &stepper, (&system, &drives), &mut diagnostics);
    maker.warn_of_single_alternatives(&detectors, &stepper, &mut diagnostics);
    maker.check_race(&solvers, &mut diagnostics);
    let created = maker.create((&detectors, shares), &stepper, &solvers, &views.view(), &mut diagnostics);
    maker.warn_of_idle_threads(&mut diagnostics);
    let laws = governed.and_then(|governed| {
        maker.controllers((&controlling, governed), &system, &views.view(), &mut diagnostics)
    });
    let (
        Some(controllers),
        Some(laws),
        Some(pictures),
        Some(route),
        Some(bridges),
        Some((detector_stage, stepper_stage, chain)),
    ) = (controllers, laws, pictures, route, bridges, created)
    else {
        return Err(diagnostics);
    };
    let solver = loaded.experiment.solver.as_ref();
    let (divides, sleeps) = solver.map_or((false, None), |solver| (solver.islands, solver.sleeping));
    let threads = loaded.experiment.threads.map_or(1, |threads| threads as usize);
    // Solvers for other threads take a copy of the system along.
    let elsewhere = (threads > 1).then(|| {
        MadeElsewhere::of((&solvers, &views.view()), &system, &bridges, loaded.chosen_for.is_some()).route()
    });
    let raced = || MadeElsewhere::of((&solvers, &views.view()), &system, &bridges, false);
    let chain = maker.racing(chain, raced)?.bridged_by(bridges).by_islands(divides).sleeping(sleeps);
    let chain = match elsewhere {
        Some(make) => chain.on_threads(threads, make),
        None => chain,
    };
    let settings = settings(&loaded.experiment, &stepper.manifest);
    let controllers = controllers.and(laws, &system);
    let simulation = Simulation::new(system, drives, settings, detector_stage, stepper_stage, chain);
    let declared = judged::declaration(&stepper, &mut diagnostics);
    let simulation = simulation.controlled_by(controllers).judged_by(declared);
    let scheduled = ScheduledEvents::none(registry);
    let mut others = detectors;
    let detector = others.remove(0);
    diagnostics.accept(|warnings| Prepared {
        loaded,
        detector,
        others,
        stepper,
        solvers,
        controllers: controlling,
        route,
        simulation,
        pictures,
        warnings,
        physics,
        scheduled,
    })
}

struct Plugins {
    detectors: Vec<Used>,
    stepper: Used,
    solvers: Vec<Used>,
    controllers: Vec<Used>,
}

fn find_all(loaded: &mut Loaded, registry: &Registry, diagnostics: &mut Diagnostics) -> Option<Plugins> {
    let mut used = Vec::new();
    for path in loaded.plugin_paths() {
        let Some(role) = role_at(&path) else { continue };
        used.push((role, find(loaded, registry, role, path, diagnostics)));
    }
    let mut take = |role: Role| {
        let of_role: Vec<_> = used.iter_mut().filter(|(r, _)| *r == role).map(|(_, u)| u.take()).collect();
        of_role.into_iter().collect::<Option<Vec<Used>>>()
    };
    let [detectors, stepper, solvers, controllers] = Role::ALL.map(&mut take);
    let (detectors, stepper, solvers) = (detectors?, stepper?.pop()?, once_each(solvers?));
    Some(Plugins { detectors, stepper, solvers, controllers: controllers? })
}

/// Role of the plugins that stand where a path begins.
pub fn role_at(path: &Path) -> Option<Role> {
    match path.segments().first()? {
        Segment::Key(key) => Role::of_key(key),
        Segment::Index(_) => None,
    }
}

/// The chain without repetitions: what failed once with the same options fails again (a flag may have put a fallback first).
fn once_each(solvers: Vec<Used>) -> Vec<Used> {
    let mut chain: Vec<Used> = Vec::new();
    for solver in solvers {
        let again = |u: &Used| u.manifest.id == solver.manifest.id && u.options == solver.options;
        if !chain.iter().any(again) {
            chain.push(solver);
        }
    }
    chain
}

fn find(
    loaded: &mut Loaded,
    registry: &Registry,
    role: Role,
    path: Path,
    diagnostics: &mut Diagnostics,
) -> Option<Used> {
    let plugin = match found_plugin(loaded, registry, role, &path)? {
        Ok(plugin) => plugin,
        Err(error) => {
            diagnostics.push(loaded.plugin_error(&path, error.to_string(), error.help()));
            return None;
        }
    };
    plugin.warnings().iter().for_each(|warning| tell(registry, &warning.to_string()));
    let manifest = plugin.manifest(role)?.clone();
    warn_of_capabilities(&manifest, registry);
    tracing::info!(role = role.name(), version = %manifest.version, library = %plugin.path().display(), "uses {}", manifest.id);
    let mut findings = Diagnostics::new();
    let options = loaded.plugin_options(&path, &manifest.id, &manifest.options, &mut findings);
    let fits = !findings.has_errors();
    diagnostics.append(findings);
    fits.then(|| Used { plugin, manifest, options: options.to_string(), path })
}

/// A word that nobody knows is no capability: a misspelt one would be missed in silence.
fn warn_of_capabilities(manifest: &Manifest, registry: &Registry) {
    for word in manifest.unknown_capabilities() {
        let known = capabilities_of(manifest.role).join(", ");
        let (id, role) = (&manifest.id, manifest.role.name());
        let words = format!(
            "{id} claims the capability {word:?}, which this host does not know (of a {role}: {known})"
        );
        tell(registry, &words);
    }
}

/// Warns, the first time of many.
fn tell(registry: &Registry, warning: &str) {
    if registry.is_news(warning) {
        tracing::warn!("{warning}");
    }
}

/// The plugin that the experiment names at a path; nothing where it names none.
fn found_plugin(
    loaded: &Loaded,
    registry: &Registry,
    role: Role,
    path: &Path,
) -> Option<Result<LoadedPlugin, FindError>> {
    // Paths are relative to the file they stand in; those of flags to the working directory.
    let base = base_of(&loaded.place(&path.join("plugin")));
    let name = loaded.experiment_node.find(&path.join("plugin"))?.as_str()?;
    Some(match loaded.isolation(path) {
        Some(isolation) => {
            registry.isolated(limits_of(isolation)).and_then(|registry| registry.find(name, role, &base))
        }
        None => registry.find(name, role, &base),
    })
}

/// Limits of a process, as an experiment gives them.
fn limits_of(isolation: experiment::Isolation) -> IsolationLimits {
    let (given, usual) = (isolation.limits(), IsolationLimits::default());
    let deadline = given.deadline.and_then(|s| Duration::try_from_secs_f64(s).ok());
    let memory = given.memory.map(|mb| mb.saturating_mul(1 << 20));
    IsolationLimits { deadline: deadline.unwrap_or(usual.deadline), memory: memory.unwrap_or(usual.memory) }
}

fn settings(experiment: &Experiment, stepper: &Manifest) -> Settings {
    let plain = Settings::of(experiment.time.step, stepper);
    let limits = acceptance::limits_of(&experiment.referee);
    let limit = |check| limits.of_check(check).unwrap_or(f64::INFINITY);
    Settings {
        refine_above: limit(Check::Solution).min(limit(Check::Rows)),
        tolerance: experiment.tolerance.unwrap_or(plain.tolerance),
        gyroscopic: match experiment.time.gyroscopic {
            experiment::Gyroscopic::Implicit => Gyroscopic::Implicit,
            experiment::Gyroscopic::Explicit => Gyroscopic::Explicit,
            experiment::Gyroscopic::None => Gyroscopic::None,
        },
        margin: experiment.detector.margin,
        first_tangent: match experiment.friction_basis {
            experiment::FrictionBasis::Slip => FirstTangent::Slip,
            experiment::FrictionBasis::Axes => FirstTangent::Axes,
        },
        or_groups: plain.or_groups && experiment.time.events == experiment::ContactEventLocation::None,
        control: step_control(&experiment.time, plain.control),
        ..plain
    }
}

fn step_control(time: &experiment::Time, plain: StepControl) -> StepControl {
    StepControl {
        events: match time.events {
            experiment::ContactEventLocation::None => EventLocation::None,
            experiment::ContactEventLocation::Backup => EventLocation::Backup,
            experiment::ContactEventLocation::Predict => EventLocation::Predict,
        },
        event_tolerance: time.event_tolerance.unwrap_or(plain.event_tolerance),
        min_step: time.min_step.unwrap_or(plain.min_step),
        max_impacts: time.max_impacts.unwrap_or(plain.max_impacts),
        accuracy: time.tolerance,
        order: plain.order,
    }
}

type Stages = (Box<dyn Detector>, Box<dyn vinci_core::stage::Stepper>, SolverRoute);

impl Maker<'_> {
    fn bridges(&self, diagnostics: &mut Diagnostics) -> Option<Bridges> {
        let report = |error: StageError| {
            let place = self.loaded.place(&Path::root().join("solver").join("directions"));
            diagnostics.push(Diagnostic::error(Code::OutOfRange, error.message).at(place));
        };
        match &self.loaded.experiment.solver {
            // What the host chooses must not change the model.
            Some(_) if self.loaded.chosen_for.is_some() => Some(Bridges::default().faithful()),
            Some(solver) => Bridges::new(solver.directions).map_err(report).ok(),
            None => Some(Bridges::default()),
        }
    }

    fn create(
        &self,
        detectors: (&[Used], Shares),
        stepper: &Used,
        solvers: &[Used],
        view: &SystemView<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Stages> {
        let d = self.create_detector(detectors, view, diagnostics);
        let s = self.created(stepper.plugin.create_stepper(&stepper.options, view), stepper, diagnostics);
        let mut chain = Vec::new();
        for used in solvers {
            chain.push(self.created(made(used, view), used, diagnostics)?);
        }
        Some((d?, Box::new(s?), route_of(chain, self.loaded.chosen_for.is_some())?))
    }
}
