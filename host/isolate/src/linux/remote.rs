//! Stages of this program that ask an instance in a worker.

use std::path::Path;
use std::sync::Arc;

use vinci_abi::{ControllerPlugin, DetectorPlugin, Manifest, Role, SolverPlugin, StepperPlugin};
use vinci_core::StageError;
use vinci_core::contact::RawContacts;
use vinci_core::model::SystemView;
use vinci_core::problem::{Problem, Solution};
use vinci_core::stage::{
    Commands, ControlView, Controller, DetectQuery, Detector, Oracle, Solver, StepView, Stepper, Update,
};

use super::order::{LibraryFile, Order, OwnSystem, code};
use super::pool::Workers;
use super::stages::stages;
use super::views::{read_problem, write_problem};
use super::watched::Asking;
use super::words::{Flat, Reader};
use super::worker::Worker;
use crate::limits::Limits;

/// An instance in a worker, and room for what is said.
pub(crate) struct Remote {
    worker: Arc<Worker>,
    workers: Arc<Workers>,
    plugin: Arc<str>,
    role: Role,
    instance: u64,
    /// True once there is one.
    made: bool,
    question: Vec<u64>,
    answer: Vec<u64>,
    oracle: RemoteOracle,
}

/// Library and limits that an instance is made with.
pub(crate) struct Source<'a> {
    pub(crate) path: &'a Path,
    pub(crate) digest: &'a str,
    pub(crate) limits: Limits,
}

impl Remote {
    /// Makes an instance.
    pub(crate) fn create(
        workers: &Arc<Workers>,
        source: &Source<'_>,
        (role, id): (Role, &str),
        options: &str,
        system: &SystemView<'_>,
    ) -> Result<Self, StageError> {
        let (plugin, asking): (Arc<str>, _) = (id.into(), Asking { plugin: id, call: "create" });
        let worker = workers.worker(role, source.path, source.limits, asking)?;
        let instance = worker.enter(role);
        let oracle = RemoteOracle { worker: worker.clone(), plugin: plugin.clone(), instance };
        let (question, answer, workers) = (Vec::new(), Vec::new(), workers.clone());
        // From here on, so that its end is told in any case.
        let mut remote =
            Self { worker, workers, plugin, role, instance, made: false, question, answer, oracle };
        let library = LibraryFile { path: source.path.into(), digest: source.digest.to_owned() };
        let (options, system) = (options.to_owned(), Box::new(OwnSystem::from(system)));
        remote.order::<()>("create", &Order::Create { library, role, options, system, instance })?;
        remote.made = true;
        Ok(remote)
    }

