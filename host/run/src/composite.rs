//! Several detectors in one scene: each pair of shapes goes to the first that knows both kinds.
//!
//! A detector is given the shapes it knows, in their order, so that its indices are translated on the way back; pairs of
//! bodies that it need not look at are ignored pairs for it, and what it reports of pairs that are another's is dropped.

use vinci_core::StageError;
use vinci_core::contact::{ContactKey, DetectedContacts, RawContacts};
use vinci_core::error::ErrorKind;
use vinci_core::model::{ShapeView, System, SystemView};
use vinci_core::stage::{DetectQuery, Detector};

/// Which detector looks at which pairs of shapes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shares {
    /// Per detector: whether it knows each shape.
    knows: Vec<Vec<bool>>,
    /// Per detector: whether each shape is one of those whose pairs among themselves it leaves to others.
    leaves: Vec<Vec<bool>>,
}

fn marked(list: Option<&Vec<bool>>, i: usize) -> bool {
    list.and_then(|list| list.get(i)).copied().unwrap_or(false)
}

impl Shares {
    pub(super) fn new(knows: Vec<Vec<bool>>) -> Self {
        Self { knows, leaves: Vec::new() }
    }

    /// These shares, where detectors leave pairs of some shapes among themselves to others.
    pub(super) fn leaving(self, leaves: Vec<Vec<bool>>) -> Self {
        Self { leaves, ..self }
    }

    fn takes(&self, k: usize, a: usize, b: usize) -> bool {
        let (knows, leaves) = (self.knows.get(k), self.leaves.get(k));
        marked(knows, a) && marked(knows, b) && !(marked(leaves, a) && marked(leaves, b))
    }

    /// The detector of a pair of shapes, if there is one.
    pub(super) fn owner(&self, a: usize, b: usize) -> Option<usize> {
        (0..self.knows.len()).find(|k| self.takes(*k, a, b))
    }

    /// The first pair of shapes of bodies that may touch and that no detector takes.
    pub(super) fn orphans(&self, system: &System, view: &SystemView<'_>) -> Option<(usize, usize)> {
        // A detector that knows all shapes takes all pairs.
        let all = |k: &usize| self.knows[*k].iter().all(|known| *known);
        let none_left = |k: usize| !self.leaves.get(k).is_some_and(|list| list.contains(&true));
        if (0..self.knows.len()).any(|k| all(&k) && none_left(k)) {
            return None;
        }
        let body = |i: usize| system.shapes[i].body;
        let n = system.shapes.len();
        (0..n)
            .flat_map(|a| (a + 1..n).map(move |b| (a, b)))
            .find(|(a, b)| view.may_collide(body(*a), body(*b)) && self.owner(*a, *b).is_none())
    }

    /// Indices of the shapes that detector `k` is given.
    fn shapes(&self, k: usize) -> Vec<u32> {
        (0..self.knows[k].len()).filter(|i| self.knows[k][*i]).map(|i| i as u32).collect()
    }

