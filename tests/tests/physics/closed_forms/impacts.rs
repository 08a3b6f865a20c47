//! Impacts: restitution, simultaneous impacts, impact without collision, and the point mass of the worked instances.

use serde_json::{Value, json};
use vinci_tests::close;
use vinci_tests::experiment::{
    AP, SOLVERS, ST, STEPPERS, experiment, for_all, ground, planar, set, shipped, spatial, timed, with,
};
use vinci_tests::run::{Run, run};

const G: f64 = 9.81;

/// Heights of the highest points between bounces, the start first.
fn apexes(run: &Run, up: usize, radius: f64) -> Vec<f64> {
    let height: Vec<f64> = run.moments.iter().map(|m| m.q[up] - radius).collect();
    let tops = height.windows(3).filter(|w| w[1] > w[0] && w[1] >= w[2]).map(|w| w[1]);
    std::iter::once(height[0]).chain(tops).collect()
}

/// One bounce, from apex H to apex H'. Free flight of the scheme loses g² h²/2 per step of ½v² + g y, that is g h v/2 from
/// apex to speed v: H = v²/2g + h v/2 + ψ with v the speed at the start of the step in which the impact is made and ψ its gap.
///
/// Stewart-Trinkle makes the impact within the step that would cross, 0 ≤ ψ ≤ h v, which ends at height ψ + h e v with speed
/// e v: H' = ψ + h e v + e²v²/2g − e h v/2, so that
///
///   H' − e² H = (1 − e²) ψ + e (1 − e) h v/2.
///
/// Anitescu-Potra makes it before the step after, −h v ≤ ψ ≤ 0, and flies on from ψ with speed e v:
///
///   H' − e² H = (1 − e²) ψ − e (1 + e) h v/2.
///
/// The highest point of the grid is up to g h²/8 below that of the parabola; the rest of order h² is as small.
fn check_bounces(run: &Run, names: &str, up: usize, e: f64, h: f64) {
    let apexes = apexes(run, up, 0.1);
    assert!(apexes.len() >= 4, "{names}: {apexes:?}");
    for pair in apexes.windows(2).take(4) {
        let v = (2.0 * G * pair[0]).sqrt();
        let (low, high) = if names.starts_with(AP) {
            (-(1.0 - e * e) - 0.5 * e * (1.0 + e), -0.5 * e * (1.0 + e))
        } else {
            (0.5 * e * (1.0 - e), 1.0 - e * e + 0.5 * e * (1.0 - e))
        };
        let found = pair[1] - e * e * pair[0];
        let rounding = 2.0 * G * h * h;
        assert!(
            found >= low * h * v - rounding && found <= high * h * v + rounding,
            "{names}, h = {h}: H' − e²H = {found} outside {} … {}",
            low * h * v,
            high * h * v
        );
    }
    let n = 3;
    close(names, apexes[n], e.powi(2 * n as i32) * apexes[0], 5.0 * h * (2.0 * G * apexes[0]).sqrt());
}

#[test]
fn a_ball_bounces_to_e_squared_of_its_height() {
    for_all(&timed(&shipped("bouncing-ball"), 0.001, 2.6), |e, names| {
        check_bounces(&run(e), names, 1, 0.8, 0.001);
    });
    for stepper in STEPPERS {
        let fine = timed(&with(&shipped("bouncing-ball"), stepper, "lemke"), 0.00025, 2.6);
        check_bounces(&run(&fine), stepper, 1, 0.8, 0.00025);
    }
}

fn dropped(space: &str, e: f64, h: f64, duration: f64) -> Value {
    let scene = if space == "planar" {
        planar(
            0.3,
            e,
            json!([ground(space),
            {"name": "ball", "mass": 2.0, "shapes": [{"type": "disc", "radius": 0.1}], "position": [0, 1.1]}]),
        )
    } else {
        spatial(
            0.3,
            e,
            json!([ground(space),
            {"name": "ball", "mass": 2.0, "shapes": [{"type": "ball", "radius": 0.1}], "position": [0, 0, 1.1]}]),
        )
    };
    experiment(scene, h, duration)
}

#[test]
fn a_ball_in_space_bounces_likewise() {
    for stepper in STEPPERS {
        let run = run(&with(&dropped("spatial", 0.8, 0.001, 2.6), stepper, "lemke"));
        check_bounces(&run, stepper, 2, 0.8, 0.001);
    }
}

