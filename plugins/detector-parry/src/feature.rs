//! Numbers of features that are not vertices, edges or faces of a polytope.

/// Vertices: the number itself.
pub(crate) const EDGE: u32 = 1 << 30;
/// Faces.
pub(crate) const FACE: u32 = 2 << 30;
/// Points that slide along a round feature: the lowest rim point of cap 0 or 1, and what follows.
pub(crate) const ROUND: u32 = 3 << 30;
/// The closest point, wherever it is.
pub(crate) const CLOSEST: u32 = ROUND | 2;
