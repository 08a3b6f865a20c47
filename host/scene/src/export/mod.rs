//! Giving a scene away: other simulators' formats, with a list of what could not be said in them.
//!
//! What is written is the compiled system, so masses, inertias and poses are the numbers that a run has.

mod contacts;
mod mjcf;
mod omissions;
mod poses;
mod sdf;
mod xml;

pub use mjcf::mjcf;
pub use sdf::sdf;

use vinci_core::model::System;
use vinci_engine::drives::Drives;

/// A system that is to be given away.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Name of the model.
    pub name: &'a str,
    /// The system.
    pub system: &'a System,
    /// Drives of its coordinates.
    pub drives: &'a Drives,
    /// Number of its controllers.
    pub controllers: usize,
    /// Step, s.
    pub step: f64,
}

/// A scene in another format.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// The file.
    pub text: String,
    /// Files that it names, beside it: name and content.
    pub files: Vec<(String, String)>,
    /// Parts of the scene that it does not say, or says in another sense; one sentence each.
    pub unsaid: Vec<String>,
}
