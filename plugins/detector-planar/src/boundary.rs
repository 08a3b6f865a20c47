//! Boundaries: the cores of shapes, their vertices and edges.

/// Kind of a shape's core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    /// One vertex, no edge.
    Point,
    /// Two vertices, two edges back to back.
    Stick,
    /// A convex polygon.
    Convex,
    /// A polygon with at least one reflex corner.
    Concave,
    /// Everything behind one endless edge.
    Plane,
}

/// How the boundary turns at a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Can touch an edge of another shape.
    Convex,
    /// A vertex in the middle of a straight side: adds nothing to its two edges.
    Flat,
    /// The bottom of a notch: both edges bind at once.
    Reflex,
}

/// Cover of an edge by siblings, other polygons of the same body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cover {
    /// Nothing: it is on the outside of the body.
    Free,
    /// On the outside, but an earlier sibling has it too and reports its contacts.
    Shared,
    /// A sibling lies beyond it.
    Covered,
}
