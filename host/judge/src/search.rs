//! Which forces explain a change of velocity: those of contacts within their friction cones, of joints, of support points.
//!
//! The balance A v⁺ = b + W p is taken for what it leaves, w = A v⁺ − b, every row divided by √A_ii and by what
//! there is to explain of its body. Looked for is the p with the
//! least ‖w − W p‖ ([`crate::least`]). Two searches are made, the second where the first does not explain the step:
//!
//! | | normal force | friction |
//! |---|---|---|
//! | lawful | at contacts that close by the law | along −slip with μ p_n where there is a slip, anywhere in the cone where there is none |
//! | any | at all contacts that are detected | anywhere in the cone; what the law does not want costs a little |

use vinci_core::model::MotionModel;
use vinci_core::momentum::{Impulses, Momentum, NOT_FREE};
use vinci_core::stage::StepView;

use crate::least::{Block, Least};
use crate::sight::{Question, Sight};

/// The sight under which rows are not weighted by what there is to explain: rounding falls otherwise.
const PLAIN: usize = 1;
/// Rounds of going back into the cones and of polishing.
const ROUNDS: usize = 4;
/// Least size of what is to be explained of a block, as a part of the largest.
const LEAST: f64 = 1e-4;
/// Cost of what the law does not want, against a residual of 1.
const UNLAWFUL: f64 = 1e-5;
/// Cost of every force, so that those that are not unique stay small.
const FORCE: f64 = 1e-8;

/// Which forces may be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allowed {
    /// Those that the law wants, as one of [`crate::sight::SIGHTS`] sees it.
    Lawful(usize),
    /// All within the cones.
    Any,
    /// None of contacts, theirs are known; of joints and support points those that the law wants.
    Known(usize),
}

/// Impulses of a step, N s.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Found {
    pub(crate) contact: Vec<f64>,
    pub(crate) row: Vec<f64>,
    pub(crate) support: Vec<f64>,
}

/// An unknown's place among the impulses.
#[derive(Debug, Clone, Copy)]
enum Slot {
    Contact(usize),
    Row(usize),
    Support(usize),
}

/// The search. Keeps its memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Search {
    momentum: Momentum,
    residual: Vec<f64>,
    /// Weights of the rows of the free velocities.
    weight: Vec<f64>,
    pub(crate) sight: Sight,
    program: Least,
    /// Where the unknowns belong: their impulses are these parts of them.
    slots: Vec<Vec<(Slot, f64)>>,
}

impl Search {
    /// Finds impulses; those in `known` stay (of contacts under [`Allowed::Known`]).
    ///
    /// Errors: a motion model that the balance has no meaning for, in words.
    pub(crate) fn find(
        &mut self,
        ask: &Question<'_>,
        allowed: Allowed,
        known: &[f64],
    ) -> Result<Found, vinci_core::StageError> {
        let step = ask.step;
        let mut found = Found {
            contact: known.to_vec(),
            row: vec![0.0; step.rows.rate.len()],
            support: vec![0.0; 2 * step.supports.len()],
        };
        // An impact is dynamic whatever moves.
        let dynamic = vec![MotionModel::Dynamic as u8; step.n_blocks()];
        let impact = StepView { h: 0.0, motion: &dynamic, ..*step };
        let view = if ask.impact { &impact } else { step };
        self.momentum.assemble(view, ask.declared.motion)?;
        let sight = if let Allowed::Lawful(sight) | Allowed::Known(sight) = allowed { sight } else { 0 };
        self.sight.measure(&self.momentum, step, ask.v, known);
        self.weigh(view, ask.v, &found, sight == PLAIN);
        self.begin();
        self.sight.with(sight);
        if !matches!(allowed, Allowed::Known(_)) {
            self.add_contacts(ask, allowed);
        }
        self.add_rows(ask, view, allowed, &mut found);
        if !ask.impact {
            self.add_supports(ask, allowed, &mut found);
        }
        let known = Impulses { contact: &found.contact, row: &found.row, support: &found.support };
        self.momentum.residual(view, ask.v, &known, &mut self.residual);
        let free = self.momentum.free.iter().zip(&self.weight);
        self.program.wanted.extend(free.map(|(dof, weight)| self.residual[*dof as usize] * weight));
        self.take(&mut found);
        Ok(found)
    }

