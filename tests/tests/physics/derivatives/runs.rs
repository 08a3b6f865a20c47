//! Derivatives of whole runs against closed forms, backwards against forwards, and kinks that are planted.

use std::path::Path;

use serde_json::{Value, json};
use vinci_fit::{Derivative, DerivativeMethod, Measure, Parameter, Sensitivity, Trials, sensitivity};
use vinci_tests::close;
use vinci_tests::experiment::{experiment, ground, planar, set, shipped, timed, with};
use vinci_tests::house;

const METHODS: [DerivativeMethod; 3] =
    [DerivativeMethod::Exact, DerivativeMethod::Backwards, DerivativeMethod::Differences];

/// Derivatives of an experiment's measures.
pub(super) fn try_of(
    e: &Value,
    of: &[&str],
    by: &[&str],
    way: DerivativeMethod,
    memory: usize,
) -> Result<Sensitivity, String> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("experiment.json");
    std::fs::write(&path, e.to_string()).unwrap();
    derivatives_at(&path, of, by, way, memory)
}

fn derivatives_at(
    path: &Path,
    of: &[&str],
    by: &[&str],
    way: DerivativeMethod,
    memory: usize,
) -> Result<Sensitivity, String> {
    let parameters = by.iter().map(|text| Parameter::of_path("--by", text).unwrap()).collect();
    let measures: Vec<Measure> = of.iter().map(|text| Measure::parse(text).unwrap()).collect();
    let registry = house::registry().remembering();
    let trials = Trials::open(path, &[], parameters, &registry).map_err(|found| found.to_string())?;
    sensitivity(&trials.with_memory(memory), &measures, None, way).map_err(|found| found.to_string())
}

#[track_caller]
pub(super) fn of(e: &Value, measure: &str, by: &str, way: DerivativeMethod) -> Derivative {
    let found = try_of(e, &[measure], &[by], way, 1 << 28).unwrap_or_else(|found| panic!("{found}"));
    found.derivatives[0][0].clone()
}

/// d = h (N v − μ g h N (N + 1)/2) with N = ⌊v/(μ g h)⌋: the derivatives are those of the sum, and v²/(2 μ g) as h → 0.
#[test]
fn where_a_sliding_block_stops() {
    let e = shipped("sliding-block");
    let (h, g, v, mu) = (0.01_f64, 9.81, 2.0, 0.5);
    let n = (v / (mu * g * h)).floor();
    for way in METHODS {
        let by_friction = of(&e, "block.x", "scene.materials.default.friction", way);
        close("by μ", by_friction.value, -g * h * h * n * (n + 1.0) / 2.0, 1e-7);
        close("by μ, continuous", by_friction.value, -v * v / (2.0 * g * mu * mu), 0.02);
        let by_speed = of(&e, "block.x", "scene.bodies.block.velocity.0", way);
        close("by v", by_speed.value, h * n, 1e-7);
        close("by v, continuous", by_speed.value, v / (mu * g), 0.02);
        assert!(by_friction.kink.is_none() && by_speed.kink.is_none());
    }
}

/// v⁺ = (v − h ω² x)/(1 + h² ω²), x⁺ = x + h v⁺, differentiated by hand, and x₀ cos ω t as h → 0.
#[test]
fn a_spring_by_its_stiffness() {
    let (k, m, h, t, x0) = (90.0_f64, 0.5, 1e-3, 0.7, 0.1);
    let bob = json!([{"name": "bob", "mass": m, "shapes": [], "inertia": 1.0, "position": [x0, 0], "dofs": {"y": "locked", "angle": "locked"}}]);
    let mut scene = planar(0.0, 0.0, bob);
    scene["gravity"] = json!([0, 0]);
    scene["springs"] = json!([{"name": "s", "bodies": [null, "bob"], "anchors": [[0, 0], [0, 0]], "stiffness": k, "rest_length": 0}]);
    let e = experiment(scene, h, t);
    let (mut x, mut v, mut dx, mut dv) = (x0, 0.0, 0.0, 0.0);
    for _ in 0..700 {
        let (a, b) = (h / m, 1.0 + h * h * k / m);
        let next = (v - a * k * x) / b;
        dv = (dv - a * x - a * k * dx - next * h * a) / b;
        v = next;
        (x, dx) = (x + h * v, dx + h * dv);
    }
    for way in METHODS {
        let found = of(&e, "bob.x", "scene.springs.s.stiffness", way);
        close("by k", found.value, dx, 1e-6);
    }
    let omega = (k / m).sqrt();
    close("by k, continuous", dx, -x0 * (omega * t).sin() * t / (2.0 * (k * m).sqrt()), 0.1);
}