/// When a ball with e = 1/2 comes to rest if every impact takes `loss` · g h from its speed (see [`check_bounces`]:
/// H' = e²H − c h v is v' = e v − (c/e) g h).
fn rest_at(height: f64, e: f64, h: f64, loss: f64) -> f64 {
    let (mut t, mut v) = ((2.0 * height / G).sqrt(), (2.0 * height * G).sqrt());
    while v > G * h {
        v = e * v - loss * G * h;
        t += 2.0 * v.max(0.0) / G;
    }
    t
}

#[test]
fn a_bouncing_ball_comes_to_rest_at_the_zeno_time() {
    // sqrt(2H/g) (1 + e)/(1 − e) = 1.3546 s for e = 1/2.
    let (e, height) = (0.5, 1.0);
    let zeno = (2.0_f64 * height / G).sqrt() * (1.0 + e) / (1.0 - e);
    for h in [0.002, 0.0005] {
        // Stewart-Trinkle: every bounce may come a step late, and heights are off by 1.25 h v, which is δt = 2.5 h e per
        // flight; below 0.01 m/s, after 9 bounces, there is none any more.
        let last_motion = |stepper: &str| {
            let run = run(&with(&dropped("planar", e, h, 1.6), stepper, "lemke"));
            let moving = run.moments.iter().rposition(|m| m.v[1].abs() > 0.02).expect("it falls");
            close(stepper, run.end().v[1], 0.0, 1e-9);
            run.moments[moving].t
        };
        close(&format!("{ST}, h = {h}"), last_motion(ST), zeno, 20.0 * h);
        // Anitescu-Potra: c is between e (1 + e)/2 = 3/8 and 3/8 + 1 − e² = 9/8, and each of 9 impacts up to h late.
        let found = last_motion(AP);
        let (early, late) = (rest_at(height, e, h, 2.25) - 3.0 * h, rest_at(height, e, h, 0.75) + 9.0 * h);
        assert!(early <= found && found <= late, "{AP}, h = {h}: {found} outside {early} … {late}");
    }
}

#[test]
fn without_restitution_stewart_trinkle_closes_the_gap_and_stops_in_two_steps() {
    for space in ["planar", "spatial"] {
        let up = if space == "planar" { 1 } else { 2 };
        for solver in SOLVERS {
            let run = run(&with(&dropped(space, 0.0, 0.01, 0.6), ST, solver));
            let hit =
                (1..run.moments.len()).find(|&k| run.moments[k].touches.iter().any(|t| t.p_n > 0.0)).unwrap();
            let (before, first, second) = (&run.moments[hit - 1], &run.moments[hit], &run.moments[hit + 1]);
            // The contact step moves just as far as the gap: v⁺ = −ψ/h.
            let gap = before.q[up] - 0.1;
            assert!(gap > 1e-4, "the test wants a gap: {gap}");
            close("v after one step", first.v[up], -gap / 0.01, 1e-12);
            close("ψ after one step", first.q[up] - 0.1, 0.0, 1e-15);
            close("v after two steps", second.v[up], 0.0, 1e-12);
            close("ψ at the end", run.end().q[up] - 0.1, 0.0, 1e-14);
        }
    }
}

#[test]
fn without_restitution_anitescu_potra_stops_where_it_notices() {
    for solver in SOLVERS {
        let run = run(&with(&dropped("planar", 0.0, 0.01, 0.6), AP, solver));
        let hit =
            (1..run.moments.len()).find(|&k| run.moments[k].touches.iter().any(|t| t.p_n > 0.0)).unwrap();
        let (before, after) = (&run.moments[hit - 1], &run.moments[hit]);
        close("v", after.v[1], 0.0, 1e-12);
        let psi = before.q[1] - 0.1;
        assert!(psi <= 1e-6 && psi >= 0.01 * before.v[1], "ψ = {psi} at {} m/s", before.v[1]);
        // The penetration is never corrected: drift, but no energy.
        close("ψ at the end", run.end().q[1] - 0.1, psi, 1e-12);
    }
}

