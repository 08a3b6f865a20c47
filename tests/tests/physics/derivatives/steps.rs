//! ∂(q⁺, v⁺)/∂(q, v) of single steps at their active set, against central differences of whole steps from random states away from kinks.

use nalgebra::DMatrix;
use serde_json::{Value, json};
use vinci_core::problem::Ties;
use vinci_core::stage::{append_numbers, split_numbers};
use vinci_core::state::integrate;
use vinci_engine::pipeline::{End, NoDerivative, Simulation, Snapshot, StepJacobian, difference};
use vinci_tests::experiment::{experiment, ground, planar, set, spatial};
use vinci_tests::run::simulation;

use super::drawn;

/// Displacement of the differences, m and rad; truncation is taken out with those of half of it.
const BESIDE: f64 = 1e-5;

/// Random states that are compared.
const STATES: usize = 200;

/// Two round bodies on the ground and at each other, by their places.
fn pair(space: &str, places: [[f64; 3]; 2]) -> Value {
    let kind = if space == "planar" { "disc" } else { "ball" };
    let place = |p: [f64; 3]| if space == "planar" { json!([p[0], p[2]]) } else { json!(p) };
    let body = |name: &str, mass: f64, radius: f64, p: [f64; 3]| json!({"name": name, "mass": mass, "shapes": [{"type": kind, "radius": radius}], "position": place(p)});
    let bodies = json!([ground(space), body("a", 1.0, 0.1, places[0]), body("b", 0.5, 0.07, places[1])]);
    let mut scene = if space == "planar" { planar(0.4, 0.0, bodies) } else { spatial(0.4, 0.0, bodies) };
    scene["materials"]["default"]["stiffness"] = 2e3.into();
    let mut e = experiment(scene, 0.01, 1.0);
    e["tolerance"] = json!(1e-12);
    // Bases of new contacts along axes: along the slip they turn with the velocity.
    e["friction_basis"] = json!("axes");
    e
}

/// State k of a space: near contact with random gaps, velocities and turns.
fn state(simulation: &Simulation, space: &str, k: u64) -> (Vec<f64>, Vec<f64>) {
    let n = simulation.v().len();
    let gap = |name: &str| drawn(k, name, [-1e-3, 1.5e-3]);
    let (lean, turn) = (drawn(k, "lean", [0.05, 1.4]), drawn(k, "turn", [0.0, 6.0]));
    let (side, up) = ((0.17 + gap("ab")) * lean.cos(), (0.17 + gap("ab")) * lean.sin());
    let (za, xb, yb) = (0.1 + gap("a"), side * turn.cos(), side * turn.sin());
    let zb = (za + up - 0.05).max(0.07 + gap("b"));
    let mut q = simulation.q().to_vec();
    if space == "planar" {
        q.copy_from_slice(&[0.0, za, 0.3, side, zb, -0.2]);
    } else {
        (q[2], q[7], q[8], q[9]) = (za, xb, yb, zb);
    }
    let v: Vec<f64> = (0..n).map(|i| drawn(k, &format!("v{i}"), [-0.6, 0.6])).collect();
    if space == "spatial" {
        let spin: Vec<f64> = (0..n).map(|i| drawn(k, &format!("r{i}"), [-1.0, 1.0])).collect();
        let from = q.clone();
        let mut still = vec![0.0; n];
        for i in [3, 4, 5, 9, 10, 11] {
            still[i] = spin[i];
        }
        integrate(&simulation.system.layout(), &from, &still, 1.0, &mut q);
    }
    (q, v)
}

/// A place from which steps are made: a snapshot, and if bases of contacts are carried.
#[derive(Clone)]
struct Place {
    snapshot: Snapshot,
    bases: bool,
}

/// Number of the stepper among the plugins of a snapshot.
const STEPPER: usize = 1;

impl Place {
    fn here(simulation: &Simulation, bases: bool) -> Self {
        Self { snapshot: simulation.snapshot(), bases }
    }

    fn at(&self, q: &[f64], v: &[f64]) -> Self {
        let mut there = self.clone();
        (there.snapshot.state.q, there.snapshot.state.v) = (q.to_vec(), v.to_vec());
        there
    }

    fn stand(&self, simulation: &mut Simulation) {
        simulation.restore(&self.snapshot).unwrap();
    }

