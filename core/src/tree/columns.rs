//! Columns of the Jacobian of a point: the motion that a unit of each velocity makes.

use std::slice;

use nalgebra::Vector3;

use super::spatial::Column;
use super::{Tree, TreeState};

impl TreeState {
    /// The dofs that move a link, ascending, with what a unit of each moves at the origin of the link's frame.
    #[inline]
    pub fn columns<'a>(&'a self, tree: &'a Tree, link: usize) -> Columns<'a> {
        self.point_columns(tree, link, &self.frames[link].translation.vector)
    }

    /// The dofs that move a link, ascending, with what a unit of each moves at a world point of the link.
    #[inline]
    pub fn point_columns<'a>(&'a self, tree: &'a Tree, link: usize, point: &Vector3<f64>) -> Columns<'a> {
        Columns { state: self, tree, path: tree.dof_path(link).iter(), point: *point }
    }
}

/// Columns of a point: (dof, what a unit of its velocity moves).
#[derive(Debug, Clone)]
pub struct Columns<'a> {
    state: &'a TreeState,
    tree: &'a Tree,
    path: slice::Iter<'a, usize>,
    point: Vector3<f64>,
}

impl Iterator for Columns<'_> {
    type Item = (usize, Column);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let &k = self.path.next()?;
        let (dof, mut column) = (&self.tree.dofs[k], self.state.columns[k]);
        if dof.turns {
            column.linear = column.angular.cross(&(self.point - self.state.poses[dof.body].origin));
        }
        Some((k, column))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.path.size_hint()
    }
}

impl ExactSizeIterator for Columns<'_> {}
