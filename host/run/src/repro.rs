//! Problems nobody solved, written so that they can be solved alone.

use std::io::Write;
use std::path::Path;

use vinci_core::model::System;
use vinci_core::problem::{Part, RowTag};

use crate::atomic_write::write_atomic;
use crate::problem_file;
use vinci_engine::labels;
use vinci_engine::pipeline::Stored;

/// Writes `repro/step-N.problem.json` in the run directory and returns its relative path.
pub(super) fn write(
    dir: &Path,
    name: &str,
    step: u64,
    system: &System,
    contacts: &[(u32, u32)],
    problem: &Stored,
    certificate: Option<Vec<f64>>,
) -> std::io::Result<String> {
    let relative = format!("repro/step-{step}.problem.json");
    std::fs::create_dir_all(dir.join("repro"))?;
    let text = problem_file::write(
        &format!("{name}, step {step}"),
        problem,
        |tag| describe(tag, system, contacts),
        certificate,
    )?;
    write_atomic(dir, &relative, |out| out.write_all(text.as_bytes()))?;
    Ok(relative)
}

/// Owner of a row, in the user's words.
pub(super) fn describe(tag: &RowTag, system: &System, contacts: &[(u32, u32)]) -> String {
    let name = |body: u32| &system.bodies[body as usize].name;
    match tag.part {
        Part::Velocity => {
            labels::velocity(system, tag.subject as usize).map_or_else(String::new, |label| label.to_string())
        }
        Part::Normal | Part::Friction | Part::Slip | Part::Deformation | Part::Ray | Part::Squeeze => {
            contacts
                .get(tag.subject as usize)
                .map_or_else(String::new, |&(a, b)| format!("{} / {}", name(a), name(b)))
        }
        _ => String::new(),
    }
}
