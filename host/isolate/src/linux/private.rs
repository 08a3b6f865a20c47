//! Files of a program in a folder of their own: the bytes that were hashed are the bytes that run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use tempfile::TempDir;
use vinci_abi::load::{Program, ProgramFile};

use super::interpreter::Interpreter;
use crate::limits::Limits;

/// Variables of a program's environment, so that it does the same everywhere: no order of hashes by chance, no threads that change the
/// order of sums, no files written beside its own, messages as they are printed.
const ENVIRONMENT: [(&str, &str); 7] = [
    ("LC_ALL", "C.UTF-8"),
    ("MKL_NUM_THREADS", "1"),
    ("OMP_NUM_THREADS", "1"),
    ("OPENBLAS_NUM_THREADS", "1"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("PYTHONHASHSEED", "0"),
    ("PYTHONUNBUFFERED", "1"),
];

/// The folder; it goes with the value.
pub(crate) struct Private {
    folder: TempDir,
    command: Vec<String>,
}

impl Private {
    /// Copies of the files of a program.
    pub(crate) fn of(program: &Program) -> io::Result<Self> {
        let folder = TempDir::with_prefix("vinci-")?;
        for file in &program.files {
            put(folder.path(), file)?;
        }
        Ok(Self { folder, command: program.command.clone() })
    }

    /// Tells `vinci plugin start` what to start; what it will run, in words.
    pub(crate) fn arguments(
        &self,
        command: &mut Command,
        limits: Limits,
        open: bool,
    ) -> Result<String, String> {
        let place = self.folder.path();
        let Interpreter { program, mut readable, user_base } = match self.command[0].strip_prefix("./") {
            Some(own) => Interpreter { program: place.join(own), readable: Vec::new(), user_base: None },
            None => Interpreter::named(&self.command[0])?,
        };
        readable.push(place.to_owned());
        command.current_dir(place).envs(ENVIRONMENT).arg(limits.memory.to_string());
        match user_base {
            Some(base) => command.env("PYTHONUSERBASE", base),
            None => command.env("PYTHONNOUSERSITE", "1"),
        };
        if open {
            command.arg("--open");
        }
        for path in readable {
            command.arg("--read").arg(path);
        }
        let rest = self.command[1..].iter().map(OsString::from);
        let shown = program.display().to_string();
        command.args([OsString::from("--"), program.into()]).args(rest);
        Ok(shown)
    }
}

fn put(folder: &Path, file: &ProgramFile) -> io::Result<()> {
    let place: PathBuf = folder.join(&file.name);
    place.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(&place, &file.bytes)?;
    if file.executable {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&place, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}
