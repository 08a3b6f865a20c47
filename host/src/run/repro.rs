//! Problems nobody solved, written so that they can be solved alone.

use std::path::Path;

use vinci_core::model::{Space, System};
use vinci_core::problem::{Part, RowTag};

use crate::pipeline::Stored;
use crate::problem_file::ProblemFile;

const PLANAR: [&str; 3] = ["vx", "vy", "omega"];
const SPATIAL: [&str; 6] = ["vx", "vy", "vz", "wx", "wy", "wz"];

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
    let file = ProblemFile::new(
        &format!("{name}, step {step}"),
        problem,
        |tag| describe(tag, system, contacts),
        certificate,
    );
    std::fs::write(dir.join(&relative), serde_json::to_string_pretty(&file)? + "\n")?;
    Ok(relative)
}

/// Who a row belongs to, in the user's words.
fn describe(tag: &RowTag, system: &System, contacts: &[(u32, u32)]) -> String {
    let name = |body: u32| &system.bodies[body as usize].name;
    match tag.part {
        Part::Velocity => {
            let n = system.space.nv();
            let columns: &[&str] = if system.space == Space::Planar { &PLANAR } else { &SPATIAL };
            let dof = tag.subject as usize;
            format!("{}.{}", system.body_of(dof / n).name, columns[dof % n])
        }
        Part::Normal | Part::Friction | Part::Slip => contacts
            .get(tag.subject as usize)
            .map_or_else(String::new, |&(a, b)| format!("{} / {}", name(a), name(b))),
        _ => String::new(),
    }
}
