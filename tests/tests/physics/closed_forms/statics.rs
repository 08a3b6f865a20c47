//! Statics: bodies that stand, slip or jam.

use serde_json::{Value, json};
use vinci_core::problem::{Status, check_farkas};
use vinci_engine::pipeline::StepFailure;
use vinci_tests::close;
use vinci_tests::experiment::{SOLVERS, ST, experiment, for_all, ground, planar, set, shipped, timed, with};
use vinci_tests::run::{run, try_run};

const G: f64 = 9.81;

/// A uniform ladder of 2 m at angle θ from the floor, its top against a wall.
///
/// It stands iff tan θ ≥ (1 − μ_f μ_w)/(2 μ_f): at the limit N_w = μ_f N_f, N_f + μ_w N_w = W, and moments about the foot.
fn ladder(theta: f64, mu_floor: f64, mu_wall: f64) -> Value {
    let mut scene = planar(
        0.5,
        0.0,
        json!([
            ground("planar"),
            {"name": "wall", "static": true, "shapes": [{"type": "half-plane"}], "angle": -std::f64::consts::FRAC_PI_2},
            {"name": "ladder", "mass": 3.0, "inertia": 1.0, "shapes": [{"type": "segment", "from": [-1, 0], "to": [1, 0]}],
             "position": [theta.cos(), theta.sin()], "angle": -theta}
        ]),
    );
    scene["pairs"] = json!([
        {"bodies": ["ground", "ladder"], "friction": mu_floor},
        {"bodies": ["wall", "ladder"], "friction": mu_wall}
    ]);
    experiment(scene, 0.002, 0.04)
}

#[test]
fn a_ladder_stands_on_one_side_of_its_angle_and_slips_on_the_other() {
    for (mu_floor, mu_wall) in [(0.4_f64, 0.3_f64), (0.3, 0.0), (0.7, 0.7)] {
        let critical = ((1.0 - mu_floor * mu_wall) / (2.0 * mu_floor)).atan();
        for_all(&ladder(critical + 0.01, mu_floor, mu_wall), |e, names| {
            let run = run(e);
            for m in &run.moments {
                let speed = m.v.iter().fold(0.0_f64, |s, v| s.max(v.abs()));
                close(&format!("{names}: stands, μ = {mu_floor}, {mu_wall}"), speed, 0.0, 1e-9);
            }
        });
        for_all(&ladder(critical - 0.01, mu_floor, mu_wall), |e, names| {
            let run = run(e);
            // The foot runs away and the ladder turns towards the floor: its angle −θ rises.
            assert!(run.first().v[0] > 1e-5 && run.first().v[2] > 1e-5, "{names}: {:?}", run.first().v);
            assert!(run.end().v[2] > 10.0 * run.first().v[2], "{names}: {:?}", run.end().v);
        });
    }
}

/// A load on a wedge of slope α that is pushed to the left at constant speed; guides without friction.
fn lifting_wedge(alpha: f64, mu: f64) -> Value {
    // Wedge: right triangle, thick at its right end, its slope rising to the right; the load's lower face has the same slope.
    // Centres of mass at the origins of the frames, the shapes anywhere: nothing turns here.
    let rise = alpha.tan();
    let scene = planar(
        mu,
        0.0,
        json!([
            ground("planar"),
            {"name": "wedge", "mass": 1.0, "inertia": 1.0, "gravity": false, "position": [0, 0.15],
             "shapes": [{"type": "polygon", "vertices": [[-0.5, -0.15], [0.5, -0.15], [0.5, 0.5 * rise], [-0.5, -0.5 * rise]]}],
             "dofs": {"x": {"position": {"expression": "-0.05*t"}}, "angle": "locked"}},
            {"name": "load", "mass": 4.0, "inertia": 1.0, "position": [0, 0.15],
             "shapes": [{"type": "polygon", "vertices": [[-0.1, -0.1 * rise], [0.1, 0.1 * rise], [0.1, 0.4], [-0.1, 0.4]]}],
             "dofs": {"x": "locked", "angle": "locked"}}
        ]),
    );
    experiment(scene, 0.01, 0.2)
}

#[test]
fn a_lifting_wedge_needs_the_force_of_its_friction_angles() {
    // P = W (tan(α + φ) + tan φ): the slope's reaction is tilted by α + φ from the vertical, the floor's by φ, and the
    // weightless wedge hands W on to the floor.
    for (alpha, mu) in [(0.2_f64, 0.3_f64), (0.1, 0.1), (0.15, 0.0)] {
        let phi = mu.atan();
        let force = 4.0 * G * ((alpha + phi).tan() + phi.tan());
        for_all(&lifting_wedge(alpha, mu), |e, names| {
            let run = run(e);
            let (wedge, load) = (run.at_v("wedge"), run.at_v("load"));
            for m in &run.moments[2..] {
                close(names, m.v[load + 1], 0.05 * alpha.tan(), 1e-9);
                close(
                    &format!("{names}: α = {alpha}, μ = {mu}"),
                    -m.effort[wedge] / m.h,
                    force,
                    1e-6 * force,
                );
            }
        });
    }
}

