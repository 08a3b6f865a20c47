//! Rows that are no contacts, and support points.

use vinci_core::model::DofRole;
use vinci_core::referee::Criterion::{Cone, Friction, Row};

use super::common::{Answer, Bar, Step, has, has_only, is_clean};

const FREE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// A row along x of a disc of 2 kg with the velocity v.
fn bar(v: f64, rate: f64, bounds: [f64; 2]) -> Step {
    let mut step = Step::of(&[2.0]);
    step.v[0] = v;
    step.bars = vec![Bar { row: vec![1.0, 0.0, 0.0], rate, bounds }];
    step
}

#[test]
fn joints_hold() {
    let step = bar(1.0, 0.0, FREE);
    is_clean(&step.judge(&[], &step.solve(&[], &[-2.0])));
    has_only(&step.judge(&[], &step.solve(&[], &[-1.0])), Row, 0.5);
    // And take back what they are off by.
    let step = bar(1.0, 0.5, FREE);
    is_clean(&step.judge(&[], &step.solve(&[], &[-3.0])));
    has(&step.judge(&[], &step.solve(&[], &[-2.0])), Row, 0.5 / 1.5);
}

#[test]
fn limits_push_and_stop() {
    let step = bar(-1.0, 0.0, [0.0, f64::INFINITY]);
    is_clean(&step.judge(&[], &step.solve(&[], &[2.0])));
    has_only(&step.judge(&[], &step.solve(&[], &[0.0])), Row, 1.0);
    has_only(&step.judge(&[], &step.solve(&[], &[3.0])), Row, 0.5);
    let pulled = bar(1.0, 0.0, [0.0, f64::INFINITY]);
    has_only(&pulled.judge(&[], &pulled.solve(&[], &[-2.0])), Row, 0.5);
}

#[test]
fn dry_friction_is_whole_and_bounded() {
    let step = bar(1.0, 0.0, [-1.0, 1.0]);
    is_clean(&step.judge(&[], &step.solve(&[], &[-1.0])));
    has_only(&step.judge(&[], &step.solve(&[], &[-1.5])), Row, 0.5 / 1.3);
    has_only(&step.judge(&[], &step.solve(&[], &[-0.5])), Row, 0.5 / 1.1);
    let back = bar(-1.0, 0.0, [-1.0, 1.0]);
    has_only(&back.judge(&[], &back.solve(&[], &[1.5])), Row, 0.5 / 1.3);
}

/// A support point at the centre with a bound of 10 N: 1 N s over the step.
#[test]
fn support_points_rub_as_much_as_their_load_allows() {
    let mut step = Step::of(&[2.0]);
    (step.v[0], step.force[1], step.supports) = (1.0, 0.0, vec![10.0]);
    let rubs = |p: f64| {
        let mut answer: Answer = step.solve(&[], &[]);
        answer.v[0] += p / 2.0;
        answer.support_impulse[0] = p;
        step.judge(&[], &answer)
    };
    is_clean(&rubs(-1.0));
    has_only(&rubs(-0.5), Friction, 0.375 / 0.76);
    has_only(&rubs(-1.5), Cone, 0.5);
}

/// Nothing gives way to a driven disc, but its drive has the force of its dry friction.
#[test]
fn dry_friction_of_what_is_driven_is_whole() {
    let mut step = bar(1.0, 0.0, [-0.5, 0.5]);
    (step.role, step.command) = (vec![DofRole::Prescribed as u8; 3], vec![1.0, 0.0, 0.0]);
    let judge = |p: f64| step.judge(&[], &Answer { v: vec![1.0, 0.0, 0.0], ..step.solve(&[], &[p]) });
    is_clean(&judge(-0.5));
    has_only(&judge(0.0), Row, 1.0);
    has_only(&judge(-5.0), Row, 9.0);
}
