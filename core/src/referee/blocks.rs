//! Blocks of velocities, and which of them are lengths and angles.

use crate::stage::StepView;

/// Block and kind of every velocity.
#[derive(Debug, Clone, Default)]
pub(super) struct Blocks {
    block: Vec<u32>,
    /// 0: a length, 1: an angle.
    kind: Vec<u8>,
}

/// Factors that turn numbers of a block into those of lengths: 1 for lengths, its size for angles.
pub(super) fn lever(length: &[f64], block: usize) -> [f64; 2] {
    [1.0, length.get(block).copied().unwrap_or(1.0)]
}

impl Blocks {
    /// Reads the blocks of a step, once.
    pub(super) fn fill(&mut self, step: &StepView<'_>) {
        if self.kind.len() == step.nv() {
            return;
        }
        self.kind.clear();
        self.block.clear();
        for b in 0..step.n_blocks() {
            let range = step.block_start[b] as usize..step.block_start[b + 1] as usize;
            for local in 0..range.len() {
                self.kind.push(u8::from(local >= step.lengths(b)));
                self.block.push(b as u32);
            }
        }
    }

    /// Block of a velocity.
    pub(super) fn of(&self, dof: usize) -> usize {
        self.block[dof] as usize
    }

    /// Kind of a velocity: 0 for lengths, 1 for angles.
    pub(super) fn kind(&self, dof: usize) -> usize {
        self.kind[dof] as usize
    }

    /// 1 m for lengths, the body's size for angles.
    pub(super) fn arm(&self, length: &[f64], dof: usize) -> f64 {
        lever(length, self.of(dof))[self.kind(dof)]
    }

    /// Blocks of the columns of a contact: those of body a stand before those of body b, so the first and the last tell.
    pub(super) fn of_columns(&self, columns: &[u32]) -> [Option<usize>; 2] {
        let of = |j: &u32| self.of(*j as usize);
        let (first, last) = (columns.first().map(of), columns.last().map(of));
        [first, last.filter(|_| last != first)]
    }
}
