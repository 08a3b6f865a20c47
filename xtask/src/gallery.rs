//! `cargo xtask gallery`: every shipped experiment under every model that suits it, at three steps, as pages of the book.
//!
//! `docs/gallery.json` lists the experiments; `vinci advise` says which models suit; `vinci compare` runs them and measures.
//! What came out stands in `docs/gallery.csv`, one row per cell. `--check` runs the cells again: a cell that changes is an error.

mod cells;
mod list;
mod models;
mod pages;
mod pictures;

use std::path::{Path, PathBuf};
use std::process::Command;

use cells::Cell;
use list::{Entry, Gallery};

use crate::shell::{cargo, root, run, target};

/// The program, and the folders between which the gallery is made.
pub(crate) struct Studio {
    /// The program `vinci`, up to date.
    program: PathBuf,
    /// Where comparisons and runs go.
    results: PathBuf,
    /// Pages and pictures.
    book: PathBuf,
}

/// One experiment of the gallery with what its comparison gave.
pub(crate) struct Shown<'a> {
    entry: &'a Entry,
    cells: Vec<Cell>,
    /// Steppers that cannot run it, each with the reason.
    refused: models::Refused,
}

/// Runs the gallery, or the experiments that are named, and writes table and pages; `--check` compares with the table instead.
pub(crate) fn build(arguments: &[String]) -> Result<(), String> {
    let gallery = Gallery::read()?;
    let (flags, names): (Vec<_>, Vec<_>) = arguments.iter().partition(|a| a.starts_with("--"));
    match flags.iter().map(|f| f.as_str()).collect::<Vec<_>>()[..] {
        [] => write(&gallery, &names),
        ["--check"] => compare(&gallery.named(&names)?),
        _ => Err("`gallery` takes `--check` and names of experiments".into()),
    }
}

/// The part of the gallery that the long lane runs again.
pub(crate) fn in_lane() -> Result<(), String> {
    let gallery = Gallery::read()?;
    compare(&gallery.scenes.iter().filter(|entry| !entry.by_hand).collect::<Vec<_>>())
}

fn write(gallery: &Gallery, names: &[&String]) -> Result<(), String> {
    let studio = Studio::open()?;
    let mut table = cells::read(&table_file())?;
    for entry in gallery.named(names)? {
        let shown = studio.show(entry)?;
        table.retain(|cell| cell.scene != entry.name);
        table.extend(shown.cells.iter().cloned());
        pictures::draw(&studio, entry)?;
        pages::write_scene(&studio, &shown)?;
        cells::write(&table_file(), &table)?;
    }
    pages::write_index(&studio, gallery, &table)
}

/// Runs cells again and holds them against the table.
fn compare(entries: &[&Entry]) -> Result<(), String> {
    let studio = Studio::open()?;
    let table = cells::read(&table_file())?;
    let mut changed = Vec::new();
    for entry in entries {
        let old: Vec<_> = table.iter().filter(|cell| cell.scene == entry.name).collect();
        changed.extend(cells::changes(&old, &studio.show(entry)?.cells));
    }
    if changed.is_empty() {
        return Ok(());
    }
    Err(format!("cells of the gallery have changed (docs/gallery.csv):\n{}", changed.join("\n")))
}

fn table_file() -> PathBuf {
    root().join("docs/gallery.csv")
}

impl Studio {
    fn open() -> Result<Self, String> {
        run(cargo().args(["build", "--quiet"]))?;
        Ok(Self {
            program: target().join("debug").join(format!("vinci{}", std::env::consts::EXE_SUFFIX)),
            results: target().join("gallery"),
            book: root().join("docs/src/gallery"),
        })
    }

    /// Runs all models that suit an experiment at three steps.
    fn show<'a>(&self, entry: &'a Entry) -> Result<Shown<'a>, String> {
        eprintln!("{}", entry.name);
        let (models, refused) = models::suited(self, entry)?;
        let results = self.results.join(&entry.name);
        let file = self.results.join(format!("{}.comparison.json", entry.name));
        models::write_comparison(entry, &models, &file)?;
        // Exit codes of refused and failed models are cells, not errors; a comparison that is not made has no table.
        let table = results.join("compare.json");
        let _ = std::fs::remove_file(&table);
        let done = self
            .vinci()
            .arg("compare")
            .arg(&file)
            .args(["--quiet", "--force", "--out"])
            .arg(&results)
            .output();
        let done = done.map_err(|e| format!("{}: {e}", self.program.display()))?;
        let told = String::from_utf8_lossy(&done.stderr);
        let cells =
            cells::of_comparison(entry, &table).map_err(|e| format!("{}: {e}\n{told}", entry.name))?;
        Ok(Shown { entry, cells, refused })
    }

    fn vinci(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(root()).env("NO_COLOR", "1");
        command
    }

    fn experiment(&self, entry: &Entry) -> PathBuf {
        root().join("host/scenes").join(format!("{}.json", entry.name))
    }
}

/// Creates the folder of a file and writes it.
pub(crate) fn put(path: &Path, text: &str) -> Result<(), String> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, text))
        .map_err(|e| format!("{}: {e}", path.display()))
}