    fn asking(&self, call: &'static str) -> Asking<'_> {
        Asking { plugin: &self.plugin, call }
    }

    fn order<T: serde::de::DeserializeOwned>(
        &self,
        call: &'static str,
        order: &Order,
    ) -> Result<T, StageError> {
        self.worker.order(self.asking(call), order).map_err(|error| error.by(&self.plugin))
    }

    /// Asks about what `write` appends, and reads the answer.
    fn ask<'s, T: Flat<'s>>(
        &'s mut self,
        (code, call): (u64, &'static str),
        oracle: Option<&dyn Oracle>,
        write: impl FnOnce(&mut Vec<u64>) -> Result<(), StageError>,
    ) -> Result<T, StageError> {
        self.question.clear();
        self.question.extend([code, self.instance]);
        write(&mut self.question)?;
        let asking = Asking { plugin: &self.plugin, call };
        let words = self.worker.ask(asking, &self.question, oracle, &mut self.answer)?;
        Reader::new(words).last().map_err(|flaw| self.worker.garbled(asking, &flaw))
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        match self.order::<Vec<u8>>("save", &Order::Save(self.instance)) {
            Ok(saved) => bytes.extend(saved),
            // A run that went on with half a state would look right: nothing is asked of this worker any more.
            Err(error) => {
                let error =
                    if error.kind.is_fault() { error } else { self.asking("save").fault(&error.message) };
                self.worker
                    .lose(self.asking("save"), "gave no state to go on from, and its process was ended");
                self.workers.keep(error);
            }
        }
    }

    fn load(&self, bytes: &[u8]) -> Result<(), StageError> {
        self.order("load", &Order::Load(self.instance, bytes.to_vec()))
    }

    fn extension(&mut self, id: &str, input: &[u8], output: &mut Vec<u8>) -> Result<(), StageError> {
        let order = Order::Extension(self.instance, id.to_owned(), input.to_vec());
        output.extend(self.order::<Vec<u8>>("extension", &order)?);
        Ok(())
    }

    fn end(&self) -> Result<(), StageError> {
        if self.worker.is_lost() {
            return Ok(());
        }
        if self.made {
            self.order::<()>("destroy", &Order::Destroy(self.instance))?;
        }
        self.worker.leave(self.role);
        // The last one sees the worker off.
        if self.worker.is_empty() { self.worker.part(self.asking("end")) } else { Ok(()) }
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        if let Err(failure) = self.end() {
            self.workers.keep(failure);
        }
    }
}

/// Functions of the last problem of a stepper in a worker.
struct RemoteOracle {
    worker: Arc<Worker>,
    plugin: Arc<str>,
    instance: u64,
}

impl Oracle for RemoteOracle {
    fn call(&self, what: u32, input: &[f64], output: &mut [f64]) -> Result<(), StageError> {
        let asking = Asking { plugin: &self.plugin, call: "call-back" };
        let mut question = vec![code::EVALUATE, self.instance, what.into(), output.len() as u64];
        input.write(&mut question);
        let mut answer = Vec::new();
        let words = self.worker.ask(asking, &question, None, &mut answer)?;
        let values: &[f64] = Reader::new(words).last().map_err(|flaw| self.worker.garbled(asking, &flaw))?;
        if values.len() != output.len() {
            let (found, expected) = (values.len(), output.len());
            return Err(asking.fault(&format!("gave {found} numbers where {expected} are expected")));
        }
        output.copy_from_slice(values);
        Ok(())
    }
}

stages! {
    Remote;
    /// A detector in a worker.
    RemoteDetector: DetectorPlugin, Detector, Detector {
        fn detect<'s>(&'s mut self, query: &DetectQuery<'_>) -> Result<RawContacts<'s>, StageError> {
            self.0.ask((code::DETECT, "detect"), None, |to| { query.write(to); Ok(()) })
        }
    }
    /// A stepper in a worker.
    RemoteStepper: StepperPlugin, Stepper, Stepper {
        fn formulate<'s>(&'s mut self, step: &StepView<'_>) -> Result<Problem<'s>, StageError> {
            let remote = &mut self.0;
            remote.question.clear();
            remote.question.extend([code::FORMULATE, remote.instance]);
            step.write(&mut remote.question);
            let asking = Asking { plugin: &remote.plugin, call: "formulate" };
            let words = remote.worker.ask(asking, &remote.question, None, &mut remote.answer)?;
            let mut from = Reader::new(words);
            let problem = read_problem(&mut from, &remote.oracle).and_then(|p| from.end().map(|()| p));
            problem.map_err(|flaw| remote.worker.garbled(asking, &flaw))
        }

        fn update<'s>(
            &'s mut self,
            step: &StepView<'_>,
            solution: &Solution<'_>,
        ) -> Result<Update<'s>, StageError> {
            self.0.ask((code::UPDATE, "update"), None, |to| {
                step.write(to);
                solution.write(to);
                Ok(())
            })
        }
    }
    /// A solver in a worker.
    RemoteSolver: SolverPlugin, Solver, Solver {
        fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
            let oracle = match problem {
                Problem::Root(root) => Some(root.oracle),
                _ => None,
            };
            self.0.ask((code::SOLVE, "solve"), oracle, |to| write_problem(problem, to))
        }
    }
    /// A controller in a worker.
    RemoteController: ControllerPlugin, Controller, Controller {
        fn control<'s>(&'s mut self, view: &ControlView<'_>) -> Result<Commands<'s>, StageError> {
            self.0.ask((code::CONTROL, "control"), None, |to| { view.write(to); Ok(()) })
        }
    }
}
