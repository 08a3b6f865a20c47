//! State (q, v) and the kinematic map q⁺ = q ⊕ h N(q) v⁺.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// Unit quaternion of four numbers (w, x, y, z); they are normalised.
#[inline]
pub fn quaternion_of(wxyz: &[f64]) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(Quaternion::new(wxyz[0], wxyz[1], wxyz[2], wxyz[3]))
}

/// exp(w) = (cos|w|, sin|w| w/|w|) as a rotation: the unit quaternion turning by the vector `rotation` (rad, world).
#[inline]
pub fn rotation_exp(rotation: &Vector3<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::from_scaled_axis(*rotation)
}

/// q⁺ = q ⊕ h N v, block by block: added coordinates for planar bodies and trees, Q⁺ = exp(h ω/2) Q for spatial ones and
/// for the quaternions of trees.
///
/// `q` is as long as the last entry of `q_start`, `v` as that of `block_start`; the result is written to `out` (as long as q).
pub fn integrate(layout: &Layout<'_>, q: &[f64], v: &[f64], h: f64, out: &mut [f64]) {
    for b in 0..layout.block_kind.len() {
        let (qs, vs) = (layout.q_start[b] as usize, layout.block_start[b] as usize);
        let (nv, nq) = (layout.block_start[b + 1] as usize - vs, layout.q_start[b + 1] as usize - qs);
        if layout.block_kind[b] == BlockKind::Spatial as u8 {
            integrate_spatial(&q[qs..qs + 7], &v[vs..vs + 6], h, &mut out[qs..qs + 7]);
        } else if nq != nv {
            integrate_tree(layout, b, q, v, h, out);
        } else {
            for i in 0..nv {
                out[qs + i] = q[qs + i] + h * v[vs + i];
            }
        }
    }
}

fn integrate_spatial(q: &[f64], v: &[f64], h: f64, out: &mut [f64]) {
    for i in 0..3 {
        out[i] = q[i] + h * v[i];
    }
    turn(&q[3..7], &v[3..6], h, &mut out[3..7]);
}

/// Q⁺ = exp(h ω/2) Q.
fn turn(q: &[f64], omega: &[f64], h: f64, out: &mut [f64]) {
    let omega = Vector3::new(omega[0], omega[1], omega[2]);
    let next = if omega == Vector3::zeros() {
        // No turn, no rounding: a resting body keeps its bits.
        Quaternion::new(q[0], q[1], q[2], q[3])
    } else {
        let turned = rotation_exp(&(omega * h)).into_inner() * Quaternion::new(q[0], q[1], q[2], q[3]);
        turned / turned.norm()
    };
    (out[0], out[1], out[2], out[3]) = (next.w, next.i, next.j, next.k);
}

/// A tree with quaternions: what stands between them is added.
fn integrate_tree(layout: &Layout<'_>, block: usize, q: &[f64], v: &[f64], h: f64, out: &mut [f64]) {
    let (mut at, mut dof) = (layout.q_start[block] as usize, layout.block_start[block] as usize);
    let (q_end, v_end) = (layout.q_start[block + 1], layout.block_start[block + 1]);
    let here = layout.q_start[block]..q_end;
    let own = layout.quaternion.chunks_exact(2).filter(|pair| here.contains(&pair[0]));
    for pair in own.chain([[q_end, v_end].as_slice()]) {
        while at < pair[0] as usize {
            out[at] = q[at] + h * v[dof];
            (at, dof) = (at + 1, dof + 1);
        }
        if pair[0] < q_end {
            turn(&q[at..at + 4], &v[dof..dof + 3], h, &mut out[at..at + 4]);
            (at, dof) = (at + 4, dof + 3);
        }
    }
}

/// q̇ = N δ: rates of the coordinates along a displacement, of quaternions Q̇ = ½ (0, ω) Q.
pub fn rates(layout: &Layout<'_>, q: &[f64], displacement: &[f64], out: &mut [f64]) {
    let (mut at, mut dof) = (0, 0);
    for next in quaternions(layout).chain([q.len()]) {
        out[at..next].copy_from_slice(&displacement[dof..dof + next - at]);
        (dof, at) = (dof + next - at, next);
        if at < q.len() {
            let turn = Quaternion::new(0.0, displacement[dof], displacement[dof + 1], displacement[dof + 2]);
            let rate = turn * Quaternion::new(q[at], q[at + 1], q[at + 2], q[at + 3]) * 0.5;
            out[at..at + 4].copy_from_slice(&[rate.w, rate.i, rate.j, rate.k]);
            (dof, at) = (dof + 3, at + 4);
        }
    }
}

/// Where quaternions begin in q, ascending.
fn quaternions(layout: &Layout<'_>) -> impl Iterator<Item = usize> {
    let spatial = |b: &usize| layout.block_kind[*b] == BlockKind::Spatial as u8;
    let own = (0..layout.block_kind.len()).filter(spatial).map(|b| layout.q_start[b] as usize + 3);
    let mut all: Vec<usize> =
        own.chain(layout.quaternion.chunks_exact(2).map(|pair| pair[0] as usize)).collect();
    all.sort_unstable();
    all.into_iter()
}

