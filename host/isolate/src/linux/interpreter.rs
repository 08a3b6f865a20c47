//! The program that a command names, and what it must be able to read.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The variable of the environment that names the interpreter which the command `python3` means.
const PYTHON: &str = "VINCI_PYTHON";

/// Links in a row that are followed; the system follows as many.
const LINKS: usize = 40;

/// An interpreter on this machine.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Interpreter {
    /// Where it was found; it may be a link, as in an environment of Python's.
    pub(crate) program: PathBuf,
    /// Itself, its libraries and its settings.
    pub(crate) readable: Vec<PathBuf>,
}

impl Interpreter {
    /// The first program of a name on PATH. Scripts that start another program are passed over: a plugin starts none.
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        if let Some(path) = std::env::var_os(PYTHON).filter(|_| name == "python3").map(PathBuf::from) {
            if path.is_absolute() && is_binary(&path) {
                return Ok(Self::at(path, name));
            }
            return Err(format!(
                "{PYTHON} names {}, which is not the whole path of a program",
                path.display()
            ));
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let places = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
        let found = places.map(|folder| folder.join(name)).find(|file| is_binary(file));
        let missing = || {
            format!(
                "there is no program `{name}` on PATH; install it, or name it in {PYTHON} if it is Python"
            )
        };
        Ok(Self::at(found.ok_or_else(missing)?, name))
    }

    fn at(program: PathBuf, name: &str) -> Self {
        let mut readable = vec![PathBuf::from("/usr/local/lib")];
        for stage in stages(&program) {
            let prefix = stage.parent().filter(|folder| folder.ends_with("bin")).and_then(Path::parent);
            let below = ["lib", "lib64", "libexec", "pyvenv.cfg"].map(PathBuf::from);
            let below = below.into_iter().chain([Path::new("share").join(name)]);
            readable.extend(below.filter_map(|part| Some(prefix?.join(part))));
            readable.extend(stage.file_name().map(|own| Path::new("/etc").join(own)));
            readable.push(stage);
        }
        readable.retain(|path| path.exists());
        Self { program, readable }
    }
}

/// A file, what it links to, what that links to, and so on.
fn stages(program: &Path) -> Vec<PathBuf> {
    let next = |stage: &PathBuf| {
        let target = std::fs::read_link(stage).ok()?;
        Some(stage.parent()?.join(target))
    };
    std::iter::successors(Some(program.to_owned()), next).take(LINKS).collect()
}

/// Returns true if a file begins as programs of this system do.
fn is_binary(path: &Path) -> bool {
    let mut start = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == *b"\x7fELF"
}
