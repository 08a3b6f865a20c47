//! Arrows between the files of a crate: who names what of whom, through all re-exports, and the circles among them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::modules::{Import, Module, Modules, Names};

/// The names that tie one file to another.
pub(crate) type Arrows = BTreeMap<(PathBuf, PathBuf), BTreeSet<String>>;

/// Re-exports of re-exports that are followed at most.
const DEEPEST: usize = 8;

/// All arrows of a crate. A parent that only hands on the names of its children has no arrow to them.
pub(crate) fn arrows(modules: &Modules) -> Arrows {
    let mut arrows = Arrows::new();
    for (at, module) in modules {
        let imported = module.imports.iter().filter(|i| !hands_on(modules, at, module, i)).map(|i| &i.path);
        for path in imported.chain(&module.paths) {
            let Some(target) = absolute(modules, at, path).and_then(|path| home(modules, &path, 0)) else {
                continue;
            };
            let (from, to) = (&module.file, &modules[&target].file);
            if from != to {
                let names = path[path.len().saturating_sub(2)..].join("::");
                arrows.entry((from.clone(), to.clone())).or_default().insert(names);
            }
        }
    }
    arrows
}

/// Returns true if an import is an export of what lies below, and not used here.
fn hands_on(modules: &Modules, at: &[String], module: &Module, import: &Import) -> bool {
    let below = absolute(modules, at, &import.path).is_some_and(|p| p.len() > at.len() && p.starts_with(at));
    import.is_exported && below && !module.words.contains(&import.name)
}

/// A path from the root of the crate; none where it leads out of it.
fn absolute(modules: &Modules, at: &[String], path: &[String]) -> Option<Names> {
    let (first, rest) = path.split_first()?;
    let up = path.iter().take_while(|name| *name == "super").count();
    match first.as_str() {
        "crate" => Some(rest.to_vec()),
        "self" => Some([at, rest].concat()),
        "super" => Some([at.get(..at.len().checked_sub(up)?)?, &path[up..]].concat()),
        child => {
            let below: Names = [at, &[child.to_owned()]].concat();
            modules.contains_key(&below).then(|| [at, path].concat())
        }
    }
}

/// The module that a path comes from in the end.
fn home(modules: &Modules, path: &[String], depth: usize) -> Option<Names> {
    let inside = (0..=path.len()).rev().find(|k| modules.contains_key(&path[..*k]))?;
    let (at, rest) = path.split_at(inside);
    let module = &modules[at];
    let Some(name) = rest.first().filter(|name| !module.items.contains(*name) && depth < DEEPEST) else {
        return Some(at.to_vec());
    };
    let next = |import: &Import| absolute(modules, at, &import.path);
    if let Some(import) = module.imports.iter().find(|i| i.name == *name) {
        return home(modules, &[&next(import)?, &rest[1..]].concat(), depth + 1);
    }
    let of_all = module.imports.iter().filter(|i| i.name == "*").filter_map(next).find_map(|all| {
        let path = [&all[..all.len() - 1], rest].concat();
        let home = home(modules, &path, depth + 1)?;
        modules[&home].items.contains(name).then_some(home)
    });
    Some(of_all.unwrap_or_else(|| at.to_vec()))
}

/// Sets of files each of which leads to every other.
pub(crate) fn circles(arrows: &Arrows) -> Vec<BTreeSet<PathBuf>> {
    let files: BTreeSet<&PathBuf> = arrows.keys().map(|(from, _)| from).collect();
    let reach: BTreeMap<&PathBuf, BTreeSet<&PathBuf>> =
        files.iter().map(|file| (*file, reachable(arrows, file))).collect();
    let mut found = BTreeSet::new();
    for (file, reached) in &reach {
        let back = |other: &&&PathBuf| reach.get(**other).is_some_and(|from| from.contains(file));
        let circle: BTreeSet<PathBuf> = reached.iter().filter(back).map(|other| (*other).clone()).collect();
        found.extend((circle.len() > 1).then_some(circle));
    }
    found.into_iter().collect()
}

/// Files that arrows lead to from a file.
fn reachable<'a>(arrows: &'a Arrows, from: &PathBuf) -> BTreeSet<&'a PathBuf> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(file) = open.pop() {
        for to in arrows.keys().filter(|(from, _)| from == file).map(|(_, to)| to) {
            if reached.insert(to) {
                open.push(to);
            }
        }
    }
    reached
}

/// A circle in words: every arrow of it, with the names that tie.
pub(crate) fn described(circle: &BTreeSet<PathBuf>, arrows: &Arrows) -> String {
    let own = arrows.iter().filter(|((from, to), _)| circle.contains(from) && circle.contains(to));
    let lines = own.map(|((from, to), names)| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        format!("    {} → {}: {}", from.display(), to.display(), names.join(", "))
    });
    lines.collect::<Vec<_>>().join("\n")
}
