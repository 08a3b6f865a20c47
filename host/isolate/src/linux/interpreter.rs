//! The program that a command names, and what it must be able to read.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The variable of the environment that names the interpreter which the command `python3` means.
const PYTHON: &str = "VINCI_PYTHON";

/// Beginning of the names of folders with packages; the version follows.
const PACKAGES: &[u8] = b"python3.";

/// Links in a row that are followed; the system follows as many.
const LINKS: usize = 40;

/// An interpreter on this machine.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Interpreter {
    /// Where it was found; it may be a link, as in an environment of Python's.
    pub(crate) program: PathBuf,
    /// Itself, its libraries and its settings.
    pub(crate) readable: Vec<PathBuf>,
    /// Python alone: the folder below which `pip install --user` puts packages, if there are any.
    pub(crate) user_base: Option<PathBuf>,
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
        let missing = || {
            format!(
                "there is no program `{name}` on PATH; install it, or name it in {PYTHON} if it is Python"
            )
        };
        Self::on(&path, name).ok_or_else(missing)
    }

    fn on(path: &OsStr, name: &str) -> Option<Self> {
        let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
        let found = folders.map(|folder| folder.join(name)).find(|file| is_binary(file))?;
        Some(Self::at(found, name))
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
        let interpreter = Self { program, readable, user_base: None };
        if name == "python3" { interpreter.with_packages_of(user_base()) } else { interpreter }
    }

    /// Lets it read the packages that the user has installed below a folder; an environment of Python's leaves them out by itself.
    fn with_packages_of(mut self, base: Option<PathBuf>) -> Self {
        let versions = base.as_ref().and_then(|base| std::fs::read_dir(base.join("lib")).ok());
        let named =
            |folder: &PathBuf| folder.file_name().is_some_and(|n| n.as_encoded_bytes().starts_with(PACKAGES));
        let folders = versions.into_iter().flatten().flatten().map(|entry| entry.path()).filter(named);
        let mut packages: Vec<_> =
            folders.map(|folder| folder.join("site-packages")).filter(|place| place.is_dir()).collect();
        packages.sort();
        self.user_base = base.filter(|_| !packages.is_empty());
        self.readable.append(&mut packages);
        self
    }
}

/// Where Python looks for the packages of a user.
fn user_base() -> Option<PathBuf> {
    let named = std::env::var_os("PYTHONUSERBASE").filter(|base| !base.is_empty()).map(PathBuf::from);
    let base = named.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local")));
    base.filter(|base| base.is_absolute())
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    /// An environment as Python's `venv` makes one, behind a folder with a script of the same name.
    #[test]
    fn scripts_are_passed_over_and_links_are_followed() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for folder in
            ["shims", "own/bin", "own/lib", "base/bin", "base/lib", "base/share/py", "base/share/other"]
        {
            fs::create_dir_all(at(folder)).unwrap();
        }
        fs::write(at("shims/py"), "#!/bin/sh\nexec py\n").unwrap();
        fs::write(at("base/bin/py-3"), b"\x7fELF and so on").unwrap();
        symlink("py-3", at("base/bin/py")).unwrap();
        symlink(at("base/bin/py"), at("own/bin/py")).unwrap();
        fs::write(at("own/pyvenv.cfg"), "home = elsewhere").unwrap();
        let path = std::env::join_paths([PathBuf::from("."), at("shims"), at("own/bin")]).unwrap();
        let found = Interpreter::on(&path, "py").unwrap();
        assert_eq!(found.program, at("own/bin/py"));
        for name in ["own/lib", "own/pyvenv.cfg", "own/bin/py", "base/lib", "base/share/py", "base/bin/py-3"]
        {
            assert!(found.readable.contains(&at(name)), "{name}: {found:?}");
        }
        for name in ["own", "own/bin", "base", "base/bin", "base/share", "base/share/other", "shims"] {
            assert!(!found.readable.contains(&at(name)), "{name}: {found:?}");
        }
        assert_eq!(Interpreter::on(path.as_os_str(), "pz"), None);
    }

    #[test]
    fn packages_of_the_user_are_readable_and_nothing_beside_them() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().to_owned();
        let bare = || Interpreter { program: "py".into(), readable: Vec::new(), user_base: None };
        assert_eq!(bare().with_packages_of(Some(base.clone())), bare());
        fs::create_dir_all(base.join("lib/python3.11/secrets")).unwrap();
        assert_eq!(bare().with_packages_of(Some(base.clone())), bare());
        for folder in
            ["lib/python3.11/site-packages", "lib/python3.9/site-packages", "lib/other/site-packages"]
        {
            fs::create_dir_all(base.join(folder)).unwrap();
        }
        let found = bare().with_packages_of(Some(base.clone()));
        let packages = ["lib/python3.11/site-packages", "lib/python3.9/site-packages"];
        assert_eq!(found.readable, packages.map(|folder| base.join(folder)));
        assert_eq!(found.user_base, Some(base));
    }
}
