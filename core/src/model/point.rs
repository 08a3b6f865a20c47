//! Velocities of points as linear functions of v, and the matrices that come of them.

use nalgebra::{Matrix3, Vector3};

use super::Space;
use crate::sparse::CsrBuf;

/// Velocity of p_b − p_a as a linear function of v: up to two bodies, 3 rows.
#[derive(Default)]
pub(super) struct PointJacobian {
    column: [u32; 12],
    value: [[f64; 12]; 3],
    len: usize,
}

impl PointJacobian {
    fn push(&mut self, column: usize, value: Vector3<f64>) {
        self.column[self.len] = column as u32;
        for k in 0..3 {
            self.value[k][self.len] = value[k];
        }
        self.len += 1;
    }

    /// Velocity of a point at lever r: ṗ + ω × r.
    pub(super) fn add_point(&mut self, space: Space, start: usize, r: &Vector3<f64>, sign: f64) {
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

    /// Columns and values of row k (0: x, 1: y, 2: z).
    pub(super) fn entries(&self, k: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        (0..self.len).map(move |i| (self.column[i] as usize, self.value[k][i]))
    }

    pub(super) fn velocity(&self, v: &[f64]) -> Vector3<f64> {
        Vector3::from_fn(|k, _| (0..self.len).map(|i| self.value[k][i] * v[self.column[i] as usize]).sum())
    }

    pub(super) fn add_force(&self, force: &Vector3<f64>, out: &mut [f64]) {
        for i in 0..self.len {
            out[self.column[i] as usize] += (0..3).map(|k| self.value[k][i] * force[k]).sum::<f64>();
        }
    }

    /// Jᵀ P J as triplets.
    pub(super) fn add_matrix(&self, p: &Matrix3<f64>, out: &mut Vec<(u32, u32, f64)>) {
        for i in 0..self.len {
            for j in 0..self.len {
                let mut sum = 0.0;
                for k in 0..3 {
                    for l in 0..3 {
                        sum += self.value[k][i] * p[(k, l)] * self.value[l][j];
                    }
                }
                out.push((self.column[i], self.column[j], sum));
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