    /// The place with number k (of displacements, velocities, carried numbers) moved by `by`.
    fn beside(&self, simulation: &Simulation, k: usize, by: f64) -> Self {
        let (mut there, n) = (self.clone(), self.snapshot.state.v.len());
        if k < n {
            let mut d = vec![0.0; n];
            d[k] = 1.0;
            let q = &mut there.snapshot.state.q;
            integrate(&simulation.system.layout(), &self.snapshot.state.q, &d, by, q);
        } else if k < 2 * n {
            there.snapshot.state.v[k - n] += by;
        } else {
            there.move_carried(simulation.settings.state_numbers, k - 2 * n, by);
        }
        there
    }

    fn move_carried(&mut self, has_numbers: bool, k: usize, by: f64) {
        let bytes = self.snapshot.plugins[STEPPER].clone();
        let (own, mut entries) = match has_numbers {
            true => split_numbers(&bytes).map(|(own, entries)| (own, entries.collect())).unwrap(),
            false => (&bytes[..], Vec::new()),
        };
        let memory = &mut self.snapshot.state.memory;
        if k < entries.len() {
            entries[k].1 += by;
            let mut moved = own.to_vec();
            append_numbers(entries.into_iter(), &mut moved);
            self.snapshot.plugins[STEPPER] = moved;
        } else {
            let mut bases: Vec<f64> = memory.bases().collect();
            bases[k - entries.len()] += by;
            memory.set_bases(&bases);
        }
    }
}

/// The derivative of a step's end by its start, by differences of whole steps; none where both sides of some direction do not agree.
fn by_differences(simulation: &mut Simulation, place: &Place, beside: f64) -> Option<DMatrix<f64>> {
    let h = simulation.settings.step;
    let step = |simulation: &mut Simulation, from: &Place| -> Option<End> {
        from.stand(simulation);
        simulation.advance(h).ok()?;
        Some(simulation.standing(place.bases))
    };
    let here = step(simulation, place)?;
    place.stand(simulation);
    let start = simulation.standing(place.bases);
    let n = start.v.len();
    let carried = start.carried.iter().map(|m| (10.0 * BESIDE * m.abs()).max(0.01 * BESIDE));
    let sizes: Vec<f64> = std::iter::repeat_n(BESIDE, 2 * n).chain(carried).collect();
    let mut out = DMatrix::zeros(2 * n + here.carried.len(), sizes.len());
    for (k, size) in sizes.into_iter().enumerate() {
        let by = size * beside / BESIDE;
        let mut ends = Vec::new();
        for by in [by, -by, 0.5 * by, -0.5 * by] {
            let from = place.beside(simulation, k, by);
            ends.push(step(simulation, &from)?);
        }
        let between = |a, b, h| difference(simulation, (a, b), h).ok();
        let central = between(&ends[0], &ends[1], by)?;
        let closer = between(&ends[2], &ends[3], 0.5 * by)?;
        let above = between(&ends[0], &here, 0.5 * by)?;
        let below = between(&here, &ends[1], 0.5 * by)?;
        let size = central.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        let gap = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if gap(&above, &below) > 2e-3 * size || gap(&central, &closer) > 1e-4 * size {
            return None;
        }
        let finer: Vec<f64> = central.iter().zip(&closer).map(|(d, half)| (4.0 * half - d) / 3.0).collect();
        if finer.len() != out.nrows() {
            return None;
        }
        out.column_mut(k).copy_from_slice(&finer);
    }
    Some(out)
}

/// Returns true if both readings of the ties of the last step give the same.
fn is_one_valued(e: &Value, place: &Place, exact: &DMatrix<f64>) -> bool {
    let [mut run, mut probe] = [simulation(e), simulation(e)];
    run.tape_steps(Ties::Bounds, place.bases);
    place.stand(&mut run);
    run.advance(run.settings.step).unwrap();
    let other = probe.step_jacobian(run.tape().unwrap()).map(|other| other.a);
    other.is_ok_and(|other| other.shape() == exact.shape() && (other - exact).amax() < 1e-6 * exact.amax())
}

/// Compares [`STATES`] random states away from kinks: where contacts change their modes beside the state, or the stepper its way.
#[track_caller]
fn compare(e: &Value, space: &str) {
    compare_with(e, space, (false, false));
}

