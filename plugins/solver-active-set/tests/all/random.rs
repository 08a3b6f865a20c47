//! Seeded random programs: every rank of P, every unit, from every guess, to the bit.

use crate::support::*;
use vinci_sdk::prelude::*;
use vinci_solver_active_set::Config;

#[test]
fn random_programs_of_every_rank() {
    for seed in 0..200 {
        let (n, m) = (3 + seed as usize % 18, 5 + seed as usize % 37);
        for (rank, shift) in [(n, 0.01), (n / 2, 0.0), (1, 0.0), (0, 0.0)] {
            let answer = solve(&random(seed, n, m, rank, shift));
            let what = format!("seed {seed}, n {n}, m {m}, rank {rank}: {:?} {}", answer.status, answer.note);
            assert!(matches!(answer.status, Status::Converged | Status::Unbounded), "{what}");
            assert!(shift == 0.0 || answer.status == Status::Converged, "{what}");
        }
    }
}

#[test]
fn units_of_rows_and_unknowns_do_not_matter() {
    for seed in 0..40 {
        let base = random(seed, 12, 30, 12, 0.05);
        let expected = solve(&base);
        let mut r = Random(seed + 99);
        let d: Vec<f64> = (0..12).map(|_| 10f64.powf(3.0 * r.sign())).collect();
        let e: Vec<f64> = (0..30).map(|_| 10f64.powf(3.0 * r.sign())).collect();
        let (b, mut scaled) = (base.view(), base.clone());
        let triplets = |m: &vinci_sdk::core::Csr<'_>, f: &dyn Fn(usize, usize) -> f64| {
            let rows = 0..m.n_rows();
            rows.flat_map(|i| m.entries(i).map(move |(j, v)| (i, j, v)))
                .map(|(i, j, v)| (i, j, v * f(i, j)))
                .collect::<Vec<_>>()
        };
        scaled.p = CsrBuf::from_triplets(12, 12, &triplets(&b.p, &|i, j| d[i] * d[j]));
        scaled.rows = CsrBuf::from_triplets(30, 12, &triplets(&b.rows, &|i, j| e[i] * d[j]));
        (0..12).for_each(|j| scaled.c[j] *= d[j]);
        for i in 0..30 {
            scaled.g[i] *= e[i];
            scaled.lower[i] *= e[i];
        }
        let answer = solve(&scaled);
        assert_eq!(answer.status, Status::Converged);
        let back: Vec<f64> = answer.x.iter().zip(&d).map(|(x, d)| x * d).collect();
        assert_close(&back, &expected.x, 1e-9);
    }
}

#[test]
fn a_guess_with_the_right_rows_needs_no_pivot() {
    for seed in 0..30 {
        let mut p = random(seed, 20, 40, 20, 0.01);
        let cold = solve(&p);
        assert!(cold.iterations > 5);
        p.dual_guess = cold.y.clone();
        let warm = solve(&p);
        assert_eq!(warm.iterations, 0, "seed {seed}");
        assert_close(&warm.x, &cold.x, 1e-11);
        p.dual_guess.clear();
        p.guess = cold.x.clone();
        let warm = solve(&p);
        assert_eq!(warm.iterations, 0, "seed {seed}, from x");
        // A wrong guess costs pivots, never the answer.
        p.guess = vec![1e3; 20];
        p.dual_guess = (0..40).map(|i| f64::from(i % 3) - 1.0).collect();
        let wild = solve(&p);
        assert_eq!(wild.status, Status::Converged);
        assert_close(&wild.x, &cold.x, 1e-11);
    }
}

#[test]
fn the_same_problem_gives_the_same_bits() {
    let p = random(5, 20, 40, 9, 0.0);
    let mut used = solver(Config::default());
    let first = solve_with(&mut used, &p.view());
    let again = solve_with(&mut used, &p.view());
    solve_with(&mut used, &random(6, 12, 50, 12, 0.1).view());
    let later = solve_with(&mut used, &p.view());
    let fresh = solve(&p);
    for other in [&again, &later, &fresh] {
        assert_eq!((&first.x, &first.y, first.iterations), (&other.x, &other.y, other.iterations));
    }
}
