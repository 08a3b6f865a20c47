//! A worker as its host sees it: questions, answers, what is called back in between, and its end.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::de::DeserializeOwned;
use vinci_abi::Role;
use vinci_abi::fault::Flaw;
use vinci_core::StageError;
use vinci_core::error::ErrorKind;
use vinci_core::stage::Oracle;

use super::line::{Line, Side, Silence};
use super::lock::locked;
use super::order::{Order, PathBytes, Refusal, code, pack, unpack};
use super::process::Process;
use super::region::Region;
use super::watched::{Asking, Waited, Watched};
use super::words::{Flat, Reader};
use crate::limits::Limits;

/// Longest output that a call-back may ask for, numbers: more than any problem that fits has.
const LONGEST_OUTPUT: usize = super::region::LONGEST;

/// A worker. One thread asks it.
pub(crate) struct Worker {
    line: Line,
    watched: Watched,
    /// Libraries that it may read.
    libraries: Vec<PathBuf>,
    /// Roles of the instances in it.
    roles: Mutex<Vec<Role>>,
    instances: AtomicU64,
}

impl Worker {
    /// Starts one that may read some libraries, for `asking`. Returns it with what the system lacks to keep it apart.
    pub(crate) fn start(
        program: &Path,
        limits: Limits,
        libraries: Vec<PathBuf>,
        asking: Asking<'_>,
    ) -> Result<(Self, Vec<String>), StageError> {
        let started =
            Region::new().and_then(|(region, memory)| Ok((region, Process::start(program, memory)?)));
        let (region, process) = started.map_err(|e| {
            let message = format!("no worker process can be had for {}: {e}", asking.plugin);
            StageError::new(ErrorKind::Other, message)
        })?;
        let worker = Self {
            line: Line::new(region, Side::Host),
            watched: Watched::new(process, limits, false),
            libraries,
            roles: Mutex::default(),
            instances: AtomicU64::new(0),
        };
        let readable = worker.libraries.iter().map(|path| PathBytes::from(path.as_path())).collect();
        let lacks = worker.order(asking, &Order::Begin { limits, readable })?;
        Ok((worker, lacks))
    }

    /// Returns true if an instance of a role may join those that are there.
    pub(crate) fn welcomes(&self, role: Role, library: &Path, limits: Limits) -> bool {
        let roles = locked(&self.roles);
        let can = self.watched.limits() == limits && self.libraries.iter().any(|path| path == library);
        can && !roles.contains(&role) && !self.is_lost()
    }

    /// A number for an instance of a role.
    pub(crate) fn enter(&self, role: Role) -> u64 {
        locked(&self.roles).push(role);
        self.instances.fetch_add(1, Ordering::Relaxed)
    }

    /// An instance of a role is gone.
    pub(crate) fn leave(&self, role: Role) {
        let mut roles = locked(&self.roles);
        roles.iter().position(|r| *r == role).map(|at| roles.remove(at));
    }

    /// An order, and its answer.
    pub(crate) fn order<T: DeserializeOwned>(
        &self,
        asking: Asking<'_>,
        order: &Order,
    ) -> Result<T, StageError> {
        let (mut message, mut answer) = (Vec::new(), Vec::new());
        pack(code::ORDER, order, &mut message)?;
        let words = self.ask(asking, &message, None, &mut answer)?;
        unpack(words).map_err(|flaw| self.garbled(asking, &flaw))
    }

