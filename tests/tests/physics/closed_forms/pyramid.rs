//! A friction pyramid and a sliding puck.

use serde_json::{Value, json};
use vinci_tests::close;
use vinci_tests::experiment::{ST, STEPPERS, set, shipped, timed, with};
use vinci_tests::run::{Run, run, simulation};

const G: f64 = 9.81;
const MU: f64 = 0.3;

/// The shipped puck at 1 m/s and 0.5 rad from x, its friction directions beginning along the slip.
fn puck(directions: u64, h: f64) -> Value {
    let e = set(&shipped("puck-pyramid"), "/stepper/options/friction_directions", directions);
    let e = set(&e, "/friction_basis", "slip");
    timed(&e, h, 0.5)
}

/// The puck with friction directions ±x, ±y, …: they follow the first slip and are carried along from then on. So the
/// contact is made while the puck slides along x; then it gets its velocity.
fn puck_on_axes(e: &Value) -> Run {
    let mut simulation = simulation(&set(e, "/scene/bodies/1/velocity", json!([1, 0, 0])));
    let start = simulation.snapshot();
    let h = simulation.settings.step;
    simulation.advance(h).expect("the puck slides");
    let mut with_contact = simulation.snapshot();
    let (state, first) = (&mut with_contact.state, &start.state);
    (state.t, state.step) = (first.t, first.step);
    state.q.clone_from(&first.q);
    state.v = vec![0.5_f64.cos(), 0.5_f64.sin(), 0.0, 0.0, 0.0, 0.0];
    simulation.restore(&with_contact).expect("its own snapshot");
    Run::of(simulation)
}

/// Time at which the puck has stopped.
fn stop_time(run: &Run) -> f64 {
    let moving = run.moments.iter().rposition(|m| m.v[0].hypot(m.v[1]) > 1e-9).expect("it slides");
    run.moments[moving + 1].t
}

#[test]
fn four_fixed_directions_bend_the_path_and_brake_too_little() {
    // Friction in |p_x| + |p_y| ≤ μ p_n of least power acts along the faster axis until both speeds are equal, then along
    // both: v_x + v_y falls by μ g t. It stops at (v_x + v_y)/(μ g) = .4611 s; the way is
    // x = (v_x² − v_y²)/(2 μ g) + v_y²/(μ g), y = v_y (v_x − v_y)/(μ g) + v_y²/(μ g): direction .700 rad, not .500.
    let (vx, vy, a) = (0.5_f64.cos(), 0.5_f64.sin(), MU * G);
    let (x, y) = ((vx * vx - vy * vy) / (2.0 * a) + vy * vy / a, vy * (vx - vy) / a + vy * vy / a);
    for stepper in STEPPERS {
        for h in [0.002, 0.001] {
            let mut run = puck_on_axes(&with(&puck(4, h), stepper, "lemke"));
            run.go_on((0.5 / h) as usize);
            assert!(run.failure.is_none(), "{:?}", run.failure);
            close("stop", stop_time(&run), (vx + vy) / a, 1.5 * h);
            let q = &run.end().q;
            // A step late on average, as every sliding body is: half a step times the initial speed.
            close("x", q[0], x, h);
            close("y", q[1], y, h);
            close("direction", q[1].atan2(q[0]), y.atan2(x), 2.0 * h);
            if h == 0.001 {
                close("stop, as worked out in the reference", stop_time(&run), 0.462, 1e-9);
                close("direction, as worked out in the reference", q[1].atan2(q[0]), 0.700, 1e-3);
            }
        }
    }
}

#[test]
fn directions_that_begin_along_the_slip_brake_a_straight_slide_exactly() {
    // −t1 is in the set: N = ⌊1/(μ g h)⌋ sliding steps on a straight line, as with the cone.
    for directions in [4, 8] {
        for stepper in STEPPERS {
            let run = run(&with(&puck(directions, 0.001), stepper, "lemke"));
            let last_moving = (1.0 / (MU * G * 0.001)).floor() * 0.001;
            close("stop", stop_time(&run), last_moving + 0.001, 1e-9);
            close("direction", run.end().q[1].atan2(run.end().q[0]), 0.5, 1e-9);
        }
    }
}

#[test]
fn more_directions_come_closer_to_the_cone() {
    // An inscribed polygon brakes with cos(π/n_d) … 1 of μ p_n, whatever the direction of the slip.
    let cone = 1.0 / (MU * G);
    for directions in [8, 16, 32] {
        let h = 0.004;
        let mut run = puck_on_axes(&with(&puck(directions, h), ST, "lemke"));
        run.go_on(110);
        let bias = (std::f64::consts::PI / directions as f64).cos();
        let stop = stop_time(&run);
        assert!(
            stop >= cone - 1e-9 && stop <= cone / bias + 2.0 * h,
            "n_d = {directions}: {stop}, cone {cone}"
        );
        let bend = (run.end().q[1].atan2(run.end().q[0]) - 0.5).abs();
        assert!(bend <= std::f64::consts::PI / directions as f64 + 2.0 * h, "n_d = {directions}: {bend}");
    }
}
