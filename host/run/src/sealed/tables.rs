//! Opening the tables of a run, and taking up those that are there.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::sum::{FileSum, regular};
use super::table::{Table, kept_part, standing};

/// Tables as far as they are on the disk.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Synced {
    /// Their sums by file.
    pub sums: BTreeMap<String, FileSum>,
    /// Bytes that make whole files of those in Parquet.
    pub footers: BTreeMap<String, Vec<u8>>,
}

/// Tables of a run in its directory, to be opened: new ones, or those of a run that goes on.
#[derive(Debug, Clone, Default)]
pub struct Tables {
    directory: PathBuf,
    /// Part of each table that is kept; none where the run begins.
    kept: Option<BTreeMap<String, FileSum>>,
    /// Footers of those in Parquet.
    footers: BTreeMap<String, Vec<u8>>,
}

impl Tables {
    /// New tables in a directory.
    pub fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), ..Self::default() }
    }

    /// Tables of a run that goes on, each cut to what is kept of it when it is opened. All are looked at first, and nothing is changed
    /// where one of them is not what it was.
    ///
    /// # Errors
    /// Of input; a table that is not what it was.
    pub fn resumed(directory: &Path, kept: Synced) -> io::Result<Self> {
        for (name, sum) in &kept.sums {
            kept_part(&standing(directory, name)?, name, sum)?;
        }
        Ok(Self { directory: directory.to_owned(), kept: Some(kept.sums), footers: kept.footers })
    }

    /// Returns true if the run that goes on had begun a table.
    pub fn has(&self, name: &str) -> bool {
        self.kept_sum(name).is_some()
    }

    /// Sum of the part of a table that is kept, of a run that goes on.
    fn kept_sum(&self, name: &str) -> Option<&FileSum> {
        self.kept.as_ref()?.get(name)
    }

    /// Opens a file without a first line.
    ///
    /// # Errors
    /// Of input and output; a file that goes on and is not what it was.
    pub fn open_plain(&self, name: &str) -> io::Result<Table> {
        match self.kept_sum(name) {
            Some(kept) => Table::resume(&self.directory, name, kept),
            None => Table::create(&self.directory, name),
        }
    }

    /// Opens a table and writes its first line, unless it is there already.
    ///
    /// # Errors
    /// Of input and output; a table that goes on and is not what it was.
    pub fn open(&self, name: &str, header: &str) -> io::Result<Table> {
        let mut table = self.open_plain(name)?;
        if self.kept_sum(name).is_none() {
            writeln!(table, "{header}")?;
        }
        Ok(table)
    }

    /// The footer of a Parquet file that goes on.
    pub(crate) fn footer(&self, name: &str) -> Option<&[u8]> {
        self.footers.get(name).map(Vec::as_slice)
    }

    /// A table that goes on, and how much of it is kept, bytes.
    ///
    /// # Errors
    /// Of input.
    pub(crate) fn kept_file(&self, name: &str) -> io::Result<Option<(File, u64)>> {
        let open = |kept: &FileSum| Ok((regular(&standing(&self.directory, name)?)?.0, kept.size));
        self.kept_sum(name).map(open).transpose()
    }
}
