//! A robot while it is read, of whatever format: bodies with joints and geoms, and how they become links and joints of a scene.
//!
//! The readers of MJCF and SDF fill in a [`Robot`]. What follows from it is made here once for both: chains of links, bodies that
//! stand, which of them touch, springs.

mod contacts;
mod directions;
mod groups;
mod links;
mod numbers;
mod parts;
mod shapes;
mod springs;
mod state;

pub(super) use directions::{normal, quaternion, turned_z};
pub(super) use groups::Part;
pub(super) use parts::{Body, Geom, HEAVIEST, Joint, JointKind, Mass, Touch, WORLD, touches, turned};
pub(super) use shapes::{Filled, Solid, solid_of};
pub(super) use state::{JointIndex, Robot};
