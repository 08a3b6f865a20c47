//! A complete solver: projected Gauss–Seidel with over-relaxation for problems with a positive diagonal.
//!
//! One sweep solves every row for its own unknown and projects it on its bounds:
//! z_i ← Π[l_i, u_i](z_i − ω (M z + q)_i / M_ii).

use vinci_sdk::prelude::*;

/// Options, as they stand in an experiment under "options".
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
struct Config {
    /// Sweeps at most.
    #[schemars(extend("x-vinci-budget" = true))]
    max_sweeps: u32,
    /// Over-relaxation ω, between 0 and 2.
    omega: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self { max_sweeps: 10_000, omega: 1.0 }
    }
}

/// The solver keeps its arrays between calls: what it returns is borrowed from here.
struct Psor {
    config: Config,
    z: Vec<f64>,
}

impl Psor {
    /// One sweep. `None` where a diagonal entry is not positive or a step is not finite.
    fn sweep(&mut self, p: &Mlcp<'_>) -> Option<()> {
        for i in 0..p.n() {
            let diagonal: f64 = p.m.entries(i).filter(|&(j, _)| j == i).map(|(_, m)| m).sum();
            let w = p.m.row_dot(i, &self.z) + p.q[i];
            let step = self.config.omega * w / diagonal;
            if diagonal <= 0.0 || !step.is_finite() {
                return None;
            }
            self.z[i] = (self.z[i] - step).clamp(p.lower[i], p.upper[i]);
        }
        Some(())
    }

    /// Sweeps until core's own residual is below the tolerance. The status is honest: `MaxIterations` if it stops early.
    fn iterate(&mut self, p: &Mlcp<'_>) -> (Status, u32) {
        for sweep in 0..self.config.max_sweeps {
            if p.residual(&self.z).natural <= p.tolerance {
                return (Status::Converged, sweep);
            }
            if self.sweep(p).is_none() {
                self.z.iter_mut().for_each(|z| *z = if z.is_finite() { *z } else { 0.0 });
                return (Status::NumericalFailure, sweep);
            }
        }
        (Status::MaxIterations, self.config.max_sweeps)
    }
}

impl Solver for Psor {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        let Problem::Mlcp(p) = problem else {
            return Err(StageError::unsupported("only problems of class Mlcp are taken"));
        };
        p.check().map_err(StageError::bad_input)?;
        self.z.clear();
        self.z.extend_from_slice(p.guess);
        self.z.resize(p.n(), 0.0);
        let (status, iterations) = self.iterate(p);
        Ok(Solution { status, iterations, z: &self.z, ..Solution::default() })
    }
}

impl SolverPlugin for Psor {
    fn manifest() -> Manifest {
        Manifest::new("example.solver.minimal", Role::Solver, env!("CARGO_PKG_VERSION"))
            .title("Projected Gauss-Seidel in eighty lines")
            .licence("MIT OR Apache-2.0")
            .citation("C. W. Cryer, The solution of a quadratic programming problem using systematic overrelaxation, 1971")
            .classes(&[ProblemClass::Mlcp])
            .options::<Config>()
    }

    fn create(options: &str, _system: &SystemView<'_>) -> Result<Self, StageError> {
        let config: Config = parse_options(options)?;
        if !(config.omega > 0.0 && config.omega < 2.0) {
            return Err(StageError::bad_option(format!(
                "omega is {}; it must lie between 0 and 2",
                config.omega
            )));
        }
        Ok(Self { config, z: Vec::new() })
    }
}

vinci_sdk::export_plugin!(solver = Psor);
