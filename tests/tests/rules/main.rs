//! House rules: what a reader of the sources, the book and the shared descriptions may rely on.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod book;
mod circles;
mod peers;
mod tidy;
