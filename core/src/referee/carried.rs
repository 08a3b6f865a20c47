//! Momentum and speed that rows of trees carry on with: their own, and those of the rows that inertia couples to them.
//!
//! Links of a tree that inertia does not couple are as far apart as two bodies: how fast one flies along is no excuse for the other. Nor have
//! they one unit: some joints slide, some turn. |A_ij v_j|/A_ii has the unit of v_i.

use crate::momentum::Momentum;
use crate::stage::{BlockKind, StepView};

/// The largest numbers of a velocity row.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct RowPeak {
    /// Largest term beside impulses, N s or N m s.
    pub(super) cause: f64,
    /// Largest speed, m/s or rad/s.
    pub(super) speed: f64,
}

impl RowPeak {
    /// How many numbers one has.
    pub(super) const NUMBERS: usize = 2;

    /// For a file.
    pub(super) fn numbers(&self) -> [f64; Self::NUMBERS] {
        [self.cause, self.speed]
    }

    /// The reverse of [`RowPeak::numbers`].
    pub(super) fn of_numbers(numbers: &[f64]) -> Option<Self> {
        let &[cause, speed] = numbers else { return None };
        Some(Self { cause, speed })
    }

    /// The larger of both, number by number.
    pub(super) fn take(&mut self, other: &Self) {
        self.cause = self.cause.max(other.cause);
        self.speed = self.speed.max(other.speed);
    }
}

/// Peaks of a row of a tree, and of those that inertia couples to it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Coupled {
    /// Over the run; speeds as the row feels them.
    pub(super) ever: RowPeak,
    /// Change of momentum in this step, N s or N m s.
    pub(super) change: f64,
}

/// Rows of trees in one step.
#[derive(Debug, Clone, Default)]
pub(super) struct Carried {
    /// Of every row in this step; nothing where there is no tree.
    pub(super) now: Vec<RowPeak>,
    coupled: Vec<Option<Coupled>>,
}

impl Carried {
    /// Reads causes, speeds and changes of a step by row. `past`: the largest of the steps before.
    pub(super) fn fill(
        &mut self,
        step: &StepView<'_>,
        m: &Momentum,
        (cause, speed, change): (&[f64], &[f64], &[f64]),
        past: &[RowPeak],
    ) {
        self.now.clear();
        self.coupled.clear();
        if !step.block_kind.contains(&(BlockKind::Tree as u8)) {
            return;
        }
        self.now.extend(cause.iter().zip(speed).map(|(&cause, &speed)| RowPeak { cause, speed }));
        self.coupled.resize(step.nv(), None);
        for b in (0..step.n_blocks()).filter(|&b| step.block_kind[b] == BlockKind::Tree as u8) {
            for i in step.block_start[b] as usize..step.block_start[b + 1] as usize {
                self.coupled[i] = Some(self.of_row(m, i, change, past));
            }
        }
    }

    /// The largest that row i and those coupled to it ever had; a speed as row i feels it.
    fn of_row(&self, m: &Momentum, i: usize, change: &[f64], past: &[RowPeak]) -> Coupled {
        let ever = |j: usize| {
            let mut most = self.now[j];
            most.take(&past.get(j).copied().unwrap_or_default());
            most
        };
        let mut most = Coupled { ever: ever(i), change: change[i] };
        for (j, x) in m.a.view().entries(i).filter(|(_, x)| *x != 0.0) {
            let RowPeak { cause, speed } = ever(j);
            let felt = if m.diagonal[i] > 0.0 { x.abs() * speed / m.diagonal[i] } else { speed };
            most.ever.take(&RowPeak { cause, speed: felt });
            most.change = most.change.max(change[j]);
        }
        most
    }

    /// Of a row of a tree; nothing for others.
    pub(super) fn of(&self, i: usize) -> Option<Coupled> {
        self.coupled.get(i).copied().flatten()
    }
}
