//! `cargo xtask archive`: problems of the shipped experiments under several steppers, and every solver on them, as a page of the book.
//!
//! `vinci run --record-problems always` keeps them; `vinci bench solvers` solves them, judges and draws the profile.

mod page;
mod recorded;

use std::path::Path;

use crate::gallery::Gallery;
use crate::shell::{cargo, root, run};
use recorded::{Archive, LIMIT, vinci};

/// Every solver that takes what a file can hold.
const SOLVERS: &str = "lemke,newton,pgs,nsgs,accelerated-gs,active-set,branch-and-bound,clarabel";

/// Records, solves, and writes the page.
pub(crate) fn build() -> Result<(), String> {
    run(cargo().args(["build", "--release"]))?;
    let mut archive = Archive::default();
    for entry in &Gallery::read()?.scenes {
        archive.take_all(entry)?;
    }
    let files = archive.write()?;
    let solved: Result<Vec<_>, _> = files.iter().map(|(class, file)| solve(class, file)).collect();
    page::write(&archive, &solved?)
}

/// All solvers on the problems of a class: what `vinci bench solvers` says, with the picture in the book.
fn solve(class: &str, file: &Path) -> Result<page::Solved, String> {
    let picture = format!("profile-{}.svg", class.to_lowercase());
    let mut command = vinci();
    command.args(["bench", "solvers"]).arg(file).args(["--solver", SOLVERS, "--json", "--time-limit"]);
    command.arg(format!("{LIMIT}s")).arg("--profile");
    command.arg(root().join("docs/src/figures").join(&picture));
    let done = command.output().map_err(|e| format!("vinci: {e}"))?;
    let text = String::from_utf8_lossy(&done.stdout);
    let said = serde_json::from_str(&text)
        .map_err(|e| format!("{class}: {e}\n{}", String::from_utf8_lossy(&done.stderr)))?;
    Ok(page::Solved { class: class.to_owned(), picture, said })
}
