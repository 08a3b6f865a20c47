//! A program that speaks the worker protocol, as its host sees it: questions, answers, and its end.

use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

use serde_json::{Value, json};
use vinci_abi::fault::Flaw;
use vinci_core::StageError;
use vinci_core::error::ErrorKind;
use vinci_core::problem::Part;

use super::lock::locked;
use super::message::{Incoming, Outgoing};
use super::pipe::{Pipe, Silence};
use super::private::Private;
use super::process::{Process, again};
use super::watched::{Asking, Waited, Watched};
use crate::limits::Limits;

/// The version of the protocol.
pub(crate) const PROTOCOL: u64 = 1;

/// How long the end of a process is waited for that has closed its output.
const LAST: Duration = Duration::from_millis(500);

/// How long its farewell is waited for.
const FAREWELL: Duration = Duration::from_secs(2);

/// Kinds of errors as programs name them.
const KINDS: [(&str, ErrorKind); 9] = [
    ("bad-option", ErrorKind::BadOption),
    ("unsupported", ErrorKind::Unsupported),
    ("bad-input", ErrorKind::BadInput),
    ("non-finite", ErrorKind::NonFinite),
    ("bad-model", ErrorKind::BadModel),
    ("bad-state", ErrorKind::BadState),
    ("exception", ErrorKind::Panicked),
    ("other", ErrorKind::Other),
    ("fault", ErrorKind::Fault),
];

/// A running program. One thread asks it. Its plugin and its instances hold it, and the last of them sees it off.
pub(crate) struct Speaker {
    /// The id that it was started for.
    plugin: Box<str>,
    /// The thread that started it.
    thread: ThreadId,
    pipe: Mutex<Pipe>,
    watched: Watched,
    questions: AtomicU64,
    instances: AtomicU64,
    /// Its files, which it may read at any time; they go after it.
    _files: Arc<Private>,
}

