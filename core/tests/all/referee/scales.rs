//! Scales of residuals and rates: every number is one of the formulas at the head of `referee/scale.rs`.

use vinci_core::model::MotionModel;
use vinci_core::referee::Criterion::{Approach, Distance, Friction, Momentum};
use vinci_core::referee::Report;

use super::common::{Step, Touch, has, has_only, is_clean, of, referee};

/// A disc of 2 kg in free fall whose velocity at the end is off.
fn falls(change: impl Fn(&mut Step), off: [f64; 3]) -> f64 {
    let mut step = Step::of(&[2.0]);
    change(&mut step);
    let mut answer = step.solve(&[], &[]);
    answer.v.iter_mut().zip(off).for_each(|(v, off)| *v += off);
    step.judge(&[], &answer).findings.of(Momentum).value
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-2 * expected, "{found} is not {expected}");
}

/// m g h twice, and the change of M v.
#[test]
fn residuals_stand_against_what_changes_the_momentum() {
    near(falls(|_| (), [0.0, 0.01, 0.0]), 0.02 / 5.986);
}

/// 100 m/s along x: without a force 1e-4 of 400 N s and 1e-3 of the 6 N s beside; with one 1e-9.
#[test]
fn momentum_that_is_carried_on_is_no_excuse() {
    near(falls(|s| s.v[0] = 100.0, [0.001, 0.0, 0.0]), 0.002 / 0.048);
    let pushed = |s: &mut Step| (s.v[0], s.force[0]) = (100.0, 1e-6);
    near(falls(pushed, [0.001, 0.0, 0.0]), 0.002 / 0.008);
}

/// Moments over the size of the disc, 0.5 m.
#[test]
fn moments_stand_against_forces_times_the_size() {
    near(falls(|_| (), [0.0, 0.0, 0.001]), 0.004 / 0.007);
}

/// A disc of 2 kg between a floor and a ceiling that press it with p + 2 and p N s.
fn squeezed(p: f64) -> (Step, Vec<f64>) {
    let mut step = Step::of(&[2.0]);
    let mut ceiling = Touch::floor(1, 1);
    ceiling.rows[0][1] = -1.0;
    step.touches = vec![Touch::floor(1, 1), ceiling];
    (step, vec![p + 2.0, 0.0, p, 0.0])
}

/// 1e-3 of impulses as far as they are explained (a thousand times the largest change), 1e-10 of a million times it.
#[test]
fn impulses_that_cancel_are_no_excuse() {
    for (p, size) in [(1000.0, 6.008), (1e6, 8.0082), (1e9, 8.0088), (1e10, 8.0088)] {
        let (step, impulse) = squeezed(p);
        let mut answer = step.solve(&impulse, &[]);
        answer.v[1] = 0.001;
        has(&step.judge(&[], &answer), Momentum, 0.002 / size);
    }
}

/// The fall of 1000 t beside it explained any pressure between floor and ceiling; only what is tied together counts, and 1e-10 of
/// the 1e6 N s elsewhere.
#[test]
fn what_falls_elsewhere_explains_no_impulses() {
    let (mut step, impulse) = squeezed(1e6);
    step = Step { touches: step.touches.clone(), ..Step::of(&[2.0, 1e6]) };
    for touch in &mut step.touches {
        touch.rows.iter_mut().for_each(|row| row.resize(6, 0.0));
    }
    let mut answer = step.solve(&impulse, &[]);
    answer.v[1] = 0.001;
    has(&step.judge(&[], &answer), Momentum, 0.002 / (8.0082 + 1e-4));
}

/// A disc of 1000 t at the top of a stack explains the pressure of 1e6 N s at its bottom: contacts tie what they press, one after the other.
#[test]
fn contacts_in_a_row_tie_all_that_they_press() {
    let mut step = Step::of(&[2.0, 2.0, 1e6]);
    step.touches = vec![Touch::floor(1, 3), Touch::stacked(1, 3), Touch::stacked(2, 3)];
    let p = 1e6;
    let mut answer = step.solve(&[p + 2.0, 0.0, p, 0.0, p - 2.0, 0.0], &[]);
    answer.v[1] = 0.001;
    has(&step.judge(&[], &answer), Momentum, 0.002 / 2004.0);
}

