//! State of the stepper: the deformation of every node, by identity.

use nalgebra::Vector3;
use vinci_sdk::core::contact::transport;
use vinci_sdk::prelude::*;
use vinci_sdk::state;

/// A patch goes on from nodes of its pair whose normals had this cosine with its own (0.1 rad), wherever on the shapes.
const SAME_SIDE: f64 = 0.995;

/// Deformation of one node, independent of the basis its contact happens to have. What is skipped changes smoothly with the motion, and
/// stands in the numbers of a saved state.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(crate = "vinci_sdk::serde")]
pub(crate) struct Deformation {
    /// The contact (of a refined edge: its first contact) and the number of the node on it.
    pub(crate) key: ContactKey,
    pub(crate) number: u32,
    /// δ_n, m, positive in compression.
    #[serde(skip)]
    pub(crate) normal_part: f64,
    /// δ_t, world, m; orthogonal to `normal`.
    #[serde(skip)]
    pub(crate) tangent_part: Vector3<f64>,
    /// The normal it was written at.
    #[serde(skip)]
    pub(crate) normal: Vector3<f64>,
    /// Impulses (normal, tangents) of the last step, N s: a guess for the next.
    pub(crate) impulse: [f64; 3],
    /// How many nodes share the stiffness of the patch. Nodes that join it raise the number, nothing lowers it: more stiffness at the same δ
    /// would make energy.
    pub(crate) sharers: u32,
    /// Relaxation time C/K, s.
    #[serde(skip)]
    pub(crate) tau: f64,
}

/// Numbers of a node that change smoothly with the motion.
const SMOOTH: usize = 8;

impl Deformation {
    /// Its numbers, each with a label made of the node's identity and the number's place.
    fn smooth(&self) -> impl Iterator<Item = (u64, f64)> {
        let (t, n) = (&self.tangent_part, &self.normal);
        let numbers = [self.normal_part, t.x, t.y, t.z, n.x, n.y, n.z, self.tau];
        let ContactKey { shape_a, shape_b, feature_a, feature_b } = self.key;
        let parts = [shape_a, shape_b, feature_a, feature_b, self.number];
        // FNV-1a, word by word.
        let mix = |label: u64, part: u32| (label ^ u64::from(part)).wrapping_mul(0x0100_0000_01b3);
        let node = parts.into_iter().fold(0xcbf2_9ce4_8422_2325, mix);
        (0..).zip(numbers).map(move |(place, x)| (mix(node, place), x))
    }

    fn set_smooth(&mut self, [normal_part, tx, ty, tz, nx, ny, nz, tau]: [f64; SMOOTH]) {
        (self.normal_part, self.tau) = (normal_part, tau);
        (self.tangent_part, self.normal) = (Vector3::new(tx, ty, tz), Vector3::new(nx, ny, nz));
    }
}

impl Deformation {
    pub(crate) fn identity(&self) -> (ContactKey, u32) {
        (self.key, self.number)
    }

    /// δ_t carried to another normal by the smallest rotation between the two, as the tangents of contacts are.
    pub(crate) fn tangent_at(&self, normal: &Vector3<f64>) -> Vector3<f64> {
        let size = self.tangent_part.norm();
        if size == 0.0 || self.normal == *normal {
            return self.tangent_part;
        }
        transport(&(self.tangent_part / size), &self.normal, normal) * size
    }

    /// Returns true if a patch of this normal is the one the node belonged to, if it is of the same pair of shapes.
    pub(crate) fn same_side(&self, normal: &Vector3<f64>) -> bool {
        self.normal.dot(normal) > SAME_SIDE
    }

    /// Returns true if this node and an earlier one are of one patch.
    pub(crate) fn continues(&self, was: &Self) -> bool {
        let pair = |key: &ContactKey| (key.shape_a, key.shape_b);
        pair(&self.key) == pair(&was.key) && was.same_side(&self.normal)
    }

    /// |δ|, m.
    pub(crate) fn size(&self) -> f64 {
        self.normal_part.hypot(self.tangent_part.norm())
    }
}

/// The deformations at the start of the step, and those at the end of a step the host has not yet built upon.
///
/// A step that was accepted may still be made again (wider search for contacts, a failed detection), so its end becomes
/// the start of another only when a step of another number or time is formulated.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    /// Sorted by identity.
    pub(crate) now: Vec<Deformation>,
    pub(crate) next: Vec<Deformation>,
    /// Number and time of the step that ends at `next`.
    pub(crate) next_of: Option<(u64, f64)>,
}

/// First bytes of a saved state.
const MARK: u32 = 0x3353_5053;
const WHO: &str = "vinci.stepper.song-pang-kumar";

impl State {
    /// Takes the end of the last step over, unless this is the same step once more.
    pub(crate) fn begin(&mut self, step: &StepView<'_>) {
        if let Some((number, t)) = self.next_of.take()
            && (number, t.to_bits()) != (step.step, step.t.to_bits())
        {
            std::mem::swap(&mut self.now, &mut self.next);
        }
    }

    /// The node of an identity.
    pub(crate) fn get(&self, key: ContactKey, number: u32) -> Option<&Deformation> {
        let at = self.now.binary_search_by(|d| d.identity().cmp(&(key, number)));
        at.ok().map(|i| &self.now[i])
    }

