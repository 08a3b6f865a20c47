//! `vinci explain`: what an experiment or a sweep would do.

use serde_json::{Value, json};
use vinci_core::clock::seconds;
use vinci_core::model::PairValues;
use vinci_core::problem::ProblemClass;

use super::files::is_sweep;
use super::printing::tell_asked;
use super::run::ready;
use super::search::{obeying, registry};
use crate::cli::{ExplainArgs, Global};
use vinci_engine::pipeline::{EventLocation, Exactness, ProblemForm, Route, StepControl};
use vinci_engine::registry::classes;
use vinci_run::{Prepared, Used, exit, polygon};
use vinci_scene::diagnostics::Diagnostics;
use vinci_sweep::{Ask, explained, load_sweep};

pub(crate) fn run(global: &Global, args: &ExplainArgs) -> Result<u8, Diagnostics> {
    let registry = registry(global, &args.search).allowing(&args.changes.libraries()).remembering();
    let registry = obeying(&registry, args.lock, &args.experiment)?;
    if is_sweep(&args.experiment) {
        let ask = Ask { overrides: args.changes.overrides()?, ..Ask::default() };
        told(global, args, explained(&load_sweep(&args.experiment, ask, &registry)?.0))?;
        return Ok(exit::OK);
    }
    let prepared = ready(&args.experiment, &args.changes, &registry, false)?;
    told(global, args, text(&prepared))?;
    Ok(exit::OK)
}

fn told(global: &Global, args: &ExplainArgs, text: String) -> Result<(), Diagnostics> {
    let value =
        || json!({ "file": args.experiment.to_string_lossy(), "lines": text.lines().collect::<Vec<_>>() });
    tell_asked(global, ("explain", exit::OK), false, || text.clone(), value)
}

fn text(p: &Prepared) -> String {
    let routes: String = p.route.emitted.iter().map(|class| routes(p, *class)).collect();
    let events = p.scheduled.texts().enumerate().map(|(i, text)| format!("event {:<4} {text}\n", i + 1));
    let tolerance = p.simulation.settings.tolerance;
    let solved = format!(
        "solved     where the natural-map residual, recomputed by the host, is at most {tolerance:e} of |q|∞; whether a step is \
         accepted the referee decides\n"
    );
    [scene(p), plugins(p), routes, physics(p), events.collect(), solved].concat()
}

/// The scene, and how time is divided.
fn scene(p: &Prepared) -> String {
    let (system, time) = (&p.simulation.system, &p.loaded.experiment.time);
    let mut out = format!(
        "scene      {}: {} moving and {} static bodies, {} velocities, {} shapes\n",
        system.space.name(),
        system.n_blocks(),
        system.bodies.len() - system.n_blocks(),
        system.nv(),
        system.shapes.len(),
    );
    out.push_str(&format!(
        "           {} springs, {} torsion springs, {} joints, {} support points\n",
        system.springs.len(),
        system.torsion_springs.len(),
        system.joints.len(),
        system.supports.len()
    ));
    let m = &system.materials;
    let rules = PairValues::NAMES.zip(m.rules).map(|(name, rule)| format!("{name} {}", rule.name()));
    let explicit = m.material_pairs.len() + m.body_pairs.len();
    out.push_str(&format!("materials  {}; {explicit} explicit pairs\n", rules.list().join(", ")));
    out.push_str(&format!("time       step {} s, {} s in all\n", time.step, time.duration));
    out + &services(&p.simulation.settings.control)
}

/// The plugins, and who chose the solver.
fn plugins(p: &Prepared) -> String {
    let mut out = plugin("detector", &p.detector);
    p.others.iter().for_each(|other| out.push_str(&plugin("", other)));
    out.push_str(&plugin("stepper", &p.stepper));
    let grouping =
        std::iter::once(&p.detector).chain(&p.others).any(|d| d.manifest.has_capability("or-groups"));
    if grouping && !p.simulation.settings.or_groups {
        out.push_str(
            "           takes the most open one where contacts are alternatives (convex corners): a wall may stand beyond an edge\n",
        );
    }
    for (k, solver) in p.solvers.iter().enumerate() {
        out.push_str(&plugin(if k == 0 { "solver" } else { "fallback" }, solver));
    }
    if p.simulation.solvers.races() {
        out.push_str(
            "           a race: all get every problem at once, and the first good answer is taken\n",
        );
    }
    if p.loaded.default_solver {
        out.push_str("           the default here: the experiment names no solver\n");
    }
    if let Some(chosen) = p.chosen() {
        out.push_str(&format!("           chosen by auto: {chosen}\n"));
    }
    p.controllers.iter().enumerate().for_each(|(k, used)| out.push_str(&controller(p, k, used)));
    out
}

/// How the way between grid times is divided; nothing where it is not.
fn services(stepping: &StepControl) -> String {
    let mut out = String::new();
    let located = match stepping.events {
        EventLocation::None => None,
        EventLocation::Backup => Some("by going back where a step has penetrated"),
        EventLocation::Predict => Some("by predicting them before the step, checked afterwards"),
    };
    if let Some(how) = located {
        let (gap, least) = (stepping.event_tolerance, stepping.min_step);
        out.push_str(&format!(
            "           times of contact are located to a gap of {gap:e} m {how}; steps of {least:e} s at least\n"
        ));
        out.push_str(&format!(
            "           after {} impacts of one contact within a step its restitution is 0 until it opens\n",
            stepping.max_impacts
        ));
    }
    if let Some(accuracy) = stepping.accuracy {
        let order = stepping.order;
        out.push_str(&format!(
            "           steps are doubled and halved to an error of {accuracy:e} m, order {order} taken for granted\n"
        ));
    }
    out
}

