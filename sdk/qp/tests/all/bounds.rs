//! Bounds of programs whose objective couples a stiff direction and a soft one, beside optima in exact integers.

use vinci_core::CsrBuf;
use vinci_qp::{ActiveSet, Settings, Status};

/// ½ K (a x_0 + b x_1)² + ½ x_0² + ½ x_1² + c_0 x_0 + c_1 x_1 over x_1 ≥ l.
#[derive(Debug, Clone, Copy)]
struct Coupled {
    k: i128,
    a: i128,
    b: i128,
    c: [i128; 2],
    l: i128,
}

impl Coupled {
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for k in (0..=12).map(|e| 10_i128.pow(e)) {
            for (a, b) in [(1, 1), (1, 3), (2, -1), (1, -2), (3, 2)] {
                for c in [[0, 0], [0, -2], [1, 0], [-1, 3], [2, 2]] {
                    all.extend([-4, 0, 1].map(|l| Self { k, a, b, c, l }));
                }
            }
        }
        all
    }

    /// P.
    fn p(&self) -> [[i128; 2]; 2] {
        let Self { k, a, b, .. } = *self;
        [[k * a * a + 1, k * a * b], [k * a * b, k * b * b + 1]]
    }

    /// The least objective.
    fn optimum(&self) -> f64 {
        let ([[p, r], [_, s]], [c, d], l) = (self.p(), self.c, self.l);
        let determinant = self.k * (self.a * self.a + self.b * self.b) + 1;
        // x_1 of the minimum without a bound is (r c − p d)/det P.
        if r * c - p * d >= l * determinant {
            return -((c * c * s - 2 * c * d * r + d * d * p) as f64) / (2 * determinant) as f64;
        }
        ((s * l * l + 2 * d * l) * p - (r * l + c) * (r * l + c)) as f64 / (2 * p) as f64
    }

    fn solver(&self) -> ActiveSet {
        let p: Vec<_> = (0..4).map(|i| (i / 2, i % 2, self.p()[i / 2][i % 2] as f64)).collect();
        let (p, g) = (CsrBuf::from_triplets(2, 2, &p), CsrBuf::from_triplets(1, 2, &[(0, 1, 1.0)]));
        let mut qp = ActiveSet::new(Settings::default());
        qp.set_up(p.view(), g.view()).unwrap();
        qp.set_cost(&self.c.map(|c| c as f64)).unwrap();
        qp.set_bounds(&[self.l as f64], &[f64::INFINITY]).unwrap();
        qp
    }

    /// Rounding of the objective: of the terms of P x at x of size 10.
    fn rounding(&self) -> f64 {
        1e-14 * (1.0 + self.k as f64)
    }
}

/// The dual objective was told as it came out, though x was not the minimiser that its formula asks for.
#[test]
fn a_bound_is_never_above_the_optimum() {
    let mut near = 0;
    for program in Coupled::all() {
        let (mut qp, best) = (program.solver(), program.optimum());
        let status = qp.solve(f64::INFINITY);
        assert!(matches!(status, Status::Optimal | Status::Numerical), "{program:?}: {status:?}");
        assert!(qp.bound() <= best + program.rounding(), "{program:?}: {} above {best}", qp.bound());
        near += usize::from(best - qp.bound() <= 1e-7 * best.abs().max(1.0) + program.rounding());
    }
    let all = Coupled::all().len();
    assert!(20 * near >= 19 * all, "{near} of {all} bounds are near");
}

/// A point whose objective is above the cutoff was enough.
#[test]
fn a_cutoff_is_told_where_a_bound_is_above_it() {
    let mut told = 0;
    for program in Coupled::all() {
        let best = program.optimum();
        for part in [0.5, 0.1, 1e-3] {
            let size = best.abs().max(1.0);
            let mut qp = program.solver();
            let above = qp.solve(best + part * size + program.rounding());
            assert_ne!(above, Status::Cutoff, "{program:?}: the optimum is below");
            let mut qp = program.solver();
            if qp.solve(best - part * size) == Status::Cutoff {
                assert!(qp.bound() > best - part * size && qp.bound() <= best + program.rounding());
                told += 1;
            }
        }
    }
    assert!(told > 100, "{told} cutoffs");
}
