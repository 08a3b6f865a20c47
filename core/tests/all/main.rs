//! All tests of this crate in one program: what they share is built once, and they run side by side.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod contact_bases;
mod geometry;
mod referee;
mod rigid_step;
mod springs;
mod step_scales;
mod trees_in_systems;
