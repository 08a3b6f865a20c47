//! The modules of a crate, read from its files: what each defines, what it imports, and which paths it writes. Tests are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path of modules from the root of a crate.
pub(crate) type Names = Vec<String>;

/// A name that a module imports.
#[derive(Debug, Clone)]
pub(crate) struct Import {
    /// As it is written; ends in `*` for all names of a module.
    pub(crate) path: Names,
    /// What it is called here.
    pub(crate) name: String,
    /// True if others can import it from here.
    pub(crate) is_exported: bool,
}

/// A module.
#[derive(Debug, Default)]
pub(crate) struct Module {
    /// The file it stands in, relative to the sources of the crate.
    pub(crate) file: PathBuf,
    /// Names of its items.
    pub(crate) items: BTreeSet<String>,
    /// Names that it imports.
    pub(crate) imports: Vec<Import>,
    /// Other paths of at least two names.
    pub(crate) paths: Vec<Names>,
    /// Names that stand alone, without what it imports and defines.
    pub(crate) words: BTreeSet<String>,
}

/// All modules of a crate, by path.
pub(crate) type Modules = BTreeMap<Names, Module>;

/// Files that may be the root of a crate; of a library with a program beside it, the library's.
pub(crate) const ROOTS: [&str; 2] = ["lib.rs", "main.rs"];

/// The modules of the crate whose sources lie in a directory.
pub(crate) fn modules(sources: &Path) -> Modules {
    let mut reader = Reader { sources, modules: Modules::new() };
    let root = ROOTS.iter().map(|name| sources.join(name)).find(|file| file.is_file());
    reader.file(&root.expect("a crate has a root"), sources, &[]);
    reader.modules
}

struct Reader<'a> {
    sources: &'a Path,
    modules: Modules,
}

impl Reader<'_> {
    /// Reads a file; the files of its modules lie in `directory`.
    fn file(&mut self, file: &Path, directory: &Path, names: &[String]) {
        let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let tokens: TokenStream = text.parse().unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let shown = file.strip_prefix(self.sources).expect("files lie in the sources").to_owned();
        self.module(&shown, directory, names, tokens);
    }

    fn module(&mut self, file: &Path, directory: &Path, names: &[String], tokens: TokenStream) {
        let mut found =
            Found { module: Module { file: file.to_owned(), ..Module::default() }, inner: vec![] };
        found.items(&tokens.into_iter().collect::<Vec<_>>());
        self.modules.insert(names.to_vec(), found.module);
        for (name, path, body) in found.inner {
            let below: Names = names.iter().cloned().chain([name.clone()]).collect();
            match body {
                Some(body) => self.module(file, &directory.join(&name), &below, body),
                None => {
                    let beside = directory.join(path.unwrap_or_else(|| format!("{name}.rs")));
                    let within = directory.join(&name).join("mod.rs");
                    let file = if beside.is_file() { beside } else { within };
                    let own = directory.join(&name);
                    let around = file.parent().filter(|_| file.ends_with("mod.rs")).unwrap_or(&own);
                    self.file(&file, around, &below);
                }
            }
        }
    }
}

/// A module that another declares: name, given path, body.
type Inner = (String, Option<String>, Option<TokenStream>);

struct Found {
    module: Module,
    inner: Vec<Inner>,
}

impl Found {
    /// The items of a module, one after another.
    fn items(&mut self, tokens: &[TokenTree]) {
        let mut at = 0;
        while at < tokens.len() {
            let (attributes, start) = attributes(tokens, at);
            let end = end_of_item(tokens, start);
            if !attributes.iter().any(|a| a.replace(' ', "") == "cfg(test)") {
                self.item(&tokens[start..end], &attributes);
            }
            at = end.max(at + 1);
        }
    }

    fn item(&mut self, item: &[TokenTree], attributes: &[String]) {
        let (is_exported, item) = visibility(item);
        match word(item, 0).as_deref() {
            Some("mod") => {
                let body = match item.get(2) {
                    Some(TokenTree::Group(group)) => Some(group.stream()),
                    _ => None,
                };
                // Alone, or under a condition; of several the first.
                let path = attributes.iter().find_map(|a| a.split_once("path = \"")?.1.split('"').next());
                let path = path.map(str::to_owned);
                self.inner.extend(word(item, 1).map(|name| (name, path, body)));
            }
            Some("use") => {
                let list = &item[1..item.len() - 1];
                tree(list, &mut Vec::new(), &mut |path, name| {
                    self.module.imports.push(Import { path, name, is_exported });
                });
            }
            _ => {
                self.module.items.extend(defined(item));
                self.paths(item);
            }
        }
    }

