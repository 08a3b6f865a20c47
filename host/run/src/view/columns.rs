//! Numbers over time: energy, joints, efforts, support points.

use serde_json::{Value, json};

use super::Block;
use super::run_files::{RunFiles, State};
use vinci_engine::labels;
use vinci_scene::diagnostics::Diagnostics;

/// Columns to plot.
///
/// # Errors
/// Tables that cannot be read.
pub(super) fn all(
    run: &RunFiles,
    states: &[State],
    kept: &[usize],
    block: &mut Block,
) -> Result<Vec<Value>, Diagnostics> {
    let energy: Vec<f64> = kept.iter().map(|&k| run.system.energy(&states[k].q, &states[k].v)).collect();
    let mut out = vec![column("energy", "energy", "J", "energy", block.f32(&energy))];
    out.extend(joints(run, states, kept, block));
    for (file, group) in [("drives.csv", "efforts of drives"), ("controllers.csv", "efforts of controllers")]
    {
        let Some(table) = run.table(file)? else { continue };
        let time = block.f64(&table.numbers("time"));
        for name in table.names().iter().skip(1) {
            let value = block.f32(&table.numbers(name));
            let mut one = column(&format!("{group}: {name}"), name, unit_of_effort(name), group, value);
            one["time"] = time.clone();
            out.push(one);
        }
    }
    Ok(out)
}

fn column(name: &str, label: &str, unit: &str, group: &str, value: Value) -> Value {
    json!({ "name": name, "label": label, "unit": unit, "group": group, "value": value })
}

fn unit_of_effort(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("fx" | "fy" | "fz") => "N",
        Some("torque" | "tx" | "ty" | "tz") => "N m",
        _ => "",
    }
}

/// Coordinates of the joints of trees.
fn joints(run: &RunFiles, states: &[State], kept: &[usize], block: &mut Block) -> Vec<Value> {
    let system = &run.system;
    let mut out = Vec::new();
    for b in (0..system.n_blocks()).filter(|b| system.tree_of(*b).is_some()) {
        let first = system.layout().q_start[b] as usize;
        let [labels, _] = labels::block(system, b);
        for (k, label) in labels.iter().enumerate() {
            let values: Vec<f64> = kept.iter().map(|&at| states[at].q[first + k]).collect();
            let name = label.to_string();
            out.push(column(&name, &name, "", "joints", block.f32(&values)));
        }
    }
    out
}

/// Support points with their friction; nothing where there are none.
///
/// # Errors
/// A table that cannot be read.
pub(super) fn supports(
    run: &RunFiles,
    times: &[f64],
    block: &mut Block,
) -> Result<Option<Value>, Diagnostics> {
    let supports = &run.system.supports;
    let Some(table) = run.table("supports.csv")?.filter(|_| !supports.is_empty()) else { return Ok(None) };
    let [time, fx, fy, slip] = ["time", "fx", "fy", "slip"].map(|name| table.numbers(name));
    let n = supports.len();
    let (mut force, mut slips, mut at) = (Vec::new(), Vec::new(), 0);
    for t in times {
        while at + n < time.len() && time[at] < *t {
            at += n;
        }
        let here = at + n <= time.len() && time[at] == *t;
        for k in at..at + n {
            force.extend(if here { [fx[k], fy[k]] } else { [f64::NAN; 2] });
            slips.push(if here { slip[k] } else { 0.0 });
        }
    }
    Ok(Some(json!({
        "body": supports.iter().map(|s| s.body).collect::<Vec<_>>(),
        "point": supports.iter().flat_map(|s| [s.point.x, s.point.y]).collect::<Vec<_>>(),
        "friction": supports.iter().map(|s| s.friction).collect::<Vec<_>>(),
        "load": supports.iter().map(|s| s.load).collect::<Vec<_>>(),
        "force": block.f32(&force), "slip": block.f32(&slips), "still": 1e-9,
    })))
}
