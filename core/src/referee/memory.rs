//! Memory of the referee from step to step.

use super::account::Account;
use super::carried::RowPeak;
use super::edges::{self, EdgeNode};
use super::layer::{self, Layer};
use super::peak::Peak;
use super::places;

/// Residual of the momentum balance of one velocity that substeps have left, and the size that it stood against, N s or N m s.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Leftover {
    pub(super) residual: f64,
    pub(super) size: f64,
}

impl Leftover {
    const NUMBERS: usize = 2;

    /// This and `part` of what was left before it. The sum stands against the larger of both sizes: what a body was left with in a step
    /// is not large because an impact beside it leaves it alone.
    pub(super) fn after(self, before: Self, part: f64) -> Self {
        if !(part > 0.0) {
            return self;
        }
        Self { residual: self.residual + part * before.residual, size: self.size.max(part * before.size) }
    }

    /// |residual| over size.
    pub(super) fn relative(&self) -> f64 {
        if self.residual == 0.0 { 0.0 } else { self.residual.abs() / self.size.max(f64::MIN_POSITIVE) }
    }

    fn numbers(&self) -> [f64; Self::NUMBERS] {
        [self.residual, self.size]
    }

    fn of_numbers(numbers: &[f64]) -> Option<Self> {
        let &[residual, size] = numbers else { return None };
        Some(Self { residual, size })
    }
}

/// Memory of the referee between steps; part of the state of a simulation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Memory {
    pub(super) accounts: Vec<Account>,
    pub(super) layers: Vec<Layer>,
    pub(super) edges: Vec<EdgeNode>,
    pub(super) start_contacts: places::StartContacts,
    pub(super) peaks: Vec<Peak>,
    /// By velocity, where there are trees.
    pub(super) rows: Vec<RowPeak>,
    /// Residuals that substeps have left, nv; those older than a whole step fade.
    pub(super) left: Vec<Leftover>,
}

/// Numbers per account, peak, row, velocity, layer and node of an edge: the layout of a memory in a file. Another version of the referee has
/// another.
const LAYOUT: [f64; 6] = [
    Account::NUMBERS as f64,
    Peak::NUMBERS as f64,
    RowPeak::NUMBERS as f64,
    Leftover::NUMBERS as f64,
    layer::NUMBERS as f64,
    edges::NUMBERS as f64,
];

impl Memory {
    /// Work accounts of the blocks.
    pub fn accounts(&self) -> &[Account] {
        &self.accounts
    }

    /// Forgets where contacts were seen: after a change of scene no motion explains where they are now.
    pub fn forget_places(&mut self) {
        self.start_contacts = places::StartContacts::default();
    }

    /// Where contacts were seen, as numbers for a file.
    pub fn places(&self) -> Vec<f64> {
        self.start_contacts.numbers()
    }

    /// This memory with the contacts of [`Memory::places`]; with no contacts where the numbers do not come from there.
    #[must_use]
    pub fn with_places(self, numbers: &[f64]) -> Self {
        Self { start_contacts: places::StartContacts::of_numbers(numbers).unwrap_or_default(), ..self }
    }

    /// Everything but where contacts were seen, as numbers for a file: their layout, accounts, peaks, rows, what is left and nodes of edges with their
    /// counts, then layers.
    pub fn numbers(&self) -> Vec<f64> {
        let mut out = LAYOUT.to_vec();
        out.push(self.accounts.len() as f64);
        out.extend(self.accounts.iter().flat_map(Account::numbers));
        out.push(self.peaks.len() as f64);
        out.extend(self.peaks.iter().flat_map(Peak::numbers));
        out.push(self.rows.len() as f64);
        out.extend(self.rows.iter().flat_map(RowPeak::numbers));
        out.push(self.left.len() as f64);
        out.extend(self.left.iter().flat_map(Leftover::numbers));
        out.push(self.edges.len() as f64);
        out.extend(self.edges.iter().flat_map(EdgeNode::numbers));
        out.extend(self.layers.iter().flat_map(Layer::numbers));
        out
    }

    /// The reverse of [`Memory::numbers`]; nothing where the numbers are none of these, or those of another layout.
    pub fn of_numbers(numbers: &[f64]) -> Option<Self> {
        let rest = numbers.strip_prefix(&LAYOUT)?;
        let (count, rest) = rest.split_first()?;
        let (accounts, rest) = rest.split_at_checked(Account::NUMBERS.saturating_mul(*count as usize))?;
        let (count, rest) = rest.split_first()?;
        let (peaks, rest) = rest.split_at_checked(Peak::NUMBERS.saturating_mul(*count as usize))?;
        let (count, rest) = rest.split_first()?;
        let (rows, rest) = rest.split_at_checked(RowPeak::NUMBERS.saturating_mul(*count as usize))?;
        let (count, rest) = rest.split_first()?;
        let (left, rest) = rest.split_at_checked(Leftover::NUMBERS.saturating_mul(*count as usize))?;
        let (count, rest) = rest.split_first()?;
        let (nodes, rest) = rest.split_at_checked(edges::NUMBERS.saturating_mul(*count as usize))?;
        Some(Self {
            accounts: accounts
                .chunks_exact(Account::NUMBERS)
                .map(Account::of_numbers)
                .collect::<Option<_>>()?,
            peaks: peaks.chunks_exact(Peak::NUMBERS).map(Peak::of_numbers).collect::<Option<_>>()?,
            rows: rows.chunks_exact(RowPeak::NUMBERS).map(RowPeak::of_numbers).collect::<Option<_>>()?,
            layers: rest.chunks(layer::NUMBERS).map(Layer::of_numbers).collect::<Option<_>>()?,
            left: left.chunks_exact(Leftover::NUMBERS).map(Leftover::of_numbers).collect::<Option<_>>()?,
            edges: nodes.chunks_exact(edges::NUMBERS).map(EdgeNode::of_numbers).collect::<Option<_>>()?,
            start_contacts: places::StartContacts::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_those_of_another_layout_do_not() {
        let account = Account { normal: 1.0, lift: 2.0, ..Account::default() };
        let memory = Memory {
            accounts: vec![account],
            rows: vec![RowPeak { cause: 5.0, speed: 6.0 }],
            left: vec![Leftover { residual: 3.0, size: 4.0 }],
            ..Memory::default()
        };
        let numbers = memory.numbers();
        assert_eq!(Memory::of_numbers(&numbers), Some(memory));
        for place in 0..LAYOUT.len() {
            let mut other = numbers.clone();
            other[place] -= 1.0;
            assert_eq!(Memory::of_numbers(&other), None);
        }
        assert_eq!(Memory::of_numbers(&numbers[1..]), None);
        assert_eq!(Memory::of_numbers(&[]), None);
    }

    /// A step left 1e-9 of what acted on a body; an impact of others that left it alone divided that by 1e-12.
    #[test]
    fn what_is_left_stands_against_the_larger_size() {
        let step = Leftover { residual: 1e-9, size: 1.0 };
        let beside = Leftover { residual: 0.0, size: 1e-12 };
        assert_eq!(beside.after(step, 1.0).relative(), 1e-9);
        assert_eq!(beside.after(step, 0.5), Leftover { residual: 5e-10, size: 0.5 });
        assert_eq!(beside.after(step, 0.0), beside);
        let adds = Leftover { residual: 1e-9, size: 1.0 }.after(step, 1.0);
        assert_eq!(adds, Leftover { residual: 2e-9, size: 1.0 });
        assert!(Leftover { residual: f64::NAN, size: 1.0 }.after(step, 1.0).relative().is_nan());
    }
}
