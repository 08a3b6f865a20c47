//! Exact Coulomb friction by a sequence of convex programs: a [`Cone`] problem as [`Conic`] ones, and the way back.
//!
//! Coulomb's law in the form of De Saxcé, K ∋ p ⟂ u + μ |u_t| e_n ∈ K*, is the optimality condition of a cone program as
//! soon as |u_t| is a number σ given beforehand: (u_n + μ σ, μ u_t) ∈ SOC with the dual (p_n, p_t/μ). A solution gives a new
//! slip |u_t|, and the law holds where the slip comes back unchanged (Acary & Cadoux 2013 prove that such a σ exists):
//!
//! σ ← |u_t(σ)|, until the residual of the Cone problem is small.
//!
//! Discs (support points) are exact at once, by an unknown t ≥ |u_t| of cost r. The rows must be optimality conditions
//! of a program as for [`super::MlcpAsConic`]; others are refused. But matrices W that were measured, or written with few digits, are
//! symmetric to their accuracy only: the program then has their symmetric part, and the rest N z is frozen at the last z
//! like σ, so that what comes back satisfies the law with W as it was given.
//!
//! Kind: iterative. What [`ConeAsConic::next`] calls done satisfies the law itself, within the tolerance. The fixed point
//! need not attract: then the iteration ends at its limit and nothing is claimed. Steps are Anderson's while the change of
//! (σ, N z) falls, else plain ones. An infeasible program at one σ proves nothing.

use super::Refusal;
use super::program::Program;
use crate::anderson::Anderson;
use crate::problem::{Cone, Conic};

/// Part of √(w_ii w_jj) by which w_ij and w_ji may differ.
const SLACK: f64 = 1.0 / 32.0;

/// Steps that the acceleration remembers.
const DEPTH: usize = 6;

/// A change that has grown to this multiple of the last one takes the accelerated step back.
const GROWTH: f64 = 2.0;

/// Progress of the sequence: the meaning of a solution of the last program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// [`ConeAsConic::z`] solves the Cone problem.
    Done,
    /// There is another program to solve.
    Again,
    /// The limit of iterations came first; [`ConeAsConic::z`] is the last iterate.
    GaveUp,
}

/// The sequence of programs, with its memory: [`ConeAsConic::start`], then solve [`ConeAsConic::view`] and call
/// [`ConeAsConic::next`] until it does not say [`Progress::Again`].
#[derive(Debug, Clone)]
pub struct ConeAsConic {
    program: Program,
    limit: u32,
    count: u32,
    in_block: Vec<bool>,
    z: Vec<f64>,
    best_z: Vec<f64>,
    best: f64,
    /// Shifts frozen in the last program: σ per block, then N z where W is not symmetric.
    frozen: Vec<f64>,
    /// Shifts that its solution gives, and the same before acceleration.
    image: Vec<f64>,
    plain: Vec<f64>,
    anderson: Anderson,
    scale: Vec<f64>,
    /// |image − frozen|² of the program before, and whether the last step was accelerated.
    before: f64,
    accelerated: bool,
}

impl Default for ConeAsConic {
    fn default() -> Self {
        Self::new(Self::DEFAULT_LIMIT)
    }
}

impl ConeAsConic {
    /// Programs per problem unless something else is asked for.
    pub const DEFAULT_LIMIT: u32 = 200;

    /// A bridge with at most `limit` programs per problem.
    pub fn new(limit: u32) -> Self {
        Self {
            program: Program::default(),
            limit,
            count: 0,
            in_block: Vec::new(),
            z: Vec::new(),
            best_z: Vec::new(),
            best: f64::INFINITY,
            frozen: Vec::new(),
            image: Vec::new(),
            plain: Vec::new(),
            anderson: Anderson::default(),
            scale: Vec::new(),
            before: f64::INFINITY,
            accelerated: false,
        }
    }

