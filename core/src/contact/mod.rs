//! Contacts: what a detector reports, their identity, their kinematics.

mod basis;
mod detected;
mod groups;
mod half_space;
mod kinematics;
mod memory;

pub use basis::{FirstTangent, tangent_basis, transport};
pub use detected::DetectedContacts;
pub use half_space::{along_surface, sink};
pub use kinematics::{ContactBuf, ContactError};
pub use memory::{ContactMemory, Remembered};

use crate::lists::at;
use crate::model::PairColumns;
use crate::sparse::Csr;

/// Identity of a contact, stable from step to step: (shape, feature) on both sides.
///
/// Feature ids are the detector's: any numbering, as long as the same geometric feature keeps its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct ContactKey {
    /// Index of the shape on side A.
    pub shape_a: u32,
    /// Index of the shape on side B.
    pub shape_b: u32,
    /// Feature of shape A.
    pub feature_a: u32,
    /// Feature of shape B.
    pub feature_b: u32,
}

impl ContactKey {
    /// Numbers of the two shapes.
    pub fn shapes(&self) -> [u32; 2] {
        [self.shape_a, self.shape_b]
    }

    /// The shape that meets this one; none where neither is it.
    pub fn other(&self, shape: u32) -> Option<u32> {
        match self.shapes() {
            [a, b] if a == shape => Some(b),
            [a, b] if b == shape => Some(a),
            _ => None,
        }
    }

    /// The identity as numbers for a file.
    pub(crate) fn numbers(&self) -> [f64; 4] {
        [self.shape_a, self.shape_b, self.feature_a, self.feature_b].map(f64::from)
    }

    /// The reverse of [`ContactKey::numbers`].
    pub(crate) fn of_numbers(numbers: [f64; 4]) -> Self {
        let [shape_a, shape_b, feature_a, feature_b] = numbers.map(|x| x as u32);
        Self { shape_a, shape_b, feature_a, feature_b }
    }
}

/// Answer of a detector: n potential contacts, structure of arrays, world frame.
///
/// Sign and side: `normal` points from A to B, `gap` = normal · (point_b − point_a), positive when separated.
/// Points have three coordinates in planar scenes too (z = 0).
#[derive(Debug, Clone, Copy, Default)]
pub struct RawContacts<'a> {
    /// Identity of every contact, n; no two alike.
    pub key: &'a [ContactKey],
    /// Signed gaps ψ, n, m.
    pub gap: &'a [f64],
    /// Unit normals A → B, 3n.
    pub normal: &'a [f64],
    /// Points on A, 3n, m.
    pub point_a: &'a [f64],
    /// Points on B, 3n, m.
    pub point_b: &'a [f64],
    /// OR groups: contacts with the same non-zero number are alternatives (at least one gap ≥ 0), 0: none. Empty: no
    /// groups. A contact counts as many times as it is reported: one that belongs to two groups needs two identities.
    pub group: &'a [u32],
}

impl RawContacts<'_> {
    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.key.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.key.is_empty()
    }
}

/// Square of the distance of two unit normals that count as one.
const SAME_NORMAL: f64 = 1e-12;

/// Contacts as steppers see them: kinematics in generalized velocities. n contacts, n_t = 1 (planar) or 2 tangents.
///
/// Rows of `jacobian`: contact i has rows i(1 + n_t) … : normal, tangent 1, (tangent 2). With ν = J v the normal row is
/// the rate of the gap and the tangent rows the velocity of B relative to A. Transposed columns are Wn and Wt.
/// All rows of one contact store the same columns in the same order, zeros included.
#[derive(Debug, Clone, Copy, Default)]
pub struct Contacts<'a> {
    /// Tangent rows per contact.
    pub n_t: usize,
    /// Identity, n.
    pub key: &'a [ContactKey],
    /// Body on side A, n.
    pub body_a: &'a [u32],
    /// Body on side B, n.
    pub body_b: &'a [u32],
    /// Signed gaps ψ, m.
    pub gap: &'a [f64],
    /// Unit normals A → B, world, 3n.
    pub normal: &'a [f64],
    /// Unit tangents, world, 3 n n_t; planar: (−n_y, n_x).
    pub tangent: &'a [f64],
    /// Points on A, 3n.
    pub point_a: &'a [f64],
    /// Points on B, 3n.
    pub point_b: &'a [f64],
    /// [Wnᵀ; Wtᵀ] by contact, (1 + n_t) n × nv.
    pub jacobian: Csr<'a>,
    /// Parameters of the pairs, n each: friction μ, restitution e, stiffness K in N/m (∞: rigid), …
    pub pair: PairColumns<'a>,
    /// Last step's impulses (normal, tangents), (1 + n_t) n, N s; zero for new contacts.
    pub last_impulse: &'a [f64],
    /// Steps since the contact was first reported, n; 0 = new.
    pub age: &'a [u32],
    /// OR groups, n, or empty: at least one gap of a group is to be ≥ 0, and impulses act only at alternatives whose gap at
    /// the end is the largest of the group. Only steppers with the capability `or-groups` see any; for others the host
    /// keeps the most open alternative of every group.
    pub group: &'a [u32],
    /// Sides of the squares that have the areas of patch nodes, m, n; 0 for contacts that are no nodes. The pair's stiffness and
    /// damping are those of the area alone. Empty: no bodies of the system meet in patches.
    pub cell: &'a [f64],
}

impl Contacts<'_> {
    /// Side of the square that has the area of contact `i`, m; 0 where it is no node of a patch.
    #[inline]
    pub fn cell(&self, i: usize) -> f64 {
        self.cell.get(i).copied().unwrap_or(0.0)
    }

    /// Returns true if contacts i and j have one normal (unit vectors, to 1e-6). Those of one pair of shapes lie in one patch then.
    pub fn same_normal(&self, i: usize, j: usize) -> bool {
        (at(self.normal, i) - at(self.normal, j)).norm_squared() <= SAME_NORMAL
    }

    /// Number of contacts.
    #[inline]
    pub fn len(&self) -> usize {
        self.key.len()
    }

    /// Returns true if there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.key.is_empty()
    }

    /// Rows per contact, 1 + n_t.
    #[inline]
    pub fn stride(&self) -> usize {
        1 + self.n_t
    }

    /// Row of the normal of contact `i`; tangents follow it.
    #[inline]
    pub fn row(&self, i: usize) -> usize {
        i * self.stride()
    }

    /// Middle between the points of contact `i`, world, m.
    pub fn middle(&self, i: usize) -> [f64; 3] {
        std::array::from_fn(|axis| 0.5 * (self.point_a[3 * i + axis] + self.point_b[3 * i + axis]))
    }
}
