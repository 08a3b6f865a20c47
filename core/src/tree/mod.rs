//! Articulated trees: links moved by joints, in world axes.
//!
//! Joint i moves link i relative to its parent, a link of smaller index or the world. Coordinates by kind of joint:
//!
//! | kind | q | v |
//! |---|---|---|
//! | fixed | | |
//! | revolute | angle about `axis` | q̇ |
//! | prismatic | displacement along `axis` | q̇ |
//! | cylindrical | (displacement along `axis`, angle about it) | q̇ |
//! | planar | (x, y, θ): along the two axes of [`plane_axes`], then about `axis` | q̇ |
//! | ball | quaternion wxyz of the child in the joint frame | angular velocity of the child relative to the parent, joint axes |
//! | free | (p, quaternion wxyz) of the child in the joint frame | (ṗ, ω), both in joint axes |
//!
//! So q ⊕ h v adds everywhere but at quaternions, which turn on the left, Q⁺ = exp(h ω/2) Q, as those of spatial bodies
//! do ([`crate::state::integrate`]); [`Tree::integrate`] does it. Quaternions are normalised where they are read.
//!
//! The equations of motion are M(q) v̇ = f + c(q, v) + g(q): [`TreeState::mass`], [`TreeState::bias`] (velocity-product
//! forces, c = −C(q, v) v) and [`TreeState::gravity`]; [`TreeState::inverse_dynamics`] is f = M v̇ − c − g. M is factored
//! along the tree by [`Factor`]. Rotors add rotor · gear² to the diagonal of M and nothing else.
//!
//! Links that are fixed to one another are one body of the recursions; their frames are kept. Spatial vectors stand in
//! world axes about a point of their own tree (see [`TreeState::update`]), never about the world's origin, so that trees
//! far away lose no digits. Featherstone, Rigid Body Dynamics Algorithms (2008), has the algorithms: recursive
//! Newton–Euler (§5.3), composite rigid bodies (§6.2), LᵀDL along branches (§6.5).

mod articulated;
mod bias;
mod build;
mod columns;
mod error;
mod factor;
mod inertia;
mod joint;
mod link;
mod mass;
mod model;
mod spatial;
mod state;
mod velocity;

#[cfg(test)]
mod tests;

pub use articulated::Articulated;
pub use columns::Columns;
pub use error::TreeError;
pub use factor::Factor;
pub use joint::{Joint, JointKind, Limits, plane_axes};
pub use link::Link;
pub use model::Tree;
pub use spatial::Column;
pub use state::TreeState;
