//! Stages of this program that ask an instance in a program that speaks the worker protocol.

use std::sync::Arc;

use serde_json::{Value, json};
use vinci_abi::fault::Flaw;
use vinci_abi::{ControllerPlugin, DetectorPlugin, Manifest, Role, SolverPlugin, StepperPlugin, shape_name};
use vinci_core::StageError;
use vinci_core::contact::RawContacts;
use vinci_core::model::{ShapeKind, ShapeView, SystemView};
use vinci_core::problem::{Problem, Solution};
use vinci_core::stage::{
    Commands, ControlView, Controller, DetectQuery, Detector, Solver, StepView, Stepper, Update,
};

use super::message::{Incoming, Outgoing};
use super::named::Named;
use super::pool::Workers;
use super::speaker::Speaker;
use super::stages::stages;
use super::views::{get_problem, put_problem};
use super::watched::Asking;

/// An instance in a program, and its last answer.
pub(crate) struct Spoken {
    speaker: Arc<Speaker>,
    workers: Arc<Workers>,
    plugin: Arc<str>,
    instance: u64,
    /// True once there is one.
    made: bool,
    answer: Option<Incoming>,
}

impl Spoken {
    /// Makes an instance; options are complete.
    pub(crate) fn create(
        (speaker, workers): (Arc<Speaker>, Arc<Workers>),
        (role, id): (Role, &str),
        options: &str,
        system: &SystemView<'_>,
    ) -> Result<Self, StageError> {
        let instance = speaker.instance();
        let mut spoken = Self { speaker, workers, plugin: id.into(), instance, made: false, answer: None };
        let mut question = spoken.question("create");
        let options: Value =
            serde_json::from_str(options).map_err(|e| StageError::bad_option(e.to_string()))?;
        question.set("role", role.name());
        question.set("id", id);
        question.set("options", options);
        put_system(system, &mut question);
        spoken.speaker.ask(spoken.asking("create"), question)?;
        spoken.made = true;
        Ok(spoken)
    }

