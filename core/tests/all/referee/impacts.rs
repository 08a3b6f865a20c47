//! Impacts, and restitution within a step.

use vinci_core::model::MotionModel;
use vinci_core::referee::Criterion::{
    Approach, Bounce, Cone, Created, Dead, Distance, ForceLaw, Friction, Idle, ImpactWork, Struck,
};

use super::common::{Answer, Bar, Step, Touch, has, has_only, is_clean, referee};

/// A disc of 2 kg that meets the floor with 4 m/s; e = 0.5, and friction as given.
fn falls(friction: f64) -> Step {
    let mut step = Step::of(&[2.0]);
    step.v[1] = -4.0;
    step.touches.push(Touch { restitution: 0.5, friction, ..Touch::floor(1, 1) });
    step
}

#[test]
fn a_bounce_is_neither_more_nor_less_than_its_restitution() {
    let step = falls(0.0);
    is_clean(&step.judge_impact(&[], &step.answer(0.0, &[12.0, 0.0], &[])));
    has_only(&step.judge_impact(&[], &step.answer(0.0, &[8.0, 0.0], &[])), Dead, 0.5);
    has_only(&step.judge_impact(&[], &step.answer(0.0, &[16.0, 0.0], &[])), Bounce, 0.5);
    has(&step.judge_impact(&[], &step.answer(0.0, &[4.0, 0.0], &[])), Approach, 0.5);
}

#[test]
fn impacts_create_no_energy() {
    let step = falls(0.0);
    has(&step.judge_impact(&[], &step.answer(0.0, &[20.0, 0.0], &[])), ImpactWork, 0.2);
    // What another impact loses elsewhere excuses nothing.
    let mut two = Step::of(&[2.0, 2.0]);
    (two.v[1], two.v[4]) = (-4.0, -1.0);
    two.touches = vec![Touch::floor(1, 2), Touch { restitution: 1.0, ..Touch::floor(2, 2) }];
    let report = two.judge_impact(&[], &two.answer(0.0, &[8.0, 0.0, 4.4, 0.0], &[]));
    has(&report, ImpactWork, 0.0908);
}

/// 2 e |ν⁻| is to be more than twice h a_n, and the approach faster than the threshold.
#[test]
fn slow_bounces_are_not_owed() {
    let mut step = falls(0.0);
    step.v[1] = -1.9;
    is_clean(&step.judge_impact(&[], &step.answer(0.0, &[3.8, 0.0], &[])));
    step.v[1] = -2.1;
    has_only(&step.judge_impact(&[], &step.answer(0.0, &[4.2, 0.0], &[])), Dead, 0.5);
    (step.force[1], step.v[1]) = (-2.0, -0.8);
    has_only(&step.judge_impact(&[], &step.answer(0.0, &[1.6, 0.0], &[])), Dead, 0.5);
    is_clean(&step.judge_impact(&["restitution-threshold=1"], &step.answer(0.0, &[1.6, 0.0], &[])));
}

/// What one impact leaves of the balance counts in the next of the same step, and not in another attempt at it.
#[test]
fn what_impacts_leave_adds_up() {
    let mut step = Step::of(&[2.0]);
    let mut judge = referee(1, &[]);
    judge.nominal = 0.1;
    let mut next = || {
        let mut answer = step.answer(0.0, &[], &[]);
        answer.v[1] += 1e-6;
        let judged = step.view(|view| judge.judge_impact(view, &answer.update(&step)).unwrap());
        step.v.clone_from(&answer.v);
        judged.momentum_relative.value
    };
    let (first, second) = (next(), next());
    assert!((first - 1e-6).abs() < 1e-8 && (second - 2e-6).abs() < 1e-8, "{first} {second}");
    judge.begin();
    let answer = Step::of(&[2.0]).answer(0.0, &[], &[]);
    let step = Step::of(&[2.0]);
    let clean = step.view(|view| judge.judge_impact(view, &answer.update(&step)).unwrap());
    assert_eq!(clean.momentum_relative.value, 0.0);
}

