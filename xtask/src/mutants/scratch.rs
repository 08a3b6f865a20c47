//! A copy of the tree, and tests run in it.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::list::Mutant;
use crate::shell::{COMPILER, root, target, wait};

/// A test program that takes longer runs for ever.
const LONGEST: Duration = Duration::from_secs(120);

/// Outcome of the tests.
pub(super) enum Outcome {
    /// Number of the tests, all of which passed.
    Passed(usize),
    /// The name of one that failed, or why there is none.
    Failed(String),
    /// The compiler's message.
    NotBuilt(String),
}

/// The copy.
pub(super) struct Scratch {
    tree: PathBuf,
    build: PathBuf,
}

/// A test program and the folder it expects to run in.
struct Program {
    file: PathBuf,
    folder: PathBuf,
}

/// Answer of the compiler.
enum Compiled {
    Programs(Vec<Program>),
    /// The first line of what is wrong.
    Refused(String),
}

impl Scratch {
    /// Copies every file that git knows or would know. What is alike already is left as it is, so that builds stay fresh.
    pub(super) fn new() -> Result<Self, String> {
        let place = target().join("mutants");
        let place = if place.is_absolute() { place } else { root().join(place) };
        let scratch = Self { tree: place.join("tree"), build: place.join("build") };
        let files = files()?;
        for file in &files {
            let bytes = std::fs::read(root().join(file)).map_err(|e| format!("{file}: {e}"))?;
            let there = scratch.tree.join(file);
            if std::fs::read(&there).is_ok_and(|old| old == bytes) {
                continue;
            }
            let folder = there.parent().unwrap_or(&scratch.tree);
            std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
            std::fs::write(&there, bytes).map_err(|e| format!("{}: {e}", there.display()))?;
        }
        remove_others(&scratch.tree, &scratch.tree, &files)?;
        Ok(scratch)
    }

    /// A file of the copy.
    pub(super) fn read(&self, file: &str) -> Result<String, String> {
        std::fs::read_to_string(self.tree.join(file)).map_err(|e| format!("{file}: {e}"))
    }

    /// Writes a file of the copy.
    pub(super) fn write(&self, file: &str, text: &str) -> Result<(), String> {
        std::fs::write(self.tree.join(file), text).map_err(|e| format!("{file}: {e}"))
    }

    /// Builds and runs the tests of a mutant on the copy as it is.
    pub(super) fn test(&self, mutant: &Mutant) -> Result<Outcome, String> {
        let programs = match self.compile(&mutant.test)? {
            Compiled::Programs(programs) => programs,
            Compiled::Refused(why) => return Ok(Outcome::NotBuilt(why)),
        };
        let mut count = 0;
        for program in programs {
            match program.run(&mutant.only)? {
                Outcome::Passed(n) => count += n,
                other => return Ok(other),
            }
        }
        Ok(Outcome::Passed(count))
    }

    /// Compiles tests. An error means that cargo could not be run.
    fn compile(&self, arguments: &[String]) -> Result<Compiled, String> {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["test", "--no-run", "--message-format=json"]).args(arguments);
        // A fault may break a rule of the lints, and is none the less to be found by a test.
        cargo.current_dir(&self.tree).env("CARGO_TARGET_DIR", &self.build).env_remove(COMPILER);
        let output = cargo.output().map_err(|e| format!("cargo: {e}"))?;
        let messages = String::from_utf8_lossy(&output.stdout).into_owned();
        let messages: Vec<serde_json::Value> =
            messages.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        if !output.status.success() {
            let error = messages.iter().find(|m| m["message"]["level"] == "error");
            let said = error.and_then(|m| m["message"]["message"].as_str()).map(str::to_owned);
            let said = said.or_else(|| {
                String::from_utf8_lossy(&output.stderr)
                    .lines()
                    .find(|l| l.starts_with("error"))
                    .map(str::to_owned)
            });
            return Ok(Compiled::Refused(said.unwrap_or_else(|| output.status.to_string())));
        }
        Ok(Compiled::Programs(messages.iter().filter_map(Program::named).collect()))
    }
}

impl Program {
    /// The test program that a message of cargo tells of, if it does.
    fn named(message: &serde_json::Value) -> Option<Self> {
        let file = message["executable"].as_str().filter(|_| message["profile"]["test"] == true)?;
        let manifest = Path::new(message["manifest_path"].as_str()?);
        Some(Self { file: file.into(), folder: manifest.parent()?.into() })
    }

    fn run(&self, only: &[String]) -> Result<Outcome, String> {
        let mut command = Command::new(&self.file);
        command.args(only).current_dir(&self.folder).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|e| format!("{}: {e}", self.file.display()))?;
        // Whoever does not read lets a talkative program wait for ever.
        let mut pipe = child.stdout.take();
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = pipe.as_mut().map_or(Ok(0), |p| p.read_to_end(&mut bytes));
            read.map(|_| String::from_utf8_lossy(&bytes).into_owned())
        });
        let ended = wait(&mut child, LONGEST).map_err(|e| e.to_string())?;
        let said = reader.join().map_err(|_| "a reader ended early")?.map_err(|e| e.to_string())?;
        Ok(match ended {
            None => Outcome::Failed(format!("no end within {} s", LONGEST.as_secs())),
            Some(true) => Outcome::Passed(said.lines().filter(|l| l.ends_with("... ok")).count()),
            Some(false) => Outcome::Failed(first_failure(&said)),
        })
    }
}

/// The first test that a test program calls failed.
fn first_failure(said: &str) -> String {
    let named = |line: &str| {
        line.strip_prefix("test ").and_then(|l| l.strip_suffix(" ... FAILED")).map(str::to_owned)
    };
    said.lines().find_map(named).unwrap_or_else(|| "a test program that did not end well".into())
}

/// Paths from the root.
fn files() -> Result<Vec<String>, String> {
    let mut git = Command::new("git");
    git.arg("-C").arg(root()).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let output = git.output().map_err(|e| format!("git: {e}"))?;
    if !output.status.success() {
        return Err("the files of the tree are those that git lists, and there is no repository here".into());
    }
    let list = String::from_utf8(output.stdout).map_err(|e| e.to_string())?;
    let mut files: Vec<String> = list.split('\0').filter(|f| !f.is_empty()).map(str::to_owned).collect();
    files.retain(|f| root().join(f).is_file());
    files.sort();
    files.dedup();
    Ok(files)
}

/// Removes files of the copy that the tree has no more.
fn remove_others(folder: &Path, tree: &Path, files: &[String]) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for path in entries.flatten().map(|e| e.path()) {
        let name = path.strip_prefix(tree).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        if path.is_dir() {
            remove_others(&path, tree, files)?;
        } else if files.binary_search(&name).is_err() {
            std::fs::remove_file(&path).map_err(|e| format!("{name}: {e}"))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_test_that_failed_is_named() {
        let said = "running 3 tests\ntest a::b ... ok\ntest a::c ... FAILED\ntest a::d ... FAILED\n";
        assert_eq!(first_failure(said), "a::c");
        assert_eq!(first_failure("running 1 test\n"), "a test program that did not end well");
    }
}
