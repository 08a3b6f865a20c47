//! Distance and growth as conic programs with power cones, solved by an interior-point method.

use crate::common::*;
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{self, NonnegativeConeT, PowerConeT, SecondOrderConeT, ZeroConeT};
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver};
use vinci_detector_implicit::Config;
use vinci_sdk::prelude::Space;

/// Rows s = b − A z in cones; a row is its terms on z and its constant.
#[derive(Default)]
struct Program {
    rows: Vec<(Vec<(usize, f64)>, f64)>,
    cones: Vec<SupportedConeT<f64>>,
    variables: usize,
}

impl Program {
    fn fresh(&mut self) -> usize {
        self.variables += 1;
        self.variables - 1
    }

    /// An affine expression of z as the next row of a cone.
    fn row(&mut self, terms: &[(usize, f64)], constant: f64) {
        self.rows.push((terms.to_vec(), constant));
    }

    /// (x, y, z) ∈ P_α.
    fn power(&mut self, alpha: f64, x: (usize, f64), y: (usize, f64), z: (&[(usize, f64)], f64)) {
        self.cones.push(PowerConeT(alpha));
        for (i, k) in [x, y] {
            if i == usize::MAX { self.row(&[], k) } else { self.row(&[(i, k)], 0.0) }
        }
        self.row(z.0, z.1);
    }

    /// x (three variables) in the superellipsoid of the pose, scaled by `size` (a variable, or 1).
    fn inside(&mut self, s: &Solid, pose: &[f64], x: [usize; 3], size: Option<usize>) {
        let (r, o) = place(pose);
        let p = &s.params;
        let (p1, p2) = (2.0 / p[3], 2.0 / p[4]);
        let local = |k: usize| -> (Vec<(usize, f64)>, f64) {
            let c = r.column(k) / p[k];
            ((0..3).map(|i| (x[i], c[i])).collect(), -c.dot(&o))
        };
        let [t1, t2, t3, t4, rho] = [0; 5].map(|_| self.fresh());
        let one = size.map_or((usize::MAX, 1.0), |i| (i, 1.0));
        let [lx, ly, lz] = [0, 1, 2].map(local);
        self.power(1.0 / p2, (t1, 1.0), (rho, 1.0), (&lx.0, lx.1));
        self.power(1.0 / p2, (t2, 1.0), (rho, 1.0), (&ly.0, ly.1));
        self.power(1.0 / p1, (t3, 1.0), one, (&[(rho, 1.0)], 0.0));
        self.power(1.0 / p1, (t4, 1.0), one, (&lz.0, lz.1));
        self.cones.push(NonnegativeConeT(2));
        self.row(&[(rho, 1.0), (t1, -1.0), (t2, -1.0)], 0.0);
        match size {
            Some(i) => self.row(&[(i, 1.0), (t3, -1.0), (t4, -1.0)], 0.0),
            None => self.row(&[(t3, -1.0), (t4, -1.0)], 1.0),
        }
    }

    /// The least value of a variable; `None` where the method does not converge.
    fn least(&self, objective: usize) -> Option<f64> {
        let (m, n) = (self.rows.len(), self.variables);
        let (mut i, mut j, mut v) = (vec![], vec![], vec![]);
        for (k, (terms, _)) in self.rows.iter().enumerate() {
            for (column, x) in terms {
                i.push(k);
                j.push(*column);
                v.push(-x);
            }
        }
        let a = CscMatrix::new_from_triplets(m, n, i, j, v);
        let b: Vec<f64> = self.rows.iter().map(|r| r.1).collect();
        let mut q = vec![0.0; n];
        q[objective] = 1.0;
        let settings = DefaultSettingsBuilder::default().verbose(false).build().unwrap();
        let mut solver =
            DefaultSolver::new(&CscMatrix::zeros((n, n)), &q, &a, &b, &self.cones, settings).unwrap();
        solver.solve();
        let solved = solver.solution.status == clarabel::solver::SolverStatus::Solved;
        solved.then(|| solver.solution.x[objective])
    }
}

fn distance(solids: [&Solid; 2], pose: [&[f64]; 2]) -> Option<f64> {
    let mut program = Program::default();
    let d = program.fresh();
    let x = [0; 3].map(|_| program.fresh());
    let y = [0; 3].map(|_| program.fresh());
    program.cones.push(SecondOrderConeT(4));
    program.row(&[(d, 1.0)], 0.0);
    for k in 0..3 {
        program.row(&[(x[k], 1.0), (y[k], -1.0)], 0.0);
    }
    program.inside(solids[0], pose[0], x, None);
    program.inside(solids[1], pose[1], y, None);
    program.least(d)
}

fn growth(solids: [&Solid; 2], pose: [&[f64]; 2]) -> Option<f64> {
    let mut program = Program::default();
    let sigma = program.fresh();
    let x = [0; 3].map(|_| program.fresh());
    for k in 0..2 {
        // The power cones scale about the origin of each shape: x − o is linear, so the constant stays.
        program.inside(solids[k], pose[k], x, Some(sigma));
    }
    // A cone of no rows would be refused; this one says nothing.
    program.cones.push(ZeroConeT(1));
    program.row(&[], 0.0);
    program.least(sigma)
}

#[test]
fn distances_and_growths_agree_with_a_conic_solver() {
    let mut dice = Dice(11);
    let (mut far, mut grown, mut counts) = (0.0_f64, 0.0_f64, [0; 3]);
    for _ in 0..150 {
        let solids = [0; 2].map(|_| {
            let p = [0; 2].map(|_| dice.range(1.2, 8.0));
            powers(dice.range(0.3, 1.0), dice.range(0.3, 1.0), dice.range(0.3, 1.0), p[0], p[1])
        });
        let pose = [0; 2].map(|_| pose3(dice.vector() * 1.3, dice.rotation()));
        let (s, p) = ([&solids[0], &solids[1]], [&pose[0][..], &pose[1][..]]);
        let gap = only(Space::Spatial, s, p).gap;
        if gap > 0.01 {
            match distance(s, p) {
                Some(d) => (far, counts[0]) = (far.max((d - gap).abs()), counts[0] + 1),
                None => counts[2] += 1,
            }
        }
        let mut d = create(Space::Spatial, &solids, &Config::default()).unwrap();
        ask(&mut d, &pose.concat(), 99.0, 2);
        let own = d.growth(0, 1).unwrap();
        assert_eq!(own > 1.0, gap > 0.0, "growth {own}, gap {gap}");
        match growth(s, p) {
            Some(g) => (grown, counts[1]) = (grown.max((g - own).abs()), counts[1] + 1),
            None => counts[2] += 1,
        }
    }
    println!(
        "distance {far:e}, growth {grown:e}; compared {} and {}, not converged {}",
        counts[0], counts[1], counts[2]
    );
    assert!(counts[0] > 30 && counts[1] > 100, "{counts:?}");
    assert!(far < 1e-6 && grown < 1e-6, "distance {far:e}, growth {grown:e}");
}
