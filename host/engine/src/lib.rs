//! The engine: plugins are found and loaded, and a simulation makes steps with them.
//!
//! [`registry`] finds shared libraries and makes stages of them; [`ranking`] says which solver `auto` means; [`pipeline`] is one simulation, from detect to the judged state;
//! [`control`] and [`drives`] say what acts on the system at a time. The engine reads no scene, writes no file and prints nothing.
//!
//! To embed it: build a [`vinci_core::model::System`], find the plugins with a [`registry::Registry`], make stages of them (they see the
//! system through [`system_views::SystemViews`]), and step a [`pipeline::Simulation`]. [`declared::law_of`] is the law that the
//! referee holds the stepper to, [`pipeline::Accepted::failures`] what a step does not fulfil. `examples/embed.rs` does so. Any type
//! that has the traits of [`vinci_core::stage`] is a stage too: `examples/own_stages.rs` steps without a shared library.

pub mod control;
pub mod declared;
pub mod drives;
pub mod expression;
pub mod labels;
pub mod pipeline;
pub mod ranking;
pub mod registry;
pub mod suggest;
pub mod system_views;
