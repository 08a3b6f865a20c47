//! Contacts as they were detected: overlap against the bodies' thickness, gaps that no motion explains, and pressed contacts that
//! are gone although the bodies cannot have gone that far.

use super::declaration::{ContactLaw, Declaration};
use super::findings::{Criterion, Findings};
use super::judged_contact::JudgedContact;
use super::mode::Mode;
use super::report::Report;
use super::widths;
use crate::contact::{ContactKey, Contacts};
use crate::geometry::STEEPEST;
use crate::model::{ShapeKind, Space, System};

/// Part of a body's thickness up to which contacts may count as closed.
const CLOSED: f64 = 5e-2;
/// Part of what acts on a body that a barrier may still press with beyond that.
const FADED: f64 = 1e-3;
/// Part of coordinates that rates over a step must exceed to count.
const PLACES: f64 = 1e-9;
/// Relative rounding of a bound on motion, and of gaps as a part of the bodies' size.
const ROUNDING: f64 = 1e-6;

/// In the place of the gap of a contact that did not press.
pub(super) const OPEN: f64 = f64::MAX;

/// Sine under which detectors count edges as parallel: alternatives beside a contact are measured along the normals of edges
/// that cross under more.
const PARALLEL: f64 = 0.02;

/// Sizes of bodies and shapes. Fixed for a system.
#[derive(Debug, Clone, Default)]
pub struct Sizes {
    /// Smallest width of every body, m, of its only shape or of all of them together; ∞ for half-planes and half-spaces.
    pub width: Vec<f64>,
    /// Largest distance of a point of a body from its centre, m; 1 for bodies without a shape.
    pub reach: Vec<f64>,
    /// Largest distance of a point of every block from its centre, m; for trees that of the largest body.
    pub length: Vec<f64>,
    /// Smallest width of every shape, m.
    extent: Vec<f64>,
    /// Marks of shapes that are balls or discs, and of convex ones, that have one contact with each other.
    single: Vec<[bool; 2]>,
    planar: bool,
}

impl Sizes {
    /// Places of a system, nothing seen yet.
    pub fn of(system: &System) -> Self {
        let mut reach = vec![0.0_f64; system.bodies.len()];
        for shape in &system.shapes {
            let body = shape.body as usize;
            reach[body] = reach[body].max(shape.reach());
        }
        let finite = |r: f64| if r > 0.0 && r.is_finite() { r } else { 1.0 };
        let mut length = vec![0.0_f64; system.n_blocks()];
        for (body, r) in reach.iter().enumerate() {
            if let Some(block) = system.block_of(body as u32) {
                length[block] = length[block].max(*r);
            }
        }
        length.iter_mut().for_each(|l| *l = finite(*l));
        let extent: Vec<f64> = system.shapes.iter().map(widths::of_shape).collect();
        let width = widths::of_bodies(system, &extent);
        let single =
            system.shapes.iter().map(|shape| [is_round(shape.kind), is_convex(shape.kind)]).collect();
        Self { width, reach, length, extent, single, planar: system.space == Space::Planar }
    }

    /// Error of a gap that rounding of places may explain, m: 1e-9 of the coordinates of its points and of the
    /// thinner body.
    pub(super) fn rounding(&self, contacts: &Contacts<'_>, i: usize) -> f64 {
        let mut far = 0.0;
        for list in [contacts.point_a, contacts.point_b] {
            for x in &list[3 * i..3 * i + 3] {
                far = if x.abs() > far { x.abs() } else { far };
            }
        }
        let thin = self.thinner(contacts, i);
        PLACES * (far + if thin.is_finite() { thin } else { 0.0 })
    }

    /// How far beyond what counts as closed a barrier presses with more than nothing of what acts.
    pub(super) fn reached(&self, contacts: &Contacts<'_>, i: usize, contact: &JudgedContact) -> f64 {
        let far = contacts.gap[i] / self.thinner(contacts, i) - CLOSED;
        far.min(contact.p[0] * contact.rate[0].weight - FADED)
    }

    /// Distance from the bodies' centres within which their contact with a gap lies, m.
    fn span(&self, [a, b]: [usize; 2], gap: f64) -> f64 {
        let span = self.reach[a] + self.reach[b];
        let span = if span.is_finite() { span } else { 2.0 * self.reach[a].min(self.reach[b]) };
        span + gap.abs()
    }

    /// Width of the thinner shape of a contact, m.
    fn thinner_shape(&self, key: &ContactKey) -> f64 {
        let of = |shape: u32| self.extent.get(shape as usize).copied().unwrap_or(f64::INFINITY);
        of(key.shape_a).min(of(key.shape_b))
    }

