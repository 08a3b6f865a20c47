//! The host side of every call: what is the same for all roles.

use std::cell::RefCell;
use std::ffi::c_void;
use std::sync::Arc;

use abi_stable::StableAbi;
use vinci_core::StageError;
use vinci_core::error::one_line;
use vinci_core::model::SystemView;

use crate::codes::{self, OK, PANICKED, POISONED, REFUSED};
use crate::exit_watch::{self, Mark};
use crate::fault::{FaultKind, Flaw, PluginFault};
use crate::float_env::FloatEnv;
use crate::guard;
use crate::inspect::Size;
use crate::raw::{self, ErrorText, Slice, SystemParts};

/// Longest message of a plugin that is kept, bytes.
const ERROR_CAPACITY: usize = 1024;

/// The functions every role has.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct Lifecycle {
    /// Makes an instance from options (JSON text) and the system; null on failure.
    pub create: unsafe extern "C" fn(Slice<u8>, *const raw::SystemView, *mut ErrorText) -> *mut c_void,
    /// Gives the bytes that must survive a checkpoint; the plugin owns them until its next call.
    pub save: unsafe extern "C" fn(*mut c_void, *mut Slice<u8>, *mut ErrorText) -> i32,
    /// Takes back what `save` gave.
    pub load: unsafe extern "C" fn(*mut c_void, Slice<u8>, *mut ErrorText) -> i32,
    /// The growth path: a request by name, bytes in, bytes out (the plugin owns them until its next call).
    pub extension:
        unsafe extern "C" fn(*mut c_void, Slice<u8>, Slice<u8>, *mut Slice<u8>, *mut ErrorText) -> i32,
    /// Ends an instance; its handle is dead whatever the return code.
    pub destroy: unsafe extern "C" fn(*mut c_void, *mut ErrorText) -> i32,
}

/// A live instance in a foreign library. Not `Send`: an instance stays on the thread that made it.
pub(crate) struct Handle {
    pub plugin: Arc<str>,
    lifecycle: Lifecycle,
    instance: *mut c_void,
    buffer: RefCell<Box<[u8]>>,
    fault: RefCell<Option<PluginFault>>,
    size: Size,
    /// True if the other side has a guard of ours, which looks at what comes in.
    guarded: bool,
}

impl Handle {
    /// Makes an instance.
    ///
    /// # Safety
    /// The functions must be those of one role of a library that keeps the contract and is never unloaded.
    pub(crate) unsafe fn create(
        plugin: Arc<str>,
        lifecycle: Lifecycle,
        options: &str,
        system: &SystemView<'_>,
    ) -> Result<Self, StageError> {
        exit_watch::arm();
        exit_watch::used(&plugin);
        let mut handle = Self::empty(plugin, lifecycle, Size::of(system));
        let parts = SystemParts::outgoing(system);
        let view = parts.view(system);
        let create = handle.lifecycle.create;
        let mut instance = std::ptr::null_mut();
        let made = handle.call("create", |_, error| {
            // SAFETY: the arguments are borrowed for the call and the function is one of the contract.
            instance = unsafe { create(options.into(), &view, error) };
            // SAFETY: `call` passes a text of its own.
            let kind = codes::kind_from_code(unsafe { (*error).kind });
            match (instance.is_null(), kind.is_fault()) {
                (false, _) => OK,
                (true, true) => PANICKED,
                (true, false) => REFUSED,
            }
        });
        // An instance that was made and then found at fault (floating-point environment) is still destroyed on drop.
        handle.instance = instance;
        made.map(|()| handle)
    }

    fn empty(plugin: Arc<str>, lifecycle: Lifecycle, size: Size) -> Self {
        let (buffer, fault) = (RefCell::new(vec![0; ERROR_CAPACITY].into_boxed_slice()), RefCell::new(None));
        Self { plugin, lifecycle, instance: std::ptr::null_mut(), buffer, fault, size, guarded: true }
    }

    /// A stage of this program behind functions that are those of `T`.
    pub(crate) fn over<T>(plugin: Arc<str>, lifecycle: Lifecycle, stage: T, system: &SystemView<'_>) -> Self {
        let size = Size::of(system);
        let mut handle = Self::empty(plugin, lifecycle, size);
        handle.instance = guard::instance(stage, size);
        handle
    }

    /// One call: text for the refusal, environment guarded, return code turned into a result.
    #[inline]
    pub(crate) fn call(
        &self,
        call: &'static str,
        function: impl FnOnce(*mut c_void, *mut ErrorText) -> i32,
    ) -> Result<(), StageError> {
        let mut buffer = self.buffer.borrow_mut();
        let mut error = ErrorText::new(&mut buffer);
        let env = FloatEnv::now();
        let mark = Mark { plugin: &*self.plugin, call };
        let code = exit_watch::during(&mark, || function(self.instance, &mut error));
        let changed = env.restore();
        let forked = exit_watch::has_forked();
        if code == OK && changed.is_none() && !forked {
            return Ok(());
        }
        if forked {
            return Err(self.at_fault(call, fork_flaw()));
        }
        let len = (error.len as usize).min(buffer.len());
        let text = match len {
            0 => "gives no reason; ask the plugin's author for one".into(),
            len => one_line(&String::from_utf8_lossy(&buffer[..len])),
        };
        match (code, changed) {
            (OK, Some((before, after))) => Err(self.at_fault(call, environment_flaw(before, after))),
            // A call that refuses has to leave the environment alone as any other.
            (REFUSED, Some((before, after))) => {
                let flaw = environment_flaw(before, after);
                let message = format!("{} (and it refuses: {text})", flaw.message);
                Err(self.at_fault(call, Flaw { message, ..flaw }))
            }
            (REFUSED, None) => Err(StageError::new(codes::kind_from_code(error.kind), text).by(&self.plugin)),
            (PANICKED, _) => Err(self.at_fault(call, Flaw { kind: FaultKind::Panicked, message: text })),
            (POISONED, _) => {
                let message = format!("is refused because of an earlier panic: {text}");
                Err(self.at_fault(call, Flaw { kind: FaultKind::Poisoned, message }))
            }
            (other, _) => {
                Err(self.at_fault(call, Flaw::output(format!("gave the unknown return code {other}"))))
            }
        }
    }

