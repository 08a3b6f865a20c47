//! Energy that contacts and joints create, as a part of what flowed.

use vinci_core::referee::Criterion::Created;

use super::common::{Bar, Step, Touch, has, is_clean, referee};

fn rest(mass: f64) -> Step {
    let mut step = Step::of(&[mass]);
    step.touches.push(Touch::floor(1, 1));
    step
}

/// p_n ν⁺ where nothing approached; half of what is beyond restitution where something did.
#[test]
fn contacts_give_no_energy() {
    let step = rest(2.0);
    has(&step.judge(&[], &step.solve(&[3.0, 0.0], &[])), Created, 1.5 / 6.5085);
    let mut falls = rest(2.0);
    (falls.v[1], falls.touches[0].restitution) = (-4.0, 0.5);
    is_clean(&falls.judge(&[], &falls.solve(&[14.0, 0.0], &[])));
    has(&falls.judge(&[], &falls.solve(&[16.0, 0.0], &[])), Created, 8.0 / 202.14);
}

/// Both bodies of a contact have what it gives: the work of a force on the first is no excuse for the second.
#[test]
fn a_contact_gives_to_both_of_its_bodies() {
    let mut step = Step::of(&[2.0, 2.0]);
    step.force = vec![1000.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    step.touches.push(Touch::stacked(1, 2));
    let created = step.judge(&[], &step.solve(&[3.0, 0.0], &[])).findings.of(Created);
    assert!(created.at == 1 && created.value > 0.1, "{created:?}");
}

/// What lifts a body by 1e-4 of its size is nothing: 1e-3 J.
#[test]
fn energy_stands_against_a_lift() {
    let mut step = rest(2.0);
    step.h = 1e-4;
    has(&step.judge(&[], &step.solve(&[0.1, 0.0], &[])), Created, 0.0049 / 0.0109);
}

#[test]
fn joints_give_no_energy() {
    let mut step = Step::of(&[2.0]);
    step.bars = vec![Bar { row: vec![1.0, 0.0, 0.0], rate: 0.0, bounds: [f64::NEG_INFINITY, f64::INFINITY] }];
    has(&step.judge(&[], &step.solve(&[], &[1.0])), Created, 0.25 / 2.501);
}

/// Two discs that fly with 100 m/s, joined to each other: their joint drives them apart. What flowed through each counts for both.
#[test]
fn flying_together_is_no_excuse() {
    let mut step = Step::of(&[2.0, 2.0]);
    (step.v[0], step.v[3]) = (100.0, 100.0);
    let row = vec![1.0, 0.0, 0.0, -1.0, 0.0, 0.0];
    step.bars = vec![Bar { row, rate: 0.0, bounds: [f64::NEG_INFINITY, f64::INFINITY] }];
    has(&step.judge(&[], &step.solve(&[], &[1.0])), Created, 0.5 / 6.001);
}

/// What many steps create is summed up: a joint that gives and takes by turns gives nothing.
#[test]
fn the_sum_over_the_run_counts() {
    let gives = |p: f64, v: f64| {
        let mut step = Step::of(&[2.0]);
        step.v[0] = v;
        let (row, bounds) = (vec![1.0, 0.0, 0.0], [f64::NEG_INFINITY, f64::INFINITY]);
        step.bars = vec![Bar { row, rate: 0.0, bounds }];
        let answer = step.solve(&[], &[p]);
        (step, answer)
    };
    let mut referee = referee(1, &[]);
    let (first, answer) = gives(-1.0, 0.5);
    first.judge_by(&mut referee, &answer);
    first.contacts(|contacts| referee.commit(contacts, &[0.0; 6]));
    assert!((referee.memory.accounts()[0].joints + 0.25).abs() < 1e-12);
    let (second, answer) = gives(1.0, 0.0);
    assert!(second.judge_by(&mut referee, &answer).findings.of(Created).value < 1e-12);
}

/// A spring that is too stiff for the step: it takes 1 J and gives 9 J.
#[test]
fn springs_throw_nothing() {
    let mut step = rest(2.0);
    step.v[1] = -1.0;
    let touch = &mut step.touches[0];
    (touch.gap, touch.friction, touch.soft) = (-0.01, 0.0, [1e4, 0.0, 0.0]);
    let words = ["law=regularized", "coupling=one-way"];
    let thrown = step.judge(&words, &step.solve(&[10.0, 0.0], &[]));
    assert!(thrown.findings.of(Created).value > 0.1, "{:?}", thrown.findings.of(Created));
    // As long as it is deformed it may give back what it took.
    step.touches[0].soft[0] = 100.0;
    is_clean(&step.judge(&words, &step.solve(&[0.1, 0.0], &[])));
}
