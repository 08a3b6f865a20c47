//! From a table of C, in which anything may be wrong, to the functions that the host calls.

use std::ffi::c_void;

use super::v1::{ControllerV1, DetectorV1, PluginV1, SolverV1, StepperV1};
use crate::codes::{OK, REFUSED};
use crate::controller::ControllerFunctions;
use crate::detector::DetectorFunctions;
use crate::foreign::Lifecycle;
use crate::panics::report;
use crate::raw::{ErrorText, Slice};
use crate::solver::SolverFunctions;
use crate::stepper::StepperFunctions;
use vinci_core::error::ErrorKind;
use vinci_core::stage::refuse_foreign_state;

/// Refuses a table of fewer bytes than this contract's.
fn long_enough(found: u32, expected: usize) -> Result<(), String> {
    if found as usize >= expected {
        return Ok(());
    }
    Err(format!(
        "it has {found} bytes where {expected} are expected; set its size to sizeof of its type, and build it with the \
         vinci_plugin.h of this host"
    ))
}

/// Refuses the exported table where its first number is too small.
pub(crate) fn check_size(found: u32) -> Result<(), String> {
    long_enough(found, size_of::<PluginV1>())
}

fn missing(function: &str) -> String {
    format!("its function {function} is null; no instance can be used without it")
}

/// Reads a table of a role, if there is one. What is newer and longer is read as far as this contract knows it.
///
/// # Safety
/// `table` must be null or point to a readable `u32`, followed by as many bytes as it says.
unsafe fn read<T: Copy>(table: *const T) -> Result<Option<T>, String> {
    if table.is_null() {
        return Ok(None);
    }
    if !table.is_aligned() {
        return Err(format!("it stands at {table:p}, where none can stand"));
    }
    // SAFETY: the caller's promise.
    let size = unsafe { *table.cast::<u32>() };
    long_enough(size, size_of::<T>())?;
    // SAFETY: the caller's promise, and the size is enough.
    Ok(Some(unsafe { *table }))
}

macro_rules! lifecycle {
    ($table:ident) => {{
        if $table.save.is_some() != $table.load.is_some() {
            return Err("it has one of save and load; give both or neither".into());
        }
        Lifecycle {
            create: $table.create.ok_or_else(|| missing("create"))?,
            save: $table.save.unwrap_or(saves_nothing),
            load: $table.load.unwrap_or(loads_nothing),
            extension: $table.extension.unwrap_or(knows_nothing),
            destroy: $table.destroy.ok_or_else(|| missing("destroy"))?,
        }
    }};
}

/// The functions of a detector, if there is one.
///
/// # Safety
/// As [`read`].
pub(crate) unsafe fn detector(table: *const DetectorV1) -> Result<Option<DetectorFunctions>, String> {
    // SAFETY: the caller's promise.
    let Some(t) = (unsafe { read(table) })? else { return Ok(None) };
    let lifecycle = lifecycle!(t);
    Ok(Some(DetectorFunctions { lifecycle, detect: t.detect.ok_or_else(|| missing("detect"))? }))
}

/// The functions of a stepper, if there is one.
///
/// # Safety
/// As [`read`].
pub(crate) unsafe fn stepper(table: *const StepperV1) -> Result<Option<StepperFunctions>, String> {
    // SAFETY: the caller's promise.
    let Some(t) = (unsafe { read(table) })? else { return Ok(None) };
    let lifecycle = lifecycle!(t);
    let formulate = t.formulate.ok_or_else(|| missing("formulate"))?;
    Ok(Some(StepperFunctions { lifecycle, formulate, update: t.update.ok_or_else(|| missing("update"))? }))
}

/// The functions of a solver, if there is one.
///
/// # Safety
/// As [`read`].
pub(crate) unsafe fn solver(table: *const SolverV1) -> Result<Option<SolverFunctions>, String> {
    // SAFETY: the caller's promise.
    let Some(t) = (unsafe { read(table) })? else { return Ok(None) };
    let lifecycle = lifecycle!(t);
    Ok(Some(SolverFunctions { lifecycle, solve: t.solve.ok_or_else(|| missing("solve"))? }))
}

/// The functions of a controller, if there is one.
///
/// # Safety
/// As [`read`].
pub(crate) unsafe fn controller(table: *const ControllerV1) -> Result<Option<ControllerFunctions>, String> {
    // SAFETY: the caller's promise.
    let Some(t) = (unsafe { read(table) })? else { return Ok(None) };
    let lifecycle = lifecycle!(t);
    Ok(Some(ControllerFunctions { lifecycle, control: t.control.ok_or_else(|| missing("control"))? }))
}

/// In the place of a `save` that is null.
///
/// # Safety
/// `out` must be writable.
unsafe extern "C" fn saves_nothing(_: *mut c_void, out: *mut Slice<u8>, _: *mut ErrorText) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { *out = Slice::default() };
    OK
}

/// In the place of a `load` that is null.
///
/// # Safety
/// `bytes` must be readable, and `error` as in [`report`].
unsafe extern "C" fn loads_nothing(_: *mut c_void, bytes: Slice<u8>, error: *mut ErrorText) -> i32 {
    // SAFETY: the caller's promise.
    match refuse_foreign_state(unsafe { bytes.get() }) {
        Ok(()) => OK,
        Err(refusal) => {
            // SAFETY: the caller's promise.
            unsafe { report(error, refusal.kind, &refusal.message) };
            REFUSED
        }
    }
}

/// The `extension` of a table that has none: it refuses every request.
///
/// # Safety
/// `id` must be readable, and `error` as in [`report`].
unsafe extern "C" fn knows_nothing(
    _: *mut c_void,
    id: Slice<u8>,
    _: Slice<u8>,
    _: *mut Slice<u8>,
    error: *mut ErrorText,
) -> i32 {
    // SAFETY: the caller's promise.
    let id = String::from_utf8_lossy(unsafe { id.get() });
    // SAFETY: the caller's promise.
    unsafe { report(error, ErrorKind::Unsupported, &format!("extension {id} is not supported")) };
    REFUSED
}
