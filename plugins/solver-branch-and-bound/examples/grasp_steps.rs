//! Solves the steps of a collection of quasi-static grasps one after the other and prints what came out:
//! `cargo run --release --example grasp_steps -- FILE|gripper|coupled|ties [cold|warm] [OPTIONS AS JSON]`. `coupled`: planar cylinders between the
//! same fingers, at three steps; `ties`: independent pairs whose sides are worth the same.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

#[path = "../tests/all/support/mod.rs"]
mod support;

use std::time::Instant;

use support::{Gripper, Step, coupled, modes_of, read_steps};
use vinci_sdk::core::problem::{ConicBuf, Problem, QpccBuf};
use vinci_sdk::core::sparse::CsrBuf;
use vinci_sdk::core::stage::Solver;
use vinci_solver_branch_and_bound::{BranchAndBound, Config};

/// A time is the shortest of so many.
const REPEATS: usize = 3;

struct Table {
    solver: BranchAndBound,
    warm: bool,
    modes: Vec<u32>,
    times: Vec<f64>,
    nodes: Vec<u32>,
    programs: Vec<u32>,
}

impl Table {
    fn solution(&mut self, problem: &QpccBuf) -> Vec<f64> {
        self.solver.solve(&Problem::Qpcc(problem.view())).unwrap().z.to_vec()
    }

    /// Solves one step and prints its line; gives the solution.
    fn line(&mut self, step: &Step) -> Vec<f64> {
        let mut problem = step.problem(1e-8);
        if self.warm {
            problem.modes.clone_from(&self.modes);
        }
        let p = problem.view();
        let mut best = f64::INFINITY;
        for _ in 0..REPEATS {
            let start = Instant::now();
            self.solver.solve(&Problem::Qpcc(p)).unwrap();
            best = best.min(start.elapsed().as_secs_f64() * 1e3);
        }
        let s = self.solver.solve(&Problem::Qpcc(p)).unwrap();
        let (status, bound, nodes) = (s.status, s.bound, s.iterations);
        let (x, residual) = (s.z.to_vec(), p.residual(s.z, s.dual).natural);
        let constant: f64 = step.command.iter().map(|c| c * c).sum();
        println!(
            "{:3} {:16} objective {:.9} reference {:.9} bound {:.9} residual {residual:8.1e} {nodes:6} nodes {:6} programs {:6} no-goods {best:9.4} ms",
            step.number,
            status.name(),
            step.deviation(&x),
            step.objective,
            bound + constant,
            self.solver.programs(),
            self.solver.no_goods(),
        );
        self.times.push(best);
        self.nodes.push(nodes);
        self.programs.push(self.solver.programs());
        self.modes = modes_of(&p, &x);
        x
    }

    fn end(mut self) {
        let count = self.times.len();
        let mean = |v: &[u32]| v.iter().map(|&v| f64::from(v)).sum::<f64>() / count as f64;
        let sum: f64 = self.times.iter().sum();
        self.times.sort_by(f64::total_cmp);
        println!(
            "{count} steps; ms: {:.4} mean, {:.4} median, {:.4} worst; nodes {:.1} mean, {} worst; programs {:.1} mean",
            sum / count as f64,
            self.times[count / 2],
            self.times[count - 1],
            mean(&self.nodes),
            self.nodes.iter().max().unwrap(),
            mean(&self.programs)
        );
    }
}

/// min Σ ½ (x − 1)² + ½ (y − 1)² over 0 ≤ x ⟂ y ≥ 0.
fn ties(count: usize) -> QpccBuf {
    let n = 2 * count;
    let eye = CsrBuf::from_triplets(n, n, &(0..n).map(|j| (j, j, 1.0)).collect::<Vec<_>>());
    let bounds = (vec![0.0; n], vec![f64::INFINITY; n]);
    let qp = ConicBuf::from_parts(eye.clone(), vec![-1.0; n], eye, vec![0.0; n], bounds);
    let mut problem = QpccBuf { qp, ..QpccBuf::default() };
    problem.qp.tolerance = 1e-8;
    (0..count).for_each(|k| problem.push_pair(2 * k, 2 * k + 1, k as u32));
    problem
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("which file?")?;
    let warm = arguments.next().unwrap_or_default() != "cold";
    let config: Config = vinci_sdk::parse_options(&arguments.next().unwrap_or_default())?;
    let solver = BranchAndBound::new(config)?;
    let mut table =
        Table { solver, warm, modes: Vec::new(), times: Vec::new(), nodes: Vec::new(), programs: Vec::new() };
    if file == "gripper" {
        let mut gripper = Gripper::new();
        for _ in 0..Gripper::STEPS {
            let x = table.line(&gripper.step());
            gripper.advance(&x);
        }
        println!("cylinder at {:?}", &gripper.q[..2]);
    } else if file == "coupled" {
        for count in [2, 3, 6, 9, 12] {
            println!("{} pairs", 12 * count);
            let mut gripper = Gripper::new();
            for number in 1..=41 {
                let step = gripper.step();
                if [20, 21, 25, 40].contains(&number) {
                    table.modes.clear();
                    table.line(&coupled(&step, count, 0.0));
                    table.line(&coupled(&step, count, 1e-5));
                }
                let x = table.solution(&step.problem(1e-8));
                gripper.advance(&x);
            }
        }
    } else if file == "ties" {
        for count in [16, 64, 256] {
            let problem = ties(count);
            let start = Instant::now();
            let status = table.solver.solve(&Problem::Qpcc(problem.view()))?.status;
            println!(
                "{count} tied pairs: {} in {:.3} ms",
                status.name(),
                start.elapsed().as_secs_f64() * 1e3
            );
        }
        return Ok(());
    } else {
        for step in read_steps(&std::fs::read_to_string(file)?) {
            table.line(&step);
        }
    }
    table.end();
    Ok(())
}
