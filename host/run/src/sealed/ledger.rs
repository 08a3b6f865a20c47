//! The files of a run that are whole.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::sum::{FileSum, QuickSum, Sums};

/// The files of a run that are whole, with their sums.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ledger {
    files: BTreeMap<String, FileSum>,
    /// Fast checksums of those that this process wrote.
    #[serde(skip)]
    quick: BTreeMap<String, QuickSum>,
}

impl Ledger {
    /// Takes files in whose sums are known.
    pub fn extend(&mut self, files: impl IntoIterator<Item = (String, Sums)>) {
        for (name, sums) in files {
            self.quick.insert(name.clone(), sums.quick);
            self.files.insert(name, sums.file);
        }
    }

    /// Takes a file in that was written a moment ago.
    ///
    /// # Errors
    /// Of input.
    pub fn add(&mut self, directory: &Path, name: &str) -> io::Result<()> {
        self.extend([(name.to_owned(), Sums::of(&directory.join(name))?)]);
        Ok(())
    }

    /// Looks whether all files are what was written: a plugin shares the process, and with it the open files.
    ///
    /// # Errors
    /// Of input; the first file that is another one.
    pub fn check(&self, directory: &Path) -> io::Result<()> {
        for (name, sum) in &self.files {
            let path = directory.join(name);
            let is_same = match self.quick.get(name) {
                Some(quick) => QuickSum::of(&path)? == *quick,
                None => FileSum::of(&path)? == *sum,
            };
            if !is_same {
                let message = format!(
                    "{name} does not hold what was written to it: something else, perhaps a plugin, wrote there"
                );
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
        }
        Ok(())
    }

    /// The sums by name.
    pub fn into_files(self) -> BTreeMap<String, FileSum> {
        self.files
    }
}
