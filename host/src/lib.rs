//! The host.

pub mod acceptance;
pub mod cli;
pub mod commands;
pub mod diagnostics;
pub mod drives;
pub mod exit;
pub mod import;
pub mod labels;
pub mod pipeline;
pub mod problem_file;
pub mod record;
pub mod registry;
pub mod report;
pub mod run;
pub mod scene;
pub mod summary;
