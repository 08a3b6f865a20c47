//! `iiwa-lift-…`: the arm of Pang and Tedrake 2018, V-B (Fig. 7, Table I), lifts a free body with the squeeze bound (22).

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use vinci_tests::close;
use vinci_tests::experiment::{shipped, timed};
use vinci_tests::run::{Moment, Run, Touch, run};

/// Step, s; weight of the body, N; force of every ball between fingers that are held up, N: K h 50 mm/s.
const STEP: f64 = 5e-3;
const WEIGHT: f64 = 9.81;
const SQUEEZE: f64 = 3e4 * STEP * 0.05;
/// Bound of every normal force, N: five weights.
const MOST: f64 = 5.0 * WEIGHT;
/// Forces below this are the solver's, N: it takes rows as kept to 1e-9 of the commanded speeds, which leaves 1e-9 N on balls that only
/// touch.
const PRESSED: f64 = 1e-6;
const FINGERS: [&str; 2] = ["iiwa/finger_left", "iiwa/finger_right"];

fn pose(run: &Run, m: &Moment, name: &str) -> (Vector3<f64>, UnitQuaternion<f64>) {
    let system = &run.simulation.system;
    let body = system.bodies.iter().position(|b| b.name == name).expect("the body is there");
    let frames = system.placed(&m.q);
    let p = frames.pose(body as u32);
    (Vector3::new(p[0], p[1], p[2]), UnitQuaternion::new_normalize(Quaternion::new(p[3], p[4], p[5], p[6])))
}

/// The body as the hand sees it.
fn in_hand(run: &Run, m: &Moment, name: &str) -> (Vector3<f64>, UnitQuaternion<f64>) {
    let ((p, turn), (b, other)) = (pose(run, m, "iiwa/hand"), pose(run, m, name));
    (turn.inverse_transform_vector(&(b - p)), turn.inverse() * other)
}

fn with<'a>(m: &'a Moment, other: &'a str) -> impl Iterator<Item = &'a Touch> {
    m.touches.iter().filter(move |t| t.a == other || t.b == other)
}

/// Normal forces of the contacts with a body, N.
fn forces(m: &Moment, other: &str) -> Vec<f64> {
    with(m, other).map(|t| t.p_n / m.h).collect()
}

/// The largest normal force, N.
fn most(m: &Moment) -> f64 {
    m.touches.iter().map(|t| t.p_n / m.h).fold(0.0, f64::max)
}

fn at(run: &Run, t: f64) -> &Moment {
    run.moments.iter().find(|m| m.t >= t - 1e-9).expect("the run is that long")
}

/// Angle between the body's z axis and the vertical, rad.
fn tilt(run: &Run, m: &Moment, name: &str) -> f64 {
    (pose(run, m, name).1 * Vector3::z()).angle(&Vector3::z())
}

/// From the touch on: the first step in which a finger presses, the bound on every pressed ball, the table's share.
fn judge_grasp(run: &Run, name: &str, pressed: f64, contacts: usize) {
    let presses =
        |m: &&Moment| m.h > 0.0 && FINGERS.iter().any(|f| forces(m, f).iter().any(|p| *p > PRESSED));
    let first = run.moments.iter().find(presses).expect("a finger presses");
    close("the first step that presses ends at", first.t, pressed, 1e-9);
    for m in run.moments.iter().filter(|m| m.h > 0.0) {
        assert_eq!(m.touches.len(), contacts, "{name}: all contacts at all times, {}", m.t);
        let held: Vec<f64> = FINGERS.iter().flat_map(|f| forces(m, f)).filter(|p| *p > PRESSED).collect();
        assert_eq!(held.len(), if m.t > pressed - 1e-9 { 4 } else { 0 }, "{name}: four balls, {}", m.t);
        // On the way too: with forces without bound the box gave way in a step at 4.5 s, by 0.4 µm, which `current` counts as 11 mN less.
        assert!(held.iter().all(|p| *p > SQUEEZE - 1e-6), "{name}: (22) at {}: {held:?}", m.t);
        assert!(most(m) < MOST + 1e-6, "{name}: {} N at {}", most(m), m.t);
    }
    let table: f64 = forces(at(run, 2.5), "table").iter().sum();
    close("the table carries it before", table, WEIGHT, 1e-6);
}

