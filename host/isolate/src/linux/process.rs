//! The process of a worker, as its host has it: started, listened to, ended.

use std::io::{self, BufRead, BufReader, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tracing::level_filters::LevelFilter;
use vinci_core::error::misleads;

use super::lock::locked;

/// Argument that makes the program a worker, before the number of its host's process. Its standard input is the shared memory.
const WORKER: &str = "worker";

/// Most lines of its log that are repeated: who wants to say more than that fills the disk of others.
const LOGGED: usize = 1000;

/// Longest line that is taken in one piece, bytes.
const LINE: u64 = 8192;

/// Last bytes of what a worker printed that are kept.
const TAIL: usize = 400;

/// How long the rest of what it printed is waited for once it has ended.
const REST: Duration = Duration::from_millis(200);

/// Variables of the environment that a worker keeps: where the system's loader looks, and the number of threads.
const KEPT: [&str; 2] = ["LD_LIBRARY_PATH", "OMP_NUM_THREADS"];

/// A running worker.
pub(crate) struct Process {
    child: Child,
    tail: Arc<Mutex<String>>,
    /// Ends when its output does.
    closed: Receiver<()>,
}

impl Process {
    /// Starts `program` as a worker over some shared memory.
    pub(crate) fn start(program: &Path, memory: OwnedFd) -> io::Result<Self> {
        let mut command = again(program, WORKER);
        command.current_dir("/").stdin(memory).stdout(Stdio::null());
        Self::of(command)
    }

    /// Starts a command that [`again`] began.
    pub(crate) fn of(mut command: Command) -> io::Result<Self> {
        let mut child = command.stderr(Stdio::piped()).spawn()?;
        let tail = Arc::new(Mutex::new(String::new()));
        let (open, closed) = channel();
        if let Some(output) = child.stderr.take() {
            let tail = tail.clone();
            std::thread::spawn(move || {
                listen(output, &tail);
                drop(open);
            });
        }
        Ok(Self { child, tail, closed })
    }

    /// Its number.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its standard input and output, where they are pipes.
    pub(crate) fn pipes(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        Some((self.child.stdin.take()?, self.child.stdout.take()?))
    }

    /// How it ended by itself, if it did.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Ends it and its group, which has its children where the system cannot keep it from having some, without waiting for its end. One that
    /// has ended by itself is left alone: its number may be another's by now.
    pub(crate) fn kill(&mut self) {
        if self.ended().is_some() {
            return;
        }
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        // What cannot be ended has ended a moment before.
        let _ = id.map(|id| kill_process_group(id, Signal::KILL));
        let _ = self.child.kill();
    }

    /// Ends it. Returns the last of what it printed, in one line.
    pub(crate) fn end(&mut self) -> String {
        self.kill();
        let _ = self.child.wait();
        // Whoever else holds its output is not waited for.
        let _ = self.closed.recv_timeout(REST);
        let tail = locked(&self.tail);
        tail.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        let _ = self.child.wait();
    }
}

/// The program once more, as a child of this process: an action of `plugin`, before the number of this process. It has a group of its own,
/// so that keys of the terminal do not reach it, and an environment without what a plugin need not see.
pub(crate) fn again(program: &Path, action: &str) -> Command {
    let mut command = Command::new(program);
    command
        .args(verbosity())
        .args(["--color", "never", "plugin", action])
        .arg(std::process::id().to_string());
    let kept = KEPT.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    command.env_clear().envs(kept).env("RUST_BACKTRACE", "0").process_group(0);
    command
}

/// Flags for as many messages as this program wants.
fn verbosity() -> Option<&'static str> {
    match LevelFilter::current() {
        LevelFilter::OFF | LevelFilter::ERROR => Some("-q"),
        LevelFilter::WARN => None,
        LevelFilter::INFO => Some("-v"),
        LevelFilter::DEBUG => Some("-vv"),
        _ => Some("-vvv"),
    }
}

