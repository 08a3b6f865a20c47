//! How far the motion of a step fixes its contact forces: per contact the least and the greatest force that the same motion allows.
//!
//! The motion is the same where the impulses on all free velocities are: W p = W p₀, p₀ the impulses that were found. Contacts that
//! are closed have impulses in their friction cones, those that slip and are found at full strength against the slip stay so; joints
//! have any, limits, dry friction and support points what their bounds allow. [`freedom`] finds the impulses that do nothing,
//! [`range`] how far each contact can go along them.

mod freedom;
mod over_run;
mod range;
mod table;
mod told;

use nalgebra::DMatrix;
use vinci_core::momentum::Impulses;
use vinci_core::stage::StepView;
use vinci_engine::pipeline::Simulation;

use crate::least::Block;
use crate::search::Search;
use crate::sight::{Question, Seen};
use freedom::{groups, null_space};
use range::Range;

pub(crate) use over_run::Due;
pub use over_run::over_run;
pub use table::WIDTH_COLUMNS;
pub(crate) use table::csv;
pub use told::Widths;

/// Most impulses that hang together; of more no forces are looked for.
const MOST: usize = 300;
/// Part of the bound within which friction is of full strength against the slip.
const FULL: f64 = 1e-6;

/// A force with the least and the greatest that the same motion allows, N; ±∞ where nothing bounds it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The force over the step.
    pub found: f64,
    /// The least.
    pub least: f64,
    /// The greatest.
    pub greatest: f64,
}

impl Spread {
    /// The width, N.
    pub fn width(&self) -> f64 {
        self.greatest - self.least
    }
}

/// Forces of a contact.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactWidth {
    /// Names of its bodies.
    pub bodies: [String; 2],
    /// Its middle, world, m.
    pub point: [f64; 3],
    /// Normal force.
    pub normal: Spread,
    /// Friction along the tangent, in the plane.
    pub tangent: Option<Spread>,
}

/// Contacts at one time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Look {
    /// End of the step, s.
    pub time: f64,
    /// Contacts that are closed and act on something that can move.
    pub contacts: Vec<ContactWidth>,
    /// Contacts of which no range was found: too many hang together, or no answer stood up to its check.
    pub left_out: usize,
    /// Those of them that hang together with too many others.
    pub too_large: usize,
}

/// An impulse that may be another: its column, and how it stands to a contact.
struct Unknowns {
    column: Vec<Vec<(usize, f64)>>,
    found: Vec<f64>,
    block: Vec<Block>,
    /// Contact and first unknown of each, whether its friction is bound to its normal, and by how much.
    contact: Vec<(usize, usize, Option<f64>)>,
}

/// Looks at the contacts of the last accepted step of a simulation.
///
/// # Errors
/// A motion model that the balance has no meaning for, in words.
pub fn look(simulation: &Simulation) -> Result<Look, String> {
    let (step, p) = simulation.last_step();
    let mut out = Look { time: simulation.time(), ..Look::default() };
    if !(step.h > 0.0) || step.contacts.is_empty() {
        return Ok(out);
    }
    let ask = Question { step: &step, v: simulation.v(), declared: simulation.declared(), impact: false };
    let mut search = Search::default();
    search.stand(&ask, p.contact).map_err(|error| error.message)?;
    let unknowns = Unknowns::of(&search, &ask, &p);
    let name = |body: u32| simulation.system.bodies[body as usize].name.clone();
    for group in groups(&unknowns.column) {
        let part = unknowns.part(&group);
        if part.contact.is_empty() {
            continue;
        }
        if part.column.len() > MOST {
            out.left_out += part.contact.len();
            out.too_large += part.contact.len();
            continue;
        }
        let free = null_space(&part.column);
        for of in &part.contact {
            match part.width(of, &free, &step) {
                Some((normal, tangent)) => out.contacts.push(ContactWidth {
                    bodies: [name(step.contacts.body_a[of.0]), name(step.contacts.body_b[of.0])],
                    point: step.contacts.middle(of.0),
                    normal,
                    tangent,
                }),
                None => out.left_out += 1,
            }
        }
    }
    Ok(out)
}

impl Unknowns {
    fn of(search: &Search, ask: &Question<'_>, p: &Impulses<'_>) -> Self {
        let mut all = Self { column: Vec::new(), found: Vec::new(), block: Vec::new(), contact: Vec::new() };
        (0..ask.step.contacts.len()).for_each(|i| all.add_contact((search, ask), i, p.contact));
        (0..ask.step.rows.rate.len()).for_each(|k| all.add_row((search, ask), k, p.row));
        (0..ask.step.supports.len()).for_each(|k| all.add_support((search, ask), k, p.support));
        all
    }

