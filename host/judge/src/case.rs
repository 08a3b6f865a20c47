//! A case: a scene or an experiment, a motion, and contact forces where there are any.

use std::path::Path;
use std::rc::Rc;

use serde_json::json;
use vinci_core::model::{DofRole, System};
use vinci_core::referee::ContactLaw;
use vinci_engine::pipeline::{Accepted, Simulation};
use vinci_engine::registry::Registry;
use vinci_run::acceptance::limits_of;
use vinci_run::physics::{Meeting, meetings};
use vinci_run::{Law, Scenery, Used, scenery};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::experiment::EXPERIMENT_FORMAT;
use vinci_scene::types::{SCENE_FORMAT, SpaceName};
use vinci_scene::{Documents, Loaded, Override, load_experiment, load_scene};

use crate::directory::{self, Origin, Writer};
use crate::files::{Files, Verdict};
use crate::forces::Forces;
use crate::judged::{Watch, judge, look_at_start, simulation};
use crate::motion::{Leg, Motion};
use vinci_run::table_file::TableFile;

/// Largest part of a step by which a motion may end before its experiment does.
const WHOLE: f64 = 0.5;
/// A motion that begins farther from the scene's start than this, m, is told of.
const ELSEWHERE: f64 = 1e-9;

/// A motion in its scene, read and checked.
pub struct Case {
    scenery: Scenery,
    motion: Rc<Motion>,
    forces: Option<Rc<Forces>>,
    /// Findings that stop nothing.
    pub warnings: Diagnostics,
    files: Files,
    /// The replay of the motion, at its first row.
    simulation: Simulation,
    legs: Rc<Vec<Leg>>,
    /// Number of times at which forces that the same motion allows are looked for, evenly over the motion.
    looks: u64,
}

/// Reads a case. `file` is an experiment, or a scene that is judged with the median step of the motion and the default detector.
///
/// # Errors
/// Everything found wrong in scene, motion and forces.
pub fn read(
    file: &Path,
    overrides: &[Override],
    files: Files,
    (registry, law): (&Registry, Law),
) -> Result<Case, Diagnostics> {
    let table = TableFile::read(&files.trajectory, &[])?;
    let loaded = match vinci_scene::files::format_of(file).as_deref() {
        Some(SCENE_FORMAT) => of_scene(file, overrides, &table, law)?,
        _ => load_experiment(file, overrides)?,
    };
    of_loaded(loaded, &table, files, (registry, law))
}

/// A case of an experiment that is loaded.
///
/// # Errors
/// As of [`read`].
pub(crate) fn of_loaded(
    loaded: Loaded,
    table: &TableFile,
    files: Files,
    (registry, law): (&Registry, Law),
) -> Result<Case, Diagnostics> {
    refuse_events(&loaded)?;
    let mut scenery = scenery(loaded, registry, law)?;
    refuse_layers(&scenery)?;
    let motion = Rc::new(Motion::of(table, &scenery.system)?);
    let legs = motion.legs(scenery.settings.step);
    let forces = match &files.contacts {
        None => None,
        Some(path) => {
            let table = TableFile::read(path, &Forces::WORDS)?;
            Some(Rc::new(Forces::of(&table, &scenery.system, &motion, &legs)?))
        }
    };
    let mut warnings = scenery.warnings.clone();
    warnings.append(told(&scenery, &motion, &legs));
    let stage = std::mem::replace(&mut scenery.stage, directory::no_detector());
    let (mut simulation, legs) = simulation(&mut scenery, stage, (&motion, forces.as_ref()))?;
    warnings.append(look_at_start(&scenery.loaded, &mut simulation)?);
    Ok(Case { scenery, motion, forces, warnings, files, simulation, legs, looks: 0 })
}

/// Whoever writes the steps, and whoever hears how far they are.
struct StepWriter<'w, P: FnMut(f64)> {
    writer: &'w mut Writer,
    progress: P,
}

impl<P: FnMut(f64)> Watch for StepWriter<'_, P> {
    fn step(&mut self, system: &System, number: u64, accepted: &Accepted<'_>) -> std::io::Result<()> {
        self.writer.step(system, number, accepted)?;
        (self.progress)(accepted.t);
        Ok(())
    }
}

impl Case {
    /// End of the motion, s.
    pub fn ends(&self) -> f64 {
        self.motion.t.last().copied().unwrap_or(0.0)
    }

