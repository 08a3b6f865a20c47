//! House chores: `cargo xtask demo`, `test`, `setup`, `docs`, `gallery`, `archive`, `plugins`, `dist`, `mutants`, `highs`, `wheel`, `python`, `valgrind`, `miri` and `fuzz`.

mod archive;
mod bench;
mod dist;
mod docs;
mod fuzz;
mod gallery;
mod highs;
mod lanes;
mod miri;
mod mutants;
mod plugins;
mod python;
mod setup;
mod shell;
mod valgrind;

use std::process::{Command, ExitCode};

use shell::{cargo, program, root, run};

const USAGE: &str = "cargo xtask demo       build everything, compare steppers and solvers on a first scene
cargo xtask test       formatting, lints and the tests that a change needs
cargo xtask test --all the long tests too, documentation, HiGHS, the page of `vinci view`, licences
cargo xtask setup [--all]  install what the long tests need beyond Rust; with --all what the book and the fuzzers need
cargo xtask docs       write the generated pages of the book, check its links, build it and the documentation of the crates
cargo xtask gallery [--check|--reasons|--pictures] [NAME…]   every shipped experiment under every model that suits it, as pages of the book; or held against docs/gallery.csv; or only why cells are not right; or the pictures alone
cargo xtask archive    problems of the shipped experiments, and every solver on them, as a page of the book
cargo xtask bench [--peers]  how long steps of scenes of every size take, beside MuJoCo, Drake and Rapier where they are installed (--peers installs them), as a page of the book
cargo xtask plugins    every shipped plugin through all levels of the suite, as a page of the book
cargo xtask dist       an archive with program, plugins, scenes, SDK, manual and completions that runs where it is unpacked, and a Debian package
cargo xtask mutants [WORD…]   faults put into a copy of the tree, which named tests must find (tests/mutants)
cargo xtask highs      build and test the HiGHS plugin, which the other commands leave out
cargo xtask wheel      the Python package as one wheel: extension, program and plugins (target/wheels)
cargo xtask python     the Python package installed into an environment of its own, and its tests
cargo xtask valgrind   memory errors in a short run of every stepper and every solver
cargo xtask miri       undefined behaviour in the contract between program and plugins
cargo xtask fuzz [TARGET…] [--minutes N]   robots, meshes, manifests, libraries and experiments that no one wrote (tests/fuzz)";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.first().map(String::as_str) {
        Some("demo") => demo(),
        Some("test") => test(&arguments[1..]),
        Some("setup") => setup::install(&arguments[1..]),
        Some("docs") => docs::build(),
        Some("gallery") => gallery::build(&arguments[1..]),
        Some("archive") => archive::build(),
        Some("bench") => bench::build(&arguments[1..]),
        Some("plugins") => plugins::build(),
        Some("dist") => dist::build(),
        Some("mutants") => mutants::run(&arguments[1..]),
        Some("highs") => build_highs(),
        Some("wheel") => python::wheel(),
        Some("python") => python::test(),
        Some("valgrind") => valgrind::check(),
        Some("miri") => miri::check(),
        Some("fuzz") => fuzz::check(&arguments[1..]),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("failed: {what}");
            ExitCode::FAILURE
        }
    }
}

/// Builds the program and all plugins, and runs a first comparison of two steppers and three solvers.
fn demo() -> Result<(), String> {
    run(cargo().args(["build", "--release"]))?;
    let vinci = program("release");
    for scene in ["sliding-block", "block-stack-10"] {
        eprintln!("\n{scene}:");
        let experiment = root().join("host/scenes").join(format!("{scene}.json"));
        run(Command::new(&vinci).current_dir(root()).arg("compare").arg(experiment).args([
            "--vary",
            "stepper=stewart-trinkle,anitescu-potra",
            "--vary",
            "solver=lemke,pgs,newton",
        ]))?;
    }
    eprintln!(
        "\nEach run has its own directory with trajectory.csv, contacts.csv, summary.json and report.html."
    );
    eprintln!("The program: {} (try `run`, `check`, `explain`, `plugin list`)", vinci.display());
    Ok(())
}

/// Everything that must hold before a change is taken.
fn test(arguments: &[String]) -> Result<(), String> {
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => lanes::short(),
        ["--all"] => lanes::all(),
        _ => Err(format!("`test` takes `--all` and nothing else\n{USAGE}")),
    }
}

/// The plugin that needs more than a Rust toolchain: tested, then built for use.
fn build_highs() -> Result<(), String> {
    if let highs::Tested::Missing(what) = highs::test()? {
        return Err(format!("plugins/solver-highs: {what}"));
    }
    let place = highs::build()?;
    eprintln!("The plugin lies in {0}: vinci solve --plugin-dir {0} --solver highs PROBLEM", place.display());
    Ok(())
}
