//! Contacts as they were detected: overlap, tolerances, gaps that no motion explains, pressed contacts that are gone.

use vinci_core::contact::Contacts;
use vinci_core::referee::Criterion::{Deformation, GapJump, Overlap, Repeated, Tolerance, Vanished};
use vinci_core::referee::{Referee, Report};

use super::common::{Step, Touch, has_only, is_clean, of, referee};

/// The static disc and the moving one.
const POSES: [f64; 6] = [0.0; 6];

fn at(gap: f64) -> Step {
    let mut step = Step::of(&[2.0]);
    step.touches.push(Touch { gap, ..Touch::floor(1, 1) });
    step
}

fn detect(referee: &Referee, step: &Step, poses: &[f64], margin: f64) -> Report {
    let mut report = Report::default();
    step.contacts(|contacts: &Contacts<'_>| {
        referee.judge_detection(contacts, (poses, &[0.0, margin]), &mut report);
    });
    report
}

/// The moving disc is 1 m thick.
#[test]
fn overlap_is_a_part_of_the_thinner_body() {
    let rigid = referee(1, &[]);
    has_only(&detect(&rigid, &at(-0.05), &POSES, 0.0), Overlap, 0.05);
    is_clean(&detect(&rigid, &at(0.05), &POSES, 0.0));
    let mut soft = at(-0.05);
    soft.touches[0].soft[0] = 1000.0;
    has_only(&detect(&rigid, &soft, &POSES, 0.0), Overlap, 0.05);
    has_only(&detect(&referee(1, &["law=layers"]), &soft, &POSES, 0.0), Deformation, 0.05);
}

/// Where every contact has the stiffness of its pair, two at one place are one that is twice as stiff.
#[test]
fn no_place_is_reported_twice() {
    let mut twice = at(-0.01);
    twice.touches[0].soft[0] = 1000.0;
    twice.touches.push(twice.touches[0].clone());
    let detect = |words: &[&str], step: &Step| of(&detect(&referee(1, words), step, &POSES, 0.0), Repeated);
    assert_eq!(detect(&["law=regularized"], &twice), 1.0);
    assert_eq!(detect(&[], &twice), 0.0);
    // Alternatives may stand at one place.
    twice.touches[1].group = 1;
    assert_eq!(detect(&["law=regularized"], &twice), 0.0);
}

#[test]
fn gaps_that_count_as_closed_are_small_against_the_bodies() {
    let words = ["law=velocity", "contact-tolerance=0.1"];
    has_only(&detect(&referee(1, &words), &at(0.09), &POSES, 0.0), Tolerance, 0.05);
    is_clean(&detect(&referee(1, &words), &at(0.11), &POSES, 0.0));
    has_only(&detect(&referee(1, &["resting-gap=0.1"]), &at(0.09), &POSES, 0.0), Tolerance, 0.05);
    is_clean(&detect(&referee(1, &["resting-gap=0.04"]), &at(0.03), &POSES, 0.0));
}

/// A referee that has seen a step at this gap, and what the contact did in it.
fn seen(gap: f64, p: f64) -> Referee {
    let (step, mut referee) = (at(gap), referee(1, &[]));
    step.judge_by(&mut referee, &step.solve(&[p, 0.0], &[]));
    step.contacts(|contacts| referee.commit(contacts, &POSES));
    referee
}

#[test]
fn gaps_change_by_no_more_than_the_bodies_move() {
    let moved = [0.0, 0.0, 0.0, 0.0, -0.1, 0.0];
    is_clean(&detect(&seen(0.2, 0.0), &at(0.1), &moved, 0.0));
    has_only(&detect(&seen(0.2, 0.0), &at(0.05), &moved, 0.0), GapJump, 0.05);
    has_only(&detect(&seen(0.2, 0.0), &at(0.35), &moved, 0.0), GapJump, 0.05);
    // A turn of 0.02 rad moves points within 2.7 m by 0.054 m.
    let turned = [0.0, 0.0, 0.0, 0.0, 0.0, 0.02];
    is_clean(&detect(&seen(0.2, 0.0), &at(0.15), &turned, 0.0));
    has_only(&detect(&seen(0.2, 0.0), &at(0.1), &turned, 0.0), GapJump, 0.1 - 0.054);
}

#[test]
fn pressed_contacts_do_not_vanish() {
    let nothing = Step::of(&[2.0]);
    has_only(&detect(&seen(0.0, 2.0), &nothing, &POSES, 0.1), Vanished, 0.1);
    is_clean(&detect(&seen(0.0, 0.0), &nothing, &POSES, 0.1));
    let away = [0.0, 0.0, 0.0, 0.0, 0.11, 0.0];
    is_clean(&detect(&seen(0.0, 2.0), &nothing, &away, 0.1));
}
