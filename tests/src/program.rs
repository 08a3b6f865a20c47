//! The program as a user runs it: a command line, and what it printed.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::house;

/// A directory of a test, removed at its end.
pub struct TestDirectory(tempfile::TempDir);

impl TestDirectory {
    /// An empty directory.
    ///
    /// # Panics
    /// Where it cannot be made.
    #[allow(clippy::new_without_default)] // it makes a directory
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory for the test"))
    }

    /// A directory with the experiment `e.json`, and its run in `run`.
    ///
    /// # Panics
    /// Where the run does not succeed.
    pub fn with_run(experiment: &Value) -> Self {
        let directory = Self::new();
        directory.write("e.json", experiment);
        let output = vinci(&["run", &directory.text("e.json"), "--out", &directory.text("run"), "--quiet"]);
        assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
        directory
    }

    /// Path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Path of a file in it, as an argument.
    pub fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Writes a document into it.
    ///
    /// # Panics
    /// Where it cannot be written.
    pub fn write(&self, name: &str, document: &Value) {
        std::fs::write(self.path(name), document.to_string()).expect("the test's file can be written");
    }
}

/// Runs the program of this build with arguments, to its end.
///
/// # Panics
/// Where the program cannot be started.
pub fn vinci(arguments: &[&str]) -> Output {
    Command::new(house::program()).args(arguments).output().expect("the program starts")
}

/// All that a program printed: standard output, then standard error.
pub fn output_text(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.clone(), output.stderr.clone()].concat()).into_owned()
}

/// Waits for something; false where it does not come.
pub fn comes(is_there: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(30) {
        if is_there() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

/// Processes of this machine by their command lines, in which arguments end with a null.
///
/// # Panics
/// Where the system lists none.
pub fn processes(is_wanted: impl Fn(&str) -> bool) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").expect("a list of processes").flatten();
    let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let line = |id: &u32| std::fs::read_to_string(format!("/proc/{id}/cmdline"));
    ids.filter(|id| line(id).is_ok_and(|line| is_wanted(&line))).collect()
}
