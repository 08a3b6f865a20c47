//! The host.

pub mod acceptance;
pub mod atomic_write;
pub mod cli;
pub mod commands;
pub mod control;
pub mod diagnostics;
pub mod drives;
pub mod exit;
mod files;
pub mod formula;
pub mod import;
pub mod labels;
pub mod lock;
pub mod pictures;
pub mod pipeline;
pub mod plot;
pub mod problem_file;
pub mod record;
pub mod registry;
pub mod report;
pub mod run;
pub mod scene;
pub mod sealed;
pub mod signals;
pub mod summary;
pub mod sweep;
