//! Files that tests load, and a scene and an experiment that are right. The tests of the program use this file too.

use std::path::PathBuf;

use super::Diagnostics;

/// A directory with files.
pub(super) struct Files {
    pub(super) dir: tempfile::TempDir,
}

impl Files {
    pub(super) fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self { dir }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Findings, one per line: `severity[code] file:line:column message | help`, with the directory cut off.
    pub(super) fn lines(&self, diagnostics: &Diagnostics) -> String {
        let mut out = String::new();
        for d in diagnostics.in_order() {
            let place = d.place.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
            let help = d.help.as_ref().map_or_else(String::new, |h| format!("\n  {h}"));
            out += &format!("{}[{}] {place} {}{help}\n", d.severity.name(), d.code.name(), d.message);
        }
        let dir = self.dir.path().display().to_string();
        out.replace(&format!("{dir}/"), "").replace(&dir, "DIR")
    }
}

pub(super) const SCENE: &str = r#"{
  "format": "vinci/scene@1", "space": "planar",
  "bodies": [
    { "name": "ground", "static": true, "shapes": [{ "type": "half-plane" }] },
    { "name": "block", "mass": 1, "position": [0, 0.5], "shapes": [{ "type": "box", "size": [1, 1] }] }
  ]
}"#;

pub(super) const EXPERIMENT: &str = r#"{
  "format": "vinci/experiment@1", "scene": "s.json",
  "time": { "step": 0.01, "duration": 1 },
  "detector": "planar",
  "stepper": { "plugin": "vinci.stepper.stewart-trinkle", "options": { "motion": "dynamic" } },
  "solver": { "plugin": "lemke", "options": { "pivots": 100 }, "fallback": ["newton"] }
}"#;

pub(super) fn both() -> Files {
    Files::new([("s.json", SCENE), ("e.json", EXPERIMENT)])
}