#[test]
fn three_balls_share_a_simultaneous_impact() {
    // ν₁⁻ = −1 rebounds, ν₂⁻ = 0 does not approach: −1 + 2 p₁ − p₂ = 1 and 2 p₂ − p₁ = 0 (m = 1), so p = (4/3, 2/3) and
    // v⁺ = (1 − p₁, p₁ − p₂, p₂) = (−1/3, 2/3, 2/3). Momentum 1, energy 1/2: both are kept.
    let planar_cradle = shipped("newton-cradle-3");
    let mut spatial_cradle = planar_cradle.clone();
    spatial_cradle["scene"]["space"] = "spatial".into();
    spatial_cradle["scene"]["gravity"] = json!([0, 0, 0]);
    spatial_cradle["detector"]["plugin"] = "vinci.detector.parry".into();
    for (k, body) in spatial_cradle["scene"]["bodies"].as_array_mut().unwrap().iter_mut().enumerate() {
        body["shapes"] = json!([{"type": "ball", "radius": 0.05}]);
        body["position"] = json!([0.1 * k as f64, 0, 0]);
        body["velocity"] = json!([if k == 0 { 1 } else { 0 }, 0, 0]);
        body["dofs"] = json!({"y": "locked", "z": "locked", "rx": "locked", "ry": "locked", "rz": "locked"});
    }
    for (cradle, nv) in [(planar_cradle, 3), (spatial_cradle, 6)] {
        for_all(&cradle, |e, names| {
            let run = run(e);
            for (ball, expected) in [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0].into_iter().enumerate() {
                close(
                    &format!("{names}: ball {ball} after a step"),
                    run.first().v[nv * ball],
                    expected,
                    1e-12,
                );
                close(&format!("{names}: ball {ball} at the end"), run.end().v[nv * ball], expected, 1e-12);
            }
            close(names, run.end().energy, 0.5, 1e-12);
        });
    }
}

/// The shipped rod, another μ and h, one step.
fn painleve(mu: f64, h: f64) -> Value {
    set(&timed(&shipped("painleve-rod"), h, h), "/scene/materials/default/friction", mu)
}

#[test]
fn painleves_rod_stops_in_one_step_without_a_collision() {
    // m = l = 1, I = 1/3, tip at r = (c, −s) from the centre, tan θ = 2: c² = 1/5, s² = 4/5, c s = 2/5. Both rates zero:
    //   ν_n = −g h + (1 + 3c²) p_n + 3 c s p_t = 0,   ν_t = 1 + 3 c s p_n + (1 + 3 s²) p_t = 0
    // with determinant 1.6·3.4 − 1.2² = 4: p_n = 0.3 + 0.85 g h, p_t = −0.4 − 0.3 g h. At h = 1e-2, 1e-4, 1e-6 these are
    // the .383385, .300834, .300008 of the worked instances.
    for h in [1e-2, 1e-4, 1e-6] {
        for_all(&painleve(2.0, h), |e, names| {
            let run = run(e);
            let pressed: Vec<_> = run.first().touches.iter().filter(|t| t.p_n > 1e-6).collect();
            let [tip] = pressed[..] else { panic!("{names}: {:?}", run.first().touches) };
            close(names, tip.p_n, 0.3 + 0.85 * G * h, 1e-9);
            close(names, tip.impulse[0], -0.4 - 0.3 * G * h, 1e-9);
            close(names, tip.slip, 0.0, 1e-9);
        });
    }
}

#[test]
fn below_the_critical_friction_painleves_rod_slides_on_under_a_regular_force() {
    // Sliding: ν_n = −g h + (1.6 − 1.2 μ) p_n = 0; μ = 1: p_n/h = g/0.4 = 24.525 N.
    for h in [1e-2, 1e-4, 1e-6] {
        for_all(&painleve(1.0, h), |e, names| {
            let run = run(e);
            let tip = run.first().touches.iter().max_by(|a, b| a.p_n.total_cmp(&b.p_n)).expect("a tip");
            close(names, tip.p_n / h, 24.525, 1e-8);
            close(names, tip.impulse[0] / h, -24.525, 1e-8);
        });
    }
}

/// A disc that cannot turn is a point mass.
fn point_mass(v: f64) -> Value {
    let bodies = json!([ground("planar"), {
        "name": "point", "mass": 2.0, "shapes": [{"type": "disc", "radius": 0.125}], "position": [0, 0.125],
        "velocity": [v, 0], "dofs": {"angle": "locked"}
    }]);
    let mut scene = planar(0.5, 0.0, bodies);
    scene["gravity"] = json!([0, -10]);
    experiment(scene, 0.1, 0.1)
}

#[test]
fn a_point_mass_on_a_floor() {
    // m g h = 2, so friction takes at most 1 N s, 0.5 m/s.
    for_all(&point_mass(1.0), |e, names| {
        let m = run(e).moments.remove(1);
        close(names, m.v[0], 0.5, 1e-12);
        close(names, m.v[1], 0.0, 1e-12);
        close(names, m.touches[0].p_n, 2.0, 1e-12);
        close(names, m.touches[0].impulse[0], -1.0, 1e-12);
        close(names, m.touches[0].slip, 0.5, 1e-12);
    });
    for_all(&point_mass(0.3), |e, names| {
        let m = run(e).moments.remove(1);
        close(names, m.v[0], 0.0, 1e-12);
        close(names, m.touches[0].impulse[0], -0.6, 1e-12);
        close(names, m.touches[0].slip, 0.0, 1e-12);
    });
}
