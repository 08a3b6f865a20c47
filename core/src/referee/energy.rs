//! Kinetic energy with which a run begins, block by block: as it is, and in the frame of what the block is joined to.

use super::work::Account;
use crate::model::DofRole;
use crate::stage::{BlockKind, StepView};

/// Bodies joined by rows, directly or through others; the world joins what one body alone is held by.
struct Joined {
    /// Another block of the same group, or itself. The world stands behind the last block.
    next: Vec<usize>,
}

impl Joined {
    fn of(step: &StepView<'_>) -> Self {
        let world = step.n_blocks();
        let mut joined = Self { next: (0..=world).collect() };
        for b in (0..world).filter(|&b| dimension(step, b) == 0) {
            joined.join(b, world);
        }
        let jacobian = step.row_wrenches();
        for row in 0..jacobian.n_rows() {
            let blocks = jacobian.row(row).0.iter().map(|&j| block_of(step, j));
            let (first, last) = blocks.fold((world, None), |(first, last), b| match last {
                None => (b, Some(b)),
                Some(_) => (first, Some(b)),
            });
            joined.join(first, last.filter(|b| *b != first).unwrap_or(world));
        }
        joined
    }

    fn group(&self, mut b: usize) -> usize {
        while self.next[b] != b {
            b = self.next[b];
        }
        b
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.group(a), self.group(b));
        // The larger leads, so that the world leads all that it holds.
        self.next[a.min(b)] = a.max(b);
    }
}

/// Directions in space in which a block moves as one body; 0 for trees.
fn dimension(step: &StepView<'_>, b: usize) -> usize {
    match step.block_kind[b] {
        k if k == BlockKind::Planar as u8 => 2,
        k if k == BlockKind::Spatial as u8 => 3,
        _ => 0,
    }
}

fn block_of(step: &StepView<'_>, dof: u32) -> usize {
    step.block_start.partition_point(|&s| s <= dof) - 1
}

/// Mass and velocity of every group's centre: the velocity of driven bodies where there are some, 0 with the world.
fn centres(step: &StepView<'_>, joined: &Joined, masses: &[f64]) -> Vec<[f64; 4]> {
    let mut sums = vec![[0.0; 4]; step.n_blocks() + 1];
    for (b, &mass) in masses.iter().enumerate() {
        let dofs = step.block_start[b] as usize..step.block_start[b + 1] as usize;
        let driven = step.role[dofs.clone()].iter().all(|&r| DofRole::from_code(r) == DofRole::Prescribed);
        // Far heavier than anything.
        let weight = if driven { f64::MAX.sqrt() } else { mass };
        let sum = &mut sums[joined.group(b)];
        sum[3] += weight;
        for k in 0..dimension(step, b) {
            sum[k] += weight * step.v[dofs.start + k];
        }
    }
    sums[step.n_blocks()] = [0.0; 4];
    sums
}

/// Writes the kinetic energies into the accounts of the first step.
pub(super) fn begin(step: &StepView<'_>, accounts: &mut [Account]) {
    let joined = Joined::of(step);
    let mut at = 0;
    let starts: Vec<usize> = (0..step.n_blocks())
        .map(|b| {
            let n = (step.block_start[b + 1] - step.block_start[b]) as usize;
            at += n * n;
            at - n * n
        })
        .collect();
    let masses: Vec<f64> = starts.iter().map(|&at| step.mass.get(at).copied().unwrap_or(0.0)).collect();
    let centres = centres(step, &joined, &masses);
    for (b, account) in accounts.iter_mut().enumerate() {
        let [x, y, z, weight] = centres[joined.group(b)];
        let centre = [x, y, z].map(|sum| if weight > 0.0 { sum / weight } else { 0.0 });
        let dofs = step.block_start[b] as usize..step.block_start[b + 1] as usize;
        let (n, d) = (dofs.len(), dimension(step, b));
        let v = &step.v[dofs];
        let own = |k: usize| v[k] - if k < d { centre[k] } else { 0.0 };
        let mass = &step.mass[starts[b]..starts[b] + n * n];
        for (k, row) in mass.chunks_exact(n.max(1)).enumerate() {
            let momentum =
                |of: &dyn Fn(usize) -> f64| row.iter().enumerate().map(|(j, m)| m * of(j)).sum::<f64>();
            account.energy += 0.5 * (momentum(&|j| v[j]) * v[k]).abs();
            account.inner += 0.5 * (momentum(&own) * own(k)).abs();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_world_leads_what_it_holds() {
        let mut joined = Joined { next: (0..5).collect() };
        joined.join(0, 2);
        joined.join(1, 3);
        joined.join(4, 0);
        assert_eq!([0, 1, 2, 3, 4].map(|b| joined.group(b)), [4, 3, 4, 3, 4]);
    }
}