/// Passes on what a worker logs, and keeps the last of what it prints, until nobody can print any more.
fn listen(output: ChildStderr, tail: &Mutex<String>) {
    let mut output = BufReader::new(output);
    let (mut line, mut logged) = (Vec::new(), 0);
    while bounded_line(&mut output, &mut line).is_ok_and(|more| more) {
        // What moves the cursor of a terminal has no place in a message.
        let text = String::from_utf8_lossy(&line).replace(|c: char| misleads(c) && c != '\n', "\u{fffd}");
        if log(text.trim_start(), &mut logged) {
            continue;
        }
        let mut tail = locked(tail);
        tail.push_str(&text);
        let mut cut = tail.len().saturating_sub(TAIL);
        while !tail.is_char_boundary(cut) {
            cut += 1;
        }
        tail.drain(..cut);
    }
}

/// Reads a line, in however many pieces it arrives, but no more than [`LINE`] bytes of it; false at the end.
fn bounded_line(from: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    from.by_ref().take(LINE).read_until(b'\n', line).map(|read| read > 0)
}

/// Repeats a message as the worker's own log writes it; false where the line is none. `logged`: how many there were.
fn log(line: &str, logged: &mut usize) -> bool {
    let Some((level, message)) = line.split_once(' ') else { return false };
    let message = message.trim_end();
    *logged += usize::from(matches!(level, "ERROR" | "WARN" | "INFO"));
    match level {
        "DEBUG" => tracing::debug!(target: "worker", "{message}"),
        "TRACE" => tracing::trace!(target: "worker", "{message}"),
        "ERROR" | "WARN" | "INFO" if *logged > LOGGED + 1 => {}
        "ERROR" | "WARN" | "INFO" if *logged > LOGGED => {
            tracing::warn!(target: "worker", "says no more: a plugin has logged {LOGGED} lines")
        }
        "ERROR" => tracing::error!(target: "worker", "{message}"),
        "WARN" => tracing::warn!(target: "worker", "{message}"),
        "INFO" => tracing::info!(target: "worker", "{message}"),
        _ => return false,
    }
    true
}

/// How a process ended, as the end of a sentence that begins with a call: "ended its process: …".
pub(crate) fn describe(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("ended its process: signal {signal}{}", signal_name(signal)),
        (None, Some(code)) => format!("ended its process with exit code {code}"),
        (None, None) => "ended its process".to_owned(),
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        libc::SIGABRT => " (SIGABRT: it was aborted)",
        libc::SIGBUS => " (SIGBUS: memory that is not there)",
        libc::SIGFPE => " (SIGFPE: arithmetic)",
        libc::SIGILL => " (SIGILL: no instruction)",
        libc::SIGKILL => " (SIGKILL: somebody, or the system, killed it)",
        libc::SIGSEGV => " (SIGSEGV: memory that is not its own)",
        libc::SIGSYS => " (SIGSYS: a call of the system that workers may not make)",
        libc::SIGXFSZ => " (SIGXFSZ: a file in memory that is larger than its library)",
        libc::SIGTRAP => " (SIGTRAP)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_arrives_in_pieces_is_one_and_an_endless_one_is_cut() {
        let pieces = b"WARN ".chain(&b"line 1"[..]).chain(&b" of many\nrest"[..]);
        let endless = io::repeat(b'a').take(LINE + 1);
        let (mut from, mut line, mut lines) =
            (BufReader::new(pieces.chain(&b"\n"[..]).chain(endless)), Vec::new(), Vec::new());
        while bounded_line(&mut from, &mut line).unwrap() {
            lines.push(line.clone());
        }
        assert_eq!(lines[..2], [b"WARN line 1 of many\n".to_vec(), b"rest\n".to_vec()]);
        assert_eq!(lines[2..].iter().map(Vec::len).collect::<Vec<_>>(), [LINE as usize, 1]);
    }
}