    /// Says that nobody on the other side looks at what comes in, so that it is looked at here.
    #[cfg(feature = "load")]
    pub(crate) fn be_careful(&mut self) {
        self.guarded = false;
    }

    /// Looks at what is about to go in, where the other side does not.
    #[inline]
    pub(crate) fn guard(&self, look: impl FnOnce(Size) -> Result<(), StageError>) -> Result<(), StageError> {
        if self.guarded { Ok(()) } else { look(self.size).map_err(|error| error.by(&self.plugin)) }
    }

    /// Puts plugin and call to a flaw, keeps the fault for [`Handle::fault`] and makes it an error.
    pub(crate) fn at_fault(&self, call: &'static str, flaw: Flaw) -> StageError {
        let fault = PluginFault { plugin: self.plugin.clone(), call, kind: flaw.kind, message: flaw.message };
        *self.fault.borrow_mut() = Some(fault.clone());
        fault.into()
    }

    /// The last fault, if there was one.
    pub(crate) fn fault(&self) -> Option<PluginFault> {
        self.fault.borrow().clone()
    }

    /// Appends the bytes of save.
    pub(crate) fn save(&self, bytes: &mut Vec<u8>) -> Result<(), StageError> {
        let save = self.lifecycle.save;
        let mut out = Slice::default();
        // SAFETY: a live instance and its own role's function; the bytes are read before the next call.
        self.call("save", |instance, error| unsafe { save(instance, &mut out, error) })?;
        // SAFETY: the plugin owns the bytes until its next call.
        let saved = unsafe { out.checked("state") }.map_err(|flaw| self.at_fault("save", returned(flaw)))?;
        bytes.extend_from_slice(saved);
        Ok(())
    }

    /// Hands bytes of an earlier save back.
    pub(crate) fn load(&self, bytes: &[u8]) -> Result<(), StageError> {
        let load = self.lifecycle.load;
        // SAFETY: a live instance and its own role's function; the bytes are borrowed for the call.
        self.call("load", |instance, error| unsafe { load(instance, bytes.into(), error) })
    }

    /// Ends the instance, of which nothing is asked any more. An end can fail, but not be refused.
    pub(crate) fn end(&mut self) -> Result<(), StageError> {
        if self.instance.is_null() {
            return Ok(());
        }
        let destroy = self.lifecycle.destroy;
        // SAFETY: a live instance and its own role's function; this is the last call.
        let ended = self.call("destroy", |instance, error| unsafe { destroy(instance, error) });
        self.instance = std::ptr::null_mut();
        ended.map_err(|error| match error.kind.is_fault() {
            true => error,
            false => self.at_fault("destroy", Flaw::output(format!("refuses: {}", error.message))),
        })
    }

    /// A request by name.
    pub(crate) fn extension(&mut self, id: &str, input: &[u8]) -> Result<&[u8], StageError> {
        let extension = self.lifecycle.extension;
        let mut out = Slice::default();
        // SAFETY: a live instance and its own role's function; the arguments are borrowed for the call.
        self.call("extension", |instance, error| unsafe {
            extension(instance, id.into(), input.into(), &mut out, error)
        })?;
        // SAFETY: the plugin owns the bytes until its next call, and `&mut self` is borrowed that long.
        unsafe { out.checked("answer") }.map_err(|flaw| self.at_fault("extension", returned(flaw)))
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            tracing::warn!("{error}");
        }
    }
}

fn environment_flaw(before: u64, after: u64) -> Flaw {
    let message = format!(
        "changed the floating-point environment from {before:#x} to {after:#x} (it was put back); \
         build the plugin without -ffast-math and leave rounding and flushing alone"
    );
    Flaw { kind: FaultKind::FloatEnvironment, message }
}

fn fork_flaw() -> Flaw {
    let message = "forked the process (the copy was ended where it came back); start other programs with posix_spawn or system";
    Flaw { kind: FaultKind::Forked, message: message.to_owned() }
}

/// A flaw of something returned, as the end of a sentence.
pub(crate) fn returned(flaw: Flaw) -> Flaw {
    Flaw { message: format!("broke the contract in what it returned: {}", flaw.message), ..flaw }
}

/// Error unless there are as many values as expected.
#[inline]
pub(crate) fn length(what: &str, found: usize, expected: usize) -> Result<(), Flaw> {
    if found == expected {
        return Ok(());
    }
    Err(Flaw::output(format!("{found} {what} where {expected} are expected")))
}
