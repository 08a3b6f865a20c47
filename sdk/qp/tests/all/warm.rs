//! Changed bounds and costs, from the working set of before; trees of equations; saved states; cutoffs.

#![allow(clippy::print_stdout)]

use crate::support::*;
use vinci_core::sparse::CsrBuf;
use vinci_qp::{ActiveSet, SavedWorkingSet, Settings, Side, Status, working_set_of_dual};

/// A chain of changes, each solved warm and cold.
fn walk(seed: u64, change: impl Fn(&mut Program, &mut Random)) -> (u32, u32) {
    let mut random = Random(seed);
    let (mut warm_pivots, mut cold_pivots) = (0, 0);
    for (n, m, rank, density) in [(8, 20, 3, 0.5), (20, 40, 20, 1.0), (30, 70, 8, 0.2)] {
        let mut program = Program::random(&mut random, n, m, rank, density);
        for i in 0..n {
            // Everything in a box, so that nothing is unbounded.
            (0..n).for_each(|j| program.g[i * n + j] = f64::from(u8::from(i == j)));
            (program.lower[i], program.upper[i]) = (-3.0, 3.0);
        }
        let mut warm = program.solver();
        for step in 0..60 {
            change(&mut program, &mut random);
            program.load(&mut warm);
            let mut cold = program.solver();
            let (a, b) = (warm.solve(INF), cold.solve(INF));
            program.judge(&warm, a, &format!("warm, n {n}, step {step}"));
            program.judge(&cold, b, &format!("cold, n {n}, step {step}"));
            assert_eq!(a, b, "n {n}, step {step}");
            if a == Status::Optimal {
                let (f, g) = (warm.objective(), cold.objective());
                assert!((f - g).abs() <= 1e-9 * f.abs().max(1.0), "step {step}: {f} warm, {g} cold");
            }
            warm_pivots += warm.pivots();
            cold_pivots += cold.pivots();
        }
    }
    println!("{warm_pivots} pivots warm, {cold_pivots} cold");
    (warm_pivots, cold_pivots)
}

#[test]
fn drifting_costs() {
    let (warm, cold) = walk(1, |program, random| {
        program.c.iter_mut().for_each(|c| *c += 0.05 * random.sign());
    });
    assert!(2 * warm < cold);
}

#[test]
fn drifting_bounds() {
    let (warm, cold) = walk(2, |program, random| {
        for i in program.n..program.m {
            let by = 0.02 * random.sign();
            program.lower[i] += by;
            program.upper[i] += by;
        }
    });
    assert!(2 * warm < cold);
}

#[test]
fn rows_tightened_to_equations_and_given_back() {
    walk(3, |program, random| {
        let i = program.n + random.below(program.m - program.n);
        if program.lower[i] == program.upper[i] {
            (program.lower[i], program.upper[i]) = match random.below(3) {
                0 => (program.lower[i], INF),
                1 => (-INF, program.upper[i]),
                _ => (-INF, INF),
            };
        } else {
            let at = if program.lower[i].is_finite() { program.lower[i] } else { program.upper[i].min(1.0) };
            (program.lower[i], program.upper[i]) = (at, at);
        }
    });
}

#[test]
fn a_child_of_an_active_row_needs_no_pivot() {
    let mut random = Random(7);
    let mut program = Program::random(&mut random, 20, 40, 20, 1.0);
    let mut qp = program.solver();
    assert_eq!(qp.solve(INF), Status::Optimal);
    let f = qp.objective();
    let row = (0..40).find(|&i| qp.active_side(i) == Some(Side::Lower) && program.upper[i] == INF).unwrap();
    program.upper[row] = program.lower[row];
    qp.set_bound(row, program.lower[row], program.lower[row]).unwrap();
    assert_eq!((qp.solve(INF), qp.pivots()), (Status::Optimal, 0));
    assert!((qp.objective() - f).abs() <= 1e-12 * f.abs());
}

#[test]
fn a_saved_state_comes_back() {
    let mut random = Random(8);
    let mut program = Program::random(&mut random, 20, 40, 6, 0.3);
    let mut qp = program.solver();
    assert_eq!(qp.solve(INF), Status::Optimal);
    let (x, y) = (qp.x().to_vec(), qp.y().to_vec());
    let mut saved = SavedWorkingSet::default();
    qp.save(&mut saved);
    let row = (0..40).find(|&i| qp.active_side(i).is_none() && program.lower[i].is_finite()).unwrap();
    let (lower, upper) = (program.lower[row], program.upper[row]);
    (program.lower[row], program.upper[row]) = (lower, lower);
    program.load(&mut qp);
    let status = qp.solve(INF);
    program.judge(&qp, status, "child");
    qp.restore(&saved);
    qp.set_bound(row, lower, upper).unwrap();
    assert_eq!((qp.solve(INF), qp.pivots()), (Status::Optimal, 0));
    for (a, b) in x.iter().zip(qp.x()).chain(y.iter().zip(qp.y())) {
        assert!((a - b).abs() <= 1e-12 * a.abs().max(1.0));
    }
}

