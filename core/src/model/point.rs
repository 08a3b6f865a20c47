//! Velocities of points as linear functions of v, and the matrices that come of them.

use nalgebra::{Matrix3, Vector3};

use super::{Anchor, Frames, MotionSource, Space, System};
use crate::sparse::CsrBuf;

/// Velocity of points, or of one relative to another, as a linear function of v: 3 rows. Keeps its memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct PointJacobian {
    column: Vec<u32>,
    value: Vec<Vector3<f64>>,
    /// Columns that a first body has.
    before: usize,
}

impl PointJacobian {
    pub(crate) fn clear(&mut self) {
        self.column.clear();
        self.value.clear();
    }

    fn push(&mut self, column: usize, value: Vector3<f64>) {
        self.column.push(column as u32);
        self.value.push(value);
    }

    /// Adds `sign` times the velocity of a world point of a body. Two links of one tree share columns.
    #[inline]
    pub(crate) fn add_body(
        &mut self,
        system: &System,
        body: u32,
        point: &Vector3<f64>,
        sign: f64,
        frames: &Frames,
    ) {
        match system.motion_source(body) {
            MotionSource::Fixed => {}
            MotionSource::Block(block) => {
                let start = system.block_start[block as usize] as usize;
                self.add_point(system.space, start, &(point - frames.centre(body)), sign);
            }
            MotionSource::Link { tree, link } => {
                let (part, start) = (&system.trees[tree as usize], system.tree_velocity(tree as usize));
                self.before = self.column.len();
                for (dof, column) in
                    frames.trees[tree as usize].point_columns(&part.tree, link as usize, point)
                {
                    self.add((start + dof) as u32, column.linear * sign);
                }
            }
        }
    }

    fn add(&mut self, column: u32, value: Vector3<f64>) {
        match self.column[..self.before].iter().position(|c| *c == column) {
            Some(i) => self.value[i] += value,
            None => self.push(column as usize, value),
        }
    }

    /// Velocity of a point at lever r: ṗ + ω × r.
    fn add_point(&mut self, space: Space, start: usize, r: &Vector3<f64>, sign: f64) {
        match space {
            Space::Planar => {
                self.push(start, Vector3::x() * sign);
                self.push(start + 1, Vector3::y() * sign);
                self.push(start + 2, Vector3::new(-r.y, r.x, 0.0) * sign);
            }
            Space::Spatial => {
                for k in 0..3 {
                    self.push(start + k, Vector3::ith(k, sign));
                }
                for k in 0..3 {
                    self.push(start + 3 + k, Vector3::ith(k, 1.0).cross(r) * sign);
                }
            }
        }
    }

    /// Columns, and values of the row d·(velocity).
    #[inline]
    pub(crate) fn along<'a>(&'a self, d: &'a Vector3<f64>) -> impl Iterator<Item = (usize, f64)> + 'a {
        self.column.iter().zip(&self.value).map(move |(column, value)| (*column as usize, value.dot(d)))
    }

    /// Columns and values of row k (0: x, 1: y, 2: z).
    pub(super) fn entries(&self, k: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.column.iter().zip(&self.value).map(move |(column, value)| (*column as usize, value[k]))
    }

    pub(crate) fn velocity(&self, v: &[f64]) -> Vector3<f64> {
        self.column.iter().zip(&self.value).map(|(column, value)| value * v[*column as usize]).sum()
    }

    pub(super) fn add_force(&self, force: &Vector3<f64>, out: &mut [f64]) {
        for (i, sum) in self.along(force) {
            out[i] += sum;
        }
    }

    /// Jᵀ P J as triplets.
    pub(super) fn add_matrix(&self, p: &Matrix3<f64>, out: &mut Vec<(u32, u32, f64)>) {
        for (i, a) in self.column.iter().zip(&self.value) {
            for (j, b) in self.column.iter().zip(&self.value) {
                out.push((*i, *j, a.dot(&(p * b))));
            }
        }
    }
}

impl System {
    /// Velocity of p_b − p_a as a linear function of v, at two points of two anchors.
    pub(super) fn relative_jacobian(
        &self,
        anchors: [&Anchor; 2],
        points: [&Vector3<f64>; 2],
        frames: &Frames,
        out: &mut PointJacobian,
    ) {
        out.clear();
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if let Anchor::Body(body, _) = anchors[side] {
                out.add_body(self, *body, points[side], sign, frames);
            }
        }
    }
}

/// Sums triplets into a matrix; no triplets, no rows.
pub(super) fn fill(nv: usize, triplets: &mut [(u32, u32, f64)], out: &mut CsrBuf) {
    out.clear(nv);
    if triplets.is_empty() {
        return;
    }
    triplets.sort_unstable_by_key(|&(i, j, _)| (i, j));
    let mut k = 0;
    for row in 0..nv as u32 {
        while k < triplets.len() && triplets[k].0 == row {
            let (_, column, mut sum) = triplets[k];
            k += 1;
            while k < triplets.len() && (triplets[k].0, triplets[k].1) == (row, column) {
                sum += triplets[k].2;
                k += 1;
            }
            out.push(column as usize, sum);
        }
        out.end_row();
    }
}
