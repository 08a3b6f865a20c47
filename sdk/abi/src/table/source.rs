//! Documentation and codes, read from the sources: what a layout does not tell.

use std::io;
use std::path::{Path, PathBuf};

/// Name, value, documentation.
type Named = (String, String, Vec<String>);

/// All sources of core and of the contract.
pub(super) struct Sources {
    core: Vec<String>,
    contract: Vec<String>,
}

impl Sources {
    pub(super) fn read(root: &Path) -> io::Result<Self> {
        Ok(Self { core: texts(&root.join("core/src"))?, contract: texts(&root.join("sdk/abi/src"))? })
    }

    /// Documentation of a struct and of its fields. A view of the contract is told as the type of core that it mirrors.
    pub(super) fn fields(&self, name: &str) -> (Vec<String>, Vec<(String, Vec<String>)>) {
        let mirrored = name.strip_suffix("View").unwrap_or(name);
        let core = [format!("pub struct {name}<'a> {{"), format!("pub struct {mirrored}<'a> {{")];
        let own = [format!("pub struct {name} {{"), format!("pub struct {name}<T> {{")];
        let found = find(&self.core, &core).or_else(|| find(&self.contract, &own));
        let (whole, mut fields) = match found {
            Some((before, body)) => (last_doc(before), documented(until_brace(body))),
            None => Default::default(),
        };
        // Tables of roles are written by a macro, whose fields are documented once.
        if name.ends_with("V1") && fields.is_empty() {
            let role = [format!("    {name} {{")];
            fields = find(&self.contract, &[format!("macro_rules! {} {{", "role")])
                .map_or(vec![], |(_, b)| documented(b));
            let whole = find(&self.contract, &role).map_or(vec![], |(before, _)| last_doc(before));
            return (whole, fields);
        }
        (whole, fields)
    }

    /// The constants of `codes.rs` from the first name to a text.
    pub(super) fn constants(&self, first: &str, end: &str) -> Vec<Named> {
        let Some((_, text)) = find(&self.contract, &["//! Numbers that cross:".into()]) else {
            return vec![];
        };
        let all = constants(text.split(&format!("pub const {end}:")).next().unwrap_or_default());
        let all = if end.contains(' ') || end.contains('#') {
            constants(text.split(end).next().unwrap_or_default())
        } else {
            all
        };
        all.into_iter()
            .skip_while(|(name, _, _)| name != first)
            .filter(|(name, _, _)| name != "CONTRACT")
            .collect()
    }

    /// The calls of a root problem.
    pub(super) fn root_calls(&self) -> Vec<Named> {
        let found = find(&self.core, &["impl Root<'_> {".into()]);
        found.map_or(vec![], |(_, body)| constants(until_brace(body)))
    }

    /// Variants of an enum of core; a value that is not written follows the one before.
    pub(super) fn variants(&self, name: &str) -> Vec<Named> {
        let Some((_, body)) = find(&self.core, &[format!("pub enum {name} {{")]) else { return vec![] };
        let (mut out, mut doc, mut next): (Vec<Named>, _, u64) = (vec![], vec![], 0);
        for line in until_brace(body).lines().map(str::trim) {
            if let Some(text) = line.strip_prefix("///") {
                doc.push(plain(text));
            } else if line.ends_with(',') && line.starts_with(|c: char| c.is_ascii_uppercase()) {
                let (name, value) = line.trim_end_matches(',').split_once(" = ").unwrap_or((line, ""));
                next = value.parse().unwrap_or(next);
                out.push((name.trim_end_matches(',').into(), next.to_string(), std::mem::take(&mut doc)));
                next += 1;
            }
        }
        out
    }
}

/// Texts of all Rust files below a folder, in the order of their names.
fn texts(folder: &Path) -> io::Result<Vec<String>> {
    let mut paths = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    let mut out = Vec::new();
    for path in paths {
        if path.is_dir() {
            out.extend(texts(&path)?);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(std::fs::read_to_string(&path)?);
        }
    }
    Ok(out)
}

/// Text before and behind the first of some marks that is found.
fn find<'t>(texts: &'t [String], marks: &[String]) -> Option<(&'t str, &'t str)> {
    marks.iter().find_map(|mark| texts.iter().find_map(|text| text.split_once(mark.as_str())))
}

/// Up to the brace that closes an item.
fn until_brace(text: &str) -> &str {
    text.split("\n}").next().unwrap_or_default()
}

/// The documentation that a text ends with, attributes aside: its first paragraph.
fn last_doc(text: &str) -> Vec<String> {
    let lines = text.trim_end().lines().rev().map(str::trim);
    let lines = lines.skip_while(|l| l.starts_with("#[")).map_while(|l| l.strip_prefix("///"));
    let mut lines: Vec<String> = lines.map(plain).collect();
    lines.reverse();
    lines.into_iter().take_while(|line| !line.is_empty()).collect()
}

/// Fields with their documentation.
fn documented(text: &str) -> Vec<(String, Vec<String>)> {
    let (mut out, mut doc) = (vec![], vec![]);
    for line in text.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            doc.push(plain(text));
        } else if let Some((name, _)) = line.split_once(':').filter(|_| !doc.is_empty()) {
            out.push((name.trim_start_matches("pub ").to_owned(), std::mem::take(&mut doc)));
        } else if !line.starts_with("#[") {
            doc.clear();
        }
    }
    out
}

fn constants(text: &str) -> Vec<Named> {
    let (mut out, mut doc) = (vec![], vec![]);
    for line in text.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            doc.push(plain(text));
        } else if let Some((name, value)) = line.strip_prefix("pub const ").and_then(|l| l.split_once(": ")) {
            let value = value.split_once(" = ").map_or("", |(_, value)| value.trim_end_matches(';'));
            out.push((name.to_owned(), value.to_owned(), std::mem::take(&mut doc)));
        } else {
            doc.clear();
        }
    }
    out
}

/// A line of documentation without the marks of rustdoc.
fn plain(line: &str) -> String {
    line.trim().replace("[`", "").replace("`]", "").replace('`', "").replace("*/", "* /")
}
