//! Times of impact: the bouncing ball and the rocking block with both methods, and the guard against Zeno.

use serde_json::{Value, json};
use vinci_engine::pipeline::ContactEventKind;
use vinci_tests::close;
use vinci_tests::experiment::{AP, experiment, planar, set, shipped, timed, with};
use vinci_tests::run::{Run, run};

const G: f64 = 9.81;
const METHODS: [&str; 2] = ["backup", "predict"];

fn ball(method: &str, e: f64, h: f64, duration: f64) -> Value {
    let ball = timed(&shipped(&format!("bouncing-ball-{method}")), h, duration);
    set(&ball, "/scene/materials/default/restitution", e)
}

/// Heights of the highest points between impacts, the start first. Between two points of the grid around the apex the
/// scheme's velocities differ by g h; the highest one is within g h²/8 of the parabola through them.
fn apexes(run: &Run) -> Vec<f64> {
    let height: Vec<f64> = run.moments.iter().map(|m| m.q[1] - 0.1).collect();
    let tops = height.windows(3).filter(|w| w[1] > w[0] && w[1] >= w[2]).map(|w| w[1]);
    std::iter::once(height[0]).chain(tops).collect()
}

/// With the impact at ψ = 0 only the scheme's flight is left of the error: ½v² + g y falls by g² h²/2 per step, which is
/// g h v/2 between apex and impact. H = v²/2g + h v/2 and H' = e²v²/2g − e h v/2 give
///
///   H' = e² H − e (1 + e) h v/2 + O(g h²).
#[test]
fn a_ball_bounces_to_e_squared_of_its_height_but_for_the_flight_of_the_scheme() {
    for method in METHODS {
        for e in [0.5, 0.8] {
            let mut third = Vec::new();
            for h in [0.002, 0.001, 0.0005] {
                let run = run(&ball(method, e, h, 2.6));
                let apexes = apexes(&run);
                for (n, pair) in apexes.windows(2).take(3).enumerate() {
                    let v = (2.0 * G * pair[0]).sqrt();
                    let expected = e * e * pair[0] - 0.5 * e * (1.0 + e) * h * v;
                    close(
                        &format!("{method}, e = {e}, h = {h}, apex {n}"),
                        pair[1],
                        expected,
                        2.0 * G * h * h,
                    );
                }
                third.push(apexes[3]);
            }
            // Without its first-order part the third apex is e⁶ H: Richardson's extrapolation leaves O(h²).
            let exact = e.powi(6);
            for (k, h) in [0.002, 0.001].into_iter().enumerate() {
                let extrapolated = 2.0 * third[k + 1] - third[k];
                close(&format!("{method}, e = {e}, h = {h}: e⁶ H"), extrapolated, exact, 6.0 * G * h * h);
                assert!((third[k + 1] - exact).abs() < 0.6 * (third[k] - exact).abs(), "{method}: {third:?}");
            }
        }
    }
}

#[test]
fn impacts_are_made_at_the_contact_and_nowhere_else() {
    for method in METHODS {
        let run = run(&ball(method, 0.8, 0.001, 2.6));
        let mut impacts = 0;
        for pair in run.moments.windows(2) {
            for impact in &pair[1].impacts {
                impacts += 1;
                assert_eq!(impact.t, pair[0].t);
                close("ψ", impact.q[1] - 0.1, 0.0, 1e-7);
                close("v⁺ = −e v⁻", impact.v[1], -0.8 * pair[0].v[1], 1e-12);
                let v = pair[0].v[1];
                close("ΔT = −(1 − e²) m v²/2", impact.energy_change, -0.18 * v * v, 1e-12);
                assert!(!impact.grew);
                assert!(
                    pair[0].events.iter().any(|e| e.kind == ContactEventKind::Contact && e.t == impact.t)
                );
            }
            let psi = pair[1].q[1] - 0.1;
            assert!(psi >= -1e-7, "{method}: ψ = {psi} at t = {}", pair[1].t);
        }
        assert_eq!(impacts, 5, "{method}");
        let counts = &run.simulation.counts;
        if method == "predict" {
            assert_eq!((counts.predicted, counts.missed, counts.rejected), (5, 0, 0), "{counts:?}");
        } else {
            assert_eq!((counts.located, counts.missed), (5, 0), "{counts:?}");
            assert!(counts.rejected >= 5 && counts.rejected <= 25, "{counts:?}");
        }
    }
}

/// With n steps of h a flight from speed u takes T = 2u/g − h (from u T − g T²/2 − g h T/2 = 0) and ends with g T − u; the
/// fall from H takes T = sqrt(2H/g) − h/2. Where u ≤ g h a flight is no longer seen: the ball stays. Parts of steps at both
/// ends of a flight leave O(h) at the end, where flights are as short as steps.
fn rest_at(e: f64, h: f64) -> f64 {
    let mut t = (2.0 / G).sqrt() - 0.5 * h;
    let mut u = e * G * t;
    while u > G * h {
        t += 2.0 * u / G - h;
        u = e * (u - G * h);
    }
    t
}

