//! Shapes, distances, the check of detectors, passing through: everything against something written in another way.

mod check;
mod common;
mod distances;
mod passing;
mod solids;
