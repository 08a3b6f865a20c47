//! Memory that a process has. The system's own limit counts pages that can be written, so one that fills pages and then gives up writing to them, or
//! has the system take them for a stack, has more: the host looks as well.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::lock::locked;

/// Shortest time between two looks.
const EVERY: Duration = Duration::from_millis(10);

/// Memory that no limit was meant for, bytes: the stack of the first thread, and what the loader writes into libraries.
const APART: u64 = 64 << 20;

/// A limit of memory, and the process that is to keep it.
pub(super) struct Memory {
    status: PathBuf,
    /// Most memory, bytes.
    most: u64,
    last: Mutex<Instant>,
}

impl Memory {
    /// The memory of a process.
    pub(super) fn of(process: u32, most: u64) -> Self {
        let status = PathBuf::from(format!("/proc/{process}/status"));
        Self { status, most, last: Mutex::new(Instant::now()) }
    }

    /// Looks how much there is, where the last look was some time ago.
    ///
    /// # Errors
    /// More than the limit, as the end of a sentence.
    pub(super) fn look(&self) -> Result<(), String> {
        let mut last = locked(&self.last);
        if last.elapsed() < EVERY {
            return Ok(());
        }
        let has = std::fs::read_to_string(&self.status).map_or(0, |status| private(&status));
        *last = Instant::now();
        if has <= self.most.saturating_add(APART) {
            return Ok(());
        }
        let most = self.most >> 20;
        Err(format!("ran out of memory (it may have {most} MB), and its process was ended"))
    }
}

/// Memory that belongs to a process alone, in pages or on disk, bytes; 0 for one that has ended. What it shares with its host does not count.
fn private(status: &str) -> u64 {
    let kilobytes = |line: &str| {
        let (name, rest) = line.split_once(':')?;
        let own = matches!(name, "RssAnon" | "VmSwap");
        rest.split_whitespace().next().filter(|_| own)?.parse::<u64>().ok()
    };
    status.lines().filter_map(kilobytes).sum::<u64>() << 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_in_memory_and_on_disk_count_and_shared_ones_do_not() {
        let status = "Name:\tx\nVmSwap:\t     100 kB\nRssAnon:\t    2048 kB\nRssFile:\t 4096 kB\nRssShmem:\t 8192 kB\n";
        assert_eq!(private(status), 2148 << 10);
        assert_eq!(private("Name:\tx\nState:\tZ (zombie)\n"), 0);
    }
}