/// Half a second after the fingers began to rise: in the air, carried by friction alone, turned with the hand.
fn judge_lift(run: &Run, name: &str) {
    let m = at(run, 4.5);
    let ((p, _), (start, _)) = (pose(run, m, name), pose(run, at(run, 4.0), name));
    assert!(p.z - start.z > 0.08, "{name}: lifted by {}", p.z - start.z);
    assert!(with(m, "table").all(|t| t.p_n == 0.0 && t.gap > 0.05), "{name}: off the table");
    let friction: f64 = FINGERS
        .iter()
        .flat_map(|f| with(m, f))
        .map(|t| if t.b == name { t.impulse[2] } else { -t.impulse[2] } / m.h)
        .sum();
    close("fingers carry the weight", friction, WEIGHT, 1e-6);
    // Joints 4 and 6 turn by straight lines: a quarter of 90°.
    close("tilt", tilt(run, m, name), 22.5_f64.to_radians(), 1e-3);
}

fn lifts(experiment: &str, name: &str, pressed: f64, contacts: usize) {
    let run = run(&timed(&shipped(experiment), STEP, 4.6));
    judge_grasp(&run, name, pressed, contacts);
    judge_lift(&run, name);
}

/// Fingers 55 mm from the middle come to balls at 15 mm after 0.8 s of 50 mm/s, the step in which the gap closes ends at 2.8 s.
/// Rounding leaves it to the next; the last step's commands press one step later than this step's.
#[test]
fn both_squeeze_bounds_lift_the_cylinder_one_step_apart() {
    lifts("iiwa-lift-cylinder-current", "cylinder", 2.805, 6);
    lifts("iiwa-lift-cylinder", "cylinder", 2.81, 6);
}

#[test]
fn both_squeeze_bounds_lift_the_box_one_step_apart() {
    lifts("iiwa-lift-box-current", "box", 2.505, 12);
    lifts("iiwa-lift-box", "box", 2.51, 12);
}

/// All 2400 steps, each accepted. The authors' own program expects the end within 50 mm of (0.32, 0.2, 0.8).
#[test]
fn the_cylinder_is_carried_to_the_end_of_the_arms_way() {
    let run = run(&shipped("iiwa-lift-cylinder"));
    assert_eq!(run.moments.len(), 2401);
    let strongest = run.moments[1..].iter().map(most).fold(0.0, f64::max);
    assert!(strongest < MOST + 1e-6, "five weights: {strongest} N");
    close("turned up", tilt(&run, at(&run, 6.0), "cylinder"), 90.0_f64.to_radians(), 1e-3);
    let (p, turn) = in_hand(&run, at(&run, 4.0), "cylinder");
    let held = run.moments.iter().filter(|m| m.t >= 4.0 - 1e-9).map(|m| in_hand(&run, m, "cylinder"));
    let (moved, turned) = held.fold((0.0, 0.0), |(far, angle), (b, other)| {
        (f64::max(far, (b - p).norm()), f64::max(angle, turn.angle_to(&other)))
    });
    println!("iiwa-lift-cylinder: in the hand {moved:.3e} m, {turned:.3e} rad");
    assert!(moved < 1.2e-3 && turned < 1e-3, "slips by {moved} m, {turned} rad");
    let (end, _) = pose(&run, run.end(), "cylinder");
    assert!((end - Vector3::new(0.32, 0.2, 0.8)).norm() < 0.01, "ends at {end:?}");
    // The hand's centre of mass lies 41 mm before its flange, which ends at (0.2, 0.2, 0.8).
    let off = (pose(&run, run.end(), "iiwa/hand").0 - Vector3::new(0.241, 0.2, 0.8)).norm();
    assert!(off < 1e-5, "the arm follows its commands but for {off} m");
}
