//! All tests of this crate in one program: what they share is built once, and they run side by side.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod bounds;
mod random;
mod support;
mod warm;