    /// Asks, and answers what is called back until the answer is there. Returns what follows its code.
    pub(crate) fn ask<'b>(
        &self,
        asking: Asking<'_>,
        message: &[u64],
        oracle: Option<&dyn Oracle>,
        answer: &'b mut Vec<u64>,
    ) -> Result<&'b [u64], StageError> {
        self.watched.check(asking)?;
        self.say(asking, message)?;
        let mut waited = Waited::new();
        loop {
            self.listen(asking, &mut waited, answer)?;
            match answer.first() {
                Some(&code::DONE) => return Ok(&answer[1..]),
                Some(&code::ASK) => {
                    // The deadline also ends a plugin that calls back for ever.
                    let deadline = self.watched.limits().deadline;
                    self.watched.in_time(&mut waited, deadline).map_err(|why| self.lose(asking, &why))?;
                    let reply = self.call_back(oracle, &answer[1..]);
                    self.say(asking, &reply.map_err(|flaw| self.garbled(asking, &flaw))?)?;
                }
                _ => return Err(self.refusal(asking, answer)),
            }
        }
    }

    /// The refusal that a message is; a fault where it is none.
    fn refusal(&self, asking: Asking<'_>, message: &[u64]) -> StageError {
        let refusal: Result<Refusal, Flaw> = match message.split_first() {
            Some((&code::REFUSED, refusal)) => unpack(refusal),
            _ => Err(Flaw::output("a message of no kind".to_owned())),
        };
        refusal.map_or_else(|flaw| self.garbled(asking, &flaw), StageError::from)
    }

    /// The reply to a question in the middle of a call.
    fn call_back(&self, oracle: Option<&dyn Oracle>, question: &[u64]) -> Result<Vec<u64>, Flaw> {
        let mut from = Reader::new(question);
        let (what, length) = (u32::read(&mut from)?, usize::read(&mut from)?);
        let input: &[f64] = from.last()?;
        let Some(oracle) = oracle else {
            return Err(Flaw::output("a call back where there is nothing to call".into()));
        };
        if length > LONGEST_OUTPUT {
            return Err(Flaw::output(format!("a call back for {length} numbers")));
        }
        let mut output = vec![0.0; length];
        let mut reply = vec![code::RETURN];
        match oracle.call(what, input, &mut output) {
            Ok(()) => output.as_slice().write(&mut reply),
            Err(refusal) => pack(code::RETURN_REFUSED, &Refusal::from(&refusal), &mut reply)
                .map_err(|e| Flaw::output(e.message))?,
        }
        Ok(reply)
    }

    fn say(&self, asking: Asking<'_>, message: &[u64]) -> Result<(), StageError> {
        self.line.send(message).map_err(|bytes| {
            let most = super::region::LONGEST * 8;
            let message = format!(
                "{bytes} bytes for {} are more than the {most} that a worker can be given",
                asking.call
            );
            StageError::unsupported(message).by(asking.plugin)
        })
    }

    fn listen(&self, asking: Asking<'_>, waited: &mut Waited, into: &mut Vec<u64>) -> Result<(), StageError> {
        waited.begin();
        let heard = self.line.receive(into, || self.watched.look(waited));
        waited.so_far();
        heard.map_err(|silence| match silence {
            Silence::Garbled(what) => self.garbled(asking, &Flaw::output(what)),
            Silence::Broken(why) => self.lose(asking, &why),
        })
    }

    /// Ends the worker because of something that can be no answer.
    pub(crate) fn garbled(&self, asking: Asking<'_>, flaw: &Flaw) -> StageError {
        let why = format!(
            "wrote into the memory that it shares with the host: {}; its process was ended",
            flaw.message
        );
        self.lose(asking, &why)
    }

    /// Ends the worker; the fault of whoever was asking.
    pub(crate) fn lose(&self, asking: Asking<'_>, why: &str) -> StageError {
        self.watched.lose(asking, why)
    }

    /// Ends the process from another thread than the one that asks, which finds it ended at its next look.
    pub(crate) fn stop(&self) {
        self.watched.stop();
    }

    /// Returns true if it cannot be asked any more.
    pub(crate) fn is_lost(&self) -> bool {
        self.watched.is_lost()
    }

    /// Returns true if no instance is in it.
    pub(crate) fn is_empty(&self) -> bool {
        locked(&self.roles).is_empty()
    }

    /// The end that was agreed on, which is a last answer. Nothing is asked of a worker that was lost: that has been told.
    pub(crate) fn part(&self, asking: Asking<'_>) -> Result<(), StageError> {
        if self.is_lost() { Ok(()) } else { self.order(asking, &Order::Bye) }
    }
}
