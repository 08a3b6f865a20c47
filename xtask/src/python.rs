//! The Python package: its wheel, and its tests in an environment of their own below `target/python`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell::{answers, root, run, target};

/// Packages that build the wheel and that its tests use.
const PACKAGES: [&str; 10] = [
    "maturin>=1.9,<2",
    "numpy>=1.22",
    "pytest",
    "scipy",
    "pyarrow",
    "pandas>=2.2",
    "gymnasium",
    "nbformat",
    "nbclient",
    "ipykernel",
];

/// Engines that tests of sweeps run on, a store with its server, what searches, and a reader of HDF5, each by the name that is imported: tests of one that is not there are
/// left out, and say so.
const ENGINES: [(&str, &str); 7] = [
    ("distributed", "dask[distributed]"),
    ("joblib", "joblib"),
    ("ray", "ray"),
    ("s3fs", "s3fs"),
    ("moto", "moto[server]"),
    ("optuna", "optuna"),
    ("h5py", "h5py"),
];

/// A package that carries PATH's library, under a licence of its own: the test of its adapter is left out where it is not there.
const PATH_LIBRARY: &str = "gamspy_base";

/// Arguments of an interpreter before what is to be installed.
pub(crate) const PIP: [&str; 5] = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];

/// Where wheels are written.
const WHEELS: &str = "wheels";

/// Builds the wheel: extension, program and plugins.
pub(crate) fn wheel() -> Result<(), String> {
    install()?;
    let wheels = target().join(WHEELS);
    run(python()
        .args(["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir"])
        .arg(&wheels)
        .arg(package()))?;
    eprintln!("The wheel lies in {}", wheels.display());
    Ok(())
}

/// Installs the package into the environment, built as tests are, and tests it.
pub(crate) fn test() -> Result<(), String> {
    install()?;
    let pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--force-reinstall"];
    run(python().env("VINCI_PROFILE", "dev").args(pip).arg(package()))?;
    for (name, package) in ENGINES.iter().filter(|(name, _)| !imports(name)) {
        eprintln!("tests with {name} are left out: `pip install {package}` failed or was not run");
    }
    run(python().current_dir(package().join("tests")).args(["-m", "pytest", "-rs", "-p", "no:cacheprovider"]))
}

/// The tests in the long lane, where their environment is: `cargo xtask setup` makes it.
pub(crate) fn in_lane() -> Result<(), String> {
    if is_installed() {
        return test();
    }
    eprintln!(
        "host/python was not built or tested: its environment is missing; `cargo xtask setup` makes it"
    );
    Ok(())
}

/// Makes the environment, where Python is there and the environment is not.
pub(crate) fn install() -> Result<(), String> {
    if is_installed() {
        return Ok(());
    }
    make(&place())?;
    let pip = || {
        let mut pip = python();
        pip.args(PIP);
        pip
    };
    run(pip().args(PACKAGES))?;
    // An engine may have no wheel for this Python; the others stand without it.
    ENGINES.iter().for_each(|(_, package)| drop(run(pip().arg(package))));
    drop(run(pip().arg(PATH_LIBRARY)));
    Ok(())
}

/// Returns true if everything that the tests use is there.
fn is_installed() -> bool {
    imports("maturin, numpy, pytest, scipy, pyarrow, pandas, gymnasium, nbformat, nbclient, ipykernel")
}

/// Returns true if the environment has these modules.
fn imports(names: &str) -> bool {
    answers(&[&interpreter(&place()).to_string_lossy(), "-c", &format!("import {names}")])
}

fn place() -> PathBuf {
    target().join("python")
}

/// Makes an environment of its own.
pub(crate) fn make(place: &Path) -> Result<(), String> {
    run(Command::new("python3").args(["-m", "venv"]).arg(place))
}

/// The interpreter of an environment.
pub(crate) fn interpreter(place: &Path) -> PathBuf {
    let folder = if cfg!(windows) { "Scripts" } else { "bin" };
    place.join(folder).join(format!("python{}", std::env::consts::EXE_SUFFIX))
}

/// The environment's interpreter, and its programs before all others: maturin is one.
fn python() -> Command {
    let interpreter = interpreter(&place());
    let mut command = Command::new(&interpreter);
    let others = std::env::var_os("PATH").unwrap_or_default();
    let own = interpreter.parent().map(Path::to_owned);
    let all = own.into_iter().chain(std::env::split_paths(&others));
    command.env("PATH", std::env::join_paths(all).unwrap_or(others.clone()));
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

fn package() -> PathBuf {
    root().join("host/python")
}
