//! Columns of a trajectory: their names, and where their numbers stand in q and v.

use vinci_engine::labels;
use vinci_engine::pipeline::Simulation;

/// Names of all numbers, positions before velocities by block, as in a record.
pub(crate) fn names(simulation: &Simulation) -> Vec<String> {
    let system = &simulation.system;
    let labels = (0..system.n_blocks()).flat_map(|b| labels::block(system, b)).flatten();
    labels.map(|label| label.to_string()).collect()
}

/// Positions and velocities in the order of columns.
pub(crate) fn numbers(simulation: &Simulation, q: &[f64], v: &[f64]) -> Vec<f64> {
    let layout = simulation.system.layout();
    let range = |start: &[u32], b: usize| start[b] as usize..start[b + 1] as usize;
    let blocks = 0..simulation.system.n_blocks();
    blocks
        .flat_map(|b| q[range(layout.q_start, b)].iter().chain(&v[range(layout.block_start, b)]))
        .copied()
        .collect()
}

/// Where a column stands: a coordinate of q, or else a velocity.
pub(crate) fn place_of(simulation: &Simulation, column: usize) -> Result<usize, usize> {
    let layout = simulation.system.layout();
    let mut first = 0;
    for b in 0..simulation.system.n_blocks() {
        let lengths = [layout.q_start, layout.block_start].map(|start| (start[b + 1] - start[b]) as usize);
        let within = column - first;
        if within < lengths[0] {
            return Ok(layout.q_start[b] as usize + within);
        }
        if within < lengths[0] + lengths[1] {
            return Err(layout.block_start[b] as usize + within - lengths[0]);
        }
        first += lengths[0] + lengths[1];
    }
    Err(0)
}