#[test]
fn open_contacts_have_no_impact() {
    let mut step = falls(0.0);
    step.touches[0].gap = 0.1;
    has(&step.judge_impact(&[], &step.answer(0.0, &[12.0, 0.0], &[])), Distance, 0.5);
}

/// A disc at 0.5 m whose gap was one rounding above 0 counted as open, and its impulse as none that may be.
#[test]
fn a_gap_within_the_rounding_of_places_is_closed_in_an_impact() {
    let at = |place: f64, gap: f64| {
        let mut step = falls(0.0);
        (step.q[1], step.touches[0].gap) = (place, gap);
        step.judge_impact(&[], &step.answer(0.0, &[12.0, 0.0], &[]))
    };
    for closed in [1.4e-17, 0.0, -1e-16] {
        is_clean(&at(0.5, closed));
    }
    for near in [0.5, 1.0] {
        has(&at(near, 1e-9), Distance, 0.5);
    }
    // Places of 1000 km have no such digits.
    is_clean(&at(1e6, 1e-9));
}

/// A limit, too: one that is reached to rounding may stop its joint, and is free to let it go on.
#[test]
fn a_limit_within_the_rounding_of_its_joint_may_act_in_an_impact() {
    let at = |distance: f64, p: f64| {
        let mut step = falls(0.0);
        (step.q[0], step.v[0]) = (0.5, -0.5);
        let bounds = [0.0, f64::INFINITY];
        step.bars = vec![Bar { row: vec![1.0, 0.0, 0.0], rate: distance / step.h, bounds }];
        step.judge_impact(&[], &step.answer(0.0, &[12.0, 0.0], &[p]))
    };
    is_clean(&at(1.4e-17, 1.0));
    is_clean(&at(1.4e-17, 0.0));
    assert!(at(1e-9, 1.0).findings.of(Struck).value > 0.1);
}

#[test]
fn friction_of_an_impact_is_whole_and_in_its_cone() {
    let mut step = falls(0.5);
    step.v[0] = 10.0;
    is_clean(&step.judge_impact(&[], &step.answer(0.0, &[12.0, 6.0], &[])));
    has_only(&step.judge_impact(&[], &step.answer(0.0, &[12.0, 8.0], &[])), Cone, 2.0 / 8.4);
    has_only(&step.judge_impact(&[], &step.answer(0.0, &[12.0, 0.0], &[])), Friction, 1.0 / 1.01);
}

/// By Poisson's law energies count: Σ p ν⁺ against e Σ p |ν⁻|.
#[test]
fn impulses_that_return_are_judged_as_a_whole() {
    let (step, words) = (falls(0.0), ["impact-law=poisson"]);
    is_clean(&step.judge_impact(&words, &step.answer(0.0, &[12.0, 0.0], &[])));
    has_only(&step.judge_impact(&words, &step.answer(0.0, &[16.0, 0.0], &[])), Bounce, 0.25);
    has_only(&step.judge_impact(&words, &step.answer(0.0, &[8.0, 0.0], &[])), Dead, 0.5);
}

/// A disc that rests beside one that falls: the rounding of its velocity is no bounce, by either law.
#[test]
fn rounding_of_bodies_at_rest_is_no_bounce() {
    let mut step = Step::of(&[2.0, 2.0]);
    (step.v[1], step.v[4]) = (-4.0, -1e-18);
    step.touches = [1, 2].map(|k| Touch { restitution: 0.5, friction: 0.0, ..Touch::floor(k, 2) }).into();
    let answer = step.answer(0.0, &[12.0, 0.0, 6e-18, 0.0], &[]);
    assert!(answer.v[4] > 1e-18, "{:?}", answer.v);
    for words in [&["impact-law=poisson"][..], &[]] {
        let found = step.judge_impact(words, &answer).findings;
        for criterion in [Bounce, Dead, Approach] {
            assert!(
                found.of(criterion).value < 1e-9,
                "{words:?}: {criterion:?} {}",
                found.of(criterion).value
            );
        }
    }
}

