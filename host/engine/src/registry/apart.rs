//! Libraries looked at in a process of their own: one that ends it is a refusal like others.
//!
//! The child (`vinci plugin look LIBRARY…`) answers with one line for each library, JSON behind the character U+001E; what libraries print
//! goes before it and is passed over.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use vinci_abi::Manifest;
use vinci_abi::load::{LoadError, Program, digest_of, is_program, load, read_program};

use super::store::refuse_ids;

const MARK: char = '\u{1e}';

/// Variables of the environment that the child has: where the system's loader looks, and the number of threads.
const KEPT: [&str; 2] = ["LD_LIBRARY_PATH", "OMP_NUM_THREADS"];

/// A library that has not loaded by then never will.
const PATIENCE: Duration = Duration::from_secs(20);

/// Findings about a library that a child process looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Inspection {
    /// A plugin: its digest and manifests.
    Plugin { digest: String, manifests: Vec<Manifest> },
    /// Not one of ours.
    Foreign,
    /// Reason why it is none. `unread`: it could not be looked at.
    Refused { why: String, unread: bool },
}

impl Inspection {
    /// At a library, in this process.
    pub(super) fn at(path: &Path) -> Self {
        if is_program(path) {
            return Self::of_program(path);
        }
        Self::found(path, load(path).map(|plugin| (plugin.digest().to_owned(), plugin.manifests().to_vec())))
    }

    /// At a program: nothing of it runs.
    fn of_program(path: &Path) -> Self {
        Self::found(path, read_program(path).map(|Program { digest, manifests, .. }| (digest, manifests)))
    }

    fn found(path: &Path, read: Result<(String, Vec<Manifest>), LoadError>) -> Self {
        let named = |(digest, manifests): (String, Vec<Manifest>)| {
            refuse_ids(path, &manifests).map(|()| Self::Plugin { digest, manifests })
        };
        match read.and_then(named) {
            Ok(plugin) => plugin,
            Err(LoadError::NotAPlugin { .. }) => Self::Foreign,
            Err(why) => Self::Refused { why: why.to_string(), unread: is_unread(&why) },
        }
    }
}

/// Returns true if a refusal is the system's, so that the library may be the one that is looked for.
pub(super) fn is_unread(why: &LoadError) -> bool {
    matches!(why, LoadError::Unreadable { .. } | LoadError::OpenFailed { .. })
}

/// The child: looks at libraries, with the rights of a worker, and ends with whoever started it.
///
/// # Errors
/// Of output.
pub fn look_at(paths: &[PathBuf]) -> std::io::Result<()> {
    // What the system lacks is told where plugins are used.
    vinci_isolate::confine_unwatched(vinci_isolate::Limits::default(), paths);
    for path in paths {
        let text = serde_json::to_string(&Inspection::at(path))?;
        let mut out = std::io::stdout().lock();
        writeln!(out, "\n{MARK}{text}").and_then(|()| out.flush())?;
    }
    Ok(())
}

/// Findings of children of `program` about libraries. Those that are ours share a child; every other one has its own, for its code runs there,
/// and could answer for others.
pub(super) fn looks(program: &Path, paths: &[PathBuf], is_ours: impl Fn(&Path) -> bool) -> Vec<Inspection> {
    paths.chunk_by(|a, b| is_ours(a) && is_ours(b)).flat_map(|group| looks_at(program, group)).collect()
}

/// Whatever a library does while it is looked at, it is not loaded here instead.
fn looks_at(program: &Path, group: &[PathBuf]) -> Vec<Inspection> {
    let mut looks = Vec::new();
    while looks.len() < group.len() {
        let rest = &group[looks.len()..];
        let mut child = match Answering::new(program, rest) {
            Ok(child) => child,
            Err(e) => {
                looks.extend(
                    rest.iter().map(|path| refused(path, true, &format!("cannot be looked at: {e}"))),
                );
                break;
            }
        };
        for path in rest {
            let look = child.look(path);
            looks.push(look.clone().unwrap_or_else(|why| refused(path, false, &why)));
            // Whoever was being looked at is to blame; the next ones get another child.
            if look.is_err() {
                break;
            }
        }
    }
    looks
}

fn refused(path: &Path, unread: bool, why: &str) -> Inspection {
    Inspection::Refused { why: format!("{} {why}", path.display()), unread }
}

struct Answering {
    child: Child,
    answers: Receiver<String>,
}

impl Answering {
    fn new(program: &Path, paths: &[PathBuf]) -> std::io::Result<Self> {
        let mut command = Command::new(program);
        command.args(["plugin", "look", "--"]).args(paths);
        let kept = KEPT.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        command.env_clear().envs(kept);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let Some(output) = child.stdout.take() else { return Err(std::io::Error::other("no output")) };
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line).into_owned();
                let Some(at) = line.rfind(MARK) else { continue };
                if sender.send(line[at + MARK.len_utf8()..].to_owned()).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, answers })
    }

    /// The answer about the next library, which is this one; otherwise what it did, as the end of a sentence.
    fn look(&mut self, path: &Path) -> Result<Inspection, String> {
        let text = self.answers.recv_timeout(PATIENCE).map_err(|_| self.end())?;
        match serde_json::from_str(&text) {
            Ok(Inspection::Plugin { digest, .. }) if digest_of(path).is_ok_and(|own| own != digest) => {
                Err("changed while it was looked at, or answered for another library".to_owned())
            }
            Ok(look) => Ok(look),
            Err(_) => Err("wrote over the answer of the process that loaded it; do not trust it".to_owned()),
        }
    }

    /// Ends the child; how it had ended, as the end of a sentence that begins with the library.
    fn end(&mut self) -> String {
        // Its output has ended, so it is about to; one that hangs is ended.
        let hangs = matches!(self.answers.try_recv(), Err(std::sync::mpsc::TryRecvError::Empty));
        if hangs {
            let _ = self.child.kill();
        }
        let status = self.child.wait();
        match (hangs, status) {
            (true, _) => {
                format!("had not loaded after {} s; it is damaged, or no plugin", PATIENCE.as_secs())
            }
            (false, Ok(status)) => {
                format!("ended the process that loaded it ({status}); it is damaged, or no plugin")
            }
            (false, Err(e)) => format!("cannot be looked at: {e}"),
        }
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        // One that has answered everything ends by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
