//! Numbers over time: energy, joints, efforts, support points.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use vinci_core::model::System;

use super::Block;
use super::run_files::{RunFiles, State};
use crate::record::columns_of_drives;
use crate::table::Cells;
use vinci_engine::labels;
use vinci_scene::diagnostics::Diagnostics;

/// Steps that are plotted at most; of more the largest numbers of every few.
const MOST_STEPS: usize = 20_000;

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
    out.extend(steps(run, block)?);
    let units = units_of_efforts(&run.system);
    for (file, group) in [("drives", "efforts of drives"), ("controllers", "efforts of controllers")] {
        let Some(table) = run.table(file)? else { continue };
        let time = block.f64(table.column("time").unwrap_or_default());
        for (name, numbers) in table.names.iter().zip(&table.numbers).skip(1) {
            let value = block.f32(numbers);
            let unit = units.get(name).copied().unwrap_or_default();
            let mut one = column(&format!("{group}: {name}"), name, unit, group, value);
            one["time"] = time.clone();
            out.push(one);
        }
    }
    Ok(out)
}

/// Findings of the referee in every step, and the residual of its problem. Runs of older versions have no such table.
fn steps(run: &RunFiles, block: &mut Block) -> Result<Vec<Value>, Diagnostics> {
    const PLOTTED: [(&str, &str); 5] =
        [("residual", ""), ("momentum", ""), ("complementarity", "m/s"), ("penetration", "m"), ("step", "s")];
    let Some(table) = run.table("steps")? else { return Ok(Vec::new()) };
    let every = table.rows().div_ceil(MOST_STEPS).max(1);
    let times: Vec<f64> =
        table.column("time").unwrap_or_default().chunks(every).map(|t| t[t.len() - 1]).collect();
    let time = block.f64(&times);
    let group = match every {
        _ if run.is_thinned("steps") => "steps, some of them".to_owned(),
        1 => "steps".to_owned(),
        _ => format!("steps, the largest of every {every}"),
    };
    let one = |(name, unit): (&str, &str)| {
        let largest = |of: &[f64]| of.iter().copied().fold(f64::MIN, f64::max);
        let numbers: Vec<f64> = table.column(name)?.chunks(every).map(largest).collect();
        let mut one = column(&format!("step: {name}"), name, unit, &group, block.f32(&numbers));
        one["time"] = time.clone();
        Some(one)
    };
    Ok(PLOTTED.into_iter().filter_map(one).collect())
}

fn column(name: &str, label: &str, unit: &str, group: &str, value: Value) -> Value {
    json!({ "name": name, "label": label, "unit": unit, "group": group, "value": value })
}

/// Units by the names of columns of `drives` and `controllers`, as they are written.
fn units_of_efforts(system: &System) -> BTreeMap<String, &'static str> {
    let dofs: Vec<usize> = (0..system.nv()).collect();
    let deviating: Vec<u32> = (0..system.nv() as u32).collect();
    let unit = |cells: Cells| if let Cells::Numbers(unit) = cells { unit } else { "" };
    columns_of_drives(system, &dofs, &deviating).into_iter().map(|c| (c.name, unit(c.cells))).collect()
}

/// Coordinates of the joints of trees.
fn joints(run: &RunFiles, states: &[State], kept: &[usize], block: &mut Block) -> Vec<Value> {
    let system = &run.system;
    let mut out = Vec::new();
    for b in (0..system.n_blocks()).filter(|b| system.tree_of(*b).is_some()) {
        let first = system.layout().q_start[b] as usize;
        let ([labels, _], [units, _]) = (labels::block(system, b), labels::units(system, b));
        for (k, (label, unit)) in labels.iter().zip(units).enumerate() {
            let values: Vec<f64> = kept.iter().map(|&at| states[at].q[first + k]).collect();
            let name = label.to_string();
            // Parts of quaternions have none.
            let unit = if unit == "1" { "" } else { unit };
            out.push(column(&name, &name, unit, "joints", block.f32(&values)));
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
    let Some(rows) = run.support_rows()? else { return Ok(None) };
    let (mut force, mut slip, mut at) = (Vec::new(), Vec::new(), 0);
    for t in times {
        while at + 1 < rows.len() && rows[at].t < *t {
            at += 1;
        }
        let row = rows.get(at).filter(|row| row.t == *t);
        for k in 0..supports.len() {
            force.extend(row.map_or([f64::NAN; 2], |row| row.force[k]));
            slip.push(row.map_or(0.0, |row| row.slip[k]));
        }
    }
    Ok(Some(json!({
        "body": supports.iter().map(|s| s.body).collect::<Vec<_>>(),
        "point": supports.iter().flat_map(|s| [s.point.x, s.point.y]).collect::<Vec<_>>(),
        "friction": supports.iter().map(|s| s.friction).collect::<Vec<_>>(),
        "load": supports.iter().map(|s| s.load).collect::<Vec<_>>(),
        "force": block.f32(&force), "slip": block.f32(&slip), "still": 1e-9,
    })))
}
