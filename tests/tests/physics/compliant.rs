//! Song, Pang and Kumar's compliant contact: closed forms, limits, properties.

use serde_json::{Value, json};
use vinci_core::referee::Criterion;
use vinci_tests::close;
use vinci_tests::experiment::{SOLVERS, ST, experiment, ground, planar, set, shipped, spatial, timed, with};
use vinci_tests::run::{Moment, Run, Touch, run, simulation, try_run};

const SPK: &str = "song-pang-kumar";

/// The stepper with options; κ off unless said otherwise, so that steps are those of the experiment.
fn spk(experiment: &Value, options: Value) -> Value {
    let mut all = json!({ "kappa": null });
    for (key, value) in options.as_object().unwrap() {
        all[key] = value.clone();
    }
    set(&with(experiment, SPK, "lemke"), "/stepper/options", all)
}

/// Every pair of the scene with this stiffness and damping.
fn layers(scene: &mut Value, k: f64, c: f64) {
    scene["combination"] = json!({ "stiffness": "max", "damping": "max" });
    scene["materials"]["default"]["stiffness"] = json!(k);
    scene["materials"]["default"]["damping"] = json!(c);
}

/// A disc of 1 kg that touches the ground at t = 0 with 1 m/s, without gravity.
fn bounce(k: f64, c: f64) -> Value {
    let disc = json!({"name": "disc", "mass": 1, "position": [0, 0.1], "velocity": [0, -1],
        "shapes": [{"type": "disc", "radius": 0.1}]});
    let mut scene = planar(0.0, 0.0, json!([ground("planar"), disc]));
    scene["gravity"] = json!([0, 0]);
    layers(&mut scene, k, c);
    experiment(scene, 1e-3, 0.05)
}

/// Speed after the bounce, from 1 m/s.
fn restitution(h: f64) -> f64 {
    let mut simulation = simulation(&spk(&timed(&bounce(1e4, 50.0), h, 0.05), json!({})));
    while simulation.v()[1] < 0.0 || simulation.q()[1] < 0.1 {
        simulation.advance(h).unwrap();
    }
    simulation.v()[1]
}

/// e = exp(−β t_c), ω0² = K/m, β = C/2m, ω² = ω0² − β², t_c = (π − atan2(2 β ω, ω² − β²))/ω: release at zero force.
fn closed_form(k: f64, c: f64) -> f64 {
    let beta = c / 2.0;
    let omega = (k - beta * beta).sqrt();
    let contact = (std::f64::consts::PI - (2.0 * beta * omega).atan2(omega * omega - beta * beta)) / omega;
    (-beta * contact).exp()
}

#[test]
fn restitution_is_an_outcome_and_converges_with_order_one() {
    let e = closed_form(1e4, 50.0);
    close("closed form", e, 0.50628, 5e-6);
    let steps = [1e-3, 1e-4, 1e-5, 1e-6];
    let found = steps.map(restitution);
    println!("restitution {found:?}, limit {e}");
    for (found, expected) in found.iter().zip([0.4424, 0.4994, 0.5056, 0.5062]) {
        close("restitution", *found, expected, 6e-5);
    }
    let orders: Vec<f64> = found.windows(2).map(|f| ((e - f[0]) / (e - f[1])).log10()).collect();
    println!("orders {orders:?}");
    assert!(orders.iter().all(|o| (0.9..1.1).contains(o)), "orders {orders:?}");
}

/// A disc of 1 kg between two plates that close on it at 1 m/s each.
fn jam() -> Value {
    let plate = |name: &str, x: f64, drive: &str| {
        json!({"name": name, "mass": 1, "position": [x, 0], "shapes": [{"type": "box", "size": [0.02, 0.2]}],
            "dofs": {"x": {"position": {"expression": drive}}, "y": "locked", "angle": "locked"}})
    };
    let disc = json!({"name": "disc", "mass": 1, "shapes": [{"type": "disc", "radius": 0.05}]});
    let bodies = json!([disc, plate("left", -0.06, "-0.06 + t"), plate("right", 0.06, "0.06 - t")]);
    let mut scene = planar(0.5, 0.0, bodies);
    scene["gravity"] = json!([0, 0]);
    layers(&mut scene, 1e4, 0.0);
    experiment(scene, 0.01, 0.01)
}

/// λ = K |v_close| h = 100 N on each side, p = (1, 1); rigid, there is no solution.
#[test]
fn jammed_bodies_have_forces() {
    for form in ["reduced", "full"] {
        let run = run(&spk(&jam(), json!({ "form": form })));
        for touch in &run.end().touches {
            close("impulse", touch.p_n, 1.0, 1e-12);
        }
        assert_eq!(run.end().touches.len(), 2);
        close("the disc", run.end().v[0], 0.0, 1e-12);
    }
    assert!(try_run(&with(&jam(), ST, "lemke")).failure.is_some(), "rigid plates jam");
}

/// A block held at a small tilt in the ground and drawn along it: nodes j pressed by N_j, uncoupled.
struct Slip {
    /// k_t of a node, N/m.
    k_t: f64,
    /// μ N_j, N.
    bounds: Vec<f64>,
}

/// U, m.
const AMPLITUDE: f64 = 6e-4;

/// Keyframes up to U, down to −U, and up again, 1 s each.
fn micro_slip(nodes: usize, h: f64) -> (Value, Slip) {
    let (k, mu, tilt, y, ratio): (f64, f64, f64, f64, f64) = (1e5, 0.5, 2e-3, 0.0495, 0.8);
    let u = AMPLITUDE;
    let frames = json!([[0, 0], [1, u], [2, -u], [3, u]]);
    let block = json!({"name": "block", "mass": 1, "position": [0, y], "angle": tilt,
        "shapes": [{"type": "box", "size": [0.2, 0.1]}],
        "dofs": {"x": {"position": {"keyframes": frames, "interpolation": "linear"}}, "y": "locked", "angle": "locked"}});
    let mut scene = planar(mu, 0.0, json!([ground("planar"), block]));
    layers(&mut scene, k, 0.0);
    let options = json!({ "nodes": nodes, "tangential_ratio": ratio });
    let n = nodes as f64;
    let gap = |s: f64| y + s * tilt.sin() - 0.05 * tilt.cos();
    let place = |j: usize| -0.1 + 0.2 * j as f64 / (n - 1.0);
    let bounds = (0..nodes).map(|j| mu * k / n * -gap(place(j))).collect();
    (spk(&experiment(scene, h, 3.0), options), Slip { k_t: ratio * k / n, bounds })
}

impl Slip {
    /// Σ min(k_t u, μ N_j).
    fn skeleton(&self, u: f64) -> f64 {
        self.bounds.iter().map(|b| (self.k_t * u).min(*b)).sum()
    }

    /// Masing: loading from rest along the skeleton, then along the skeleton doubled from where it turned.
    fn force(&self, t: f64) -> f64 {
        let (u, top) = (AMPLITUDE, self.skeleton(AMPLITUDE));
        match t {
            t if t <= 1.0 => self.skeleton(u * t),
            t if t <= 2.0 => top - 2.0 * self.skeleton(u * (t - 1.0)),
            t => -top + 2.0 * self.skeleton(u * (t - 2.0)),
        }
    }
}