/// As [`compare`], of second steps: what the first hands on beside positions and velocities is a part of their start.
#[track_caller]
fn compare_second_steps(e: &Value, space: &str) {
    compare_with(e, space, (true, false));
}

/// As [`compare_second_steps`], from other places than the first ones end at: there rigid contacts just touch, which is a kink.
#[track_caller]
fn compare_steps_with_bases_of_others(e: &Value) {
    compare_with(e, "spatial", (true, true));
}

#[track_caller]
fn compare_with(e: &Value, space: &str, (second, elsewhere): (bool, bool)) {
    let [mut run, mut probe, mut other] = [simulation(e), simulation(e), simulation(e)];
    let bases = second && space == "spatial";
    let begin = Place::here(&run, bases);
    run.tape_steps(Ties::Equations, bases);
    let (mut compared, mut kinks, mut ways, mut worst, mut touched, mut carried) = (0, 0, 0, 0.0_f64, 0, 0);
    for k in 0..10 * STATES as u64 {
        if compared == STATES {
            break;
        }
        let (q, v) = state(&run, space, k);
        let mut place = begin.at(&q, &v);
        place.stand(&mut run);
        if second {
            run.advance(run.settings.step).unwrap();
            place = Place::here(&run, bases);
            if elsewhere {
                let (q, v) = state(&run, space, k + 10 * STATES as u64);
                place = place.at(&q, &v);
            }
            place.stand(&mut run);
        }
        run.advance(run.settings.step).unwrap();
        let tape = run.tape().unwrap();
        let Ok(StepJacobian { a: exact, .. }) = probe.step_jacobian(tape) else {
            ways += 1;
            continue;
        };
        // What crosses a kink at the one displacement may not at a smaller one.
        let error = |other: &mut Simulation, beside: f64| {
            let differences = by_differences(other, &place, beside)?;
            if differences.shape() != exact.shape() {
                return None;
            }
            Some((&exact - &differences).amax() / differences.amax().max(1.0))
        };
        let at = [BESIDE, BESIDE / 8.0].map(|beside| error(&mut other, beside));
        let Some(error) = at.into_iter().flatten().min_by(f64::total_cmp) else {
            kinks += 1;
            continue;
        };
        if error >= 1e-6 && tape.ties() > 0 && !is_one_valued(e, &place, &exact) {
            kinks += 1;
            continue;
        }
        assert!(error < 1e-6, "state {k}: {error:e}, ties {}", tape.ties());
        worst = worst.max(error);
        compared += 1;
        carried += usize::from(tape.size() > 2 * v.len());
        let last = run.last();
        touched += usize::from(!last.impacts.is_empty() || last.impulse.iter().any(|p| *p != 0.0));
    }
    let told = format!(
        "{compared} compared, {touched} pressed, {carried} with carried numbers, {kinks} at kinks, {ways} without, worst {worst:e}"
    );
    assert!(compared == STATES && 2 * touched > STATES, "{told}");
    assert!(20 * ways <= STATES && 4 * kinks <= STATES && (!second || 2 * carried > STATES), "{told}");
}

fn of(space: &str, stepper: &str, solver: &str, options: Value) -> Value {
    let mut e = pair(space, [[0.0, 0.0, 0.1], [0.3, 0.0, 0.07]]);
    e["stepper"] = json!({ "plugin": stepper, "options": options });
    e["solver"] = json!({ "plugin": solver });
    e
}

#[test]
#[ignore = "long"]
fn stewart_trinkle_in_the_plane_and_in_space() {
    compare(&of("planar", "stewart-trinkle", "lemke", json!({})), "planar");
    compare(&of("spatial", "stewart-trinkle", "nsgs", json!({ "friction": "cone" })), "spatial");
    compare(&of("spatial", "stewart-trinkle", "lemke", json!({})), "spatial");
}

#[test]
#[ignore = "long"]
fn anitescu_potra_in_the_plane_and_in_space() {
    // Which contacts are closed is a matter of their gap: the tolerance is above all that is drawn.
    let options = json!({ "contact_tolerance": 0.01, "stabilization": 0.2 });
    compare(&of("planar", "anitescu-potra", "lemke", options.clone()), "planar");
    compare(&of("spatial", "anitescu-potra", "lemke", options), "spatial");
}

