//! The quasi-static MIQP stepper (Pang and Tedrake 2018) on the gripper of the paper, and on grasps in space.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value, json};
use vinci_abi::Role;
use vinci_core::StageError;
use vinci_core::error::ErrorKind;
use vinci_core::problem::{Conic, Problem, QpccBuf, Solution, Status, proves_no_mode};
use vinci_core::stage::{Solver, StepView, Stepper, Update, Verdict};
use vinci_engine::pipeline::{Simulation, StepFailure};
use vinci_tests::experiment::{ground, planar, set, shipped, timed};
use vinci_tests::house;
use vinci_tests::run::{Run, run, simulation, try_run};

const G: f64 = 9.81;
const H: f64 = 0.01;

/// The gripper with options of the stepper.
fn gripper(options: Value) -> Value {
    set(&shipped("gripper-2d-miqp"), "/stepper/options", options)
}

/// Height of the cylinder at the end of step k.
fn height(run: &Run, k: usize) -> f64 {
    run.moments[k].q[run.at_q("cylinder") + 1]
}

/// Place of a finger's inner face at the end of step k, (left, right).
fn faces(run: &Run, k: usize) -> (f64, f64) {
    let q = &run.moments[k].q;
    (q[run.at_q("left")] + 0.01, q[run.at_q("right")] - 0.01)
}

/// Least normal force of two fingers that slide along the cylinder in equilibrium with the table: of all 2 μ N + R = m g
/// the N with the smallest sum of squares 2 N² + 2 (μ N)² + R².
fn least_force() -> f64 {
    0.5 * G / (1.0 + 3.0 * 0.5 * 0.5)
}

/// Normal force between the cylinder and a body in step k, N.
fn force(run: &Run, k: usize, body: &str) -> f64 {
    let m = &run.moments[k];
    m.touches.iter().filter(|t| t.a == body || t.b == body).map(|t| t.p_n / m.h).sum()
}

#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected} to {tolerance:e}");
}

/// V-A: fingers touch at the end of step 20, lift the cylinder by 1 mm per step from step 21 to 39, and let it go at
/// once. Every round of every step was certified, or the run would have ended.
#[test]
fn the_gripper_lifts_and_lets_go() {
    let run = run(&shipped("gripper-2d-miqp"));
    assert_eq!(run.moments.len(), 61);
    for k in 0..=60 {
        let (left, right) = faces(&run, k);
        let closed = 0.07 - 0.001 * k.min(20) as f64 + 0.001 * k.saturating_sub(39) as f64;
        near(left, -closed, 1e-9);
        near(right, closed, 1e-9);
        let lifted = if (21..40).contains(&k) { 0.001 * (k - 20) as f64 } else { 0.0 };
        near(height(&run, k), 0.05 + lifted, 1e-9);
        near(run.moments[k].q[run.at_q("cylinder")], 0.0, 1e-9);
        // The paper's gripper has one height for both fingers; with one each they rise alike, as commanded.
        let rise = 0.1 + 0.001 * k.min(39) as f64;
        ["left", "right"].iter().for_each(|f| near(run.moments[k].q[run.at_q(f) + 1], rise, 1e-9));
    }
    // In step 20 the gaps close to rounding, and whether the fingers may already carry hangs on that.
    for k in (1..=60).filter(|&k| k != 20) {
        let squeezed = (21..40).contains(&k);
        for finger in ["left", "right"] {
            // K times the hypothetical penetration, 1e4 N/m · 1 mm, and no more than that.
            near(force(&run, k, finger), if squeezed { 10.0 } else { 0.0 }, 1e-6);
        }
        near(force(&run, k, "ground"), if squeezed { 0.0 } else { G }, 1e-6);
    }
}

/// As far as the commands can be followed they are: h |v − v̄| is 1 mm per finger while squeezing, and nothing else.
#[test]
fn only_the_squeeze_deviates_from_the_commands() {
    let mut simulation = simulation(&shipped("gripper-2d-miqp"));
    let driven = simulation.may_deviate().to_vec();
    assert_eq!(driven, [3, 4, 6, 7], "x and y of both fingers; what is locked is not driven");
    for k in 1..=60 {
        simulation.advance_to(simulation.next_grid_time()).unwrap();
        let last = simulation.last();
        near(
            vinci_engine::pipeline::deviation(&last, &driven),
            if (21..40).contains(&k) { 1e-3 } else { 0.0 },
            1e-11,
        );
        assert_eq!([last.v[2], last.v[5], last.v[8]], [0.0; 3], "locked");
    }
}

