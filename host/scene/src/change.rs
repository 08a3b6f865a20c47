//! Changes during a run: what an event puts into the experiment and its scene.

use super::checking::{check_experiment, check_running_scene};
use super::load::Loaded;
use super::merge::normalise_plugins;
use super::node::{Entry, Node, Value};
use super::path::{Path, Segment, at};
use super::set::Override;
use crate::diagnostics::{Code, Diagnostic, Diagnostics, TextSpan};

/// Beginnings of paths that a run may change.
const MAY_CHANGE: [&[&str]; 12] = [
    &["scene"],
    &["detector"],
    &["stepper"],
    &["solver"],
    &["controllers"],
    &["tolerance"],
    &["friction_basis"],
    &["time", "events"],
    &["time", "event_tolerance"],
    &["time", "tolerance"],
    &["time", "min_step"],
    &["time", "max_impacts"],
];

impl Loaded {
    /// The document of event `index`, and where it begins.
    pub fn event(&self, index: usize) -> Option<(&Node, TextSpan)> {
        let node = self.experiment_node.find(&at!["events", index])?;
        Some((node, node.place.part(0, 1)))
    }

    /// Overrides that event `index` puts into the documents, in the order in which it is written, `set` before `swap`.
    ///
    /// # Errors
    /// Texts that are no paths, and values that cannot change during a run.
    pub fn overrides_of(&self, index: usize) -> Result<Vec<Override>, Diagnostics> {
        let (mut list, mut diagnostics) = (Vec::new(), Diagnostics::new());
        let Some((event, _)) = self.event(index) else { return Ok(list) };
        for entry in event.get("set").map(Node::entries).unwrap_or_default() {
            match changeable(entry) {
                Ok(path) => {
                    list.push(Override::written(path, entry.key_place.clone(), entry.node.clone()));
                }
                Err(finding) => diagnostics.push(finding),
            }
        }
        for entry in event.get("swap").map(Node::entries).unwrap_or_default() {
            let mut value = Node::new(Value::Object(vec![entry.clone()]), entry.node.place.clone());
            normalise_plugins(&mut value);
            let Some(node) = value.get(&entry.key).cloned() else { continue };
            let path = Path::root().join(entry.key.as_str());
            list.push(Override::written(path, entry.key_place.clone(), node));
        }
        diagnostics.accept(|_| list)
    }

    /// The experiment as it is in the middle of a run, after these changes.
    ///
    /// # Errors
    /// Everything that is wrong with it then.
    pub fn changed(&self, overrides: &[Override]) -> Result<Self, Diagnostics> {
        let (mut diagnostics, mut changed) = (Diagnostics::new(), self.clone());
        changed.experiment_node = self.as_written();
        changed.chosen_for = None;
        for one in overrides {
            let in_scene = one.is_for_scene();
            let root = if in_scene { &mut changed.scene_node } else { &mut changed.experiment_node };
            if let Err(error) = one.apply(root) {
                diagnostics.push(error);
            }
            normalise_plugins(&mut changed.experiment_node);
        }
        changed.default_solver &=
            !overrides.iter().any(|one| one.path().segments().first() == Some(&"solver".into()));
        let experiment = check_experiment(&changed.experiment_node, &mut diagnostics);
        let scene = check_running_scene(&changed.scene_node, &mut diagnostics);
        let (Some(experiment), Some(scene)) = (experiment, scene) else { return Err(diagnostics) };
        diagnostics.accept(|warnings| Self { experiment, scene, warnings, ..changed })
    }
}

/// The path of an entry of `set`.
fn changeable(entry: &Entry) -> Result<Path, Diagnostic> {
    let key = &entry.key;
    let Some(path) = Path::parse(key) else {
        let help = "write paths as `--set` has them: \"scene.materials.rubber.friction\"";
        let message = format!("`{key}` is not a path");
        return Err(Diagnostic::error(Code::BadSet, message).at(entry.key_place.clone()).help(help));
    };
    may_change(&path, &entry.key_place)?;
    Ok(path)
}

/// Checks that a run may change the value at a path, which is written at `place`.
///
/// # Errors
/// A path whose value is fixed during a run; the finding says which values are not.
pub fn may_change(path: &Path, place: &TextSpan) -> Result<(), Diagnostic> {
    let begins = |with: &&&[&str]| {
        let is = |(i, word): (usize, &&str)| path.segments().get(i) == Some(&Segment::from(*word));
        with.iter().enumerate().all(is)
    };
    let whole_scene = path.segments() == ["scene".into()];
    if !whole_scene && MAY_CHANGE.iter().any(|with| begins(&with)) {
        return Ok(());
    }
    let help = "a run can change values of its scene (`scene.…`), its plugins and their options, `tolerance`, \
                `friction_basis`, and how steps are divided (`time.events`, `time.tolerance`, …)";
    let message = format!("`{path}` cannot change during a run");
    Err(Diagnostic::error(Code::BadSet, message).at(place.clone()).help(help))
}

/// Number of the first grid time k h that is not before a time; rounding of their quotient is no step.
pub fn grid_number(time: f64, h: f64) -> u64 {
    (time / h - 1e-9).ceil().max(0.0) as u64
}