/// A tenth of the nominal step: what is left fades by a tenth and is added.
#[test]
fn what_substeps_leave_adds_up() {
    let mut step = Step::of(&[2.0]);
    (step.h, step.force) = (0.01, vec![0.0, -20.0, 0.0]);
    let mut referee = referee(1, &[]);
    referee.nominal = 0.1;
    let mut left = Vec::new();
    for _ in 0..3 {
        let mut answer = step.solve(&[], &[]);
        answer.v[1] += 1e-6;
        left.push(of(&step.judge_by(&mut referee, &answer), Momentum));
        step.contacts(|contacts| referee.commit(contacts, &[0.0; 6]));
    }
    for (k, sum) in [(1, 1.9), (2, 2.71)] {
        assert!((left[k] / left[0] - sum).abs() < 1e-6, "{left:?}");
    }
}

/// 1e-10 of 2e9 N s elsewhere.
#[test]
fn a_heavy_body_elsewhere_excuses_no_more_than_its_rounding() {
    let mut step = Step::of(&[2.0, 1e6]);
    step.v[3] = 1000.0;
    let mut answer = step.solve(&[], &[]);
    answer.v[1] += 0.01;
    has_only(&step.judge(&[], &answer), Momentum, 0.02 / 5.986);
}

/// A disc on the floor, and one without weight that touches it, or is far away; the second moves by `off` where nothing acts.
fn beside(touches: bool, off: f64) -> f64 {
    let mut step = Step::of(&[2.0, 2.0]);
    step.force[4] = 0.0;
    step.touches.push(Touch::floor(1, 2));
    let mut impulse = vec![-step.h * step.force[1], 0.0];
    if touches {
        step.touches.push(Touch::stacked(1, 2));
        impulse.extend([0.0, 0.0]);
    }
    let mut answer = step.solve(&impulse, &[]);
    answer.v[4] += off;
    step.judge(&[], &answer).findings.of(Momentum).value
}

/// A finger that touches a box and does not press it was refused for 4e-17 N s, the last bit of what acts on the box: solvers have both in
/// one system.
#[test]
fn what_touches_without_an_impulse_has_the_rounding_of_what_acts_beside_it() {
    assert!(beside(true, 1e-16) < 1e-5, "{}", beside(true, 1e-16));
    assert!(beside(false, 1e-16) > 1e-2, "{}", beside(false, 1e-16));
    assert!(beside(true, 1e-13) > 1e-4, "{}", beside(true, 1e-13));
}

/// A disc without weight that is at rest on the floor, and one that flies.
fn weightless() -> Step {
    let mut step = Step::of(&[2.0, 2.0]);
    step.force = vec![0.0; 6];
    step.touches.push(Touch::floor(1, 2));
    step
}

/// 1e-7 of the largest speed of all, 1e-4 of the largest that the body ever had.
#[test]
fn rest_is_small_against_speeds_of_others_and_of_the_past() {
    let mut step = weightless();
    step.v[3] = 1000.0;
    let mut answer = step.solve(&[0.0, 0.0], &[]);
    answer.v[1] = -1e-5;
    has(&step.judge(&[], &answer), Approach, 0.1);
    let (mut before, mut referee) = (weightless(), referee(2, &[]));
    before.v[1] = 1.0;
    before.judge_by(&mut referee, &before.solve(&[0.0, 0.0], &[]));
    before.contacts(|contacts| referee.commit(contacts, &[0.0; 9]));
    step.v[3] = 0.0;
    answer.v[3] = 0.0;
    has(&step.judge_by(&mut referee, &answer), Approach, 0.1);
}