    /// Weights of rows: 1/√A_ii, and such that what is to be explained is as large for every block: light ones beside heavy ones have
    /// digits too.
    fn weigh(&mut self, view: &StepView<'_>, v: &[f64], found: &Found, plain: bool) {
        let none =
            Impulses { contact: &vec![0.0; found.contact.len()], row: &found.row, support: &found.support };
        self.momentum.residual(view, v, &none, &mut self.residual);
        let m = &self.momentum;
        let scale = |a: f64| if a > 0.0 { 1.0 / a.sqrt() } else { 1.0 };
        let own = |dof: u32| scale(m.diagonal[dof as usize]);
        let block = |dof: u32| view.block_start.partition_point(|start| *start <= dof) - 1;
        let mut size = vec![0.0_f64; view.n_blocks()];
        for dof in &m.free {
            let part = &mut size[block(*dof)];
            *part = part.hypot(self.residual[*dof as usize] * own(*dof));
        }
        let most = size.iter().fold(0.0_f64, |m, s| m.max(*s));
        let of_block =
            |dof: u32| if most > 0.0 && !plain { most / size[block(dof)].max(LEAST * most) } else { 1.0 };
        self.weight = m.free.iter().map(|dof| own(*dof) * of_block(*dof)).collect();
    }

    /// Takes a step whose contact impulses are known: which velocities are free, what counts as a speed.
    ///
    /// Errors: as of [`Search::find`].
    pub(crate) fn stand(&mut self, ask: &Question<'_>, known: &[f64]) -> Result<(), vinci_core::StageError> {
        self.momentum.assemble(ask.step, ask.declared.motion)?;
        self.sight.measure(&self.momentum, ask.step, ask.v, known);
        self.sight.with(0);
        Ok(())
    }

    /// Entries of W on the free velocities, by their numbers among those.
    pub(crate) fn on_free(&self, entries: impl Iterator<Item = (usize, f64)>) -> Vec<(usize, f64)> {
        let free = entries.filter(|(dof, x)| *x != 0.0 && self.momentum.index[*dof] != NOT_FREE);
        free.map(|(dof, x)| (self.momentum.index[dof] as usize, x)).collect()
    }

    fn begin(&mut self) {
        let program = &mut self.program;
        program.wanted.clear();
        program.column.clear();
        program.cost.clear();
        program.block.clear();
        self.slots.clear();
    }

    /// A column of the program: an impulse along `entries` of W.
    fn column(&self, entries: impl Iterator<Item = (usize, f64)>) -> Vec<(usize, f64)> {
        let index = |dof: usize| self.momentum.index[dof];
        let free = entries.filter(|(dof, x)| *x != 0.0 && index(*dof) != NOT_FREE);
        free.map(|(dof, x)| (index(dof) as usize, x * self.weight[index(dof) as usize])).collect()
    }

    fn push(&mut self, column: Vec<(usize, f64)>, cost: f64, slots: Vec<(Slot, f64)>) {
        self.program.column.push(column);
        self.program.cost.push(cost);
        self.slots.push(slots);
    }

    fn add_contacts(&mut self, ask: &Question<'_>, allowed: Allowed) {
        let contacts = &ask.step.contacts;
        for i in 0..contacts.len() {
            let seen = self.sight.look(ask, i);
            let lawful = seen.presses;
            if (allowed != Allowed::Any && !lawful) || seen.beyond == f64::INFINITY && ask.impact {
                continue;
            }
            let cost = if lawful { FORCE } else { FORCE + UNLAWFUL * seen.beyond.min(1.0) };
            // In space a declared polygon leaves friction beside the slip.
            let short = if contacts.n_t == 1 { 0.0 } else { ask.declared.shortfall(seen.slip) };
            match seen.against.filter(|_| allowed != Allowed::Any && contacts.pair.friction[i] > 0.0) {
                Some(against) if short == 0.0 => self.add_ray(ask, i, against, cost),
                Some(against) => {
                    self.add_cone(ask, i, seen.against, cost);
                    let mu = contacts.pair.friction[i];
                    let wedge = Block::Wedge(contacts.stride(), mu, against, 1.0 - short);
                    self.program.block.pop();
                    self.program.block.push(wedge);
                }
                None => self.add_cone(ask, i, seen.against, cost),
            }
        }
    }

    /// Friction of full strength against the slip: one unknown.
    fn add_ray(&mut self, ask: &Question<'_>, i: usize, against: [f64; 2], cost: f64) {
        let contacts = &ask.step.contacts;
        let (row, mu) = (contacts.row(i), contacts.pair.friction[i]);
        let parts = [1.0, mu * against[0], mu * against[1]];
        let slots: Vec<_> = (0..contacts.stride()).map(|k| (Slot::Contact(row + k), parts[k])).collect();
        let columns = contacts.jacobian.row(row).0;
        let along = |at: usize| -> f64 {
            (0..contacts.stride()).map(|k| parts[k] * contacts.jacobian.row(row + k).1[at]).sum()
        };
        let entries = columns.iter().enumerate().map(|(at, dof)| (*dof as usize, along(at)));
        let column = self.column(entries);
        self.push(column, cost, slots);
        self.program.block.push(Block::Cone(1, 0.0));
    }