/// Leaves one finger where it is, whatever its command, and says that commands may be deviated from.
struct Idle(Box<dyn Stepper>, Vec<f64>);

impl Stepper for Idle {
    fn formulate<'s>(&'s mut self, step: &StepView<'_>) -> Result<Problem<'s>, StageError> {
        self.0.formulate(step)
    }

    fn update<'s>(
        &'s mut self,
        step: &StepView<'_>,
        solution: &Solution<'_>,
    ) -> Result<Update<'s>, StageError> {
        let update = self.0.update(step, solution)?;
        self.1 = update.v.to_vec();
        if update.verdict == Verdict::Accept {
            self.1[3] = 0.0;
        }
        Ok(Update { v: &self.1, ..update })
    }
}

/// The capability `deviates` switched the check of drives off: a finger that touches nothing could ignore its command.
#[test]
fn a_driven_finger_that_nothing_holds_may_not_stay_behind() {
    let mut simulation = simulation(&shipped("gripper-2d-miqp"));
    wrap(&mut simulation, |inner| Box::new(Idle(inner, Vec::new())));
    let failure = simulation.advance_to(simulation.next_grid_time()).expect_err("its finger is 20 mm away");
    let expected = "the stepper moves `left`, velocity `vx`, at 0 where 0.1 is prescribed";
    assert!(failure.to_string().contains(expected), "{failure}");
}

/// Writes down what a stepper formulates, with the round.
struct Spy {
    inner: Box<dyn Stepper>,
    seen: Rc<RefCell<Vec<(u64, u32, QpccBuf)>>>,
}

impl Stepper for Spy {
    fn formulate<'s>(&'s mut self, step: &StepView<'_>) -> Result<Problem<'s>, StageError> {
        let problem = self.inner.formulate(step)?;
        let Problem::Qpcc(qpcc) = problem else { panic!("another class") };
        self.seen.borrow_mut().push((step.step + 1, step.pass, QpccBuf::copy_of(&qpcc)));
        Ok(problem)
    }

    fn update<'s>(
        &'s mut self,
        step: &StepView<'_>,
        solution: &Solution<'_>,
    ) -> Result<Update<'s>, StageError> {
        let update = self.inner.update(step, solution)?;
        assert_eq!(update.reason, "", "the last objective's answer is taken");
        Ok(update)
    }
}

/// Puts something around the stepper of a simulation.
fn wrap(simulation: &mut Simulation, around: impl FnOnce(Box<dyn Stepper>) -> Box<dyn Stepper>) {
    struct Nothing;
    impl Stepper for Nothing {
        fn formulate<'s>(&'s mut self, _: &StepView<'_>) -> Result<Problem<'s>, StageError> {
            Err(StageError::unsupported("a place holder"))
        }
        fn update<'s>(&'s mut self, _: &StepView<'_>, _: &Solution<'_>) -> Result<Update<'s>, StageError> {
            Err(StageError::unsupported("a place holder"))
        }
    }
    simulation.stepper = around(std::mem::replace(&mut simulation.stepper, Box::new(Nothing)));
}

/// The problems (step, round, problem) of the first steps of an experiment, and how the run ended.
fn problems(experiment: &Value, steps: u64) -> (Vec<(u64, u32, QpccBuf)>, Option<StepFailure>) {
    let mut simulation = simulation(experiment);
    let seen = Rc::new(RefCell::new(Vec::new()));
    wrap(&mut simulation, |inner| Box::new(Spy { inner, seen: Rc::clone(&seen) }));
    let failure = (0..steps).find_map(|_| simulation.advance_to(simulation.next_grid_time()).err());
    let seen = seen.borrow().clone();
    (seen, failure)
}