    /// A case of a loaded experiment, as comparisons have it.
    ///
    /// # Errors
    /// As of [`read`].
    pub fn of(loaded: Loaded, files: Files, registry: &Registry) -> Result<Self, Diagnostics> {
        let table = TableFile::read(&files.trajectory, &[])?;
        of_loaded(loaded, &table, files, (registry, Law::Strict))
    }

    /// Case that looks at so many times for the forces that the same motion allows.
    pub fn looking_at(self, looks: u64) -> Self {
        Self { looks, ..self }
    }

    /// The experiment.
    pub fn loaded(&self) -> &Loaded {
        &self.scenery.loaded
    }

    /// Digests of what decides on the result beside the experiment, in the order of a run's plugins: detector, motion, other detectors,
    /// forces.
    pub fn digests(&self) -> Vec<String> {
        let (origin, digest) = (self.origin(), |used: &Used| used.plugin.digest().to_owned());
        let first = [digest(&self.scenery.detector), origin.stepper.digest];
        let others = self.scenery.others.iter().map(digest);
        let controllers = self.scenery.controlling.iter().map(digest);
        first.into_iter().chain(others).chain([origin.solver.digest]).chain(controllers).collect()
    }

    fn origin(&self) -> Origin {
        Origin::of(&self.files, &self.motion, self.forces.as_deref())
    }

    /// Judges the motion, and writes a directory like that of a run, if one is named. `progress` hears the time of every step, s.
    ///
    /// # Errors
    /// A step that cannot be judged; output.
    pub fn judge(self, directory: Option<&Path>, progress: impl FnMut(f64)) -> Result<Verdict, Diagnostics> {
        let (origin, looks_at, short) = (self.origin(), self.looks_at(), self.ends_early());
        let Self { scenery, motion, forces, simulation, legs, .. } = self;
        let limits = limits_of(&scenery.loaded.experiment.referee);
        let failed = |e: std::io::Error| {
            let place = directory.unwrap_or(Path::new("the results")).display();
            Diagnostics::from(Diagnostic::error(Code::Io, format!("cannot write to {place}: {e}")))
        };
        let mut writer = Writer::begin(directory, &scenery, &simulation).map_err(failed)?;
        let begun = std::time::Instant::now();
        let record = (&*motion, legs.as_slice(), forces.as_deref());
        let asked = (limits, scenery.settings.deviates, looks_at.as_slice());
        let mut watch = StepWriter { writer: &mut writer, progress };
        let mut judged = judge(simulation, record, asked, &mut watch)?;
        judged.simulation.timing.total = begun.elapsed().as_secs_f64();
        writer.end((&scenery, origin), judged, (&motion, forces.is_some()), short).map_err(failed)
    }

    /// Times of looks, s.
    fn looks_at(&self) -> Vec<f64> {
        let (start, end) = (self.motion.t[0], self.ends());
        (1..=self.looks).map(|k| start + (end - start) * k as f64 / self.looks as f64).collect()
    }

    /// A motion that ends before its experiment does, in words.
    fn ends_early(&self) -> Option<String> {
        let time = &self.scenery.loaded.experiment.time;
        let end = self.ends();
        let short = time.duration - end > WHOLE * time.step;
        short.then(|| format!("the motion ends at t = {end} s, its experiment at {} s", time.duration))
    }
}

/// Largest difference of the first velocities from those of the scene, m/s or rad/s, and whose it is. What is driven or locked is held against its
/// command in every step.
fn first_velocities(scenery: &Scenery, motion: &Motion) -> (f64, String) {
    let (system, v) = (&scenery.system, motion.v(0));
    let absent: Vec<usize> = motion.absent().flat_map(|[_, dofs]| dofs.clone()).collect();
    let roles = system.roles();
    let is_free = |i: &usize| DofRole::from_code(roles[*i]) != DofRole::Prescribed && !absent.contains(i);
    let off = |i: usize| (v[i] - system.initial_velocity[i]).abs();
    let farthest = (0..v.len()).filter(is_free).max_by(|i, j| off(*i).total_cmp(&off(*j)));
    let Some(i) = farthest else { return (0.0, String::new()) };
    let (owner, name) = vinci_engine::labels::of_block(system, i).unwrap_or_default();
    (off(i), format!("`{owner}`, {name}"))
}

