//! Shapes, distances, the check of detectors, passing through: everything against something written in another way.
#![allow(clippy::unwrap_used)]

#[path = "geometry/check.rs"]
mod check;
#[path = "geometry/common.rs"]
mod common;
#[path = "geometry/distances.rs"]
mod distances;
#[path = "geometry/passing.rs"]
mod passing;
#[path = "geometry/solids.rs"]
mod solids;
