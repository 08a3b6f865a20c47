//! Farkas vectors that a proof has found, and how the rows that they need stand to the sides of a node.

use crate::nogoods::{Literal, other};

/// A Farkas vector y (m), and the rows that it needs at zero.
#[derive(Debug)]
struct Reason {
    needed: Vec<Literal>,
    y: Vec<f64>,
    /// How many of these rows the node holds at zero, and how many it decides against.
    held: u32,
    against: u32,
}

/// All of them, and for every literal the numbers of those that need it.
#[derive(Debug)]
pub(crate) struct Reasons {
    all: Vec<Reason>,
    needing: Vec<Vec<u32>>,
}

impl Reasons {
    pub(crate) fn new(literals: usize) -> Self {
        Self { all: Vec::new(), needing: vec![Vec::new(); literals] }
    }

    /// Keeps a vector found at the node with these sides; its number.
    pub(crate) fn push(&mut self, needed: Vec<Literal>, y: Vec<f64>, path: &[Literal]) -> usize {
        let at = self.all.len();
        let count = |is: &dyn Fn(&Literal) -> bool| needed.iter().filter(|a| is(a)).count() as u32;
        let held = count(&|a| path.contains(a));
        let against = count(&|a| path.contains(&other(*a)));
        needed.iter().for_each(|&a| self.needing[a as usize].push(at as u32));
        self.all.push(Reason { needed, y, held, against });
        at
    }

    /// The node decides a side.
    pub(crate) fn decide(&mut self, a: Literal) {
        self.needing[a as usize].iter().for_each(|&k| self.all[k as usize].held += 1);
        self.needing[other(a) as usize].iter().for_each(|&k| self.all[k as usize].against += 1);
    }

    /// The node's side is open again.
    pub(crate) fn undo(&mut self, a: Literal) {
        self.needing[a as usize].iter().for_each(|&k| self.all[k as usize].held -= 1);
        self.needing[other(a) as usize].iter().for_each(|&k| self.all[k as usize].against -= 1);
    }

    /// The first of those with the fewest rows left open, none of them decided against.
    pub(crate) fn nearest(&self) -> Option<usize> {
        let open = |reason: &Reason| reason.needed.len() as u32 - reason.held;
        let left = self.all.iter().enumerate().filter(|(_, reason)| reason.against == 0);
        left.map(|(k, reason)| (open(reason), k)).min().map(|(_, k)| k)
    }

    /// The rows that vector k needs at zero.
    pub(crate) fn needed(&self, k: usize) -> &[Literal] {
        &self.all[k].needed
    }

    /// Vector k, y (m).
    pub(crate) fn vector(&self, k: usize) -> &[f64] {
        &self.all[k].y
    }
}
