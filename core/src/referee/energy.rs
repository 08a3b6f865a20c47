//! Kinetic energy with which a run begins, block by block: as it is, and in the frame of what the block is joined to.

use super::account::Account;
use super::groups::Groups;
use crate::model::DofRole;
use crate::stage::StepView;

/// Bodies joined by rows; the world stands behind the last block and joins what one body alone is held by.
fn joined(step: &StepView<'_>) -> Groups {
    let world = step.n_blocks();
    let mut groups = Groups::new(world + 1);
    for b in (0..world).filter(|&b| step.lengths(b) == 0) {
        groups.join(b, world);
    }
    let jacobian = step.row_wrenches();
    for row in 0..jacobian.n_rows() {
        let blocks = || jacobian.row(row).0.iter().map(|&j| step.block_of(j as usize));
        let first = groups.join_all(blocks()).unwrap_or(world);
        if blocks().all(|b| b == first) {
            groups.join(first, world);
        }
    }
    groups
}

/// Mass and velocity of every group's centre: the velocity of driven bodies where there are some, 0 with the world.
fn centres(step: &StepView<'_>, joined: &Groups, masses: &[f64]) -> Vec<[f64; 4]> {
    let mut sums = vec![[0.0; 4]; step.n_blocks() + 1];
    for (b, &mass) in masses.iter().enumerate() {
        let dofs = step.block_start[b] as usize..step.block_start[b + 1] as usize;
        let driven = step.role[dofs.clone()].iter().all(|&r| DofRole::from_code(r) == DofRole::Prescribed);
        // Far heavier than anything.
        let weight = if driven { f64::MAX.sqrt() } else { mass };
        let sum = &mut sums[joined.leader(b)];
        sum[3] += weight;
        for k in 0..step.lengths(b) {
            sum[k] += weight * step.v[dofs.start + k];
        }
    }
    sums[step.n_blocks()] = [0.0; 4];
    sums
}

/// Where the mass matrix of every block begins.
fn starts(step: &StepView<'_>) -> impl Iterator<Item = usize> {
    let mut at = 0;
    let next = move |b: usize| {
        let n = (step.block_start[b + 1] - step.block_start[b]) as usize;
        at += n * n;
        at - n * n
    };
    (0..step.n_blocks()).map(next)
}

/// The first number of every block's mass matrix: the mass of bodies, kg.
pub(super) fn masses(step: &StepView<'_>, into: &mut Vec<f64>) {
    into.clear();
    into.extend(starts(step).map(|at| step.mass.get(at).copied().unwrap_or(0.0)));
}

/// Writes the kinetic energies into the accounts of the first step.
pub(super) fn begin(step: &StepView<'_>, accounts: &mut [Account]) {
    let (joined, starts) = (joined(step), starts(step).collect::<Vec<_>>());
    let mut masses = Vec::new();
    self::masses(step, &mut masses);
    let centres = centres(step, &joined, &masses);
    for (b, account) in accounts.iter_mut().enumerate() {
        let [x, y, z, weight] = centres[joined.leader(b)];
        let centre = [x, y, z].map(|sum| if weight > 0.0 { sum / weight } else { 0.0 });
        let dofs = step.block_start[b] as usize..step.block_start[b + 1] as usize;
        let (n, d) = (dofs.len(), step.lengths(b));
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
