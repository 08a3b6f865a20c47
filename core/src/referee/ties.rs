//! Blocks that impulses tie together, those that listed contacts join, and how much acts on each set.

use super::blocks::Blocks;
use super::groups::Groups;
use crate::stage::{StepView, Update};

/// Sets of blocks of a step, and what acts on them.
#[derive(Debug, Clone, Default)]
pub(super) struct Ties {
    /// Blocks that share a contact or a row with an impulse.
    tied: Groups,
    /// By leader, of the rows of a set: the largest change, the largest cause ever and the largest change ever, N s.
    load: Vec<[f64; 3]>,
    /// Blocks that listed contacts join, whether they carry something or not.
    listed: Groups,
    /// By leader, the largest change that a set ever had, N s; empty where nobody asked in this step.
    listed_acted: Vec<f64>,
}

impl Ties {
    /// Reads a step: by block, `moved` is the largest change of its rows and `ever` the largest cause and change they ever had, N s.
    pub(super) fn fill(
        &mut self,
        step: &StepView<'_>,
        update: &Update<'_>,
        blocks: &Blocks,
        (moved, ever): (&[f64], impl Fn(usize) -> [f64; 2]),
    ) {
        self.tie(step, update, blocks);
        self.listed_acted.clear();
        self.load.clear();
        self.load.resize(moved.len(), [0.0; 3]);
        for (b, moved) in moved.iter().enumerate() {
            let load = &mut self.load[self.tied.leader(b)];
            let [cause, acted] = ever(b);
            *load = [load[0].max(*moved), load[1].max(cause), load[2].max(acted)];
        }
    }

    /// Largest change, and largest cause and change ever, of all that is tied to a block, N s.
    pub(super) fn load(&self, block: usize) -> [f64; 3] {
        self.load[self.tied.leader(block)]
    }

    /// The largest change that anything ever had which listed contacts join to a block, N s; `acted`: by block. The first
    /// question of a step costs a pass over its contacts.
    pub(super) fn listed_acted(
        &mut self,
        step: &StepView<'_>,
        blocks: &Blocks,
        block: usize,
        acted: impl Fn(usize) -> f64,
    ) -> f64 {
        if self.listed_acted.is_empty() {
            self.listed.reset(step.n_blocks());
            join_touching(&mut self.listed, blocks, 0..step.contacts.len());
            self.listed.flatten();
            self.listed_acted.resize(step.n_blocks(), 0.0);
            for b in 0..step.n_blocks() {
                let most = &mut self.listed_acted[self.listed.leader(b)];
                *most = most.max(acted(b));
            }
        }
        self.listed_acted[self.listed.leader(block)]
    }

    /// Joins blocks that share a contact or a row with an impulse.
    fn tie(&mut self, step: &StepView<'_>, update: &Update<'_>, blocks: &Blocks) {
        self.tied.reset(step.n_blocks());
        let contacts = &step.contacts;
        let touching = (0..contacts.len()).filter(|&i| update.impulse[contacts.row(i)] != 0.0);
        join_touching(&mut self.tied, blocks, touching);
        let wrenches = step.row_wrenches();
        let pressed = update.row_impulse.iter().enumerate().filter(|(_, p)| **p != 0.0);
        for columns in pressed.map(|(row, _)| wrenches.row(row).0) {
            // Columns ascend: the blocks of a row stand one after the other.
            self.tied.join_all(columns.iter().map(|&j| blocks.of(j as usize)));
        }
        self.tied.flatten();
    }
}

/// Joins the blocks of each of these contacts. Contacts of the same two bodies stand together.
fn join_touching(groups: &mut Groups, blocks: &Blocks, touching: impl Iterator<Item = usize>) {
    let mut last: &[u32] = &[];
    for i in touching {
        let of = blocks.of_contact(i);
        if of != last {
            groups.join_all(of.iter().map(|&block| block as usize));
            last = of;
        }
    }
}