/// What a substep leaves stands against a whole step.
#[test]
fn short_steps_stand_against_nominal_ones() {
    let mut step = Step::of(&[2.0]);
    step.h = 0.001;
    let mut answer = step.solve(&[], &[]);
    answer.v[1] += 1e-4;
    let (alone, mut whole) = (step.judge(&[], &answer), referee(1, &[]));
    whole.nominal = 0.1;
    has_only(&alone, Momentum, 2e-4 / (0.0398 + 0.02));
    has_only(&step.judge_by(&mut whole, &answer), Momentum, 2e-4 / (0.0398 + 2.0));
}

/// The floor threw a body up in a substep of 1e-15 s: places round to more than such a way.
#[test]
fn a_substep_of_nothing_throws_no_body() {
    let mut step = Step::of(&[2.0]);
    step.touches.push(Touch::floor(1, 1));
    let distance = |h: f64, step: &mut Step| {
        step.h = h;
        let mut referee = referee(1, &[]);
        referee.nominal = 0.1;
        of(&step.judge_by(&mut referee, &step.solve(&[2.0, 0.0], &[])), Distance)
    };
    for h in [1e-3, 1e-6, 1e-9, 1e-12, 1e-15] {
        assert!(distance(h, &mut step) > 1e-2, "{h}");
    }
}

/// Without inertia the rows of a body that is squeezed have the squeeze as their size, but not beyond ten times what acts.
#[test]
fn a_squeeze_holds_no_weight() {
    let mut step = Step::of(&[2.0]);
    let mut side = Touch::floor(1, 1);
    side.rows = vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0]];
    let mut other = side.clone();
    other.rows = vec![vec![-1.0, 0.0, 0.0], vec![0.0, -1.0, 0.0]];
    step.touches = vec![side, other];
    let mut answer = step.solve(&[1e8, 0.0, 1e8, 0.0], &[]);
    (answer.v, answer.motion) = (vec![0.0; 3], vec![MotionModel::QuasiStatic as u8]);
    let found = step.judge(&["motion=quasi-static"], &answer).findings.of(Momentum);
    assert!(found.value > 1e-2 && found.at == 1, "{found:?}");
}

/// A grain of 1 mg on 20 t, μ = .5, at 1 m/s beside it; both move with `speed`. Impulses of the grain in parts of its weight.
fn grain(speed: f64, gap: f64, press: f64, rub: f64) -> Report {
    let mut step = Step::of(&[2e4, 1e-6]);
    step.h = 1e-4;
    (step.v[0], step.v[3]) = (speed, speed + 1.0);
    step.touches.push(Touch { friction: 0.0, ..Touch::floor(1, 2) });
    step.touches.push(Touch { gap, ..Touch::stacked(1, 2) });
    let weight = 1e-6 * 10.0 * step.h;
    let p = press * weight;
    let answer = step.solve(&[2e4 * 10.0 * step.h + p, 0.0, p, rub * p], &[]);
    step.judge(&[], &answer)
}

/// 1e-9 of the momentum of a neighbour in the world's frame excused a grain's friction and its hovering, on 20 t at 30 m/s as nothing did on
/// 20 t at rest.
#[test]
fn a_heavy_neighbour_that_moves_excuses_no_more_than_one_at_rest() {
    for speed in [0.0, 30.0] {
        is_clean(&grain(speed, 0.0, 1.0, 0.5));
        let rubs = grain(speed, 0.0, 1.0, 0.0).findings.of(Friction).value;
        assert!(rubs > 0.1, "{speed}: {rubs}");
        let hovers = grain(speed, 0.5, 1.0, 0.0).findings.of(Distance).value;
        assert!(hovers > 1e-3, "{speed}: {hovers}");
        let flung = grain(speed, 0.0, 1e3, 0.5).findings.of(Distance).value;
        assert!(flung > 1e-3, "{speed}: {flung}");
    }
}
