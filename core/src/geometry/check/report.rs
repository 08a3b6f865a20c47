//! Faults that a look at a detector's answer found.

/// The worst of a kind and where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Amount {
    /// How much, without unit; 0 where nothing was looked at.
    pub value: f64,
    /// Index of the contact in the detector's answer; `u32::MAX`: none.
    pub contact: u32,
}

impl Default for Amount {
    fn default() -> Self {
        Self { value: 0.0, contact: u32::MAX }
    }
}

impl Amount {
    /// Takes down a larger one; what is no number is the worst.
    pub(super) fn offer(&mut self, value: f64, contact: usize) {
        if !(value <= self.value) && !self.value.is_nan() {
            *self = Self { value, contact: contact as u32 };
        }
    }
}

/// A pair of shapes whose distance is not what the detector says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairFault {
    /// Index of the shape with the lower index.
    pub shape_a: u32,
    /// Index of the other.
    pub shape_b: u32,
    /// Two points of the shapes are this close, m (0: overlap; negative: depth below a half-space).
    pub distance: f64,
    /// Least gap that the detector reports of the pair, m; ∞: it reports none.
    pub gap: f64,
    /// Sum of the margins of the two bodies, m: closer pairs are to be reported.
    pub reach: f64,
    /// How much of the size of the smaller shape is wrong: gap against distance, or reach less distance; 1 for overlap without a contact.
    pub share: f64,
}

impl PairFault {
    /// Two shapes in any order; distance, gap and reach, m; the share that is wrong.
    pub(super) fn new([s, t]: [u32; 2], [distance, gap, reach]: [f64; 3], share: f64) -> Self {
        Self { shape_a: s.min(t), shape_b: s.max(t), distance, gap, reach, share }
    }
}

/// Faults of a detector's answer, each as a share of the size (diameter) of the smaller of the two shapes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DetectorReport {
    /// | |n| − 1 |.
    pub unit: Amount,
    /// 1 for a contact of bodies that may not collide.
    pub barred: Amount,
    /// 1 for a contact in an OR group with one of other shapes, or with another of the same normal.
    pub grouped: Amount,
    /// |n·(p_b − p_a) − gap|.
    pub gap: Amount,
    /// Distance of a point from the surface of the shape that it is said to be on.
    pub surface: Amount,
    /// How far the normal is from being one of either shape there: a sine, or a share of the size by which the shape rises
    /// beyond the point along the normal.
    pub normal: Amount,
    /// The pair whose least gap is farthest from the distance.
    pub distance: Option<PairFault>,
    /// The pair that ought to have been reported and is not, the closest by its size.
    pub missed: Option<PairFault>,
    /// The pair whose contacts leave most of a face bare that lies on a half-plane or half-space; the share is of the face's width.
    pub bare: Option<PairFault>,
    /// Contacts whose points and normals were looked at.
    pub contacts: u32,
    /// Pairs of shapes that were measured.
    pub pairs: u32,
}

/// Part of the size of the smaller shape by which a distance must be below another to count as smaller.
pub(super) const SLACK: f64 = 1e-6;

/// Share of the size that is wrong where a detector knows nothing of two shapes that are in each other: all of it.
const SUNK: f64 = 1.0;

impl DetectorReport {
    /// Takes down two shapes without a contact whose distance is below their active distance `reach`, both m; `size`: of the smaller;
    /// `is_sunk`: they are in each other, which is a fault however small the active distance is beside them.
    pub(super) fn offer_missed(
        &mut self,
        [s, t]: [u32; 2],
        [distance, reach]: [f64; 2],
        size: f64,
        is_sunk: bool,
    ) {
        let missed = |share: f64| PairFault::new([s, t], [distance, f64::INFINITY, reach], share);
        if distance + SLACK * size < reach {
            offer(&mut self.missed, missed((reach - distance) / size));
        }
        if is_sunk {
            offer(&mut self.missed, missed(SUNK));
        }
    }

    /// Keeps the worst of both. Indices of contacts are those of the answer that each was found in.
    pub fn join(&mut self, other: &Self) {
        let worse = |own: &mut Amount, new: &Amount| own.offer(new.value, new.contact as usize);
        worse(&mut self.unit, &other.unit);
        worse(&mut self.grouped, &other.grouped);
        worse(&mut self.gap, &other.gap);
        worse(&mut self.surface, &other.surface);
        worse(&mut self.normal, &other.normal);
        let pairs = [
            (&mut self.distance, &other.distance),
            (&mut self.missed, &other.missed),
            (&mut self.bare, &other.bare),
        ];
        for (own, new) in pairs {
            if let Some(new) = new {
                offer(own, *new);
            }
        }
        self.contacts += other.contacts;
        self.pairs += other.pairs;
    }
}

pub(super) fn offer(worst: &mut Option<PairFault>, new: PairFault) {
    if worst.is_none_or(|old| !(new.share <= old.share) && !old.share.is_nan()) {
        *worst = Some(new);
    }
}