/// The displacement δ with N δ = q̇: as many numbers as velocities, rotations as rotation vectors; the inverse of the map that
/// [`integrate`] follows. Of a quaternion Q, which need not be of length 1, and its rate: ω = 2 Im(Q̇ Q̄)/|Q|².
pub fn displacement(layout: &Layout<'_>, q: &[f64], rate: &[f64], out: &mut [f64]) {
    let (mut at, mut dof) = (0, 0);
    for next in quaternions(layout).chain([q.len()]) {
        out[dof..dof + next - at].copy_from_slice(&rate[at..next]);
        (dof, at) = (dof + next - at, next);
        if at < q.len() {
            let part = |list: &[f64]| Quaternion::new(list[at], list[at + 1], list[at + 2], list[at + 3]);
            let (here, rate) = (part(q), part(rate));
            let turn = (rate * here.conjugate()).imag() * (2.0 / here.norm_squared());
            out[dof..dof + 3].copy_from_slice(turn.as_slice());
            (dof, at) = (dof + 3, at + 4);
        }
    }
}

/// Kind of the coordinates of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum BlockKind {
    /// (x, y, θ), v = q̇.
    #[default]
    Planar = 1,
    /// (p, quaternion wxyz), v = (linear, angular) in world axes.
    Spatial = 2,
    /// Joint coordinates of an articulated tree; where its quaternions stand, [`Layout::quaternion`] tells.
    Tree = 3,
}

/// Where blocks stand in q and v.
#[derive(Debug, Clone, Copy)]
pub struct Layout<'a> {
    /// First velocity of every block, blocks + 1 entries.
    pub block_start: &'a [u32],
    /// First position coordinate of every block, blocks + 1 entries.
    pub q_start: &'a [u32],
    /// Kind of every block ([`BlockKind`] codes).
    pub block_kind: &'a [u8],
    /// Quaternions of trees, ascending: (first of the four in q, first of the three angular velocities in v) each, flattened.
    /// The angular velocities are in the axes that the quaternion turns into.
    pub quaternion: &'a [u32],
}

/// World angular velocity that turns orientation `from` into `to` in time h.
pub fn angular_velocity_between(
    from: &UnitQuaternion<f64>,
    to: &UnitQuaternion<f64>,
    h: f64,
) -> Vector3<f64> {
    (to * from.inverse()).scaled_axis() / h
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: Layout<'static> = Layout {
        block_start: &[0, 3, 9],
        q_start: &[0, 3, 10],
        block_kind: &[BlockKind::Planar as u8, BlockKind::Spatial as u8],
        quaternion: &[],
    };

    #[test]
    fn constant_spin_is_exact_for_any_step_and_stays_on_the_unit_sphere() {
        let mut q = vec![0.0; 10];
        q[6] = 1.0;
        let v = [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.3, -0.4, 1.2];
        let mut coarse = vec![0.0; 10];
        integrate(&LAYOUT, &q, &v, 1.0, &mut coarse);
        for _ in 0..100 {
            let mut next = vec![0.0; 10];
            integrate(&LAYOUT, &q, &v, 0.01, &mut next);
            q = next;
        }
        for i in 0..10 {
            assert!((q[i] - coarse[i]).abs() < 1e-13, "{i}: {} {}", q[i], coarse[i]);
        }
        let turned = quaternion_of(&q[6..10]);
        let back = angular_velocity_between(&UnitQuaternion::identity(), &turned, 1.0);
        assert!((back - Vector3::new(0.3, -0.4, 1.2)).norm() < 1e-12);
    }

    #[test]
    fn displacements_are_what_positions_were_moved_by() {
        let mut q = vec![0.1; 10];
        q[6..10].copy_from_slice(&[0.1, 0.7, 0.5, 0.5]);
        let v = [1.0, 2.0, 3.0, 0.5, 0.0, -0.2, 0.3, -0.4, 1.2];
        let (h, mut ends) = (1e-5, [vec![0.0; 10], vec![0.0; 10]]);
        integrate(&LAYOUT, &q, &v, h, &mut ends[0]);
        integrate(&LAYOUT, &q, &v, -h, &mut ends[1]);
        let rate: Vec<f64> = (0..10).map(|i| (ends[0][i] - ends[1][i]) / (2.0 * h)).collect();
        let (mut forth, mut back) = ([0.0; 10], [0.0; 9]);
        rates(&LAYOUT, &q, &v, &mut forth);
        (0..10).for_each(|i| assert!((forth[i] - rate[i]).abs() < 1e-9, "{i}: {} {}", forth[i], rate[i]));
        displacement(&LAYOUT, &q, &rate, &mut back);
        (0..9).for_each(|i| assert!((back[i] - v[i]).abs() < 1e-9, "{i}: {} {}", back[i], v[i]));
    }

    #[test]
    fn a_resting_body_keeps_its_bits() {
        let q: Vec<f64> = vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.1, 0.7, 0.5, 0.5];
        let mut out = vec![0.0; 10];
        integrate(&LAYOUT, &q, &[0.0; 9], 0.01, &mut out);
        assert_eq!(q, out);
    }
}
