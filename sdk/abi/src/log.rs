//! Log messages of a plugin, handed to the host: each library has a `tracing` dispatcher of its own, silent by itself.

use std::ffi::c_void;
use std::fmt::Write as _;

use abi_stable::StableAbi;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

#[cfg(feature = "load")]
use crate::panics;
use crate::raw::Slice;

/// Services of the host for a library, given once at its initialisation.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct HostServices {
    /// First argument of the functions.
    pub ctx: *const c_void,
    /// Most verbose level wanted: 0 none, 1 error, … 5 trace. Less important events are never built.
    pub max_level: u32,
    /// Always zero.
    pub reserved: u32,
    /// Takes a message: (ctx, level, target, text), UTF-8. May be called from any thread.
    pub log: unsafe extern "C" fn(*const c_void, u32, Slice<u8>, Slice<u8>),
    /// The growth path: a function table by name, null for an unknown one.
    pub interface: unsafe extern "C" fn(*const c_void, Slice<u8>) -> *const c_void,
}

const LEVELS: [Level; 5] = [Level::ERROR, Level::WARN, Level::INFO, Level::DEBUG, Level::TRACE];

fn level_code(level: &Level) -> u32 {
    LEVELS.iter().position(|l| l == level).map_or(5, |i| i as u32 + 1)
}

/// Plugin side: sends events to the host.
pub(crate) struct Forwarder {
    services: HostServices,
    max: LevelFilter,
}

// SAFETY: the services are two function pointers that may be called from any thread, by contract, and a context that is
// only handed back to them.
unsafe impl Send for Forwarder {}
// SAFETY: as above.
unsafe impl Sync for Forwarder {}

impl Forwarder {
    /// Makes all events of this library, from now on, go to the host. Later calls change nothing.
    pub(crate) fn install(services: HostServices) {
        let max = match services.max_level {
            0 => LevelFilter::OFF,
            code => LEVELS.get(code as usize - 1).map_or(LevelFilter::TRACE, |l| LevelFilter::from_level(*l)),
        };
        // An error says that a dispatcher is there already: the plugin is linked into a program that logs by itself.
        let _ = tracing::subscriber::set_global_default(Self { services, max });
    }
}

impl Subscriber for Forwarder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= self.max
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.max)
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = EventText::default();
        event.record(&mut text);
        let (level, target) = (level_code(event.metadata().level()), event.metadata().target());
        let message = text.message + &text.fields;
        // SAFETY: the host keeps context and function for ever; the texts are borrowed for the call.
        unsafe { (self.services.log)(self.services.ctx, level, target.into(), message.as_str().into()) };
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[derive(Default)]
struct EventText {
    message: String,
    fields: String,
}

impl Visit for EventText {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

/// Host side: services whose messages become events of the host, under the plugin's name.
#[cfg(feature = "load")]
pub(crate) fn host_services(plugin: &'static str) -> HostServices {
    let max_level = LevelFilter::current().into_level().map_or(0, |level| level_code(&level));
    // The name is leaked once per library: libraries are never unloaded, so it is needed for ever.
    let name: &'static &'static str = Box::leak(Box::new(plugin));
    HostServices {
        ctx: std::ptr::from_ref(name).cast(),
        max_level,
        reserved: 0,
        log,
        interface: no_interface,
    }
}

#[cfg(feature = "load")]
/// # Safety
/// `ctx` must come from [`host_services`]; the texts must be readable during the call.
unsafe extern "C" fn log(ctx: *const c_void, level: u32, target: Slice<u8>, message: Slice<u8>) {
    let emit = || {
        // SAFETY: the caller's promise, here and below.
        let plugin = unsafe { *ctx.cast::<&'static str>() };
        let (target, message) = unsafe { (target.get(), message.get()) };
        let (target, message) = (String::from_utf8_lossy(target), String::from_utf8_lossy(message));
        match level {
            1 => tracing::error!(target: "plugin", plugin, module = &*target, "{message}"),
            2 => tracing::warn!(target: "plugin", plugin, module = &*target, "{message}"),
            3 => tracing::info!(target: "plugin", plugin, module = &*target, "{message}"),
            4 => tracing::debug!(target: "plugin", plugin, module = &*target, "{message}"),
            _ => tracing::trace!(target: "plugin", plugin, module = &*target, "{message}"),
        }
    };
    // A panic of the host's own subscriber must not unwind into the plugin, and a lost log line is the smaller evil.
    let _ = panics::catch(emit);
}

#[cfg(feature = "load")]
/// # Safety
/// None beyond the type's.
unsafe extern "C" fn no_interface(_: *const c_void, _: Slice<u8>) -> *const c_void {
    std::ptr::null()
}
