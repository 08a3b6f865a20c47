//! Memory of the referee from step to step.

use super::account::Account;
use super::edges::{self, EdgeNode};
use super::layers::{self, Layer};
use super::peak::Peak;
use super::places;

/// Memory of the referee between steps; part of the state of a simulation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Memory {
    pub(super) accounts: Vec<Account>,
    pub(super) layers: Vec<Layer>,
    pub(super) edges: Vec<EdgeNode>,
    pub(super) start_contacts: places::StartContacts,
    pub(super) peaks: Vec<Peak>,
    /// Residual of the momentum balance that substeps have left, nv; what is older than a whole step fades.
    pub(super) left: Vec<f64>,
}

/// Numbers per account, peak, layer and node of an edge: the layout of a memory in a file. Another version of the referee has another.
const LAYOUT: [f64; 4] =
    [Account::NUMBERS as f64, Peak::NUMBERS as f64, layers::NUMBERS as f64, edges::NUMBERS as f64];

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

    /// Everything but where contacts were seen, as numbers for a file: their layout, accounts, peaks, what is left and nodes of edges with their
    /// counts, then layers.
    pub fn numbers(&self) -> Vec<f64> {
        let mut out = LAYOUT.to_vec();
        out.push(self.accounts.len() as f64);
        out.extend(self.accounts.iter().flat_map(Account::numbers));
        out.push(self.peaks.len() as f64);
        out.extend(self.peaks.iter().flat_map(Peak::numbers));
        out.push(self.left.len() as f64);
        out.extend_from_slice(&self.left);
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
        let (left, rest) = rest.split_at_checked(*count as usize)?;
        let (count, rest) = rest.split_first()?;
        let (nodes, rest) = rest.split_at_checked(edges::NUMBERS.saturating_mul(*count as usize))?;
        Some(Self {
            accounts: accounts
                .chunks_exact(Account::NUMBERS)
                .map(Account::of_numbers)
                .collect::<Option<_>>()?,
            peaks: peaks.chunks_exact(Peak::NUMBERS).map(Peak::of_numbers).collect::<Option<_>>()?,
            layers: rest.chunks(layers::NUMBERS).map(Layer::of_numbers).collect::<Option<_>>()?,
            left: left.to_vec(),
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
        let memory = Memory { accounts: vec![account], left: vec![3.0, 4.0], ..Memory::default() };
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
}
