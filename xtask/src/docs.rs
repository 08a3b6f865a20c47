//! `cargo xtask docs`: the generated pages of the book, its links, its pages as HTML, and the documentation of the crates.

use std::path::PathBuf;
use std::process::Command;

use crate::shell::{self, COMPILER, answers, cargo, program, root, run, target};

/// Pages that `docs/generate.py` writes from the program.
const GENERATED: &str = "docs/src/reference";

/// Writes the generated pages anew and builds everything.
pub(crate) fn build() -> Result<(), String> {
    shell::build()?;
    generate(None)?;
    run(cargo().args(["test", "-p", "vinci-tests", "--test", "rules", "book::"]))?;
    book()?;
    crates()
}

/// The generated pages are those of the program that was built.
pub(crate) fn check_generated() -> Result<(), String> {
    let fresh = target().join("docs-generated");
    generate(Some(&fresh))?;
    let read = |path: PathBuf| std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()));
    let list = std::fs::read_dir(&fresh).map_err(|e| format!("{}: {e}", fresh.display()))?;
    let mut old = Vec::new();
    for entry in list.flatten() {
        let name = entry.file_name();
        if read(entry.path())? != read(root().join(GENERATED).join(&name))? {
            old.push(name.to_string_lossy().into_owned());
        }
    }
    if old.is_empty() {
        return Ok(());
    }
    Err(format!("pages of {GENERATED} are not those of the program: {} (cargo xtask docs)", old.join(", ")))
}

/// Documentation of all crates; a warning is an error. What is read for it was linted by the tests.
pub(crate) fn crates() -> Result<(), String> {
    let mut doc = cargo();
    doc.args(["doc", "--workspace", "--no-deps", "--quiet"]);
    run(doc.env("RUSTDOCFLAGS", "-D warnings").env_remove(COMPILER))
}

/// The book as HTML, where mdBook is installed.
pub(crate) fn book() -> Result<(), String> {
    if !answers(&["mdbook", "--version"]) {
        eprintln!("mdbook is not installed: the book was checked but not built (cargo xtask setup --all)");
        return Ok(());
    }
    run(Command::new("mdbook").arg("build").arg(root().join("docs")))?;
    eprintln!("the book: {}", target().join("book/index.html").display());
    Ok(())
}

/// Runs the generator with the program and plugins that were built; into the book, or beside it.
fn generate(place: Option<&PathBuf>) -> Result<(), String> {
    if !answers(&["python3", "--version"]) {
        return Err("python3 is not installed, which writes the generated pages (cargo xtask setup)".into());
    }
    let mut python = Command::new("python3");
    python.arg(root().join("docs/generate.py"));
    python.arg(program("debug"));
    run(python.args(place))
}