    /// Returns true if two shapes have one contact at most: a disc or a ball, and what is convex for certain.
    fn is_single(&self, key: &ContactKey) -> bool {
        let of = |shape: u32| self.single.get(shape as usize).copied().unwrap_or_default();
        let ([round, convex], [round_b, convex_b]) = (of(key.shape_a), of(key.shape_b));
        (round && convex_b) || (convex && round_b)
    }

    /// Width of the thinner body of a contact, m.
    pub(super) fn thinner(&self, contacts: &Contacts<'_>, i: usize) -> f64 {
        let of = |body: u32| self.width.get(body as usize).copied().unwrap_or(f64::INFINITY);
        of(contacts.body_a[i]).min(of(contacts.body_b[i]))
    }
}

/// Contacts at the start of a step, sorted by identity, and where the bodies were.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct StartContacts {
    key: Vec<ContactKey>,
    gap: Vec<f64>,
    /// Where the linearisation over the step that followed puts the gaps of those that pressed, m; [`OPEN`] for the others.
    linear: Vec<f64>,
    /// Bodies of the contacts that pressed in the step, their shapes and the gap before it, m.
    pressed: Vec<Pressed>,
    pose: Vec<f64>,
}

/// A contact that pressed.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pressed {
    shapes: [u32; 2],
    bodies: [u32; 2],
    gap: f64,
}

/// Numbers of one of them in a file.
const PRESSED: usize = 5;

impl Pressed {
    fn numbers(&self) -> [f64; PRESSED] {
        let Self { shapes, bodies, gap } = *self;
        [shapes[0].into(), shapes[1].into(), bodies[0].into(), bodies[1].into(), gap]
    }

    fn of_numbers(n: &[f64]) -> Self {
        let of = |k: usize| n[k] as u32;
        Self { shapes: [of(0), of(1)], bodies: [of(2), of(3)], gap: n[4] }
    }
}

impl StartContacts {
    /// Takes a detection over, and what each contact did in the step that followed.
    pub(super) fn take(&mut self, contacts: &Contacts<'_>, (mode, linear): (&[Mode], &[f64]), poses: &[f64]) {
        self.key.clear();
        self.key.extend_from_slice(contacts.key);
        self.gap.clear();
        self.gap.extend_from_slice(contacts.gap);
        self.linear.clear();
        self.linear.extend_from_slice(linear);
        self.linear.resize(contacts.len(), OPEN);
        self.pressed.clear();
        let pressed = (0..contacts.len()).filter(|&i| mode.get(i).is_some_and(|mode| *mode != Mode::Open));
        self.pressed.extend(pressed.map(|i| Pressed {
            shapes: [contacts.key[i].shape_a, contacts.key[i].shape_b],
            bodies: [contacts.body_a[i], contacts.body_b[i]],
            gap: contacts.gap[i],
        }));
        self.pose.clear();
        self.pose.extend_from_slice(poses);
    }

    /// The places as numbers for a file: how many contacts, their identities, their gaps, those by linearisation, how many pressed,
    /// these, then poses.
    pub(super) fn numbers(&self) -> Vec<f64> {
        let mut out = vec![self.key.len() as f64];
        out.extend(self.key.iter().flat_map(ContactKey::numbers));
        out.extend_from_slice(&self.gap);
        out.extend_from_slice(&self.linear);
        out.push(self.pressed.len() as f64);
        out.extend(self.pressed.iter().flat_map(Pressed::numbers));
        out.extend_from_slice(&self.pose);
        out
    }

    /// The reverse of [`StartContacts::numbers`]; nothing where the numbers are none of these.
    pub(super) fn of_numbers(numbers: &[f64]) -> Option<Self> {
        let (count, rest) = numbers.split_first()?;
        let (keys, rest) = rest.split_at_checked(4_usize.saturating_mul(*count as usize))?;
        let (gap, rest) = rest.split_at_checked(*count as usize)?;
        let (linear, rest) = rest.split_at_checked(*count as usize)?;
        let (count, rest) = rest.split_first()?;
        let (pressed, pose) = rest.split_at_checked(PRESSED.saturating_mul(*count as usize))?;
        let key = keys.chunks_exact(4).map(|k| ContactKey::of_numbers([k[0], k[1], k[2], k[3]])).collect();
        let pressed = pressed.chunks_exact(PRESSED).map(Pressed::of_numbers).collect();
        Some(Self { key, gap: gap.to_vec(), linear: linear.to_vec(), pressed, pose: pose.to_vec() })
    }
}

