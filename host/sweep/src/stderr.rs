//! The tail of a worker's error stream: its last lines, for the case that it dies.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Lines that are kept, and their length.
const LINES: usize = 12;
const LENGTH: usize = 400;

/// How long the end of a stream is waited for: what a plugin started may hold it open.
const PATIENCE: Duration = Duration::from_secs(1);

/// The last lines of a stream, read by a thread of its own.
pub(super) struct StderrTail {
    lines: Arc<Mutex<VecDeque<String>>>,
    /// Hears nothing, and that the stream ended.
    ended: Receiver<()>,
}

impl StderrTail {
    /// Listens; `loud` passes every line on to this process' error stream.
    pub(super) fn of(stream: impl Read + Send + 'static, loud: bool) -> Self {
        let lines = Arc::new(Mutex::new(VecDeque::new()));
        let (kept, (until, ended)) = (Arc::clone(&lines), channel());
        std::thread::spawn(move || {
            let _until = until;
            for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line).into_owned();
                if loud {
                    // Nobody is left to be told when the error stream is gone.
                    let _ = writeln!(std::io::stderr().lock(), "{line}");
                }
                let mut kept = locked(&kept);
                kept.push_back(line.chars().take(LENGTH).collect());
                if kept.len() > LINES {
                    kept.pop_front();
                }
            }
        });
        Self { lines, ended }
    }

    /// Forgets what was said so far: it concerns runs that are over.
    pub(super) fn forget(&self) {
        locked(&self.lines).clear();
    }

    /// The last lines of a process that has ended.
    pub(super) fn after_end(&self) -> Vec<String> {
        let _ = self.ended.recv_timeout(PATIENCE);
        locked(&self.lines).iter().filter(|line| !line.trim().is_empty()).cloned().collect()
    }
}

fn locked(lines: &Mutex<VecDeque<String>>) -> MutexGuard<'_, VecDeque<String>> {
    lines.lock().unwrap_or_else(PoisonError::into_inner)
}
