//! `docs/gallery.json`: what the gallery shows, in which order, and what is known of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::shell::{json, root};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Gallery {
    pub(crate) scenes: Vec<Entry>,
}

/// One experiment of `host/scenes`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// Name of the file without its ending.
    pub(crate) name: String,
    /// The coarsest of the three steps, s; the others are its half and its quarter.
    pub(crate) step: f64,
    /// How long the cells run, s.
    pub(crate) duration: f64,
    /// The closed form: columns of `trajectory.csv` as formulas of t.
    #[serde(default)]
    pub(crate) formula: BTreeMap<String, String>,
    /// The largest error against the closed form at the finest step that counts as right, in the unit of the error.
    #[serde(default)]
    pub(crate) within: Option<f64>,
    /// Models that suit and are not run, each with the reason.
    #[serde(default)]
    pub(crate) without: Vec<LeftOut>,
    /// The only models that are run, where trying all takes too long: `STEPPER + SOLVER`.
    #[serde(default)]
    pub(crate) only: Vec<String>,
    /// Too long for the lane of tests: run by hand.
    #[serde(default)]
    pub(crate) by_hand: bool,
    /// More flags of `vinci view` for its picture.
    #[serde(default)]
    pub(crate) view: Vec<String>,
}

/// A stepper, a solver or both that are left out.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LeftOut {
    #[serde(default)]
    pub(crate) stepper: Option<String>,
    #[serde(default)]
    pub(crate) solver: Option<String>,
    pub(crate) reason: String,
}

impl Entry {
    /// File of the experiment.
    pub(crate) fn experiment(&self) -> PathBuf {
        scenes().join(format!("{}.json", self.name))
    }

    /// Duration of the whole experiment, s.
    pub(crate) fn whole(&self) -> Result<f64, String> {
        let experiment: Value = json(&self.experiment())?;
        experiment["time"]["duration"].as_f64().ok_or(format!("{} has no duration", self.name))
    }

    /// The finest step as the table writes it.
    pub(crate) fn finest(&self) -> String {
        (self.step / 4.0).to_string()
    }

    /// Description from the files of the experiment: the scene first, then the experiment.
    pub(crate) fn about(&self) -> Result<String, String> {
        let experiment: Value = json(&self.experiment())?;
        let scene = match experiment["scene"].as_str() {
            Some(scene) => json(&scenes().join(scene))?,
            None => Value::Null,
        };
        let said = [&scene, &experiment].into_iter().filter_map(|file| file["description"].as_str());
        Ok(said.collect::<Vec<_>>().join(" "))
    }
}

/// Folder of the scenes and experiments that ship.
fn scenes() -> PathBuf {
    root().join("host/scenes")
}

impl LeftOut {
    pub(crate) fn holds(&self, stepper: &str, solver: &str) -> bool {
        self.stepper.as_deref().is_none_or(|s| s == stepper)
            && self.solver.as_deref().is_none_or(|s| s == solver)
    }
}

impl Gallery {
    /// Reads the list and holds it against the folder: every shipped experiment is shown, and nothing else.
    pub(crate) fn read() -> Result<Self, String> {
        let gallery: Self = json(&root().join("docs/gallery.json"))?;
        let listed: BTreeSet<_> = gallery.scenes.iter().map(|entry| entry.name.clone()).collect();
        let shipped = shipped(&scenes())?;
        let missing: Vec<_> = listed.symmetric_difference(&shipped).cloned().collect();
        if missing.is_empty() {
            Ok(gallery)
        } else {
            Err(format!("docs/gallery.json and host/scenes differ in {}", missing.join(", ")))
        }
    }

    /// The experiments with these names; all of them if none is named.
    pub(crate) fn named(&self, names: &[&String]) -> Result<Vec<&Entry>, String> {
        if names.is_empty() {
            return Ok(self.scenes.iter().collect());
        }
        let find = |name: &&String| {
            self.scenes
                .iter()
                .find(|entry| entry.name == **name)
                .ok_or(format!("the gallery has no `{name}`"))
        };
        names.iter().map(find).collect()
    }
}

/// Names of the experiments in a folder: neither scenes nor sweeps.
fn shipped(folder: &Path) -> Result<BTreeSet<String>, String> {
    let list = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let names = list.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    Ok(names
        .filter_map(|name| name.strip_suffix(".json").filter(|stem| !stem.contains('.')).map(str::to_owned))
        .collect())
}
