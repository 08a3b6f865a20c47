//! `cargo xtask gallery`: every shipped experiment under every model that suits it, at three steps, as pages of the book.
//!
//! `docs/gallery.json` lists the experiments; `vinci advise` says which models suit; `vinci compare` runs them and measures.
//! What came out stands in `docs/gallery.csv`, one row per cell. `--check` runs the cells again: a cell that changes is an error.

mod cells;
mod list;
mod model;
mod models;
mod pages;
mod pictures;
mod reasons;
mod studio;

use std::path::PathBuf;

use cells::Cell;
pub(crate) use list::{Entry, Gallery};
use model::Model;
use studio::{Shown, Studio};

use crate::shell::root;

/// Runs the gallery, or the experiments that are named, and writes table and pages; `--check` compares with the table instead,
/// `--reasons` looks only why cells are not right of which the table does not say it, `--pictures` draws the pictures alone.
pub(crate) fn build(arguments: &[String]) -> Result<(), String> {
    let gallery = Gallery::read()?;
    let (flags, names): (Vec<_>, Vec<_>) = arguments.iter().partition(|a| a.starts_with("--"));
    match flags.iter().map(|f| f.as_str()).collect::<Vec<_>>()[..] {
        [] => write(&gallery, &names),
        ["--check"] => compare(&Studio::open()?, &gallery.named(&names)?),
        ["--reasons"] => explain(&gallery, &names),
        ["--pictures"] => draw(&gallery.named(&names)?),
        _ => Err("`gallery` takes `--check`, `--reasons` or `--pictures`, and names of experiments".into()),
    }
}

/// The part of the gallery that the long lane runs again, with the program that its tests have built.
pub(crate) fn in_lane() -> Result<(), String> {
    let gallery = Gallery::read()?;
    compare(&Studio::built(), &gallery.scenes.iter().filter(|entry| !entry.by_hand).collect::<Vec<_>>())
}

fn write(gallery: &Gallery, names: &[&String]) -> Result<(), String> {
    let studio = Studio::open()?;
    let mut table = cells::read(&table_file())?;
    for entry in gallery.named(names)? {
        let shown = show(&studio, entry, |_| true)?;
        table.retain(|cell| cell.scene != entry.name);
        table.extend(shown.cells.iter().cloned());
        table.sort_by_key(|cell| gallery.scenes.iter().position(|scene| scene.name == cell.scene));
        pictures::draw(&studio, entry)?;
        pages::write_scene(&studio, &shown)?;
        cells::write(&table_file(), &table)?;
    }
    pages::write_index(&studio, gallery, &table)
}

/// Draws the pictures of experiments anew, where drawing has changed and no model has.
fn draw(entries: &[&Entry]) -> Result<(), String> {
    let studio = Studio::open()?;
    entries.iter().try_for_each(|entry| pictures::draw(&studio, entry))
}

/// Runs cells again and holds them against the table.
fn compare(studio: &Studio, entries: &[&Entry]) -> Result<(), String> {
    let table = cells::read(&table_file())?;
    let mut changed = Vec::new();
    for entry in entries {
        let old: Vec<_> = table.iter().filter(|cell| cell.scene == entry.name).collect();
        changed.extend(cells::changes(&old, &show(studio, entry, |_| true)?.cells));
    }
    same(&changed)
}

/// An error where cells have changed.
fn same(changed: &[String]) -> Result<(), String> {
    if changed.is_empty() {
        return Ok(());
    }
    Err(format!("cells of the gallery have changed (docs/gallery.csv):\n{}", changed.join("\n")))
}

/// Runs the models again that are somewhere not right and not explained, and takes the reasons into the table. Verdicts and errors stay:
/// one that is another now is an error.
fn explain(gallery: &Gallery, names: &[&String]) -> Result<(), String> {
    let studio = Studio::open()?;
    let mut table = cells::read(&table_file())?;
    let mut changed = Vec::new();
    for entry in gallery.named(names)? {
        let of_entry = |cell: &&Cell| cell.scene == entry.name;
        let open: Vec<String> = table
            .iter()
            .filter(of_entry)
            .filter(|cell| cell.is_unexplained())
            .map(|cell| cell.model.clone())
            .collect();
        if open.is_empty() {
            continue;
        }
        let again = show(&studio, entry, |model| open.contains(&model.name()))?;
        changed.extend(cells::take_reasons(&mut table, &again.cells));
        let cells: Vec<Cell> = table.iter().filter(of_entry).cloned().collect();
        pages::write_scene(&studio, &Shown { cells, ..again })?;
        cells::write(&table_file(), &table)?;
    }
    pages::write_index(&studio, gallery, &table)?;
    same(&changed)
}

fn table_file() -> PathBuf {
    root().join("docs/gallery.csv")
}

/// Runs those of the models that suit an experiment at three steps.
fn show<'a>(studio: &Studio, entry: &'a Entry, which: impl Fn(&Model) -> bool) -> Result<Shown<'a>, String> {
    eprintln!("{}", entry.name);
    let (mut models, refused) = models::suited(studio, entry)?;
    models.retain(which);
    let results = studio.results.join(&entry.name);
    let file = studio.results.join(format!("{}.comparison.json", entry.name));
    models::write_comparison(entry, &models, &file)?;
    // Exit codes of refused and failed models are cells, not errors; a comparison that is not made has no table.
    let table = results.join("compare.json");
    let _ = std::fs::remove_file(&table);
    let done =
        studio.vinci().arg("compare").arg(&file).args(["--quiet", "--force", "--out"]).arg(&results).output();
    let done = done.map_err(|e| format!("{}: {e}", studio.program.display()))?;
    let told = String::from_utf8_lossy(&done.stderr);
    let cells =
        cells::of_comparison(entry, &models, &table).map_err(|e| format!("{}: {e}\n{told}", entry.name))?;
    Ok(Shown { entry, cells, refused })
}
