//! Times of impact: the bouncing ball and the rocking block with both methods, and the guard against Zeno.

use serde_json::{Value, json};
use vinci::pipeline::EventKind;
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
                assert!(pair[0].events.iter().any(|e| e.kind == EventKind::Contact && e.t == impact.t));
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

/// The new corner closes at an event, upright. The step after it keeps the angular momentum about that corner, up to what
/// gravity does in its time h: (4/3) R² |ω⁺| = (R²/3 + a² − b²) |ω⁻| − g b h.
#[test]
fn the_rocking_block_keeps_its_share_of_angular_velocity_at_every_located_impact() {
    let (a, b) = (1.0, 0.2);
    let r2 = a * a + b * b;
    let ratio = 1.0 - 1.5 * b * b / r2;
    close("closed form", ratio, 0.942308, 5e-7);
    for method in METHODS {
        let rocking = with(&timed(&shipped("rocking-block"), 0.001, 3.0), AP, "lemke");
        let run = run(&set(&rocking, "/time/events", method));
        let mut impacts = 0;
        for pair in run.moments.windows(2) {
            // Settling corners close too, at next to no speed.
            if pair[0].events.is_empty() || pair[0].v[2].abs() < 0.1 {
                continue;
            }
            impacts += 1;
            close(&format!("{method}: upright at {}", pair[0].t), pair[0].q[2], 0.0, 1e-5);
            let gravity = 0.75 * G * b / r2 * pair[1].h;
            let found = (pair[1].v[2].abs() + gravity) / pair[0].v[2].abs();
            close(&format!("{method}: ratio at {}", pair[0].t), found, ratio, 2e-5);
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
         "dofs": {"x": {"position": {"keyframes": [[0, 0.52], [0.3, 0.37], [0.6, 0.52]]}}, "y": "locked", "angle": "locked"}}
    ]);
    let mut scene = planar(0.0, 1.0, bodies);
    scene["gravity"] = json!([0, 0]);
    scene["ignore_contacts"] = json!([["wall", "press"]]);
    for method in METHODS {
        let free = with(&set(&experiment(scene.clone(), 0.1, 0.3), "/time/events", method), AP, "lemke");
        let run = run(&set(&free, "/time/max_impacts", 3));
        let zeno: Vec<_> =
            run.moments.iter().flat_map(|m| &m.events).filter(|e| e.kind == EventKind::Zeno).collect();
        assert!(!zeno.is_empty() && run.simulation.counts.zeno == zeno.len() as u64, "{method}");
        let mut longest = 0;
        for k in 0..3 {
            let inside = |t: f64| t > 0.1 * f64::from(k) && t <= 0.1 * f64::from(k + 1);
            longest =
                longest.max(run.moments.iter().flat_map(|m| &m.impacts).filter(|i| inside(i.t)).count());
        }
        assert!(longest <= 7, "{method}: {longest} impacts of two contacts in a step");
        // A calmed contact keeps the ball: it does not leave the wall again, or goes with the press.
        let loose = run.moments.iter().rev().find(|m| !m.impacts.is_empty()).unwrap();
        assert!(run.end().t > loose.t);
        for m in &run.moments {
            assert!(m.q[0] >= 0.1 - 2e-7, "{method}: the ball is in the wall at {}: {}", m.t, m.q[0]);
        }
        let unguarded = vinci_tests::run::run(&set(&free, "/time/max_impacts", 1000));
        assert!(unguarded.simulation.counts.zeno == 0, "{method}");
        let impacts = |run: &Run| run.moments.iter().map(|m| m.impacts.len()).sum::<usize>();
        assert!(impacts(&unguarded) > impacts(&run), "{method}: {} {}", impacts(&unguarded), impacts(&run));
    }
}
