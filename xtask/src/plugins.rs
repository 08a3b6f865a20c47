//! `cargo xtask plugins`: every shipped plugin through all levels of the suite, as a page of the book.

use std::process::Command;

use serde_json::Value;

use crate::shell::{self, library, plugins, program, put, root, target};

/// Levels of `vinci plugin check`, with what they ask.
const LEVELS: [&str; 9] = [
    "manifest",
    "misuse",
    "options",
    "known answers",
    "degenerate, infeasible",
    "determinism",
    "threads",
    "sizes",
    "repeated calls",
];

/// Checks them all and writes the page. An error where one is not good.
pub(crate) fn build() -> Result<(), String> {
    shell::build()?;
    let (mut rows, mut bad) = (String::new(), Vec::new());
    // HiGHS is built apart, with tools of its own.
    for name in plugins()?.into_iter().filter(|name| name != "solver-highs") {
        let said = check(&name)?;
        rows += &row(&name, &said);
        if said["exit_code"] != 0 {
            bad.push(name);
        }
    }
    let head: Vec<_> = LEVELS.iter().enumerate().map(|(k, what)| format!("{} {what}", k + 1)).collect();
    let text = format!(
        "<!-- Written by cargo xtask plugins. -->\n\n# Shipped plugins through the suite\n\n\
         Tests that each plugin passed, by level of `vinci plugin check --level 9`, every test in a process of its own. A dash: no test of that level \
         concerns the plugin. How to check your own: [ship a plugin](../how-to/ship.md).\n\n\
         | plugin | {} |\n|---|{}\n{rows}",
        head.join(" | "),
        "---|".repeat(LEVELS.len())
    );
    put(&root().join("docs/src/reference/plugins-checked.md"), &text)?;
    if bad.is_empty() { Ok(()) } else { Err(format!("not good: {}", bad.join(", "))) }
}

fn check(name: &str) -> Result<Value, String> {
    eprintln!("{name}");
    let mut command = Command::new(program("debug"));
    command
        .args(["plugin", "check", "--level", "9", "--json"])
        .arg(target().join("debug").join(library(name)));
    let done = command.output().map_err(|e| format!("vinci: {e}"))?;
    let text = String::from_utf8_lossy(&done.stdout);
    serde_json::from_str(&text).map_err(|e| format!("{name}: {e}\n{}", String::from_utf8_lossy(&done.stderr)))
}

fn row(name: &str, said: &Value) -> String {
    let results: Vec<_> = said["results"].as_array().into_iter().flatten().collect();
    let cell = |level: usize| {
        let of_level = || results.iter().filter(|r| r["level"] == level && r["outcome"] != "skipped");
        let (all, passed) = (of_level().count(), of_level().filter(|r| r["outcome"] == "passed").count());
        match (all, all - passed) {
            (0, _) => "–".to_owned(),
            (all, 0) => all.to_string(),
            (all, failed) => format!("**{failed} of {all} failed**"),
        }
    };
    let cells: Vec<_> = (1..=LEVELS.len()).map(cell).collect();
    format!("| `{name}` | {} |\n", cells.join(" | "))
}
