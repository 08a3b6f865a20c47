//! Refusals of events, with their messages.

use serde_json::{Value, json};
use vinci_run::prepare;
use vinci_scene::load_experiment;
use vinci_tests::experiment::{set, shipped};
use vinci_tests::house;

/// The findings of an experiment that must be refused, as text.
fn refusal(experiment: &Value) -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("e.json");
    std::fs::write(&path, serde_json::to_string_pretty(experiment).unwrap()).unwrap();
    let found =
        load_experiment(&path, &[]).and_then(|loaded| prepare(loaded, &house::registry()).map(|_| ()));
    found.expect_err("it is refused").to_string()
}

#[test]
fn contradictions_of_the_time_grid_are_refused_with_advice() {
    let ball = shipped("bouncing-ball-backup");
    let cases: [(&str, Value, &str, &str); 14] = [
        (
            "min_step",
            json!(0.01),
            "`time.min_step` (0.01 s) is longer than the step (0.001 s)",
            "make it shorter than `step`",
        ),
        ("min_step", json!(0), "`time.min_step` must be greater than 0, found 0", ""),
        ("tolerance", json!(0), "`time.tolerance` must be greater than 0, found 0", ""),
        ("tolerance", json!(-1e-6), "`time.tolerance` must be greater than 0, found -1e-6", ""),
        (
            "tolerance",
            json!(1e-9),
            "`time.tolerance` (0.000000001 m) is finer than the gap",
            "set `time.event_tolerance` to this or less",
        ),
        ("event_tolerance", json!(0), "`time.event_tolerance` must be greater than 0, found 0", ""),
        (
            "event_tolerance",
            json!(1e-5),
            "contacts are located to 0.00001 m, but vinci.stepper.anitescu-potra takes them as closed up to 0.000001 m only",
            "set `time.event_tolerance` to the stepper's `contact_tolerance` or less",
        ),
        (
            "events",
            json!("backups"),
            "`time.events` has the unknown value \"backups\"",
            "did you mean `backup`?",
        ),
        ("events", json!(true), "`time.events` must be \"none\", \"backup\" or \"predict\", found true", ""),
        ("max_impacts", json!(0), "`time.max_impacts` must be at least 1", ""),
        ("max_impacts", json!(2.5), "`time.max_impacts` must be a whole number", ""),
        ("min_steps", json!(1e-6), "unknown key `min_steps` in `time`", "did you mean `min_step`?"),
        ("step", json!(0), "`time.step` must be greater than 0, found 0", ""),
        ("step", json!(10), "`time.duration` (3 s) is shorter than one step (10 s)", ""),
    ];
    for (key, value, message, advice) in cases {
        let text = refusal(&set(&ball, &format!("/time/{key}"), value));
        assert!(text.contains(message), "{key}: {message}\n{text}");
        assert!(text.contains(advice), "{key}: {advice}\n{text}");
        assert!(text.contains("e.json:"), "{key}: no place\n{text}");
    }
}

#[test]
fn keys_that_would_say_nothing_are_refused() {
    let plain = shipped("bouncing-ball");
    for (key, message) in [
        ("min_step", "`time.min_step` says nothing where no step is divided"),
        ("event_tolerance", "`time.event_tolerance` says nothing where no events are located"),
    ] {
        let text = refusal(&set(&plain, &format!("/time/{key}"), 1e-7));
        assert!(text.contains(message), "{text}");
    }
}

#[test]
fn restitution_beyond_its_range_and_unknown_laws_are_refused() {
    let ball = shipped("bouncing-ball-backup");
    for e in [-0.1, 1.5] {
        let text = refusal(&set(&ball, "/scene/materials/default/restitution", e));
        assert!(text.contains("`materials.default.restitution` must be at least 0 and at most 1"), "{text}");
    }
    let option = |key: &str, value: Value| refusal(&set(&ball, "/stepper/options", json!({ key: value })));
    let law = option("impact_law", json!("poison"));
    assert!(law.contains("poison") && law.contains("did you mean `poisson`?"), "{law}");
    let policy = option("impact_policy", json!("energetic"));
    assert!(policy.contains("energetic") && policy.contains("sequential"), "{policy}");
    let passes = option("impact_passes", json!(0));
    assert!(passes.contains("impact_passes` must be at least 1"), "{passes}");
}
