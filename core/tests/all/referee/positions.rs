//! Positions, motion models, masses, slip rates, places and times that forces were taken at.

use vinci_core::model::MotionModel;
use vinci_core::referee::Began;
use vinci_core::referee::Criterion::{Distance, Evaluated, MassScale, Motion, Positions, SlipRate};

use super::common::{Answer, Step, Touch, has, has_only, is_clean, of, referee};

/// A disc that falls from rest: v⁺ = −1 m/s, and q⁺ as given.
fn falls_to(q: [f64; 3]) -> (Step, Answer) {
    let step = Step::of(&[2.0]);
    let answer = Answer { q: q.to_vec(), ..step.solve(&[], &[]) };
    (step, answer)
}

#[test]
fn positions_follow_from_velocities() {
    let (step, honest) = falls_to([0.0, -0.1, 0.0]);
    is_clean(&step.judge(&[], &honest));
    let (_, off) = falls_to([0.001, -0.1, 0.0]);
    // Nothing moves along x: 1e-4 of the fastest is rest, however fast it falls.
    has_only(&step.judge(&[], &off), Positions, 100.0);
    // Nothing turns: 1e-7 of the fastest, over the size of the disc, is rest.
    let (_, turned) = falls_to([0.0, -0.1, 1e-6]);
    has_only(&step.judge(&[], &turned), Positions, 1e-6 / 2e-8);
    // 1e-11 of a large coordinate is no rounding.
    let (mut far, mut off) = falls_to([100.0 + 1e-9, -0.1, 0.0]);
    far.q[0] = 100.0;
    has_only(&far.judge(&[], &off), Positions, 1e-4);
    off.q[0] = 100.0 + 3e-13;
    is_clean(&far.judge(&[], &off));
    // Nor are 1e-13 of it, which would be a drift in ten thousand steps.
    (far.q[0], off.q[0]) = (1e6, 1e6 + 9e-8);
    has_only(&far.judge(&[], &off), Positions, 8.6e-3);
}

#[test]
fn the_declared_rule_of_positions_holds() {
    let (step, mean) = falls_to([0.0, -0.05, 0.0]);
    is_clean(&step.judge(&["own-positions=0.5"], &mean));
    has_only(&step.judge(&[], &mean), Positions, 0.5);
}

#[test]
fn motion_models_and_masses_are_those_that_were_declared() {
    let step = Step::of(&[2.0]);
    let quasi = |factor: Option<f64>| {
        let mut answer = step.solve(&[], &[]);
        answer.motion = vec![MotionModel::QuasiDynamic as u8];
        answer.v[1] /= factor.unwrap_or(1.0);
        answer.mass_scale = factor.into_iter().collect();
        answer
    };
    has_only(&step.judge(&[], &quasi(None)), Motion, 1.0);
    let words = ["motion=quasi-dynamic", "scaled-mass"];
    is_clean(&step.judge(&words, &quasi(None)));
    is_clean(&step.judge(&words, &quasi(Some(0.5))));
    has_only(&step.judge(&words, &quasi(Some(2.0))), MassScale, 1.0);
    has_only(&step.judge(&words[..1], &quasi(Some(0.5))), MassScale, 0.5);
    // Bodies with momentum keep their mass.
    let mut dynamic = quasi(Some(0.5));
    dynamic.motion = vec![MotionModel::Dynamic as u8];
    has_only(&step.judge(&["scaled-mass"], &dynamic), MassScale, 0.5);
}

#[test]
fn rigid_surfaces_slip_as_the_bodies_do() {
    let step = Step::slide();
    let mut answer = step.solve(&[2.0, 1.0], &[]);
    answer.slip_rate = vec![-0.5];
    has(&step.judge(&[], &answer), SlipRate, 1.0);
    has(&step.judge(&["law=layers", "own-slip-rate"], &answer), SlipRate, 1.0);
}

/// A contact that is found at the end of the step has the gap of the end.
#[test]
fn contacts_of_the_end_are_no_contacts_of_the_start() {
    let judge = |gap: f64| {
        let mut step = Step::of(&[2.0]);
        step.v[1] = -1.0;
        step.touches.push(Touch { gap, ..Touch::floor(1, 1) });
        // v⁺ = −0.5 m/s.
        let (answer, place) = (step.solve(&[3.0, 0.0], &[]), [0.0, -0.05, 0.0]);
        let began = Began { q: &step.q, evaluated: Some(&place), moving: None };
        step.view(|view| referee(1, &[]).judge(view, &answer.update(&step), &began).unwrap())
    };
    is_clean(&judge(0.0));
    has_only(&judge(0.05), Distance, 0.25);
}

/// Forces may be those of the end of the step, with its velocities, at its time.
#[test]
fn forces_are_taken_at_the_start_or_the_end() {
    let (step, answer) = falls_to([0.0, -0.1, 0.0]);
    let judge = |q: [f64; 3], v: [f64; 3], after: f64| {
        let began = Began { q: &step.q, evaluated: Some(&q), moving: Some((&v, after)) };
        step.view(|view| referee(1, &[]).judge(view, &answer.update(&step), &began).unwrap())
    };
    let (place, speed) = ([0.0, -0.1, 0.0], [0.0, -1.0, 0.0]);
    is_clean(&judge(place, speed, 0.1));
    is_clean(&judge([0.0; 3], [0.0; 3], 0.0));
    has_only(&judge(place, speed, 0.05), Evaluated, 0.5);
    has_only(&judge(place, [0.0, -0.7, 0.0], 0.1), Evaluated, 0.3);
    has_only(&judge([0.0, -0.11, 0.0], speed, 0.1), Evaluated, 0.1);
    assert_eq!(of(&judge(place, speed, f64::NAN), Evaluated), f64::INFINITY);
}
