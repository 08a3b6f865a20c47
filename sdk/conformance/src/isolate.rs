//! Every test in a process of its own.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::report::{Outcome, Report, TestResult};

/// How to start a child: `program arguments… NAME`. It must call [`crate::run_one`] for that name with the same path and
/// seed, and print [`Outcome::to_line`].
#[derive(Debug, Clone)]
pub struct Child {
    /// The executable.
    pub program: PathBuf,
    /// Everything before the name of the test.
    pub arguments: Vec<OsString>,
    /// A child that has not answered by then is killed.
    pub timeout: Duration,
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
        match self.output(name) {
            Ok((output, ended)) => {
                Outcome::from_output(&output).unwrap_or(Outcome::Crashed { reason: ended })
            }
            Err(error) => {
                Outcome::Failed { reason: format!("{} cannot be run: {error}", self.program.display()) }
            }
        }
    }

    fn output(&self, name: &str) -> std::io::Result<(String, String)> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .arg(name)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut process = command.spawn()?;
        let stdout = process.stdout.take();
        // Read beside the waiting, or a talkative plugin would fill the pipe and never end.
        let reader = thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(mut stdout) = stdout {
                // What could not be read is missing below, and that is the result.
                let _ = stdout.read_to_end(&mut bytes);
            }
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let end = Instant::now() + self.timeout;
        let ended = loop {
            if let Some(status) = process.try_wait()? {
                break describe(status);
            }
            if Instant::now() > end {
                process.kill()?;
                process.wait()?;
                break format!("no answer within {} s", self.timeout.as_secs_f64());
            }
            thread::sleep(Duration::from_millis(2));
        };
        Ok((reader.join().unwrap_or_default(), ended))
    }
}

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
