//! The list of mutants: TOML files in `tests/mutants`.

use std::path::Path;

use toml_edit::{DocumentMut, Table};

use crate::shell::root;

/// One fault and the tests that must find it.
#[derive(Debug)]
pub(super) struct Mutant {
    /// The fault, in words; no two alike.
    pub(super) name: String,
    /// The file, from the root.
    pub(super) file: String,
    /// Text that stands exactly once in it.
    pub(super) from: String,
    /// Text in its place.
    pub(super) to: String,
    /// Arguments of `cargo test` that choose package and targets.
    pub(super) test: Vec<String>,
    /// Words in names of tests; empty: all of the targets.
    pub(super) only: Vec<String>,
}

/// Every mutant of every list, in the order of file names.
pub(super) fn read() -> Result<Vec<Mutant>, String> {
    let folder = root().join("tests/mutants");
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<_> = entries.flatten().map(|e| e.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "toml"));
    files.sort();
    let mut all: Vec<Mutant> = Vec::new();
    for file in &files {
        for mutant in read_file(file).map_err(|e| format!("{}: {e}", file.display()))? {
            if all.iter().any(|m| m.name == mutant.name) {
                return Err(format!("{}: two mutants are called \"{}\"", file.display(), mutant.name));
            }
            all.push(mutant);
        }
    }
    Ok(all)
}

fn read_file(path: &Path) -> Result<Vec<Mutant>, String> {
    parse(&std::fs::read_to_string(path).map_err(|e| e.to_string())?)
}

fn parse(text: &str) -> Result<Vec<Mutant>, String> {
    let document: DocumentMut = text.parse().map_err(|e| format!("{e}"))?;
    let defaults = Table::default();
    let shared = document.get("default").and_then(|d| d.as_table()).unwrap_or(&defaults);
    let list = document.get("mutant").and_then(|m| m.as_array_of_tables()).ok_or("it has no [[mutant]]")?;
    list.iter().map(|table| mutant(table, shared)).collect()
}

/// A mutant whose missing entries are those of `[default]`.
fn mutant(table: &Table, shared: &Table) -> Result<Mutant, String> {
    let find = |key: &str| table.get(key).or_else(|| shared.get(key)).and_then(|v| v.as_str());
    let name = find("name").ok_or("a mutant has no name")?.to_owned();
    let known = ["name", "file", "from", "to", "test", "only"];
    if let Some((key, _)) = table.iter().find(|(key, _)| !known.contains(key)) {
        return Err(format!("mutant \"{name}\": no such key: {key}"));
    }
    let text = |key: &str| {
        find(key).map(str::to_owned).ok_or_else(|| format!("mutant \"{name}\" has no text under {key}"))
    };
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    Ok(Mutant {
        file: text("file")?,
        from: text("from")?,
        to: text("to")?,
        test: words(&text("test")?),
        only: words(find("only").unwrap_or_default()),
        name,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"
        [default]
        test = "-p a --lib"
        only = "one two"
        [[mutant]]
        name = "first"
        file = "a.rs"
        from = "x\n  y"
        to = ""
        [[mutant]]
        name = "second"
        file = "b.rs"
        from = "1"
        to = "2"
        test = "-p b"
        only = ""
    "#;

    #[test]
    fn what_a_mutant_leaves_out_is_the_lists() {
        let list = parse(LIST).unwrap();
        assert_eq!(
            (list[0].name.as_str(), list[0].from.as_str(), list[0].to.as_str()),
            ("first", "x\n  y", "")
        );
        assert_eq!((&list[0].test[..], &list[0].only[..]), (&words("-p a --lib")[..], &words("one two")[..]));
        assert_eq!((&list[1].test[..], list[1].only.len()), (&words("-p b")[..], 0));
    }

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_mutant_that_is_not_whole_is_named() {
        let missing = parse(&LIST.replace("to = \"2\"", "")).unwrap_err();
        assert_eq!(missing, "mutant \"second\" has no text under to");
        let unknown = parse(&LIST.replace("to = \"2\"", "to = \"2\"\nwith = \"3\"")).unwrap_err();
        assert_eq!(unknown, "mutant \"second\": no such key: with");
        assert_eq!(parse("").unwrap_err(), "it has no [[mutant]]");
    }

    /// The lists of the tree can be read, no file they name is missing, and every text stands where the list says: code that moves
    /// takes its mutants along.
    #[test]
    fn the_lists_are_whole() {
        let all = read().unwrap();
        assert!(all.len() >= 30, "{}", all.len());
        for mutant in all {
            let text = std::fs::read_to_string(root().join(&mutant.file));
            let text = text.unwrap_or_else(|e| panic!("{}: {}: {e}", mutant.name, mutant.file));
            let places = text.matches(mutant.from.as_str()).count();
            assert_eq!(places, 1, "{}: its text stands in {} not once", mutant.name, mutant.file);
            assert_ne!(mutant.from, mutant.to, "{} changes nothing", mutant.name);
        }
    }
}
