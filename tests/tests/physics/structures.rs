//! Structures of many contacts stand where they should, and fall where they should.

use vinci_tests::experiment::{shipped, timed};
use vinci_tests::run::{Run, run};

/// Largest change of a coordinate from the start to the end, m or rad.
fn drift(run: &Run) -> f64 {
    run.first().q.iter().zip(&run.end().q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Heyman: a semicircular arch is safe if it is thicker than 0.107 of its radius; this one has 0.2. Its springings need friction.
#[test]
#[ignore = "long"]
fn an_arch_stands_on_friction_and_slides_apart_without() {
    let stands = run(&timed(&shipped("arch-27"), 0.002, 0.1));
    assert!(drift(&stands) < 1e-8, "{}", drift(&stands));
    let falls = run(&shipped("arch-27-slip"));
    let crown = falls.at_q("stone13") + 1;
    let fallen = falls.first().q[crown] - falls.end().q[crown];
    assert!(fallen > 0.1, "{fallen}");
}

/// A pair of cards that lean by α from the vertical needs μ ≥ tan α/2 at its feet if it carries nothing, up to tan α if it carries much.
#[test]
#[ignore = "long"]
fn a_house_of_cards_stands_on_friction_and_falls_without() {
    let stands = run(&timed(&shipped("card-house"), 0.002, 0.1));
    assert!(drift(&stands) < 1e-8, "{}", drift(&stands));
    let falls = run(&shipped("card-house-slip"));
    let board = falls.at_q("board1") + 1;
    let fallen = falls.first().q[board] - falls.end().q[board];
    assert!(fallen > 0.01, "{fallen}");
}

#[test]
#[ignore = "long"]
fn a_wall_a_heap_and_a_chain_of_masses_stay_where_they_are() {
    for (name, step, duration) in
        [("wall-500", 0.005, 0.05), ("disc-pile-1000", 0.002, 0.02), ("chain-1e6", 0.005, 0.1)]
    {
        let stands = run(&timed(&shipped(name), step, duration));
        assert!(drift(&stands) < 1e-8, "{name}: {}", drift(&stands));
    }
}