    /// The first program, frozen at the slip of the guess, or at rest. Allocates nothing once warm.
    ///
    /// Errors: the rows are not the optimality conditions of a convex program; the first row that says so.
    pub fn start(&mut self, p: &Cone<'_>) -> Result<(), Refusal> {
        p.mark_block_rows(&mut self.in_block);
        (self.count, self.best) = (0, f64::INFINITY);
        (self.before, self.accelerated) = (f64::INFINITY, false);
        self.z.clear();
        self.z.extend_from_slice(p.rows.guess);
        self.z.resize(p.n(), 0.0);
        self.frozen.clear();
        if p.rows.guess.is_empty() {
            self.frozen.resize(p.blocks.len(), 0.0);
        } else {
            self.frozen.extend(p.blocks.iter().map(|b| slip(p, &b, &self.z)));
        }
        self.program.write(p, SLACK, (&self.frozen, &self.z))?;
        self.program.rest(&self.z, &mut self.frozen);
        self.anderson.start(self.frozen.len(), DEPTH);
        self.scale.clear();
        self.scale.resize(self.frozen.len(), 1.0);
        Ok(())
    }

    /// The program to solve now.
    pub fn view(&self) -> Conic<'_> {
        self.program.view()
    }

    /// Takes a solution (x, y) of the program and says how to go on.
    pub fn next(&mut self, p: &Cone<'_>, x: &[f64], y: &[f64]) -> Progress {
        self.count += 1;
        self.z.resize(p.n(), 0.0);
        self.program.expand(x, y, &mut self.z);
        let residual = p.residual_marked(&self.z, &self.in_block).natural;
        if residual < self.best {
            self.best = residual;
            self.best_z.clone_from(&self.z);
        }
        if residual <= p.rows.tolerance {
            return Progress::Done;
        }
        if self.count >= self.limit {
            self.z.clone_from(&self.best_z);
            return Progress::GaveUp;
        }
        self.advance(p);
        self.program.freeze(p, &self.frozen);
        self.program.keep_as_guess(x, y);
        Progress::Again
    }

    /// z of the last solution.
    pub fn z(&self) -> &[f64] {
        &self.z
    }

    /// Programs solved so far.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The next (σ, N z): accelerated while the change falls, else the plain image, or the one that an accelerated step replaced.
    fn advance(&mut self, p: &Cone<'_>) {
        self.image.clear();
        self.image.extend(p.blocks.iter().map(|b| slip(p, &b, &self.z)));
        self.program.rest(&self.z, &mut self.image);
        let size = self.image.iter().zip(&self.frozen).map(|(g, x)| (g - x) * (g - x)).sum::<f64>();
        if self.accelerated && size > GROWTH * self.before {
            self.frozen.clone_from(&self.plain);
            self.anderson.clear();
            self.accelerated = false;
            return;
        }
        self.before = size;
        self.plain.clone_from(&self.image);
        self.accelerated = self.anderson.accelerate(&self.frozen, &mut self.image, &self.scale);
        std::mem::swap(&mut self.frozen, &mut self.image);
        self.frozen[..p.blocks.len()].iter_mut().for_each(|sigma| *sigma = sigma.max(0.0));
    }
}

