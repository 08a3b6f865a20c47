//! The only file that names the backend: data in, iterate and status out.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};

use crate::config::Config;
use crate::standard::{Columns, Standard};

/// Identifier of the plugin.
pub(crate) const ID: &str = "vinci.solver.clarabel";

/// How an interior-point solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The iterate meets the interior tolerance.
    Solved,
    /// z is a Farkas vector.
    Infeasible,
    /// x is a direction of descent without end.
    Unbounded,
    /// The iteration limit.
    Limit,
    /// No progress, a numerical error, or a result at a reduced accuracy, which counts for nothing here.
    Stuck,
}

/// How the backend is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// With the solver at hand, where the pattern is its own.
    Usual,
    /// With a new solver.
    Anew,
    /// With a new solver and [`careful`] settings.
    Careful,
}

impl Attempt {
    /// In the order in which they are made.
    pub(crate) const ALL: [Self; 3] = [Self::Usual, Self::Anew, Self::Careful];
}

/// The backend's solver of the last sparsity pattern.
#[derive(Default)]
pub(crate) struct Backend {
    solver: Option<DefaultSolver<f64>>,
    p: Columns,
    a: Columns,
    shape: (usize, usize, Vec<usize>),
}

impl std::fmt::Debug for Backend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Backend").field("kept", &self.solver.is_some()).finish()
    }
}

fn matrix(rows: usize, columns: usize, from: &Columns) -> CscMatrix<f64> {
    CscMatrix::new(rows, columns, from.start.clone(), from.row.clone(), from.value.clone())
}

fn same_pattern(a: &Columns, b: &Columns) -> bool {
    a.start == b.start && a.row == b.row
}

/// The factorisation of [P Aᵀ; A 0]: by its size alone, so that the same problem has the same bits.
fn factorisation(form: &Standard, config: &Config) -> &'static str {
    let size = form.p.start.len().saturating_sub(1) + form.b.len();
    if size < config.supernodal_from { "qdldl" } else { "faer" }
}

/// One thread, no output, no scaling of its own (it would keep the scaling of the first problem of a pattern, and answers
/// would depend on history), no presolve, no dropped zeros (both forbid new data), no reduced accuracy.
fn settings(form: &Standard, config: &Config) -> DefaultSettings<f64> {
    let tolerance = config.interior_tolerance;
    DefaultSettings {
        verbose: false,
        max_iter: config.max_iterations,
        max_threads: 1,
        equilibrate_enable: false,
        presolve_enable: false,
        input_sparse_dropzeros: false,
        direct_solve_method: factorisation(form, config).into(),
        static_regularization_constant: REGULARISATION,
        tol_gap_abs: tolerance,
        tol_gap_rel: tolerance,
        tol_feas: tolerance,
        tol_infeas_abs: tolerance,
        tol_infeas_rel: tolerance,
        reduced_tol_gap_abs: tolerance,
        reduced_tol_gap_rel: tolerance,
        reduced_tol_feas: tolerance,
        reduced_tol_infeas_abs: tolerance,
        reduced_tol_infeas_rel: tolerance,
        ..DefaultSettings::default()
    }
}

/// Settings for what the usual ones do not solve: a tolerance that leaves the rest to the Newton steps, rays believed later,
/// its own scaling and regularisation, more refinement of its steps. The solver is not kept, so that its scaling is of no other problem.
fn careful(form: &Standard, config: &Config) -> DefaultSettings<f64> {
    let loose = (1e2 * config.interior_tolerance).max(1e-8);
    let mut settings = settings(form, config);
    settings.equilibrate_enable = true;
    settings.static_regularization_constant =
        DefaultSettings::<f64>::default().static_regularization_constant;
    settings.iterative_refinement_max_iter = 50;
    (settings.tol_gap_abs, settings.tol_gap_rel, settings.tol_feas) = (loose, loose, loose);
    (settings.tol_infeas_abs, settings.tol_infeas_rel) = (RAY, RAY);
    (settings.reduced_tol_infeas_abs, settings.reduced_tol_infeas_rel) = (RAY, RAY);
    settings
}

/// Part of the identity in the interior point's systems, refined away. The backend's own 1e-8 is as large as the forces that decide
/// in a jammed pile: refinement stalls, and the last digits take hundreds of iterations.
const REGULARISATION: f64 = 1e-12;

