//! An imported scene as text.

use std::error::Error;
use std::fmt::Write;

use crate::{Node, Value};

/// JSON with a line for every link, joint and coupler.
///
/// # Errors
/// A number that JSON has no form for.
pub fn laid_out(scene: &Node) -> Result<String, Box<dyn Error>> {
    let mut out = String::new();
    lines(scene, 0, &mut out)?;
    out.push('\n');
    Ok(out)
}

/// Objects down to trees are laid out over lines, as are lists of objects; the rest stands on one line.
fn lines(node: &Node, depth: usize, out: &mut String) -> Result<(), Box<dyn Error>> {
    let indent = "  ".repeat(depth + 1);
    match &node.value {
        Value::Object(entries) if depth == 0 || depth == 2 => {
            for (i, entry) in entries.iter().enumerate() {
                let before = if i == 0 { "{" } else { "," };
                write!(out, "{before}\n{indent}{}: ", serde_json::to_string(&entry.key)?)?;
                lines(&entry.node, depth + 1, out)?;
            }
            write!(out, "\n{}}}", "  ".repeat(depth))?;
        }
        Value::Array(list) if list.iter().any(|n| !n.entries().is_empty()) => {
            for (i, element) in list.iter().enumerate() {
                let before = if i == 0 { "[" } else { "," };
                write!(out, "{before}\n{indent}")?;
                lines(element, depth + 1, out)?;
            }
            write!(out, "\n{}]", "  ".repeat(depth))?;
        }
        _ => out.push_str(&serde_json::to_string(node)?),
    }
    Ok(())
}
