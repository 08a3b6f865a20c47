//! All tests of this crate in one program: what they share is built once, and they run side by side.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod boxes;
mod closed_forms;
mod common;
mod corners;
mod judged;
mod many;
mod oracle;
mod properties;
mod refusals;
mod seams;