/// Friction of compression may end up along the slip, that of decompression may not: a third of μ p_n at e = 0.5.
#[test]
fn friction_of_two_phases_does_not_turn_the_slip_round() {
    let (mut step, words) = (falls(0.5), ["impact-law=poisson"]);
    step.v[0] = 1.0;
    is_clean(&step.judge_impact(&words, &step.answer(0.0, &[12.0, 2.0], &[])));
    has_only(&step.judge_impact(&words, &step.answer(0.0, &[12.0, 4.0], &[])), Friction, 0.641 - 1.0 / 3.0);
}

/// A limit that stops its joint: nothing struck it.
#[test]
fn nothing_has_an_impulse_where_nothing_is_struck() {
    let mut step = Step::of(&[2.0]);
    step.v[0] = -0.5;
    step.bars = vec![Bar { row: vec![1.0, 0.0, 0.0], rate: 0.0, bounds: [0.0, f64::INFINITY] }];
    has_only(&step.judge_impact(&[], &step.answer(0.0, &[], &[1.0])), Struck, 0.5);
}

/// A limit 0.1 m away stopped its joint in every impact, and dry friction had h τ in each.
#[test]
fn limits_that_are_not_reached_and_dry_friction_have_no_part_in_an_impact() {
    let struck = |rate: f64, bounds: [f64; 2], words: &[&str]| {
        let mut step = falls(0.0);
        step.v[0] = -0.5;
        step.bars = vec![Bar { row: vec![1.0, 0.0, 0.0], rate, bounds }];
        step.judge_impact(words, &step.answer(0.0, &[12.0, 0.0], &[1.0])).findings.of(Struck).value
    };
    let (limit, dry) = ([0.0, f64::INFINITY], [-1.0, 1.0]);
    for words in [&[][..], &["impact-law=poisson"]] {
        assert_eq!(struck(0.0, limit, words), 0.0, "one that is reached stops its joint");
        assert!(struck(10.0, limit, words) > 0.1 && struck(0.0, dry, words) > 0.1, "{words:?}");
    }
    // And what has no impulse there is let go on.
    let mut step = falls(0.0);
    step.v[0] = -0.5;
    step.bars = vec![Bar { row: vec![1.0, 0.0, 0.0], rate: 10.0, bounds: limit }];
    is_clean(&step.judge_impact(&[], &step.answer(0.0, &[12.0, 0.0], &[0.0])));
}

/// A solver's last digits at a disc that leaves anyway, beside a disc that bounces, are no bounce.
#[test]
fn rounding_beside_an_impact_is_no_blow() {
    let mut step = Step::of(&[2.0, 2.0]);
    (step.v[1], step.v[4]) = (-4.0, 1.0);
    step.touches = [1, 2].map(|k| Touch { restitution: 0.5, friction: 0.4, ..Touch::floor(k, 2) }).into();
    for words in [&[][..], &["impact-law=poisson"]] {
        let dust = step.judge_impact(words, &step.answer(0.0, &[12.0, 0.0, 1e-12, 1e-13], &[]));
        for criterion in [Bounce, Dead, Approach, Friction, Cone] {
            assert!(dust.findings.of(criterion).value < 1e-9, "{words:?}: {criterion:?}");
        }
        let blow = step.judge_impact(words, &step.answer(0.0, &[12.0, 0.0, 1e-3, 0.0], &[]));
        assert!(blow.findings.of(Bounce).value > 1e-5, "{words:?}");
    }
}

/// Laws of positions bounce within the step that closes the gap: 2 m/s of 5 m/s are missing.
#[test]
fn restitution_is_owed_within_a_step_too() {
    let step = falls(0.0);
    is_clean(&step.judge(&[], &step.solve(&[14.0, 0.0], &[])));
    has_only(&step.judge(&[], &step.solve(&[10.0, 0.0], &[])), Dead, 0.4);
    // It does not close within the step.
    let mut far = falls(0.0);
    far.touches[0].gap = 0.45;
    is_clean(&far.judge(&[], &far.solve(&[1.0, 0.0], &[])));
}

