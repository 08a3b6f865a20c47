//! The tables of the plain C entry.

use std::ffi::c_void;

use abi_stable::StableAbi;

use crate::log::HostServices;
use crate::raw::{self, ErrorText, ProblemView, Slice, SolutionView, Text, UpdateView};

/// Name of the exported table.
pub(crate) const SYMBOL: &str = "vinci_plugin_v1";

/// The exported table `vinci_plugin_v1`: what a library offers. Everything it points to lives as long as the library.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct PluginV1 {
    /// Size of this struct, bytes: `sizeof(VinciPluginV1)`.
    pub size: u32,
    /// The contract that the header describes: `VINCI_CONTRACT_VERSION`.
    pub contract: u32,
    /// Gives the manifests of all roles: a JSON list of objects, that lives as long as the library.
    pub manifest: Option<unsafe extern "C" fn() -> Text>,
    /// Takes the host's services, once, before anything is created; gives a return code. May be null.
    pub init: Option<unsafe extern "C" fn(services: *const HostServices) -> i32>,
    /// The detector, or null.
    pub detector: *const DetectorV1,
    /// The stepper, or null.
    pub stepper: *const StepperV1,
    /// The solver, or null.
    pub solver: *const SolverV1,
    /// The controller, or null.
    pub controller: *const ControllerV1,
}

/// Writes the table of a role: the functions that every role has, then its own.
macro_rules! role {
    ($(#[$meta:meta])* $name:ident { $($(#[$own:meta])* $field:ident: $function:ty,)+ }) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(StableAbi, Clone, Copy)]
        pub struct $name {
            /// Size of this struct, bytes.
            pub size: u32,
            /// Zero.
            pub reserved: u32,
            /// Makes an instance from options and the system, which live during this call only; null on failure, with the reason in
            /// `error`. The options are a JSON object without spaces, checked by the manifest's schema, with its defaults filled in.
            pub create: Option<
                unsafe extern "C" fn(
                    options: Slice<u8>,
                    system: *const raw::SystemView,
                    error: *mut ErrorText,
                ) -> *mut c_void,
            >,
            /// Gives the bytes that must survive a checkpoint. Null, with `load`, where there are none.
            pub save: Option<
                unsafe extern "C" fn(instance: *mut c_void, out: *mut Slice<u8>, error: *mut ErrorText) -> i32,
            >,
            /// Takes back what `save` gave, perhaps that of another instance; refuses what is not its own.
            pub load: Option<
                unsafe extern "C" fn(instance: *mut c_void, bytes: Slice<u8>, error: *mut ErrorText) -> i32,
            >,
            /// A request by name, bytes in, bytes out; null where none is known.
            pub extension: Option<
                unsafe extern "C" fn(
                    instance: *mut c_void,
                    id: Slice<u8>,
                    input: Slice<u8>,
                    out: *mut Slice<u8>,
                    error: *mut ErrorText,
                ) -> i32,
            >,
            /// Ends an instance; its handle is dead whatever the return code.
            pub destroy: Option<unsafe extern "C" fn(instance: *mut c_void, error: *mut ErrorText) -> i32>,
            $($(#[$own])* pub $field: $function,)+
        }
    };
}

role! {
    /// The functions of a detector.
    DetectorV1 {
        /// Finds contacts.
        detect: Option<
            unsafe extern "C" fn(
                instance: *mut c_void,
                query: *const raw::DetectQuery,
                out: *mut raw::RawContacts,
                error: *mut ErrorText,
            ) -> i32,
        >,
    }
}

role! {
    /// The functions of a stepper.
    StepperV1 {
        /// Gives the problem of a step.
        formulate: Option<
            unsafe extern "C" fn(
                instance: *mut c_void,
                step: *const raw::StepView,
                out: *mut ProblemView,
                error: *mut ErrorText,
            ) -> i32,
        >,
        /// Says what follows from its solution.
        update: Option<
            unsafe extern "C" fn(
                instance: *mut c_void,
                step: *const raw::StepView,
                solution: *const SolutionView,
                out: *mut UpdateView,
                error: *mut ErrorText,
            ) -> i32,
        >,
    }
}

role! {
    /// The functions of a solver.
    SolverV1 {
        /// Solves one problem.
        solve: Option<
            unsafe extern "C" fn(
                instance: *mut c_void,
                problem: *const ProblemView,
                out: *mut SolutionView,
                error: *mut ErrorText,
            ) -> i32,
        >,
    }
}

role! {
    /// The functions of a controller.
    ControllerV1 {
        /// Gives efforts and set-points until the next call.
        control: Option<
            unsafe extern "C" fn(
                instance: *mut c_void,
                view: *const raw::ControlView,
                out: *mut raw::Commands,
                error: *mut ErrorText,
            ) -> i32,
        >,
    }
}