#[test]
fn the_ball_comes_to_rest_at_the_zeno_time() {
    let e = 0.5;
    let zeno = (2.0 / G).sqrt() * (1.0 + e) / (1.0 - e);
    close("closed form", zeno, 1.3546, 5e-5);
    for method in METHODS {
        let mut errors = Vec::new();
        for h in [0.004, 0.001, 0.00025] {
            let run = run(&ball(method, e, h, 1.6));
            let last = run.moments.iter().rev().find(|m| m.v[1] > 0.0).unwrap().t;
            println!("{method}, h = {h}: at rest from {last} s, Zeno {zeno} s");
            close(&format!("{method}, h = {h}"), last, rest_at(e, h), 3.0 * h);
            close(&format!("{method}, h = {h}: velocity at rest"), run.end().v[1], 0.0, 1e-12);
            errors.push((zeno - last).abs());
        }
        assert!(errors.windows(2).all(|w| w[1] < 0.5 * w[0]), "{method}: {errors:?}");
    }
}

/// The trapezoidal stepper's flight is the parabola itself, so that with located impacts nothing is left but the tolerance of
/// the events: after impact n the height that v²/2g + ψ stands for is e^(2n) H, and the times of impact are
/// sqrt(2H/g) (1 + 2 e + … + 2 eⁿ).
#[test]
fn with_an_exact_flight_apexes_and_times_of_impact_are_exact() {
    for method in METHODS {
        for h in [0.05, 0.01] {
            let ball = with(&ball(method, 0.8, h, 2.6), "trapezoidal", "lemke");
            let run = run(&ball);
            let impacts: Vec<_> = run.moments.iter().flat_map(|m| &m.impacts).collect();
            assert_eq!(impacts.len(), 5, "{method}, h = {h}");
            let (mut t, mut flight) = (0.0, (2.0 / G).sqrt());
            for (n, impact) in impacts.iter().enumerate() {
                t += flight;
                flight *= if n == 0 { 1.6 } else { 0.8 };
                let height = impact.v[1].powi(2) / (2.0 * G) + impact.q[1] - 0.1;
                // Each impact is made within 1e-7 m of ψ = 0, at more than 1 m/s.
                let budget = (n + 1) as f64 * 2e-7;
                close(
                    &format!("{method}, h = {h}: height {n}"),
                    height,
                    0.8_f64.powi(2 * n as i32 + 2),
                    budget,
                );
                close(&format!("{method}, h = {h}: time {n}"), impact.t, t, budget);
            }
        }
    }
}

/// The new corner closes at an event, and the step after it keeps the angular momentum about that corner, up to what gravity
/// does in its time h: with r from the corner to the centre and m = 1, (I + r²) ω⁺ = I ω⁻ + r × v⁻ − g r_x h. Upright that is
/// ω⁺ = (1 − 1.5 sin²α) ω⁻ for a rotation about the old corner. The scheme's v⁻ is one about where that corner was a step
/// before, which turns it by h ω: an error of first order in the ratio.
#[test]
fn the_rocking_block_keeps_its_share_of_angular_velocity_at_every_located_impact() {
    let (a, b) = (1.0, 0.2);
    let r2 = a * a + b * b;
    let ratio = 1.0 - 1.5 * b * b / r2;
    close("closed form", ratio, 0.942308, 5e-7);
    for (method, h) in [("backup", 0.001), ("predict", 0.001), ("backup", 0.00025), ("predict", 0.00025)] {
        let rocking = with(&timed(&shipped("rocking-block"), h, 3.0), AP, "lemke");
        let run = run(&set(&rocking, "/time/events", method));
        let mut impacts = 0;
        for pair in run.moments.windows(2) {
            let (before, after) = (&pair[0], &pair[1]);
            // The corner it stands on drifts by h² and closes now and then, too.
            if before.events.is_empty() || before.q[2].abs() > 1e-3 || before.v[2].abs() < 0.1 {
                continue;
            }
            impacts += 1;
            let what = format!("{method}: impact at {}", before.t);
            let corner = after.touches.iter().max_by(|x, y| x.p_n.total_cmp(&y.p_n)).unwrap().point_b;
            let r = [before.q[0] - corner[0], before.q[1] - corner[1]];
            let inertia = r2 / 3.0;
            let momentum = inertia * before.v[2] + r[0] * before.v[1] - r[1] * before.v[0];
            let square = inertia + r[0] * r[0] + r[1] * r[1];
            close(&what, after.v[2], (momentum - G * r[0] * after.h) / square, 1e-9);
            let found = momentum / square / before.v[2];
            println!("{what}: tilt {:e}, ratio {found}", before.q[2]);
            close(&format!("{what}: ratio"), found, ratio, 0.25 * h);
        }
        assert!(impacts >= 3, "{method}: {impacts} impacts");
    }
}