/// Small swings of a rod of length l about its end: θ = θ₀ cos(√(3 g/2 l) t), by θ₀.
#[test]
fn a_pendulum_by_its_start() {
    let scene = json!({
        "format": "vinci/scene@1", "space": "spatial", "bodies": [],
        "trees": [{"name": "p", "links": [{"name": "rod", "mass": 1, "com": [0, 0, -0.5], "inertia": [0.0833333333, 0.0833333333, 1e-4]}],
            "joints": [{"name": "j", "kind": "continuous", "child": "rod", "axis": [0, -1, 0]}], "start": {"j": 0.001}}]
    });
    // Trees take gravity at the start of a step: first order, taken out with half the step.
    let omega = (1.5 * 9.81_f64).sqrt();
    for way in METHODS {
        let at = |h: f64| {
            let e = with(&experiment(scene.clone(), h, 0.8), "trapezoidal", "lemke");
            of(&e, "p.j.q", "scene.trees.p.start.j", way).value
        };
        close("by θ₀", 2.0 * at(5e-4) - at(1e-3), (omega * 0.8).cos(), 1e-4);
    }
}

/// A ball that falls from H and bounces once: y = e v₁ s − g s²/2 with v₁ = √(2 g H), s = t − v₁/g. Its time of impact moves with H, so
/// it has to be located, and then steps have no derivatives of their own.
#[test]
fn a_bouncing_ball_by_its_height_and_restitution() {
    let mut e = timed(&shipped("bouncing-ball-backup"), 1e-3, 0.8);
    e["stepper"] = json!({"plugin": "trapezoidal", "options": {"impact_law": "newton"}});
    let (g, e0, height, t) = (9.81_f64, 0.8, 1.0, 0.8);
    let v1 = (2.0 * g * height).sqrt();
    let s = t - v1 / g;
    let by_restitution = of(&e, "ball.y", "scene.materials.default.restitution", DerivativeMethod::Auto);
    close("by e", by_restitution.value, v1 * s, 1e-3);
    assert!(!by_restitution.implicit);
    let dv1 = g / v1;
    let by_height = of(&e, "ball.y", "scene.bodies.ball.position.1", DerivativeMethod::Auto);
    close("by H", by_height.value, e0 * dv1 * s - e0 * v1 * dv1 / g + g * s * dv1 / g, 1e-2);
    let refused =
        try_of(&e, &["ball.y"], &["scene.bodies.ball.position.1"], DerivativeMethod::Exact, 1 << 28)
            .unwrap_err();
    assert!(refused.contains("no-derivative") && refused.contains("step size"), "{refused}");
}

/// On the grid the landing forgets when it was: the derivative step by step is that of one tread of a staircase, which is told.
#[test]
fn a_staircase_of_impacts_on_the_grid_is_told() {
    let e = timed(&shipped("bouncing-ball"), 1e-3, 0.8);
    let found = of(&e, "ball.y", "scene.bodies.ball.position.1", DerivativeMethod::Auto);
    assert!(found.implicit && found.wide.is_some(), "{found:?}");
    close("a tread", found.value, 1.0, 1e-6);
}

/// A block on the edge of slipping: gravity pulls along the floor with μ g. More friction holds it, less lets it go.
#[test]
fn the_edge_of_slipping_is_a_kink_with_both_values() {
    let block = json!({"name": "block", "mass": 1, "shapes": [{"type": "box", "size": [0.2, 0.1]}], "position": [0, 0.05]});
    let mut scene = planar(0.5, 0.0, json!([ground("planar"), block]));
    scene["gravity"] = json!([5.0, -10.0]);
    let e = experiment(scene, 0.01, 0.2);
    // x = (g_x − μ g) h² n (n + 1)/2 below.
    let below = -10.0 * 1e-4 * 20.0 * 21.0 / 2.0;
    for way in [DerivativeMethod::Auto, DerivativeMethod::Differences] {
        let found = of(&e, "block.x", "scene.materials.default.friction", way);
        assert!(found.kink.is_some(), "{way:?}: {found:?}");
        let [low, high] = found.sides.map(Option::unwrap);
        close("from below", low, below, 1e-6);
        assert!(high.abs() < 1e-6, "{found:?}");
    }
}

