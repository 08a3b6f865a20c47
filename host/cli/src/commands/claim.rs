//! A directory that results will go to: locked before any plugin is loaded, and as it was where nothing comes of it.

use std::path::{Path, PathBuf};

use super::files::run_error;
use super::results_directory::{beside_comparison, file_of_sweep, foreign_file, in_use, set_aside};
use super::run_files::ASIDE;
use vinci_run::lock::Lock;
use vinci_scene::diagnostics::Diagnostics;

/// A claimed directory.
#[derive(Debug)]
pub(crate) struct Claim {
    directory: PathBuf,
    /// The file that says that results are complete. It stands aside while they may change.
    seal: &'static str,
    /// Directories that were made for it, the deepest first.
    made: Vec<PathBuf>,
    lock: Option<Lock>,
    is_taken: bool,
}

impl Claim {
    /// Locks a directory, and sets aside what says that its results are complete: a plugin that ends the process must not leave the
    /// success of an earlier run behind.
    ///
    /// # Errors
    /// Another process has it; input and output.
    pub(crate) fn of(directory: &Path, seal: &'static str) -> Result<Self, Diagnostics> {
        let claim = Self::locked(directory, seal)?;
        claim.move_seal(true).map_err(|e| run_error(directory, &e))?;
        Ok(claim)
    }

    /// Locks the directory of a run that goes on, with everything in it as it is.
    ///
    /// # Errors
    /// As of [`Claim::of`].
    pub(crate) fn to_go_on(directory: &Path) -> Result<Self, Diagnostics> {
        let mut claim = Self::locked(directory, "summary.json")?;
        // A run that was killed before it took the directory left the summary of the one before it aside.
        claim.move_seal(false).map_err(|e| run_error(directory, &e))?;
        claim.is_taken = true;
        Ok(claim)
    }

    fn locked(directory: &Path, seal: &'static str) -> Result<Self, Diagnostics> {
        let failed = |e: std::io::Error| run_error(directory, &e);
        // Plugins may change the working directory.
        let place = std::path::absolute(directory).map_err(failed)?;
        let made = place.ancestors().take_while(|p| !p.exists()).map(Path::to_owned).collect();
        let lock = Lock::take(&place).map_err(failed)?;
        Ok(Self { directory: place, seal, made, lock: Some(lock), is_taken: false })
    }

    /// Claims a directory for a run, where the directory is new, empty, holds an earlier run, or `force` says that other files in it may stay.
    ///
    /// # Errors
    /// As of [`Claim::of`]; foreign files.
    pub(crate) fn of_run(directory: &Path, force: bool) -> Result<Self, Diagnostics> {
        Self::beside(directory, "summary.json", foreign_file(directory)?.filter(|_| !force))
    }

    /// Claims a directory for a comparison, where the directory is new, empty, holds an earlier comparison, or `force` says that other files in it may
    /// stay.
    ///
    /// # Errors
    /// As of [`Claim::of_run`].
    pub(crate) fn of_comparison(
        directory: &Path,
        seal: &'static str,
        force: bool,
    ) -> Result<Self, Diagnostics> {
        Self::beside(directory, seal, beside_comparison(directory, seal)?.filter(|_| !force))
    }

    /// Claims a directory unless something else keeps it in use: a foreign file, or, whatever the user says, a sweep.
    fn beside(directory: &Path, seal: &'static str, foreign: Option<PathBuf>) -> Result<Self, Diagnostics> {
        match foreign.or_else(|| file_of_sweep(directory)) {
            Some(path) => Err(in_use(directory, &path)),
            None => Self::of(directory, seal),
        }
    }

    /// The directory is to be written now: an earlier run that was complete is set aside until this one has ended, any other goes.
    ///
    /// # Errors
    /// Of output.
    pub(crate) fn take(&mut self) -> Result<(), Diagnostics> {
        self.is_taken = true;
        set_aside(&self.directory)
    }

    /// The results that are there are gone on with; those that were complete are no more.
    pub(crate) fn keep(&mut self) {
        self.is_taken = true;
        // The old summary under its other name is of no use any more, and does no harm where it cannot be removed.
        let _ = std::fs::remove_file(self.directory.join(format!("{}{ASIDE}", self.seal)));
    }

    /// Sets the seal aside, or puts it back where it was set aside and no new one is there.
    fn move_seal(&self, aside: bool) -> std::io::Result<()> {
        let seal = self.directory.join(self.seal);
        let beside = self.directory.join(format!("{}{ASIDE}", self.seal));
        match aside {
            true if seal.exists() => std::fs::rename(seal, beside),
            false if beside.exists() && !seal.exists() => std::fs::rename(beside, seal),
            _ => Ok(()),
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if !self.is_taken {
            // What cannot be put back was complete, and is under its other name.
            let _ = self.move_seal(false);
        }
        self.lock = None;
        if !self.is_taken {
            // Directories that hold something by now stay.
            self.made.iter().for_each(|made| drop(std::fs::remove_dir(made)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_that_is_given_up_leaves_everything_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let new = dir.path().join("a/b");
        drop(Claim::of_run(&new, false).unwrap());
        assert!(!dir.path().join("a").exists());
        std::fs::create_dir_all(&new).unwrap();
        std::fs::write(new.join("summary.json"), r#"{ "format": "vinci/summary@1" }"#).unwrap();
        let claim = Claim::of_run(&new, false).unwrap();
        assert!(!new.join("summary.json").exists());
        assert!(Claim::of_run(&new, false).is_err(), "it has an owner");
        drop(claim);
        let names: Vec<_> = std::fs::read_dir(&new).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["summary.json"]);
    }

    /// Left by a run that was killed before it took the directory.
    #[test]
    fn a_summary_that_stands_aside_comes_back() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("summary.json.before"), "complete").unwrap();
        drop(Claim::to_go_on(dir.path()).unwrap());
        let names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["summary.json"]);
    }

    #[test]
    fn a_claim_that_is_taken_leaves_nothing_of_before() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["summary.json", "trajectory.csv", "trajectory.csv.part"] {
            std::fs::write(dir.path().join(name), "time,a.x\n").unwrap();
        }
        let mut claim = Claim::of_run(dir.path(), false).unwrap();
        claim.take().unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "the lock");
        drop(claim);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
