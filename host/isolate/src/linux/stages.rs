//! Stages of this program that stand for instances elsewhere: what they have in common.

/// Stages of every role over what speaks with an instance elsewhere, which saves, loads and answers requests by name.
macro_rules! stages {
    ($inner:ident; $($(#[$meta:meta])* $name:ident: $plugin:ident, $stage:ident, $role:ident { $($call:tt)* })+) => {$(
        $(#[$meta])*
        pub(crate) struct $name(pub(crate) $inner);

        impl $stage for $name {
            $($call)*

            fn save_state(&self, bytes: &mut Vec<u8>) {
                self.0.save(bytes);
            }

            fn load_state(&mut self, bytes: &[u8]) -> Result<(), StageError> {
                self.0.load(bytes)
            }
        }

        impl $plugin for $name {
            fn manifest() -> Manifest {
                Manifest::new("worker", Role::$role, env!("CARGO_PKG_VERSION"))
            }

            fn create(_: &str, _: &SystemView<'_>) -> Result<Self, StageError> {
                Err(StageError::unsupported("it is made in a worker"))
            }

            fn extension(&mut self, id: &str, input: &[u8], output: &mut Vec<u8>) -> Result<(), StageError> {
                self.0.extension(id, input, output)
            }
        }
    )+};
}

/// Instances that a library or program elsewhere makes: a stage of every role, by its own `create`, behind the checks of foreign ones.
macro_rules! instances {
    ($($make:ident: $role:ident, $inner:ident -> $stage:ident;)*) => {$(
        fn $make(&self, id: &str, options: &str, system: &SystemView<'_>) -> Result<$stage, StageError> {
            let inner = $inner(self.create(Role::$role, id, options, system)?);
            Ok($stage::over(id.into(), inner, system))
        }
    )*};
}

pub(crate) use {instances, stages};
