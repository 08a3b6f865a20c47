//! Sizes of unknowns and residuals where they stand.
//!
//! Typical sizes of a problem are those of its fastest body and its largest impulse. A wheel that spins elsewhere is no reason to take a slow
//! slip for none, nor a light contact for an open one, so ties are measured by what stands beside them in the problem.

use super::Conic;
use crate::sparse::{Csr, CsrBuf};

/// Sizes of the unknowns z_i and of the residuals w_i of a problem w = M z + q at a solution.
#[derive(Debug, Default)]
pub(super) struct OwnSizes {
    /// Of z_i: what would change the rows of its column by their own sizes.
    pub(super) z: Vec<f64>,
    /// Of w_i: its terms, or the rate that its unknown works against, whichever is larger.
    pub(super) w: Vec<f64>,
}

impl OwnSizes {
    /// Sizes of w = M z + q at z.
    ///
    /// Rows with a diagonal m_k are those of bodies: |terms of row k|/m_k is the size of their velocity. Along column i it is
    /// v_i = Σ_k |M_ki| (size of row k)/m_k, and an impulse changes it by a_i = Σ_k M_ki²/m_k, so that v_i/a_i is the size of z_i.
    /// Columns that stand in other rows only (multipliers of slip) have the largest size that these rows leave them.
    pub(super) fn of(m: Csr<'_>, q: &[f64], z: &[f64]) -> Self {
        let n = q.len();
        let terms = |i: usize| m.entries(i).map(|(j, value)| (value * z[j]).abs()).sum::<f64>() + q[i].abs();
        let mut w: Vec<f64> = (0..n).map(terms).collect();
        let diagonal: Vec<f64> = (0..n).map(|i| m.entry(i, i)).collect();
        let (mut rate, mut inverse_mass) = (vec![0.0; n], vec![0.0; n]);
        for k in (0..n).filter(|k| diagonal[*k] > 0.0) {
            for (i, value) in m.entries(k) {
                rate[i] += value.abs() * w[k] / diagonal[k];
                inverse_mass[i] += value * value / diagonal[k];
            }
        }
        let mut left = vec![0.0_f64; n];
        for k in (0..n).filter(|k| !(diagonal[*k] > 0.0)) {
            w[k] = w[k].max(rate[k]);
            m.entries(k)
                .filter(|(_, value)| *value != 0.0)
                .for_each(|(i, value)| left[i] = left[i].max(w[k] / value.abs()));
        }
        let size = |i: usize| if inverse_mass[i] > 0.0 { rate[i] / inverse_mass[i] } else { left[i] };
        Self { z: (0..n).map(size).collect(), w }
    }

    /// Sizes of a program's unknowns and duals (x, y) and of its conditions (P x + c − Gᵀ y, s).
    pub(super) fn of_program(p: &Conic<'_>, z: &[f64]) -> Self {
        let (n, mut columns, mut m) = (p.n(), CsrBuf::default(), CsrBuf::default());
        columns.transpose_of(&p.rows, &mut Vec::new());
        m.clear(n + p.m());
        for k in 0..n {
            p.p.entries(k).for_each(|(j, value)| m.push(j, value));
            columns.view().entries(k).for_each(|(i, value)| m.push(n + i, -value));
            m.end_row();
        }
        for i in 0..p.m() {
            p.rows.entries(i).for_each(|(j, value)| m.push(j, value));
            m.end_row();
        }
        Self::of(m.view(), &[p.c, p.g].concat(), z)
    }

    /// Sizes of z_i and w_i; a solver leaves `tolerance` of typical ones.
    pub(super) fn at(&self, i: usize, tolerance: f64, (z_scale, w_scale): (f64, f64)) -> (Size, Size) {
        let size = |own: f64, scale: f64| Size { own, left: tolerance * scale };
        (size(self.z[i], z_scale), size(self.w[i], w_scale))
    }
}

/// Size of a number where it stands, and how much of it a solver leaves where it is 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) own: f64,
    pub(super) left: f64,
}

