//! The engine in a program of one's own: a ball falls on a floor. No scene is read and nothing is written.
//!
//! `cargo build && cargo run -p vinci-engine --example embed -- target/debug`: the argument is the directory of the plugins.

#![allow(clippy::print_stdout)] // what an example shows

use nalgebra::Vector3;
use vinci_abi::Role;
use vinci_core::model::{
    Body, MassProperties, Material, MaterialTable, Parts, Shape, ShapeKind, Space, System,
};
use vinci_core::referee::Limits;
use vinci_engine::declared::law_of;
use vinci_engine::drives::Drives;
use vinci_engine::pipeline::{NamedSolver, Settings, Simulation, SolverRoute};
use vinci_engine::registry::{Registry, classes};
use vinci_engine::system_views::SystemViews;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let simulation = fallen(&std::env::args().skip(1).map(Into::into).collect::<Vec<_>>())?;
    println!("after {:.2} s: y = {:.6} m, every step accepted", simulation.time(), simulation.q()[1]);
    Ok(())
}

/// The simulation after a second, with plugins of these directories. An error where the referee does not accept a step.
pub(crate) fn fallen(plugins: &[std::path::PathBuf]) -> Result<Simulation, Box<dyn std::error::Error>> {
    let here = std::path::Path::new(".");
    let registry = Registry::new(plugins);
    let system = ball_and_floor()?;
    let views = SystemViews::new(&system);
    let detector = registry.find("planar", Role::Detector, here)?.create_detector("{}", &views.view())?;
    let stepper = registry.find("anitescu-potra", Role::Stepper, here)?;
    let asks = stepper.manifest(Role::Stepper).ok_or("the stepper says nothing of itself")?.clone();
    let stepper = stepper.create_stepper("{}", &views.view())?;
    let plugin = registry.find("lemke", Role::Solver, here)?;
    let takes = classes(plugin.manifest(Role::Solver).ok_or("the solver says nothing of itself")?);
    let solver = Box::new(plugin.create_solver("{}", &views.view())?);
    let route = SolverRoute::new(NamedSolver { id: "lemke".into(), takes, solver }, vec![]);

    let (drives, settings) = (Drives::default(), Settings::of(0.001, &asks));
    let simulation =
        Simulation::new(system.clone(), drives, settings, Box::new(detector), Box::new(stepper), route);
    // Without it the referee would hold a stepper of velocities to the law of positions.
    let mut simulation = simulation.judged_by(law_of(&asks, "{}"));
    while simulation.time() < 1.0 {
        simulation.advance_to(simulation.next_grid_time())?;
        if let Some(failed) = simulation.last().failures(&Limits::default()).first() {
            let (t, why) = (simulation.time(), failed.criterion.description());
            return Err(format!("t = {t:.3} s: not accepted: a contact, body or joint {why}").into());
        }
    }
    Ok(simulation)
}

/// A disc of 1 kg and 0.1 m, 1 m above a half-plane.
fn ball_and_floor() -> Result<System, Box<dyn std::error::Error>> {
    let rubber = Material::rigid("rubber", 0.5);
    let shape =
        |kind, body, params| Shape { kind, body, material: 0, pose: vec![0.0; 3], params, indices: vec![] };
    Ok(System::new(Parts {
        bodies: vec![Body::fixed("floor", 3), Body::free("ball", MassProperties::planar(1.0, 0.005), 3)],
        shapes: vec![shape(ShapeKind::HalfPlane, 0, vec![]), shape(ShapeKind::Disc, 1, vec![0.1])],
        materials: MaterialTable { materials: vec![rubber], ..MaterialTable::default() },
        initial_pose: vec![vec![0.0; 3], vec![0.0, 1.0, 0.0]],
        initial_velocity: vec![vec![0.0; 3]; 2],
        ..Parts::empty(Space::Planar, Vector3::new(0.0, -9.81, 0.0))
    })?)
}
