//! Piles as a simulation makes them: every step solved, cold and warm.

use vinci_solver_pgs::{Config, Pgs};
use vinci_test_problems::pile::Pile;
use vinci_test_problems::trials;

/// Steps a pile to 1e-8; failures, iterations, largest speed at the end.
fn run(pile: Pile, steps: usize, warm: bool, label: &str) -> (usize, u32, f64) {
    let mut solver = Pgs::new(Config::default()).unwrap();
    trials::settle(&mut solver, pile, (steps, 1e-8), warm, label)
}

#[test]
#[ignore = "long"]
fn spheres_settle() {
    let pile = || Pile::dropped(27, false, 3, 0.5, 0.005);
    let (failures, cold, _) = run(pile(), 60, false, "27 spheres, cold");
    assert_eq!(failures, 0);
    let (failures, warm, _) = run(pile(), 60, true, "27 spheres, warm");
    assert_eq!(failures, 0);
    assert!(warm <= cold, "{warm} iterations warm, {cold} cold");
}

#[test]
fn discs_settle() {
    let (failures, ..) = run(Pile::dropped(40, true, 6, 0.5, 0.005), 90, true, "40 discs");
    assert_eq!(failures, 0);
}