/// Judges a detection at `poses` within the margins of the bodies. `before`: the last one.
pub(super) fn judge(
    declared: &Declaration,
    sizes: &Sizes,
    contacts: &Contacts<'_>,
    (poses, margin): (&[f64], &[f64]),
    before: &StartContacts,
    report: &mut Report,
) {
    let found = &mut report.findings;
    let nobody = (usize::MAX, [0.0; 2]);
    let mut moved = Moved { planar: sizes.planar, now: poses, before: &before.pose, last: [nobody; 2] };
    judge_vanished(sizes, contacts, margin, before, &mut moved, found);
    // Both lists ascend.
    let mut at = 0;
    for i in 0..contacts.len() {
        let key = &contacts.key[i];
        while before.key.get(at).is_some_and(|known| known < key) {
            at += 1;
        }
        let thin = sizes.thinner(contacts, i);
        let soft = declared.law.is_compliant() && contacts.pair.stiffness[i].is_finite();
        let (criterion, thin_there) = match soft {
            true => (Criterion::Deformation, thin),
            // A wall of a pot is no thicker for the pot around it.
            false => (Criterion::Overlap, sizes.thinner_shape(key)),
        };
        found.take(criterion, -contacts.open_gap(i) / thin_there, i);
        let each_stiff = matches!(declared.law, ContactLaw::Regularized { .. });
        if each_stiff && contacts.gap[i] <= 0.0 && is_repeated(sizes, contacts, i, thin_there) {
            let at = key.shape_a as usize * sizes.extent.len() + key.shape_b as usize;
            found.take(Criterion::Repeated, 1.0, at);
        }
        if let ContactLaw::Velocity { tolerance } = declared.law {
            let over = tolerance / thin - CLOSED;
            found.take(Criterion::Tolerance, if contacts.gap[i] <= tolerance { over } else { 0.0 }, i);
        }
        if declared.resting_gap > 0.0 && contacts.gap[i] <= declared.resting_gap {
            found.take(Criterion::Tolerance, declared.resting_gap / thin - CLOSED, i);
        }
        if before.key.get(at) == Some(key) {
            let apart = contacts.gap[i].min(contacts.gap[i] - before.linear[at]);
            report.linearized.take(apart, i);
            report.linearized_part.take(apart / thin_there, i);
            let change = (contacts.gap[i] - before.gap[at]).abs();
            let (a, b) = (contacts.body_a[i] as usize, contacts.body_b[i] as usize);
            let span = sizes.span([a, b], before.gap[at]);
            let slope = if contacts.cell(i) > 0.0 { STEEPEST } else { 1.0 };
            let path_length = slope * (moved.path_length(0, a, span) + moved.path_length(1, b, span));
            // The normal of two edges that cross under a small angle turns by more than the bodies do.
            let is_grouped = contacts.group.get(i).is_some_and(|g| *g != 0);
            let turned = if is_grouped { moved.turned() * span / PARALLEL } else { 0.0 };
            let over = change - path_length * (1.0 + ROUNDING) - turned - ROUNDING * thin.min(span);
            if !(over <= 0.0) {
                found.take(Criterion::GapJump, over / thin.min(span), i);
            }
        }
    }
}

/// Returns true if the contact stands where one of the same shapes before it does, with the same normal, or beside one of shapes that
/// touch in one place at most; nodes of a patch have a cell each.
fn is_repeated(sizes: &Sizes, contacts: &Contacts<'_>, i: usize, thin: f64) -> bool {
    let (key, grouped) = (&contacts.key[i], |k: usize| contacts.group.get(k).is_some_and(|g| *g != 0));
    let shapes = |k: usize| {
        let other = &contacts.key[k];
        (other.shape_a, other.shape_b) == (key.shape_a, key.shape_b)
    };
    let close =
        |list: &[f64], k: usize, most: f64| (0..3).all(|c| (list[3 * k + c] - list[3 * i + c]).abs() <= most);
    let one = |k: usize| {
        contacts.cell(i) == 0.0 && sizes.is_single(key)
            || close(contacts.normal, k, ROUNDING)
                && close(contacts.point_a, k, ROUNDING * thin)
                && close(contacts.point_b, k, ROUNDING * thin)
    };
    let mut k = i;
    while k > 0 && shapes(k - 1) {
        k -= 1;
        if !grouped(k) && one(k) {
            return !grouped(i);
        }
    }
    false
}

