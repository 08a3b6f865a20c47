//! Every test in a process of its own.

use std::ffi::OsString;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child as Process, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::report::{Outcome, Report, TestResult};

/// How to start a child: `program arguments… NAME`. It must read a word ([`word_from`]) from its standard input before it loads anything, call
/// [`crate::run_one`] for that name with the same path and seed, and print [`Outcome::to_line`] with the word.
#[derive(Debug, Clone)]
pub struct Child {
    /// The executable.
    pub program: PathBuf,
    /// Everything before the name of the test.
    pub arguments: Vec<OsString>,
    /// A child that has not answered by then is killed.
    pub timeout: Duration,
}

/// How long the rest of the output of a child is waited for once it has ended: a process that a plugin has started may hold it for ever.
const REST: Duration = Duration::from_secs(1);

/// The word that a child is told, by chance.
fn word() -> String {
    let part = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", part(), part())
}

/// (The child) The word that it was told; empty where it was told none.
pub fn word_from(mut input: impl Read) -> String {
    let mut word = String::new();
    // Without it no answer is believed.
    let _ = input.read_to_string(&mut word);
    word.trim().to_owned()
}

/// Runs all tests up to a level that concern the library at `path`, each in a child.
pub fn check_isolated(path: &Path, seed: u64, highest: u8, child: &Child) -> Report {
    let results = crate::names(highest).into_iter().map(|(name, level)| {
        let outcome = child.run(&name);
        TestResult { name, level, outcome }
    });
    Report::new(path, seed, results)
}

impl Child {
    /// Runs one test. Whoever does not answer has crashed, whatever the exit status says.
    pub fn run(&self, name: &str) -> Outcome {
        let word = word();
        match self.output(name, &word) {
            Ok((output, ended)) => {
                Outcome::from_output(&output, &word).unwrap_or(Outcome::Crashed { reason: ended })
            }
            Err(error) => {
                Outcome::Failed { reason: format!("{} cannot be run: {error}", self.program.display()) }
            }
        }
    }

    fn output(&self, name: &str, word: &str) -> std::io::Result<(String, String)> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).arg(name);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut process = command.spawn()?;
        if let Some(mut input) = process.stdin.take() {
            // One that has ended reads nothing, and gives no answer.
            let _ = input.write_all(word.as_bytes());
        }
        let output = process.stdout.take().map(read_beside);
        let ended = self.end_of(&mut process)?;
        end_group(&process);
        let read = output.map(|output| output.recv_timeout(REST));
        match read {
            Some(Err(RecvTimeoutError::Timeout)) => {
                Ok((String::new(), "a process that the plugin has started holds its output".into()))
            }
            read => Ok((read.and_then(Result::ok).unwrap_or_default(), ended)),
        }
    }

    /// How a process ended, or was ended.
    fn end_of(&self, process: &mut Process) -> std::io::Result<String> {
        let end = Instant::now() + self.timeout;
        loop {
            if let Some(status) = process.try_wait()? {
                return Ok(describe(status));
            }
            if Instant::now() > end {
                process.kill()?;
                process.wait()?;
                return Ok(format!("no answer within {} s", self.timeout.as_secs_f64()));
            }
            thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Reads beside the waiting, or a talkative plugin would fill the pipe and never end.
fn read_beside(mut stdout: ChildStdout) -> Receiver<String> {
    let (send, output) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What could not be read is missing in the answer, and that is the result.
        let _ = stdout.read_to_end(&mut bytes);
        // Perhaps nobody waits any more.
        let _ = send.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    output
}

/// Ends what a child has left of its group: processes that a plugin has started.
#[cfg(unix)]
fn end_group(process: &Process) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = i32::try_from(process.id()).ok().and_then(Pid::from_raw);
    // There is none left, as a rule.
    let _ = group.map(|group| kill_process_group(group, Signal::KILL));
}

#[cfg(not(unix))]
fn end_group(_: &Process) {}

fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("the process was ended by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("the process ended with code {code} and gave no answer"),
        None => "the process ended and gave no answer".into(),
    }
}
