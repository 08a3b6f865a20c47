//! Pointer + length, and the three structs built from nothing else.

use abi_stable::StableAbi;
use vinci_core::Csr;

use crate::fault::Flaw;

/// `len` values of `T` at `ptr`, borrowed. The pointer of an empty slice may be anything, null too.
#[repr(C)]
#[derive(StableAbi)]
pub struct Slice<T> {
    /// First element.
    pub ptr: *const T,
    /// Number of elements.
    pub len: usize,
}

impl<T> Clone for Slice<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Slice<T> {}

impl<T> Default for Slice<T> {
    fn default() -> Self {
        Self { ptr: std::ptr::null(), len: 0 }
    }
}

impl<T> From<&[T]> for Slice<T> {
    #[inline]
    fn from(values: &[T]) -> Self {
        Self { ptr: values.as_ptr(), len: values.len() }
    }
}

impl From<&str> for Slice<u8> {
    #[inline]
    fn from(text: &str) -> Self {
        Self::from(text.as_bytes())
    }
}

impl<T> Slice<T> {
    /// The values, unchecked but for emptiness: for arguments made by a host that keeps the contract.
    ///
    /// # Safety
    /// `ptr` must be aligned and point to `len` initialised values that nobody changes during `'a`.
    #[inline]
    pub unsafe fn get<'a>(self) -> &'a [T] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: the caller's promise; the empty case, where the pointer may be null, is excluded above.
        unsafe { std::slice::from_raw_parts(self.ptr, self.len) }
    }

    /// The values, after every check that can be made without knowing the memory: for results of a foreign library.
    ///
    /// # Safety
    /// As [`Slice::get`], as far as this cannot see it: what is neither null, nor misaligned, nor of impossible length
    /// must be a readable array.
    #[inline]
    pub unsafe fn checked<'a>(self, what: &'static str) -> Result<&'a [T], Flaw> {
        let impossible = self.len > isize::MAX as usize / size_of::<T>().max(1);
        if self.len > 0 && (self.ptr.is_null() || !self.ptr.is_aligned() || impossible) {
            return Err(Flaw::output(format!(
                "{what}: {} values at {:p} cannot be an array",
                self.len, self.ptr
            )));
        }
        // SAFETY: the caller's promise, and the checks above.
        Ok(unsafe { self.get() })
    }
}

impl Slice<u8> {
    /// The text in it.
    ///
    /// # Safety
    /// As [`Slice::checked`].
    #[inline]
    pub unsafe fn text<'a>(self, what: &'static str) -> Result<&'a str, Flaw> {
        // SAFETY: the caller's promise.
        let bytes = unsafe { self.checked(what) }?;
        if bytes.is_empty() {
            return Ok("");
        }
        std::str::from_utf8(bytes).map_err(|_| Flaw::output(format!("{what} is not UTF-8")))
    }
}

/// `len` writable values of `T` at `ptr`, borrowed.
#[repr(C)]
#[derive(StableAbi)]
pub struct SliceMut<T> {
    /// First element.
    pub ptr: *mut T,
    /// Number of elements.
    pub len: usize,
}

impl<T> From<&mut [T]> for SliceMut<T> {
    #[inline]
    fn from(values: &mut [T]) -> Self {
        Self { ptr: values.as_mut_ptr(), len: values.len() }
    }
}

impl<T> SliceMut<T> {
    /// The values.
    ///
    /// # Safety
    /// `ptr` must be aligned and point to `len` initialised values that nobody else touches during `'a`.
    #[inline]
    pub unsafe fn get<'a>(self) -> &'a mut [T] {
        if self.len == 0 {
            return &mut [];
        }
        // SAFETY: the caller's promise; the empty case, where the pointer may be null, is excluded above.
        unsafe { std::slice::from_raw_parts_mut(self.ptr, self.len) }
    }
}

/// An array with a number: `rows` × `cols` reals, or a sparse matrix (f values, i row offsets, j columns), or integers.
///
/// The number says what it is; numbers from 0x8000_0000 are free for private arrangements between two plugins.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Default)]
pub struct Channel {
    /// Number of the array; see [`crate::codes::channel`].
    pub id: u32,
    /// Rows, or the length of a vector.
    pub rows: u32,
    /// Columns; 1 for a vector.
    pub cols: u32,
    /// Always zero; keeps the arrays aligned.
    pub reserved: u32,
    /// Reals.
    pub f: Slice<f64>,
    /// Integers, or row offsets.
    pub i: Slice<u32>,
    /// Integers, or columns.
    pub j: Slice<u32>,
}

