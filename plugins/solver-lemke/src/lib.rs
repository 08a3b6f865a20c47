//! Lemke's method for mixed linear complementarity problems with bounds
//!
//! l ≤ z ≤ u ⟂ w = M z + q (free rows are equations), the class [`ProblemClass::Mlcp`].
//!
//! A solve tries, in this order, until one run gives a z whose residual on the problem as it was given meets the
//! tolerance, or a proof that there is none:
//!
//! 1. small problems: reduction to an LCP ([`MlcpAsLcp`](vinci_sdk::core::bridge::MlcpAsLcp)) and lexicographic Lemke on a
//!    dense tableau, first from the basis of the guess, then from slacks (`dense`, `tableau`, `lexico`);
//! 2. Lemke on the whole sparse problem by basis factors, bounds and free variables included, warm and cold (`sparse`);
//! 3. after a ray: a Farkas proof sought for itself (`relax`);
//! 4. small problems: the question settled by cases (`branch`);
//! 5. proximal points, M + ε I with ε → 0, whose limit solves the problem itself (`proximal`);
//! 6. other covering vectors.
//!
//! `README.md` has the papers, the formulas and the guarantees. The order itself is in `solve`, the single runs in
//! `attempts`, the options in `config`.

mod attempts;
mod branch;
mod cases;
mod config;
mod dense;
mod dependent;
mod lexico;
mod proximal;
mod relax;
mod solve;
mod sparse;
mod tableau;

pub use config::Config;

use solve::LemkeWorkspace;
use vinci_sdk::prelude::*;

/// The solver: options, and memory that is kept from problem to problem.
#[derive(Debug, Default)]
pub struct Lemke {
    config: Config,
    workspace: LemkeWorkspace,
}

impl Lemke {
    /// A solver with these options; the error names the first one that cannot be.
    pub fn new(config: Config) -> Result<Self, StageError> {
        config.check().map_err(StageError::bad_option)?;
        Ok(Self { config, workspace: LemkeWorkspace::default() })
    }
}

impl Solver for Lemke {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        let Problem::Mlcp(p) = problem else {
            let found = problem.class().name();
            return Err(StageError::unsupported(format!("Lemke's method solves Mlcp problems, not {found}")));
        };
        p.check().map_err(StageError::bad_input)?;
        let tolerance = self.config.tolerance.unwrap_or(p.tolerance);
        if !(tolerance > 0.0) {
            return Err(StageError::bad_input(format!("a tolerance of {tolerance}; it must be positive")));
        }
        Ok(self.workspace.solve(p, &self.config, tolerance))
    }
}

impl SolverPlugin for Lemke {
    fn manifest() -> Manifest {
        Manifest::new("vinci.solver.lemke", Role::Solver, env!("CARGO_PKG_VERSION"))
            .title("Lemke's method: pivoting with lexicographic anti-cycling, dense and sparse")
            .licence("MIT OR Apache-2.0")
            .citation("Lemke 1965, Management Science 11:681")
            .citation("Cottle, Pang & Stone 1992, The Linear Complementarity Problem")
            .citation("Dirkse & Ferris 1995, Optimization Methods and Software 5:123")
            .classes(&[ProblemClass::Mlcp])
            .capabilities(&[
                "default",
                "certificate",
                "warm-start",
                "bounds",
                "free-rows",
                "singular-free-block",
            ])
            .options::<Config>()
    }

    fn create(options: &str, _system: &SystemView<'_>) -> Result<Self, StageError> {
        Self::new(parse_options(options)?)
    }
}

vinci_sdk::export_plugin!(solver = Lemke);
