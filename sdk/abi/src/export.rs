//! The macro that makes a crate a plugin.

/// Exports a detector, a stepper, a solver, a controller, or several of them, one per role:
/// `export_plugin!(solver = Lemke);`, `export_plugin!(detector = A, stepper = B);`.
///
/// Once per crate, at its root, in a crate of type `cdylib`. The exported symbols stand in a module of their own, so that
/// two plugins linked as plain Rust into one program do not drag each other's symbols in (see the SDK's README).
#[macro_export]
macro_rules! export_plugin {
    ($($role:ident = $plugin:ty),+ $(,)?) => {
        #[doc(hidden)]
        pub struct VinciExport;

        impl $crate::__private::Export for VinciExport {
            const ROLES: $crate::__private::Roles = $crate::__private::Roles::NONE$(.$role::<$plugin>())+;

            fn manifest_text() -> &'static ::std::sync::OnceLock<::std::string::String> {
                static TEXT: ::std::sync::OnceLock<::std::string::String> = ::std::sync::OnceLock::new();
                &TEXT
            }
        }

        #[doc(hidden)]
        #[allow(unsafe_code, non_upper_case_globals, missing_docs, unreachable_pub)]
        pub mod vinci_exported_symbols {
            /// Readable without running anything: lets a host of another major refuse in one sentence.
            #[unsafe(no_mangle)]
            pub static vinci_contract_version: u32 = $crate::__private::CONTRACT_VERSION;

            /// Callable before the layout check.
            #[unsafe(no_mangle)]
            pub extern "C" fn vinci_manifest() -> $crate::__private::Slice<u8> {
                $crate::__private::manifest::<super::VinciExport>()
            }

            /// The name abi_stable gives to its header; a test compares it with abi_stable's own constant.
            #[unsafe(no_mangle)]
            pub static _1as_0lib_1header_0root_bmodule_bloader: $crate::__private::LibHeader =
                $crate::__private::header::<super::VinciExport>();
        }
    };
}
