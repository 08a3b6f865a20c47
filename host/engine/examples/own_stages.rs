//! The engine with stages of one's own and no shared library: a ball thrown upwards falls freely.
//!
//! `cargo run -p vinci-engine --example own_stages`. The stepper writes M v⁺ = M v + h f as a linear problem, the solver divides by
//! the diagonal of M, and the referee judges every step as it judges those of plugins.

#![allow(clippy::print_stdout)] // what an example shows

use nalgebra::Vector3;
use vinci_core::contact::RawContacts;
use vinci_core::model::{Body, MassProperties, MotionModel, Parts, Space, System};
use vinci_core::problem::{MlcpBuf, Problem, ProblemClass, Solution, Status};
use vinci_core::stage::{DetectQuery, Detector, Solver, StepView, Stepper, Update, Verdict};
use vinci_core::{CsrBuf, StageError};
use vinci_engine::drives::Drives;
use vinci_engine::pipeline::{NamedSolver, Settings, Simulation, SolverRoute};

/// A detector that finds no contact.
struct NoContacts;

impl Detector for NoContacts {
    fn detect<'s>(&'s mut self, _: &DetectQuery<'_>) -> Result<RawContacts<'s>, StageError> {
        Ok(RawContacts::default())
    }
}

/// A stepper for bodies that touch nothing: 0 = M v⁺ − (M v + h f).
#[derive(Default)]
struct FreeFall {
    problem: MlcpBuf,
    v: Vec<f64>,
}

impl Stepper for FreeFall {
    fn formulate<'s>(&'s mut self, step: &StepView<'_>) -> Result<Problem<'s>, StageError> {
        let n = step.nv();
        let mass = |i: usize| step.mass[i * n + i];
        let m = CsrBuf::from_triplets(n, n, &(0..n).map(|i| (i, i, mass(i))).collect::<Vec<_>>());
        let q = (0..n).map(|i| -(mass(i) * step.v[i] + step.h * step.force[i])).collect();
        let (lower, upper) = (vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n]);
        self.problem = MlcpBuf::from_parts(m, q, lower, upper, step.tolerance);
        Ok(Problem::Mlcp(self.problem.view()))
    }

    fn update<'s>(&'s mut self, step: &StepView<'_>, at: &Solution<'_>) -> Result<Update<'s>, StageError> {
        self.v = at.z.to_vec();
        let motion = &[MotionModel::Dynamic as u8];
        let verdict = Verdict::Accept;
        Ok(Update { verdict, h_used: step.h, v: &self.v, motion, effort: &[0.0; 3], ..Update::default() })
    }
}

/// A solver of diagonal problems: z_i = −q_i / M_ii.
#[derive(Default)]
struct Diagonal(Vec<f64>);

impl Solver for Diagonal {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        let Problem::Mlcp(p) = problem else {
            return Err(StageError::unsupported("only problems of class Mlcp"));
        };
        self.0 = (0..p.n()).map(|i| -p.q[i] / p.m.entries(i).map(|(_, m)| m).sum::<f64>()).collect();
        Ok(Solution { status: Status::Converged, z: &self.0, ..Solution::default() })
    }
}

/// One second of the ball, thrown upwards at g/2.
pub(crate) fn thrown() -> Result<Simulation, Box<dyn std::error::Error>> {
    let system = System::new(Parts {
        bodies: vec![Body::free("ball", MassProperties::planar(1.0, 0.005), 3)],
        initial_pose: vec![vec![0.0; 3]],
        initial_velocity: vec![vec![0.0, 4.905, 0.0]],
        ..Parts::empty(Space::Planar, Vector3::new(0.0, -9.81, 0.0))
    })?;
    let solver = Box::<Diagonal>::default();
    let solver = NamedSolver { id: "diagonal".into(), takes: ProblemClass::Mlcp.bit(), solver };
    let (detector, stepper) = (Box::new(NoContacts), Box::<FreeFall>::default());
    let (drives, settings) = (Drives::default(), Settings::plain(0.01));
    let mut simulation =
        Simulation::new(system, drives, settings, detector, stepper, SolverRoute::new(solver, vec![]));
    while simulation.time() < 1.0 {
        simulation.advance_to(simulation.next_grid_time())?;
    }
    Ok(simulation)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let simulation = thrown()?;
    let (t, y, v) = (simulation.time(), simulation.q()[1], simulation.v()[1]);
    println!("after {t:.2} s: y = {y:.5} m, v_y = {v:.5} m/s");
    Ok(())
}