/// Rows of the first round against (24)–(28): x = [v_c (2), v_l (2), v_r (2), per contact p_n, p_f1, p_f2, σ] with the
/// contacts in the order table, left, right.
#[test]
fn the_first_problem_is_the_one_of_the_paper() {
    let (seen, failure) = problems(&gripper(json!({})), 1);
    assert!(failure.is_none());
    let problem = seen[0].2.view();
    let qp = &problem.qp;
    assert_eq!((qp.n(), problem.n_pairs()), (6 + 3 * 4, 12), "N = 2 n_c + n_d");
    let dense = |i: usize| {
        let mut row = vec![0.0; qp.n()];
        qp.rows.entries(i).for_each(|(j, a)| row[j] += a);
        row
    };
    // Balance: p_n of the table carries, p_n of the fingers push apart, friction of the fingers acts along y.
    let (p, n) = (|contact: usize, k: usize| 6 + 4 * contact + k, qp.n());
    let (bx, by) = (dense(0), dense(1));
    near(qp.g[1], G * H, 1e-15);
    assert_eq!((bx[p(0, 0)], by[p(0, 0)]), (0.0, -1.0));
    assert_eq!((bx[p(1, 0)].abs(), by[p(1, 0)]), (1.0, 0.0));
    assert_eq!(bx[p(1, 0)], -bx[p(2, 0)]);
    for contact in 1..3 {
        assert_eq!(
            (bx[p(contact, 1)], by[p(contact, 1)].abs(), by[p(contact, 1)]),
            (0.0, 1.0, -by[p(contact, 2)])
        );
    }
    // Pairs: (φ, p_n), (ρ, p_f) twice and (s, σ) of every contact. Gap rows may be divided by a positive factor.
    let gaps = [0.0, 0.02, 0.02];
    let j_n: [[f64; 6]; 3] =
        [[0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [1.0, 0.0, -1.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0, 1.0, 0.0]];
    for contact in 0..3 {
        let pairs: Vec<_> =
            (0..12).filter(|&k| problem.group[k] == contact as u32).map(|k| problem.pair(k)).collect();
        let gap = dense(pairs[0].0);
        let factor = gap.iter().fold(0.0_f64, |m, a| m.max(a.abs()));
        near(qp.g[pairs[0].0] / factor, gaps[contact] / H, 1e-12);
        (0..6).for_each(|j| near(gap[j] / factor, j_n[contact][j], 1e-12));
        for (k, column) in [(0, p(contact, 0)), (1, p(contact, 1)), (2, p(contact, 2)), (3, p(contact, 3))] {
            let single = dense(pairs[k].1);
            (0..n).for_each(|j| assert_eq!(single[j], f64::from(u8::from(j == column)), "pair {k}"));
        }
        // ρ = E σ + J_f v: ±(ẏ_c − ẏ_g) at fingers, ±ẋ_c at the table.
        let (rho, other) = (dense(pairs[1].0), dense(pairs[2].0));
        assert_eq!((rho[p(contact, 3)], other[p(contact, 3)]), (1.0, 1.0));
        (0..6).for_each(|j| assert_eq!(rho[j], -other[j]));
        let (along, finger) = if contact == 0 { (0, None) } else { (1, Some(2 * contact + 1)) };
        assert_eq!(rho[along].abs(), 1.0);
        if let Some(finger) = finger {
            assert_eq!(rho[finger], -rho[along]);
        }
        let s = dense(pairs[3].0);
        assert_eq!((s[p(contact, 0)], s[p(contact, 1)], s[p(contact, 2)]), (0.5, -1.0, -1.0));
    }
    // The objective is ½ |v_a − v̄_a|² without its constant.
    assert_eq!(qp.c[..6], [0.0, 0.0, -0.1, -0.1, 0.1, -0.1]);
    (0..n)
        .for_each(|j| near(qp.p.row_dot(j, &vec![1.0; n]), if (2..6).contains(&j) { 1.0 } else { 0.0 }, 0.0));
}

/// A solver of the house.
fn solver(name: &str) -> impl Solver {
    let registry = house::registry();
    let plugin = registry.find(name, Role::Solver, &house::root()).expect("the plugin is built");
    let simulation = simulation(&shipped("sliding-block"));
    let views = vinci_engine::system_views::SystemViews::new(&simulation.system);
    plugin.create_solver("{}", &views.view()).expect("a solver without options")
}

/// Modes of a planar contact, per pair (φ, ρ_1, ρ_2, s): open, stick, slip along either direction. Side 1: the first row
/// of the pair is zero.
const MODES: [[u8; 4]; 4] = [[2, 2, 2, 1], [1, 1, 1, 2], [1, 1, 2, 1], [1, 2, 1, 1]];

/// Smallest objective over all 64 modes, one convex program each.
fn by_enumeration(problem: &QpccBuf, solver: &mut impl Solver) -> Option<f64> {
    let mut best: Option<f64> = None;
    for code in 0..64_usize {
        let mut qp = problem.qp.clone();
        for k in 0..problem.group.len() {
            let contact = problem.group[k] as usize;
            let at = problem.group[..k].iter().filter(|g| **g as usize == contact).count();
            let side = MODES[code / 4_usize.pow(contact as u32) % 4][at];
            let row = problem.pairs[2 * k + usize::from(side == 2)] as usize;
            qp.upper[row] = 0.0;
        }
        let view = Conic { guess: &[], dual_guess: &[], ..qp.view() };
        let solution = solver.solve(&Problem::Conic(view)).expect("well-formed");
        if solution.status == Status::Converged {
            assert!(view.residual(solution.z, solution.dual).natural <= 1e-8);
            let value = view.objective(solution.z);
            best = Some(best.map_or(value, |b: f64| b.min(value)));
        }
    }
    best
}

/// The commands' objective of every kind of step against full enumeration of the contact modes.
#[test]
fn no_mode_follows_the_commands_better() {
    let (seen, failure) = problems(&gripper(json!({})), 60);
    assert!(failure.is_none());
    let mut qp = solver("active-set");
    let mut bnb = solver("branch-and-bound");
    for step in [1, 19, 20, 21, 22, 39, 40, 41, 60] {
        let (.., problem) = seen.iter().find(|(k, pass, _)| (*k, *pass) == (step, 0)).unwrap();
        let best = by_enumeration(problem, &mut qp).expect("some mode is lawful");
        let solution = bnb.solve(&Problem::Qpcc(problem.view())).unwrap();
        assert_eq!(solution.status, Status::Converged);
        near(problem.view().qp.objective(solution.z), best, 1e-9);
        // ½ |v_a − v̄_a|² is ½ · 2 · 0.1² while squeezing, else 0; its constant is ½ |v̄_a|².
        let constant: f64 = problem.qp.c.iter().map(|c| 0.5 * c * c).sum();
        near(best + constant, if (21..40).contains(&step) { 0.01 } else { 0.0 }, 1e-9);
    }
}

/// Every step is three problems: commands, forces, motion; without the later two there is one.
#[test]
fn the_objectives_come_one_after_the_other() {
    let (seen, _) = problems(&gripper(json!({})), 60);
    assert_eq!(seen.iter().map(|(_, pass, _)| *pass).collect::<Vec<_>>(), [0, 1, 2].repeat(60));
    // What is commanded is held as the first objective left it, to less than the tolerance.
    for rounds in seen.chunks(3) {
        let (first, second) = (rounds[0].2.view(), rounds[1].2.view());
        let bands = first.qp.m()..second.qp.m();
        assert_eq!(bands.len(), 4);
        for width in bands.map(|i| second.qp.upper[i] - second.qp.lower[i]) {
            assert!(width > 0.0 && width <= 0.1 * second.qp.tolerance * second.qp.scale(), "{width:e}");
        }
    }
    let (seen, _) = problems(&gripper(json!({"lexicographic": false})), 60);
    assert_eq!(seen.len(), 60);
}

/// With the least forces and then the least motion the answer is one, wherever the solver begins: to the solver's
/// accuracy. Without them the forces and even the place of the cylinder in step 20 are the solver's choice.
#[test]
fn the_answer_does_not_depend_on_the_guess() {
    let (warm, cold) = (run(&gripper(json!({}))), run(&gripper(json!({"warm_start": false}))));
    for (a, b) in warm.moments.iter().zip(&cold.moments) {
        a.q.iter().zip(&b.q).for_each(|(a, b)| near(*a, *b, 1e-12));
        a.touches.iter().zip(&b.touches).for_each(|(a, b)| near(a.p_n, b.p_n, 1e-9));
    }
    // And the same once more, to the bit.
    let again = run(&gripper(json!({})));
    assert!(warm.moments.iter().zip(&again.moments).all(|(a, b)| a == b));
}

/// V-B: with the last step's hypothetical penetration forces come one step later, and go one step later too.
#[test]
fn the_delayed_bound_lifts_one_step_later() {
    let run = run(&gripper(json!({"squeeze": "delayed"})));
    near(height(&run, 21), 0.05, 1e-9);
    (22..=39).for_each(|k| near(height(&run, k), 0.05 + 0.001 * (k - 21) as f64, 1e-9));
    near(height(&run, 39), 0.068, 1e-9);
    near(force(&run, 21, "left"), least_force(), 1e-6);
    (22..=40).for_each(|k| near(force(&run, k, "left"), 10.0, 1e-6));
    // Step 40 still has the bound of step 39, so that the fingers open from step 41 on.
    near(faces(&run, 40).0, -0.05, 1e-9);
    near(height(&run, 40), 0.068, 1e-9);
    near(height(&run, 41), 0.05, 1e-9);
    near(faces(&run, 41).0, -0.051, 1e-9);
}

/// 2 μ K |φ̄| < m g: the fingers slide along the cylinder, which stays on the table.
#[test]
fn a_soft_squeeze_slips() {
    let slack = run(&gripper(json!({"stiffness": 9e3})));
    (0..=60).for_each(|k| near(height(&slack, k), 0.05, 1e-9));
    for k in 21..40 {
        near(force(&slack, k, "left"), 9.0, 1e-6);
        near(force(&slack, k, "ground"), G - 9.0, 1e-6);
    }
    // Without the bound forces are the least there are: the defect that (22) removes.
    let none = run(&gripper(json!({"squeeze": "none"})));
    (1..=60).for_each(|k| {
        near(height(&none, k), 0.05, 1e-9);
        if k != 20 {
            near(force(&none, k, "left"), if (21..40).contains(&k) { least_force() } else { 0.0 }, 1e-6);
        }
    });
    // A material's own stiffness goes before the option.
    let mut experiment = gripper(json!({"stiffness": 1.0}));
    experiment["scene"]["materials"]["default"]["stiffness"] = 2e4.into();
    let stiff = run(&experiment);
    // Two equal materials in series: K = 1e4 N/m.
    near(height(&stiff, 39), 0.069, 1e-9);
    near(force(&stiff, 30, "left"), 10.0, 1e-6);
}

/// A bound on |v_u| forbids the way back to the table: where nothing else carries, there is no equilibrium.
#[test]
fn a_speed_bound_forbids_the_fall() {
    let run = try_run(&gripper(json!({"speed_bound": 1.0})));
    assert_eq!(run.moments.len(), 61, "the fingers rather stay: {:?}", run.failure.map(|f| f.to_string()));
    near(height(&run, 39), 0.069, 1e-9);
    near(height(&run, 40), 0.069, 1e-9);
    near(faces(&run, 40).0, -0.05, 1e-9);
}

/// p_n ≤ h F: as long as F is what the squeeze asks for (10 N) nothing changes, below it the two contradict one another, by name.
#[test]
fn forces_have_a_bound_above() {
    let bounded = |force: f64| try_run(&gripper(json!({ "force_bound": force })));
    let (run, free) = (bounded(10.0), run(&shipped("gripper-2d-miqp")));
    assert!(run.failure.is_none(), "{:?}", run.failure);
    (0..=60).for_each(|k| near(height(&run, k), height(&free, k), 1e-9));
    let failed = bounded(9.99);
    assert_eq!(failed.moments.len(), 21, "up to the touch");
    let Some(StepFailure::Unsolved { attempts, .. }) = &failed.failure else {
        panic!("it ends otherwise: {:?}", failed.failure)
    };
    assert_eq!(attempts[0].status, Status::Infeasible);
}

/// A force along the table beyond μ m g has no equilibrium: infeasible, with a proof by cases that core checks.
#[test]
fn what_cannot_be_in_equilibrium_is_infeasible() {
    let pushed = |force: f64| {
        let mut experiment = timed(&shipped("gripper-2d-miqp"), 0.01, 0.05);
        experiment["scene"]["bodies"].as_array_mut().unwrap().truncate(2);
        experiment["scene"]["ignore_contacts"] = json!([]);
        set(&experiment, "/scene/bodies/1/dofs/x", json!({ "force": force }))
    };
    assert!(try_run(&pushed(4.9)).failure.is_none());
    let (seen, failure) = problems(&pushed(4.91), 5);
    assert!(failure.is_some());
    let problem = seen.last().unwrap().2.view();
    assert_eq!(seen.last().unwrap().0, 1);
    let mut solver = solver("branch-and-bound");
    let solution = solver.solve(&Problem::Qpcc(problem)).unwrap();
    assert_eq!(solution.status, Status::Infeasible);
    assert!(proves_no_mode(&problem, solution.certificate));
}

/// Nothing under it, nothing beside it: refused before any solve, with body and direction.
#[test]
fn an_unsupported_object_is_named() {
    let mut experiment = shipped("gripper-2d-miqp");
    experiment["scene"]["bodies"][1]["position"] = json!([0, 1.0]);
    let (seen, failure) = problems(&experiment, 1);
    assert!(seen.is_empty());
    let Some(StepFailure::Stage { error, .. }) = failure else { panic!("not refused") };
    assert_eq!(error.kind, ErrorKind::BadModel);
    assert!(error.message.starts_with("body `cylinder` is quasi-static and loaded"), "{error}");
    assert!(error.message.contains("along `y`"), "{error}");
}

/// The delayed bound is part of the saved state: what goes on from a snapshot is what would have come.
#[test]
fn the_delayed_bound_survives_a_restart() {
    let experiment = gripper(json!({"squeeze": "delayed"}));
    let mut whole = Run::of(simulation(&experiment));
    whole.go_on(21);
    let saved = whole.simulation.snapshot();
    whole.go_on(39);
    let mut rest = simulation(&experiment);
    rest.restore(&saved).unwrap();
    let mut rest = Run::of(rest);
    rest.go_on(39);
    assert!(rest.failure.is_none() && whole.failure.is_none());
    assert_eq!(rest.end().q, whole.end().q);
    let mut forgetful = simulation(&experiment);
    let mut without = saved.clone();
    without.plugins[1].clear();
    forgetful.restore(&without).unwrap();
    let mut forgetful = Run::of(forgetful);
    forgetful.go_on(1);
    near(force(&forgetful, 1, "left"), least_force(), 1e-6);
    near(force(&rest, 1, "left"), 10.0, 1e-6);
}

/// Figure 6: with (30) the complementarity problem keeps the cylinder on the table, whether or not the gripper goes on
/// rising; with (29) it has no solution when the fingers touch, which is proved.
#[test]
fn without_an_objective_nothing_is_lifted() {
    let rising = ["/scene/bodies/2/dofs/y/velocity", "/scene/bodies/3/dofs/y/velocity"]
        .iter()
        .fold(shipped("gripper-2d-lcp"), |e, place| set(&e, place, 0.1));
    for (experiment, rise) in [(shipped("gripper-2d-lcp"), 0.02), (rising, 0.06)] {
        let run = run(&experiment);
        for k in 1..=60 {
            near(height(&run, k), 0.05, 1e-12);
            near(force(&run, k, "left") + force(&run, k, "right"), 0.0, 1e-9);
        }
        near(run.end().q[run.at_q("left") + 1], 0.1 + rise, 1e-12);
    }
    let mut experiment = shipped("gripper-2d-lcp");
    experiment["scene"] = shipped("gripper-2d-miqp")["scene"].clone();
    let run = try_run(&experiment);
    assert_eq!(run.moments.len(), 21, "20 steps are made");
    let Some(StepFailure::Unsolved { certificate, squeezed, .. }) = &run.failure else {
        panic!("not unsolved")
    };
    assert!(certificate.is_some());
    let names: Vec<_> = squeezed.iter().map(|s| format!("{} / {}", s.body_a, s.body_b)).collect();
    assert_eq!(names, ["cylinder / left", "cylinder / right"]);
}

/// Table I's sizes: 6 and 12 contacts with 4 directions. The right finger touches first, takes the object along to the
/// left one, both lift it by 25 mm, and it is back at the end.
#[test]
fn grasps_in_space_carry_their_object() {
    for (name, body, contacts) in [("grasp-cylinder-3d", "cylinder", 6), ("grasp-rounded-box-3d", "box", 12)]
    {
        let (seen, failure) = problems(&shipped(name), 1);
        assert!(failure.is_none());
        assert_eq!(seen[0].2.group.len(), 6 * contacts, "{name}: pairs");
        let run = run(&shipped(name));
        assert_eq!(run.moments.len(), 201, "{name}");
        assert!(run.moments[1..].iter().all(|m| m.touches.len() == contacts), "{name}");
        let (x, z) = (run.at_q(body), run.at_q(body) + 2);
        let rest = run.moments[0].q[z];
        for (k, at_x, at_z) in
            [(37, 0.0, 0.0), (40, -1.5e-3, 0.0), (50, -1.5e-3, 0.0), (75, -1.5e-3, 12.5e-3)]
        {
            near(run.moments[k].q[x], at_x, 1e-8);
            near(run.moments[k].q[z] - rest, at_z, 1e-8);
        }
        near(run.moments[100].q[z] - rest, 25e-3, 1e-8);
        near(run.moments[150].q[z] - rest, 0.0, 1e-8);
        near(run.end().q[z] - rest, 0.0, 1e-8);
        // At least K times last step's hypothetical penetration: together 2 · 0.5 mm · 1e4 N/m per contact.
        let (left, right) = (force(&run, 75, "left"), force(&run, 75, "right"));
        assert!(left >= 10.0 - 1e-6 && right >= 5.0 - 1e-6, "{name}: {left} N, {right} N");
        near(left, right, 1e-6);
    }
}

/// A velocity drive commands its value at the middle of the step, exact for formulas linear in time.
#[test]
fn velocity_drives_follow_their_formula() {
    let mut experiment = timed(&shipped("gripper-2d-lcp"), 0.01, 0.1);
    experiment["scene"]["bodies"][2]["dofs"]["y"] = json!({ "velocity": { "expression": "3*t" } });
    experiment["scene"]["bodies"][2]["dofs"]["x"] =
        json!({ "velocity": { "keyframes": [[0, -0.1], [0.1, -0.3]] } });
    let run = run(&experiment);
    let left = run.at_q("left");
    near(run.end().q[left + 1], 0.1 + 1.5 * 0.1 * 0.1, 1e-14);
    near(run.end().q[left], -0.08 - 0.2 * 0.1, 1e-14);
}

/// A planar experiment of 5 steps: bodies, springs and options of the stepper.
fn small(mu: f64, gravity: f64, bodies: Value, springs: Value, options: Value) -> Value {
    let mut scene = planar(mu, 0.0, bodies);
    scene["gravity"] = json!([0, -gravity]);
    scene["springs"] = springs;
    scene["ignore_contacts"] = json!([]);
    let mut experiment = timed(&gripper(options), H, 0.05);
    experiment["scene"] = scene;
    experiment
}

/// Implicit springs make the balance depend on v_u, so that the last objective may not move what hangs on them:
/// k (1 − y − 0.3 m) = m g, y = 0.6019 m.
#[test]
fn what_hangs_on_a_spring_is_in_balance() {
    let ball = json!([
        ground("planar"),
        { "name": "ball", "mass": 1, "shapes": [{ "type": "disc", "radius": 0.05 }], "position": [0, 0.5],
          "dofs": { "angle": "locked", "x": "locked" } },
        { "name": "finger", "mass": 1, "shapes": [{ "type": "disc", "radius": 0.02 }], "position": [1, 0.5],
          "dofs": { "x": { "velocity": 0.1 }, "y": "locked", "angle": "locked" } },
    ]);
    let spring = json!([{ "bodies": [null, "ball"], "anchors": [[0, 1.0], [0, 0]], "stiffness": 100, "rest_length": 0.3 }]);
    let experiment = small(0.5, G, ball, spring, json!({}));
    assert!(problems(&experiment, 5).1.is_none());
    let run = run(&experiment);
    near(run.end().q[run.at_q("ball") + 1], 0.6019, 1e-9);
    near(run.end().q[run.at_q("finger")], 1.005, 1e-12);
}

/// A slab held by a wall is commanded 1 mm per step into a disc that moves freely and is pressed by nobody else. (23f) with
/// p_n = 0 asks for a gap of at least zero to where the slab would have been: 1 mm beyond where it is.
#[test]
fn the_least_motion_keeps_the_squeeze_bound() {
    let bodies = json!([
        { "name": "wall", "static": true, "shapes": [{ "type": "box", "size": [0.1, 0.1] }], "position": [0.1, 0.5] },
        { "name": "disc", "mass": 1, "shapes": [{ "type": "disc", "radius": 0.05 }], "position": [0.1, 0.0],
          "dofs": { "angle": "locked", "y": "locked" } },
        { "name": "slab", "mass": 1, "shapes": [{ "type": "box", "size": [0.1, 1.2] }], "position": [0.0, 0.3],
          "dofs": { "x": { "velocity": 0.1 }, "y": "locked", "angle": "locked" } },
    ]);
    let experiment = small(0.0, 0.0, bodies, json!([]), json!({}));
    assert!(problems(&experiment, 5).1.is_none());
    let run = run(&experiment);
    for m in &run.moments[1..] {
        near(m.q[run.at_q("slab")], 0.0, 1e-9);
        near(m.q[run.at_q("disc")], 0.101, 1e-9);
    }
}

/// Plates that slide along what they press, with slip no faster than 0.01 m/s: the object is taken along at 0.09 m/s, or
/// the plates stay behind their commands; slip is bounded after the last objective too.
#[test]
fn slip_is_bounded_after_every_objective() {
    let plate = |name: &str, side: f64| {
        json!({ "name": name, "mass": 1, "shapes": [{ "type": "box", "size": [0.02, 0.2] }], "position": [0.06 * side, 0.1],
            "dofs": { "x": { "velocity": -0.1 * side }, "y": { "velocity": 0.1 }, "angle": "locked" } })
    };
    let object = json!({ "name": "object", "mass": 1, "shapes": [{ "type": "disc", "radius": 0.05 }],
        "position": [0, 0.05], "dofs": { "angle": "locked" } });
    let bodies = json!([ground("planar"), object, plate("left", -1.0), plate("right", 1.0)]);
    let slip = |options: Value| {
        let mut experiment = small(0.5, G, bodies.clone(), json!([]), options);
        experiment["scene"]["ignore_contacts"] =
            json!([["left", "ground"], ["right", "ground"], ["left", "right"]]);
        assert!(problems(&experiment, 5).1.is_none());
        let run = run(&experiment);
        let v = |name: &str| run.moments[1].v[run.at_v(name) + 1];
        ((v("left") - v("object")).abs(), (v("right") - v("object")).abs())
    };
    // Without a bound the plates slide as fast as they are commanded: 2 μ 9 N carries less than m g.
    near(slip(json!({ "stiffness": 9e3 })).0, 0.1, 1e-9);
    for lexicographic in [true, false] {
        let (left, right) =
            slip(json!({ "stiffness": 9e3, "slip_bound": 0.01, "lexicographic": lexicographic }));
        assert!(left <= 0.01 + 1e-9 && right <= 0.01 + 1e-9, "{lexicographic}: {left} {right}");
    }
}

/// Forces have no size of their own: with all of them, and K, times m the motion is the same, at any speed.
#[test]
fn motion_does_not_depend_on_the_size_of_forces() {
    let moved = |m: f64, speed: f64| {
        let mut experiment = gripper(json!({ "stiffness": 1e3 * m / speed }));
        experiment["scene"]["bodies"][1]["mass"] = m.into();
        for (body, side) in [(2, -1.0), (3, 1.0)] {
            let formula = |v: f64, late: f64| json!({ "velocity": { "expression": format!("{v} + {late}*step(t - 0.29)") } });
            let finger = &mut experiment["scene"]["bodies"][body];
            finger["position"] = json!([side * (0.06 + 1.5 * speed * H), 0.1]);
            finger["dofs"]["x"] = formula(-side * speed, 2.0 * side * speed);
            finger["dofs"]["y"] = formula(speed, -speed);
        }
        let run = run(&timed(&experiment, H, 0.35));
        near(height(&run, 20) - 0.05, speed * H * 18.0, 1e-9);
        run.moments.iter().map(|m| m.q.clone()).collect::<Vec<_>>()
    };
    for speed in [0.1, 1e-3] {
        let one = moved(1.0, speed);
        for m in [1e-3, 300.0, 1e5] {
            let other = moved(m, speed);
            one.iter().flatten().zip(other.iter().flatten()).for_each(|(a, b)| near(*a, *b, 1e-9));
        }
    }
}

/// K = 0 and no K at all ask for no squeeze, delayed or not.
#[test]
fn nothing_is_squeezed_without_stiffness() {
    for squeeze in ["current", "delayed"] {
        let run = run(&gripper(json!({ "squeeze": squeeze, "stiffness": 0.0 })));
        (1..=60).for_each(|k| near(height(&run, k), 0.05, 1e-9));
        near(force(&run, 30, "left"), least_force(), 1e-6);
    }
}

/// Rotations weigh as asked for in the first objective, translations 1 m².
#[test]
fn rotations_have_a_weight_of_their_own() {
    let mut experiment = gripper(json!({ "rotation_weight": 0.25 }));
    experiment["scene"]["bodies"][2]["dofs"]["angle"] = json!({ "velocity": 0.2 });
    let (seen, _) = problems(&experiment, 1);
    let qp = &seen[0].2.view().qp;
    let weights: Vec<_> = (0..7).map(|j| qp.p.row_dot(j, &vec![1.0; qp.n()])).collect();
    assert_eq!(weights, [0.0, 0.0, 1.0, 1.0, 0.25, 1.0, 1.0]);
    assert_eq!(qp.c[4], -0.25 * 0.2);
}
