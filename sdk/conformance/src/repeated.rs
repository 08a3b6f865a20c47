//! Calls without end: the same answer every time, and no memory that grows with them.

use crate::subject::{Stop, ensure};

/// Calls before memory is measured: buffers have grown to their size by then.
const WARM: usize = 10_000;

/// Calls over which it is measured.
const CALLS: usize = 100_000;

/// Bytes that the process may have grown by over all [`CALLS`]: less than 11 bytes a call, above what pages and the allocator do.
const SLACK: u64 = 1 << 20;

/// Memory of this process that is in use, bytes; none where the system does not say.
fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

/// Makes a call again and again; `call` gives the bits of its answer.
pub(crate) fn repeated(mut call: impl FnMut() -> Result<Vec<u64>, Stop>) -> Result<String, Stop> {
    let first = call()?;
    let mut many = |n: usize| {
        for k in 0..n {
            ensure!(call()? == first, "call {k} of the same gives other bits");
        }
        Ok(())
    };
    many(WARM)?;
    let before =
        memory().ok_or_else(|| Stop::Skipped("the system does not say what memory is in use".into()))?;
    many(CALLS)?;
    let grown = memory().unwrap_or(u64::MAX).saturating_sub(before);
    ensure!(
        grown <= SLACK,
        "{CALLS} calls of the same made the process grow by {grown} bytes, {} a call",
        grown / CALLS as u64
    );
    Ok(format!("{} calls", WARM + CALLS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(call: impl FnMut() -> Result<Vec<u64>, Stop>) -> Result<String, String> {
        repeated(call).map_err(|stop| match stop {
            Stop::Failed(reason) | Stop::Skipped(reason) => reason,
        })
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn who_keeps_a_little_of_every_call_is_found() {
        assert_eq!(outcome(|| Ok(vec![1])), Ok("110000 calls".into()));
        let mut kept = Vec::new();
        let leaks = outcome(|| {
            kept.push(Box::new([1_u64; 4]));
            Ok(vec![1])
        });
        let reason = leaks.unwrap_err();
        assert!(reason.starts_with("100000 calls of the same made the process grow by "), "{reason}");
    }

    #[test]
    fn who_answers_otherwise_once_is_found() {
        let mut k = 0;
        let wavers = outcome(|| {
            k += 1;
            Ok(vec![u64::from(k == 50_000)])
        });
        assert_eq!(wavers, Err("call 39998 of the same gives other bits".into()));
    }
}