/// |u_t| of a block at z; 0 for discs, whose law needs none.
fn slip(p: &Cone<'_>, b: &crate::problem::ConeBlock, z: &[f64]) -> f64 {
    if b.is_disc() {
        return 0.0;
    }
    let u = |k: u32| {
        let i = (b.tangent + k) as usize;
        p.rows.m.row_dot(i, z) + p.rows.q[i]
    };
    if b.dim == 2 { u(0).hypot(u(1)) } else { u(0).abs() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bridge::support::{Numbers, mlcp};
    use crate::problem::{ConeBlock, ConeBuf, NO_NORMAL, Part, RowTag, project_second_order};
    use nalgebra::{DMatrix, DVector};

    const INF: f64 = f64::INFINITY;

    /// Velocities with masses `a` and loads `b`, contacts (rows on v: normal, then tangents) with μ, or discs with a radius.
    fn step(a: &[f64], b: &[f64], blocks: &[(Vec<Vec<f64>>, f64)]) -> ConeBuf {
        let nv = a.len();
        let n = nv + blocks.iter().map(|(rows, _)| rows.len()).sum::<usize>();
        let mut m = vec![vec![0.0; n]; n];
        let mut q = vec![0.0; n];
        for k in 0..nv {
            m[k][k] = a[k];
            q[k] = -b[k];
        }
        let mut index = Vec::new();
        let mut at = nv;
        for (rows, size) in blocks {
            let disc = rows.len() == 2 && *size >= 10.0;
            let tangent = if disc { at } else { at + 1 };
            let normal = if disc { NO_NORMAL } else { at as u32 };
            let dim = (rows.len() - usize::from(!disc)) as u32;
            let size = if disc { size - 10.0 } else { *size };
            index.push(ConeBlock { normal, tangent: tangent as u32, dim, size });
            for row in rows {
                for k in 0..nv {
                    m[at][k] = row[k];
                    m[k][at] = -row[k];
                }
                at += 1;
            }
        }
        let mut out = ConeBuf { rows: mlcp(&m, &q, &vec![(-INF, INF); n]), ..ConeBuf::default() };
        index.into_iter().for_each(|b| out.push_block(b));
        out
    }

    fn unit(nv: usize, k: usize) -> Vec<f64> {
        (0..nv).map(|j| f64::from(u8::from(j == k))).collect()
    }

    /// Projected gradient on the dual, x eliminated through a regular P: slow, simple, certain.
    fn solve(p: &Conic<'_>, y: &mut Vec<f64>) -> Vec<f64> {
        let (hess, g) = (p.p.to_dense(), p.rows.to_dense());
        let inverse = hess.try_inverse().unwrap();
        let c = DVector::from_column_slice(p.c);
        let step = 1.0 / (&g * &inverse * g.transpose()).norm();
        y.resize(p.m(), 0.0);
        let mut x = DVector::zeros(p.n());
        for _ in 0..40000 {
            x = &inverse * (g.transpose() * DVector::from_column_slice(y) - &c);
            let s = &g * &x + DVector::from_column_slice(p.g);
            let moved: Vec<f64> = (0..p.m()).map(|i| y[i] - step * s[i]).collect();
            for cone in p.cones() {
                let first = cone.start;
                let length = moved[first + 1..cone.end].iter().map(|v| v * v).sum::<f64>().sqrt();
                let (head, shrink) = project_second_order(moved[first], length);
                y[first] = head;
                (first + 1..cone.end).for_each(|i| y[i] = shrink * moved[i]);
            }
            if p.residual(x.as_slice(), y).natural < 0.1 * p.tolerance {
                break;
            }
        }
        x.as_slice().to_vec()
    }

    fn run(problem: &ConeBuf) -> (Progress, Vec<f64>, u32) {
        let mut bridge = ConeAsConic::default();
        bridge.start(&problem.view()).unwrap();
        let mut y = Vec::new();
        loop {
            bridge.view().check().unwrap();
            let x = solve(&bridge.view(), &mut y);
            match bridge.next(&problem.view(), &x, &y) {
                Progress::Again => {}
                end => return (end, bridge.z().to_vec(), bridge.count()),
            }
        }
    }

    /// A point mass on a floor, m = 1, h g = 1, sliding with (3, 4)/5 · 2 m/s, μ = ½.
    fn sliding() -> ConeBuf {
        let rows = vec![unit(3, 2), unit(3, 0), unit(3, 1)];
        step(&[1.0; 3], &[1.2, 1.6, -1.0], &[(rows, 0.5)])
    }

    #[test]
    fn a_sliding_mass_stays_on_the_floor() {
        // Frozen at rest the mass lifts off by μ |u_t|; the fixed point has v_z = 0, p_n = 1, |v_t| = 1.5.
        let (end, z, count) = run(&sliding());
        assert_eq!(end, Progress::Done);
        assert!(sliding().view().residual(&z).natural <= 1e-9);
        for (found, exact) in z.iter().zip([0.9, 1.2, 0.0, 1.0, -0.3, -0.4]) {
            assert!((found - exact).abs() < 1e-8, "{z:?}");
        }
        assert!(count <= 5, "{count}");
    }

    #[test]
    fn a_solution_as_guess_is_recognised_at_once() {
        let mut problem = sliding();
        problem.rows.guess = vec![0.9, 1.2, 0.0, 1.0, -0.3, -0.4];
        let mut bridge = ConeAsConic::default();
        bridge.start(&problem.view()).unwrap();
        let (x, y) = (bridge.view().guess.to_vec(), bridge.view().dual_guess.to_vec());
        assert!(bridge.view().residual(&x, &y).natural < 1e-14);
        assert_eq!(bridge.next(&problem.view(), &x, &y), Progress::Done);
        assert_eq!(bridge.z(), problem.rows.guess);
    }

    #[test]
    fn sticking_open_frictionless_and_planar_contacts() {
        let rows = || vec![unit(3, 2), unit(3, 0), unit(3, 1)];
        let stick = step(&[1.0; 3], &[0.3, 0.0, -1.0], &[(rows(), 0.5)]);
        assert_eq!(run(&stick).0, Progress::Done);
        let open = step(&[1.0; 3], &[0.3, 0.1, 1.0], &[(rows(), 0.5)]);
        let (end, z, _) = run(&open);
        assert!(end == Progress::Done && z[3..].iter().all(|p| p.abs() < 1e-9), "{z:?}");
        let smooth = step(&[1.0; 3], &[0.3, 0.1, -1.0], &[(rows(), 0.0)]);
        let (end, z, _) = run(&smooth);
        assert!(end == Progress::Done && (z[3] - 1.0).abs() < 1e-8 && z[4] == 0.0 && z[5] == 0.0, "{z:?}");
        let planar = step(&[2.0; 2], &[2.0, -1.0], &[(vec![unit(2, 1), unit(2, 0)], 0.5)]);
        let (end, z, _) = run(&planar);
        assert!(end == Progress::Done && (z[3] + 0.5).abs() < 1e-8, "{z:?}");
    }

    #[test]
    fn discs_are_exact_at_once() {
        // A disc of radius 0.25 against a load of 1: it slides; against 0.2: it sticks. (Sizes from 10 on mean discs here.)
        for (load, v) in [(1.0, 0.75), (0.2, 0.0)] {
            let problem =
                step(&[1.0; 2], &[0.6 * load, 0.8 * load], &[(vec![unit(2, 0), unit(2, 1)], 10.25)]);
            let mut bridge = ConeAsConic::default();
            let mut guessed = problem.clone();
            let p = -(load - v);
            guessed.rows.guess = vec![0.6 * v, 0.8 * v, 0.6 * p, 0.8 * p];
            bridge.start(&guessed.view()).unwrap();
            let (x, y) = (bridge.view().guess.to_vec(), bridge.view().dual_guess.to_vec());
            assert!(bridge.view().residual(&x, &y).natural < 1e-14, "{:?}", bridge.view().residual(&x, &y));
            assert_eq!(bridge.next(&guessed.view(), &x, &y), Progress::Done);
            let mut wrong = y.clone();
            wrong[0] *= 2.0;
            assert!(bridge.view().residual(&x, &wrong).natural > 1e-3);
        }
    }

    #[test]
    fn two_contacts_share_a_body() {
        let mut r = Numbers(11);
        for _ in 0..10 {
            let mut row = || (0..3).map(|_| r.of(-0.4, 0.4)).collect::<Vec<f64>>();
            let mut contact = |x: f64| {
                let mut n = row();
                n[2] += 1.0;
                n[0] += x;
                vec![n, row(), row()]
            };
            let blocks = [(contact(0.5), 0.3), (contact(-0.5), 0.6)];
            let problem = step(&[1.0, 1.5, 2.0], &[1.0, 0.5, -2.0], &blocks);
            let (end, z, count) = run(&problem);
            let residual = problem.view().residual(&z);
            assert_eq!(end, Progress::Done, "{residual:?} after {count}");
            assert!(residual.natural <= 1e-9);
        }
    }

    #[test]
    fn delassus_rows_are_their_own_program() {
        // W p + q with W = 1: sides are decided by the blocks, unknowns are copies of the impulses.
        let inf = vec![INF; 3];
        let eye = crate::sparse::CsrBuf::from_dense(&DMatrix::identity(3, 3));
        let rows = crate::problem::MlcpBuf::from_parts(eye, vec![-1.0, 0.6, 0.8], vec![-INF; 3], inf, 1e-9);
        let mut problem = ConeBuf { rows, ..ConeBuf::default() };
        problem.push_block(ConeBlock { normal: 0, tangent: 1, dim: 2, size: 0.5 });
        let (end, z, _) = run(&problem);
        assert_eq!(end, Progress::Done);
        assert!((z[0] - 1.0).abs() < 1e-8 && (z[1] + 0.3).abs() < 1e-8 && (z[2] + 0.4).abs() < 1e-8, "{z:?}");
    }

    /// W of two contacts on a body of three freedoms, `off` beside its diagonal in one triangle only.
    fn measured(off: f64) -> ConeBuf {
        let h = [[0.0, 1.0, 0.2], [1.0, 0.0, 0.1], [0.0, 1.0, -0.2], [1.0, 0.1, 0.3]];
        let n = h.len();
        let dot = |i: usize, j: usize| (0..3).map(|k| h[i][k] * h[j][k]).sum::<f64>();
        let entry = |i: usize, j: usize| dot(i, j) + if i < j { off } else { 0.0 };
        let w = crate::sparse::CsrBuf::from_dense(&DMatrix::from_fn(n, n, entry));
        let q = vec![-1.0, 0.4, -0.7, -0.2];
        let rows = crate::problem::MlcpBuf::from_parts(w, q, vec![-INF; n], vec![INF; n], 1e-9);
        let mut problem = ConeBuf { rows, ..ConeBuf::default() };
        [0, 2].into_iter().for_each(|normal| {
            problem.push_block(ConeBlock { normal, tangent: normal + 1, dim: 1, size: 0.3 })
        });
        problem
    }

    /// Matrices written with few digits were refused. The answer is that of the matrix as it was given, symmetric or not, and although
    /// the symmetric part of a singular one with errors has curvature of both signs.
    #[test]
    fn measured_matrices_are_symmetric_to_their_accuracy() {
        let solved = |off: f64| {
            let mut problem = measured(off);
            // The simple solver of these tests inverts P.
            problem.rows.m = crate::sparse::CsrBuf::from_dense(
                &(problem.rows.m.view().to_dense() + 0.1 * DMatrix::identity(4, 4)),
            );
            let (end, z, _) = run(&problem);
            let residual = problem.view().residual(&z).natural;
            assert!(end == Progress::Done && residual <= 1e-9, "{off}: {residual:e}");
            z
        };
        let (exact, rough) = (solved(0.0), solved(0.02));
        assert!(
            exact.iter().zip(&rough).any(|(a, b)| (a - b).abs() > 1e-4),
            "another matrix, another answer"
        );
        // Rank three of four, and errors: curvature downwards.
        assert!(ConeAsConic::default().start(&measured(1e-4).view()).is_ok());
        let message = ConeAsConic::default().start(&measured(0.2).view()).unwrap_err().to_string();
        assert!(message.contains("breaks the symmetry of the matrix"), "{message}");
    }

    #[test]
    fn rows_without_mirror_are_refused() {
        let mut problem = sliding();
        problem.rows.m =
            crate::sparse::CsrBuf::from_triplets(6, 6, &[(0, 0, 1.0), (3, 2, 1.0), (2, 3, -0.5)]);
        problem.rows.tag[2] = RowTag { subject: 2, part: Part::Velocity };
        let message = ConeAsConic::default().start(&problem.view()).unwrap_err().to_string();
        assert_eq!(
            message,
            "row 2 (velocity 2) breaks the symmetry of the matrix: M[2, 3] = -0.5 but M[3, 2] = 1"
        );
    }

    #[test]
    fn the_limit_is_kept() {
        let mut bridge = ConeAsConic::new(1);
        bridge.start(&sliding().view()).unwrap();
        let (mut y, problem) = (Vec::new(), sliding());
        let x = solve(&bridge.view(), &mut y);
        assert_eq!(bridge.next(&problem.view(), &x, &y), Progress::GaveUp);
        assert!(problem.view().residual(bridge.z()).natural > 1e-3);
    }
}
