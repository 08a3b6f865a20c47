//! Piles as a simulation makes them: every step solved, cold and warm.

use vinci_solver_newton::{Config, Newton};
use vinci_test_problems::pile::Pile;
use vinci_test_problems::trials;

/// Steps a pile to 1e-8; failures, iterations, largest speed at the end.
fn run(pile: Pile, steps: usize, warm: bool, label: &str) -> (usize, u32, f64) {
    let mut solver = Newton::new(Config::default()).unwrap();
    trials::settle(&mut solver, pile, (steps, 1e-8), warm, label)
}

#[test]
#[ignore = "long"]
fn spheres_settle() {
    let pile = || Pile::dropped(27, false, 3, 0.5, 0.005);
    for (warm, label) in [(false, "27 spheres, cold"), (true, "27 spheres, warm")] {
        let (failures, ..) = run(pile(), 60, warm, label);
        assert_eq!(failures, 0);
    }
}

#[test]
fn discs_settle() {
    let (failures, ..) = run(Pile::dropped(40, true, 6, 0.5, 0.005), 90, true, "40 discs");
    assert_eq!(failures, 0);
}