/// x ≥ 0 as a part of its own size; 0 up to what a solver leaves.
pub(super) fn part(x: f64, size: Size) -> f64 {
    if x <= size.left { 0.0 } else { x / size.own }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::super::active_laws::Row;
    use super::super::{ActiveSet, ConicBuf, MlcpBuf, Part, Problem, RowTag, Ties};
    use crate::sparse::CsrBuf;

    const INF: f64 = f64::INFINITY;

    /// A block of 1 kg that 1e-3 N s press onto a floor of μ = ½ and b pushes along it; beside it a wheel that spins at 500 rad/s. Unknowns:
    /// v_x, v_y, ω, p_n, λ₊, λ₋, σ.
    fn block_beside_a_wheel(b: f64) -> MlcpBuf {
        #[rustfmt::skip]
        let m = DMatrix::from_row_slice(7, 7, &[
            1.0, 0.0, 0.0,  0.0, -1.0,  1.0, 0.0,
            0.0, 1.0, 0.0, -1.0,  0.0,  0.0, 0.0,
            0.0, 0.0, 1.0,  0.0,  0.0,  0.0, 0.0,
            0.0, 1.0, 0.0,  0.0,  0.0,  0.0, 0.0,
            1.0, 0.0, 0.0,  0.0,  0.0,  0.0, 1.0,
           -1.0, 0.0, 0.0,  0.0,  0.0,  0.0, 1.0,
            0.0, 0.0, 0.0,  0.5, -1.0, -1.0, 0.0,
        ]);
        let q = vec![-b, 1e-3, -500.0, 0.0, 0.0, 0.0, 0.0];
        let lower = vec![-INF, -INF, -INF, 0.0, 0.0, 0.0, 0.0];
        let mut out = MlcpBuf::from_parts(CsrBuf::from_dense(&m), q, lower, vec![INF; 7], 1e-9);
        let part = [
            Part::Velocity,
            Part::Velocity,
            Part::Velocity,
            Part::Normal,
            Part::Friction,
            Part::Friction,
            Part::Slip,
        ];
        out.tag = part.map(|part| RowTag { subject: 0, part }).to_vec();
        (out.z_scale, out.w_scale) = (vec![500.0; 7], vec![500.0; 7]);
        out
    }

    /// Polygons of light contacts were ties wherever a wheel spun: with 500 N s as typical, 5e-4 N s are none, and neither are 1e-4 m/s.
    #[test]
    fn a_wheel_that_spins_elsewhere_changes_no_row() {
        use Row::{Equation, Lower};
        let rows = |b: f64, z: [f64; 7]| {
            let p = block_beside_a_wheel(b);
            assert!(p.view().residual(&z).natural < 1e-15, "{z:?}");
            let set = ActiveSet::of(&Problem::Mlcp(p.view()), &z, Ties::Bounds).unwrap();
            (set.rows[3..].to_vec(), set.ties())
        };
        let sticks = rows(1e-4, [0.0, 0.0, 500.0, 1e-3, 0.0, 1e-4, 0.0]);
        assert_eq!(sticks, (vec![Equation, Equation, Equation, Lower], 0));
        let creeps = rows(6e-4, [1e-4, 0.0, 500.0, 1e-3, 0.0, 5e-4, 1e-4]);
        assert_eq!(creeps, (vec![Equation, Lower, Equation, Equation], 0));
        // At the edge of its polygon: a tie whatever spins.
        let (_, ties) = rows(5e-4, [0.0, 0.0, 500.0, 1e-3, 0.0, 5e-4, 0.0]);
        assert!(ties > 0);
    }

    #[test]
    fn a_heavy_body_elsewhere_changes_no_row_of_a_program() {
        let ties = |pressed: f64| {
            let one = CsrBuf::from_dense(&DMatrix::identity(2, 2));
            let p = ConicBuf {
                p: one.clone(),
                rows: one,
                c: vec![pressed, 1e4],
                g: vec![0.0; 2],
                lower: vec![0.0; 2],
                upper: vec![INF; 2],
                x_scale: vec![1e4; 2],
                s_scale: vec![1e4; 2],
                tolerance: 1e-9,
                ..ConicBuf::default()
            };
            let z = [0.0, 0.0, pressed, 1e4];
            ActiveSet::of(&Problem::Conic(p.view()), &z, Ties::Bounds).unwrap().ties()
        };
        assert_eq!((ties(1e-3), ties(0.0)), (0, 1));
    }
}
