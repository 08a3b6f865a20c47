//! One table for every view that crosses: a line per field gives the raw struct, the way out, the way in, and the lengths.

use abi_stable::StableAbi;
use vinci_core::Csr;
use vinci_core::contact::ContactKey;
use vinci_core::model::Space;
use vinci_core::problem::Status;
use vinci_core::stage::Verdict;

use super::{Matrix, Slice};
use crate::fault::Flaw;

/// A raw value that stands for a value of core.
pub trait Crossing: Copy {
    /// Type of core that it stands for.
    type Core<'a>;

    /// The raw form; it borrows what `core` borrows.
    fn outgoing(core: &Self::Core<'_>) -> Self;

    /// The value, unchecked: for arguments made by a host that keeps the contract. An unknown code becomes the first one.
    ///
    /// # Safety
    /// As [`Slice::get`] for all arrays.
    unsafe fn get<'a>(&self) -> Self::Core<'a>;

    /// The value, after every check that can be made without knowing the memory: for results of a foreign library.
    ///
    /// # Errors
    /// An array that cannot be one, text that is none, an unknown code; `what` names it.
    ///
    /// # Safety
    /// As [`Slice::checked`] for all arrays.
    unsafe fn checked<'a>(&self, what: &'static str) -> Result<Self::Core<'a>, Flaw>;
}

macro_rules! plain {
    ($($kind:ty),+) => {$(
        impl Crossing for $kind {
            type Core<'a> = $kind;

            #[inline]
            fn outgoing(core: &$kind) -> Self {
                *core
            }

            #[inline]
            unsafe fn get<'a>(&self) -> Self::Core<'a> {
                *self
            }

            #[inline]
            unsafe fn checked<'a>(&self, _: &'static str) -> Result<Self::Core<'a>, Flaw> {
                Ok(*self)
            }
        }
    )+};
}

plain!(u32, u64, usize, f64);

impl<T: 'static> Crossing for Slice<T> {
    type Core<'a> = &'a [T];

    #[inline]
    fn outgoing(core: &&[T]) -> Self {
        (*core).into()
    }

    #[inline]
    unsafe fn get<'a>(&self) -> &'a [T] {
        // SAFETY: the caller's promise.
        unsafe { Slice::get(*self) }
    }

    #[inline]
    unsafe fn checked<'a>(&self, what: &'static str) -> Result<&'a [T], Flaw> {
        // SAFETY: the caller's promise.
        unsafe { Slice::checked(*self, what) }
    }
}

impl Crossing for Matrix {
    type Core<'a> = Csr<'a>;

    #[inline]
    fn outgoing(core: &Csr<'_>) -> Self {
        core.into()
    }

    #[inline]
    unsafe fn get<'a>(&self) -> Csr<'a> {
        // SAFETY: the caller's promise.
        unsafe { Matrix::get(self) }
    }

    #[inline]
    unsafe fn checked<'a>(&self, what: &'static str) -> Result<Csr<'a>, Flaw> {
        // SAFETY: the caller's promise.
        unsafe {
            Ok(Csr {
                n_cols: self.n_cols,
                row_start: self.row_start.checked(what)?,
                column: self.column.checked(what)?,
                value: self.value.checked(what)?,
            })
        }
    }
}

/// UTF-8 text.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Default)]
pub struct Text {
    /// Its bytes.
    pub bytes: Slice<u8>,
}

impl Crossing for Text {
    type Core<'a> = &'a str;

    #[inline]
    fn outgoing(core: &&str) -> Self {
        Self { bytes: (*core).into() }
    }

    #[inline]
    unsafe fn get<'a>(&self) -> &'a str {
        // SAFETY: the caller's promise.
        std::str::from_utf8(unsafe { self.bytes.get() }).unwrap_or_default()
    }

    #[inline]
    unsafe fn checked<'a>(&self, what: &'static str) -> Result<&'a str, Flaw> {
        // SAFETY: the caller's promise.
        unsafe { self.bytes.text(what) }
    }
}

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

/// Identities of contacts.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Default)]
pub struct Keys {
    /// The list.
    pub list: Slice<Key>,
}

impl Keys {
    #[inline]
    fn of_core(self) -> Slice<ContactKey> {
        Slice { ptr: self.list.ptr.cast(), len: self.list.len }
    }
}

impl Crossing for Keys {
    type Core<'a> = &'a [ContactKey];

    #[inline]
    fn outgoing(core: &&[ContactKey]) -> Self {
        Self { list: Slice { ptr: core.as_ptr().cast(), len: core.len() } }
    }

