//! Finding plugins: by path, or by id in the search order. The host never names a plugin crate.
//!
//! Search order: `--plugin-dir` (in order), `VINCI_PLUGIN_PATH` (separated as PATH is), what was installed, then the program's own:
//! `plugins/` beside the program, `../lib/vinci/plugins`, the program's own directory, and `deps/` beside it (where cargo leaves
//! libraries). Never the current directory unasked. The first place that has the id wins, and in it the highest version; libraries that
//! are hidden so are shown by `vinci plugin list`.
//!
//! A path loads a library only where somebody else speaks for it: it lies in one of these places, or the command line allows it. Under a
//! lock nothing is loaded whose digest the lock does not hold.
//!
//! Plugins that did not come with the program have processes of their own where there is a program for them ([`Isolation`]).

mod apart;
mod error;
mod isolation;
mod library_files;
mod links;
mod lock;
mod note;
mod search;
mod store;
mod survey;
mod wanted;

pub use semver::Version;

pub use apart::look_at;
pub use error::FindError;
pub use isolation::Isolation;
pub use library_files::{Origin, PluginDirectory, is_path, is_plugin_file};
pub use links::{LinkedFile, linked_files};
pub use lock::{LOCK_FORMAT, Lock, LockEntry, LockError, LockOrigin};
pub use note::{NOTE_FORMAT, Note};
pub use search::{PLUGIN_PATH, Registry, classes};
pub use store::{Installed, folder_of, installed, installed_in, may_be_installed};
pub use survey::{Found, Surveyed};
pub use vinci_isolate::Limits as IsolationLimits;
