//! Geometry for judging: what shapes are, told without any detector.
//!
//! Nothing here finds out who touches whom in a simulation. It is the second opinion: support functions, distances and widths of every
//! [`ShapeKind`](crate::model::ShapeKind), computed in another way than the detectors do.
//!
//! - [`Frame`]: where a shape stands; [`Solid`]: a shape made ready; [`Shapes`]: those of a system;
//! - [`distance`]: bounds of the distance of two placed shapes ([`Gap`]);
//! - [`DetectorCheck`]: a detector's answer held against the shapes;
//! - [`Patches`]: nodes in the place of the contacts of bodies that meet in patches, for steppers;
//! - [`Motion`], [`Shapes::crossing`]: whether a motion carries one shape across another.

mod boundary;
mod check;
mod core;
mod depth;
mod distance;
mod facet;
mod feature;
mod frame;
mod gjk;
mod hull;
mod patch;
mod shapes;
mod simplex;
mod solid;
mod support;
mod surface;
mod sweep;
mod thickness;
mod tree;

pub use check::{Amount, DetectorCheck, DetectorReport, PairFault, Watch};
pub use distance::{Gap, distance};
pub use frame::Frame;
pub use hull::{NoHull, convex_hull};
pub use patch::Patches;
pub(crate) use patch::{STEEPEST, is_same_cell};
pub use shapes::Shapes;
pub use solid::{Placed, Solid};
pub use sweep::{Crossing, Motion, Pass};
