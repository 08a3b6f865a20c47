//! Blocks of velocities, and which of them are lengths and angles.

use crate::stage::StepView;

/// Block and kind of every velocity.
#[derive(Debug, Clone, Default)]
pub(super) struct Blocks {
    block: Vec<u32>,
    /// 0: a length, 1: an angle.
    kind: Vec<u8>,
    /// Blocks of every contact, and how many they are.
    contact: Vec<([u32; 2], u8)>,
}

/// Factors that turn numbers of a block into those of lengths: 1 for lengths, its size for angles.
pub(super) fn lever(length: &[f64], block: usize) -> [f64; 2] {
    [1.0, length.get(block).copied().unwrap_or(1.0)]
}

impl Blocks {
    /// Reads the blocks of a step: of its velocities once, of its contacts always.
    pub(super) fn fill(&mut self, step: &StepView<'_>) {
        self.fill_velocities(step);
        self.contact.clear();
        for i in 0..step.contacts.len() {
            // Body a's columns stand before those of body b, so the first and the last tell.
            let columns = step.contacts.jacobian.row(step.contacts.row(i)).0;
            let of = match columns {
                [] => ([0; 2], 0),
                [first, .., last] => {
                    let of = [self.block[*first as usize], self.block[*last as usize]];
                    (of, if of[0] == of[1] { 1 } else { 2 })
                }
                [only] => ([self.block[*only as usize]; 2], 1),
            };
            self.contact.push(of);
        }
    }

    fn fill_velocities(&mut self, step: &StepView<'_>) {
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

    /// Blocks that contact i is between: two, one or none.
    #[inline]
    pub(super) fn of_contact(&self, i: usize) -> &[u32] {
        let (blocks, n) = &self.contact[i];
        &blocks[..usize::from(*n).min(2)]
    }
}