/// Two walls close on a wedge that points down between them, half angle α, each at 0.1 m/s.
fn squeezed_wedge(alpha: f64, mu: f64) -> Value {
    let half = |y: f64| (y + 1.0) * alpha.tan();
    let wall = |name: &str, sign: f64| {
        // A block whose inner face leans like the wedge's, touching it.
        json!({
            "name": name, "mass": 1.0, "inertia": 1.0,
            "shapes": [{"type": "polygon", "vertices": polygon(sign, half(-0.4), half(0.4))}],
            "dofs": {"x": {"position": {"expression": format!("{}*t", -0.1 * sign)}}, "y": "locked", "angle": "locked"}
        })
    };
    let scene = planar(
        mu,
        0.0,
        json!([
            wall("left", -1.0),
            wall("right", 1.0),
            {"name": "wedge", "mass": 1.0, "inertia": 0.1,
             "shapes": [{"type": "polygon", "vertices": [
                [-half(-0.5), -0.5], [half(-0.5), -0.5], [half(0.5), 0.5], [-half(0.5), 0.5]]}],
             "dofs": {"x": "locked", "angle": "locked"}}
        ]),
    );
    let mut e = experiment(scene, 0.01, 0.01);
    e["scene"]["gravity"] = json!([0, 0]);
    e["scene"]["ignore_contacts"] = json!([["left", "right"]]);
    e
}

/// Inner face from (±low, −0.4) to (±high, 0.4), outer face 1 m further; counter-clockwise.
fn polygon(sign: f64, low: f64, high: f64) -> Value {
    if sign > 0.0 {
        json!([[low, -0.4], [low + 1.0, -0.4], [high + 1.0, 0.4], [high, 0.4]])
    } else {
        json!([[-high, 0.4], [-high - 1.0, 0.4], [-low - 1.0, -0.4], [-low, -0.4]])
    }
}

#[test]
fn a_wedge_is_squeezed_out_below_tan_alpha_and_locks_above() {
    // Moving up at u/tan α it slides on both faces, so friction holds it down by μ p_n cos α against p_n sin α: from rest it
    // needs μ < tan α. Above there is no motion at all, though none is forbidden by the gaps: nobody may find one.
    let alpha = 0.3_f64;
    for solver in SOLVERS {
        let out = run(&with(&squeezed_wedge(alpha, 0.95 * alpha.tan()), ST, solver));
        close(solver, out.end().v[out.at_v("wedge") + 1], 0.1 / alpha.tan(), 1e-8);
        let locked = try_run(&with(&squeezed_wedge(alpha, 1.05 * alpha.tan()), ST, solver));
        let Some(StepFailure::Unsolved { attempts, .. }) = &locked.failure else {
            panic!("{solver} moved a wedge that locks: {:?}", locked.end().v)
        };
        assert_ne!(attempts[0].status, Status::Converged);
    }
}

#[test]
fn two_fingers_commanded_into_a_block_are_infeasible_with_a_proof() {
    for solver in SOLVERS {
        let run = try_run(&with(&shipped("jammed-fingers"), ST, solver));
        let Some(StepFailure::Unsolved { problem, attempts, certificate, squeezed, .. }) = &run.failure
        else {
            panic!("{solver}: {:?}", run.failure)
        };
        // They touch after 0.2 s; the step that would press is the first that has no solution.
        close(solver, run.end().t, 0.2, 1e-12);
        assert_eq!(attempts.last().map(|a| a.status), Some(Status::Infeasible), "{solver}: {attempts:?}");
        let proof = certificate.as_ref().expect("a claim of infeasibility has a proof");
        assert!(check_farkas(&problem.rows().unwrap().view(), proof).proves(), "{solver}");
        for finger in ["left", "right"] {
            let named = squeezed.iter().any(|s| s.body_a == finger || s.body_b == finger);
            assert!(named, "{solver}: {finger} is missing in {squeezed:?}");
        }
    }
}

#[test]
fn a_mass_between_two_closing_plates_is_the_two_by_two_jam() {
    // M = [1 −1; −1 1], r = (−1, −1): the rows add up to 0 ≥ 2 h.
    let bodies = json!([
        {"name": "left", "mass": 1.0, "inertia": 1.0, "shapes": [{"type": "box", "size": [1, 1]}], "position": [-0.75, 0],
         "dofs": {"x": {"position": {"expression": "-0.75 + t"}}, "y": "locked", "angle": "locked"}},
        {"name": "mass", "mass": 1.0, "shapes": [{"type": "disc", "radius": 0.25}], "position": [0, 0],
         "dofs": {"y": "locked", "angle": "locked"}},
        {"name": "right", "mass": 1.0, "inertia": 1.0, "shapes": [{"type": "box", "size": [1, 1]}], "position": [0.75, 0],
         "dofs": {"x": {"position": {"expression": "0.75 - t"}}, "y": "locked", "angle": "locked"}}
    ]);
    let mut scene = planar(0.0, 0.0, bodies);
    scene["gravity"] = json!([0, 0]);
    for_all(&experiment(scene, 0.0625, 0.0625), |e, names| {
        let run = try_run(e);
        let Some(StepFailure::Unsolved { attempts, certificate, .. }) = &run.failure else {
            panic!("{names}")
        };
        assert_eq!(attempts[0].status, Status::Infeasible, "{names}: {attempts:?}");
        assert!(certificate.is_some(), "{names}");
    });
}

#[test]
fn one_finger_pushes_a_block_that_the_other_lets_go() {
    // The same command on one side only is feasible: the block goes with the finger.
    let mut e = shipped("jammed-fingers");
    e["scene"]["bodies"][2]["dofs"]["x"] = json!("locked");
    let e = timed(&set(&e, "/scene/bodies/2/position/0", 0.5), 0.01, 0.4);
    for_all(&e, |e, names| {
        let run = run(e);
        close(names, run.end().v[run.at_v("block")], 0.1, 1e-9);
    });
}
