//! Parts that all roles have in common, on both sides, written once: traits cannot say it, because each role
//! has a stage trait and a plugin trait of its own.

/// Writes the methods every foreign stage has besides its role's.
macro_rules! foreign_methods {
    () => {
        /// Id of the plugin.
        pub fn plugin(&self) -> &str {
            &self.handle.plugin
        }

        /// The last fault of this instance, if there was one.
        pub fn fault(&self) -> Option<crate::fault::PluginFault> {
            self.handle.fault()
        }

        /// Ends the instance, and says how that went; where it is dropped, a failure is a warning in the log alone.
        ///
        /// # Errors
        /// A fault of the plugin.
        pub fn end(mut self) -> Result<(), vinci_core::StageError> {
            self.handle.end()
        }

        /// Extension point: a request by name, bytes in, bytes out. An unknown request is refused as unsupported.
        pub fn extension(&mut self, id: &str, input: &[u8]) -> Result<&[u8], vinci_core::StageError> {
            self.handle.extension(id, input)
        }

        /// For a library without a guard of ours: what goes to it is looked at on this side.
        #[cfg(feature = "load")]
        pub(crate) fn unguarded(mut self) -> Self {
            self.handle.be_careful();
            self
        }

        /// Appends the state bytes, with the error that the trait's method can only remember as [`Self::fault`].
        pub fn try_save_state(&self, bytes: &mut Vec<u8>) -> Result<(), vinci_core::StageError> {
            self.handle.save(bytes)
        }
    };
}

/// Writes the two state methods of a stage trait.
macro_rules! foreign_state {
    () => {
        fn save_state(&self, bytes: &mut Vec<u8>) {
            if let Err(error) = self.handle.save(bytes) {
                tracing::error!("{error}");
            }
        }

        fn load_state(&mut self, bytes: &[u8]) -> Result<(), vinci_core::StageError> {
            self.handle.load(bytes)
        }
    };
}

/// Writes the exported functions that are the same for every role, for a plugin trait and a stage trait.
macro_rules! exported_lifecycle {
    ($plugin:ident, $stage:ident) => {
        const fn lifecycle<T: $plugin>() -> crate::foreign::Lifecycle {
            crate::foreign::Lifecycle {
                create: create::<T>,
                save: save::<T>,
                load: load::<T>,
                extension: extension::<T>,
                destroy: destroy::<T>,
            }
        }

        unsafe extern "C" fn create<T: $plugin>(
            options: crate::raw::Slice<u8>,
            system: *const crate::raw::SystemView,
            error: *mut crate::raw::ErrorText,
        ) -> *mut std::ffi::c_void {
            let make = || {
                // SAFETY: the host keeps the arguments alive during the call.
                let (options, view) = unsafe { (options.text("options")?, &*system) };
                // SAFETY: as above.
                let parts = unsafe { crate::raw::SystemParts::incoming(view) }?;
                // SAFETY: as above.
                let system = unsafe { parts.system(view) }?;
                crate::bounds::check(options, &T::manifest().options)?;
                Ok((T::create(options, &system)?, crate::inspect::Size::of(&system)))
            };
            // SAFETY: the text is the host's.
            unsafe { crate::guard::create(error, make) }
        }

        unsafe extern "C" fn save<T: $plugin>(
            instance: *mut std::ffi::c_void,
            out: *mut crate::raw::Slice<u8>,
            error: *mut crate::raw::ErrorText,
        ) -> i32 {
            // SAFETY: the host passes an instance of this role and a place for the result.
            unsafe {
                crate::guard::call::<T>(instance, error, |instance| {
                    instance.bytes.clear();
                    $stage::save_state(&instance.stage, &mut instance.bytes);
                    *out = instance.bytes.as_slice().into();
                    Ok(())
                })
            }
        }

        unsafe extern "C" fn load<T: $plugin>(
            instance: *mut std::ffi::c_void,
            bytes: crate::raw::Slice<u8>,
            error: *mut crate::raw::ErrorText,
        ) -> i32 {
            // SAFETY: the host passes an instance of this role and bytes that live during the call.
            unsafe {
                crate::guard::call::<T>(instance, error, |instance| {
                    $stage::load_state(&mut instance.stage, bytes.get())
                })
            }
        }

        unsafe extern "C" fn extension<T: $plugin>(
            instance: *mut std::ffi::c_void,
            id: crate::raw::Slice<u8>,
            input: crate::raw::Slice<u8>,
            out: *mut crate::raw::Slice<u8>,
            error: *mut crate::raw::ErrorText,
        ) -> i32 {
            // SAFETY: the host passes an instance of this role, arguments that live during the call, and a place for
            // the result.
            unsafe {
                crate::guard::call::<T>(instance, error, |instance| {
                    instance.bytes.clear();
                    instance.stage.extension(id.text("id")?, input.get(), &mut instance.bytes)?;
                    *out = instance.bytes.as_slice().into();
                    Ok(())
                })
            }
        }

        unsafe extern "C" fn destroy<T: $plugin>(
            instance: *mut std::ffi::c_void,
            error: *mut crate::raw::ErrorText,
        ) -> i32 {
            // SAFETY: the host passes an instance of this role for the last time.
            unsafe { crate::guard::destroy::<T>(instance, error) }
        }
    };
}

pub(crate) use {exported_lifecycle, foreign_methods, foreign_state};
