//! Runs that share a directory, that are stopped, or that are killed: one set of results, complete or not there, the same bits in the end.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

#[cfg(unix)]
mod campaign;
#[cfg(unix)]
mod comparisons;
mod directories;
mod program;
#[cfg(unix)]
mod signals;
mod stops;
