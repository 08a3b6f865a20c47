//! Rigid contacts: approach, impulses at a distance, pull, cone, friction, alternatives.

use vinci_core::model::DofRole;
use vinci_core::referee::Criterion::{Approach, Cone, Created, Distance, Friction, Pull};

use super::common::{Step, Touch, has, has_only, is_clean};

/// A disc of 2 kg at rest on the floor, its gap as given.
fn rest(gap: f64) -> Step {
    let mut step = Step::of(&[2.0]);
    step.touches.push(Touch { gap, ..Touch::floor(1, 1) });
    step
}

#[test]
fn sliding_resting_and_falling_leave_nothing() {
    let slide = Step::slide();
    is_clean(&slide.judge(&[], &slide.solve(&[2.0, 1.0], &[])));
    is_clean(&rest(0.0).judge(&[], &rest(0.0).solve(&[2.0, 0.0], &[])));
    // Overlap is left as it is: the next detection tells of it.
    is_clean(&rest(-0.01).judge(&[], &rest(-0.01).solve(&[2.0, 0.0], &[])));
    // −1.5 m/s for 0.1 s above 0.2 m.
    let mut falls = rest(0.2);
    falls.v[1] = -0.5;
    is_clean(&falls.judge(&[], &falls.solve(&[0.0, 0.0], &[])));
}

/// g h = 1 m/s into the floor, of 1 m/s.
#[test]
fn a_closed_contact_must_not_approach() {
    let step = rest(0.0);
    has_only(&step.judge(&[], &step.solve(&[0.0, 0.0], &[])), Approach, 1.0);
}

/// The surface itself is driven away with 1 m/s: the disc may follow it, and presses at a distance if it does not.
#[test]
fn surfaces_that_move_count() {
    let mut step = Step::of(&[1.0, 2.0]);
    step.touches.push(Touch::stacked(1, 2));
    step.role[..3].fill(DofRole::Prescribed as u8);
    (step.command[1], step.v[1]) = (-1.0, -1.0);
    step.force[1] = 0.0;
    let driven = |p_n: f64| {
        let mut answer = step.solve(&[p_n, 0.0], &[]);
        answer.v[..3].copy_from_slice(&step.command[..3]);
        step.judge(&[], &answer)
    };
    is_clean(&driven(0.0));
    assert!(driven(2.0).findings.of(Distance).value > 0.1);
}

/// p_n against (change + pressure)/… = 6 N s: 2/6; the gap of 0.1 m over h is as much as all else.
#[test]
fn an_open_contact_must_not_press() {
    let step = rest(0.1);
    has_only(&step.judge(&[], &step.solve(&[2.0, 0.0], &[])), Distance, 1.0 / 3.0);
    // 5 mm over h are 0.05 m/s of 1 m/s.
    let step = rest(0.005);
    has_only(&step.judge(&[], &step.solve(&[2.0, 0.0], &[])), Distance, 0.05);
}

#[test]
fn contacts_do_not_pull() {
    let step = rest(0.0);
    has(&step.judge(&[], &step.solve(&[-1.0, 0.0], &[])), Pull, 0.125);
}

/// 0.5 N s beyond 1 N s, and a tenth of 6.
#[test]
fn friction_stays_in_its_cone() {
    let step = Step::slide();
    has_only(&step.judge(&[], &step.solve(&[2.0, 1.5], &[])), Cone, 0.5 / 1.6);
}

#[test]
fn friction_is_whole_and_against_the_slip() {
    let step = Step::slide();
    has_only(&step.judge(&[], &step.solve(&[2.0, 0.5], &[])), Friction, 0.375 / 0.76);
    let driven = step.judge(&[], &step.solve(&[2.0, -1.0], &[]));
    has(&driven, Friction, 3.0 / 1.515);
    has(&driven, Created, 1.5 / 5.506);
    // Slips far below 1 % of the scale say little: 1e-3 of it is a tenth.
    let mut slow = Step::slide();
    slow.v[0] = 0.001;
    has_only(&slow.judge(&[], &slow.solve(&[2.0, 0.0], &[])), Friction, 0.001 / 0.011);
}

/// A contact that carries a thousandth of what acts has whole friction too.
#[test]
fn friction_of_a_light_touch_counts() {
    let mut step = Step::slide();
    step.v[1] = 0.999;
    is_clean(&step.judge(&[], &step.solve(&[0.002, 0.001], &[])));
    has_only(&step.judge(&[], &step.solve(&[0.002, 0.0], &[])), Friction, 1.0 / 1.01);
}

