//! Impacts, times of impact and accuracy targets: what the pipeline does around any stepper.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod adaptive;
mod cradle;
mod grid;
mod growth;
mod refusals;
mod times;
