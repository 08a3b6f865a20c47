//! An [`Mlcp`] that is the optimality conditions of a convex quadratic program, as that program ([`Conic`] without cones).
//!
//! With x the unknowns and p the multipliers of the program, its rows are
//!
//! l ≤ x ≤ u ⟂ P x − Gᵀ p + q_x,  a ≤ p ≤ b ⟂ G x + C p + q_p,  P and C symmetric positive semidefinite:
//!
//! contacts without friction, joints, limits, motors with largest forces, compliance; and every LCP with a symmetric
//! positive semidefinite matrix. Which row is which is read off the signs of the matrix. Friction breaks the mirror
//! (μ p_n stands in the row of σ, nothing in the row of p_n): then the bridge refuses and names the row.
//!
//! Kind: exact. The program: see the formula in the module of the writer, min ½ xᵀP x + ½ eᵀC e + q_xᵀ x + (b − a)ᵀ d with
//! e a copy of compliant multipliers and d the slacks of multipliers with two bounds. A proof that the program has no
//! feasible point, or falls without end, is a proof that the Mlcp has no solution.

use super::Refusal;
use super::program::Program;
use crate::problem::{Cone, ConeBlocks, Conic, Mlcp};

/// The program of an Mlcp, with its memory. [`MlcpAsConic::write`] first; everything else speaks of that problem.
#[derive(Debug, Clone, Default)]
pub struct MlcpAsConic {
    program: Program,
}

impl MlcpAsConic {
    /// Writes the program, guesses included. Allocates nothing once warm; takes the cube of the largest connected block of P
    /// and C to see that they are semidefinite.
    ///
    /// Errors: the problem is not the optimality conditions of a convex program; the first row that says so.
    pub fn write(&mut self, p: &Mlcp<'_>) -> Result<(), Refusal> {
        self.program.write(&Cone { rows: *p, blocks: ConeBlocks::default() }, 0.0, (&[], &[]))
    }