    #[inline]
    unsafe fn get<'a>(&self) -> &'a [ContactKey] {
        // SAFETY: the caller's promise; the layouts are the same.
        unsafe { self.of_core().get() }
    }

    #[inline]
    unsafe fn checked<'a>(&self, what: &'static str) -> Result<&'a [ContactKey], Flaw> {
        // SAFETY: the caller's promise; the layouts are the same.
        unsafe { self.of_core().checked(what) }
    }
}

macro_rules! codes {
    ($($(#[$meta:meta])* $name:ident = $core:ident, $from:expr, $first:ident;)+) => {$(
        $(#[$meta])*
        #[repr(C)]
        #[derive(StableAbi, Clone, Copy, Default, PartialEq, Eq, Debug)]
        pub struct $name {
            /// The code.
            pub code: u32,
        }

        impl $name {
            /// Decodes the code; an error for an unknown one.
            #[inline]
            pub fn known(self, what: &str) -> Result<$core, Flaw> {
                let from: fn(u32) -> Option<$core> = $from;
                from(self.code).ok_or_else(|| Flaw::output(format!("{} is not the code of a {what}", self.code)))
            }
        }

        impl Crossing for $name {
            type Core<'a> = $core;

            #[inline]
            fn outgoing(core: &$core) -> Self {
                Self { code: *core as u32 }
            }

            #[inline]
            unsafe fn get<'a>(&self) -> Self::Core<'a> {
                self.known("").unwrap_or($core::$first)
            }

            #[inline]
            unsafe fn checked<'a>(&self, what: &'static str) -> Result<Self::Core<'a>, Flaw> {
                self.known(what)
            }
        }
    )+};
}

codes! {
    /// Code of a [`Space`].
    SpaceCode = Space, Space::from_code, Planar;
    /// Code of a [`Verdict`].
    VerdictCode = Verdict, verdict, Fail;
    /// Code of a [`Status`].
    StatusCode = Status, Status::from_code, NumericalFailure;
}

fn verdict(code: u32) -> Option<Verdict> {
    use Verdict::{Accept, Again, Evaluate, Fail, Impact, Redetect, Retry};
    [Accept, Again, Redetect, Retry, Fail, Impact, Evaluate].into_iter().find(|v| *v as u32 == code)
}

/// Sizes of a step or of a grid time: what its arrays are long.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Velocities.
    pub nv: usize,
    /// Positions.
    pub nq: usize,
    /// Blocks.
    pub blocks: usize,
    /// Entries of M.
    pub entries: usize,
    /// Contacts.
    pub n: usize,
    /// Tangents of a contact.
    pub n_t: usize,
    /// Rows beside the contacts.
    pub rows: usize,
    /// Support points.
    pub supports: usize,
    /// Numbers in the poses of all bodies.
    pub pose: usize,
    /// Numbers in the velocities of all bodies.
    pub twist: usize,
    /// Efforts of a controller.
    pub efforts: usize,
    /// Set-points of a controller.
    pub set_points: usize,
}

/// An array that may also be absent.
#[derive(Debug, Clone, Copy)]
pub struct OrNone<L>(pub L);

/// A field with an expected length.
pub trait Measured<L: Copy> {
    /// Returns true if it is as long as expected.
    fn fits(&self, expected: L) -> bool;

    /// The first length that is wrong, in words.
    ///
    /// # Errors
    /// "2 gaps where 3 are expected".
    fn measure(&self, what: &str, expected: L) -> Result<(), String>;
}

fn length(what: impl std::fmt::Display, found: usize, expected: usize) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{found} {what} where {expected} are expected")) }
}

impl<T> Measured<usize> for &[T] {
    #[inline]
    fn fits(&self, expected: usize) -> bool {
        self.len() == expected
    }

    fn measure(&self, what: &str, expected: usize) -> Result<(), String> {
        length(what, self.len(), expected)
    }
}

impl<T> Measured<OrNone<usize>> for &[T] {
    #[inline]
    fn fits(&self, expected: OrNone<usize>) -> bool {
        self.is_empty() || self.len() == expected.0
    }

    fn measure(&self, what: &str, expected: OrNone<usize>) -> Result<(), String> {
        if self.is_empty() { Ok(()) } else { length(what, self.len(), expected.0) }
    }
}

