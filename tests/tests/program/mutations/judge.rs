//! One damaged input, given to the program.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::corpus::{Corpus, Workshop};
use super::damage::{Dice, damage};

/// Most time of the processor for one program, s: what else the machine does is not counted.
const SECONDS: u64 = 20;
/// A program that waits for something uses no processor; this ends it.
const PATIENCE: Duration = Duration::from_secs(600);
/// Most address space of one program, kB.
const MEMORY: u64 = 2 << 20;
/// Exit codes that are documented (8, a stop from outside, cannot be here).
const CODES: std::ops::RangeInclusive<i32> = 0..=7;

/// How a program ended.
pub(crate) struct Ended {
    pub(crate) code: i32,
    /// By the clock on the wall: for people, nothing is decided by it.
    pub(crate) took: Duration,
}

/// The end of the program on input `k`, or what it did wrong; the input is then kept.
pub(crate) fn judge(workshop: &Workshop, corpus: &Corpus, k: u64) -> Result<Ended, String> {
    let mut dice = Dice::new(k);
    // One of every kind in turn.
    let seed = corpus.seed(k, &mut dice);
    let other = &corpus.seed(k, &mut dice).bytes;
    let bytes = damage(&seed.bytes, other, &mut dice);
    let path = workshop.place(seed, &bytes);
    let words = workshop.command(seed, &path, &mut dice);
    let start = Instant::now();
    let verdict = watched(&words);
    let said = match verdict {
        Ok(code) if CODES.contains(&code) => return Ok(Ended { code, took: start.elapsed() }),
        Ok(code) => format!("exit code {code}"),
        Err(said) => said,
    };
    let kept = workshop.keep(seed, &bytes, k);
    Err(format!("input {k} ({}): {said}\n    {}\n    kept as {}", seed.name, words.join(" "), kept.display()))
}

/// The exit code of a program within its limits.
fn watched(words: &[String]) -> Result<i32, String> {
    let mut child = limited(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code().ok_or_else(|| format!("{status}"));
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            return Err(format!("still there after {} s", PATIENCE.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The program with bounded memory and time, where the system has a shell that can bound them.
fn limited(words: &[String]) -> Command {
    if !Path::new("/bin/sh").exists() {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        return command;
    }
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(format!("ulimit -v {MEMORY}; ulimit -t {SECONDS}; exec \"$0\" \"$@\"")).args(words);
    command
}
