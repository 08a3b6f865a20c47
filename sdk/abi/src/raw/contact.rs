//! What goes to a detector, what comes back, and contacts as steppers see them.

use abi_stable::StableAbi;
use vinci_core::contact::{self, ContactKey};
use vinci_core::stage;

use super::{Channel, Matrix, Slice};
use crate::fault::Flaw;

/// Mirrors [`ContactKey`]; the layouts are the same, so arrays of them are borrowed, not copied.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct Key {
    /// Shape on side A.
    pub shape_a: u32,
    /// Shape on side B.
    pub shape_b: u32,
    /// Feature of shape A.
    pub feature_a: u32,
    /// Feature of shape B.
    pub feature_b: u32,
}

const _: () = assert!(
    size_of::<Key>() == size_of::<ContactKey>()
        && align_of::<Key>() == align_of::<ContactKey>()
        && std::mem::offset_of!(Key, shape_b) == std::mem::offset_of!(ContactKey, shape_b)
        && std::mem::offset_of!(Key, feature_a) == std::mem::offset_of!(ContactKey, feature_a)
        && std::mem::offset_of!(Key, feature_b) == std::mem::offset_of!(ContactKey, feature_b)
);

#[inline]
fn keys(keys: &[ContactKey]) -> Slice<Key> {
    Slice { ptr: keys.as_ptr().cast(), len: keys.len() }
}

#[inline]
fn core_keys(keys: Slice<Key>) -> Slice<ContactKey> {
    Slice { ptr: keys.ptr.cast(), len: keys.len }
}

/// Mirrors [`stage::DetectQuery`].
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct DetectQuery {
    /// Time, s.
    pub t: f64,
    /// Poses of all bodies.
    pub pose: Slice<f64>,
    /// Active distance per body, m.
    pub margin: Slice<f64>,
    /// Growth.
    pub channels: Slice<Channel>,
}

impl From<&stage::DetectQuery<'_>> for DetectQuery {
    #[inline]
    fn from(query: &stage::DetectQuery<'_>) -> Self {
        let stage::DetectQuery { t, pose, margin } = *query;
        Self { t, pose: pose.into(), margin: margin.into(), channels: Slice::default() }
    }
}

impl DetectQuery {
    /// The query as core writes it.
    ///
    /// # Safety
    /// All arrays must be readable during `'a`.
    #[inline]
    pub unsafe fn get<'a>(&self) -> stage::DetectQuery<'a> {
        // SAFETY: the caller's promise.
        unsafe { stage::DetectQuery { t: self.t, pose: self.pose.get(), margin: self.margin.get() } }
    }
}

/// Mirrors [`contact::RawContacts`].
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Default)]
pub struct RawContacts {
    /// Identities, n.
    pub key: Slice<Key>,
    /// Gaps, n, m.
    pub gap: Slice<f64>,
    /// Normals A → B, 3n.
    pub normal: Slice<f64>,
    /// Points on A, 3n, m.
    pub point_a: Slice<f64>,
    /// Points on B, 3n, m.
    pub point_b: Slice<f64>,
    /// OR groups, n, or empty.
    pub group: Slice<u32>,
    /// Growth.
    pub channels: Slice<Channel>,
}

impl From<&contact::RawContacts<'_>> for RawContacts {
    #[inline]
    fn from(c: &contact::RawContacts<'_>) -> Self {
        let contact::RawContacts { key, gap, normal, point_a, point_b, group } = *c;
        Self {
            key: keys(key),
            gap: gap.into(),
            normal: normal.into(),
            point_a: point_a.into(),
            point_b: point_b.into(),
            group: group.into(),
            channels: Slice::default(),
        }
    }
}

impl RawContacts {
    /// The contacts as core writes them, arrays checked one by one.
    ///
    /// # Safety
    /// As [`Slice::checked`] for all arrays.
    #[inline]
    pub unsafe fn checked<'a>(&self) -> Result<contact::RawContacts<'a>, Flaw> {
        // SAFETY: the caller's promise.
        unsafe {
            Ok(contact::RawContacts {
                key: core_keys(self.key).checked("keys")?,
                gap: self.gap.checked("gaps")?,
                normal: self.normal.checked("normals")?,
                point_a: self.point_a.checked("points on A")?,
                point_b: self.point_b.checked("points on B")?,
                group: self.group.checked("groups")?,
            })
        }
    }
}

/// Mirrors [`contact::Contacts`].
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
#[allow(missing_docs)] // The fields are those of `contact::Contacts`, name by name.
pub struct Contacts {
    pub n_t: usize,
    pub key: Slice<Key>,
    pub body_a: Slice<u32>,
    pub body_b: Slice<u32>,
    pub gap: Slice<f64>,
    pub normal: Slice<f64>,
    pub tangent: Slice<f64>,
    pub point_a: Slice<f64>,
    pub point_b: Slice<f64>,
    pub jacobian: Matrix,
    pub rate: Slice<f64>,
    pub friction: Slice<f64>,
    pub restitution: Slice<f64>,
    pub stiffness: Slice<f64>,
    pub damping: Slice<f64>,
    pub last_impulse: Slice<f64>,
    pub age: Slice<u32>,
    pub group: Slice<u32>,
}

impl From<&contact::Contacts<'_>> for Contacts {
    #[inline]
    fn from(c: &contact::Contacts<'_>) -> Self {
        Self {
            n_t: c.n_t,
            key: keys(c.key),
            body_a: c.body_a.into(),
            body_b: c.body_b.into(),
            gap: c.gap.into(),
            normal: c.normal.into(),
            tangent: c.tangent.into(),
            point_a: c.point_a.into(),
            point_b: c.point_b.into(),
            jacobian: (&c.jacobian).into(),
            rate: c.rate.into(),
            friction: c.friction.into(),
            restitution: c.restitution.into(),
            stiffness: c.stiffness.into(),
            damping: c.damping.into(),
            last_impulse: c.last_impulse.into(),
            age: c.age.into(),
            group: c.group.into(),
        }
    }
}

impl Contacts {
    /// The contacts as core writes them.
    ///
    /// # Safety
    /// All arrays must be readable during `'a`.
    #[inline]
    pub unsafe fn get<'a>(&self) -> contact::Contacts<'a> {
        // SAFETY: the caller's promise.
        unsafe {
            contact::Contacts {
                n_t: self.n_t,
                key: core_keys(self.key).get(),
                body_a: self.body_a.get(),
                body_b: self.body_b.get(),
                gap: self.gap.get(),
                normal: self.normal.get(),
                tangent: self.tangent.get(),
                point_a: self.point_a.get(),
                point_b: self.point_b.get(),
                jacobian: self.jacobian.get(),
                rate: self.rate.get(),
                friction: self.friction.get(),
                restitution: self.restitution.get(),
                stiffness: self.stiffness.get(),
                damping: self.damping.get(),
                last_impulse: self.last_impulse.get(),
                age: self.age.get(),
                group: self.group.get(),
                // A channel of the step.
                dissipation: &[],
            }
        }
    }
}