    /// Pairs of bodies (a < b, flattened) of which detector `k` has shapes, but no pair of shapes.
    fn idle_pairs(&self, k: usize, shapes: &[ShapeView<'_>]) -> Vec<u32> {
        let own = self.shapes(k);
        let body = |i: &u32| shapes[*i as usize].body;
        let mut bodies: Vec<u32> = own.iter().map(body).collect();
        bodies.sort_unstable();
        bodies.dedup();
        let of = |b: u32| own.iter().filter(move |i| body(i) == b);
        let mut pairs = Vec::new();
        for (i, a) in bodies.iter().enumerate() {
            for b in &bodies[i + 1..] {
                let busy = of(*a).any(|i| of(*b).any(|j| self.owner(*i as usize, *j as usize) == Some(k)));
                if !busy {
                    pairs.extend([*a, *b]);
                }
            }
        }
        pairs
    }

    /// Calls `create` with the system as detector `k` is to see it.
    pub(super) fn with_view<T>(
        &self,
        k: usize,
        whole: &SystemView<'_>,
        create: impl FnOnce(&SystemView<'_>) -> T,
    ) -> T {
        let shapes: Vec<ShapeView<'_>> = self.shapes(k).iter().map(|i| whole.shapes[*i as usize]).collect();
        let mut ignored = whole.ignored_pairs.to_vec();
        ignored.extend(self.idle_pairs(k, whole.shapes));
        create(&SystemView { shapes: &shapes, ignored_pairs: &ignored, ..*whole })
    }
}

/// A detector with the shapes it knows.
struct Part {
    /// Id of the plugin.
    id: String,
    detector: Box<dyn Detector>,
    /// Index of each of its shapes in the scene.
    shapes: Vec<u32>,
}

/// Several detectors as one. Keeps its memory.
pub(super) struct Composite {
    parts: Vec<Part>,
    shares: Shares,
    /// Contacts of all parts, part by part.
    contacts: DetectedContacts,
}

impl Composite {
    /// Detectors made by [`Shares::with_view`], in the order of the shares.
    pub(super) fn new(detectors: Vec<(String, Box<dyn Detector>)>, shares: Shares) -> Self {
        let part = |(k, (id, detector))| Part { id, detector, shapes: shares.shapes(k) };
        let parts = detectors.into_iter().enumerate().map(part).collect();
        Self { parts, shares, contacts: DetectedContacts::default() }
    }
}

impl Detector for Composite {
    fn detect<'s>(&'s mut self, query: &DetectQuery<'_>) -> Result<RawContacts<'s>, StageError> {
        let Self { parts, shares, contacts } = self;
        contacts.clear();
        for (k, part) in parts.iter_mut().enumerate() {
            let raw = part.detector.detect(query)?;
            check(&raw).map_err(|wrong| wrong.by(&part.id))?;
            // Numbers of groups of different detectors are different groups.
            let above = contacts.last_group();
            for i in 0..raw.len() {
                let shape = |own: u32| part.shapes.get(own as usize).copied();
                let (Some(a), Some(b)) = (shape(raw.key[i].shape_a), shape(raw.key[i].shape_b)) else {
                    let message = format!("contact {i} names a shape that {} was not given", part.id);
                    return Err(fault(message).by(&part.id));
                };
                if shares.owner(a as usize, b as usize) == Some(k) {
                    let key = ContactKey { shape_a: a, shape_b: b, ..raw.key[i] };
                    contacts.copy_as(&raw, i, key, above);
                }
            }
        }
        Ok(contacts.view())
    }

    /// Every part's state behind its length (8 bytes, little-endian).
    fn save_state(&self, bytes: &mut Vec<u8>) {
        for part in &self.parts {
            let start = bytes.len();
            bytes.extend_from_slice(&[0; 8]);
            part.detector.save_state(bytes);
            let length = (bytes.len() - start - 8) as u64;
            bytes[start..start + 8].copy_from_slice(&length.to_le_bytes());
        }
    }

    fn load_state(&mut self, mut bytes: &[u8]) -> Result<(), StageError> {
        let foreign =
            || StageError::new(ErrorKind::BadState, "the state is not one of these detectors".to_owned());
        for part in &mut self.parts {
            let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(foreign)?;
            let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| foreign())?;
            let (own, rest) = rest.split_at_checked(length).ok_or_else(foreign)?;
            part.detector.load_state(own)?;
            bytes = rest;
        }
        if bytes.is_empty() { Ok(()) } else { Err(foreign()) }
    }
}

/// Lengths of lists; what is in them the host looks at afterwards.
fn check(raw: &RawContacts<'_>) -> Result<(), StageError> {
    let n = raw.len();
    let points = [raw.normal, raw.point_a, raw.point_b];
    let whole = raw.gap.len() == n
        && points.iter().all(|list| list.len() == 3 * n)
        && (raw.group.is_empty() || raw.group.len() == n);
    if whole { Ok(()) } else { Err(fault(format!("lists of different lengths for {n} contacts"))) }
}

fn fault(message: String) -> StageError {
    StageError::new(ErrorKind::Fault, message)
}

#[cfg(test)]
mod tests;
