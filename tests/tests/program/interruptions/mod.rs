//! Runs that share a directory, that are stopped, or that are killed: one set of results, complete or not there, the same bits in the end.

#[cfg(unix)]
mod campaign;
#[cfg(unix)]
mod comparisons;
#[cfg(unix)]
mod damage;
mod directories;
pub(super) mod program;
#[cfg(unix)]
mod signals;
mod stops;
