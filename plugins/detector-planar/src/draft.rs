//! A shape on its way into the store: checked, in the body frame.

use crate::boundary::{Cover, Sort, Turn};
use crate::vec2::V2;

/// Vertices, edges and what is known of them.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) body: u32,
    pub(crate) sort: Sort,
    /// Radius around the core, m.
    pub(crate) radius: f64,
    /// Vertices, counter-clockwise, m.
    pub(crate) x: Vec<V2>,
    /// Outward unit normal of edge j (from vertex j to j + 1).
    pub(crate) n: Vec<V2>,
    /// How the boundary turns at vertex j.
    pub(crate) turn: Vec<Turn>,
    /// Cover of edge j by siblings on the same body.
    pub(crate) cover: Vec<Cover>,
}

impl Draft {
    pub(crate) fn new(body: u32, sort: Sort, radius: f64, x: Vec<V2>, n: Vec<V2>, turn: Vec<Turn>) -> Self {
        let cover = vec![Cover::Free; x.len()];
        Self { body, sort, radius, x, n, turn, cover }
    }

    /// Returns true if it is a polygon.
    pub(crate) fn is_polygon(&self) -> bool {
        matches!(self.sort, Sort::Convex | Sort::Concave)
    }

    /// Returns true if siblings cover or share any of it.
    pub(crate) fn is_joined(&self) -> bool {
        self.cover.iter().any(|c| *c != Cover::Free)
    }

    /// Largest extent, m.
    pub(crate) fn size(&self) -> f64 {
        let (low, high) = self.span();
        (high - low).norm() + 2.0 * self.radius
    }

    /// Corners of the box around the vertices.
    pub(crate) fn span(&self) -> (V2, V2) {
        self.x.iter().fold((self.x[0], self.x[0]), |(low, high), p| {
            (V2::new(low.x.min(p.x), low.y.min(p.y)), V2::new(high.x.max(p.x), high.y.max(p.y)))
        })
    }

    /// Ends of edge `j`.
    pub(crate) fn edge(&self, j: usize) -> (V2, V2) {
        (self.x[j], self.x[(j + 1) % self.x.len()])
    }
}