/// Rows and columns; whether the columns of entries exist is not looked at.
impl Measured<(usize, usize)> for Csr<'_> {
    #[inline]
    fn fits(&self, (n_rows, n_cols): (usize, usize)) -> bool {
        self.n_rows() == n_rows
            && (n_rows == 0 || self.n_cols == n_cols)
            && self.column.len() == self.value.len()
            && self.row_start.last().map_or(0, |&end| end as usize) == self.value.len()
    }

    fn measure(&self, what: &str, (n_rows, n_cols): (usize, usize)) -> Result<(), String> {
        length(format_args!("columns of entries of {what}"), self.column.len(), self.value.len())?;
        let entries = self.row_start.last().map_or(0, |&end| end as usize);
        length(format_args!("entries of {what}"), self.value.len(), entries)?;
        length(format_args!("rows of {what}"), self.n_rows(), n_rows)?;
        if n_rows > 0 { length(format_args!("columns of {what}"), self.n_cols, n_cols) } else { Ok(()) }
    }
}

impl Measured<OrNone<(usize, usize)>> for Csr<'_> {
    #[inline]
    fn fits(&self, expected: OrNone<(usize, usize)>) -> bool {
        self.fits(if self.n_rows() == 0 { (0, 0) } else { expected.0 })
    }

    fn measure(&self, what: &str, expected: OrNone<(usize, usize)>) -> Result<(), String> {
        self.measure(what, if self.n_rows() == 0 { (0, 0) } else { expected.0 })
    }
}

/// A view from its table. A line is `field: raw type`, then `= length, "what it holds"` where it has a length, then `finite` where
/// no number in it may be infinite or NaN; lengths are written in terms of the [`Sizes`] that the head names, if it names any. Every view ends in `channels`: numbered arrays for what a later
/// minor version adds.
macro_rules! view {
    (
        $(#[$meta:meta])*
        $name:ident mirrors $($core:ident)::+ { $($field:ident: $kind:ty;)+ }
    ) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(StableAbi, Clone, Copy, Default)]
        #[allow(missing_docs)] // The fields are those of the type of core, name by name.
        pub struct $name {
            $(pub $field: $kind,)+
            pub channels: Slice<Channel>,
        }

        impl Crossing for $name {
            type Core<'a> = $($core)::+<'a>;

            #[inline]
            fn outgoing(core: &Self::Core<'_>) -> Self {
                Self { $($field: <$kind as Crossing>::outgoing(&core.$field),)+ channels: Slice::default() }
            }

            #[inline]
            unsafe fn get<'a>(&self) -> Self::Core<'a> {
                // SAFETY: the caller's promise.
                unsafe { $($core)::+ { $($field: Crossing::get(&self.$field),)+ } }
            }

            #[inline]
            unsafe fn checked<'a>(&self, _: &'static str) -> Result<Self::Core<'a>, Flaw> {
                // SAFETY: the caller's promise.
                unsafe { Ok($($core)::+ { $($field: Crossing::checked(&self.$field, stringify!($field))?,)+ }) }
            }
        }
    };
    (
        $(#[$meta:meta])*
        $name:ident mirrors $($core:ident)::+, sizes $sizes:ident {
            $($field:ident: $kind:ty $(= $length:expr, $what:literal $(, $finite:ident)?)?;)+
        }
    ) => {
        view! { $(#[$meta])* $name mirrors $($core)::+ { $($field: $kind;)+ } }

        impl $name {
            /// Returns true if every array has the length that the sizes ask for.
            #[inline]
            pub(crate) fn fits(core: &$($core)::+<'_>, $sizes: &Sizes) -> bool {
                true $($(& Measured::fits(&core.$field, $length))?)+
            }

            /// The first array whose length is another, in words.
            #[cold]
            pub(crate) fn measure(core: &$($core)::+<'_>, $sizes: &Sizes) -> Result<(), String> {
                $($(Measured::measure(&core.$field, $what, $length)?;)?)+
                Ok(())
            }

            /// Returns true if all numbers of the arrays marked `finite` are.
            #[inline]
            #[allow(dead_code, unused_variables)] // Not every view has such arrays: rows may hold infinities.
            pub(crate) fn all_finite(core: &$($core)::+<'_>) -> bool {
                true $($($(& crate::$finite::all_finite(core.$field))?)?)+
            }

            /// The first number that is infinite or NaN in an array marked `finite`, as `field[place] is NaN`.
            #[allow(dead_code, unused_variables)]
            pub(crate) fn finite(core: &$($core)::+<'_>) -> Result<(), Flaw> {
                $($($(crate::$finite::finite(stringify!($field), core.$field)?;)?)?)+
                Ok(())
            }
        }
    };
}
pub(super) use view;