impl Channel {
    /// No channel.
    pub const EMPTY: Self = Self {
        id: 0,
        rows: 0,
        cols: 0,
        reserved: 0,
        f: Slice { ptr: std::ptr::null(), len: 0 },
        i: Slice { ptr: std::ptr::null(), len: 0 },
        j: Slice { ptr: std::ptr::null(), len: 0 },
    };

    /// A vector of reals.
    #[inline]
    pub fn reals(id: u32, f: &[f64]) -> Self {
        Self { id, rows: f.len() as u32, cols: 1, f: f.into(), ..Self::default() }
    }

    /// A sparse matrix.
    #[inline]
    pub fn matrix(id: u32, m: &Csr<'_>) -> Self {
        Self {
            id,
            rows: m.n_rows() as u32,
            cols: m.n_cols as u32,
            reserved: 0,
            f: m.value.into(),
            i: m.row_start.into(),
            j: m.column.into(),
        }
    }

    /// Rows of `cols` integers each.
    #[inline]
    pub fn integers(id: u32, cols: u32, i: &[u32]) -> Self {
        Self { id, rows: i.len() as u32 / cols.max(1), cols, i: i.into(), ..Self::default() }
    }

    /// The sparse matrix in it, unchecked.
    ///
    /// # Safety
    /// As [`Slice::get`] for all three arrays.
    #[inline]
    pub unsafe fn get_csr<'a>(&self) -> Csr<'a> {
        // SAFETY: the caller's promise.
        unsafe {
            Csr {
                n_cols: self.cols as usize,
                row_start: self.i.get(),
                column: self.j.get(),
                value: self.f.get(),
            }
        }
    }

    /// The sparse matrix in it.
    ///
    /// # Safety
    /// As [`Slice::checked`].
    #[inline]
    pub unsafe fn to_csr<'a>(&self, what: &'static str) -> Result<Csr<'a>, Flaw> {
        // SAFETY: the caller's promise.
        unsafe {
            Ok(Csr {
                n_cols: self.cols as usize,
                row_start: self.i.checked(what)?,
                column: self.j.checked(what)?,
                value: self.f.checked(what)?,
            })
        }
    }
}

/// A sparse matrix by rows: mirrors [`Csr`].
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Default)]
pub struct Matrix {
    /// Number of columns.
    pub n_cols: usize,
    /// Offsets of the rows, rows + 1; empty for a matrix without rows.
    pub row_start: Slice<u32>,
    /// Column of every entry.
    pub column: Slice<u32>,
    /// Value of every entry.
    pub value: Slice<f64>,
}

impl From<&Csr<'_>> for Matrix {
    #[inline]
    fn from(m: &Csr<'_>) -> Self {
        Self {
            n_cols: m.n_cols,
            row_start: m.row_start.into(),
            column: m.column.into(),
            value: m.value.into(),
        }
    }
}

impl Matrix {
    /// The matrix, unchecked.
    ///
    /// # Safety
    /// As [`Slice::get`] for all three arrays.
    #[inline]
    pub unsafe fn get<'a>(&self) -> Csr<'a> {
        // SAFETY: the caller's promise.
        unsafe {
            Csr {
                n_cols: self.n_cols,
                row_start: self.row_start.get(),
                column: self.column.get(),
                value: self.value.get(),
            }
        }
    }
}

/// Where a failing call puts its reason: memory of the caller, filled by the callee, UTF-8, cut where it does not fit.
#[repr(C)]
#[derive(StableAbi)]
pub struct ErrorText {
    /// Kind of refusal, see [`crate::codes::kind_code`].
    pub kind: u32,
    /// Bytes written.
    pub len: u32,
    /// Bytes there is room for.
    pub capacity: u32,
    /// Always zero.
    pub reserved: u32,
    /// The room.
    pub ptr: *mut u8,
}

impl ErrorText {
    /// An empty text that writes into `buffer`.
    pub fn new(buffer: &mut [u8]) -> Self {
        Self { kind: 0, len: 0, capacity: buffer.len() as u32, reserved: 0, ptr: buffer.as_mut_ptr() }
    }

    /// Writes kind and message, cut at a character that fits.
    ///
    /// # Safety
    /// `ptr` must point to `capacity` writable bytes.
    pub unsafe fn write(&mut self, kind: u32, message: &str) {
        let mut len = message.len().min(self.capacity as usize);
        while !message.is_char_boundary(len) {
            len -= 1;
        }
        if len > 0 {
            // SAFETY: the caller's promise; `len` does not exceed the capacity.
            unsafe { std::ptr::copy_nonoverlapping(message.as_ptr(), self.ptr, len) };
        }
        self.kind = kind;
        self.len = len as u32;
    }
}
