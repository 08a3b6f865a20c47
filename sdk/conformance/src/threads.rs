//! Instances on several threads at once: each gives what one alone gives.

use crate::subject::{Stop, Subject, ensure};

/// Threads at once.
const THREADS: usize = 4;

/// Does the same work alone and on several threads, each with instances of its own; `work` gives the bits of all its answers.
pub(crate) fn threads(
    subject: &Subject,
    work: impl Fn(&Subject) -> Result<Vec<u64>, Stop> + Sync,
) -> Result<String, Stop> {
    let alone = work(subject)?;
    let together: Vec<_> = std::thread::scope(|scope| {
        let started: Vec<_> = (0..THREADS).map(|_| scope.spawn(|| work(subject))).collect();
        started.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
    });
    for answer in together {
        let bits = answer.map_err(|_| Stop::Failed("a thread panicked".into()))??;
        ensure!(
            bits == alone || !subject.manifest.deterministic,
            "on several threads instances give other bits"
        );
    }
    Ok(format!("{THREADS} at once"))
}