    /// The program written last.
    pub fn view(&self) -> Conic<'_> {
        self.program.view()
    }

    /// z of a solution (x, y) of the program, as long as the Mlcp.
    pub fn expand(&self, x: &[f64], y: &[f64], z: &mut [f64]) {
        self.program.expand(x, y, z);
    }

    /// The proof for [`crate::problem::check_farkas`] that y for [`crate::problem::check_conic_infeasible`] is.
    pub fn expand_infeasible(&self, y: &[f64], out: &mut Vec<f64>) {
        self.program.expand_infeasible(y, out);
    }

    /// The proof for [`crate::problem::check_farkas`] that d for [`crate::problem::check_conic_unbounded`] is.
    pub fn expand_unbounded(&self, d: &[f64], out: &mut Vec<f64>) {
        self.program.expand_unbounded(d, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bridge::support::{Numbers, assert_program_of, mlcp, solutions};
    use crate::problem::{
        MlcpBuf, Part, RowTag, check_conic_infeasible, check_conic_unbounded, check_farkas,
    };

    const INF: f64 = f64::INFINITY;

    /// Two velocities, a joint, a contact, a motor with largest force, a compliant contact; some of it compliant.
    fn machine(seed: u64) -> MlcpBuf {
        let mut r = Numbers(seed);
        let g: Vec<[f64; 3]> = (0..4).map(|_| [r.of(-1.0, 1.0), r.of(-1.0, 1.0), r.of(-1.0, 1.0)]).collect();
        let mut rows = vec![vec![0.0; 7]; 7];
        for k in 0..3 {
            rows[k][k] = r.of(0.5, 2.0);
            for (c, g) in g.iter().enumerate() {
                rows[3 + c][k] = g[k];
                rows[k][3 + c] = -g[k];
            }
        }
        rows[6][6] = 0.3;
        rows[4][4] = 0.2;
        (rows[4][6], rows[6][4]) = (0.1, 0.1);
        let q: Vec<f64> = (0..7).map(|_| r.of(-1.0, 1.0)).collect();
        let free = (-INF, INF);
        let bounds = [free, free, (-0.2, 0.3), free, (0.0, INF), (-0.4, 0.25), (-INF, 0.1)];
        mlcp(&rows, &q, &bounds)
    }

    #[test]
    fn solutions_go_both_ways() {
        let mut solved = 0;
        for seed in 1..60 {
            let problem = machine(seed);
            let found = solutions(&problem.view());
            assert_program_of(&problem, &found);
            solved += found.len();
        }
        assert!(solved > 30, "{solved}");
    }

    #[test]
    fn a_symmetric_lcp_is_the_program_over_its_own_unknowns() {
        for seed in 1..40 {
            let mut r = Numbers(seed);
            let f: Vec<[f64; 2]> = (0..4).map(|_| [r.of(-1.0, 1.0), r.of(-1.0, 1.0)]).collect();
            let rows: Vec<Vec<f64>> =
                f.iter().map(|a| f.iter().map(|b| a[0] * b[0] + a[1] * b[1]).collect()).collect();
            let q: Vec<f64> = (0..4).map(|i| f[i][0] + 0.5 * f[i][1] + r.of(0.0, 0.2)).collect();
            let problem = mlcp(&rows, &q, &[(0.0, INF), (0.0, 2.0), (0.0, INF), (-1.0, 1.0)]);
            let mut bridge = MlcpAsConic::default();
            bridge.write(&problem.view()).unwrap();
            assert_eq!((bridge.view().n(), bridge.view().m()), (4, 4));
            let found = solutions(&problem.view());
            assert!(!found.is_empty(), "seed {seed}");
            assert_program_of(&problem, &found);
        }
    }

    #[test]
    fn friction_has_no_mirror_image() {
        // v, p_n, p_f (two), σ with μ = ½: the planar block.
        let rows = [
            vec![1.0, 0.0, 0.0, -1.0, 1.0, 0.0],
            vec![0.0, 1.0, -1.0, 0.0, 0.0, 0.0],
            vec![0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
            vec![1.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            vec![-1.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            vec![0.0, 0.0, 0.5, -1.0, -1.0, 0.0],
        ];
        let low = |i: usize| if i < 2 { -INF } else { 0.0 };
        let bounds: Vec<_> = (0..6).map(|i| (low(i), INF)).collect();
        let mut problem = mlcp(&rows, &[-1.0, 1.0, 0.0, 0.0, 0.0, 0.0], &bounds);
        problem.tag[5] = RowTag { subject: 0, part: Part::Slip };
        let refusal = MlcpAsConic::default().write(&problem.view()).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "row 5 (slip of contact 0) breaks the symmetry of the matrix: M[5, 2] = 0.5 but M[2, 5] = 0"
        );
        // Without friction it has.
        let mut smooth = rows;
        smooth[5][2] = 0.0;
        MlcpAsConic::default().write(&mlcp(&smooth, &[0.0; 6], &bounds).view()).unwrap();
    }

    #[test]
    fn negative_curvature_and_odd_cycles_are_refused() {
        let bounds = [(0.0, INF); 2];
        let saddle = mlcp(&[vec![0.0, 1.0], vec![1.0, 0.0]], &[-1.0; 2], &bounds);
        let message = MlcpAsConic::default().write(&saddle.view()).unwrap_err().to_string();
        assert_eq!(message, "the symmetric block around row 0 is not positive semidefinite");
        let rows = [vec![1.0, -1.0, 1.0], vec![1.0, 1.0, 1.0], vec![1.0, 1.0, 1.0]];
        let message =
            MlcpAsConic::default().write(&mlcp(&rows, &[0.0; 3], &[(0.0, INF); 3]).view()).unwrap_err();
        assert_eq!(message, Refusal::BothSides { row: 2, tag: RowTag::default() });
    }

    #[test]
    fn proofs_come_back() {
        // A mass between two plates that close: rows v, p, p. Infeasible rows.
        let rows = [vec![2.0, -1.0, 1.0], vec![1.0, 0.0, 0.0], vec![-1.0, 0.0, 0.0]];
        let jam = mlcp(&rows, &[-0.3, -1.0, -1.0], &[(-INF, INF), (0.0, INF), (0.0, INF)]);
        let (mut bridge, mut y) = (MlcpAsConic::default(), Vec::new());
        bridge.write(&jam.view()).unwrap();
        assert!(check_conic_infeasible(&bridge.view(), &[1.0, 1.0]).proves());
        bridge.expand_infeasible(&[1.0, 1.0], &mut y);
        assert!(check_farkas(&jam.view(), &y).proves(), "{y:?}");
        // A massless body under a load that its motor of largest force 1 cannot carry: a program without lower end.
        let rows = [vec![0.0, -1.0], vec![1.0, 0.0]];
        let weak = mlcp(&rows, &[3.0, 0.0], &[(-INF, INF), (-1.0, 1.0)]);
        bridge.write(&weak.view()).unwrap();
        let d = [-1.0, 1.0];
        assert!(check_conic_unbounded(&bridge.view(), &d).proves());
        bridge.expand_unbounded(&d, &mut y);
        assert!(check_farkas(&weak.view(), &y).proves(), "{y:?}");
    }

    #[test]
    fn memory_is_kept() {
        let problem = machine(3);
        let mut bridge = MlcpAsConic::default();
        bridge.write(&problem.view()).unwrap();
        let before =
            (bridge.view().c.as_ptr(), bridge.view().p.value.as_ptr(), bridge.view().rows.value.as_ptr());
        bridge.write(&problem.view()).unwrap();
        let after =
            (bridge.view().c.as_ptr(), bridge.view().p.value.as_ptr(), bridge.view().rows.value.as_ptr());
        assert_eq!(before, after);
    }
}