    /// Friction anywhere in the cone; what it falls short of against a slip costs.
    fn add_cone(&mut self, ask: &Question<'_>, i: usize, against: Option<[f64; 2]>, cost: f64) {
        let contacts = &ask.step.contacts;
        let (row, mu) = (contacts.row(i), contacts.pair.friction[i]);
        let n = if mu > 0.0 { contacts.stride() } else { 1 };
        for k in 0..n {
            let short = match (k, against) {
                (0, Some(_)) => UNLAWFUL * mu,
                (k, Some(against)) => -UNLAWFUL * against[k - 1],
                (_, None) => 0.0,
            };
            let column = self.column(contacts.jacobian.entries(row + k));
            let of_normal = if k == 0 { cost } else { 0.0 };
            self.push(column, of_normal + short, vec![(Slot::Contact(row + k), 1.0)]);
        }
        self.program.block.push(Block::Cone(n, mu));
    }

    /// Joints and limits; dry friction of what moves is known.
    fn add_rows(&mut self, ask: &Question<'_>, view: &StepView<'_>, allowed: Allowed, found: &mut Found) {
        let (rows, wrenches) = (&ask.step.rows, view.row_wrenches());
        for k in 0..rows.rate.len() {
            let (nu, moves) = self.sight.row_rate(ask, view, k);
            if ask.impact && !ask.declared.acts_in_impact(ask.step, k, ask.step.h) {
                continue;
            }
            let bounds = (rows.lower[k], rows.upper[k]);
            let both = bounds.0.is_finite() && bounds.1.is_finite();
            let is_off = moves && (bounds.0.is_finite() || bounds.1.is_finite());
            if is_off && both && allowed != Allowed::Any {
                found.row[k] = if nu > 0.0 { bounds.0 } else { bounds.1 };
                continue;
            }
            let leaves = (nu > 0.0 && bounds.0.is_finite()) || (nu < 0.0 && bounds.1.is_finite());
            if is_off && !both && leaves && allowed != Allowed::Any {
                found.row[k] = if nu > 0.0 { bounds.0 } else { bounds.1 };
                continue;
            }
            let column = self.column(wrenches.entries(k));
            self.push(column, 0.0, vec![(Slot::Row(k), 1.0)]);
            let unbounded = !bounds.0.is_finite() && !bounds.1.is_finite();
            self.program.block.push(if unbounded { Block::Free } else { Block::Range(bounds.0, bounds.1) });
        }
    }

    /// Support points: against their slip, or anywhere in the disc.
    fn add_supports(&mut self, ask: &Question<'_>, allowed: Allowed, found: &mut Found) {
        let supports = &ask.step.supports;
        for k in 0..supports.len() {
            let radius = ask.step.h * supports.bound[k];
            let (nu, against) = self.sight.support_slip(ask, k);
            let short = ask.declared.shortfall(nu);
            let lawful = against.filter(|_| allowed != Allowed::Any);
            match lawful.filter(|_| short == 0.0) {
                Some(against) => (0..2).for_each(|d| found.support[2 * k + d] = radius * against[d]),
                None => {
                    for d in 0..2 {
                        let column = self.column(supports.jacobian.entries(2 * k + d));
                        let cost = against.map_or(0.0, |a| -UNLAWFUL * a[d]);
                        self.push(column, cost, vec![(Slot::Support(2 * k + d), 1.0)]);
                    }
                    let floor = lawful.map(|against| (against, 1.0 - short));
                    self.program.block.push(Block::Ball(2, radius, floor));
                }
            }
        }
    }

    /// Solves the program and adds its impulses.
    fn take(&self, found: &mut Found) {
        let mut y = self.program.solve();
        for round in 0..ROUNDS {
            if round > 0 {
                self.program.polish(&mut y);
            }
            let mut first = 0;
            for block in &self.program.block {
                inside(*block, &mut y[first..first + block.len()]);
                first += block.len();
            }
        }
        for (value, slots) in y.iter().zip(&self.slots) {
            for (slot, part) in slots {
                let to = match *slot {
                    Slot::Contact(at) => &mut found.contact[at],
                    Slot::Row(at) => &mut found.row[at],
                    Slot::Support(at) => &mut found.support[at],
                };
                *to += part * value;
            }
        }
    }
}

/// Into the block, to the last digit: what an interior-point method leaves outside.
fn inside(block: Block, y: &mut [f64]) {
    match block {
        Block::Free => {}
        Block::Range(low, high) => y[0] = y[0].clamp(low, high),
        Block::Cone(_, mu) | Block::Wedge(_, mu, ..) => {
            y[0] = y[0].max(0.0);
            let most = mu * y[0];
            shorten(&mut y[1..], most);
        }
        Block::Ball(_, radius, _) => shorten(y, radius),
    }
}

fn shorten(y: &mut [f64], most: f64) {
    let length = y.iter().map(|y| y * y).sum::<f64>().sqrt();
    if length > most {
        y.iter_mut().for_each(|y| *y *= most / length);
    }
}
