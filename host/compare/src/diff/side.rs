//! One of two experiments: a file, or the directory of a run, as JSON in which everything is resolved.

use std::path::{Path, PathBuf};

use serde_json::Value;

use vinci_engine::registry::Registry;
use vinci_run::results::{check_all_files, summary_of};
use vinci_run::{Prepared, START, ready};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::{Documents, Override, load_experiment};

/// An experiment.
#[derive(Debug, Clone)]
pub struct Side {
    /// The experiment, for messages.
    pub path: PathBuf,
    /// Everything resolved, the scene inside.
    pub json: Value,
}

impl Side {
    /// An experiment file with changes, or the experiment of a run's directory.
    ///
    /// # Errors
    /// What cannot be read, and an experiment that is wrong.
    pub fn open(path: &Path, changes: &[Override]) -> Result<Self, Diagnostics> {
        let file = if path.is_dir() { experiment_of(path)? } else { path.to_owned() };
        let loaded = load_experiment(&file, changes)?;
        Ok(Self { path: file, json: loaded.standalone().to_json() })
    }

    /// A run of it.
    ///
    /// # Errors
    /// Everything that a run would refuse.
    pub(super) fn ready(&self, registry: &Registry) -> Result<Prepared, Diagnostics> {
        ready(Documents::of_text(&self.json.to_string(), &self.path)?.with(&[])?, registry, false, None)
    }

    /// The step, s.
    pub(super) fn step(&self) -> f64 {
        self.json["time"]["step"].as_f64().unwrap_or(f64::NAN)
    }

    /// The duration, s.
    pub(super) fn duration(&self) -> f64 {
        self.json["time"]["duration"].as_f64().unwrap_or(f64::NAN)
    }

    /// This side with other values at some places: those of `from`.
    pub(super) fn with(&self, paths: &[Vec<String>], from: &Self) -> Self {
        let mut json = self.json.clone();
        for path in paths {
            put(&mut json, path, find(&from.json, path).cloned());
        }
        Self { path: self.path.clone(), json }
    }
}

/// The experiment of a run's directory.
///
/// # Errors
/// A directory whose results the experiment does not make again from its start; one that is damaged, or of another version.
fn experiment_of(directory: &Path) -> Result<PathBuf, Diagnostics> {
    let summary = summary_of(directory)?.unwrap_or_default();
    // Whoever names results means what they say: a table that was cut short, or is gone, is none of the run that is made again.
    check_all_files(directory, &summary)?;
    let refused = |what: &str, help: &str| {
        let message = format!("{} {what}", directory.display());
        Err(Diagnostic::error(Code::Contradiction, message).help(help).into())
    };
    if summary["judged"].is_object() {
        let help = "`vinci compare` measures motions against runs: name it as a motion of a comparison file";
        return refused("holds a motion that was judged, and no run makes it again", help);
    }
    if directory.join(START).exists() {
        let help = "both runs are made again from the start: name runs that began there";
        return refused("holds a run that went on from a saved state", help);
    }
    Ok(directory.join("experiment.json"))
}

/// The value at a path of keys; entries of arrays by their number.
pub(super) fn find<'v>(value: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, key| match value {
        Value::Array(list) => list.get(key.parse::<usize>().ok()?),
        _ => value.get(key),
    })
}

/// Puts a value there, or takes away what is there. Objects on the way are made.
fn put(value: &mut Value, path: &[String], new: Option<Value>) {
    let Some((key, rest)) = path.split_first() else {
        *value = new.unwrap_or_default();
        return;
    };
    if let Value::Array(list) = value {
        if let Some(entry) = key.parse::<usize>().ok().and_then(|k| list.get_mut(k)) {
            put(entry, rest, new);
        }
        return;
    }
    if value.is_null() && new.is_some() {
        *value = Value::Object(serde_json::Map::new());
    }
    let Value::Object(map) = value else { return };
    match new {
        None if rest.is_empty() => drop(map.remove(key)),
        None if !map.contains_key(key) => {}
        new => put(map.entry(key.as_str()).or_insert(Value::Null), rest, new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_exchanged_made_and_taken_away() {
        let words = |path: &str| path.split('.').map(str::to_owned).collect::<Vec<_>>();
        let side = |json: Value| Side { path: PathBuf::new(), json };
        let a = side(json!({ "a": { "b": 1 }, "list": [{ "m": 1 }, { "m": 2 }] }));
        let b = side(json!({ "a": {}, "c": { "d": [3] }, "list": [{ "m": 1 }, { "m": 5 }] }));
        let all = ["a.b", "c.d", "list.1.m", "x.y"].map(words);
        assert_eq!(a.with(&all, &b).json, b.json);
        assert_eq!(b.with(&all[..1], &a).json["a"], json!({ "b": 1 }));
    }
}
