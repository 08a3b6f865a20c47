//! The book and the other pages: every link leads somewhere, every page is in the summary.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use vinci_tests::house::root;

/// Markdown pages of the repository, without those of builds.
fn pages() -> Vec<PathBuf> {
    fn below(directory: &Path, all: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(directory).expect("the house can be read").flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            let skipped = name == "target" || name == "results" || name.starts_with('.');
            if path.is_dir() && !skipped {
                below(&path, all);
            } else if name.ends_with(".md") {
                all.push(path);
            }
        }
    }
    let mut all = Vec::new();
    below(&root(), &mut all);
    all.sort();
    all
}

/// Links (targets as written) and names of headings of a page.
fn parts(text: &str) -> (Vec<String>, BTreeSet<String>) {
    let (mut links, mut names, mut heading) = (Vec::new(), BTreeSet::new(), None::<String>);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                links.push(dest_url.to_string())
            }
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&words);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                names.extend(heading.take().map(|h| named(&h)));
            }
            _ => {}
        }
    }
    (links, names)
}

/// The name a heading gets: small letters, hyphens for spaces, nothing else but letters, digits and underlines.
fn named(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading.to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// What is wrong with the links of a page.
fn dead(page: &Path, links: &[String], names: &BTreeMap<PathBuf, BTreeSet<String>>) -> Vec<String> {
    let mut found = Vec::new();
    for link in links.iter().filter(|l| !l.contains("://") && !l.starts_with("mailto:")) {
        let (file, name) = link.split_once('#').map_or((link.as_str(), None), |(f, n)| (f, Some(n)));
        let target = if file.is_empty() {
            page.to_path_buf()
        } else {
            page.parent().expect("a page lies somewhere").join(file)
        };
        let Ok(target) = target.canonicalize() else {
            found.push(format!("{}: {link} leads nowhere", page.display()));
            continue;
        };
        if let (Some(name), Some(known)) = (name, names.get(&target))
            && !known.contains(name)
        {
            found.push(format!("{}: {link}: the page has no such heading", page.display()));
        }
    }
    found
}

#[test]
fn every_link_leads_somewhere() {
    let parts: BTreeMap<PathBuf, _> = pages()
        .into_iter()
        .map(|page| (page.canonicalize().unwrap(), parts(&std::fs::read_to_string(&page).unwrap())))
        .collect();
    let names = parts.iter().map(|(page, (_, names))| (page.clone(), names.clone())).collect();
    let count: usize = parts.values().map(|(links, _)| links.len()).sum();
    assert!(count > 300, "only {count} links were found");
    let found: Vec<String> = parts.iter().flat_map(|(page, (links, _))| dead(page, links, &names)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_page_of_the_book_is_in_its_summary() {
    let source = root().join("docs/src").canonicalize().unwrap();
    let (links, _) = parts(&std::fs::read_to_string(source.join("SUMMARY.md")).unwrap());
    let listed: BTreeSet<PathBuf> = links.iter().filter_map(|l| source.join(l).canonicalize().ok()).collect();
    let missing: Vec<_> = pages()
        .into_iter()
        .map(|page| page.canonicalize().unwrap())
        .filter(|page| page.starts_with(&source) && !page.ends_with("SUMMARY.md") && !listed.contains(page))
        .collect();
    assert!(missing.is_empty(), "not in docs/src/SUMMARY.md: {missing:?}");
}

/// Functions that a page places in a file, as `` `core/src/a.rs`: `one()`, `two()` ``: pairs of path and name.
fn placed(text: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (at, _) in text.match_indices(".rs`: `") {
        let path = text[..at + 3].rsplit('`').next().unwrap_or_default();
        let mut rest = &text[at + 6..];
        while let Some((name, after)) = rest.strip_prefix('`').and_then(|r| r.split_once("()`")) {
            if !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
                break;
            }
            all.push((path.to_owned(), name.to_owned()));
            rest = after.strip_prefix(", ").unwrap_or_default();
        }
    }
    all
}

/// Those that are not there: no such file, or no such function in it.
fn misplaced(text: &str, house: &Path) -> Vec<String> {
    let mut placed = placed(text);
    placed.retain(|(path, _)| ["core/", "sdk/", "plugins/", "host/"].iter().any(|f| path.starts_with(f)));
    let missing = |(path, name): &(String, String)| {
        let source = std::fs::read_to_string(house.join(path)).unwrap_or_default();
        !source.contains(&format!("fn {name}(")) && !source.contains(&format!("fn {name}<"))
    };
    placed.iter().filter(|p| missing(p)).map(|(path, name)| format!("{path} has no fn {name}")).collect()
}

#[test]
fn functions_stand_in_the_files_that_pages_name() {
    let texts: Vec<_> = pages().into_iter().map(|p| (std::fs::read_to_string(&p).unwrap(), p)).collect();
    let count: usize = texts.iter().map(|(text, _)| placed(text).len()).sum();
    assert!(count > 200, "only {count} functions were found");
    let wrong = |(text, page): &(String, PathBuf)| {
        misplaced(text, &root()).into_iter().map(|w| format!("{}: {w}", page.display())).collect::<Vec<_>>()
    };
    let found: Vec<String> = texts.iter().flat_map(wrong).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn functions_that_are_elsewhere_are_found() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(directory.path().join("core/src")).unwrap();
    std::fs::write(
        directory.path().join("core/src/a.rs"),
        "fn one() {}\npub fn two<T>() {}\nfn threefold() {}",
    )
    .unwrap();
    let text = "| `core/src/a.rs`: `one()`, `two()`, `three()` | `core/src/b.rs`: `one()`";
    let said = misplaced(text, directory.path());
    assert_eq!(said, ["core/src/a.rs has no fn three", "core/src/b.rs has no fn one"]);
}

/// The judge is tested with a page that deceives it.
#[test]
fn links_to_nothing_are_found() {
    let directory = tempfile::tempdir().unwrap();
    let page = directory.path().join("a.md");
    let text = "# One `two`\n[a](#one-two) [b](#three) [c](b.md) [d](a.md#one-two) ![e](p.png) [f](https://x.y/z)\n\n| [g](g.md) |\n|---|\n";
    std::fs::write(&page, text).unwrap();
    let page = page.canonicalize().unwrap();
    let (links, names) = parts(text);
    let found = dead(&page, &links, &BTreeMap::from([(page.clone(), names)]));
    let said: Vec<&str> = found.iter().map(|f| f.split(": ").nth(1).unwrap()).collect();
    assert_eq!(said, ["#three", "b.md leads nowhere", "p.png leads nowhere", "g.md leads nowhere"]);
}