/// Refuses events, which change the scene within a motion.
fn refuse_events(loaded: &Loaded) -> Result<(), Diagnostics> {
    if loaded.experiment.events.is_empty() {
        return Ok(());
    }
    let message =
        "the experiment has events, which change the scene on the way: no motion is judged through them";
    let help = "judge the parts between them in scenes of their own, or leave them out: --set events=[]";
    Err(Diagnostic::error(Code::Contradiction, message).help(help).into())
}

/// Refuses the law of layers where they deform along their surface: no record tells by how much.
fn refuse_layers(scenery: &Scenery) -> Result<(), Diagnostics> {
    if !matches!(scenery.declared.law, ContactLaw::Layers { .. }) {
        return Ok(());
    }
    let met = meetings(&scenery.system, &scenery.drives);
    let rubs = |meeting: &&Meeting| meeting.pair.stiffness.is_finite() && meeting.pair.friction > 0.0;
    let Some(first) = met.iter().find(rubs) else { return Ok(()) };
    let between = first.between(&scenery.system);
    let message = format!(
        "{between} may meet, and by the declared law their layers deform along the surface: no record tells by how much"
    );
    let help =
        "judge the motion without --declared, by the law of rigid contact; or look at the run's own summary";
    Err(Diagnostic::error(Code::Contradiction, message).help(help).into())
}

/// Warnings about a motion before it is judged.
fn told(scenery: &Scenery, motion: &Motion, legs: &[Leg]) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    let mut tell = |message: String, help: &str| {
        diagnostics.push(Diagnostic::warning(Code::Physics, message).help(help));
    };
    let off = scenery.system.distance(&scenery.system.initial_q(), motion.q(0));
    if motion.t[0] == 0.0 && off > ELSEWHERE {
        let message = format!("the motion begins up to {off:.3e} m from where the scene does");
        tell(message, "it is judged from there; errors to a reference have it in them");
    }
    let (faster, at) = first_velocities(scenery, motion);
    if motion.t[0] == 0.0 && motion.has_velocities && faster > ELSEWHERE {
        let message = format!(
            "the motion begins with a velocity that is up to {faster:.3e} off that of the scene ({at})"
        );
        tell(message, "it is judged from there: the scene's body was not pushed so");
    }
    let step = scenery.settings.step;
    let longest = legs.iter().map(|leg| leg.h).fold(0.0, f64::max);
    if longest > 1.01 * step {
        let message = format!("rows are up to {longest} s apart where the step is {step} s");
        tell(message, "they are judged as steps: record every step, or name the step with --step");
    }
    if !motion.has_velocities {
        let message =
            "the record has no velocities: they are taken for the differences of its places".to_owned();
        tell(message, "whether places follow from velocities is not judged then");
    }
    diagnostics
}

/// A scene as an experiment: the median step of the motion, as long as that takes. Its stepper is named and not used.
fn of_scene(file: &Path, overrides: &[Override], table: &TableFile, law: Law) -> Result<Loaded, Diagnostics> {
    if law == Law::Declared {
        let message = "a scene has no stepper whose law could be declared";
        return Err(Diagnostic::error(Code::Usage, message).help("name an experiment").into());
    }
    let at =
        table.at("time").ok_or_else(|| table.bad("there is no column `time`".into(), "times are in s"))?;
    let t = table.finite(at)?;
    let mut steps: Vec<f64> = t.windows(2).map(|pair| pair[1] - pair[0]).filter(|h| *h > 0.0).collect();
    steps.sort_by(f64::total_cmp);
    let Some(step) = steps.get(steps.len() / 2) else {
        return Err(table.bad("its times do not ascend".into(), "rows are in the order of their times"));
    };
    let end = t.iter().fold(f64::MIN_POSITIVE, |m, t| m.max(*t));
    let detector = match load_scene(file)?.scene.space {
        SpaceName::Planar => "vinci.detector.planar",
        SpaceName::Spatial => "vinci.detector.parry",
    };
    let scene = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let text = json!({
        "format": EXPERIMENT_FORMAT, "scene": scene.to_string_lossy(), "time": { "step": step, "duration": end },
        "detector": { "plugin": detector }, "stepper": { "plugin": "vinci.stepper.stewart-trinkle" }
    });
    Documents::of_text(&text.to_string(), file)?.with(overrides)
}
