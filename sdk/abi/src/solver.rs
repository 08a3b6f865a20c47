//! Solvers: the functions that cross, how a plugin offers them, how the host calls them.

use std::ffi::c_void;
use std::sync::Arc;

use abi_stable::StableAbi;
use vinci_core::StageError;
use vinci_core::model::SystemView;
use vinci_core::problem::{Problem, Solution, Status};
use vinci_core::stage::Solver;

use crate::common::{exported_lifecycle, foreign_methods, foreign_state};
use crate::fault::Flaw;
use crate::finite::finite;
use crate::foreign::{Handle, Lifecycle, length, returned};
use crate::guard;
use crate::inspect;
use crate::manifest::Manifest;
use crate::raw::{Crossing, ErrorText, ProblemView, Scratch, SolutionView};

/// A solver that can be exported.
pub trait SolverPlugin: Solver + Sized + 'static {
    /// Manifest of the plugin.
    fn manifest() -> Manifest;

    /// A new instance from options (JSON text, empty for none) and the system it will work for.
    fn create(options: &str, system: &SystemView<'_>) -> Result<Self, StageError>;

    /// Extension point: answers request `id`. An unknown request is refused as unsupported.
    fn extension(&mut self, id: &str, input: &[u8], output: &mut Vec<u8>) -> Result<(), StageError> {
        let _ = (input, output);
        Err(StageError::unsupported(format!("extension {id} is not supported")))
    }
}

/// The functions of a solver.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct SolverFunctions {
    /// Create, save, load, extension, destroy.
    pub lifecycle: Lifecycle,
    /// Solves one problem.
    pub solve:
        unsafe extern "C" fn(*mut c_void, *const ProblemView, *mut SolutionView, *mut ErrorText) -> i32,
}

impl SolverFunctions {
    /// The functions of `T`.
    pub const fn of<T: SolverPlugin>() -> Self {
        Self { lifecycle: lifecycle::<T>(), solve: solve::<T> }
    }
}

exported_lifecycle!(SolverPlugin, Solver);

unsafe extern "C" fn solve<T: SolverPlugin>(
    instance: *mut c_void,
    problem: *const ProblemView,
    out: *mut SolutionView,
    error: *mut ErrorText,
) -> i32 {
    // SAFETY: the host passes an instance of this role, a view that lives during the call, and a place for the result.
    unsafe {
        guard::call::<T>(instance, error, |instance| {
            let problem = (*problem).incoming(&mut instance.scratch)?;
            inspect::problem(&problem)?;
            let solution = instance.stage.solve(&problem)?;
            *out = SolutionView::outgoing(&solution);
            Ok(())
        })
    }
}

/// A solver in a foreign library.
pub struct ForeignSolver {
    handle: Handle,
    functions: SolverFunctions,
    scratch: Scratch,
}

impl ForeignSolver {
    /// A new instance.
    ///
    /// # Safety
    /// The functions must come from a library that keeps the contract and is never unloaded.
    pub unsafe fn create(
        plugin: Arc<str>,
        functions: SolverFunctions,
        options: &str,
        system: &SystemView<'_>,
    ) -> Result<Self, StageError> {
        // SAFETY: the caller's promise.
        let handle = unsafe { Handle::create(plugin, functions.lifecycle, options, system) }?;
        Ok(Self { handle, functions, scratch: Scratch::new("the stepper".into()) })
    }

    /// A solver of this program that stands for one elsewhere: what it answers is looked at as if a library had.
    pub fn over<T: SolverPlugin>(plugin: Arc<str>, stage: T, system: &SystemView<'_>) -> Self {
        let functions = SolverFunctions::of::<T>();
        let handle = Handle::over(plugin, functions.lifecycle, stage, system);
        Self { handle, functions, scratch: Scratch::new("the stepper".into()) }
    }

    foreign_methods!();
}

impl Solver for ForeignSolver {
    fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
        self.handle.guard(|_| inspect::problem(problem))?;
        let view = ProblemView::outgoing(problem, &mut self.scratch)?;
        let mut out = SolutionView::default();
        let function = self.functions.solve;
        // SAFETY: a live instance and its own function; the view borrows the problem for the call.
        self.handle.call("solve", |instance, error| unsafe { function(instance, &view, &mut out, error) })?;
        // SAFETY: the plugin owns these arrays until its next call, and `self` is borrowed that long.
        let solution = unsafe { out.checked("solution") };
        let checked = solution.and_then(|s| check(&s, problem).map(|()| s));
        checked.map_err(|flaw| self.handle.at_fault("solve", returned(flaw)))
    }

    foreign_state!();
}

fn check(s: &Solution<'_>, problem: &Problem<'_>) -> Result<(), Flaw> {
    let (n, m) = (problem.len(), problem.dual_len());
    length("values of z", s.z.len(), n)?;
    finite("z", s.z)?;
    finite("dual", s.dual)?;
    if m > 0 && (s.status == Status::Converged || !s.dual.is_empty()) {
        length("values of the dual", s.dual.len(), m)?;
    }
    if !s.certificate.is_empty() {
        match (problem, s.status) {
            // A list of leaves of any length: see `vinci_core::problem::proves_no_mode`.
            (Problem::Qpcc(_), _) => {}
            (Problem::Conic(_), Status::Infeasible) => {
                length("values of the certificate", s.certificate.len(), m)?
            }
            _ => length("values of the certificate", s.certificate.len(), n)?,
        }
        finite("certificate", s.certificate)?;
    }
    // −∞ and NaN say that nothing is proved; no objective lies above +∞.
    if s.bound == f64::INFINITY {
        return Err(Flaw::non_finite("the bound is +inf".into()));
    }
    // An infinite residual is an honest "nothing found"; NaN is not.
    if s.residual.is_nan() { Err(Flaw::non_finite("the residual is NaN".into())) } else { Ok(()) }
}
