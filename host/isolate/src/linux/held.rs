//! Instances of a worker: made, asked, and what they call back.

use vinci_abi::load::LoadedPlugin;
use vinci_abi::{ForeignController, ForeignDetector, ForeignSolver, ForeignStepper, Role};
use vinci_core::StageError;
use vinci_core::model::SystemView;
use vinci_core::problem::{Problem, Solution};
use vinci_core::stage::{ControlView, Controller, DetectQuery, Detector, Oracle, Solver, StepView, Stepper};

use super::order::code;
use super::views::{read_problem, write_problem};
use super::words::{Flat, Reader};

/// An instance.
pub(crate) enum Held {
    Detector(ForeignDetector),
    Stepper(Box<HeldStepper>),
    Solver(Box<ForeignSolver>),
    Controller(ForeignController),
}

/// A stepper, and what its last problem calls back.
pub(crate) struct HeldStepper {
    stage: ForeignStepper,
    /// Lent by the stage until its next call.
    oracle: Option<*const (dyn Oracle + 'static)>,
}

impl Held {
    /// Makes an instance of a role of a library.
    pub(crate) fn create(
        plugin: &LoadedPlugin,
        role: Role,
        options: &str,
        system: &SystemView<'_>,
    ) -> Result<Self, StageError> {
        Ok(match role {
            Role::Detector => Self::Detector(plugin.create_detector(options, system)?),
            Role::Stepper => {
                let stage = plugin.create_stepper(options, system)?;
                Self::Stepper(Box::new(HeldStepper { stage, oracle: None }))
            }
            Role::Solver => Self::Solver(Box::new(plugin.create_solver(options, system)?)),
            Role::Controller => Self::Controller(plugin.create_controller(options, system)?),
        })
    }

    /// The answer to a question of a step, behind its code.
    pub(crate) fn answer<'q>(
        &mut self,
        code: u64,
        mut question: Reader<'q>,
        oracle: &'q dyn Oracle,
        to: &mut Vec<u64>,
    ) -> Result<(), StageError> {
        match (code, self) {
            (code::DETECT, Self::Detector(stage)) => {
                stage.detect(&question.last::<DetectQuery<'_>>()?)?.write(to)
            }
            (code::FORMULATE, Self::Stepper(held)) => held.formulate(&question.last()?, to)?,
            (code::UPDATE, Self::Stepper(held)) => {
                held.oracle = None;
                let step = StepView::read(&mut question)?;
                held.stage.update(&step, &question.last::<Solution<'_>>()?)?.write(to);
            }
            (code::SOLVE, Self::Solver(stage)) => {
                let problem = read_problem(&mut question, oracle)?;
                stage.solve(&problem)?.write(to);
            }
            (code::CONTROL, Self::Controller(stage)) => {
                stage.control(&question.last::<ControlView<'_>>()?)?.write(to)
            }
            (code, _) => {
                return Err(StageError::unsupported(format!("no question of kind {code} to this role")));
            }
        }
        Ok(())
    }

    /// Evaluates a function of the last problem of a stepper.
    pub(crate) fn evaluate(&self, question: Reader<'_>, to: &mut Vec<u64>) -> Result<(), StageError> {
        let mut question = question;
        let (what, length) = (u32::read(&mut question)?, usize::read(&mut question)?);
        let input: &[f64] = question.last()?;
        let oracle = match self {
            Self::Stepper(held) => held.oracle,
            _ => None,
        };
        let Some(oracle) = oracle else {
            return Err(StageError::unsupported("there is nothing to call back"));
        };
        let mut output = vec![0.0; length];
        // SAFETY: lent by the stage, which has not been called since: every call takes it away first.
        unsafe { &*oracle }.call(what, input, &mut output)?;
        output.as_slice().write(to);
        Ok(())
    }

    /// The bytes of its state.
    pub(crate) fn saved(&mut self) -> Result<Vec<u8>, StageError> {
        let mut bytes = Vec::new();
        match self {
            Self::Detector(stage) => stage.try_save_state(&mut bytes),
            Self::Stepper(held) => held.called().try_save_state(&mut bytes),
            Self::Solver(stage) => stage.try_save_state(&mut bytes),
            Self::Controller(stage) => stage.try_save_state(&mut bytes),
        }?;
        Ok(bytes)
    }

    /// Takes state back.
    pub(crate) fn load(&mut self, bytes: &[u8]) -> Result<(), StageError> {
        match self {
            Self::Detector(stage) => stage.load_state(bytes),
            Self::Stepper(held) => held.called().load_state(bytes),
            Self::Solver(stage) => stage.load_state(bytes),
            Self::Controller(stage) => stage.load_state(bytes),
        }
    }

    /// Ends it.
    pub(crate) fn end(self) -> Result<(), StageError> {
        match self {
            Self::Detector(stage) => stage.end(),
            Self::Stepper(held) => held.stage.end(),
            Self::Solver(stage) => stage.end(),
            Self::Controller(stage) => stage.end(),
        }
    }

    /// A request by name.
    pub(crate) fn extension(&mut self, id: &str, input: &[u8]) -> Result<&[u8], StageError> {
        match self {
            Self::Detector(stage) => stage.extension(id, input),
            Self::Stepper(held) => held.called().extension(id, input),
            Self::Solver(stage) => stage.extension(id, input),
            Self::Controller(stage) => stage.extension(id, input),
        }
    }
}

impl HeldStepper {
    /// The stage, which is about to be called.
    fn called(&mut self) -> &mut ForeignStepper {
        self.oracle = None;
        &mut self.stage
    }

    fn formulate(&mut self, step: &StepView<'_>, to: &mut Vec<u64>) -> Result<(), StageError> {
        self.oracle = None;
        let problem = self.stage.formulate(step)?;
        write_problem(&problem, to)?;
        if let Problem::Root(root) = &problem {
            let oracle: *const (dyn Oracle + '_) = root.oracle;
            // SAFETY: only the lifetime is forgotten, and a pointer has none; `called` and its like keep the promise that `evaluate` relies on.
            let oracle = unsafe {
                std::mem::transmute::<*const (dyn Oracle + '_), *const (dyn Oracle + 'static)>(oracle)
            };
            self.oracle = Some(oracle);
        }
        Ok(())
    }
}
