//! Parameters from measurements: planted values from noisy data, what cannot be identified, and another model's run as data.

use std::path::Path;

use serde_json::{Value, json};
use vinci_compare::measures::Table;
use vinci_fit::{Data, Fit, FitOptions, Parameter, RunRecord, Search, Trials, fit};
use vinci_tests::close;
use vinci_tests::experiment::{experiment, ground, planar, set, shipped, timed, with};
use vinci_tests::house;

use super::noise;

const FRICTION: &str = "scene.materials.default.friction=[0.05, 0.5]";
const RESTITUTION: &str = "scene.materials.default.restitution=[0.2, 0.9]";

/// Trials of one experiment in a file of its own.
fn with_trials<T>(e: &Value, free: &[&str], todo: impl FnOnce(&Trials<'_>) -> T) -> T {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("experiment.json");
    std::fs::write(&path, e.to_string()).unwrap();
    let parameters = free.iter().map(|text| Parameter::of_bounds("--free", text).unwrap()).collect();
    let registry = house::registry().remembering();
    todo(&Trials::open(&path, &[], parameters, &registry).unwrap())
}

/// Rows of a run at multiples of `every` s, of these columns, with noise of σ in their unit.
fn measured(record: &RunRecord, every: usize, columns: &[&str], sigma: f64, trial: u64) -> Data {
    let rows: Vec<usize> = (0..record.table.times.len()).step_by(every).collect();
    let column = |name: &&str| {
        let of = |&k: &usize| {
            record.table.columns[*name][k]
                + sigma * noise(trial * 1_000_000 + k as u64, &format!("{name} {trial}"))
        };
        ((*name).to_owned(), rows.iter().map(of).collect())
    };
    let times = rows.iter().map(|k| record.table.times[*k]).collect();
    Data::new("noisy.csv".into(), Table { times, columns: columns.iter().map(column).collect() }, &[])
        .unwrap()
}

/// Fits a dropped part to `trials` noisy measurements of 1 mm; how often both planted values were within their intervals.
fn found_in(trials: u64) -> u64 {
    let planted = [0.25, 0.6];
    let (asked, columns) =
        (FitOptions { draws: 0, searches: 1, ..FitOptions::default() }, ["part.x", "part.y"]);
    with_trials(&shipped("dropped-part"), &[FRICTION, RESTITUTION], |runs| {
        let truth = runs.whole(&planted).unwrap();
        let within = |trial: &u64| {
            let data = measured(&truth, 5, &columns, 1e-3, *trial);
            let found = fit(runs, &data, asked).unwrap_or_else(|found| panic!("{found}"));
            let known = found.values.iter().zip(&found.confidence.known).zip(planted);
            let mut outside = known.filter(|((x, known), planted)| {
                assert!(known.identified && known.half_width < 0.1, "{found:?}");
                (**x - planted).abs() > known.half_width
            });
            outside.next().is_none()
        };
        (0..trials).filter(within).count() as u64
    })
}

#[test]
fn a_dropped_part_tells_friction_and_restitution() {
    let found = found_in(6);
    assert!(found >= 5, "{found} of 6");
}

#[test]
#[ignore = "long"]
fn planted_values_are_within_their_intervals_in_95_of_100_noisy_trials() {
    let found = found_in(100);
    println!("{found} of 100");
    assert!(found >= 95, "{found} of 100");
}

/// Without noise the planted values come back, whatever leads the search.
#[test]
fn every_search_comes_to_the_planted_values() {
    let e = timed(&set(&shipped("sliding-block"), "/scene/materials/default/friction", 0.3), 0.002, 0.6);
    with_trials(
        &e,
        &["scene.materials.default.friction=[0.1, 0.9]", "scene.bodies.block.velocity.0=[1, 3]"],
        |runs| {
            let data = measured(&runs.whole(&[0.45, 2.2]).unwrap(), 10, &["block.x"], 0.0, 0);
            for search in [Search::Differences, Search::ActiveSet, Search::Simplex] {
                let found = fit(runs, &data, FitOptions { search, ..FitOptions::default() }).unwrap();
                close("friction", found.values[0], 0.45, 1e-3);
                close("speed", found.values[1], 2.2, 1e-3);
                assert!(found.is_identified(), "{search:?}: {found:?}");
            }
        },
    );
}

fn warnings(found: &Fit) -> String {
    found.warnings().iter().map(|w| format!("{}\n", w.message)).collect()
}

/// A block that is pushed too weakly to slip: any friction within the bounds holds it.
#[test]
fn a_part_that_never_slips_does_not_tell_its_friction() {
    let block = json!({"name": "block", "mass": 1, "shapes": [{"type": "box", "size": [0.2, 0.1]}], "position": [0, 0.05],
        "dofs": {"x": {"force": {"expression": "2*sin(9*t)"}}}});
    let e = experiment(planar(0.5, 0.0, json!([ground("planar"), block])), 0.01, 0.5);
    with_trials(&e, &["scene.materials.default.friction=[0.4, 0.9]"], |runs| {
        let data = measured(&runs.whole(&[0.5]).unwrap(), 1, &["block.x", "block.y"], 1e-4, 0);
        let found = fit(runs, &data, FitOptions::default()).unwrap();
        assert!(!found.is_identified() && found.confidence.known[0].half_width.is_infinite(), "{found:?}");
        assert!(
            warnings(&found).contains("the data do not identify `scene.materials.default.friction`"),
            "{}",
            warnings(&found)
        );
    });
}

/// On a slope of gravity a block slides with g_x − μ g: the data tell the difference and no more.
#[test]
fn what_acts_together_cannot_be_told_apart() {
    let mut e = timed(&shipped("sliding-block"), 0.01, 0.4);
    e["scene"]["gravity"] = json!([0.5, -10.0]);
    with_trials(&e, &["scene.materials.default.friction=[0.3, 0.6]", "scene.gravity.0=[-1, 1]"], |runs| {
        let data = measured(&runs.whole(&[0.45, 0.2]).unwrap(), 1, &["block.x"], 1e-4, 3);
        let found = fit(runs, &data, FitOptions::default()).unwrap();
        assert!(!found.is_identified() && found.confidence.condition > 1e3, "{found:?}");
        // Along (μ, g_x) ∝ (1, g): in parts of the widths 0.3 and 2.
        let [mu, gx] = found.confidence.worst[..] else { panic!() };
        close("direction", (gx * 2.0) / (mu * 0.3), 10.0, 1e-2);
        close("what is told", found.values[1] - 10.0 * found.values[0], 0.2 - 4.5, 1e-3);
        assert!(warnings(&found).contains("apart"), "{}", warnings(&found));
    });
}

/// Which friction TAMSI needs to move as Stewart and Trinkle's model does: nearly the same, and the rest is no noise.
#[test]
fn another_models_run_is_as_good_as_data() {
    let e = timed(&shipped("tamsi-box"), 0.01, 1.0);
    let mut rigid = with(&e, "stewart-trinkle", "lemke");
    rigid["stepper"] = json!({"plugin": "stewart-trinkle"});
    let data = with_trials(&rigid, &["scene.materials.default.friction=[0.5, 2]"], |runs| {
        measured(&runs.whole(&[1.0]).unwrap(), 1, &["box.x"], 0.0, 0)
    });
    with_trials(&e, &["scene.materials.default.friction=[0.5, 2]"], |runs| {
        let found = fit(runs, &data, FitOptions::default()).unwrap();
        close("friction", found.values[0], 1.0, 0.1);
        assert!(warnings(&found).contains("are no noise"), "{}", warnings(&found));
    });
}

#[test]
fn data_of_other_runs_are_refused() {
    let e = shipped("sliding-block");
    let refused = |free: &[&str], times: &[f64], column: &str| {
        with_trials(&e, free, |runs| {
            let table = Table {
                times: times.to_vec(),
                columns: [(column.to_owned(), vec![0.1; times.len()])].into(),
            };
            let data = Data::new("d.csv".into(), table, &[]).unwrap();
            fit(runs, &data, FitOptions::default()).unwrap_err().to_string()
        })
    };
    let free = ["scene.materials.default.friction=[0.1, 0.9]"];
    assert!(refused(&free, &[0.0, 0.1], "cup.x").contains("the run has no column `cup.x`"));
    assert!(refused(&free, &[0.0, 2.0], "block.x").contains("has times 0 … 2 s, the run 0 … 1 s"));
    let unused = refused(&["scene.bodies.ground.mass=[1, 2]"], &[0.0, 0.1], "block.x");
    assert!(unused.contains("error[unused]"), "{unused}");
    let missing = Data::read(Path::new("nothing.csv"), &[]).unwrap_err().to_string();
    assert!(missing.contains("there is no file"), "{missing}");
}

/// A ball that bounces on the grid is a staircase in its restitution, with a least sum on every tread: one of 25 intervals held the planted
/// values, and nothing said so. With located impacts the sum is a parabola.
#[test]
fn intervals_on_a_staircase_are_said_not_to_hold() {
    let ball = json!({"name": "ball", "mass": 1, "shapes": [{"type": "disc", "radius": 0.1}], "position": [0, 0.5],
        "velocity": [1, 0]});
    let e = experiment(planar(0.2, 0.7, json!([ground("planar"), ball])), 0.005, 1.0);
    let free = ["scene.materials.default.restitution=[0.3, 0.95]", "scene.bodies.ball.position.1=[0.4, 0.7]"];
    for (events, holds) in [("none", false), ("predict", true)] {
        let e = set(&with(&e, "stewart-trinkle", "lemke"), "/time/events", events);
        with_trials(&e, &free, |runs| {
            let truth = runs.whole(&[0.7137, 0.5123]).unwrap();
            let data = measured(&truth, 2, &["ball.x", "ball.y"], 1e-3, 3);
            let found = fit(runs, &data, FitOptions::default()).unwrap();
            assert_eq!(found.departures.iter().all(Option::is_none), holds, "{events}: {found:?}");
            assert_eq!(warnings(&found).contains("the interval does not hold"), !holds);
        });
    }
}