/// Eight directions are short of what is between them, 7.6 % at most: in space, not in the plane, where two are all there are, and
/// not along one of them.
#[test]
fn a_polygon_excuses_what_lies_between_its_directions() {
    let short = 0.05 * 0.525 / 0.535;
    let mut plane = Step::slide();
    has_only(&plane.judge(&["polygon=8"], &plane.solve(&[2.0, 0.95], &[])), Friction, short);
    plane.touches[0].rows.push(vec![0.0, 0.0, 1.0]);
    let mut space = plane;
    for words in [&[][..], &["polygon=8"]] {
        has_only(&space.judge(words, &space.solve(&[2.0, 0.95, 0.0], &[])), Friction, short);
    }
    space.v[2] = 0.5 * 22.5_f64.to_radians().tan();
    let between = space.solve(&[2.0, 1.0, 0.0], &[]);
    is_clean(&space.judge(&["polygon=8"], &between));
    has(&space.judge(&["polygon=16"], &between), Friction, 0.0412 / 0.5512);
    has(&space.judge(&[], &between), Friction, 0.0412 / 0.5512);
    let weak = space.solve(&[2.0, 0.5, 0.0], &[]);
    assert!(space.judge(&["polygon=8"], &weak).findings.of(Friction).value > 0.3);
}

/// A hundredth of a degree aside is 1.5e-8 of its power, and no rounding.
#[test]
fn friction_aside_of_the_slip_is_seen() {
    let mut step = Step::slide();
    step.touches[0].rows.push(vec![0.0, 0.0, 1.0]);
    let aside = 1e-3_f64;
    let turned = step.solve(&[2.0, aside.cos(), aside.sin()], &[]);
    let value = step.judge(&[], &turned).findings.of(Friction).value;
    assert!(value > 5e-5 && value < 2e-3, "{value}");
}

/// Below one surface and before another: one of them open is enough, and only the most open one presses.
#[test]
fn one_open_alternative_is_enough() {
    let mut step = rest(-0.3);
    let mut beside = Touch { gap: 0.2, ..Touch::floor(1, 1) };
    beside.rows.swap(0, 1);
    step.touches.push(beside);
    step.touches.iter_mut().for_each(|touch| touch.group = 1);
    is_clean(&step.judge(&[], &step.solve(&[0.0; 4], &[])));
    has(&step.judge(&[], &step.solve(&[2.0, 0.0, 0.0, 0.0], &[])), Distance, 1.0 / 3.0);
}

/// A disc flies along a wall that it does not touch, and nothing acts along the wall's normal: friction of 1e-15 N s at no load was
/// "beyond its cone". It is rounding below 1e-13 of the momentum, and friction above.
#[test]
fn rounding_of_the_momentum_is_no_friction() {
    let mut step = Step::of(&[2.0]);
    (step.v[0], step.v[1]) = (-0.2, -1.0);
    let rows = vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0]];
    step.touches.push(Touch { gap: 0.1, rows, ..Touch::floor(1, 1) });
    for p in [1e-15, -1e-15, 3e-13] {
        is_clean(&step.judge(&[], &step.solve(&[0.0, p], &[])));
    }
    for p in [1e-11, -1e-9] {
        assert!(step.judge(&[], &step.solve(&[0.0, p], &[])).findings.of(Cone).value > 1e-5, "{p}");
    }
}

/// Nothing gives way between driven bodies, but their drives have the forces that are told.
#[test]
fn contacts_of_what_is_driven_are_judged_too() {
    let mut step = rest(0.01);
    (step.v[0], step.touches[0].friction) = (1.0, 0.0);
    (step.role, step.command) = (vec![DofRole::Prescribed as u8; 3], vec![1.0, 0.0, 0.0]);
    let judge = |step: &Step, p: [f64; 2]| {
        let mut answer = step.solve(&p, &[]);
        answer.v = step.command.clone();
        step.judge(&[], &answer)
    };
    is_clean(&judge(&step, [0.0, 0.0]));
    has_only(&judge(&step, [5.0, 0.0]), Distance, 1.0);
    step.touches[0].gap = 0.0;
    is_clean(&judge(&step, [5.0, 0.0]));
    assert!(judge(&step, [-5.0, 0.0]).findings.of(Pull).value > 1.0);
    step.touches[0].friction = 0.5;
    is_clean(&judge(&step, [5.0, 2.5]));
    has_only(&judge(&step, [5.0, 5.0]), Cone, 1.0);
}

/// What is light in a strong grip falls as if nothing held it: 1 m/s are far below what friction could stop.
#[test]
fn a_strong_grip_excuses_no_slip() {
    let mut step = Step::of(&[1e-6]);
    let mut side = Touch::floor(1, 1);
    side.rows = vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0]];
    let mut other = side.clone();
    other.rows = vec![vec![-1.0, 0.0, 0.0], vec![0.0, -1.0, 0.0]];
    step.touches = vec![side, other];
    let found = step.judge(&[], &step.solve(&[100.0, 0.0, 100.0, 0.0], &[])).findings;
    assert!(found.of(Friction).value > 1e-3, "{:?}", found.of(Friction));
}
