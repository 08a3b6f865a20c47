//! Steppers: the functions that cross, how a plugin offers them, how the host calls them.

use std::ffi::c_void;
use std::sync::Arc;

use abi_stable::StableAbi;
use vinci_core::StageError;
use vinci_core::model::{MotionModel, SystemView};
use vinci_core::problem::{Conic, Mlcp, Problem, Solution};
use vinci_core::stage::{StepView, Stepper, Update, Verdict};

use crate::common::{exported_lifecycle, foreign_methods, foreign_state};
use crate::fault::Flaw;
use crate::finite::finite;
use crate::foreign::{Handle, Lifecycle, length, returned};
use crate::guard;
use crate::inspect;
use crate::manifest::Manifest;
use crate::raw::{self, Crossing, ErrorText, ProblemView, Scratch, SolutionView, UpdateView};

/// A stepper that can be exported.
pub trait StepperPlugin: Stepper + Sized + 'static {
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

/// The functions of a stepper.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct StepperFunctions {
    /// Create, save, load, extension, destroy.
    pub lifecycle: Lifecycle,
    /// Gives the problem of a step.
    pub formulate:
        unsafe extern "C" fn(*mut c_void, *const raw::StepView, *mut ProblemView, *mut ErrorText) -> i32,
    /// Says what follows from its solution.
    pub update: unsafe extern "C" fn(
        *mut c_void,
        *const raw::StepView,
        *const SolutionView,
        *mut UpdateView,
        *mut ErrorText,
    ) -> i32,
}

impl StepperFunctions {
    /// The functions of `T`.
    pub const fn of<T: StepperPlugin>() -> Self {
        Self { lifecycle: lifecycle::<T>(), formulate: formulate::<T>, update: update::<T> }
    }
}

exported_lifecycle!(StepperPlugin, Stepper);

unsafe extern "C" fn formulate<T: StepperPlugin>(
    instance: *mut c_void,
    step: *const raw::StepView,
    out: *mut ProblemView,
    error: *mut ErrorText,
) -> i32 {
    // SAFETY: the host passes an instance of this role, a view that lives during the call, and a place for the result.
    unsafe {
        guard::call::<T>(instance, error, |instance| {
            (*step).space.known("space")?;
            let step = (*step).get();
            inspect::step(&step)?;
            let problem = instance.stage.formulate(&step)?;
            *out = ProblemView::outgoing(&problem, &mut instance.scratch)?;
            Ok(())
        })
    }
}

unsafe extern "C" fn update<T: StepperPlugin>(
    instance: *mut c_void,
    step: *const raw::StepView,
    solution: *const SolutionView,
    out: *mut UpdateView,
    error: *mut ErrorText,
) -> i32 {
    // SAFETY: the host passes an instance of this role, views that live during the call, and a place for the result.
    unsafe {
        guard::call::<T>(instance, error, |instance| {
            (*step).space.known("space")?;
            let step = (*step).get();
            inspect::step(&step)?;
            let update = instance.stage.update(&step, &(*solution).checked("solution")?)?;
            *out = UpdateView::outgoing(&update);
            Ok(())
        })
    }
}

/// A stepper in a foreign library.
pub struct ForeignStepper {
    handle: Handle,
    functions: StepperFunctions,
    scratch: Scratch,
}

impl ForeignStepper {
    /// A new instance.
    ///
    /// # Safety
    /// The functions must come from a library that keeps the contract and is never unloaded.
    pub unsafe fn create(
        plugin: Arc<str>,
        functions: StepperFunctions,
        options: &str,
        system: &SystemView<'_>,
    ) -> Result<Self, StageError> {
        let scratch = Scratch::new(format!("plugin {plugin}").into());
        // SAFETY: the caller's promise.
        let handle = unsafe { Handle::create(plugin, functions.lifecycle, options, system) }?;
        Ok(Self { handle, functions, scratch })
    }

    /// A stepper of this program that stands for one elsewhere: what it answers is looked at as if a library had.
    pub fn over<T: StepperPlugin>(plugin: Arc<str>, stage: T, system: &SystemView<'_>) -> Self {
        let scratch = Scratch::new(format!("plugin {plugin}").into());
        let functions = StepperFunctions::of::<T>();
        let handle = Handle::over(plugin, functions.lifecycle, stage, system);
        Self { handle, functions, scratch }
    }

    foreign_methods!();
}

impl Stepper for ForeignStepper {
    fn formulate<'s>(&'s mut self, step: &StepView<'_>) -> Result<Problem<'s>, StageError> {
        self.handle.guard(|_| inspect::step(step))?;
        let view = raw::StepView::outgoing(step);
        let mut out = ProblemView::default();
        let function = self.functions.formulate;
        // SAFETY: a live instance and its own function; the view borrows the step for the call.
        self.handle
            .call("formulate", |instance, error| unsafe { function(instance, &view, &mut out, error) })?;
        // SAFETY: the plugin owns these arrays until its next call, and `self` is borrowed that long.
        let problem = unsafe { out.incoming(&mut self.scratch) };
        let checked = problem.and_then(|p| check_problem(&p).map(|()| p));
        checked.map_err(|flaw| self.handle.at_fault("formulate", returned(flaw)))
    }

