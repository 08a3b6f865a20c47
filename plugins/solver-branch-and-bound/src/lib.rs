//! Branch and bound on complementarity pairs for convex quadratic programs, class [`ProblemClass::Qpcc`]:
//!
//! min ½ xᵀP x + cᵀx subject to l ≤ s ≤ u, s = G x + g, and 0 ≤ s_i ⟂ s_j ≥ 0 for every pair.
//!
//! - `components`: what nothing ties together is solved apart;
//! - `products`: s_i s_j of pairs in the objective, which bounds more;
//! - `blocks`: the rows fall into blocks that only pairs tie together (found by core's `sets`); each is a program of its own;
//! - `presolve`, `contacts`, `symmetry`: rows that cannot vanish, modes that are part of others, or their images;
//! - `search`: the loop: propagate, bound, complete, branch; learn and go back;
//! - `relaxation`: lower bounds and the no-goods they leave behind;
//! - `completion`: from a relaxation to a lawful point or to a no-good;
//! - `branch`: which pair is decided next;
//! - `nogoods`: what follows from no-goods, and what a contradiction teaches;
//! - `proof`: the tree of Farkas vectors when there is no solution;
//! - `part`: how these follow on each other for one component;
//! - `units`: the search in balanced units, where those of the problem are wild;
//! - `solve`: all components, and what is said at the end.
//!
//! `README.md` has the formulas, the guarantees and measured numbers; the options are in `config`.

mod blocks;
mod branch;
mod completion;
mod components;
mod config;
mod contacts;
mod nogoods;
mod part;
mod presolve;
mod products;
mod proof;
mod reasons;
mod relaxation;
mod search;
mod solve;
mod symmetry;
mod units;

pub use config::Config;

use solve::BranchAndBoundWorkspace;
use vinci_sdk::prelude::*;

/// The solver: options, and memory that is kept from problem to problem.
#[derive(Debug, Default)]
pub struct BranchAndBound {
    config: Config,
    workspace: BranchAndBoundWorkspace,
}

impl BranchAndBound {
    /// A solver with these options; the error names the first one that cannot be.
    pub fn new(config: Config) -> Result<Self, StageError> {
        config.check().map_err(StageError::bad_option)?;
        Ok(Self { config, workspace: BranchAndBoundWorkspace::default() })
    }

    /// Convex programs solved for the last problem: relaxations, completions, and those that shortened no-goods.
    pub fn programs(&self) -> u32 {
        self.workspace.work.programs
    }

    /// No-goods learned from the last problem.
    pub fn no_goods(&self) -> usize {
        self.workspace.work.learned
    }
}

impl Solver for BranchAndBound {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        let Problem::Qpcc(q) = problem else {
            let found = problem.class().name();
            return Err(StageError::unsupported(format!("this solver takes Qpcc problems, not {found}")));
        };
        q.check().map_err(StageError::bad_input)?;
        let tolerance = self.config.tolerance.unwrap_or(q.qp.tolerance);
        if !(tolerance > 0.0) {
            return Err(StageError::bad_input(format!("a tolerance of {tolerance}; it must be positive")));
        }
        let q = Qpcc { qp: Conic { tolerance, ..q.qp }, ..*q };
        let status = self.workspace.solve(&q, &self.config)?;
        Ok(Solution {
            status,
            z: &self.workspace.x,
            dual: &self.workspace.y,
            certificate: &self.workspace.certificate,
            bound: self.workspace.bound,
            iterations: self.workspace.work.nodes,
            factorizations: self.workspace.work.programs,
            residual: self.workspace.residual,
            note: &self.workspace.note,
        })
    }
}

impl SolverPlugin for BranchAndBound {
    fn manifest() -> Manifest {
        Manifest::new("vinci.solver.branch-and-bound", Role::Solver, env!("CARGO_PKG_VERSION"))
            .title("Branch and bound on complementarity pairs, with no-goods learned from dual proofs")
            .licence("MIT OR Apache-2.0")
            .citation("Hooker & Ottosson 2003, Mathematical Programming 96:33 (logic-based Benders decomposition)")
            .citation("Marques-Silva & Sakallah 1999, IEEE Transactions on Computers 48:506 (learning from conflicts)")
            .citation("Hu, Mitchell, Pang, Bennett & Kunapuli 2008, SIAM Journal on Optimization 19:445 (complementarity without big M)")
            .classes(&[ProblemClass::Qpcc])
            .capabilities(&["default", "certificate", "warm-start", "bounds", "node-limit", "time-limit"])
            .options::<Config>()
    }

    fn create(options: &str, _system: &SystemView<'_>) -> Result<Self, StageError> {
        Self::new(parse_options(options)?)
    }
}

vinci_sdk::export_plugin!(solver = BranchAndBound);
