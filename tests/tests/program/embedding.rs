//! The examples of the engine do what the page on embedding says.

/// `main` prints what the test looks at.
#[allow(dead_code)]
#[path = "../../../host/engine/examples/own_stages.rs"]
mod own_stages;

/// `main` prints what the test looks at.
#[allow(dead_code)]
#[path = "../../../host/engine/examples/embed.rs"]
mod embed;

/// A disc of 0.1 m is on the ground after a second, as deep as its last free step goes: no more than h v = 0.001 · 4.2 m.
#[test]
fn a_program_of_ones_own_drops_a_disc_and_the_referee_accepts_every_step() {
    let simulation = embed::fallen(&[vinci_tests::house::build().to_path_buf()]).unwrap();
    let y = simulation.q()[1];
    assert!((0.1 - 0.0043..=0.1).contains(&y), "{y}");
}

/// v = v₀ − g t, and backward Euler sinks by g h t/2 below the parabola, which is back at 0 after a second.
#[test]
fn stages_of_ones_own_make_steps_without_a_library() {
    let simulation = own_stages::thrown().unwrap();
    assert_eq!((simulation.step_count(), simulation.time()), (100, 1.0));
    assert!((simulation.v()[1] + 4.905).abs() < 1e-12, "{:?}", simulation.v());
    assert!((simulation.q()[1] + 0.5 * 9.81 * 0.01).abs() < 1e-12, "{:?}", simulation.q());
    assert!(simulation.last().report.momentum.value < 1e-12, "the referee has judged it");
}
