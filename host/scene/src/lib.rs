//! Scenes and experiments: their formats, reading and checking.
//!
//! [`load_experiment`] and [`load_scene`] go from a path to checked, typed values: text → [`Node`] tree with places →
//! `extends` ([`merge()`]) and `--set` ([`Override`]) → keys, types and ranges against the schema of the types
//! ([`schema`]) → typed values ([`types`], [`experiment`]) → physics. Every finding knows the file, line and column it is
//! about. [`compile`] makes the system of core and its drives.

mod anchor;
mod change;
mod checking;
mod compile;
pub mod diagnostics;
mod document;
pub mod experiment;
pub mod export;
pub mod files;
pub mod formula;
mod hull;
pub mod import;
mod layers;
mod lint;
mod load;
mod merge;
mod node;
mod options;
mod parse;
mod path;
mod read;
mod scene_found;
pub mod schema;
mod set;
pub mod shapes;
pub mod trees;
pub mod types;
mod validate;

pub use anchor::base_of;
pub use change::{grid_number, may_change};
pub use checking::check_scene;
pub use compile::{
    DEFAULT_FRICTION, DEFAULT_MATERIAL, Governed, compile, compile_controllers, compile_governed,
};
pub use document::typed_document;
pub use hull::{NoHull, convex_hull};
pub use load::{
    Checked, Documents, Loaded, LoadedScene, check_file, load_experiment, load_running, load_scene,
    read_format,
};
pub use merge::{PLUGIN_KEYS, merge};
pub use node::{Entry, Node, Value};
pub use options::validate_options;
pub use path::{Path, Segment};
pub use read::{document_of, read_document, relative_to};
pub use set::Override;
pub use validate::{Subject, validate};

#[cfg(test)]
mod tests;
