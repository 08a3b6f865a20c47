//! Detectors: the functions that cross, how a plugin offers them, how the host calls them.

use std::ffi::c_void;
use std::sync::Arc;

use abi_stable::StableAbi;
use vinci_core::StageError;
use vinci_core::contact::RawContacts;
use vinci_core::model::{Space, SystemView};
use vinci_core::stage::{DetectQuery, Detector};

use crate::common::{exported_lifecycle, foreign_methods, foreign_state};
use crate::fault::Flaw;
use crate::finite::finite;
use crate::foreign::{Handle, Lifecycle, returned};
use crate::guard;
use crate::inspect;
use crate::manifest::Manifest;
use crate::raw::{self, Crossing, ErrorText, Sizes};

/// A detector that can be exported.
pub trait DetectorPlugin: Detector + Sized + 'static {
    /// Manifest of the plugin.
    fn manifest() -> Manifest;

    /// A new instance from options (JSON text, empty for none) and the system it will work for.
    fn create(options: &str, system: &SystemView<'_>) -> Result<Self, StageError>;

    /// Extension point: answers request `id`. An unknown request is refused as unsupported.
    fn extension(&mut self, id: &str, input: &[u8], output: &mut Vec<u8>) -> Result<(), StageError> {
        let _ = (input, output);
        Err(StageError::unsupported(format!("extension {id} is not supported")))
    }
}

/// The functions of a detector.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct DetectorFunctions {
    /// Create, save, load, extension, destroy.
    pub lifecycle: Lifecycle,
    /// Finds contacts.
    pub detect: unsafe extern "C" fn(
        *mut c_void,
        *const raw::DetectQuery,
        *mut raw::RawContacts,
        *mut ErrorText,
    ) -> i32,
}

impl DetectorFunctions {
    /// The functions of `T`.
    pub const fn of<T: DetectorPlugin>() -> Self {
        Self { lifecycle: lifecycle::<T>(), detect: detect::<T> }
    }
}

exported_lifecycle!(DetectorPlugin, Detector);

unsafe extern "C" fn detect<T: DetectorPlugin>(
    instance: *mut c_void,
    query: *const raw::DetectQuery,
    out: *mut raw::RawContacts,
    error: *mut ErrorText,
) -> i32 {
    // SAFETY: the host passes an instance of this role, a view that lives during the call, and a place for the result.
    unsafe {
        guard::call::<T>(instance, error, |instance| {
            let query = (*query).get();
            inspect::query(&query, instance.size)?;
            let contacts = instance.stage.detect(&query)?;
            *out = raw::RawContacts::outgoing(&contacts);
            Ok(())
        })
    }
}

/// A detector in a foreign library.
pub struct ForeignDetector {
    handle: Handle,
    functions: DetectorFunctions,
    n_shapes: usize,
    space: Space,
}

impl ForeignDetector {
    /// A new instance.
    ///
    /// # Safety
    /// The functions must come from a library that keeps the contract and is never unloaded.
    pub unsafe fn create(
        plugin: Arc<str>,
        functions: DetectorFunctions,
        options: &str,
        system: &SystemView<'_>,
    ) -> Result<Self, StageError> {
        // SAFETY: the caller's promise.
        let handle = unsafe { Handle::create(plugin, functions.lifecycle, options, system) }?;
        Ok(Self { handle, functions, n_shapes: system.shapes.len(), space: system.space })
    }

    /// A detector of this program that stands for one elsewhere: what it answers is looked at as if a library had.
    pub fn over<T: DetectorPlugin>(plugin: Arc<str>, stage: T, system: &SystemView<'_>) -> Self {
        let functions = DetectorFunctions::of::<T>();
        let handle = Handle::over(plugin, functions.lifecycle, stage, system);
        Self { handle, functions, n_shapes: system.shapes.len(), space: system.space }
    }

    foreign_methods!();
}

impl Detector for ForeignDetector {
    fn detect<'s>(&'s mut self, query: &DetectQuery<'_>) -> Result<RawContacts<'s>, StageError> {
        self.handle.guard(|size| inspect::query(query, size))?;
        let view = raw::DetectQuery::outgoing(query);
        let mut out = raw::RawContacts::default();
        let function = self.functions.detect;
        // SAFETY: a live instance and its own function; the view borrows the query for the call.
        self.handle
            .call("detect", |instance, error| unsafe { function(instance, &view, &mut out, error) })?;
        // SAFETY: the plugin owns these arrays until its next call, and `self` is borrowed that long.
        let contacts = unsafe { out.checked("contacts") };
        let checked = contacts.and_then(|c| check(&c, self.n_shapes, self.space).map(|()| c));
        checked.map_err(|flaw| self.handle.at_fault("detect", returned(flaw)))
    }

    foreign_state!();
}

fn check(c: &RawContacts<'_>, n_shapes: usize, space: Space) -> Result<(), Flaw> {
    let sizes = Sizes { n: c.key.len(), ..Sizes::default() };
    if !raw::RawContacts::fits(c, &sizes) {
        raw::RawContacts::measure(c, &sizes).map_err(Flaw::output)?;
    }
    finite("gap", c.gap)?;
    finite("normal", c.normal)?;
    finite("point_a", c.point_a)?;
    finite("point_b", c.point_b)?;
    if let Some(key) = c.key.iter().find(|k| k.shape_a.max(k.shape_b) as usize >= n_shapes) {
        let (a, b) = (key.shape_a, key.shape_b);
        return Err(Flaw::output(format!("a contact between shapes {a} and {b} of {n_shapes}")));
    }
    if let Some(key) = c.key.iter().find(|k| k.shape_a == k.shape_b) {
        return Err(Flaw::output(format!("a contact of shape {} with itself", key.shape_a)));
    }
    check_normals(c.normal, space)
}

fn check_normals(normal: &[f64], space: Space) -> Result<(), Flaw> {
    let first = |is_bad: fn(&[f64]) -> bool| normal.chunks_exact(3).position(is_bad);
    if let Some(i) = first(|n| (n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1.0).abs() > 1e-9) {
        return Err(Flaw::output(format!("the normal of contact {i} is not a unit vector")));
    }
    match first(|n| n[2].abs() > 1e-9) {
        Some(i) if space == Space::Planar => {
            Err(Flaw::output(format!("the normal of contact {i} leaves the plane")))
        }
        _ => Ok(()),
    }
}
