//! Controllers: the functions that cross, how a plugin offers them, how the host calls them.

use std::ffi::c_void;
use std::sync::Arc;

use abi_stable::StableAbi;
use vinci_core::StageError;
use vinci_core::model::SystemView;
use vinci_core::stage::{Commands, ControlView, Controller};

use crate::common::{exported_lifecycle, foreign_methods, foreign_state};
use crate::fault::Flaw;
use crate::foreign::{Handle, Lifecycle, returned};
use crate::guard;
use crate::inspect;
use crate::manifest::Manifest;
use crate::raw::{self, Crossing, ErrorText, Sizes};

/// A controller that can be exported.
pub trait ControllerPlugin: Controller + Sized + 'static {
    /// Manifest of the plugin.
    fn manifest() -> Manifest;

    /// A new instance from options (JSON text, empty for none) and the system it will work for, with the degrees of freedom that it
    /// governs.
    fn create(options: &str, system: &SystemView<'_>) -> Result<Self, StageError>;

    /// Extension point: answers request `id`. An unknown request is refused as unsupported.
    fn extension(&mut self, id: &str, input: &[u8], output: &mut Vec<u8>) -> Result<(), StageError> {
        let _ = (input, output);
        Err(StageError::unsupported(format!("extension {id} is not supported")))
    }
}

/// The functions of a controller.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct ControllerFunctions {
    /// Create, save, load, extension, destroy.
    pub lifecycle: Lifecycle,
    /// Gives efforts and set-points until the next call.
    pub control:
        unsafe extern "C" fn(*mut c_void, *const raw::ControlView, *mut raw::Commands, *mut ErrorText) -> i32,
}

impl ControllerFunctions {
    /// The functions of `T`.
    pub const fn of<T: ControllerPlugin>() -> Self {
        Self { lifecycle: lifecycle::<T>(), control: control::<T> }
    }
}

exported_lifecycle!(ControllerPlugin, Controller);

unsafe extern "C" fn control<T: ControllerPlugin>(
    instance: *mut c_void,
    view: *const raw::ControlView,
    out: *mut raw::Commands,
    error: *mut ErrorText,
) -> i32 {
    // SAFETY: the host passes an instance of this role, a view that lives during the call, and a place for the result.
    unsafe {
        guard::call::<T>(instance, error, |instance| {
            (*view).space.known("space")?;
            let view = (*view).get();
            inspect::control(&view, instance.size)?;
            let commands = instance.stage.control(&view)?;
            *out = raw::Commands::outgoing(&commands);
            Ok(())
        })
    }
}

/// A controller in a foreign library.
pub struct ForeignController {
    handle: Handle,
    functions: ControllerFunctions,
    /// Lengths of its answers.
    sizes: Sizes,
}

impl ForeignController {
    /// A new instance.
    ///
    /// # Safety
    /// The functions must come from a library that keeps the contract and is never unloaded.
    pub unsafe fn create(
        plugin: Arc<str>,
        functions: ControllerFunctions,
        options: &str,
        system: &SystemView<'_>,
    ) -> Result<Self, StageError> {
        // SAFETY: the caller's promise.
        let handle = unsafe { Handle::create(plugin, functions.lifecycle, options, system) }?;
        Ok(Self { handle, functions, sizes: Self::answer(system) })
    }

    fn answer(system: &SystemView<'_>) -> Sizes {
        let (efforts, set_points) = (system.efforts.len(), system.set_points.len());
        Sizes { efforts, set_points, ..Sizes::default() }
    }

    /// A controller of this program that stands for one elsewhere: what it answers is looked at as if a library had.
    pub fn over<T: ControllerPlugin>(plugin: Arc<str>, stage: T, system: &SystemView<'_>) -> Self {
        let functions = ControllerFunctions::of::<T>();
        let handle = Handle::over(plugin, functions.lifecycle, stage, system);
        Self { handle, functions, sizes: Self::answer(system) }
    }

    foreign_methods!();
}

impl Controller for ForeignController {
    fn control<'s>(&'s mut self, view: &ControlView<'_>) -> Result<Commands<'s>, StageError> {
        self.handle.guard(|size| inspect::control(view, size))?;
        let view = raw::ControlView::outgoing(view);
        let mut out = raw::Commands::default();
        let function = self.functions.control;
        // SAFETY: a live instance and its own function; the view borrows its arrays for the call.
        self.handle
            .call("control", |instance, error| unsafe { function(instance, &view, &mut out, error) })?;
        // SAFETY: the plugin owns these arrays until its next call, and `self` is borrowed that long.
        let commands = unsafe { out.checked("commands") };
        let checked = commands.and_then(|c| check(&c, &self.sizes).map(|()| c));
        checked.map_err(|flaw| self.handle.at_fault("control", returned(flaw)))
    }

    foreign_state!();
}

fn check(commands: &Commands<'_>, sizes: &Sizes) -> Result<(), Flaw> {
    if !raw::Commands::fits(commands, sizes) {
        raw::Commands::measure(commands, sizes).map_err(Flaw::output)?;
    }
    raw::Commands::finite(commands)
}