/// Bodies that pressed each other and are still within their margins have a contact.
fn judge_vanished(
    sizes: &Sizes,
    contacts: &Contacts<'_>,
    margin: &[f64],
    before: &StartContacts,
    moved: &mut Moved<'_>,
    found: &mut Findings,
) {
    let shapes = |key: &ContactKey| (key.shape_a, key.shape_b);
    // Both lists ascend.
    let mut at = 0;
    for gone in &before.pressed {
        let wanted = (gone.shapes[0], gone.shapes[1]);
        while contacts.key.get(at).is_some_and(|key| shapes(key) < wanted) {
            at += 1;
        }
        let same = contacts.key.get(at).is_some_and(|key| shapes(key) == wanted);
        let between = |i: usize| [contacts.body_a[i], contacts.body_b[i]] == gone.bodies;
        if same || (0..contacts.len()).any(between) {
            continue;
        }
        let bodies = gone.bodies.map(|body| body as usize);
        let reach: f64 = bodies.iter().map(|&body| margin.get(body).copied().unwrap_or(0.0)).sum();
        let span = sizes.span(bodies, gone.gap);
        let path_length = moved.path_length(0, bodies[0], span) + moved.path_length(1, bodies[1], span);
        let thin = bodies.iter().map(|&body| sizes.width[body]).fold(span, f64::min);
        let short = reach - gone.gap - path_length * (1.0 + ROUNDING) - ROUNDING * thin;
        let at = gone.shapes[0] as usize * sizes.extent.len() + gone.shapes[1] as usize;
        found.take(Criterion::Vanished, short / thin, at);
    }
}

/// Discs and balls: they touch what is convex in one place.
fn is_round(kind: ShapeKind) -> bool {
    matches!(kind, ShapeKind::Disc | ShapeKind::Ball)
}

/// Shapes that are convex whatever their numbers are; polygons and meshes may have notches.
fn is_convex(kind: ShapeKind) -> bool {
    !matches!(kind, ShapeKind::Polygon | ShapeKind::TriMesh)
}

/// How far a body has moved since the detection before: its centre, m, and a point per metre from it. The last two bodies are
/// kept, because contacts come sorted by their shapes.
struct Moved<'a> {
    planar: bool,
    now: &'a [f64],
    before: &'a [f64],
    last: [(usize, [f64; 2]); 2],
}

impl Moved<'_> {
    /// How far a point at most `span` from the centre has moved, at most, m. `side`: 0 for body a of a contact, 1 for b.
    fn path_length(&mut self, side: usize, body: usize, span: f64) -> f64 {
        if self.now.len() != self.before.len() {
            return f64::INFINITY;
        }
        if self.last[side].0 != body {
            self.last[side] = (body, self.motion(body));
        }
        let [shift, turn] = self.last[side].1;
        shift + turn * span
    }

    /// Angles by which both bodies of the last [`Moved::path_length`] have turned, rad.
    fn turned(&self) -> f64 {
        self.last[0].1[1] + self.last[1].1[1]
    }

    fn motion(&self, body: usize) -> [f64; 2] {
        let (now, before) = (self.now, self.before);
        if self.planar {
            let (a, b) = (&now[3 * body..3 * body + 3], &before[3 * body..3 * body + 3]);
            return [(a[0] - b[0]).hypot(a[1] - b[1]), (a[2] - b[2]).abs()];
        }
        let (a, b) = (&now[7 * body..7 * body + 7], &before[7 * body..7 * body + 7]);
        let shift = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
        let half = |sign: f64| (3..7).map(|k| (a[k] - sign * b[k]).powi(2)).sum::<f64>().sqrt();
        // |Q − Q'| = 2 sin(φ/4): the chord of a turn φ is at most 2 |Q − Q'| times the radius.
        [shift, 2.0 * half(1.0).min(half(-1.0)) * (1.0 + 1e-3)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_is_read_back_as_it_was_written() {
        let key = |shape_a: u32| ContactKey { shape_a, shape_b: 7, feature_a: u32::MAX, feature_b: 0 };
        let pressed = vec![Pressed { shapes: [2, 7], bodies: [0, 1], gap: -0.2 }];
        let seen = StartContacts {
            key: vec![key(1), key(2)],
            gap: vec![0.1, -0.2],
            linear: vec![OPEN, 0.0],
            pressed,
            pose: vec![1.0, 2.0, 3.0],
        };
        let numbers = seen.numbers();
        assert_eq!(StartContacts::of_numbers(&numbers), Some(seen));
        assert_eq!(StartContacts::of_numbers(&numbers[..10]), None);
        assert_eq!(StartContacts::of_numbers(&[]), None);
    }
}