/// A quasi-dynamic disc forgets its velocity, and what it owed of that was refused as missing.
#[test]
fn what_forgets_its_velocity_owes_no_bounce() {
    let step = falls(0.0);
    let forgotten = {
        let mut rests = step.clone();
        rests.v[1] = 0.0;
        rests.solve(&[2.0, 0.0], &[])
    };
    let answer = Answer { motion: vec![MotionModel::QuasiDynamic as u8], ..forgotten };
    for law in ["law=position", "law=velocity"] {
        let found = step.judge(&["motion=quasi-dynamic", law], &answer).findings;
        for criterion in [Dead, Distance, Approach] {
            assert!(found.of(criterion).value < 1e-9, "{law}: {criterion:?} {}", found.of(criterion).value);
        }
    }
    // In an impact everything has its mass, and no velocity from before to return.
    let stops = step.answer(0.0, &[8.0, 0.0], &[]);
    is_clean(&step.judge_impact(&["motion=quasi-dynamic"], &stops));
    has_only(&step.judge_impact(&[], &stops), Dead, 0.5);
}

/// A force that overlap gives has no impulse within no time.
#[test]
fn soft_contacts_have_no_impacts() {
    let mut step = falls(0.0);
    step.touches[0].soft = [1e4, 0.0, 0.0];
    let hit = step.answer(0.0, &[8.0, 0.0], &[]);
    assert!(step.judge_impact(&["law=regularized"], &hit).findings.of(ForceLaw).value > 0.1);
    assert!(step.judge_impact(&["law=layers"], &hit).findings.of(ForceLaw).value > 0.1);
    assert_eq!(step.judge_impact(&[], &hit).findings.of(ForceLaw).value, 0.0);
}

/// Two sides that press against each other stop what slides between them, and nothing has struck.
#[test]
fn an_impact_needs_an_approach() {
    let mut step = Step::of(&[2.0]);
    step.v[1] = -1.0;
    let mut side = Touch::floor(1, 1);
    side.rows = vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0]];
    let mut other = side.clone();
    other.rows = vec![vec![-1.0, 0.0, 0.0], vec![0.0, -1.0, 0.0]];
    step.touches = vec![side, other];
    let squeezed = step.answer(0.0, &[2.0, 1.0, 2.0, -1.0], &[]);
    has_only(&step.judge_impact(&[], &squeezed), Idle, 1.0);
    step.v[0] = -0.1;
    let struck = step.answer(0.0, &[2.2, 1.0, 2.0, -1.0], &[]);
    assert_eq!(step.judge_impact(&[], &struck).findings.of(Idle).value, 0.0);
}

/// A stepper that ignores restitution owes none, and may give none: any bounce up to e passed.
#[test]
fn where_restitution_is_ignored_nothing_bounces() {
    let ignores = || {
        let mut referee = referee(1, &[]);
        referee.declared.restitution = None;
        referee
    };
    let step = falls(0.0);
    is_clean(&step.judge(&[], &step.solve(&[14.0, 0.0], &[])));
    is_clean(&step.judge_by(&mut ignores(), &step.solve(&[10.0, 0.0], &[])));
    let found = step.judge_by(&mut ignores(), &step.solve(&[14.0, 0.0], &[])).findings;
    assert!(found.of(Distance).value > 0.1 && found.of(Created).value > 0.01, "{found:?}");
    let view = |answer: &Answer| {
        step.view(|view| ignores().judge_impact(view, &answer.update(&step)).unwrap()).findings
    };
    let hit = view(&step.answer(0.0, &[12.0, 0.0], &[])).of(Bounce).value;
    assert!(hit > 0.1, "{hit}");
    assert!(view(&step.answer(0.0, &[8.0, 0.0], &[])).of(Bounce).value < 1e-9);
}
