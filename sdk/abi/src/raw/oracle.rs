//! A function called back across the contract.

use super::{ErrorText, Slice, SliceMut};
use abi_stable::StableAbi;
use std::ffi::c_void;

/// One function called back while a problem is solved: `call(ctx, what, input, output, error)` gives a return code.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct OracleView {
    /// First argument of `call`.
    pub ctx: *const c_void,
    /// The function; null where the class has none.
    pub call:
        Option<unsafe extern "C" fn(*const c_void, u32, Slice<f64>, SliceMut<f64>, *mut ErrorText) -> i32>,
}