    /// Paths and words of a body, through all brackets.
    fn paths(&mut self, tokens: &[TokenTree]) {
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => self.paths(&group.stream().into_iter().collect::<Vec<_>>()),
                TokenTree::Ident(_) if at < 2 || !is(tokens, at - 1, ':') || !is(tokens, at - 2, ':') => {
                    let names = path(tokens, at);
                    at += 3 * (names.len() - 1);
                    match &names[..] {
                        [one] => drop(self.module.words.insert(one.clone())),
                        [first, ..] => {
                            self.module.words.insert(first.clone());
                            self.module.paths.push(names);
                        }
                        [] => {}
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }
}

/// The attributes that stand at a place, as text, and where they end.
fn attributes(tokens: &[TokenTree], mut at: usize) -> (Vec<String>, usize) {
    let mut list = Vec::new();
    while is(tokens, at, '#') {
        at += if is(tokens, at + 1, '!') { 2 } else { 1 };
        list.push(tokens.get(at).map_or_else(String::new, |group| match group {
            TokenTree::Group(group) => group.stream().to_string(),
            other => other.to_string(),
        }));
        at += 1;
    }
    (list, at)
}

/// One past an item: behind its `;` or its braces; constants, aliases and imports end with `;` alone.
fn end_of_item(tokens: &[TokenTree], start: usize) -> usize {
    let (_, item) = visibility(&tokens[start.min(tokens.len())..]);
    let kind = word(item, 0).unwrap_or_default();
    let by_semicolon =
        ["use", "static", "type"].contains(&kind.as_str()) || kind == "const" && is(item, 2, ':');
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match token {
            TokenTree::Punct(p) if p.as_char() == ';' => return at + 1,
            TokenTree::Group(g) if g.delimiter() == Delimiter::Brace && !by_semicolon => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// True if an item begins with `pub`, and the item without it.
fn visibility(item: &[TokenTree]) -> (bool, &[TokenTree]) {
    match (word(item, 0).as_deref(), item.get(1)) {
        (Some("pub"), Some(TokenTree::Group(g))) if g.delimiter() == Delimiter::Parenthesis => {
            (true, &item[2..])
        }
        (Some("pub"), _) => (true, &item[1..]),
        _ => (false, item),
    }
}

/// The name that an item defines, if it is no implementation.
fn defined(item: &[TokenTree]) -> Option<String> {
    const KINDS: [&str; 9] =
        ["fn", "struct", "enum", "const", "static", "type", "trait", "union", "macro_rules"];
    let kind =
        (0..item.len().min(6)).rev().find(|at| word(item, *at).is_some_and(|w| KINDS.contains(&&*w)))?;
    let first = word(item, 0)?;
    if first == "impl" {
        return None;
    }
    word(item, if is(item, kind + 1, '!') { kind + 2 } else { kind + 1 })
}

/// The leaves of a tree of imports.
fn tree(tokens: &[TokenTree], before: &mut Names, found: &mut dyn FnMut(Names, String)) {
    for branch in tokens.split(|t| matches!(t, TokenTree::Punct(p) if p.as_char() == ',')) {
        let (depth, mut at) = (before.len(), 0);
        while at < branch.len() {
            match &branch[at] {
                TokenTree::Group(group) => {
                    tree(&group.stream().into_iter().collect::<Vec<_>>(), before, found);
                    break;
                }
                TokenTree::Punct(p) if p.as_char() == '*' => {
                    found(before.iter().cloned().chain(["*".into()]).collect(), "*".into());
                }
                TokenTree::Ident(name) => {
                    let name = name.to_string();
                    if !is(branch, at + 1, ':') {
                        let is_module = name == "self" && !before.is_empty();
                        let path: Names =
                            before.iter().cloned().chain((!is_module).then_some(name)).collect();
                        let called = word(branch, at + 2).or_else(|| path.last().cloned());
                        found(path, called.unwrap_or_default());
                        break;
                    }
                    before.push(name);
                }
                _ => {}
            }
            at += 1;
        }
        before.truncate(depth);
    }
}

/// The names of a path that begins at a place: `a::b::c`.
fn path(tokens: &[TokenTree], mut at: usize) -> Names {
    let mut names: Names = word(tokens, at).into_iter().collect();
    while is(tokens, at + 1, ':') && is(tokens, at + 2, ':') {
        let Some(next) = word(tokens, at + 3) else { break };
        names.push(next);
        at += 3;
    }
    names
}

fn word(tokens: &[TokenTree], at: usize) -> Option<String> {
    match tokens.get(at) {
        Some(TokenTree::Ident(name)) => Some(name.to_string()),
        _ => None,
    }
}

fn is(tokens: &[TokenTree], at: usize, sign: char) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == sign)
}