/// Force of the ground against the motion, N.
fn drag(moment: &Moment) -> f64 {
    -moment.touches.iter().map(|t| t.impulse[0]).sum::<f64>() / moment.h
}

#[test]
fn micro_slip_follows_masing_to_rounding() {
    let (e, slip) = micro_slip(5, 0.01);
    assert!(slip.bounds.iter().all(|b| *b > 0.0 && *b < slip.k_t * AMPLITUDE), "{:?}", slip.bounds);
    let run = run(&e);
    assert_eq!(run.end().touches.len(), 2);
    let mut worst = 0.0_f64;
    for moment in &run.moments[1..] {
        worst = worst.max((drag(moment) - slip.force(moment.t)).abs());
    }
    println!("Masing: worst {worst:e} N of {} N", slip.skeleton(AMPLITUDE));
    assert!(worst < 1e-10, "{worst:e}");
    // The loop is open: nodes slip at different forces, and the way down is not the way up.
    close("half way up", slip.force(0.5), drag(&run.moments[50]), 1e-10);
    assert!((drag(&run.moments[50]) - drag(&run.moments[150])).abs() > 1.0);
}

/// Moments of the nodes reach the body: the lever of Σ N_j x_j on the two contacts that are told.
#[test]
fn impulses_of_nodes_are_told_with_their_lever() {
    let (e, slip) = micro_slip(5, 0.01);
    let run = run(&timed(&e, 0.01, 0.01));
    let touches = &run.end().touches;
    let moment: f64 = touches.iter().map(|t| t.p_n * t.point_b[0]).sum::<f64>() / run.end().h;
    let place = |j: usize| (-0.1 + 0.05 * j as f64) * 2e-3_f64.cos() + 0.05 * 2e-3_f64.sin();
    let expected: f64 = slip.bounds.iter().enumerate().map(|(j, b)| b / 0.5 * place(j)).sum();
    close("moment of the loads", moment, expected, 1e-8);
}

/// Largest difference of two runs' last positions.
fn apart(a: &Run, b: &Run) -> f64 {
    a.end().q.iter().zip(&b.end().q).fold(0.0, |m, (x, y)| m.max((x - y).abs()))
}

#[test]
fn stewart_trinkle_is_the_limit_of_great_stiffness() {
    let roll = timed(&shipped("slide-to-roll-3d"), 0.01, 0.3);
    for (name, rigid) in
        [("sliding-block", timed(&shipped("sliding-block"), 0.01, 0.5)), ("slide-to-roll-3d", roll)]
    {
        let limit = run(&set(&rigid, "/stepper", json!({"plugin": ST, "options": {"friction": "pyramid"}})));
        let distance = |k: f64| {
            let mut soft = rigid.clone();
            layers(&mut soft["scene"], k, 0.0);
            apart(&run(&spk(&soft, json!({"friction": "pyramid"}))), &limit)
        };
        let found = [1e7, 1e8, 1e9, 1e10].map(distance);
        let slopes: Vec<f64> = found.windows(2).map(|d| (d[0] / d[1]).log10()).collect();
        println!("{name}: {found:?}, slopes {slopes:?}");
        assert!(found[3] > 0.0 && slopes.iter().all(|s| (0.9..1.1).contains(s)), "{name}: {found:?}");
    }
}

/// Rigid pairs are Stewart and Trinkle's to the bit.
#[test]
fn rigid_pairs_are_stewart_trinkle() {
    let rigid = timed(&shipped("sliding-block"), 0.01, 0.5);
    assert_eq!(run(&spk(&rigid, json!({}))).end().q, run(&rigid).end().q);
}