    fn update<'s>(
        &'s mut self,
        step: &StepView<'_>,
        solution: &Solution<'_>,
    ) -> Result<Update<'s>, StageError> {
        self.handle.guard(|_| inspect::step(step))?;
        let view = raw::StepView::outgoing(step);
        let solution = SolutionView::outgoing(solution);
        let mut out = UpdateView::default();
        let function = self.functions.update;
        // SAFETY: a live instance and its own function; the views borrow step and solution for the call.
        self.handle.call("update", |instance, error| unsafe {
            function(instance, &view, &solution, &mut out, error)
        })?;
        // SAFETY: the plugin owns these arrays until its next call, and `self` is borrowed that long.
        let update = unsafe { out.checked("update") };
        let checked = update.and_then(|u| check_update(&u, step).map(|()| u));
        checked.map_err(|flaw| self.handle.at_fault("update", returned(flaw)))
    }

    foreign_state!();
}

fn check_problem(problem: &Problem<'_>) -> Result<(), Flaw> {
    match problem {
        Problem::Mlcp(p) => check_mlcp(p),
        Problem::Cone(c) => {
            check_mlcp(&c.rows)?;
            c.check_blocks().map_err(Flaw::output)
        }
        Problem::Conic(p) => check_conic(p),
        Problem::Qpcc(p) => {
            check_conic(&p.qp)?;
            p.check_pairs().map_err(Flaw::output)
        }
        Problem::Root(r) => {
            check_scales("scale of r", r.scale)?;
            finite("start", r.start)
        }
        _ => Ok(()),
    }
}

fn check_mlcp(p: &Mlcp<'_>) -> Result<(), Flaw> {
    finite("q", p.q)?;
    finite("value of M", p.m.value)?;
    finite("guess", p.guess)?;
    inspect::mlcp(p).map_err(Flaw::output)?;
    [("scale of z", p.z_scale), ("scale of w", p.w_scale)]
        .into_iter()
        .try_for_each(|(what, s)| check_scales(what, s))
}

fn check_conic(p: &Conic<'_>) -> Result<(), Flaw> {
    finite("guess", p.guess)?;
    finite("guess of y", p.dual_guess)?;
    p.check().map_err(Flaw::output)?;
    check_scales("scale of x", p.x_scale)?;
    check_scales("scale of row", p.s_scale)
}

fn check_scales(what: &str, scales: &[f64]) -> Result<(), Flaw> {
    if scales.iter().fold(true, |fine, &s| fine & (s > 0.0 && s < f64::INFINITY)) {
        return Ok(());
    }
    let i = scales.iter().position(|&s| !(s > 0.0 && s < f64::INFINITY)).unwrap_or_default();
    Err(Flaw::output(format!("{what}[{i}] is {}, not positive and finite", scales[i])))
}

fn check_update(u: &Update<'_>, step: &StepView<'_>) -> Result<(), Flaw> {
    match u.verdict {
        Verdict::Accept | Verdict::Impact => check_accepted(u, step),
        Verdict::Redetect => {
            length("positions to detect at", u.q.len(), step.q.len())?;
            finite("q", u.q)
        }
        Verdict::Evaluate => {
            if !(0.0..=step.h).contains(&u.h_used) {
                return Err(Flaw::output(format!(
                    "an evaluation {} s after the start of a step of {}",
                    u.h_used, step.h
                )));
            }
            length("positions to evaluate at", u.q.len(), step.q.len())?;
            length("velocities to evaluate at", u.v.len(), step.nv())?;
            finite("q", u.q)?;
            finite("v", u.v)
        }
        Verdict::Retry if !(u.h_next > 0.0 && u.h_next < f64::INFINITY) => {
            Err(Flaw::output(format!("a retry with step {}", u.h_next)))
        }
        Verdict::Again | Verdict::Retry | Verdict::Fail => Ok(()),
    }
}

fn check_accepted(u: &Update<'_>, step: &StepView<'_>) -> Result<(), Flaw> {
    let taken = u.verdict == Verdict::Impact || (u.h_used > 0.0 && u.h_used <= step.h);
    if !(taken && u.h_next >= 0.0 && u.h_next.is_finite()) {
        let h = step.h;
        return Err(Flaw::output(format!(
            "a step of {} where {h} was asked, with {} to follow",
            u.h_used, u.h_next
        )));
    }
    let sizes = inspect::sizes(step);
    if !UpdateView::fits(u, &sizes) {
        UpdateView::measure(u, &sizes).map_err(Flaw::output)?;
    }
    check_scales("factor of mass", u.mass_scale)?;
    UpdateView::finite(u)?;
    if let Some(i) = u.normal_rate.iter().position(|c| c.is_nan() || *c == f64::NEG_INFINITY) {
        return Err(Flaw::non_finite(format!("normal rate[{i}] is {}", u.normal_rate[i])));
    }
    match u.motion.iter().find(|&&code| MotionModel::from_code(code).is_none()) {
        Some(code) => Err(Flaw::output(format!("{code} is not the code of a motion model"))),
        None => Ok(()),
    }
}
