//! A house rule: no circle between files. Who reads a file must be able to read first what it rests on.
//!
//! A file points to another where it names what is defined there, through all re-exports; tests are left out. The arrows of every crate
//! must not lead from a file back to itself.

mod arrows;
mod modules;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use arrows::{Arrows, circles, described};
use vinci_tests::house::root;

/// Folders of the house that hold crates.
const FOLDERS: [&str; 5] = ["core", "sdk", "host", "plugins", "xtask"];

/// Sources of all crates below a directory.
fn sources(below: &Path, found: &mut Vec<PathBuf>) {
    let has_root = modules::ROOTS.iter().any(|root| below.join("src").join(root).is_file());
    if below.join("Cargo.toml").is_file() && has_root {
        found.push(below.join("src"));
    }
    let entries = fs::read_dir(below).expect("a folder of the house can be read");
    let mut folders: Vec<PathBuf> = entries.map(|e| e.expect("an entry can be read").path()).collect();
    folders.sort();
    let skipped = |path: &PathBuf| ["src", "tests", "target"].iter().any(|name| path.ends_with(name));
    for folder in folders.iter().filter(|path| path.is_dir() && !skipped(path)) {
        sources(folder, found);
    }
}

fn arrows_of(sources: &Path) -> Arrows {
    arrows::arrows(&modules::modules(sources))
}

#[test]
fn no_files_rest_on_each_other_in_a_circle() {
    let mut crates = Vec::new();
    FOLDERS.iter().for_each(|folder| sources(&root().join(folder), &mut crates));
    assert!(crates.len() > 30, "{} crates are not the house", crates.len());
    let mut wrong = Vec::new();
    for sources in crates {
        let arrows = arrows_of(&sources);
        let place =
            sources.strip_prefix(root()).expect("crates lie in the house").to_string_lossy().into_owned();
        let described = circles(&arrows).into_iter().map(|circle| {
            let n = circle.len();
            format!("a circle of {n} files in {place}:\n{}", described(&circle, &arrows))
        });
        wrong.extend(described);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A made-up crate in a directory of its own.
fn made_up(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory for the crate");
    for (name, text) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().expect("a file lies somewhere")).expect("its folder");
        fs::write(path, text).expect("its file");
    }
    directory
}

const LIB: (&str, &str) = ("lib.rs", "//! Made up.\nmod plan;\nmod shelf;\npub use plan::Plan;\n");
const SHELF: (&str, &str) = ("shelf/mod.rs", "mod cup;\npub(crate) use cup::{Cup as Mug, fill};\n");
const PLAN: (&str, &str) = (
    "plan.rs",
    "use super::shelf::Mug;\npub struct Plan(Mug);\nimpl Plan { fn go(&self) -> u8 { crate::shelf::fill(&self.0) } }\n",
);

#[test]
fn a_circle_through_a_re_export_is_found() {
    let cup = (
        "shelf/cup.rs",
        "use crate::Plan;\npub struct Cup(Option<Box<Plan>>);\npub fn fill(_: &Cup) -> u8 { 1 }\n",
    );
    let house = made_up(&[LIB, SHELF, PLAN, cup]);
    let arrows = arrows_of(house.path());
    let found = circles(&arrows);
    let files: BTreeSet<PathBuf> = ["plan.rs", "shelf/cup.rs"].map(PathBuf::from).into();
    assert_eq!(found, [files]);
    let text = described(&found[0], &arrows);
    assert!(text.contains("plan.rs → shelf/cup.rs: shelf::Mug, shelf::fill"), "{text}");
    assert!(text.contains("shelf/cup.rs → plan.rs: crate::Plan"), "{text}");
}

#[test]
fn a_circle_that_only_a_path_in_a_body_closes_is_found() {
    let cup = (
        "shelf/cup.rs",
        "pub struct Cup;\npub fn fill(_: &Cup) -> u8 { println!(\"{}\", crate::plan::size()); 1 }\n",
    );
    let plan = ("plan.rs", "use crate::shelf::fill;\npub struct Plan;\npub(crate) fn size() -> u8 { 1 }\n");
    let house = made_up(&[LIB, SHELF, plan, cup]);
    assert_eq!(circles(&arrows_of(house.path())).len(), 1);
}

#[test]
fn a_parent_that_uses_what_it_hands_on_rests_on_its_child() {
    let shelf = (
        "shelf/mod.rs",
        "mod cup;\npub(crate) use cup::{Cup as Mug, fill};\npub const SIZE: u8 = 1;\nfn own(_: Mug) {}\n",
    );
    let cup = ("shelf/cup.rs", "use super::SIZE;\npub struct Cup;\npub fn fill(_: &Cup) -> u8 { SIZE }\n");
    let house = made_up(&[LIB, shelf, PLAN, cup]);
    assert_eq!(circles(&arrows_of(house.path())).len(), 1);
}

#[test]
fn what_is_no_circle_is_not_called_one() {
    // A test may look back, a comment and a text name nobody, and a parent that hands on a child's names does not rest on it.
    let cup = (
        "shelf/cup.rs",
        "//! For [`crate::Plan`].\npub struct Cup;\npub fn fill(_: &Cup) -> u8 { \"crate::Plan\".len() as u8 }\n\
         #[cfg(test)]\nmod tests { use crate::Plan; }\n#[cfg(test)]\nmod more_tests;\n",
    );
    let house = made_up(&[LIB, SHELF, PLAN, cup, ("shelf/cup/more_tests.rs", "use crate::Plan;\n")]);
    let arrows = arrows_of(house.path());
    assert_eq!(circles(&arrows), [], "{arrows:?}");
    assert!(!arrows.is_empty());
}