/// A ball that flies between a wall and another that comes nearer, e = 1: the n-th gap of width d takes d/v, v grows by
/// 2 u at each impact on the moving wall. Within one step there is no end of impacts.
#[test]
fn the_guard_against_zeno_calms_a_contact_until_it_opens() {
    let bodies = json!([
        {"name": "wall", "static": true, "position": [-0.1, 0], "shapes": [{"type": "box", "size": [0.2, 2]}]},
        {"name": "ball", "mass": 1, "position": [0.2, 0], "velocity": [-2, 0], "shapes": [{"type": "disc", "radius": 0.1}],
         "dofs": {"y": "locked", "angle": "locked"}},
        {"name": "press", "mass": 1, "position": [0.52, 0], "velocity": [-0.5, 0], "shapes": [{"type": "box", "size": [0.2, 2]}],
         "dofs": {"x": {"position": {"keyframes": [[0, 0.52], [0.4, 0.32]]}}, "y": "locked", "angle": "locked"}}
    ]);
    let mut scene = planar(0.0, 1.0, bodies);
    scene["gravity"] = json!([0, 0]);
    scene["ignore_contacts"] = json!([["wall", "press"]]);
    for method in METHODS {
        let free = with(&set(&experiment(scene.clone(), 0.1, 0.4), "/time/events", method), AP, "lemke");
        let run = run(&set(&free, "/time/max_impacts", 3));
        let zeno: Vec<_> =
            run.moments.iter().flat_map(|m| &m.events).filter(|e| e.kind == ContactEventKind::Zeno).collect();
        assert!(!zeno.is_empty() && run.simulation.counts.zeno == zeno.len() as u64, "{method}");
        // By hand: the gap is 0.22 − 0.5 t wide, the ball 2, 3, 4, 5, 6 m/s fast between impacts.
        let times: Vec<f64> = run.moments.iter().flat_map(|m| &m.impacts).map(|i| i.t).collect();
        let mut by_hand = vec![0.05];
        for v in [2.0, 3.0, 4.0, 5.0] {
            let to_press = by_hand[by_hand.len() - 1] + (0.22 - 0.5 * by_hand[by_hand.len() - 1]) / (v + 0.5);
            by_hand.extend([to_press, to_press + (0.22 - 0.5 * to_press) / (v + 1.0)]);
        }
        assert_eq!(times.len(), by_hand.len(), "{method}: {times:?}");
        times.iter().zip(&by_hand).for_each(|(t, hand)| close(method, *t, *hand, 1e-6));
        // The third impact of the press between 0.2 s and 0.3 s is its last; at the next it keeps the ball.
        close(method, zeno[0].t, by_hand[7], 1e-6);
        let end = run.end();
        close(&format!("{method}: against the press"), end.q[3] - end.q[0], 0.2, 1e-6);
        close(&format!("{method}: with the press"), end.v[0], -0.5, 1e-9);
        for m in &run.moments {
            assert!(m.q[0] >= 0.1 - 2e-7, "{method}: the ball is in the wall at {}: {}", m.t, m.q[0]);
        }
        let unguarded = vinci_tests::run::run(&set(&free, "/time/max_impacts", 1000));
        assert!(unguarded.simulation.counts.zeno == 0, "{method}");
        let impacts = |run: &Run| run.moments.iter().map(|m| m.impacts.len()).sum::<usize>();
        assert!(impacts(&unguarded) > impacts(&run), "{method}: {} {}", impacts(&unguarded), impacts(&run));
    }
}

/// A ball of 0.1 m that flies 1 m in a step of the grid, a wall of 0.01 m in its way: at the end of the step it is behind
/// the wall, and no gap is negative.
#[test]
fn nothing_flies_through_a_thin_wall() {
    let bodies = json!([
        {"name": "wall", "static": true, "position": [0.5, 0], "shapes": [{"type": "box", "size": [0.01, 2]}]},
        {"name": "ball", "mass": 1, "velocity": [100, 0], "shapes": [{"type": "disc", "radius": 0.1}]}
    ]);
    let mut scene = planar(0.0, 0.5, bodies);
    scene["gravity"] = json!([0, 0]);
    for method in METHODS {
        for tolerance in [None, Some(1e-4)] {
            let mut e =
                with(&set(&experiment(scene.clone(), 0.01, 0.01), "/time/events", method), AP, "lemke");
            if let Some(tolerance) = tolerance {
                e = set(&e, "/time/tolerance", tolerance);
            }
            let run = run(&e);
            let [impact] = &run.moments.iter().flat_map(|m| &m.impacts).collect::<Vec<_>>()[..] else {
                panic!("{method}, {tolerance:?}: not one impact");
            };
            close(method, impact.t, (0.5 - 0.005 - 0.1) / 100.0, 1e-8);
            close(method, run.end().v[0], -50.0, 1e-9);
            close(method, run.end().q[0], 0.395 - 50.0 * (0.01 - 0.00395), 1e-5);
        }
    }
}
