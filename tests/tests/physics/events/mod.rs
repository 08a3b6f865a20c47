//! Impacts, times of impact and accuracy targets: what the pipeline does around any stepper.

#![allow(clippy::print_stdout)] // measured tables are read with --nocapture

mod adaptive;
mod cradle;
mod grid;
mod growth;
mod limits;
mod refusals;
mod times;
