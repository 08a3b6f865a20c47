//! The process of a worker under watch: how long it may take, and its end.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use vinci_core::StageError;
use vinci_core::error::{ErrorKind, one_line};

use super::lock::locked;
use super::memory::Memory;
use super::process::{Process, describe};
use crate::limits::Limits;

/// Text that the runtime of Rust prints where memory ran out.
const OUT_OF_MEMORY: &str = "memory allocation of";

/// Party that asks: the plugin, and the call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asking<'a> {
    pub(crate) plugin: &'a str,
    pub(crate) call: &'static str,
}

impl Asking<'_> {
    /// A fault of the plugin; `what` is the end of the sentence, perhaps with words of its own, as long as it likes.
    pub(crate) fn fault(&self, what: &str) -> StageError {
        let message = format!("plugin {}: {} {}", self.plugin, self.call, one_line(what));
        StageError::new(ErrorKind::Fault, message).by(self.plugin)
    }
}

/// A process of which nothing is asked any more once it has failed.
pub(crate) struct Watched {
    process: Mutex<Process>,
    limits: Limits,
    memory: Memory,
    /// Why it cannot be asked any more.
    lost: Mutex<Option<String>>,
    /// True once the host has ended it by [`Watched::stop`].
    stopped: AtomicBool,
}

/// Time that a call has taken.
pub(crate) struct Waited {
    whole: Duration,
    last: Instant,
}

impl Waited {
    pub(crate) fn new() -> Self {
        Self { whole: Duration::ZERO, last: Instant::now() }
    }

    /// Goes on from now: what the host did in between does not count.
    pub(crate) fn begin(&mut self) {
        self.last = Instant::now();
    }

    /// Looked at anew. A host that was suspended has not waited: no look around counts for more than a second.
    pub(crate) fn so_far(&mut self) -> Duration {
        self.whole += self.last.elapsed().min(Duration::from_secs(1));
        self.last = Instant::now();
        self.whole
    }
}

impl Watched {
    /// `open`: the process has no limit of memory.
    pub(crate) fn new(process: Process, limits: Limits, open: bool) -> Self {
        let memory = Memory::of(process.id(), if open { u64::MAX } else { limits.memory });
        Self {
            process: Mutex::new(process),
            limits,
            memory,
            lost: Mutex::default(),
            stopped: AtomicBool::new(false),
        }
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// Checks that it may be asked.
    pub(crate) fn check(&self, asking: Asking<'_>) -> Result<(), StageError> {
        if let Some(why) = &*locked(&self.lost) {
            return Err(asking.fault(&format!("cannot be made: the process has ended before: {why}")));
        }
        self.memory.look().map_err(|why| self.lose(asking, &why))
    }

    /// Looks whether it is still worth waiting.
    pub(crate) fn look(&self, waited: &mut Waited) -> Result<(), String> {
        self.is_running()?;
        self.in_time(waited, self.limits.deadline)
    }

    /// Looks whether it runs; how it ended, as the end of a sentence.
    pub(crate) fn is_running(&self) -> Result<(), String> {
        locked(&self.process).ended().map_or(Ok(()), |status| Err(describe(status)))
    }

    /// Looks at a deadline, and at the memory that it has.
    pub(crate) fn in_time(&self, waited: &mut Waited, deadline: Duration) -> Result<(), String> {
        self.memory.look()?;
        if waited.so_far() < deadline {
            return Ok(());
        }
        let seconds = deadline.as_secs_f64();
        Err(format!("had not come back after {seconds} s, its deadline, and its process was ended"))
    }

    /// Ends the process; the fault of whoever was asking.
    pub(crate) fn lose(&self, asking: Asking<'_>, why: &str) -> StageError {
        let printed = locked(&self.process).end();
        let mut what = why.to_owned();
        if printed.contains(OUT_OF_MEMORY) {
            let memory = self.limits.memory >> 20;
            what.push_str(&format!(", out of memory (it may have {memory} MB)"));
        }
        if !printed.is_empty() {
            what.push_str(&format!("; it printed: {printed}"));
        }
        let fault = asking.fault(&what);
        let mut lost = locked(&self.lost);
        lost.get_or_insert_with(|| fault.message.clone());
        fault
    }

    /// Ends the process from another thread than the one that asks, which finds it ended at its next look.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        locked(&self.process).kill();
    }

    /// Returns true if the host itself has ended it, which is no failure of its own.
    pub(crate) fn was_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Returns true if it cannot be asked any more.
    pub(crate) fn is_lost(&self) -> bool {
        locked(&self.lost).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program whose array had ten thousand sides was told with all of them, and a reason of two lines passed for two messages.
    #[test]
    fn what_a_plugin_makes_of_a_message_is_one_line_and_no_longer_than_a_page() {
        let asking = Asking { plugin: "a.solver.b", call: "solve" };
        let long = asking.fault(&format!("broke it: [{}]", "0,".repeat(10_000))).message;
        assert!(
            long.starts_with("plugin a.solver.b: solve broke it: [0,0,") && long.chars().count() < 1100,
            "{long}"
        );
        let lines = asking.fault("raised\n\nerror[io]: a disc is full\u{1b}[2J").message;
        assert_eq!(lines, "plugin a.solver.b: solve raised; error[io]: a disc is full\u{fffd}[2J");
    }
}