    fn asking(&self, call: &'static str) -> Asking<'_> {
        Asking { plugin: &self.plugin, call }
    }

    fn question(&self, call: &str) -> Outgoing {
        let mut question = Outgoing::new(call);
        question.set("instance", self.instance);
        question
    }

    /// Asks, keeps the answer, and looks up in it what it is to hold.
    fn ask<'s, T>(
        &'s mut self,
        call: &'static str,
        question: Outgoing,
        read: impl FnOnce(&'s Incoming) -> Result<T, Flaw>,
    ) -> Result<T, StageError> {
        let asking = Asking { plugin: &self.plugin, call };
        let answer = self.answer.insert(self.speaker.ask(asking, question)?);
        read(answer).map_err(|flaw| asking.fault(&format!("broke the worker protocol: {}", flaw.message)))
    }

    fn bytes(&self, call: &'static str, question: Outgoing, name: &str) -> Result<Vec<u8>, StageError> {
        let answer = self.speaker.ask(self.asking(call), question)?;
        let bytes = <&[u8]>::get(name, &answer).map(<[u8]>::to_vec);
        bytes.map_err(|flaw| self.asking(call).fault(&format!("broke the worker protocol: {}", flaw.message)))
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        match self.bytes("save", self.question("save"), "state") {
            Ok(saved) => bytes.extend(saved),
            // A run that went on with half a state would look right: nothing is asked of this program any more.
            Err(error) => {
                let asking = self.asking("save");
                let error = if error.kind.is_fault() { error } else { asking.fault(&error.message) };
                self.speaker.lose(asking, "gave no state to go on from, and its process was ended");
                self.workers.keep(error);
            }
        }
    }

    fn load(&self, bytes: &[u8]) -> Result<(), StageError> {
        let mut question = self.question("load");
        bytes.put("state", &mut question);
        self.speaker.ask(self.asking("load"), question).map(drop)
    }

    fn extension(&mut self, id: &str, input: &[u8], output: &mut Vec<u8>) -> Result<(), StageError> {
        let mut question = self.question("extension");
        question.set("extension", id);
        input.put("input", &mut question);
        output.extend(self.bytes("extension", question, "output")?);
        Ok(())
    }
}

impl Drop for Spoken {
    fn drop(&mut self) {
        if !self.made || self.speaker.is_lost() {
            return;
        }
        let asking = self.asking("destroy");
        if let Err(failure) = self.speaker.ask(asking, self.question("destroy")) {
            // An end can fail, but not be refused.
            let refused = |e: StageError| asking.fault(&format!("refuses: {}", e.message));
            self.workers.keep(if failure.kind.is_fault() { failure } else { refused(failure) });
        }
    }
}

/// Appends what an instance is made for.
fn put_system(system: &SystemView<'_>, to: &mut Outgoing) {
    let SystemView {
        space,
        body_names,
        is_static,
        shapes,
        ignored_pairs,
        nv,
        nq,
        accepted,
        driven,
        dof_names,
        dof_coordinate,
        efforts,
        set_points,
    } = system;
    to.set("body_names", body_names.to_vec());
    to.set("dof_names", dof_names.to_vec());
    let kinds = shapes.iter().map(|shape| json!({ "kind": kind(shape), "body": shape.body }));
    to.set("shapes", kinds.collect::<Vec<_>>());
    for (k, shape) in shapes.iter().enumerate() {
        shape.pose.put(&format!("shapes.{k}.pose"), to);
        shape.params.put(&format!("shapes.{k}.params"), to);
        shape.indices.put(&format!("shapes.{k}.indices"), to);
    }
    space.put("space", to);
    is_static.put("is_static", to);
    ignored_pairs.put("ignored_pairs", to);
    nv.put("nv", to);
    nq.put("nq", to);
    accepted.put("accepted", to);
    driven.put("driven", to);
    dof_coordinate.put("dof_coordinate", to);
    efforts.put("efforts", to);
    set_points.put("set_points", to);
}

/// Name of the kind of a shape; none for one that has none.
fn kind(shape: &ShapeView<'_>) -> Option<String> {
    ShapeKind::from_code(shape.kind).map(shape_name)
}

stages! {
    Spoken;
    /// A detector in a program.
    SpokenDetector: DetectorPlugin, Detector, Detector {
        fn detect<'s>(&'s mut self, query: &DetectQuery<'_>) -> Result<RawContacts<'s>, StageError> {
            let mut question = self.0.question("detect");
            query.put("", &mut question);
            self.0.ask("detect", question, |answer| Named::get("", answer))
        }
    }
    /// A stepper in a program.
    SpokenStepper: StepperPlugin, Stepper, Stepper {
        fn formulate<'s>(&'s mut self, step: &StepView<'_>) -> Result<Problem<'s>, StageError> {
            let mut question = self.0.question("formulate");
            step.put("", &mut question);
            self.0.ask("formulate", question, get_problem)
        }

        fn update<'s>(
            &'s mut self,
            step: &StepView<'_>,
            solution: &Solution<'_>,
        ) -> Result<Update<'s>, StageError> {
            let mut question = self.0.question("update");
            step.put("", &mut question);
            solution.put("solution", &mut question);
            self.0.ask("update", question, |answer| Named::get("", answer))
        }
    }
    /// A solver in a program.
    SpokenSolver: SolverPlugin, Solver, Solver {
        fn solve<'s>(&'s mut self, problem: &Problem<'_>) -> Result<Solution<'s>, StageError> {
            let mut question = self.0.question("solve");
            put_problem(problem, &mut question)?;
            self.0.ask("solve", question, |answer| Named::get("", answer))
        }
    }
    /// A controller in a program.
    SpokenController: ControllerPlugin, Controller, Controller {
        fn control<'s>(&'s mut self, view: &ControlView<'_>) -> Result<Commands<'s>, StageError> {
            let mut question = self.0.question("control");
            view.put("", &mut question);
            self.0.ask("control", question, |answer| Named::get("", answer))
        }
    }
}