    /// The nodes of a contact's pair of shapes.
    pub(crate) fn of_pair(&self, contact: ContactKey) -> &[Deformation] {
        let pair = |key: &ContactKey| (key.shape_a, key.shape_b);
        let from = self.now.partition_point(|d| pair(&d.key) < pair(&contact));
        let to = self.now.partition_point(|d| pair(&d.key) <= pair(&contact));
        &self.now[from..to]
    }

    /// Sorts the end of the step and forgets nodes of contacts that are open and relaxed.
    pub(crate) fn end(&mut self, step: &StepView<'_>, relaxed: f64) {
        self.next.sort_unstable_by_key(Deformation::identity);
        let mut kept = 0;
        let mut start = 0;
        while start < self.next.len() {
            let key = self.next[start].key;
            let end = start + self.next[start..].iter().take_while(|d| d.key == key).count();
            if self.next[start..end].iter().any(|d| d.impulse[0] > 0.0 || d.size() > relaxed) {
                self.next.copy_within(start..end, kept);
                kept += end - start;
            }
            start = end;
        }
        self.next.truncate(kept);
        self.next_of = Some((step.step, step.t));
    }

    /// Appends the state: both lists, the numbers of the start, then those that the next step begins with.
    pub(crate) fn save(&self, bytes: &mut Vec<u8>) {
        // What stands in `next` counts only where its step is known.
        let (start, end): (&[_], &[_]) =
            if self.next_of.is_some() { (&self.now, &self.next) } else { (&[], &self.now) };
        let next = if self.next_of.is_some() { end } else { &[] };
        state::save(MARK, &(&self.now, next, self.next_of), bytes);
        for list in [start, end] {
            state::append_numbers(list.iter().flat_map(Deformation::smooth), bytes);
        }
    }

    /// Reads what [`State::save`] wrote; nothing is a state without deformations.
    pub(crate) fn load(bytes: &[u8]) -> Result<Self, StageError> {
        if bytes.is_empty() {
            return Ok(Self::default());
        }
        let foreign = || state::foreign(WHO, bytes);
        let (rest, mut end) = state::split_numbers(bytes).ok_or_else(foreign)?;
        let (own, mut start) = state::split_numbers(rest).ok_or_else(foreign)?;
        let (now, next, next_of) = state::load(MARK, WHO, own)?;
        let mut loaded = Self { now, next, next_of };
        match loaded.next_of {
            Some(_) => {
                set_smooth(&mut loaded.now, &mut start);
                set_smooth(&mut loaded.next, &mut end);
            }
            None => set_smooth(&mut loaded.now, &mut end),
        }
        let lists = [&loaded.now, &loaded.next];
        let finite = lists.into_iter().flatten().all(Deformation::is_finite);
        let sorted = lists.into_iter().all(|list| list.is_sorted_by_key(Deformation::identity));
        let all_read = start.len() + end.len() == 0;
        if finite && sorted && all_read { Ok(loaded) } else { Err(foreign()) }
    }
}

/// Gives the nodes their numbers; NaN where there are too few.
fn set_smooth(list: &mut [Deformation], entries: &mut impl Iterator<Item = (u64, f64)>) {
    for node in list {
        node.set_smooth(std::array::from_fn(|_| entries.next().map_or(f64::NAN, |(_, number)| number)));
    }
}

impl Deformation {
    fn is_finite(&self) -> bool {
        let vectors = self.tangent_part.iter().chain(&self.normal).chain(&self.impulse);
        vectors.chain([&self.normal_part, &self.tau]).all(|x| x.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheared(normal: Vector3<f64>, tangent_part: Vector3<f64>) -> Deformation {
        Deformation {
            key: ContactKey::default(),
            number: 0,
            normal_part: 1e-3,
            tangent_part,
            normal,
            impulse: [0.0; 3],
            sharers: 1,
            tau: 0.0,
        }
    }

    /// A shear that turns with its contact keeps its length and its place in the transported basis.
    #[test]
    fn deformations_turn_with_their_contact() {
        let (a, b) = (Vector3::z(), Vector3::new(0.3, -0.2, 1.0).normalize());
        let (t1, shear) = (Vector3::new(0.6, 0.8, 0.0), Vector3::new(2e-4, -1e-4, 0.0));
        let moved = sheared(a, shear).tangent_at(&b);
        let (s1, s2) = (transport(&t1, &a, &b), b.cross(&transport(&t1, &a, &b)));
        assert!(moved.dot(&b).abs() < 1e-19 && (moved.norm() - shear.norm()).abs() < 1e-19);
        assert!((moved.dot(&s1) - shear.dot(&t1)).abs() < 1e-19);
        assert!((moved.dot(&s2) - shear.dot(&a.cross(&t1))).abs() < 1e-19);
    }

    #[test]
    fn unmoved_deformations_stay_to_the_bit() {
        let (n, shear) = (Vector3::new(0.6, 0.0, 0.8), Vector3::new(-0.8e-3, 1e-4, 0.6e-3));
        assert_eq!(sheared(n, shear).tangent_at(&n), shear);
        assert_eq!(sheared(n, Vector3::zeros()).tangent_at(&Vector3::x()), Vector3::zeros());
    }
}