/// v = μ g h N: the block stops at the end of a step. A little more takes a step more, and d = h Σ v_k has the slope h N from above, h (N − 1)
/// from below. With all ties read alike the block sticks in that step, on both sides.
#[test]
fn a_block_that_stops_at_the_end_of_a_step_has_a_kink_there() {
    let e = set(&shipped("sliding-block"), "/scene/bodies/1/velocity/0", 0.5 * 9.81 * 0.01 * 40.0);
    let by = "scene.bodies.block.velocity.0";
    for way in [DerivativeMethod::Auto, DerivativeMethod::Differences] {
        let found = of(&e, "block.x", by, way);
        assert!(found.kink.is_some(), "{way:?}: {found:?}");
        close("from below", found.sides[0].unwrap(), 0.39, 1e-7);
        close("from above", found.sides[1].unwrap(), 0.40, 1e-7);
    }
    let refused = try_of(&e, &["block.x"], &[by], DerivativeMethod::Exact, 1 << 28).unwrap_err();
    assert!(refused.contains("two modes hold at once"), "{refused}");
}

/// Mass cancels: what is left of it is rounding, which was told as a kink.
#[test]
fn the_rounding_of_what_cancels_is_no_kink() {
    for (scene, of_what, by, way) in [
        ("sliding-block", "block.x", "scene.bodies.block.mass", DerivativeMethod::Differences),
        ("slide-to-roll", "disc.x", "scene.bodies.disc.mass", DerivativeMethod::Auto),
        ("film-puck", "puck.x", "scene.bodies.puck.angular_velocity", DerivativeMethod::Auto),
    ] {
        let found = of(&shipped(scene), of_what, by, way);
        assert!(
            found.value.abs() < 1e-9 && found.kink.is_none() && found.wide.is_none(),
            "{scene}: {found:?}"
        );
    }
}

/// Many parameters of a grasp that sticks and slips: backwards as forwards, with checkpoints as without, and as whole runs say.
#[test]
fn backwards_is_forwards_with_any_number_of_checkpoints() {
    let e = timed(&shipped("tamsi-gripper-mug"), 0.003, 0.45);
    let by = [
        "scene.materials.default.friction",
        "scene.bodies.mug.mass",
        "scene.pairs.0.stiffness",
        "scene.pairs.1.stiffness",
        "scene.pairs.0.dissipation",
    ];
    let measures = ["mug.z", "mug.x@0.2", "mug.vz@0.3015"];
    let find =
        |way, memory| try_of(&e, &measures, &by, way, memory).unwrap_or_else(|found| panic!("{found}"));
    let forth = find(DerivativeMethod::Exact, 1 << 28);
    // Room for all steps, for 17 and for 30 (a divisor of 150).
    let bytes = |steps: usize| steps * 16 * 9 * (18 + by.len());
    for memory in [1 << 28, bytes(17), bytes(30)] {
        let back = find(DerivativeMethod::Backwards, memory);
        for (m, (a, b)) in forth.derivatives.iter().zip(&back.derivatives).enumerate() {
            // Per relative change of each parameter.
            let sized = |list: &[Derivative]| -> Vec<f64> {
                list.iter().zip(&forth.parameters).map(|(d, (_, value))| d.value * value).collect()
            };
            let (a, b) = (sized(a), sized(b));
            let size = a.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
            let apart = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-6 * size, "{}: {a:?} {b:?}", measures[m]);
        }
    }
    let whole = of(&e, "mug.z", by[0], DerivativeMethod::Differences);
    close("by differences of whole runs", forth.derivatives[0][0].value, whole.value, 1e-5);
}