#[test]
fn trapezoidal_with_impacts_before_the_step() {
    compare(&of("planar", "trapezoidal", "lemke", json!({ "contact_tolerance": 0.01 })), "planar");
    let bouncing = set(
        &of("planar", "trapezoidal", "lemke", json!({ "contact_tolerance": 0.01 })),
        "/scene/materials/default/restitution",
        0.5,
    );
    compare(&bouncing, "planar");
}

#[test]
#[ignore = "long"]
fn tamsi_in_the_plane_and_in_space() {
    for coupling in ["two-way", "one-way"] {
        let options = json!({ "stiction_velocity": 0.05, "coupling": coupling });
        let e = set(
            &of("planar", "tamsi", "newton-tals", options.clone()),
            "/scene/materials/default/dissipation",
            0.5,
        );
        compare(&e, "planar");
        let e =
            set(&of("spatial", "tamsi", "newton-tals", options), "/scene/materials/default/dissipation", 0.5);
        compare(&e, "spatial");
    }
}

/// Layers at contacts. Steps of one length: where a gap says how long they are, they have no derivative of their own.
fn layers(space: &str, solver: &str, options: Value) -> Value {
    let e = set(&of(space, "song-pang-kumar", solver, options), "/stepper/options/kappa", Value::Null);
    set(&e, "/scene/materials/default/damping", 20.0)
}

#[test]
fn song_pang_kumar_with_the_deformations_that_steps_hand_on() {
    compare(&layers("planar", "lemke", json!({})), "planar");
    compare_second_steps(&layers("planar", "lemke", json!({})), "planar");
}

#[test]
#[ignore = "long"]
fn song_pang_kumar_in_space_with_cones_and_with_pyramids() {
    compare_second_steps(&layers("spatial", "nsgs", json!({ "friction": "cone" })), "spatial");
    compare_second_steps(&layers("spatial", "lemke", json!({})), "spatial");
}

/// Friction pyramids in space stand on bases that turn with their contacts from step to step.
#[test]
#[ignore = "long"]
fn bases_of_pyramids_in_space_are_handed_on() {
    compare_steps_with_bases_of_others(&of("spatial", "stewart-trinkle", "lemke", json!({})));
    let options = json!({ "contact_tolerance": 0.01, "stabilization": 0.2 });
    compare_steps_with_bases_of_others(&of("spatial", "anitescu-potra", "lemke", options));
}

#[test]
#[ignore = "long"]
fn tamsi_with_forces_at_the_end_of_the_step() {
    let options = json!({ "stiction_velocity": 0.05, "forces": "end" });
    compare(&of("planar", "tamsi", "newton-tals", options.clone()), "planar");
    compare(&of("spatial", "tamsi", "newton-tals", options), "spatial");
}

#[test]
#[ignore = "long"]
fn convex_programs_with_rows_and_with_cones() {
    compare(&of("planar", "anitescu-qp", "active-set", json!({ "motion": "dynamic" })), "planar");
    compare(
        &of("spatial", "anitescu-qp", "clarabel", json!({ "motion": "dynamic", "friction": "cone" })),
        "spatial",
    );
}

/// A stepper that solves by itself at other places within a step, one whose step ends where a gap says, and located times of contact.
#[test]
fn what_has_no_derivative_says_so() {
    let refused = |e: &Value| {
        let [mut run, mut probe] = [simulation(e), simulation(e)];
        run.tape_steps(Ties::Equations, false);
        run.advance(run.settings.step).unwrap();
        probe.step_jacobian(run.tape().unwrap()).unwrap_err()
    };
    let euler = of("planar", "implicit-euler", "newton", json!({}));
    assert!(matches!(refused(&euler), NoDerivative::Equations(_)), "{}", refused(&euler));
    let mut early = pair("planar", [[0.0, 0.0, 0.101], [0.3, 0.0, 0.08]]);
    early["stepper"] = json!({ "plugin": "song-pang-kumar" });
    early["solver"] = json!({ "plugin": "lemke" });
    early["scene"]["bodies"][1]["velocity"] = json!([0.0, -0.5]);
    assert_eq!(refused(&early), NoDerivative::StepSize);
    let located = set(&of("planar", "anitescu-potra", "lemke", json!({})), "/time/events", "backup");
    assert_eq!(simulation(&located).may_be_differentiated(), Err(NoDerivative::StepSize));
}
