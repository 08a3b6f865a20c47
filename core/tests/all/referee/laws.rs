//! Declared laws: a word exchanges a check for another one.

use vinci_core::referee::Criterion::{Approach, Deformation, Distance, Evaluated, ForceLaw, Positions};
use vinci_core::referee::{Began, Declaration, Report};

use super::common::{Answer, Step, Touch, has, has_only, is_clean, referee};

fn rest(gap: f64) -> Step {
    let mut step = Step::of(&[2.0]);
    step.touches.push(Touch { gap, ..Touch::floor(1, 1) });
    step
}

#[test]
fn laws_of_velocities_hold_contacts_within_their_tolerance() {
    let words = ["law=velocity", "contact-tolerance=0.01"];
    is_clean(&rest(0.005).judge(&words, &rest(0.005).solve(&[2.0, 0.0], &[])));
    has_only(&rest(0.005).judge(&words, &rest(0.005).solve(&[0.0, 0.0], &[])), Approach, 0.95);
    // Beyond it nothing presses, and everything may approach.
    has_only(&rest(0.02).judge(&words, &rest(0.02).solve(&[2.0, 0.0], &[])), Distance, 1.0 / 3.0);
    is_clean(&rest(0.02).judge(&words, &rest(0.02).solve(&[0.0, 0.0], &[])));
}

/// A trapezoidal step stops an approach at its end: on the way it has gone half as far as it would, which is no approach.
#[test]
fn laws_of_velocities_look_at_the_end_of_the_step() {
    let mut step = rest(0.0);
    step.v[1] = -1.0;
    let words = ["law=velocity", "contact-tolerance=0.01", "own-positions=0.5"];
    let mut answer = step.solve(&[4.0, 0.0], &[]);
    answer.q = step.q.clone();
    answer.q[1] += 0.5 * step.h * step.v[1];
    is_clean(&step.judge(&words, &answer));
    // Left to the host they are those of v⁺, and not as declared.
    answer.q.clear();
    has(&step.judge(&words, &answer), Positions, 0.25);
}

/// ν_n up to μ |ν_t|: 0.25 m/s where 0.1875 are allowed.
#[test]
fn the_convex_law_lifts_what_slides_by_its_relaxation() {
    let step = Step::slide();
    is_clean(&step.judge(&["law=convex"], &step.solve(&[2.2, 1.1], &[])));
    has(&step.judge(&["law=convex"], &step.solve(&[2.5, 1.25], &[])), Distance, 0.0625);
    has(&step.judge(&[], &step.solve(&[2.2, 1.1], &[])), Distance, 0.1);
}

/// μ (|ν_t⁻| − |ν_t⁺|) = 0.2 m/s.
#[test]
fn what_the_repair_takes_back_may_approach() {
    let step = Step::slide();
    is_clean(&step.judge(&["law=convex", "repair=lagged"], &step.solve(&[1.6, 0.8], &[])));
    has_only(&step.judge(&["law=convex"], &step.solve(&[1.6, 0.8], &[])), Approach, 0.2);
}

/// A row of slack 0.01 m/s presses with 1/(κ s), up to 64 rows of a contact.
#[test]
fn barriers_press_within_their_reach() {
    let step = rest(0.001);
    is_clean(&step.judge(&["law=convex", "barrier=1000"], &step.solve(&[2.0, 0.0], &[])));
    let far = step.judge(&["law=convex", "barrier=10000"], &step.solve(&[2.0, 0.0], &[]));
    has_only(&far, Distance, 0.0068);
}

/// v + (ε/m) p = 0.
#[test]
fn compliance_gives_way_as_declared() {
    let step = rest(0.0);
    let p = 1.0 / 0.505;
    is_clean(&step.judge(&["compliance=0.01"], &step.solve(&[p, 0.0], &[])));
    has_only(&step.judge(&[], &step.solve(&[p, 0.0], &[])), Approach, 0.0099);
}

#[test]
fn a_resting_gap_counts_as_closed() {
    let step = rest(0.005);
    is_clean(&step.judge(&["resting-gap=0.01"], &step.solve(&[2.0, 0.0], &[])));
    has_only(&step.judge(&["resting-gap=0.001"], &step.solve(&[2.0, 0.0], &[])), Distance, 0.05);
}

/// What a referee says of a stepper that looked where the step ends, which is where it began.
fn judge_there(step: &Step, words: &[&str], answer: &Answer) -> Report {
    let began = Began { q: &step.q, evaluated: Some(&step.q), moving: None };
    step.view(|view| referee(1, words).judge(view, &answer.update(step), &began).unwrap())
}

