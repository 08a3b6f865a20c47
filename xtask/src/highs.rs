//! The HiGHS plugin: what no Rust toolchain brings is found or fetched, then the plugin is built and tested.
//!
//! Needed: libclang (the bindings are generated), and a HiGHS: the system's (pkg-config), else a prebuilt one, else the
//! source that the bindings carry, which takes cmake and some minutes. Fetched things go into a Python environment under
//! `target/highs/tools`; nothing is installed anywhere else.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::shell::{cargo, root, run, target};

/// The packages, pinned: libclang's bindings, and HiGHS as a shared library with its headers.
const LIBCLANG: &str = "libclang==18.1.1";
const PREBUILT: &str = "highsbox==1.15.1";
const CMAKE: &str = "cmake==4.4.4";

/// Environment of the plugin's build.
type Environment = Vec<(&'static str, String)>;

/// Outcome of a test that needs more than a Rust toolchain.
pub(crate) enum Tested {
    Passed,
    /// Something is missing on this machine; the sentence says what.
    Missing(String),
}

/// Builds, checks and tests the plugin.
pub(crate) fn test() -> Result<Tested, String> {
    let environment = match provide() {
        Ok(environment) => environment,
        Err(missing) => return Ok(Tested::Missing(missing)),
    };
    // What other packages outside the workspace have built is not built again.
    let place = target().join("strangers");
    run(plugin("fmt", &place, &environment).arg("--check"))?;
    run(plugin("clippy", &place, &environment).args(["--all-targets", "--quiet", "--", "-D", "warnings"]))?;
    run(&mut plugin("test", &place, &environment))?;
    Ok(Tested::Passed)
}

/// Builds the plugin for use; where it lies.
pub(crate) fn build() -> Result<PathBuf, String> {
    let environment = provide()?;
    run(plugin("build", &place(), &environment).arg("--release"))?;
    Ok(place().join("release"))
}

/// Where the plugin is built for use, and its tools are.
pub(crate) fn place() -> PathBuf {
    target().join("highs")
}

/// A command of cargo on the plugin, which builds into `place`.
fn plugin(command: &str, place: &Path, environment: &Environment) -> Command {
    let mut cargo = cargo();
    cargo.arg(command).arg("--manifest-path").arg(root().join("plugins/solver-highs/Cargo.toml"));
    cargo.env("CARGO_TARGET_DIR", place);
    environment.iter().for_each(|(name, value)| {
        cargo.env(name, value);
    });
    cargo
}

/// Everything the build needs, or what is missing.
fn provide() -> Result<Environment, String> {
    let fetched = quiet(&mut plugin("fetch", &place(), &Vec::new()));
    fetched.map_err(|why| format!("its crates cannot be fetched ({why})"))?;
    let mut environment = Vec::new();
    if !has_libclang() {
        let libclang =
            python(&[LIBCLANG], "import clang, os; print(os.path.join(clang.__path__[0], 'native'))")?;
        environment.push(("LIBCLANG_PATH", libclang));
    }
    if quiet(Command::new("pkg-config").args(["--exists", "highs >= 1.10"])).is_ok() {
        return Ok(environment);
    }
    let has_pkg_config = quiet(Command::new("pkg-config").arg("--version")).is_ok();
    match prebuilt().ok().filter(|_| has_pkg_config) {
        Some(library) => environment.extend(library),
        None => environment.extend(cmake()?),
    }
    Ok(environment)
}

/// Returns true if the generator of the bindings will find libclang by itself.
fn has_libclang() -> bool {
    if std::env::var_os("LIBCLANG_PATH").is_some() {
        return true;
    }
    let named = |directory: &Path| {
        let Ok(entries) = std::fs::read_dir(directory) else { return false };
        entries.flatten().any(|e| {
            let name = e.file_name().to_string_lossy().into_owned();
            let library = [".so", ".dylib"].iter().any(|end| name.contains(end)) || name == "libclang.dll";
            name.starts_with("libclang") && !name.starts_with("libclang-cpp") && library
        })
    };
    let versions = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|e| e.path());
    let llvm = versions.filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("llvm")));
    let mut places: Vec<PathBuf> = llvm.map(|p| p.join("lib")).collect();
    places.extend(["/usr/lib64", "/usr/lib", "/usr/local/lib"].map(PathBuf::from));
    places.push(PathBuf::from(format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH)));
    places.iter().any(|p| named(p))
}

/// HiGHS as a shared library, described for pkg-config (the package's own description has the paths of its builder).
fn prebuilt() -> Result<Environment, String> {
    let home = python(&[PREBUILT], "import highsbox; print(highsbox.highs_dist_dir())")?;
    let description = format!(
        "libdir={home}/lib\nincludedir={home}/include/highs\n\nName: HiGHS\nDescription: HiGHS\nVersion: 1.15.1\n\
         Libs: -L${{libdir}} -lhighs\nCflags: -I${{includedir}}\n"
    );
    let directory = place().join("pkgconfig");
    let written = std::fs::create_dir_all(&directory)
        .and_then(|()| std::fs::write(directory.join("highs.pc"), description));
    written.map_err(|e| format!("{}: {e}", directory.display()))?;
    Ok(vec![
        ("PKG_CONFIG_PATH", directory.to_string_lossy().into_owned()),
        ("VINCI_HIGHS_LIBRARY", format!("{home}/lib")),
    ])
}

/// Environment that the build of HiGHS's source needs.
fn cmake() -> Result<Environment, String> {
    let mut environment = vec![("CMAKE_BUILD_PARALLEL_LEVEL", "2".to_owned())];
    if quiet(Command::new("cmake").arg("--version")).is_err() {
        let binaries = python(&[CMAKE], "import cmake; print(cmake.CMAKE_BIN_DIR)")?;
        environment.push(("CMAKE", Path::new(&binaries).join("cmake").to_string_lossy().into_owned()));
    }
    Ok(environment)
}

/// Installs packages into the Python environment, unless they are there, and asks it a question.
fn python(packages: &[&str], question: &str) -> Result<String, String> {
    let tools = place().join("tools");
    let interpreter = tools.join("bin").join("python");
    let ask = || quiet(Command::new(&interpreter).args(["-c", question]));
    if let Ok(answer) = ask() {
        return Ok(answer);
    }
    if !interpreter.is_file() {
        quiet(Command::new("python3").args(["-m", "venv"]).arg(&tools))
            .map_err(|why| format!("python3 with venv is missing ({why})"))?;
    }
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"];
    quiet(Command::new(&interpreter).args(pip).args(packages))
        .map_err(|why| format!("pip cannot install {} ({why})", packages.join(" ")))?;
    ask()
}

/// Runs a command unseen: what it printed, or why it failed, in one line.
fn quiet(command: &mut Command) -> Result<String, String> {
    let Output { status, stdout, stderr } = command.output().map_err(|e| e.to_string())?;
    if status.success() {
        return Ok(String::from_utf8_lossy(&stdout).trim().to_owned());
    }
    let text = String::from_utf8_lossy(&stderr).into_owned();
    let last = text.lines().map(str::trim).rfind(|l| !l.is_empty());
    Err(last.map_or_else(|| status.to_string(), str::to_owned))
}