impl Speaker {
    /// Starts the program in its private folder and greets it. `program`: this program, which becomes it. `open`: it is kept from nothing.
    pub(crate) fn start(
        program: &Path,
        private: &Arc<Private>,
        (limits, open): (Limits, bool),
        quiet: bool,
        asking: Asking<'_>,
    ) -> Result<Self, StageError> {
        let failed = |why: String| {
            let message = format!("the program of {} cannot be started: {why}", asking.plugin);
            StageError::new(ErrorKind::Other, message).by(asking.plugin)
        };
        let mut command = again(program, "start");
        let by = private.arguments(&mut command, limits, open).map_err(failed)?;
        if quiet {
            command.arg("-q");
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let started = Process::of(command).and_then(|mut process| {
            let (to, from) = process.pipes().ok_or(std::io::ErrorKind::BrokenPipe)?;
            Ok((Pipe::new(to, from)?, process))
        });
        let (pipe, process) = started.map_err(|e| failed(e.to_string()))?;
        let speaker = Self::over(pipe, Watched::new(process, limits, open), private, asking);
        // One that cannot even be greeted may have been started by another interpreter than was meant.
        let by =
            |error: StageError| StageError { message: format!("{} (run by {by})", error.message), ..error };
        // A process that does not answer the greeting is ended without a farewell.
        speaker.greet(asking).inspect_err(|_| speaker.stop()).map_err(by)?;
        Ok(speaker)
    }

    /// A process that this thread has started.
    fn over(pipe: Pipe, watched: Watched, files: &Arc<Private>, asking: Asking<'_>) -> Self {
        Self {
            plugin: asking.plugin.into(),
            thread: std::thread::current().id(),
            pipe: Mutex::new(pipe),
            watched,
            questions: AtomicU64::new(0),
            instances: AtomicU64::new(0),
            _files: files.clone(),
        }
    }

    fn greet(&self, asking: Asking<'_>) -> Result<(), StageError> {
        let mut hello = Outgoing::new("hello");
        hello.set("protocol", PROTOCOL);
        hello.set("host", concat!("vinci ", env!("CARGO_PKG_VERSION")));
        hello.set("parts", Part::ALL.map(Part::name).to_vec());
        let answer = self.ask(asking, hello)?;
        let spoken = answer.value("protocol");
        if *spoken == json!(PROTOCOL) {
            return Ok(());
        }
        Err(self.lose(asking, &format!("speaks protocol {spoken}, and this host {PROTOCOL}")))
    }

    /// A number for an instance.
    pub(crate) fn instance(&self) -> u64 {
        self.instances.fetch_add(1, Ordering::Relaxed)
    }

    /// Asks, and waits for the answer.
    pub(crate) fn ask(&self, asking: Asking<'_>, question: Outgoing) -> Result<Incoming, StageError> {
        self.ask_within(self.watched.limits().deadline, asking, question)
    }

    fn ask_within(
        &self,
        deadline: Duration,
        asking: Asking<'_>,
        mut question: Outgoing,
    ) -> Result<Incoming, StageError> {
        self.watched.check(asking)?;
        let number = self.questions.fetch_add(1, Ordering::Relaxed);
        question.set("number", number);
        let message = question.bytes().map_err(|bytes| {
            let most = super::message::LONGEST_BODY;
            let message = format!(
                "{bytes} bytes for {} are more than the {most} that a program can be given",
                asking.call
            );
            StageError::unsupported(message).by(asking.plugin)
        })?;
        let mut waited = Waited::new();
        let heard = locked(&self.pipe).exchange(&message, || self.watched.in_time(&mut waited, deadline));
        let answer = heard.map_err(|silence| self.silent(asking, silence))?;
        if *answer.value("number") != json!(number) {
            let found = answer.value("number");
            return Err(self.garbled(asking, &Flaw::output(format!("answer {found} where {number} is next"))));
        }
        match answer.value("error") {
            Value::Null => Ok(answer),
            error => Err(self.refusal(asking, error)),
        }
    }

    /// The fault that no answer, or none that can be one, is.
    fn silent(&self, asking: Asking<'_>, silence: Silence) -> StageError {
        match silence {
            Silence::Garbled(flaw) => self.garbled(asking, &flaw),
            Silence::Broken(why) => self.lose(asking, &why),
            Silence::Closed => {
                let begun = std::time::Instant::now();
                loop {
                    match self.watched.is_running() {
                        Err(how) => return self.lose(asking, &how),
                        Ok(()) if begun.elapsed() > LAST => {
                            return self.lose(
                                asking,
                                "closed its standard input or output, and its process was ended",
                            );
                        }
                        Ok(()) => std::thread::sleep(Duration::from_millis(1)),
                    }
                }
            }
        }
    }

    /// The error that a program reports.
    fn refusal(&self, asking: Asking<'_>, error: &Value) -> StageError {
        let (kind, message) = (error["kind"].as_str(), error["message"].as_str());
        let known = kind.and_then(|kind| KINDS.into_iter().find(|(word, _)| *word == kind));
        let (Some((_, kind)), Some(message)) = (known, message) else {
            return self.garbled(asking, &Flaw::output(format!("{error} is no error with kind and message")));
        };
        if kind.is_fault() {
            return StageError { kind, ..asking.fault(message) };
        }
        StageError::new(kind, message).by(asking.plugin)
    }

    /// Ends the program because of something that can be no answer.
    fn garbled(&self, asking: Asking<'_>, flaw: &Flaw) -> StageError {
        self.lose(asking, &format!("broke the worker protocol: {}; its process was ended", flaw.message))
    }

    /// Ends the program; the fault of whoever was asking.
    pub(crate) fn lose(&self, asking: Asking<'_>, why: &str) -> StageError {
        self.watched.lose(asking, why)
    }

    /// Ends the program from another thread than the one that asks.
    pub(crate) fn stop(&self) {
        self.watched.stop();
    }

    /// Returns true if it has failed.
    pub(crate) fn is_lost(&self) -> bool {
        self.watched.is_lost()
    }

    /// Returns true if it can be asked.
    fn is_there(&self) -> bool {
        !self.is_lost() && !self.watched.was_stopped() && self.watched.is_running().is_ok()
    }

    /// Returns true if this thread started it.
    pub(crate) fn is_of_this_thread(&self) -> bool {
        self.thread == std::thread::current().id()
    }

    /// Returns true if this thread started it and it can be asked.
    pub(crate) fn is_at_hand(&self) -> bool {
        self.is_of_this_thread() && self.is_there()
    }
}

impl Drop for Speaker {
    /// The end that is agreed on. Nothing depends on it any more: every instance has answered to its own end.
    fn drop(&mut self) {
        // The system ends a program with the thread that started it, perhaps at this moment: a farewell to one of another thread may find it
        // killed, which would be told as if somebody had.
        if !self.is_at_hand() {
            return;
        }
        let asking = Asking { plugin: &self.plugin, call: "end" };
        let farewell = self.ask_within(FAREWELL, asking, Outgoing::new("bye"));
        // A process that the host itself has ended needs no warning.
        if let Some(failure) = farewell.err().filter(|_| !self.watched.was_stopped()) {
            tracing::warn!("{failure}");
        }
    }
}
