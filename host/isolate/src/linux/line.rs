//! Turns between two processes: who has the turn writes a message and hands it over, and waits until it is back.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::time::Duration;

use rustix::thread::futex;

use super::region::{LONGEST, Region};

/// Looks at the turn in a row: longer than the other side takes for a call-back, where it has a processor of its own.
const SPIN: u32 = 100;

/// Looks with the processor lent to others in between, before a side sleeps: some tens of microseconds, longer than most calls of small
/// problems take. Whoever is woken is put on the processor of who woke it, and could not begin before that one sleeps.
const YIELDS: u32 = 50;

/// Longest sleep without a look around.
const NAP: Duration = Duration::from_millis(10);

/// Ends of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Begins with the turn.
    Host,
    /// Begins by waiting.
    Worker,
}

/// One end of the line between a host and its worker.
pub(crate) struct Line {
    region: Region,
    side: Side,
    /// Number of the turn, as this side counts: the shared one is only compared with it.
    turn: AtomicU32,
}

/// Reasons why no message came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Silence<E> {
    /// The other side has not kept to the order of turns, or gave a length that cannot be one.
    Garbled(String),
    /// Whoever waits has seen a reason to stop.
    Broken(E),
}

impl Line {
    pub(crate) fn new(region: Region, side: Side) -> Self {
        Self { region, side, turn: AtomicU32::new(0) }
    }

    /// Hands a message over; its length in bytes, where it is too long.
    pub(crate) fn send(&self, message: &[u64]) -> Result<(), usize> {
        if message.len() > LONGEST {
            return Err(8 * message.len());
        }
        self.region.write(message);
        let turn = self.turn.load(Relaxed).wrapping_add(1);
        self.turn.store(turn, Relaxed);
        self.region.turn().store(turn, SeqCst);
        let other = self.region.asleep(1 - self.side as usize);
        if other.swap(0, SeqCst) != 0 {
            // A side that could not be woken looks by itself after a nap.
            let _ = futex::wake(self.region.turn(), futex::Flags::empty(), 1);
        }
        Ok(())
    }

    /// Waits for the next message. `look`: asked after every nap.
    pub(crate) fn receive<E>(
        &self,
        into: &mut Vec<u64>,
        look: impl FnMut() -> Result<(), E>,
    ) -> Result<(), Silence<E>> {
        self.wait(look)?;
        let read = self.region.read(into);
        read.map_err(|length| {
            Silence::Garbled(format!("a message of {length} words, more than there is room for"))
        })
    }

    fn wait<E>(&self, mut look: impl FnMut() -> Result<(), E>) -> Result<(), Silence<E>> {
        let mine = self.turn.load(Relaxed).wrapping_add(1);
        for look in 0..SPIN + YIELDS {
            if self.region.turn().load(SeqCst) == mine {
                self.turn.store(mine, Relaxed);
                return Ok(());
            }
            if look < SPIN { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
        loop {
            self.nap(mine);
            match self.region.turn().load(SeqCst) {
                turn if turn == mine => break,
                turn if turn == self.turn.load(Relaxed) => look().map_err(Silence::Broken)?,
                turn => return Err(Silence::Garbled(format!("turn {turn} where {mine} is next"))),
            }
        }
        self.turn.store(mine, Relaxed);
        Ok(())
    }

    /// Sleeps until the turn is no longer that of the other side, or for a while.
    fn nap(&self, mine: u32) {
        let asleep = self.region.asleep(self.side as usize);
        asleep.store(1, SeqCst);
        let turn = self.region.turn().load(SeqCst);
        if turn != mine {
            let nap = rustix::fs::Timespec { tv_sec: 0, tv_nsec: NAP.subsec_nanos().into() };
            // Woken, timed out, interrupted or changed before it began: whoever called looks.
            let _ = futex::wait(self.region.turn(), futex::Flags::empty(), turn, Some(&nap));
        }
        asleep.store(0, SeqCst);
    }
}