/// Tolerance of a ray in a careful solve.
const RAY: f64 = 1e-13;

impl Backend {
    /// Solves; new data go into the solver at hand where the pattern is the same. The message is the backend's own.
    pub(crate) fn solve(
        &mut self,
        form: &Standard,
        q: &[f64],
        config: &Config,
        attempt: Attempt,
    ) -> Result<Ended, String> {
        let kept = attempt == Attempt::Usual
            && self.solver.is_some()
            && self.shape == (form.equations, form.inequalities, form.cones.clone())
            && same_pattern(&self.p, &form.p)
            && same_pattern(&self.a, &form.a);
        match self.solver.as_mut().filter(|_| kept) {
            Some(solver) => solver
                .update_data(&form.p.value, &q.to_vec(), &form.a.value, &form.b)
                .map_err(|e| e.to_string())?,
            None => {
                let careful = attempt == Attempt::Careful;
                let settings = if careful { self::careful } else { settings };
                self.rebuild(form, q, settings(form, config))?;
            }
        }
        let Some(solver) = self.solver.as_mut() else { return Ok(Ended::Stuck) };
        solver.solve();
        Ok(match solver.solution.status {
            SolverStatus::Solved => Ended::Solved,
            SolverStatus::PrimalInfeasible => Ended::Infeasible,
            SolverStatus::DualInfeasible => Ended::Unbounded,
            SolverStatus::MaxIterations | SolverStatus::MaxTime => Ended::Limit,
            _ => Ended::Stuck,
        })
    }

    fn rebuild(&mut self, form: &Standard, q: &[f64], settings: DefaultSettings<f64>) -> Result<(), String> {
        self.solver = None;
        let n = q.len();
        let mut cones = Vec::new();
        if form.equations > 0 {
            cones.push(SupportedConeT::ZeroConeT(form.equations));
        }
        if form.inequalities > 0 {
            cones.push(SupportedConeT::NonnegativeConeT(form.inequalities));
        }
        cones.extend(form.cones.iter().map(|&dim| SupportedConeT::SecondOrderConeT(dim)));
        let (p, a) = (matrix(n, n, &form.p), matrix(form.b.len(), n, &form.a));
        let solver = DefaultSolver::new(&p, q, &a, &form.b, &cones, settings);
        self.solver = Some(solver.map_err(|e| e.to_string())?);
        self.p.clone_from(&form.p);
        self.a.clone_from(&form.a);
        self.shape = (form.equations, form.inequalities, form.cones.clone());
        Ok(())
    }

    /// Forgets the solver at hand.
    pub(crate) fn forget(&mut self) {
        self.solver = None;
        self.shape = Default::default();
    }

    /// x, z and the iterations of the last solve.
    pub(crate) fn result(&self) -> (&[f64], &[f64], u32) {
        match &self.solver {
            Some(s) => (&s.solution.x, &s.solution.z, s.solution.iterations),
            None => (&[], &[], 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// min ½ x² − 1e11 x over x ≥ 1e-16, which no balancing has seen.
    fn badly_scaled() -> Standard {
        let one = |value: f64| Columns { start: vec![0, 1], row: vec![0], value: vec![value] };
        let mut form = Standard::default();
        (form.p, form.a, form.b, form.inequalities) = (one(1.0), one(-1.0), vec![-1e-16], 1);
        form
    }

    /// A claim of the usual settings that is wrong does not stand: the careful ones solve the program, and leave nothing.
    #[test]
    fn careful_settings_solve_what_the_usual_ones_call_hopeless() {
        let (form, q, config) = (badly_scaled(), [-1e11], Config::default());
        let mut backend = Backend::default();
        for attempt in [Attempt::Usual, Attempt::Anew] {
            let ended = backend.solve(&form, &q, &config, attempt);
            assert!(matches!(ended, Ok(Ended::Infeasible | Ended::Unbounded)), "{ended:?}");
        }
        assert_eq!(backend.solve(&form, &q, &config, Attempt::Careful), Ok(Ended::Solved));
        assert!((backend.result().0[0] / 1e11 - 1.0).abs() < 1e-6);
        backend.forget();
        assert!(backend.result().0.is_empty());
    }
}
