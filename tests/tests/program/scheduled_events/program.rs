//! The program on experiments in a directory of their own.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use vinci_tests::house;

/// A directory with runs in it.
pub(crate) struct Bench {
    pub(crate) dir: tempfile::TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Writes `NAME.json`, runs it into `NAME/`, with more arguments.
    pub(crate) fn try_run(&self, name: &str, experiment: &Value, more: &[&str]) -> Output {
        let file = self.path().join(format!("{name}.json"));
        std::fs::write(&file, serde_json::to_string_pretty(experiment).unwrap()).unwrap();
        let (file, out) = (file.to_str().unwrap().to_owned(), self.path().join(name));
        let arguments = ["run", &file, "--out", out.to_str().unwrap()];
        Command::new(house::program()).args(arguments).args(more).output().unwrap()
    }

    /// The same; it must succeed. Its summary.
    #[track_caller]
    pub(crate) fn run(&self, name: &str, experiment: &Value, more: &[&str]) -> Value {
        let output = self.try_run(name, experiment, more);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", text(&output));
        serde_json::from_str(&self.read(name, "summary.json")).unwrap()
    }

    pub(crate) fn read(&self, name: &str, file: &str) -> String {
        std::fs::read_to_string(self.path().join(name).join(file)).unwrap()
    }

    /// Rows of a table from time t on.
    pub(crate) fn rows_from(&self, name: &str, file: &str, t: f64) -> Vec<String> {
        let text = self.read(name, file);
        let time = |row: &&str| row.split(',').next().unwrap().parse::<f64>().unwrap() >= t - 1e-9;
        text.lines().skip(1).filter(time).map(str::to_owned).collect()
    }
}

/// What the program said.
pub(crate) fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