#[test]
fn a_working_set_from_multipliers_starts_at_the_answer() {
    let mut random = Random(9);
    for rank in [0, 5, 20] {
        let mut program = Program::random(&mut random, 20, 60, rank, 1.0);
        program.lower.iter_mut().for_each(|l| *l = l.max(-10.0));
        program.upper.iter_mut().for_each(|u| *u = u.min(10.0));
        let mut qp = program.solver();
        assert_eq!(qp.solve(INF), Status::Optimal);
        let mut rows = Vec::new();
        working_set_of_dual(qp.y(), 0.0, &mut rows);
        let mut other = program.solver();
        other.start_from(&rows);
        assert_eq!(other.solve(INF), Status::Optimal);
        program.judge(&other, Status::Optimal, "from multipliers");
        assert!(other.pivots() <= 1, "rank {rank}: {} pivots", other.pivots());
        // Any other working set leads there too.
        let wild: Vec<_> = (0..60).step_by(3).map(|i| (i, Side::Upper)).collect();
        other.start_from(&wild);
        assert_eq!(other.solve(INF), Status::Optimal);
        program.judge(&other, Status::Optimal, "from a wild set");
        assert!((other.objective() - qp.objective()).abs() <= 1e-9 * qp.objective().abs().max(1.0));
    }
}

#[test]
fn a_cutoff_ends_with_a_bound_that_proves_it() {
    let mut random = Random(10);
    let mut cut = 0;
    for _ in 0..50 {
        let mut program = Program::random(&mut random, 20, 60, 20, 1.0);
        (0..20).for_each(|i| program.p[i * 21] += 0.1);
        let mut qp = program.solver();
        assert_eq!(qp.solve(INF), Status::Optimal);
        let (f, pivots) = (qp.objective(), qp.pivots());
        for part in [0.1, 0.5, 0.9] {
            let mut again = program.solver();
            let free = program_minimum(&program);
            let cutoff = free + part * (f - free);
            assert_eq!(again.solve(cutoff), Status::Cutoff);
            assert!(again.bound() > cutoff && again.bound() <= f + 1e-9 * f.abs().max(1.0));
            assert!(again.pivots() <= pivots);
            cut += u32::from(again.pivots() < pivots);
        }
        let mut again = program.solver();
        assert_eq!(again.solve(f + 1e-9 * f.abs().max(1.0)), Status::Optimal);
    }
    assert!(cut > 50, "{cut}");
}

/// The objective without any row.
fn program_minimum(program: &Program) -> f64 {
    let mut free = program.clone();
    free.lower.fill(-INF);
    free.upper.fill(INF);
    let mut qp = free.solver();
    assert_eq!(qp.solve(INF), Status::Optimal);
    qp.objective()
}

#[test]
fn the_same_program_gives_the_same_bits() {
    let mut random = Random(11);
    let program = Program::random(&mut random, 20, 40, 7, 0.4);
    let run = || {
        let mut qp = program.solver();
        let status = qp.solve(INF);
        (status, qp.x().to_vec(), qp.y().to_vec(), qp.pivots())
    };
    assert_eq!(run(), run());
}

/// Beside 1 an equation that is off by 1e-15 counts as met; refined it is met to its own last digits.
#[test]
fn an_equation_of_small_terms_beside_large_ones_is_met_in_its_own_size() {
    let one = CsrBuf::from_triplets(2, 2, &[(0, 0, 1.0), (1, 1, 1.0)]);
    let mut qp = ActiveSet::new(Settings::default());
    qp.set_up(one.view(), one.view()).unwrap();
    qp.set_bounds(&[1.0, 1e-15], &[1.0, 1e-15]).unwrap();
    assert_eq!(qp.solve(f64::INFINITY), Status::Optimal);
    assert_eq!(qp.x(), [1.0, 0.0], "the tolerance is that of the largest row");
    assert!(qp.refine_equations());
    assert!((qp.x()[0] - 1.0).abs() < 1e-15 && (qp.x()[1] - 1e-15).abs() < 1e-29, "{:?}", qp.x());
}
