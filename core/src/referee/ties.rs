//! Blocks that impulses tie together, those that listed contacts join, and how much acts on each set.

use super::blocks::Blocks;
use super::groups::Groups;
use crate::stage::{StepView, Update};

/// Sets of blocks of a step, and what acts on them.
#[derive(Debug, Clone, Default)]
pub(super) struct Ties {
    /// Blocks that share a contact or a row with an impulse.
    tied: Groups,
    /// By leader, the largest change and cause of the rows of a set, N s.
    load: Vec<[f64; 2]>,
    /// Blocks that listed contacts join, whether they carry something or not.
    listed: Groups,
    /// By leader, the largest cause that a set ever had, N s; empty where nobody asked in this step.
    listed_cause: Vec<f64>,
}

impl Ties {
    /// Reads a step: by block, `moved` is the largest change of its rows and `cause` the largest cause they ever had, N s.
    pub(super) fn fill(
        &mut self,
        step: &StepView<'_>,
        update: &Update<'_>,
        blocks: &Blocks,
        (moved, cause): (&[f64], impl Fn(usize) -> f64),
    ) {
        self.tie(step, update, blocks);
        self.listed_cause.clear();
        self.load.clear();
        self.load.resize(moved.len(), [0.0; 2]);
        for (b, moved) in moved.iter().enumerate() {
            let load = &mut self.load[self.tied.leader(b)];
            *load = [load[0].max(*moved), load[1].max(cause(b))];
        }
    }

    /// Largest change and cause of all that is tied to a block, N s.
    pub(super) fn load(&self, block: usize) -> [f64; 2] {
        self.load[self.tied.leader(block)]
    }

    /// The largest cause that anything ever had which listed contacts join to a block, N s; `cause` as in [`Ties::fill`]. The first
    /// question of a step costs a pass over its contacts.
    pub(super) fn listed_cause(
        &mut self,
        step: &StepView<'_>,
        blocks: &Blocks,
        block: usize,
        cause: impl Fn(usize) -> f64,
    ) -> f64 {
        if self.listed_cause.is_empty() {
            self.listed.reset(step.n_blocks());
            join_touching(&mut self.listed, blocks, 0..step.contacts.len());
            self.listed.flatten();
            self.listed_cause.resize(step.n_blocks(), 0.0);
            for b in 0..step.n_blocks() {
                let most = &mut self.listed_cause[self.listed.leader(b)];
                *most = most.max(cause(b));
            }
        }
        self.listed_cause[self.listed.leader(block)]
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
