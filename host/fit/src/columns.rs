//! Columns of `trajectory.csv`, and what they stand for.

use vinci_engine::pipeline::Simulation;

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