/// How problems of a class reach every solver.
fn routes(p: &Prepared, class: ProblemClass) -> String {
    let (stepper, name) = (&p.stepper.manifest.id, class.name());
    let mut out = String::new();
    for solver in p.solvers.iter().filter(|s| s.manifest.has_class(class)) {
        let id = &solver.manifest.id;
        if class == ProblemClass::Conic && !solver.manifest.has_capability("second-order-cones") {
            let route = "takes it as it is where it has no second-order cones";
            out.push_str(&format!("route      {stepper} emits {name}, {id} {route}: {}", loss(p, class)));
            continue;
        }
        out.push_str(&format!(
            "route      {stepper} emits {name}, {id} takes {name} as it is: {}",
            loss(p, class)
        ));
    }
    for solver in &p.solvers {
        out.push_str(&bridged(p, class, solver));
    }
    out
}

/// Loss without a bridge: nothing, or what the stepper's own polygons lose.
fn loss(p: &Prepared, class: ProblemClass) -> String {
    match polygon(p, class) {
        None => "exact, nothing is lost\n".to_string(),
        Some(polygon) => format!(
            "no bridge, but\n           friction circles are the stepper's own polygons of {} directions, up to {:.3} % too weak\n",
            polygon.directions,
            100.0 * polygon.bound()
        ),
    }
}

/// The ways of a class to one solver over bridges: every form, every way, bridge by bridge.
fn bridged(p: &Prepared, class: ProblemClass, solver: &Used) -> String {
    let (id, takes, n_d) =
        (&solver.manifest.id, classes(&solver.manifest), p.simulation.solvers.directions());
    let mut out = String::new();
    for form in ProblemForm::of_class(class) {
        let routes = Route::all(*form, takes);
        for (k, route) in routes.iter().enumerate().filter(|(_, route)| !route.is_direct()) {
            let Some(sentence) = route.sentence(n_d) else { continue };
            let (stepper, name) = (&p.stepper.manifest.id, form.name());
            let lead = if k == 0 { "" } else { "if the route before is refused: " };
            out.push_str(&format!("route      {stepper} emits {name}; {lead}{id}: {sentence}\n"));
            out.push_str(match route.exactness() {
                Exactness::Exact => "           nothing is lost; what is audited and recorded as the residual is the stepper's own problem's\n",
                Exactness::Iterative => {
                    "           nothing is lost once it ends; what is audited and recorded as the residual is the stepper's own problem's\n"
                }
                Exactness::Approximate => "           what is audited and recorded as the residual is the bridged problem's\n",
            });
        }
    }
    out
}

/// A controller: the plugin, when it is asked, and what it governs.
fn controller(p: &Prepared, k: usize, used: &Used) -> String {
    let of = &p.loaded.experiment.controllers[k];
    let mut out = plugin("controller", used);
    let when = match of.every {
        1 => "every grid time".to_owned(),
        n => format!("every {n} grid times, {} s", seconds(n as f64 * p.simulation.settings.step)),
    };
    let mut line = |what: &str, names: String| {
        if !names.is_empty() {
            out.push_str(&format!("           {what} {names}\n"));
        }
    };
    line(&format!("`{}`, asked", of.called(k)), when);
    line("puts forces on", of.efforts.join(", "));
    line("leads the drives of", of.set_points.join(", "));
    line("follows references of", of.reference.keys().cloned().collect::<Vec<_>>().join(", "));
    out
}

fn plugin(role: &str, used: &Used) -> String {
    let (m, parameters) = (&used.manifest, &used.manifest.parameters);
    let mut out = format!("{role:<10} {} {} from {}\n", m.id, m.version, used.plugin.path().display());
    out.push_str(&format!("           {}\n", m.title));
    out.push_str(&options(used));
    for (what, list) in
        [("reads", &parameters.reads), ("ignores", &parameters.ignores), ("refuses", &parameters.refuses)]
    {
        if !list.is_empty() {
            out.push_str(&format!("           {what} {}\n", list.join(", ")));
        }
    }
    parameters
        .reinterprets
        .iter()
        .for_each(|sense| out.push_str(&format!("           reinterprets {sense}\n")));
    out
}

/// Every option with its value in force: those that the experiment gives, then the defaults.
fn options(used: &Used) -> String {
    let given: Value = serde_json::from_str(&used.options).unwrap_or_default();
    let none = serde_json::Map::new();
    let known = used.manifest.options.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let value = |v: &Value| if v.is_null() { "none".to_owned() } else { v.to_string() };
    let given = given.as_object().unwrap_or(&none);
    let chosen = given.iter().map(|(name, v)| format!("{name} {}", value(v)));
    let others = known.iter().filter(|(name, _)| !given.contains_key(*name));
    let defaults =
        others.filter_map(|(name, schema)| Some(format!("{name} {}", value(schema.get("default")?))));
    let lines = [("given", chosen.collect::<Vec<_>>()), ("default", defaults.collect())];
    let filled = lines.into_iter().filter(|(_, list)| !list.is_empty());
    filled.map(|(what, list)| format!("           {what:<8} {}\n", list.join(", "))).collect()
}

/// The stepper's reading of the scene, and all warnings.
fn physics(p: &Prepared) -> String {
    let mut out = String::new();
    for (k, fact) in p.physics.facts.iter().enumerate() {
        let head = if k == 0 { "physics" } else { "" };
        out.push_str(&format!("{head:<10} {}: {}\n", fact.what, fact.how));
    }
    p.warnings.iter().for_each(|warning| out.push_str(&format!("warning    {}\n", warning.message)));
    out
}