fn edge_and_ball() -> [(&'static str, Value, Value); 3] {
    let mut block = timed(&shipped("sliding-block"), 0.005, 0.3);
    layers(&mut block["scene"], 2e5, 100.0);
    let mut ball = timed(&shipped("slide-to-roll-3d"), 0.005, 0.2);
    layers(&mut ball["scene"], 1e5, 60.0);
    let mut given = block.clone();
    given["scene"]["materials"]["default"]["damping"] = json!(0);
    let k = json!([[2e5, 1e4, 3e4, 0], [1e4, 1e5, 0, 2e4], [3e4, 0, 2e5, -1e4], [0, 2e4, -1e4, 1e5]]);
    let c = json!([[90, 5, 0, 0], [5, 80, 0, 0], [0, 0, 90, -5], [0, 0, -5, 80]]);
    [
        ("edge of four coupled nodes", block, json!({"nodes": 4, "coupling": 0.6, "coupling_length": 0.1})),
        ("ball in space", ball, json!({"tangential_ratio": 0.7})),
        ("given matrices", given, json!({"nodes": 2, "K": k, "C": c})),
    ]
}

#[test]
fn the_full_form_moves_as_the_reduced_one() {
    for (name, experiment, options) in edge_and_ball() {
        let form = |form: &str| {
            let mut options = options.clone();
            (options["form"], options["friction"]) = (json!(form), json!("pyramid"));
            run(&spk(&experiment, options))
        };
        let (full, reduced) = (form("full"), form("reduced"));
        let mut worst = 0.0_f64;
        for (a, b) in full.moments.iter().zip(&reduced.moments) {
            let pairs = a.q.iter().chain(&a.v).zip(b.q.iter().chain(&b.v));
            worst = pairs.fold(worst, |m, (x, y)| m.max((x - y).abs()));
        }
        println!("{name}: full and reduced differ by {worst:e}");
        assert!(worst < 1e-11, "{name}: {worst:e}");
        assert!((full.end().q[0] - full.moments[0].q[0]).abs() > 0.01, "{name} moves");
    }
}

/// Kinetic, potential and elastic energy: with C ≥ 0 it never grows, and without damping only the scheme's own damping
/// takes of it.
#[test]
fn a_bounce_never_gains_energy() {
    for (k, c) in [(1e4, 0.0), (1e4, 50.0), (1e5, 5.0), (1e3, 400.0)] {
        let mut e = bounce(k, c);
        e["scene"]["gravity"] = json!([0, -9.81]);
        let run = run(&timed(&spk(&e, json!({})), 1e-4, 0.3));
        let stored = |m: &Moment| {
            let pressed = m.touches.iter().any(|t| t.p_n > 0.0);
            let delta = if pressed { (0.1 - m.q[1]).max(0.0) } else { 0.0 };
            m.energy + 0.5 * k * delta * delta
        };
        let total: Vec<f64> = run.moments.iter().map(stored).collect();
        let grown = total.windows(2).fold(0.0_f64, |g, e| g.max(e[1] - e[0]));
        assert!(grown < 1e-12, "K {k}, C {c}: grows by {grown:e} J in a step");
        let lost = total[0] - total[total.len() - 1];
        println!("K {k}, C {c}: {lost} J of {} lost", total[0]);
        assert!(lost > 0.0 && (c > 0.0 || lost < 0.25 * total[0]));
    }
}

/// A box between two compliant plates: each of the four contacts carries K d/2, whichever solver is asked.
#[test]
fn grasp_forces_are_unique() {
    let plate = |name: &str, x: f64, drive: &str| {
        json!({"name": name, "mass": 1, "position": [x, 0], "shapes": [{"type": "box", "size": [0.02, 0.2]}],
            "dofs": {"x": {"position": {"expression": drive}}, "y": "locked", "angle": "locked"}})
    };
    let block = json!({"name": "block", "mass": 1, "shapes": [{"type": "box", "size": [0.1, 0.1]}]});
    let bodies = json!([
        block,
        plate("left", -0.06, "-0.06 + min(t, 0.1)*0.01"),
        plate("right", 0.06, "0.06 - min(t, 0.1)*0.01")
    ]);
    let mut scene = planar(0.5, 0.0, bodies);
    layers(&mut scene, 1e5, 200.0);
    let e = spk(&experiment(scene, 0.005, 1.0), json!({}));
    for solver in SOLVERS {
        let run = run(&set(&e, "/solver/plugin", solver));
        let end = run.end();
        assert_eq!(end.touches.len(), 4);
        for touch in &end.touches {
            close("force", touch.p_n / end.h, 1e5 * 1e-3 / 2.0, 1e-6);
            close("its share of the weight", touch.impulse[1].abs() / end.h, 9.81 / 4.0, 1e-6);
        }
        close("sag", end.q[1], -9.81 / (2.0 * 1e5), 1e-4);
        close("speed", end.v[1], 0.0, 1e-9);
    }
}

/// Two free discs that rub at each other: momentum and angular momentum stay, energy does not grow.
#[test]
fn friction_acts_on_both_sides() {
    let disc = |name: &str, mass: f64, position: [f64; 2], velocity: [f64; 2], omega: f64| {
        json!({"name": name, "mass": mass, "position": position, "velocity": velocity, "angular_velocity": omega,
            "shapes": [{"type": "disc", "radius": 0.1}]})
    };
    let bodies =
        json!([disc("a", 1.0, [0.0, 0.0], [1.0, 0.0], 20.0), disc("b", 2.0, [0.19, 0.07], [-1.0, 0.2], 5.0)]);
    let mut scene = planar(0.4, 0.0, bodies);
    scene["gravity"] = json!([0, 0]);
    layers(&mut scene, 1e4, 20.0);
    for kappa in [json!(null), json!(0.5)] {
        let run = run(&spk(&experiment(scene.clone(), 1e-4, 0.1), json!({ "kappa": kappa })));
        let momentum = |m: &Moment| {
            let (v, q) = (&m.v, &m.q);
            let spin = 0.5 * 0.01 * (v[2] + 2.0 * v[5]);
            let orbit = q[0] * v[1] - q[1] * v[0] + 2.0 * (q[3] * v[4] - q[4] * v[3]);
            [v[0] + 2.0 * v[3], v[1] + 2.0 * v[4], spin + orbit]
        };
        let (first, last) = (momentum(&run.moments[0]), momentum(run.end()));
        close("momentum x", last[0], first[0], 1e-12);
        close("momentum y", last[1], first[1], 1e-12);
        // Force and counterforce act at points that are as far apart as the layers are deformed, which turns the pair.
        let turn = |t: &Touch| {
            let d = [t.point_b[0] - t.point_a[0], t.point_b[1] - t.point_a[1]];
            d[0] * t.impulse[1] - d[1] * t.impulse[0]
        };
        let turned: f64 = run.moments.iter().flat_map(|m| &m.touches).map(turn).sum();
        close("angular momentum", last[2], first[2] + turned, 1e-12);
        println!("angular momentum changes by {turned:e} N m s");
        assert!(run.end().energy < run.moments[0].energy);
        assert!((run.end().v[2] - 20.0).abs() > 1.0 && (run.end().v[0] - 1.0).abs() > 0.1, "they touched");
    }
}

#[test]
fn rollback_restores_deformations_to_the_bit() {
    let (e, _) = micro_slip(5, 0.01);
    let mut simulation = simulation(&e);
    for _ in 0..120 {
        simulation.advance(0.01).unwrap();
    }
    let snapshot = simulation.snapshot();
    let go = |simulation: &mut vinci_engine::pipeline::Simulation| -> Vec<u64> {
        let mut bits = Vec::new();
        for _ in 0..50 {
            simulation.advance(0.01).unwrap();
            let last = simulation.last();
            bits.extend(last.q.iter().chain(last.impulse).chain(last.effort).map(|x| x.to_bits()));
        }
        bits
    };
    let first = go(&mut simulation);
    simulation.restore(&snapshot).unwrap();
    assert_eq!(go(&mut simulation), first);
    let mut other = vinci_tests::run::simulation(&e);
    other.restore(&snapshot).unwrap();
    assert_eq!(go(&mut other), first, "a new instance");
    // Without the deformations it is another run.
    let mut forgetful = vinci_tests::run::simulation(&e);
    forgetful
        .restore(&vinci_engine::pipeline::Snapshot {
            plugins: vec![Vec::new(); snapshot.plugins.len()],
            ..snapshot
        })
        .unwrap();
    assert_ne!(go(&mut forgetful), first);
}

/// A ball that falls on a compliant ground: κ < 1 closes that part of the gap in every step and no more, κ = 1 the gap.
#[test]
fn steps_end_where_a_contact_begins() {
    let mut e = bounce(1e4, 50.0);
    e["scene"]["gravity"] = json!([0, -9.81]);
    e["scene"]["bodies"][1]["position"] = json!([0, 0.1123]);
    let e = timed(&e, 0.01, 0.2);
    for (kappa, first) in [(1.0, 1e-15), (0.5, 2e-6)] {
        let mut run = Run::of(simulation(&spk(&e, json!({ "kappa": kappa }))));
        run.go_on(60);
        assert!(run.failure.is_none());
        let gaps: Vec<f64> = run.moments.iter().map(|m| m.q[1] - 0.1).collect();
        let pressed = run.moments.iter().position(|m| m.touches.iter().any(|t| t.p_n > 1e-9)).unwrap();
        println!("κ {kappa}: {:?}", &gaps[..pressed + 1]);
        assert!(gaps[..pressed].iter().all(|g| *g > -1e-15), "no step passes the guard: {gaps:?}");
        assert!(gaps[pressed - 1] < first, "contact begins at ψ = {}", gaps[pressed - 1]);
        let on_grid = |t: f64| (t / 0.01 - (t / 0.01).round()).abs() < 1e-9;
        let mut chosen = 0;
        for k in 1..pressed {
            let left = (1.0 - kappa) * gaps[k - 1];
            assert!(gaps[k] > left - 1e-12, "{gaps:?}");
            if !on_grid(run.moments[k].t) {
                close("the part of the gap left", gaps[k], left, 1e-12);
                chosen += 1;
            }
        }
        assert!(chosen >= if kappa < 1.0 { 8 } else { 1 }, "{chosen} steps chosen by κ");
    }
}

/// In contact h ≤ η/ω: here ω = √(K/m) (no friction), parts of one size.
#[test]
fn steps_in_contact_resolve_the_oscillation() {
    let e = spk(&bounce(1e4, 50.0), json!({ "eta": 0.1, "kappa": 1.0 }));
    let mut run = Run::of(simulation(&timed(&e, 0.01, 0.2)));
    run.go_on(60);
    close("step", run.first().h, 0.001, 1e-15);
    let slow = run.moments.iter().skip(1).filter(|m| m.h < 0.01).count();
    println!("{slow} steps in contact, e = {}", run.end().v[1]);
    // The contact lasts 24 ms or so; in flight steps are whole again.
    assert!((20..35).contains(&slow));
    assert_eq!(run.end().h, 0.01);
    close("restitution", run.end().v[1], 0.4424, 6e-5);
}

/// A box that lies on the ground in space: four contacts, K/4 each, sag m g/K.
#[test]
fn a_box_in_space_sags_by_its_weight() {
    for coupling in [0.0, 0.5] {
        let block = json!({"name": "box", "mass": 2, "position": [0, 0, 0.1], "shapes": [{"type": "box", "size": [0.4, 0.3, 0.2]}]});
        let mut scene = spatial(0.5, 0.0, json!([ground("spatial"), block]));
        layers(&mut scene, 1e5, 500.0);
        let options = json!({"coupling": coupling, "coupling_length": 0.2, "friction": "pyramid"});
        let run = run(&spk(&experiment(scene, 0.01, 1.0), options));
        let end = run.end();
        let corner = |x: f64| (-x / 0.2_f64).exp();
        // By symmetry every corner has the same force: δ = λ (4/K) (1 + c (1 + e₁ + e₂ + e₃)).
        let near = 1.0 + corner(0.4) + corner(0.3) + corner(0.5);
        close("sag", 0.1 - end.q[2], 2.0 * 9.81 / 1e5 * (1.0 + coupling * near), 1e-9);
        assert_eq!(end.touches.len(), 4);
        end.touches.iter().for_each(|t| close("corner", t.p_n / end.h, 2.0 * 9.81 / 4.0, 1e-6));
    }
}

/// What is refused, and with which words.
#[test]
fn bad_input_is_refused_with_its_name() {
    let refused = |options: Value| {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("experiment.json");
        std::fs::write(&path, spk(&bounce(1e4, 50.0), options).to_string()).unwrap();
        let loaded = vinci_scene::load_experiment(&path, &[]).unwrap();
        match vinci_run::prepare(loaded, &vinci_tests::house::registry()) {
            Ok(_) => panic!("accepted"),
            Err(found) => found.to_string(),
        }
    };
    for (options, words) in [
        (
            json!({"K": [[1, 2], [2, 1]]}),
            "K must be positive definite: its leading minor of order 2 is -3, not above 0",
        ),
        (
            json!({"K": [[1, 0], [0, 1]], "C": [[0, 0], [0, 1]]}),
            "C must be positive definite: its leading minor of order 1 is 0, not above 0",
        ),
        (json!({"K": [[1, 0.5], [0, 1]]}), "K must be symmetric: the entry (1, 2) is 0.5, but (2, 1) is 0"),
        (json!({"C": [[1]]}), "C is given without K"),
        (json!({"nodes": 2, "K": [[1, 0], [0, 1]]}), "K has 2 rows, but a patch of 2 node(s) has 4"),
        (json!({"nodes": 0}), "`stepper.options.nodes` must be at least 1 and at most 256, found 0"),
        (json!({"nodes": 1_000_000_000}), "must be at least 1 and at most 256, found 1000000000"),
        (json!({"kappa": 1.5}), "`stepper.options.kappa` must be greater than 0 and at most 1.0, found 1.5"),
        (json!({"kappa": 0}), "`stepper.options.kappa` must be greater than 0 and at most 1.0, found 0"),
        (json!({"eta": 0}), "`stepper.options.eta` must be greater than 0"),
        (json!({"min_step": -1e-6}), "`stepper.options.min_step` must be greater than 0"),
        (json!({"form": "full", "friction": "cone"}), "form `full` is a mixed LCP"),
    ] {
        let found = refused(options);
        assert!(found.contains(words), "`{words}` expected in: {found}");
    }
}

/// Without inertia a block sinks in by m g/K at once, whatever the step.
#[test]
fn quasi_static_bodies_stand_on_their_layers() {
    let block = json!({"name": "block", "mass": 2, "position": [0, 0.05], "shapes": [{"type": "box", "size": [0.2, 0.1]}]});
    let mut scene = planar(0.5, 0.0, json!([ground("planar"), block]));
    layers(&mut scene, 1e4, 0.0);
    for options in [json!({}), json!({"nodes": 4, "form": "full"})] {
        let mut options = options;
        options["motion"] = json!("quasi-static");
        let run = run(&spk(&experiment(scene.clone(), 0.01, 0.03), options));
        close("first step", run.first().q[1], 0.05 - 2.0 * 9.81 / 1e4, 1e-12);
        close("and there it stays", run.end().q[1], 0.05 - 2.0 * 9.81 / 1e4, 1e-12);
    }
}

/// An impedance depends on the step, so a shorter one is the host's to make: the disc still does not pass the guard.
#[test]
fn pulled_bodies_are_stepped_by_the_host() {
    let mut e = bounce(1e4, 50.0);
    e["scene"]["bodies"][1]["position"] = json!([0, 0.105]);
    e["scene"]["bodies"][1]["dofs"] = json!({"y": {"impedance": {"stiffness": 10, "command": 0.05}}});
    let mut run = Run::of(simulation(&timed(&spk(&e, json!({"kappa": 0.5})), 0.01, 0.1)));
    run.go_on(8);
    assert!(run.failure.is_none());
    let gaps: Vec<f64> = run.moments.iter().map(|m| m.q[1] - 0.1).collect();
    let pressed = gaps.iter().position(|g| *g < 0.0).unwrap();
    assert!(pressed > 8 && gaps[pressed - 1] < 1e-5, "{gaps:?}");
    // Half of the gap is left, up to what the pull of the step adds; more where the grid cuts the step.
    for pair in gaps[..pressed].windows(2) {
        assert!(pair[1] > 0.45 * pair[0], "{gaps:?}");
    }
}

/// A pair's stiffness and the diagonal matrices that mean the same move alike.
#[test]
fn pairs_and_given_matrices_agree() {
    let mut e = timed(&shipped("sliding-block"), 0.005, 0.3);
    layers(&mut e["scene"], 2e5, 100.0);
    let diagonal = |x: f64| -> Value {
        (0..4)
            .map(|i| (0..4).map(|j| if i == j { x } else { 0.0 }).collect::<Vec<_>>())
            .collect::<Vec<_>>()
            .into()
    };
    let pair = run(&spk(&e, json!({})));
    let given = run(&spk(&e, json!({"nodes": 2, "K": diagonal(1e5), "C": diagonal(50.0)})));
    let worst = apart(&pair, &given);
    assert!(worst < 1e-12, "{worst:e}");
    // An edge of many nodes turns as N_p → ∞ nodes would: Σ k_j x_j² = K a²/3 (1 + 2/(N − 1)) for half length a.
    let turn = |nodes: usize| {
        let mut press = e.clone();
        press["scene"]["materials"]["default"]["friction"] = json!(0);
        press["scene"]["bodies"][1]["velocity"] = json!([0, 0]);
        press["scene"]["bodies"][1]["dofs"] = json!({"angle": {"force": 0.2}, "x": "locked"});
        run(&timed(&spk(&press, json!({"nodes": nodes})), 0.01, 2.0)).end().q[2]
    };
    for nodes in [2, 3, 11] {
        let stiffness = 2e5 * 0.01 / 3.0 * (1.0 + 2.0 / (nodes as f64 - 1.0));
        // Relative: the rows are those of the straight block.
        close("angle", turn(nodes) * stiffness / 0.2, 1.0, 1e-3);
    }
}

/// Flight, contact, flight: steps chosen by κ and η against equal steps, at the same error of the restitution.
#[test]
fn chosen_steps_are_fewer_at_equal_error() {
    let mut e = bounce(1e4, 50.0);
    e["scene"]["bodies"][1]["position"] = json!([0, 0.15]);
    let limit = closed_form(1e4, 50.0);
    let count = |h: f64, options: Value| {
        let mut simulation = simulation(&timed(&spk(&e, options), h, 0.2));
        while simulation.time() < 0.2 - 1e-9 {
            simulation.advance_to(simulation.next_grid_time()).unwrap();
        }
        (simulation.step_count(), (simulation.v()[1] - limit).abs())
    };
    let mut ratios = Vec::new();
    for eta in [0.1, 0.01, 0.001] {
        let (equal, error) = count(eta / 100.0, json!({}));
        let (chosen, chosen_error) = count(0.02, json!({ "kappa": 1.0, "eta": eta }));
        println!("η {eta}: {chosen} steps with error {chosen_error:e}, {equal} equal ones with {error:e}");
        assert!(chosen_error <= 1.05 * error, "{chosen_error:e} against {error:e}");
        ratios.push(equal as f64 / chosen as f64);
    }
    assert!(ratios.iter().all(|r| *r > 3.0), "{ratios:?}");
}

/// The shipped scenes show what their descriptions say.
#[test]
fn the_shipped_scenes_show_it() {
    let ran = |name: &str| run(&set(&shipped(name), "/stepper/options/friction", "auto"));
    let bounce = ran("compliant-bounce");
    close("restitution at h = 0.1 ms", bounce.end().v[1], 0.4994, 5e-5);
    let jam = ran("jam-compliant");
    let squeeze = |m: &Moment| {
        m.touches.iter().filter(|t| t.a == "left" || t.b == "left").map(|t| t.p_n).sum::<f64>() / m.h
    };
    let most = jam.moments[1..].iter().map(squeeze).fold(0.0, f64::max);
    println!("jam: {most} N at most");
    // K 5 mm, and C times 0.1 m/s while it closes.
    close("largest squeeze", most, 510.0, 1e-9);
    close("the block", jam.end().q[0], 0.0, 1e-12);
    assert_eq!(jam.end().touches.iter().filter(|t| t.p_n > 0.0).count(), 0, "it is let go");
    let slip = ran("micro-slip-patch");
    let bound = 0.5 * 1e5 * (0.05 * 2e-3_f64.cos() - 0.0495);
    let force = |t: f64| {
        drag(slip.moments.iter().min_by(|a, b| (a.t - t).abs().total_cmp(&(b.t - t).abs())).unwrap())
    };
    close("all nodes slip at u = 0.6 mm", force(2.0), bound, 1e-9);
    close("and back", force(4.0), -bound, 1e-9);
    close("and there again", force(6.0), bound, 1e-9);
    // Halfway down: half the way at double scale, Q_max − 2 Q(U) with U = 0.3 mm.
    let k_t: f64 = 0.8 * 1e5 / 8.0;
    let load = |j: usize| {
        1e5 / 8.0 * (0.05 * 2e-3_f64.cos() - 0.0495 - (-0.1 + 0.2 * j as f64 / 7.0) * 2e-3_f64.sin())
    };
    let skeleton: f64 = (0..8).map(|j| (k_t * 3e-4).min(0.5 * load(j))).sum();
    close("Masing", force(3.0), bound - 2.0 * skeleton, 1e-9);
}

/// In the plane the pyramid is exact: both forms move alike, up to what the solvers leave.
#[test]
fn cones_and_pyramids_move_alike_in_the_plane() {
    let mut e = timed(&shipped("sliding-block"), 0.005, 0.3);
    layers(&mut e["scene"], 2e5, 100.0);
    for options in [json!({}), json!({"nodes": 4, "coupling": 0.6, "coupling_length": 0.1})] {
        let form = |friction: &str, solver: &str| {
            let mut options = options.clone();
            options["friction"] = json!(friction);
            run(&set(&set(&spk(&e, options), "/solver/plugin", solver), "/tolerance", 1e-12))
        };
        let worst = apart(&form("cone", "nsgs"), &form("pyramid", "lemke"));
        println!("cone and pyramid differ by {worst:e} m");
        assert!(worst < 1e-10, "{worst:e}");
    }
}

/// A box in space that is thrown along 0.3 rad: with cones it keeps to its line and slides as far as along x; the
/// tangents of its contacts have nothing to do with it.
#[test]
fn cones_know_no_direction_in_space() {
    let thrown = |angle: f64, friction: &str| {
        let block = json!({"name": "box", "mass": 1, "position": [0, 0, 0.1], "velocity": [angle.cos(), angle.sin(), 0],
            "dofs": {"rx": "locked", "ry": "locked", "rz": "locked"}, "shapes": [{"type": "box", "size": [0.2, 0.2, 0.2]}]});
        let mut scene = spatial(0.3, 0.0, json!([ground("spatial"), block]));
        layers(&mut scene, 1e5, 300.0);
        let mut e = set(
            &spk(&experiment(scene, 0.005, 0.3), json!({"friction": friction})),
            "/friction_basis",
            "axes",
        );
        e["tolerance"] = json!(1e-11);
        e["solver"]["plugin"] = json!(if friction == "cone" { "nsgs" } else { "lemke" });
        let q = run(&e).end().q.clone();
        (q[0].hypot(q[1]), q[1].atan2(q[0]))
    };
    let ((straight, _), (way, direction)) = (thrown(0.0, "cone"), thrown(0.3, "cone"));
    close("direction", direction, 0.3, 1e-7);
    close("way", way, straight, 1e-7);
    let (way, direction) = thrown(0.3, "pyramid");
    println!("pyramid: {way} m along {direction} instead of {straight} m along 0.3");
    assert!((direction - 0.3).abs() > 1e-2, "a polygon does");
}

/// A part of 1 kg on an equilateral tripod of radius 0.1 m, in the plane it lies on, and what touches it there.
fn on_supports(mu: f64, velocity: f64, other: Value, k: f64) -> Value {
    let (c, s) = (0.05, 0.1 * 0.75_f64.sqrt());
    let part = json!({"name": "part", "mass": 1, "inertia": 0.02, "position": [0, 0], "velocity": [velocity, 0],
        "shapes": [{"type": "disc", "radius": 0.15}],
        "supports": {"points": [[0.1, 0], [-c, s], [-c, -s]], "friction": mu}});
    let mut scene = planar(0.0, 0.0, json!([part, other]));
    scene["gravity"] = json!([0, 0]);
    layers(&mut scene, k, 0.0);
    experiment(scene, 0.01, 1.0)
}

/// A plate meets a part at rest at 0.1 m/s and pushes it: at last its layer carries μ m g, and is μ m g/K short.
#[test]
fn a_soft_plate_pushes_a_part_on_its_supports() {
    let (mu, k) = (0.3, 2e3);
    let from = -0.17;
    for (friction, solver) in [("pyramid", "lemke"), ("cone", "nsgs")] {
        let plate = json!({"name": "plate", "mass": 1, "position": [from, 0], "velocity": [0.1, 0],
            "shapes": [{"type": "box", "size": [0.02, 0.4]}],
            "dofs": {"x": {"position": {"expression": format!("{from} + 0.1*t")}}, "y": "locked", "angle": "locked"}});
        let e = timed(&spk(&on_supports(mu, 0.0, plate, k), json!({"friction": friction})), 0.01, 2.0);
        let e = set(&set(&e, "/solver/plugin", solver), "/scene/materials/default/damping", 60);
        let run = run(&set(&e, "/tolerance", 1e-10));
        let end = run.end();
        close("speed", end.v[0], 0.1, 1e-7);
        close("force", end.touches[0].p_n / end.h, mu * 9.81, 1e-5);
        close("gap", end.touches[0].gap, -mu * 9.81 / k, 1e-8);
        close("way", end.q[0], from + 0.2 + 0.01 + 0.15 - mu * 9.81 / k, 1e-7);
        close("it does not turn", end.q[2], 0.0, 1e-9);
    }
}

/// A part slides into a soft wall and comes back, braked by its supports both ways: m v1² = m v0² − 4 μ m g d with the
/// way in from ½ m v0² = ½ K d² + μ m g d. The scheme is of order one.
#[test]
fn a_part_on_its_supports_comes_back_from_a_soft_wall() {
    let wall = json!({"name": "wall", "static": true, "position": [0.16, 0], "shapes": [{"type": "box", "size": [0.02, 0.4]}]});
    let (mu, k, v0): (f64, f64, f64) = (0.05, 100.0, 0.5);
    let brake = mu * 9.81;
    let d = ((brake * brake + k * v0 * v0).sqrt() - brake) / k;
    let back = (v0 * v0 - 4.0 * brake * d).sqrt();
    let error = |h: f64| {
        let e = spk(&timed(&on_supports(mu, v0, wall.clone(), k), h, 1.0), json!({}));
        let mut simulation = simulation(&set(&set(&e, "/solver/plugin", "nsgs"), "/tolerance", 1e-11));
        while simulation.v()[0] >= 0.0 || simulation.q()[0] > 0.0 {
            simulation.advance(h).unwrap();
            assert!(simulation.time() < 2.0, "it comes back");
        }
        simulation.v()[0].abs() - back
    };
    let errors = [1e-3, 5e-4, 2.5e-4, 1.25e-4].map(error);
    let order = vinci_tests::order(&errors.map(f64::abs));
    println!("back with {back} m/s, errors {errors:?}, order {order}");
    assert!((0.85..1.15).contains(&order) && errors[3].abs() < 2e-3);
}

/// A box of 1 kg and 0.4 m x 0.1 m, tilted by `angle`, its lowest point 1 cm over the ground; planar.
fn dropped(angle: f64, k: f64, c: f64) -> Value {
    let height = 0.2 * angle.abs().sin() + 0.05 * angle.cos() + 0.01;
    let block = json!({"name": "box", "mass": 1, "position": [0, height], "angle": angle,
        "shapes": [{"type": "box", "size": [0.4, 0.1]}]});
    let mut scene = planar(0.3, 0.0, json!([ground("planar"), block]));
    layers(&mut scene, k, c);
    experiment(scene, 1e-3, 2.0)
}

/// The same in space, 0.3 m deep, turned about the long edge's direction y: an edge lands first.
fn dropped_in_space(angle: f64, k: f64, c: f64) -> Value {
    let height = 0.2 * angle.abs().sin() + 0.05 * angle.cos() + 0.01;
    let block = json!({"name": "box", "mass": 1, "position": [0, 0, height],
        "orientation": {"axis": [0, 1, 0], "angle": angle},
        "shapes": [{"type": "box", "size": [0.4, 0.3, 0.1]}]});
    let mut scene = spatial(0.3, 0.0, json!([ground("spatial"), block]));
    layers(&mut scene, k, c);
    experiment(scene, 1e-3, 3.0)
}

/// A corner that lands first has the whole stiffness, and half of it when the other one lands: the box comes to lie flat,
/// and as deep as one that landed flat.
#[test]
fn a_box_that_lands_on_a_corner_comes_to_lie_flat() {
    let (k, c) = (1e4, 60.0);
    for options in [json!({}), json!({"nodes": 5})] {
        let flat = run(&spk(&dropped(0.0, k, c), options.clone()));
        close("sag", 0.05 - flat.end().q[1], 9.81 / k, 1e-9);
        for angle in [0.2, -0.2] {
            let tilted = run(&spk(&dropped(angle, k, c), options.clone()));
            let single = tilted.moments.iter().filter(|m| m.touches.len() == 1 && m.touches[0].p_n > 0.0);
            assert!(single.count() > 3, "one corner lands first");
            let end = tilted.end();
            println!("{options}: from {angle} rad to {:e} rad, {:e} m", end.q[2], end.q[1] - flat.end().q[1]);
            close("angle", end.q[2], 0.0, 1e-9);
            close("height", end.q[1], flat.end().q[1], 1e-9);
            end.touches.iter().for_each(|t| close("force", t.p_n / end.h, 9.81 / 2.0, 1e-6));
        }
    }
}

#[test]
fn a_box_that_lands_on_an_edge_in_space_comes_to_lie_flat() {
    let (k, c) = (1e4, 60.0);
    let flat = run(&spk(&dropped_in_space(0.0, k, c), json!({})));
    let tilted = run(&spk(&dropped_in_space(0.2, k, c), json!({})));
    assert!(
        tilted.moments.iter().any(|m| m.touches.len() == 2 && m.touches[0].p_n > 0.0),
        "an edge lands first"
    );
    let end = tilted.end();
    println!("in space to {:?}", end.q);
    close("height", end.q[2], 0.05 - 9.81 / k, 1e-8);
    close("height of the other", flat.end().q[2], end.q[2], 1e-8);
    assert_eq!(end.touches.len(), 4);
    end.touches.iter().for_each(|t| {
        close("gap", t.gap, -9.81 / k, 1e-8);
        close("force", t.p_n / end.h, 9.81 / 4.0, 1e-5);
    });
}

/// A node as the stepper saves it: shapes and features, number, impulse, sharers of the patch's stiffness.
type Node = ([u32; 4], u32, [f64; 3], u32);

/// Nodes the stepper remembers at the end of the last step, of a patch of stiffness k: (k_i, δ_n, |δ_t|, p_n), N/m, m and N s.
fn remembered(simulation: &vinci_engine::pipeline::Simulation, k: f64) -> Vec<[f64; 4]> {
    let snapshot = simulation.snapshot();
    let is_state = |b: &&Vec<u8>| b.starts_with(b"SPS3");
    let Some(bytes) = snapshot.plugins.iter().find(is_state) else { return Vec::new() };
    // The numbers of the start stand before those of the end: δ_n, δ_t, normal, relaxation time of every node.
    let (rest, numbers) = vinci_sdk::state::split_numbers(bytes).unwrap();
    let (own, _) = vinci_sdk::state::split_numbers(rest).unwrap();
    let (_, end, _): (Vec<Node>, Vec<Node>, Option<(u64, f64)>) =
        vinci_sdk::state::load(u32::from_le_bytes(*b"SPS3"), "the stepper", own).unwrap();
    let numbers: Vec<f64> = numbers.map(|(_, x)| x).collect();
    assert_eq!(numbers.len(), 8 * end.len());
    let size = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let of = |(node, x): (&Node, &[f64])| [k / f64::from(node.3), x[0], size(&x[1..4]), node.2[0]];
    end.iter().zip(numbers.chunks_exact(8)).map(of).collect()
}

/// Kinetic, potential and elastic energy, of the deformations and stiffnesses the stepper itself has: no corner that
/// lands or leaves makes any.
#[test]
fn corners_that_land_and_leave_make_no_energy() {
    // Both ends of an edge of many nodes have to be in sight (margin): where one comes into sight while the other is
    // pressed, the nodes between begin pressed, a known limit.
    for (c, nodes, margin, grows) in [
        (60.0, 1, 0.0, 1e-12),
        (10.0, 1, 0.0, 1e-12),
        (0.0, 1, 0.0, 1e-12),
        (60.0, 5, 0.2, 1e-12),
        (60.0, 5, 0.0, 1e-3),
    ] {
        let (k, h) = (1e4, 2e-4);
        let angle = if nodes == 1 { 0.2 } else { -0.2 };
        let e = timed(&spk(&dropped(angle, k, c), json!({"nodes": nodes})), h, 0.6);
        let e = if margin > 0.0 { set(&e, "/detector/margin", margin) } else { e };
        let mut simulation = simulation(&e);
        let (mut before, first) = (simulation.energy(), simulation.energy());
        let (mut worst, mut counts) = (0.0_f64, [0; 6]);
        while simulation.time() < 0.6 {
            simulation.advance(h).unwrap();
            let layers = remembered(&simulation, k);
            // The nodes of an edge do not stay beside the one contact it has become.
            let alone = nodes > 1 && simulation.last().contacts.len() == 1;
            assert!(!alone || layers.len() <= 1, "{layers:?}");
            let elastic: f64 = layers.iter().map(|[k, n, t, _]| 0.5 * k * (n * n + t * t)).sum();
            let total = simulation.energy() + elastic;
            worst = worst.max(total - before);
            before = total;
            let pressed: Vec<f64> = layers.iter().filter(|d| d[3] > 0.0).map(|d| d[0]).collect();
            counts[pressed.len()] += 1;
            assert!(pressed.iter().all(|k_i| *k_i <= k / pressed.len() as f64), "{layers:?}");
        }
        let lost = first - before;
        println!(
            "C {c}, {nodes}, {margin} m: at most {worst:e} J in a step, {lost} J of {first} lost, {counts:?}"
        );
        assert!(worst < grows, "C {c}, {nodes}: grows by {worst:e} J in a step");
        assert!(
            counts[1] > 0 && counts[2..].iter().any(|n| *n > 0),
            "corners land one after the other: {counts:?}"
        );
    }
}

/// A block of 2 kg pressed 1 mm into the ground, free along it only, pulled by F and started with v0. It sticks.
fn stuck(k: f64, c: f64, force: f64, v0: f64, options: Value) -> Value {
    let block = json!({"name": "block", "mass": 2, "position": [0, 0.049], "velocity": [v0, 0],
        "shapes": [{"type": "box", "size": [0.2, 0.1]}],
        "dofs": {"x": {"force": force}, "y": "locked", "angle": "locked"}});
    let mut scene = planar(50.0, 0.0, json!([ground("planar"), block]));
    layers(&mut scene, k, c);
    spk(&experiment(scene, 1e-3, 0.2), options)
}

/// x of m ẍ + c ẋ + k x = F from x = 0, ẋ = v0: x = x̄ + e^(−β t)(−x̄ cos ω t + (v0 − β x̄)/ω sin ω t), x̄ = F/k,
/// β = c/2m, ω² = k/m − β².
fn oscillator(m: f64, k: f64, c: f64, force: f64, v0: f64, t: f64) -> f64 {
    let (rest, beta) = (force / k, c / (2.0 * m));
    let omega = (k / m - beta * beta).sqrt();
    let (s, c) = (omega * t).sin_cos();
    rest + (-beta * t).exp() * (-rest * c + (v0 - beta * rest) / omega * s)
}

/// A block that sticks swings on the tangential springs and dampers of its layer: order one towards the closed form, whose
/// measure is returned with the errors.
#[track_caller]
fn swings(name: &str, e: &Value, [k, c]: [f64; 2], force: f64, v0: f64) -> (f64, [f64; 3]) {
    let (m, end) = (2.0, 0.2);
    let error = |h: f64| {
        let run = run(&timed(e, h, end));
        let off = |m_: &Moment| (m_.q[0] - oscillator(m, k, c, force, v0, m_.t)).abs();
        run.moments.iter().map(off).fold(0.0, f64::max)
    };
    let errors = [1e-3, 5e-4, 2.5e-4].map(error);
    let largest = (0..200).map(|i| oscillator(m, k, c, force, v0, end * f64::from(i) / 200.0).abs());
    let largest = largest.fold(0.0, f64::max);
    let order = vinci_tests::order(&errors);
    assert!((0.85..1.15).contains(&order) && errors[2] < 0.03 * largest, "{name}: order {order}, {errors:?}");
    (order, errors)
}

#[test]
fn stuck_blocks_swing_on_damped_layers() {
    // ω0 = 63 rad/s, β = 8 1/s.
    let (k, c, ratio) = (1e4, 40.0, 0.8);
    for (name, force, v0) in [("pulled", 4.0, 0.0), ("pushed", 0.0, -0.1)] {
        for form in ["reduced", "full"] {
            let e = stuck(k, c, force, v0, json!({"tangential_ratio": ratio, "form": form}));
            let (order, errors) = swings(name, &e, [ratio * k, ratio * c], force, v0);
            println!("{name}, {form}: errors {errors:?} m, order {order}");
        }
        // Along the tangents Σ K_ij = 8000 N/m and Σ C_ij = 32 N s/m.
        let options = json!({"nodes": 2,
            "K": [[5000, 0, 0, 0], [0, 3500, 0, 500], [0, 0, 5000, 0], [0, 500, 0, 3500]],
            "C": [[20, 0, 0, 0], [0, 14, 0, 2], [0, 0, 20, 0], [0, 2, 0, 14]]});
        let e = stuck(k, 0.0, force, v0, options);
        let (order, errors) = swings(name, &e, [8e3, 32.0], force, v0);
        println!("{name}, given K and C: errors {errors:?} m, order {order}");
    }
}

/// η/ω with the bound ω² = max over bodies of Σ s k w M⁻¹ wᵀ, in equal parts of the step of 0.1 s.
fn chosen(scene: Value, k: f64, eta: f64) -> f64 {
    let mut scene = scene;
    scene["gravity"] = json!([0, 0]);
    layers(&mut scene, k, 0.0);
    let mut run = Run::of(simulation(&spk(&experiment(scene, 0.1, 0.1), json!({ "eta": eta }))));
    run.go_on(1);
    run.first().h
}

/// Two nodes of k/2 at (±0.2, −0.05) on a box of 2 kg and I = 0.03 kg m²: along y, turning, and with friction along x.
#[test]
fn the_nodes_of_a_patch_sum_in_the_bound_of_the_step() {
    let (k, eta, m, inertia): (f64, f64, f64, f64) = (1e4, 0.05, 2.0, 0.03);
    for (mu, tangential) in [(0.0, 0.0), (0.4, 1.0)] {
        let block = json!({"name": "box", "mass": m, "inertia": inertia, "position": [0, 0.0499],
            "shapes": [{"type": "box", "size": [0.4, 0.1]}]});
        let normal = k / 2.0 * 2.0 * (1.0 / m + 0.2 * 0.2 / inertia);
        // The lever of friction reaches to the contact's point on the ground or on the box: 0.05 m but for 0.1 mm.
        let shear = |lever: f64| tangential * k / 2.0 * 2.0 * (1.0 / m + lever * lever / inertia);
        let parts = |lever: f64| (0.1 * (normal + shear(lever)).sqrt() / eta).ceil();
        assert_eq!(parts(0.0499), parts(0.05), "the case is well within a part");
        let found = chosen(planar(mu, 0.0, json!([ground("planar"), block])), k, eta);
        println!("μ {mu}: h = {found}, {} parts", parts(0.05));
        close("step", found, 0.1 / parts(0.05), 1e-12);
    }
}

/// Where both sides move s is 2: two discs of 1 kg and 3 kg swing with ω² = k (1/m1 + 1/m2) ≤ 2 k/m1.
#[test]
fn two_moving_sides_count_twice_in_the_bound_of_the_step() {
    let disc = |name: &str, mass: f64, x: f64| json!({"name": name, "mass": mass, "position": [x, 0], "shapes": [{"type": "disc", "radius": 0.1}]});
    let (k, eta) = (1e4, 0.05);
    let found = chosen(planar(0.0, 0.0, json!([disc("a", 1.0, 0.0), disc("b", 3.0, 0.1999)])), k, eta);
    let parts = |omega2: f64| (0.1 * f64::sqrt(omega2) / eta).ceil();
    println!("h = {found}: {} parts, {} for the pair itself", parts(2.0 * k), parts(k * 4.0 / 3.0));
    close("step", found, 0.1 / parts(2.0 * k), 1e-12);
    assert!(found * (k * 4.0 / 3.0).sqrt() <= eta, "it resolves the pair's own oscillation");
    assert!(parts(k) < parts(k * 4.0 / 3.0), "s = 1 would not");
}

/// A ball on a tray that tilts to and fro, and one that rolls off another: their normals turn and take the deformations along by the
/// smallest rotation. A referee that projected them found forces that no layer gives, up to 2e-4 of their size.
#[test]
fn deformations_turn_with_their_normals() {
    let ball = |velocity: [f64; 3], z: f64| {
        json!({"name": "ball", "mass": 1, "position": [0.004, 0.015, z], "velocity": velocity,
            "shapes": [{"type": "ball", "radius": 0.06}]})
    };
    let tray = json!({"name": "tray", "mass": 2, "shapes": [{"type": "box", "size": [1, 1, 0.1]}],
        "dofs": {"x": "locked", "y": "locked", "z": "locked", "rx": "locked", "rz": "locked",
            "ry": {"velocity": {"expression": "1.5*cos(9*t)"}}}});
    let hill = json!({"name": "hill", "static": true, "position": [0, 0, -0.4],
        "shapes": [{"type": "ball", "radius": 0.5}]});
    let scenes = [
        (json!([tray, ball([0.7, 0.01, -0.4], 0.2)]), "lemke"),
        (json!([hill, ball([-0.1, 0.3, 0.0], 0.16)]), "nsgs"),
    ];
    for (bodies, solver) in scenes {
        let mut scene = spatial(0.5, 0.0, bodies);
        layers(&mut scene, 1e4, 8.0);
        let mut e = spk(&experiment(scene, 1e-3, 0.6), json!({}));
        e["solver"]["plugin"] = json!(solver);
        let run = run(&e);
        let turned = |m: &&Moment| m.touches.iter().any(|t| t.p_n > 0.0 && t.normal[2].abs() < 0.99);
        assert!(run.moments.iter().filter(turned).count() > 50, "{solver}: the normal turns");
        let worst =
            run.moments.iter().map(|m| m.report.findings.of(Criterion::ForceLaw).value).fold(0.0, f64::max);
        println!("{solver}: {worst:e}");
        assert!(worst <= 1e-6, "{solver}: {worst:e}");
    }
}

/// A cylinder that tips over, rolls and slides, one contact of many coming and going at a time: one that comes back finds the share of
/// the pair's stiffness that the others had meanwhile, and its surfaces where they touch, however deep it is seen.
#[test]
fn contacts_that_come_back_are_held_to_the_law_of_their_pair() {
    let cylinder = json!({"name": "cylinder", "mass": 100, "position": [0, 0, 0.31], "velocity": [0.5, 0, 0],
        "angular_velocity": [0.3, 0.2, 0.1], "shapes": [{"type": "cylinder", "radius": 0.2, "height": 0.6}]});
    for c in [100.0, 1000.0] {
        let mut scene = spatial(0.3, 0.0, json!([ground("spatial"), cylinder]));
        layers(&mut scene, 1e5, c);
        let mut e = spk(&experiment(scene, 1e-3, 0.5), json!({}));
        e["solver"]["plugin"] = json!("nsgs");
        let run = run(&e);
        let touching = |m: &Moment| m.touches.iter().filter(|t| t.p_n > 0.0).count();
        let counts: Vec<usize> = run.moments.iter().map(touching).collect();
        let (changes, most) = (counts.windows(2).filter(|n| n[0] != n[1]).count(), counts.iter().max());
        println!("c {c}: {changes} changes, at most {most:?} contacts");
        assert!(changes >= 4 && most >= Some(&4), "{counts:?}");
    }
}

/// Clarabel leaves normal impulses a rounding below or above zero: a slip rate of 0/0, and a layer that was said to give a force.
#[test]
fn rounding_of_impulses_over_a_gap_is_no_force_of_a_layer() {
    let run = run(&with(&timed(&shipped("micro-slip-patch"), 0.01, 1.0), SPK, "clarabel"));
    let early = run.moments.iter().filter(|m| m.t < 0.2).flat_map(|m| &m.touches);
    assert!(early.clone().all(|t| t.p_n.abs() < 1e-9 && t.slip.is_finite()));
    assert!(early.clone().any(|t| t.p_n < 0.0), "one of them is below zero");
}

/// A box that rocks: the far end of its edge leaves the sight of the detector and comes back, and every time nodes begin anew. A referee that
/// remembered the end that stayed found forces that no layer gives, of their whole size.
#[test]
fn edges_that_become_single_contacts_begin_anew() {
    let block = json!({"name": "block", "mass": 1, "position": [0, 0.059], "angle": 0.05, "velocity": [0.2, 0],
        "shapes": [{"type": "box", "size": [0.2, 0.1]}]});
    for (nodes, coupling, k) in [(2, 0.0, 2e4), (5, 0.0, 1e6), (5, 0.5, 2e4)] {
        let mut scene = planar(0.3, 0.0, json!([ground("planar"), block]));
        layers(&mut scene, k, 50.0);
        let run = run(&spk(&experiment(scene, 1e-3, 0.3), json!({"nodes": nodes, "coupling": coupling})));
        let pressed = |m: &&Moment| m.touches.iter().any(|t| t.p_n > 0.0);
        let counts: Vec<usize> = run.moments.iter().filter(pressed).map(|m| m.touches.len()).collect();
        let changes = counts.windows(2).filter(|n| n[0] != n[1]).count();
        assert!(changes >= 2, "{nodes} nodes, K {k}: {counts:?}");
    }
}
