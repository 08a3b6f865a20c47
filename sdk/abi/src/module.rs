//! The root module: what the host finds in a library.

use std::ffi::c_void;

use abi_stable::library::{LibHeader, RootModule, RootModuleResult};
use abi_stable::prefix_type::PrefixTypeTrait;
use abi_stable::sabi_types::VersionStrings;
use abi_stable::std_types::ROption;
use abi_stable::{StableAbi, package_version_strings};

use crate::controller::{ControllerFunctions, ControllerPlugin};
use crate::detector::{DetectorFunctions, DetectorPlugin};
use crate::log::{Forwarder, HostServices};
use crate::manifest::{Manifest, ManifestText, Role};
use crate::panics;
use crate::raw::Slice;
use crate::solver::{SolverFunctions, SolverPlugin};
use crate::stepper::{StepperFunctions, StepperPlugin};

/// Root module of a library. Frozen: nothing is added here within a major version.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = PluginModuleRef)))]
pub struct PluginModule {
    /// Manifests of all roles, JSON text that lives as long as the library.
    pub manifest: extern "C" fn() -> Slice<u8>,
    /// Takes the host's services; called once, before anything is created. Gives a return code.
    pub init: unsafe extern "C" fn(*const HostServices) -> i32,
    /// The growth path: a function table by name, null for an unknown one.
    pub interface: unsafe extern "C" fn(Slice<u8>) -> *const c_void,
    /// The detector, if there is one.
    pub detector: ROption<DetectorFunctions>,
    /// The stepper, if there is one.
    pub stepper: ROption<StepperFunctions>,
    /// The solver, if there is one.
    pub solver: ROption<SolverFunctions>,
    /// The controller, if there is one.
    #[sabi(last_prefix_field)]
    pub controller: ROption<ControllerFunctions>,
}

impl RootModule for PluginModuleRef {
    abi_stable::declare_root_module_statics! {PluginModuleRef}
    const BASE_NAME: &'static str = "vinci_plugin";
    const NAME: &'static str = "vinci_plugin";
    const VERSION_STRINGS: VersionStrings = package_version_strings!();
}

/// Exports of a library: its roles, each with its functions and its manifest.
#[derive(Clone, Copy)]
pub struct Roles {
    detector: ROption<DetectorFunctions>,
    stepper: ROption<StepperFunctions>,
    solver: ROption<SolverFunctions>,
    controller: ROption<ControllerFunctions>,
    manifests: [Option<fn() -> Manifest>; Role::ALL.len()],
}

impl Roles {
    /// A module without plugins.
    pub const NONE: Self = Self {
        detector: ROption::RNone,
        stepper: ROption::RNone,
        solver: ROption::RNone,
        controller: ROption::RNone,
        manifests: [None; Role::ALL.len()],
    };

    /// This module with detector `T`.
    pub const fn detector<T: DetectorPlugin>(mut self) -> Self {
        self.detector = ROption::RSome(DetectorFunctions::of::<T>());
        self.manifests[0] = Some(T::manifest);
        self
    }

    /// This module with stepper `T`.
    pub const fn stepper<T: StepperPlugin>(mut self) -> Self {
        self.stepper = ROption::RSome(StepperFunctions::of::<T>());
        self.manifests[1] = Some(T::manifest);
        self
    }

    /// This module with solver `T`.
    pub const fn solver<T: SolverPlugin>(mut self) -> Self {
        self.solver = ROption::RSome(SolverFunctions::of::<T>());
        self.manifests[2] = Some(T::manifest);
        self
    }

    /// This module with controller `T`.
    pub const fn controller<T: ControllerPlugin>(mut self) -> Self {
        self.controller = ROption::RSome(ControllerFunctions::of::<T>());
        self.manifests[3] = Some(T::manifest);
        self
    }

    fn manifest_text(&self) -> String {
        let list = || self.manifests.iter().flatten().map(|manifest| manifest()).collect();
        let text = match panics::catch(list) {
            Ok(list) => ManifestText::List(list),
            Err(panicked) => ManifestText::Failed { panicked },
        };
        // Strings, lists and JSON values always serialise; an empty text is refused by the loader all the same.
        serde_json::to_string(&text).unwrap_or_default()
    }
}

/// Implemented by the export macro, once per library.
pub trait Export {
    /// Roles that the library exports.
    const ROLES: Roles;

    /// Where its manifests are kept once written.
    fn manifest_text() -> &'static std::sync::OnceLock<String>;
}

/// The function behind `vinci_manifest` and [`PluginModule::manifest`].
pub extern "C" fn manifest<E: Export>() -> Slice<u8> {
    panics::install_panic_hook();
    E::manifest_text().get_or_init(|| E::ROLES.manifest_text()).as_str().into()
}

/// # Safety
/// The services must be readable during the call and usable for ever.
unsafe extern "C" fn init(services: *const HostServices) -> i32 {
    panics::install_panic_hook();
    // SAFETY: the caller's promise.
    let services = unsafe { *services };
    match panics::catch(|| Forwarder::install(services)) {
        Ok(()) => crate::codes::OK,
        Err(_) => crate::codes::PANICKED,
    }
}

/// # Safety
/// None beyond the type's.
unsafe extern "C" fn no_interface(_: Slice<u8>) -> *const c_void {
    std::ptr::null()
}

/// The root module of `E`.
pub fn module<E: Export>() -> PluginModuleRef {
    let Roles { detector, stepper, solver, controller, .. } = E::ROLES;
    let (manifest, interface) = (manifest::<E>, no_interface);
    PluginModule { manifest, init, interface, detector, stepper, solver, controller }.leak_into_prefix()
}

extern "C" fn erased_module<E: Export>() -> RootModuleResult {
    abi_stable::library::__call_root_module_loader(module::<E>)
}

/// The header under which abi_stable finds the root module: what its own attribute macro would write.
pub const fn header<E: Export>() -> LibHeader {
    // SAFETY: `erased_module` gives a `PluginModuleRef`, as the type parameter says.
    unsafe {
        LibHeader::from_constructor::<PluginModuleRef>(
            erased_module::<E>,
            abi_stable::library::CheckTypeLayout::Yes,
        )
    }
}

#[cfg(test)]
mod tests {
    /// The export macro writes this name out, because a plugin crate does not name abi_stable.
    #[test]
    fn the_exported_header_has_the_name_abi_stable_looks_for() {
        let name = abi_stable::library::ROOT_MODULE_LOADER_NAME;
        assert_eq!(name, "_1as_0lib_1header_0root_bmodule_bloader");
        assert!(include_str!("export.rs").contains(&format!("pub static {name}: ")));
    }
}