/// A box tumbles on pyramids: corners touch, slip and lift off again.
#[test]
fn a_box_that_tumbles_on_pyramids() {
    let e = with(&timed(&shipped("tumbling-box"), 0.01, 0.3), "stewart-trinkle", "lemke");
    let by = "scene.bodies.box.velocity.0";
    let [exact, whole] =
        [DerivativeMethod::Exact, DerivativeMethod::Differences].map(|m| of(&e, "box.qw", by, m));
    assert!(exact.implicit);
    close("by v", exact.value / whole.value, 1.0, 1e-6);
}

/// Cones have no directions to carry. Runs with them were refused as polygons, with the advice to choose a solver of cones.
#[test]
fn cones_in_space_are_differentiated_step_by_step() {
    let e = timed(&with(&shipped("slide-to-roll-3d"), "stewart-trinkle", "nsgs"), 0.002, 0.5);
    for by in ["scene.materials.default.friction", "scene.bodies.ball.velocity.0"] {
        let exact = of(&e, "ball.x", by, DerivativeMethod::Exact);
        let whole = of(&e, "ball.x", by, DerivativeMethod::Differences);
        assert!(exact.implicit && exact.kink.is_none(), "{exact:?}");
        close(by, exact.value, whole.value, 1e-6);
    }
    // Corners that come to lie on the floor tie; step by step the derivative is off by 5e-3 there, and by 1e-5 where mass cancels.
    let cube = with(&shipped("tumbling-box"), "stewart-trinkle", "nsgs");
    for (by, true_value) in [("scene.materials.default.friction", -0.4121), ("scene.bodies.box.mass", 0.0)] {
        let found = of(&cube, "box.x", by, DerivativeMethod::Auto);
        assert!((found.value - true_value).abs() < 2e-4, "{by}: {found:?}");
        let refused = try_of(&cube, &["box.x"], &[by], DerivativeMethod::Exact, 1 << 28).unwrap_err();
        assert!(refused.contains("no-derivative"), "{refused}");
    }
}

#[test]
fn what_nothing_depends_on_and_what_has_no_value_is_refused() {
    let mut e = shipped("sliding-block");
    e["scene"]["materials"]["spare"] = json!({"friction": 0.3});
    let refused = |by: &str, measure: &str, way: DerivativeMethod| {
        try_of(&e, &[measure], &[by], way, 1 << 28).unwrap_err()
    };
    for way in [DerivativeMethod::Auto, DerivativeMethod::Differences, DerivativeMethod::Exact] {
        let unused = refused("scene.materials.spare.friction", "block.x", way);
        assert!(unused.contains("error[unused]: nothing in the run depends on"), "{unused}");
    }
    // A stiffness that the stepper ignores was told as one that the data do not identify.
    let mut soft = shipped("sliding-block");
    soft["scene"]["pairs"] = json!([{"bodies": ["ground", "block"], "stiffness": 1000}]);
    let by = ["scene.pairs.0.stiffness"];
    let ignored = try_of(&soft, &["block.x"], &by, DerivativeMethod::Auto, 1 << 28).unwrap_err();
    assert!(ignored.contains("error[unused]"), "{ignored}");
    assert!(
        refused("scene.materials.default.stiffness", "block.x", DerivativeMethod::Auto)
            .contains("has no value")
    );
    assert!(refused("scene.materials.default", "block.x", DerivativeMethod::Auto).contains("is an object"));
    let column = refused("scene.materials.default.friction", "blok.x", DerivativeMethod::Auto);
    assert!(column.contains("did you mean `block.x`"), "{column}");
    assert!(
        refused("scene.materials.default.friction", "block.x@5", DerivativeMethod::Auto)
            .contains("the run ends at 1 s")
    );
    assert!(
        refused("scene.materials.default.friction", "rms", DerivativeMethod::Auto)
            .contains("is measured against data")
    );
    let miqp = set(&shipped("gripper-2d-miqp"), "/time/duration", 0.1);
    let no_way = try_of(
        &miqp,
        &["cylinder.y"],
        &["scene.materials.default.friction"],
        DerivativeMethod::Exact,
        1 << 28,
    )
    .unwrap_err();
    assert!(no_way.contains("no-derivative"), "{no_way}");
}