    fn add_contact(&mut self, (search, ask): (&Search, &Question<'_>), i: usize, p: &[f64]) {
        let contacts = &ask.step.contacts;
        let (row, stride) = (contacts.row(i), contacts.stride());
        let (own, mu) = (&p[row..row + stride], contacts.pair.friction[i]);
        let Seen { presses, against, .. } = search.sight.look(ask, i);
        let normal = search.on_free(contacts.jacobian.entries(row));
        let acts = (0..stride).any(|k| !search.on_free(contacts.jacobian.entries(row + k)).is_empty());
        if !acts || !(presses || own[0] > 0.0) {
            return;
        }
        let first = self.column.len();
        let full = |against: &[f64; 2]| {
            let misses = |k: usize| (own[k] - mu * own[0] * against[k - 1]).abs();
            (1..stride).all(|k| misses(k) <= FULL * mu * own[0])
        };
        match against.filter(full).filter(|_| mu > 0.0) {
            Some(against) => {
                let mut column = normal;
                for k in 1..stride {
                    let side = search.on_free(contacts.jacobian.entries(row + k));
                    column.extend(side.into_iter().map(|(at, x)| (at, mu * against[k - 1] * x)));
                }
                self.push(column, own[0]);
                self.block.push(Block::Cone(1, 0.0));
                self.contact.push((i, first, Some(mu * against[0])));
            }
            None => {
                let n = if mu > 0.0 { stride } else { 1 };
                for k in 0..n {
                    self.push(search.on_free(contacts.jacobian.entries(row + k)), own[k]);
                }
                self.block.push(Block::Cone(n, mu));
                self.contact.push((i, first, (n == 1).then_some(0.0)));
            }
        }
    }

    fn add_row(&mut self, (search, ask): (&Search, &Question<'_>), k: usize, p: &[f64]) {
        let (low, high) = (ask.step.rows.lower[k], ask.step.rows.upper[k]);
        let is_bounded = low.is_finite() || high.is_finite();
        // What moves has the impulse that its law gives.
        if is_bounded && search.sight.row_rate(ask, ask.step, k).1 {
            return;
        }
        let column = search.on_free(ask.step.row_wrenches().entries(k));
        self.push(column, p.get(k).copied().unwrap_or(0.0));
        self.block.push(if is_bounded { Block::Range(low, high) } else { Block::Free });
    }

    fn add_support(&mut self, (search, ask): (&Search, &Question<'_>), k: usize, p: &[f64]) {
        if search.sight.support_slip(ask, k).1.is_some() {
            return;
        }
        for d in 0..2 {
            let column = search.on_free(ask.step.supports.jacobian.entries(2 * k + d));
            self.push(column, p.get(2 * k + d).copied().unwrap_or(0.0));
        }
        self.block.push(Block::Ball(2, ask.step.h * ask.step.supports.bound[k], None));
    }

    fn push(&mut self, column: Vec<(usize, f64)>, found: f64) {
        self.column.push(column);
        self.found.push(found);
    }

    /// The blocks that have a column in a group, as a problem of their own.
    fn part(&self, group: &[usize]) -> Self {
        let mut part = Self { column: Vec::new(), found: Vec::new(), block: Vec::new(), contact: Vec::new() };
        let mut first = 0;
        for block in &self.block {
            let own = first..first + block.len();
            if own.clone().any(|k| group.binary_search(&k).is_ok()) {
                let contact = self.contact.iter().find(|of| of.1 == first);
                part.contact.extend(contact.map(|of| (of.0, part.column.len(), of.2)));
                part.column.extend_from_slice(&self.column[own.clone()]);
                part.found.extend_from_slice(&self.found[own]);
                part.block.push(*block);
            }
            first += block.len();
        }
        part
    }

    /// Normal force of a contact and, in the plane, its friction.
    fn width(
        &self,
        (_, first, bound): &(usize, usize, Option<f64>),
        free: &DMatrix<f64>,
        step: &StepView<'_>,
    ) -> Option<(Spread, Option<Spread>)> {
        let range = Range { found: &self.found, free, block: &self.block };
        let of = |at: usize| {
            let [least, greatest] = range.of(at)?.map(|p| p / step.h);
            Some(Spread { found: self.found[at] / step.h, least, greatest })
        };
        let found = of(*first)?;
        // Contacts do not pull: what an interior-point method leaves below 0 is rounding.
        let normal = Spread { least: found.least.max(0.0_f64.min(found.found)), ..found };
        let tangent = match (step.contacts.n_t, bound) {
            (1, None) => Some(of(first + 1)?),
            (1, Some(part)) => Some(along(&normal, *part)),
            _ => None,
        };
        Some((normal, tangent))
    }
}

/// Friction that is a part of the normal force.
fn along(normal: &Spread, part: f64) -> Spread {
    let of = |force: f64| if part == 0.0 { 0.0 } else { part * force };
    let ends = [of(normal.least), of(normal.greatest)];
    Spread { found: of(normal.found), least: ends[0].min(ends[1]), greatest: ends[0].max(ends[1]) }
}