/// h k (δ − h ν) with k = 1000 N/m, δ = 20 mm; friction −μ p_n u.
#[test]
fn regularized_impulses_are_those_of_the_law() {
    let soft = |mut step: Step| {
        (step.touches[0].gap, step.touches[0].soft[0]) = (-0.02, 1000.0);
        step
    };
    for coupling in ["coupling=two-way", "coupling=one-way", "coupling=end"] {
        let words = ["law=regularized", "stiction-velocity=1e-5", coupling];
        let (rest, slide) = (soft(rest(0.0)), soft(Step::slide()));
        is_clean(&judge_there(&rest, &words, &rest.solve(&[2.0, 0.0], &[])));
        is_clean(&judge_there(&slide, &words, &slide.solve(&[2.0, 1.0], &[])));
        has_only(&judge_there(&slide, &words, &slide.solve(&[2.0, 0.5], &[])), ForceLaw, 0.5 / 4.5);
    }
    let words = ["law=regularized", "stiction-velocity=1e-5"];
    let rest = soft(rest(0.0));
    has_only(&judge_there(&rest, &words, &rest.solve(&[2.2, 0.0], &[])), ForceLaw, 1.2 / 3.2);
}

/// The same layer, whose tangent gives way by h σ: p_t = h k (h σ), σ against the slip.
#[test]
fn layers_have_the_force_of_their_deformation() {
    let words = ["law=layers", "own-slip-rate", "tangential-ratio=1"];
    let mut step = rest(-0.02);
    step.touches[0].soft[0] = 1000.0;
    is_clean(&step.judge(&words, &step.solve(&[2.0, 0.0], &[])));
    has(&step.judge(&words, &step.solve(&[2.2, 0.0], &[])), ForceLaw, 1.2 / 3.2);
    step.v[0] = 0.3;
    let mut sticks = step.solve(&[2.0, 0.5], &[]);
    sticks.slip_rate = vec![0.05];
    has_only(&step.judge(&words, &sticks), Deformation, 0.005);
    let mut lies = step.solve(&[2.0, 0.25], &[]);
    lies.slip_rate = vec![0.175];
    has(&step.judge(&words, &lies), ForceLaw, 1.5 / (2.0 + 1.0 / WEIGHT));
}

/// A node that gives way under its own force by half more has two thirds of its stiffness: F λ = 1.5/1500 · 20 N = 0.02 m.
#[test]
fn coupled_layers_have_the_force_of_their_deformation() {
    let words = ["law=layers", "own-slip-rate", "layer-coupling=0.5"];
    let mut step = rest(-0.02);
    step.touches[0].soft[0] = 1500.0;
    is_clean(&step.judge(&words, &step.solve(&[2.0, 0.0], &[])));
    assert!(step.judge(&words, &step.solve(&[2.2, 0.0], &[])).findings.of(ForceLaw).value > 0.01);
    // Without the coupling it is another law.
    assert!(step.judge(&words[..2], &step.solve(&[2.0, 0.0], &[])).findings.of(ForceLaw).value > 0.01);
}

/// K of a node gives the force by itself, whatever the pair's stiffness; what is no such matrix declares nothing.
#[test]
fn layers_with_a_matrix_have_its_forces() {
    let words = |matrix: &'static str| ["law=layers", "own-slip-rate", matrix];
    let mut step = rest(-0.02);
    step.touches[0].soft[0] = 5000.0;
    let given = words("layer-matrix=[[1000,0],[0,1000]]");
    is_clean(&step.judge(&given, &step.solve(&[2.0, 0.0], &[])));
    assert!(step.judge(&given, &step.solve(&[2.2, 0.0], &[])).findings.of(ForceLaw).value > 0.01);
    for none in ["layer-matrix=1", "layer-matrix=[[1,2],[2,1]]", "layer-matrix=[[1]]"] {
        let read = Declaration::read(&words(none).map(str::to_owned), |_| None);
        assert_eq!(read.unknown, [none]);
    }
}

/// Of the tangent above: 2 kg, 0.25 N s of change, 2 N s of pressure.
const WEIGHT: f64 = 1.0 / (0.25 + 2.0);

/// k δ = 100 N over 0.1 s.
#[test]
fn contacts_of_the_end_are_looked_at_there() {
    let mut step = rest(-0.01);
    step.touches[0].soft = [1e4, 0.0, 0.0];
    step.touches[0].friction = 0.0;
    let answer = step.solve(&[10.0, 0.0], &[]);
    has(&step.judge(&["law=regularized", "coupling=end"], &answer), Evaluated, 1.0);
    assert_eq!(
        step.judge(&["law=regularized", "coupling=one-way"], &answer).findings.of(Evaluated).value,
        0.0
    );
}
